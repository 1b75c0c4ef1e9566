"""Densities, rates and curve of a system."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure

from fairtrial import FairtrialError, Trials, choose_thresholds, count_errors
from fairtrial.plots import diagnostic_plot, diagnostics


def test_diagnostic_panels(dev: Trials, test: Trials) -> None:
    (found,) = diagnostics(dev, test, systems=["voice"], alpha=0.3, criterion="wer-min")
    density, rates, wer, det = diagnostic_plot(found, figure=Figure())
    widths = np.diff(found.edges)
    for part, rows in ((found.genuine, test.genuine), (found.impostor, ~test.genuine)):
        scores = test.column("voice")[rows]
        inside = np.mean((scores >= found.edges[0]) & (scores <= found.edges[-1]))
        assert float(part @ widths) == pytest.approx(float(inside))
    frr, far = (line.get_ydata() for line in rates.lines[:2])
    middle = len(found.threshold) // 2
    counts = count_errors(test.select(["voice"]), [found.threshold[middle]])[0]
    assert (np.asarray(far)[middle], np.asarray(frr)[middle]) == (counts.far, counts.frr)
    np.testing.assert_allclose(np.asarray(wer.lines[0].get_ydata(), dtype=float), 0.3 * found.far + 0.7 * found.frr)
    chosen = choose_thresholds(dev, "wer-min", 0.3, system="voice").threshold[0]
    assert float(np.asarray(wer.lines[1].get_xdata())[0]) == chosen
    assert density.get_xlim() == (found.edges[0], found.edges[-1])
    assert np.isfinite(found.threshold).all()
    assert (found.far[0], found.frr[-1]) == (1, 1)
    assert det.get_xscale() == "function"


def test_diagnostic_rates_follow_every_threshold() -> None:
    # the corners of the ROC are few here; FAR over the threshold has many more steps
    rng = np.random.default_rng(4)
    scores = np.concatenate([rng.normal(4, 1, 10), rng.normal(0, 1, 5000)])
    trials = Trials.from_arrays(scores, np.repeat([True, False], [10, 5000]))
    (found,) = diagnostics(trials, trials)
    places = rng.uniform(-3, 3, 200)
    drawn = np.searchsorted(found.threshold, places, side="right") - 1
    counts = count_errors(trials, places)
    np.testing.assert_allclose(found.far[drawn], counts.far, atol=0.0021)
    np.testing.assert_allclose(found.frr[drawn], counts.frr, atol=0.0021)


@pytest.mark.parametrize("copies", [1, 4, 6])
def test_diagnostic_legend_is_clear_of_the_densities(test: Trials, copies: int) -> None:
    scores = np.repeat(test.select(["voice"]).scores, copies, axis=1)
    many = Trials.from_arrays(scores, test.genuine, systems=[f"s{k}" for k in range(copies)])
    figure = Figure(figsize=(9.6, 7.4), layout="constrained")
    density, *_ = diagnostic_plot(diagnostics(many, many), figure=figure)
    figure.draw_without_rendering()
    legend = density.get_legend()
    assert legend is not None
    box = density.transData.inverted().transform(legend.get_window_extent())
    highest = max(np.max(patch.get_data().values) for patch in density.patches)  # type: ignore[attr-defined]
    assert box[0, 1] > highest or box[1, 1] < 0


def test_diagnostic_of_several_systems_has_common_axes(dev: Trials, test: Trials) -> None:
    density, rates, _, _ = diagnostic_plot(diagnostics(dev, test), figure=Figure())
    assert density.get_xlim() == rates.get_xlim() == (0, 1)
    assert len(density.get_legend_handles_labels()[1]) == 6
    with pytest.raises(FairtrialError, match="no system"):
        diagnostic_plot([], figure=Figure())
    with pytest.raises(FairtrialError, match="bin"):
        diagnostics(dev, test, bins=0)


def test_panel_of_the_det_says_the_level_and_the_threshold() -> None:
    genuine = np.arange(200) < 60
    trials = Trials.from_arrays(np.random.default_rng(0).normal(2.0 * genuine), genuine)
    titles = [axes.get_title(loc="left") or axes.get_title() for axes in diagnostic_plot(diagnostics(trials, trials))]
    assert titles[1].endswith("dotted: threshold from the same trials")
    assert titles[3].endswith("threshold from the same trials,\n95 % intervals, threshold re-estimated")
