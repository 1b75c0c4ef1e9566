"""Tables of errors and attempts: what can be read, and one clear error for what cannot."""

from __future__ import annotations

import gzip
import io
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fairtrial import InputError
from fairtrial.formats.columns import read_counts, read_named

ERRORS, ATTEMPTS = [0.0, 2.0, 1.0], [5.0, 8.0, 1.0]
CSV = "errors,attempts\n0,5\n2,8\n1,1\n"


def parquet(columns: dict[str, Any] | pa.Table, **options: Any) -> bytes:
    file = io.BytesIO()
    pq.write_table(columns if isinstance(columns, pa.Table) else pa.table(columns), file, **options)
    return file.getvalue()


TABLE = {"errors": [0, 2, 1], "attempts": [5, 8, 1]}
GOOD: dict[str, tuple[str, str | bytes]] = {
    "csv": ("a.csv", CSV),
    "tsv": ("a.tsv", CSV.replace(",", "\t")),
    "semicolons": ("a.csv", CSV.replace(",", ";")),
    "no-ending": ("counts", CSV),
    "other-order": ("a.csv", "attempts,errors\n5,0\n8,2\n1,1\n"),
    "more-columns": ("a.csv", "name,errors,age,attempts\nanna,0,31,5\nbert,2,x,8\ncarol,1,,1\n"),
    "quotes": ("a.csv", '"errors","attempts","name"\n"0","5","a,b"\n"2","8",""\n1,1,c\n'),
    "spaces-in-the-header": ("a.csv", "errors, attempts\n0,5\n2,8\n1,1\n"),
    "no-newline-at-the-end": ("a.csv", CSV[:-1]),
    "windows": ("a.csv", CSV.replace("\n", "\r\n")),
    "byte-order-mark": ("a.csv", "\ufeff" + CSV),
    "comments-first": ("a.csv", "# errors of 3 people\n\n" + CSV),
    "blank-lines": ("a.csv", CSV.replace("2,8", "2,8\n\n")),
    "floats": ("a.csv", "errors,attempts\n0.0,5.0\n2e0,8\n1,1\n"),
    "gzip": ("a.csv.gz", gzip.compress(CSV.encode())),
    "gzip-by-content": ("a.csv", gzip.compress(CSV.encode())),
    "zstd": ("a.csv.zst", pa.compress(CSV.encode(), "zstd", asbytes=True)),
    "parquet": ("a.parquet", parquet(TABLE)),
    "parquet-by-content": ("a.csv", parquet(TABLE)),
    "parquet-more-columns": ("a.parquet", parquet({"name": ["a", "b", "c"], **TABLE, "age": [1, None, 3]})),
    "parquet-floats": ("a.parquet", parquet({"errors": ERRORS, "attempts": ATTEMPTS})),
    "parquet-small-ints": (
        "a.parquet",
        parquet({"errors": pa.array([0, 2, 1], pa.int8()), "attempts": pa.array([5, 8, 1], pa.uint16())}),
    ),
    "parquet-row-groups": ("a.parquet", parquet(TABLE, row_group_size=1)),
}


def store(folder: Path, name: str, content: str | bytes) -> Path:
    place = folder / name
    place.write_bytes(content.encode() if isinstance(content, str) else content)
    return place


@pytest.mark.parametrize("kind", GOOD)
def test_read_counts(tmp_path: Path, kind: str) -> None:
    place = store(tmp_path, *GOOD[kind])
    for path in (place, str(place)):
        errors, attempts = read_counts(path).counts
        assert (errors.tolist(), attempts.tolist()) == (ERRORS, ATTEMPTS)
        assert errors.dtype == attempts.dtype == float


def test_read_many_rows(tmp_path: Path) -> None:
    text = "errors,attempts\n" + "".join(f"{k % 7},{7 + k % 3}\n" for k in range(50_000))
    errors, attempts = read_counts(store(tmp_path, "a.csv", text)).counts
    assert errors.tolist() == [k % 7 for k in range(50_000)]
    assert attempts.tolist() == [7 + k % 3 for k in range(50_000)]


