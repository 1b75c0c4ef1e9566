"""fairtrial compare"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from fairtrial.cli import options
from fairtrial.cli.output import number, percent, print_json, print_notes, print_table
from fairtrial.cli.progress import Bar
from fairtrial.cli.reporting import check_report, repeat_of, report_option, write_page

if TYPE_CHECKING:
    from fairtrial.cli.inputs import Inputs
    from fairtrial.comparison import Comparison


@click.command()
@click.option("--dev", required=True, multiple=True, metavar="F", help="Development scores; may be repeated.")
@click.option("--test", required=True, multiple=True, metavar="F", help="Test scores; may be repeated.")
@click.option("--systems", "chosen", metavar="A,B[,C...]", help="The systems to compare.  [default: all]")
@click.option("--reference", metavar="NAME", help="Compare the others with this system only.")
@options.criterion_option("eer")
@options.alpha_option
@click.option(
    "--measure",
    type=click.Choice(["hter", "wer", "dcf", "far", "frr"]),
    default="hter",
    show_default=True,
    help="What is compared.",
)
@options.dcf_costs
@click.option(
    "--cluster",
    type=click.Choice(["none", "claim", "subject", "both"]),
    help="What trials share.  [default: all ids that are known]",
)
@click.option(
    "--correction",
    type=click.Choice(["holm", "bh", "none"]),
    default="holm",
    show_default=True,
    help="How p values are adjusted for the number of pairs.",
)
@options.alternative
@click.option("--margin", type=float, metavar="X", help="Test equivalence within this margin too, a fraction.")
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Confidence of intervals and letters.")
@click.option("--resamples", type=int, default=10_000, show_default=True, metavar="M", help="Bootstrap resamples.")
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Seed of all random numbers.")
@click.option("--workers", type=int, default=1, show_default=True, help="Threads; the result is the same for any.")
@options.reading
@report_option
@options.as_json
def command(json_: bool, report: str | None, **values: Any) -> None:
    """Test whether systems really differ, each at its threshold from dev, on the same test trials.

    \b
    Examples:
      fairtrial compare --dev dev.csv --test test.csv --systems face,voice
      fairtrial compare --dev dev.csv --test test.csv --reference baseline --correction bh --json
    """
    check_report(report)
    inputs, result = _compare(values)
    if report is not None and inputs.test is not None:
        from fairtrial.report.comparison import comparison_page

        repeat = repeat_of((*values["dev"], *values["test"]), values["seed"])
        settings = {name: values[name] for name in ("confidence", "cluster")}
        write_page(comparison_page(result, inputs.dev, inputs.test, repeat, **settings), report)
    if json_:
        print_json(result.to_dict())
    else:
        _print(result, values["confidence"])


def _compare(values: dict[str, Any]) -> tuple[Inputs, Comparison]:
    from fairtrial.cli.inputs import read_inputs
    from fairtrial.comparison import compare

    criterion = options.criterion_by_name(values["criterion"], values["dcf"])
    criterion.resolve_alpha(values["alpha"])
    systems = tuple(values["chosen"].split(",")) if values["chosen"] else values["systems"]
    inputs = read_inputs({**values, "systems": systems, "folds": None})
    assert inputs.test is not None
    count = len(inputs.systems)
    pairs = count * (count - 1) // 2 if values["reference"] is None else count - 1
    with Bar("comparing", pairs) as bar:
        return inputs, compare(
            inputs.dev,
            inputs.test,
            progress=bar.advance,
            reference=values["reference"],
            criterion=criterion,
            alpha=values["alpha"],
            measure=options.measure_by_name(values["measure"], values["dcf"]),
            cluster=values["cluster"],
            correction=values["correction"],
            alternative=options.as_alternative(values["alternative"]),
            margin=values["margin"],
            confidence=values["confidence"],
            n_resamples=values["resamples"],
            rng=values["seed"],
            workers=values["workers"],
        )


def _print(result: Comparison, confidence: float) -> None:
    from rich import box
    from rich.table import Table

    label = result.measure.label
    ranking = Table(title=f"{label} on test, a priori", title_justify="left", box=box.SIMPLE_HEAD)
    for column in ("system", "threshold", "FAR %", "FRR %", f"{label} %", "letters"):
        ranking.add_column(column, justify="left" if column in ("system", "letters") else "right", overflow="fold")
    for rank in result.ranking:
        rates = (rank.counts.far, rank.counts.frr, rank.value)
        ranking.add_row(rank.system, number(rank.threshold), *(percent(rate) for rate in rates), rank.letters)
    print_table(ranking)
    click.echo("Systems that share a letter do not differ significantly.")
    table = Table(
        title=f"p adjusted by {result.correction} over {len(result.pairs)} pairs",
        title_justify="left",
        box=box.SIMPLE_HEAD,
    )
    for column in ("A - B", "test", "difference %", "sigma %", "p", "p adjusted"):
        left = column in ("A - B", "test")
        table.add_column(column, justify="left" if left else "right", overflow="fold", no_wrap=column != "A - B")
    for pair in result.pairs:
        for k, (test, adjusted) in enumerate(zip(pair.tests, pair.adjusted, strict=True)):
            table.add_row(
                f"{pair.a} - {pair.b}" if k == 0 else "",
                test.test,
                percent(test.estimate),
                "" if test.sigma is None else percent(test.sigma),
                f"{test.p_value:.3g}",
                f"{adjusted:.3g}",
                end_section=k == len(pair.tests) - 1,
            )
    print_table(table)
    for pair in result.pairs:
        low, high = pair.replicates.interval(confidence=confidence)
        click.echo(
            f"{pair.a} - {pair.b}: {100 * confidence:g} % bootstrap interval {percent(low)} .. {percent(high)} %"
        )
    click.echo("Go by the first test of a pair; the others are there to compare with.")
    print_notes([*result.notes, *(f"{t.test}: {t.note}" for p in result.pairs[:1] for t in p.tests if t.note)])
