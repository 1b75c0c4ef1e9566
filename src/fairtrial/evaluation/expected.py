"""Expected Performance Curves of systems, with bands and areas, and a comparison of two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from fairtrial.core.errors import ParameterError, check_choice, check_confidence
from fairtrial.core.notes import Note, as_note, gather_notes
from fairtrial.core.results import Result, plain
from fairtrial.core.tables import Column, Table, join_tables
from fairtrial.core.words import figure_text, interval_title, plural, term
from fairtrial.counting.tallies import ScoreData
from fairtrial.evaluation.areas import AreaConvention, AreaName, Areas, Targets, areas_of, compare_areas
from fairtrial.evaluation.bands import Band, BandMethod, CurveComparison, CurveTest, compare_curves, curve_band
from fairtrial.evaluation.epc import PerformanceCurve, alpha_grid, curve_of, pool_curves
from fairtrial.inference.decide import judge
from fairtrial.inference.estimates import GIVEN_ALONG, threshold_when
from fairtrial.inference.folds import Block
from fairtrial.inference.intervals import RateInterval
from fairtrial.inference.people import Cluster
from fairtrial.inference.split import PROVENANCES, TrialSets
from fairtrial.inference.tests import TestResult, columns_with_interval
from fairtrial.rules.criteria import CriterionLike, as_criterion
from fairtrial.rules.measures import MeasureLike, as_any_measure, errors_only

Bands: TypeAlias = Literal["none", "pointwise", "simultaneous"]
_NO_THRESHOLD = (
    "it has no threshold, and so no alpha; evaluate and compare report it, plot ece and plot bayes-error draw evidence "
    "along priors"
)
_NO_AREAS = Note("no-areas", "areas sort all dev scores, and these are read in pieces: they are left out")


@dataclass(frozen=True, slots=True, repr=False)
class ExpectedPerformance(Result):
    """Expected Performance Curves of systems.

    Attributes
    ----------
    curves : tuple of PerformanceCurve
        One per system; with `pool`, the pooled one last.
    sets : TrialSets
        The trials, and who shares them.
    bands : dict of str to Band
        The band around each curve, by system.
    areas : dict of str to Areas
        The areas, by system.
    comparisons : tuple of CurveComparison
        Where two systems differ: the leading comparison, then the one with thresholds fixed.
    area_tests : dict of str to TestResult
        The tests of the areas of the two systems.
    confidence : float
        The level of confidence.
    notes : tuple of Note
        What the reader should know.

    Examples
    --------
    >>> from fairtrial.evaluation import expected_performance
    >>> dev, test = ([0.9, 0.8, 0.4, 0.7], [0.1, 0.3, 0.5, 0.2, 0.6]), ([0.8, 0.5, 0.7], [0.2, 0.6])
    >>> expected_performance(dev, test, points=3).answer()
    'Mean HTER over 3 alphas from 0 to 1 (threshold by wer-min on dev): system 18.75 %'
    """

    curves: tuple[PerformanceCurve, ...]
    sets: TrialSets
    bands: Mapping[str, Band] = field(default_factory=dict)
    areas: Mapping[str, Areas] = field(default_factory=dict)
    comparisons: tuple[CurveComparison, ...] = ()
    area_tests: Mapping[AreaName, TestResult] = field(default_factory=dict)
    confidence: float = 0.95
    notes: tuple[Note | str, ...] = ()

    def answer(self) -> str:
        """Write the alphas at which two systems differ, or the mean of each along alpha."""
        if self.comparisons:
            return self.comparisons[0].answer()
        measure, alpha = self.curves[0].measure, self.curves[0].alpha
        alphas = f"{plural(len(alpha), 'alpha')} from {alpha[0]:g} to {alpha[-1]:g}"
        ranked = sorted(self.curves, key=lambda curve: curve.mean(), reverse=measure.higher_is_better)
        means = ", ".join(f"{curve.system} {figure_text(curve.mean(), measure.is_share)}" for curve in ranked)
        chosen = f"threshold by {self.curves[0].criterion} {PROVENANCES[self.curves[0].kind].chosen}"
        return f"Mean {term(measure.label)} over {alphas} ({chosen}): {means}"

    def to_dict(self) -> dict[str, Any]:
        """Return curves, areas and the comparison under the names of the command line's JSON."""
        curves = []
        for curve in self.curves:
            band = self.bands.get(curve.system)
            around = {"low": [], "high": []} if band is None else {**band.to_dict(), "band_kind": band.kind}
            curves.append({**around, **curve.to_dict()})
        areas = {
            system: {**areas.to_dict(), "intervals": plain(self._area_intervals(areas))}
            for system, areas in self.areas.items()
        }
        result: dict[str, Any] = {"curves": curves, "areas": areas, "notes": plain(self.notes)}
        if self.comparisons:
            tests = [
                {**test.to_dict(), "interval": test.interval_entry(self.confidence)}
                for test in self.area_tests.values()
            ]
            first, *others = self.comparisons
            result["comparison"] = {**first.to_dict(), "areas": tests}
            result["comparison"] |= {other.threshold: other.to_dict() for other in others}
        return result

    def tables(self) -> tuple[Table, ...]:
        """Tabulate the comparison if there is one, the curves, their means, the areas and their tests."""
        curves = []
        for curve in self.curves:
            main, *others = curve.tables()
            if self.bands:
                main = self._with_band(main, curve.system)
            curves.append([main, *others])
        tables = list(join_tables(curves))
        if self.comparisons:
            tables = [*self.comparisons[0].tables(), *tables]
        tables += join_tables([[self._area_table(system)] for system in self.areas])
        if self.area_tests:
            pair = next(iter(self.areas.values())).targets.pair
            of = f"{term(pair.mean.label)} over targets of {term(pair.v1.label)} and {term(pair.v2.label)}"
            caption = f"Tests of the areas, {self.comparisons[0].a} - {self.comparisons[0].b}: {of}"
            columns = (*columns_with_interval(self.confidence), Column("delta", "1 - p", "sure"))
            records = [{**test.cells(self.confidence), "delta": test.delta} for test in self.area_tests.values()]
            notes = [other.answer() for other in self.comparisons[1:]]
            tables.append(Table.of("tests", caption, columns, records, notes=notes))
        main, *details = tables
        return (main.with_notes(*self.notes), *(replace(table, detail=True) for table in details))

    def _with_band(self, table: Table, system: str) -> Table:
        """Add the band of a system to the table of its curve."""
        band, rows = self.bands.get(system), len(table.rows)
        columns = [
            next(iter(self.bands.values())).column(),
            Column("band_kind", "kind of band", detail=True),
            Column("band_threshold", "threshold", detail=True),
            Column("band_supported", "supported by dev", "flag", detail=True),
        ]
        values: list[Sequence[Any]] = [[None] * rows] * len(columns)
        if band is not None:
            limits = list(zip(band.low, band.high, strict=True))
            values = [limits, [band.kind] * rows, [band.threshold] * rows, band.supported.tolist()]
            table = table.with_notes(*(as_note(note, system) for note in band.notes))
        for column, entries in zip(columns, values, strict=True):
            table = table.with_column(column, entries)
        return table

    def _area_intervals(self, areas: Areas) -> dict[AreaName, RateInterval]:
        return {area: areas.interval(area, confidence=self.confidence) for area in get_args(AreaName)}

    def _area_table(self, system: str) -> Table:
        areas = self.areas[system]
        (table,), intervals = areas.tables(), self._area_intervals(areas)
        title = f"{interval_title(self.confidence)}, {GIVEN_ALONG[intervals['g'].threshold]}"
        table = table.with_column(Column("system", "system"), [system] * len(table.rows), first=True)
        column = Column("interval", title, areas.targets.pair.mean.interval_kind)
        return table.with_column(column, [intervals[area].interval for area in table.column("area")])


