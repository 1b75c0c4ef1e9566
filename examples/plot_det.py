"""DET curves
==========

DET curves of four systems of the synthetic set lausanne, with their a-priori points at the threshold from dev.
"""

import sys
from pathlib import Path

import fairtrial as ft
from fairtrial.figures import FIGURES, operating_curves, write_picture

lp1 = ft.benchmark.load_lausanne().sets[0]
systems = ["(LFCC,GMM)", "(FH,MLP)", "(DCTs,GMM)", "(PAC,GMM)"]
curves = operating_curves(lp1.dev, lp1.test, systems=systems)
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
write_picture(
    FIGURES["det"].draw(curves),
    folder / "det.png",
    title="lausanne LP1: synthetic scores",
)
