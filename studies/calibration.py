"""How well intervals of evidence cover, calibrated on dev sets of their own: what docs/coverage-calibration.md says.

``python studies/calibration.py [DATA_SETS [METHOD]]``; with a method, only what depends on it. What is to be covered is
the mean of a figure over all data sets: that of the system, calibration procedure and all, on new people. Two equal
systems are compared on the same trials.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))


import fairtrial as ft
from fairtrial.calibration.measures import Evidence, EvidenceMeasure, evidence_test
from fairtrial.rules.measures import as_any_measure
from simulated import crossed


@dataclass(frozen=True)
class Regime:
    """Who is tested, how alike the trials of a person are, and how far apart the classes are."""

    clients: int
    impostors: int
    effect: float
    separation: float = 2.0

    @property
    def name(self) -> str:
        apart = "" if self.separation == 2 else f", {self.separation:g}"
        return f"{self.clients} x {self.impostors}, {self.effect:g}{apart}"


REGIMES = [Regime(*people, effect) for people in ((50, 25), (20, 10)) for effect in (0.0, 0.5, 1.0)]
OTHERS = [Regime(30, 15, 0.7), Regime(30, 15, 0.0, 3.0), Regime(80, 20, 0.5, 3.0), Regime(100, 50, 0.5, 3.0)]
MEASURES = (
    *("cllr", "cllr-min", "cllr-cal"),
    *("act-dcf@0.5", "act-dcf@0.1", "act-dcf@0.01", "min-dcf@0.5", "min-dcf@0.1", "eer-rocch"),
)
OF_CALIBRATION = ("cllr", "act-dcf@0.5", "act-dcf@0.1")
FIXED = "cllr, calibration fixed"
ACCEPTS = "false accepts, at each prior"


class Found:
    """What was found in the data sets of one regime."""

    def __init__(self, method: str, measures: Sequence[str]) -> None:
        self.method, self.measures = method, measures
        self.intervals: dict[str, list[tuple[float, float, float]]] = {}
        self.rejected: dict[str, list[bool]] = {}
        self.accepts: list[tuple[float, ...]] = []

    def add(self, regime: Regime, seed: int) -> None:
        """Simulate one data set, and judge both systems on it."""
        rng = np.random.default_rng([seed, regime.clients, int(10 * regime.effect)])
        dev, test = (
            crossed(
                rng, clients=regime.clients, impostors=regime.impostors, effect=regime.effect,
                separation=regime.separation, start=start,
            )
            for start in (0, 1000)
        )  # fmt: skip
        sets = ft.inference.TrialSets(dev, test)
        both = [
            Evidence(ft.calibration.fit_calibration(dev, systems=[name], method=self.method), sets)
            for name in ("a", "b")
        ]
        accepts = []
        for name in self.measures:
            measure = as_any_measure(name)
            assert isinstance(measure, EvidenceMeasure)
            figures = [measure.figure(own) for own in both]
            self._add_interval(name, measure.interval(both[0]))
            if name == "cllr":
                self._add_interval(FIXED, measure.interval(both[0], threshold="fixed"))
            if name.startswith("act") and figures[0].errors is not None:
                accepts.append(float(figures[0].errors[0].false_accepts))
            found = evidence_test(measure, both[0], figures[0] - figures[1])
            self.rejected.setdefault(name, []).append(found.p_value < 0.05)
        self.accepts.append(tuple(accepts))

    def _add_interval(self, name: str, interval: ft.inference.RateInterval) -> None:
        self.intervals.setdefault(name, []).append((interval.estimate, interval.low, interval.high))

    def covered(self, name: str) -> float:
        """How many intervals hold the mean, in %."""
        estimates, low, high = np.array(self.intervals[name]).T
        truth = estimates.mean()
        return 100 * float(np.mean((low <= truth) & (truth <= high)))


def table(title: str, columns: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]]) -> str:
    lines = [f"{title}\n", f"| people, effects | {' | '.join(columns)} |", f"|---{'|---' * len(columns)}|"]
    return "\n".join([*lines, *(f"| {name} | {' | '.join(cells)} |" for name, cells in rows), ""])


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    method = sys.argv[2] if len(sys.argv) > 2 else ""
    measures = OF_CALIBRATION if method else MEASURES
    covered, rejected = [], []
    names = [measures[0], FIXED, *measures[1:]]
    for regime in REGIMES if method else (*REGIMES, *OTHERS):
        found = Found(method or "logistic", measures)
        for seed in range(count):
            found.add(regime, seed)
        accepts = ", ".join(f"{mean:.3g}" for mean in np.mean(found.accepts, axis=0))
        covered.append((regime.name, [*(f"{found.covered(name):.1f}" for name in names), accepts]))
        rejected.append((regime.name, [f"{100 * np.mean(found.rejected[name]):.1f}" for name in measures]))
        print(regime.name, *covered[-1][1], ";", *rejected[-1][1], file=sys.stderr, flush=True)
    print(f"{count:,} data sets per row, in %.\n")
    print(table("Covered", [*names, ACCEPTS], covered))
    print(table("Type I", measures, rejected))


if __name__ == "__main__":
    main()
