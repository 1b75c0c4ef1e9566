"""The linear map of scores: a weighted sum and an offset."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairtrial.calibration.methods import Numbers
from fairtrial.errors import TrialsError
from fairtrial.spread import Floats


@dataclass(frozen=True, slots=True)
class Linear:
    """Log-likelihood ratios ``weights @ scores + offset``."""

    weights: tuple[float, ...]
    offset: float

    @classmethod
    def read(cls, numbers: Mapping[str, Any], systems: int) -> Linear:
        """The map of saved numbers."""
        weights = tuple(map(float, numbers["weights"]))
        if len(weights) != systems:
            raise ValueError("it has not one weight per system")
        return cls(weights, float(numbers["offset"]))

    @property
    def numbers(self) -> Numbers:
        """Weights and offset by name."""
        return {"weights": list(self.weights), "offset": self.offset}

    def ratios(self, scores: Floats) -> Floats:
        """The ratio of each trial.

        Raises
        ------
        TrialsError
            Infinite scores of two systems that contradict each other.
        """
        found = np.full(len(scores), self.offset)
        with np.errstate(invalid="ignore"):
            for weight, column in zip(self.weights, scores.T, strict=True):
                found += weight * column
        if np.isnan(found).any():
            raise TrialsError("infinite scores of two systems contradict each other; there is no ratio for them")
        return found

    def described(self, systems: tuple[str, ...]) -> dict[str, float]:
        """Every weight, and the offset."""
        weights = {f"weight of {name}": weight for name, weight in zip(systems, self.weights, strict=True)}
        return {**weights, "offset": self.offset}


@dataclass(frozen=True, slots=True, eq=False)
class LinearInfluence:
    """By how much each dev trial moves weights and offset."""

    by_parameter: Floats
    """One row per dev trial, one column per weight and one for the offset."""

    def moves(self, scores: Floats, slopes: Floats) -> Floats:
        """By how much each dev trial moves a figure; see `Influence`."""
        with np.errstate(invalid="ignore"):  # an infinite score has no slope to speak of
            by_weight = np.nan_to_num(scores * slopes[:, None], posinf=0.0, neginf=0.0).sum(axis=0)
        return np.asarray(self.by_parameter @ np.append(by_weight, slopes.sum()))


def turned_notes(weights: Floats) -> tuple[str, ...]:
    """What is to be said where the evidence of a single system falls as its score rises."""
    if len(weights) == 1 and weights[0] < 0:
        return ("evidence falls as the score rises: are the scores distances? Then they are to be negated",)
    return ()
