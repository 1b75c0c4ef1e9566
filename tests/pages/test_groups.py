"""The page of groups: the numbers of the result, and one threshold that moves all groups."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import fairtrial as ft
from fairtrial.core.words import wording
from fairtrial.pages import page_of
from fairtrial.pages import results as groups
from fairtrial.pages.page import Page, render
from pages.pages import EVIL, REPEAT, Reader, check_self_contained, data_of, references
from simulated import texts_of


@cache
def data() -> ft.groups.SyntheticGroups:
    return ft.groups.synthetic_groups({"a": 30, EVIL: 25, "few": 2}, worse={EVIL: 5.0}, impostors=15)


@cache
def grouped_result() -> ft.groups.GroupEvaluation:
    return ft.evaluate_groups(data().dev, data().test, by="group", impostor_by="impostor_group")


@cache
def page_of_groups() -> Page:
    with wording(terms="iso"):
        return page_of(grouped_result())


def test_page_shows_the_numbers_of_the_result() -> None:
    page = page_of_groups()
    text = render(replace(page, repeat=REPEAT))
    check_self_contained(text)
    assert len(text.encode()) < 1_000_000
    reader = Reader(text)
    for group in grouped_result().groups:
        assert group.group in reader.text
        assert group.far_interval is not None
        assert f"{100 * group.far_interval.high:.2f}" in reader.text
    for note in grouped_result().notes:
        assert str(note) in reader.text
    assert [table.name for table in page.tables] == [table.name for table in grouped_result().tables()]
    assert "Hothorn" in references(page)
    assert "Owen 2007" in references(page)


def test_a_threshold_from_the_same_trials_is_not_called_one_from_dev() -> None:
    same = data().test
    page = page_of(ft.evaluate_groups(same, same, by="group"))
    assert page.captions.threshold == "threshold from the same trials"
    text = Reader(render(page)).text
    assert "threshold from dev" not in text
    assert "one threshold from the same trials for all groups, a posteriori" in text


def test_answer_names_the_groups_that_differ_most_the_worse_one_first() -> None:
    (far,) = page_of_groups().answer
    rates = {group.group: group for group in grouped_result().groups}
    ratio = rates[EVIL].far / rates["a"].far
    assert far.startswith("The FMR is not the same in all groups (p")
    assert f"{EVIL} with {100 * rates[EVIL].far:.2f} % and a with {100 * rates['a'].far:.2f} %" in far
    assert f"{ratio:.3g} times as much" in far
    pair = next(pair for pair in grouped_result().pairs if (pair.measure, {pair.a, pair.b}) == ("far", {"a", EVIL}))
    ends = sorted([pair.ratio_low, pair.ratio_high] if pair.a == EVIL else [1 / pair.ratio_low, 1 / pair.ratio_high])
    assert f"{ends[0]:.4g} to {ends[1]:.4g}" in far
    assert "No difference of the FNMR between groups is shown (p = " in far


def test_groups_without_errors_are_told_by_a_limit() -> None:
    test = grouped_result().tests[0]
    pair = replace(test.clearest, ratio=np.inf, ratio_low=3.25, ratio_high=np.inf, difference=0.1, a=EVIL, b="a")
    answer = replace(grouped_result(), tests=(replace(test, clearest=pair),)).answer() + "."
    assert "at least 3.25 times as much (95 % limit, simultaneous over all pairs)." in answer


def test_equal_groups_are_said_to_be_so() -> None:
    far, frr = grouped_result().tests
    tests = replace(far, factor=3.0, within=4.0), replace(frr, factor=3.0, within=2.5)
    answer = replace(grouped_result(), tests=tests).answer()
    assert answer.endswith("The FRR is shown to be the same in all groups within a factor of 3")
    assert answer.count("within a factor") == 1


def test_one_threshold_moves_all_groups_by_brute_force() -> None:
    page = page_of_groups()
    systems, rates = page.explore["systems"], page.explore["rates"]
    assert [chart["name"] for chart in systems] == [chart.group for chart in grouped_result().groups]
    names, scores, genuine = texts_of(data().test, "group"), data().test.column(), data().test.genuine
    for k in (5, 50, 93):
        (threshold,) = {chart["threshold"][k] for chart in systems}
        assert threshold == ft.rules.choose_thresholds(data().dev, "wer-equal", k / 100).threshold[0]
        for chart in systems:
            rows = names == chart["name"]
            assert chart["far"][k] == np.mean(scores[rows & ~genuine] > threshold)
            assert chart["frr"][k] == np.mean(scores[rows & genuine] <= threshold)
            assert chart["limits"]["far"]["low"][k] <= chart["far"][k] <= chart["limits"]["far"]["high"][k]
        assert rates["frr"]["all"][k] == np.mean(scores[genuine] <= threshold)


def test_thirty_groups_stay_below_a_megabyte() -> None:
    page = page_of_groups()
    text = render(replace(page, explore={**page.explore, "systems": (30 * page.explore["systems"])[:30]}))
    assert len(text.encode()) < 1_000_000


def test_what_was_asked_has_the_intervals_of_the_table() -> None:
    explore = page_of_groups().explore
    assert explore["rates"]["far"]["axis"]["label"] == "FMR (%)"
    for group, shown in zip(grouped_result().groups, explore["systems"], strict=True):
        for rate in ("far", "frr"):
            interval = group.interval_of(rate)
            assert interval is not None
            limits = shown["limits"][rate]
            assert limits["asked"] == list(interval.interval)
            # at the same threshold the interval along alpha is nearly the same: replicates are of all alphas together
            assert limits["high"][50] == pytest.approx(interval.high, rel=0.02)
        assert group.hter_interval is not None
        assert (shown["asked"]["low"], shown["asked"]["high"]) == tuple(group.hter_interval.interval)
    assert explore["rates"]["far"]["asked"] == grouped_result().overall["far"]


def test_names_with_markup_are_data() -> None:
    text = render(page_of_groups())
    assert "<script>alert" not in text
    systems = data_of(text)["systems"]
    assert isinstance(systems, list)
    assert EVIL in [chart["name"] for chart in systems]


def test_many_groups_make_no_large_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups, "_MOST_GROUPS", 2)
    monkeypatch.setattr(groups, "_MOST_ROWS", 4)
    page = page_of(grouped_result())
    assert [group["name"] for group in page.explore["systems"]] == [
        group.group for group in grouped_result().groups if group.group != "few"
    ]
    assert [(note.code, note.values) for note in page.notes] == [("groups-not-drawn", {"shown": 2, "groups": 3})]
    pairs = next(table for table in page.tables if table.name == "pairs")
    assert len(pairs.rows) == 4
    left_out = sorted(pair.p_adjusted for pair in grouped_result().pairs)[4:]
    assert max(pairs.column("p_adjusted")) <= min(left_out)
    assert any("4 rows of 6 with the smallest p values" in str(note) for note in pairs.notes)


def test_kinds_of_attack_are_drawn_with_the_genuine_trials_of_all() -> None:
    genuine = data().test.genuine
    kind = np.where(genuine, "real", texts_of(data().test, "group"))
    test = ft.Trials.from_arrays(data().test.scores, genuine, columns={"kind": kind})
    attacks = ft.evaluate_groups(data().dev, test, by="kind")
    page = page_of(attacks)
    systems = page.explore["systems"]
    assert [chart["name"] for chart in systems] == [chart.group for chart in attacks.groups if chart.group != "real"]
    assert {tuple(chart["frr"]) for chart in systems} == {tuple(page.explore["rates"]["frr"]["all"])}
    assert [sorted(chart["limits"]) for chart in systems] == [["far"]] * 3
    assert [note.code for note in page.notes] == ["groups-without-genuine"]
    check_self_contained(render(page))


def test_axes_reach_the_limits_unless_these_are_far_below_the_rates() -> None:
    explore = page_of_groups().explore
    for rate in ("far", "frr"):
        axis, spans = explore["rates"][rate]["axis"], []
        for group in explore["systems"]:
            low, high = group["limits"][rate]["asked"]
            spans.append((group["asked"][rate], low, high))
        smallest = min(value for span in spans for value in span[::2] if value > 0)
        for value, low, high in spans:
            assert 10 ** axis["high"] >= high
            assert value == 0 or 10 ** axis["low"] <= max(low, smallest / 30)


def test_limits_of_a_threshold_that_does_not_move_are_those_of_the_request() -> None:
    moving, still = (page_of(grouped_result(), moves=moves).explore for moves in (True, False))
    assert still["systems"][0]["low"] == moving["systems"][0]["low"]
    for here, there in zip(moving["systems"], still["systems"], strict=True):
        assert here["asked"] == there["asked"]
        for rate in ("far", "frr"):
            assert here["limits"][rate]["asked"] == there["limits"][rate]["asked"]
            assert there["limits"][rate]["low"] == []
