"""Coverage studies: order, workers, files, and journals from which a stopped study resumes."""

from __future__ import annotations

import csv
import gzip
import json
import os
import zlib
from collections.abc import Callable
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from scipy import stats

from fairtrial import FairtrialError, InputError, OutputError, ParameterError, write_tables
from fairtrial.formats.files import lock
from fairtrial.repeated.attempts import Individuals
from fairtrial.repeated.cells import Cell, CoverageRow, Grid
from fairtrial.repeated.coverage import CoverageStudy, StudySettings, coverage_study
from fairtrial.repeated.journal import open_journal, remove_journal
from reference.individuals_2004 import COVERAGE, EXAMPLE, METHODS, SHARES_OF_GOOD_CELLS_ABOVE_10

GRID = Grid((30, 200), (2, 6), (0.01, 0.1), (0.05, 0.4))
QUICKLY: dict[str, Any] = {"data_sets": 100, "n_resamples": 50}


def has_code(code: str) -> Callable[[FairtrialError], bool]:
    return lambda error: error.code == code


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


def counted(grid: Any, settings: dict[str, Any], journal: Path) -> tuple[CoverageStudy, list[int]]:
    """The study, and what it told of its progress."""
    calls: list[int] = []
    return coverage_study(grid, **settings, journal=journal, workers=2, progress=calls.append), calls


def test_workers_do_not_matter() -> None:
    alone = coverage_study(GRID, **QUICKLY, workers=1)
    assert coverage_study(GRID, **QUICKLY, workers=3) == alone
    assert coverage_study(GRID, **QUICKLY) == alone
    cells = [(row.n, row.m, row.pi, row.rho) for row in alone.rows[::6]]
    assert cells == [(cell.n, cell.m, cell.pi, cell.rho) for cell in GRID]
    assert [row.method for row in alone.rows[:6]] == ["dr", "bp", "sb", "bb", "lbb", "brr"]


def test_a_cell_gives_the_same_in_whatever_grid_it_stands() -> None:
    full = coverage_study(GRID, **QUICKLY).rows
    backwards = coverage_study(reversed(list(GRID)), **QUICKLY, workers=2).rows
    assert set(backwards) == set(full)
    cell = Cell(200, 6, 0.1, 0.05)
    own = coverage_study([cell], **QUICKLY).rows
    assert own == tuple(row for row in full if (row.n, row.m, row.pi, row.rho) == (200, 6, 0.1, 0.05))
    assert list(own) == StudySettings(data_sets=100, n_resamples=50).cover(cell)
    assert coverage_study([cell], **{**QUICKLY, "rng": 1}).rows != own


def test_a_cell_that_is_named_twice_is_there_twice() -> None:
    cell = Cell(30, 2, 0.1, 0.1)
    once, twice = coverage_study([cell], **QUICKLY).rows, coverage_study([cell, cell], **QUICKLY).rows
    assert twice == once + once


def test_exact_study_against_recomputed_cells() -> None:
    cells = [Cell(100, 2, 0.1, 0.2), Cell(1000, 2, 0.01, 0.8)]
    found = coverage_study(cells, exact=True, methods=("dr", "lbb"), workers=2)
    reference = COVERAGE[100, 0.1, 0.2], COVERAGE[1000, 0.01, 0.8]
    expected = [cell[METHODS.index(method)] for cell in reference for method in ("dr", "lbb")]
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
    shares = coverage_study(grid, data_sets=4000, methods=("bp", "sb", "bb", "lbb")).share_within()
    for method in ("bp", "bb", "lbb"):
        assert shares[method] == SHARES_OF_GOOD_CELLS_ABOVE_10[method] == 1
    assert shares["sb"] < 2 * SHARES_OF_GOOD_CELLS_ABOVE_10["sb"]


def test_a_stopped_study_goes_on(tmp_path: Path) -> None:
    whole = coverage_study(GRID, **QUICKLY)
    journal = tmp_path / "study.journal"
    with pytest.raises(Stopped):
        coverage_study(GRID, **QUICKLY, journal=journal, workers=2, progress=stop_after(5))
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
    coverage_study([cell], **QUICKLY, journal=journal)
    header, line = journal.read_text().splitlines()
    rows = json.loads(line[9:])
    rows[0]["coverage"] = 0.125
    journal.write_text(f"{header}\n{sealed(json.dumps(rows))}\n")
    assert coverage_study([cell], **QUICKLY, journal=journal).rows[0].coverage == 0.125


