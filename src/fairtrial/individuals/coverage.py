"""How often each of the intervals for repeated attempts holds the true rate: by simulation, or exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairtrial.checks import check_number, check_rate, check_seed, check_share
from fairtrial.errors import ParameterError
from fairtrial.individuals.attempts import Floats, Individuals
from fairtrial.individuals.enumeration import Outcomes, histograms, sums_of_errors, sums_of_squares
from fairtrial.individuals.generators import Generator, draw_counts, errors_pmf
from fairtrial.individuals.limits import INDIVIDUALS_METHODS
from fairtrial.individuals.methods import known_method

_TOLERANCE = 1e-12
"""An interval holds a rate that lies outside by no more than this."""

_MOST_FITS = 20_000


def _fitted(n: int, pmf: Floats) -> Outcomes:
    """All histograms, if they are few enough to fit a model to each."""
    found = histograms(n, pmf)
    if len(found.probabilities) > _MOST_FITS:
        raise ParameterError(
            f"n = {n}, m = {len(pmf) - 1} has too many outcomes for the exact coverage of bb-ml "
            f"({len(found.probabilities):,}), which fits a model to each; simulate it, or leave bb-ml out"
        )
    return found


_NEEDED: dict[str, Callable[[int, Floats], Outcomes]] = {
    "dr": sums_of_errors,
    "sb": histograms,
    "brr": histograms,
    "bb-ml": _fitted,
}
"""What a method needs to know of a data set, unless the sums of errors and of their squares are enough."""


@dataclass(frozen=True, slots=True)
class Cell:
    """People, attempts of each, the error rate and the correlation between attempts of a person.

    Parameters
    ----------
    n : int
        How many people.
    m : int
        How many attempts of each.
    pi : float
        The error rate, a fraction.
    rho : float
        The correlation between two attempts of a person.

    Raises
    ------
    ParameterError
        Fewer than two people, no attempt, or a rate or correlation that is not possible.

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
        if self.n < 2 or self.n != int(self.n):
            raise ParameterError(f"n must be a whole number of at least 2 individuals, not {self.n}")
        check_rate("pi", self.pi, open_ends=True)
        if self.m < 1 or self.m != int(self.m):
            raise ParameterError(f"m must be a whole number of at least one attempt, not {self.m}")
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


@dataclass(frozen=True, slots=True)
class CoverageRow:
    """What one method did in one cell; shares of all data sets, undefined intervals counted as misses.

    Attributes
    ----------
    n : int
        How many people.
    m : float
        How many attempts of each, the mean where they differ.
    pi : float
        The error rate, a fraction.
    rho : float
        The correlation between two attempts of a person.
    method : str
        The name of the interval.
    coverage : float
        Share of data sets in which the interval holds the true rate.
    mean_width, median_width : float
        The width of the interval over data sets in which it is defined.
    undefined : float
        Share of data sets in which the interval is undefined.
    too_high : float
        Share of data sets in which the whole interval lies above the true rate.
    too_low : float
        Share of data sets in which the whole interval lies below the true rate.

    Examples
    --------
    >>> from fairtrial import cover_exactly
    >>> (row,) = cover_exactly(Cell(100, 2, 0.1, 0.2), methods=["dr"])
    >>> round(row.coverage, 5)
    0.79355
    """

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

    def to_dict(self) -> dict[str, Any]:
        """Give the row under the names of the command line's JSON.

        Returns
        -------
        dict
            Shares and widths are fractions.
        """
        return asdict(self)


