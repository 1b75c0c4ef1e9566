"""Which group a trial belongs to."""

from __future__ import annotations

import numpy as np
import pytest

from fairtrial import ParameterError, Trials, TrialsError
from fairtrial.core.errors import InputError
from fairtrial.groups import PeopleTable
from fairtrial.groups.membership import group_by_columns, group_by_people
from fairtrial.groups.rates import JudgedGroups
from fairtrial.inference import TrialSets, judge_at

TRIALS = Trials.from_arrays(
    [0.9, 0.1, 0.8, 0.2, 0.7],
    [True, False, True, False, True],
    claim=["a", "a", "b", "b", "c"],
    subject=["a", "b", "b", "c", "c"],
    columns={"sex": ["f", "f", "m", "m", " "], "age": [29.0, 29.0, 30.0, 30.0, np.nan], "site": [1, 2, 1, 2, 10]},
)


def groups(trials: Trials, *by: str, **settings: object) -> list[str]:
    found = group_by_columns(trials, by, **settings)  # type: ignore[arg-type]
    return [found.names[code] for code in found.trial]


def test_values_and_what_is_unknown() -> None:
    assert groups(TRIALS, "sex") == ["f", "f", "m", "m", "unknown"]


def test_a_dash_is_a_value_but_not_a_number() -> None:
    trials = Trials.from_arrays(np.zeros(4), np.arange(4) < 2, columns={"attack": ["-", "A18", "na", "7"]})
    assert groups(trials, "attack") == ["-", "A18", "unknown", "7"]
    ages = Trials.from_arrays(np.zeros(2), np.arange(2) < 1, columns={"age": ["-", "7"]})
    assert groups(ages, "age", edges={"age": [5]}) == ["unknown", "age 5 and up"]


def test_numbers_come_in_their_order() -> None:
    assert group_by_columns(TRIALS, ["site"]).names == ("1", "2", "10")


def test_numbers_within_names_count_too() -> None:
    trials = Trials.from_arrays(np.zeros(4), np.arange(4) < 2, columns={"site": ["g10", "g2", "", "g1"]})
    assert group_by_columns(trials, ["site"]).names == ("g1", "g2", "g10", "unknown")


def test_names_are_not_taken_for_edges_or_several_columns() -> None:
    names = ["below 3", "a, unknown", "below 10", "", "b"]
    trials = Trials.from_arrays(np.zeros(5), np.arange(5) < 2, columns={"site": names})
    assert group_by_columns(trials, ["site"]).names == ("a, unknown", "b", "below 3", "below 10", "unknown")


def test_edges_come_in_their_order_below_0_too() -> None:
    trials = Trials.from_arrays(np.zeros(4), np.arange(4) < 2, columns={"gain": [5.0, -7.0, -3.0, 1.0]})
    found = group_by_columns(trials, ["gain"], edges={"gain": [-5, -1, 2]}).names
    assert found == ("gain below -5", "gain -5 to -1", "gain -1 to 2", "gain 2 and up")


def test_edges_belong_to_the_group_above() -> None:
    found = groups(TRIALS, "age", edges={"age": [30]})
    assert found == ["age below 30", "age below 30", "age 30 and up", "age 30 and up", "unknown"]
    names = group_by_columns(TRIALS, ["age"], edges={"age": [29.5, 5]}).names
    assert names == ("age 5 to 29.5", "age 29.5 and up", "unknown")


def test_columns_are_crossed() -> None:
    assert groups(TRIALS, "sex", "site") == ["f, 1", "f, 2", "m, 1", "m, 2", "unknown, 10"]


def test_the_impostors_group_by_columns_of_its_own() -> None:
    trials = Trials.from_arrays([0.9, 0.1], [True, False], columns={"claim_sex": ["f", "m"], "probe_sex": ["f", "f"]})
    found = group_by_columns(trials, ["claim_sex"], impostor_by=["probe_sex"])
    assert found.impostor is not None
    assert [found.names[code] for code in found.trial] == ["f", "m"]
    assert [found.names[code] for code in found.impostor] == ["f", "f"]


def test_people_are_joined_by_claim_and_subject() -> None:
    table = PeopleTable.of({"person": ["a", " b ", "z"], "sex": ["f", "m", "m"]}, ["sex"])
    found = group_by_people(TRIALS, table)
    assert found.impostor is not None
    assert [found.names[code] for code in found.trial] == ["f", "f", "m", "m", "unknown"]
    assert [found.names[code] for code in found.impostor] == ["f", "m", "m", "unknown", "unknown"]
    assert [(note.code, note.values) for note in found.notes] == [("strangers", {"people": 1, "names": "c"})]


def test_a_person_in_two_groups_is_an_error() -> None:
    with pytest.raises(TrialsError, match="a is in two groups of sex: f and m"):
        PeopleTable.of({"person": ["a", "a"], "sex": ["f", "m"]}, ["sex"])
    PeopleTable.of({"person": ["a", "a"], "sex": ["f", "f"]}, ["sex"])


def test_few_claims_in_two_groups_are_told() -> None:
    names = [f"p{k}" for k in range(20)]
    trials = Trials.from_arrays(
        np.zeros(21), np.arange(21) < 10, claim=[*names, "p3"], columns={"sex": ["f", "m"] * 10 + ["f"]}
    )
    note, none = (
        list(JudgedGroups(judge_at(TrialSets(None, some), 0.5), group_by_columns(some, ["sex"]), "fixed").notes)
        for some in (trials, trials.rows(np.arange(20)))
    )
    given = {"claims": 1, "people": 20, "name": "p3", "groups": "f, m"}
    assert ([(each.code, each.values) for each in note], none) == ([("in-two-groups", given)], [])


def test_what_cannot_be_grouped_by() -> None:
    with pytest.raises(TrialsError, match="no column 'gender' to group by; they have claim, subject, sex, age, site"):
        groups(TRIALS, "gender")
    with pytest.raises(TrialsError, match="holds 'f', which is not a number"):
        groups(TRIALS, "sex", edges={"sex": [1]})
    with pytest.raises(ParameterError, match="edges of age"):
        groups(TRIALS, "age", edges={"age": [1, 1]})
    with pytest.raises(TrialsError, match=r"there are 500 groups by n, such as 0, 1, 2, and 497 more; at most 100"):
        group_by_columns(Trials.from_arrays(np.zeros(500), np.arange(500) < 9, columns={"n": np.arange(500)}), ["n"])
    with pytest.raises(InputError, match="the table of people has no column sex; it has person, gender"):
        PeopleTable.of({"person": ["a"], "gender": ["f"]}, ["sex"])
    with pytest.raises(TrialsError, match="nobody of the table of people is a claim"):
        group_by_people(TRIALS, PeopleTable.of({"person": ["x"], "sex": ["f"]}, ["sex"]))
    with pytest.raises(TrialsError, match="needs trials with claim or subject ids"):
        group_by_people(Trials.from_arrays([0.1], [True]), PeopleTable.of({"person": ["x"], "sex": ["f"]}, ["sex"]))
