"""Fusion that differs from client to client, against loops over clients."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import multivariate_normal

from fairtrial import ParameterError, Trials, TrialsError
from fairtrial.core.notes import Note
from fairtrial.fusion.combination import fuse_scores
from fairtrial.fusion.fusion import fuse
from fairtrial.fusion.methods import FUSIONS, folds_within_clients

Floats = NDArray[np.float64]
METHODS = ("client-threshold", "client-scores", "client-weights", "client-qda")
CLIENTS = 8


def example(seed: int, *, clients: int = CLIENTS, genuine: int = 4, impostor: int = 12) -> Trials:
    """Clients differ in how high their scores are; half of them are known by their face, half by their voice."""
    people = np.random.default_rng(0)
    level = people.normal(size=(CLIENTS + 4, 2))
    good = 1.0 + 2.0 * (np.arange(CLIENTS + 4)[:, None] % 2 == np.arange(2))
    rng = np.random.default_rng(seed)
    claim = np.concatenate([np.repeat(np.arange(clients), genuine), np.repeat(np.arange(clients), impostor)])
    flags = np.arange(len(claim)) < clients * genuine
    scores = rng.normal(size=(len(claim), 2)) + level[claim] + np.where(flags[:, None], good[claim], 0)
    return Trials.from_arrays(scores, flags, systems=["face", "voice"], claim=[f"c{k}" for k in claim])


def columns(trials: Trials, scores: Floats, client: str) -> tuple[Floats, Floats]:
    """The genuine and impostor scores of one client."""
    assert trials.claim is not None
    own = trials.claim.decode() == client
    return scores[own & trials.genuine], scores[own & ~trials.genuine]


def genuine_mean(dev: Trials, scores: Floats, client: str) -> Floats:
    """Half the client's own and half that of all."""
    return np.asarray((columns(dev, scores, client)[0].mean(axis=0) + scores[dev.genuine].mean(axis=0)) / 2)


def threshold(dev: Trials, part: Trials) -> list[float]:
    mean = dev.scores.mean(axis=1).astype(np.float64)
    spread = mean[dev.genuine].std()
    fused = []
    assert part.claim is not None
    for row, client in zip(part.scores, part.claim.decode(), strict=True):
        others = columns(dev, mean, client)[1]
        high, low, sd = genuine_mean(dev, mean, client), others.mean(), others.std()
        fused.append(float(row.mean() - (high * sd + low * spread) / (sd + spread)))
    return fused


def scores(dev: Trials, part: Trials) -> list[float]:
    before = dev.scores.astype(np.float64)
    fused = []
    assert part.claim is not None
    for row, client in zip(part.scores, part.claim.decode(), strict=True):
        low = columns(dev, before, client)[1].mean(axis=0)
        fused.append(float(np.mean((row - low) / (genuine_mean(dev, before, client) - low))))
    return fused


def weights(dev: Trials, part: Trials) -> list[float]:
    before = dev.scores.astype(np.float64)
    spread = before[dev.genuine].std(axis=0)
    impostor = before[~dev.genuine]
    every = (before[dev.genuine].mean(axis=0) - impostor.mean(axis=0)) / (spread + impostor.std(axis=0))
    fused = []
    assert part.claim is not None
    for row, client in zip(part.scores, part.claim.decode(), strict=True):
        others = columns(dev, before, client)[1]
        own = (genuine_mean(dev, before, client) - others.mean(axis=0)) / (spread + others.std(axis=0))
        assert (own > 0).all()
        share = (own / own.sum() + every / every.sum()) / 2
        fused.append(float(row @ share))
    return fused


def gaussians(dev: Trials, part: Trials) -> list[float]:
    """Densities by scipy; impostor covariances half the client's own and half that of all."""
    before = dev.scores.astype(np.float64)
    impostor = np.cov(before[~dev.genuine].T, bias=True)
    fused = []
    assert part.claim is not None
    assert dev.claim is not None
    away = [
        row - genuine_mean(dev, before, client)
        for row, client, own in zip(before, dev.claim.decode(), dev.genuine, strict=True)
        if own
    ]
    genuine = np.mean([np.outer(row, row) for row in away], axis=0)
    for row, client in zip(part.scores, part.claim.decode(), strict=True):
        others = columns(dev, before, client)[1]
        own = (np.cov(others.T, bias=True) + impostor) / 2
        high = multivariate_normal(genuine_mean(dev, before, client), genuine)
        low = multivariate_normal(others.mean(axis=0), own)
        fused.append(float(high.logpdf(row) - low.logpdf(row)))
    return fused


ORACLES = {
    "client-threshold": threshold,
    "client-scores": scores,
    "client-weights": weights,
    "client-qda": gaussians,
}


