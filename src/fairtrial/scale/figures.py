"""Figures from counters: the threshold from dev, the errors on test, each with bounds that hold the exact figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fairtrial.checks import check_classes
from fairtrial.claims import Claim, counted_spread, local_weights
from fairtrial.counted_people import ClassName, CountedPeople
from fairtrial.counting.errors import ErrorCounts
from fairtrial.counting.search import hull_of_points
from fairtrial.curves import RocCurve, thinned_points
from fairtrial.epc import PerformanceCurve, rising_alphas
from fairtrial.errors import ParameterError
from fairtrial.evaluation import Evaluation
from fairtrial.evaluation.evaluating import by_name, design_effect_of, error_notes, measure_value, sharing_notes
from fairtrial.intervals.judged import claimed_interval
from fairtrial.intervals.rates import RateInterval, rate_interval
from fairtrial.people import Cluster
from fairtrial.rules.criteria import CRITERIA, CriterionLike, as_criterion
from fairtrial.rules.eer import EerDefinition, EqualErrorRate, where_equal
from fairtrial.rules.measures import MEASURES, Measure, MeasureLike, as_measure
from fairtrial.scale.axis import positions_of
from fairtrial.scale.bounds import Bounds, ErrorBoxes, bounded_choices, boxes_at, edge_points
from fairtrial.scale.cells import CountedCells
from fairtrial.scale.counter import Counter
from fairtrial.scale.results import RATES, BoundedCurve, BoundedEvaluation, FigureBounds, Series
from fairtrial.scale.sharing import watched_people
from fairtrial.spread import ClassSpread, Spread
from fairtrial.trial_sets import SAME_TRIALS, provenance_from_dev

GIVEN_THRESHOLD = (
    "a counter does not tell how far the threshold would move with other dev trials, so intervals and tests take it as "
    "given"
)
_INDEPENDENT = (
    "trials are taken as independent: a counter knows people only at thresholds that were given beforehand, with ids"
)


def evaluate_counted(
    dev: Counter,
    test: Counter,
    *,
    system: str | None = None,
    criterion: CriterionLike = "eer",
    alpha: float | None = None,
    measures: Sequence[MeasureLike] = (),
    confidence: float = 0.95,
    eer: EerDefinition = "step-mean",
) -> BoundedEvaluation:
    """Fix the threshold on the counts of dev and report the errors in the counts of test.

    Parameters
    ----------
    dev : Counter
        The trials that thresholds are chosen on, counted.
    test : Counter
        The trials that are judged, counted; of the same precision.
    system : str, optional
        The name of the system; not needed where there is only one.
    criterion : str, Criterion, DetectionCosts or callable, default "eer"
        How the threshold is chosen on dev: a name in `CRITERIA`, a criterion, detection costs, or a function
        ``C(far, frr, alpha)`` of arrays.
    alpha : float, optional
        The weight or the target that the criterion takes; 0.5 by default, but a criterion that aims at a target needs
        one.
    measures : sequence of str, Measure, DetectionCosts or callable, default ()
        Further figures on test, each with its interval: names in `MEASURES`, measures, detection costs, or functions of
        an `ErrorCounts`. Each must go one way with each kind of errors for its bounds to hold.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.
    eer : {"step-mean", "step-low", "step-high", "interpolated", "rocch"}, default "step-mean"
        The definition of the equal error rates that are reported besides; see `equal_error_rate`.

    Returns
    -------
    BoundedEvaluation
        The threshold is the end of a cell, and the errors there are exact on both sets. Beside each figure stand bounds
        that hold the figure that the scores themselves would give, with the threshold chosen among all of them.

    Raises
    ------
    ParameterError
        Counters of different precision, or a criterion that cells cannot bound.
    TrialsError
        A system that one of them does not have, or a class without trials.

    Notes
    -----
    At a threshold that the counter of test was given beforehand with ids, the interval knows which trials share
    people. So a first job counts dev, a second one counts test with the threshold that dev gave.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, Algorithm 1.

    Examples
    --------
    >>> dev, test = Counter(), Counter()
    >>> dev.update([0.9, 0.8, 0.4, 0.7, 0.1, 0.3, 0.5, 0.2, 0.6], [True] * 4 + [False] * 5)
    >>> test.update([0.85, 0.55, 0.45, 0.95, 0.35, 0.15, 0.65, 0.25, 0.42, 0.05, 0.5], [True] * 5 + [False] * 6)
    >>> found = evaluate_counted(dev, test)
    >>> found.evaluation.threshold, found.test["hter"]
    (0.5, Bounds(low=0.2833333333333333, high=0.2833333333333333))
    """
    rule = as_criterion(criterion)
    weight = rule.resolve_alpha(alpha)
    name, cells = _both(dev, test, system)
    (choice,) = bounded_choices(cells[0], rule, weight)
    on_test = boxes_at(cells[1], choice.boxes.first, choice.boxes.last)
    counts = _errors_on(cells[1], choice.best.threshold)
    people = _people(test, name, float(choice.best.threshold))
    asked = by_name([as_measure(own) for own in ([measures] if isinstance(measures, str) else measures)])
    dev_eer, dev_eer_bounds = bounded_eer(dev, system=name, definition=eer)
    test_eer, test_eer_bounds = bounded_eer(test, system=name, definition=eer)
    intervals = counted_intervals(counts, people, MEASURES["hter"], weight, confidence)
    effect = None if people is None else design_effect_of(intervals)
    kind = provenance_from_dev(dev is test or dev == test).kind
    found = Evaluation(
        name,
        rule,
        weight,
        float(choice.best.threshold),
        choice.best,
        counts,
        dev_eer,
        test_eer,
        intervals,
        counted_intervals(counts, people, MEASURES["far"], weight, confidence)[0],
        counted_intervals(counts, people, MEASURES["frr"], weight, confidence)[0],
        {key: measure_value(measure, counts, weight) for key, measure in asked.items()},
        {key: counted_intervals(counts, people, measure, weight, confidence)[0] for key, measure in asked.items()},
        kind,
        effect,
        notes=(
            *([SAME_TRIALS] if kind == "a posteriori" else []),
            GIVEN_THRESHOLD,
            *([_INDEPENDENT] if people is None else []),
            *(f"{name}: {note}" for note in (*error_notes(dev_eer, counts), *sharing_notes(effect))),
        ),
        reported=asked,
    )
    return BoundedEvaluation(
        found,
        choice.boxes.threshold,
        _rates(choice.boxes, weight) | {"eer": dev_eer_bounds},
        _rates(on_test, weight) | {"eer": test_eer_bounds},
        {key: on_test.of(measure, weight) for key, measure in asked.items()},
        dev.precision,
    )


def bounded_eer(
    counter: Counter, *, system: str | None = None, definition: EerDefinition = "step-mean"
) -> tuple[EqualErrorRate, Bounds]:
    """Compute the equal error rate by the counts at the ends of cells, and bounds that hold that of the scores.

    Parameters
    ----------
    counter : Counter
        Scores of both classes.
    system : str, optional
        The name of the system; not needed where there is only one.
    definition : {"step-mean", "step-low", "step-high", "interpolated", "rocch"}, default "step-mean"
        The definition of the equal error rate; see `equal_error_rate`.

    Returns
    -------
    tuple of (EqualErrorRate, Bounds)
        The rate, and its bounds, fractions. Both are the same number where the counter holds each distinct score in a
        cell of its own.

    Raises
    ------
    TrialsError
        A class without trials, or several systems and none named.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, eq. (8).

    Examples
    --------
    >>> counter = Counter()
    >>> counter.update([0.9, 0.8, 0.4, 0.7, 0.1, 0.3, 0.5, 0.2, 0.6], [True] * 4 + [False] * 5)
    >>> bounded_eer(counter)[1]
    Bounds(low=0.225, high=0.225)
    """
    cells = counter.cells(system)
    (choice,) = bounded_choices(cells, CRITERIA["eer"], 0.5)
    if definition in _STEPS:
        value = float(_STEPS[definition](choice.best))
        return EqualErrorRate(value, definition, choice.best), choice.boxes.of(_STEPS[definition])
    edges = edge_points(cells)
    if definition == "interpolated":
        return EqualErrorRate(where_equal(edges), definition, choice.best), _between_edges(cells, edges)
    if definition != "rocch":
        raise ParameterError(f"there is no EER definition {definition!r}")
    high = where_equal(edges[hull_of_points(edges)])
    corners = _with_corners(edges)
    low = where_equal(corners[hull_of_points(corners)]) if cells.level else high
    return EqualErrorRate(high, definition, choice.best), Bounds(min(low, high), high)


_STEPS: dict[str, Measure] = {
    "step-mean": MEASURES["hter"],
    "step-low": Measure("eer-low", lambda counts, alpha: np.minimum(counts.far, counts.frr), "EER"),
    "step-high": Measure("eer-high", lambda counts, alpha: np.maximum(counts.far, counts.frr), "EER"),
}


def _between_edges(cells: CountedCells, edges: ErrorCounts) -> Bounds:
    """Where a line through points within one cell may meet FAR = FRR."""
    surplus = [
        a * edges.genuine - r * edges.impostor
        for a, r in zip(edges.false_accepts.tolist(), edges.false_rejects.tolist(), strict=True)
    ]
    value = where_equal(edges)
    if surplus[0] <= 0 or not cells.level:
        return Bounds(value, value)
    last = max(index for index, found in enumerate(surplus) if found >= 0)
    if surplus[last] == 0:
        return Bounds(value, value)
    low = max(float(edges.far[last + 1]), float(edges.frr[last]))
    high = min(float(edges.far[last]), float(edges.frr[last + 1]))
    return Bounds(min(low, value), max(high, value))


def _with_corners(edges: ErrorCounts) -> ErrorCounts:
    """The points at the ends of cells, and between two of them the best that any score could do."""
    accepts = np.repeat(edges.false_accepts, 2)[1:]
    rejects = np.repeat(edges.false_rejects, 2)[:-1]
    # end, corner, end, ...: a corner has the accepts of the end after it and the rejects of the end before it
    return ErrorCounts(np.full(len(accepts), np.nan), accepts, rejects, edges.genuine, edges.impostor)


def bounded_curve(
    dev: Counter,
    test: Counter,
    *,
    alphas: ArrayLike | None = None,
    criterion: CriterionLike = "wer-min",
    measure: MeasureLike = "hter",
    system: str | None = None,
) -> BoundedCurve:
    """Compute an Expected Performance Curve from counters, with bounds at every alpha.

    Parameters
    ----------
    dev : Counter
        The trials that thresholds are chosen on, counted.
    test : Counter
        The trials that are judged, counted; of the same precision.
    alphas : array_like, optional
        The weights or targets that the criterion takes, rising, shape (alphas,); 0, 0.01, ..., 1 by default.
    criterion : str, Criterion, DetectionCosts or callable, default "wer-min"
        How the threshold is chosen on dev: a name in `CRITERIA`, a criterion, detection costs, or a function
        ``C(far, frr, alpha)`` of arrays.
    measure : str, Measure, DetectionCosts or callable, default "hter"
        What is reported: a name in `MEASURES`, a measure, detection costs, or a function of an `ErrorCounts`.
    system : str, optional
        The name of the system; not needed where there is only one.

    Returns
    -------
    BoundedCurve
        The curve at thresholds that are ends of cells, and bounds that hold the curve of the scores.

    Raises
    ------
    ParameterError
        Counters of different precision, or a criterion that cells cannot bound.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, Algorithm 1.

    Examples
    --------
    >>> dev, test = Counter(), Counter()
    >>> dev.update([0.9, 0.8, 0.4, 0.7, 0.1, 0.3, 0.5, 0.2, 0.6], [True] * 4 + [False] * 5)
    >>> test.update([0.85, 0.55, 0.45, 0.95, 0.35, 0.15, 0.65, 0.25, 0.42, 0.05, 0.5], [True] * 5 + [False] * 6)
    >>> bounded_curve(dev, test, alphas=[0, 0.5, 1]).curve.hter.round(4)
    array([0.25  , 0.3833, 0.3833])
    """
    rule, figure, values = as_criterion(criterion), as_measure(measure), rising_alphas(alphas)
    name, cells = _both(dev, test, system)
    choices = bounded_choices(cells[0], rule, values)
    thresholds = np.array([float(choice.best.threshold) for choice in choices])
    counts = _errors_on(cells[1], thresholds)
    curve = PerformanceCurve(name, rule, figure, values, counts, provenance_from_dev(dev is test or dev == test).kind)
    rows: list[FigureBounds] = []
    for choice, alpha in zip(choices, values.tolist(), strict=True):
        on_test = boxes_at(cells[1], choice.boxes.first, choice.boxes.last)
        rows.append(
            {"threshold": choice.boxes.threshold} | _rates(on_test, alpha) | {"value": on_test.of(figure, alpha)}
        )
    series: dict[str, Series] = {
        key: (np.array([row[key].low for row in rows]), np.array([row[key].high for row in rows])) for key in rows[0]
    }
    return BoundedCurve(curve, series, dev.precision)


def counted_roc(counter: Counter, *, max_points: int = 10_000, system: str | None = None) -> RocCurve:
    """Compute the ROC at the ends of cells: every point is exact, and between two of them the curve is a staircase.

    Parameters
    ----------
    counter : Counter
        Scores of both classes.
    max_points : int, default 10000
        At most so many points, for drawing, never for figures. They are chosen as in `roc_curve`.
    system : str, optional
        The name of the system; not needed where there is only one.

    Returns
    -------
    RocCurve
        For ROC and DET figures. The curve of the scores goes through all points.

    Raises
    ------
    TrialsError
        A class without trials, or several systems and none named.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, section 2.

    Examples
    --------
    >>> counter = Counter()
    >>> counter.update([0.9, 0.4, 0.1, 0.5], [True, True, False, False])
    >>> curve = counted_roc(counter)
    >>> curve.far, curve.frr
    (array([1. , 0.5, 0.5, 0. , 0. ]), array([0. , 0. , 0.5, 0.5, 1. ]))
    """
    if max_points < 2:
        raise ParameterError(f"max_points must be at least 2, not {max_points}")
    check_classes(counter.genuine, counter.impostor, "the counts")
    return RocCurve(thinned_points(edge_points(counter.cells(system)), max_points), convex_hull=False)


def counted_intervals(
    counts: ErrorCounts, people: _AtThreshold | None, measure: Measure, alpha: float, confidence: float
) -> tuple[RateInterval, ...]:
    """The interval to go by first, given this threshold; then as if all trials were independent."""
    weights = local_weights(measure, counts, alpha)
    spread = counted_spread(counts, weights) if people is None else people.spread(weights[:2])
    found = Claim(float(measure(counts, alpha)), spread, 0.0, spread.degrees, "fixed")
    first = claimed_interval(
        found,
        counts,
        measure,
        alpha=alpha,
        confidence=confidence,
        sharing="none" if people is None else people.cluster,
        one_error=None if people is None else people.one_error,
    )
    if measure.weights is None:
        return (first,)
    return first, rate_interval(counts, measure=measure, alpha=alpha, confidence=confidence)


def _both(dev: Counter, test: Counter, system: str | None) -> tuple[str, tuple[CountedCells, CountedCells]]:
    """The system's name, and its cells on dev and test: those of dev not finer, so that their ends are ends on test."""
    if dev.precision != test.precision:
        raise ParameterError(
            f"dev was counted with precision {dev.precision:g} and test with {test.precision:g}; "
            "count both with the same precision"
        )
    name = test.check_system(system if system is not None or len(dev.systems) > 1 else dev.systems[0])
    own, judged = dev.cells(name), test.cells(name)
    return name, (own.coarsened(max(own.level, judged.level)), judged)


