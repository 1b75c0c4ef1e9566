"""Evaluate systems: threshold on dev, errors on test, intervals on demand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from fairtrial.calibration.measures import (
    GIVEN_CALIBRATION,
    AnyMeasureLike,
    EvidenceMeasure,
    as_any_measure,
    errors_only,
    evidence_interval,
    judged_evidence,
    judged_figure,
)
from fairtrial.core.errors import ParameterError, check_choice, check_confidence
from fairtrial.core.notes import Note
from fairtrial.core.parameters import refuse_excluded
from fairtrial.core.results import Result, plain
from fairtrial.core.tables import COUNT_COLUMNS, RATE_COLUMNS, Column, Table, join_tables
from fairtrial.core.words import Text, interval_text, interval_title, percent, term, threshold_text
from fairtrial.counting.tallies import ErrorCounts, ScoreData
from fairtrial.inference.decide import Judgement, ignored_alpha, judge, judge_at
from fairtrial.inference.estimates import GIVEN, GIVEN_ALONG, Threshold, threshold_when
from fairtrial.inference.folds import Block
from fairtrial.inference.intervals import RateInterval
from fairtrial.inference.limits import judged_interval, judged_intervals
from fairtrial.inference.multipliers import RESAMPLES
from fairtrial.inference.people import Cluster
from fairtrial.inference.split import PROVENANCES, Kind, TrialSets
from fairtrial.rules.bounds import Bounds, Tally, count
from fairtrial.rules.criteria import Criterion, CriterionLike, as_criterion
from fairtrial.rules.eer import EerDefinition, EqualErrorRate, equal_error_rate
from fairtrial.rules.measures import MEASURES, Measure, label_of

if TYPE_CHECKING:
    from fairtrial.formats.decisions import ArrowTable

_RATES = ("far", "frr", "hter")
_DETAILS = (
    Column("method", "method", detail=True),
    Column("interval_threshold", "threshold of the interval", detail=True),
    Column("far_interval", Text("interval of {FAR}"), "interval", detail=True),
    Column("frr_interval", Text("interval of {FRR}"), "interval", detail=True),
    Column("criterion", "criterion", detail=True),
    Column("alpha", "alpha", "number", detail=True),
    Column("threshold", "threshold", "threshold", detail=True),
    *COUNT_COLUMNS,
)
"""What files have of each set besides what is shown."""


@dataclass(frozen=True, repr=False, eq=False)
class SystemEvaluation(Result):
    """One system at one operating point; whatever is not a count is computed when it is asked for.

    The dev figures are a posteriori (threshold and figure from the same trials); the test figures are a priori, or
    cross-validated if there was one set only.

    Attributes
    ----------
    judgement : Judgement
        The threshold, the errors it makes, and the people who share trials.
    reported : dict of str to Measure
        Further measures that were asked for, by name.
    confidence : float
        The level of confidence of intervals.
    resample : {"test", "both"}
        Whether the leading intervals take the threshold as given, or as re-estimated from other dev trials.
    eer_definition : {"step-mean", "step-low", "step-high", "interpolated", "rocch"}
        The definition of the equal error rates.
    given_alpha : float or None
        The alpha that was asked for, whether or not the criterion takes one.

    Examples
    --------
    >>> from fairtrial import evaluate
    >>> found = evaluate(([0.9, 0.8, 0.4, 0.7], [0.1, 0.3, 0.5, 0.2, 0.6]), ([0.8, 0.5, 0.7], [0.2, 0.6]))["system"]
    >>> found.threshold, found.test.far, round(found.test.frr, 4), found.kind
    (0.5, 0.5, 0.3333, 'a priori')
    >>> found.interval().low <= found.test.hter <= found.interval().high
    True
    """

    judgement: Judgement
    reported: Mapping[str, Measure | EvidenceMeasure] = field(default_factory=dict)
    confidence: float = 0.95
    resample: Literal["test", "both"] = "both"
    eer_definition: EerDefinition = "step-mean"
    given_alpha: float | None = None

    @property
    def system(self) -> str:
        """The system's name."""
        return self.judgement.system

    @property
    def criterion(self) -> Criterion:
        """How the threshold was chosen."""
        return self.judgement.criterion

    @property
    def alpha(self) -> float:
        """The weight or the target that the criterion took."""
        return float(self.judgement.alpha[0])

    @property
    def kind(self) -> Kind:
        """Whether the test figures are a priori."""
        return self.judgement.kind

    @property
    def threshold(self) -> float:
        """The threshold from dev; of folds, the one that all trials give."""
        return float(self.test.threshold if self.judgement.sets.dev is None else self.dev.threshold)

    @cached_property
    def dev(self) -> ErrorCounts:
        """Errors on dev at the threshold: a posteriori."""
        own = self.judgement
        if own.dev is not None:
            return own.dev[0].scalar()
        assert own.sets.dev is not None
        return count(own.sets.dev, Tally(own.test), system=own.own).counts[0].scalar()

    @cached_property
    def test(self) -> ErrorCounts:
        """Errors on test at the threshold: a priori."""
        return self.judgement.at(0)

    @cached_property
    def dev_eer(self) -> EqualErrorRate:
        """The equal error rate on dev."""
        assert self.judgement.sets.dev is not None
        return equal_error_rate(self.judgement.sets.dev, definition=self.eer_definition, system=self.judgement.own)

    @cached_property
    def test_eer(self) -> EqualErrorRate | None:
        """The equal error rate on test, a posteriori; None if held-out blocks were judged."""
        if self.judgement.fold_thresholds is not None:
            return None
        return equal_error_rate(self.judgement.sets.test, definition=self.eer_definition, system=self.judgement.own)

    @property
    def fold_thresholds(self) -> tuple[float, ...]:
        """The thresholds of the held-out blocks; empty if there was a test set."""
        folds = self.judgement.fold_thresholds
        return () if folds is None else tuple(folds[:, 0].tolist())

    def interval(self, measure: AnyMeasureLike = "hter", *, confidence: float | None = None) -> RateInterval:
        """Compute the interval of a measure on test.

        Parameters
        ----------
        measure : str, Measure, EvidenceMeasure, DetectionCosts or callable, default "hter"
            What is reported: a name, a measure, detection costs, or a function of an `ErrorCounts`.
        confidence : float, optional
            The level of confidence, between 0 and 1; that of the evaluation by default.

        Returns
        -------
        RateInterval
            Estimate and limits: threshold re-estimated unless asked otherwise, trials that share people accounted for.
        """
        known, own = as_any_measure(measure), self.judgement
        level, threshold = confidence or self.confidence, threshold_when(self.resample)
        if isinstance(known, EvidenceMeasure):
            evidence, figure = judged_evidence(known, own), judged_figure(known, own)
            return evidence_interval(known, evidence, confidence=level, threshold=threshold, figure=figure)
        return own.once(
            ("interval", known, level, threshold),
            lambda: judged_interval(own, measure=known, confidence=level, threshold=threshold),
        )

    @cached_property
    def intervals(self) -> tuple[RateInterval, ...]:
        """Intervals of the HTER: the primary one, then with the threshold fixed, then for independent trials."""
        intervals = judged_intervals(self.judgement, confidence=self.confidence)
        if self.resample == "both":
            return intervals
        return tuple(interval for interval in intervals if interval.threshold == "fixed")

    @cached_property
    def measures(self) -> dict[str, float]:
        """Further figures on test, by name."""
        return {
            name: _value(measure, self.test, self.alpha)
            if isinstance(measure, Measure)
            else self.measure_intervals[name].estimate
            for name, measure in self.reported.items()
        }

    @cached_property
    def measure_intervals(self) -> dict[str, RateInterval]:
        """Intervals of `measures`, by the same names."""
        return {name: self.interval(measure) for name, measure in self.reported.items()}

    @property
    def design_effect(self) -> float | None:
        """How many times the variance is that of independent trials; None without ids or errors."""
        fixed = [interval for interval in self.intervals if interval.threshold == "fixed"]
        if fixed[0].sharing == "none" or not fixed[-1].sigma:
            return None
        return (fixed[0].sigma / fixed[-1].sigma) ** 2

    @cached_property
    def bounds(self) -> dict[Literal["dev", "test"], dict[str, Bounds]]:
        """From counters, bounds of the figures that the scores would give, by set and name; empty if all is exact."""
        own = self.judgement
        found: dict[Literal["dev", "test"], dict[str, Bounds]] = {}
        sides: tuple[tuple[Literal["dev", "test"], EqualErrorRate | None], ...] = ()
        if not own.exact:
            sides = (("dev", self.dev_eer), ("test", self.test_eer))
        for on, eer in sides:
            rates = {name: own.bounds(MEASURES[name], on=on) for name in _RATES}
            rates |= {"eer": None if eer is None else eer.bounds}
            if on == "test":
                asked = {name: measure for name, measure in self.reported.items() if isinstance(measure, Measure)}
                rates |= {f"measure {name}": own.bounds(measure) for name, measure in asked.items()}
            found[on] = {name: bounds for name, bounds in rates.items() if bounds is not None}
        return found

    @property
    def exact(self) -> bool:
        """Whether no figure is known by bounds only."""
        return not any(bounds.width for own in self.bounds.values() for bounds in own.values())

    @cached_property
    def notes(self) -> tuple[Note | str, ...]:
        """What the reader should know."""
        own = self.judgement
        notes: list[Note | str] = [*own.sets.notes, *own.notes, *ignored_alpha(self.criterion, self.given_alpha)]
        if own.dev is None:
            text = "the threshold was given: the interval holds if it was fixed before these trials were seen"
            notes.append(Note("threshold-given", text))
        if self.dev_eer.value > 0.5:
            text = (
                "the EER on dev is {eer:percent}: higher scores should mean genuine; negate them if they are distances"
            )
            notes.append(Note("reversed-scores", text, self.system, warning=True, eer=self.dev_eer.value))
        for errors, trials, kind in (
            (self.test.false_accepts, self.test.impostor, "false accepts"),
            (self.test.false_rejects, self.test.genuine, "false rejects"),
        ):
            if errors == 0:
                text = (
                    "no {kind:term} in {trials:count} test trials: if they are independent, the rate is below "
                    "{bound:percent} with 95 % confidence (rule of 3)"
                )
                bound = min(1.0, 3 / trials)
                notes.append(Note("no-errors", text, self.system, kind=kind, trials=int(trials), bound=bound))
        if self.design_effect is not None and self.design_effect > _LARGE_EFFECT:
            text = (
                "trials share people: the standard deviation of the HTER is {times:.2f} times that of independent "
                "trials (design effect {effect:.1f}), so the interval is wider than eq. (13) says"
            )
            effect = self.design_effect
            notes.append(Note("design-effect", text, self.system, times=effect**0.5, effect=effect))
        return (*notes, *self._bounds_notes())

    def _bounds_notes(self) -> Iterator[Note]:
        if self.exact:
            return
        yield Note(
            "bounds",
            "from counts in cells: figures are exact at the threshold shown; bounds hold those at the threshold that "
            "the scores themselves would give",
        )
        wide = [
            f"{name.upper()} on {on}: {percent(bounds.relative_width)}"
            for on, own in self.bounds.items()
            for name, bounds in own.items()
            if name in (*_RATES, "eer") and bounds.relative_width > self.precision
        ]
        if wide:
            yield Note(
                "wide-bounds",
                "bounds are further apart than the precision of {precision:percent}: {wide}. Many scores share a cell, "
                "or the criterion is flat around its best; count with a finer precision, or read the scores themselves",
                self.system,
                warning=True,
                precision=self.precision,
                wide="; ".join(wide),
            )

    @property
    def precision(self) -> float:
        """The precision of the counters; 0 if all is exact."""
        sets = (self.judgement.sets.dev, self.judgement.sets.test)
        return max((getattr(data, "precision", 0.0) for data in sets), default=0.0)

    def decisions(self) -> ArrowTable:
        """Give trial by trial what was decided: score, threshold, decision and error; see `Judgement.decisions`.

        Examples
        --------
        >>> from fairtrial import Trials, evaluate
        >>> trials = Trials.from_arrays([0.9, 0.2, 0.4], [True, False, True])
        >>> evaluate(trials, trials).decisions().select(["score", "decision", "error"]).to_pylist()[2]
        {'score': 0.4, 'decision': 'accept', 'error': None}
        """
        return self.judgement.decisions()

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        dev = {**self.dev.to_dict(), "kind": PROVENANCES[self.kind].dev_kind, "eer": self.dev_eer.value}
        test = {
            **self.test.to_dict(),
            "kind": self.kind,
            "measures": self.measures,
            "measure_kinds": {name: self._kind_of(measure) for name, measure in self.reported.items()},
            "measure_intervals": plain(self.measure_intervals),
            "interval": self.intervals[0].to_dict(),
            "intervals": plain(self.intervals),
            "far_interval": self.interval("far").to_dict(),
            "frr_interval": self.interval("frr").to_dict(),
            "design_effect": self.design_effect,
        }
        if self.test_eer is not None:
            test["eer"] = self.test_eer.value
        result: dict[str, Any] = {
            "system": self.system,
            "criterion": self.criterion.name,
            "alpha": self._shown_alpha,
            "threshold": self.threshold,
            "eer": self.dev_eer.value,
            "eer_definition": self.dev_eer.definition,
            "dev": dev,
            "test": test,
            "notes": plain(self.notes),
        }
        if self.fold_thresholds:
            result["fold_thresholds"] = list(self.fold_thresholds)
        if self.bounds:
            for on, own in self.bounds.items():
                rates = {name: bounds for name, bounds in own.items() if not name.startswith("measure ")}
                result[on] |= {f"{name}_bounds": bounds.to_dict() for name, bounds in rates.items()}
            measured = {name: own for name, own in self.bounds["test"].items() if name.startswith("measure ")}
            test["measure_bounds"] = {name.removeprefix("measure "): own.to_dict() for name, own in measured.items()}
            boxes = self.judgement.boxes[0]
            if boxes is not None:
                result["threshold_bounds"] = boxes[0].threshold.to_dict()
                result["eer_bounds"] = self.bounds["dev"]["eer"].to_dict()
            result |= {"exact": self.exact, "precision": self.precision}
        return result

    @property
    def _is_given(self) -> bool:
        """Whether the threshold was given, and not chosen on dev."""
        return PROVENANCES[self.kind].origin == "given"

    @property
    def _shown_alpha(self) -> float | None:
        """The alpha, if the criterion or a measure depends on it."""
        errors = [measure for measure in self.reported.values() if isinstance(measure, Measure)]
        return self.criterion.alpha_of_result(self.alpha, errors)

    @property
    def _given(self) -> dict[Threshold, str]:
        """What is said of the threshold, or of those of the blocks, in sentences."""
        return GIVEN_ALONG if self.fold_thresholds else GIVEN

    def _kind_of(self, measure: Measure | EvidenceMeasure) -> Kind:
        """Tell whether a measure is a priori."""
        return measure.told(PROVENANCES[self.kind]) if isinstance(measure, EvidenceMeasure) else self.kind

    def answer(self) -> str:
        """The HTER with its interval, and the threshold."""
        rule = self.criterion.described(self.alpha)
        interval = self.intervals[0].interval
        text = (
            f"{self.system}, HTER {percent(self.test.hter)} ({interval_text(*interval)} %) {self.kind}, "
            f"threshold {threshold_text(self.threshold)}{'' if self._is_given else f' by {rule}'}"
        )
        if not self.bounds:
            return text
        low, high = self.bounds["test"]["hter"]
        return f"{text}; HTER for certain between {percent(low)} and {percent(high)}"

    def tables(self) -> tuple[Table, ...]:
        """The errors on both sets, the threshold and the trials, and all intervals; from counters, bounds."""
        tables = self._errors(), self._trials(), self._intervals()
        return (*tables, self._bounds_table()) if self.bounds else tables

    def _errors(self) -> Table:
        leading = self.intervals[0]
        columns = [
            Column("system", "system"),
            Column("set", "set", "term"),
            Column("kind", "figures", "term"),
            *RATE_COLUMNS,
            Column("interval", interval_title(leading.confidence), "interval"),
            Column("eer", "EER", "rate"),
        ]
        taken = {column.key for column in (*columns, *_DETAILS)}
        keys = {name: f"measure_{name}" if name in taken else name for name in self.reported}
        for name, measure in self.reported.items():
            kind = self._kind_of(measure)
            title = term(measure.label) if kind == self.kind else f"{term(measure.label)} ({kind})"
            columns += [
                Column(keys[name], title, measure.kind, detail=measure.name in _RATES),
                Column(
                    f"{keys[name]}_interval",
                    f"interval of {term(measure.label)}",
                    measure.interval_kind,
                    detail=measure.name == "hter",
                ),
            ]
        same = {"system": self.system, "criterion": self.criterion.name, "alpha": self._shown_alpha}
        dev = {"set": "dev", "kind": PROVENANCES[self.kind].dev_kind, "eer": self.dev_eer.value, **self.dev.to_dict()}
        test = {
            "set": PROVENANCES[self.kind].judged_set,
            "kind": self.kind,
            "eer": None if self.test_eer is None else self.test_eer.value,
            "interval": leading.interval,
            "interval_threshold": leading.threshold,
            "far_interval": self.interval("far").interval,
            "frr_interval": self.interval("frr").interval,
            "method": leading.method,
            **self.test.to_dict(),
            **{keys[name]: self.measures[name] for name in keys},
            **{f"{keys[name]}_interval": self.measure_intervals[name].interval for name in keys},
        }
        rule = f"threshold by {self.criterion.described(self.alpha)} {PROVENANCES[self.kind].chosen}"
        if self._is_given:
            rule = "threshold that was given"
        caption = f"Errors, each held-out block at a {rule}" if self.fold_thresholds else f"Errors at the {rule}"
        sets = f"on {PROVENANCES[self.kind].curves}" if self.test_eer is None else "on either set"
        others = "; the table of intervals says what those of other measures account for" if self.reported else ""
        notes = (
            f"the interval is that of the HTER, {self._given[leading.threshold]}{others}",
            f"EER: {self.dev_eer.definition}, a posteriori {sets}",
            *self.notes,
        )
        rows = [{**same, "threshold": self.threshold, **own} for own in (dev, test)]
        return Table.of("errors", caption, (*columns, *_DETAILS), rows, notes=notes, section="system")

    def _trials(self) -> Table:
        own = PROVENANCES[self.kind]
        columns = (
            Column("system", "system"),
            Column("threshold", own.threshold, "threshold"),
            Column("dev_genuine", "dev genuine", "count"),
            Column("dev_impostor", "dev impostor", "count"),
            Column("test_genuine", f"{own.adjective} genuine", "count"),
            Column("test_impostor", f"{own.adjective} impostor", "count"),
        )
        trials = (self.dev.genuine, self.dev.impostor, self.test.genuine, self.test.impostor)
        return Table("trials", "Thresholds and numbers of trials", columns, ((self.system, self.threshold, *trials),))

    def _intervals(self) -> Table:
        columns = (
            Column("system", "system"),
            Column("measure", "name of the measure", detail=True),
            Column("label", "measure", "term"),
            Column("interval", interval_title(self.confidence), "figures"),
            Column("threshold", "threshold", "term"),
            Column("meaning", "accounts for", "term"),
            Column("method", "method", detail=True),
        )
        rows = []
        for interval in (*self.intervals, self.interval("far"), self.interval("frr"), *self.measure_intervals.values()):
            people = "trials taken as independent" if interval.sharing == "none" else "trials share people"
            meaning = f"{people}; {self._given[interval.threshold]}"
            evidence = next((own for own in self.reported.values() if own.name == interval.measure), None)
            if isinstance(evidence, EvidenceMeasure):
                given = GIVEN_CALIBRATION[interval.threshold]
                meaning = f"{people}; {self._kind_of(evidence) if evidence.posteriori else given}"
            elif interval.limits == "independent":
                meaning = "chance, if all trials were independent: eq. (13)"
            share = (*interval.interval, interval.is_share)
            rows.append(
                (self.system, interval.measure, interval.label, share, interval.threshold, meaning, interval.method)
            )
        distinct = tuple(dict.fromkeys(rows))
        caption = "Intervals (primary HTER interval first)"
        return Table("intervals", caption, columns, distinct, section="system", detail=True)

    def _bounds_table(self) -> Table:
        columns = (
            Column("system", "system"),
            Column("set", "set", "term"),
            Column("measure", "measure", "term"),
            Column("low", "at least", "bound"),
            Column("high", "at most", "bound"),
            Column("relative", "relative width", "number"),
        )
        rows: list[tuple[Any, ...]] = []
        if (boxes := self.judgement.boxes[0]) is not None:
            low, high = boxes[0].threshold
            rows.append((self.system, "dev", "threshold", (low, False), (high, False), None))
        for on, own in self.bounds.items():
            for name, bounds in own.items():
                measure = self.reported.get(name.removeprefix("measure "))
                label = "EER" if name == "eer" else measure.label if measure is not None else label_of(name)
                share = measure is None or measure.is_share
                rows.append((self.system, on, label, (bounds.low, share), (bounds.high, share), bounds.relative_width))
        return Table("bounds", "Bounds: exact figures lie between them", columns, tuple(rows), section="system")


