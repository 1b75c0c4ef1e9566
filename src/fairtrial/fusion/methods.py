"""What a fusion is made of: scores of several systems, something fitted on dev, a registry of methods."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairtrial.errors import ParameterError, TrialsError, shown

Floats: TypeAlias = NDArray[np.float64]
Claims: TypeAlias = NDArray[np.int64] | None


@dataclass(frozen=True, slots=True, eq=False)
class FusionData:
    """Scores of the systems to be fused, a row a trial and a column a system."""

    scores: Floats
    genuine: NDArray[np.bool_]
    claim: Claims = None
    """The claimed identity of each trial as a number; the same number means the same identity in dev and test."""
    claims: int = 0
    """How many identities there are, in dev and test together."""

    def rows(self, which: NDArray[np.bool_]) -> FusionData:
        """Some of the trials."""
        claim = None if self.claim is None else self.claim[which]
        return FusionData(self.scores[which], self.genuine[which], claim, self.claims)

    def with_scores(self, scores: Floats) -> FusionData:
        """The same trials with other scores."""
        return FusionData(scores, self.genuine, self.claim, self.claims)

    def check_classes(self, what: str) -> None:
        """Raise an error where there are no trials of one class to fit on."""
        if not self.genuine.any() or self.genuine.all():
            word = "genuine" if not self.genuine.any() else "impostor"
            raise TrialsError(f"{what} needs trials of both classes, and there is no {word} one to fit on")


def spread_of(scores: Floats) -> Floats:
    """The standard deviation of each system; exactly 0 where all scores are equal, whatever the machine rounds."""
    return np.where(scores.min(axis=0) == scores.max(axis=0), 0.0, scores.std(axis=0))


Apply: TypeAlias = Callable[[Floats, Claims], Floats]
"""From scores, a row a trial, and claims to fused scores; higher means genuine."""


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """What was fitted on dev trials, to be applied to any; with notes on what a reader should know."""

    apply: Apply
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class FusionMethod:
    """A way to make one score of several.

    Parameters
    ----------
    fit
        ``fit(data, **parameters)`` on dev trials.
    grid
        The values of its hyper-parameters to choose from by Algorithm 1 of Poh & Bengio 2006; one: nothing to choose.
    needs_claim
        Whether it fits something for each client; only then the data hold claims.
    held_out
        Whether the fused dev scores, and so the threshold, are those of held-out folds even if there is nothing to
        choose; they always are where there is.
    """

    name: str
    fit: Callable[..., Fitted]
    summary: str = ""
    grid: tuple[Mapping[str, Any], ...] = field(default_factory=lambda: ({},))
    needs_claim: bool = False
    held_out: bool = False

    @property
    def cross_validated(self) -> bool:
        """Whether Algorithm 1 is followed: there is something to choose, or dev scores are to be held out."""
        return self.held_out or len(self.grid) > 1


FUSIONS: dict[str, FusionMethod] = {}
"""The fusion methods by their names."""


def register_fusion(method: FusionMethod) -> FusionMethod:
    """Make a fusion method known by its name, to the command line too."""
    FUSIONS[method.name] = method
    return method


def as_fusion(fusion: str | FusionMethod) -> FusionMethod:
    """A fusion method by its name, or itself."""
    if isinstance(fusion, FusionMethod):
        return fusion
    if fusion not in FUSIONS:
        raise ParameterError(f"there is no fusion {shown(fusion)}; there are {', '.join(FUSIONS)}")
    return FUSIONS[fusion]
