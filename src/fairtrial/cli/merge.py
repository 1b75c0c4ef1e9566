"""fairtrial merge"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from fairtrial.cli import options
from fairtrial.cli.files import READ, WRITTEN, FileCommand
from fairtrial.cli.output import print_json, print_notes, say
from fairtrial.cli.progress import Bar
from fairtrial.core.results import plain

if TYPE_CHECKING:
    from fairtrial.counting.counter import Counter


@click.command(cls=FileCommand)
@click.argument("inputs", nargs=-1, required=True, type=READ, metavar="P.ftc...")
@click.option("--out", required=True, type=WRITTEN, metavar="M.ftc", help="The file of counts to write.")
@options.json_option
def command(*, inputs: tuple[str, ...], out: str, json_: bool) -> None:
    """Merge files of counts into one; their order does not matter.

    \b
    Example:
      fairtrial merge part-*.ftc --out dev.ftc
    """
    from fairtrial.counting.counter import load_counters
    from fairtrial.formats.counter_file import ENDING
    from fairtrial.formats.files import expand
    from fairtrial.formats.results import check_target

    check_target(out, (ENDING,))
    paths = expand(inputs)
    with Bar("merging", len(paths)) as bar:
        counter = load_counters(paths, progress=bar.advance)
    counter.save(out)
    print_counter(counter, out, json=json_)


def print_counter(counter: Counter, out: str, *, json: bool, notes: Sequence[str] = ()) -> None:
    """What a file of counts holds, as text or JSON."""
    cells = {name: counter.cells(name) for name in counter.systems}
    exact = all(own.level == 0 for own in cells.values())
    if json:
        print_json(
            {
                "out": out,
                "systems": list(counter.systems),
                "genuine": counter.genuine,
                "impostor": counter.impostor,
                "precision": counter.precision,
                "thresholds": {name: list(values) for name, values in counter.thresholds.items()},
                "ids": list(counter.roles),
                "cells": {name: len(own) for name, own in cells.items()},
                "exact": exact,
                "notes": plain(notes),
            }
        )
        return
    most = max(len(own) for own in cells.values())
    kept = f"{most:,} distinct scores, all kept" if exact else f"up to {most:,} cells"
    trials = f"{counter.genuine:,} genuine and {counter.impostor:,} impostor trials"
    say(f"{out}: {trials}, systems {', '.join(counter.systems)}; {kept}")
    print_notes(notes)
