"""Compute intervals of published error rates, and test the difference of two systems, all trials independent.

Bengio & Mariéthoz, A statistical significance test for person authentication, 2004.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple, dataclass, replace
from math import nan, sqrt
from typing import Any, ClassVar, Literal, TypeAlias, get_args

from fairtrial.core.errors import ParameterError, check_choice, check_count, check_rate
from fairtrial.core.notes import Note
from fairtrial.core.results import Field, Result
from fairtrial.core.tables import Column, Table, join_tables
from fairtrial.core.words import figure_text, figures_text, in_percent, level_text, number_text, p_phrase, term
from fairtrial.counting.tallies import ErrorCounts
from fairtrial.inference.intervals import (
    ENOUGH,
    Interval,
    RateInterval,
    independent_variance,
    normal_interval,
    normal_quantile,
    rate_interval,
    rates_with_few_errors,
)
from fairtrial.inference.student import Alternative
from fairtrial.inference.tests import TestResult, z_test
from fairtrial.rules.measures import DetectionCosts, MeasureLike, Weights, as_measure, label_of, linear_weights

ProportionMethod: TypeAlias = Literal["clopper-pearson", "wilson", "jeffreys", "agresti-coull"]
ComparedMeasure: TypeAlias = Literal["hter", "wer", "dcf", "far", "frr"]
ReportedMeasure: TypeAlias = Literal[ComparedMeasure, "naive", "class", "all"]


def published_counts(
    *,
    impostor: int,
    genuine: int,
    far: float | None = None,
    frr: float | None = None,
    false_accepts: int | None = None,
    false_rejects: int | None = None,
) -> ErrorCounts:
    """Make error counts from published rates or numbers of errors; rates need not give whole numbers of errors.

    Parameters
    ----------
    impostor : int
        The number of impostor trials.
    genuine : int
        The number of genuine trials.
    far : float, optional
        The FAR, a fraction.
    frr : float, optional
        The FRR, a fraction.
    false_accepts : int, optional
        The number of false accepts, instead of the FAR.
    false_rejects : int, optional
        The number of false rejects, instead of the FRR.

    Returns
    -------
    ErrorCounts
        What intervals and tests take; the threshold is NaN.

    Raises
    ------
    ParameterError
        If a rate is outside [0, 1], a number of errors is not whole or exceeds that of the trials, a class has no
        trial, or neither or both of a rate and a number of errors are given.

    References
    ----------
    Bengio & Mariéthoz, A statistical significance test for person authentication, 2004, eq. (1).

    Examples
    --------
    >>> published_counts(false_accepts=1285, false_rejects=10, impostor=112000, genuine=400).frr
    0.025
    """
    errors: list[float] = []
    for trials, trial, rate, rate_name, number, number_name in (
        (impostor, "impostor", far, "far", false_accepts, "false_accepts"),
        (genuine, "genuine", frr, "frr", false_rejects, "false_rejects"),
    ):
        if check_count(f"the number of {trial} trials", trials) < 1:
            raise ParameterError(f"there must be at least one {trial} trial, not 0")
        if (rate is None) == (number is None):
            template = f"give either {{{rate_name}!p}} or {{{number_name}!p}}; {{given}} given"
            raise ParameterError(template, code="either-or", given="neither was" if rate is None else "both were")
        words = number_name.replace("_", " ")
        if rate is not None:
            errors.append(check_rate(rate_name.upper(), rate) * trials)
        elif number is not None and check_count(f"the number of {words}", number) > trials:
            raise ParameterError(f"there are {number:,} {words}, but only {trials:,} {trial} trials")
        else:
            errors.append(int(number or 0))
    return ErrorCounts(nan, errors[0], errors[1], genuine, impostor)


Overall: TypeAlias = Literal["naive", "class"]
"""Errors as proportions of all trials, for comparison only: the HTER, eq. (18), and the classification error, (17)."""


def overall_interval(method: Overall, counts: ErrorCounts, *, confidence: float = 0.95) -> RateInterval:
    """Compute the normal interval of an error as a proportion of all trials; the note compares it with eq. (13)."""
    error, variance = _overall_error(method, counts)
    note = _beside_proper(method, sqrt(variance), rate_interval(counts).sigma, 13)
    label = "Naive HTER" if method == "naive" else label_of("class-error")
    return normal_interval(
        error, sqrt(variance), confidence=confidence, method=method, measure=method, note=note, label=label
    )


def overall_test(
    method: Overall, a: ErrorCounts, b: ErrorCounts, *, alternative: Alternative = "two-sided"
) -> TestResult:
    """Test the difference of errors as proportions of all trials; the note compares it with eq. (15)."""
    (error_a, variance_a), (error_b, variance_b) = (_overall_error(method, counts) for counts in (a, b))
    sigma, measure = sqrt(variance_a + variance_b), "hter" if method == "naive" else "class-error"
    note = _beside_proper(method, sigma, independent_test(a, b).sigma or 0.0, 15)
    return z_test(method, error_a - error_b, sigma, alternative=alternative, measure=measure, note=note)


def _overall_error(method: Overall, counts: ErrorCounts) -> tuple[float, float]:
    """Compute an error and its variance as of a proportion of all trials."""
    trials = counts.genuine + counts.impostor
    error = float(counts.hter if method == "naive" else (counts.false_accepts + counts.false_rejects) / trials)
    return error, error * (1 - error) / trials


def _beside_proper(method: Overall, sigma: float, proper: float, equation: int) -> Note:
    """Note whether a standard deviation that is kept for comparison is too small: computed, not assumed."""
    what = "it treats the HTER as a proportion of all trials"
    if method == "class":
        what = "the rarer class hardly counts in the classification error"
    if sigma == proper:
        return Note("as-proper", f"{what}; the standard deviation is that of eq. ({{equation}})", equation=equation)
    if not proper:
        return Note("no-variance", f"{what}; the variance of eq. ({{equation}}) is 0 here", equation=equation)
    code, verdict, link = "over-optimistic", "over-optimistic", "and"
    if sigma > proper:
        code, verdict, link = "not-over-optimistic", "not over-optimistic here", "but"
    return Note(
        code,
        f"{verdict}: {what}, {link} the standard deviation is {{ratio:.3g}} times that of eq. ({{equation}})",
        ratio=sigma / proper,
        equation=equation,
    )


def proportion_interval(
    errors: int, trials: int, *, confidence: float = 0.95, method: ProportionMethod = "clopper-pearson"
) -> Interval:
    """Compute an interval for an error rate from a whole number of errors.

    Parameters
    ----------
    errors : int
        The number of errors, whole.
    trials : int
        The number of independent trials.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.
    method : {"clopper-pearson", "wilson", "jeffreys", "agresti-coull"}, default "clopper-pearson"
        The name of the interval.

    Returns
    -------
    Interval
        The limits, fractions between 0 and 1.

    Raises
    ------
    ParameterError
        If there are more errors than trials, no trial, or the method is unknown.

    Notes
    -----
    ``clopper-pearson`` covers at least at the nominal level, the others on average.

    References
    ----------
    Brown, Cai & DasGupta, Interval estimation for a binomial proportion, Statistical Science 16, 2001.

    Examples
    --------
    >>> low, high = proportion_interval(10, 400)
    >>> round(low, 5), round(high, 5)
    (0.01205, 0.04549)
    """
    from scipy import stats

    if trials < 1 or not 0 <= errors <= trials or errors != int(errors):
        raise ParameterError(f"errors must be a whole number from 0 to the number of trials, not {errors} of {trials}")
    check_choice("method", method, get_args(ProportionMethod))
    quantile = normal_quantile(confidence)
    if method in ("clopper-pearson", "wilson"):
        name: Literal["exact", "wilson"] = "exact" if method == "clopper-pearson" else "wilson"
        result = stats.binomtest(int(errors), int(trials)).proportion_ci(confidence, method=name)
        return Interval(float(result.low), float(result.high))
    if method == "jeffreys":
        tail = (1 - confidence) / 2
        posterior = stats.beta(errors + 0.5, trials - errors + 0.5)
        low = 0.0 if errors == 0 else float(posterior.ppf(tail))
        return Interval(low, 1.0 if errors == trials else float(posterior.ppf(1 - tail)))
    more = trials + quantile**2
    middle = (errors + quantile**2 / 2) / more
    reach = quantile * (middle * (1 - middle) / more) ** 0.5
    return Interval(max(middle - reach, 0.0), min(middle + reach, 1.0))


def rule_of_three(trials: int) -> float:
    """Compute the rate that `trials` independent trials without error exclude at about 95 % confidence: 3 / trials.

    Parameters
    ----------
    trials : int
        The number of independent trials, all without error.

    Returns
    -------
    float
        A fraction; at most 1.

    Raises
    ------
    ParameterError
        If there is no trial.

    References
    ----------
    Jovanovic & Levy, A look at the rule of three, The American Statistician 51, 1997.

    Examples
    --------
    >>> rule_of_three(300)
    0.01
    """
    if trials < 1:
        raise ParameterError(f"there must be at least one trial, not {trials}")
    return min(1.0, 3 / trials)


@dataclass(frozen=True, slots=True, repr=False)
class RateIntervals(Result):
    """Intervals of published error rates.

    Attributes
    ----------
    intervals : tuple of RateInterval
        The intervals, by measure and method; the one to use first.
    counts : ErrorCounts
        The errors and trials.

    Examples
    --------
    >>> from fairtrial.published import rate_intervals
    >>> rate_intervals(far=0.0115, frr=0.025, impostor=112000, genuine=400).answer()
    'The HTER lies between 1.06 and 2.59 % (95 %, 112,000 impostor and 400 genuine trials, taken as independent)'
    """

    FIELDS: ClassVar = (Field("intervals"),)
    intervals: tuple[RateInterval, ...]
    counts: ErrorCounts

    def answer(self) -> str:
        """Write the first interval."""
        main = self.intervals[0]
        limits = figures_text(main.low, main.high, main.is_share).replace(" to ", " and ")
        trials = f"{self.counts.impostor:,} impostor and {self.counts.genuine:,} genuine trials, taken as independent"
        return f"The {term(main.label)} lies between {limits} ({level_text(main.confidence)}, {trials})"

    def tables(self) -> tuple[Table, ...]:
        """Tabulate one row per interval."""
        return join_tables([interval.tables() for interval in self.intervals])


def rate_intervals(
    *,
    impostor: int,
    genuine: int,
    far: float | None = None,
    frr: float | None = None,
    false_accepts: int | None = None,
    false_rejects: int | None = None,
    measure: ReportedMeasure = "hter",
    alpha: float = 0.5,
    costs: DetectionCosts | None = None,
    confidence: float = 0.95,
) -> RateIntervals:
    """Compute the intervals of published error rates, all trials independent.

    Parameters
    ----------
    impostor, genuine : int
        As of `published_counts`.
    far, frr : float, optional
        As of `published_counts`.
    false_accepts, false_rejects : int, optional
        As of `published_counts`.
    measure : {"hter", "wer", "dcf", "far", "frr", "naive", "class", "all"}, default "hter"
        What is reported; ``naive`` and ``class`` are for comparison only.
    alpha : float, default 0.5
        The weight of FAR in the measure ``wer``.
    costs : DetectionCosts, optional
        Costs and priors of the measure ``dcf``; those of NIST by default.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.

    Returns
    -------
    RateIntervals
        The interval of eq. (13), preceded by one from Wilson's limits if there is no error to estimate its width from.
        FAR and FRR also have the intervals of `proportion_interval`, their errors rounded to whole numbers.

    Raises
    ------
    ParameterError
        If a rate or number is out of range, or `alpha` or `costs` does not apply to the measure.

    References
    ----------
    Bengio & Mariéthoz, A statistical significance test for person authentication, 2004, eqs. (13), (14), (17), (18).

    Examples
    --------
    >>> result = rate_intervals(far=0.0115, frr=0.025, impostor=112000, genuine=400)
    >>> [round(limit, 5) for limit in result.intervals[0].interval]
    [0.01059, 0.02591]
    """
    from fairtrial.inference.estimates import counted_interval

    check_choice("measure", measure, get_args(ReportedMeasure))
    _check_applies(measure, alpha, costs)
    counts = published_counts(
        impostor=impostor, genuine=genuine, far=far, frr=frr, false_accepts=false_accepts, false_rejects=false_rejects
    )
    intervals = []
    for name in get_args(ComparedMeasure):
        reported = as_measure(costs if costs is not None and name == "dcf" else name)
        interval = rate_interval(counts, measure=reported, alpha=alpha, confidence=confidence)
        if not interval.sigma:
            intervals.append(counted_interval(counts, measure=reported, alpha=alpha, confidence=confidence))
        intervals.append(interval)
    intervals += [overall_interval(method, counts, confidence=confidence) for method in get_args(Overall)]
    for name, errors, trials in (
        ("far", round(counts.false_accepts), counts.impostor),
        ("frr", round(counts.false_rejects), counts.genuine),
    ):
        note: Note | str = ""
        if not errors:
            note = Note("rule-of-3", "no error: below {bound:percent} by the rule of 3", bound=rule_of_three(trials))
        for method in get_args(ProportionMethod):
            low, high = proportion_interval(errors, trials, confidence=confidence, method=method)
            intervals.append(RateInterval(errors / trials, low, high, nan, confidence, method, name, note=note))
    return RateIntervals(tuple(each for each in intervals if measure in (each.measure, "all")), counts)


def _check_applies(measure: str, alpha: float, costs: DetectionCosts | None) -> None:
    """Refuse a weight or costs that the measure does not have."""
    for name, given, owner in (("alpha", alpha != 0.5, "wer"), ("costs", costs is not None, "dcf")):
        if given and measure not in (owner, "all"):
            template = f"{{{name}!p}} applies to {{measure!o}}, not to {{other}}"
            raise ParameterError(template, code="does-not-apply", measure=owner, other=measure)


@dataclass(frozen=True, slots=True)
class Discordant:
    """Trials on which two systems disagree: ``ab`` are those that A decides rightly and B wrongly.

    Parameters
    ----------
    impostor_ab : int
        Impostor trials that only A decides rightly, NI_AB.
    impostor_ba : int
        Impostor trials that only B decides rightly, NI_BA.
    genuine_ab : int
        Genuine trials that only A decides rightly, NC_AB.
    genuine_ba : int
        Genuine trials that only B decides rightly, NC_BA.

    References
    ----------
    Bengio & Mariéthoz, A statistical significance test for person authentication, 2004, section 3.3.

    Examples
    --------
    >>> Discordant(impostor_ab=1500, impostor_ba=603, genuine_ab=9, genuine_ba=8).genuine_ab
    9
    """

    impostor_ab: int
    impostor_ba: int
    genuine_ab: int
    genuine_ba: int

    def __post_init__(self) -> None:
        for name in self.__slots__:
            check_count(name, getattr(self, name))


def independent_test(
    a: ErrorCounts,
    b: ErrorCounts,
    *,
    measure: MeasureLike = "hter",
    alpha: float = 0.5,
    pooled: bool = False,
    alternative: Alternative = "two-sided",
    names: tuple[str, str] = ("A", "B"),
) -> TestResult:
    r"""Test two systems on independent trials: variances add.

    With `pooled`, the variance of a single rate is that under the null hypothesis,

    .. math:: \sigma^2 = p (1 - p) (1 / n_A + 1 / n_B)

    with p the errors of both systems over the trials of both.

    Parameters
    ----------
    a, b : ErrorCounts
        Errors and trials of the system, or `published_counts`.
    measure : str, Measure, DetectionCosts or callable, default "hter"
        What is compared: a weighted sum of FAR and FRR.
    alpha : float, default 0.5
        The weight of FAR in the measure ``wer``.
    pooled : bool, default False
        Whether the variance is that under the null hypothesis, for a measure of one class: far, frr, recall,
        sensitivity, specificity.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        What is claimed of A - B: that it is not 0, below 0 (``less``) or above 0 (``greater``).
    names : tuple of (str, str), default ("A", "B")
        What the two systems are called in the note.

    Returns
    -------
    TestResult
        Called ``hter-independent``, ``far-independent``, ...; ``far-pooled``, ... with `pooled`.

    Raises
    ------
    ParameterError
        If the measure is not linear; with `pooled`, if it depends on both rates: equal HTERs do not make both rates
        equal, so there is nothing to pool.

    Notes
    -----
    Trials that share people are not independent, and the test then finds too many differences; `compare` accounts for
    them. Systems on the same trials are not independent either; `dependent_test` is for them.

    References
    ----------
    Bengio & Mariéthoz, A statistical significance test for person authentication, 2004, eq. (15); of a single rate eqs.
    (7) and (8); one-sided eq. (5), two-sided eq. (6).

    Examples
    --------
    >>> a = published_counts(far=0.0115, frr=0.0250, impostor=112000, genuine=400)
    >>> b = published_counts(far=0.0195, frr=0.0275, impostor=112000, genuine=400)
    >>> round(100 * independent_test(a, b).delta, 2)
    64.65
    >>> round(independent_test(a, b, measure="frr", pooled=True).sigma, 6)
    0.011305
    """
    compared, weights = as_measure(measure), linear_weights(measure, alpha)
    sigma = sqrt(independent_variance(a, weights) + independent_variance(b, weights))
    if pooled:
        if bool(weights.far) == bool(weights.frr):
            raise ParameterError(f"only a rate of one class can be pooled, such as far or frr, not {compared.name}")
        errors, trials = ("false_accepts", "impostor") if weights.far else ("false_rejects", "genuine")
        numbers = [getattr(counts, trials) for counts in (a, b)]
        rate = float(sum(getattr(counts, errors) for counts in (a, b)) / sum(numbers))
        sigma = abs(weights.far + weights.frr) * sqrt(rate * (1 - rate) * sum(1 / number for number in numbers))
    return z_test(
        f"{compared.name}-{'pooled' if pooled else 'independent'}",
        float(weights.value(a) - weights.value(b)),
        sigma,
        alternative=alternative,
        measure=compared,
        note=few_errors_note(dict(zip(names, (a, b), strict=True)), weights),
    )


def few_errors_note(systems: Mapping[str, ErrorCounts], weights: Weights) -> Note | str:
    """Note which rates of which systems are far from normal; without numbers, so that many pairs share the note.

    Parameters
    ----------
    systems : mapping of str to ErrorCounts
        The errors of the systems, by name.
    weights : Weights
        The weights of FAR and FRR; a rate without weight is left out.

    Returns
    -------
    Note or str
        The note; empty if there are enough errors.
    """
    few = [(rate, name) for name, counts in systems.items() for rate in rates_with_few_errors(counts, weights)]
    if not few:
        return ""
    names: dict[str, Any] = {f"system_{k}": name for k, (_, name) in enumerate(few)}
    rates = ", ".join(f"{{{rate}}} of {{system_{k}}}" for k, (rate, _) in enumerate(few))
    return Note(
        "few-errors",
        f"too few errors for a normal approximation: n p (1 - p) is below {{enough}} for {rates}",
        enough=ENOUGH,
        **names,
    )


def dependent_test(
    a: ErrorCounts,
    b: ErrorCounts,
    discordant: Discordant,
    *,
    measure: MeasureLike = "hter",
    alpha: float = 0.5,
    alternative: Alternative = "two-sided",
) -> TestResult:
    """Test two systems on the same trials, by the trials on which they disagree.

    Parameters
    ----------
    a, b : ErrorCounts
        Errors and trials of the system, or `published_counts`.
    discordant : Discordant
        The numbers of trials that only A or only B decides rightly.
    measure : str, Measure, DetectionCosts or callable, default "hter"
        What is compared: a weighted sum of FAR and FRR.
    alpha : float, default 0.5
        The weight of FAR in the measure ``wer``.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        What is claimed of A - B: that it is not 0, below 0 (``less``) or above 0 (``greater``).

    Returns
    -------
    TestResult
        Called ``hter-dependent``, ``far-dependent``, ...

    Raises
    ------
    ParameterError
        If the discordant trials contradict the errors, or the numbers of trials differ.

    Notes
    -----
    The variance is that under no difference; trials are taken as independent of each other. The numerator of
    the paper's Fig. 2 lacks the factor 1/2 of the HTER; it is here.

    References
    ----------
    Bengio & Mariéthoz, A statistical significance test for person authentication, 2004, eq. (16); of a single rate eqs.
    (9) and (10).

    Examples
    --------
    >>> a = published_counts(far=0.0115, frr=0.0250, impostor=112000, genuine=400)
    >>> b = published_counts(far=0.0195, frr=0.0275, impostor=112000, genuine=400)
    >>> result = dependent_test(a, b, Discordant(1500, 603, 9, 8))
    >>> round(100 * result.delta, 1), round(result.sigma, 4)
    (69.2, 0.0052)
    """
    if (a.impostor, a.genuine) != (b.impostor, b.genuine):
        raise ParameterError("a dependent test needs both systems on the same trials, but their numbers differ")
    compared, weights = as_measure(measure), linear_weights(measure, alpha)
    variance = estimate = 0.0
    impostor_ab, impostor_ba, genuine_ab, genuine_ba = astuple(discordant)
    for trial, weight, errors_a, errors_b, ab, ba, trials in (
        ("impostor", weights.far, a.false_accepts, b.false_accepts, impostor_ab, impostor_ba, a.impostor),
        ("genuine", weights.frr, a.false_rejects, b.false_rejects, genuine_ab, genuine_ba, a.genuine),
    ):
        # rates are commonly published with two or three digits
        slack = 1 + 0.0005 * trials
        if abs((errors_b - errors_a) - (ab - ba)) > 2 * slack or ab > errors_b + slack or ba > errors_a + slack:
            raise ParameterError(
                f"the discordant {trial} trials ({ab:g} wrong for B only, {ba:g} for A only) contradict the errors: "
                f"A made {errors_a:.1f} and B {errors_b:.1f}"
            )
        variance += weight**2 * (ab + ba) / trials**2
        # from the discordant trials themselves, which published rates give only rounded
        estimate += weight * (ba - ab) / trials
    return z_test(f"{compared.name}-dependent", estimate, sqrt(variance), alternative=alternative, measure=compared)


@dataclass(frozen=True, slots=True, repr=False)
class RateTests(Result):
    """Tests of the difference of two systems from published error rates.

    Attributes
    ----------
    tests : tuple of TestResult
        The tests of A - B, the one that counts first.
    values : tuple of (float, float)
        The measure of A and of B.

    Examples
    --------
    >>> from fairtrial.published import compare_rates
    >>> result = compare_rates(a=(0.0115, 0.025), b=(0.0195, 0.0275), impostor=112000, genuine=400)
    >>> [test.test for test in result.tests]
    ['hter-independent', 'naive', 'class']
    """

    FIELDS: ClassVar = (Field("tests"),)
    tests: tuple[TestResult, ...]
    values: tuple[float, float]

    def answer(self) -> str:
        """Write the conclusion of the first test."""
        test = self.tests[0]
        a, b = (figure_text(value, test.is_share) for value in self.values)
        limits = test.interval() or (test.estimate, test.estimate)
        basis = f"test {test.test}, trials taken as independent"
        return difference_answer(
            (f"{term(test.label)} {a}", b), test.estimate, limits, test.p_value, test.alternative, basis, test.is_share
        )

    def tables(self) -> tuple[Table, ...]:
        """Tabulate the tests, the one that counts first; the others on request."""
        (table,) = join_tables([test.tables() for test in self.tests])
        caption = "Test of the difference A - B, all trials independent of each other"
        main = replace(table, caption=caption, shown=(0,), notes=self.tests[0].tables()[0].notes)
        rows = tuple((test.test, str(test.note)) for test in self.tests[1:] if test.note)
        columns = (Column("test", "test"), Column("note", "note"))
        return (main, Table("assumptions", "What other tests assume", columns, rows, detail=True)) if rows else (main,)


def difference_answer(
    values: tuple[str, str],
    estimate: float,
    limits: tuple[float, float],
    p_value: float,
    alternative: Alternative,
    basis: str,
    is_share: bool = True,
    confidence: float = 0.95,
) -> str:
    """Conclude from a test of A - B in one sentence: which is better, or which difference is not excluded."""
    a, b = values
    spell, unit = (in_percent, " points") if is_share else (number_text, "")
    if p_value >= 1 - confidence:
        claims = {"less": "A is not shown to be better than B", "greater": "A is not shown to be worse than B"}
        claim, most = claims.get(alternative, "A and B cannot be told apart"), max(map(abs, limits))
        evidence = f"{a} and {b}, {p_phrase(p_value)}, {basis}"
        return f"{claim} ({evidence}); a difference of up to {spell(most)}{unit} is not excluded"
    low, high = limits if estimate > 0 else (-limits[1], -limits[0])
    reach = f"{spell(abs(estimate))}{unit} ({level_text(confidence)}: {spell(low)} to {spell(high)})"
    better = "better" if estimate < 0 else "worse"
    return f"A is {better} than B, {a} against {b}: by {reach}, {p_phrase(p_value)}, {basis}"


def compare_rates(
    *,
    impostor: int,
    genuine: int,
    a: tuple[float, float] | None = None,
    b: tuple[float, float] | None = None,
    a_counts: tuple[int, int] | None = None,
    b_counts: tuple[int, int] | None = None,
    measure: ComparedMeasure = "hter",
    alpha: float = 0.5,
    costs: DetectionCosts | None = None,
    discordant: tuple[int, int, int, int] | None = None,
    alternative: Alternative = "two-sided",
) -> RateTests:
    """Test whether two systems differ, from published rates or numbers of errors, all trials independent.

    Parameters
    ----------
    impostor : int
        The number of impostor trials of each system.
    genuine : int
        The number of genuine trials of each system.
    a : tuple of (float, float), optional
        FAR and FRR of system A, fractions.
    b : tuple of (float, float), optional
        FAR and FRR of system B, fractions.
    a_counts : tuple of (int, int), optional
        False accepts and false rejects of A, instead of its rates.
    b_counts : tuple of (int, int), optional
        False accepts and false rejects of B, instead of its rates.
    measure : {"hter", "wer", "dcf", "far", "frr"}, default "hter"
        What is compared.
    alpha : float, default 0.5
        The weight of FAR in the measure ``wer``.
    costs : DetectionCosts, optional
        Costs and priors of the measure ``dcf``; those of NIST by default.
    discordant : tuple of (int, int, int, int), optional
        The trials that only A, and only B, decides rightly: impostor, then genuine, as in `Discordant`. They allow the
        dependent test.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        What is claimed of A - B: that it is not 0, below 0 (``less``) or above 0 (``greater``).

    Returns
    -------
    RateTests
        The test that counts first: with `discordant` the dependent one, otherwise the independent one. Then the
        independent one; for a single rate the pooled one; for HTERs, for comparison only, the naive test and that of
        the classification error.

    Raises
    ------
    ParameterError
        If a rate or number is out of range, a system has neither or both of rates and numbers of errors, or `alpha` or
        `costs` does not apply to the measure.

    References
    ----------
    Bengio & Mariéthoz, A statistical significance test for person authentication, 2004, eqs. (7) to (10), (15) to (18).

    Examples
    --------
    >>> result = compare_rates(a=(0.0115, 0.025), b=(0.0195, 0.0275), impostor=112000, genuine=400)
    >>> round(100 * result.tests[0].delta, 2)
    64.65
    """
    check_choice("measure", measure, get_args(ComparedMeasure))
    _check_applies(measure, alpha, costs)
    counts = []
    for name, rates, errors in (("a", a, a_counts), ("b", b, b_counts)):
        if (rates is None) == (errors is None):
            template = (
                f"give either {{{name}!p}} ({{FAR}} and {{FRR}}) or {{{name}_counts!p}} (numbers of errors); "
                "{given} given"
            )
            raise ParameterError(template, code="either-or", given="neither was" if rates is None else "both were")
        names = ("far", "frr") if errors is None else ("false_accepts", "false_rejects")
        published: dict[str, Any] = dict(zip(names, rates or errors or (), strict=True))
        try:
            counts.append(published_counts(impostor=impostor, genuine=genuine, **published))
        except ParameterError as error:
            raise ParameterError("system {system}: {error}", system=name.upper(), error=error) from error
    first, second = counts
    compared = as_measure(costs if costs is not None and measure == "dcf" else measure)
    linear: dict[str, Any] = {"measure": compared, "alpha": alpha, "alternative": alternative}
    tests = [] if discordant is None else [dependent_test(first, second, Discordant(*discordant), **linear)]
    tests.append(independent_test(first, second, **linear))
    if measure in ("far", "frr"):
        tests.append(independent_test(first, second, pooled=True, **linear))
    if measure == "hter":
        tests += [overall_test(method, first, second, alternative=alternative) for method in get_args(Overall)]
    weights = linear_weights(compared, alpha)
    return RateTests(tuple(tests), (float(weights.value(first)), float(weights.value(second))))
