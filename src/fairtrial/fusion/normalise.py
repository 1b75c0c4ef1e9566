"""Normalise scores of different systems to a common scale, per system or per claim."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import ParameterError, TrialsError, check_choice
from fairtrial.core.notes import Note
from fairtrial.fusion.model import Fitted, FusionData, Step
from fairtrial.inference.variance import Floats

TRUST = 0.5
"""Weight of a client's few genuine scores against those of all clients."""


def spread_of(scores: Floats) -> Floats:
    """Compute the standard deviation of each system; exactly 0 if all scores are equal, whatever the rounding."""
    return np.where(scores.min(axis=0) == scores.max(axis=0), 0.0, scores.std(axis=0))


@dataclass(frozen=True, slots=True, eq=False)
class ClaimStatistics:
    """Statistics with one row per claimed identity of dev and a last one for anybody else, one column per system.

    The threshold is where the error rates of a client would be equal if both classes were normal.
    """

    genuine_mean: Floats
    impostor_mean: Floats
    impostor_sd: Floats
    threshold: Floats
    notes: tuple[Note, ...] = ()


def claim_statistics(data: FusionData, what: str) -> ClaimStatistics:
    """Compute the statistics of each claimed identity; `what` names the method in errors and notes.

    Impostor statistics are a client's if at least two impostor dev scores differ. The genuine mean is half the
    client's and half that of all clients, as a client has few genuine scores; without any, it is that of all.
    Identities that are not in dev get the statistics of all. The threshold is
    (mean_G sd_I + mean_I sd_G) / (sd_G + sd_I), with the standard deviation of all genuine scores; half way between
    the means if both are 0.
    """
    if data.claim is None:
        raise TrialsError(f"{what} is fitted for each client and needs claim ids", code="no-claims")
    genuine, impostor = data.by_class
    tried, rows = data.claim[~data.genuine], data.claims + 1
    genuine_mean, genuine_counts = means_by_claim(data.claim[data.genuine], genuine, rows)
    impostor_mean, impostor_counts = means_by_claim(tried, impostor, rows)
    sd = np.sqrt(means_by_claim(tried, (impostor - impostor_mean[tried]) ** 2, rows)[0])
    lowest, highest = (np.full((rows, impostor.shape[1]), end) for end in (np.inf, -np.inf))
    np.minimum.at(lowest, tried, impostor)
    np.maximum.at(highest, tried, impostor)
    thin = ~(lowest < highest).all(axis=1)
    impostor_mean[thin], sd[thin] = impostor.mean(axis=0), spread_of(impostor)
    without, everyone = genuine_counts == 0, genuine.mean(axis=0)
    mean = np.where(without[:, None], everyone, TRUST * genuine_mean + (1 - TRUST) * everyone)
    spread = spread_of(genuine)
    total = spread + sd
    middle = (mean + impostor_mean) / 2
    threshold = np.where(total > 0, (mean * sd + impostor_mean * spread) / np.where(total > 0, total, 1), middle)
    in_dev = impostor_counts + genuine_counts > 0
    notes = []
    for code, count, words in (
        ("clients-without-genuine", without & in_dev, "without a genuine dev score: the genuine mean of all is used"),
        ("clients-with-few-impostors", thin & in_dev, "with few impostor dev scores: the statistics of all are used"),
        ("clients-not-in-dev", ~in_dev[:-1], "not in dev: the statistics of all are used"),
    ):
        clients = int(np.count_nonzero(count)) + (data.strangers if code == "clients-not-in-dev" else 0)
        if clients:
            notes.append(Note(code, f"{{clients:plural client}} {words}", what, clients=clients))
    return ClaimStatistics(mean, impostor_mean, sd, threshold, tuple(notes))


def means_by_claim(claim: NDArray[np.int64], scores: Floats, claims: int) -> tuple[Floats, NDArray[np.int64]]:
    """Compute means per claim and system, 0 for a claim without trials, and count the trials of each claim."""
    counts = np.bincount(claim, minlength=claims)
    sums = np.stack([np.bincount(claim, column, claims) for column in scores.T], axis=1)
    return sums / np.maximum(counts, 1)[:, None], counts


Normalisation = Callable[[FusionData], Fitted]


def _check_spread(scale: Floats) -> Floats:
    if not np.all(scale > 0):
        system = int(np.argmin(scale > 0)) + 1
        raise ParameterError(
            f"the dev scores of system {system} have no spread; leave it out, or do not normalise", code="no-spread"
        )
    return scale


