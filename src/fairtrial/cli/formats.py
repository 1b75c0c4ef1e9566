"""fairtrial formats"""

from __future__ import annotations

import click

from fairtrial.cli import options
from fairtrial.cli.output import print_json, print_table


@click.command()
@options.as_json
def command(json_: bool) -> None:
    """List the score file formats that are read and written.

    \b
    Example:
      fairtrial formats
    """
    from fairtrial.formats import FORMATS

    if json_:
        print_json(
            {
                "formats": [
                    {
                        "name": f.name,
                        "description": f.description,
                        "writes": f.write is not None,
                        "endings": list(f.endings),
                    }
                    for f in FORMATS.values()
                ]
            }
        )
        return
    from rich.table import Table

    table = Table("name", "what it is", "written", "endings")
    for known in FORMATS.values():
        table.add_row(known.name, known.description, "yes" if known.write else "", " ".join(known.endings))
    print_table(table)
