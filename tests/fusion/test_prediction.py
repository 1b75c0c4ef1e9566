"""Fusion predicted by Gaussians: formulas of the papers, and what is measured where scores are Gaussian."""

from dataclasses import replace
from math import erf, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm, spearmanr

from fairtrial import ParameterError, Trials, TrialsError, fuse
from fairtrial.fusion import f_ratio, gaussian_eer, predict_fusions, system_correlations


def gaussian(seed: int, genuine: int = 4000, impostor: int = 12000) -> Trials:
    """Three systems that are better and better, two of them correlated among impostors."""
    rng = np.random.default_rng(seed)
    flags = np.arange(genuine + impostor) < genuine
    covariance = [[1.0, 0.6, 0.0], [0.6, 1.0, 0.0], [0.0, 0.0, 2.0]]
    scores = rng.multivariate_normal([0, 0, 0], covariance, size=len(flags))
    scores[flags] = rng.normal([2.0, 2.5, 4.0], [0.7, 1.3, 1.0], size=(genuine, 3))
    return Trials.from_arrays(scores, flags, systems=["a", "b", "c"])


@given(st.floats(-4, 4))
def test_equal_error_rate_is_the_papers_formula(ratio: float) -> None:
    assert gaussian_eer(ratio) == pytest.approx(0.5 - 0.5 * erf(ratio / sqrt(2)), abs=1e-14)


@given(st.floats(0.1, 5), st.floats(0.1, 3), st.floats(0.1, 3))
def test_rates_are_equal_where_the_f_ratio_says(distance: float, genuine: float, impostor: float) -> None:
    """At the threshold between the means, in proportion to the standard deviations."""
    ratio = f_ratio(distance, 0.0, genuine, impostor)
    threshold = ratio * impostor
    rates = norm.sf(threshold, 0, impostor), norm.cdf(threshold, distance, genuine)
    assert rates == pytest.approx((gaussian_eer(ratio),) * 2, rel=1e-9)


def test_mean_of_systems_has_their_means_and_covariances() -> None:
    dev = gaussian(0)
    found = predict_fusions(dev)
    assert len(found.fusions) == 4
    for fusion in found.fusions:
        fused = dev.select(fusion.systems).scores.mean(axis=1)
        high, low = fused[dev.genuine], fused[~dev.genuine]
        assert fusion.f_ratio == pytest.approx((high.mean() - low.mean()) / (high.std() + low.std()), rel=1e-10)
    assert [own.eer_predicted for own in found.fusions] == sorted(own.eer_predicted for own in found.fusions)


def test_gaussian_scores_are_predicted_well() -> None:
    found = predict_fusions(gaussian(0), gaussian(1), normalise="z")
    for own in (*found.systems, *found.fusions):
        deviation = 3 * sqrt(own.eer_predicted * (1 - own.eer_predicted) / 4000)
        assert own.eer == pytest.approx(own.eer_predicted, abs=deviation)
        assert own.hter == pytest.approx(own.eer_predicted, abs=1.5 * deviation)


def test_the_same_trials_as_dev_and_test_are_a_warning() -> None:
    dev = gaussian(0, 200, 600)
    for test, expected in ((dev, ["same-trials"]), (gaussian(1, 200, 600), [])):
        assert [note.code for note in predict_fusions(dev, test).notes] == expected


@pytest.mark.parametrize("is_judged", [True, False])
def test_reversed_scores_are_a_warning(is_judged: bool) -> None:
    dev = gaussian(0, 200, 600)
    dev = replace(dev, scores=dev.scores * [1, -1, 1])
    (note,) = predict_fusions(dev, gaussian(1, 200, 600) if is_judged else None).notes
    assert (note.code, note.about, note.warning) == ("reversed-scores", "b", True)


def test_measured_is_what_fuse_measures() -> None:
    dev, test = gaussian(0, 200, 600), gaussian(1, 200, 600)
    found = predict_fusions(dev, test, normalise="min-max", largest=2)
    assert {own.systems for own in found.fusions} == {("a", "b"), ("a", "c"), ("b", "c")}
    for own in found.fusions:
        expected = fuse(dev, test, systems=own.systems, normalise="min-max").evaluation
        assert expected.dev_eer is not None
        assert (own.hter, own.eer) == pytest.approx((expected.test.hter, expected.dev_eer.value))
    ranks = spearmanr([own.eer_predicted for own in found.fusions], [own.eer for own in found.fusions])
    assert found.rank_correlation == pytest.approx(ranks.statistic)


def test_without_test_there_is_no_hter() -> None:
    found = predict_fusions(gaussian(0, 50, 50), systems=["a", "b"])
    assert found.fusions[0].hter is None
    assert np.isnan(found.rank_correlation)
    assert "HTER on test %" not in found.tables()[0].headings


@pytest.mark.parametrize(
    ("options", "code"),
    [({"systems": ["a"]}, "one-system"), ({"largest": 1}, "parameter"), ({"normalise": "z-norm"}, "parameter")],
)
def test_what_is_refused(options: dict, code: str) -> None:  # type: ignore[type-arg]
    with pytest.raises(ParameterError) as error:
        predict_fusions(gaussian(0, 20, 20), **options)
    assert error.value.code == code


def example() -> Trials:
    rng = np.random.default_rng(0)
    genuine = np.arange(900) < 300
    shared = rng.normal(size=(900, 1))
    scores = 3 * genuine[:, None] + rng.normal(size=(900, 3)) + shared * np.where(genuine, 2.0, 0.5)[:, None]
    return Trials.from_arrays(scores, genuine, systems=["face", "voice", "gait"])


def test_correlations_are_those_of_numpy_class_by_class() -> None:
    trials = example()
    found = system_correlations(trials, systems=["gait", "face"])
    for part, rows in ((found.genuine, trials.genuine), (found.impostor, ~trials.genuine)):
        own = trials.select(["gait", "face"]).scores[rows]
        np.testing.assert_allclose(part.correlation, np.corrcoef(own.T), rtol=1e-12)
        np.testing.assert_allclose(part.covariance, np.cov(own.T, bias=True), rtol=1e-12)
        assert part.trials == np.count_nonzero(rows)
    (pair,) = found.pairs()
    assert (pair.a, pair.b) == ("gait", "face")
    assert pair.genuine == pytest.approx(np.corrcoef(trials.scores[trials.genuine][:, [2, 0]].T)[0, 1])
    assert pair.genuine > 0.7 > 0.4 > pair.impostor


def test_trials_without_a_score_are_left_out_and_noted() -> None:
    trials = example()
    trials.scores[:5, 1] = -np.inf
    found = system_correlations(trials)
    assert found.genuine.trials == 295
    assert [(note.code, note.values) for note in found.notes] == [("missing-scores", {"count": 5})]


def test_what_is_refused_and_what_has_no_correlation() -> None:
    trials = example()
    for systems in (["face"], "face"):
        with pytest.raises(ParameterError) as error:
            system_correlations(trials, systems=systems)
        assert error.value.code == "one-system"
    with pytest.raises(TrialsError) as few:
        system_correlations(trials.rows(np.arange(299, 900)))
    assert few.value.code == "few-trials"
    trials.scores[:, 0] = 1.0
    assert np.isnan(system_correlations(trials).genuine.correlation[0, 1])
