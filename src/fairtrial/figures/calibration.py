"""Draw figures of evidence: Bayes error, ECE, maps, PAV, Tippett; and give them to pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import expit, logit

from fairtrial.calibration.calibration import CalibratedSystem, calibrated_words
from fairtrial.calibration.curves import (
    BayesErrorCurve,
    EceCurve,
    LlrMap,
    PavCurve,
    PriorBand,
    TippettCurve,
    bayes_error_curve,
    ece_curve,
    llr_map,
    pav_curve,
    tippett_curve,
)
from fairtrial.calibration.measures import GIVEN_CALIBRATION
from fairtrial.core.errors import ParameterError
from fairtrial.core.words import level_text, listed, percent
from fairtrial.figures.style import (
    GREY,
    Axis,
    Floats,
    Range,
    axes_for,
    draw_band,
    draw_line,
    draw_marked_line,
    explain,
    explain_band,
    in_percent,
    legend_below,
    legible,
    linear_axis,
    padded,
    several,
)
from fairtrial.inference.decide import SUPPORT

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
_TOGETHER = 12
"""Systems that a page draws faintly behind the one that was chosen, at most."""
_RATIO = "log-likelihood ratio"


def _highest(lines: Sequence[Floats]) -> float:
    """Give the upper end of an axis along priors."""
    top = max(float(np.fmax.reduce(line, initial=0.0)) for line in lines)
    return min(max(1.05 * top, 1.05), _HIGHEST)


def _draw_over_priors(ax: Axes, curves: Sequence[BayesErrorCurve | EceCurve], label: str, top: float) -> None:
    """Draw bands, axes and legend of curves along prior log-odds, with the priors themselves above."""
    for number, curve in enumerate(curves):
        if curve.band is not None:
            draw_band(ax, number, curve.band.log_odds, curve.band.low, curve.band.high)
    low, high = float(curves[0].log_odds[0]), float(curves[0].log_odds[-1])
    ax.set(xlim=(low, high), xlabel="prior log-odds of a genuine trial", ylim=(0, top), ylabel=label)
    above = ax.secondary_xaxis("top", functions=(lambda x: x, lambda x: x))
    priors = [prior for prior in _PRIORS if low <= logit(prior) <= high]
    above.set_xticks([float(logit(prior)) for prior in priors], labels=[f"{prior:g}" for prior in priors])
    above.set_xlabel("prior of a genuine trial", fontsize="small")
    above.tick_params(labelsize="small")
    for number, curve in enumerate(curves):
        draw_marked_line(ax, number, [], [], legible(curve.system), markersize=4, linestyle="")
    for kind, (dashes, words) in _KINDS.items():
        if kind != "raw" or any(curve.raw is not None for curve in curves):
            where = f" {calibrated_words(curves[0].kind)}" if kind == "calibrated" else ""
            explain(ax, f"{words}{where}", linestyle=dashes)
    for band in dict.fromkeys(str(curve.band.described) for curve in curves if curve.band is not None):
        explain_band(ax, band.partition(",")[0])


def _priors_caption(curves: Sequence[BayesErrorCurve | EceCurve], what: str) -> str:
    bands = dict.fromkeys(str(curve.band.described) for curve in curves if curve.band is not None)
    return ". ".join([what, *bands]) + "."


def _draw_kind(ax: Axes, number: int, kind: str, log_odds: Floats, values: Floats, **more: Any) -> None:
    places = (3 * number % _APART, _APART)
    draw_marked_line(ax, number, log_odds, values, markersize=4, markevery=places, linestyle=_KINDS[kind][0], **more)


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
    >>> import numpy as np
    >>> import fairtrial as ft
    >>> genuine = np.arange(800) < 200
    >>> trials = ft.Trials.from_arrays(np.random.default_rng(0).normal(2.0 * genuine), genuine)
    >>> dev, test = (trials.rows(np.arange(start, 800, 2)) for start in (0, 1))
    >>> found = ft.calibrate(dev, test)
    >>> bayes_error_plot(ft.calibration.bayes_error_curve(found)).get_xlabel()
    'prior log-odds of a genuine trial'
    """
    shown = several(curves)
    with axes_for(ax, "bayes-error") as own:
        own.axhline(1.0, color=GREY, linewidth=0.9, zorder=1)
        top = _highest([curve.calibrated.rates for curve in shown])
        for number, curve in enumerate(shown):
            for kind in _KINDS:
                errors = getattr(curve, kind)
                if errors is not None and kind == "calibrated":
                    faint = np.where(errors.rates <= top, errors.rates, np.nan)
                    _draw_kind(own, number, kind, curve.log_odds, faint, alpha=_FAINT)
                    _draw_kind(own, number, kind, curve.log_odds, np.where(errors.supported, errors.rates, np.nan))
                elif errors is not None:
                    _draw_kind(own, number, kind, curve.log_odds, errors.rates, linewidth=1.1, marker="")
        _draw_over_priors(own, shown, "normalised Bayes error on test", top)
        explain(own, f"fewer than {SUPPORT} errors of a kind", linestyle="-", alpha=_FAINT)
        legend_below(own)
        return own


