"""Scores and labels as other libraries hand them over: arrays, lists, or tensors of any device."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairtrial.errors import ParameterError, TrialsError, listed
from fairtrial.tables import plural

Label: TypeAlias = str | float | bool
_KNOWN = ({0, 1}, {-1, 1})
"""Labels among which the larger one is plainly genuine."""


def flat(values: Any, what: str) -> NDArray[Any]:
    """An array of one value per trial, of a list, an array or a tensor; a column of one is taken as such."""
    if hasattr(values, "detach"):
        values = values.detach().cpu()
        if "bfloat16" in str(values.dtype):  # which NumPy does not know
            values = values.float()
    found = np.asarray(values)
    if found.ndim == 2 and found.shape[1] == 1:
        found = found[:, 0]
    if found.ndim != 1:
        raise TrialsError(f"{what} must be one value per trial, not of shape {found.shape}")
    return found


def genuine_of(labels: Any, genuine_label: Label | None) -> NDArray[np.bool_]:
    """Which trials are genuine.

    Parameters
    ----------
    labels
        One label per trial.
    genuine_label
        The label of genuine trials; None: 1 of 0 and 1 or of -1 and 1, or True.

    Raises
    ------
    ParameterError
        Labels that do not tell by themselves which are genuine.
    """
    found = flat(labels, "labels")
    if genuine_label is not None:
        return np.asarray(found == genuine_label)
    if found.dtype == np.bool_:
        return found
    distinct = set(np.unique(found).tolist())
    if not any(distinct <= known for known in _KNOWN):
        raise ParameterError(
            f"the labels are {listed(sorted(distinct, key=str))}; say which means genuine, as in genuine_label=..."
        )
    return np.asarray(found == 1)


def split_classes(scores: Any, labels: Any, genuine_label: Label | None) -> tuple[NDArray[Any], NDArray[Any]]:
    """The scores of genuine and of impostor trials."""
    values, genuine = flat(scores, "scores"), genuine_of(labels, genuine_label)
    if len(values) != len(genuine):
        raise TrialsError(f"there are {plural(len(values), 'score')} and {plural(len(genuine), 'label')}")
    return values[genuine], values[~genuine]
