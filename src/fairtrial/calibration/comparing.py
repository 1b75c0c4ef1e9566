"""Whose evidence is better: two calibrated systems on the same trials."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from fairtrial.calibration.judged import CalibratedSystem, calibration_moves, trial_costs
from fairtrial.calibration.values import in_both, spread_of_values
from fairtrial.claims import Alternative, Claim, re_estimated
from fairtrial.errors import ParameterError
from fairtrial.judging import TrialSets
from fairtrial.people import Cluster
from fairtrial.significance.multiple import Correction, adjust_p_values
from fairtrial.significance.results import TestResult, student_test
from fairtrial.tables import Column, Result, Table, number_text, p_phrase, plural
from fairtrial.trials import Trials

_HALVES = (0.5, 0.5)


@dataclass(frozen=True, slots=True, repr=False)
class EvidencePair(Result):
    """Two systems and the test of the difference of their Cllr."""

    a: str
    b: str
    test: TestResult
    adjusted: float

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        return {"a": self.a, "b": self.b, "tests": [{**self.test.to_dict(), "p_adjusted": self.adjusted}]}

    def summary(self) -> str:
        """The difference and the p value."""
        difference = number_text(self.test.estimate)
        return f"{self.a} - {self.b} = {difference} in Cllr, {p_phrase(self.adjusted)} adjusted"

    def tables(self) -> tuple[Table, ...]:
        """The test in one row."""
        columns = (
            Column("pair", "A - B"),
            Column("measure", "measure", "measure"),
            Column("threshold", "calibration", "term"),
            Column("difference", "difference", "number"),
            Column("sigma", "sigma", "number"),
            Column("statistic", "statistic", "number"),
            Column("p_value", "p", "p"),
            Column("p_adjusted", "p adjusted", "p"),
        )
        record = {"pair": f"{self.a} - {self.b}", **self.test.to_dict(), "p_adjusted": self.adjusted}
        return (Table.of("tests", "Tests of the difference A - B in Cllr", columns, [record]),)


def compare_evidence(
    dev: Trials,
    test: Trials,
    found: Sequence[CalibratedSystem],
    *,
    correction: Correction = "holm",
    alternative: Alternative = "two-sided",
    cluster: Cluster | None = None,
) -> list[EvidencePair]:
    """Test all pairs of calibrated systems for a difference in Cllr.

    Parameters
    ----------
    dev, test
        The trials that they were calibrated and judged on.
    found
        What `calibrate` gave for each.
    correction, alternative
        How p values are adjusted for the number of pairs, and what is claimed of A - B.
    cluster
        What trials share; by default all ids that are known.

    Returns
    -------
    list of EvidencePair
        One per pair. The test knows who shares trials; where both were fitted by logistic calibration, also that dev
        was a sample: the calibration is re-estimated.
    """
    if len(found) < 2:
        raise ParameterError(f"a comparison needs two systems, not {plural(len(found), 'system')}")
    sets = TrialSets(dev, test, cluster)
    tests = [_test(sets, dev, test, pair, alternative) for pair in combinations(found, 2)]
    adjusted = adjust_p_values([each.p_value for each in tests], correction).tolist()
    return [
        EvidencePair(a.system, b.system, each, value)
        for (a, b), each, value in zip(combinations(found, 2), tests, adjusted, strict=True)
    ]


def _test(
    sets: TrialSets,
    dev: Trials,
    test: Trials,
    pair: tuple[CalibratedSystem, CalibratedSystem],
    alternative: Alternative,
) -> TestResult:
    a, b = pair
    estimate = a.test[0] - b.test[0]
    costs = [trial_costs(own.calibration, test) for own in pair]
    spread = spread_of_values(sets.people[1], test.genuine, costs[0] - costs[1], _HALVES)
    claim = Claim(estimate, spread, 0.0, spread.degrees, "fixed")
    if all(own.calibration.fit is not None for own in pair) and sets.origin == "dev":
        moves = [calibration_moves(own.calibration, dev, test) for own in pair]
        moved = spread_of_values(sets.people[0], dev.genuine, moves[0] - moves[1], (1.0, 1.0))
        joint = in_both(sets, moves[0] - moves[1], costs[0] - costs[1], _HALVES)
        claim = re_estimated(estimate, spread, moved.variance, moved.degrees, joint=joint)
    name = "independent" if sets.people[1] is None else "cluster"
    return replace(student_test(name, claim, alternative=alternative), measure="cllr", is_share=False)
