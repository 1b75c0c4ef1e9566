"""From several systems to one: normalisation, fusion methods, and what they gain."""

# each of these registers its methods
from fairtrial.fusion import client, rules, trained  # noqa: F401
from fairtrial.fusion.chimeric import ChimericStudy, chimeric_sets, chimeric_study
from fairtrial.fusion.combination import FusedScores, fuse_scores
from fairtrial.fusion.correlation import SystemCorrelations, system_correlations
from fairtrial.fusion.gain import Gain, fusion_gain
from fairtrial.fusion.judged import AppliedFusion, FusionResult, SystemWeight, apply_fusion, fuse
from fairtrial.fusion.methods import FUSIONS, Fitted, FusionData, FusionMethod, register_fusion
from fairtrial.fusion.model import FusionModel
from fairtrial.fusion.normalise import NORMALISATIONS
from fairtrial.fusion.prediction import FusionPredictions, f_ratio, gaussian_eer, predict_fusions
from fairtrial.fusion.selection import Selection, select_parameters
from fairtrial.fusion.trained import register_classifier

__all__ = [
    "FUSIONS",
    "NORMALISATIONS",
    "AppliedFusion",
    "ChimericStudy",
    "Fitted",
    "FusedScores",
    "FusionData",
    "FusionMethod",
    "FusionModel",
    "FusionPredictions",
    "FusionResult",
    "Gain",
    "Selection",
    "SystemCorrelations",
    "SystemWeight",
    "apply_fusion",
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
