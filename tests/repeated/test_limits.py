"""The six intervals against a recomputed example, and against the paper's formulas written out person by person."""

from __future__ import annotations

from fractions import Fraction
from math import exp, log, nan, sqrt
from statistics import NormalDist
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

from fairtrial import ParameterError, Trials, TrialsError
from fairtrial.repeated.attempts import ErrorKind, Individuals, Person
from fairtrial.repeated.intervals import PAPER_METHODS, REPEATED_METHODS
from fairtrial.repeated.limits import Limits
from fairtrial.repeated.replicates import sum_quantiles
from reference import individuals_2004 as reference

ERRORS, ATTEMPTS = list(reference.EXAMPLE.errors), reference.EXAMPLE.attempts
EXAMPLE = Individuals.from_counts(ERRORS, ATTEMPTS)
PRINTED_Z = 2 * NormalDist().cdf(reference.QUANTILE) - 1
"""The confidence at which the normal quantile is that of the paper."""

Counts = list[tuple[int, int]]


@st.composite
def people(draw: st.DrawFn, *, least: int = 2, most_attempts: int = 7) -> Counts:
    """Errors and attempts of a few people."""
    tried = draw(st.lists(st.integers(1, most_attempts), min_size=least, max_size=6))
    return [(draw(st.integers(0, m)), m) for m in tried]


def individuals(counts: Counts) -> Individuals:
    errors, attempts = zip(*counts, strict=True)
    return Individuals.from_counts(errors, attempts)


def limits(name: str, found: Individuals, **options: Any) -> Limits:
    return REPEATED_METHODS[name].limits(found, **{"n_resamples": None, **options})


class Paper:
    """Schuckers et al. 2004 as printed, but for m_0, which is divided by n - 1 too and used in (9)."""

    def __init__(self, counts: Counts) -> None:
        n, total = len(counts), sum(m for _, m in counts)
        self.n, self.total, self.counts = n, total, counts
        self.pi = sum(x for x, _ in counts) / total
        mean = total / n
        self.bms = sum(m * (x / m - self.pi) ** 2 for x, m in counts) / (n - 1)
        self.m0 = mean - sum((m - mean) ** 2 for _, m in counts) / (n * (n - 1) * mean)
        self.bp_sigma = sqrt(sum((m * (x / m - self.pi)) ** 2 for x, m in counts) / (mean**2 * n * (n - 1)))
        if total == n:
            self.rho = 0.0
            return
        self.wms = sum(m * (x / m) * (1 - x / m) for x, m in counts) / (n * (mean - 1))
        below = self.bms + (self.m0 - 1) * self.wms
        self.rho = (self.bms - self.wms) / below if below else nan

    def bb(self, z: float) -> tuple[float, float]:
        reach = z * sqrt(max(self.pi * (1 - self.pi) * (1 + (self.m0 - 1) * self.rho) / self.total, 0))
        return self.pi - reach, self.pi + reach

    def lbb(self, z: float) -> tuple[float, float]:
        reach = z * sqrt(max((1 + (self.m0 - 1) * self.rho) / (self.pi * (1 - self.pi) * self.total), 0))
        middle = log(self.pi / (1 - self.pi))
        low, high = (exp(middle + side * reach) / (1 + exp(middle + side * reach)) for side in (-1, 1))
        return low, high

    def replicates(self, method: str) -> list[Fraction]:
        """The exact distribution of the errors of a replicate."""
        found = [Fraction(1)]
        for x, m in self.counts:
            for _ in range(m if method == "sb" else 1):
                p = Fraction(x, m)
                found = [(1 - p) * a + p * b for a, b in zip([*found, Fraction(0)], [Fraction(0), *found], strict=True)]
        return found

    def percentiles(self, method: str, tail: Fraction) -> tuple[float, float]:
        masses = self.replicates(method)
        sums = [sum(masses[: k + 1]) for k in range(len(masses))]
        total = self.total if method == "sb" else self.n
        low, high = (next(k for k, c in enumerate(sums) if c >= level) / total for level in (tail, 1 - tail))
        return low, high


@pytest.mark.parametrize(("method", "expected"), reference.EXAMPLE.limits.items())
def test_limits_of_the_example(method: str, expected: tuple[float, float]) -> None:
    assert limits(method, EXAMPLE, confidence=PRINTED_Z) == pytest.approx(expected, abs=5e-7)


