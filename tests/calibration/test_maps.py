"""The map from scores to ratios: its band against calibrations that were fitted without one client each."""

from __future__ import annotations

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
    shown = ft.llr_map(found, points=5)
    weight, offset = found.calibration.weights[0], found.calibration.offset
    assert shown.ratios == pytest.approx(weight * shown.scores + offset)
    dev = sets[0]
    assert dev.claim is not None
    codes = dev.claim.numbered().codes
    left = []
    for client in np.unique(codes):
        own = ft.fit_calibration(dev.rows(np.flatnonzero(codes != client)), systems=("a",))
        left.append(own.weights[0] * shown.scores + own.offset)
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
    shown = ft.llr_map(found, points=2001)
    at = int(np.argmin(np.abs(shown.scores)))
    offset = found.parameter_intervals[-1]
    assert (shown.low[at], shown.high[at]) == pytest.approx((offset.low, offset.high), abs=0.02)


def test_band_of_steps_holds_them_and_has_no_infinite_evidence(sets: tuple[ft.Trials, ft.Trials]) -> None:
    found = ft.calibrate(*sets, systems=["a"], method="pav")
    shown = ft.llr_map(found, n_resamples=200)
    steps = found.calibration.steps
    assert steps is not None
    assert shown.ratios == pytest.approx(steps.apply(shown.scores))
    assert np.isfinite(shown.low).all()
    assert np.isfinite(shown.high).all()
    assert np.mean((shown.low <= shown.ratios) & (shown.ratios <= shown.high)) > 0.95
    assert shown.resampled
