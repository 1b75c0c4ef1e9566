"""Scores and labels as other libraries hand them over."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fairtrial import ParameterError, TrialsError
from fairtrial.learning.scorers import Label, flat, genuine_of, split_classes


class Tensor:
    """What a tensor of torch that is trained, on another device, asks for before it is an array."""

    def __init__(self, values: list[float], dtype: str = "torch.float32", done: tuple[str, ...] = ()) -> None:
        self.values, self.dtype, self.done = values, dtype, done

    def detach(self) -> Tensor:
        return Tensor(self.values, self.dtype, (*self.done, "detach"))

    def cpu(self) -> Tensor:
        return Tensor(self.values, self.dtype, (*self.done, "cpu"))

    def float(self) -> Tensor:
        return Tensor(self.values, "torch.float32", self.done)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        if self.done != ("detach", "cpu") or self.dtype == "torch.bfloat16":
            raise TypeError("as torch says")
        return np.array(self.values, dtype=dtype)


def test_tensors_arrays_lists_and_columns_are_taken() -> None:
    for values in ([1.0, 2.0], np.array([1.0, 2.0]), np.array([[1.0], [2.0]])):
        assert flat(values, "scores").tolist() == [1, 2]
    for tensor in (Tensor([1.0, 2.0]), Tensor([1.0, 2.0], "torch.bfloat16")):
        assert flat(tensor, "scores").tolist() == [1, 2]
    with pytest.raises(TrialsError, match=r"scores must be one value per trial, not of shape \(2, 2\)"):
        flat(np.zeros((2, 2)), "scores")


@pytest.mark.parametrize(
    ("labels", "genuine"),
    [([0, 1, 1], None), ([-1, 1, 1], None), ([False, True, True], None), ([0.0, 1.0, 1.0], None), (list("nyy"), "y")],
)
def test_labels_of_genuine_trials(labels: list[Any], genuine: Label | None) -> None:
    assert genuine_of(labels, genuine).tolist() == [False, True, True]


@pytest.mark.parametrize("labels", [[1, 2], ["no", "yes"], [0, 1, 2], [-1, 0]])
def test_labels_that_do_not_tell_are_asked_about(labels: list[Any]) -> None:
    with pytest.raises(ParameterError, match="say which means genuine, as in genuine_label="):
        genuine_of(labels, None)


def test_scores_and_labels_must_fit() -> None:
    with pytest.raises(TrialsError, match="there are 3 scores and 2 labels"):
        split_classes([1, 2, 3], [0, 1], None)
