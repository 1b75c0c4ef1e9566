"""People against attempts
=======================

The trade-off of a planned test: more people, or more attempts of each.
"""

import sys
from pathlib import Path

import fairtrial as ft
from fairtrial.figures import FIGURES, write_picture

plan = ft.plan_rate(0.02, 0.1, half_width=0.005, person_cost=10)
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
write_picture(FIGURES["plan"].draw(plan), folder / "plan.png")
