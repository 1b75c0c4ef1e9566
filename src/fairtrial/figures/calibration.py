"""Draw figures of evidence: Bayes error, ECE, maps, PAV, Tippett; and give them to pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from scipy.special import expit, logit

from fairtrial.calibration.calibration import CalibratedSystem, CalibratedSystems, calibrate, calibrated_words
from fairtrial.calibration.curves import (
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
from fairtrial.calibration.measures import GIVEN_CALIBRATION
from fairtrial.calibration.methods import LinearInfluence
from fairtrial.core.errors import ParameterError
from fairtrial.core.results import plain
from fairtrial.core.trials import Trials
from fairtrial.core.words import as_in_files, level_text, listed, percent
from fairtrial.figures.axes import TOGETHER, Axis, Floats, Range, ends_of, linear_axis, padded
from fairtrial.figures.det import only_system
from fairtrial.figures.style import GREY, Pen, axes_for, legible, sentences, several
from fairtrial.figures.table import Drawn
from fairtrial.inference.people import Cluster
from fairtrial.rules.measures import SUPPORT

if TYPE_CHECKING:
    from matplotlib.axes import Axes


Bands = Literal["none", "pointwise"]
Calibrated: TypeAlias = CalibratedSystems | CalibratedSystem
_KINDS: dict[str, tuple[Any, str]] = {
    "calibrated": ("-", "calibrated"),
    "minimum": ((0, (2, 1.2)), "minimum, a posteriori"),
    "raw": ((0, (6, 1.5, 1, 1.5)), "raw scores"),
}
"""The dashes of each kind of line along priors, and its entry in the legend."""
_PRIORS = (0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999)
_APART = 10
"""Points between the markers of a line along priors."""
_MARKERS_APART = 40
"""Points between the markers of a Tippett plot."""
_FAINT = 0.35
_HIGHEST = 1.3
"""The highest end of the axis of Bayes errors and of cross-entropy: above 1, a system is worse than none."""
_TIPPETT_POINTS, _MAP_POINTS, _MOST_STEPS, _RESAMPLES = 161, 121, 200, 400
"""Of what a page gets."""
_BEYOND = 1000.0
"""Higher than any axis; infinite limits are drawn there."""
_RATIO = "log-likelihood ratio"


def _highest(lines: Sequence[Floats]) -> float:
    """Give the upper end of an axis along priors."""
    top = max(float(np.fmax.reduce(line, initial=0.0)) for line in lines)
    return min(max(1.05 * top, 1.05), _HIGHEST)


def _draw_over_priors(pen: Pen, curves: Sequence[BayesErrorCurve | EceCurve], label: str, top: float) -> None:
    """Draw bands, axes and legend of curves along prior log-odds, with the priors themselves above."""
    for number, curve in enumerate(curves):
        if curve.band is not None:
            pen.band(number, curve.band.log_odds, curve.band.low, curve.band.high)
    low, high = ends_of(curves[0].log_odds)
    pen.axes.set(xlim=(low, high), xlabel="prior log-odds of a genuine trial", ylim=(0, top), ylabel=label)
    above = pen.axes.secondary_xaxis("top", functions=(lambda x: x, lambda x: x))
    priors = [prior for prior in _PRIORS if low <= logit(prior) <= high]
    above.set_xticks([float(logit(prior)) for prior in priors], labels=[f"{prior:g}" for prior in priors])
    above.set_xlabel("prior of a genuine trial", fontsize="small")
    above.tick_params(labelsize="small")
    for number, curve in enumerate(curves):
        pen.marked_line(number, [], [], legible(curve.system), markersize=4, linestyle="")
    for kind, (dashes, words) in _KINDS.items():
        if kind != "raw" or any(curve.raw is not None for curve in curves):
            where = f" {calibrated_words(curves[0].kind)}" if kind == "calibrated" else ""
            pen.explain(f"{words}{where}", linestyle=dashes)
    for band in _bands_in_words(curves):
        pen.explain_band(band.partition(",")[0])


def _bands_in_words(curves: Sequence[BayesErrorCurve | EceCurve]) -> list[str]:
    """Describe each kind of band once."""
    return list(dict.fromkeys(str(curve.band.described) for curve in curves if curve.band is not None))


def _draw_kind(pen: Pen, number: int, kind: str, log_odds: Floats, values: Floats, **more: Any) -> None:
    places = (3 * number % _APART, _APART)
    pen.marked_line(number, log_odds, values, markersize=4, markevery=places, linestyle=_KINDS[kind][0], **more)


def _curves_of(result: Calibrated, make: Callable[..., Any], **options: Any) -> Drawn:
    """Compute a curve of each system, and gather the notes of all."""
    systems = getattr(result, "systems", (result,))
    curves = [make(system, **options) for system in systems]
    return Drawn((curves,), {}, tuple(note for system in systems for note in system.notes))


def _level(bands: Bands, confidence: float) -> float | None:
    """Give the confidence of bands, if there are any."""
    if bands == "none" and confidence != 0.95:
        raise ParameterError("{confidence!p} applies to {bands!p}", code="does-not-apply", confidence=0, bands=0)
    return None if bands == "none" else confidence


def bayes_errors(result: Calibrated, *, bands: Bands = "none", raw: bool = False, confidence: float = 0.95) -> Drawn:
    """Compute the normalised Bayes error over prior log-odds.

    Parameters
    ----------
    bands : {"none", "pointwise"}, default "none"
        Intervals along the calibrated line.
    raw : bool, default False
        The scores are log-likelihood ratios already: draw them unchanged, too.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.
    """
    return _curves_of(result, bayes_error_curve, raw=raw, confidence=_level(bands, confidence))


def bayes_error_plot(curves: BayesErrorCurve | Sequence[BayesErrorCurve], *, ax: Axes | None = None) -> Axes:
    """Draw normalised Bayes error rates along prior log-odds.

    Parameters
    ----------
    curves : BayesErrorCurve or sequence of BayesErrorCurve
        Of `bayes_error_curve`. Lines are faint where fewer than 30 errors of a kind are behind them; the guide at 1 is
        the default system, which decides without a score.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    References
    ----------
    Brümmer & de Villiers, The BOSARIS toolkit, 2011; Doddington's rule of 30.

    Examples
    --------
    >>> import fairtrial as ft
    >>> data = ft.groups.synthetic_groups({"a": 20, "b": 20})
    >>> result = ft.calibrate(data.dev, data.test)
    >>> bayes_error_plot(ft.calibration.bayes_error_curve(result)).get_xlabel()
    'prior log-odds of a genuine trial'
    """
    systems = several(curves)
    caption = sentences(
        f"Normalised Bayes error, calibrated {calibrated_words(systems[0].kind)}; at 1 (grey line) decisions "
        f"without scores are as good. Faint: fewer than {SUPPORT} errors of a kind, left out above the axis",
        *_bands_in_words(systems),
    )
    with axes_for(ax, "bayes-error", caption) as (axes, pen):
        axes.axhline(1.0, color=GREY, linewidth=0.9, zorder=1)
        top = _highest([curve.calibrated.rates for curve in systems])
        for number, curve in enumerate(systems):
            for kind in _KINDS:
                errors = getattr(curve, kind)
                if errors is not None and kind == "calibrated":
                    faint = np.where(errors.rates <= top, errors.rates, np.nan)
                    _draw_kind(pen, number, kind, curve.log_odds, faint, alpha=_FAINT)
                    _draw_kind(pen, number, kind, curve.log_odds, np.where(errors.supported, errors.rates, np.nan))
                elif errors is not None:
                    _draw_kind(pen, number, kind, curve.log_odds, errors.rates, linewidth=1.1, marker="")
        _draw_over_priors(pen, systems, "normalised Bayes error on test", top)
        pen.explain(f"fewer than {SUPPORT} errors of a kind", linestyle="-", alpha=_FAINT)
        return axes


def cross_entropies(result: Calibrated, *, bands: Bands = "none", raw: bool = False, confidence: float = 0.95) -> Drawn:
    """Compute the empirical cross-entropy over prior log-odds.

    Parameters
    ----------
    result, bands, raw, confidence
        As of `bayes_errors`.
    """
    return _curves_of(result, ece_curve, raw=raw, confidence=_level(bands, confidence))


def ece_plot(curves: EceCurve | Sequence[EceCurve], *, ax: Axes | None = None) -> Axes:
    """Draw the empirical cross-entropy along prior log-odds.

    Parameters
    ----------
    curves : EceCurve or sequence of EceCurve
        Of `ece_curve`. The grey line is that of a likelihood ratio of 1 for every trial: above it, evidence misleads.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    References
    ----------
    Ramos & Gonzalez-Rodriguez, Reliable support: measuring calibration of likelihood ratios, 2013.

    Examples
    --------
    >>> import fairtrial as ft
    >>> data = ft.groups.synthetic_groups({"a": 20, "b": 20})
    >>> result = ft.calibrate(data.dev, data.test)
    >>> ece_plot(ft.calibration.ece_curve(result)).get_xlabel()
    'prior log-odds of a genuine trial'
    """
    systems = several(curves)
    caption = sentences(
        f"Empirical cross-entropy, calibrated {calibrated_words(systems[0].kind)}; at log-odds of 0: Cllr and "
        "min Cllr. Above the grey line, the likelihood ratio of 1 for every trial, evidence misleads",
        *_bands_in_words(systems),
    )
    with axes_for(ax, "ece", caption) as (axes, pen):
        for number, curve in enumerate(systems):
            for kind in _KINDS:
                bits = getattr(curve, kind)
                if bits is not None:
                    _draw_kind(pen, number, kind, curve.log_odds, bits)
        _draw_over_priors(pen, systems, "empirical cross-entropy on test (bits)", _highest_bits(systems))
        first = systems[0]
        axes.plot(first.log_odds, first.neutral, color=GREY, linewidth=0.9, zorder=1, label="no evidence (LR = 1)")
        return axes


def _highest_bits(curves: Sequence[EceCurve]) -> float:
    """Give the upper end of an axis of cross-entropy: near the curves, which may be far below no evidence."""
    top = max(float(np.fmax.reduce(curve.calibrated, initial=0.0)) for curve in curves)
    return min(max(2.0 * top, 0.05), _HIGHEST)


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
    methods : sequence of str, default ("logistic",)
        How scores are calibrated: logistic, pav, gaussian, kde; several give several maps.
    prior : float, default 0.5
        The prior probability of a genuine trial at which ``logistic`` and ``gaussian`` weigh the classes.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.
    cluster : {"none", "claim", "subject", "both"}, optional
        What dependent trials share; by default all known ids.
    n_resamples : int, default 1000
        The number of resamples of people for bands.
    """
    only_system(dev)
    systems = [
        calibrate(dev, test, method=name, prior=prior, confidence=confidence, cluster=cluster).systems[0]
        for name in dict.fromkeys(methods)
    ]
    if all(isinstance(system.calibration.influence, LinearInfluence) for system in systems):
        for name, value, usual in (("rng", rng, 0), ("n_resamples", n_resamples, 1000)):
            if value != usual:
                template = f"{{{name}!p}} applies to maps whose band resamples dev, as that of pav does"
                raise ParameterError(template, code="does-not-apply", **{name: 0})
    maps = [llr_map(system, confidence=confidence, n_resamples=n_resamples, rng=rng) for system in systems]
    return Drawn((maps,), {}, tuple(note for system in systems for note in system.notes))


