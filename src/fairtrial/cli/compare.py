"""fairtrial compare"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from fairtrial.cli import options
from fairtrial.cli.counted import NEEDS_SCORES, are_counts, chosen_systems, read_counters, refuse
from fairtrial.cli.files import FileCommand
from fairtrial.cli.options import (
    ChanceOptions,
    InputOptions,
    OutputOptions,
    PointOptions,
    ReadingOptions,
    check_chosen,
    names_of,
)
from fairtrial.cli.output import print_result
from fairtrial.cli.progress import Bar
from fairtrial.cli.reporting import ReportOptions, repeat_of
from fairtrial.errors import ParameterError

if TYPE_CHECKING:
    from fairtrial.comparison import Comparison, PairComparison
    from fairtrial.significance.multiple import Correction
    from fairtrial.tables import Table

systems_option = click.option(
    "--systems", "chosen", metavar="A,B[,C...]", help="The systems, separated by commas.  [default: all]"
)
resamples_option = click.option(
    "--resamples", type=int, default=10_000, show_default=True, metavar="M", help="Bootstrap resamples."
)


@click.command(cls=FileCommand)
@options.takes(InputOptions, PointOptions, ChanceOptions)
@systems_option
@click.option("--reference", metavar="NAME", help="Compare the others with this system only.")
@options.measure_option("--measure", evidence=True, default="hter", show_default=True, help="What is compared.")
@click.option(
    "--correction",
    type=click.Choice(["holm", "bh", "none"]),
    default="holm",
    show_default=True,
    help="How p values are adjusted for the number of pairs.",
)
@options.alternative_option
@click.option("--margin", type=float, metavar="X", help="Test equivalence within this margin too, a fraction.")
@click.option(
    "--5x2cv",
    "five_by_two",
    is_flag=True,
    help="With --folds: add Dietterich's 5x2cv test, for which people are split into halves five times.",
)
@resamples_option
@options.workers_option
@options.takes(ReadingOptions, OutputOptions, ReportOptions)
def command(
    files: InputOptions,
    point: PointOptions,
    chance: ChanceOptions,
    reading: ReadingOptions,
    output: OutputOptions,
    page: ReportOptions,
    *,
    chosen: str | None,
    reference: str | None,
    measure: str,
    correction: Correction,
    alternative: options.Alternatives,
    margin: float | None,
    five_by_two: bool,
    resamples: int,
    workers: int,
) -> None:
    """Test whether systems really differ, each at its threshold from dev or from other folds, on the same trials.

    \b
    Examples:
      fairtrial compare --dev dev.csv --test test.csv --systems face,voice
      fairtrial compare --dev dev.csv --test test.csv --reference baseline --correction bh --out tests.tex
      fairtrial compare --dev scores.csv --folds 5 --5x2cv
    """
    from fairtrial.calibration.measures import errors_only
    from fairtrial.cli.inputs import read_inputs
    from fairtrial.comparison import compare, cross_validated_comparison
    from fairtrial.scale.comparing import compare_counted

    page.check()
    output.check()
    point.check(measure)
    check_chosen(chosen, reading)
    rule, figure = point.rule, options.any_measure_by_name(measure, point.dcf)
    if five_by_two and files.folds is None:
        raise ParameterError("--5x2cv deals the people of one set into halves: give --folds K in place of --test")
    if are_counts(files):
        refuse(report=page.report, margin=margin)
        options.refuse_given(["resamples", "workers", "seed"], NEEDS_SCORES)
        names = names_of(chosen) if chosen else reading.systems
        dev, test = read_counters(files, reading, chance)
        counted = compare_counted(
            dev,
            test,
            systems=chosen_systems(dev, names),
            reference=reference,
            criterion=rule,
            alpha=point.alpha,
            measure=errors_only([figure])[0],
            correction=correction,
            alternative=alternative,
            confidence=chance.confidence,
        )
        print_result(output, counted.tables(), counted.to_dict())
        return
    inputs = read_inputs(files, reading, chance, chosen)
    count = len(inputs.systems)
    with Bar("comparing", count * (count - 1) // 2 if reference is None else count - 1) as bar:
        asked: dict[str, Any] = {
            "progress": bar.advance,
            "reference": reference,
            "criterion": rule,
            "alpha": point.alpha,
            "measure": figure,
            "cluster": chance.cluster,
            "correction": correction,
            "alternative": alternative,
            "margin": margin,
            "confidence": chance.confidence,
            "n_resamples": resamples,
            "rng": chance.seed,
            "workers": workers,
        }
        if inputs.test is None:
            result = cross_validated_comparison(inputs.dev, inputs.blocks, five_by_two=five_by_two, **asked)
        else:
            result = compare(inputs.dev, inputs.test, **asked)
    commands = _commands_table(result)
    if page.report is not None:
        from fairtrial.report.comparison import comparison_page

        made = comparison_page(result, repeat_of(files.files, chance.seed), terms=output.terms)
        page.write(replace(made, tables=(*made.tables, commands)))
    found = result.to_dict()
    for pair, entry in zip(result.pairs, found["pairs"], strict=True):
        entry["commands"] = list(_commands(pair))
    print_result(output, [*result.tables(), commands], found)


def _commands(pair: PairComparison) -> Iterator[str]:
    """What tests the same pair from counts alone, as it would be typed."""
    a, b, found = pair.counts_a, pair.counts_b, pair.agreement
    errors = [f"--{name}-counts {own.false_accepts} {own.false_rejects}" for name, own in (("a", a), ("b", b))]
    own = found.discordant
    discordant = f"{own.impostor_ab} {own.impostor_ba} {own.genuine_ab} {own.genuine_ba}"
    yield (
        f"fairtrial compare-rates {' '.join(errors)} --impostor {a.impostor} --genuine {a.genuine} "
        f"--discordant {discordant}"
    )
    yield f"fairtrial mcnemar --b {found.only_a_wrong} --c {found.only_b_wrong}"


def _commands_table(result: Comparison) -> Table:
    from fairtrial.tables import Column, Table

    columns = (Column("pair", "A - B"), Column("command", "command"))
    rows = tuple((f"{pair.a} - {pair.b}", command) for pair in result.pairs for command in _commands(pair))
    return Table("commands", "The tests of counts alone, as commands", columns, rows, section="pair")
