"""Coverage against recomputed cells of Schuckers et al. 2004 and brute force, and Monte Carlo against exact."""

from __future__ import annotations

from functools import cache
from itertools import product
from math import prod, sqrt
from typing import Any

import numpy as np
import pytest

from fairtrial import ParameterError
from fairtrial.repeated.attempts import Individuals
from fairtrial.repeated.cells import PAPER, QUICK, Cell, CoverageRow, Grid
from fairtrial.repeated.coverage import StudySettings, coverage_study
from fairtrial.repeated.intervals import REPEATED_METHODS
from fairtrial.repeated.models import Generator, errors_pmf, histograms, sums_of_errors, sums_of_squares
from reference.individuals_2004 import (
    COVERAGE,
    DATA_SETS,
    DR_COVERAGE,
    GRID_CELLS,
    GRID_M,
    GRID_N,
    GRID_PI,
    GRID_RHO,
    HOOK_COVERAGE,
    HOOK_N,
    HOOK_PI,
    HOOK_RHO,
    METHODS,
)

GENERATORS: list[Generator] = ["oman-zucker", "beta-binomial"]


def cover(cell: Cell, *, attempts: list[int] | None = None, **settings: Any) -> list[CoverageRow]:
    return StudySettings(**settings).cover(cell, attempts)


def cover_exactly(cell: Cell, **settings: Any) -> list[CoverageRow]:
    return StudySettings(exact=True, **settings).cover(cell)


def coverages(rows: list[CoverageRow]) -> dict[str, float]:
    return {row.method: row.coverage for row in rows}


@pytest.mark.parametrize("cell", COVERAGE)
def test_exact_coverage_against_recomputed_cells(cell: tuple[int, float, float]) -> None:
    n, pi, rho = cell
    rows = cover_exactly(Cell(n, 2, pi, rho), methods=METHODS)
    assert [row.method for row in rows] == list(METHODS)
    assert [row.coverage for row in rows] == pytest.approx(COVERAGE[cell], abs=6e-6)
    # with two attempts the two generators are the same
    other = cover_exactly(Cell(n, 2, pi, rho), methods=METHODS, generator="beta-binomial")
    assert [row.coverage for row in other] == pytest.approx(COVERAGE[cell], abs=6e-6)


@pytest.mark.parametrize("cell", DR_COVERAGE)
def test_exact_coverage_of_doddingtons_rule(cell: tuple[int, int, float, float]) -> None:
    (row,) = cover_exactly(Cell(*cell), methods=["dr"])
    assert row.coverage == pytest.approx(DR_COVERAGE[cell], abs=1e-6)


@pytest.mark.parametrize(("m", "coverage"), HOOK_COVERAGE.items())
def test_hook_paradox_against_simulation(m: int, coverage: float) -> None:
    (row,) = cover_exactly(Cell(HOOK_N, m, HOOK_PI, HOOK_RHO), methods=["lbb"])
    assert row.coverage == pytest.approx(coverage, abs=4 * sqrt(coverage * (1 - coverage) / DATA_SETS))


def brute_force(cell: Cell, method: str, generator: Generator) -> dict[str, float]:
    """Every X of every person, one data set after the other; only the interval is the library's."""
    pmf = errors_pmf(cell.m, cell.pi, cell.rho, generator=generator)
    found = {"coverage": 0.0, "undefined": 0.0, "too_high": 0.0, "too_low": 0.0}
    width = 0.0

    @cache
    def limits(errors: tuple[int, ...]) -> tuple[float, float]:
        low, high = REPEATED_METHODS[method].limits(Individuals.from_counts(errors, cell.m), n_resamples=None)
        return float(low), float(high)

    for errors in product(range(cell.m + 1), repeat=cell.n):
        chance = prod(float(pmf[x]) for x in errors)
        low, high = limits(tuple(sorted(errors)))
        if np.isnan(low):
            found["undefined"] += chance
            continue
        width += chance * (high - low)
        where = "too_high" if low > cell.pi + 1e-12 else "too_low" if high < cell.pi - 1e-12 else "coverage"
        found[where] += chance
    return {**found, "mean_width": width / (1 - found["undefined"])}


@pytest.mark.parametrize("method", REPEATED_METHODS)
@pytest.mark.parametrize(
    ("cell", "generator"),
    [
        (Cell(3, 4, 0.3, 0.2), "oman-zucker"),
        (Cell(4, 3, 0.1, 0.4), "beta-binomial"),
        (Cell(6, 1, 0.25, 0.5), "oman-zucker"),
        (Cell(5, 2, 0.5, 1.0), "oman-zucker"),
        (Cell(2, 9, 0.7, 0.0), "beta-binomial"),
    ],
)
def test_exact_coverage_against_brute_force(method: str, cell: Cell, generator: Generator) -> None:
    (row,) = cover_exactly(cell, methods=[method], generator=generator)
    for name, expected in brute_force(cell, method, generator).items():
        assert getattr(row, name) == pytest.approx(expected, abs=1e-7), name
    assert (row.n, row.m, row.pi, row.rho) == (cell.n, cell.m, cell.pi, cell.rho)


