"""Calibrate systems on dev, judge their evidence on test, and compare it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import inf, isfinite, nan
from typing import Any, TypeAlias

import numpy as np

from fairtrial.calibration.estimates import (
    PROVENANCES,
    SUPPORT,
    Alternative,
    Block,
    Cluster,
    Correction,
    Evidence,
    Kind,
    RateInterval,
    TestResult,
    TrialSets,
    adjust_p_values,
    check_finite,
    dev_pav_interval,
    evidence_interval,
    evidence_test,
    fit_evidence,
    parameter_intervals,
)
from fairtrial.calibration.evidence import CostLike, CostPoint, CostTarget, cllr, cost_target, dev_pav, min_cllr
from fairtrial.calibration.measures import (
    CLLR,
    CLLR_CAL,
    GIVEN_CALIBRATION,
    MIN_CLLR,
    EvidenceMeasure,
    Parts,
    cost_measure,
    unchanged_scores,
)
from fairtrial.calibration.model import BoundsName, Calibration, RatioSource
from fairtrial.core.errors import ParameterError, TrialsError, check_confidence
from fairtrial.core.notes import Note, as_note
from fairtrial.core.results import Field, Record, Result, plain, table_of
from fairtrial.core.tables import Table, join_tables
from fairtrial.core.trials import Trials
from fairtrial.core.words import figure_text, interval_title, number_text, p_phrase, term
from fairtrial.counting.tallies import ScoreData, as_source, count_errors
from fairtrial.rules.measures import MeasureLike, as_any_measure


def calibrated_words(kind: Kind) -> str:
    """Say on which trials a system was calibrated, after "calibrated"."""
    provenance = PROVENANCES[kind]
    return f"{provenance.fitted}, {provenance.evidence_kind}"


def _limits(interval: RateInterval | None) -> tuple[float, float] | None:
    return None if interval is None else interval.interval


def _with_intervals(fields: Sequence[Field], confidence: float) -> list[Field]:
    """Put the level of confidence into the titles of intervals."""
    level = interval_title(confidence)
    return [replace(own, title=str(own.title).replace("interval", level)) for own in fields if own.title]


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
    accepted : tuple of (int, int) or None
        Impostor and genuine trials accepted at the threshold; None if there are several.

    Examples
    --------
    >>> import numpy as np
    >>> import fairtrial as ft
    >>> genuine = np.arange(800) < 200
    >>> trials = ft.Trials.from_arrays(np.random.default_rng(0).normal(2.0 * genuine), genuine)
    >>> dev, test = (trials.rows(np.arange(start, 800, 2)) for start in (0, 1))
    >>> cost = ft.calibrate(dev, test).costs[0]
    >>> cost.minimum <= cost.actual
    True
    """

    target: CostTarget
    actual: float
    minimum: float
    interval: RateInterval | None
    least: RateInterval | None
    accepted: tuple[int, int] | None

    FIELDS = (
        Field("cost", "cost", get="target.name"),
        Field("points"),
        Field("partition", get="target.partition"),
        Field("prior", "prior", "number", get=lambda own: own.only("prior"), in_json=False),
        Field("c_miss", "cost of a miss", "number", get=lambda own: own.only("miss"), in_json=False),
        Field("c_fa", "of a false alarm", "number", get=lambda own: own.only("false_alarm"), in_json=False),
        Field("actual", "actual DCF", "number"),
        Field("interval", "interval", "range", get=lambda own: _limits(own.interval), in_json=False),
        Field("interval"),
        Field("minimum", "min DCF", "number"),
        Field("minimum_interval", "interval of min DCF", "range", get=lambda own: _limits(own.least), in_json=False),
        Field("minimum_interval", get="least"),
    )

    @property
    def points(self) -> list[dict[str, float]]:
        """Prior and costs of each operating point."""
        return [{"prior": point.prior, "c_miss": point.miss, "c_fa": point.false_alarm} for point in self.target.points]

    def only(self, name: str) -> float | None:
        """Give the prior or a cost of the only operating point; None if there are several."""
        return getattr(self.target.points[0], name) if len(self.target.points) == 1 else None

    @property
    def notes(self) -> tuple[Note, ...]:
        """Whether the cost rests on too few trials for its interval to be relied on."""
        if self.accepted is None or min(self.accepted) >= SUPPORT:
            return ()
        impostor, genuine = self.accepted
        text = (
            "the cost at prior {prior:g} rests on {impostor:plural false accept} and {genuine:plural genuine trial} "
            "accepted; with fewer than {support} of either, its interval is rough"
        )
        prior = self.target.points[0].prior
        return (Note("few-accepted", text, prior=prior, impostor=impostor, genuine=genuine, support=SUPPORT),)


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
    >>> import numpy as np
    >>> import fairtrial as ft
    >>> genuine = np.arange(800) < 200
    >>> trials = ft.Trials.from_arrays(np.random.default_rng(0).normal(2.0 * genuine), genuine)
    >>> dev, test = (trials.rows(np.arange(start, 800, 2)) for start in (0, 1))
    >>> result = ft.calibrate(dev, test)["system"]
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
        Field(
            "parameters",
            get=lambda own: {**own.calibration.parameters, "intervals": own.parameter_intervals},
        ),
        Field(
            "dev", get=lambda own: None if own.dev is None else dict(zip(("cllr", "cllr_min"), own.dev, strict=True))
        ),
        Field("test", get="_judged"),
        Field("notes"),
    )
    TEST_FIELDS = (
        Field("system", "system", in_json=False),
        Field("set", "set", "term", get="sets.provenance.judged_set", in_json=False),
        Field("kind", "figures", "term", get="sets.provenance.evidence_kind", detail=True),
        Field("cllr", "Cllr", "number", get=lambda own: own.test[0]),
        Field("interval", "interval", "range", get=lambda own: _limits(own.interval), in_json=False),
        Field("interval"),
        Field("intervals"),
        Field("cllr_min", "min Cllr", "number", get=lambda own: own.test[1]),
        Field(
            "cllr_min_interval",
            "interval of min Cllr",
            "range",
            get=lambda own: _limits(own.least),
            in_json=False,
        ),
        Field("cllr_min_interval", get="least"),
        Field("cllr_cal", "lost by calibration", "number", get="loss"),
        Field(
            "cllr_cal_interval",
            "interval of the loss",
            "range",
            get=lambda own: _limits(own.lost),
            in_json=False,
        ),
        Field("cllr_cal_interval", get="lost"),
        Field("cllr_raw", "Cllr of the scores", "number", get=lambda own: _number(own.raw)),
        Field("dev_pav", "devPAV", "number", get=lambda own: _number(own.dev_pav)),
        Field(
            "dev_pav_interval",
            "interval of devPAV",
            "range",
            get=lambda own: _limits(own.dev_pav_interval),
            in_json=False,
        ),
        Field("dev_pav_interval"),
        Field("method", "method", get=lambda own: own.interval and own.interval.method, detail=True, in_json=False),
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
            raise TrialsError(
                "{system}: the dev trials are not at hand; it was calibrated before, or in pieces",
                code="needs-dev",
                system=self.system,
            )
        return self.sets.dev

    @property
    def test_trials(self) -> Trials:
        """The judged trials."""
        return self.evidence.test

    @cached_property
    def dev(self) -> tuple[float, float] | None:
        """Cllr and min Cllr on dev, a posteriori; None if the calibration was fitted before."""
        dev, calibration = self.sets.dev, self.calibration
        if dev is None:
            return None
        if not isinstance(dev, Trials):
            return cllr(RatioSource.of(dev, calibration)), min_cllr(dev, system=calibration.systems[0])
        ratios, one = calibration.ratios(dev), len(calibration.systems) == 1
        given = dev.column(calibration.systems[0]) if one else ratios
        return cllr((ratios[dev.genuine], ratios[~dev.genuine])), min_cllr((given[dev.genuine], given[~dev.genuine]))

    @cached_property
    def raw(self) -> float:
        """Cllr of the scores on test, taken as ratios; NaN of a fusion."""
        systems = self.calibration.systems
        return cllr(self.sets.test, system=systems[0]) if len(systems) == 1 else nan

    def _interval(self, measure: EvidenceMeasure) -> RateInterval | None:
        if not self.evidence.in_memory:
            return None
        return evidence_interval(measure, self.evidence, confidence=self.confidence)

    @cached_property
    def intervals(self) -> tuple[RateInterval, ...]:
        """Intervals of Cllr on test: the primary one, then given this calibration; none of trials not in memory."""
        first = self._interval(CLLR)
        if first is None:
            return ()
        if first.threshold == "fixed":
            return (first,)
        fixed = evidence_interval(CLLR, self.evidence, confidence=self.confidence, threshold="fixed")
        return first, fixed

    @property
    def interval(self) -> RateInterval | None:
        """The primary interval of Cllr on test."""
        return self.intervals[0] if self.intervals else None

    @cached_property
    def least(self) -> RateInterval | None:
        """The interval of min Cllr on test."""
        return self._interval(MIN_CLLR)

    @cached_property
    def lost(self) -> RateInterval | None:
        """The interval of the loss by calibration on test: Cllr less min Cllr."""
        return self._interval(CLLR_CAL)

    @cached_property
    def test(self) -> tuple[float, float]:
        """Cllr of the calibrated scores on test, a priori, and min Cllr of the scores, a posteriori."""
        if self.interval is None or self.least is None:
            return cllr(self.evidence.source), min_cllr(self.evidence.given_source)
        return self.interval.estimate, self.least.estimate

    @property
    def loss(self) -> float:
        """The loss by calibration on test: Cllr less min Cllr."""
        return self.test[0] - self.test[1] if self.lost is None else self.lost.estimate

    @cached_property
    def dev_pav(self) -> float:
        """The distance of the ratios from those that test gives; see `dev_pav`. NaN of trials not in memory."""
        return dev_pav(self.evidence.pair) if self.evidence.in_memory else nan

    @cached_property
    def dev_pav_interval(self) -> RateInterval | None:
        """Its interval; None if it is unknown without some people, and with more than 200,000 trials."""
        return dev_pav_interval(self.evidence, confidence=self.confidence) if self.evidence.in_memory else None

    @cached_property
    def parameter_intervals(self) -> tuple[RateInterval, ...]:
        """Intervals of weights and offset, by dev people; none unless the map is linear."""
        return parameter_intervals(self.evidence, self.confidence) if isinstance(self.sets.dev, Trials) else ()

    @cached_property
    def costs(self) -> tuple[CostFigure, ...]:
        """Detection costs on test."""
        figures = []
        for target in self.targets:
            actual, least = cost_measure(target), cost_measure(target, "min-dcf")
            limits = self._interval(actual), self._interval(least)
            values = [
                measure.figure(self.evidence).estimate if own is None else own.estimate
                for measure, own in zip((actual, least), limits, strict=True)
            ]
            accepted = None
            if len(target.points) == 1:
                counts = count_errors(self.evidence.source, target.points[0].threshold)
                accepted = int(counts.false_accepts), int(counts.genuine - counts.false_rejects)
            figures.append(CostFigure(target, values[0], values[1], *limits, accepted))
        return tuple(figures)

    @cached_property
    def notes(self) -> tuple[Note | str, ...]:
        """What the reader should know."""
        notes: list[Note] = [*self.calibration.notes, *(note for cost in self.costs for note in cost.notes)]
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

    @property
    def _judged(self) -> dict[str, Any]:
        return {own.key: plain(own.value(self)) for own in self.TEST_FIELDS if own.in_json}

    def answer(self) -> str:
        """Cllr with its interval, min Cllr, and whether calibration helps."""
        actual, least = (number_text(value) for value in self.test)
        limits = ""
        if self.interval is not None:
            low, high = (number_text(end) for end in self.interval.interval)
            limits = f" ({interval_title(self.confidence)} {low} to {high})"
        told = f"{self.system} has a Cllr of {actual} bits{limits} {self.sets.provenance.evidence_kind}"
        told += f", {least} at best (min Cllr)"
        if self.test[0] > 1:
            return f"{told}: more than 1, so its evidence misleads"
        if self.calibration.method == "none" or np.isnan(self.raw):
            return told
        change = "lowers" if self.test[0] < self.raw else "does not lower"
        return f"{told}; {self.calibration.method} calibration {change} the {number_text(self.raw)} of the scores"

    def tables(self) -> tuple[Table, ...]:
        """Cllr on both sets, detection costs, and the calibration itself."""
        rows = _with_intervals(self.TEST_FIELDS, self.confidence)
        provenance = self.sets.provenance
        notes: list[Note | str] = [
            f"Cllr on {provenance.judged_set} is {provenance.evidence_kind}, calibrated {provenance.fitted}"
            + (f"; its interval: {GIVEN_CALIBRATION[self.interval.threshold]}" if self.interval else ""),
            "min Cllr and devPAV are a posteriori",
            *self.notes,
        ]
        records = [{own.key: own.value(self) for own in rows}]
        if self.dev is not None:
            method = records[0]["method"]
            figures = {"cllr": self.dev[0], "cllr_min": self.dev[1], "cllr_cal": self.dev[0] - self.dev[1]}
            records.insert(
                0, {"system": self.system, "set": "dev", "kind": "a posteriori", "method": method, **figures}
            )
        main = Table.of("evidence", "Evidence, in bits", rows, records, notes=notes, section="system")
        columns = [Field("system", "system"), *_with_intervals(CostFigure.FIELDS, self.confidence)]
        costs = [{"system": self.system, **{own.key: own.value(cost) for own in columns[1:]}} for cost in self.costs]
        means = sorted({_mean_of(cost.target) for cost in self.costs} - {""})
        return (
            main,
            Table.of("costs", "Normalised detection costs on test", columns, costs, notes=means, section="system"),
            self._parameters(),
        )

    def _parameters(self) -> Table:
        fields = (
            Field("system", "system", get=lambda row: self.system),
            Field("parameter", "parameter", get=lambda row: row[0]),
            Field("value", "value", "number", get=lambda row: row[1]),
            Field("interval", interval_title(self.confidence), "range", get=lambda row: limits.get(row[0])),
        )
        limits = {own.measure: own.interval for own in self.parameter_intervals}
        caption = f"Calibration: {self.calibration.method}"
        rows = self.calibration.described.items()
        return table_of("parameters", caption, fields, rows, section="system")


def _number(value: float) -> float | None:
    return None if np.isnan(value) else value


def _mean_of(target: CostTarget) -> str:
    """Say what a cost is the mean of."""
    parts = []
    if len(target.points) > 1:
        parts.append(f"its {len(target.points)} operating points")
    if target.partition:
        parts.append(f"the parts of the trials by {' and '.join(target.partition)}, with equal weight")
    return f"{target.name} is the mean over {' and over '.join(parts)}" if parts else ""


@dataclass(frozen=True, eq=False, repr=False)
class CalibratedSystems(Result):
    """Calibrated systems on the same trials, and the tests between them.

    ``result["face"]`` is one of them. If there is only one, its attributes are those of the result, too.

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

    def __getitem__(self, system: str) -> CalibratedSystem:
        for own in self.systems:
            if own.system == system:
                return own
        raise KeyError(system)

    def __iter__(self) -> Iterator[CalibratedSystem]:
        return iter(self.systems)

    def __len__(self) -> int:
        return len(self.systems)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or len(self.systems) != 1:
            raise AttributeError(name)
        return getattr(self.systems[0], name)

    @cached_property
    def pairs(self) -> tuple[EvidencePair, ...]:
        """Tests of the difference in Cllr of all pairs whose Cllr is finite; none of trials not in memory."""
        finite = [own for own in self.systems if own.evidence.in_memory and isfinite(own.test[0])]
        return compare_evidence(finite, correction=self.correction) if len(finite) > 1 else ()

    def answer(self) -> str:
        """That of each system, and the pair with the smallest p value."""
        told = "; ".join(own.answer() for own in self.systems)
        if not self.pairs:
            return told
        return f"{told}; {min(self.pairs, key=lambda pair: pair.adjusted).answer()}"

    def tables(self) -> tuple[Table, ...]:
        """Those of all systems and of all pairs, joined."""
        systems = join_tables([own.tables() for own in self.systems])
        return (*systems, *join_tables([pair.tables() for pair in self.pairs]))

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        pairs = {"pairs": plain(self.pairs)} if len(self.systems) > 1 and self.systems[0].evidence.in_memory else {}
        return {"systems": plain(self.systems), **pairs}


OneSystem: TypeAlias = CalibratedSystem | CalibratedSystems
"""A calibrated system, or a result that has only one."""


def calibrate(
    dev: ScoreData | Calibration | None,
    test: ScoreData | None = None,
    *,
    folds: int | Sequence[Block] | None = None,
    systems: str | Sequence[str] | None = None,
    fuse: bool = False,
    method: str = "logistic",
    prior: float = 0.5,
    bounds: BoundsName = "none",
    points: Sequence[CostLike] = (CostPoint(0.01),),
    partition: Sequence[str] = (),
    confidence: float = 0.95,
    cluster: Cluster | None = None,
    correction: Correction = "holm",
    rng: np.random.Generator | int | None = 0,
) -> CalibratedSystems:
    """Calibrate systems on dev and judge their evidence on test.

    Parameters
    ----------
    dev : Trials, data frame, ScoreSource, tuple of two array_like, Calibration or None
        The trials that thresholds are chosen on, and that calibrations are fitted to; a calibration that was fitted
        before; or None if the scores of test are log-likelihood ratios already (``method="none"``).
    test : Trials, data frame, ScoreSource or tuple of two array_like, optional
        The trials that are judged; not needed with `folds`.
    folds : int or sequence of Block, optional
        In place of `test`: the number of folds that the people of dev are dealt into, or blocks of `make_blocks`. Each
        block is calibrated on trials of other people; the calibration shown is the one that all trials give.
    systems : str or sequence of str, optional
        The names of the systems; all by default.
    fuse : bool, default False
        Whether to make one calibration of all systems together, by ``logistic`` or ``gaussian``.
    method : str, default "logistic"
        How scores become ratios: a name in `CALIBRATIONS`.
    prior : float, default 0.5
        The prior probability of a genuine trial, between 0 and 1, at which ``logistic`` and ``gaussian`` weigh the
        classes.
    bounds : {"none", "elub"}, default "none"
        Whether ratios are bounded by those that dev supports; see `elub_bounds`.
    points : sequence of CostLike, default (CostPoint(prior=0.01, miss=1.0, false_alarm=1.0),)
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
    >>> ratios = calibrate(None, calibrate(make(1), make(2)).calibration.apply(make(2)), method="none")
    >>> ratios.test == result.test
    True
    """
    check_confidence(confidence)
    targets = _targets(points, partition)
    if isinstance(dev, Calibration) or dev is None:
        if test is None or folds is not None:
            raise ParameterError("give {test!p}: the trials that are judged", code="needs-test", test=None)
        if dev is None and method != "none":
            raise ParameterError(
                "without dev, scores are taken as log-likelihood ratios: give {method!o}, or dev",
                code="needs-dev",
                method="none",
            )
        sets = TrialSets(None, _as_rows(test), cluster)
        fitted = [dev] if dev is not None else [unchanged_scores(name) for name in sets.chosen(systems)]
        found = [Evidence(replace(own, influence=None), sets) for own in fitted]
    else:
        sets = TrialSets.of(_as_rows(dev), _as_rows(test), folds=folds, cluster=cluster, rng=rng)
        if not sets.has_scores:
            raise ParameterError("calibration needs scores, which counters do not have", code="needs-scores")
        names = sets.chosen(systems)
        groups = [names] if fuse else [(name,) for name in names]
        found = [fit_evidence(sets, group, method=method, prior=prior, bounds=bounds) for group in groups]
    if partition:
        Parts.of(found[0].test, partition)  # a column that is not there is refused now
    return CalibratedSystems(tuple(CalibratedSystem(own, targets, confidence) for own in found), correction)


def _as_rows(data: ScoreData | None) -> Any:
    """Turn a pair of arrays into trials; everything else stays itself."""
    if not isinstance(data, tuple):
        return data
    source = as_source(data)
    scores = np.concatenate([np.asarray(part) for part in data])
    return Trials.from_arrays(scores, np.arange(len(scores)) < source.genuine)


def _targets(points: Sequence[CostLike], partition: Sequence[str]) -> tuple[CostTarget, ...]:
    """List the costs asked for: of several points, each of them and then their mean."""
    targets = []
    for cost in points:
        target = cost_target(cost, partition)
        if len(target.points) > 1:
            targets += [cost_target(point, target.partition) for point in target.points]
        targets.append(target)
    return tuple(targets)


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
        Field("pair", "A - B", get=lambda own: f"{own.a} - {own.b}", in_json=False),
        Field("a"),
        Field("b"),
        Field("tests", get=lambda own: [{**own.test.to_dict(), "p_adjusted": own.adjusted}]),
        Field("measure", "name of the measure", get="test.measure", in_json=False, detail=True),
        Field("label", "measure", "term", get="test.label", in_json=False),
        Field("threshold", "calibration", "term", get="test.threshold", in_json=False),
        Field("difference", "difference", "figure", get=lambda own: own.test.cells()["difference"], in_json=False),
        Field("sigma", "sigma", "figure", get=lambda own: own.test.cells()["sigma"], in_json=False),
        Field("statistic", "statistic", "number", get="test.statistic", in_json=False),
        Field("p_value", "p", "p", get="test.p_value", in_json=False),
        Field("p_adjusted", "p adjusted", "p", get="adjusted", in_json=False),
    )

    def answer(self) -> str:
        """Which evidence is better, by how much, and the p value."""
        difference = figure_text(abs(self.test.estimate), self.test.is_share)
        size = f"by {difference} in {term(self.test.label)} ({p_phrase(self.adjusted)} adjusted)"
        if self.adjusted >= 1 - self.confidence:
            return f"{self.a} and {self.b} cannot be told apart: they differ {size}"
        better, worse = (self.b, self.a) if self.test.estimate > 0 else (self.a, self.b)
        return f"{better} has better evidence than {worse} {size}"

    def tables(self) -> tuple[Table, ...]:
        """The test in one row."""
        caption = f"Tests of the difference A - B in {term(self.test.label)}"
        notes = [self.test.note] if self.test.note else []
        return (table_of("tests", caption, self.FIELDS, [self], notes=notes),)


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
    known = as_any_measure(measure)
    if not isinstance(known, EvidenceMeasure):
        raise ParameterError(
            "{measure} is a measure of errors at a threshold; compare(...) tests its difference",
            code="not-of-evidence",
            measure=known.name,
        )
    figures = [known.figure(own.evidence) for own in compared]
    check_finite(known, {own.system: figure for own, figure in zip(compared, figures, strict=True)})
    tests = [
        evidence_test(known, compared[i].evidence, figures[i] - figures[j], alternative=alternative)
        for i, j in combinations(range(len(compared)), 2)
    ]
    adjusted = adjust_p_values([test.p_value for test in tests], correction).tolist()
    return tuple(
        EvidencePair(a.system, b.system, test, p_value, a.confidence)
        for (a, b), test, p_value in zip(combinations(compared, 2), tests, adjusted, strict=True)
    )
