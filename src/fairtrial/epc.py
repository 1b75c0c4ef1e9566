"""The Expected Performance Curve: thresholds from dev for every alpha, the figure from test.

Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005; areas by their equations (15), (16), (18).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairtrial.checks import check_alphas, check_choice
from fairtrial.counting.errors import ErrorCounts, ScoreData, ScoreSource, as_source, count_errors
from fairtrial.counting.search import all_points
from fairtrial.errors import ParameterError, TrialsError
from fairtrial.folds import CROSS_VALIDATED, Block, block_sources
from fairtrial.rules.criteria import Criterion, CriterionLike, as_criterion, choose_thresholds
from fairtrial.rules.exact import simplest_fraction
from fairtrial.rules.measures import Measure, MeasureLike, as_measure
from fairtrial.tables import COUNT_COLUMNS, RATE_COLUMNS, Column, Result, Table, every_tenth, percent
from fairtrial.trials import Trials, check_same_systems

AreaConvention: TypeAlias = Literal["interpolated", "step"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PerformanceCurve(Result):
    """An Expected Performance Curve: for each alpha, errors on test at the threshold chosen on dev."""

    system: str
    criterion: Criterion
    measure: Measure
    alpha: NDArray[np.float64]
    counts: ErrorCounts
    kind: str = "a priori"

    @property
    def threshold(self) -> NDArray[np.float64]:
        """The thresholds; NaN where no single one was used (pooled and cross-validated curves)."""
        return np.asarray(self.counts.threshold)

    @property
    def far(self) -> NDArray[np.float64]:
        """False acceptance rates on test."""
        return np.asarray(self.counts.far)

    @property
    def frr(self) -> NDArray[np.float64]:
        """False rejection rates on test."""
        return np.asarray(self.counts.frr)

    @property
    def hter(self) -> NDArray[np.float64]:
        """Half total error rates on test."""
        return np.asarray(self.counts.hter)

    @property
    def value(self) -> NDArray[np.float64]:
        """The curve's measure on test."""
        return np.asarray(self.measure(self.counts, self.alpha))

    def mean(self) -> float:
        """The mean of the measure over the range of alpha: the area under the curve over its width."""
        width = self.alpha[-1] - self.alpha[0]
        return float(np.trapezoid(self.value, self.alpha) / width) if width > 0 else float(np.mean(self.value))

    def summary(self) -> str:
        """The mean of the measure along the curve."""
        mean = percent(self.mean()) if self.measure.is_share else f"{self.mean():.4g}"
        return f"{self.system}, mean {self.measure.label} {mean}, {len(self.alpha)} points by {self.criterion}"

    def tables(self) -> tuple[Table, ...]:
        """The errors at each alpha, and the mean of the measure along the curve."""
        kind: Literal["rate", "number"] = "rate" if self.measure.is_share else "number"
        columns = [
            Column("system", "system"),
            Column("alpha", "alpha", "number"),
            Column("threshold", "threshold", "threshold"),
            *RATE_COLUMNS,
        ]
        if self.measure.name not in ("far", "frr", "hter"):
            columns.append(Column("value", self.measure.label, kind))
        columns += [Column("criterion", "criterion", detail=True), Column("kind", "figures", detail=True)]
        columns += COUNT_COLUMNS
        series = {
            "alpha": self.alpha,
            "threshold": self.threshold,
            "value": self.value,
            **{name: getattr(self.counts, name) for name in ("far", "frr", "hter", "false_accepts", "false_rejects")},
        }
        same = {"system": self.system, "criterion": str(self.criterion), "kind": self.kind}
        same |= {"genuine": self.counts.genuine, "impostor": self.counts.impostor}
        records = [same | {name: values[k].item() for name, values in series.items()} for k in range(len(self.alpha))]
        caption = f"Expected performance curve, threshold by {self.criterion} on dev, figures {self.kind}"
        shown = every_tenth(len(records))
        means = (Column("system", "system"), Column("mean", f"mean {self.measure.label}", kind))
        return (
            Table.of("curve", caption, columns, records, section="system", shown=shown),
            Table("means", "Mean along the curve", means, ((self.system, self.mean()),)),
        )

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        return {
            "system": self.system,
            "criterion": self.criterion.name,
            "measure": self.measure.name,
            "kind": self.kind,
            "alpha": self.alpha.tolist(),
            "threshold": [None if np.isnan(value) else value for value in self.threshold.tolist()],
            "far": self.far.tolist(),
            "frr": self.frr.tolist(),
            "hter": self.hter.tolist(),
            "value": self.value.tolist(),
            "mean": self.mean(),
        }


def alpha_grid(points: int = 101, *, low: float = 0.0, high: float = 1.0) -> NDArray[np.float64]:
    """Even values of alpha, each the double nearest to its fraction: 0.57, never 0.5700000000000001."""
    if points < 2:
        raise ParameterError(f"a curve needs at least 2 points, not {points}")
    if not 0 <= low < high <= 1:
        raise ParameterError(f"the range of alpha must lie within 0 and 1 and not be empty, not {low:g} to {high:g}")
    first, last = simplest_fraction(low), simplest_fraction(high)
    return np.array([float(first + (last - first) * Fraction(k, points - 1)) for k in range(points)])


