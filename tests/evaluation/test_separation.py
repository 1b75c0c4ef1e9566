"""AUC and d' with their intervals: against brute force, DeLong's formula written out, and simulation."""

from __future__ import annotations

from math import isnan
from statistics import NormalDist
from typing import Literal

import numpy as np
import pytest

from fairtrial import Trials, TrialsError
from fairtrial.evaluation import auc_error, auc_interval, d_prime_interval
from fairtrial.inference import TrialSets
from simulated import crossed


def some_trials(seed: int, *, ids: bool = True, tied: bool = True) -> Trials:
    rng = np.random.default_rng(seed)
    claim, subject = np.divmod(np.arange(144), 12)
    scores = rng.normal(1.2 * (claim == subject), 1)
    return Trials.from_arrays(
        scores.round(1) if tied else scores,
        claim == subject,
        claim=claim if ids else None,
        subject=subject if ids else None,
    )


def pairs(trials: Trials) -> np.ndarray:
    """1 where a genuine score is above an impostor score, 1/2 where they are equal; a row per genuine trial."""
    scores = trials.column()
    genuine, impostor = scores[trials.genuine], scores[~trials.genuine]
    return np.array([[1.0 if g > i else 0.5 if g == i else 0.0 for i in impostor] for g in genuine])


@pytest.mark.parametrize("seed", range(3))
def test_auc_and_its_variance_by_delong_over_all_pairs(seed: int) -> None:
    trials = some_trials(seed, ids=False)
    found = auc_interval(TrialSets(None, trials))
    table = pairs(trials)
    by_genuine, by_impostor = table.mean(axis=1), table.mean(axis=0)
    variance = by_genuine.var(ddof=1) / len(by_genuine) + by_impostor.var(ddof=1) / len(by_impostor)
    assert found.estimate == pytest.approx(table.mean())
    assert found.estimate == pytest.approx(1 - auc_error(trials))
    assert found.sigma == pytest.approx(variance**0.5)
    assert 0 < found.low < found.estimate < found.high < 1
    assert found.method == "delong"


def test_people_who_share_trials_widen_the_interval_of_the_auc() -> None:
    trials = Trials.from_arrays(
        np.tile(some_trials(0).column(), 4),
        np.tile(some_trials(0).genuine, 4),
        claim=np.tile(np.repeat(np.arange(12), 12), 4),
        subject=np.tile(np.arange(144) % 12, 4),
    )
    shared, alone = (auc_interval(TrialSets(None, trials, cluster)) for cluster in (None, "none"))
    assert shared.estimate == alone.estimate
    assert shared.sigma > 1.5 * alone.sigma
    assert shared.method == "cluster-both"


def test_perfect_scores_have_an_interval_of_some_width() -> None:
    scores = np.concatenate([np.arange(20.0, 40), np.arange(20.0)])
    trials = Trials.from_arrays(scores, scores >= 20, claim=np.arange(40) % 20)
    found = auc_interval(TrialSets(None, trials))
    assert (found.estimate, found.high) == (1, 1)
    assert 0.7 < found.low < 0.95
    assert "every genuine score is above" in str(found.note)


def test_d_prime_and_its_variance_against_numpy_and_the_bootstrap() -> None:
    trials = some_trials(1, ids=False, tied=False)
    scores = trials.column()
    genuine, impostor = scores[trials.genuine], scores[~trials.genuine]

    def d_prime(a: np.ndarray, b: np.ndarray) -> float:
        return float((a.mean() - b.mean()) / np.sqrt((a.var() + b.var()) / 2))

    rng = np.random.default_rng(0)
    drawn = [d_prime(rng.choice(genuine, len(genuine)), rng.choice(impostor, len(impostor))) for _ in range(3000)]
    found = d_prime_interval(TrialSets(None, trials))
    assert found.estimate == pytest.approx(d_prime(genuine, impostor))
    assert found.sigma == pytest.approx(np.std(drawn), rel=0.2)


@pytest.mark.parametrize("factor", [1e-300, 1.0, 1e300])
def test_d_prime_does_not_depend_on_the_scale_of_scores(factor: float) -> None:
    trials = some_trials(2)
    scaled = Trials.from_arrays(factor * trials.column(), trials.genuine)
    found = d_prime_interval(TrialSets(None, scaled))
    assert found.estimate == pytest.approx(d_prime_interval(TrialSets(None, trials, "none")).estimate)


@pytest.mark.parametrize(
    ("scores", "why"), [([1.0, 1.0, 0.0, 0.0], "no spread"), ([1.0, 2.0, -np.inf, 0.0], "infinite")]
)
def test_where_there_is_no_d_prime_a_note_says_why(scores: list[float], why: str) -> None:
    found = d_prime_interval(TrialSets(None, Trials.from_arrays(scores, [True, True, False, False])))
    assert isnan(found.estimate)
    assert why in str(found.note)


def test_interval_of_the_auc_covers_where_trials_share_people() -> None:
    # the population: genuine N(2, 1 + .5^2), impostor N(0, 1 + 2 .5^2)
    true = NormalDist().cdf(2 / (1.25 + 1.5) ** 0.5)
    held = np.zeros((80, 2), dtype=bool)
    for k in range(len(held)):
        trials = crossed(np.random.default_rng([7, k]), clients=20, impostors=10, effect=0.5, systems=["a"])
        clusters: tuple[Literal["none"] | None, ...] = (None, "none")
        for which, cluster in enumerate(clusters):
            found = auc_interval(TrialSets(None, trials, cluster))
            held[k, which] = found.low <= true <= found.high
    assert held[:, 0].mean() > 0.88
    assert held[:, 1].mean() < held[:, 0].mean()


def test_arrays_are_not_trials() -> None:
    sets = TrialSets(None, ([0.9, 0.4], [0.1, 0.5]))
    for find in (auc_interval, d_prime_interval):
        with pytest.raises(TrialsError, match="needs test as Trials"):
            find(sets)
