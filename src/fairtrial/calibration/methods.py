"""Calibration methods: what they are fitted on, the registry, and the methods themselves.

They are a weighted sum of scores, rising steps, and the ratio of two densities.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import log
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.ndimage import gaussian_filter1d
from scipy.special import expit

from fairtrial.calibration.evidence import Fold, Labels, Segments, class_ends, softplus
from fairtrial.core.errors import ParameterError, TrialsError
from fairtrial.core.notes import POLARITY, Note, distances_in
from fairtrial.core.registry import Registry
from fairtrial.core.trials import Trials
from fairtrial.core.words import listed
from fairtrial.counting.kernels import Cells
from fairtrial.counting.tallies import Genuine, ScoreData, Scores, ScoreSource, Tally, Total, as_source
from fairtrial.inference.variance import Floats

Numbers: TypeAlias = dict[str, float | list[float]]
"""The numbers that a map consists of, by name."""
_LEAST = 1e-300  # smaller scores would need weights beyond the range of floats
_HUGE = 1e100


class ScoreMap(Protocol):
    """A map from scores to natural log-likelihood ratios."""

    def ratios(self, scores: Floats) -> Floats:
        """Map one row per trial and one column per system to one ratio per trial."""
        ...

    @property
    def numbers(self) -> Numbers:
        """All numbers of the map, as in the saved file."""
        ...

    def described(self, systems: tuple[str, ...]) -> dict[str, float]:
        """Give the few numbers that a table shows, by name."""
        ...


class Influence(Protocol):
    """How dev trials determine a map."""

    def moves(self, scores: Floats, slopes: Floats) -> Floats:
        """Compute the influence of each dev trial on a statistic through the map, to first order.

        `slopes` are the derivatives of the statistic in the ratios of judged trials, which have these `scores`.
        """
        ...


@dataclass(frozen=True, slots=True)
class _MappedTally:
    """Tally scores that are mapped chunk by chunk."""

    what: Tally[Any]
    change: Callable[[Floats], Floats]

    def start(self) -> Any:
        return self.what.start()

    def add(self, total: Any, scores: Scores, genuine: Genuine) -> Any:
        return self.what.add(total, self.change(scores.astype(np.float64, copy=False)[:, None]), genuine)

    def merge(self, a: Any, b: Any) -> Any:
        return self.what.merge(a, b)


@dataclass(frozen=True, slots=True)
class MappedSource:
    """Scores that are passed over and mapped; the map takes one row per trial and one column."""

    scores: ScoreSource
    change: Callable[[Floats], Floats]

    @property
    def genuine(self) -> int:
        """The number of genuine trials."""
        return self.scores.genuine

    @property
    def impostor(self) -> int:
        """The number of impostor trials."""
        return self.scores.impostor

    @property
    def room(self) -> int:
        """The number of scores that may be gathered at once."""
        return self.scores.room

    def lay_cells(self, fineness: int) -> Cells | None:
        """None: searches go over the scores."""
        return None

    def tally(self, what: Tally[Total]) -> Total:
        """Pass once over all mapped scores."""
        total: Total = self.scores.tally(_MappedTally(what, self.change))
        return total


@dataclass(frozen=True, eq=False)
class DevScores:
    """The scores that a calibration is fitted on: in memory, or passed over as often as needed.

    Whatever is a sum over trials works for both (`sum`); only an `Influence` needs `scores` and `genuine`.

    Parameters
    ----------
    source : ScoreSource
        The scores of the system, or of the first of several.
    systems : tuple of str
        The names of the systems.
    prior : float, default 0.5
        The prior probability of a genuine trial, between 0 and 1, at which classes are weighted.
    scores : ndarray of float, optional
        Scores of shape (trials, systems); None if they are not in memory.
    genuine : ndarray of bool, optional
        Whether the claim of each trial is true, shape (trials,); None if `scores` is.
    negated : bool, default False
        Whether scores of the first system are distances, which were negated.

    Examples
    --------
    >>> import fairtrial as ft
    >>> dev = DevScores.of(([0.9, 0.8, 0.3], [0.1, 0.2, 0.6]), ("face",))
    >>> ft.CALIBRATIONS["gaussian"].fit(dev).mapping.weights[0] > 0
    True
    """

    source: ScoreSource
    systems: tuple[str, ...]
    prior: float = 0.5
    scores: Floats | None = None
    genuine: Labels | None = None
    negated: bool = False

    @classmethod
    def of(cls, data: ScoreData, systems: tuple[str, ...], prior: float = 0.5) -> DevScores:
        """Take the scores of some systems from trials, a pair of arrays, or pieces of files.

        Parameters
        ----------
        data : Trials, ScoreSource or tuple of two array_like
            The dev trials.
        systems : tuple of str
            The names of the systems.
        prior : float, default 0.5
            The prior probability of a genuine trial, between 0 and 1, at which classes are weighted.

        Returns
        -------
        DevScores
            With `scores` and `genuine` if the trials are in memory.

        Raises
        ------
        TrialsError
            If a class has no trials.
        ParameterError
            If several systems are not in memory.
        """
        if isinstance(data, tuple):
            data = replace(trials_of_classes(data, "dev"), systems=systems)
        source = as_source(data, system=systems[0], what="dev")
        negated = systems[0] in distances_in(getattr(data, "notes", ()))
        if isinstance(data, Trials):
            return cls(source, systems, prior, score_table(data, systems), data.genuine, negated)
        if len(systems) > 1:
            raise ParameterError(
                "a fusion of {systems} needs all dev trials in memory", code="needs-trials", systems=listed(systems)
            )
        return cls(source, systems, prior, negated=negated)

    @property
    def counts(self) -> tuple[int, int]:
        """The number of genuine and of impostor trials."""
        return self.source.genuine, self.source.impostor

    @cached_property
    def class_range(self) -> Floats:
        """The lowest and highest scores: shape (2, classes, systems), impostor trials first."""
        lowest, negated = self._fold(class_ends, np.minimum)
        return np.stack([lowest, -negated])

    @cached_property
    def units(self) -> Floats:
        """The unit of each system's scores; see `units_of`."""
        low, high = self.class_range
        return units_of(np.vstack([low, high]))

    def sum(self, function: Callable[[Floats, Labels], Floats]) -> Any:
        """Sum a function of rows of scores and their labels over all trials.

        Parameters
        ----------
        function : callable
            From scores of shape (trials, systems) and labels of shape (trials,) to an array.

        Returns
        -------
        ndarray of float
            The sum over all chunks.
        """
        return self._fold(function, np.add)

    def _fold(self, function: Callable[[Floats, Labels], Floats], join: Callable[[Any, Any], Any]) -> Any:
        if self.scores is None or self.genuine is None:
            return self.source.tally(Fold(function, join))
        return function(self.scores, self.genuine)

    def mapped(self, change: Callable[[Floats], Floats]) -> DevScores:
        """Give the same trials with changed scores; what is passed over is changed chunk by chunk."""
        if self.scores is not None:
            return replace(self, scores=change(self.scores))
        return replace(self, source=MappedSource(self.source, change))

    def class_means(self) -> Floats:
        """Give the means of impostor and of genuine scores, shape (2, systems)."""
        genuine, impostor = self.counts
        return np.asarray(self.sum(_class_sums) / np.array([[impostor], [genuine]]))

    def class_squares(self, means: Floats) -> Floats:
        """Give the sums of squared deviations from the means of both classes, shape (2, systems)."""
        return np.asarray(self.sum(partial(_class_squares, means=means)))

    def check_finite(self) -> None:
        """Refuse infinite scores, and scores of a system that are all equal or next to 0.

        Raises
        ------
        TrialsError
            If a score is infinite, or a system has no two different scores, or scores too small for a weight.
        """
        low, high = self.class_range[0].min(axis=0), self.class_range[1].max(axis=0)
        for name, least, most in zip(self.systems, low.tolist(), high.tolist(), strict=True):
            if not np.isfinite([least, most]).all():
                template = "{system}: some dev scores are infinite; only {method!o} can calibrate those"
                raise TrialsError(template, code="infinite-scores", system=name, method="pav")
            if least == most:
                template = "{system}: all dev scores are equal, so they carry no evidence"
                raise TrialsError(template, code="equal-scores", system=name)
            if max(abs(least), abs(most)) < _LEAST:
                template = (
                    "{system}: dev scores from {low:g} to {high:g} are too small to calibrate; multiply those of dev "
                    "and test by the same number"
                )
                raise TrialsError(template, code="tiny-scores", system=name, low=least, high=most)


