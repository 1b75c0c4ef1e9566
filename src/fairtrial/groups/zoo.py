"""Doddington's zoo: what the trials of each person look like, and who stands out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc

from fairtrial.core.errors import ParameterError, TrialsError, check_choice
from fairtrial.core.trials import TrialsLike, check_drawable, trials_of
from fairtrial.inference.decide import wrong_decisions

Role: TypeAlias = Literal["claim", "subject"]
Shows: TypeAlias = Literal["scores", "errors"]

_FENCE = 1.5  # interquartile ranges from the quartiles to Tukey's fences
_RISK = 0.05  # probability that chance makes anybody stand out by errors


@dataclass(frozen=True, slots=True, eq=False)
class Zoo:
    """One entry per person: what their genuine trials look like, and the impostor trials they take part in."""

    system: str
    by: Role
    shows: Shows
    names: tuple[str, ...]
    genuine: NDArray[np.float64]  # mean scores, or the FRR; NaN for subjects without genuine trials
    impostor: NDArray[np.float64]  # mean scores, or the FAR
    goats: NDArray[np.bool_]
    lambs: NDArray[np.bool_]  # lambs by claim, wolves by subject
    left_out: int  # people without the trials that it takes
    subjects: Zoo | None = None  # the zoo by subject beside one by claim, if subjects are known

    @property
    def places(self) -> NDArray[np.float64]:
        """Where people stand across: by their genuine trials, or by rank if nobody has any."""
        if np.isnan(self.genuine).all():
            return np.argsort(np.argsort(self.impostor)).astype(np.float64) + 1
        return self.genuine

    @property
    def imitation(self) -> tuple[str, str]:
        """Those who stand out by impostor trials, one and several."""
        return ("lamb", "lambs") if self.by == "claim" else ("wolf", "wolves")

    @property
    def kinds(self) -> list[str]:
        """What each person stands out as, nothing for sheep."""
        both = zip(self.goats.tolist(), self.lambs.tolist(), strict=True)
        return [" and ".join(["goat"] * goat + [self.imitation[0]] * lamb) for goat, lamb in both]


def zoo_data(
    trials: TrialsLike,
    *,
    system: str | None = None,
    by: Role = "claim",
    shows: Shows = "scores",
    threshold: float | NDArray[np.float64] | None = None,
) -> Zoo:
    """Find what the trials of each person look like, and who stands out.

    Parameters
    ----------
    trials : Trials or data frame
        Trials, or a data frame of them, with ids.
    system : str, optional
        The name of the system; not needed where there is only one.
    by : {"claim", "subject"}, default "claim"
        ``claim``: impostor trials against a person's claim, so lambs stand out; ``subject``: those that the person
        makes, so wolves do.
    shows : {"scores", "errors"}, default "scores"
        ``scores``: means. A goat's genuine mean is more than 1.5 interquartile ranges below the lower quartile of all,
        a lamb's impostor mean as far above the upper one. ``errors``: rates at the threshold. A goat or a lamb has more
        errors than the worst of all people would have by chance in 1 of 20 cases.
    threshold : float or array of float, optional
        The threshold from dev, for errors, or one per trial; a score above it is accepted.

    Returns
    -------
    Zoo
        One entry per person, and who stands out. Subjects may have impostor trials only.

    Raises
    ------
    TrialsError
        If there are no such ids, or fewer than 4 people.
    ParameterError
        If errors are to be shown without a threshold.

    References
    ----------
    Doddington et al., Sheep, goats, lambs and wolves, 1998; Yager & Dunstone, The biometric menagerie, 2010.

    Examples
    --------
    >>> from fairtrial import Trials
    >>> claim = ["a", "a", "b", "b", "c", "c", "d", "d"]
    >>> trials = Trials.from_arrays([0.9, 0.2, 0.8, 0.1, 0.7, 0.3, 0.6, 0.4], [True, False] * 4, claim=claim)
    >>> zoo_data(trials).by
    'claim'
    """
    for value, kind, name in ((by, Role, "by"), (shows, Shows, "shows")):
        check_choice(name, value, get_args(kind))
    trials = trials_of(trials, "trials")
    if by not in trials.ids:
        raise TrialsError(f"the zoo needs {by} ids, which these trials do not have", code="no-ids")
    if shows == "errors" and threshold is None:
        raise ParameterError("errors need a threshold; choose one on dev", code="no-threshold")
    subjects = None
    if by == "claim" and "subject" in trials.ids:
        others = trials.ids["subject"].numbered().codes[~trials.genuine]
        if len(np.unique(others)) >= 4:
            subjects = zoo_data(trials, system=system, by="subject", shows=shows, threshold=threshold)
    ids = trials.ids[by].numbered()
    values = trials.column(system).astype(np.float64)
    if threshold is not None and shows == "errors":
        values = wrong_decisions(trials, system, threshold).astype(np.float64)
    finite = np.isfinite(values)
    check_drawable(values[finite])
    totals, counts = [], []
    for rows in (trials.genuine & finite, ~trials.genuine & finite):
        totals.append(np.bincount(ids.codes[rows], values[rows], len(ids.names)).astype(np.float64))
        counts.append(np.bincount(ids.codes[rows], minlength=len(ids.names)))
    kept = (counts[1] > 0) & ((counts[0] > 0) | (by == "subject"))
    if np.count_nonzero(kept) < 4:
        needed = "genuine and impostor trials" if by == "claim" else "impostor trials"
        raise TrialsError(f"the zoo needs at least 4 {by}s with {needed}", code="few-people")
    totals, numbers = [total[kept] for total in totals], [count[kept] for count in counts]
    with np.errstate(invalid="ignore"):
        genuine, impostor = (total / number for total, number in zip(totals, numbers, strict=True))
    if shows == "scores":
        goats, lambs = (_beyond_fence(values) for values in (-genuine, impostor))
    else:
        goats, lambs = (improbable(total, number) for total, number in zip(totals, numbers, strict=True))
    return Zoo(
        trials.systems[0] if system is None else system,
        by,
        shows,
        tuple(str(name) for name in ids.names[kept]),
        genuine,
        impostor,
        goats,
        lambs,
        int(np.count_nonzero((counts[0] > 0) | (counts[1] > 0)) - np.count_nonzero(kept)),
        subjects,
    )


def _beyond_fence(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Find values above Tukey's upper fence."""
    if np.isnan(values).all():
        return np.zeros(len(values), dtype=bool)
    low, high = np.nanquantile(values, [0.25, 0.75])
    return np.asarray(values > high + _FENCE * (high - low))


def improbable(errors: NDArray[np.float64], trials: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Find people with more errors than the common rate explains, with Bonferroni's correction."""
    rate = float(errors.sum() / max(trials.sum(), 1))
    if not 0 < rate < 1:
        return np.zeros(len(errors), dtype=bool)
    return np.asarray(bdtrc(errors.round() - 1, trials, rate) < _RISK / np.count_nonzero(trials))
