"""Trial lists whose ids look like labels."""

from pathlib import Path
from typing import Any

import pytest

from fairtrial.core.errors import FairtrialError
from fairtrial.core.trials import Trials
from fairtrial.formats.read import read_trials


def read(folder: Path, trials: str, **options: Any) -> Trials:
    (folder / "trials").write_text(trials)
    (folder / "scores").write_text("".join(f"{k / 8}\n" for k in range(len(trials.splitlines()))))
    return read_trials([folder / "trials", folder / "scores"], **options)


KALDI = "0 utt1 target\n0 utt2 nontarget\n1 utt1 nontarget\n1 utt2 target\n"


@pytest.mark.parametrize("zero", ["0", "01", "00"])
def test_enrolment_ids_0_and_1_are_not_labels(tmp_path: Path, zero: str) -> None:
    trials = read(tmp_path, KALDI.replace("0 ", f"{zero} "))
    assert trials.genuine.tolist() == [True, False, False, True]
    assert trials.ids["claim"].decode().tolist() == [zero, zero, "1", "1"]
    assert "trial list enrol test label" in str(trials.notes[0])


def test_a_list_with_labels_first_and_ids_that_are_words(tmp_path: Path) -> None:
    trials = read(tmp_path, "1 a utt1\n0 a utt2\n0 b utt1\n1 b utt2\n")
    assert trials.genuine.tolist() == [True, False, False, True]
    assert "trial list label enrol test" in str(trials.notes[0])


def test_labels_that_may_be_in_two_columns_are_asked_about(tmp_path: Path) -> None:
    text = "0 utt1 1\n0 utt2 0\n1 utt1 0\n1 utt2 1\n"
    with pytest.raises(FairtrialError) as caught:
        read(tmp_path, text)
    assert 'the labels may be in column 1 or in column 3; say which, as in columns={"label": "3"}' in str(caught.value)
    assert read(tmp_path, text, columns={"label": "3"}).genuine.tolist() == [True, False, False, True]
    assert read(tmp_path, text, columns={"label": "1"}).genuine.tolist() == [False, False, True, True]
    with pytest.raises(FairtrialError, match="column 1 or in column 3, not in 2"):
        read(tmp_path, text, columns={"label": "2"})


def test_later_lines_tell_where_the_first_do_not(tmp_path: Path) -> None:
    text = "0 utt1 1\n" * 25 + "7 utt9 0\n"
    assert read(tmp_path, text).genuine.tolist() == [True] * 25 + [False]
