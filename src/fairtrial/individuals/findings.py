"""What Schuckers et al. 2004 say of the intervals, beside what a coverage study finds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairtrial.errors import ParameterError
from fairtrial.individuals.attempts import Floats
from fairtrial.individuals.study import RIGHT_COVERAGE, CoverageStudy
from fairtrial.tables import Column, Result, Table, level_text, plural

Mask: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Cells:
    """What one method did, one entry per cell."""

    n: Floats
    m: Floats
    pi: Floats
    rho: Floats
    coverage: Floats
    mean_width: Floats
    undefined: Floats

    @classmethod
    def of(cls, study: CoverageStudy, method: str) -> Cells:
        """The rows of one method of a study."""
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
    """What the paper says of a method in some of the cells."""

    section: str
    methods: tuple[str, ...]
    """The method, then those that it is compared with."""
    text: str
    where: Callable[[Cells], Mask]
    """Which cells the claim is about."""
    supports: Callable[..., Mask]
    """From the cells of the methods, in their order, to those that are as the claim says."""


def _well(cells: Cells) -> Mask:
    return cells.covers


def _poorly(cells: Cells) -> Mask:
    return ~cells.covers


def _nearer(first: Cells, *others: Cells) -> Mask:
    """Where the first method's coverage is at least as near to 95 % as that of any other."""
    return np.asarray(np.all([first.miss <= other.miss + 1e-12 for other in others], axis=0))


def _as_often(first: Cells, second: Cells) -> Mask:
    return first.coverage >= second.coverage - 1e-12


def _alike(first: Cells, second: Cells) -> Mask:
    return np.abs(first.coverage - second.coverage) <= 0.01


def _everywhere(cells: Cells) -> Mask:
    return cells.n > 0


def _falls(cells: Cells) -> Mask:
    """Where a study has more coverage, by 2 points, at fewer attempts of the same n, pi and rho."""
    best: dict[tuple[float, float, float], float] = {}
    falls = np.zeros(len(cells.n), dtype=bool)
    for k in np.argsort(cells.m, kind="stable"):
        key = (cells.n[k], cells.pi[k], cells.rho[k])
        falls[k] = cells.coverage[k] < best.get(key, 0.0) - 0.02
        best[key] = max(best.get(key, 0.0), float(cells.coverage[k]))
    return falls


_EACH = ("dr", "bp", "sb", "bb", "lbb", "brr")
_BOTH = ("bp", "bb")


def _each(
    section: str,
    methods: tuple[str, ...],
    how: Literal["well", "poorly"],
    condition: str,
    where: Callable[[Cells], Mask],
) -> list[PaperClaim]:
    """The claim that each of several methods covers well, or poorly, where a condition holds."""
    supports = _well if how == "well" else _poorly
    return [PaperClaim(section, (method,), f"{how}: {condition}", where, supports) for method in methods]


