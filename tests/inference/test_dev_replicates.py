"""Replicates of dev's error rates: against people left out one by one, and against new data sets."""

import numpy as np
import pytest
from scipy import stats

from fairtrial import Trials
from fairtrial.counting.tallies import as_source, count_errors
from fairtrial.inference.dev_resampling import RateReplicates
from fairtrial.inference.multipliers import Draws
from fairtrial.inference.people import People
from simulated import crossed


def replicates(dev: Trials, threshold: float, *, ids: bool = True, which: int = 1, count: int = 4000) -> RateReplicates:
    """Of the FAR, 1, or of the FRR, 0, at one threshold."""
    people = People.of(dev)
    scores = dev.column(None)[~dev.genuine if which else dev.genuine]
    part = people.classes[which] if ids else None
    source = as_source(dev)
    counts = count_errors(source, np.array([threshold]))
    draws = Draws(0, count, people.size)
    return RateReplicates.of_scores(source, scores, np.sort(scores), part, counts, draws, which, nowhere_still=True)


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("ids", [True, False])
def test_replicates_vary_as_much_as_they_should(ids: bool, which: int) -> None:
    dev = crossed(np.random.default_rng(0), clients=60, impostors=20, effect=0.5, systems=("a",))
    found = replicates(dev, float(np.quantile(dev.column(None), 0.5)), ids=ids, which=which)
    assert np.std(found.moved[:, 0]) == pytest.approx(np.sqrt(found.variances[0]), rel=0.05)


def test_variance_is_that_of_new_people() -> None:
    rng = np.random.default_rng(1)
    drawn = [crossed(rng, clients=60, impostors=20, effect=0.5, systems=("a",)) for _ in range(400)]
    threshold = float(np.quantile(np.concatenate([dev.column(None)[~dev.genuine] for dev in drawn]), 0.95))
    far = [count_errors(as_source(dev), np.array([threshold])).far[0] for dev in drawn]
    found = np.mean([replicates(dev, threshold, count=10).variances[0] for dev in drawn[:60]])
    assert found == pytest.approx(np.var(stats.norm.ppf(far)), rel=0.2)


def test_each_unit_moves_the_deviate_as_if_it_were_left_out() -> None:
    """With a weight of 1 for one person and 0 for all others, by brute force; up to one factor for all of them."""
    dev = crossed(np.random.default_rng(2), clients=30, impostors=12, effect=0.8, systems=("a",))
    scores, subject = dev.column(None)[~dev.genuine], dev.ids["subject"].decode()[~dev.genuine]
    threshold = float(np.quantile(scores, 0.95))
    people = People.of(dev, "subject")
    counts = count_errors(as_source(dev), np.array([threshold]))
    draws = Draws(0, people.size, people.size)
    draws._kept[people.size, 0] = np.eye(people.size, dtype=np.float32)
    found = RateReplicates.of_scores(
        as_source(dev), scores, np.sort(scores), people.impostor, counts, draws, 1, nowhere_still=False
    )
    moved = found.moved[np.unique(people.impostor.people[0]), 0]
    wrong = scores > threshold
    expected = [
        stats.norm.ppf(wrong.mean()) - stats.norm.ppf(wrong[subject != name].mean()) for name in np.unique(subject)
    ]
    names = people.impostor.people[0][[np.flatnonzero(subject == name)[0] for name in np.unique(subject)]]
    order = np.argsort(np.argsort(names))
    assert np.corrcoef(moved[order], expected)[0, 1] > 0.99


@pytest.mark.parametrize("which", [0, 1])
def test_counts_without_an_error_move_too(which: int) -> None:
    # nobody is accepted wrongly above all scores, and nobody rejected wrongly below them
    rng = np.random.default_rng(3)
    counts = count_errors((rng.normal(size=200), rng.normal(size=500)), np.array([9.0 if which else -9.0]))
    found = RateReplicates.of_counts(counts, Draws(0, 4000, 1), which)
    assert np.std(found.moved[:, 0]) == pytest.approx(np.sqrt(found.variances[0]), rel=0.05)
    assert found.variances[0] > 0
