"""NumPy archives: ``scores`` (trials x systems) and ``genuine``, with ids and system names where known;
or two arrays ``genuine`` and ``impostor`` of scores."""

from __future__ import annotations

import os
from collections.abc import Sequence
from math import prod
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import numpy as np

from fairtrial.core.errors import InputError, OutputError
from fairtrial.core.trials import ID_FIELDS, Further, IdColumn, Ids, Trials
from fairtrial.core.words import listed, plural, shown
from fairtrial.formats.files import Head, Progress, check_unpacked, system_name
from fairtrial.formats.identities import settle
from fairtrial.formats.sheets import ReadOptions, Sheet, columns_of
from fairtrial.formats.text import EXACT

_END = 22
"""Bytes at the end of a zip archive, before a comment."""
_MANY = 0xFFFF
"""What an archive says there if it has more members than it can say."""
_SMALL = 1 << 26
_OWN = ("scores", "genuine", "label", "impostor", "systems", *ID_FIELDS)


def read(head: Head, options: ReadOptions, progress: Progress | None) -> Sheet:
    """Read an archive."""
    origin = str(head.path)
    try:
        with open(head.source, "rb") as file, ZipFile(file) as archive:
            infos = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
            file.seek(-_END - len(archive.comment), os.SEEK_END)
            count = int.from_bytes(file.read(_END)[10:12], "little")
            if count not in (_MANY, len(archive.infolist())):
                raise ValueError(f"it should hold {count} arrays, and {len(archive.infolist())} are found")
            headers = {name: _header(archive, info) for name, info in infos.items()}
            needed = _needed(headers, origin)
            if head.max_size is not None:
                check_unpacked(sum(size for _, size in needed.values()), head.max_size, head.path)
            arrays: dict[str, Any] = {}
            for name, info in infos.items():
                if name in needed:
                    with archive.open(info) as member:
                        arrays[name] = np.lib.format.read_array(member, allow_pickle=False)
                        if member.read(1):  # only what is read to its end is compared with its checksum
                            raise ValueError(f"{info.filename} holds more than its header says")
                elif info.file_size <= _SMALL:
                    archive.read(info)  # what plays no part might have played one before it was damaged
            arrays = {name: arrays[name] for name in needed}
            for name in [name for name, array in arrays.items() if array.dtype.kind == "S"]:
                arrays[name] = np.char.decode(arrays[name], "utf-8")
    except UnicodeDecodeError as error:
        template = "{origin}: {name:quoted} holds bytes that are not UTF-8; save it as an array of str"
        raise InputError(template, code="not-utf8", origin=origin, name=name) from error
    except (MemoryError, InputError):
        raise
    except Exception as error:  # a damaged archive may raise nearly anything, from five libraries
        raise InputError(f"{origin}: is not a complete .npz archive of plain arrays: {shown(error)}") from error
    others = [name for name in headers if name not in arrays]
    return (_table if "scores" in arrays else _two_lists)(head, arrays, others, options, origin)


def _header(archive: ZipFile, info: ZipInfo) -> tuple[tuple[int, ...], int] | None:
    """Read the shape of an array and its size in bytes; None if the member is not an array."""
    with archive.open(info) as file:
        if not file.peek(6).startswith(np.lib.format.MAGIC_PREFIX):  # type: ignore[attr-defined]
            return None
        version = np.lib.format.read_magic(file)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, kind = read(file)
    size = prod(shape) * kind.itemsize
    if size > info.file_size:
        raise ValueError(f"{info.filename} is cut off")
    return shape, size


def _needed(headers: dict[str, Any], origin: str) -> dict[str, tuple[tuple[int, ...], int]]:
    """Give the arrays that play a part, and others that have one entry per trial."""
    strange = [name for name in _OWN if name in headers and headers[name] is None]
    if strange:
        raise InputError(f"{origin}: {shown(strange[0])} is not an array")
    arrays = {name: header for name, header in headers.items() if header is not None}
    if "scores" in arrays:
        label = "genuine" if "genuine" in arrays else "label"
        trials = arrays["scores"][0][:1]
        beside = [name for name, (shape, _) in arrays.items() if name not in _OWN and shape == trials]
        names = ["scores", label, "systems", *ID_FIELDS, *beside]
    elif {"genuine", "impostor"} <= arrays.keys():
        names = ["genuine", "impostor", "systems"]
    else:
        raise InputError(
            f"{origin}: holds {listed(headers) or 'nothing'}; expected scores and genuine, or genuine and impostor"
        )
    return {name: arrays[name] for name in names if name in arrays}


