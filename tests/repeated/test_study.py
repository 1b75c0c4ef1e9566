"""Coverage studies: order, workers, files, and journals from which a stopped study resumes."""

from __future__ import annotations

import csv
import gzip
import json
import os
import zlib
from dataclasses import replace
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from scipy import stats

from fairtrial import InputError, OutputError, ParameterError
from fairtrial.formats.files import lock
from fairtrial.repeated.attempts import Individuals
from fairtrial.repeated.coverage import Cell, CoverageRow, Grid, cover
from fairtrial.repeated.study import CoverageStudy, StudySettings, open_journal, remove_journal, run_study, study_like
from reference.individuals_2004 import COVERAGE, EXAMPLE, METHODS, SHARES_OF_GOOD_CELLS_ABOVE_10

GRID = Grid((30, 200), (2, 6), (0.01, 0.1), (0.05, 0.4))
QUICKLY = StudySettings(data_sets=100, n_resamples=50)


class Stopped(Exception):
    """What ends a study before its time."""


def stop_after(cells: int) -> Any:
    done = 0

    def progress(count: int) -> None:
        nonlocal done
        done += count
        if done >= cells:
            raise Stopped

    return progress


def counted(grid: Any, settings: StudySettings, journal: Path) -> tuple[CoverageStudy, list[int]]:
    """The study, and what it told of its progress."""
    calls: list[int] = []
    return run_study(grid, settings, journal=journal, workers=2, progress=calls.append), calls


def test_workers_do_not_matter() -> None:
    alone = run_study(GRID, QUICKLY, workers=1)
    assert run_study(GRID, QUICKLY, workers=3) == alone
    assert run_study(GRID, QUICKLY) == alone
    cells = [(row.n, row.m, row.pi, row.rho) for row in alone.rows[::6]]
    assert cells == [(cell.n, cell.m, cell.pi, cell.rho) for cell in GRID]
    assert [row.method for row in alone.rows[:6]] == ["dr", "bp", "sb", "bb", "lbb", "brr"]


def test_a_cell_gives_the_same_in_whatever_grid_it_stands() -> None:
    full = run_study(GRID, QUICKLY).rows
    backwards = run_study(reversed(list(GRID)), QUICKLY, workers=2).rows
    assert set(backwards) == set(full)
    cell = Cell(200, 6, 0.1, 0.05)
    own = run_study([cell], QUICKLY).rows
    assert own == tuple(row for row in full if (row.n, row.m, row.pi, row.rho) == (200, 6, 0.1, 0.05))
    assert list(own) == cover(cell, data_sets=100, n_resamples=50, rng=0)
    assert run_study([cell], replace(QUICKLY, seed=1)).rows != own


def test_a_cell_that_is_named_twice_is_there_twice() -> None:
    cell = Cell(30, 2, 0.1, 0.1)
    once, twice = run_study([cell], QUICKLY).rows, run_study([cell, cell], QUICKLY).rows
    assert twice == once + once


def test_exact_study_against_recomputed_cells() -> None:
    settings = StudySettings(exact=True, methods=("dr", "lbb"))
    found = run_study([Cell(100, 2, 0.1, 0.2), Cell(1000, 2, 0.01, 0.8)], settings, workers=2)
    cells = COVERAGE[100, 0.1, 0.2], COVERAGE[1000, 0.01, 0.8]
    expected = [cell[METHODS.index(method)] for cell in cells for method in ("dr", "lbb")]
    assert [row.coverage for row in found.rows] == pytest.approx(expected, abs=1e-5)


def test_shares_within_a_range_by_hand() -> None:
    def row(method: str, coverage: float) -> CoverageRow:
        return CoverageRow(10, 2, 0.1, 0.1, method, coverage, 0.1, 0.1, 0.0, 0.0, 0.0)

    rows = [row("dr", value) for value in (0.9, 0.925, 0.95, 0.975)] + [row("bp", value) for value in (0.976, 0.93)]
    study = CoverageStudy(StudySettings(methods=("dr", "bp")), tuple(rows))
    assert study.share_within() == {"dr": 0.75, "bp": 0.5}
    assert study.share_within(0.0, 0.92) == {"dr": 0.25, "bp": 0.0}


