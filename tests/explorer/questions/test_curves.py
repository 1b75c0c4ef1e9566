"""Curves with bands, and where two of them differ."""

from pathlib import Path

from explorer.opened import read_data, write_sets
from fairtrial.explorer.questions.curves import CurvesQuestion, RegionsQuestion


def test_curves_keep_their_kind_beside_that_of_the_band(tmp_path: Path) -> None:
    """As in what epc --bands --json prints."""
    answer = CurvesQuestion.of({"systems": ["face"]}).answer(read_data(write_sets(tmp_path)), lambda share: None)
    [curve] = answer.found["curves"]
    assert (curve["kind"], curve["band_kind"]) == ("a priori", "pointwise")


def test_curves_of_folds_are_compared_by_a_command_too(tmp_path: Path) -> None:
    """`test_repeated` runs it, and the lines of Python."""
    data = read_data(write_sets(tmp_path)[:1], folds=3)
    command = RegionsQuestion.of({"a": "face", "b": "gait"}).repeated(data).command
    assert command[command.index("--compare") + 1] == "face,gait"
    assert command[command.index("--folds") + 1] == "3"
