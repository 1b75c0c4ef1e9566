"""The formats fairtrial knows, in the order in which a file is tried against them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from fairtrial.core.errors import InputError, OutputError, ParameterError
from fairtrial.core.registry import Registry
from fairtrial.core.trials import Trials
from fairtrial.core.words import shown
from fairtrial.formats import headerless, lists, matrix, npz, pairs, parquet, table
from fairtrial.formats.files import Head, Progress
from fairtrial.formats.sheets import ReadOptions, Sheet

if TYPE_CHECKING:
    from fairtrial.formats.pieces import Piece

Read: TypeAlias = Callable[[Sequence[Head], ReadOptions, Progress | None], list[Sheet]]


@dataclass(frozen=True, slots=True)
class Format:
    """A file format: how it is recognised, read and written.

    Parameters
    ----------
    name : str
        How it is called on the command line.
    description : str
        What it is, in a few words.
    matches : callable
        Whether files with these heads are of this format.
    read : callable
        Sheets of the files; None where it is only written.
    write : callable, optional
        Write trials to a place that becomes the target, and give notes on what it cannot hold; None where it is only
        read.
    endings : tuple of str, default ()
        Endings of file names that ask for this format in writing.
    joint : bool, default False
        Whether several files make one set of trials in this format, not each its own.
    options : frozenset of str, default frozenset()
        The fields of `ReadOptions` that mean something to this format.
    pieces : callable, optional
        The pieces of a file, of about the given number of bytes; None if it cannot be read in pieces.

    Examples
    --------
    >>> FORMATS["csv"].endings
    ('.csv',)
    """

    name: str
    description: str
    matches: Callable[[Sequence[Head]], bool]
    read: Read
    write: Callable[[Trials, Path, Path], tuple[str, ...] | None] | None = None
    endings: tuple[str, ...] = ()
    joint: bool = False
    options: frozenset[str] = frozenset()
    pieces: Callable[[Head, ReadOptions, int], list[Piece]] | None = None


_TABLE = frozenset({"columns", "scores", "others", "genuine_labels", "impostor_labels"})
_LABELS = frozenset({"genuine_labels", "impostor_labels"})
_MATRIX = frozenset({"diagonal", "transpose"})

FORMATS: Registry[Format] = Registry("format", "formats", Format)
"""File formats by name, in the order in which a file is tried against them."""


def register_format(format_: Format) -> Format:
    """Register a format by its name; it is tried after those already registered.

    Parameters
    ----------
    format_ : Format
        The format.

    Returns
    -------
    Format
        The same.

    Notes
    -----
    An entry of the same name is replaced. Files are told by content in the order of registration.

    Examples
    --------
    >>> register_format(FORMATS["csv"]).name
    'csv'
    """
    FORMATS[format_.name] = format_
    return format_


def _one_by_one(read: Callable[[Head, ReadOptions, Progress | None], Sheet]) -> Read:
    return lambda heads, options, progress: [read(head, options, progress) for head in heads]


def _text(
    name: str,
    description: str,
    matches: Callable[[Sequence[Head]], bool],
    plan: Callable[[Head, ReadOptions], table.TextPlan],
    write: Callable[[Trials, Path, Path], tuple[str, ...] | None] | None = None,
    endings: tuple[str, ...] = (),
) -> Format:
    """Make a format of text whose columns are told by its first lines."""

    def pieces(head: Head, options: ReadOptions, size: int) -> list[Piece]:
        from fairtrial.formats.pieces import text_pieces

        return text_pieces(head, options, size, plan_text=plan)

    return Format(
        name,
        description,
        matches,
        _one_by_one(lambda head, options, progress: table.read_planned(head, plan(head, options), options, progress)),
        write,
        endings,
        options=_TABLE,
        pieces=pieces,
    )


def _parquet_pieces(head: Head, options: ReadOptions, size: int) -> list[Piece]:
    from fairtrial.formats.pieces import parquet_pieces

    return parquet_pieces(head, options, size)


def _never(heads: Sequence[Head]) -> bool:
    """Tell that no file has this format unless it is asked for."""
    return False


_WRITE_CSV, _WRITE_TSV = (partial(table.write, delimiter=delimiter) for delimiter in ",\t")
_WRITE_BOB4, _WRITE_BOB5 = (partial(headerless.write_bob, names=headerless.COLUMNS[width]) for width in (4, 5))
_PLAN, _PLAN_BOB = headerless.plan_text, partial(headerless.plan_text, bob=True)
for _format in (
    Format(
        "lists",
        "genuine and impostor scores in two files",
        lists.matches,
        lists.read,
        joint=True,
        options=frozenset({"columns", "scores", "others"}),
    ),
    Format(
        "pairs",
        "trial list and score lists (Kaldi, VoxCeleb)",
        pairs.matches,
        pairs.read,
        joint=True,
        options=_LABELS | {"columns"},
    ),
    Format(
        "parquet",
        "Parquet table",
        lambda heads: all(head.is_parquet for head in heads),
        _one_by_one(parquet.read),
        parquet.write,
        (".parquet",),
        options=_TABLE,
        pieces=_parquet_pieces,
    ),
    Format(
        "npz",
        "NumPy archive",
        lambda heads: all(head.data.startswith(b"PK\x03\x04") for head in heads),  # a zip file
        _one_by_one(npz.read),
        npz.write,
        (".npz",),
        options=_LABELS,
    ),
    Format("matrix", "similarity matrix with ids", matrix.matches, _one_by_one(matrix.read), options=_MATRIX),
    _text("csv", "table with a header", table.matches_text, table.plan_text, _WRITE_CSV, (".csv",)),
    _text("tsv", "table with a header, tabs", _never, table.plan_text, _WRITE_TSV, (".tsv",)),
    _text(
        "headerless", "columns without a header, recognised by their cells", headerless.matches, headerless.plan_text
    ),
    _text("bob4", "claim subject probe score", headerless.matches_bob, _PLAN_BOB, _WRITE_BOB4, (".txt", ".scores")),
    _text("bob5", "claim model subject probe score", _never, _PLAN_BOB, _WRITE_BOB5),
):
    register_format(_format)


def find_format(name: str) -> Format:
    """Find a format by its name."""
    return FORMATS.find(name)


def check_options(format_: Format, options: ReadOptions) -> None:
    """Raise an error where an option was given that means nothing to the format."""
    for name in ("columns", "scores", "others", "genuine_labels", "diagonal", "transpose"):
        if getattr(options, name) and name not in format_.options:
            template = f"{{{name}!p}} does not apply to the format {{format}}"
            raise ParameterError(template, code="does-not-apply", format=format_.name, **{name: 0})


def detect_formats(heads: Sequence[Head], options: ReadOptions | None = None) -> list[tuple[Format, list[Head]]]:
    """Give the format of all files together, or of each; those of other packages are tried if no other fits.

    Text of no known format whose columns are named by number is read as `headerless`.
    """
    if options is not None and options.key:
        tables = [FORMATS["parquet"], FORMATS["csv"], FORMATS["headerless"]]
        return [(next(t for t in tables if t.matches([head]) or t is tables[-1]), [head]) for head in heads]
    head = heads[0]
    for formats in (FORMATS.registered.values(), FORMATS.values()):
        joint, single = ([format_ for format_ in formats if format_.joint is which] for which in (True, False))
        if len(heads) == 1:
            joint, single = [], [*single, *joint]
        for format_ in joint:
            if format_.matches(heads):
                return [(format_, list(heads))]
        single_formats: list[tuple[Format, list[Head]]] = []
        for head in heads:
            fitting = next((format_ for format_ in single if format_.matches([head])), None)
            if fitting is None:
                break
            single_formats.append((fitting, [head]))
        else:
            return single_formats
    if options is not None and options.by_number and all(each.is_text for each in heads):
        return [(FORMATS["headerless"], [each]) for each in heads]
    if not head.is_text:
        raise InputError(
            f"{head.path}: is binary data of no known kind; expected a text file of scores, Parquet or .npz"
        )
    if pairs.score_columns(head) is not None:
        raise InputError(
            f"{head.path}: holds scores without labels; give it with its other half, as in genuine.txt and "
            "impostor.txt, or after its trial list"
        )
    rows = head.rows[1]
    label = headerless.label_column(rows) if rows else None
    if label is not None:
        raise headerless.unclear_columns(str(head.path), len(rows[0]), {"label": str(label)})
    line = head.lines(1)
    raise InputError(
        "{path}: is not in a known format; it begins with {found}. If another file holds the labels, name it with "
        "{key!p}. Known formats: {known}",
        path=str(head.path),
        found=shown(line[0]) if line else "only comments",
        key=...,
        known="; ".join(f"{f.name} ({f.description})" for f in FORMATS.values()),
    )


def format_of_name(target: Path) -> Format:
    """Give the format to write, by the ending of the name."""
    endings = [ending.lower() for ending in target.suffixes if ending.lower() not in (".gz", ".zst")]
    for format_ in FORMATS.values():
        if format_.write is not None and endings and endings[-1] in format_.endings:
            if format_.name in ("parquet", "npz") and target.suffix.lower() in (".gz", ".zst"):
                raise OutputError(f"{target}: {format_.name} is compressed already; leave out {target.suffix}")
            return format_
    endings_known = [ending for format_ in FORMATS.values() for ending in format_.endings]
    raise OutputError(f"{target}: the name does not say which format to write; end it in {', '.join(endings_known)}")
