"""The HTER of several groups at once, from the two families of rates that it is the mean of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fairtrial.claims import ThresholdDeviations
from fairtrial.groups.family import RateFamily, correlation_of, critical_of, largest_normal_of
from fairtrial.spread import Floats, not_below_half


@dataclass(frozen=True, eq=False)
class HalfTotals:
    """The mean of FAR and FRR of every group; both are of the same groups in the same order."""

    far: RateFamily
    frr: RateFamily

    @property
    def rate(self) -> Floats:
        """The HTER of each group."""
        return (self.far.rate + self.frr.rate) / 2

    @cached_property
    def _between(self) -> Floats:
        """The covariance of each FAR with each FRR, through people who are in both."""
        far, frr = self.far.grouped.moved, self.frr.grouped.moved
        if far is None or frr is None:
            return np.zeros((self.far.size, self.far.size))
        return np.asarray(far.T @ frr)

    @cached_property
    def _moved(self) -> Floats:
        """What the threshold adds to the variance of each."""
        if self.far.deviations is None or self.frr.deviations is None:
            return np.zeros(self.far.size)
        return ThresholdDeviations.together([(0.5, self.far.deviations), (0.5, self.frr.deviations)]).variances()

    @cached_property
    def _covariance(self) -> Floats:
        both = self._between + self._between.T
        found = (self.far.covariance + self.frr.covariance + both) / 4
        apart = (np.diag(self.far.covariance) + np.diag(self.frr.covariance)) / 4
        np.fill_diagonal(found, not_below_half(np.diag(found), apart))
        return found

    @property
    def threshold_moves(self) -> bool:
        """Whether the threshold is re-estimated."""
        return self.far.threshold_moves

    @property
    def sigma(self) -> Floats:
        """The standard deviation of each."""
        return np.sqrt(np.diag(self._covariance) + self._moved)

    def critical(self, confidence: float) -> float:
        """The critical value at which the limits of all hold together."""
        return critical_of(largest_normal_of(self._covariance + np.diag(self._moved), self.far.seed), confidence)

    def limits(self, critical: float) -> tuple[Floats, Floats]:
        """The limits of every HTER, the distances of those of both rates put together."""
        variances = [np.diag(own.covariance) for own in (self.far, self.frr)]
        correlation = correlation_of(np.diag(self._between), *variances)
        (far_low, far_high), (frr_low, frr_high) = (own.limits_at_threshold(critical) for own in (self.far, self.frr))
        sides = (
            (self.far.rate - far_low, self.frr.rate - frr_low),
            (far_high - self.far.rate, frr_high - self.frr.rate),
        )
        people = np.minimum(self.far.people, self.frr.people)
        moved = self.far.moved_reach(self._moved, np.diag(self._covariance), people, critical)
        below, above = (
            np.sqrt(np.maximum(one**2 + other**2 + 2 * correlation * one * other, 0) / 4 + moved**2)
            for one, other in sides
        )
        return np.maximum(self.rate - below, 0.0), np.minimum(self.rate + above, 1.0)
