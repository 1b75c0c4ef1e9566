"""How well the interval of Cllr covers, calibrated on dev sets of their own: what docs/calibration.md says.

``python studies/calibration.py [DATA_SETS]``. What is to be covered is the mean Cllr over all data sets: that of the
system, calibration procedure and all, on new people. Two equal systems are compared on the same trials.
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
REGIMES = [Regime(*people, effect) for people in PEOPLE for effect in (0.0, 0.5, 1.0)]


def study(regime: Regime, count: int) -> str:
    """One row: the share of intervals that cover and of tests that reject, calibration re-estimated and fixed."""
    found, rejected = [], []
    for seed in range(count):
        rng = np.random.default_rng([seed, regime.clients, int(10 * regime.effect)])
        dev, test = (
            crossed(rng, clients=regime.clients, impostors=regime.impostors, effect=regime.effect, start=start)
            for start in (0, 1000)
        )
        both = [ft.calibrate(dev, test, systems=[name]) for name in ("a", "b")]
        found.append(both[0])
        rejected.append(ft.compare_evidence(dev, test, both)[0].test.p_value < 0.05)
    truth = float(np.mean([own.test[0] for own in found]))
    covered = [100 * np.mean([own.intervals[k].low <= truth <= own.intervals[k].high for own in found]) for k in (0, 1)]
    people = f"{regime.clients} x {regime.impostors}, {regime.effect:g}"
    return f"| {people} | {covered[0]:.1f} | {covered[1]:.1f} | {100 * np.mean(rejected):.1f} | {truth:.3f} |"


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    print(f"{count:,} data sets per row, in %.\n")
    print("| people, effects | covered | covered, calibration fixed | type I | mean Cllr |\n|---|---|---|---|---|")
    for regime in REGIMES:
        print(study(regime, count), flush=True)


if __name__ == "__main__":
    main()
