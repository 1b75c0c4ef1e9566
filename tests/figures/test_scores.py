"""Scores: diagnostic, scatter, correlation, bootstrap."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.pyplot import close

from fairtrial import FairtrialError, Trials, compare
from fairtrial.counting import count_errors
from fairtrial.figures.scores import (
    bootstrap_plot,
    correlation_plot,
    diagnostic_plot,
    diagnostics,
    scatter_data,
    scatter_plot,
)
from fairtrial.fusion import system_correlations
from fairtrial.inference.people import Cluster
from fairtrial.rules import choose_thresholds
from figures.drawn import caption, refused


def test_diagnostic_panels(dev: Trials, test: Trials) -> None:
    (diagnostic,) = diagnostics(dev, test, systems=["voice"], alpha=0.3, criterion="wer-min")
    density, rates, wer, det = diagnostic_plot(diagnostic, figure=Figure())
    low, high = diagnostic.densities.low, diagnostic.densities.high
    widths = np.diff(diagnostic.densities.edges)
    for part, rows in ((diagnostic.densities.genuine, test.genuine), (diagnostic.densities.impostor, ~test.genuine)):
        scores = test.column("voice")[rows]
        inside = np.mean((scores >= low) & (scores <= high))
        assert float(part @ widths) == pytest.approx(float(inside))
    frr, far = (line.get_ydata() for line in rates.lines[:2])
    middle = len(diagnostic.threshold) // 2
    counts = count_errors(test.select(["voice"]), [diagnostic.threshold[middle]])[0]
    assert (np.asarray(far)[middle], np.asarray(frr)[middle]) == (counts.far, counts.frr)
    np.testing.assert_allclose(
        np.asarray(wer.lines[0].get_ydata(), dtype=float), 0.3 * diagnostic.far + 0.7 * diagnostic.frr
    )
    chosen = choose_thresholds(dev, "wer-min", 0.3, system="voice").threshold[0]
    assert float(np.asarray(wer.lines[1].get_xdata())[0]) == chosen
    assert density.get_xlim() == (low, high)
    assert np.isfinite(diagnostic.threshold).all()
    assert (diagnostic.far[0], diagnostic.frr[-1]) == (1, 1)
    assert det.get_xscale() == "function"


def test_diagnostic_rates_follow_every_threshold() -> None:
    # the corners of the ROC are few here; FAR over the threshold has many more steps
    rng = np.random.default_rng(4)
    scores = np.concatenate([rng.normal(4, 1, 10), rng.normal(0, 1, 5000)])
    trials = Trials.from_arrays(scores, np.repeat([True, False], [10, 5000]))
    (diagnostic,) = diagnostics(trials, trials)
    places = rng.uniform(-3, 3, 200)
    drawn = np.searchsorted(diagnostic.threshold, places, side="right") - 1
    counts = count_errors(trials, places)
    np.testing.assert_allclose(diagnostic.far[drawn], counts.far, atol=0.0021)
    np.testing.assert_allclose(diagnostic.frr[drawn], counts.frr, atol=0.0021)


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
    with refused("nothing-to-draw"):
        diagnostic_plot([], figure=Figure())
    with pytest.raises(FairtrialError, match="bin"):
        diagnostics(dev, test, bins=0)


def test_panel_of_the_det_says_the_level_and_the_threshold() -> None:
    genuine = np.arange(200) < 60
    trials = Trials.from_arrays(np.random.default_rng(0).normal(2.0 * genuine), genuine)
    words = caption("diagnostic", diagnostics(trials, trials))
    assert "dotted: threshold by eer on the same trials" in words
    assert "95 % intervals, threshold re-estimated" in words


def test_saturated_scores_have_densities_on_a_log_axis() -> None:
    genuine = np.arange(400) < 100
    scores = np.where(genuine, 1.0, 0.0)
    scores[::20] = np.random.default_rng(0).uniform(size=20)
    trials = Trials.from_arrays(scores, genuine)
    density = diagnostic_plot(diagnostics(trials, trials), figure=Figure())[0]
    assert density.get_yscale() == "log"


def test_scatter_draws_a_seeded_subsample(test: Trials) -> None:
    first, same, other = (scatter_data(test, "face", "voice", points=20, rng=seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(first.impostor.points, same.impostor.points)
    assert not np.array_equal(first.impostor.points, other.impostor.points)
    assert first.impostor.points.shape == (20, 2)
    everything = {tuple(row) for row in test.select(["face", "voice"]).scores[~test.genuine].tolist()}
    assert {tuple(row) for row in first.impostor.points.tolist()} <= everything
    assert (first.genuine.trials, first.impostor.trials) == (48, 1104)


def test_scatter_gaussian_is_that_of_all_trials(test: Trials) -> None:
    sample = scatter_data(test, "face", "voice", points=5).impostor
    scores = test.select(["face", "voice"]).scores[~test.genuine]
    np.testing.assert_allclose(sample.mean, scores.mean(axis=0))
    away = sample.ellipse(2) - sample.mean
    # all points of an ellipse are as many standard deviations off
    np.testing.assert_allclose(np.einsum("ij,jk,ik->i", away, np.linalg.inv(sample.covariance), away), 4)
    np.testing.assert_allclose(sample.covariance, np.cov(scores.T, bias=True))


def test_scatter_states_what_it_shows(test: Trials, ax: Axes) -> None:
    data = scatter_data(test, "face", "voice", points=30, rng=7)
    scatter_plot(data, thresholds={"face": 1.5, "voice": 0.5}, chosen="by eer on dev", ax=ax)
    labels = [
        "impostor: 30 of 1,104",
        "genuine: 30 of 48",
        "thresholds by eer on dev",
        "Gaussian, 1 s.d.",
        "Gaussian, 2 s.d.",
    ]
    assert ax.get_legend_handles_labels()[1] == labels
    assert "seed 7" in caption("scatter", data)
    np.testing.assert_array_equal(ax.lines[0].get_xydata(), data.impostor.points)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("score of face", "score of voice")
    assert [list(np.asarray(line.get_xdata())) for line in ax.lines[-4:-2]] == [[1.5, 1.5], [0, 1]]


def test_scatter_takes_a_proportion(test: Trials) -> None:
    data = scatter_data(test, "face", "voice", points="10%")
    assert (len(data.genuine.points), len(data.impostor.points)) == (5, 110)
    for wrong in ("0%", "101%", "1%x", "some"):
        with refused("points"):
            scatter_data(test, "face", "voice", points=wrong)


def test_scatter_leaves_out_infinite_scores() -> None:
    scores = [[1.0, 2.0], [np.inf, 1.0], [0.0, 0.5], [0.1, -np.inf], [0.3, 0.2]]
    trials = Trials.from_arrays(scores, np.array([True, True, False, False, False]), systems=["a", "b"])
    data = scatter_data(trials, "a", "b")
    assert (data.left_out, data.genuine.trials, data.impostor.trials) == (2, 1, 2)
    for wrong in ({"points": 0}, {"rng": -1}):
        with pytest.raises(FairtrialError):
            scatter_data(trials, "a", "b", **wrong)


def test_maps_show_both_classes_and_their_numbers(test: Trials) -> None:
    correlations = system_correlations(test)
    figure = Figure()
    correlation_plot(correlations, figure=figure)
    genuine, impostor, _bar = figure.axes
    for ax, part, word in ((genuine, correlations.genuine, "genuine"), (impostor, correlations.impostor, "impostor")):
        shown = ax.images[0].get_array()
        assert isinstance(shown, np.ma.MaskedArray)
        lower = np.tril_indices(2)  # each pair of three systems once
        np.testing.assert_array_equal(shown[lower], part.correlation[1:, :-1][lower])
        assert shown.mask.sum() == 1
        assert ax.get_title() == f"{part.trials:,} {word} trials"
        texts = [text.get_text().replace("\N{MINUS SIGN}", "-") for text in ax.texts]
        assert texts == [f"{value:.2f}".replace("-0.00", "0.00") for value in part.correlation[1:, :-1][lower]]


@pytest.mark.parametrize("method", ["percentile", "centred", "bca"])
def test_bootstrap_histogram_bounds_and_zero(dev: Trials, test: Trials, ax: Axes, method: str) -> None:
    cluster: Cluster = "both" if method == "centred" else "none"
    (pair,) = compare(dev, test, systems=["face", "voice"], n_resamples=400, confidence=0.9, cluster=cluster).pairs
    bootstrap_plot(pair, method=method, ax=ax)  # type: ignore[arg-type]
    bars = ax.patches[:-1]  # the last one is the interval
    assert sum(patch.get_height() for patch in bars) == pytest.approx(1)  # type: ignore[attr-defined]
    assert pair.replicates is not None
    low, high = pair.replicates.interval(confidence=0.9, method=method)  # type: ignore[arg-type]
    places = [float(np.asarray(line.get_xdata())[0]) for line in ax.lines]
    assert places == [low, high, pair.replicates.estimate, 0]
    inside = "within" if low <= 0 <= high else "outside"
    assert inside in caption("bootstrap", pair, method=method)
    assert "given these thresholds" in caption("bootstrap", pair, method=method)
    assert ax.get_xlabel() == "HTER of face minus HTER of voice, percentage points"


@pytest.mark.parametrize("measure", ["f1", "cllr"])
def test_the_difference_is_that_of_the_measure_compared(dev: Trials, test: Trials, measure: str) -> None:
    result = compare(dev, test, systems=["face", "voice"], n_resamples=50, measure=measure)
    label = {"f1": "F1", "cllr": "Cllr"}[measure]
    for place in (result.pairs[0].plot(), result.plot("bootstrap")):
        assert place.get_xlabel().startswith(f"{label} of face minus {label} of voice")
        close(place.figure)


def test_of_several_pairs_one_is_drawn(dev: Trials, test: Trials) -> None:
    with refused("several-pairs"):
        compare(dev, test, n_resamples=50).plot("bootstrap")


def test_replicates_that_are_alike_show_neither_bounds_nor_a_difference(dev: Trials, test: Trials, ax: Axes) -> None:
    twice = [Trials.from_arrays(t.scores[:, [0, 0]], t.genuine, systems=["a", "b"], **ids(t)) for t in (dev, test)]
    (pair,) = compare(*twice, n_resamples=100).pairs
    bootstrap_plot(pair, ax=ax)
    assert [line.get_label() for line in ax.lines] == ["estimate", "no difference"]


def ids(trials: Trials) -> dict[str, Any]:
    return {role: trials.ids[role] for role in ("claim", "subject")}


def test_diagnostic_has_the_det_curve_of_every_system(dev: Trials, test: Trials) -> None:
    *_, det = diagnostic_plot(diagnostics(dev, test, systems=["face", "voice"]), figure=Figure())
    labels = det.get_legend_handles_labels()[1]
    assert [label.partition(":")[0] for label in labels[:2]] == ["face", "voice"]
