"""A plan for an error rate put to the test: simulated data as planned, and what intervals they give."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import log
from typing import Any

import numpy as np

from fairtrial.checks import as_generator
from fairtrial.individuals import Generator, Individuals, draw_counts, errors_pmf
from fairtrial.individuals.enumeration import people_of_sums
from fairtrial.individuals.limits import beta_binomial_limits, logit_limits
from fairtrial.planning.rate import RatePlan
from fairtrial.tables import Column, Result, Table, percent, plural

_DRAWS = 10**8
_AT_ONCE = 1 << 20


@dataclass(frozen=True, slots=True, repr=False)
class SimulatedPlan(Result):
    """What a plan gave in simulated tests."""

    data_sets: int
    mean_half_width: float
    """Of the interval BB, on the scale of the rate."""
    coverage: float
    """How often the interval LBB held the true rate."""
    share_below_claim: float | None
    """How often the upper bound came out below the claimed rate; without errors, the bound of so many people."""

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        return asdict(self)

    def summary(self) -> str:
        """How often lbb covered."""
        return f"{plural(self.data_sets, 'simulated test')}, lbb covered {percent(self.coverage)}"

    def tables(self) -> tuple[Table, ...]:
        """The outcome in one row."""
        columns = [
            Column("data_sets", "tests", "count"),
            Column("mean_half_width", "mean half-width", "rate"),
            Column("coverage", "coverage of lbb", "rate"),
        ]
        if self.share_below_claim is not None:
            columns.append(Column("share_below_claim", "upper bound below the claim in", "rate"))
        return (Table.of("simulated", "Simulated as planned", columns, [self.to_dict()]),)


def check_plan(
    plan: RatePlan,
    *,
    generator: Generator = "oman-zucker",
    data_sets: int = 10_000,
    rng: np.random.Generator | int | None = 0,
) -> SimulatedPlan:
    """Simulate tests as planned and see what they give.

    Parameters
    ----------
    plan
        What `plan_rate` gives.
    generator
        How attempts of a person come to be correlated.
    data_sets
        How many tests to simulate at most; there are fewer where each has very many attempts.
    rng
        A generator or a seed.

    Returns
    -------
    SimulatedPlan
        The mean half-width, the coverage and how often the bound came out below the claim.

    Examples
    --------
    >>> from fairtrial.planning import plan_rate
    >>> found = check_plan(plan_rate(0.02, 0.1, half_width=0.005, attempts=5), data_sets=2000)
    >>> 0.0045 < found.mean_half_width < 0.0055
    True
    """
    data_sets = max(1, min(data_sets, _DRAWS // min(plan.individuals, plan.attempts + 1)))
    people = _drawn(plan, generator, data_sets, as_generator(rng))
    low, high = logit_limits(people, confidence=plan.confidence)
    plain_low, plain_high = beta_binomial_limits(people, confidence=plan.confidence)
    below = None
    if plan.claim is not None:
        bound = logit_limits(people, confidence=2 * plan.confidence - 1)[1]
        without = -np.expm1(log(1 - plan.confidence) / plan.individuals)
        below = float(np.mean(np.where(people.total_errors > 0, bound, without) < plan.claim))
    return SimulatedPlan(
        data_sets,
        float(np.mean(plain_high - plain_low)) / 2,
        float(np.mean((low <= plan.pi) & (plan.pi <= high))),
        below,
    )


def _drawn(plan: RatePlan, generator: Generator, data_sets: int, rng: np.random.Generator) -> Individuals:
    """Tests as planned: numbers of people with 0, 1, ... errors are drawn, or people's errors if those are fewer."""
    pmf = errors_pmf(plan.attempts, plan.pi, plan.rho, generator=generator)
    errors = np.arange(plan.attempts + 1.0)
    values = np.stack([errors, errors * (errors - 1) / 2], axis=1)
    size = max(1, _AT_ONCE // min(plan.individuals, len(pmf)))
    sums = []
    for start in range(0, data_sets, size):
        number = min(size, data_sets - start)
        if len(pmf) <= plan.individuals:
            sums.append(draw_counts(plan.individuals, pmf, number, rng) @ values)
        else:
            drawn = rng.choice(len(pmf), size=(number, plan.individuals), p=pmf / pmf.sum())
            sums.append(values[drawn].sum(axis=1))
    return people_of_sums(plan.individuals, plan.attempts, *np.concatenate(sums).T)