def test_shares_of_a_small_grid_like_those_of_the_whole() -> None:
    # n pi is above 10 in every cell
    grid = Grid((1000, 5000), (2, 8), (0.05, 0.1), (0.1, 0.4))
    shares = run_study(grid, StudySettings(data_sets=4000, methods=("bp", "sb", "bb", "lbb"))).share_within()
    for method in ("bp", "bb", "lbb"):
        assert shares[method] == SHARES_OF_GOOD_CELLS_ABOVE_10[method] == 1
    assert shares["sb"] < 2 * SHARES_OF_GOOD_CELLS_ABOVE_10["sb"]


def test_a_stopped_study_goes_on(tmp_path: Path) -> None:
    whole = run_study(GRID, QUICKLY)
    journal = tmp_path / "study.journal"
    with pytest.raises(Stopped):
        run_study(GRID, QUICKLY, journal=journal, workers=2, progress=stop_after(5))
    lines = journal.read_text().splitlines()
    assert len(lines) == 1 + 5
    again, calls = counted(GRID, QUICKLY, journal)
    assert again == whole
    assert calls == [5] + [1] * 11
    # and once more, when nothing is left to do
    last, calls = counted(GRID, QUICKLY, journal)
    assert last == whole
    assert calls == [16]


def sealed(text: str) -> str:
    """A line of a journal."""
    return f"{zlib.crc32(text.encode()):08x} {text}"


def test_what_the_journal_holds_is_not_computed_again(tmp_path: Path) -> None:
    journal = tmp_path / "study.journal"
    cell = Cell(30, 2, 0.1, 0.1)
    run_study([cell], QUICKLY, journal=journal)
    header, line = journal.read_text().splitlines()
    rows = json.loads(line[9:])
    rows[0]["coverage"] = 0.125
    journal.write_text(f"{header}\n{sealed(json.dumps(rows))}\n")
    assert run_study([cell], QUICKLY, journal=journal).rows[0].coverage == 0.125


def test_undefined_widths_survive_the_journal(tmp_path: Path) -> None:
    # hardly ever an error: the width of lbb is NaN
    cell, settings = Cell(2, 2, 1e-9, 0.1), StudySettings(methods=("lbb",), data_sets=10)
    first = run_study([cell], settings, journal=tmp_path / "j").rows[0]
    again = run_study([cell], settings, journal=tmp_path / "j").rows[0]
    assert (first.undefined, again.undefined) == (1, 1)
    assert np.isnan(first.mean_width)
    assert np.isnan(again.mean_width)


@pytest.mark.parametrize("kept", [1, 2, 40])
def test_a_line_that_was_cut_off_is_dropped(tmp_path: Path, kept: int) -> None:
    journal = tmp_path / "study.journal"
    whole = run_study(GRID, QUICKLY, journal=journal)
    full = journal.read_bytes()
    lines = full.split(b"\n")
    journal.write_bytes(b"\n".join(lines[:8]) + b"\n" + lines[8][:kept])
    again, calls = counted(GRID, QUICKLY, journal)
    assert again == whole
    assert calls[0] == 7
    assert journal.read_bytes() == full


def test_a_header_that_was_cut_off_is_written_anew(tmp_path: Path) -> None:
    journal = tmp_path / "study.journal"
    whole = run_study([Cell(30, 2, 0.1, 0.1)], QUICKLY, journal=journal)
    full = journal.read_bytes()
    for kept in (0, 1, 30, full.index(b"\n")):
        journal.write_bytes(full[:kept])
        assert run_study([Cell(30, 2, 0.1, 0.1)], QUICKLY, journal=journal) == whole
        assert journal.read_bytes() == full


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 1},
        {"data_sets": 101},
        {"n_resamples": None},
        {"confidence": 0.9},
        {"generator": "beta-binomial"},
        {"methods": ("lbb",)},
        {"exact": True},
    ],
)
def test_a_journal_of_other_settings_is_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    journal = tmp_path / "study.journal"
    run_study([Cell(30, 2, 0.1, 0.1)], QUICKLY, journal=journal)
    before = journal.read_bytes()
    with pytest.raises(InputError, match=r"study\.journal: is the journal of a study with other settings or cells"):
        run_study([Cell(30, 2, 0.1, 0.1)], replace(QUICKLY, **change), journal=journal)
    assert journal.read_bytes() == before


