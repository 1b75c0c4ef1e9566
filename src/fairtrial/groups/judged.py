"""The rates of groups on judged trials: one threshold for all, who shares trials, how far the threshold would move."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairtrial.claims import Threshold, ThresholdDeviations
from fairtrial.grouped_people import GroupedRates, clustered_rates, independent_rates
from fairtrial.groups.family import RateFamily
from fairtrial.groups.half_total import HalfTotals
from fairtrial.groups.membership import Codes, Membership
from fairtrial.judging import Judgement
from fairtrial.spread import Floats

Rate: TypeAlias = Literal["far", "frr"]
RATES: tuple[Rate, Rate] = ("far", "frr")
MOST_THAT_MEET = 30
"""Groups whose pairs are shown."""


@dataclass(frozen=True, eq=False)
class JudgedGroups:
    """The groups of judged trials, at one threshold for all."""

    judgement: Judgement
    membership: Membership
    threshold: Threshold

    @cached_property
    def trials(self) -> dict[Rate, NDArray[np.int64]]:
        """How many trials each group has for each rate."""
        genuine, codes, count = self.judgement.trials.genuine, self.membership.trial, len(self.membership.names)
        return {
            "far": np.bincount(codes[~genuine], minlength=count),
            "frr": np.bincount(codes[genuine], minlength=count),
        }

    @cached_property
    def present(self) -> tuple[str, ...]:
        """The groups that have trials at all."""
        return self._names((self.trials["far"] > 0) | (self.trials["frr"] > 0))

    def names(self, rate: Rate) -> tuple[str, ...]:
        """The groups that have trials for a rate."""
        return self._names(self.trials[rate] > 0)

    def _names(self, which: NDArray[np.bool_]) -> tuple[str, ...]:
        return tuple(name for name, own in zip(self.membership.names, which, strict=True) if own)

    @cached_property
    def families(self) -> dict[Rate, RateFamily]:
        """Each rate of the groups that have trials for it."""
        found: dict[Rate, RateFamily] = {}
        for rate in RATES:
            kept = self.trials[rate] > 0
            place = np.where(kept, np.cumsum(kept) - 1, -1)
            codes = place[self.membership.trial]
            found[rate] = rate_family(self.judgement, codes, int(kept.sum()), rate, self.threshold)
        return found

    def half_totals(self) -> tuple[tuple[str, ...], HalfTotals] | None:
        """The HTER of the groups that have trials of both classes; None where none has."""
        both = tuple(name for name in self.names("far") if name in self.names("frr"))
        if not both:
            return None
        far, frr = (self.families[rate].kept(np.isin(self.names(rate), both)) for rate in RATES)
        return both, HalfTotals(far, frr)

    @property
    def too_many_meet(self) -> bool:
        """Whether there are more pairs of groups than anybody would look at."""
        return self.membership.impostor is not None and len(self.membership.names) > MOST_THAT_MEET

    def meetings(self) -> tuple[list[tuple[str, str]], RateFamily] | None:
        """The FAR of impostors of every group against claims of every group; None if theirs is unknown, or too many."""
        if self.membership.impostor is None or self.too_many_meet:
            return None
        names = self.membership.names
        codes = self.membership.trial * len(names) + self.membership.impostor
        cells = np.unique(codes[~self.judgement.trials.genuine])
        place = np.full(len(names) ** 2, -1, dtype=np.int64)
        place[cells] = np.arange(len(cells))
        family = rate_family(self.judgement, place[codes], len(cells), "far", self.threshold)
        return [(names[cell // len(names)], names[cell % len(names)]) for cell in cells], family

    @cached_property
    def people(self) -> dict[str, int]:
        """How many people claim to be somebody of each group, or are behind its probes; empty if nobody is known."""
        ids = self.judgement.trials.ids
        role = next((role for role in ("claim", "subject") if role in ids), None)
        if role is None:
            return {}
        count = len(self.membership.names)
        pairs = np.unique(ids[role].numbered().codes.astype(np.int64) * count + self.membership.trial)
        return dict(zip(self.membership.names, np.bincount(pairs % count, minlength=count).tolist(), strict=True))


def rate_family(judgement: Judgement, codes: Codes, count: int, rate: Rate, threshold: Threshold) -> RateFamily:
    """One rate of every group at the threshold of a judgement.

    Parameters
    ----------
    judgement
        A system on the judged trials, at one threshold.
    codes
        The group of each trial, from 0 on; -1 for none.
    count
        How many groups there are; each must have trials of the class.
    rate
        Which rate.
    threshold
        ``re-estimated`` falls back to ``fixed`` where the threshold was given.

    Returns
    -------
    RateFamily
        The rates, and how they vary together.
    """
    trials, sets = judgement.trials, judgement.sets
    rows = np.flatnonzero(trials.genuine if rate == "frr" else ~trials.genuine)
    groups, wrong = codes[rows], judgement.wrong()[rows]
    people = sets.people[1]
    if people is None:
        grouped = independent_rates(groups, wrong, count)
    else:
        part = people.genuine if rate == "frr" else people.impostor
        grouped = clustered_rates(part, groups, wrong, count, people.size)
    movement = judgement.movement if threshold == "re-estimated" else None
    if movement is None:
        return RateFamily(grouped, seed=sets.seed)
    moved, at = movement.rates(0 if rate == "frr" else 1, grouped.errors.astype(np.float64), grouped.trials)
    deviations = ThresholdDeviations.from_replicates(movement, moved - at)
    return RateFamily(grouped, deviations, _joint(judgement, grouped, deviations), sets.seed)


def _joint(judgement: Judgement, grouped: GroupedRates, deviations: ThresholdDeviations) -> Floats | None:
    """What people of both dev and test add to the covariance of every two rates; never most of it."""
    sets = judgement.sets
    if not deviations.of_people or not sets.overlap or grouped.moved is None:
        return None
    room = np.zeros((max(sets.draws.size, len(grouped.moved)), grouped.moved.shape[1]))
    room[: len(grouped.moved)] = grouped.moved
    on_test = sets.draws.move_people(room)
    both = deviations.moved.T @ on_test / len(on_test)
    both = both + both.T
    whole = np.diag(grouped.covariance) + deviations.variances()
    return np.asarray(np.maximum(both, -np.sqrt(np.outer(whole, whole)) / 2))
