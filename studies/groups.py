"""How well claims about groups hold: what docs/groups.md says.

``python studies/groups.py [DATA_SETS]``. Groups of 10 to 200 people, whose impostors come from all groups, with dev
sets of their own. What is to be covered is the mean of the true rates over data sets: those of the system, threshold
procedure and all, on new people.
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
    *(Regime(SIX, 0.5, worse={worse: 3.0}) for worse in ("g00", "g02", "g04")),
]


def one(regime: Regime, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The true rates of one data set, the limits of all groups and of all pairs, and the tests that all are equal."""
    sizes = {f"g{k:02}": size for k, size in enumerate(regime.sizes)}
    data = ft.synthetic_groups(
        sizes,
        worse=regime.worse,
        attempts=regime.attempts,
        impostors=regime.impostors,
        effect=regime.effect,
        rng=seed,
    )
    found = ft.evaluate_groups(data.dev, data.test, by="group", rng=seed)
    truth = np.array([data.far(found.threshold), data.frr(found.threshold)])
    limits = np.array(
        [[own.interval for own in (g.far_interval, g.frr_interval, g.hter_interval) if own] for g in found.groups]
    )
    place = {name: k for k, name in enumerate(sizes)}
    pairs = np.array(
        [
            (p.measure == "frr", place[p.a], place[p.b], p.ratio_low, p.ratio_high, p.difference_low, p.difference_high)
            for p in found.pairs
        ]
    )
    return truth, limits, pairs, np.array([own.p_value for own in found.tests])


def study(regime: Regime, count: int, pool: ProcessPoolExecutor) -> str:
    """One row: shares of data sets, in percent."""
    runs = list(pool.map(partial(one, regime), range(count), chunksize=10))
    far, frr = np.mean([run[0] for run in runs], axis=0)
    truth = np.stack([far, frr, (far + frr) / 2], axis=1)
    held = [np.all((run[1][:, :, 0] <= truth) & (truth <= run[1][:, :, 1]), axis=0) for run in runs]
    numbers = [*np.mean(held, axis=0), *np.mean([run[3] < 0.05 for run in runs], axis=0)]
    for kind, rate in enumerate((far, frr)):
        covered = []
        for run in runs:
            pairs = run[2][run[2][:, 0] == kind]
            a, b = (rate[pairs[:, k].astype(int)] for k in (1, 2))
            for low, high, true in ((3, 4, a / b), (5, 6, a - b)):
                covered.append(np.all((pairs[:, low] <= true) & (true <= pairs[:, high])))
        numbers += [np.mean(covered[0::2]), np.mean(covered[1::2])]
    return f"| {regime.name} | " + " | ".join(f"{100 * number:.1f}" for number in numbers) + " |"


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    print(f"{count:,} data sets per row, in %.\n")
    print(
        "| groups, trials per person, effects | FAR | FRR | HTER | "
        "equal FAR rejected | equal FRR rejected | FAR ratios | FAR differences | FRR ratios | FRR differences |\n"
        + 10 * "|---"
        + "|"
    )
    with ProcessPoolExecutor(2) as pool:
        for regime in REGIMES:
            print(study(regime, count, pool), flush=True)


if __name__ == "__main__":
    main()
