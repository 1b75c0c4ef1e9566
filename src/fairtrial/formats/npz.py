"""NumPy archives: ``scores`` (trials x systems) and ``genuine``, with ids and system names where known;
or two arrays ``genuine`` and ``impostor`` of scores."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fairtrial.errors import InputError, listed, shown
from fairtrial.formats.files import Head, Progress, system_name
from fairtrial.formats.sheets import ReadOptions, Sheet, columns_of, decode_labels
from fairtrial.tables import plural
from fairtrial.trials import ID_FIELDS, IdColumn, Ids, Trials


def matches(heads: Sequence[Head]) -> bool:
    """Whether each file is a zip archive."""
    return all(head.data.startswith(b"PK\x03\x04") for head in heads)


def read(heads: Sequence[Head], options: ReadOptions, progress: Progress | None) -> list[Sheet]:
    """One sheet per file."""
    return [_read_one(head, options) for head in heads]


def _read_one(head: Head, options: ReadOptions) -> Sheet:
    try:
        with open(head.path, "rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays: dict[str, Any] = {name: archive[name] for name in archive.files}
    except Exception as error:  # a damaged archive may raise nearly anything, from five libraries
        raise InputError(f"{head.path}: is not a complete .npz archive of plain arrays: {shown(error)}") from error
    origin = str(head.path)
    strange = [name for name, array in arrays.items() if not isinstance(array, np.ndarray)]
    if strange:
        raise InputError(f"{origin}: {shown(strange[0])} is not an array")
    if "scores" in arrays:
        return _table(head, arrays, options, origin).checked(options)
    if {"genuine", "impostor"} <= set(arrays):
        return _two_lists(head, arrays, origin).checked(options)
    raise InputError(
        f"{origin}: holds {listed(arrays) or 'nothing'}; expected scores and genuine, or genuine and impostor"
    )


def _numbers(array: Any, name: str, origin: str) -> Any:
    if array.dtype.kind not in "fiu" or array.ndim not in (1, 2):
        raise InputError(
            f"{origin}: {name} should have one or two dimensions of numbers, not {array.ndim} of {array.dtype}"
        )
    scores = array if array.dtype in (np.float32, np.float64) else array.astype(np.float64)
    if scores.ndim == 2 and not scores.shape[1]:
        raise InputError(f"{origin}: {name} has no column of scores")
    return scores[:, None] if scores.ndim == 1 else scores


def _names(arrays: dict[str, Any], count: int, head: Head, origin: str) -> tuple[str, ...]:
    if "systems" not in arrays:
        return (system_name(head),) if count == 1 else tuple(f"system {k + 1}" for k in range(count))
    names = tuple(str(name) for name in np.atleast_1d(arrays["systems"]).tolist())
    if len(names) != count:
        raise InputError(f"{origin}: {plural(len(names), 'name')} in systems for {plural(count, 'column')} of scores")
    return names


def _table(head: Head, arrays: dict[str, Any], options: ReadOptions, origin: str) -> Sheet:
    scores = _numbers(arrays["scores"], "scores", origin)
    label = arrays.get("genuine", arrays.get("label"))
    if label is None:
        raise InputError(f"{origin}: has scores, but no array genuine that says which trials are")
    ids: dict[str, IdColumn] = {}
    for name, array in (("genuine", label), *((name, arrays[name]) for name in ID_FIELDS if name in arrays)):
        if array.ndim != 1 or len(array) != len(scores):
            raise InputError(f"{origin}: {name} has shape {array.shape}, but there are {len(scores)} trials")
        if name != "genuine":
            ids[name] = Ids.of(array.tolist())
    coded = Ids.of(label.tolist())
    genuine, keep, notes = decode_labels(coded.names.tolist(), coded.codes, options, origin)
    systems = _names(arrays, scores.shape[1], head, origin)
    if keep is not None:
        scores, ids = scores[keep], {name: column[keep] for name, column in ids.items()}
    return Sheet(origin, np.asfortranarray(scores), genuine, systems, ids, notes, named="systems" in arrays)


def _two_lists(head: Head, arrays: dict[str, Any], origin: str) -> Sheet:
    parts = [_numbers(arrays[name], name, origin) for name in ("genuine", "impostor")]
    if parts[0].shape[1] != parts[1].shape[1]:
        raise InputError(
            f"{origin}: genuine has {parts[0].shape[1]} columns of scores and impostor {parts[1].shape[1]}"
        )
    scores = columns_of(list(np.concatenate(parts).T))
    genuine = np.repeat([True, False], [len(part) for part in parts])
    systems = _names(arrays, scores.shape[1], head, origin)
    return Sheet(origin, scores, genuine, systems, named="systems" in arrays)


def write(trials: Trials, place: Path, target: Path) -> None:
    """Write scores, genuine, systems and the ids that are known."""
    arrays: dict[str, Any] = {name: column.decode().astype(str) for name, column in trials.ids.items()}
    with open(place, "wb") as file:
        np.savez_compressed(
            file, scores=trials.scores, genuine=trials.genuine, systems=np.array(trials.systems, dtype=str), **arrays
        )
