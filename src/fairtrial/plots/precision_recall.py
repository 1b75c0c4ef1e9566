"""Precision against recall, the break-even points, and the point at which each system would really work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fairtrial.claims import GIVEN
from fairtrial.curves import PrecisionRecallCurve, precision_recall_curve
from fairtrial.errors import ParameterError
from fairtrial.folds import Block
from fairtrial.formats.frames import TrialsLike
from fairtrial.intervals.judged import judged_interval
from fairtrial.intervals.rates import RateInterval
from fairtrial.judging import Judgement
from fairtrial.people import Cluster
from fairtrial.plots.operating import judge_systems
from fairtrial.plots.style import GREY, axes_for, in_percent, legend_below, legible, look
from fairtrial.rules.break_even import BreakEvenPoint, break_even_point
from fairtrial.rules.criteria import CriterionLike
from fairtrial.rules.measures import f1
from fairtrial.tables import level_text, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True, eq=False)
class JudgedPrecision:
    """Precision and recall of one system on test, its break-even point there (a posteriori), and the a-priori point."""

    system: str
    curve: PrecisionRecallCurve
    break_even: BreakEvenPoint
    judgement: Judgement
    precision: RateInterval
    recall: RateInterval


def judged_precision(
    dev: TrialsLike,
    test: TrialsLike | None,
    *,
    blocks: Sequence[Block] = (),
    systems: Sequence[str] | None = None,
    criterion: CriterionLike = "break-even",
    alpha: float | None = None,
    confidence: float = 0.95,
    cluster: Cluster | None = None,
    max_points: int = 2000,
) -> tuple[JudgedPrecision, ...]:
    """Prepare the figure of precision and recall of one or several systems.

    Parameters
    ----------
    dev : Trials or data frame
        The trials that thresholds are chosen on.
    test : Trials or data frame or None
        The trials that are judged; None where there are `blocks`. The curve is then that of the dev trials, and the
        point that of the held-out blocks, pooled.
    blocks : sequence of Block, default ()
        Which trials set the threshold for which; see `make_blocks`.
    systems : sequence of str, optional
        The names of the systems; all by default.
    criterion : str, Criterion, DetectionCosts or callable, default "break-even"
        How the threshold is chosen on dev: a name in `CRITERIA`, a criterion, detection costs, or a function
        ``C(far, frr, alpha)`` of arrays.
    alpha : float, optional
        The weight or the target that the criterion takes; 0.5 by default, but a criterion that aims at a target needs
        one.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.
    cluster : {"none", "claim", "subject", "both"}, optional
        What dependent trials share: the claimed identity, the subject, both or nothing; by default all ids that are
        known.
    max_points : int, default 2000
        At most so many points, for drawing, never for figures.

    Returns
    -------
    tuple of JudgedPrecision
        One entry per system.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, eqs. (4) and (8).

    Examples
    --------
    >>> from fairtrial import load_lausanne
    >>> lp1 = load_lausanne().sets[0]
    >>> (found,) = judged_precision(lp1.dev, lp1.test, systems=["(LFCC,GMM)"])
    >>> found.precision.low < found.precision.estimate < found.precision.high
    True
    """
    found = []
    for judgement in judge_systems(dev, test, blocks, systems, criterion, alpha, cluster):
        trials, system = judgement.trials, judgement.system
        curve = precision_recall_curve(trials, system=system, max_points=max_points)
        intervals = (
            judged_interval(judgement, measure=name, confidence=confidence) for name in ("precision", "recall")
        )
        found.append(JudgedPrecision(system, curve, break_even_point(trials, system=system), judgement, *intervals))
    return tuple(found)


def precision_recall_plot(
    curves: JudgedPrecision | Sequence[JudgedPrecision], *, low: float = 0.0, ax: Axes | None = None
) -> Axes:
    """Draw precision against recall, with the line where they are equal and the a-priori points.

    Hollow points are the break-even points on test; the threshold from dev leads to the filled ones.

    Parameters
    ----------
    curves : JudgedPrecision or sequence of JudgedPrecision
        Entries of `judged_precision`.
    low : float, default 0.0
        Where both axes begin, a fraction.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        Precision upward, recall to the right; fractions that are read in percent.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, eqs. (4) and (8), Fig. 1 for this pair.

    Examples
    --------
    >>> import numpy as np
    >>> import fairtrial as ft
    >>> genuine = np.arange(400) < 100
    >>> scores = np.random.default_rng(0).normal(np.outer(genuine, [1.5, 3.0]))
    >>> trials = ft.Trials.from_arrays(scores, genuine, systems=["old", "new"])
    >>> dev, test = (trials.rows(np.arange(start, 400, 2)) for start in (0, 1))
    >>> precision_recall_plot(judged_precision(dev, test)).get_xlabel()
    'recall (%)'
    """
    shown = (curves,) if isinstance(curves, JudgedPrecision) else tuple(curves)
    if not shown:
        raise ParameterError("there is no curve to draw")
    if not 0 <= low < 1:
        raise ParameterError(f"axes must begin at a fraction from 0 to below 1, not {low}")
    with axes_for(ax, (5.4, 5.2)) as own:
        own.plot([low, 1], [low, 1], color=GREY, linewidth=0.8, zorder=1, label="precision = recall")
        for number, curve in enumerate(shown):
            _draw(own, curve, number)
        own.set_xlim(low, 1)
        own.set_ylim(low, 1)
        own.set_aspect("equal")
        in_percent(own.xaxis, "recall")
        in_percent(own.yaxis, "precision")
        own.set_title(_headline(shown[0]))
        legend_below(own)
        return own


def _draw(ax: Axes, found: JudgedPrecision, number: int) -> None:
    """The curve, its break-even point, and the a-priori point with the intervals of precision and recall."""
    drawn, counts = look(number), found.judgement.at(0)
    line: dict[str, Any] = {"color": drawn.colour, "linestyle": drawn.line}
    # between two thresholds precision is no higher than at the one with the higher recall
    ax.plot(found.curve.recall, found.curve.precision, drawstyle="steps-post", **line)
    figures = f"break-even {percent(found.break_even.value)}, F1 {percent(f1(counts))}"
    ax.plot([], [], marker=drawn.marker, label=f"{legible(found.system)}: {figures}", **line)
    even = found.break_even.value
    ax.plot(even, even, drawn.marker, color=drawn.colour, markerfacecolor="white", markersize=6, zorder=3)
    reach = [
        [[max(own.estimate - own.low, 0.0)], [max(own.high - own.estimate, 0.0)]]
        for own in (found.recall, found.precision)
    ]
    ax.errorbar(
        found.recall.estimate,
        found.precision.estimate,
        xerr=reach[0],
        yerr=reach[1],
        color=drawn.colour,
        marker=drawn.marker,
        markeredgecolor="white",
        markersize=7,
        elinewidth=1.1,
        capsize=2.5,
        zorder=4,
    )


def _headline(found: JudgedPrecision) -> str:
    own = found.judgement.sets.provenance
    rule = found.judgement.criterion.described(float(found.judgement.alpha[0]))
    return (
        f"curves, break-even points: a posteriori, on {own.curves}\n"
        f"points, F1: on {own.judged}, {own.kind}, threshold by {rule} {own.chosen}\n"
        f"{level_text(found.precision.confidence)} intervals, {GIVEN[found.precision.threshold]}"
    )
