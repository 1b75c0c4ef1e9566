"""How good one system is: its threshold from dev, its errors on test, and how sure they are."""

from fairtrial.evaluation.evaluating import cross_validate, evaluate
from fairtrial.evaluation.results import Evaluation

__all__ = ["Evaluation", "cross_validate", "evaluate"]
