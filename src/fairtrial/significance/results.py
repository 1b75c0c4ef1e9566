"""The result of a test, whatever the test."""

from __future__ import annotations

from dataclasses import dataclass
from math import erfc, inf, sqrt
from typing import Any, Literal, TypeAlias, get_args

from fairtrial.checks import check_choice
from fairtrial.errors import ParameterError
from fairtrial.tables import Column, Result, Table, p_phrase, percent

Alternative: TypeAlias = Literal["two-sided", "less", "greater"]
"""What is claimed of A - B: that it is not 0, that A is lower (better), or that A is higher."""


TEST_COLUMNS = (
    Column("test", "test"),
    Column("difference", "difference", "rate"),
    Column("sigma", "sigma", "rate"),
    Column("statistic", "statistic", "number"),
    Column("alternative", "alternative", detail=True),
    Column("p_value", "p", "p"),
)
"""What tables say of a test, by the names of its JSON."""


@dataclass(frozen=True, slots=True, repr=False)
class TestResult(Result):
    """A test of the difference A - B: the statistic, the p value and what they were made of."""

    __test__ = False  # its name is no promise to pytest

    test: str
    statistic: float
    p_value: float
    estimate: float
    sigma: float | None = None
    alternative: Alternative = "two-sided"
    note: str = ""

    @property
    def delta(self) -> float:
        """The confidence 1 - p that there is a difference, as Bengio & Mariéthoz 2004 prints it."""
        return 1 - self.p_value

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        return {
            "test": self.test,
            "difference": self.estimate,
            "sigma": self.sigma,
            "statistic": self.statistic,
            "p_value": self.p_value,
            "alternative": self.alternative,
            **({"note": self.note} if self.note else {}),
        }

    def summary(self) -> str:
        """The difference and the p value."""
        return f"{self.test}, A - B = {percent(self.estimate)}, {p_phrase(self.p_value)}"

    def tables(self) -> tuple[Table, ...]:
        """The test in one row."""
        columns = (*TEST_COLUMNS, Column("delta", "1 - p", "rate"))
        notes = [f"{self.test}: {self.note}"] if self.note else []
        return (Table.of("tests", "A - B", columns, [{**self.to_dict(), "delta": self.delta}], notes=notes),)


def z_test(
    test: str, estimate: float, sigma: float, *, alternative: Alternative = "two-sided", note: str = ""
) -> TestResult:
    """Test a difference against 0 by its standard deviation.

    Without any spread the p value is 1 for no difference and 0 for any.
    """
    without_spread = 0.0 if estimate == 0 else inf if estimate > 0 else -inf
    statistic = estimate / sigma if sigma > 0 else without_spread
    return TestResult(test, statistic, normal_p_value(statistic, alternative), estimate, sigma, alternative, note)


def normal_p_value(statistic: float, alternative: Alternative) -> float:
    """The tail or tails beyond a statistic that is standard normal when there is no difference."""
    check_choice("alternative", alternative, get_args(Alternative))
    if alternative == "less":
        return _below(statistic)
    if alternative == "greater":
        return _below(-statistic)
    return 2 * _below(-abs(statistic))


def _below(statistic: float) -> float:
    """The share of a normal distribution below, exact also far out."""
    return erfc(-statistic / sqrt(2)) / 2


def equivalence_test(result: TestResult, margin: float) -> TestResult:
    """Test whether the difference is smaller than a margin either way: two one-sided tests.

    A small p value says that A and B differ by less than the margin; the larger of the two p values counts.
    """
    if not margin > 0:
        raise ParameterError(f"the margin must be above 0, not {margin}")
    if result.sigma is None:
        raise ParameterError(f"test {result.test} has no standard deviation to test equivalence with")
    above = z_test("", result.estimate + margin, result.sigma, alternative="greater")
    below = z_test("", result.estimate - margin, result.sigma, alternative="less")
    worse = max(above, below, key=lambda side: side.p_value)
    return TestResult(
        f"{result.test}-equivalence",
        worse.statistic,
        worse.p_value,
        result.estimate,
        result.sigma,
        worse.alternative,
        f"a small p value says that the difference is within {margin:g}",
    )
