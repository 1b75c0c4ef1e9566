"""Correlation of systems within each class of trials, which limits what fusion can gain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar

import numpy as np

from fairtrial.core.errors import ParameterError, TrialsError
from fairtrial.core.notes import Note
from fairtrial.core.results import Field, Record, Result, table_of
from fairtrial.core.tables import Table
from fairtrial.core.trials import Trials
from fairtrial.core.words import Text, listed, plural
from fairtrial.formats.frames import TrialsLike, trials_of
from fairtrial.fusion.combination import score_matrix
from fairtrial.fusion.methods import Floats


@dataclass(frozen=True, slots=True, eq=False)
class ClassGaussian:
    """The Gaussian that is fitted to the scores of one class: means and covariances of all systems."""

    mean: Floats
    covariance: Floats
    trials: int

    @classmethod
    def of(cls, scores: Floats) -> ClassGaussian:
        """Fit a Gaussian to scores, one row per trial and one column per system, by maximum likelihood."""
        return cls(scores.mean(axis=0), np.atleast_2d(np.cov(scores, rowvar=False, bias=True)), len(scores))

    @property
    def correlation(self) -> Floats:
        """Correlations of the systems; NaN for a system whose scores are all equal."""
        spread = np.sqrt(np.diag(self.covariance))
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(np.clip(self.covariance / np.outer(spread, spread), -1, 1))


@dataclass(frozen=True, slots=True)
class PairCorrelation(Record):
    """Correlations of two systems within each class."""

    FIELDS: ClassVar = (
        Field("a", "A"),
        Field("b", "B"),
        Field("genuine", "within genuine trials", "number"),
        Field("impostor", "within impostor trials", "number"),
    )

    a: str
    b: str
    genuine: float
    impostor: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SystemCorrelations(Result):
    """Correlations of systems within genuine and within impostor trials.

    Attributes
    ----------
    systems : tuple of str
        The systems' names.
    genuine, impostor : ClassGaussian
        Means, covariances and correlations within the class, systems in their order.
    notes : tuple of Note
        What the reader should know.

    Examples
    --------
    >>> import numpy as np
    >>> from fairtrial import Trials
    >>> from fairtrial.fusion import system_correlations
    >>> genuine = np.arange(400) < 100
    >>> scores = np.random.default_rng(0).normal(np.outer(genuine, [2.0, 2.5]))
    >>> trials = Trials.from_arrays(scores, genuine, systems=["face", "voice"])
    >>> dev, test = (trials.rows(np.arange(start, 400, 2)) for start in (0, 1))
    >>> system_correlations(dev).genuine.correlation.shape
    (2, 2)
    """

    FIELDS: ClassVar = (
        Field("correlations", get=lambda found: found.pairs()),
        Field("genuine", get="genuine.trials"),
        Field("impostor", get="impostor.trials"),
        Field("notes"),
    )

    systems: tuple[str, ...]
    genuine: ClassGaussian
    impostor: ClassGaussian
    notes: tuple[Note, ...] = ()

    def pairs(self) -> list[PairCorrelation]:
        """Give both correlations of each pair of systems.

        Returns
        -------
        list of PairCorrelation
            One entry per pair: its systems `a` and `b`, and its correlations `genuine` and `impostor`.
        """
        genuine, impostor = self.genuine.correlation, self.impostor.correlation
        return [
            PairCorrelation(self.systems[i], self.systems[j], float(genuine[i, j]), float(impostor[i, j]))
            for i, j in combinations(range(len(self.systems)), 2)
        ]

    def answer(self) -> str:
        """Give the range of the correlations within either class."""
        genuine, impostor = ([getattr(pair, kind) for pair in self.pairs()] for kind in ("genuine", "impostor"))
        ranges = (
            f"genuine {min(genuine):.2f} to {max(genuine):.2f}, impostor {min(impostor):.2f} to {max(impostor):.2f}"
        )
        return f"{plural(len(self.systems), 'system')}, {ranges}"

    def tables(self) -> tuple[Table, ...]:
        """Give one row per pair of systems."""
        caption = Text(
            "Correlation of systems by class, {genuine:count} genuine and {impostor:count} impostor trials",
            genuine=self.genuine.trials,
            impostor=self.impostor.trials,
        )
        return (table_of("correlations", caption, PairCorrelation.FIELDS, self.pairs(), notes=self.notes),)


def system_correlations(trials: TrialsLike, *, systems: Sequence[str] | None = None) -> SystemCorrelations:
    """Compute the correlation of systems within each class of trials.

    Over all trials, any two systems that work are correlated, as both give genuine trials higher scores. What fusion
    can gain depends on the correlation within a class.

    Parameters
    ----------
    trials : Trials or data frame
        Trials, or a data frame of them, of two or more systems.
    systems : sequence of str, optional
        The names of the systems; all by default.

    Returns
    -------
    SystemCorrelations
        Means, covariances and correlations within genuine and within impostor trials.

    Raises
    ------
    TrialsError
        If a system is unknown, or a class has fewer than two trials with finite scores.
    ParameterError
        If there are fewer than two systems.

    References
    ----------
    Poh & Bengio, Database, protocols and tools for evaluating score-level fusion, 2006, section 5 and Fig. 2: Gaussian
    fits of each class.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> genuine = np.arange(3000) < 1000
    >>> shared, own = rng.normal(size=(3000, 1)), rng.normal(size=(3000, 2))
    >>> trials = Trials.from_arrays(2 * genuine[:, None] + shared + own, genuine)
    >>> round(float(system_correlations(trials).impostor.correlation[0, 1]), 1)
    0.5
    """
    trials = trials_of(trials, "trials")
    names = tuple(trials.systems if systems is None else systems)
    if len(names) < 2:
        raise ParameterError(
            f"a correlation needs at least two systems, not {listed(names) or 'none'}", code="one-system"
        )
    scores, genuine, notes = finite_scores(trials, names)
    return SystemCorrelations(names, ClassGaussian.of(scores[genuine]), ClassGaussian.of(scores[~genuine]), notes)


def finite_scores(trials: Trials, names: Sequence[str]) -> tuple[Floats, Any, tuple[Note, ...]]:
    """Give the scores of trials that lack none, which of these are genuine, and a note on the others."""
    scores = score_matrix(trials, names)
    finite = np.isfinite(scores).all(axis=1)
    genuine = trials.genuine[finite]
    if min(np.count_nonzero(genuine), np.count_nonzero(~genuine)) < 2:
        raise TrialsError(
            "there must be at least two trials of each class with finite scores of all systems", code="few-trials"
        )
    lost = int(np.count_nonzero(~finite))
    template = "{count:plural trial} without the score of a system left out"
    notes = (Note("missing-scores", template, count=lost),) if lost else ()
    return scores[finite], genuine, notes
