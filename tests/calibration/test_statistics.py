"""Figures of evidence with what each trial adds: the values of plain functions, variances by leaving people out."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import fairtrial as ft
from fairtrial.calibration.measures import (
    Evidence,
    Statistic,
    cllr_statistic,
    entropy_statistic,
    least_entropy_statistic,
    rocch_eer_statistic,
)
from fairtrial.calibration.methods import Linear
from simulated import crossed


def evidence_of(test: ft.Trials) -> Evidence:
    dev = crossed(np.random.default_rng(9), start=5000)
    return Evidence(
        ft.calibration.Calibration(("a",), "raw", Linear((1.0,), -1.0)), ft.inference.TrialSets(dev, test, "claim")
    )


PLAIN: list[tuple[Callable[[Evidence], Statistic], Callable[[tuple[np.ndarray, np.ndarray]], float]]] = [
    (cllr_statistic, ft.calibration.cllr),
    (lambda own: entropy_statistic(own, 0.2), lambda pair: float(ft.calibration.empirical_cross_entropy(pair, 0.2))),
    (least_entropy_statistic, ft.calibration.min_cllr),
    (rocch_eer_statistic, lambda pair: ft.equal_error_rate(pair, definition="rocch").value),
]


@pytest.mark.parametrize(("figure", "plain"), PLAIN, ids=["cllr", "ece", "min cllr", "rocch eer"])
def test_value_and_variance(figure: Callable[[Evidence], Statistic], plain: Callable[..., float]) -> None:
    """The variance against the jackknife over clients, the figure computed anew each time."""
    test = crossed(np.random.default_rng(1), clients=60, effect=0.7)
    evidence = evidence_of(test)
    found = figure(evidence)
    assert found.estimate == pytest.approx(plain(evidence.pair), abs=1e-12)
    assert test.claim is not None
    codes = test.claim.numbered().codes
    left = []
    for client in range(60):
        kept = codes != client
        ratios, genuine = evidence.ratios[kept], test.genuine[kept]
        left.append(plain((ratios[genuine], ratios[~genuine])))
    jackknife = 59 / 60 * np.sum((np.array(left) - np.mean(left)) ** 2)
    assert found.estimated(evidence).variance.value == pytest.approx(jackknife, rel=0.15)


def test_infinite_evidence_is_an_infinite_figure() -> None:
    genuine = np.array([True, True, False, False])
    trials = ft.Trials.from_arrays([1.0, -np.inf, 0.0, -1.0], genuine, systems=["a"])
    dev = ft.Trials.from_arrays([2.0, 0.5, 0.0, 1.0], genuine, systems=["a"])
    found = ft.calibrate(dev, trials)
    assert found.test[0] == np.inf
    assert np.isfinite(found.test[1])
    assert "infinite-evidence" in [note.code for note in found.notes]
    with pytest.raises(ft.TrialsError) as error:
        ft.calibration.compare_evidence([*found, *found])
    assert error.value.code == "infinite-evidence"
