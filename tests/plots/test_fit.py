"""Observed and expected people as a figure."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.axes import Axes

from fairtrial import Individuals, ParameterError, draw_individuals, fit_test
from fairtrial.plots import fit_plot


def test_bars_are_observed_and_lines_expected(ax: Axes) -> None:
    errors = draw_individuals([8] * 100, 0.1, 0.2, generator="beta-binomial", rng=1)
    found = fit_test(Individuals.from_counts(errors, 8), n_resamples=5)
    fit_plot(found, ax=ax)
    heights = [patch.get_height() for patch in ax.patches]  # type: ignore[attr-defined]
    assert heights == np.bincount(errors, minlength=len(heights)).tolist()
    for line, model in zip(ax.lines, found.models, strict=True):
        assert np.asarray(line.get_ydata()) == pytest.approx(model.expected[: len(heights)])
        assert str(line.get_label()).startswith(model.fit.model)
    assert ax.get_yscale() == "log"


def test_nothing_to_draw_is_an_error(ax: Axes) -> None:
    with pytest.raises(ParameterError, match="no model to draw"):
        fit_plot(fit_test(Individuals.from_counts([0, 0, 0], 5), n_resamples=2), ax=ax)