def score_table(trials: Trials, systems: tuple[str, ...]) -> Floats:
    """Give the scores of some systems: one row per trial, one column per system."""
    return np.column_stack([trials.column(name) for name in systems]).astype(np.float64, copy=False)


def trials_of_classes(data: tuple[ArrayLike, ArrayLike], what: str = "scores") -> Trials:
    """Make trials of a pair of arrays ``(genuine, impostor)``."""
    genuine = as_source(data, what=what).genuine
    scores = np.concatenate([np.asarray(part) for part in data])
    return Trials.from_arrays(scores, np.arange(len(scores)) < genuine)


def _class_sums(scores: Floats, genuine: Labels) -> Floats:
    return np.stack([scores[~genuine].sum(axis=0), scores[genuine].sum(axis=0)])


def _class_squares(scores: Floats, genuine: Labels, *, means: Floats) -> Floats:
    away = scores[~genuine] - means[0], scores[genuine] - means[1]
    return np.stack([(some * some).sum(axis=0) for some in away])


def units_of(table: Floats) -> Floats:
    """Give units, one per column, in which no square overflows or vanishes: 1 except for huge and tiny numbers.

    They are powers of two, so that dividing by them is exact.
    """
    most = np.abs(table).max(axis=0)
    usual = (most == 0) | ~np.isfinite(most) | ((most > 1 / _HUGE) & (most < _HUGE))
    powers = np.where(usual, 1, np.frexp(most)[1])
    return np.asarray(np.ldexp(1.0, powers - 1))


