"""z tests for the difference of two error rates at fixed thresholds, from counts or published rates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt

from fairtrial.checks import check_count
from fairtrial.claims import Alternative
from fairtrial.counting.errors import ErrorCounts
from fairtrial.errors import ParameterError
from fairtrial.intervals.rates import (
    CLASS,
    ENOUGH,
    NAIVE,
    beside_proper,
    independent_variance,
    rates_with_few_errors,
)
from fairtrial.rules.measures import MeasureLike, Weights, as_measure, linear_weights
from fairtrial.significance.results import TestResult, z_test


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
    alternative: Alternative = "two-sided",
    names: tuple[str, str] = ("A", "B"),
) -> TestResult:
    """Test two systems whose trials have nothing to do with each other: variances add.

    Parameters
    ----------
    a, b : ErrorCounts
        Errors and trials of the system, or `published_counts`.
    measure : str, Measure, DetectionCosts or callable, default "hter"
        What is compared: a weighted sum of FAR and FRR.
    alpha : float, default 0.5
        The weight of FAR in the measure ``wer``.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        What is claimed of A - B: that it is not 0, below 0 (``less``) or above 0 (``greater``).
    names : tuple of (str, str), default ("A", "B")
        What the two systems are called in the note.

    Returns
    -------
    TestResult
        Called ``hter-independent``, ``far-independent``, ...

    Raises
    ------
    ParameterError
        A measure that is not linear.

    Notes
    -----
    Trials that share people are not independent, and the test then finds too many differences; `compare` goes by
    people.

    References
    ----------
    Bengio & Mariéthoz, A statistical significance test for person authentication, 2004, eq. (15); of a single rate eq.
    (7); one-sided eq. (5), two-sided eq. (6).

    Examples
    --------
    >>> from fairtrial.intervals import published_counts
    >>> a = published_counts(far=0.0115, frr=0.0250, impostor=112000, genuine=400)
    >>> b = published_counts(far=0.0195, frr=0.0275, impostor=112000, genuine=400)
    >>> round(100 * independent_test(a, b).delta, 2)
    64.65
    """
    weights = linear_weights(measure, alpha)
    sigma = sqrt(independent_variance(a, weights) + independent_variance(b, weights))
    estimate = float(weights.value(a) - weights.value(b))
    name = as_measure(measure).name
    note = few_errors_note(dict(zip(names, (a, b), strict=True)), weights)
    return z_test(f"{name}-independent", estimate, sigma, alternative=alternative, measure=measure, note=note)


def pooled_test(
    a: ErrorCounts, b: ErrorCounts, *, measure: MeasureLike = "far", alternative: Alternative = "two-sided"
) -> TestResult:
    r"""Test a single rate of two systems by the variance that it has where both are equal.

    .. math:: \sigma^2 = p (1 - p) (1 / n_A + 1 / n_B)

    with p the errors of both over the trials of both.

    Parameters
    ----------
    a, b : ErrorCounts
        Errors and trials of the system, or `published_counts`.
    measure : str, Measure, DetectionCosts or callable, default "far"
        What is compared: a measure of FAR alone or of FRR alone: far, frr, recall, sensitivity, specificity.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        What is claimed of A - B: that it is not 0, below 0 (``less``) or above 0 (``greater``).

    Returns
    -------
    TestResult
        Called ``far-pooled``, ``frr-pooled``, ...

    Raises
    ------
    ParameterError
        A measure of both rates: equal HTERs do not make both rates equal, so there is nothing to pool.

    Notes
    -----
    With as many trials for A as for B it is the paper's :math:`2 p (1 - p) / n`. Systems on the same trials are not
    independent; `dependent_test` is for them.

    References
    ----------
    Bengio & Mariéthoz, A statistical significance test for person authentication, 2004, eq. (8).

    Examples
    --------
    >>> from fairtrial.intervals import published_counts
    >>> a, b = (published_counts(false_accepts=0, false_rejects=n, impostor=1, genuine=400) for n in (10, 11))
    >>> round(pooled_test(a, b, measure="frr").sigma, 6)
    0.011305
    """
    known, weights = as_measure(measure), linear_weights(measure)
    if bool(weights.far) == bool(weights.frr):
        raise ParameterError(f"only a rate of one class can be pooled, such as far or frr, not {known.name}")
    errors, trials = ("false_accepts", "impostor") if weights.far else ("false_rejects", "genuine")
    numbers = [getattr(counts, trials) for counts in (a, b)]
    rate = float(sum(getattr(counts, errors) for counts in (a, b)) / sum(numbers))
    sigma = abs(weights.far + weights.frr) * sqrt(rate * (1 - rate) * sum(1 / number for number in numbers))
    estimate = float(weights.value(a) - weights.value(b))
    note = few_errors_note({"A": a, "B": b}, weights)
    return z_test(f"{known.name}-pooled", estimate, sigma, alternative=alternative, measure=known, note=note)


def few_errors_note(systems: Mapping[str, ErrorCounts], weights: Weights) -> str:
    """Which rates of which systems are hardly normal; without numbers, so that many pairs share the note.

    Parameters
    ----------
    systems : mapping of str to ErrorCounts
        The errors of the systems, by name.
    weights : Weights
        How much FAR and FRR count; a rate that does not is not told of.

    Returns
    -------
    str
        The note; empty where there are errors enough.
    """
    found = [f"{rate} of {name}" for name, counts in systems.items() for rate in rates_with_few_errors(counts, weights)]
    if not found:
        return ""
    return f"few errors for a normal distribution: n p (1 - p) is below {ENOUGH} for {', '.join(found)}"


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
        How many trials only A or only B decides rightly.
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
        Discordant trials that contradict the errors, or different numbers of trials.

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
    >>> from fairtrial import published_counts
    >>> a = published_counts(far=0.0115, frr=0.0250, impostor=112000, genuine=400)
    >>> b = published_counts(far=0.0195, frr=0.0275, impostor=112000, genuine=400)
    >>> found = dependent_test(a, b, Discordant(1500, 603, 9, 8))
    >>> round(100 * found.delta, 1), round(found.sigma, 4)
    (69.2, 0.0052)
    """
    _check_discordant(a, b, discordant)
    weights = linear_weights(measure, alpha)
    variance = (
        weights.far**2 * (discordant.impostor_ab + discordant.impostor_ba) / a.impostor**2
        + weights.frr**2 * (discordant.genuine_ab + discordant.genuine_ba) / a.genuine**2
    )
    # from the discordant trials themselves, which published rates give only rounded
    estimate = (
        weights.far * (discordant.impostor_ba - discordant.impostor_ab) / a.impostor
        + weights.frr * (discordant.genuine_ba - discordant.genuine_ab) / a.genuine
    )
    name = as_measure(measure).name
    return z_test(f"{name}-dependent", estimate, sqrt(variance), alternative=alternative, measure=measure)


