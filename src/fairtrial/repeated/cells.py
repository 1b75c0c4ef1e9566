"""Cells of a coverage study: their numbers, and how often the intervals for repeated attempts cover the true rate."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import nan
from typing import Any, ClassVar

import numpy as np

from fairtrial.core.errors import (
    ParameterError,
    check_choice,
    check_confidence,
    check_number,
    check_rate,
    check_resamples,
    check_seed,
    check_share,
    refuse_given,
)
from fairtrial.core.results import Field, Record
from fairtrial.core.words import cut
from fairtrial.inference.variance import Floats
from fairtrial.repeated.intervals import PAPER_METHODS, REPEATED_METHODS, known_method
from fairtrial.repeated.models import (
    GENERATORS,
    MOST_INDIVIDUALS,
    MOST_SIMULATED,
    Generator,
    draw_kinds,
    errors_pmf,
)
from fairtrial.repeated.outcomes import Outcomes, too_many_outcomes


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
        bounds = (("n", self.n, 2, MOST_INDIVIDUALS), ("m", self.m, 1, MOST_SIMULATED))
        for name, number, least, most in bounds:
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
        Field("median_width", "median width", "rate", optional=True),
        Field("undefined", "undefined", "rate", optional=True),
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


@dataclass(frozen=True, slots=True)
class StudySettings:
    """The settings of a study, as of `coverage_study`; a journal is of one set of them.

    Examples
    --------
    >>> StudySettings(methods=("bp", "lbb"), exact=True).generator
    'oman-zucker'
    """

    methods: tuple[str, ...] = PAPER_METHODS
    generator: Generator = "oman-zucker"
    data_sets: int = 1000
    n_resamples: int | None = 1000
    confidence: float = 0.95
    exact: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        for name in self.methods:
            known_method(name)
        if not self.methods:
            raise ParameterError(f"name at least one method of {', '.join(REPEATED_METHODS)}", code="no-method")
        check_choice("generator", self.generator, GENERATORS)
        check_number("data set", self.data_sets, most=10**9)
        if self.n_resamples is not None:
            check_resamples(self.n_resamples)
        check_seed(self.seed)
        check_confidence(self.confidence)
        if self.exact:
            given = {
                "data_sets": self.data_sets != 1000,
                "n_resamples": self.n_resamples != 1000,
                "rng": self.seed != 0,
            }
            refuse_given(given, "applies to simulated data sets, not with {exact!p}", exact=True)

    def cover(self, cell: Cell, attempts: Sequence[int] | None = None) -> list[CoverageRow]:
        """Compute how often each interval covers the true rate of a cell.

        A cell has a random stream of its own, so that it gives the same result in every study.

        Parameters
        ----------
        cell
            The cell.
        attempts
            The attempts of each person, if they differ; then data sets must be simulated.

        Raises
        ------
        ParameterError
            If there are other numbers of attempts than people, or too many possible outcomes for exact coverage.

        Examples
        --------
        >>> rows = StudySettings(methods=("lbb",), data_sets=2000).cover(Cell(1000, 5, 0.01, 0.05))
        >>> 0.93 < rows[0].coverage < 0.97
        True
        """
        if self.exact:
            return self._enumerate(cell)
        if attempts is not None and len(attempts) != cell.n:
            raise ParameterError(f"there must be attempts of {cell.n} individuals, not of {len(attempts)}")
        rates = np.array([cell.pi, cell.rho]).view(np.uint64).tolist()
        source = np.random.default_rng([self.seed, cell.n, cell.m, *rates])
        tried, people = np.array([cell.m]), np.array([cell.n])
        if attempts is not None:
            tried, people = np.unique(attempts, return_counts=True)
        pmfs = [errors_pmf(int(number), cell.pi, cell.rho, generator=self.generator) for number in tried]
        drawn = draw_kinds(tried, people, pmfs, self.data_sets, source)
        settings: dict[str, Any] = {"confidence": self.confidence, "n_resamples": self.n_resamples, "rng": source}
        return [_row(cell, name, *known_method(name).limits(drawn, **settings)) for name in self.methods]

    def _enumerate(self, cell: Cell) -> list[CoverageRow]:
        """Sum over all possible data sets, as if with infinitely many resamples."""
        pmf = errors_pmf(cell.m, cell.pi, cell.rho, generator=self.generator)
        listed: dict[Callable[[int, Floats], Outcomes], Outcomes] = {}
        rows = []
        for name in self.methods:
            method = known_method(name)
            if method.outcomes not in listed:
                listed[method.outcomes] = method.outcomes(cell.n, pmf)
            outcomes = listed[method.outcomes]
            if name == "bb-ml" and (number := len(outcomes.probabilities)) > 20_000:
                why = f"{number:,} fits of bb-ml; simulate it, or leave bb-ml out"
                raise too_many_outcomes(cell.n, pmf, why)
            limits = method.limits(outcomes.people, confidence=self.confidence, n_resamples=None)
            rows.append(_row(cell, name, *limits, outcomes.probabilities))
        return rows


def _row(cell: Cell, method: str, low: Floats, high: Floats, weights: Floats | None = None) -> CoverageRow:
    """Sum up the intervals of all data sets; without weights, each counts the same."""
    defined = np.isfinite(low) & np.isfinite(high)
    rounding = 1e-12
    with np.errstate(invalid="ignore"):
        above, below = low > cell.pi + rounding, high < cell.pi - rounding
    widths, parts = (high - low)[defined], None if weights is None else weights[defined]
    mean = median = nan
    if len(widths):
        mean = float(np.average(widths, weights=parts))
        median = float(np.quantile(widths, 0.5, weights=parts, method="inverted_cdf"))
    covered, undefined, too_high, too_low = (
        float(np.average(which, weights=weights)) for which in (defined & ~above & ~below, ~defined, above, below)
    )
    return CoverageRow(cell.n, cell.m, cell.pi, cell.rho, method, covered, mean, median, undefined, too_high, too_low)
