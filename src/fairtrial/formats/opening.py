"""Trials of files of any size, read piece by piece."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from fairtrial.errors import InputError, ParameterError, TrialsError, listed, shown
from fairtrial.formats.files import Head, PathLike, expand, list_directory, read_head, system_name
from fairtrial.formats.finishing import finish, said
from fairtrial.formats.pieces import Piece
from fairtrial.formats.registry import check_options, find_format, told_by_content
from fairtrial.formats.sealed_parquet import open_parquet
from fairtrial.formats.sheets import ReadOptions
from fairtrial.tables import plural
from fairtrial.trials import Trials


class ReadTrials(NamedTuple):
    """Some trials, and what was found out as they were read."""

    trials: Trials
    labels: frozenset[str] = frozenset()
    """Those that were decoded."""
    taken: tuple[str, ...] = ()
    """What was taken for what, in words."""


@dataclass(frozen=True, slots=True)
class TrialPiece:
    """Some of the trials of a set."""

    piece: Piece
    systems: tuple[str, ...]
    """The systems of the set, whatever the file calls them, in the order of the file."""
    options: ReadOptions
    format: str

    @property
    def rows(self) -> int | None:
        """How many rows it has, where that is known beforehand."""
        return self.piece.rows

    @property
    def size(self) -> int:
        """About how many bytes are read."""
        return self.piece.size

    def trials(self, systems: Sequence[str], *, everything: bool = False) -> Iterator[ReadTrials]:
        """The trials, some at a time, and what was found out about their file.

        Parameters
        ----------
        systems
            Whose scores are wanted.
        everything
            Read ids and further columns too, and check them. Otherwise only what tells which trials are genuine.
        """
        names = dict(zip(self.piece.systems, self.systems, strict=True))
        # a trial that lacks the score of one system may be dropped for all of them
        alone = not everything and self.options.nan != "drop"
        wanted = [own for own, name in names.items() if name in systems] if alone else None
        for sheet in self.piece.sheets(wanted):
            renamed = replace(sheet, systems=tuple(names[own] for own in sheet.systems))
            taken = said(sheet, self.format).taken if everything else ()
            found = finish(replace(renamed, taken=()), self._options_for(renamed.systems))
            yield ReadTrials(found if found.systems == tuple(systems) else found.select(systems), sheet.labels, taken)

    def _options_for(self, systems: tuple[str, ...]) -> ReadOptions:
        negate = self.options.negate
        own = tuple(name for name in systems if name in negate) if isinstance(negate, tuple) else negate
        return replace(self.options, systems=(), names=(), negate=own)


def open_pieces(
    paths: PathLike | Sequence[PathLike], format: str | None, options: ReadOptions, size: int
) -> tuple[tuple[str, ...], tuple[TrialPiece, ...]]:
    """The systems and the pieces of one set of trials in one file or several.

    Parameters
    ----------
    paths
        A file, a glob, a directory of Parquet files, or several of them. They are parts of one set: each holds
        trials of its own, of the same systems.
    format, options
        As in `read_trials`.
    size
        About how many bytes of memory may be used for what is read at once.

    Raises
    ------
    InputError
        A file of a format that cannot be read in pieces, or of other systems than those before it.
    """
    heads = [head for path in expand(paths) for head in _heads(path, options.max_size)]
    found: list[TrialPiece] = []
    systems: tuple[str, ...] = ()
    for head in heads:
        ((chosen, _),) = [(find_format(format), [head])] if format else told_by_content([head])
        check_options(chosen, options)
        if chosen.pieces is None:
            raise InputError(
                f"{head.path}: the format {chosen.name} cannot be read in pieces; write it as Parquet "
                "first, as write_trials does, or read it whole with read_trials"
            )
        pieces = chosen.pieces(head, options, size)
        if not pieces:
            continue  # an empty part of a set
        named = _names(pieces[0], head, options, several=len(heads) > 1)
        if systems and set(named) != set(systems):
            raise InputError(
                f"{head.path}: holds the systems {listed(named)}, the files before {listed(systems)}; files read in "
                "pieces are parts of one set, with the same systems"
            )
        systems = systems or named
        found += [TrialPiece(piece, named, options, chosen.name) for piece in pieces]
    if not found:
        raise InputError(f"{listed([head.path for head in heads], 3)}: holds no trial")
    return _chosen(systems, options), tuple(found)


def set_of_pieces(
    pieces: Sequence[Piece], options: ReadOptions, format: str, origin: str
) -> tuple[tuple[str, ...], tuple[TrialPiece, ...]]:
    """The systems and the pieces of one set of trials that was found in pieces."""
    if not pieces:
        raise InputError(f"{origin}: holds no trial")
    named = _given_names(pieces[0], options) or pieces[0].systems
    return _chosen(named, options), tuple(TrialPiece(piece, named, options, format) for piece in pieces)


def can_be_cut(path: Path, format: str | None) -> bool:
    """Whether a file or directory is of a format that can be read in pieces."""
    if path.is_fifo():
        return False
    heads = _heads(path, None)
    return all((find_format(format) if format else told_by_content([head])[0][0]).pieces is not None for head in heads)


def _heads(path: Path, max_size: int | None) -> list[Head]:
    """The files of a path; in pieces they may unpack to any size, if nothing else is said."""
    if path.is_fifo():
        raise InputError(f"{path}: a pipe cannot be read in pieces; write it to a file first")
    most = sys.maxsize if max_size is None else max_size
    if not path.is_dir():
        return [read_head(path, most)]
    heads = [read_head(file, most) for file in list_directory(path)]
    if not heads:
        raise InputError(f"{path}: holds no file")
    return heads


def _names(piece: Piece, head: Head, options: ReadOptions, *, several: bool) -> tuple[str, ...]:
    """What the systems of a file are called in the set."""
    if piece.named or not several or options.names:
        return _given_names(piece, options) or piece.systems
    return (system_name(replace(head, path=head.path.resolve().parent)),)


def _given_names(piece: Piece, options: ReadOptions) -> tuple[str, ...]:
    if options.names and len(options.names) != len(piece.systems):
        count = plural(len(piece.systems), "system")
        raise ParameterError(f"{plural(len(options.names), 'name')} for {count} ({listed(piece.systems)})")
    return options.names


def _chosen(systems: tuple[str, ...], options: ReadOptions) -> tuple[str, ...]:
    """The systems asked for, or all."""
    asked = (*options.systems, *(options.negate if isinstance(options.negate, tuple) else ()))
    for name in asked:
        if name not in systems:
            raise TrialsError(f"there is no system {shown(name)}; there are {listed(systems)}")
    return options.systems or systems


def expected_memory(paths: Sequence[PathLike]) -> int:
    """About how many bytes the trials of files take when they are read whole; 0 for what cannot be looked at."""
    try:
        return sum(_expected(head) for path in expand(paths) for head in _heads(path, None))
    except InputError:
        return 0


def _expected(head: Head) -> int:
    if head.data.startswith(b"PAR1"):
        with open_parquet(head) as file:
            rows: int = file.metadata.num_rows
            return rows * sum(_WIDTHS.get(str(kind), _TEXT) for kind in file.schema_arrow.types)
    return head.path.stat().st_size * (_COMPRESSED if head.compression else _PLAIN)


_WIDTHS = {"bool": 1, "float": 4, "double": 8, "int8": 1, "int16": 2, "int32": 4, "int64": 8}
"""Bytes of a cell by Arrow's name for its type."""
_TEXT = 40
_PLAIN, _COMPRESSED = 2, 10
"""Bytes in memory for each byte of a text file."""
