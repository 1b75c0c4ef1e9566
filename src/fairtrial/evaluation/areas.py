"""Compute expected areas: one number for a range of targets, with its interval and tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import ParameterError, TrialsError, check_choice, check_confidence
from fairtrial.core.results import Result
from fairtrial.core.tables import Column, Table
from fairtrial.core.trials import Trials
from fairtrial.core.words import figure_text, in_a_row, term
from fairtrial.counting.search import all_points
from fairtrial.counting.tallies import ErrorCounts, ScoreData, as_source, count_errors
from fairtrial.inference.estimates import Estimate, estimate_of_values
from fairtrial.inference.intervals import RateInterval
from fairtrial.inference.split import TrialSets, check_same_systems
from fairtrial.inference.tests import TestResult, student_test
from fairtrial.inference.variance import Floats
from fairtrial.rules.criteria import direction
from fairtrial.rules.measures import MEASURES, Measure, MeasureLike, Weights, as_measure, linear_measure


@dataclass(frozen=True, slots=True)
class MeasurePair:
    """V1 and V2, which must both be better if higher, or both if lower."""

    v1: Measure
    v2: Measure

    def __post_init__(self) -> None:
        if self.v1.higher_is_better != self.v2.higher_is_better:
            low, high = (self.v2, self.v1) if self.v1.higher_is_better else (self.v1, self.v2)
            raise ParameterError(
                f"{self.v1.name} and {self.v2.name} have no mean to speak of: {high.name} is better if higher and "
                f"{low.name} if lower; pair far with frr, precision with recall, or sensitivity with specificity"
            )

    @property
    def mean(self) -> Measure:
        """(V1 + V2) / 2: the HTER of FAR and FRR."""
        if {self.v1.name, self.v2.name} == {"far", "frr"}:
            return MEASURES["hter"]
        name = f"mean-{self.v1.name}-{self.v2.name}"
        label = f"mean of {term(self.v1.label)} and {term(self.v2.label)}"
        better, share = self.v1.higher_is_better, self.v1.is_share and self.v2.is_share
        one, other = self.v1.weights_at(), self.v2.weights_at()
        if one is not None and other is not None:
            halves = Weights(*((a + b) / 2 for a, b in zip(one, other, strict=True)))
            return linear_measure(name, label, halves, higher_is_better=better, is_share=share)
        return Measure(name, _Mean(self.v1, self.v2), label, better, share)


def as_pair(v1: MeasureLike, v2: MeasureLike) -> MeasurePair:
    """A pair of measures, each by its name or a user's own.

    Raises
    ------
    ParameterError
        A name that is not registered, or a measure that is better if higher with one that is better if lower.
    """
    return MeasurePair(as_measure(v1), as_measure(v2))


@dataclass(frozen=True, slots=True)
class _Mean:
    """The mean of two measures as a formula."""

    v1: Measure
    v2: Measure

    def __call__(self, counts: ErrorCounts, alpha: Any) -> Any:
        return (self.v1.formula(counts, alpha) + self.v2.formula(counts, alpha)) / 2


AreaConvention: TypeAlias = Literal["interpolated", "step"]
AreaName: TypeAlias = Literal["e_v1", "e_v2", "g"]
AREA_LABELS: dict[AreaName, str] = {"e_v1": "E_V1", "e_v2": "E_V2", "g": "G"}


@dataclass(frozen=True, slots=True, repr=False)
class Areas(Result):
    """Expected (V1 + V2) / 2 over a range of targets of V1 (E_V1), of targets of V2 (E_V2), and their mean G.

    Attributes
    ----------
    e_v1 : float
        The mean over targets of V1, eq. (15).
    e_v2 : float
        The mean over targets of V2, eq. (16).
    low : float
        The lowest target.
    high : float
        The highest target.
    convention : {"interpolated", "step"}
        How targets between two reachable values are met.
    pair : MeasurePair
        V1 and V2; FAR and FRR have the HTER as their mean.

    Examples
    --------
    >>> from fairtrial.evaluation import expected_areas
    >>> scores = ([0.9, 0.8, 0.4, 0.7], [0.1, 0.3, 0.5, 0.2, 0.6])
    >>> expected_areas(scores, scores)
    <Areas: E_V1 30.00 %, E_V2 30.00 %, G 30.00 %, targets 0 to 1 of FAR and FRR>
    """

    e_v1: float
    e_v2: float
    low: float
    high: float
    convention: AreaConvention
    pair: MeasurePair

    @property
    def g(self) -> float:
        """(E_V1 + E_V2) / 2, eq. (18)."""
        return (self.e_v1 + self.e_v2) / 2

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers."""
        return {
            "e_v1": self.e_v1,
            "e_v2": self.e_v2,
            "g": self.g,
            "low": self.low,
            "high": self.high,
            "convention": self.convention,
            "v1": self.pair.v1.name,
            "v2": self.pair.v2.name,
        }

    def answer(self) -> str:
        """The three areas and their targets."""
        share = self.pair.mean.is_share
        areas = ", ".join(f"{label} {figure_text(getattr(self, area), share)}" for area, label in AREA_LABELS.items())
        labels = in_a_row([term(own.label) for own in (self.pair.v1, self.pair.v2)])
        return f"{areas}, targets {self.low:g} to {self.high:g} of {labels}"

    def tables(self) -> tuple[Table, ...]:
        """One row per area."""
        columns = (
            Column("area", "area"),
            Column("meaning", "mean over", "term"),
            Column("value", "value", self.pair.mean.kind),
            Column("targets", "targets", "range"),
            Column("convention", "convention", detail=True),
        )
        rows = tuple(
            (area, meaning, value, (self.low, self.high), self.convention)
            for area, meaning, value in (
                ("e_v1", f"targets of {term(self.pair.v1.label)}, eq. (15)", self.e_v1),
                ("e_v2", f"targets of {term(self.pair.v2.label)}, eq. (16)", self.e_v2),
                ("g", "both, eq. (18)", self.g),
            )
        )
        return (Table("areas", f"Expected {term(self.pair.mean.label)} over all targets", columns, rows),)


