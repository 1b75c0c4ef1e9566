"""Who is hard to recognise."""

from pathlib import Path
from typing import Any

import pytest

from explorer.opened import read_data, write_sets
from fairtrial import TrialsError
from fairtrial.explorer.questions.zoo import ZooQuestion

ASKED = {"system": "face", "shows": "errors", "point": {"threshold": 0.5}}


def test_the_zoo_at_a_given_threshold_and_the_same_in_python(tmp_path: Path) -> None:
    data, question = read_data(write_sets(tmp_path)), ZooQuestion.of(ASKED)
    people = question.answer(data, lambda share: None).found["people"]
    known: dict[str, Any] = {}
    exec(question.repeated(data).python, known)
    assert [own["genuine"] for own in people] == known["zoo"].genuine.tolist()
    assert len({own["genuine"] for own in people}) > 1


def test_the_zoo_needs_a_test_set(tmp_path: Path) -> None:
    data = read_data(write_sets(tmp_path)[:1], folds=3)
    with pytest.raises(TrialsError, match="test set of its own"):
        ZooQuestion.of(ASKED).answer(data, lambda share: None)
