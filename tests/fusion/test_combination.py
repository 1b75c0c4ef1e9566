"""The whole way of a fusion: gains, missing scores, ids, and what is refused."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import inf, isnan
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from fairtrial import FairtrialError, ParameterError, Trials, TrialsError, equal_error_rate, evaluate
from fairtrial.core.notes import Note
from fairtrial.core.trials import Ids
from fairtrial.counting import count_errors
from fairtrial.fusion.combination import client_folds, folds_within_clients, fuse_scores, select_parameters
from fairtrial.fusion.fusion import fuse, fusion_gain, mean_gain
from fairtrial.fusion.methods import FUSIONS, FusionMethod
from fairtrial.fusion.model import Fitted, FusionData, Missing
from fairtrial.fusion.normalise import PER_CLAIM, fit_normalisation
from fairtrial.rules import choose_thresholds


def example(seed: int = 0, *, systems: tuple[str, ...] = ("face", "voice", "gait")) -> Trials:
    rng = np.random.default_rng(seed)
    claim = np.concatenate([np.repeat(np.arange(10), 4), np.repeat(np.arange(10), 12)])
    subject = np.concatenate([np.repeat(np.arange(10), 4), 100 + np.tile(np.arange(12), 10)])
    genuine = claim == subject
    scores = rng.normal(1.6 * genuine[:, None], 1, (len(claim), 3))[:, : len(systems)]
    probe = [f"probe{k}" for k in range(len(claim))]
    return Trials.from_arrays(
        scores, genuine, systems=systems, claim=claim, subject=subject, probe=probe, notes=["as recorded"]
    )


def test_gain_by_equations_9_and_10() -> None:
    gain = fusion_gain(0.02, [0.03, 0.05, 0.1])
    assert gain.beta_mean == pytest.approx(0.06 / 0.02)
    assert gain.beta_min == pytest.approx(0.03 / 0.02)
    assert gain.note is None
    worse = fusion_gain(0.1, [0.05, 0.1])
    assert (worse.beta_mean, worse.beta_min) == pytest.approx((0.75, 0.5))


def test_gain_of_a_fusion_without_errors_is_infinite_and_noted() -> None:
    gain = fusion_gain(0.0, [0.03, 0.05])
    assert (gain.beta_mean, gain.beta_min) == (inf, inf)
    assert gain.note is not None
    assert gain.note.code == "infinite-gain"
    beside = fusion_gain(0.0, [0.0, 0.05])
    assert beside.beta_mean == inf
    assert isnan(beside.beta_min)
    assert beside.note is not None
    assert beside.note.code == "no-gain"
    nothing = fusion_gain(0.0, [0.0, 0.0])
    assert isnan(nothing.beta_mean)
    assert isnan(nothing.beta_min)
    assert nothing.note is not None
    assert nothing.note.code == "no-gain"


def test_a_mean_of_gains_is_that_of_the_finite_ones() -> None:
    assert mean_gain([1.0, 4.0]) == (2.5, 0)
    assert mean_gain([1.0, inf, float("nan"), 4.0]) == (2.5, 2)
    mean, left_out = mean_gain([inf])
    assert (isnan(mean), left_out) == (True, 1)


def test_gain_needs_a_baseline() -> None:
    with pytest.raises(ParameterError, match="at least one baseline"):
        fusion_gain(0.1, [])


def test_a_fusion_is_evaluated_as_any_system_and_so_are_its_baselines() -> None:
    dev, test = example(0), example(1)
    result = fuse(dev, test, systems=["voice", "face"], criterion="wer-min", alpha=0.7, confidence=0.9)
    means = [(part.column("voice") + part.column("face")) / 2 for part in (dev, test)]
    fused = [
        Trials(m[:, None], t.genuine, ("x",), claim=t.claim, subject=t.subject)
        for m, t in zip(means, (dev, test), strict=True)
    ]
    expected = evaluate(*fused, criterion="wer-min", alpha=0.7, confidence=0.9)
    found = result.evaluation
    assert found.intervals[0] == result.evaluation.interval()
    assert (found.threshold, found.dev, found.test) == (expected.threshold, expected.dev, expected.test)
    assert found.intervals == expected.intervals
    assert (found.criterion.name, found.alpha, found.kind) == ("wer-min", 0.7, "a priori")
    assert [base.system for base in result.baselines] == ["voice", "face"]
    for base in result.baselines:
        alone = evaluate(dev, test, systems=base.system, criterion="wer-min", alpha=0.7, confidence=0.9)
        assert [base.to_dict()] == alone.to_dict()["systems"]
        assert base.interval() == alone.interval()
    rates = [base.test.hter for base in result.baselines]
    assert result.gain.beta_mean == pytest.approx(sum(rates) / 2 / found.test.hter)
    assert result.gain.beta_min == pytest.approx(min(rates) / found.test.hter)


def test_no_error_at_all_is_infinite_gain_in_the_result_and_its_notes() -> None:
    genuine = np.arange(20) < 8
    base = np.where(genuine, 1.0, 0.0)[:, None] + np.zeros((20, 2))
    base[0, 0], base[1, 1] = -0.5, -0.5
    trials = Trials.from_arrays(base, genuine, systems=["a", "b"])
    result = fuse(trials, trials)
    # each system rejects one genuine trial or accepts all impostors; together they reject none
    assert min(b.test.hter for b in result.baselines) > 0
    assert result.evaluation.test.hter == 0
    found = result.to_dict()
    assert (found["beta_mean"], found["beta_min"]) == (inf, inf)
    assert "infinite-gain" in [note["code"] for note in found["notes"]]


def test_fused_trials_keep_ids_and_notes_and_are_named_for_what_they_are_made_of() -> None:
    dev, test = example(0), example(1)
    fused = fuse_scores(dev, test, systems=["face", "gait"], fusion="max")
    assert fused.name == "max(face + gait)"
    assert fused.systems == ("face", "gait")
    for part, before in ((fused.dev, dev), (fused.test, test)):
        assert part.systems == ("max(face + gait)",)
        assert part.notes == ("as recorded",)
        assert part.genuine is before.genuine
        assert list(part.ids) == ["claim", "subject", "probe"]
        for role, ids in before.ids.items():
            assert part.ids[role].same_as(ids)


def test_all_systems_by_default_and_only_those_asked_for() -> None:
    dev, test = example(0), example(1)
    assert fuse_scores(dev, test).systems == ("face", "voice", "gait")
    two = fuse_scores(dev, test, systems=["gait", "face"])
    assert two.test.column() == pytest.approx((test.column("gait") + test.column("face")) / 2)


def test_test_trials_may_have_their_systems_in_another_order_and_more_of_them() -> None:
    dev, test = example(0).select(["face", "voice"]), example(1).select(["gait", "voice", "face"])
    once = fuse(dev, test, systems=["face", "voice"])
    again = fuse(example(0), example(1), systems=["face", "voice"])
    assert once.to_dict() == again.to_dict()


def lacking(trials: Trials) -> Trials:
    """Three trials lack a score, one of them two."""
    scores = trials.scores.copy()
    scores[2, 0] = scores[60, 1] = scores[61, 0] = scores[61, 1] = -inf
    return replace(trials, scores=scores)


def test_missing_scores_are_an_error_by_default() -> None:
    with pytest.raises(TrialsError) as error:
        fuse_scores(lacking(example(0)), lacking(example(1)))
    assert error.value.code == "missing-scores"
    assert str(error.value).startswith("6 trials")
    # a system that is not fused may lack scores
    assert fuse_scores(lacking(example(0)), example(1), systems=["voice", "gait"], missing="reject").notes
    assert fuse_scores(lacking(example(0)).select(["voice", "gait"]).rows(np.arange(60)), example(1)).notes == ()


def test_missing_scores_that_reject() -> None:
    fused = fuse_scores(lacking(example(0)), lacking(example(1)), missing="reject")
    (note,) = fused.notes
    assert isinstance(note, Note)
    assert (note.code, note.values) == ("missing-scores", {"count": 6, "policy": "reject"})
    for part, before in ((fused.dev, example(0)), (fused.test, example(1))):
        rejected = part.column() == -inf
        assert np.flatnonzero(rejected).tolist() == [2, 60, 61]
        assert part.column()[~rejected] == pytest.approx(before.scores[~rejected].mean(axis=1))


def test_missing_scores_that_are_neutral_take_the_dev_threshold_of_their_system() -> None:
    dev, test = lacking(example(0)), lacking(example(1))
    fused = fuse_scores(dev, test, missing="neutral")
    (note,) = fused.notes
    assert isinstance(note, Note)
    assert (note.code, note.values) == ("missing-scores", {"count": 6, "policy": "neutral"})
    neutral = []
    for column in dev.scores.T:
        known = np.isfinite(column)
        candidates = [-inf, *column[known]]
        gaps = []
        for t in candidates:
            far, frr = np.mean(column[known & ~dev.genuine] > t), np.mean(column[known & dev.genuine] <= t)
            gaps.append((round(abs(far - frr), 12), far + frr, t))
        neutral.append(min(gaps)[2])
    for part, before in ((fused.dev, dev), (fused.test, test)):
        filled = np.where(np.isfinite(before.scores), before.scores, neutral)
        assert part.column() == pytest.approx(filled.mean(axis=1))


@pytest.mark.parametrize("fusion", ["mean", "logistic", "svm-linear", "client-scores"])
@pytest.mark.parametrize("missing", ["reject", "neutral"])
def test_missing_scores_with_every_kind_of_fusion(fusion: str, missing: Missing) -> None:
    result = fuse(
        lacking(example(0)), lacking(example(1)), fusion=fusion, normalise="z", missing=missing, inner_folds=3
    )
    lost = ~np.isfinite(result.scores.test.column())
    assert np.flatnonzero(lost).tolist() == ([2, 60, 61] if missing == "reject" else [])
    # the baselines reject what they have no score for
    assert result.baselines[0].test.false_rejects >= 1


def test_a_neutral_score_of_a_system_with_equal_scores_is_that_score() -> None:
    dev = example(0)
    dev.scores[:, 1] = 0.25
    broken = lacking(dev)
    fused = fuse_scores(broken, broken, systems=["voice", "gait"], missing="neutral")
    expected = (0.25 + np.where(np.isfinite(broken.column("gait")), broken.column("gait"), 0)) / 2
    assert fused.dev.column() == pytest.approx(expected)


def test_a_system_without_any_score_for_a_class() -> None:
    dev = example(0)
    dev.scores[dev.genuine, 0] = -inf
    with pytest.raises(TrialsError, match="no score for a whole class of dev trials; leave it out"):
        fuse_scores(dev, example(1), missing="neutral")


def test_dev_as_test_is_a_posteriori_also_where_dev_scores_are_held_out() -> None:
    dev = example(0)
    for fusion in ("mean", "svm-linear"):
        result = fuse(dev, dev, fusion=fusion, inner_folds=3)
        assert result.evaluation.kind == "a posteriori"
        assert any("dev and test are the same trials" in str(note) for note in result.notes)
        assert result.to_dict()["test"]["kind"] == "a posteriori"


def test_the_threshold_is_the_criterions_on_the_fused_dev_scores() -> None:
    dev, test = example(0), example(1)
    fused = fuse_scores(dev, test, normalise="z")
    result = fuse(dev, test, normalise="z")
    chosen = choose_thresholds(fused.dev, "wer-equal", 0.5)[0].scalar()
    assert result.evaluation.threshold == chosen.threshold
    assert result.evaluation.test == count_errors(fused.test, chosen.threshold).scalar()
    assert result.evaluation.dev_eer is not None
    assert result.evaluation.dev_eer.value == equal_error_rate(fused.dev).value


def test_contract_of_to_dict() -> None:
    found = fuse(example(0), example(1), systems=["face", "voice"], normalise="z").to_dict()
    assert {"fusion", "normalise", "systems", "threshold", "test", "baselines", "beta_mean", "beta_min"} <= set(found)
    assert (found["fusion"], found["normalise"], found["systems"]) == ("mean", "z", ["face", "voice"])
    assert {"far", "frr", "hter", "false_accepts", "interval", "intervals", "kind"} <= set(found["test"])
    assert [entry["system"] for entry in found["baselines"]] == ["face", "voice"]
    assert all(0 < entry["hter"] < 0.5 for entry in found["baselines"])


@pytest.mark.parametrize(
    ("options", "error", "code"),
    [
        ({"systems": ["face"]}, TrialsError, "one-system"),
        ({"systems": "face"}, TrialsError, "one-system"),
        ({"systems": []}, TrialsError, "one-system"),
        ({"systems": ["face", "face"]}, ParameterError, "named-twice"),
        ({"systems": ["face", "iris"]}, TrialsError, "trials"),
        ({"fusion": "magic"}, ParameterError, "unknown"),
        ({"normalise": "magic"}, ParameterError, "unknown"),
        ({"criterion": "magic"}, ParameterError, "unknown"),
        ({"missing": "magic"}, ParameterError, "unknown"),
        ({"alpha": 2}, ParameterError, "parameter"),
        ({"confidence": 1.5}, ParameterError, "parameter"),
        ({"fusion": "svm-linear", "rng": -1}, ParameterError, "parameter"),
    ],
)
def test_what_is_refused(options: dict[str, Any], error: type[FairtrialError], code: str) -> None:
    with pytest.raises(error) as caught:
        fuse(example(0), example(1), **options)
    assert caught.value.code == code


def test_a_method_of_ones_own_needs_no_registration() -> None:
    def fit(data: Any, **parameters: Any) -> Fitted:
        weights = np.array([0.5, 0.3, 0.2])

        def apply(scores: NDArray[np.float64], claim: Any) -> NDArray[np.float64]:
            return np.asarray(scores @ weights)

        return Fitted(apply, ("by hand",))

    test = example(1)
    result = fuse(example(0), test, fusion=FusionMethod("hand", fit))
    assert result.scores.test.column() == pytest.approx(test.scores @ [0.5, 0.3, 0.2])
    assert "hand(face + voice + gait): by hand" in map(str, result.notes)


def test_progress_sums_to_one() -> None:
    done: list[float] = []
    fuse(example(0), example(1), fusion="svm-linear", inner_folds=3, progress=done.append)
    assert len(done) == 3 * 3 + 1
    assert sum(done) == pytest.approx(1.0)


Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
GRID = [{"C": c} for c in (1e-5, 1e-3, 1e-1)]


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    """Threads only wait for each other in matrices of two columns."""
    with threadpool_limits(1):
        yield


def small_example(seed: int, *, clients: int = 20) -> Trials:
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
    dev, test = small_example(seed), small_example(seed + 50)
    folds = client_folds(dev, count, rng=seed)
    theta, delta, risk, error = risk_estimation(GRID, folds, dev, test)
    chosen = select_parameters(logistic, FusionData(dev.scores.astype(np.float64), dev.genuine), GRID, folds)
    assert chosen.best.parameters == theta
    assert chosen.best.counts.threshold == pytest.approx(delta, rel=1e-9)
    assert chosen.best.counts.hter == pytest.approx(risk)
    result = fuse(dev, test, fusion=METHOD, inner_folds=count, rng=seed)
    assert result.scores.parameters == theta
    assert result.scores.cross_validated
    assert result.evaluation.threshold == pytest.approx(delta, rel=1e-9)
    assert result.evaluation.dev is not None
    assert result.evaluation.dev.hter == pytest.approx(risk)
    assert result.evaluation.test.hter == pytest.approx(error)


def test_every_candidate_is_reported_and_the_first_of_equals_is_taken() -> None:
    dev = small_example(0)
    data = FusionData(dev.scores.astype(np.float64), dev.genuine)
    grid = [{"C": 1.0}, {"C": 1.0}, {"C": 1e-5}]
    chosen = select_parameters(logistic, data, grid, client_folds(dev, 4))
    assert [candidate.parameters for candidate in chosen.candidates] == grid
    assert chosen.candidates[0].counts == chosen.candidates[1].counts
    assert chosen.best is chosen.candidates[0]


def test_each_client_is_scored_by_what_was_fitted_without_them() -> None:
    """A fusion that knows whom it was fitted on, and says so by its scores."""
    dev = small_example(2)
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
    result = fuse(dev, dev, fusion=spy, inner_folds=5)
    assert [len(clients) for clients in seen] == [16] * 10 + [20]
    face = 0.01 * dev.column("face")
    assert result.scores.dev.column() == pytest.approx(face)
    assert result.scores.test.column() == pytest.approx(1 + face)


def test_normalisation_is_fitted_without_the_held_out_fold() -> None:
    dev, test = small_example(3), small_example(4)
    folds = client_folds(dev, 3)
    expected = np.empty(len(dev))
    for fold in folds:
        rest, labels = dev.scores[~fold], dev.genuine[~fold]
        mean, sd = rest[~labels].mean(axis=0), rest[~labels].std(axis=0)
        expected[fold] = train({"C": 1.0}, (rest - mean) / sd, labels).decision_function((dev.scores[fold] - mean) / sd)
    method = FusionMethod("tuned", logistic, grid=({"C": 1.0}, {"C": 1.0}), held_out="clients")
    found = fuse(dev, test, fusion=method, normalise="z", inner_folds=3).scores
    assert found.dev.column() == pytest.approx(expected, rel=1e-9)


def test_notes_of_the_folds_are_told_once() -> None:
    def fit(data: FusionData, **theta: float) -> Fitted:
        return Fitted(logistic(data, **theta).apply, ("one note",))

    noted = FusionMethod("noted", fit, grid=tuple(GRID), held_out="clients")
    held_out, own = fuse(small_example(5), small_example(6), fusion=noted).scores.notes
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
        fuse(dev, dev, fusion=METHOD, inner_folds=3)
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
        fuse(small_example(0), small_example(1), fusion=METHOD, inner_folds=1)
    with pytest.raises(TrialsError, match="30 folds need at least as many individuals, but there are 20"):
        fuse(small_example(0), small_example(1), fusion=METHOD, inner_folds=30)


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
    dev = small_example(1)
    folds = client_folds(dev, 5)
    assert np.sum(folds, axis=0).tolist() == [1] * len(dev)
    assert dev.claim is not None
    for client in range(20):
        own = dev.claim.decode() == str(client)
        assert sum(bool(fold[own].any()) for fold in folds) == 1
        assert sum(bool(fold[own].all()) for fold in folds) == 1
    assert [int(fold.sum()) for fold in folds] == [4 * 13] * 5


def test_folds_of_trials_without_claims_and_their_seed() -> None:
    dev = Trials.from_arrays(small_example(1).scores, small_example(1).genuine)
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
    dev = small_example(1)
    folds = folds_within_clients(dev, 5)
    for client in set(names(dev, "claim")):
        own = names(dev, "claim") == client
        assert [int((fold & own & ~dev.genuine).sum()) for fold in folds] == [2] * 5
    assert np.array_equal(folds, folds_within_clients(dev, 5, rng=0))
    assert not np.array_equal(folds, folds_within_clients(dev, 5, rng=1))


def test_folds_within_clients_that_cannot_be() -> None:
    dev = small_example(1)
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
    fused = fuse_scores(dev, test, fusion=first_system(method), normalise=name, inner_folds=3, rng=5)
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
    assert result.evaluation.dev is not None
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


@pytest.mark.parametrize("fusion", ["qda", "svm-rbf", "gmm", "mlp", "client-threshold", "client-qda"])
def test_order_of_rows_does_not_matter(fusion: str) -> None:
    """Folds, subsets and fits go by sorted ids: shuffled dev rows give the same fused scores."""
    dev, test = crossed(0), crossed(1)
    order = np.random.default_rng(5).permutation(len(dev))
    shuffled = dev.rows(order)
    assert dev.claim is not None
    shuffled = replace(shuffled, claim=Ids.of(dev.claim.decode()[order]))
    fused, again = (fuse_scores(part, test, fusion=fusion) for part in (dev, shuffled))
    assert again.dev.column().tolist() == fused.dev.column()[order].tolist()
    assert again.test.column().tolist() == fused.test.column().tolist()
    assert again.parameters == fused.parameters
