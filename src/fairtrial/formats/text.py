"""Columns of text files: quickly by Arrow, and line by line where a file is odd or wrong.

The line-by-line reader says what is allowed; Arrow's reader is only a quick way to the same columns. Where
Arrow refuses a file, the slow reader either reads it or names the line and what is wrong with it.
"""

from __future__ import annotations

import csv
import io
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairtrial.errors import InputError
from fairtrial.formats.files import MAX_LINE, Head, Progress, open_stream
from fairtrial.trials import IdColumn, Ids, object_array

if TYPE_CHECKING:
    import pyarrow as pa

Kind: TypeAlias = Literal["id", "text", "score", "skip"]
"""``id``: few distinct names; ``text``: maybe a different one in every row; ``score``: a number."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How a text file is laid out: its columns, what parts them (a space: any white space) and its header."""

    names: tuple[str, ...]
    kinds: tuple[Kind, ...]
    delimiter: str
    header: bool = False
    shape: str = ""
    """What a line should hold, for error messages."""


@dataclass(frozen=True, slots=True, eq=False)
class ArrowTexts:
    """Names as Arrow read them, not numbered until that is needed."""

    texts: pa.ChunkedArray

    def __len__(self) -> int:
        return len(self.texts)

    def __getitem__(self, rows: Any) -> ArrowTexts:
        import pyarrow as pa

        chosen = np.asarray(rows)
        if chosen.dtype == np.bool_:
            return ArrowTexts(self.texts.filter(pa.array(chosen)))
        return ArrowTexts(self.texts.take(pa.array(chosen)))

    def name(self, row: int) -> str:
        return str(self.texts[row].as_py())

    def decode(self) -> NDArray[np.object_]:
        return np.asarray(self.texts.to_numpy(), dtype=object)

    def same_as(self, other: IdColumn) -> bool:
        if isinstance(other, ArrowTexts):
            return bool(self.texts.equals(other.texts))
        return self.numbered().same_as(other)

    def numbered(self) -> Ids:
        return ids_from_arrow(self.texts.dictionary_encode())


def ids_from_arrow(column: pa.ChunkedArray) -> Ids:
    """Ids of a dictionary-encoded column."""
    unified = column.unify_dictionaries()
    if unified.num_chunks == 0:
        return Ids(np.zeros(0, dtype=np.int32), object_array([]))
    codes = np.concatenate([chunk.indices.to_numpy(zero_copy_only=False) for chunk in unified.chunks])
    return Ids(codes.astype(np.int32, copy=False), object_array(unified.chunk(0).dictionary.to_pylist()))


def read_columns(head: Head, layout: Layout, progress: Progress | None = None) -> dict[str, Any]:
    """Read the columns that the layout names: ids as `IdColumn`, scores as arrays of float64."""
    columns = _read_quickly(head, layout, progress)
    return _read_slowly(head, layout) if columns is None else columns


def _read_quickly(head: Head, layout: Layout, progress: Progress | None) -> dict[str, Any] | None:
    """The columns, or None where the file needs a closer look."""
    import pyarrow as pa
    import pyarrow.csv as arrow_csv

    if layout.delimiter == " " and (b"\t" in head.data or b"  " in head.data):
        return None
    types = {"id": pa.dictionary(pa.int32(), pa.string()), "text": pa.string(), "score": pa.float64()}
    wanted = [name for name, kind in zip(layout.names, layout.kinds, strict=True) if kind != "skip"]
    spaced = layout.delimiter == " "
    try:
        with open_stream(head.path, head.compression, progress) as stream:
            table = arrow_csv.read_csv(
                stream,
                read_options=arrow_csv.ReadOptions(
                    column_names=list(layout.names), skip_rows=int(layout.header), block_size=_block_size(head)
                ),
                parse_options=arrow_csv.ParseOptions(
                    delimiter=layout.delimiter, quote_char=False if spaced else '"', double_quote=True
                ),
                convert_options=arrow_csv.ConvertOptions(
                    column_types={n: types[k] for n, k in zip(layout.names, layout.kinds, strict=True) if k != "skip"},
                    include_columns=wanted,
                    null_values=[""] if layout.header else [],
                    strings_can_be_null=False,
                ),
            )
    except pa.ArrowInvalid:
        return None
    columns: dict[str, Any] = {}
    for name in wanted:
        kind, column = layout.kinds[layout.names.index(name)], table.column(name)
        if kind == "score":
            columns[name] = column.to_numpy()
        elif kind == "id":
            columns[name] = ids_from_arrow(column)
        else:
            columns[name] = ArrowTexts(column)
    return None if _may_hold_comments(columns, layout) else columns


