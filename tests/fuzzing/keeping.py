"""Failures: made smaller, and kept with the seed that repeats them."""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from fuzzing.cases import Case, Target, lay_out
from fuzzing.watching import Complaint


@dataclass(frozen=True, slots=True)
class Failure:
    """A case that did not end as it should."""

    seed: str
    complaint: Complaint
    smallest: Case | None = None


def minimise(target: Target, case: Case, complaint: Complaint, folder: Path, *, seconds: float = 10.0) -> Case:
    """A smaller case with the same fault, as small as is found in so many seconds."""
    end = time.monotonic() + seconds
    smaller = True
    while smaller:
        smaller = False
        for tried in _smaller(case):
            if time.monotonic() > end:
                return case
            found = target.run(tried, folder).complaint
            if found is not None and found.fault == complaint.fault:
                case, smaller = tried, True
                break
    return case


def _smaller(case: Case) -> Iterator[Case]:
    """The same with a word less, or with a part of the lines of a file less: halves first, single lines last."""
    for place in range(len(case.words)):
        for length in (2, 1):
            if place + length <= len(case.words):
                yield replace(case, words=case.words[:place] + case.words[place + length :])
    for name, data in case.files.items():
        lines = data.splitlines(keepends=True)
        length = len(lines) // 2
        while length:
            for start in range(0, len(lines), length):
                yield replace(case, files=case.files | {name: b"".join(lines[:start] + lines[start + length :])})
            length //= 2


def keep(failure: Failure, folder: Path) -> Path:
    """Write the files of a failure into a folder of its own, and what to do with them."""
    place = folder / failure.seed.replace("/", "-")
    place.mkdir(parents=True, exist_ok=True)
    lines = [f"seed: {failure.seed}", f"fault: {failure.complaint}"]
    if failure.smallest is not None:
        lay_out(failure.smallest.files, place)
        words = shlex.join(failure.smallest.words).encode("utf-8", "backslashreplace").decode()
        lines += [f"words: {words}", f"damage: {failure.smallest.damage}"]
    lines += [f"again: make fuzz AGAIN={failure.seed}", "", failure.complaint.trace]
    (place / "FAILURE.txt").write_text("\n".join(lines), encoding="utf-8", errors="backslashreplace")
    return place
