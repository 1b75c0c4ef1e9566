"""What all figures have in common: the picture they are written to, and how a function becomes a command."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from fairtrial.cli import options
from fairtrial.cli.files import WRITTEN, FileCommand
from fairtrial.cli.output import notes_of_options, print_json, print_notes, say
from fairtrial.core.errors import ParameterError
from fairtrial.core.notes import Note
from fairtrial.core.words import listed
from fairtrial.figures.table import FIGURES

if TYPE_CHECKING:
    from fairtrial.cli.options import ChanceOptions, PointOptions, ReadingOptions, TwoSets
    from fairtrial.core.trials import Trials
    from fairtrial.figures.table import Draw


def figure(name: str) -> Callable[[Callable[..., Draw]], click.Command]:
    """Make a command of a function from its options to what draws the figure."""
    kind = FIGURES[name]

    def decorate(work: Callable[..., Draw]) -> click.Command:
        @wraps(work)
        def draw(
            *given: Any,
            out: str,
            title: str,
            width: float,
            height: float,
            dpi: int,
            json_: bool,
            **values: Any,
        ) -> None:
            from fairtrial.cli.inputs import notes_of_reading
            from fairtrial.figures.style import check_picture, write_picture

            check_picture(out, width=width, height=height, dpi=dpi)
            write_picture(work(*given, **values), out, title=title, width=width, height=height, dpi=dpi)
            notes = _told() or notes_of_reading()
            if json_:
                print_json({"out": out, "figure": name, **({"notes": notes} if notes else {})})
            else:
                say(out)
                print_notes([*notes, *notes_of_options()], aside=True)

        drawn: Callable[..., Any] = draw
        for add in reversed(
            (
                click.option(
                    "--out", required=True, type=WRITTEN, metavar="F", help="The picture: a .png, .svg or .pdf."
                ),
                click.option(
                    "--title", default="", metavar="TEXT", callback=options.check_text, help="A line above the figure."
                ),
                click.option("--width", type=float, default=kind.size[0], show_default=True, help="Width in inches."),
                click.option("--height", type=float, default=kind.size[1], show_default=True, help="Height in inches."),
                click.option("--dpi", type=int, default=kind.dpi, show_default=True, help="Dots per inch of a .png."),
                options.json_option,
            )
        ):
            drawn = add(drawn)
        return click.command(name, cls=FileCommand)(drawn)

    return decorate


_TOLD = "fairtrial.notes of a figure"


def tell(notes: Iterable[Note | str]) -> None:
    """Keep what is to be known of what a figure draws, the notes of its trials included, until it is written."""
    click.get_current_context().meta.setdefault(_TOLD, []).extend(notes)


def _told() -> list[str]:
    return list(dict.fromkeys(click.get_current_context().meta.get(_TOLD, [])))


raw_option = click.option(
    "--raw", is_flag=True, help="The scores are log-likelihood ratios already: draw them as they are, too."
)
bands_option = click.option(
    "--bands",
    type=click.Choice(["none", "pointwise"]),
    default="none",
    show_default=True,
    help="Intervals along the calibrated line.",
)
redrawn_option = click.option(
    "--resamples", type=int, default=1000, show_default=True, metavar="M", help="Resamples of people for bands."
)


def band_confidence(bands: str, chance: ChanceOptions) -> float | None:
    """The confidence of bands, None where none were asked for; an error for options that would be ignored."""
    options.refuse_given(["seed"], "applies to what is drawn at random, and nothing is here")
    if bands == "none":
        options.refuse_given(["confidence", "cluster"], "applies to --bands pointwise")
        return None
    return chance.confidence


def two_systems(files: TwoSets, reading: ReadingOptions) -> tuple[Trials, Trials]:
    """Dev and test trials of the two systems asked for, which need not be named where there are only two."""
    from fairtrial.cli.inputs import read_sets

    dev, test = read_sets(files, reading)
    if len(dev.systems) != 2:
        raise ParameterError(f"the figure is of two systems, not {listed(dev.systems)}; choose with --systems A,B")
    return dev, test


def thresholds_of(dev: Trials, test: Trials, point: PointOptions) -> dict[str, float]:
    """The threshold of each system from dev."""
    from fairtrial.inference.decide import judge
    from fairtrial.inference.split import TrialSets

    sets, rule = TrialSets(dev, test), point.rule
    alpha = rule.resolve_alpha(point.alpha)
    judged = {name: judge(sets, system=name, criterion=rule, alphas=alpha) for name in dev.systems}
    return {name: float(own.at(0).threshold) for name, own in judged.items()}
