"""How often tests of two equally good fusions over a protocol reject, and how well bands cover: docs/fusion-study.md.

``python studies/pooled.py [DATA_SETS]``. All systems of a data set are equally good, and the two methods take the first
and the second system of each pair. With two systems there is one experiment, with four there are six, which share
their trials. The truth of a band is the mean curve over all data sets.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from fairtrial.benchmark import (
    Benchmark,
    BenchmarkSet,
    SystemInfo,
    compare_pooled,
    compare_runs,
    pooled_band,
    run_benchmark,
)
from fairtrial.fusion import Fitted, FusionMethod
from simulated import crossed

POINTS = 11
REGIMES = [(25, 8, 0.4, 2), (25, 8, 0.4, 4), (50, 25, 0.5, 4), (25, 8, 1.0, 4)]
"""Clients, impostors, standard deviation of a person's effect, and systems."""


def takes(column: int) -> Callable[..., Fitted]:
    """A fusion that is one of its systems."""
    return lambda data: Fitted(lambda scores, claim: scores[:, column].copy())


METHODS = [FusionMethod(name, takes(column)) for column, name in enumerate(("first", "second"))]


def study(clients: int, impostors: int, effect: float, systems: int, count: int) -> list[str]:
    """One row of the table."""
    names = [f"s{number}" for number in range(systems)]
    how: dict[str, Any] = {"clients": clients, "impostors": impostors, "effect": effect, "correlation": 0.3}
    infos = tuple(SystemInfo(name, "face", name, name) for name in names)
    rejected, anywhere, means, curves, limits = [], [], [], [], []
    for seed in range(count):
        rng = np.random.default_rng([seed, 11])
        dev, test = (crossed(rng, systems=names, start=start, **how) for start in (0, 1000))
        benchmark = Benchmark("equal", "equal systems", (BenchmarkSet("set", dev, test, infos),))
        runs = [run_benchmark(benchmark, fusions=method, points=POINTS, keep_scores=True) for method in METHODS]
        comparison = compare_pooled(*runs)
        rejected.append(compare_pooled(*runs, simultaneous=False).different)
        anywhere.append(comparison.different.any())
        means.append(compare_runs(runs).pairs[0].test.p_value < 0.05)
        bands = [pooled_band(runs[0], kind=kind) for kind in ("pointwise", "simultaneous")]
        curves.append(bands[0].estimate)
        limits.append([(band.low, band.high) for band in bands])
    truth, inner = np.mean(curves, axis=0), slice(1, -1)
    held = np.array([[(low <= truth) & (truth <= high) for low, high in bands] for bands in limits])[:, :, inner]
    shares = [np.mean(means), np.mean(np.array(rejected)[:, inner]), np.mean(anywhere)]
    shares += [np.mean(held[:, 0]), np.mean(held[:, 1].all(axis=1))]
    by_alpha = " ".join(f"{share:.1f}" for share in 100 * np.mean(rejected, axis=0))
    covered = " ".join(f"{share:.1f}" for share in 100 * np.mean(held[:, 0], axis=0))
    print(f"tests by alpha {by_alpha}; bands by alpha {covered}", file=sys.stderr)
    return [f"{clients} x {impostors}, {effect:g}", str(systems), *(f"{100 * share:.1f}" for share in shares)]


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    columns = ["people, effects", "systems", "mean HTER", "one alpha", "any alpha", "band at one alpha", "whole band"]
    print(f"{count} data sets per row, {POINTS} values of alpha, in %\n\n| {' | '.join(columns)} |{'---|' * 7}")
    for regime in REGIMES:
        print(f"| {' | '.join(study(*regime, count))} |", flush=True)


if __name__ == "__main__":
    main()
