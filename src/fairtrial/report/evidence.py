"""What the interactive figures of evidence draw of each calibrated system, and the axes of each figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit

from fairtrial.axes import Axis, linear_ticks
from fairtrial.calibration.bands import PriorBand
from fairtrial.calibration.curves import (
    BayesErrorCurve,
    EceCurve,
    TippettCurve,
    bayes_error_curve,
    ece_curve,
    tippett_curve,
)
from fairtrial.calibration.maps import LlrMap, llr_map
from fairtrial.calibration.measures import GIVEN_CALIBRATION
from fairtrial.calibration.reliability import PavCurve, pav_curve
from fairtrial.calibration.results import CalibratedSystem, calibrated_words
from fairtrial.judging import SUPPORT
from fairtrial.report.views import TOGETHER
from fairtrial.spread import Floats
from fairtrial.tables import level_text, percent

_TIPPETT_POINTS = 161
_MAP_POINTS = 121
_MOST_STEPS = 200
_RESAMPLES = 400
_ROOM = 0.06
_HIGHEST = 1.3
"""How high axes of Bayes errors and of cross-entropy go at the most."""
_BEYOND = 1000.0
"""Higher than any axis; limits that are infinite are drawn there."""
_RATIO = "log-likelihood ratio"


@dataclass(frozen=True, slots=True, eq=False)
class EvidenceView:
    """What is drawn of one calibrated system."""

    bayes: BayesErrorCurve
    ece: EceCurve
    tippett: TippettCurve
    pav: PavCurve
    map: LlrMap | None
    """None for a fusion, whose map has more than one score, and where dev is not at hand."""

    def to_dict(self) -> dict[str, Any]:
        """What the page gets."""
        bayes, tippett = self.bayes, self.tippett
        wrong = tippett.misleading
        return {
            "name": bayes.system,
            "bayes": {
                "band": _band(bayes.band),
                "calibrated": bayes.calibrated.rates.tolist(),
                "minimum": bayes.minimum.rates.tolist(),
                "supported": bayes.calibrated.supported.astype(int).tolist(),
                "false_accepts": bayes.calibrated.counts.false_accepts.tolist(),
                "false_rejects": bayes.calibrated.counts.false_rejects.tolist(),
            },
            "ece": {
                "band": _band(self.ece.band),
                "calibrated": self.ece.calibrated.tolist(),
                "minimum": self.ece.minimum.tolist(),
            },
            "tippett": {
                "x": _axis(_RATIO, float(tippett.ratios[0]), float(tippett.ratios[-1])),
                "genuine": tippett.genuine.tolist(),
                "impostor": tippett.impostor.tolist(),
                "misled": f"{percent(wrong.frr)} of genuine, {percent(wrong.far)} of impostor trials",
            },
            "pav": _pav(self.pav),
            "map": None if self.map is None else _map(self.map),
        }


def evidence_view(found: CalibratedSystem, *, confidence: float, rng: int) -> EvidenceView:
    """What is drawn of a calibrated system.

    Parameters
    ----------
    found
        What `calibrate` gave.
    confidence, rng
        Of the bands, and the seed of those that draw people.
    """
    has_map = len(found.calibration.systems) == 1 and found.dev is not None
    return EvidenceView(
        bayes_error_curve(found, confidence=confidence),
        ece_curve(found, confidence=confidence),
        tippett_curve(found, points=_TIPPETT_POINTS),
        pav_curve(found, confidence=confidence, n_resamples=_RESAMPLES, rng=rng),
        llr_map(found, points=_MAP_POINTS, confidence=confidence, n_resamples=_RESAMPLES, rng=rng) if has_map else None,
    )


def shown_evidence(views: Sequence[EvidenceView]) -> dict[str, Any]:
    """The part of a page that can be moved: systems, and the axes and captions they share."""
    first = views[0]
    odds = first.bayes.log_odds
    kind, band = first.bayes.kind, f"{level_text(first.pav.confidence)} band, {first.pav.method}"
    highest = max(float(view.bayes.calibrated.rates.max()) for view in views)
    bits = np.concatenate([np.ones(1), *(view.ece.calibrated for view in views)])
    calibrated = f"calibrated {calibrated_words(kind)}"
    assert first.bayes.band is not None
    around = f"{level_text(first.pav.confidence)} band, {GIVEN_CALIBRATION[first.bayes.band.threshold]}"
    captions = {
        "bayes": f"Normalised Bayes error on test, {calibrated}; dashed: the least there is (a posteriori); grey: the "
        f"default system, which decides without a score. Faint: fewer than {SUPPORT} errors of a kind. {around}",
        "ece": f"Empirical cross-entropy on test, {calibrated}; dashed: the least there is (a posteriori); grey: a "
        f"likelihood ratio of 1 for every trial. {around}",
        "pav": f"Log-likelihood ratios on test by pool-adjacent-violators (a posteriori) against those {calibrated}; "
        f"grey: where both are equal; {band}. What is infinite is on the edge",
        "map": f"From scores to log-likelihood ratios, fitted on dev; {level_text(first.pav.confidence)} band by dev's "
        "people",
    }
    return {
        "systems": [view.to_dict() for view in views],
        "together": len(views) <= TOGETHER,
        "log_odds": odds.tolist(),
        "priors": expit(odds).tolist(),
        "band_odds": first.bayes.band.log_odds.tolist(),
        "neutral": first.ece.neutral.tolist(),
        "odds": _axis("prior log-odds of a genuine trial", float(odds[0]), float(odds[-1])),
        "rates": _axis("normalised Bayes error", 0.0, min(max(1.05 * highest, 1.05), _HIGHEST)),
        "bits": _axis("cross-entropy (bits)", 0.0, min(1.05 * float(bits.max()), _HIGHEST)),
        "shares": _axis("trials above (%)", 0.0, 1.0, scale=100.0),
        "captions": captions,
        "maps": any(view.map is not None for view in views),
    }


def _band(band: PriorBand | None) -> dict[str, Any]:
    assert band is not None
    return {"low": band.low.tolist(), "high": np.minimum(band.high, _BEYOND).tolist()}


def _pav(curve: PavCurve) -> dict[str, Any]:
    """Steps and band, each with where it begins and where its steps end; what is infinite on the edge of the axes."""
    left, right = float(curve.guide[0][0]), float(curve.guide[0][-1])
    within = (curve.places >= left) & (curve.places <= right)
    values = np.concatenate([curve.low[within], curve.high[within], curve.ratios, curve.guide[1], [0.0]])
    low, high = _widened(values[np.isfinite(values)])
    some = np.unique(np.linspace(0, len(curve.ends) - 1, _MOST_STEPS).astype(np.int64))
    return {
        "x": _axis(f"{_RATIO} from dev", left, right),
        "y": _axis(f"{_RATIO} on test", low, high),
        "at": np.clip([curve.start, *curve.ends[some]], left, right).tolist(),
        "steps": np.clip(curve.ratios[some], low, high).tolist(),
        "places": np.clip([curve.start, *curve.places], left, right).tolist(),
        "low": np.clip(curve.low, low, high).tolist(),
        "high": np.clip(curve.high, low, high).tolist(),
    }


def _map(found: LlrMap) -> dict[str, Any]:
    low, high = _widened(np.concatenate([found.low, found.high]))
    return {
        "scores": _axis("score", float(found.scores[0]), float(found.scores[-1])),
        "y": _axis(_RATIO, low, high),
        "llr": found.ratios.tolist(),
        "low": found.low.tolist(),
        "high": found.high.tolist(),
    }


def _widened(values: Floats) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    room = _ROOM * (high - low) or 1.0
    return low - room, high + room


def _axis(label: str, low: float, high: float, *, scale: float = 1.0) -> dict[str, Any]:
    ticks = tuple((value / scale, text) for value, text in linear_ticks(scale * low, scale * high))
    return Axis(label, low, high, ticks).to_dict()
