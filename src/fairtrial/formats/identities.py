"""Resolve identities in a sheet and turn the sheet into trials."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import InputError, ParameterError, TrialsError
from fairtrial.core.notes import Note, distances_note
from fairtrial.core.trials import ID_FIELDS, Further, IdColumn, Ids, Trials, number_rows, object_array
from fairtrial.core.words import Text, cut, listed, plural
from fairtrial.formats.sheets import PlaceOf, ReadOptions, Sheet, decode_labels, find_attacks, used_labels
from fairtrial.formats.text import ArrowTexts, in_threads, string_buffers

SPACES = " \t\u00a0\u2007\u202f\u3000\ufeff"
"""What may stand around an id without being part of it."""
_FILE = re.compile(r"/|\.[A-Za-z]\w{1,3}$")
SPEAKER = r"^(id\d{5})/"
"""The person in a path of VoxCeleb."""
_KEPT_AS = {"claim": "model", "subject": "probe"}


def settle(
    sheet: Sheet,
    labels: Ids | NDArray[np.bool_] | None,
    options: ReadOptions,
    *,
    whole: bool = True,
    columns: Sequence[str] = (),
) -> Sheet:
    """Decide who takes part in each trial, and whether it is genuine; leave out trials of other labels.

    Parameters
    ----------
    sheet
        The trials with ids as they stand in the file.
    labels
        The labels of all trials, or which are genuine; None where the file does not say.
    options
        What the caller says.
    whole
        Whether the sheet is a whole file; a piece need not have all labels.
    columns
        The names of all columns, for the error where nothing says which trials are genuine.

    Raises
    ------
    InputError
        Labels of no known coding, or of two; a label that was given and does not occur; an id that is empty or in
        which no person is found; labels that contradict the ids; nothing that says which trials are genuine.
    """
    attacks = None
    if isinstance(labels, Ids):
        attacks, used = find_attacks(labels), frozenset[str]() if whole else used_labels(labels)
        labels, keep, left_out = decode_labels(labels, options, sheet.origin, whole=whole)
        sheet = replace(sheet, notes=(*sheet.notes, *left_out), labels=used)
        if keep is not None:
            sheet, attacks = sheet.rows(keep), None if attacks is None else attacks[keep]
    ids = {name: without_spaces(column) for name, column in sheet.ids.items()}
    changed = [name for name, column in ids.items() if column is not sheet.ids[name]]
    notes: tuple[str, ...] = (f"spaces around ids were left out: {', '.join(changed)}",) if changed else ()
    for name, column in ids.items():
        if column.holds(""):
            row = int(np.flatnonzero(column.decode() == "")[0])
            raise InputError(f"{sheet.place(row)}: {name} is empty; every trial needs one")
    further: dict[str, Further] = {}
    if options.person is not None and (labels is not None or not options.key):
        ids, further = _persons(ids, options.person, sheet.place)
        notes += (f"people are what matches {options.person} in the ids",)
    if options.key and labels is None:  # the key says which trials are genuine
        genuine = np.zeros(len(sheet), bool)
    else:
        genuine, more = _genuine(ids, labels, options, sheet, attacks, columns)
        notes += more
    return replace(sheet, ids=ids, genuine=genuine, columns={**sheet.columns, **further}, notes=(*sheet.notes, *notes))


def are_speakers(names: Iterable[str]) -> bool:
    """Tell whether all names are paths of VoxCeleb, which begin with the person."""
    return all(re.match(SPEAKER, name) for name in names)


def without_spaces(column: IdColumn) -> IdColumn:
    """Give the same ids without spaces around them; the column itself if there are none."""
    if isinstance(column, ArrowTexts):
        return column.stripped(SPACES)
    numbered = column.numbered()
    names = [name.strip(SPACES) for name in numbered.names.tolist()]
    return column if names == numbered.names.tolist() else rename_ids(numbered, names)


def rename_ids(column: Ids, names: Sequence[str]) -> Ids:
    """Rename the ids of a column: another name for each name in its table; equal names become one."""
    distinct = list(dict.fromkeys(names))
    place = {name: code for code, name in enumerate(distinct)}
    mapping = np.array([place[name] for name in names], dtype=np.int32)
    return Ids(mapping[column.codes], object_array(distinct))


def _persons(ids: dict[str, IdColumn], pattern: str, place: PlaceOf) -> tuple[dict[str, IdColumn], dict[str, Further]]:
    """People in place of claim and subject ids; where there is no subject, the probe tells. And ids left over."""
    people = {role: ids[role] for role in ("claim", "subject") if role in ids}
    if "subject" not in ids and "probe" in ids:
        people["subject"] = ids["probe"]
    if not people:
        template = "{place}: there is no claim, subject or probe id in which {person!o} could be found"
        raise InputError(template, place=str(place(0)), person=pattern)
    people_and_ids = dict(ids)
    left: dict[str, Further] = {}
    for role, column in people.items():
        numbered = column.numbered()
        names = _search(pattern, numbered.names.tolist())
        nobody = np.array([not name for name in names], dtype=bool)[numbered.codes]
        if nobody.any():
            row = int(np.argmax(nobody))
            template = (
                "{place}: {person!o} finds nobody in the {role} {name:quoted}; give a regular expression that matches "
                "every id"
            )
            raise InputError(template, place=str(place(row)), person=pattern, role=role, name=column.name(row))
        people_and_ids[role] = rename_ids(numbered, names)
        if role not in ids:
            continue
        if _KEPT_AS[role] not in ids:
            people_and_ids[_KEPT_AS[role]] = column
        else:
            left[f"{role}_id"] = column
    return {name: people_and_ids[name] for name in ID_FIELDS if name in people_and_ids}, left


_SEARCHED_AT_ONCE = 100_000
_SECONDS = 10.0
_SEARCH = """
import json, re, signal, sys
seconds, pattern, names = json.load(sys.stdin)
if hasattr(signal, "alarm"):
    signal.alarm(seconds)  # ends the search even if nobody waits for it any more
