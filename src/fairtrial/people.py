"""Who shares trials: the one place that groups trials by the people who take part in them."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from fairtrial.checks import check_choice
from fairtrial.errors import TrialsError
from fairtrial.trials import Trials, recode

Cluster: TypeAlias = Literal["none", "claim", "subject", "both"]
"""What trials share: nothing, the claimed identity, the person behind the probe, or both."""


def known_cluster(trials: Trials, cluster: Cluster | None) -> Cluster:
    """What trials share: what the caller says, if the trials have the ids for it; else all ids that they have."""
    known = [name for name in ("claim", "subject") if name in trials.ids]
    if cluster is None:
        return "both" if len(known) == 2 else "claim" if known == ["claim"] else "subject" if known else "none"
    check_choice("cluster", cluster, get_args(Cluster))
    needed = {"none": [], "claim": ["claim"], "subject": ["subject"], "both": ["claim", "subject"]}[cluster]
    missing = [name for name in needed if name not in known]
    if missing:
        raise TrialsError(f"cluster={cluster!r} needs {' and '.join(missing)} ids, which these trials do not have")
    return cluster


def people_of(trials: Trials, cluster: Cluster) -> list[NDArray[np.int64]]:
    """The individuals of each trial as numbers: one column, or two where both roles count.

    With both roles, claim and subject of a genuine trial are one individual, whatever they are called.
    """
    if cluster == "none":
        return [np.arange(len(trials))]
    if cluster != "both":
        return recode([trials.ids[cluster]])
    claim, subject = recode([trials.ids["claim"], trials.ids["subject"]])
    known_as = np.flatnonzero(trials.genuine & (claim != subject))
    if not len(known_as):
        return [claim, subject]
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    size = 1 + int(max(claim.max(), subject.max()))
    links = coo_array((np.ones(len(known_as)), (claim[known_as], subject[known_as])), shape=(size, size))
    person = connected_components(links, directed=False)[1].astype(np.int64)
    return [person[claim], person[subject]]
