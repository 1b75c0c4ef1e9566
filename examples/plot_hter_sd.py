"""What more impostor trials are worth
===================================

Why more impostor trials do not make an HTER surer: the numbers of HTER Fig. 3.
"""

import sys
from pathlib import Path

from fairtrial.figures import FIGURES, hter_deviations, write_picture

found = hter_deviations(far=0.1, frr=0.2, genuine=100)
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
write_picture(FIGURES["hter-sd"].draw(found), folder / "hter-sd.png")
