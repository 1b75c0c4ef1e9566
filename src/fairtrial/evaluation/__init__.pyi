"""Evaluate systems, compare them, and follow them along alpha."""

from .areas import Areas, compare_areas, expected_areas
from .bands import Band, CurveComparison, Region, compare_curves, curve_band
from .comparison import Comparison, compare
from .epc import PerformanceCurve, alpha_grid, performance_curve, pool_curves
from .evaluation import Evaluation, SystemEvaluation, evaluate
from .expected import ExpectedPerformance, expected_performance
from .operating import OperatingPoints, auc_interval, d_prime_interval, operating_points
from .paired_tests import corrected_resampled_test, five_by_two_test
from .roc import PrecisionRecallCurve, RocCurve, auc_error, bootstrap_eer, precision_recall_curve, roc_curve

__all__ = [
    "Areas",
    "Band",
    "Comparison",
    "CurveComparison",
    "Evaluation",
    "ExpectedPerformance",
    "OperatingPoints",
    "PerformanceCurve",
    "PrecisionRecallCurve",
    "Region",
    "RocCurve",
    "SystemEvaluation",
    "alpha_grid",
    "auc_error",
    "auc_interval",
    "bootstrap_eer",
    "compare",
    "compare_areas",
    "compare_curves",
    "corrected_resampled_test",
    "curve_band",
    "d_prime_interval",
    "evaluate",
    "expected_areas",
    "expected_performance",
    "five_by_two_test",
    "operating_points",
    "performance_curve",
    "pool_curves",
    "precision_recall_curve",
    "roc_curve",
]
