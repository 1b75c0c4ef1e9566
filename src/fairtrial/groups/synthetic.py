"""Synthetic trials of groups whose true error rates are known, for examples and tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite, sqrt

import numpy as np
from scipy.special import ndtr, ndtri

from fairtrial.core.errors import ParameterError, as_generator, check_number
from fairtrial.core.trials import Ids, Trials, object_array
from fairtrial.inference.variance import Floats

_FAR = 0.02  # the FAR of groups that are not worse, at the threshold at which their FAR and FRR are equal


@dataclass(frozen=True, slots=True, eq=False)
class SyntheticGroups:
    """Dev and test trials of groups of people, and their true error rates.

    Attributes
    ----------
    dev, test : Trials
        Trials of different people, with the columns ``group`` and ``impostor_group``.
    names : tuple of str
        The names of the groups.
    shift : ndarray of float
        The shift of impostor scores of each group, in standard deviations, shape (groups,).
    distance : float
        The distance of genuine scores from the impostor scores of groups that are not worse, in standard deviations.

    Examples
    --------
    >>> data = synthetic_groups({"a": 20, "b": 20})
    >>> data.names
    ('a', 'b')
    """

    dev: Trials
    test: Trials
    names: tuple[str, ...]
    shift: Floats
    distance: float

    def far(self, threshold: float) -> Floats:
        """Give the true FAR of each group at a threshold.

        Parameters
        ----------
        threshold : float
            The threshold; a score above it is accepted.

        Returns
        -------
        ndarray of float
            Fractions, shape (groups,).
        """
        return np.asarray(ndtr(self.shift - threshold))

    def frr(self, threshold: float) -> Floats:
        """Give the true FRR of each group at a threshold; it is the same for all.

        Parameters
        ----------
        threshold : float
            The threshold; a score above it is accepted.

        Returns
        -------
        ndarray of float
            Fractions, shape (groups,).
        """
        return np.full(len(self.names), float(ndtr(threshold - self.distance)))


def synthetic_groups(
    sizes: Mapping[str, int],
    *,
    worse: Mapping[str, float] | None = None,
    attempts: int = 5,
    impostors: int = 20,
    effect: float = 0.5,
    rng: np.random.Generator | int | None = 0,
) -> SyntheticGroups:
    """Make trials of groups of people whose true error rates are known.

    Everybody claims to be themselves several times, and is claimed by people drawn from all groups. A score is a sum
    of effects of the people in it and of noise, normal with variance 1. In groups that are worse, impostor scores are
    shifted so that their FAR is `worse` times that of the others, at the threshold where the latter is 2 %.

    Parameters
    ----------
    sizes : dict of str to int
        The number of people of each group, in dev and in test.
    worse : dict of str to float, optional
        The factor by which the FAR of some groups is larger; by default all groups are equal.
    attempts : int, default 5
        The number of genuine trials of each claim.
    impostors : int, default 20
        The number of impostor trials of each claim.
    effect : float, default 0.5
        The standard deviation of people's effects, in those of the noise; 0 makes trials independent.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result.

    Returns
    -------
    SyntheticGroups
        Dev and test, and the true rates at any threshold.

    Raises
    ------
    ParameterError
        If there is no group, a group without people, or a factor for an unknown group.

    Examples
    --------
    >>> data = synthetic_groups({"a": 30, "b": 10}, worse={"b": 3.0})
    >>> data.test.columns["group"].decode()[0], [round(float(rate), 3) for rate in data.far(2.0537489)]
    ('a', [0.02, 0.06])
    """
    factors = dict(worse or {})
    names = tuple(sizes)
    strange = sorted(set(factors) - set(names))
    if not names or strange:
        raise ParameterError(f"give the sizes of groups, and of {strange or 'some'} too, before saying what is worse")
    for name in names:
        check_number(f"person in group {name}", sizes[name], most=10**6)
        if not 0 < factors.get(name, 1.0) * _FAR < 1:
            raise ParameterError(f"group {name} cannot be worse by a factor of {factors[name]}")
    check_number("genuine trial of each claim", attempts)
    check_number("impostor trial of each claim", impostors)
    if not (isfinite(effect) and effect >= 0):
        raise ParameterError(f"effect must be a number of at least 0, not {effect}")
    threshold = -float(ndtri(_FAR))
    shift = np.array([threshold + float(ndtri(_FAR * factors.get(name, 1.0))) for name in names])
    generator = as_generator(rng)
    people = np.repeat(np.arange(len(sizes)), list(sizes.values()))
    count = len(people)
    if count < 2:
        raise ParameterError("there must be at least two people in all")
    clients, claimed = np.repeat(np.arange(count), attempts), np.repeat(np.arange(count), impostors)
    sets = []
    for start in ("dev ", "test "):
        # anybody but the claimed person
        strangers = (claimed + 1 + generator.integers(0, count - 1, len(claimed))) % count
        claim, subject = np.concatenate([clients, claimed]), np.concatenate([clients, strangers])
        genuine = claim == subject
        effects = effect * generator.normal(size=(3, count))
        of_people = np.where(genuine, effects[0][claim], effects[1][claim] + effects[2][subject])
        deviation = np.where(genuine, sqrt(1 + effect**2), sqrt(1 + 2 * effect**2))
        noise = generator.normal(size=len(claim))
        scores = (of_people + noise) / deviation + np.where(genuine, 2 * threshold, shift[people[claim]])
        labels, groups = object_array([f"{start}{k + 1}" for k in range(count)]), object_array(list(sizes))
        sets.append(
            Trials.from_arrays(
                scores,
                genuine,
                claim=Ids(claim.astype(np.int32), labels),
                subject=Ids(subject.astype(np.int32), labels),
                columns={
                    "group": Ids(people[claim].astype(np.int32), groups),
                    "impostor_group": Ids(people[subject].astype(np.int32), groups),
                },
            )
        )
    return SyntheticGroups(sets[0], sets[1], names, shift, 2 * threshold)
