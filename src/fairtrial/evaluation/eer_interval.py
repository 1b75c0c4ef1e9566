"""The bootstrap of the equal error rate: threshold and rate from each replicate, so a posteriori."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import as_generator, check_resamples
from fairtrial.formats.frames import TrialsLike, trials_of
from fairtrial.inference.bootstrap import Bootstrap
from fairtrial.inference.people import Cluster, Members, People
from fairtrial.inference.split import TrialSets
from fairtrial.rules.eer import equal_error_rate

_REACH = 6.0
"""How many standard deviations around the crossing are looked at first."""


def bootstrap_eer(
    trials: TrialsLike,
    *,
    system: str | None = None,
    cluster: Cluster | None = None,
    n_resamples: int = 1000,
    rng: np.random.Generator | int | None = 0,
) -> Bootstrap:
    """Bootstrap the equal error rate (step-mean), which is a posteriori: every replicate has its own threshold.

    Parameters
    ----------
    trials : Trials or data frame
        The trials, of both classes.
    system : str, optional
        The name of the system; not needed where there is only one.
    cluster : {"none", "claim", "subject", "both"}, optional
        What dependent trials share: the claimed identity, the subject, both or nothing; by default all ids that are
        known.
    n_resamples : int, default 1000
        How many resamples are drawn, of trials, or of people with all their trials where ids are known.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result.

    Returns
    -------
    Bootstrap
        The equal error rate, those of the replicates, and their interval.

    Notes
    -----
    Replicates of people are brought to the standard deviation of the variance between people, as drawing both people of
    a trial overstates it.

    References
    ----------
    Owen, The pigeonhole bootstrap, 2007.

    Examples
    --------
    >>> from fairtrial import Trials
    >>> genuine = np.arange(400) < 100
    >>> trials = Trials.from_arrays(np.random.default_rng(0).normal(2.0 * genuine), genuine)
    >>> found = bootstrap_eer(trials, n_resamples=200)
    >>> low, high = found.interval()
    >>> low < found.estimate < high
    True
    """
    check_resamples(n_resamples)
    trials = trials_of(trials, "trials")
    estimate = equal_error_rate(trials, system=system).value
    generator = as_generator(rng)
    scores = trials.column(system).astype(np.float64)
    sets = TrialSets(trials, trials, cluster)
    people = sets.people[1]
    if people is None:
        values = _eer_of_resampled_trials(
            np.sort(scores[trials.genuine]), np.sort(scores[~trials.genuine]), n_resamples, generator
        )
        return Bootstrap(estimate, values)
    values, redrawn = _eer_of_resampled_people(scores, people, n_resamples, generator)
    return Bootstrap(estimate, values, redrawn=redrawn)


def _eer_of_resampled_people(
    scores: NDArray[np.float64], people: People, count: int, rng: np.random.Generator
) -> tuple[NDArray[np.float64], int]:
    """EERs of replicates of people, and how many lacked a class and were redrawn."""
    parts = [_sorted(part, scores[part.rows]) for part in people.classes]
    ranked = [scores[part.rows] for part in parts]
    thresholds = np.unique(scores)
    ends = [np.searchsorted(own, thresholds, side="right") for own in ranked]
    found, redrawn = np.empty(count), 0
    for k in range(count):
        while True:
            numbers = people.draw(1, rng)[0]
            weights = [part.times_drawn(numbers) for part in parts]
            totals = [float(own.sum()) for own in weights]
            if min(totals) > 0:
                break
            redrawn += 1
        below = [np.concatenate([[0.0], np.cumsum(own)])[end] for own, end in zip(weights, ends, strict=True)]
        frr, far = below[0] / totals[0], 1 - below[1] / totals[1]
        best = int(np.argmin(np.abs(far - frr)))
        found[k] = (far[best] + frr[best]) / 2
    return found, redrawn


def _sorted(part: Members, scores: NDArray[np.float64]) -> Members:
    """The trials of a class by rising score, as far as who takes part in them goes."""
    order = np.argsort(scores, kind="stable")
    columns = tuple(column[order] for column in part.people)
    return replace(part, rows=part.rows[order], people=columns, apart=part.apart[order])


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
