"""How alike the scores of one person are, and what that makes of the variance of an error rate.

Few errors tell little of how alike the errors of a person are; all scores together tell more. Scores are taken as
normal deviates of their ranks, those of one person correlate, and so do their errors at any threshold.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairtrial.counting.tallies import rank_tally
from fairtrial.inference.people import Members
from fairtrial.inference.person_counts import CountedClass
from fairtrial.inference.variance import Floats

_CELLS = 256
_MOST = 0.99


@dataclass(frozen=True, slots=True)
class Alike:
    """Trials that have a person in common, or the same two."""

    others: float
    """With how many others a trial has this in common, on average."""
    correlation: float
    """Of the normal deviates of their scores."""

    def added(self, rates: Floats) -> Floats:
        """What they add to the variance of error rates, in variances of independent trials."""
        return np.asarray(self.others * np.maximum(_errors_alike(rates, self.correlation), 0.0))


@dataclass(frozen=True, slots=True)
class Alikeness:
    """How alike the trials of one class are that share a person, in each role, and that share both."""

    by_role: tuple[Alike, ...]
    by_pair: Alike | None = None
    """None where nobody knows who meets whom."""

    @classmethod
    def of(cls, part: Members, scores: NDArray[np.floating], ordered: NDArray[np.floating]) -> Alikeness:
        """How alike the scores of a class of trials are; `ordered` are the same scores, sorted."""
        edges = np.unique(ordered[np.arange(1, _CELLS) * len(ordered) // _CELLS].astype(np.float64))
        cells = rank_tally(edges).ranks(scores)
        deviates = _normal_deviates(np.bincount(cells, minlength=len(edges) + 1))[cells]
        trials = float(len(scores))
        alone = trials, float(np.sum(deviates**2))
        if not len(part.pairs):
            return cls((_alike(_by_code(part.people[0], deviates), alone, trials),))
        pairs, products = _by_code(part.pairs, deviates[part.apart])
        single = deviates[~part.apart]
        meeting = pairs + len(single), products + float(np.sum(single**2))
        roles = tuple(_alike(_by_code(column, deviates), meeting, trials) for column in part.people)
        return cls(roles, _alike(meeting, alone, trials))

    @classmethod
    def of_counts(cls, part: CountedClass) -> Alikeness:
        """The same where only the numbers of trials between thresholds are known."""
        cells = part.counts[0].sum(axis=0)
        deviates = _normal_deviates(cells)
        trials = float(part.total)
        alone = trials, float(np.sum(cells * deviates**2))
        return cls(tuple(_alike(_together(own.sum(axis=1), own @ deviates), alone, trials) for own in part.counts))

    def of_people(self, rates: Floats) -> Floats:
        """The variance of error rates, in variances of independent trials."""
        pairs = 0.0 if self.by_pair is None else self.by_pair.added(rates)
        return np.asarray(1.0 + pairs + sum(own.added(rates) for own in self.by_role))

    def counted_twice(self, rates: Floats) -> Floats:
        """What sums by person count twice, where trials are of two people; in the same unit."""
        if len(self.by_role) < 2:
            return np.zeros_like(rates)
        return np.asarray(1.0 + (0.0 if self.by_pair is None else self.by_pair.added(rates)))


_Sums = tuple[float, float]
"""How many pairs of trials have something in common, each with itself too, and the sum of their products."""


def _by_code(codes: NDArray[np.int64], deviates: Floats) -> _Sums:
    sums = np.asarray(np.bincount(codes, deviates), dtype=np.float64)
    return _together(np.bincount(codes), sums)


def _together(counts: NDArray[np.int64], sums: Floats) -> _Sums:
    return float(np.sum(counts.astype(np.float64) ** 2)), float(np.sum(sums**2))


def _alike(together: _Sums, less: _Sums, trials: float) -> Alike:
    """The correlation of trials that have something in common, less those that have more in common."""
    pairs, products = together[0] - less[0], together[1] - less[1]
    return Alike(pairs / trials, min(max(products / pairs, 0.0), _MOST) if pairs > 0 else 0.0)


def _normal_deviates(counts: NDArray[np.int64]) -> Floats:
    """The normal deviate of each cell of scores in order, by its middle rank; of mean 0 and variance 1."""
    from scipy.special import ndtri

    total = counts.sum()
    shares = counts / total
    found = np.asarray(ndtri(np.clip((np.cumsum(counts) - counts / 2) / total, 1e-12, 1 - 1e-12)))
    found -= np.sum(shares * found)
    spread = float(np.sum(shares * found**2))
    return found / np.sqrt(spread) if spread > 0 else found


def _errors_alike(rates: Floats, correlation: float) -> Floats:
    """The correlation of errors at these rates, of normal deviates that correlate (Owen 1956)."""
    from scipy.special import ndtri, owens_t

    both = rates - 2 * owens_t(ndtri(rates), np.sqrt((1 - correlation) / (1 + correlation)))
    return np.asarray((both - rates**2) / (rates * (1 - rates)))
