"""A disk that is full after so many bytes: one error, the file of before, and nothing beside it."""

from __future__ import annotations

import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from core.small import TABLE
from fairtrial import Counter, OutputError, Trials, fuse, write_tables, write_trials
from fairtrial.cli.app import main
from fairtrial.figures.style import write_picture
from fairtrial.fusion import FusionModel
from simulated import crossed

TRIALS = crossed(np.random.default_rng(0), clients=8, impostors=6)


@contextmanager
def no_file_larger_than(size: int) -> Iterator[None]:
    """As `ulimit -f`; Python is told by an error, and not by a signal."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def save_counts(path: Path) -> None:
    counter = Counter(TRIALS.systems)
    counter.update(TRIALS)
    counter.save(path)


def model() -> FusionModel:
    return fuse(TRIALS, TRIALS, fusion="mean").model


def scores(trials: Trials = TRIALS) -> Callable[[Path], object]:
    return lambda path: write_trials(trials, path)


GRID = ["coverage", "--n", "20,30", "--m", "2,3", "--pi", ".1", "--rho", ".1", "--datasets", "20", "--workers", "1"]


def test_a_study_goes_on_after_the_disk_was_full(tmp_path: Path) -> None:
    whole, path = tmp_path / "whole.parquet", tmp_path / "rows.parquet"
    assert CliRunner().invoke(main, [*GRID, "--out", str(whole)]).exit_code == 0
    for limit in (0, 300, 2000, 4000):
        with no_file_larger_than(limit):
            result = CliRunner().invoke(main, [*GRID, "--out", str(path)])
        assert (result.exit_code, result.stderr.count("\n")) == (2, 1), result.output
        assert "rows.parquet.journal: cannot be written: File too large" in result.stderr
        assert not path.exists()
    assert CliRunner().invoke(main, [*GRID, "--out", str(path)]).exit_code == 0
    assert path.read_bytes() == whole.read_bytes()
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["rows.parquet", "whole.parquet"]


def tables(path: Path) -> None:
    write_tables([TABLE], path)


def picture(path: Path) -> None:
    write_picture(lambda figure: figure.add_subplot().plot([0, 1]), path, width=2, height=2, dpi=40)


def report(path: Path) -> None:
    files = [path.with_name(name) for name in ("dev.csv", "test.csv")]
    arguments = ["evaluate", "--dev", str(files[0]), "--test", str(files[1]), "--report", str(path)]
    result = CliRunner().invoke(main, arguments)
    if result.exit_code:
        assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
        raise OutputError(result.stderr)


def results(path: Path) -> None:
    result = CliRunner().invoke(main, ["mcnemar", "--b", "3", "--c", "9", "--out", str(path)])
    if result.exit_code:
        assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
        raise OutputError(result.stderr)


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("a.csv", scores()),
        ("a.tsv", scores()),
        ("a.csv.gz", scores()),
        ("a.csv.zst", scores()),
        ("a.parquet", scores()),
        ("a.npz", scores()),
        ("a.txt", scores(TRIALS.select(["a"]))),
        ("t.csv", tables),
        ("t.parquet", tables),
        ("t.md", tables),
        ("t.tex", tables),
        ("c.ftc", save_counts),
        ("m.json", lambda path: model().save(path)),
        ("p.png", picture),
        ("p.svg", picture),
        ("r.html", report),
        ("r.json", results),
    ],
)
def test_a_disk_that_gets_full(name: str, write: Callable[[Path], Any], tmp_path: Path) -> None:
    path = tmp_path / name
    for own in ("dev.csv", "test.csv") if name == "r.html" else ():
        write_trials(TRIALS, tmp_path / own)
    write(path)
    size, beside = path.stat().st_size, {entry.name for entry in tmp_path.iterdir()}
    for limit in (0, 1, size // 2, size - 1):
        path.write_bytes(b"old")
        with no_file_larger_than(limit), pytest.raises(OutputError, match=r"cannot be written: .*File too large"):
            write(path)
        assert path.read_bytes() == b"old"
        assert {entry.name for entry in tmp_path.iterdir()} == beside
    with no_file_larger_than(size + 1000):
        write(path)
    assert path.stat().st_size == size
