"""Reliability of evidence (PAV)
=============================

Calibrated log-likelihood ratios against those fitted on test, with bands by resampling people.
"""

import sys
from pathlib import Path

import fairtrial as ft
from fairtrial.figures import FIGURES, write_picture

lp1 = ft.benchmark.load_lausanne().sets[0]
systems = ["(LFCC,GMM)", "(PAC,GMM)"]
result = ft.calibrate(lp1.dev, lp1.test, systems=systems)
curves = [ft.calibration.pav_curve(result[name], n_resamples=400) for name in systems]
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
write_picture(
    FIGURES["pav"].draw(curves),
    folder / "pav.png",
    title="lausanne LP1: synthetic scores",
)
