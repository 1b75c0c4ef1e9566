"""fairtrial compare-rates"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from fairtrial.cli import options
from fairtrial.cli.files import FileCommand
from fairtrial.cli.options import OutputOptions, choice, option
from fairtrial.cli.output import print_result

if TYPE_CHECKING:
    from fairtrial.published.rates import ComparedMeasure


@dataclass(frozen=True, slots=True)
class PublishedOptions:
    """The errors of two systems, as rates or as numbers, and how many trials there are."""

    a: tuple[float, float] | None = option(
        "--a", type=float, nargs=2, metavar="FAR FRR", help="Rates of system A, fractions."
    )
    b: tuple[float, float] | None = option(
        "--b", type=float, nargs=2, metavar="FAR FRR", help="Rates of system B, fractions."
    )
    a_counts: tuple[int, int] | None = option(
        "--a-counts", type=int, nargs=2, metavar="FA FR", help="Numbers of errors of system A, in place of its rates."
    )
    b_counts: tuple[int, int] | None = option(
        "--b-counts", type=int, nargs=2, metavar="FA FR", help="Numbers of errors of system B, in place of its rates."
    )
    impostor: int = option("--impostor", type=int, required=True, metavar="NI", help="Number of impostor trials.")
    genuine: int = option("--genuine", type=int, required=True, metavar="NC", help="Number of genuine trials.")


@dataclass(frozen=True, slots=True)
class TestOptions:
    """What is compared, and how."""

    measure: ComparedMeasure = choice(
        "--measure",
        ["hter", "wer", "dcf", "far", "frr"],
        "hter",
        help="What is compared.",
    )
    alpha: float = option("--alpha", type=float, default=0.5, show_default=True, help="Weight of FAR in wer.")
    dcf: str | None = option("--dcf", metavar="CFR,PG,CFA,PI", help=options.DCF_HELP)
    discordant: tuple[int, int, int, int] | None = option(
        "--discordant",
        type=int,
        nargs=4,
        metavar="NI_AB NI_BA NC_AB NC_BA",
        help="Trials that only B (AB) or only A (BA) got wrong: impostor, then genuine. Allows the dependent test.",
    )


@click.command(cls=FileCommand)
@options.takes(PublishedOptions, TestOptions)
@options.alternative_option
@options.takes(OutputOptions)
def command(
    published: PublishedOptions,
    asked: TestOptions,
    output: OutputOptions,
    *,
    alternative: options.Alternatives,
) -> None:
    """Test whether two systems differ, from published rates or numbers of errors.

    \b
    Examples:
      fairtrial compare-rates --a .0115 .025 --b .0195 .0275 --impostor 112000 --genuine 400
      fairtrial compare-rates --a-counts 1285 10 --b-counts 2184 11 --impostor 112000 --genuine 400 --measure frr
    """
    from fairtrial.published.rates import compare_rates

    output.check()
    found = compare_rates(
        a=published.a,
        b=published.b,
        a_counts=published.a_counts,
        b_counts=published.b_counts,
        impostor=published.impostor,
        genuine=published.genuine,
        measure=asked.measure,
        alpha=asked.alpha,
        costs=None if asked.dcf is None else options.detection_costs(asked.dcf),
        discordant=asked.discordant,
        alternative=alternative,
    )
    print_result(output, found)
