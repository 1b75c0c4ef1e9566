"""Scores of systems that err together: the latent model behind the synthetic set `lausanne`.

Every trial has one match quality per system, normal with variance 1 in either class: a sum of effects of people, of
their sessions and of the trial itself, each correlated between systems. Genuine qualities lie so far above those of
impostors that a system has its target error. A monotone map turns qualities into scores: it leaves the errors of a
single system as they are, and decides what that system weighs in a mean with others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fairtrial.benchmark.sets import SystemInfo

Floats = NDArray[np.float64]

SESSIONS, SHOTS_EACH = 4, 2
"""Everybody came four times, and was recorded twice each time."""

_SETTLED = 2e-4
"""How near to its target the error of a system is brought, as a fraction."""


class GenuineShares(NamedTuple):
    """Parts of the variance of genuine qualities; they sum to 1."""

    client: float
    session: float
    """The client's, on that day: both shots of a session share it."""
    rest: float


class ImpostorShares(NamedTuple):
    """Parts of the variance of impostor qualities; they sum to 1."""

    pair: float
    """One impostor against one client: all eight shots share it."""
    client: float
    impostor: float
    session: float
    """The impostor's, on that day, against whomever."""
    rest: float


@dataclass(frozen=True, slots=True)
class LatentModel:
    """What synthetic scores depend on, but for the seed and the target errors."""

    genuine: GenuineShares
    impostor: ImpostorShares
    client_sides: float
    """Correlation of a client's effects on genuine and on impostor trials."""
    face: float
    """Correlation of the effects of two face systems."""
    speech: float
    """Correlation of the effects of two speech systems."""
    across: float
    """Correlation of the effects of a face and a speech system."""
    protocols: float
    """Correlation of the effects of one system in two protocols, whose clients have other training shots."""
    scales: dict[str, float]
    """By system: how steep an MLP's output is, and how large a GMM's log likelihood ratios are."""
    tail: float
    """How much heavier the tails of a GMM's scores are than normal ones; 0: as normal."""

    def correlation(self, systems: Sequence[SystemInfo], protocols: Sequence[str]) -> Floats:
        """Correlations of the effects of all systems in all protocols, which every kind of effect has alike."""
        modality = np.array([system.modality for system in systems])
        within = np.where(modality == "face", self.face, self.speech)
        found = np.where(modality[:, None] == modality, within, self.across)
        name = np.array([system.name for system in systems])
        found[name[:, None] == name] = 1.0
        of = np.array(protocols)
        return np.asarray(found * np.where(of[:, None] == of, 1.0, self.protocols), dtype=np.float64)


class Effects:
    """Draws effects that are correlated between systems; arrays have the systems first."""

    def __init__(self, rng: np.random.Generator, correlation: Floats) -> None:
        self._rng = rng
        self._mixing = np.linalg.cholesky(correlation)

    def __call__(self, share: float, *shape: int) -> Floats:
        """Effects with this share of the variance, one for each system and each place of the shape."""
        independent = self._rng.standard_normal((len(self._mixing), int(np.prod(shape))))
        return (sqrt(share) * self._mixing @ independent).reshape(-1, *shape)


def genuine_qualities(model: LatentModel, effects: Effects, clients: Floats) -> Floats:
    """Qualities of all genuine trials there could be, systems x clients x sessions x shots."""
    shares, count = model.genuine, clients.shape[1]
    sessions = effects(shares.session, count, SESSIONS, 1)
    found = effects(shares.rest, count, SESSIONS, SHOTS_EACH)
    found += sqrt(shares.client) * clients[:, :, None, None] + sessions
    return found


def impostor_qualities(model: LatentModel, effects: Effects, clients: Floats, impostors: int) -> Floats:
    """Qualities of all impostors against all clients, systems x clients x impostors x sessions x shots."""
    shares, count = model.impostor, clients.shape[1]
    persons = effects(shares.impostor, 1, impostors, 1, 1) + effects(shares.session, 1, impostors, SESSIONS, 1)
    pairs = effects(shares.pair, count, impostors, 1, 1) + sqrt(shares.client) * clients[:, :, None, None, None]
    found = effects(shares.rest, count, impostors, SESSIONS, SHOTS_EACH)
    found += pairs
    found += persons
    return found


class Qualities(NamedTuple):
    """The qualities of one system in one set of trials, dev or test."""

    genuine: Floats
    impostor: Floats


def find_distance(dev: Qualities, test: Qualities, target: float) -> float:
    """How far genuine qualities must lie above impostor qualities for the a-priori HTER to be on target."""
    dev, test = (Qualities(np.sort(one.genuine), np.sort(one.impostor)) for one in (dev, test))

    def error(distance: float) -> float:
        threshold = _equal_error_threshold(dev.genuine + distance, dev.impostor)
        far = 1 - np.searchsorted(test.impostor, threshold, side="right") / len(test.impostor)
        frr = np.searchsorted(test.genuine + distance, threshold, side="right") / len(test.genuine)
        return float(far + frr) / 2

    start = 2 * NormalDist().inv_cdf(1 - target)
    low, high = 0.5 * start, 2.0 * start
    best = (abs(error(start) - target), start)
    for _ in range(40):
        middle = (low + high) / 2
        found = error(middle)
        best = min(best, (abs(found - target), middle))
        if best[0] < _SETTLED:
            break
        low, high = (middle, high) if found > target else (low, middle)
    return best[1]


def _equal_error_threshold(genuine: Floats, impostor: Floats) -> float:
    """The score at which FAR and FRR are nearest, both sorted: either side of where they cross."""

    def excess(threshold: float) -> float:
        rejected = np.searchsorted(genuine, threshold, side="right") / len(genuine)
        accepted = 1 - np.searchsorted(impostor, threshold, side="right") / len(impostor)
        return float(rejected - accepted)

    low, high = float(genuine[0]) - 1, float(impostor[-1]) + 1
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (low, middle) if excess(middle) >= 0 else (middle, high)
    return low if abs(excess(low)) < abs(excess(high)) else high


def to_scores(model: LatentModel, system: SystemInfo, quality: Floats) -> Floats:
    """Scores of qualities that are 0 halfway between the classes: MLP outputs crowd at -1 and 1, GMM scores spread."""
    scale = model.scales[system.name]
    if system.classifier == "MLP":
        return np.tanh(scale * quality)
    if model.tail == 0:
        return scale * quality
    return np.asarray(scale / model.tail * np.sinh(model.tail * quality), dtype=np.float64)
