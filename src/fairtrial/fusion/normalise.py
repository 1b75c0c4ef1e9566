"""Normalise scores of different systems to a common scale, per system or per claim."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import ParameterError, TrialsError, check_choice
from fairtrial.core.notes import Note
from fairtrial.fusion.methods import Claims, Floats, FusionData, Step, run_steps, spread_of
from fairtrial.rules.eer import equal_error_rate

TRUST = 0.5
"""Weight of a client's few genuine scores against those of all clients."""


@dataclass(frozen=True, slots=True, eq=False)
class ClaimStatistics:
    """Means and standard deviations, one row per claimed identity and one for anybody else, one column per system."""

    genuine_mean: Floats
    impostor_mean: Floats
    impostor_sd: Floats
    threshold: Floats
    """Where a client's error rates would be equal if both classes were normal."""
    notes: tuple[Note, ...] = ()


def claim_statistics(data: FusionData, what: str) -> ClaimStatistics:
    """Compute the statistics of each claimed identity.

    Parameters
    ----------
    data
        Dev trials with claims.
    what
        The method that needs them, for errors and notes.

    Returns
    -------
    ClaimStatistics
        One row per claimed identity of dev, a last one for anybody else, and notes on those with few dev scores.

    Raises
    ------
    TrialsError
        If there are no claim ids.

    Notes
    -----
    Impostor statistics are a client's own where there are at least two impostor dev scores that differ. The genuine
    mean is half the client's own and half that of all clients, as a client has few genuine scores; without any,
    it is that of all. Identities that dev does not know get the statistics of all. The threshold is
    (mean_G sd_I + mean_I sd_G) / (sd_G + sd_I), with the standard deviation of all genuine scores; half way
    between the means where both are 0.
    """
    if data.claim is None:
        raise TrialsError(f"{what} is fitted for each client and needs claim ids", code="no-claims")
    genuine, impostor = data.scores[data.genuine], data.scores[~data.genuine]
    tried, rows = data.claim[~data.genuine], data.claims + 1
    own_genuine, genuine_counts = means_by_claim(data.claim[data.genuine], genuine, rows)
    own_impostor, impostor_counts = means_by_claim(tried, impostor, rows)
    squares, _ = means_by_claim(tried, (impostor - own_impostor[tried]) ** 2, rows)
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
    for code, count, words in (
        ("clients-without-genuine", without & known, "without a genuine dev score: the genuine mean of all is used"),
        (
            "clients-with-few-impostors",
            thin & known,
            "with too few impostor dev scores: the statistics of all are used",
        ),
        ("clients-not-in-dev", ~known[:-1], "not in dev: the statistics of all are used"),
    ):
        clients = int(np.count_nonzero(count)) + (data.strangers if code == "clients-not-in-dev" else 0)
        if clients:
            notes.append(Note(code, f"{{clients:plural client}} {words}", what, clients=clients))
    return ClaimStatistics(mean, own_impostor, sd, threshold, tuple(notes))


def means_by_claim(claim: NDArray[np.int64], scores: Floats, claims: int) -> tuple[Floats, NDArray[np.int64]]:
    """Compute means per claim and system, 0 for a claim without trials, and count the trials of each claim."""
    counts = np.bincount(claim, minlength=claims)
    sums = np.stack([np.bincount(claim, column, claims) for column in scores.T], axis=1)
    return sums / np.maximum(counts, 1)[:, None], counts


def _differ(claim: NDArray[np.int64], scores: Floats, claims: int) -> NDArray[np.bool_]:
    """Tell which claims have two scores of a system that differ."""
    lowest, highest = np.full((claims, scores.shape[1]), np.inf), np.full((claims, scores.shape[1]), -np.inf)
    np.minimum.at(lowest, claim, scores)
    np.maximum.at(highest, claim, scores)
    return lowest < highest


@dataclass(frozen=True, slots=True, eq=False)
class Scale:
    """A fitted normalisation, and notes on clients with too few dev scores."""

    steps: tuple[Step, ...]
    client_notes: tuple[Note, ...] = ()

    def apply(self, scores: Floats, claim: Claims) -> Floats:
        """Give normalised scores, one row per trial and one column per system."""
        return run_steps(self.steps, scores, claim)


Normalisation = Callable[[FusionData], Scale]


