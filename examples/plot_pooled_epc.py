"""Pooled EPCs of a benchmark
==========================

Pooled Expected Performance Curves of the 32 pairs of FP-2, fused by the mean, group by group.
"""

import sys
from pathlib import Path

import fairtrial as ft
from fairtrial.figures import FIGURES, write_picture

result = ft.run_benchmark(ft.load_benchmark("lausanne"), protocol="fp-2", fusions="mean", normalise="z")
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
write_picture(FIGURES["pooled-epc"].draw(result), folder / "pooled-epc.png")
