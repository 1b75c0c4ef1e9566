"""fairtrial plan"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import click

from fairtrial.cli import options
from fairtrial.cli.files import FileCommand
from fairtrial.cli.options import OutputOptions, choice, option
from fairtrial.cli.output import print_result

if TYPE_CHECKING:
    from fairtrial.repeated.rate_plans import Scale


@dataclass(frozen=True, slots=True)
class PlanOptions:
    """What a planned test is to show, and of whom."""

    pi: float | None = option(
        "--pi", type=float, metavar="P", help="The error rate that is expected; 0 with --below: no error."
    )
    rho: float = option(
        "--rho",
        type=float,
        default=0.0,
        show_default=True,
        metavar="R",
        help="Correlation between attempts of a person, or against a client.",
    )
    half_width: float | None = option(
        "--half-width", type=float, metavar="H", help="The half-width that the interval of the rate is to have."
    )
    scale: Scale = choice(
        "--scale", ["linear", "logit"], "linear", help="The half-width is that of the rate, or of its logit."
    )
    below: float | None = option(
        "--below", type=float, metavar="C", help="The claimed rate that the upper bound is to come out below."
    )
    a: tuple[float, float] | None = option(
        "--a", nargs=2, type=float, metavar="FAR FRR", help="Two systems are compared: rates of the first."
    )
    b: tuple[float, float] | None = option("--b", nargs=2, type=float, metavar="FAR FRR", help="Rates of the second.")
    power: float = option(
        "--power",
        type=float,
        default=0.8,
        show_default=True,
        help="How probable it must be that the test succeeds, with --below and with --a and --b.",
    )
    individuals: int | None = option(
        "--individuals", type=int, metavar="N", help="How many people there are (clients, with --a and --b)."
    )
    attempts: int | None = option(
        "--attempts", type=int, metavar="M", help="Attempts of each person (genuine ones, with --a and --b)."
    )
    impostor_attempts: int = option(
        "--impostor-attempts",
        type=int,
        default=10,
        show_default=True,
        metavar="K",
        help="Impostor attempts against each client, with --a and --b.",
    )
    impostors: int | None = option(
        "--impostors",
        type=int,
        metavar="S",
        help="Impostors common to all clients.  [default: each client has impostors of their own]",
    )
    rho_impostor: float = option(
        "--rho-impostor",
        type=float,
        default=0.0,
        show_default=True,
        metavar="R",
        help="Correlation between trials of the same impostor, with --impostors.",
    )
    correlation: float = option(
        "--correlation",
        type=float,
        default=0.0,
        show_default=True,
        help="Correlation of the two systems' errors on the same trial.",
    )
    unpaired: bool = option("--unpaired", is_flag=True, help="The two systems are tested on different trials.")
    person_cost: float = option(
        "--person-cost",
        type=float,
        default=1.0,
        show_default=True,
        metavar="C",
        help="What a person costs, in attempts.",
    )
    confidence: float = option(
        "--confidence", type=float, default=0.95, show_default=True, help="Confidence of the interval or test."
    )


@click.command(cls=FileCommand)
@options.takes(PlanOptions)
@options.seed_option
@options.takes(OutputOptions)
def command(asked: PlanOptions, output: OutputOptions, *, seed: int) -> None:
    """How many people and attempts a test needs.

    For an interval that is narrow enough (--half-width), for an upper bound below a claimed rate (--below), or to
    tell two systems apart (--a, --b). Give --attempts or --individuals to find the other; with neither, the cheapest
    plan is found (one attempt each where attempts are not correlated).

    \b
    Examples:
      fairtrial plan --pi .02 --rho .1 --half-width .005 --attempts 5
      fairtrial plan --pi .005 --rho .1 --below .01
      fairtrial plan --a .010 .020 --b .015 .030 --attempts 4 --impostor-attempts 100 --correlation .5
      fairtrial plan --a .010 .020 --b .015 .030 --attempts 4 --impostor-attempts 100 --impostors 25 --rho-impostor .01
    """
    from fairtrial.repeated.comparison_plans import plan

    output.check()
    found = plan(**asdict(asked), rng=seed)
    print_result(output, found)
