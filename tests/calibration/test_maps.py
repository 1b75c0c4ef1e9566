"""The map from scores to ratios: its band against calibrations that were fitted without one client each."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

import fairtrial as ft
from simulated import crossed


@pytest.fixture(scope="module")
def sets() -> tuple[ft.Trials, ft.Trials]:
    dev, test = (crossed(np.random.default_rng(k), clients=40, effect=0.5, start=1000 * k) for k in (1, 2))
    return dev, test


def test_band_of_a_logistic_map_is_what_leaving_clients_out_gives(sets: tuple[ft.Trials, ft.Trials]) -> None:
    found = ft.calibrate(*sets, systems=["a"], cluster="claim")
    shown = ft.calibration.llr_map(found, points=5)
    weight, offset = (found.calibration.parameters[name] for name in ("weights", "offset"))
    assert shown.ratios == pytest.approx(weight * shown.scores + offset)
    dev = sets[0]
    assert dev.claim is not None
    codes = dev.claim.numbered().codes
    left = []
    for client in np.unique(codes):
        own = ft.calibration.fit_calibration(dev.rows(np.flatnonzero(codes != client)), systems=("a",))
        left.append(own.parameters["weights"] * shown.scores + own.parameters["offset"])
    count = len(left)
    sigma = np.sqrt((count - 1) / count * np.sum((np.array(left) - np.mean(left, axis=0)) ** 2, axis=0))
    assert (shown.high - shown.low) / 2 / 2.02 == pytest.approx(sigma, rel=0.15)
    assert (shown.cluster, shown.resampled) == ("claim", False)


def test_band_is_that_of_the_parameters_at_a_score_of_0(sets: tuple[ft.Trials, ft.Trials]) -> None:
    dev, test = sets
    moved = [
        ft.Trials.from_arrays(own.column("a"), own.genuine, claim=own.claim, subject=own.subject) for own in (dev, test)
    ]
    found = ft.calibrate(*moved)
    shown = ft.calibration.llr_map(found, points=2001)
    at = int(np.argmin(np.abs(shown.scores)))
    offset = found.parameter_intervals[-1]
    assert (shown.low[at], shown.high[at]) == pytest.approx((offset.low, offset.high), abs=0.02)


def test_band_of_steps_holds_them_and_has_no_infinite_evidence(sets: tuple[ft.Trials, ft.Trials]) -> None:
    found = ft.calibrate(*sets, systems=["a"], method="pav")
    shown = ft.calibration.llr_map(found, n_resamples=200)
    assert shown.ratios == pytest.approx(found.calibration.mapping.ratios(shown.scores[:, None]))
    assert np.isfinite(shown.low).all()
    assert np.isfinite(shown.high).all()
    assert np.mean((shown.low <= shown.ratios) & (shown.ratios <= shown.high)) > 0.95
    assert shown.resampled


def test_band_of_kernels_is_that_of_calibrations_fitted_anew(sets: tuple[ft.Trials, ft.Trials]) -> None:
    """Claims drawn with replacement, with all their trials, and the densities estimated from them."""
    found = ft.calibrate(*sets, systems=["a"], method="kde", cluster="claim")
    shown = ft.calibration.llr_map(found, points=5, n_resamples=60)
    dev = sets[0]
    assert dev.claim is not None
    codes = dev.claim.numbered().codes
    rng = np.random.default_rng(5)
    drawn = []
    for _ in range(60):
        rows = np.concatenate([np.flatnonzero(codes == client) for client in rng.integers(40, size=40)])
        again = ft.calibration.fit_calibration(dev.rows(rows), systems=("a",), method="kde")
        drawn.append(again.mapping.ratios(shown.scores[:, None]))
    assert shown.high - shown.low == pytest.approx(np.ptp(np.quantile(drawn, [0.025, 0.975], axis=0), axis=0), rel=0.5)
    assert shown.resampled


@pytest.mark.parametrize("cluster", ["none", "both"])
def test_bands_of_kernels_repeat_and_differ_by_seed(
    sets: tuple[ft.Trials, ft.Trials], cluster: Literal["none", "both"]
) -> None:
    found = ft.calibrate(*sets, systems=["a"], method="kde", cluster=cluster)
    first, second, third = (ft.calibration.llr_map(found, points=3, n_resamples=8, rng=seed) for seed in (1, 1, 2))
    assert first.low.tolist() == second.low.tolist() != third.low.tolist()


def test_a_saved_calibration_has_curves_but_no_band_of_dev(sets: tuple[ft.Trials, ft.Trials]) -> None:
    found = ft.calibrate(None, sets[1], model=ft.calibration.fit_calibration(sets[0], systems=("a",)))
    assert ft.calibration.bayes_error_curve(found).kind == "at a given threshold"
    assert len(ft.calibration.pav_curve(found, n_resamples=20).places)
    with pytest.raises(ft.TrialsError) as error:
        ft.calibration.llr_map(found)
    assert error.value.code == "needs-dev"
