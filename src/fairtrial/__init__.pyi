"""How good a verification system really is, how sure that is, and whether another is really better."""

from .counting import ErrorCounts, ScoreSource, as_source, count_errors
from .criteria import CRITERIA, Criterion, choose_thresholds, register_criterion
from .curves import RocCurve, auc_error, roc_curve
from .eer import EqualErrorRate, equal_error_rate
from .epc import (
    Areas,
    PerformanceCurve,
    alpha_grid,
    cross_validated_curve,
    expected_areas,
    performance_curve,
    pool_curves,
)
from .errors import FairtrialError, InputError, OutputError, ParameterError, TrialsError
from .evaluation import Evaluation, cross_validate, evaluate
from .folds import make_blocks
from .formats import FORMATS, Format, read_pair, read_trials, register_format, write_trials
from .intervals import Interval, RateInterval, hter_interval
from .measures import MEASURES, DetectionCosts, Measure, register_measure
from .trials import Ids, Trials

__version__: str

__all__ = [
    "CRITERIA",
    "FORMATS",
    "MEASURES",
    "Areas",
    "Criterion",
    "DetectionCosts",
    "EqualErrorRate",
    "ErrorCounts",
    "Evaluation",
    "FairtrialError",
    "Format",
    "Ids",
    "InputError",
    "Interval",
    "Measure",
    "OutputError",
    "ParameterError",
    "PerformanceCurve",
    "RateInterval",
    "RocCurve",
    "ScoreSource",
    "Trials",
    "TrialsError",
    "alpha_grid",
    "as_source",
    "auc_error",
    "choose_thresholds",
    "count_errors",
    "cross_validate",
    "cross_validated_curve",
    "equal_error_rate",
    "evaluate",
    "expected_areas",
    "hter_interval",
    "make_blocks",
    "performance_curve",
    "pool_curves",
    "read_pair",
    "read_trials",
    "register_criterion",
    "register_format",
    "register_measure",
    "roc_curve",
    "write_trials",
]
