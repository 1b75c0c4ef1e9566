"""How systems go together within each class: what fusion can gain, and what it cannot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from fairtrial.errors import ParameterError, TrialsError, listed
from fairtrial.formats.frames import TrialsLike, trials_of
from fairtrial.fusion.combination import score_matrix
from fairtrial.fusion.steps import Floats
from fairtrial.tables import Column, Result, Table, plural
from fairtrial.trials import Trials


@dataclass(frozen=True, slots=True, eq=False)
class ClassGaussian:
    """The Gaussian that is fitted to the scores of one class: means and covariances of all systems."""

    mean: Floats
    covariance: Floats
    trials: int

    @classmethod
    def of(cls, scores: Floats) -> ClassGaussian:
        """Fitted to scores, one row per trial and one column per system, by maximum likelihood."""
        return cls(scores.mean(axis=0), np.atleast_2d(np.cov(scores, rowvar=False, bias=True)), len(scores))

    @property
    def correlation(self) -> Floats:
        """Correlations of the systems; NaN for a system whose scores are all equal."""
        spread = np.sqrt(np.diag(self.covariance))
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(np.clip(self.covariance / np.outer(spread, spread), -1, 1))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SystemCorrelations(Result):
    """Correlations of systems within genuine and within impostor trials.

    Attributes
    ----------
    systems : tuple of str
        The systems' names.
    genuine, impostor : ClassGaussian
        Means, covariances and correlations within the class, systems in their order.
    notes : tuple of str
        What the reader should know.

    Examples
    --------
    >>> import numpy as np
    >>> from fairtrial import Trials, system_correlations
    >>> genuine = np.arange(400) < 100
    >>> scores = np.random.default_rng(0).normal(np.outer(genuine, [2.0, 2.5]))
    >>> trials = Trials.from_arrays(scores, genuine, systems=["face", "voice"])
    >>> dev, test = (trials.rows(np.arange(start, 400, 2)) for start in (0, 1))
    >>> system_correlations(dev).genuine.correlation.shape
    (2, 2)
    """

    systems: tuple[str, ...]
    genuine: ClassGaussian
    impostor: ClassGaussian
    notes: tuple[str, ...] = ()

    def pairs(self) -> list[dict[str, Any]]:
        """Give both correlations of each pair of systems.

        Returns
        -------
        list of dict
            One dict per pair.
        """
        both = self.genuine.correlation, self.impostor.correlation
        return [
            {
                "a": self.systems[i],
                "b": self.systems[j],
                "genuine": float(both[0][i, j]),
                "impostor": float(both[1][i, j]),
            }
            for i, j in combinations(range(len(self.systems)), 2)
        ]

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        return {
            "correlations": self.pairs(),
            "genuine": self.genuine.trials,
            "impostor": self.impostor.trials,
            "notes": list(self.notes),
        }

    def summary(self) -> str:
        """The range of the correlations within either class."""
        found = self.pairs()
        ranges = (
            f"{word} {min(pair[word] for pair in found):.2f} to {max(pair[word] for pair in found):.2f}"
            for word in ("genuine", "impostor")
        )
        return f"{plural(len(self.systems), 'system')}, {', '.join(ranges)}"

    def tables(self) -> tuple[Table, ...]:
        """One row per pair of systems."""
        columns = (
            Column("a", "A"),
            Column("b", "B"),
            Column("genuine", "within genuine trials", "number"),
            Column("impostor", "within impostor trials", "number"),
        )
        trials = f"{self.genuine.trials:,} genuine and {self.impostor.trials:,} impostor trials"
        caption = f"Correlation of systems by class, {trials}"
        return (Table.of("correlations", caption, columns, self.pairs(), notes=self.notes),)


def system_correlations(trials: TrialsLike, *, systems: Sequence[str] | None = None) -> SystemCorrelations:
    """Find how the scores of systems are correlated within each class of trials.

    Correlation over all trials says little: any two systems that work are correlated, as both give genuine trials
    higher scores. Fusion gains by what is left within a class.

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
        A system that is not known, or fewer than two trials of a class with finite scores.
    ParameterError
        Fewer than two systems.

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
        raise ParameterError(f"a correlation is of at least two systems, not of {listed(names) or 'none'}")
    scores, genuine, notes = finite_scores(trials, names)
    return SystemCorrelations(names, ClassGaussian.of(scores[genuine]), ClassGaussian.of(scores[~genuine]), notes)


def finite_scores(trials: Trials, names: Sequence[str]) -> tuple[Floats, Any, tuple[str, ...]]:
    """The scores of trials that lack none, which of these are genuine, and a note on the others."""
    scores = score_matrix(trials, names)
    finite = np.isfinite(scores).all(axis=1)
    genuine = trials.genuine[finite]
    if min(np.count_nonzero(genuine), np.count_nonzero(~genuine)) < 2:
        raise TrialsError("there must be at least two trials of each class with finite scores of all systems")
    lost = int(np.count_nonzero(~finite))
    notes = (f"{plural(lost, 'trial')} without the score of a system left out",) if lost else ()
    return scores[finite], genuine, notes
