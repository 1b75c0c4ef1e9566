"""Error rates by group: one threshold for all, simultaneous intervals, differences, summaries."""

from .evaluation import evaluate_groups, group_curves
from .membership import PeopleTable
from .results import GroupEvaluation
from .synthetic import SyntheticGroups, synthetic_groups

__all__ = [
    "GroupEvaluation",
    "PeopleTable",
    "SyntheticGroups",
    "evaluate_groups",
    "group_curves",
    "synthetic_groups",
]
