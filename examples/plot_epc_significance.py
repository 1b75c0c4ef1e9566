"""Two EPCs and their confidence
=============================

Two Expected Performance Curves that cross above the confidence that one is worse, as FUS Fig. 1.
"""

import sys
from pathlib import Path

import fairtrial as ft
from fairtrial.figures import FIGURES, write_picture

lp1 = ft.benchmark.load_lausanne().sets[0]
alphas = ft.evaluation.alpha_grid(91, low=0.05, high=0.95)
a, b = (
    ft.performance_curve(lp1.dev, lp1.test, system=system, criterion="wer-equal", alphas=alphas)
    for system in ("(DCTb,MLP)", "(PAC,GMM)")
)
comparison = ft.compare_curves(a, b, method="independent")
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
write_picture(
    FIGURES["epc-significance"].draw(a, b, comparison),
    folder / "epc-significance.png",
    title="lausanne LP1: synthetic scores",
)
