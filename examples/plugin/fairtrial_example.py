"""What another package can add to fairtrial, one of each kind; pyproject.toml says it by entry points."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fairtrial import Criterion, ErrorCounts, InputError, Measure, Trials
from fairtrial.benchmark import Benchmark, BenchmarkSet, SystemInfo
from fairtrial.core.trials import Ids
from fairtrial.formats import Format, ReadOptions
from fairtrial.formats.files import Head, Progress
from fairtrial.formats.sheets import Sheet
from fairtrial.fusion import Fitted, FusionData, FusionMethod


def matches(heads: Sequence[Head]) -> bool:
    """Whether each file has one JSON object per line."""
    return all(line.startswith("{") for head in heads for line in head.lines(1))


def read(heads: Sequence[Head], options: ReadOptions, progress: Progress | None) -> list[Sheet]:
    """One sheet per file, of ``{"claim": ..., "subject": ..., "score": ...}`` on each line."""
    return [_sheet(head).checked(options) for head in heads]


def _sheet(head: Head) -> Sheet:
    rows = []
    with head.open() as stream:
        for number, line in enumerate(stream.read(1 << 30).decode().splitlines(), 1):
            try:
                found = json.loads(line)
                rows.append((str(found["claim"]), str(found["subject"]), float(found["score"])))
            except (ValueError, KeyError, TypeError) as error:
                raise InputError(f"{head.path}, line {number}: expected claim, subject and score ({error})") from error
    claim, subject, scores = zip(*rows, strict=True)
    genuine = np.array([c == s for c, s in zip(claim, subject, strict=True)])
    ids: dict[str, Any] = {"claim": Ids.of(list(claim)), "subject": Ids.of(list(subject))}
    return Sheet(str(head.path), np.array(scores)[:, None], genuine, (head.stem,), ids, named=False, taken=("JSON",))


def write(trials: Trials, place: Path, target: Path) -> tuple[str, ...]:
    """Write claim, subject and the score of one system."""
    assert trials.claim is not None
    assert trials.subject is not None
    columns = (trials.claim.decode(), trials.subject.decode(), trials.column())
    lines = [json.dumps({"claim": c, "subject": s, "score": float(x)}) for c, s, x in zip(*columns, strict=True)]
    place.write_text("\n".join(lines) + "\n")
    return ()


JSONL = Format("jsonl", "one JSON object per line", matches, read, write, (".jsonl",))


def _lost(counts: ErrorCounts, alpha: Any) -> Any:
    return counts.far + counts.frr  # 1 - J


YOUDEN = Criterion("youden", _lost, search="hull", exact=True, summary="greatest J = 1 - FAR - FRR (Youden 1950)")


def _mcc(counts: ErrorCounts, alpha: Any) -> Any:
    accepted, rejected = counts.genuine - counts.false_rejects, counts.impostor - counts.false_accepts
    product = accepted * rejected - counts.false_accepts * counts.false_rejects
    sides = (accepted + counts.false_accepts) * (rejected + counts.false_rejects) * counts.genuine * counts.impostor
    return np.where(sides > 0, product / np.sqrt(np.maximum(sides, 1.0)), 0.0)


MCC = Measure("mcc", _mcc, "MCC", higher_is_better=True, is_share=False, summary="Matthews correlation coefficient")


def _fit_geometric(data: FusionData) -> Fitted:
    if data.scores.min() <= 0:
        raise InputError("the geometric mean needs scores above 0; normalise them first with min-max or tanh")
    return Fitted(lambda scores, claim: np.exp(np.log(scores).mean(axis=1)))


GEOMETRIC = FusionMethod("geometric", _fit_geometric, "the geometric mean of scores above 0")


def leave_one_modality_out(one: BenchmarkSet, benchmark: Benchmark) -> Iterator[tuple[str, Sequence[SystemInfo]]]:
    """All systems but those of one modality, for each modality."""
    for modality in dict.fromkeys(system.modality for system in one.systems):
        others = [system for system in one.systems if system.modality != modality]
        if len(others) > 1:
            yield f"without {modality}", others
