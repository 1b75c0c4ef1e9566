"""The bootstrap of the equal error rate against resampling of scores and of people themselves."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from fairtrial import ParameterError, Trials, equal_error_rate
from fairtrial.evaluation.roc import bootstrap_eer
from simulated import crossed

Scores = tuple[NDArray[np.float64], NDArray[np.float64]]


def classes(shape: str) -> Scores:
    rng = np.random.default_rng(0)
    sizes = {"few": (5, 7), "many": (400, 3000)}.get(shape, (60, 300))
    genuine, impostor = rng.normal(1.5, 1, sizes[0]), rng.normal(0, 1, sizes[1])
    if shape == "ties":
        return genuine.round(1), impostor.round(1)
    if shape == "apart":
        return genuine + 50, impostor
    if shape == "rejected":
        genuine[:10] = -np.inf
    return genuine, impostor


@pytest.mark.parametrize("shape", ["plain", "ties", "few", "many", "apart", "rejected"])
def test_eer_replicates_are_those_of_resampled_scores(shape: str) -> None:
    genuine, impostor = classes(shape)
    rng = np.random.default_rng(1)
    expected = [
        equal_error_rate((rng.choice(genuine, len(genuine)), rng.choice(impostor, len(impostor)))).value
        for _ in range(2000)
    ]
    trials = Trials.from_arrays(
        np.concatenate([genuine, impostor]), np.repeat([True, False], [len(genuine), len(impostor)])
    )
    found = bootstrap_eer(trials, n_resamples=2000)
    assert stats.ks_2samp(expected, found.replicates).pvalue > 1e-3
    assert found.estimate == equal_error_rate(trials).value
    assert np.array_equal(found.replicates, bootstrap_eer(trials, n_resamples=2000).replicates)


def test_eer_by_people_has_the_spread_of_new_people() -> None:
    rng = np.random.default_rng(2)
    claim, subject = np.divmod(np.arange(1600), 40)
    values, people, alone = [], [], []
    for k in range(200):
        scores = np.where(claim == subject, 3.0, 1.5 * rng.normal(size=40)[subject]) + rng.normal(size=1600)
        trials = Trials.from_arrays(scores, claim == subject, claim=claim, subject=subject)
        values.append(equal_error_rate(trials).value)
        if k < 15:
            people.append(bootstrap_eer(trials, n_resamples=150).replicates.std())
            alone.append(bootstrap_eer(trials, cluster="none", n_resamples=150).replicates.std())
    assert np.mean(people) == pytest.approx(np.std(values), rel=0.2)
    assert np.mean(alone) < 0.8 * np.std(values)


def test_eer_by_people_against_drawing_clients_one_by_one() -> None:
    # clients with all their trials: drawn here by explicit loops
    trials = crossed(np.random.default_rng(3), clients=30, impostors=10, systems=("a",), effect=0.5)
    claim, scores, genuine = trials.claim.decode(), trials.column(None), trials.genuine  # type: ignore[union-attr]
    rows = {name: np.flatnonzero(claim == name) for name in np.unique(claim)}
    rng = np.random.default_rng(4)
    expected = []
    for _ in range(300):
        picked = np.concatenate([rows[name] for name in rng.choice(list(rows), len(rows))])
        own, flags = scores[picked], genuine[picked]
        expected.append(equal_error_rate((own[flags], own[~flags])).value)
    found = bootstrap_eer(trials, cluster="claim", n_resamples=300)
    assert found.estimate == equal_error_rate(trials).value
    assert np.std(found.replicates) == pytest.approx(np.std(expected), rel=0.25)


def test_no_resamples() -> None:
    with pytest.raises(ParameterError, match="at least one resample"):
        bootstrap_eer(crossed(np.random.default_rng(0), systems=("a",)), n_resamples=0)
