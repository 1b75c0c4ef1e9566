"""Score files in and out: one file per format, one registry."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from fairtrial.core.errors import InputError, OutputError, ParameterError, TrialsError
from fairtrial.core.trials import Trials, TrialsLike, trials_of
from fairtrial.core.words import listed, plural
from fairtrial.formats import lists, parquet
from fairtrial.formats.alignment import align
from fairtrial.formats.files import (
    Head,
    PathLike,
    Progress,
    expand,
    list_directory,
    read_head,
    system_name,
    write_whole,
)
from fairtrial.formats.identities import SPACES, as_options, finish_checked, note_format
from fairtrial.formats.key import Flags, Key, beside_key, check_scored, join, read_key
from fairtrial.formats.registry import FORMATS, Format, Read, check_options, detect_formats, find_format, format_of_name
from fairtrial.formats.sheets import ReadOptions, Sheet

_SMALL = 1 << 26  # bytes in memory that are not worth a closer look
_PLAIN, _COMPRESSED = 2, 10
"""Bytes in memory for each byte of a text file."""
_TEXT = 40  # bytes of a cell that is not a number or truth value


def read_trials(
    paths: PathLike | Sequence[PathLike], *, format: str | None = None, progress: Progress | None = None, **options: Any
) -> Trials:
    r"""Read the trials of one file or of several.

    Parameters
    ----------
    paths : str, path-like or sequence of these
        A file, a pipe, a glob, a directory of Parquet files or of one genuine and one impostor list; a dash is standard
        input; or several of them: then each brings its systems, and the trials are aligned by their ids.
    format : str, optional
        The name of a format in `FORMATS`; by default the content of the files tells.
    progress : callable, optional
        Called as work proceeds, with numbers of bytes read.
    **options : object
        The fields of `ReadOptions`: what the files do not tell by themselves.

    Returns
    -------
    Trials
        The trials in the order of the first file, with notes on what was left out or negated.

    Raises
    ------
    InputError
        A file that cannot be read as what it should be; the message names file and line.
    TrialsError
        Files that contradict each other.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "scores.txt")
    ...     with open(path, "w") as file:
    ...         _ = file.write("ann ann probe1 0.9\nann bob probe2 0.2\n")
    ...     read_trials(path)
    <Trials: 2 trials (1 genuine, 1 impostor), 1 system: scores; ids: claim, subject, probe>
    """
    settings = as_options(options)
    if len(settings.key) > 1:
        raise ParameterError("give one {key!p} only", key=None)
    trials, _, joined = _read(paths, format, settings, progress)
    return trials if joined is None else trials.with_notes(*check_scored(*joined, settings))


def read_pair(
    dev: PathLike | Sequence[PathLike],
    test: PathLike | Sequence[PathLike],
    *,
    format: str | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> tuple[Trials, Trials]:
    r"""Read dev and test trials of the same systems.

    Systems that the files themselves do not name go together in the order of the files.

    Parameters
    ----------
    dev : str, path-like or sequence of these
        Files of development scores, as for `read_trials`.
    test : str, path-like or sequence of these
        Files of test scores, as for `read_trials`.
    format : str, optional
        The name of a format in `FORMATS`; by default the content of the files tells.
    progress : callable, optional
        Called as work proceeds, with numbers of bytes read.
    **options : object
        The fields of `ReadOptions`: what the files do not tell by themselves.

    Returns
    -------
    tuple of (Trials, Trials)
        Dev and test, with the same names of systems where the files themselves name none.

    Raises
    ------
    InputError
        A file that cannot be read as what it should be; the message names file and line.
    TrialsError
        Files that contradict each other.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("dev.txt", "test.txt"):
    ...         _ = Path(folder, name).write_text("ann ann probe1 0.9\nann bob probe2 0.2\n")
    ...     dev, test = read_pair(f"{folder}/dev.txt", f"{folder}/test.txt")
    >>> dev.systems, test.systems
    (('system',), ('system',))
    """
    settings = as_options(options)
    if len(settings.key) > 2:
        raise ParameterError("give one {key!p} for both sets, or one for dev and one for test", key=None)
    dev_trials, dev_named, dev_joined = _read(dev, format, replace(settings, key=settings.key[:1]), progress)
    test_trials, test_named, test_joined = _read(test, format, replace(settings, key=settings.key[-1:]), progress)
    if dev_joined is not None and test_joined is not None:
        if len(settings.key) == 2:
            test_trials = test_trials.with_notes(*check_scored(*test_joined, settings))
        else:  # one key, whose trials may be of either set
            dev_joined = (dev_joined[0] | test_joined[0], dev_joined[1])
        dev_trials = dev_trials.with_notes(*check_scored(*dev_joined, settings))
    unnamed = not dev_named and not test_named and len(dev_trials.systems) == len(test_trials.systems)
    if unnamed and dev_trials.systems != test_trials.systems:
        note = f"{', '.join(test_trials.systems)} taken as dev's {', '.join(dev_trials.systems)}, by the files' order"
        test_trials = test_trials.renamed(dev_trials.systems).with_notes(note)
    return dev_trials, test_trials


def _read(
    paths: PathLike | Sequence[PathLike], format: str | None, settings: ReadOptions, progress: Progress | None
) -> tuple[Trials, bool, tuple[Flags, Key] | None]:
    """Read the trials, and tell whether the files name their systems, and which trials of a key have scores."""
    key = read_key(settings.key[0], settings) if settings.key else None
    sheets = _name_apart(_read_sheets(expand(paths), format, settings, key, progress), settings.names)
    joined = None
    if key is not None:
        sheet, scored = join(sheets, key, settings)
        joined = (scored, key)
    else:
        sheet = align(sheets, common=settings.common)
    return finish_checked(sheet, settings), sheet.named or bool(settings.names), joined


def _read_sheets(
    files: Sequence[Path], format: str | None, options: ReadOptions, key: Key | None, progress: Progress | None
) -> list[Sheet]:
    groups: list[tuple[Format, Read, list[Head]]] = []
    plain: list[Head] = []
    for path in files:
        if not path.is_dir():
            plain.append(read_head(path, options.max_size))
            continue
        heads = [read_head(file, options.max_size) for file in list_directory(path)]
        if heads and FORMATS["parquet"].matches(heads):
            groups.append((FORMATS["parquet"], parquet.read_parts, heads))
        elif heads and FORMATS["lists"].matches(heads) and format in (None, "lists"):
            groups.append((FORMATS["lists"], lists.read, heads))
        else:
            raise InputError(
                f"{path}: a directory can be read if it holds Parquet files only, or one list of genuine and one of "
                "impostor scores; name the files in it instead"
            )
    if plain:
        formats = [(find_format(format), plain)] if format else detect_formats(plain, options)
        groups += [(chosen, chosen.read, heads) for chosen, heads in formats]
    sheets: list[Sheet] = []
    for chosen, read, heads in groups:
        of_file = options if key is None else beside_key(heads[0], key, options)
        check_options(chosen, of_file)
        sheets += [note_format(sheet.checked(options), chosen.name) for sheet in read(heads, of_file, progress)]
    for sheet in sheets:
        if not len(sheet):
            raise InputError(f"{sheet.origin}: holds no trial")
    return sheets


def _name_apart(sheets: list[Sheet], names: Sequence[str]) -> list[Sheet]:
    """Give systems distinct names: those of the caller, those of files, or those of directories if files are alike."""
    count = sum(len(sheet.systems) for sheet in sheets)
    current = [name for sheet in sheets for name in sheet.systems]
    if names:
        if len(names) != count:
            raise ParameterError(f"{plural(len(names), 'name')} for {plural(count, 'system')} ({listed(current)})")
        current = list(names)
    elif len(set(current)) < count:
        files = [system_name(Path(sheet.origin)) for sheet in sheets]
        if len(set(files)) == count:  # one system in each
            current, sheets = files, [replace(sheet, named=False) for sheet in sheets]
        else:
            if len(set(files)) < len(files):
                files = [Path(sheet.origin).parent.name for sheet in sheets]
            pairs = [(place, name) for place, sheet in zip(files, sheets, strict=True) for name in sheet.systems]
            current = [f"{place}/{name}" if place else name for place, name in pairs]
    if len(set(current)) < count:
        repeated = next(name for name, times in Counter(current).items() if times > 1)
        raise TrialsError(
            "two systems would be called {name:quoted}; give them names in the order of the files, as in {names!o}",
            code="same-name",
            name=repeated,
            names=["A", "B"],
        )
    rest = iter(current)
    return [replace(sheet, systems=tuple(next(rest) for _ in sheet.systems)) for sheet in sheets]


def expected_memory(paths: Sequence[PathLike]) -> int:
    """Estimate how many bytes the trials of files take when they are read whole; 0 if a file cannot be read."""
    try:
        files = [file for path in expand(paths) for file in (list_directory(path) if path.is_dir() else [path])]
        most = _COMPRESSED * sum(file.stat().st_size for file in files)
        if most < _SMALL or any(file.is_fifo() for file in files):
            return most
        expected = 0
        for head in (read_head(file, sys.maxsize) for file in files):
            if head.is_parquet:
                import pyarrow as pa

                with parquet.open_parquet(head) as table:
                    types = table.schema_arrow.types
                    widths = [max(kind.bit_width // 8, 1) if pa.types.is_primitive(kind) else _TEXT for kind in types]
                    expected += table.metadata.num_rows * sum(widths)
            else:
                expected += head.path.stat().st_size * (_COMPRESSED if head.compression else _PLAIN)
        return expected
    except (InputError, OSError):
        return 0


def write_trials(trials: TrialsLike, path: PathLike, *, format: str | None = None) -> tuple[str, ...]:
    """Write trials to a file, which appears whole or not at all.

    Numbers read back exactly as they are.

    Parameters
    ----------
    trials : Trials or data frame
        Trials, or a data frame of them.
    path : str or path-like
        The file to write; the ending of its name says the format.
    format : str, optional
        The name of a format in `FORMATS`, where the ending should not say it.

    Returns
    -------
    tuple of str
        Notes on what the format could not hold.

    Raises
    ------
    OutputError
        A file that cannot be written, or trials that the format cannot hold.

    Examples
    --------
    >>> import tempfile
    >>> trials = Trials.from_arrays([0.9, 0.2], [True, False], systems=["face"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     notes = write_trials(trials, f"{folder}/scores.csv")
    ...     print(Path(folder, "scores.csv").read_text())
    label,face
    genuine,0.9
    impostor,0.2
    <BLANKLINE>
    """
    target = Path(path)
    trials = trials_of(trials, "trials")
    chosen = format_of_name(target) if format is None else find_format(format)
    if format is None and chosen.name == "bob4" and trials.model is not None:
        chosen = find_format("bob5")  # which has room for the model
    if chosen.write is None:
        writable = [name for name, format_ in FORMATS.items() if format_.write is not None]
        raise OutputError(f"{target}: format {chosen.name} cannot be written; choose one of {', '.join(writable)}")
    for name in trials.systems:
        if not name.isprintable():
            template = "{target}: the system name {name:quoted} cannot be written; give another, as in {names!o}"
            raise OutputError(template, target=target, name=name, names=["NAME"])
    for field, column in trials.ids.items():
        names = column.numbered().names
        if any(not name or "\x00" in name for name in names):
            raise OutputError(f"{target}: a {field} is empty or holds a NUL, which a score file cannot")
        if any(name.strip(SPACES) != name for name in names):
            raise OutputError(f"{target}: a {field} begins or ends with a space, which would not be read back")
    with write_whole(target) as place:
        return chosen.write(trials, place, target) or ()
