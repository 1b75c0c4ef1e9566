"""Fixed rules: numpy on the scores; the mean over the whole protocol FP-2 from the scores to the error rates."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import multivariate_normal

from brute_force import points
from fairtrial import ParameterError, Trials, TrialsError
from fairtrial.benchmark.lausanne import load_lausanne
from fairtrial.benchmark.protocols import Experiment, list_experiments
from fairtrial.core.notes import Note
from fairtrial.fusion.combination import folds_within_clients, fuse_scores
from fairtrial.fusion.fusion import fuse
from fairtrial.fusion.methods import FUSIONS
from fairtrial.fusion.model import FusionData
from fairtrial.fusion.prediction import predict_fusions

Floats = NDArray[np.float64]
PAIRS = list_experiments(load_lausanne(), "fp-2")


def example(seed: int, *, systems: int = 3, shift: float = 0.0) -> Trials:
    rng = np.random.default_rng(seed)
    genuine = np.arange(120) < 40
    scores = rng.normal(genuine[:, None] * (1 + 0.4 * np.arange(systems)), 1, (120, systems)) + shift
    return Trials.from_arrays(scores, genuine, systems=[f"s{k}" for k in range(systems)])


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair.set} {' '.join(pair.systems)}")
def test_mean_on_fp_2_against_plain_numpy(pair: Experiment) -> None:
    one = next(one for one in load_lausanne().sets if one.name == pair.set)
    dev, test = ((t.column(pair.systems[0]) + t.column(pair.systems[1])) / 2 for t in (one.dev, one.test))
    genuine, impostor = np.sort(dev[one.dev.genuine]), np.sort(dev[~one.dev.genuine])
    candidates = np.concatenate([[-np.inf], np.unique(dev)])
    rejects = np.searchsorted(genuine, candidates, side="right")
    accepts = len(impostor) - np.searchsorted(impostor, candidates, side="right")
    unequal = np.abs(accepts * len(genuine) - rejects * len(impostor))
    total = accepts * len(genuine) + rejects * len(impostor)
    threshold = candidates[np.lexsort((candidates, total, unequal))[0]]
    frr = np.mean(test[one.test.genuine] <= threshold)
    far = np.mean(test[~one.test.genuine] > threshold)

    result = fuse(one.dev, one.test, systems=pair.systems, fusion="mean")
    assert result.scores.dev.column().tolist() == dev.tolist()
    assert result.scores.test.column().tolist() == test.tolist()
    assert result.evaluation.threshold == threshold
    found = result.evaluation.test
    assert (found.far, found.frr, found.hter) == pytest.approx((far, frr, (far + frr) / 2), rel=1e-12)


@pytest.mark.parametrize("systems", [2, 3, 4])
@pytest.mark.parametrize(
    ("name", "rule"),
    [("mean", np.mean), ("min", np.min), ("max", np.max), ("median", np.median), ("product", np.prod)],
)
def test_rule_against_numpy_row_by_row(name: str, rule: Callable[[Floats], float], systems: int) -> None:
    dev, test = example(0, systems=systems, shift=9), example(1, systems=systems, shift=9)
    fused = fuse_scores(dev, test, fusion=name)
    for part, before in ((fused.dev, dev), (fused.test, test)):
        assert part.column() == pytest.approx([float(rule(row)) for row in before.scores], rel=1e-12)


def equal_error(genuine: list[float], impostor: list[float]) -> float:
    """(FAR + FRR) / 2 where they are nearest, of all thresholds."""
    half = Fraction(1, 2)
    best = min(points(genuine, impostor), key=lambda p: (abs(p.far - p.frr), p.far + p.frr, p.threshold))
    return float(half * (best.far + best.frr))


def test_weighted_mean_has_weights_in_inverse_proportion_to_errors() -> None:
    dev, test = example(0), example(1)
    rates = [equal_error(column[dev.genuine].tolist(), column[~dev.genuine].tolist()) for column in dev.scores.T]
    assert len({*rates}) == 3
    weights = [1 / rate / sum(1 / other for other in rates) for rate in rates]
    fused = fuse_scores(dev, test, fusion="weighted-mean")
    expected = [sum(w * score for w, score in zip(weights, row, strict=True)) for row in test.scores.tolist()]
    assert fused.test.column() == pytest.approx(expected, rel=1e-12)
    assert fused.notes == ()
    shown = fuse(dev, test, fusion="weighted-mean").weights
    assert [own.weight for own in shown] == pytest.approx(weights)


def test_weights_of_systems_without_an_error_are_finite() -> None:
    genuine = np.arange(20) < 10
    perfect = np.where(genuine, 1.0, 0.0)
    poor = np.where(np.arange(20) % 2 == 0, 1.0, 0.0)
    fitted = FUSIONS["weighted-mean"].fit(FusionData(np.stack([perfect, poor], axis=1), genuine))
    weights = fitted.steps[0].numbers["weights"]
    # half of one genuine error in ten against an equal error rate of a half
    assert weights == pytest.approx([0.5 / (0.5 + 0.05), 0.05 / (0.5 + 0.05)])


def test_product_of_negative_scores_is_an_error() -> None:
    dev = example(0)
    with pytest.raises(ParameterError, match=f"{dev.scores.min():g}") as error:
        fuse_scores(dev, dev, fusion="product")
    assert error.value.code == "negative-scores"
    assert fuse_scores(dev, dev, fusion="product", normalise="min-max").dev.scores.min() >= 0


def test_product_takes_test_scores_below_all_dev_scores_as_0() -> None:
    dev = example(0)
    test = dev.rows(np.arange(2))
    test.scores[0, 0] = dev.scores[:, 0].min() - 1
    fused = fuse_scores(dev, test, fusion="product", normalise="min-max")
    assert fused.test.column()[0] == 0
    assert fused.test.column()[1] == fused.dev.column()[1]


def test_weighted_mean_needs_both_classes() -> None:
    dev = example(0)
    with pytest.raises(TrialsError, match="the weighted mean needs trials of both classes"):
        fuse_scores(dev.rows(dev.genuine), dev, fusion="weighted-mean")


METHODS = ("client-threshold", "client-scores", "client-weights", "client-qda")
CLIENTS = 8


def client_example(seed: int, *, clients: int = CLIENTS, genuine: int = 4, impostor: int = 12) -> Trials:
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
    dev, test = client_example(1), client_example(2)
    fused = fuse_scores(dev, test, fusion=name, inner_folds=4, rng=3)
    (note,) = fused.notes
    assert isinstance(note, Note)
    assert (note.code, note.values) == ("held-out", {"folds": 4, "units": "within clients"})
    assert fused.held_out == "within-clients"
    assert fused.test.column() == pytest.approx(ORACLES[name](dev, test), rel=1e-9, abs=1e-12)
    for held_out in folds_within_clients(dev, 4, 3):
        expected = ORACLES[name](dev.rows(~held_out), dev.rows(held_out))
        assert fused.dev.column()[held_out] == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_thresholds_of_their_own_help_where_clients_differ() -> None:
    dev, test = client_example(1, genuine=20, impostor=200), client_example(2, genuine=20, impostor=200)
    plain, own = (fuse(dev, test, fusion=name).evaluation.test.hter for name in ("mean", "client-threshold"))
    assert own < plain


@pytest.mark.parametrize("name", METHODS)
def test_clients_that_dev_does_not_know(name: str) -> None:
    dev, test = client_example(1), client_example(2, clients=CLIENTS + 2)
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
    dev, test = client_example(1), client_example(2)
    for a, b in ((True, False), (False, True), (False, False)):
        parts = [
            part if claims else Trials.from_arrays(part.scores, part.genuine, systems=part.systems)
            for part, claims in ((dev, a), (test, b))
        ]
        with pytest.raises(TrialsError) as error:
            fuse_scores(*parts, fusion=name)
        assert error.value.code == "no-claims"


def test_weights_of_a_system_that_separates_nobody_are_next_to_nothing() -> None:
    dev, test = client_example(1), client_example(2)
    for part in (dev, test):
        part.scores[:, 1] = -part.scores[:, 1]
    fused = fuse_scores(dev, test, fusion="client-weights")
    assert fused.test.column() == pytest.approx(test.column("face"), abs=1e-4)


def test_gaussians_of_systems_that_repeat_each_other() -> None:
    dev = client_example(1)
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
    dev = client_example(1)
    dev.scores[:, 1] = 0.1
    with pytest.raises(ParameterError, match="client-weights needs dev scores with some spread"):
        fuse_scores(dev, dev, fusion="client-weights")


def test_a_mean_that_is_the_same_for_all_trials_is_an_error() -> None:
    genuine = np.arange(12) < 4
    scores = np.where(genuine, 1.0, 0.0)[:, None] * [1.0, -1.0]
    same = Trials.from_arrays(scores, genuine, claim=np.arange(12) % 4)
    with pytest.raises(ParameterError, match="client-threshold: the mean of the systems is the same"):
        fuse_scores(same, same, fusion="client-threshold")


def of_scale(scale: float) -> Trials:
    rng = np.random.default_rng(0)
    genuine = rng.random(200) < 0.4
    scores = (rng.normal(size=(200, 2)) + genuine[:, None]) * scale
    return Trials.from_arrays(scores, genuine, systems=["a", "b"], claim=rng.integers(0, 20, 200).astype(str))


@pytest.mark.parametrize("name", FUSIONS)
def test_very_large_scores_are_fused_without_a_warning_or_refused(name: str) -> None:
    """Warnings are errors in these tests; squares of scores above 1e154 overflow."""
    if name not in ("product", "qda", "gmm"):
        trials = of_scale(9e98)
        assert np.isfinite(fuse(trials, trials, fusion=name).evaluation.threshold)
    for scale in (1e154, 1e300, 3e307):
        with pytest.raises(TrialsError) as caught:
            fuse(of_scale(scale), of_scale(scale), fusion=name, normalise="tanh")
        assert caught.value.code == "scores-too-large"


def test_predictions_of_very_large_scores_are_refused() -> None:
    with pytest.raises(TrialsError) as caught:
        predict_fusions(of_scale(1e200), of_scale(1e200))
    assert caught.value.code == "scores-too-large"


def test_scores_without_spread_in_double_precision_are_refused() -> None:
    with pytest.raises(ParameterError, match="lda cannot be fitted on these dev scores"):
        fuse(of_scale(1e-308), of_scale(1e-308), fusion="lda")