@dataclass(frozen=True, slots=True, eq=False)
class CalibrationFit:
    """The fit of a method to dev trials.

    Parameters
    ----------
    mapping : ScoreMap
        From scores to ratios.
    influence : Influence, optional
        How dev trials determine the map; None leaves the uncertainty of the calibration out, and results say so.
    notes : tuple of Note, default ()
        What the reader should know.

    Examples
    --------
    >>> import fairtrial as ft
    >>> dev = ft.calibration.DevScores.of(([0.9, 0.8, 0.3], [0.1, 0.2, 0.6]), ("face",))
    >>> isinstance(ft.CALIBRATIONS["logistic"].fit(dev), CalibrationFit)
    True
    """

    mapping: ScoreMap
    influence: Influence | None = None
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class CalibrationMethod:
    """A way to make log-likelihood ratios of scores.

    Parameters
    ----------
    name : str
        How it is called on the command line and in JSON.
    fit : callable
        From `DevScores` to a `CalibrationFit`.
    read : callable
        From the saved numbers of a map and the number of systems to the map; a ValueError, KeyError or TypeError if
        they do not go together.
    summary : str, default ""
        What it does, in a few words.
    fuses : bool, default False
        Whether it takes several systems at once.
    weighs : bool, default False
        Whether it depends on the prior.

    Examples
    --------
    >>> import fairtrial as ft
    >>> ft.CALIBRATIONS["logistic"].fuses
    True
    """

    name: str
    fit: Callable[[DevScores], CalibrationFit]
    read: Callable[[Mapping[str, Any], int], ScoreMap]
    summary: str = ""
    fuses: bool = False
    weighs: bool = False


CALIBRATIONS: Registry[CalibrationMethod] = Registry("calibration", "calibrations", CalibrationMethod)
"""The calibration methods by name."""


def register_calibration(method: CalibrationMethod) -> CalibrationMethod:
    """Register a calibration method by its name, for the command line, too.

    Parameters
    ----------
    method : CalibrationMethod
        The method; one of the same name is replaced.

    Returns
    -------
    CalibrationMethod
        The same.

    Examples
    --------
    >>> from dataclasses import replace
    >>> register_calibration(replace(CALIBRATIONS["logistic"], name="mine")).name in CALIBRATIONS
    True
    >>> del CALIBRATIONS["mine"]
    """
    CALIBRATIONS[method.name] = method
    return method


_STEPS = 100
_ENOUGH = 1e-12
_ROUNDING = 1e-12  # a relative increase of the cost up to this is rounding, not a step too far


