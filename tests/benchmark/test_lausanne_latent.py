"""The latent model of synthetic scores: variances, correlations, distances and maps against theory."""

from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairtrial.benchmark.lausanne import (
    LP1,
    LP2,
    MODEL,
    Effects,
    Qualities,
    find_distance,
    genuine_qualities,
    impostor_qualities,
    to_scores,
)
from fairtrial.benchmark.sets import SystemInfo

SYSTEMS = [*LP1.systems, *LP2.systems]
PROTOCOLS = ["LP1"] * len(LP1.systems) + ["LP2"] * len(LP2.systems)


def effects(seed: int, systems: int = 1) -> Effects:
    return Effects(np.random.default_rng(seed), np.eye(systems))


def test_shares_of_the_variance_sum_to_1() -> None:
    assert sum(MODEL.genuine) == pytest.approx(1)
    assert sum(MODEL.impostor) == pytest.approx(1)


def test_correlations_by_modality_system_and_protocol() -> None:
    found = MODEL.correlation(SYSTEMS, PROTOCOLS)
    place = {(protocol, system.name): k for k, (protocol, system) in enumerate(zip(PROTOCOLS, SYSTEMS, strict=True))}
    face, pac = "(FH,MLP)", "(PAC,GMM)"
    for first, second, expected in [
        (("LP1", face), ("LP1", "(DCTb,MLP)"), MODEL.face),
        (("LP1", pac), ("LP1", "(SSC,GMM)"), MODEL.speech),
        (("LP1", face), ("LP1", pac), MODEL.across),
        (("LP1", face), ("LP2", face), MODEL.protocols),
        (("LP1", pac), ("LP2", "(SSC,GMM)"), MODEL.speech * MODEL.protocols),
        (("LP2", face), ("LP1", pac), MODEL.across * MODEL.protocols),
    ]:
        assert found[place[first], place[second]] == found[place[second], place[first]] == pytest.approx(expected)
    assert np.array_equal(np.diag(found), np.ones(len(SYSTEMS)))
    assert np.linalg.eigvalsh(found).min() > 0


def test_effects_have_the_correlations_and_the_variance_asked_for() -> None:
    correlation = MODEL.correlation(SYSTEMS, PROTOCOLS)
    drawn = Effects(np.random.default_rng(1), correlation)(0.3, 200, 200)
    assert drawn.shape == (13, 200, 200)
    assert np.cov(drawn.reshape(13, -1)) == pytest.approx(0.3 * correlation, abs=0.01)


def test_genuine_qualities_have_variance_1_and_share_clients_and_sessions() -> None:
    draw = effects(2)
    found = genuine_qualities(MODEL, draw, draw(1, 20_000))[0]
    assert np.var(found) == pytest.approx(1, abs=0.02)
    shares = MODEL.genuine
    of_session = np.corrcoef(found[:, 0, 0], found[:, 0, 1])[0, 1]
    of_client = np.corrcoef(found[:, 0, 0], found[:, 3, 1])[0, 1]
    assert of_session == pytest.approx(shares.client + shares.session, abs=0.03)
    assert of_client == pytest.approx(shares.client, abs=0.03)


def test_impostor_qualities_have_variance_1_and_share_people() -> None:
    draw = effects(3)
    found = impostor_qualities(MODEL, draw, draw(1, 300), 300)[0]
    assert found.shape == (300, 300, 4, 2)
    assert np.var(found) == pytest.approx(1, abs=0.03)
    shares, first = MODEL.impostor, found[:, :, 0, 0]
    same_pair = np.mean(first * found[:, :, 1, 1]) - found.mean() ** 2
    assert same_pair == pytest.approx(shares.pair + shares.client + shares.impostor, abs=0.05)
    same_client = np.mean(first * np.roll(found[:, :, 1, 1], 1, axis=1)) - found.mean() ** 2
    assert same_client == pytest.approx(shares.client, abs=0.05)
    same_impostor = np.mean(first * np.roll(found[:, :, 1, 1], 1, axis=0)) - found.mean() ** 2
    assert same_impostor == pytest.approx(shares.impostor, abs=0.05)
    same_recording = np.mean(first * np.roll(found[:, :, 0, 1], 1, axis=0)) - found.mean() ** 2
    assert same_recording == pytest.approx(shares.impostor + shares.session, abs=0.05)


@pytest.mark.parametrize("target", [0.01, 0.05, 0.2])
def test_distance_of_normal_qualities(target: float) -> None:
    rng = np.random.default_rng(4)
    dev, test = (Qualities(*rng.normal(size=(2, 200_000))) for _ in range(2))
    assert find_distance(dev, test, target) == pytest.approx(2 * NormalDist().inv_cdf(1 - target), abs=0.03)


@given(st.lists(st.floats(-8, 8), min_size=2, max_size=30, unique=True), st.sampled_from(SYSTEMS))
def test_scores_keep_the_order_of_qualities_and_are_odd(qualities: list[float], system: SystemInfo) -> None:
    values = np.array(sorted(qualities))
    scores = to_scores(MODEL, system, values)
    assert (np.diff(scores) >= 0).all()
    assert scores == pytest.approx(-to_scores(MODEL, system, -values))


def test_mlp_scores_stay_between_minus_1_and_1_and_gmm_scores_have_heavy_tails() -> None:
    mlp, gmm = LP1.systems[0], LP1.systems[1]
    assert np.abs(to_scores(MODEL, mlp, np.linspace(-8, 8))).max() < 1
    quality = np.array([1.0, 4.0])
    near, far = to_scores(MODEL, gmm, quality)
    assert far > 4 * near
    plain = to_scores(replace(MODEL, tail=0.0), gmm, quality)
    assert plain == pytest.approx(MODEL.scales[gmm.name] * quality)
