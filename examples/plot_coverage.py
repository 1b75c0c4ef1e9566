"""Map of a coverage study
=======================

The map of a coverage study, simulated here: pi and rho of the paper, four n and m, 100 data sets a cell.
"""

import sys
from pathlib import Path

import fairtrial as ft
from fairtrial.figures import FIGURES, write_picture

grid = ft.repeated.Grid((100, 1000, 10_000, 100_000), (2, 8, 15, 30), ft.repeated.PAPER.pi, ft.repeated.PAPER.rho)
study = ft.repeated.coverage_study(grid, methods=["dr", "bp", "sb", "bb", "lbb", "brr"], data_sets=100)
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
write_picture(FIGURES["coverage"].draw(study.rows), folder / "coverage.png")
