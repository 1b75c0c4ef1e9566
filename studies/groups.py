"""How well claims about groups hold: what docs/groups.md says.

``python studies/groups.py [DATA_SETS]``. Groups of 10 to 200 people, whose impostors come from all groups, with dev
sets of their own. What is to be covered with the threshold re-estimated is the mean of the true rates over data sets;
with the threshold fixed, the true rates at the threshold of each.
"""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial

import numpy as np

import fairtrial as ft

SIX = (10, 20, 40, 80, 120, 200)
TWENTY = (10, 12, 15, 20, 20, 25, 30, 30, 40, 40, 50, 60, 70, 80, 90, 100, 120, 140, 160, 200)


@dataclass(frozen=True)
class Regime:
    """Who is tested, how often, and how alike the trials of a person are."""

    sizes: tuple[int, ...]
    effect: float
    attempts: int = 20
    impostors: int = 40
    worse: dict[str, float] = field(default_factory=dict)

    @property
    def name(self) -> str:
        worse = "".join(f", {name} x {factor:g}" for name, factor in self.worse.items())
        return f"{len(self.sizes)}, {self.attempts} + {self.impostors}, {self.effect:g}{worse}"


REGIMES = [
    *(Regime(sizes, effect) for sizes in (SIX, TWENTY) for effect in (0.0, 0.5, 1.0)),
    *(Regime(SIX, effect, attempts=5, impostors=10) for effect in (0.0, 1.0)),
    *(Regime(SIX, 0.5, worse={worse: 3.0}) for worse in ("g0", "g2", "g4")),
]


def one(regime: Regime, seed: int) -> list[np.ndarray]:
    """Estimates, limits and tests of one data set, and what is true of it."""
    sizes = {f"g{k}": size for k, size in enumerate(regime.sizes)}
    data = ft.synthetic_groups(
        sizes,
        worse=regime.worse,
        attempts=regime.attempts,
        impostors=regime.impostors,
        effect=regime.effect,
        rng=seed,
    )
    found = []
    for resample in ("both", "test"):
        result = ft.evaluate_groups(data.dev, data.test, by="group", resample=resample, rng=seed)
        truth = data.far(result.threshold), data.frr(result.threshold)
        order = [own.group for own in result.groups]
        places = [list(sizes).index(name) for name in order]
        limits = np.array(
            [[own.interval for own in (g.far_interval, g.frr_interval, g.hter_interval) if own] for g in result.groups]
        )
        by_name = dict(zip(order, places, strict=True))
        pairs = np.array(
            [
                (p.measure == "frr", by_name[p.a], by_name[p.b], p.ratio_low, p.ratio_high, p.difference_low,
                 p.difference_high, p.p_adjusted)
                for p in result.pairs
            ]
        )  # fmt: skip
        found += [np.array(truth)[:, places], limits, pairs, np.array([own.p_value for own in result.tests])]
    return found


def study(regime: Regime, count: int, pool: ProcessPoolExecutor) -> str:
    """One row: shares of data sets, in percent."""
    runs = list(pool.map(partial(one, regime), range(count), chunksize=10))
    mean = np.mean([run[0] for run in runs], axis=0)
    numbers = []
    for start, fixed in ((0, False), (4, True)):
        held = []
        for run in runs:
            truth, limits = run[start] if fixed else mean, run[start + 1]
            every = np.stack([truth[0], truth[1], truth.mean(axis=0)])
            held.append([np.all((limits[:, k, 0] <= every[k]) & (every[k] <= limits[:, k, 1])) for k in range(3)])
        numbers += list(100 * np.mean(held, axis=0))
    numbers += [100 * np.mean([run[3][k] < 0.05 for run in runs]) for k in (0, 1)]
    for kind in (0, 1):
        covered = []
        for run in runs:
            pairs = run[2][run[2][:, 0] == kind]
            a, b = (mean[kind][pairs[:, k].astype(int)] for k in (1, 2))
            covered.append(
                (
                    np.all((pairs[:, 3] <= a / b) & (a / b <= pairs[:, 4])),
                    np.all((pairs[:, 5] <= a - b) & (a - b <= pairs[:, 6])),
                )
            )
        numbers += list(100 * np.mean(covered, axis=0))
    return f"| {regime.name} | " + " | ".join(f"{number:.1f}" for number in numbers) + " |"


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    print(f"{count:,} data sets per row, in %.\n")
    print(
        "| groups, trials per person, effects | FAR | FRR | HTER | FAR, fixed | FRR, fixed | HTER, fixed | "
        "equal FAR rejected | equal FRR rejected | FAR ratios | FAR differences | FRR ratios | FRR differences |\n"
        + 13 * "|---"
        + "|"
    )
    with ProcessPoolExecutor(2) as pool:
        for regime in REGIMES:
            print(study(regime, count, pool), flush=True)


if __name__ == "__main__":
    main()
