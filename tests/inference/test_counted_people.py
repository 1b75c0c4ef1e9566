"""People known by counts alone give the variances that the trials themselves give."""

from __future__ import annotations

import numpy as np
import pytest

import fairtrial as ft
from fairtrial.inference.decide import wrong_decisions
from fairtrial.inference.people import Cluster, People
from fairtrial.inference.person_counts import PersonCounts
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
    pieces = opened(trials, 4)
    numbers = pieces.roster.persons(linked=cluster == "both")
    counted = pieces.people_between(["a"], [np.array([-1.0, threshold])], cluster, numbers)
    assert isinstance(counted, PersonCounts)
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


def sets_with_shared_people() -> tuple[ft.Trials, ft.Trials]:
    """Dev and test that have some people in common, whose numbers differ between the two."""
    first, second = (
        pairs_once(crossed(np.random.default_rng(k), clients=20, start=start)) for k, start in ((1, 0), (2, 5))
    )
    return first, second


@pytest.mark.parametrize(("criterion", "alpha"), [("eer", None), ("wer-min", 0.7), ("far", 0.05)])
def test_people_in_both_sets_count_in_pieces_as_in_memory(criterion: str, alpha: float | None) -> None:
    dev, test = sets_with_shared_people()
    whole, pieces = (
        ft.evaluate(*sets, systems="a", criterion=criterion, alpha=alpha)["a"]
        for sets in ((dev, test), (opened(dev, 3), opened(test, 2)))
    )
    assert pieces.judgement.sets.overlap == whole.judgement.sets.overlap > 0
    for measure in ("hter", "far", "frr"):
        assert pieces.interval(measure).interval == pytest.approx(whole.interval(measure).interval, rel=1e-6)


@pytest.mark.parametrize("cluster", ["both", "claim", "none"])
@pytest.mark.parametrize(("criterion", "alpha"), [("eer", None), ("wer-min", 0.5), ("far", 0.05)])
def test_systems_in_pieces_are_compared_as_in_memory(cluster: Cluster, criterion: str, alpha: float | None) -> None:
    dev, test = sets_with_shared_people()
    whole, pieces = (
        ft.compare(*sets, criterion=criterion, alpha=alpha, cluster=cluster, n_resamples=50)["a", "b"]
        for sets in ((dev, test), (opened(dev, 3), opened(test, 2)))
    )
    assert pieces.agreement == whole.agreement
    known = {(test.test, test.threshold): test for test in whole.tests}
    for test_in_pieces in pieces.tests:
        same = known[test_in_pieces.test, test_in_pieces.threshold]
        assert test_in_pieces.p_value == pytest.approx(same.p_value, rel=1e-6)
        assert test_in_pieces.estimate == same.estimate
    left_out = {test.test for test in whole.tests} - {test.test for test in pieces.tests}
    assert left_out == (set() if cluster == "none" else {"bootstrap"})


def test_one_person_in_a_role_tells_nothing() -> None:
    trials = crossed(np.random.default_rng(1), clients=1, impostors=5)
    pieces = opened(trials, 2)
    counted = pieces.people_between(["a"], [np.array([0.0])], "claim", pieces.roster.persons())
    assert counted.genuine.alone == counted.impostor.alone == ("claim",)
    assert counted.notes == People.of(trials, "claim").notes