def test_moments_of_the_example() -> None:
    assert (EXAMPLE.individuals, EXAMPLE.total_attempts, EXAMPLE.total_errors) == (10, 50, 9)
    assert EXAMPLE.estimate == pytest.approx(reference.EXAMPLE.pi)
    assert EXAMPLE.between == pytest.approx(reference.EXAMPLE.between, abs=5e-9)
    assert EXAMPLE.within == pytest.approx(reference.EXAMPLE.within)
    assert EXAMPLE.rho == pytest.approx(reference.EXAMPLE.rho, abs=5e-9)
    assert EXAMPLE.typical_attempts == pytest.approx(5)


@pytest.mark.parametrize(("method", "sd"), reference.EXAMPLE.replicate_sd.items())
def test_spread_of_replicates_of_the_example(method: str, sd: float) -> None:
    masses = Paper([(x, 5) for x in ERRORS]).replicates(method)
    total = len(masses) - 1
    rates = np.arange(total + 1) / total
    weights = np.array([float(mass) for mass in masses])
    assert sqrt(weights @ rates**2 - (weights @ rates) ** 2) == pytest.approx(sd, abs=5e-7)
    # the quantiles that the intervals are made of, at many even levels, have the same spread
    levels = (np.arange(20_000) + 0.5) / 20_000
    repeats = EXAMPLE.counts * (EXAMPLE.attempts if method == "sb" else 1)
    rate = EXAMPLE.errors / EXAMPLE.attempts
    found = sum_quantiles(rate, repeats[None], levels[None])[0] / total
    assert found.std() == pytest.approx(sd, abs=1e-5)


@given(counts=people(), z=st.floats(0.1, 4))
def test_unequal_attempts_against_the_formulas_person_by_person(counts: Counts, z: float) -> None:
    paper, found = Paper(counts), individuals(counts)
    confidence = 2 * NormalDist().cdf(z) - 1
    assert found.estimate == pytest.approx(paper.pi)
    assert found.typical_attempts == pytest.approx(paper.m0)
    assert found.between == pytest.approx(paper.bms, abs=1e-12)
    assert limits("dr", found) == pytest.approx((0.7 * paper.pi, 1.3 * paper.pi))
    reach = z * paper.bp_sigma
    assert limits("bp", found, confidence=confidence) == pytest.approx((paper.pi - reach, paper.pi + reach), abs=1e-7)
    if 0 < paper.pi < 1:
        assert found.rho == pytest.approx(paper.rho, abs=1e-9)
        assert limits("bb", found, confidence=confidence) == pytest.approx(paper.bb(z), abs=1e-7)
        assert limits("lbb", found, confidence=confidence) == pytest.approx(paper.lbb(z), abs=1e-7)


@settings(max_examples=80)
@given(counts=people(), tail=st.sampled_from([Fraction(1, 40), Fraction(1, 20), Fraction(1, 8), Fraction(1, 200)]))
@example(counts=[(10, 20), (19, 20)], tail=Fraction(1, 40))
@example(counts=[(1, 40), (0, 40)], tail=Fraction(1, 40))
def test_percentiles_against_exact_fractions(counts: Counts, tail: Fraction) -> None:
    # the two examples have replicates whose distribution function is just 1/40 or 39/40
    paper = Paper(counts)
    for method in ("sb", "brr"):
        found = limits(method, individuals(counts), confidence=float(1 - 2 * tail))
        assert found == pytest.approx(paper.percentiles(method, tail))


@pytest.mark.parametrize("method", ["sb", "brr"])
def test_finite_resamples_against_really_resampling(method: str) -> None:
    rng = np.random.default_rng(5)
    rate = np.array(ERRORS) / ATTEMPTS
    tests, resamples, total = 300, 200, 50 if method == "sb" else 10
    draws = rng.binomial(ATTEMPTS if method == "sb" else 1, rate, (tests, resamples, 10)).sum(axis=2)
    ranked = np.sort(draws, axis=1)[:, [4, 194]] / total  # ceil(.025 * 200) and ceil(.975 * 200), from 0
    found = np.array([limits(method, EXAMPLE, n_resamples=resamples, rng=seed) for seed in range(tests)])
    error = np.sqrt((ranked.var(axis=0) + found.var(axis=0)) / tests)
    assert np.all(error > 0)
    assert np.abs(ranked.mean(axis=0) - found.mean(axis=0)) == pytest.approx(0, abs=4.5 * float(error.max()))
    assert found.std(axis=0) == pytest.approx(ranked.std(axis=0), rel=0.25)


