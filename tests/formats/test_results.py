"""Tables of results as files."""

from __future__ import annotations

import csv
from pathlib import Path

import pyarrow.parquet as parquet
import pytest

from core.small import TABLE
from fairtrial.core.errors import OutputError
from fairtrial.core.words import wording
from fairtrial.formats.results import check_target, write_tables


def test_parquet_and_csv_round_trips(tmp_path: Path) -> None:
    write_tables([TABLE], tmp_path / "a.parquet")
    assert parquet.read_table(tmp_path / "a.parquet").equals(TABLE.to_arrow())
    write_tables([TABLE], tmp_path / "a.tsv")
    with open(tmp_path / "a.tsv", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert [row["system"] for row in rows] == ["a_b <x>", "50 & 50"]
    assert [row["far"] for row in rows] == ["0.0123", ""]
    write_tables([TABLE], tmp_path / "a.csv.gz")
    assert (tmp_path / "a.csv.gz").read_bytes()[:2] == b"\x1f\x8b"


def test_texts_hold_all_tables(tmp_path: Path) -> None:
    with wording(terms="iso"):
        write_tables([TABLE, TABLE], tmp_path / "a.md")
    assert (tmp_path / "a.md").read_text().count("## FMR on test") == 2
    write_tables([TABLE], tmp_path / "a.tex")
    assert (tmp_path / "a.tex").read_text() == TABLE.to_latex()


def test_targets_are_checked_before_the_work(tmp_path: Path) -> None:
    check_target(tmp_path / "out.md")
    for target, message in (
        (tmp_path / "out.doc", "should end in .csv, .tsv, .parquet, .md, .tex"),
        (tmp_path / "out.md.gz", "should end in"),
        (tmp_path / "nowhere" / "out.csv", "there is no directory"),
    ):
        with pytest.raises(OutputError, match=message):
            check_target(target)
    with pytest.raises(OutputError, match="should end in"):
        write_tables([TABLE], tmp_path / "out.doc")
    assert list(tmp_path.iterdir()) == []
