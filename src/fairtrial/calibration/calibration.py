"""Calibrate systems on dev, judge their evidence on test, and compare it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import exp, inf, isfinite, nan, sqrt
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from fairtrial.calibration.evidence import (
    CostLike,
    CostPoint,
    CostTarget,
    Labels,
    by_class,
    cllr,
    cost_target,
    dev_pav,
    min_cllr,
)
from fairtrial.calibration.measures import (
    CLLR,
    CLLR_CAL,
    GIVEN_CALIBRATION,
    MIN_CLLR,
    Evidence,
    EvidenceMeasure,
    Parts,
    cost_measure,
)
from fairtrial.calibration.methods import CALIBRATIONS, LinearInfluence, trials_of_classes, units_of
from fairtrial.calibration.model import BoundsName, Calibration, refit, unchanged_scores
from fairtrial.core.errors import ParameterError, TrialsError, check_confidence
from fairtrial.core.notes import Note, as_note
from fairtrial.core.parameters import refuse_excluded
from fairtrial.core.results import Field, Record, Result, SystemResults, plain, table_of
from fairtrial.core.tables import Column, Table, join_tables
from fairtrial.core.trials import Trials
from fairtrial.core.words import interval_title, listed, number_text, p_phrase, term
from fairtrial.counting.tallies import ScoreData
from fairtrial.formats.files import PathLike
from fairtrial.inference.estimates import Estimate, Threshold, variance_of_values
from fairtrial.inference.folds import Block, folds_of_trials
from fairtrial.inference.intervals import RateInterval
from fairtrial.inference.multiplicity import Correction, adjust_p_values
from fairtrial.inference.people import Cluster, People
from fairtrial.inference.split import PROVENANCES, Kind, TrialSets
from fairtrial.inference.student import Alternative, student_quantile
from fairtrial.inference.tests import TestResult, columns_with_interval, size_texts
from fairtrial.inference.variance import Floats
from fairtrial.rules.measures import MeasureLike, as_any_measure

_GROUPS = 10  # groups of people that the jackknife leaves out, one at a time
_MOST = 200_000  # trials of dev and test together beyond which devPAV has no interval


def calibrated_words(kind: Kind) -> str:
    """Say on which trials a system was calibrated, after "calibrated"."""
    provenance = PROVENANCES[kind]
    return f"{provenance.fitted}, {provenance.evidence_kind}"


def _with_intervals(fields: Sequence[Field], confidence: float) -> list[Field]:
    """Put the level of confidence into the titles of intervals."""
    level = interval_title(confidence)
    return [replace(field, title=str(field.title).replace("interval", level)) for field in fields if field.title]


def _of_point(key: str, title: str, name: str) -> Field:
    """Give the column of a number of a cost's operating point; empty if it has several points."""

    def get(cost: CostFigure) -> float | None:
        return getattr(cost.target.points[0], name) if len(cost.target.points) == 1 else None

    return Field(key, title, "number", optional=True, get=get, in_json=False)


@dataclass(frozen=True, slots=True)
class CostFigure(Record):
    """A normalised detection cost on test, calibrated on dev, and the least there is.

    Attributes
    ----------
    target : CostTarget
        The detection cost.
    actual : float
        The actual cost; 1 is the cost of deciding without a score.
    minimum : float
        The least cost at any threshold, a posteriori.
    interval : RateInterval or None
        The interval of the actual cost; None if the trials are not in memory.
    least : RateInterval or None
        The interval of the least cost.
    notes : tuple of Note
        Why an interval should not be relied on.

    Examples
    --------
    >>> import fairtrial as ft
    >>> data = ft.groups.synthetic_groups({"all": 40})
    >>> cost = ft.calibrate(data.dev, data.test).costs[0]
    >>> cost.minimum <= cost.actual
    True
    """

    target: CostTarget
    actual: float
    minimum: float
    interval: RateInterval | None
    least: RateInterval | None
    notes: tuple[Note, ...] = ()

    FIELDS = (
        Field("cost", "operating point", get="target.name"),
        Field("points"),
        Field("partition", get="target.partition"),
        _of_point("prior", "prior", "prior"),
        _of_point("c_miss", "cost of a miss", "miss"),
        _of_point("c_fa", "of a false alarm", "false_alarm"),
        Field("actual", "actual DCF", "number"),
        Field("interval", "interval", "range"),
        Field("minimum", "min DCF", "number"),
        Field("minimum_interval", "interval of min DCF", "range", get="least"),
    )

    @property
    def points(self) -> list[dict[str, float]]:
        """Prior and costs of each operating point."""
        return [{"prior": point.prior, "c_miss": point.miss, "c_fa": point.false_alarm} for point in self.target.points]


