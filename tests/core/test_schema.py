"""Tables from files and browsers: every key is checked, and an error names the key and what was expected."""

from typing import Any

import pytest

from fairtrial.core.errors import InputError, ParameterError
from fairtrial.core.schema import FLAG, NAME, NUMBER, TEXT, TEXTS, WHOLE, Key, ValueKind, check_entries, one_of

PART = (Key("name", NAME), Key("size", NUMBER, 1.0))
KEYS = (
    Key("title", TEXT, ""),
    Key("files", TEXTS, None),
    Key("count", WHOLE, 3),
    Key("quick", FLAG, False),
    Key("kind", one_of(["a", "b"]), "a"),
    Key("one", PART, None),
    Key("part", PART, (), many=True, heading="table.part"),
)


def test_values_and_defaults() -> None:
    found = check_entries({"files": "x.csv", "one": {"name": "n"}, "part": [{"name": "p", "size": 2}]}, KEYS, "here")
    assert found == {
        "title": "",
        "files": ["x.csv"],
        "count": 3,
        "quick": False,
        "kind": "a",
        "one": {"name": "n", "size": 1.0},
        "part": [{"name": "p", "size": 2.0}],
    }
    assert (found.place, found["one"].place, found["part"][0].place) == ("here", "here: one", "here: part p")


@pytest.mark.parametrize(
    ("content", "code", "words"),
    [
        ([], "value", "expected a table"),
        ({"titel": "x"}, "unknown-key", "title, files"),
        ({"title": 3}, "value", "title must be a text"),
        ({"files": []}, "value", "files must be a text or a list of texts"),
        ({"files": ["a", ""]}, "value", "files must be"),
        ({"count": 1.5}, "value", "count must be a whole number, not '1.5'"),
        ({"count": True}, "value", "count must be a whole number"),
        ({"quick": 1}, "value", "quick must be true or false"),
        ({"kind": "c"}, "value", "kind must be one of a, b, not 'c'"),
        ({"kind": ["a"]}, "value", "kind must be one of"),
        ({"one": []}, "value", "one must be a table"),
        ({"one": {}}, "missing-key", "one: name is missing; expected a text that is not empty"),
        ({"one": {"name": ""}}, "value", "one: name must be"),
        ({"one": {"name": "n", "size": float("nan")}}, "value", "one: size must be a finite number"),
        ({"one": {"name": "n", "size": 10**400}}, "value", "one: size must be a finite number"),
        ({"one": {"name": "n", "size": True}}, "value", "one: size must be"),
        ({"part": []}, "value", r"part must be tables that begin with \[\[table.part\]\]"),
        ({"part": [{"name": "p"}, {"size": 1}]}, "missing-key", "part number 2: name is missing"),
    ],
)
def test_what_is_wrong(content: Any, code: str, words: str) -> None:
    with pytest.raises(InputError, match=words) as error:
        check_entries(content, KEYS)
    assert error.value.code == code


def test_further_keys_and_other_errors() -> None:
    assert check_entries({"count": 1, "more": 2, "one": {"name": "n", "more": 3}}, KEYS, others=True)["count"] == 1
    with pytest.raises(ParameterError, match="there: count"):
        check_entries({"count": "x"}, KEYS, "there", error=ParameterError)


def test_a_kind_of_ones_own() -> None:
    def even(value: Any) -> int:
        if value % 2:
            raise ValueError
        return int(value)

    keys = [Key("pairs", ValueKind("an even number", even))]
    assert check_entries({"pairs": 4}, keys) == {"pairs": 4}
    with pytest.raises(InputError, match="pairs must be an even number, not '3'"):
        check_entries({"pairs": 3}, keys)
