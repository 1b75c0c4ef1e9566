"""fairtrial datasets"""

from __future__ import annotations

import click

from fairtrial.cli import options
from fairtrial.cli.output import print_json, print_tables


@click.command()
@click.argument("name", required=False)
@options.json_option
def command(name: str | None, json_: bool) -> None:
    """List the score sets that benchmarks can use, or show one by its NAME.

    Scores are not part of fairtrial. Put them into the directory that $FAIRTRIAL_DATA names; those that can be
    downloaded are, when they are first used, into the cache ($FAIRTRIAL_CACHE, or your user's).

    \b
    Examples:
      fairtrial datasets
      fairtrial datasets bssr1-set1
    """
    from fairtrial.benchmark.datasets import list_datasets

    found = list_datasets(name)
    if json_:
        print_json(found.to_dict())
    else:
        print_tables(found.tables())
