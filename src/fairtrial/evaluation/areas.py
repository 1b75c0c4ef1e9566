"""Compute expected areas: one number for a range of targets, with its interval and tests."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from fairtrial.core.errors import ParameterError, TrialsError, check_choice, check_confidence
from fairtrial.core.results import Result
from fairtrial.core.tables import Column, Table
from fairtrial.core.trials import Trials
from fairtrial.core.words import figure_text, in_a_row, term
from fairtrial.counting.search import all_points
from fairtrial.counting.tallies import ErrorCounts, ScoreData, as_source, count_errors
from fairtrial.inference.estimates import Estimate, estimate_of_values
from fairtrial.inference.intervals import RateInterval
from fairtrial.inference.people import Cluster
from fairtrial.inference.split import TrialSets
from fairtrial.inference.tests import TestResult, student_test
from fairtrial.inference.variance import Floats
from fairtrial.rules.criteria import direction
from fairtrial.rules.measures import MEASURES, Measure, MeasureLike, Weights, as_measure, linear_measure

AreaConvention: TypeAlias = Literal["interpolated", "step"]
AreaName: TypeAlias = Literal["e_v1", "e_v2", "g"]
_LABELS: dict[AreaName, str] = {"e_v1": "E_V1", "e_v2": "E_V2", "g": "G"}


@dataclass(frozen=True, slots=True)
class MeasurePair:
    """Two measures, V1 and V2, that are both better if higher, or both better if lower."""

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
        v1, v2 = self.v1, self.v2
        if {v1.name, v2.name} == {"far", "frr"}:
            return MEASURES["hter"]
        name, label = f"mean-{v1.name}-{v2.name}", f"mean of {term(v1.label)} and {term(v2.label)}"
        better, share = v1.higher_is_better, v1.is_share and v2.is_share
        one, other = v1.weights_at(), v2.weights_at()
        if one is not None and other is not None:
            halves = Weights(*((a + b) / 2 for a, b in zip(one, other, strict=True)))
            return linear_measure(name, label, halves, higher_is_better=better, is_share=share)

        def formula(counts: ErrorCounts, alpha: Any) -> Any:
            return (v1.formula(counts, alpha) + v2.formula(counts, alpha)) / 2

        return Measure(name, formula, label, better, share)


@dataclass(frozen=True, slots=True)
class Targets:
    """The range of targets of two measures, and the convention for targets between two thresholds."""

    pair: MeasurePair
    low: float
    high: float
    convention: AreaConvention

    @classmethod
    def of(
        cls, v1: MeasureLike, v2: MeasureLike, low: float, high: float, convention: AreaConvention | None = None
    ) -> Targets:
        """Validate a range of targets and a convention."""
        if not 0 <= low < high <= 1:
            raise ParameterError(
                f"the range of targets must lie within 0 and 1 and not be empty, not {low:g} to {high:g}"
            )
        pair = MeasurePair(as_measure(v1), as_measure(v2))
        turning = [measure.name for measure in (pair.v1, pair.v2) if not direction(measure)]
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

    def weights(self, points: ErrorCounts, measure: Measure) -> Floats:
        """Compute the weight of each threshold of dev in the mean over all targets of a measure."""
        values, low, high = np.asarray(measure(points)), self.low, self.high
        weights = np.zeros(len(values))
        if self.convention == "step":
            # The best threshold of each value takes all targets that are nearest to it. Best is, as for every
            # criterion, the smallest FAR + FRR and then the lowest threshold.
            errors = points.false_accepts * points.genuine + points.false_rejects * points.impostor
            order = np.lexsort((points.threshold, errors, values))
            best = order[np.flatnonzero(np.diff(values[order], prepend=-np.inf) > 0)]
            bounds = np.concatenate([[-np.inf], (values[best][1:] + values[best][:-1]) / 2, [np.inf]])
            weights[best] = np.diff(np.clip(bounds, low, high)) / (high - low)
            return weights
        step = 1 if direction(measure) > 0 else -1
        rate = values[::step]
        left, right = np.clip(rate[:-1], low, high), np.clip(rate[1:], low, high)
        width = np.diff(rate)
        # straight lines between neighbours; neighbours of equal rate have no width
        towards = np.divide((left + right) / 2 - rate[:-1], width, out=np.zeros_like(width), where=width > 0)
        weights[:-1] += (right - left) * (1 - towards)
        weights[1:] += (right - left) * towards
        # scores of -inf are never accepted, so some targets may be out of reach: they count for the nearest point
        weights[0] += np.clip(rate[0], low, high) - low
        weights[-1] += high - np.clip(rate[-1], low, high)
        return weights[::step] / (high - low)

    def dev_slopes(self, points: ErrorCounts, measure: Measure, value: Floats) -> tuple[Floats, Floats]:
        """Differentiate the area by FAR and FRR on dev at each threshold.

        By parts, the area is minus the sum of the measure on dev times the step of `value` on test to the next
        threshold, within the range of targets; an error moves the measure by its slope.
        """
        values = np.asarray(measure(points))
        rising = direction(measure) or float(np.sign(np.dot(values - values.mean(), np.arange(len(values)))))
        inside = (self.low < values) & (values < self.high)
        step = -rising * inside * np.diff(value, append=value[-1:]) / (self.high - self.low)
        by_far, by_frr = slopes_of(measure, points)
        return step * by_far, step * by_frr


@dataclass(frozen=True, repr=False)
class Areas(Result):
    """Expected (V1 + V2) / 2 over a range of targets of V1 (E_V1), of targets of V2 (E_V2), and their mean G.

    Attributes
    ----------
    sets : TrialSets
        Dev and test trials, and who shares them.
    system : str
        The system's name.
    targets : Targets
        V1 and V2, the range of their targets, and how targets between two reachable values are met.
    e_v1 : float
        The mean over targets of V1, eq. (15).
    e_v2 : float
        The mean over targets of V2, eq. (16).

    Examples
    --------
    >>> from fairtrial.evaluation import expected_areas
    >>> scores = ([0.9, 0.8, 0.4, 0.7], [0.1, 0.3, 0.5, 0.2, 0.6])
    >>> expected_areas(scores, scores)
    <Areas: E_V1 30.00 %, E_V2 30.00 %, G 30.00 %, targets 0 to 1 of FAR and FRR>
    """

    sets: TrialSets
    system: str
    targets: Targets
    e_v1: float
    e_v2: float

    @property
    def g(self) -> float:
        """(E_V1 + E_V2) / 2, eq. (18)."""
        return (self.e_v1 + self.e_v2) / 2

    @cached_property
    def _estimates(self) -> dict[AreaName, Estimate]:
        return area_estimates(self.sets, [(1.0, self.system)], self.targets)

    def interval(self, area: AreaName = "g", *, confidence: float = 0.95) -> RateInterval:
        """Compute the interval of an area, threshold re-estimated.

        Parameters
        ----------
        area : {"e_v1", "e_v2", "g"}, default "g"
            Which of the three.
        confidence : float, default 0.95
            The level of confidence, between 0 and 1.

        Returns
        -------
        RateInterval
            Estimate and limits.

        Raises
        ------
        TrialsError
            If dev or test are not Trials.

        Notes
        -----
        Precision is not monotone at thresholds that accept few trials, and never below the proportion of genuine
        trials. Over targets of precision that are met in between, intervals are somewhat too wide; over all targets
        from 0 to 1 they are too narrow. Choose the range of targets accordingly.
        """
        check_choice("area", area, _LABELS)
        estimate, share = self._estimates[area], self.targets.pair.mean.is_share
        low, high = estimate.interval(check_confidence(confidence))
        if share:
            low, high = max(low, 0.0), min(high, 1.0)
        return RateInterval(
            estimate.value,
            low,
            high,
            estimate.sigma,
            confidence,
            "student",
            area,
            estimate.threshold,
            is_share=share,
            label=_LABELS[area],
            sharing=self.sets.sharing,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers."""
        return {
            **{name: getattr(self, name) for name in _LABELS},
            **{name: getattr(self.targets, name) for name in ("low", "high", "convention")},
            "v1": self.targets.pair.v1.name,
            "v2": self.targets.pair.v2.name,
        }

    def answer(self) -> str:
        """Write the three areas and their targets."""
        share = self.targets.pair.mean.is_share
        areas = ", ".join(f"{label} {figure_text(getattr(self, area), share)}" for area, label in _LABELS.items())
        labels = in_a_row([term(self.targets.pair.v1.label), term(self.targets.pair.v2.label)])
        return f"{areas}, targets {self.targets.low:g} to {self.targets.high:g} of {labels}"

    def tables(self) -> tuple[Table, ...]:
        """Tabulate one row per area."""
        columns = (
            Column("area", "area"),
            Column("meaning", "mean over", "term"),
            Column("value", "value", self.targets.pair.mean.kind),
            Column("targets", "targets", "range"),
            Column("convention", "convention", detail=True),
        )
        targets, convention = (self.targets.low, self.targets.high), self.targets.convention
        rows = (
            ("e_v1", f"targets of {term(self.targets.pair.v1.label)}, eq. (15)", self.e_v1, targets, convention),
            ("e_v2", f"targets of {term(self.targets.pair.v2.label)}, eq. (16)", self.e_v2, targets, convention),
            ("g", "both, eq. (18)", self.g, targets, convention),
        )
        return (Table("areas", f"Expected {term(self.targets.pair.mean.label)} over all targets", columns, rows),)


