"""Test a difference of two systems, by Student's t or the normal distribution."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import inf, nan
from sys import float_info
from typing import TYPE_CHECKING, Any, get_args

from fairtrial.core.errors import ParameterError, check_choice, check_confidence
from fairtrial.core.notes import Note
from fairtrial.core.results import Result
from fairtrial.core.tables import Column, Table
from fairtrial.core.words import (
    figure_text,
    in_percent,
    interval_text,
    interval_title,
    number_text,
    p_phrase,
    range_text,
)
from fairtrial.inference.student import Alternative, student_p_value, student_quantile
from fairtrial.rules.measures import AnyMeasureLike, MeasureLike, as_any_measure, as_measure, label_of

if TYPE_CHECKING:
    from fairtrial.inference.estimates import Estimate, Threshold

TEST_COLUMNS = (
    Column("test", "test"),
    Column("threshold", "threshold", "term", optional=True),
    Column("measure", "name of the measure", detail=True),
    Column("label", "measure", "term", optional=True),
    Column("difference", "difference", "figure"),
    Column("sigma", "sigma", "figure", optional=True),
    Column("statistic", "statistic", "number", optional=True),
    Column("degrees", "degrees of freedom", "number", detail=True),
    Column("alternative", "alternative", detail=True),
    Column("p_value", "p", "p"),
)
"""The columns of a test in tables; see `TestResult.cells`."""


def columns_with_interval(confidence: float, *, detail: bool = False) -> tuple[Column, ...]:
    """Return `TEST_COLUMNS` with the interval of the difference after the difference.

    Parameters
    ----------
    confidence : float
        The level of confidence, between 0 and 1; the same as for `TestResult.cells`.
    detail : bool, default False
        Whether the interval is for files and data frames only.

    Returns
    -------
    tuple of Column
        The columns.
    """
    place = 1 + [column.key for column in TEST_COLUMNS].index("difference")
    interval = Column("interval", interval_title(confidence), "figures", detail)
    return (*TEST_COLUMNS[:place], interval, *TEST_COLUMNS[place:])


ALIKE = "the two do not differ on any trial that counts: without any spread nothing can be tested"
_NO_SPREAD = "without any spread a difference cannot be tested"


def above_zero(p_value: float) -> float:
    """Replace a p value that underflowed to 0 by the smallest float."""
    return max(p_value, float_info.min)


@dataclass(frozen=True, slots=True, repr=False)
class TestResult(Result):
    """A test of the difference A - B: the statistic, the p value and their parts.

    Attributes
    ----------
    test : str
        The name of the test, such as ``cluster`` or ``hter-independent``.
    statistic : float
        The statistic, signed as the difference is.
    p_value : float
        The p value, a fraction.
    estimate : float
        The difference A - B.
    sigma : float or None
        The standard deviation of the difference; None if the test has none.
    alternative : {"two-sided", "less", "greater"}
        The claim about A - B.
    note : Note or str
        What the reader should know; empty if there is nothing.
    measure : str
        The measure of which A - B is the difference.
    threshold : {"re-estimated", "fixed"}
        Whether the threshold counts as re-estimated from other dev trials, or as fixed.
    degrees : float
        The degrees of freedom of Student's t; infinite for the normal distribution.
    is_share : bool
        Whether the difference is one of shares, shown in percent; that of a cost is not.
    label : str
        The name of the measure in tables and figures; that of the registered measure by default.
    margin : float or None
        For a test of equivalence, the largest difference that does not matter; None for a test of a difference.
    source : Estimate or None
        The estimate that was tested; None if the test has none.

    Examples
    --------
    >>> from fairtrial.published import independent_test, published_counts
    >>> a = published_counts(far=0.0115, frr=0.0250, impostor=112000, genuine=400)
    >>> b = published_counts(far=0.0195, frr=0.0275, impostor=112000, genuine=400)
    >>> test = independent_test(a, b)
    >>> round(test.estimate, 5), round(test.sigma, 4), round(test.p_value, 4)
    (-0.00525, 0.0057, 0.3535)
    """

    __test__ = False  # its name is no promise to pytest

    test: str
    statistic: float
    p_value: float
    estimate: float
    sigma: float | None = None
    alternative: Alternative = "two-sided"
    note: Note | str = ""
    measure: str = "hter"
    threshold: Threshold = "fixed"
    degrees: float = inf
    is_share: bool = True
    label: str = ""
    margin: float | None = None
    source: Estimate | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "p_value", above_zero(self.p_value))
        if not self.label:
            object.__setattr__(self, "label", label_of(self.measure))

    @property
    def delta(self) -> float:
        """The confidence 1 - p that there is a difference, as Bengio & Mariéthoz 2004 print it."""
        return 1 - self.p_value

    def interval(self, confidence: float = 0.95) -> tuple[float, float] | None:
        """Compute the interval of the difference by the same distribution as the test.

        Parameters
        ----------
        confidence : float, default 0.95
            The level of confidence, between 0 and 1.

        Returns
        -------
        tuple of (float, float) or None
            Low and high; None without a standard deviation, or with one of 0.
        """
        if not self.sigma:
            return None
        if self.source is not None:
            return self.source.interval(check_confidence(confidence))
        reach = student_quantile(self.degrees, check_confidence(confidence)) * self.sigma
        return self.estimate - reach, self.estimate + reach

    def to_dict(self) -> dict[str, Any]:
        """Return the result under the names of the command line's JSON."""
        return {
            "test": self.test,
            "measure": self.measure,
            "threshold": self.threshold,
            "difference": self.estimate,
            "sigma": self.sigma,
            "statistic": self.statistic,
            "degrees": self.degrees,
            "p_value": self.p_value,
            "alternative": self.alternative,
            **({"note": str(self.note)} if self.note else {}),
        }

    def interval_entry(self, confidence: float = 0.95) -> dict[str, Any]:
        """Return the interval of the difference by the names of the command line's JSON.

        Parameters
        ----------
        confidence : float, default 0.95
            The level of confidence, between 0 and 1.

        Returns
        -------
        dict
            Low, high, confidence, method and threshold; NaN if there is no interval.
        """
        low, high = self.interval(confidence) or (nan, nan)
        return {
            "low": low,
            "high": high,
            "confidence": confidence,
            "method": self.test,
            "threshold": self.threshold,
        }

    def cells(self, confidence: float = 0.95) -> dict[str, Any]:
        """Return the cells of `columns_with_interval`: the values of the JSON, with the unit of each figure.

        Parameters
        ----------
        confidence : float, default 0.95
            The level of confidence, between 0 and 1, of the interval.

        Returns
        -------
        dict
            Raw values by key.
        """
        sigma = None if self.sigma is None else (self.sigma, self.is_share)
        ends = self.interval(confidence)
        return {
            **self.to_dict(),
            "difference": (self.estimate, self.is_share),
            "interval": None if ends is None else (*ends, self.is_share),
            "sigma": sigma,
            "label": self.label,
        }

    def answer(self) -> str:
        """Write the difference and the p value."""
        difference = figure_text(self.estimate, self.is_share)
        return f"{self.test}, threshold {self.threshold}, A - B = {difference}, {p_phrase(self.p_value)}"

    def tables(self) -> tuple[Table, ...]:
        """Tabulate the test in one row."""
        columns = (*TEST_COLUMNS, Column("delta", "1 - p", "sure"))
        note = Note("test", "{note}", note=self.note) if isinstance(self.note, str) else self.note
        notes = [note.of(self.test)] if self.note else []
        return (Table.of("tests", "A - B", columns, [{**self.cells(), "delta": self.delta}], notes=notes),)


