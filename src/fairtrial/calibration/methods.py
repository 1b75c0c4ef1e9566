"""What a calibration method is: a map fitted on dev, how it is saved, and a registry of methods."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairtrial.counting.errors import ScoreSource
from fairtrial.errors import TrialsError
from fairtrial.plugins import Registry, summaries
from fairtrial.spread import Floats

Numbers: TypeAlias = dict[str, float | list[float]]
"""The numbers that a map consists of, by name."""
INFINITE = 'some dev scores are infinite; only fit_calibration(method="pav") can calibrate those'
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
                raise TrialsError(f"{name}: {INFINITE}")
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
    >>> dev = DevPasses(ft.as_source(([0.9, 0.8, 0.3], [0.1, 0.2, 0.6])), "face")
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
