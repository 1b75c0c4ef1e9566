"""Two expected performance curves with their regions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes

from fairtrial import (
    FairtrialError,
    Trials,
    compare_curves,
    performance_curve,
)
from fairtrial.plots import epc_comparison_plot, epc_significance_plot
from fairtrial.plots.epc_compare import spans
from plots.drawn import curve_of


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
    with pytest.raises(FairtrialError, match="comparison is of face and voice"):
        epc_comparison_plot(b, a, comparison, ax=ax)
    with pytest.raises(FairtrialError, match="comparison is of HTER; these curves show WER"):
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
    over: list[Any] = [patch for patch in ax.patches if patch.get_y() < 1]  # type: ignore[attr-defined]
    assert [(patch.get_hatch(), patch.get_alpha() < 0.1) for patch in over] == [(None, True)]
    (strip,) = (patch for patch in ax.patches if patch.get_hatch())
    assert strip.get_y() >= 1  # type: ignore[attr-defined]
    assert not strip.get_clip_on()


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
    assert words in epc_comparison_plot(a, b, comparison).get_title(loc="left")
    assert words in epc_significance_plot(a, b, comparison)[1].get_title(loc="left")


def test_figures_say_where_nothing_is_claimed(dev: Trials, test: Trials) -> None:
    a, b = (curve_of(dev, test, name) for name in ("face", "voice"))
    comparison = compare_curves(a, b)
    assert not comparison.supported.all()
    words = "where dev lacks errors"
    assert words in epc_comparison_plot(a, b, comparison).get_title(loc="left")
    assert words in epc_significance_plot(a, b, comparison)[1].get_title(loc="left")
    fixed = compare_curves(a, b, threshold="fixed")
    assert words not in epc_comparison_plot(a, b, fixed).get_title(loc="left")
