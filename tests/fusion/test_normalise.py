"""Normalisations: plain formulas on dev scores, a loop over clients for those of each client."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from brute_force import best
from fairtrial import ParameterError, Trials, TrialsError
from fairtrial.core.notes import Note, as_note
from fairtrial.fusion.combination import fuse_scores
from fairtrial.fusion.methods import FusionMethod
from fairtrial.fusion.model import Fitted, FusionData
from fairtrial.fusion.normalise import NORMALISATIONS, PER_CLAIM, fit_normalisation, spread_of

Floats = NDArray[np.float64]
GLOBAL = tuple(name for name in NORMALISATIONS if name not in PER_CLAIM)
CLIENTS = 6


def example(seed: int = 0, *, genuine: int = 4, impostor: int = 9) -> FusionData:
    """Two systems on different scales, clients with effects of their own."""
    rng = np.random.default_rng(seed)
    claim = np.concatenate([np.repeat(np.arange(CLIENTS), genuine), np.repeat(np.arange(CLIENTS), impostor)])
    flags = np.arange(len(claim)) < CLIENTS * genuine
    quality = 2.5 * flags[:, None] + rng.normal(size=(len(claim), 2)) + 0.4 * rng.normal(size=(CLIENTS, 2))[claim]
    return FusionData(quality * [1.0, 40.0] + [0.0, 300.0], flags, claim, CLIENTS)


def as_trials(data: FusionData, *, claims: bool = True) -> Trials:
    claim = data.claim if claims else None
    return Trials.from_arrays(data.scores, data.genuine, systems=["a", "b"], claim=claim)


def nothing(genuine: Floats, impostor: Floats, scores: Floats) -> Floats:
    return scores


def z(genuine: Floats, impostor: Floats, scores: Floats) -> Floats:
    return np.asarray((scores - np.mean(impostor)) / np.std(impostor))


def min_max(genuine: Floats, impostor: Floats, scores: Floats) -> Floats:
    low, high = min(*genuine, *impostor), max(*genuine, *impostor)
    return np.asarray((scores - low) / (high - low))


def median_mad(genuine: Floats, impostor: Floats, scores: Floats) -> Floats:
    every = np.concatenate([genuine, impostor])
    median = np.median(every)
    return np.asarray((scores - median) / np.median(np.abs(every - median)))


def tanh(genuine: Floats, impostor: Floats, scores: Floats) -> Floats:
    return 0.5 * (np.tanh(0.01 * (scores - np.mean(genuine)) / np.std(genuine)) + 1)


def double_sigmoid(genuine: Floats, impostor: Floats, scores: Floats) -> Floats:
    def cost(far: Fraction, frr: Fraction, alpha: Fraction) -> Fraction:
        return abs(far - frr)

    middle = best(genuine.tolist(), impostor.tolist(), cost, Fraction(1, 2)).threshold
    left, right = middle - min(genuine), max(impostor) - middle
    return np.array([1 / (1 + np.exp(-2 * (s - middle) / (left if s < middle else right))) for s in scores])


FORMULAS: dict[str, Callable[[Floats, Floats, Floats], Floats]] = {
    "none": nothing,
    "z": z,
    "min-max": min_max,
    "median-mad": median_mad,
    "tanh": tanh,
    "double-sigmoid": double_sigmoid,
}


def test_every_normalisation_has_a_formula_here() -> None:
    assert set(FORMULAS) == set(GLOBAL)
    assert set(BY_CLIENT) == set(PER_CLAIM)


@pytest.mark.parametrize("name", GLOBAL)
@pytest.mark.parametrize("seed", range(3))
def test_formula_of_jain_nandakumar_ross_2005_system_by_system(name: str, seed: int) -> None:
    dev, test = example(seed), example(seed + 100)
    fitted = fit_normalisation(name, dev)
    for part in (dev, test):
        found = fitted.apply(part.scores, part.claim)
        for k in range(2):
            column = dev.scores[:, k]
            expected = FORMULAS[name](column[dev.genuine], column[~dev.genuine], part.scores[:, k])
            assert found[:, k] == pytest.approx(expected, rel=1e-9, abs=1e-12)


def statistics(data: FusionData, client: int, system: int) -> tuple[float, float, float, float]:
    """Genuine mean, impostor mean and impostor deviation of a client, deviation of all genuine scores, by loops."""
    assert data.claim is not None
    rows = range(len(data.genuine))
    column = data.scores[:, system]
    everyone = [column[i] for i in rows if data.genuine[i]]
    own = [column[i] for i in rows if data.genuine[i] and data.claim[i] == client]
    others = [column[i] for i in rows if not data.genuine[i] and data.claim[i] == client]
    genuine = (np.mean(own) + np.mean(everyone)) / 2 if own else np.mean(everyone)
    if len({*others}) < 2:
        others = [column[i] for i in rows if not data.genuine[i]]
    return float(genuine), float(np.mean(others)), float(np.std(others)), float(np.std(everyone))


def z_norm(score: float, genuine: float, impostor: float, sd: float, spread: float) -> float:
    return (score - impostor) / sd


def f_norm(score: float, genuine: float, impostor: float, sd: float, spread: float) -> float:
    return (score - impostor) / (genuine - impostor)


def eer_norm(score: float, genuine: float, impostor: float, sd: float, spread: float) -> float:
    return score - (genuine * sd + impostor * spread) / (sd + spread)


BY_CLIENT: dict[str, Callable[[float, float, float, float, float], float]] = {
    "z-norm": z_norm,
    "f-norm": f_norm,
    "eer-norm": eer_norm,
}


def by_loops(name: str, dev: FusionData, part: FusionData) -> Floats:
    assert part.claim is not None
    return np.array(
        [
            [BY_CLIENT[name](score, *statistics(dev, int(client), k)) for k, score in enumerate(row)]
            for row, client in zip(part.scores, part.claim, strict=True)
        ]
    )


@pytest.mark.parametrize("name", PER_CLAIM)
def test_client_by_client_against_loops(name: str) -> None:
    dev, test = example(), example(7)
    fitted = fit_normalisation(name, dev)
    assert fitted.client_notes == ()
    for part in (dev, test):
        assert fitted.apply(part.scores, part.claim) == pytest.approx(by_loops(name, dev, part), rel=1e-9)


def without(data: FusionData, rows: NDArray[np.bool_]) -> FusionData:
    return data.rows(~rows)


@pytest.mark.parametrize("name", PER_CLAIM)
def test_clients_of_whom_dev_says_little_against_loops(name: str) -> None:
    dev, test = example(), example(7)
    assert dev.claim is not None
    first = np.cumsum((dev.claim == 2) & ~dev.genuine) == 1
    dev = without(
        dev,
        ((dev.claim == 1) & dev.genuine) | ((dev.claim == 2) & ~dev.genuine & ~first) | (dev.claim == 5),
    )
    fitted = fit_normalisation(name, dev)
    assert [(note.code, note.about, note.values) for note in map(as_note, fitted.client_notes)] == [
        ("clients-without-genuine", name, {"clients": 1}),
        ("clients-with-few-impostors", name, {"clients": 1}),
        ("clients-not-in-dev", name, {"clients": 1}),
    ]
    for part in (dev, test):
        assert fitted.apply(part.scores, part.claim) == pytest.approx(by_loops(name, dev, part), rel=1e-9)


@pytest.mark.parametrize("value", [0.1, 0.3, 1 / 3, 1e9 + 0.1])
def test_equal_scores_of_a_client_have_no_spread_whatever_is_rounded(value: float) -> None:
    dev = example()
    assert dev.claim is not None
    dev.scores[(dev.claim == 3) & ~dev.genuine, 0] = value
    fitted = fit_normalisation("z-norm", dev)
    assert [(note.code, note.values) for note in map(as_note, fitted.client_notes)] == [
        ("clients-with-few-impostors", {"clients": 1})
    ]
    assert np.abs(fitted.apply(dev.scores, dev.claim)).max() < 1e3


def test_people_of_neither_set_are_not_counted_as_unknown() -> None:
    dev, test = as_trials(example()), as_trials(example(7))
    assert dev.claim is not None
    numbers = np.array([int(name) for name in dev.claim.decode()])
    fused = fuse_scores(dev.rows(numbers < 3), test.rows((numbers < 2) | (numbers == 5)), normalise="z-norm")
    (note,) = fused.notes[1:]
    assert isinstance(note, Note)
    assert (note.code, note.values) == ("clients-not-in-dev", {"clients": 1})


def first_system() -> FusionMethod:
    """A fusion that shows what it was given."""
    return FusionMethod("first", lambda data: Fitted(lambda scores, claim: scores[:, 0]))


@pytest.mark.parametrize("name", NORMALISATIONS)
def test_nothing_is_learnt_from_test_scores(name: str) -> None:
    dev, test = example(), example(7)
    changed = test.with_scores(test.scores.copy())
    changed.scores[1:] = 5 * changed.scores[1:] + 1000
    settings: dict[str, Any] = {"fusion": first_system(), "normalise": name}
    once = fuse_scores(as_trials(dev), as_trials(test), **settings)
    again = fuse_scores(as_trials(dev), as_trials(changed), **settings)
    assert once.dev.scores.tolist() == again.dev.scores.tolist()
    assert once.test.scores[0] == again.test.scores[0]
    if name not in PER_CLAIM:  # whose dev scores are held out
        same = fuse_scores(as_trials(dev), as_trials(dev), **settings)
        assert same.test.scores.tolist() == once.dev.scores.tolist()


@pytest.mark.parametrize("name", [name for name in NORMALISATIONS if name != "none"])
def test_a_system_without_spread_is_an_error(name: str) -> None:
    dev = example()
    dev.scores[:, 1] = 0.1  # whose mean is not 0.1 but nearly
    with pytest.raises(ParameterError, match="system 2") as error:
        fit_normalisation(name, dev)
    assert error.value.code == "no-spread"


def test_equal_impostor_scores_are_an_error_where_their_deviation_counts() -> None:
    dev = example()
    dev.scores[~dev.genuine, 0] = 0.7
    for name in ("z", "z-norm"):
        with pytest.raises(ParameterError, match="system 1") as error:
            fit_normalisation(name, dev)
        assert error.value.code == "no-spread"
    assert np.isfinite(fit_normalisation("eer-norm", dev).apply(dev.scores, dev.claim)).all()


def test_classes_that_do_not_overlap_stay_apart_by_double_sigmoid() -> None:
    flags = np.arange(8) < 4
    scores = np.where(flags, 10.0, 0.0)[:, None] + np.arange(8)[:, None] / 10
    found = fit_normalisation("double-sigmoid", FusionData(scores, flags)).apply(scores, None)[:, 0]
    assert found[~flags].max() < found[flags].min()
    assert ((found >= 0) & (found <= 1)).all()
    far = fit_normalisation("double-sigmoid", FusionData(scores, flags)).apply(np.array([[-1e9], [1e9]]), None)
    assert far[:, 0] == pytest.approx([0, 1])


def test_f_norm_needs_genuine_scores_above_impostor_scores() -> None:
    dev = example()
    with pytest.raises(ParameterError, match=r"f-norm needs genuine scores above impostor scores.*negate"):
        fit_normalisation("f-norm", dev.with_scores(-dev.scores))


@pytest.mark.parametrize("name", PER_CLAIM)
def test_trials_without_claims(name: str) -> None:
    dev = as_trials(example(), claims=False)
    with pytest.raises(TrialsError) as fused:
        fuse_scores(dev, dev, normalise=name)
    fitted = fit_normalisation(name, example())
    with pytest.raises(TrialsError) as applied:
        fitted.apply(dev.scores.astype(np.float64), None)
    assert fused.value.code == applied.value.code == "no-claims"


@pytest.mark.parametrize("name", [name for name in NORMALISATIONS if name != "none"])
def test_one_class_only(name: str) -> None:
    dev = example()
    with pytest.raises(TrialsError, match=f"the normalisation {name} needs trials of both classes.*no genuine trial"):
        fit_normalisation(name, dev.rows(~dev.genuine))
    with pytest.raises(TrialsError, match="no impostor trial"):
        fit_normalisation(name, dev.rows(dev.genuine))


def test_a_name_that_is_not_known() -> None:
    with pytest.raises(ParameterError, match="none, z, min-max"):
        fit_normalisation("zz", example())


def test_f_norm_of_a_client_whose_genuine_scores_are_low_takes_the_distance_of_all() -> None:
    rng = np.random.default_rng(5)
    claim = np.repeat(np.arange(20), 12)
    genuine = np.tile(np.arange(12) < 2, 20)
    scores = rng.normal(3.0 * genuine, 1.0)
    scores[(claim == 7) & genuine] = -9.0  # half their own mean and half that of all lie below their impostors
    data = FusionData(scores[:, None], genuine, claim, 20)
    fitted = fit_normalisation("f-norm", data)
    assert [(note.code, note.values) for note in map(as_note, fitted.client_notes)] == [
        ("clients-close", {"clients": 1})
    ]
    everyone = scores[genuine].mean() - scores[~genuine].mean()
    own = (claim == 7) & ~genuine
    expected = (scores[own] - scores[own].mean()) / everyone
    assert fitted.apply(scores[own][:, None], claim[own])[:, 0] == pytest.approx(expected)


def test_spread_is_exactly_0_if_all_scores_are_equal() -> None:
    scores = np.array([[1.0, 0.1], [3.0, 0.1], [5.0, 0.1]])
    assert spread_of(scores).tolist() == [np.std([1.0, 3.0, 5.0]), 0.0]