def test_undefined_widths_survive_the_journal(tmp_path: Path) -> None:
    # hardly ever an error: the width of lbb is NaN
    cells = [Cell(2, 2, 1e-9, 0.1)]
    first, again = (
        coverage_study(cells, methods=("lbb",), data_sets=10, journal=tmp_path / "j").rows[0] for _ in range(2)
    )
    assert (first.undefined, again.undefined) == (1, 1)
    assert np.isnan(first.mean_width)
    assert np.isnan(again.mean_width)


@pytest.mark.parametrize("kept", [1, 2, 40])
def test_a_line_that_was_cut_off_is_dropped(tmp_path: Path, kept: int) -> None:
    journal = tmp_path / "study.journal"
    whole = coverage_study(GRID, **QUICKLY, journal=journal)
    full = journal.read_bytes()
    lines = full.split(b"\n")
    journal.write_bytes(b"\n".join(lines[:8]) + b"\n" + lines[8][:kept])
    again, calls = counted(GRID, QUICKLY, journal)
    assert again == whole
    assert calls[0] == 7
    assert journal.read_bytes() == full


def test_a_header_that_was_cut_off_is_written_anew(tmp_path: Path) -> None:
    journal = tmp_path / "study.journal"
    whole = coverage_study([Cell(30, 2, 0.1, 0.1)], **QUICKLY, journal=journal)
    full = journal.read_bytes()
    for kept in (0, 1, 30, full.index(b"\n")):
        journal.write_bytes(full[:kept])
        assert coverage_study([Cell(30, 2, 0.1, 0.1)], **QUICKLY, journal=journal) == whole
        assert journal.read_bytes() == full


@pytest.mark.parametrize(
    "change",
    [
        {"rng": 1},
        {"data_sets": 101},
        {"n_resamples": None},
        {"confidence": 0.9},
        {"generator": "beta-binomial"},
        {"methods": ("lbb",)},
        {"exact": True, "data_sets": 1000, "n_resamples": 1000},
    ],
)
def test_a_journal_of_other_settings_is_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    journal = tmp_path / "study.journal"
    coverage_study([Cell(30, 2, 0.1, 0.1)], **QUICKLY, journal=journal)
    before = journal.read_bytes()
    with pytest.raises(InputError, check=has_code("other-study")):
        coverage_study([Cell(30, 2, 0.1, 0.1)], **{**QUICKLY, **change}, journal=journal)
    assert journal.read_bytes() == before


@pytest.mark.parametrize(
    "line",
    ["x", "[]", "{}", "5", '[{"n": 3}]', '["n"]', "", "[[1, 2]]", '[{"n":', "null"],
)
def test_a_damaged_journal_is_refused(tmp_path: Path, line: str) -> None:
    journal = tmp_path / "study.journal"
    coverage_study([Cell(30, 2, 0.1, 0.1)], **QUICKLY, journal=journal)
    whole = journal.read_text()
    for entry in (line, sealed(line)):
        damaged = whole + f"{entry}\n" + whole.splitlines()[1] + "\n"
        journal.write_text(damaged)
        with pytest.raises(InputError, check=has_code("damaged-journal")):
            coverage_study([Cell(30, 2, 0.1, 0.1)], **QUICKLY, journal=journal)
        assert journal.read_text() == damaged


def test_a_journal_with_a_cell_out_of_range_is_refused(tmp_path: Path) -> None:
    journal = tmp_path / "study.journal"
    coverage_study([Cell(30, 2, 0.1, 0.1)], **QUICKLY, journal=journal)
    header, line = journal.read_text().splitlines()
    beyond = line[9:].replace('"pi": 0.1', '"pi": 7')
    journal.write_text(f"{header}\n{sealed(beyond)}\n")
    with pytest.raises(InputError, check=has_code("damaged-journal")):
        coverage_study([Cell(30, 2, 0.1, 0.1)], **QUICKLY, journal=journal)


@pytest.mark.parametrize("content", [b"my only notes", b"one\ntwo\nthree", b"\xff\xfe\x00\x80 binary"])
def test_a_file_that_is_no_journal_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    place = tmp_path / "notes.txt"
    place.write_bytes(content)
    with pytest.raises(InputError, match=r"notes\.txt: is "):
        coverage_study([Cell(30, 2, 0.1, 0.1)], **QUICKLY, journal=place)
    assert place.read_bytes() == content


def test_a_journal_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="cannot be written"):
        coverage_study([Cell(30, 2, 0.1, 0.1)], **QUICKLY, journal=tmp_path / "nowhere" / "j")
    with pytest.raises(OutputError, match="cannot be written"):
        coverage_study([Cell(30, 2, 0.1, 0.1)], **QUICKLY, journal=tmp_path)


