"""Scores as evidence: log-likelihood ratios, how good they are, and how to make them of scores."""

from .calibration import CalibratedSystem, CalibratedSystems, CostFigure, EvidencePair, calibrate, compare_evidence
from .curves import (
    BayesErrorCurve,
    EceCurve,
    LlrMap,
    PavCurve,
    TippettCurve,
    bayes_error_curve,
    ece_curve,
    llr_map,
    pav_curve,
    tippett_curve,
)
from .evidence import (
    CostPoint,
    CostTarget,
    bayes_errors,
    cllr,
    cost_target,
    detection_cost,
    dev_pav,
    elub_bounds,
    empirical_cross_entropy,
    min_cllr,
    min_detection_cost,
)
from .measures import EvidenceMeasure
from .methods import CALIBRATIONS, CalibrationFit, CalibrationMethod, DevScores, register_calibration
from .model import Calibration, fit_calibration

__all__ = [
    "CALIBRATIONS",
    "BayesErrorCurve",
    "CalibratedSystem",
    "CalibratedSystems",
    "Calibration",
    "CalibrationFit",
    "CalibrationMethod",
    "CostFigure",
    "CostPoint",
    "CostTarget",
    "DevScores",
    "EceCurve",
    "EvidenceMeasure",
    "EvidencePair",
    "LlrMap",
    "PavCurve",
    "TippettCurve",
    "bayes_error_curve",
    "bayes_errors",
    "calibrate",
    "cllr",
    "compare_evidence",
    "cost_target",
    "detection_cost",
    "dev_pav",
    "ece_curve",
    "elub_bounds",
    "empirical_cross_entropy",
    "fit_calibration",
    "llr_map",
    "min_cllr",
    "min_detection_cost",
    "pav_curve",
    "register_calibration",
    "tippett_curve",
]
