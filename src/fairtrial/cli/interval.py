"""fairtrial interval"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import click

from fairtrial.cli import options
from fairtrial.cli.files import READ, FileGroup
from fairtrial.cli.options import OutputOptions, ReadingOptions, choice, option
from fairtrial.cli.output import print_result
from fairtrial.cli.progress import reading_bar
from fairtrial.core.errors import ParameterError

if TYPE_CHECKING:
    from fairtrial.core.trials import Trials
    from fairtrial.published.rates import ReportedMeasure
    from fairtrial.repeated.attempts import ErrorKind, Person


@click.group(cls=FileGroup)
def command() -> None:
    """Intervals for error rates that are known from a table or a paper, or of people tested several times.

    \b
    Examples:
      fairtrial interval rates --far .0115 --frr .025 --impostor 112000 --genuine 400
      fairtrial interval individuals counts.csv
    """


@command.command()
@click.option("--far", type=float, help="False acceptance rate, a fraction.")
@click.option("--frr", type=float, help="False rejection rate, a fraction.")
@click.option("--false-accepts", type=int, metavar="FA", help="Number of false accepts, in place of the FAR.")
@click.option("--false-rejects", type=int, metavar="FR", help="Number of false rejects, in place of the FRR.")
@click.option("--impostor", type=int, required=True, metavar="NI", help="Number of impostor trials.")
@click.option("--genuine", type=int, required=True, metavar="NC", help="Number of genuine trials.")
@click.option(
    "--measure",
    type=click.Choice(["hter", "wer", "dcf", "far", "frr", "naive", "class", "all"]),
    default="hter",
    show_default=True,
    help="Which measure the interval is for; naive and class only for comparison.",
)
@click.option("--alpha", type=float, default=0.5, show_default=True, help="Weight of FAR in wer.")
@options.dcf_option
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Confidence of the interval.")
@options.takes(OutputOptions)
def rates(
    output: OutputOptions,
    *,
    far: float | None,
    frr: float | None,
    false_accepts: int | None,
    false_rejects: int | None,
    impostor: int,
    genuine: int,
    measure: ReportedMeasure,
    alpha: float,
    dcf: str | None,
    confidence: float,
) -> None:
    """Intervals of HTER, DCF and others from FAR and FRR or numbers of errors, all trials independent.

    \b
    Examples:
      fairtrial interval rates --far .0115 --frr .025 --impostor 112000 --genuine 400 --measure all
      fairtrial interval rates --false-accepts 1285 --false-rejects 10 --impostor 112000 --genuine 400
    """
    from fairtrial.published.rates import rate_intervals

    output.check()
    found = rate_intervals(
        far=far,
        frr=frr,
        false_accepts=false_accepts,
        false_rejects=false_rejects,
        impostor=impostor,
        genuine=genuine,
        measure=measure,
        alpha=alpha,
        costs=None if dcf is None else options.detection_costs(dcf),
        confidence=confidence,
    )
    print_result(output, found.tables(), found.to_dict())


@dataclass(frozen=True, slots=True)
class ErrorOptions:
    """Which errors of a score file are counted, and whose."""

    threshold: float | None = option(
        "--threshold", type=float, metavar="T", help="FILE holds scores; count the errors at this threshold."
    )
    error: ErrorKind = choice("--error", ["frr", "far"], "frr", help="Which errors of the scores.")
    by: Person = choice("--by", ["claim", "subject"], "claim", help="Whose errors.")


@command.command()
@click.argument("file", type=READ, metavar="FILE")
@click.option(
    "--method",
    "methods",
    multiple=True,
    metavar="NAME",
    help="dr, bp, sb, bb, lbb, brr, bb-ml or all; may be repeated.  [default: all]",
)
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Confidence of the intervals.")
@click.option(
    "--resamples",
    type=int,
    default=1000,
    show_default=True,
    metavar="M",
    help="Resamples of sb and brr; 0: as if with infinitely many.",
)
@options.seed_option
@options.takes(ErrorOptions, ReadingOptions, OutputOptions)
def individuals(
    errors: ErrorOptions,
    reading: ReadingOptions,
    output: OutputOptions,
    *,
    file: str,
    methods: tuple[str, ...],
    confidence: float,
    resamples: int,
    seed: int,
) -> None:
    """Intervals of an error rate when people were tested several times.

    FILE is a table with the columns errors and attempts, one row per person; with --threshold, a score file with ids.

    \b
    Examples:
      fairtrial interval individuals counts.csv
      fairtrial interval individuals test.txt --threshold 0.5 --error far --by subject
    """
    from fairtrial.repeated.intervals import repeated_intervals

    output.check()
    found = repeated_intervals(
        _people(file, errors, reading),
        threshold=errors.threshold,
        error=errors.error,
        role=errors.by,
        methods=methods or ("all",),
        confidence=confidence,
        n_resamples=resamples,
        rng=seed,
    )
    print_result(output, found.tables(), found.to_dict())


def _people(file: str, errors: ErrorOptions, reading: ReadingOptions) -> str | Trials:
    """A table of errors and attempts, or the scores of one system."""
    if errors.threshold is None:
        why = "applies to scores, and without --threshold FILE is a table of errors and attempts"
        options.refuse_given([field.name for field in fields(ReadingOptions)], why)
        return file
    from fairtrial.formats.read import read_trials

    with reading_bar([file]) as bar:
        trials = read_trials(file, progress=bar.advance, **reading.keywords())
    if len(trials.systems) > 1:
        raise ParameterError(f"{file} has the systems {', '.join(trials.systems)}; name one with --system")
    return trials
