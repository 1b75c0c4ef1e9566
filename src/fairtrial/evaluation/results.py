"""What an evaluation says: errors on both sets, and figures with their intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from fairtrial.calibration.measures import GIVEN_CALIBRATION, EvidenceMeasure
from fairtrial.claims import GIVEN, GIVEN_ALONG, Threshold
from fairtrial.counting.errors import ErrorCounts
from fairtrial.errors import TrialsError
from fairtrial.intervals.rates import RateInterval
from fairtrial.judging import Judgement
from fairtrial.rules.criteria import Criterion
from fairtrial.rules.eer import EqualErrorRate
from fairtrial.rules.measures import Measure
from fairtrial.tables import (
    COUNT_COLUMNS,
    RATE_COLUMNS,
    Column,
    Result,
    Table,
    interval_text,
    interval_title,
    percent,
    threshold_text,
)
from fairtrial.trial_sets import PROVENANCES, Kind

if TYPE_CHECKING:
    from fairtrial.formats.decisions import ArrowTable


_ALWAYS = tuple(column.key for column in RATE_COLUMNS)
"""Measures that have columns of their own."""
_DETAILS = (
    Column("method", "method", detail=True),
    Column("interval_threshold", "threshold of the interval", detail=True),
    Column("far_interval", "interval of FAR", "interval", detail=True),
    Column("frr_interval", "interval of FRR", "interval", detail=True),
    Column("criterion", "criterion", detail=True),
    Column("alpha", "alpha", "number", detail=True),
    Column("threshold", "threshold", "threshold", detail=True),
    *COUNT_COLUMNS,
)
"""What files have of each set besides what is shown."""


@dataclass(frozen=True, slots=True, repr=False)
class Evaluation(Result):
    """One system at one operating point.

    The dev figures are a posteriori (threshold and figure from the same trials); the test figures are
    a priori, or cross-validated where there was one set only.

    Attributes
    ----------
    system : str
        The system's name.
    criterion : Criterion
        How the threshold was chosen.
    alpha : float
        The weight or the target that the criterion took.
    threshold : float
        The threshold from dev.
    dev : ErrorCounts
        Errors on dev at the threshold: a posteriori.
    test : ErrorCounts
        Errors on test at the threshold: a priori.
    dev_eer : EqualErrorRate
        The equal error rate on dev.
    test_eer : EqualErrorRate or None
        The equal error rate on test, a posteriori; None where held-out blocks were judged.
    intervals : tuple of RateInterval
        Intervals of the HTER on test, the one to go by first.
    far_interval : RateInterval
        The interval of the FAR on test.
    frr_interval : RateInterval
        The interval of the FRR on test.
    measures : dict of str to float
        Further figures on test, by name.
    measure_intervals : dict of str to RateInterval
        Intervals of `measures`, by the same names.
    kind : {"a priori", "a priori (cross-validated)", "a posteriori", "at a given threshold"}
        Whether the figures are a priori.
    design_effect : float or None
        How many times the variance is that of independent trials; None without ids or errors.
    fold_thresholds : tuple of float
        The thresholds of the held-out blocks; empty where there was a test set.
    notes : tuple of str
        What the reader should know.
    reported : dict of str to Measure
        The measures behind `measures`, by the same names.
    judgement : Judgement or None
        Where it comes from: the trials, their people, and the threshold.

    Examples
    --------
    >>> from fairtrial import evaluate
    >>> found = evaluate(([0.9, 0.8, 0.4, 0.7], [0.1, 0.3, 0.5, 0.2, 0.6]), ([0.8, 0.5, 0.7], [0.2, 0.6]))
    >>> found.threshold, found.test.far, round(found.test.frr, 4), found.kind
    (0.5, 0.5, 0.3333, 'a priori')
    >>> found.interval.low <= found.test.hter <= found.interval.high
    True
    """

    system: str
    criterion: Criterion
    alpha: float
    threshold: float
    dev: ErrorCounts
    test: ErrorCounts
    dev_eer: EqualErrorRate
    test_eer: EqualErrorRate | None
    intervals: tuple[RateInterval, ...]
    far_interval: RateInterval
    frr_interval: RateInterval
    measures: dict[str, float]
    measure_intervals: dict[str, RateInterval]
    kind: Kind
    design_effect: float | None
    fold_thresholds: tuple[float, ...] = ()
    notes: tuple[str, ...] = ()
    reported: Mapping[str, Measure | EvidenceMeasure] = field(default_factory=dict)
    judgement: Judgement | None = None

    @property
    def interval(self) -> RateInterval:
        """The interval to go by: threshold re-estimated, and cluster-robust when ids are available."""
        return self.intervals[0]

    @property
    def judged_set(self) -> Literal["test", "held out"]:
        """What was judged, in a word."""
        return PROVENANCES[self.kind].judged_set

    def decisions(self) -> ArrowTable:
        """Give trial by trial what was decided: score, threshold, decision and error; see `Judgement.decisions`.

        Returns
        -------
        pyarrow.Table
            One row per judged trial.

        Raises
        ------
        TrialsError
            Only arrays or counts were judged, not trials.

        Examples
        --------
        >>> from fairtrial import Trials, evaluate
        >>> trials = Trials.from_arrays([0.9, 0.2, 0.4], [True, False, True])
        >>> evaluate(trials, trials).decisions().select(["score", "decision", "error"]).to_pylist()[2]
        {'score': 0.4, 'decision': 'accept', 'error': None}
        """
        if self.judgement is None:
            raise TrialsError(f"the evaluation of {self.system} does not know its trials")
        return self.judgement.decisions()

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        dev = {**self.dev.to_dict(), "kind": PROVENANCES[self.kind].dev_kind, "eer": self.dev_eer.value}
        test = {
            **self.test.to_dict(),
            "kind": self.kind,
            "measures": self.measures,
            "measure_kinds": {name: self._told(measure) for name, measure in self.reported.items()},
            "measure_intervals": {name: found.to_dict() for name, found in self.measure_intervals.items()},
            "interval": self.interval.to_dict(),
            "intervals": [interval.to_dict() for interval in self.intervals],
            "far_interval": self.far_interval.to_dict(),
            "frr_interval": self.frr_interval.to_dict(),
            "design_effect": self.design_effect,
        }
        if self.test_eer is not None:
            test["eer"] = self.test_eer.value
        result: dict[str, Any] = {
            "system": self.system,
            "criterion": self.criterion.name,
            "alpha": self._told_alpha,
            "threshold": self.threshold,
            "eer": self.dev_eer.value,
            "eer_definition": self.dev_eer.definition,
            "dev": dev,
            "test": test,
            "notes": list(self.notes),
        }
        if self.fold_thresholds:
            result["fold_thresholds"] = list(self.fold_thresholds)
        return result

    @property
    def _is_given(self) -> bool:
        """Whether the threshold was given, and not chosen on dev."""
        return PROVENANCES[self.kind].origin == "given"

    @property
    def _told_alpha(self) -> float | None:
        """The alpha, where it is anything to the criterion or to a measure."""
        errors = [measure for measure in self.reported.values() if isinstance(measure, Measure)]
        return self.criterion.alpha_of_result(self.alpha, errors)

    @property
    def _given(self) -> dict[Threshold, str]:
        """What is said of the threshold, or of those of the blocks, in sentences."""
        return GIVEN_ALONG if self.fold_thresholds else GIVEN

    def _told(self, measure: Measure | EvidenceMeasure) -> Kind:
        """Whether a measure is a priori."""
        return measure.told(PROVENANCES[self.kind]) if isinstance(measure, EvidenceMeasure) else self.kind

    def summary(self) -> str:
        """The HTER with its interval, and the threshold."""
        rule = self.criterion.described(self.alpha)
        return (
            f"{self.system}, HTER {percent(self.test.hter)} ({interval_text(*self.interval.interval)} %) {self.kind}, "
            f"threshold {threshold_text(self.threshold)}{'' if self._is_given else f' by {rule}'}"
        )

    def tables(self) -> tuple[Table, ...]:
        """The errors on both sets, the threshold and the trials, and all intervals."""
        return self._errors(), self._trials(), self._intervals()

    def _errors(self) -> Table:
        own = (
            Column("system", "system"),
            Column("set", "set", "term"),
            Column("kind", "figures", "term"),
            *RATE_COLUMNS,
            Column("interval", interval_title(self.interval.confidence), "interval"),
            Column("eer", "EER", "rate"),
        )
        taken = {column.key for column in (*own, *_DETAILS)}
        asked = {name: f"measure_{name}" if name in taken else name for name in self.reported}
        rule = f"threshold by {self.criterion.described(self.alpha)} {PROVENANCES[self.kind].chosen}"
        if self._is_given:
            rule = "threshold that was given"
        caption = f"Errors, each held-out block at a {rule}" if self.fold_thresholds else f"Errors at the {rule}"
        sets = f"on {PROVENANCES[self.kind].curves}" if self.test_eer is None else "on either set"
        others = "; the table of intervals says what those of other measures take into account" if self.reported else ""
        notes = (
            f"the interval is that of the HTER, {self._given[self.interval.threshold]}{others}",
            f"EER: {self.dev_eer.definition}, a posteriori {sets}",
            *self.notes,
        )
        columns = (*own, *self._measure_columns(asked), *_DETAILS)
        return Table.of("errors", caption, columns, self._records(asked), notes=notes, section="system")

    def _measure_columns(self, asked: Mapping[str, str]) -> list[Column]:
        """Two columns per measure that was asked for, by the keys that they have in the table."""
        return [
            column
            for name, measure in self.reported.items()
            for column in (
                Column(asked[name], self._titled(measure), measure.kind, detail=measure.name in _ALWAYS),
                Column(
                    f"{asked[name]}_interval",
                    f"interval of {measure.label}",
                    measure.interval_kind,
                    detail=measure.name == "hter",
                ),
            )
        ]

    def _records(self, asked: Mapping[str, str]) -> list[dict[str, Any]]:
        """Dev and test, by the keys of the table of errors."""
        given = {"criterion": self.criterion.name, "alpha": self._told_alpha, "threshold": self.threshold}
        dev = {"set": "dev", "kind": PROVENANCES[self.kind].dev_kind, "eer": self.dev_eer.value}
        test = {
            "set": self.judged_set,
            "kind": self.kind,
            "eer": None if self.test_eer is None else self.test_eer.value,
            "interval": self.interval.interval,
            "interval_threshold": self.interval.threshold,
            "far_interval": self.far_interval.interval,
            "frr_interval": self.frr_interval.interval,
            "method": self.interval.method,
            **{asked[name]: self.measures[name] for name in asked},
            **{f"{asked[name]}_interval": self.measure_intervals[name].interval for name in asked},
        }
        return [
            {"system": self.system, **given, **counts.to_dict(), **rest}
            for counts, rest in ((self.dev, dev), (self.test, test))
        ]

    def _titled(self, measure: Measure | EvidenceMeasure) -> str:
        """The label of a measure, with its kind where that is not the kind of the other figures."""
        told = self._told(measure)
        return measure.label if told == self.kind else f"{measure.label} ({told})"

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
            Column("interval", interval_title(self.interval.confidence), "figures"),
            Column("threshold", "threshold", "term"),
            Column("meaning", "what it takes into account", "term"),
            Column("method", "method", detail=True),
        )
        every = [(own, self._meaning(own)) for own in (*self.intervals, self.far_interval, self.frr_interval)]
        for name, found in self.measure_intervals.items():
            measure = self.reported.get(name)
            if found.measure in _ALWAYS:
                continue
            every.append((found, self._meaning(found, measure if isinstance(measure, EvidenceMeasure) else None)))
        rows = tuple(
            (self.system, own.measure, own.label, (*own.interval, own.is_share), own.threshold, meaning, own.method)
            for own, meaning in every
        )
        caption = "Intervals; of the HTER, the one to go by first"
        return Table("intervals", caption, columns, rows, section="system")

    def _meaning(self, found: RateInterval, evidence: EvidenceMeasure | None = None) -> str:
        """What an interval takes into account."""
        people = "trials taken as independent" if found.sharing == "none" else "trials share people"
        if evidence is not None:
            return f"{people}; {self._told(evidence) if evidence.posteriori else GIVEN_CALIBRATION[found.threshold]}"
        if found.limits == "independent":
            return "chance, if all trials were independent: eq. (13)"
        return f"{people}; {self._given[found.threshold]}"
