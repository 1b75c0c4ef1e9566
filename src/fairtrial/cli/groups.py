"""fairtrial groups"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import click

from fairtrial.cli import options
from fairtrial.cli.files import READ, FileCommand
from fairtrial.cli.options import (
    ChanceOptions,
    OutputOptions,
    PointOptions,
    ReadingOptions,
    TwoSets,
    dev_resamples_option,
    names_of,
    option,
    resample_option,
)
from fairtrial.cli.output import print_result
from fairtrial.cli.reporting import ReportOptions, repeat_of
from fairtrial.core.errors import ParameterError
from fairtrial.inference.multipliers import RESAMPLES

if TYPE_CHECKING:
    from fairtrial.groups.membership import PeopleTable
    from fairtrial.groups.results import GroupEvaluation


@dataclass(frozen=True, slots=True)
class GroupOptions:
    """What makes groups."""

    by: str = option(
        "--by",
        required=True,
        metavar="COLUMN[,COLUMN...]",
        help="The column to group by, of the trials or of --people; several are crossed.",
    )
    people: str | None = option(
        "--people",
        type=READ,
        metavar="P.csv",
        help="A table of people, one row each: a column person and those of --by. It is joined by claim and subject.",
    )
    person_column: str = option(
        "--person-column",
        default="person",
        show_default=True,
        metavar="NAME",
        help="The column of --people that says who it is.",
    )
    impostor_by: str | None = option(
        "--impostor-by",
        metavar="COLUMN[,COLUMN...]",
        help="Without --people: the columns that say of the impostor what those of --by say of the claim.",
    )
    edges: tuple[str, ...] = option(
        "--edges",
        multiple=True,
        metavar="COLUMN=N[,N...]",
        help="Cut a column of numbers, as in age=30,50; may be repeated.",
    )

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns to group by."""
        found = names_of(self.by)
        if not all(found):
            raise ParameterError(f"--by {self.by!r}: expected the name of a column, or several separated by commas")
        return found

    @property
    def impostor_columns(self) -> tuple[str, ...]:
        """Those of the impostor."""
        return () if self.impostor_by is None else names_of(self.impostor_by)

    def cuts(self) -> dict[str, list[float]]:
        """Edges by column."""
        found: dict[str, list[float]] = {}
        for entry in self.edges:
            name, _, numbers = entry.partition("=")
            try:
                found.setdefault(name, []).extend(float(number) for number in numbers.split(","))
            except ValueError as error:
                raise ParameterError(f"--edges {entry}: expected a column and numbers, as in age=30,50") from error
        return found

    def table(self) -> PeopleTable | None:
        """The table of people, if there is one."""
        if self.people is None:
            options.refuse_given(["person_column"], "names a column of --people, which is not given")
            return None
        from fairtrial.formats.columns import read_named
        from fairtrial.groups.membership import PeopleTable

        if self.impostor_by is not None:
            raise ParameterError("--impostor-by is for columns of trials; --people says the impostor's group itself")
        found = read_named(self.people, names=(self.person_column, *self.columns), what="one row per person")
        return PeopleTable(found[self.person_column], {name: found[name] for name in self.columns})

    def reading(self, reading: ReadingOptions) -> ReadingOptions:
        """The same way to read, columns to group by never taken for scores."""
        from fairtrial.core.trials import ID_FIELDS

        if self.people is not None:
            return reading
        wanted = [f"other={name}" for name in (*self.columns, *self.impostor_columns) if name not in ID_FIELDS]
        return replace(reading, columns=tuple(dict.fromkeys((*reading.columns, *wanted))))


def evaluated(
    files: TwoSets,
    wanted: GroupOptions,
    point: PointOptions,
    chance: ChanceOptions,
    reading: ReadingOptions,
    *,
    own_thresholds: bool = False,
    factor: float = 2.0,
    weight: float = 0.5,
    resample: Literal["test", "both"] = "both",
    resamples: int = RESAMPLES,
) -> GroupEvaluation:
    """Read the trials and evaluate the groups of the one system that is asked for."""
    from fairtrial.cli.inputs import read_sets
    from fairtrial.groups.evaluation import evaluate_groups

    point.check()
    cuts, table = wanted.cuts(), wanted.table()
    dev, test = read_sets(files, wanted.reading(reading))
    return evaluate_groups(
        dev,
        test,
        by=wanted.columns,
        people=table,
        impostor_by=wanted.impostor_columns,
        edges=cuts,
        system=_one(test.systems),
        criterion=point.rule,
        alpha=point.alpha,
        own_thresholds=own_thresholds,
        factor=factor,
        weight=weight,
        confidence=chance.confidence,
        cluster=chance.cluster,
        resample=resample,
        n_resamples=resamples,
        rng=chance.seed,
    )


@click.command(cls=FileCommand)
@options.takes(TwoSets, GroupOptions, PointOptions, ChanceOptions)
@click.option("--own-thresholds", is_flag=True, help="Show what thresholds of their own would change, too.")
@click.option(
    "--factor",
    type=float,
    default=2.0,
    show_default=True,
    metavar="X",
    help="Groups count as equal if no rate is more than X times another.",
)
@click.option(
    "--weight",
    type=float,
    default=0.5,
    show_default=True,
    metavar="A",
    help="What the FAR weighs in FDR, GARBE and inequity rate.",
)
@resample_option
@dev_resamples_option
@options.takes(ReadingOptions, OutputOptions, ReportOptions)
def command(
    files: TwoSets,
    wanted: GroupOptions,
    point: PointOptions,
    chance: ChanceOptions,
    reading: ReadingOptions,
    output: OutputOptions,
    page: ReportOptions,
    *,
    own_thresholds: bool,
    factor: float,
    weight: float,
    resample: Literal["test", "both"],
    resamples: int,
) -> None:
    """Error rates by group at one threshold: for whom it is worse, and how sure that is.

    Groups may be of people (sex, age, origin) or of anything else (device, session, kind of attack, language).

    \b
    Examples:
      fairtrial groups --dev dev.csv --test test.csv --by sex
      fairtrial groups --dev dev.csv --test test.csv --people people.csv --by sex,age --edges age=30,50
      fairtrial groups --dev dev.csv --test test.csv --by device --criterion far --alpha .01 --out groups.csv
      fairtrial groups --dev dev.csv --test test.csv --people people.csv --by sex --report groups.html
    """
    page.check()
    output.check()
    result = evaluated(
        files,
        wanted,
        point,
        chance,
        reading,
        own_thresholds=own_thresholds,
        factor=factor,
        weight=weight,
        resample=resample,
        resamples=resamples,
    )
    if page.report is not None:
        from fairtrial.pages import page_of

        inputs = [*files.files, *([] if wanted.people is None else [wanted.people])]
        page.write(page_of(result, repeat_of(inputs, chance.seed)))
    print_result(output, result)


def _one(systems: Sequence[str]) -> str:
    if len(systems) > 1:
        raise ParameterError(f"groups are shown for one system; choose it with --system: {', '.join(systems)}")
    return systems[0]
