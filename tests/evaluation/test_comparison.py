"""Comparing systems: every pair, a reference, letters, corrections, what cannot be compared."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from fairtrial import Trials, TrialsError, evaluate
from fairtrial.benchmark import load_lausanne
from fairtrial.core.errors import ParameterError
from fairtrial.core.notes import Note
from fairtrial.core.tables import Table
from fairtrial.core.words import p_phrase
from fairtrial.evaluation.comparison import Comparison, compare
from fairtrial.inference import make_blocks
from fairtrial.inference.multiplicity import adjust_p_values


def three_systems(seed: int) -> Trials:
    """Two systems alike and one much better, 40 people against each other."""
    rng = np.random.default_rng(seed)
    claim, subject = np.divmod(np.arange(1600), 40)
    scores = np.outer(claim == subject, [1.5, 1.6, 4.0]) + rng.normal(size=(1600, 3))
    return Trials.from_arrays(scores, claim == subject, systems=["old", "new", "best"], claim=claim, subject=subject)


DEV, TEST = three_systems(0), three_systems(1)


def test_errors_are_those_of_evaluate() -> None:
    result = compare(DEV, TEST, n_resamples=500)
    for pair in result.pairs:
        assert pair.counts_a.hter == pytest.approx(evaluate(DEV, TEST, systems=pair.a).test.hter)
        assert (pair.headline.test, pair.headline.threshold) == ("cluster", "re-estimated")
        assert pair.headline.estimate == pytest.approx(pair.counts_a.hter - pair.counts_b.hter)
    assert [(pair.a, pair.b) for pair in result.pairs] == [("old", "new"), ("old", "best"), ("new", "best")]


def test_progress_counts_pairs() -> None:
    done: list[float] = []
    compare(DEV, TEST, progress=done.append)
    assert done == [1, 1, 1]


def test_only_the_leading_test_is_computed_unasked(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object, **options: object) -> None:
        raise AssertionError("nobody asked for it")

    monkeypatch.setattr("fairtrial.evaluation.comparison.bootstrap_difference", refuse)
    result = compare(DEV, TEST)
    assert [table.name for table in result.main_tables()] == ["tests", "ranking"]
    assert result.answer() in str(result)
    with pytest.raises(AssertionError, match="asked"):
        result.pairs[0].tests  # noqa: B018


@pytest.fixture(scope="module")
def eight() -> Comparison:
    """Eight systems of the XM2VTS database, 28 pairs."""
    lp1 = load_lausanne().sets[0]
    return compare(lp1.dev, lp1.test)


def test_of_many_systems_the_answer_has_the_differences_of_the_nearest_rivals(eight: Comparison) -> None:
    best, *rivals = [rank.system for rank in eight.ranking]
    pairs = {name: next(pair for pair in eight if {pair.a, pair.b} == {best, name}) for name in rivals}
    answer = eight.answer()
    for name in rivals:
        pair = pairs[name]
        low, high = sorted(100 * end * np.sign(pair.difference) for end in pair.interval)
        size = f"{100 * abs(pair.difference):#.3g} points"
        figures = f"by {size} ({low:#.3g} to {high:.2f}, {p_phrase(pair.p_value)})"
        if pair.p_value > 0.05:
            figures = f"({size} lower, differences up to {high:.2f} points not excluded, p = {pair.p_value:.3g})"
        assert (f"{name} {figures}" in answer) == (name in rivals[:3])
        assert name in answer
    assert [pairs[name].p_value < 0.05 for name in rivals[:3]] == [False, False, True]


def test_the_other_side_of_a_one_sided_test_is_not_called_indistinguishable() -> None:
    # best - old is far below 0, which is not what was claimed
    answer = compare(DEV, TEST, systems=["best", "old", "new"], alternative="greater", n_resamples=50).answer()
    assert "it is not shown by one-sided tests to differ from" in answer
    assert "distinguishable" not in answer


def test_of_many_pairs_those_of_the_best_are_shown_below_the_ranking(eight: Comparison) -> None:
    ranking, tests = eight.main_tables()
    best, *rivals = [rank.system for rank in eight.ranking]
    assert (ranking.name, tests.name) == ("ranking", "tests")
    assert [{*pair.split(" - ")} for pair in tests.column("pair")] == [{best, rival} for rival in rivals]
    (note,) = (note for note in tests.notes if isinstance(note, Note) and note.code == "other-tests")
    assert "shows 21 more pairs, the other tests" in str(note)
    # adjusted over all pairs, shown or not; against a reference, all pairs are shown
    assert set(tests.column("p_adjusted")) < {pair.p_value for pair in eight}
    assert eight.pairs[0].p_value == adjust_p_values([pair.headline.p_value for pair in eight])[0]
    lp1 = load_lausanne().sets[0]
    of_reference = compare(lp1.dev, lp1.test, reference=rivals[0])
    assert [len(table.rows) for table in of_reference.main_tables()] == [8, 7]


def test_an_interval_that_contradicts_the_adjusted_p_is_noted(eight: Comparison) -> None:
    def noted(tests: Table) -> set[str]:
        notes = [note for note in tests.notes if isinstance(note, Note) and note.code == "unadjusted-intervals"]
        return {pair for note in notes for pair in note.about.split(", ")}

    apart = {f"{pair.a} - {pair.b}" for pair in eight if pair.headline.p_value < 0.05 <= pair.p_value}
    assert len(apart) == 5
    assert noted(eight.tables()[0]) == apart
    assert noted(eight.main_tables()[1]) == set()  # these pairs are not shown
    unadjusted = compare(DEV, TEST, correction="none", alternative="greater", n_resamples=50)
    assert noted(unadjusted.tables()[0]) == set()


def test_a_test_by_its_name() -> None:
    (pair,) = compare(DEV, TEST, systems=["old", "best"], n_resamples=50)
    assert pair.test("cluster") is pair.headline
    assert pair.test("mcnemar") in pair.tests
    with pytest.raises(ParameterError, match="did you mean 'mcnemar'"):
        pair.test("mcnemer")


def test_letters_tell_the_better_system_apart() -> None:
    ranking = {rank.system: rank.letters for rank in compare(DEV, TEST, n_resamples=500).ranking}
    assert ranking["old"] == ranking["new"] != ranking["best"]


def test_p_values_are_adjusted_over_the_pairs() -> None:
    for correction in ("holm", "bh", "none"):
        result = compare(DEV, TEST, n_resamples=300, correction=correction)
        for k in range(len(result.pairs[0].tests)):
            raw = [pair.tests[k].p_value for pair in result.pairs]
            expected = adjust_p_values(raw, correction)
            assert [pair.adjusted[k] for pair in result.pairs] == pytest.approx(expected.tolist())


def test_reference_and_choice_of_systems() -> None:
    result = compare(DEV, TEST, reference="old", n_resamples=300)
    assert [(pair.a, pair.b) for pair in result.pairs] == [("new", "old"), ("best", "old")]
    two = compare(DEV, TEST, systems=["best", "old"], n_resamples=300)
    assert [(pair.a, pair.b) for pair in two.pairs] == [("best", "old")]


def test_equivalence_weights_and_sides() -> None:
    result = compare(DEV, TEST, systems=["old", "new"], margin=0.2, measure="far", alternative="less", n_resamples=300)
    (pair,) = result.pairs
    assert pair.tests[-1].test == "cluster-equivalence"
    assert pair.tests[-1].p_value < 0.05
    assert pair.headline.estimate == pytest.approx(pair.counts_a.far - pair.counts_b.far)
    assert pair.headline.alternative == "less"


def test_the_seed_decides_and_the_workers_do_not() -> None:
    one, four, other = (
        compare(DEV, TEST, systems=["old", "new"], n_resamples=600, rng=seed, workers=workers).to_dict()
        for seed, workers in ((3, 1), (3, 4), (4, 1))
    )
    assert one == four
    # only the bootstrap and the permutation test draw anything
    drawn = {
        first["test"]
        for first, second in zip(one["pairs"][0]["tests"], other["pairs"][0]["tests"], strict=True)
        if first != second
    }
    assert drawn == {"bootstrap", "permutation"}


def test_a_generator_decides_whatever_the_workers() -> None:
    first, second = (
        compare(DEV, TEST, n_resamples=100, rng=np.random.default_rng(5), workers=workers).to_dict()
        for workers in (1, 3)
    )
    assert first == second


def test_without_ids_trials_count_as_independent_and_it_says_so() -> None:
    dev, test = (Trials.from_arrays(t.scores, t.genuine, systems=t.systems) for t in (DEV, TEST))
    result = compare(dev, test, systems=["old", "new"], n_resamples=300)
    assert "independent" in str(result.notes[0])
    assert [test.test for test in result.pairs[0].tests[:3]] == ["paired", "paired", "bootstrap"]


def test_dictionary_keeps_the_contract() -> None:
    result = compare(DEV, TEST, systems=["old", "new"], n_resamples=300).to_dict()
    (pair,) = result["pairs"]
    assert {"a", "b", "hter_a", "hter_b", "tests"} <= set(pair)
    names = {test["test"] for test in pair["tests"]}
    assert {"hter-independent", "hter-dependent", "mcnemar", "bootstrap", "cluster"} <= names
    for test in pair["tests"]:
        assert {"statistic", "p_value", "p_adjusted", "sigma"} <= set(test)


def test_what_cannot_be_compared() -> None:
    with pytest.raises(TrialsError, match="needs two systems; only one was given: old"):
        compare(DEV, TEST, systems=["old"])
    with pytest.raises(TrialsError, match="no system 'x'"):
        compare(DEV, TEST, systems=["old", "x"])
    with pytest.raises(ParameterError, match="named twice"):
        compare(DEV, TEST, systems=["old", "old"])
    with pytest.raises(ParameterError, match="reference 'best' must be one of"):
        compare(DEV, TEST, systems=["old", "new"], reference="best")
    with pytest.raises(TrialsError, match="different systems"):
        compare(DEV, TEST.select(["old", "new"]))


def test_the_best_system_leads_whichever_way_is_better() -> None:
    by_error = compare(DEV, TEST, measure="frr", n_resamples=50)
    by_recall = compare(DEV, TEST, measure="recall", n_resamples=50)
    assert [rank.system for rank in by_recall.ranking] == [rank.system for rank in by_error.ranking]
    assert by_recall.ranking[0].value == pytest.approx(1 - by_error.ranking[0].value)
    assert by_recall.pairs[0].headline.estimate == pytest.approx(-by_error.pairs[0].headline.estimate)


def by_hand(trials: Trials, system: str, threshold: float) -> tuple[float, float]:
    """F1 and the classification error, counted one by one."""
    accepted = trials.column(system) > threshold
    hits, alarms = (int((accepted & rows).sum()) for rows in (trials.genuine, ~trials.genuine))
    missed = int((~accepted & trials.genuine).sum())
    return 2 * hits / (2 * hits + alarms + missed), (alarms + missed) / len(trials)


def test_any_measure_can_be_compared() -> None:
    result = compare(DEV, TEST, systems=["old", "best"], measure="f1", n_resamples=300)
    (pair,) = result.pairs
    thresholds = {rank.system: rank.threshold for rank in result.ranking}
    f1 = {name: by_hand(TEST, name, thresholds[name])[0] for name in thresholds}
    assert {rank.system: rank.value for rank in result.ranking} == pytest.approx(f1)
    assert result.ranking[0].system == "best"
    assert pair.headline.estimate == pytest.approx(f1["old"] - f1["best"])
    # tests of weighted sums of FAR and FRR are not those of F1
    assert [(test.test, test.measure) for test in pair.tests] == [
        ("cluster", "f1"),
        ("cluster", "f1"),
        ("bootstrap", "f1"),
        ("mcnemar", "class-error"),
    ]


def test_mcnemar_shows_its_own_difference() -> None:
    (pair,) = compare(DEV, TEST, systems=["old", "best"], n_resamples=100).pairs
    mcnemar = next(test for test in pair.tests if test.test == "mcnemar")
    errors = [
        by_hand(TEST, name, counts.threshold)[1] for name, counts in ((pair.a, pair.counts_a), (pair.b, pair.counts_b))
    ]
    assert mcnemar.estimate == pytest.approx(errors[0] - errors[1])
    assert mcnemar.measure == "class-error"
    assert "classification error" in str(mcnemar.note)


def test_interval_of_the_difference_is_by_the_leading_test() -> None:
    (pair,) = compare(DEV, TEST, systems=["old", "new"], n_resamples=100, confidence=0.9).pairs
    leading = pair.headline
    assert pair.interval == leading.interval(0.9)
    # the level at which the interval reaches 0 is that of the test
    ends = leading.interval(1 - leading.p_value)
    assert ends is not None
    assert min(map(abs, ends)) == pytest.approx(0, abs=1e-9)
    found = pair.to_dict()
    assert (found["interval"]["low"], found["interval"]["high"]) == pytest.approx(pair.interval)
    assert [(own["method"], own["threshold"]) for own in found["intervals"]] == [
        ("cluster", "re-estimated"),
        ("cluster", "fixed"),
        ("bootstrap", "fixed"),
    ]


def test_sides_hold_for_the_bootstrap_too() -> None:
    by_side = {
        side: next(
            test
            for test in compare(DEV, TEST, systems=["old", "best"], n_resamples=300, alternative=side).pairs[0].tests
            if test.test == "bootstrap"
        )
        for side in ("two-sided", "less", "greater")
    }
    # best makes fewer errors: no replicate is below 0
    assert by_side["less"].p_value == 1
    assert by_side["greater"].p_value == pytest.approx(1 / 301)
    assert by_side["two-sided"].p_value == pytest.approx(2 / 301)
    assert {side: test.alternative for side, test in by_side.items()} == {side: side for side in by_side}


def test_the_same_trials_are_a_posteriori() -> None:
    result = compare(TEST, TEST, systems=["old", "new"], n_resamples=100)
    assert result.kind == "a posteriori"
    assert any("same trials" in str(note) for note in result.notes)
    assert compare(DEV, TEST, systems=["old", "new"], n_resamples=100).kind == "a priori"


def test_comparing_at_a_target_needs_the_target() -> None:
    with pytest.raises(ParameterError, match="criterion far needs a target"):
        compare(DEV, TEST, criterion="far")
    result = compare(DEV, TEST, criterion="far", alpha=0.1, n_resamples=50)
    assert (result.criterion.name, result.to_dict()["alpha"]) == ("far", 0.1)


def test_agreement_is_counted_trial_by_trial() -> None:
    (pair,) = compare(DEV, TEST, systems=["old", "best"], n_resamples=50).pairs
    cells = {"a": 0, "b": 0, "c": 0, "d": 0}
    only = dict.fromkeys(("impostor_ab", "impostor_ba", "genuine_ab", "genuine_ba"), 0)
    for old, best, genuine in zip(TEST.column("old"), TEST.column("best"), TEST.genuine, strict=True):
        wrong = (old > pair.counts_a.threshold) != genuine, (best > pair.counts_b.threshold) != genuine
        cells[{(False, False): "a", (True, False): "b", (False, True): "c", (True, True): "d"}[wrong]] += 1
        if wrong[0] != wrong[1]:
            only[f"{'genuine' if genuine else 'impostor'}_{'ba' if wrong[0] else 'ab'}"] += 1
    found = pair.to_dict()
    assert found["mcnemar_table"] == cells
    assert found["discordant"] == only


def test_cross_validated_errors_are_those_of_cross_validate() -> None:
    blocks = make_blocks(DEV, 4)
    result = compare(DEV, folds=blocks, n_resamples=100)
    assert result.kind == "a priori (cross-validated)"
    for rank in result.ranking:
        alone = evaluate(DEV, folds=blocks, systems=rank.system)
        assert (rank.counts.hter, rank.threshold) == pytest.approx((alone.test.hter, alone.threshold))
    assert "held-out trials" in str(result.tables()[1].caption)
    names = [test.test for test in result.pairs[0].tests]
    assert names[0] == "cluster"
    assert names[-1] == "corrected-resampled"


def test_five_by_two_is_added_where_asked_and_the_seed_decides() -> None:
    blocks = make_blocks(DEV, 4)
    one, same, other = (
        compare(DEV, folds=blocks, systems=["old", "best"], five_by_two=True, n_resamples=50, rng=seed)
        for seed in (1, 1, 2)
    )
    found = [result.pairs[0].tests[-1] for result in (one, same, other)]
    assert [test.test for test in found] == ["5x2cv"] * 3
    assert found[0].p_value == found[1].p_value != found[2].p_value


def test_folds_that_lack_a_class_leave_the_test_over_folds_out() -> None:
    # folds by subject: most subjects are impostors only
    rng = np.random.default_rng(0)
    genuine = np.arange(60) < 12
    subject = [f"s{k % 4}" for k in range(12)] + [f"i{k}" for k in range(48)]
    scores = np.outer(genuine, [1.0, 2.0]) + rng.normal(size=(60, 2))
    trials = Trials.from_arrays(scores, genuine, systems=["old", "new"], subject=subject)
    result = compare(trials, folds=make_blocks(trials, 6), n_resamples=50)
    assert "corrected-resampled" not in [test.test for test in result.pairs[0].tests]
    assert any("there is no test over the folds: fold" in str(note) for note in result.notes)


def test_letters_stand_only_where_all_pairs_were_tested_two_sided() -> None:
    def ranked(**asked: Any) -> tuple[set[str], str]:
        result = compare(DEV, TEST, n_resamples=50, **asked)
        (ranking,) = (table for table in result.tables() if table.name == "ranking")
        letters = {rank.letters for rank in result.ranking}
        assert ("letters" in [column.key for column in ranking.columns]) == (letters != {""})
        assert result.to_dict()["ranking"][0]["letters"] == result.ranking[0].letters
        return letters, " ".join(map(str, ranking.notes))

    assert ranked() == ({"a", "b"}, "systems that share a letter do not differ significantly")
    # old and new were never tested against each other
    letters, note = ranked(reference="best")
    assert (letters, "compared with best only, and not with each other" in note) == ({""}, True)
    # one-sided, a difference the other way round is not found, however large
    letters, note = ranked(alternative="greater")
    assert (letters, "tests are one-sided" in note) == ({""}, True)
    # of two systems, the reference is all there is
    assert ranked(systems=["old", "best"], reference="best")[0] == {"a", "b"}


def with_a_twin(trials: Trials) -> Trials:
    """The same trials, and one more system that gives the scores of the first."""
    scores = np.column_stack([trials.scores, trials.scores[:, 0]])
    return others(trials, scores, [*trials.systems, "twin"])


def others(trials: Trials, scores: NDArray[Any], systems: list[str]) -> Trials:
    """The same trials with other scores."""
    ids: dict[str, Any] = {role: trials.ids[role] for role in ("claim", "subject")}
    return Trials.from_arrays(scores, trials.genuine, systems=systems, **ids)


def test_equivalence_of_systems_that_are_alike_is_said_and_the_others_are_tested() -> None:
    result = compare(with_a_twin(DEV), with_a_twin(TEST), systems=["old", "new", "twin"], margin=0.2, n_resamples=50)
    tests = {(pair.a, pair.b): pair.tests[-1] for pair in result.pairs}
    assert {test.test for test in tests.values()} == {"cluster-equivalence"}
    assert tests["old", "new"].p_value < 0.05
    assert tests["old", "twin"].p_value == 1
    noted = {str(note) for table in result.tables() for note in table.notes if "the two do not differ" in str(note)}
    assert any(note.startswith("old - twin, cluster-equivalence: ") for note in noted)
    assert all(note.startswith("old - twin, ") for note in noted)
    alike = result.pairs[1]
    assert np.isnan(alike.interval).all()
    assert all(np.isnan(own["low"]) for own in alike.to_dict()["intervals"])


def test_notes_name_systems_and_not_roles() -> None:
    # the systems are called as roles are: C, in the role B, makes few errors, and B does not
    dev, test = (others(t, t.scores + np.outer(t.genuine, [0, 0, 2]), ["A", "B", "C"]) for t in (DEV, TEST))
    result = compare(dev, test, measure="far", n_resamples=50)
    notes = [note for table in result.tables() for note in table.notes if "few errors" in str(note)]
    few = [
        rank.system for rank in result.ranking if rank.counts.impostor * rank.counts.far * (1 - rank.counts.far) < 10
    ]
    assert few == ["C"]
    assert len(notes) == 1
    assert str(notes[0]).endswith("n p (1 - p) is below 10 for FAR of C")
    (pair,) = (pair for pair in result.pairs if (pair.a, pair.b) == ("A", "C"))
    (told,) = (test["note"] for test in pair.to_dict()["tests"] if test["test"] == "far-independent")
    assert told.endswith("FAR of C")


def test_the_file_of_tests_has_the_interval_of_each_test_that_knows_who_shares_trials() -> None:
    result = compare(DEV, TEST, n_resamples=100, confidence=0.9)
    main = result.tables()[0]
    for pair, rows in zip(result.pairs, np.array_split(np.arange(len(main.rows)), len(result.pairs)), strict=True):
        found = dict(zip(main.column("test")[rows[0] : rows[-1] + 1], main.column("interval")[rows[0] :], strict=False))
        assert pair.replicates is not None
        assert found["bootstrap"][:2] == pytest.approx(pair.replicates.interval(confidence=0.9))
        assert found["hter-dependent"] is None
        assert main.column("interval")[rows[0]][:2] == pytest.approx(pair.interval)


def test_intervals_of_several_pairs_are_said_to_be_each_by_itself() -> None:
    captions = [
        next(table.caption for table in result.tables() if table.name == "differences")
        for result in (compare(DEV, TEST, n_resamples=50), compare(DEV, TEST, systems=["old", "new"], n_resamples=50))
    ]
    assert str(captions[0]).endswith("each by itself: not adjusted for the 3 pairs")
    assert "adjusted" not in str(captions[1])


def test_pairs_by_the_names_of_their_systems() -> None:
    result = compare(with_a_twin(DEV), with_a_twin(TEST), n_resamples=50)
    pair = result["old", "new"]
    assert list(result) == list(result.pairs)
    assert len(result) == 6
    assert (pair.a, pair.b, pair.p_value) == ("old", "new", pair.to_dict()["tests"][0]["p_adjusted"])
    assert pair.difference == pytest.approx(pair.counts_a.hter - pair.counts_b.hter)
    with pytest.raises(KeyError, match=r"no pair \('new', 'old'\); there is \('old', 'new'\)"):
        result["new", "old"]
    with pytest.raises(KeyError, match=r"old.*twin"):
        result["new", "other"]
