"""Measure how good a verification system is, how certain that is, and whether another is really better."""

from . import (
    benchmark,
    calibration,
    core,
    counting,
    evaluation,
    figures,
    formats,
    fusion,
    groups,
    inference,
    learning,
    published,
    repeated,
    rules,
)
from .benchmark.datasets import list_datasets, load_benchmark, load_dataset
from .benchmark.run import run_benchmark
from .calibration.calibration import calibrate
from .calibration.methods import CALIBRATIONS, register_calibration
from .core.errors import FairtrialError, InputError, OutputError, ParameterError, TrialsError
from .core.results import Result
from .core.trials import Trials
from .core.words import wording
from .counting.counter import Counter
from .counting.pieces import open_trials
from .counting.tallies import ErrorCounts
from .evaluation.bands import compare_curves
from .evaluation.comparison import Comparison, compare
from .evaluation.epc import PerformanceCurve, performance_curve
from .evaluation.evaluation import Evaluation, evaluate
from .evaluation.operating import operating_points
from .evaluation.roc import roc_curve
from .formats.read import read_pair, read_trials, write_trials
from .formats.registry import FORMATS, register_format
from .formats.results import write_tables
from .fusion.fusion import fuse
from .fusion.methods import FUSIONS, register_fusion
from .groups.evaluation import evaluate_groups
from .inference.intervals import Interval
from .repeated.attempts import Individuals
from .repeated.comparison_plans import plan_comparison
from .repeated.intervals import repeated_intervals
from .repeated.rate_plans import plan_rate
from .rules.criteria import CRITERIA, Criterion, register_criterion
from .rules.eer import equal_error_rate
from .rules.measures import MEASURES, DetectionCosts, Measure, register_measure

__version__: str

__all__ = [
    "CALIBRATIONS",
    "CRITERIA",
    "FORMATS",
    "FUSIONS",
    "MEASURES",
    "Comparison",
    "Counter",
    "Criterion",
    "DetectionCosts",
    "ErrorCounts",
    "Evaluation",
    "FairtrialError",
    "Individuals",
    "InputError",
    "Interval",
    "Measure",
    "OutputError",
    "ParameterError",
    "PerformanceCurve",
    "Result",
    "Trials",
    "TrialsError",
    "benchmark",
    "calibrate",
    "calibration",
    "compare",
    "compare_curves",
    "core",
    "counting",
    "equal_error_rate",
    "evaluate",
    "evaluate_groups",
    "evaluation",
    "figures",
    "formats",
    "fuse",
    "fusion",
    "groups",
    "inference",
    "learning",
    "list_datasets",
    "load_benchmark",
    "load_dataset",
    "open_trials",
    "operating_points",
    "performance_curve",
    "plan_comparison",
    "plan_rate",
    "published",
    "read_pair",
    "read_trials",
    "register_calibration",
    "register_criterion",
    "register_format",
    "register_fusion",
    "register_measure",
    "repeated",
    "repeated_intervals",
    "roc_curve",
    "rules",
    "run_benchmark",
    "wording",
    "write_tables",
    "write_trials",
]
