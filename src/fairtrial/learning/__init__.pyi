"""Metrics for training loops, with the interfaces of scikit-learn and torch, and without importing torch."""

from .metric import VerificationMetric
from .scorers import DevThresholdScorer, eer_score, hter_score

__all__ = [
    "DevThresholdScorer",
    "VerificationMetric",
    "eer_score",
    "hter_score",
]
