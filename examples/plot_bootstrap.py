"""A bootstrapped difference
=========================

The bootstrapped difference of two HTERs, people resampled, with its bounds and zero.
"""

import sys
from pathlib import Path

import fairtrial as ft
from fairtrial.figures import FIGURES, write_picture

lp1 = ft.benchmark.load_lausanne().sets[0]
(pair,) = ft.compare(lp1.dev, lp1.test, systems=["(DCTs,GMM)", "(DCTs,MLP)"]).pairs
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
write_picture(
    FIGURES["bootstrap"].draw(pair),
    folder / "bootstrap.png",
    title="lausanne LP1: synthetic scores",
)
