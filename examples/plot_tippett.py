"""Tippett plot
============

Tippett plot of two calibrated systems of the synthetic set lausanne.
"""

import sys
from pathlib import Path

import fairtrial as ft
from fairtrial.figures import FIGURES, write_picture

lp1 = ft.benchmark.load_lausanne().sets[0]
systems = ["(LFCC,GMM)", "(PAC,GMM)"]
curves = [ft.calibration.tippett_curve(ft.calibrate(lp1.dev, lp1.test, systems=[name])) for name in systems]
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
write_picture(
    FIGURES["tippett"].draw(curves),
    folder / "tippett.png",
    title="lausanne LP1: synthetic scores",
)
