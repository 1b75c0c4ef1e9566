"""Evaluation of one system, from dev to the interval."""

import pickle
from pathlib import Path

import numpy as np
import pytest

from fairtrial import (
    MEASURES,
    DetectionCosts,
    ParameterError,
    Trials,
    TrialsError,
    evaluate,
    performance_curve,
    read_trials,
)
from fairtrial.core.notes import Note
from fairtrial.core.words import wording
from fairtrial.evaluation.evaluation import Evaluation
from fairtrial.inference import TrialSets, judge, judged_interval, make_blocks, rate_interval
from fairtrial.inference.estimates import estimate
from fairtrial.inference.people import Cluster
from fairtrial.published import proportion_interval

DEV = ([0.9, 0.8, 0.4, 0.7], [0.1, 0.3, 0.5, 0.2, 0.6])
TEST = ([0.85, 0.55, 0.45, 0.95, 0.35], [0.15, 0.65, 0.25, 0.42, 0.05, 0.5])


def test_threshold_from_dev_errors_from_test() -> None:
    result = evaluate(DEV, TEST, measures=["f1", "sensitivity"])
    assert (result.threshold, result.test.false_accepts, result.test.false_rejects) == (0.5, 1, 2)
    assert result.test.hter == pytest.approx(0.28333333)
    assert result.measures == pytest.approx({"f1": 6 / 9, "sensitivity": 0.6})
    assert (result.dev_eer.value, result.kind) == (0.225, "a priori")


def test_far_that_is_asked_for_has_one_column_and_its_interval() -> None:
    result = evaluate(DEV, TEST, measures=["far", "f1"])
    errors, measures, _, intervals = result.tables()
    assert errors.headings == evaluate(DEV, TEST).tables()[0].headings
    assert measures.column("measure") == ["far", "f1"]
    assert measures.column("value") == [(result.test.far, True), (result.measures["f1"], True)]
    assert measures.column("interval") == [(*result.interval(name).interval, True) for name in ("far", "f1")]
    assert intervals.column("measure") == ["hter", "hter", "hter", "far", "frr", "f1"]


def test_dictionary_keeps_the_contract() -> None:
    (result,) = evaluate(DEV, TEST).to_dict()["systems"]
    assert {"system", "criterion", "alpha", "threshold", "eer", "dev", "test"} <= set(result)
    rates = {"far", "frr", "hter", "false_accepts", "false_rejects", "genuine", "impostor"}
    assert rates <= set(result["dev"])
    assert rates <= set(result["test"])
    assert {"low", "high", "confidence", "method"} <= set(result["test"]["interval"])
    assert result["test"]["intervals"][0] == result["test"]["interval"]
    assert [(found["method"], found["threshold"]) for found in result["test"]["intervals"]] == [
        ("wilson", "re-estimated"),
        ("wilson", "fixed"),
        ("independent", "fixed"),
    ]
    for measure in ("far", "frr"):
        own = result["test"][f"{measure}_interval"]
        assert (own["measure"], own["threshold"]) == (measure, "re-estimated")
        assert 0 <= own["low"] <= result["test"][measure] <= own["high"] <= 1
    assert (result["dev"]["kind"], result["test"]["kind"]) == ("a posteriori", "a priori")


def test_fixed_criteria_ignore_alpha_and_others_use_it() -> None:
    assert evaluate(DEV, TEST, criterion="eer", alpha=0.9).alpha == 0.5
    assert evaluate(DEV, TEST, criterion="wer-min", alpha=0.1).threshold == 0.3


def test_one_system_of_several_is_named() -> None:
    scores = np.array([[0.9, 0.1], [0.2, 0.8], [0.8, 0.3], [0.1, 0.7]])
    trials = Trials.from_arrays(scores, [True, False, True, False], systems=["good", "reversed"])
    assert evaluate(trials, trials, systems="good").test.hter == 0
    both = evaluate(trials, trials)
    assert [own.system for own in both] == ["good", "reversed"]
    assert (both["good"].test.hter, both["reversed"].test.hter) == (0, 1)
    with pytest.raises(AttributeError):
        both.test  # noqa: B018 - of which system?
    with pytest.raises(TrialsError, match="no system 'bad'"):
        evaluate(trials, trials, systems="bad")
    assert any(
        "reversed: the EER on dev is 100" in str(note) and "negate" in str(note)
        for note in evaluate(trials, trials, systems="reversed").notes
    )


