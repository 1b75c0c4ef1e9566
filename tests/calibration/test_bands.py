"""Bands along priors: at each prior the interval that the measure has there."""

from __future__ import annotations

import numpy as np
import pytest

import fairtrial as ft
from simulated import crossed


@pytest.fixture(scope="module")
def sets() -> tuple[ft.Trials, ft.Trials]:
    dev, test = (crossed(np.random.default_rng(k), effect=0.5, start=1000 * k) for k in (1, 2))
    return dev, test


def test_bands_are_the_intervals_of_costs_and_of_cllr(sets: tuple[ft.Trials, ft.Trials]) -> None:
    points = [ft.calibration.CostPoint(float(1 / (1 + np.exp(-odds)))) for odds in (-1.0, 0.0, 2.0)]
    (found,) = ft.calibrate(*sets, systems=["a"], costs=points, confidence=0.9)
    odds = np.array([-1.0, -0.9, -0.8, 0.0, 1.0, 1.5, 2.0])
    band = ft.calibration.bayes_error_curve(found, log_odds=odds, confidence=0.9).band
    assert band is not None
    assert band.log_odds.tolist() == [-1.0, 0.0, 2.0]
    limits = [cost.interval.interval for cost in found.costs if cost.interval is not None]
    assert np.column_stack([band.low, band.high]) == pytest.approx(np.array(limits))
    entropy = ft.calibration.ece_curve(found, log_odds=[0.0], confidence=0.9).band
    assert entropy is not None
    assert (entropy.low[0], entropy.high[0]) == pytest.approx(found.intervals[0].interval)
    assert entropy.described == "90 % pointwise bands, calibration re-estimated"
    assert (
        ft.calibration.ece_curve(found, log_odds=[0.0], confidence=0.9).to_dict()["band"]["calibration"]
        == "re-estimated"
    )


def test_bands_of_a_saved_calibration_are_given_it(sets: tuple[ft.Trials, ft.Trials]) -> None:
    found = ft.calibrate(None, sets[1], model=ft.calibration.fit_calibration(sets[0], systems=("a",)))
    band = ft.calibration.bayes_error_curve(found, log_odds=[0.0], confidence=0.95).band
    assert band is not None
    assert band.described == "95 % pointwise bands, given this calibration"
