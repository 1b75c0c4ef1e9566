"""The Expected Performance Curve: thresholds from dev for every alpha, the figure from test.

Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairtrial.core.errors import ParameterError, TrialsError, check_alphas, check_number
from fairtrial.core.notes import Note
from fairtrial.core.results import Result, plain
from fairtrial.core.tables import COUNT_COLUMNS, RATE_COLUMNS, Column, Table, every_tenth
from fairtrial.core.words import figure_text, in_a_row, term
from fairtrial.counting.tallies import ErrorCounts, ScoreData, add_counts
from fairtrial.inference.decide import BOUNDS_NOTE, Judgement, judge
from fairtrial.inference.folds import Block
from fairtrial.inference.people import Cluster
from fairtrial.inference.split import PROVENANCES, Kind, TrialSets, pooled_kind
from fairtrial.rules.bounds import Bounds
from fairtrial.rules.criteria import Criterion, CriterionLike
from fairtrial.rules.measures import MEASURES, Measure, MeasureLike, as_measure, label_of, simplest_fraction

_RATES = ("far", "frr", "hter")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PerformanceCurve(Result):
    """An Expected Performance Curve: for each alpha, errors on test at the threshold chosen on dev.

    Attributes
    ----------
    system : str
        The system's name.
    criterion : Criterion
        How the threshold was chosen.
    measure : Measure
        The measure of `value`.
    alpha : ndarray of float
        The weights or targets that the criterion took, shape (alphas,).
    counts : ErrorCounts
        Errors on test, one entry per alpha.
    kind : {"a priori", "a priori (cross-validated)", "a posteriori", "at a given threshold"}
        Whether the figures are a priori.
    judgement : Judgement or None
        The judgement with these errors; None for a pooled curve.

    Notes
    -----
    Figures are fractions and arrays of shape (alphas,).

    Examples
    --------
    >>> from fairtrial import performance_curve
    >>> curve = performance_curve(([0.9, 0.4], [0.1, 0.5]), ([0.8, 0.6], [0.2, 0.7]), alphas=[0, 0.5, 1])
    >>> curve.threshold, curve.value
    (array([0.1, 0.1, 0.5]), array([0.5 , 0.5 , 0.25]))
    """

    system: str
    criterion: Criterion
    measure: Measure
    alpha: NDArray[np.float64]
    counts: ErrorCounts
    kind: Kind = "a priori"
    judgement: Judgement | None = None

    def judged(self) -> Judgement:
        """Return the judgement of the curve.

        Returns
        -------
        Judgement
            Trials, people and thresholds.

        Raises
        ------
        ParameterError
            If the curve is pooled.
        """
        if self.judgement is None:
            raise ParameterError("a pooled curve has no trials, so its uncertainty cannot be estimated")
        return self.judgement

    @property
    def threshold(self) -> NDArray[np.float64]:
        """The thresholds; NaN if there are several for one alpha (pooled and cross-validated curves)."""
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
        """Compute the mean of the measure over the range of alpha: the area under the curve over its width.

        Returns
        -------
        float
            In the unit of the measure.
        """
        width = self.alpha[-1] - self.alpha[0]
        return float(np.trapezoid(self.value, self.alpha) / width) if width > 0 else float(np.mean(self.value))

    @property
    def bounds(self) -> dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """From counters, bounds along alpha of the figures of the scores, by name; empty if all are exact."""
        boxes = None if self.judgement is None else self.judgement.boxes[1]
        if self.judgement is None or boxes is None:
            return {}
        bounds = {"threshold": [box.threshold for box in boxes]}
        for name, measure in {**{rate: MEASURES[rate] for rate in _RATES}, "value": self.measure}.items():
            bounds[name] = [box.of(measure, alpha) for box, alpha in zip(boxes, self.alpha.tolist(), strict=True)]
        return {
            name: (np.array([bound.low for bound in along]), np.array([bound.high for bound in along]))
            for name, along in bounds.items()
        }

    @property
    def exact(self) -> bool:
        """Whether all figures are exact, and none is bounded only."""
        return all(np.array_equal(*ends) for name, ends in self.bounds.items() if name != "threshold")

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes on bounds; none if all figures are exact."""
        if self.exact or self.judgement is None:
            return ()
        pairs = zip(*(ends.tolist() for ends in self.bounds["value"]), strict=True)
        widest, precision = max(Bounds(*pair).relative_width for pair in pairs), self.judgement.precision
        notes = [BOUNDS_NOTE]
        if widest > precision:
            text = (
                "bounds of {label:term} are up to {widest:percent} apart, more than the precision of "
                "{precision:percent}; count with a finer precision, or read the scores themselves"
            )
            values: dict[str, Any] = {"label": self.measure.label, "widest": widest, "precision": precision}
            notes.append(Note("wide-bounds", text, self.system, warning=True, **values))
        return tuple(notes)

    def answer(self) -> str:
        """Write the mean of the measure along the curve."""
        mean = figure_text(self.mean(), self.measure.is_share)
        return f"{self.system}, mean {term(self.measure.label)} {mean}, {len(self.alpha)} points by {self.criterion}"

    def tables(self) -> tuple[Table, ...]:
        """Tabulate the errors at each alpha, and the mean of the measure along the curve."""
        columns = [
            Column("system", "system"),
            Column("alpha", "alpha", "number"),
            Column("threshold", "threshold", "threshold"),
            *RATE_COLUMNS,
        ]
        if self.measure.name not in _RATES:
            columns.append(Column("value", self.measure.label, self.measure.kind))
        columns += [Column("criterion", "criterion", detail=True), Column("kind", "figures", detail=True)]
        columns += COUNT_COLUMNS
        series = {"alpha": self.alpha, "threshold": self.threshold, "value": self.value}
        series |= {name: getattr(self.counts, name) for name in (*_RATES, "false_accepts", "false_rejects")}
        same = {"system": self.system, "criterion": str(self.criterion), "kind": self.kind}
        same |= {"genuine": self.counts.genuine, "impostor": self.counts.impostor}
        records = [same | {name: values[k].item() for name, values in series.items()} for k in range(len(self.alpha))]
        chosen = f"threshold by {self.criterion} {PROVENANCES[self.kind].chosen}"
        caption = f"Expected performance curve, {chosen}, figures {self.kind}"
        shown = every_tenth(len(records))
        table = Table.of("curve", caption, columns, records, notes=self.notes, section="system", shown=shown)
        for name, ends in self.bounds.items():
            if name == "value" and self.measure.name in _RATES:
                continue
            share = name in _RATES or (name == "value" and self.measure.is_share)
            title = self.measure.label if name == "value" else label_of(name)
            shown_as = "interval" if share else "range"
            column = Column(f"{name}_bounds", f"bounds of {title}", shown_as, name not in (self.measure.name, "value"))
            table = table.with_column(column, list(zip(*(end.tolist() for end in ends), strict=True)))
        means = (Column("system", "system"), Column("mean", f"mean {term(self.measure.label)}", self.measure.kind))
        return table, Table("means", "Mean along the curve", means, ((self.system, self.mean()),))

    def to_dict(self) -> dict[str, Any]:
        """Return the result under the names of the command line's JSON."""
        return {
            "system": self.system,
            "criterion": self.criterion.name,
            "measure": self.measure.name,
            "kind": self.kind,
            **{name: getattr(self, name).tolist() for name in ("alpha", *_RATES, "value")},
            "threshold": [None if np.isnan(value) else value for value in self.threshold.tolist()],
            "mean": self.mean(),
            **{
                f"{name}_bounds": {"low": low.tolist(), "high": high.tolist()}
                for name, (low, high) in self.bounds.items()
            },
            **(
                {"exact": self.exact, "precision": self.judged().precision, "notes": plain(self.notes)}
                if self.bounds
                else {}
            ),
        }


