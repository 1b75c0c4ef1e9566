"""The cells of a coverage study, and the coverage of one method in one cell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import ClassVar

from fairtrial.core.errors import check_rate, check_share, check_whole
from fairtrial.core.results import Field, Record
from fairtrial.repeated.models import MOST_INDIVIDUALS, MOST_SIMULATED


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
        check_whole("n", self.n, 2, MOST_INDIVIDUALS)
        check_whole("m", self.m, 1, MOST_SIMULATED)
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
    too_high, too_low : float
        Proportion of data sets in which the whole interval lies above, and below, the true rate.

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
