"""Bounds from published EERs
==========================

The significance of differences between five published EERs: example 3 of EERB.
"""

import sys
from pathlib import Path

import fairtrial as ft
from fairtrial.figures import FIGURES, write_picture

eers = {"TAN": 0.0057, "DAUGMAN": 0.0008, "MA": 0.0007, "YAO": 0.0028, "BASTYS": 0.0}
bounds = ft.published.bounds_from_eers(eers, trials=285_390, eer_m=0.0058)
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
write_picture(FIGURES["eer-bound"].draw(bounds), folder / "eer-bound.png")
