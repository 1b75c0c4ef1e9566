"""How far apart genuine and impostor scores lie: AUC and d', with intervals that know which trials share people."""

from __future__ import annotations

from math import nan, sqrt

import numpy as np
from numpy.typing import NDArray

from fairtrial.checks import check_confidence
from fairtrial.claims import claim_of_values
from fairtrial.errors import TrialsError
from fairtrial.intervals.clustered import wilson_limits
from fairtrial.intervals.rates import RateInterval
from fairtrial.spread import Floats
from fairtrial.trial_sets import TrialSets, system_name
from fairtrial.trials import Trials

_D_PRIME = "d'"
_NO_ERROR = "every genuine score is above every impostor score; the interval is that of one person in error"


def auc_interval(sets: TrialSets, *, system: str | None = None, confidence: float = 0.95) -> RateInterval:
    """Compute the area under the ROC, P(genuine > impostor) + P(equal) / 2, on the judged trials, and its interval.

    Each trial contributes the share of the other class that it is ordered wrongly with; the variance of their two
    means is that of DeLong et al., and contributions are summed by person where trials share people.

    Parameters
    ----------
    sets : TrialSets
        Dev and test trials, and who shares them. No threshold is needed, so dev does not matter.
    system : str, optional
        The name of the system; not needed where there is only one.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.

    Returns
    -------
    RateInterval
        With Wilson's limits for as many independent trials as would have the variance.

    Raises
    ------
    TrialsError
        Judged trials that are not Trials, or several systems and none named.

    References
    ----------
    DeLong, DeLong & Clarke-Pearson, Comparing the areas under correlated ROC curves, Biometrics 44, 1988; Obuchowski,
    Nonparametric analysis of clustered ROC curve data, Biometrics 53, 1997.

    Examples
    --------
    >>> trials = Trials.from_arrays([0.9, 0.8, 0.4, 0.7, 0.1, 0.3, 0.5, 0.2, 0.6], [True] * 4 + [False] * 5)
    >>> found = auc_interval(TrialSets(None, trials))
    >>> round(found.estimate, 4), round(found.low, 2), round(found.high, 2)
    (0.9, 0.41, 0.99)
    """
    trials, name = _judged(sets, system)
    wrong = _placements(trials.column(name), trials.genuine)
    error = float(wrong[trials.genuine].mean())
    claim = claim_of_values(sets, error, wrong)
    spread, quantile = claim.spread, claim.quantile(check_confidence(confidence))
    worth = error * (1 - error) / spread.variance if spread.variance > 0 else spread.people
    low, high = wilson_limits(error, worth, quantile)
    note = "" if 0 < error < 1 else _NO_ERROR if error == 0 else "every genuine score is below every impostor score"
    return RateInterval(
        1 - error,
        max(1 - high, 0.0),
        min(1 - low, 1.0),
        spread.sigma,
        confidence,
        "delong",
        "auc",
        note=note,
        label="AUC",
        sharing=sets.sharing,
    )


def _placements(scores: NDArray[np.floating], genuine: NDArray[np.bool_]) -> Floats:
    """Of each trial, the share of the other class that it is ordered wrongly with; equal scores count half."""
    found = np.empty(len(scores))
    for rows, sign in ((genuine, 1), (~genuine, -1)):
        others = np.sort(sign * scores[~rows])
        own = sign * scores[rows]
        above = len(others) - (np.searchsorted(others, own, "left") + np.searchsorted(others, own, "right")) / 2
        found[rows] = above / len(others)
    return found


def d_prime_interval(sets: TrialSets, *, system: str | None = None, confidence: float = 0.95) -> RateInterval:
    r"""Compute d', the distance of the class means in standard deviations, on the judged trials, and its interval.

    .. math:: d' = (\mu_G - \mu_I) / \sqrt{(\sigma_G^2 + \sigma_I^2) / 2}

    Parameters
    ----------
    sets : TrialSets
        Dev and test trials, and who shares them. No threshold is needed, so dev does not matter.
    system : str, optional
        The name of the system; not needed where there is only one.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.

    Returns
    -------
    RateInterval
        With Student's limits and the variance of the tangent; NaN, and a note that says why, where there is no d':
        where a score is infinite, or where no class has any spread.

    Raises
    ------
    TrialsError
        Judged trials that are not Trials, or several systems and none named.

    References
    ----------
    Daugman, The importance of being random, Pattern Recognition 36, 2003: decidability.

    Examples
    --------
    >>> trials = Trials.from_arrays([2.0, 4.0, 0.0, 2.0], [True, True, False, False])
    >>> d_prime_interval(TrialSets(None, trials)).estimate
    2.0
    """
    trials, name = _judged(sets, system)
    scores = trials.column(name).astype(np.float64, copy=False)
    check_confidence(confidence)
    if not np.isfinite(scores).all():
        return _no_d_prime("a score is infinite, so that there is no mean", confidence, sets)
    halves = scores / 2 - float(np.median(scores)) / 2  # neither far from 0 nor too large to be squared
    scores = halves / (float(np.max(np.abs(halves))) or 1.0)
    means, variances = zip(
        *((float(scores[rows].mean()), float(scores[rows].var())) for rows in (trials.genuine, ~trials.genuine)),
        strict=True,
    )
    width = sqrt(sum(variances) / 2)
    if width == 0:
        return _no_d_prime("all scores of a class are the same, so that there is no spread", confidence, sets)
    estimate = (means[0] - means[1]) / width
    tangent = np.empty(len(scores))
    for rows, sign, mean in ((trials.genuine, 1, means[0]), (~trials.genuine, -1, means[1])):
        away = scores[rows] - mean
        tangent[rows] = sign * away / width - estimate * away**2 / (4 * width**2)
    claim = claim_of_values(sets, estimate, tangent)
    reach = claim.quantile(confidence) * claim.sigma
    return RateInterval(
        estimate,
        estimate - reach,
        estimate + reach,
        claim.sigma,
        confidence,
        "student",
        "d-prime",
        is_share=False,
        label=_D_PRIME,
        sharing=sets.sharing,
    )


def _no_d_prime(why: str, confidence: float, sets: TrialSets) -> RateInterval:
    unknown = (nan, nan, nan, nan, confidence, "student", "d-prime")
    return RateInterval(*unknown, note=why, is_share=False, label=_D_PRIME, sharing=sets.sharing)


def _judged(sets: TrialSets, system: str | None) -> tuple[Trials, str]:
    if not isinstance(sets.test, Trials):
        raise TrialsError("AUC and d' with intervals need test as Trials; build them with Trials.from_arrays")
    return sets.test, system_name(sets.test, system)
