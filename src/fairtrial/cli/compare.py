"""fairtrial compare"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from fairtrial.cli import options
from fairtrial.cli.options import ChanceOptions, OutputOptions, PointOptions, ReadingOptions, TwoSets
from fairtrial.cli.output import print_result
from fairtrial.cli.progress import Bar
from fairtrial.cli.reporting import check_report, repeat_of, report_option, write_page

if TYPE_CHECKING:
    from fairtrial.significance.multiple import Correction

systems_option = click.option(
    "--systems", "chosen", metavar="A,B[,C...]", help="The systems, separated by commas.  [default: all]"
)
resamples_option = click.option(
    "--resamples", type=int, default=10_000, show_default=True, metavar="M", help="Bootstrap resamples."
)


@click.command()
@options.takes(TwoSets, PointOptions, ChanceOptions)
@systems_option
@click.option("--reference", metavar="NAME", help="Compare the others with this system only.")
@options.measure_option("--measure", default="hter", show_default=True, help="What is compared.")
@click.option(
    "--correction",
    type=click.Choice(["holm", "bh", "none"]),
    default="holm",
    show_default=True,
    help="How p values are adjusted for the number of pairs.",
)
@options.alternative_option
@click.option("--margin", type=float, metavar="X", help="Test equivalence within this margin too, a fraction.")
@resamples_option
@options.workers_option
@options.takes(ReadingOptions, OutputOptions)
@report_option
def command(
    files: TwoSets,
    point: PointOptions,
    chance: ChanceOptions,
    reading: ReadingOptions,
    output: OutputOptions,
    *,
    chosen: str | None,
    reference: str | None,
    measure: str,
    correction: Correction,
    alternative: options.Alternatives,
    margin: float | None,
    resamples: int,
    workers: int,
    report: str | None,
) -> None:
    """Test whether systems really differ, each at its threshold from dev, on the same test trials.

    \b
    Examples:
      fairtrial compare --dev dev.csv --test test.csv --systems face,voice
      fairtrial compare --dev dev.csv --test test.csv --reference baseline --correction bh --out tests.tex
    """
    from fairtrial.cli.inputs import read_sets
    from fairtrial.comparison import compare

    check_report(report)
    output.check(files.files)
    rule, figure = point.rule, options.measure_by_name(measure, point.dcf)
    dev, test = read_sets(files, reading, chosen)
    count = len(dev.systems)
    with Bar("comparing", count * (count - 1) // 2 if reference is None else count - 1) as bar:
        result = compare(
            dev,
            test,
            progress=bar.advance,
            reference=reference,
            criterion=rule,
            alpha=point.alpha,
            measure=figure,
            cluster=chance.cluster,
            correction=correction,
            alternative=alternative,
            margin=margin,
            confidence=chance.confidence,
            n_resamples=resamples,
            rng=chance.seed,
            workers=workers,
        )
    if report is not None:
        from fairtrial.report.comparison import comparison_page

        page = comparison_page(result, repeat_of(files.files, chance.seed), terms=output.terms)
        write_page(page, report)
    print_result(output, result.tables(), result.to_dict())
