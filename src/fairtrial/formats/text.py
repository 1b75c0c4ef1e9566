"""Read columns of text, by Arrow and line by line what Arrow refuses; write tables as text."""

from __future__ import annotations

import io
import os
import re
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import isinf
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import InputError
from fairtrial.core.trials import Further, IdColumn, Ids, concat_further, object_array
from fairtrial.core.words import Text, cut, plural, shown
from fairtrial.formats.files import MAX_LINE, Head, Progress, split_spaces

if TYPE_CHECKING:
    import pyarrow as pa


DELIMITERS = ",\t;"
"""What may separate the columns of a table."""
_MAX_CELL = 1 << 24


class QuotedRows:
    """The cells of lines, as Python's csv reads them, but of any length up to 16 MiB.

    The limit of csv is one for the whole process, which is not ours to change.
    """

    def __init__(self, lines: Iterable[str], delimiter: str) -> None:
        self.unclosed = False
        """Whether the last row ended within quotes, at the end of the file or after 16 MiB."""
        self._lines = lines
        self._delimiter = delimiter

    def __iter__(self) -> Iterator[list[str]]:
        cells: list[str] = []
        pieces: list[str] = []
        size = 0
        for line in self._lines:
            body = line.rstrip("\r\n")
            if not pieces and '"' not in body:
                yield body.split(self._delimiter) if body else []
                continue
            if self._is_done(line, body, cells, pieces):
                yield cells
                cells, size = [], 0
                continue
            size += len(line)
            if size > _MAX_CELL:
                break
        if pieces:
            self.unclosed = True
            yield [*cells, "".join(pieces)]

    def _is_done(self, line: str, body: str, cells: list[str], pieces: list[str]) -> bool:
        """Add the cells of a line, and say whether the row ends with it; if not, the pieces are of a cell that goes on.

        A cell in quotes has one piece at least, which may be empty.
        """
        place = 0
        while place <= len(body):
            if not pieces:
                if not body.startswith('"', place):
                    place = self._add(body, place, cells, "")
                    continue
                pieces.append("")
                place += 1
            closing = body.find('"', place)
            if closing < 0:
                pieces.append(line[place:])
                return False
            pieces.append(body[place:closing])
            place = closing + 1
            if body.startswith('"', place):
                pieces.append('"')
                place += 1
            else:
                place = self._add(body, place, cells, "".join(pieces))
                pieces.clear()
        return True

    def _add(self, body: str, place: int, cells: list[str], begin: str) -> int:
        """Add a cell that ends at the next delimiter, and give where the one after it begins."""
        end = body.find(self._delimiter, place)
        end = len(body) if end < 0 else end
        cells.append(begin + body[place:end])
        return end + 1