def alpha_grid(points: int = 101, *, low: float = 0.0, high: float = 1.0) -> NDArray[np.float64]:
    """Compute evenly spaced values of alpha, each the double nearest to its fraction: 0.57, never 0.5700000000000001.

    Parameters
    ----------
    points : int, default 101
        The number of values.
    low : float, default 0.0
        The lower end of the range, included.
    high : float, default 1.0
        The upper end of the range, included.

    Returns
    -------
    ndarray of float
        Rising values, shape (points,).

    Raises
    ------
    ParameterError
        If there are fewer than two points, or the range is empty or not within 0 and 1.

    Examples
    --------
    >>> alpha_grid(5)
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    if points < 2:
        raise ParameterError(f"a curve needs at least 2 points, not {points}")
    check_number("point", points)
    if not 0 <= low < high <= 1:
        raise ParameterError(f"the range of alpha must lie within 0 and 1 and not be empty, not {low:g} to {high:g}")
    first, last = simplest_fraction(low), simplest_fraction(high)
    return np.array([float(first + (last - first) * Fraction(k, points - 1)) for k in range(points)])


def alpha_range(low: float, high: float) -> str:
    """Write a range of alpha."""
    return f"{low:.3g}" if low == high else f"{low:.3g} to {high:.3g}"


def alpha_ranges(alpha: NDArray[np.float64], which: NDArray[np.bool_]) -> str:
    """Write the marked alphas: one range for each run of neighbours.

    Examples
    --------
    >>> alpha_ranges(alpha_grid(5), np.array([True, True, False, True, False]))
    '0 to 0.25 and 0.75'
    """
    edges = np.flatnonzero(np.diff(np.concatenate([[0], which.astype(int), [0]]))).reshape(-1, 2)
    return in_a_row([alpha_range(alpha[start], alpha[stop - 1]) for start, stop in edges.tolist()])


def curve_of(judgement: Judgement, measure: MeasureLike = "hter") -> PerformanceCurve:
    """Make the curve of a measure along the alphas of a judgement."""
    system, rule, alpha, counts = judgement.system, judgement.criterion, judgement.alpha, judgement.test
    return PerformanceCurve(system, rule, as_measure(measure), alpha, counts, judgement.kind, judgement)


def performance_curve(
    dev: ScoreData,
    test: ScoreData | None = None,
    *,
    folds: int | Sequence[Block] | None = None,
    alphas: ArrayLike | None = None,
    criterion: CriterionLike = "wer-min",
    measure: MeasureLike = "hter",
    system: str | None = None,
    cluster: Cluster | None = None,
    rng: np.random.Generator | int | None = 0,
) -> PerformanceCurve:
    """Compute an Expected Performance Curve.

    Parameters
    ----------
    dev : Trials, data frame, ScoreSource, Counter or tuple of two array_like
        The trials that thresholds are chosen on.
    test : Trials, data frame, ScoreSource, Counter or tuple of two array_like, optional
        The trials that are judged; not needed with `folds`.
    folds : int or sequence of Block, optional
        Instead of `test`: the number of folds of the people of dev, or blocks of `make_blocks`; every
        block is judged by thresholds from other people, and errors are pooled.
    alphas : array_like, optional
        The weights or targets that the criterion takes, rising, shape (alphas,); 0, 0.01, ..., 1 by default.
    criterion : str, Criterion, DetectionCosts or callable, default "wer-min"
        How the threshold is chosen on dev: a name in `CRITERIA`, a criterion, detection costs, or a function
        ``C(far, frr, alpha)`` of arrays.
    measure : str, Measure, DetectionCosts or callable, default "hter"
        What is reported: a name in `MEASURES`, a measure, detection costs, or a function of an `ErrorCounts`.
    system : str, optional
        The name of the system; not needed if there is only one.
    cluster : {"none", "claim", "subject", "both"}, optional
        What dependent trials share: the claimed identity, the subject, both or nothing; by default all known ids.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result. For bands and comparisons of the curve.

    Returns
    -------
    PerformanceCurve
        Thresholds, errors and the measure at every alpha; from counters, also bounds. Thresholds are NaN with folds.

    Raises
    ------
    ParameterError
        If a criterion or measure is unknown, or an alpha is out of range.
    TrialsError
        If trials lack a class, dev and test hold different systems, or none of several systems is named.

    Notes
    -----
    The curve is a priori: no threshold is chosen on the trials that it is judged on.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, Algorithm 1, eq. (10) and section 4.1.

    Examples
    --------
    >>> dev = ([0.9, 0.8, 0.4, 0.7], [0.1, 0.3, 0.5, 0.2, 0.6])
    >>> test = ([0.85, 0.55, 0.45, 0.95, 0.35], [0.15, 0.65, 0.25, 0.42, 0.05, 0.5])
    >>> performance_curve(dev, test, alphas=[0, 0.5, 1]).hter.round(4)
    array([0.25  , 0.3833, 0.3833])
    """
    sets = TrialSets.of(dev, test, folds=folds, cluster=cluster, rng=rng)
    return curve_of(judge(sets, system=system, criterion=criterion, alphas=rising_alphas(alphas)), measure)


def rising_alphas(alphas: ArrayLike | None) -> NDArray[np.float64]:
    """Validate the values of alpha along a curve; 0, 0.01, ..., 1 by default."""
    if alphas is None:
        return alpha_grid()
    values = check_alphas(alphas)
    if np.any(np.diff(values) <= 0):
        raise ParameterError("the values of alpha along a curve must rise")
    return values


def pool_curves(curves: Sequence[PerformanceCurve], *, system: str = "pooled") -> PerformanceCurve:
    """Pool several experiments: false accepts and false rejects summed, each at its own threshold.

    Parameters
    ----------
    curves : sequence of PerformanceCurve
        Curves at the same values of alpha, by the same criterion, of the same measure.
    system : str, default "pooled"
        The name of the pooled curve.

    Returns
    -------
    PerformanceCurve
        The pooled errors, without a judgement.

    Raises
    ------
    TrialsError
        If there is no curve, or curves differ in alpha, criterion or measure.

    References
    ----------
    Poh & Bengio, Database, protocols and tools for evaluating score-level fusion, 2006, eqs. (11), (12).

    Examples
    --------
    >>> from fairtrial import performance_curve
    >>> first = performance_curve(([0.9, 0.4], [0.1, 0.5]), ([0.8, 0.6], [0.2, 0.7]), alphas=[0.5])
    >>> second = performance_curve(([0.9, 0.4], [0.1, 0.5]), ([0.8, 0.6], [0.05, 0.02]), alphas=[0.5])
    >>> first.hter, second.hter, pool_curves([first, second]).hter
    (array([0.5]), array([0.]), array([0.25]))
    """
    if not curves:
        raise TrialsError("there is no curve to pool")
    first = curves[0]
    for curve in curves[1:]:
        if not np.array_equal(curve.alpha, first.alpha):
            raise TrialsError(f"{curve.system} and {first.system} have different values of alpha: pool equal ones")
        if (curve.criterion.name, curve.measure.name) != (first.criterion.name, first.measure.name):
            raise TrialsError(f"{curve.system} and {first.system} have different criteria or measures")
    counts = add_counts([curve.counts for curve in curves])
    kind = pooled_kind([curve.kind for curve in curves])
    return PerformanceCurve(system, first.criterion, first.measure, first.alpha, counts, kind)