@pytest.mark.parametrize("method", PAPER_METHODS)
def test_batches_give_what_each_data_set_gives(method: str) -> None:
    rng = np.random.default_rng(2)
    kinds = [(x, m) for m in (1, 3, 8) for x in range(m + 1)]
    counts = rng.multinomial(25, np.full(len(kinds), 1 / len(kinds)), 40)
    errors, attempts = np.array(kinds, dtype=float).T
    batch = Individuals(errors, attempts, counts.astype(float))
    options: list[dict[str, Any]] = [{"n_resamples": None}, {"n_resamples": 300, "confidence": 0.8}]
    for each in options:
        source, other = np.random.default_rng(7), np.random.default_rng(7)
        low, high = limits(method, batch, rng=source, **each)
        assert low.shape == (40,)
        for row in range(40):
            repeated = np.repeat(kinds, counts[row], axis=0)
            one = Individuals.from_counts(repeated[:, 0], repeated[:, 1])
            assert (low[row], high[row]) == pytest.approx(limits(method, one, rng=other, **each))


@pytest.mark.parametrize("every", [0, 4])
def test_no_error_and_nothing_but_errors_leave_lbb_undefined(every: int) -> None:
    found = Individuals.from_counts([every] * 6, 4)
    rate = every / 4
    assert np.isnan(found.rho)
    assert np.isnan(limits("lbb", found)).all()
    for method in ("bp", "sb", "bb", "brr"):
        assert limits(method, found) == (rate, rate)
    assert limits("dr", found) == pytest.approx((0.7 * rate, 1.3 * rate))


def test_people_with_the_same_rate_have_zero_width() -> None:
    for counts in ([(2, 5)] * 7, [(1, 3), (2, 6), (3, 9), (1, 3)], [(3, 10), (6, 20), (9, 30)]):
        found = individuals(counts)
        for method in ("bp", "bb", "lbb"):
            low, high = limits(method, found)
            assert low == high == pytest.approx(counts[0][0] / counts[0][1])
        assert found.rho == pytest.approx(-1 / (found.typical_attempts - 1))


def test_one_attempt_each_is_binomial() -> None:
    found = Individuals.from_counts([1] * 3 + [0] * 17, 1)
    assert (found.rho, found.within) == (0, 0)
    expected = 0.15 - 1.96 * sqrt(0.15 * 0.85 / 20), 0.15 + 1.96 * sqrt(0.15 * 0.85 / 20)
    assert limits("bb", found, confidence=PRINTED_Z) == pytest.approx(expected)
    assert limits("brr", found) == pytest.approx((0.15, 0.15))


def test_negative_correlation_is_not_truncated() -> None:
    # everybody errs once or twice in four attempts: less spread than the binomial has
    counts = [(1, 4), (2, 4)] * 10
    paper, found = Paper(counts), individuals(counts)
    assert paper.rho < -0.2
    assert found.rho == pytest.approx(paper.rho)
    low, high = limits("bb", found)
    binomial = 2 * 1.959964 * sqrt(paper.pi * (1 - paper.pi) / 80)
    assert 0 < high - low < 0.7 * binomial


def test_limits_are_not_clipped_but_for_the_logit() -> None:
    assert limits("bp", EXAMPLE)[0] < 0
    assert limits("bb", EXAMPLE)[0] < 0
    successes = Individuals.from_counts(ATTEMPTS - np.array(ERRORS), ATTEMPTS)
    assert limits("bb", successes)[1] > 1
    low, high = limits("lbb", EXAMPLE)
    # errors and successes swapped mirror the logit interval
    assert limits("lbb", successes) == pytest.approx((1 - high, 1 - low))
    assert 0 < low < high < 1


