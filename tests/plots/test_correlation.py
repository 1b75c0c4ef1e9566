"""Correlations of systems as two maps."""

import numpy as np
from matplotlib.figure import Figure

from fairtrial import Trials, system_correlations
from fairtrial.plots import correlation_plot


def test_maps_show_both_classes_and_their_numbers(test: Trials) -> None:
    found = system_correlations(test)
    figure = Figure()
    correlation_plot(found, figure=figure)
    genuine, impostor, _bar = figure.axes
    for ax, part, word in ((genuine, found.genuine, "genuine"), (impostor, found.impostor, "impostor")):
        np.testing.assert_array_equal(ax.images[0].get_array(), part.correlation)
        assert ax.get_title() == f"within {part.trials:,} {word} trials"
        texts = [text.get_text().replace("\N{MINUS SIGN}", "-") for text in ax.texts]
        assert texts == [f"{value:.2f}".replace("-0.00", "0.00") for value in part.correlation.ravel()]
