"""fairtrial compare-rates"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import click

from fairtrial.cli import options
from fairtrial.cli.files import FileCommand
from fairtrial.cli.options import OutputOptions, choice, option
from fairtrial.cli.output import print_result
from fairtrial.errors import ParameterError

if TYPE_CHECKING:
    from fairtrial.counting.errors import ErrorCounts
    from fairtrial.significance import TestResult


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

    def counts(self) -> tuple[ErrorCounts, ErrorCounts]:
        """The errors of A and of B."""
        return self._of("a", self.a, self.a_counts), self._of("b", self.b, self.b_counts)

    def _of(self, name: str, rates: tuple[float, float] | None, errors: tuple[int, int] | None) -> ErrorCounts:
        from fairtrial.intervals import published_counts

        if (rates is None) == (errors is None):
            given = "neither was" if rates is None else "both were"
            raise ParameterError(f"give either --{name} FAR FRR or --{name}-counts FA FR; {given} given")
        far, frr = rates or (None, None)
        accepts, rejects = errors or (None, None)
        try:
            return published_counts(
                far=far,
                frr=frr,
                false_accepts=accepts,
                false_rejects=rejects,
                impostor=self.impostor,
                genuine=self.genuine,
            )
        except ParameterError as error:
            raise ParameterError(f"system {name.upper()}: {error}") from error


@dataclass(frozen=True, slots=True)
class TestOptions:
    """What is compared, and how."""

    measure: str = choice(
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
    from fairtrial.tables import join_tables

    output.check()
    tests = _tests(*published.counts(), asked, alternative)
    (table,) = join_tables([test.tables() for test in tests])
    table = replace(table, caption="Tests of the difference A - B, all trials independent of each other")
    print_result(output, [table], {"tests": [test.to_dict() for test in tests]})


def _tests(a: ErrorCounts, b: ErrorCounts, asked: TestOptions, alternative: options.Alternatives) -> list[TestResult]:
    from fairtrial import significance

    for name, owner in (("alpha", "wer"), ("dcf", "dcf")):
        if asked.measure != owner:
            options.refuse_given([name], f"applies to --measure {owner}, not to {asked.measure}")
    measure = options.measure_by_name(asked.measure, asked.dcf)
    alpha = asked.alpha
    tests = [significance.independent_test(a, b, measure=measure, alpha=alpha, alternative=alternative)]
    if asked.measure in ("far", "frr"):
        tests.append(significance.pooled_test(a, b, measure=measure, alternative=alternative))
    if asked.discordant is not None:
        discordant = significance.Discordant(*asked.discordant)
        tests.append(
            significance.dependent_test(a, b, discordant, measure=measure, alpha=alpha, alternative=alternative)
        )
    if asked.measure == "hter":
        tests += [make(a, b, alternative=alternative) for make in (significance.naive_test, significance.class_test)]
    return tests
