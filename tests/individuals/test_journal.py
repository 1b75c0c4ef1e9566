"""Journals of studies: a checksum on every line, and one process at a time."""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path
from typing import Any

import pytest

from fairtrial import InputError, OutputError
from fairtrial.formats.locks import lock
from fairtrial.individuals import Cell, CoverageRow, StudySettings, run_study
from fairtrial.individuals.journal import open_journal, remove_journal

CELLS = [Cell(30, 2, 0.1, 0.1), Cell(40, 2, 0.1, 0.1)]
QUICKLY = StudySettings(data_sets=10, n_resamples=5, methods=("bp", "lbb"))


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    run_study(CELLS, QUICKLY, journal=tmp_path / "study.journal", workers=1)
    return tmp_path / "study.journal"


def test_every_line_begins_with_the_checksum_of_the_rest(journal: Path) -> None:
    lines = journal.read_bytes().splitlines()
    assert len(lines) == 1 + len(CELLS)
    for line in lines:
        assert int(line[:8], 16) == zlib.crc32(line[9:])
        json.loads(line[9:])


def test_a_number_that_was_changed_is_seen(journal: Path) -> None:
    lines = journal.read_text().splitlines()
    journal.write_text("\n".join([lines[0], lines[1].replace('"n": 30', '"n": 31'), lines[2], ""]))
    with pytest.raises(InputError, match=r"study\.journal, line 2: is damaged: its checksum does not fit"):
        run_study(CELLS, QUICKLY, journal=journal)


def test_a_damaged_header_is_not_taken_for_other_settings(journal: Path) -> None:
    journal.write_bytes(journal.read_bytes().replace(b'"seed": 0', b'"seed": 1', 1))
    with pytest.raises(InputError, match=r"study\.journal: is not a journal, or its first line is damaged"):
        run_study(CELLS, QUICKLY, journal=journal)


def test_a_second_process_is_refused_and_changes_nothing(journal: Path) -> None:
    before = journal.read_bytes()
    with open(journal, "rb") as held:
        import fcntl

        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(OutputError, match=r"study\.journal: another process is at work on this study; wait"):
            run_study(CELLS, QUICKLY, journal=journal)
        remove_journal(journal)
        assert journal.read_bytes() == before
    assert run_study(CELLS, QUICKLY, journal=journal) == run_study(CELLS, QUICKLY)
    remove_journal(journal)
    assert not journal.exists()
    remove_journal(journal)


def test_a_journal_that_was_removed_meanwhile_is_made_anew(
    monkeypatch: pytest.MonkeyPatch, journal: Path, tmp_path: Path
) -> None:
    from fairtrial.individuals import journal as module

    calls = 0

    def late(file: int) -> str:
        nonlocal calls
        calls += 1
        if calls == 1:
            journal.unlink()  # as the process that had it does at its end
        return lock(file)

    monkeypatch.setattr(module, "lock", late)
    study = run_study(CELLS, QUICKLY, journal=journal)
    assert study == run_study(CELLS, QUICKLY)
    assert len(journal.read_bytes().splitlines()) == 3


@pytest.mark.parametrize("failing", ["flush", "fsync"])
def test_a_full_disk_is_one_error_and_the_study_goes_on_later(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, failing: str
) -> None:
    from fairtrial.individuals import journal as module

    journal, noted = tmp_path / "study.journal", 0

    def fail(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        if failing == "fsync":
            patch.setattr(module, "_SYNC_EVERY", -1.0)
            patch.setattr(os, "fsync", fail)
        else:
            real = module.Journal.note

            def note(self: module.Journal, cell: Cell, rows: list[CoverageRow]) -> None:
                nonlocal noted
                noted += 1
                real(self, cell, rows) if noted == 1 else half_of_a_line(self)

            patch.setattr(module.Journal, "note", note)
        with pytest.raises(OutputError, match=r"study\.journal: cannot be written: No space left on device"):
            run_study(CELLS, QUICKLY, journal=journal, workers=1)
    whole = run_study(CELLS, QUICKLY)
    assert run_study(CELLS, QUICKLY, journal=journal) == whole


def half_of_a_line(journal: Any) -> None:
    journal._file.write(b"0123abcd [{")
    journal._file.flush()
    raise OSError(28, "No space left on device")


def test_nothing_noted_leaves_no_file(tmp_path: Path) -> None:
    with open_journal(tmp_path / "j", {}, CELLS):
        pass
    assert list(tmp_path.iterdir()) == []
