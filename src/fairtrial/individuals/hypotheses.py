"""Tests of error rates when people are tested several times: one rate against a value, or two devices.

People are independent, attempts of a person are not: what each person adds to a rate, or to the difference of two, is
summed before it is squared.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from math import exp, inf, isnan, log1p, sqrt
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from fairtrial.checks import check_choice, check_confidence, check_rate
from fairtrial.claims import Alternative, student_p_value, student_quantile
from fairtrial.errors import ParameterError
from fairtrial.individuals.attempts import Floats, Individuals, people_counts
from fairtrial.intervals.clustered import careful_degrees, careful_variance, wilson_limits, worth
from fairtrial.spread import ClassSpread, concentration, effective_people, one_fewer, welch, without_one
from fairtrial.tables import Column, Result, Table, level_text, number_text, p_phrase, percent, plural

Design: TypeAlias = Literal["rate", "unpaired", "paired"]

_FEW_ERRORS = 4
"""With fewer errors in all, a test hardly ever finds anything."""
_FEW_EXPECTED = 10
"""With fewer expected errors in one attempt of everybody, correlation can deceive the test of a rate."""


@dataclass(frozen=True, slots=True)
class IndividualsTest:
    """One test: the estimate, its statistic and p value, and the interval that goes with it."""

    test: str
    estimate: float
    statistic: float
    degrees: float
    """Of Student's t; infinite where the statistic is no t."""
    p_value: float
    low: float
    high: float

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True, repr=False)
class IndividualsTests(Result):
    """Tests of the error rate of people who were tested several times; the first is the one to go by.

    Attributes
    ----------
    design : {"rate", "unpaired", "paired"}
        Whether a rate was tested, or two devices with different people or with the same.
    alternative : {"two-sided", "less", "greater"}
        What was claimed of A - B.
    confidence : float
        The level of confidence, between 0 and 1.
    tests : tuple of IndividualsTest
        The tests, the one to go by first.
    rates : tuple of float
        The rate, or those of both devices; fractions.
    rate : float or None
        What the rate is tested against.
    notes : tuple of str
        What the reader should know.

    Examples
    --------
    >>> from fairtrial import Individuals, rate_test
    >>> found = rate_test(Individuals.from_counts([0, 0, 0, 1, 0, 2, 0, 0, 5, 1], 5), 0.5)
    >>> found.design, round(found.rates[0], 2), found.tests[0].test
    ('rate', 0.18, 'any-correlation')
    """

    design: Design
    alternative: Alternative
    confidence: float
    tests: tuple[IndividualsTest, ...]
    rates: tuple[float, ...]
    rate: float | None = None
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        return {
            "design": self.design,
            "alternative": self.alternative,
            "confidence": self.confidence,
            "rate": self.rate,
            "rates": list(self.rates),
            "tests": [test.to_dict() for test in self.tests],
            "notes": list(self.notes),
        }

    def summary(self) -> str:
        """What was tested, and the p value of the first test."""
        found = p_phrase(self.tests[0].p_value)
        if self.rate is not None:
            return f"rate {percent(self.rates[0])} against {percent(self.rate)}, {found}"
        a, b = (percent(rate) for rate in self.rates)
        return f"{self.design} devices, A {a}, B {b}, {found}"

    def tables(self) -> tuple[Table, ...]:
        """One row per test."""
        columns = (
            Column("test", "test"),
            Column("estimate", "rate" if self.design == "rate" else "A - B", "rate"),
            Column("statistic", "statistic", "number"),
            Column("degrees", "degrees of freedom", "number", detail=True),
            Column("p_value", "p", "p"),
            Column("interval", f"{level_text(self.confidence)} interval", "interval"),
        )
        records = [
            {**test.to_dict(), "interval": None if isnan(test.low) else (test.low, test.high)} for test in self.tests
        ]
        return (Table.of("tests", self.summary(), columns, records, notes=self.notes),)


