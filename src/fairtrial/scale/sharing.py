"""Who shares trials, from what a counter knows of each person at thresholds known beforehand."""

from __future__ import annotations

from fairtrial.counted_people import CountedPeople, count_people
from fairtrial.scale.counter import Counter


def watched_people(counter: Counter, *, system: str | None = None) -> CountedPeople | None:
    """The people of a counter at the thresholds that were given beforehand.

    Returns
    -------
    CountedPeople or None
        None where there are no ids, or where no role of a class has two people.
    """
    found = counter.ranks_by_person(system=system)
    if not found.counts:
        return None
    counts = {str(role): counts for role, counts in found.counts.items()}
    known = list(found.counts)
    return count_people("both" if len(known) > 1 else known[0], found.names, found.person, counts)
