"""fairtrial calibrate"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fairtrial.cli import options
from fairtrial.cli.calibrating import FitOptions, calibrate_each
from fairtrial.cli.files import WRITTEN, FileCommand, check_not_read
from fairtrial.cli.options import ChanceOptions, ReadingOptions, TwoSets
from fairtrial.cli.output import print_result
from fairtrial.cli.reporting import ReportOptions, repeat_of
from fairtrial.cli.scores import ScoresOutput, beside, write_both
from fairtrial.errors import ParameterError

if TYPE_CHECKING:
    from fairtrial.calibration.comparing import EvidencePair
    from fairtrial.calibration.evidence import CostPoint
    from fairtrial.significance.multiple import Correction


@click.command(cls=FileCommand)
@options.takes(TwoSets, FitOptions, ChanceOptions)
@click.option(
    "--dcf",
    "costs",
    multiple=True,
    metavar="PRIOR[,CMISS,CFA] | NAME",
    help="A detection cost on test, as .01 or .01,10,1; or those of an evaluation: sre16, sre18, sre18-vast, sre21. "
    "May be repeated.  [default: .01]",
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
@click.option("--save", type=WRITTEN, metavar="M.json", help="Save the calibration of one system, or of all fused.")
@options.takes(ReadingOptions, ScoresOutput, ReportOptions)
def command(
    files: TwoSets,
    fit: FitOptions,
    chance: ChanceOptions,
    reading: ReadingOptions,
    output: ScoresOutput,
    page: ReportOptions,
    *,
    costs: tuple[str, ...],
    correction: Correction,
    scores: str | None,
    save: str | None,
) -> None:
    """Make log-likelihood ratios of scores: calibrated on dev, judged on test.

    \b
    Examples:
      fairtrial calibrate --dev dev.csv --test test.csv
      fairtrial calibrate --dev dev.csv --test test.csv --system voice --dcf sre18 --save voice.json --out llr.csv
      fairtrial calibrate --dev dev.csv --test test.csv --fuse --report evidence.html
    """
    from fairtrial.calibration.comparing import compare_evidence
    from fairtrial.calibration.model import side_by_side
    from fairtrial.cli.inputs import read_sets
    from fairtrial.formats.files import check_place
    from fairtrial.formats.registry import told_by_name
    from fairtrial.formats.results import check_target
    from fairtrial.tables import join_tables

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
        check_place(beside(scores))
        check_not_read((*files.dev, *files.test), also_written=[beside(scores)])
    if save is not None:
        check_target(save, (".json",))
    points = _points(costs)
    dev, test = read_sets(files, reading)
    if save is not None and len(fit.groups(dev)) > 1:
        raise ParameterError("--save holds one calibration; choose one system with --system, or --fuse them")
    results = calibrate_each(dev, test, fit, points=points, confidence=chance.confidence, cluster=chance.cluster)
    if save is not None:
        results[0].calibration.save(save)
    if scores is not None:
        fitted = [own.calibration for own in results]
        write_both(side_by_side(fitted, test), side_by_side(fitted, dev), scores)
    tables = list(join_tables([result.tables() for result in results]))
    found: dict[str, Any] = {"systems": [result.to_dict() for result in results]}
    pairs: list[EvidencePair] = []
    if len(results) > 1:
        pairs = compare_evidence(dev, test, results, correction=correction, cluster=chance.cluster)
        tables += join_tables([pair.tables() for pair in pairs])
        found["pairs"] = [pair.to_dict() for pair in pairs]
    if page.report is not None:
        from fairtrial.report.calibration import calibration_page

        repeat = repeat_of(files.files, chance.seed)
        page.write(calibration_page(results, pairs, repeat, correction=correction, rng=chance.seed, terms=output.terms))
    print_result(output, tables, found)


def _points(costs: Sequence[str]) -> list[CostPoint]:
    from fairtrial.calibration.evidence import PRESETS, CostPoint

    found: list[CostPoint] = []
    for entry in costs or (".01",):
        if entry.lower() in PRESETS:
            found += PRESETS[entry.lower()]
            continue
        try:
            numbers = [float(number) for number in entry.split(",")]
        except ValueError as error:
            raise ParameterError(
                f"--dcf {entry}: expected a prior, a prior and two costs as in .01,10,1, or one of {', '.join(PRESETS)}"
            ) from error
        if len(numbers) not in (1, 3):
            raise ParameterError(f"--dcf {entry}: expected a prior, or a prior and two costs as in .01,10,1")
        found.append(CostPoint(*numbers))
    return found