def size_texts(test: TestResult, confidence: float, p: str) -> tuple[str, str]:
    """Write how large a difference is, with its interval and p; and how large it may be, empty without an interval."""
    ends, sign = test.interval(confidence), 1 if test.estimate >= 0 else -1
    number, span, unit = (in_percent, interval_text, " points") if test.is_share else (number_text, range_text, "")
    size = f"{number(abs(test.estimate))}{unit}"
    if ends is None:
        return f"{size} ({p})", ""
    low, high = sorted(sign * end for end in ends)
    most = f"; a difference of up to {number(max(-low, high))}{unit} is not excluded"
    return f"{size} ({interval_title(confidence)} {span(low, high)}, {p})", most


def student_test(
    test: str,
    source: Estimate,
    *,
    alternative: Alternative = "two-sided",
    measure: AnyMeasureLike = "hter",
    note: Note | str = "",
) -> TestResult:
    """Test an estimated difference against 0 by Student's t; without a standard deviation a note says so."""
    check_choice("alternative", alternative, get_args(Alternative))
    measure = as_any_measure(measure)
    sigma, statistic = source.sigma, source.statistic
    return TestResult(
        test,
        statistic,
        student_p_value(statistic, source.df, alternative),
        source.value,
        sigma,
        alternative,
        note if sigma else _NO_SPREAD if source.value else ALIKE,
        measure.name,
        source.threshold,
        source.df,
        measure.is_share,
        measure.label,
        source=source,
    )


