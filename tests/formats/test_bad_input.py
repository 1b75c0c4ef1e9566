"""Files that are not what they should be, and places that cannot be written: one clear error, nothing left behind."""

from __future__ import annotations

import errno
import gc
import gzip
import io
import os
import re
import stat
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fairtrial.formats
from fairtrial.core.errors import FairtrialError, InputError, OutputError, ParameterError, TrialsError
from fairtrial.core.trials import Trials
from fairtrial.core.words import plural
from fairtrial.evaluation.evaluation import evaluate
from fairtrial.formats.read import read_pair, read_trials, write_trials

BOB = "anna anna x 0.9\nanna bert y 0.1\nbert bert z 0.8\nbert anna w 0.2\n"
CSV = "claim,subject,probe,face,voice\nanna,anna,x,0.9,3\nanna,bert,y,0.1,1.0\nbert,bert,z,0.8,4\nbert,anna,w,0.2,2\n"
MATRIX = ",anna,bert,carol\nanna,0.9,0.1,0.2\nbert,0.3,0.8,0.1\ncarol,0.2,0.3,0.7\n"
LISTS = {"gen.scores": "1 1 0.9\n2 2 0.8\n", "imp.scores": "1 2 0.1\n2 1 0.3\n"}
PAIRS = {"trials": "anna x target\nanna y nontarget\n", "face.txt": "anna x 0.9\nanna y 0.1\n"}
LONG = "claim,subject,system,score\nanna,anna,face,0.9\nanna,bert,face,0.1\nanna,anna,voice,3\nanna,bert,voice,1\n"

Files = dict[str, str | bytes]


def store(folder: Path, files: Files) -> list[Path]:
    for name, content in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
    return [folder / name for name in files]


def refusal(paths: Any, kind: type[FairtrialError] = FairtrialError, **options: Any) -> str:
    """The message with which reading ends; it is one line."""
    with pytest.raises(kind) as caught:
        read_trials(paths, **options)
    message = str(caught.value)
    assert "\n" not in message
    assert "\r" not in message
    return message


def refused(folder: Path, files: Files, kind: type[FairtrialError] = InputError, **options: Any) -> str:
    return refusal(store(folder, files), kind, **options)


def assert_says(message: str, *parts: str) -> None:
    for part in parts:
        assert part in message, f"{part!r} is not in {message!r}"


def parquet(table: pa.Table, **options: Any) -> bytes:
    file = io.BytesIO()
    pq.write_table(table, file, **options)
    return file.getvalue()


def npz(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def archive(**members: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as zipped:
        for name, content in members.items():
            zipped.writestr(f"{name}.npy", content)
    return file.getvalue()


def npy_header(*shape: int) -> bytes:
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": shape})
    return file.getvalue()


def zstd(data: bytes) -> bytes:
    packed: bytes = pa.compress(data, "zstd", asbytes=True)
    return packed


TABLE = pa.table({"claim": ["anna"] * 2, "subject": ["anna", "bert"], "face": [0.9, 0.1]})
COMPRESS: dict[str, Callable[[bytes], bytes]] = {"": bytes, ".gz": gzip.compress, ".zst": zstd}


# Nothing in it


@pytest.mark.parametrize("compression", COMPRESS)
@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.txt", "", "is empty"),
        ("a.csv", "", "is empty"),
        ("a.txt", " \n\t\n \r\n", "nothing but white space"),
        ("a.csv", "claim,subject,face\n", "a header, but no trial"),
        ("a.csv", "claim,subject,face", "a header, but no trial"),
        ("a.tsv", "claim\tsubject\tface\n\n", "a header, but no trial"),
        ("a.csv", ",anna,bert\n", "a header, but no trial"),
        ("a.txt", "# claim subject probe score\n", "only comments"),
    ],
    ids=["empty-bob", "empty-csv", "white-space", "header", "header-cut", "header-tabs", "matrix-header", "comments"],
)
def test_files_without_a_trial(name: str, content: str, says: str, compression: str, tmp_path: Path) -> None:
    message = refused(tmp_path, {name + compression: COMPRESS[compression](content.encode())})
    assert_says(message, str(tmp_path / (name + compression)), says)


@pytest.mark.parametrize("format", ["bob4", "bob5", "csv", "tsv", "matrix", "npz", "parquet", "pairs"])
def test_comments_only_with_a_format_given(format: str, tmp_path: Path) -> None:
    refused(tmp_path, {"a.txt": "# nothing\n"}, format=format)


def test_comments_only_as_a_list(tmp_path: Path) -> None:
    message = refused(tmp_path, {"gen.txt": "# nothing\n", "imp.txt": "0.1\n"}, format="lists")
    assert_says(message, "gen.txt")


def test_empty_npz_and_parquet(tmp_path: Path) -> None:
    no_rows = npz(scores=np.zeros((0, 2)), genuine=np.zeros(0, dtype=bool))
    assert_says(refused(tmp_path, {"a.npz": no_rows}), "a.npz", "holds no trial")
    assert_says(refused(tmp_path, {"a.parquet": parquet(TABLE.slice(0, 0))}), "a.parquet", "holds no trial")


def test_npz_without_a_system(tmp_path: Path) -> None:
    files: Files = {"a.npz": npz(scores=np.zeros((2, 0)), genuine=[True, False])}
    assert_says(refused(tmp_path, files), "a.npz", "scores")


@pytest.mark.parametrize(
    ("files", "lacks"),
    [
        ({"a.txt": "anna anna x 0.9\nbert bert y 0.1\n"}, "impostor"),
        ({"a.csv": "claim,label,face\nanna,impostor,0.9\nbert,impostor,0.1\n"}, "genuine"),
        ({"a.npz": npz(scores=[0.1, 0.2], genuine=[False, False])}, "genuine"),
        ({"trials": "anna x target\n", "face.txt": "anna x 0.9\n"}, "impostor"),
    ],
)
def test_one_class_only_is_read_but_not_evaluated(files: Files, lacks: str, tmp_path: Path) -> None:
    trials = read_trials(store(tmp_path, files))
    with pytest.raises(TrialsError, match=f"dev: there is no {lacks} trial"):
        evaluate(trials, trials)


# NaN


@pytest.mark.parametrize(
    ("files", "place", "system"),
    [
        ({"a.txt": BOB.replace("0.8", "nan")}, "a.txt, row 3", "a"),
        ({"a.txt": BOB.replace("0.8", "NaN").replace(" ", "\t")}, "a.txt, row 3", "a"),
        ({"a.csv": CSV.replace("0.8,4", "0.8,nan")}, "a.csv, row 3", "voice"),
        ({"a.csv": CSV.replace("0.8,4", "0.8,")}, "a.csv, row 3", "voice"),
        ({"a.tsv": CSV.replace("0.9", "nan").replace(",", "\t")}, "a.tsv, row 1", "face"),
        ({"a.npz": npz(scores=[[1, 2], [3, np.nan]], genuine=[True, False], systems=["p", "q"])}, "a.npz, row 2", "q"),
        ({"a.parquet": parquet(TABLE.set_column(2, "face", pa.array([0.9, None])))}, "a.parquet, row 2", "face"),
        pytest.param(
            {"a.csv": LONG.replace("voice,1", "voice,nan")},
            "a.csv, row 4",
            "voice",
        ),
        pytest.param(
            {"gen.scores": LISTS["gen.scores"], "imp.scores": "1 2 0.1\n2 1 nan\n"},
            "imp.scores, row 2",
            "system",
        ),
        pytest.param(
            {**PAIRS, "face.txt": "anna y nan\nanna x 0.9\n"},
            "face.txt, row 1",
            "face",
        ),
    ],
    ids=["bob", "bob-tabs", "csv", "csv-empty-cell", "tsv", "npz", "parquet", "csv-long", "lists", "pairs"],
)
def test_nan_names_file_row_and_system(files: Files, place: str, system: str, tmp_path: Path) -> None:
    message = refused(tmp_path, files)
    assert_says(message, place, f"the score of {system} is NaN", 'nan="drop"', 'nan="reject"')
    assert re.search(rf"{place}\b", message)


