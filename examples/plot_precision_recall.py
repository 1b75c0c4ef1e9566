"""Precision against recall
========================

Precision against recall, with the break-even points on test and the points at the threshold from dev.
"""

import sys
from pathlib import Path

import fairtrial as ft
from fairtrial.figures import FIGURES, judged_precision, write_picture

lp1 = ft.benchmark.load_lausanne().sets[0]
curves = judged_precision(lp1.dev, lp1.test, systems=["(FH,MLP)", "(SSC,GMM)", "(DCTs,MLP)"])
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
write_picture(
    FIGURES["precision-recall"].draw(curves, low=0.4),
    folder / "precision-recall.png",
    title="lausanne LP1: synthetic scores",
)
