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
from fairtrial.core.ids import Ids, object_array
from fairtrial.core.notes import Note
from fairtrial.core.trials import Trials

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
"""The a-priori HTER in percent that each system is to have in LP1 and in LP2, where it takes part there.

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
"""What the scores depend on; docs/benchmark.md says where each number comes from."""


@dataclass(frozen=True, slots=True)
class LausanneProtocol:
    """Which systems take part, the HTERs they are to have, and on which recordings they are developed."""

    name: str
    systems: tuple[SystemInfo, ...]
    targets: tuple[float, ...]
    dev_recordings: tuple[tuple[int, int], ...]
    """Session and shot, from 0, of each client's genuine dev trials."""


_TEST_RECORDINGS = ((3, 0), (3, 1))
"""The last session is for test in both protocols."""


def _protocol(name: str, number: int, dev_recordings: tuple[tuple[int, int], ...]) -> LausanneProtocol:
    percent = {system: targets[number] for system, targets in _SYSTEMS.items()}
    taking_part = {system: target / 100 for system, target in percent.items() if target is not None}
    return LausanneProtocol(name, tuple(map(_info, taking_part)), tuple(taking_part.values()), dev_recordings)


def _info(name: str) -> SystemInfo:
    feature, classifier = name.strip("()").split(",")
    return SystemInfo(name, "face" if feature in ("FH", "DCTs", "DCTb") else "speech", feature, classifier)


LP1 = _protocol("LP1", 0, ((0, 1), (1, 1), (2, 1)))
LP2 = _protocol("LP2", 1, ((2, 0), (2, 1)))
"""LP1 trains on the first shots of three sessions and develops on the second; LP2 trains on two whole sessions."""


def load_lausanne(seed: int = 0) -> Benchmark:
    """Make the set, or give the one that was made before with the same seed.

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
        A seed that is not a whole number of at least 0.

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
    """The sets of the protocols: the same people and recordings, so scores of the protocols are correlated."""
    systems = [system for protocol in protocols for system in protocol.systems]
    names = [protocol.name for protocol in protocols for _ in protocol.systems]
    effects = Effects(np.random.default_rng(seed), model.correlation(systems, names))
    own, other = effects(1, CLIENTS), effects(1, CLIENTS)
    against = model.client_sides * own + sqrt(1 - model.client_sides**2) * other
    genuine = genuine_qualities(model, effects, own)
    dev, test = (impostor_qualities(model, effects, against, count) for count in (DEV_IMPOSTORS, TEST_IMPOSTORS))
    found, first = [], 0
    for protocol in protocols:
        columns = slice(first, first + len(protocol.systems))
        first = columns.stop
        found.append(
            _make_set(
                protocol,
                model,
                _Part("dev", protocol.dev_recordings, genuine[columns], dev[columns]),
                _Part("test", _TEST_RECORDINGS, genuine[columns], test[columns]),
            )
        )
    return tuple(found)


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """Dev or test: which recordings of clients it has, and qualities with the systems first."""

    word: str
    recordings: tuple[tuple[int, int], ...]
    genuine: Floats
    impostor: Floats

    def of_system(self, number: int) -> Qualities:
        sessions, shots = np.transpose(self.recordings)
        return Qualities(self.genuine[number][:, sessions, shots].ravel(), self.impostor[number].ravel())


def _make_set(protocol: LausanneProtocol, model: LatentModel, dev: _Part, test: _Part) -> BenchmarkSet:
    columns: tuple[list[Floats], list[Floats]] = ([], [])
    for number, (system, target) in enumerate(zip(protocol.systems, protocol.targets, strict=True)):
        qualities = dev.of_system(number), test.of_system(number)
        half = find_distance(*qualities, target) / 2
        for scores, one in zip(columns, qualities, strict=True):
            scores.append(to_scores(model, system, np.concatenate([one.genuine + half, one.impostor - half])))
    made = [_trials(protocol, part, scores) for part, scores in zip((dev, test), columns, strict=True)]
    return BenchmarkSet(protocol.name, made[0], made[1], protocol.systems)


def _trials(protocol: LausanneProtocol, part: _Part, columns: Sequence[Floats]) -> Trials:
    ids, genuine = _people(part.word, part.recordings, part.impostor.shape[2])
    names = tuple(system.name for system in protocol.systems)
    return Trials(np.array(columns).T, genuine, names, notes=(Note("synthetic", "synthetic scores"),), **ids)


def _people(
    word: str, recordings: tuple[tuple[int, int], ...], impostors: int
) -> tuple[dict[str, Any], NDArray[np.bool_]]:
    """Ids of all trials, genuine ones first, each by client."""
    client, shots = np.arange(CLIENTS), SESSIONS * SHOTS_EACH
    others = np.repeat(np.arange(impostors), shots)
    claim = np.concatenate([np.repeat(client, len(recordings)), np.repeat(client, len(others))])
    impostor = np.concatenate([np.full(CLIENTS * len(recordings), -1), np.tile(others, CLIENTS)])
    own = [session * SHOTS_EACH + shot for session, shot in recordings]
    shot = np.concatenate([np.tile(own, CLIENTS), np.tile(np.arange(len(others)) % shots, CLIENTS)])
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