search = re.compile(pattern).search
matches = map(search, names)
json.dump(["" if match is None else match[1 if match.re.groups else 0] or "" for match in matches], sys.stdout)
"""


def _search(pattern: str, names: Sequence[str]) -> list[str]:
    """Find the first group of a pattern, or all that it matches, in each name; empty if there is no match.

    Python cannot interrupt a search, and some patterns take time that is exponential in the length of a name, so it
    runs in a process of its own, with a time limit.
    """
    matches: list[str] = []
    for start in range(0, len(names), _SEARCHED_AT_ONCE):
        asked = json.dumps([ceil(_SECONDS) + 1, pattern, list(names[start : start + _SEARCHED_AT_ONCE])])
        try:
            done = subprocess.run(
                [sys.executable, "-I", "-S", "-c", _SEARCH],
                input=asked,
                capture_output=True,
                text=True,
                check=True,
                timeout=_SECONDS,
            )
        except subprocess.TimeoutExpired as error:
            template = "{person!o} needs more than {seconds:g} seconds for the ids; write it without nested repetition"
            raise ParameterError(template, code="slow-pattern", person=pattern, seconds=_SECONDS) from error
        except subprocess.CalledProcessError as error:
            raise ParameterError(
                "{person!o} cannot be applied to the ids", code="failed-pattern", person=pattern
            ) from error
        matches += json.loads(done.stdout)
    return matches


def _genuine(
    ids: dict[str, IdColumn],
    labels: NDArray[np.bool_] | None,
    options: ReadOptions,
    sheet: Sheet,
    attacks: NDArray[np.bool_] | None,
    columns: Sequence[str],
) -> tuple[NDArray[np.bool_], tuple[str, ...]]:
    """Tell which trials are genuine: what the label says, and the ids where there is none; they must not contradict."""
    has_people = "claim" in ids and "subject" in ids
    if not has_people and (labels is None or options.genuine_by == "ids"):
        numbers = {name: c if isinstance(c, np.ndarray) else c.numbered().codes for name, c in sheet.columns.items()}
        raise InputError(
            "{origin}: nothing says which trials are genuine: it needs {wanted}{names}; name them, as in {columns!o}",
            origin=sheet.origin,
            wanted="a label column, or claim and subject" if labels is None else "claim and subject",
            names=f"; its columns are {listed(columns)}" if columns else "",
            columns={"label": next((name for name, column in numbers.items() if len(np.unique(column)) == 2), "NAME")},
        )
    if labels is None:
        if options.genuine_by == "label":
            template = (
                "{origin}: has no labels, as {genuine_by!o} asks; leave that out, or name the column, as in {columns!o}"
            )
            raise InputError(template, origin=sheet.origin, genuine_by="label", columns={"label": "NAME"})
        return ids["claim"].equals(ids["subject"]), ()
    if not has_people:
        return labels, ()
    same = ids["claim"].equals(ids["subject"])
    wrong = labels != same
    if options.genuine_by == "ids":
        return same, (f"genuine where claim = subject; {plural(int(wrong.sum()), 'label')} overruled",)
    if attacks is not None:
        wrong &= ~attacks
    if not wrong.any():
        return labels, ()
    claims, subjects = (set(used_labels(ids[name].numbered())) for name in ("claim", "subject"))
    if claims.isdisjoint(subjects):  # they are named in different ways
        return labels, ()
    if options.genuine_by == "label":
        return labels, (f"{plural(int(wrong.sum()), 'label')} contradict claim and subject; the labels count",)
    first, *others = rows = np.flatnonzero(wrong).tolist()
    place, claim, subject = sheet.place(first), ids["claim"].name(first), ids["subject"].name(first)
    more = [sheet.place(row).beside(place) for row in others[:5]]
    also = f", as in row{'s' if len(others) > 1 else ''} {', '.join(more)}" if more else ""
    raise InputError(
        "{place}: the label says {label}, but the claim is {claim} and the subject {subject}{also}; correct them, or "
        "say what counts: {by_label} or {by_ids}{person}",
        place=str(place),
        label="genuine" if labels[first] else "impostor",
        claim=cut(claim),
        subject=cut(subject),
        also=also + (f" and {len(rows) - 6:,} more" if len(rows) > 6 else ""),
        by_label=Text("{genuine_by!o}", genuine_by="label"),
        by_ids=Text("{genuine_by!o}", genuine_by="ids"),
        person=Text(
            "; if ids are files, say how to find the person in them, as in {example}",
            example=person_example(claim, subject),
        )
        if is_file(claim) or is_file(subject)
        else "",
    )


def is_file(name: str) -> bool:
    """Tell whether an id looks like a file."""
    return _FILE.search(name) is not None


def person_example(*names: str) -> Text:
    """Give an example of the option that finds people in the names of files."""
    return Text("{person!o}", person="^[^/]+" if any("/" in name for name in names) else "^[^_.-]+")


def check_repeated(sheet: Sheet) -> tuple[str, ...]:
    """Note trials that come more than once; raise an error if their labels contradict each other.

    A trial is known by its ids, and only where it has a probe that tells trials apart.
    """
    probe = sheet.ids.get("probe")
    if probe is None or len(sheet) < 2:
        return ()
    few = {probe.name(row) for row in (0, len(sheet) // 2, len(sheet) - 1)}
    if len(few) == 1 and len(np.unique(probe.numbered().codes)) == 1:  # such as x for what is not known
        return ()
    columns = [column for name in ID_FIELDS if (column := sheet.ids.get(name)) is not None]
    # a subject hardly ever tells apart what its probe does not
    rows = _suspects([sheet.ids[name] for name in ("claim", "model", "probe") if name in sheet.ids], probe)
    if not len(rows):
        return ()
    keys = number_rows([column[rows].numbered().codes for column in columns])
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    before = rows[first[inverse]]
    again = np.flatnonzero(before != rows)
    if not len(again):
        return ()
    wrong = again[sheet.genuine[rows[again]] != sheet.genuine[before[again]]]
    example = int(wrong[0] if len(wrong) else again[0])
    row, earlier = int(rows[example]), int(before[example])
    ids = ", ".join(cut(column.name(row)) for column in columns)
    if len(wrong):
        raise TrialsError(
            f"{sheet.place(row)}: the same trial as in row {sheet.place(earlier).row} ({ids}), but "
            "one is genuine and one is not; correct the labels"
        )
    return (f"{plural(len(again), 'trial')} came before with the same ids, and count again (such as {ids})",)


def _suspects(columns: Sequence[IdColumn], probe: IdColumn) -> NDArray[np.int64]:
    """Give rows that may be repeated, in order: those whose keys, equal for equal ids, are shared.

    Probes alone often tell trials apart. Keys have the last bytes of long texts; if many rows are left, earlier ones.
    """
    keys = _keys([probe], 0)
    shared = _shared(keys)
    if len(shared) >= _FEW_SUSPECTS:  # probes come again in other trials
        keys = _keys(columns, 0)
        shared = _shared(keys)
    rows = _sharing(keys, shared)
    for skipped in (8, 16, 24, 32, 40):
        if len(rows) < _FEW_SUSPECTS:
            break
        keys = _keys([column[rows] for column in columns], skipped)
        rows = rows[_sharing(keys, _shared(keys))]
    return rows


def _keys(columns: Sequence[IdColumn], skipped: int) -> NDArray[np.uint32]:
    """Give a number for each trial, of its ids' numbers and of 8 bytes of its texts."""

    def keys_of(start: int) -> NDArray[np.uint32]:
        keys = np.zeros(min(_BLOCK, len(columns[0]) - start), dtype=np.uint64)
        for column, factor in zip(columns, _FACTORS, strict=False):
            if isinstance(column, ArrowTexts):
                chunks = [chunk for chunk in column.texts.slice(start, _BLOCK).chunks if len(chunk)]
                numbers = np.concatenate([_bytes_before_end(*string_buffers(chunk), skipped) for chunk in chunks])
                numbers ^= numbers >> np.uint64(31)
            else:
                numbers = column.numbered().codes[start : start + _BLOCK].astype(np.uint64)
            keys += factor * numbers
        return (keys >> np.uint64(32)).astype(np.uint32)

    return np.concatenate(in_threads(keys_of, range(0, len(columns[0]), _BLOCK)))


