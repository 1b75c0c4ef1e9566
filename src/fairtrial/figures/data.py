"""What figures draw: the functions behind `fairtrial plot` that no room has by itself."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from fairtrial.core.errors import ParameterError
from fairtrial.core.trials import Trials
from fairtrial.groups.zoo import Role, Shows, zoo_data
from fairtrial.inference.people import Cluster
from fairtrial.rules.criteria import CriterionLike, as_criterion
from fairtrial.rules.measures import MeasureLike

if TYPE_CHECKING:
    from fairtrial.benchmark.run import FusionBenchmark
    from fairtrial.calibration.calibration import CalibratedSystem, CalibratedSystems
    from fairtrial.evaluation.comparison import Comparison
    from fairtrial.evaluation.evaluation import Evaluation, SystemEvaluation
    from fairtrial.evaluation.expected import ExpectedPerformance
    from fairtrial.fusion.fusion import FusionResult
    from fairtrial.groups.results import GroupEvaluation
    from fairtrial.repeated.coverage import CoverageStudy

    Calibrated: TypeAlias = CalibratedSystems | CalibratedSystem

Bands = Literal["none", "pointwise"]
PooledBands = Literal["none", "pointwise", "simultaneous"]
Model = Literal["oman-zucker", "beta-binomial"]
GridOf = Literal["paper", "quick"]


@dataclass(frozen=True, slots=True)
class Drawn:
    """What a figure is drawn of: arguments of its function, notes, and the function if it is another one."""

    data: tuple[Any, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[Any, ...] = ()
    function: str = ""


def _thresholds(dev: Trials, test: Trials, criterion: CriterionLike, alpha: float | None) -> dict[str, float]:
    """Choose the threshold of each system on dev."""
    from fairtrial.inference.decide import judge
    from fairtrial.inference.split import TrialSets

    sets, rule = TrialSets(dev, test), as_criterion(criterion)
    alphas = rule.resolve_alpha(alpha)
    judged = {name: judge(sets, system=name, criterion=rule, alphas=alphas) for name in dev.systems}
    return {name: float(judgement.at(0).threshold) for name, judgement in judged.items()}


def _only(dev: Trials) -> str:
    if len(dev.systems) != 1:
        raise ParameterError(
            "the figure is of one system, not {names:list}; choose it with {systems!p}", code="systems",
            names=dev.systems, systems=0,
        )  # fmt: skip
    return dev.systems[0]


def marked_curves(
    result: ExpectedPerformance,
    *,
    marks: Sequence[float] = (),
    confidence: float = 0.95,
    resample: Literal["test", "both"] = "both",
) -> Drawn:
    """Mark curves at some values of alpha.

    Parameters
    ----------
    result : ExpectedPerformance
        The curves.
    marks : sequence of float, default ()
        Mark the HTER at these values of alpha with its interval.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.
    resample : {"test", "both"}, default "both"
        Whether intervals are conditional on the threshold, or account for its re-estimation.

    Returns
    -------
    Drawn
        Curves, bands and points.
    """
    from fairtrial.evaluation.evaluation import SystemEvaluation
    from fairtrial.inference.decide import judge

    first = result.curves[0]
    if marks and (result.sets.blocks or first.measure.name != "hter"):
        raise ParameterError(
            "{marks!p} shows the HTER of a test set; leave it out, or give {test!p} and no {measure!p}",
            code="does-not-apply", marks=marks, test=0, measure=0,
        )  # fmt: skip
    points = [
        SystemEvaluation(
            judge(result.sets, system=curve.system, criterion=curve.judgement.criterion, alphas=alpha),
            confidence=confidence,
            resample=resample,
        )
        for curve in result.curves
        if curve.judgement is not None
        for alpha in marks
    ]
    return Drawn((result.curves,), {"bands": result.bands, "points": points}, result.notes)


def compared_curves(result: ExpectedPerformance) -> Drawn:
    """Give two curves and where they differ."""
    if not result.comparisons:
        raise ParameterError("these curves were not compared; name two systems with {compare!p}", code="not-compared")
    comparison = result.comparisons[0]
    curves = {curve.system: curve for curve in result.curves}
    notes = (*result.notes, *comparison.tables()[0].notes)
    return Drawn((curves[comparison.a], curves[comparison.b], comparison), {}, notes)


def leading_pair(result: Comparison) -> Drawn:
    """Give the only pair of a comparison."""
    (pair,) = result.pairs
    return Drawn((pair,), {"measure": result.measure.label}, tuple(result.notes))


def scatter_sets(
    dev: Trials,
    test: Trials,
    *,
    criterion: CriterionLike = "eer",
    alpha: float | None = None,
    points: str | int = 500,
    rng: np.random.Generator | int | None = 0,
) -> Drawn:
    """Choose trials of two systems to draw against each other, with thresholds from dev.

    Parameters
    ----------
    dev, test : Trials
        The trials that thresholds are chosen on, and those that are drawn.
    criterion : str, Criterion, DetectionCosts or callable, default "eer"
        How thresholds are chosen on dev.
    alpha : float, optional
        The weight or the target that the criterion takes.
    points : int or str, default 500
        The largest number of trials of each class, or a proportion of them, as in 1%.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed.

    Returns
    -------
    Drawn
        The trials and the thresholds.
    """
    from fairtrial.figures.scores import scatter_data

    a, b = dev.systems
    data = scatter_data(test, a, b, points=points, rng=rng)
    return Drawn((data,), {"thresholds": _thresholds(dev, test, criterion, alpha)}, (*dev.notes, *test.notes))


def dev_correlations(dev: Trials, test: Trials | None = None) -> Drawn:
    """Correlate systems within each class of the trials of dev, and of test if it is given, too."""
    from fairtrial.fusion.prediction import system_correlations

    trials = dev if test is None else test
    return Drawn((system_correlations(trials),), {}, tuple(trials.notes))


def zoo_sets(
    dev: Trials,
    test: Trials,
    *,
    criterion: CriterionLike = "eer",
    alpha: float | None = None,
    shows: Shows = "scores",
    by: Role = "claim",
) -> Drawn:
    """Gather everybody's genuine and impostor trials of one system.

    Parameters
    ----------
    dev, test : Trials
        The trials that the threshold is chosen on, and those that are drawn.
    criterion : str, Criterion, DetectionCosts or callable, default "eer"
        How the threshold is chosen on dev.
    alpha : float, optional
        The weight or the target that the criterion takes.
    shows : {"scores", "errors"}, default "scores"
        Mean scores, or error rates at the threshold from dev.
    by : {"claim", "subject"}, default "claim"
        claim: who is imitated (lambs); subject: who imitates (wolves).

    Returns
    -------
    Drawn
        The zoo.
    """
    threshold = _thresholds(dev, test, criterion, alpha)[_only(dev)]
    return Drawn((zoo_data(test, by=by, shows=shows, threshold=threshold),), {}, (*dev.notes, *test.notes))


def evaluated_curves(result: Evaluation | SystemEvaluation | FusionResult) -> Drawn:
    """Give the curves of evaluated systems, with their points."""
    from fairtrial.figures.det import operating_curve
    from fairtrial.fusion.fusion import FusionResult

    systems = (result.evaluation, *result.baselines) if isinstance(result, FusionResult) else _each(result)
    curves = [
        operating_curve(
            each.judgement, each.threshold, each.interval("far"), each.interval("frr"), eer=each.eer_definition
        )
        for each in systems
    ]
    return Drawn((curves,))


def study_rows(result: CoverageStudy) -> Drawn:
    """Give the rows of a coverage study."""
    return Drawn((result.rows,))


def _each(result: Any) -> Sequence[Any]:
    """Give the systems of a result of several, or the one of its own."""
    return getattr(result, "systems", (result,))


def _along_priors(kind: str, result: Calibrated, bands: Bands, raw: bool, confidence: float) -> Drawn:
    from fairtrial.calibration import curves

    make = getattr(curves, f"{kind}_curve")
    level = None if bands == "none" else confidence
    if level is None and confidence != 0.95:
        raise ParameterError("{confidence!p} applies to {bands!p}", code="does-not-apply", confidence=0, bands=0)
    systems = [make(system, raw=raw, confidence=level) for system in _each(result)]
    return Drawn((systems,), {}, _notes(result))


def _notes(result: Calibrated) -> tuple[Any, ...]:
    return tuple(note for system in _each(result) for note in system.notes)


def bayes_errors(result: Calibrated, *, bands: Bands = "none", raw: bool = False, confidence: float = 0.95) -> Drawn:
    """Compute the normalised Bayes error over prior log-odds.

    Parameters
    ----------
    result : CalibratedSystems
        Calibrated systems.
    bands : {"none", "pointwise"}, default "none"
        Intervals along the calibrated line.
    raw : bool, default False
        The scores are log-likelihood ratios already: draw them unchanged, too.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.
    """
    return _along_priors("bayes_error", result, bands, raw, confidence)


def cross_entropies(result: Calibrated, *, bands: Bands = "none", raw: bool = False, confidence: float = 0.95) -> Drawn:
    """Compute the empirical cross-entropy over prior log-odds.

    Parameters
    ----------
    result, bands, raw, confidence
        As of `bayes_errors`.
    """
    return _along_priors("ece", result, bands, raw, confidence)


def tippett_curves(result: Calibrated) -> Drawn:
    """Compute the proportions of trials above each log-likelihood ratio."""
    from fairtrial.calibration.curves import tippett_curve

    curves = [tippett_curve(system) for system in _each(result)]
    return Drawn((curves,), {}, _notes(result))


def pav_curves(
    result: Calibrated,
    *,
    of_scores: bool = False,
    confidence: float = 0.95,
    n_resamples: int = 1000,
    rng: np.random.Generator | int | None = 0,
) -> Drawn:
    """Compute calibrated log-likelihood ratios against those of test, with bands.

    Parameters
    ----------
    result : CalibratedSystems
        Calibrated systems.
    of_scores : bool, default False
        Along the scores of one system, not its calibrated ratios.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.
    n_resamples : int, default 1000
        The number of resamples of people for bands.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed.
    """
    from fairtrial.calibration.curves import pav_curve

    if of_scores and len(_each(result)) != 1:
        raise ParameterError(
            "{of_scores!p} are those of one system; choose it with {systems!p}", code="systems", of_scores=0, systems=0
        )
    curves = [
        pav_curve(system, of_scores=of_scores, confidence=confidence, n_resamples=n_resamples, rng=rng)
        for system in _each(result)
    ]
    return Drawn((curves,), {}, _notes(result))


def llr_maps(
    dev: Trials,
    test: Trials,
    *,
    methods: Sequence[str] = ("logistic",),
    prior: float = 0.5,
    confidence: float = 0.95,
    cluster: Cluster | None = None,
    n_resamples: int = 1000,
    rng: np.random.Generator | int | None = 0,
) -> Drawn:
    """Compute the maps of calibrations of one system, with bands by dev people.

    Parameters
    ----------
    dev, test : Trials
        The trials that calibrations are fitted to, and those that are judged.
    methods : sequence of str, default ("logistic",)
        How scores are calibrated: logistic, pav, gaussian, kde; may be repeated, for several maps.
    prior : float, default 0.5
        The prior probability of a genuine trial at which ``logistic`` and ``gaussian`` weigh the classes.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.
    cluster : {"none", "claim", "subject", "both"}, optional
        What dependent trials share; by default all known ids.
    n_resamples : int, default 1000
        The number of resamples of people for bands.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed.
    """
    from fairtrial.calibration.calibration import calibrate
    from fairtrial.calibration.curves import llr_map
    from fairtrial.calibration.methods import LinearInfluence

    _only(dev)
    results = [
        calibrate(dev, test, method=name, prior=prior, confidence=confidence, cluster=cluster)
        for name in dict.fromkeys(methods)
    ]
    linear = all(isinstance(result.systems[0].calibration.influence, LinearInfluence) for result in results)
    if linear and (n_resamples != 1000 or rng != 0):
        name = "rng" if rng != 0 else "n_resamples"
        template = f"{{{name}!p}} applies to maps whose band resamples dev, as that of pav does"
        raise ParameterError(template, code="does-not-apply", **{name: 0})
    maps = [llr_map(result.systems[0], confidence=confidence, n_resamples=n_resamples, rng=rng) for result in results]
    return Drawn((maps,), {}, tuple(note for result in results for note in _notes(result)))


def deviations(*, far: float = 0.1, frr: float = 0.2, genuine: int = 100, most: float = 1000.0) -> Drawn:
    """Compute standard deviations against the ratio of impostor to genuine trials.

    Parameters
    ----------
    far, frr : float, default 0.1 and 0.2
        The error rate, a fraction.
    genuine : int, default 100
        The number of genuine trials, NC.
    most : float, default 1000
        The largest NI / NC.
    """
    from fairtrial.published.normal import hter_deviations, ratios_up_to

    return Drawn((hter_deviations(ratios=ratios_up_to(most), far=far, frr=frr, genuine=genuine),))


def covered_cells(
    file: str | None = None,
    *,
    grid: GridOf | None = None,
    n: int | Sequence[int] | None = None,
    m: int | Sequence[int] | None = None,
    pi: float | Sequence[float] | None = None,
    rho: float | Sequence[float] | None = None,
    methods: Sequence[str] = (),
    generator: Model = "oman-zucker",
    data_sets: int = 1000,
    n_resamples: int | None = 1000,
    confidence: float = 0.95,
    exact: bool = False,
    rng: int = 0,
    workers: int | None = None,
    along_attempts: bool = False,
) -> Drawn:
    """Give the coverage of all cells of a study: one in a file, or one that is run.

    Parameters
    ----------
    file : str, optional
        What `fairtrial coverage --out` wrote.
    grid : {"paper", "quick"}, optional
        All cells of the paper, or a few of them.
    n : int or sequence of int, optional
        Numbers of people of the cells that are drawn.
    m : int or sequence of int, optional
        Attempts of each person.
    pi : float or sequence of float, optional
        True error rates.
    rho : float or sequence of float, optional
        Correlations of the attempts of a person.
    methods : sequence of str, default ()
        Any of dr, bp, sb, bb, lbb, brr and bb-ml.
    generator : {"oman-zucker", "beta-binomial"}, default "oman-zucker"
        How attempts of a person come to be correlated.
    data_sets : int, default 1000
        The number of data sets that are simulated in each cell.
    n_resamples : int or None, default 1000
        The number of resamples of sb and brr; None: as if with infinitely many.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.
    exact : bool, default False
        All possible data sets instead of simulated ones.
    rng : int, default 0
        The seed of the data sets.
    workers : int, optional
        The number of cells worked on at once; by default one per processor.
    along_attempts : bool, default False
        For the figure of coverage against attempts: one n, pi and rho.
    """
    from fairtrial.figures.repeated import choose_rows, read_study
    from fairtrial.repeated.cells import PAPER
    from fairtrial.repeated.coverage import coverage_study

    axes = {name: value for name, value in (("n", n), ("m", m), ("pi", pi), ("rho", rho)) if value is not None}
    study: dict[str, Any] = {"grid": grid, "generator": generator, "data_sets": data_sets, "n_resamples": n_resamples}
    study |= {"exact": exact, "rng": rng}
    simulated = None
    if file is not None:
        for name, value in study.items():
            if value != inspect.signature(covered_cells).parameters[name].default:
                template = f"{{{name}!p}} applies to a study that is run, and FILE holds one"
                raise ParameterError(template, code="does-not-apply", **{name: 0})
        values = {name: value if isinstance(value, tuple) else (value,) for name, value in axes.items()}
        rows: Sequence[Any] = choose_rows(read_study(file), **values)
    else:
        settings = {**({"n": 500, "m": PAPER.m, "pi": 0.001, "rho": 0.4} if along_attempts else {}), **study, **axes}
        settings |= {"methods": methods or None, "workers": workers}
        result = coverage_study(
            confidence=confidence, **{name: value for name, value in settings.items() if value is not None}
        )
        rows, simulated = result.rows, None if exact else result.settings.data_sets
    chosen = {"methods": tuple(methods) or None}
    return Drawn((rows,), chosen | ({"data_sets": simulated, "confidence": confidence} if along_attempts else {}))


def plan_or_power(result: Any, asked: Mapping[str, Any]) -> Drawn:
    """Give the trade-off of a plan, or the power of a comparison against its people."""
    from fairtrial.figures.repeated import power_curve
    from fairtrial.repeated.comparison_plans import ComparisonPlan, plan

    if not isinstance(result, ComparisonPlan):
        return Drawn((result,))

    def power_of(people: int) -> float:
        return plan(**{**asked, "individuals": people}).power or 0.0

    return Drawn((power_curve(result, power_of),), function="power_plot")


def groups_along(
    result: GroupEvaluation,
    *,
    points: int = 101,
    range: tuple[float, float] = (0.0, 1.0),
    criterion: CriterionLike = "wer-min",
    measure: MeasureLike = "hter",
    groups: Sequence[str] = (),
) -> Drawn:
    """Compute Expected Performance Curves of groups: at every alpha one threshold from all dev trials.

    Parameters
    ----------
    result : GroupEvaluation
        The groups.
    points : int, default 101
        The number of values of alpha.
    range : tuple of (float, float), default (0.0, 1.0)
        The range of alpha.
    criterion : str, Criterion, DetectionCosts or callable, default "wer-min"
        How the threshold is chosen on dev.
    measure : str, Measure, DetectionCosts or callable, default "hter"
        What is drawn.
    groups : sequence of str, default ()
        Only these groups.
    """
    from fairtrial.evaluation.epc import alpha_grid
    from fairtrial.groups.evaluation import group_curves

    alphas = alpha_grid(points, low=range[0], high=range[1])
    return Drawn((group_curves(result, alphas=alphas, criterion=criterion, measure=measure, groups=groups),))


def pooled_curves(
    result: FusionBenchmark,
    *,
    group: str = "all",
    bands: PooledBands = "none",
    compare: bool = False,
    confidence: float = 0.95,
) -> Drawn:
    """Give the pooled curves of a benchmark, with bands and where two methods differ.

    Parameters
    ----------
    result : FusionBenchmark
        The runs.
    group : str, default "all"
        Which group, if several methods are drawn.
    bands : {"none", "pointwise", "simultaneous"}, default "none"
        Bands around the curves of several methods.
    compare : bool, default False
        Shade where two methods differ along alpha, thresholds re-estimated.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.
    """
    from fairtrial.benchmark.pooling import compare_pooled, pooled_band

    runs = result.runs
    if compare and len(runs) != 2:
        raise ParameterError("{compare!p} is for two methods; name them with {fusions!o}", compare=0, fusions="A,B")
    if bands != "none" and len(runs) < 2:
        raise ParameterError("{bands!p} is for several methods; name them with {fusions!o}", bands=0, fusions="A,B")
    around = None
    if bands != "none":
        around = {run.label: pooled_band(run, group=group, kind=bands, confidence=confidence) for run in runs}
    compared = compare_pooled(runs[0], runs[1], group=group, confidence=confidence) if compare else None
    return Drawn((runs,), {"group": group, "bands": around, "comparison": compared})
