"""How often six intervals hold the true rate when people are tested several times: the study of Schuckers et al. 2004.

All cells of the paper with both generators, the paper's claims beside what was found, and coverage as the attempts
of each person grow without limit. Writes docs/coverage-repeated.md.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from math import log, sqrt
from pathlib import Path
from statistics import NormalDist
from textwrap import fill
from typing import TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import ParameterError
from fairtrial.repeated.cells import PAPER, Cell
from fairtrial.repeated.coverage import StudySettings, coverage_study
from fairtrial.repeated.models import Generator
from fairtrial.repeated.paper_claims import PAPER_CLAIMS, MethodCells

MARK = "<!-- what follows is written by make studies -->"
OMAN_ZUCKER, BETA_BINOMIAL = GENERATORS = get_args(Generator)
GOOD = (0.925, 0.975)
NAMES = {"dr": "DR", "bp": "BP", "sb": "SB", "bb": "BB", "lbb": "LBB", "brr": "BRR"}
MOST, FEW = 0.9, 0.1
"""A claim "well" holds if so large a share of cells covers, "poorly" if so small a one does."""
HOOK = (500, 0.001, 0.4)
HOOK_ATTEMPTS = (2, 5, 8, 12, 15, 20, 25, 30, 50, 100, 1000)
SIMULATED = 100_000
BATCH = 2000
Z = NormalDist().inv_cdf(0.975)

Floats: TypeAlias = NDArray[np.float64]
Mask: TypeAlias = NDArray[np.bool_]


Studies: TypeAlias = dict[tuple[str, str], MethodCells]
"""By generator and method."""


FIVE = ("dr", "bp", "sb", "lbb", "brr")
LARGE_RHO: list[tuple[str, Callable[[MethodCells], Mask]]] = [
    ("rho >= .4", lambda c: c.rho >= 0.4),
    ("rho < .4", lambda c: c.rho < 0.4),
    ("rho >= .4, pi <= .001", lambda c: (c.rho >= 0.4) & (c.pi <= 0.001)),
    ("rho >= .4, n pi < 1", lambda c: (c.rho >= 0.4) & (c.n_pi < 1)),
]
BANDS = [
    (0.0, 0.05),
    (0.05, 0.1),
    (0.1, 0.5),
    (0.5, 1),
    (0.0, 1),
    (1, 5),
    (5, 10),
    (10, 50),
    (50, np.inf),
    (10, np.inf),
]


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def percent(value: float) -> str:
    return f"{100 * value:.1f}"


def both(values: Sequence[str]) -> str:
    return " / ".join(values)


SUMMARY = ("cells", "good", "at least 92.5", "above 97.5", "mean", "lowest", "highest")


def summary(studies: Studies, method: str, chosen: Callable[[MethodCells], Mask]) -> tuple[list[str], list[float]]:
    """The entries of a line of a table, and the share of cells that cover, an entry a generator."""
    columns, shares = [], []
    count = 0
    for generator in GENERATORS:
        cells = studies[generator, method]
        coverage = cells.coverage[chosen(cells)]
        count = len(coverage)
        if not count:
            continue
        enough, too_much = coverage >= GOOD[0], coverage > GOOD[1]
        shares.append(float(enough.mean()))
        numbers = (enough & ~too_much).mean(), enough.mean(), too_much.mean(), coverage.mean()
        columns.append([percent(value) for value in (*numbers, coverage.min(), coverage.max())])
    if not count:
        return ["0", *[""] * (len(SUMMARY) - 1)], shares
    return [str(count), *(both(pair) for pair in zip(*columns, strict=True))], shares


def overall(studies: Studies) -> str:
    lines = []
    for method, name in NAMES.items():
        (_, good, enough, too_much, mean, _, _), _ = summary(studies, method, lambda c: c.n > 0)
        undefined = both([percent(float(studies[g, method].undefined.mean())) for g in GENERATORS])
        lines.append([name, good, enough, too_much, mean, undefined])
    return table(["all cells", *SUMMARY[1:5], "undefined"], lines)


def claims(studies: Studies) -> str:
    lines = []
    for claim in PAPER_CLAIMS:
        word, method = claim.text.split(":")[0], claim.methods[0]
        # BB is as BP, and the others have tables of their own
        if word not in ("well", "poorly") or method == "bb":
            continue
        entries, shares = summary(studies, method, claim.where)
        held = all(share >= MOST if word == "well" else share <= FEW for share in shares)
        verdict = "no such cell" if not shares else "yes" if held else "NO"
        lines.append([claim.section, NAMES[method], claim.text, verdict, *entries])
    return table(["section", "method", "claim", "holds", *SUMMARY], lines)


def large_correlations(studies: Studies) -> str:
    lines = [
        [where, NAMES[method], *summary(studies, method, chosen)[0]] for where, chosen in LARGE_RHO for method in FIVE
    ]
    return table(["where", "method", *SUMMARY], lines)


def bands(studies: Studies) -> str:
    lines = []
    for low, high in BANDS:
        words = f"{low:g} and more" if high == np.inf else f"{low:g} to {high:g}" if low else f"below {high:g}"

        def chosen(cells: MethodCells, low: float = low, high: float = high) -> Mask:
            return (cells.n_pi >= low) & (cells.n_pi < high)

        lines += [[words, NAMES[method], *summary(studies, method, chosen)[0]] for method in ("lbb", "bp", "brr")]
    return table(["n pi", "method", *SUMMARY], lines)


def widths(studies: Studies) -> str:
    lines = [["the paper, section 5", "3.348", "1.584", ""]]
    for generator in GENERATORS:
        brr, lbb = studies[generator, "brr"], studies[generator, "lbb"]
        own = brr.mean_width / lbb.mean_width
        # without errors BRR has zero width and LBB none
        same = own / (1 - lbb.undefined)
        for words, ratio in (("each over its own intervals", own), ("over the data sets with errors", same)):
            known = ratio[np.isfinite(ratio)]
            numbers = known.mean(), np.median(known), known.max()
            lines.append([f"{generator}, {words}", *(f"{value:.3f}" for value in numbers)])
    return table(["BRR width over LBB width, per cell", "mean", "median", "largest"], lines)


def replicate_share(method: str, m: float, rho: float) -> float:
    """The mean variance of replicates over the true variance of the estimate, for many people."""
    spread = (m - 1) * (1 - rho) / (1 + (m - 1) * rho)
    return spread / m if method == "sb" else spread


def predictions(studies: Studies) -> str:
    """Coverage of SB and BRR where there are errors enough, and what their variance says."""
    attempts = (2, 5, 12, 30)
    lines = []
    for rho in PAPER.rho:
        line = [f"{rho:g}"]
        for method in ("sb", "brr"):
            cells = studies[OMAN_ZUCKER, method]
            for m in attempts:
                found = cells.coverage[(cells.rho == rho) & (cells.m == m) & (cells.n_pi >= 100)].mean()
                predicted = 2 * NormalDist().cdf(Z * sqrt(replicate_share(method, m, rho))) - 1
                line.append(f"{percent(found)} ({percent(predicted)})")
        lines.append(line)
    head = [f"{name}, m = {m}" for name in ("SB", "BRR") for m in attempts]
    return table(["rho", *head], lines)


def losses(studies: Studies) -> str:
    """How much coverage is lost from the best number of attempts to 30."""
    lines = []
    for generator in GENERATORS:
        for method in ("lbb", "bp"):
            # cells come in the order of the grid: n, m, pi, rho
            shape = tuple(len(values) for values in (PAPER.n, PAPER.m, PAPER.pi, PAPER.rho))
            coverage = studies[generator, method].coverage.reshape(shape)
            lost = coverage.max(axis=1) - coverage[:, -1]
            i, j, k = np.unravel_index(lost.argmax(), lost.shape)
            column = coverage[i, :, j, k]
            lines.append(
                [
                    generator,
                    NAMES[method],
                    f"{np.count_nonzero(lost > 0.1)} of {lost.size}",
                    percent(lost.max()),
                    f"n = {PAPER.n[i]}, pi = {PAPER.pi[j]:g}, rho = {PAPER.rho[k]:g}",
                    f"{percent(column.max())} at m = {PAPER.m[column.argmax()]}",
                    f"{percent(column[-1])} at m = {PAPER.m[-1]}",
                ]
            )
    return table(["generator", "method", "lose more than 10", "most lost", "where", "from", "to"], lines)


def coverage_at(cell: Cell, generator: Generator) -> dict[str, str]:
    """Coverage of LBB and BP, exactly if that can be had, else simulated and marked by a star."""
    methods = ("lbb", "bp")
    try:
        rows = StudySettings(methods, generator, exact=True).cover(cell)
        return {row.method: percent(row.coverage) for row in rows}
    except ParameterError:
        found = [
            [row.coverage for row in StudySettings(methods, generator, BATCH, seed=seed).cover(cell)]
            for seed in range(SIMULATED // BATCH)
        ]
        return {name: f"{percent(share)}*" for name, share in zip(methods, np.mean(found, axis=0), strict=True)}


def endless_coverage(n: int, pi: float, rho: float, generator: Generator) -> dict[str, float]:
    """Coverage of LBB and BP for infinitely many attempts: each person's rate is then known.

    With p of mean r, sample variance S2 and W the mean of p (1 - p), BMS / m tends to S2 and WMS to W, hence rho to
    S2 / (S2 + W), the variance of eq. (3) to S2 / n and that of eq. (6) to r (1 - r) S2 / (S2 + W) / n.
    """
    held, total = np.zeros(2), 0.0
    for mean, spread, within, weights in rates_of_people(n, pi, rho, generator):
        with np.errstate(divide="ignore", invalid="ignore"):
            logit = np.log(mean / (1 - mean))
            reach = Z * np.sqrt(np.where(spread > 0, spread / (spread + within), 0.0) / (mean * (1 - mean) * n))
            by_logit = np.abs(log(pi / (1 - pi)) - logit) <= reach
        by_spread = np.abs(pi - mean) <= Z * np.sqrt(spread / n)
        held += [weights @ by_logit, weights @ by_spread]
        total += weights.sum()
    lbb, bp = held / total
    return {"lbb": float(lbb), "bp": float(bp)}


def rates_of_people(
    n: int, pi: float, rho: float, generator: Generator
) -> Iterator[tuple[Floats, Floats, Floats, Floats]]:
    """Mean and sample variance of people's rates, the mean of p (1 - p), and the weight of each data set."""
    if generator == OMAN_ZUCKER:
        from scipy.stats import binom

        high = np.arange(n + 1.0)
        own = sqrt(rho)
        lower, upper = (1 - own) * pi, own + (1 - own) * pi
        within = ((n - high) * lower * (1 - lower) + high * upper * (1 - upper)) / n
        yield lower + high * own / n, rho * high * (n - high) / (n * (n - 1)), within, binom.pmf(high, n, pi)
        return
    rng = np.random.default_rng(n)
    for _ in range(SIMULATED // BATCH):
        rates = rng.beta(pi * (1 / rho - 1), (1 - pi) * (1 / rho - 1), (BATCH, n))
        yield rates.mean(axis=1), rates.var(axis=1, ddof=1), (rates * (1 - rates)).mean(axis=1), np.ones(BATCH)


def hook() -> str:
    n, pi, rho = HOOK
    columns = [(generator, method) for generator in GENERATORS for method in ("lbb", "bp")]
    lines = []
    for m in HOOK_ATTEMPTS:
        found = {generator: coverage_at(Cell(n, m, pi, rho), generator) for generator in GENERATORS}
        lines.append([str(m), *(found[generator][method] for generator, method in columns)])
    limits = {generator: endless_coverage(n, pi, rho, generator) for generator in GENERATORS}
    stars = {OMAN_ZUCKER: "", BETA_BINOMIAL: "*"}
    lines.append(["infinite", *(percent(limits[g][method]) + stars[g] for g, method in columns)])
    return table(["m", *(f"{NAMES[method]}, {generator}" for generator, method in columns)], lines)


def turning_point(n: int, pi: float, rho: float) -> float:
    """At how many attempts the interval of the stray errors alone comes to lie below the rate, for LBB."""
    stray = 1 - sqrt(rho)
    return (Z / log(stray)) ** 2 / (stray * n * pi)


def turning_points() -> str:
    n, pi, _ = HOOK
    lines = []
    for rho in (0.1, 0.2, 0.4, 0.8):
        turn = turning_point(n, pi, rho)
        found = [
            coverage_at(Cell(n, max(2, round(factor * turn)), pi, rho), OMAN_ZUCKER)["lbb"] for factor in (0.5, 1, 2, 4)
        ]
        limit = endless_coverage(n, pi, rho, OMAN_ZUCKER)["lbb"]
        lines.append([f"{rho:g}", f"{turn:.0f}", *found, percent(limit)])
    return table(["rho", "m*", "m*/2", "m*", "2 m*", "4 m*", "infinite"], lines)


def main() -> None:
    data_sets = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    studies: Studies = {}
    for generator in GENERATORS:
        rows = coverage_study(PAPER, generator=generator, data_sets=data_sets).rows
        studies |= {(generator, method): MethodCells.of(rows, method) for method in NAMES}
    apart = max(
        np.abs(studies[generator, "bp"].coverage - studies[generator, "bb"].coverage).max() for generator in GENERATORS
    )
    n, pi, rho = HOOK
    parts = [
        f"{len(PAPER)} cells, {data_sets} data sets per cell, 1000 resamples. Coverage in %; *good*: 92.5 to 97.5 %. "
        f"Two numbers in a column are Oman-Zucker / beta-binomial. BP and BB differ by at most {percent(apart)} points "
        "in any cell; only BP is shown below the first table.",
        "### All cells",
        overall(studies),
        "### Claims of the paper",
        f'"Well" holds if at least {100 * MOST:.0f} % of the cells cover at least 92.5 %, '
        f'"poorly" if at most {100 * FEW:.0f} % do, with both generators.',
        claims(studies),
        "### Large correlations",
        large_correlations(studies),
        "### Widths of BRR and LBB",
        widths(studies),
        "### By n pi",
        bands(studies),
        "### SB and BRR with errors enough",
        "Mean coverage of the cells with n pi of at least 100, Oman-Zucker; in "
        "brackets what the variance of the replicates predicts.",
        predictions(studies),
        "### The hook: coverage lost from the best m to m = 30",
        losses(studies),
        f"### The hook: n = {n}, pi = {pi:g}, rho = {rho:g}",
        f"Exact; with a star, {SIMULATED:,} simulated data sets (two standard deviations are 0.3 points).",
        hook(),
        "### The hook: where it turns",
        f"Coverage of LBB, n = {n}, pi = {pi:g}, Oman-Zucker, at multiples of m*.",
        turning_points(),
    ]
    target = Path(__file__).parents[1] / "docs" / "coverage-repeated.md"
    text = target.read_text().split(MARK)[0]
    blocks = [part if part.startswith(("|", "#")) else fill(part, 120) for part in parts]
    target.write_text(f"{text}{MARK}\n\n## Tables\n\n" + "\n\n".join(blocks) + "\n")
    print(target.read_text())


if __name__ == "__main__":
    main()