@pytest.mark.parametrize("cell", ["nan", ""])
def test_nan_in_a_matrix_names_the_cell(cell: str, tmp_path: Path) -> None:
    message = refused(tmp_path, {"m.csv": MATRIX.replace("0.2,0.3,0.7", f"0.2,{cell},0.7")})
    assert_says(message, "m.csv")
    assert re.search(r"row 3\b|line 4\b|carol", message)


def test_empty_cell_in_the_first_rows_of_a_matrix_is_a_missing_score(tmp_path: Path) -> None:
    message = refused(tmp_path, {"m.csv": MATRIX.replace("0.9,0.1", "0.9,")})
    assert_says(message, "m.csv", "NaN", 'nan="drop"')


def test_nan_row_is_counted_with_the_trials_left_out(tmp_path: Path) -> None:
    content = "claim,label,face\nanna,spoof,1\nanna,target,1\nanna,nontarget,nan\n"
    options: dict[str, Any] = {"genuine_labels": ("target",), "impostor_labels": ("nontarget",)}
    assert_says(refused(tmp_path, {"a.csv": content}, **options), "a.csv, row 3")


def test_nan_in_a_directory_of_parquet_names_the_file(tmp_path: Path) -> None:
    files: Files = {"d/1.parquet": parquet(TABLE), "d/2.parquet": parquet(TABLE.set_column(2, "face", [[1.0, None]]))}
    store(tmp_path, files)
    assert_says(refusal(tmp_path / "d"), "2.parquet, row 2")


@pytest.mark.parametrize(
    ("files", "left"),
    [
        ({"a.txt": BOB.replace("0.8", "nan")}, 3),
        ({"a.csv": CSV.replace("0.8,4", "0.8,").replace("0.1", "nan")}, 2),
        ({"m.csv": MATRIX.replace("0.7", "nan")}, 8),
        ({"a.npz": npz(scores=[1, np.nan], genuine=[True, False])}, 1),
        ({"a.parquet": parquet(TABLE.set_column(2, "face", pa.array([0.9, None])))}, 1),
        ({**LISTS, "gen.scores": "1 1 nan\n2 2 0.8\n"}, 3),
        ({**PAIRS, "face.txt": "anna x nan\nanna y 0.1\n"}, 1),
    ],
    ids=["bob", "csv", "matrix", "npz", "parquet", "lists", "pairs"],
)
def test_nan_is_dropped_or_rejected_on_demand_and_noted(files: Files, left: int, tmp_path: Path) -> None:
    paths = store(tmp_path, files)
    kept = read_trials(paths, nan="reject")
    missing = len(kept) - left
    dropped = read_trials(paths, nan="drop")
    assert len(dropped) == left
    assert all(len(column) == left for column in dropped.ids.values())
    assert dropped.notes[-1] == f"dropped {plural(missing, 'trial')} without a score"
    assert np.isneginf(kept.scores).sum() == missing
    assert kept.notes[-1] == f"{plural(missing, 'missing score')} taken as rejected"


def test_rejected_scores_stay_rejected_when_scores_are_negated(tmp_path: Path) -> None:
    trials = read_trials(store(tmp_path, {"a.txt": BOB.replace("0.8", "nan")}), nan="reject", negate=True)
    assert trials.scores[:, 0].tolist() == [-0.9, -0.1, -np.inf, -0.2]


def test_unknown_nan_policy(tmp_path: Path) -> None:
    message = refused(tmp_path, {"a.txt": BOB}, ParameterError, nan="zero")
    assert_says(message, "error, drop, reject", "'zero'")


# Lines that are wrong


@pytest.mark.parametrize("compression", COMPRESS)
@pytest.mark.parametrize(
    ("files", "parts"),
    [
        ({"a.txt": BOB.replace("0.8", "high")}, ["a.txt", ", line 3:", "column score", "'high'"]),
        ({"a.txt": BOB.replace("0.8", "high").replace(" ", "\t")}, ["a.txt", ", line 3:", "column score"]),
        ({"a.txt": BOB.replace("0.8", "0,8")}, ["a.txt", ", line 3:", "column score", "'0,8'"]),
        ({"a.txt": BOB.replace("0.8", "1_0")}, ["a.txt", ", line 3:", "column score", "'1_0'"]),
        ({"a.txt": "# c\n\n" + BOB.replace("0.8", "high")}, ["a.txt", ", line 5:", "column score"]),
        ({"a.csv": CSV.replace("4", "n/a")}, ["a.csv", ", line 4:", "column voice", "'n/a'"]),
        ({"a.csv": CSV.replace("\n", "\r\n").replace("4", "n/a")}, ["a.csv", ", line 4:", "column voice"]),
        ({"a.tsv": CSV.replace("0.1", "low").replace(",", "\t")}, ["a.tsv", ", line 3:", "column face", "'low'"]),
        ({"a.csv": LONG.replace("voice,1", "voice,one")}, ["a.csv", ", line 5:", "column score", "'one'"]),
        ({**LISTS, "imp.scores": "1 2 0.1\n2 1 x\n"}, ["imp.scores", ", line 2:", "'x'"]),
        ({"gen.txt": "0.9\nx\n", "imp.txt": "0.1\n"}, ["gen.txt", ", line 2:", "'x'"]),
        ({**PAIRS, "face.txt": "anna x 0.9\nanna y x\n"}, ["face.txt", ", line 2:", "column score", "'x'"]),
        pytest.param(
            {"m.csv": MATRIX.replace("0.3,0.7", "x,0.7")},
            ["m.csv", ", line 4:", "bert", "'x'"],
        ),
    ],
    ids=[
        *("bob", "bob-tabs", "comma", "underscore", "after-comments", "csv", "csv-crlf", "tsv", "csv-long"),
        *("lists", "lists-bare", "pairs", "matrix"),
    ],
)
def test_text_for_a_number_names_file_line_and_column(
    files: Files, parts: list[str], compression: str, tmp_path: Path
) -> None:
    packed: Files = {name + compression: COMPRESS[compression](str(c).encode()) for name, c in files.items()}
    assert_says(refused(tmp_path, packed), parts[0] + compression, *parts[1:])


@pytest.mark.parametrize("format", ["bob4", "bob5"])
def test_text_for_a_number_in_the_first_line_of_a_format_given(format: str, tmp_path: Path) -> None:
    first = "anna anna x high\n" if format == "bob4" else "anna m anna x high\n"
    message = refused(tmp_path, {"a.txt": first + BOB}, format=format)
    assert_says(message, "a.txt, line 1", "high" if format == "bob4" else "5 columns")


