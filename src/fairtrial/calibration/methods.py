"""Define calibration methods: what they are fitted on, the maps they give, and the registry."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairtrial.calibration.evidence import Floats
from fairtrial.core.errors import ParameterError, TrialsError
from fairtrial.core.notes import Note
from fairtrial.core.registry import Registry, summaries
from fairtrial.core.trials import Trials
from fairtrial.core.words import listed
from fairtrial.counting.tallies import Genuine, ScoreData, Scores, ScoreSource, as_source

Numbers: TypeAlias = dict[str, float | list[float]]
"""The numbers that a map consists of, by name."""
Labels: TypeAlias = NDArray[np.bool_]
_LEAST = 1e-300
"""Smaller scores would need weights beyond the range of floats."""
_HUGE = 1e100


class ScoreMap(Protocol):
    """A map from scores to natural log-likelihood ratios."""

    def ratios(self, scores: Floats) -> Floats:
        """Map one row per trial and one column per system to one ratio per trial."""
        ...

    @property
    def numbers(self) -> Numbers:
        """All numbers of the map, as they are saved."""
        ...

    def described(self, systems: tuple[str, ...]) -> dict[str, float]:
        """The few numbers that a table shows, by name."""
        ...


class Influence(Protocol):
    """How dev trials determine a map."""

    def moves(self, scores: Floats, slopes: Floats) -> Floats:
        """Compute the influence of each dev trial on a statistic through the map, to first order.

        Parameters
        ----------
        scores
            The judged trials, one row per trial and one column per system.
        slopes
            The derivative of the statistic with respect to the ratio of each judged trial.
        """
        ...


@dataclass(frozen=True, slots=True)
class _Rows:
    """Tally chunks of scores as rows of one column, changed beforehand."""

    what: Any
    change: Callable[[Floats], Floats] | None

    def start(self) -> Any:
        return self.what.start()

    def add(self, total: Any, scores: Scores, genuine: Genuine) -> Any:
        rows = scores.astype(np.float64, copy=False)[:, None]
        labels = np.full(len(rows), genuine) if isinstance(genuine, bool) else genuine
        return self.what.add(total, rows if self.change is None else self.change(rows), labels)

    def merge(self, a: Any, b: Any) -> Any:
        return self.what.merge(a, b)


@dataclass(frozen=True, slots=True)
class _Sum:
    """Sum a function of rows of scores and their labels."""

    function: Callable[[Floats, Labels], Floats]

    def start(self) -> Any:
        return 0.0

    def add(self, total: Any, scores: Floats, genuine: Labels) -> Any:
        return total + self.function(scores, genuine)

    def merge(self, a: Any, b: Any) -> Any:
        return a + b


@dataclass(frozen=True, slots=True)
class _Range:
    """The lowest and the highest score of each class (impostor, genuine) and column."""

    columns: int

    def start(self) -> Floats:
        return np.stack([np.full((2, self.columns), np.inf), np.full((2, self.columns), -np.inf)])

    def add(self, total: Floats, scores: Floats, genuine: Labels) -> Floats:
        for row, some in enumerate((scores[~genuine], scores[genuine])):
            if len(some):
                total[0, row] = np.minimum(total[0, row], some.min(axis=0))
                total[1, row] = np.maximum(total[1, row], some.max(axis=0))
        return total

    def merge(self, a: Floats, b: Floats) -> Floats:
        return np.stack([np.minimum(a[0], b[0]), np.maximum(a[1], b[1])])


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
    change : callable, optional
        Applied to rows of scores that are passed over; see `mapped`.

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
    change: Callable[[Floats], Floats] | None = None

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
            classes = [np.asarray(part, dtype=np.float64) for part in data]
            as_source(data, what="dev")
            data = Trials.from_arrays(np.concatenate(classes), np.arange(sum(map(len, classes))) < len(classes[0]))
            systems = systems or data.systems
            data = replace(data, systems=systems)
        source = as_source(data, system=systems[0], what="dev")
        if isinstance(data, Trials):
            return cls(source, systems, prior, score_table(data, systems), data.genuine)
        if len(systems) > 1:
            raise ParameterError(
                "a fusion of {systems} needs all dev trials in memory", code="needs-trials", systems=listed(systems)
            )
        return cls(source, systems, prior)

    @property
    def counts(self) -> tuple[int, int]:
        """The number of genuine and of impostor trials."""
        return self.source.genuine, self.source.impostor

    @cached_property
    def class_range(self) -> Floats:
        """The lowest and highest scores: shape (2, classes, systems), impostor trials first."""
        return np.asarray(self._tally(_Range(len(self.systems))))

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
        return self._tally(_Sum(function))

    def mapped(self, change: Callable[[Floats], Floats]) -> DevScores:
        """Give the same trials with changed scores; what is passed over is changed chunk by chunk."""
        if self.scores is not None:
            return replace(self, scores=change(self.scores))
        return replace(self, change=change)

    def _tally(self, what: _Sum | _Range) -> Any:
        if self.scores is None:
            return self.source.tally(_Rows(what, self.change))
        assert self.genuine is not None
        return what.add(what.start(), self.scores, self.genuine)

    def class_means(self) -> Floats:
        """The means of impostor and of genuine scores, shape (2, systems)."""
        genuine, impostor = self.counts
        return np.asarray(self.sum(_class_sums) / np.array([[impostor], [genuine]]))

    def class_squares(self, means: Floats) -> Floats:
        """The sums of squared deviations from the means of both classes, shape (2, systems)."""
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
                raise TrialsError(
                    "{system}: some dev scores are infinite; only {method!o} can calibrate those",
                    code="infinite-scores",
                    system=name,
                    method="pav",
                )
            if least == most:
                raise TrialsError(
                    "{system}: all dev scores are equal, so they are evidence of nothing",
                    code="equal-scores",
                    system=name,
                )
            if max(abs(least), abs(most)) < _LEAST:
                raise TrialsError(
                    "{system}: dev scores from {low:g} to {high:g} are too small to calibrate; multiply those of dev "
                    "and test by the same number",
                    code="tiny-scores",
                    system=name,
                    low=least,
                    high=most,
                )


def score_table(trials: Trials, systems: tuple[str, ...]) -> Floats:
    """Give the scores of some systems: one row per trial, one column per system."""
    return np.column_stack([trials.column(name) for name in systems]).astype(np.float64, copy=False)


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
    """What a method fitted to dev trials.

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
    """List all registered methods in one line, each with its summary."""
    return summaries(CALIBRATIONS.values())


def turned_notes(rise: float) -> tuple[Note, ...]:
    """Warn if the evidence of a single system falls as its score rises."""
    if rise >= 0:
        return ()
    text = "evidence falls as the score rises: negate the scores if they are distances"
    return (Note("reversed-scores", text, warning=True),)
