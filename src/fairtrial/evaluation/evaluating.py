"""The whole way for one system: threshold on dev, errors on test, figures with their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeVar

import numpy as np

from fairtrial.calibration.measures import (
    AnyMeasureLike,
    EvidenceMeasure,
    as_any_measure,
    evidence_interval,
    judged_evidence,
    judged_figure,
)
from fairtrial.checks import check_choice, check_resamples
from fairtrial.claims import Threshold, threshold_when
from fairtrial.counting.errors import ErrorCounts, ScoreData, as_source, count_errors
from fairtrial.draws import RESAMPLES
from fairtrial.errors import ParameterError
from fairtrial.evaluation.results import Evaluation
from fairtrial.folds import Block
from fairtrial.formats import TrialsLike, trials_of
from fairtrial.intervals.judged import judged_interval, judged_intervals
from fairtrial.intervals.rates import RateInterval
from fairtrial.judging import Judgement, judge, judge_at
from fairtrial.people import Cluster
from fairtrial.rules.criteria import CriterionLike, as_criterion
from fairtrial.rules.eer import EerDefinition, EqualErrorRate, equal_error_rate
from fairtrial.rules.measures import Measure
from fairtrial.tables import percent
from fairtrial.trial_sets import TrialSets, seed_of

_IF_FIXED = "the threshold was given: the interval holds if it was fixed before these trials were seen"
_Named = TypeVar("_Named", Measure, Measure | EvidenceMeasure)


def evaluate(
    dev: ScoreData,
    test: ScoreData,
    *,
    system: str | None = None,
    criterion: CriterionLike = "eer",
    alpha: float | None = None,
    threshold: float | None = None,
    measures: Sequence[AnyMeasureLike] = (),
    confidence: float = 0.95,
    cluster: Cluster | None = None,
    resample: Literal["test", "both"] = "both",
    n_resamples: int = RESAMPLES,
    rng: np.random.Generator | int | None = 0,
    eer: EerDefinition = "step-mean",
) -> Evaluation:
    """Fix the threshold on dev and report the errors on test.

    Parameters
    ----------
    dev : Trials, data frame, ScoreSource or tuple of two array_like
        The trials that thresholds are chosen on.
    test : Trials, data frame, ScoreSource or tuple of two array_like
        The trials that are judged.
    system : str, optional
        The name of the system; not needed where there is only one.
    criterion : str, Criterion, DetectionCosts or callable, default "eer"
        How the threshold is chosen on dev: a name in `CRITERIA`, a criterion, detection costs, or a function
        ``C(far, frr, alpha)`` of arrays.
    alpha : float, optional
        The weight or the target that the criterion takes; 0.5 by default, but a criterion that aims at a target needs
        one.
    threshold : float, optional
        A threshold that was fixed before, in place of one from dev; criterion and alpha do not matter then.
    measures : sequence of str, Measure, EvidenceMeasure, DetectionCosts or callable, default ()
        Further figures on test, each with its interval: names in `MEASURES`, measures, detection costs, or functions of
        an `ErrorCounts`. Those of evidence, as ``cllr``, ``cllr-min`` or ``act-dcf@.01``, are of the scores calibrated
        on dev.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.
    cluster : {"none", "claim", "subject", "both"}, optional
        What dependent trials share: the claimed identity, the subject, both or nothing; by default all ids that are
        known.
    resample : {"test", "both"}, default "both"
        Whether the leading intervals take the threshold as it is (``test``), or as re-estimated from other dev trials
        (``both``).
    n_resamples : int, default 400
        How many resamples are drawn, of dev trials, to re-estimate the threshold.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result.
    eer : {"step-mean", "step-low", "step-high", "interpolated", "rocch"}, default "step-mean"
        The definition of the equal error rates that are reported besides; see `equal_error_rate`.

    Returns
    -------
    Evaluation
        Threshold, errors on both sets, intervals and notes.

    Raises
    ------
    ParameterError
        A criterion, measure, definition or number that cannot be.
    TrialsError
        Trials that lack a class, different systems in dev and test, or several systems and none named.

    Notes
    -----
    The HTER comes with two kinds of intervals: for the system, whose threshold would be another with other dev trials,
    and for this threshold. Where ids are known, trials that share people are not taken as independent.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, Algorithm 1; Bengio & Mariéthoz, A statistical
    significance test for person authentication, 2004, eq. (13).

    Examples
    --------
    >>> dev = ([0.9, 0.8, 0.4, 0.7], [0.1, 0.3, 0.5, 0.2, 0.6])
    >>> test = ([0.85, 0.55, 0.45, 0.95, 0.35], [0.15, 0.65, 0.25, 0.42, 0.05, 0.5])
    >>> result = evaluate(dev, test, measures=["f1"])
    >>> result.threshold, round(result.test.hter, 4), round(result.measures["f1"], 4)
    (0.5, 0.2833, 0.6667)
    """
    check_choice("resample", resample, ("test", "both"))
    sets = TrialSets(dev, test, cluster, seed_of(rng), n_resamples=check_resamples(n_resamples))
    if threshold is None:
        rule = as_criterion(criterion)
        judgement = judge(sets, system=system, criterion=rule, alphas=rule.resolve_alpha(alpha))
    else:
        judgement = judge_at(sets, threshold, system=system)
    return evaluation_of(judgement, measures=measures, confidence=confidence, resample=resample, eer=eer)


def cross_validate(
    trials: TrialsLike,
    blocks: Sequence[Block],
    *,
    system: str | None = None,
    criterion: CriterionLike = "eer",
    alpha: float | None = None,
    measures: Sequence[AnyMeasureLike] = (),
    confidence: float = 0.95,
    cluster: Cluster | None = None,
    resample: Literal["test", "both"] = "both",
    n_resamples: int = RESAMPLES,
    rng: np.random.Generator | int | None = 0,
    eer: EerDefinition = "step-mean",
) -> Evaluation:
    """Evaluate with one set of trials only: each block judged by a threshold from other people.

    The threshold of the result is the one that all trials give, and that would go into use; the errors are
    those of the held-out blocks at their own thresholds, pooled.

    Parameters
    ----------
    trials : Trials or data frame
        The only set there is: trials, or a data frame of them.
    blocks : sequence of Block
        Which trials set the threshold for which; see `make_blocks`.
    system : str, optional
        The name of the system; not needed where there is only one.
    criterion : str, Criterion, DetectionCosts or callable, default "eer"
        How the threshold is chosen on dev: a name in `CRITERIA`, a criterion, detection costs, or a function
        ``C(far, frr, alpha)`` of arrays.
    alpha : float, optional
        The weight or the target that the criterion takes; 0.5 by default, but a criterion that aims at a target needs
        one.
    measures : sequence of str, Measure, EvidenceMeasure, DetectionCosts or callable, default ()
        Further figures on test, each with its interval: names in `MEASURES`, measures, detection costs, or functions of
        an `ErrorCounts`. Those of evidence, as ``cllr``, ``cllr-min`` or ``act-dcf@.01``, are of scores calibrated on
        other people.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.
    cluster : {"none", "claim", "subject", "both"}, optional
        What dependent trials share: the claimed identity, the subject, both or nothing; by default all ids that are
        known.
    resample : {"test", "both"}, default "both"
        Whether the leading intervals take the threshold as it is (``test``), or as re-estimated from other dev trials
        (``both``).
    n_resamples : int, default 400
        How many resamples are drawn, of the trials that set thresholds, to re-estimate them.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result.
    eer : {"step-mean", "step-low", "step-high", "interpolated", "rocch"}, default "step-mean"
        The definition of the equal error rates that are reported besides; see `equal_error_rate`.

    Returns
    -------
    Evaluation
        As of `evaluate`, with the thresholds of the blocks.

    Raises
    ------
    ParameterError
        A criterion, measure, definition or number that cannot be.
    TrialsError
        Several systems and none named.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, section 4.1.

    Examples
    --------
    >>> import numpy as np
    >>> from fairtrial import Trials, make_blocks
    >>> claim = np.arange(200) % 20
    >>> genuine = np.arange(200) < 80
    >>> scores = np.random.default_rng(0).normal(3.0 * genuine)
    >>> trials = Trials.from_arrays(scores, genuine, claim=claim)
    >>> found = cross_validate(trials, make_blocks(trials, 4))
    >>> found.kind, len(found.fold_thresholds), found.test.genuine
    ('a priori (cross-validated)', 4, 80)
    """
    check_choice("resample", resample, ("test", "both"))
    trials = trials_of(trials, "trials")
    sets = TrialSets(trials, trials, cluster, seed_of(rng), blocks, check_resamples(n_resamples))
    rule = as_criterion(criterion)
    judgement = judge(sets, system=system, criterion=rule, alphas=rule.resolve_alpha(alpha))
    return evaluation_of(judgement, measures=measures, confidence=confidence, resample=resample, eer=eer)


def evaluation_of(
    judgement: Judgement,
    *,
    measures: Sequence[AnyMeasureLike] = (),
    confidence: float = 0.95,
    resample: Literal["test", "both"] = "both",
    eer: EerDefinition = "step-mean",
) -> Evaluation:
    """Report what a judgement of one alpha says; see `evaluate`."""
    assert judgement.sets.dev is not None
    source = as_source(judgement.sets.dev, system=judgement.own, what="dev")
    counts = count_errors(source, judgement.test.threshold) if judgement.dev is None else judgement.dev
    at_dev, test, alpha = counts[0].scalar(), judgement.at(0), float(judgement.alpha[0])
    dev_eer = equal_error_rate(source, definition=eer)
    folds = judgement.fold_thresholds
    reported = by_name([as_any_measure(own) for own in ([measures] if isinstance(measures, str) else measures)])
    leading = threshold_when(resample)
    intervals = judged_intervals(judgement, confidence=confidence)
    if leading == "fixed":
        intervals = tuple(found for found in intervals if found.threshold == "fixed")
    far, frr = (
        judged_interval(judgement, measure=name, confidence=confidence, threshold=leading) for name in ("far", "frr")
    )
    design_effect = design_effect_of(intervals)
    at_threshold = {
        name: measure_value(measure, test, alpha) for name, measure in reported.items() if isinstance(measure, Measure)
    }
    measured = {name: _measure_interval(judgement, measure, confidence, leading) for name, measure in reported.items()}
    return Evaluation(
        judgement.system,
        judgement.criterion,
        alpha,
        at_dev.threshold,
        at_dev,
        test,
        dev_eer,
        None if folds is not None else equal_error_rate(judgement.judged_source(), definition=eer),
        intervals,
        far,
        frr,
        {name: at_threshold.get(name, found.estimate) for name, found in measured.items()},
        measured,
        judgement.kind,
        design_effect,
        () if folds is None else tuple(folds[:, 0].tolist()),
        (
            *judgement.sets.notes,
            *judgement.notes,
            *((_IF_FIXED,) if judgement.dev is None else ()),
            *(f"{judgement.system}: {note}" for note in (*error_notes(dev_eer, test), *sharing_notes(design_effect))),
        ),
        reported,
        judgement,
    )


def _measure_interval(
    judgement: Judgement, measure: Measure | EvidenceMeasure, confidence: float, threshold: Threshold
) -> RateInterval:
    """The interval of a measure of errors at the threshold, or of evidence."""
    if isinstance(measure, EvidenceMeasure):
        evidence, figure = judged_evidence(measure, judgement), judged_figure(measure, judgement)
        return evidence_interval(measure, evidence, confidence=confidence, threshold=threshold, figure=figure)
    return judged_interval(judgement, measure=measure, confidence=confidence, threshold=threshold)


def by_name(measures: Sequence[_Named]) -> dict[str, _Named]:
    """Measures by names that tell them apart."""
    names = [measure.name for measure in measures]
    return {
        name if names.count(name) == 1 else f"{name} {k + 1}": measure
        for k, (name, measure) in enumerate(zip(names, measures, strict=True))
    }


def measure_value(measure: Measure, counts: ErrorCounts, alpha: float) -> float:
    """A measure at one threshold, as one number."""
    value = measure(counts, alpha)
    if np.ndim(value):
        raise ParameterError(f"measure {measure.name} must give one number, not {value!r}")
    return float(value)


def design_effect_of(intervals: Sequence[RateInterval]) -> float | None:
    """How many times the variance is that of independent trials, by the intervals of an evaluation."""
    fixed = [found for found in intervals if found.threshold == "fixed"]
    robust, independent = fixed[0], fixed[-1]
    if robust.sharing == "none" or not independent.sigma:
        return None
    return (robust.sigma / independent.sigma) ** 2


def sharing_notes(design_effect: float | None) -> list[str]:
    """What the reader should know of trials that share people."""
    if design_effect is None or design_effect <= 1.2**2:
        return []
    return [
        f"trials share people: the standard deviation of the HTER is {design_effect**0.5:.2f} times that of "
        f"independent trials (design effect {design_effect:.1f}), so the interval is wider than eq. (13) says"
    ]


def error_notes(eer: EqualErrorRate, test: ErrorCounts) -> list[str]:
    """What the reader should know of the errors: scores the wrong way round, no error at all."""
    warnings = []
    if eer.value > 0.5:
        warnings.append(
            f"the EER on dev is {percent(eer.value)}: higher scores should mean genuine; negate them if they are "
            "distances"
        )
    for errors, trials, what in (
        (test.false_accepts, test.impostor, "false accepts"),
        (test.false_rejects, test.genuine, "false rejects"),
    ):
        if errors == 0:
            warnings.append(
                f"no {what} in {trials:,} test trials: if they are independent, the rate is below "
                f"{percent(min(1.0, 3 / trials))} with 95 % confidence (rule of 3)"
            )
    return warnings