@dataclass(frozen=True, slots=True)
class Aims:
    """The targets of two measures that thresholds aim at."""

    pair: MeasurePair
    low: float
    high: float
    convention: AreaConvention

    @classmethod
    def of(
        cls, v1: MeasureLike, v2: MeasureLike, low: float, high: float, convention: AreaConvention | None = None
    ) -> Aims:
        """The aims that a caller asks for."""
        if not 0 <= low < high <= 1:
            raise ParameterError(
                f"the range of targets must lie within 0 and 1 and not be empty, not {low:g} to {high:g}"
            )
        pair = as_pair(v1, v2)
        turning = [own.name for own in (pair.v1, pair.v2) if not direction(own)]
        if convention is None:
            return cls(pair, low, high, "step" if turning else "interpolated")
        check_choice("convention", convention, get_args(AreaConvention))
        if convention == "interpolated" and turning:
            raise ParameterError(
                "a target of {measure} may be met at several thresholds and cannot be interpolated; use {convention!o}",
                measure=turning[0],
                convention="step",
            )
        return cls(pair, low, high, convention)

    def weights(self, points: ErrorCounts, own: Measure) -> Floats:
        """How much each of dev's thresholds counts where they aim at all targets of one of the measures."""
        values = np.asarray(own(points))
        if self.convention == "step":
            return _step_weights(values, points, self.low, self.high)
        forward = direction(own) > 0
        found = _interpolated_weights(values if forward else values[::-1], self.low, self.high)
        return found if forward else found[::-1]

    def moved_by(self, points: ErrorCounts, own: Measure, value: Floats) -> tuple[Floats, Floats]:
        """By how much an error on dev at each threshold moves the area: a false accept, and a false reject.

        By parts, the area is minus the sum of the measure on dev times the step of `value` on test to the next
        threshold, within the range of targets; an error moves the measure by its slope.
        """
        values = np.asarray(own(points))
        rising = direction(own) or float(np.sign(np.dot(values - values.mean(), np.arange(len(values)))))
        inside = (self.low < values) & (values < self.high)
        step = -rising * inside * np.diff(value, append=value[-1:]) / (self.high - self.low)
        by_far, by_frr = slopes_of(own, points)
        return step * by_far, step * by_frr


def slopes_of(measure: Measure, counts: ErrorCounts) -> tuple[Floats, Floats]:
    """The derivatives of a measure with respect to FAR and to FRR, at each threshold."""
    by_accepts, by_rejects, _, _ = measure.gradient(counts)
    size = len(counts)
    return np.broadcast_to(by_accepts * counts.impostor, size), np.broadcast_to(by_rejects * counts.genuine, size)


