"""Normalised Bayes error
======================

Normalised Bayes error of a calibrated system of the synthetic set lausanne over prior log-odds, with its band.
"""

import sys
from pathlib import Path

import fairtrial as ft
from fairtrial.figures import FIGURES, write_picture

lp1 = ft.benchmark.load_lausanne().sets[0]
found = ft.calibrate(lp1.dev, lp1.test, systems=["(PAC,GMM)"])
curve = ft.calibration.bayes_error_curve(found, confidence=0.95)
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
write_picture(
    FIGURES["bayes-error"].draw(curve),
    folder / "bayes-error.png",
    title="lausanne LP1: synthetic scores",
)