def bayes_error_caption(curves: BayesErrorCurve | Sequence[BayesErrorCurve]) -> str:
    """Say what a figure of Bayes errors shows."""
    what = (
        f"Normalised Bayes error, calibrated {calibrated_words(several(curves)[0].kind)}; at 1 (grey line) decisions "
        f"without scores are as good. Faint: fewer than {SUPPORT} errors of a kind, left out above the axis"
    )
    return _priors_caption(several(curves), what)


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
    >>> import numpy as np
    >>> import fairtrial as ft
    >>> genuine = np.arange(800) < 200
    >>> trials = ft.Trials.from_arrays(np.random.default_rng(0).normal(2.0 * genuine), genuine)
    >>> dev, test = (trials.rows(np.arange(start, 800, 2)) for start in (0, 1))
    >>> found = ft.calibrate(dev, test)
    >>> ece_plot(ft.calibration.ece_curve(found)).get_xlabel()
    'prior log-odds of a genuine trial'
    """
    shown = several(curves)
    with axes_for(ax, "ece") as own:
        for number, curve in enumerate(shown):
            for kind in _KINDS:
                bits = getattr(curve, kind)
                if bits is not None:
                    _draw_kind(own, number, kind, curve.log_odds, bits)
        _draw_over_priors(own, shown, "empirical cross-entropy on test (bits)", _highest_bits(shown))
        first = shown[0]
        own.plot(first.log_odds, first.neutral, color=GREY, linewidth=0.9, zorder=1, label="no evidence (LR = 1)")
        legend_below(own)
        return own


def ece_caption(curves: EceCurve | Sequence[EceCurve]) -> str:
    """Say what a figure of cross-entropy shows."""
    what = (
        f"Empirical cross-entropy, calibrated {calibrated_words(several(curves)[0].kind)}; at log-odds of 0: Cllr and "
        "min Cllr. Above the grey line, the likelihood ratio of 1 for every trial, evidence misleads"
    )
    return _priors_caption(several(curves), what)


def _highest_bits(curves: Sequence[EceCurve]) -> float:
    """Give the upper end of an axis of cross-entropy: near the curves, which may be far below no evidence."""
    top = max(float(np.fmax.reduce(curve.calibrated, initial=0.0)) for curve in curves)
    return min(max(2.0 * top, 0.05), _HIGHEST)


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
    >>> import numpy as np
    >>> import fairtrial as ft
    >>> genuine = np.arange(800) < 200
    >>> trials = ft.Trials.from_arrays(np.random.default_rng(0).normal(2.0 * genuine), genuine)
    >>> dev, test = (trials.rows(np.arange(start, 800, 2)) for start in (0, 1))
    >>> found = ft.calibrate(dev, test)
    >>> llr_map_plot(ft.calibration.llr_map(found)).get_xlabel()
    'score of system'
    """
    shown = several(maps)
    systems = dict.fromkeys(each.system for each in shown)
    if len(systems) > 1:
        text = f"scores of {listed(tuple(systems))} have scales of their own: draw the maps of one system"
        raise ParameterError(text, code="several-scales")
    with axes_for(ax, "llr-map") as own:
        own.axhline(0.0, color=GREY, linewidth=0.9, zorder=1)
        for number, each in enumerate(shown):
            draw_band(own, number, each.scores, each.low, each.high)
            draw_line(own, number, each.scores, each.ratios, each.method)
        first = shown[0]
        own.set(xlim=(float(first.scores[0]), float(first.scores[-1])), xlabel=f"score of {legible(first.system)}")
        own.set_ylabel(_RATIO)
        explain_band(own, f"{level_text(first.confidence)} pointwise band")
        legend_below(own)
        return own


