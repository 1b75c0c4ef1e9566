"""How alike scores are, against the model they were drawn from and against simulated error rates."""

import numpy as np
import pytest
from scipy import stats

from fairtrial.inference.intraclass import Alike, Alikeness
from fairtrial.inference.people import People
from fairtrial.inference.person_counts import count_people
from simulated import crossed


def alikeness(seed: int, effect: float, clients: int = 400, impostors: int = 300) -> Alikeness:
    trials = crossed(np.random.default_rng(seed), clients=clients, impostors=impostors, effect=effect, systems=("a",))
    part = People.of(trials).impostor
    scores = trials.column(None)[part.rows]
    return Alikeness.of(part, scores, np.sort(scores))


def test_correlations_are_those_of_the_model() -> None:
    # scores are the sum of a client's effect, an impostor's and noise of 1
    found = alikeness(0, 0.5)
    share = 0.25 / (1 + 2 * 0.25)
    for own in found.by_role:
        assert own.correlation == pytest.approx(share, rel=0.2)
    assert [own.others for own in found.by_role] == [299, 399]
    assert found.by_pair == Alike(0.0, 0.0)


def test_without_effects_nothing_is_alike() -> None:
    found = alikeness(1, 0.0)
    assert found.of_people(np.array([0.01, 0.1])) == pytest.approx([1, 1], abs=0.15)
    assert found.counted_twice(np.array([0.01])).tolist() == [1.0]


@pytest.mark.parametrize("correlation", [0.0, 0.3, 0.9])
def test_errors_alike_are_those_of_two_normal_deviates(correlation: float) -> None:
    rates = np.array([0.001, 0.05, 0.5, 0.9])
    joint = stats.multivariate_normal(cov=[[1, correlation], [correlation, 1]])
    both = np.array([joint.cdf([stats.norm.ppf(rate)] * 2) for rate in rates])
    expected = (both - rates**2) / (rates * (1 - rates))
    assert Alike(1.0, correlation).added(rates) == pytest.approx(expected, abs=1e-4)


def test_variance_of_a_rare_error_is_that_over_new_people() -> None:
    """The false accept rate at a threshold of 2 per cent, 20 clients and 10 impostors with effects."""
    rng, rates, expected = np.random.default_rng(2), [], []
    for k in range(1500):
        trials = crossed(rng, clients=20, impostors=10, effect=0.7, systems=("a",))
        part = People.of(trials).impostor if k < 60 else None
        scores = trials.column(None)[~trials.genuine]
        rates.append(float(np.mean(scores > 2.05 * np.sqrt(1 + 2 * 0.49))))
        if part is not None:
            found = Alikeness.of(part, scores, np.sort(scores))
            expected.append(float(found.of_people(np.array([0.0202]))[0]) * 0.0202 * 0.9798 / 200)
    assert np.mean(expected) == pytest.approx(np.var(rates), rel=0.2)


def test_counts_between_thresholds_tell_nearly_the_same() -> None:
    trials = crossed(np.random.default_rng(3), clients=200, impostors=100, effect=0.5, systems=("a",))
    people = People.of(trials)
    scores = trials.column(None)[people.impostor.rows]
    cells = np.searchsorted(np.quantile(scores, [0.2, 0.5, 0.8, 0.9, 0.95]), scores)
    size = people.size
    tables = {}
    for role, column in zip(("claim", "subject"), people.impostor.people, strict=True):
        table = np.zeros((2, size, 6), dtype=np.int64)
        np.add.at(table[0], (column, cells), 1)
        table[1, :2, 0] = 1
        tables[role] = table
    counted = count_people("both", tuple(str(k) for k in range(size)), np.arange(size), tables)
    assert counted is not None
    found = Alikeness.of_counts(counted.impostor)
    for own in found.by_role:
        assert own.correlation == pytest.approx(0.25 / 1.5, rel=0.3)
    assert found.by_pair is None