def performance_curve(
    dev: ScoreData,
    test: ScoreData,
    *,
    alphas: ArrayLike | None = None,
    criterion: CriterionLike = "wer-min",
    measure: MeasureLike = "hter",
    system: str | None = None,
) -> PerformanceCurve:
    """Compute an Expected Performance Curve.

    Parameters
    ----------
    dev, test
        Where thresholds come from and where errors are counted; see `as_source`.
    alphas
        Values of alpha in rising order; 0, 0.01, ..., 1 by default.
    criterion, measure
        Any criterion and any measure, by name or a user's own.

    Examples
    --------
    >>> dev = ([0.9, 0.8, 0.4, 0.7], [0.1, 0.3, 0.5, 0.2, 0.6])
    >>> test = ([0.85, 0.55, 0.45, 0.95, 0.35], [0.15, 0.65, 0.25, 0.42, 0.05, 0.5])
    >>> performance_curve(dev, test, alphas=[0, 0.5, 1]).hter.round(4)
    array([0.25  , 0.3833, 0.3833])
    """
    check_same_systems(dev, test)
    weights = alpha_grid() if alphas is None else _rising(check_alphas(alphas))
    chosen = choose_thresholds(as_source(dev, system=system, what="dev"), criterion, weights)
    counts = count_errors(as_source(test, system=system, what="test"), chosen.threshold)
    return PerformanceCurve(system_name(dev, system), as_criterion(criterion), as_measure(measure), weights, counts)


def system_name(data: ScoreData, system: str | None) -> str:
    """The name asked for, or that of the only system."""
    if system is None and isinstance(data, Trials) and len(data.systems) == 1:
        return data.systems[0]
    return "system" if system is None else system


def _rising(alphas: NDArray[np.float64]) -> NDArray[np.float64]:
    if np.any(np.diff(alphas) <= 0):
        raise ParameterError("the values of alpha along a curve must rise")
    return alphas


def add_counts(parts: Sequence[ErrorCounts]) -> ErrorCounts:
    """Errors and trials summed, each part at its own threshold."""
    thresholds = np.stack([part.threshold for part in parts])
    same = (thresholds == thresholds[0]).all(axis=0)
    return ErrorCounts(
        np.where(same, thresholds[0], np.nan),
        sum(part.false_accepts for part in parts),
        sum(part.false_rejects for part in parts),
        sum(part.genuine for part in parts),
        sum(part.impostor for part in parts),
    )


def cross_validated_curve(
    trials: Trials,
    blocks: Sequence[Block],
    *,
    alphas: ArrayLike | None = None,
    criterion: CriterionLike = "wer-min",
    measure: MeasureLike = "hter",
    system: str | None = None,
) -> PerformanceCurve:
    """Compute an EPC from one set of trials: thresholds from other people, errors pooled over all.

    Parameters
    ----------
    blocks
        Which trials set the thresholds for which; see `make_blocks`.
    """
    weights = alpha_grid() if alphas is None else _rising(check_alphas(alphas))
    counts = add_counts(
        [
            count_errors(held_out, choose_thresholds(others, criterion, weights).threshold)
            for others, held_out in block_sources(trials, blocks, system=system)
        ]
    )
    name = system_name(trials, system)
    return PerformanceCurve(name, as_criterion(criterion), as_measure(measure), weights, counts, CROSS_VALIDATED)


def pool_curves(curves: Sequence[PerformanceCurve], *, system: str = "pooled") -> PerformanceCurve:
    """Pool several experiments: false accepts and false rejects summed, each at its own threshold.

    References
    ----------
    Poh & Bengio, Database, protocols and tools for evaluating score-level fusion, 2006, eqs. (11), (12).
    """
    if not curves:
        raise TrialsError("there is no curve to pool")
    first = curves[0]
    for curve in curves[1:]:
        if not np.array_equal(curve.alpha, first.alpha):
            raise TrialsError(f"{curve.system} and {first.system} have different values of alpha: pool equal ones")
        if (curve.criterion, curve.measure.name) != (first.criterion, first.measure.name):
            raise TrialsError(f"{curve.system} and {first.system} have different criteria or measures")
    counts = add_counts([curve.counts for curve in curves])
    return PerformanceCurve(system, first.criterion, first.measure, first.alpha, counts, first.kind)


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
    low, high
        The range of target rates; the result is the mean over it.
    convention
        A target rate mostly lies between two reachable ones. ``interpolated`` mixes the two thresholds so
        that the target is met on dev: then dev = test gives (AUC_err + 1/2)/2 exactly, cross-class ties
        included. ``step`` takes the nearest reachable rate, as eq. (14) reads.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, eqs. (14) to (18).

    Examples
    --------
    >>> scores = ([0.9, 0.8, 0.4, 0.7], [0.1, 0.3, 0.5, 0.2, 0.6])
    >>> expected_areas(scores, scores).g
    0.3
    """
    if not 0 <= low < high <= 1:
        raise ParameterError(f"the range of rates must lie within 0 and 1 and not be empty, not {low:g} to {high:g}")
    check_same_systems(dev, test)
    check_choice("convention", convention, get_args(AreaConvention))
    thresholds, by_far, by_frr = area_weights(
        as_source(dev, system=system, what="dev"), low=low, high=high, convention=convention
    )
    value = count_errors(as_source(test, system=system, what="test"), thresholds).hter
    return Areas(float(np.dot(by_far, value)), float(np.dot(by_frr, value)), low, high, convention)


def area_weights(
    dev: ScoreSource, *, low: float = 0.0, high: float = 1.0, convention: AreaConvention = "interpolated"
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
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
