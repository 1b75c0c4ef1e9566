"""What dev trials say about each claimed identity, leaning on all of them where they say little."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairtrial.errors import TrialsError
from fairtrial.fusion.methods import FusionData, spread_of
from fairtrial.fusion.steps import Floats
from fairtrial.tables import plural

TRUST = 0.5
"""How much a client's own few genuine scores count against those of all clients."""


@dataclass(frozen=True, slots=True, eq=False)
class ClaimStatistics:
    """Means and standard deviations, one row per claimed identity and one for anybody else, one column per system."""

    genuine_mean: Floats
    impostor_mean: Floats
    impostor_sd: Floats
    threshold: Floats
    """Where a client's own errors would be equal if both classes were normal."""
    notes: tuple[str, ...] = ()


def claim_statistics(data: FusionData, what: str) -> ClaimStatistics:
    """Find the statistics of each claimed identity.

    Parameters
    ----------
    data
        Dev trials with claims.
    what
        Who asks, for errors and notes.

    Returns
    -------
    ClaimStatistics
        One row per claimed identity of dev, a last one for anybody else, and notes on those of whom dev says little.

    Raises
    ------
    TrialsError
        No claim ids.

    Notes
    -----
    Impostor statistics are a client's own where there are at least two impostor dev scores that differ. The genuine
    mean is half the client's own and half that of all clients, as a client has few genuine scores; without any,
    it is that of all. Identities that dev does not know get the statistics of all. The threshold is
    (mean_G sd_I + mean_I sd_G) / (sd_G + sd_I), with the standard deviation of all genuine scores; half way
    between the means where both are 0.
    """
    if data.claim is None:
        raise TrialsError(f"{what} fits something for each client and needs claim ids, which these trials do not have")
    genuine, impostor = data.scores[data.genuine], data.scores[~data.genuine]
    tried, rows = data.claim[~data.genuine], data.claims + 1
    own_genuine, genuine_counts = _means(data.claim[data.genuine], genuine, rows)
    own_impostor, impostor_counts = _means(tried, impostor, rows)
    squares, _ = _means(tried, (impostor - own_impostor[tried]) ** 2, rows)
    sd = np.sqrt(squares)
    everyone = genuine.mean(axis=0)
    thin = ~_differ(tried, impostor, rows).all(axis=1)
    own_impostor[thin], sd[thin] = impostor.mean(axis=0), spread_of(impostor)
    without = genuine_counts == 0
    mean = np.where(without[:, None], everyone, TRUST * own_genuine + (1 - TRUST) * everyone)
    spread = spread_of(genuine)
    total = spread + sd
    middle = (mean + own_impostor) / 2
    threshold = np.where(total > 0, (mean * sd + own_impostor * spread) / np.where(total > 0, total, 1), middle)
    known = impostor_counts + genuine_counts > 0
    notes = []
    for count, words in (
        (int(np.count_nonzero(without & known)), "without a genuine dev score: the genuine mean of all is used"),
        (int(np.count_nonzero(thin & known)), "with too few impostor dev scores: the statistics of all are used"),
        (int(np.count_nonzero(~known[:-1])) + data.strangers, "not in dev: the statistics of all are used"),
    ):
        if count:
            notes.append(f"{what}: {plural(count, 'client')} {words}")
    return ClaimStatistics(mean, own_impostor, sd, threshold, tuple(notes))


def _means(claim: NDArray[np.int64], scores: Floats, claims: int) -> tuple[Floats, NDArray[np.int64]]:
    """Means per claim and system, 0 where a claim has no trial; and how many trials it has."""
    counts = np.bincount(claim, minlength=claims)
    sums = np.stack([np.bincount(claim, column, claims) for column in scores.T], axis=1)
    return sums / np.maximum(counts, 1)[:, None], counts


def _differ(claim: NDArray[np.int64], scores: Floats, claims: int) -> NDArray[np.bool_]:
    """Whether a claim has two scores of a system that differ."""
    lowest, highest = np.full((claims, scores.shape[1]), np.inf), np.full((claims, scores.shape[1]), -np.inf)
    np.minimum.at(lowest, claim, scores)
    np.maximum.at(highest, claim, scores)
    return lowest < highest
