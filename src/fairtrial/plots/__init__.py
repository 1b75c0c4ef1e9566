"""Figures: one file each, drawn with matplotlib from results; functions take ax=None and return the Axes."""

from fairtrial.groups.along import group_curves
from fairtrial.plots.bayes_error import bayes_error_plot
from fairtrial.plots.bootstrap import bootstrap_plot
from fairtrial.plots.correlation import correlation_plot
from fairtrial.plots.coverage import choose_rows, coverage_plot, read_study
from fairtrial.plots.det import det_plot
from fairtrial.plots.diagnostic import diagnostic_plot, diagnostics
from fairtrial.plots.ece import ece_plot
from fairtrial.plots.eer_bound import eer_bound_plot
from fairtrial.plots.epc import epc_plot
from fairtrial.plots.epc_compare import epc_comparison_plot
from fairtrial.plots.epc_significance import epc_significance_plot
from fairtrial.plots.files import write_picture
from fairtrial.plots.fit import fit_plot
from fairtrial.plots.group_det import group_det_plot, group_operating_curves
from fairtrial.plots.group_epc import group_epc_plot
from fairtrial.plots.group_matrix import group_matrix_plot
from fairtrial.plots.groups import groups_plot
from fairtrial.plots.hook import hook_plot
from fairtrial.plots.hter_sd import hter_deviations, hter_sd_plot
from fairtrial.plots.llr_map import llr_map_plot
from fairtrial.plots.operating import operating_curves
from fairtrial.plots.pav import pav_plot
from fairtrial.plots.plan import plan_plot, power_curve, power_plot
from fairtrial.plots.pooled import pooled_epc_plot
from fairtrial.plots.precision_recall import judged_precision, precision_recall_plot
from fairtrial.plots.roc import roc_plot
from fairtrial.plots.scatter import scatter_data, scatter_plot
from fairtrial.plots.tippett import tippett_plot
from fairtrial.plots.zoo import zoo_data, zoo_plot

__all__ = [
    "bayes_error_plot",
    "bootstrap_plot",
    "choose_rows",
    "correlation_plot",
    "coverage_plot",
    "det_plot",
    "diagnostic_plot",
    "diagnostics",
    "ece_plot",
    "eer_bound_plot",
    "epc_comparison_plot",
    "epc_plot",
    "epc_significance_plot",
    "fit_plot",
    "group_curves",
    "group_det_plot",
    "group_epc_plot",
    "group_matrix_plot",
    "group_operating_curves",
    "groups_plot",
    "hook_plot",
    "hter_deviations",
    "hter_sd_plot",
    "judged_precision",
    "llr_map_plot",
    "operating_curves",
    "pav_plot",
    "plan_plot",
    "pooled_epc_plot",
    "power_curve",
    "power_plot",
    "precision_recall_plot",
    "read_study",
    "roc_plot",
    "scatter_data",
    "scatter_plot",
    "tippett_plot",
    "write_picture",
    "zoo_data",
    "zoo_plot",
]
