"""What ROC and DET figures show: the curve of each system, and the point at which it would really work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairtrial.counting.errors import ErrorCounts
from fairtrial.curves import RocCurve, roc_curve
from fairtrial.errors import TrialsError
from fairtrial.evaluation import A_PRIORI
from fairtrial.folds import CROSS_VALIDATED, Block
from fairtrial.intervals import Interval, proportion_interval
from fairtrial.intervals.clusters import SharedPeople, interval_of_decisions, wrong_decisions
from fairtrial.people import Cluster
from fairtrial.rules.criteria import Criterion, CriterionLike, as_criterion, choose_thresholds
from fairtrial.rules.eer import EerDefinition, EqualErrorRate, equal_error_rate
from fairtrial.trials import Trials, check_same_systems


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """Errors on test at the threshold from dev, and the intervals of both rates."""

    threshold: float
    counts: ErrorCounts
    far: Interval
    frr: Interval
    confidence: float
    criterion: Criterion
    kind: str = A_PRIORI


@dataclass(frozen=True, slots=True, eq=False)
class OperatingCurve:
    """The ROC of one system on test, its EER there (both a posteriori), and the a-priori point."""

    system: str
    roc: RocCurve
    eer: EqualErrorRate
    point: OperatingPoint


def operating_curves(
    dev: Trials,
    test: Trials | None,
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
    test, blocks
        The test trials; or None and the blocks that the dev trials are cut into, see `make_blocks`. The curve is
        then that of the dev trials, and the point that of the held-out blocks, pooled.
    cluster
        What test trials share, for the intervals; by default all ids that are known.
    eer
        The definition of the equal error rate, see `equal_error_rate`.
    max_points
        How many points of a curve are kept for drawing.

    Examples
    --------
    >>> from fairtrial import load_lausanne
    >>> lp1 = load_lausanne().sets[0]
    >>> curves = operating_curves(lp1.dev, lp1.test, systems=["(LFCC,GMM)"])
    >>> round(curves[0].point.counts.hter, 4)
    0.012
    """
    judged = dev if test is None else test
    if test is None and not blocks:
        raise TrialsError("without test trials the dev trials must be cut into blocks")
    check_same_systems(dev, judged)
    rule = as_criterion(criterion)
    weight = rule.resolve_alpha(alpha)
    shared = _shared(judged, cluster)
    found = []
    for system in judged.systems if systems is None else systems:
        judged.check_system(system)
        threshold = choose_thresholds(dev, rule, weight, system=system)[0].scalar().threshold
        wrong = (
            wrong_decisions(judged, system, threshold)
            if test is not None
            else _held_out_errors(dev, blocks, system, rule, weight)
        )
        point = _point(judged, wrong, threshold, shared, confidence, rule, CROSS_VALIDATED if blocks else A_PRIORI)
        roc = roc_curve(judged, system=system, max_points=max_points)
        found.append(OperatingCurve(system, roc, equal_error_rate(judged, system=system, definition=eer), point))
    return tuple(found)


def _shared(trials: Trials, cluster: Cluster | None) -> SharedPeople | None:
    """Which trials share people, where ids tell and it was not refused."""
    if cluster == "none" or (cluster is None and not (trials.claim or trials.subject)):
        return None
    try:
        return SharedPeople.of(trials, cluster)
    except TrialsError:
        if cluster is not None:
            raise
        return None  # one person only: nothing to tell apart


def _held_out_errors(
    trials: Trials, blocks: Sequence[Block], system: str, rule: Criterion, alpha: float
) -> NDArray[np.bool_]:
    wrong = np.zeros(len(trials), dtype=bool)
    for block in blocks:
        threshold = choose_thresholds(trials.rows(block.others), rule, alpha, system=system).threshold[0]
        wrong |= block.held_out & wrong_decisions(trials, system, float(threshold))
    return wrong


def _point(
    trials: Trials,
    wrong: NDArray[np.bool_],
    threshold: float,
    shared: SharedPeople | None,
    confidence: float,
    criterion: Criterion,
    kind: str,
) -> OperatingPoint:
    sizes = [int(np.count_nonzero(rows)) for rows in (~trials.genuine, trials.genuine)]
    errors = [int(np.count_nonzero(wrong & rows)) for rows in (~trials.genuine, trials.genuine)]
    if shared is None:
        both = [
            proportion_interval(count, size, confidence=confidence, method="wilson")
            for count, size in zip(errors, sizes, strict=True)
        ]
    else:
        both = [
            interval_of_decisions(trials, wrong, measure=measure, confidence=confidence, shared=shared).interval
            for measure in ("far", "frr")
        ]
    counts = ErrorCounts(threshold, errors[0], errors[1], sizes[1], sizes[0])
    return OperatingPoint(threshold, counts, both[0], both[1], confidence, criterion, kind)
