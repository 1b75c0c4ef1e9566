"""Define calibration methods, the linear map, and the registry."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import TrialsError
from fairtrial.core.registry import Registry, summaries
from fairtrial.counting.tallies import Genuine, Scores, ScoreSource
from fairtrial.inference.variance import Floats

Numbers: TypeAlias = dict[str, float | list[float]]
"""The numbers that a map consists of, by name."""
INFINITE = "{system}: some dev scores are infinite; only {method!o} can calibrate those"
_LEAST = 1e-300
"""Smaller scores would have weights that a number cannot hold."""
_HUGE = 1e100


class ScoreMap(Protocol):
    """A map from scores to natural log-likelihood ratios."""

    def ratios(self, scores: Floats) -> Floats:
        """The ratio of each trial, from one row per trial and one column per system."""
        ...

    @property
    def numbers(self) -> Numbers:
        """All that it consists of, as it is saved."""
        ...

    def described(self, systems: tuple[str, ...]) -> dict[str, float]:
        """What a table shows of it: a few numbers with their names."""
        ...


class Influence(Protocol):
    """How dev trials determine a map."""

    def moves(self, scores: Floats, slopes: Floats) -> Floats:
        """By how much each dev trial moves a figure through the map, to first order.

        Parameters
        ----------
        scores
            The judged trials, one row per trial and one column per system.
        slopes
            By how much the figure rises with the ratio of each of them.
        """
        ...


@dataclass(frozen=True, slots=True, eq=False)
class DevScores:
    """What a calibration is fitted on.

    Parameters
    ----------
    scores : ndarray of float
        Scores of shape (trials, systems), higher means more genuine.
    genuine : ndarray of bool
        Whether the claim of each trial is true, shape (trials,); there are some of both classes.
    systems : tuple of str
        The names of the systems, in the order of the columns.
    prior : float, default 0.5
        The prior probability of a genuine trial, between 0 and 1, at which classes are weighed, by methods that weigh
        them.

    Examples
    --------
    >>> import numpy as np
    >>> DevScores(np.array([[0.9], [0.2]]), np.array([True, False]), ("face",), prior=0.5).pair
    (array([0.9]), array([0.2]))
    """

    scores: Floats
    genuine: NDArray[np.bool_]
    systems: tuple[str, ...]
    prior: float = 0.5

    @property
    def pair(self) -> tuple[Floats, Floats]:
        """Genuine and impostor scores of the only system."""
        return self.scores[self.genuine, 0], self.scores[~self.genuine, 0]

    @property
    def units(self) -> Floats:
        """The unit of each system's scores; see `units_of`."""
        return units_of(self.scores)

    def check_finite(self) -> None:
        """Raise an error where a score is infinite, or where all scores of a system are equal or next to 0.

        Raises
        ------
        TrialsError
            A score that is infinite, or scores of a system that are all equal, or too small for a weight.
        """
        for name, column in zip(self.systems, self.scores.T, strict=True):
            if not np.isfinite(column).all():
                raise TrialsError(INFINITE, code="infinite-scores", system=name, method="pav")
            check_range(name, float(column.min()), float(column.max()))


@dataclass(frozen=True, slots=True, eq=False)
class DevPasses:
    """What a calibration is fitted on where dev scores are passed over and not held.

    Parameters
    ----------
    source : ScoreSource
        The scores of dev.
    system : str
        The name of the system.
    prior : float, default 0.5
        The prior probability of a genuine trial, between 0 and 1, at which classes are weighed, by methods that weigh
        them.

    Examples
    --------
    >>> import fairtrial as ft
    >>> dev = DevPasses(ft.counting.as_source(([0.9, 0.8, 0.3], [0.1, 0.2, 0.6])), "face")
    >>> ft.CALIBRATIONS["gaussian"].fit_in_passes(dev).mapping.weights[0] > 0
    True
    """

    source: ScoreSource
    system: str
    prior: float = 0.5


def check_range(system: str, low: float, high: float) -> None:
    """Raise an error where scores from `low` to `high` are all equal, or too small for a weight."""
    if low == high:
        raise TrialsError(f"{system}: all dev scores are equal, so they are evidence of nothing")
    if max(abs(low), abs(high)) < _LEAST:
        raise TrialsError(
            f"{system}: dev scores from {low:g} to {high:g} are too small to calibrate; multiply those of dev and test "
            "by the same number"
        )


def units_of(table: Floats) -> Floats:
    """Units in which no square of a number overflows or vanishes, one per column: 1 but for huge and tiny numbers.

    They are powers of two, so to divide by them is exact.
    """
    most = np.abs(table).max(axis=0)
    powers = np.where((most == 0) | ((most > 1 / _HUGE) & (most < _HUGE)), 1, np.frexp(most)[1])
    return np.asarray(np.ldexp(1.0, powers - 1))