@pytest.mark.parametrize("name", METHODS)
def test_client_by_client_against_loops(name: str) -> None:
    dev, test = example(1), example(2)
    fused = fuse_scores(dev, test, fusion=name, folds=4, rng=3)
    (note,) = fused.notes
    assert isinstance(note, Note)
    assert (note.code, note.values) == ("held-out", {"folds": 4, "units": "within clients"})
    assert fused.held_out == "within-clients"
    assert fused.test.column() == pytest.approx(ORACLES[name](dev, test), rel=1e-9, abs=1e-12)
    for held_out in folds_within_clients(dev, 4, 3):
        expected = ORACLES[name](dev.rows(~held_out), dev.rows(held_out))
        assert fused.dev.column()[held_out] == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_thresholds_of_their_own_help_where_clients_differ() -> None:
    dev, test = example(1, genuine=20, impostor=200), example(2, genuine=20, impostor=200)
    plain, own = (fuse(dev, test, fusion=name).evaluation.test.hter for name in ("mean", "client-threshold"))
    assert own < plain


@pytest.mark.parametrize("name", METHODS)
def test_clients_that_dev_does_not_know(name: str) -> None:
    dev, test = example(1), example(2, clients=CLIENTS + 2)
    fused = fuse_scores(dev, test, fusion=name)
    inner = {"client-threshold": "eer-norm", "client-scores": "f-norm"}.get(name, name)
    note = fused.notes[1]
    assert isinstance(note, Note)
    assert (len(fused.notes), note.code, note.about, note.values) == (2, "clients-not-in-dev", inner, {"clients": 2})
    assert test.claim is not None
    known = np.isin(test.claim.decode(), [f"c{k}" for k in range(CLIENTS)])
    assert fused.test.column()[known] == pytest.approx(ORACLES[name](dev, test.rows(known)), rel=1e-9)
    assert np.isfinite(fused.test.scores).all()


@pytest.mark.parametrize("name", METHODS)
def test_without_claims(name: str) -> None:
    assert FUSIONS[name].held_out == "within-clients"
    dev, test = example(1), example(2)
    for a, b in ((True, False), (False, True), (False, False)):
        parts = [
            part if claims else Trials.from_arrays(part.scores, part.genuine, systems=part.systems)
            for part, claims in ((dev, a), (test, b))
        ]
        with pytest.raises(TrialsError) as error:
            fuse_scores(*parts, fusion=name)
        assert error.value.code == "no-claims"


def test_weights_of_a_system_that_separates_nobody_are_next_to_nothing() -> None:
    dev, test = example(1), example(2)
    for part in (dev, test):
        part.scores[:, 1] = -part.scores[:, 1]
    fused = fuse_scores(dev, test, fusion="client-weights")
    assert fused.test.column() == pytest.approx(test.column("face"), abs=1e-4)


def test_gaussians_of_systems_that_repeat_each_other() -> None:
    dev = example(1)
    dev.scores[:, 1] = 2 * dev.scores[:, 0]
    with pytest.raises(ParameterError, match="client-qda needs dev scores with some spread in both classes"):
        fuse_scores(dev, dev, fusion="client-qda")


def test_gaussians_see_what_no_line_can() -> None:
    """Impostors all around the genuine trials of every client, whose place differs."""
    rng = np.random.default_rng(3)
    parts = []
    for _ in range(2):
        claim = np.repeat(np.arange(CLIENTS), 60)
        genuine = np.arange(len(claim)) % 60 < 12
        place = np.stack([claim % 3 - 1, claim // 3 - 1], axis=1)
        scores = rng.normal(size=(len(claim), 2)) * np.where(genuine, 0.3, 3.0)[:, None] + place
        parts.append(Trials.from_arrays(scores, genuine, claim=claim))
    methods = ("client-qda", "qda", "client-weights")
    own, everybody, line = (fuse(*parts, fusion=name).evaluation.test.hter for name in methods)
    assert own < everybody < line


def test_weights_need_some_spread() -> None:
    dev = example(1)
    dev.scores[:, 1] = 0.1
    with pytest.raises(ParameterError, match="client-weights needs dev scores with some spread"):
        fuse_scores(dev, dev, fusion="client-weights")


def test_a_mean_that_is_the_same_for_all_trials_is_an_error() -> None:
    genuine = np.arange(12) < 4
    scores = np.where(genuine, 1.0, 0.0)[:, None] * [1.0, -1.0]
    same = Trials.from_arrays(scores, genuine, claim=np.arange(12) % 4)
    with pytest.raises(ParameterError, match="client-threshold: the mean of the systems is the same"):
        fuse_scores(same, same, fusion="client-threshold")
