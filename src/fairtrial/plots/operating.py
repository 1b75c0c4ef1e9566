"""What ROC and DET figures show: the curve of each system, and the point at which it would really work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fairtrial.claims import Threshold
from fairtrial.counting.errors import ErrorCounts
from fairtrial.curves import RocCurve, roc_curve
from fairtrial.errors import TrialsError
from fairtrial.folds import Block
from fairtrial.formats.frames import TrialsLike, trials_of
from fairtrial.intervals import Interval
from fairtrial.intervals.judged import judged_interval
from fairtrial.judging import Judgement, judge
from fairtrial.people import Cluster
from fairtrial.rules.criteria import Criterion, CriterionLike, as_criterion
from fairtrial.rules.eer import EerDefinition, EqualErrorRate, equal_error_rate
from fairtrial.trial_sets import Kind, TrialSets


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """Errors on test at the threshold from dev, and the intervals of both rates."""

    threshold: float
    counts: ErrorCounts
    far: Interval
    frr: Interval
    confidence: float
    criterion: Criterion
    kind: Kind
    interval_threshold: Threshold
    """Whether the intervals have the threshold re-estimated."""


@dataclass(frozen=True, slots=True, eq=False)
class OperatingCurve:
    """The ROC of one system on test, its EER there (both a posteriori), and the a-priori point."""

    system: str
    roc: RocCurve
    eer: EqualErrorRate
    point: OperatingPoint
    notes: tuple[str, ...] = ()
    """What the reader should know of the trials and of the threshold."""


def operating_curves(
    dev: TrialsLike,
    test: TrialsLike | None,
    *,
    blocks: Sequence[Block] = (),
    systems: Sequence[str] | None = None,
    criterion: CriterionLike = "eer",
    alpha: float | None = None,
    confidence: float = 0.95,
    cluster: Cluster | None = None,
    eer: EerDefinition = "step-mean",
    max_points: int = 2000,
) -> tuple[OperatingCurve, ...]:
    """Prepare ROC and DET figures of one or several systems.

    Parameters
    ----------
    dev : Trials or data frame
        The trials that thresholds are chosen on.
    test : Trials or data frame or None
        The trials that are judged; None where there are `blocks`. The curve is then that of the dev trials, and the
        point that of the held-out blocks, pooled.
    blocks : sequence of Block, default ()
        Which trials set the threshold for which; see `make_blocks`.
    systems : sequence of str, optional
        The names of the systems; all by default.
    criterion : str, Criterion, DetectionCosts or callable, default "eer"
        How the threshold is chosen on dev: a name in `CRITERIA`, a criterion, detection costs, or a function
        ``C(far, frr, alpha)`` of arrays.
    alpha : float, optional
        The weight or the target that the criterion takes; 0.5 by default, but a criterion that aims at a target needs
        one.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.
    cluster : {"none", "claim", "subject", "both"}, optional
        What dependent trials share: the claimed identity, the subject, both or nothing; by default all ids that are
        known.
    eer : {"step-mean", "step-low", "step-high", "interpolated", "rocch"}, default "step-mean"
        The definition of the equal error rate; see `equal_error_rate`.
    max_points : int, default 2000
        At most so many points, for drawing, never for figures.

    Returns
    -------
    tuple of OperatingCurve
        One entry per system: the curve, the point of the threshold from dev, and the EER.

    Raises
    ------
    TrialsError
        Different systems in dev and test, or neither test trials nor blocks.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, Figs. 1 and 2.

    Examples
    --------
    >>> from fairtrial import load_lausanne
    >>> lp1 = load_lausanne().sets[0]
    >>> curves = operating_curves(lp1.dev, lp1.test, systems=["(LFCC,GMM)"])
    >>> round(curves[0].point.counts.hter, 4)
    0.0115
    """
    return tuple(
        OperatingCurve(
            judgement.system,
            roc_curve(judgement.trials, system=judgement.system, max_points=max_points),
            equal_error_rate(judgement.trials, system=judgement.system, definition=eer),
            _point(judgement, confidence),
            (*judgement.sets.notes, *judgement.notes),
        )
        for judgement in judge_systems(dev, test, blocks, systems, criterion, alpha, cluster)
    )


def judge_systems(
    dev: TrialsLike,
    test: TrialsLike | None,
    blocks: Sequence[Block],
    systems: Sequence[str] | None,
    criterion: CriterionLike,
    alpha: float | None,
    cluster: Cluster | None,
) -> list[Judgement]:
    """Judge each system, all of them by default, on test or on the held-out blocks of dev."""
    if test is None and not blocks:
        raise TrialsError("without test trials the dev trials must be cut into blocks")
    dev = trials_of(dev, "dev")
    judged = dev if test is None else trials_of(test, "test")
    sets = TrialSets(dev, judged, cluster, blocks=blocks)
    rule = as_criterion(criterion)
    return [
        judge(sets, system=system, criterion=rule, alphas=rule.resolve_alpha(alpha))
        for system in (judged.systems if systems is None else systems)
    ]


def _point(judgement: Judgement, confidence: float) -> OperatingPoint:
    assert judgement.dev is not None
    far, frr = (judged_interval(judgement, measure=name, confidence=confidence) for name in ("far", "frr"))
    return OperatingPoint(
        float(judgement.dev.threshold[0]),
        judgement.at(0),
        far.interval,
        frr.interval,
        confidence,
        judgement.criterion,
        judgement.kind,
        far.threshold,
    )
