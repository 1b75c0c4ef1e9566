"""Curves of evidence along priors and ratios, by their formulas and by brute force."""

from __future__ import annotations

from math import exp, log

import numpy as np
import pytest

import fairtrial as ft
from fairtrial.calibration.curves import shown_range
from simulated import crossed


@pytest.fixture(scope="module")
def found() -> ft.calibration.CalibratedSystem:
    dev, test = (crossed(np.random.default_rng(k), effect=0.5, start=1000 * k) for k in (1, 2))
    return ft.calibrate(dev, test)["a"]


def ratios_of(found: ft.calibration.CalibratedSystem) -> tuple[np.ndarray, np.ndarray]:
    test = found.evidence.test
    values = found.calibration.parameters["weights"] * test.column("a") + found.calibration.parameters["offset"]
    return values[test.genuine], values[~test.genuine]


def test_bayes_errors_by_their_formula(found: ft.calibration.CalibratedSystem) -> None:
    genuine, impostor = ratios_of(found)
    curve = ft.calibration.bayes_error_curve(found, log_odds=[-3.0, 0.0, 1.5], raw=True)
    scores = found.evidence.test.column("a")
    own = found.evidence.test.genuine
    assert curve.raw is not None
    for k, odds in enumerate((-3.0, 0.0, 1.5)):
        prior = 1 / (1 + exp(-odds))

        def rate(pair: tuple[np.ndarray, np.ndarray], at: float, prior: float = prior) -> float:
            missed, accepted = np.mean(pair[0] <= at), np.mean(pair[1] > at)
            return float(prior * missed + (1 - prior) * accepted) / min(prior, 1 - prior)

        assert curve.calibrated.rates[k] == pytest.approx(rate((genuine, impostor), -odds))
        assert curve.raw.rates[k] == pytest.approx(rate((scores[own], scores[~own]), -odds))
        every = np.concatenate([[-np.inf], genuine, impostor])
        assert curve.minimum.rates[k] == pytest.approx(
            min(rate((genuine, impostor), at) for at in every[::7]), rel=0.05
        )
        assert curve.minimum.rates[k] <= min(rate((genuine, impostor), at) for at in every[::7]) + 1e-12


def test_support_is_the_rule_of_30(found: ft.calibration.CalibratedSystem) -> None:
    genuine, impostor = ratios_of(found)
    curve = ft.calibration.bayes_error_curve(found)
    few = [min(int(np.sum(genuine <= -odds)), int(np.sum(impostor > -odds))) < 30 for odds in curve.log_odds.tolist()]
    assert curve.calibrated.supported.tolist() == [not each for each in few]
    assert 0 < sum(few) < len(few)
    assert curve.to_dict()["supported"] == curve.calibrated.supported.tolist()


def test_cross_entropy_by_its_formula(found: ft.calibration.CalibratedSystem) -> None:
    genuine, impostor = ratios_of(found)
    curve = ft.calibration.ece_curve(found, log_odds=[-2.0, 0.0])
    prior = 1 / (1 + exp(2.0))
    wrong = np.mean(np.log2(1 + np.exp(-genuine + 2))), np.mean(np.log2(1 + np.exp(impostor - 2)))
    assert curve.calibrated[0] == pytest.approx(prior * wrong[0] + (1 - prior) * wrong[1])
    assert curve.neutral[0] == pytest.approx(-(prior * log(prior) + (1 - prior) * log(1 - prior)) / log(2))
    assert (curve.calibrated[1], curve.minimum[1]) == pytest.approx(found.test)
    assert curve.raw is None
    # a map that rises can do no better at any prior
    steps = ft.calibrate(found.evidence.test, found.evidence.test, systems=["a"], method="pav")
    assert (ft.calibration.ece_curve(steps).calibrated >= ft.calibration.ece_curve(found).minimum - 1e-12).all()


def test_tippett_shares_by_counting(found: ft.calibration.CalibratedSystem) -> None:
    genuine, impostor = ratios_of(found)
    curve = ft.calibration.tippett_curve(found, points=11)
    assert curve.genuine == pytest.approx([np.mean(genuine > at) for at in curve.ratios])
    assert curve.impostor == pytest.approx([np.mean(impostor > at) for at in curve.ratios])
    assert curve.misleading.frr == np.mean(genuine <= 0)
    assert curve.misleading.far == np.mean(impostor > 0)
    assert curve.ratios[0] < np.quantile(impostor, 0.01)
    assert curve.ratios[-1] > np.quantile(genuine, 0.99)


def test_a_fusion_has_no_scores_of_its_own() -> None:
    dev, test = (crossed(np.random.default_rng(k), start=1000 * k) for k in (1, 2))
    fused = ft.calibrate(dev, test, fuse=True)
    assert ft.calibration.bayes_error_curve(fused).raw is None
    for work in (
        lambda: ft.calibration.bayes_error_curve(fused, raw=True),
        lambda: ft.calibration.ece_curve(fused, raw=True),
        lambda: ft.calibration.pav_curve(fused, of_scores=True),
        lambda: ft.calibration.llr_map(fused),
    ):
        with pytest.raises(ft.ParameterError) as error:
            work()
        assert error.value.code == "fusion-has-no-scores"


@pytest.mark.parametrize("log_odds", [[], [np.nan], [30.0], [[0.0]]])
def test_bad_log_odds(found: ft.calibration.CalibratedSystem, log_odds: list[float]) -> None:
    with pytest.raises(ft.ParameterError, match="prior log-odds must be numbers between -20 and 20"):
        ft.calibration.bayes_error_curve(found, log_odds=log_odds)


def test_too_few_points(found: ft.calibration.CalibratedSystem) -> None:
    for work in (
        lambda: ft.calibration.tippett_curve(found, points=1),
        lambda: ft.calibration.llr_map(found, points=1),
    ):
        with pytest.raises(ft.ParameterError, match="at least 2 points, not 1"):
            work()


def test_the_range_that_is_shown() -> None:
    assert shown_range([np.array([np.inf, 3.0]), np.array([-np.inf])]) == (2.5, 3.5)
    assert shown_range([np.array([np.inf]), np.array([-np.inf])]) == (-0.5, 0.5)
    low, high = shown_range([np.arange(10_001.0), np.arange(5.0)])
    assert (low, high) == pytest.approx((0.004, 9990.0))


def test_infinite_ratios_are_drawn_as_far_as_they_can() -> None:
    trials = ft.Trials.from_arrays([-np.inf, 0.0, 1.0, -1.0, 0.5, np.inf], [False, False, False, True, True, True])
    steps = ft.calibrate(trials, trials, method="pav")
    assert np.isfinite(ft.calibration.bayes_error_curve(steps).calibrated.rates).all()
    curve = ft.calibration.ece_curve(steps, raw=True, log_odds=[0.0])
    assert curve.raw is not None
    assert np.isfinite(curve.raw).all()  # the infinite ones are right
    assert ft.calibration.pav_curve(steps, of_scores=True, n_resamples=20).start == -np.inf
    assert np.isfinite(ft.calibration.llr_map(steps, n_resamples=20).ratios).all()