@pytest.mark.parametrize(
    "line",
    ["x", "[]", "{}", "5", '[{"n": 3}]', '["n"]', "", "[[1, 2]]", '[{"n":', "null"],
)
def test_a_damaged_journal_is_refused(tmp_path: Path, line: str) -> None:
    journal = tmp_path / "study.journal"
    run_study([Cell(30, 2, 0.1, 0.1)], QUICKLY, journal=journal)
    whole = journal.read_text()
    for entry in (line, sealed(line)):
        damaged = whole + f"{entry}\n" + whole.splitlines()[1] + "\n"
        journal.write_text(damaged)
        with pytest.raises(InputError, match=r"study\.journal, line 3: is damaged: .*remove the file"):
            run_study([Cell(30, 2, 0.1, 0.1)], QUICKLY, journal=journal)
        assert journal.read_text() == damaged


def test_a_journal_with_a_cell_out_of_range_is_refused(tmp_path: Path) -> None:
    journal = tmp_path / "study.journal"
    run_study([Cell(30, 2, 0.1, 0.1)], QUICKLY, journal=journal)
    header, line = journal.read_text().splitlines()
    beyond = line[9:].replace('"pi": 0.1', '"pi": 7')
    journal.write_text(f"{header}\n{sealed(beyond)}\n")
    with pytest.raises(InputError, match="line 2: is damaged: "):
        run_study([Cell(30, 2, 0.1, 0.1)], QUICKLY, journal=journal)


@pytest.mark.parametrize("content", [b"my only notes", b"one\ntwo\nthree", b"\xff\xfe\x00\x80 binary"])
def test_a_file_that_is_no_journal_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    place = tmp_path / "notes.txt"
    place.write_bytes(content)
    with pytest.raises(InputError, match=r"notes\.txt: is "):
        run_study([Cell(30, 2, 0.1, 0.1)], QUICKLY, journal=place)
    assert place.read_bytes() == content


def test_a_journal_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="cannot be written"):
        run_study([Cell(30, 2, 0.1, 0.1)], QUICKLY, journal=tmp_path / "nowhere" / "j")
    with pytest.raises(OutputError, match="cannot be written"):
        run_study([Cell(30, 2, 0.1, 0.1)], QUICKLY, journal=tmp_path)


def test_errors_of_a_cell_end_the_study_and_keep_what_was_done(tmp_path: Path) -> None:
    journal = tmp_path / "j"
    settings = StudySettings(exact=True, methods=("lbb",))
    cells = [Cell(30, 2, 0.1, 0.1), Cell(100_000, 30, 0.1, 0.8), Cell(40, 2, 0.1, 0.1)]
    with pytest.raises(ParameterError, match="too many outcomes"):
        run_study(cells, settings, journal=journal, workers=1)
    assert len(journal.read_text().splitlines()) == 2
    with pytest.raises(ParameterError, match="too many outcomes"):
        run_study(cells[1:2], settings, journal=tmp_path / "other")
    assert list(tmp_path.iterdir()) == [journal]


@pytest.mark.parametrize("name", ["a.parquet", "a.csv", "a.tsv", "a.csv.gz"])
def test_rows_read_back(tmp_path: Path, name: str) -> None:
    study = run_study(GRID, QUICKLY)
    study.write(tmp_path / name)
    expected = [row.to_dict() for row in study.rows]
    if name.endswith(".parquet"):
        assert pq.read_table(tmp_path / name).to_pylist() == expected
        return
    raw = (tmp_path / name).read_bytes()
    text = (gzip.decompress(raw) if name.endswith(".gz") else raw).decode()
    found = list(csv.DictReader(text.splitlines(), delimiter="\t" if ".tsv" in name else ","))
    assert len(found) == len(expected)
    for row, other in zip(found, expected, strict=True):
        assert {key: value if key == "method" else float(value) for key, value in row.items()} == other