@dataclass(frozen=True, slots=True)
class Linear:
    """Log-likelihood ratios ``weights @ scores + offset``."""

    weights: tuple[float, ...]
    offset: float

    @classmethod
    def read(cls, numbers: Mapping[str, Any], systems: int) -> Linear:
        """Make the map of saved numbers."""
        weights = tuple(map(float, numbers["weights"]))
        if len(weights) != systems:
            raise ValueError("it has not one weight per system")
        return cls(weights, float(numbers["offset"]))

    @property
    def numbers(self) -> Numbers:
        """Weights and offset by name."""
        return {"weights": list(self.weights), "offset": self.offset}

    def ratios(self, scores: Floats) -> Floats:
        """Map scores to ratios.

        Raises
        ------
        TrialsError
            If infinite scores of two systems contradict each other.
        """
        ratios = np.full(len(scores), self.offset)
        with np.errstate(invalid="ignore"):
            for weight, column in zip(self.weights, scores.T, strict=True):
                ratios += weight * column
        if np.isnan(ratios).any():
            raise TrialsError("infinite scores of two systems contradict each other; there is no ratio for them")
        return ratios

    def described(self, systems: tuple[str, ...]) -> dict[str, float]:
        """Give every weight, and the offset."""
        weights = {f"weight of {name}": weight for name, weight in zip(systems, self.weights, strict=True)}
        return {**weights, "offset": self.offset}


@dataclass(frozen=True, slots=True, eq=False)
class LinearInfluence:
    """The influence of each dev trial on weights and offset."""

    by_parameter: Floats  # one row per dev trial, one column per weight and one for the offset

    def moves(self, scores: Floats, slopes: Floats) -> Floats:
        """Compute the influence of each dev trial on a statistic; see `Influence`."""
        with np.errstate(invalid="ignore"):  # an infinite score has no slope
            by_weight = np.nan_to_num(scores * slopes[:, None], posinf=0.0, neginf=0.0).sum(axis=0)
        return np.asarray(self.by_parameter @ np.append(by_weight, slopes.sum()))


def _turned(dev: DevScores, rises: Floats) -> tuple[Note, ...]:
    """Warn if the evidence of a single system falls as its score rises."""
    if len(rises) != 1 or rises[0] >= 0:
        return ()
    return (Note("reversed-scores", f"evidence falls as the score rises: {POLARITY[dev.negated]}", warning=True),)


def _in_units(scores: Floats, *, units: Floats) -> Floats:
    return scores / units


def _total(scores: Floats, genuine: Labels) -> Floats:
    return np.asarray(scores.sum(axis=0))


def _total_squares(scores: Floats, genuine: Labels, *, middle: Floats) -> Floats:
    away = scores - middle
    return np.asarray((away * away).sum(axis=0))


def _standardised(scores: Floats, *, units: Floats, middle: Floats, scale: Floats) -> Floats:
    """Standardise scores, and add a column of ones."""
    return np.column_stack([(scores / units - middle) / scale, np.ones(len(scores))])


def _logistic_sums(
    places: Floats, genuine: Labels, *, at: Floats, weights: tuple[float, float], shift: float
) -> Floats:
    """Sum the logistic cost, its slopes and its second derivatives at weights and offset, in one array."""
    by_trial = np.where(genuine, *weights)
    targets = genuine.astype(np.float64)
    ratios = places @ at + shift
    chance = expit(ratios)
    slope = places.T @ (by_trial * (chance - targets))
    bend = places.T @ ((by_trial * chance * (1 - chance))[:, None] * places)
    cost = float(np.sum(by_trial * softplus((1 - 2 * targets) * ratios)))
    return np.concatenate([[cost], slope, bend.ravel()])


