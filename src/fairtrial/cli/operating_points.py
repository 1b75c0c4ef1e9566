"""fairtrial operating-points"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import click

from fairtrial.cli import options
from fairtrial.cli.files import FileCommand
from fairtrial.cli.options import (
    ChanceOptions,
    InputOptions,
    OutputOptions,
    ReadingOptions,
    dev_resamples_option,
    resample_option,
)
from fairtrial.cli.output import print_tables_or_json
from fairtrial.core.errors import ParameterError

if TYPE_CHECKING:
    from fairtrial.evaluation.operating import OperatingPoints


@click.command(cls=FileCommand)
@options.takes(InputOptions, ChanceOptions)
@click.option(
    "--far",
    "targets",
    default=".01,.001,.0001",
    show_default=True,
    metavar="X[,X...]",
    help="Target FARs, fractions separated by commas.",
)
@resample_option
@dev_resamples_option
@options.takes(ReadingOptions, OutputOptions)
def command(
    files: InputOptions,
    chance: ChanceOptions,
    reading: ReadingOptions,
    output: OutputOptions,
    *,
    targets: str,
    resample: Literal["test", "both"],
    resamples: int,
) -> None:
    """AUC, d' and the FRR on test where dev promises a FAR, each with its interval, in one table.

    The threshold of each target is the lowest that keeps the FAR on dev at or below it.

    \b
    Examples:
      fairtrial operating-points --dev dev.csv --test test.csv
      fairtrial operating-points --dev dev.csv --test test.csv --far .01,.001 --out points.csv
    """
    from fairtrial.cli.inputs import for_each_system, read_inputs
    from fairtrial.core.tables import join_tables
    from fairtrial.evaluation.operating import operating_points_of
    from fairtrial.formats.counter_file import is_part

    output.check()
    if any(is_part(name) for name in files.files):
        raise ParameterError("operating points need the scores themselves, and not files of counts")
    far = _numbers(targets)
    inputs = read_inputs(files, reading, chance)
    sets = inputs.sets(chance, resamples=resamples)

    def work(system: str) -> OperatingPoints:
        from fairtrial.inference.estimates import threshold_when

        threshold = threshold_when(resample)
        return operating_points_of(sets, system, far=far, confidence=chance.confidence, threshold=threshold)

    results = for_each_system(inputs, "operating points", work)
    found = {"systems": [result.to_dict() for result in results]}
    print_tables_or_json(output, join_tables([result.tables() for result in results]), found)


def _numbers(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError as error:
        raise ParameterError(f"--far {text}: expected fractions separated by commas, as in .01,.001") from error
