"""Draw DET, ROC and precision-recall curves with operating points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fairtrial.core.errors import ParameterError, TrialsError
from fairtrial.core.notes import Note
from fairtrial.core.trials import Trials, TrialsLike, trials_of
from fairtrial.core.words import level_text, percent, term
from fairtrial.counting.tallies import ErrorCounts
from fairtrial.evaluation.roc import PrecisionRecallCurve, RocCurve, precision_recall_curve, roc_curve
from fairtrial.figures.axes import DET_TICKS, Range, det_limits, probit, probit_inverse
from fairtrial.figures.style import Pen, axes_for, how_chosen, legible, look, several
from fairtrial.figures.table import Drawn
from fairtrial.inference.decide import Judgement, judge
from fairtrial.inference.estimates import GIVEN, judged_interval
from fairtrial.inference.folds import Block
from fairtrial.inference.intervals import RateInterval
from fairtrial.inference.people import Cluster
from fairtrial.inference.split import PROVENANCES, Kind, TrialSets
from fairtrial.rules.criteria import Criterion, CriterionLike, as_criterion
from fairtrial.rules.eer import BreakEvenPoint, EerDefinition, EqualErrorRate, break_even_point, equal_error_rate
from fairtrial.rules.measures import f1

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """Errors on test at the threshold from dev, and the intervals of both rates."""

    threshold: float
    counts: ErrorCounts
    far: RateInterval
    frr: RateInterval
    criterion: Criterion
    kind: Kind

    @property
    def chosen(self) -> str:
        """How the threshold was chosen, in words."""
        return how_chosen(self.kind, self.criterion)

    @property
    def described(self) -> str:
        """The provenance of points and curves, in words."""
        return provenance_words(self.kind, self.chosen, self.far, "EER", "HTER")


def provenance_words(kind: Kind, chosen: str, interval: RateInterval, equal: str, rate: str) -> str:
    """Say where curves and points come from, whose rates are equal, and what points show."""
    origin = PROVENANCES[kind]
    return (
        f"Curves and {equal}: a posteriori, on {origin.curves}. Points and {rate}: on {origin.judged}, {origin.kind}, "
        f"{chosen}, with {level_text(interval.confidence)} intervals, {GIVEN[interval.threshold]}."
    )


@dataclass(frozen=True, slots=True, eq=False)
class OperatingCurve:
    """The ROC of one system on test, its EER there (both a posteriori), and the a-priori point."""

    system: str
    roc: RocCurve
    eer: EqualErrorRate
    point: OperatingPoint
    notes: tuple[Note | str, ...] = ()
    """Of the trials and of the threshold."""

    @property
    def label(self) -> str:
        """The entry of the legend; an EER by another definition than the usual one has its name."""
        name = "EER" if self.eer.definition == "step-mean" else f"EER ({self.eer.definition})"
        return f"{legible(self.system)}: {name} {percent(self.eer.value)}, HTER {percent(self.point.counts.hter)}"


def operating_curves(
    dev: TrialsLike,
    test: TrialsLike | None,
    *,
    blocks: Sequence[Block] = (),
    systems: Sequence[str] | None = None,
    criterion: CriterionLike = "eer",
    alpha: float | None = None,
    confidence: float = 0.95,
    cluster: Cluster | None = None,
    eer: EerDefinition = "step-mean",
    max_points: int = 2000,
) -> tuple[OperatingCurve, ...]:
    """Prepare ROC and DET figures of one or several systems.

    Parameters
    ----------
    dev : Trials or data frame
        The trials that thresholds are chosen on.
    test : Trials or data frame or None
        The trials that are judged; None with `blocks`. The curve is then that of the dev trials, and the
        point that of the held-out blocks, pooled.
    blocks : sequence of Block, default ()
        Which trials set the threshold for which; see `make_blocks`.
    systems : sequence of str, optional
        The names of the systems; all by default.
    criterion : str, Criterion, DetectionCosts or callable, default "eer"
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
    eer : {"step-mean", "step-low", "step-high", "interpolated", "rocch"}, default "step-mean"
        The definition of the equal error rate; see `equal_error_rate`.
    max_points : int, default 2000
        The largest number of points of a curve that is drawn; counts and rates use all trials.

    Returns
    -------
    tuple of OperatingCurve
        One entry per system: the curve, the point of the threshold from dev, and the EER.

    Raises
    ------
    TrialsError
        If systems of dev and test differ, or there are neither test trials nor blocks.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, Figs. 1 and 2.

    Examples
    --------
    >>> from fairtrial.benchmark import load_lausanne
    >>> lp1 = load_lausanne().sets[0]
    >>> curves = operating_curves(lp1.dev, lp1.test, systems=["(LFCC,GMM)"])
    >>> round(curves[0].point.counts.hter, 4)
    0.0115
    """
    curves = []
    for judgement in judge_systems(dev, test, blocks, systems, criterion, alpha, cluster):
        far, frr = (judged_interval(judgement, measure=name, confidence=confidence) for name in ("far", "frr"))
        curves.append(operating_curve(judgement, far, frr, eer=eer, max_points=max_points))
    return tuple(curves)


def operating_curve(
    judgement: Judgement,
    far: RateInterval,
    frr: RateInterval,
    *,
    eer: EerDefinition,
    max_points: int = 2000,
    name: str = "",
) -> OperatingCurve:
    """Compute the curve of judged trials, and put the point on it that was judged."""
    trials, system = judgement.trials, judgement.system
    threshold = float((judgement.dev or judgement.test).threshold[0])
    return OperatingCurve(
        name or system,
        roc_curve(trials, system=system, max_points=max_points),
        equal_error_rate(trials, system=system, definition=eer),
        OperatingPoint(threshold, judgement.at(0), far, frr, judgement.criterion, judgement.kind),
        (*judgement.sets.notes, *judgement.notes),
    )


def judge_systems(
    dev: TrialsLike,
    test: TrialsLike | None,
    blocks: Sequence[Block],
    systems: Sequence[str] | None,
    criterion: CriterionLike,
    alpha: float | None,
    cluster: Cluster | None,
) -> list[Judgement]:
    """Judge each system, all of them by default, on test or on the held-out blocks of dev."""
    if test is None and not blocks:
        raise TrialsError("without test trials the dev trials must be cut into blocks", code="no-test-trials")
    dev = trials_of(dev, "dev")
    judged = dev if test is None else trials_of(test, "test")
    sets = TrialSets(dev, judged, cluster, blocks=blocks)
    rule = as_criterion(criterion)
    return [
        judge(sets, system=system, criterion=rule, alphas=rule.resolve_alpha(alpha))
        for system in (judged.systems if systems is None else systems)
    ]


def only_system(dev: Trials) -> str:
    """Give the name of the only system, or raise an error."""
    if len(dev.systems) != 1:
        text = "the figure is of one system, not {names:list}; choose it with {systems!p}"
        raise ParameterError(text, code="systems", names=dev.systems, systems=0)
    return dev.systems[0]


def evaluated_curves(result: Any) -> Drawn:
    """Give the curves of evaluated systems, with their points; those of a fusion, too."""
    systems = (
        (result.evaluation, *result.baselines)
        if hasattr(result, "baselines")
        else getattr(result, "systems", (result,))
    )
    curves = [
        operating_curve(each.judgement, each.interval("far"), each.interval("frr"), eer=each.eer_definition)
        for each in systems
    ]
    return Drawn((curves,))


def det_plot(curves: OperatingCurve | Sequence[OperatingCurve], *, ax: Axes | None = None) -> Axes:
    """Draw DET curves; data are fractions, the axes are probit scales read in percent.

    Parameters
    ----------
    curves : OperatingCurve or sequence of OperatingCurve
        Curves of `operating_curves`. Each a-priori point comes with the intervals of its FAR and its FRR; a rate of 0
        or 1, which these axes do not have, is on their edge.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    References
    ----------
    Martin et al., The DET curve in assessment of detection task performance, 1997; Poh & Bengio,
    Database, protocols and tools for evaluating score-level fusion, 2006, Fig. 3 (d).

    Examples
    --------
    >>> import fairtrial as ft
    >>> data = ft.groups.synthetic_groups({"a": 20, "b": 20})
    >>> det_plot(operating_curves(data.dev, data.test)).get_xlabel()
    'FAR (%)'
    """
    from matplotlib.ticker import FixedLocator, NullLocator

    systems = several(curves)
    caption = f"DET curves. {systems[0].point.described} Arrowheads: intervals that leave the axes."
    with axes_for(ax, "det", caption) as (axes, pen):
        limits = det_limits(
            [(curve.roc.far, curve.roc.frr) for curve in systems],
            [(float(curve.point.counts.far), float(curve.point.counts.frr)) for curve in systems],
        )
        axes.set_xscale("function", functions=(probit, probit_inverse))
        axes.set_yscale("function", functions=(probit, probit_inverse))
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_locator(FixedLocator(DET_TICKS))
            axis.set_minor_locator(NullLocator())
        pen.rates("x", term("FAR"))
        pen.rates("y", term("FRR"))
        axes.set_xlim(*limits.far)
        axes.set_ylim(*limits.frr)
        pen.diagonal(max(limits.far[0], limits.frr[0]), limits.far[1])
        _draw_curves(pen, systems, limits.far, limits.frr)
        pen.explain(systems[0].point.chosen, marker="o")
        return axes


def _draw_curves(pen: Pen, curves: Sequence[OperatingCurve], far: Range = (0.0, 1.0), frr: Range = (0.0, 1.0)) -> None:
    """Draw each curve, and its a-priori point, on the edge if it is beyond the axes."""
    for number, curve in enumerate(curves):
        pen.line(number, curve.roc.far, curve.roc.frr, drawstyle="steps-pre")
        pen.line(number, [], [], curve.label, marker=look(number).marker)
        point = curve.point
        x, y = min(max(float(point.counts.far), far[0]), far[1]), min(max(float(point.counts.frr), frr[0]), frr[1])
        across, up = point.far.interval, point.frr.interval
        bars = pen.point(number, x, y, across=across, up=up, floors=(far[0], frr[0]))
        if x in far or y in frr:
            bars.lines[0].set_clip_on(False)  # on the edge, and whole


_ROOM = 3.0
"""The axes of a ROC reach this many times as far as the largest EER."""


def roc_plot(
    curves: OperatingCurve | Sequence[OperatingCurve],
    *,
    limit: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw ROC curves as errors, FRR against FAR, with the EER line and the a-priori points.

    Hollow points are where FAR and FRR are nearest on test; the threshold from dev leads to the filled ones.

    Parameters
    ----------
    curves : OperatingCurve or sequence of OperatingCurve
        Curves of `operating_curves`.
    limit : float, optional
        Up to which rate the axes reach; by default as far as the points need.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, Figs. 1 and 2.

    Examples
    --------
    >>> import fairtrial as ft
    >>> data = ft.groups.synthetic_groups({"a": 20, "b": 20})
    >>> roc_plot(operating_curves(data.dev, data.test), limit=0.5).get_xlabel()
    'FAR (%)'
    """
    systems = several(curves)
    if limit is not None and not 0 < limit <= 1:
        text = "{limit!p} must be a fraction above 0 and at most 1, not {given}"
        raise ParameterError(text, code="limit", given=limit)
    if limit is None:
        farthest = max(max(curve.point.far.high, curve.point.frr.high) for curve in systems)
        limit = min(1.0, max(_ROOM * max(curve.eer.value for curve in systems), 1.15 * farthest, 0.001))
    with axes_for(ax, "roc", f"ROC curves as errors. {systems[0].point.described}") as (axes, pen):
        _draw_curves(pen, systems)
        for number, curve in enumerate(systems):
            on_diagonal = curve.eer.definition in ("interpolated", "rocch")
            far, frr = (curve.eer.value,) * 2 if on_diagonal else (curve.eer.counts.far, curve.eer.counts.frr)
            pen.hollow_point(number, float(far), float(frr))
        _explain_square(pen, (0, limit), term("FAR"), term("FRR"), systems[0].point.chosen, "EER")
        return axes


