"""Scores of different systems on a common scale: what is needed comes from dev trials only."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fairtrial.errors import ParameterError, shown
from fairtrial.fusion.claims import claim_statistics
from fairtrial.fusion.methods import Claims, Fitted, Floats, FusionData, spread_of
from fairtrial.rules.eer import equal_error_rate
from fairtrial.tables import plural

Normalisation = Callable[[FusionData], Fitted]


def _nothing(data: FusionData) -> Fitted:
    return Fitted(lambda scores, claim: scores)


def _check_spread(scale: Floats) -> Floats:
    if not np.all(scale > 0):
        system = int(np.argmin(scale > 0)) + 1
        raise ParameterError(f"the dev scores of system {system} have no spread; leave it out, or do not normalise")
    return scale


def _linear(centre: Floats, scale: Floats) -> Fitted:
    _check_spread(scale)
    return Fitted(lambda scores, claim: np.asarray((scores - centre) / scale))


def _z(data: FusionData) -> Fitted:
    impostor = data.scores[~data.genuine]
    return _linear(impostor.mean(axis=0), spread_of(impostor))


def _min_max(data: FusionData) -> Fitted:
    low, high = data.scores.min(axis=0), data.scores.max(axis=0)
    return _linear(low, high - low)


def _median_mad(data: FusionData) -> Fitted:
    median = np.median(data.scores, axis=0)
    return _linear(median, np.median(np.abs(data.scores - median), axis=0))


def _tanh(data: FusionData) -> Fitted:
    genuine = data.scores[data.genuine]
    inner = _linear(genuine.mean(axis=0), spread_of(genuine))
    return Fitted(lambda scores, claim: np.asarray((np.tanh(0.01 * inner.apply(scores, claim)) + 1) / 2))


def _double_sigmoid(data: FusionData) -> Fitted:
    spread = _check_spread(spread_of(data.scores))
    genuine, impostor = data.scores[data.genuine], data.scores[~data.genuine]
    middle = np.array(
        [equal_error_rate((g, i)).threshold for g, i in zip(genuine.T, impostor.T, strict=True)], dtype=np.float64
    )
    # where the classes do not overlap there is no extent; a hundredth of the spread is then narrow enough
    left = np.maximum(middle - genuine.min(axis=0), spread / 100)
    right = np.maximum(impostor.max(axis=0) - middle, spread / 100)

    def apply(scores: Floats, claim: Claims) -> Floats:
        distance = scores - middle
        exponent = -2 * distance / np.where(distance < 0, left, right)
        return np.asarray(1 / (1 + np.exp(np.clip(exponent, -700, 700))))

    return Fitted(apply)


def _claim_z(data: FusionData) -> Fitted:
    found = claim_statistics(data, "z-norm")
    _check_spread(found.impostor_sd.min(axis=0))

    def apply(scores: Floats, claim: Claims) -> Floats:
        rows = found.rows(claim)
        return np.asarray((scores - found.impostor_mean[rows]) / found.impostor_sd[rows])

    return Fitted(apply, client_notes=found.notes)


def _claim_f(data: FusionData) -> Fitted:
    _check_spread(spread_of(data.scores))
    found = claim_statistics(data, "f-norm")
    everyone = data.scores[data.genuine].mean(axis=0) - data.scores[~data.genuine].mean(axis=0)
    if not np.all(everyone > 0):
        raise ParameterError(
            "f-norm needs genuine scores above impostor scores on average; use z-norm, or negate scores that are "
            "distances"
        )
    distance = found.genuine_mean - found.impostor_mean
    # a client whose few genuine scores lie hardly above those of impostors would have their scores blown up
    close = distance < everyone / 10
    distance = np.where(close, everyone, distance)
    notes = found.notes
    if close.any():
        count = int(np.count_nonzero(close.any(axis=1)))
        notes += (
            f"f-norm: {plural(count, 'client')} with genuine dev scores hardly above impostor ones: "
            "the distance of all is used",
        )

    def apply(scores: Floats, claim: Claims) -> Floats:
        rows = found.rows(claim)
        return np.asarray((scores - found.impostor_mean[rows]) / distance[rows])

    return Fitted(apply, client_notes=notes)


def _claim_eer(data: FusionData) -> Fitted:
    _check_spread(spread_of(data.scores))
    found = claim_statistics(data, "eer-norm")

    def apply(scores: Floats, claim: Claims) -> Floats:
        return np.asarray(scores - found.threshold[found.rows(claim)])

    return Fitted(apply, client_notes=found.notes)


NORMALISATIONS: dict[str, Normalisation] = {
    "none": _nothing,
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


def check_normalisation(name: str) -> str:
    """The name itself, if there is such a normalisation."""
    if name not in NORMALISATIONS:
        raise ParameterError(f"there is no normalisation {shown(name)}; there are {', '.join(NORMALISATIONS)}")
    return name


def fit_normalisation(name: str, data: FusionData) -> Fitted:
    """Fit a normalisation on dev trials.

    Parameters
    ----------
    name
        One of `NORMALISATIONS`.
    data
        Dev trials.

    Returns
    -------
    Fitted
        From scores to normalised scores, one row per trial and one column per system.

    Raises
    ------
    ParameterError
        A name that is not known, or a system whose dev scores have no spread.
    TrialsError
        No trials of a class, or no claim ids where they are needed.

    Notes
    -----
    ``z``: mean and standard deviation of impostor scores to 0 and 1. ``min-max``: lowest and highest score to 0 and
    1. ``median-mad``: median and median absolute deviation. ``tanh``: (1 + tanh((s - mean) / (100 sd))) / 2 with mean
    and sd of genuine scores. ``double-sigmoid``: 1 / (1 + exp(-2 (s - t) / r)), t the EER threshold and r the extent
    of the overlap on either side of it. ``z-norm``, ``f-norm`` and ``eer-norm`` are fitted for each claimed
    identity; see `claim_statistics`.
    """
    if check_normalisation(name) != "none":
        data.check_classes(f"the normalisation {name}")
    return NORMALISATIONS[name](data)