def _interpolated_weights(rate: NDArray[np.float64], low: float, high: float) -> NDArray[np.float64]:
    """Weights of values on straight lines between neighbours; a run of equal rate has no width."""
    left, right = np.clip(rate[:-1], low, high), np.clip(rate[1:], low, high)
    width = np.diff(rate)
    middle = (left + right) / 2 - rate[:-1]
    towards = np.divide(middle, width, out=np.zeros_like(width), where=width > 0)
    weights = np.zeros(len(rate))
    weights[:-1] += (right - left) * (1 - towards)
    weights[1:] += (right - left) * towards
    # scores of -inf are never accepted, so some targets may be out of reach: the nearest point stands for them
    weights[0] += np.clip(rate[0], low, high) - low
    weights[-1] += high - np.clip(rate[-1], low, high)
    return weights / (high - low)


def _step_weights(values: Floats, points: ErrorCounts, low: float, high: float) -> Floats:
    """Weights of the nearest value: the best threshold of each value takes all targets that are nearest to it.

    Best is, as for every criterion, the smallest FAR + FRR and then the lowest threshold.
    """
    errors = points.false_accepts * points.genuine + points.false_rejects * points.impostor
    order = np.lexsort((points.threshold, errors, values))
    best = order[np.flatnonzero(np.diff(values[order], prepend=-np.inf) > 0)]
    bounds = np.concatenate([[-np.inf], (values[best][1:] + values[best][:-1]) / 2, [np.inf]])
    weights = np.zeros(len(values))
    weights[best] = np.diff(np.clip(bounds, low, high)) / (high - low)
    return weights


def area_estimates(sets: TrialSets, systems: list[tuple[float, str]], aims: Aims) -> dict[AreaName, Estimate]:
    """An area is a weighted mean of figures at dev's thresholds, so it is a sum over test trials and over dev trials.

    A test trial adds what the thresholds that decide it wrongly weigh, times the slope of the figure there. A dev
    trial adds what its errors move the thresholds by, times what that changes on test.
    """
    if not isinstance(sets.dev, Trials) or not isinstance(sets.test, Trials):
        raise TrialsError("areas with intervals and tests need dev and test as Trials")
    dev, test = sets.dev, sets.test
    parts = [(sign, _by_trial(dev, test, system, aims)) for sign, system in systems]
    names: tuple[AreaName, ...] = ("e_v1", "e_v2", "g")
    found: dict[AreaName, Estimate] = {}
    for name in names:
        on_test = np.sum([sign * own.test[name] for sign, own in parts], axis=0)
        on_dev = np.sum([sign * own.dev[name] for sign, own in parts], axis=0)
        estimate = float(sum(sign * own.estimate[name] for sign, own in parts))
        found[name] = estimate_of_values(sets, estimate, on_test, on_dev)
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _ByTrial:
    """The areas of one system, what each test trial adds to them, and each dev trial through the thresholds."""

    estimate: dict[AreaName, float]
    test: dict[AreaName, Floats]
    dev: dict[AreaName, Floats]


def _by_trial(dev: Trials, test: Trials, system: str, aims: Aims) -> _ByTrial:
    points = all_points(as_source(dev, system=system, what="dev"))
    on_test = count_errors(as_source(test, system=system, what="test"), points.threshold)
    mean = aims.pair.mean
    value, slopes = np.asarray(mean(on_test)), slopes_of(mean, on_test)
    estimates, by_test, by_dev = [], [], []
    for own in (aims.pair.v1, aims.pair.v2):
        weight = aims.weights(points, own)
        estimates.append(float(np.dot(weight, value)))
        by_test.append(_summed(test, system, points.threshold, weight * slopes[0], weight * slopes[1]))
        by_dev.append(_summed(dev, system, points.threshold, *aims.moved_by(points, own, value)))
    return _ByTrial(_with_mean(estimates), _with_mean(by_test), _with_mean(by_dev))


def _with_mean(both: Sequence[Any]) -> dict[AreaName, Any]:
    return {"e_v1": both[0], "e_v2": both[1], "g": (both[0] + both[1]) / 2}


