"""Evaluate systems: threshold on dev, errors on test, intervals on demand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from fairtrial.core.errors import ParameterError, check_choice, check_confidence
from fairtrial.core.notes import Note, as_note
from fairtrial.core.parameters import refuse_excluded
from fairtrial.core.results import Result, SystemResults, plain
from fairtrial.core.tables import COUNT_COLUMNS, RATE_COLUMNS, Column, Table
from fairtrial.core.words import Text, interval_text, interval_title, listed, percent, term
from fairtrial.counting.tallies import ErrorCounts, ScoreData
from fairtrial.inference.decide import BOUNDS_NOTE, Judgement, ignored_alpha, judge, judge_at, once
from fairtrial.inference.estimates import (
    GIVEN,
    GIVEN_ALONG,
    Threshold,
    judged_interval,
    judged_intervals,
    threshold_notes,
    threshold_when,
)
from fairtrial.inference.folds import Block
from fairtrial.inference.intervals import RateInterval
from fairtrial.inference.people import Cluster
from fairtrial.inference.split import PROVENANCES, Kind, TrialSets
from fairtrial.rules.bounds import BoundedCounts, Bounds, count
from fairtrial.rules.criteria import Criterion, CriterionLike, as_criterion
from fairtrial.rules.eer import EerDefinition, EqualErrorRate
from fairtrial.rules.measures import (
    MEASURES,
    AnyMeasure,
    AnyMeasureLike,
    Measure,
    as_any_measure,
    errors_only,
    label_of,
)

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
"""Columns of the table of errors that are in files only."""
_LARGE_EFFECT = 1.2**2
"""The smallest design effect with a note: the standard deviation is 20 % larger."""


@once
def _interval(judgement: Judgement, measure: AnyMeasure, confidence: float, threshold: Threshold) -> RateInterval:
    if isinstance(measure, Measure):
        return judged_interval(judgement, measure=measure, confidence=confidence, threshold=threshold)
    interval: RateInterval = measure.interval(judgement, confidence=confidence, threshold=threshold)
    return interval


@dataclass(frozen=True, repr=False, eq=False)
class SystemEvaluation(Result):
    """One system at one operating point; intervals are computed on demand.

    The dev figures are a posteriori (threshold and figure from the same trials); the test figures are a priori, or
    cross-validated if there was one set only.

    Attributes
    ----------
    judgement : Judgement
        The threshold, the errors it makes, and the people who share trials.
    reported : dict of str to Measure
        Further measures, by name.
    confidence : float
        The level of confidence of intervals.
    resample : {"test", "both"}
        Whether the leading intervals take the threshold as fixed, or as re-estimated from other dev trials.
    eer_definition : {"step-mean", "step-low", "step-high", "interpolated", "rocch"}
        The definition of the equal error rates.
    given_alpha : float or None
        The alpha of the caller, even if the criterion takes none.
    n_resamples : int or None
        The number of resamples of the bootstrap interval; None if there is none.

    Examples
    --------
    >>> from fairtrial import evaluate
    >>> face = evaluate(([0.9, 0.8, 0.4, 0.7], [0.1, 0.3, 0.5, 0.2, 0.6]), ([0.8, 0.5, 0.7], [0.2, 0.6]))["system"]
    >>> face.threshold, face.test.far, round(face.test.frr, 4), face.kind
    (0.5, 0.5, 0.3333, 'a priori')
    >>> face.interval().low <= face.test.hter <= face.interval().high
    True
    """

    judgement: Judgement
    reported: Mapping[str, AnyMeasure] = field(default_factory=dict)
    confidence: float = 0.95
    resample: Literal["test", "both"] = "both"
    eer_definition: EerDefinition = "step-mean"
    given_alpha: float | None = None
    n_resamples: int | None = None

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
        """The threshold from dev; of folds, the one from all trials."""
        return float((self.dev or self.test).threshold)

    @cached_property
    def dev(self) -> ErrorCounts | None:
        """Errors on dev at the threshold: a posteriori; None without dev."""
        judgement = self.judgement
        if judgement.dev is not None:
            return judgement.dev[0].scalar()
        if judgement.sets.dev is None:
            return None
        return count(judgement.sets.dev, BoundedCounts(judgement.test), system=judgement.system).counts[0].scalar()

    @cached_property
    def test(self) -> ErrorCounts:
        """Errors on test at the threshold: a priori."""
        return self.judgement.at(0)

    @property
    def dev_eer(self) -> EqualErrorRate | None:
        """The equal error rate on dev; None without dev."""
        return self.judgement.eer("dev", self.eer_definition)

    @property
    def test_eer(self) -> EqualErrorRate | None:
        """The equal error rate on test, a posteriori; None if held-out blocks were judged."""
        return self.judgement.eer("test", self.eer_definition)

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
            Estimate and limits, which account for trials that share people and, unless `resample` is ``test``, for the
            uncertainty of the threshold.
        """
        level, threshold = confidence or self.confidence, threshold_when(self.resample)
        return _interval(self.judgement, as_any_measure(measure), level, threshold)

    @cached_property
    def intervals(self) -> tuple[RateInterval, ...]:
        """Intervals of the HTER: the primary one, then with the threshold fixed, then for independent trials."""
        intervals = judged_intervals(self.judgement, confidence=self.confidence)
        if self.n_resamples is not None:
            from fairtrial.inference.bootstrap import resampled_curve

            (replicates,), threshold = resampled_curve(
                self.judgement,
                MEASURES["hter"],
                threshold=threshold_when(self.resample),
                n_resamples=self.n_resamples,
                rng=self.judgement.sets.seed,
            )
            low, high = replicates.interval(confidence=self.confidence)
            sigma = float(np.std(replicates.replicates))
            bootstrap = (self.test.hter, low, high, sigma, self.confidence, "bootstrap", "hter", threshold)
            intervals = (*intervals, RateInterval(*bootstrap))
        if self.resample == "both":
            return intervals
        return tuple(interval for interval in intervals if interval.threshold == "fixed")

    @cached_property
    def measures(self) -> dict[str, float]:
        """Further figures on test, by name."""
        values = {}
        for name, measure in self.reported.items():
            if isinstance(measure, Measure):
                value = measure(self.test, self.alpha)
                if np.ndim(value):
                    raise ParameterError(f"measure {measure.name} must give one number, not {value!r}")
                values[name] = float(value)
            else:
                values[name] = self.measure_intervals[name].estimate
        return values

    @cached_property
    def measure_intervals(self) -> dict[str, RateInterval]:
        """Intervals of `measures`, by the same names."""
        return {name: self.interval(measure) for name, measure in self.reported.items()}

    @property
    def design_effect(self) -> float | None:
        """The variance over that of independent trials; None without ids or errors."""
        fixed, independent, *_ = [interval for interval in self.intervals if interval.threshold == "fixed"]
        if fixed.sharing == "none" or not independent.sigma:
            return None
        return (fixed.sigma / independent.sigma) ** 2

    @cached_property
    def bounds(self) -> dict[Literal["dev", "test"], dict[str, Bounds]]:
        """From counters, bounds of the figures of the scores, by set and name; empty if all are exact."""
        judgement = self.judgement
        if judgement.exact:
            return {}
        measures: dict[str, Measure] = {name: MEASURES[name] for name in _RATES}
        eers: dict[Literal["dev", "test"], EqualErrorRate | None] = {"dev": self.dev_eer, "test": self.test_eer}
        if judgement.sets.dev is None:
            del eers["dev"]
        result: dict[Literal["dev", "test"], dict[str, Bounds]] = {}
        for on, eer in eers.items():
            rates = {name: judgement.bounds(measure, on=on) for name, measure in measures.items()}
            rates["eer"] = None if eer is None else eer.bounds
            result[on] = {name: bounds for name, bounds in rates.items() if bounds is not None}
        for name, measure in self.reported.items():
            if isinstance(measure, Measure) and (bounds := judgement.bounds(measure)) is not None:
                result["test"][f"measure {name}"] = bounds
        return result

    @property
    def exact(self) -> bool:
        """Whether all figures are exact, and none is bounded only."""
        return not any(bounds.width for by_name in self.bounds.values() for bounds in by_name.values())

    @cached_property
    def notes(self) -> tuple[Note | str, ...]:
        """What the reader should know."""
        judgement = self.judgement
        notes: list[Note | str] = [*ignored_alpha(self.criterion, self.given_alpha), *judgement.sets.notes]
        notes += threshold_notes(judgement)
        if judgement.dev is None:
            text = "the threshold was given: the interval holds if it was fixed before these trials were seen"
            notes.append(Note("threshold-given", text))
        notes += judgement.reversed_scores(self.eer_definition)
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
        for measure in self.reported.values():
            if isinstance(measure, Measure) and measure.undefined is not None and measure.undefined(self.test):
                text = "{measure:term} is 0/0, as no test trial is accepted; 0 is reported by convention"
                notes.append(Note("undefined-measure", text, self.system, warning=True, measure=measure.label))
        for interval in self.measure_intervals.values():
            if interval.note:
                notes.append(as_note(interval.note, f"{self.system}: {term(interval.label)}"))
        if self.design_effect is not None and self.design_effect > _LARGE_EFFECT:
            text = (
                "trials share people: the standard deviation of the HTER is {times:.2f} times that of independent "
                "trials (design effect {effect:.1f}), so the interval is wider than eq. (13) says"
            )
            effect = self.design_effect
            notes.append(Note("design-effect", text, self.system, detail=True, times=effect**0.5, effect=effect))
        if self.exact:
            return tuple(notes)
        notes.append(BOUNDS_NOTE)
        wide = [
            f"{name.upper()} on {on}: {percent(bounds.relative_width)}"
            for on, by_name in self.bounds.items()
            for name, bounds in by_name.items()
            if name in (*_RATES, "eer") and bounds.relative_width > self.judgement.precision
        ]
        if wide:
            text = (
                "bounds are further apart than the precision of {precision:percent}: {wide}. Many scores share a cell, "
                "or the criterion is flat around its best; count with a finer precision, or read the scores themselves"
            )
            values: dict[str, Any] = {"precision": self.judgement.precision, "wide": "; ".join(wide)}
            notes.append(Note("wide-bounds", text, self.system, warning=True, **values))
        return tuple(notes)

    def decisions(self) -> ArrowTable:
        """Tabulate score, threshold, decision and error of each trial; see `Judgement.decisions`.

        Examples
        --------
        >>> from fairtrial import Trials, evaluate
        >>> trials = Trials.from_arrays([0.9, 0.2, 0.4], [True, False, True])
        >>> evaluate(trials, trials).decisions().select(["score", "decision", "error"]).to_pylist()[2]
        {'score': 0.4, 'decision': 'accept', 'error': None}
        """
        return self.judgement.decisions()

    def to_dict(self) -> dict[str, Any]:
        """Return the result under the names of the command line's JSON."""
        dev = self._on_dev()
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
            "eer": dev and dev["eer"],
            "eer_definition": self.eer_definition,
            "dev": dev,
            "test": test,
            "notes": plain(self.notes),
        }
        if self.fold_thresholds:
            result["fold_thresholds"] = list(self.fold_thresholds)
        if self.bounds:
            test["measure_bounds"] = {}
            for on, by_name in self.bounds.items():
                for name, bounds in by_name.items():
                    if name.startswith("measure "):
                        test["measure_bounds"][name.removeprefix("measure ")] = bounds.to_dict()
                    else:
                        result[on][f"{name}_bounds"] = bounds.to_dict()
            boxes = self.judgement.boxes[0]
            if boxes is not None:
                result["threshold_bounds"] = boxes[0].threshold.to_dict()
                result["eer_bounds"] = self.bounds["dev"]["eer"].to_dict()
            result |= {"exact": self.exact, "precision": self.judgement.precision}
        return result

    def _on_dev(self) -> dict[str, Any] | None:
        """Return the figures on dev; None without dev."""
        if self.dev is None or self.dev_eer is None:
            return None
        return {**self.dev.to_dict(), "kind": PROVENANCES[self.kind].dev_kind, "eer": self.dev_eer.value}

    @property
    def _shown_alpha(self) -> float | None:
        """The alpha, if the criterion or a measure depends on it."""
        errors = [measure for measure in self.reported.values() if isinstance(measure, Measure)]
        return self.criterion.alpha_of_result(self.alpha, errors)

    @property
    def given(self) -> dict[Threshold, str]:
        """Phrases for the threshold, or for those of the blocks."""
        return GIVEN_ALONG if self.fold_thresholds else GIVEN

    def _kind_of(self, measure: AnyMeasure) -> Kind:
        """Return whether a measure is a priori, in words."""
        kind: Kind = self.kind if isinstance(measure, Measure) else measure.status(PROVENANCES[self.kind])
        return kind

    def answer(self) -> str:
        """Write both error rates, the HTER with its interval, and whether they are a priori."""
        far, frr, hter = (percent(rate) for rate in (self.test.far, self.test.frr, self.test.hter))
        interval = self.intervals[0]
        text = (
            f"{self.system} wrongly accepts {far} of impostor trials and wrongly rejects {frr} of genuine trials: "
            f"a half total error rate of {hter} ({interval_title(interval.confidence)} "
            f"{interval_text(*interval.interval)} %, {self.kind}, {self.given[interval.threshold]})"
        )
        if self.bounds:
            low, high = map(percent, self.bounds["test"]["hter"])
            text += f"; for certain between {low} and {high}" if low != high else ""
        return text

    def tables(self) -> tuple[Table, ...]:
        """Tabulate errors, further measures, thresholds and numbers of trials, all intervals; from counters, bounds."""
        measures = (self._measures(),) if self.reported else ()
        bounds = (self._bounds_table(),) if self.bounds else ()
        return self._errors(), *measures, self._trials(), self._intervals(), *bounds

    def _errors(self) -> Table:
        leading = self.intervals[0]
        columns = [
            Column("system", "system"),
            Column("set", "set", "term"),
            Column("kind", "figures", "term", optional=True),
            *RATE_COLUMNS,
            Column("interval", interval_title(leading.confidence), "interval"),
            Column("eer", "EER", "rate", optional=True),
        ]
        used = {column.key for column in (*columns, *_DETAILS)}
        keys = {name: f"measure_{name}" if name in used else name for name in self.reported}
        for name, measure in self.reported.items():
            kind = self._kind_of(measure)
            title = term(measure.label) if kind == self.kind else f"{term(measure.label)} ({kind})"
            of = f"interval of {term(measure.label)}"
            columns += [
                Column(keys[name], title, measure.kind, detail=True),
                Column(f"{keys[name]}_interval", of, measure.interval_kind, detail=True),
            ]
        same = {"system": self.system, "criterion": self.criterion.name, "alpha": self._shown_alpha}
        dev = self._on_dev()
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
        if PROVENANCES[self.kind].origin == "given":
            rule = "threshold that was given"
        caption = f"Errors, each held-out block at a {rule}" if self.fold_thresholds else f"Errors at the {rule}"
        sets = f"on {PROVENANCES[self.kind].curves}" if dev is None or self.test_eer is None else "on either set"
        notes = (
            Note("interval-of", f"the interval is that of the HTER, {self.given[leading.threshold]}", detail=True),
            Note("eer-of", f"EER: {self.eer_definition}, a posteriori {sets}", detail=True),
            *self.notes,
        )
        sides = [test] if dev is None else [{"set": "dev", **dev}, test]
        rows = [{**same, "threshold": self.threshold, **side} for side in sides]
        return Table.of("errors", caption, (*columns, *_DETAILS), rows, notes=notes, section="system")

    def _measures(self) -> Table:
        provenance = PROVENANCES[self.kind]
        columns = (
            Column("system", "system"),
            Column("measure", "name of the measure", detail=True),
            Column("label", "measure", "term"),
            Column("value", "value", "figure"),
            Column("interval", interval_title(self.confidence), "figures"),
            Column("kind", "figures", "term", optional=True),
        )
        rows = []
        for name, measure in self.reported.items():
            interval = self.measure_intervals[name]
            value, limits = (self.measures[name], interval.is_share), (*interval.interval, interval.is_share)
            rows.append((self.system, name, measure.label, value, limits, self._kind_of(measure)))
        return Table("measures", f"Further measures on {provenance.judged}", columns, tuple(rows), section="system")

    def _trials(self) -> Table:
        provenance = PROVENANCES[self.kind]
        one_set = bool(self.fold_thresholds)
        which = "" if one_set else f"{provenance.adjective} "
        columns = (
            Column("system", "system"),
            Column("threshold", provenance.threshold, "threshold"),
            Column("dev_genuine", "dev genuine", "count", detail=one_set),
            Column("dev_impostor", "dev impostor", "count", detail=one_set),
            Column("test_genuine", f"{which}genuine", "count"),
            Column("test_impostor", f"{which}impostor", "count"),
        )
        on_dev = (None, None) if self.dev is None else (self.dev.genuine, self.dev.impostor)
        row = (self.system, self.threshold, *on_dev, self.test.genuine, self.test.impostor)
        return Table("trials", "Thresholds and numbers of trials", columns, (row,))

    def _intervals(self) -> Table:
        is_evidence = any(not isinstance(measure, Measure) for measure in self.reported.values())
        columns = (
            Column("system", "system"),
            Column("measure", "name of the measure", detail=True),
            Column("label", "measure", "term"),
            Column("interval", interval_title(self.confidence), "figures"),
            Column("threshold", f"threshold{' or calibration' if is_evidence else ''}", "term", optional=True),
            Column("meaning", "accounts for", "term"),
            Column("method", "method", detail=True),
        )
        rows = []
        for interval in (*self.intervals, self.interval("far"), self.interval("frr"), *self.measure_intervals.values()):
            people = "trials taken as independent" if interval.sharing == "none" else "trials share people"
            meaning = f"{people}; {self.given[interval.threshold]}"
            measure = next((reported for reported in self.reported.values() if reported.name == interval.measure), None)
            if measure is not None and not isinstance(measure, Measure):
                given = measure.given[interval.threshold]
                meaning = f"{people}; {self._kind_of(measure) if measure.posteriori else given}"
            elif interval.limits == "independent":
                meaning = "chance, if all trials were independent: eq. (13)"
            limits = (*interval.interval, interval.is_share)
            rows.append(
                (self.system, interval.measure, interval.label, limits, interval.threshold, meaning, interval.method)
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
        for on, by_name in self.bounds.items():
            for name, bounds in by_name.items():
                measure = self.reported.get(name.removeprefix("measure "))
                label = "EER" if name == "eer" else measure.label if measure is not None else label_of(name)
                share = measure is None or measure.is_share
                rows.append((self.system, on, label, (bounds.low, share), (bounds.high, share), bounds.relative_width))
        caption = "Bounds: exact figures lie between them"
        return Table("bounds", caption, columns, tuple(rows), section="system", detail=self.exact)


@dataclass(frozen=True, repr=False, eq=False)
class Evaluation(SystemResults[SystemEvaluation]):
    """Systems at one operating point each.

    ``result["face"]`` is one of them. If there is only one, its attributes are also those of the result.

    Attributes
    ----------
    systems : tuple of SystemEvaluation
        One per system, in the order of the call.

    Examples
    --------
    >>> from fairtrial import evaluate
    >>> dev = ([0.9, 0.8, 0.4, 0.7], [0.1, 0.3, 0.5, 0.2, 0.6])
    >>> result = evaluate(dev, ([0.8, 0.5, 0.7], [0.2, 0.6]))
    >>> result.threshold, [each.system for each in result], result["system"].test.far
    (0.5, ['system'], 0.5)
    """

    systems: tuple[SystemEvaluation, ...]

    def answer(self) -> str:
        """Write the answer of one system, or the HTERs of several, the lowest first."""
        first = self.systems[0]
        if len(self.systems) == 1:
            return first.answer()
        entries = [
            f"{result.system} {percent(result.test.hter)} ({interval_text(*result.intervals[0].interval)})"
            for result in sorted(self.systems, key=lambda result: result.test.hter)
        ]
        interval = first.intervals[0]
        how = f"{first.kind}, {first.given[interval.threshold]}"
        return f"{term('HTER')} with its {interval_title(interval.confidence)} ({how}): {listed(entries, 6, 120)}"


def evaluate(
    dev: ScoreData | None,
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
    n_resamples: int | None = None,
    rng: np.random.Generator | int | None = 0,
    eer: EerDefinition = "step-mean",
) -> Evaluation:
    """Fix the threshold on dev and report the errors on test.

    Parameters
    ----------
    dev : Trials, data frame, ScoreSource, Counter, tuple of two array_like or None
        The trials that thresholds are chosen on; None with `threshold`, if there are none.
    test : Trials, data frame, ScoreSource, Counter or tuple of two array_like, optional
        The trials that are judged; not needed with `folds`.
    folds : int or sequence of Block, optional
        Instead of `test`: the number of folds of the people of dev, or blocks of `make_blocks`. Each
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
        What dependent trials share: the claimed identity, the subject, both or nothing; by default all known ids.
    resample : {"test", "both"}, default "both"
        Whether the leading intervals are conditional on the threshold (``test``), or account for its uncertainty, as
        dev is a sample, too (``both``).
    n_resamples : int, optional
        How many resamples are drawn of people for a bootstrap interval of the HTER; none by default.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result.
    eer : {"step-mean", "step-low", "step-high", "interpolated", "rocch"}, default "step-mean"
        The definition of the equal error rates; see `equal_error_rate`.

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
    >>> result = evaluate(Trials.from_arrays(scores, genuine, claim=np.arange(200) % 20), folds=4)
    >>> result.kind, len(result.fold_thresholds), result.test.genuine
    ('a priori (cross-validated)', 4, 80)
    """
    arguments = dict(locals())
    check_choice("resample", resample, ("test", "both"))
    check_confidence(confidence)
    if dev is None and threshold is None:
        template = "give {dev!p}, to choose a threshold on, or {threshold!p}, if it was fixed before"
        raise ParameterError(template, code="needs-dev", dev=..., threshold=...)
    sets = TrialSets.of(dev, test, folds=folds, cluster=cluster, rng=rng)
    refuse_excluded(evaluate, arguments, has_scores=sets.has_scores)
    resolved = [as_any_measure(measure) for measure in ([measures] if isinstance(measures, str) else measures)]
    if not sets.has_scores:
        errors_only(resolved)
    names = [measure.name for measure in resolved]
    reported = {
        name if names.count(name) == 1 else f"{name} {number}": measure
        for number, (name, measure) in enumerate(zip(names, resolved, strict=True), 1)
    }
    rule = as_criterion(criterion)

    def evaluate_system(name: str) -> SystemEvaluation:
        if threshold is not None:
            judgement = judge_at(sets, threshold, system=name)
        else:
            judgement = judge(sets, system=name, criterion=rule, alphas=rule.resolve_alpha(alpha))
        for measure in resolved:
            if not isinstance(measure, Measure):
                measure.evidence(judgement)  # refuses trials that cannot be calibrated now, not on request
        return SystemEvaluation(judgement, reported, confidence, resample, eer, alpha, n_resamples)

    names = list(sets.system_names(systems))
    return Evaluation(tuple(sets.run_together([partial(evaluate_system, name) for name in names])))
