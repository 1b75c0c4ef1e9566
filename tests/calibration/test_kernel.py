"""Kernel density calibration is the ratio of scipy's densities, as far as finite data bear it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import gaussian_kde

import fairtrial as ft


def draw(seed: int, spread: float = 1.0) -> ft.Trials:
    rng = np.random.default_rng(seed)
    genuine = rng.random(3000) < 0.3
    return ft.Trials.from_arrays(rng.normal(2.0 * genuine, np.where(genuine, spread, 1.0)), genuine)


@pytest.mark.parametrize("spread", [1.0, 0.4])
def test_ratios_are_those_of_scipys_densities(spread: float) -> None:
    dev = draw(1, spread)
    found = ft.calibration.fit_calibration(dev, method="kde")
    scores = dev.column()
    densities = [gaussian_kde(scores[rows], bw_method="silverman") for rows in (dev.genuine, ~dev.genuine)]
    at = np.linspace(scores.min(), scores.max(), 501)
    expected = densities[0].logpdf(at) - densities[1].logpdf(at)
    steps = ft.calibration.fit_calibration(dev, method="pav").parameters["ratios"]
    trials = ft.Trials.from_arrays(at, at > 0)
    assert found.ratios(trials) == pytest.approx(np.clip(expected, steps[0], steps[-1]), abs=5e-3)


def test_constant_beyond_dev_and_a_note_where_it_falls() -> None:
    found = ft.calibration.fit_calibration(draw(1, 0.4), method="kde")
    beyond = found.ratios(ft.Trials.from_arrays([-1e9, -np.inf, 1e9, np.inf], [False, False, True, True]))
    assert np.isfinite(beyond).all()
    assert beyond[0] == beyond[1]
    assert beyond[2] == beyond[3]
    assert found.notes[0].code == "falling-evidence"


def test_classes_far_apart_have_bounded_evidence() -> None:
    rng = np.random.default_rng(0)
    genuine = np.arange(300) < 100
    found = ft.calibration.fit_calibration(ft.Trials.from_arrays(rng.normal(1000.0 * genuine), genuine), method="kde")
    between = found.ratios(ft.Trials.from_arrays([0.0, 500.0, 1000.0], [False, True, True]))
    assert between[0] == pytest.approx(np.log(1 / 102) - np.log(201 / 202), abs=0.7)
    assert between[0] < between[1] < between[2] < np.log(202)


def test_scores_that_have_no_density() -> None:
    genuine = np.arange(40) < 10
    with pytest.raises(ft.TrialsError) as error:
        ft.calibration.fit_calibration(
            ft.Trials.from_arrays(np.where(genuine, 3.0, np.arange(40)), genuine), method="kde"
        )
    assert error.value.code == "equal-scores"
    far = np.where(np.arange(40) == 39, 1e9, np.where(genuine, 1e-3, 1.0) * np.arange(40))
    with pytest.raises(ft.TrialsError) as error:
        ft.calibration.fit_calibration(ft.Trials.from_arrays(far, genuine), method="kde")
    assert error.value.code == "scores-too-far-apart"
