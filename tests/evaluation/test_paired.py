"""Two systems on the same trials: the tests agree where they should, and keep their level where trials share people."""

from math import comb

import numpy as np
import pytest
from scipy import stats

from fairtrial import MEASURES, Trials, TrialsError
from fairtrial.core.notes import Note
from fairtrial.evaluation.paired_tests import (
    Pair,
    bootstrap_difference,
    bootstrap_test,
    leading_test,
    pair_judgements,
    permutation_test,
)
from fairtrial.inference import TrialSets, equivalence_test, judge, judge_at
from fairtrial.inference.people import Cluster
from fairtrial.inference.student import Alternative
from fairtrial.published.rates import dependent_test, independent_test
from simulated import crossed

HTER = MEASURES["hter"]


def two_systems(rng: np.random.Generator, *, clients: int = 40, impostors: int = 20, effect: float = 0.0) -> Trials:
    """Two equally good systems on the same trials; people have effects on each system of their own."""
    claim = np.concatenate([np.repeat(np.arange(clients), 4), np.repeat(np.arange(clients), impostors)])
    subject = np.concatenate([np.repeat(np.arange(clients), 4), 1000 + np.tile(np.arange(impostors), clients)])
    genuine = claim == subject
    shared = rng.normal(size=len(claim))[:, None]
    own = rng.normal(size=(len(claim), 2))
    person = effect * rng.normal(size=(1000 + impostors, 2))
    scores = 2.2 * genuine[:, None] + 0.7 * shared + 0.7 * own + person[subject] * ~genuine[:, None]
    return Trials.from_arrays(scores, genuine, systems=["a", "b"], claim=claim, subject=subject)


def pair(
    trials: Trials, threshold: float = 1.1, cluster: Cluster | None = None, systems: tuple[str, str] = ("a", "b")
) -> Pair:
    sets = TrialSets(None, trials, cluster)
    return pair_judgements(*(judge_at(sets, threshold, system=name) for name in systems))


def test_counts_and_discordant_trials_by_hand() -> None:
    trials = Trials.from_arrays(
        np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]),
        [True, True, True, False, False, False],
        systems=["a", "b"],
    )
    found = pair(trials, 0.5)
    assert (found.counts_a.false_rejects, found.counts_a.false_accepts) == (1, 2)
    assert (found.counts_b.false_rejects, found.counts_b.false_accepts) == (2, 2)
    disagree = found.discordant
    assert (disagree.impostor_ab, disagree.impostor_ba, disagree.genuine_ab, disagree.genuine_ba) == (1, 1, 1, 0)
    assert found.outcome.tolist() == [2, 3, 0, 1, 2, 0]
    assert (found.agreement.only_a_wrong, found.agreement.only_b_wrong) == (1, 2)


def test_all_tests_agree_on_independent_trials() -> None:
    trials = two_systems(np.random.default_rng(0), clients=200)
    found = pair(trials, cluster="none")
    a, b = found.counts_a, found.counts_b
    sigmas = {
        "dependent": dependent_test(a, b, found.discordant).sigma,
        "leading": leading_test(found).sigma,
        "permutation": permutation_test(found).sigma,
        "bootstrap": bootstrap_test(bootstrap_difference(found, measure=HTER)).sigma,
    }
    reference = sigmas.pop("dependent")
    assert reference is not None
    for sigma in sigmas.values():
        assert sigma == pytest.approx(reference, rel=0.05)
    # the systems share noise, so the difference varies less than that of two independent ones
    assert reference < (independent_test(a, b).sigma or 0)


def test_permutation_against_all_sign_changes() -> None:
    rng = np.random.default_rng(4)
    trials = two_systems(rng, clients=4, impostors=3)
    found = pair(trials)
    genuine = trials.genuine
    difference = found.wrong_a.astype(int) - found.wrong_b.astype(int)
    places = np.flatnonzero(difference)
    weight = np.where(genuine, 0.5 / genuine.sum(), 0.5 / (~genuine).sum())[places]
    signs = np.array(np.meshgrid(*[[-1, 1]] * len(places))).reshape(len(places), -1)
    shifts = weight @ signs
    estimate = abs(float(np.sum(np.where(genuine, 0.5 / genuine.sum(), 0.5 / (~genuine).sum()) * difference)))
    exact = np.mean(np.abs(shifts) >= estimate - 1e-12)
    assert permutation_test(found, n_resamples=50_000).p_value == pytest.approx(exact, abs=0.01)


def test_one_sided_p_values_add_up() -> None:
    found = pair(two_systems(np.random.default_rng(1)))
    sides: tuple[Alternative, ...] = ("less", "greater")
    less, greater = (leading_test(found, alternative=side).p_value for side in sides)
    assert less + greater == pytest.approx(1)
    assert leading_test(found).p_value == pytest.approx(2 * min(less, greater))
    drawn = bootstrap_difference(found, measure=HTER, n_resamples=2000)
    for side, expected in zip(sides, (less, greater), strict=True):
        for test in (bootstrap_test(drawn, alternative=side), permutation_test(found, alternative=side)):
            assert test.alternative == side
            assert test.p_value == pytest.approx(expected, abs=0.1)


