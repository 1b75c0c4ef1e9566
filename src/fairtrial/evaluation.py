"""The whole way for one system: threshold on dev, errors on test, figures with their intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from fairtrial.calibration.measures import (
    GIVEN_CALIBRATION,
    AnyMeasureLike,
    EvidenceMeasure,
    as_any_measure,
    evidence_interval,
    judged_evidence,
    judged_figure,
)
from fairtrial.checks import check_choice, check_resamples
from fairtrial.claims import GIVEN, Threshold
from fairtrial.counting.errors import ErrorCounts, ScoreData, as_source, count_errors
from fairtrial.errors import ParameterError, TrialsError
from fairtrial.folds import Block
from fairtrial.formats import TrialsLike, trials_of
from fairtrial.intervals.judged import judged_interval, judged_intervals
from fairtrial.intervals.rates import RateInterval
from fairtrial.judging import CHOSEN, Judgement, Kind, TrialSets, judge, judge_at, seed_of
from fairtrial.people import Cluster
from fairtrial.reestimation import RESAMPLES
from fairtrial.rules.criteria import Criterion, CriterionLike, as_criterion
from fairtrial.rules.eer import EerDefinition, EqualErrorRate, equal_error_rate
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

if TYPE_CHECKING:
    from fairtrial.formats.decisions import ArrowTable

_A_POSTERIORI: Kind = "a posteriori"
_AT_GIVEN: Kind = "at a given threshold"
_IF_FIXED = "the threshold was given: the interval holds if it was fixed before these trials were seen"


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
        return "held out" if self.fold_thresholds else "test"

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
        >>> from fairtrial.trials import Trials
        >>> trials = Trials.from_arrays([0.9, 0.2, 0.4], [True, False, True])
        >>> evaluate(trials, trials).decisions().select(["score", "decision", "error"]).to_pylist()[2]
        {'score': 0.4, 'decision': 'accept', 'error': None}
        """
        if self.judgement is None:
            raise TrialsError(f"the evaluation of {self.system} does not know its trials")
        return self.judgement.decisions()

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        dev = {**self.dev.to_dict(), "kind": self._dev_kind, "eer": self.dev_eer.value}
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
        result = {
            "system": self.system,
            "criterion": self.criterion.name,
            "alpha": self.alpha,
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
    def _dev_kind(self) -> Kind:
        """Whether the figures on dev are a posteriori: they are where the threshold came from there."""
        return self.kind if self._is_given else _A_POSTERIORI

    @property
    def _is_given(self) -> bool:
        """Whether the threshold was given, and not chosen on dev."""
        return self.kind == _AT_GIVEN

    def _told(self, measure: Measure | EvidenceMeasure) -> Kind:
        """Whether a measure is a priori."""
        posteriori = isinstance(measure, EvidenceMeasure) and measure.posteriori
        return _A_POSTERIORI if posteriori else self.kind

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
        details = (
            Column("method", "method", detail=True),
            Column("interval_threshold", "threshold of the interval", detail=True),
            Column("far_interval", "interval of FAR", "interval", detail=True),
            Column("frr_interval", "interval of FRR", "interval", detail=True),
            Column("criterion", "criterion", detail=True),
            Column("alpha", "alpha", "number", detail=True),
            Column("threshold", "threshold", "threshold", detail=True),
            *COUNT_COLUMNS,
        )
        taken = {column.key for column in (*own, *details)}
        asked = {name: f"measure_{name}" if name in taken else name for name in self.reported}
        more = [
            column
            for name, measure in self.reported.items()
            for column in (
                Column(asked[name], self._titled(measure), measure.kind),
                Column(
                    f"{asked[name]}_interval",
                    f"interval of {measure.label}",
                    measure.interval_kind,
                    detail=measure.name in ("far", "frr"),
                ),
            )
        ]
        given = {"criterion": self.criterion.name, "alpha": self.alpha, "threshold": self.threshold}
        dev = {"set": "dev", "kind": self._dev_kind, "eer": self.dev_eer.value}
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
        records = [
            {"system": self.system, **given, **counts.to_dict(), **rest}
            for counts, rest in ((self.dev, dev), (self.test, test))
        ]
        rule = f"threshold by {self.criterion.described(self.alpha)} {CHOSEN[self.kind]}"
        if self._is_given:
            rule = "threshold that was given"
        caption = f"Errors, each held-out block at a {rule}" if self.fold_thresholds else f"Errors at the {rule}"
        notes = (
            f"the interval is that of the HTER, {GIVEN[self.interval.threshold]}",
            f"EER: {self.dev_eer.definition}, a posteriori on either set",
            *self.notes,
        )
        return Table.of("errors", caption, (*own, *more, *details), records, notes=notes, section="system")

    def _titled(self, measure: Measure | EvidenceMeasure) -> str:
        """The label of a measure, with its kind where that is not the kind of the other figures."""
        told = self._told(measure)
        return measure.label if told == self.kind else f"{measure.label} ({told})"

    def _trials(self) -> Table:
        held = "held-out" if self.fold_thresholds else "test"
        columns = (
            Column("system", "system"),
            Column("threshold", "threshold", "threshold"),
            Column("dev_genuine", "dev genuine", "count"),
            Column("dev_impostor", "dev impostor", "count"),
            Column("test_genuine", f"{held} genuine", "count"),
            Column("test_impostor", f"{held} impostor", "count"),
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
        every = [(own, _meaning(own)) for own in (*self.intervals, self.far_interval, self.frr_interval)]
        for name, found in self.measure_intervals.items():
            measure = self.reported.get(name)
            every.append((found, _meaning(found, measure if isinstance(measure, EvidenceMeasure) else None)))
        rows = tuple(
            (self.system, own.measure, own.label, (*own.interval, own.is_share), own.threshold, meaning, own.method)
            for own, meaning in every
        )
        caption = "Intervals; of the HTER, the one to go by first"
        return Table("intervals", caption, columns, rows, section="system")


def _meaning(found: RateInterval, evidence: EvidenceMeasure | None = None) -> str:
    """What an interval takes into account."""
    people = "trials share people" if found.method.startswith("cluster") else "trials taken as independent"
    if evidence is not None:
        return f"{people}; {_A_POSTERIORI if evidence.posteriori else GIVEN_CALIBRATION[found.threshold]}"
    if found.method == "independent":
        return "chance, if all trials were independent: eq. (13)"
    return f"{people}; {GIVEN[found.threshold]}"


def evaluate(
    dev: ScoreData,
    test: ScoreData,
    *,
    system: str | None = None,
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
    dev : Trials, data frame, ScoreSource or tuple of two array_like
        The trials that thresholds are chosen on.
    test : Trials, data frame, ScoreSource or tuple of two array_like
        The trials that are judged.
    system : str, optional
        The name of the system; not needed where there is only one.
    criterion : str, Criterion, DetectionCosts or callable, default "eer"
        How the threshold is chosen on dev: a name in `CRITERIA`, a criterion, detection costs, or a function
        ``C(far, frr, alpha)`` of arrays.
    alpha : float, optional
        The weight or the target that the criterion takes; 0.5 by default, but a criterion that aims at a target needs
        one.
    threshold : float, optional
        A threshold that was fixed before, in place of one from dev; criterion and alpha do not matter then.
    measures : sequence of str, Measure, EvidenceMeasure, DetectionCosts or callable, default ()
        Further figures on test, each with its interval: names in `MEASURES`, measures, detection costs, or functions of
        an `ErrorCounts`. Those of evidence, as ``cllr``, ``cllr-min`` or ``act-dcf@.01``, are of the scores calibrated
        on dev.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.
    cluster : {"none", "claim", "subject", "both"}, optional
        What dependent trials share: the claimed identity, the subject, both or nothing; by default all ids that are
        known.
    resample : {"test", "both"}, default "both"
        Whether the leading intervals take the threshold as it is (``test``), or as re-estimated from other dev trials
        (``both``).
    n_resamples : int, default 400
        How many resamples are drawn, of dev trials, to re-estimate the threshold.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result.
    eer : {"step-mean", "step-low", "step-high", "interpolated", "rocch"}, default "step-mean"
        The definition of the equal error rates that are reported besides; see `equal_error_rate`.

    Returns
    -------
    Evaluation
        Threshold, errors on both sets, intervals and notes.

    Raises
    ------
    ParameterError
        A criterion, measure, definition or number that cannot be.
    TrialsError
        Trials that lack a class, different systems in dev and test, or several systems and none named.

    Notes
    -----
    The HTER comes with two kinds of intervals: for the system, whose threshold would be another with other dev trials,
    and for this threshold. Where ids are known, trials that share people are not taken as independent.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, Algorithm 1; Bengio & Mariéthoz, A statistical
    significance test for person authentication, 2004, eq. (13).

    Examples
    --------
    >>> dev = ([0.9, 0.8, 0.4, 0.7], [0.1, 0.3, 0.5, 0.2, 0.6])
    >>> test = ([0.85, 0.55, 0.45, 0.95, 0.35], [0.15, 0.65, 0.25, 0.42, 0.05, 0.5])
    >>> result = evaluate(dev, test, measures=["f1"])
    >>> result.threshold, round(result.test.hter, 4), round(result.measures["f1"], 4)
    (0.5, 0.2833, 0.6667)
    """
    check_choice("resample", resample, ("test", "both"))
    sets = TrialSets(dev, test, cluster, seed_of(rng), n_resamples=check_resamples(n_resamples))
    if threshold is None:
        rule = as_criterion(criterion)
        judgement = judge(sets, system=system, criterion=rule, alphas=rule.resolve_alpha(alpha))
    else:
        judgement = judge_at(sets, threshold, system=system)
    return evaluation_of(judgement, dev=sets.dev, measures=measures, confidence=confidence, resample=resample, eer=eer)


def cross_validate(
    trials: TrialsLike,
    blocks: Sequence[Block],
    *,
    system: str | None = None,
    criterion: CriterionLike = "eer",
    alpha: float | None = None,
    measures: Sequence[AnyMeasureLike] = (),
    confidence: float = 0.95,
    cluster: Cluster | None = None,
    resample: Literal["test", "both"] = "both",
    n_resamples: int = RESAMPLES,
    rng: np.random.Generator | int | None = 0,
    eer: EerDefinition = "step-mean",
) -> Evaluation:
    """Evaluate with one set of trials only: each block judged by a threshold from other people.

    The threshold of the result is the one that all trials give, and that would go into use; the errors are
    those of the held-out blocks at their own thresholds, pooled.

    Parameters
    ----------
    trials : Trials or data frame
        The only set there is: trials, or a data frame of them.
    blocks : sequence of Block
        Which trials set the threshold for which; see `make_blocks`.
    system : str, optional
        The name of the system; not needed where there is only one.
    criterion : str, Criterion, DetectionCosts or callable, default "eer"
        How the threshold is chosen on dev: a name in `CRITERIA`, a criterion, detection costs, or a function
        ``C(far, frr, alpha)`` of arrays.
    alpha : float, optional
        The weight or the target that the criterion takes; 0.5 by default, but a criterion that aims at a target needs
        one.
    measures : sequence of str, Measure, EvidenceMeasure, DetectionCosts or callable, default ()
        Further figures on test, each with its interval: names in `MEASURES`, measures, detection costs, or functions of
        an `ErrorCounts`. Those of evidence, as ``cllr``, ``cllr-min`` or ``act-dcf@.01``, are of scores calibrated on
        other people.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.
    cluster : {"none", "claim", "subject", "both"}, optional
        What dependent trials share: the claimed identity, the subject, both or nothing; by default all ids that are
        known.
    resample : {"test", "both"}, default "both"
        Whether the leading intervals take the threshold as it is (``test``), or as re-estimated from other dev trials
        (``both``).
    n_resamples : int, default 400
        How many resamples are drawn, of the trials that set thresholds, to re-estimate them.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result.
    eer : {"step-mean", "step-low", "step-high", "interpolated", "rocch"}, default "step-mean"
        The definition of the equal error rates that are reported besides; see `equal_error_rate`.

    Returns
    -------
    Evaluation
        As of `evaluate`, with the thresholds of the blocks.

    Raises
    ------
    ParameterError
        A criterion, measure, definition or number that cannot be.
    TrialsError
        Several systems and none named.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, section 4.1.

    Examples
    --------
    >>> import numpy as np
    >>> from fairtrial import Trials, make_blocks
    >>> claim = np.arange(200) % 20
    >>> genuine = np.arange(200) < 80
    >>> scores = np.random.default_rng(0).normal(3.0 * genuine)
    >>> trials = Trials.from_arrays(scores, genuine, claim=claim)
    >>> found = cross_validate(trials, make_blocks(trials, 4))
    >>> found.kind, len(found.fold_thresholds), found.test.genuine
    ('a priori (cross-validated)', 4, 80)
    """
    check_choice("resample", resample, ("test", "both"))
    trials = trials_of(trials, "trials")
    sets = TrialSets(trials, trials, cluster, seed_of(rng), blocks, check_resamples(n_resamples))
    rule = as_criterion(criterion)
    judgement = judge(sets, system=system, criterion=rule, alphas=rule.resolve_alpha(alpha))
    return evaluation_of(judgement, measures=measures, confidence=confidence, resample=resample, eer=eer)


def evaluation_of(
    judgement: Judgement,
    *,
    dev: ScoreData | None = None,
    measures: Sequence[AnyMeasureLike] = (),
    confidence: float = 0.95,
    resample: Literal["test", "both"] = "both",
    eer: EerDefinition = "step-mean",
) -> Evaluation:
    """Report what a judgement of one alpha says; see `evaluate`. At a given threshold it is told the dev trials."""
    data = judgement.sets.dev if dev is None else dev
    assert data is not None
    source = as_source(data, system=judgement.own, what="dev")
    counts = count_errors(source, judgement.test.threshold) if judgement.dev is None else judgement.dev
    at_dev, test, alpha = counts[0].scalar(), judgement.at(0), float(judgement.alpha[0])
    dev_eer = equal_error_rate(source, definition=eer)
    folds = judgement.fold_thresholds
    reported = by_name([as_any_measure(own) for own in ([measures] if isinstance(measures, str) else measures)])
    leading: Literal["re-estimated", "fixed"] = "re-estimated" if resample == "both" else "fixed"
    intervals = judged_intervals(judgement, confidence=confidence)
    if resample == "test":
        intervals = tuple(found for found in intervals if found.threshold == "fixed")
    far, frr = (
        judged_interval(judgement, measure=name, confidence=confidence, threshold=leading) for name in ("far", "frr")
    )
    design_effect = design_effect_of(intervals)
    at_threshold = {
        name: measure_value(measure, test, alpha) for name, measure in reported.items() if isinstance(measure, Measure)
    }
    measured = {name: _measure_interval(judgement, measure, confidence, leading) for name, measure in reported.items()}
    return Evaluation(
        judgement.system,
        judgement.criterion,
        alpha,
        at_dev.threshold,
        at_dev,
        test,
        dev_eer,
        None if folds is not None else equal_error_rate(judgement.judged_source(), definition=eer),
        intervals,
        far,
        frr,
        {name: at_threshold.get(name, found.estimate) for name, found in measured.items()},
        measured,
        judgement.kind,
        design_effect,
        () if folds is None else tuple(folds[:, 0].tolist()),
        (
            *judgement.sets.notes,
            *judgement.notes,
            *((_IF_FIXED,) if judgement.dev is None else ()),
            *(f"{judgement.system}: {note}" for note in (*error_notes(dev_eer, test), *sharing_notes(design_effect))),
        ),
        reported,
        judgement,
    )


def _measure_interval(
    judgement: Judgement, measure: Measure | EvidenceMeasure, confidence: float, threshold: Threshold
) -> RateInterval:
    """The interval of a measure of errors at the threshold, or of evidence."""
    if isinstance(measure, EvidenceMeasure):
        evidence, figure = judged_evidence(measure, judgement), judged_figure(measure, judgement)
        return evidence_interval(measure, evidence, confidence=confidence, threshold=threshold, figure=figure)
    return judged_interval(judgement, measure=measure, confidence=confidence, threshold=threshold)


_Named = TypeVar("_Named", Measure, Measure | EvidenceMeasure)


def by_name(measures: Sequence[_Named]) -> dict[str, _Named]:
    """Measures by names that tell them apart."""
    names = [measure.name for measure in measures]
    return {
        name if names.count(name) == 1 else f"{name} {k + 1}": measure
        for k, (name, measure) in enumerate(zip(names, measures, strict=True))
    }


def measure_value(measure: Measure, counts: ErrorCounts, alpha: float) -> float:
    """A measure at one threshold, as one number."""
    value = measure(counts, alpha)
    if np.ndim(value):
        raise ParameterError(f"measure {measure.name} must give one number, not {value!r}")
    return float(value)


def design_effect_of(intervals: Sequence[RateInterval]) -> float | None:
    """How many times the variance is that of independent trials, by the intervals of an evaluation."""
    fixed = [found for found in intervals if found.threshold == "fixed"]
    robust, independent = fixed[0], fixed[-1]
    if robust.method in ("wilson", "independent") or not independent.sigma:
        return None
    return (robust.sigma / independent.sigma) ** 2


def sharing_notes(design_effect: float | None) -> list[str]:
    """What the reader should know of trials that share people."""
    if design_effect is None or design_effect <= 1.2**2:
        return []
    return [
        f"trials share people: the standard deviation of the HTER is {design_effect**0.5:.2f} times that of "
        f"independent trials (design effect {design_effect:.1f}), so the interval is wider than eq. (13) says"
    ]


def error_notes(eer: EqualErrorRate, test: ErrorCounts) -> list[str]:
    """What the reader should know of the errors: scores the wrong way round, no error at all."""
    warnings = []
    if eer.value > 0.5:
        warnings.append(
            f"the EER on dev is {percent(eer.value)}: higher scores should mean genuine; negate them if they are "
            "distances"
        )
    for errors, trials, what in (
        (test.false_accepts, test.impostor, "false accepts"),
        (test.false_rejects, test.genuine, "false rejects"),
    ):
        if errors == 0:
            warnings.append(
                f"no {what} in {trials:,} test trials: if they are independent, the rate is below "
                f"{percent(min(1.0, 3 / trials))} with 95 % confidence (rule of 3)"
            )
    return warnings