@pytest.mark.parametrize("cell", ["n/a", "high", "0,9"])
def test_text_for_a_number_in_the_first_row_does_not_lose_the_system(cell: str, tmp_path: Path) -> None:
    content = CSV.replace("0.9,3", f'0.9,"{cell}"')
    assert_says(refused(tmp_path, {"a.csv": content}), "a.csv", "line 2", "voice", cell)


@pytest.mark.parametrize(
    ("files", "parts"),
    [
        ({"a.txt": BOB + "anna ber"}, ["a.txt, line 5", "2 columns where 4", "claim subject probe score", "anna ber"]),
        ({"a.csv": CSV + "anna,bert,x,0."}, ["a.csv, line 6", "4 columns where 5", "claim, subject, probe, face"]),
        ({"a.tsv": (CSV + "anna").replace(",", "\t")}, ["a.tsv, line 6", "1 columns where 5"]),
        ({"a.csv": LONG + "anna,anna,voi"}, ["a.csv, line 6", "3 columns where 4"]),
        ({"m.csv": MATRIX + "dora,0.1"}, ["m.csv, line 5", "2 columns where 4", "an id and 3 scores"]),
        ({**LISTS, "imp.scores": "1 2 0.1\n2 1"}, ["imp.scores, line 2", "2 columns where 3"]),
        ({**PAIRS, "face.txt": "anna x 0.9\nanna y"}, ["face.txt, line 2", "2 columns where 3"]),
        ({**PAIRS, "trials": "anna x target\n" * 30 + "anna", "face.txt": "1\n"}, ["trials, line 31", "1 columns"]),
    ],
    ids=["bob", "csv", "tsv", "csv-long", "matrix", "lists", "pairs", "pairs-trials"],
)
def test_truncated_last_line_is_named(files: Files, parts: list[str], tmp_path: Path) -> None:
    assert_says(refused(tmp_path, files), *parts)


@pytest.mark.parametrize(
    ("files", "parts"),
    [
        ({"a.txt": BOB.replace("z 0.8", "0.8")}, ["a.txt, line 3", "3 columns where 4", "bert bert 0.8"]),
        ({"a.txt": BOB.replace("z 0.8", "z z 0.8")}, ["a.txt, line 3", "5 columns where 4"]),
        ({"a.txt": BOB.replace("x", "m x") + BOB}, ["a.txt, line 2", "4 columns where 5", "claim model subject"]),
        ({"a.csv": CSV.replace("z,", "")}, ["a.csv, line 4", "4 columns where 5"]),
        ({"a.csv": CSV.replace("z,", "z,z,")}, ["a.csv, line 4", "6 columns where 5"]),
        ({"a.tsv": CSV.replace("z,", "").replace(",", "\t")}, ["a.tsv, line 4", "4 columns where 5"]),
        ({"m.csv": MATRIX.replace("0.3,0.7", "0.7")}, ["m.csv, line 4", "3 columns where 4"]),
        ({"m.csv": MATRIX.replace("0.3,0.7", "0.3,0.7,1")}, ["m.csv, line 4", "5 columns where 4"]),
        ({**LISTS, "imp.scores": "1 2 0.1\n2 1 0.3 7\n"}, ["imp.scores, line 2", "4 columns where 3"]),
        ({**PAIRS, "face.txt": "anna x 0.9\nanna y 0.1 0.2\n"}, ["face.txt, line 2", "4 columns where 3"]),
    ],
    ids=[
        *("bob-fewer", "bob-more", "bob-5-then-4", "csv-fewer", "csv-more", "tsv", "matrix-fewer", "matrix-more"),
        *("lists", "pairs"),
    ],
)
def test_wrong_column_count_names_the_line(files: Files, parts: list[str], tmp_path: Path) -> None:
    assert_says(refused(tmp_path, files), *parts)


@pytest.mark.parametrize("start", ["", BOB, BOB * 5000], ids=["first", "later", "far-down"])
def test_missing_column_is_not_an_empty_id(start: str, tmp_path: Path) -> None:
    files: Files = {"a.txt": start + " anna x 0.5\n" + BOB}
    assert_says(refused(tmp_path, files, format="bob4"), "a.txt, line", "3 columns where 4")


def test_wrong_column_count_far_down_a_long_file_names_the_line(tmp_path: Path) -> None:
    assert_says(refused(tmp_path, {"a.txt": BOB * 50_000 + "anna bert 0.1\n" + BOB}), "a.txt, line 200001", "3 columns")


@pytest.mark.parametrize("format", [None, "matrix"])
def test_ragged_first_row_of_a_matrix_names_the_line(format: str | None, tmp_path: Path) -> None:
    files: Files = {"m.csv": MATRIX.replace("0.9,0.1,0.2", "0.9,0.1")}
    assert_says(refused(tmp_path, files, format=format), "m.csv", "line 2")


@pytest.mark.parametrize(
    ("start", "place"),
    [
        (BOB, "line 5"),
        pytest.param(BOB * 4000, "line 16001", id="far-down"),
    ],
)
def test_invalid_utf8_names_the_line(start: str, place: str, tmp_path: Path) -> None:
    message = refused(tmp_path, {"a.txt": start.encode() + b"anna b\xe9rt x 0.1\n"})
    assert_says(message, "a.txt", place, "UTF-8", "convert the file")


@pytest.mark.parametrize(
    "files",
    [
        {"a.txt": BOB.encode() + b"anna b\xe9rt x 0.1\n"},
        {"a.csv": CSV.encode() + b"anna,b\xff,x,1,2\n"},
        {"m.csv": MATRIX.replace("\ncarol", "\nc\udce9").encode(errors="surrogateescape")},
        {**LISTS, "imp.scores": b"1 \xe9 0.1\n"},
        {**PAIRS, "face.txt": b"anna x 0.9\nanna \xe9 0.1\n"},
    ],
    ids=["bob", "csv", "matrix", "lists", "pairs"],
)
def test_invalid_utf8_is_refused(files: Files, tmp_path: Path) -> None:
    assert_says(refused(tmp_path, files), "is not UTF-8 text", "convert the file")


def test_invalid_utf8_in_a_column_that_is_not_read_does_no_harm(tmp_path: Path) -> None:
    files: Files = {"a.csv": b"claim,subject,note,face\nanna,anna,\xe9,1\nanna,bert,b,0\n"}
    assert read_trials(store(tmp_path, files)).scores.tolist() == [[1], [0]]


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("name", ["a.txt", "a.csv", "a.parquet", "a.npz", "a.txt.gz"])
def test_binary_garbage(name: str, seed: int, tmp_path: Path) -> None:
    garbage = np.random.default_rng(seed).bytes(100 if seed % 2 else 200_000)
    assert_says(refused(tmp_path, {name: garbage}), name)


def test_binary_garbage_says_what_is_expected(tmp_path: Path) -> None:
    assert_says(refused(tmp_path, {"a.txt": bytes(range(256))}), "a.txt", "binary data", "text file of scores, Parquet")
    assert_says(refused(tmp_path, {"a.txt": BOB.encode("utf-16")}), "a.txt", "UTF-16", "save it as UTF-8")


