"""ROC curves
==========

ROC curves with the line of equal errors, a-posteriori EER points and a-priori points at the threshold from dev.
"""

import sys
from pathlib import Path

import fairtrial as ft
from fairtrial.figures import FIGURES, operating_curves, write_picture

lp1 = ft.benchmark.load_lausanne().sets[0]
curves = operating_curves(lp1.dev, lp1.test, systems=["(FH,MLP)", "(SSC,GMM)", "(DCTs,MLP)"])
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
write_picture(
    FIGURES["roc"].draw(curves),
    folder / "roc.png",
    title="lausanne LP1: synthetic scores",
)
