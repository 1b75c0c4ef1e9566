"""Scores of different systems on a common scale: what is needed comes from dev trials only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fairtrial.errors import ParameterError, shown
from fairtrial.fusion.claims import claim_statistics
from fairtrial.fusion.methods import FusionData, spread_of
from fairtrial.fusion.steps import Claims, Floats, Step, run_steps
from fairtrial.rules.eer import equal_error_rate
from fairtrial.tables import plural


@dataclass(frozen=True, slots=True, eq=False)
class Scale:
    """What a normalisation does to scores, and what a reader should know of clients of whom dev says too little."""

    steps: tuple[Step, ...]
    client_notes: tuple[str, ...] = ()

    def apply(self, scores: Floats, claim: Claims) -> Floats:
        """Normalised scores, one row per trial and one column per system."""
        return run_steps(self.steps, scores, claim)


Normalisation = Callable[[FusionData], Scale]


def _nothing(data: FusionData) -> Scale:
    return Scale(())


def _check_spread(scale: Floats) -> Floats:
    if not np.all(scale > 0):
        system = int(np.argmin(scale > 0)) + 1
        raise ParameterError(f"the dev scores of system {system} have no spread; leave it out, or do not normalise")
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


def _by_client(centre: Floats, scale: Floats, notes: tuple[str, ...]) -> Scale:
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
    return _by_client(found.impostor_mean, distance, notes)


def _claim_eer(data: FusionData) -> Scale:
    _check_spread(spread_of(data.scores))
    found = claim_statistics(data, "eer-norm")
    return _by_client(found.threshold, np.ones_like(found.threshold), found.notes)


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
