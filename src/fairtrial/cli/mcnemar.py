"""fairtrial mcnemar"""

from __future__ import annotations

import click

from fairtrial.cli import options
from fairtrial.cli.output import print_json, print_table


@click.command()
@click.option("--b", type=int, required=True, metavar="N", help="Trials that only A got wrong.")
@click.option("--c", type=int, required=True, metavar="N", help="Trials that only B got wrong.")
@options.as_json
def command(b: int, c: int, json_: bool) -> None:
    """McNemar's test from the numbers of trials on which two systems disagree.

    \b
    Example:
      fairtrial mcnemar --b 26055 --c 26707
    """
    from fairtrial.significance import mcnemar_test

    result = mcnemar_test(b, c)
    if json_:
        print_json(result.to_dict())
        return
    from rich.table import Table

    table = Table("version", "chi2", "p")
    table.add_row("uncorrected", f"{result.chi2:.4f}", f"{result.p_value:.6g}")
    table.add_row("continuity corrected", f"{result.chi2_corrected:.4f}", f"{result.p_value_corrected:.6g}")
    table.add_row("exact", "", f"{result.p_value_exact:.6g}")
    table.add_row("mid-p", "", f"{result.p_value_mid:.6g}")
    print_table(table)