@dataclass(frozen=True, eq=False, repr=False)
class CalibratedSystem(Result):
    """One system, or several fused, calibrated on dev and judged on test; intervals are computed on demand.

    Attributes
    ----------
    evidence : Evidence
        The calibration, and the judged trials with their ratios.
    targets : tuple of CostTarget
        The detection costs asked for.
    confidence : float
        The level of confidence of intervals.

    Examples
    --------
    >>> import fairtrial as ft
    >>> data = ft.groups.synthetic_groups({"all": 40})
    >>> result = ft.calibrate(data.dev, data.test)["system"]
    >>> result.test[0] >= result.test[1]
    True
    """

    evidence: Evidence
    targets: tuple[CostTarget, ...] = ()
    confidence: float = 0.95

    FIELDS = (
        Field("system"),
        Field("method", get="calibration.method"),
        Field("prior", get="calibration.prior"),
        Field("parameters", get=lambda r: {**r.calibration.parameters, "intervals": r.parameter_intervals}),
        Field("dev", get=lambda result: result.dev and dict(zip(("cllr", "cllr_min"), result.dev, strict=True))),
        Field("test", get=lambda result: {f.key: f.value(result) for f in result.TEST_FIELDS if f.in_json}),
        Field("notes"),
    )
    TEST_FIELDS = (
        Field("system", "system", in_json=False),
        Field("set", "set", "term", get="sets.provenance.judged_set", in_json=False),
        Field("kind", "figures", "term", get="sets.provenance.evidence_kind", detail=True),
        Field("cllr", "Cllr", "number", get=lambda result: result.test[0]),
        Field("interval", "interval", "range"),
        Field("intervals"),
        Field("cllr_min", "min Cllr", "number", get=lambda result: result.test[1]),
        Field("cllr_min_interval", "interval of min Cllr", "range", optional=True, get="least"),
        Field("cllr_cal", "lost by calibration", "number", get="loss"),
        Field("cllr_cal_interval", "interval of the loss", "range", optional=True, get="lost"),
        Field("cllr_raw", "Cllr of the scores", "number", optional=True, get="raw"),
        Field("dev_pav", "devPAV", "number", optional=True),
        Field("dev_pav_interval", "interval of devPAV", "range", optional=True),
        Field("method", "method", get=lambda r: r.interval and r.interval.method, detail=True, in_json=False),
        Field("dcf", get="costs"),
    )

    @property
    def calibration(self) -> Calibration:
        """The map from scores to ratios; of folds, the one fitted to all trials."""
        return self.evidence.calibration

    @property
    def sets(self) -> TrialSets:
        """Dev and test trials, and who shares them."""
        return self.evidence.sets

    @property
    def system(self) -> str:
        """The calibrated system, or systems."""
        return self.evidence.system

    @property
    def dev_trials(self) -> Trials:
        """The trials that it was calibrated on.

        Raises
        ------
        TrialsError
            If the calibration was fitted before, or the trials are not in memory.
        """
        if not isinstance(self.sets.dev, Trials):
            template = "{system}: the dev trials are not at hand; it was calibrated before, or in pieces"
            raise TrialsError(template, code="needs-dev", system=self.system)
        return self.sets.dev

    @cached_property
    def dev(self) -> tuple[float, float] | None:
        """Cllr and min Cllr on dev, a posteriori; None if the calibration was fitted before."""
        if self.sets.dev is None:
            return None
        on_dev = Evidence(self.calibration, TrialSets(None, self.sets.dev))
        return cllr(on_dev.source), min_cllr(on_dev.given_source)

    @cached_property
    def raw(self) -> float:
        """Cllr of the scores on test, taken as ratios; NaN of a fusion."""
        systems = self.calibration.systems
        return cllr(self.sets.test, system=systems[0]) if len(systems) == 1 else nan

    def _interval_of(self, measure: EvidenceMeasure) -> RateInterval | None:
        """Compute the interval of a measure on test; None of trials not in memory."""
        return measure.interval(self.evidence, confidence=self.confidence) if self.evidence.in_memory else None

    @property
    def test(self) -> tuple[float, float]:
        """Cllr of the calibrated scores on test, a priori, and min Cllr of the scores, a posteriori."""
        return self.evidence.statistic(CLLR).estimate, self.evidence.statistic(MIN_CLLR).estimate

    @property
    def loss(self) -> float:
        """The loss by calibration on test: Cllr less min Cllr."""
        return self.test[0] - self.test[1]

    @cached_property
    def interval(self) -> RateInterval | None:
        """The primary interval of Cllr on test; None of trials not in memory."""
        return self._interval_of(CLLR)

    @cached_property
    def intervals(self) -> tuple[RateInterval, ...]:
        """Intervals of Cllr on test: the primary one, then given this calibration; none of trials not in memory."""
        if self.interval is None or self.interval.threshold == "fixed":
            return () if self.interval is None else (self.interval,)
        return self.interval, CLLR.interval(self.evidence, confidence=self.confidence, threshold="fixed")

    @cached_property
    def least(self) -> RateInterval | None:
        """The interval of min Cllr on test."""
        return self._interval_of(MIN_CLLR)

    @cached_property
    def lost(self) -> RateInterval | None:
        """The interval of the loss by calibration on test: Cllr less min Cllr."""
        return self._interval_of(CLLR_CAL)

    @cached_property
    def dev_pav(self) -> float:
        """The distance of the ratios from those that test gives; see `dev_pav`. NaN of trials not in memory."""
        return dev_pav(self.evidence.pair) if self.evidence.in_memory else nan

    @cached_property
    def dev_pav_interval(self) -> RateInterval | None:
        """Its interval; None if it is unknown without some people, and with more than 200,000 trials.

        Student's limits on a logarithmic scale, by the jackknife: people, or trials without ids, are dealt into ten
        groups. Each group of test people is left out, and each group of dev people, with the calibration fitted to the
        rest. A trial of people of two groups is left out twice, so that intervals are conservative.
        """
        evidence, sets, estimate = self.evidence, self.sets, self.dev_pav
        re_estimated = sets.origin == "dev" and evidence.influence is not None
        if not 0 < estimate < inf or len(evidence.test) + (len(evidence.dev) if re_estimated else 0) > _MOST:
            return None

        def distance(ratios: Floats, genuine: Labels) -> float:
            return dev_pav((ratios[genuine], ratios[~genuine]))

        def without_test(rows: Labels) -> float:
            return distance(evidence.ratios[rows], evidence.genuine[rows])

        def without_dev(rows: Labels) -> float:
            refitted = refit(self.calibration, evidence.dev.rows(np.flatnonzero(rows)))
            return distance(refitted.ratios(evidence.test), evidence.genuine)

        try:
            variance = _jackknife(evidence.test, sets.people[1], without_test, sets.seed)
            if re_estimated:
                variance += _jackknife(evidence.dev, sets.people[0], without_dev, sets.seed)
        except TrialsError:  # too few people, or a class without trials
            return None
        if not isfinite(variance):
            return None
        sigma = sqrt(variance)
        factor = exp(min(student_quantile(_GROUPS - 1, self.confidence) * sigma / estimate, 700.0))
        given: Threshold = "re-estimated" if re_estimated else "fixed"
        return RateInterval(
            estimate,
            estimate / factor,
            estimate * factor,
            sigma,
            self.confidence,
            "student",
            "dev-pav",
            given,
            is_share=False,
            label="devPAV",
            sharing=sets.sharing,
        )

    @cached_property
    def parameter_intervals(self) -> tuple[RateInterval, ...]:
        """Student's intervals of weights and offset, by dev people; none unless the map is linear."""
        calibration, dev, confidence = self.calibration, self.sets.dev, self.confidence
        if not isinstance(dev, Trials) or not isinstance(calibration.influence, LinearInfluence):
            return ()
        people, genuine = self.sets.people[0], dev.genuine
        sharing: Cluster = "none" if people is None else people.cluster
        intervals = []
        parameters = calibration.mapping.described(calibration.systems)
        for (name, value), influence in zip(parameters.items(), calibration.influence.by_parameter.T, strict=True):
            moves = by_class(influence, genuine)
            unit = float(units_of(moves[:, None])[0])
            made = Estimate(value / unit, variance_of_values(people, genuine, moves / unit))
            low, high, sigma = (unit * number for number in (*made.interval(confidence), made.sigma))
            how: dict[str, Any] = {"is_share": False, "sharing": sharing}
            intervals.append(RateInterval(value, low, high, sigma, confidence, "student", name, **how))
        return tuple(intervals)

    @cached_property
    def costs(self) -> tuple[CostFigure, ...]:
        """Detection costs on test."""
        figures = []
        for target in self.targets:
            measures = cost_measure(target, "act-dcf"), cost_measure(target, "min-dcf")
            actual, least = map(self.evidence.statistic, measures)
            of_actual, of_least = map(self._interval_of, measures)
            notes = tuple(as_note(each.note) for each in (of_actual or actual, of_least or least) if each.note)
            figures.append(CostFigure(target, actual.estimate, least.estimate, of_actual, of_least, notes))
        return tuple(figures)

    @cached_property
    def notes(self) -> tuple[Note | str, ...]:
        """What the reader should know."""
        notes = [*self.calibration.notes, *(note for cost in self.costs for note in cost.notes)]
        if self.test[0] == inf:
            text = (
                "Cllr is infinite: a test trial has infinite evidence for the wrong side, so no difference from other "
                "systems is tested"
            )
            notes.append(Note("infinite-evidence", text, warning=True))
        elif self.loss < 0:
            text = "Cllr is below min Cllr, as the calibration is not a non-decreasing map of the scores"
            notes.append(Note("below-minimum", text))
        if not self.evidence.in_memory:
            notes.append(Note("no-intervals", "the trials are not in memory, so there are no intervals"))
        return (*self.sets.notes, *(as_note(note, self.calibration.name) for note in notes))

    def answer(self) -> str:
        """Give Cllr with its interval, min Cllr, and whether calibration helps."""
        actual, least = (number_text(value) for value in self.test)
        limits = ""
        if self.interval is not None:
            low, high = (number_text(end) for end in self.interval.interval)
            limits = f" ({interval_title(self.confidence)} {low} to {high})"
        text = f"{self.system} has a Cllr of {actual} bits{limits} {self.sets.provenance.evidence_kind}"
        text += f", {least} at best (min Cllr)"
        if self.test[0] > 1:
            return f"{text}: more than 1, so its evidence misleads"
        if self.calibration.method == "none" or np.isnan(self.raw):
            return text
        return f"{text}; before {self.calibration.method} calibration it was {number_text(self.raw)}"

    def tables(self) -> tuple[Table, ...]:
        """Tabulate Cllr on both sets, detection costs, and the calibration itself."""
        provenance = self.sets.provenance
        kind = f"Cllr on {provenance.judged_set} is {provenance.evidence_kind}, calibrated {provenance.fitted}"
        if self.interval:
            kind += f"; its interval: {GIVEN_CALIBRATION[self.interval.threshold]}"
        notes: list[Note | str] = [
            Note("evidence-kind", kind, detail=True),
            Note("posteriori", "min Cllr and devPAV are a posteriori", detail=True),
            *self.notes,
        ]
        fields = _with_intervals(self.TEST_FIELDS, self.confidence)
        records = [{field.key: field.cell(self) for field in fields}]
        if self.dev is not None:
            on_dev = {"system": self.system, "set": "dev", "kind": "a posteriori", "method": records[0]["method"]}
            figures = {"cllr": self.dev[0], "cllr_min": self.dev[1], "cllr_cal": self.dev[0] - self.dev[1]}
            records.insert(0, on_dev | figures)
        main = Table.of("evidence", "Evidence, in bits", fields, records, notes=notes, section="system")

        system = Field("system", "system", get=lambda row: self.system)
        means = []
        for target in (cost.target for cost in self.costs):
            over = [f"its {len(target.points)} operating points"] if len(target.points) > 1 else []
            if target.partition:
                over.append(f"the parts of the trials by {' and '.join(target.partition)}, with equal weight")
            if over:
                means.append(f"{target.name} is the mean over {' and over '.join(over)}")
        fields = [system, *_with_intervals(CostFigure.FIELDS, self.confidence)]
        caption, means = "Normalised detection costs on test", sorted(set(means))
        costs = table_of("costs", caption, fields, self.costs, notes=means, section="system")

        limits = {interval.measure: interval.interval for interval in self.parameter_intervals}
        fields = [
            system,
            Field("parameter", "parameter", get=lambda row: row[0]),
            Field("value", "value", "number", get=lambda row: row[1]),
            Field("interval", interval_title(self.confidence), "range", get=lambda row: limits.get(row[0])),
        ]
        caption, rows = f"Calibration: {self.calibration.method}", self.calibration.described.items()
        read = [note for note in getattr(self.sets.test, "notes", ()) if isinstance(note, Note)]
        negated = {name for note in read if note.code == "distances" for name in note.values["names"]}
        text = "the calibration takes distances times -1, and a weight multiplies that"
        notes = [Note("of-distances", text, name) for name in self.calibration.systems if name in negated]
        return main, costs, table_of("parameters", caption, fields, rows, notes=notes, section="system", detail=True)