def _check_spread(scale: Floats) -> Floats:
    if not np.all(scale > 0):
        system = int(np.argmin(scale > 0)) + 1
        raise ParameterError(
            f"the dev scores of system {system} have no spread; leave it out, or do not normalise", code="no-spread"
        )
    return scale


def _linear(centre: Floats, scale: Floats, name: str = "scale") -> Scale:
    return Scale((Step(name, {"centre": centre, "scale": _check_spread(scale)}),))


def _z(data: FusionData) -> Scale:
    impostor = data.scores[~data.genuine]
    return _linear(impostor.mean(axis=0), spread_of(impostor))


def _min_max(data: FusionData) -> Scale:
    low, high = data.scores.min(axis=0), data.scores.max(axis=0)
    return _linear(low, high - low)


def _median_mad(data: FusionData) -> Scale:
    median = np.median(data.scores, axis=0)
    return _linear(median, np.median(np.abs(data.scores - median), axis=0))


def _tanh(data: FusionData) -> Scale:
    genuine = data.scores[data.genuine]
    return _linear(genuine.mean(axis=0), spread_of(genuine), "tanh")


def _double_sigmoid(data: FusionData) -> Scale:
    spread = _check_spread(spread_of(data.scores))
    genuine, impostor = data.scores[data.genuine], data.scores[~data.genuine]
    middle = np.array(
        [equal_error_rate((g, i)).threshold for g, i in zip(genuine.T, impostor.T, strict=True)], dtype=np.float64
    )
    # where the classes do not overlap there is no extent; a hundredth of the spread is then narrow enough
    left = np.maximum(middle - genuine.min(axis=0), spread / 100)
    right = np.maximum(impostor.max(axis=0) - middle, spread / 100)
    return Scale((Step("double-sigmoid", {"middle": middle, "left": left, "right": right}),))


def _by_client(centre: Floats, scale: Floats, notes: tuple[Note, ...]) -> Scale:
    return Scale((Step("scale-by-client", {"centre": centre, "scale": scale}),), notes)


def _claim_z(data: FusionData) -> Scale:
    found = claim_statistics(data, "z-norm")
    _check_spread(found.impostor_sd.min(axis=0))
    return _by_client(found.impostor_mean, found.impostor_sd, found.notes)


def _claim_f(data: FusionData) -> Scale:
    _check_spread(spread_of(data.scores))
    found = claim_statistics(data, "f-norm")
    everyone = data.scores[data.genuine].mean(axis=0) - data.scores[~data.genuine].mean(axis=0)
    if not np.all(everyone > 0):
        raise ParameterError(
            "f-norm needs genuine scores above impostor scores on average; use z-norm, or negate scores that are "
            "distances"
        )
    distance = found.genuine_mean - found.impostor_mean
    # a distance near 0 would blow up the scores of a client
    close = distance < everyone / 10
    distance = np.where(close, everyone, distance)
    notes = found.notes
    if close.any():
        words = "with genuine dev scores hardly above impostor ones: the distance of all is used"
        clients = int(np.count_nonzero(close.any(axis=1)))
        notes += (Note("clients-close", f"{{clients:plural client}} {words}", "f-norm", clients=clients),)
    return _by_client(found.impostor_mean, distance, notes)


def _claim_eer(data: FusionData) -> Scale:
    _check_spread(spread_of(data.scores))
    found = claim_statistics(data, "eer-norm")
    return _by_client(found.threshold, np.ones_like(found.threshold), found.notes)


NORMALISATIONS: dict[str, Normalisation] = {
    "none": lambda data: Scale(()),
    "z": _z,
    "min-max": _min_max,
    "median-mad": _median_mad,
    "tanh": _tanh,
    "double-sigmoid": _double_sigmoid,
    "z-norm": _claim_z,
    "f-norm": _claim_f,
    "eer-norm": _claim_eer,
}
"""Normalisations by their names."""

PER_CLAIM = ("z-norm", "f-norm", "eer-norm")
"""Those that are fitted for each claimed identity."""


def fit_normalisation(name: str, data: FusionData) -> Scale:
    """Fit a normalisation on dev trials.

    Parameters
    ----------
    name
        One of `NORMALISATIONS`.
    data
        Dev trials.

    Returns
    -------
    Scale
        Its `apply` goes from scores to normalised scores, one row per trial and one column per system.

    Raises
    ------
    ParameterError
        If the name is unknown, or the dev scores of a system are all equal.
    TrialsError
        If there are no trials of a class, or no claim ids for a client-dependent normalisation.

    Notes
    -----
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
