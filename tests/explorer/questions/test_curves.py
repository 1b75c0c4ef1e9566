"""Curves with bands, and where two of them differ."""

from pathlib import Path
from typing import Any

from explorer.opened import read_data, write_sets
from fairtrial.explorer.questions.curves import CurvesQuestion, RegionsQuestion


def test_curves_keep_their_kind_beside_that_of_the_band(tmp_path: Path) -> None:
    """As in what epc --bands --json prints."""
    answer = CurvesQuestion.of({"systems": ["face"]}).answer(read_data(write_sets(tmp_path)), lambda share: None)
    [curve] = answer.found["curves"]
    assert (curve["kind"], curve["band_kind"]) == ("a priori", "pointwise")


def test_curves_of_folds_are_compared_in_python(tmp_path: Path) -> None:
    """No command does."""
    data = read_data(write_sets(tmp_path)[:1], folds=3)
    question = RegionsQuestion.of({"a": "face", "b": "gait"})
    repeated, known = question.repeated(data), dict[str, Any]()
    assert repeated.command == ()
    exec(repeated.python.replace("print(", "found = ("), known)
    assert known["found"].to_dict() == question.answer(data, lambda share: None).found["comparison"]