def _jackknife(trials: Trials, people: People | None, without: Callable[[Labels], float], seed: int) -> float:
    """Compute the jackknife variance of a statistic over groups of people."""
    cluster = "none" if people is None else people.cluster
    first, second = folds_of_trials(trials, _GROUPS, cluster, np.random.default_rng([seed, 7]))
    left = np.array([without((first != group) & (second != group)) for group in range(_GROUPS)])
    return float(np.sum((left - left.mean()) ** 2)) * (_GROUPS - 1) / _GROUPS


@dataclass(frozen=True, eq=False, repr=False)
class CalibratedSystems(SystemResults[CalibratedSystem]):
    """Calibrated systems on the same trials, and the tests between them.

    ``result["face"]`` is one of them. If there is only one, its attributes are also those of the result.

    Attributes
    ----------
    systems : tuple of CalibratedSystem
        One per system, or one fusion.
    correction : {"holm", "bh", "none"}
        How p values are adjusted for the number of pairs.

    Examples
    --------
    >>> import numpy as np
    >>> import fairtrial as ft
    >>> genuine = np.arange(800) < 200
    >>> scores = np.random.default_rng(0).normal(np.outer(genuine, [1.5, 3.0]))
    >>> trials = ft.Trials.from_arrays(scores, genuine, systems=["old", "new"])
    >>> dev, test = (trials.rows(np.arange(start, 800, 2)) for start in (0, 1))
    >>> result = ft.calibrate(dev, test)
    >>> result["new"].test[0] < result["old"].test[0], result.pairs[0].test.p_value < 0.05
    (True, True)
    """

    systems: tuple[CalibratedSystem, ...]
    correction: Correction = "holm"

    @cached_property
    def pairs(self) -> tuple[EvidencePair, ...]:
        """Tests of the difference in Cllr of all pairs whose Cllr is finite; none of trials not in memory."""
        finite = [result for result in self.systems if result.evidence.in_memory and isfinite(result.test[0])]
        return compare_evidence(finite, correction=self.correction) if len(finite) > 1 else ()

    @property
    def model(self) -> Calibration:
        """The calibration, which can be saved; an error if there are several."""
        if len(self.systems) > 1:
            template = (
                "there are {count} calibrations, and one can be saved; choose one with {systems!p}, or {fuse!p} them"
            )
            raise ParameterError(template, code="several", count=len(self.systems), systems=..., fuse=True)
        return self.systems[0].calibration

    @property
    def scores(self) -> CalibratedScores:
        """The log-likelihood ratios of all systems, on dev and on test; of folds, the held-out ratios for both."""
        first, calibrations = self.systems[0].evidence, [result.calibration for result in self.systems]
        ratios = np.column_stack([result.evidence.ratios for result in self.systems])
        test = replace(first.test, scores=ratios, systems=tuple(calibration.name for calibration in calibrations))
        if first.folded or first.sets.dev is None:
            return CalibratedScores(test if first.folded else None, test)
        of_dev = np.column_stack([calibration.ratios(first.dev) for calibration in calibrations])
        return CalibratedScores(replace(first.dev, scores=of_dev, systems=test.systems), test)

    def answer(self) -> str:
        """Give that of one system, or the Cllrs of several, the lowest first, and the pair with the lowest p value."""
        if len(self.systems) == 1:
            return self.systems[0].answer()
        entries = []
        for result in sorted(self.systems, key=lambda result: result.test[0]):
            limits = "" if result.interval is None else f" ({' to '.join(map(number_text, result.interval.interval))})"
            entries.append(f"{result.system} {number_text(result.test[0])}{limits}")
        first = self.systems[0]
        title = "" if first.interval is None else f" with its {interval_title(first.confidence)}"
        text = f"{term('Cllr')} in bits{title}, {first.sets.provenance.evidence_kind}: {listed(entries, 6, 120)}"
        if not self.pairs:
            return text
        return f"{text}; {min(self.pairs, key=lambda pair: pair.adjusted).answer()}"

    def tables(self) -> tuple[Table, ...]:
        """Join the tables of all systems and of all pairs."""
        return (*super().tables(), *join_tables([pair.tables() for pair in self.pairs]))

    def to_dict(self) -> dict[str, Any]:
        """Give the systems, and of several the tests of all pairs."""
        pairs = {"pairs": plain(self.pairs)} if len(self.systems) > 1 and self.systems[0].evidence.in_memory else {}
        return {"systems": plain(self.systems), **pairs}


