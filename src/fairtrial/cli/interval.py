"""fairtrial interval"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from fairtrial.cli import options
from fairtrial.cli.output import percent, print_json, print_notes, print_table

if TYPE_CHECKING:
    from fairtrial.counting import ErrorCounts
    from fairtrial.intervals import RateInterval


@click.group()
def command() -> None:
    """Intervals for error rates that are known from a table or a paper.

    \b
    Example:
      fairtrial interval rates --far .0115 --frr .025 --impostor 112000 --genuine 400
    """


@command.command()
@click.option("--far", type=float, required=True, help="False acceptance rate, a fraction.")
@click.option("--frr", type=float, required=True, help="False rejection rate, a fraction.")
@click.option("--impostor", type=int, required=True, metavar="NI", help="Number of impostor trials.")
@click.option("--genuine", type=int, required=True, metavar="NC", help="Number of genuine trials.")
@click.option(
    "--measure",
    type=click.Choice(["hter", "wer", "dcf", "far", "frr", "naive", "class", "all"]),
    default="hter",
    show_default=True,
    help="Whose interval; naive and class only for comparison.",
)
@click.option("--alpha", type=float, default=0.5, show_default=True, help="Weight of FAR in wer.")
@options.dcf_costs
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Confidence of the interval.")
@options.as_json
def rates(
    far: float,
    frr: float,
    impostor: int,
    genuine: int,
    measure: str,
    alpha: float,
    dcf: str | None,
    confidence: float,
    json_: bool,
) -> None:
    """Intervals of HTER, DCF and others from FAR, FRR and numbers of trials, all trials independent.

    \b
    Example:
      fairtrial interval rates --far .0115 --frr .025 --impostor 112000 --genuine 400 --measure all
    """
    from fairtrial import intervals
    from fairtrial.measures import DetectionCosts

    counts = intervals.published_counts(far=far, frr=frr, impostor=impostor, genuine=genuine)
    costs = DetectionCosts() if dcf is None else options.detection_costs(dcf)
    weights = [intervals.HTER, intervals.wer_weights(alpha), intervals.dcf_weights(costs), intervals.FAR, intervals.FRR]
    found = [intervals.rate_interval(counts, weights=w, confidence=confidence) for w in weights]
    found += [make(counts, confidence=confidence) for make in (intervals.naive_interval, intervals.class_interval)]
    found += _proportions(counts, confidence)
    if measure != "all":
        found = [interval for interval in found if interval.measure == measure]
    if json_:
        print_json({"intervals": [interval.to_dict() for interval in found]})
        return
    from rich.table import Table

    table = Table(title=f"{100 * confidence:g} % intervals, independent trials", title_justify="left")
    for column in ("measure", "estimate %", "sigma %", "low %", "high %"):
        table.add_column(column, justify="left" if column == "measure" else "right")
    table.add_column("method")
    for interval in found:
        values = (interval.estimate, interval.sigma, interval.low, interval.high)
        table.add_row(interval.measure, *(percent(value) for value in values), interval.method)
    print_table(table)
    print_notes([f"{interval.measure}: {interval.note}" for interval in found if interval.note])


def _proportions(counts: ErrorCounts, confidence: float) -> list[RateInterval]:
    """FAR and FRR as single proportions, by each method; published rates are rounded to whole errors."""
    from math import nan

    from fairtrial.intervals import RateInterval, proportion_interval, rule_of_three
    from fairtrial.intervals.proportions import PROPORTION_METHODS

    found = []
    for name, errors, trials in (
        ("far", round(counts.false_accepts), counts.impostor),
        ("frr", round(counts.false_rejects), counts.genuine),
    ):
        for method in PROPORTION_METHODS:
            low, high = proportion_interval(errors, trials, confidence=confidence, method=method)
            note = f"no error: below {100 * rule_of_three(trials):.3g} % by the rule of 3" if not errors else ""
            found.append(RateInterval(errors / trials, low, high, nan, confidence, method, name, note))
    return found
