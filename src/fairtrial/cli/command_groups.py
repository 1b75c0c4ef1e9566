"""Groups of commands."""

from __future__ import annotations

import click

_WHOLE = 10_000
"""More letters than any sentence has."""


class FullGroup(click.Group):
    """A group whose help shows what each command does in full, on as many lines as that takes."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, self.described(name)) for name in self.list_commands(ctx)])

    def described(self, name: str) -> str:
        """What a command does, in one sentence."""
        return self.commands[name].get_short_help_str(limit=_WHOLE)
