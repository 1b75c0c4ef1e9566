"""Whether B is really better than A: several systems on the same test trials, each at its threshold from dev."""

from fairtrial.comparison.pairs import compare, cross_validated_comparison
from fairtrial.comparison.results import Comparison, PairComparison, SystemRank

__all__ = ["Comparison", "PairComparison", "SystemRank", "compare", "cross_validated_comparison"]