def test_the_leading_test_is_called_by_what_it_knows() -> None:
    trials = two_systems(np.random.default_rng(1))
    assert leading_test(pair(trials)).test == "cluster"
    note = leading_test(pair(trials)).note
    assert isinstance(note, Note)
    assert (note.code, note.values) == ("effective-people", {"people": 20.0})
    assert leading_test(pair(trials, cluster="none")).test == "paired"


def test_both_thresholds_say_which_they_are() -> None:
    rng = np.random.default_rng(5)
    sets = TrialSets(crossed(rng), crossed(rng, start=500))
    found = pair_judgements(*(judge(sets, system=name, criterion="far", alphas=0.01) for name in ("a", "b")))
    moved, fixed = leading_test(found), leading_test(found, threshold="fixed")
    assert [moved.to_dict()["threshold"], fixed.to_dict()["threshold"]] == ["re-estimated", "fixed"]
    assert moved.estimate == fixed.estimate
    assert (moved.sigma or 0) > (fixed.sigma or 0)
    # thresholds that were given cannot be re-estimated
    assert leading_test(pair(sets.test)).threshold == "fixed"  # type: ignore[arg-type]


def test_leading_test_keeps_its_level_where_the_others_do_not() -> None:
    rng = np.random.default_rng(2)
    rejected = {"cluster": 0, "dependent": 0}
    runs = 400
    for _ in range(runs):
        found = pair(two_systems(rng, effect=0.8))
        rejected["cluster"] += leading_test(found).p_value < 0.05
        rejected["dependent"] += dependent_test(found.counts_a, found.counts_b, found.discordant).p_value < 0.05
    assert 0.02 <= rejected["cluster"] / runs <= 0.08
    assert rejected["dependent"] / runs > 0.15


def sparse(rng: np.random.Generator, clients: int = 60) -> Trials:
    """Each client is tried by three impostors of their own, each impostor tries three clients."""
    names = np.arange(clients)
    claim = np.concatenate([np.repeat(names, 3), np.repeat(names, 3)])
    subject = np.concatenate(
        [np.repeat(names, 3), 1000 + (np.repeat(names, 3) + np.tile([0, 7, 19], clients)) % clients]
    )
    genuine = claim == subject
    scores = 2.0 * genuine[:, None] + rng.normal(size=(len(claim), 2))
    return Trials.from_arrays(scores, genuine, systems=["a", "b"], claim=claim, subject=subject)


def test_sparse_lists_have_the_spread_of_new_data_and_the_bootstrap_overstates_it() -> None:
    rng = np.random.default_rng(7)
    estimates, sigmas, drawn = [], [], []
    for k in range(250):
        found = pair(sparse(rng), 1.0)
        estimates.append(found.counts_a.hter - found.counts_b.hter)
        if k < 30:
            sigmas.append(leading_test(found).sigma or 0.0)
            drawn.append(bootstrap_difference(found, measure=HTER, n_resamples=300).replicates.std())
    assert np.mean(sigmas) == pytest.approx(np.std(estimates), rel=4 / np.sqrt(2 * 250))
    # what belongs to neither person comes up to three times (Owen 2007)
    assert 1.2 < np.mean(drawn) / np.std(estimates) < np.sqrt(3)


def test_differences_of_any_measure_are_those_of_the_measure() -> None:
    found = pair(two_systems(np.random.default_rng(9)))
    for name in ("f1", "precision", "class-error", "recall"):
        measure = MEASURES[name]
        test = leading_test(found, measure=name)
        assert test.measure == name
        assert test.estimate == pytest.approx(measure(found.counts_a) - measure(found.counts_b))
        drawn = bootstrap_difference(found, measure=measure, n_resamples=500)
        assert drawn.estimate == pytest.approx(test.estimate)
        assert test.sigma is not None
        assert 0.9 < np.std(drawn.replicates) / test.sigma < 1.1 * np.sqrt(3)  # Owen 2007


def test_a_variance_below_zero_ends_in_a_finite_test() -> None:
    # each of 4 clients accepts one impostor of its own under A, none under B
    claims, subject = np.divmod(np.arange(16), 4)
    claims, subject = np.concatenate([claims, np.arange(4)]), np.concatenate([subject + 100, np.arange(4)])
    genuine = claims == subject
    scores = np.repeat(np.where(genuine, 1.0, 0.0)[:, None], 2, axis=1)
    scores[subject - 100 == claims, 0] = 1.0
    trials = Trials.from_arrays(scores, genuine, systems=["a", "b"], claim=claims, subject=subject)
    test = leading_test(pair(trials, 0.5))
    assert test.estimate == pytest.approx(4 / 16 / 2)
    # that of 16 independent trials, 4 of them discordant
    assert test.sigma == pytest.approx(np.sqrt(0.25 * 0.75 / 16) / 2)
    assert np.isfinite([test.statistic, test.p_value]).all()
    assert test.p_value > 1e-3


