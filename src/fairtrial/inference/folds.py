"""Folds of one set of trials: thresholds for each block come from trials of other people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import ParameterError, TrialsError, as_generator, check_number
from fairtrial.core.notes import Note
from fairtrial.core.trials import Trials, TrialsLike, trials_of
from fairtrial.core.words import plural
from fairtrial.counting.tallies import ArraySource, ScoreSource
from fairtrial.inference.people import Cluster, people_of, resolve_cluster


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Trials that are judged together, and the trials that set their threshold.

    Attributes
    ----------
    folds : tuple of (int, int)
        The folds of the people in these trials.
    first, second : ndarray of int
        The folds of the two people of every trial of the whole set, shape (trials,).

    Examples
    --------
    >>> import numpy as np
    >>> block = Block((0, 0), np.array([0, 0, 1]), np.array([0, 1, 1]))
    >>> block.held_out, block.others
    (array([ True, False, False]), array([False, False,  True]))
    """

    folds: tuple[int, int]
    first: NDArray[np.int64]
    second: NDArray[np.int64]

    def __repr__(self) -> str:
        i, j = self.folds
        folds = f"fold {i}" if i == j else f"folds {i} and {j}"
        return f"<Block: {folds}, {int(self.held_out.sum()):,} of {plural(len(self.first), 'trial')} held out>"

    @property
    def held_out(self) -> NDArray[np.bool_]:
        """The trials that are judged."""
        i, j = self.folds
        return np.asarray(((self.first == i) & (self.second == j)) | ((self.first == j) & (self.second == i)))

    @property
    def others(self) -> NDArray[np.bool_]:
        """The trials that set the threshold: those without people of these folds."""
        return ~np.isin(self.first, self.folds) & ~np.isin(self.second, self.folds)


