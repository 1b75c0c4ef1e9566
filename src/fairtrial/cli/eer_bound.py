"""fairtrial eer-bound"""

from __future__ import annotations

from dataclasses import dataclass

import click

from fairtrial.cli import options
from fairtrial.cli.options import OutputOptions, argument, option
from fairtrial.cli.output import print_result


@dataclass(frozen=True, slots=True)
class BoundOptions:
    """Published EERs and what they were measured on."""

    eers: tuple[float, ...] = argument(type=float, nargs=-1, required=True, metavar="EER EER...")
    trials: int = option(
        "--trials", type=int, required=True, metavar="N", help="Number of trials that the EERs were measured on."
    )
    p_value: float = option(
        "--p-value", type=float, default=0.01, show_default=True, help="For the smallest significant difference."
    )


@click.command()
@options.takes(BoundOptions, OutputOptions)
def command(asked: BoundOptions, output: OutputOptions) -> None:
    """Bound the significance of published EERs on a common dataset; EERs are fractions.

    \b
    Example:
      fairtrial eer-bound .0057 .0008 .0007 .0028 0 --trials 285390
    """
    from fairtrial.significance import bounds_from_eers, smallest_difference
    from fairtrial.significance.eer_bound import NOTE
    from fairtrial.tables import join_tables, percent

    output.check()
    pairs = bounds_from_eers(asked.eers, asked.trials)
    delta = smallest_difference(max(asked.eers), asked.trials, p_value=asked.p_value)
    (table,) = join_tables([pair.tables() for pair in pairs])
    note = f"differences of {percent(delta)} and more are significant at p = {asked.p_value:g}, whatever the pair"
    found = {"pairs": [pair.to_dict() for pair in pairs], "delta_eer": delta, "notes": [NOTE]}
    print_result(output, [table.with_notes(note)], found)
