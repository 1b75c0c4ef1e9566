"""A trial list and one or several score lists, as Kaldi and VoxCeleb have them.

    enrol test target|nontarget        or        0|1 enrol test            the trial list, named first
    enrol test score                   or        score                     one score list per system

A list of bare scores is in the order of the trial list. Paths that begin with a VoxCeleb speaker
(id10270/...) tell claim and subject.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from fairtrial.errors import InputError
from fairtrial.formats.alignment import align
from fairtrial.formats.files import Head, Progress, system_name
from fairtrial.formats.sheets import ReadOptions, Sheet, decode_labels
from fairtrial.formats.text import Kind, Layout, is_number, read_columns, split_spaces
from fairtrial.trials import IdColumn, Ids, object_array

_WORDS = {"target", "nontarget", "non-target", "0", "1", "true", "false"}
_SPEAKER = re.compile(r"^(id\d{5})/")


def _trial_columns(head: Head) -> tuple[str, ...] | None:
    lines = [split_spaces(line) for line in head.lines(20)] if head.is_text else []
    if not lines or any(len(line) != 3 for line in lines):
        return None
    if all(line[2].lower() in _WORDS for line in lines) and not all(line[0] in "01" for line in lines):
        return ("claim", "probe", "label")
    if all(line[0].lower() in _WORDS for line in lines):
        return ("label", "claim", "probe")
    return None


def _score_columns(head: Head) -> tuple[str, ...] | None:
    lines = [split_spaces(line) for line in head.lines(1)] if head.is_text else []
    if not lines or len(lines[0]) not in (1, 3) or not is_number(lines[0][-1]):
        return None
    return ("score",) if len(lines[0]) == 1 else ("claim", "probe", "score")


def matches(heads: Sequence[Head]) -> bool:
    """Whether a trial list comes first and score lists follow."""
    return (
        len(heads) > 1
        and _trial_columns(heads[0]) is not None
        and all(_score_columns(head) is not None for head in heads[1:])
    )


def read(heads: Sequence[Head], options: ReadOptions, progress: Progress | None) -> list[Sheet]:
    """One sheet with one system per score list."""
    order = _trial_columns(heads[0])
    if order is None or len(heads) < 2:
        raise InputError("name the trial list (enrol test target|nontarget) first and a score list after it")
    listed = _columns(heads[0], order, progress)
    labels: Ids = listed.pop("label")
    genuine, keep, notes = decode_labels(labels.names.tolist(), labels.codes, options, str(heads[0].path))
    if keep is not None:
        raise InputError(f"{heads[0].path}: a trial list has two labels only")
    trials = Sheet(str(heads[0].path), np.empty((len(genuine), 0)), genuine, (), listed, notes)
    sheets = [trials, *(_scores(head, trials, progress).checked(options) for head in heads[1:])]
    scored = align([sheets[0], *(_labelled(sheet, trials) for sheet in sheets[1:])], common=options.common)
    return [_with_speakers(scored)]


def _columns(head: Head, names: tuple[str, ...], progress: Progress | None) -> dict[str, Any]:
    kinds: dict[str, Kind] = {"claim": "id", "probe": "id", "label": "id", "score": "score"}
    return read_columns(head, Layout(names, tuple(kinds[name] for name in names), " ", shape=" ".join(names)), progress)


def _scores(head: Head, trials: Sheet, progress: Progress | None) -> Sheet:
    names = _score_columns(head)
    if names is None:
        raise InputError(f"{head.path}: is not a score list, whose lines hold a score, or enrol, test and score")
    columns = _columns(head, names, progress)
    scores = columns.pop("score")
    if names == ("score",):
        if len(scores) != len(trials):
            raise InputError(f"{head.path}: has {len(scores):,} scores, but {trials.origin} has {len(trials):,} trials")
        columns = dict(trials.ids)
    return Sheet(
        str(head.path), scores[:, None], np.zeros(len(scores), dtype=bool), (system_name(head),), columns, named=False
    )


def _labelled(sheet: Sheet, trials: Sheet) -> Sheet:
    """A score list with the labels of the trial list, so far as it has them; the rest does not matter."""
    names = [trials.ids[name].decode().tolist() for name in ("claim", "probe")]
    tables = dict(zip(zip(*names, strict=True), trials.genuine.tolist(), strict=True))
    own = zip(*(sheet.ids[name].decode().tolist() for name in ("claim", "probe")), strict=True)
    genuine = np.array([tables.get(pair, False) for pair in own], dtype=bool)
    return replace(sheet, genuine=genuine)


def _with_speakers(sheet: Sheet) -> Sheet:
    enrol, test = (sheet.ids[name].numbered() for name in ("claim", "probe"))
    found = [[_SPEAKER.match(name) for name in column.names.tolist()] for column in (enrol, test)]
    if not all(match for column in found for match in column):
        return sheet
    speakers = [
        _map(column, [match.group(1) for match in matches if match])
        for column, matches in zip((enrol, test), found, strict=True)
    ]
    ids: dict[str, IdColumn] = {"claim": speakers[0], "subject": speakers[1], "model": enrol, "probe": test}
    return replace(sheet, ids=ids)


def _map(column: Ids, names: Sequence[str]) -> Ids:
    distinct = list(dict.fromkeys(names))
    place = {name: code for code, name in enumerate(distinct)}
    mapping = np.array([place[name] for name in names], dtype=np.int32)
    return Ids(mapping[column.codes], object_array(distinct))
