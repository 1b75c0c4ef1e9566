"""How good a verification system really is, how sure that is, and whether another is really better."""

from . import (
    benchmark,
    calibration,
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
from .benchmark.datasets import DatasetList, list_datasets, load_benchmark, load_dataset, read_bssr1
from .benchmark.lausanne import load_lausanne
from .benchmark.manifest import read_benchmark
from .benchmark.pooling import Contest, FusionBenchmark, benchmark_fusions, compare_pooled, compare_runs, pooled_band
from .benchmark.protocols import PROTOCOLS, Experiment, list_experiments, register_protocol
from .benchmark.results import BenchmarkResult
from .benchmark.run import RunSettings, run_benchmark
from .benchmark.sets import Benchmark, BenchmarkSet, ListedFusion, SystemInfo
from .calibration.calibration import PassedCalibration, calibrate, calibrate_in_passes, fit_in_passes, judge_calibration
from .calibration.comparison import EvidencePair, compare_evidence
from .calibration.curves import BayesErrorCurve, EceCurve, TippettCurve, bayes_error_curve, ece_curve, tippett_curve
from .calibration.estimates import CostTarget, cost_target
from .calibration.evidence import (
    CostPoint,
    bayes_errors,
    cllr,
    detection_cost,
    dev_pav,
    empirical_cross_entropy,
    min_cllr,
    min_detection_cost,
)
from .calibration.maps import LlrMap, llr_map
from .calibration.measures import EvidenceMeasure
from .calibration.methods import (
    CALIBRATIONS,
    CalibrationFit,
    CalibrationMethod,
    DevPasses,
    DevScores,
    register_calibration,
)
from .calibration.model import Calibration, fit_calibration
from .calibration.reliability import PavCurve, pav_curve
from .calibration.results import CalibratedSystem, CostFigure
from .core.errors import FairtrialError, InputError, OutputError, ParameterError, TrialsError
from .core.ids import Ids
from .core.results import Result
from .core.tables import Column, Table, join_tables
from .core.trials import Trials
from .core.words import wording
from .counting.counter import Counter, load_counters
from .counting.pieces import OpenTrials, PassState, open_trials
from .counting.tallies import ErrorCounts, ScoreSource, as_source, count_errors
from .evaluation.areas import Areas, area_intervals, area_tests, expected_areas
from .evaluation.bands import Band, curve_band
from .evaluation.comparison import Comparison, compare
from .evaluation.curve_tests import CurveComparison, Region, compare_curves
from .evaluation.eer_interval import bootstrap_eer
from .evaluation.epc import PerformanceCurve, alpha_grid, performance_curve, pool_curves
from .evaluation.evaluation import Evaluation, SystemEvaluation, evaluate
from .evaluation.operating import OperatingPoints, operating_points
from .evaluation.paired_tests import corrected_resampled_test, five_by_two_test
from .evaluation.roc import PrecisionRecallCurve, RocCurve, auc_error, precision_recall_curve, roc_curve
from .formats.frames import read_frame
from .formats.read import read_pair, read_trials, write_trials
from .formats.registry import FORMATS, Format, register_format
from .formats.results import write_tables
from .formats.sheets import ReadOptions
from .fusion.chimeric import ChimericStudy, chimeric_sets, chimeric_study
from .fusion.combination import FusedScores, fuse_scores, select_parameters
from .fusion.correlation import SystemCorrelations, system_correlations
from .fusion.fusion import FusionResult, Gain, fuse, fusion_gain
from .fusion.methods import FUSIONS, FusionMethod, register_fusion
from .fusion.model import FusionModel
from .fusion.normalise import NORMALISATIONS
from .fusion.prediction import FusionPredictions, f_ratio, gaussian_eer, predict_fusions
from .fusion.trained import register_classifier
from .groups.evaluation import evaluate_groups
from .groups.membership import PeopleTable
from .groups.results import GroupEvaluation
from .groups.synthetic import SyntheticGroups, synthetic_groups
from .inference.bootstrap import Bootstrap
from .inference.decide import Judgement, judge, judge_at
from .inference.folds import Block, make_blocks
from .inference.intervals import Interval, RateInterval, rate_interval
from .inference.limits import auc_interval, d_prime_interval, judged_interval
from .inference.multiplicity import adjust_p_values, compact_letters
from .inference.split import TrialSets
from .inference.tests import TestResult, equivalence_test
from .learning.metric import VerificationMetric
from .learning.scorers import DevThresholdScorer, eer_score, hter_score
from .published.eer_bound import EerBound, EerBounds, bound_from_eers, bounds_from_eers, smallest_difference
from .published.mcnemar import McNemar, mcnemar_test
from .published.rates import (
    Discordant,
    class_interval,
    class_test,
    dependent_test,
    hter_interval,
    independent_test,
    naive_interval,
    naive_test,
    pooled_test,
    proportion_interval,
    published_counts,
    rule_of_three,
)
from .repeated.attempts import Individuals
from .repeated.comparison_plans import ComparisonPlan, comparison_power, plan_comparison
from .repeated.coverage import PAPER, QUICK, Cell, CoverageRow, Grid, cover, cover_exactly
from .repeated.generators import draw_individuals, errors_pmf
from .repeated.intervals import RepeatedIntervals, repeated_intervals
from .repeated.models import BetaBinomialFit, FitTest, fit_beta_binomial, fit_model, fit_test, rho_interval
from .repeated.paper_claims import ClaimsFound, check_claims
from .repeated.rate_plans import RatePlan, check_plan, plan_rate, rule_of_thirty
from .repeated.study import CoverageStudy, StudySettings, run_study, study_like
from .repeated.tests import IndividualsTests, device_test, paired_device_test, rate_test
from .rules.criteria import CRITERIA, Criterion, choose_thresholds, register_criterion, target_criterion
from .rules.eer import BreakEvenPoint, EqualErrorRate, break_even_point, equal_error_rate
from .rules.measures import MEASURES, DetectionCosts, Measure, Weights, linear_measure, register_measure

__version__: str

__all__ = [
    "CALIBRATIONS",
    "CRITERIA",
    "FORMATS",
    "FUSIONS",
    "MEASURES",
    "NORMALISATIONS",
    "PAPER",
    "PROTOCOLS",
    "QUICK",
    "Areas",
    "Band",
    "BayesErrorCurve",
    "Benchmark",
    "BenchmarkResult",
    "BenchmarkSet",
    "BetaBinomialFit",
    "Block",
    "Bootstrap",
    "BreakEvenPoint",
    "CalibratedSystem",
    "Calibration",
    "CalibrationFit",
    "CalibrationMethod",
    "Cell",
    "ChimericStudy",
    "ClaimsFound",
    "Column",
    "Comparison",
    "ComparisonPlan",
    "Contest",
    "CostFigure",
    "CostPoint",
    "CostTarget",
    "Counter",
    "CoverageRow",
    "CoverageStudy",
    "Criterion",
    "CurveComparison",
    "DatasetList",
    "DetectionCosts",
    "DevPasses",
    "DevScores",
    "DevThresholdScorer",
    "Discordant",
    "EceCurve",
    "EerBound",
    "EerBounds",
    "EqualErrorRate",
    "ErrorCounts",
    "Evaluation",
    "EvidenceMeasure",
    "EvidencePair",
    "Experiment",
    "FairtrialError",
    "FitTest",
    "Format",
    "FusedScores",
    "FusionBenchmark",
    "FusionMethod",
    "FusionModel",
    "FusionPredictions",
    "FusionResult",
    "Gain",
    "Grid",
    "GroupEvaluation",
    "Ids",
    "Individuals",
    "IndividualsTests",
    "InputError",
    "Interval",
    "Judgement",
    "ListedFusion",
    "LlrMap",
    "McNemar",
    "Measure",
    "OpenTrials",
    "OperatingPoints",
    "OutputError",
    "ParameterError",
    "PassState",
    "PassedCalibration",
    "PavCurve",
    "PeopleTable",
    "PerformanceCurve",
    "PrecisionRecallCurve",
    "RateInterval",
    "RatePlan",
    "ReadOptions",
    "Region",
    "RepeatedIntervals",
    "Result",
    "RocCurve",
    "RunSettings",
    "ScoreSource",
    "StudySettings",
    "SyntheticGroups",
    "SystemCorrelations",
    "SystemEvaluation",
    "SystemInfo",
    "Table",
    "TestResult",
    "TippettCurve",
    "TrialSets",
    "Trials",
    "TrialsError",
    "VerificationMetric",
    "Weights",
    "adjust_p_values",
    "alpha_grid",
    "area_intervals",
    "area_tests",
    "as_source",
    "auc_error",
    "auc_interval",
    "bayes_error_curve",
    "bayes_errors",
    "benchmark",
    "benchmark_fusions",
    "bootstrap_eer",
    "bound_from_eers",
    "bounds_from_eers",
    "break_even_point",
    "calibrate",
    "calibrate_in_passes",
    "calibration",
    "check_claims",
    "check_plan",
    "chimeric_sets",
    "chimeric_study",
    "choose_thresholds",
    "class_interval",
    "class_test",
    "cllr",
    "compact_letters",
    "compare",
    "compare_curves",
    "compare_evidence",
    "compare_pooled",
    "compare_runs",
    "comparison_power",
    "corrected_resampled_test",
    "cost_target",
    "count_errors",
    "counting",
    "cover",
    "cover_exactly",
    "curve_band",
    "d_prime_interval",
    "dependent_test",
    "detection_cost",
    "dev_pav",
    "device_test",
    "draw_individuals",
    "ece_curve",
    "eer_score",
    "empirical_cross_entropy",
    "equal_error_rate",
    "equivalence_test",
    "errors_pmf",
    "evaluate",
    "evaluate_groups",
    "evaluation",
    "expected_areas",
    "f_ratio",
    "figures",
    "fit_beta_binomial",
    "fit_calibration",
    "fit_in_passes",
    "fit_model",
    "fit_test",
    "five_by_two_test",
    "formats",
    "fuse",
    "fuse_scores",
    "fusion",
    "fusion_gain",
    "gaussian_eer",
    "groups",
    "hter_interval",
    "hter_score",
    "independent_test",
    "inference",
    "join_tables",
    "judge",
    "judge_at",
    "judge_calibration",
    "judged_interval",
    "learning",
    "linear_measure",
    "list_datasets",
    "list_experiments",
    "llr_map",
    "load_benchmark",
    "load_counters",
    "load_dataset",
    "load_lausanne",
    "make_blocks",
    "mcnemar_test",
    "min_cllr",
    "min_detection_cost",
    "naive_interval",
    "naive_test",
    "open_trials",
    "operating_points",
    "paired_device_test",
    "pav_curve",
    "performance_curve",
    "plan_comparison",
    "plan_rate",
    "pool_curves",
    "pooled_band",
    "pooled_test",
    "precision_recall_curve",
    "predict_fusions",
    "proportion_interval",
    "published",
    "published_counts",
    "rate_interval",
    "rate_test",
    "read_benchmark",
    "read_bssr1",
    "read_frame",
    "read_pair",
    "read_trials",
    "register_calibration",
    "register_classifier",
    "register_criterion",
    "register_format",
    "register_fusion",
    "register_measure",
    "register_protocol",
    "repeated",
    "repeated_intervals",
    "rho_interval",
    "roc_curve",
    "rule_of_thirty",
    "rule_of_three",
    "rules",
    "run_benchmark",
    "run_study",
    "select_parameters",
    "smallest_difference",
    "study_like",
    "synthetic_groups",
    "system_correlations",
    "target_criterion",
    "tippett_curve",
    "wording",
    "write_tables",
    "write_trials",
]
