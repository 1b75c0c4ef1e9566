"""fairtrial plan"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from fairtrial.checks import check_seed
from fairtrial.cli import options
from fairtrial.cli.output import percent, print_json, print_table
from fairtrial.errors import ParameterError

if TYPE_CHECKING:
    from fairtrial.planning import ComparisonPlan, RatePlan, SimulatedPlan

_APART = 0.05


@click.command()
@click.option("--pi", type=float, metavar="P", help="The error rate that is expected; 0 with --below: no error.")
@click.option(
    "--rho",
    type=float,
    default=0.0,
    show_default=True,
    metavar="R",
    help="Correlation between attempts of a person, or against a client.",
)
@click.option("--half-width", type=float, metavar="H", help="The half-width that the interval of the rate is to have.")
@click.option(
    "--scale",
    type=click.Choice(["linear", "logit"]),
    default="linear",
    show_default=True,
    help="The half-width is that of the rate, or of its logit.",
)
@click.option("--below", type=float, metavar="C", help="The claimed rate that the upper bound is to come out below.")
@click.option("--a", nargs=2, type=float, metavar="FAR FRR", help="Two systems are compared: the first.")
@click.option("--b", nargs=2, type=float, metavar="FAR FRR", help="The second.")
@click.option("--power", type=float, default=0.8, show_default=True, help="How surely, with --below and with --a --b.")
@click.option("--individuals", type=int, metavar="N", help="The people there are (clients, with --a --b).")
@click.option("--attempts", type=int, metavar="M", help="The attempts of each person (genuine ones, with --a --b).")
@click.option(
    "--impostor-attempts",
    type=int,
    default=10,
    show_default=True,
    metavar="K",
    help="Impostor attempts against each client.",
)
@click.option(
    "--impostors",
    type=int,
    metavar="S",
    help="Impostors common to all clients.  [default: each client has impostors of their own]",
)
@click.option(
    "--rho-impostor",
    type=float,
    default=0.0,
    show_default=True,
    metavar="R",
    help="Correlation between trials of the same impostor, with --impostors.",
)
@click.option(
    "--correlation",
    type=float,
    default=0.0,
    show_default=True,
    help="Of the two systems' errors on the same trial.",
)
@click.option("--unpaired", is_flag=True, help="The two systems are tested on different trials.")
@click.option(
    "--person-cost", type=float, default=1.0, show_default=True, metavar="C", help="What a person costs, in attempts."
)
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Confidence of interval or test.")
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Seed of the simulated check.")
@options.as_json
def command(json_: bool, **values: Any) -> None:
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
    check_seed(values["seed"])
    if (values["a"] is None) != (values["b"] is None):
        raise ParameterError("a comparison needs both --a FAR FRR and --b FAR FRR")
    if values["a"] is not None:
        _plan_comparison(values, json_)
    else:
        _plan_rate(values, json_)


def _plan_rate(values: dict[str, Any], json_: bool) -> None:
    from fairtrial.individuals.generators import MOST_SIMULATED
    from fairtrial.intervals import rule_of_three
    from fairtrial.planning import check_plan, plan_rate, rule_of_thirty

    if values["pi"] is None:
        raise ParameterError(
            "say which error rate is expected, as in --pi .01; or compare two systems with --a and --b"
        )
    plan = plan_rate(
        values["pi"],
        values["rho"],
        half_width=values["half_width"],
        scale=values["scale"],
        claim=values["below"],
        power=values["power"],
        confidence=values["confidence"],
        individuals=values["individuals"],
        attempts=values["attempts"],
        person_cost=values["person_cost"],
    )
    simulated = check_plan(plan, rng=values["seed"]) if plan.pi > 0 and plan.attempts <= MOST_SIMULATED else None
    total = plan.individuals * plan.attempts
    if json_:
        rules: dict[str, Any] = {
            "rule_of_3": rule_of_three(total),
            "rule_of_3_individuals": rule_of_three(plan.individuals),
        }
        if plan.pi > 0:
            rules["rule_of_30"] = rule_of_thirty(plan.pi)
        print_json({**plan.to_dict(), **rules, "simulated": None if simulated is None else simulated.to_dict()})
        return
    _print_rate(plan, simulated, values["power"])
    click.echo(
        f"rule of 3: no error at all would exclude {percent(rule_of_three(total))} % if attempts were independent, and "
        f"{percent(rule_of_three(plan.individuals))} % however they are correlated"
    )
    if plan.pi > 0:
        click.echo(f"rule of 30: 30 errors at this rate take {rule_of_thirty(plan.pi):,} independent attempts")


def _print_rate(plan: RatePlan, simulated: SimulatedPlan | None, power: float) -> None:
    from rich.table import Table

    expected = plan.expected
    tries = f"{plan.attempts:,} attempt{'s' if plan.attempts > 1 else ''}"
    click.echo(
        f"{plan.individuals:,} individuals with {tries} each, {plan.individuals * plan.attempts:,} "
        f"in all, worth {expected['independent_attempts']:,.0f} independent ones"
    )
    if plan.pi > 0:
        click.echo(
            f"expected at {percent(plan.pi)} %: half-width {percent(expected['half_width'])} points; by the logit from "
            f"{percent(expected['low'])} to {percent(expected['high'])} %"
        )
    if simulated is not None:
        click.echo(
            f"simulated {simulated.data_sets:,} times: mean half-width {percent(simulated.mean_half_width)} points, "
            f"lbb covered {percent(simulated.coverage)} %"
            + (
                ""
                if simulated.share_below_claim is None
                else f", upper bound below the claim in {percent(simulated.share_below_claim)} %"
            )
        )
        if simulated.coverage < plan.confidence - 0.03:
            click.echo("note: so few errors come up that lbb does not cover as it should; plan for more people")
        if simulated.share_below_claim is not None and simulated.share_below_claim < power - 0.02:
            click.echo(f"note: that is less than the {percent(power)} % asked for; plan with a higher --power")
    table = Table(title="alternatives", title_justify="left")
    for column in ("attempts each", "individuals", "attempts in all", "cost"):
        table.add_column(column, justify="right")
    for row in plan.trade_off:
        table.add_row(f"{row.attempts:,}", f"{row.individuals:,}", f"{row.total:,}", f"{row.cost:,.0f}")
    print_table(table)


def _plan_comparison(values: dict[str, Any], json_: bool) -> None:
    from fairtrial.planning import plan_comparison

    for name in ("half_width", "below", "pi"):
        if values[name] is not None:
            raise ParameterError(f"--{name.replace('_', '-')} does not go with --a and --b")
    plan = plan_comparison(
        values["a"],
        values["b"],
        power=values["power"],
        individuals=values["individuals"],
        attempts=1 if values["attempts"] is None else values["attempts"],
        impostor_attempts=values["impostor_attempts"],
        impostors=values["impostors"],
        rho_client=values["rho"],
        rho_impostor=values["rho_impostor"],
        correlation=None if values["unpaired"] else values["correlation"],
        confidence=values["confidence"],
        rng=values["seed"],
    )
    if json_:
        print_json(plan.to_dict())
        return
    _print_comparison(plan)


def _print_comparison(plan: ComparisonPlan) -> None:
    kind, level = "paired" if plan.paired else "unpaired", f"{100 * (1 - plan.confidence):.3g} %"
    each = "" if plan.paired else " per system"
    common = "" if plan.impostors is None else f" from {plan.impostors:,} common impostors"
    click.echo(
        f"{plan.individuals:,} individuals with {plan.attempts:,} genuine and {plan.impostor_attempts:,} impostor "
        f"attempts each{common}: {plan.genuine:,} genuine and {plan.impostor:,} impostor trials{each}"
    )
    click.echo(f"the {kind} test at {level} finds the difference with a power of {percent(plan.power)} %")
    if plan.power_simulated is None or plan.power_error is None:
        click.echo("not simulated: too many trials, or correlations too large")
        return
    click.echo(
        f"simulated: {percent(plan.power_simulated)} %, with a standard error of {percent(plan.power_error)} points"
    )
    if abs(plan.power_simulated - plan.power) > _APART:
        click.echo(
            "note: the two differ by more than 5 points, since errors are few or people few; go by the simulated power"
        )
