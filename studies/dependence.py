"""How well intervals cover and tests keep their level when trials share people.

Clients and impostors have effects on the scores of two systems; the true rates follow from the normal model.
Writes docs/dependence.md.
"""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from statistics import NormalDist

import numpy as np

from fairtrial import ErrorCounts, Trials, class_interval, hter_interval, mcnemar_test, naive_interval
from fairtrial.intervals.bootstrap import count_table, draw_replicates, one_system
from fairtrial.intervals.clusters import interval_of_decisions
from fairtrial.people import Cluster
from fairtrial.significance import dependent_test, independent_test
from fairtrial.significance.paired import (
    Pair,
    bootstrap_difference,
    cluster_test,
    pair_systems,
    permutation_test,
)
from fairtrial.trials import Ids

RESAMPLES = 500
MARK = "<!-- what follows is written by make study -->"


@dataclass(frozen=True)
class Scenario:
    """How many people, how often, how strong their effects, and where the threshold lies."""

    effects: str
    clients: int
    impostors: int
    attempts: int
    client: float
    impostor: float
    error: float

    @property
    def distance(self) -> float:
        """How far genuine scores lie above impostor scores, so that both rates are about `error`."""
        z = NormalDist().inv_cdf(1 - self.error)
        return z * (sqrt(1 + self.client**2 + self.impostor**2) + sqrt(1 + self.client**2))

    @property
    def threshold(self) -> float:
        return NormalDist().inv_cdf(1 - self.error) * sqrt(1 + self.client**2 + self.impostor**2)


EFFECTS = {"none": (0.0, 0.0), "client": (0.5, 0.0), "client x impostor": (0.5, 0.7)}
SCENARIOS = [
    Scenario(name, clients, impostors, attempts, *strength, error)
    for name, strength in EFFECTS.items()
    for clients, impostors, attempts in ((50, 25, 4), (200, 50, 2))
    for error in (0.1, 0.02)
]


def two_systems(scenario: Scenario, ids: tuple[Ids, Ids], shift: float, rng: np.random.Generator) -> Trials:
    """Scores of two systems on the same trials; the second is worse by `shift`."""
    claim, subject = (column.codes for column in ids)
    genuine = claim == subject
    people = int(max(claim.max(), subject.max())) + 1
    client = scenario.client * rng.normal(size=(people, 2))
    impostor = scenario.impostor * rng.normal(size=(people, 2))
    noise = sqrt(0.5) * (rng.normal(size=(len(claim), 1)) + rng.normal(size=(len(claim), 2)))
    distance = np.array([scenario.distance, scenario.distance - shift])
    scores = np.where(genuine[:, None], distance, impostor[subject]) + client[claim] + noise
    return Trials.from_arrays(scores, genuine, systems=["a", "b"], claim=ids[0], subject=ids[1])


def people(scenario: Scenario) -> tuple[Ids, Ids]:
    clients = np.arange(scenario.clients)
    impostors = scenario.clients + np.arange(scenario.impostors)
    claim = np.concatenate([np.repeat(clients, scenario.attempts), np.repeat(clients, len(impostors))])
    subject = np.concatenate([np.repeat(clients, scenario.attempts), np.tile(impostors, len(clients))])
    names = np.array([str(k) for k in range(scenario.clients + scenario.impostors)], dtype=object)
    return Ids(claim.astype(np.int32), names), Ids(subject.astype(np.int32), names)


def covered(trials: Trials, pair: Pair, truth: float, seed: int) -> dict[str, bool]:
    counts: ErrorCounts = pair.counts_a
    found = {
        "independent": hter_interval(counts).interval,
        "naive": naive_interval(counts).interval,
        "class": class_interval(counts).interval,
    }
    clusters: list[Cluster] = ["claim", "subject", "both"]
    for cluster in clusters:
        found[f"cluster {cluster}"] = interval_of_decisions(trials, pair.wrong_a, cluster=cluster).interval
    outcome = 1 - pair.wrong_a.astype(np.int64)
    resampled: list[Cluster] = ["none", "both"]
    for cluster in resampled:
        table = count_table(trials, outcome, 2, cluster=cluster)
        drawn = draw_replicates(table, one_system(lambda c: c.hter), n_resamples=RESAMPLES, rng=seed)
        found[f"bootstrap {cluster}"] = drawn.interval()
        found[f"bootstrap {cluster}, BCa"] = drawn.interval(method="bca")
    # FAR and FRR are the same in truth, so the HTER and the classification error are too
    return {name: bool(low <= truth <= high) for name, (low, high) in found.items()}


