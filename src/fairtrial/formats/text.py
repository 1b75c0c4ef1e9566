"""Read columns of text, by Arrow and line by line what Arrow refuses; write tables as text."""

from __future__ import annotations

import io
import os
import re
from array import array
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice, repeat
from math import isinf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TextIO, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import InputError
from fairtrial.core.trials import Further, IdColumn, Ids, concat_further, object_array
from fairtrial.core.words import Text, cut, plural, shown
from fairtrial.formats.files import MAX_LINE, Head, Progress, Stream, split_spaces

if TYPE_CHECKING:
    import pyarrow as pa


Item = TypeVar("Item")
Made = TypeVar("Made")
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
        pieces: list[str] | None = None  # of a cell in quotes that goes on
        size = 0
        for line in self._lines:
            body, place = line.rstrip("\r\n"), 0
            if pieces is None and '"' not in body:
                yield body.split(self._delimiter) if body else []
                continue
            while place <= len(body):
                if pieces is None and body.startswith('"', place):
                    pieces, place = [], place + 1
                if pieces is not None:
                    closing = body.find('"', place)
                    pieces.append(line[place:] if closing < 0 else body[place:closing])
                    if closing < 0:
                        break
                    place = closing + 1
                    if body.startswith('"', place):
                        pieces.append('"')
                        place += 1
                        continue
                end = body.find(self._delimiter, place)
                end = len(body) if end < 0 else end
                cells.append("".join(pieces or []) + body[place:end])
                pieces, place = None, end + 1
            if pieces is None:
                yield cells
                cells, size = [], 0
                continue
            size += len(line)
            if size > _MAX_CELL:
                break
        if pieces is not None:
            self.unclosed = True
            yield [*cells, "".join(pieces)]


