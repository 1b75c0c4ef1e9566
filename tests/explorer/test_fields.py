"""What a browser sends is checked field by field."""

from collections.abc import Callable
from typing import Any

import pytest

from fairtrial import ParameterError
from fairtrial.explorer import fields


@pytest.mark.parametrize(
    ("read", "value"),
    [
        (fields.text, 3),
        (fields.text, None),
        (fields.text, "x" * 3000),
        (fields.number, "3"),
        (fields.number, True),
        (fields.number, float("nan")),
        (fields.number, float("inf")),
        (fields.number, 10**400),
        (fields.whole, -(10**400)),
        (fields.whole, 2.5),
        (fields.names, "a"),
        (fields.names, ["a", 1]),
        (fields.flag, 1),
        (fields.part, []),
    ],
)
def test_what_is_not_of_its_kind_is_refused(read: Callable[[dict[str, Any], str], object], value: object) -> None:
    with pytest.raises(ParameterError, match="x must"):
        read({"x": value}, "x")


def test_defaults_stand_for_missing_fields() -> None:
    assert fields.text({}, "x", "a") == "a"
    assert fields.number({"x": 3}, "x") == 3.0
    assert fields.whole({}, "x", 5) == 5
    assert (fields.names({}, "x"), fields.flag({}, "x"), fields.part({}, "x")) == ((), False, {})


def test_a_choice_names_what_there_is() -> None:
    with pytest.raises(ParameterError, match="one of a, b, not 'c'"):
        fields.choice({"x": "c"}, "x", ("a", "b"))