class CalibratedScores(NamedTuple):
    """Trials with log-likelihood ratios as scores."""

    dev: Trials | None
    test: Trials


OneSystem: TypeAlias = CalibratedSystem | CalibratedSystems
"""A calibrated system, or a result that has only one."""


def calibrate(
    dev: ScoreData | None,
    test: ScoreData | None = None,
    *,
    model: Calibration | PathLike | None = None,
    folds: int | Sequence[Block] | None = None,
    systems: str | Sequence[str] | None = None,
    fuse: bool = False,
    method: str = "logistic",
    prior: float = 0.5,
    bounds: BoundsName = "none",
    costs: Sequence[CostLike] = (CostPoint(0.01),),
    partition: Sequence[str] = (),
    confidence: float = 0.95,
    cluster: Cluster | None = None,
    correction: Correction = "holm",
    rng: np.random.Generator | int | None = 0,
) -> CalibratedSystems:
    """Calibrate systems on dev and judge their evidence on test.

    Parameters
    ----------
    dev : Trials, data frame, ScoreSource, tuple of two array_like or None
        The trials that thresholds are chosen on, and that calibrations are fitted to; None with a `model`, or if the
        scores of test are log-likelihood ratios already (``method="none"``).
    test : Trials, data frame, ScoreSource or tuple of two array_like, optional
        The trials that are judged; not needed with `folds`.
    model : Calibration, str or path-like, optional
        Instead of dev trials, a saved calibration or its file; it takes no options of the fit.
    folds : int or sequence of Block, optional
        Instead of `test`: the number of folds of the people of dev, or blocks of `make_blocks`. Each
        block is calibrated on trials of other people; the calibration shown is the one that all trials give.
    systems : str or sequence of str, optional
        The names of the systems; all by default.
    fuse : bool, default False
        Whether to make one calibration of all systems together, by ``logistic`` or ``gaussian``.
    method : str, default "logistic"
        How scores become ratios: ``logistic``, ``pav``, ``gaussian``, ``kde``, ``none`` if scores are
        log-likelihood ratios, or another name in `CALIBRATIONS`.
    prior : float, default 0.5
        The prior probability of a genuine trial, between 0 and 1, at which ``logistic`` and ``gaussian`` weigh the
        classes.
    bounds : {"none", "elub"}, default "none"
        Whether ratios are bounded by those that dev supports; see `elub_bounds`.
    costs : sequence of CostLike, default (CostPoint(prior=0.01, miss=1.0, false_alarm=1.0),)
        Detection costs: operating points, or names of those of NIST's evaluations, as ``sre18``; then each of its
        points is reported, and their mean.
    partition : sequence of str, default ()
        Further columns of test. Detection costs are then means of error rates over the parts that their values divide
        the trials into, all at the same threshold.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.
    cluster : {"none", "claim", "subject", "both"}, optional
        What dependent trials share: the claimed identity, the subject, both or nothing; by default all ids that are
        known.
    correction : {"holm", "bh", "none"}, default "holm"
        How p values are adjusted for the number of pairs: by Holm, by Benjamini and Hochberg (``bh``), or not at all.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result.

    Returns
    -------
    CalibratedSystems
        Of each system the calibration, Cllr and detection costs with intervals; of several, the tests of all pairs.
        Trials that are not in memory have the same figures without intervals.

    Raises
    ------
    ParameterError
        If a method or cost is unknown, a number is out of range, or options do not go together.
    TrialsError
        If a class has no trials, dev and test hold different systems, or the method cannot be fitted to the scores.

    References
    ----------
    Brümmer & du Preez, Application-independent evaluation of speaker detection, 2006.

    Examples
    --------
    >>> import numpy as np
    >>> def make(seed):
    ...     genuine = np.arange(4000) < 1000
    ...     return Trials.from_arrays(np.random.default_rng(seed).normal(2.0 * genuine), genuine)
    >>> result = calibrate(make(1), make(2))
    >>> result.test[0] > result.test[1]
    True
    >>> calibrate(None, make(2), model=result.model).test == result.test
    True
    >>> calibrate(None, result.scores.test, method="none").test == result.test
    True
    """
    given = dict(locals())
    check_confidence(confidence)
    if prior != 0.5 and not CALIBRATIONS.find(method).weighs:
        template = "{prior!p} has no effect with {method!o}, which does not weigh the classes"
        raise ParameterError(template, code="does-not-apply", prior=prior, method=method)
    targets: list[CostTarget] = []
    for cost in costs:
        target = cost_target(cost, partition)
        if len(target.points) > 1:  # each of the points, and then their mean
            targets += [cost_target(point, target.partition) for point in target.points]
        targets.append(target)
    dev, test = (trials_of_classes(data) if isinstance(data, tuple) else data for data in (dev, test))
    if dev is None or model is not None:
        if model is None and method != "none":
            template = (
                "give {dev!p}, to fit a calibration, or {model!p}, to apply a saved one, or {method!o}, if scores are "
                "log-likelihood ratios"
            )
            raise ParameterError(template, code="needs-dev", dev=..., model=..., method="none")
        if dev is not None:
            raise ParameterError("give either {dev!p} or {model!p}", code="dev-or-model", dev=..., model=...)
        refuse_excluded(calibrate, given)
        if bounds != "none" and model is None:
            template = "{bounds!o} bounds ratios by those that dev supports; give {dev!p}"
            raise ParameterError(template, code="needs-dev", bounds=bounds, dev=...)
        if test is None:
            raise ParameterError("give {test!p}: the trials that are judged", code="needs-test", test=...)
        sets = TrialSets(None, test, cluster)
        if model is None:
            fitted = [unchanged_scores(name) for name in sets.system_names(systems)]
        else:
            fitted = [model if isinstance(model, Calibration) else Calibration.load(model)]
        evidence = [Evidence(replace(calibration, influence=None), sets) for calibration in fitted]
    else:
        sets = TrialSets.of(dev, test, folds=folds, cluster=cluster, rng=rng)
        if not sets.has_scores:
            raise ParameterError("calibration needs scores, which counters do not have", code="needs-scores")
        names = sets.system_names(systems)
        groups = [names] if fuse else [(name,) for name in names]
        evidence = [Evidence.fitted(sets, group, method=method, prior=prior, bounds=bounds) for group in groups]
    if partition:
        Parts.of(evidence[0].test, partition)  # a missing column is refused now
    return CalibratedSystems(tuple(CalibratedSystem(each, tuple(targets), confidence) for each in evidence), correction)