_LARGE_EFFECT = 1.2**2
"""Design effects above this are mentioned: the standard deviation is more than 20 % larger."""


def _value(measure: Measure, counts: ErrorCounts, alpha: float) -> float:
    value = measure(counts, alpha)
    if np.ndim(value):
        raise ParameterError(f"measure {measure.name} must give one number, not {value!r}")
    return float(value)


@dataclass(frozen=True, repr=False, eq=False)
class Evaluation(Result):
    """Systems at one operating point each.

    ``result["face"]`` is one of them. If there is only one, its attributes are those of the result, too.

    Attributes
    ----------
    systems : tuple of SystemEvaluation
        One per system, in the order asked for.

    Examples
    --------
    >>> from fairtrial import evaluate
    >>> dev = ([0.9, 0.8, 0.4, 0.7], [0.1, 0.3, 0.5, 0.2, 0.6])
    >>> found = evaluate(dev, ([0.8, 0.5, 0.7], [0.2, 0.6]))
    >>> found.threshold, [own.system for own in found], found["system"].test.far
    (0.5, ['system'], 0.5)
    """

    systems: tuple[SystemEvaluation, ...]

    def __getitem__(self, system: str) -> SystemEvaluation:
        for own in self.systems:
            if own.system == system:
                return own
        raise KeyError(system)

    def __iter__(self) -> Iterator[SystemEvaluation]:
        return iter(self.systems)

    def __len__(self) -> int:
        return len(self.systems)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or len(self.systems) != 1:
            raise AttributeError(name)
        return getattr(self.systems[0], name)

    def answer(self) -> str:
        """That of each system."""
        return "; ".join(own.answer() for own in self.systems)

    def tables(self) -> tuple[Table, ...]:
        """Those of all systems, joined."""
        return join_tables([own.tables() for own in self.systems])

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        return {"systems": [own.to_dict() for own in self.systems]}