@pytest.mark.parametrize("content", [BOB, BOB.replace(" ", "  ")], ids=["quick", "slow"])
def test_byte_order_mark_is_no_part_of_the_first_id(content: str, tmp_path: Path) -> None:
    trials = read_trials(store(tmp_path, {"a.txt": "\ufeff" + content}))
    assert trials.genuine.tolist() == [True, False, True, False]


@pytest.mark.parametrize("before", ["\n", "# a comment\n"], ids=["blank", "comment"])
def test_header_of_a_matrix_is_no_row_whatever_comes_before(before: str, tmp_path: Path) -> None:
    numbered = MATRIX.replace("anna", "1").replace("bert", "2").replace("carol", "3")
    paths = store(tmp_path, {"m.csv": before + numbered})
    try:
        assert len(read_trials(paths)) == 9
    except InputError as error:
        assert_says(str(error), "m.csv", "line 1")


def test_comment_above_a_header(tmp_path: Path) -> None:
    assert len(read_trials(store(tmp_path, {"a.csv": "# a comment\n" + CSV}))) == 4


@pytest.mark.parametrize("rows", [",,1\nanna,bert,0\n", "anna,anna,1\n,bert,0\n"], ids=["both", "one"])
def test_empty_id_in_a_table(rows: str, tmp_path: Path) -> None:
    message = refused(tmp_path, {"a.csv": "claim,subject,face\n" + rows})
    assert_says(message, "a.csv", "claim", "every trial needs one")


@pytest.mark.parametrize(
    "content",
    ["x" * 140_000 + CSV, CSV + "," * 140_000, "x" * 140_000 + "," + CSV],
    ids=["header", "last-row", "one-more-column"],
)
def test_very_long_cell_in_the_first_lines(content: str, tmp_path: Path) -> None:
    message = refused(tmp_path, {"a.csv": content})
    assert_says(message, "a.csv")
    assert len(message) < 1500


def test_very_long_ids_are_ids(tmp_path: Path) -> None:
    long = "a" * 140_000
    assert len(read_trials(store(tmp_path, {"a.csv": CSV.replace("anna,", long + ",", 1)}))) == 4
    assert len(read_trials(store(tmp_path, {"m.csv": MATRIX.replace("bert", long)}))) == 9


def test_open_quote_in_the_first_line(tmp_path: Path) -> None:
    assert_says(refused(tmp_path, {"m.csv": '"anna bert carol\nanna 1 0 0\nbert 0 1 0\n'}), "m.csv")


@pytest.mark.parametrize(
    "content",
    [
        "claim,label,face\nanna," + "x" * 5000 + ",1\nanna,genuine,0\n",
        "claim,subject," + "x" * 5000 + "\nanna,anna,high\n",
        ",".join(f"column{k}" for k in range(3000)) + "\n" + ",".join(["high"] * 3000) + "\n",
    ],
    ids=["label", "column-name", "many-columns"],
)
def test_message_stays_short_whatever_the_file_holds(content: str, tmp_path: Path) -> None:
    assert len(refused(tmp_path, {"a.csv": content})) < 1500


@pytest.mark.parametrize("odd", ["\x1b[31m", "\x0b", "\u2028"])
def test_message_holds_no_control_characters(odd: str, tmp_path: Path) -> None:
    assert refused(tmp_path, {"a.csv": f"claim,subject,no{odd}te\nanna,anna,high\n"}).isprintable()


# A line of 2 GiB

