"""Isotonic calibration: the steps of pool-adjacent-violators, with evidence that finite data can bear."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fairtrial.calibration.evidence import Segments
from fairtrial.counting.errors import ScoreSource
from fairtrial.spread import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """A map that rises by steps: scores up to an end, and above the end before, have one log-likelihood ratio."""

    ends: Floats
    """The highest score of each step but the last."""
    ratios: Floats
    """The log-likelihood ratio of each step."""

    def apply(self, scores: NDArray[np.floating]) -> Floats:
        """Log-likelihood ratios of scores."""
        return np.asarray(self.ratios[np.searchsorted(self.ends, scores.astype(np.float64), side="left")])


def fit_steps(source: ScoreSource) -> Steps:
    """Fit the steps to dev scores.

    One trial of each class is added below all others and one above (Laplace's rule of succession), so no step has
    infinite evidence: with n trials of a class the evidence is at most about ln(n + 2).
    """
    return fit_segments(Segments.of(source))


def fit_segments(found: Segments) -> Steps:
    """The steps of segments of the ROC convex hull, with a trial of each class added at both ends."""
    one, nothing = np.ones(1, dtype=np.int64), np.array([np.nan])
    padded = replace(
        found,
        ends=np.concatenate([nothing, found.ends, nothing]),
        genuine=np.concatenate([one, found.genuine, one]),
        impostor=np.concatenate([one, found.impostor, one]),
    )
    pooled = padded.pooled()
    ratios = pooled.ratios()
    # an end that only the added trials have is no end
    inner = pooled.ends[:-1]
    known = ~np.isnan(inner)
    kept = np.concatenate([known, [True]])
    if not kept.all():  # the lowest added trials stay apart: their evidence is that of the first step above them
        return Steps(inner[known], np.concatenate([ratios[:-1][known], ratios[-1:]]))
    return Steps(inner, ratios)
