"""Operations by themselves; what fitted methods do with them is tested beside each method."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from fairtrial import TrialsError
from fairtrial.fusion.methods import OPERATIONS, Step, run_steps


def test_steps_are_done_one_after_the_other() -> None:
    steps = [Step("scale", {"centre": np.array([1.0, 2.0]), "scale": np.array([2.0, 4.0])}), Step("max")]
    assert run_steps(steps, np.array([[3.0, 4.0], [1.0, 10.0]]), None).tolist() == [[1.0], [2.0]]


def test_what_is_fitted_for_each_client_needs_to_know_the_client() -> None:
    step = Step("linear-by-client", {"weights": np.array([[1.0, 0.0], [0.5, 0.5]])})
    assert step.operation.by_client
    assert step(np.array([[2.0, 4.0], [2.0, 4.0]]), np.array([0, 1])).tolist() == [[2.0], [3.0]]
    with pytest.raises(TrialsError, match="needs claim ids"):
        step(np.array([[2.0, 4.0]]), None)


@given(arrays(np.float64, (7, 3), elements=st.floats(-1e6, 1e6)))
def test_fixed_rules_against_python(scores: np.ndarray) -> None:
    rules: dict[str, Any] = {"mean": lambda row: sum(row) / 3, "min": min, "max": max}
    rules["median"] = lambda row: sorted(row)[1]
    for name, rule in rules.items():
        expected = [[rule(row)] for row in scores.tolist()]
        np.testing.assert_allclose(OPERATIONS[name].apply(scores, None), expected, rtol=1e-9, atol=1e-6)


def test_kernel_in_parts_is_the_kernel_of_all() -> None:
    rng = np.random.default_rng(0)
    scores, vectors, coefficients = rng.normal(size=(5000, 2)), rng.normal(size=(20, 2)), rng.normal(size=20)
    numbers = {"vectors": vectors, "coefficients": coefficients, "gamma": np.array(0.7), "intercept": np.array(0.1)}
    found = OPERATIONS["kernel"].apply(scores, None, **numbers)[:, 0]
    squares = ((scores[:, None, :] - vectors) ** 2).sum(axis=2)
    np.testing.assert_allclose(found, np.exp(-0.7 * squares) @ coefficients + 0.1, atol=1e-10)
