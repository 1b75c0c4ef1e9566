"""The normal approximation of an HTER: its density, and standard deviations as impostor trials grow in number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import MOST, ParameterError
from fairtrial.inference.intervals import RateInterval, rate_interval
from fairtrial.published.rates import overall_interval, published_counts


def ratios_up_to(most: float = 1000.0, points: int = 31) -> list[float]:
    """Return numbers of impostor trials per genuine trial, from 1 on, evenly on a logarithmic axis."""
    if not (np.isfinite(most) and most > 1):
        text = f"the largest ratio of impostor to genuine trials must be above 1, not {most}"
        raise ParameterError(text, code="ratios")
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
    """Compute standard deviations for growing numbers of impostor trials; ratios are rounded to whole trials.

    Parameters
    ----------
    far : float, default 0.1
        The FAR, a fraction.
    frr : float, default 0.2
        The FRR, a fraction.
    genuine : int, default 100
        The number of genuine trials.
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
    >>> curves = hter_deviations(ratios=[1, 10, 100, 1000])
    >>> curves.deviations["HTER"].round(6)
    array([0.025   , 0.020555, 0.020056, 0.020006])
    """
    if ratios is None:
        ratios = ratios_up_to()
    if not ratios or not all(np.isfinite(ratio) and ratio > 0 for ratio in ratios):
        raise ParameterError(f"ratios of impostor to genuine trials must be above 0, not {list(ratios)}", code="ratios")
    if max(ratios) * genuine > MOST:
        raise ParameterError(f"there can be at most {MOST:,} impostor trials", code="out-of-range")
    impostor = [max(1, round(ratio * genuine)) for ratio in ratios]
    counts = [published_counts(far=far, frr=frr, impostor=number, genuine=genuine) for number in impostor]
    deviations = {
        "HTER": [rate_interval(one).sigma for one in counts],
        "NAIVE": [overall_interval("naive", one).sigma for one in counts],
        "CLASS": [overall_interval("class", one).sigma for one in counts],
        "FAR": [rate_interval(one, measure="far").sigma for one in counts],
        "FRR": [rate_interval(one, measure="frr").sigma for one in counts],
    }
    return DeviationCurves(
        far, frr, genuine, np.array(impostor), {name: np.array(values) for name, values in deviations.items()}
    )


@dataclass(frozen=True, slots=True, eq=False)
class HterDensity:
    """The normal density of an HTER, and its interval."""

    interval: RateInterval
    values: NDArray[np.float64]
    """HTERs, four standard deviations to either side."""
    density: NDArray[np.float64]


def hter_density(
    *, far: float = 0.1, frr: float = 0.2, impostor: int = 1000, genuine: int = 100, confidence: float = 0.95
) -> HterDensity:
    """Compute the normal density of an HTER, all trials independent.

    Parameters
    ----------
    far : float, default 0.1
        The FAR, a fraction.
    frr : float, default 0.2
        The FRR, a fraction.
    impostor : int, default 1000
        The number of impostor trials.
    genuine : int, default 100
        The number of genuine trials.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.

    Returns
    -------
    HterDensity
        The density, and the interval of eq. (13).

    References
    ----------
    Bengio & Mariéthoz, A statistical significance test for person authentication, 2004, Fig. 1 and eq. (13).

    Examples
    --------
    >>> data = hter_density(far=0.1, frr=0.2, impostor=1000, genuine=100)
    >>> round(data.interval.sigma, 6), round(float(np.trapezoid(data.density, data.values)), 4)
    (0.020555, 0.9999)
    """
    counts = published_counts(far=far, frr=frr, impostor=impostor, genuine=genuine)
    interval = rate_interval(counts, confidence=confidence)
    if not interval.sigma > 0:
        raise ParameterError("there is no density without errors: the standard deviation is 0", code="nothing-to-draw")
    deviates = np.linspace(-4, 4, 401)
    density = np.exp(-(deviates**2) / 2) / (interval.sigma * np.sqrt(2 * np.pi))
    return HterDensity(interval, interval.estimate + interval.sigma * deviates, density)
