"""Damaged score files of every format: each is read, or refused with one short FairtrialError; and the quick
reader of text never says other than the careful one.

A failure names the sample and the seed; ``damage(SAMPLES[sample], seed)`` makes the files again.
"""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import os
import random
import re
import sys
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import fairtrial.formats.text as text_module
import reading_oracle as oracle
from fairtrial.errors import FairtrialError, InputError
from fairtrial.evaluation import evaluate
from fairtrial.formats import FORMATS, read_trials, write_trials
from fairtrial.formats.files import Head, read_head
from fairtrial.formats.text import Kind, Layout
from fairtrial.trials import Trials

Files = dict[str, bytes]
"""The files of one set of trials, by name, uncompressed."""

INPUTS = 130
"""Damaged inputs a sample; binary ones are quick, so there are more of them."""
LONGEST_MESSAGE = 1500


def _table(rows: list[list[Any]], delimiter: str) -> bytes:
    lines = io.StringIO()
    csv.writer(lines, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return lines.getvalue().encode()


def _synthetic() -> dict[str, Files]:
    rng = np.random.default_rng(7)
    people = ["anna", "bert", "zoë"]
    trials = [(claim, subject, f"{subject}_{k}") for claim in people for subject in people for k in range(2)]
    scores = (rng.normal(size=(len(trials), 2)) + [[2 * (c == s)] for c, s, _ in trials]).round(4).tolist()
    rows = [(*trial, *pair) for trial, pair in zip(trials, scores, strict=True)]
    label = [("genuine" if c == s else "impostor") for c, s, _ in trials]
    wide = [["claim", "subject", "probe", "label", "face", "voice"]]
    wide += [[c, s, p, word, f, v] for (c, s, p, f, v), word in zip(rows, label, strict=True)]
    long = [["claim", "subject", "probe", "label", "system", "score"]]
    long += [[*row[:4], name, row[4 + k]] for row in wide[1:] for k, name in enumerate(("face", "voice"))]
    matrix = [["", *people], *([s, *rng.normal(size=3).round(3)] for s in people)]
    speakers = [
        (f"id1027{people.index(c)}/a/1.wav", f"id1027{people.index(s)}/b/{k}.wav") for k, (c, s, _) in enumerate(trials)
    ]
    ids = {"claim": [t[0] for t in trials], "subject": [t[1] for t in trials], "probe": [t[2] for t in trials]}
    genuine = np.array([c == s for c, s, _ in trials])
    arrow = pa.table({**ids, "label": label, "face": [s[0] for s in scores], "voice": [s[1] for s in scores]})

    def lines(*columns: Any) -> bytes:
        return "".join(" ".join(map(str, line)) + "\n" for line in zip(*columns, strict=True)).encode()

    def archive(save: Callable[..., None], **arrays: Any) -> bytes:
        file = io.BytesIO()
        save(file, **arrays)
        return file.getvalue()

    def parquet(**options: Any) -> bytes:
        file = io.BytesIO()
        pq.write_table(arrow, file, **options)
        return file.getvalue()

    first = [pair[0] for pair in scores]
    listed = [(s, c, *pair) for (c, s, _), pair in zip(trials, scores, strict=True)]
    return {
        "bob4": {"face-dev.txt": lines(*ids.values(), first)},
        "bob5": {"face-dev.txt": lines(ids["claim"], ids["claim"], ids["subject"], ids["probe"], first)},
        "bob4-tabs": {"face-dev.txt": lines(*ids.values(), first).replace(b" ", b"\t")},
        "csv-wide": {"both.csv": _table(wide, ",")},
        "csv-long": {"long.csv": _table(long, ",")},
        "csv-quoted": {"quoted.csv": _table(wide, ",").replace(b"anna", b'"an,""na"')},
        "tsv": {"both.tsv": _table(wide, "\t")},
        "matrix": {"matrix.csv": _table(matrix, ",")},
        "matrix-tabs": {"matrix.txt": _table(matrix, "\t")[1:]},
        "lists": {
            "gen.scores": b"".join(lines(*([cell] for cell in row)) for row in listed if row[0] == row[1]),
            "imp.scores": b"".join(lines(*([cell] for cell in row)) for row in listed if row[0] != row[1]),
        },
        "lists-bare": {"genuine.txt": lines(first[:6]), "impostor.txt": lines(first[6:])},
        "kaldi": {
            "trials": lines(
                ids["claim"], ids["probe"], [{"genuine": "target", "impostor": "nontarget"}[w] for w in label]
            ),
            "face.scores": lines(ids["claim"], ids["probe"], first),
        },
        "voxceleb": {
            "veri_test.txt": b"".join(
                f"{int(g)} {enrol} {test}\n".encode() for g, (enrol, test) in zip(genuine, speakers, strict=True)
            ),
            "face.txt": lines(first),
            "voice.txt": b"".join(f"{e} {t} {s}\n".encode() for (e, t), s in zip(speakers, first, strict=True)),
        },
        "two-files": {"face.txt": lines(*ids.values(), first), "voice.txt": lines(*ids.values(), first[::-1])},
        "npz": {"a.npz": archive(np.savez, scores=np.array(scores), genuine=genuine, systems=["face", "voice"], **ids)},
        "npz-two": {"a.npz": archive(np.savez_compressed, genuine=np.array(first[:6]), impostor=np.array(first[6:]))},
        "parquet": {"a.parquet": parquet(compression="none")},
        "parquet-packed": {"a.parquet": parquet(compression="zstd", row_group_size=5)},
    }


def _real() -> dict[str, Files]:
    """Beginnings of the real score files, where they are at hand."""
    data = Path(os.environ.get("FAIRTRIAL_DATA", Path(__file__).parents[3] / "shared" / "data"))
    if not data.is_dir():
        return {}

    def lines(name: str, count: int, width: int | None = None) -> bytes:
        path = data / name
        with gzip.open(path) if path.suffix == ".gz" else open(path, "rb") as file:
            found = [next(file) for _ in range(count)]
        return b"".join(
            found if width is None else [b",".join(line.rstrip().split(b",")[:width]) + b"\n" for line in found]
        )

    return {
        "banca-4": {"dev-4col.txt": lines("banca_mc_bob/dev-4col.txt", 300)},
        "banca-5": {"dev-5col.txt": lines("banca_mc_bob/dev-5col.txt", 300)},
        "asvspoof": {"asv_trials_dev.csv": lines("asvspoof2019_la/asv_trials_dev.csv.gz", 150)},
        "bssr1": {"face-C.csv": lines("bssr1_set1/face-C.csv.gz", 25, 25)},
        "bssr1-pair": {
            "face-C.csv": lines("bssr1_set1/face-C.csv.gz", 10, 10),
            "finger-left.csv": lines("bssr1_set1/finger-left.csv.gz", 10, 10),
        },
        "xm2vts": {
            "gen.scores": lines("xm2vts_lp2_dev_2sys/gen.scores", 100),
            "imp.scores": lines("xm2vts_lp2_dev_2sys/imp.scores.gz", 200),
        },
    }


SYNTHETIC, REAL = _synthetic(), _real()
SAMPLES = SYNTHETIC | REAL
BINARY = {name for name in SAMPLES if name.startswith(("npz", "parquet"))}
REAL_NAMES = ("banca-4", "banca-5", "asvspoof", "bssr1", "bssr1-pair", "xm2vts")
TEXTS = [name for name in (*SYNTHETIC, *REAL_NAMES) if name not in BINARY]
COMPRESSED: dict[str, Callable[[bytes], bytes]] = {
    "gz": lambda data: gzip.compress(data, 1, mtime=0),
    "zst": lambda data: pa.compress(data, "zstd", asbytes=True),
}
PIECES = (
    b"nan", b"inf", b"-inf", b"1e999", b"+1", b"0x1p3", b"1_0", b"nan(x)", b"''", b'"', b'""', b"#", b"# note\n",
    b",", b";", b" ", b"  ", b"\t", b"\n", b"\n\n", b"\r", b"\x0b", b"\x0c", b"\x1c", b"\xc2\xa0", b"\xc2\x85",
    b"\xe2\x80\xa8", b"\xef\xbb\xbf", b"\xd9\xa3", b"\\", b"{}", b"%s", b"0", b"1", b"target",
)  # fmt: skip


def _place(rng: random.Random, data: bytes) -> int:
    return rng.randrange(len(data) + 1)


def _insert(rng: random.Random, data: bytes, piece: bytes) -> bytes:
    at = _place(rng, data)
    return data[:at] + piece + data[at:]


def _chunk(rng: random.Random, data: bytes) -> tuple[int, int]:
    start = _place(rng, data)
    return start, min(len(data), start + rng.choice([1, 2, 5, 20, 200]))


def flip(rng: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice([1, 1, 3, 10]) if data else 0):
        changed[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def delete(rng: random.Random, data: bytes) -> bytes:
    start, stop = _chunk(rng, data)
    return data[:start] + data[stop:]


def insert(rng: random.Random, data: bytes) -> bytes:
    return _insert(rng, data, rng.randbytes(rng.choice([1, 4, 50])))


def insert_piece(rng: random.Random, data: bytes) -> bytes:
    return _insert(rng, data, rng.choice(PIECES))


def begin_with_piece(rng: random.Random, data: bytes) -> bytes:
    return rng.choice(PIECES) + data


def duplicate(rng: random.Random, data: bytes) -> bytes:
    start, stop = _chunk(rng, data)
    return data[:stop] + data[start:stop] + data[stop:]


def truncate(rng: random.Random, data: bytes) -> bytes:
    return data[: _place(rng, data)]


def swap_lines(rng: random.Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[i], lines[j] = lines[j], lines[i]
    return b"\n".join(lines)


def drop_line(rng: random.Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    del lines[rng.randrange(len(lines))]
    return b"\n".join(lines)


def repeat_line(rng: random.Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    lines.insert(rng.randrange(len(lines)), rng.choice(lines))
    return b"\n".join(lines)


def letters_for_digits(rng: random.Random, data: bytes) -> bytes:
    share = rng.choice([0.002, 0.05, 1.0])
    return bytes(rng.choice(b"abcxeE-.") if 48 <= byte < 58 and rng.random() < share else byte for byte in data)


def nul(rng: random.Random, data: bytes) -> bytes:
    return _insert(rng, data, b"\x00" * rng.choice([1, 3, 100]))


def invalid_utf8(rng: random.Random, data: bytes) -> bytes:
    return _insert(
        rng, data, rng.choice([b"\xff", b"\xc3", b"\xe9", b"\xed\xa0\x80", b"\xc0\x80", b"\xf5\x80\x80\x80"])
    )


def long_run(rng: random.Random, data: bytes) -> bytes:
    return _insert(
        rng, data, rng.choice([b"a", b"7", b" ", b",", b"\t", b'"', b"\n", b"x "]) * rng.choice([300, 5000, 140_000])
    )


def windows_line_ends(rng: random.Random, data: bytes) -> bytes:
    return data.replace(b"\n", b"\r\n")


def old_mac_line_ends(rng: random.Random, data: bytes) -> bytes:
    return data.replace(b"\n", b"\r")


MUTATIONS: tuple[Callable[[random.Random, bytes], bytes], ...] = (
    flip, delete, insert, insert_piece, begin_with_piece, duplicate, truncate, swap_lines, drop_line, repeat_line,
    letters_for_digits, nul, invalid_utf8, long_run, windows_line_ends, old_mac_line_ends,
)  # fmt: skip


def damage(files: Files, seed: str, compression: str | None = None) -> tuple[Files, str, random.Random]:
    """The files with one of them damaged, before or after compression; what was done to it; the dice for more."""
    rng = random.Random(seed)
    victim = rng.choice(sorted(files))
    mutations = rng.choices(MUTATIONS, k=rng.choice([1, 1, 2, 3]))
    after = compression is not None and rng.random() < 0.4
    damaged: Files = {}
    for name, data in files.items():
        for mutate in mutations if name == victim and not after else ():
            data = mutate(rng, data)
        if compression is not None:
            data = COMPRESSED[compression](data)
        for mutate in mutations if name == victim and after else ():
            data = mutate(rng, data)
        damaged[name if compression is None else f"{name}.{compression}"] = data
    done = ", ".join(mutate.__name__ for mutate in mutations)
    return damaged, f"{done} in {victim}{' after compression' if after else ''}", rng


def _store(files: Files, folder: Path) -> list[Path]:
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return [folder / name for name in files]


@pytest.fixture
def complaint_of(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], str | None]:
    """What is wrong with the way an action ends: nothing if it succeeds, or ends in one short printable line."""
    unraisable: list[str] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda caught: unraisable.append(str(caught.exc_value)))

    def run(action: Callable[[], object]) -> str | None:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                action()
        except FairtrialError as error:
            message = str(error)
            if len(message) > LONGEST_MESSAGE:
                return f"a message of {len(message)} characters: {message[:150]!r}..."
            if not message.isprintable():
                return f"a message that cannot be printed: {message[:300]!r}"
        except Exception as error:
            return f"{type(error).__name__}: {str(error)[:300]}"
        return None

    def complain(action: Callable[[], object]) -> str | None:
        unraisable.clear()
        complaint = run(action)
        return complaint or (f"when it was over: {unraisable[0]}" if unraisable else None)

    return complain


Complaint = Callable[[Callable[[], object]], str | None]


def _sample(name: str) -> Files:
    if name not in SAMPLES:
        pytest.skip("the real score files are absent: no ../shared/data, and FAIRTRIAL_DATA does not name them")
    return SAMPLES[name]


def _complaint_of_input(seed: str, folder: Path, complaint_of: Complaint) -> str | None:
    """What is wrong with reading and evaluating the input of this seed, `sample/compression/number`."""
    sample, compression, _ = seed.split("/")
    files, done, rng = damage(_sample(sample), seed, None if compression == "plain" else compression)
    paths = _store(files, folder)
    options: dict[str, Any] = {"nan": rng.choice(["error", "drop", "reject"]), "common": rng.random() < 0.5}
    if rng.random() < 0.15:
        options["format"] = rng.choice(sorted(FORMATS))

    def use() -> None:
        trials = read_trials(paths, **options)
        assert not np.isnan(trials.scores).any()
        for system in trials.systems:
            evaluate(trials, trials, system=system)

    complaint = complaint_of(use)
    return complaint and f"seed {seed}: {done}; {options}: {complaint}"


def _report(complaints: Iterable[str | None]) -> None:
    new = [found for found in complaints if found]
    assert not new, f"{len(new)} inputs:\n" + "\n".join(new[:8])


@pytest.mark.parametrize("sample", sorted(SYNTHETIC))
def test_undamaged_samples_are_read(sample: str, tmp_path: Path) -> None:
    trials = read_trials(_store(SAMPLES[sample], tmp_path))
    assert len(trials) == (9 if sample.startswith("matrix") else 18)
    assert trials.genuine.any()


@pytest.mark.parametrize("sample", [*SYNTHETIC, *REAL_NAMES])
def test_damaged_files_are_read_or_refused(sample: str, tmp_path: Path, complaint_of: Complaint) -> None:
    seeds = [f"{sample}/plain/{number}" for number in range(8 * INPUTS if sample in BINARY else INPUTS)]
    _report(_complaint_of_input(seed, tmp_path, complaint_of) for seed in seeds)


@pytest.mark.parametrize("compression", sorted(COMPRESSED))
@pytest.mark.parametrize("sample", TEXTS)
def test_damaged_compressed_files_are_read_or_refused(
    sample: str, compression: str, tmp_path: Path, complaint_of: Complaint
) -> None:
    seeds = [f"{sample}/{compression}/{number}" for number in range(INPUTS // 2)]
    _report(_complaint_of_input(seed, tmp_path, complaint_of) for seed in seeds)


@pytest.mark.parametrize("ending", [".csv", ".tsv.gz", ".parquet", ".npz", ".txt"])
def test_what_was_read_from_damaged_files_is_written_and_read_back_the_same(
    ending: str, tmp_path: Path, complaint_of: Complaint
) -> None:
    complaints: list[str | None] = []
    inputs = 0
    target = tmp_path / f"out{ending}"
    for sample in ("bob4", "csv-wide", "csv-quoted", "lists", "npz"):
        for number in range(60):
            seed = f"{sample}/write/{number}"
            files, done, _ = damage(SAMPLES[sample], seed)
            try:
                trials = read_trials(_store(files, tmp_path))
            except Exception:  # the tests above tell which of them are allowed
                continue
            inputs += 1

            if ending == ".txt":
                trials = trials.select(trials.systems[:1])

            def use(trials: Trials = trials) -> None:
                target.unlink(missing_ok=True)
                try:
                    write_trials(trials, target)
                except FairtrialError:
                    return
                _assert_same(read_trials(target), trials)

            complaint = complaint_of(use)
            complaints.append(complaint and f"seed {seed}: {done}: {complaint}")
    assert inputs > 50
    _report(complaints)


def _assert_same(found: Trials, expected: Trials) -> None:
    assert found.scores.tolist() == expected.scores.tolist()
    assert found.genuine.tolist() == expected.genuine.tolist()
    for name, column in expected.ids.items():
        assert found.ids[name].decode().tolist() == column.decode().tolist(), name


Comparison = tuple[dict[str, Any], dict[str, Any] | InputError]
"""What the quick reader made of a file, and what the slow one did."""


def _read_twice(head: Head, layout: Layout, quick: Callable[..., dict[str, Any] | None]) -> Comparison | None:
    columns = quick(head, layout, None)
    if columns is None:
        return None
    try:
        return dict(columns), text_module._read_slowly(head, layout).columns
    except InputError as error:
        return dict(columns), error


def _disagreement(pair: Comparison) -> str | None:
    quick, slow = pair
    if isinstance(slow, InputError):
        return None
    assert list(quick) == list(slow)
    for name in quick:
        one, other = (
            c.tolist() if isinstance(c, np.ndarray) else c.decode().tolist() for c in (quick[name], slow[name])
        )
        if len(one) != len(other):
            return f"{len(one)} and {len(other)} rows"
        for a, b in zip(one, other, strict=True):
            if a != b and not (a != a and b != b):
                return f"column {name}: quickly {a!r:.80}, slowly {b!r:.80}"
    return None


def _refusal(pair: Comparison) -> str | None:
    return f"read quickly, but slowly: {pair[1]}" if isinstance(pair[1], InputError) else None


JUDGES = {"agree": _disagreement, "refuse-the-same": _refusal}


@pytest.fixture
def compare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], list[str | None]]:
    """How the readers differ on the files of a seed that the quick one reads: a complaint or None for each."""
    pairs: list[Comparison] = []
    quick = text_module._read_quickly

    def read(head: Head, layout: Layout, progress: Any) -> dict[str, Any] | None:
        pair = _read_twice(head, layout, quick)
        pairs.extend([pair] if pair else [])
        return dict(pair[0]) if pair else None

    monkeypatch.setattr(text_module, "_read_quickly", read)

    def compare_on(seed: str, judge: str) -> list[str | None]:
        files, done, _ = damage(_sample(seed.split("/")[0]), seed)
        pairs.clear()
        with contextlib.suppress(Exception):  # the tests above tell which of them are allowed
            read_trials(_store(files, tmp_path), nan="drop")
        found = [JUDGES[judge](pair) for pair in pairs]
        return [complaint and f"seed {seed}: {done}: {complaint}" for complaint in found]

    return compare_on


Compare = Callable[[str, str], list[str | None]]


@pytest.mark.parametrize("judge", JUDGES)
@pytest.mark.parametrize("sample", TEXTS)
def test_quick_and_slow_reader_on_damaged_text(sample: str, judge: str, compare: Compare) -> None:
    complaints = [found for number in range(INPUTS) for found in compare(f"{sample}/plain/{number}", judge)]
    assert len(complaints) > 10, "hardly a file was read by the quick reader: nothing was compared"
    _report(complaints)


ODD = "ab1.#\"'\\,; \t\x0b\x0c\x1c\x85\xa0\u2028\ufeffé"
IDS = st.text(st.sampled_from(ODD), max_size=4)
ANY = st.text(st.one_of(st.sampled_from(ODD + "\n\r\x00"), st.characters(exclude_categories=["Cs"])), max_size=5)
NUMBERS = st.sampled_from(
    ["0.5", "-1", "1e5", ".5", "5.", "+1", "1e999", "-0", "nan", "-nan", "nan(x)", "inf", "Infinity", "0x1", "1d3",
     "1e", "1_0", "", " 1", "1 ", '"1"', "\u0663", "1\x0b", "1\x00", "0.1000000000000000055511151231257827"]
)  # fmt: skip
LINES = st.lists(
    st.tuples(IDS, IDS, IDS, NUMBERS, st.sampled_from(["\n", "\r\n", "\r", "\n\n"])), min_size=1, max_size=4
)
NAMES = ("claim", "subject", "probe", "score")
KINDS: tuple[Kind, ...] = ("id", "id", "text", "score")


def _text(lines: list[tuple[str, ...]], delimiter: str, *, header: bool) -> str:
    first = delimiter.join(NAMES) + "\n" if header else ""
    return first + "".join(delimiter.join(line[:-1]) + line[-1] for line in lines)


@pytest.mark.parametrize("judge", JUDGES)
@pytest.mark.parametrize(("delimiter", "header"), [(" ", False), ("\t", False), ("\t", True), (",", True)])
@given(lines=LINES)
@example(lines=[("a", "a", "a\x1c", "0.5", "\n")])
@example(lines=[("", "a", "a", "0.5", "\n")])
@example(lines=[("a", "a", "a", "0.5", "\n"), ("a", "a", "a", "nan(x)", "\n")])
@example(lines=[("a", "a", "a", "0.5", "\n"), ('"', "", "", "0.5", "\r\n"), ('"', "", "", "0.5", "\n")])
@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_quick_and_slow_reader_on_odd_text(
    judge: str, delimiter: str, header: bool, tmp_path: Path, lines: list[tuple[str, ...]]
) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(_text(lines, delimiter, header=header).encode())
    try:
        head = read_head(path)
    except InputError:
        return
    pair = _read_twice(head, Layout(NAMES, KINDS, delimiter, header=header), text_module._read_quickly)
    assert pair is None or JUDGES[judge](pair) is None


@pytest.mark.parametrize(
    "ending",
    [
        pytest.param(".csv"),
        pytest.param(".tsv.gz"),
        pytest.param(".npz"),
        pytest.param(".txt"),
        ".parquet",
    ],
)
@given(ids=st.lists(st.tuples(ANY, ANY, ANY), min_size=1, max_size=4))
@example(ids=[("a", "b", "a\x00")])
@example(ids=[("a", "b", "a\rb")])
@example(ids=[("a", "b", "a\nb")])
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_odd_ids_are_read_back_as_they_were_written_or_refused(
    ending: str, tmp_path: Path, ids: list[tuple[str, ...]]
) -> None:
    target = tmp_path / f"out{ending}"
    claim, subject, probe = zip(*ids, strict=True)
    genuine = [a == b for a, b in zip(claim, subject, strict=True)]
    trials = Trials.from_arrays(
        np.arange(len(ids)) / 3, genuine, systems=["face"], claim=claim, subject=subject, probe=probe
    )
    target.unlink(missing_ok=True)
    try:
        write_trials(trials, target)
    except FairtrialError:
        assert not target.exists()
    else:
        _assert_same(read_trials(target), trials)


MORE_NUMBERS = st.one_of(
    NUMBERS,
    st.sampled_from(["9007199254740993", "9007199254740992", "1e400", "-1e309", '"0.5', '0.5"', '"0.5"x', "1,2"]),
)
ENDS = st.sampled_from(["\n", "\n", "\r\n", "\r", "\n\n", ""])
MORE_LINES = st.lists(st.tuples(IDS, IDS, IDS, MORE_NUMBERS, ENDS), min_size=1, max_size=6)


def _by_oracle(text: str, delimiter: str, *, header: bool) -> oracle.Reading | None:
    read = oracle.read_table if header else oracle.read_lines
    try:
        return read(text, delimiter, len(NAMES))
    except oracle.Refused:
        return None


def _differs(columns: dict[str, Any], expected: oracle.Reading) -> str | None:
    ids = [columns[name].decode().tolist() for name in NAMES[:-1]]
    rows = [list(row) for row in zip(*ids, strict=True)]
    if rows != expected.rows:
        return f"ids {rows}, not {expected.rows}"
    same = np.array_equal(columns["score"], np.array(expected.scores), equal_nan=True)
    return None if same else f"scores {columns['score'].tolist()}, not {expected.scores}"


@pytest.mark.parametrize(("delimiter", "header"), [(" ", False), ("\t", False), ("\t", True), (",", True), (";", True)])
@given(lines=MORE_LINES)
@example(lines=[("a", "a", "p", "0.5", "\n"), ("a", "b", '"p', "0.5", "\n"), ("a", "a", "p", "0.5", "\n")])
@example(lines=[("a", "a", "p", "0.5", "\n"), ("a", "b", '"p', '0.5"', "\n")])
@example(lines=[("a", "a", "p", "9007199254740993", "\n")])
@example(lines=[("a", "a", "p", "1e400", "")])
@example(lines=[("", "", "#", "0.5", "\n"), ("", "", "", "0.5", "\n")])
@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_both_readers_against_an_oracle(
    delimiter: str, header: bool, tmp_path: Path, lines: list[tuple[str, ...]]
) -> None:
    path = tmp_path / "a.txt"
    text = _text(lines, delimiter, header=header)
    path.write_bytes(text.encode())
    try:
        head = read_head(path)
    except InputError:
        return
    begin = re.match(r"(\s*(#[^\r\n]*)?[\r\n])*", text)  # comments and blank lines before a header are no part of it
    expected = _by_oracle(text[begin.end() :] if header and begin else text, delimiter, header=header)
    layout = Layout(NAMES, KINDS, delimiter, header=header)
    quickly = text_module._read_quickly(head, layout, None)
    slowly: dict[str, Any] | None = None
    with contextlib.suppress(InputError):
        slowly = text_module._read_slowly(head, layout).columns
    assert (slowly is None) == (expected is None), repr(text)
    for columns in (slowly, quickly):
        if columns is not None:
            assert expected is not None, f"{text!r} is read quickly"
            assert _differs(columns, expected) is None, repr(text)
