"""Score diagnostic
================

The score diagnostic of one system: densities, error rates, the weighted error rate and the DET curve.
"""

import sys
from pathlib import Path

import fairtrial as ft
from fairtrial.figures import FIGURES, diagnostics, write_picture

lp1 = ft.benchmark.load_lausanne().sets[0]
found = diagnostics(lp1.dev, lp1.test, systems=["(PAC,GMM)"])
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
write_picture(
    FIGURES["diagnostic"].draw(found),
    folder / "diagnostic.png",
    title="lausanne LP1, (PAC,GMM): synthetic scores",
)
