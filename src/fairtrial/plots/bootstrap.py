"""The histogram of a bootstrapped difference, with its bounds and zero."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fairtrial.claims import GIVEN_ALONG
from fairtrial.comparison import PairComparison
from fairtrial.intervals.bootstrap import BootstrapMethod
from fairtrial.plots.style import GREY, PALE, axes_for, in_percent, legend_below, legible, look
from fairtrial.tables import Terms, p_phrase, translate

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def bootstrap_plot(
    pair: PairComparison,
    *,
    measure: str = "HTER",
    method: BootstrapMethod = "percentile",
    bins: int = 40,
    terms: Terms = "default",
    ax: Axes | None = None,
) -> Axes:
    """Draw the replicates of the difference A - B, the bounds of its interval, the estimate and zero.

    Parameters
    ----------
    pair
        One of the pairs of `compare`.
    measure
        What was compared, for the axis.
    method
        How the interval is made of the replicates; ``centred`` is the paper's.
    terms
        ``iso`` calls error rates FMR and FNMR.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, Fig. 6.
    """
    found = pair.replicates
    low, high = found.interval(confidence=pair.confidence, method=method)
    with axes_for(ax) as own:
        weights = np.full(len(found.replicates), 1 / len(found.replicates))
        own.hist(found.replicates, bins=bins, weights=weights, color=PALE, edgecolor=GREY, linewidth=0.5)
        for number, bound in enumerate((low, high)):
            label = f"{100 * pair.confidence:g} % interval, {method}" if number == 0 else None
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
        leading = pair.headline
        own.set_title(
            f"{len(found.replicates):,} bootstrap replicates on test, thresholds fixed\n"
            f"{inside}, given these thresholds\n"
            f"{leading.test} test, {GIVEN_ALONG[leading.threshold]}: {p_phrase(leading.p_value)}"
        )
        legend_below(own)
        return own