def cover(
    cell: Cell,
    *,
    methods: Sequence[str] = tuple(INDIVIDUALS_METHODS),
    generator: Generator = "oman-zucker",
    data_sets: int = 1000,
    n_resamples: int | None = 1000,
    confidence: float = 0.95,
    rng: np.random.Generator | int | None = 0,
    attempts: Sequence[int] | None = None,
) -> list[CoverageRow]:
    """Simulate data sets of a cell and count how often each interval holds the true rate.

    Parameters
    ----------
    cell : Cell
        People, attempts, error rate and correlation.
    methods : sequence of str, default ("dr", "bp", "sb", "bb", "lbb", "brr")
        Any of ``dr``, ``bp``, ``sb``, ``bb``, ``lbb``, ``brr`` and ``bb-ml``, which fits a model to each data set.
    generator : {"oman-zucker", "beta-binomial"}, default "oman-zucker"
        How attempts of a person come to be correlated; see `errors_pmf`.
    data_sets : int, default 1000
        How many data sets are simulated.
    n_resamples : int or None, default 1000
        How many resamples are drawn, for ``sb`` and ``brr``; None stands for infinitely many.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1; that of ``dr`` is 90 % always.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result. With a seed a cell gives the same result in every
        study.
    attempts : sequence of int, optional
        The attempts of each person, where they are not `cell.m` for all.

    Returns
    -------
    list of CoverageRow
        One row per method.

    Raises
    ------
    ParameterError
        An unknown method or generator, no data set, or attempts of another number of people.

    References
    ----------
    Schuckers et al., A comparison of statistical methods for evaluating matching performance, 2004, section 3.

    Examples
    --------
    >>> rows = cover(Cell(1000, 5, 0.01, 0.05), methods=["lbb"], data_sets=2000)
    >>> 0.93 < rows[0].coverage < 0.97
    True
    """
    check_number("data set", data_sets, most=10**9)
    if attempts is not None and len(attempts) != cell.n:
        raise ParameterError(f"there must be attempts of {cell.n} individuals, not of {len(attempts)}")
    source = rng if isinstance(rng, np.random.Generator) else np.random.default_rng(_seed(rng, cell))
    values, people = np.unique([cell.m] if attempts is None else attempts, return_counts=True)
    if attempts is None:
        people = np.array([cell.n])
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
    rows = []
    for name in methods:
        low, high = known_method(name)(drawn, **settings)
        rows.append(_row(cell, name, low, high))
    return rows


def _seed(seed: int | None, cell: Cell) -> list[int] | None:
    if seed is None:
        return None
    return [check_seed(seed), cell.n, cell.m, *np.array([cell.pi, cell.rho]).view(np.uint64).tolist()]


def cover_exactly(
    cell: Cell,
    *,
    methods: Sequence[str] = tuple(INDIVIDUALS_METHODS),
    generator: Generator = "oman-zucker",
    confidence: float = 0.95,
) -> list[CoverageRow]:
    """Compute how often each interval holds the true rate, over all possible data sets.

    Parameters
    ----------
    cell : Cell
        People, attempts, error rate and correlation.
    methods : sequence of str, default ("dr", "bp", "sb", "bb", "lbb", "brr")
        Any of ``dr``, ``bp``, ``sb``, ``bb``, ``lbb`` and ``brr``.
    generator : {"oman-zucker", "beta-binomial"}, default "oman-zucker"
        How attempts of a person come to be correlated; see `errors_pmf`.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1; that of ``dr`` is 90 % always.

    Returns
    -------
    list of CoverageRow
        One row per method.

    Raises
    ------
    ParameterError
        A cell with too many possible outcomes; simulate it.

    Notes
    -----
    DR depends on the sum of errors, BP, BB and LBB also on that of their squares, and their distribution is a power
    of a characteristic function; SB and BRR depend on how many people made each number of errors, all enumerated,
    as if with infinitely many resamples.

    References
    ----------
    Schuckers et al., A comparison of statistical methods for evaluating matching performance, 2004, section 3.

    Examples
    --------
    >>> rows = cover_exactly(Cell(100, 2, 0.1, 0.2), methods=["lbb"])
    >>> round(rows[0].coverage, 5)
    0.95526
    """
    pmf = errors_pmf(cell.m, cell.pi, cell.rho, generator=generator)
    known: dict[Callable[[int, Floats], Outcomes], Outcomes] = {}
    rows = []
    for name in methods:
        method, listing = known_method(name), _NEEDED.get(name, sums_of_squares)
        outcomes = known.get(listing) or listing(cell.n, pmf)
        known[listing] = outcomes
        low, high = method(outcomes.people, confidence=confidence, n_resamples=None)
        rows.append(_row(cell, name, low, high, outcomes.probabilities))
    return rows


def _row(cell: Cell, method: str, low: Floats, high: Floats, weights: Floats | None = None) -> CoverageRow:
    """Sum up the intervals of all data sets; without weights, each counts the same."""
    defined = np.isfinite(low) & np.isfinite(high)
    with np.errstate(invalid="ignore"):
        above, below = low > cell.pi + _TOLERANCE, high < cell.pi - _TOLERANCE
    widths, parts = (high - low)[defined], None if weights is None else weights[defined]
    mean = median = float("nan")
    if len(widths):
        mean = float(np.average(widths, weights=parts))
        median = float(np.quantile(widths, 0.5, weights=parts, method="inverted_cdf"))

    def share(which: NDArray[np.bool_]) -> float:
        return float(np.average(which, weights=weights))

    return CoverageRow(
        cell.n,
        cell.m,
        cell.pi,
        cell.rho,
        method,
        share(defined & ~above & ~below),
        mean,
        median,
        share(~defined),
        share(above),
        share(below),
    )
