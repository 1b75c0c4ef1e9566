"""Pieces of Arrow datasets, also of remote ones: their fragments, and where they have row groups those."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairtrial.errors import InputError, ParameterError, shown
from fairtrial.formats import parquet
from fairtrial.formats.files import UNNAMED, Head
from fairtrial.formats.pieces import Piece, check_wide, rows_at_once
from fairtrial.formats.roles import Roles
from fairtrial.formats.sheets import ReadOptions, Sheet

if TYPE_CHECKING:
    import pyarrow.dataset as ds


@dataclass(frozen=True, slots=True)
class _FragmentPiece:
    """A fragment of a dataset, or one of its row groups."""

    fragment: Any
    name: str
    place: str
    roles: Roles
    options: ReadOptions
    rows: int | None
    size: int
    at_once: int
    """How many rows are read at once at most."""

    @property
    def named(self) -> bool:
        """Whether the columns of scores have the names of systems."""
        return self.roles.named

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems, as the dataset calls them."""
        return self.roles.scores if self.named else (UNNAMED,)

    def sheets(self, systems: Sequence[str] | None) -> Iterator[Sheet]:
        """The rows, at most some at a time."""
        import pyarrow as pa

        roles = self.roles if systems is None else self.roles.only(systems)
        head = Head(Path(self.name), b"", None, place=self.place)
        try:
            batches = self.fragment.to_batches(columns=roles.columns, batch_size=self.at_once, use_threads=False)
            for batch in batches:
                if batch.num_rows:
                    sheet = parquet.sheet_of_table(head, pa.Table.from_batches([batch]), roles, self.options)
                    yield sheet if self.named else replace(sheet, systems=self.systems)
        except (pa.ArrowException, OSError) as error:
            raise InputError(f"{head.origin}: cannot be read: {shown(error, 200)}") from error


def dataset_pieces(dataset: ds.Dataset, options: ReadOptions, size: int, *, name: str) -> list[Piece]:
    """The pieces of an Arrow dataset."""
    import pyarrow as pa

    head = Head(Path(name), b"", None)
    try:
        roles = parquet.plan_roles(
            dataset.schema,
            lambda columns: dataset.head(parquet.LOOKED_AT, columns=columns),
            options,
            name,
        )
        check_wide(roles, head)
        found, at_once = dataset.get_fragments(), rows_at_once(size, roles)
        return [piece for fragment in found for piece in _pieces(fragment, name, roles, options, at_once)]
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{name}: cannot be read as a dataset: {shown(error, 200)}") from error


def remote_dataset(address: str) -> Any:
    """A dataset of Parquet files behind an address."""
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
    own = getattr(fragment, "path", None) or name
    if not hasattr(fragment, "split_by_row_group"):
        yield _FragmentPiece(fragment, own, ", its rows", roles, options, None, 1, at_once)
        return
    for part in fragment.split_by_row_group():
        group = part.row_groups[0]
        place = f", row group {group.id}"
        yield _FragmentPiece(part, own, place, roles, options, group.num_rows, group.total_byte_size, at_once)
