"""The whole way for one system: threshold on dev, errors on test, figures with an interval."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fairtrial.checks import check_choice
from fairtrial.counting.errors import ErrorCounts, ScoreData, as_source, count_errors
from fairtrial.epc import add_counts, system_name
from fairtrial.errors import ParameterError, TrialsError
from fairtrial.folds import CROSS_VALIDATED, Block, block_sources
from fairtrial.intervals.clusters import interval_of_decisions, wrong_decisions
from fairtrial.intervals.rates import RateInterval, hter_interval
from fairtrial.intervals.resampled import bootstrap_with_threshold
from fairtrial.people import Cluster
from fairtrial.rules.criteria import Criterion, CriterionLike, as_criterion, choose_thresholds
from fairtrial.rules.eer import EerDefinition, EqualErrorRate, equal_error_rate
from fairtrial.rules.measures import Measure, MeasureLike, as_measure
from fairtrial.tables import (
    COUNT_COLUMNS,
    RATE_COLUMNS,
    Column,
    Result,
    Table,
    interval_text,
    interval_title,
    percent,
    plural,
    threshold_text,
)
from fairtrial.trials import Trials, check_same_systems

A_PRIORI = "a priori"
A_POSTERIORI = "a posteriori"
SAME_TRIALS = "dev and test are the same trials, so the threshold was set on what it is judged by"


@dataclass(frozen=True, slots=True, repr=False)
class Evaluation(Result):
    """One system at one operating point.

    The dev figures are a posteriori (threshold and figure from the same trials); the test figures are
    a priori, or cross-validated where there was one set only.
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
    """Intervals of the HTER on test, the one to go by first."""
    measures: dict[str, float]
    kind: str = A_PRIORI
    fold_thresholds: tuple[float, ...] = ()
    notes: tuple[str, ...] = ()
    reported: dict[str, Measure] = field(default_factory=dict)
    """The measures behind `measures`, by the same names."""

    @property
    def interval(self) -> RateInterval:
        """The interval to go by: the cluster-robust one when ids are available."""
        return self.intervals[0]

    @property
    def design_effect(self) -> float | None:
        """How many times the variance is that of independent trials; None without ids or errors."""
        robust, independent = (self.intervals * 2)[-2:]
        if not robust.method.startswith("cluster") or not independent.sigma:
            return None
        return (robust.sigma / independent.sigma) ** 2

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        dev = {**self.dev.to_dict(), "kind": A_POSTERIORI, "eer": self.dev_eer.value}
        test = {
            **self.test.to_dict(),
            "kind": self.kind,
            "measures": self.measures,
            "interval": self.interval.to_dict(),
            "intervals": [interval.to_dict() for interval in self.intervals],
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

    def summary(self) -> str:
        """The HTER with its interval, and the threshold."""
        return (
            f"{self.system}, HTER {percent(self.test.hter)} ({interval_text(*self.interval.interval)} %) {self.kind}, "
            f"threshold {threshold_text(self.threshold)} by {self.criterion.described(self.alpha)}"
        )

    def tables(self) -> tuple[Table, ...]:
        """The errors on both sets, the threshold and the trials, and all intervals of the HTER."""
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
            Column("criterion", "criterion", detail=True),
            Column("alpha", "alpha", "number", detail=True),
            Column("threshold", "threshold", "threshold", detail=True),
            *COUNT_COLUMNS,
        )
        taken = {column.key for column in (*own, *details)}
        asked = {name: f"measure_{name}" if name in taken else name for name in self.reported}
        more = (
            Column(asked[name], measure.label, "rate" if measure.is_share else "number")
            for name, measure in self.reported.items()
        )
        columns = (*own, *more, *details)
        given = {"criterion": str(self.criterion), "alpha": self.alpha, "threshold": self.threshold}
        dev = {"set": "dev", "kind": A_POSTERIORI, "eer": self.dev_eer.value}
        test = {
            "set": "held out" if self.test_eer is None else "test",
            "kind": self.kind,
            "eer": None if self.test_eer is None else self.test_eer.value,
            "interval": self.interval.interval,
            "method": self.interval.method,
            **{asked[name]: self.measures[name] for name in asked},
        }
        records = [
            {"system": self.system, **given, **counts.to_dict(), **rest}
            for counts, rest in ((self.dev, dev), (self.test, test))
        ]
        caption = f"Errors at the threshold by {self.criterion.described(self.alpha)} on dev"
        notes = (f"EER: {self.dev_eer.definition}, a posteriori on either set", *self.notes)
        return Table.of("errors", caption, columns, records, notes=notes, section="system")

    def _trials(self) -> Table:
        held = "test" if self.test_eer is not None else "held-out"
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
            Column("interval", interval_title(self.interval.confidence), "interval"),
            Column("method", "method"),
            Column("given", "threshold", "term"),
            Column("meaning", "what it takes into account", "term"),
        )
        rows = tuple((self.system, found.interval, found.method, *_meaning(found.method)) for found in self.intervals)
        caption = "Intervals of the HTER, the one to go by first"
        return Table("intervals", caption, columns, rows, section="system")


