"""Files of counts: what is read is what was written, and everything else is one clear error."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

import fairtrial as ft
from fairtrial.formats.counter_file import read_part, write_part

ARRAYS = {
    "rising": np.array([-(2**62), -5, -1, 0, 3, 2**62]),
    "small": np.arange(6).reshape(2, 3),
    "large": np.array([0, 2**40]),
    "none": np.empty((2, 0), dtype=np.int64),
    "one": np.array([-7]),
}


@pytest.fixture
def part(tmp_path: Path) -> Path:
    path = tmp_path / "part.ftc"
    write_part(path, {"settings": {"a": [1.5, float("inf")]}}, ARRAYS)
    return path


def test_arrays_come_back_as_they_were(part: Path) -> None:
    header, arrays = read_part(part)
    assert header == {"settings": {"a": [1.5, float("inf")]}}
    assert list(arrays) == list(ARRAYS)
    for name, values in arrays.items():
        assert np.array_equal(values, ARRAYS[name])
        assert values.shape == ARRAYS[name].shape


def test_every_byte_counts(part: Path) -> None:
    whole = part.read_bytes()
    for place in range(len(whole)):
        part.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(ft.InputError, match=r"part\.ftc: is (not a file of counts|of version|cut off|damaged)"):
            read_part(part)


def test_every_cut_is_seen(part: Path) -> None:
    whole = part.read_bytes()
    for size in range(len(whole)):
        part.write_bytes(whole[:size])
        with pytest.raises(ft.InputError, match=r"is empty|is not a file of counts|is cut off"):
            read_part(part)
    part.write_bytes(whole + b"x")
    with pytest.raises(ft.InputError, match="is damaged"):
        read_part(part)


def test_later_version(part: Path) -> None:
    whole = bytearray(part.read_bytes())
    whole[8:10] = struct.pack("<H", 2)
    part.write_bytes(whole)
    with pytest.raises(ft.InputError, match="version 2 of the format; this fairtrial reads up to 1: update"):
        read_part(part)


def test_no_file_and_a_foreign_one(tmp_path: Path) -> None:
    with pytest.raises(ft.InputError, match="there is no such file"):
        read_part(tmp_path / "none.ftc")
    (tmp_path / "scores.csv").write_text("score,label\n1,1\n")
    with pytest.raises(ft.InputError, match="is not a file of counts"):
        read_part(tmp_path / "scores.csv")


def test_nothing_is_left_where_it_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(ft.OutputError):
        write_part(tmp_path / "none" / "part.ftc", {}, ARRAYS)
    assert list(tmp_path.iterdir()) == []
