"""fairtrial eer-bound"""

from __future__ import annotations

import click

from fairtrial.cli import options
from fairtrial.cli.output import percent, print_json, print_notes, print_table


@click.command()
@click.argument("eers", type=float, nargs=-1, required=True, metavar="EER EER...")
@click.option("--trials", type=int, required=True, metavar="N", help="Number of trials both EERs were measured on.")
@click.option("--p-value", type=float, default=0.01, show_default=True, help="For the smallest significant difference.")
@options.as_json
def command(eers: tuple[float, ...], trials: int, p_value: float, json_: bool) -> None:
    """Bound the significance of published EERs on a common dataset; EERs are fractions.

    \b
    Example:
      fairtrial eer-bound .0057 .0008 .0007 .0028 0 --trials 285390
    """
    from fairtrial.significance import bounds_from_eers, smallest_difference
    from fairtrial.significance.eer_bound import NOTE

    pairs = bounds_from_eers(eers, trials)
    delta = smallest_difference(max(eers), trials, p_value=p_value)
    if json_:
        print_json({"pairs": [pair.to_dict() for pair in pairs], "delta_eer": delta, "notes": [NOTE]})
        return
    from rich.table import Table

    table = Table(title="chi2 is at least, p at most", title_justify="left")
    for column in ("A %", "B %", "chi2", "p"):
        table.add_column(column, justify="right")
    for pair in pairs:
        table.add_row(percent(pair.a), percent(pair.b), f"{pair.chi2:.4f}", f"{pair.p_value:.4g}")
    print_table(table)
    click.echo(f"Differences of {percent(delta)} % and more are significant at p = {p_value:g}, whatever the pair.")
    print_notes([NOTE])
