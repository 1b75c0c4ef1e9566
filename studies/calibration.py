"""How well intervals of evidence cover, and how often its tests reject equal systems: docs/coverage-calibration.md.

``python studies/calibration.py [PART [DATA_SETS]]``, with a part of ``measures``, ``costs``, ``methods``, ``dev-pav``
and ``folds``; all of them by default. Each data set has a dev and a test set of new people, or one set that is judged
in folds, and two equally good systems. The truth is the mean of a figure over all data sets: that of the system with
its calibration from dev, on new people.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))


import fairtrial as ft
from fairtrial.calibration.measures import Evidence, EvidenceMeasure
from fairtrial.rules.measures import as_any_measure
from simulated import crossed


@dataclass(frozen=True)
class Regime:
    """Who is tested, the standard deviation of a person's effect, the distance of the classes, and genuine attempts."""

    clients: int
    impostors: int
    effect: float
    separation: float = 2.0
    attempts: int = 4

    @property
    def name(self) -> str:
        apart = "" if self.separation == 2 else f", {self.separation:g}"
        return f"{self.clients} x {self.impostors}, {self.effect:g}{apart}"

    def trials(self, rng: np.random.Generator, start: int) -> ft.Trials:
        return crossed(
            rng,
            clients=self.clients,
            impostors=self.impostors,
            attempts=self.attempts,
            effect=self.effect,
            separation=self.separation,
            start=start,
        )


REGIMES = [Regime(*people, effect) for people in ((50, 25), (20, 10)) for effect in (0.0, 0.5, 1.0)]
OTHERS = [Regime(30, 15, 0.7), Regime(30, 15, 0.0, 3.0), Regime(80, 20, 0.5, 3.0), Regime(100, 50, 0.5, 3.0)]
HELD_BACK = [Regime(40, 20, 0.8, 2.5), Regime(15, 30, 0.4), Regime(60, 12, 0.6, 2.2)]
FEW_ERRORS = [Regime(20, 15, 0.5, apart, attempts=5) for apart in (4.0, 5.0, 6.0)]
MEASURES = ("cllr", "cllr-min", "cllr-cal", "eer-rocch")
COSTS = ("act-dcf@0.5", "act-dcf@0.1", "act-dcf@0.01", "min-dcf@0.5", "min-dcf@0.1")
OF_CALIBRATION = ("cllr", "act-dcf@0.5", "act-dcf@0.1")
FIXED = "cllr, calibration fixed"


class Study:
    """Intervals and tests in the data sets of one regime."""

    def __init__(self, regime: Regime, measures: Sequence[str], method: str = "logistic", folds: int = 0) -> None:
        self.regime, self.measures, self.method, self.folds = regime, measures, method, folds
        self.intervals: dict[str, list[tuple[float, float, float, bool]]] = {}
        """Of each data set estimate, limits, and whether there is a note."""
        self.tests: dict[str, list[tuple[bool, bool]]] = {}
        """Of each data set whether the test rejects, and whether there is a note."""
        self.accepts: list[list[float]] = []

    def run(self, count: int) -> Study:
        for seed in range(count):
            rng = np.random.default_rng([seed, self.regime.clients, int(10 * self.regime.effect)])
            dev, test = (self.regime.trials(rng, start) for start in (0, 1000))
            if self.folds:
                sets = ft.inference.TrialSets.of(dev, None, folds=self.folds, rng=seed)
            else:
                sets = ft.inference.TrialSets(dev, test)
            self.add([Evidence.fitted(sets, [name], method=self.method) for name in ("a", "b")])
        return self

    def add(self, systems: list[Evidence]) -> None:
        accepts = []
        for name in self.measures:
            measure = as_any_measure(name)
            assert isinstance(measure, EvidenceMeasure)
            first = measure.judged(systems[0])
            self.add_interval(name, measure.interval(systems[0]))
            if name == "cllr":
                self.add_interval(FIXED, measure.interval(systems[0], threshold="fixed"))
            if name.startswith("act") and first.errors is not None:
                accepts.append(float(first.errors[0].false_accepts))
            test = measure.test(*systems)
            self.tests.setdefault(name, []).append((test.p_value < 0.05, bool(test.note)))
        self.accepts.append(accepts)

    def add_interval(self, name: str, interval: ft.inference.RateInterval) -> None:
        entry = interval.estimate, interval.low, interval.high, bool(interval.note)
        self.intervals.setdefault(name, []).append(entry)

    def covered(self, name: str) -> str:
        """The percentage of intervals that contain the mean; in brackets, of those without a note, and how many."""
        estimates, low, high, noted = np.array(self.intervals[name]).T
        return percentages((low <= estimates.mean()) & (estimates.mean() <= high), noted > 0)

    def rejects(self, name: str) -> str:
        """The percentage of tests of the equal systems that reject; in brackets, of those without a note."""
        rejected, noted = np.array(self.tests[name]).T
        return percentages(rejected, noted if name in COSTS else np.zeros(len(noted), dtype=bool))


