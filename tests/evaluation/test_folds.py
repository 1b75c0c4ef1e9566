"""Tests over folds: against their formulas and scipy, brute force over the folds, and their level."""

from math import sqrt

import numpy as np
import pytest
from scipy import stats

from fairtrial import ParameterError, Trials, TrialsError
from fairtrial.evaluation.paired_tests import (
    Pair,
    corrected_resampled_test,
    five_by_two_test,
    fold_differences,
    pair_judgements,
)
from fairtrial.inference import TrialSets, judge, make_blocks
from fairtrial.inference.folds import make_halves
from fairtrial.inference.student import Alternative
from fairtrial.rules.measures import MEASURES


def two_systems(seed: int, people: int = 24) -> Trials:
    """Everybody against everybody."""
    rng = np.random.default_rng(seed)
    claim, subject = np.divmod(np.arange(people**2), people)
    scores = np.outer(claim == subject, [1.5, 2.0]) + rng.normal(size=(people**2, 2))
    return Trials.from_arrays(scores, claim == subject, systems=["a", "b"], claim=claim, subject=subject)


def judged_pair(sets: TrialSets) -> Pair:
    return pair_judgements(judge(sets, system="a"), judge(sets, system="b"))


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_without_the_correction_it_is_student_s_t_of_scipy(alternative: Alternative) -> None:
    differences = np.random.default_rng(0).normal(0.01, 0.02, size=8)
    plain = stats.ttest_1samp(differences, 0, alternative=alternative)
    found = corrected_resampled_test(differences, test_to_train=0, alternative=alternative)
    assert (found.statistic, found.p_value) == pytest.approx((plain.statistic, plain.pvalue))
    corrected = corrected_resampled_test(differences, alternative=alternative)
    # Nadeau & Bengio 2003: 1/J becomes 1/J + n2/n1, which is 1/(J-1) with J folds
    assert corrected.statistic == pytest.approx(plain.statistic * sqrt((1 / 8) / (1 / 8 + 1 / 7)))
    assert (corrected.degrees, corrected.threshold) == (7, "re-estimated")


def test_five_by_two_by_hand() -> None:
    rows = [(0.03, 0.01), (0.02, 0.04), (0.01, 0.01), (0.05, 0.01), (-0.01, 0.02)]
    squares = [(x - (x + y) / 2) ** 2 + (y - (x + y) / 2) ** 2 for x, y in rows]
    expected = 0.03 / sqrt(sum(squares) / 5)
    found = five_by_two_test(rows, measure="far")
    assert found.statistic == pytest.approx(expected)
    assert found.p_value == pytest.approx(2 * stats.t.sf(expected, 5))
    assert (found.test, found.measure, found.degrees) == ("5x2cv", "far", 5)


def test_level_where_what_they_assume_holds() -> None:
    # 5x2cv: ten independent normal differences, of which the one tested is also in the variance: below 5 %
    rng = np.random.default_rng(1)
    halves = rng.normal(size=(4000, 5, 2))
    assert 0.02 < np.mean([five_by_two_test(own).p_value < 0.05 for own in halves]) < 0.05
    # corrected: any two of J folds correlated by n2 / (n1 + n2) = 1 / J
    folds = 5
    shared = rng.normal(size=(4000, 1)) * sqrt(1 / folds)
    correlated = shared + rng.normal(size=(4000, folds)) * sqrt(1 - 1 / folds)
    corrected = [corrected_resampled_test(own).p_value < 0.05 for own in correlated]
    assert np.mean(corrected) == pytest.approx(0.05, abs=0.014)
    plain = [corrected_resampled_test(own, test_to_train=0).p_value < 0.05 for own in correlated]
    assert np.mean(plain) > 0.1


@pytest.mark.parametrize("measure", ["hter", "far", "f1"])
def test_differences_of_folds_by_brute_force(measure: str) -> None:
    trials = two_systems(0)
    assert trials.claim is not None
    sets = TrialSets(trials, trials, blocks=make_blocks(trials, 4))
    pair = judged_pair(sets)
    expected = []
    for fold in range(4):
        values = []
        for system, judgement in (("a", pair.a), ("b", pair.b)):
            hits = alarms = missed = impostor = 0
            for k, (score, genuine) in enumerate(zip(trials.column(system), trials.genuine, strict=True)):
                (own,) = (b for b, block in enumerate(sets.blocks) if block.held_out[k])
                if sets.blocks[own].first[k] != fold:
                    continue
                assert judgement.fold_thresholds is not None
                accepted = score > judgement.fold_thresholds[own, 0]
                hits += genuine and accepted
                missed += genuine and not accepted
                alarms += accepted and not genuine
                impostor += not genuine
            far, frr = alarms / impostor, missed / (hits + missed)
            by_hand = {"hter": (far + frr) / 2, "far": far, "f1": 2 * hits / (2 * hits + alarms + missed)}
            values.append(by_hand[measure])
        expected.append(values[0] - values[1])
    assert fold_differences(pair, MEASURES[measure]) == pytest.approx(np.array(expected))


def test_differences_of_halves_leave_out_trials_between_them() -> None:
    trials = two_systems(1)
    blocks = make_halves(trials)
    pair = judged_pair(TrialSets(trials, trials, blocks=blocks))
    found = fold_differences(pair, MEASURES["frr"])
    for block, difference in zip(blocks, found, strict=True):
        genuine = block.held_out & trials.genuine
        assert difference == pytest.approx(pair.wrong_a[genuine].mean() - pair.wrong_b[genuine].mean())
    far = fold_differences(pair, MEASURES["far"])[0]
    impostor = blocks[0].held_out & ~trials.genuine
    assert far == pytest.approx(pair.wrong_a[impostor].mean() - pair.wrong_b[impostor].mean())


def test_a_fold_without_a_class_shows_no_difference() -> None:
    # by subject: the impostors are people without genuine trials, so a fold of them only has no genuine trial
    genuine = np.array([True] * 4 + [False] * 8)
    subject = ["a", "a", "b", "b", *"abijklmn"]
    trials = Trials.from_arrays(np.arange(24.0).reshape(12, 2), genuine, systems=["a", "b"], subject=subject)
    pair = judged_pair(TrialSets(trials, trials, blocks=make_blocks(trials, 3)))
    with pytest.raises(TrialsError, match=r"fold \d has no genuine trial"):
        fold_differences(pair, MEASURES["hter"])


def test_what_cannot_be_tested() -> None:
    with pytest.raises(ParameterError, match="two differences or more"):
        corrected_resampled_test([0.1])
    with pytest.raises(ParameterError, match="test_to_train must be a number of at least 0, not -1"):
        corrected_resampled_test([0.1, 0.2], test_to_train=-1)
    with pytest.raises(ParameterError, match=r"five rows of two differences, not an array of shape \(2, 5\)"):
        five_by_two_test(np.zeros((2, 5)))
    with pytest.raises(ParameterError, match="not a finite number"):
        corrected_resampled_test([0.1, np.nan])
    with pytest.raises(ParameterError, match="must be numbers"):
        five_by_two_test([[1, 2], [3]])
    same = corrected_resampled_test([0.1, 0.1, 0.1])
    assert (same.p_value, same.note) == (1, "without any spread a difference cannot be tested")
