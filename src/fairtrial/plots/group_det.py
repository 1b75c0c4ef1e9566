"""DET curves of groups, with the point of each at the threshold of all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fairtrial.claims import GIVEN
from fairtrial.curves import roc_curve
from fairtrial.groups.along import judged_parts, without_genuine
from fairtrial.groups.judged import RATES
from fairtrial.groups.results import GroupEvaluation
from fairtrial.intervals.judged import judged_interval
from fairtrial.plots.det import det_plot
from fairtrial.plots.operating import OperatingCurve, OperatingPoint
from fairtrial.plots.style import legible
from fairtrial.rules.eer import EerDefinition, equal_error_rate
from fairtrial.tables import Terms, level_text
from fairtrial.trial_sets import PROVENANCES

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def group_operating_curves(
    found: GroupEvaluation,
    *,
    groups: Sequence[str] | None = None,
    eer: EerDefinition = "step-mean",
    max_points: int = 2000,
) -> tuple[OperatingCurve, ...]:
    """Prepare a DET figure of groups: the curve of each, and its point at the threshold of all.

    Parameters
    ----------
    found : GroupEvaluation
        Of `evaluate_groups`.
    groups : sequence of str, optional
        Only these; all that have impostor trials by default.
    eer : {"step-mean", "step-low", "step-high", "interpolated", "rocch"}, default "step-mean"
        The definition of the equal error rate, see `equal_error_rate`.
    max_points : int, default 2000
        How many points of a curve are kept for drawing.

    Returns
    -------
    tuple of OperatingCurve
        One per group, called by its name; the intervals of the points hold for all groups together. A group without
        genuine trials, such as a kind of attack, has those of all groups.

    Examples
    --------
    >>> from fairtrial import evaluate_groups, synthetic_groups
    >>> data = synthetic_groups({"a": 40, "b": 40}, worse={"b": 4.0})
    >>> curves = group_operating_curves(evaluate_groups(data.dev, data.test, by="group"))
    >>> [curve.system for curve in curves], len({curve.point.threshold for curve in curves})
    (['a', 'b'], 1)
    """
    judged = found.known_trials()
    rates = {own.group: own for own in found.groups}
    curves = []
    for name, part in judged_parts(judged, judged.judgement, groups).items():
        far, frr = (
            rates[name].interval_of(rate)
            or judged_interval(part, measure=rate, confidence=found.confidence, threshold=judged.threshold)
            for rate in RATES
        )
        point = OperatingPoint(
            found.threshold,
            part.at(0),
            far.interval,
            frr.interval,
            found.confidence,
            found.criterion,
            found.kind,
            far.threshold,
        )
        roc = roc_curve(part.trials, system=part.system, max_points=max_points)
        curves.append(
            OperatingCurve(name, roc, equal_error_rate(part.trials, system=part.system, definition=eer), point)
        )
    return tuple(curves)


def group_det_plot(
    found: GroupEvaluation,
    *,
    groups: Sequence[str] | None = None,
    eer: EerDefinition = "step-mean",
    terms: Terms = "default",
    ax: Axes | None = None,
) -> Axes:
    """Draw the DET curve of every group, with its point at the threshold that all groups share.

    Parameters
    ----------
    found : GroupEvaluation
        Of `evaluate_groups`.
    groups : sequence of str, optional
        Only these; all that have impostor trials by default.
    eer : {"step-mean", "step-low", "step-high", "interpolated", "rocch"}, default "step-mean"
        The definition of the equal error rate, see `equal_error_rate`.
    terms : {"default", "iso"}, default "default"
        The names of error rates: FAR and FRR, or FMR and FNMR as in ISO/IEC 19795-1 (``iso``).
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        As of `det_plot`; the bars are simultaneous intervals.

    Raises
    ------
    ParameterError
        A group that does not exist.

    Examples
    --------
    >>> from fairtrial import evaluate_groups, synthetic_groups
    >>> data = synthetic_groups({"a": 20, "b": 20}, worse={"b": 4.0})
    >>> group_det_plot(evaluate_groups(data.dev, data.test, by="group"), terms="iso").get_xlabel()
    'FMR (%)'
    """
    own = det_plot(group_operating_curves(found, groups=groups, eer=eer), terms=terms, ax=ax)
    moved = next(row.far_interval.threshold for row in found.groups if row.far_interval is not None)
    shared = "; genuine trials of all for groups that have none" if without_genuine(found.known_trials()) else ""
    own.set_title(
        f"{legible(found.system)} by {' and '.join(found.by)}; DET and EER: a posteriori, on test{shared}\n"
        f"points, HTER: {found.kind}, one threshold for all groups by {found.criterion} "
        f"{PROVENANCES[found.kind].chosen}\n"
        f"{level_text(found.confidence)} intervals of all groups together, {GIVEN[moved]}"
    )
    return own
