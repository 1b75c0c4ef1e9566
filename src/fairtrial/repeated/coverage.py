"""The coverage of the intervals for repeated attempts: by simulation, or exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import log, nan
from typing import Any, ClassVar, Literal, TypeAlias, get_args

import numpy as np

from fairtrial.core.errors import ParameterError, check_choice, check_number, check_rate, check_seed, check_share
from fairtrial.core.results import Field, Record
from fairtrial.core.words import cut
from fairtrial.repeated.attempts import Floats, Individuals, Rng
from fairtrial.repeated.intervals import PAPER_METHODS, known_method
from fairtrial.repeated.models import MOST_INDIVIDUALS, MOST_SIMULATED, Generator, binomial_pmf, draw_counts, errors_pmf

GridName: TypeAlias = Literal["paper", "quick"]

RIGHT_COVERAGE = (0.925, 0.975)
"""The coverage of a 95 % interval that counts as right."""
_MOST = 1 << 23
"""Outcomes that are kept in memory at once."""
_MISSED = 2e-6
"""Probability that may be left out."""
_FAINT = 1e-13
_TOLERANCE = 1e-12
"""An interval covers a rate that lies outside by no more than this."""
_MOST_FITS = 20_000


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """Data sets and their probabilities."""

    people: Individuals
    probabilities: Floats


def _too_many(n: int, pmf: Floats, why: str) -> ParameterError:
    return ParameterError(f"n = {n}, m = {len(pmf) - 1} has too many outcomes for {why}", code="too-many-outcomes")


def sums_of_errors(n: int, pmf: Floats) -> Outcomes:
    """List all sums of errors over n people: a power of one person's characteristic function."""
    attempts = len(pmf) - 1
    errors = np.arange(attempts + 1.0)
    start, size = _window(n, pmf, errors)
    if size > _MOST:
        raise _too_many(
            n, pmf, f"exact coverage ({size:,} sums of errors); simulate it, or take fewer people or attempts"
        )
    angles = 2 * np.pi * np.arange(size // 2 + 1) / size
    spectrum = (np.exp(-1j * np.outer(angles, errors)) @ pmf) ** n * np.exp(1j * angles * start)
    masses = np.fft.irfft(spectrum, n=size)
    (kept,) = np.nonzero(masses > _FAINT)
    total = start + kept
    people = Individuals(np.arange(2.0), np.full(2, float(attempts)), np.stack([n - total, total], axis=1))
    return Outcomes(people, masses[kept])


def sums_of_squares(n: int, pmf: Floats, *, most: int = _MOST) -> Outcomes:
    """List all pairs of the sum of errors and the sum of their squares over n people, if they are not too many.

    Notes
    -----
    The sum of X and that of y(X) = X (X - 1) / 2 - c X have a joint characteristic function that is the n-th power
    of one person's; c is chosen so that the two are nearly uncorrelated and the window of values small.
    """
    attempts = len(pmf) - 1
    errors = np.arange(attempts + 1.0)
    pairs = errors * (errors - 1) / 2
    mean = pmf @ errors
    variance = pmf @ (errors - mean) ** 2
    slope = np.round(pmf @ ((errors - mean) * pairs) / variance) if variance > 0 else 0.0
    rest = pairs - slope * errors
    starts, sizes = zip(*(_window(n, pmf, values) for values in (errors, rest)), strict=True)
    if sizes[0] * sizes[1] > most:
        many = f"{sizes[0]:,} sums of errors, {sizes[1]:,} sums of squares"
        raise _too_many(n, pmf, f"exact coverage ({many}); simulate it, or take fewer people or attempts")
    angles = [2 * np.pi * np.arange(size) / size for size in (sizes[0], sizes[1])]
    angles[1] = angles[1][: sizes[1] // 2 + 1]
    first, second = (
        np.exp(-1j * np.outer(angle, values)) for angle, values in zip(angles, (errors, rest), strict=True)
    )
    spectrum = ((first * pmf) @ second.T) ** n
    spectrum *= np.exp(1j * angles[0] * starts[0])[:, None] * np.exp(1j * angles[1] * starts[1])
    masses = np.fft.irfft2(spectrum, s=sizes)
    one, two = np.nonzero(masses > _FAINT)
    total = starts[0] + one
    return Outcomes(people_of_sums(n, attempts, total, starts[1] + two + slope * total), masses[one, two])


def people_of_sums(n: int, attempts: int, errors: Floats, pairs: Floats) -> Individuals:
    """Make data sets with these sums of X and of X (X - 1) / 2; most intervals depend on nothing else."""
    # people with 0, 1 and 2 errors have the same two sums, if need be with negative numbers of people
    once = errors - 2 * pairs
    kinds = np.stack([n - once - pairs, once, pairs], axis=1)
    return Individuals(np.arange(3.0), np.full(3, float(attempts)), kinds)


def _window(n: int, pmf: Floats, values: Floats) -> tuple[int, int]:
    """Give the start and the size of the range of a sum over n people; the size is even and quick to transform."""
    from scipy.fft import next_fast_len

    low, high = -_upper_bound(n, pmf, -values), _upper_bound(n, pmf, values)
    size = int(high - low) + 1
    if size > _MOST:
        return int(low), size
    size = int(next_fast_len(size + size % 2, real=True))
    while size % 2:
        size = int(next_fast_len(size + 1, real=True))
    return int(low), size


def _upper_bound(n: int, pmf: Floats, values: Floats) -> float:
    """Bound a sum over n people that is exceeded with a probability of at most 1e-9, by Chernoff."""
    scale = np.abs(values).max() or 1.0
    tilts = np.geomspace(1e-6, 50, 200)[:, None]
    generated = np.log(np.exp(np.minimum(tilts * values / scale, 700)) @ pmf)
    bound = ((n * generated + log(1e9)) / tilts[:, 0]).min() * scale
    return float(min(np.ceil(bound), n * values.max()))


def histograms(n: int, pmf: Floats) -> Outcomes:
    """List all probable numbers of people with 0, 1, ... errors.

    Notes
    -----
    People are assigned to one number of errors after the other, binomially among those that are left. Outcomes below a
    least probability are left out, which is lowered until what is left out does not matter.
    """
    for least in (1e-9, 1e-10, 1e-11, 1e-12, 1e-13):
        outcomes = _probable_histograms(n, pmf, least)
        if outcomes is None:
            break
        if 1 - outcomes.probabilities.sum() < _MISSED:
            return outcomes
    raise _too_many(n, pmf, "the exact coverage of sb and brr; simulate it, or leave these methods out")


def _probable_histograms(n: int, pmf: Floats, least: float) -> Outcomes | None:
    """List histograms of at least this probability, or give None if they are too many."""
    attempts = len(pmf) - 1
    counts = np.zeros((1, len(pmf)))
    counts[0, 0] = n
    probabilities = np.ones(1)
    for errors in range(1, len(pmf)):
        left, rate = counts[:, 0], pmf[errors] / (pmf[0] + pmf[errors:].sum())
        most = int(_upper_bound(n, np.array([1 - pmf[errors], pmf[errors]]), np.array([0.0, 1.0])))
        if len(left) * (most + 1) > 2 * _MOST:
            return None
        choices = np.arange(most + 1.0)
        chances = probabilities[:, None] * binomial_pmf(left[:, None], choices, rate)
        rows, taken = np.nonzero(chances > least)
        if len(rows) * len(pmf) > 4 * _MOST:
            return None
        counts, probabilities = counts[rows], chances[rows, taken]
        counts[:, errors] = choices[taken]
        counts[:, 0] -= choices[taken]
    return Outcomes(
        Individuals(np.arange(attempts + 1.0), np.full(attempts + 1, float(attempts)), counts), probabilities
    )


_SUFFICIENT: dict[str, Callable[[int, Floats], Outcomes]] = {
    "dr": sums_of_errors,
    "sb": histograms,
    "brr": histograms,
    "bb-ml": histograms,
}
"""What a method depends on, unless the sums of errors and of their squares are sufficient."""


@dataclass(frozen=True, slots=True)
class Cell:
    """People, attempts of each, the error rate and the correlation between attempts of a person.

    Parameters
    ----------
    n : int
        The number of people.
    m : int
        The number of attempts of each.
    pi : float
        The error rate, a fraction.
    rho : float
        The correlation between two attempts of a person.

    Raises
    ------
    ParameterError
        If there are fewer than two people or no attempt, or a rate or correlation is out of range.

    Examples
    --------
    >>> Cell(1000, 5, 0.01, 0.05).m
    5
    """

    n: int
    m: int
    pi: float
    rho: float

    def __post_init__(self) -> None:
        for name, number, least, most in (("n", self.n, 2, MOST_INDIVIDUALS), ("m", self.m, 1, MOST_SIMULATED)):
            if not least <= number <= most or number != int(number):
                raise ParameterError(
                    f"{name} must be a whole number from {least} to {most:,}, not {cut(number)}", code="out-of-range"
                )
        check_rate("pi", self.pi, open_ends=True)
        check_share("rho", self.rho)


@dataclass(frozen=True, slots=True)
class Grid:
    """All combinations of numbers of people, attempts, error rates and correlations.

    Parameters
    ----------
    n : tuple of int
        Numbers of people.
    m : tuple of int
        Numbers of attempts of each.
    pi : tuple of float
        Error rates, fractions.
    rho : tuple of float
        Correlations between two attempts of a person.

    Examples
    --------
    >>> len(list(Grid((100, 1000), (2, 5), (0.01,), (0.1, 0.4))))
    8
    """

    n: tuple[int, ...]
    m: tuple[int, ...]
    pi: tuple[float, ...]
    rho: tuple[float, ...]

    def __iter__(self) -> Iterator[Cell]:
        for n, m, pi, rho in product(self.n, self.m, self.pi, self.rho):
            yield Cell(n, m, pi, rho)

    def __len__(self) -> int:
        return len(self.n) * len(self.m) * len(self.pi) * len(self.rho)


PAPER = Grid(
    (100, 500, 1000, 5000, 10_000, 50_000, 100_000),
    (2, 5, 8, 12, 15, 20, 25, 30),
    (0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1),
    (0.001, 0.01, 0.05, 0.1, 0.2, 0.4, 0.8),
)
"""The 2744 cells of Schuckers et al. 2004, section 3."""

QUICK = Grid((100, 1000, 10_000), (2, 5, 20), (0.001, 0.01, 0.1), (0.01, 0.1, 0.4))
"""A few of them, spread over the range of all."""


def grid_of(
    grid: GridName = "quick",
    *,
    n: int | Sequence[int] | None = None,
    m: int | Sequence[int] | None = None,
    pi: float | Sequence[float] | None = None,
    rho: float | Sequence[float] | None = None,
) -> Grid:
    """Give a grid by its name, with other values along some of its axes.

    Examples
    --------
    >>> len(grid_of("paper", n=100, m=(2, 5)))
    98
    """
    check_choice("grid", grid, get_args(GridName))
    start = PAPER if grid == "paper" else QUICK
    axes = [
        default if values is None else tuple(values) if isinstance(values, Sequence) else (values,)
        for default, values in ((start.n, n), (start.m, m), (start.pi, pi), (start.rho, rho))
    ]
    return Grid(*axes)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class CoverageRow(Record):
    """The coverage of one method in one cell: proportions of all data sets; undefined intervals do not cover.

    Attributes
    ----------
    n : int
        The number of people.
    m : float
        The number of attempts of each, the mean if they differ.
    pi : float
        The error rate, a fraction.
    rho : float
        The correlation between two attempts of a person.
    method : str
        The name of the interval.
    coverage : float
        Proportion of data sets in which the interval covers the true rate.
    mean_width, median_width : float
        The width of the interval over data sets in which it is defined.
    undefined : float
        Proportion of data sets in which the interval is undefined.
    too_high : float
        Proportion of data sets in which the whole interval lies above the true rate.
    too_low : float
        Proportion of data sets in which the whole interval lies below the true rate.

    Examples
    --------
    >>> from fairtrial.repeated import coverage_study
    >>> study = coverage_study(n=100, m=2, pi=0.1, rho=0.2, methods=["dr"], exact=True)
    >>> round(study.rows[0].coverage, 5)
    0.79355
    """

    FIELDS: ClassVar = (
        Field("n", "n", "count"),
        Field("m", "m", "number"),
        Field("pi", "pi", "number"),
        Field("rho", "rho", "number"),
        Field("method", "method"),
        Field("coverage", "coverage", "rate"),
        Field("mean_width", "mean width", "rate"),
        Field("median_width", "median width", "rate"),
        Field("undefined", "undefined", "rate"),
        Field("too_high", "too high", "rate"),
        Field("too_low", "too low", "rate"),
    )
    n: int
    m: float
    pi: float
    rho: float
    method: str
    coverage: float
    mean_width: float
    median_width: float
    undefined: float
    too_high: float
    too_low: float

    @property
    def cell(self) -> tuple[int, float, float, float]:
        """People, attempts, error rate and correlation."""
        return self.n, self.m, self.pi, self.rho


def cover(
    cell: Cell,
    *,
    methods: Sequence[str] = PAPER_METHODS,
    generator: Generator = "oman-zucker",
    data_sets: int = 1000,
    n_resamples: int | None = 1000,
    confidence: float = 0.95,
    rng: Rng = 0,
    attempts: Sequence[int] | None = None,
) -> list[CoverageRow]:
    """Simulate data sets of a cell and count how often each interval covers the true rate.

    With a seed a cell gives the same result in every study. `attempts` are those of each person, if they differ.

    Examples
    --------
    >>> rows = cover(Cell(1000, 5, 0.01, 0.05), methods=["lbb"], data_sets=2000)
    >>> 0.93 < rows[0].coverage < 0.97
    True
    """
    check_number("data set", data_sets, most=10**9)
    if attempts is not None and len(attempts) != cell.n:
        raise ParameterError(f"there must be attempts of {cell.n} individuals, not of {len(attempts)}")
    if isinstance(rng, np.random.Generator):
        source = rng
    elif rng is None:
        source = np.random.default_rng()
    else:
        rates = np.array([cell.pi, cell.rho]).view(np.uint64).tolist()
        source = np.random.default_rng([check_seed(rng), cell.n, cell.m, *rates])
    values, people = np.array([cell.m]), np.array([cell.n])
    if attempts is not None:
        values, people = np.unique(attempts, return_counts=True)
    counts = [
        draw_counts(int(number), errors_pmf(int(value), cell.pi, cell.rho, generator=generator), data_sets, source)
        for value, number in zip(values, people, strict=True)
    ]
    drawn = Individuals(
        np.concatenate([np.arange(value + 1.0) for value in values]),
        np.repeat(values, values + 1).astype(np.float64),
        np.concatenate(counts, axis=1).astype(np.float64),
    )
    settings: dict[str, Any] = {"confidence": confidence, "n_resamples": n_resamples, "rng": source}
    return [_row(cell, name, *known_method(name).limits(drawn, **settings)) for name in methods]


def cover_exactly(
    cell: Cell,
    *,
    methods: Sequence[str] = PAPER_METHODS,
    generator: Generator = "oman-zucker",
    confidence: float = 0.95,
) -> list[CoverageRow]:
    """Compute how often each interval covers the true rate, over all possible data sets.

    DR depends on the sum of errors, BP, BB and LBB also on that of their squares, and their distribution is a power
    of a characteristic function; SB and BRR depend on the numbers of people with 0, 1, ... errors, all enumerated, as
    if with infinitely many resamples.

    Raises
    ------
    ParameterError
        If a cell has too many possible outcomes; simulate it.

    Examples
    --------
    >>> rows = cover_exactly(Cell(100, 2, 0.1, 0.2), methods=["lbb"])
    >>> round(rows[0].coverage, 5)
    0.95526
    """
    pmf = errors_pmf(cell.m, cell.pi, cell.rho, generator=generator)
    listed: dict[Callable[[int, Floats], Outcomes], Outcomes] = {}
    rows = []
    for name in methods:
        method, listing = known_method(name), _SUFFICIENT.get(name, sums_of_squares)
        outcomes = listed.get(listing) or listing(cell.n, pmf)
        listed[listing] = outcomes
        if name == "bb-ml" and (number := len(outcomes.probabilities)) > _MOST_FITS:
            raise _too_many(cell.n, pmf, f"{number:,} fits of bb-ml; simulate it, or leave bb-ml out")
        low, high = method.limits(outcomes.people, confidence=confidence, n_resamples=None)
        rows.append(_row(cell, name, low, high, outcomes.probabilities))
    return rows


def _row(cell: Cell, method: str, low: Floats, high: Floats, weights: Floats | None = None) -> CoverageRow:
    """Sum up the intervals of all data sets; without weights, each counts the same."""
    defined = np.isfinite(low) & np.isfinite(high)
    with np.errstate(invalid="ignore"):
        above, below = low > cell.pi + _TOLERANCE, high < cell.pi - _TOLERANCE
    widths, parts = (high - low)[defined], None if weights is None else weights[defined]
    mean = median = nan
    if len(widths):
        mean = float(np.average(widths, weights=parts))
        median = float(np.quantile(widths, 0.5, weights=parts, method="inverted_cdf"))
    covered, undefined, too_high, too_low = (
        float(np.average(which, weights=weights)) for which in (defined & ~above & ~below, ~defined, above, below)
    )
    return CoverageRow(cell.n, cell.m, cell.pi, cell.rho, method, covered, mean, median, undefined, too_high, too_low)