def llr_map_caption(maps: LlrMap | Sequence[LlrMap]) -> str:
    """Say what a figure of maps shows."""
    shown = several(maps)
    first = shown[0]
    people = "trials taken as independent" if first.cluster == "none" else f"dev people, cluster {first.cluster}"
    by = [f"{each.method} by {'resampling dev' if each.resampled else 'its parameters'}" for each in shown]
    return (
        f"Maps from scores of {first.system} to log-likelihood ratios, fitted on dev. {level_text(first.confidence)} "
        f"pointwise bands, {people}: {', '.join(by)}."
    )


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
    >>> import numpy as np
    >>> import fairtrial as ft
    >>> genuine = np.arange(800) < 200
    >>> trials = ft.Trials.from_arrays(np.random.default_rng(0).normal(2.0 * genuine), genuine)
    >>> dev, test = (trials.rows(np.arange(start, 800, 2)) for start in (0, 1))
    >>> found = ft.calibrate(dev, test)
    >>> pav_plot(ft.calibration.pav_curve(found, n_resamples=20)).get_xlabel()
    'log-likelihood ratio, calibrated on dev, a priori'
    """
    shown = several(curves)
    if len(shown) > 1 and any(curve.of_scores for curve in shown):
        text = "scores of several systems have several scales: draw one curve, or log-likelihood ratios"
        raise ParameterError(text, code="several-scales")
    (left, right), (bottom, top), up = _pav_limits(shown)
    with axes_for(ax, "pav") as own:
        first = shown[0]
        calibrated = f"calibrated {calibrated_words(first.kind)}"
        guide = first.guide if first.of_scores else ([left, right], [left, right])
        own.plot(*guide, color=GREY, linewidth=0.9, zorder=1, label="perfect agreement")
        for number, curve in enumerate(shown):
            low, high, ratios = (
                np.clip(np.concatenate([values[:1], values]), bottom, top)
                for values in (curve.low, curve.high, curve.ratios)
            )
            draw_band(own, number, np.concatenate([[curve.start], curve.places]), low, high, step="pre")
            ends = np.concatenate([[curve.start], curve.ends])
            draw_line(own, number, ends, ratios, legible(curve.system), drawstyle="steps-pre")
        own.set(xlim=(left, right), xlabel="score" if first.of_scores else f"{_RATIO}, {calibrated}")
        own.set(ylim=(up.low, up.high), ylabel=f"{_RATIO} by PAV on test")
        places, texts = zip(*up.ticks, strict=True)
        own.set_yticks(places, labels=[text.replace("-", "\N{MINUS SIGN}") for text in texts])
        explain_band(own, f"{level_text(first.confidence)} pointwise band")
        legend_below(own)
        return own


def pav_caption(curves: PavCurve | Sequence[PavCurve]) -> str:
    """Say what a PAV figure shows."""
    first = several(curves)[0]
    return (
        f"Log-likelihood ratios by PAV on test, a posteriori, against those calibrated {calibrated_words(first.kind)}. "
        f"Infinite: trials there are of one class only. {level_text(first.confidence)} pointwise bands, {first.method}."
    )


def _pav_limits(curves: Sequence[PavCurve]) -> tuple[Range, Range, Axis]:
    """Give limits that hold all guides and all that is finite above them, and an axis with room for infinite ratios."""
    left, right = (pick(end for curve in curves for end in curve.guide[0][[0, -1]]) for pick in (min, max))
    values = [np.zeros(1)]
    for curve in curves:
        within = (curve.places >= left) & (curve.places <= right)
        values += [curve.low[within], curve.high[within], curve.ratios, curve.guide[1]]
    bottom, top = padded(np.concatenate(values))
    axis = linear_axis(f"{_RATIO} on test", padded((bottom, top), room=0.04))
    ticks = [tick for tick in axis.ticks if bottom + axis.high - top < tick[0] < 2 * top - axis.high]
    for end, sign in ((bottom, -1), (top, 1)):
        if any((curve.ratios == sign * np.inf).any() for curve in curves):
            ticks.append((end, "\N{MINUS SIGN}\N{INFINITY}" if sign < 0 else "\N{INFINITY}"))
    return (float(left), float(right)), (bottom, top), replace(axis, ticks=tuple(sorted(ticks)))


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
    >>> import numpy as np
    >>> import fairtrial as ft
    >>> genuine = np.arange(800) < 200
    >>> trials = ft.Trials.from_arrays(np.random.default_rng(0).normal(2.0 * genuine), genuine)
    >>> dev, test = (trials.rows(np.arange(start, 800, 2)) for start in (0, 1))
    >>> found = ft.calibrate(dev, test)
    >>> tippett_plot(ft.calibration.tippett_curve(found)).get_xlabel()
    'log-likelihood ratio'
    """
    shown = several(curves)
    with axes_for(ax, "tippett") as own:
        own.axvline(0.0, color=GREY, linewidth=0.9, zorder=1)
        for number, curve in enumerate(shown):
            style: dict[str, Any] = {"markersize": 4, "markevery": (11 * number % _MARKERS_APART, _MARKERS_APART)}
            label = f"{legible(curve.system)}: {_misleading(curve)} on the wrong side"
            draw_marked_line(own, number, curve.ratios, curve.genuine, label, linestyle="-", **style)
            draw_marked_line(own, number, curve.ratios, curve.impostor, linestyle=(0, (4, 1.5)), **style)
        ends = min(curve.ratios[0] for curve in shown), max(curve.ratios[-1] for curve in shown)
        own.set(xlim=ends, xlabel=_RATIO, ylim=(0, 1))
        in_percent(own.yaxis, "test trials above")
        explain(own, "genuine trials", linestyle="-")
        explain(own, "impostor trials", linestyle=(0, (4, 1.5)))
        legend_below(own)
        return own


