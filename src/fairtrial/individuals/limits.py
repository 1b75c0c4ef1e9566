"""Six intervals for an error rate when people are tested several times (Schuckers et al. 2004).

All have the same shape: from people, in one data set or many, to the lower and upper limits. Limits are not
clipped to [0, 1]; undefined ones are NaN. Notes and a recommendation are made in `repeated`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np

from fairtrial.checks import as_generator
from fairtrial.individuals.attempts import Floats, Individuals
from fairtrial.individuals.poisson_binomial import order_statistics, sum_quantiles
from fairtrial.intervals.rates import normal_quantile

Limits: TypeAlias = tuple[Any, Any]


class IndividualsMethod(Protocol):
    """An interval for an error rate from people who were tested several times."""

    def __call__(
        self,
        people: Individuals,
        *,
        confidence: float = 0.95,
        n_resamples: int | None = 1000,
        rng: np.random.Generator | int | None = 0,
    ) -> Limits:
        """Give the lower and the upper limit, one of each per data set."""


@dataclass(frozen=True, slots=True)
class RepeatedMethod:
    """An interval for repeated attempts by its name, with what is to be known of it; called, it gives its limits.

    Parameters
    ----------
    name : str
        How it is called on the command line and in JSON.
    limits : IndividualsMethod
        What finds the limits.
    resamples : bool, default False
        Whether it resamples, so that `n_resamples` and `rng` mean something to it.
    level : float, optional
        The confidence that it has whatever is asked for.
    least_errors : int, default 0
        How many errors it is meant for.
    """

    name: str
    limits: IndividualsMethod
    resamples: bool = False
    level: float | None = None
    least_errors: int = 0

    def __call__(
        self,
        people: Individuals,
        *,
        confidence: float = 0.95,
        n_resamples: int | None = 1000,
        rng: np.random.Generator | int | None = 0,
    ) -> Limits:
        """Give the lower and the upper limit, one of each per data set."""
        return self.limits(people, confidence=confidence, n_resamples=n_resamples, rng=rng)


def doddington_limits(
    people: Individuals,
    *,
    confidence: float = 0.95,
    n_resamples: int | None = 1000,
    rng: np.random.Generator | int | None = 0,
) -> Limits:
    r"""Compute Doddington's rule of 30, DR.

    .. math:: \hat\pi \pm 0.3 \hat\pi

    Notes
    -----
    It is meant for 30 errors and more in independent attempts, and for 90 % whatever `confidence` asks for.
    Without errors its width is zero.

    References
    ----------
    Schuckers et al. 2004, eq. (2); Doddington et al. 2000.
    """
    return 0.7 * people.estimate, 1.3 * people.estimate


def best_practices_limits(
    people: Individuals,
    *,
    confidence: float = 0.95,
    n_resamples: int | None = 1000,
    rng: np.random.Generator | int | None = 0,
) -> Limits:
    r"""Compute the interval of Best Practices, BP: the spread of people's own rates.

    .. math:: \hat\pi \pm z \sqrt{\sum_i (m_i (p_i - \hat\pi))^2 / (\bar m^2 n (n - 1))}

    Notes
    -----
    Where all people have the same rate the width is zero.

    References
    ----------
    Schuckers et al. 2004, eq. (3); Mansfield & Wayman 2002.
    """
    n, mean = people.individuals, people.total_attempts / people.individuals
    return normal_limits(people.estimate, np.sqrt(people.squared_deviations / (mean**2 * n * (n - 1))), confidence)


def subset_bootstrap_limits(
    people: Individuals,
    *,
    confidence: float = 0.95,
    n_resamples: int | None = 1000,
    rng: np.random.Generator | int | None = 0,
) -> Limits:
    r"""Compute the subset bootstrap, SB: attempts are resampled within each person.

    .. math:: \hat\pi^* = \sum_i Bin(m_i, p_i) / \sum_i m_i

    Notes
    -----
    People stay the same, so the spread between them is not in it. Percentiles of `n_resamples` replicates are
    drawn from their distribution, which is known; None gives those of infinitely many.

    References
    ----------
    Schuckers et al. 2004, section 2.4; Bolle et al. 2000.
    """
    repeats = np.atleast_2d(people.counts) * people.attempts
    return _replicated(people, repeats, people.total_attempts, confidence, n_resamples, rng)


def beta_binomial_limits(
    people: Individuals,
    *,
    confidence: float = 0.95,
    n_resamples: int | None = 1000,
    rng: np.random.Generator | int | None = 0,
) -> Limits:
    r"""Compute the beta-binomial interval by moments, BB.

    .. math:: \hat\pi \pm z \sqrt{\hat\pi (1 - \hat\pi) (1 + (m_0 - 1) \hat\rho) / (\bar m n)}

    Notes
    -----
    A negative correlation is not set to 0. Where all people have the same rate the width is zero.

    References
    ----------
    Schuckers et al. 2004, eqs. (4) to (6); Schuckers 2003a.
    """
    return normal_limits(people.estimate, np.sqrt(people.variance), confidence)


def logit_limits(
    people: Individuals,
    *,
    confidence: float = 0.95,
    n_resamples: int | None = 1000,
    rng: np.random.Generator | int | None = 0,
) -> Limits:
    r"""Compute the logit beta-binomial interval, LBB: that of the logit of the rate, taken back.

    .. math:: logit(\hat\pi) \pm z \sqrt{(1 + (m_0 - 1) \hat\rho) / (\hat\pi (1 - \hat\pi) \bar m n)}

    Notes
    -----
    Undefined without errors, and where all attempts are errors. The limits lie within (0, 1).

    References
    ----------
    Schuckers et al. 2004, eqs. (7) to (9), with m_0 in (9) too; Schuckers 2003a.
    """
    rate = people.estimate
    with np.errstate(divide="ignore", invalid="ignore"):
        odds = rate / (1 - rate)
        factor = np.exp(normal_quantile(confidence) * np.sqrt(people.variance) / (rate * (1 - rate)))
        low, high = odds / factor, odds * factor
        return low / (1 + low), high / (1 + high)


def balanced_replicates_limits(
    people: Individuals,
    *,
    confidence: float = 0.95,
    n_resamples: int | None = 1000,
    rng: np.random.Generator | int | None = 0,
) -> Limits:
    r"""Compute balanced repeated replicates, BRR: one attempt is drawn of each person.

    .. math:: \tilde\pi = \sum_i Bin(1, p_i) / n

    Notes
    -----
    By drawing, as the paper does, so attempts need be neither prime nor the same for all. Percentiles as for SB.

    References
    ----------
    Schuckers et al. 2004, section 2.7; Michaels & Boult 2001.
    """
    return _replicated(people, np.atleast_2d(people.counts), people.individuals, confidence, n_resamples, rng)


def normal_limits(estimate: Any, sigma: Any, confidence: float) -> Limits:
    """Give the estimate and as many standard deviations on either side as the confidence asks for."""
    reach = normal_quantile(confidence) * sigma
    return estimate - reach, estimate + reach


def _replicated(
    people: Individuals,
    repeats: Floats,
    total: Any,
    confidence: float,
    n_resamples: int | None,
    rng: np.random.Generator | int | None,
) -> Limits:
    levels = order_statistics(confidence, n_resamples, len(repeats), as_generator(rng))
    found = sum_quantiles(people.errors / people.attempts, repeats, levels)
    low, high = found.T if people.counts.ndim > 1 else found[0]
    return low / total, high / total


INDIVIDUALS_METHODS: dict[str, RepeatedMethod] = {
    method.name: method
    for method in (
        RepeatedMethod("dr", doddington_limits, level=0.9, least_errors=30),
        RepeatedMethod("bp", best_practices_limits),
        RepeatedMethod("sb", subset_bootstrap_limits, resamples=True),
        RepeatedMethod("bb", beta_binomial_limits),
        RepeatedMethod("lbb", logit_limits),
        RepeatedMethod("brr", balanced_replicates_limits, resamples=True),
    )
}
"""The six intervals by their names, in the paper's order."""
