"""Expected performance curves: one, two compared, pooled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fairtrial import Trials, compare_curves, evaluate, performance_curve, run_benchmark
from fairtrial.benchmark import Benchmark, BenchmarkSet, SystemInfo, compare_pooled, pooled_band
from fairtrial.core.words import wording
from fairtrial.evaluation import alpha_grid, curve_band
from fairtrial.figures.epc import epc_comparison_plot, epc_plot, epc_significance_plot, pooled_epc_plot, spans
from fairtrial.inference import make_blocks
from figures.drawn import caption, curve_of, refused


def test_epc_lines_bands_and_points(dev: Trials, test: Trials, ax: Axes) -> None:
    curves = [curve_of(dev, test, name) for name in ("face", "voice")]
    bands = {"voice": curve_band(curves[1])}
    point = evaluate(dev, test, systems="face", criterion="wer-min")
    assert epc_plot(curves, bands=bands, points=[point], ax=ax) is ax
    for curve, line in zip(curves, ax.lines, strict=False):
        np.testing.assert_array_equal(line.get_xydata(), np.stack([curve.alpha, curve.hter], 1))
    corners = ax.collections[0].get_paths()[0].vertices
    for alpha, low, high in zip(bands["voice"].alpha, bands["voice"].low, bands["voice"].high, strict=True):
        heights = np.asarray(corners)[np.asarray(corners)[:, 0] == alpha, 1]
        assert {low, high} <= set(heights.tolist())
    marker, _, bars = ax.containers[0].lines  # type: ignore[attr-defined]
    assert marker.get_ydata()[0] == point.test.hter
    assert abs(marker.get_xdata()[0] - 0.5) < 0.01
    np.testing.assert_allclose(bars[0].get_segments()[0][:, 1], point.interval().interval)
    assert ax.get_ylabel() == "HTER on test (%)"
    assert ax.get_title() == ""
    assert ax.get_legend_handles_labels()[1] == ["face", "voice", "95 % pointwise band"]
    words = caption("epc", curves, bands=bands, points=[point])
    assert "95 % pointwise bands, threshold re-estimated. Points with 95 % intervals, threshold re-estimated" in words
    fixed = curve_band(curves[1], threshold="fixed")
    assert "given these thresholds" in caption("epc", curves[1], bands={"voice": fixed})


def test_epc_ends_of_alpha_do_not_flatten_the_rest(dev: Trials, test: Trials, ax: Axes) -> None:
    curve = curve_of(dev, test, "voice")
    inner = curve.hter[(curve.alpha >= 0.03) & (curve.alpha <= 0.97)].max()
    assert curve.hter.max() > 2 * inner
    epc_plot(curve, ax=ax)
    np.testing.assert_allclose(ax.get_ylim(), (0, 1.4 * inner))
    assert f"HTER above {140 * inner:.2f} %, at the ends of alpha, is cut off" in caption("epc", curve)


def test_epc_by_folds_says_held_out(dev: Trials, ax: Axes) -> None:
    curve = performance_curve(dev, folds=make_blocks(dev, 4), system="face", alphas=alpha_grid(5))
    epc_plot(curve, ax=ax)
    assert ax.get_ylabel() == "HTER on held-out trials (%)"
    assert "a priori (cross-validated), threshold by wer-min from other folds" in caption("epc", curve)


def test_epc_in_the_terms_of_iso(dev: Trials, test: Trials) -> None:
    a, b = curve_of(dev, test, "face"), curve_of(dev, test, "voice")
    comparison = compare_curves(a, b, method="independent")
    with wording(terms="iso"):
        drawn = (
            epc_plot(a),
            epc_comparison_plot(a, b, comparison),
            epc_significance_plot(a, b, comparison)[1],
        )
    for ax in drawn:
        assert ax.get_xlabel() == "alpha, the weight of FMR, by wer-min"


def test_epc_of_another_measure(dev: Trials, test: Trials, ax: Axes) -> None:
    f1 = curve_of(dev, test, "face", "f1")
    epc_plot(f1, ax=ax)
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), f1.value)
    assert ax.get_ylabel().startswith("F1")
    with refused("several-measures"):
        epc_plot([f1, curve_of(dev, test, "voice")], ax=ax)
    with refused("no-such-curve"):
        epc_plot(f1, points=[evaluate(dev, test, systems="voice")], ax=ax)


def test_figures_of_the_same_trials_are_not_a_priori(dev: Trials) -> None:
    a, b = (curve_of(dev, dev, name) for name in ("face", "voice"))
    comparison = compare_curves(a, b, threshold="fixed")
    for words in (
        caption("epc", a),
        caption("epc-compare", a, b, comparison),
        caption("epc-significance", a, b, comparison),
    ):
        assert "a posteriori, threshold by wer-min on the same trials" in words
        assert "a priori" not in words


def test_spans_reach_half_way_to_the_next_alpha() -> None:
    alpha = np.array([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
    chosen = np.array([True, True, False, True, False, True])
    np.testing.assert_allclose(spans(alpha, chosen), [(0, 0.3), (0.5, 0.7), (0.9, 1.0)])
    assert spans(alpha, ~chosen & chosen) == []


def test_regions_are_shaded_for_the_better_system(dev: Trials, test: Trials, ax: Axes) -> None:
    a, b = curve_of(dev, test, "face"), curve_of(dev, test, "voice")
    comparison = compare_curves(a, b, method="independent")
    assert comparison.different.any()
    epc_comparison_plot(a, b, comparison, ax=ax)
    better = comparison.different & (comparison.statistic > 0)
    worse = comparison.different & (comparison.statistic < 0)
    for hatched in (False, True):
        patches: list[Any] = [patch for patch in ax.patches if bool(patch.get_hatch()) == hatched]
        shaded = sorted((patch.get_x(), patch.get_x() + patch.get_width()) for patch in patches)
        np.testing.assert_allclose(shaded, sorted(spans(a.alpha, better) + spans(a.alpha, worse)))
    words = ax.get_legend_handles_labels()[1]
    assert words[:2] == ["face", "voice"]
    assert ("voice significantly better" in words) == better.any()
    with refused("other-systems"):
        epc_comparison_plot(b, a, comparison, ax=ax)
    with refused("several-measures"):
        epc_comparison_plot(curve_of(dev, test, "face", "wer"), curve_of(dev, test, "voice", "wer"), comparison, ax=ax)


def test_curves_stay_readable_where_one_system_is_always_better(ax: Axes) -> None:
    rng = np.random.default_rng(0)
    genuine = np.arange(4000) < 1000
    scores = rng.normal(size=(4000, 2)) + np.outer(genuine, [1.0, 4.0])
    trials = Trials.from_arrays(scores, genuine, systems=["bad", "good"])
    alphas = np.linspace(0.1, 0.9, 9)
    a, b = (performance_curve(trials, trials, system=name, alphas=alphas) for name in ("bad", "good"))
    comparison = compare_curves(a, b)
    assert comparison.different.all()
    epc_comparison_plot(a, b, comparison, ax=ax)
    over: list[Any] = [patch for patch in ax.patches if not patch.get_hatch()]
    assert [patch.get_alpha() < 0.1 for patch in over] == [True]
    (strip,) = (patch for patch in ax.patches if patch.get_hatch())
    # within the axes, above the curves
    assert strip.get_y() + strip.get_height() == 1  # type: ignore[attr-defined]
    assert strip.get_y() * ax.get_ylim()[1] > max(a.hter.max(), b.hter.max())  # type: ignore[attr-defined]


def test_the_better_system_has_the_higher_f1(dev: Trials, test: Trials, ax: Axes) -> None:
    a, b = curve_of(dev, test, "face", "f1"), curve_of(dev, test, "voice", "f1")
    comparison = compare_curves(a, b, method="bootstrap", n_resamples=200)
    assert (b.value[comparison.different] > a.value[comparison.different]).all()
    assert comparison.different.any()
    epc_comparison_plot(a, b, comparison, ax=ax)
    assert ax.get_ylabel() == "F1 on test (%)"
    words = ax.get_legend_handles_labels()[1]
    assert "voice significantly better" in words
    assert "face significantly better" not in words


@pytest.mark.parametrize(
    ("threshold", "words"), [("re-estimated", "threshold re-estimated"), ("fixed", "given these thresholds")]
)
def test_regions_say_what_became_of_the_threshold(dev: Trials, test: Trials, threshold: str, words: str) -> None:
    a, b = (curve_of(dev, test, name) for name in ("face", "voice"))
    comparison = compare_curves(a, b, threshold=threshold)  # type: ignore[arg-type]
    for name in ("epc-compare", "epc-significance"):
        assert words in caption(name, a, b, comparison)


def test_figures_say_where_nothing_is_claimed(dev: Trials, test: Trials) -> None:
    a, b = (curve_of(dev, test, name) for name in ("face", "voice"))
    comparison = compare_curves(a, b)
    assert not comparison.supported.all()
    words = "where dev lacks errors"
    for name in ("epc-compare", "epc-significance"):
        assert words in caption(name, a, b, comparison)
    fixed = compare_curves(a, b, threshold="fixed")
    assert words not in caption("epc-compare", a, b, fixed)


def test_significance_panels_share_alpha(dev: Trials, test: Trials) -> None:
    a, b = curve_of(dev, test, "face"), curve_of(dev, test, "finger")
    comparison = compare_curves(a, b)
    upper, lower = epc_significance_plot(a, b, comparison, figure=Figure())
    np.testing.assert_array_equal(upper.lines[0].get_ydata(), a.hter)
    np.testing.assert_array_equal(upper.lines[1].get_ydata(), b.hter)
    np.testing.assert_array_equal(lower.lines[0].get_ydata(), comparison.worse)
    assert [float(np.asarray(line.get_ydata())[0]) for line in lower.lines[1:]] == [0.1, 0.5, 0.9]
    assert upper.get_shared_x_axes().joined(upper, lower)
    with refused("levels"):
        epc_significance_plot(a, b, comparison, levels=[90], figure=Figure())


def small_benchmark(dev: Trials, test: Trials) -> Benchmark:
    infos = tuple(
        SystemInfo(name, kind, name, "C") for name, kind in (("face", "seen"), ("voice", "heard"), ("finger", "seen"))
    )
    return Benchmark("small", "small", (BenchmarkSet("S", dev, test, infos),), synthetic=True)


def test_pooled_curves_by_group_and_by_method(dev: Trials, test: Trials, ax: Axes) -> None:
    benchmark = small_benchmark(dev, test)
    runs = [run_benchmark(benchmark, fusions=name, points=11).runs[0] for name in ("mean", "max")]
    pooled_epc_plot(runs[0], ax=ax)
    assert len(ax.lines) == len(runs[0].pooled)
    for line, curve in zip(ax.lines, runs[0].pooled.values(), strict=True):
        np.testing.assert_array_equal(line.get_ydata(), curve.hter)
    assert "small (synthetic)" in caption("pooled-epc", runs[0])
    assert "A priori, threshold by wer-equal on dev" in caption("pooled-epc", runs[0])
    assert ax.get_legend_handles_labels()[1][0] == "all (3)"
    both = pooled_epc_plot(runs, group="S: multimodal")
    assert both.get_legend_handles_labels()[1] == ["mean", "max"]
    np.testing.assert_array_equal(both.lines[1].get_ydata(), runs[1].pooled["S: multimodal"].hter)
    methods = run_benchmark(benchmark, fusions=["mean", "max"], points=11)
    assert methods.plot(group="S: multimodal").get_legend_handles_labels()[1] == ["mean", "max"]
    with refused("no-such-group"):
        pooled_epc_plot(runs, group="ears")
    with refused("nothing-to-draw"):
        pooled_epc_plot([])


def test_bands_and_regions_of_two_methods(dev: Trials, test: Trials, ax: Axes) -> None:
    benchmark = small_benchmark(dev, test)
    runs = [run_benchmark(benchmark, fusions=name, points=11, keep_scores=True).runs[0] for name in ("mean", "min")]
    bands = {run.label: pooled_band(run) for run in runs}
    comparison = compare_pooled(*runs, confidence=0.5)
    pooled_epc_plot(runs, bands=bands, comparison=comparison, ax=ax)
    assert len(ax.collections) == 2 + 1  # and an entry of the legend
    assert len(ax.patches) == len(comparison.regions) > 0
    words = caption("pooled-epc", runs, bands=bands, comparison=comparison)
    assert "95 % band, pointwise, threshold re-estimated. Grey: they differ, 50 % confidence" in words
    same = compare_pooled(runs[0], runs[0])
    assert "They differ nowhere, 95 %" in caption("pooled-epc", runs, comparison=same)
