"""Calibration of scores that are not at hand: fitted and judged in passes over them, with the figures of memory.

Of a source only sums over its scores are asked for: costs and their derivatives by logistic calibration, counts by all
else. Means over trials are the same but for the rounding of sums; what rests on counts is the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from scipy.special import expit

from fairtrial.calibration.costs import CostLike, CostTarget, cost_target, point_weights
from fairtrial.calibration.evidence import CostPoint, Segments, cllr, segment_cllr, softplus
from fairtrial.calibration.isotonic import Steps, fit_steps
from fairtrial.calibration.linear import Linear, turned_notes
from fairtrial.calibration.logistic import SEPARATED, minimise
from fairtrial.calibration.methods import INFINITE, CalibrationFit, check_range, units_of
from fairtrial.calibration.model import Calibration, check_prior
from fairtrial.counting.cells import Cells
from fairtrial.counting.errors import ErrorCounts, Genuine, Scores, ScoreSource, Tally, count_errors, has_sources
from fairtrial.counting.search import hull_points
from fairtrial.errors import ParameterError, TrialsError
from fairtrial.spread import Floats
from fairtrial.tables import Column, Result, Table, number_text
from fairtrial.trial_sets import PROVENANCES, SAME_TRIALS, Kind, TrialSets, check_same_systems

Total = TypeVar("Total")


@dataclass(frozen=True, slots=True)
class _Moments:
    """Per class (impostor, genuine): the number, the sum and the sum of squares of what scores are above a middle.

    They are in units of which no square overflows or vanishes.
    """

    middle: float
    unit: float

    def start(self) -> Floats:
        return np.zeros((2, 3))

    def add(self, total: Floats, scores: Scores, genuine: Genuine) -> Floats:
        for row, own in enumerate(_by_class(scores, genuine)):
            away = (own.astype(np.float64, copy=False) - self.middle) / self.unit
            total[row] += len(own), away.sum(), away @ away
        return total

    def merge(self, a: Floats, b: Floats) -> Floats:
        return a + b


@dataclass(frozen=True, slots=True)
class _Range:
    """The lowest and the highest score."""

    def start(self) -> Floats:
        return np.array([np.inf, -np.inf])

    def add(self, total: Floats, scores: Scores, genuine: Genuine) -> Floats:
        if len(scores):
            total[0], total[1] = min(total[0], float(scores.min())), max(total[1], float(scores.max()))
        return total

    def merge(self, a: Floats, b: Floats) -> Floats:
        return np.array([min(a[0], b[0]), max(a[1], b[1])])


@dataclass(frozen=True, slots=True)
class _LogisticSums:
    """Per class (impostor, genuine): the cost, and its first and second derivatives, at a weight and an offset."""

    weight: float
    offset: float
    middle: float
    scale: float

    def start(self) -> Floats:
        return np.zeros((2, 6))

    def add(self, total: Floats, scores: Scores, genuine: Genuine) -> Floats:
        for row, own in enumerate(_by_class(scores, genuine)):
            places = (own.astype(np.float64, copy=False) - self.middle) / self.scale
            total[row] += logistic_sums(places, self.weight, self.offset, genuine=bool(row))
        return total

    def merge(self, a: Floats, b: Floats) -> Floats:
        return a + b


def logistic_sums(places: Floats, weight: float, offset: float, *, genuine: bool) -> Floats:
    """The sums over some trials of one class: cost, slopes in weight and offset, and the three bends."""
    ratios = weight * places + offset
    chance = expit(ratios)
    wrong, bend = chance - genuine, chance * (1 - chance)
    cost = softplus(-ratios if genuine else ratios)
    return np.array(
        [cost.sum(), wrong @ places, wrong.sum(), (bend * places) @ places, bend @ places, bend.sum()],
    )


def _by_class(scores: Scores, genuine: Genuine) -> tuple[Scores, Scores]:
    """Impostor and genuine scores."""
    if isinstance(genuine, bool):
        return (scores[:0], scores) if genuine else (scores, scores[:0])
    return scores[~genuine], scores[genuine]


@dataclass(frozen=True, slots=True)
class _Mapped:
    """Another tally, of log-likelihood ratios in place of scores."""

    what: Tally[Any]
    mapping: Linear | Steps

    def start(self) -> Any:
        return self.what.start()

    def add(self, total: Any, scores: Scores, genuine: Genuine) -> Any:
        ratios = self.mapping.ratios(scores[:, None].astype(np.float64, copy=False))
        return self.what.add(total, ratios, genuine)

    def merge(self, a: Any, b: Any) -> Any:
        return self.what.merge(a, b)


@dataclass(frozen=True, slots=True, eq=False)
class CalibratedSource:
    """The log-likelihood ratios of a source of scores."""

    scores: ScoreSource
    mapping: Linear | Steps

    @property
    def genuine(self) -> int:
        """How many genuine trials there are."""
        return self.scores.genuine

    @property
    def impostor(self) -> int:
        """How many impostor trials there are."""
        return self.scores.impostor

    @property
    def room(self) -> int:
        """How many ratios may be gathered at once."""
        return self.scores.room

    def lay_cells(self, fineness: int) -> Cells | None:
        """None: what is searched for is searched among scores."""
        return None

    def tally(self, what: Tally[Total]) -> Total:
        """One pass over all scores."""
        found: Total = self.scores.tally(_Mapped(what, self.mapping))
        return found

    def vertices(self) -> ErrorCounts:
        """Errors at thresholds among which every least cost is: those of the ROC convex hull, or all of few steps."""
        if isinstance(self.mapping, Linear):
            return hull_points(self.scores)
        return count_errors(self.scores, np.concatenate([[-np.inf], self.mapping.ends, [np.inf]]))

    def segments(self) -> Segments:
        """What pool-adjacent-violators gives."""
        if isinstance(self.mapping, Linear):
            return Segments.of(self.scores)
        points = self.vertices()
        genuine, impostor = np.diff(points.false_rejects), -np.diff(points.false_accepts)
        held = (genuine > 0) | (impostor > 0)
        return Segments(np.flatnonzero(held).astype(np.float64), genuine[held], impostor[held]).pooled()


def fit_in_passes(source: ScoreSource, system: str, *, method: str = "logistic", prior: float = 0.5) -> Calibration:
    """Fit a calibration in passes over dev scores.

    Parameters
    ----------
    source : ScoreSource
        The scores of dev.
    system : str
        The name of the system.
    method : str, default "logistic"
        How scores become ratios: a name in `CALIBRATIONS`: ``logistic``, ``gaussian`` or ``pav``.
    prior : float, default 0.5
        The prior probability of a genuine trial, between 0 and 1, at which ``logistic`` and ``gaussian`` weigh the
        classes.

    Returns
    -------
    Calibration
        The calibration that `fit_calibration` gives for the same trials in memory.

    Raises
    ------
    ParameterError
        A method that needs all scores at once.
    TrialsError
        As for `fit_calibration`.

    Examples
    --------
    >>> import fairtrial as ft
    >>> rng = np.random.default_rng(0)
    >>> genuine = np.arange(2000) < 500
    >>> dev = ft.open_trials(rng.normal(2.0 * genuine), genuine)
    >>> fit_in_passes(dev.source_of(None), "face").method
    'logistic'
    """
    check_prior(prior)
    if method not in ("logistic", "gaussian", "pav"):
        raise ParameterError(f"{method} needs all dev scores at once; in passes there are logistic, gaussian and pav")
    low, high = source.tally(_Range()).tolist()
    finite = bool(np.isfinite([low, high]).all())
    if method == "pav" and not finite:
        return Calibration((system,), method, fit_steps(source), prior)
    if not finite:
        raise TrialsError(f"{system}: {INFINITE}")
    unit = float(units_of(np.array([[low], [high]]))[0])
    start = low / 2 + high / 2
    counts, sums, squares = source.tally(_Moments(start, unit)).T
    if method == "pav":
        notes = turned_notes(np.diff(sums / counts))
        return Calibration((system,), method, fit_steps(source), prior, notes)
    check_range(system, low, high)
    means = start + unit * sums / counts
    # the squares once more around the mean of all, so that they lose no digits
    middle = float(counts @ means / counts.sum())
    counts, sums, squares = source.tally(_Moments(middle, unit)).T
    fit = _gaussian if method == "gaussian" else _logistic
    found = fit(source, system, prior, middle, unit, counts, sums / counts, squares / counts)
    return Calibration((system,), method, found.mapping, prior, found.notes)


def _gaussian(
    source: ScoreSource,
    system: str,
    prior: float,
    middle: float,
    unit: float,
    counts: Floats,
    means: Floats,
    squares: Floats,
) -> CalibrationFit:
    variance = float(np.array([1 - prior, prior]) @ (squares - means**2))
    if not variance > 0:
        raise TrialsError(f"{system}: the dev scores of each class do not spread; no normal distribution can be fitted")
    weight = float(means[1] - means[0]) / variance
    mapping = Linear((weight / unit,), float(-weight * (means.sum() / 2 + middle / unit)))
    return CalibrationFit(mapping, notes=turned_notes(np.array([weight])))


def _logistic(
    source: ScoreSource,
    system: str,
    prior: float,
    middle: float,
    unit: float,
    counts: Floats,
    means: Floats,
    squares: Floats,
) -> CalibrationFit:
    width = float(np.sqrt(squares @ counts / counts.sum()))
    scale = width * unit
    shift = float(np.log(prior) - np.log1p(-prior))
    shares = np.array([(1 - prior) / counts[0], prior / counts[1]])
    added = means[::-1] / width

    def terms(at: Floats, *, separated: bool) -> tuple[float, Floats, Floats]:
        weight, offset = float(at[0]), float(at[1]) + shift
        sums = source.tally(_LogisticSums(weight, offset, middle, scale))
        if separated:  # one trial of each class at the mean of the other
            sums = sums + [logistic_sums(added[k : k + 1], weight, offset, genuine=bool(k)) for k in (0, 1)]
        cost, *slope, twice, mixed, once = (shares @ sums).tolist()
        return cost, np.array(slope), np.array([[twice, mixed], [mixed, once]])

    notes: tuple[str, ...] = ()
    found = minimise(lambda at: terms(at, separated=False), 2, prior)
    if found is None:
        found, notes = minimise(lambda at: terms(at, separated=True), 2, prior), (SEPARATED,)
    if found is None:
        raise TrialsError(f"{system}: no weight could be fitted to these dev scores")
    weight = float(found[0]) / scale
    mapping = Linear((weight,), float(found[1]) - weight * middle)
    return CalibrationFit(mapping, notes=(*notes, *turned_notes(np.array([weight]))))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PassedCalibration(Result):
    """A system calibrated on dev and judged on test in passes: figures without intervals.

    Attributes
    ----------
    system : str
        The system's name.
    calibration : Calibration
        The map from scores to ratios.
    dev : tuple of (float, float)
        Cllr and min Cllr on dev.
    test : tuple of (float, float)
        Cllr of the calibrated scores on test, a priori, and min Cllr, a posteriori.
    raw : float
        Cllr of the scores on test as they are.
    costs : tuple of tuple of (CostTarget, float, float)
        Each detection cost with its actual and its least value on test.
    notes : tuple of str
        What the reader should know.
    kind : {"a priori", "a priori (cross-validated)", "a posteriori", "at a given threshold"}
        Whether Cllr and actual costs on test are a priori.

    Examples
    --------
    >>> import fairtrial as ft
    >>> rng = np.random.default_rng(0)
    >>> genuine = np.arange(2000) < 500
    >>> dev, test = (ft.open_trials(rng.normal(2.0 * genuine), genuine) for _ in range(2))
    >>> ft.calibrate_in_passes(dev, test).calibration.method
    'logistic'
    """

    system: str
    calibration: Calibration
    dev: tuple[float, float]
    test: tuple[float, float]
    raw: float
    costs: tuple[tuple[CostTarget, float, float], ...]
    notes: tuple[str, ...]
    kind: Kind

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        return {
            "system": self.system,
            "method": self.calibration.method,
            "prior": self.calibration.prior,
            "parameters": self.calibration.parameters,
            "dev": {"cllr": self.dev[0], "cllr_min": self.dev[1]},
            "test": {
                "kind": self.kind,
                "cllr": self.test[0],
                "cllr_min": self.test[1],
                "cllr_cal": self.test[0] - self.test[1],
                "cllr_raw": self.raw,
                "dcf": [{"cost": own.name, "actual": actual, "minimum": least} for own, actual, least in self.costs],
            },
            "notes": list(self.notes),
        }

    def summary(self) -> str:
        """Cllr and min Cllr."""
        actual, least = (number_text(value) for value in self.test)
        return f"{self.calibration.name}, Cllr {actual}, min Cllr {least}, without intervals"

    def tables(self) -> tuple[Table, ...]:
        """Cllr on both sets, detection costs, and the calibration itself."""
        columns = (
            Column("system", "system"),
            Column("set", "set", "term"),
            Column("cllr", "Cllr", "number"),
            Column("cllr_min", "min Cllr", "number"),
            Column("cllr_cal", "lost by calibration", "number"),
            Column("cllr_raw", "Cllr of the scores as they are", "number"),
        )
        rows = tuple(
            (self.system, word, actual, least, actual - least, raw)
            for word, (actual, least), raw in (("dev", self.dev, None), ("test", self.test, self.raw))
        )
        own = PROVENANCES[self.kind]
        judged = f"Cllr on test is {own.evidence_kind}, calibrated {own.fitted}"
        notes = (judged, "min Cllr is a posteriori on either set", *self.notes)
        costs = (
            Column("system", "system"),
            Column("cost", "cost"),
            Column("actual", "actual DCF", "number"),
            Column("minimum", "min DCF", "number"),
        )
        priced = tuple((self.system, own.name, actual, least) for own, actual, least in self.costs)
        shown = self.calibration.mapping.described((self.system,))
        values = (Column("system", "system"), Column("parameter", "parameter"), Column("value", "value", "number"))
        return (
            Table("evidence", "Evidence, in bits", columns, rows, notes, section="system"),
            Table("costs", "Normalised detection costs on test", costs, priced, section="system"),
            Table(
                "parameters",
                f"Calibration: {self.calibration.method}",
                values,
                tuple((self.system, *own) for own in shown.items()),
                section="system",
            ),
        )


_NO_INTERVALS = "the trials were passed over and not held, so there are no intervals"


def calibrate_in_passes(
    dev: Any,
    test: Any,
    *,
    system: str | None = None,
    method: str = "logistic",
    prior: float = 0.5,
    points: Sequence[CostLike] = (CostPoint(0.01),),
) -> PassedCalibration:
    """Calibrate a system on dev and judge it on test, both of any size: in passes, without holding the trials.

    Parameters
    ----------
    dev : object
        The trials that thresholds are chosen on, and that the calibration is fitted to, as `open_trials` gives them.
    test : object
        The trials that are judged, as `open_trials` gives them.
    system : str, optional
        The name of the system; not needed where there is only one.
    method : str, default "logistic"
        How scores become ratios: a name in `CALIBRATIONS`: ``logistic``, ``gaussian`` or ``pav``.
    prior : float, default 0.5
        The prior probability of a genuine trial, between 0 and 1, at which ``logistic`` and ``gaussian`` weigh the
        classes.
    points : sequence of CostLike, default (CostPoint(prior=0.01, miss=1.0, false_alarm=1.0),)
        Detection costs: operating points, or names of those of NIST's evaluations, as ``sre18``; then each of its
        points is reported, and their mean.

    Returns
    -------
    PassedCalibration
        The figures that `calibrate` gives for the same trials in memory, without intervals.

    Raises
    ------
    TrialsError
        Trials in memory, which `calibrate` is for; or evidence that falls as scores rise.

    Examples
    --------
    >>> import fairtrial as ft
    >>> rng = np.random.default_rng(0)
    >>> genuine = np.arange(2000) < 500
    >>> dev, test = (ft.open_trials(rng.normal(2.0 * genuine), genuine) for _ in range(2))
    >>> found = calibrate_in_passes(dev, test)
    >>> found.test[0] > found.test[1]
    True
    """
    if not has_sources(dev) or not has_sources(test):
        raise TrialsError("calibrate_in_passes takes trials of open_trials; calibrate(...) is for trials in memory")
    check_same_systems(dev, test)
    name = dev.check_system(system)
    scores = dev.source_of(name), test.source_of(name)
    calibration = fit_in_passes(scores[0], name, method=method, prior=prior)
    mapping = calibration.mapping
    assert isinstance(mapping, Linear | Steps)
    if isinstance(mapping, Linear) and mapping.weights[0] <= 0:
        raise TrialsError(f"{name}: evidence falls as the score rises: are the scores distances? Then negate them")
    sets = [CalibratedSource(own, mapping) for own in scores]
    figures = [(cllr(own), segment_cllr(own.segments())) for own in sets]
    judged, best = sets[1], sets[1].vertices()
    costs = []
    for each in points:
        target = cost_target(each)
        actual = count_errors(judged, [point.threshold for point in target.points])
        priced = [point.normalised(actual[k]) for k, point in enumerate(target.points)]
        least = [np.min(_priced(point, best)) for point in target.points]
        costs.append((target, float(np.mean(priced)), float(np.mean(least))))
    kind = TrialSets(dev, test).kind
    notes = (
        *dev.notes,
        *test.notes,
        *((SAME_TRIALS,) if kind == "a posteriori" else ()),
        *(f"{calibration.name}: {note}" for note in calibration.notes),
        _NO_INTERVALS,
    )
    return PassedCalibration(
        name, calibration, figures[0], figures[1], cllr(scores[1]), tuple(costs), tuple(dict.fromkeys(notes)), kind
    )


def _priced(point: CostPoint, counts: ErrorCounts) -> Floats:
    return np.asarray(point_weights(point).value(counts))
