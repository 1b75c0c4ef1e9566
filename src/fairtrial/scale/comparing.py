"""Systems compared by their counters: without trials at hand, only tests of counts are left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from fairtrial.claims import Alternative
from fairtrial.counting.errors import ErrorCounts
from fairtrial.errors import ParameterError, listed
from fairtrial.rules.criteria import Criterion, CriterionLike, as_criterion
from fairtrial.rules.measures import Measure, MeasureLike, as_measure
from fairtrial.scale.counter import Counter
from fairtrial.scale.figures import GIVEN_THRESHOLD, evaluate_counted
from fairtrial.scale.results import AT_EDGES, BoundedEvaluation
from fairtrial.significance.multiple import Correction, adjust_p_values, adjustment_text
from fairtrial.significance.rates import independent_test
from fairtrial.significance.results import TestResult, columns_with_interval
from fairtrial.tables import RATE_COLUMNS, Column, Result, Table, figure_text, p_phrase, plural
from fairtrial.trial_sets import PROVENANCES, SAME_TRIALS, Kind

_UNPAIRED = (
    "counts do not tell on which trials two systems err together, so their trials are taken as different ones: a test "
    "that asks too much where systems err on the same trials, and too little where trials share people; compare the "
    "scores themselves for paired tests"
)


@dataclass(frozen=True, slots=True)
class BoundedPair:
    """Two systems and the test of their difference."""

    a: BoundedEvaluation
    b: BoundedEvaluation
    test: TestResult
    adjusted: float
    confidence: float

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        found: dict[str, Any] = {}
        for key, own in (("a", self.a), ("b", self.b)):
            found[key] = own.evaluation.system
            found[f"hter_{key}"] = own.evaluation.test.hter
            found[f"hter_{key}_bounds"] = own.test["hter"].to_dict()
        return {
            **found,
            "difference": self.test.estimate,
            "interval": self.test.interval_entry(self.confidence),
            "tests": [{**self.test.to_dict(), "p_adjusted": self.adjusted}],
        }


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BoundedComparison(Result):
    """All pairs of systems, or all against a reference, from counters.

    Attributes
    ----------
    measure : Measure
        What was compared.
    criterion : Criterion
        How the threshold was chosen.
    alpha : float
        The weight or the target that the criterion took.
    correction : {"holm", "bh", "none"}
        How p values were adjusted for the number of pairs.
    systems : tuple of BoundedEvaluation
        The systems with their errors and bounds.
    pairs : tuple of BoundedPair
        The test of every pair.

    Examples
    --------
    >>> from fairtrial import Counter, compare_counted
    >>> counter = Counter(["face", "voice"])
    >>> counter.update([[0.9, 0.6], [0.8, 0.7], [0.1, 0.5], [0.3, 0.65]], [True, True, False, False])
    >>> [one.evaluation.system for one in compare_counted(counter, counter).systems]
    ['face', 'voice']
    """

    measure: Measure
    criterion: Criterion
    alpha: float
    correction: Correction
    systems: tuple[BoundedEvaluation, ...]
    pairs: tuple[BoundedPair, ...]

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reader should know of the tests and the bounds."""
        bounded = () if all(own.exact for own in self.systems) else (AT_EDGES,)
        return (
            *((SAME_TRIALS,) if self._kind == "a posteriori" else ()),
            _UNPAIRED,
            GIVEN_THRESHOLD,
            *bounded,
            *((self.measure.direction,) if self.measure.direction else ()),
            *dict.fromkeys(note for own in self.systems for note in own.notes if note != AT_EDGES),
        )

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        return {
            "measure": self.measure.name,
            "criterion": self.criterion.name,
            "alpha": self.criterion.alpha_of_result(self.alpha, [self.measure]),
            "kind": self._kind,
            "correction": self.correction,
            "pairs": [pair.to_dict() for pair in self.pairs],
            "notes": list(self.notes),
        }

    @property
    def _kind(self) -> Kind:
        return self.systems[0].evaluation.kind

    def summary(self) -> str:
        """The first pair, and how many there are."""
        first = self.pairs[0]
        names = f"{first.a.evaluation.system} - {first.b.evaluation.system}"
        difference = f"{names} = {figure_text(first.test.estimate, first.test.is_share)}"
        return f"{difference}, {p_phrase(first.adjusted)} adjusted; {plural(len(self.pairs), 'pair')}"

    def tables(self) -> tuple[Table, ...]:
        """The test of every pair, and the errors of every system with their bounds."""
        pair = (Column("pair", "A - B"), Column("a", "A", detail=True), Column("b", "B", detail=True))
        tested = columns_with_interval(self.pairs[0].confidence)
        columns = (*pair, *tested, Column("p_adjusted", "p adjusted", "p"))
        records = []
        for own in self.pairs:
            a, b = own.a.evaluation.system, own.b.evaluation.system
            cells = own.test.cells(own.confidence)
            records.append({"pair": f"{a} - {b}", "a": a, "b": b, **cells, "p_adjusted": own.adjusted})
        how = adjustment_text(self.correction, len(self.pairs))
        caption = f"Tests of the difference A - B in {self.measure.label}, {how}"
        count = plural(len(self.pairs), "pair")
        alone = [f"intervals are each by itself: not adjusted for the {count}"] if len(self.pairs) > 1 else []
        return Table.of("tests", caption, columns, records, notes=[*self.notes, *alone]), self._errors()

    def _errors(self) -> Table:
        columns = (
            Column("system", "system"),
            Column("threshold", "threshold", "threshold"),
            *RATE_COLUMNS,
            Column("hter_bounds", "bounds of HTER", "interval"),
        )
        records = [
            {
                "system": own.evaluation.system,
                "threshold": own.evaluation.threshold,
                **own.evaluation.test.to_dict(),
                "hter_bounds": tuple(own.test["hter"]),
            }
            for own in self.systems
        ]
        rule = self.criterion.described(self.alpha)
        return Table.of(
            "errors",
            f"Errors on test, {self._kind}, threshold by {rule} {PROVENANCES[self._kind].chosen}",
            columns,
            records,
        )