def rejected(pair: Pair, seed: int) -> dict[str, bool]:
    a, b, found = pair.counts_a, pair.counts_b, pair.discordant
    only_a = int(np.count_nonzero(pair.wrong_a & ~pair.wrong_b))
    only_b = int(np.count_nonzero(pair.wrong_b & ~pair.wrong_a))
    p_values = {
        "cluster both": cluster_test(pair).p_value,
        "cluster claim": cluster_test(pair, cluster="claim").p_value,
        "bootstrap both": bootstrap_difference(pair, n_resamples=RESAMPLES, rng=seed).p_value(),
        "bootstrap none": bootstrap_difference(pair, cluster="none", n_resamples=RESAMPLES, rng=seed).p_value(),
        "hter-dependent": dependent_test(a, b, found).p_value,
        "hter-independent": independent_test(a, b).p_value,
        "permutation": permutation_test(pair, n_resamples=RESAMPLES, rng=seed).p_value,
        "mcnemar": mcnemar_test(only_a, only_b).p_value,
    }
    return {name: p < 0.05 for name, p in p_values.items()}


def study(scenario: Scenario, data_sets: int) -> dict[str, dict[str, float]]:
    """Shares of data sets: coverage, type I error, and power against a system that is half as good again."""
    rng = np.random.default_rng([scenario.clients, round(1000 * scenario.error), round(10 * scenario.impostor), 7])
    ids = people(scenario)
    shift = 0.35
    results: dict[str, list[dict[str, bool]]] = {"coverage": [], "type I": [], "power": []}
    for k in range(data_sets):
        equal = two_systems(scenario, ids, 0.0, rng)
        pair = pair_systems(equal, "a", "b", scenario.threshold, scenario.threshold)
        results["coverage"].append(covered(equal, pair, scenario.error, k))
        results["type I"].append(rejected(pair, k))
        worse = two_systems(scenario, ids, shift, rng)
        results["power"].append(rejected(pair_systems(worse, "a", "b", scenario.threshold, scenario.threshold), k))
    return {
        what: {name: float(np.mean([row[name] for row in rows])) for name in rows[0]} for what, rows in results.items()
    }


def table(title: str, found: list[dict[str, float]]) -> str:
    head = "".join(f" {s.effects}, {s.clients} x {s.impostors}, {100 * s.error:g} % |" for s in SCENARIOS)
    lines = [f"| {title} |{head}", "|---|" + "---|" * len(SCENARIOS)]
    lines += [f"| {name} |" + "".join(f" {100 * row[name]:.1f} |" for row in found) for name in found[0]]
    return "\n".join(lines)


def main() -> None:
    data_sets = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    with ProcessPoolExecutor() as pool:
        found = list(pool.map(study, SCENARIOS, [data_sets] * len(SCENARIOS)))
    parts = [
        table("coverage of 95 % intervals, in %", [row["coverage"] for row in found]),
        table("type I error at 5 %, in %", [row["type I"] for row in found]),
        table("power against a genuine mean lower by 0.35, in %", [row["power"] for row in found]),
    ]
    target = Path(__file__).parents[1] / "docs" / "dependence.md"
    text = target.read_text().split(MARK)[0]
    target.write_text(
        f"{text}{MARK}\n\n{data_sets} data sets a column, {RESAMPLES} resamples.\n\n" + "\n\n".join(parts) + "\n"
    )
    print(target.read_text())


if __name__ == "__main__":
    main()
