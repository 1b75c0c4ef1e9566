"""Dev and test for those who have one set of trials only: people are dealt at random, again and again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fairtrial.benchmark.sets import BenchmarkSet, SystemInfo
from fairtrial.checks import check_number, check_seed, check_share
from fairtrial.errors import ParameterError, TrialsError
from fairtrial.people import Cluster, known_cluster, people_of
from fairtrial.tables import level_text
from fairtrial.trials import Trials

_WHO = {"claim": "claims", "subject": "subjects", "both": "people"}


def split_by_subject(
    trials: Trials, *, repeats: int = 10, fraction: float = 0.5, seed: int = 0
) -> list[tuple[Trials, Trials]]:
    """Split trials into dev and test so that nobody is in both.

    People are dealt at random: those with genuine trials, then the others, so that each side has its part of
    both. A trial is dev if everybody in it is (claim and subject, as far as known), test likewise; a trial
    with people of both sides is left out, and a note says how many there are.

    Parameters
    ----------
    trials
        Trials with claim or subject ids.
    repeats
        How many splits; the first ones are the same whatever their number.
    fraction
        The share of people in dev.
    seed
        The same seed gives the same splits.

    Returns
    -------
    list of tuple
        Dev and test trials of each split.

    Raises
    ------
    ParameterError
        A parameter out of its range.
    TrialsError
        No ids, too few people, or a side that lacks genuine or impostor trials.

    Examples
    --------
    >>> claim, subject = np.divmod(np.arange(36), 6)
    >>> trials = Trials.from_arrays(np.zeros(36), claim == subject, claim=claim, subject=subject)
    >>> [(len(dev), len(test)) for dev, test in split_by_subject(trials, repeats=2)]
    [(9, 9), (9, 9)]
    """
    _check_parameters(repeats, fraction, seed)
    cluster: Cluster = known_cluster(trials, None)
    if cluster == "none":
        raise TrialsError(
            "trials are split by people, but these have neither claim nor subject ids: give ids, or dev and test files"
        )
    people = people_of(trials, cluster)
    groups = _groups(trials, people)
    if cluster == "both" and len(groups[1]) == 1 and not _tried_by_clients(trials):
        # one id for all impostors says nothing of who they are, and cannot be on both sides
        cluster = "claim"
        people = people_of(trials, cluster)
        groups = _groups(trials, people)
        trials = trials.with_notes("all impostors have the same id: the split is by claims, and impostors are in both")
    if len(groups[0]) < 2:
        raise TrialsError(
            f"a split needs at least 2 {_WHO[cluster]} with genuine trials, one for dev and one for test; "
            f"there are {len(groups[0])}"
        )
    rng = np.random.default_rng(seed)
    dealt = [_deal(groups, fraction, rng) for _ in range(repeats)]
    return [
        _one_split(trials, people, is_dev, _WHO[cluster], f"split {number} of seed {seed}")
        for number, is_dev in enumerate(dealt, start=1)
    ]


def split_sets(
    name: str,
    trials: Trials,
    systems: Sequence[SystemInfo],
    *,
    repeats: int = 10,
    fraction: float = 0.5,
    seed: int = 0,
) -> tuple[tuple[BenchmarkSet, ...], str]:
    """Make one benchmark set per split.

    Parameters
    ----------
    name, systems
        What the sets are called, and what their systems are made of.
    trials, repeats, fraction, seed
        As in `split_by_subject`.

    Returns
    -------
    tuple
        The sets, and a note that says how they came about.
    """
    pairs = split_by_subject(trials, repeats=repeats, fraction=fraction, seed=seed)
    sets = tuple(
        BenchmarkSet(name, dev, test, tuple(systems), split) for split, (dev, test) in enumerate(pairs, start=1)
    )
    left_out = [len(trials) - len(dev) - len(test) for dev, test in pairs]
    dealt = f"{repeats} random splits by people (seed {seed}), {level_text(fraction)} of them in dev"
    note = f"{name}: no dev set is given; {dealt}"
    if any(left_out):
        note += (
            f"; trials with people of both are left out, at least {min(left_out):,} of {len(trials):,} in each split"
        )
    return sets, note


def _tried_by_clients(trials: Trials) -> bool:
    """Whether impostor trials are of more than one person."""
    assert trials.subject is not None
    return len(np.unique(trials.subject.numbered().codes[~trials.genuine])) > 1


def _check_parameters(repeats: int, fraction: float, seed: int) -> None:
    if repeats < 1:
        raise ParameterError(f"repeats must be at least 1, not {repeats}")
    check_number("repeat", repeats, most=10_000)
    check_share("fraction, the share of people in dev,", fraction, open_ends=True)
    check_seed(seed)


def _groups(trials: Trials, people: Sequence[NDArray[np.int64]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Those who have genuine trials, and those who have none."""
    everybody = np.unique(np.concatenate(people))
    genuine = np.unique(np.concatenate([column[trials.genuine] for column in people]))
    return genuine, np.setdiff1d(everybody, genuine)


def _deal(groups: Sequence[NDArray[np.int64]], fraction: float, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Who is in dev, by number."""
    is_dev = np.zeros(1 + max(int(group.max(initial=-1)) for group in groups), dtype=bool)
    for group in groups:
        count = int(fraction * len(group) + 0.5)
        if len(group) > 1:  # both sides get somebody
            count = min(max(count, 1), len(group) - 1)
        is_dev[rng.permutation(group)[:count]] = True
    return is_dev


def _one_split(
    trials: Trials, people: Sequence[NDArray[np.int64]], is_dev: NDArray[np.bool_], who: str, place: str
) -> tuple[Trials, Trials]:
    in_dev = np.logical_and.reduce([is_dev[column] for column in people])
    in_test = np.logical_and.reduce([~is_dev[column] for column in people])
    for word, rows in (("dev", in_dev), ("test", in_test)):
        genuine = int(np.count_nonzero(trials.genuine[rows]))
        impostor = int(np.count_nonzero(rows)) - genuine
        if not genuine or not impostor:
            raise TrialsError(
                f"{place}: {word} would have {genuine:,} genuine and {impostor:,} impostor trials, but needs both; "
                "there are too few people, or take another fraction or seed"
            )
    used = np.unique(np.concatenate(people))
    note = f"{place}: {np.count_nonzero(is_dev[used]):,} of {len(used):,} {who} are in dev, the others in test"
    left_out = len(trials) - int(np.count_nonzero(in_dev | in_test))
    if left_out:
        note += f"; {left_out:,} trials with {who} of both were left out"
    return trials.rows(in_dev).with_notes(note), trials.rows(in_test).with_notes(note)
