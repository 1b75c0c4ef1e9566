"""Cut files into pieces that any process can read again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from fairtrial.core.errors import InputError
from fairtrial.core.trials import Trials
from fairtrial.core.words import listed
from fairtrial.formats import parquet, table
from fairtrial.formats.files import HEAD, Head, Stream, system_name
from fairtrial.formats.identities import finish, note_format
from fairtrial.formats.parquet import open_parquet
from fairtrial.formats.sheets import ReadOptions, Roles, Sheet
from fairtrial.formats.text import cut_blocks

if TYPE_CHECKING:
    import pyarrow as pa


def numbered_blocks(
    stream: Stream, size: int, *, quotes: bool, lines: int, origin: str
) -> Iterator[tuple[pa.Buffer, int]]:
    """Cut a text into blocks, each with the number of lines before it, beginning at `lines`."""
    try:
        for block in cut_blocks(stream, size, quotes=quotes):
            yield block, lines
            lines += block.to_pybytes().count(b"\n")
    except ValueError as error:
        what = "a line, or a cell in quotes," if quotes else "a line"
        raise InputError(f"{origin}: {what} that begins in line {lines + 1:,} is {error}") from error


_BYTES_FOR_EACH = 16  # memory for one cell of a table, as it is decoded and checked
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
        for sheet in self.sheets([in_file for in_file, name in names.items() if name in systems] if alone else None):
            sheet = sheet.checked(self.options)
            named = tuple(names[in_file] for in_file in sheet.systems) if sheet.named else self.systems
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
                all_batches = file.iter_batches(
                    parquet.ROWS, row_groups=[group], columns=roles.columns, use_threads=False
                )
                for batch in all_batches:
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
        with whole.open() as stream:  # here, so that an error names damage to the file, not a line
            if self.compression is None:
                stream.seek(self.start)
                blocks: Iterable[tuple[bytes | pa.Buffer, int]] = [(stream.read(self.size), self.lines)]
            else:
                stream.read(self.start)
                blocks = numbered_blocks(
                    stream, self.at_once, quotes=plan.layout.quotes, lines=self.lines, origin=self.path
                )
            for block, before in blocks:
                text = self.header + block
                head = Head(
                    path,
                    text[:HEAD],
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
    path, pieces = str(head.path), list[Piece]()
    with open_parquet(head) as file:
        roles = parquet.plan_roles(file.schema_arrow, parquet.first_rows(file), options, path)
        check_wide(roles, head)
        most = rows_at_once(size, roles)
        empty = _ParquetPiece(path=path, groups=(), roles=roles, options=options, rows=0, size=0, at_once=most)
        piece, rows = empty, 0
        for k in range(file.metadata.num_row_groups):
            group = file.metadata.row_group(k)
            if piece.groups and rows + group.num_rows > most:
                pieces.append(piece)
                piece, rows = empty, 0
            rows += group.num_rows
            piece = replace(piece, groups=(*piece.groups, k), rows=rows, size=piece.size + group.total_byte_size)
    return [*pieces, piece] if piece.groups else []


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
    header = head.data[:end]
    if not end or b"\r" in header.replace(b"\r\n", b"") or header.count(b'"') % 2:
        raise InputError(
            f"{head.path}: cannot be read in pieces, as its header is not one line that ends in a line feed; rewrite "
            "it, or convert it to Parquet"
        )
    return header


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
    pieces: list[Piece] = []
    start = len(header)
    with head.open() as stream:
        stream.seek(start)
        blocks = numbered_blocks(stream, at_once, quotes=plan.layout.quotes, lines=lines, origin=piece.path)
        for block, before in blocks:
            pieces.append(replace(piece, start=start, size=block.size, lines=before))
            start += block.size
    return pieces


def check_wide(roles: Roles, head: Head) -> None:
    """Raise an error where a table has one row per system and trial: those of a trial may be far apart."""
    if roles.system is not None:
        raise InputError(
            f"{head.path}: has one row per system and trial, so it cannot be read in pieces; write it with one column "
            f"of scores per system, and one row per trial, among {listed(roles.columns)}"
        )
