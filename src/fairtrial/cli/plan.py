"""fairtrial plan"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from fairtrial.cli import options
from fairtrial.cli.files import FileCommand
from fairtrial.cli.options import OutputOptions, choice, option
from fairtrial.cli.output import print_result
from fairtrial.errors import ParameterError

if TYPE_CHECKING:
    from fairtrial.planning import ComparisonPlan, RatePlan, SimulatedPlan
    from fairtrial.planning.attempts import Scale

_OF_COMPARISONS = ["impostor_attempts", "impostors", "rho_impostor", "correlation", "unpaired"]
_DATA_SETS = 1000
"""Tests that are simulated to check the power of a comparison."""


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

    def check(self) -> None:
        """Raise an error where an option was given that would be ignored."""
        if self.pair is None:
            options.refuse_given(_OF_COMPARISONS, "applies to a comparison, which needs --a FAR FRR and --b FAR FRR")
            if self.below is None:
                options.refuse_given(["power"], "applies with --below, or with --a and --b, not to a half-width")
            if self.half_width is None:
                options.refuse_given(["scale"], "applies to --half-width")
            return
        options.refuse_given(["half_width", "below", "pi"], "does not go with --a and --b")
        options.refuse_given(["scale"], "applies to --half-width, not to a comparison by --a and --b")
        options.refuse_given(["person_cost"], "applies to the plan for one rate, not to a comparison by --a and --b")
        if self.unpaired:
            options.refuse_given(["correlation"], "applies to errors on the same trials, not with --unpaired")

    @property
    def pair(self) -> tuple[tuple[float, float], tuple[float, float]] | None:
        """The rates of two systems, if a comparison is planned."""
        if (self.a is None) != (self.b is None):
            raise ParameterError("a comparison needs both --a FAR FRR and --b FAR FRR")
        return None if self.a is None or self.b is None else (self.a, self.b)

    @property
    def paired_correlation(self) -> float | None:
        """The correlation of errors on the same trial; None where there is no such trial."""
        return None if self.unpaired else self.correlation

    def plan_rate(self) -> RatePlan:
        """The plan for an error rate."""
        from fairtrial.planning import plan_rate

        if self.pi is None:
            raise ParameterError(
                "say which error rate is expected, as in --pi .01; or compare two systems with --a and --b"
            )
        return plan_rate(
            self.pi,
            self.rho,
            half_width=self.half_width,
            scale=self.scale,
            claim=self.below,
            power=self.power,
            confidence=self.confidence,
            individuals=self.individuals,
            attempts=self.attempts,
            person_cost=self.person_cost,
        )

    def plan_comparison(
        self,
        pair: tuple[tuple[float, float], tuple[float, float]],
        individuals: int | None = None,
        *,
        data_sets: int = 0,
        seed: int = 0,
    ) -> ComparisonPlan:
        """The plan for a comparison, of so many people if that is said, checked on so many simulated data sets."""
        from fairtrial.planning import plan_comparison

        return plan_comparison(
            *pair,
            power=self.power,
            individuals=self.individuals if individuals is None else individuals,
            attempts=1 if self.attempts is None else self.attempts,
            impostor_attempts=self.impostor_attempts,
            impostors=self.impostors,
            rho_client=self.rho,
            rho_impostor=self.rho_impostor,
            correlation=self.paired_correlation,
            confidence=self.confidence,
            data_sets=data_sets,
            rng=seed,
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
    output.check()
    asked.check()
    pair = asked.pair
    if pair is None:
        _plan_rate(asked, output, seed)
    else:
        _plan_comparison(asked, pair, output, seed)


def _plan_rate(asked: PlanOptions, output: OutputOptions, seed: int) -> None:
    from fairtrial.individuals.generators import MOST_SIMULATED
    from fairtrial.intervals import rule_of_three
    from fairtrial.planning import check_plan, rule_of_thirty

    plan = asked.plan_rate()
    simulated = check_plan(plan, rng=seed) if plan.pi > 0 and plan.attempts <= MOST_SIMULATED else None
    rules: dict[str, Any] = {
        "rule_of_3": rule_of_three(plan.individuals * plan.attempts),
        "rule_of_3_individuals": rule_of_three(plan.individuals),
    }
    if plan.pi > 0:
        rules["rule_of_30"] = rule_of_thirty(plan.pi)
    main, alternatives = plan.tables()
    checked = [] if simulated is None else [simulated.tables()[0].with_notes(*_warnings(plan, simulated))]
    tables = [main, *checked, alternatives.with_notes(*_rules_of_thumb(rules))]
    found = {**plan.to_dict(), **rules, "simulated": None if simulated is None else simulated.to_dict()}
    print_result(output, tables, found)


def _rules_of_thumb(rules: dict[str, Any]) -> list[str]:
    from fairtrial.tables import percent, plural

    notes = [
        f"rule of 3: no error at all would exclude {percent(rules['rule_of_3'])} if attempts were independent, and "
        f"{percent(rules['rule_of_3_individuals'])} however they are correlated"
    ]
    if "rule_of_30" in rules:
        needed = plural(rules["rule_of_30"], "independent attempt")
        notes.append(f"rule of 30: 30 errors at this rate take {needed}")
    return notes


def _warnings(plan: RatePlan, simulated: SimulatedPlan) -> list[str]:
    notes = []
    if simulated.coverage < plan.confidence - 0.03:
        notes.append("so few errors come up that lbb does not cover as it should; plan for more people")
    return notes


def _plan_comparison(
    asked: PlanOptions, pair: tuple[tuple[float, float], tuple[float, float]], output: OutputOptions, seed: int
) -> None:
    plan = asked.plan_comparison(pair, data_sets=_DATA_SETS, seed=seed)
    (table,) = plan.tables()
    if plan.power_simulated is None:
        table = table.with_notes("the power was not simulated: too many trials, or correlations too large")
    print_result(output, [table], plan.to_dict())
