"""Genuine and impostor scores in two files, or each in several parts, told apart by their names (gen... and imp...).

Bare scores, one per line; ``subject claim score [score ...]``, one column per system, as the XM2VTS score-fusion
benchmark has them; or the lines of a bob file, where a probe stands before the score.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fairtrial.core.errors import InputError
from fairtrial.core.trials import ID_FIELDS, IdColumn
from fairtrial.core.words import listed
from fairtrial.formats import headerless
from fairtrial.formats.files import UNNAMED, Head, Progress
from fairtrial.formats.identities import settle
from fairtrial.formats.sheets import ReadOptions, Sheet, columns_of, given_roles, stack
from fairtrial.formats.text import Kind, Layout, is_number, left_out, read_columns

_GENUINE = re.compile(r"gen|genuin[a-z]*|clients?|pos|positives?|targets?|tar|mated")
_IMPOSTOR = re.compile(r"imp|impost[a-z]*|neg|negatives?|nontargets?|non|nonmated")
# words in names of files that say nothing of the system
_PART = {"part", "shard", "chunk", "split", "of", "txt", "csv", "tsv", "dat", "scores", "score", "gz", "zst"}
_PIECE = re.compile(r"\.a[a-z]$")  # the ending that `split` gives to the first pieces of a file: aa, ab, and so on
_LOOKED_AT = 50


def _words(name: str) -> list[str]:
    """Split the name of a file into words, which may begin with capitals."""
    return re.split(r"[^a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower())


def _class_of_name(head: Head) -> str | None:
    """Tell whether a file's name has a word for genuine or one for impostor."""
    words = _words(head.path.name)
    genuine, impostor = (any(word.fullmatch(part) for part in words) for word in (_GENUINE, _IMPOSTOR))
    if genuine == impostor:
        return None
    return "genuine" if genuine else "impostor"


def _system(head: Head) -> str:
    """Give what is left of a file's name without class, numbers and endings: parts of a list differ in these only."""
    words = _words(_PIECE.sub("", head.path.name))
    kept = [word for word in words if word not in _PART and not (_GENUINE.fullmatch(word) or _IMPOSTOR.fullmatch(word))]
    return "-".join(filter(None, kept))


def matches(heads: Sequence[Head]) -> bool:
    """Tell whether files of numbers are named like genuine and like impostor, with parts of both of each system."""
    return _have_classes(_groups(heads)) and all(is_number((head.fields(1) or [[""]])[0][-1]) for head in heads)


def _have_classes(groups: dict[str, list[Head]]) -> bool:
    return all({_class_of_name(head) for head in group} == {"genuine", "impostor"} for group in groups.values())


def _groups(heads: Sequence[Head]) -> dict[str, list[Head]]:
    """Group the files by system, the genuine ones first; two files are of one system."""
    groups: dict[str, list[Head]] = {}
    for head in sorted(heads, key=lambda head: _class_of_name(head) == "impostor"):
        groups.setdefault(_system(head) if len(heads) > 2 else "", []).append(head)
    return groups


def read(heads: Sequence[Head], options: ReadOptions, progress: Progress | None) -> list[Sheet]:
    """Read one sheet per system, each of all its files."""
    groups = _groups(heads)
    if not _have_classes(groups):
        raise InputError(
            "lists of scores are told apart by their names: one with gen or genuine, one with imp or impostor"
        )
    sheets = [_read_one(group, options, progress) for group in groups.values()]
    if len(sheets) == 1:
        return sheets
    return [
        replace(sheet, systems=(name,) if len(sheet.systems) == 1 else tuple(f"{name} {s}" for s in sheet.systems))
        for name, sheet in zip(groups, sheets, strict=True)
    ]


def _read_one(ordered: Sequence[Head], options: ReadOptions, progress: Progress | None) -> Sheet:
    """Read the files of one system, the genuine ones first."""
    names = _columns(ordered, options)
    columns: dict[str, Kind] = {
        name: "text" if name in ID_FIELDS else "skip" if name.startswith("column ") else "score" for name in names
    }
    systems = tuple(name for name, kind in columns.items() if kind == "score")
    layout = Layout(columns, " ", shape=" ".join(names))
    sheets = []
    comments = 0
    for head in ordered:
        read = read_columns(head, layout, progress)
        comments += read.comments
        scores = columns_of([read.columns[system] for system in systems])
        genuine = np.full(len(scores), _class_of_name(head) == "genuine")
        ids: dict[str, IdColumn] = {name: read.columns[name] for name in ID_FIELDS if name in names}
        sheets.append(Sheet(str(head.path), scores, genuine, systems, ids, named=False))
    files = {
        word: listed([head.path.name for head in ordered if _class_of_name(head) == word])
        for word in ("genuine", "impostor")
    }
    sheet = stack(sheets, f"{ordered[0].path} and {files['impostor']}")
    roles = " ".join("score" if name in systems else name for name in names)
    taken = f"{roles}; genuine {files['genuine']}, impostor {files['impostor']}"
    return settle(replace(sheet, taken=(taken, *left_out(comments))), sheet.genuine, options)


def _columns(heads: Sequence[Head], options: ReadOptions) -> tuple[str, ...]:
    """Tell what the columns hold, the scores called by their systems' names."""
    lines = [head.fields(_LOOKED_AT) for head in heads]
    for head, rows in zip(heads, lines, strict=True):
        if not rows:
            raise InputError(f"{head.path}: holds nothing but comments")
    widths = [len(rows[0]) for rows in lines]
    for head, width in zip(heads, widths, strict=True):
        if width != widths[0]:
            raise InputError(f"{heads[0].path} has {widths[0]} columns and {head.path} has {width}")
    width, head = widths[0], heads[0]
    given = given_roles(options, width, str(head.path), (*ID_FIELDS, "score", "other"))
    roles = [given.get(number, "") for number in range(width)]
    if given and ("" in roles or "score" not in roles):
        raise InputError(
            "{path}: has {width} columns; say what each of them holds, not only some, as in {columns!o}",
            path=str(head.path),
            width=width,
            columns={"score": str(len(roles) - roles[::-1].index("") if "" in roles else width)},
        )
    if not given:
        roles = _guess_roles(width, [row for rows in lines for row in rows], head)
    return tuple(headerless.column_names(roles, UNNAMED))


def _guess_roles(width: int, rows: Sequence[Sequence[str]], head: Head) -> list[str]:
    """Give the roles of columns that their number and the first lines tell."""
    if width == 1:
        return ["score"]
    if width == 2:
        raise InputError(
            f"{head.path}: two columns may be an id and a score or two scores; use one column (score) or "
            "at least three (subject claim score ...)"
        )
    before_last = [row[-2] for row in rows if len(row) == width]
    if width in headerless.COLUMNS:
        if not any(is_number(cell) for cell in before_last):
            return list(headerless.COLUMNS[width])
        if all(cell.isdecimal() for cell in before_last):
            raise InputError(
                "{path}: column {number} may hold probes or scores; say what each column holds, in the first case "
                "{columns!o}",
                path=str(head.path),
                number=width - 1,
                columns={role: str(number) for number, role in enumerate(headerless.COLUMNS[width], 1)},
            )
    return ["subject", "claim", *["score"] * (width - 2)]
