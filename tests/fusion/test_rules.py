"""Fixed rules: numpy on the scores; the mean over the whole protocol FP-2 from the scores to the error rates."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from brute_force import points
from fairtrial import ParameterError, Trials, TrialsError
from fairtrial.benchmark.lausanne import load_lausanne
from fairtrial.benchmark.protocols import Experiment, list_experiments
from fairtrial.fusion.combination import fuse_scores
from fairtrial.fusion.fusion import fuse
from fairtrial.fusion.rules import inverse_error_weights

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
    weights = inverse_error_weights(np.stack([perfect, poor], axis=1), genuine)
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
