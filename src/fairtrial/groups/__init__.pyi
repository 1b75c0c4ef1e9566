"""Error rates by group: one threshold for all, simultaneous intervals, differences, summaries."""

from .curves import group_curves
from .evaluation import evaluate_groups
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