def percentages(marked: NDArray[np.bool_], noted: NDArray[np.bool_]) -> str:
    text = f"{100 * marked.mean():.1f}"
    if not noted.any():
        return text
    rest = marked[~noted]
    return f"{text} ({100 * rest.mean():.1f} of {100 * len(rest) / len(marked):.0f} %)" if len(rest) else f"{text} (-)"


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    print(f"{title}\n\n| people, effects | {' | '.join(columns)} |\n|---{'|---' * len(columns)}|")
    print("\n".join(f"| {' | '.join(cells)} |" for cells in rows), "\n", flush=True)


def measures(count: int, names: Sequence[str] = MEASURES) -> None:
    """Measures by logistic calibration."""
    covered, rejected = [], []
    columns = [names[0], FIXED, *names[1:]] if names[0] == "cllr" else [*names]
    for regime in (*REGIMES, *OTHERS, *HELD_BACK, *FEW_ERRORS):
        study = Study(regime, names).run(count)
        accepts = ", ".join(f"{mean:.3g}" for mean in np.mean(study.accepts, axis=0))
        covered.append([regime.name, *map(study.covered, columns), accepts])
        rejected.append([regime.name, *map(study.rejects, names)])
        print(*covered[-1], *rejected[-1][1:], file=sys.stderr, flush=True)
    table(f"Covered, {count} data sets per row", [*columns, "false accepts"], covered)
    table("Type I", names, rejected)


def costs(count: int) -> None:
    """Detection costs; in brackets, of the data sets in which neither interval nor test has a note."""
    measures(count, COSTS)


def methods(count: int) -> None:
    """The other methods: covered (calibration fixed); type I."""
    rows = []
    for regime in REGIMES:
        cells = [regime.name]
        for method in ("gaussian", "kde", "pav"):
            study = Study(regime, OF_CALIBRATION, method).run(count)
            for name in OF_CALIBRATION:
                fixed = f" ({study.covered(FIXED)})" if name == "cllr" else ""
                cells.append(f"{study.covered(name)}{fixed}; {study.rejects(name)}")
        rows.append(cells)
        print(*cells, file=sys.stderr, flush=True)
    columns = [f"{method}: {name}" for method in ("gaussian", "kde", "pav") for name in OF_CALIBRATION]
    table(f"Other methods, {count} data sets per row", columns, rows)


def dev_pav(count: int) -> None:
    """Intervals of devPAV, and the median of their upper limits over the figure."""
    rows = []
    for regime in REGIMES:
        study, wide = Study(regime, ()), []
        for seed in range(count):
            rng = np.random.default_rng([seed, regime.clients, int(10 * regime.effect)])
            result = ft.calibrate(*(regime.trials(rng, start) for start in (0, 1000)), systems=["a"], costs=())
            interval = result.dev_pav_interval
            if interval is not None:
                study.add_interval("dev-pav", interval)
                wide.append(interval.high / interval.estimate)
        rows.append([regime.name, study.covered("dev-pav"), f"{np.median(wide):.1f}", str(len(wide))])
        print(*rows[-1], file=sys.stderr, flush=True)
    table(f"devPAV, {count} data sets per row", ["covered", "upper limit over the figure", "intervals"], rows)


def folds(count: int) -> None:
    """Five folds of one set: covered, and type I."""
    rows = []
    for regime in REGIMES:
        study = Study(regime, OF_CALIBRATION, folds=5).run(count)
        rows.append([regime.name, *(f(name) for name in OF_CALIBRATION for f in (study.covered, study.rejects))])
        print(*rows[-1], file=sys.stderr, flush=True)
    columns = [column for name in OF_CALIBRATION for column in (name, "type I")]
    table(f"Five folds, {count} data sets per row", columns, rows)


PARTS = {
    "measures": (measures, 1000),
    "costs": (costs, 1000),
    "methods": (methods, 400),
    "dev-pav": (dev_pav, 300),
    "folds": (folds, 300),
}


def main() -> None:
    for name in [sys.argv[1]] if len(sys.argv) > 1 else PARTS:
        part, count = PARTS[name]
        part(int(sys.argv[2]) if len(sys.argv) > 2 else count)


if __name__ == "__main__":
    main()
