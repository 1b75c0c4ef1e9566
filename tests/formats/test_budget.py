"""Files that unpack to more than they may: each ends in one error, and none is unpacked first."""

from __future__ import annotations

import gzip
import os
import threading
import tracemalloc
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fairtrial import InputError, ParameterError, read_trials
from fairtrial.formats import files as budget
from fairtrial.formats import text
from fairtrial.formats.files import default_size, half_of_memory, size_text

MIB = 1 << 20
HEADER = b"claim,subject,score\nanna,anna,0.9\nanna,bert,0.1\n"
BOB = b"anna anna x 0.9\nanna bert y 0.1\n"
BOMBS = {
    "lines": (HEADER, b"anna,bert,0.1\n"),
    "short lists": (b"1\n", b"1\n"),
    "blank": (HEADER, b"\n"),
    "comments": (BOB, b"#\n"),
    "blank bob": (BOB, b"\n"),
}


@pytest.mark.parametrize("kind", ["zst", "gz"])
@pytest.mark.parametrize("case", BOMBS)
def test_a_bomb_of_text(case: str, kind: str, tmp_path: Path) -> None:
    begin, rest = BOMBS[case]
    content = begin + rest * (40 * MIB // len(rest))
    packed = gzip.compress(content, 1) if kind == "gz" else pa.compress(content, "zstd", asbytes=True)
    files = [tmp_path / f"{name}.txt.{kind}" for name in (("gen", "imp") if case == "short lists" else ("bomb",))]
    for file in files:
        file.write_bytes(packed)
    with pytest.raises(InputError, match=r"(gen|bomb)\.txt\.\w+: holds more than 20 MiB unpacked .* max_size=41943040"):
        read_trials(files, max_size=20 * MIB)


@pytest.mark.parametrize("rest", [b"\n", b"# nothing\n"])
def test_lines_without_a_trial_do_not_go_on_for_ever(
    rest: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text, "_MOST_IN_A_ROW", 1000)
    path = tmp_path / "scores.txt"
    path.write_bytes(BOB.replace(b" ", b"  ") + rest * 1010)
    with pytest.raises(InputError, match=r"scores.txt, line 1003: there are more than 1,000 blank lines and comments"):
        read_trials(path)


def test_what_is_meant_can_be_allowed(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv.gz"
    path.write_bytes(gzip.compress(HEADER * 1))
    with pytest.raises(InputError, match="holds more than 50 bytes unpacked"):
        read_trials(path, max_size=50)
    assert len(read_trials(path, max_size=100)) == 2


@pytest.mark.parametrize("size", [0, -1, 0.5, "8G"])
def test_a_size_is_a_number_of_bytes(size: Any, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="max_size must be"):
        read_trials(tmp_path, max_size=size)


def test_a_parquet_file_of_many_equal_rows(tmp_path: Path) -> None:
    rows = 4_000_000
    codes = pa.array(np.zeros(rows, dtype=np.int8))
    table = pa.table(
        {
            "claim": pa.DictionaryArray.from_arrays(codes, ["anna"]),
            "subject": pa.DictionaryArray.from_arrays(codes, ["anna"]),
            "score": np.zeros(rows),
        }
    )
    pq.write_table(table, tmp_path / "bomb.parquet", compression="zstd")
    assert (tmp_path / "bomb.parquet").stat().st_size < 50_000
    before = pa.total_allocated_bytes()
    with pytest.raises(InputError, match=r"bomb.parquet: holds more than 64 MiB unpacked"):
        read_trials(tmp_path / "bomb.parquet", max_size=64 * MIB)
    assert pa.total_allocated_bytes() <= before


def archive(path: Path, **arrays: Any) -> Path:
    np.savez_compressed(path, **arrays)
    return path


def test_arrays_that_play_no_part_are_not_read(tmp_path: Path) -> None:
    path = archive(
        tmp_path / "a.npz", scores=[0.9, 0.1], genuine=[True, False], age=[30, 40], embeddings=np.zeros((4 * MIB, 2))
    )
    tracemalloc.start()
    trials = read_trials(path, max_size=MIB)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * MIB  # of 64 MiB
    assert list(trials.columns) == ["age"]
    assert "left out: embeddings" in str(trials.notes[0])


def test_arrays_that_are_too_large(tmp_path: Path) -> None:
    path = archive(tmp_path / "a.npz", scores=np.zeros(MIB), genuine=np.zeros(MIB, bool))
    with pytest.raises(InputError, match=r"a.npz: holds more than 1 MiB unpacked"):
        read_trials(path, max_size=MIB)


def test_an_array_that_says_it_is_larger_than_it_is(tmp_path: Path) -> None:
    path = archive(tmp_path / "a.npz", scores=[0.9, 0.1], genuine=[True, False])
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(tmp_path / "b.npz", "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name).replace(b"(2,), }          ", b"(999999999999,), }"))
    with pytest.raises(InputError, match=r"b.npz: is not a complete .npz archive"):
        read_trials(tmp_path / "b.npz")


def test_the_default_is_generous_and_less_than_the_memory() -> None:
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert MIB < default_size() <= min(8 << 30, memory // 2)


@pytest.mark.parametrize("limit", ["1073741824\n", "max\n", "garbage"])
def test_the_default_knows_the_container(limit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "memory.max").write_text(limit)
    monkeypatch.setattr(budget, "_LIMITS", (str(tmp_path / "memory.max"),))
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert half_of_memory.__wrapped__() == (1 << 29 if limit[0] == "1" else memory // 2)


def test_sizes_in_words() -> None:
    assert [size_text(size) for size in (1, 1024, 3 * MIB // 2, 8 << 30)] == ["1 bytes", "1 KiB", "1.5 MiB", "8 GiB"]


def test_a_pipe_is_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for content in (HEADER, gzip.compress(HEADER)):
        writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(content,))
        writer.start()
        trials = read_trials(tmp_path / "pipe")
        writer.join()
        assert trials.scores[:, 0].tolist() == [0.9, 0.1]
        assert trials.systems == ("pipe",)


def test_a_pipe_that_gives_too_much(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    def write() -> None:
        with suppress(BrokenPipeError), open(tmp_path / "pipe", "wb", buffering=0) as file:
            for _ in range(1000):
                file.write(HEADER * 1000)

    writer = threading.Thread(target=write)
    writer.start()
    with pytest.raises(InputError, match="pipe: holds more than 2 MiB unpacked"):
        read_trials(tmp_path / "pipe", max_size=2 * MIB)
    writer.join()


@pytest.mark.parametrize("encoded", [True, False])
def test_a_parquet_file_of_one_long_text(tmp_path: Path, encoded: bool) -> None:
    """A file of 31 KB was read in full to 3 GB of text."""
    rows = 20_000
    texts = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, dtype=np.int32)), ["x" * 10_000])
    table = pa.table({"label": np.arange(rows) % 2, "face": np.arange(rows) / 7, "text": texts})
    pq.write_table(table, tmp_path / "a.parquet", compression="zstd", store_schema=encoded)
    with pytest.raises(InputError, match="holds more than 20 MiB unpacked"):
        read_trials(tmp_path / "a.parquet", max_size=20 * MIB)
    (tmp_path / "scores.csv").write_text("text,face\nx,0.5\n")
    with pytest.raises(InputError, match="holds more than 20 MiB unpacked"):
        read_trials(tmp_path / "scores.csv", key=tmp_path / "a.parquet", max_size=20 * MIB)