def test_errors_of_a_cell_end_the_study_and_keep_what_was_done(tmp_path: Path) -> None:
    journal = tmp_path / "j"
    settings: dict[str, Any] = {"exact": True, "methods": ("lbb",)}
    cells = [Cell(30, 2, 0.1, 0.1), Cell(100_000, 30, 0.1, 0.8), Cell(40, 2, 0.1, 0.1)]
    with pytest.raises(ParameterError, check=has_code("too-many-outcomes")):
        coverage_study(cells, **settings, journal=journal, workers=1)
    assert len(journal.read_text().splitlines()) == 2
    with pytest.raises(ParameterError, check=has_code("too-many-outcomes")):
        coverage_study(cells[1:2], **settings, journal=tmp_path / "other")
    assert list(tmp_path.iterdir()) == [journal]


@pytest.mark.parametrize("name", ["a.parquet", "a.csv", "a.tsv", "a.csv.gz"])
def test_rows_read_back(tmp_path: Path, name: str) -> None:
    study = coverage_study(GRID, **QUICKLY)
    write_tables(study.tables(), tmp_path / name)
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
    study = coverage_study([Cell(30, 2, 0.1, 0.1)], **QUICKLY)
    with pytest.raises(OutputError, match=r"its name should end in \.csv, \.tsv, \.parquet"):
        write_tables(study.tables(), tmp_path / "rows.xlsx")
    assert list(tmp_path.iterdir()) == []


def test_names_of_the_json() -> None:
    found = json.loads(json.dumps(coverage_study([Cell(30, 2, 0.1, 0.1)], **QUICKLY).to_dict()))
    assert found["settings"]["data_sets"] == 100
    assert [cell["method"] for cell in found["cells"]] == ["dr", "bp", "sb", "bb", "lbb", "brr"]
    for cell in found["cells"]:
        assert {"n", "m", "pi", "rho", "method", "coverage", "mean_width", "undefined"} <= set(cell)


def test_study_like_data_with_equal_attempts() -> None:
    people = Individuals.from_counts(EXAMPLE.errors, EXAMPLE.attempts)
    found = coverage_study(like=people, **QUICKLY)
    cell = Cell(10, EXAMPLE.attempts, EXAMPLE.pi, float(people.rho))
    assert cell.rho == pytest.approx(EXAMPLE.rho)
    assert found == coverage_study([cell], **QUICKLY)
    exact = coverage_study(like=people, exact=True, methods=("bp",))
    assert exact == coverage_study([cell], exact=True, methods=("bp",))


def test_study_like_data_with_other_values() -> None:
    people = Individuals.from_counts([1, 2] * 10, 4)  # a negative correlation is taken as 0
    assert {(row.pi, row.rho) for row in coverage_study(like=people, **QUICKLY).rows} == {(0.375, 0.0)}
    given = coverage_study(like=people, **QUICKLY, pi=0.02, rho=0.3)
    assert given == coverage_study([Cell(20, 4, 0.02, 0.3)], **QUICKLY)
    without = Individuals.from_counts([0] * 20, 4)
    assert coverage_study(like=without, **QUICKLY, pi=0.02) == coverage_study([Cell(20, 4, 0.02, 0.0)], **QUICKLY)


def test_study_like_data_with_unequal_attempts() -> None:
    errors, attempts = [0, 3, 1, 0, 7, 0, 2, 12, 0, 1, 0, 4], [3, 9, 2, 6, 8, 1, 15, 20, 5, 5, 30, 11]
    people = Individuals.from_counts(errors, attempts)
    found = coverage_study(like=people, data_sets=3000, methods=("dr", "lbb"), rho=0.0)
    assert [row.m for row in found.rows] == pytest.approx([115 / 12] * 2)
    # without correlation the sum of errors is binomial: what dr covers is known
    pi = 30 / 115
    total = np.arange(116)
    covering = (0.7 * total / 115 <= pi) & (pi <= 1.3 * total / 115)
    expected = float(stats.binom(115, pi).pmf(total)[covering].sum())
    assert found.rows[0].coverage == pytest.approx(expected, abs=4 * sqrt(expected * (1 - expected) / 3000))
    with pytest.raises(ParameterError) as error:
        coverage_study(like=people, exact=True)
    assert error.value.code == "unequal-attempts"


