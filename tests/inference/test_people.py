"""Who shares trials: variances against brute force over all pairs of trials, who is numbered as whom, who is drawn."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from fairtrial import Trials, TrialsError
from fairtrial.counting.tallies import as_source, count_errors
from fairtrial.inference.decide import wrong_decisions
from fairtrial.inference.intervals import independent_variance
from fairtrial.inference.people import Cluster, People, known_cluster, people_of, ranks_of, shared_people
from fairtrial.inference.variance import Spread, contributions, independent_spread, welch
from fairtrial.rules.measures import Weights
from simulated import strangers


def some_trials(seed: int, count: int = 40, people: int = 6) -> Trials:
    rng = np.random.default_rng(seed)
    claim, subject = rng.integers(0, people, (2, count))
    claim[:4], subject[:4] = [0, 1, 1, 2], [0, 0, 1, 1]
    return Trials.from_arrays(rng.normal(size=count), claim == subject, claim=claim, subject=subject)


def roles(trials: Trials, cluster: Cluster) -> list[list[object]]:
    """The people of each trial, one list per role that counts."""
    names = {"claim": ("claim",), "subject": ("subject",), "both": ("claim", "subject")}.get(cluster, ())
    return [trials.ids[name].decode().tolist() for name in names] or [list(range(len(trials)))]


class Slowly:
    """The jackknife's variance by explicit loops over pairs of trials that share a person."""

    def __init__(self, trials: Trials, deviations: NDArray[np.float64], cluster: Cluster) -> None:
        self.deviations, self.genuine, self.columns = deviations, trials.genuine, roles(trials, cluster)
        self.people = [set(own) for own in zip(*self.columns, strict=True)]
        self.classes = [np.flatnonzero(trials.genuine).tolist(), np.flatnonzero(~trials.genuine).tolist()]

    def share(self, person: object, rows: list[int]) -> float:
        return sum(person in self.people[i] for i in rows) / len(rows)

    def leverage(self, person: object, trial: int) -> float:
        rows = self.classes[0] if self.genuine[trial] else self.classes[1]
        return 1 / (1 - min(self.share(person, rows), 0.9))

    def over_pairs(self, rows: list[int]) -> float:
        total = 0.0
        for i, j in product(rows, repeat=2):
            both = self.people[i] & self.people[j]
            weight = sum(self.leverage(person, i) * self.leverage(person, j) for person in both)
            # trials of the same two people were counted for each of them
            total += self.deviations[i] * self.deviations[j] * (weight - (len(both) == 2))
        return total

    def effective(self, rows: list[int]) -> float:
        """Kish's number of people, of the role in which it is smaller."""
        found = []
        for column in self.columns:
            shares = [self.share(person, rows) for person in {column[i] for i in rows}]
            found.append(sum(shares) ** 2 / sum(share**2 for share in shares))
        return min(found)

    def independent(self, rows: list[int]) -> float:
        return float(sum(self.deviations[i] ** 2 for i in rows))

    def of_class(self, rows: list[int]) -> tuple[float, float]:
        people = self.effective(rows)
        variance = self.over_pairs(rows) * max(people - 1, 1) / max(people, 2)
        return max(variance, self.independent(rows) / 2), people

    def whole(self) -> tuple[float, float]:
        parts = [self.of_class(rows) for rows in self.classes]
        total = sum(variance for variance, _ in parts)
        degrees = total**2 / sum(variance**2 / max(people - 1, 1) for variance, people in parts)
        every = self.classes[0] + self.classes[1]
        return max(self.over_pairs(every) * degrees / (degrees + 1), self.independent(every) / 2), degrees


@pytest.mark.parametrize("cluster", ["none", "claim", "subject", "both"])
@pytest.mark.parametrize("seed", range(12))
def test_variance_is_the_jackknifes_over_dependent_pairs(cluster: Cluster, seed: int) -> None:
    trials = some_trials(seed)
    deviations = contributions(trials.genuine, wrong_decisions(trials, None, 0.2), Weights(0.5, 0.4)[:2])
    found, slowly = People.of(trials, cluster).variance(deviations), Slowly(trials, deviations, cluster)
    assert (found.variance, found.degrees) == pytest.approx(slowly.whole())
    for own, rows in zip((found.genuine, found.impostor), slowly.classes, strict=True):
        assert (own.variance, own.people) == pytest.approx(slowly.of_class(rows))
        assert own.trials == len(rows)
    assert found.sigma**2 == pytest.approx(found.variance)
    assert found.people == min(found.genuine.people, found.impostor.people)


