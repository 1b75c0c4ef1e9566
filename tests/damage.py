"""Damage to every kind of file that fairtrial writes and reads again: one error, or the same numbers.

    PYTHONPATH=tests python tests/damage.py --count 10000 --seed 1

damages each kind of file so often, and ends with exit code 1 where anything was misread or not refused as it should.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

import fairtrial as ft
from core.small import TABLE
from fairtrial.formats.columns import read_named
from fairtrial.formats.counter_file import read_part
from fairtrial.formats.opening import open_pieces
from fairtrial.formats.results import write_tables
from fairtrial.formats.sheets import ReadOptions
from fairtrial.repeated.cells import Cell
from fairtrial.repeated.coverage import StudySettings, coverage_study
from fairtrial.repeated.journal import open_journal
from simulated import crossed

Outcome: TypeAlias = Literal["same", "refused", "misread", "crashed"]


@dataclass(frozen=True)
class Kind:
    """A kind of file: how it is read, as something that can be compared, and when that is as before."""

    name: str
    content: bytes
    read: Callable[[Path], Any]
    agrees: Callable[[Any, Any], bool] = lambda found, before: bool(found == before)


@dataclass(frozen=True)
class Case:
    """One damage, with all that is needed to see it again."""

    kind: str
    what: str
    outcome: Outcome
    detail: str
    content: bytes


def _trials() -> ft.Trials:
    trials = crossed(np.random.default_rng(5), clients=8, impostors=6)
    count = len(trials)
    quality = np.random.default_rng(6).random(count)
    ids: dict[str, Any] = dict(trials.ids)
    columns: dict[str, Any] = {"quality": quality, "place": [f"p{k % 3}" for k in range(count)]}
    return ft.Trials.from_arrays(
        trials.scores,
        trials.genuine,
        systems=["face", "voice"],
        probe=[f"x{k}" for k in range(count)],
        columns=columns,
        **ids,
    )


def _as_compared(trials: ft.Trials) -> Any:
    columns = {
        name: c.tolist() if isinstance(c, np.ndarray) else c.decode().tolist() for name, c in trials.columns.items()
    }
    ids = {name: column.decode().tolist() for name, column in trials.ids.items()}
    return trials.systems, trials.scores.tolist(), trials.genuine.tolist(), ids, columns


def _read_trials(path: Path) -> Any:
    return _as_compared(ft.read_trials(path))


def _read_pieces(path: Path) -> Any:
    systems, pieces = open_pieces(path, None, ReadOptions(), 1 << 20)
    return [_as_compared(trials) for piece in pieces for trials, _, _ in piece.trials(systems, everything=True)]


def _read_model(path: Path) -> Any:
    model = ft.fusion.FusionModel.load(path)
    steps = [(step.name, {name: each.tolist() for name, each in step.numbers.items()}) for step in model.steps]
    return model.fusion, model.systems, model.threshold, model.system_thresholds, model.alpha, steps, model.clients


def _read_counts(path: Path) -> Any:
    header, arrays = read_part(path)
    return header, {name: values.tolist() for name, values in arrays.items()}


def _read_table(path: Path) -> Any:
    found = read_named(path, numbers=("trials",), names=("system",), what="one row per system")
    return {name: values.tolist() for name, values in found.items()}


_CELLS = [Cell(30, 2, 0.1, 0.1), Cell(40, 2, 0.1, 0.1), Cell(30, 3, 0.1, 0.2)]
_STUDY = StudySettings(data_sets=20, n_resamples=10)


def _read_journal(path: Path) -> Any:
    with open_journal(path, asdict(_STUDY), _CELLS) as journal:
        return {cell: [row.to_dict() for row in rows] for cell, rows in journal.done.items()}


def _is_part_of(found: Any, before: Any) -> bool:
    """What a journal does not hold any more is computed again."""
    return all(before.get(cell) == rows for cell, rows in found.items())


def written_kinds(folder: Path) -> Iterator[Kind]:
    """Every kind of file that is written and read again, and can tell damage: plain text cannot."""
    trials = _trials()
    for ending in (".parquet", ".npz", ".csv.gz", ".csv.zst", ".tsv.zst", ".txt.gz", ".txt.zst"):
        path = folder / f"scores{ending}"
        ft.write_trials(trials.select(["face"]) if ".txt" in ending else trials, path)
        yield Kind(ending, path.read_bytes(), _read_trials)
    yield Kind("pieces of .parquet", (folder / "scores.parquet").read_bytes(), _read_pieces)
    for ending in (".parquet", ".csv.zst"):
        write_tables([TABLE], folder / f"table{ending}")
        yield Kind(f"table {ending}", (folder / f"table{ending}").read_bytes(), _read_table)
    counter = ft.Counter(trials.systems)
    counter.update(trials)
    counter.save(folder / "counts.ftc")
    yield Kind(".ftc", (folder / "counts.ftc").read_bytes(), _read_counts)
    ft.fuse(trials, trials, fusion="weighted-mean", normalise="z-norm").model.save(folder / "model.json")
    yield Kind("model", (folder / "model.json").read_bytes(), _read_model)
    coverage_study(_CELLS, data_sets=20, n_resamples=10, journal=folder / "study.journal", workers=1)
    yield Kind("journal", (folder / "study.journal").read_bytes(), _read_journal, _is_part_of)


def flipped(content: bytes, bit: int) -> bytes:
    """The same with one bit turned over."""
    place, shift = divmod(bit, 8)
    return content[:place] + bytes([content[place] ^ 1 << shift]) + content[place + 1 :]


def damages(content: bytes, rng: np.random.Generator, count: int) -> Iterator[tuple[str, bytes]]:
    """Flipped bits, half of all; cuts; stretches of zeros, as of a sector that was never written; extra bytes."""
    for _ in range(count):
        way = rng.random()
        place = int(rng.integers(len(content)))
        if way < 0.5:
            bit = 8 * place + int(rng.integers(8))
            yield f"bit {bit} flipped", flipped(content, bit)
        elif way < 0.75:
            yield f"cut to {place} bytes", content[:place]
        elif way < 0.9:
            length = int(rng.integers(1, 65))
            zeros = bytes(min(length, len(content) - place))
            yield f"{len(zeros)} zeros from {place}", content[:place] + zeros + content[place + len(zeros) :]
        else:
            more = rng.bytes(int(rng.integers(1, 17)))
            yield f"{len(more)} bytes put in at {place}", content[:place] + more + content[place:]


def every_damage(content: bytes) -> Iterator[tuple[str, bytes]]:
    """Every bit flipped, one at a time, and every cut."""
    for bit in range(8 * len(content)):
        yield f"bit {bit} flipped", flipped(content, bit)
    for size in range(len(content)):
        yield f"cut to {size} bytes", content[:size]


def outcome_of(kind: Kind, content: bytes, before: Any, path: Path) -> tuple[Outcome, str]:
    """What reading damaged content comes to."""
    path.write_bytes(content)
    try:
        found = kind.read(path)
    except ft.FairtrialError as error:
        return "refused", str(error)
    except Exception as error:
        return "crashed", f"{type(error).__name__}: {error}"
    return ("same", "") if kind.agrees(found, before) else ("misread", "")


def campaign(folder: Path, *, seed: int, count: int | None, only: Sequence[str] = ()) -> Iterator[Case]:
    """Damage each kind of file so often at random; without a count, in every way there is to flip a bit or to cut."""
    for number, kind in enumerate(written_kinds(folder)):
        if only and kind.name not in only:
            continue
        path = folder / f"damaged{kind.name.split()[-1] if '.' in kind.name else ''}"
        path.write_bytes(kind.content)
        before = kind.read(path)
        rng = np.random.default_rng([seed, number])
        for what, content in every_damage(kind.content) if count is None else damages(kind.content, rng, count):
            outcome, detail = outcome_of(kind, content, before, path)
            yield Case(kind.name, what, outcome, detail, content)


def main() -> int:
    """Run a campaign and print what came of it."""
    parser = argparse.ArgumentParser(description="Damage every kind of file that fairtrial writes.")
    parser.add_argument("--count", type=int, default=1000, help="damages per kind of file")
    parser.add_argument("--all", action="store_true", help="every bit and every cut, in place of --count at random")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", action="append", default=[], help="one kind; may be repeated")
    parser.add_argument("--keep", type=Path, help="a folder for what was misread or crashed")
    given = parser.parse_args()
    tally: Counter[tuple[str, Outcome]] = Counter()
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for case in campaign(Path(folder), seed=given.seed, count=None if given.all else given.count, only=given.only):
            tally[case.kind, case.outcome] += 1
            if case.outcome in ("misread", "crashed"):
                bad += 1
                print(f"{case.kind}: {case.what}: {case.outcome} {case.detail}")
                if given.keep is not None:
                    given.keep.mkdir(parents=True, exist_ok=True)
                    (given.keep / f"{bad}-{case.kind.replace(' ', '')}").write_bytes(case.content)
    for kind in dict.fromkeys(name for name, _ in tally):
        print(f"{kind:18}", *(f"{tally[kind, o]:6} {o}" for o in ("refused", "same", "misread", "crashed")))
    print(f"{sum(tally.values())} damages, {bad} misread or crashed")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
