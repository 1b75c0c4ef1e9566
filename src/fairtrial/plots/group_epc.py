"""Expected Performance Curves of groups, at thresholds that all of them share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fairtrial.epc import PerformanceCurve
from fairtrial.plots.epc import as_curves, epc_plot, how_judged
from fairtrial.tables import Terms

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def group_epc_plot(curves: Sequence[PerformanceCurve], *, terms: Terms = "default", ax: Axes | None = None) -> Axes:
    """Draw the Expected Performance Curve of every group: at every alpha one threshold from all dev trials.

    Parameters
    ----------
    curves : sequence of PerformanceCurve
        Of `group_curves`.
    terms : {"default", "iso"}, default "default"
        The names of error rates: FAR and FRR, or FMR and FNMR as in ISO/IEC 19795-1 (``iso``).
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        As of `epc_plot`.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005.

    Examples
    --------
    >>> from fairtrial import evaluate_groups, synthetic_groups
    >>> data = synthetic_groups({"a": 20, "b": 20}, worse={"b": 4.0})
    >>> from fairtrial.plots import group_curves
    >>> group_epc_plot(group_curves(evaluate_groups(data.dev, data.test, by="group"))).get_ylabel()
    'HTER on test (%)'
    """
    shown = as_curves(curves)
    own = epc_plot(shown, terms=terms, ax=ax)
    own.set_title(f"EPC by group: {how_judged(shown[0])}\nat every alpha one threshold for all groups")
    return own
