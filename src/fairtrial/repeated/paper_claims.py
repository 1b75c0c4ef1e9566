"""The claims of Schuckers et al. 2004 about the intervals, checked by a coverage study."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import nan
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import ParameterError
from fairtrial.core.notes import Note
from fairtrial.core.results import Field, Record, Result, table_of
from fairtrial.core.tables import Table
from fairtrial.core.words import level_text
from fairtrial.repeated.attempts import Floats
from fairtrial.repeated.coverage import RIGHT_COVERAGE
from fairtrial.repeated.methods import PAPER_METHODS

if TYPE_CHECKING:
    from fairtrial.repeated.study import CoverageStudy

Mask: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Cells:
    """The coverage of one method, one entry per cell."""

    n: Floats
    m: Floats
    pi: Floats
    rho: Floats
    coverage: Floats
    mean_width: Floats
    undefined: Floats

    @classmethod
    def of(cls, study: CoverageStudy, method: str) -> Cells:
        """Collect the rows of one method of a study."""
        rows = [row for row in study.rows if row.method == method]
        return cls(*(np.array([getattr(row, name) for row in rows], dtype=float) for name in cls.__annotations__))

    @cached_property
    def n_pi(self) -> Floats:
        """Expected errors in one attempt of everybody; 1000 * 0.01 must not be more than 10 by rounding."""
        return np.round(self.n * self.pi, 9)

    @property
    def covers(self) -> Mask:
        """Where the coverage is what the paper's figures show as good: 92.5 % and more."""
        return self.coverage >= RIGHT_COVERAGE[0]

    @property
    def too_wide(self) -> Mask:
        """Where the coverage is above 97.5 %."""
        return self.coverage > RIGHT_COVERAGE[1]

    @property
    def miss(self) -> Floats:
        """How far the coverage is from 95 %."""
        return np.abs(self.coverage - 0.95)


@dataclass(frozen=True, slots=True)
class PaperClaim:
    """A statement of the paper about a method in some of the cells."""

    section: str
    methods: tuple[str, ...]
    """The method, then those that it is compared with."""
    text: str
    where: Callable[[Cells], Mask]
    """Which cells the claim is about."""
    supports: Callable[..., Mask]
    """Which cells support the claim, from the cells of the methods in their order."""


def _nearer(first: Cells, *others: Cells) -> Mask:
    """Give the cells where the coverage of the first method is at least as near to 95 % as that of any other."""
    return np.asarray(np.all([first.miss <= other.miss + 1e-12 for other in others], axis=0))


def _everywhere(cells: Cells) -> Mask:
    return cells.n > 0


def _falls(cells: Cells) -> Mask:
    """Give the cells with 2 points less coverage than one with fewer attempts and the same n, pi and rho."""
    best: dict[tuple[float, float, float], float] = {}
    falls = np.zeros(len(cells.n), dtype=bool)
    for k in np.argsort(cells.m, kind="stable"):
        key = (cells.n[k], cells.pi[k], cells.rho[k])
        falls[k] = cells.coverage[k] < best.get(key, 0.0) - 0.02
        best[key] = max(best.get(key, 0.0), float(cells.coverage[k]))
    return falls


_BOTH = ("bp", "bb")


def _each(
    section: str,
    methods: tuple[str, ...],
    how: Literal["well", "poorly"],
    condition: str,
    where: Callable[[Cells], Mask],
) -> list[PaperClaim]:
    """Make the claim that each of several methods covers well, or poorly, under a condition."""

    def supports(cells: Cells) -> Mask:
        return cells.covers if how == "well" else ~cells.covers

    return [PaperClaim(section, (method,), f"{how}: {condition}", where, supports) for method in methods]


