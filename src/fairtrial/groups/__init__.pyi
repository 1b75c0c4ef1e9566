"""Error rates by group: one threshold for all, simultaneous intervals, differences, summaries."""

from .evaluation import evaluate_groups
from .membership import PeopleTable
from .results import GroupEvaluation
from .synthetic import SyntheticGroups, synthetic_groups

__all__ = [
    "GroupEvaluation",
    "PeopleTable",
    "SyntheticGroups",
    "evaluate_groups",
    "synthetic_groups",
]
