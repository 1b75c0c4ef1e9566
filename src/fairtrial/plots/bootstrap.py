"""The histogram of a bootstrapped difference, with its bounds and zero."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fairtrial.claims import GIVEN_ALONG
from fairtrial.comparison import PairComparison
from fairtrial.intervals.bootstrap import BootstrapMethod
from fairtrial.plots.style import GREY, PALE, axes_for, in_percent, legend_below, legible, look
from fairtrial.tables import Terms, level_text, p_phrase, translate

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def bootstrap_plot(
    pair: PairComparison,
    *,
    measure: str = "HTER",
    method: BootstrapMethod | None = None,
    bins: int = 40,
    terms: Terms = "default",
    ax: Axes | None = None,
) -> Axes:
    """Draw the replicates of the difference A - B, the bounds of its interval, the estimate and zero.

    Parameters
    ----------
    pair : PairComparison
        One of the pairs of `compare`.
    measure : str, default "HTER"
        What is compared, for the axis.
    method : {"percentile", "centred", "bc", "bca"}, optional
        How the interval is made of the replicates; ``centred`` is the paper's, and the default where people were
        resampled, whose replicates have no other. Where trials were, the default is ``percentile``.
    bins : int, default 40
        How many bars.
    terms : {"default", "iso"}, default "default"
        The names of error rates: FAR and FRR, or FMR and FNMR as in ISO/IEC 19795-1 (``iso``).
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Raises
    ------
    ParameterError
        A method that is not known, or percentiles of people that were resampled.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, Fig. 6.

    Examples
    --------
    >>> import numpy as np
    >>> import fairtrial as ft
    >>> genuine = np.arange(400) < 100
    >>> scores = np.random.default_rng(0).normal(np.outer(genuine, [1.5, 3.0]))
    >>> trials = ft.Trials.from_arrays(scores, genuine, systems=["old", "new"])
    >>> dev, test = (trials.rows(np.arange(start, 400, 2)) for start in (0, 1))
    >>> pair = ft.compare(dev, test, n_resamples=200).pairs[0]
    >>> bootstrap_plot(pair).get_xlabel()
    'HTER of old minus HTER of new (%)'
    """
    found = pair.replicates
    method = method or found.method
    low, high = found.interval(confidence=pair.confidence, method=method)
    with axes_for(ax) as own:
        weights = np.full(len(found.replicates), 1 / len(found.replicates))
        own.hist(found.replicates, bins=bins, weights=weights, color=PALE, edgecolor=GREY, linewidth=0.5)
        tails = "" if found.degrees is None else ", with the tails of Student's t"
        for number, bound in enumerate((low, high) if found.moves else ()):
            label = f"{level_text(pair.confidence)} interval, {method}{tails}" if number == 0 else None
            own.axvline(bound, color=look(0).colour, linewidth=2.6, label=label)
        own.axvline(found.estimate, color=look(1).colour, linestyle=look(1).line, label="estimate")
        own.axvline(0, color="black", linestyle=":", label="no difference")
        label = translate(measure, terms)
        difference = f"{label} of {legible(pair.a)} minus {label} of {legible(pair.b)}"
        if pair.headline.is_share:
            in_percent(own.xaxis, difference)
        else:
            own.set_xlabel(difference)
        in_percent(own.yaxis, "share of replicates")
        inside = "0 lies within: no difference shown" if low <= 0 <= high else "0 lies outside: they differ"
        if not found.moves:
            inside = "all are alike: they tell nothing of chance"
        leading = pair.headline
        own.set_title(
            f"{len(found.replicates):,} bootstrap replicates on test\n"
            f"{inside}, {GIVEN_ALONG['fixed']}\n"
            f"{leading.test} test, {GIVEN_ALONG[leading.threshold]}: {p_phrase(leading.p_value)}"
        )
        legend_below(own)
        return own