def _explain_square(pen: Pen, ends: Range, across: str, up: str, chosen: str, equal: str) -> None:
    """Label axes of equal length, and say what the line where both rates are equal and the points stand for."""
    pen.diagonal(*ends, f"{across} = {up}")
    pen.explain(chosen, marker="o")
    pen.explain(f"{equal} on test, a posteriori", marker="o", markerfacecolor="white")
    pen.axes.set(xlim=ends, ylim=ends, aspect="equal")
    pen.rates("x", across)
    pen.rates("y", up)


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
        The trials that are judged; None with `blocks`. The curve is then that of the dev trials, and the
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
        The largest number of points of a curve that is drawn; counts and rates use all trials.

    Returns
    -------
    tuple of JudgedPrecision
        One entry per system.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, eqs. (4) and (8).

    Examples
    --------
    >>> from fairtrial.benchmark import load_lausanne
    >>> lp1 = load_lausanne().sets[0]
    >>> (curve,) = judged_precision(lp1.dev, lp1.test, systems=["(LFCC,GMM)"])
    >>> curve.precision.low < curve.precision.estimate < curve.precision.high
    True
    """
    curves = []
    for judgement in judge_systems(dev, test, blocks, systems, criterion, alpha, cluster):
        trials, system = judgement.trials, judgement.system
        curve = precision_recall_curve(trials, system=system, max_points=max_points)
        precision, recall = (
            judged_interval(judgement, measure=name, confidence=confidence) for name in ("precision", "recall")
        )
        even = break_even_point(trials, system=system)
        curves.append(JudgedPrecision(system, curve, even, judgement, precision, recall))
    return tuple(curves)


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
    >>> import fairtrial as ft
    >>> data = ft.groups.synthetic_groups({"a": 20, "b": 20})
    >>> precision_recall_plot(judged_precision(data.dev, data.test)).get_xlabel()
    'Recall (%)'
    """
    systems = several(curves)
    if not 0 <= low < 1:
        raise ParameterError("{low!p} must be a fraction from 0 to below 1, not {given}", code="limit", given=low)
    judgement, interval = systems[0].judgement, systems[0].precision
    chosen = how_chosen(judgement.kind, judgement.criterion.described(float(judgement.alpha[0])))
    origin = provenance_words(judgement.kind, chosen, interval, "break-even points", "F1")
    with axes_for(ax, "precision-recall", f"Precision and recall. {origin}") as (axes, pen):
        for number, curve in enumerate(systems):
            even, precision, recall = curve.break_even.value, curve.precision, curve.recall
            # between two thresholds precision is no higher than at the one with the higher recall
            pen.line(number, curve.curve.recall, curve.curve.precision, drawstyle="steps-post")
            label = f"break-even {percent(even)}, F1 {percent(f1(curve.judgement.at(0)))}"
            pen.line(number, [], [], f"{legible(curve.system)}: {label}", marker=look(number).marker)
            pen.hollow_point(number, even, even)
            intervals = {"across": recall.interval, "up": precision.interval}
            pen.point(number, recall.estimate, precision.estimate, **intervals, floors=(low, low))
        _explain_square(pen, (low, 1), "Recall", "Precision", chosen, "break-even point")
        return axes
