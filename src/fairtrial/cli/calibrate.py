"""fairtrial calibrate"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fairtrial.cli import options
from fairtrial.cli.calibrating import FitOptions, calibrate_each
from fairtrial.cli.files import READ, WRITTEN, FileCommand, check_not_read
from fairtrial.cli.fitted import FittedFiles
from fairtrial.cli.opened import PlaceOptions, opened_sets
from fairtrial.cli.options import ChanceOptions, InputOptions, ReadingOptions, TwoSets, option
from fairtrial.cli.output import print_result
from fairtrial.cli.progress import reading_bar
from fairtrial.cli.reporting import ReportOptions, repeat_of
from fairtrial.cli.scores import ScoresOutput, beside, write_both
from fairtrial.errors import ParameterError

if TYPE_CHECKING:
    from fairtrial.calibration.comparing import EvidencePair
    from fairtrial.calibration.results import CalibratedSystem
    from fairtrial.significance.multiple import Correction


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


@click.command(cls=FileCommand)
@options.takes(CalibrateFiles, FitOptions, ChanceOptions)
@click.option(
    "--dcf",
    "costs",
    multiple=True,
    metavar="PRIOR[,CMISS,CFA] | NAME",
    help="A detection cost on test, as .01 or .01,10,1; or those of an evaluation and their mean: sre16, sre18, "
    "sre18-vast, sre19-cts, sre19-av, sre20-cts, sre21. May be repeated.  [default: .01]",
)
@click.option(
    "--partition",
    multiple=True,
    metavar="COLUMN",
    help="Detection costs as means of the error rates of all parts that this column divides the test trials into, at "
    "one threshold; may be repeated.",
)
@click.option(
    "--correction",
    type=click.Choice(["holm", "bh", "none"]),
    default="holm",
    show_default=True,
    help="How p values of pairs of systems are adjusted for their number.",
)
@click.option(
    "--out",
    "scores",
    type=WRITTEN,
    metavar="F",
    help="Write the log-likelihood ratios of test to this file, and those of dev beside it as dev-F. For a file of the "
    "results see --table.",
)
@options.takes(ReadingOptions, PlaceOptions, ScoresOutput, ReportOptions)
def command(
    files: CalibrateFiles,
    fit: FitOptions,
    chance: ChanceOptions,
    reading: ReadingOptions,
    place: PlaceOptions,
    output: ScoresOutput,
    page: ReportOptions,
    *,
    costs: tuple[str, ...],
    partition: tuple[str, ...],
    correction: Correction,
    scores: str | None,
) -> None:
    """Make log-likelihood ratios of scores: calibrated on dev, judged on test.

    \b
    Examples:
      fairtrial calibrate --dev dev.csv --test test.csv
      fairtrial calibrate --dev dev.csv --test test.csv --system voice --dcf sre18 --save voice.json --out llr.csv
      fairtrial calibrate --dev dev.csv --test test.csv --fuse --report evidence.html
      fairtrial calibrate --model voice.json --test others.csv --out others-llr.csv
    """
    from fairtrial.calibration.comparing import compare_evidence
    from fairtrial.calibration.costs import cost_target
    from fairtrial.calibration.judged import judge_calibration
    from fairtrial.calibration.model import Calibration, side_by_side
    from fairtrial.calibration.passing import calibrate_in_passes
    from fairtrial.cli.inputs import read_sets
    from fairtrial.formats import read_trials
    from fairtrial.formats.files import check_place
    from fairtrial.formats.registry import told_by_name
    from fairtrial.formats.results import check_target
    from fairtrial.tables import join_tables

    files.check()
    output.check()
    page.check()
    fit.check()
    if page.report is None:
        options.refuse_given(["seed"], "applies to bands that draw people, which only the page of --report has")
    if fit.fuse:
        options.refuse_given(["correction"], "applies to pairs of systems, and --fuse makes one of them")
    if scores is not None:
        told_by_name(Path(scores))
        check_place(scores)
        if files.model is None:
            check_place(beside(scores))
            check_not_read((*files.dev, *files.test), also_written=[beside(scores)])
    if files.save is not None:
        check_target(files.save, (".json",))
    targets = [cost_target(entry, partition) for entry in costs or (".01",)]
    judged: dict[str, Any] = {"points": targets, "confidence": chance.confidence, "cluster": chance.cluster}
    if files.model is not None:
        saved = Calibration.load(files.model)
        with reading_bar(files.test) as bar:
            test = read_trials(files.test, progress=bar.advance, **reading.keywords())
        result = judge_calibration(saved, test, **judged)
        if scores is not None:
            write_both(saved.apply(test), None, scores)
        _write_page(page, [result], [], (files.model, *files.test), correction, chance.seed, output)
        print_result(output, result.tables(), {"systems": [result.to_dict()]})
        return
    if place.asks_for_pieces((*files.dev, *files.test)):
        sets = InputOptions(files.dev, files.test, None)
        whole = {"out": scores, "fuse": fit.fuse, "report": page.report, "partition": partition or None}
        with opened_sets(sets, reading, place, whole) as opened:
            if files.save is not None:
                _check_single(len(opened[0].systems))
            passed = [
                calibrate_in_passes(*opened, system=name, method=fit.method, prior=fit.prior, points=targets)
                for name in opened[0].systems
            ]
        if files.save is not None:
            passed[0].calibration.save(files.save)
        tables = join_tables([result.tables() for result in passed])
        print_result(output, tables, {"systems": [result.to_dict() for result in passed]})
        return
    dev, test = read_sets(TwoSets(files.dev, files.test), reading)
    if files.save is not None:
        _check_single(len(fit.groups(dev)))
    results = calibrate_each(dev, test, fit, **judged)
    if files.save is not None:
        results[0].calibration.save(files.save)
    if scores is not None:
        fitted = [own.calibration for own in results]
        write_both(side_by_side(fitted, test), side_by_side(fitted, dev), scores)
    found_tables = list(join_tables([result.tables() for result in results]))
    found: dict[str, Any] = {"systems": [result.to_dict() for result in results]}
    pairs: list[EvidencePair] = []
    if len(results) > 1:
        finite = [own for own in results if isfinite(own.test[0])]  # a note of theirs says so of all others
        if len(finite) > 1:
            pairs = compare_evidence(dev, test, finite, correction=correction, cluster=chance.cluster)
        found_tables += join_tables([pair.tables() for pair in pairs])
        found["pairs"] = [pair.to_dict() for pair in pairs]
    _write_page(page, results, pairs, (*files.dev, *files.test), correction, chance.seed, output)
    print_result(output, found_tables, found)


def _write_page(
    page: ReportOptions,
    results: Sequence[CalibratedSystem],
    pairs: Sequence[EvidencePair],
    read: Sequence[str],
    correction: Correction,
    seed: int,
    output: ScoresOutput,
) -> None:
    """Write the page, if one was asked for."""
    if page.report is None:
        return
    from fairtrial.report.calibration import calibration_page

    repeat = repeat_of(read, seed)
    page.write(calibration_page(results, pairs, repeat, correction=correction, rng=seed, terms=output.terms))


def _check_single(calibrations: int) -> None:
    if calibrations > 1:
        raise ParameterError("--save holds one calibration; choose one system with --system, or --fuse them")
