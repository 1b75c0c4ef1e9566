"""People known by counts alone give the variances that the trials themselves give."""

from __future__ import annotations

import numpy as np
import pytest

import fairtrial as ft
from fairtrial.inference.decide import wrong_decisions
from fairtrial.inference.people import Cluster, People
from fairtrial.inference.person_counts import CountedPeople
from fairtrial.inference.variance import Components
from simulated import crossed


def opened(trials: ft.Trials, parts: int) -> ft.counting.OpenTrials:
    return ft.open_trials([trials.rows(own) for own in np.array_split(np.arange(len(trials)), parts)])


def pairs_once(trials: ft.Trials) -> ft.Trials:
    """Trials in which no two people meet twice, so that counts by person tell everything."""
    assert trials.claim is not None
    assert trials.subject is not None
    met = [tuple(sorted(pair)) for pair in zip(trials.claim.decode(), trials.subject.decode(), strict=True)]
    first = {pair: row for row, pair in reversed(list(enumerate(met)))}
    keep = [trials.genuine[row] or first[pair] == row for row, pair in enumerate(met)]
    return trials.rows(np.flatnonzero(keep))


@pytest.mark.parametrize("cluster", ["both", "claim", "subject"])
@pytest.mark.parametrize("threshold", [0.3, 1.0, 2.5])
def test_variance_is_that_of_the_trials(cluster: Cluster, threshold: float) -> None:
    trials = pairs_once(crossed(np.random.default_rng(3), effect=0.7))
    people = People.of(trials, cluster)
    counted = opened(trials, 4).people_between("a", np.array([-1.0, threshold]), cluster)
    assert isinstance(counted, CountedPeople)
    whole = Components([people.moments([wrong_decisions(trials, "a", threshold)])])
    at = counted.at([1])
    found = Components([(at.genuine.moments(), at.impostor.moments())])
    for weights in ((0.5, 0.5), (1.0, 0.0), (0.0, 1.0)):
        one, other = (read.variance([weights[0]], [weights[1]]) for read in (found, whole))
        assert one.value == pytest.approx(other.value, rel=1e-9)
        assert one.df == pytest.approx(other.df, rel=1e-9)
    assert counted.notes == people.notes


@pytest.mark.parametrize(("criterion", "alpha"), [("eer", None), ("wer-min", 0.7), ("far", 0.05)])
def test_intervals_of_trials_in_pieces(criterion: str, alpha: float | None) -> None:
    """With the threshold fixed they are the same; re-estimated they differ by what is drawn at random."""
    dev, test = (pairs_once(crossed(np.random.default_rng(k), effect=0.5, start=1000 * k)) for k in (1, 2))
    whole, pieces = (
        ft.evaluate(*sets, systems="a", criterion=criterion, alpha=alpha, n_resamples=2000)
        for sets in ((dev, test), (opened(dev, 5), opened(test, 7)))
    )
    assert pieces.test == whole.test
    assert [(own.method, own.threshold) for own in pieces.intervals] == [
        (own.method, own.threshold) for own in whole.intervals
    ]
    assert pieces.intervals[1].interval == pytest.approx(whole.intervals[1].interval, rel=1e-9)
    assert pieces.interval().sigma == pytest.approx(whole.interval().sigma, rel=0.06)


def test_people_in_both_sets_are_told() -> None:
    dev, test = (crossed(np.random.default_rng(k)) for k in (1, 2))
    found = ft.evaluate(opened(dev, 2), opened(test, 2), systems="a")
    assert any("75 people take part in both dev and test; that this makes" in str(note) for note in found.notes)


def test_one_person_in_a_role_tells_nothing() -> None:
    trials = crossed(np.random.default_rng(1), clients=1, impostors=5)
    assert opened(trials, 2).people_between("a", np.array([0.0]), "claim") is None
