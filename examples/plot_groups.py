"""Error rates by group
====================

Error rates by group, with simultaneous intervals: one group has four times the FAR.
"""

import sys
from pathlib import Path

import fairtrial as ft
from fairtrial.figures import FIGURES, write_picture

sizes = {"A": 120, "B": 80, "C": 60, "D": 40, "E": 8}
data = ft.groups.synthetic_groups(sizes, worse={"C": 4.0}, impostors=40, rng=2)
found = ft.evaluate_groups(data.dev, data.test, by="group")
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
write_picture(
    FIGURES["groups"].draw(found, sort="far"),
    folder / "groups.png",
    title="synthetic groups: the FAR of C is four times that of the others",
    width=7.6,
    height=3.6,
    dpi=100,
)
