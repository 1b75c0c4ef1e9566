"""The one table of figures: name, what gives its data, what draws it; and the figure of every kind of result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from inspect import signature
from typing import TYPE_CHECKING, Any, TypeAlias

from fairtrial.core.errors import ParameterError
from fairtrial.core.words import listed, nearest

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    Draw: TypeAlias = Callable[[Figure], Any]


@dataclass(frozen=True, slots=True)
class FigureKind:
    """A figure: what it shows, the functions that give its data and draw it, and the command `fairtrial plot NAME`.

    Parameters
    ----------
    name, about : str
        Its name, and what it shows in one line.
    data : tuple of str
        Functions as module:name, each applied to what the one before gives; options follow from their signatures.
    examples : tuple of str
        Lines for the help, without the command.
    size : tuple of (float, float)
        Inches, if the data do not decide it.
    function : str
        What draws it, a name in `fairtrial.figures`; by default the figure's name, as in ``group_det_plot``.
    more : str
        More sentences for the help.
    reads : str
        Which files the command reads, as of a `Declared` command.
    positional : dict of str to str
        Parameters that are typed without an option, and how help shows them.
    skip : tuple of str
        Parameters of the first function that are not offered.
    fixed : dict
        Keyword arguments of the first function that cannot be chosen.
    two : bool
        Whether it is of two systems.
    results : dict of str to str
        The kinds of results that have it, and for each the function that gives its data; none if it is the result.
    """

    name: str
    about: str
    data: tuple[str, ...]
    examples: tuple[str, ...]
    size: tuple[float, float] = (6.4, 4.6)
    function: str = ""
    more: str = ""
    reads: str = "sets"
    positional: Mapping[str, str] = field(default_factory=dict)
    skip: tuple[str, ...] = ()
    fixed: Mapping[str, Any] = field(default_factory=dict)
    two: bool = False
    results: Mapping[str, str] = field(default_factory=dict)

    @property
    def draws(self) -> str:
        """The name of the function that draws it."""
        return self.function or f"{self.name.replace('-', '_')}_plot"

    def draw(self, *data: Any, **options: Any) -> Drawing:
        """Give the figure of some data, with the options of the function that draws it."""
        return Drawing(self, data, options)

    def drawing(self, drawn: Any, **options: Any) -> Drawing:
        """Give the figure of what its data functions gave."""
        if isinstance(drawn, Drawn):
            return self.draw(*drawn.data, **{**drawn.options, **options})
        return self.draw(drawn, **options)


@dataclass(frozen=True, slots=True)
class Drawn:
    """What a figure is drawn of: arguments and options of its function, and notes."""

    data: tuple[Any, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[Any, ...] = ()


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
    def function(self) -> Callable[..., Any]:
        """What draws it."""
        drawing: Callable[..., Any] = getattr(import_module("fairtrial.figures"), self.kind.draws)
        return drawing

    @property
    def caption(self) -> str:
        """What belongs below the figure: the methods behind it and what its marks stand for."""
        from matplotlib.figure import Figure

        figure = Figure()
        self(figure)
        return caption_of(figure)

    def __call__(self, figure: Figure) -> Any:
        """Draw into an empty figure."""
        return self.plot(figure if "figure" in signature(self.function).parameters else figure.add_subplot())

    def plot(self, place: Any = None) -> Any:
        """Draw into axes, or into a figure if there are several panels; by default in a new figure."""
        where = "figure" if "figure" in signature(self.function).parameters else "ax"
        return self.function(*self.data, **{where: place}, **self.options)


def caption_of(figure: Figure) -> str:
    """Give the caption of what was drawn, of all panels or of the only one."""
    return str(figure.get_label() or (figure.axes[0].get_label() if figure.axes else ""))


_SETS = "--dev dev.csv --test test.csv"
_HERE = "fairtrial.figures."
_OPERATING = (f"{_HERE}det:operating_curves",)
_EPC = "fairtrial.evaluation.expected:expected_performance"
_COMPARED = f"{_HERE}epc:compared_curves"
_CALIBRATED = "fairtrial.calibration.calibration:calibrate"
_GROUPS = "fairtrial.groups.evaluation:evaluate_groups"
_STUDY = f"{_HERE}repeated:covered_cells"
_FILE = "FILE is what `fairtrial coverage --out` wrote; without it, a study is run"
_EVALUATED = dict.fromkeys(("Evaluation", "SystemEvaluation", "FusionResult"), f"{_HERE}det:evaluated_curves")
_NO_AREAS: dict[str, Any] = {"fixed": {"no_areas": True}}
_NO_BANDS = ("areas", "no_areas", "convention", "compare", "bands", "band_method", "pool", "folds")
_ONE_POINT = ("own_thresholds", "factor", "weight")


def _along_ratios(name: str, about: str, data: str, *examples: str, size: tuple[float, float]) -> FigureKind:
    """Declare a figure of calibrated systems."""
    step = f"{_HERE}calibration:{data}"
    skip = ("costs", "partition", "correction", "model", "confidence")
    results = dict.fromkeys(("CalibratedSystems", "CalibratedSystem"), step)
    return FigureKind(name, about, (_CALIBRATED, step), examples, size, skip=skip, results=results)


# fmt: off
_KINDS = (
    FigureKind("det", "DET curves on probit axes, with the point that dev gives.", _OPERATING,
               (f"{_SETS} --out det.png",), (5.4, 5.4), results=_EVALUATED),
    FigureKind("roc", "ROC curves of errors with the EER line.", _OPERATING,
               (f"{_SETS} --out roc.svg",), (5.4, 5.6), results=_EVALUATED),
    FigureKind("precision-recall", "Precision against recall with the break-even points.",
               (f"{_HERE}det:judged_precision",),
               (f"{_SETS} --out precision.png", f"{_SETS} --criterion recall-at-least --alpha .9 --out p.png"),
               (5.4, 5.6)),
    FigureKind("epc", "Expected Performance Curves of all systems, with bands.", (_EPC, f"{_HERE}epc:marked_curves"),
               (f"{_SETS} --bands simultaneous --mark .5 --out epc.png",),
               skip=("areas", "no_areas", "convention", "compare", "method", "simultaneous"), **_NO_AREAS,
               results={"ExpectedPerformance": f"{_HERE}epc:marked_curves", "PerformanceCurve": ""}),
    FigureKind("epc-compare", "Two Expected Performance Curves, shaded where they differ.", (_EPC, _COMPARED),
               (f"{_SETS} --systems face,voice --out compared.png",), function="epc_comparison_plot",
               skip=_NO_BANDS, two=True, **_NO_AREAS, results={"ExpectedPerformance": _COMPARED}),
    FigureKind("epc-significance", "Two curves above the confidence that the first system is worse.",
               (_EPC, _COMPARED), (f"{_SETS} --systems face,voice --out sure.png",), (6.4, 6.2),
               more="The lower panel is the confidence that the first system is the worse one.",
               skip=_NO_BANDS, two=True, **_NO_AREAS, results={"ExpectedPerformance": _COMPARED}),
    FigureKind("pooled-epc", "Pooled Expected Performance Curves of a benchmark.",
               ("fairtrial.benchmark.run:run_benchmark", f"{_HERE}epc:pooled_curves"),
               ("--normalise z --out groups.png",
                "--fusion mean,logistic --points 21 --bands pointwise --out methods.png"),
               more="Its groups by one fusion method, or one group by several.", reads="",
               skip=("pooled", "only", "failed_enrolment"), fixed={"keep_scores": True},
               results={"BenchmarkResult": "", "FusionBenchmark": ""}),
    FigureKind("bootstrap", "The bootstrapped difference of two systems.",
               ("fairtrial.evaluation.comparison:compare", f"{_HERE}scores:leading_pair"),
               (f"{_SETS} --systems face,voice --out difference.png",),
               skip=("folds", "five_by_two", "reference", "correction", "alternative", "margin"), two=True,
               results={"Comparison": f"{_HERE}scores:leading_pair", "PairComparison": ""}),
    FigureKind("scatter", "The scores of two systems against each other.", (f"{_HERE}scores:scatter_sets",),
               (f"{_SETS} --systems face,voice --points 300 --out scatter.png",), (5.8, 5.4), two=True),
    FigureKind("correlation", "Correlations of systems within each class of trials.",
               (f"{_HERE}scores:dev_correlations",),
               ("--dev dev.csv --systems face,voice,phone --out correlation.png",), (8.4, 4.2), reads="dev",
               results={"SystemCorrelations": ""}),
    FigureKind("diagnostic", "Densities, errors against the threshold, WER and DET curve.",
               (f"{_HERE}scores:diagnostics",), (f"{_SETS} --system face --out diagnostic.png",), (8.6, 6.8)),
    _along_ratios("ece", "Empirical cross-entropy over prior log-odds, calibrated on dev.", "cross_entropies",
                  f"{_SETS} --out ece.png", size=(6.4, 5.0)),
    _along_ratios("bayes-error", "Normalised Bayes error over prior log-odds, calibrated on dev.", "bayes_errors",
                  f"{_SETS} --out bayes-error.png", size=(6.4, 5.0)),
    _along_ratios("tippett", "Genuine and impostor trials above each log-likelihood ratio.", "tippett_curves",
                  f"{_SETS} --out tippett.png", size=(6.4, 4.6)),
    _along_ratios("pav", "Calibrated log-likelihood ratios against those of test, with bands.", "pav_curves",
                  f"{_SETS} --out pav.png", f"{_SETS} --system face --scores --out pav.png", size=(5.4, 5.6)),
    FigureKind("llr-map", "From scores to log-likelihood ratios: the map of a calibration.",
               (f"{_HERE}calibration:llr_maps",),
               (f"{_SETS} --system face --method logistic --method pav --out map.png",)),
    FigureKind("hter-sd", "Standard deviations against the ratio of impostor to genuine trials.",
               (f"{_HERE}published:deviations",), ("--far .1 --frr .2 --genuine 100 --out hter-sd.png",), reads=""),
    FigureKind("hter-density", "The normal density of an HTER, with the area of its interval.",
               ("fairtrial.published.normal:hter_density",),
               ("--far .01 --frr .02 --impostor 112000 --genuine 400 --out hter-density.png",), reads=""),
    FigureKind("coverage", "The map of a coverage study.", (_STUDY,),
               ("coverage.parquet --out coverage.png",
                "--grid paper --datasets 100 --method lbb --out coverage.png"), (9.0, 6.4),
               more=f"{_FILE}.", reads="", positional={"file": "[FILE]"}, skip=("along_attempts",),
               results={"CoverageStudy": f"{_HERE}repeated:study_rows"}),
    FigureKind("hook", "Coverage against the attempts of each individual.", (_STUDY,),
               ("--datasets 5000 --out hook.png", "coverage.parquet --n 500 --pi .001 --rho .4 --out hook.png"),
               more=f"{_FILE}, at n 500, pi .001 and rho .4.", reads="", positional={"file": "[FILE]"},
               skip=("grid", "along_attempts"), fixed={"along_attempts": True},
               results={"CoverageStudy": f"{_HERE}repeated:study_along_attempts"}),
    FigureKind("fit", "People by their number of errors, observed and expected by a model.",
               ("fairtrial.repeated.fits:fit_test",), ("counts.csv --out fit.png",),
               more="FILE is a table with the columns errors and attempts, one row per person.", reads="",
               positional={"people": "FILE"}, results={"FitTest": ""}),
    FigureKind("eer-bound", "The p value over chi2, with published EERs.",
               ("fairtrial.published.eer_bound:bounds_from_eers",),
               ("TAN=.0057 DAUGMAN=.0008 MA=.0007 YAO=.0028 BASTYS=0 --trials 285390 --out bound.png",), reads="",
               positional={"eers": "[NAME=]EER [NAME=]EER..."}, results={"EerBounds": ""}),
    FigureKind("plan", "People and attempts of a planned test, or its power.",
               ("fairtrial.repeated.comparison_plans:plan", f"{_HERE}repeated:plan_or_power"),
               ("--pi .02 --rho .1 --half-width .005 --person-cost 10 --out plan.png",
                "--a .010 .020 --b .015 .030 --attempts 4 --impostor-attempts 100 --out power.png"), reads="",
               skip=("data_sets", "rng"), fixed={"data_sets": 0}, results={"RatePlan": ""}),
    FigureKind("groups", "FAR and FRR of every group with simultaneous intervals.", (_GROUPS,),
               (f"{_SETS} --people people.csv --by sex --sort far --out groups.png",), (7.6, 4.0),
               skip=_ONE_POINT, results={"GroupEvaluation": ""}),
    FigureKind("group-matrix", "FAR by the group of the claim and that of the impostor.", (_GROUPS,),
               (f"{_SETS} --people people.csv --by origin --out matrix.png",), (6.4, 5.2),
               skip=_ONE_POINT, results={"GroupEvaluation": ""}),
    FigureKind("group-det", "DET curves of groups, with their points at one threshold.", (_GROUPS,),
               (f"{_SETS} --by device --group phone --out det.png",), (5.6, 5.8),
               skip=_ONE_POINT, results={"GroupEvaluation": ""}),
    FigureKind("group-epc", "Expected Performance Curves of groups at common thresholds.",
               (_GROUPS, f"{_HERE}groups:groups_along"), (f"{_SETS} --people people.csv --by sex --out epc.png",),
               skip=(*_ONE_POINT, "criterion", "alpha", "cluster", "confidence", "resample", "rng"),
               fixed={"cluster": "none", "resample": "test"}),
    FigureKind("zoo", "Doddington's zoo: everybody by genuine and impostor trials.", (f"{_HERE}zoo:zoo_sets",),
               (f"{_SETS} --system face --out zoo.png",), (6.0, 5.4)),
)
# fmt: on
FIGURES = {kind.name: kind for kind in _KINDS}
"""All figures, in the order in which they are listed."""


def drawing_of(result: Any, name: str = "", **options: Any) -> Drawing:
    """Give a figure of a result: the main one, or the one of this name."""
    kind_of_result = type(result).__name__
    figures = [figure for figure, kind in FIGURES.items() if kind_of_result in kind.results]
    chosen = name or next(iter(figures), "")
    if chosen not in figures:
        raise ParameterError(
            "{kind} has no figure {name!r}; it has {there}{meant}",
            code="no-such-figure",
            name=chosen,
            kind=kind_of_result,
            meant=nearest(name, figures),
            there=listed(figures) or "none",
        )
    kind = FIGURES[chosen]
    path = kind.results[kind_of_result]
    if not path:
        return kind.draw(result, **options)
    module, _, function = path.partition(":")
    make = getattr(import_module(module), function)
    of_data = options.keys() & signature(make).parameters.keys()
    return kind.drawing(make(result, **{key: options.pop(key) for key in of_data}), **options)