def tippett_caption(curves: TippettCurve | Sequence[TippettCurve]) -> str:
    """Say what a Tippett plot shows."""
    kind = calibrated_words(several(curves)[0].kind)
    return f"Tippett plot: test trials above each log-likelihood ratio, calibrated {kind}."


def _misleading(curve: TippettCurve) -> str:
    wrong = curve.misleading
    return f"{percent(wrong.frr)} of genuine, {percent(wrong.far)} of impostor"


@dataclass(frozen=True, slots=True, eq=False)
class EvidenceCurves:
    """All curves of one calibrated system."""

    bayes: BayesErrorCurve
    ece: EceCurve
    tippett: TippettCurve
    pav: PavCurve
    map: LlrMap | None
    """None for a fusion, whose map has more than one score, and without dev trials."""

    @classmethod
    def of(cls, result: CalibratedSystem, *, confidence: float, rng: int) -> EvidenceCurves:
        """Compute the curves of a result of `calibrate`, with as many points as a page can hold."""
        drawn: dict[str, Any] = {"confidence": confidence, "n_resamples": _RESAMPLES, "rng": rng}
        has_map = len(result.calibration.systems) == 1 and result.dev is not None
        return cls(
            bayes_error_curve(result, confidence=confidence),
            ece_curve(result, confidence=confidence),
            tippett_curve(result, points=_TIPPETT_POINTS),
            pav_curve(result, **drawn),
            llr_map(result, points=_MAP_POINTS, **drawn) if has_map else None,
        )

    def to_dict(self) -> dict[str, Any]:
        """Give the charts `bayes`, `ece`, `tippett`, `pav` and `map`; what is infinite is on the edge of the axes."""
        bayes, ece, tippett, pav, fitted = self.bayes, self.ece, self.tippett, self.pav, self.map
        across, up, upwards = _pav_limits([pav])
        some = np.unique(np.linspace(0, len(pav.ends) - 1, _MOST_STEPS).astype(np.int64))
        return {
            "name": bayes.system,
            "bayes": {
                "band": _band(bayes.band),
                "calibrated": bayes.calibrated.rates.tolist(),
                "minimum": bayes.minimum.rates.tolist(),
                "supported": bayes.calibrated.supported.astype(int).tolist(),
                "false_accepts": bayes.calibrated.counts.false_accepts.tolist(),
                "false_rejects": bayes.calibrated.counts.false_rejects.tolist(),
            },
            "ece": {
                "band": _band(ece.band),
                "calibrated": ece.calibrated.tolist(),
                "minimum": ece.minimum.tolist(),
            },
            "tippett": {
                "x": linear_axis(_RATIO, (float(tippett.ratios[0]), float(tippett.ratios[-1]))).to_dict(),
                "genuine": tippett.genuine.tolist(),
                "impostor": tippett.impostor.tolist(),
                "misled": f"{_misleading(tippett)} trials",
            },
            "pav": {
                "x": linear_axis(f"{_RATIO} from dev", across).to_dict(),
                "y": upwards.to_dict(),
                "at": np.clip([pav.start, *pav.ends[some]], *across).tolist(),
                "steps": np.clip(pav.ratios[some], *up).tolist(),
                "places": np.clip([pav.start, *pav.places], *across).tolist(),
                "low": np.clip(pav.low, *up).tolist(),
                "high": np.clip(pav.high, *up).tolist(),
            },
            "map": None
            if fitted is None
            else {
                "scores": linear_axis("score", (float(fitted.scores[0]), float(fitted.scores[-1]))).to_dict(),
                "y": linear_axis(_RATIO, padded([fitted.low, fitted.high])).to_dict(),
                "llr": fitted.ratios.tolist(),
                "low": fitted.low.tolist(),
                "high": fitted.high.tolist(),
            },
        }