def rate_test(
    people: Individuals, rate: float, *, alternative: Alternative = "two-sided", confidence: float = 0.95
) -> IndividualsTests:
    r"""Test the error rate of people who were tested several times against a value.

    .. math:: t = (\hat\pi - \pi_0) / \sqrt{\pi_0 (1 - \pi_0) / E}

    with the number E of independent attempts that would have the variance that the people show.

    Parameters
    ----------
    people : Individuals
        The errors and attempts of people, one data set.
    rate : float
        The rate that is tested, a fraction above 0 and below 1.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        What is claimed of the rate: that it is not `rate`, below it (``less``) or above it (``greater``).
    confidence : float, default 0.95
        The level of confidence, between 0 and 1, of the two-sided intervals.

    Returns
    -------
    IndividualsTests
        ``cluster``: Student's t, with a variance by the jackknife over people and Wilson's interval.
        ``any-correlation``: Chernoff's bound, which holds however strongly attempts of a person are correlated, and is
        careful; without errors it is exact over individuals.

    Raises
    ------
    ParameterError
        Several data sets, or a rate, alternative or confidence that is not possible.

    Notes
    -----
    Half an error is added to the variance, and the degrees of freedom are few where few people err: the test holds
    its level with few errors too. Where fewer than 10 errors are expected in one attempt of everybody, correlation
    can hide (nobody who errs often may have been tested): then ``any-correlation`` comes first, and a note says why.
    docs/individuals.md has what was measured.

    References
    ----------
    Schuckers et al., A comparison of statistical methods for evaluating matching performance, 2004, section 5, which
    asks for tests. The variance is CV3, the bound Hoeffding's (1963, Theorem 1).

    Examples
    --------
    >>> people = Individuals.from_counts([0, 0, 0, 1, 0, 2, 0, 0, 5, 1], 5)
    >>> found = rate_test(people, 0.5)
    >>> [(test.test, round(test.p_value, 4)) for test in found.tests]
    [('any-correlation', 0.2178), ('cluster', 0.0376)]
    """
    if people.counts.ndim != 1:
        raise ParameterError("a test is made of one data set, not of several at once")
    check_rate("the rate to test against", rate, open_ends=True)
    check_choice("alternative", alternative, get_args(Alternative))
    check_confidence(confidence)
    found = float(people.estimate)
    own = _rate_spread(*_listed(people))
    trials, degrees = worth(found, own), careful_degrees(own)
    statistic = (found - rate) / (sqrt(rate * (1 - rate)) / sqrt(trials))  # a variance might be below any float
    limits = wilson_limits(found, trials, student_quantile(degrees, confidence))
    p_value = student_p_value(statistic, degrees, alternative)
    tests = (
        IndividualsTest("cluster", found, statistic, degrees, p_value, max(limits[0], 0.0), min(limits[1], 1.0)),
        _any_correlation(people, rate, alternative, confidence),
    )
    notes = _few(int(people.total_errors), int(people.total_attempts - people.total_errors))
    expected = own.people * min(rate, 1 - rate)
    if expected < _FEW_EXPECTED and people.total_attempts > people.individuals:
        notes += (
            f"n pi is {number_text(expected, 3)}: with fewer than {_FEW_EXPECTED} expected errors in one attempt of "
            "everybody, the cluster test rejects a true rate too often if attempts are correlated (in up to 18 % of "
            "data sets at rho 0.2 and 28 % at 0.4, in place of 5 %); any-correlation holds its level, so it leads",
        )
        tests = tests[::-1]
    return IndividualsTests("rate", alternative, confidence, tests, (found,), rate, notes)


def device_test(
    a: Individuals, b: Individuals, *, alternative: Alternative = "two-sided", confidence: float = 0.95
) -> IndividualsTests:
    """Test whether two devices that were tested by different people have the same error rate.

    Parameters
    ----------
    a, b : Individuals
        The errors and attempts of the people of the device, one data set; nobody is in both.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        What is claimed of A - B: that it is not 0, below 0 (``less``) or above 0 (``greater``).
    confidence : float, default 0.95
        The level of confidence, between 0 and 1, of the two-sided interval of A - B.

    Returns
    -------
    IndividualsTests
        ``cluster``: Welch's t with variances by the jackknife over people.

    Raises
    ------
    ParameterError
        Several data sets, or an alternative or confidence that is not possible.

    Notes
    -----
    Each device has the variance and the degrees of freedom of `rate_test`; so the test has an interval with some width
    even without errors. It holds its level where correlations and numbers of attempts differ, too.

    References
    ----------
    Schuckers et al., A comparison of statistical methods for evaluating matching performance, 2004, section 5, which
    asks for tests.

    Examples
    --------
    >>> a, b = (Individuals.from_counts(errors, 5) for errors in ([0, 0, 0, 1, 0, 2], [3, 2, 0, 4, 1, 3, 2]))
    >>> round(device_test(a, b).tests[0].p_value, 4)
    0.03
    """
    for people in (a, b):
        if people.counts.ndim != 1:
            raise ParameterError("a test is made of one data set of each device, not of several at once")
    own = [_rate_spread(*_listed(people)) for people in (a, b)]
    parts = [(careful_variance(spread), careful_degrees(spread)) for spread in own]
    rates = float(a.estimate), float(b.estimate)
    tests = (_student(rates[0] - rates[1], sum(part[0] for part in parts), welch(parts), alternative, confidence),)
    return IndividualsTests("unpaired", alternative, confidence, tests, rates, None, _few_of(a, b))


