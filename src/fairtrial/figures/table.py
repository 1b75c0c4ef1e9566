"""The figures by name, as `fairtrial plot`, the explorer, the gallery and the tests go by them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    Draw: TypeAlias = Callable[[Figure], Any]


@dataclass(frozen=True, slots=True)
class FigureKind:
    """A figure: its name, what it shows, what it is drawn of, its size, and what draws it."""

    name: str
    about: str
    needs: str
    """The function that gives what is drawn."""
    size: tuple[float, float] = (6.4, 4.6)
    """Inches, if the data do not decide it."""
    dpi: int = 120
    panels: bool = False
    """Whether it takes a whole figure, `figure=`, instead of `ax=`."""
    function: str = ""
    """What draws it, a name in `fairtrial.figures`; by default the figure's name, as in ``group_det_plot``."""

    def draw(self, *data: Any, **options: Any) -> Draw:
        """Make a function that draws the data into an empty figure, as `write_picture` takes it."""

        def draw(figure: Figure) -> Any:
            function = self.function or f"{self.name.replace('-', '_')}_plot"
            place = {"figure": figure} if self.panels else {"ax": figure.add_subplot()}
            return getattr(import_module("fairtrial.figures"), function)(*data, **place, **options)

        return draw


# fmt: off
_KINDS = (
    FigureKind("det", "DET curves on probit axes, with the point that dev gives.", "operating_curves", (5.4, 5.4)),
    FigureKind("roc", "ROC curves of errors with the EER line.", "operating_curves", (5.4, 5.6)),
    FigureKind("precision-recall", "Precision against recall with the break-even points.", "judged_precision",
               (5.4, 5.6)),
    FigureKind("epc", "Expected Performance Curves of all systems, with bands.", "performance_curve"),
    FigureKind("epc-compare", "Two Expected Performance Curves, shaded where they differ.", "compare_curves",
               function="epc_comparison_plot"),
    FigureKind("epc-significance", "Two curves above the confidence that the first system is worse.", "compare_curves",
               (6.4, 6.2), panels=True),
    FigureKind("pooled-epc", "Pooled Expected Performance Curves of a benchmark.", "run_benchmark"),
    FigureKind("bootstrap", "The bootstrapped difference of two systems.", "compare"),
    FigureKind("scatter", "The scores of two systems against each other.", "scatter_data", (5.8, 5.4)),
    FigureKind("correlation", "Correlations of systems within each class of trials.", "system_correlations",
               (8.4, 4.2), panels=True),
    FigureKind("diagnostic", "Densities, errors against the threshold, WER and DET curve.", "diagnostics",
               (9.6, 7.4), 100, panels=True),
    FigureKind("bayes-error", "Normalised Bayes error over prior log-odds, calibrated on dev.", "bayes_error_curve",
               (6.4, 5.0)),
    FigureKind("ece", "Empirical cross-entropy over prior log-odds, calibrated on dev.", "ece_curve", (6.4, 5.0)),
    FigureKind("tippett", "Genuine and impostor trials above each log-likelihood ratio.", "tippett_curve"),
    FigureKind("pav", "Calibrated log-likelihood ratios against those of test, with bands.", "pav_curve", (5.4, 5.6)),
    FigureKind("llr-map", "From scores to log-likelihood ratios: the map of a calibration.", "llr_map"),
    FigureKind("hter-sd", "Standard deviations against the ratio of impostor to genuine trials.", "hter_deviations"),
    FigureKind("coverage", "The map of a coverage study.", "coverage_study", (10.8, 7.4), 100, panels=True),
    FigureKind("hook", "Coverage against the attempts of each individual.", "coverage_study"),
    FigureKind("fit", "People by their number of errors, observed and expected by a model.", "fit_test"),
    FigureKind("eer-bound", "The p value over chi2, with published EERs.", "bounds_from_eers"),
    FigureKind("plan", "People and attempts of a planned test, or its power.", "plan_rate"),
    FigureKind("groups", "FAR and FRR of every group with simultaneous intervals.", "evaluate_groups",
               (7.6, 4.0), panels=True),
    FigureKind("group-matrix", "FAR by the group of the claim and that of the impostor.", "evaluate_groups",
               (6.4, 5.2)),
    FigureKind("group-det", "DET curves of groups, with their points at one threshold.", "evaluate_groups", (5.6, 5.8)),
    FigureKind("group-epc", "Expected Performance Curves of groups at common thresholds.", "group_curves"),
    FigureKind("zoo", "Doddington's zoo: everybody by genuine and impostor trials.", "zoo_data", (6.0, 5.4)),
)
# fmt: on
FIGURES = {kind.name: kind for kind in _KINDS}
"""All figures, in the order in which they are listed."""