def test_an_interval_that_just_touches_the_rate_covers() -> None:
    # one error in ten attempts, and the interval has no width: .1 is covered at .1
    (row,) = cover_exactly(Cell(2, 5, 0.1, 1.0), methods=["sb"])
    # all or nothing: the rate is 0, 1/2 or 1, never .1
    assert row.coverage == pytest.approx(0, abs=1e-12)
    (touching,) = cover_exactly(Cell(2, 5, 0.5, 1.0), methods=["sb"])
    assert touching.coverage == pytest.approx(0.5)
    assert touching.mean_width == 0


@pytest.mark.parametrize(
    ("cell", "generator"),
    [
        (Cell(30, 4, 0.1, 0.2), "oman-zucker"),
        (Cell(30, 4, 0.1, 0.2), "beta-binomial"),
        (Cell(200, 3, 0.005, 0.4), "beta-binomial"),
    ],
)
def test_monte_carlo_against_exact(cell: Cell, generator: Generator) -> None:
    data_sets = 2000
    exact = {row.method: row for row in cover_exactly(cell, generator=generator)}
    for drawn in cover(cell, generator=generator, data_sets=data_sets, seed=1):
        true = exact[drawn.method]
        p = true.coverage
        extra = 0.03 if drawn.method in ("sb", "brr") else 0
        assert drawn.coverage == pytest.approx(p, abs=4 * sqrt(p * (1 - p) / data_sets) + extra)
        q = true.undefined
        assert drawn.undefined == pytest.approx(q, abs=4 * sqrt(q * (1 - q) / data_sets))
        assert drawn.mean_width == pytest.approx(true.mean_width, rel=0.08)


def test_monte_carlo_without_end_of_replicates_against_recomputed_cells() -> None:
    rows = cover(Cell(1000, 2, 0.01, 0.8), methods=METHODS, data_sets=4000, n_resamples=None)
    for found, p in zip(rows, COVERAGE[1000, 0.01, 0.8], strict=True):
        assert found.coverage == pytest.approx(p, abs=4 * sqrt(p * (1 - p) / 4000))


@pytest.mark.parametrize("generator", GENERATORS)
def test_shares_of_all_data_sets_sum_to_1(generator: Generator) -> None:
    for cell in Grid((2, 50), (1, 6), (0.01, 0.5), (0.0, 0.9)):
        rows = cover(cell, data_sets=200, n_resamples=50, generator=generator)
        for row in (*rows, *cover_exactly(cell, methods=["dr", "lbb"], generator=generator)):
            assert row.coverage + row.too_high + row.too_low + row.undefined == pytest.approx(1)
            assert min(row.coverage, row.too_high, row.too_low, row.undefined) >= 0
            assert row.undefined == 0 or row.method == "lbb"


def test_undefined_intervals_are_misses_and_counted() -> None:
    # nobody errs with probability (1 - pi) to the n m
    cell = Cell(10, 2, 0.02, 0.0)
    (row,) = cover_exactly(cell, methods=["lbb"])
    assert row.undefined == pytest.approx(0.98**20 + 0.02**20)
    assert row.coverage <= 1 - row.undefined


def test_mean_and_median_width_against_the_intervals_themselves() -> None:
    cell = Cell(20, 3, 0.2, 0.1)
    pmf = errors_pmf(3, 0.2, 0.1)
    (row,) = cover_exactly(cell, methods=["bp"])
    rng = np.random.default_rng(0)
    errors = rng.choice(4, size=(4000, 20), p=pmf / pmf.sum())
    counts = (errors[:, :, None] == np.arange(4)).sum(axis=1).astype(float)
    low, high = REPEATED_METHODS["bp"].limits(Individuals(np.arange(4.0), np.full(4, 3.0), counts))
    widths = high - low
    assert row.mean_width == pytest.approx(np.mean(widths), rel=0.02)
    assert row.median_width == pytest.approx(np.median(widths), rel=0.02)


@pytest.mark.parametrize("generator", GENERATORS)
@pytest.mark.parametrize(("n", "m", "pi", "rho"), [(40, 3, 0.1, 0.3), (1000, 2, 0.001, 0.1), (6, 8, 0.6, 0.05)])
def test_outcomes_have_the_moments_of_the_sums(n: int, m: int, pi: float, rho: float, generator: Generator) -> None:
    pmf = errors_pmf(m, pi, rho, generator=generator)
    k = np.arange(m + 1)
    mean, square = pmf @ k, pmf @ k**2
    for listing in (sums_of_errors, sums_of_squares, histograms):
        found = listing(n, pmf)
        weights, total = found.probabilities, found.people.total_errors
        assert weights.sum() == pytest.approx(1, abs=1e-5)
        assert weights @ total == pytest.approx(n * mean, rel=1e-4)
        assert weights @ (total - n * mean) ** 2 == pytest.approx(n * (square - mean**2), rel=1e-3)
        if listing is not sums_of_errors:
            squares = found.people.counts @ found.people.errors**2
            assert weights @ squares == pytest.approx(n * square, rel=1e-4)
        assert found.people.individuals == pytest.approx(n)
        assert found.people.total_attempts == pytest.approx(n * m)