@pytest.mark.parametrize("cluster", ["claim", "subject"])
def test_one_way_variance_is_that_of_leaving_people_out(cluster: Cluster) -> None:
    # equal shares: the jackknife's own (n - 1)/n times the sum of squared changes of the mean
    rng = np.random.default_rng(3)
    claim, subject = np.divmod(np.arange(12 * 10), 10)
    genuine = np.arange(240) < 120
    trials = Trials.from_arrays(
        rng.normal(size=240), genuine, claim=np.tile(claim, 2), subject=np.tile(subject, 2) + 100
    )
    wrong = rng.random(240) < 0.3
    people = np.tile(claim if cluster == "claim" else subject, 2)
    found = People.of(trials, cluster).error_variance(wrong)
    for own, rows in ((found.genuine, genuine), (found.impostor, ~genuine)):
        names = np.unique(people[rows])
        left = [wrong[rows & (people != name)].mean() for name in names]
        expected = (len(names) - 1) / len(names) * np.sum((np.array(left) - wrong[rows].mean()) ** 2)
        assert own.variance == pytest.approx(max(expected, wrong[rows].var() / rows.sum() / 2))


@pytest.mark.parametrize("cluster", ["none", "claim", "subject", "both"])
@given(seed=st.integers(0, 60), threshold=st.floats(-2, 2))
def test_variance_from_errors_alone_is_that_of_all_contributions(cluster: Cluster, seed: int, threshold: float) -> None:
    trials = some_trials(seed)
    weights = (0.3, 0.9)
    wrong = wrong_decisions(trials, None, threshold)
    difference = wrong.astype(np.int8) - wrong_decisions(trials, None, 0.1).astype(np.int8)
    people = People.of(trials, cluster)
    for errors in (wrong, difference):
        expected = people.variance(contributions(trials.genuine, errors, weights))
        found = people.error_variance(errors, weights)
        assert found.variance == pytest.approx(expected.variance, abs=1e-15)
        assert found.degrees == pytest.approx(expected.degrees)
        for part in ("genuine", "impostor"):
            assert getattr(found, part).variance == pytest.approx(getattr(expected, part).variance, abs=1e-15)


def test_contributions_sum_to_nothing_and_squares_to_the_independent_variance() -> None:
    trials = some_trials(3, 400, 30)
    wrong = wrong_decisions(trials, None, 0.0)
    weights = Weights(0.3, 0.9)
    deviations = contributions(trials.genuine, wrong, weights[:2])
    assert deviations.sum() == pytest.approx(0)
    counts = count_errors(as_source(trials), 0.0).scalar()
    assert np.sum(deviations**2) == pytest.approx(independent_variance(counts, weights))


def test_degrees_of_freedom_are_welchs() -> None:
    rng = np.random.default_rng(2)
    genuine = np.arange(90) < 30
    trials = Trials.from_arrays(rng.normal(genuine, 1), genuine, claim=np.arange(90), subject=np.arange(90) + 100)
    wrong = wrong_decisions(trials, None, 0.4)
    classes = [wrong[rows].astype(float) for rows in (genuine, ~genuine)]
    expected = stats.ttest_ind(*classes, equal_var=False).df
    clusters: list[Cluster] = ["none", "claim", "both"]
    found: list[Spread] = [People.of(trials, cluster).error_variance(wrong, (0.5, 0.5)) for cluster in clusters]
    for spread in (*found, independent_spread(genuine, wrong, (0.5, 0.5))):
        # with both roles an impostor trial is of two people, and each of them is left out in turn
        slack = 0.05 if spread is found[2] else 1e-9
        assert spread.degrees == pytest.approx(expected, rel=slack)
        assert (spread.genuine.people, spread.impostor.people) == (30, 60)
        assert spread.genuine.variance == pytest.approx(stats.sem(classes[0]) ** 2 / 4)
        assert spread.impostor.variance == pytest.approx(stats.sem(classes[1]) ** 2 / 4, rel=slack)
    assert welch([(2.0, 5.0), (0.0, 3.0)]) == pytest.approx(5)
    assert welch([(0.0, 5.0), (0.0, 3.0)]) == 3
    assert welch([(2e-257, 5.0), (6e-257, 3.0)]) == pytest.approx(welch([(2.0, 5.0), (6.0, 3.0)]))


def test_a_two_way_variance_below_zero_is_half_of_that_of_independent_trials() -> None:
    # 4 clients x 4 impostors, each client accepts one impostor of its own: sums by client and by impostor are all 0
    claim, subject = np.divmod(np.arange(16), 4)
    claim, subject = np.concatenate([claim, [0, 1, 2, 3]]), np.concatenate([subject + 100, [0, 1, 2, 3]])
    genuine = claim == subject
    trials = Trials.from_arrays(np.zeros(20), genuine, claim=claim, subject=subject)
    errors = ~genuine & (subject - 100 == claim)
    deviations = contributions(genuine, errors, (1.0, 1.0))
    slowly = Slowly(trials, deviations, "both")
    assert slowly.over_pairs(list(range(20))) < 0
    for found in (People.of(trials).variance(deviations), People.of(trials).error_variance(errors)):
        assert found.variance == pytest.approx(16 * 3 / 16 / 16**2 / 2)
        assert np.isfinite([found.sigma, found.degrees]).all()