def make_blocks(
    trials: TrialsLike, folds: int, *, cluster: Cluster | None = None, rng: np.random.Generator | int | None = 0
) -> list[Block]:
    """Deal people into folds and make the blocks of trials to be judged.

    A trial may involve two people. With ``cluster="both"`` its threshold comes from trials without people of their two
    folds, so that K folds make up to K (K + 1) / 2 blocks and every trial is judged once.

    Parameters
    ----------
    trials : Trials or data frame
        Trials, or a data frame of them.
    folds : int
        The number of folds that people are dealt into.
    cluster : {"none", "claim", "subject", "both"}, optional
        What dependent trials share: the claimed identity, the subject, both or nothing; by default all ids that are
        known. Folds do not split it.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result.

    Returns
    -------
    list of Block
        The blocks; every trial is judged in at most one.

    Raises
    ------
    ParameterError
        If there are fewer than two folds.
    TrialsError
        If there are no ids or too few people, or the other trials of a block lack a class.

    Examples
    --------
    >>> from fairtrial import Trials
    >>> claim = ["a", "a", "b", "b", "c", "c", "d", "d"]
    >>> trials = Trials.from_arrays([0.9, 0.2, 0.8, 0.1, 0.7, 0.3, 0.6, 0.4], [True, False] * 4, claim=claim)
    >>> [int(block.held_out.sum()) for block in make_blocks(trials, 2)]
    [4, 4]
    """
    trials = trials_of(trials, "trials")
    first, second = folds_of_trials(trials, folds, cluster, rng)
    pairs = np.unique(np.minimum(first, second) * folds + np.maximum(first, second))
    blocks = [Block((int(pair) // folds, int(pair) % folds), first, second) for pair in pairs]
    for block in blocks:
        _check_classes(trials, block.others, folds, crossed=block.folds[0] != block.folds[1])
    return blocks


def with_fold_note(trials: Trials, folds: int, blocks: Sequence[Block], cluster: Cluster | None) -> Trials:
    """Add a note of the number of folds, the people in them and the number of blocks."""
    shared = resolve_cluster(trials, cluster)
    people = len(np.unique(np.concatenate(people_of(trials, shared))))
    who = {"none": "trials", "claim": "claims", "subject": "subjects", "both": "people"}[shared]
    template = "{folds:plural fold} of {people:count} {who}, {blocks:plural block}"
    note = Note("folds", template, detail=True, folds=folds, people=people, who=who, blocks=len(blocks))
    return trials.with_notes(note)


def make_halves(
    trials: Trials, *, cluster: Cluster | None = None, rng: np.random.Generator | int | None = 0
) -> list[Block]:
    """Deal people into two halves, each judged by a threshold from the other; for Dietterich's 5x2cv test.

    Trials between people of different halves are left out: there is no third half to set a threshold for them.

    Parameters
    ----------
    cluster, rng
        As in `make_blocks`.

    Raises
    ------
    TrialsError
        If there are no ids, or a half lacks genuine or impostor trials.
    """
    first, second = folds_of_trials(trials, 2, cluster, rng)
    blocks = [Block((half, half), first, second) for half in range(2)]
    for block in blocks:
        classes = ("genuine", trials.genuine), ("impostor", ~trials.genuine)
        missing = [name for name, rows in classes if not np.any(rows & block.held_out)]
        if missing:
            raise TrialsError(
                f"half of the people have no {' and no '.join(missing)} trial among themselves: halves need more people"
            )
    return blocks


def fold_of_trials(blocks: Sequence[Block]) -> NDArray[np.int64]:
    """Return the fold in which each trial is judged: of two folds that of its claim, -1 if it is in no block."""
    first, second = blocks[0].first, blocks[0].second
    judged = np.zeros((1 + max(first.max(), second.max()),) * 2, dtype=bool)
    for block in blocks:
        judged[block.folds] = judged[block.folds[::-1]] = True
    return np.where(judged[first, second], first, -1)


def block_sources(
    trials: Trials, blocks: Sequence[Block], *, system: str | None = None
) -> Iterator[tuple[ScoreSource, ScoreSource]]:
    """Yield the scores that set the threshold of each block, and those that are judged."""
    scores = trials.column(system)
    for block in blocks:
        others, held_out = (
            unchecked_source(scores[rows], trials.genuine[rows]) for rows in (block.others, block.held_out)
        )
        yield others, held_out


def unchecked_source(scores: NDArray[np.floating], genuine: NDArray[np.bool_]) -> ScoreSource:
    """Make a source of scores that may be of one class only, as held-out trials may be."""
    positive = int(np.count_nonzero(genuine))
    return ArraySource(((scores, genuine),), positive, len(genuine) - positive)


def check_all_held_out(blocks: Sequence[Block]) -> None:
    """Check that every trial is in a block."""
    judged = np.any([block.held_out for block in blocks], axis=0)
    if not judged.all():
        template = (
            "every trial is to be judged by a fit to other people, but {trials:count} trials are in no block; "
            "make_blocks(...) deals out all"
        )
        raise TrialsError(template, code="not-in-a-block", trials=int(np.count_nonzero(~judged)))


def folds_of_trials(
    trials: Trials, folds: int, cluster: Cluster | None, rng: np.random.Generator | int | None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Deal people into folds, and return those of the two people of each trial; twice the same for one person."""
    if folds < 2:
        raise ParameterError(f"there must be at least 2 folds, not {folds}")
    check_number("fold", folds)
    if cluster is None and not (trials.claim or trials.subject):
        raise TrialsError(
            "folds must not split a person, and these trials have no ids: name their columns, as in {columns!o}, or "
            "give {cluster!o} if no two trials share a person",
            code="no-ids",
            columns={"claim": "NAME"},
            cluster="none",
        )
    people, generator = people_of(trials, resolve_cluster(trials, cluster)), as_generator(rng)
    count = 1 + max(int(column.max(initial=-1)) for column in people)
    used = np.zeros(count, dtype=bool)
    has_genuine = np.zeros(count, dtype=bool)
    for column in people:
        used[column] = True
        has_genuine[column[trials.genuine]] = True
    fold = np.full(count, -1)
    dealt = 0
    # people with genuine trials first, so that every fold has some of them
    for group in (used & has_genuine, used & ~has_genuine):
        members = generator.permutation(np.flatnonzero(group))
        fold[members] = (dealt + np.arange(len(members))) % folds
        dealt += len(members)
    if dealt < folds:
        raise TrialsError(f"{folds} folds need at least as many individuals, but there are {dealt}")
    return fold[people[0]], fold[people[-1]]


def _check_classes(trials: Trials, rows: NDArray[np.bool_], folds: int, *, crossed: bool) -> None:
    genuine = int(np.count_nonzero(trials.genuine[rows]))
    impostor = int(np.count_nonzero(rows)) - genuine
    if genuine and impostor:
        return
    if crossed and folds == 2:
        raise TrialsError(
            "trials between people of different folds need a third fold for their threshold: use 3 or more"
        )
    raise TrialsError(
        f"without one block of people there are {genuine} genuine and {impostor} impostor trials left to choose "
        f"a threshold from; use other than {folds} folds{', or another cluster' if crossed else ''}"
    )
