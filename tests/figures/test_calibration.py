"""Figures of evidence: what is drawn where, and what pages get."""

from __future__ import annotations

import math

import numpy as np
import pytest
from matplotlib.axes import Axes

import fairtrial as ft
from fairtrial.core.words import percent
from fairtrial.figures.calibration import (
    bayes_error_plot,
    ece_plot,
    evidence_charts,
    llr_map_plot,
    pav_plot,
    tippett_plot,
)
from fairtrial.figures.style import GREY
from figures.drawn import caption, refused
from simulated import crossed


def test_lines_are_the_rates_and_faint_without_support(dev: ft.Trials, test: ft.Trials, ax: Axes) -> None:
    curves = [
        ft.calibration.bayes_error_curve(ft.calibrate(dev, test, systems=[name]), raw=True)
        for name in ("face", "voice")
    ]
    assert bayes_error_plot(curves, ax=ax) is ax
    drawn = [line for line in ax.lines if len(np.atleast_1d(line.get_xdata())) == 71]
    assert len(drawn) == 2 * (2 + 1 + 1)  # only what is calibrated is faint without support
    faint, sure = drawn[0], drawn[1]
    rates = curves[0].calibrated.rates
    np.testing.assert_array_equal(faint.get_ydata(), np.where(rates <= ax.get_ylim()[1], rates, np.nan))
    assert faint.get_alpha() is not None
    shown = np.asarray(sure.get_ydata(), dtype=float)
    np.testing.assert_array_equal(np.isfinite(shown), curves[0].calibrated.supported)
    np.testing.assert_array_equal(shown[np.isfinite(shown)], curves[0].calibrated.rates[np.isfinite(shown)])
    assert drawn[0].get_color() != drawn[4].get_color()
    assert [line.is_dashed() for line in drawn[:4]] == [False, False, True, True]
    guide = ax.lines[0]
    assert (guide.get_color(), set(np.atleast_1d(guide.get_ydata()).tolist())) == (GREY, {1.0})
    labels = ax.get_legend_handles_labels()[1]
    assert labels[:2] == ["face", "voice"]
    assert "calibrated on dev, a priori" in labels
    assert "fewer than 30 errors of a kind" in labels
    assert "fewer than 30 errors" in caption("bayes-error", curves)
    assert ax.get_title() == ""


def test_same_trials_are_not_a_priori(dev: ft.Trials, ax: Axes) -> None:
    bayes_error_plot(ft.calibration.bayes_error_curve(ft.calibrate(dev, dev, systems=["face"])), ax=ax)
    labels = ax.get_legend_handles_labels()[1]
    assert "calibrated on the same trials, a posteriori" in labels
    assert "raw scores" not in labels


def test_nothing_to_draw() -> None:
    with refused("nothing-to-draw"):
        bayes_error_plot([])


def test_lines_are_the_entropies(dev: ft.Trials, test: ft.Trials, ax: Axes) -> None:
    curve = ft.calibration.ece_curve(ft.calibrate(dev, test, systems=["face"]), raw=True)
    assert ece_plot(curve, ax=ax) is ax
    drawn = [line.get_ydata() for line in ax.lines if len(np.atleast_1d(line.get_xdata())) == 71]
    for line, values in zip(drawn, (curve.calibrated, curve.minimum, curve.raw, curve.neutral), strict=True):
        np.testing.assert_array_equal(line, values)
    assert ax.get_legend_handles_labels()[1] == [
        "face", "calibrated on dev, a priori", "minimum, a posteriori", "raw scores", "no evidence (LR = 1)",
    ]  # fmt: skip
    # the axis ends near the curves
    assert ax.get_ylim()[1] == pytest.approx(min(2 * np.nanmax(curve.calibrated), 1.3))
    assert not ax.collections
    (above,) = ax.child_axes
    priors = [text.get_text() for text in above.get_xticklabels()]
    np.testing.assert_allclose(above.get_xticks(), [np.log(float(p) / (1 - float(p))) for p in priors])


def test_band_is_drawn_and_named(dev: ft.Trials, test: ft.Trials, ax: Axes) -> None:
    curve = ft.calibration.ece_curve(ft.calibrate(dev, test, systems=["face"]), confidence=0.9)
    ece_plot(curve, ax=ax)
    assert curve.band is not None
    corners = np.asarray(ax.collections[0].get_paths()[0].vertices)
    assert {*curve.band.low.tolist(), *curve.band.high.tolist()} <= set(corners[:, 1].tolist())
    assert "90 % pointwise bands, calibration re-estimated" in caption("ece", curve)
    assert "90 % pointwise bands" in ax.get_legend_handles_labels()[1]


