"""Does a model fit?
=================

Observed and expected numbers of people by errors: data of Oman and Zucker's model, fitted by the beta-binomial.
"""

import sys
from pathlib import Path

import fairtrial as ft
from fairtrial.figures import FIGURES, write_picture

errors = ft.repeated.draw_individuals([12] * 400, pi=0.08, rho=0.3, generator="oman-zucker", rng=4)
found = ft.repeated.fit_test(ft.Individuals.from_counts(errors, 12), n_resamples=40)
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
write_picture(FIGURES["fit"].draw(found), folder / "fit.png")
