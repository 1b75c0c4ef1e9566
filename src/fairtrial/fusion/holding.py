"""What is held out while a fusion is fitted, so that its dev scores are those of trials it has not seen."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairtrial.checks import as_generator
from fairtrial.errors import ParameterError, TrialsError
from fairtrial.folds import make_blocks
from fairtrial.ids import recode
from fairtrial.people import Cluster
from fairtrial.tables import plural
from fairtrial.trials import Trials

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
        Too few clients, or a fold without which a class has no trial.
    """
    cluster: Cluster = "claim" if "claim" in trials.ids else "none"
    return [block.held_out for block in make_blocks(trials, folds, cluster=cluster, rng=rng)]


def folds_within_clients(trials: Trials, folds: int, rng: np.random.Generator | int | None = 0) -> Folds:
    """Deal the trials of each client into folds, so that each is judged by what the client's other trials say.

    Genuine trials are dealt one by one. Impostor trials are dealt by the subject behind the probe, where that is known
    and not the same for all: nobody's attempts against a client are on both sides of a fold.

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
        Fewer than two folds, or a seed below 0.
    TrialsError
        No claim ids.

    Notes
    -----
    The impostors of a client are dealt in an order that is the same for all clients. Where everybody is tried by the
    same impostors, as many as folds or more, an impostor is therefore in the same fold for all clients.
    """
    if folds < 2:
        raise ParameterError(f"there must be at least 2 folds, not {folds}")
    if trials.claim is None:
        raise TrialsError("folds within clients need claim ids, which these trials do not have")
    generator = as_generator(rng)
    (claim,) = recode([trials.claim])
    each = np.arange(len(trials))
    subject = each if trials.subject is None else recode([trials.subject])[0]
    if len(np.unique(subject[~trials.genuine])) == 1:  # one id for all impostors tells nobody apart
        subject = each
    fold = np.empty(len(trials), dtype=np.int64)
    for rows, unit in ((trials.genuine, each), (~trials.genuine, subject)):
        fold[rows] = _deal(claim[rows], unit[rows], folds, generator)
    return [held_out for k in range(folds) if (held_out := fold == k).any()]


def _deal(claim: NDArray[np.int64], unit: NDArray[np.int64], folds: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """The fold of each trial: the units of each claim dealt in turn, all trials of a unit together."""
    size = 1 + int(unit.max(initial=0))
    rank = rng.permutation(size)
    pairs, place = np.unique(claim * size + rank[unit], return_inverse=True)
    _, first, count = np.unique(pairs // size, return_index=True, return_counts=True)
    # who has few begins where the last one ended, or the last folds would stay empty
    few = np.where(count < folds, count, 0)
    start = np.where(count < folds, np.cumsum(few) - few, 0)
    return np.asarray(((np.arange(len(pairs)) + np.repeat(start - first, count)) % folds)[place])


def held_out_at_once(claim: NDArray[np.int64], genuine: NDArray[np.bool_], folds: Folds) -> tuple[str, ...]:
    """Notes on the clients whose trials of one class are all in one fold, so that none is left to judge them by."""
    notes = []
    number = np.argmax(np.stack(folds), axis=0)
    for word, rows in (("genuine", genuine), ("impostor", ~genuine)):
        lowest = np.full(1 + int(claim.max(initial=0)), len(folds))
        highest = np.full_like(lowest, -1)
        np.minimum.at(lowest, claim[rows], number[rows])
        np.maximum.at(highest, claim[rows], number[rows])
        count = int(np.count_nonzero(lowest == highest))
        if count:
            notes.append(
                f"{plural(count, 'client')}: all {word} dev trials are held out at once, so the statistics of all "
                "clients take the place of their own"
            )
    return tuple(notes)