def evaluate(
    dev: ScoreData,
    test: ScoreData | None = None,
    *,
    folds: int | Sequence[Block] | None = None,
    systems: str | Sequence[str] | None = None,
    criterion: CriterionLike = "eer",
    alpha: float | None = None,
    threshold: float | None = None,
    measures: Sequence[AnyMeasureLike] = (),
    confidence: float = 0.95,
    cluster: Cluster | None = None,
    resample: Literal["test", "both"] = "both",
    n_resamples: int = RESAMPLES,
    rng: np.random.Generator | int | None = 0,
    eer: EerDefinition = "step-mean",
) -> Evaluation:
    """Fix the threshold on dev and report the errors on test.

    Parameters
    ----------
    dev : Trials, data frame, ScoreSource, Counter or tuple of two array_like
        The trials that thresholds are chosen on.
    test : Trials, data frame, ScoreSource, Counter or tuple of two array_like, optional
        The trials that are judged; not needed with `folds`.
    folds : int or sequence of Block, optional
        In place of `test`: the number of folds that the people of dev are dealt into, or blocks of `make_blocks`. Each
        block is judged by a threshold from other people; the threshold shown is the one that all trials give.
    systems : str or sequence of str, optional
        The names of the systems; all by default.
    criterion : str, Criterion, DetectionCosts or callable, default "eer"
        How the threshold is chosen on dev: a name in `CRITERIA`, a criterion, detection costs, or a function
        ``C(far, frr, alpha)`` of arrays.
    alpha : float, optional
        The weight or the target that the criterion takes; 0.5 by default, but a criterion that aims at a target needs
        one.
    threshold : float, optional
        A threshold that was fixed before, instead of one from dev.
    measures : sequence of str, Measure, EvidenceMeasure, DetectionCosts or callable, default ()
        Further figures on test, each with its interval: names in `MEASURES`, measures, detection costs, or functions of
        an `ErrorCounts`. Those of evidence, as ``cllr``, ``cllr-min`` or ``act-dcf@.01``, are of the scores calibrated
        on dev, or on other people.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.
    cluster : {"none", "claim", "subject", "both"}, optional
        What dependent trials share: the claimed identity, the subject, both or nothing; by default all ids that are
        known.
    resample : {"test", "both"}, default "both"
        Whether the leading intervals are conditional on the threshold (``test``), or account for its uncertainty, as
        dev is a sample, too (``both``).
    n_resamples : int, default 400
        How many resamples are drawn, of dev trials, to re-estimate the threshold.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result.
    eer : {"step-mean", "step-low", "step-high", "interpolated", "rocch"}, default "step-mean"
        The definition of the equal error rates that are reported besides; see `equal_error_rate`.

    Returns
    -------
    Evaluation
        Of each system the threshold, errors on both sets, intervals and notes; from counters, also bounds.

    Raises
    ------
    ParameterError
        If a criterion, measure or definition is unknown, or a number is out of range.
    TrialsError
        If trials lack a class, or dev and test hold different systems.

    Notes
    -----
    The HTER comes with two kinds of intervals: for the system, whose threshold would be another with other dev trials,
    and for this threshold. If ids are known, trials that share people are not taken as independent.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, Algorithm 1 and section 4.1; Bengio & Mariéthoz,
    A statistical significance test for person authentication, 2004, eq. (13).

    Examples
    --------
    >>> dev = ([0.9, 0.8, 0.4, 0.7], [0.1, 0.3, 0.5, 0.2, 0.6])
    >>> test = ([0.85, 0.55, 0.45, 0.95, 0.35], [0.15, 0.65, 0.25, 0.42, 0.05, 0.5])
    >>> result = evaluate(dev, test, measures=["f1"])
    >>> result.threshold, round(result.test.hter, 4), round(result.measures["f1"], 4)
    (0.5, 0.2833, 0.6667)
    >>> import numpy as np
    >>> from fairtrial import Trials
    >>> genuine = np.arange(200) < 80
    >>> scores = np.random.default_rng(0).normal(3.0 * genuine)
    >>> found = evaluate(Trials.from_arrays(scores, genuine, claim=np.arange(200) % 20), folds=4)
    >>> found.kind, len(found.fold_thresholds), found.test.genuine
    ('a priori (cross-validated)', 4, 80)
    """
    given = dict(locals())
    check_choice("resample", resample, ("test", "both"))
    check_confidence(confidence)
    sets = TrialSets.of(dev, test, folds=folds, cluster=cluster, rng=rng, n_resamples=n_resamples)
    refuse_excluded(evaluate, given, has_scores=sets.has_scores)
    reported = measures_by_name(
        [as_any_measure(own) for own in ([measures] if isinstance(measures, str) else measures)]
    )
    if not sets.has_scores:
        errors_only(list(reported.values()))
    rule = as_criterion(criterion)
    found = []
    for name in sets.chosen(systems):
        if threshold is not None:
            judgement = judge_at(sets, threshold, system=name)
        else:
            judgement = judge(sets, system=name, criterion=rule, alphas=rule.resolve_alpha(alpha))
        for measure in reported.values():
            if isinstance(measure, EvidenceMeasure):
                judged_evidence(measure, judgement)  # trials that cannot be calibrated are refused now
        found.append(SystemEvaluation(judgement, reported, confidence, resample, eer, alpha))
    return Evaluation(tuple(found))


def measures_by_name(measures: Sequence[Measure | EvidenceMeasure]) -> dict[str, Measure | EvidenceMeasure]:
    """Give measures names that tell them apart."""
    names = [measure.name for measure in measures]
    return {
        name if names.count(name) == 1 else f"{name} {k + 1}": measure
        for k, (name, measure) in enumerate(zip(names, measures, strict=True))
    }
