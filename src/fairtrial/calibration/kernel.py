"""Kernel density calibration: the ratio of two smoothed histograms, with evidence that finite data can bear."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d

from fairtrial.calibration.isotonic import fit_steps
from fairtrial.calibration.methods import CalibrationFit, CalibrationMethod, DevScores, Numbers
from fairtrial.counting.errors import as_source
from fairtrial.errors import TrialsError
from fairtrial.spread import Floats
from fairtrial.tables import number_text

_BINS = 32
"""Bins in the width of the narrower kernel."""
_MOST_BINS = 1 << 17
_REACH = 12.0
"""Where kernels end, in their widths; nothing is known of a class farther from all of its scores."""
_FALLS = 0.05
"""A fall of the evidence, in nats, that is worth a note."""


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """A map by straight lines between knots; constant beyond the last ones."""

    knots: Floats
    """Scores, rising."""
    values: Floats
    """The log-likelihood ratio at each."""

    @classmethod
    def read(cls, numbers: Mapping[str, Any], systems: int) -> Curve:
        """The map of saved numbers."""
        knots, values = (np.array(numbers[name], dtype=np.float64) for name in ("knots", "ratios"))
        if knots.ndim != 1 or knots.shape != values.shape or not len(knots) or systems != 1:
            raise ValueError("its knots do not fit together")
        if not (np.isfinite(knots).all() and np.isfinite(values).all() and (np.diff(knots) > 0).all()):
            raise ValueError("its knots do not rise, or are not finite")
        return cls(knots, values)

    @property
    def numbers(self) -> Numbers:
        """Knots and ratios by name."""
        return {"knots": self.knots.tolist(), "ratios": self.values.tolist()}

    def ratios(self, scores: Floats) -> Floats:
        """The ratio of each trial."""
        return np.interp(scores[:, 0], self.knots, self.values)

    def described(self, systems: tuple[str, ...]) -> dict[str, float]:
        """How many knots there are, and the range of the ratios."""
        low, high = float(self.values.min()), float(self.values.max())
        return {"knots": len(self.knots), "lowest ratio": low, "highest ratio": high}


def fit_kernels(dev: DevScores) -> CalibrationFit:
    """Fit one Gaussian kernel density per class, with bandwidths by Silverman's rule.

    Scores are put into bins of a 32nd of the narrower bandwidth, each shared by the two nearest bin centres, and
    the bins are smoothed. The ratio is bounded by the lowest and highest ratio of the bounded steps (`pav`), and held
    constant beyond the scores of dev.

    Raises
    ------
    TrialsError
        Infinite or equal scores, a class without spread, or scores too far apart for their bandwidth.

    References
    ----------
    Silverman, Density Estimation, 1986, eq. (3.28), as in scipy.stats.gaussian_kde.
    """
    dev.check_finite()
    (name,) = dev.systems
    classes = dev.pair
    widths = [_bandwidth(own) for own in classes]
    if not min(widths) > 0:
        raise TrialsError(f"{name}: all dev scores of one class are equal, so no density can be estimated")
    low, high = float(dev.scores.min()), float(dev.scores.max())
    step = min(widths) / _BINS
    if not (high - low) / step < _MOST_BINS:
        raise TrialsError(
            f"{name}: dev scores from {number_text(low)} to {number_text(high)} are too far apart for kernels of width "
            f'{number_text(min(widths))}; method="pav" takes scores of any range'
        )
    bins = int(np.ceil((high - low) / step)) + 1
    densities = [_density(own, low, step, bins, width) for own, width in zip(classes, widths, strict=True)]
    bounds = fit_steps(as_source(classes)).values
    known = (densities[0] > 0) | (densities[1] > 0)
    with np.errstate(divide="ignore"):
        values = np.log(densities[0][known]) - np.log(densities[1][known])
    knots = np.asarray(low + step * np.flatnonzero(known), dtype=np.float64)
    curve = Curve(knots, np.clip(values, bounds[0], bounds[-1]))
    return CalibrationFit(curve, notes=_falls(curve))


def _bandwidth(scores: Floats) -> float:
    """Silverman's rule: the standard deviation times (4 / 3 n) ** (1 / 5)."""
    if len(scores) < 2 or scores.min() == scores.max():
        return 0.0
    return float(scores.std(ddof=1) * (4 / (3 * len(scores))) ** 0.2)


def _density(scores: Floats, low: float, step: float, bins: int, width: float) -> Floats:
    """The density at every bin centre."""
    place = (scores - low) / step
    below: NDArray[np.int64] = np.minimum(place.astype(np.int64), bins - 2) if bins > 1 else np.zeros(len(place), int)
    share = place - below
    counts = np.bincount(below, 1 - share, bins) + np.bincount(np.minimum(below + 1, bins - 1), share, bins)
    # sharing a score between two centres widens the kernel by step**2 / 6 on average, which is taken off again
    smoothed = gaussian_filter1d(
        counts, np.sqrt((width / step) ** 2 - 1 / 6), mode="constant", cval=0.0, truncate=_REACH
    )
    return np.asarray(smoothed / (len(scores) * step))


def _falls(curve: Curve) -> tuple[str, ...]:
    """A note where the evidence falls as the score rises."""
    behind = np.maximum.accumulate(curve.values) - curve.values
    if behind.max() <= _FALLS:
        return ()
    at = curve.knots[int(np.argmax(behind))]
    return (
        f"evidence falls as the score rises, by up to {number_text(float(behind.max()))} at a score of "
        f"{number_text(float(at))}, so ratios rank trials differently than scores do",
    )


KERNELS = CalibrationMethod(
    "kde", fit_kernels, Curve.read, "the ratio of two kernel densities (Silverman's bandwidth), bounded"
)
