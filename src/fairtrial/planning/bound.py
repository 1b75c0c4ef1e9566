"""How surely the upper bound of an error rate comes out below a claimed one, and whom that takes.

The bound is that of LBB, on one side; where there is no error, the exact one over individuals. Its distribution is
summed over all possible tests, or simulated where these are too many.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np

from fairtrial.errors import ParameterError
from fairtrial.individuals import Generator, Individuals, draw_counts, errors_pmf
from fairtrial.individuals.enumeration import people_of_sums, sums_of_squares
from fairtrial.individuals.limits import logit_limits
from fairtrial.planning.search import smallest_that_stays

_SUMMED = 1 << 16
"""Outcomes up to which all possible tests are summed over; beyond, as many as below are simulated."""
_SIMULATED = 20_000
_MANY_ERRORS = 60
"""With more errors than that at the claimed rate, one more or less hardly matters."""
_DRAWS = 4 * 10**6
_AT_ONCE = 1 << 20
_MOST_ATTEMPTS = 200
"""Of each person, where attempts are looked for; twice what the formula says, if that is more."""


@dataclass(frozen=True, slots=True)
class UpperBound:
    """A test that is to put the upper bound of a rate below a claimed one."""

    pi: float
    rho: float
    claim: float
    confidence: float
    generator: Generator = "oman-zucker"

    def below(self, people: Individuals) -> Any:
        """Whether the bound comes out below the claim, for each data set."""
        bound = logit_limits(people, confidence=2 * self.confidence - 1)[1]
        without = -np.expm1(log(1 - self.confidence) / people.individuals)
        return np.where(people.total_errors > 0, bound, without) < self.claim

    def power(self, individuals: int, attempts: int) -> float:
        """How probable it is that the bound comes out below the claim.

        Parameters
        ----------
        individuals, attempts
            People, and attempts of each.

        Returns
        -------
        float
            A probability, exact but for 1e-6 where all possible tests can be listed, and else from 20,000 simulated
            ones at most, always the same.
        """
        pmf = errors_pmf(attempts, self.pi, self.rho, generator=self.generator)
        try:
            listed = sums_of_squares(individuals, pmf, most=_SUMMED)
        except ParameterError:
            data_sets = max(1, min(_SIMULATED, _DRAWS // min(individuals, attempts + 1)))
            people = drawn_people(individuals, pmf, data_sets, np.random.default_rng(0))
            return float(np.mean(self.below(people)))
        return float(listed.probabilities @ self.below(listed.people))

    def individuals(self, attempts: int, power: float, *, start: int) -> int:
        """Find the people from which on the power stays at least as large as asked for."""
        found = smallest_that_stays(
            lambda number: self.power(number, attempts) >= power,
            start=start,
            smooth=start * attempts * self.claim > _MANY_ERRORS,
        )
        assert found is not None  # more people always do in the end
        return found

    def attempts(self, individuals: int, power: float, *, start: int) -> int | None:
        """Find the attempts of each person from which on the power stays; None if no number of them is enough."""
        return smallest_that_stays(
            lambda number: self.power(individuals, number) >= power,
            start=start,
            least=1,
            most=max(_MOST_ATTEMPTS, 2 * start),
        )


def drawn_people(individuals: int, pmf: Any, data_sets: int, rng: np.random.Generator) -> Individuals:
    """Simulate tests: numbers of people with 0, 1, ... errors are drawn, or people's errors if those are fewer."""
    attempts = len(pmf) - 1
    errors = np.arange(attempts + 1.0)
    values = np.stack([errors, errors * (errors - 1) / 2], axis=1)
    size = max(1, _AT_ONCE // min(individuals, len(pmf)))
    sums = []
    for begin in range(0, data_sets, size):
        number = min(size, data_sets - begin)
        if len(pmf) <= individuals:
            sums.append(draw_counts(individuals, pmf, number, rng) @ values)
        else:
            drawn = rng.choice(len(pmf), size=(number, individuals), p=pmf / pmf.sum())
            sums.append(values[drawn].sum(axis=1))
    return people_of_sums(individuals, attempts, *np.concatenate(sums).T)
