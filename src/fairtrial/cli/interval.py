"""fairtrial interval"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import click

from fairtrial.cli import options
from fairtrial.cli.files import READ, FileGroup
from fairtrial.cli.options import OutputOptions, ReadingOptions, choice, option
from fairtrial.cli.output import print_result
from fairtrial.cli.progress import reading_bar
from fairtrial.errors import ParameterError

if TYPE_CHECKING:
    from fairtrial.counting.errors import ErrorCounts
    from fairtrial.individuals import ErrorKind, Individuals, Person
    from fairtrial.intervals import RateInterval
    from fairtrial.rules.measures import Measure


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
    measure: str,
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
    from fairtrial import intervals
    from fairtrial.tables import join_tables

    output.check()
    _check_applies(measure)
    counts = intervals.published_counts(
        far=far,
        frr=frr,
        false_accepts=false_accepts,
        false_rejects=false_rejects,
        impostor=impostor,
        genuine=genuine,
    )
    measures = [options.measure_by_name(name, dcf) for name in ("hter", "wer", "dcf", "far", "frr")]
    found = [interval for own in measures for interval in _of_measure(counts, own, alpha, confidence)]
    found += [make(counts, confidence=confidence) for make in (intervals.naive_interval, intervals.class_interval)]
    found += _proportions(counts, confidence)
    if measure != "all":
        found = [interval for interval in found if interval.measure == measure]
    tables = join_tables([interval.tables() for interval in found])
    print_result(output, tables, {"intervals": [interval.to_dict() for interval in found]})


def _check_applies(measure: str) -> None:
    """Raise an error where the weight or the costs of another measure were given."""
    for name, owner in (("alpha", "wer"), ("dcf", "dcf")):
        if measure not in (owner, "all"):
            options.refuse_given([name], f"applies to --measure {owner}, not to {measure}")


@dataclass(frozen=True, slots=True)
class ErrorOptions:
    """Which errors of a score file are counted, and whose."""

    threshold: float | None = option(
        "--threshold", type=float, metavar="T", help="FILE holds scores; count the errors at this threshold."
    )
    error: ErrorKind = choice("--error", ["frr", "far"], "frr", help="Which errors of the scores.")
    by: Person = choice("--by", ["claim", "subject"], "claim", help="Whose errors.")

    @property
    def other(self) -> Person:
        """The other role that errors could be counted by."""
        return "subject" if self.by == "claim" else "claim"


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
    from fairtrial.individuals import REPEATED_METHODS, repeated_intervals
    from fairtrial.tables import interval_text

    output.check()
    resampled = [name for name, method in REPEATED_METHODS.items() if method.resamples]
    if methods and not {*resampled, "all"} & set(methods):
        why = f"applies to {' and '.join(resampled)}, not to {', '.join(methods)}"
        options.refuse_given(["resamples", "seed"], why)
    people, other, notes = _people(file, errors, reading)
    result = repeated_intervals(
        people,
        methods=tuple(REPEATED_METHODS) if not methods or "all" in methods else methods,
        confidence=confidence,
        n_resamples=resamples or None,
        rng=seed,
    )
    found: dict[str, Any] = result.to_dict()
    main, *rest = result.tables()
    if notes:
        found["notes"] = list(notes)
        main = main.with_notes(*notes)
    if other is not None:
        lbb = repeated_intervals(other, methods=["lbb"], confidence=confidence).methods["lbb"]
        found["by_the_other"] = {
            "rho": float(other.rho),
            "individuals": int(other.individuals),
            "lbb": lbb.to_dict(),
        }
        ends = interval_text(lbb.low, lbb.high)
        main = main.with_notes(
            f"errors also go together by {errors.other}; lbb by {errors.other}: {ends or 'undefined'} %. Go by the "
            "wider one, or by evaluate, which takes both into account."
        )
    print_result(output, [main, *rest], found)


def _people(
    file: str, errors: ErrorOptions, reading: ReadingOptions
) -> tuple[Individuals, Individuals | None, tuple[str, ...]]:
    """The people, for impostor trials with both ids the people in the other role, and notes of the reading."""
    from fairtrial.individuals import Individuals

    if errors.threshold is None:
        from fairtrial.formats.counts import read_counts

        why = "applies to scores, and without --threshold FILE is a table of errors and attempts"
        options.refuse_given(["error", "by", *(own.name for own in fields(ReadingOptions))], why)
        return Individuals.from_counts(*read_counts(file).counts), None, ()
    from fairtrial.formats import read_trials

    with reading_bar([file]) as bar:
        trials = read_trials(file, progress=bar.advance, **reading.keywords())
    if len(trials.systems) > 1:
        raise ParameterError(f"{file} has the systems {', '.join(trials.systems)}; name one with --system")
    found = Individuals.from_trials(trials, errors.threshold, error=errors.error, by=errors.by)
    if errors.error != "far" or not {"claim", "subject"} <= set(trials.ids):
        return found, None, trials.notes
    return found, Individuals.from_trials(trials, errors.threshold, error=errors.error, by=errors.other), trials.notes


def _of_measure(counts: ErrorCounts, measure: Measure, alpha: float, confidence: float) -> list[RateInterval]:
    """The interval of eq. (13) and its like; where no error gives it a width, that of Wilson's limits before it."""
    from fairtrial.intervals import rate_interval
    from fairtrial.scale.figures import counted_intervals

    found = rate_interval(counts, measure=measure, alpha=alpha, confidence=confidence)
    return [found] if found.sigma else [counted_intervals(counts, None, measure, alpha, confidence)[0], found]


def _proportions(counts: ErrorCounts, confidence: float) -> list[RateInterval]:
    """FAR and FRR as single proportions, by each method; published rates are rounded to whole errors."""
    from math import nan

    from fairtrial.intervals import RateInterval, proportion_interval, rule_of_three
    from fairtrial.intervals.proportions import PROPORTION_METHODS
    from fairtrial.tables import percent

    found = []
    for name, errors, trials in (
        ("far", round(counts.false_accepts), counts.impostor),
        ("frr", round(counts.false_rejects), counts.genuine),
    ):
        for method in PROPORTION_METHODS:
            low, high = proportion_interval(errors, trials, confidence=confidence, method=method)
            note = f"no error: below {percent(rule_of_three(trials))} by the rule of 3" if not errors else ""
            found.append(RateInterval(errors / trials, low, high, nan, confidence, method, name, note=note))
    return found
