"""Rates of groups vary together as their people make them: against people one group at a time, and by brute force."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from numpy.typing import NDArray

from fairtrial import Trials
from fairtrial.inference.group_covariance import GroupedRates, clustered_rates, independent_rates
from fairtrial.inference.jackknife import one_error, one_fewer
from fairtrial.inference.people import People
from simulated import crossed


def sparse(rng: np.random.Generator, people: int = 24, trials: int = 400) -> tuple[Trials, NDArray[np.bool_]]:
    """People who are claims of some trials and impostors of others, some pairs both ways round."""
    claim = np.concatenate([np.repeat(np.arange(people), 3), rng.integers(0, people, trials)])
    subject = np.concatenate([np.repeat(np.arange(people), 3), rng.integers(0, people, trials)])
    genuine = np.arange(len(claim)) < 3 * people
    other = ~genuine & (claim == subject)
    subject[other] = (subject[other] + 1) % people
    scores = rng.normal(size=len(claim))
    found = Trials.from_arrays(scores, genuine, claim=claim, subject=subject)
    effect = rng.normal(size=people)
    wrong = rng.normal(size=len(claim)) + effect[claim] + effect[subject] > 1
    return found, wrong


def rates_of(trials: Trials, codes: NDArray[np.int64], wrong: NDArray[np.bool_], count: int) -> list[GroupedRates]:
    people = People.of(trials)
    return [clustered_rates(part, codes[part.rows], wrong[part.rows], count, people.size) for part in people.classes]


def test_covariance_by_brute_force() -> None:
    """Over all pairs of trials that share somebody, each counted once; people left out weigh more."""
    trials, wrong = sparse(np.random.default_rng(2))
    assert trials.claim is not None
    assert trials.subject is not None
    claim, subject = (ids.numbered() for ids in (trials.claim, trials.subject))
    names = [np.array([int(name) for name in ids.decode()]) for ids in (claim, subject)]
    codes = (names[0] % 2).astype(np.int64)
    found = rates_of(trials, codes, wrong, 2)[1]
    rows = np.flatnonzero(~trials.genuine)
    who = [{int(a), int(b)} for a, b in zip(names[0][rows], names[1][rows], strict=True)]
    group, error = codes[rows], wrong[rows].astype(float)
    count = np.bincount(group)
    rate = np.bincount(group, error) / count
    share = np.array(
        [[sum(p in w for w, g in zip(who, group, strict=True) if g == k) / count[k] for k in (0, 1)] for p in range(24)]
    )
    deviation = (error - rate[group]) / count[group]
    total = 0.0
    for i in np.flatnonzero(group == 0):
        for j in np.flatnonzero(group == 1):
            both = who[i] & who[j]
            weights = [1 / ((1 - share[p, 0]) * (1 - share[p, 1])) for p in both]
            # two people in common are counted by each of them, less the pair itself
            total += deviation[i] * deviation[j] * (sum(weights) - (len(both) == 2))
    fewer = sqrt(one_fewer(found.spreads[0].people) * one_fewer(found.spreads[1].people))
    assert found.covariance[0, 1] == pytest.approx(total * fewer, rel=1e-9)


def test_groups_without_errors_vary_as_if_there_were_one() -> None:
    trials, wrong = sparse(np.random.default_rng(3))
    assert trials.claim is not None
    codes = trials.claim.numbered().codes.astype(np.int64) % 3
    wrong = wrong & (codes != 1)
    found = rates_of(trials, codes, wrong, 3)[1]
    rows = np.flatnonzero(codes == 1)
    people = People.of(trials.rows(rows))
    assert found.errors[1] == 0
    assert found.covariance[1, 1] == 0
    assert found.spreads[1].variance == pytest.approx(one_error(people.impostor).variance, rel=1e-9)


def test_alike_is_the_variance_of_the_model() -> None:
    """The variance that errors of people alike in all groups would have, over many sets of the same design."""
    rates, alike = [], []
    for seed in range(300):
        trials = crossed(np.random.default_rng(seed), clients=24, impostors=12, effect=0.7, systems=("a",))
        assert trials.claim is not None
        codes = trials.claim.numbered().codes.astype(np.int64)
        codes = np.where(codes % 24 < 6, 0, 1)
        found = rates_of(trials, codes, (trials.column() >= 1.2) != trials.genuine, 2)[1]
        rates.append(found.rate)
        alike.append(found.alike * float(np.mean(found.rate)) * (1 - float(np.mean(found.rate))))
    measured = np.cov(np.array(rates).T)
    assert np.mean(alike, axis=0) == pytest.approx(measured, rel=0.25)


def test_independent_trials() -> None:
    groups, wrong = np.array([0, 0, 0, 1, 1, -1]), np.array([True, False, False, False, True, True])
    found = independent_rates(groups, wrong, 2)
    assert found.errors.tolist() == [1, 1]
    assert found.trials.tolist() == [3, 2]
    assert np.diag(found.alike).tolist() == [1 / 3, 1 / 2]
    assert found.covariance[0, 0] == pytest.approx((1 / 3) * (2 / 3) / 2)
    assert found.covariance[0, 1] == 0
    assert found.kept(np.array([False, True])).trials.tolist() == [2]