def _numbers(array: Any, name: str, origin: str) -> Any:
    if array.dtype.kind not in "fiu" or array.ndim not in (1, 2):
        raise InputError(
            f"{origin}: {name} should have one or two dimensions of numbers, not {array.ndim} of {array.dtype}"
        )
    scores = array if array.dtype in (np.float32, np.float64) else array.astype(np.float64)
    if array.dtype.kind in "iu" and array.size and np.abs(scores).max() >= EXACT:
        raise InputError(
            f"{origin}: {name} holds numbers above 2**53, which a 64-bit float cannot tell apart; scale them"
        )
    if scores.ndim == 2 and not scores.shape[1]:
        raise InputError(f"{origin}: {name} has no column of scores")
    return scores[:, None] if scores.ndim == 1 else scores


def _names(arrays: dict[str, Any], count: int, head: Head, origin: str) -> tuple[str, ...]:
    if "systems" not in arrays:
        return (system_name(head.path),) if count == 1 else tuple(f"system {k + 1}" for k in range(count))
    names = tuple(str(name) for name in np.atleast_1d(arrays["systems"]).tolist())
    if len(names) != count:
        raise InputError(f"{origin}: {plural(len(names), 'name')} in systems for {plural(count, 'column')} of scores")
    return names


def _table(head: Head, arrays: dict[str, Any], others: Sequence[str], options: ReadOptions, origin: str) -> Sheet:
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
    kept = {name: array for name, array in arrays.items() if name not in _OWN}
    further: dict[str, Further] = {
        name: array if array.dtype.kind in "fiu" else Ids.of(array.tolist()) for name, array in kept.items()
    }
    left = [f"left out: {listed(others)}, which have not one entry per trial"] if others else []
    played = ["scores", "genuine" if "genuine" in arrays else "label", *ids]
    besides = [f"kept besides: {listed(further)}"] if further else []
    sheet = Sheet(
        origin,
        np.asfortranarray(scores),
        np.zeros(len(scores), bool),
        _names(arrays, scores.shape[1], head, origin),
        ids,
        named="systems" in arrays,
        columns=further,
        taken=("; ".join([", ".join(played), *besides]), *left),
    )
    return settle(sheet, Ids.of(label.tolist()), options)


def _two_lists(head: Head, arrays: dict[str, Any], others: Sequence[str], options: ReadOptions, origin: str) -> Sheet:
    parts = [_numbers(arrays[name], name, origin) for name in ("genuine", "impostor")]
    if parts[0].shape[1] != parts[1].shape[1]:
        raise InputError(
            f"{origin}: genuine has {parts[0].shape[1]} columns of scores and impostor {parts[1].shape[1]}"
        )
    scores = columns_of(list(np.concatenate(parts).T))
    labels = np.repeat([True, False], [len(part) for part in parts])
    systems = _names(arrays, scores.shape[1], head, origin)
    left = [f"left out: {listed(others)}"] if others else []
    taken = ("genuine and impostor scores", *left)
    return settle(Sheet(origin, scores, labels, systems, named="systems" in arrays, taken=taken), labels, options)


def write(trials: Trials, place: Path, target: Path) -> tuple[str, ...]:
    """Write scores, genuine, systems, the ids that are known and further columns."""
    clash = [name for name in trials.columns if name in _OWN]
    if clash:
        raise OutputError(f"{target}: a further column cannot be called {clash[0]} in an npz archive; write Parquet")
    texts = {**trials.ids, **{name: c for name, c in trials.columns.items() if not isinstance(c, np.ndarray)}}
    arrays: dict[str, Any] = {"scores": trials.scores, "genuine": trials.genuine}
    arrays["systems"] = np.array(trials.systems, dtype=str)
    arrays |= {name: column.decode().astype(str) for name, column in texts.items()}
    arrays |= {name: column for name, column in trials.columns.items() if isinstance(column, np.ndarray)}
    # as np.savez_compressed does, which before NumPy 2.3 leaves its archive open where a disk is full
    with ZipFile(place, "w", ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)
    return ()