def _fit_logistic(dev: DevScores) -> CalibrationFit:
    """Fit weights and offset by the logistic cost, each class weighted to the prior.

    If a threshold separates the classes, one trial of each class is added at the mean of the other.

    Raises
    ------
    TrialsError
        If scores are infinite, all scores of a system are equal, or a system is there twice.
    """
    dev.check_finite()
    units, prior, (positive, negative) = dev.units, dev.prior, dev.counts
    scaled = dev.mapped(partial(_in_units, units=units))
    middle = scaled.sum(_total) / (positive + negative)
    scale = np.sqrt(scaled.sum(partial(_total_squares, middle=middle)) / (positive + negative))
    places = dev.mapped(partial(_standardised, units=units, middle=middle, scale=scale))
    size, shift, weights = len(units) + 1, log(prior / (1 - prior)), (prior / positive, (1 - prior) / negative)

    def terms(at: Floats, separated: bool) -> tuple[float, Floats, Floats]:
        how: dict[str, Any] = {"at": at, "weights": weights, "shift": shift}
        sums = places.sum(partial(_logistic_sums, **how))
        if separated:
            sums = sums + _logistic_sums(others, np.array([True, False]), **how)
        return float(sums[0]), sums[1 : size + 1], sums[size + 1 :].reshape(size, size)

    notes: tuple[Note, ...] = ()
    fitted = minimise(partial(terms, separated=False), size, prior)
    if fitted is None:
        others = places.class_means()  # a genuine trial at the mean of impostors, and the other way round
        fitted = minimise(partial(terms, separated=True), size, prior)
        if fitted is None:
            twice = "; is one there twice?" if len(dev.systems) > 1 else ""
            raise TrialsError(
                "{systems}: no weights could be fitted to these dev scores" + twice,
                code="no-fit",
                systems=listed(dev.systems),
            )
        text = (
            "a threshold separates all genuine from all impostor dev trials, so only their number bounds the evidence: "
            "one trial of each class was added at the mean of the other; intervals may be too narrow, and p values too "
            "small"
        )
        notes = (Note("separated-classes", text, warning=True),)
    # from standardised scores back to scores
    back = np.diag(np.append(1 / scale / units, 1.0))
    back[-1, :-1] = -middle / scale
    *weights_back, offset = (back @ fitted).tolist()
    influence = None
    if places.scores is not None and places.genuine is not None:
        by_trial = np.where(places.genuine, *weights)
        chance = expit(places.scores @ fitted + shift)
        bend = (by_trial * chance * (1 - chance))[:, None] * places.scores
        slopes = (by_trial * (chance - places.genuine))[:, None] * places.scores
        moves = -np.linalg.solve(places.scores.T @ bend, slopes.T).T
        influence = LinearInfluence(np.asarray(moves @ back.T, dtype=np.float64))
    return CalibrationFit(
        Linear(tuple(weights_back), offset), influence, (*notes, *_turned(dev, np.array(weights_back)))
    )


_CostTerms: TypeAlias = Callable[[Floats], tuple[float, Floats, Floats]]
"""From weights and offset to the cost, its slopes and its second derivatives."""


def minimise(terms: _CostTerms, size: int, prior: float) -> Floats | None:
    """Minimise by Newton's method with step halving; None if the minimum lies at infinity.

    A cost vanishes compared to the prior.
    """
    at = np.zeros(size)
    now, slope, bend = terms(at)
    for _ in range(_STEPS):
        if not np.isfinite(bend).all() or np.linalg.cond(bend) > 1e14:
            return None
        step = np.linalg.solve(bend, slope)
        if np.abs(step).max() < _ENOUGH * max(1.0, np.abs(at).max()):
            return np.asarray(at - step)
        part = 1.0
        after = terms(at - step)
        while after[0] > now * (1 + _ROUNDING) and part > 1e-10:
            part /= 2
            after = terms(at - part * step)
        at = at - part * step
        now, slope, bend = after
        if now < 1e-10 * min(prior, 1 - prior):
            return None
    return np.asarray(at)


def _scatter(table: Floats, genuine: Labels, *, means: Floats) -> Floats:
    """Sum the products of deviations from the mean of each class, impostor trials first."""
    away = table[~genuine] - means[0], table[genuine] - means[1]
    return np.stack([some.T @ some for some in away])


