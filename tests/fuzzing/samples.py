"""Good score files of every format, to be damaged."""

from __future__ import annotations

import csv
import gzip
import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from fuzzing.mutations import Files


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
    words = ["target" if g else "nontarget" for g in genuine]
    utterances = [f"LA_{k}" for k in range(len(trials))]
    spoofs = ["bonafide" if g else "spoof" for g in genuine]
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
            "trials": lines(ids["claim"], ids["probe"], words),
            "face.scores": lines(ids["claim"], ids["probe"], first),
        },
        "voxceleb": {
            "veri_test.txt": b"".join(
                f"{int(g)} {enrol} {test}\n".encode() for g, (enrol, test) in zip(genuine, speakers, strict=True)
            ),
            "face.txt": lines(first),
            "voice.txt": b"".join(f"{e} {t} {s}\n".encode() for (e, t), s in zip(speakers, first, strict=True)),
        },
        "speechbrain": {"scores": lines(ids["claim"], ids["probe"], genuine.astype(int).tolist(), first)},
        "wespeaker": {"face.score": lines(ids["claim"], ids["probe"], first, words)},
        "asvspoof-cm": {
            "cm.txt": lines(utterances, ["-" if g else "A07" for g in genuine], spoofs, first),
        },
        "spaces": {"a.txt": b"claim probe label score\n" + lines(ids["claim"], ids["probe"], words, first)},
        "lists-parts": {"gen1.txt": lines(first[:4]), "gen2.txt": lines(first[4:6]), "imp.txt": lines(first[6:])},
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


def _keyed(table: bytes) -> dict[str, Files]:
    """Scores in one file, and their trials with labels in another whose name begins with key."""
    rows = [line.split(",") for line in table.decode().splitlines()]

    def columns(*places: int, delimiter: str = ",", start: int = 0) -> bytes:
        return "".join(delimiter.join(row[k] for k in places) + "\n" for row in rows[start:]).encode()

    scores = {"face.csv": columns(0, 2, 4), "voice.csv": columns(0, 2, 5)}
    plain = columns(0, 2, 3, delimiter=" ", start=1).replace(b"genuine", b"target").replace(b"impostor", b"nontarget")
    return {
        "keyed": {**scores, "key.csv": columns(0, 1, 2, 3)},
        "keyed-plain": {"face.txt": columns(0, 2, 4, delimiter=" ", start=1), "key.txt": plain},
    }


SYNTHETIC, REAL = _synthetic(), _real()
KEYED = _keyed(SYNTHETIC["csv-wide"]["both.csv"])
SAMPLES = SYNTHETIC | REAL
BINARY = {name for name in SAMPLES if name.startswith(("npz", "parquet"))}
REAL_NAMES = ("banca-4", "banca-5", "asvspoof", "bssr1", "bssr1-pair", "xm2vts")
TEXTS = [name for name in (*SYNTHETIC, *REAL_NAMES) if name not in BINARY]
