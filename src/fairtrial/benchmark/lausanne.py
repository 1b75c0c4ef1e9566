"""Generate the synthetic set `lausanne`, which has the shape of the XM2VTS fusion benchmark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fairtrial.benchmark.protocols import Benchmark, BenchmarkSet, SystemInfo
from fairtrial.core.errors import check_seed
from fairtrial.core.notes import Note
from fairtrial.core.trials import Ids, Trials, object_array
from fairtrial.inference.variance import Floats

SESSIONS, SHOTS_EACH = 4, 2
"""Sessions of each person, and recordings per session."""

_SETTLED = 2e-4
"""Accepted distance of a system's error from its target, as a fraction."""


class GenuineShares(NamedTuple):
    """Parts of the variance of genuine qualities; they sum to 1."""

    client: float
    session: float
    """Shared by both shots of a session."""
    rest: float


class ImpostorShares(NamedTuple):
    """Parts of the variance of impostor qualities; they sum to 1."""

    pair: float
    """One impostor against one client, shared by all eight shots."""
    client: float
    impostor: float
    session: float
    """One impostor in one session, against all clients."""
    rest: float


@dataclass(frozen=True, slots=True)
class LatentModel:
    """The parameters of synthetic scores, apart from the seed and the target errors."""

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
    """By system: the slope of an MLP's output, or the scale of a GMM's log-likelihood ratios."""
    tail: float
    """The weight of the tails of a GMM's scores; 0 for a normal distribution."""

    def correlation(self, systems: Sequence[SystemInfo], protocols: Sequence[str]) -> Floats:
        """Compute the correlations of all systems in all protocols, the same for every kind of effect."""
        modality = np.array([system.modality for system in systems])
        within = np.where(modality == "face", self.face, self.speech)
        correlations = np.where(modality[:, None] == modality, within, self.across)
        name = np.array([system.name for system in systems])
        correlations[name[:, None] == name] = 1.0
        protocol = np.array(protocols)
        return np.asarray(correlations * np.where(protocol[:, None] == protocol, 1.0, self.protocols), dtype=np.float64)


class Effects:
    """Draw effects that are correlated between systems; the first axis of arrays is the system."""

    def __init__(self, rng: np.random.Generator, correlation: Floats) -> None:
        self._rng = rng
        self._mixing = np.linalg.cholesky(correlation)

    def __call__(self, share: float, *shape: int) -> Floats:
        """Draw effects with this proportion of the variance, an array of this shape for each system."""
        independent = self._rng.standard_normal((len(self._mixing), int(np.prod(shape))))
        return (sqrt(share) * self._mixing @ independent).reshape(-1, *shape)


def genuine_qualities(model: LatentModel, effects: Effects, clients: Floats) -> Floats:
    """Draw the qualities of all possible genuine trials, systems x clients x sessions x shots."""
    shares, count = model.genuine, clients.shape[1]
    sessions = effects(shares.session, count, SESSIONS, 1)
    qualities = effects(shares.rest, count, SESSIONS, SHOTS_EACH)
    qualities += sqrt(shares.client) * clients[:, :, None, None] + sessions
    return qualities


def impostor_qualities(model: LatentModel, effects: Effects, clients: Floats, impostors: int) -> Floats:
    """Draw the qualities of all impostors against all clients, systems x clients x impostors x sessions x shots."""
    shares, count = model.impostor, clients.shape[1]
    persons = effects(shares.impostor, 1, impostors, 1, 1) + effects(shares.session, 1, impostors, SESSIONS, 1)
    pairs = effects(shares.pair, count, impostors, 1, 1) + sqrt(shares.client) * clients[:, :, None, None, None]
    qualities = effects(shares.rest, count, impostors, SESSIONS, SHOTS_EACH)
    qualities += pairs
    qualities += persons
    return qualities


class Qualities(NamedTuple):
    """The qualities of one system in one set of trials, dev or test."""

    genuine: Floats
    impostor: Floats


def find_distance(dev: Qualities, test: Qualities, target: float) -> float:
    """Find the distance of genuine from impostor qualities at which the a-priori HTER meets its target."""
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
        reached = error(middle)
        best = min(best, (abs(reached - target), middle))
        if best[0] < _SETTLED:
            break
        low, high = (middle, high) if reached > target else (low, middle)
    return best[1]