def split_rows(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    """Split the first lines of a table into cells; a cell in quotes may go over several of them."""
    if delimiter == " ":
        return [split_spaces(line) for line in lines]
    return list(QuotedRows((f"{line}\n" for line in lines), delimiter))


_NAN_WITH_PAYLOAD = re.compile(r"[+-]?nan\(\w*\)", re.IGNORECASE)

# lines that hold no trial; a small compressed file can hold more of them than anybody can wait for
_MOST_IN_A_ROW = 1_000_000

_BOM = b"\xef\xbb\xbf"
_ROWS = 1 << 17  # rows that one thread compares at once
_MOST_THREADS = 8  # more would wait for each other, and hold more blocks in memory
_LEAST = 1 << 16  # bytes read at once at least
_BLOCK = 1 << 22  # bytes that Arrow reads at once; it takes more time for smaller blocks

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
    plain: bool = False
    """Whether it is certain that none is empty, and all are visible ASCII."""
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
            pieces = zip(self.texts.chunks, parts, starts, strict=True)
            taken = [chunk.take(pa.array(part - start)) for chunk, part, start in pieces if len(part)]
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
            return not self.plain and any(map(_has_empty, self.texts.chunks))
        return bool(pc.any(pc.equal(self.texts, text)).as_py())

    def stripped(self, characters: str) -> ArrowTexts:
        """Without these characters at both ends; itself, where there are none."""
        import pyarrow.compute as pc

        if self.plain or not any(map(_has_odd_ends, self.texts.chunks)):
            return self
        trimmed = ArrowTexts(pc.utf8_trim(self.texts, characters=characters))
        return self if trimmed.same_as(self) else trimmed

    def same_as(self, other: IdColumn) -> bool:
        return len(self) == len(other) and bool(self.equals(other).all())

    def equals(self, other: IdColumn) -> NDArray[np.bool_]:
        import pyarrow.compute as pc

        if not isinstance(other, ArrowTexts):
            return self.numbered().equals(other)
        if not len(self):
            return np.zeros(0, dtype=bool)
        texts, others = self.texts, other.texts

        def equal(start: int) -> NDArray[np.bool_]:
            return np.asarray(pc.equal(texts.slice(start, _ROWS), others.slice(start, _ROWS)).to_numpy())

        return np.concatenate(in_threads(equal, range(0, len(self), _ROWS)))

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
    try:
        value = float(field)
    except ValueError:
        if _NAN_WITH_PAYLOAD.fullmatch(field):
            return float("nan")
        raise
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


def cut_blocks(stream: Stream, size: int, *, quotes: bool = False) -> Iterator[pa.Buffer]:
    """Cut a text, read from its beginning or the end of a line, into whole lines of about `size` bytes.

    With `quotes`, no block ends within a cell in quotes. A ValueError if a line, or such a cell, does not end.
    """
    import pyarrow as pa

    rest = b""
    while True:
        buffer = pa.allocate_buffer(len(rest) + max(size - len(rest), _LEAST))  # pages that Arrow has used before
        data = memoryview(buffer).cast("B")
        data[: len(rest)] = rest
        count = stream.readinto(data[len(rest) :])
        data = data[: len(rest) + count]
        end = _last_end(data, quotes=quotes) if count else len(data)
        if end:
            yield buffer.slice(0, end)
        elif len(data) > max(size, MAX_LINE):
            raise ValueError(f"longer than {MAX_LINE >> 20} MiB")
        if not count:
            return
        rest = bytes(data[end:])


def _last_end(data: memoryview, *, quotes: bool) -> int:
    """Find where the last whole line ends; 0 if none does."""
    for part in [data] if quotes else [data[-_LEAST:], data]:
        text = bytes(part)
        end = (text.rfind(b"\n") + 1) or (0 if quotes else text.rfind(b"\r") + 1)
        while quotes and end and text.count(b'"', 0, end) % 2:
            end = text.rfind(b"\n", 0, text.rfind(b'"', 0, end)) + 1
        if end:
            return len(data) - len(text) + end
    return 0


def in_threads(function: Callable[[Item], Made], items: Iterable[Item]) -> list[Made]:
    """Apply a function that leaves Python alone most of the time to each item, with as many threads as Arrow has."""
    import pyarrow as pa

    items = iter(items)
    first = list(islice(items, 2))
    threads = min(pa.cpu_count(), _MOST_THREADS)
    if threads == 1 or len(first) < 2:
        return [function(item) for item in chain(first, items)]
    from concurrent.futures import Future, ThreadPoolExecutor

    results: list[Made] = []
    waiting: deque[Future[Made]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        for item in chain(first, items):
            waiting.append(pool.submit(function, item))
            if len(waiting) > 2 * threads:  # items are made as they are needed, and take memory
                results.append(waiting.popleft().result())
        return results + [each.result() for each in waiting]


def _read_quickly(head: Head, layout: Layout, progress: Progress | None) -> dict[str, Any] | None:
    """Read the columns by Arrow, block by block; None if the file needs a closer look."""
    import pyarrow as pa

    if b"\x00" in head.data:  # perhaps in a comment, which is not looked at here
        return None
    if layout.delimiter == " " and (b"\t" in head.data or b"  " in head.data):
        return None
    longest = max(len(line) for line in head.data.split(b"\n"))
    size = min(max(_BLOCK, 8 * longest), MAX_LINE)
    headers = chain([head.first_line + layout.header], repeat(None))
    with head.open(progress) as stream:
        blocks = zip(cut_blocks(stream, size), headers, strict=False)
        try:
            tables, plain = zip(*in_threads(lambda part: _read_block(*part, layout), blocks), strict=True)
        except ValueError:  # also of Arrow
            return None
    table = pa.concat_tables(tables)
    return {
        name: np.concatenate([chunk.to_numpy(zero_copy_only=False) for chunk in table[name].chunks])
        if kind == "score"
        else ArrowTexts(table[name], all(plain))
        for name, kind in layout.columns.items()
        if kind != "skip"
    }


def _read_block(block: pa.Buffer, header: int | None, layout: Layout) -> tuple[pa.Table, bool]:
    """Read the columns of some lines, and tell whether all texts are plain; a ValueError if Arrow might misread them.

    The first block has some lines of `header` before the first trial, others have None. Columns that are left out are
    read too, as a quote there might reach into others.
    """
    import pyarrow as pa

    types = {name: pa.float64() if kind == "score" else pa.string() for name, kind in layout.columns.items()}
    if header is None and block[: len(_BOM)].to_pybytes() == _BOM:  # Arrow would leave it out
        raise ValueError("a byte order mark in the middle of the file")
    parse = partial(_parse, block, header or 0, layout)
    quotes = False  # every quote is a letter; if none is found, there was none to misunderstand
    try:
        table = parse(types, quotes=quotes)
        looks = _look_at_texts(table, layout)
    except pa.ArrowInvalid:  # perhaps for a delimiter within quotes
        looks = "marks"
    if looks == "marks":
        quotes = layout.quotes and _has_simple_quotes(block.to_pybytes().removeprefix(_BOM), layout.delimiter)
        if not quotes:
            raise ValueError("something that Arrow might misread")
        table = parse(types, quotes=quotes)
    large = {}
    for name, kind in layout.columns.items():
        column = table[name].to_numpy() if kind == "score" else ()
        if len(column) and not (np.max(column) < EXACT and np.min(column) > -EXACT):  # also NaN
            large[name] = np.flatnonzero(np.abs(column) >= EXACT)
    if large:  # only their text tells whether they are the numbers that stand in the file
        texts = parse(dict.fromkeys(large, pa.string()), quotes=quotes)
        for name, rows in large.items():
            for field in texts[name].take(rows).unique().to_pylist():
                _parse_score(field)
    return table, looks == "plain"


def _parse(
    block: pa.Buffer, header: int, layout: Layout, types: Mapping[str, pa.DataType], *, quotes: bool
) -> pa.Table:
    import pyarrow as pa
    import pyarrow.csv as arrow_csv

    return arrow_csv.read_csv(
        pa.BufferReader(block),
        read_options=arrow_csv.ReadOptions(
            column_names=list(layout.columns), skip_rows=header, block_size=block.size + 1, use_threads=False
        ),
        parse_options=arrow_csv.ParseOptions(
            delimiter=layout.delimiter, quote_char='"' if quotes else False, double_quote=True
        ),
        convert_options=arrow_csv.ConvertOptions(
            column_types=types,
            include_columns=list(types),
            null_values=[""] if layout.quotes else [],
            strings_can_be_null=False,
            check_utf8=quotes,  # else `_look_at_texts` does, at a lower price
        ),
    )


def _look_at_texts(table: pa.Table, layout: Layout) -> str:
    """Tell whether all texts are filled and visible ASCII, and whether one may mean something else than Arrow reads.

    Such marks are a NUL, bytes that are not UTF-8 and quotes around cells; and without quotes a comment, a tab among
    spaces and an empty text between two delimiters.
    """
    import pyarrow as pa

    plain = True
    for name, column in zip(table.column_names, table.columns, strict=True):
        for chunk in column.chunks if pa.types.is_string(column.type) else ():
            offsets, data = string_buffers(chunk)
            letters = data[offsets[0] : offsets[-1]]
            has_empty = _has_empty(chunk)
            if has_empty and not layout.quotes:
                return "marks"
            if not len(letters):
                plain = False
                continue
            lowest, highest = letters.min(), letters.max()
            if lowest == 0 or ((letters == ord('"')).any() if layout.quotes else lowest <= ord("\t")):
                return "marks"
            if name == next(iter(layout.columns)) and not layout.header and (data[offsets[:-1]] == ord("#")).any():
                return "marks"
            if highest > 127:
                try:
                    chunk.validate(full=True)
                except pa.ArrowInvalid:
                    return "marks"
            plain = plain and not has_empty and lowest > ord(" ") and highest < 127
    return "plain" if plain else "odd"


def _has_simple_quotes(text: bytes, delimiter: str) -> bool:
    """Tell whether no NUL is there, and all quotes come in pairs within a line that begin cells."""
    letters = np.frombuffer(b"\n%s" % text, np.uint8)
    quotes = np.flatnonzero(letters == ord('"'))
    if len(quotes) % 2 or b"\x00" in text:
        return False
    before = np.zeros(256, dtype=bool)
    before[[ord(delimiter), ord("\r"), ord("\n"), ord('"')]] = True
    breaks = np.flatnonzero((letters == ord("\r")) | (letters == ord("\n")))
    first, last = np.searchsorted(breaks, quotes).reshape(-1, 2).T
    return bool(before[letters[quotes[0::2] - 1]].all() and (first == last).all())


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
    text = partial(io.TextIOWrapper, encoding="utf-8-sig", errors="surrogateescape", newline="")
    # here, so that the error names damage to the file rather than the line it left behind
    with head.open(progress) as stream, text(stream) as lines:
        for number, fields in _rows(_Lines(head, lines), head, layout):
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

    def __init__(self, head: Head, text: TextIO) -> None:
        self.number = head.before
        self._path = head.path
        self._text = text

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
    import pyarrow.compute as pc

    texts = [pa.array(table.column_names), *(column for column in table.columns if pa.types.is_string(column.type))]
    return any(pc.any(pc.starts_with(text, mark)).as_py() for text in texts for mark in _FORMULA)


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