MEASURED = """
import re, sys, time
from fairtrial.core.errors import FairtrialError
from fairtrial.formats import read_trials
began = time.monotonic()
try:
    read_trials(sys.argv[1], format=sys.argv[2] or None)
except FairtrialError as error:
    peak = re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read()).group(1)
    print(time.monotonic() - began, int(peak) // 1024, error, sep="|")
"""
SEVENS = gzip.compress(b"7" * (1 << 24), 1)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read from /proc")
@pytest.mark.parametrize(
    ("name", "start", "format", "says"),
    [
        ("a.txt", b"", "", "line 1 is longer than 16 MiB"),
        ("a.txt", BOB.encode() * 5000, "", "line 20001: is longer than 16 MiB"),
        ("a.csv", CSV.encode(), "", "binary data"),
        ("a.csv", (CSV + CSV.split("\n", 1)[1] * 5000).encode(), "", "line 20006: is longer than 16 MiB"),
        ("a.txt", b"", "bob4", "line 1 is longer than 16 MiB"),
        ("a.txt.gz", b"", "", "line 1 is longer than 16 MiB"),
        ("a.txt.gz", gzip.compress(BOB.encode() * 5000), "", "line 20001: is longer than 16 MiB"),
    ],
    ids=["zeros", "bob-then-zeros", "csv-zeros", "csv-then-zeros", "zeros-as-bob", "gzip", "bob-then-gzip"],
)
def test_line_of_two_gigabytes_takes_little_time_and_memory(
    name: str, start: bytes, format: str, says: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(start + SEVENS * 128 if name.endswith(".gz") else start)
    if not name.endswith(".gz"):
        os.truncate(path, 1 << 31)  # a hole, which takes no disk
    child = subprocess.run([sys.executable, "-c", MEASURED, path, format], capture_output=True, text=True, timeout=60)
    assert child.returncode == 0, child.stderr
    seconds, peak, message = child.stdout.strip().split("|")
    assert_says(message, str(path), says)
    assert float(seconds) < 10
    assert int(peak) < 300, "MiB"


# Compressed data


@pytest.mark.parametrize("ending", [".gz", ".zst"])
@pytest.mark.parametrize("keep", [5, 0.3, 0.9, -9, -4, -1])
@pytest.mark.parametrize(
    ("name", "content"), [("a.txt", BOB * 3000), ("a.csv", CSV), ("m.csv", MATRIX)], ids=["bob", "csv", "matrix"]
)
def test_truncated_compressed_file(name: str, content: str, keep: float, ending: str, tmp_path: Path) -> None:
    packed = COMPRESS[ending](content.encode())
    size = int(len(packed) * keep) if isinstance(keep, float) else keep
    kind = {".gz": "gzip", ".zst": "zstd"}[ending]
    message = refused(tmp_path, {name + ending: packed[:size]})
    assert_says(message, name + ending, f"the {kind} data is damaged or cut off", "get the file again")


@pytest.mark.parametrize("ending", [".gz", ".zst"])
@pytest.mark.parametrize("garbage", [b"garbage", b"\x00" * 100, b"\n"])
@pytest.mark.parametrize("content", [BOB, BOB * 20_000], ids=["short", "long"])
def test_garbage_after_compressed_data(content: str, garbage: bytes, ending: str, tmp_path: Path) -> None:
    packed = COMPRESS[ending](content.encode()) + garbage
    assert_says(refused(tmp_path, {"a.txt" + ending: packed}), "a.txt" + ending, "damaged or cut off")


def test_gzip_checksum_that_does_not_fit(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(BOB.encode()))
    packed[-6] ^= 1
    assert_says(refused(tmp_path, {"a.txt.gz": bytes(packed)}), "a.txt.gz", "gzip data is damaged")


def test_several_gzip_members_are_one_file(tmp_path: Path) -> None:
    packed = b"".join(gzip.compress(line.encode() + b"\n") for line in BOB.splitlines())
    assert len(read_trials(store(tmp_path, {"a.txt.gz": packed}))) == 4


# Labels and columns


@pytest.mark.parametrize(
    ("labels", "says"),
    [
        (["target", "impostor"], "labels are mixed: impostor, target"),
        (["1", "0", "-1"], "labels are mixed: -1, 0, 1"),
        (["true", "0"], "labels are mixed: 0, true"),
        (["ja", "nein"], "label 'ja' is not known, of ja, nein"),
        (["genuine", "2"], "label '2' is not known"),
        (["genuine", "''"], "label \"''\" is not known"),
    ],
)
def test_mixed_and_unknown_labels_say_what_to_do(labels: list[str], says: str, tmp_path: Path) -> None:
    rows = "".join(f"anna,{label},0.5\n" for label in labels)
    files: list[Files] = [
        {"a.csv": "claim,label,face\n" + rows},
        {"a.tsv": ("claim,label,face\n" + rows).replace(",", "\t")},
        {"a.npz": npz(scores=np.zeros(len(labels)), label=labels)},
        {"a.parquet": parquet(pa.table({"label": labels, "face": [0.5] * len(labels)}))},
    ]
    for one in files:
        assert_says(refused(tmp_path, one), next(iter(one)), says, "genuine/impostor", 'genuine_labels="WORD"')


def test_unknown_label_far_down_a_trial_list(tmp_path: Path) -> None:
    files: Files = {"trials": "anna x target\n" * 30 + "anna y perhaps\n", "face.txt": "1\n" * 31}
    assert_says(refused(tmp_path, files), "trials", "label 'perhaps' is not known", 'genuine_labels="WORD"')


def test_labels_given_that_are_not_there(tmp_path: Path) -> None:
    files: Files = {"a.csv": "claim,label,face\nanna,yes,1\nanna,no,0\n"}
    given: dict[str, Any] = {"genuine_labels": ("ja",), "impostor_labels": ("no",)}
    assert_says(refused(tmp_path, files, **given), "a.csv", "there is no label 'ja'", "no, yes")
    message = refused(tmp_path, files, ParameterError, genuine_labels=("no",), impostor_labels=("no",))
    assert_says(message, "'no' cannot mean genuine and impostor")
    message = refused(tmp_path, files, ParameterError, genuine_labels=("yes",))
    assert_says(message, "which labels are genuine and which are impostor")


def test_nothing_says_which_trials_are_genuine(tmp_path: Path) -> None:
    message = refused(tmp_path, {"a.csv": "claim,face\nanna,1\nanna,0\n"})
    assert_says(message, "a.csv", "label column, or claim and subject", 'columns={"label": "NAME"}')
    assert_says(refused(tmp_path, {"a.npz": npz(scores=[1, 2])}), "a.npz", "no array genuine")


@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
def test_duplicate_column_names_in_text(delimiter: str, tmp_path: Path) -> None:
    content = "claim,subject,face,face\nanna,anna,1,2\n".replace(",", delimiter)
    assert_says(refused(tmp_path, {"a.csv": content}), "a.csv", "column 'face' occurs twice", "its own name")


@pytest.mark.parametrize("name", ["face", "claim"])
def test_duplicate_column_names_in_parquet(name: str, tmp_path: Path) -> None:
    files: Files = {"a.parquet": parquet(TABLE.append_column(name, pa.array([1.0, 2.0])))}
    assert_says(refused(tmp_path, files), "a.parquet", f"'{name}' occurs twice")


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        ({"columns": {"claim": "who"}}, ["a.csv", "there is no column 'who'", "claim, subject, probe, face, voice"]),
        ({"scores": ("hand",)}, ["a.csv", "there is no column 'hand'", "face, voice"]),
        (
            {"columns": {"system": "probe"}},
            ["a.csv", "one column of scores, not face, voice", 'columns={"score": "NAME"}'],
        ),
        ({"scores": ("probe",)}, ["a.csv", "line 2", "column probe should be a number", "'x'"]),
    ],
    ids=["role", "score", "system", "text-as-score"],
)
def test_columns_that_are_not_there(options: dict[str, Any], parts: list[str], tmp_path: Path) -> None:
    assert_says(refused(tmp_path, {"a.csv": CSV}, **options), *parts)


def test_table_without_scores(tmp_path: Path) -> None:
    message = refused(tmp_path, {"a.csv": "claim,subject,note\nanna,bert,good\n"})
    assert_says(message, "a.csv", "no column of scores among claim, subject, note", 'columns={"score": "NAME"}')


def test_scores_with_decimal_commas(tmp_path: Path) -> None:
    message = refused(tmp_path, {"a.csv": "label;face;note\n1;0,5;good\n0;-0,25;bad\n"})
    assert_says(message, "a.csv", "no column of scores among label, face, note; face looks like", "write them as 0.5")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"columns": {"face": "x"}}, "there is no column role face; roles are claim, subject"),
        ({"nonsense": 1}, "'nonsense'"),
        ({"format": "xml"}, "there is no format 'xml'; there are lists, pairs, parquet"),
        ({"names": ("p", "q", "r")}, "3 names for 2 systems (face, voice)"),
    ],
)
def test_options_of_reading_that_cannot_be(options: dict[str, Any], says: str, tmp_path: Path) -> None:
    assert_says(refused(tmp_path, {"a.csv": CSV}, ParameterError, **options), says)


def test_negating_a_system_that_is_not_there(tmp_path: Path) -> None:
    message = refused(tmp_path, {"a.csv": CSV}, TrialsError, negate=("hand",))
    assert_says(message, "there is no system 'hand' to negate; there are face, voice")


def test_two_systems_of_the_same_name(tmp_path: Path) -> None:
    message = refused(tmp_path, {"a.csv": CSV}, TrialsError, names=("p", "p"))
    assert_says(message, "two systems would be called 'p'", 'names=["A", "B"]')


# Matrices


def test_matrix_without_common_ids(tmp_path: Path) -> None:
    message = refused(tmp_path, {"m.csv": ",anna,bert\ncarol,1,0\ndora,0,1\n"})
    assert_says(message, "m.csv", "no id at the left is also along the top", "diagonal=True")
    trials = read_trials(tmp_path / "m.csv", diagonal=True)
    assert trials.genuine.tolist() == [True, False, False, True]


def test_matrix_that_is_not_square_has_no_diagonal(tmp_path: Path) -> None:
    message = refused(tmp_path, {"m.csv": MATRIX + "dora,1,2,3\n"}, diagonal=True)
    assert_says(message, "m.csv", "4 rows and 3 columns", "no diagonal")