@pytest.mark.parametrize(
    ("cell", "method"),
    [
        (Cell(100_000, 30, 0.1, 0.8), "lbb"),
        (Cell(100_000, 30, 0.1, 0.8), "bp"),
        (Cell(1000, 30, 0.1, 0.2), "sb"),
        (Cell(1000, 30, 0.1, 0.2), "brr"),
        (Cell(10**15, 2, 0.1, 0.2), "dr"),
        (Cell(10**15, 2, 0.1, 0.2), "lbb"),
        (Cell(10**15, 2, 0.1, 0.2), "sb"),
    ],
)
def test_cells_too_large_for_exact_coverage(cell: Cell, method: str) -> None:
    with pytest.raises(ParameterError) as error:
        cover_exactly(cell, methods=[method])
    assert error.value.code == "too-many-outcomes"


def test_grid_of_the_paper_against_its_section_3() -> None:
    assert len(PAPER) == GRID_CELLS
    assert len(list(PAPER)) == GRID_CELLS
    assert len(set(PAPER)) == GRID_CELLS
    assert PAPER.pi == GRID_PI
    assert PAPER.rho == GRID_RHO
    assert PAPER.m == GRID_M
    assert PAPER.n == GRID_N
    assert set(QUICK.n) <= set(PAPER.n)


def test_cells_of_a_grid_in_order() -> None:
    assert list(Grid((10, 20), (2,), (0.1, 0.2), (0.3,))) == [
        Cell(10, 2, 0.1, 0.3),
        Cell(10, 2, 0.2, 0.3),
        Cell(20, 2, 0.1, 0.3),
        Cell(20, 2, 0.2, 0.3),
    ]


def test_a_seed_repeats_and_another_does_not() -> None:
    cell = Cell(50, 3, 0.1, 0.2)
    first, same, other = (cover(cell, data_sets=300, n_resamples=40, seed=seed) for seed in (1, 1, 2))
    assert first == same
    assert first != other
    unseeded = coverage_study([cell], methods=["bp"], data_sets=300, rng=None).rows
    assert 0.5 < unseeded[0].coverage <= 1
    source = np.random.default_rng(5)
    drawn, again = (coverage_study([cell], data_sets=300, rng=source).rows for _ in range(2))
    assert drawn != again


def test_unequal_attempts_against_simulation_person_by_person() -> None:
    attempts = [1] * 10 + [4] * 10 + [9] * 5
    cell = Cell(25, 4, 0.2, 0.3)
    found = coverages(cover(cell, methods=["bp", "bb", "lbb"], data_sets=4000, attempts=attempts))
    rng = np.random.default_rng(9)
    covered = dict.fromkeys(found, 0)
    for _ in range(1000):
        rates = np.where(rng.random(25) < 0.2, 1.0, 0.0) * sqrt(0.3) + (1 - sqrt(0.3)) * 0.2
        people = Individuals.from_counts(rng.binomial(attempts, rates), attempts)
        for name in found:
            low, high = REPEATED_METHODS[name].limits(people)
            covered[name] += bool(low <= 0.2 <= high)
    for name, coverage in found.items():
        assert covered[name] / 1000 == pytest.approx(coverage, abs=4.5 * sqrt(coverage * (1 - coverage) / 800))


@pytest.mark.parametrize(
    ("values", "name"),
    [
        ((1, 2, 0.1, 0.1), "n"),
        ((10**18, 2, 0.1, 0.1), "n"),
        ((10**400, 2, 0.1, 0.1), "n"),
        ((10, 0, 0.1, 0.1), "m"),
        ((10, 10**400, 0.1, 0.1), "m"),
        ((10, 2, 0.0, 0.1), "pi"),
        ((10, 2, 1.0, 0.1), "pi"),
        ((10, 2, float("nan"), 0.1), "pi"),
        ((10, 2, 0.1, -0.1), "rho"),
        ((10, 2, 0.1, 1.5), "rho"),
        ((10, 2, 0.1, float("nan")), "rho"),
    ],
)
def test_bad_cells(values: tuple[int, int, float, float], name: str) -> None:
    with pytest.raises(ParameterError, match=f"^{name} "):
        Cell(*values)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"methods": ["lbb", "wald"]}, "method"),
        ({"data_sets": 0}, "data set"),
        ({"n_resamples": 0}, "resample"),
        ({"confidence": 1.0}, "confidence"),
        ({"attempts": [3, 3]}, "attempts"),
        ({"attempts": [3] * 9 + [0]}, "attempt"),
        ({"generator": "poisson"}, "generator"),
    ],
)
def test_bad_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        cover(Cell(10, 2, 0.1, 0.1), **options)


def test_names_of_the_json() -> None:
    (row,) = cover_exactly(Cell(10, 2, 0.1, 0.1), methods=["dr"])
    assert {"n", "m", "pi", "rho", "method", "coverage", "mean_width", "undefined"} <= set(row.to_dict())
