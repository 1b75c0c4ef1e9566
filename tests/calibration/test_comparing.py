"""Evidence compared: its bootstrap draws people as every other does."""

from __future__ import annotations

import numpy as np

import fairtrial as ft
from fairtrial.calibration.measures import CLLR, bootstrap_statistic, cllr_statistic
from simulated import crossed


def test_clients_and_others_are_drawn_among_themselves() -> None:
    dev, test = (crossed(np.random.default_rng(k), clients=8, impostors=5, start=100 * k) for k in (1, 2))
    evidence = CLLR.evidence(ft.inference.judge(ft.inference.TrialSets(dev, test), system="a"))
    statistic, people = cllr_statistic(evidence), evidence.sets.people[1]
    assert people is not None
    assert statistic.values is not None
    found = bootstrap_statistic(statistic, evidence, n_resamples=200, rng=3)
    drawn = people.draw(200, np.random.default_rng(3))
    clients, others = people.strata
    assert set(drawn[:, clients].sum(axis=1)) == {len(clients)}
    assert set(drawn[:, others].sum(axis=1)) == {len(others)}
    sums = np.zeros(people.size)
    for part in people.classes:
        values = statistic.values[part.rows]
        for k, deviation in enumerate((values - values.mean()) / len(values)):
            for person in {int(column[k]) for column in part.people}:
                sums[person] += deviation
    assert np.argsort(found.replicates).tolist() == np.argsort(drawn @ sums).tolist()
