"""Error rates by group: rates by counting, what is said of them, and how bad input ends."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import fairtrial as ft
from fairtrial.cli.app import main
from fairtrial.core.notes import Note
from simulated import texts_of

DATA = ft.groups.synthetic_groups({"a": 60, "b": 40, "c": 30}, worse={"c": 4.0}, rng=0)
FOUND = ft.evaluate_groups(DATA.dev, DATA.test, by="group", impostor_by="impostor_group", own_thresholds=True)


def test_rates_are_those_of_counting() -> None:
    threshold = ft.evaluate(DATA.dev, DATA.test).threshold
    group, scores, genuine = DATA.test.columns["group"].decode(), DATA.test.column(), DATA.test.genuine  # type: ignore[union-attr]
    assert FOUND.threshold == threshold
    for own in FOUND.groups:
        impostor, client = (group == own.group) & ~genuine, (group == own.group) & genuine
        assert own.far == np.mean(scores[impostor] >= threshold)
        assert own.frr == np.mean(scores[client] < threshold)
        assert own.hter == pytest.approx((own.far + own.frr) / 2)
        assert (own.impostor, own.genuine) == (impostor.sum(), client.sum())
    assert [own.people for own in FOUND.groups] == [60, 40, 30]


def test_the_worse_group_is_found_and_told() -> None:
    assert [own.far_letters for own in FOUND.groups] == ["a", "a", "b"]
    assert [own.frr_letters for own in FOUND.groups] == ["a", "a", "a"]
    far, frr = FOUND.tests
    assert far.p_value < 0.05 < frr.p_value
    assert "c" in (far.clearest.a, far.clearest.b)
    assert min(own.p_adjusted for own in FOUND.pairs if own.measure == "far") == far.p_value


def test_both_rates_are_one_test_by_holm() -> None:
    found = ft.evaluate_groups(DATA.dev, DATA.test, by="group")
    one, other = sorted(found.tests, key=lambda test: test.p_value)
    assert one.p_adjusted == 2 * one.p_value
    assert other.p_adjusted == max(other.p_value, 2 * one.p_value)
    # at a level between the two p values of a rate, it differs alone, but not among both rates
    alone = ft.evaluate_groups(DATA.dev, DATA.test, by="group", confidence=1 - 1.5 * one.p_value)
    assert [set(row.far_letters) for row in alone.groups] == [{"a"}] * 3
    assert all(test.p_adjusted > 1.5 * one.p_value for test in alone.tests)


@pytest.mark.parametrize("worse", [1.6, 6.0])
def test_largest_over_smallest_of_two_groups_is_their_ratio(worse: float) -> None:
    data = ft.groups.synthetic_groups({"a": 40, "b": 40}, worse={"b": worse})
    found = ft.evaluate_groups(data.dev, data.test, by="group")
    pair, summary = found.pairs[0], found.to_dict()["summaries"]["far_ratio"]
    assert (pair.a, pair.b) == ("a", "b")
    assert summary["estimate"] == pytest.approx(1 / pair.ratio)
    assert summary["high"] == pytest.approx(1 / pair.ratio_low)
    assert summary["low"] == pytest.approx(max(1 / pair.ratio_high, 1))
    assert (summary["low"] > 1) == (found.tests[0].p_value < 0.05)


def test_answer_names_the_pair_that_differs_most_clearly() -> None:
    data = ft.groups.synthetic_groups({f"g{k:02d}": 30 for k in range(13)}, worse={"g07": 5.0})
    found = ft.evaluate_groups(data.dev, data.test, by="group")
    clearest = max((pair for pair in found.pairs if pair.measure == "far"), key=lambda pair: abs(pair.statistic))
    test = found.tests[0]
    assert test.clearest == clearest
    assert test.p_value == min(pair.p_adjusted for pair in found.pairs if pair.measure == "far")
    assert all(name in found.answer() for name in (clearest.a, clearest.b))
    assert [table.name for table in found.tables() if not table.detail] == ["groups", "tests"]


@pytest.mark.parametrize("people", [40, 4])
def test_answer_without_a_difference_says_what_is_not_excluded(people: int) -> None:
    data = ft.groups.synthetic_groups({"a": people, "b": people}, rng=3)
    found = ft.evaluate_groups(data.dev, data.test, by="group")
    bounds = []
    for test, pair in zip(found.tests, found.pairs, strict=True):
        assert test.p_adjusted > 0.05
        bound = f"ratios of the {test.measure.upper()} up to {test.within:.3g}"
        if np.isinf(test.within):
            largest = max(abs(pair.difference_low), abs(pair.difference_high))
            bound = f"differences of the {test.measure.upper()} up to {100 * largest:.2f} points"
        bounds.append(bound)
    assert np.isinf(found.tests[1].within) == (people == 4)
    assert found.answer().endswith(f": {' and '.join(bounds)} are not excluded (95 % confidence)")


def test_intervals_of_all_groups_are_wider_than_of_one() -> None:
    low, high = FOUND.judged.families["far"].limits(NormalDist().inv_cdf(0.975))
    for own, alone in zip(FOUND.groups, high - low, strict=True):
        assert own.far_interval is not None
        assert own.far_interval.width > alone
        assert own.far_interval.low < own.far < own.far_interval.high


def test_meetings_are_those_of_counting() -> None:
    both = [DATA.test.columns[name].decode() for name in ("group", "impostor_group")]  # type: ignore[union-attr]
    accepted = DATA.test.column() >= FOUND.threshold
    assert len(FOUND.meetings) == 9
    for own in FOUND.meetings:
        rows = ~DATA.test.genuine & (both[0] == own.claim) & (both[1] == own.impostor)
        assert (own.false_accepts, own.trials) == (accepted[rows].sum(), rows.sum())
        assert own.interval.low <= own.interval.estimate <= own.interval.high


def test_own_thresholds_are_those_of_their_groups() -> None:
    for own in FOUND.own_thresholds:
        parts = [
            trials.rows(np.flatnonzero(trials.columns["group"].decode() == own.group))  # type: ignore[union-attr]
            for trials in (DATA.dev, DATA.test)
        ]
        alone = ft.evaluate(*parts)
        assert (own.threshold, own.hter.estimate) == (alone.threshold, alone.test.hter)


def test_folds_by_brute_force() -> None:
    trials, folds = DATA.test, 3
    found = ft.evaluate_groups(trials, by="group", impostor_by="impostor_group", folds=folds, own_thresholds=True)
    assert found.kind == "a priori (cross-validated)"
    assert found.threshold == ft.evaluate(trials, trials).threshold
    scores, genuine, group = trials.column(), trials.genuine, texts_of(trials, "group")
    wrong = np.zeros(len(trials), dtype=bool)
    wrong_alone = wrong.copy()
    blocks = ft.inference.make_blocks(trials, folds)
    for block in blocks:
        for rows, errors in (
            (np.ones(len(trials), dtype=bool), wrong),
            *((group == own, wrong_alone) for own in "abc"),
        ):
            others, held_out = block.others & rows, block.held_out & rows
            threshold = ft.rules.choose_thresholds(trials.rows(np.flatnonzero(others)), "eer", 0.5).threshold[0]
            errors[held_out] = (scores[held_out] > threshold) != genuine[held_out]
    for own, alone in zip(found.groups, found.own_thresholds, strict=True):
        impostor, client = (group == own.group) & ~genuine, (group == own.group) & genuine
        assert (own.false_accepts, own.false_rejects) == (wrong[impostor].sum(), wrong[client].sum())
        assert (alone.far.estimate, alone.frr.estimate) == (wrong_alone[impostor].mean(), wrong_alone[client].mean())
        for interval in (own.far_interval, own.frr_interval, own.hter_interval):
            assert interval is not None
            assert interval.low <= interval.estimate <= interval.high
            assert interval.threshold == "re-estimated"
    impostors = texts_of(trials, "impostor_group")
    for meeting in found.meetings:
        rows = ~genuine & (group == meeting.claim) & (impostors == meeting.impostor)
        assert (meeting.false_accepts, meeting.trials) == (wrong[rows].sum(), rows.sum())
    curves = ft.groups.group_curves(found, alphas=[0.5], criterion="eer")
    assert [curve.far[0] for curve in curves] == [*(own.far for own in found.groups), found.overall["far"]]
    given: dict[str, Any] = {"by": "group", "impostor_by": "impostor_group", "own_thresholds": True}
    same = ft.evaluate_groups(trials, folds=blocks, **given).to_dict()
    assert found.to_dict() == same | {"notes": found.to_dict()["notes"]}


def test_folds_stand_for_the_test_set_and_judge_every_trial() -> None:
    with pytest.raises(ft.ParameterError, match="give test, or folds"):
        ft.evaluate_groups(DATA.dev, by="group")
    with pytest.raises(ft.ParameterError, match="not both"):
        ft.evaluate_groups(DATA.dev, DATA.test, by="group", folds=3)
    with pytest.raises(ft.ParameterError) as error:
        ft.evaluate_groups(DATA.dev, by="group", folds=ft.inference.make_blocks(DATA.dev, 3)[1:])
    assert error.value.code == "not-judged"


def test_equivalence_is_by_the_widest_ratio() -> None:
    from scipy import stats

    alike = ft.groups.synthetic_groups({"a": 150, "b": 150}, attempts=20, impostors=60, effect=0.0)
    found = ft.evaluate_groups(alike.dev, alike.test, by="group", factor=2.0)
    assert [own.shown for own in found.tests] == [True, True]
    assert all(1 < own.within < 2 for own in found.tests)
    strict = ft.evaluate_groups(alike.dev, alike.test, by="group", factor=1.01)
    assert not any(own.shown for own in strict.tests)
    # rare and independent errors: by the binomial distribution of the errors of one group among those of both
    a, b = (own.false_accepts for own in found.groups)
    low = stats.beta.ppf(0.05, min(a, b), max(a, b) + 1)
    assert found.tests[0].within == pytest.approx(max(1 / (low / (1 - low)), 1), rel=0.1)


def test_nothing_is_shown_at_a_confidence_of_a_half() -> None:
    found = ft.evaluate_groups(DATA.dev, DATA.test, by="group", confidence=0.5)
    assert not any(own.shown for own in found.tests)


def test_small_groups_are_named_with_what_they_would_need() -> None:
    data = ft.groups.synthetic_groups({"a": 100, "b": 4}, rng=1)
    found = ft.evaluate_groups(data.dev, data.test, by="group")
    note = next(note for note in found.notes if "too few people to place the FAR" in str(note))
    assert "b (4 people, about " in str(note)
    assert "a (100 people" not in str(note)


def test_a_group_without_a_class_and_one_without_errors() -> None:
    data = ft.groups.synthetic_groups({"a": 50, "b": 50, "c": 20}, rng=4)
    group = data.test.columns["group"].decode()  # type: ignore[union-attr]
    kept = ~((group == "c") & data.test.genuine) & ~((group == "b") & ~data.test.genuine & (data.test.column() > 1))
    found = ft.evaluate_groups(data.dev, data.test.rows(np.flatnonzero(kept)), by="group")
    b, c = found.groups[1], found.groups[2]
    assert np.isnan(c.frr)
    assert c.frr_interval is None
    assert c.hter_interval is None
    assert b.false_accepts == 0
    assert b.far_interval is not None
    assert 0 == b.far_interval.low < b.far_interval.high < 0.1
    assert any("no genuine trials in c" in str(note) for note in found.notes)
    assert any("makes ratios infinite" in str(note) for note in found.notes)
    ratio = next(own for own in found.summaries if own.name == "far_ratio")
    assert np.isinf(ratio.estimate)
    assert 1 <= ratio.low < np.inf
    json.dumps(found.to_dict(), allow_nan=False)


@pytest.mark.parametrize(("resample", "given"), [("both", "threshold re-estimated"), ("test", "given this threshold")])
def test_every_claim_about_groups_says_what_became_of_the_threshold(resample: str, given: str) -> None:
    found = ft.evaluate_groups(DATA.dev, DATA.test, by="group", resample=resample)  # type: ignore[arg-type]
    said = found.to_dict()
    claims = [*said["tests"], *said["pairs"], *said["equivalence"], *said["summaries"].values()]
    assert {own["threshold"] for own in claims} == {"re-estimated" if resample == "both" else "fixed"}
    rates, tests, pairs, *_ = found.tables()
    for table in (rates, tests, pairs):
        assert any(str(note).endswith(given) for note in table.notes)


def test_groups_of_one_trial_say_nothing() -> None:
    trials = ft.Trials.from_arrays(
        [0.9, 0.8, 0.2, 0.1],
        [True, True, False, False],
        claim=["p", "q", "p", "q"],
        subject=["p", "q", "r", "r"],
        columns={"group": ["a", "b", "a", "b"]},
    )
    found = ft.evaluate_groups(trials, trials, by="group")
    assert all(own.far_interval is not None and own.far_interval.high > 0.5 for own in found.groups)


def test_without_ids_trials_are_independent() -> None:
    bare = [
        ft.Trials(trials.scores, trials.genuine, trials.systems, columns=trials.columns)
        for trials in (DATA.dev, DATA.test)
    ]
    found = ft.evaluate_groups(*bare, by="group", resample="test")
    assert [own.people for own in found.groups] == [None, None, None]
    assert any("taken as independent" in str(note) for note in found.notes)


def test_bad_input_is_one_error() -> None:
    alone = DATA.test.rows(np.flatnonzero(DATA.test.columns["group"].decode() == "a"))  # type: ignore[union-attr]
    with pytest.raises(ft.TrialsError, match="puts all test trials into one group, a"):
        ft.evaluate_groups(DATA.dev, alone, by="group")
    with pytest.raises(ft.ParameterError, match="factor must be a number above 1"):
        ft.evaluate_groups(DATA.dev, DATA.test, by="group", factor=1.0)
    with pytest.raises(ft.ParameterError, match="weight"):
        ft.evaluate_groups(DATA.dev, DATA.test, by="group", weight=2.0)
    for wrong in (3, "", ["group", "group"]):
        with pytest.raises(ft.ParameterError, match="by must be the name of a column"):
            ft.evaluate_groups(DATA.dev, DATA.test, by=wrong)  # type: ignore[arg-type]
    for edges in ({"group": "30,50"}, {"group": 3}, [3], {"group": ["a"]}):
        with pytest.raises(ft.ParameterError, match="edges"):
            ft.evaluate_groups(DATA.dev, DATA.test, by="group", edges=edges)  # type: ignore[arg-type]
    with pytest.raises(ft.ParameterError, match="edges are given for age"):
        ft.evaluate_groups(DATA.dev, DATA.test, by="group", edges={"age": [3]})
    with pytest.raises(ft.ParameterError, match="impostor_by needs one column for each"):
        ft.evaluate_groups(DATA.dev, DATA.test, by="group", impostor_by=["group", "impostor_group"])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    ft.write_trials(DATA.dev, "dev.csv")
    ft.write_trials(DATA.test, "test.csv")
    return tmp_path


def run(*words: str) -> tuple[int, str]:
    found = CliRunner().invoke(main, ["groups", "--dev", "dev.csv", "--test", "test.csv", *words])
    return found.exit_code, found.output


def test_the_command_says_what_the_function_finds(folder: Path) -> None:
    code, text = run("--by", "group", "--impostor-by", "impostor_group", "--own-thresholds", "--json")
    assert code == 0
    found, expected = json.loads(text), FOUND.to_dict()
    assert {key: found[key] for key in ("by", "threshold", "groups", "tests", "summaries", "meetings")} == {
        key: expected[key] for key in ("by", "threshold", "groups", "tests", "summaries", "meetings")
    }
    assert set(found["summaries"]) >= {"fdr", "garbe", "inequity_rate"}
    assert {test["test"] for test in found["tests"]} == {"equal-far", "equal-frr"}


def test_a_table_of_people(folder: Path) -> None:
    rows = ["who,sex,age"]
    for trials in (DATA.dev, DATA.test):
        assert trials.claim is not None
        rows += [f"{name},{'fm'[k % 2]},{20 + k}" for k, name in enumerate(trials.claim.numbered().names)]
    (folder / "people.csv").write_text("\n".join(rows))
    people = ("--people", "people.csv", "--person-column", "who")
    code, text = run(*people, "--by", "sex,age", "--edges", "age=60", "--json")
    assert code == 0
    assert [own["group"] for own in json.loads(text)["groups"]] == [
        "f, age below 60",
        "f, age 60 and up",
        "m, age below 60",
        "m, age 60 and up",
    ]
    code, text = run(*people, "--by", "gender")
    assert code == 2
    assert "found who, sex, age" in text
    assert "--impostor-by is for columns of trials" in run(*people, "--by", "sex", "--impostor-by", "x")[1]


def test_folds_of_the_command(folder: Path) -> None:
    words = ["groups", "--dev", "test.csv", "--by", "group", "--folds"]
    found = CliRunner().invoke(main, [*words, "3", "--report", "page.html", "--json"])
    assert found.exit_code == 0
    expected = ft.evaluate_groups(ft.read_trials("test.csv", others=["group"]), by="group", folds=3).to_dict()
    answer = json.loads(found.stdout)
    assert [answer[key] for key in ("kind", "threshold", "groups", "pairs")] == [
        expected[key] for key in ("kind", "threshold", "groups", "pairs")
    ]
    assert "thresholds from other folds" in (folder / "page.html").read_text()
    table = CliRunner().invoke(main, [*words, "group"])
    assert "thresholds by eer from other folds" in table.stdout
    both = CliRunner().invoke(main, [*words, "3", "--test", "test.csv"])
    assert (both.exit_code, "give --test or --folds, not both" in both.output) == (2, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--by", "sex"), "there is no column 'sex'; there are claim, subject, label, group, impostor_group, score"),
        (("--by", ""), "there is no column ''"),
        (("--by", "group", "--edges", "group"), "expected a column and numbers, as in age=30,50"),
        (("--by", "group", "--person-column", "who"), "--people"),
        (("--by", "group", "--factor", "0"), "factor must be a number above 1"),
    ],
)
def test_a_bad_command_is_one_error(folder: Path, words: tuple[str, ...], said: str) -> None:
    code, text = run(*words)
    assert code == 2
    assert said in text


def test_one_person_who_makes_the_errors_of_a_worse_group_is_warned_of() -> None:
    data = ft.groups.synthetic_groups({"a": 100, "b": 10}, attempts=20, effect=0.0, rng=2)
    trials, group = data.test, texts_of(data.test, "group")
    claims, subjects = (trials.ids[role].decode() for role in ("claim", "subject"))
    rejected = (claims == claims[group == "b"][0]) & trials.genuine
    goat = ft.Trials.from_arrays(
        np.where(rejected, -9.0, trials.column()),
        trials.genuine,
        claim=claims,
        subject=subjects,
        columns={"group": group},
    )
    found = ft.evaluate_groups(data.dev, goat, by="group")
    (note,) = (note for note in found.notes if isinstance(note, Note) and note.code == "few-people")
    assert note.warning
    assert note.values == {"rate": "FRR", "group": "b", "most": 20, "errors": found.groups[1].false_rejects}
    assert found.tests[1].p_adjusted < 0.05
    others = ft.evaluate_groups(data.dev, trials, by="group").notes + FOUND.notes
    assert not any(isinstance(note, Note) and note.code == "few-people" for note in others)
