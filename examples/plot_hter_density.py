"""Density of an HTER
==================

The normal density of an HTER, with the area of its interval: Fig. 1 of Bengio & Mariéthoz, 2004.
"""

import sys
from pathlib import Path

from fairtrial.figures import FIGURES, hter_density, write_picture

data = hter_density(far=0.01, frr=0.02, impostor=112000, genuine=400)
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
write_picture(FIGURES["hter-density"].draw(data), folder / "hter-density.png")
