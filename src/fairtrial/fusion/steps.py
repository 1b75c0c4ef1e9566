"""What a fitted fusion does to scores, step by step: names of operations and the numbers fitted for them.

A fusion that is made of steps can be written to a file and read again without running any code from the file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairtrial.errors import TrialsError

Floats: TypeAlias = NDArray[np.float64]
Claims: TypeAlias = NDArray[np.int64] | None


@dataclass(frozen=True, slots=True)
class Operation:
    """What can be done to scores."""

    apply: Callable[..., Floats]
    by_client: bool = False
    """Whether its numbers differ from client to client; those of anybody else are in the last row."""
    linear: bool = False
    """Whether it is a weighted sum, by its number ``weights``."""


"""From scores, one row per trial, claims, and numbers by name, to other scores, one row per trial."""

_AT_ONCE = 4096
"""Trials whose distances from all support vectors are held in memory together."""


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One operation on scores, and the numbers that were fitted for it.

    Parameters
    ----------
    name
        One of `OPERATIONS`.
    numbers
        What the operation needs, by name.
    """

    name: str
    numbers: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    def __call__(self, scores: Floats, claim: Claims) -> Floats:
        """The scores after this step."""
        return self.operation.apply(scores, claim, **self.numbers)

    @property
    def operation(self) -> Operation:
        """What it does, whatever its numbers."""
        return OPERATIONS[self.name]


def run_steps(steps: Sequence[Step], scores: Floats, claim: Claims) -> Floats:
    """Do all steps one after the other."""
    for step in steps:
        scores = step(scores, claim)
    return scores


def _rows(claim: Claims) -> NDArray[np.int64]:
    if claim is None:
        raise TrialsError("this method fits something for each client and needs claim ids")
    return claim


def _scale(scores: Floats, claim: Claims, *, centre: Floats, scale: Floats) -> Floats:
    return np.asarray((scores - centre) / scale)


def _tanh(scores: Floats, claim: Claims, *, centre: Floats, scale: Floats) -> Floats:
    return np.asarray((np.tanh(0.01 * _scale(scores, claim, centre=centre, scale=scale)) + 1) / 2)


def _double_sigmoid(scores: Floats, claim: Claims, *, middle: Floats, left: Floats, right: Floats) -> Floats:
    distance = scores - middle
    exponent = -2 * distance / np.where(distance < 0, left, right)
    return np.asarray(1 / (1 + np.exp(np.clip(exponent, -700, 700))))


def _scale_by_client(scores: Floats, claim: Claims, *, centre: Floats, scale: Floats) -> Floats:
    rows = _rows(claim)
    return np.asarray((scores - centre[rows]) / scale[rows])


def _mean(scores: Floats, claim: Claims) -> Floats:
    # column by column: much faster than a mean over short rows
    total = scores[:, 0].copy()
    for column in scores.T[1:]:
        total += column
    return np.asarray(total / scores.shape[1])[:, None]


def _product(scores: Floats, claim: Claims) -> Floats:
    # a score below all dev scores may come out below 0
    return np.asarray(np.prod(np.maximum(scores, 0.0), axis=1, keepdims=True))


def _linear(scores: Floats, claim: Claims, *, weights: Floats, intercept: Floats) -> Floats:
    return np.asarray(scores @ weights + intercept)[:, None]


def _linear_by_client(scores: Floats, claim: Claims, *, weights: Floats) -> Floats:
    return np.asarray((scores * weights[_rows(claim)]).sum(axis=1))[:, None]


def _layer(scores: Floats, claim: Claims, *, weights: Floats, intercepts: Floats) -> Floats:
    return np.maximum(scores @ weights + intercepts, 0.0)


def _kernel(
    scores: Floats, claim: Claims, *, vectors: Floats, coefficients: Floats, gamma: Floats, intercept: Floats
) -> Floats:
    found = np.empty((len(scores), 1))
    squares = np.sum(vectors**2, axis=1)
    for start in range(0, len(scores), _AT_ONCE):
        part = scores[start : start + _AT_ONCE]
        distances = np.sum(part**2, axis=1)[:, None] + squares - 2 * part @ vectors.T
        found[start : start + _AT_ONCE, 0] = np.exp(-gamma * np.maximum(distances, 0.0)) @ coefficients + intercept
    return found


def _quadratic(scores: Floats, claim: Claims, *, means: Floats, whitening: Floats, constants: Floats) -> Floats:
    """The log density of the genuine Gaussian over that of the impostor one; classes in this order."""
    genuine, impostor = (
        constant - 0.5 * np.sum(((scores - mean) @ whiten) ** 2, axis=1)
        for mean, whiten, constant in zip(means, whitening, constants, strict=True)
    )
    return np.asarray(genuine - impostor)[:, None]


def _quadratic_by_client(
    scores: Floats, claim: Claims, *, means: Floats, whitening: Floats, constants: Floats
) -> Floats:
    """The same with Gaussians of each client's own: one row per client, classes in the order genuine, impostor."""
    rows = _rows(claim)
    found = np.zeros(len(scores))
    for which, sign in ((0, 1.0), (1, -1.0)):
        away = scores - means[rows, which]
        white = np.einsum("nk,nkj->nj", away, whitening[rows, which])
        found += sign * (constants[rows, which] - 0.5 * np.sum(white**2, axis=1))
    return found[:, None]


def _mixtures(scores: Floats, claim: Claims, **numbers: Floats) -> Floats:
    """The log density of the genuine mixture over that of the impostor one."""
    genuine, impostor = (
        _log_density(scores, *(numbers[f"{word}_{name}"] for name in ("weights", "means", "whitening")))
        for word in ("genuine", "impostor")
    )
    return np.asarray(genuine - impostor)[:, None]


def _log_density(scores: Floats, weights: Floats, means: Floats, whitening: Floats) -> Floats:
    """The log density of a mixture of Gaussians; whitening matrices are triangular, as Cholesky factors are."""
    from scipy.special import logsumexp

    parts = []
    for weight, mean, whiten in zip(weights, means, whitening, strict=True):
        squares = np.sum(((scores - mean) @ whiten) ** 2, axis=1)
        constant = np.log(weight) + np.sum(np.log(np.diag(whiten))) - 0.5 * scores.shape[1] * np.log(2 * np.pi)
        parts.append(constant - 0.5 * squares)
    return np.asarray(logsumexp(np.stack(parts), axis=0))


OPERATIONS: dict[str, Operation] = {
    "scale": Operation(_scale),
    "tanh": Operation(_tanh),
    "double-sigmoid": Operation(_double_sigmoid),
    "scale-by-client": Operation(_scale_by_client, by_client=True),
    "mean": Operation(_mean),
    "min": Operation(lambda scores, claim: scores.min(axis=1, keepdims=True)),
    "max": Operation(lambda scores, claim: scores.max(axis=1, keepdims=True)),
    "median": Operation(lambda scores, claim: np.median(scores, axis=1, keepdims=True)),
    "product": Operation(_product),
    "linear": Operation(_linear, linear=True),
    "linear-by-client": Operation(_linear_by_client, by_client=True, linear=True),
    "layer": Operation(_layer),
    "kernel": Operation(_kernel),
    "quadratic": Operation(_quadratic),
    "quadratic-by-client": Operation(_quadratic_by_client, by_client=True),
    "mixtures": Operation(_mixtures),
}
"""What can be done to scores, by name; the names are those of saved models and stay."""
