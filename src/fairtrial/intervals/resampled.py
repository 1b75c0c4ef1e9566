"""What a figure does when the threshold moves too: the EER, and dev resampled together with test."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairtrial.checks import as_generator, check_resamples
from fairtrial.counting.errors import ErrorCounts
from fairtrial.intervals.bootstrap import Bootstrap
from fairtrial.people import Cluster, known_cluster, people_of
from fairtrial.rules.criteria import CriterionLike, as_criterion, choose_thresholds
from fairtrial.rules.eer import equal_error_rate
from fairtrial.trials import Trials

_REACH = 6.0
"""How many standard deviations around the crossing are looked at first."""


def bootstrap_eer(
    trials: Trials,
    *,
    system: str | None = None,
    cluster: Cluster | None = None,
    n_resamples: int = 1000,
    rng: np.random.Generator | int | None = 0,
) -> Bootstrap:
    """Bootstrap the equal error rate (step-mean): threshold and rate from each replicate, so a posteriori.

    Trials are resampled, or people with all their trials where ids are known.
    """
    check_resamples(n_resamples)
    sharing = known_cluster(trials, cluster)
    estimate = equal_error_rate(trials, system=system).value
    generator = as_generator(rng)
    if sharing == "none":
        scores = trials.column(system).astype(np.float64)
        values = _eer_of_resampled_trials(
            np.sort(scores[trials.genuine]), np.sort(scores[~trials.genuine]), n_resamples, generator
        )
        return Bootstrap(estimate, values, 0.0)
    weighted = _Weighted.of(trials, system, sharing)
    values = np.empty(n_resamples)
    redrawn = 0
    for k in range(n_resamples):
        while (counts := weighted.draw(generator)) is None:
            redrawn += 1
        far, frr = counts.far, counts.frr
        best = int(np.argmin(np.abs(far - frr)))
        values[k] = (far[best] + frr[best]) / 2
    return Bootstrap(estimate, values, 0.0, redrawn)


def _eer_of_resampled_trials(
    genuine: NDArray[np.float64], impostor: NDArray[np.float64], count: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """EERs of replicates with both class sizes kept.

    Between two neighbouring genuine scores FRR stands still, so cells are the genuine scores around the
    crossing and the runs of impostor scores between them. Only the run that holds the crossing is drawn score
    by score, given how many of it were drawn.
    """
    knots, inner = _knots(genuine, impostor)
    genuine_cells = np.diff(np.concatenate([[0], np.searchsorted(genuine, knots, side="right"), [len(genuine)]]))
    edges = np.stack([np.searchsorted(impostor, knots, side=side) for side in ("left", "right")], axis=1).ravel()
    impostor_cells = np.diff(np.concatenate([[0], edges, [len(impostor)]]))
    drawn_genuine = rng.multinomial(len(genuine), genuine_cells / len(genuine), size=count)
    drawn = rng.multinomial(len(impostor), impostor_cells / len(impostor), size=count)
    rejects = np.cumsum(drawn_genuine, axis=1)[:, :-1]
    # impostors above each knot, and above the run that follows it
    accepts = len(impostor) - np.cumsum(drawn, axis=1)
    at_knot, after_run = accepts[:, 1:-1:2], accepts[:, 2::2]
    frr = rejects / len(genuine)
    # the first place, knots and run ends in turn, where FRR is the larger
    gap = np.empty((count, 2 * len(knots)))
    gap[:, 0::2], gap[:, 1::2] = at_knot / len(impostor) - frr, after_run / len(impostor) - frr
    below = gap < 0
    first = np.where(below.any(axis=1), below.argmax(axis=1), -1)
    # beyond the outermost knots FRR does not stand still where genuine scores were left out
    if inner and ((first <= 2) | (first >= 2 * len(knots) - 1)).any():
        return _eer_of_resampled_trials_everywhere(genuine, impostor, count, rng)
    values = np.empty(count)
    in_run = (first % 2 == 1) & (first > 0)
    for k in np.flatnonzero(~in_run):
        place = max(int(first[k]), 1)
        sides = (
            [(gap[k, p], frr[k, p // 2]) for p in (place - 1, place)] if first[k] != -1 else [(gap[k, -1], frr[k, -1])]
        )
        values[k] = min((abs(g), 2 * f + g) for g, f in sides)[1] / 2
    for knot in np.unique(first[in_run] // 2):
        rows = np.flatnonzero(in_run & (first // 2 == knot))
        start, stop = edges[2 * knot + 1], edges[2 * knot + 2] if 2 * knot + 2 < len(edges) else len(impostor)
        distinct = np.unique(impostor[start:stop], return_counts=True)[1]
        totals = at_knot[rows, knot] - after_run[rows, knot]
        path = np.cumsum(rng.multinomial(totals, distinct / distinct.sum()), axis=1)
        path = np.concatenate([np.zeros((len(rows), 1)), path], axis=1)
        rate = (at_knot[rows, knot][:, None] - path) / len(impostor)
        off = np.abs(rate - frr[rows, knot][:, None])
        best = off.argmin(axis=1)
        values[rows] = (rate[np.arange(len(rows)), best] + frr[rows, knot]) / 2
    return values


def _knots(genuine: NDArray[np.float64], impostor: NDArray[np.float64]) -> tuple[NDArray[np.float64], bool]:
    """-inf and the distinct genuine scores around the crossing, and whether any were left out."""
    every = np.unique(np.concatenate([[-np.inf], genuine]))
    frr = np.searchsorted(genuine, every, side="right") / len(genuine)
    far = 1 - np.searchsorted(impostor, every, side="right") / len(impostor)
    rate = float(frr[np.argmin(np.abs(far - frr))])
    slack = _REACH * sqrt(max(rate * (1 - rate), 0.01) * (1 / len(genuine) + 1 / len(impostor))) + 3 / len(genuine)
    near = np.flatnonzero((np.abs(frr - rate) <= slack) | (np.abs(far - rate) <= slack))
    if not len(near) or len(every) < 50:
        return every, False
    kept = np.unique(np.concatenate([every[:1], every[max(near[0] - 1, 0) : near[-1] + 2]]))
    return kept, len(kept) < len(every)


def _eer_of_resampled_trials_everywhere(
    genuine: NDArray[np.float64], impostor: NDArray[np.float64], count: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """The same by resampled scores themselves, where a crossing fell outside of what was looked at."""
    return np.array(
        [
            equal_error_rate((rng.choice(genuine, len(genuine)), rng.choice(impostor, len(impostor)))).value
            for _ in range(count)
        ]
    )


def bootstrap_with_threshold(
    dev: Trials,
    test: Trials,
    *,
    system: str | None = None,
    criterion: CriterionLike = "eer",
    alpha: float | None = None,
    measure: Callable[[ErrorCounts], Any] = lambda counts: counts.hter,
    cluster: Cluster | None = None,
    n_resamples: int = 1000,
    rng: np.random.Generator | int | None = 0,
) -> Bootstrap:
    """Bootstrap a measure on test with the threshold chosen anew on a resampled dev set in each replicate.

    This is the total uncertainty, of dev and test together; it is wider than the one at a fixed threshold.
    People are resampled with all their trials where ids are known, else trials.
    """
    check_resamples(n_resamples)
    rule = as_criterion(criterion)
    weight = rule.resolve_alpha(alpha)
    generator = as_generator(rng)
    dev_set, test_set = (_Weighted.of(trials, system, cluster) for trials in (dev, test))
    fixed = float(choose_thresholds(dev, rule, weight, system=system).threshold[0])
    values = np.empty(n_resamples)
    redrawn = 0
    for k in range(n_resamples):
        while (counts := dev_set.draw(generator)) is None:
            redrawn += 1
        costs = np.asarray(rule.cost(counts, weight))
        best = np.flatnonzero(costs <= costs.min() + 1e-12)
        total = counts.far[best] + counts.frr[best]
        threshold = float(counts.threshold[best[np.argmin(total)]])
        while (errors := test_set.draw(generator, threshold)) is None:
            redrawn += 1
        values[k] = float(measure(errors))
    plain = test_set.at(np.ones(len(test_set.scores)), fixed)
    return Bootstrap(float(measure(plain)), values, 0.0, redrawn)


class _Weighted:
    """Trials by rising score, with numbers for how often each is drawn."""

    def __init__(
        self,
        scores: NDArray[np.float64],
        genuine: NDArray[np.bool_],
        people: list[NDArray[np.int64]] | None,
    ) -> None:
        self.scores = scores
        self.genuine = genuine
        self.people = people
        last = np.append(scores[1:] != scores[:-1], True)
        self.ends = np.flatnonzero(last)
        self.size = 0 if people is None else 1 + max(int(column.max()) for column in people)

    @classmethod
    def of(cls, trials: Trials, system: str | None, cluster: Cluster | None) -> _Weighted:
        """The trials of one system; people are those that the cluster says."""
        chosen = known_cluster(trials, cluster)
        order = np.argsort(trials.column(system), kind="stable")
        people = None if chosen == "none" else [column[order] for column in people_of(trials, chosen)]
        return cls(trials.column(system)[order].astype(np.float64), trials.genuine[order], people)

    def weights(self, rng: np.random.Generator) -> NDArray[np.float64]:
        """How often each trial is drawn."""
        if self.people is None:
            count = len(self.scores)
            return np.bincount(rng.integers(0, count, count), minlength=count).astype(np.float64)
        everyone = np.unique(np.concatenate(self.people))
        numbers = np.bincount(rng.choice(everyone, len(everyone)), minlength=self.size).astype(np.float64)
        first, second = self.people[0], self.people[-1]
        return np.where(first == second, numbers[first], numbers[first] * numbers[second])

    def draw(self, rng: np.random.Generator, threshold: float | None = None) -> ErrorCounts | None:
        """Errors of a replicate at every distinct score, or at one threshold; None if it lacks a class."""
        weights = self.weights(rng)
        genuine = float(weights[self.genuine].sum())
        impostor = float(weights.sum()) - genuine
        if not genuine or not impostor:
            return None
        return self.at(weights, threshold)

    def at(self, weights: NDArray[np.float64], threshold: float | None) -> ErrorCounts:
        """Errors when each trial counts so often."""
        positive = np.where(self.genuine, weights, 0.0)
        genuine, total = float(positive.sum()), float(weights.sum())
        if threshold is not None:
            accepted = self.scores > threshold
            accepts = float(weights[accepted].sum() - positive[accepted].sum())
            return ErrorCounts(threshold, accepts, float(positive[~accepted].sum()), genuine, total - genuine)
        rejects = np.concatenate([[0.0], np.cumsum(positive)[self.ends]])
        rejected = np.concatenate([[0.0], np.cumsum(weights - positive)[self.ends]])
        thresholds = np.concatenate([[-np.inf], self.scores[self.ends]])
        return ErrorCounts(thresholds, total - genuine - rejected, rejects, genuine, total - genuine)