@pytest.mark.parametrize(("negate", "advice"), [(False, "read distances with negate"), (True, "without negate")])
def test_reversed_scores_are_not_to_be_negated_twice(negate: bool, advice: str, tmp_path: Path) -> None:
    rows = [f"{label},{score if negate else -score}" for label, score in (("genuine", 2), ("impostor", 1))]
    (tmp_path / "scores.csv").write_text("\n".join(["label,face", *rows, ""]))
    trials = read_trials(tmp_path / "scores.csv", negate=negate)
    (note,) = (note for note in evaluate(trials, trials)["face"].notes if "the EER on dev is 100" in str(note))
    assert str(note).endswith(advice)


def test_alpha_without_effect_is_the_first_warning() -> None:
    result = evaluate(DEV, TEST, alpha=0.3)
    (note,) = (note for note in result["system"].notes if isinstance(note, Note) and note.code == "alpha-ignored")
    assert note.warning
    assert str(result).splitlines()[1].startswith("warning: alpha=0.3 has no effect with the criterion eer; criterion")
    assert "alpha-ignored" not in str(evaluate(DEV, TEST, criterion="wer-min", alpha=0.3).to_dict()["systems"])


@pytest.mark.parametrize(
    ("on_dev", "on_test", "advice"),
    [
        ("a", "b", "a in dev only; b in test only; read both with --name a if b is a"),
        ("ab", "ac", "b in dev only; c in test only; read both with --system a, or with --name a --name b if c is b"),
        ("ab", "ca", "b in dev only; c in test only; read both with --system a"),
        ("abc", "a", "b, c in dev only; read both with --system a"),
        ("ab", "cd", "a, b in dev only; c, d in test only; select or rename the systems"),
    ],
)
def test_different_systems_in_dev_and_test(on_dev: str, on_test: str, advice: str) -> None:
    dev, test = (
        Trials.from_arrays([[1.0] * len(names), [0.0] * len(names)], [True, False], systems=list(names))
        for names in (on_dev, on_test)
    )
    with pytest.raises(TrialsError) as raised:
        evaluate(dev, test)
    with wording(style="shell"):
        assert str(raised.value) == f"dev and test hold different systems: {advice}"


def test_zero_errors_come_with_the_rule_of_three() -> None:
    result = evaluate(([2.0] * 300, [0.0] * 600), ([2.0] * 300, [0.0] * 600))
    assert any("no false accepts in 600" in str(note) and "0.500 %" in str(note) for note in result.notes)
    # Wilson's limits of both rates, put together
    reach = [proportion_interval(0, trials, method="wilson").high / 2 for trials in (300, 600)]
    fixed = result.intervals[1]
    assert fixed.low == 0
    assert fixed.high == pytest.approx(np.hypot(reach[0], reach[1]))
    assert (fixed.method, fixed.threshold) == ("wilson", "fixed")


def test_several_alphas_are_a_curve() -> None:
    with pytest.raises(ParameterError, match="alpha must be one number"):
        evaluate(DEV, TEST, alpha=[0.1, 0.2])  # type: ignore[arg-type]


@pytest.mark.parametrize("confidence", [0.0, 1.0, -1.0, 95.0])
def test_confidence_outside_its_range(confidence: float) -> None:
    with pytest.raises(ParameterError, match="confidence must be between 0 and 1"):
        evaluate(DEV, TEST, confidence=confidence)


def test_cross_validation_pools_held_out_errors() -> None:
    rng = np.random.default_rng(0)
    claim, subject = np.divmod(np.arange(900), 30)
    trials = Trials.from_arrays(rng.normal(2.0 * (claim == subject), 1), claim == subject, claim=claim, subject=subject)
    blocks = make_blocks(trials, 5)
    result = evaluate(trials, folds=blocks)
    assert (result.test.genuine, result.test.impostor) == (30, 870)
    assert len(result.fold_thresholds) == len(blocks) == 15
    assert result.threshold == evaluate(trials, trials).threshold
    assert result.kind == "a priori (cross-validated)"
    assert result.test_eer is None
    assert "eer" not in result.systems[0].to_dict()["test"]


