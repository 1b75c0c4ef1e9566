"""Replicates of the error rates of dev, as normal deviates: what its people, or its trials, would have shown instead.

Each unit moves the normal deviate of a rate by as much as it changes without them, times a random weight (see `draws`).
How much replicates vary is what the people show, and where errors are few what all their scores show (see `alikeness`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairtrial.counting.tallies import ErrorCounts, ScoreSource, count_errors
from fairtrial.counting.threads import one_thread
from fairtrial.inference.det_fit import normal_density, normal_deviates, smoothed
from fairtrial.inference.intraclass import Alikeness
from fairtrial.inference.multipliers import Draws, counted_deviations, deviations_by_unit
from fairtrial.inference.people import Members
from fairtrial.inference.person_counts import CountedClass
from fairtrial.inference.variance import Floats, not_below_half

_AS_MANY_ERRORS = 10
"""What all scores tell of how alike a person's errors are weighs as much as so many errors."""
Deviates = NDArray[np.float32]
"""Normal deviates of error rates: many of them, and none needs more than six digits."""


@dataclass(frozen=True, slots=True, eq=False)
class RateReplicates:
    """By how much the normal deviate of an error rate moves, at thresholds that rise."""

    moved: Deviates
    """One row per replicate, one column per threshold."""
    variances: Floats
    """One per threshold."""

    @classmethod
    def of_scores(
        cls,
        dev: ScoreSource,
        scores: NDArray[np.floating],
        ordered: NDArray[np.floating],
        part: Members | None,
        counts: ErrorCounts,
        draws: Draws,
        which: int,
        *,
        nowhere_still: bool,
    ) -> RateReplicates:
        """From the scores of one class: 0 genuine, 1 impostor.

        Parameters
        ----------
        ordered
            The same scores, sorted.
        part
            Who takes part in these trials; None where trials are drawn.
        counts
            The errors of dev at the thresholds.
        nowhere_still
            Whether a rate without errors moves, too; see `_where_errors_are`.
        """
        shown, place = counts, np.arange(len(counts))
        if nowhere_still:
            shown, place = _where_errors_are(dev, ordered, counts)
        by_unit = deviations_by_unit(scores, part, shown, draws, which)[:, place]
        moved = _Rate.of(shown, which).at(place).without_each(by_unit)
        weights = draws.trials(len(scores), which) if part is None else draws.people()
        alike = None if part is None else Alikeness.of(part, scores, ordered)
        return cls._drawn(_Rate.of(counts, which), by_unit, moved, weights, alike)

    @classmethod
    def of_counted_people(cls, part: CountedClass, counts: ErrorCounts, draws: Draws, which: int) -> RateReplicates:
        """From the numbers of each person's trials between the thresholds."""
        rate = _Rate.of(counts, which)
        by_unit = counted_deviations(part, rate.errors / rate.trials, draws)
        found = cls._drawn(rate, by_unit, rate.without_each(by_unit), draws.people(), Alikeness.of_counts(part))
        return found._never_still(draws, which)

    @classmethod
    def of_counts(cls, counts: ErrorCounts, draws: Draws, which: int) -> RateReplicates:
        """From the numbers of trials between the thresholds, all of them independent."""
        rate = _Rate.of(counts, which)
        # errors fall with the threshold where it is an error to accept
        below = rate.trials - rate.errors if which else rate.errors
        cells = np.diff(np.concatenate([[0.0], below, [float(rate.trials)]]))
        rng = np.random.default_rng([draws.seed, 2, which])
        drawn = np.cumsum(rng.multinomial(rate.trials, cells / rate.trials, size=draws.count), axis=1)[:, :-1]
        moved = (below - drawn if which else drawn - below) / rate.trials / normal_density(rate.deviates)
        none = np.empty((0, len(counts)))
        return cls(moved.astype(np.float32), rate.variances(none, none, None))._never_still(draws, which)

    @classmethod
    def _drawn(
        cls, rate: _Rate, by_unit: Floats, moved: Floats, weights: NDArray[np.float32], alike: Alikeness | None
    ) -> RateReplicates:
        """From what the rate and its normal deviate change by without each unit."""
        variances = rate.variances(by_unit, moved, alike)
        squares = np.sum(moved**2, axis=0, dtype=np.float64)
        scale = np.sqrt(np.divide(variances, squares, out=np.zeros_like(squares), where=squares > 0))
        with one_thread():
            return cls(weights @ (moved * scale).astype(np.float32), variances)

    def _never_still(self, draws: Draws, which: int) -> RateReplicates:
        """Normal replicates where a class has no error, so that no unit moves its rate."""
        still = ~self.moved.any(axis=0)
        if not still.any():
            return self
        normal = np.random.default_rng([draws.seed, 5, which]).normal(size=(len(self.moved), 1))
        moved = np.where(still, normal * np.sqrt(self.variances), self.moved)
        return RateReplicates(moved.astype(np.float32), self.variances)


