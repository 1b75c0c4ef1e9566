"""Write the fixed inputs of the contract suite, without the help of fairtrial.

Scores are rounded to two digits: there are ties, and no number depends on the last bits of a library.
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

SYSTEMS = ("face", "voice", "hand")
_SEPARATION = (1.8, 2.2, 1.2)
_MARGIN = 36_000_000
"""Bytes of a text file that is read in pieces with --memory 64MB, the least that is allowed."""


class Scores(NamedTuple):
    """A set of trials: ids, classes and one column of scores per system."""

    claim: list[str]
    subject: list[str]
    probe: list[str]
    genuine: NDArray[np.bool_]
    scores: NDArray[np.float64]

    def rows(self, *columns: Sequence[Any]) -> list[list[Any]]:
        """Give the ids, the label, the scores and further columns, trial by trial."""
        label = self.genuine.astype(int).tolist()
        return [
            list(row) for row in zip(self.claim, self.subject, self.probe, label, *self.scores.T, *columns, strict=True)
        ]


def simulate(seed: int, start: int, *, clients: int = 24, attempts: int = 3, impostors: int = 12) -> Scores:
    """Simulate clients and their attempts on each other; scores of a person, and of a trial, are correlated."""
    rng = np.random.default_rng(seed)
    person = np.arange(clients)
    claim = np.concatenate([np.repeat(person, attempts), np.repeat(person, impostors)])
    other = (person[:, None] + 1 + np.arange(impostors)) % clients
    subject = np.concatenate([np.repeat(person, attempts), other.ravel()])
    genuine = claim == subject
    people = 0.5 * rng.normal(size=(clients, len(SYSTEMS)))
    noise = 0.6 * rng.normal(size=(len(claim), 1)) + 0.8 * rng.normal(size=(len(claim), len(SYSTEMS)))
    scores = np.outer(genuine, _SEPARATION) + noise + people[claim] + np.where(genuine[:, None], 0, people[subject])
    return Scores(
        [f"p{start + k:03d}" for k in claim],
        [f"p{start + k:03d}" for k in subject],
        [f"r{k:04d}" for k in range(len(claim))],
        genuine,
        np.round(scores, 2),
    )


def write_inputs(folder: Path) -> None:
    """Write all files into a folder."""
    dev, test = simulate(1, 0), simulate(2, 100)
    for name, trials in {"dev": dev, "test": test, "same-people": simulate(3, 12)}.items():
        _write_trials(folder, name, trials)
    _write_formats(folder, dev, test)
    _write_oddities(folder, test)
    _write_people(folder)
    _write_counts(folder)
    _write_benchmarks(folder)
    _write_many(folder)
    _write_large(folder / "large-dev.csv", dev)


def _write_trials(folder: Path, name: str, trials: Scores) -> None:
    """Write a set in the main format, with columns of devices and of where people live, and without ids."""
    device = ["phone" if int(probe[1:]) % 3 else "laptop" for probe in trials.probe]
    towns = [
        [("north", "south")[int(person[1:]) % 2] for person in people] for people in (trials.claim, trials.subject)
    ]
    head = ["claim", "subject", "probe", "label", *SYSTEMS]
    _write_table(folder / f"{name}.csv", [*head, "device", "town", "town2"], trials.rows(device, *towns))
    _write_table(folder / f"{name}-bare.csv", head[3:], [row[3:] for row in trials.rows()])


def _write_formats(folder: Path, dev: Scores, test: Scores) -> None:
    """Write the same scores in every format that is read."""
    head = ["claim", "subject", "probe", "label", *SYSTEMS]
    for name, trials in {"dev": dev, "test": test}.items():
        rows = trials.rows()
        _write_table(folder / f"{name}.tsv", head, rows, "\t")
        with gzip.open(folder / f"{name}.csv.gz", "wt", newline="") as file:
            csv.writer(file).writerows([head, *rows])
        bob = [[*row[:3], row[4]] for row in rows]
        _write_lines(folder / f"face-{name}.txt", bob)
        _write_lines(folder / f"voice-{name}.txt", [[*row[:3], row[5]] for row in rows])
        _write_lines(folder / f"five-{name}.txt", [[claim, f"m-{claim}", *rest] for claim, *rest in bob])
        _write_lines(folder / f"trials-{name}.txt", [[row[0], row[2], _word(row[3])] for row in rows])
        _write_lines(folder / f"cosine-{name}.txt", [[row[0], row[2], row[4]] for row in rows])
        (folder / f"lists-{name}").mkdir()
        for word, kind in (("genuine", 1), ("impostor", 0)):
            _write_lines(folder / f"lists-{name}" / f"{word}.txt", [[row[4]] for row in rows if row[3] == kind])
        columns = [list(column) for column in zip(*rows, strict=True)]
        table = pa.table(dict(zip(head, columns, strict=True)))
        pq.write_table(table, folder / f"{name}.parquet")
        (folder / f"parts-{name}").mkdir()
        for k in range(3):
            pq.write_table(table.slice(k * 120, 120), folder / f"parts-{name}" / f"{k}.parquet")
            _write_table(folder / f"part-{name}-{k}.csv", head, rows[k::3])
        np.savez(
            folder / f"{name}.npz",
            scores=trials.scores,
            genuine=trials.genuine,
            systems=np.array(SYSTEMS),
            claim=np.array(trials.claim),
            subject=np.array(trials.subject),
        )
        _write_matrix(folder / f"matrix-{name}.csv", trials)


def _write_matrix(path: Path, trials: Scores) -> None:
    """Write a similarity matrix of the first people: the first score of each pair, or none."""
    people = sorted(set(trials.claim))[:12]
    first: dict[tuple[str, str], float] = {}
    for claim, subject, score in zip(trials.claim, trials.subject, trials.scores[:, 0], strict=True):
        first.setdefault((subject, claim), float(score))
    rows = [[own, *(first.get((own, each), -1.5) for each in people)] for own in people]
    _write_table(path, ["", *people], rows)


def _write_oddities(folder: Path, test: Scores) -> None:
    """Write test scores that need an option to be read."""
    rows = test.rows()
    head = ["claim", "subject", "probe", "label", *SYSTEMS]
    _write_table(folder / "distances.csv", head, [[*row[:4], *(-score for score in row[4:])] for row in rows])
    holes = [[*row[:4], "" if k % 40 == 7 else row[4], *row[5:]] for k, row in enumerate(rows)]
    _write_table(folder / "holes.csv", head, holes)
    kinds = ["unknown" if k % 50 == 3 else _word(row[3]) for k, row in enumerate(rows)]
    own = [[f"x{row[0]}", f"x{row[1]}", kind, row[4], 170 + len(kind)] for row, kind in zip(rows, kinds, strict=True)]
    _write_table(folder / "columns.csv", ["WHO", "REALLY", "KIND", "MARK", "HEIGHT"], own)
    wrong = [[*row[:3], 1 - row[3] if k % 60 == 11 else row[3], *row[4:]] for k, row in enumerate(rows)]
    _write_table(folder / "contradictions.csv", head, wrong)
    recordings = [[f"{row[0]}/s{k % 2}", f"{row[1]}/s{k % 3}", *row[2:]] for k, row in enumerate(rows)]
    _write_table(folder / "recordings.csv", head, recordings)
    long = [[*row[:4], name, row[4 + k]] for row in rows for k, name in enumerate(SYSTEMS)]
    _write_table(folder / "long.csv", [*head[:4], "system", "score"], long)
    _write_lines(folder / "voice-fewer.txt", [[*row[:3], row[5]] for row in rows[4:]])
    (folder / "broken.csv").write_text('claim,subject,label,face\na,a,1,0.5\n"b,a,0\n')
    (folder / "one-class.csv").write_text("label,face\n1,0.5\n1,0.25\n")
    (folder / "perfect.csv").write_text("label,face\n" + "".join(f"{k % 2},{k % 2 + k / 100}\n" for k in range(40)))
    (folder / "broken.ftc").write_bytes(b"not a file of counts")
    (folder / "broken.json").write_text('{"no": "model"}')


def _word(label: int) -> str:
    return "target" if label else "nontarget"


def _write_people(folder: Path) -> None:
    """Write a table of people: sex and age, and one without the right heading."""
    rows = [[f"p{k:03d}", "fm"[k % 2], 20 + 7 * k % 50] for k in range(160)]
    _write_table(folder / "people.csv", ["person", "sex", "age"], rows)
    _write_table(folder / "names.csv", ["name", "sex", "age"], rows)


def _write_counts(folder: Path) -> None:
    """Write tables of errors and attempts, one row per person, and a coverage study."""
    rng = np.random.default_rng(4)
    for name, rate in {"counts-a": 0.08, "counts-b": 0.15, "no-errors": 0.0}.items():
        attempts = rng.integers(3, 9, size=40)
        errors = rng.binomial(attempts, rate * rng.choice([0.2, 1.0, 2.5], size=40))
        rows = [[f"p{k}", int(e), int(m)] for k, (e, m) in enumerate(zip(errors, attempts, strict=True))]
        _write_table(folder / f"{name}.csv", ["id", "errors", "attempts"], rows)
    cells = [[n, m, 0.01, rho, "lbb", 0.8 + m / 100] for n in (100, 200) for m in (2, 5, 8) for rho in (0.1, 0.4)]
    _write_table(folder / "study.csv", ["n", "m", "pi", "rho", "method", "coverage"], cells)


_LAB = """name = "lab"
title = "Our lab"
citation = "We, 2024"
licence = "ours"
never_paired = [["PCA", "DCT"]]

