"""The interval of a figure that is no mean over trials: how it changes without some people, of test or of dev."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, isfinite, sqrt

import numpy as np
from numpy.typing import NDArray

from fairtrial.calibration.evidence import dev_pav
from fairtrial.calibration.figures import Evidence
from fairtrial.calibration.model import fit_calibration
from fairtrial.claims import student_quantile
from fairtrial.errors import TrialsError
from fairtrial.folds import folds_of_trials
from fairtrial.intervals.rates import RateInterval
from fairtrial.people import People
from fairtrial.spread import Floats
from fairtrial.trials import Trials

_GROUPS = 10
_MOST = 200_000
"""Trials of dev and test together, beyond which a figure is not computed over and over again."""


def dev_pav_interval(evidence: Evidence, *, confidence: float = 0.95) -> RateInterval | None:
    """The interval of devPAV: Student's limits on the scale of logarithms, by the jackknife over groups of people.

    Parameters
    ----------
    evidence
        The judged trials, calibrated.
    confidence
        Of the interval.

    Returns
    -------
    RateInterval or None
        None where devPAV is not known, or not known without some of the people; where people are fewer than ten; and
        where there are more than 200,000 trials.

    Notes
    -----
    People are dealt into ten groups; where nothing is known of people, trials are. Without each group of test people
    devPAV is another, and without each group of dev people the calibration is. A trial of people of two groups is left
    out twice, so that intervals are rather wide.
    """
    estimate, sets = dev_pav(evidence.pair), evidence.sets
    re_estimated = sets.origin == "dev"
    trials = len(evidence.test) + (len(evidence.dev) if re_estimated else 0)
    if trials > _MOST or not (isfinite(estimate) and estimate > 0):
        return None

    def without_test(rows: NDArray[np.bool_]) -> float:
        return _of(evidence.ratios[rows], evidence.genuine[rows])

    def without_dev(rows: NDArray[np.bool_]) -> float:
        own = evidence.calibration
        fitted = fit_calibration(
            evidence.dev.rows(np.flatnonzero(rows)), systems=own.systems, method=own.method, prior=own.prior
        )
        return _of(fitted.ratios(evidence.test), evidence.genuine)

    try:
        variance = _variance(evidence.test, sets.people[1], without_test, sets.seed)
        if re_estimated:
            variance += _variance(evidence.dev, sets.people[0], without_dev, sets.seed)
    except TrialsError:  # too few people, or a class without trials
        return None
    if not isfinite(variance):
        return None
    sigma = sqrt(variance)
    factor = exp(min(student_quantile(_GROUPS - 1, confidence) * sigma / estimate, 700.0))
    return RateInterval(
        estimate,
        estimate / factor,
        estimate * factor,
        sigma,
        confidence,
        "student",
        "dev-pav",
        "re-estimated" if re_estimated else "fixed",
        is_share=False,
        label="devPAV",
        sharing=evidence.sets.sharing,
    )


def _of(ratios: Floats, genuine: NDArray[np.bool_]) -> float:
    return dev_pav((ratios[genuine], ratios[~genuine]))


def _variance(trials: Trials, people: People | None, without: Callable[[NDArray[np.bool_]], float], seed: int) -> float:
    """The jackknife's variance: by how much a figure changes without each group of people."""
    cluster = "none" if people is None else people.cluster
    first, second = folds_of_trials(trials, _GROUPS, cluster, np.random.default_rng([seed, 7]))
    found = np.array([without((first != group) & (second != group)) for group in range(_GROUPS)])
    return float(np.sum((found - found.mean()) ** 2)) * (_GROUPS - 1) / _GROUPS