@dataclass(frozen=True, slots=True, eq=False)
class _Rate:
    """The errors of one class at thresholds."""

    errors: Floats
    trials: int

    @classmethod
    def of(cls, counts: ErrorCounts, which: int) -> _Rate:
        """Of genuine trials, 0, or of impostor trials, 1."""
        if which:
            return cls(np.asarray(counts.false_accepts, dtype=np.float64), counts.impostor)
        return cls(np.asarray(counts.false_rejects, dtype=np.float64), counts.genuine)

    def at(self, place: NDArray[np.int64]) -> _Rate:
        """At some of the thresholds, in this order."""
        return _Rate(self.errors[place], self.trials)

    @property
    def deviates(self) -> Floats:
        """The normal deviates of the rate."""
        return normal_deviates(self.errors, self.trials)

    def without_each(self, by_unit: Floats) -> Floats:
        """By how much the normal deviate changes without each unit, where the rate itself changes by so much."""
        left = np.clip(self.errors - self.trials * by_unit, 0.0, self.trials)
        return self.deviates - normal_deviates(left, self.trials)

    def variances(self, by_unit: Floats, moved: Floats, alike: Alikeness | None) -> Floats:
        """The variance of the normal deviate: as people show it, and where errors are few as all their scores do.

        What people show is the mean of two jackknives: of the rate, brought to its deviate by a tangent, which is too
        small where one person makes most errors; and of the deviate itself, which is too large (Efron & Stein 1981).
        """
        rate = smoothed(self.errors, self.trials)
        independent = rate * (1 - rate) / self.trials
        density = normal_density(self.deviates)
        if alike is None:
            return np.asarray(independent / density**2)
        by_tangent, squares = (np.sum(own**2, axis=0, dtype=np.float64) for own in (by_unit / density, moved))
        wider = np.divide(squares, by_tangent, out=np.ones_like(squares), where=by_tangent > 0)
        shown = not_below_half(by_tangent * density**2 - independent * alike.counted_twice(rate), independent)
        shown *= (1 + np.maximum(wider, 1.0)) / 2
        expected = independent * alike.of_people(rate)
        errors = np.minimum(self.errors, self.trials - self.errors)
        mixed = (errors * shown + _AS_MANY_ERRORS * expected) / (errors + _AS_MANY_ERRORS)
        return np.asarray(mixed / density**2)


def _where_errors_are(
    dev: ScoreSource, ordered: NDArray[np.floating], counts: ErrorCounts
) -> tuple[ErrorCounts, NDArray[np.int64]]:
    """Errors at the nearest thresholds at which a class has errors, and not only errors; and which goes with each.

    Where a class has no error nobody moves its rate. Those whose scores are nearest to the threshold do in their place.
    """
    thresholds = np.asarray(counts.threshold)
    below = ordered[: np.searchsorted(ordered, ordered[-1])]
    ends = (ordered[0], below[-1]) if len(below) else (ordered[0], ordered[0])
    nearest = np.clip(thresholds, *ends)
    if np.array_equal(nearest, thresholds):
        return counts, np.arange(len(thresholds))
    inner, place = np.unique(nearest, return_inverse=True)
    return count_errors(dev, inner), place
