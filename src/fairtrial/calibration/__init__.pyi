"""Scores as evidence: log-likelihood ratios, how good they are, and how to make them of scores."""

from .calibration import PassedCalibration, calibrate, calibrate_in_passes, fit_in_passes, judge_calibration
from .comparison import EvidencePair, compare_evidence
from .curves import BayesErrorCurve, EceCurve, TippettCurve, bayes_error_curve, ece_curve, tippett_curve
from .estimates import CostTarget, cost_target
from .evidence import (
    CostPoint,
    bayes_errors,
    cllr,
    detection_cost,
    dev_pav,
    empirical_cross_entropy,
    min_cllr,
    min_detection_cost,
)
from .maps import LlrMap, llr_map
from .measures import EvidenceMeasure
from .methods import CALIBRATIONS, CalibrationFit, CalibrationMethod, DevPasses, DevScores, register_calibration
from .model import Calibration, fit_calibration
from .reliability import PavCurve, pav_curve
from .results import CalibratedSystem, CostFigure

__all__ = [
    "CALIBRATIONS",
    "BayesErrorCurve",
    "CalibratedSystem",
    "Calibration",
    "CalibrationFit",
    "CalibrationMethod",
    "CostFigure",
    "CostPoint",
    "CostTarget",
    "DevPasses",
    "DevScores",
    "EceCurve",
    "EvidenceMeasure",
    "EvidencePair",
    "LlrMap",
    "PassedCalibration",
    "PavCurve",
    "TippettCurve",
    "bayes_error_curve",
    "bayes_errors",
    "calibrate",
    "calibrate_in_passes",
    "cllr",
    "compare_evidence",
    "cost_target",
    "detection_cost",
    "dev_pav",
    "ece_curve",
    "empirical_cross_entropy",
    "fit_calibration",
    "fit_in_passes",
    "judge_calibration",
    "llr_map",
    "min_cllr",
    "min_detection_cost",
    "pav_curve",
    "register_calibration",
    "tippett_curve",
]
