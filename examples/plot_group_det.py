"""DET curves of groups
====================

DET curves of groups, with the point of each at the one threshold from all dev trials.
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
    FIGURES["group-det"].draw(found, groups=["A", "C", "D"]),
    folder / "group-det.png",
    title="synthetic groups: the FAR of C is four times that of the others",
)
