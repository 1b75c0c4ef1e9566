"""What a comparison that was made tells of the one that is to be planned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairtrial.errors import TrialsError
from fairtrial.planning.comparison import ComparisonPlan, plan_comparison
from fairtrial.significance.paired import Pair
from fairtrial.trials import Trials

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ObservedSetting:
    """What was observed of two systems on the same trials: keywords of `plan_comparison`, by their names.

    Attributes
    ----------
    a, b : tuple of (float, float)
        FAR and FRR.
    individuals : int
        The clients there were.
    attempts, impostor_attempts : int
        Attempts per client, on average, at least one.
    impostors : int or None
        How many impostors there were; None where their ids are not known.
    rho_client, rho_impostor : float
        Correlations of the difference of errors within clients and within impostors, not below 0. There is one for
        clients, though genuine and impostor trials have their own: the one with which the difference of HTERs has the
        same variance.
    correlation : float
        Of the errors of both systems on the same trial.
    """

    a: tuple[float, float]
    b: tuple[float, float]
    individuals: int
    attempts: int
    impostor_attempts: int
    impostors: int | None
    rho_client: float
    rho_impostor: float
    correlation: float

    def plan(
        self, *, power: float = 0.8, individuals: int | None = None, confidence: float = 0.95, data_sets: int = 1000
    ) -> ComparisonPlan:
        """Plan a comparison of systems that really are as they were seen, by `plan_comparison`.

        Parameters
        ----------
        power : float, default 0.8
            How surely the difference is to be found, between 0 and 1.
        individuals : int, optional
            The clients there are; then only the power is computed.
        confidence : float, default 0.95
            The level of confidence, between 0 and 1: 0.95 tests at 5 %.
        data_sets : int, default 1000
            How many sets of trials are simulated to check the power; 0: none.

        Returns
        -------
        ComparisonPlan
            As many attempts of each client as there were, and as many impostors.

        Notes
        -----
        A difference that was seen is uncertain, and one that was picked for its size is too large on average: so the
        plan is too small on average.
        """
        return plan_comparison(
            self.a,
            self.b,
            power=power,
            individuals=individuals,
            attempts=self.attempts,
            impostor_attempts=self.impostor_attempts,
            impostors=self.impostors,
            rho_client=self.rho_client,
            rho_impostor=self.rho_impostor,
            correlation=self.correlation,
            confidence=confidence,
            data_sets=data_sets,
        )


def observed_setting(pair: Pair) -> ObservedSetting:
    """Estimate what `plan_comparison` asks for, from two systems on the same trials.

    Parameters
    ----------
    pair : Pair
        The decisions of both.

    Returns
    -------
    ObservedSetting
        Correlations within people are one-way intraclass correlations of the difference of the errors.

    Raises
    ------
    TrialsError
        Trials without claim ids: nothing tells how many people there were.
    """
    trials = pair.a.trials
    if "claim" not in trials.ids:
        raise TrialsError(
            "how many people are needed can be told where the claim of each trial is known; there are no ids"
        )
    difference = pair.wrong_a.astype(np.float64) - pair.wrong_b
    clients = _codes(trials, "claim")
    genuine = trials.genuine
    count = len(np.unique(clients))
    known = "subject" in trials.ids
    impostors = _codes(trials, "subject") if known else clients
    rho_impostor = intraclass_correlation(difference[~genuine], impostors[~genuine]) if known else 0.0
    rho_client = _pooled_correlation([(difference[rows], clients[rows]) for rows in (genuine, ~genuine)])
    return ObservedSetting(
        (pair.a.at(0).far, pair.a.at(0).frr),
        (pair.b.at(0).far, pair.b.at(0).frr),
        count,
        max(1, round(np.count_nonzero(genuine) / count)),
        max(1, round(np.count_nonzero(~genuine) / count)),
        max(2, len(np.unique(impostors[~genuine]))) if known else None,
        rho_client,
        min(rho_impostor, 1 - rho_client),
        _correlation(pair.wrong_a, pair.wrong_b, genuine),
    )


def intraclass_correlation(values: Floats, groups: NDArray[np.integer]) -> float:
    """The correlation of two values of the same group, by a one-way analysis of variance; not below 0.

    Parameters
    ----------
    values : ndarray of float
        One per trial.
    groups : ndarray of int
        Who each is of.

    Returns
    -------
    float
        A correlation from 0 to 1; 0 where every group has one value only, or all values are the same.
    """
    _, codes = np.unique(groups, return_inverse=True)
    sizes = np.bincount(codes)
    people, total = len(sizes), len(values)
    if people < 2 or total <= people:
        return 0.0
    means = np.bincount(codes, values) / sizes
    between = float(np.sum(sizes * (means - values.mean()) ** 2)) / (people - 1)
    within = float(np.sum((values - means[codes]) ** 2)) / (total - people)
    size = (total - float(np.sum(sizes.astype(np.float64) ** 2)) / total) / (people - 1)
    whole = between + (size - 1) * within
    return min(max((between - within) / whole, 0.0), 1.0) if whole > 0 else 0.0


def _pooled_correlation(classes: Sequence[tuple[Floats, NDArray[np.integer]]]) -> float:
    """One correlation in place of one per class, each weighted by what it adds to the variance of the sum of means."""
    weighted = weights = 0.0
    for values, groups in classes:
        others = len(values) / len(np.unique(groups)) - 1
        weight = float(np.var(values)) * others / len(values)
        weighted += weight * intraclass_correlation(values, groups)
        weights += weight
    return weighted / weights if weights > 0 else 0.0


def _codes(trials: Trials, field: str) -> NDArray[np.int32]:
    return trials.ids[field].numbered().codes


def _correlation(first: NDArray[np.bool_], second: NDArray[np.bool_], genuine: NDArray[np.bool_]) -> float:
    """The correlation of errors on the same trial, over both classes, each around its own rate."""
    covariance = variances = 0.0
    for rows in (genuine, ~genuine):
        a, b = (wrong[rows].astype(np.float64) for wrong in (first, second))
        covariance += float(np.mean((a - a.mean()) * (b - b.mean())))
        variances += float(np.sqrt(a.var() * b.var()))
    return covariance / variances if variances > 0 else 0.0