def z_test(
    test: str,
    estimate: float,
    sigma: float,
    *,
    alternative: Alternative = "two-sided",
    measure: MeasureLike = "hter",
    note: Note | str = "",
    threshold: Threshold = "fixed",
    degrees: float = inf,
) -> TestResult:
    """Test a difference against 0 by its standard deviation; by Student's t if degrees of freedom are given.

    Without a standard deviation nothing can be tested: the p value is 1 and a note says so.
    """
    check_choice("alternative", alternative, get_args(Alternative))
    measure = as_measure(measure)
    statistic, p_value = 0.0, 1.0
    if sigma > 0:
        statistic = estimate / sigma
        p_value = student_p_value(statistic, degrees, alternative)
    elif estimate != 0:
        note = _NO_SPREAD
    return TestResult(
        test,
        statistic,
        p_value,
        estimate,
        sigma,
        alternative,
        note,
        measure.name,
        threshold,
        degrees,
        measure.is_share,
        measure.label,
    )


def equivalence_test(result: TestResult, margin: float) -> TestResult:
    """Test whether the difference is smaller than a margin either way: two one-sided tests.

    Parameters
    ----------
    result : TestResult
        A test of the difference, whose standard deviation and degrees of freedom are used.
    margin : float
        The largest difference that does not matter, a fraction.

    Returns
    -------
    TestResult
        A small p value says that A and B differ by less than the margin; the larger of the two p values counts. With a
        standard deviation of 0, as of systems with the same decisions on every trial, nothing can be tested: the p
        value is 1 and a note says so.

    Raises
    ------
    ParameterError
        If the margin is not above 0, or the test has no standard deviation, as McNemar's.

    References
    ----------
    Schuirmann, A comparison of the two one-sided tests procedure, 1987.

    Examples
    --------
    >>> from fairtrial.published import independent_test, published_counts
    >>> a, b = (published_counts(far=0.01, frr=frr, impostor=10000, genuine=10000) for frr in (0.02, 0.021))
    >>> equivalence_test(independent_test(a, b), 0.005).p_value < 0.001
    True
    """
    if not margin > 0:
        raise ParameterError(f"the margin must be above 0, not {margin}")
    if result.sigma is None:
        raise ParameterError(f"test {result.test} has no standard deviation to test equivalence with")
    name = f"{result.test}-equivalence"
    if result.sigma == 0:
        return replace(result, test=name, statistic=0.0, p_value=1.0, margin=margin, note=ALIKE)
    nulls: list[tuple[float, Alternative]] = [(-margin, "greater"), (margin, "less")]
    one_sided = []
    for null, side in nulls:
        if result.source is not None:
            variance = replace(result.source.variance, value=result.source.variance.value + result.source.unseen)
            deviations = replace(result.source, variance=variance).deviations(null)
        else:
            deviations = (result.estimate - null) / result.sigma
        one_sided.append((student_p_value(deviations, result.degrees, side), deviations, side))
    p_value, statistic, side = max(one_sided)
    return replace(
        result,
        test=name,
        statistic=statistic,
        p_value=p_value,
        alternative=side,
        margin=margin,
        note=f"a small p value says that the difference is within {figure_text(margin, result.is_share)}",
    )