def test_cross_validated_error_is_honest_where_there_is_nothing_to_learn() -> None:
    # genuine and impostor alike: the a-posteriori HTER is below a half, the cross-validated one is not on average
    rng = np.random.default_rng(1)
    posterior, honest = [], []
    for _ in range(60):
        trials = Trials.from_arrays(rng.normal(size=40), np.arange(40) % 2 == 0, claim=np.arange(40))
        result = evaluate(trials, folds=make_blocks(trials, 5, rng=rng), criterion="hter-min")
        posterior.append(result.dev.hter)
        honest.append(result.test.hter)
    assert np.mean(posterior) < 0.42
    assert np.mean(honest) == pytest.approx(0.5, abs=4 * np.std(honest) / np.sqrt(60))


def crossed(effect: float) -> Trials:
    """Everybody of 30 against everybody; people differ in how much like others they look."""
    rng = np.random.default_rng(5)
    claim, subject = np.divmod(np.arange(900), 30)
    scores = np.where(claim == subject, 2.5, effect * rng.normal(size=30)[subject]) + rng.normal(size=900)
    return Trials.from_arrays(scores, claim == subject, claim=claim, subject=subject)


def test_with_ids_the_robust_interval_leads_and_the_independent_one_stands_beside() -> None:
    trials = crossed(3.0)
    result = evaluate(trials, trials)
    assert [(interval.method, interval.threshold) for interval in result.intervals] == [
        ("cluster-both", "re-estimated"),
        ("cluster-both", "fixed"),
        ("independent", "fixed"),
    ]
    judgement = judge(TrialSets(trials, trials))
    assert result.interval() == judged_interval(judgement)
    assert result.intervals[1] == judged_interval(judgement, threshold="fixed")
    assert result.intervals[2] == rate_interval(result.test)
    fixed = estimate([(1.0, judgement)], MEASURES["hter"], threshold="fixed")
    independent = sum(rate * (1 - rate) / count / 4 for rate, count in ((result.test.far, 870), (result.test.frr, 30)))
    assert result.design_effect == pytest.approx(fixed.variance.value / independent)
    assert result.design_effect is not None
    assert result.design_effect > 1.44
    assert any("trials share people" in str(note) for note in result.notes)
    assert result.systems[0].to_dict()["test"]["design_effect"] == result.design_effect


def test_cluster_is_the_callers_choice() -> None:
    trials = crossed(1.0)
    assert evaluate(trials, trials, cluster="none").interval().method == "wilson"
    assert evaluate(trials, trials, cluster="claim").interval().method == "cluster-claim"
    with pytest.raises(TrialsError, match="needs test trials with ids"):
        evaluate(DEV, TEST, cluster="claim")


def test_cross_validated_errors_get_a_robust_interval_too() -> None:
    trials = crossed(1.0)
    result = evaluate(trials, folds=make_blocks(trials, 3))
    assert result.interval().method == "cluster-both"
    assert result.interval().estimate == pytest.approx(result.test.hter)


def test_one_person_only_is_said() -> None:
    trials = Trials.from_arrays([1.0, 0.0, 2.0], [True, False, True], claim=["a", "a", "a"])
    clusters: tuple[Cluster | None, ...] = (None, "claim")
    for cluster in clusters:
        result = evaluate(trials, trials, cluster=cluster)
        assert result.interval().low <= result.test.hter < result.interval().high
        for word in ("genuine", "impostor"):
            assert any(f"all {word} trials have the same claim" in str(note) for note in result.notes)


def test_the_same_trials_for_dev_and_test_are_a_posteriori() -> None:
    trials = crossed(0.0)
    copied = Trials.from_arrays(trials.scores.copy(), trials.genuine.copy())
    for dev, test in ((trials, trials), (copied, Trials.from_arrays(trials.scores, trials.genuine)), (DEV, DEV)):
        result = evaluate(dev, test)
        assert result.kind == "a posteriori"
        assert any("same trials" in str(note) for note in result.notes)
    assert evaluate(DEV, TEST).kind == "a priori"


def test_fixed_criteria_give_their_alpha_to_the_measures() -> None:
    dev = ([0.9, 0.8, 0.4, 0.7], [0.1, 0.3, 0.5, 0.2, 0.65])
    result = evaluate(dev, TEST, criterion="eer", alpha=0.1, measures="wer")
    assert result.measures["wer"] == pytest.approx(result.test.hter)


