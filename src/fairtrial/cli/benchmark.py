"""fairtrial benchmark"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fairtrial.checks import check_seed
from fairtrial.cli import options
from fairtrial.cli.fuse import fusion_options
from fairtrial.cli.output import percent, print_json, print_notes, print_table
from fairtrial.cli.progress import Bar
from fairtrial.cli.reporting import check_report, repeat_of, report_option, write_page
from fairtrial.errors import OutputError, ParameterError, cut

if TYPE_CHECKING:
    from fairtrial.benchmark.contest import Contest
    from fairtrial.benchmark.datasets import FailedEnrolment
    from fairtrial.benchmark.results import BenchmarkResult
    from fairtrial.benchmark.sets import Benchmark

_MANY = 60
_MOST_NOTES = 12


@click.command()
@click.option(
    "--data",
    default="lausanne",
    show_default=True,
    metavar="NAME|DIR",
    help="A set of `fairtrial datasets`, or a directory with a benchmark.toml.",
)
@click.option("--set", "sets", multiple=True, metavar="NAME", help="Only this set, such as LP1; may be repeated.")
@click.option(
    "--protocol",
    type=click.Choice(["fp-2", "fp-full", "fp-intramodal", "fp-multimodal"]),
    default="fp-2",
    show_default=True,
    help="Which systems are fused.",
)
@click.option(
    "--fusion",
    "fusions",
    default="mean",
    show_default=True,
    metavar="NAME[,..]",
    help="A method of `fairtrial fuse`; several are compared over the whole protocol.",
)
@fusion_options
@click.option(
    "--repeats", type=int, default=10, show_default=True, help="Random splits of a known set without dev trials."
)
@click.option(
    "--failed-enrolment",
    type=click.Choice(["drop", "keep"]),
    default="drop",
    show_default=True,
    help="Trials of a known set against somebody whom a system could not enrol.",
)
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Seed of the set, splits and folds.")
@click.option("--workers", type=int, default=1, show_default=True, metavar="K", help="Processes at work.")
@click.option("--out", metavar="F", help="Write the experiments to this .csv, .tsv, .parquet, .json, .md or .tex.")
@report_option
@options.as_json
def command(
    data: str,
    sets: tuple[str, ...],
    protocol: str,
    fusions: str,
    repeats: int,
    seed: int,
    workers: int,
    out: str | None,
    report: str | None,
    json_: bool,
    **values: Any,
) -> None:
    """Measure a fusion method over a whole protocol: every experiment with interval, gain and test.

    \b
    Examples:
      fairtrial benchmark
      fairtrial benchmark --protocol fp-full --fusion logistic --workers 2 --out results.csv
      fairtrial benchmark --fusion mean,weighted-mean,logistic
      fairtrial benchmark --data bssr1-set1 --normalise z
      fairtrial benchmark --set LP1 --report benchmark.html
    """
    from fairtrial.benchmark.contest import compare_runs
    from fairtrial.benchmark.protocols import list_experiments
    from fairtrial.benchmark.runner import RunSettings, run_benchmark

    check_seed(seed)
    check_report(report)
    if out is not None:
        _check_target(out)
    names = [name.strip() for name in fusions.split(",")]
    _check_methods(names, values["normalise"])
    criterion = options.criterion_by_name(values["criterion"], None)
    criterion.resolve_alpha(values["alpha"])
    benchmark = load_benchmark(data, seed, repeats, values["failed_enrolment"])
    _check_not_read([out, report], benchmark.files)
    if sets:
        benchmark = benchmark.only(sets)
    if report is not None and len(names) > 1:
        raise ParameterError("a report is of one fusion method; name one with --fusion")
    count = len(list_experiments(benchmark, protocol))
    results = []
    with Bar("fusing", len(names) * count) as bar:
        for name in names:
            settings = RunSettings(
                fusion=name,
                normalise=values["normalise"],
                criterion=criterion,
                alpha=values["alpha"],
                missing=values["missing"],
                folds=values["folds"],
                confidence=values["confidence"],
                seed=seed,
                keep_scores=report is not None and count <= _MANY,
            )
            results.append(
                run_benchmark(benchmark, protocol=protocol, settings=settings, workers=workers, progress=bar.advance)
            )
    contest = compare_runs(benchmark, results, confidence=values["confidence"]) if len(results) > 1 else None
    if contest is None:
        found = results[0].to_dict()
    else:
        found = {"runs": [result.to_dict() for result in results], "comparison": contest.to_dict()}
    if out is not None:
        _write(results, contest, found, out)
    if report is not None:
        from fairtrial.report.benchmark import benchmark_page

        repeat = repeat_of([str(path) for path in benchmark.files], seed)
        write_page(benchmark_page(benchmark, results[0], repeat, confidence=values["confidence"]), report)
    if json_:
        print_json(found)
        return
    for result in results:
        _print(result, values["confidence"])
    if contest is not None:
        _print_contest(contest)
    if out is not None:
        click.echo(f"results in {out}")


def load_benchmark(data: str, seed: int, repeats: int, failed_enrolment: FailedEnrolment = "drop") -> Benchmark:
    """The benchmark that --data names."""
    from fairtrial.benchmark.datasets import DATASETS, load_dataset
    from fairtrial.benchmark.manifest import read_benchmark

    if data in DATASETS:
        return load_dataset(data, seed=seed, repeats=repeats, failed_enrolment=failed_enrolment)
    if not os.path.exists(data):
        raise ParameterError(
            f"--data {cut(data)}: there is no such directory, and no set of that name; sets are {', '.join(DATASETS)}"
        )
    return read_benchmark(data)


def _check_methods(names: Sequence[str], normalise: str) -> None:
    """Raise an error before any work where a method is not known or named twice."""
    from fairtrial.fusion.methods import as_fusion
    from fairtrial.fusion.normalise import check_normalisation

    for name in names:
        as_fusion(name)
        if names.count(name) > 1:
            raise ParameterError(f"--fusion names {name} twice")
    check_normalisation(normalise)


def _check_target(out: str) -> None:
    """Raise an error before any work where the results could not be written."""
    from fairtrial.formats.results import ENDINGS

    known = (*ENDINGS, ".json", ".md", ".tex")
    if Path(out).suffix.lower() not in known:
        raise OutputError(f"{out}: its name should end in {', '.join(known)}")
    if not os.path.exists(Path(out).absolute().parent):
        raise OutputError(f"{out}: there is no directory {Path(out).parent} to write to")


def _check_not_read(targets: Sequence[str | None], files: Sequence[Path]) -> None:
    """Raise an error where results would be written over the manifest or over scores, or into a directory of them."""
    read = {os.path.realpath(path) for path in files}
    for place in targets:
        if place is not None:
            target = Path(os.path.realpath(place))
            if {str(target), str(target.parent)} & read:
                raise OutputError(f"{place}: the results would be written over files that are read; name another")


def _write(results: Sequence[BenchmarkResult], contest: Contest | None, found: dict[str, Any], out: str) -> None:
    from fairtrial.benchmark.contest import latex_ranking, markdown_ranking
    from fairtrial.benchmark.results import latex_table, markdown_table, table_columns
    from fairtrial.cli.output import plain
    from fairtrial.formats.files import write_whole
    from fairtrial.formats.results import write_columns

    ending = Path(out).suffix.lower()
    if ending in (".json", ".md", ".tex"):
        if ending == ".json":
            text = json.dumps(plain(found), indent=2, allow_nan=False) + "\n"
        else:
            table, ranking = (markdown_table, markdown_ranking) if ending == ".md" else (latex_table, latex_ranking)
            parts = [table(result) for result in results] + ([] if contest is None else [ranking(contest)])
            text = "\n".join(parts)
        with write_whole(out) as place:
            place.write_text(text, encoding="utf-8")
        return
    tables = [table_columns(result) for result in results]
    write_columns({name: [value for table in tables for value in table[name]] for name in tables[0]}, out)


def _print(result: BenchmarkResult, confidence: float) -> None:
    made_up = ", synthetic scores" if result.synthetic else ""
    click.echo(f"{result.title}{made_up}: {result.protocol}, {result.fusion}, normalisation {result.normalise}")
    click.echo(f"all figures a priori: thresholds by {result.criterion.described(result.alpha)} on dev")
    interval_name = f"{100 * confidence:g} % interval"
    _print_systems(result, interval_name)
    if result.spreads:
        _print_spreads(result)
    given = [(name, results) for name, results in result.groups() if results[0].experiment.split is None]
    if sum(len(results) for _, results in given) <= _MANY:
        for name, results in given:
            _print_group(name, results, interval_name)
    _print_summary(result, confidence)
    print_notes(result.notes[:_MOST_NOTES])
    if len(result.notes) > _MOST_NOTES:
        click.echo(f"and {len(result.notes) - _MOST_NOTES} more notes: --json has all")


def _print_systems(result: BenchmarkResult, interval_name: str) -> None:
    """The single systems, each at its threshold from dev; those of random splits by their mean."""
    from rich.table import Table

    given = [base for base in result.baselines if base.split is None]
    if given:
        table = Table("set", "system", title="single systems", title_justify="left")
        for column in ("HTER %", interval_name):
            table.add_column(column, justify="right")
        for base in given:
            interval = f"{percent(base.interval.low)} to {percent(base.interval.high)}"
            table.add_row(base.set, base.system, percent(float(base.counts.hter)), interval)
        print_table(table)
    if result.baseline_spreads:
        title = "single systems over random splits"
        table = Table("set", "system", title=title, title_justify="left")
        for column in ("splits", "mean HTER %", "sd %"):
            table.add_column(column, justify="right")
        for each in result.baseline_spreads:
            table.add_row(each.set, each.system, str(each.splits), percent(each.mean), percent(each.sd))
        print_table(table)


def _print_group(name: str, experiments: Sequence[Any], interval_name: str) -> None:
    from rich.table import Table

    table = Table(title=name, title_justify="left")
    table.add_column("fused")
    for column in ("HTER %", interval_name, "FAR %", "FRR %", "beta_mean", "beta_min", "p (Holm)"):
        table.add_column(column, justify="right")
    for each in experiments:
        table.add_row(
            " + ".join(each.experiment.systems),
            percent(float(each.counts.hter)),
            f"{percent(each.interval.low)} to {percent(each.interval.high)}",
            percent(float(each.counts.far)),
            percent(float(each.counts.frr)),
            f"{each.beta_mean:.2f}",
            f"{each.beta_min:.2f}",
            f"{each.p_adjusted:.3g}",
        )
    print_table(table)


def _print_spreads(result: BenchmarkResult) -> None:
    from rich.table import Table

    table = Table("set", "fused", title="fused systems over random splits", title_justify="left")
    for column in ("splits", "mean HTER %", "sd %", "mean beta_min"):
        table.add_column(column, justify="right")
    for each in result.spreads:
        rates = (percent(each.mean), percent(each.sd), f"{each.beta_min:.2f}")
        table.add_row(each.set, " + ".join(each.systems), str(each.splits), *rates)
    print_table(table)


def _print_summary(result: BenchmarkResult, confidence: float) -> None:
    from statistics import fmean

    from rich.table import Table

    from fairtrial.fusion.gain import mean_gain

    table = Table(title=f"{len(result.experiments):,} experiments", title_justify="left")
    table.add_column("group")
    for column in ("experiments", "mean HTER %", "mean beta_min", "better", "worse"):
        table.add_column(column, justify="right")
    left_out = 0
    for name, experiments in result.groups():
        gain, without = mean_gain([each.beta_min for each in experiments])
        left_out += without
        sure = [each for each in experiments if each.p_adjusted < 1 - confidence]
        table.add_row(
            name,
            f"{len(experiments):,}",
            percent(fmean(float(each.counts.hter) for each in experiments)),
            f"{gain:.2f}",
            str(sum(each.test.estimate < 0 for each in sure)),
            str(sum(each.test.estimate > 0 for each in sure)),
        )
    print_table(table)
    within = ", each split by itself" if result.spreads else ""
    click.echo(f"better, worse: than the best of the systems fused, p below {1 - confidence:.3g} after Holm{within}")
    if left_out:
        click.echo(f"mean beta_min leaves out {left_out:,} experiments in which the fusion made no error")


def _print_contest(contest: Contest) -> None:
    from rich.table import Table

    from fairtrial.benchmark.contest import CAPTION, SHARED_LETTERS

    table = Table(title=CAPTION, title_justify="left")
    table.add_column("fusion")
    for column in ("mean HTER %", "mean beta_min", "better than the best system", "letters"):
        table.add_column(column, justify="right")
    for rank in contest.ranking:
        table.add_row(rank.fusion, percent(rank.hter), f"{rank.beta_min:.2f}", str(rank.better), rank.letters)
    print_table(table)
    if contest.pairs:
        click.echo(SHARED_LETTERS)
    print_notes(contest.notes)
