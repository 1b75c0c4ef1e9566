"""Small simulated sets of trials: clients who try again and again, impostors who try all of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fairtrial import Trials


def crossed(
    rng: np.random.Generator,
    *,
    clients: int = 50,
    impostors: int = 25,
    attempts: int = 4,
    systems: Sequence[str] = ("a", "b"),
    separation: float = 2.0,
    effect: float = 0.0,
    correlation: float = 0.0,
    start: int = 0,
    effects: NDArray[np.float64] | None = None,
) -> Trials:
    """Clients against themselves and every impostor against every client; all systems are equally good.

    Every person adds an effect of their own to every score they take part in, one per system. Errors of the systems
    on a trial are correlated. People are numbered from `start`, impostors from 10,000 later. The same `effects`, one
    row per person, make two sets of the same people.
    """
    names = start + np.arange(clients)
    others = 10_000 + start + np.arange(impostors)
    claim = np.concatenate([np.repeat(names, attempts), np.repeat(names, impostors)])
    subject = np.concatenate([np.repeat(names, attempts), np.tile(others, clients)])
    genuine = claim == subject
    people = np.zeros((start + 10_000 + clients + impostors, len(systems)))
    each = np.concatenate([names, others])
    people[each] = effect * rng.normal(size=(len(each), len(systems))) if effects is None else effects
    noise = rng.normal(size=(len(claim), len(systems)))
    shared = rng.normal(size=(len(claim), 1))
    noise = np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * noise
    scores = separation * genuine[:, None] + noise + people[claim] + np.where(genuine[:, None], 0, people[subject])
    return Trials.from_arrays(scores, genuine, systems=list(systems), claim=claim, subject=subject)


def without_ids(trials: Trials) -> Trials:
    """The same trials, nothing said of who takes part."""
    return Trials(trials.scores, trials.genuine, trials.systems)


def strangers(trials: Trials) -> Trials:
    """The same trials, everybody by another name."""
    claim, subject = (["new " + person for person in trials.ids[role].decode()] for role in ("claim", "subject"))
    return Trials.from_arrays(trials.scores, trials.genuine, systems=trials.systems, claim=claim, subject=subject)


def texts_of(trials: Trials, column: str) -> NDArray[np.object_]:
    """What a further column of trials says, one text per trial."""
    found = trials.columns[column]
    assert not isinstance(found, np.ndarray)
    return found.decode().astype(object)
