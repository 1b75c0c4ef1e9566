"""How well intervals cover where people are drawn from real scores, with whatever effects they have.

Dev and test are people drawn at random from one set, all of their trials among themselves; the truth is the mean over
all draws. Nothing was chosen on these scores. They are not part of the package; see docs/datasets.md.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fairtrial import Trials, read_trials
from fairtrial.benchmark import read_bssr1
from fairtrial.inference.decide import judge
from fairtrial.inference.estimates import judged_interval
from fairtrial.inference.people import people_of
from fairtrial.inference.split import TrialSets
from fairtrial.rules.measures import MEASURES

DATA = Path(os.environ.get("FAIRTRIAL_DATA", Path(__file__).parents[2] / "shared" / "data"))
RULES = (
    ("eer", 0.5, "hter"),
    ("wer-min", 0.5, "hter"),
    ("wer-min", 0.9, "hter"),
    ("far", 0.01, "hter"),
    ("far", 0.01, "frr"),
    ("far", 0.01, "far"),
)
Found = dict[str, float]


@cache
def bssr1() -> Trials:
    return read_bssr1(DATA / "bssr1_set1")


@cache
def xm2vts() -> Trials:
    folder = DATA / "xm2vts_lp2_dev_2sys"
    return read_trials([folder / "gen.scores", folder / "imp.scores.gz"])


def deals(trials: Trials, clients: int, others: int, count: int) -> Iterator[TrialSets]:
    """Dev and test of so many people each: those with genuine trials, and others who only attack."""
    people = people_of(trials, "both")
    everybody = 1 + int(max(column.max() for column in people))
    first = np.unique(np.concatenate([column[trials.genuine] for column in people]))
    second = np.setdiff1d(np.concatenate(people), first)
    rng = np.random.default_rng(clients)
    for seed in range(count):
        drawn = rng.permutation(first), rng.permutation(second)
        dev, test = (
            np.concatenate([own[k * size : (k + 1) * size] for own, size in zip(drawn, (clients, others), strict=True)])
            for k in (0, 1)
        )
        yield TrialSets(among(trials, people, dev, everybody), among(trials, people, test, everybody), seed=seed)


def among(trials: Trials, people: list[NDArray[np.int64]], part: NDArray[np.int64], everybody: int) -> Trials:
    """The trials between some people."""
    there = np.zeros(everybody, dtype=bool)
    there[part] = True
    return trials.rows(np.flatnonzero(np.all([there[column] for column in people], axis=0)))


def of_real_people(which: str, data_sets: int) -> list[tuple[str, Found]]:
    """Coverage of the mean figure over all draws, threshold re-estimated and fixed, by system and rule."""
    trials, clients, others = (bssr1(), 50, 0) if which == "BSSR1" else (xm2vts(), 50, 12)
    limits: dict[tuple[str, int, str], list[tuple[float, float, float]]] = {}
    for sets in deals(trials, clients, others, data_sets):
        for system in trials.systems:
            for rule, (criterion, alpha, measure) in enumerate(RULES):
                judged = judge(sets, system=system, criterion=criterion, alphas=alpha)
                for kind in ("re-estimated", "fixed"):
                    low, high = judged_interval(judged, measure=measure, threshold=kind).interval
                    value = float(MEASURES[measure](judged.at(0), alpha))
                    limits.setdefault((system, rule, kind), []).append((value, low, high))
    covered = {key: _covered(np.array(own)) for key, own in limits.items()}
    return [
        (
            f"{which} {system}; {criterion} {alpha:g}; {measure}",
            {
                "covered": covered[system, rule, "re-estimated"],
                "covered, threshold fixed": covered[system, rule, "fixed"],
            },
        )
        for rule, (criterion, alpha, measure) in enumerate(RULES)
        for system in trials.systems
    ]


def _covered(found: NDArray[np.float64]) -> float:
    truth = found[:, 0].mean()
    return float(np.mean((found[:, 1] <= truth) & (truth <= found[:, 2])))