def test_two_measures_of_the_same_name_are_both_there() -> None:
    result = evaluate(DEV, TEST, measures=[lambda c: c.false_accepts, lambda c: c.false_rejects])
    assert sorted(result.measures.values()) == [1, 2]
    with pytest.raises(ParameterError, match="one number"):
        evaluate(DEV, TEST, measures=[lambda c: np.zeros(2)]).to_dict()


def test_results_can_be_pickled() -> None:
    trials = crossed(1.0)
    for result in (evaluate(DEV, TEST), evaluate(trials, folds=make_blocks(trials, 3))):
        assert repr(pickle.loads(pickle.dumps(result))) == repr(result)
    curve = performance_curve(DEV, TEST, alphas=[0.2, 0.5])
    assert pickle.loads(pickle.dumps(curve)).to_dict() == curve.to_dict()


def test_resampling_both_sets_leads_with_the_total_uncertainty() -> None:
    dev, test = crossed(1.0).rows(np.arange(300)), crossed(1.0)
    result = evaluate(dev, test)
    fixed = evaluate(dev, test, resample="test")
    assert result.interval().sigma > fixed.interval().sigma
    assert fixed.intervals == result.intervals[1:]
    assert {fixed.interval("far").threshold, fixed.interval("frr").threshold} == {"fixed"}
    assert result.design_effect == fixed.design_effect
    assert result.to_dict() == evaluate(dev, test).to_dict()
    assert evaluate(DEV, TEST).interval().threshold == "re-estimated"
    with pytest.raises(ParameterError, match="resample must be one of test, both"):
        evaluate(dev, test, resample="dev")  # type: ignore[arg-type]


def test_a_bootstrap_interval_stands_beside_the_others() -> None:
    dev, test = crossed(1.0).rows(np.arange(300)), crossed(1.0)
    for resample in ("both", "test"):
        plain = evaluate(dev, test, resample=resample)
        drawn = evaluate(dev, test, resample=resample, n_resamples=200)
        assert drawn.intervals[:-1] == plain.intervals
        last = drawn.intervals[-1]
        assert (last.method, last.threshold) == ("bootstrap", plain.interval().threshold)
        assert last.low < last.estimate == plain.interval().estimate < last.high
        assert drawn.design_effect == plain.design_effect


def test_a_cost_has_an_interval_by_its_own_weights_and_not_in_percent() -> None:
    # costs of 1 and priors of 1/2 are the HTER, ten times the costs ten times its limits
    even, tenfold = (DetectionCosts(cost, 0.5, cost, 0.5) for cost in (1.0, 10.0))
    result = evaluate(DEV, TEST, measures=[even, tenfold, "f1"])
    for name, times in (("dcf 1", 1), ("dcf 2", 10)):
        found = result.measure_intervals[name]
        assert found.interval == pytest.approx([times * end for end in result.interval().interval])
        assert result.systems[0].to_dict()["test"]["measure_intervals"][name]["low"] == found.low
    errors, _, _, intervals = result.tables()
    assert intervals.column("measure")[-3:] == ["dcf", "dcf", "f1"]
    asked = result.measure_intervals
    shares = {"dcf 1": False, "dcf 2": False, "f1": True}
    assert intervals.column("interval")[-3:] == [(*asked[name].interval, share) for name, share in shares.items()]
    assert errors.column("dcf 2_interval")[1] == asked["dcf 2"].interval
    (rows,) = intervals.sections()
    assert rows[-2][2] == f"{10 * result.interval().low:.4g} to {10 * result.interval().high:.4g}"
    assert rows[-1][2].endswith(" %")


def test_a_given_threshold_is_judged_on_both_sets() -> None:
    dev, test = ([0.9, 0.4], [0.1, 0.5]), ([0.8, 0.6, 0.3], [0.2, 0.7, 0.35])
    found = evaluate(dev, test, threshold=0.35)
    assert (found.threshold, found.kind) == (0.35, "at a given threshold")
    assert (found.dev.false_accepts, found.dev.false_rejects) == (1, 0)
    assert (found.test.false_accepts, found.test.false_rejects) == (1, 1)
    assert {own.threshold for own in found.intervals} == {"fixed"}
    assert found.systems[0].to_dict()["dev"]["kind"] == "at a given threshold"
    assert found.tables()[0].caption == "Errors at the threshold that was given"
    assert any("if it was fixed before" in str(note) for note in found.notes)