def compare_counted(
    dev: Counter,
    test: Counter,
    *,
    systems: Sequence[str] | None = None,
    reference: str | None = None,
    criterion: CriterionLike = "eer",
    alpha: float | None = None,
    measure: MeasureLike = "hter",
    correction: Correction = "holm",
    alternative: Alternative = "two-sided",
    confidence: float = 0.95,
) -> BoundedComparison:
    """Compare systems by their counters, each at the threshold that dev gives.

    Parameters
    ----------
    dev : Counter
        The trials that thresholds are chosen on, counted.
    test : Counter
        The trials that are judged, counted; of the same systems and precision.
    systems : sequence of str, optional
        The names of the systems, two or more; all by default.
    reference : str, optional
        The system that all others are compared with; by default every pair is compared.
    criterion : str, Criterion, DetectionCosts or callable, default "eer"
        How the threshold is chosen on dev: a name in `CRITERIA`, a criterion, detection costs, or a function
        ``C(far, frr, alpha)`` of arrays.
    alpha : float, optional
        The weight or the target that the criterion takes; 0.5 by default, but a criterion that aims at a target needs
        one.
    measure : str, Measure, DetectionCosts or callable, default "hter"
        What is compared: a weighted sum of FAR and FRR.
    correction : {"holm", "bh", "none"}, default "holm"
        How p values are adjusted for the number of pairs: by Holm, by Benjamini and Hochberg (``bh``), or not at all.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        What is claimed of A - B: that it is not 0, below 0 (``less``) or above 0 (``greater``).
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.

    Returns
    -------
    BoundedComparison
        The test of independent trials for every pair, from the exact counts at thresholds that are ends of cells.

    Raises
    ------
    ParameterError
        Fewer than two systems, or a measure that is no weighted sum of FAR and FRR.

    References
    ----------
    Bengio & Mariéthoz, A statistical significance test for person authentication, 2004, eq. (15).

    Examples
    --------
    >>> from fairtrial import Counter
    >>> counter = Counter(["face", "voice"])
    >>> counter.update([[0.9, 0.6], [0.8, 0.7], [0.1, 0.5], [0.3, 0.65]], [True, True, False, False])
    >>> compare_counted(counter, counter).pairs[0].test.estimate
    -0.5
    """
    names = list(systems or dev.systems)
    if reference is not None and reference not in names:
        raise ParameterError(f"the reference {reference!r} is not among the systems {listed(names)}")
    if len(names) < 2:
        raise ParameterError(f"a comparison needs two systems; only one was given: {listed(names)}")
    rule, figure = as_criterion(criterion), as_measure(measure)
    weight = rule.resolve_alpha(alpha)
    found = {
        name: evaluate_counted(dev, test, system=name, criterion=rule, alpha=alpha, confidence=confidence)
        for name in names
    }
    chosen = [(name, reference) for name in names if name != reference] if reference else list(combinations(names, 2))
    tests = [
        independent_test(*_counts(found, pair), measure=figure, alpha=weight, alternative=alternative, names=pair)
        for pair in chosen
    ]
    adjusted = adjust_p_values([each.p_value for each in tests], correction).tolist()
    pairs = tuple(
        BoundedPair(found[a], found[b], each, value, confidence)
        for (a, b), each, value in zip(chosen, tests, adjusted, strict=True)
    )
    return BoundedComparison(figure, rule, weight, correction, tuple(found.values()), pairs)


def _counts(found: dict[str, BoundedEvaluation], pair: tuple[str, str]) -> tuple[ErrorCounts, ErrorCounts]:
    a, b = (found[name].evaluation.test for name in pair)
    return a, b
