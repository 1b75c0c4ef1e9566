"""The options --report and --title: one page of what a command found."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from fairtrial.cli.files import WRITTEN
from fairtrial.cli.options import option
from fairtrial.cli.output import say
from fairtrial.cli.words import table_in_command_line_words
from fairtrial.core.errors import OutputError, ParameterError
from fairtrial.core.parameters import repeat_command

if TYPE_CHECKING:
    from fairtrial.pages.page import Page, Repeat


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """The page that a command writes beside what it prints."""

    report: str | None = option(
        "--report",
        type=WRITTEN,
        metavar="FILE.html",
        help="Write one page with tables and figures, to look at and to share.",
    )
    title: str = option("--title", default="", metavar="TEXT", help="With --report: the title of the page.")

    def check(self) -> None:
        """Raise an error before any work where the page could not be written, or there is none to have a title."""
        from fairtrial.formats.files import check_place

        if self.report is None:
            if self.title:
                raise ParameterError("--title is that of the page; give --report FILE.html too")
            return
        if Path(self.report).suffix.lower() not in (".html", ".htm"):
            raise OutputError(f"{self.report}: the name of a report should end in .html")
        check_place(self.report)

    def write(self, page: Page) -> None:
        """Write the page and say so on stderr, so that --json stays alone on stdout."""
        from fairtrial.pages.page import write_report

        assert self.report is not None
        write_report(replace(_in_command_line_words(page), heading=self.title), self.report)
        say(f"report in {self.report}", aside=True)


def _in_command_line_words(page: Page) -> Page:
    """The page with its notes for those who type commands."""
    tables, data = (tuple(map(table_in_command_line_words, own)) for own in (page.tables, page.data))
    return replace(page, tables=tables, data=data)


def repeat_of(inputs: Iterable[str], seed: int | None) -> Repeat:
    """The command as it was given, versions, and the files it read."""
    from fairtrial.pages.page import repeat_of

    return repeat_of(repeat_command(sys.argv[1:]), inputs, seed)