def test_a_given_threshold_is_a_number() -> None:
    with pytest.raises(ParameterError, match="not NaN"):
        evaluate(([0.9], [0.1]), ([0.8], [0.2]), threshold=float("nan"))


@pytest.mark.parametrize(("separation", "is_open"), [(0.4, True), (3.0, False)])
def test_a_minimum_that_dev_does_not_tell_from_rejecting_everybody_is_noted(separation: float, is_open: bool) -> None:
    """With an alpha of .9 rejecting everybody costs .1; the least cost of scores that hardly differ is close to it."""

    def noted(result: Evaluation) -> list[Note]:
        return [note for note in result.notes if isinstance(note, Note) and note.code == "open-minimum"]

    rng, genuine = np.random.default_rng(3), np.arange(600) < 200
    dev, test = (rng.normal(separation * genuine) for _ in range(2))
    sets = [Trials.from_arrays(scores, genuine) for scores in (dev, test)]
    result = evaluate(*sets, criterion="wer-min", alpha=0.9, measures=["min-dcf@0.1"])
    assert len(noted(result)) == (2 if is_open else 0)  # of the threshold, and of the measure
    assert not noted(evaluate(*sets))
    opposite = [Trials.from_arrays(-scores, ~genuine) for scores in (dev, test)]
    accepting = noted(evaluate(*opposite, criterion="wer-min", alpha=0.1))
    assert [note.values["everybody"] for note in accepting] == ["accepting"] * is_open
    if is_open:
        proportion = (0.9 * result.dev.far + 0.1 * result.dev.frr) / 0.1
        assert noted(result)[0].values == {"proportion": pytest.approx(proportion), "everybody": "rejecting"}
        assert result.measure_intervals["min-dcf@0.1"].high == 1


@pytest.mark.parametrize(("criterion", "alpha"), [("wer-min", 1.0), ("wer-min", 0.0), ("precision-recall", 0.5)])
def test_a_cost_of_nothing_is_compared_with_nothing(criterion: str, alpha: float) -> None:
    """If rejecting or accepting everybody costs nothing, no proportion of it is noted."""
    rng, genuine = np.random.default_rng(3), np.arange(60) < 20
    sets = [Trials.from_arrays(rng.normal(0.1 * genuine), genuine) for _ in range(2)]
    notes = evaluate(*sets, criterion=criterion, alpha=alpha).notes
    proportions = [
        note.values["proportion"] for note in notes if isinstance(note, Note) and "proportion" in note.values
    ]
    assert np.isfinite(proportions).all()


@pytest.mark.parametrize("name", ["threshold", "test", "judgement", "interval"])
def test_an_attribute_of_several_systems_names_how_to_choose_one(name: str) -> None:
    scores = np.random.default_rng(0).normal(np.outer(np.arange(60) < 20, [2.0, 1.0]))
    trials = Trials.from_arrays(scores, np.arange(60) < 20, systems=["face", "voice"])
    result = evaluate(trials, trials)
    with pytest.raises(AttributeError, match=rf"result\['face'\].{name}"):
        getattr(result, name)
    assert not hasattr(result, "thresholds")
    with pytest.raises(TrialsError, match=r"give several as a list: \['face', 'voice'\]"):
        evaluate(trials, trials, systems="face,voice")


@pytest.mark.parametrize(("criterion", "alpha", "warned"), [("far", 1, 1), ("frr-at-most", 0.5, 1), ("far", 0.4, 0)])
def test_a_target_that_was_meant_in_percent(criterion: str, alpha: float, warned: int) -> None:
    rng = np.random.default_rng(0)
    dev, test = ((rng.normal(2, size=50), rng.normal(size=200)) for _ in range(2))
    notes = evaluate(dev, test, criterion=criterion, alpha=alpha)["system"].notes
    assert [note.warning for note in notes if isinstance(note, Note) and note.code == "target-high"] == [True] * warned


def test_intervals_of_long_names_are_whole_in_the_answer() -> None:
    genuine = np.arange(400) < 100
    scores = np.random.default_rng(0).normal(np.outer(genuine, [1.5, 3.0]))
    trials = Trials.from_arrays(scores, genuine, systems=["a" * 30, "b" * 30])
    result = evaluate(trials, trials)
    for system in result:
        low, high = system.interval().interval
        assert f"({100 * low:.2f} to {100 * high:.2f})" in result.answer()
