"""How well intervals of evidence cover, calibrated on dev sets of their own: what docs/calibration.md says.

``python studies/calibration.py [DATA_SETS]``. What is to be covered is the mean of a figure over all data sets: that of
the system, calibration procedure and all, on new people. Two equal systems are compared on the same trials.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

import fairtrial as ft
from simulated import crossed


@dataclass(frozen=True)
class Regime:
    """Who is tested, and how alike the trials of a person are."""

    clients: int
    impostors: int
    effect: float


PEOPLE = ((50, 25), (20, 10))
POINTS = (ft.CostPoint(0.5), ft.CostPoint(0.1))
REGIMES = [Regime(*people, effect) for people in PEOPLE for effect in (0.0, 0.5, 1.0)]
TESTED = ("cllr", "cllr-min", "act-dcf@0.5")
TITLES = ("Cllr", "calibration fixed", "min Cllr", "lost", "DCF(.5)", "DCF(.1)", "min DCF(.5)", "min DCF(.1)")


def study(regime: Regime, count: int) -> str:
    """One row: the share of intervals that cover, and of tests that reject."""
    intervals: list[list[tuple[float, float, float]]] = [[] for _ in TITLES]
    rejected: list[list[bool]] = [[] for _ in TESTED]
    for seed in range(count):
        rng = np.random.default_rng([seed, regime.clients, int(10 * regime.effect)])
        dev, test = (
            crossed(rng, clients=regime.clients, impostors=regime.impostors, effect=regime.effect, start=start)
            for start in (0, 1000)
        )
        both = [ft.calibrate(dev, test, systems=[name], points=POINTS) for name in ("a", "b")]
        found = both[0]
        actual, least = [cost.interval for cost in found.costs], [cost.least for cost in found.costs]
        for known, own in zip(intervals, [*found.intervals, found.least, found.lost, *actual, *least], strict=True):
            known.append((own.estimate, own.low, own.high))
        for decided, measure in zip(rejected, TESTED, strict=True):
            decided.append(ft.compare_evidence(dev, test, both, measure=measure)[0].test.p_value < 0.05)
    shares = []
    for known in intervals:
        estimates, low, high = np.array(known).T
        truth = estimates.mean()
        shares.append(100 * np.mean((low <= truth) & (truth <= high)))
    people = f"{regime.clients} x {regime.impostors}, {regime.effect:g}"
    cells = [*shares, *(100 * np.mean(decided) for decided in rejected)]
    return f"| {people} | {' | '.join(f'{cell:.1f}' for cell in cells)} |"


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    print(f"{count:,} data sets per row, in %.\n")
    titles = [*TITLES, *(f"type I, {name}" for name in TESTED)]
    print(f"| people, effects | {' | '.join(titles)} |\n|---{'|---' * len(titles)}|")
    for regime in REGIMES:
        print(study(regime, count), flush=True)


if __name__ == "__main__":
    main()