@dataclass(frozen=True, slots=True, repr=False)
class EvidencePair(Result):
    """Two systems and the test of their difference in a measure of evidence.

    Attributes
    ----------
    a, b : str
        The name of the system.
    test : TestResult
        The test of the difference A - B.
    adjusted : float
        The p value adjusted for the number of pairs.
    confidence : float
        The level at which the answer calls a difference significant.

    Examples
    --------
    >>> import numpy as np
    >>> import fairtrial as ft
    >>> genuine = np.arange(800) < 200
    >>> scores = np.random.default_rng(0).normal(np.outer(genuine, [1.5, 3.0]))
    >>> trials = ft.Trials.from_arrays(scores, genuine, systems=["old", "new"])
    >>> dev, test = (trials.rows(np.arange(start, 800, 2)) for start in (0, 1))
    >>> ft.calibrate(dev, test).pairs[0].test.p_value < 0.05
    True
    """

    a: str
    b: str
    test: TestResult
    adjusted: float
    confidence: float = 0.95

    FIELDS = (
        Field("a"),
        Field("b"),
        Field("tests", get=lambda pair: [{**pair.test.to_dict(), "p_adjusted": pair.adjusted}]),
    )

    def answer(self) -> str:
        """Say which evidence is better, by how much, with interval and p, or how large a difference may be."""
        size, most = size_texts(self.test, self.confidence, f"{p_phrase(self.adjusted)} adjusted")
        better, worse = (self.b, self.a) if self.test.estimate > 0 else (self.a, self.b)
        label = term(self.test.label)
        if self.adjusted < 1 - self.confidence:
            return f"{better} has better evidence than {worse}: its {label} is lower by {size}"
        return f"{self.a} and {self.b} cannot be told apart: the {label} of {worse} is higher by {size}{most}"

    def tables(self) -> tuple[Table, ...]:
        """Tabulate the test in one row."""
        columns = (
            Column("pair", "A - B"),
            *columns_with_interval(self.confidence),
            Column("p_adjusted", "p adjusted", "p"),
        )
        row = {"pair": f"{self.a} - {self.b}", **self.test.cells(self.confidence), "p_adjusted": self.adjusted}
        caption = f"Tests of the difference A - B in {term(self.test.label)}"
        notes = [self.test.note] if self.test.note else []
        return (Table.of("tests", caption, columns, [row], notes=notes).with_title("threshold", "calibration"),)