# Binary formats


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        (
            npz(scores=np.array([1, None], dtype=object), genuine=[True, False]),
            ["not a complete .npz archive of plain"],
        ),
        (npz(scores=[1, 2], genuine=[True, False], claim=np.array(["a", None], dtype=object)), ["plain arrays"]),
        (npz(scores=np.zeros((2, 2, 2)), genuine=[True, False]), ["scores should have one or two dimensions", "not 3"]),
        (npz(scores=np.array(1.0), genuine=[True]), ["scores should have one or two dimensions", "not 0"]),
        (npz(scores=["1", "2"], genuine=[True, False]), ["scores should have", "of numbers", "<U1"]),
        (npz(scores=[1j, 2], genuine=[True, False]), ["scores should have", "complex128"]),
        (npz(scores=[1, 2, 3], genuine=[True, False]), ["genuine has shape (2,), but there are 3 trials"]),
        (npz(scores=[1, 2], genuine=[[True], [False]]), ["genuine has shape (2, 1)"]),
        (npz(scores=[1, 2], genuine=[True, False], claim=["a"]), ["claim has shape (1,), but there are 2 trials"]),
        (npz(scores=[[1, 2]], genuine=[True], systems=["p"]), ["1 name in systems for 2 columns"]),
        (npz(genuine=[[1.0, 2]], impostor=[[1.0]]), ["genuine has 2 columns of scores and impostor 1"]),
        (npz(genuine=[True], impostor=[1.0]), ["genuine should have", "of numbers", "bool"]),
        (npz(other=[1.0]), ["holds other; expected scores and genuine"]),
        (npz(scores=np.arange(50.0), genuine=[True] * 50)[:-30], ["not a complete .npz archive"]),
        (npz(scores=np.arange(50.0), genuine=[True] * 50)[:200], ["not a complete .npz archive"]),
        pytest.param(
            *(archive(scores=b"hello", genuine=b"hello"), ["scores"]),
        ),
        pytest.param(
            *(archive(scores=npy_header(10**15), genuine=npy_header(2)), ["not a complete .npz archive"]),
        ),
        pytest.param(
            *(archive(scores=npy_header(10**30), genuine=npy_header(2)), ["not a complete .npz archive"]),
        ),
    ],
    ids=[
        *("pickled-scores", "pickled-ids", "3d", "0d", "text", "complex", "short-labels", "2d-labels", "short-ids"),
        *("system-names", "two-widths", "two-bool", "other-names", "cut-end", "cut-begin", "no-arrays"),
        *("huge", "huger"),
    ],
)
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # has a test of its own
def test_npz_that_is_wrong(content: bytes, parts: list[str], tmp_path: Path) -> None:
    assert_says(refused(tmp_path, {"a.npz": content}), "a.npz", *parts)


def test_damaged_npz_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    complaints: list[str] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda caught: complaints.append(str(caught.exc_value)))
    refused(tmp_path, {"a.npz": npz(scores=np.arange(50.0), genuine=[True] * 50)[:200]})
    gc.collect()
    assert complaints == []


def test_npy_as_npz(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.arange(3.0))
    assert_says(refusal(tmp_path / "a.npy", InputError, format="npz"), "a.npy")


@pytest.mark.parametrize("keep", [4, 8, 50, 0.5, -8, -1])
def test_truncated_parquet(keep: float, tmp_path: Path) -> None:
    whole = parquet(TABLE)
    size = int(len(whole) * keep) if isinstance(keep, float) else keep
    assert_says(refused(tmp_path, {"a.parquet": whole[:size]}), "a.parquet", "is not a complete Parquet file")


@pytest.mark.parametrize(("column", "name"), [(0, "claim"), (1, "subject")])
def test_parquet_with_null_ids(column: int, name: str, tmp_path: Path) -> None:
    files: Files = {"a.parquet": parquet(TABLE.set_column(column, name, pa.array(["anna", None])))}
    assert_says(refused(tmp_path, files), "a.parquet", f"column {name} has 1 empty cells", "every trial needs one")


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("subject", pa.array([["a"], ["b"]])),
        ("subject", pa.array([b"a", b"\xff"])),
        ("face", pa.array([2**60 + 1, 2])),
    ],
    ids=["list", "binary", "large-integer"],
)
def test_parquet_column_of_the_wrong_type_is_named(name: str, column: pa.Array, tmp_path: Path) -> None:
    at = TABLE.schema.get_field_index(name)
    message = refused(tmp_path, {"a.parquet": parquet(TABLE.set_column(at, name, column))})
    assert_says(message, "a.parquet", f"column {name}")
    assert "not a complete Parquet file" not in message


@pytest.mark.parametrize("name", ["claim", "probe"])
def test_parquet_text_that_is_not_utf8(name: str, tmp_path: Path) -> None:
    text = pa.array([b"anna", b"\xff"]).cast(pa.string(), safe=False)
    table = TABLE.set_column(0, "claim", text) if name == "claim" else TABLE.append_column(name, text)
    paths = store(tmp_path, {"a.parquet": parquet(table)})
    with pytest.raises(InputError) as caught:
        read_trials(paths).ids[name].decode()
    assert_says(str(caught.value), "a.parquet", f"column {name}", "UTF-8")


@pytest.mark.parametrize("format", ["parquet", "npz", "csv", "matrix", "pairs", "lists"])
def test_format_given_that_the_file_is_not(format: str, tmp_path: Path) -> None:
    refused(tmp_path, {"a.txt": BOB}, format=format)


def test_text_of_no_known_format_is_shown_with_what_is_known(tmp_path: Path) -> None:
    message = refused(tmp_path, {"a.txt": "dear diary\n"})
    assert_says(message, "a.txt", "'dear diary'", "bob4 (claim subject probe score)", "csv (table with a header)")


# Paths


def test_missing_file_and_glob_without_match(tmp_path: Path) -> None:
    for name in ("no.txt", "no*.txt", "no/no.txt"):
        assert_says(refusal(tmp_path / name, InputError), name, "there is no such file")
    assert_says(refusal([*store(tmp_path, {"a.txt": BOB}), tmp_path / "no.txt"], InputError), "no.txt", "no such file")


def test_file_name_that_is_too_long(tmp_path: Path) -> None:
    assert_says(refusal(tmp_path / ("x" * 300), InputError), "too long")


def test_empty_path_is_not_the_current_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    store(tmp_path, {"a.parquet": parquet(TABLE)})
    refusal("", InputError)


def test_file_name_that_is_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"caf\xe9.txt")
    try:
        path.write_text(BOB)
    except OSError:
        pytest.skip("this file system has no such names")
    try:
        assert len(read_trials(path)) == 4
    except FairtrialError as error:
        assert_says(str(error), "caf")


def test_directory_that_cannot_be_read_as_one(tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    store(tmp_path, {"mix/a.parquet": parquet(TABLE), "mix/b.txt": BOB, "texts/a.txt": BOB, "texts/b.txt": BOB})
    for name in ("none", "mix", "texts"):
        message = refusal(tmp_path / name, InputError)
        assert_says(message, str(tmp_path / name), "Parquet files only", "name the files in it instead")


def test_directory_with_an_empty_or_damaged_file_names_it(tmp_path: Path) -> None:
    store(tmp_path, {"d/a.parquet": parquet(TABLE), "d/b.parquet": b""})
    assert_says(refusal(tmp_path / "d", InputError), "b.parquet", "is empty")
    store(tmp_path, {"d/b.parquet": parquet(TABLE)[:-5]})
    assert_says(refusal(tmp_path / "d", InputError), "b.parquet", "is not a complete Parquet file")


def test_directory_of_parquet_that_are_not_parts_of_one_table(tmp_path: Path) -> None:
    other = TABLE.rename_columns(["claim", "subject", "voice"])
    store(tmp_path, {"d/a.parquet": parquet(TABLE), "d/b.parquet": parquet(other)})
    assert_says(refusal(tmp_path / "d", InputError), "b.parquet", "other columns than", "a.parquet")


@contextmanager
def nobody() -> Iterator[Path]:
    """A folder, and the rights of somebody who is not root."""
    if not hasattr(os, "geteuid"):
        pytest.skip("this system has no such rights")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o777)
        for path in store(folder, {"warm.txt": BOB, "warm.parquet": parquet(TABLE)}):  # imports, while they are allowed
            write_trials(read_trials(path, names=("face",)), folder / "out.csv")
        root = os.geteuid() == 0
        try:
            if root:
                try:
                    os.seteuid(65534)
                except OSError as error:
                    pytest.skip(f"root cannot become somebody else here: {error}")
            yield folder
        finally:
            if root:
                os.seteuid(0)
            for entry in folder.iterdir():
                if entry.is_dir():
                    entry.chmod(0o700)


