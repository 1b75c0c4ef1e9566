"""How well claims about groups hold: what docs/coverage-groups.md says.

``python studies/groups.py [DATA_SETS [WORKERS]]``. Groups of 10 to 200 people, whose impostors come from all groups,
with dev sets of their own. What is to be covered is the mean of the true rates over data sets: those of the system,
threshold procedure and all, on new people.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

import fairtrial as ft

SIX = (10, 20, 40, 80, 120, 200)
FIFTEENS = (15,) * 6
TWENTY = (10, 12, 15, 20, 20, 25, 30, 30, 40, 40, 50, 60, 70, 80, 90, 100, 120, 140, 160, 200)
FAR_AT_EER = 0.02
Rates = Callable[[float], NDArray[np.float64]]
"""The true FAR and FRR of every group at a threshold, shape (2, groups)."""


@dataclass(frozen=True)
class Regime:
    """Groups of people: who is tested, how often, and how much people differ."""

    sizes: tuple[int, ...]
    effect: float
    attempts: int = 20
    impostors: int = 40
    worse: dict[str, float] = field(default_factory=dict)
    skewed: bool = False
    """Whether effects are log-normal: a few people are much worse than all others."""
    part: float = 1.0
    """Of the number of data sets."""

    @property
    def name(self) -> str:
        groups = f"{len(self.sizes)}{' of 15' if self.sizes == FIFTEENS else ''}"
        worse = "".join(f", {name} x {factor:g}" for name, factor in self.worse.items())
        skewed = " log-normal" if self.skewed else ""
        return f"{groups}, {self.attempts} + {self.impostors}, {self.effect:g}{skewed}{worse}"

    def draw(self, seed: int) -> tuple[ft.Trials, ft.Trials, Rates]:
        """Draw dev and test trials of new people."""
        sizes = {f"g{k:02}": size for k, size in enumerate(self.sizes)}
        if self.skewed:
            rng = np.random.default_rng([seed, 11])
            return self.draw_skewed("dev", rng), self.draw_skewed("test", rng), self.rates_of_skewed
        data = ft.groups.synthetic_groups(
            sizes,
            worse=self.worse,
            attempts=self.attempts,
            impostors=self.impostors,
            effect=self.effect,
            rng=seed,
        )
        return data.dev, data.test, lambda threshold: np.array([data.far(threshold), data.frr(threshold)])

    def draw_skewed(self, name: str, rng: np.random.Generator) -> ft.Trials:
        """Draw the trials of one set: lambs and wolves have high impostor scores, goats low genuine ones."""
        people = np.repeat(np.arange(len(self.sizes)), self.sizes)
        count = len(people)
        client, claimed = np.repeat(np.arange(count), self.attempts), np.repeat(np.arange(count), self.impostors)
        stranger = (claimed + 1 + rng.integers(0, count - 1, len(claimed))) % count
        goat, lamb, wolf = (self.effect * skewed_effects(rng, count) for _ in range(3))
        genuine = 2 * eer_threshold(self.effect) - goat[client] + rng.normal(size=len(client))
        impostor = lamb[claimed] + wolf[stranger] + rng.normal(size=len(claimed))
        claims, subjects = np.concatenate([client, claimed]), np.concatenate([client, stranger])
        return ft.Trials.from_arrays(
            np.concatenate([genuine, impostor]),
            claims == subjects,
            claim=[f"{name} {person}" for person in claims],
            subject=[f"{name} {person}" for person in subjects],
            columns={"group": [f"g{people[person]:02}" for person in claims]},
        )

    def rates_of_skewed(self, threshold: float) -> NDArray[np.float64]:
        genuine, impostor = skewed_scores(self.effect)
        far = 1 - np.searchsorted(impostor, threshold, "right") / len(impostor)
        frr = np.searchsorted(genuine + 2 * eer_threshold(self.effect), threshold, "right") / len(genuine)
        return np.repeat([[far], [frr]], len(self.sizes), axis=1)


def skewed_effects(rng: np.random.Generator, size: int) -> NDArray[np.float64]:
    """Draw log-normal effects with mean 0 and standard deviation 1, as those of studies/dependence.py."""
    return np.asarray((np.exp(0.7 * rng.normal(size=size)) - np.exp(0.245)) / 0.85)


@cache
def skewed_scores(effect: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Draw four million sorted genuine and impostor scores, around 0."""
    rng, number = np.random.default_rng(5), 4_000_000
    genuine = -effect * skewed_effects(rng, number) + rng.normal(size=number)
    impostor = effect * (skewed_effects(rng, number) + skewed_effects(rng, number)) + rng.normal(size=number)
    return np.sort(genuine), np.sort(impostor)