[[set]]
name = "P1"
dev = "dev.csv"
test = "test.csv"
[[set.system]]
name = "eyes"
modality = "face"
feature = "PCA"
column = "face"
[[set.system]]
name = "hand"
modality = "face"
feature = "DCT"
[[set.system]]
name = "voice"
modality = "speech"

[[set]]
name = "P2"
[[set.system]]
name = "near"
modality = "face"
dev = "near-dev.txt"
test = "near-test.txt"
read = { negate = true }
[[set.system]]
name = "heard"
modality = "speech"
dev = "heard-dev.txt"
test = "heard-test.txt"

[[protocol]]
name = "ours"
[[protocol.fusion]]
set = "P1"
systems = ["hand", "voice"]
group = "the pair we sell"
"""
_DEALT = """name = "dealt"

[[set]]
name = "S"
scores = "dev.csv"
[set.split]
repeats = 2
fraction = 0.5
seed = 4
[[set.system]]
name = "face"
modality = "face"
[[set.system]]
name = "voice"
modality = "speech"
"""


def _write_benchmarks(folder: Path) -> None:
    """Write benchmarks of one's own: fixed sets, random splits, and files outside the directory."""
    head = ["claim", "subject", "probe", "label", *SYSTEMS]
    for name, manifest in {"lab": _LAB, "dealt": _DEALT, "outside": _LAB.replace('"dev.csv"', '"../dev.csv"')}.items():
        (folder / name).mkdir()
        (folder / name / "benchmark.toml").write_text(manifest)
        for seed, file in enumerate(("dev", "test")):
            rows = simulate(5 + seed, 100 * seed, clients=14, impostors=9).rows()
            _write_table(folder / name / f"{file}.csv", head, rows)
            _write_lines(folder / name / f"near-{file}.txt", [[*row[:3], -row[4]] for row in rows])
            _write_lines(folder / name / f"heard-{file}.txt", [[*row[:3], row[5]] for row in rows])


