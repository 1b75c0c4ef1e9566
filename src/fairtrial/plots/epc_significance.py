"""Two Expected Performance Curves above the confidence that one is worse than the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fairtrial.claims import GIVEN_ALONG
from fairtrial.epc import PerformanceCurve
from fairtrial.errors import ParameterError
from fairtrial.plots.epc import how_judged
from fairtrial.plots.epc_compare import check_pair, draw_pair, spans
from fairtrial.plots.style import GREY, PALE, figure_for, in_percent, legend_below, legible
from fairtrial.significance.curves import CurveComparison
from fairtrial.tables import Terms

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from fairtrial.plots.style import Canvas

_LEVELS = (0.1, 0.5, 0.9)


def epc_significance_plot(
    a: PerformanceCurve,
    b: PerformanceCurve,
    comparison: CurveComparison,
    *,
    levels: Sequence[float] = _LEVELS,
    terms: Terms = "default",
    figure: Canvas | None = None,
) -> tuple[Axes, Axes]:
    """Draw two EPCs and, below, the confidence along alpha that A is worse.

    Parameters
    ----------
    a, b : PerformanceCurve
        Curves of the two systems, of the same measure.
    comparison : CurveComparison
        The result of `compare_curves` on them; with ``method="independent"`` it is eq. (14) of the paper below.
    levels : sequence of float, default (0.1, 0.5, 0.9)
        Lines across the lower panel. Beyond the first and the last the two-sided test is significant at twice the
        first: at 20 % for .1 and .9.
    terms : {"default", "iso"}, default "default"
        The names of error rates: FAR and FRR, or FMR and FNMR as in ISO/IEC 19795-1 (``iso``).
    figure : matplotlib.figure.Figure or SubFigure, optional
        Where to draw; a new figure by default.

    Returns
    -------
    tuple of matplotlib.axes.Axes
        The upper and the lower axes.

    References
    ----------
    Poh & Bengio, Database, protocols and tools for evaluating score-level fusion, 2006, Fig. 1.

    Examples
    --------
    >>> import numpy as np
    >>> import fairtrial as ft
    >>> genuine = np.arange(400) < 100
    >>> scores = np.random.default_rng(0).normal(np.outer(genuine, [1.5, 3.0]))
    >>> trials = ft.Trials.from_arrays(scores, genuine, systems=["old", "new"])
    >>> dev, test = (trials.rows(np.arange(start, 400, 2)) for start in (0, 1))
    >>> old, new = (
    ...     ft.performance_curve(dev, test, criterion="wer-equal", alphas=[0.4, 0.5, 0.6], system=name)
    ...     for name in ("old", "new")
    ... )
    >>> len(epc_significance_plot(old, new, ft.compare_curves(old, new)))
    2
    """
    check_pair(a, b, comparison)
    if not levels or not all(0 <= level <= 1 for level in levels):
        raise ParameterError(f"levels must be fractions between 0 and 1, not {list(levels)}")
    with figure_for(figure, (6.4, 6.2)) as own:
        upper, lower = own.subplots(2, 1, sharex=True, height_ratios=[3, 2])
        draw_pair(upper, a, b, terms)
        lower.set_xlabel(upper.get_xlabel())
        upper.set_xlabel("")
        upper.set_title(f"(a) EPC: {how_judged(a)}")
        lower.plot(comparison.alpha, comparison.worse, color="black")
        for level in levels:
            lower.axhline(level, color=GREY, linewidth=0.9, linestyle="-" if level == 0.5 else "--")
        outside = (comparison.worse < min(levels)) | (comparison.worse > max(levels))
        for low, high in spans(comparison.alpha, outside):
            lower.axvspan(low, high, color=PALE, alpha=0.6, linewidth=0, zorder=0)
        lower.set_ylim(-0.02, 1.02)
        lower.set_yticks(sorted({0.0, 1.0, *levels}))
        in_percent(lower.yaxis, "confidence")
        lines = [
            f"(b) confidence that {legible(a.system)} is worse than {legible(b.system)}, {comparison.test} test",
            f"{GIVEN_ALONG[comparison.threshold]}; "
            f"grey: beyond {' and '.join(f'{100 * level:g}' for level in (min(levels), max(levels)))} %",
            comparison.unclaimed,
        ]
        lower.set_title("\n".join(filter(None, lines)))
        legend_below(lower, of=upper)
        return upper, lower
