"""fairtrial fuse"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from fairtrial.cli import options
from fairtrial.cli.files import READ, WRITTEN, FileCommand
from fairtrial.cli.fitted import FittedFiles
from fairtrial.cli.options import ReadingOptions, choice, option
from fairtrial.cli.output import print_result, say
from fairtrial.cli.progress import reading_bar
from fairtrial.cli.reporting import ReportOptions, repeat_of
from fairtrial.cli.scores import ScoresOutput, beside, check_scores, write_both

if TYPE_CHECKING:
    from fairtrial.fusion.combination import Inner
    from fairtrial.fusion.model import Missing
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
    inner: Inner = choice(
        "--inner",
        ["auto", "folds", "none"],
        "auto",
        help="Where the fused dev scores, and so the threshold, come from. folds: held-out folds (Algorithm 1); none: "
        "the trials that were fitted on; auto: as the method says.",
    )
    folds: int = option(
        "--folds",
        type=int,
        default=5,
        show_default=True,
        metavar="K",
        help="Folds of Algorithm 1, where the threshold is that of held-out dev scores.",
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
        from fairtrial.core.errors import check_choice
        from fairtrial.fusion.normalise import NORMALISATIONS

        check_choice("normalise", self.normalise, NORMALISATIONS)
        if self.inner == "none":
            options.refuse_given(["folds"], "applies to held-out dev scores, and --inner none asks for none")
        options.note_alpha(self.alpha, self.rule)


@dataclass(frozen=True, slots=True)
class FuseFiles(FittedFiles):
    """Development and test scores, or a saved model and test scores."""

    save: str | None = option(
        "--save", type=WRITTEN, metavar="M.json", help="Save the fusion and its thresholds as a model."
    )
    model: str | None = option(
        "--model",
        type=READ,
        metavar="M.json",
        help="In place of --dev: judge a saved model at the thresholds it was saved with.",
    )

    def check(self) -> None:
        """Raise an error where dev and a model are both given or both not, or where options do not go with a model."""
        fitting = ["chosen", "fusion", "normalise", "criterion", "alpha", "missing", "inner", "folds", "save"]
        self.check_fitted(self.model, what="a fusion", fitting=fitting)


@click.command(cls=FileCommand)
@options.takes(FuseFiles)
@click.option(
    "--fusion",
    default="mean",
    show_default=True,
    metavar="NAME",
    help="mean, weighted-mean, product, min, max, median, logistic, lda, qda, gmm, svm-linear, svm-rbf, mlp, "
    "client-threshold, client-scores, client-weights, client-qda; or a registered one.",
)
@options.takes(FusionOptions)
@options.seed_option
@click.option(
    "--out",
    "scores",
    type=WRITTEN,
    metavar="F",
    help="Write the fused test scores to this file, and the fused dev scores beside it as dev-F. For a file of the "
    "results see --table.",
)
@options.takes(ReadingOptions, ScoresOutput, ReportOptions)
def command(
    files: FuseFiles,
    asked: FusionOptions,
    reading: ReadingOptions,
    output: ScoresOutput,
    page: ReportOptions,
    *,
    fusion: str,
    seed: int,
    scores: str | None,
) -> None:
    """Fuse systems: fitted on dev, judged on test at a threshold from dev.

    The fusion is tested against the best of its systems. Saved with --save, it can be applied to other trials.

    \b
    Examples:
      fairtrial fuse --dev dev.csv --test test.csv --systems face,voice
      fairtrial fuse --dev dev.csv --test test.csv --systems face,voice --fusion logistic --normalise z
      fairtrial fuse --dev dev.csv --test test.csv --out fused.csv --table results.tex
      fairtrial fuse --dev dev.csv --test test.csv --fusion logistic --save model.json --report fusion.html
      fairtrial fuse --model model.json --test others.csv
    """
    from fairtrial.formats.read import read_pair, read_trials
    from fairtrial.formats.results import check_target
    from fairtrial.fusion.fusion import fuse
    from fairtrial.fusion.model import FusionModel

    files.check()
    asked.check()
    page.check()
    read = (*files.dev, *files.test)
    check_scores(scores, read, with_dev=files.model is None)
    output.check()
    if files.save is not None:
        check_target(files.save, (".json",))
    model = None if files.model is None else FusionModel.load(files.model)
    with reading_bar(files.dev, files.test) as bar:
        if model is None:
            dev, test = read_pair(files.dev, files.test, progress=bar.advance, **reading.keywords())
        else:
            dev, test = None, read_trials(files.test, progress=bar.advance, **reading.keywords())
    result = fuse(
        dev,
        test,
        model=model,
        systems=None if reading.chosen is None else options.names_of(reading.chosen),
        fusion=fusion,
        normalise=asked.normalise,
        criterion=asked.criterion if model is not None else asked.rule,
        alpha=asked.alpha,
        missing=asked.missing,
        inner=asked.inner,
        folds=asked.folds,
        rng=seed,
        confidence=asked.confidence,
    )
    if page.report is not None:
        from fairtrial.pages import page_of

        page.write(page_of(result, repeat_of((*([files.model] if files.model else []), *read), seed)))
    if files.save is not None:
        result.model.save(files.save)
    if scores is not None:
        write_both(result.scores.test, None if model is not None else result.scores.dev, scores)
    print_result(output, result.tables(), result.to_dict())
    if output.json:
        return
    if scores is not None:
        say(f"fused scores of test in {scores}{'' if model else f', of dev in {beside(scores)}'}")
    if files.save is not None:
        say(f"model in {files.save}")