def _band(band: PriorBand | None) -> dict[str, Any]:
    assert band is not None
    return {"low": band.low.tolist(), "high": np.minimum(band.high, _BEYOND).tolist()}


def evidence_charts(systems: Sequence[EvidenceCurves]) -> dict[str, Any]:
    """Give the charts of several systems, with the axes and captions they share."""
    bayes, pav, odds = systems[0].bayes, systems[0].pav, systems[0].bayes.log_odds
    assert bayes.band is not None
    level, calibrated = level_text(pav.confidence), f"calibrated {calibrated_words(bayes.kind)}"
    around = f"{level} band, {GIVEN_CALIBRATION[bayes.band.threshold]}"
    rates, bits = (
        _highest([own.bayes.calibrated.rates for own in systems]),
        _highest_bits([own.ece for own in systems]),
    )
    return {
        "systems": [own.to_dict() for own in systems],
        "together": len(systems) <= _TOGETHER,
        "log_odds": odds.tolist(),
        "priors": expit(odds).tolist(),
        "band_odds": bayes.band.log_odds.tolist(),
        "neutral": systems[0].ece.neutral.tolist(),
        "odds": linear_axis("prior log-odds of a genuine trial", (float(odds[0]), float(odds[-1]))).to_dict(),
        "rates": linear_axis("normalised Bayes error", (0.0, rates)).to_dict(),
        "bits": linear_axis("cross-entropy (bits)", (0.0, bits)).to_dict(),
        "shares": linear_axis("trials above", (0.0, 1.0), percent=True).to_dict(),
        "captions": {
            "bayes": f"Normalised Bayes error on test, {calibrated}; dashed: the minimum (a posteriori); grey: "
            f"decisions without scores. Faint: fewer than {SUPPORT} errors of a kind. "
            f"{around}",
            "ece": f"Empirical cross-entropy on test, {calibrated}; dashed: the minimum (a posteriori); grey: a "
            f"likelihood ratio of 1 for every trial. {around}",
            "pav": f"Log-likelihood ratios on test by pool-adjacent-violators (a posteriori) against those "
            f"{calibrated}; grey: where both are equal; {level} band, {pav.method}",
            "map": f"From scores to log-likelihood ratios, fitted on dev; {level} band by dev's people",
        },
        "maps": any(own.map is not None for own in systems),
    }