def _write_many(folder: Path) -> None:
    """Write more distinct scores than a file of counts keeps at a low precision."""
    for seed, name in enumerate(("many-dev", "many-test"), start=8):
        rng = np.random.default_rng(seed)
        genuine = rng.random(20_000) < 0.2
        scores = np.round(rng.normal(size=20_000) + 2.2 * genuine, 6)
        _write_table(folder / f"{name}.csv", ["label", "face"], zip(genuine.astype(int), scores.tolist(), strict=True))


def _write_large(path: Path, trials: Scores) -> None:
    """Write a few trials in a file that is too large for the least memory: a column of long remarks."""
    rows = trials.rows()
    remark = "x" * (_MARGIN // len(rows))
    _write_table(path, ["claim", "subject", "probe", "label", *SYSTEMS, "remark"], [[*row, remark] for row in rows])


def _write_table(path: Path, head: Iterable[str], rows: Iterable[Iterable[Any]], delimiter: str = ",") -> None:
    with open(path, "w", newline="") as file:
        csv.writer(file, delimiter=delimiter, lineterminator="\n").writerows([list(head), *rows])


def _write_lines(path: Path, rows: Iterable[Iterable[Any]]) -> None:
    path.write_text("".join(" ".join(map(str, row)) + "\n" for row in rows))