def test_variance_is_right_on_average_where_people_have_no_effects() -> None:
    # 20 clients with 4 genuine trials each, 10 impostors against all; never below all of that of independent trials, it
    # would be 14 % too large on average
    claim = np.concatenate([np.repeat(np.arange(20), 4), np.repeat(np.arange(20), 10)])
    subject = np.concatenate([claim[:80], 100 + np.tile(np.arange(10), 20)])
    people = People.of(Trials.from_arrays(np.zeros(280), claim == subject, claim=claim, subject=subject))
    rng = np.random.default_rng(0)
    found = [people.error_variance(rng.random(280) < 0.1, (0.5, 0.5)).variance for _ in range(2000)]
    assert np.mean(found) == pytest.approx(0.25 * 0.1 * 0.9 * (1 / 80 + 1 / 200), rel=0.08)


def test_effective_number_of_people_by_hand() -> None:
    # one client has 6 of 12 genuine trials and six others one each: 12^2 / (6^2 + 6) = 3.43
    claim = np.concatenate([[0] * 6, np.arange(1, 7), np.arange(7)])
    subject = np.concatenate([claim[:12], 100 + np.arange(7)])
    trials = Trials.from_arrays(np.zeros(19), claim == subject, claim=claim, subject=subject)
    found = People.of(trials)
    assert found.genuine.effective == pytest.approx(144 / 42)
    assert found.impostor.effective == pytest.approx(7)
    notes = {note.code: note.values for note in found.notes}
    assert notes["dominant-person"]["trials"] == "genuine"
    assert notes["dominant-person"]["people"] == pytest.approx(144 / 42)
    assert notes["few-people"]["trials"] == "impostor"
    assert notes["few-people"]["people"] == pytest.approx(7)


@pytest.mark.parametrize(("role", "other"), [("claim", "subject"), ("subject", "claim")])
def test_one_person_in_a_role_is_said_and_left_out(role: str, other: Cluster) -> None:
    ids = {role: np.zeros(60, dtype=int), other: 1 + np.arange(60) % 20}
    genuine = np.arange(60) < 20
    ids["claim"] = np.where(genuine, np.arange(60) % 20 + 1, ids["claim"])
    ids["subject"] = np.where(genuine, np.arange(60) % 20 + 1, ids["subject"])
    rng = np.random.default_rng(0)
    trials = Trials.from_arrays(rng.normal(size=60), genuine, claim=ids["claim"], subject=ids["subject"])
    people = People.of(trials)
    assert people.impostor.alone == (role,)
    (note,) = people.notes
    assert (note.code, note.values) == ("one-person", {"trials": "impostor", "role": role})
    # what is left goes by the other role
    wrong = rng.random(60) < 0.4
    one_way = People.of(trials, other)
    assert people.error_variance(wrong).impostor.variance == pytest.approx(
        one_way.error_variance(wrong).impostor.variance
    )


def test_one_person_in_every_role_leaves_single_trials() -> None:
    genuine = np.arange(40) < 20
    trials = Trials.from_arrays(np.arange(40.0), genuine, claim=["x"] * 40, subject=np.where(genuine, "x", "y"))
    wrong = np.arange(40) % 5 == 0
    people = People.of(trials)
    assert len(people.notes) == 4
    found = people.error_variance(wrong)
    assert found.variance == pytest.approx(independent_spread(genuine, wrong).variance, rel=0.03)
    assert people.draw(3, np.random.default_rng(0)).sum() == 3 * 40
    # the stand-ins of one set are nobody in another
    assert shared_people(*People.of_sets([trials, trials.rows(np.arange(40)[::-1])])) == 0


def test_what_is_shared_is_said_or_found() -> None:
    plain = Trials.from_arrays([0.0, 1.0], [False, True])
    with pytest.raises(TrialsError, match="needs claim ids"):
        People.of(plain, "claim")
    assert known_cluster(plain, None) == "none"
    assert known_cluster(some_trials(0), None) == "both"
    only = Trials.from_arrays([0.0, 1.0], [False, True], subject=["a", "b"])
    assert known_cluster(only, None) == "subject"
    with pytest.raises(TrialsError, match="no impostor trial"):
        People.of(Trials.from_arrays([0.0, 1.0], [True, True], claim=["a", "b"]))