def _meaning(method: str) -> tuple[str, str]:
    """What an interval says of the threshold, and what it takes into account."""
    if method == "bootstrap-both":
        return "re-estimated", "dev and test trials were drawn by chance"
    if method == "independent":
        return "fixed", "chance, if all trials were independent: eq. (13)"
    return "fixed", "trials share people"


def evaluate(
    dev: ScoreData,
    test: ScoreData,
    *,
    system: str | None = None,
    criterion: CriterionLike = "eer",
    alpha: float | None = None,
    measures: Sequence[MeasureLike] = (),
    confidence: float = 0.95,
    cluster: Cluster | None = None,
    resample: Literal["test", "both"] = "test",
    n_resamples: int = 1000,
    rng: int | None = 0,
    eer: EerDefinition = "step-mean",
) -> Evaluation:
    """Fix the threshold on dev and report the errors on test.

    Parameters
    ----------
    dev, test
        Trials, a source of scores, or a pair of arrays ``(genuine, impostor)``.
    system
        Which system of the trials; not needed if there is only one.
    criterion, alpha
        How the threshold is chosen on dev. An alpha of None is 0.5 for a weight; a criterion that aims at a target,
        such as ``far``, needs one.
    measures
        More figures on test, by name or a user's own.
    cluster
        What test trials share, for the interval; by default all ids that are known.
    resample
        ``both`` leads with a bootstrap interval in which dev is resampled too and the threshold re-estimated:
        the total uncertainty. ``test`` takes the threshold as it is.
    eer
        The definition of the equal error rates reported beside.

    Examples
    --------
    >>> dev = ([0.9, 0.8, 0.4, 0.7], [0.1, 0.3, 0.5, 0.2, 0.6])
    >>> test = ([0.85, 0.55, 0.45, 0.95, 0.35], [0.15, 0.65, 0.25, 0.42, 0.05, 0.5])
    >>> result = evaluate(dev, test, measures=["f1"])
    >>> result.threshold, round(result.test.hter, 4), round(result.measures["f1"], 4)
    (0.5, 0.2833, 0.6667)
    """
    check_same_systems(dev, test)
    check_choice("resample", resample, ("test", "both"))
    same = _same_trials(dev, test)
    rule = as_criterion(criterion)
    weight = rule.resolve_alpha(alpha)
    dev_scores = as_source(dev, system=system, what="dev")
    test_scores = as_source(test, system=system, what="test")
    at_dev = choose_thresholds(dev_scores, rule, weight)[0].scalar()
    at_test = count_errors(test_scores, at_dev.threshold).scalar()
    return _result(
        system=system_name(dev, system),
        rule=rule,
        alpha=weight,
        dev=at_dev,
        test=at_test,
        dev_eer=equal_error_rate(dev_scores, definition=eer),
        test_eer=equal_error_rate(test_scores, definition=eer),
        measures=measures,
        robust=_robust(test, lambda trials: wrong_decisions(trials, system, at_dev.threshold), cluster, confidence),
        total=_total(dev, test, system, rule, weight, cluster, confidence, n_resamples, rng)
        if resample == "both"
        else None,
        confidence=confidence,
        notes=[*_notes_of(("dev", dev), ("test", test)), *([SAME_TRIALS] if same else [])],
        kind=A_POSTERIORI if same else A_PRIORI,
    )


def cross_validate(
    trials: Trials,
    blocks: Sequence[Block],
    *,
    system: str | None = None,
    criterion: CriterionLike = "eer",
    alpha: float | None = None,
    measures: Sequence[MeasureLike] = (),
    confidence: float = 0.95,
    cluster: Cluster | None = None,
    eer: EerDefinition = "step-mean",
) -> Evaluation:
    """Evaluate with one set of trials only: each block judged by a threshold from other people.

    The threshold of the result is the one that all trials give, and that would go into use; the errors are
    those of the held-out blocks at their own thresholds, pooled.

    Parameters
    ----------
    blocks
        Which trials set the thresholds for which; see `make_blocks`.
    """
    rule = as_criterion(criterion)
    weight = rule.resolve_alpha(alpha)
    scores = as_source(trials, system=system, what="dev")
    at_dev = choose_thresholds(scores, rule, weight)[0].scalar()
    parts = [
        count_errors(held_out, choose_thresholds(others, rule, weight).threshold)
        for others, held_out in block_sources(trials, blocks, system=system)
    ]
    at_test = add_counts(parts)[0].scalar()

    def held_out_errors(trials: Trials) -> NDArray[np.bool_]:
        wrong = np.zeros(len(trials), dtype=bool)
        for block, part in zip(blocks, parts, strict=True):
            wrong |= block.held_out & wrong_decisions(trials, system, float(part.threshold[0]))
        return wrong

    return _result(
        system=system_name(trials, system),
        rule=rule,
        alpha=weight,
        dev=at_dev,
        test=at_test,
        dev_eer=equal_error_rate(scores, definition=eer),
        test_eer=None,
        measures=measures,
        robust=_robust(trials, held_out_errors, cluster, confidence),
        total=None,
        confidence=confidence,
        notes=_notes_of(("dev", trials)),
        kind=CROSS_VALIDATED,
        fold_thresholds=tuple(float(part.threshold[0]) for part in parts),
    )


