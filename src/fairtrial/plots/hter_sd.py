"""The standard deviation of an HTER as impostor trials are added, beside two that mislead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fairtrial.errors import ParameterError, cut
from fairtrial.intervals import class_interval, hter_interval, naive_interval, published_counts, rate_interval
from fairtrial.plots.style import axes_for, legend_below, look
from fairtrial.tables import Terms, level_text, translate

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def ratios_up_to(most: float = 1000.0, points: int = 31) -> list[float]:
    """Numbers of impostor trials per genuine trial, from 1 on, evenly on a logarithmic axis."""
    if not (np.isfinite(most) and most > 1):
        raise ParameterError(f"the largest ratio of impostor to genuine trials must be above 1, not {most}")
    return [float(ratio) for ratio in np.geomspace(1, most, points)]


@dataclass(frozen=True, slots=True, eq=False)
class DeviationCurves:
    """Standard deviations for growing numbers of impostor trials, all trials independent."""

    far: float
    frr: float
    genuine: int
    impostor: NDArray[np.int64]
    deviations: dict[str, NDArray[np.float64]]
    """By the names HTER, NAIVE, CLASS, FAR and FRR."""

    @property
    def ratio(self) -> NDArray[np.float64]:
        """NI / NC."""
        return np.asarray(self.impostor / self.genuine)


def hter_deviations(
    *, far: float = 0.1, frr: float = 0.2, genuine: int = 100, ratios: Sequence[float] | None = None
) -> DeviationCurves:
    """Compute what the figure shows; impostor trials are whole, so ratios are met as nearly as they can be.

    Parameters
    ----------
    far : float, default 0.1
        The error rate, a fraction.
    frr : float, default 0.2
        The error rate, a fraction.
    genuine : int, default 100
        How many trials of the class.
    ratios : sequence of float, optional
        Impostor trials per genuine trial; by default from 1 to 1000.

    Returns
    -------
    DeviationCurves
        The standard deviations of HTER, NAIVE, CLASS, FAR and FRR at each ratio.

    References
    ----------
    Bengio & Mariéthoz, A statistical significance test for person authentication, 2004, Fig. 3.

    Examples
    --------
    >>> found = hter_deviations(ratios=[1, 10, 100, 1000])
    >>> found.deviations["HTER"].round(6)
    array([0.025   , 0.020555, 0.020056, 0.020006])
    """
    if ratios is None:
        ratios = ratios_up_to()
    if not ratios or not all(np.isfinite(ratio) and ratio > 0 for ratio in ratios):
        raise ParameterError(f"ratios of impostor to genuine trials must be above 0, not {list(ratios)}")
    if not 1 <= genuine < 2**53:
        raise ParameterError(f"genuine trials must be at least one and below 2**53, not {cut(genuine)}")
    if max(ratios) * genuine >= 2**53:
        raise ParameterError(f"impostor trials must be below 2**53, not {max(ratios):g} times {genuine:,}")
    impostor = [max(1, round(ratio * genuine)) for ratio in ratios]
    counts = [published_counts(far=far, frr=frr, impostor=number, genuine=genuine) for number in impostor]
    deviations = {
        "HTER": [hter_interval(one).sigma for one in counts],
        "NAIVE": [naive_interval(one).sigma for one in counts],
        "CLASS": [class_interval(one).sigma for one in counts],
        "FAR": [rate_interval(one, measure="far").sigma for one in counts],
        "FRR": [rate_interval(one, measure="frr").sigma for one in counts],
    }
    return DeviationCurves(
        far, frr, genuine, np.array(impostor), {name: np.array(values) for name, values in deviations.items()}
    )


def hter_sd_plot(data: DeviationCurves, *, terms: Terms = "default", ax: Axes | None = None) -> Axes:
    """Draw the standard deviations of HTER, NAIVE, CLASS, FAR and FRR against NI / NC, on logarithmic axes.

    Parameters
    ----------
    data : DeviationCurves
        What `hter_deviations` gives.
    terms : {"default", "iso"}, default "default"
        The names of error rates: FAR and FRR, or FMR and FNMR as in ISO/IEC 19795-1 (``iso``).
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    References
    ----------
    Bengio & Mariéthoz, A statistical significance test for person authentication, 2004, Fig. 3.

    Examples
    --------
    >>> hter_sd_plot(hter_deviations()).get_xscale()
    'log'
    """
    notes = {"HTER": "HTER, eq. (13)", "NAIVE": "NAIVE: HTER as a proportion", "CLASS": "CLASS: classification error"}
    with axes_for(ax) as own:
        for number, (name, values) in enumerate(data.deviations.items()):
            drawn = look(number)
            own.loglog(
                data.ratio,
                values,
                color=drawn.colour,
                linestyle=drawn.line,
                marker=drawn.marker,
                markevery=max(1, len(values) // 6),
                markersize=4.5,
                label=translate(notes.get(name, name), terms),
            )
        own.set_xlabel("NI / NC, impostor trials per genuine trial")
        own.set_ylabel("standard deviation, as a fraction")
        rates = translate(f"FAR {level_text(data.far)}, FRR {level_text(data.frr)}", terms)
        own.set_title(
            f"{rates}, NC = {data.genuine:,} independent genuine trials\n"
            "more impostor trials hardly help the HTER, though NAIVE and CLASS fall"
        )
        legend_below(own)
        return own
