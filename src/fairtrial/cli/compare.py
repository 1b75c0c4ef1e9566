"""fairtrial compare"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypedDict

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
    choice,
    names_of,
    option,
)
from fairtrial.cli.output import print_result
from fairtrial.cli.progress import Bar
from fairtrial.cli.reporting import ReportOptions, repeat_of
from fairtrial.errors import ParameterError

if TYPE_CHECKING:
    from fairtrial.calibration.measures import EvidenceMeasure
    from fairtrial.cli.inputs import Inputs
    from fairtrial.comparison import Comparison, PairComparison
    from fairtrial.people import Cluster
    from fairtrial.rules.criteria import Criterion
    from fairtrial.rules.measures import Measure
    from fairtrial.scale.comparing import BoundedComparison
    from fairtrial.significance.multiple import Correction
    from fairtrial.tables import Table

systems_option = click.option(
    "--systems", "chosen", metavar="A,B[,C...]", help="The systems, separated by commas.  [default: all]"
)
resamples_option = click.option(
    "--resamples", type=int, default=10_000, show_default=True, metavar="M", help="Bootstrap resamples."
)


@dataclass(frozen=True, slots=True)
class PairOptions:
    """How pairs are tested, besides what every command takes."""

    correction: Correction = choice(
        "--correction", ["holm", "bh", "none"], "holm", help="How p values are adjusted for the number of pairs."
    )
    margin: float | None = option(
        "--margin", type=float, metavar="X", help="Test equivalence within this margin too, a fraction."
    )
    five_by_two: bool = option(
        "--5x2cv",
        is_flag=True,
        help="With --folds: add Dietterich's 5x2cv test, for which people are split into halves five times.",
    )


class _Common(TypedDict):
    """What is asked of trials and of counts alike."""

    reference: str | None
    criterion: Criterion
    alpha: float | None
    correction: Correction
    alternative: options.Alternatives
    confidence: float


class _OfTrials(_Common):
    """What is asked of trials, whether there is a test set or folds."""

    measure: Measure | EvidenceMeasure
    cluster: Cluster | None
    margin: float | None
    n_resamples: int
    rng: int
    workers: int


@click.command(cls=FileCommand)
@options.takes(InputOptions, PointOptions, ChanceOptions)
@systems_option
@click.option("--reference", metavar="NAME", help="Compare the others with this system only.")
@options.measure_option("--measure", evidence=True, default="hter", show_default=True, help="What is compared.")
@options.takes(PairOptions)
@options.alternative_option
@resamples_option
@options.workers_option
@options.takes(ReadingOptions, OutputOptions, ReportOptions)
def command(
    files: InputOptions,
    point: PointOptions,
    chance: ChanceOptions,
    tested: PairOptions,
    reading: ReadingOptions,
    output: OutputOptions,
    page: ReportOptions,
    *,
    chosen: str | None,
    reference: str | None,
    measure: str,
    alternative: options.Alternatives,
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
    from fairtrial.cli.inputs import read_inputs

    page.check()
    output.check()
    point.check(measure)
    check_chosen(chosen, reading)
    figure = options.any_measure_by_name(measure, point.dcf)
    if tested.five_by_two and files.folds is None:
        raise ParameterError("--5x2cv deals the people of one set into halves: give --folds K in place of --test")
    common: _Common = {
        "reference": reference,
        "criterion": point.rule,
        "alpha": point.alpha,
        "correction": tested.correction,
        "alternative": alternative,
        "confidence": chance.confidence,
    }
    if are_counts(files):
        refuse(report=page.report, margin=tested.margin)
        counted = _compare_counts(files, reading, chance, chosen, figure, common)
        print_result(output, counted.tables(), counted.to_dict())
        return
    asked: _OfTrials = {
        **common,
        "measure": figure,
        "cluster": chance.cluster,
        "margin": tested.margin,
        "n_resamples": resamples,
        "rng": chance.seed,
        "workers": workers,
    }
    result = _compare_trials(read_inputs(files, reading, chance, chosen), asked, five_by_two=tested.five_by_two)
    commands = _commands_table(result)
    if page.report is not None:
        from fairtrial.report.comparison import comparison_page

        made = comparison_page(result, repeat_of(files.files, chance.seed), terms=output.terms)
        page.write(replace(made, tables=(*made.tables, commands)))
    found = result.to_dict()
    for pair, entry in zip(result.pairs, found["pairs"], strict=True):
        entry["commands"] = list(_commands(pair))
    print_result(output, [*result.tables(), commands], found)


def _compare_counts(
    files: InputOptions,
    reading: ReadingOptions,
    chance: ChanceOptions,
    chosen: str | None,
    figure: Measure | EvidenceMeasure,
    common: _Common,
) -> BoundedComparison:
    """Compare systems of which only counts are at hand."""
    from fairtrial.calibration.measures import errors_only
    from fairtrial.scale.comparing import compare_counted

    options.refuse_given(["resamples", "workers", "seed"], NEEDS_SCORES)
    dev, test = read_counters(files, reading, chance)
    systems = chosen_systems(dev, names_of(chosen) if chosen else reading.systems)
    return compare_counted(dev, test, systems=systems, measure=errors_only([figure])[0], **common)


def _compare_trials(inputs: Inputs, asked: _OfTrials, *, five_by_two: bool) -> Comparison:
    """Compare systems on a test set, or on folds of dev."""
    from fairtrial.comparison import compare, cross_validated_comparison

    count = len(inputs.systems)
    with Bar("comparing", count * (count - 1) // 2 if asked["reference"] is None else count - 1) as bar:
        if inputs.test is not None:
            return compare(inputs.dev, inputs.test, progress=bar.advance, **asked)
        return cross_validated_comparison(
            inputs.dev, inputs.blocks, five_by_two=five_by_two, progress=bar.advance, **asked
        )


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
