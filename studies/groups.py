"""How well claims about groups hold: what docs/coverage-groups.md says.

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
    share: float = 1.0
    """Of the data sets that were asked for."""

    @property
    def name(self) -> str:
        worse = "".join(f", {name} x {factor:g}" for name, factor in self.worse.items())
        return f"{len(self.sizes)}, {self.attempts} + {self.impostors}, {self.effect:g}{worse}"


REGIMES = [
    *(Regime(SIX, effect) for effect in (0.0, 0.5, 1.0)),
    *(Regime(TWENTY, effect, share=0.5) for effect in (0.0, 0.5, 1.0)),
    *(Regime(SIX, effect, attempts=5, impostors=10, share=0.25) for effect in (0.0, 1.0)),
    *(Regime(SIX, 0.5, worse={worse: 3.0}, share=0.25) for worse in ("g00", "g02", "g04")),
]
CROSSED = ((0.0, 0.0), (0.7, 0.0), (0.5, 0.5), (0.0, 0.7))
"""Effects of claims, and of claims with a device."""


def rejected_devices(effects: tuple[float, float], seed: int) -> bool:
    """Whether four equal devices, with each of which 48 claims are tried, are said to differ in FAR."""
    claims, devices, each = 48, 4, 50
    rng = np.random.default_rng([seed, 7])
    sets = []
    for name in ("dev", "test"):
        own = effects[0] * rng.normal(size=(claims, 1)) + effects[1] * rng.normal(size=(claims, devices))
        claim, device = (np.repeat(place.ravel(), each) for place in np.indices((claims, devices)))
        client, with_device = (np.repeat(place.ravel(), 5) for place in np.indices((claims, devices)))
        scores = np.concatenate([3 + rng.normal(size=len(client)), own[claim, device] + rng.normal(size=len(claim))])
        everybody = [f"{name} {person}" for person in np.concatenate([client, claim])]
        with_which = np.concatenate([with_device, device])
        genuine = np.arange(len(scores)) < len(client)
        sets.append(ft.Trials.from_arrays(scores, genuine, claim=everybody, columns={"device": with_which}))
    return ft.evaluate_groups(*sets, by="device", rng=seed).tests[0].p_value < 0.05


def one(regime: Regime, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The true rates of one data set, the limits of all groups and of all pairs, and the tests that all are equal."""
    sizes = {f"g{k:02}": size for k, size in enumerate(regime.sizes)}
    data = ft.groups.synthetic_groups(
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
    return f"| {regime.name} | {count:,} | " + " | ".join(f"{100 * number:.1f}" for number in numbers) + " |"


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    print(
        "| groups, trials per person, effects | data sets | FAR | FRR | HTER | "
        "equal FAR rejected | equal FRR rejected | FAR ratios | FAR differences | FRR ratios | FRR differences |\n"
        + 11 * "|---"
        + "|"
    )
    with ProcessPoolExecutor(2) as pool:
        for regime in REGIMES:
            print(study(regime, int(count * regime.share), pool), flush=True)
        print("\n| effects of claims, of claims with a device | data sets | equal FAR rejected |\n|---|---|---|")
        for effects in CROSSED:
            number = count // 2
            share = np.mean(list(pool.map(partial(rejected_devices, effects), range(number), chunksize=10)))
            print(f"| {effects[0]:g}, {effects[1]:g} | {number:,} | {100 * share:.1f} |", flush=True)


if __name__ == "__main__":
    main()
