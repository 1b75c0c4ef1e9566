"""Figures in the training loops of other libraries, in their manners and without importing them."""

from .metric import VerificationMetric
from .scorers import DevThresholdScorer, eer_score, hter_score

__all__ = [
    "DevThresholdScorer",
    "VerificationMetric",
    "eer_score",
    "hter_score",
]
