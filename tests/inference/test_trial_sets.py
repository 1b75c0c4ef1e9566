"""Trial sets: what is a priori, who is in dev and test."""

from dataclasses import replace

import numpy as np

from fairtrial import Trials, evaluate, performance_curve
from fairtrial.inference import TrialSets, judge, make_blocks
from fairtrial.inference.split import seed_of
from simulated import crossed, without_ids

ARRAYS = ([0.9, 0.8, 0.4, 0.7], [0.1, 0.3, 0.5, 0.2, 0.6])
OTHERS = ([0.85, 0.55, 0.45, 0.95, 0.35], [0.15, 0.65, 0.25, 0.42, 0.05, 0.5])
DEV = crossed(np.random.default_rng(0), clients=20, impostors=10)
TEST = crossed(np.random.default_rng(1), clients=20, impostors=10, start=500)


def test_thresholds_from_dev_are_a_priori() -> None:
    for dev, test in ((DEV, TEST), (ARRAYS, OTHERS)):
        found = judge(TrialSets(dev, test), system="a")
        assert (found.sets.origin, found.kind) == ("dev", "a priori")
    assert judge(TrialSets(DEV, without_ids(TEST)), system="b").kind == "a priori"


def test_the_same_trials_are_a_posteriori_also_as_copies() -> None:
    copied = Trials(TEST.scores.copy(), TEST.genuine.copy(), TEST.systems)
    again = tuple(np.array(part) for part in ARRAYS)
    for dev, test in ((TEST, TEST), (TEST, copied), (ARRAYS, ARRAYS), (ARRAYS, again)):
        found = judge(TrialSets(dev, test), system="a")  # type: ignore[arg-type]
        assert (found.sets.origin, found.kind) == ("same trials", "a posteriori")
        assert any("the same trials" in str(note) for note in found.sets.notes)
    assert evaluate(ARRAYS, again).kind == "a posteriori"  # type: ignore[arg-type]
    assert performance_curve(TEST, copied, system="a", alphas=[0.5]).kind == "a posteriori"
    changed = Trials(TEST.scores + 1e-9, TEST.genuine, TEST.systems)
    assert TrialSets(TEST, changed).origin == "dev"


def test_people_in_both_sets_are_counted_and_said() -> None:
    apart, together = TrialSets(DEV, TEST), TrialSets(DEV, crossed(np.random.default_rng(2), clients=15, impostors=10))
    assert (apart.overlap, together.overlap) == (0, 25)
    assert "25 people take part in both dev and test" in map(str, together.notes)
    assert not any("both dev and test" in str(note) for note in apart.notes)
    assert TrialSets(DEV, TEST, "none").people == (None, None)
    one = TrialSets(without_ids(DEV), TEST)
    assert (one.sharing, one.people[0], one.overlap) == ("both", None, 0)


def test_scores_of_other_systems_keep_what_is_known_of_people() -> None:
    sets = TrialSets(DEV, TEST)
    other = sets.with_scores(DEV.select(["b"]), TEST.select(["b"]))
    assert other.people is sets.people
    assert judge(other).at(0) == judge(sets, system="b").at(0)
    changed = replace(other, blocks=make_blocks(TEST, 3, rng=1))
    assert (changed.origin, other.origin) == ("folds", "dev")


def test_given_thresholds_leave_dev_where_it_is() -> None:
    sets = TrialSets(DEV, TEST)
    first, people = sets.at_given_thresholds(), sets.people[1]
    again = sets.at_given_thresholds()
    assert (first.kind, again.kind, first.dev is DEV) == ("at a given threshold", "at a given threshold", True)
    assert again.people[1] is people
    assert first.people[0] is again.people[0] is None


def test_seeds() -> None:
    assert seed_of(7) == 7
    assert seed_of(np.random.default_rng(3)) == seed_of(np.random.default_rng(3)) != seed_of(np.random.default_rng(4))
