"""Text that a spreadsheet would take for a formula."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from fairtrial import Trials, evaluate, read_trials, write_trials
from fairtrial.formats.results import write_tables


def trials(id_: str, system: str, note: str) -> Trials:
    claim = np.array([id_, id_, "b", "b"], dtype=object)
    subject = np.array([id_, "b", "b", id_], dtype=object)
    scores = np.array([[-0.9], [-1.5], [0.7], [-2.5]])
    notes = np.array([note, "x", "y", "z"], dtype=object)
    return Trials.from_arrays(
        scores, claim == subject, systems=[system], claim=claim, subject=subject, columns={"remark": notes}
    )


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".csv.zst"])
@pytest.mark.parametrize("begin", ["=", "+", "-", "@"])
@pytest.mark.parametrize("where", range(3))
def test_formulas_stand_in_quotes_and_are_read_back(where: int, begin: str, ending: str, tmp_path: Path) -> None:
    words = ["anna", "face", "fine"]
    words[where] = f"{begin}1+1"
    mine = trials(*words)
    write_trials(mine, tmp_path / f"a{ending}")
    data = (tmp_path / f"a{ending}").read_bytes()
    text = (pa.input_stream(tmp_path / f"a{ending}").read() if ending.endswith("zst") else data).decode()
    assert f'"{begin}1+1"' in text
    assert "-0.9" in text
    assert '"-0.9"' not in text
    back = read_trials(tmp_path / f"a{ending}")
    assert back.systems == mine.systems
    assert back.scores.tolist() == mine.scores.tolist()
    assert back.columns["remark"].decode().tolist() == mine.columns["remark"].decode().tolist()  # type: ignore[union-attr]
    for name in ("claim", "subject"):
        assert back.ids[name].decode().tolist() == mine.ids[name].decode().tolist()


def test_other_text_is_written_as_it_is(tmp_path: Path) -> None:
    write_trials(trials("anna", "face", "fine"), tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text().splitlines()[1] == "anna,anna,genuine,fine,-0.9"


def test_formulas_in_results(tmp_path: Path) -> None:
    mine = trials("anna", "=1+1", "fine")
    write_tables(evaluate(mine, mine).tables(), tmp_path / "a.csv")
    text = (tmp_path / "a.csv").read_text()
    assert "\n=" not in text
    assert next(csv.DictReader(text.splitlines()))["system"] == "=1+1"