def test_a_name_that_says_no_format_is_refused(tmp_path: Path) -> None:
    study = run_study([Cell(30, 2, 0.1, 0.1)], QUICKLY)
    with pytest.raises(OutputError, match=r"its name should end in \.csv, \.tsv, \.parquet"):
        study.write(tmp_path / "rows.xlsx")
    assert list(tmp_path.iterdir()) == []


def test_names_of_the_json() -> None:
    found = json.loads(json.dumps(run_study([Cell(30, 2, 0.1, 0.1)], QUICKLY).to_dict()))
    assert found["settings"]["data_sets"] == 100
    assert [cell["method"] for cell in found["cells"]] == ["dr", "bp", "sb", "bb", "lbb", "brr"]
    for cell in found["cells"]:
        assert {"n", "m", "pi", "rho", "method", "coverage", "mean_width", "undefined"} <= set(cell)


def test_study_like_data_with_equal_attempts() -> None:
    people = Individuals.from_counts(EXAMPLE.errors, EXAMPLE.attempts)
    found = study_like(people, QUICKLY)
    cell = Cell(10, EXAMPLE.attempts, EXAMPLE.pi, float(people.rho))
    assert cell.rho == pytest.approx(EXAMPLE.rho)
    assert found == run_study([cell], QUICKLY)
    exact = study_like(people, StudySettings(exact=True, methods=("bp",)))
    assert exact == run_study([cell], StudySettings(exact=True, methods=("bp",)))


def test_study_like_data_with_other_values() -> None:
    people = Individuals.from_counts([1, 2] * 10, 4)  # a negative correlation is taken as 0
    assert {(row.pi, row.rho) for row in study_like(people, QUICKLY).rows} == {(0.375, 0.0)}
    given = study_like(people, QUICKLY, pi=0.02, rho=0.3)
    assert given == run_study([Cell(20, 4, 0.02, 0.3)], QUICKLY)
    without = Individuals.from_counts([0] * 20, 4)
    assert study_like(without, QUICKLY, pi=0.02) == run_study([Cell(20, 4, 0.02, 0.0)], QUICKLY)


def test_study_like_data_with_unequal_attempts() -> None:
    errors, attempts = [0, 3, 1, 0, 7, 0, 2, 12, 0, 1, 0, 4], [3, 9, 2, 6, 8, 1, 15, 20, 5, 5, 30, 11]
    people = Individuals.from_counts(errors, attempts)
    settings = StudySettings(data_sets=3000, methods=("dr", "lbb"))
    found = study_like(people, settings, rho=0.0)
    assert [row.m for row in found.rows] == pytest.approx([115 / 12] * 2)
    # without correlation the sum of errors is binomial: what dr covers is known
    pi = 30 / 115
    total = np.arange(116)
    covering = (0.7 * total / 115 <= pi) & (pi <= 1.3 * total / 115)
    expected = float(stats.binom(115, pi).pmf(total)[covering].sum())
    assert found.rows[0].coverage == pytest.approx(expected, abs=4 * sqrt(expected * (1 - expected) / 3000))
    with pytest.raises(ParameterError, match="exact coverage needs the same number of attempts"):
        study_like(people, StudySettings(exact=True))


