"""Six intervals for an error rate of people who are tested several times, in the order of the paper.

Schuckers et al., A comparison of statistical methods for evaluating matching performance, 2004, section 2. Each takes
the `Individuals` of one data set, or of thousands at once, and gives the lower and the upper limit of each. The two
that resample take `n_resamples`, None for infinitely many, and `rng`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from fairtrial.inference.intervals import normal_quantile
from fairtrial.repeated.replicates import replicate_limits

if TYPE_CHECKING:
    from fairtrial.repeated.attempts import Individuals, Rng

Limits: TypeAlias = tuple[Any, Any]


def doddington_limits(people: Individuals, *, confidence: float = 0.95) -> Limits:
    r"""Compute Doddington's rule of 30, DR.

    .. math:: \hat\pi \pm 0.3 \hat\pi

    Notes
    -----
    It is meant for at least 30 errors in independent attempts, and for 90 %, whatever `confidence` says. Without errors
    the width is zero.

    References
    ----------
    Schuckers et al. 2004, eq. (2); Doddington et al. 2000.
    """
    return 0.7 * people.estimate, 1.3 * people.estimate


def best_practices_limits(people: Individuals, *, confidence: float = 0.95) -> Limits:
    r"""Compute the interval of Best Practices, BP, from the variance of people's rates.

    .. math:: \hat\pi \pm z \sqrt{\sum_i (m_i (p_i - \hat\pi))^2 / (\bar m^2 n (n - 1))}

    Notes
    -----
    If all people have the same rate, the width is zero. The limits may lie outside [0, 1].

    References
    ----------
    Schuckers et al. 2004, eq. (3); Mansfield & Wayman 2002.
    """
    n, mean = people.individuals, people.total_attempts / people.individuals
    reach = normal_quantile(confidence) * np.sqrt(people.squared_deviations / (mean**2 * n * (n - 1)))
    return people.estimate - reach, people.estimate + reach


def subset_bootstrap_limits(
    people: Individuals, *, confidence: float = 0.95, n_resamples: int | None = 1000, rng: Rng = 0
) -> Limits:
    r"""Compute the subset bootstrap, SB: attempts are resampled within each person.

    .. math:: \hat\pi^* = \sum_i Bin(m_i, p_i) / \sum_i m_i

    Notes
    -----
    People stay the same, so the variance between them is left out. The percentiles of the replicates are drawn from
    their distribution, which is known. If nobody has both errors and successes, the width is zero.

    References
    ----------
    Schuckers et al. 2004, section 2.4; Bolle et al. 2000.
    """
    repeats = np.atleast_2d(people.counts) * people.attempts
    return replicate_limits(people, repeats, confidence=confidence, n_resamples=n_resamples, rng=rng)


def beta_binomial_limits(people: Individuals, *, confidence: float = 0.95) -> Limits:
    r"""Compute the beta-binomial interval by moments, BB.

    .. math:: \hat\pi \pm z \sqrt{\hat\pi (1 - \hat\pi) (1 + (m_0 - 1) \hat\rho) / (\bar m n)}

    Notes
    -----
    A negative correlation is not set to 0. If all people have the same rate, the width is zero. The limits may lie
    outside [0, 1].

    References
    ----------
    Schuckers et al. 2004, eqs. (4) to (6); Schuckers 2003a.
    """
    reach = normal_quantile(confidence) * np.sqrt(people.variance)
    return people.estimate - reach, people.estimate + reach


def logit_limits(people: Individuals, *, confidence: float = 0.95) -> Limits:
    r"""Compute the logit beta-binomial interval, LBB, transformed back from the logit of the rate.

    .. math:: logit(\hat\pi) \pm z \sqrt{(1 + (m_0 - 1) \hat\rho) / (\hat\pi (1 - \hat\pi) \bar m n)}

    Notes
    -----
    It is undefined without errors, and if all attempts are errors. The limits lie within (0, 1).

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
    people: Individuals, *, confidence: float = 0.95, n_resamples: int | None = 1000, rng: Rng = 0
) -> Limits:
    r"""Compute balanced repeated replicates, BRR: one attempt is drawn of each person.

    .. math:: \tilde\pi = \sum_i Bin(1, p_i) / n

    Notes
    -----
    Attempts are drawn, as in the paper, so their number need be neither prime nor the same for all. Percentiles as for
    SB. If nobody has both errors and successes, the width is zero.

    References
    ----------
    Schuckers et al. 2004, section 2.7; Michaels & Boult 2001.
    """
    repeats = np.atleast_2d(people.counts)
    return replicate_limits(people, repeats, confidence=confidence, n_resamples=n_resamples, rng=rng)
