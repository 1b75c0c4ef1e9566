"""Empirical cross-entropy
=======================

Empirical cross-entropy of two calibrated systems of the synthetic set lausanne, over prior log-odds.
"""

import sys
from pathlib import Path

import fairtrial as ft
from fairtrial.figures import FIGURES, write_picture

lp1 = ft.benchmark.load_lausanne().sets[0]
systems = ["(PAC,GMM)", "(DCTs,MLP)"]
curves = [
    ft.calibration.ece_curve(ft.calibrate(lp1.dev, lp1.test, systems=[name]), confidence=0.95) for name in systems
]
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
write_picture(
    FIGURES["ece"].draw(curves),
    folder / "ece.png",
    title="lausanne LP1: synthetic scores",
)
