"""z tests for the difference of two error rates at fixed thresholds, from counts or published rates."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from fairtrial.claims import Alternative
from fairtrial.counting.errors import ErrorCounts
from fairtrial.errors import ParameterError
from fairtrial.intervals.rates import independent_variance
from fairtrial.rules.measures import MeasureLike, as_measure, linear_weights
from fairtrial.significance.results import TestResult, z_test


@dataclass(frozen=True, slots=True)
class Discordant:
    """Trials on which two systems disagree: ``ab`` are those that A decides rightly and B wrongly."""

    impostor_ab: float
    impostor_ba: float
    genuine_ab: float
    genuine_ba: float

    def __post_init__(self) -> None:
        for name in ("impostor_ab", "impostor_ba", "genuine_ab", "genuine_ba"):
            if not getattr(self, name) >= 0:
                raise ParameterError(f"{name} must be at least 0, not {getattr(self, name)}")


def independent_test(
    a: ErrorCounts,
    b: ErrorCounts,
    *,
    measure: MeasureLike = "hter",
    alpha: float = 0.5,
    alternative: Alternative = "two-sided",
) -> TestResult:
    """Test two systems whose trials have nothing to do with each other: variances add.

    References
    ----------
    Bengio & Mariéthoz, 2004, eq. (15).

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
    return z_test(f"{name}-independent", estimate, sigma, alternative=alternative, measure=name)


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

    Notes
    -----
    The variance is that under no difference; trials are taken as independent of each other. The numerator of
    the paper's Fig. 2 lacks the factor 1/2 of the HTER; it is here.

    References
    ----------
    Bengio & Mariéthoz, 2004, eq. (16).
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
    return z_test(f"{name}-dependent", estimate, sqrt(variance), alternative=alternative, measure=name)


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
    """Test HTERs as if they were proportions of all trials: kept for comparison, over-optimistic."""
    variance = sum(float(c.hter * (1 - c.hter) / (c.impostor + c.genuine)) for c in (a, b))
    note = "over-optimistic: takes an HTER for a proportion of all trials"
    return z_test("naive", float(a.hter - b.hter), sqrt(variance), alternative=alternative, note=note)


def class_test(a: ErrorCounts, b: ErrorCounts, *, alternative: Alternative = "two-sided") -> TestResult:
    """Test classification errors: kept for comparison, over-optimistic about the rarer class."""
    errors = [float((c.false_accepts + c.false_rejects) / (c.impostor + c.genuine)) for c in (a, b)]
    variance = sum(e * (1 - e) / (c.impostor + c.genuine) for e, c in zip(errors, (a, b), strict=True))
    note = "over-optimistic: the classification error hardly sees the rarer class"
    return z_test(
        "class", errors[0] - errors[1], sqrt(variance), alternative=alternative, measure="class-error", note=note
    )
