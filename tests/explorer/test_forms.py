"""Forms follow from declarations, and what a browser sends is checked against them."""

from collections.abc import Callable

import pytest

from fairtrial import ParameterError, compare, fuse
from fairtrial.explorer.forms import (
    check_fields,
    check_flag,
    check_names,
    check_number,
    check_text,
    fields_of,
    values_of,
)
from fairtrial.figures import zoo_data


def whole(name: str, value: object) -> float:
    return check_number(name, value, whole=True)


@pytest.mark.parametrize(
    ("check", "value"),
    [
        (check_text, 3),
        (check_text, None),
        (check_text, "x" * 3000),
        (check_number, "3"),
        (check_number, True),
        (check_number, float("nan")),
        (check_number, float("inf")),
        (check_number, 10**400),
        (whole, -(10**400)),
        (whole, 2.5),
        (check_names, "a"),
        (check_names, ["a", 1]),
        (check_flag, 1),
        (check_fields, []),
    ],
)
def test_what_is_not_of_its_kind_is_refused(check: Callable[[str, object], object], value: object) -> None:
    with pytest.raises(ParameterError, match="x must"):
        check("x", value)


def test_fields_have_the_type_the_choices_and_the_default_of_the_signature() -> None:
    fields = {field["name"]: field for field in fields_of(compare, ("systems", "measure", "confidence", "correction"))}
    assert [fields[name]["kind"] for name in fields] == ["names", "choice", "float", "choice"]
    assert (fields["measure"]["default"], fields["confidence"]["default"]) == ("hter", 0.95)
    assert ["holm", "holm"] in fields["correction"]["choices"]
    assert fields["systems"]["help"]
    assert [field["kind"] for field in fields_of(zoo_data, ("by", "shows"))] == ["choice", "choice"]


def test_values_are_checked_by_the_signature_and_missing_ones_left_out() -> None:
    names = ("systems", "fusion", "normalise", "confidence")
    given = {"systems": ["a", "b"], "fusion": "mean", "confidence": 0.9, "unknown": 3}
    assert values_of(fuse, names, given) == {"systems": ("a", "b"), "fusion": "mean", "confidence": 0.9}
    for name, value in (("fusion", "os:system"), ("systems", "a"), ("confidence", "0.9")):
        with pytest.raises(ParameterError, match=name):
            values_of(fuse, names, {name: value})