def test_two_names_of_a_genuine_trial_are_one_person() -> None:
    claim = ["model1", "model2", "model1", "model2"]
    subject = ["ann", "bob", "bob", "ann"]
    trials = Trials.from_arrays(np.zeros(4), [True, True, False, False], claim=claim, subject=subject)
    first, second = people_of(trials, "both")
    assert first.tolist()[:2] == second.tolist()[:2]
    assert sorted([first[2], second[2]]) == sorted(first[:2].tolist())
    assert len(set(first.tolist())) == 2


def test_people_have_one_number_in_all_sets() -> None:
    dev, test = some_trials(1), some_trials(2, people=8)
    moved = strangers(test)
    names = [{name for own in roles(trials, "both") for name in own} for trials in (dev, test, moved)]
    assert shared_people(*People.of_sets([dev, test])) == len(names[0] & names[1])
    assert shared_people(*People.of_sets([dev, moved])) == len(names[0] & names[2]) == 0
    # dev goes by the roles it knows among those that count in test
    half = Trials(dev.scores, dev.genuine, dev.systems, dev.claim)
    assert [people.cluster for people in People.of_sets([half, test])] == ["claim", "both"]
    assert [people.cluster for people in People.of_sets([dev, test], "subject")] == ["subject", "subject"]
    assert [people.cluster for people in People.of_sets([dev, test], "none")] == ["none", "none"]


def test_clients_and_others_are_drawn_among_themselves() -> None:
    claim = np.concatenate([np.arange(7), np.repeat(np.arange(7), 5)])
    subject = np.concatenate([np.arange(7), np.tile(100 + np.arange(5), 7)])
    people = People.of(Trials.from_arrays(np.zeros(42), claim == subject, claim=claim, subject=subject))
    clients, others = people.strata
    numbers = people.draw(4000, np.random.default_rng(0))
    assert (len(clients), len(others)) == (7, 5)
    assert (numbers[:, clients].sum(axis=1) == 7).all()
    assert (numbers[:, others].sum(axis=1) == 5).all()
    # each number is binomial: variance n (1/n) (1 - 1/n)
    assert numbers[:, clients].var(axis=0) == pytest.approx(np.full(7, 6 / 7), rel=0.12)
    assert numbers[:, others].mean(axis=0) == pytest.approx(np.ones(5), abs=0.06)


def test_sums_by_person_change_the_mean_as_leaving_out_does() -> None:
    trials = some_trials(5)
    wrong = wrong_decisions(trials, None, 0.0)
    found = People.of(trials).sums_by_person(contributions(trials.genuine, wrong, (1.0, 1.0)))
    numbers: dict[object, int] = {}
    for names, column in zip(roles(trials, "both"), people_of(trials, "both"), strict=True):
        numbers |= dict(zip(names, column.tolist(), strict=True))
    assert len(numbers) == 6
    for person, number in numbers.items():
        kept = np.array([person not in pair for pair in zip(*roles(trials, "both"), strict=True)])
        change = sum(wrong[rows].mean() - wrong[rows & kept].mean() for rows in (trials.genuine, ~trials.genuine))
        assert found[number] == pytest.approx(change)


def test_ids_that_look_like_files_or_come_once_are_doubted() -> None:
    genuine = np.arange(300) < 100
    scores = np.random.default_rng(0).normal(size=300)

    def notes(claim: list[str], subject: list[str]) -> str:
        return "; ".join(
            str(note) for note in People.of(Trials.from_arrays(scores, genuine, claim=claim, subject=subject)).notes
        )

    people = [f"person {k % 20}" for k in range(300)]
    assert "person=" not in notes(people, people)
    assert "claim ids look like files, such as id1/x0.wav" in notes([f"id1/x{k % 20}.wav" for k in range(300)], people)
    assert "subject ids look like files, such as f0.png" in notes(people, [f"f{k % 20}.png" for k in range(300)])
    once = [f"u{k}" for k in range(300)]
    assert "300 subject ids take part in 1.0 trials each: if a person has several" in notes(people, once)


@given(st.lists(st.integers(0, 40), min_size=1, max_size=60), st.integers(41, 400))
def test_ranks_are_those_of_numpy_however_they_are_found(numbers: list[int], limit: int) -> None:
    codes = np.array(numbers, dtype=np.int64)
    assert np.array_equal(ranks_of(codes, limit), np.unique(codes, return_inverse=True)[1])


def test_repr_is_short() -> None:
    people = People.of(some_trials(0))
    assert repr(people).startswith("<People: cluster both, genuine <Members: ")
    assert len(repr(people)) < 200


def test_times_drawn_is_the_product_over_the_people_of_a_trial() -> None:
    trials = some_trials(3)
    people = People.of(trials)
    numbers = np.arange(1.0, people.size + 1)
    for part in people.classes:
        expected = [
            np.prod([numbers[person] for person in {int(column[row]) for column in part.people}])
            for row in range(len(part.rows))
        ]
        assert part.times_drawn(numbers).tolist() == expected
