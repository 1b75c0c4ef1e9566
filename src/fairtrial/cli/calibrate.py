"""fairtrial calibrate"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any

import click

from fairtrial.cli import options
from fairtrial.cli.calibrating import FitOptions, calibrate_each
from fairtrial.cli.files import READ, WRITTEN, FileCommand
from fairtrial.cli.fitted import FittedFiles
from fairtrial.cli.opened import PlaceOptions, opened_sets
from fairtrial.cli.options import ChanceOptions, InputOptions, ReadingOptions, TwoSets, choice, option
from fairtrial.cli.output import print_result
from fairtrial.cli.progress import reading_bar
from fairtrial.cli.reporting import ReportOptions, repeat_of
from fairtrial.cli.scores import ScoresOutput, check_scores, write_both
from fairtrial.core.errors import ParameterError

if TYPE_CHECKING:
    from fairtrial.calibration.comparison import EvidencePair
    from fairtrial.calibration.estimates import CostTarget
    from fairtrial.calibration.results import CalibratedSystem
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

    def check(self) -> None:
        """Raise an error where dev and a model are both given or both not, or where options do not go with a model."""
        fitting = ["method", "prior", "fuse", "save", "correction"]
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
        from fairtrial.calibration.estimates import cost_target

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

        self.files.check()
        self.output.check()
        self.page.check()
        self.fit.check()
        if self.page.report is None:
            options.refuse_given(["seed"], "applies to bands that draw people, which only the page of --report has")
        if self.fit.fuse:
            options.refuse_given(["correction"], "applies to pairs of systems, and --fuse makes one of them")
        check_scores(self.told.scores, (*self.files.dev, *self.files.test), with_dev=self.files.model is None)
        if self.files.save is not None:
            check_target(self.files.save, (".json",))

    def check_saved(self, calibrations: int) -> None:
        """Raise an error where several calibrations would be saved."""
        if self.files.save is not None and calibrations > 1:
            raise ParameterError("--save holds one calibration; choose one system with --system, or --fuse them")

    def write_page(self, results: Sequence[CalibratedSystem], pairs: Sequence[EvidencePair], *read: str) -> None:
        """Write the page, if one was asked for."""
        if self.page.report is None:
            return
        from fairtrial.pages import page_of

        seed, correction = self.chance.seed, self.told.correction
        repeat = repeat_of(read, seed)
        self.page.write(page_of(results, repeat, pairs=pairs, correction=correction, rng=seed))


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
    """
    asked = _Asked(files, fit, chance, told, reading, place, output, page, told.targets())
    asked.check()
    if files.model is not None:
        _judge_saved(asked, files.model)
    elif place.asks_for_pieces((*files.dev, *files.test)):
        _calibrate_in_pieces(asked)
    else:
        _calibrate(asked)


def _judge_saved(asked: _Asked, model: str) -> None:
    """Judge a calibration that was saved."""
    from fairtrial.calibration.calibration import judge_calibration
    from fairtrial.calibration.model import Calibration
    from fairtrial.formats.read import read_trials

    saved, files, chance = Calibration.load(model), asked.files, asked.chance
    with reading_bar(files.test) as bar:
        test = read_trials(files.test, progress=bar.advance, **asked.reading.keywords())
    result = judge_calibration(saved, test, points=asked.targets, confidence=chance.confidence, cluster=chance.cluster)
    if asked.told.scores is not None:
        write_both(saved.apply(test), None, asked.told.scores)
    asked.write_page([result], [], model, *files.test)
    print_result(asked.output, result.tables(), {"systems": [result.to_dict()]})


def _calibrate_in_pieces(asked: _Asked) -> None:
    """Calibrate systems whose trials are read in passes."""
    from fairtrial.calibration.calibration import calibrate_in_passes
    from fairtrial.core.tables import join_tables

    files, fit, told = asked.files, asked.fit, asked.told
    sets = InputOptions(files.dev, files.test, None)
    whole = {
        "out": told.scores,
        "fuse": fit.fuse,
        "report": asked.page.report,
        "partition": told.partition or None,
    }
    with opened_sets(sets, asked.reading, asked.place, whole) as opened:
        asked.check_saved(len(opened[0].systems))
        passed = [
            calibrate_in_passes(*opened, system=name, method=fit.method, prior=fit.prior, points=asked.targets)
            for name in opened[0].systems
        ]
    if files.save is not None:
        passed[0].calibration.save(files.save)
    tables = join_tables([result.tables() for result in passed])
    print_result(asked.output, tables, {"systems": [result.to_dict() for result in passed]})


def _calibrate(asked: _Asked) -> None:
    """Calibrate systems on dev, judge them on test and compare them."""
    from fairtrial.calibration.comparison import compare_evidence
    from fairtrial.calibration.model import side_by_side
    from fairtrial.cli.inputs import read_sets
    from fairtrial.core.tables import join_tables

    files, chance, told = asked.files, asked.chance, asked.told
    dev, test = read_sets(TwoSets(files.dev, files.test), asked.reading)
    asked.check_saved(len(asked.fit.groups(dev)))
    results = calibrate_each(
        dev, test, asked.fit, points=asked.targets, confidence=chance.confidence, cluster=chance.cluster
    )
    if files.save is not None:
        results[0].calibration.save(files.save)
    if told.scores is not None:
        fitted = [own.calibration for own in results]
        write_both(side_by_side(fitted, test), side_by_side(fitted, dev), told.scores)
    tables = list(join_tables([result.tables() for result in results]))
    found: dict[str, Any] = {"systems": [result.to_dict() for result in results]}
    pairs: list[EvidencePair] = []
    if len(results) > 1:
        finite = [own for own in results if isfinite(own.test[0])]  # a note of theirs says so of all others
        if len(finite) > 1:
            pairs = compare_evidence(dev, test, finite, correction=told.correction, cluster=chance.cluster)
        tables += join_tables([pair.tables() for pair in pairs])
        found["pairs"] = [pair.to_dict() for pair in pairs]
    asked.write_page(results, pairs, *files.dev, *files.test)
    print_result(asked.output, tables, found)