BAD: dict[str, tuple[str, str | bytes, list[str]]] = {
    "empty": ("a.csv", "", ["is empty"]),
    "white-space": ("a.csv", " \n\n", ["nothing but white space"]),
    "comments-only": ("a.csv", "# nothing here\n", ["expected a header", "found nothing"]),
    "header-only": ("a.csv", "errors,attempts\n", ["has a header, but no row"]),
    "no-header": ("a.csv", "0,5\n2,8\n", ["expected a header with the columns errors, attempts", "found 0, 5"]),
    "other-header": ("a.csv", "wrong,tried\n0,5\n", ["expected a header", "found wrong, tried"]),
    "only-errors": ("a.csv", "errors\n0\n", ["expected a header", "found errors"]),
    "twice": ("a.csv", "errors,attempts,errors\n0,5,0\n", ["expected a header", "errors, attempts, errors"]),
    "spaces": ("a.txt", "errors attempts\n0 5\n", ["expected a header", "found errors attempts"]),
    "text": ("a.csv", CSV.replace("2,8", "two,8"), ["line 3", "column errors", "'two'"]),
    "missing": ("a.csv", CSV.replace("2,8", ",8"), ["row 2", "errors must be a whole number", "not nan"]),
    "fraction": ("a.csv", CSV.replace("2,8", "2,8.5"), ["row 2", "attempts must be a whole number", "not 8.5"]),
    "negative": ("a.csv", CSV.replace("2,8", "-2,8"), ["row 2", "errors must be a whole number of at least 0", "-2"]),
    "infinite": ("a.csv", CSV.replace("2,8", "2,inf"), ["row 2", "attempts must be a whole number", "not inf"]),
    "more-errors": ("a.csv", CSV.replace("2,8", "9,8"), ["row 2", "cannot be more errors than attempts", "not 9"]),
    "no-attempt": ("a.csv", CSV.replace("2,8", "0,0"), ["row 2", "at least 1 attempt, not 0"]),
    "no-attempt-but-errors": ("a.csv", CSV.replace("2,8", "2,0"), ["row 2", "at least 1 attempt, not 0"]),
    "columns": ("a.csv", CSV.replace("2,8", "2,8,1"), ["line 3", "3 columns where 2 were expected"]),
    "too-few-columns": ("a.csv", CSV + "4\n", ["line 5", "1 columns where 2 were expected"]),
    "truncated-gzip": ("a.csv.gz", gzip.compress(CSV.encode())[:-6], ["gzip data is damaged or cut off"]),
    "binary": ("a.csv", bytes(range(256)) * 4, ["expected a header"]),
    "parquet-truncated": ("a.parquet", parquet(TABLE)[:-20], ["is not a complete Parquet file"]),
    "parquet-columns": ("a.parquet", parquet({"errors": [0, 1]}), ["expected a header", "found errors"]),
    "parquet-twice": (
        "a.parquet",
        parquet(pa.Table.from_arrays([pa.array([1]), pa.array([2]), pa.array([3])], ["errors", "attempts", "errors"])),
        ["expected a header", "errors, attempts, errors"],
    ),
    "parquet-missing": (
        "a.parquet",
        parquet({"errors": [0, None], "attempts": [5, 5]}),
        ["row 2", "errors must be a whole number", "not nan"],
    ),
    "parquet-text": (
        "a.parquet",
        parquet({"errors": ["none", "one"], "attempts": [5, 5]}),
        ["cannot be read as Parquet", "'one'"],
    ),
    "parquet-lists": (
        "a.parquet",
        parquet({"errors": [[0], [1]], "attempts": [5, 5]}),
        ["cannot be read as Parquet"],
    ),
    "parquet-more-errors": (
        "a.parquet",
        parquet({"errors": [0, 6], "attempts": [5, 5]}),
        ["row 2", "more errors than attempts"],
    ),
    "parquet-empty": ("a.parquet", parquet({"errors": pa.array([], pa.int64()), "attempts": pa.array([], pa.int64())}),
                      ["has a header, but no row"]),
}  # fmt: skip


def refusal(path: Path) -> str:
    """The message with which reading ends; it is one line that begins with the file."""
    with pytest.raises(InputError) as caught:
        read_counts(path)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert "\n" not in message
    return message


@pytest.mark.parametrize("kind", BAD)
def test_refuse_counts(tmp_path: Path, kind: str) -> None:
    name, content, parts = BAD[kind]
    message = refusal(store(tmp_path, name, content))
    for part in parts:
        assert part in message


def test_refuse_what_is_no_file(tmp_path: Path) -> None:
    assert "is a directory" in refusal(tmp_path)
    assert "there is no such file" in refusal(tmp_path / "none.csv")


def test_a_missing_text_is_empty_in_parquet_as_in_csv(tmp_path: Path) -> None:
    table = {"person": ["anna", "bert"], "sex": ["f", None]}
    pq.write_table(pa.table(table), tmp_path / "a.parquet")
    (tmp_path / "a.csv").write_text("person,sex\nanna,f\nbert,\n")
    for name in ("a.parquet", "a.csv"):
        columns = read_named(tmp_path / name, names=("person", "sex"), what="one row per person")
        assert columns["sex"].tolist() == ["f", ""]