def _equal_error_threshold(genuine: Floats, impostor: Floats) -> float:
    """Find the score, on either side of the crossing, at which FAR and FRR of sorted scores are nearest."""

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
    """Turn qualities into scores: outputs of an MLP accumulate at -1 and 1, scores of a GMM have long tails."""
    scale = model.scales[system.name]
    if system.classifier == "MLP":
        return np.tanh(scale * quality)
    if model.tail == 0:
        return scale * quality
    return np.asarray(scale / model.tail * np.sinh(model.tail * quality), dtype=np.float64)


CLIENTS, DEV_IMPOSTORS, TEST_IMPOSTORS = 200, 25, 70
TITLE = "lausanne (synthetic): the shape of the XM2VTS score-level fusion benchmark"
CITATION = (
    "Synthetic scores generated by fairtrial. The shape is that of N. Poh & S. Bengio, Database, protocols and tools "
    "for evaluating score-level fusion algorithms in biometric authentication, Pattern Recognition 39 (2006)."
)
NEVER_PAIRED = (("DCTs", "DCTb"), ("LFCC", "PAC"))
"""Features that Table 2 of Poh & Bengio 2006 does not pair."""

_SYSTEMS = {
    "(FH,MLP)": (1.875, 1.860),
    "(DCTs,GMM)": (4.227, None),
    "(DCTb,GMM)": (1.670, 0.644),
    "(DCTs,MLP)": (3.359, None),
    "(DCTb,MLP)": (6.221, None),
    "(LFCC,GMM)": (1.139, 1.300),
    "(PAC,GMM)": (6.304, 6.642),
    "(SSC,GMM)": (2.437, 2.013),
}
"""Target of the a-priori HTER of each system in LP1 and in LP2, in percent; None if it does not take part.

They are recalled from the literature on XM2VTS and not verified: targets, never references.
"""

MODEL = LatentModel(
    # near to those of two real systems, as a mean: studies/lausanne.py components; the split of 0.71 between
    # client and session is assumed, for both shots of those clients are of one session
    genuine=GenuineShares(client=0.61, session=0.10, rest=0.29),
    impostor=ImpostorShares(pair=0.65, client=0.12, impostor=0.05, session=0.04, rest=0.14),
    client_sides=-0.40,
    tail=0.15,
    # assumed: one training shot more changes little
    protocols=0.90,
    # fitted to Table 2 (a) to (c) of Poh & Bengio 2006: studies/lausanne.py fit
    face=0.66,
    speech=0.90,
    across=0.20,
    scales={
        "(FH,MLP)": 2.13,
        "(DCTs,GMM)": 0.45,
        "(DCTb,GMM)": 0.71,
        "(DCTs,MLP)": 0.94,
        "(DCTb,MLP)": 1.21,
        "(LFCC,GMM)": 0.39,
        "(PAC,GMM)": 0.37,
        "(SSC,GMM)": 0.27,
    },
)
"""The parameters of the set; docs/lausanne.md gives the source of each number."""


@dataclass(frozen=True, slots=True)
class LausanneProtocol:
    """The systems of a protocol, their target HTERs, and session and shot of each client's genuine dev trials."""

    name: str
    systems: tuple[SystemInfo, ...]
    targets: tuple[float, ...]
    dev_recordings: tuple[tuple[int, int], ...]


_TEST_RECORDINGS = ((3, 0), (3, 1))
"""The last session is for test in both protocols."""


def _protocol(name: str, number: int, dev_recordings: tuple[tuple[int, int], ...]) -> LausanneProtocol:
    systems, targets = [], []
    for system, percent in _SYSTEMS.items():
        target = percent[number]
        if target is not None:
            feature, classifier = system.strip("()").split(",")
            modality = "face" if feature in ("FH", "DCTs", "DCTb") else "speech"
            systems.append(SystemInfo(system, modality, feature, classifier))
            targets.append(target / 100)
    return LausanneProtocol(name, tuple(systems), tuple(targets), dev_recordings)


LP1 = _protocol("LP1", 0, ((0, 1), (1, 1), (2, 1)))
LP2 = _protocol("LP2", 1, ((2, 0), (2, 1)))
"""LP1 trains on the first shots of three sessions and develops on the second; LP2 trains on two whole sessions."""


def load_lausanne(seed: int = 0) -> Benchmark:
    """Make the synthetic set; that of a seed is made once per process.

    Parameters
    ----------
    seed : int, default 0
        The same seed gives the same scores.

    Returns
    -------
    Benchmark
        The sets LP1 and LP2, synthetic, with the numbers of people, attempts and systems of the XM2VTS benchmark.

    Raises
    ------
    ParameterError
        If the seed is not a whole number of at least 0.

    References
    ----------
    Poh & Bengio, Database, protocols and tools for evaluating score-level fusion, 2006, Table 1 and sections 2 and 3.

    Examples
    --------
    >>> lausanne = load_lausanne()
    >>> [(one.name, len(one.systems), len(one.dev), len(one.test)) for one in lausanne.sets]
    [('LP1', 8, 40600, 112400), ('LP2', 5, 40400, 112400)]
    """
    check_seed(seed)
    return _load(seed)


