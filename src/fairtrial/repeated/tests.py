"""Test error rates of people who are tested several times: one rate against a value, or two devices.

People are independent, attempts of a person are not: two attempts share their person or nobody, which is the simplest
case of `fairtrial.inference.variance`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, inf, log1p, nan, sqrt
from operator import attrgetter
from typing import ClassVar, Literal, TypeAlias, get_args

import numpy as np

from fairtrial.core.errors import ParameterError, check_choice, check_confidence, check_rate
from fairtrial.core.notes import Note
from fairtrial.core.results import Field, Record, Result, table_of
from fairtrial.core.tables import Table
from fairtrial.core.words import in_percent, interval_title, level_text, p_phrase, percent
from fairtrial.formats.columns import read_paired_counts
from fairtrial.inference.estimates import Estimate, Rates
from fairtrial.inference.person_counts import ClassCounts
from fairtrial.inference.student import Alternative, student_p_value
from fairtrial.inference.thresholds import inside
from fairtrial.inference.variance import Components, Floats, Moments, Variance
from fairtrial.published.rates import difference_answer, proportion_interval
from fairtrial.repeated.attempts import Individuals, PeopleLike, as_individuals, people_counts

Design: TypeAlias = Literal["rate", "unpaired", "paired"]

_FEW_ERRORS = 4  # with fewer errors in all, a test hardly ever rejects
_FEW_EXPECTED = 10  # with fewer expected errors in one attempt of each person, correlation can stay hidden


@dataclass(frozen=True, slots=True)
class IndividualsTest(Record):
    """One test: the estimate, its statistic and p value, and its interval.

    The degrees of freedom are those of Student's t, infinite if the statistic has another distribution.
    """

    FIELDS: ClassVar = (
        Field("test", "test"),
        Field("estimate", "estimate", "rate"),
        Field("statistic", "statistic", "number"),
        Field("degrees", "degrees of freedom", "number", detail=True),
        Field("p_value", "p", "p"),
        Field("low"),
        Field("high"),
        Field("interval", "interval", "interval", get=attrgetter("low", "high"), in_json=False),
    )
    test: str
    estimate: float
    statistic: float
    degrees: float
    p_value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, repr=False)
class IndividualsTests(Result):
    """Tests of the error rate of people who were tested several times; the first is the one to use.

    Attributes
    ----------
    design : {"rate", "unpaired", "paired"}
        Whether a rate was tested, or two devices with different people or with the same.
    alternative : {"two-sided", "less", "greater"}
        What is claimed of the rate, or of A - B.
    confidence : float
        The level of confidence, between 0 and 1.
    tests : tuple of IndividualsTest
        The tests, the one to use first.
    rates : tuple of float
        The rate, or those of both devices; fractions.
    rate : float or None
        The rate under the null hypothesis.
    notes : tuple of Note
        What the reader should know.

    Examples
    --------
    >>> from fairtrial.repeated import individuals_test
    >>> print(individuals_test(([0, 0, 0, 1, 0, 2, 0, 0, 5, 1], 5), rate=0.5).answer())
    The error rate, 18.00 % (95 %: 0.982 to 59.83 %), may be 50.00 % (p = 0.218)
    """

    FIELDS: ClassVar = tuple(map(Field, ("design", "alternative", "confidence", "rate", "rates", "tests", "notes")))
    design: Design
    alternative: Alternative
    confidence: float
    tests: tuple[IndividualsTest, ...]
    rates: tuple[float, ...]
    rate: float | None = None
    notes: tuple[Note, ...] = ()

    def answer(self) -> str:
        """Write the conclusion of the first test."""
        test = self.tests[0]
        if self.rate is not None:
            claims = {
                "two-sided": ("may be", "differs from"),
                "less": ("is not shown to be below", "is below"),
                "greater": ("is not shown to be above", "is above"),
            }
            claim = claims[self.alternative][test.p_value < 1 - self.confidence]
            limits = f"{level_text(self.confidence)}: {in_percent(test.low)} to {percent(test.high)}"
            observed = f"The error rate, {percent(test.estimate)} ({limits}),"
            return f"{observed} {claim} {percent(self.rate)} ({p_phrase(test.p_value)})"
        people = "the same people" if self.design == "paired" else "different people"
        a, b = map(percent, self.rates)
        return difference_answer(
            (a, b),
            test.estimate,
            (test.low, test.high),
            test.p_value,
            self.alternative,
            people,
            confidence=self.confidence,
        )

    def tables(self) -> tuple[Table, ...]:
        """Tabulate one row per test."""
        estimate = "rate" if self.design == "rate" else "A - B"
        titles = {"estimate": estimate, "interval": interval_title(self.confidence)}
        caption = "Test of the error rate" if self.design == "rate" else f"Test of two devices, {self.design}"
        return (table_of("tests", caption, IndividualsTest.FIELDS, self.tests, notes=self.notes, titles=titles),)


def individuals_test(
    a: PeopleLike,
    b: PeopleLike | None = None,
    *,
    rate: float | None = None,
    paired: bool = False,
    alternative: Alternative = "two-sided",
    confidence: float = 0.95,
) -> IndividualsTests:
    r"""Test the error rate of people who were tested several times against a value, or two devices against each other.

    .. math:: t = (\hat\pi - \pi_0) / \sqrt{\pi_0 (1 - \pi_0) / E}

    for one rate, with the effective number E of independent attempts: those with the same variance.

    Parameters
    ----------
    a : Individuals, path or tuple of (array_like, array_like)
        The errors and attempts of the people of a device; a path is that of a table with columns of both.
    b : Individuals, path or tuple of (array_like, array_like), optional
        Those of another device.
    rate : float, optional
        The rate that is tested, if there is one device; a fraction above 0 and below 1.
    paired : bool, default False
        Whether the same people tested both devices. They are matched by a column ``id`` if both tables have it, and
        otherwise by their order.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        What is claimed of the rate, or of A - B: that it differs from `rate` or from 0, is below (``less``) or above
        (``greater``).
    confidence : float, default 0.95
        The level of confidence, between 0 and 1, of the two-sided intervals.

    Returns
    -------
    IndividualsTests
        ``cluster``: Student's t with Satterthwaite's degrees of freedom, and the variance by people of docs/methods.md;
        Wilson's interval of one rate. ``any-correlation``, of one rate: Chernoff's bound, valid for any correlation of
        the attempts of a person, and conservative; exact without errors, and binomial with one attempt each.
        ``sign-flip``, paired, if everybody made as many attempts with both devices: exact if the devices are
        exchangeable for each person; it has no interval.

    Raises
    ------
    ParameterError
        If there is one device without a rate, two devices with one, people cannot be paired, or a number is out of
        range.

    Notes
    -----
    Degrees of freedom are few if few people make the errors. If fewer than 10 errors are expected in one attempt of
    everybody, correlation can stay hidden (nobody who errs often may have been tested): then ``any-correlation`` comes
    first, and a note says why.

    References
    ----------
    Schuckers et al., A comparison of statistical methods for evaluating matching performance, 2004, section 5, which
    asks for tests; Owen, The pigeonhole bootstrap, 2007; Satterthwaite 1946. The bound is Hoeffding's (1963, Theorem
    1).

    Examples
    --------
    >>> people = Individuals.from_counts([0, 0, 0, 1, 0, 2, 0, 0, 5, 1], 5)
    >>> [(test.test, round(test.p_value, 4)) for test in individuals_test(people, rate=0.5).tests]
    [('any-correlation', 0.2178), ('cluster', 0.039)]
    >>> round(individuals_test(([0, 0, 0, 1, 0, 2], 5), ([3, 2, 0, 4, 1, 3, 2], 5)).tests[0].p_value, 4)
    0.0227
    """
    check_choice("alternative", alternative, get_args(Alternative))
    check_confidence(confidence)
    if b is None:
        if rate is None or paired:
            template = "one table is tested against a rate, as in {rate!o}; {paired!p} needs two tables"
            raise ParameterError(template, code="does-not-apply", rate=0.01)
        return _rate_tests(as_individuals(a), rate, alternative, confidence)
    if rate is not None:
        template = "two tables are tested against each other; {rate!p} goes with one table"
        raise ParameterError(template, code="does-not-apply", rate=rate)
    notes: tuple[Note, ...] = ()
    if not paired:
        first, second = (as_individuals(people).by_person() for people in (a, b))
    elif isinstance(a, tuple) and isinstance(b, tuple):
        first, second = people_counts(*a), people_counts(*b)
        if len(first[0]) != len(second[0]):
            text = f"a paired test needs the same people for both devices, not {len(first[0])} and {len(second[0])}"
            raise ParameterError(text, code="other-people")
    elif isinstance(a, Individuals | tuple) or isinstance(b, Individuals | tuple):
        text = "a paired test needs the errors and attempts of each person: two tables, or two tuples"
        raise ParameterError(text, code="unordered")
    else:
        tables = read_paired_counts(a, b)
        first, second = (people_counts(*table.counts) for table in tables)
        how = "row by row" if tables[0].ids is None else "by their ids"
        notes = (Note("matched", f"{{people:plural person/people}} matched {how}", people=len(first[0])),)
    devices = [Individuals.from_counts(*device) for device in (first, second)]
    rates = float(devices[0].estimate), float(devices[1].estimate)
    # without pairs, people are numbered together, and nobody is in both
    places = [(0, 0), (0, 0)] if paired else [(0, len(second[0])), (len(first[0]), 0)]
    moments = [
        _moments(*(np.pad(counts, place) for counts in device))
        for device, place in zip((first, second), places, strict=True)
    ]
    estimate = Estimate(rates[0] - rates[1], _variance(*moments, same_people=paired), ends=(-1.0, 1.0))
    p_value, limits = estimate.p_value(alternative), estimate.interval(confidence)
    tests = [IndividualsTest("cluster", estimate.value, estimate.statistic, estimate.df, p_value, *limits)]
    if paired and (first[1] == second[1]).all():
        tests.append(_sign_flip_test(first[0] - second[0], estimate.value, alternative))
    notes = (*notes, *_few_errors(*devices))
    design: Design = "paired" if paired else "unpaired"
    return IndividualsTests(design, alternative, confidence, tuple(tests), rates, None, notes)


def _rate_tests(people: Individuals, rate: float, alternative: Alternative, confidence: float) -> IndividualsTests:
    """Test a rate against a value."""
    check_rate("the rate to test against", rate, open_ends=True)
    estimate, attempts = float(people.estimate), int(people.total_attempts)
    variance = _variance(_moments(*people.by_person()))
    near = inside(estimate, attempts)
    effective = min(near * (1 - near) / variance.value * attempts / (attempts - 1), attempts)
    statistic = (estimate - rate) / (sqrt(rate * (1 - rate)) / sqrt(effective))  # the variance might underflow
    p_value = student_p_value(statistic, variance.df, alternative)
    limits = Estimate(estimate, variance, rates=Rates(((estimate, 1.0, effective),), 0.0), ends=(0.0, 1.0))
    tests = (
        IndividualsTest("cluster", estimate, statistic, variance.df, p_value, *limits.interval(confidence)),
        _any_correlation_test(people, rate, alternative, confidence),
    )
    notes = _few_errors(people)
    expected = float(people.individuals) * min(rate, 1 - rate)
    if expected < _FEW_EXPECTED:
        tests = tests[::-1]
        if people.total_attempts > people.individuals:
            note = Note(
                "few-expected",
                "n pi is {expected:.3g}: with fewer than {least} expected errors in one attempt of each person, the "
                "cluster test rejects a true rate too often if attempts are correlated (in up to 12 % of data sets at "
                "rho 0.1 and 39 % at 0.4, instead of 5 %); any-correlation holds its level and is reported first",
                expected=expected,
                least=_FEW_EXPECTED,
            )
            notes = (*notes, note)
    return IndividualsTests("rate", alternative, confidence, tests, (estimate,), rate, notes)


def _moments(errors: Floats, attempts: Floats) -> Moments:
    """Compute the moments of the errors of people."""
    counts = np.stack([errors, attempts - errors], axis=1).astype(np.int64)
    return ClassCounts.of({"claim": counts}, accepted=False).moments()


def _variance(*devices: Moments, same_people: bool = False) -> Variance:
    """Estimate the variance of a rate, or of the first less the second.

    It is not below that of half an error in each rate, all attempts of a person as one: without errors nothing tells
    how correlated they are. Degrees of freedom are at most those of people: the same people are one sample.
    """
    variance = Components([(devices[0], devices[-1])]).variance([1.0], [float(1 - len(devices))])
    halves = ((0.5 / device.trials, device.effective) for device in devices)
    least = sum(half * (1 - half) / people for half, people in halves)
    of_people = [device.effective - 1 for device in devices]
    df = min(variance.df, min(of_people) if same_people else sum(of_people))
    return replace(variance, value=max(variance.value, least), df=max(df, 1.0))


def _any_correlation_test(
    people: Individuals, rate: float, alternative: Alternative, confidence: float
) -> IndividualsTest:
    """Test a rate by Chernoff's bound for the mean of independent numbers between 0 and 1, the rates of people.

    With one attempt each the number of errors is binomial, and the test exact.
    """
    from scipy.optimize import brentq

    estimate, tiny = float(people.estimate), 1e-15
    exponent = _chernoff_exponent(people, rate)
    if people.total_attempts == people.individuals:
        from scipy.stats import binom

        errors, number = int(people.total_errors), int(people.individuals)
        less, greater = float(binom.cdf(errors, number, rate)), float(binom.sf(errors - 1, number, rate))
        p_value = {"less": less, "greater": greater, "two-sided": min(2 * min(less, greater), 1.0)}[alternative]
        limits = proportion_interval(errors, number, confidence=confidence)
        return IndividualsTest("any-correlation", estimate, 2 * exponent, inf, p_value, *limits)

    def excess(value: float) -> float:
        """Compute how far the bound of the tail beyond the estimate lies above the level of the interval."""
        return exp(-_chernoff_exponent(people, value)) - (1 - confidence) / 2

    sides = 2 if alternative == "two-sided" else 1
    beyond = {"less": estimate < rate, "greater": estimate > rate, "two-sided": estimate != rate}[alternative]
    p_value = min(1.0, sides * exp(-exponent)) if beyond else 1.0
    # the tail falls on either side of the estimate
    low = 0.0 if estimate == 0 or excess(tiny) > 0 else float(brentq(excess, tiny, max(estimate, 2 * tiny)))
    high = 1.0 if estimate == 1 or excess(1 - tiny) > 0 else float(brentq(excess, estimate or tiny, 1 - tiny))
    return IndividualsTest("any-correlation", estimate, 2 * exponent, inf, p_value, low, high)


def _chernoff_exponent(people: Individuals, rate: float) -> float:
    """Compute minus the logarithm of Chernoff's bound: n times the relative entropy, if attempts are the same."""
    from scipy.optimize import brentq
    from scipy.special import expit, log_expit, logit, rel_entr

    estimate = float(people.estimate)
    if estimate in (0, 1):
        return float(-people.individuals * log1p(-rate if estimate == 0 else rate - 1))
    if (people.attempts == people.attempts[0]).all():
        return float(people.individuals * (rel_entr(estimate, rate) + rel_entr(1 - estimate, 1 - rate)))
    weights = people.attempts / people.total_attempts

    def excess(tilt: float) -> float:
        """Compute the mean of the tilted distribution that errs in all attempts of a person or in none."""
        return float(people.counts @ (weights * expit(logit(rate) + tilt * weights))) - estimate

    reach = float(1 / weights.max())
    while excess(-reach) > 0 or excess(reach) < 0:
        reach *= 2
    tilt = brentq(excess, -reach, reach, xtol=1e-300, rtol=1e-13)
    # log(1 - pi + pi e^t) = log(1 - pi) - log(1 - expit(logit pi + t))
    cumulants = people.counts @ (log1p(-rate) - log_expit(-(logit(rate) + tilt * weights)))
    return max(float(tilt * estimate - cumulants), 0.0)


