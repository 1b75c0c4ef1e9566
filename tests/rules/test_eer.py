"""The equal error rate by each of its definitions."""

import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray

from fairtrial import ParameterError, equal_error_rate
from fairtrial.rules.eer import EerDefinition
from strategies import score_arrays

Pair = tuple[NDArray[np.floating], NDArray[np.floating]]

FIVE = ([0.9, 0.7, 0.5, 0.35, 0.2], [0.8, 0.45, 0.4, 0.3, 0.1])


@pytest.mark.parametrize(
    ("definition", "value"),
    [("step-mean", 0.5), ("step-low", 0.0), ("step-high", 1.0), ("interpolated", 0.5), ("rocch", 0.5)],
)
def test_all_scores_equal(definition: EerDefinition, value: float) -> None:
    assert equal_error_rate((np.ones(7), np.ones(3)), definition=definition).value == value


def test_steps_and_hull_differ_on_five_and_five() -> None:
    assert equal_error_rate(FIVE).value == 0.4
    # the hull goes from (FA, FR) = (4, 0) to (1, 2): they meet at 8/5 of 5
    assert equal_error_rate(FIVE, definition="rocch").value == 0.32


@given(score_arrays())
def test_definitions_bound_each_other(scores: Pair) -> None:
    low, mean, high = (equal_error_rate(scores, definition=d).value for d in ("step-low", "step-mean", "step-high"))
    assert low <= mean <= high
    assert mean == pytest.approx((low + high) / 2)
    hull, line = (equal_error_rate(scores, definition=d).value for d in ("rocch", "interpolated"))
    assert hull <= line + 1e-12
    assert 0 <= hull <= 1


@given(score_arrays(max_size=12))
def test_interpolated_against_a_dense_walk_along_the_roc(scores: Pair) -> None:
    genuine, impostor = scores
    candidates = np.unique(np.concatenate([[-np.inf], genuine, impostor]))
    far = np.array([(impostor > t).mean() for t in candidates])
    frr = np.array([(genuine <= t).mean() for t in candidates])
    # scores of -inf are never accepted, so the curve may begin beyond equality; then there is no crossing
    if far[0] < frr[0]:
        return
    steps = np.linspace(0, 1, 4001)
    walk = [
        (far[k] + steps * (far[k + 1] - far[k]), frr[k] + steps * (frr[k + 1] - frr[k])) for k in range(len(far) - 1)
    ] or [(far, frr)]
    all_far, all_frr = (np.concatenate(part) for part in zip(*walk, strict=True))
    nearest = np.argmin(np.abs(all_far - all_frr))
    assert equal_error_rate(scores, definition="interpolated").value == pytest.approx(all_far[nearest], abs=2e-3)


def test_unknown_definition() -> None:
    with pytest.raises(ParameterError, match="must be one of step-mean"):
        equal_error_rate(FIVE, definition="mean")  # type: ignore[arg-type]


def test_result_says_a_posteriori_and_where() -> None:
    result = equal_error_rate(FIVE).to_dict()
    assert result["kind"] == "a posteriori"
    assert (result["threshold"], result["far"], result["frr"]) == (0.4, 0.4, 0.4)
