"""Tippett plot
============

Tippett plot of two calibrated systems of the synthetic set lausanne.
"""

import sys
from pathlib import Path

import fairtrial as ft
from fairtrial.figures import tippett_plot, write_picture

lp1 = ft.benchmark.load_lausanne().sets[0]
systems = ["(LFCC,GMM)", "(PAC,GMM)"]
curves = [ft.calibration.tippett_curve(ft.calibrate(lp1.dev, lp1.test, systems=[name])) for name in systems]
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
write_picture(
    lambda figure: tippett_plot(curves, ax=figure.add_subplot()),
    folder / "tippett.png",
    title="lausanne LP1: synthetic scores",
    dpi=100,
)
