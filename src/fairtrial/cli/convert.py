"""fairtrial convert"""

from __future__ import annotations

import click

from fairtrial.cli import options
from fairtrial.cli.files import READ, WRITTEN, FileCommand
from fairtrial.cli.options import ReadingOptions
from fairtrial.cli.output import print_json, print_notes, say
from fairtrial.cli.progress import reading_bar
from fairtrial.core.results import plain


@click.command(cls=FileCommand)
@click.argument("inputs", nargs=-1, required=True, type=READ, metavar="IN...")
@click.option(
    "--out",
    required=True,
    type=WRITTEN,
    metavar="OUT",
    help="The file to write; its ending says the format: .csv, .tsv, .parquet, .npz, .txt, and .gz or .zst after it.",
)
@click.option(
    "--to",
    metavar="FORMAT",
    help="Format to write (csv, tsv, parquet, npz, bob4, bob5), if the ending should not tell.",
)
@options.takes(ReadingOptions)
@options.json_option
def command(reading: ReadingOptions, *, inputs: tuple[str, ...], out: str, to: str | None, json_: bool) -> None:
    """Convert score files from one format to another, without losing a digit.

    Several inputs are several systems; their trials are aligned by their ids.

    \b
    Examples:
      fairtrial convert scores.txt --out scores.parquet
      fairtrial convert gen.scores imp.scores --out both.csv.gz
    """
    from fairtrial.formats.files import check_place
    from fairtrial.formats.read import read_trials, write_trials

    check_place(out)
    with reading_bar(inputs) as bar:
        trials = read_trials(inputs, progress=bar.advance, **reading.keywords())
    notes = (*trials.notes, *write_trials(trials, out, format=to))
    genuine = int(trials.genuine.sum())
    if json_:
        print_json(
            {
                "out": out,
                "systems": list(trials.systems),
                "genuine": genuine,
                "impostor": len(trials) - genuine,
                "columns": list(trials.columns),
                "notes": plain(notes),
            }
        )
        return
    say(
        f"{out}: {genuine:,} genuine and {len(trials) - genuine:,} impostor trials, systems {', '.join(trials.systems)}"
    )
    print_notes(notes)