def _block_size(head: Head) -> int:
    """A few megabytes, and enough for several lines."""
    longest = max(len(line) for line in head.data.split(b"\n"))
    return max(1 << 22, 8 * longest)


def _may_hold_comments(columns: dict[str, Any], layout: Layout) -> bool:
    """Whether the first column holds something like a comment, which only the slow reader knows."""
    first = columns.get(layout.names[0])
    if layout.header or first is None:
        return False
    if isinstance(first, Ids):
        return any(name.startswith("#") for name in first.names)
    return isinstance(first, ArrowTexts) and any(str(text).startswith("#") for text in first.decode())


class _SlowColumn:
    """A column that grows row by row."""

    def __init__(self, kind: Kind, *, may_be_empty: bool) -> None:
        self.kind = kind
        self.may_be_empty = may_be_empty
        self.numbers: array[Any] = array("d" if kind == "score" else "i")
        self.table: dict[str, int] = {}

    def append(self, field: str) -> None:
        if self.kind == "score":
            self.numbers.append(float("nan") if self.may_be_empty and not field else parse_score(field))
        else:
            self.numbers.append(self.table.setdefault(field, len(self.table)))

    def finish(self) -> Any:
        if self.kind == "score":
            return np.array(self.numbers, dtype=np.float64)
        return Ids(np.array(self.numbers, dtype=np.int32), object_array(list(self.table)))


def parse_score(field: str) -> float:
    """A number as score files write it; Python's own underscores and foreign digits are not."""
    if "_" in field or not field.isascii():
        raise ValueError(field)
    return float(field)


def _read_slowly(head: Head, layout: Layout) -> dict[str, Any]:
    columns = {
        name: _SlowColumn(kind, may_be_empty=layout.header)
        for name, kind in zip(layout.names, layout.kinds, strict=True)
        if kind != "skip"
    }
    targets = [columns.get(name) for name in layout.names]
    for number, fields in _rows(head, layout):
        if len(fields) != len(targets):
            shape = f" ({layout.shape})" if layout.shape else ""
            raise InputError(
                f"{head.path}, line {number}: {len(fields)} columns where {len(targets)} were expected{shape}: "
                f"{_shown(fields)}"
            )
        for target, field in zip(targets, fields, strict=True):
            if target is None:
                continue
            try:
                target.append(field)
            except ValueError as error:
                name = layout.names[targets.index(target)]
                raise InputError(
                    f"{head.path}, line {number}: column {name} should be a number, but it is {_shown([field])}"
                ) from error
    return {name: column.finish() for name, column in columns.items()}


def _shown(fields: Sequence[str]) -> str:
    text = " ".join(fields)
    return repr(text if len(text) <= 60 else text[:57] + "...")


def _rows(head: Head, layout: Layout) -> Iterator[tuple[int, list[str]]]:
    lines = _Lines(head)
    rows: Iterator[list[str]]
    if layout.delimiter == " ":
        rows = (line.split() for line in lines)
    else:
        rows = csv.reader(lines, delimiter=layout.delimiter)
    skip_header = layout.header
    try:
        for fields in rows:
            if not fields or (not layout.header and fields[0].startswith("#")):
                continue
            if skip_header:
                skip_header = False
                continue
            yield lines.number, fields
    except csv.Error as error:
        raise InputError(f"{head.path}, line {lines.number}: {error}") from error


class _Lines:
    """The lines of a file, counted and none too long."""

    def __init__(self, head: Head) -> None:
        self.number = 0
        self._head = head
        self._iterator = self._read()

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        return next(self._iterator)

    def _read(self) -> Iterator[str]:
        path = self._head.path
        with open_stream(path, self._head.compression) as stream:
            text = io.TextIOWrapper(stream, encoding="utf-8")
            while True:
                try:
                    line = text.readline(MAX_LINE)
                except UnicodeDecodeError as error:
                    raise InputError(
                        f"{path}, after line {self.number}: is not UTF-8 text ({error.reason}); convert the file"
                    ) from error
                if not line:
                    return
                self.number += 1
                if len(line) >= MAX_LINE:
                    raise InputError(f"{path}, line {self.number}: is longer than {MAX_LINE >> 20} MiB")
                yield line
