"""Scores of two systems
=====================

The scores of a face and a speech system, a seeded subsample of them, with the Gaussian of each class.
"""

import sys
from pathlib import Path

import fairtrial as ft
from fairtrial.figures import FIGURES, scatter_data, write_picture

lp1 = ft.benchmark.load_lausanne().sets[0]
face, speech = "(DCTs,GMM)", "(PAC,GMM)"
data = scatter_data(lp1.test, face, speech, points=400, rng=1)
thresholds = {s: float(ft.rules.choose_thresholds(lp1.dev, "eer", 0.5, system=s).threshold[0]) for s in (face, speech)}
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
write_picture(
    FIGURES["scatter"].draw(data, thresholds=thresholds, chosen="by eer on dev"),
    folder / "scatter.png",
    title="lausanne LP1: synthetic scores",
)
