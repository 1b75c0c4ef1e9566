"""Doddington's zoo
================

Doddington's zoo: the mean scores of every client, with goats and lambs by name.
"""

import sys
from pathlib import Path

import fairtrial as ft
from fairtrial.figures import FIGURES, write_picture, zoo_data

lp1 = ft.benchmark.load_lausanne().sets[0]
zoo = zoo_data(lp1.test, system="(LFCC,GMM)")
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
write_picture(
    FIGURES["zoo"].draw(zoo),
    folder / "zoo.png",
    title="lausanne LP1: synthetic scores",
)
