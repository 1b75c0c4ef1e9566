"""Count errors at thresholds: in memory, in pieces, from counters."""

from .counter import Counter, load_counters
from .pieces import OpenTrials, PassState, open_trials
from .tallies import ErrorCounts, ScoreSource, as_source, count_errors

__all__ = [
    "Counter",
    "ErrorCounts",
    "OpenTrials",
    "PassState",
    "ScoreSource",
    "as_source",
    "count_errors",
    "load_counters",
    "open_trials",
]
