"""Open files and Arrow datasets of any size as pieces."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairtrial.core.errors import InputError, ParameterError
from fairtrial.core.words import listed, plural, shown
from fairtrial.formats import parquet
from fairtrial.formats.files import UNNAMED, Head, PathLike, expand, list_directory, read_head, system_name
from fairtrial.formats.pieces import Piece, check_wide, rows_at_once
from fairtrial.formats.registry import check_options, detect_formats, find_format
from fairtrial.formats.sheets import ReadOptions, Roles, Sheet

if TYPE_CHECKING:
    import pyarrow.dataset as ds


def open_pieces(
    paths: PathLike | Sequence[PathLike], format: str | None, options: ReadOptions, size: int
) -> tuple[tuple[str, ...], tuple[Piece, ...]]:
    """Give the systems and the pieces of one set of trials in one file or several.

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
    if options.key:
        raise ParameterError("{key!p} needs all trials in memory: read them whole", code="key-in-pieces", key=None)
    heads = [head for path in expand(paths) for head in _heads(path, options.max_size)]
    origin = listed([head.path for head in heads], 3)
    found: list[Piece] = []
    systems: tuple[str, ...] = ()
    for head in heads:
        ((chosen, _),) = [(find_format(format), [head])] if format else detect_formats([head], options)
        check_options(chosen, options)
        if chosen.pieces is None:
            raise InputError(
                f"{head.path}: the format {chosen.name} cannot be read in pieces; write it as Parquet "
                "first, as write_trials does, or read it whole with read_trials"
            )
        pieces = chosen.pieces(head, options, size)
        if not pieces:
            continue  # an empty part of a set
        named = _names(pieces[0], options)
        if not (pieces[0].roles.named or len(heads) == 1 or options.names):
            named = (system_name(head.path.resolve().parent),)
        if systems and set(named) != set(systems):
            raise InputError(
                f"{head.path}: holds the systems {listed(named)}, the files before {listed(systems)}; files read in "
                "pieces are parts of one set, with the same systems"
            )
        systems = systems or named
        found += [replace(piece, systems=named, format=chosen.name) for piece in pieces]
    if not found:
        raise InputError(f"{origin}: holds no trial")
    return options.chosen(systems, origin), tuple(found)


def set_of_pieces(
    pieces: Sequence[Piece], options: ReadOptions, format: str, origin: str
) -> tuple[tuple[str, ...], tuple[Piece, ...]]:
    """Give the systems and the pieces of one set of trials that was found in pieces."""
    if not pieces:
        raise InputError(f"{origin}: holds no trial")
    systems = _names(pieces[0], options)
    return options.chosen(systems, origin), tuple(replace(p, systems=systems, format=format) for p in pieces)


def _names(piece: Piece, options: ReadOptions) -> tuple[str, ...]:
    """Give the names of the systems of a file: those of the caller, or its own."""
    if options.names and len(options.names) != len(piece.file_systems):
        count = plural(len(piece.file_systems), "system")
        raise ParameterError(f"{plural(len(options.names), 'name')} for {count} ({listed(piece.file_systems)})")
    return options.names or piece.file_systems


def can_be_cut(path: Path, format: str | None) -> bool:
    """Tell whether a file or directory is of a format that can be read in pieces."""
    if path.is_fifo():
        return False
    heads = _heads(path, None)
    return all((find_format(format) if format else detect_formats([head])[0][0]).pieces is not None for head in heads)


def _heads(path: Path, max_size: int | None) -> list[Head]:
    """Give the files of a path; in pieces they may unpack to any size, if nothing else is said."""
    if path.is_fifo():
        raise InputError(f"{path}: a pipe cannot be read in pieces; write it to a file first")
    most = sys.maxsize if max_size is None else max_size
    if not path.is_dir():
        return [read_head(path, most)]
    heads = [read_head(file, most) for file in list_directory(path)]
    if not heads:
        raise InputError(f"{path}: holds no file")
    return heads


@dataclass(frozen=True, slots=True, kw_only=True)
class _FragmentPiece(Piece):
    """A fragment of a dataset, or one of its row groups."""

    fragment: Any
    place: str

    @property
    def file_systems(self) -> tuple[str, ...]:
        """The systems, as the dataset calls them."""
        return self.roles.scores if self.roles.named else (UNNAMED,)

    def sheets(self, systems: Sequence[str] | None) -> Iterator[Sheet]:
        """Give the rows, at most some at a time."""
        import pyarrow as pa

        roles = self.roles if systems is None else self.roles.only(systems)
        head = Head(Path(self.path), b"", None, place=self.place)
        try:
            batches = self.fragment.to_batches(columns=roles.columns, batch_size=self.at_once, use_threads=False)
            for batch in batches:
                if batch.num_rows:
                    yield parquet.sheet_of_table(head, pa.Table.from_batches([batch]), roles, self.options)
        except (pa.ArrowException, OSError) as error:
            raise InputError(f"{head.origin}: cannot be read: {shown(error, 200)}") from error


def dataset_pieces(dataset: ds.Dataset, options: ReadOptions, size: int, *, name: str) -> list[Piece]:
    """Give the pieces of an Arrow dataset."""
    import pyarrow as pa

    head = Head(Path(name), b"", None)
    try:
        roles = parquet.plan_roles(
            dataset.schema, lambda columns: dataset.head(parquet.LOOKED_AT, columns=columns), options, name
        )
        check_wide(roles, head)
        found, at_once = dataset.get_fragments(), rows_at_once(size, roles)
        return [piece for fragment in found for piece in _pieces(fragment, name, roles, options, at_once)]
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{name}: cannot be read as a dataset: {shown(error, 200)}") from error


def remote_dataset(address: str) -> Any:
    """Open a dataset of Parquet files behind an address."""
    import pyarrow.dataset as ds

    try:
        import fsspec
    except ImportError as error:
        raise ParameterError(f"{address}: needs fsspec; pip install fsspec, and what it asks for") from error
    try:
        system, path = fsspec.core.url_to_fs(address)
        found = system.glob(path) if any(mark in path for mark in "*?[") else [path]
        if not found:
            raise FileNotFoundError("there is no such file")
        checked = ds.ParquetFragmentScanOptions(page_checksum_verification=True)
        form = ds.ParquetFileFormat(default_fragment_scan_options=checked)
        return ds.dataset(found if len(found) > 1 else found[0], format=form, filesystem=system)
    except (OSError, ValueError, ImportError) as error:
        raise InputError(f"{address}: cannot be read: {error}") from error


def _pieces(fragment: Any, name: str, roles: Roles, options: ReadOptions, at_once: int) -> Iterator[Piece]:
    piece = _FragmentPiece(
        path=getattr(fragment, "path", None) or name,
        roles=roles,
        options=options,
        size=1,
        at_once=at_once,
        fragment=fragment,
        place=", its rows",
    )
    if not hasattr(fragment, "split_by_row_group"):
        yield piece
        return
    for part in fragment.split_by_row_group():
        group = part.row_groups[0]
        place = f", row group {group.id}"
        yield replace(piece, fragment=part, place=place, rows=group.num_rows, size=group.total_byte_size)