def slopes_of(measure: Measure, counts: ErrorCounts) -> tuple[Floats, Floats]:
    """Differentiate a measure by FAR and by FRR, at each threshold."""
    by_accepts, by_rejects, _, _ = measure.gradient(counts)
    size = len(counts)
    return np.broadcast_to(by_accepts * counts.impostor, size), np.broadcast_to(by_rejects * counts.genuine, size)


def area_estimates(sets: TrialSets, systems: list[tuple[float, str]], targets: Targets) -> dict[AreaName, Estimate]:
    """Estimate the areas of one system, or the differences of two.

    An area is a weighted mean of figures at the thresholds of dev, and so a sum over test trials and over dev trials.
    The influence of a test trial is the sum of the weights of the thresholds that decide it wrongly, times the slope of
    the figure there; that of a dev trial is the change of the thresholds with its errors, times the change on test.
    """
    dev, test = sets.trials("dev"), sets.trials()
    values = np.zeros(2)
    on_test, on_dev = np.zeros((2, len(test))), np.zeros((2, len(dev)))
    for sign, system in systems:
        points = all_points(as_source(dev, system=system, what="dev"))
        counts = count_errors(as_source(test, system=system, what="test"), points.threshold)
        figure, slopes = np.asarray(targets.pair.mean(counts)), slopes_of(targets.pair.mean, counts)
        for area, measure in enumerate((targets.pair.v1, targets.pair.v2)):
            weight = targets.weights(points, measure)
            values[area] += sign * float(np.dot(weight, figure))
            by_far, by_frr = targets.dev_slopes(points, measure, figure)
            on_test[area] += sign * _sum_errors(test, system, points.threshold, weight * slopes[0], weight * slopes[1])
            on_dev[area] += sign * _sum_errors(dev, system, points.threshold, by_far, by_frr)
    e_v1, e_v2 = (estimate_of_values(sets, *parts) for parts in zip(values.tolist(), on_test, on_dev, strict=True))
    g = estimate_of_values(sets, float(values.sum()) / 2, on_test.sum(axis=0) / 2, on_dev.sum(axis=0) / 2)
    return {"e_v1": e_v1, "e_v2": e_v2, "g": g}