def _check_discordant(a: ErrorCounts, b: ErrorCounts, discordant: Discordant) -> None:
    """Raise an error where the discordant trials do not fit the errors, to within one trial of rounding."""
    if (a.impostor, a.genuine) != (b.impostor, b.genuine):
        raise ParameterError("a dependent test needs both systems on the same trials, but their numbers differ")
    for name, errors_a, errors_b, ab, ba, trials in (
        ("impostor", a.false_accepts, b.false_accepts, discordant.impostor_ab, discordant.impostor_ba, a.impostor),
        ("genuine", a.false_rejects, b.false_rejects, discordant.genuine_ab, discordant.genuine_ba, a.genuine),
    ):
        # rates are commonly published with two or three digits
        slack = 1 + 0.0005 * trials
        if abs((errors_b - errors_a) - (ab - ba)) > 2 * slack or ab > errors_b + slack or ba > errors_a + slack:
            raise ParameterError(
                f"the discordant {name} trials ({ab:g} wrong for B only, {ba:g} for A only) contradict the errors: "
                f"A made {errors_a:.1f} and B {errors_b:.1f}"
            )


def naive_test(a: ErrorCounts, b: ErrorCounts, *, alternative: Alternative = "two-sided") -> TestResult:
    """Test HTERs as if they were proportions of all trials: kept for comparison.

    It is mostly over-optimistic; the note says whether it is here, beside eq. (15).

    Parameters
    ----------
    a, b : ErrorCounts
        Errors and trials of the system, or `published_counts`.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        What is claimed of A - B: that it is not 0, below 0 (``less``) or above 0 (``greater``).

    Returns
    -------
    TestResult
        Called ``naive``.

    Raises
    ------
    ParameterError
        An alternative that is not known.

    References
    ----------
    Bengio & Mariéthoz, A statistical significance test for person authentication, 2004, eq. (18).

    Examples
    --------
    >>> from fairtrial import published_counts
    >>> a = published_counts(far=0.131, frr=0.096, impostor=57748, genuine=5825)
    >>> b = published_counts(far=0.158, frr=0.078, impostor=57748, genuine=5825)
    >>> round(100 * naive_test(a, b).delta, 1)
    98.8
    """
    variance = sum(float(c.hter * (1 - c.hter) / (c.impostor + c.genuine)) for c in (a, b))
    note = _beside_independent(NAIVE, sqrt(variance), a, b)
    return z_test("naive", float(a.hter - b.hter), sqrt(variance), alternative=alternative, note=note)


def class_test(a: ErrorCounts, b: ErrorCounts, *, alternative: Alternative = "two-sided") -> TestResult:
    """Test classification errors: kept for comparison.

    It is mostly over-optimistic about the rarer class; the note says whether it is here, beside eq. (15).

    Parameters
    ----------
    a, b : ErrorCounts
        Errors and trials of the system, or `published_counts`.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        What is claimed of A - B: that it is not 0, below 0 (``less``) or above 0 (``greater``).

    Returns
    -------
    TestResult
        Called ``class``.

    Raises
    ------
    ParameterError
        An alternative that is not known.

    References
    ----------
    Bengio & Mariéthoz, A statistical significance test for person authentication, 2004, eq. (17).

    Examples
    --------
    >>> from fairtrial import published_counts
    >>> a, b = (published_counts(false_accepts=n, false_rejects=1, impostor=99, genuine=1) for n in (9, 19))
    >>> class_test(a, b).estimate
    -0.1
    """
    errors = [float((c.false_accepts + c.false_rejects) / (c.impostor + c.genuine)) for c in (a, b)]
    variance = sum(e * (1 - e) / (c.impostor + c.genuine) for e, c in zip(errors, (a, b), strict=True))
    note = _beside_independent(CLASS, sqrt(variance), a, b)
    return z_test(
        "class", errors[0] - errors[1], sqrt(variance), alternative=alternative, measure="class-error", note=note
    )


def _beside_independent(what: str, sigma: float, a: ErrorCounts, b: ErrorCounts) -> str:
    weights = linear_weights("hter")
    return beside_proper(what, sigma, sqrt(independent_variance(a, weights) + independent_variance(b, weights)), 15)
