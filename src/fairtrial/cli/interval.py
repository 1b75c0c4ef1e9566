"""fairtrial interval"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import click

from fairtrial.checks import check_seed
from fairtrial.cli import options
from fairtrial.cli.output import number, percent, print_json, print_notes, print_table
from fairtrial.cli.progress import reading_bar
from fairtrial.errors import ParameterError

if TYPE_CHECKING:
    from fairtrial.counting.errors import ErrorCounts
    from fairtrial.individuals import ErrorKind, Individuals, Person
    from fairtrial.intervals import RateInterval


@click.group()
def command() -> None:
    """Intervals for error rates that are known from a table or a paper, or of people tested several times.

    \b
    Examples:
      fairtrial interval rates --far .0115 --frr .025 --impostor 112000 --genuine 400
      fairtrial interval individuals counts.csv
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

    counts = intervals.published_counts(far=far, frr=frr, impostor=impostor, genuine=genuine)
    measures = [options.measure_by_name(name, dcf) for name in ("hter", "wer", "dcf", "far", "frr")]
    found = [intervals.rate_interval(counts, measure=m, alpha=alpha, confidence=confidence) for m in measures]
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


@command.command()
@click.argument("file", metavar="FILE")
@click.option(
    "--method",
    "methods",
    multiple=True,
    metavar="NAME",
    help="dr, bp, sb, bb, lbb, brr, bb-ml or all; may be repeated.  [default: all]",
)
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Confidence of the intervals.")
@click.option(
    "--resamples", type=int, default=1000, show_default=True, metavar="M", help="Resamples of sb and brr; 0: no end."
)
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Seed of the resamples.")
@click.option("--threshold", type=float, metavar="T", help="FILE holds scores; count the errors at this threshold.")
@click.option(
    "--error", type=click.Choice(["frr", "far"]), default="frr", show_default=True, help="Which errors of the scores."
)
@click.option("--by", type=click.Choice(["claim", "subject"]), default="claim", show_default=True, help="Whose errors.")
@options.reading
@options.as_json
def individuals(
    file: str,
    methods: tuple[str, ...],
    confidence: float,
    resamples: int,
    seed: int,
    threshold: float | None,
    error: ErrorKind,
    by: Person,
    json_: bool,
    **values: Any,
) -> None:
    """Intervals of an error rate when people were tested several times.

    FILE is a table with the columns errors and attempts, a row a person; with --threshold, a score file with ids.

    \b
    Examples:
      fairtrial interval individuals counts.csv
      fairtrial interval individuals test.txt --threshold 0.5 --error far --by subject
    """
    from fairtrial.individuals import REPEATED_METHODS, repeated_intervals

    people, other = _people(file, threshold, error, by, values)
    check_seed(seed)
    found = repeated_intervals(
        people,
        methods=tuple(REPEATED_METHODS) if not methods or "all" in methods else methods,
        confidence=confidence,
        n_resamples=resamples or None,
        rng=seed,
    )
    elsewhere: dict[str, Any] | None = None
    if other is not None:
        lbb = repeated_intervals(other, methods=["lbb"], confidence=confidence).methods["lbb"]
        elsewhere = {"rho": float(other.rho), "individuals": int(other.individuals), "lbb": lbb.to_dict()}
    if json_:
        print_json({**found.to_dict(), **({} if elsewhere is None else {"by_the_other": elsewhere})})
        return
    from rich.table import Table

    rho = "not known" if math.isnan(found.rho) else number(found.rho)
    title = (
        f"errors {found.errors:,}, attempts {found.attempts:,}, individuals {found.individuals:,}: "
        f"{percent(found.estimate)} %, rho {rho}"
    )
    table = Table(title=title, title_justify="left")
    table.add_column("method")
    for column in ("low %", "high %", "confidence %"):
        table.add_column(column, justify="right")
    table.add_column("note")
    for name, each in found.methods.items():
        table.add_row(name, percent(each.low), percent(each.high), f"{100 * each.confidence:g}", each.note)
    print_table(table)
    if found.zero_errors is not None:
        bounds = found.zero_errors
        click.echo(
            f"upper bounds over attempts and over individuals: rule of 3 (95 %) {percent(bounds.rule_of_three)} and "
            f"{percent(bounds.rule_of_three_individuals)} %; exact {percent(bounds.exact)} and "
            f"{percent(bounds.exact_individuals)} %; Bayes with Jeffreys' prior {percent(bounds.bayes)} and "
            f"{percent(bounds.bayes_individuals)} %"
        )
    click.echo(found.recommendation)
    if elsewhere is not None:
        low, high = (percent(elsewhere["lbb"][end]) for end in ("low", "high"))
        role = "subject" if by == "claim" else "claim"
        click.echo(
            f"note: errors also go together by {role}; lbb by {role}: {low} to {high} %. Go by the wider one, or by "
            "evaluate, which takes both into account."
        )


def _people(
    file: str, threshold: float | None, error: ErrorKind, by: Person, values: dict[str, Any]
) -> tuple[Individuals, Individuals | None]:
    """The people, and for impostor trials with both ids the people in the other role."""
    from fairtrial.individuals import Individuals

    if threshold is None:
        from fairtrial.formats.counts import read_counts

        return Individuals.from_counts(*read_counts(file)), None
    from fairtrial.formats import read_trials

    with reading_bar([file]) as bar:
        trials = read_trials(file, progress=bar.advance, **options.read_options(values))
    if len(trials.systems) > 1:
        raise ParameterError(f"{file} has the systems {', '.join(trials.systems)}; name one with --system")
    found = Individuals.from_trials(trials, threshold, error=error, by=by)
    if error != "far" or not {"claim", "subject"} <= set(trials.ids):
        return found, None
    role: Person = "subject" if by == "claim" else "claim"
    return found, Individuals.from_trials(trials, threshold, error=error, by=role)


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
