"""From several systems to one: normalisation, fusion methods, and what they gain."""

from .chimeric import ChimericStudy, chimeric_sets, chimeric_study
from .combination import FusedScores, fuse_scores, select_parameters
from .fusion import FusionResult, Gain, fuse, fusion_gain
from .methods import FUSIONS, FusionMethod, register_classifier, register_fusion
from .model import Fitted, FusionData, FusionModel
from .normalise import NORMALISATIONS
from .prediction import (
    FusionPredictions,
    SystemCorrelations,
    f_ratio,
    gaussian_eer,
    predict_fusions,
    system_correlations,
)

__all__ = [
    "FUSIONS",
    "NORMALISATIONS",
    "ChimericStudy",
    "Fitted",
    "FusedScores",
    "FusionData",
    "FusionMethod",
    "FusionModel",
    "FusionPredictions",
    "FusionResult",
    "Gain",
    "SystemCorrelations",
    "chimeric_sets",
    "chimeric_study",
    "f_ratio",
    "fuse",
    "fuse_scores",
    "fusion_gain",
    "gaussian_eer",
    "predict_fusions",
    "register_classifier",
    "register_fusion",
    "select_parameters",
    "system_correlations",
]
