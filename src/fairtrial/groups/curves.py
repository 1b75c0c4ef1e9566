"""Groups along alpha: one threshold from all dev trials for every group, the errors those of the group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from fairtrial.core.errors import ParameterError
from fairtrial.core.words import listed
from fairtrial.evaluation.epc import PerformanceCurve, curve_of, rising_alphas
from fairtrial.groups.results import GroupEvaluation, JudgedGroups
from fairtrial.inference.decide import Judgement, judge
from fairtrial.rules.criteria import CriterionLike
from fairtrial.rules.measures import MeasureLike

_ALL_TRIALS = "all trials"


def without_genuine(groups: JudgedGroups) -> tuple[str, ...]:
    """The groups that have impostor trials only, such as kinds of attack."""
    return tuple(name for name in groups.names("far") if name not in groups.names("frr"))


def judged_parts(
    groups: JudgedGroups, judgement: Judgement, chosen: Sequence[str] | None = None
) -> dict[str, Judgement]:
    """Each group judged by the thresholds of all; one without genuine trials together with those of all groups.

    Parameters
    ----------
    groups
        Which trials belong to which group.
    judgement
        Of the same trials, at one threshold or several.
    chosen
        Only these groups; all that have impostor trials by default.

    Returns
    -------
    dict
        The judgement of each group, in the order of the groups.

    Raises
    ------
    ParameterError
        A group that does not exist, or that has no impostor trials.
    """
    drawable = groups.names("far")
    for name in chosen or ():
        if name not in groups.present:
            raise ParameterError(f"there is no group {name!r}; there are {listed(groups.present)}")
        if name not in drawable:
            raise ParameterError(f"the group {name!r} has no impostor trials, and a curve needs some")
    codes, lacking = groups.membership.trial, without_genuine(groups)
    found = {}
    for name in drawable:
        if not chosen or name in chosen:
            rows = codes == groups.membership.names.index(name)
            found[name] = judgement.within(np.flatnonzero(rows | judgement.trials.genuine if name in lacking else rows))
    return found


def group_curves(
    found: GroupEvaluation,
    *,
    alphas: ArrayLike | None = None,
    criterion: CriterionLike = "wer-min",
    measure: MeasureLike = "hter",
    groups: Sequence[str] | None = None,
) -> tuple[PerformanceCurve, ...]:
    """Compute the Expected Performance Curve of every group, at thresholds that all groups share.

    Parameters
    ----------
    found : GroupEvaluation
        Of `evaluate_groups`: the trials, the system and the groups.
    alphas : array_like, optional
        The weights or targets that the criterion takes, rising, shape (alphas,); 0, 0.01, ..., 1 by default.
    criterion : str, Criterion, DetectionCosts or callable, default "wer-min"
        How the threshold is chosen on dev: a name in `CRITERIA`, a criterion, detection costs, or a function
        ``C(far, frr, alpha)`` of arrays.
    measure : str, Measure, DetectionCosts or callable, default "hter"
        What is reported: a name in `MEASURES`, a measure, detection costs, or a function of an `ErrorCounts`.
    groups : sequence of str, optional
        Only these groups; all that have impostor trials by default.

    Returns
    -------
    tuple of PerformanceCurve
        One curve per group, called by its name, and that of all trials last. A group without genuine trials, such as a
        kind of attack, has those of all groups.

    Raises
    ------
    ParameterError
        A group that does not exist, or that has no impostor trials.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005.

    Examples
    --------
    >>> from fairtrial import evaluate_groups
    >>> from fairtrial.groups import synthetic_groups
    >>> data = synthetic_groups({"a": 40, "b": 40}, worse={"b": 4.0})
    >>> curves = group_curves(evaluate_groups(data.dev, data.test, by="group"), alphas=[0.25, 0.5, 0.75])
    >>> [curve.system for curve in curves]
    ['a', 'b', 'all trials']
    >>> bool((curves[0].threshold == curves[1].threshold).all()), bool((curves[0].far < curves[1].far).all())
    (True, True)
    """
    judged = found.known_trials()
    whole = judge(
        judged.judgement.sets, system=judged.judgement.system, criterion=criterion, alphas=rising_alphas(alphas)
    )
    parts = {**judged_parts(judged, whole, groups), _ALL_TRIALS: whole}
    return tuple(replace(curve_of(part, measure), system=name) for name, part in parts.items())