def test_file_without_permission() -> None:
    with nobody() as folder:
        paths = store(folder, {"a.txt": BOB})
        paths[0].chmod(0)
        assert_says(refusal(paths, InputError), "a.txt", "cannot be read: Permission denied")
        store(folder, {"d/a.parquet": parquet(TABLE), "d/b.parquet": parquet(TABLE)})
        (folder / "d/b.parquet").chmod(0)
        assert_says(refusal(folder / "d", InputError), "b.parquet", "cannot be read: Permission denied")


def test_directory_without_permission() -> None:
    with nobody() as folder:
        store(folder, {"d/a.parquet": parquet(TABLE)})
        (folder / "d").chmod(0)
        assert_says(refusal(folder / "d", InputError), str(folder / "d"), "cannot be read: Permission denied")


def test_file_in_a_directory_without_permission() -> None:
    with nobody() as folder:
        store(folder, {"d/a.txt": BOB})
        (folder / "d").chmod(0)
        assert_says(refusal(folder / "d" / "a.txt", InputError), "a.txt", "Permission denied")


def test_named_pipe_is_not_waited_for_where_nobody_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairtrial.formats.files._PATIENCE", 0.1)
    os.mkfifo(tmp_path / "pipe.txt")
    with pytest.raises(InputError, match=r"pipe.txt: is empty"):
        read_trials(tmp_path / "pipe.txt")


# Several files


def test_trial_that_one_file_lacks(tmp_path: Path) -> None:
    files: Files = {"face.txt": BOB, "voice.txt": BOB.replace("bert anna w 0.2\n", "")}
    message = refused(tmp_path, files, TrialsError)
    assert_says(message, "trial claim bert, subject anna, probe w", "face.txt, row 4", "is not in", "voice.txt")
    assert_says(message, "1 of 4 trials", "keep the 3 common trials with common=True")


def test_trial_that_the_first_file_lacks(tmp_path: Path) -> None:
    files: Files = {"face.txt": BOB.replace("bert anna w 0.2\n", ""), "voice.txt": BOB}
    assert_says(refused(tmp_path, files, TrialsError), "probe w", "voice.txt, row 4", "is not in", "face.txt")


def test_trial_that_comes_more_often_in_one_file(tmp_path: Path) -> None:
    files: Files = {"face.txt": BOB, "voice.txt": BOB + "bert anna w 0.3\n"}
    message = refused(tmp_path, files, TrialsError)
    assert_says(message, "claim bert, subject anna, probe w", "voice.txt, row 5", "face.txt, or not as often")


def test_common_trials_are_kept_and_the_dropped_are_counted(tmp_path: Path) -> None:
    lacking = BOB.replace("anna bert y 0.1\n", "") + "bert anna w 0.3\nbert bert other 0.5\n"
    trials = read_trials(store(tmp_path, {"face.txt": BOB, "voice.txt": lacking}), common=True)
    assert trials.scores.tolist() == [[0.9, 0.9], [0.8, 0.8], [0.2, 0.2]]
    assert trials.notes[1:] == ("dropped 3 trials that not all systems have, 3 are left",)


def test_no_trial_in_common(tmp_path: Path) -> None:
    files: Files = {"face.txt": BOB, "voice.txt": BOB.replace("anna", "dora").replace("bert", "emil")}
    message = refused(tmp_path, files, TrialsError, common=True)
    assert_says(message, "face.txt", "voice.txt", "have no trial in common")


def test_label_that_disagrees_between_files_names_trial_and_files(tmp_path: Path) -> None:
    content = "claim,probe,label,{}\nanna,x,1,1\nanna,y,{},0\n"
    files: Files = {"face.csv": content.format("face", 0), "voice.csv": content.format("voice", 1)}
    for common in (False, True):
        message = refused(tmp_path, files, TrialsError, common=common)
        assert_says(message, "trial claim anna, probe y is impostor in", "face.csv", "and genuine in", "voice.csv")
        assert_says(message, "1 such trials", "correct the labels")


def test_label_that_disagrees_between_systems_of_a_long_table(tmp_path: Path) -> None:
    rows = ["anna,x,1,face,1", "anna,y,0,face,0", "anna,x,1,voice,1", "anna,y,1,voice,0"]
    message = refused(tmp_path, {"a.csv": "claim,probe,label,system,score\n" + "\n".join(rows)}, TrialsError)
    assert_says(message, "claim anna, probe y", "a.csv (system face)", "a.csv (system voice)")


def test_files_without_an_id_in_common(tmp_path: Path) -> None:
    files: Files = {"a.csv": "label,face\n1,1\n0,0\n", "b.csv": "label,voice\n1,1\n0,0\n"}
    message = refused(tmp_path, files, TrialsError)
    assert_says(message, "a.csv", "b.csv", "no id column in common", 'columns={"probe": "NAME"}')


@pytest.mark.parametrize(
    ("scores", "parts"),
    [
        ("0.9\n", ["has 1 scores, but", "trials has 2 trials"]),
        ("anna x 0.9\n", ["anna, probe y", "trials, row 2", "is not in", "face.txt"]),
        ("anna x 0.9\nanna y 0.1\nanna z 0.2\n", ["probe z", "face.txt, row 3", "is not in", "trials"]),
        ("anna x 0.9\nanna y 0.1\nanna y 0.2\n", ["probe y", "face.txt, row 3", "or not as often"]),
    ],
    ids=["too-few", "missing", "unknown", "twice"],
)
def test_score_list_that_does_not_fit_its_trial_list(scores: str, parts: list[str], tmp_path: Path) -> None:
    assert_says(refused(tmp_path, {"trials": PAIRS["trials"], "face.txt": scores}, FairtrialError), *parts)


def test_lists_that_do_not_fit_each_other(tmp_path: Path) -> None:
    message = refused(tmp_path, {**LISTS, "imp.scores": "1 2 0.1 0.2\n"})
    assert_says(message, "gen.scores has 3 columns", "imp.scores has 4")
    message = refused(tmp_path, {"gen.scores": "1 0.9\n", "imp.scores": "1 0.1\n"})
    assert_says(message, "gen.scores", "two columns may be an id and a score or two scores")
    assert_says(refused(tmp_path, {"a.txt": "0.9\n", "b.txt": "0.1\n"}, format="lists"), "gen or genuine", "imp or")