def _result(
    *,
    rule: Criterion,
    alpha: float,
    dev: ErrorCounts,
    test: ErrorCounts,
    dev_eer: EqualErrorRate,
    measures: Sequence[MeasureLike],
    robust: RateInterval | None,
    total: RateInterval | None,
    confidence: float,
    notes: Sequence[str],
    **rest: Any,
) -> Evaluation:
    known = [as_measure(measure) for measure in ([measures] if isinstance(measures, str) else measures)]
    values = {
        measure.name if [m.name for m in known].count(measure.name) == 1 else f"{measure.name} {k + 1}": measure
        for k, measure in enumerate(known)
    }
    independent = hter_interval(test, confidence=confidence)
    intervals = tuple(interval for interval in (total, robust, independent) if interval is not None)
    return Evaluation(
        criterion=rule,
        alpha=alpha,
        threshold=dev.threshold,
        dev=dev,
        test=test,
        dev_eer=dev_eer,
        intervals=intervals,
        measures={name: _number(measure, test, alpha) for name, measure in values.items()},
        notes=(*notes, *(f"{rest['system']}: {note}" for note in (*_warnings(dev_eer, test), *_sharing(intervals)))),
        reported=values,
        **rest,
    )


def _number(measure: Measure, counts: ErrorCounts, alpha: float) -> float:
    value = measure(counts, alpha)
    if np.ndim(value):
        raise ParameterError(f"measure {measure.name} must give one number, not {value!r}")
    return float(value)


def _same_trials(dev: ScoreData, test: ScoreData) -> bool:
    """Whether dev and test are the same trials, so that nothing is a priori."""
    if dev is test:
        return True
    if isinstance(dev, Trials) and isinstance(test, Trials):
        return (
            len(dev) == len(test)
            and np.array_equal(dev.scores, test.scores)
            and np.array_equal(dev.genuine, test.genuine)
        )
    if isinstance(dev, tuple) and isinstance(test, tuple):
        return all(a is b for a, b in zip(dev, test, strict=False))
    return False


def _notes_of(*sets: tuple[str, ScoreData]) -> list[str]:
    return [f"{name}: {note}" for name, data in sets if isinstance(data, Trials) for note in data.notes]


def _robust(
    data: ScoreData,
    wrong: Callable[[Trials], NDArray[np.bool_]],
    cluster: Cluster | None,
    confidence: float,
) -> RateInterval | None:
    """The cluster-robust interval, when ids are available and it was not declined."""
    if cluster == "none" or not isinstance(data, Trials) or not (data.claim or data.subject):
        if cluster not in (None, "none"):
            raise TrialsError(f"cluster={cluster!r} needs test trials with ids")
        return None
    try:
        return interval_of_decisions(data, wrong(data), cluster=cluster, confidence=confidence)
    except TrialsError:
        if cluster is not None:
            raise
        return None  # one person only: nothing to tell apart


def _total(
    dev: ScoreData,
    test: ScoreData,
    system: str | None,
    rule: Criterion,
    alpha: float,
    cluster: Cluster | None,
    confidence: float,
    n_resamples: int,
    rng: int | None,
) -> RateInterval:
    """The interval with dev resampled as well as test."""
    if not isinstance(dev, Trials) or not isinstance(test, Trials):
        raise TrialsError("resampling dev and test needs both as Trials")
    found = bootstrap_with_threshold(
        dev,
        test,
        system=system,
        criterion=rule,
        alpha=alpha,
        cluster=cluster,
        n_resamples=n_resamples,
        rng=rng,
    )
    low, high = found.interval(confidence=confidence)
    return RateInterval(found.estimate, low, high, float(found.replicates.std()), confidence, "bootstrap-both")


def _sharing(intervals: Sequence[RateInterval]) -> list[str]:
    robust, independent = (tuple(intervals) * 2)[-2:]
    if not robust.method.startswith("cluster") or not independent.sigma:
        return []
    ratio = robust.sigma / independent.sigma
    if 1 / 1.2 <= ratio <= 1.2:
        return []
    width = "wider" if ratio > 1 else "narrower"
    return [
        f"trials share people: the standard deviation of the HTER is {ratio:.2f} times that of independent trials "
        f"(design effect {ratio**2:.1f}), so the interval is {width} than eq. (13) says"
    ]


def _warnings(eer: EqualErrorRate, test: ErrorCounts) -> list[str]:
    warnings = []
    if eer.value > 0.5:
        warnings.append(
            f"the EER on dev is {percent(eer.value)}: higher scores should mean genuine; negate scores that are "
            "distances"
        )
    for errors, trials, what in (
        (test.false_accepts, test.impostor, "false accepts"),
        (test.false_rejects, test.genuine, "false rejects"),
    ):
        if errors == 0:
            bound = min(1.0, 3 / trials)
            warnings.append(
                f"no {what} in {plural(trials, 'test trial')}: if they are independent, the rate is below "
                f"{percent(bound)} with 95 % confidence (rule of 3)"
            )
    return warnings