PAPER_CLAIMS: tuple[PaperClaim, ...] = (
    *_each("4", PAPER_METHODS, "well", "n pi > 10", lambda c: c.n_pi > 10),
    *_each("4", PAPER_METHODS, "poorly", "n pi < .05", lambda c: c.n_pi < 0.05),
    PaperClaim("4", ("lbb",), "hook: coverage falls as m grows", _everywhere, _falls),
    PaperClaim("4", ("bp",), "hook: coverage falls as m grows", _everywhere, _falls),
    *_each("4.1", ("dr",), "well", "n pi > 5, rho < .2, m > 8", lambda c: (c.n_pi > 5) & (c.rho < 0.2) & (c.m > 8)),
    PaperClaim("4.1", ("dr",), "too wide: n pi > 10", lambda c: c.n_pi > 10, lambda c: c.too_wide),
    *_each("4.1", ("dr",), "poorly", "n pi < 1", lambda c: c.n_pi < 1),
    *_each("4.1", ("dr",), "poorly", "n pi < 5, m < 8, rho > .2", lambda c: (c.n_pi < 5) & (c.m < 8) & (c.rho > 0.2)),
    *_each("4.2", _BOTH, "well", "n pi > 5", lambda c: c.n_pi > 5),
    *_each("4.2", _BOTH, "well", "n pi > 1, rho < .01, m > 8", lambda c: (c.n_pi > 1) & (c.rho < 0.01) & (c.m > 8)),
    *_each("4.2", _BOTH, "poorly", "n pi < .1", lambda c: c.n_pi < 0.1),
    *_each("4.2", _BOTH, "poorly", "n pi < 5, m < 8, rho > .2", lambda c: (c.n_pi < 5) & (c.m < 8) & (c.rho > 0.2)),
    PaperClaim(
        "4.2", _BOTH, "the same as BB within 1 point", _everywhere, lambda a, b: abs(a.coverage - b.coverage) <= 0.01
    ),
    *_each("4.3", ("sb",), "well", "n > 5000, rho < .2", lambda c: (c.n > 5000) & (c.rho < 0.2)),
    *_each("4.3", ("sb",), "well", "pi >= .005, rho < .1", lambda c: (c.pi >= 0.005) & (c.rho < 0.1)),
    *_each("4.3", ("sb",), "poorly", "n <= 1000, pi <= .001", lambda c: (c.n <= 1000) & (c.pi <= 0.001)),
    *_each("4.3", ("sb",), "poorly", "m > 12, rho > .05", lambda c: (c.m > 12) & (c.rho > 0.05)),
    *_each("4.4", ("lbb",), "well", "n pi > 5", lambda c: c.n_pi > 5),
    *_each("4.4", ("lbb",), "well", "n pi > .5, rho < .1, m > 5", lambda c: (c.n_pi > 0.5) & (c.rho < 0.1) & (c.m > 5)),
    *_each("4.4", ("lbb",), "poorly", "n pi < .05", lambda c: c.n_pi < 0.05),
    *_each("4.4", ("lbb",), "poorly", "n pi < 1, m < 8, rho > .1", lambda c: (c.n_pi < 1) & (c.m < 8) & (c.rho > 0.1)),
    *_each("4.5", ("brr",), "well", "n pi > .5", lambda c: c.n_pi > 0.5),
    *_each(
        "4.5",
        ("brr",),
        "well",
        "n > 1000, pi >= .005, rho <= .4",
        lambda c: (c.n > 1000) & (c.pi >= 0.005) & (c.rho <= 0.4),
    ),
    *_each("4.5", ("brr",), "poorly", "rho = .8", lambda c: c.rho == 0.8),
    *_each("4.5", ("brr",), "poorly", "n pi <= .005", lambda c: c.n_pi <= 0.005),
    *_each("5", PAPER_METHODS, "poorly", "rho > .4", lambda c: c.rho > 0.4),
    PaperClaim("5", ("lbb", "dr", "bp", "sb", "bb", "brr"), "nearest to 95 % of all", _everywhere, _nearer),
    PaperClaim(
        "5", ("brr", "bp"), "covers as often as BP or more", _everywhere, lambda a, b: a.coverage >= b.coverage - 1e-12
    ),
    PaperClaim("5", ("bp", "dr"), "nearer to 95 % than DR", _everywhere, _nearer),
    PaperClaim("5", ("bp", "sb"), "nearer to 95 % than SB", _everywhere, _nearer),
    PaperClaim(
        "5",
        ("brr", "lbb"),
        "nearer to 95 % than LBB: rho >= .4, pi <= .001",
        lambda c: (c.rho >= 0.4) & (c.pi <= 0.001),
        _nearer,
    ),
    PaperClaim(
        "5", ("brr", "lbb"), "preferable to LBB: rho >= .4, n pi < 1", lambda c: (c.rho >= 0.4) & (c.n_pi < 1), _nearer
    ),
    PaperClaim("5", ("brr", "lbb"), "wider than LBB", _everywhere, lambda a, b: a.mean_width > b.mean_width),
)
"""The claims of sections 4 and 5. "Well" is a coverage of 92.5 % and more, blue and purple in its Table 1."""


@dataclass(frozen=True, slots=True)
class ClaimFound(Record):
    """A claim of the paper, and the proportion of the cells of a study that supports it."""

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
    """How many cells of the study it is about."""
    support: float
    """The proportion of them that supports it; NaN if there is no such cell."""


