"""Cut files into pieces that any process can read again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from fairtrial.core.errors import InputError
from fairtrial.core.trials import Trials
from fairtrial.core.words import listed
from fairtrial.formats import parquet, table
from fairtrial.formats.files import MAX_LINE, Head, system_name
from fairtrial.formats.identities import finish, note_format
from fairtrial.formats.parquet import open_parquet
from fairtrial.formats.sheets import ReadOptions, Roles, Sheet

_LEAST = 1 << 16
"""Bytes read at once at least."""


@dataclass(frozen=True, slots=True)
class Block:
    """Whole lines of a text, and what comes before them."""

    data: bytes
    start: int
    """How many bytes come before."""
    lines: int
    """How many lines come before."""


def cut_blocks(stream: Any, size: int, *, quotes: bool, origin: str) -> Iterator[Block]:
    """Cut a text into blocks of about a size.

    Parameters
    ----------
    stream
        The text from its beginning, or from the end of a line.
    size
        How many bytes a block has at most, unless a line is longer.
    quotes
        Whether cells may stand in quotes; then a line may end within a cell, and a block does not end there.
    origin
        The file, for errors.

    Raises
    ------
    InputError
        A line, or a cell in quotes, that does not end.
    """
    start = lines = 0
    rest = b""
    while data := stream.read(max(size - len(rest), _LEAST)):
        rest += data
        end = _last_end(rest, quotes=quotes)
        if end:
            yield Block(rest[:end], start, lines)
            start, lines, rest = start + end, lines + rest.count(b"\n", 0, end), rest[end:]
        elif len(rest) > max(size, MAX_LINE):
            what = "a line, or a cell in quotes," if quotes else "a line"
            raise InputError(f"{origin}: {what} that begins in line {lines + 1:,} is longer than {MAX_LINE >> 20} MiB")
    if rest:
        yield Block(rest, start, lines)


def _last_end(data: bytes, *, quotes: bool) -> int:
    """Tell where the last line that is whole ends; 0 where there is none."""
    end = data.rfind(b"\n") + 1
    while quotes and end and data.count(b'"', 0, end) % 2:
        end = data.rfind(b"\n", 0, data.rfind(b'"', 0, end)) + 1
    return end


_HEAD = 1 << 16
_BYTES_FOR_EACH = 16
"""Memory for one cell of a table, as it is decoded and checked."""
_LEAST_ROWS = 1 << 12


class ReadTrials(NamedTuple):
    """Some trials, and what was found out as they were read."""

    trials: Trials
    labels: frozenset[str] = frozenset()
    """Those that were decoded."""
    taken: tuple[str, ...] = ()
    """What was taken for what, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Some of the trials of a set: some of the rows of a file."""

    systems: tuple[str, ...] = ()
    """The systems of the set, whatever the file calls them, in the order of the file."""
    format: str = ""
    path: str
    roles: Roles
    options: ReadOptions
    rows: int | None = None
    """How many rows it has; None where that is known only once they are read."""
    size: int
    """About how many bytes are read."""
    at_once: int
    """How much is read at once at most: rows of a table, bytes of a text."""

    @property
    def file_systems(self) -> tuple[str, ...]:
        """The systems, as the file calls them."""
        return self.roles.scores if self.roles.named else (system_name(Path(self.path)),)

    def sheets(self, systems: Sequence[str] | None) -> Iterator[Sheet]:
        """Give the rows, some at a time, with the scores of some systems; None for all that the file holds."""
        raise NotImplementedError

    def trials(self, systems: Sequence[str], *, everything: bool = False) -> Iterator[ReadTrials]:
        """Give the trials, some at a time, and what was found out about their file.

        Parameters
        ----------
        systems
            Whose scores are wanted.
        everything
            Read ids and further columns too, and check them. Otherwise only what tells which trials are genuine.
        """
        names = dict(zip(self.file_systems, self.systems, strict=True))
        # a trial that lacks the score of one system may be dropped for all of them
        alone = not everything and self.options.nan != "drop"
        for sheet in self.sheets([own for own, name in names.items() if name in systems] if alone else None):
            sheet = sheet.checked(self.options)
            named = tuple(names[own] for own in sheet.systems) if sheet.named else self.systems
            taken = note_format(sheet, self.format).taken if everything else ()
            negate = self.options.negate
            negate = tuple(name for name in named if name in negate) if isinstance(negate, tuple) else negate
            options = replace(self.options, systems=(), names=(), negate=negate)
            trials = finish(replace(sheet, systems=named, taken=()), options)
            trials = trials if trials.systems == tuple(systems) else trials.select(systems)
            yield ReadTrials(trials, sheet.labels, taken)


@dataclass(frozen=True, slots=True, kw_only=True)
class _ParquetPiece(Piece):
    """Row groups of a Parquet file."""

    groups: tuple[int, ...]

    def sheets(self, systems: Sequence[str] | None) -> Iterator[Sheet]:
        """Give the rows, at most some at a time."""
        import pyarrow as pa

        roles = self.roles if systems is None else self.roles.only(systems)
        most = self.at_once * _BYTES_FOR_EACH * len(roles.columns)
        for group in self.groups:
            head = Head(Path(self.path), b"", None, place=f", row group {group}")
            batches: list[pa.RecordBatch] = []
            rows = size = 0
            with open_parquet(head) as file:
                found = file.iter_batches(parquet.ROWS, row_groups=[group], columns=roles.columns, use_threads=False)
                for batch in found:
                    batches.append(batch)
                    rows, size = rows + batch.num_rows, size + parquet.unpacked_size(batch)
                    if rows + parquet.ROWS > self.at_once or size > most:
                        yield parquet.sheet_of_table(head, pa.Table.from_batches(batches), roles, self.options)
                        batches, rows, size = [], 0, 0
                if batches:
                    yield parquet.sheet_of_table(head, pa.Table.from_batches(batches), roles, self.options)


@dataclass(frozen=True, slots=True, kw_only=True)
class _TextPiece(Piece):
    """Lines of a text file: those of one block, or where it is compressed all of them."""

    compression: str | None
    plan: table.TextPlan
    header: bytes
    """The lines up to the names of the columns."""
    start: int
    lines: int
    """How many lines come before."""

    def sheets(self, systems: Sequence[str] | None) -> Iterator[Sheet]:
        """Give the rows, block by block."""
        path, plan = Path(self.path), self.plan.only(systems)
        whole = Head(path, b"", self.compression, self.options.max_size)
        with whole.open() as stream:  # here, so that damage to the file is told rather than the line it left behind
            if self.compression is None:
                stream.seek(self.start)
                blocks: Iterable[Block] = [Block(stream.read(self.size), 0, 0)]
            else:
                stream.read(self.start)
                blocks = cut_blocks(stream, self.at_once, quotes=plan.layout.quotes, origin=self.path)
            for block in blocks:
                before, text = self.lines + block.lines, self.header + block.data
                head = Head(
                    path,
                    text[:_HEAD],
                    None,
                    block=text,
                    before=before - self.header.count(b"\n"),
                    place=f", after line {before:,}",
                )
                sheet = table.read_planned(head, plan, self.options)
                if len(sheet):
                    yield sheet


def parquet_pieces(head: Head, options: ReadOptions, size: int) -> list[Piece]:
    """Divide a Parquet file into pieces: row groups that together have about `size` bytes."""
    with open_parquet(head) as file:
        roles = parquet.plan_roles(file.schema_arrow, parquet.first_rows(file), options, str(head.path))
        check_wide(roles, head)
        at_once = rows_at_once(size, roles)
        groups = [file.metadata.row_group(k) for k in range(file.metadata.num_row_groups)]
        sizes = [(group.num_rows, group.total_byte_size) for group in groups]
    together: list[list[int]] = [[]]
    for index, (rows, _) in enumerate(sizes):
        if together[-1] and rows + sum(sizes[k][0] for k in together[-1]) > at_once:
            together.append([])
        together[-1].append(index)
    found: list[Piece] = []
    for some in filter(None, together):
        rows, size = (sum(sizes[k][which] for k in some) for which in (0, 1))
        found.append(
            _ParquetPiece(
                path=str(head.path),
                groups=tuple(some),
                roles=roles,
                options=options,
                rows=rows,
                size=size,
                at_once=at_once,
            )
        )
    return found


def rows_at_once(size: int, roles: Roles) -> int:
    """Compute how many rows of a table fit into this much memory."""
    return max(size // (_BYTES_FOR_EACH * len(roles.columns)), _LEAST_ROWS)


def _header_of(head: Head, lines: int) -> bytes:
    """Give the lines before the first trial, of which the last ones are a header."""
    end = 0
    for _ in range(head.first_line + lines):
        end = head.data.find(b"\n", end) + 1
        if not end:
            break
    found = head.data[:end]
    if not end or b"\r" in found.replace(b"\r\n", b"") or found.count(b'"') % 2:
        raise InputError(
            f"{head.path}: cannot be read in pieces, as its header is not one line that ends in a line feed; rewrite "
            "it, or convert it to Parquet"
        )
    return found


def text_pieces(
    head: Head, options: ReadOptions, at_once: int, *, plan_text: Callable[[Head, ReadOptions], table.TextPlan]
) -> list[Piece]:
    """Give the pieces of a text: blocks of its lines."""
    plan = plan_text(head, options)
    check_wide(plan.roles, head)
    header = _header_of(head, plan.layout.header) if plan.layout.header else b""
    lines = header.count(b"\n")
    piece = _TextPiece(
        path=str(head.path),
        roles=plan.roles,
        options=options,
        size=head.path.stat().st_size,
        at_once=at_once,
        compression=head.compression,
        plan=plan,
        header=header,
        start=len(header),
        lines=lines,
    )
    if head.compression is not None:
        return [piece]
    with head.open() as stream:
        stream.seek(len(header))
        return [
            replace(piece, start=len(header) + block.start, size=len(block.data), lines=lines + block.lines)
            for block in cut_blocks(stream, at_once, quotes=plan.layout.quotes, origin=piece.path)
        ]


def check_wide(roles: Roles, head: Head) -> None:
    """Raise an error where a table has one row per system and trial: those of a trial may be far apart."""
    if roles.system is not None:
        raise InputError(
            f"{head.path}: has one row per system and trial, so it cannot be read in pieces; write it with one column "
            f"of scores per system, and one row per trial, among {listed(roles.columns)}"
        )
