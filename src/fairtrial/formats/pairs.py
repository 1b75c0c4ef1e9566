"""A trial list and one or several score lists, as Kaldi and VoxCeleb have them.

    enrol test target|nontarget        or        0|1 enrol test            the trial list, named first
    enrol test score                   or        score                     one score list per system

A list of bare scores is in the order of the trial list. Paths that begin with a VoxCeleb speaker
(id10270/...) tell claim and subject; in other ids `person` finds them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fairtrial.core.errors import InputError
from fairtrial.core.trials import Ids
from fairtrial.formats.alignment import align
from fairtrial.formats.files import Head, Progress, system_name
from fairtrial.formats.identities import SPEAKER, are_speakers, settle
from fairtrial.formats.sheets import ReadOptions, Sheet, decode_labels, given_roles
from fairtrial.formats.text import Kind, Layout, TextColumns, is_number, left_out, read_columns

_WORDS = {"target", "nontarget", "non-target", "true", "false"}
_NUMBERS = {"0", "1"}
_LAST, _FIRST = ("claim", "probe", "label"), ("label", "claim", "probe")


def _trial_columns(head: Head, count: int = 20) -> tuple[tuple[str, ...], ...]:
    """Give the ways in which a trial list may be read, by its first lines: none, one, or two."""
    lines = head.fields(count)
    if not lines or any(len(line) != 3 for line in lines):
        return ()
    first, last = ({line[k].lower() for line in lines} for k in (0, 2))
    for words in (_WORDS, _NUMBERS):  # where one column has words, the other has ids that happen to be 0 and 1
        orders = [order for order, cells in ((_LAST, last), (_FIRST, first)) if cells <= words]
        if orders:
            return tuple(orders)
    return ()


def _order(head: Head, options: ReadOptions) -> tuple[str, ...] | None:
    """Tell what the columns of a trial list hold, by what the caller says or as the lines tell."""
    given = given_roles(options, 3, str(head.path), ("label",))
    if 1 in given:
        raise InputError(f"{head.path}: the label of a trial list is in column 1 or in column 3, not in 2")
    if given:
        return _FIRST if 0 in given else _LAST
    ways = _trial_columns(head)
    if len(ways) > 1 and len(ways := _trial_columns(head, 10_000) or ways) > 1:
        raise InputError(
            "{path}: the labels may be in column 1 or in column 3; say which, as in {columns!o}",
            path=head.path,
            columns={"label": "3"},
        )
    return ways[0] if ways else None


def score_columns(head: Head) -> tuple[str, ...] | None:
    """Tell what the columns of a score list hold; None if it is not one."""
    lines = head.fields(1)
    if not lines or len(lines[0]) not in (1, 3) or not is_number(lines[0][-1]):
        return None
    return ("score",) if len(lines[0]) == 1 else ("claim", "probe", "score")


def matches(heads: Sequence[Head]) -> bool:
    """Tell whether a trial list comes first and score lists follow."""
    return (
        len(heads) > 1 and bool(_trial_columns(heads[0])) and all(score_columns(head) is not None for head in heads[1:])
    )


def read(heads: Sequence[Head], options: ReadOptions, progress: Progress | None) -> list[Sheet]:
    """Read one sheet with one system per score list."""
    order = _order(heads[0], options) if heads else None
    if order is None or len(heads) < 2:
        raise InputError("name the trial list (enrol test target|nontarget) first and a score list after it")
    listed = _columns(heads[0], order, progress)
    labels: Ids = listed.columns["label"].numbered()
    origin = str(heads[0].path)
    genuine, keep, notes = decode_labels(labels, options, origin)
    if keep is not None:
        raise InputError(f"{heads[0].path}: a trial list has two labels only")
    ids = {name: listed.columns[name] for name in ("claim", "probe")}
    trials = Sheet(origin, np.empty((len(genuine), 0)), genuine, (), ids, notes, taken=left_out(listed.comments))
    sheets = [trials, *(_scores(head, trials, progress).checked(options) for head in heads[1:])]
    scored = align(sheets, common=options.common, labelled=False)
    names = [name for column in scored.ids.values() for name in column.numbered().names.tolist()]
    if options.person is None and are_speakers(names):
        options = replace(options, person=SPEAKER)
    words = " ".join({"claim": "enrol", "probe": "test"}.get(name, name) for name in order)
    return [settle(replace(scored, taken=(f"trial list {words}", *scored.taken)), scored.genuine, options)]


def _columns(head: Head, names: tuple[str, ...], progress: Progress | None) -> TextColumns:
    kinds: dict[str, Kind] = {name: "score" if name == "score" else "text" for name in names}
    return read_columns(head, Layout(kinds, " ", shape=" ".join(names)), progress)


def _scores(head: Head, trials: Sheet, progress: Progress | None) -> Sheet:
    names = score_columns(head)
    if names is None:
        raise InputError(f"{head.path}: is not a score list, whose lines hold a score, or enrol, test and score")
    read = _columns(head, names, progress)
    scores = read.columns["score"]
    if names == ("score",):
        if len(scores) != len(trials):
            raise InputError(f"{head.path}: has {len(scores):,} scores, but {trials.origin} has {len(trials):,} trials")
        ids = dict(trials.ids)
    else:
        ids = {name: read.columns[name] for name in ("claim", "probe")}
    return Sheet(
        str(head.path),
        scores[:, None],
        np.zeros(len(scores), dtype=bool),
        (system_name(head.path),),
        ids,
        named=False,
        taken=left_out(read.comments),
    )
