"""Estimate variances by people, and make intervals and tests of them."""

from .bootstrap import Bootstrap
from .decide import Judgement, judge, judge_at
from .estimates import judged_interval
from .folds import Block, make_blocks
from .intervals import Interval, RateInterval, rate_interval
from .multiplicity import adjust_p_values, compact_letters
from .split import TrialSets
from .tests import TestResult, equivalence_test

__all__ = [
    "Block",
    "Bootstrap",
    "Interval",
    "Judgement",
    "RateInterval",
    "TestResult",
    "TrialSets",
    "adjust_p_values",
    "compact_letters",
    "equivalence_test",
    "judge",
    "judge_at",
    "judged_interval",
    "make_blocks",
    "rate_interval",
]
