"""The hook paradox
================

The hook paradox: with more attempts of the same people, coverage first rises and then falls.
"""

import sys
from pathlib import Path

import fairtrial as ft
from fairtrial.figures import FIGURES, write_picture

grid = ft.repeated.Grid(n=(500,), m=ft.repeated.PAPER.m, pi=(0.001,), rho=(0.4,))
study = ft.repeated.coverage_study(grid, data_sets=5000)
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
write_picture(
    FIGURES["hook"].draw(study.rows, data_sets=5000),
    folder / "hook.png",
)
