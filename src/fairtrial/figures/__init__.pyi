"""Draw results with matplotlib: each function takes a result and ax=None and returns the Axes."""

from .calibration import bayes_error_plot, ece_plot, llr_map_plot, pav_plot, tippett_plot
from .det import det_plot, judged_precision, operating_curves, precision_recall_plot, roc_plot
from .epc import epc_comparison_plot, epc_plot, epc_significance_plot, pooled_epc_plot
from .groups import group_det_plot, group_epc_plot, group_matrix_plot, group_operating_curves, groups_plot
from .published import eer_bound_plot, hter_density, hter_density_plot, hter_deviations, hter_sd_plot
from .repeated import choose_rows, coverage_plot, fit_plot, hook_plot, plan_plot, power_curve, power_plot, read_study
from .scores import (
    bootstrap_plot,
    correlation_plot,
    diagnostic_plot,
    diagnostics,
    scatter_data,
    scatter_plot,
)
from .style import write_picture
from .table import FIGURES
from .zoo import zoo_data, zoo_plot

__all__ = [
    "FIGURES",
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
    "group_det_plot",
    "group_epc_plot",
    "group_matrix_plot",
    "group_operating_curves",
    "groups_plot",
    "hook_plot",
    "hter_density",
    "hter_density_plot",
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
