"""The claims of Schuckers et al. 2004, sections 4 and 5, and the cells of a coverage study that support them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.results import Field, Record

if TYPE_CHECKING:
    from fairtrial.inference.variance import Floats
    from fairtrial.repeated.cells import CoverageRow

Mask: TypeAlias = NDArray[np.bool_]
RIGHT_COVERAGE = (0.925, 0.975)
"""The coverage of a 95 % interval that counts as right."""


@dataclass(frozen=True, slots=True, eq=False)
class MethodCells:
    """The coverage of one method, one entry per cell; `n_pi` are the expected errors in one attempt of each person."""

    n: Floats
    m: Floats
    pi: Floats
    rho: Floats
    coverage: Floats
    mean_width: Floats
    undefined: Floats
    n_pi: Floats

    @classmethod
    def of(cls, rows: Sequence[CoverageRow], method: str) -> MethodCells:
        """Collect the rows of one method."""
        chosen = [row for row in rows if row.method == method]
        names = ("n", "m", "pi", "rho", "coverage", "mean_width", "undefined")
        columns = [np.array([getattr(row, name) for row in chosen], dtype=np.float64) for name in names]
        columns.append(np.round(columns[0] * columns[2], 9))  # 1000 * 0.01 must not exceed 10 by rounding
        return cls(*columns)


def _nearer(first: MethodCells, *others: MethodCells) -> Mask:
    misses = [np.abs(cells.coverage - 0.95) for cells in (first, *others)]
    return np.asarray(np.all([misses[0] <= miss + 1e-12 for miss in misses[1:]], axis=0))


def _falls(cells: MethodCells) -> Mask:
    """Find cells with 2 points less coverage than one with fewer attempts and the same n, pi and rho."""
    best: dict[tuple[float, float, float], float] = {}
    falls = np.zeros(len(cells.n), dtype=bool)
    for k in np.argsort(cells.m, kind="stable"):
        key = (cells.n[k], cells.pi[k], cells.rho[k])
        falls[k] = cells.coverage[k] < best.get(key, 0.0) - 0.02
        best[key] = max(best.get(key, 0.0), float(cells.coverage[k]))
    return falls


_SUPPORTS: dict[str, Callable[..., Any]] = {
    "well": lambda cells: cells.coverage >= RIGHT_COVERAGE[0],
    "poorly": lambda cells: cells.coverage < RIGHT_COVERAGE[0],
    "too wide": lambda cells: cells.coverage > RIGHT_COVERAGE[1],
    "hook: coverage falls as m grows": _falls,
    "the same as BB within 1 point": lambda a, b: abs(a.coverage - b.coverage) <= 0.01,
    "nearest to 95 % of all": _nearer,
    "covers as often as BP or more": lambda a, b: a.coverage >= b.coverage - 1e-12,
    "nearer to 95 % than DR": _nearer,
    "nearer to 95 % than SB": _nearer,
    "nearer to 95 % than LBB": _nearer,
    "preferable to LBB": _nearer,
    "wider than LBB": lambda a, b: a.mean_width > b.mean_width,
}
"""Which cells support a claim, from the cells of its methods; blue and purple in the paper's Table 1 is "well"."""
_COMPARISONS = {">": np.greater, "<": np.less, ">=": np.greater_equal, "<=": np.less_equal, "=": np.equal}


@dataclass(frozen=True, slots=True)
class PaperClaim:
    """A statement of the paper about a method in some cells; `methods` are the method and those it is compared with."""

    section: str
    methods: tuple[str, ...]
    claim: str
    condition: str

    @property
    def text(self) -> str:
        """The claim with its condition."""
        return f"{self.claim}: {self.condition}" if self.condition else self.claim

    def where(self, cells: MethodCells) -> Mask:
        """Find the cells that the claim is about."""
        chosen = np.ones(len(cells.n), dtype=bool)
        for part in filter(None, self.condition.split(", ")):
            name, sign, limit = part.rsplit(" ", 2)
            chosen &= _COMPARISONS[sign](getattr(cells, name.replace(" ", "_")), float(limit))
        return chosen

    def support(self, cells: Mapping[str, MethodCells]) -> ClaimSupport:
        """Count the cells that the claim is about, and the proportion that supports it."""
        compared = [cells[method] for method in self.methods]
        chosen = self.where(compared[0])
        share = float(_SUPPORTS[self.claim](*compared)[chosen].mean()) if chosen.any() else nan
        return ClaimSupport(self.section, self.methods[0], self.text, int(np.count_nonzero(chosen)), share)