def _sign_flip_test(differences: Floats, estimate: float, alternative: Alternative) -> IndividualsTest:
    """Test a sum of differences against its exact distribution over all signs."""
    from scipy.signal import fftconvolve
    from scipy.stats import binom

    sizes, people = np.unique(np.abs(differences[differences != 0]).astype(np.int64), return_counts=True)
    chances = np.ones(1)  # of the sum of the positive differences
    for size, count in zip(sizes, people, strict=True):
        pmf = np.zeros(int(size * count) + 1)
        pmf[::size] = binom.pmf(np.arange(count + 1), count, 0.5)
        chances = np.asarray(fftconvolve(chances, pmf))
    chances = np.clip(chances, 0, None)
    positive = int(differences[differences > 0].sum())
    less, greater = float(chances[: positive + 1].sum()), float(chances[positive:].sum())
    p_value = {"less": less, "greater": greater, "two-sided": 2 * min(less, greater)}[alternative]
    total = sqrt(float(np.sum(differences**2)))
    statistic = float(differences.sum()) / total if total else 0.0
    return IndividualsTest("sign-flip", estimate, statistic, inf, min(p_value, 1.0), nan, nan)


def _few_errors(*devices: Individuals) -> tuple[Note, ...]:
    """Note if there are few errors, or few successes, of all devices together."""
    errors = sum(int(people.total_errors) for people in devices)
    successes = sum(int(people.total_attempts) for people in devices) - errors
    of = " of both devices" if len(devices) > 1 else ""
    for count, noun in ((errors, "error/errors"), (successes, "attempt without error/attempts without error")):
        if count < _FEW_ERRORS:
            template = f"{{count:plural {noun}}}{of} in all: too few for a test to reject"
            return (Note("few-errors", template, count=count),)
    return ()
