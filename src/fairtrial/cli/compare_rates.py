"""fairtrial compare-rates"""

from __future__ import annotations

import click

from fairtrial.cli import options
from fairtrial.cli.output import percent, print_json, print_notes, print_table


@click.command()
@click.option("--a", type=float, nargs=2, required=True, metavar="FAR FRR", help="Rates of system A, fractions.")
@click.option("--b", type=float, nargs=2, required=True, metavar="FAR FRR", help="Rates of system B.")
@click.option("--impostor", type=int, required=True, metavar="NI", help="Number of impostor trials.")
@click.option("--genuine", type=int, required=True, metavar="NC", help="Number of genuine trials.")
@click.option(
    "--discordant",
    type=float,
    nargs=4,
    metavar="NI_AB NI_BA NC_AB NC_BA",
    help="Trials only B (AB) or only A (BA) got wrong: impostor, then genuine. Allows the dependent test.",
)
@options.alternative
@options.as_json
def command(
    a: tuple[float, float],
    b: tuple[float, float],
    impostor: int,
    genuine: int,
    discordant: tuple[float, float, float, float] | None,
    alternative: str,
    json_: bool,
) -> None:
    """Test whether two systems differ in HTER, from published rates.

    \b
    Example:
      fairtrial compare-rates --a .0115 .025 --b .0195 .0275 --impostor 112000 --genuine 400
    """
    from fairtrial import significance
    from fairtrial.intervals import published_counts

    first, second = (
        published_counts(far=rates[0], frr=rates[1], impostor=impostor, genuine=genuine) for rates in (a, b)
    )
    side = options.as_alternative(alternative)
    tests = [significance.independent_test(first, second, alternative=side)]
    if discordant:
        found = significance.Discordant(*discordant)
        tests.append(significance.dependent_test(first, second, found, alternative=side))
    tests += [make(first, second, alternative=side) for make in (significance.naive_test, significance.class_test)]
    if json_:
        print_json({"tests": [test.to_dict() for test in tests]})
        return
    from rich.table import Table

    table = Table(title="A - B, all trials independent of each other", title_justify="left")
    for column in ("test", "difference %", "sigma %", "z", "p", "1 - p %"):
        table.add_column(column, justify="left" if column == "test" else "right")
    for test in tests:
        table.add_row(
            test.test,
            percent(test.estimate),
            percent(test.sigma or 0.0),
            f"{test.statistic:.3f}",
            f"{test.p_value:.4g}",
            f"{100 * test.delta:.1f}",
        )
    print_table(table)
    print_notes([f"{test.test}: {test.note}" for test in tests if test.note])