def test_maps_of_two_methods(dev: ft.Trials, test: ft.Trials, ax: Axes) -> None:
    methods = ("logistic", "pav")
    maps = [
        ft.calibration.llr_map(ft.calibrate(dev, test, systems=["face"], method=method), n_resamples=50)
        for method in methods
    ]
    assert llr_map_plot(maps, ax=ax) is ax
    lines = [line for line in ax.lines[1:] if line.get_gid() != "band edge"]
    for fitted, line, band in zip(maps, lines, ax.collections[:2], strict=True):
        np.testing.assert_array_equal(line.get_xydata(), np.stack([fitted.scores, fitted.ratios], 1))
        corners = np.asarray(band.get_paths()[0].vertices)
        assert set(fitted.low.tolist()) | set(fitted.high.tolist()) <= set(corners[:, 1].tolist())
    assert ax.get_legend_handles_labels()[1] == ["logistic", "pav", "95 % pointwise band"]
    assert "logistic by its parameters, pav by resampling dev" in caption("llr-map", maps)
    other = ft.calibration.llr_map(ft.calibrate(dev, test, systems=["voice"]))
    with refused("several-scales"):
        llr_map_plot([maps[0], other], ax=ax)


def test_steps_band_and_guide(dev: ft.Trials, test: ft.Trials, ax: Axes) -> None:
    curve = ft.calibration.pav_curve(ft.calibrate(dev, test, systems=["face"]), n_resamples=50)
    assert pav_plot(curve, ax=ax) is ax
    guide, line = [line for line in ax.lines if line.get_gid() != "band edge"]
    assert guide.get_label() == "perfect agreement"
    np.testing.assert_array_equal(guide.get_xdata(), guide.get_ydata())
    assert line.get_drawstyle() == "steps-pre"
    bottom, top = ax.get_ylim()
    heights = np.asarray(line.get_ydata(), dtype=float)[1:]
    finite = np.isfinite(curve.ratios)
    np.testing.assert_array_equal(heights[finite], curve.ratios[finite])
    assert not finite.all()
    ticks = {label.get_text(): at for label, at in zip(ax.get_yticklabels(), ax.get_yticks(), strict=True)}
    infinite = {
        sign * np.inf: ticks.get(word) for sign, word in ((1, "\N{INFINITY}"), (-1, "\N{MINUS SIGN}\N{INFINITY}"))
    }
    assert heights[~finite].tolist() == [infinite[ratio] for ratio in curve.ratios[~finite]]
    assert all(bottom < height < top for height in heights)  # off the frame
    corners = np.asarray(ax.collections[0].get_paths()[0].vertices)
    inner = np.isfinite(curve.low) & np.isfinite(curve.high)
    assert inner.any()
    for place, low, high in zip(curve.places[inner], curve.low[inner], curve.high[inner], strict=True):
        assert {low, high} <= set(corners[corners[:, 0] == place, 1].tolist())
    assert "people resampled, cluster both" in caption("pav", curve)


def test_along_scores_the_guide_is_the_calibration(dev: ft.Trials, test: ft.Trials, ax: Axes) -> None:
    result = ft.calibrate(dev, test, systems=["face"])
    curve = ft.calibration.pav_curve(result, of_scores=True, n_resamples=20)
    pav_plot(curve, ax=ax)
    drawn = np.asarray(ax.lines[0].get_xydata(), dtype=np.float64)
    weight, offset = (result.calibration.parameters[name] for name in ("weights", "offset"))
    np.testing.assert_allclose(drawn[:, 1], weight * drawn[:, 0] + offset)
    assert ax.get_xlabel() == "score"
    with refused("several-scales"):
        pav_plot([curve, curve], ax=ax)


def test_lines_are_the_shares(dev: ft.Trials, test: ft.Trials, ax: Axes) -> None:
    curves = [
        ft.calibration.tippett_curve(ft.calibrate(dev, test, systems=[name]), points=51) for name in ("face", "voice")
    ]
    assert tippett_plot(curves, ax=ax) is ax
    drawn = [line for line in ax.lines if len(np.atleast_1d(line.get_xdata())) == 51]
    for curve, pair in zip(curves, (drawn[:2], drawn[2:]), strict=True):
        for line, values in zip(pair, (curve.genuine, curve.impostor), strict=True):
            np.testing.assert_array_equal(line.get_xydata(), np.stack([curve.ratios, values], 1))
        assert pair[0].get_linestyle() != pair[1].get_linestyle()
    wrong = curves[0].misleading
    label = f"face: {percent(wrong.frr)} of genuine, {percent(wrong.far)} of impostor on the wrong side"
    assert ax.get_legend_handles_labels()[1][0] == label
    assert ax.get_xlim()[0] < 0 < ax.get_xlim()[1]


