"""What a fusion is made of: scores of several systems, something fitted on dev, a registry of methods."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from fairtrial.checks import check_choice
from fairtrial.errors import ParameterError, TrialsError
from fairtrial.fusion.holding import HeldOut
from fairtrial.fusion.steps import Claims, Floats, Step, run_steps
from fairtrial.plugins import Registry


@dataclass(frozen=True, slots=True, eq=False)
class FusionData:
    """Scores of the systems to be fused, one row per trial and one column per system."""

    scores: Floats
    genuine: NDArray[np.bool_]
    claim: Claims = None
    """The claimed identity of each trial as a number; the same number means the same identity in dev and test."""
    claims: int = 0
    """How many identities dev knows; all others have this as their number."""
    strangers: int = 0
    """How many others there are in test."""

    def rows(self, which: NDArray[np.bool_]) -> FusionData:
        """Some of the trials."""
        claim = None if self.claim is None else self.claim[which]
        return replace(self, scores=self.scores[which], genuine=self.genuine[which], claim=claim)

    def with_scores(self, scores: Floats) -> FusionData:
        """The same trials with other scores."""
        return replace(self, scores=scores)

    def check_classes(self, what: str) -> None:
        """Raise an error where there are no trials of one class to fit on."""
        if not self.genuine.any() or self.genuine.all():
            word = "genuine" if not self.genuine.any() else "impostor"
            raise TrialsError(f"{what} needs trials of both classes; there is no {word} trial to fit on")


_LARGE, _SMALLER = 1e150, 2.0**-600
"""Scores from here on cannot be squared, unless they are made smaller first."""


def spread_of(scores: Floats) -> Floats:
    """The standard deviation of each system; exactly 0 where all scores are equal, whatever the machine rounds."""
    # a power of two, which changes no digit
    scale = np.where(np.abs(scores).max(axis=0, initial=0.0) > _LARGE, _SMALLER, 1.0)
    return np.where(scores.min(axis=0) == scores.max(axis=0), 0.0, (scores * scale).std(axis=0) / scale)


Apply: TypeAlias = Callable[[Floats, Claims], Floats]
"""From scores, one row per trial, and claims to fused scores; higher means genuine."""


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """What was fitted on dev trials, to be applied to any trials.

    Parameters
    ----------
    apply
        From scores and claims to fused scores.
    notes
        What a reader should know.
    client_notes
        What a reader should know of clients of whom the trials say too little. It holds for the trials of this fit: of
        the parts that are fitted in folds it is not told.
    steps
        What `apply` does, as names and numbers, where it can be said so: only then can it be saved.
    """

    apply: Apply
    notes: tuple[str, ...] = ()
    client_notes: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()

    @classmethod
    def of(cls, steps: Sequence[Step], notes: Sequence[str] = (), client_notes: Sequence[str] = ()) -> Fitted:
        """What does these steps one after the other; the last one gives the fused scores."""
        done = tuple(steps)
        return cls(lambda scores, claim: run_steps(done, scores, claim)[:, 0], tuple(notes), tuple(client_notes), done)


@dataclass(frozen=True, slots=True, eq=False)
class FusionMethod:
    """A way to make one score of several.

    Parameters
    ----------
    name : str
        What it is called.
    fit : callable
        ``fit(data, **parameters)`` on dev trials.
    summary : str, default ""
        What it does, in a few words.
    grid : tuple of dict, default ({},)
        The values of its hyper-parameters to choose from by Algorithm 1 of Poh & Bengio 2006; one: nothing to choose.
    held_out : {"none", "clients", "within-clients"}, default "none"
        How the fused dev scores, and so the threshold, come about. ``none``: they are those of the trials it was fitted
        on. ``clients``: those of clients it was not fitted on, fold by fold. ``within-clients``: it fits something for
        each client, so it needs claim ids and gets them in the data, and each trial is scored by what was fitted on
        other trials of the same client.
    takes_scores_as_they_are : bool, default False
        Whether a system with scores of a wide range outweighs the others, so that scores should be normalised first.

    Raises
    ------
    ParameterError
        Hyper-parameters to choose from while nothing is held out to choose by.

    Examples
    --------
    >>> from fairtrial import FUSIONS
    >>> FUSIONS["mean"].held_out
    'none'
    """

    name: str
    fit: Callable[..., Fitted]
    summary: str = ""
    grid: tuple[Mapping[str, Any], ...] = field(default_factory=lambda: ({},))
    held_out: HeldOut = "none"
    takes_scores_as_they_are: bool = False

    def __post_init__(self) -> None:
        check_choice("held_out", self.held_out, get_args(HeldOut))
        if len(self.grid) > 1 and self.held_out == "none":
            raise ParameterError(
                f"{self.name} has {len(self.grid)} candidates to choose from and holds no trials out to choose by; "
                'say held_out="clients"'
            )


FUSIONS: Registry[FusionMethod] = Registry("fusion", "fusions", FusionMethod)
"""The fusion methods by their names."""


def register_fusion(method: FusionMethod) -> FusionMethod:
    """Make a fusion method known by its name, to the command line too.

    Parameters
    ----------
    method : FusionMethod
        The method; one of the same name is replaced.

    Returns
    -------
    FusionMethod
        The same.

    Examples
    --------
    >>> from dataclasses import replace
    >>> register_fusion(replace(FUSIONS["mean"], name="average")).name in FUSIONS
    True
    >>> del FUSIONS["average"]
    """
    FUSIONS[method.name] = method
    return method


def as_fusion(fusion: str | FusionMethod) -> FusionMethod:
    """A fusion method by its name, or itself."""
    return fusion if isinstance(fusion, FusionMethod) else FUSIONS.find(fusion)
