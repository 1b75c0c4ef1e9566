"""Genuine and impostor scores in two files, told apart by their names (gen... and imp...).

Bare scores, one per line; or ``subject claim score [score ...]``, one column per system, as the XM2VTS
score-fusion benchmark has them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from fairtrial.errors import InputError
from fairtrial.formats.files import UNNAMED, Head, Progress
from fairtrial.formats.sheets import ReadOptions, Sheet, check_missing, columns_of, row_of
from fairtrial.formats.text import Kind, Layout, is_number, read_columns, split_spaces
from fairtrial.trials import IdColumn, Ids

_GENUINE = {
    "gen",
    "genuine",
    "genuines",
    "client",
    "clients",
    "pos",
    "positive",
    "positives",
    "target",
    "targets",
    "mated",
    "tar",
}
_IMPOSTOR = {
    "imp",
    "impostor",
    "impostors",
    "neg",
    "negative",
    "negatives",
    "nontarget",
    "nontargets",
    "nonmated",
    "non",
}


def _says(head: Head) -> str | None:
    words = set(re.split(r"[^a-z]+", head.path.name.lower()))
    genuine, impostor = bool(words & _GENUINE), bool(words & _IMPOSTOR)
    if genuine == impostor:
        return None
    return "genuine" if genuine else "impostor"


def matches(heads: Sequence[Head]) -> bool:
    """Whether there are two files, one named like genuine and one like impostor, of numbers."""
    if len(heads) != 2 or {_says(head) for head in heads} != {"genuine", "impostor"}:
        return False
    return all(head.is_text and _ends_in_number(head) for head in heads)


def _ends_in_number(head: Head) -> bool:
    lines = head.lines(1)
    return bool(lines) and is_number(split_spaces(lines[0])[-1])


def read(heads: Sequence[Head], options: ReadOptions, progress: Progress | None) -> list[Sheet]:
    """One sheet of both files."""
    said = {_says(head): head for head in heads}
    if len(heads) != 2 or set(said) != {"genuine", "impostor"}:
        raise InputError(
            "two lists of scores are told apart by their names: one with gen or genuine, one with imp or impostor"
        )
    ordered = [said["genuine"], said["impostor"]]
    for head in ordered:
        if not head.lines(1):
            raise InputError(f"{head.path}: holds nothing but comments")
    widths = [len(split_spaces(head.lines(1)[0])) for head in ordered]
    if widths[0] != widths[1]:
        raise InputError(f"{ordered[0].path} has {widths[0]} columns and {ordered[1].path} has {widths[1]}")
    if widths[0] == 2:
        raise InputError(
            f"{ordered[0].path}: two columns may be an id and a score or two scores; use one column (score) or "
            "at least three (subject claim score ...)"
        )
    count = 1 if widths[0] == 1 else widths[0] - 2
    systems = tuple(f"system {k + 1}" for k in range(count)) if count > 1 else (UNNAMED,)
    kinds: list[Kind] = ["score"] * count
    layout = Layout(systems, tuple(kinds), " ", shape="score")
    if widths[0] > 1:
        layout = Layout(("subject", "claim", *systems), ("id", "id", *kinds), " ", shape="subject claim score ...")
    parts = [read_columns(head, layout, progress) for head in ordered]
    for head, part in zip(ordered, parts, strict=True):
        for system in systems:
            if options.wants(system):
                check_missing(part[system], options.nan, row_of(str(head.path)), f"the score of {system}")
    lengths = [len(part[systems[0]]) for part in parts]
    scores = columns_of([np.concatenate([part[system] for part in parts]) for system in systems])
    genuine = np.repeat([True, False], lengths)
    ids: dict[str, IdColumn] = {}
    if widths[0] > 1:
        ids = {name: Ids.concat([part[name] for part in parts]) for name in ("claim", "subject")}
    origin = f"{ordered[0].path} and {ordered[1].path.name}"
    return [Sheet(origin, scores, genuine, systems, ids, named=False)]
