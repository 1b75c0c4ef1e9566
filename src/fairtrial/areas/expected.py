"""Expected areas: one number for a whole range of targets, with its interval and a test of two systems.

Thresholds aim at every target of a measure V1, or of its antagonist V2, on dev; the area is the mean of (V1 + V2) / 2
that they give on test. So it is a weighted sum over dev's thresholds, and dev tells the weights.

Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, equations (14) to (18).
"""

from __future__ import annotations

import numpy as np

from fairtrial.areas.aims import Aims
from fairtrial.areas.claims import area_claims
from fairtrial.areas.results import AREA_LABELS, AreaConvention, AreaName, Areas
from fairtrial.checks import check_confidence
from fairtrial.counting.errors import ScoreData, as_source, count_errors
from fairtrial.counting.search import all_points
from fairtrial.intervals.rates import RateInterval
from fairtrial.rules.measures import MeasureLike
from fairtrial.significance.results import TestResult, student_test
from fairtrial.trial_sets import TrialSets, check_same_systems


def expected_areas(
    dev: ScoreData,
    test: ScoreData,
    *,
    v1: MeasureLike = "far",
    v2: MeasureLike = "frr",
    low: float = 0.0,
    high: float = 1.0,
    convention: AreaConvention | None = None,
    system: str | None = None,
) -> Areas:
    """Compute the expected (V1 + V2) / 2 over all targets between `low` and `high`, exactly.

    Parameters
    ----------
    dev : Trials, data frame, ScoreSource or tuple of two array_like
        The trials that thresholds are chosen on.
    test : Trials, data frame, ScoreSource or tuple of two array_like
        The trials that are judged.
    v1 : str, Measure, DetectionCosts or callable, default "far"
        Two antagonist measures: names in `MEASURES`, measures, detection costs, or functions of an `ErrorCounts`; the
        mean of FAR and FRR is the HTER.
    v2 : str, Measure, DetectionCosts or callable, default "frr"
        Two antagonist measures: names in `MEASURES`, measures, detection costs, or functions of an `ErrorCounts`; the
        mean of FAR and FRR is the HTER.
    low : float, default 0.0
        The range of targets, fractions; the result is the mean over it.
    high : float, default 1.0
        The range of targets, fractions; the result is the mean over it.
    convention : {"interpolated", "step"}, optional
        A target mostly lies between two values that thresholds reach. ``interpolated`` mixes the two thresholds so that
        the target is met on dev: then dev = test gives (AUC_err + 1/2)/2 exactly for FAR and FRR, cross-class ties
        included. It is for measures that FAR or FRR alone make, such as recall and specificity, and their default.
        ``step`` takes the nearest value, as eq. (14) reads; it is the default of all others.
    system : str, optional
        The name of the system; not needed where there is only one.

    Returns
    -------
    Areas
        E_V1, E_V2 and G.

    Raises
    ------
    ParameterError
        A range that is empty or not within 0 and 1, or a pair or convention that cannot be.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, eqs. (14) to (18).

    Examples
    --------
    >>> scores = ([0.9, 0.8, 0.4, 0.7], [0.1, 0.3, 0.5, 0.2, 0.6])
    >>> expected_areas(scores, scores).g
    0.3
    >>> expected_areas(scores, scores, v1="sensitivity", v2="specificity").g
    0.7
    >>> expected_areas(scores, scores, v1="precision", v2="recall", low=0.5).convention
    'step'
    """
    check_same_systems(dev, test)
    aims = Aims.of(v1, v2, low, high, convention)
    points = all_points(as_source(dev, system=system, what="dev"))
    on_test = count_errors(as_source(test, system=system, what="test"), points.threshold)
    value = np.asarray(aims.pair.mean(on_test))
    e_v1, e_v2 = (float(np.dot(aims.weights(points, own), value)) for own in (aims.pair.v1, aims.pair.v2))
    return Areas(e_v1, e_v2, low, high, aims.convention, aims.pair)


