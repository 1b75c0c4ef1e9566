"""People by their number of errors, observed and as models expect them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fairtrial.errors import ParameterError
from fairtrial.individuals import FitTest
from fairtrial.plots.style import GREY, axes_for, legend_below, look
from fairtrial.tables import p_phrase

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LEAST = 0.2
"""People: what is expected to be fewer is below the axis."""


def fit_plot(found: FitTest, *, ax: Axes | None = None) -> Axes:
    """Draw how many people made 0, 1, ... errors, and how many the models expect to, on a logarithmic scale.

    Parameters
    ----------
    found : FitTest
        The result of `fit_test`.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Raises
    ------
    ParameterError
        A test in which nothing tells the correlation, so that there is nothing expected.

    References
    ----------
    Schuckers et al., A comparison of statistical methods for evaluating matching performance, 2004, section 5, which
    asks which of the two distributions data follow.

    Examples
    --------
    >>> import fairtrial as ft
    >>> people = ft.Individuals.from_counts([0, 0, 0, 1, 0, 2, 0, 0, 5, 1], 5)
    >>> fit_plot(ft.fit_test(people, n_resamples=2)).get_yscale()
    'log'
    """
    from matplotlib.ticker import MaxNLocator

    models = [model for model in found.models if np.isfinite(model.expected).all()]
    if not models:
        raise ParameterError(
            "there is no model to draw: there must be errors, attempts without error and people who were tested twice"
        )
    likely = np.max([model.expected for model in models], axis=0) >= _LEAST
    last = int(np.flatnonzero((found.observed > 0) | likely)[-1])
    errors = np.arange(last + 1)
    with axes_for(ax) as own:
        own.bar(errors, found.observed[: last + 1], color=GREY, alpha=0.45, width=0.8, label="observed")
        for number, model in enumerate(models):
            drawn = look(number)
            own.plot(
                errors,
                model.expected[: last + 1],
                color=drawn.colour,
                linestyle=drawn.line,
                marker=drawn.marker,
                markersize=5.5,
                label=f"{model.fit.model}: rho {model.fit.rho:.3g}, {p_phrase(model.p_value)}",
            )
        own.set_yscale("log")
        own.set_ylim(_LEAST, None)
        own.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        own.xaxis.set_major_locator(MaxNLocator(integer=True))
        own.set_xlabel("errors of a person")
        own.set_ylabel("people")
        own.set_title(f"{found.individuals:,} people by their number of errors; a small p: the model does not fit")
        legend_below(own)
        return own