@pytest.mark.parametrize(("errors", "rate"), [(0, 0), (4, 1)])
def test_study_like_data_without_a_rate(errors: int, rate: int) -> None:
    with pytest.raises(ParameterError) as error:
        coverage_study(like=Individuals.from_counts([errors] * 5, 4), **QUICKLY)
    assert error.value.code == "no-rate"
    assert error.value.text.values["rate"] == rate  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "options",
    [
        {"methods": ()},
        {"methods": ("wald",)},
        {"generator": "poisson"},
        {"data_sets": 0},
        {"n_resamples": -1},
        {"rng": -1},
        {"confidence": 1.0},
        {"grid": "large"},
        {"exact": True, "data_sets": 10},
        {"exact": True, "rng": 1},
        {"claims": True, "confidence": 0.9},
        {"like": ([0, 1], 5), "n": 3},
        {"like": ([0, 1], 5), "journal": "study.journal"},
        {"like": ([0, 1], 5), "pi": (0.1, 0.2)},
        {"grid": [Cell(30, 2, 0.1, 0.1)], "n": 3},
        {"m": 10**400},
        {"n": 10**400, "exact": True},
    ],
)
def test_bad_settings(options: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        coverage_study(**{"data_sets": 10, "n_resamples": 10, **({} if "exact" not in options else ALL), **options})


ALL = {"data_sets": 1000, "n_resamples": 1000}


@pytest.mark.parametrize("workers", [0, -1])
def test_no_worker(workers: int) -> None:
    with pytest.raises(ParameterError, match=f"at least one worker, not {workers}"):
        coverage_study(GRID, **QUICKLY, workers=workers)


def test_a_journal_of_other_cells_is_refused_and_kept(tmp_path: Path) -> None:
    journal = tmp_path / "study.journal"
    coverage_study([Cell(30, 2, 0.1, 0.1), Cell(40, 2, 0.1, 0.1)], **QUICKLY, journal=journal)
    before = journal.read_bytes()
    with pytest.raises(InputError, check=has_code("other-study")):
        coverage_study([Cell(30, 2, 0.1, 0.1)], **QUICKLY, journal=journal)
    assert journal.read_bytes() == before


CELLS = [Cell(30, 2, 0.1, 0.1), Cell(40, 2, 0.1, 0.1)]
TWO_METHODS: dict[str, Any] = {"data_sets": 10, "n_resamples": 5, "methods": ("bp", "lbb")}


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    coverage_study(CELLS, **TWO_METHODS, journal=tmp_path / "study.journal", workers=1)
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
    with pytest.raises(InputError, check=has_code("damaged-journal")):
        coverage_study(CELLS, **TWO_METHODS, journal=journal)


def test_a_damaged_header_is_not_taken_for_other_settings(journal: Path) -> None:
    journal.write_bytes(journal.read_bytes().replace(b'"seed": 0', b'"seed": 1', 1))
    with pytest.raises(InputError, check=has_code("not-a-journal")):
        coverage_study(CELLS, **TWO_METHODS, journal=journal)


def test_a_second_process_is_refused_and_changes_nothing(journal: Path) -> None:
    before = journal.read_bytes()
    with open(journal, "rb") as held:
        import fcntl

        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(OutputError, check=has_code("journal-in-use")):
            coverage_study(CELLS, **TWO_METHODS, journal=journal)
        remove_journal(journal)
        assert journal.read_bytes() == before
    assert coverage_study(CELLS, **TWO_METHODS, journal=journal) == coverage_study(CELLS, **TWO_METHODS)
    remove_journal(journal)
    assert not journal.exists()
    remove_journal(journal)


def test_a_journal_that_was_removed_meanwhile_is_made_anew(
    monkeypatch: pytest.MonkeyPatch, journal: Path, tmp_path: Path
) -> None:
    from fairtrial.repeated import journal as module

    calls = 0

    def late(file: int) -> str:
        nonlocal calls
        calls += 1
        if calls == 1:
            journal.unlink()  # as the process that had it does at its end
        return lock(file)

    monkeypatch.setattr(module, "lock", late)
    study = coverage_study(CELLS, **TWO_METHODS, journal=journal)
    assert study == coverage_study(CELLS, **TWO_METHODS)
    assert len(journal.read_bytes().splitlines()) == 3


@pytest.mark.parametrize("failing", ["flush", "fsync"])
def test_a_full_disk_is_one_error_and_the_study_goes_on_later(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, failing: str
) -> None:
    from fairtrial.repeated import journal as module

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
            coverage_study(CELLS, **TWO_METHODS, journal=journal, workers=1)
    whole = coverage_study(CELLS, **TWO_METHODS)
    assert coverage_study(CELLS, **TWO_METHODS, journal=journal) == whole


def half_of_a_line(journal: Any) -> None:
    journal._file.write(b"0123abcd [{")
    journal._file.flush()
    raise OSError(28, "No space left on device")


def test_nothing_noted_leaves_no_file(tmp_path: Path) -> None:
    with open_journal(tmp_path / "j", {}, CELLS):
        pass
    assert list(tmp_path.iterdir()) == []