def test_pair_names_the_file_that_is_wrong(tmp_path: Path) -> None:
    good, bad = store(tmp_path, {"dev.txt": BOB, "test.txt": BOB.replace("0.8", "high")})
    for dev, test in ((good, bad), (bad, good)):
        with pytest.raises(InputError, match=r"test\.txt, line 3: column score"):
            read_pair(dev, test)


def test_dev_and_test_with_different_systems(tmp_path: Path) -> None:
    dev, test = read_pair(*store(tmp_path, {"dev.csv": CSV, "test.csv": CSV.replace("voice", "speech")}))
    with pytest.raises(TrialsError, match="voice in dev only; speech in test only; read both with"):
        evaluate(dev, test, systems="face")


# Writing

ENDINGS = [".csv", ".tsv", ".csv.gz", ".csv.zst", ".parquet", ".npz", ".txt"]


def some_trials(count: int = 2) -> Trials:
    claim = [f"p{k % 50}" for k in range(count)]
    subject = [f"p{k % 7}" for k in range(count)]
    scores = np.random.default_rng(1).random(count)
    genuine = [a == b for a, b in zip(claim, subject, strict=True)]
    return Trials.from_arrays(scores, genuine, systems=["face"], claim=claim, subject=subject)


def unwritten(trials: Trials, path: Path, *parts: str, **options: Any) -> None:
    """Writing is refused, says this, and changes nothing in the folder."""
    before = {p: p.read_bytes() if p.is_file() else None for p in path.parent.glob("*")}
    with pytest.raises(FairtrialError) as caught:
        write_trials(trials, path, **options)
    assert_says(str(caught.value), *parts)
    assert {p: p.read_bytes() if p.is_file() else None for p in path.parent.glob("*")} == before


@pytest.mark.parametrize("ending", ENDINGS)
def test_output_into_a_missing_directory(ending: str, tmp_path: Path) -> None:
    target = tmp_path / "no" / f"a{ending}"
    unwritten(some_trials(), target, f"a{ending}: cannot be written", "No such file or directory")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", ENDINGS)
def test_output_onto_a_directory(ending: str, tmp_path: Path) -> None:
    (tmp_path / f"a{ending}").mkdir()
    unwritten(some_trials(), tmp_path / f"a{ending}", f"a{ending}: is a directory")


@pytest.mark.parametrize("old", [None, b"old content"], ids=["new", "existing"])
@pytest.mark.parametrize("ending", ENDINGS)
def test_disk_that_is_full_leaves_nothing_new_and_the_old_as_it_was(
    ending: str, old: bytes | None, tmp_path: Path
) -> None:
    resource = pytest.importorskip("resource")
    target = tmp_path / f"a{ending}"
    if old is not None:
        target.write_bytes(old)
    trials = some_trials(20_000)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16 << 10, limits[1]))
    try:
        with pytest.raises(OutputError) as caught:
            write_trials(trials, target)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert_says(str(caught.value), f"a{ending}: cannot be written", os.strerror(errno.EFBIG), "nothing was left behind")
    assert list(tmp_path.iterdir()) == ([] if old is None else [target])
    assert old is None or target.read_bytes() == old


def test_output_without_permission() -> None:
    with nobody() as folder:
        (folder / "d").mkdir()
        (folder / "d").chmod(0o500)
        unwritten(some_trials(), folder / "d" / "a.csv", "a.csv: cannot be written", "Permission denied")


def test_output_into_a_directory_that_may_not_be_searched() -> None:
    with nobody() as folder:
        (folder / "d").mkdir()
        (folder / "d").chmod(0)
        with pytest.raises(OutputError, match="Permission denied"):
            write_trials(some_trials(), folder / "d" / "a.csv")


def test_output_name_that_is_too_long(tmp_path: Path) -> None:
    unwritten(some_trials(), tmp_path / ("x" * 300 + ".csv"), "too long")


def test_output_onto_a_pipe_does_not_replace_it(tmp_path: Path) -> None:
    pipe = tmp_path / "a.csv"
    os.mkfifo(pipe)
    try:
        write_trials(some_trials(), pipe)
    except OutputError as error:
        assert_says(str(error), "a.csv")
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_output_onto_a_link_writes_where_it_points(tmp_path: Path) -> None:
    link = tmp_path / "a.csv"
    link.symlink_to(tmp_path / "elsewhere.csv")
    write_trials(some_trials(), link)
    assert link.is_symlink()
    assert (tmp_path / "elsewhere.csv").read_text().startswith("claim,")


@pytest.mark.parametrize("name", ["a.xyz", "a", "a.csv.bz2", ".gz"])
def test_output_name_that_tells_no_format(name: str, tmp_path: Path) -> None:
    unwritten(some_trials(), tmp_path / name, name, ".parquet, .npz, .csv")


@pytest.mark.parametrize("format", ["matrix", "lists", "pairs"])
def test_format_that_is_not_written(format: str, tmp_path: Path) -> None:
    unwritten(some_trials(), tmp_path / "a.csv", f"format {format} cannot be written", "parquet, npz", format=format)


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        ({"claim": ["an na", "b"], "subject": ["an na", "c"]}, ["holds a space", "write CSV or Parquet"]),
        ({"claim": ["a\tx", "b"], "subject": ["a\tx", "c"]}, ["holds a space", "write CSV or Parquet"]),
        ({"claim": ["#a", "b"], "subject": ["#a", "c"]}, ["begins with #", "write CSV or Parquet"]),
        ({"claim": ["", "b"], "subject": ["", "c"]}, ["is empty"]),
        ({"claim": ["a", "b"], "subject": ["b", "b"]}, ["genuine when claim and subject are equal", "write CSV"]),
        ({"subject": None}, ["needs claim and subject ids"]),
    ],
    ids=["space", "tab", "comment", "empty", "labels", "no-ids"],
)
def test_trials_that_the_bob_format_cannot_hold(change: dict[str, Any], parts: list[str], tmp_path: Path) -> None:
    ids: dict[str, Any] = {"claim": ["a", "b"], "subject": ["a", "c"], **change}
    unwritten(Trials.from_arrays([1, 0], [True, False], **ids), tmp_path / "a.txt", "a.txt", *parts)


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
@pytest.mark.parametrize("name", ["label", "Claim", "score"])
def test_system_named_like_a_column(name: str, ending: str, tmp_path: Path) -> None:
    trials = some_trials().renamed([name])
    unwritten(trials, tmp_path / f"a{ending}", f"a{ending}", f"{name!r}", "names=")


@pytest.mark.parametrize("ending", ENDINGS)
def test_failing_writer_leaves_nothing_behind(ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    format_ = fairtrial.formats.registry.format_of_name(tmp_path / f"a{ending}")
    assert format_.write is not None
    write = format_.write

    def fail(trials: Trials, place: Path, target: Path) -> None:
        write(trials, place, target)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    changed = type(format_)(format_.name, format_.description, format_.matches, format_.read, fail, format_.endings)
    monkeypatch.setitem(fairtrial.formats.registry.FORMATS, format_.name, changed)
    unwritten(some_trials(), tmp_path / f"a{ending}", "No space left on device", "nothing was left behind")
