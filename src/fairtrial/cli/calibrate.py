"""fairtrial calibrate"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from fairtrial.cli import options
from fairtrial.cli.calibrating import FitOptions, calibrate_with
from fairtrial.cli.files import READ, WRITTEN, FileCommand
from fairtrial.cli.fitted import FittedFiles
from fairtrial.cli.opened import PlaceOptions, opened_sets
from fairtrial.cli.options import ChanceOptions, InputOptions, ReadingOptions, TwoSets, choice, option, refuse_given
from fairtrial.cli.output import print_result
from fairtrial.cli.progress import reading_bar
from fairtrial.cli.reporting import ReportOptions, repeat_of
from fairtrial.cli.scores import ScoresOutput, check_scores, write_both
from fairtrial.core.errors import ParameterError

if TYPE_CHECKING:
    from fairtrial.calibration.calibration import CalibratedSystems
    from fairtrial.calibration.evidence import CostTarget
    from fairtrial.inference.multiplicity import Correction


@dataclass(frozen=True, slots=True)
class CalibrateFiles(FittedFiles):
    """Development and test scores, or a saved calibration and test scores."""

    save: str | None = option(
        "--save", type=WRITTEN, metavar="M.json", help="Save the calibration of one system, or of all fused."
    )
    model: str | None = option(
        "--model", type=READ, metavar="M.json", help="In place of --dev: judge a calibration that was saved."
    )

    def check(self, method: str) -> None:
        """Refuse dev and a model together, neither unless scores are ratios already, and options that do not apply."""
        if method == "none" and not self.dev and self.model is None:
            refuse_given(["save", "fuse", "bounds"], "needs --dev")
            return
        fitting = ["method", "prior", "fuse", "bounds", "save", "correction"]
        self.check_fitted(self.model, what="a calibration", fitting=fitting)


@dataclass(frozen=True, slots=True)
class CostOptions:
    """What is said of the ratios, and where they go."""

    costs: tuple[str, ...] = option(
        "--dcf",
        multiple=True,
        metavar="PRIOR[,CMISS,CFA] | NAME",
        help="A detection cost on test, as .01 or .01,10,1; or those of an evaluation and their mean: sre16, sre18, "
        "sre18-vast, sre19-cts, sre19-av, sre20-cts, sre21. May be repeated.  [default: .01]",
    )
    partition: tuple[str, ...] = option(
        "--partition",
        multiple=True,
        metavar="COLUMN",
        help="Detection costs as means of the error rates of all parts that this column divides the test trials into, "
        "at one threshold; may be repeated.",
    )
    correction: Correction = choice(
        "--correction",
        ["holm", "bh", "none"],
        "holm",
        help="How p values of pairs of systems are adjusted for their number.",
    )
    scores: str | None = option(
        "--out",
        type=WRITTEN,
        metavar="F",
        help="Write the log-likelihood ratios of test to this file, and those of dev beside it as dev-F. For a file of "
        "the results see --table.",
    )

    def targets(self) -> list[CostTarget]:
        """The detection costs."""
        from fairtrial.calibration.evidence import cost_target

        return [cost_target(entry, self.partition) for entry in self.costs or (".01",)]


@dataclass(frozen=True, slots=True)
class _Asked:
    """All that was asked for."""

    files: CalibrateFiles
    fit: FitOptions
    chance: ChanceOptions
    told: CostOptions
    reading: ReadingOptions
    place: PlaceOptions
    output: ScoresOutput
    page: ReportOptions
    targets: list[CostTarget]

    def check(self) -> None:
        """Raise an error before any work where options do not go together, or a file could not be written."""
        from fairtrial.formats.results import check_target

        self.files.check(self.fit.method)
        self.output.check()
        self.page.check()
        self.fit.check()
        if self.page.report is None:
            options.refuse_given(["seed"], "applies to bands that draw people, which only the page of --report has")
        if self.fit.fuse:
            options.refuse_given(["correction"], "applies to pairs of systems, and --fuse makes one of them")
        check_scores(self.told.scores, (*self.files.dev, *self.files.test), with_dev=bool(self.files.dev))
        if self.files.save is not None:
            check_target(self.files.save, (".json",))

    def check_saved(self, calibrations: int) -> None:
        """Raise an error where several calibrations would be saved."""
        if self.files.save is not None and calibrations > 1:
            raise ParameterError("--save holds one calibration; choose one system with --system, or --fuse them")

    @property
    def how(self) -> dict[str, Any]:
        """How the evidence is judged."""
        own, told = self.chance, self.told
        return {
            "points": self.targets, "confidence": own.confidence, "cluster": own.cluster, "correction": told.correction
        }  # fmt: skip

    def finish(self, result: CalibratedSystems, *read: str) -> None:
        """Save, write the page if one was asked for, and print."""
        if self.files.save is not None:
            result.systems[0].calibration.save(self.files.save)
        if self.page.report is not None:
            from fairtrial.pages import page_of

            self.page.write(page_of(result, repeat_of(read, self.chance.seed), rng=self.chance.seed))
        print_result(self.output, result.tables(), result.to_dict())


@click.command(cls=FileCommand)
@options.takes(CalibrateFiles, FitOptions, ChanceOptions, CostOptions)
@options.takes(ReadingOptions, PlaceOptions, ScoresOutput, ReportOptions)
def command(
    files: CalibrateFiles,
    fit: FitOptions,
    chance: ChanceOptions,
    told: CostOptions,
    reading: ReadingOptions,
    place: PlaceOptions,
    output: ScoresOutput,
    page: ReportOptions,
) -> None:
    """Make log-likelihood ratios of scores: calibrated on dev, judged on test.

    \b
    Examples:
      fairtrial calibrate --dev dev.csv --test test.csv
      fairtrial calibrate --dev dev.csv --test test.csv --system voice --dcf sre18 --save voice.json --out llr.csv
      fairtrial calibrate --dev dev.csv --test test.csv --fuse --report evidence.html
      fairtrial calibrate --model voice.json --test others.csv --out others-llr.csv
      fairtrial calibrate --method none --test llr.csv
    """
    asked = _Asked(files, fit, chance, told, reading, place, output, page, told.targets())
    asked.check()
    if not files.dev:
        _judge_without_dev(asked)
    elif place.asks_for_pieces((*files.dev, *files.test)):
        _calibrate_in_pieces(asked)
    else:
        _calibrate(asked)


def _judge_without_dev(asked: _Asked) -> None:
    """Judge a calibration that was saved, or scores that are log-likelihood ratios already."""
    from fairtrial.calibration.calibration import calibrate
    from fairtrial.calibration.model import Calibration, side_by_side
    from fairtrial.formats.read import read_trials

    files = asked.files
    saved = None if files.model is None else Calibration.load(files.model)
    with reading_bar(files.test) as bar:
        test = read_trials(files.test, progress=bar.advance, **asked.reading.keywords())
    result = calibrate(saved, test, method=asked.fit.method, **asked.how)
    if asked.told.scores is not None:
        write_both(side_by_side([own.calibration for own in result], test), None, asked.told.scores)
    asked.finish(result, *([] if files.model is None else [files.model]), *files.test)


def _calibrate_in_pieces(asked: _Asked) -> None:
    """Calibrate systems whose trials are read in passes."""
    files = asked.files
    whole = {
        "out": asked.told.scores,
        "fuse": asked.fit.fuse,
        "report": asked.page.report,
        "partition": asked.told.partition or None,
    }
    with opened_sets(InputOptions(files.dev, files.test, None), asked.reading, asked.place, whole) as opened:
        asked.check_saved(len(opened[0].systems))
        asked.finish(calibrate_with(*opened, asked.fit, **asked.how))


def _calibrate(asked: _Asked) -> None:
    """Calibrate systems on dev, judge them on test and compare them."""
    from fairtrial.calibration.model import side_by_side
    from fairtrial.cli.inputs import read_sets

    files = asked.files
    dev, test = read_sets(TwoSets(files.dev, files.test), asked.reading)
    asked.check_saved(1 if asked.fit.fuse else len(dev.systems))
    result = calibrate_with(dev, test, asked.fit, **asked.how)
    if asked.told.scores is not None:
        fitted = [own.calibration for own in result]
        write_both(side_by_side(fitted, test), side_by_side(fitted, dev), asked.told.scores)
    asked.finish(result, *files.dev, *files.test)