def area_intervals(
    sets: TrialSets,
    system: str,
    *,
    v1: MeasureLike = "far",
    v2: MeasureLike = "frr",
    low: float = 0.0,
    high: float = 1.0,
    convention: AreaConvention | None = None,
    confidence: float = 0.95,
) -> dict[AreaName, RateInterval]:
    """Compute the intervals of the expected areas E_V1, E_V2 and G, thresholds re-estimated.

    Parameters
    ----------
    sets : TrialSets
        Dev and test trials, and who shares them.
    system : str
        The name of the system.
    v1 : str, Measure, DetectionCosts or callable, default "far"
        Two antagonist measures: names in `MEASURES`, measures, detection costs, or functions of an `ErrorCounts`; the
        mean of FAR and FRR is the HTER.
    v2 : str, Measure, DetectionCosts or callable, default "frr"
        Two antagonist measures: names in `MEASURES`, measures, detection costs, or functions of an `ErrorCounts`; the
        mean of FAR and FRR is the HTER.
    low : float, default 0.0
        The range of targets, fractions; the result is the mean over it.
    high : float, default 1.0
        The range of targets, fractions; the result is the mean over it.
    convention : {"interpolated", "step"}, optional
        How a target between two reachable values is met; see `expected_areas`.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.

    Returns
    -------
    dict of str to RateInterval
        An interval each of ``e_v1``, ``e_v2`` and ``g``.

    Raises
    ------
    ParameterError
        As for `expected_areas`.
    TrialsError
        Dev or test that are not Trials.

    Notes
    -----
    Precision turns back and forth where few trials are accepted, and below the share of genuine trials there is none.
    Over targets of precision that are met in between, these intervals are somewhat too wide; over all targets from 0
    to 1 they are too narrow. Choose `low` and `high` accordingly.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, eqs. (14) to (18).

    Examples
    --------
    >>> import numpy as np
    >>> from fairtrial import Trials, TrialSets
    >>> genuine = np.arange(400) < 100
    >>> trials = Trials.from_arrays(np.random.default_rng(0).normal(2.0 * genuine), genuine)
    >>> dev, test = (trials.rows(np.arange(start, 400, 2)) for start in (0, 1))
    >>> found = area_intervals(TrialSets(dev, test), "system")
    >>> found["g"].low < found["g"].estimate < found["g"].high
    True
    """
    check_confidence(confidence)
    aims = Aims.of(v1, v2, low, high, convention)
    found: dict[AreaName, RateInterval] = {}
    for area, claim in area_claims(sets, [(1.0, system)], aims).items():
        reach = claim.quantile(confidence) * claim.sigma
        ends = claim.estimate - reach, claim.estimate + reach
        if aims.pair.mean.is_share:
            ends = max(ends[0], 0.0), min(ends[1], 1.0)
        found[area] = RateInterval(
            claim.estimate,
            *ends,
            claim.sigma,
            confidence,
            "student",
            area,
            claim.threshold,
            is_share=aims.pair.mean.is_share,
            label=AREA_LABELS[area],
            sharing=sets.sharing,
        )
    return found


def area_tests(
    sets: TrialSets,
    a: str,
    b: str,
    *,
    v1: MeasureLike = "far",
    v2: MeasureLike = "frr",
    low: float = 0.0,
    high: float = 1.0,
    convention: AreaConvention | None = None,
) -> dict[AreaName, TestResult]:
    """Test whether two systems differ in their expected areas, thresholds re-estimated.

    Parameters
    ----------
    sets : TrialSets
        Dev and test trials, and who shares them.
    a, b : str
        The names of the two systems.
    v1 : str, Measure, DetectionCosts or callable, default "far"
        Two antagonist measures: names in `MEASURES`, measures, detection costs, or functions of an `ErrorCounts`; the
        mean of FAR and FRR is the HTER.
    v2 : str, Measure, DetectionCosts or callable, default "frr"
        Two antagonist measures: names in `MEASURES`, measures, detection costs, or functions of an `ErrorCounts`; the
        mean of FAR and FRR is the HTER.
    low : float, default 0.0
        The range of targets, fractions; the result is the mean over it.
    high : float, default 1.0
        The range of targets, fractions; the result is the mean over it.
    convention : {"interpolated", "step"}, optional
        How a target between two reachable values is met; see `expected_areas`.

    Returns
    -------
    dict of str to TestResult
        A test of A - B each of ``e_v1``, ``e_v2`` and ``g``.

    Raises
    ------
    ParameterError
        As for `expected_areas`.
    TrialsError
        Dev or test that are not Trials.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, eqs. (14) to (18).

    Examples
    --------
    >>> import numpy as np
    >>> from fairtrial import Trials, TrialSets
    >>> genuine = np.arange(400) < 100
    >>> scores = np.random.default_rng(0).normal(np.outer(genuine, [1.5, 3.0]))
    >>> trials = Trials.from_arrays(scores, genuine, systems=["old", "new"])
    >>> dev, test = (trials.rows(np.arange(start, 400, 2)) for start in (0, 1))
    >>> area_tests(TrialSets(dev, test), "old", "new")["g"].p_value < 0.05
    True
    """
    aims = Aims.of(v1, v2, low, high, convention)
    found = area_claims(sets, [(1.0, a), (-1.0, b)], aims)
    return {area: student_test(f"area-{area}", claim, measure=aims.pair.mean) for area, claim in found.items()}
