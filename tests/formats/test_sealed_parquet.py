"""Parquet with checksums over pages and footer, which others read as any Parquet."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from damage import flipped
from fairtrial import InputError, read_trials
from fairtrial.formats.files import Head
from fairtrial.formats.parquet import open_parquet, write_parquet

TABLE = pa.table({"label": [1, 0, 1, 0], "face": [0.5, 0.25, 1e-300, -7.0], "id": ["a", "b", "ü", "d"]})


def head(path: Path) -> Head:
    return Head(path, b"PAR1", None)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write_parquet(TABLE, tmp_path / "a.parquet")
    return tmp_path / "a.parquet"


def test_others_read_it(path: Path) -> None:
    assert pq.read_table(path).equals(TABLE, check_metadata=True)
    assert pq.read_table(path, page_checksum_verification=True).equals(TABLE)
    assert pq.ParquetFile(path).metadata.num_rows == 4


def test_what_others_make_of_it_is_read(path: Path, tmp_path: Path) -> None:
    pq.write_table(pq.read_table(path).slice(0, 3), tmp_path / "b.parquet")
    with open_parquet(head(tmp_path / "b.parquet")) as file:
        assert file.read().equals(TABLE.slice(0, 3))


def test_every_bit_of_the_footer_counts(path: Path) -> None:
    whole = path.read_bytes()
    start = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
    for bit in range(8 * start, 8 * (len(whole) - 8), 7):
        path.write_bytes(flipped(whole, bit))
        with pytest.raises(InputError, match="is damaged: its checksum does not fit"), open_parquet(head(path)):
            pass


def test_a_flipped_bit_in_a_page_is_seen(path: Path) -> None:
    whole = path.read_bytes()
    place = whole.index(np.float64(1e-300).tobytes())
    path.write_bytes(flipped(whole, 8 * place))
    with pytest.raises(InputError, match=r"a\.parquet: is not a complete Parquet file, or is damaged: .*CRC"):
        read_trials(path)


@pytest.mark.parametrize("content", [b"PAR1", b"PAR1PAR1", b"PAR1\xff\xff\xff\x7fPAR1", b"PAR1" + bytes(40) + b"PAR1"])
def test_files_without_a_footer(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.parquet"
    path.write_bytes(content)
    with pytest.raises(InputError, match="is not a complete Parquet file"), open_parquet(head(path)):
        pass


def test_a_thread_that_cannot_be_started_is_want_of_memory(tmp_path: Path) -> None:
    """It was called a damaged file."""
    pq.write_table(pa.table({"face": [0.5]}), tmp_path / "a.parquet")
    with pytest.raises(MemoryError), open_parquet(head(tmp_path / "a.parquet")):
        raise OSError("Failed to launch worker thread: Resource temporarily unavailable")