def _summed(trials: Trials, system: str, thresholds: Floats, by_far: Floats, by_frr: Floats) -> Floats:
    """The sum over the thresholds that decide a trial wrongly: an impostor below its score, a genuine trial above."""
    rank = np.searchsorted(thresholds, trials.column(system), side="left")
    accepted, rejected = (np.concatenate([[0.0], np.cumsum(values)]) for values in (by_far, by_frr))
    return np.where(trials.genuine, rejected[-1] - rejected[rank], accepted[rank])


def expected_areas(
    dev: ScoreData,
    test: ScoreData,
    *,
    v1: MeasureLike = "far",
    v2: MeasureLike = "frr",
    low: float = 0.0,
    high: float = 1.0,
    convention: AreaConvention | None = None,
    system: str | None = None,
) -> Areas:
    """Compute the expected (V1 + V2) / 2 over all targets between `low` and `high`, exactly.

    Parameters
    ----------
    dev : Trials, data frame, ScoreSource or tuple of two array_like
        The trials that thresholds are chosen on.
    test : Trials, data frame, ScoreSource or tuple of two array_like
        The trials that are judged.
    v1 : str, Measure, DetectionCosts or callable, default "far"
        Two antagonist measures: names in `MEASURES`, measures, detection costs, or functions of an `ErrorCounts`; the
        mean of FAR and FRR is the HTER.
    v2 : str, Measure, DetectionCosts or callable, default "frr"
        Two antagonist measures: names in `MEASURES`, measures, detection costs, or functions of an `ErrorCounts`; the
        mean of FAR and FRR is the HTER.
    low : float, default 0.0
        The range of targets, fractions; the result is the mean over it.
    high : float, default 1.0
        The range of targets, fractions; the result is the mean over it.
    convention : {"interpolated", "step"}, optional
        A target mostly lies between two values that thresholds reach. ``interpolated`` mixes the two thresholds so that
        the target is met on dev: then dev = test gives (AUC_err + 1/2)/2 exactly for FAR and FRR, cross-class ties
        included. It is for measures that FAR or FRR alone make, such as recall and specificity, and their default.
        ``step`` takes the nearest value, as eq. (14) reads; it is the default of all others.
    system : str, optional
        The name of the system; not needed where there is only one.

    Returns
    -------
    Areas
        E_V1, E_V2 and G.

    Raises
    ------
    ParameterError
        A range that is empty or not within 0 and 1, or a pair or convention that cannot be.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, eqs. (14) to (18).

    Examples
    --------
    >>> scores = ([0.9, 0.8, 0.4, 0.7], [0.1, 0.3, 0.5, 0.2, 0.6])
    >>> expected_areas(scores, scores).g
    0.3
    >>> expected_areas(scores, scores, v1="sensitivity", v2="specificity").g
    0.7
    >>> expected_areas(scores, scores, v1="precision", v2="recall", low=0.5).convention
    'step'
    """
    check_same_systems(dev, test)
    aims = Aims.of(v1, v2, low, high, convention)
    points = all_points(as_source(dev, system=system, what="dev"))
    on_test = count_errors(as_source(test, system=system, what="test"), points.threshold)
    value = np.asarray(aims.pair.mean(on_test))
    e_v1, e_v2 = (float(np.dot(aims.weights(points, own), value)) for own in (aims.pair.v1, aims.pair.v2))
    return Areas(e_v1, e_v2, low, high, aims.convention, aims.pair)