def compare_evidence(
    systems: CalibratedSystems | Sequence[CalibratedSystem],
    *,
    measure: MeasureLike | EvidenceMeasure = "cllr",
    correction: Correction = "holm",
    alternative: Alternative = "two-sided",
) -> tuple[EvidencePair, ...]:
    """Test all pairs of calibrated systems for a difference in Cllr, or in another measure of evidence.

    Parameters
    ----------
    systems : CalibratedSystems or sequence of CalibratedSystem
        Results of `calibrate` on the same trials.
    measure : str or EvidenceMeasure, default "cllr"
        What is compared: a measure of evidence, as ``cllr``, ``cllr-min`` or ``act-dcf@.01``.
    correction : {"holm", "bh", "none"}, default "holm"
        How p values are adjusted for the number of pairs: by Holm, by Benjamini and Hochberg (``bh``), or not at all.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        What is claimed of A - B: that it is not 0, below 0 (``less``) or above 0 (``greater``).

    Returns
    -------
    tuple of EvidencePair
        One per pair. The test accounts for trials that share people and, if the method gives the influence of dev
        trials, for the calibration being re-estimated.

    Raises
    ------
    ParameterError
        If the measure, correction or alternative is unknown, or there are fewer than two systems.
    TrialsError
        If a system has infinite evidence for the wrong side, so that the measure is infinite.

    Examples
    --------
    >>> import numpy as np
    >>> import fairtrial as ft
    >>> genuine = np.arange(800) < 200
    >>> scores = np.random.default_rng(0).normal(np.outer(genuine, [1.5, 3.0]))
    >>> trials = ft.Trials.from_arrays(scores, genuine, systems=["old", "new"])
    >>> dev, test = (trials.rows(np.arange(start, 800, 2)) for start in (0, 1))
    >>> (pair,) = compare_evidence(ft.calibrate(dev, test), measure="cllr-min")
    >>> pair.a, pair.b, pair.test.estimate > 0
    ('old', 'new', True)
    """
    compared = list(systems)
    if len(compared) < 2:
        raise ParameterError(
            "a comparison needs two systems, not {systems:plural system}", code="needs-two", systems=len(compared)
        )
    figure = as_any_measure(measure)
    if not isinstance(figure, EvidenceMeasure):
        template = "{measure} is a measure of errors at a threshold; compare(...) tests its difference"
        raise ParameterError(template, code="not-of-evidence", measure=figure.name)
    pairs = list(combinations(compared, 2))
    tests = [figure.test(a.evidence, b.evidence, alternative=alternative) for a, b in pairs]
    adjusted = adjust_p_values([test.p_value for test in tests], correction).tolist()
    return tuple(
        EvidencePair(a.system, b.system, test, p_value, a.confidence)
        for (a, b), test, p_value in zip(pairs, tests, adjusted, strict=True)
    )