def _sum_errors(trials: Trials, system: str, thresholds: Floats, by_far: Floats, by_frr: Floats) -> Floats:
    """Sum over the thresholds that decide each trial wrongly: below the score of an impostor, above a genuine one."""
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
    cluster: Cluster | None = None,
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
        Most targets lie between two values that thresholds reach. ``interpolated`` mixes the two thresholds so that
        the target is met on dev: then dev = test gives (AUC_err + 1/2)/2 exactly for FAR and FRR, cross-class ties
        included. It is the default for measures of FAR or FRR alone, such as recall and specificity.
        ``step`` takes the nearest value, as eq. (14) does; the default of all others.
    system : str, optional
        The name of the system; not needed if there is only one.
    cluster : {"none", "claim", "subject", "both"}, optional
        What dependent trials share: the claimed identity, the subject, both or nothing; by default all known ids.

    Returns
    -------
    Areas
        E_V1, E_V2 and G, and their intervals on request.

    Raises
    ------
    ParameterError
        If the range is empty or not within 0 and 1, or the measures or the convention are invalid.

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
    >>> expected_areas(scores, scores, v1="precision", v2="recall", low=0.5).targets.convention
    'step'
    >>> import numpy as np
    >>> from fairtrial import Trials
    >>> genuine = np.arange(400) < 100
    >>> trials = Trials.from_arrays(np.random.default_rng(0).normal(2.0 * genuine), genuine)
    >>> dev, test = (trials.rows(np.arange(start, 400, 2)) for start in (0, 1))
    >>> interval = expected_areas(dev, test).interval("g")
    >>> interval.low < interval.estimate < interval.high
    True
    """
    return areas_of(TrialSets(dev, test, cluster), system, Targets.of(v1, v2, low, high, convention))


def areas_of(sets: TrialSets, system: str | None, targets: Targets) -> Areas:
    """Compute the areas of a system; see `expected_areas`."""
    assert sets.dev is not None
    name, pair = sets.system_name(system), targets.pair
    points = all_points(as_source(sets.dev, system=name, what="dev"))
    figure = np.asarray(pair.mean(count_errors(as_source(sets.test, system=name, what="test"), points.threshold)))
    e_v1, e_v2 = (float(np.dot(targets.weights(points, measure), figure)) for measure in (pair.v1, pair.v2))
    return Areas(sets, name, targets, e_v1, e_v2)


def compare_areas(a: Areas, b: Areas) -> dict[AreaName, TestResult]:
    """Test whether two systems differ in their expected areas, thresholds re-estimated.

    Parameters
    ----------
    a, b : Areas
        The areas of two systems on the same trials, over the same targets.

    Returns
    -------
    dict of str to TestResult
        A test of A - B each of ``e_v1``, ``e_v2`` and ``g``.

    Raises
    ------
    ParameterError
        If targets differ.
    TrialsError
        If dev or test are not Trials, or differ.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, eqs. (14) to (18).

    Examples
    --------
    >>> import numpy as np
    >>> from fairtrial import Trials
    >>> genuine = np.arange(400) < 100
    >>> scores = np.random.default_rng(0).normal(np.outer(genuine, [1.5, 3.0]))
    >>> trials = Trials.from_arrays(scores, genuine, systems=["old", "new"])
    >>> dev, test = (trials.rows(np.arange(start, 400, 2)) for start in (0, 1))
    >>> old, new = (expected_areas(dev, test, system=name) for name in trials.systems)
    >>> compare_areas(old, new)["g"].p_value < 0.05
    True
    """
    if a.targets != b.targets:
        raise ParameterError("only areas over the same targets can be compared", code="different-runs")
    if a.sets.dev is not b.sets.dev or a.sets.test is not b.sets.test:
        raise TrialsError("only areas on the same trials can be compared", code="different-runs")
    estimates = area_estimates(a.sets, [(1.0, a.system), (-1.0, b.system)], a.targets)
    mean = a.targets.pair.mean
    return {area: student_test(f"area-{area}", difference, measure=mean) for area, difference in estimates.items()}
