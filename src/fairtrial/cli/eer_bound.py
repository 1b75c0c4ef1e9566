"""fairtrial eer-bound"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from fairtrial.cli import options
from fairtrial.cli.files import FileCommand
from fairtrial.cli.options import OutputOptions, argument, choice, option
from fairtrial.cli.output import print_result
from fairtrial.core.errors import ParameterError

if TYPE_CHECKING:
    from fairtrial.inference.multiplicity import Correction
    from fairtrial.published.eer_bound import EerBounds


@dataclass(frozen=True, slots=True)
class BoundOptions:
    """Published EERs and what they were measured on."""

    eers: tuple[str, ...] = argument(nargs=-1, required=True, metavar="[NAME=]EER [NAME=]EER...")
    trials: int = option(
        "--trials", type=int, required=True, metavar="N", help="Number of trials that the EERs were measured on."
    )
    p_value: float = option(
        "--p-value", type=float, default=0.01, show_default=True, help="What counts as significant."
    )
    eer_m: float | None = option(
        "--eer-m",
        type=float,
        metavar="X",
        help="EER_M for the smallest significant difference: no EER is larger.  [default: the largest EER]",
    )
    correction: Correction = choice(
        "--correction", ["holm", "bh", "none"], "holm", help="How p values are adjusted for the number of pairs."
    )

    def bounds(self) -> EerBounds:
        """The bounds of all pairs."""
        from fairtrial.published.eer_bound import bounds_from_eers

        return bounds_from_eers(
            self._eers(), self.trials, p_value=self.p_value, eer_m=self.eer_m, correction=self.correction
        )

    def _eers(self) -> list[float | tuple[str, float]]:
        """The EERs, with their names if they have any."""
        given = [text.rpartition("=") for text in self.eers]
        return [(name, _number(text)) if sign else _number(text) for name, sign, text in given]


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise ParameterError(f"{text!r} is not a number: an EER is a fraction, as in .0057 or TAN=.0057") from error


@click.command(cls=FileCommand)
@options.takes(BoundOptions, OutputOptions)
def command(asked: BoundOptions, output: OutputOptions) -> None:
    """Bound the significance of published EERs on a common dataset; EERs are fractions.

    \b
    Examples:
      fairtrial eer-bound .0013 .0058 --trials 719400
      fairtrial eer-bound TAN=.0057 DAUGMAN=.0008 MA=.0007 YAO=.0028 BASTYS=0 --trials 285390 --eer-m .0058
    """
    output.check()
    found = asked.bounds()
    print_result(output, found.tables(), found.to_dict())
