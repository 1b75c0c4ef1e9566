"""Fusion methods: fitted steps, held-out folds, and the registry."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import ParameterError, TrialsError, as_generator, check_choice
from fairtrial.core.ids import recode
from fairtrial.core.notes import Note
from fairtrial.core.registry import Registry
from fairtrial.core.trials import Trials
from fairtrial.inference.folds import make_blocks
from fairtrial.inference.people import Cluster

Floats: TypeAlias = NDArray[np.float64]
Claims: TypeAlias = NDArray[np.int64] | None


@dataclass(frozen=True, slots=True)
class Operation:
    """What can be done to scores."""

    apply: Callable[..., Floats]
    """From scores, one row per trial, claims, and numbers by name, to other scores, one row per trial."""
    by_client: bool = False
    """Whether its numbers differ from client to client; those of anybody else are in the last row."""
    linear: bool = False
    """Whether it is a weighted sum, by its number ``weights``."""


_AT_ONCE = 4096
"""Number of trials whose distances from all support vectors are in memory at once."""


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
        raise TrialsError("this method is fitted for each client and needs claim ids", code="no-claims")
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
    """The same with Gaussians for each client: one row per client, classes in the order genuine, impostor."""
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


HeldOut: TypeAlias = Literal["none", "clients", "within-clients"]
"""``none``: dev scores are those of the trials a fusion was fitted on. ``clients``: in each fold all trials of some
clients are held out. ``within-clients``: in each fold some trials of every client are, and all clients are known."""

Folds: TypeAlias = list[NDArray[np.bool_]]
"""Which trials are held out in each fold; together all of them, each once."""


def client_folds(trials: Trials, folds: int, rng: np.random.Generator | int | None = 0) -> Folds:
    """Deal clients into folds; without claim ids, trials.

    Parameters
    ----------
    trials
        Dev trials.
    folds
        How many folds.
    rng
        A seed; the same seed gives the same folds.

    Returns
    -------
    list of ndarray
        For each fold, which trials are held out: all those of a client together.

    Raises
    ------
    TrialsError
        If there are too few clients, or one fold has all trials of a class.
    """
    cluster: Cluster = "claim" if "claim" in trials.ids else "none"
    return [block.held_out for block in make_blocks(trials, folds, cluster=cluster, rng=rng)]


def folds_within_clients(trials: Trials, folds: int, rng: np.random.Generator | int | None = 0) -> Folds:
    """Deal the trials of each client into folds, so that each is scored by a fit on the client's other trials.

    Genuine trials are dealt one by one. Impostor trials are dealt by subject, if subjects are known and not all the
    same: nobody's attempts against a client are on both sides of a fold.

    Parameters
    ----------
    trials
        Dev trials with claim ids.
    folds
        How many folds.
    rng
        A seed; the same seed gives the same folds.

    Returns
    -------
    list of ndarray
        For each fold, which trials are held out.

    Raises
    ------
    ParameterError
        If there are fewer than two folds, or the seed is below 0.
    TrialsError
        If there are no claim ids.

    Notes
    -----
    The impostors of a client are dealt in an order that is the same for all clients. Where everybody is tried by the
    same impostors, as many as folds or more, an impostor is therefore in the same fold for all clients.
    """
    if folds < 2:
        raise ParameterError(f"there must be at least 2 folds, not {folds}")
    if trials.claim is None:
        raise TrialsError("folds within clients need claim ids", code="no-claims")
    generator = as_generator(rng)
    (claim,) = recode([trials.claim])
    each = np.arange(len(trials))
    subject = each if trials.subject is None else recode([trials.subject])[0]
    if len(np.unique(subject[~trials.genuine])) == 1:  # one id for all impostors identifies nobody
        subject = each
    fold = np.empty(len(trials), dtype=np.int64)
    for rows, unit in ((trials.genuine, each), (~trials.genuine, subject)):
        fold[rows] = _deal(claim[rows], unit[rows], folds, generator)
    return [held_out for k in range(folds) if (held_out := fold == k).any()]


def _deal(claim: NDArray[np.int64], unit: NDArray[np.int64], folds: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Give the fold of each trial: the units of each claim are dealt in turn, all trials of a unit together."""
    size = 1 + int(unit.max(initial=0))
    rank = rng.permutation(size)
    pairs, place = np.unique(claim * size + rank[unit], return_inverse=True)
    _, first, count = np.unique(pairs // size, return_index=True, return_counts=True)
    # a claim with few units starts where the last one ended, or the last folds would stay empty
    few = np.where(count < folds, count, 0)
    start = np.where(count < folds, np.cumsum(few) - few, 0)
    return np.asarray(((np.arange(len(pairs)) + np.repeat(start - first, count)) % folds)[place])


def held_out_at_once(claim: NDArray[np.int64], genuine: NDArray[np.bool_], folds: Folds) -> list[Note]:
    """Note the clients whose trials of one class are all in one fold, which leaves none to fit on."""
    notes = []
    number = np.argmax(np.stack(folds), axis=0)
    for word, rows in (("genuine", genuine), ("impostor", ~genuine)):
        lowest = np.full(1 + int(claim.max(initial=0)), len(folds))
        highest = np.full_like(lowest, -1)
        np.minimum.at(lowest, claim[rows], number[rows])
        np.maximum.at(highest, claim[rows], number[rows])
        count = int(np.count_nonzero(lowest == highest))
        if count:
            template = (
                "{count:plural client}: all {kind} dev trials are held out at once, so the statistics of all clients "
                "are used"
            )
            notes.append(Note("clients-held-out", template, count=count, kind=word))
    return notes


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
        """Raise an error if there are no trials of one class to fit on."""
        if not self.genuine.any() or self.genuine.all():
            word = "genuine" if not self.genuine.any() else "impostor"
            raise TrialsError(f"{what} needs trials of both classes; there is no {word} trial to fit on")


_LARGE, _SMALLER = 1e150, 2.0**-600
"""From here on, scores overflow when squared, unless they are scaled down first."""


def spread_of(scores: Floats) -> Floats:
    """Compute the standard deviation of each system; exactly 0 if all scores are equal, whatever the rounding."""
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
        What a reader should know of clients with too few trials. They hold for this fit only: those of the fits in
        folds are not reported.
    steps
        What `apply` does, as names and numbers; without them the fusion cannot be saved.
    """

    apply: Apply
    notes: tuple[Note | str, ...] = ()
    client_notes: tuple[Note | str, ...] = ()
    steps: tuple[Step, ...] = ()

    @classmethod
    def of(cls, steps: Sequence[Step], notes: Sequence[Note] = (), client_notes: Sequence[Note] = ()) -> Fitted:
        """Fuse by these steps one after the other; the last one gives the fused scores."""
        done = tuple(steps)
        return cls(lambda scores, claim: run_steps(done, scores, claim)[:, 0], tuple(notes), tuple(client_notes), done)


@dataclass(frozen=True, slots=True, eq=False)
class FusionMethod:
    """A way to make one score of several.

    Parameters
    ----------
    name : str
        Its name.
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
        If there are hyper-parameters to choose from, and nothing is held out to choose by.

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
                "{name} has {count} candidates to choose from and holds no trials out to choose by; say {held_out!o}",
                name=self.name,
                count=len(self.grid),
                held_out="clients",
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
