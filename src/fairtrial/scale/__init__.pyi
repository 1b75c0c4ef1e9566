"""Beyond memory: counters that are fed, merged and saved, and figures with guaranteed bounds from them."""

from .comparing import BoundedComparison, compare_counted
from .counter import Counter
from .figures import bounded_curve, bounded_eer, counted_roc, evaluate_counted
from .merging import load_counters
from .opened import OpenTrials, PassState
from .opening import open_trials
from .results import BoundedCurve, BoundedEvaluation

__all__ = [
    "BoundedComparison",
    "BoundedCurve",
    "BoundedEvaluation",
    "Counter",
    "OpenTrials",
    "PassState",
    "bounded_curve",
    "bounded_eer",
    "compare_counted",
    "counted_roc",
    "evaluate_counted",
    "load_counters",
    "open_trials",
]