def test_same_system_twice_does_not_differ() -> None:
    found = pair(two_systems(np.random.default_rng(3)), systems=("a", "a"))
    assert leading_test(found).p_value == 1
    assert permutation_test(found).p_value == 1
    assert bootstrap_test(bootstrap_difference(found, measure=HTER, n_resamples=300)).p_value == 1


def test_one_class_only() -> None:
    trials = Trials.from_arrays(np.zeros((2, 2)), [True, True], systems=["a", "b"])
    with pytest.raises(TrialsError, match="no impostor trial"):
        pair(trials, 0.5)


def test_systems_judged_on_different_trials() -> None:
    one, other = (TrialSets(None, two_systems(np.random.default_rng(0), clients=n)) for n in (10, 12))
    with pytest.raises(TrialsError, match="judged on different trials"):
        pair_judgements(judge_at(one, 1.0, system="a"), judge_at(other, 1.0, system="b"))


def wrong_at(clients: int, impostors: int, attempts: int, rejected: list[int], accepted: list[tuple[int, int]]) -> Pair:
    """A rejects these genuine trials and accepts these impostors of clients; B makes no error."""
    names = np.arange(clients)
    claims = np.concatenate([np.repeat(names, attempts), np.repeat(names, impostors)])
    subject = np.concatenate([np.repeat(names, attempts), 1000 + np.tile(np.arange(impostors), clients)])
    genuine = claims == subject
    scores = np.repeat(genuine[:, None].astype(float), 2, axis=1)
    scores[rejected, 0] = 0.0
    for client, impostor in accepted:
        scores[~genuine & (claims == client) & (subject == 1000 + impostor), 0] = 1.0
    return pair(Trials.from_arrays(scores, genuine, systems=["a", "b"], claim=claims, subject=subject), 0.5)


def probability_of_no_error(errors: int, sizes: tuple[int, int]) -> float:
    """That each of some trials of different people lacks one of its two people, both drawn with replacement."""
    clients, impostors = sizes
    total = 0.0
    for absent in range(errors + 1):  # exactly `absent` claimed people are not drawn (inclusion and exclusion)
        exactly = sum(
            (-1) ** k * comb(errors - absent, k) * (1 - (absent + k) / clients) ** clients
            for k in range(errors - absent + 1)
        )
        total += comb(errors, absent) * exactly * (1 - (errors - absent) / impostors) ** impostors
    return total


def test_bootstrap_of_few_errors_against_the_chance_to_draw_none() -> None:
    # 3 of 600 impostor trials, all different people: McNemar's exact test has p = 1/4
    few = wrong_at(30, 20, 4, [], [(0, 1), (7, 5), (19, 14)])
    found = bootstrap_difference(few, measure=HTER, n_resamples=20_000)
    expected = 2 * probability_of_no_error(3, (30, 20))
    assert bootstrap_test(found).p_value == pytest.approx(expected, abs=4 * np.sqrt(expected / 20_000))
    assert found.interval().low == 0
    assert leading_test(few).p_value > 0.05


def test_bootstrap_of_people_who_all_err_alike_claims_nothing() -> None:
    alike = wrong_at(2, 30, 20, [0, 20], [])
    found = bootstrap_difference(alike, measure=HTER, n_resamples=200)
    assert not found.moves
    test = bootstrap_test(found)
    assert test.estimate == pytest.approx(0.025)
    assert test.p_value == 1
    assert test.sigma is None
    assert "all replicates are equal" in str(test.note)


def test_one_person_in_a_role_is_not_counted_as_many() -> None:
    notes = [
        leading_test(wrong_at(*design)).note
        for design in ((1, 20, 100, [0, 5], [(0, 3)]), (60, 1, 4, [0, 5], [(3, 0)]), (30, 20, 4, [0], []))
    ]
    assert [(note.code, note.values) for note in notes if isinstance(note, Note)] == [
        ("one-person", {"genuine": "claim and subject", "impostor": "claim"}),
        ("one-person", {"impostor": "subject"}),
        ("effective-people", {"people": 20.0}),
    ]


@pytest.mark.parametrize("clients", [20, 200])
def test_a_class_without_discordant_trials_is_not_taken_for_certain(clients: int) -> None:
    """Its rates may differ by about four errors of so many trials, which no variance of the other class tells."""
    found = leading_test(wrong_at(clients, 20, 4, [], [(0, 0), (1, 2), (3, 4)]))
    assert found.sigma is not None
    assert found.statistic == pytest.approx(found.estimate / found.sigma)  # not part of the test of a difference
    # HTER: half of two errors more or less
    margin = abs(found.estimate) + 2 * 0.5 / (4 * clients)
    assert stats.t.cdf((found.estimate - margin) / found.sigma, found.degrees) < 0.05
    assert equivalence_test(found, margin).p_value > 0.05


def test_nothing_is_hidden_where_both_classes_have_discordant_trials() -> None:
    source = leading_test(wrong_at(20, 5, 4, [1, 6], [(0, 0), (1, 2)])).source
    assert source is not None
    assert source.unseen == 0
