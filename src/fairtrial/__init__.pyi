"""How good a verification system really is, how sure that is, and whether another is really better."""

from .comparison import Comparison, compare
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
from .folds import Block, make_blocks
from .formats import FORMATS, Format, ReadOptions, read_pair, read_trials, register_format, write_trials
from .intervals import (
    ErrorWeights,
    Interval,
    RateInterval,
    class_interval,
    hter_interval,
    naive_interval,
    proportion_interval,
    published_counts,
    rate_interval,
    rule_of_three,
)
from .intervals.bands import Band, curve_band
from .intervals.clusters import cluster_interval
from .measures import MEASURES, DetectionCosts, Measure, register_measure
from .significance import (
    Discordant,
    EerBound,
    McNemar,
    TestResult,
    adjust_p_values,
    bound_from_eers,
    bounds_from_eers,
    class_test,
    compact_letters,
    dependent_test,
    equivalence_test,
    independent_test,
    mcnemar_test,
    naive_test,
    smallest_difference,
)
from .significance.curves import CurveComparison, area_interval, area_test, compare_curves
from .trials import Ids, Trials

__version__: str

__all__ = [
    "CRITERIA",
    "FORMATS",
    "MEASURES",
    "Areas",
    "Band",
    "Block",
    "Comparison",
    "Criterion",
    "CurveComparison",
    "DetectionCosts",
    "Discordant",
    "EerBound",
    "EqualErrorRate",
    "ErrorCounts",
    "ErrorWeights",
    "Evaluation",
    "FairtrialError",
    "Format",
    "Ids",
    "InputError",
    "Interval",
    "McNemar",
    "Measure",
    "OutputError",
    "ParameterError",
    "PerformanceCurve",
    "RateInterval",
    "ReadOptions",
    "RocCurve",
    "ScoreSource",
    "TestResult",
    "Trials",
    "TrialsError",
    "adjust_p_values",
    "alpha_grid",
    "area_interval",
    "area_test",
    "as_source",
    "auc_error",
    "bound_from_eers",
    "bounds_from_eers",
    "choose_thresholds",
    "class_interval",
    "class_test",
    "cluster_interval",
    "compact_letters",
    "compare",
    "compare_curves",
    "count_errors",
    "cross_validate",
    "cross_validated_curve",
    "curve_band",
    "dependent_test",
    "equal_error_rate",
    "equivalence_test",
    "evaluate",
    "expected_areas",
    "hter_interval",
    "independent_test",
    "make_blocks",
    "mcnemar_test",
    "naive_interval",
    "naive_test",
    "performance_curve",
    "pool_curves",
    "proportion_interval",
    "published_counts",
    "rate_interval",
    "read_pair",
    "read_trials",
    "register_criterion",
    "register_format",
    "register_measure",
    "roc_curve",
    "rule_of_three",
    "smallest_difference",
    "write_trials",
]
