"""Expected Performance Curves of groups
=====================================

Expected Performance Curves of groups: at every alpha one threshold from all dev trials, errors of the group.
"""

import sys
from pathlib import Path

import fairtrial as ft
from fairtrial.figures import FIGURES, write_picture
from fairtrial.groups import group_curves

sizes = {"A": 120, "B": 80, "C": 60, "D": 40, "E": 8}
data = ft.groups.synthetic_groups(sizes, worse={"C": 4.0}, impostors=40, rng=2)
found = ft.evaluate_groups(data.dev, data.test, by="group", resample="test")
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
write_picture(
    FIGURES["group-epc"].draw(group_curves(found)),
    folder / "group-epc.png",
    title="synthetic groups: the FAR of C is four times that of the others",
)
