"""Systems at an operating point: what is said with the numbers."""

from typing import Any

import pytest

from explorer.opened import read_data, write_sets
from fairtrial.explorer.data import Data
from fairtrial.explorer.questions.evaluating import EvaluateQuestion


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return write_sets(tmp_path_factory.mktemp("scores"))


def said(data: Data, **point: Any) -> str:
    answer = EvaluateQuestion.of({"systems": ["face"], "point": point}).answer(data, lambda share: None)
    return " ".join(answer.sentences)


def test_what_flatters_a_system_is_said_with_its_numbers(paths: list[str]) -> None:
    two, same = read_data(paths), read_data([paths[0], paths[0]])
    assert "if it was chosen by looking at these trials" in said(two, threshold=0.5)
    assert "the same trials" in said(same, criterion="eer")
    for doubt in ("by looking", "the same trials"):
        assert doubt not in said(two, criterion="eer")


def test_folds_at_a_given_threshold_in_python(paths: list[str]) -> None:
    data = read_data(paths[:1], folds=3)
    question = EvaluateQuestion.of({"systems": ["face"], "point": {"threshold": 0.5}})
    lines = question.repeated(data).python
    known: dict[str, Any] = {}
    exec(lines.replace("print(", "found = ("), known)
    [system] = question.answer(data, lambda share: None).found["systems"]
    assert known["found"].to_dict() == system["test"]["interval"]
