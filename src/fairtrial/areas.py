"""Expected areas: one number for a whole range of target rates, with its interval and a test of two systems.

Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, equations (14) to (18).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from fairtrial.checks import check_choice, check_confidence
from fairtrial.claims import Claim, not_below_chance
from fairtrial.counting.errors import ScoreData, ScoreSource, as_source, count_errors
from fairtrial.counting.search import all_points
from fairtrial.errors import ParameterError, TrialsError
from fairtrial.intervals.rates import RateInterval
from fairtrial.judging import TrialSets
from fairtrial.people import People
from fairtrial.significance.results import TestResult, student_test
from fairtrial.spread import Floats, Spread, contributions, independent_spread, welch
from fairtrial.tables import Column, Result, Table, percent
from fairtrial.trials import Trials, check_same_systems

AreaConvention: TypeAlias = Literal["interpolated", "step"]
AreaName: TypeAlias = Literal["e_v1", "e_v2", "g"]


@dataclass(frozen=True, slots=True, repr=False)
class Areas(Result):
    """Expected HTER over a range of target FARs (E_V1), of target FRRs (E_V2), and their mean G."""

    e_v1: float
    e_v2: float
    low: float
    high: float
    convention: AreaConvention

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
        }

    def summary(self) -> str:
        """The three areas and their targets."""
        areas = f"E_V1 {percent(self.e_v1)}, E_V2 {percent(self.e_v2)}, G {percent(self.g)}"
        return f"{areas}, targets {self.low:g} to {self.high:g}"

    def tables(self) -> tuple[Table, ...]:
        """One row per area."""
        columns = (
            Column("area", "area"),
            Column("meaning", "expected HTER", "term"),
            Column("value", "value", "rate"),
            Column("targets", "targets", "range"),
            Column("convention", "convention", detail=True),
        )
        rows = tuple(
            (area, meaning, value, (self.low, self.high), self.convention)
            for area, meaning, value in (
                ("e_v1", "over target FARs, eq. (15)", self.e_v1),
                ("e_v2", "over target FRRs, eq. (16)", self.e_v2),
                ("g", "the mean of both, eq. (18)", self.g),
            )
        )
        return (Table("areas", "Expected HTER over all targets", columns, rows),)


def expected_areas(
    dev: ScoreData,
    test: ScoreData,
    *,
    low: float = 0.0,
    high: float = 1.0,
    convention: AreaConvention = "interpolated",
    system: str | None = None,
) -> Areas:
    """Compute the expected HTER over all targets between `low` and `high`, exactly.

    Parameters
    ----------
    dev, test
        Where thresholds come from and where errors are counted; see `as_source`.
    low, high
        The range of target rates; the result is the mean over it.
    convention
        A target rate mostly lies between two reachable ones. ``interpolated`` mixes the two thresholds so
        that the target is met on dev: then dev = test gives (AUC_err + 1/2)/2 exactly, cross-class ties
        included. ``step`` takes the nearest reachable rate, as eq. (14) reads.
    system
        Which system of the trials; not needed where there is one only.

    Returns
    -------
    Areas
        E_V1, E_V2 and G.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, eqs. (14) to (18).

    Examples
    --------
    >>> scores = ([0.9, 0.8, 0.4, 0.7], [0.1, 0.3, 0.5, 0.2, 0.6])
    >>> expected_areas(scores, scores).g
    0.3
    """
    _check_range(low, high)
    check_same_systems(dev, test)
    check_choice("convention", convention, get_args(AreaConvention))
    thresholds, by_far, by_frr = _area_weights(
        as_source(dev, system=system, what="dev"), low=low, high=high, convention=convention
    )
    value = count_errors(as_source(test, system=system, what="test"), thresholds).hter
    return Areas(float(np.dot(by_far, value)), float(np.dot(by_frr, value)), low, high, convention)


def area_intervals(
    sets: TrialSets, system: str, *, low: float = 0.0, high: float = 1.0, confidence: float = 0.95
) -> dict[AreaName, RateInterval]:
    """Compute the intervals of the expected areas E_V1, E_V2 and G, thresholds re-estimated.

    Parameters
    ----------
    sets
        Dev and test trials, and who shares them.
    system
        Which system.
    low, high
        The range of target rates.
    confidence
        Of the intervals.

    Returns
    -------
    dict
        An interval per area.
    """
    check_confidence(confidence)
    found: dict[AreaName, RateInterval] = {}
    for area, claim in _claims(sets, [(1.0, system)], low, high).items():
        reach = claim.quantile(confidence) * claim.sigma
        ends = max(claim.estimate - reach, 0.0), min(claim.estimate + reach, 1.0)
        method = "student" if sets.people[1] is None else f"cluster-{sets.sharing}"
        found[area] = RateInterval(claim.estimate, *ends, claim.sigma, confidence, method, area, claim.threshold)
    return found


def area_tests(sets: TrialSets, a: str, b: str, *, low: float = 0.0, high: float = 1.0) -> dict[AreaName, TestResult]:
    """Test whether two systems differ in their expected areas, thresholds re-estimated.

    Parameters
    ----------
    sets
        Dev and test trials, and who shares them.
    a, b
        The two systems.
    low, high
        The range of target rates.

    Returns
    -------
    dict
        A test of A - B per area.
    """
    found = _claims(sets, [(1.0, a), (-1.0, b)], low, high)
    return {area: student_test(f"area-{area}", claim) for area, claim in found.items()}


def _check_range(low: float, high: float) -> None:
    if not 0 <= low < high <= 1:
        raise ParameterError(f"the range of rates must lie within 0 and 1 and not be empty, not {low:g} to {high:g}")


def _claims(sets: TrialSets, systems: list[tuple[float, str]], low: float, high: float) -> dict[AreaName, Claim]:
    """An area is a weighted mean of HTERs at dev's thresholds, so it is a sum over test trials and over dev trials.

    A test trial adds half the weight of the thresholds that decide it wrongly. A dev trial adds the HTER on test at
    its own score, within the range of targets: without it, targets would be met at other thresholds.
    """
    _check_range(low, high)
    if not isinstance(sets.dev, Trials) or not isinstance(sets.test, Trials):
        raise TrialsError("areas with intervals and tests need dev and test as Trials")
    dev, test = sets.dev, sets.test
    parts = [(sign, _by_trial(dev, test, system, low, high)) for sign, system in systems]
    names: tuple[AreaName, ...] = ("e_v1", "e_v2", "g")
    found: dict[AreaName, Claim] = {}
    for name in names:
        on_test = np.sum([sign * own.test[name] for sign, own in parts], axis=0)
        on_dev = np.sum([sign * own.dev[name] for sign, own in parts], axis=0)
        estimate = float(on_test[test.genuine].mean() + on_test[~test.genuine].mean())
        spread, by_dev = (
            _spread(trials, people, values)
            for trials, people, values in ((test, sets.people[1], on_test), (dev, sets.people[0], on_dev))
        )
        if len(parts) > 1:
            spread = not_below_chance(spread, on_test, (1.0, 1.0), test.genuine)
        both = _together(sets, on_test, on_dev)
        degrees = welch([(spread.variance, spread.degrees), (by_dev.variance, by_dev.degrees)])
        whole = spread.variance + by_dev.variance
        found[name] = Claim(estimate, spread, max(whole + both, whole / 2) - spread.variance, degrees, "re-estimated")
    return found


def _spread(trials: Trials, people: People | None, values: Floats) -> Spread:
    if people is None:
        return independent_spread(trials.genuine, values)
    return people.variance(contributions(trials.genuine, values, (1.0, 1.0)))


def _together(sets: TrialSets, on_test: Floats, on_dev: Floats) -> float:
    """Twice the covariance of what dev and test add, by people who are in both."""
    dev, test = sets.people
    if dev is None or test is None or not sets.overlap:
        return 0.0
    sums = [
        people.sums_by_person(contributions(people.is_genuine, values, (1.0, 1.0)))
        for people, values in ((dev, on_dev), (test, on_test))
    ]
    size = min(len(own) for own in sums)
    return 2 * float(np.dot(sums[0][:size], sums[1][:size]))


@dataclass(frozen=True, slots=True, eq=False)
class _ByTrial:
    """What each test trial adds to the areas, and each dev trial through the thresholds."""

    test: dict[AreaName, Floats]
    dev: dict[AreaName, Floats]


def _by_trial(dev: Trials, test: Trials, system: str, low: float, high: float) -> _ByTrial:
    source = as_source(dev, system=system, what="dev")
    thresholds, by_far, by_frr = _area_weights(source, low=low, high=high)
    rank = np.searchsorted(thresholds, test.column(system), side="left")
    on_test: dict[AreaName, Floats] = {}
    weights: tuple[tuple[AreaName, Floats], ...] = (
        ("e_v1", by_far),
        ("e_v2", by_frr),
        ("g", (by_far + by_frr) / 2),
    )
    for name, weight in weights:
        below = np.concatenate([[0.0], np.cumsum(weight)])[rank]  # thresholds that accept the score
        on_test[name] = np.where(test.genuine, weight.sum() - below, below) / 2
    hter = np.asarray(count_errors(as_source(test, system=system, what="test"), thresholds).hter)
    place = np.searchsorted(thresholds, dev.column(system), side="left").clip(0, len(thresholds) - 1)
    at = [_within(hter, place, weight) / (high - low) for weight in (by_far, by_frr)]
    genuine = dev.genuine
    e_v1, e_v2 = np.where(genuine, 0.0, at[0]), np.where(genuine, at[1], 0.0)
    return _ByTrial(on_test, {"e_v1": e_v1, "e_v2": e_v2, "g": (e_v1 + e_v2) / 2})


def _within(hter: Floats, place: NDArray[np.int64], weight: Floats) -> Floats:
    """The HTER at each dev score, or at the end of the range of thresholds that count where it lies beyond."""
    counting = np.flatnonzero(weight)
    return np.asarray(hter[place.clip(counting[0], counting[-1])])


def _area_weights(
    dev: ScoreSource, *, low: float = 0.0, high: float = 1.0, convention: AreaConvention = "interpolated"
) -> tuple[Floats, Floats, Floats]:
    """Give dev's thresholds and how much each counts in E_V1 and in E_V2: an area is a weighted mean of HTERs."""
    points = all_points(dev)
    weigh = _interpolated_weights if convention == "interpolated" else _step_weights
    # a run of equal FAR is best at its lowest threshold, a run of equal FRR at its highest
    by_far = weigh(points.far[::-1], low, high)[::-1]
    return points.threshold, by_far, weigh(points.frr, low, high)


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


def _step_weights(rate: NDArray[np.float64], low: float, high: float) -> NDArray[np.float64]:
    """Weights of the nearest reachable rate: the last of each run takes all targets nearest to it."""
    ends = np.flatnonzero(np.append(np.diff(rate) > 0, True))
    bounds = np.concatenate([[0.0], (rate[ends][1:] + rate[ends][:-1]) / 2, [1.0]])
    weights = np.zeros(len(rate))
    weights[ends] = np.diff(np.clip(bounds, low, high)) / (high - low)
    return weights