def area_intervals(
    sets: TrialSets,
    system: str,
    *,
    v1: MeasureLike = "far",
    v2: MeasureLike = "frr",
    low: float = 0.0,
    high: float = 1.0,
    convention: AreaConvention | None = None,
    confidence: float = 0.95,
) -> dict[AreaName, RateInterval]:
    """Compute the intervals of the expected areas E_V1, E_V2 and G, thresholds re-estimated.

    Parameters
    ----------
    sets : TrialSets
        Dev and test trials, and who shares them.
    system : str
        The name of the system.
    v1 : str, Measure, DetectionCosts or callable, default "far"
        Two antagonist measures: names in `MEASURES`, measures, detection costs, or functions of an `ErrorCounts`; the
        mean of FAR and FRR is the HTER.
    v2 : str, Measure, DetectionCosts or callable, default "frr"
        Two antagonist measures: names in `MEASURES`, measures, detection costs, or functions of an `ErrorCounts`; the
        mean of FAR and FRR is the HTER.
    low : float, default 0.0
        The range of targets, fractions; the result is the mean over it.
    high : float, default 1.0
        The range of targets, fractions; the result is the mean over it.
    convention : {"interpolated", "step"}, optional
        How a target between two reachable values is met; see `expected_areas`.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.

    Returns
    -------
    dict of str to RateInterval
        An interval each of ``e_v1``, ``e_v2`` and ``g``.

    Raises
    ------
    ParameterError
        As for `expected_areas`.
    TrialsError
        Dev or test that are not Trials.

    Notes
    -----
    Precision turns back and forth where few trials are accepted, and below the share of genuine trials there is none.
    Over targets of precision that are met in between, these intervals are somewhat too wide; over all targets from 0
    to 1 they are too narrow. Choose `low` and `high` accordingly.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, eqs. (14) to (18).

    Examples
    --------
    >>> import numpy as np
    >>> from fairtrial import Trials
    >>> from fairtrial.inference import TrialSets
    >>> genuine = np.arange(400) < 100
    >>> trials = Trials.from_arrays(np.random.default_rng(0).normal(2.0 * genuine), genuine)
    >>> dev, test = (trials.rows(np.arange(start, 400, 2)) for start in (0, 1))
    >>> found = area_intervals(TrialSets(dev, test), "system")
    >>> found["g"].low < found["g"].estimate < found["g"].high
    True
    """
    check_confidence(confidence)
    aims = Aims.of(v1, v2, low, high, convention)
    found: dict[AreaName, RateInterval] = {}
    for area, made in area_estimates(sets, [(1.0, system)], aims).items():
        ends = made.interval(confidence)
        if aims.pair.mean.is_share:
            ends = max(ends[0], 0.0), min(ends[1], 1.0)
        found[area] = RateInterval(
            made.value,
            *ends,
            made.sigma,
            confidence,
            "student",
            area,
            made.threshold,
            is_share=aims.pair.mean.is_share,
            label=AREA_LABELS[area],
            sharing=sets.sharing,
        )
    return found


def area_tests(
    sets: TrialSets,
    a: str,
    b: str,
    *,
    v1: MeasureLike = "far",
    v2: MeasureLike = "frr",
    low: float = 0.0,
    high: float = 1.0,
    convention: AreaConvention | None = None,
) -> dict[AreaName, TestResult]:
    """Test whether two systems differ in their expected areas, thresholds re-estimated.

    Parameters
    ----------
    sets : TrialSets
        Dev and test trials, and who shares them.
    a, b : str
        The names of the two systems.
    v1 : str, Measure, DetectionCosts or callable, default "far"
        Two antagonist measures: names in `MEASURES`, measures, detection costs, or functions of an `ErrorCounts`; the
        mean of FAR and FRR is the HTER.
    v2 : str, Measure, DetectionCosts or callable, default "frr"
        Two antagonist measures: names in `MEASURES`, measures, detection costs, or functions of an `ErrorCounts`; the
        mean of FAR and FRR is the HTER.
    low : float, default 0.0
        The range of targets, fractions; the result is the mean over it.
    high : float, default 1.0
        The range of targets, fractions; the result is the mean over it.
    convention : {"interpolated", "step"}, optional
        How a target between two reachable values is met; see `expected_areas`.

    Returns
    -------
    dict of str to TestResult
        A test of A - B each of ``e_v1``, ``e_v2`` and ``g``.

    Raises
    ------
    ParameterError
        As for `expected_areas`.
    TrialsError
        Dev or test that are not Trials.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, eqs. (14) to (18).

    Examples
    --------
    >>> import numpy as np
    >>> from fairtrial import Trials
    >>> from fairtrial.inference import TrialSets
    >>> genuine = np.arange(400) < 100
    >>> scores = np.random.default_rng(0).normal(np.outer(genuine, [1.5, 3.0]))
    >>> trials = Trials.from_arrays(scores, genuine, systems=["old", "new"])
    >>> dev, test = (trials.rows(np.arange(start, 400, 2)) for start in (0, 1))
    >>> area_tests(TrialSets(dev, test), "old", "new")["g"].p_value < 0.05
    True
    """
    aims = Aims.of(v1, v2, low, high, convention)
    found = area_estimates(sets, [(1.0, a), (-1.0, b)], aims)
    return {area: student_test(f"area-{area}", made, measure=aims.pair.mean) for area, made in found.items()}