@dataclass(frozen=True, slots=True, eq=False)
class CalibrationFit:
    """What a method found on dev trials.

    Parameters
    ----------
    mapping : ScoreMap
        From scores to ratios.
    influence : Influence, optional
        How dev trials determine the map. None where it is not known; the uncertainty of the calibration then is left
        out, and said to be.
    notes : tuple of str, default ()
        What the reader should know.

    Examples
    --------
    >>> import numpy as np
    >>> import fairtrial as ft
    >>> genuine = np.arange(800) < 200
    >>> trials = ft.Trials.from_arrays(np.random.default_rng(0).normal(2.0 * genuine), genuine)
    >>> dev, test = (trials.rows(np.arange(start, 800, 2)) for start in (0, 1))
    >>> scores = DevScores(dev.scores, dev.genuine, dev.systems, prior=0.5)
    >>> isinstance(ft.CALIBRATIONS["logistic"].fit(scores), CalibrationFit)
    True
    """

    mapping: ScoreMap
    influence: Influence | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class CalibrationMethod:
    """A way to make log-likelihood ratios of scores.

    Parameters
    ----------
    name : str
        What it is called.
    fit : callable
        From dev trials to a map.
    read : callable
        From the saved numbers of a map and the number of systems to the map itself; a ValueError, KeyError or TypeError
        where they do not fit together.
    summary : str, default ""
        What it does, in a few words.
    fuses : bool, default False
        Whether it takes several systems at once.
    weighs : bool, default False
        Whether the prior matters to it.
    fit_in_passes : callable, optional
        From `DevPasses` to a map that rises, where a few passes over the scores are enough; by default the method
        needs all dev scores at once.

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
    fit_in_passes: Callable[[DevPasses], CalibrationFit] | None = None


CALIBRATIONS: Registry[CalibrationMethod] = Registry("calibration", "calibrations", CalibrationMethod)
"""The calibration methods by their names."""


def register_calibration(method: CalibrationMethod) -> CalibrationMethod:
    """Make a calibration method known by its name, to the command line too.

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


def calibrations_help() -> str:
    """All registered methods in one line, each with what it does."""
    return summaries(CALIBRATIONS.values())


@dataclass(frozen=True, slots=True, eq=False)
class ClassMoments:
    """Per class (impostor, genuine): the number of trials, and the moments of their scores above a middle, in units."""

    middle: float
    unit: float
    counts: Floats
    means: Floats
    squares: Floats

    @classmethod
    def around(cls, dev: DevPasses, middle: float, unit: float) -> ClassMoments:
        """The moments around a middle, in one pass."""
        counts, sums, squares = dev.source.tally(_Moments(middle, unit)).T
        return cls(middle, unit, counts, sums / counts, squares / counts)

    @classmethod
    def between(cls, dev: DevPasses, low: float, high: float) -> ClassMoments:
        """The moments of scores that lie between two, around their middle."""
        return cls.around(dev, low / 2 + high / 2, float(units_of(np.array([[low], [high]]))[0]))

    @classmethod
    def of(cls, dev: DevPasses) -> ClassMoments:
        """The moments around the mean of all scores.

        Raises
        ------
        TrialsError
            Scores that are infinite, all equal, or too small for a weight.
        """
        low, high = score_range(dev)
        if not np.isfinite([low, high]).all():
            raise TrialsError(INFINITE, code="infinite-scores", system=dev.system, method="pav")
        first = cls.between(dev, low, high)
        check_range(dev.system, low, high)
        means = first.middle + first.unit * first.means
        # the squares once more around the mean of all, so that they lose no digits
        return cls.around(dev, float(first.counts @ means / first.counts.sum()), first.unit)


def score_range(dev: DevPasses) -> tuple[float, float]:
    """The lowest and the highest score, in one pass."""
    low, high = dev.source.tally(_Range()).tolist()
    return low, high


def by_class(scores: Scores, genuine: Genuine) -> tuple[Scores, Scores]:
    """Impostor and genuine scores."""
    if isinstance(genuine, bool):
        return (scores[:0], scores) if genuine else (scores, scores[:0])
    return scores[~genuine], scores[genuine]


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
        for row, own in enumerate(by_class(scores, genuine)):
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
class Linear:
    """Log-likelihood ratios ``weights @ scores + offset``."""

    weights: tuple[float, ...]
    offset: float

    @classmethod
    def read(cls, numbers: Mapping[str, Any], systems: int) -> Linear:
        """The map of saved numbers."""
        weights = tuple(map(float, numbers["weights"]))
        if len(weights) != systems:
            raise ValueError("it has not one weight per system")
        return cls(weights, float(numbers["offset"]))

    @property
    def numbers(self) -> Numbers:
        """Weights and offset by name."""
        return {"weights": list(self.weights), "offset": self.offset}

    def ratios(self, scores: Floats) -> Floats:
        """The ratio of each trial.

        Raises
        ------
        TrialsError
            Infinite scores of two systems that contradict each other.
        """
        found = np.full(len(scores), self.offset)
        with np.errstate(invalid="ignore"):
            for weight, column in zip(self.weights, scores.T, strict=True):
                found += weight * column
        if np.isnan(found).any():
            raise TrialsError("infinite scores of two systems contradict each other; there is no ratio for them")
        return found

    def described(self, systems: tuple[str, ...]) -> dict[str, float]:
        """Every weight, and the offset."""
        weights = {f"weight of {name}": weight for name, weight in zip(systems, self.weights, strict=True)}
        return {**weights, "offset": self.offset}


@dataclass(frozen=True, slots=True, eq=False)
class LinearInfluence:
    """By how much each dev trial moves weights and offset."""

    by_parameter: Floats
    """One row per dev trial, one column per weight and one for the offset."""

    def moves(self, scores: Floats, slopes: Floats) -> Floats:
        """By how much each dev trial moves a figure; see `Influence`."""
        with np.errstate(invalid="ignore"):  # an infinite score has no slope to speak of
            by_weight = np.nan_to_num(scores * slopes[:, None], posinf=0.0, neginf=0.0).sum(axis=0)
        return np.asarray(self.by_parameter @ np.append(by_weight, slopes.sum()))


def turned_notes(weights: Floats) -> tuple[str, ...]:
    """What is to be said where the evidence of a single system falls as its score rises."""
    if len(weights) == 1 and weights[0] < 0:
        return ("evidence falls as the score rises: are the scores distances? Then they are to be negated",)
    return ()