def _fit_gaussian(dev: DevScores) -> CalibrationFit:
    """Fit a mean per class and one covariance matrix, that of both classes weighted by the prior.

    Raises
    ------
    TrialsError
        If scores are infinite or equal, do not vary within the classes, or a system repeats others.
    """
    dev.check_finite()
    scale = np.abs(dev.class_range).max(axis=(0, 1))  # no square of a score overflows
    table = dev.mapped(partial(_in_units, units=scale))
    means, (positive, negative) = table.class_means(), dev.counts
    covariances = table.sum(partial(_scatter, means=means)) / np.array([negative, positive])[:, None, None]
    pooled = dev.prior * covariances[1] + (1 - dev.prior) * covariances[0]
    if np.linalg.matrix_rank(pooled, tol=1e-12 * np.trace(pooled), hermitian=True) < len(dev.systems):
        template = (
            "{systems}: the dev scores of each class do not vary, or systems repeat each other; no normal distribution "
            "can be fitted"
        )
        raise TrialsError(template, code="no-variance", systems=listed(dev.systems))
    weights = np.linalg.solve(pooled, means[1] - means[0])
    middle = (means[1] + means[0]) / 2
    mapping = Linear(tuple((weights / scale).tolist()), float(-weights @ middle))
    if table.scores is None or table.genuine is None:
        return CalibrationFit(mapping, notes=_turned(dev, weights))
    # the influence of each trial on the mean of its class and on the covariance, and so on the weights: first order
    moved_means, moved_weights = np.zeros_like(table.scores), np.zeros_like(table.scores)
    classes = ((table.genuine, 1, dev.prior, 1), (~table.genuine, -1, 1 - dev.prior, 0))
    for rows, sign, share, k in classes:
        away = table.scores[rows] - means[k]
        turned = share * (away * (away @ weights)[:, None] - covariances[k] @ weights)
        moved_means[rows] = away / len(away)
        moved_weights[rows] = np.linalg.solve(pooled, (sign * away - turned).T).T / len(away)
    moved_offset = -moved_weights @ middle - moved_means @ weights / 2
    influence = LinearInfluence(np.column_stack([moved_weights / scale, moved_offset]))
    return CalibrationFit(mapping, influence, _turned(dev, weights))


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """A map that rises by steps: one log-likelihood ratio between two ends, the upper one included."""

    ends: Floats  # the highest score of each step but the last
    values: Floats  # the log-likelihood ratio of each step

    @classmethod
    def read(cls, numbers: Mapping[str, Any], systems: int) -> Steps:
        """Make the map of saved numbers."""
        ends, values = (np.array(numbers[name], dtype=np.float64) for name in ("ends", "ratios"))
        if len(values) != len(ends) + 1 or systems != 1 or (np.diff(ends) <= 0).any():
            raise ValueError("its steps do not fit together")
        return cls(ends, values)

    @property
    def numbers(self) -> Numbers:
        """Ends and ratios by name."""
        return {"ends": self.ends.tolist(), "ratios": self.values.tolist()}

    def ratios(self, scores: Floats) -> Floats:
        """Map scores to ratios."""
        return np.asarray(self.values[self.place(scores)])

    def place(self, scores: Floats) -> NDArray[np.int64]:
        """Find the step of each trial."""
        return np.searchsorted(self.ends, scores[:, 0], side="left")

    def described(self, systems: tuple[str, ...]) -> dict[str, float]:
        """Give the number of steps, and the range of the ratios."""
        return {
            "steps": len(self.values),
            "lowest ratio": float(self.values[0]),
            "highest ratio": float(self.values[-1]),
        }


def fit_steps(source: ScoreSource) -> Steps:
    """Fit the steps to dev scores.

    One trial of each class is added below all others and one above (Laplace's rule of succession), so no step has
    infinite evidence: with n trials of a class the evidence is at most about ln(n + 2).
    """
    segments = Segments.of(source)
    pooled = Segments(
        np.pad(segments.ends, 1, constant_values=np.nan),
        *(np.pad(trials, 1, constant_values=1) for trials in (segments.genuine, segments.impostor)),
    ).pooled()
    ends = pooled.ends[:-1]
    # an end of added trials only is not an end: their evidence is that of the first step above them
    is_end = ~np.isnan(ends)
    return Steps(ends[is_end], pooled.ratios()[np.append(is_end, True)])


@dataclass(frozen=True, slots=True, eq=False)
class _StepInfluence:
    """The influence of dev trials on the ratios of steps, the ends of steps fixed."""

    steps: Steps
    step: NDArray[np.int64]  # the step of each dev trial
    genuine: NDArray[np.bool_]

    def moves(self, scores: Floats, slopes: Floats) -> Floats:
        """Compute the influence of each dev trial on a statistic; see `Influence`.

        The ratio of a step is the logarithm of its proportion of genuine trials over that of impostor trials: a trial
        moves its own step one way, and all steps the other way.
        """
        count = len(self.steps.values)
        pull = np.bincount(self.steps.place(scores), slopes, count)
        moves = np.empty(len(self.step))
        for rows, sign in ((self.genuine, 1.0), (~self.genuine, -1.0)):
            trials = np.bincount(self.step[rows], minlength=count).astype(np.float64)
            trials[[0, -1]] += 1.0 if count > 1 else 2.0  # the trials that were added
            moves[rows] = sign * (pull[self.step[rows]] / trials[self.step[rows]] - pull.sum() / trials.sum())
        return moves


def _fit_steps(dev: DevScores) -> CalibrationFit:
    steps = fit_steps(dev.source)
    notes: tuple[Note, ...] = ()
    if np.isfinite(dev.class_range).all():
        impostor, genuine = dev.mapped(partial(_in_units, units=dev.units)).class_means()
        notes = _turned(dev, genuine - impostor)
    if dev.scores is None or dev.genuine is None:
        return CalibrationFit(steps, notes=notes)
    return CalibrationFit(steps, _StepInfluence(steps, steps.place(dev.scores), dev.genuine), notes)