@pytest.fixture(scope="module")
def sets() -> tuple[ft.Trials, ft.Trials]:
    dev, test = (crossed(np.random.default_rng(k), effect=0.5, start=1000 * k) for k in (1, 2))
    return dev, test


def test_page_gets_the_curves(sets: tuple[ft.Trials, ft.Trials]) -> None:
    (result,) = ft.calibrate(*sets, systems=["a"])
    shown = evidence_charts([result], confidence=0.9, rng=3)
    (system,) = shown["systems"]
    bayes, ece = ft.calibration.bayes_error_curve(result, confidence=0.9), ft.calibration.ece_curve(result)
    assert bayes.band is not None
    assert system["bayes"]["band"]["high"] == bayes.band.high.tolist()
    assert system["bayes"]["calibrated"] == bayes.calibrated.rates.tolist()
    assert system["bayes"]["supported"] == bayes.calibrated.supported.tolist()
    assert system["ece"]["minimum"] == ece.minimum.tolist()
    assert shown["neutral"] == ece.neutral.tolist()
    assert shown["priors"] == pytest.approx([1 / (1 + math.exp(-odds)) for odds in shown["log_odds"]])
    pav = ft.calibration.pav_curve(result, confidence=0.9, n_resamples=400, rng=3)
    drawn = system["pav"]
    values = [pav.low, pav.high, pav.ratios, pav.guide[1], np.zeros(1)]
    finite = np.concatenate([each[np.isfinite(each)] for each in values])
    room = 0.06 * (finite.max() - finite.min())
    low, high = finite.min() - room, finite.max() + room
    assert drawn["y"]["low"] < low < high < drawn["y"]["high"]
    left, right = drawn["x"]["low"], drawn["x"]["high"]
    assert drawn["steps"] == np.clip(pav.ratios, low, high).tolist()
    assert drawn["at"] == np.clip([pav.start, *pav.ends], left, right).tolist()
    assert drawn["low"] == np.clip(pav.low, low, high).tolist()
    assert drawn["places"] == np.clip([pav.start, *pav.places], left, right).tolist()
    assert "90 % band, people resampled" in shown["captions"]["pav"]
    fitted, tippett = ft.calibration.llr_map(result, points=121), ft.calibration.tippett_curve(result, points=161)
    assert system["map"]["llr"] == fitted.ratios.tolist()
    assert system["tippett"]["genuine"] == tippett.genuine.tolist()
    for axis, places in ((system["map"]["scores"], fitted.scores), (system["tippett"]["x"], tippett.ratios)):
        assert np.linspace(axis["low"], axis["high"], len(places)) == pytest.approx(places)
    assert shown["maps"]


def test_a_fusion_has_no_map(sets: tuple[ft.Trials, ft.Trials]) -> None:
    shown = evidence_charts([ft.calibrate(*sets, fuse=True).systems[0]], confidence=0.95, rng=0)
    assert shown["systems"][0]["map"] is None
    assert not shown["maps"]


def test_infinite_evidence_can_be_shown() -> None:
    genuine = np.arange(200) < 100
    scores = np.random.default_rng(0).normal(2.0 * genuine)
    dev = ft.Trials.from_arrays(scores, genuine)
    test = ft.Trials.from_arrays(np.where(np.arange(200) == 0, -np.inf, scores), genuine)
    (result,) = ft.calibrate(dev, test)
    assert result.test[0] == np.inf
    shown = evidence_charts([result], confidence=0.95, rng=0)
    assert shown["bits"]["high"] == 1.3
    assert shown["systems"][0]["ece"]["band"]["high"] == [1000.0] * 25


def test_axes_hold_evidence_that_misleads(sets: tuple[ft.Trials, ft.Trials]) -> None:
    dev, test = sets
    turned = ft.Trials.from_arrays(-test.scores, test.genuine, systems=test.systems)
    shown = evidence_charts([ft.calibrate(dev, turned, systems=["a"]).systems[0]], confidence=0.95, rng=0)
    assert shown["rates"]["high"] == shown["bits"]["high"] == 1.3
