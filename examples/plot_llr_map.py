"""From scores to log-likelihood ratios
====================================

From scores to log-likelihood ratios: the maps of two calibration methods, with bands by dev people.
"""

import sys
from pathlib import Path

import fairtrial as ft
from fairtrial.figures import FIGURES, write_picture

lp1 = ft.benchmark.load_lausanne().sets[0]
logistic = ft.calibrate(lp1.dev, lp1.test, systems=["(PAC,GMM)"])
steps = ft.calibrate(lp1.dev, lp1.test, systems=["(PAC,GMM)"], method="pav")
maps = [ft.calibration.llr_map(logistic), ft.calibration.llr_map(steps)]
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
write_picture(
    FIGURES["llr-map"].draw(maps),
    folder / "llr-map.png",
    title="lausanne LP1: synthetic scores",
)
