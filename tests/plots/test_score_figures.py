"""Scatter, diagnostic and zoo: scores as they are."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

from fairtrial import FairtrialError, Trials, choose_thresholds, count_errors
from fairtrial.plots import diagnostic_plot, diagnostics, scatter_data, scatter_plot, zoo_data, zoo_plot
from fairtrial.plots.zoo import _improbable


def test_scatter_draws_a_seeded_subsample(test: Trials) -> None:
    first, same, other = (scatter_data(test, "face", "voice", points=20, rng=seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(first.impostor.points, same.impostor.points)
    assert not np.array_equal(first.impostor.points, other.impostor.points)
    assert first.impostor.points.shape == (20, 2)
    everything = {tuple(row) for row in test.select(["face", "voice"]).scores[~test.genuine].tolist()}
    assert {tuple(row) for row in first.impostor.points.tolist()} <= everything
    assert (first.genuine.trials, first.impostor.trials) == (48, 1104)


def test_scatter_gaussian_is_that_of_all_trials(test: Trials) -> None:
    found = scatter_data(test, "face", "voice", points=5).impostor
    scores = test.select(["face", "voice"]).scores[~test.genuine]
    np.testing.assert_allclose(found.mean, scores.mean(axis=0))
    away = found.ellipse(2) - found.mean
    # all points of an ellipse are as many standard deviations off
    np.testing.assert_allclose(np.einsum("ij,jk,ik->i", away, np.linalg.inv(found.covariance), away), 4)
    np.testing.assert_allclose(found.covariance, np.cov(scores.T, bias=True))


def test_scatter_states_what_it_shows(test: Trials, ax: Axes) -> None:
    data = scatter_data(test, "face", "voice", points=30, rng=7)
    scatter_plot(data, thresholds={"face": 1.5, "voice": 0.5}, ax=ax)
    assert ax.get_legend_handles_labels()[1] == ["impostor: 30 of 1,104", "genuine: 30 of 48", "thresholds from dev"]
    assert "seed 7" in ax.get_title()
    np.testing.assert_array_equal(ax.lines[0].get_xydata(), data.impostor.points)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("score of face", "score of voice")
    assert [list(np.asarray(line.get_xdata())) for line in ax.lines[-2:]] == [[1.5, 1.5], [0, 1]]


def test_scatter_leaves_out_infinite_scores() -> None:
    scores = [[1.0, 2.0], [np.inf, 1.0], [0.0, 0.5], [0.1, -np.inf], [0.3, 0.2]]
    trials = Trials.from_arrays(scores, np.array([True, True, False, False, False]), systems=["a", "b"])
    data = scatter_data(trials, "a", "b")
    assert (data.left_out, data.genuine.trials, data.impostor.trials) == (2, 1, 2)
    for wrong in ({"points": 0}, {"rng": -1}):
        with pytest.raises(FairtrialError):
            scatter_data(trials, "a", "b", **wrong)


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


@pytest.mark.parametrize("by", ["claim", "subject"])
def test_zoo_means_by_brute_force(test: Trials, by: str) -> None:
    zoo = zoo_data(test, system="face", by=by)  # type: ignore[arg-type]
    names = test.ids[by].decode()
    for place, name in enumerate(zoo.names):
        own = test.column("face")[names == name], test.genuine[names == name]
        assert zoo.genuine[place] == pytest.approx(own[0][own[1]].mean())
        assert zoo.impostor[place] == pytest.approx(own[0][~own[1]].mean())


def test_zoo_names_goats_and_lambs(test: Trials, ax: Axes) -> None:
    zoo = zoo_data(test, system="face")
    names = np.array(zoo.names)
    assert "p00" in names[zoo.goats]
    assert names[zoo.lambs].tolist() == ["p01"]
    zoo_plot(zoo, ax=ax)
    assert {"p00", "p01"} <= {text.get_text() for text in ax.texts}
    assert ax.get_legend_handles_labels()[1][1] == "lambs: 1"
    assert "wolves" in zoo_plot(zoo_data(test, system="face", by="subject")).get_legend_handles_labels()[1][1]


def test_zoo_of_errors(dev: Trials, test: Trials, ax: Axes) -> None:
    threshold = float(choose_thresholds(dev, "eer", 0.5, system="face").threshold[0])
    zoo = zoo_data(test, system="face", shows="errors", threshold=threshold)
    names = np.array(zoo.names)
    assert names[zoo.goats & (zoo.genuine == 1)].tolist() in ([], ["p00"])
    assert names[zoo.lambs].tolist() == ["p01"]
    whole = count_errors(test.select(["face"]), [threshold])[0]
    assert zoo.impostor.mean() == pytest.approx(float(whole.far))
    zoo_plot(zoo, ax=ax)
    assert ax.get_xlabel() == "FRR of genuine trials (%)"
    assert zoo_plot(zoo, terms="iso").get_ylabel() == "FMR of impostor trials against the claim (%)"
    dots = ax.collections[0]
    plain = ~zoo.goats & ~zoo.lambs
    assert sum(np.asarray(dots.get_sizes())) == 16 * plain.sum()  # type: ignore[attr-defined]


@pytest.mark.parametrize("apart", [0.0, 0.02, 1.0])
def test_zoo_labels_are_few_and_within_the_axes_and_apart(apart: float) -> None:
    people = 60
    claim, subject = np.divmod(np.arange(people * people), people)
    scores = np.where(claim == subject, 4.0, 0.0) + np.random.default_rng(6).normal(0, 0.1, len(claim))
    for k in range(12):
        scores[(claim == subject) & (claim == k)] -= 3 + apart * k
        scores[(claim != subject) & (claim == 20 + k)] += 2 + apart * k
    names = np.array([f"speaker_{k:04d}" for k in range(people)])
    trials = Trials.from_arrays(scores, claim == subject, claim=names[claim], subject=names[subject])
    figure = Figure(figsize=(6.0, 5.4), layout="constrained")
    ax = zoo_plot(zoo_data(trials), ax=figure.add_subplot())
    figure.draw_without_rendering()
    boxes = [Text.get_window_extent(text) for text in ax.texts]
    assert 2 <= len(boxes) <= 8
    inside = ax.get_window_extent()
    for place, box in enumerate(boxes):
        assert inside.x0 <= box.x0 < box.x1 <= inside.x1
        assert inside.y0 <= box.y0 < box.y1 <= inside.y1
        assert not any(box.overlaps(other) for other in boxes[:place])


def test_who_stands_out_against_sums_of_binomial_probabilities() -> None:
    trials = np.array([20, 20, 50, 3, 20, 30])
    errors = np.array([0.0, 10.0, 1.0, 2.0, 1.0, 3.0])
    rate = errors.sum() / trials.sum()
    tails = [
        sum(comb(n, k) * rate**k * (1 - rate) ** (n - k) for k in range(int(x), n + 1))
        for x, n in zip(errors, trials.tolist(), strict=True)
    ]
    expected = [tail < 0.05 / 6 for tail in tails]
    assert _improbable(errors, trials).tolist() == expected
    assert 0 < sum(expected) < 6
    assert not _improbable(np.zeros(6), trials).any()


def test_zoo_needs_ids_and_a_threshold(test: Trials) -> None:
    bare = Trials.from_arrays(test.scores, test.genuine, systems=test.systems)
    for trials, settings, words in (
        (bare, {}, "claim ids"),
        (test, {"shows": "errors"}, "threshold"),
        (test, {"by": "model"}, "by must be"),
        (test.rows(np.arange(30)), {}, "at least 4"),
    ):
        with pytest.raises(FairtrialError, match=words):
            zoo_data(trials, system="face", **settings)  # type: ignore[arg-type]
