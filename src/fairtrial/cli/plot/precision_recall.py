"""fairtrial plot precision-recall"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from fairtrial.cli import options
from fairtrial.cli.options import ChanceOptions, InputOptions, PointOptions, ReadingOptions
from fairtrial.cli.plot.drawing import figure, tell

if TYPE_CHECKING:
    from fairtrial.figures.table import Draw


@dataclass(frozen=True, slots=True)
class BreakEvenOptions(PointOptions):
    """How the threshold is chosen on dev: by default where precision and recall are equal."""

    criterion: str = options.criterion_field("break-even")


@figure("precision-recall")
@options.takes(InputOptions, BreakEvenOptions, ChanceOptions, ReadingOptions)
@click.option("--low", type=float, default=0.0, show_default=True, help="Where both axes begin, a fraction.")
def command(
    files: InputOptions,
    point: BreakEvenOptions,
    chance: ChanceOptions,
    reading: ReadingOptions,
    *,
    low: float,
) -> Draw:
    """Precision against recall with the break-even points, and the point that the threshold from dev gives.

    \b
    Examples:
      fairtrial plot precision-recall --dev dev.csv --test test.csv --out precision.png
      fairtrial plot precision-recall --dev dev.csv --test test.csv --criterion recall-at-least --alpha .9 --out p.png
    """
    from fairtrial.cli.inputs import read_inputs
    from fairtrial.figures.det import judged_precision, precision_recall_plot

    point.check()
    inputs = read_inputs(files, reading, chance)
    curves = judged_precision(
        inputs.dev,
        inputs.test,
        blocks=inputs.blocks,
        criterion=point.rule,
        alpha=point.alpha,
        confidence=chance.confidence,
        cluster=chance.cluster,
    )
    tell(note for own in curves for note in (*own.judgement.sets.notes, *own.judgement.notes))
    return lambda figure: precision_recall_plot(curves, low=low, ax=figure.add_subplot())