@dataclass(frozen=True, slots=True)
class ClaimSupport(Record):
    """A claim of the paper, the cells of a study that it is about, and the proportion of them that supports it."""

    FIELDS: ClassVar = (
        Field("section", "section"),
        Field("method", "method"),
        Field("claim", "claim of the paper"),
        Field("cells", "cells", "count"),
        Field("support", "supported by", "rate"),
    )
    section: str
    method: str
    claim: str
    cells: int
    support: float
    """NaN if there is no such cell."""


def _each(section: str, methods: str, claim: str, condition: str) -> list[PaperClaim]:
    return [PaperClaim(section, (method,), claim, condition) for method in methods.split()]


_SIX, _LARGE_RHO = "dr bp sb bb lbb brr", "n pi < 5, m < 8, rho > .2"
PAPER_CLAIMS: tuple[PaperClaim, ...] = (
    *_each("4", _SIX, "well", "n pi > 10"),
    *_each("4", _SIX, "poorly", "n pi < .05"),
    *_each("4", "lbb bp", "hook: coverage falls as m grows", ""),
    *_each("4.1", "dr", "well", "n pi > 5, rho < .2, m > 8"),
    *_each("4.1", "dr", "too wide", "n pi > 10"),
    *_each("4.1", "dr", "poorly", "n pi < 1"),
    *_each("4.1", "dr", "poorly", _LARGE_RHO),
    *_each("4.2", "bp bb", "well", "n pi > 5"),
    *_each("4.2", "bp bb", "well", "n pi > 1, rho < .01, m > 8"),
    *_each("4.2", "bp bb", "poorly", "n pi < .1"),
    *_each("4.2", "bp bb", "poorly", _LARGE_RHO),
    PaperClaim("4.2", ("bp", "bb"), "the same as BB within 1 point", ""),
    *_each("4.3", "sb", "well", "n > 5000, rho < .2"),
    *_each("4.3", "sb", "well", "pi >= .005, rho < .1"),
    *_each("4.3", "sb", "poorly", "n <= 1000, pi <= .001"),
    *_each("4.3", "sb", "poorly", "m > 12, rho > .05"),
    *_each("4.4", "lbb", "well", "n pi > 5"),
    *_each("4.4", "lbb", "well", "n pi > .5, rho < .1, m > 5"),
    *_each("4.4", "lbb", "poorly", "n pi < .05"),
    *_each("4.4", "lbb", "poorly", "n pi < 1, m < 8, rho > .1"),
    *_each("4.5", "brr", "well", "n pi > .5"),
    *_each("4.5", "brr", "well", "n > 1000, pi >= .005, rho <= .4"),
    *_each("4.5", "brr", "poorly", "rho = .8"),
    *_each("4.5", "brr", "poorly", "n pi <= .005"),
    *_each("5", _SIX, "poorly", "rho > .4"),
    PaperClaim("5", ("lbb", "dr", "bp", "sb", "bb", "brr"), "nearest to 95 % of all", ""),
    PaperClaim("5", ("brr", "bp"), "covers as often as BP or more", ""),
    PaperClaim("5", ("bp", "dr"), "nearer to 95 % than DR", ""),
    PaperClaim("5", ("bp", "sb"), "nearer to 95 % than SB", ""),
    PaperClaim("5", ("brr", "lbb"), "nearer to 95 % than LBB", "rho >= .4, pi <= .001"),
    PaperClaim("5", ("brr", "lbb"), "preferable to LBB", "rho >= .4, n pi < 1"),
    PaperClaim("5", ("brr", "lbb"), "wider than LBB", ""),
)
"""The claims in the order of the paper."""