def _scaled(measure: Callable[[FusionData], tuple[Floats, Floats]], name: str = "scale") -> Normalisation:
    """Make a normalisation by a centre and a scale of each system."""

    def fit(data: FusionData) -> Fitted:
        centre, scale = measure(data)
        return Fitted.normalising(Step(name, {"centre": centre, "scale": _check_spread(scale)}))

    return fit


def _moments(scores: Floats) -> tuple[Floats, Floats]:
    return scores.mean(axis=0), spread_of(scores)


def _median_mad(data: FusionData) -> tuple[Floats, Floats]:
    median = np.median(data.scores, axis=0)
    return median, np.median(np.abs(data.scores - median), axis=0)


def _double_sigmoid(data: FusionData) -> Fitted:
    spread = _check_spread(spread_of(data.scores))
    genuine, impostor = data.by_class
    middle = np.array([each.threshold for each in data.equal_error_rates], dtype=np.float64)
    # classes that do not overlap have no extent; a hundredth of the spread is then narrow enough
    left = np.maximum(middle - genuine.min(axis=0), spread / 100)
    right = np.maximum(impostor.max(axis=0) - middle, spread / 100)
    return Fitted.normalising(Step("double-sigmoid", {"middle": middle, "left": left, "right": right}))


def _by_client(name: str) -> Normalisation:
    """Make a normalisation by the statistics of each claimed identity."""

    def fit(data: FusionData) -> Fitted:
        if name != "z-norm":
            _check_spread(spread_of(data.scores))
        client = claim_statistics(data, name)
        centre, scale, notes = client.impostor_mean, client.impostor_sd, client.notes
        if name == "z-norm":
            _check_spread(scale.min(axis=0))
        elif name == "eer-norm":
            centre, scale = client.threshold, np.ones_like(client.threshold)
        else:
            genuine, impostor = data.by_class
            everyone = genuine.mean(axis=0) - impostor.mean(axis=0)
            if not np.all(everyone > 0):
                raise ParameterError(
                    "f-norm needs genuine scores above impostor scores on average; use z-norm, or negate scores that "
                    "are distances"
                )
            scale = client.genuine_mean - client.impostor_mean
            # a distance near 0 would blow up the scores of a client
            close = scale < everyone / 10
            scale = np.where(close, everyone, scale)
            if close.any():
                words = "with genuine dev scores hardly above impostor ones: the distance of all is used"
                clients = int(np.count_nonzero(close.any(axis=1)))
                notes += (Note("clients-close", f"{{clients:plural client}} {words}", name, clients=clients),)
        return Fitted.normalising(Step("scale-by-client", {"centre": centre, "scale": scale}), client_notes=notes)

    return fit


PER_CLAIM = ("z-norm", "f-norm", "eer-norm")
"""Normalisations that are fitted for each claimed identity."""
NORMALISATIONS: dict[str, Normalisation] = {
    "none": lambda data: Fitted.normalising(),
    "z": _scaled(lambda data: _moments(data.by_class[1])),
    "min-max": _scaled(lambda data: (data.scores.min(axis=0), np.ptp(data.scores, axis=0))),
    "median-mad": _scaled(_median_mad),
    "tanh": _scaled(lambda data: _moments(data.by_class[0]), "tanh"),
    "double-sigmoid": _double_sigmoid,
    **{name: _by_client(name) for name in PER_CLAIM},
}
"""Normalisations by their names."""


def fit_normalisation(name: str, data: FusionData) -> Fitted:
    """Fit one of `NORMALISATIONS` on dev trials.

    ``z``: mean and standard deviation of impostor scores to 0 and 1. ``min-max``: lowest and highest score to 0 and
    1. ``median-mad``: median and median absolute deviation. ``tanh``: (1 + tanh((s - mean) / (100 sd))) / 2 with mean
    and sd of genuine scores. ``double-sigmoid``: 1 / (1 + exp(-2 (s - t) / r)), t the EER threshold and r the extent
    of the overlap on either side of it. ``z-norm``, ``f-norm`` and ``eer-norm`` are fitted for each claimed
    identity; see `claim_statistics`.
    """
    check_choice("normalise", name, NORMALISATIONS)
    if name != "none":
        data.check_classes(f"the normalisation {name}")
    return NORMALISATIONS[name](data)
