"""Bands around curves along prior log-odds: the interval of the figure at each prior by itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit

from fairtrial.calibration.costs import cost_target
from fairtrial.calibration.evidence import CostPoint
from fairtrial.calibration.figures import Evidence
from fairtrial.calibration.measures import (
    GIVEN_CALIBRATION,
    EvidenceMeasure,
    cost_measure,
    entropy_measure,
    evidence_interval,
)
from fairtrial.calibration.model import Calibration
from fairtrial.claims import Threshold
from fairtrial.spread import Floats
from fairtrial.tables import level_text
from fairtrial.trial_sets import TrialSets

_EVERY = 3
"""A band is known at every third of the log-odds of its curve."""


@dataclass(frozen=True, slots=True, eq=False)
class PriorBand:
    """Limits along prior log-odds, at each by itself."""

    log_odds: Floats
    low: Floats
    high: Floats
    confidence: float
    threshold: Threshold
    """Whether the calibration is re-estimated."""

    @property
    def described(self) -> str:
        """Confidence and what was re-estimated, in words."""
        return f"{level_text(self.confidence)} pointwise bands, {GIVEN_CALIBRATION[self.threshold]}"

    def to_dict(self) -> dict[str, Any]:
        """Plain lists."""
        return {
            "log_odds": self.log_odds.tolist(),
            "low": self.low.tolist(),
            "high": self.high.tolist(),
            "confidence": self.confidence,
            "calibration": self.threshold,
        }


def bayes_error_band(calibration: Calibration, sets: TrialSets, log_odds: Floats, confidence: float) -> PriorBand:
    """The band of normalised Bayes errors: each is the detection cost at its prior."""
    return _band(
        Evidence(calibration, sets),
        log_odds,
        confidence,
        lambda prior: cost_measure(cost_target(CostPoint(prior))),
    )


def ece_band(calibration: Calibration, sets: TrialSets, log_odds: Floats, confidence: float) -> PriorBand:
    """The band of the empirical cross-entropy."""
    return _band(Evidence(calibration, sets), log_odds, confidence, entropy_measure)


def _band(
    evidence: Evidence, log_odds: Floats, confidence: float, measure: Callable[[float], EvidenceMeasure]
) -> PriorBand:
    some = np.unique(np.append(log_odds[::_EVERY], log_odds[-1]))
    found = [evidence_interval(measure(float(expit(odds))), evidence, confidence=confidence) for odds in some.tolist()]
    low, high = (np.array([getattr(each, end) for each in found]) for end in ("low", "high"))
    return PriorBand(some, low, high, confidence, found[0].threshold)
