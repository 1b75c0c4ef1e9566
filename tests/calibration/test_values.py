"""What people of both dev and test add to a figure twice."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fairtrial as ft
from fairtrial.calibration.values import in_both
from simulated import crossed


def test_people_in_both_sets_by_hand() -> None:
    dev, test = (crossed(np.random.default_rng(k), clients=6, impostors=5) for k in (1, 2))
    sets = ft.TrialSets(dev, test, "claim")
    rng = np.random.default_rng(3)
    on_dev, on_test = rng.normal(size=len(dev)), rng.normal(size=len(test))
    weights = (0.3, 0.7)

    def by_client(trials: ft.Trials, values: Any, own: tuple[float, float]) -> Any:
        """Each client's part in both class means, as leaving them out would change it: all have the same share."""
        assert trials.claim is not None
        names = trials.claim.decode()
        total = np.zeros(6)
        for rows, weight in ((trials.genuine, own[1]), (~trials.genuine, own[0])):
            away = weight * (values[rows] - values[rows].mean()) / rows.sum()
            clients = np.unique(names.astype(str))
            total += np.array([away[names[rows] == client].sum() for client in clients]) / (1 - 1 / 6)
        return total * np.sqrt(5 / 6)

    expected = 2 * by_client(dev, on_dev, (1.0, 1.0)) @ by_client(test, on_test, weights)
    assert in_both(sets, on_dev, on_test, weights) == pytest.approx(expected)
    apart = ft.TrialSets(dev, crossed(np.random.default_rng(2), clients=6, impostors=5, start=1000), "claim")
    assert in_both(apart, on_dev, on_test, weights) == 0
