"""What the reader should know of groups: which are too small, which lack a class, where only certainty differs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, isfinite, log

import numpy as np

from fairtrial.errors import listed
from fairtrial.groups.comparing import RateComparison
from fairtrial.groups.judged import MOST_THAT_MEET, RATES, JudgedGroups, Rate
from fairtrial.groups.summaries import Summary
from fairtrial.planning import attempts_for_half_width
from fairtrial.rules.measures import label_of
from fairtrial.tables import percent, plural

_CLASS = {"far": "impostor", "frr": "genuine"}


def group_remarks(
    groups: JudgedGroups,
    comparisons: Mapping[Rate, RateComparison],
    summaries: Sequence[Summary],
    *,
    confidence: float,
    factor: float,
) -> list[str]:
    """All notes on groups, those of their trials and people first."""
    found = [*groups.judgement.sets.notes, *groups.judgement.notes, *groups.membership.notes]
    if groups.too_many_meet:
        found.append(f"the FAR by pair of groups is left out: there are more than {MOST_THAT_MEET} groups")
    for rate in RATES:
        lacking = [name for name in groups.present if name not in groups.names(rate)]
        if lacking:
            found.append(f"no {_CLASS[rate]} trials in {listed(lacking)}: the {label_of(rate)} is unknown there")
        found += _too_small(groups, rate, confidence, factor)
    for comparison in comparisons.values():
        found += _only_certainty_differs(groups, comparison, confidence, factor)
    if any(not isfinite(own.estimate) for own in summaries):
        found.append("a group without any error makes ratios infinite; lower limits say what is shown all the same")
    return found


def _too_small(groups: JudgedGroups, rate: Rate, confidence: float, factor: float) -> list[str]:
    """Groups that may be much better than all or much worse, for all that is known, and what would be needed."""
    from scipy.special import ndtr

    family, names = groups.families[rate], groups.names(rate)
    overall = float(family.grouped.errors.sum() / max(family.grouped.trials.sum(), 1))
    if not 0 < overall < 1:
        return []
    critical = family.critical(confidence)
    low, high = family.limits(critical)
    alone = 1 - 2 * float(ndtr(-critical))
    needed = attempts_for_half_width(overall, log(factor), scale="logit", confidence=alone)
    small = []
    for k in np.flatnonzero((low < overall / factor) & (high > overall * factor)):
        times = needed * float(family.grouped.alike[k, k])
        if times > 1:
            count = groups.people.get(names[k], int(family.grouped.trials[k]))
            size = plural(count, "person", "people") if groups.people else plural(count, "trial")
            small.append(f"{names[k]} ({size}; about {ceil(times * count):,} would tell)")
    if not small:
        return []
    return [
        f"too small to say anything of their {label_of(rate)}, which may be less than 1/{factor:g} or more than "
        f"{factor:g} times the {percent(overall)} of all: {', '.join(small)}"
    ]


def _only_certainty_differs(
    groups: JudgedGroups, comparison: RateComparison, confidence: float, factor: float
) -> list[str]:
    """A note where rates look different, are not shown to be, and are unequally well known."""
    rate = comparison.test.measure
    family, names = groups.families[rate], groups.names(rate)
    rates, sigma = family.rate, family.sigma
    worst, best = int(np.argmax(rates)), int(np.argmin(rates))
    if comparison.test.p_value < 1 - confidence or rates[worst] < factor * rates[best] or rates[worst] == 0:
        return []
    blurred = worst if sigma[worst] >= sigma[best] else best
    return [
        f"the {label_of(rate)} of {names[worst]} and {names[best]} look different ({percent(rates[worst])} and "
        f"{percent(rates[best])}) but are not shown to differ: that of {names[blurred]} is known with a standard "
        f"deviation of {percent(sigma[blurred])} only, so it may be the quality of the estimate that differs"
    ]