def _errors_on(cells: CountedCells, thresholds: ArrayLike) -> ErrorCounts:
    """The errors at thresholds that are the ends of cells, exactly."""
    wanted = np.asarray(thresholds, dtype=np.float64)
    places = positions_of(np.atleast_1d(wanted))
    boxes = boxes_at(cells, places, places)
    accepts, rejects = boxes.accepts[0], boxes.rejects[1]
    found = ErrorCounts(np.atleast_1d(wanted), accepts, rejects, boxes.genuine, boxes.impostor)
    check_classes(int(boxes.genuine), int(boxes.impostor), "the counts of test")
    return found if wanted.ndim else found[0].scalar()


@dataclass(frozen=True, slots=True)
class _AtThreshold:
    """The people of test at one of the thresholds known beforehand."""

    people: CountedPeople
    index: int

    @property
    def cluster(self) -> Cluster:
        return self.people.cluster

    def spread(self, weights: tuple[float, float]) -> Spread:
        return self.people.spread(self.index, weights)

    def one_error(self, word: ClassName) -> ClassSpread:
        return self.people.one_error(word)


def _people(test: Counter, system: str, threshold: float) -> _AtThreshold | None:
    known = test.thresholds[system]
    people = watched_people(test, system=system) if threshold in known else None
    return None if people is None else _AtThreshold(people, known.index(threshold))


def _rates(boxes: ErrorBoxes, alpha: float) -> dict[str, Bounds]:
    return {name: boxes.of(MEASURES[name], alpha) for name in RATES}