PAPER_CLAIMS: tuple[PaperClaim, ...] = (
    *_each("4", _EACH, "well", "n pi > 10", lambda c: c.n_pi > 10),
    *_each("4", _EACH, "poorly", "n pi < .05", lambda c: c.n_pi < 0.05),
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
    PaperClaim("4.2", _BOTH, "the same as BB within 1 point", _everywhere, _alike),
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
    *_each("5", _EACH, "poorly", "rho > .4", lambda c: c.rho > 0.4),
    PaperClaim("5", ("lbb", "dr", "bp", "sb", "bb", "brr"), "nearest to 95 % of all", _everywhere, _nearer),
    PaperClaim("5", ("brr", "bp"), "covers as often as BP or more", _everywhere, _as_often),
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
class ClaimFound:
    """A claim of the paper, and the share of a study's cells that is as it says."""

    section: str
    method: str
    claim: str
    cells: int
    """How many cells of the study it is about."""
    support: float
    """The share of them that supports it; NaN where there is no such cell."""

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True, repr=False)
class ClaimsFound(Result):
    """The claims of the paper that a study can say something about.

    Attributes
    ----------
    claims : tuple of ClaimFound
        Each claim with the cells that it is about and the share of them that supports it.
    study : str
        What the study is of.
    widths : tuple of (float, float) or None
        Mean and median over cells of the width of BRR over that of LBB.

    Examples
    --------
    >>> from fairtrial import Grid, StudySettings, check_claims, run_study
    >>> study = run_study(Grid((100,), (2,), (0.15,), (0.2,)), StudySettings(methods=("lbb",), exact=True))
    >>> check_claims(study)
    <ClaimsFound: 2 of 3 claims supported by at least 90 % of the cells they are about>
    """

    claims: tuple[ClaimFound, ...]
    study: str
    widths: tuple[float, float] | None

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        widths = None if self.widths is None else dict(zip(("mean", "median"), self.widths, strict=True))
        return {"claims": [claim.to_dict() for claim in self.claims], "brr_over_lbb_width": widths}

    def summary(self) -> str:
        """How many claims are supported by nine cells of ten."""
        told = [claim for claim in self.claims if claim.cells]
        held = sum(claim.support >= 0.9 for claim in told)
        return f"{held} of {plural(len(told), 'claim')} supported by at least 90 % of the cells they are about"

    def tables(self) -> tuple[Table, ...]:
        """One row per claim."""
        columns = (
            Column("section", "section"),
            Column("method", "method"),
            Column("claim", "claim of the paper"),
            Column("cells", "cells", "count"),
            Column("support", "supported by", "rate"),
        )
        notes = [self.summary()]
        if self.widths is not None:
            mean, median = self.widths
            notes.append(
                f"width of brr over that of lbb: mean {mean:.3f}, median {median:.3f} over cells; the paper's "
                "section 5 has 3.348 and 1.584"
            )
        records = [claim.to_dict() for claim in self.claims]
        return (Table.of("claims", f"Claims of Schuckers et al. 2004: {self.study}", columns, records, notes=notes),)


def check_claims(study: CoverageStudy) -> ClaimsFound:
    """Compare the claims of Schuckers et al. 2004, sections 4 and 5, with a coverage study.

    Parameters
    ----------
    study : CoverageStudy
        Any study of 95 % intervals; claims about methods that it does not have are left out.

    Returns
    -------
    ClaimsFound
        Each claim with the share of the cells it is about that supports it.

    Raises
    ------
    ParameterError
        A study of another confidence.

    Notes
    -----
    "Well" is supported by a cell with a coverage of at least 92.5 %, "poorly" by one with less; "nearer" by one in
    which the method's coverage is as near to 95 % as the other's; the hook by one that has 2 points less than a
    cell with fewer attempts and the same n, pi and rho. The shares are of the cells that the study has, so they
    depend on its grid.

    References
    ----------
    Schuckers et al., A comparison of statistical methods for evaluating matching performance, 2004, sections 4 and 5.

    Examples
    --------
    >>> from fairtrial.individuals import Grid, StudySettings, run_study
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
    found = [_found(claim, cells) for claim in PAPER_CLAIMS if set(claim.methods) <= set(cells)]
    return ClaimsFound(tuple(found), study.summary(), _widths(cells))


def _found(claim: PaperClaim, cells: Mapping[str, Cells]) -> ClaimFound:
    own = [cells[method] for method in claim.methods]
    chosen, supports = claim.where(own[0]), claim.supports(*own)
    count = int(np.count_nonzero(chosen))
    share = float(supports[chosen].mean()) if count else float("nan")
    return ClaimFound(claim.section, claim.methods[0], claim.text, count, share)


def _widths(cells: Mapping[str, Cells]) -> tuple[float, float] | None:
    if not {"brr", "lbb"} <= set(cells):
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = cells["brr"].mean_width / cells["lbb"].mean_width
    known = ratio[np.isfinite(ratio)]
    return (float(known.mean()), float(np.median(known))) if len(known) else None