@lru_cache(maxsize=2)
def _load(seed: int) -> Benchmark:
    return Benchmark(
        "lausanne",
        TITLE,
        make_sets(seed),
        CITATION,
        "as fairtrial itself",
        synthetic=True,
        never_paired=NEVER_PAIRED,
        notes=(
            Note(
                "synthetic", "synthetic scores, seed {seed}: for trying methods, not for claims about people", seed=seed
            ),
        ),
    )


def make_sets(
    seed: int, model: LatentModel = MODEL, protocols: Sequence[LausanneProtocol] = (LP1, LP2)
) -> tuple[BenchmarkSet, ...]:
    """Make the sets of the protocols: the same people and recordings, so their scores are correlated."""
    systems = [system for protocol in protocols for system in protocol.systems]
    names = [protocol.name for protocol in protocols for _ in protocol.systems]
    effects = Effects(np.random.default_rng(seed), model.correlation(systems, names))
    clients, other = effects(1, CLIENTS), effects(1, CLIENTS)
    against = model.client_sides * clients + sqrt(1 - model.client_sides**2) * other
    genuine = genuine_qualities(model, effects, clients)
    dev, test = (impostor_qualities(model, effects, against, count) for count in (DEV_IMPOSTORS, TEST_IMPOSTORS))
    sets, place = [], 0
    for protocol in protocols:
        parts = (("dev", protocol.dev_recordings, dev), ("test", _TEST_RECORDINGS, test))
        scores: tuple[list[Floats], list[Floats]] = ([], [])
        for system, target in zip(protocol.systems, protocol.targets, strict=True):
            qualities = []
            for _, recordings, impostor in parts:
                sessions, shots = np.transpose(recordings)
                qualities.append(Qualities(genuine[place][:, sessions, shots].ravel(), impostor[place].ravel()))
            half = find_distance(qualities[0], qualities[1], target) / 2
            for columns, one in zip(scores, qualities, strict=True):
                columns.append(to_scores(model, system, np.concatenate([one.genuine + half, one.impostor - half])))
            place += 1
        trials = []
        for (word, recordings, impostor), columns in zip(parts, scores, strict=True):
            ids, flags = _people(word, recordings, impostor.shape[2])
            system_names = tuple(system.name for system in protocol.systems)
            notes = (Note("synthetic", "synthetic scores"),)
            trials.append(Trials(np.array(columns).T, flags, system_names, notes=notes, **ids))
        sets.append(BenchmarkSet(protocol.name, trials[0], trials[1], protocol.systems))
    return tuple(sets)


def _people(
    word: str, recordings: tuple[tuple[int, int], ...], impostors: int
) -> tuple[dict[str, Any], NDArray[np.bool_]]:
    """Give the ids of all trials, genuine ones first, each by client, and which of them are genuine."""
    client, shots = np.arange(CLIENTS), SESSIONS * SHOTS_EACH
    others = np.repeat(np.arange(impostors), shots)
    claim = np.concatenate([np.repeat(client, len(recordings)), np.repeat(client, len(others))])
    impostor = np.concatenate([np.full(CLIENTS * len(recordings), -1), np.tile(others, CLIENTS)])
    genuine_shots = [session * SHOTS_EACH + shot for session, shot in recordings]
    shot = np.concatenate([np.tile(genuine_shots, CLIENTS), np.tile(np.arange(len(others)) % shots, CLIENTS)])
    subject = np.where(impostor < 0, claim, CLIENTS + impostor)
    names = [f"client{k + 1:03d}" for k in range(CLIENTS)]
    everyone = names + [f"{word}-impostor{k + 1:02d}" for k in range(impostors)]
    recorded = [f"session{s + 1}-shot{k + 1}" for s in range(SESSIONS) for k in range(SHOTS_EACH)]
    ids = {
        "claim": Ids(claim.astype(np.int32), object_array(names)),
        "subject": Ids(subject.astype(np.int32), object_array(everyone)),
        "probe": Ids(
            (subject * shots + shot).astype(np.int32), object_array([f"{p}-{r}" for p in everyone for r in recorded])
        ),
    }
    return ids, impostor < 0