_BINS = 32  # bins in the width of the narrower kernel
_MOST_BINS = 1 << 17
_REACH = 12.0  # where kernels end, in widths
_FALLS = 0.05  # a fall of the evidence, in nats, that deserves a note


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """A map by straight lines between knots; constant beyond the last ones."""

    knots: Floats  # scores, rising
    values: Floats  # the log-likelihood ratio at each

    @classmethod
    def read(cls, numbers: Mapping[str, Any], systems: int) -> Curve:
        """Make the map of saved numbers."""
        knots, values = (np.array(numbers[name], dtype=np.float64) for name in ("knots", "ratios"))
        if knots.ndim != 1 or knots.shape != values.shape or not len(knots) or systems != 1:
            raise ValueError("its knots do not fit together")
        if not (np.isfinite(knots).all() and np.isfinite(values).all() and (np.diff(knots) > 0).all()):
            raise ValueError("its knots do not rise, or are not finite")
        return cls(knots, values)

    @property
    def numbers(self) -> Numbers:
        """Knots and ratios by name."""
        return {"knots": self.knots.tolist(), "ratios": self.values.tolist()}

    def ratios(self, scores: Floats) -> Floats:
        """Map scores to ratios."""
        return np.interp(scores[:, 0], self.knots, self.values)

    def described(self, systems: tuple[str, ...]) -> dict[str, float]:
        """Give the number of knots, and the range of the ratios."""
        low, high = float(self.values.min()), float(self.values.max())
        return {"knots": len(self.knots), "lowest ratio": low, "highest ratio": high}