def split_rows(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    """Split the first lines of a table into cells; a cell in quotes may go over several of them."""
    if delimiter == " ":
        return [split_spaces(line) for line in lines]
    return list(QuotedRows((f"{line}\n" for line in lines), delimiter))


_BOM = b"\xef\xbb\xbf"


def lend_stream(stream: pa.NativeFile, given_back: Event) -> pa.NativeFile:
    """Lend a stream to Arrow, and learn when it is given back.

    A thread of Arrow that still needs Python when the program ends would abort it (seen up to pyarrow 24). So the
    bytes that Arrow keeps are no objects of Python, and whoever lends a stream waits until it is given back.

    Parameters
    ----------
    stream
        Where the bytes come from.
    given_back
        Is set when Arrow no longer holds the stream.
    """
    import pyarrow as pa

    if isinstance(stream, pa.OSFile | pa.BufferReader):  # which need no Python
        given_back.set()
        return stream
    return pa.BufferedInputStream(pa.PythonFile(_LentStream(stream, given_back), mode="r"), 1 << 20)


class _LentStream:
    """A readable file that passes on what a stream gives, and tells when nobody holds it any more."""

    def __init__(self, stream: pa.NativeFile, given_back: Event) -> None:
        self._given_back = given_back
        self.read = stream.read
        self.closed = False

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self.closed = True

    def __del__(self) -> None:
        self._given_back.set()


def _has_simple_quotes(head: Head, delimiter: str) -> bool:
    """Tell whether all quotes come in pairs within a line that begin cells, and no NUL is there."""
    rest = b""
    with head.open() as stream:
        while data := stream.read(1 << 20):
            text = (rest + data).removeprefix(_BOM)
            end = max(text.rfind(b"\n"), text.rfind(b"\r")) + 1
            if b"\x00" in data or not _in_pairs(text[:end], delimiter):
                return False
            rest = text[end:]
    return _in_pairs(rest, delimiter)


def _in_pairs(text: bytes, delimiter: str) -> bool:
    """Tell whether each pair of quotes is in one line and begins a cell, or goes on after a doubled quote."""
    letters = np.frombuffer(b"\n%s" % text, np.uint8)
    quotes = np.flatnonzero(letters == ord('"'))
    if len(quotes) % 2:
        return False
    before = np.zeros(256, dtype=bool)
    before[[ord(delimiter), ord("\r"), ord("\n"), ord('"')]] = True
    breaks = np.flatnonzero((letters == ord("\r")) | (letters == ord("\n")))
    first, last = np.searchsorted(breaks, quotes).reshape(-1, 2).T
    return bool(before[letters[quotes[0::2] - 1]].all() and (first == last).all())


_NAN_WITH_PAYLOAD = re.compile(r"[+-]?nan\(\w*\)", re.IGNORECASE)

_MOST_IN_A_ROW = 1_000_000
"""Lines that hold no trial; a small compressed file can hold more of them than anybody can wait for."""

_PATIENCE = 5.0
"""Seconds that Arrow is given to let go of a stream, which it does at once unless something else is wrong."""

EXACT = 2**53
"""Below it a 64-bit float is every whole number; from here on, scores may merge."""

Kind: TypeAlias = Literal["text", "score", "other", "skip"]
"""``text``: an id or a label; ``score``: a number; ``other``: text that is only kept, and left out where it is not
UTF-8."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How a text file is laid out: its columns, what separates them (a space: any white space) and its header.

    Below a header a cell may stand in quotes; without one, and between spaces, a quote is a letter like any other.
    """

    columns: Mapping[str, Kind]
    """What each column is read as, by its name, in the order of the file."""
    delimiter: str
    header: int = 0
    """How many lines come before the first trial, from the first that is neither blank nor a comment."""
    shape: str = ""
    """What a line should hold, for error messages."""

    @property
    def quotes(self) -> bool:
        """Whether a cell may stand in quotes."""
        return self.header > 0 and self.delimiter != " "


@dataclass(slots=True, eq=False, repr=False)
class ArrowTexts:
    """Names as Arrow read them, not numbered until that is needed."""

    texts: pa.ChunkedArray
    _ids: Ids | None = None

    def __repr__(self) -> str:
        return f"<ArrowTexts: {plural(len(self), 'trial')}>"

    def __len__(self) -> int:
        return len(self.texts)

    def __getitem__(self, rows: Any) -> IdColumn:
        import pyarrow as pa

        if self._ids is not None:
            return self._ids[rows]
        chosen = np.asarray(rows)
        if chosen.dtype == np.bool_:
            return ArrowTexts(self.texts.filter(pa.array(chosen)))
        ends = np.cumsum([len(chunk) for chunk in self.texts.chunks])
        if len(chosen) and len(ends) > 1 and (np.diff(chosen) > 0).all() and chosen[0] >= 0:
            parts = np.split(chosen, np.searchsorted(chosen, ends[:-1]))  # Arrow would put all chunks together first
            starts = [0, *ends[:-1]]
            found = zip(self.texts.chunks, parts, starts, strict=True)
            taken = [chunk.take(pa.array(part - start)) for chunk, part, start in found if len(part)]
            return ArrowTexts(pa.chunked_array(taken, type=pa.string()))
        return ArrowTexts(self.texts.take(pa.array(chosen)))

    def name(self, row: int) -> str:
        return str(self.texts[row].as_py())

    def decode(self) -> NDArray[np.object_]:
        return np.asarray(self.texts.to_numpy(), dtype=object) if self._ids is None else self._ids.decode()

    def holds(self, text: str) -> bool:
        """Tell whether some row has this text."""
        import pyarrow.compute as pc

        if not text:
            return any(map(_has_empty, self.texts.chunks))
        return bool(pc.any(pc.equal(self.texts, text)).as_py())

    def stripped(self, characters: str) -> ArrowTexts:
        """Without these characters at both ends; itself, where there are none."""
        import pyarrow.compute as pc

        if not any(map(_has_odd_ends, self.texts.chunks)):
            return self
        found = ArrowTexts(pc.utf8_trim(self.texts, characters=characters))
        return self if found.same_as(self) else found

    def same_as(self, other: IdColumn) -> bool:
        return len(self) == len(other) and bool(self.equals(other).all())

    def equals(self, other: IdColumn) -> NDArray[np.bool_]:
        import pyarrow.compute as pc

        if isinstance(other, ArrowTexts):
            return np.asarray(pc.equal(self.texts, other.texts).to_numpy())
        return self.numbered().equals(other)

    def numbered(self) -> Ids:
        if self._ids is None:
            self._ids = ids_from_arrow(self.texts.dictionary_encode())
        return self._ids


def _has_odd_ends(chunk: pa.StringArray) -> bool:
    """Tell whether some text begins or ends with something other than a visible ASCII character."""
    offsets, data = string_buffers(chunk)
    letters = data[offsets[0] : offsets[-1]]
    if not len(letters) or (letters.min() > 32 and letters.max() < 127):
        return False
    filled = offsets[1:] > offsets[:-1]
    starts, ends = offsets[:-1][filled], offsets[1:][filled]
    return any(((edge < 33) | (edge > 126)).any() for edge in (data[starts], data[ends - 1]))


def _has_empty(chunk: pa.StringArray) -> bool:
    offsets, _ = string_buffers(chunk)
    return bool((offsets[1:] == offsets[:-1]).any())


def string_buffers(chunk: pa.StringArray) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Tell where each text begins and the next one does, and the bytes of all."""
    _, offsets, data = chunk.buffers()
    starts = np.frombuffer(offsets, np.int32)[chunk.offset : chunk.offset + len(chunk) + 1]
    return starts, np.frombuffer(b"" if data is None else data, np.uint8)


def concat_columns(parts: Sequence[Further]) -> Further:
    """Put columns one below the other, names unnumbered if all are."""
    import pyarrow as pa

    chunks = [chunk for part in parts if isinstance(part, ArrowTexts) for chunk in part.texts.chunks]
    if all(isinstance(part, ArrowTexts) for part in parts):
        return ArrowTexts(pa.chunked_array(chunks, type=pa.string()))
    return concat_further(parts)


def ids_from_arrow(column: pa.ChunkedArray) -> Ids:
    """Convert a dictionary-encoded column to ids."""
    unified = column.unify_dictionaries()
    if unified.num_chunks == 0:
        return Ids(np.zeros(0, dtype=np.int32), object_array([]))
    codes = np.concatenate([chunk.indices.to_numpy(zero_copy_only=False) for chunk in unified.chunks])
    names = unified.chunk(0).dictionary.to_numpy(zero_copy_only=False)
    return Ids(codes.astype(np.int32, copy=False), np.asarray(names, dtype=object))


class _TooLargeError(ValueError):
    """A number that a score cannot hold."""


def _parse_score(field: str) -> float:
    """Parse a number as score files write it; Python's own underscores and foreign digits are not.

    Raises
    ------
    ValueError
        Something else; or a number that would become another one: 1e400, or whole ones above 2 to the 53.
    """
    if "_" in field or not field.isascii():
        raise ValueError(field)
    if _NAN_WITH_PAYLOAD.fullmatch(field):
        return float("nan")
    value = float(field)
    if abs(value) >= EXACT and (isinf(value) if not is_whole(field) else int(field) != value):
        if isinf(value) and "i" in field.lower():
            return value
        raise _TooLargeError(field)
    return value


def is_whole(field: str) -> bool:
    """Tell whether a field is a whole number."""
    return field.strip().lstrip("+-").isdecimal()


def is_number(field: str) -> bool:
    """Tell whether a field is a number as score files write it, be it too large."""
    try:
        _parse_score(field)
    except _TooLargeError:
        return True
    except ValueError:
        return False
    return True


@dataclass(frozen=True, slots=True, eq=False)
class TextColumns:
    """What a text file holds: ids as `IdColumn`, scores as arrays of float64."""

    columns: dict[str, Any]
    """By their names; a column of the kind ``other`` that is not UTF-8 is not among them."""
    comments: int
    """How many lines of comments were left out."""


def left_out(comments: int) -> tuple[str, ...]:
    """Note the comments that were left out, if any were."""
    return (f"left out: {plural(comments, 'line')} of comments",) if comments else ()


def read_columns(head: Head, layout: Layout, progress: Progress | None = None) -> TextColumns:
    """Read the columns that the layout names."""
    columns = _read_quickly(head, layout, progress)
    return _read_slowly(head, layout, progress) if columns is None else TextColumns(columns, head.comments)


def _read_quickly(head: Head, layout: Layout, progress: Progress | None) -> dict[str, Any] | None:
    """Read the columns by Arrow; None if the file needs a closer look."""
    if b"\x00" in head.data:  # perhaps in a comment, which is not looked at here
        return None
    if layout.delimiter == " " and (b"\t" in head.data or b"  " in head.data):
        return None
    wanted = {name: kind for name, kind in layout.columns.items() if kind != "skip"}
    table = _arrow_table(head, layout, wanted, progress)
    if table is None:
        return None
    scores = _side_by_side([table[name] for name, kind in wanted.items() if kind == "score"])
    columns = {name: next(scores) if kind == "score" else ArrowTexts(table[name]) for name, kind in wanted.items()}
    return columns if _are_exact(head, layout, columns) else None


def _side_by_side(columns: Sequence[pa.ChunkedArray]) -> Iterator[NDArray[np.float64]]:
    """Give the columns of one table in which each is in one piece of memory."""
    together = np.empty((len(columns[0]) if columns else 0, len(columns)), order="F")
    for k, column in enumerate(columns):
        start = 0
        for chunk in column.chunks:
            together[start : start + len(chunk), k] = chunk.to_numpy(zero_copy_only=False)
            start += len(chunk)
    return iter(together.T)


def _arrow_table(head: Head, layout: Layout, wanted: Mapping[str, Kind], progress: Progress | None) -> Any:
    """Give the columns as Arrow reads them; None where it cannot, or where it might not read what is meant.

    At first every quote is a letter: where none is found, there was none to misunderstand.
    """
    table = _parsed(head, layout, wanted, progress, quotes=False)
    if table is not None and not _holds_marks(table, layout):
        return table
    if layout.quotes and _has_simple_quotes(head, layout.delimiter):
        return _parsed(head, layout, wanted, None, quotes=True)
    return None


def _parsed(
    head: Head, layout: Layout, wanted: Mapping[str, Kind], progress: Progress | None, *, quotes: bool
) -> pa.Table | None:
    import pyarrow as pa
    import pyarrow.csv as arrow_csv

    # a column that is left out is looked at too: a quote in it might reach into others
    kinds = {name: wanted.get(name, kind) for name, kind in layout.columns.items()}
    included = {name: kind for name, kind in kinds.items() if name in wanted or kind == "skip"}
    longest = max(len(line) for line in head.data.split(b"\n"))
    given_back = Event()
    with head.open(progress) as stream:
        try:
            return arrow_csv.read_csv(
                lend_stream(stream, given_back),
                read_options=arrow_csv.ReadOptions(
                    column_names=list(layout.columns),
                    skip_rows=head.first_line + layout.header,
                    block_size=min(max(1 << 20, 8 * longest), MAX_LINE),  # in the cache, but enough for several lines
                    use_threads=pa.cpu_count() > 1,  # one may be lost with a file that is refused (pyarrow 18 to 21)
                ),
                parse_options=arrow_csv.ParseOptions(
                    delimiter=layout.delimiter, quote_char='"' if quotes else False, double_quote=True
                ),
                convert_options=arrow_csv.ConvertOptions(
                    column_types={
                        name: pa.float64() if kind == "score" else pa.string() for name, kind in included.items()
                    },
                    include_columns=list(included),
                    null_values=[""] if layout.quotes else [],
                    strings_can_be_null=False,
                    check_utf8=quotes,  # else `_holds_marks` does, at a lower price
                ),
            )
        except pa.ArrowInvalid:
            return None
        finally:
            given_back.wait(_PATIENCE)


def _holds_marks(table: pa.Table, layout: Layout) -> bool:
    """Tell whether a text may mean something else than Arrow reads.

    These are a NUL, bytes that are not UTF-8 and quotes around cells; and without quotes a comment, a tab among spaces
    and an empty text between two delimiters.
    """
    import pyarrow as pa

    for name, column in zip(table.column_names, table.columns, strict=True):
        for chunk in column.chunks if pa.types.is_string(column.type) else ():
            offsets, data = string_buffers(chunk)
            letters = data[offsets[0] : offsets[-1]]
            if not layout.quotes and _has_empty(chunk):
                return True
            if not len(letters):
                continue
            lowest = letters.min()
            if lowest == 0 or ((letters == ord('"')).any() if layout.quotes else lowest <= ord("\t")):
                return True
            if name == next(iter(layout.columns)) and not layout.header and (data[offsets[:-1]] == ord("#")).any():
                return True
            if letters.max() > 127:
                try:
                    chunk.validate(full=True)
                except pa.ArrowInvalid:
                    return True
    return False


def _are_exact(head: Head, layout: Layout, columns: dict[str, Any]) -> bool:
    """Tell whether large scores are the numbers that stand in the file; their text tells."""
    large = {}
    for name, column in columns.items():
        if isinstance(column, np.ndarray) and len(column):
            high, low = np.max(column), np.min(column)
            if not (high < EXACT and low > -EXACT):  # also NaN
                large[name] = np.flatnonzero(np.abs(column) >= EXACT)
    large = {name: rows for name, rows in large.items() if len(rows)}
    if not large:
        return True
    table = _arrow_table(head, layout, dict.fromkeys(large, "text"), None)
    fields = {field for name, rows in large.items() for field in table.column(name).take(rows).unique().to_pylist()}
    try:
        for field in fields:
            _parse_score(field)
    except ValueError:
        return False
    return True


class _SlowColumn:
    """A column that grows row by row."""

    def __init__(self, kind: Kind, *, may_be_empty: bool) -> None:
        self.kind = kind
        self.may_be_empty = may_be_empty
        self.numbers: array[Any] = array("d" if kind == "score" else "i")
        self.table: dict[str, int] = {}
        self.lost = False

    def append(self, field: str) -> None:
        if self.kind == "score":
            self.numbers.append(float("nan") if self.may_be_empty and not field else _parse_score(field))
            return
        code = self.table.get(field)
        if code is None:
            try:
                field.encode()
            except UnicodeEncodeError:
                if self.kind != "other":
                    raise
                self.lost = True
            code = self.table[field] = len(self.table)
        self.numbers.append(code)

    def finish(self) -> Any:
        if self.kind == "score":
            return np.array(self.numbers, dtype=np.float64)
        return Ids(np.array(self.numbers, dtype=np.int32), object_array(list(self.table)))


def _read_slowly(head: Head, layout: Layout, progress: Progress | None = None) -> TextColumns:
    """Read line by line, with an error that names the line and the column where something is wrong."""
    columns = {
        name: _SlowColumn(kind, may_be_empty=layout.quotes) for name, kind in layout.columns.items() if kind != "skip"
    }
    targets = [(name, columns.get(name)) for name in layout.columns]
    comments = head.comments
    with head.open(progress) as stream:  # here, so that damage to the file is told rather than the line it left behind
        for number, fields in _rows(_Lines(head, stream), head, layout):
            where = f"{head.path}, line {number}"
            if not layout.header and fields[0].startswith("#"):
                comments += 1
                continue
            if len(fields) != len(targets):
                shape = f" ({layout.shape})" if layout.shape else ""
                raise InputError(
                    f"{where}: {len(fields)} columns where {len(targets)} were expected{shape}: "
                    f"{shown(' '.join(fields))}"
                )
            for (name, target), field in zip(targets, fields, strict=True):
                if target is None:
                    continue
                try:
                    target.append(field)
                except UnicodeEncodeError as error:
                    raise InputError(f"{where}: column {name} is not UTF-8 text; convert the file to UTF-8") from error
                except _TooLargeError as error:
                    raise InputError(
                        f"{where}: column {cut(name)} holds {shown(field)}, which a 64-bit float cannot; "
                        "scale the scores, or take their logarithm"
                    ) from error
                except ValueError as error:
                    hint = Text("; if the column holds no scores, say so, as in {columns!o}", columns={"other": "NAME"})
                    raise InputError(
                        f"{where}: column {cut(name)} should be a number, but it is {shown(field)}"
                        f"{hint if layout.header else ''}"
                    ) from error
    return TextColumns({name: column.finish() for name, column in columns.items() if not column.lost}, comments)


def _rows(lines: _Lines, head: Head, layout: Layout) -> Iterator[tuple[int, list[str]]]:
    """Give the rows below the header, comments among them, and the numbers of the lines they end in."""
    for _ in range(head.first_line + layout.header):
        next(lines, None)
    quoted = QuotedRows(lines, layout.delimiter)
    rows: Iterable[list[str]] = quoted
    if not layout.quotes:
        delimiter = layout.delimiter
        rows = map(split_spaces if delimiter == " " else lambda line: line.rstrip("\r\n").split(delimiter), lines)
    before = last = lines.number
    for fields in rows:
        where = f"{head.path}, line {before + 1}"
        if lines.number > before + 1:
            _check_breaks(fields, layout, where)
        if quoted.unclosed:
            raise InputError(
                f"{where}: a quote is opened here and never closed, to the end of the file or for 16 MiB; close it, or "
                "take it out"
            )
        before = lines.number
        if fields and fields != [""]:
            yield before, fields
            if layout.header or not fields[0].startswith("#"):
                last = before
        if before - last > _MOST_IN_A_ROW:
            raise InputError(
                f"{where}: there are more than {_MOST_IN_A_ROW:,} blank lines and comments in a row; a score file has "
                "one line per trial"
            )


def _check_breaks(fields: Sequence[str], layout: Layout, where: str) -> None:
    """Raise an error where a cell in quotes holds lines that are rows by themselves: a quote was not closed."""
    for field in fields:
        first, *others = field.replace("\r", "\n").split("\n")
        if any(line.count(layout.delimiter) >= len(layout.columns) - 1 for line in others):
            raise InputError(
                f"{where}: a cell in quotes goes over {len(others) + 1} lines that look like trials, from "
                f"{shown(first, 30)} on; close the quote where the cell ends, or take it out"
            )


class _Lines:
    """The lines of a file, counted and none too long; bytes that are not UTF-8 are kept aside."""

    def __init__(self, head: Head, stream: pa.NativeFile) -> None:
        self.number = head.before
        self._path = head.path
        self._text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="surrogateescape", newline="")

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._text.readline(MAX_LINE)
        if not line:
            raise StopIteration
        self.number += 1
        if len(line) >= MAX_LINE:
            raise InputError(f"{self._path}, line {self.number}: is longer than {MAX_LINE >> 20} MiB")
        if "\x00" in line:
            raise InputError(f"{self._path}, line {self.number}: holds a NUL, so it is not text; get it again")
        return line


_FORMULA = ("=", "+", "-", "@")


def text_column(ids: IdColumn) -> pa.ChunkedArray | pa.Array:
    """Give one name per row, as Arrow has it."""
    import pyarrow as pa

    if isinstance(ids, ArrowTexts):
        return ids.texts
    numbered = ids.numbered()
    names = pa.array(numbered.names.tolist(), type=pa.string())
    return pa.DictionaryArray.from_arrays(pa.array(numbered.codes), names).dictionary_decode()


def further_column(column: Further) -> pa.ChunkedArray | pa.Array:
    """Give numbers or names, as Arrow has them."""
    import pyarrow as pa

    return pa.array(column) if isinstance(column, np.ndarray) else text_column(column)


def write_text(table: pa.Table, place: Path, target: Path, *, delimiter: str, header: bool) -> None:
    """Write a table as text, compressed as the target's name says; numbers read back as they are.

    Below a header all text is in quotes where some of it needs them, or begins like a formula of a spreadsheet.
    """
    import pyarrow as pa

    if not (header and _begins_like_a_formula(table)):
        try:
            _write(table, place, target, delimiter=delimiter, header=header, quoting="none")
            return
        except pa.ArrowInvalid:
            pass
    _write(table, place, target, delimiter=delimiter, header=header, quoting="needed")


def _begins_like_a_formula(table: pa.Table) -> bool:
    """Tell whether a name or a text begins with a character that spreadsheets take for the beginning of a formula."""
    import pyarrow as pa

    if any(name.startswith(_FORMULA) for name in table.column_names):
        return True
    letters = np.zeros(256, dtype=bool)
    letters[[ord(letter) for letter in _FORMULA]] = True
    for column in table.columns:
        for chunk in column.chunks if pa.types.is_string(column.type) else ():
            offsets, data = string_buffers(chunk)
            if letters[data[offsets[:-1][offsets[1:] > offsets[:-1]]]].any():
                return True
    return False


def _write(table: pa.Table, place: Path, target: Path, *, delimiter: str, header: bool, quoting: str) -> None:
    import pyarrow as pa
    import pyarrow.csv as arrow_csv

    options = arrow_csv.WriteOptions(include_header=False, delimiter=delimiter, quoting_style=quoting)
    names = pa.table([pa.array([name]) for name in table.column_names], names=table.column_names)
    with open_packed(place, target) as stream:
        for part in (names, table) if header else (table,):
            arrow_csv.write_csv(part, stream, options)


@contextmanager
def open_packed(place: Path, target: Path) -> Iterator[pa.NativeFile]:
    """Open a file to write, compressed as the name of the target says; both compressions hold a checksum."""
    import pyarrow as pa

    ending = target.suffix.lower()
    with pa.OSFile(os.fsencode(place), "wb") as raw:
        if ending == ".zst":
            from zstandard import ZstdCompressor

            packed = ZstdCompressor(write_checksum=True).stream_writer(raw, closefd=False)
            with packed, pa.PythonFile(packed, mode="w") as stream:
                yield stream
        elif ending == ".gz":
            with pa.CompressedOutputStream(raw, "gzip") as stream:
                yield stream
        else:
            yield raw
