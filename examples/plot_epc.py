"""Expected Performance Curves
===========================

Expected Performance Curves of three systems, with simultaneous bands, and points at alpha 0.5.
"""

import sys
from pathlib import Path

import fairtrial as ft
from fairtrial.figures import FIGURES, write_picture

lp1 = ft.benchmark.load_lausanne().sets[0]
systems = ["(LFCC,GMM)", "(DCTs,MLP)", "(PAC,GMM)"]
alphas = ft.evaluation.alpha_grid(91, low=0.05, high=0.95)
curves = [ft.performance_curve(lp1.dev, lp1.test, system=name, alphas=alphas) for name in systems]
bands = {curve.system: ft.evaluation.curve_band(curve, kind="simultaneous") for curve in curves}
points = [ft.evaluate(lp1.dev, lp1.test, systems=name, criterion="wer-min") for name in systems]
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
write_picture(
    FIGURES["epc"].draw(curves, bands=bands, points=points),
    folder / "epc.png",
    title="lausanne LP1: synthetic scores",
)
