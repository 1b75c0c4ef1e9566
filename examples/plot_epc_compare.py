"""Where two EPCs differ
=====================

Two Expected Performance Curves, shaded where one system is significantly better than the other.
"""

import sys
from pathlib import Path

import fairtrial as ft
from fairtrial.figures import FIGURES, write_picture

lp1 = ft.benchmark.load_lausanne().sets[0]
alphas = ft.evaluation.alpha_grid(91, low=0.05, high=0.95)
a, b = (ft.performance_curve(lp1.dev, lp1.test, system=s, alphas=alphas) for s in ("(DCTs,MLP)", "(DCTs,GMM)"))
comparison = ft.compare_curves(a, b)
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
write_picture(
    FIGURES["epc-compare"].draw(a, b, comparison),
    folder / "epc-compare.png",
    title="lausanne LP1: synthetic scores",
)
