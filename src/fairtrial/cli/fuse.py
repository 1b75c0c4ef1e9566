"""fairtrial fuse"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fairtrial.cli import options
from fairtrial.cli.compare import systems_option
from fairtrial.cli.options import OutputOptions, ReadingOptions, TwoSets, choice, option
from fairtrial.cli.output import print_result
from fairtrial.cli.progress import reading_bar

if TYPE_CHECKING:
    from fairtrial.fusion import FusedScores
    from fairtrial.fusion.combination import Missing
    from fairtrial.rules.criteria import Criterion


@dataclass(frozen=True, slots=True)
class FusionOptions:
    """How scores are fused and the fusion is judged."""

    normalise: str = option(
        "--normalise",
        default="none",
        show_default=True,
        metavar="NAME",
        help="none, z, min-max, median-mad, tanh, double-sigmoid; per client: z-norm, f-norm, eer-norm.",
    )
    criterion: str = options.criterion_field("wer-equal")
    alpha: float | None = option("--alpha", **options.ALPHA)
    missing: Missing = choice(
        "--missing",
        ["error", "reject", "neutral"],
        "error",
        help="A trial that lacks the score of a system: an error, rejected, or a neutral score for it.",
    )
    folds: int = option(
        "--folds",
        type=int,
        default=5,
        show_default=True,
        metavar="K",
        help="Folds of Algorithm 1, for methods whose threshold is that of held-out dev scores.",
    )
    confidence: float = option(
        "--confidence", type=float, default=0.95, show_default=True, help="Confidence of the intervals."
    )

    @property
    def rule(self) -> Criterion:
        """The criterion itself; an error where it aims at a target and none is given."""
        return options.criterion_with(self.alpha, self.criterion)

    def check(self) -> None:
        """Raise an error before any work where a normalisation or a criterion is not known or lacks its target."""
        from fairtrial.fusion.normalise import check_normalisation

        check_normalisation(self.normalise)
        self.rule.resolve_alpha(self.alpha)


@dataclass(frozen=True, slots=True)
class FuseOutput(OutputOptions):
    """As elsewhere, but --out is for the fused scores."""

    out: str | None = option(
        "--table",
        metavar="FILE",
        help="Write the results to a file too, as --out of the other commands does: .csv, .tsv, .parquet, .md, .tex "
        "or .json.",
    )


@click.command()
@options.takes(TwoSets)
@systems_option
@click.option(
    "--fusion",
    default="mean",
    show_default=True,
    metavar="NAME",
    help="mean, weighted-mean, product, min, max, median, logistic, lda, qda, gmm, svm-linear, svm-rbf, mlp, "
    "client-threshold, client-scores, client-weights; or a registered one.",
)
@options.takes(FusionOptions)
@options.seed_option
@click.option(
    "--out",
    "scores",
    metavar="F",
    help="Write the fused test scores to this file, and the fused dev scores beside it as dev-F. For a file of the "
    "results see --table.",
)
@options.takes(ReadingOptions, FuseOutput)
def command(
    files: TwoSets,
    asked: FusionOptions,
    reading: ReadingOptions,
    output: FuseOutput,
    *,
    chosen: str | None,
    fusion: str,
    seed: int,
    scores: str | None,
) -> None:
    """Fuse systems: fitted on dev, judged on test at a threshold from dev.

    \b
    Examples:
      fairtrial fuse --dev dev.csv --test test.csv --systems face,voice
      fairtrial fuse --dev dev.csv --test test.csv --systems face,voice --fusion logistic --normalise z
      fairtrial fuse --dev dev.csv --test test.csv --out fused.csv --table results.tex
    """
    from fairtrial.formats import read_pair
    from fairtrial.fusion import fuse

    asked.check()
    if scores is not None:
        _check_targets(scores, files.files)
    output.check(files.files)
    with reading_bar(files.dev, files.test) as bar:
        pair = read_pair(files.dev, files.test, progress=bar.advance, **reading.keywords())
    result = fuse(
        *pair,
        systems=None if chosen is None else options.names_of(chosen),
        fusion=fusion,
        normalise=asked.normalise,
        criterion=asked.rule,
        alpha=asked.alpha,
        missing=asked.missing,
        folds=asked.folds,
        rng=seed,
        confidence=asked.confidence,
    )
    if scores is not None:
        _write(result.scores, scores)
    print_result(output, result.tables(), result.to_dict())
    if scores is not None and not output.json:
        click.echo(f"fused scores of test in {scores}, of dev in {_beside(scores)}")


def _beside(out: str) -> Path:
    """Where the fused dev scores go."""
    return Path(out).with_name(f"dev-{Path(out).name}")


def _check_targets(out: str, inputs: Sequence[str]) -> None:
    """Raise an error before any work where one of the two files could not be written, or is one that is read."""
    from fairtrial.errors import OutputError
    from fairtrial.formats.files import expand
    from fairtrial.formats.registry import told_by_name

    told_by_name(Path(out))
    read = {os.path.realpath(path) for path in expand(inputs)}
    for place in (Path(out), _beside(out)):
        if not os.path.exists(place.absolute().parent):
            raise OutputError(f"{place}: there is no directory {place.parent} to write to")
        if os.path.exists(place) and place.is_dir():
            raise OutputError(f"{place}: is a directory; name a file to write")
        target = Path(os.path.realpath(place))
        if {str(target), str(target.parent)} & read:
            raise OutputError(f"{place}: the fused scores would be written over scores that are read; name another")


def _write(scores: FusedScores, out: str) -> None:
    """Both files, or none of them."""
    from fairtrial.formats import write_trials

    new = not os.path.exists(out)
    write_trials(scores.test, out)
    try:
        write_trials(scores.dev, _beside(out))
    except Exception:
        if new:
            Path(out).unlink(missing_ok=True)
        raise