def llr_map_plot(maps: LlrMap | Sequence[LlrMap], *, ax: Axes | None = None) -> Axes:
    """Draw log-likelihood ratios along the scores of one system, by one method of calibration or by several.

    Parameters
    ----------
    maps : LlrMap or sequence of LlrMap
        Of `llr_map`; those of several methods must be of one system, whose scores the axis has.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> import fairtrial as ft
    >>> data = ft.groups.synthetic_groups({"a": 20, "b": 20})
    >>> result = ft.calibrate(data.dev, data.test)
    >>> llr_map_plot(ft.calibration.llr_map(result)).get_xlabel()
    'score of system'
    """
    methods = several(maps)
    first = methods[0]
    systems = tuple(dict.fromkeys(method.system for method in methods))
    if len(systems) > 1:
        text = f"scores of {listed(systems)} have different scales: draw the maps of one system"
        raise ParameterError(text, code="several-scales")
    people = "trials taken as independent" if first.cluster == "none" else f"dev people, cluster {first.cluster}"
    by = [f"{method.method} by {'resampling dev' if method.resampled else 'its parameters'}" for method in methods]
    band = f"{level_text(first.confidence)} pointwise band"
    caption = (
        f"Maps from scores of {first.system} to log-likelihood ratios, fitted on dev. {band}s, {people}: "
        f"{', '.join(by)}."
    )
    with axes_for(ax, "llr-map", caption) as (axes, pen):
        axes.axhline(0.0, color=GREY, linewidth=0.9, zorder=1)
        for number, method in enumerate(methods):
            pen.band(number, method.scores, method.low, method.high)
            pen.line(number, method.scores, method.ratios, method.method)
        axes.set_xlim(*ends_of(first.scores))
        pen.scores("x", f"score of {legible(first.system)}", first.system)
        axes.set_ylabel(_RATIO)
        pen.explain_band(band)
        return axes


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
    of_scores : bool, default False
        Along the scores of one system, not its calibrated ratios.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.
    n_resamples : int, default 1000
        The number of resamples of people for bands.
    """
    if of_scores and len(getattr(result, "systems", (result,))) != 1:
        text = "{of_scores!p} are those of one system; choose it with {systems!p}"
        raise ParameterError(text, code="systems", of_scores=0, systems=0)
    options = {"of_scores": of_scores, "confidence": confidence, "n_resamples": n_resamples, "rng": rng}
    return _curves_of(result, pav_curve, **options)


def pav_plot(curves: PavCurve | Sequence[PavCurve], *, ax: Axes | None = None) -> Axes:
    """Draw the log-likelihood ratios that test gives against those of the calibration, or against scores.

    Parameters
    ----------
    curves : PavCurve or sequence of PavCurve
        Of `pav_curve`; only one if it is along scores. Infinite ratios have ticks of their own. The grey line is
        what dev says: if a band lies beside it, the evidence is too strong or too weak.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    References
    ----------
    Ramos & Gonzalez-Rodriguez 2013; Dimitriadis, Gneiting & Jordan 2021.

    Examples
    --------
    >>> import fairtrial as ft
    >>> data = ft.groups.synthetic_groups({"a": 20, "b": 20})
    >>> result = ft.calibrate(data.dev, data.test)
    >>> pav_plot(ft.calibration.pav_curve(result, n_resamples=20)).get_xlabel()
    'log-likelihood ratio, calibrated on dev, a priori'
    """
    systems = several(curves)
    first = systems[0]
    if len(systems) > 1 and any(curve.of_scores for curve in systems):
        text = "scores of several systems have several scales: draw one curve, or log-likelihood ratios"
        raise ParameterError(text, code="several-scales")
    (left, right), (bottom, top), up = _pav_limits(systems)
    calibrated, band = f"calibrated {calibrated_words(first.kind)}", f"{level_text(first.confidence)} pointwise band"
    caption = (
        f"Log-likelihood ratios by PAV on test, a posteriori, against those {calibrated}. Infinite: trials there are "
        f"of one class only. {band}s, {first.method}."
    )
    with axes_for(ax, "pav", caption) as (axes, pen):
        guide = first.guide if first.of_scores else ([left, right], [left, right])
        axes.plot(*guide, color=GREY, linewidth=0.9, zorder=1, label="perfect agreement")
        for number, curve in enumerate(systems):
            low, high, ratios = (
                np.clip(np.concatenate([values[:1], values]), bottom, top)
                for values in (curve.low, curve.high, curve.ratios)
            )
            pen.band(number, np.concatenate([[curve.start], curve.places]), low, high, step="pre")
            ends = np.concatenate([[curve.start], curve.ends])
            pen.line(number, ends, ratios, legible(curve.system), drawstyle="steps-pre")
        axes.set(xlim=(left, right), xlabel=f"{_RATIO}, {calibrated}")
        if first.of_scores:
            pen.scores("x", "score", first.system)
        axes.set(ylim=(up["low"], up["high"]), ylabel=f"{_RATIO} by PAV on test")
        places, texts = zip(*up["ticks"], strict=True)
        axes.set_yticks(places, labels=[text.replace("-", "\N{MINUS SIGN}") for text in texts])
        pen.explain_band(band)
        return axes


def _pav_limits(curves: Sequence[PavCurve]) -> tuple[Range, Range, Axis]:
    """Give limits that hold all guides and all that is finite above them, and an axis with room for infinite ratios."""
    left, right = (pick(end for curve in curves for end in curve.guide[0][[0, -1]]) for pick in (min, max))
    values = [np.zeros(1)]
    for curve in curves:
        within = (curve.places >= left) & (curve.places <= right)
        values += [curve.low[within], curve.high[within], curve.ratios, curve.guide[1]]
    bottom, top = padded(np.concatenate(values))
    axis = linear_axis(f"{_RATIO} on test", padded((bottom, top), room=0.04))
    ticks = [tick for tick in axis["ticks"] if bottom + axis["high"] - top < tick[0] < 2 * top - axis["high"]]
    for end, sign in ((bottom, -1), (top, 1)):
        if any((curve.ratios == sign * np.inf).any() for curve in curves):
            ticks.append((end, "\N{MINUS SIGN}\N{INFINITY}" if sign < 0 else "\N{INFINITY}"))
    return (float(left), float(right)), (bottom, top), {**axis, "ticks": tuple(sorted(ticks))}


def tippett_curves(result: Calibrated) -> Drawn:
    """Compute the proportions of trials above each log-likelihood ratio."""
    return _curves_of(result, tippett_curve)


def tippett_plot(curves: TippettCurve | Sequence[TippettCurve], *, ax: Axes | None = None) -> Axes:
    """Draw the proportions of both classes above each log-likelihood ratio.

    Parameters
    ----------
    curves : TippettCurve or sequence of TippettCurve
        Of `tippett_curve`. Solid: genuine trials, dashed: impostor trials; the legend has the shares whose evidence is
        for the wrong side of 0.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    References
    ----------
    Meuwly, Reconnaissance de locuteurs en sciences forensiques, 2001.

    Examples
    --------
    >>> import fairtrial as ft
    >>> data = ft.groups.synthetic_groups({"a": 20, "b": 20})
    >>> result = ft.calibrate(data.dev, data.test)
    >>> tippett_plot(ft.calibration.tippett_curve(result)).get_xlabel()
    'log-likelihood ratio'
    """
    systems = several(curves)
    calibrated = calibrated_words(systems[0].kind)
    caption = f"Tippett plot: test trials above each log-likelihood ratio, calibrated {calibrated}."
    with axes_for(ax, "tippett", caption) as (axes, pen):
        axes.axvline(0.0, color=GREY, linewidth=0.9, zorder=1)
        for number, curve in enumerate(systems):
            style: dict[str, Any] = {"markersize": 4, "markevery": (11 * number % _MARKERS_APART, _MARKERS_APART)}
            label = f"{legible(curve.system)}: {_misleading(curve)} on the wrong side"
            pen.marked_line(number, curve.ratios, curve.genuine, label, linestyle="-", **style)
            pen.marked_line(number, curve.ratios, curve.impostor, linestyle=(0, (4, 1.5)), **style)
        ends = min(curve.ratios[0] for curve in systems), max(curve.ratios[-1] for curve in systems)
        axes.set(xlim=ends, xlabel=_RATIO, ylim=(0, 1))
        pen.rates("y", "test trials above")
        pen.explain("genuine trials", linestyle="-")
        pen.explain("impostor trials", linestyle=(0, (4, 1.5)))
        return axes


def _misleading(curve: TippettCurve) -> str:
    wrong = curve.misleading
    return f"{percent(wrong.frr)} of genuine, {percent(wrong.far)} of impostor"


def _over_priors_chart(curve: BayesErrorCurve | EceCurve) -> dict[str, Any]:
    """Give the band of a calibrated system, its line and the minimum; infinite limits are above any axis."""
    assert curve.band is not None
    band = {"low": curve.band.low, "high": np.minimum(curve.band.high, _BEYOND)}
    if isinstance(curve, EceCurve):
        return {"band": band, "calibrated": curve.calibrated, "minimum": curve.minimum}
    errors = curve.calibrated
    lines = {"calibrated": errors.rates, "minimum": curve.minimum.rates, "supported": errors.supported.astype(int)}
    counts = {name: getattr(errors.counts, name) for name in ("false_accepts", "false_rejects")}
    return {"band": band, **lines, **counts}


def _pav_chart(curve: PavCurve) -> dict[str, Any]:
    """Give the chart `pav`; what is infinite is on the edge of the axes."""
    across, up, upwards = _pav_limits([curve])
    some = np.unique(np.linspace(0, len(curve.ends) - 1, _MOST_STEPS).astype(np.int64))
    return {
        "x": linear_axis(f"{_RATIO} from dev", across),
        "y": upwards,
        "at": np.clip([curve.start, *curve.ends[some]], *across),
        "steps": np.clip(curve.ratios[some], *up),
        "places": np.clip([curve.start, *curve.places], *across),
        "low": np.clip(curve.low, *up),
        "high": np.clip(curve.high, *up),
    }


def evidence_charts(results: Sequence[CalibratedSystem], *, confidence: float, rng: int) -> dict[str, Any]:
    """Compute the charts of calibrated systems, with as many points as a page can hold, and what they share.

    A fusion, whose map has more than one score, has no chart `map`, nor has a system without dev trials.
    """
    resampling: dict[str, Any] = {"confidence": confidence, "n_resamples": _RESAMPLES, "rng": rng}
    errors = [bayes_error_curve(result, confidence=confidence) for result in results]
    entropies = [ece_curve(result, confidence=confidence) for result in results]
    pavs = [pav_curve(result, **resampling) for result in results]
    systems: list[dict[str, Any]] = []
    for result, bayes, ece, pav in zip(results, errors, entropies, pavs, strict=True):
        charts = {"bayes": _over_priors_chart(bayes), "ece": _over_priors_chart(ece), "pav": _pav_chart(pav)}
        tippett = tippett_curve(result, points=_TIPPETT_POINTS)
        lines = {"genuine": tippett.genuine, "impostor": tippett.impostor, "misled": f"{_misleading(tippett)} trials"}
        charts["tippett"] = {"x": linear_axis(_RATIO, ends_of(tippett.ratios)), **lines}
        systems.append({"name": bayes.system, **charts, "map": None})
        if len(result.calibration.systems) == 1 and result.dev is not None:
            fitted = llr_map(result, points=_MAP_POINTS, **resampling)
            sign = int(as_in_files(fitted.system, 1))  # distances rise to the right, too
            axes = {"scores": linear_axis("score", ends_of(sign * fitted.scores[::sign]))}
            axes["y"] = linear_axis(_RATIO, padded([fitted.low, fitted.high]))
            limits = {"low": fitted.low[::sign], "high": fitted.high[::sign]}
            systems[-1]["map"] = {**axes, "llr": fitted.ratios[::sign], **limits}
    bayes, odds = errors[0], errors[0].log_odds
    assert bayes.band is not None
    level, calibrated = level_text(pavs[0].confidence), f"calibrated {calibrated_words(bayes.kind)}"
    around = f"{level} band, {GIVEN_CALIBRATION[bayes.band.threshold]}"
    highest = _highest([curve.calibrated.rates for curve in errors])
    shared = {
        "systems": systems,
        "together": len(systems) <= TOGETHER,
        "log_odds": odds,
        "priors": expit(odds),
        "band_odds": bayes.band.log_odds,
        "neutral": entropies[0].neutral,
        "odds": linear_axis("prior log-odds of a genuine trial", ends_of(odds)),
        "rates": linear_axis("normalised Bayes error", (0.0, highest)),
        "bits": linear_axis("cross-entropy (bits)", (0.0, _highest_bits(entropies))),
        "shares": linear_axis("trials above", (0.0, 1.0), percent=True),
        "captions": {
            "bayes": f"Normalised Bayes error on test, {calibrated}; dashed: the minimum (a posteriori); grey: "
            f"decisions without scores. Faint: fewer than {SUPPORT} errors of a kind. {around}",
            "ece": f"Empirical cross-entropy on test, {calibrated}; dashed: the minimum (a posteriori); grey: a "
            f"likelihood ratio of 1 for every trial. {around}",
            "pav": f"Log-likelihood ratios on test by pool-adjacent-violators (a posteriori) against those "
            f"{calibrated}; grey: where both are equal; {level} band, {pavs[0].method}",
            "map": f"From scores to log-likelihood ratios, fitted on dev; {level} band by dev's people",
        },
        "maps": any(system["map"] is not None for system in systems),
    }
    return dict(plain(shared))
