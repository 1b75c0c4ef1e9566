"""zstd with its checksum, against the reader of Arrow and the command zstd."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from fairtrial.formats.text import open_packed


def unpacked(path: Path) -> bytes:
    with pa.OSFile(str(path)) as raw, pa.CompressedInputStream(raw, "zstd") as stream:
        return bytes(stream.read())


def write(path: Path, *pieces: bytes) -> None:
    with open_packed(path, path) as stream:
        for piece in pieces:
            stream.write(piece)


@pytest.mark.parametrize("size", [0, 1, 33, 300_001])
def test_arrow_finds_the_checksum_right_and_a_flipped_bit_of_it_wrong(tmp_path: Path, size: int) -> None:
    data, path = np.random.default_rng(size).bytes(size), tmp_path / "a.zst"
    write(path, data[: size // 3], data[size // 3 :])
    assert unpacked(path) == data
    content = path.read_bytes()
    for k in range(32):
        path.write_bytes(content[:-4] + (int.from_bytes(content[-4:], "little") ^ 1 << k).to_bytes(4, "little"))
        with pytest.raises(OSError, match="doesn't match checksum"):
            unpacked(path)


@pytest.mark.skipif(shutil.which("zstd") is None, reason="the command zstd is not installed")
def test_the_command_zstd_knows_the_checksum(tmp_path: Path) -> None:
    path = tmp_path / "a.zst"
    write(path, b"label,score\n" + b"1,0.25\n" * 1000)
    subprocess.run(["zstd", "-qt", path], check=True)
    listed = subprocess.run(["zstd", "-lv", path], capture_output=True, text=True, check=True)
    assert "Check: XXH64" in listed.stdout