def _fit_kernels(dev: DevScores) -> CalibrationFit:
    """Fit one Gaussian kernel density per class, with bandwidths by Silverman's rule.

    Scores are put into bins of a 32nd of the narrower bandwidth, each divided between the two nearest centres, and
    the bins are smoothed. The ratio is bounded by the lowest and highest ratio of the bounded steps (`pav`), and held
    constant beyond the scores of dev.

    Raises
    ------
    TrialsError
        If scores are infinite or equal, a class has no variance, or scores are too far apart for their bandwidth.

    References
    ----------
    Silverman, Density Estimation, 1986, eq. (3.28), as in scipy.stats.gaussian_kde.
    """
    dev.check_finite()
    (name,), unit, (positive, negative) = dev.systems, float(dev.units[0]), dev.counts
    scaled = dev.mapped(partial(_in_units, units=dev.units))
    lowest, highest = dev.class_range[:, :, 0] / unit
    squares = scaled.class_squares(scaled.class_means())[:, 0]
    # Silverman's rule: the standard deviation times (4 / 3 n) ** (1 / 5)
    widths = [
        float(np.sqrt(squares[k] / (count - 1)) * (4 / (3 * count)) ** 0.2) if highest[k] > lowest[k] else 0.0
        for k, count in ((1, positive), (0, negative))
    ]
    if not min(widths) > 0:
        template = "{system}: all dev scores of one class are equal, so no density can be estimated"
        raise TrialsError(template, code="equal-scores", system=name)
    low, high = float(lowest.min()), float(highest.max())
    step = min(widths) / _BINS
    if not (high - low) / step < _MOST_BINS:
        raise TrialsError(
            "{system}: dev scores from {low:number} to {high:number} are too far apart for kernels of width "
            "{width:number}; {method!o} takes scores of any range",
            code="scores-too-far-apart",
            system=name,
            low=low * unit,
            high=high * unit,
            width=min(widths) * unit,
            method="pav",
        )
    grid = _Grid(low, step, int(np.ceil((high - low) / step)) + 1)
    impostor, genuine = scaled.sum(grid.binned)
    densities = grid.smooth(genuine, widths[0]) / positive, grid.smooth(impostor, widths[1]) / negative
    bounds = fit_steps(dev.source).values
    has_density = (densities[0] > 0) | (densities[1] > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.log(densities[0]) - np.log(densities[1])
    curve = Curve(grid.centres[has_density] * unit, np.clip(values[has_density], bounds[0], bounds[-1]))
    if scaled.scores is None or scaled.genuine is None:
        return CalibrationFit(curve, notes=_falls(curve))
    free = has_density & (values > bounds[0]) & (values < bounds[-1])
    influence = _KernelInfluence(
        unit, grid, scaled.scores[:, 0], scaled.genuine, (widths[0], widths[1]), densities, free
    )
    return CalibrationFit(curve, influence, _falls(curve))


@dataclass(frozen=True, slots=True)
class _Grid:
    """Bins, by their centres."""

    low: float
    step: float
    bins: int

    @property
    def centres(self) -> Floats:
        return self.low + self.step * np.arange(self.bins, dtype=np.float64)

    def place(self, scores: Floats) -> Floats:
        """Give scores in bins; those beyond the last bins are in them."""
        return np.clip((scores - self.low) / self.step, 0.0, self.bins - 1.0)

    def counts(self, place: Floats, weights: Floats) -> Floats:
        """Sum weights by bin; each is divided between the two nearest centres."""
        below: NDArray[np.int64] = np.minimum(place.astype(np.int64), self.bins - 2)
        share = place - below
        counts = np.bincount(below, weights * (1 - share), self.bins)
        counts += np.bincount(below + 1, weights * share, self.bins)
        return np.asarray(counts, dtype=np.float64)

    def binned(self, scores: Floats, genuine: Labels) -> Floats:
        """Count impostor and genuine scores by bin."""
        classes = scores[~genuine, 0], scores[genuine, 0]
        return np.stack([self.counts(self.place(some), np.ones(len(some))) for some in classes])

    def smooth(self, counts: Floats, width: float) -> Floats:
        """Sum the kernels of binned weights at each centre."""
        # dividing between centres widens the kernel by step**2 / 6 on average, which is taken off again
        sigma = np.sqrt((width / self.step) ** 2 - 1 / 6)
        return np.asarray(gaussian_filter1d(counts, sigma, mode="constant", cval=0.0, truncate=_REACH) / self.step)


@dataclass(frozen=True, slots=True, eq=False)
class _KernelInfluence:
    """The influence of dev trials on the ratio of two densities, bandwidths and bounds fixed."""

    unit: float  # what scores are divided by
    grid: _Grid
    scores: Floats  # of dev, so divided
    genuine: NDArray[np.bool_]
    widths: tuple[float, float]
    densities: tuple[Floats, Floats]  # of genuine and of impostor trials, at the centres of the bins
    free: NDArray[np.bool_]  # at which centres the ratio is not bounded

    def moves(self, scores: Floats, slopes: Floats) -> Floats:
        """Compute the influence of each dev trial on a statistic; see `Influence`."""
        place = self.grid.place(scores[:, 0] / self.unit)
        pulled = np.where(self.free[np.rint(place).astype(np.int64)], slopes, 0.0)
        moves = np.empty(len(self.scores))
        sides = zip((self.genuine, ~self.genuine), (1.0, -1.0), self.widths, self.densities, strict=True)
        for rows, sign, width, density in sides:
            at = np.interp(place, np.arange(self.grid.bins), density)
            shares = np.divide(pulled, at, out=np.zeros(len(at)), where=at > 0)
            near = np.interp(
                self.scores[rows], self.grid.centres, self.grid.smooth(self.grid.counts(place, shares), width)
            )
            moves[rows] = sign * (near - pulled.sum()) / len(near)
        return moves


def _falls(curve: Curve) -> tuple[Note, ...]:
    """Note how far the evidence falls as the score rises."""
    behind = np.maximum.accumulate(curve.values) - curve.values
    if behind.max() <= _FALLS:
        return ()
    text = (
        "evidence falls as the score rises, by up to {fall:number} at a score of {score:number}, so ratios rank trials "
        "differently than scores do"
    )
    at = float(curve.knots[int(np.argmax(behind))])
    return (Note("falling-evidence", text, fall=float(behind.max()), score=at),)


for _method in (
    CalibrationMethod("logistic", _fit_logistic, Linear.read, "a weighted sum and an offset", fuses=True, weighs=True),
    CalibrationMethod("pav", _fit_steps, Steps.read, "steps that rise (pool adjacent violators), bounded"),
    CalibrationMethod(
        "gaussian", _fit_gaussian, Linear.read, "two normal distributions of the same width", fuses=True, weighs=True
    ),
    CalibrationMethod("kde", _fit_kernels, Curve.read, "the ratio of two kernel densities (Silverman), bounded"),
    CalibrationMethod(
        "none",
        lambda dev: CalibrationFit(Linear((1.0,), 0.0)),
        Linear.read,
        "the scores unchanged: they are log-likelihood ratios already",
    ),
):
    register_calibration(_method)
