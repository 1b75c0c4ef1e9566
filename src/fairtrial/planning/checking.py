"""A plan for an error rate put to the test: simulated data as planned, and what intervals they give."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from fairtrial.checks import as_generator, check_number
from fairtrial.individuals import Generator, errors_pmf
from fairtrial.individuals.limits import beta_binomial_limits, logit_limits
from fairtrial.planning.bound import UpperBound, drawn_people
from fairtrial.planning.rate import RatePlan
from fairtrial.tables import Column, Result, Table, percent, plural

_DRAWS = 10**8


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
    plan : RatePlan
        What `plan_rate` gives.
    generator : {"oman-zucker", "beta-binomial"}, default "oman-zucker"
        How attempts of a person come to be correlated; see `errors_pmf`.
    data_sets : int, default 10000
        How many data sets are simulated at most; there are fewer where each has very many attempts.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result.

    Returns
    -------
    SimulatedPlan
        The mean half-width, the coverage and how often the bound came out below the claim.

    Raises
    ------
    ParameterError
        A generator that is not known.

    Examples
    --------
    >>> from fairtrial.planning import plan_rate
    >>> found = check_plan(plan_rate(0.02, 0.1, half_width=0.005, attempts=5), data_sets=2000)
    >>> 0.0045 < found.mean_half_width < 0.0055
    True
    """
    data_sets = max(
        1, min(check_number("data set", data_sets, most=10**9), _DRAWS // min(plan.individuals, plan.attempts + 1))
    )
    pmf = errors_pmf(plan.attempts, plan.pi, plan.rho, generator=generator)
    people = drawn_people(plan.individuals, pmf, data_sets, as_generator(rng))
    low, high = logit_limits(people, confidence=plan.confidence)
    plain_low, plain_high = beta_binomial_limits(people, confidence=plan.confidence)
    below = None
    if plan.claim is not None:
        bound = UpperBound(plan.pi, plan.rho, plan.claim, plan.confidence, generator)
        below = float(np.mean(bound.below(people)))
    return SimulatedPlan(
        data_sets,
        float(np.mean(plain_high - plain_low)) / 2,
        float(np.mean((low <= plan.pi) & (plan.pi <= high))),
        below,
    )