@pytest.mark.parametrize(("errors", "rate"), [(0, "0"), (4, "1")])
def test_study_like_data_without_a_rate(errors: int, rate: str) -> None:
    with pytest.raises(ParameterError, match=f"the error rate of these data is {rate}: .*, as in pi=0.01"):
        study_like(Individuals.from_counts([errors] * 5, 4), QUICKLY)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"methods": ()}, "at least one method"),
        ({"methods": ("wald",)}, "method must be one of"),
        ({"generator": "poisson"}, "generator must be one of"),
        ({"data_sets": 0}, "at least one data set, not 0"),
        ({"n_resamples": -1}, "at least one resample, not -1"),
        ({"seed": -1}, "a seed must be a whole number of at least 0, not -1"),
        ({"confidence": 1.0}, "confidence must be between 0 and 1"),
    ],
)
def test_bad_settings(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        StudySettings(**options)


@pytest.mark.parametrize("workers", [0, -1])
def test_no_worker(workers: int) -> None:
    with pytest.raises(ParameterError, match=f"at least one worker, not {workers}"):
        run_study(GRID, QUICKLY, workers=workers)


def test_a_journal_of_other_cells_is_refused_and_kept(tmp_path: Path) -> None:
    journal = tmp_path / "study.journal"
    run_study([Cell(30, 2, 0.1, 0.1), Cell(40, 2, 0.1, 0.1)], QUICKLY, journal=journal)
    before = journal.read_bytes()
    with pytest.raises(InputError, match="other settings or cells"):
        run_study([Cell(30, 2, 0.1, 0.1)], QUICKLY, journal=journal)
    assert journal.read_bytes() == before


CELLS = [Cell(30, 2, 0.1, 0.1), Cell(40, 2, 0.1, 0.1)]
TWO_METHODS = StudySettings(data_sets=10, n_resamples=5, methods=("bp", "lbb"))


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    run_study(CELLS, TWO_METHODS, journal=tmp_path / "study.journal", workers=1)
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
    with pytest.raises(InputError, match=r"study\.journal, line 2: is damaged: its checksum does not match"):
        run_study(CELLS, TWO_METHODS, journal=journal)


def test_a_damaged_header_is_not_taken_for_other_settings(journal: Path) -> None:
    journal.write_bytes(journal.read_bytes().replace(b'"seed": 0', b'"seed": 1', 1))
    with pytest.raises(InputError, match=r"study\.journal: is not a journal, or its first line is damaged"):
        run_study(CELLS, TWO_METHODS, journal=journal)


def test_a_second_process_is_refused_and_changes_nothing(journal: Path) -> None:
    before = journal.read_bytes()
    with open(journal, "rb") as held:
        import fcntl

        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(OutputError, match=r"study\.journal: another process is at work on this study; wait"):
            run_study(CELLS, TWO_METHODS, journal=journal)
        remove_journal(journal)
        assert journal.read_bytes() == before
    assert run_study(CELLS, TWO_METHODS, journal=journal) == run_study(CELLS, TWO_METHODS)
    remove_journal(journal)
    assert not journal.exists()
    remove_journal(journal)


def test_a_journal_that_was_removed_meanwhile_is_made_anew(
    monkeypatch: pytest.MonkeyPatch, journal: Path, tmp_path: Path
) -> None:
    from fairtrial.repeated import study as module

    calls = 0

    def late(file: int) -> str:
        nonlocal calls
        calls += 1
        if calls == 1:
            journal.unlink()  # as the process that had it does at its end
        return lock(file)

    monkeypatch.setattr(module, "lock", late)
    study = run_study(CELLS, TWO_METHODS, journal=journal)
    assert study == run_study(CELLS, TWO_METHODS)
    assert len(journal.read_bytes().splitlines()) == 3


@pytest.mark.parametrize("failing", ["flush", "fsync"])
def test_a_full_disk_is_one_error_and_the_study_goes_on_later(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, failing: str
) -> None:
    from fairtrial.repeated import study as module

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
            run_study(CELLS, TWO_METHODS, journal=journal, workers=1)
    whole = run_study(CELLS, TWO_METHODS)
    assert run_study(CELLS, TWO_METHODS, journal=journal) == whole


def half_of_a_line(journal: Any) -> None:
    journal._file.write(b"0123abcd [{")
    journal._file.flush()
    raise OSError(28, "No space left on device")


def test_nothing_noted_leaves_no_file(tmp_path: Path) -> None:
    with open_journal(tmp_path / "j", {}, CELLS):
        pass
    assert list(tmp_path.iterdir()) == []
