"""Gaussian calibration is scikit-learn's linear discriminant analysis, and its influences are those of leaving out."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

import fairtrial as ft
from calibration.test_model import make
from fairtrial.calibration.methods import LinearInfluence


@pytest.mark.parametrize("prior", [0.5, 0.1])
@pytest.mark.parametrize("systems", [("face",), ("face", "voice")])
def test_gaussian_is_that_of_scikit_learn(systems: tuple[str, ...], prior: float) -> None:
    dev = make(1)
    found = ft.calibration.fit_calibration(dev, systems=systems, method="gaussian", prior=prior)
    table = np.column_stack([dev.column(name) for name in systems])
    peer = LinearDiscriminantAnalysis(solver="lsqr", priors=[1 - prior, prior]).fit(table, dev.genuine)
    expected = peer.decision_function(table) - np.log(prior / (1 - prior))
    assert found.ratios(dev) == pytest.approx(expected, abs=1e-9)


def test_influence_is_what_leaving_a_trial_out_gives() -> None:
    dev = make(2, 400)
    found = ft.calibration.fit_calibration(dev, method="gaussian", prior=0.3)
    assert isinstance(found.influence, LinearInfluence)
    whole = np.array([*found.parameters["weights"], found.parameters["offset"]])
    for left in (0, 7, 200):
        rest = ft.calibration.fit_calibration(
            dev.rows(np.flatnonzero(np.arange(400) != left)), method="gaussian", prior=0.3
        )
        without = np.array([*rest.parameters["weights"], rest.parameters["offset"]])
        assert whole - without == pytest.approx(
            found.influence.by_parameter[left], rel=0.06, abs=2e-4 * np.abs(whole).max()
        )


def test_no_spread_and_a_system_twice() -> None:
    genuine, dev = np.arange(20) < 5, make(1)
    twice = ft.Trials.from_arrays(np.repeat(dev.scores[:, :1], 2, axis=1), dev.genuine)
    for trials in (ft.Trials.from_arrays(np.where(genuine, 1.0, 0.0), genuine), twice):
        with pytest.raises(ft.TrialsError) as error:
            ft.calibration.fit_calibration(trials, method="gaussian")
        assert error.value.code == "no-variance"