def paired_device_test(
    a: tuple[ArrayLike, ArrayLike],
    b: tuple[ArrayLike, ArrayLike],
    *,
    alternative: Alternative = "two-sided",
    confidence: float = 0.95,
) -> IndividualsTests:
    """Test whether two devices that were tested by the same people have the same error rate.

    Parameters
    ----------
    a, b : tuple of (array_like, array_like)
        Errors and attempts of each person with the device, each of shape (people,), people in the same order; attempts
        may be one number.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        What is claimed of A - B: that it is not 0, below 0 (``less``) or above 0 (``greater``).
    confidence : float, default 0.95
        The level of confidence, between 0 and 1, of the two-sided interval of A - B.

    Returns
    -------
    IndividualsTests
        ``cluster``: Student's t of what each person adds to the difference, with the jackknife over people.
        ``sign-flip``, where everybody made as many attempts with both devices: exact, if the two devices could be
        exchanged for each person; it has no interval.

    Raises
    ------
    ParameterError
        Different numbers of people, or a number, alternative or confidence that is not possible.

    Notes
    -----
    Correlation between attempts of a person, and between devices, is in what the person adds to the difference. The
    variance is not below that of the attempts that must have come out differently, and half an error is added.

    References
    ----------
    Schuckers et al., A comparison of statistical methods for evaluating matching performance, 2004, section 5, which
    asks for tests.

    Examples
    --------
    >>> found = paired_device_test(([0, 0, 1, 0, 2, 1, 0, 0], 5), ([1, 2, 3, 0, 3, 4, 1, 2], 5))
    >>> [(test.test, round(test.p_value, 4)) for test in found.tests]
    [('cluster', 0.0129), ('sign-flip', 0.0156)]
    """
    first, second = (people_counts(*device) for device in (a, b))
    if len(first[0]) != len(second[0]):
        raise ParameterError(
            f"a paired test needs the same people for both devices; there are {len(first[0])} and {len(second[0])}"
        )
    rates = tuple(float(errors.sum() / attempts.sum()) for errors, attempts in (first, second))
    own = _difference_spread(first, second)
    tests = [_student(rates[0] - rates[1], careful_variance(own), careful_degrees(own), alternative, confidence)]
    if (first[1] == second[1]).all():
        tests.append(_sign_flip(first[0] - second[0], rates[0] - rates[1], alternative))
    notes = _few_of(*(Individuals.from_counts(*device) for device in (first, second)))
    return IndividualsTests("paired", alternative, confidence, tuple(tests), rates, None, notes)


def _listed(people: Individuals) -> tuple[Floats, Floats]:
    """Errors and attempts of each person."""
    counts = people.counts.astype(np.int64)
    return np.repeat(people.errors, counts), np.repeat(people.attempts, counts)


def _rate_spread(errors: Floats, attempts: Floats) -> ClassSpread:
    """The variance of a rate by the jackknife over people; with no error, or nothing else, that of a single one."""
    if errors.sum() in (0, attempts.sum()):
        errors = np.zeros_like(attempts)
        errors[np.argmin(attempts)] = 1.0
    tried = attempts.sum()
    rate = errors.sum() / tried
    return _spread((errors - rate * attempts) / tried, attempts, rate * (1 - rate) / tried)


def _difference_spread(a: tuple[Floats, Floats], b: tuple[Floats, Floats]) -> ClassSpread:
    """The variance of the difference of two rates of the same people."""
    sums, errors = np.zeros(len(a[0])), np.zeros(len(a[0]))
    for sign, (wrong, attempts) in ((1, a), (-1, b)):
        tried = attempts.sum()
        errors += sign * wrong / tried
        sums += sign * (wrong / tried - wrong.sum() / tried * attempts / tried)
    attempts = (a[1] + b[1]) / 2
    # as many attempts, at least, came out differently
    return _spread(sums, attempts, float(np.abs(errors).sum() / attempts.sum()))


def _spread(sums: Floats, attempts: Floats, least: float) -> ClassSpread:
    """A variance by the jackknife from what each person adds, not below what chance alone gives."""
    people = effective_people(attempts)
    squares = without_one(sums, attempts / attempts.sum()) ** 2
    total = float(squares.sum())
    variance = max(total * one_fewer(people), least)
    return ClassSpread(variance, people, int(attempts.sum()), concentration(squares, total))


def _student(
    difference: float, variance: float, degrees: float, alternative: Alternative, confidence: float
) -> IndividualsTest:
    check_choice("alternative", alternative, get_args(Alternative))
    statistic = difference / sqrt(variance)
    reach = student_quantile(degrees, check_confidence(confidence)) * sqrt(variance)
    p_value = student_p_value(statistic, degrees, alternative)
    low, high = max(difference - reach, -1.0), min(difference + reach, 1.0)
    return IndividualsTest("cluster", difference, statistic, degrees, p_value, low, high)


