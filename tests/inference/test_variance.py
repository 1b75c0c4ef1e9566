"""Variance components against all pairs of trials, and their mean against simulated truth."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from fairtrial import Trials
from fairtrial.inference.people import Cluster, People, class_moments
from fairtrial.inference.variance import BOTH, Components

Floats = NDArray[np.float64]


def sparse_trials(seed: int, *, same_people: bool = False, repeats: bool = True) -> Trials:
    """Make a few trials in which some people and some pairs of people come several times."""
    rng = np.random.default_rng(seed)
    claims, subjects = rng.integers(0, 6, 60), rng.integers(0, 5, 60)
    genuine = np.arange(60) < 20
    names = np.array([f"c{k}" for k in range(6)])
    others = names if same_people else np.array([f"s{k}" for k in range(6)])
    subject = np.where(genuine, names[claims], others[subjects])
    kept = genuine | (names[claims] != subject)
    if not repeats:
        pairs = np.char.add(names[claims], subject)
        kept &= genuine | np.isin(np.arange(60), np.unique(pairs, return_index=True)[1])
    scores = rng.normal(size=60)[kept]
    return Trials.from_arrays(scores, genuine[kept], claim=names[claims][kept].tolist(), subject=subject[kept].tolist())


def brute_force(
    people: list[set[Any]], roles: list[tuple[Any, ...]], a: Floats, b: Floats, *, symmetric: bool
) -> dict[str, float]:
    """Estimate covariances of two trials by what they share, over all ordered pairs."""
    sums: dict[str, list[float]] = {}
    a, b = a - a.mean(), b - b.mean()
    for i, j in product(range(len(a)), repeat=2):
        if i == j:
            kind = "same"
        elif symmetric:
            shared = len(people[i] & people[j])
            kind = {0: "none", 1: "person"}.get(shared, BOTH)
        else:
            same = [x == y for x, y in zip(roles[i], roles[j], strict=True)]
            kind = (
                BOTH
                if len(same) == 2 and all(same)
                else "none"
                if not any(same)
                else ("claim", "subject")[same.index(True)]
            )
        sums.setdefault(kind, []).append(a[i] * b[j])
    means = {kind: float(np.mean(values)) for kind, values in sums.items()}
    return {kind: value - means["none"] for kind, value in means.items() if kind != "none"}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("same_people", [False, True])
@pytest.mark.parametrize("repeats", [False, True])
def test_components_are_those_of_all_pairs(seed: int, same_people: bool, repeats: bool) -> None:
    trials = sparse_trials(seed, same_people=same_people, repeats=repeats)
    people = People.of(trials, "both")
    columns = [trials.scores[:, 0] > 0, trials.scores[:, 0] ** 2]
    for part, moments in zip(people.classes, people.moments(columns), strict=True):
        ids = [trials.ids[name].numbered().codes[part.rows] for name in ("claim", "subject")]
        names = [trials.ids[name].numbered().names for name in ("claim", "subject")]
        roles: list[tuple[str, ...]] = [(names[0][c], names[1][s]) for c, s in zip(*ids, strict=True)]
        if part is people.genuine:
            roles = [(claim,) for claim, _ in roles]
        sets = [set(role) for role in roles]
        for first, second in ((0, 0), (0, 1)):
            a, b = (np.asarray(columns[k], dtype=float)[part.rows] for k in (first, second))
            expected = brute_force(sets, roles, a, b, symmetric="person" in moments.pairs)
            del expected["same"]
            for kind, value in expected.items():
                unit = np.eye(2)
                assert moments.components(unit[first], unit[second])[kind] == pytest.approx(value, abs=1e-12)


def test_independent_trials_have_the_unbiased_variance() -> None:
    values, genuine = np.random.default_rng(0).normal(size=80), np.arange(80) < 50
    found = Components([class_moments(None, genuine, [values])]).variance([1.0], [2.0])
    assert found.genuine == pytest.approx(np.var(values[genuine], ddof=1) / 50)
    assert found.impostor == pytest.approx(4 * np.var(values[~genuine], ddof=1) / 30)
    assert found.value == pytest.approx(found.genuine + found.impostor)
    assert found.df == np.inf


@pytest.mark.parametrize("cluster", ["claim", "both"])
def test_variance_is_right_on_average(cluster: Cluster) -> None:
    rng = np.random.default_rng(3)
    claims, subjects = np.repeat(np.arange(12), 8), np.tile(np.arange(8), 12)
    genuine = np.zeros(96 + 24, dtype=bool)
    genuine[96:] = True
    owners = np.repeat(np.arange(12), 2)
    claim = [f"c{k}" for k in (*claims, *owners)]
    subject = [*(f"s{k}" for k in subjects), *(f"c{k}" for k in owners)]
    people = People.of(Trials.from_arrays(np.zeros(120), genuine, claim=claim, subject=subject), cluster)
    means, variances = [], []
    for _ in range(400):
        of_claim, of_subject = rng.normal(size=12), rng.normal(size=8) if cluster == "both" else np.zeros(8)
        values = np.concatenate([of_claim[claims] + of_subject[subjects], of_claim[owners]]) + rng.normal(size=120)
        means.append(values[:96].mean() + values[96:].mean())
        variances.append(Components([people.moments([values])]).variance([1.0], [1.0]).value)
    assert np.mean(variances) == pytest.approx(np.var(means), rel=0.2)


def test_no_variance_is_below_that_of_independent_trials() -> None:
    claim = [f"c{k}" for k in range(4) for _ in range(4)]
    subject = [f"s{k}" for _ in range(4) for k in range(4)]
    genuine = np.zeros(20, dtype=bool)
    genuine[16:] = True
    names = [f"c{k}" for k in range(4)]
    trials = Trials.from_arrays(np.zeros(20), genuine, claim=claim + names, subject=subject + names)
    wrong = np.zeros(20, dtype=bool)
    wrong[[0, 5, 10, 15]] = True  # everybody once: less than chance
    moments = People.of(trials).moments([wrong])
    assert Components([moments]).variance([0.0], [1.0]).value >= 0.25 * 0.75 / 16


def test_covariances_are_pooled_by_effective_people() -> None:
    sets = [People.of(sparse_trials(seed), "both").moments([sparse_trials(seed).scores[:, 0]]) for seed in (1, 2)]
    pooled, alone = Components(sets), [Components([own]) for own in sets]
    unit = np.ones(1)
    effective = [own[1].effective for own in sets]
    expected = sum(
        weight * own[1].components(unit, unit)["claim"] for weight, own in zip(effective, sets, strict=True)
    ) / sum(effective)
    assert pooled._average(1, unit, unit)["claim"] == pytest.approx(expected)
    low, high = sorted(each.variance([0.0], [1.0]).value for each in alone)
    assert low * 0.3 < pooled.variance([0.0], [1.0]).value < high * 3


def test_noise_is_that_of_pairs_of_trials() -> None:
    trials = sparse_trials(5)
    people = People.of(trials, "both")
    wrong = trials.scores[:, 0] > 0
    for part, moments in zip(people.classes, people.moments([wrong]), strict=True):
        centred = wrong[part.rows] - wrong[part.rows].mean()
        for role, (person,) in part.by_role.items():
            pairs = [
                centred[mine].sum() ** 2 - np.sum(centred[mine] ** 2)
                for mine in (person == who for who in np.unique(person))
            ]
            expected = np.var(pairs) * len(pairs)
            assert moments.fourth(role, np.ones(1)) == pytest.approx(expected)