_BLOCK = 1 << 17  # rows that a thread works on at once
_ODD = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0xD6E8FEB86659FD93)
_FACTORS = tuple(np.uint64(odd) for odd in _ODD)
_FEW_SUSPECTS = 20_000


def _shared(keys: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Give the keys that more than one row has."""
    ordered = np.sort(keys)
    again: NDArray[np.uint32] = ordered[1:][ordered[1:] == ordered[:-1]]
    return again


def _sharing(keys: NDArray[np.uint32], shared: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Give the rows whose key is shared."""
    if not len(shared):
        return np.zeros(0, dtype=np.int64)
    near = np.zeros(1 << 16, dtype=bool)
    near[shared >> np.uint32(16)] = True
    rows = np.flatnonzero(near[keys >> np.uint32(16)])
    return rows[np.isin(keys[rows], shared)]


def _bytes_before_end(offsets: NDArray[np.int32], data: NDArray[np.uint8], skipped: int) -> NDArray[np.uint64]:
    """Read the eight bytes of each text that end `skipped` bytes before its end; fewer if it is shorter."""
    begin, end = int(offsets[0]), int(offsets[-1])
    padded = np.concatenate([np.zeros(skipped + 8, np.uint8), data[begin:end]])
    windows = np.ndarray(len(padded) - 7, np.dtype("<u8"), padded.data, strides=(1,))
    numbers = np.asarray(windows[offsets[1:] - np.int32(begin)], dtype=np.uint64)
    lengths = np.diff(offsets) - skipped
    if lengths.min() < 8:
        shifts = (8 * (8 - np.clip(lengths, 1, 8))).astype(np.uint64)
        numbers = np.where(lengths > 0, numbers >> shifts, np.uint64(0))
    return numbers


def as_options(options: dict[str, Any]) -> ReadOptions:
    """Keyword arguments of a reading function as options."""
    try:
        return ReadOptions(**options)
    except TypeError as error:
        raise ParameterError(f"no such option of reading: {error}") from error


def note_format(sheet: Sheet, format: str) -> Sheet:
    """Add the line that says as which format a sheet was read, and what was taken for what."""
    return replace(sheet, taken=(f"read as {format}: {'; '.join(sheet.taken)}",))


def finish_checked(sheet: Sheet, options: ReadOptions) -> Trials:
    """Make the trials of a whole set; raise an error if labels contradict each other, or no trial is left."""
    trials = finish(sheet, options, check_repeated(sheet))
    if not len(trials):
        raise TrialsError(f"{sheet.origin}: no trial with a score is left")
    return trials


def finish(sheet: Sheet, options: ReadOptions, more: Sequence[str] = ()) -> Trials:
    """Make the trials of a sheet, with what was taken for what, its notes and more of them."""
    notes = [*(Note("read-as", "{text}", detail=True, text=line) for line in sheet.taken), *sheet.notes]
    systems = options.chosen(sheet.systems, sheet.origin)
    scores = sheet.scores
    if systems != sheet.systems:
        place = {name: k for k, name in enumerate(sheet.systems)}
        scores = np.asfortranarray(scores[:, [place[name] for name in systems]])
    negated = options.negate if isinstance(options.negate, tuple) else systems if options.negate else ()
    if negated:
        # before missing scores become rejections, which a sign would turn into acceptances
        signs = [-1 if name in negated else 1 for name in systems]
        scores = scores * np.array(signs, dtype=scores.dtype)
        notes.append(distances_note(negated))
    notes += more
    ids: dict[str, Any] = dict(sheet.ids)
    return Trials.from_arrays(
        scores, sheet.genuine, systems=systems, nan=options.nan, notes=notes, columns=sheet.columns, **ids
    )