@pytest.mark.parametrize(
    ("errors", "attempts", "message"),
    [
        ([1], [5], "at least two individuals, not 1"),
        ([], [], "at least two individuals, not 0"),
        ([0, 6], 5, "individual 2 has more errors than attempts: 6 errors in 5 attempts"),
        ([0, 0, 0], [5, 5, 0], "individual 3 has no attempt"),
        ([0, -1], 5, "errors must be whole numbers of at least 0; that of individual 2 is -1"),
        ([0, 1], [5, -5], "attempts must be whole numbers of at least 0; that of individual 2 is -5"),
        ([0.5, 1], 5, "errors must be whole numbers of at least 0; that of individual 1 is 0.5"),
        ([0, 1], 2.5, "attempts must be whole numbers"),
        ([0, nan], 5, "individual 2 is nan"),
        ([0, float("inf")], 5, "individual 2 is inf"),
        (["none", "one"], 5, "errors must be numbers, not"),
        ([0, 1], ["five", "six"], "attempts must be numbers"),
        ([0, None], 5, "individual 2 is nan"),
        ([[0, 1], [1, 2]], 5, "lists of the same length"),
        ([[0], [1, 2]], 5, "errors must be numbers"),
        ([0, 1, 2], [5, 5], "lists of the same length, not of 3 and 2"),
        ([0, 10**400], 5, "errors must be numbers"),
        (3, 5, "lists of the same length"),
    ],
)
def test_bad_counts(errors: Any, attempts: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Individuals.from_counts(errors, attempts)


@pytest.mark.parametrize("method", ["bp", "sb", "bb", "lbb", "brr"])
@pytest.mark.parametrize("confidence", [0, 1, -0.5, 1.5, nan])
def test_bad_confidence(method: str, confidence: float) -> None:
    with pytest.raises(ParameterError, match="confidence must be between 0 and 1"):
        limits(method, EXAMPLE, confidence=confidence)


@pytest.mark.parametrize("method", ["sb", "brr"])
def test_no_resample(method: str) -> None:
    with pytest.raises(ParameterError, match="at least one resample, not 0"):
        limits(method, EXAMPLE, n_resamples=0)


def test_one_number_of_attempts_stands_for_all() -> None:
    spelled = Individuals.from_counts(ERRORS, [5] * 10)
    for other in (Individuals.from_counts(ERRORS, 5), Individuals.from_counts(np.array(ERRORS), [5])):
        assert limits("lbb", other) == limits("lbb", spelled)


def some_trials() -> Trials:
    rng = np.random.default_rng(3)
    claim, subject = rng.integers(0, 7, (2, 300))
    return Trials.from_arrays(
        np.stack([rng.normal(size=300), rng.normal(size=300)], axis=1),
        claim == subject,
        systems=["face", "voice"],
        claim=[f"c{k}" for k in claim],
        subject=[f"c{k}" for k in subject],
    )


@pytest.mark.parametrize("error", ["far", "frr"])
@pytest.mark.parametrize("by", ["claim", "subject"])
@pytest.mark.parametrize("system", ["face", "voice"])
def test_people_of_trials_against_a_plain_count(error: ErrorKind, by: Person, system: str) -> None:
    trials = some_trials()
    scores, names = trials.column(system), trials.ids[by].decode()
    counts: dict[str, list[int]] = {}
    for score, genuine, name in zip(scores, trials.genuine, names, strict=True):
        if genuine == (error == "frr"):
            wrong, tried = counts.setdefault(str(name), [0, 0])
            counts[str(name)] = [wrong + int((score > 0.3) != genuine), tried + 1]
    expected = individuals([(wrong, tried) for wrong, tried in counts.values()])
    found = Individuals.from_trials(trials, 0.3, system=system, error=error, role=by)
    for name in ("errors", "attempts", "counts"):
        assert getattr(found, name).tolist() == getattr(expected, name).tolist()


def test_people_of_trials_that_cannot_be_told() -> None:
    plain = Trials.from_arrays([0.0, 1.0], [False, True])
    with pytest.raises(TrialsError) as error:
        Individuals.from_trials(plain, 0.5)
    assert error.value.code == "no-ids"
    one = Trials.from_arrays([0.0, 1.0, 1.0], [False, True, True], claim=["a", "b", "b"])
    for kind in get_args(ErrorKind):
        with pytest.raises(TrialsError) as error:
            Individuals.from_trials(one, 0.5, error=kind)
        assert error.value.code == "one-person"
    odd: Any = "probe"
    with pytest.raises(ParameterError, match=r"^role "):
        Individuals.from_trials(some_trials(), 0.5, system="face", role=odd)
    with pytest.raises(ParameterError, match=r"^error "):
        Individuals.from_trials(some_trials(), 0.5, system="face", error=odd)
    with pytest.raises(ParameterError, match="threshold"):
        Individuals.from_trials(some_trials(), nan, system="face")


def test_correlation_is_estimated_without_much_bias() -> None:
    # attempts of a beta-binomial have the correlation 1 / (a + b + 1)
    rng = np.random.default_rng(1)
    attempts = rng.integers(2, 9, 40_000)
    found = Individuals.from_counts(stats.betabinom(attempts, 2, 6).rvs(random_state=rng), attempts)
    assert found.estimate == pytest.approx(2 / 8, abs=0.005)
    assert found.rho == pytest.approx(1 / 9, abs=0.008)
