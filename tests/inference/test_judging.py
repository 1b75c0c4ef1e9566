"""Judged once: where thresholds come from, what the errors are, who is in dev and test."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from fairtrial import Trials, TrialsError, evaluate
from fairtrial.core.notes import Note
from fairtrial.inference import TrialSets, judge, judge_at, judged_interval, make_blocks
from fairtrial.inference.decide import Judgement, once
from fairtrial.inference.people import Cluster
from fairtrial.rules import choose_thresholds
from simulated import crossed

ARRAYS = ([0.9, 0.8, 0.4, 0.7], [0.1, 0.3, 0.5, 0.2, 0.6])
OTHERS = ([0.85, 0.55, 0.45, 0.95, 0.35], [0.15, 0.65, 0.25, 0.42, 0.05, 0.5])
DEV = crossed(np.random.default_rng(0), clients=20, impostors=10)
TEST = crossed(np.random.default_rng(1), clients=20, impostors=10, start=500)


def test_a_judgement_prints_as_one_line() -> None:
    assert repr(judge(TrialSets(ARRAYS, OTHERS))) == "<Judgement: system, a priori, eer, threshold 0.5, HTER 28.33 %>"
    given = judge_at(TrialSets(None, OTHERS), 0.5)
    assert repr(given) == "<Judgement: system, at a given threshold, threshold 0.5, HTER 28.33 %>"
    several = repr(judge(TrialSets(DEV, TEST), system="a", criterion="wer-min", alphas=[0.2, 0.5, 0.8]))
    assert several.endswith("at the first of 3 alphas>")
    assert len(several) < 120


def test_folds_are_cross_validated_and_each_block_has_its_threshold() -> None:
    trials = TEST.select(["a"])
    blocks = make_blocks(trials, 3, rng=1)
    found = judge(TrialSets(trials, trials, blocks=blocks), alphas=[0.2, 0.5], criterion="wer-min")
    assert (found.sets.origin, found.kind) == ("folds", "a priori (cross-validated)")
    assert found.fold_thresholds is not None
    scores, genuine = trials.column(None), trials.genuine
    for index, alpha in enumerate((0.2, 0.5)):
        wrong = np.zeros(len(trials), dtype=bool)
        for block, own in zip(blocks, found.fold_thresholds, strict=True):
            others = scores[block.others & genuine], scores[block.others & ~genuine]
            threshold = choose_thresholds(others, "wer-min", alpha).threshold[0]
            assert own[index] == threshold
            wrong[block.held_out] = ((scores > threshold) != genuine)[block.held_out]
        assert found.wrong(index).tolist() == wrong.tolist()
        assert found.at(index).false_rejects == np.count_nonzero(wrong & genuine)
    assert evaluate(trials, folds=blocks).kind == "a priori (cross-validated)"


def test_a_given_threshold_has_nothing_to_choose_it_on() -> None:
    found = judge_at(TrialSets(DEV, TEST), 1.0, system="a")
    assert (found.sets.origin, found.kind, found.can_move, found.dev) == ("given", "at a given threshold", False, None)
    assert found.sets.dev is DEV
    assert found.sets.people[0] is None
    expected = (TEST.column("a") > 1.0) != TEST.genuine
    assert found.wrong().tolist() == expected.tolist()
    with pytest.raises(TrialsError, match="no dev trials to choose a threshold on"):
        judge(TrialSets(None, TEST), system="a")


def test_values_are_computed_once_for_their_arguments() -> None:
    first, second = (judge(TrialSets(ARRAYS, OTHERS)) for _ in range(2))
    calls = []

    @once
    def add(judgements: Sequence[Judgement], thresholds: NDArray[np.float64], side: str = "test") -> int:
        calls.append(side)
        return len(calls)

    one, other = np.array([1.0]), np.array([2.0])
    values = [add([first], one), add([first], one.copy()), add([first], other), add([first, second], one)]
    assert [*values, add([first], one, side="dev"), add([second], one)] == [1, 1, 2, 3, 4, 5]
    assert add([first], one, "test") == 1


def test_errors_by_trial_and_in_sum_are_the_same() -> None:
    found = judge(TrialSets(DEV, TEST), system="a", criterion="far", alphas=[0.01, 0.1])
    for index in (0, 1):
        threshold = choose_thresholds((_class(DEV, True), _class(DEV, False)), "far", [0.01, 0.1][index]).threshold[0]
        assert found.test.threshold[index] == threshold
        wrong = found.wrong(index)
        assert found.at(index).false_accepts == np.count_nonzero(wrong & ~TEST.genuine)
        assert found.at(index).false_rejects == np.count_nonzero(wrong & TEST.genuine)


def _class(trials: Trials, genuine: bool) -> NDArray[np.floating]:
    return np.asarray(trials.column("a")[trials.genuine == genuine])


def codes(judgement: Judgement) -> dict[str, Note]:
    return {note.code: note for note in judgement.notes if isinstance(note, Note)}


def test_a_target_that_few_errors_support_is_said() -> None:
    few, many = (judge(TrialSets(DEV, TEST), system="a", criterion="far", alphas=target) for target in (0.02, 0.3))
    errors = round(0.02 * 200)
    assert codes(few)["target-few-errors"].values["errors"] == errors
    assert "target-few-errors" not in codes(many)
    assert judge(TrialSets(DEV, TEST), system="a").notes == ()


def test_a_threshold_that_no_error_on_dev_tells_how_to_move_is_said() -> None:
    apart, test = Trials.from_arrays([3.0, 4.0, 0.0, 1.0], [True, True, False, False]), TEST.select(["a"])
    sets = TrialSets(apart, test.renamed(["system"]))
    note = codes(judge(sets))["threshold-no-errors"]
    assert (note.about, note.values["kinds"]) == ("system", "false accepts and false rejects")
    target = codes(judge(sets, criterion="far", alphas=0.001))
    assert target["target-few-errors"].values["errors"] == 0
    assert target["threshold-no-errors"].values["kinds"] == "false accepts"
    for other in (judge(TrialSets(DEV.select(["a"]), test)), judge_at(sets, 2.0)):
        assert "threshold-no-errors" not in codes(other)


@pytest.mark.parametrize(("target", "is_warning"), [(0.05, True), (0.6, False)])
def test_kinds_of_people_that_may_be_missing_are_said(target: float, is_warning: bool) -> None:
    """20 impostors attack 40 clients on dev, 5 others on test: the rule of three by 25 people."""

    def crossed(impostors: range) -> Trials:
        claim, subject = (own.ravel() for own in np.meshgrid(np.arange(40), impostors))
        claim, subject = (np.concatenate([own, np.arange(40)]) for own in (claim, subject))
        scores = 3.0 * (claim == subject) + np.arange(len(claim)) / 1e4
        return Trials.from_arrays(scores, claim == subject, claim=claim, subject=subject)

    sets = TrialSets(crossed(range(100, 120)), crossed(range(200, 205)))
    note = codes(judge(sets, criterion="far", alphas=target))["missing-kinds"]
    assert (note.values["people"], note.values["proportion"], note.warning) == (25, 3 / 25, is_warning)
    assert codes(judge(sets, criterion="frr", alphas=target))["missing-kinds"].values["people"] == 40
    assert "missing-kinds" not in codes(judge(sets))
    least = judge(sets, criterion="wer-min", alphas=target)
    assert float(least.dev.far[0]) == float(least.dev.frr[0]) == 0  # type: ignore[union-attr]
    assert codes(least)["missing-kinds"].values["people"] == 40  # of both rates, FRR goes first


def test_arrays_have_no_trials_to_decide_one_by_one() -> None:
    with pytest.raises(TrialsError, match="one row per trial"):
        judge(TrialSets(ARRAYS, OTHERS)).wrong()


@pytest.mark.parametrize("cluster", [None, "claim", "none"])
def test_part_of_the_trials_is_judged_like_trials_of_their_own(cluster: Cluster | None) -> None:
    rows = np.flatnonzero(np.isin(TEST.ids["claim"].decode(), [str(500 + k) for k in range(0, 20, 3)]))
    whole = judge(TrialSets(DEV, TEST, cluster), system="a", criterion="wer-min", alphas=[0.2, 0.5])
    part, alone = whole.within(rows), judge(TrialSets(DEV, TEST.rows(rows), cluster), system="a", criterion="wer-min")
    assert part.at(1) == alone.at(0)
    fixed = [judged_interval(own, index=k, threshold="fixed") for own, k in ((part, 1), (alone, 0))]
    assert fixed[0].interval == pytest.approx(fixed[1].interval)
    moved = [judged_interval(own, index=k) for own, k in ((part, 1), (alone, 0))]
    assert moved[0].interval == pytest.approx(moved[1].interval, rel=0.1)


def test_part_in_which_everybody_is_alone_has_people_of_its_own() -> None:
    rows = np.flatnonzero(TEST.ids["claim"].decode() == "500")
    whole = judge(TrialSets(DEV, TEST), system="a")
    part, alone = whole.within(rows), judge(TrialSets(DEV, TEST.rows(rows)), system="a")
    fixed = [judged_interval(own, threshold="fixed") for own in (part, alone)]
    assert fixed[0].interval == pytest.approx(fixed[1].interval)
    assert judged_interval(part).sigma >= fixed[0].sigma


def test_parts_of_folds_have_the_errors_of_the_whole() -> None:
    trials = TEST.select(["a"])
    whole = judge(TrialSets(trials, trials, blocks=make_blocks(trials, 3, rng=1)))
    rows = np.arange(len(trials))
    parts = [whole.within(rows[rows % 2 == side]) for side in (0, 1)]
    for part, side in zip(parts, (0, 1), strict=True):
        assert np.array_equal(part.wrong(), whole.wrong()[rows % 2 == side])
        assert part.kind == whole.kind
        assert judged_interval(part).threshold == "re-estimated"
    assert sum(part.at(0).false_accepts for part in parts) == whole.at(0).false_accepts
    assert sum(part.at(0).false_rejects for part in parts) == whole.at(0).false_rejects
    every = whole.within(rows)
    assert every.at(0).hter == whole.at(0).hter
    # rates of a part move with those of all on the scale of the log-odds, which is no straight line here
    assert judged_interval(every).sigma == pytest.approx(judged_interval(whole).sigma, rel=0.01)
