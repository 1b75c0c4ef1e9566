"""Scores of two systems against each other."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.axes import Axes

from fairtrial import FairtrialError, Trials
from fairtrial.plots import scatter_data, scatter_plot


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
