"""fairtrial compare-rates"""

from __future__ import annotations

from dataclasses import replace

import click

from fairtrial.cli import options
from fairtrial.cli.options import OutputOptions
from fairtrial.cli.output import print_result


@click.command()
@click.option("--a", type=float, nargs=2, required=True, metavar="FAR FRR", help="Rates of system A, fractions.")
@click.option("--b", type=float, nargs=2, required=True, metavar="FAR FRR", help="Rates of system B, fractions.")
@click.option("--impostor", type=int, required=True, metavar="NI", help="Number of impostor trials.")
@click.option("--genuine", type=int, required=True, metavar="NC", help="Number of genuine trials.")
@click.option(
    "--discordant",
    type=float,
    nargs=4,
    metavar="NI_AB NI_BA NC_AB NC_BA",
    help="Trials that only B (AB) or only A (BA) got wrong: impostor, then genuine. Allows the dependent test.",
)
@options.alternative_option
@options.takes(OutputOptions)
def command(
    output: OutputOptions,
    *,
    a: tuple[float, float],
    b: tuple[float, float],
    impostor: int,
    genuine: int,
    discordant: tuple[float, float, float, float] | None,
    alternative: options.Alternatives,
) -> None:
    """Test whether two systems differ in HTER, from published rates.

    \b
    Example:
      fairtrial compare-rates --a .0115 .025 --b .0195 .0275 --impostor 112000 --genuine 400
    """
    from fairtrial import significance
    from fairtrial.intervals import published_counts
    from fairtrial.tables import join_tables

    output.check()
    first, second = (
        published_counts(far=rates[0], frr=rates[1], impostor=impostor, genuine=genuine) for rates in (a, b)
    )
    tests = [significance.independent_test(first, second, alternative=alternative)]
    if discordant:
        found = significance.Discordant(*discordant)
        tests.append(significance.dependent_test(first, second, found, alternative=alternative))
    tests += [
        make(first, second, alternative=alternative) for make in (significance.naive_test, significance.class_test)
    ]
    (table,) = join_tables([test.tables() for test in tests])
    table = replace(table, caption="Tests of the difference A - B, all trials independent of each other")
    print_result(output, [table], {"tests": [test.to_dict() for test in tests]})