@dataclass(frozen=True, slots=True, repr=False)
class ClaimsFound(Result):
    """The claims of the paper about the methods of a study.

    Attributes
    ----------
    claims : tuple of ClaimFound
        Each claim with the cells that it is about and the proportion of them that supports it.
    study : str
        The summary of the study.
    widths : tuple of (float, float) or None
        Mean and median over cells of the width of BRR over that of LBB.

    Examples
    --------
    >>> from fairtrial.repeated import Grid, StudySettings, check_claims, run_study
    >>> study = run_study(Grid((100,), (2,), (0.15,), (0.2,)), StudySettings(methods=("lbb",), exact=True))
    >>> check_claims(study)
    <ClaimsFound: 2 of 3 claims supported by at least 90 % of the cells they are about>
    """

    FIELDS: ClassVar = (
        Field("claims"),
        Field(
            "brr_over_lbb_width",
            get=lambda found: found.widths and dict(zip(("mean", "median"), found.widths, strict=True)),
        ),
    )
    claims: tuple[ClaimFound, ...]
    study: str
    widths: tuple[float, float] | None

    @property
    def notes(self) -> tuple[Note, ...]:
        """How many claims are supported, and the widths of BRR and LBB."""
        checked = [claim for claim in self.claims if claim.cells]
        notes = [
            Note(
                "supported",
                "{supported} of {claims:plural claim} supported by at least 90 % of the cells they are about",
                supported=sum(claim.support >= 0.9 for claim in checked),
                claims=len(checked),
            )
        ]
        if self.widths is not None:
            template = (
                "width of brr over that of lbb: mean {mean:.3f}, median {median:.3f} over cells; the paper's section 5 "
                "has 3.348 and 1.584"
            )
            notes.append(Note("widths", template, mean=self.widths[0], median=self.widths[1]))
        return tuple(notes)

    def answer(self) -> str:
        """How many claims are supported by nine cells of ten."""
        return str(self.notes[0])

    def tables(self) -> tuple[Table, ...]:
        """One row per claim."""
        caption = f"Claims of Schuckers et al. 2004: {self.study}"
        return (table_of("claims", caption, ClaimFound.FIELDS, self.claims, notes=self.notes),)


def check_claims(study: CoverageStudy) -> ClaimsFound:
    """Compare the claims of Schuckers et al. 2004, sections 4 and 5, with a coverage study.

    Parameters
    ----------
    study : CoverageStudy
        Any study of 95 % intervals; claims about methods that it does not have are left out.

    Returns
    -------
    ClaimsFound
        Each claim with the proportion of the cells it is about that supports it.

    Raises
    ------
    ParameterError
        If the study is of another confidence.

    Notes
    -----
    "Well" is supported by a cell with a coverage of at least 92.5 %, "poorly" by one with less; "nearer" by one in
    which the method's coverage is as near to 95 % as the other's; the hook by one that has 2 points less than a
    cell with fewer attempts and the same n, pi and rho. The proportions depend on the grid of the study.

    References
    ----------
    Schuckers et al., A comparison of statistical methods for evaluating matching performance, 2004, sections 4 and 5.

    Examples
    --------
    >>> from fairtrial.repeated import Grid, StudySettings, run_study
    >>> study = run_study(Grid((100,), (2,), (0.15, 0.2), (0.2,)), StudySettings(methods=("lbb",), exact=True))
    >>> found = check_claims(study).claims[0]
    >>> found.claim, found.cells, found.support
    ('well: n pi > 10', 2, 1.0)
    """
    if study.settings.confidence != 0.95:
        raise ParameterError(
            f"the claims are about 95 % intervals, and the study is of {level_text(study.settings.confidence)}"
        )
    cells = {method: Cells.of(study, method) for method in study.settings.methods}
    claims = []
    for claim in PAPER_CLAIMS:
        if set(claim.methods) <= set(cells):
            compared = [cells[method] for method in claim.methods]
            chosen = claim.where(compared[0])
            support = float(claim.supports(*compared)[chosen].mean()) if chosen.any() else nan
            count = int(np.count_nonzero(chosen))
            claims.append(ClaimFound(claim.section, claim.methods[0], claim.text, count, support))
    widths = None
    if {"brr", "lbb"} <= set(cells):
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = cells["brr"].mean_width / cells["lbb"].mean_width
        ratios = ratios[np.isfinite(ratios)]
        widths = (float(ratios.mean()), float(np.median(ratios))) if len(ratios) else None
    return ClaimsFound(tuple(claims), study.answer(), widths)