def _any_correlation(people: Individuals, rate: float, alternative: Alternative, confidence: float) -> IndividualsTest:
    """Chernoff's bound of the mean of independent numbers between 0 and 1, which people's own rates are."""
    found = float(people.estimate)

    def tail(value: float) -> float:
        """At most so probable is an estimate as far from this rate."""
        return exp(-_exponent(people, value))

    beyond = {"less": found < rate, "greater": found > rate, "two-sided": found != rate}[alternative]
    sides = 2 if alternative == "two-sided" else 1
    p_value = min(1.0, sides * tail(rate)) if beyond else 1.0
    low, high = _where(tail, found, (1 - confidence) / 2)
    deviance = 2 * _exponent(people, rate)
    return IndividualsTest("any-correlation", found, deviance, inf, p_value, low, high)


def _exponent(people: Individuals, rate: float) -> float:
    """Minus the logarithm of Chernoff's bound: n times the relative entropy, if attempts are the same for all."""
    from scipy.optimize import brentq
    from scipy.special import expit, log_expit, logit, rel_entr

    found = float(people.estimate)
    if found in (0, 1):
        return float(-people.individuals * log1p(-rate if found == 0 else rate - 1))
    if (people.attempts == people.attempts[0]).all():
        return float(people.individuals * (rel_entr(found, rate) + rel_entr(1 - found, 1 - rate)))
    weights = people.attempts / people.total_attempts

    def excess(tilt: float) -> float:
        """The mean of the tilted distribution that errs in all attempts of a person or in none, less the estimate."""
        return float(people.counts @ (weights * expit(logit(rate) + tilt * weights))) - found

    reach = float(1 / weights.max())
    while excess(-reach) > 0 or excess(reach) < 0:
        reach *= 2
    tilt = brentq(excess, -reach, reach, xtol=1e-300, rtol=1e-13)
    # log(1 - pi + pi e^t) = log(1 - pi) - log(1 - expit(logit pi + t))
    cumulants = people.counts @ (log1p(-rate) - log_expit(-(logit(rate) + tilt * weights)))
    return max(float(tilt * found - cumulants), 0.0)


def _where(tail: Callable[[float], float], found: float, level: float) -> tuple[float, float]:
    """From which rate to which the tail is above a level; it falls on either side of the estimate."""
    from scipy.optimize import brentq

    def beyond(rate: float) -> float:
        return tail(rate) - level

    tiny = 1e-15
    low = 0.0 if found == 0 or beyond(tiny) > 0 else float(brentq(beyond, tiny, max(found, 2 * tiny)))
    high = 1.0 if found == 1 or beyond(1 - tiny) > 0 else float(brentq(beyond, found or tiny, 1 - tiny))
    return low, high


def _sign_flip(differences: Floats, estimate: float, alternative: Alternative) -> IndividualsTest:
    """How often a sum of differences is as large as this one when each has either sign, over all signs."""
    from scipy.signal import fftconvolve
    from scipy.stats import binom

    sizes, people = np.unique(np.abs(differences[differences != 0]).astype(np.int64), return_counts=True)
    chances = np.ones(1)  # of what the people with a positive sign add up to
    for size, count in zip(sizes, people, strict=True):
        own = np.zeros(int(size * count) + 1)
        own[::size] = binom.pmf(np.arange(count + 1), count, 0.5)
        chances = np.asarray(fftconvolve(chances, own))
    chances = np.clip(chances, 0, None)
    positive = int(differences[differences > 0].sum())
    less, greater = float(chances[: positive + 1].sum()), float(chances[positive:].sum())
    p_value = {"less": less, "greater": greater, "two-sided": 2 * min(less, greater)}[alternative]
    total = sqrt(float(np.sum(differences**2)))
    statistic = float(differences.sum()) / total if total else 0.0
    return IndividualsTest("sign-flip", estimate, statistic, inf, min(p_value, 1.0), float("nan"), float("nan"))


def _few(errors: int, successes: int, of: str = "") -> tuple[str, ...]:
    for count, one, many in (
        (errors, "error", "errors"),
        (successes, "attempt without error", "attempts without error"),
    ):
        if count < _FEW_ERRORS:
            found = plural(count, one, many)
            return (f"{found}{of} in all: with so few, a test hardly ever finds anything",)
    return ()


def _few_of(a: Individuals, b: Individuals) -> tuple[str, ...]:
    errors = int(a.total_errors + b.total_errors)
    return _few(errors, int(a.total_attempts + b.total_attempts) - errors, " of both devices")
