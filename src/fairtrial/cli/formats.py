"""fairtrial formats"""

from __future__ import annotations

import click

from fairtrial.cli import options
from fairtrial.cli.output import print_json, print_tables


@click.command()
@options.json_option
def command(json_: bool) -> None:
    """List the score file formats that are read and written.

    \b
    Example:
      fairtrial formats
    """
    from fairtrial.core.tables import Column, Table
    from fairtrial.formats.registry import FORMATS

    known = FORMATS.values()
    if json_:
        facts = [
            {"name": f.name, "description": f.description, "writes": f.write is not None, "endings": list(f.endings)}
            for f in known
        ]
        print_json({"formats": facts})
        return
    columns = (
        Column("name", "name"),
        Column("description", "what it is"),
        Column("writes", "written", "flag"),
        Column("endings", "endings"),
    )
    rows = tuple((f.name, f.description, f.write is not None, " ".join(f.endings)) for f in known)
    print_tables([Table("formats", "Score file formats", columns, rows)])
