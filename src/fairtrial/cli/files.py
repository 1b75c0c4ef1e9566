"""Files that a command names: which it reads, which it writes, and that none is both."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from fairtrial.core.errors import InputError, OutputError


class _FileName(click.types.StringParamType):
    """The type of options and arguments that name files; the shell completes them."""

    name = "file"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(incomplete, type=self.name)]


READ = _FileName()
"""A file, a glob or a directory that is read."""
WRITTEN = _FileName()
"""A file that is written."""


def named_files(context: click.Context, kind: _FileName) -> list[str]:
    """List the files of a kind that the options and arguments of a command name."""
    names: list[str] = []
    for parameter in context.command.params:
        given = context.params.get(parameter.name or "") if parameter.type is kind else None
        names += [given] if isinstance(given, str) else given or ()
    return names


def check_not_read(context: click.Context, read: Iterable[str | Path], also_written: Iterable[str | Path] = ()) -> None:
    """Raise an error if a command would write over a file that it reads, whatever it is called, or twice to one."""
    written = [*named_files(context, WRITTEN), *map(str, also_written)]
    places = [Path(os.path.realpath(name)) for name in written]
    for name, place in zip(written, places, strict=True):
        if places.count(place) > 1:
            raise OutputError(f"{name}: two results would be written to this file; name another for one of them")
    for path in _expanded(read) if written else ():
        for name, place in zip(written, places, strict=True):
            if _is_same(place, path) or (path.is_dir() and _is_same(place.parent, path)):
                raise OutputError(f"{name}: would be written over files that are read; name another file")


def _expanded(read: Iterable[str | Path]) -> Iterator[Path]:
    from fairtrial.formats.files import expand

    for entry in read:
        try:
            yield from expand(entry)
        except InputError:  # left to whoever reads it
            continue


def _is_same(place: Path, path: Path) -> bool:
    """Tell whether two names are of one file, through links of either kind."""
    try:
        return place.samefile(path)
    except (OSError, ValueError):  # one of them is not there
        return False
