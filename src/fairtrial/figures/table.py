"""The one table of figures: name, what gives its data, what draws it; and the figure of every kind of result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

from fairtrial.core.errors import ParameterError
from fairtrial.core.words import listed

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

    def draw(self, *data: Any, **options: Any) -> Drawing:
        """Give the figure of some data, with the options of the function that draws it."""
        return Drawing(self, data, options)


@dataclass(frozen=True, slots=True)
class Drawing:
    """A figure of some data; called with an empty matplotlib figure, as `write_picture` does, it draws there.

    Examples
    --------
    >>> import fairtrial as ft
    >>> drawing = FIGURES["plan"].draw(ft.plan_rate(0.02, 0.1, half_width=0.005))
    >>> drawing.caption.partition(";")[0]
    'Designs for pi = 2 %, rho = 0.1'
    >>> drawing.plot().get_xlabel()
    'attempts of each individual'
    """

    kind: FigureKind
    data: tuple[Any, ...]
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def _names(self) -> tuple[str, Any]:
        function = self.kind.function or f"{self.kind.name.replace('-', '_')}_plot"
        return function, getattr(import_module("fairtrial.figures"), function)

    @property
    def caption(self) -> str:
        """What belongs below the figure: the methods behind it and what its marks stand for."""
        name, function = self._names
        caption = getattr(import_module(function.__module__), name.replace("_plot", "_caption"))
        return str(caption(*self.data, **self.options))

    def __call__(self, figure: Figure) -> Any:
        """Draw into an empty figure."""
        return self.plot(figure if self.kind.panels else figure.add_subplot())

    def plot(self, place: Any = None) -> Any:
        """Draw into axes, or into a figure if there are several panels; by default in a new figure."""
        return self._names[1](*self.data, **{"figure" if self.kind.panels else "ax": place}, **self.options)


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
               (8.6, 6.8), panels=True),
    FigureKind("bayes-error", "Normalised Bayes error over prior log-odds, calibrated on dev.", "bayes_error_curve",
               (6.4, 5.0)),
    FigureKind("ece", "Empirical cross-entropy over prior log-odds, calibrated on dev.", "ece_curve", (6.4, 5.0)),
    FigureKind("tippett", "Genuine and impostor trials above each log-likelihood ratio.", "tippett_curve"),
    FigureKind("pav", "Calibrated log-likelihood ratios against those of test, with bands.", "pav_curve", (5.4, 5.6)),
    FigureKind("llr-map", "From scores to log-likelihood ratios: the map of a calibration.", "llr_map"),
    FigureKind("hter-sd", "Standard deviations against the ratio of impostor to genuine trials.", "hter_deviations"),
    FigureKind("hter-density", "The normal density of an HTER, with the area of its interval.", "hter_density"),
    FigureKind("coverage", "The map of a coverage study.", "run_study", (9.0, 6.4), panels=True),
    FigureKind("hook", "Coverage against the attempts of each individual.", "run_study"),
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


def _operating(*results: Any) -> Any:
    """Prepare the DET figure of evaluated systems."""
    from fairtrial.figures.det import operating_curve

    return tuple(
        operating_curve(
            each.judgement, each.threshold, each.interval("far"), each.interval("frr"), eer=each.eer_definition
        )
        for each in results
    )


def _ece(result: Any) -> Any:
    from fairtrial.calibration.curves import ece_curve

    return ece_curve(result)


_OF_RESULTS: dict[str, dict[str, Callable[[Any], Any]]] = {
    "Evaluation": dict.fromkeys(("det", "roc"), lambda result: _operating(*result.systems)),
    "SystemEvaluation": dict.fromkeys(("det", "roc"), _operating),
    "FusionResult": dict.fromkeys(("det", "roc"), lambda result: _operating(result.evaluation, *result.baselines)),
    "Comparison": {"bootstrap": lambda result: result.pairs[0]},
    "CalibratedSystem": {"ece": _ece},
    "CoverageStudy": dict.fromkeys(("coverage", "hook"), lambda result: result.rows),
    **{
        name: dict.fromkeys(figures, lambda result: result)
        for name, figures in (
            ("PairComparison", ("bootstrap",)),
            ("PerformanceCurve", ("epc",)),
            ("GroupEvaluation", ("groups", "group-matrix", "group-det")),
            ("BenchmarkResult", ("pooled-epc",)),
            ("SystemCorrelations", ("correlation",)),
            ("FitTest", ("fit",)),
            ("RatePlan", ("plan",)),
            ("EerBounds", ("eer-bound",)),
        )
    },
}
"""The figures of each kind of result, the main one first, and how its data are made of the result."""


def drawing_of(result: Any, name: str = "", **options: Any) -> Drawing:
    """Give a figure of a result: the main one, or the one of this name."""
    figures = _OF_RESULTS.get(type(result).__name__, {})
    chosen = name or next(iter(figures), "")
    if chosen not in figures:
        there = listed(figures) or "none"
        raise ParameterError(
            "there is no figure {name!r} of a {kind}; there is {there}",
            code="no-such-figure",
            name=chosen,
            kind=type(result).__name__,
            there=there,
        )
    return FIGURES[chosen].draw(figures[chosen](result), **options)
