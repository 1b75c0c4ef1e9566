"""Files that a command names: which it reads, which it writes, and that none is both."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from fairtrial.cli.command_groups import FullGroup
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


class FileCommand(click.Command):
    """A command that never writes over what it reads, nor twice to one file."""

    def invoke(self, ctx: click.Context) -> Any:
        check_not_read(_named(ctx, READ))
        return super().invoke(ctx)


class FileGroup(FullGroup):
    """A group of such commands."""

    command_class = FileCommand


def check_not_read(read: Iterable[str | Path], *, also_written: Iterable[str | Path] = ()) -> None:
    """Raise an error where the present command would write over a file that it reads, whatever it is called.

    Parameters
    ----------
    read
        Files, globs and directories; those that are not there are left to whoever reads them.
    also_written
        What is written besides the files that options name.
    """
    written = [*_named(click.get_current_context(), WRITTEN), *map(str, also_written)]
    if not written:
        return
    places = [Path(os.path.realpath(name)) for name in written]
    for name, place in zip(written, places, strict=True):
        if places.count(place) > 1:
            raise OutputError(f"{name}: two results would be written to this file; name another for one of them")
    for path in _expanded(read):
        for name, place in zip(written, places, strict=True):
            if _is_same(place, path) or (path.is_dir() and _is_same(place.parent, path)):
                raise OutputError(f"{name}: would be written over files that are read; name another file")


def _named(ctx: click.Context, kind: _FileName) -> list[str]:
    """What the options and arguments of this kind were given."""
    found: list[str] = []
    for parameter in ctx.command.params:
        given = ctx.params.get(parameter.name or "") if parameter.type is kind else None
        found += [given] if isinstance(given, str) else given or ()
    return found


def _expanded(read: Iterable[str | Path]) -> Iterator[Path]:
    from fairtrial.formats.files import expand

    for entry in read:
        try:
            yield from expand(entry)
        except InputError:
            continue


def _is_same(place: Path, path: Path) -> bool:
    """Whether two names are of one file, through links of either kind."""
    try:
        return place.samefile(path)
    except (OSError, ValueError):  # one of them is not there
        return False
