"""Random weights of people, and what they make of error rates, against explicit sums."""

import numpy as np
import pytest

from fairtrial.counting import count_errors
from fairtrial.inference.multipliers import Draws, deviations_by_unit
from fairtrial.inference.people import People
from simulated import crossed


def test_very_many_people_are_drawn_in_groups() -> None:
    sums = np.random.default_rng(0).normal(size=3000)
    draws = Draws(1, 4000, 3000)
    assert draws.people().shape == (4000, 1024)
    units = draws.units(np.arange(3000))
    assert np.bincount(units).max() - np.bincount(units).min() <= 1
    assert np.std(draws.move_people(sums)) == pytest.approx(np.sqrt(np.sum(sums**2)), rel=0.1)
    few = Draws(1, 4000, 50)
    assert np.std(few.move_people(sums[:50])) == pytest.approx(np.sqrt(np.sum(sums[:50] ** 2)), rel=0.05)


@pytest.mark.parametrize("which", [0, 1])
def test_deviations_by_person_are_those_of_leaving_each_out(which: int) -> None:
    trials = crossed(np.random.default_rng(1), clients=6, impostors=5, systems=("a",))
    people = People.of(trials)
    part = people.classes[which]
    scores = trials.column(None)[part.rows]
    counts = count_errors((trials.column(None)[trials.genuine], trials.column(None)[~trials.genuine]), [0.0, 1.0, 2.0])
    found = deviations_by_unit(scores, part, counts, Draws(0, 10, people.size), which)
    rates = np.asarray(counts.far if which else counts.frr)
    wrong = (scores[:, None] > [0.0, 1.0, 2.0]) if which else (scores[:, None] <= [0.0, 1.0, 2.0])
    scale = np.sqrt((part.effective - 1) / part.effective)
    for person in np.unique(np.concatenate(part.people)):
        kept = np.all([column != person for column in part.people], axis=0)
        expected = scale * (rates - wrong[kept].mean(axis=0))
        assert found[person] == pytest.approx(expected, abs=1e-6)
