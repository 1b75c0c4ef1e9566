"""Forms follow from declarations, and what a browser sends is checked against them."""

import pytest

from fairtrial import ParameterError, compare, fuse
from fairtrial.core.schema import FLAG, NUMBER, Key, ValueKind
from fairtrial.explorer.forms import NAMES, TEXT, WHOLE, check_fields, fields_of, values_of
from fairtrial.figures import zoo_data


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (TEXT, 3),
        (TEXT, "x" * 3000),
        (NUMBER, "3"),
        (NUMBER, True),
        (NUMBER, float("nan")),
        (NUMBER, float("inf")),
        (NUMBER, 10**400),
        (WHOLE, -(10**400)),
        (WHOLE, 2.5),
        (WHOLE, True),
        (WHOLE, float("inf")),
        (NAMES, "a"),
        (NAMES, ["a", 1]),
        (FLAG, 1),
        ((Key("claim", TEXT),), []),
    ],
)
def test_what_is_not_of_its_kind_is_refused(kind: ValueKind | tuple[Key, ...], value: object) -> None:
    with pytest.raises(ParameterError, match="x must"):
        check_fields({"x": value}, [Key("x", kind)])


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
