"""Correlations of systems
=======================

Eight systems, correlated within genuine and within impostor trials.
"""

import sys
from pathlib import Path

import fairtrial as ft
from fairtrial.figures import FIGURES, write_picture

lp1 = ft.benchmark.load_lausanne().sets[0]
found = ft.fusion.system_correlations(lp1.dev)
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
write_picture(
    FIGURES["correlation"].draw(found),
    folder / "correlation.png",
    title="lausanne LP1: synthetic scores",
)
