"""Trials that are decided wrongly."""

from pathlib import Path
from typing import Any

from explorer.opened import read_data, write_sets
from fairtrial.explorer.questions.mistakes import ErrorsQuestion


def test_folds_at_a_given_threshold_in_python(tmp_path: Path) -> None:
    data = read_data(write_sets(tmp_path)[:1], folds=3)
    question = ErrorsQuestion.of({"system": "face", "point": {"threshold": 0.5}})
    known: dict[str, Any] = {"found": []}
    exec(question.repeated(data).python.replace("print(", "found.append("), known)
    assert len(known["found"]) == question.answer(data, lambda share: None).found["errors"] > 0
