"""fairtrial epc"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict

import click

from fairtrial.cli import options
from fairtrial.cli.counted import read_counters
from fairtrial.cli.epc_compare import CompareCurves, ThresholdOptions, area_entries, area_table, compare_pair
from fairtrial.cli.files import FileCommand
from fairtrial.cli.opened import PlaceOptions
from fairtrial.cli.options import (
    ChanceOptions,
    InputOptions,
    OutputOptions,
    ReadingOptions,
    choice,
    option,
    resamples_option,
)
from fairtrial.cli.output import print_tables_or_json
from fairtrial.cli.progress import Bar
from fairtrial.core.errors import ParameterError
from fairtrial.core.notes import Note

if TYPE_CHECKING:
    from fairtrial.cli.inputs import Inputs, OpenInputs
    from fairtrial.core.tables import Column, Table
    from fairtrial.evaluation.areas import AreaConvention, AreaName, Areas
    from fairtrial.evaluation.bands import Band, BandKind, BandMethod
    from fairtrial.evaluation.epc import PerformanceCurve
    from fairtrial.inference.intervals import RateInterval
    from fairtrial.inference.split import TrialSets
    from fairtrial.rules.measures import Measure

    BandKinds: TypeAlias = Literal["none"] | BandKind


@dataclass(frozen=True, slots=True)
class CurveOptions:
    """The values of alpha along a curve, and how thresholds are chosen at them."""

    points: int = option("--points", type=int, default=101, show_default=True, help="How many values of alpha.")
    range: tuple[float, float] = option(
        "--range",
        type=float,
        nargs=2,
        default=(0.0, 1.0),
        show_default=True,
        metavar="LOW HIGH",
        help="The range of alpha, for curves and areas.",
    )
    criterion: str = options.criterion_field("wer-min")
    dcf: str | None = option("--dcf", metavar="CFR,PG,CFA,PI", help=options.DCF_HELP)

    def check(self, *measures: str) -> None:
        """Raise an error where --dcf was given and neither the criterion nor one of these measures is dcf."""
        options.check_costs(self.dcf, self.criterion, *measures)


@dataclass(frozen=True, slots=True)
class BandOptions:
    """What is drawn around the curves, and how it is computed."""

    bands: BandKinds = choice(
        "--bands",
        ["none", "pointwise", "simultaneous"],
        "none",
        help="Band around each curve: at each alpha by itself, or for the whole curve at once.",
    )
    band_method: BandMethod = choice(
        "--band-method",
        ["cluster", "bootstrap"],
        "cluster",
        help="How bands are made: from the intervals of evaluate, or by resampling test, and dev with --resample both.",
    )
    workers: int = option(
        "--workers",
        type=int,
        default=1,
        show_default=True,
        metavar="K",
        help="Threads of the bootstrap; the result is the same for any number of them.",
    )


class _AreaKeywords(TypedDict):
    """Keyword arguments of `expected_areas` and `area_tests`."""

    v1: Measure
    v2: Measure
    low: float
    high: float
    convention: AreaConvention | None


@dataclass(frozen=True, slots=True)
class AreaOptions:
    """Which areas are given."""

    areas: str = option(
        "--areas",
        default="far,frr",
        show_default=True,
        metavar="V1,V2",
        help="The two measures whose targets the areas are over, as in precision,recall; each may be module:function.",
    )
    no_areas: bool = option(
        "--no-areas", is_flag=True, help="Leave out the areas, for which all dev scores are sorted."
    )
    convention: AreaConvention | None = choice(
        "--convention",
        ["interpolated", "step"],
        help="How areas treat targets between two reachable values.  [default: interpolated; step for precision and "
        "others that may turn back]",
    )

    def keywords(self, curve: CurveOptions) -> _AreaKeywords:
        """What the areas are over."""
        names = options.names_of(self.areas)
        if len(names) != 2:
            raise ParameterError(f"--areas {self.areas}: expected two measures, as in precision,recall")
        v1, v2 = (options.measure_by_name(name, curve.dcf) for name in names)
        low, high = curve.range
        return {"v1": v1, "v2": v2, "low": low, "high": high, "convention": self.convention}


@dataclass(frozen=True, slots=True)
class _FoundAreas:
    """The areas of one system, with their intervals."""

    areas: Areas
    intervals: Mapping[AreaName, RateInterval]

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        intervals = {name: interval.to_dict() for name, interval in self.intervals.items()}
        return {**self.areas.to_dict(), "intervals": intervals}


_NO_AREAS = "areas sort all dev scores, and these are read in pieces: they are left out"
measure_option = options.measure_option(
    "--measure", default="hter", show_default=True, help="What is reported along the curve."
)
pool_option = click.option("--pool", is_flag=True, help="One more curve: the errors of all systems pooled.")


@click.command(cls=FileCommand)
@options.takes(InputOptions, CurveOptions, ChanceOptions)
@measure_option
@options.takes(BandOptions)
@click.option(
    "--compare", "pair", metavar="A,B", help="Show where along alpha these two systems differ, and test their areas."
)
@options.takes(CompareCurves, ThresholdOptions)
@resamples_option
@options.takes(AreaOptions)
@pool_option
@options.takes(ReadingOptions, PlaceOptions, OutputOptions)
def command(
    files: InputOptions,
    curve: CurveOptions,
    chance: ChanceOptions,
    band: BandOptions,
    compared: CompareCurves,
    given: ThresholdOptions,
    asked: AreaOptions,
    reading: ReadingOptions,
    place: PlaceOptions,
    output: OutputOptions,
    *,
    measure: str,
    pair: str | None,
    resamples: int,
    pool: bool,
) -> None:
    """Expected Performance Curves: the threshold from dev for every alpha, the figure from test.

    \b
    Examples:
      fairtrial epc --dev dev.txt --test test.txt
      fairtrial epc --dev dev.csv --test test.csv --criterion precision-recall --measure f1 --out curves.csv
      fairtrial epc --dev dev.csv --test test.csv --criterion precision --measure recall --areas precision,recall
    """
    from fairtrial.cli.inputs import Inputs, OpenInputs, read_or_open
    from fairtrial.core.results import plain
    from fairtrial.core.tables import join_tables
    from fairtrial.formats.counter_file import is_part

    output.check()
    curve.check(measure, *([] if asked.no_areas else options.names_of(asked.areas)))
    drawn = None if band.bands == "none" else band.bands
    if any(is_part(name) for name in files.files):
        needs = [flag for flag, value in (("--bands", drawn), ("--compare", pair), ("--pool", pool)) if value]
        if files.folds is not None:
            needs.append("--folds")
        why = "needs the scores themselves, and not files of counts"
        options.refuse_given([*_OF_AREAS, *_OF_BANDS, *_OF_COMPARISONS, "confidence", "seed", "cluster"], why)
        dev, test = read_counters(files, reading, needs)
        counted = Inputs(dev, test)
        curves = curves_of(counted, counted.sets(chance), curve, measure)
        told = list(dict.fromkeys(note for each in curves for note in each.notes))
        answer = {"curves": [each.to_dict() for each in curves], "areas": {}, "notes": plain(told)}
        print_tables_or_json(output, join_tables([each.tables() for each in curves]), answer)
        return
    if pair is None:
        options.refuse_given(_OF_COMPARISONS, "applies to a comparison, by --compare A,B")
        check_bands(band, "--bands and --compare")
    else:
        given.threshold_of(compared)
        if drawn is None:
            options.refuse_given(["band_method"], "applies to bands, by --bands")
    if asked.no_areas:
        options.refuse_given(_OF_AREAS, "applies to areas, and --no-areas leaves them out")
    inputs = read_or_open(files, reading, chance, place, compare=pair, bands=drawn)
    sets = inputs.sets(chance)
    curves = curves_of(inputs, sets, curve, measure, pool=pool)
    areas, bands, notes = {}, {}, list(sets.notes)
    if isinstance(inputs, OpenInputs):
        notes += [] if asked.no_areas else [_NO_AREAS]
    else:
        areas = {} if asked.no_areas else _areas_of(inputs, sets, curve, chance, asked)
        bands = bands_of(inputs, curves, band, given, chance, resamples)
    shown = [{**_band_dict(bands.get(each.system)), **each.to_dict()} for each in curves]
    found: dict[str, Any] = {
        "curves": shown,
        "areas": {system: area.to_dict() for system, area in areas.items()},
        "notes": plain(notes),
    }
    tables = _tables(curves, bands, areas, notes)
    if pair is not None and isinstance(inputs, Inputs):
        from fairtrial.evaluation.areas import area_tests

        along = compare_pair(curves, inputs.systems, pair, given, chance, compared, resamples, band.workers)
        (first,) = along[0].tables()
        tables += (first.with_notes(*(each.answer() for each in along[1:])),)
        entries = []
        if areas:
            tests = area_tests(sets, along[0].a, along[0].b, **asked.keywords(curve))
            entries = area_entries(tests, chance.confidence)
            tables += (area_table(along[0], next(iter(areas.values())).areas, tests, chance.confidence),)
        found["comparison"] = {**along[0].to_dict(), "areas": entries}
        found["comparison"] |= {each.threshold: each.to_dict() for each in along[1:]}
    print_tables_or_json(output, tables, found)


_OF_BANDS = ["band_method", "resample", "resamples", "workers"]
_OF_COMPARISONS = ["method", "simultaneous"]
_OF_AREAS = ["areas", "convention"]


def check_bands(band: BandOptions, where: str) -> None:
    """Raise an error where there is no band and an option of bands was given, which would be ignored."""
    if band.bands == "none":
        options.refuse_given(_OF_BANDS, f"applies to {where}")


def curves_of(
    inputs: Inputs | OpenInputs, sets: TrialSets, curve: CurveOptions, measure: str, *, pool: bool = False
) -> list[PerformanceCurve]:
    """The curves of all systems; the pooled one last, if it is asked for."""
    from fairtrial.cli.inputs import for_each_system
    from fairtrial.evaluation.epc import alpha_grid, curve_of, pool_curves
    from fairtrial.inference.decide import judge

    low, high = curve.range
    alphas = alpha_grid(curve.points, low=low, high=high)
    rule = options.criterion_by_name(curve.criterion, curve.dcf)
    figure = options.measure_by_name(measure, curve.dcf)

    def work(system: str) -> PerformanceCurve:
        return curve_of(judge(sets, system=system, criterion=rule, alphas=alphas), figure)

    curves = for_each_system(inputs, "curves", work)
    return [*curves, pool_curves(curves)] if pool else curves


def _areas_of(
    inputs: Inputs, sets: TrialSets, curve: CurveOptions, chance: ChanceOptions, asked: AreaOptions
) -> dict[str, _FoundAreas]:
    """The areas by system; none where there is no test set."""
    from fairtrial.evaluation.areas import area_intervals, expected_areas

    if inputs.test is None:
        return {}
    keywords = asked.keywords(curve)
    found = {}
    with Bar("areas", len(inputs.systems)) as bar:
        for system in inputs.systems:
            areas = expected_areas(inputs.dev, inputs.test, system=system, **keywords)
            intervals = area_intervals(sets, system, confidence=chance.confidence, **keywords)
            found[system] = _FoundAreas(areas, intervals)
            bar.advance()
    return found


def bands_of(
    inputs: Inputs,
    curves: Sequence[PerformanceCurve],
    asked: BandOptions,
    given: ThresholdOptions,
    chance: ChanceOptions,
    resamples: int,
) -> dict[str, Band]:
    """The bands around the curves, by system."""
    if asked.bands == "none":
        return {}
    from fairtrial.evaluation.bands import curve_band

    bands = {}
    with Bar("bands", len(inputs.systems)) as bar:
        for curve in curves:
            if curve.system in inputs.systems:
                bands[curve.system] = curve_band(
                    curve,
                    kind=asked.bands,
                    method=asked.band_method,
                    confidence=chance.confidence,
                    threshold=given.threshold,
                    n_resamples=resamples,
                    rng=chance.seed,
                    workers=asked.workers,
                )
                bar.advance()
    return bands


def _band_dict(band: Band | None) -> dict[str, Any]:
    """A band beside its curve, whose own names come first."""
    return {"low": [], "high": []} if band is None else {**band.to_dict(), "band_kind": band.kind}


def _with_band(table: Table, column: Column, band: Band | None) -> Table:
    """The table of a curve with its band, and for files what kind of band it is; empty for a pooled curve."""
    from fairtrial.core.tables import Column

    details = [Column("band_kind", "kind of band", detail=True), Column("band_threshold", "threshold", detail=True)]
    columns = [column, *details, Column("band_supported", "supported by dev", "flag", detail=True)]
    rows = len(table.rows)
    values: list[Sequence[Any]] = [[None] * rows] * len(columns)
    if band is not None:
        ends = list(zip(band.low, band.high, strict=True))
        values = [ends, [band.kind] * rows, [band.threshold] * rows, band.supported.tolist()]
    for own, entries in zip(columns, values, strict=True):
        table = table.with_column(own, entries)
    return table


def _tables(
    curves: Sequence[PerformanceCurve],
    bands: Mapping[str, Band],
    areas: Mapping[str, _FoundAreas],
    notes: Sequence[Note | str],
) -> tuple[Table, ...]:
    from fairtrial.core.tables import Column, join_tables
    from fairtrial.core.words import interval_title
    from fairtrial.inference.estimates import GIVEN_ALONG

    parts = []
    for curve in curves:
        main, *others = curve.tables()
        if bands:
            band = bands.get(curve.system)
            main = _with_band(main, next(iter(bands.values())).column(), band)
            main = main.with_notes(*(f"{curve.system}: {note}" for note in (band.notes if band else ())))
        parts.append([main.with_notes(*notes), *others])
    for system, found in areas.items():
        (table,) = found.areas.tables()
        table = table.with_column(Column("system", "system"), [system] * len(table.rows), first=True)
        first = next(iter(found.intervals.values()))
        title = f"{interval_title(first.confidence)}, {GIVEN_ALONG[first.threshold]}"
        limits = [found.intervals[area].interval for area in table.column("area")]
        parts.append([table.with_column(Column("interval", title, found.areas.pair.mean.interval_kind), limits)])
    return join_tables(parts)
