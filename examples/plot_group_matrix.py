"""FAR by pair of groups
=====================

The FAR by the group of the claim and that of the impostor, on a log scale of colours.
"""

import sys
from pathlib import Path

import fairtrial as ft
from fairtrial.figures import FIGURES, write_picture

sizes = {"A": 120, "B": 80, "C": 60, "D": 40, "E": 8}
data = ft.groups.synthetic_groups(sizes, worse={"C": 4.0}, impostors=40, rng=2)
found = ft.evaluate_groups(data.dev, data.test, by="group", impostor_by="impostor_group")
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
write_picture(
    FIGURES["group-matrix"].draw(found),
    folder / "group-matrix.png",
    title="synthetic groups: the FAR of C is four times that of the others",
    width=6.0,
    height=4.8,
    dpi=100,
)
