"""Figures of evidence: published numbers, brute force, and scikit-learn's isotonic regression."""

from __future__ import annotations

from math import inf, log
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression

import fairtrial as ft
from strategies import score_arrays


@pytest.mark.parametrize(
    ("file", "rocch", "least", "cost"),
    [
        ("face-C", 4.3207, 0.155749, 0.235763),
        ("face-G", 5.6513, 0.198998, 0.300088),
        ("finger-left", 8.3508, 0.264549, 0.228836),
        ("finger-right", 4.7671, 0.169826, 0.149161),
    ],
)
def test_bssr1(real_data: Path, file: str, rocch: float, least: float, cost: float) -> None:
    trials = ft.read_trials(real_data / "bssr1_set1" / f"{file}.csv.gz")
    assert 100 * ft.equal_error_rate(trials, definition="rocch").value == pytest.approx(rocch, abs=5e-5)
    assert ft.calibration.min_cllr(trials) == pytest.approx(least, abs=1e-6)
    assert ft.calibration.min_detection_cost(trials, ft.calibration.CostPoint(0.01)) == pytest.approx(cost, abs=1e-6)


def test_class_balance_does_not_matter() -> None:
    rng = np.random.default_rng(0)
    for genuine, impostor in ((500, 50_000), (50_000, 500), (5000, 5000)):
        pair = 2 * rng.normal(2, 1, genuine) - 2, 2 * rng.normal(0, 1, impostor) - 2
        assert ft.calibration.cllr(pair) == pytest.approx(0.527, abs=0.05)


def least_by_isotonic_regression(genuine: np.ndarray, impostor: np.ndarray) -> float:
    """Min Cllr from posteriors by scikit-learn, equal scores pooled."""
    scores = np.concatenate([genuine, impostor]).astype(np.float64)
    labels = np.arange(len(scores)) < len(genuine)
    weights = np.where(labels, 0.5 / len(genuine), 0.5 / len(impostor))
    ranks = np.unique(scores, return_inverse=True)[1]
    posterior = IsotonicRegression(y_min=0, y_max=1).fit_transform(ranks, labels.astype(float), sample_weight=weights)
    with np.errstate(divide="ignore"):
        costs = -np.log2(np.where(labels, posterior, 1 - posterior))
    return float(np.sum(weights * costs))


@given(scores=score_arrays())
def test_min_cllr_is_that_of_isotonic_regression(scores: tuple[np.ndarray, np.ndarray]) -> None:
    assert ft.calibration.min_cllr(scores) == pytest.approx(least_by_isotonic_regression(*scores), abs=1e-9)


@given(scores=score_arrays(max_size=12), prior=st.sampled_from([0.01, 0.3, 0.5, 0.9]))
def test_costs_by_brute_force(scores: tuple[np.ndarray, np.ndarray], prior: float) -> None:
    genuine, impostor = scores
    point = ft.calibration.CostPoint(prior, 2.0, 3.0)
    weight = 3 * (1 - prior) / (2 * prior)

    def at(threshold: float) -> float:
        return float(np.mean(genuine <= threshold) + weight * np.mean(impostor > threshold)) / min(1, weight)

    assert ft.calibration.detection_cost(scores, point) == pytest.approx(at(log(weight)))
    every = [-inf, *genuine.tolist(), *impostor.tolist()]
    assert ft.calibration.min_detection_cost(scores, point) == pytest.approx(min(map(at, every)))


def test_cross_entropy_and_bayes_errors_by_their_formulas() -> None:
    rng = np.random.default_rng(1)
    genuine, impostor = rng.normal(1.5, 2, 300), rng.normal(-1.5, 2, 700)
    priors = np.array([0.1, 0.5, 0.8])
    entropies = ft.calibration.empirical_cross_entropy((genuine, impostor), priors)
    for prior, found in zip(priors.tolist(), entropies.tolist(), strict=True):
        shift = log(prior / (1 - prior))
        wrong = np.mean(np.log2(1 + np.exp(-genuine - shift))), np.mean(np.log2(1 + np.exp(impostor + shift)))
        assert found == pytest.approx(prior * wrong[0] + (1 - prior) * wrong[1])
    assert ft.calibration.empirical_cross_entropy((genuine, impostor), 0.5) == ft.calibration.cllr((genuine, impostor))
    odds = np.array([-3.0, 0.0, 2.0])
    rates = ft.calibration.bayes_errors((genuine, impostor), odds)
    for value, own in zip(odds.tolist(), rates.tolist(), strict=True):
        prior = 1 / (1 + np.exp(-value))
        rate = prior * np.mean(genuine <= -value) + (1 - prior) * np.mean(impostor > -value)
        assert own == pytest.approx(rate / min(prior, 1 - prior))
    assert (ft.calibration.bayes_errors((genuine, impostor), odds, minimum=True) <= rates + 1e-12).all()


def test_infinite_evidence_and_bad_priors() -> None:
    assert ft.calibration.cllr(([1.0, -inf], [0.0])) == inf
    assert ft.calibration.cllr(([inf], [-inf])) == 0
    with pytest.raises(ft.ParameterError, match="prior"):
        ft.calibration.CostPoint(0.0)
    with pytest.raises(ft.ParameterError, match="costs must be above 0"):
        ft.calibration.CostPoint(0.1, -1.0)
    with pytest.raises(ft.TrialsError, match="no impostor trial"):
        ft.calibration.cllr(([1.0], []))


def test_min_cllr_of_trials_in_pieces() -> None:
    rng = np.random.default_rng(2)
    genuine = rng.random(60_000) < 0.2
    scores = rng.normal(2.0 * genuine)
    pieces = ft.open_trials(scores, genuine)
    assert ft.calibration.min_cllr(pieces) == ft.calibration.min_cllr((scores[genuine], scores[~genuine]))
    assert ft.calibration.cllr(pieces) == pytest.approx(
        ft.calibration.cllr((scores[genuine], scores[~genuine])), rel=1e-12
    )


def test_dev_pav_by_fine_integration() -> None:
    """Against the curve through the ratios of isotonic regression, integrated on a million points."""
    rng = np.random.default_rng(4)
    genuine, impostor = np.round(rng.normal(1.5, 2, 300), 1), np.round(rng.normal(-1.5, 2, 500), 1)
    scores = np.concatenate([genuine, impostor])
    labels = np.arange(len(scores)) < len(genuine)
    weights = np.where(labels, 0.5 / len(genuine), 0.5 / len(impostor))
    posterior = IsotonicRegression(y_min=0, y_max=1).fit_transform(scores, labels.astype(float), sample_weight=weights)
    inner = (posterior > 0) & (posterior < 1)
    order = np.argsort(scores[inner])
    at, share = scores[inner][order], posterior[inner][order]
    ratio = np.log(share / (1 - share))
    fine = np.linspace(at[0], at[-1], 1_000_001)
    expected = np.mean(np.abs(np.interp(fine, at, ratio) - fine)) / log(10)
    assert ft.calibration.dev_pav((genuine, impostor)) == pytest.approx(expected, rel=1e-4)
    assert np.isnan(ft.calibration.dev_pav(([1.0, 2.0], [-1.0, -2.0])))
