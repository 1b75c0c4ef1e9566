"""fairtrial benchmark"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from fairtrial.cli import options
from fairtrial.cli.files import FileCommand, check_not_read
from fairtrial.cli.fuse import FusionOptions
from fairtrial.cli.options import OutputOptions, option
from fairtrial.cli.output import print_result
from fairtrial.cli.progress import Bar
from fairtrial.cli.reporting import ReportOptions, repeat_of
from fairtrial.core.errors import ParameterError

if TYPE_CHECKING:
    from fairtrial.benchmark.datasets import FailedEnrolment
    from fairtrial.benchmark.pooling import FusionBenchmark
    from fairtrial.benchmark.protocols import Benchmark


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
    repeats: int | None = option(
        "--repeats", type=int, help="How many random splits there are of a known set without dev trials.  [default: 10]"
    )
    seed: int = option("--seed", **options.SEED, help="Seed of the set, splits and folds.")
    workers: int = option(
        "--workers", type=int, default=1, show_default=True, metavar="K", help="How many processes work at once."
    )

    @property
    def methods(self) -> tuple[str, ...]:
        """The fusion methods by name."""
        return options.names_of(self.fusions)

    def load(self, sets: Sequence[str] = (), failed_enrolment: FailedEnrolment | None = None) -> Benchmark:
        """The benchmark that --data names, which no result may be written over."""
        from fairtrial.benchmark.datasets import load_benchmark

        found = load_benchmark(
            self.data,
            only=sets,
            seed=self.seed,
            repeats=self.repeats,
            failed_enrolment=failed_enrolment,
            outside=self.outside,
        )
        check_not_read(found.files)
        return found

    def run(
        self,
        benchmark: Benchmark,
        fusing: FusionOptions,
        *,
        points: int = 101,
        pooled: int | None = None,
        keep_scores: bool | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> FusionBenchmark:
        """The protocol by all fusion methods that were asked for."""
        from fairtrial.benchmark.pooling import benchmark_fusions

        return benchmark_fusions(
            benchmark,
            fusions=self.methods,
            protocol=self.protocol,
            normalise=fusing.normalise,
            criterion=fusing.rule,
            alpha=fusing.alpha,
            missing=fusing.missing,
            inner=fusing.inner,
            folds=fusing.folds,
            confidence=fusing.confidence,
            rng=self.seed,
            points=points,
            pooled=pooled,
            keep_scores=keep_scores,
            workers=self.workers,
            progress=progress,
        )


@click.command(cls=FileCommand)
@options.takes(ProtocolOptions)
@click.option("--set", "sets", multiple=True, metavar="NAME", help="Only this set, such as LP1; may be repeated.")
@options.takes(FusionOptions)
@click.option(
    "--failed-enrolment",
    type=click.Choice(["drop", "keep"]),
    help="Trials of a known set against somebody whom a system could not enrol.  [default: drop]",
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
    failed_enrolment: FailedEnrolment | None,
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
    page.check()
    output.check()
    fusing.check()
    if page.report is not None and len(run.methods) > 1:
        raise ParameterError("a report is of one fusion method; name one with --fusion")
    benchmark = run.load(sets, failed_enrolment)
    with Bar("fusing", 1) as bar:
        found = run.run(benchmark, fusing, pooled=pooled, progress=bar.advance)
    if page.report is not None:
        from fairtrial.pages import page_of

        repeat = repeat_of([str(path) for path in benchmark.files], run.seed)
        page.write(page_of(found.runs[0], repeat, benchmark=benchmark, confidence=fusing.confidence))
    print_result(output, found.tables(), found.to_dict())
