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
    terms : {"default", "iso"}
        ``iso`` calls error rates FMR and FNMR.
    ax : Axes, optional
        Where to draw; those of a new figure by default.

    Returns
    -------
    Axes
        As of `epc_plot`.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005.
    """
    shown = as_curves(curves)
    own = epc_plot(shown, terms=terms, ax=ax)
    own.set_title(f"EPC by group: {how_judged(shown[0])}\nat every alpha one threshold for all groups")
    return own
