"""Ids: numbers for names."""

import numpy as np

from fairtrial.core import Ids


def test_ids_are_numbered_by_first_occurrence_and_compare_by_name() -> None:
    ids, other = Ids.of(["b", "a", "b"]), Ids.of(["a", "a", "b"])
    assert (ids.codes.tolist(), ids.names.tolist()) == ([0, 1, 0], ["b", "a"])
    assert ids.equals(other).tolist() == [False, True, True]
    assert ids.decode().tolist() == ["b", "a", "b"]
    assert ids[np.array([True, False, True])].name(1) == "b"
    assert ids.same_as(Ids.of(["b", "a", "b"]))
    assert not ids.same_as(Ids.of(["b", "a"]))


def test_id_columns_are_concatenated_on_one_table_of_names() -> None:
    first, second, third = Ids.of(["b", "a", "b"]), Ids.of(["c", "a"]), Ids.of([])
    joined = Ids.concat([first, second, third])
    assert joined.decode().tolist() == ["b", "a", "b", "c", "a"]
    assert joined.names.tolist() == ["b", "a", "c"]
    assert joined.codes.tolist() == [0, 1, 0, 2, 1]
    assert joined.codes.dtype == np.int32
    # the parts, taken on their own table, are not changed
    assert second.names.tolist() == ["c", "a"]


def test_names_of_no_trial_stay_apart_when_ids_are_concatenated() -> None:
    some = Ids.of(["x", "y", "z"])[np.array([2])]
    assert Ids.concat([some, Ids.of(["w", "z"])]).decode().tolist() == ["z", "w", "z"]


def test_what_is_printed_of_ids_is_one_short_line() -> None:
    assert repr(Ids.of(["b", "a", "b"])) == "<Ids: 3 trials, 2 names: b, a>"
    assert repr(Ids.of(range(5000))) == "<Ids: 5,000 trials, 5,000 names: 0, 1, 2, 3, 4, 5, and 4994 more>"
    assert repr(Ids.of([])) == "<Ids: 0 trials, 0 names: none>"