@cache
def eer_threshold(effect: float) -> float:
    """Give half the distance of the classes: where the FAR is 2 %."""
    return float(np.quantile(skewed_scores(effect)[1], 1 - FAR_AT_EER))


REGIMES = [
    *(Regime(SIX, effect) for effect in (0.0, 0.5, 1.0)),
    *(Regime(TWENTY, effect, part=0.5) for effect in (0.0, 0.5, 1.0)),
    *(Regime(SIX, effect, attempts=5, impostors=10, part=0.25) for effect in (0.0, 1.0)),
    *(Regime(FIFTEENS, effect) for effect in (0.5, 1.0)),
    *(Regime(sizes, 0.5, skewed=True) for sizes in (FIFTEENS, SIX)),
    *(Regime(SIX, 0.5, worse={worse: 3.0}, part=0.25) for worse in ("g00", "g02", "g04")),
]
CROSSED = ((0.0, 0.0), (0.7, 0.0), (0.5, 0.5), (0.0, 0.7))
"""Effects of claims, and of claims with a device."""


def rejected_devices(effects: tuple[float, float], seed: int) -> bool:
    """Whether four equal devices, with each of which 48 claims are tried, are said to differ in FAR."""
    claims, devices, each = 48, 4, 50
    rng = np.random.default_rng([seed, 7])
    sets = []
    for name in ("dev", "test"):
        shift = effects[0] * rng.normal(size=(claims, 1)) + effects[1] * rng.normal(size=(claims, devices))
        claim, device = (np.repeat(place.ravel(), each) for place in np.indices((claims, devices)))
        client, with_device = (np.repeat(place.ravel(), 5) for place in np.indices((claims, devices)))
        scores = np.concatenate([3 + rng.normal(size=len(client)), shift[claim, device] + rng.normal(size=len(claim))])
        everybody = [f"{name} {person}" for person in np.concatenate([client, claim])]
        with_which = np.concatenate([with_device, device])
        genuine = np.arange(len(scores)) < len(client)
        sets.append(ft.Trials.from_arrays(scores, genuine, claim=everybody, columns={"device": with_which}))
    return ft.evaluate_groups(*sets, by="device", rng=seed).tests[0].p_value < 0.05


def one(regime: Regime, seed: int) -> tuple[NDArray[np.float64], ...]:
    """The true rates of one data set, the limits of all groups and of all pairs, and p values that all are equal."""
    dev, test, rates = regime.draw(seed)
    result = ft.evaluate_groups(dev, test, by="group", rng=seed)
    limits = np.array(
        [[each.interval for each in (g.far_interval, g.frr_interval, g.hter_interval) if each] for g in result.groups]
    )
    place = {row.group: k for k, row in enumerate(result.groups)}
    pairs = np.array(
        [
            (p.measure == "frr", place[p.a], place[p.b], p.ratio_low, p.ratio_high, p.difference_low, p.difference_high)
            for p in result.pairs
        ]
    )
    p_values = [*(test.p_value for test in result.tests), min(test.p_adjusted for test in result.tests)]
    return rates(result.threshold), limits, pairs, np.array(p_values)


def study(regime: Regime, count: int, pool: ProcessPoolExecutor) -> str:
    """One row: proportions of data sets, in percent."""
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
    count, workers = (int(text) for text in (*sys.argv[1:], *("2000", "2")[len(sys.argv) - 1 :]))
    print(
        "| groups, trials per person, effects | data sets | FAR | FRR | HTER | "
        "FAR alone rejected | FRR alone rejected | both, one test | "
        "FAR ratios | FAR differences | FRR ratios | FRR differences |\n" + 12 * "|---" + "|"
    )
    with ProcessPoolExecutor(workers) as pool:
        for regime in REGIMES:
            print(study(regime, int(count * regime.part), pool), flush=True)
        print("\n| effects of claims, of claims with a device | data sets | equal FAR rejected |\n|---|---|---|")
        for effects in CROSSED:
            number = count // 2
            share = np.mean(list(pool.map(partial(rejected_devices, effects), range(number), chunksize=10)))
            print(f"| {effects[0]:g}, {effects[1]:g} | {number:,} | {100 * share:.1f} |", flush=True)


if __name__ == "__main__":
    main()
