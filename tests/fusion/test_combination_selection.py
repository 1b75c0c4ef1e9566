"""Algorithm 1 of Poh & Bengio 2006, appendix A, against its pseudo code."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from fairtrial import ParameterError, Trials, TrialsError
from fairtrial.core.notes import Note
from fairtrial.fusion.combination import select_parameters
from fairtrial.fusion.fusion import fuse
from fairtrial.fusion.methods import Fitted, FusionData, FusionMethod, client_folds

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
GRID = [{"C": c} for c in (1e-5, 1e-3, 1e-1)]


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    """Threads only wait for each other in matrices of two columns."""
    with threadpool_limits(1):
        yield


def example(seed: int, *, clients: int = 20) -> Trials:
    rng = np.random.default_rng(seed)
    claim = np.concatenate([np.repeat(np.arange(clients), 3), np.repeat(np.arange(clients), 10)])
    genuine = np.arange(len(claim)) < clients * 3
    scores = rng.normal(genuine[:, None] * [1.2, 1.8], 1, (len(claim), 2)) * [1, 5]
    return Trials.from_arrays(scores, genuine, systems=["face", "voice"], claim=claim)


def train(theta: dict[str, float], patterns: NDArray[Any], labels: Flags) -> Any:
    return LogisticRegression(**theta).fit(patterns, labels)


def threshold_of(scores: Floats, labels: Flags) -> float:
    """thrd_HTER: the candidate with the smallest |FAR - FRR|; of several the smallest HTER, then the lowest."""
    costs = []
    for candidate in [-np.inf, *np.unique(scores)]:
        accepts, rejects = np.sum(scores[~labels] > candidate), np.sum(scores[labels] <= candidate)
        a, b = int(accepts) * int(labels.sum()), int(rejects) * int((~labels).sum())
        costs.append((abs(a - b), a + b, float(candidate)))
    return min(costs)[2]


def hter(threshold: float, scores: Floats, labels: Flags) -> float:
    return float(np.mean(scores[~labels] > threshold) + np.mean(scores[labels] <= threshold)) / 2


def risk_estimation(
    thetas: Sequence[dict[str, float]], folds: Sequence[Flags], dev: Trials, test: Trials
) -> tuple[dict[str, float], float, float, float]:
    """Algorithm 1 as it is printed: theta*, its threshold, its HTER on the held-out folds, the HTER on test."""
    found = []
    for theta in thetas:
        held_out, labels = [], []
        for fold in folds:
            classifier = train(theta, dev.scores[~fold], dev.genuine[~fold])
            held_out.append(classifier.decision_function(dev.scores[fold]))
            labels.append(dev.genuine[fold])
        pooled, truth = np.concatenate(held_out), np.concatenate(labels)
        delta = threshold_of(pooled, truth)
        found.append((hter(delta, pooled, truth), delta, theta))
    lowest = min(range(len(found)), key=lambda k: found[k][0])
    risk, delta, theta = found[lowest]
    classifier = train(theta, dev.scores, dev.genuine)
    return theta, delta, risk, hter(delta, classifier.decision_function(test.scores), test.genuine)


def logistic(data: FusionData, **theta: float) -> Fitted:
    classifier = train(theta, data.scores, data.genuine)
    return Fitted(lambda scores, claim: np.asarray(classifier.decision_function(scores)))


METHOD = FusionMethod("tuned", logistic, grid=tuple(GRID), held_out="clients")


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("count", [3, 5])
def test_algorithm_1_against_its_pseudo_code(seed: int, count: int) -> None:
    dev, test = example(seed), example(seed + 50)
    folds = client_folds(dev, count, rng=seed)
    theta, delta, risk, error = risk_estimation(GRID, folds, dev, test)
    chosen = select_parameters(logistic, FusionData(dev.scores.astype(np.float64), dev.genuine), GRID, folds)
    assert chosen.best.parameters == theta
    assert chosen.best.counts.threshold == pytest.approx(delta, rel=1e-9)
    assert chosen.best.counts.hter == pytest.approx(risk)
    result = fuse(dev, test, fusion=METHOD, folds=count, rng=seed)
    assert result.scores.parameters == theta
    assert result.scores.cross_validated
    assert result.evaluation.threshold == pytest.approx(delta, rel=1e-9)
    assert result.evaluation.dev.hter == pytest.approx(risk)
    assert result.evaluation.test.hter == pytest.approx(error)


def test_every_candidate_is_reported_and_the_first_of_equals_is_taken() -> None:
    dev = example(0)
    data = FusionData(dev.scores.astype(np.float64), dev.genuine)
    grid = [{"C": 1.0}, {"C": 1.0}, {"C": 1e-5}]
    chosen = select_parameters(logistic, data, grid, client_folds(dev, 4))
    assert [candidate.parameters for candidate in chosen.candidates] == grid
    assert chosen.candidates[0].counts == chosen.candidates[1].counts
    assert chosen.best is chosen.candidates[0]


def test_each_client_is_scored_by_what_was_fitted_without_them() -> None:
    """A fusion that knows whom it was fitted on, and says so by its scores."""
    dev = example(2)
    assert dev.claim is not None
    client_of = dict(zip(dev.column("face").tolist(), dev.claim.decode().tolist(), strict=True))
    assert len(client_of) == len(dev)
    seen: list[set[str]] = []

    def fit(data: FusionData, which: int) -> Fitted:
        assert data.claim is None
        known = {client_of[score] for score in data.scores[:, 0].tolist()}
        seen.append(known)

        def apply(scores: Floats, claim: NDArray[np.int64] | None) -> Floats:
            face = scores[:, 0].tolist()
            return np.array([1.0 if client_of[score] in known else 0.0 for score in face]) + 0.01 * scores[:, 0]

        return Fitted(apply)

    spy = FusionMethod("spy", fit, grid=({"which": 0}, {"which": 1}), held_out="clients")
    result = fuse(dev, dev, fusion=spy, folds=5)
    assert [len(clients) for clients in seen] == [16] * 10 + [20]
    face = 0.01 * dev.column("face")
    assert result.scores.dev.column() == pytest.approx(face)
    assert result.scores.test.column() == pytest.approx(1 + face)


def test_normalisation_is_fitted_without_the_held_out_fold() -> None:
    dev, test = example(3), example(4)
    folds = client_folds(dev, 3)
    expected = np.empty(len(dev))
    for fold in folds:
        rest, labels = dev.scores[~fold], dev.genuine[~fold]
        mean, sd = rest[~labels].mean(axis=0), rest[~labels].std(axis=0)
        expected[fold] = train({"C": 1.0}, (rest - mean) / sd, labels).decision_function((dev.scores[fold] - mean) / sd)
    method = FusionMethod("tuned", logistic, grid=({"C": 1.0}, {"C": 1.0}), held_out="clients")
    found = fuse(dev, test, fusion=method, normalise="z", folds=3).scores
    assert found.dev.column() == pytest.approx(expected, rel=1e-9)


def test_notes_of_the_folds_are_told_once() -> None:
    def fit(data: FusionData, **theta: float) -> Fitted:
        return Fitted(logistic(data, **theta).apply, ("one note",))

    noted = FusionMethod("noted", fit, grid=tuple(GRID), held_out="clients")
    held_out, own = fuse(example(5), example(6), fusion=noted).scores.notes
    assert isinstance(held_out, Note)
    assert (held_out.values, own) == ({"folds": 5, "units": "of clients"}, "one note")


def test_a_choice_needs_held_out_trials_to_choose_by() -> None:
    with pytest.raises(ParameterError, match="3 candidates"):
        FusionMethod("tuned", logistic, grid=tuple(GRID))
    with pytest.raises(ParameterError, match="held_out must be one of none, clients, within-clients, not 'all'"):
        FusionMethod("tuned", logistic, held_out="all")  # type: ignore[arg-type]


def test_a_class_that_is_missing_in_a_fold_is_an_error() -> None:
    claim = [0, 0, 1, 1, 2, 2]
    genuine = np.array([True, False, False, False, False, False])
    scores = np.arange(12.0).reshape(6, 2)
    dev = Trials.from_arrays(scores, genuine, systems=["a", "b"], claim=claim)
    with pytest.raises(TrialsError, match=r"there are 0 genuine and 4 impostor trials left.*use other than 3 folds"):
        fuse(dev, dev, fusion=METHOD, folds=3)
    folds = [np.array([True, False] * 3), np.array([False, True] * 3)]
    with pytest.raises(TrialsError, match="a fold needs trials of both classes; there is no genuine trial"):
        select_parameters(logistic, FusionData(scores, genuine), GRID, folds)


def test_bad_calls() -> None:
    data = FusionData(np.zeros((4, 2)), np.array([True, False, True, False]))
    half = np.array([True, True, False, False])
    with pytest.raises(ParameterError, match="at least one candidate"):
        select_parameters(logistic, data, [], [half, ~half])
    with pytest.raises(ParameterError, match="at least two folds; none was given"):
        select_parameters(logistic, data, GRID, [])
    with pytest.raises(TrialsError, match="held out in exactly one fold"):
        select_parameters(logistic, data, GRID, [half, half])
    with pytest.raises(ParameterError, match="at least 2 folds, not 1"):
        fuse(example(0), example(1), fusion=METHOD, folds=1)
    with pytest.raises(TrialsError, match="30 folds need at least as many individuals, but there are 20"):
        fuse(example(0), example(1), fusion=METHOD, folds=30)