def expected_performance(
    dev: ScoreData,
    test: ScoreData | None = None,
    *,
    folds: int | Sequence[Block] | None = None,
    systems: Sequence[str] | None = None,
    criterion: CriterionLike = "wer-min",
    measure: MeasureLike = "hter",
    points: int = 101,
    range: tuple[float, float] = (0.0, 1.0),
    bands: Bands = "none",
    band_method: BandMethod = "cluster",
    compare: Sequence[str] | None = None,
    method: CurveTest = "cluster",
    simultaneous: bool = False,
    areas: Sequence[MeasureLike] = ("far", "frr"),
    no_areas: bool = False,
    convention: AreaConvention | None = None,
    pool: bool = False,
    confidence: float = 0.95,
    cluster: Cluster | None = None,
    resample: Literal["test", "both"] = "both",
    n_resamples: int = 10_000,
    rng: np.random.Generator | int | None = 0,
    workers: int = 1,
) -> ExpectedPerformance:
    """Compute Expected Performance Curves of systems, with bands, areas, and a comparison of two.

    Parameters
    ----------
    dev : Trials, data frame, ScoreSource, Counter or tuple of two array_like
        The trials that thresholds are chosen on.
    test : Trials, data frame, ScoreSource, Counter or tuple of two array_like, optional
        The trials that are judged; not needed with `folds`.
    folds : int or sequence of Block, optional
        Instead of `test`: the number of folds of the people of dev, or blocks of trials.
    systems : sequence of str, optional
        The names of the systems; all by default.
    criterion : str, Criterion, DetectionCosts or callable, default "wer-min"
        How the threshold is chosen on dev at each alpha.
    measure : str, Measure, DetectionCosts or callable, default "hter"
        What is reported along the curve.
    points : int, default 101
        The number of values of alpha.
    range : tuple of (float, float), default (0.0, 1.0)
        The range of alpha, for curves and areas.
    bands : {"none", "pointwise", "simultaneous"}, default "none"
        Band around each curve: at each alpha by itself, or for the whole curve at once.
    band_method : {"cluster", "bootstrap"}, default "cluster"
        How bands are made: from the intervals of `evaluate`, or by resampling.
    compare : sequence of str, optional
        Two systems; show at which alphas they differ, and test their areas.
    method : {"cluster", "bootstrap", "dependent", "independent"}, default "cluster"
        Which test compares the two at each alpha; all but ``cluster`` take thresholds as fixed.
    simultaneous : bool, default False
        Whether the confidence holds over the whole range of alpha, and not at each alpha by itself.
    areas : sequence of str, Measure, DetectionCosts or callable, default ("far", "frr")
        The two measures whose targets the areas are over, as in precision,recall.
    no_areas : bool, default False
        Leave out the areas, for which all dev scores are sorted.
    convention : {"interpolated", "step"}, optional
        How areas treat targets between two reachable values; by default interpolated, but step for precision and
        others that may turn back.
    pool : bool, default False
        One more curve: the errors of all systems pooled.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.
    cluster : {"none", "claim", "subject", "both"}, optional
        What dependent trials share: the claimed identity, the subject, both or nothing; by default all known ids.
    resample : {"test", "both"}, default "both"
        Whether bands and regions are conditional on the threshold (``test``), or account for its re-estimation from
        other dev trials (``both``).
    n_resamples : int, default 10000
        How many resamples are drawn, for ``bootstrap``.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result.
    workers : int, default 1
        How many work at once; the result does not depend on it. Threads, for ``bootstrap``.

    Returns
    -------
    ExpectedPerformance
        Curves, bands, areas and the comparison.

    Raises
    ------
    ParameterError
        If a criterion or measure is unknown, a number is out of range, or an option has no effect.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005.

    Examples
    --------
    >>> dev = ([0.9, 0.8, 0.4, 0.7], [0.1, 0.3, 0.5, 0.2, 0.6])
    >>> result = expected_performance(dev, ([0.8, 0.5, 0.7], [0.2, 0.6]), points=3)
    >>> result.curves[0].hter.round(4)
    array([0.25  , 0.1667, 0.1667])
    """
    check_choice("resample", resample, ("test", "both"))
    check_choice("bands", bands, ("none", "pointwise", "simultaneous"))
    check_confidence(confidence)
    sets = TrialSets.of(dev, test, folds=folds, cluster=cluster, rng=rng)
    names = sets.system_names(systems)
    in_pieces = sets.sources("dev") is not None
    if not sets.has_scores or in_pieces:
        needs = {"bands": bands != "none", "compare": compare is not None, "pool": pool and not sets.has_scores}
        for name in (name for name, given in needs.items() if given):
            template = f"{{{name}!p}} needs the scores themselves, all in memory, and not pieces or counts of them"
            raise ParameterError(template, code="needs-scores", **{name: None})
    if not sets.has_scores and confidence != 0.95:
        raise ParameterError("{confidence!p} needs the scores themselves", code="needs-scores", confidence=confidence)
    unused: list[str] = []
    if bands == "none" and compare is None:
        given = {"resample": resample != "both", "n_resamples": n_resamples != 10_000, "workers": workers != 1}
        unused += [
            f"{{{name}!p}} applies to {{bands!p}} and {{compare!p}}" for name, is_given in given.items() if is_given
        ]
    if bands == "none" and band_method != "cluster":
        unused.append("{band_method!p} applies to {bands!p}")
    if compare is None and (method != "cluster" or simultaneous):
        unused.append(f"{{{'simultaneous' if simultaneous else 'method'}!p}} applies to {{compare!p}}")
    if unused:
        options = ("resample", "n_resamples", "workers", "band_method", "simultaneous", "method", "bands", "compare")
        raise ParameterError(unused[0], code="does-not-apply", **dict.fromkeys(options, 0))
    threshold = threshold_when(resample)
    reported, *over = errors_only([as_any_measure(named) for named in (measure, *areas)], _NO_THRESHOLD)
    if len(over) != 2:
        raise ParameterError("{areas!p}: expected two measures, as in precision,recall", areas=areas)
    rule, alphas = as_criterion(criterion), alpha_grid(points, low=range[0], high=range[1])

    def make_curve(system: str) -> PerformanceCurve:
        return curve_of(judge(sets, system=system, criterion=rule, alphas=alphas), reported)

    curves = sets.run_together([partial(make_curve, name) for name in names])
    by_name = dict(zip(names, curves, strict=True))
    notes: list[Note | str] = list(sets.notes)
    if not in_pieces:  # pieces would be read once more
        notes += [note for curve in curves for note in curve.judged().reversed_scores()]
    if in_pieces and not no_areas:
        notes.append(_NO_AREAS)
    for curve in curves:
        notes += [note for note in curve.notes if not sets.has_scores and note not in notes]
    resampling: dict[str, Any] = {
        "confidence": confidence, "n_resamples": n_resamples, "rng": rng, "workers": workers,
    }  # fmt: skip
    band_of = {}
    if bands != "none":
        for name, curve in by_name.items():
            band_of[name] = curve_band(curve, kind=bands, method=band_method, threshold=threshold, **resampling)
    area_of: dict[str, Areas] = {}
    if not (no_areas or sets.rows("dev") is None or sets.rows() is None or sets.blocks):
        targets = Targets.of(over[0], over[1], range[0], range[1], convention)
        area_of = {name: areas_of(sets, name, targets) for name in names}
    comparisons: list[CurveComparison] = []
    tests: Mapping[AreaName, TestResult] = {}
    if compare is not None:
        if len(compare) != 2 or any(name not in by_name for name in compare):
            raise ParameterError(
                "{compare!p}: expected two of the systems {names:list}, not {pair:list}",
                compare=compare, names=names, pair=compare,
            )  # fmt: skip
        pair = [by_name[name] for name in compare]
        run = partial(compare_curves, *pair, method=method, simultaneous=simultaneous, **resampling)
        comparisons.append(run(threshold=threshold if method == "cluster" else "fixed"))
        if comparisons[0].threshold == "re-estimated":
            comparisons.append(run(threshold="fixed"))
        if area_of:
            tests = compare_areas(*(area_of[name] for name in compare))
    if pool:
        curves = [*curves, pool_curves(curves)]
    return ExpectedPerformance(
        tuple(curves),
        sets,
        band_of,
        area_of,
        tuple(comparisons),
        tests,
        confidence,
        gather_notes(notes),
    )
