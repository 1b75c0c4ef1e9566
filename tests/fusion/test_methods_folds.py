"""Folds of a fusion: whole clients, or trials of every client; and thresholds from what they hold out."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from fairtrial import ParameterError, Trials, TrialsError
from fairtrial.core.notes import Note
from fairtrial.fusion.combination import fuse_scores
from fairtrial.fusion.fusion import fuse
from fairtrial.fusion.methods import FUSIONS, Fitted, FusionData, FusionMethod, client_folds, folds_within_clients
from fairtrial.fusion.normalise import PER_CLAIM, fit_normalisation
from fairtrial.rules import choose_thresholds

Floats = NDArray[np.float64]


def example(seed: int, *, clients: int = 20) -> Trials:
    rng = np.random.default_rng(seed)
    claim = np.concatenate([np.repeat(np.arange(clients), 3), np.repeat(np.arange(clients), 10)])
    genuine = np.arange(len(claim)) < clients * 3
    scores = rng.normal(genuine[:, None] * [1.2, 1.8], 1, (len(claim), 2)) * [1, 5]
    return Trials.from_arrays(scores, genuine, systems=["face", "voice"], claim=claim)


def crossed(seed: int, *, clients: int = 12, shots: int = 3, impostors: int = 10, distance: float = 2) -> Trials:
    """Everybody is tried by the same impostors, twice by each; clients differ in how high their scores are."""
    rng = np.random.default_rng(seed)
    level = np.random.default_rng(99).normal(size=(clients, 2))
    claim = np.concatenate([np.repeat(np.arange(clients), shots), np.repeat(np.arange(clients), 2 * impostors)])
    subject = np.concatenate(
        [np.repeat(np.arange(clients), shots), 1000 + np.tile(np.arange(2 * impostors), clients) // 2]
    )
    genuine = claim == subject
    scores = rng.normal(size=(len(claim), 2)) + level[claim] + distance * genuine[:, None]
    return Trials.from_arrays(scores, genuine, systems=["face", "voice"], claim=claim, subject=subject)


def values_of(notes: Sequence[Note | str]) -> dict[str, Any]:
    return {note.code: note.values for note in notes if isinstance(note, Note)}


def names(trials: Trials, role: str) -> NDArray[np.object_]:
    return trials.ids[role].decode()


def test_folds_hold_out_every_trial_once_and_never_split_a_client() -> None:
    dev = example(1)
    folds = client_folds(dev, 5)
    assert np.sum(folds, axis=0).tolist() == [1] * len(dev)
    assert dev.claim is not None
    for client in range(20):
        own = dev.claim.decode() == str(client)
        assert sum(bool(fold[own].any()) for fold in folds) == 1
        assert sum(bool(fold[own].all()) for fold in folds) == 1
    assert [int(fold.sum()) for fold in folds] == [4 * 13] * 5


def test_folds_of_trials_without_claims_and_their_seed() -> None:
    dev = Trials.from_arrays(example(1).scores, example(1).genuine)
    folds = client_folds(dev, 4)
    assert np.sum(folds, axis=0).tolist() == [1] * len(dev)
    assert np.array_equal(folds, client_folds(dev, 4, rng=0))
    assert not np.array_equal(folds, client_folds(dev, 4, rng=1))


def test_folds_within_clients_hold_out_every_trial_once_and_leave_every_client_known() -> None:
    dev = crossed(0)
    folds = folds_within_clients(dev, 5)
    assert np.sum(folds, axis=0).tolist() == [1] * len(dev)
    for fold in folds:
        assert set(names(dev, "claim")[~fold]) == set(names(dev, "claim"))
        for client in set(names(dev, "claim")):
            own = names(dev, "claim") == client
            # three genuine trials in three folds, ten impostors two to a fold, each with two attempts
            assert int((fold & own & dev.genuine).sum()) in (0, 1)
            assert int((fold & own & ~dev.genuine).sum()) == 4
    sizes = [int((fold & dev.genuine).sum()) for fold in folds]
    assert max(sizes) - min(sizes) <= 1


def test_an_impostor_is_never_on_both_sides_of_a_fold_within_clients() -> None:
    dev = crossed(1)
    for fold in folds_within_clients(dev, 4, rng=7):
        held, rest = (set(names(dev, "subject")[rows & ~dev.genuine]) for rows in (fold, ~fold))
        assert held
        assert not held & rest


def test_folds_within_clients_of_sparse_lists_keep_the_attempts_of_an_impostor_together() -> None:
    rng = np.random.default_rng(5)
    dev = crossed(2)
    dev = dev.rows(dev.genuine | (rng.random(len(dev)) < 0.15))
    folds = folds_within_clients(dev, 5)
    assert np.sum(folds, axis=0).tolist() == [1] * len(dev)
    assert len(folds) == 5
    for fold in folds:
        assert (fold & ~dev.genuine).any()
        for client in set(names(dev, "claim")):
            own = (names(dev, "claim") == client) & ~dev.genuine
            assert not set(names(dev, "subject")[own & fold]) & set(names(dev, "subject")[own & ~fold])


def test_one_impostor_for_each_client_is_spread_over_the_folds() -> None:
    claim, genuine = np.tile(np.arange(10), 2), np.arange(20) < 10
    dev = Trials.from_arrays(np.zeros(20), genuine, claim=claim, subject=np.where(genuine, claim, 100 + claim))
    folds = folds_within_clients(dev, 5)
    assert [(int((f & genuine).sum()), int((f & ~genuine).sum())) for f in folds] == [(2, 2)] * 5


def test_folds_within_clients_without_subjects_and_their_seed() -> None:
    dev = example(1)
    folds = folds_within_clients(dev, 5)
    for client in set(names(dev, "claim")):
        own = names(dev, "claim") == client
        assert [int((fold & own & ~dev.genuine).sum()) for fold in folds] == [2] * 5
    assert np.array_equal(folds, folds_within_clients(dev, 5, rng=0))
    assert not np.array_equal(folds, folds_within_clients(dev, 5, rng=1))


def test_folds_within_clients_that_cannot_be() -> None:
    dev = example(1)
    with pytest.raises(ParameterError):
        folds_within_clients(dev, 1)
    with pytest.raises(ParameterError):
        folds_within_clients(dev, 2, -1)
    with pytest.raises(TrialsError) as error:
        folds_within_clients(Trials.from_arrays(dev.scores, dev.genuine), 2)
    assert error.value.code == "no-claims"


def first_system(held_out: str = "none") -> FusionMethod:
    """A fusion that shows what it was given."""
    return FusionMethod("first", lambda data: Fitted(lambda scores, claim: scores[:, 0]), held_out=held_out)  # type: ignore[arg-type]


@pytest.mark.parametrize("method", ["none", "clients"])
@pytest.mark.parametrize("name", PER_CLAIM)
def test_normalisations_for_each_client_are_fitted_on_the_other_trials_of_the_client(name: str, method: str) -> None:
    dev, test = crossed(3), crossed(4)
    fused = fuse_scores(dev, test, fusion=first_system(method), normalise=name, folds=3, rng=5)
    assert fused.held_out == "within-clients"
    assert values_of(fused.notes)["held-out"] == {"folds": 3, "units": "within clients"}
    claims = names(dev, "claim").astype(np.int64)
    data = FusionData(dev.scores.astype(np.float64), dev.genuine, claims, 12)
    for held_out in folds_within_clients(dev, 3, 5):
        fitted = fit_normalisation(name, data.rows(~held_out))
        expected = fitted.apply(data.scores[held_out], claims[held_out])[:, 0]
        assert fused.dev.column()[held_out] == pytest.approx(expected, rel=1e-12)
    whole = fit_normalisation(name, data)
    expected = whole.apply(test.scores.astype(np.float64), names(test, "claim").astype(np.int64))[:, 0]
    assert fused.test.column() == pytest.approx(expected, rel=1e-12)


def test_clients_with_a_single_genuine_trial_are_noted_and_scored_by_the_mean_of_all() -> None:
    dev, test = crossed(5), crossed(6)
    single = dev.genuine & np.isin(names(dev, "claim"), ["0", "1"])
    single[np.flatnonzero(single)[[0, 3]]] = False
    dev = dev.rows(~single)
    fused = fuse_scores(dev, test, fusion="client-threshold")
    assert values_of(fused.notes) == {
        "held-out": {"folds": 5, "units": "within clients"},
        "clients-held-out": {"count": 2, "kind": "genuine"},
    }
    # the trial itself is not in the threshold it is scored by
    row = int(np.flatnonzero(dev.genuine & (names(dev, "claim") == "0"))[0])
    (held_out,) = (fold for fold in folds_within_clients(dev, 5) if fold[row])
    rest, mean = dev.rows(~held_out), dev.scores.mean(axis=1).astype(np.float64)
    everyone = mean[~held_out][rest.genuine]
    others = mean[~held_out][(names(rest, "claim") == "0") & ~rest.genuine]
    threshold = (everyone.mean() * others.std() + others.mean() * everyone.std()) / (everyone.std() + others.std())
    assert fused.dev.column()[row] == pytest.approx(mean[row] - threshold)


@pytest.mark.parametrize("name", ["client-threshold", "client-scores"])
def test_dev_error_of_client_dependent_fusion_is_that_of_test(name: str) -> None:
    dev, test = (crossed(seed, clients=800, shots=2, distance=3) for seed in (7, 8))
    result = fuse(dev, test, fusion=name)
    error = float(result.evaluation.test.hter)
    assert float(result.evaluation.dev.hter) == pytest.approx(error, rel=0.1)
    # fitted and judged on the same trials, dev would promise far less than test holds
    claims = names(dev, "claim").astype(np.int64)
    data = FusionData(dev.scores.astype(np.float64), dev.genuine, claims, 800)
    seen = FUSIONS[name].fit(data).apply(data.scores, claims)
    assert choose_thresholds((seen[dev.genuine], seen[~dev.genuine]), "wer-equal", 0.5)[0].scalar().hter < 0.8 * error


def test_impostors_under_one_id_are_dealt_one_by_one() -> None:
    claim = np.repeat(np.arange(4), 12)
    genuine = np.arange(48) % 12 < 2
    trials = Trials.from_arrays(np.zeros(48), genuine, claim=claim, subject=np.where(genuine, claim, 99))
    for held_out in folds_within_clients(trials, 5):
        assert {*claim[held_out & ~genuine]} == {0, 1, 2, 3}
