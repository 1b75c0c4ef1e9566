"""Pooled EPCs of a benchmark
==========================

Pooled Expected Performance Curves of the 32 pairs of FP-2, fused by the mean, group by group.
"""

import sys
from pathlib import Path

import fairtrial as ft
from fairtrial.figures import pooled_epc_plot, write_picture

result = ft.run_benchmark(ft.load_benchmark("lausanne"), protocol="fp-2", fusion="mean", normalise="z")
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
write_picture(lambda figure: pooled_epc_plot(result, ax=figure.add_subplot()), folder / "pooled-epc.png", dpi=105)
