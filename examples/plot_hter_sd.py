"""The effect of more impostor trials
==================================

The standard deviation of an HTER hardly decreases with more impostor trials: HTER Fig. 3.
"""

import sys
from pathlib import Path

from fairtrial.figures import FIGURES, hter_deviations, write_picture

found = hter_deviations(far=0.1, frr=0.2, genuine=100)
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
write_picture(FIGURES["hter-sd"].draw(found), folder / "hter-sd.png")
