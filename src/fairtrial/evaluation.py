"""The whole way for one system: threshold on dev, errors on test, figures with an interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fairtrial.counting import ErrorCounts, ScoreData, as_source, count_errors
from fairtrial.criteria import Criterion, CriterionLike, as_criterion, check_alphas, choose_thresholds
from fairtrial.eer import EerDefinition, EqualErrorRate, equal_error_rate
from fairtrial.epc import add_counts, system_name
from fairtrial.errors import ParameterError, TrialsError
from fairtrial.folds import CROSS_VALIDATED, Block, block_sources
from fairtrial.intervals.rates import RateInterval, hter_interval
from fairtrial.measures import MeasureLike, as_measure
from fairtrial.trials import Trials

A_PRIORI = "a priori"
A_POSTERIORI = "a posteriori"


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One system at one operating point.

    The dev figures are a posteriori (threshold and figure from the same trials); the test figures are
    a priori, or cross-validated where there was one set only.
    """

    system: str
    criterion: str
    alpha: float
    threshold: float
    dev: ErrorCounts
    test: ErrorCounts
    dev_eer: EqualErrorRate
    test_eer: EqualErrorRate | None
    interval: RateInterval
    measures: dict[str, float]
    kind: str = A_PRIORI
    fold_thresholds: tuple[float, ...] = ()
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        dev = {**self.dev.to_dict(), "kind": A_POSTERIORI, "eer": self.dev_eer.value}
        test = {
            **self.test.to_dict(),
            "kind": self.kind,
            "measures": self.measures,
            "interval": self.interval.to_dict(),
            "intervals": [self.interval.to_dict()],
        }
        if self.test_eer is not None:
            test["eer"] = self.test_eer.value
        result = {
            "system": self.system,
            "criterion": self.criterion,
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


def evaluate(
    dev: ScoreData,
    test: ScoreData,
    *,
    system: str | None = None,
    criterion: CriterionLike = "eer",
    alpha: float = 0.5,
    measures: Sequence[MeasureLike] = (),
    confidence: float = 0.95,
    eer: EerDefinition = "step-mean",
) -> Evaluation:
    """Fix the threshold on dev and report the errors on test.

    Parameters
    ----------
    dev, test
        Trials, a source of scores, or a pair of arrays ``(genuine, impostor)``.
    system
        Which system of the trials; not needed where there is one only.
    criterion, alpha
        How the threshold is chosen on dev.
    measures
        More figures on test, by name or a user's own.
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
    rule, weight = as_criterion(criterion), _one_alpha(alpha)
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
        confidence=confidence,
        notes=_notes_of(("dev", dev), ("test", test)),
    )


def cross_validate(
    trials: Trials,
    blocks: Sequence[Block],
    *,
    system: str | None = None,
    criterion: CriterionLike = "eer",
    alpha: float = 0.5,
    measures: Sequence[MeasureLike] = (),
    confidence: float = 0.95,
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
    rule, weight = as_criterion(criterion), _one_alpha(alpha)
    scores = as_source(trials, system=system, what="dev")
    at_dev = choose_thresholds(scores, rule, weight)[0].scalar()
    parts = [
        count_errors(held_out, choose_thresholds(others, rule, weight).threshold)
        for others, held_out in block_sources(trials, blocks, system=system)
    ]
    at_test = add_counts(parts)[0].scalar()
    return _result(
        system=system_name(trials, system),
        rule=rule,
        alpha=weight,
        dev=at_dev,
        test=at_test,
        dev_eer=equal_error_rate(scores, definition=eer),
        test_eer=None,
        measures=measures,
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
    confidence: float,
    notes: Sequence[str],
    **rest: Any,
) -> Evaluation:
    known = [as_measure(measure) for measure in measures]
    return Evaluation(
        criterion=rule.name,
        alpha=alpha if rule.alpha is None else rule.alpha,
        threshold=dev.threshold,
        dev=dev,
        test=test,
        dev_eer=dev_eer,
        interval=hter_interval(test, confidence=confidence),
        measures={measure.name: float(measure(test, alpha)) for measure in known},
        notes=(*notes, *_warnings(dev_eer, test)),
        **rest,
    )


def check_same_systems(dev: ScoreData, test: ScoreData) -> None:
    """Raise an error where dev and test are trials of different systems."""
    if isinstance(dev, Trials) and isinstance(test, Trials) and set(dev.systems) != set(test.systems):
        only = [
            f"{', '.join(sorted(set(a.systems) - set(b.systems)))} in {name} only"
            for a, b, name in ((dev, test, "dev"), (test, dev, "test"))
            if set(a.systems) - set(b.systems)
        ]
        raise TrialsError(f"dev and test hold different systems: {'; '.join(only)}; select or rename the systems")


def _one_alpha(alpha: float) -> float:
    values = check_alphas(alpha)
    if len(values) != 1:
        raise ParameterError("evaluate takes one alpha; a range of them makes a performance curve")
    return float(values[0])


def _notes_of(*sets: tuple[str, ScoreData]) -> list[str]:
    return [f"{name}: {note}" for name, data in sets if isinstance(data, Trials) for note in data.notes]


def _warnings(eer: EqualErrorRate, test: ErrorCounts) -> list[str]:
    warnings = []
    if eer.value > 0.5:
        warnings.append(
            f"the EER on dev is {eer.value:.1%}: higher scores should mean genuine; negate them if they are distances"
        )
    for errors, trials, what in (
        (test.false_accepts, test.impostor, "false accepts"),
        (test.false_rejects, test.genuine, "false rejects"),
    ):
        if errors == 0:
            bound = min(1.0, 3 / trials)
            warnings.append(
                f"no {what} in {trials:,} test trials: if they are independent, the rate is below {bound:.2%} "
                "with 95 % confidence (rule of 3)"
            )
    return warnings
