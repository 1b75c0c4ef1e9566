"""fairtrial benchmark"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from fairtrial.cli import options
from fairtrial.cli.files import FileCommand, check_not_read
from fairtrial.cli.fuse import FusionOptions
from fairtrial.cli.options import OutputOptions, option
from fairtrial.cli.output import print_result
from fairtrial.cli.progress import Bar
from fairtrial.cli.reporting import ReportOptions, repeat_of
from fairtrial.errors import ParameterError, cut

if TYPE_CHECKING:
    from fairtrial.benchmark.contest import Contest
    from fairtrial.benchmark.datasets import FailedEnrolment
    from fairtrial.benchmark.results import BenchmarkResult
    from fairtrial.benchmark.sets import Benchmark
    from fairtrial.tables import Table

_MANY = 60
_MOST_NOTES = 12


@dataclass(frozen=True, slots=True)
class ProtocolOptions:
    """Which protocol is run on which data."""

    data: str = option(
        "--data",
        default="lausanne",
        show_default=True,
        metavar="NAME|DIR",
        help="A set of `fairtrial datasets`, or a directory with a benchmark.toml.",
    )
    protocol: str = option(
        "--protocol",
        default="fp-2",
        show_default=True,
        metavar="NAME",
        help="Which systems are fused: fp-2, fp-full, fp-intramodal, fp-multimodal, one that the benchmark lists, or a "
        "registered one.",
    )
    fusions: str = option(
        "--fusion",
        default="mean",
        show_default=True,
        metavar="NAME[,..]",
        help="A method of `fairtrial fuse`; several, separated by commas, are compared over the whole protocol.",
    )
    outside: bool = option(
        "--outside", is_flag=True, help="Let a benchmark.toml name files outside its directory, too."
    )
    repeats: int = option(
        "--repeats",
        type=int,
        default=10,
        show_default=True,
        help="How many random splits there are of a known set without dev trials.",
    )
    seed: int = option("--seed", **options.SEED, help="Seed of the set, splits and folds.")
    workers: int = option(
        "--workers", type=int, default=1, show_default=True, metavar="K", help="How many processes work at once."
    )

    @property
    def methods(self) -> tuple[str, ...]:
        """The fusion methods by name."""
        return options.names_of(self.fusions)

    def load(self, failed_enrolment: FailedEnrolment = "drop") -> Benchmark:
        """The benchmark that --data names."""
        from fairtrial.benchmark.datasets import DATASETS, load_dataset
        from fairtrial.benchmark.manifest import read_benchmark

        self._check_applies(DATASETS[self.data].uses if self.data in DATASETS else ("outside",))
        if self.data in DATASETS:
            found = load_dataset(self.data, seed=self.seed, repeats=self.repeats, failed_enrolment=failed_enrolment)
        elif os.path.exists(self.data):
            found = read_benchmark(self.data, outside=self.outside)
        else:
            known = ", ".join(DATASETS)
            raise ParameterError(
                f"--data {cut(self.data)}: there is no such directory, and no set of that name; sets are {known}"
            )
        check_not_read(found.files)
        return found

    def _check_applies(self, used: Sequence[str]) -> None:
        """Raise an error where an option was given that means nothing to these data."""
        known = {
            "repeats": "applies to a known set without dev trials",
            "failed_enrolment": "applies to a known set with failed enrolments",
            "outside": "applies to a directory with a benchmark.toml",
        }
        for name, where in known.items():
            if name not in used:
                options.refuse_given([name], f"{where}, not to {cut(self.data)}")


@click.command(cls=FileCommand)
@options.takes(ProtocolOptions)
@click.option("--set", "sets", multiple=True, metavar="NAME", help="Only this set, such as LP1; may be repeated.")
@options.takes(FusionOptions)
@click.option(
    "--failed-enrolment",
    type=click.Choice(["drop", "keep"]),
    default="drop",
    show_default=True,
    help="Trials of a known set against somebody whom a system could not enrol.",
)
@click.option(
    "--pooled",
    type=int,
    metavar="N",
    help="Test the pooled EPCs of two methods along alpha, at N values of it, thresholds re-estimated.",
)
@options.takes(OutputOptions, ReportOptions)
def command(
    run: ProtocolOptions,
    fusing: FusionOptions,
    output: OutputOptions,
    page: ReportOptions,
    *,
    sets: tuple[str, ...],
    failed_enrolment: FailedEnrolment,
    pooled: int | None,
) -> None:
    """Measure a fusion method over a whole protocol: every experiment with interval, gain and test.

    \b
    Examples:
      fairtrial benchmark
      fairtrial benchmark --protocol fp-full --fusion logistic --workers 2 --out results.csv
      fairtrial benchmark --fusion mean,weighted-mean,logistic
      fairtrial benchmark --fusion mean,logistic --pooled 21
      fairtrial benchmark --data bssr1-set1 --normalise z
      fairtrial benchmark --set LP1 --report benchmark.html
    """
    from fairtrial.benchmark.contest import compare_runs
    from fairtrial.benchmark.pooling import compare_pooled
    from fairtrial.benchmark.protocols import list_experiments

    page.check()
    output.check()
    _check_methods(run.methods)
    fusing.check()
    benchmark = run.load(failed_enrolment)
    if sets:
        benchmark = benchmark.only(sets)
    if pooled is not None and len(run.methods) != 2:
        raise ParameterError("--pooled compares two methods; name them with --fusion A,B")
    if page.report is not None and len(run.methods) > 1:
        raise ParameterError("a report is of one fusion method; name one with --fusion")
    count = len(list_experiments(benchmark, run.protocol))
    with Bar("fusing", len(run.methods) * count) as bar:
        results = run_methods(
            benchmark,
            run,
            fusing,
            keep_scores=pooled is not None or (page.report is not None and count <= _MANY),
            points=101 if pooled is None else pooled,
            progress=bar.advance,
        )
    contest = compare_runs(benchmark, results, confidence=fusing.confidence) if len(results) > 1 else None
    if page.report is not None:
        from fairtrial.report.benchmark import benchmark_page

        repeat = repeat_of([str(path) for path in benchmark.files], run.seed)
        confidence = fusing.confidence
        page.write(benchmark_page(benchmark, results[0], repeat, confidence=confidence, terms=output.terms))
    tables, found = _tables(results, contest), _found(results, contest)
    if pooled is not None:
        along = compare_pooled(benchmark, results[0], results[1], confidence=fusing.confidence)
        tables += along.tables()
        found["pooled_comparison"] = along.to_dict()
    print_result(output, tables, found)


def run_methods(
    benchmark: Benchmark,
    run: ProtocolOptions,
    fusing: FusionOptions,
    *,
    keep_scores: bool = False,
    points: int = 101,
    progress: Callable[[], None] | None = None,
) -> list[BenchmarkResult]:
    """The results of all fusion methods that were asked for."""
    from fairtrial.benchmark.runner import RunSettings, run_benchmark

    settings = RunSettings(
        normalise=fusing.normalise,
        criterion=fusing.rule,
        alpha=fusing.alpha,
        missing=fusing.missing,
        inner=fusing.inner,
        folds=fusing.folds,
        confidence=fusing.confidence,
        seed=run.seed,
        keep_scores=keep_scores,
        points=points,
    )
    return [
        run_benchmark(
            benchmark,
            protocol=run.protocol,
            settings=replace(settings, fusion=name),
            workers=run.workers,
            progress=progress,
        )
        for name in run.methods
    ]


def _found(results: Sequence[BenchmarkResult], contest: Contest | None) -> dict[str, Any]:
    if contest is None:
        return results[0].to_dict()
    return {"runs": [result.to_dict() for result in results], "comparison": contest.to_dict()}


def _tables(results: Sequence[BenchmarkResult], contest: Contest | None) -> list[Table]:
    """The experiments of all methods as the main table; the single systems, which are the same for all, once."""
    from fairtrial.tables import join_tables

    found = [result.tables() for result in results]
    (main,) = join_tables([tables[:1] for tables in found])
    notes = main.notes[:_MOST_NOTES]
    if len(main.notes) > _MOST_NOTES:
        notes += (f"and {len(main.notes) - _MOST_NOTES} more notes: --json has all",)
    if contest is not None:
        columns = tuple(replace(column, detail=False) if column.key == "fusion" else column for column in main.columns)
        main = replace(main, columns=columns, caption=f"{results[0].title}, {contest.protocol}, {results[0].kind}")
    once = [table for table in found[0][1:] if table.name in ("systems", "system spreads")]
    others = [table for tables in found for table in tables[1:] if table.name not in ("systems", "system spreads")]
    return [replace(main, notes=notes), *once, *others, *(contest.tables() if contest is not None else ())]


def _check_methods(names: Sequence[str]) -> None:
    """Raise an error before any work where a method is not known or named twice."""
    from fairtrial.fusion.methods import as_fusion

    for name in names:
        as_fusion(name)
        if names.count(name) > 1:
            raise ParameterError(f"--fusion names {name} twice")
