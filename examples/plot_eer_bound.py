"""What five published EERs say about significance: example 3 of EERB."""

import sys
from pathlib import Path

import fairtrial as ft
from fairtrial.plots import eer_bound_plot, write_picture

bounds = ft.bounds_from_eers([0.0057, 0.0008, 0.0007, 0.0028, 0.0], trials=285_390)
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
write_picture(lambda figure: eer_bound_plot(bounds, p_value=0.01, ax=figure.add_subplot()), folder / "eer-bound.png")
