"""What can be claimed of judged figures: an estimate, its variance and degrees of freedom, at one alpha or along it.

A claim is about one figure or about the difference of two. With the threshold *fixed* it is about these thresholds
on new test trials; with the threshold *re-estimated* it is about the system, threshold procedure and all, on new
people: then the variance also holds how far the threshold would have moved with other dev trials.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import copysign, inf, sqrt
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.trials import Trials
from fairtrial.counting.tallies import ErrorCounts, count_errors
from fairtrial.counting.threads import one_thread
from fairtrial.inference.decide import Judgement
from fairtrial.inference.multipliers import deviations_by_unit
from fairtrial.inference.people import People
from fairtrial.inference.split import TrialSets
from fairtrial.inference.threshold import Movement
from fairtrial.inference.variance import (
    Floats,
    Spread,
    contributions,
    hidden_variance,
    independent_class,
    independent_spread,
    not_below_half,
    put_classes_together,
    welch,
)
from fairtrial.rules.measures import Measure, Weights

Threshold: TypeAlias = Literal["re-estimated", "fixed"]
Resample: TypeAlias = Literal["test", "both"]
"""What callers say of it: whether only test trials were a sample, or dev trials, too."""
GIVEN: dict[Threshold, str] = {"re-estimated": "threshold re-estimated", "fixed": "given this threshold"}
"""What is said of the threshold in sentences."""
GIVEN_ALONG: dict[Threshold, str] = {"re-estimated": "threshold re-estimated", "fixed": "given these thresholds"}
"""The same of curves and of pairs of systems, which have several."""
Alternative: TypeAlias = Literal["two-sided", "less", "greater"]
"""What is claimed of A - B: that it is not 0, that A is lower, or that A is higher."""

_PROCESSES = 4000
_TABLE_PAYS = 4
Terms: TypeAlias = Sequence[tuple[float, Judgement]]
"""Judgements on the same trials, each with its sign."""


def threshold_when(resample: Resample) -> Threshold:
    """What becomes of the threshold where test trials are a sample, or those of dev, too."""
    return "re-estimated" if resample == "both" else "fixed"


@dataclass(frozen=True, slots=True)
class Claim:
    """A figure or a difference with its variance: that of the test trials, and what the threshold adds to it."""

    estimate: float
    spread: Spread
    """With the threshold fixed."""
    moved: float
    """The variance that re-estimating the threshold adds; 0 where it is fixed."""
    degrees: float
    threshold: Threshold

    @property
    def variance(self) -> float:
        """The whole variance."""
        return self.spread.variance + self.moved

    @property
    def sigma(self) -> float:
        """The standard deviation."""
        return sqrt(self.variance)

    @property
    def statistic(self) -> float:
        """The estimate in standard deviations."""
        if self.variance > 0:
            return self.estimate / self.sigma
        return 0.0 if self.estimate == 0 else copysign(inf, self.estimate)

    def quantile(self, confidence: float) -> float:
        """How many standard deviations the confidence asks for, by Student's t."""
        return student_quantile(self.degrees, confidence)

    def p_value(self, alternative: Alternative = "two-sided") -> float:
        """How improbable the estimate is where there is no difference, by Student's t."""
        return student_p_value(self.statistic, self.degrees, alternative)

    def shifted(self, by: float) -> Claim:
        """The same claim of an estimate that is larger by so much."""
        return Claim(self.estimate + by, self.spread, self.moved, self.degrees, self.threshold)


def student_quantile(degrees: float, confidence: float) -> float:
    """How many standard deviations on either side hold this share of Student's t."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees, (1 + confidence) / 2))


def student_p_value(statistic: float, degrees: float, alternative: Alternative) -> float:
    """The tail or tails of Student's t beyond a statistic."""
    from scipy.special import stdtr

    less, greater = (float(stdtr(degrees, side)) for side in (statistic, -statistic))
    return {"less": less, "greater": greater, "two-sided": min(1.0, 2 * min(less, greater))}[alternative]


def local_weights(measure: Measure, counts: ErrorCounts, alpha: float) -> Weights:
    """The weights of FAR and FRR in a measure; those of its tangent where it is not linear.

    The numbers of genuine and impostor trials are taken as they are.
    """
    weights = measure.weights_at(alpha)
    if weights is not None:
        return weights
    by_accepts, by_rejects, _, _ = measure.gradient(counts, alpha)
    return Weights(by_accepts * counts.impostor, by_rejects * counts.genuine)


def claim(terms: Terms, measure: Measure, *, index: int = 0, threshold: Threshold = "re-estimated") -> Claim:
    """Claim a figure, or the difference of two, at one alpha.

    Parameters
    ----------
    terms
        One judgement with sign 1, or two on the same trials with signs 1 and -1.
    measure
        What is claimed of.
    index
        Which of the judgements' alphas.
    threshold
        ``re-estimated`` falls back to ``fixed`` where thresholds were given and there is nothing to choose them on.

    Returns
    -------
    Claim
        Its estimate, variance and degrees of freedom.
    """
    return _claims(terms, measure, [index], threshold)[0]


def claims_along(terms: Terms, measure: Measure, *, threshold: Threshold = "re-estimated") -> list[Claim]:
    """Claim a figure, or the difference of two, at every alpha; see `claim`."""
    return _claims(terms, measure, range(len(terms[0][1].alpha)), threshold)


def _claims(terms: Terms, measure: Measure, indices: Sequence[int], threshold: Threshold) -> list[Claim]:
    moving = threshold == "re-estimated" and all(judgement.movement is not None for _, judgement in terms)
    deviations = ThresholdDeviations.of(terms, measure) if moving else None
    added = None if deviations is None else deviations.variances()
    shared = None if deviations is None else _joint(terms, measure, indices, deviations)
    spreads: dict[tuple[float, ...], Spread] = {}
    found = []
    for index in indices:
        alpha = float(terms[0][1].alpha[index])
        counts = [judgement.at(index) for _, judgement in terms]
        estimate = sum(sign * float(measure(own, alpha)) for (sign, _), own in zip(terms, counts, strict=True))
        key = (alpha if measure.depends_on_alpha else 0.0, *(own.threshold for own in counts))
        if key not in spreads:  # the NaN of folds never is: they have thresholds of their own at every alpha
            spreads[key] = _spread(terms, measure, counts, alpha, index)
        spread = spreads[key]
        if deviations is None or added is None:
            found.append(Claim(estimate, spread, 0.0, spread.degrees, "fixed"))
            continue
        joint = 0.0 if shared is None else float(shared[indices.index(index)])
        found.append(re_estimated(estimate, spread, float(added[index]), joint=joint))
    return found


def re_estimated(estimate: float, spread: Spread, moved: float, degrees: float = inf, *, joint: float = 0.0) -> Claim:
    """Claim with the variance that thresholds add, and the degrees of freedom of that part.

    They are infinite for thresholds: a large deviation comes with a large variance, as both grow with the rates there,
    so no quantile beyond the normal one is needed.
    `joint` is twice the covariance of the two parts, through people of both dev and test: what they add to one may be
    taken from the other, though never more than half of all.
    """
    whole = max(spread.variance + moved + joint, (spread.variance + moved) / 2)
    together = welch([(spread.variance, spread.degrees), (moved, degrees)])
    return Claim(estimate, spread, whole - spread.variance, together, "re-estimated")


def claim_of_values(
    sets: TrialSets,
    estimate: float,
    on_test: Floats,
    on_dev: Floats | None = None,
    *,
    threshold: Threshold = "re-estimated",
    differs: bool = False,
) -> Claim:
    """Claim a figure that moves as the sum of both class means of values by trial.

    Parameters
    ----------
    sets
        Dev and test trials, and who shares them.
    estimate
        The figure, or the difference of two.
    on_test
        What each test trial adds to it.
    on_dev
        What each dev trial adds through what was chosen or fitted on dev; None where nothing was, or nothing is known
        of it, and the claim is ``fixed``.
    threshold
        ``fixed`` leaves out what dev adds.
    differs
        Whether it is a difference by trial, whose variance is not below half of that by chance.
    """
    test = sets.test
    assert isinstance(test, Trials)
    spread = spread_of_values(sets.people[1], test.genuine, on_test)
    if differs:
        spread = not_below_chance(spread, on_test, (1.0, 1.0), test.genuine)
    if on_dev is None or threshold == "fixed":
        return Claim(estimate, spread, 0.0, spread.degrees, "fixed")
    assert isinstance(sets.dev, Trials)
    moved, joint = spread_of_values(sets.people[0], sets.dev.genuine, on_dev), 0.0
    if sets.people[0] is not None and sets.people[1] is not None and sets.overlap:
        first, second = sets.people[0].error_sums(on_dev), sets.people[1].error_sums(on_test)
        size = min(len(first), len(second))
        joint = 2 * float(first[:size] @ second[:size])
    return re_estimated(estimate, spread, moved.variance, moved.degrees, joint=joint)


def spread_of_values(people: People | None, genuine: NDArray[np.bool_], values: Floats) -> Spread:
    """The variance of the sum of both class means of values by trial."""
    if people is None:
        return independent_spread(genuine, values)
    return people.variance(contributions(genuine, values, (1.0, 1.0)))


def largest_of_all(
    terms: Terms, measure: Measure, kept: NDArray[np.bool_], *, confidence: float, threshold: Threshold
) -> float:
    """The critical value for all alphas at once: that of the largest of all deviations where nothing differs.

    The deviations are those of replicates of the people of test, and of the thresholds that dev's people give. `kept`
    says which alphas count.
    """
    moved = _test_deviations(terms, measure, range(len(terms[0][1].alpha)))
    if threshold == "re-estimated" and all(judgement.movement is not None for _, judgement in terms):
        deviations = ThresholdDeviations.of(terms, measure)
        moved = moved + deviations.moved
    return largest_deviation(moved[:, kept], confidence, terms[0][1].sets.seed)


def largest_deviation(replicates: Floats, confidence: float, seed: int) -> float:
    """The quantile of the largest of deviations in their standard deviations, over all columns of replicates.

    The mean of two: that of the replicates themselves, which are few, and that of normal deviates that are correlated
    as they are, of which there are many. A threshold that minimises a cost jumps now and then, and not as far in new
    dev sets as in replicates, which keep the jumps of the one that there is.
    """
    spread = np.sqrt(np.mean(replicates**2, axis=0))
    moving = spread > 0
    if not moving.any():
        return inf
    scaled = replicates[:, moving] / spread[moving]
    with one_thread():
        values, vectors = np.linalg.eigh(scaled.T @ scaled / len(scaled))
        # the symmetric root of their covariance: it is the same by any library
        root = vectors * np.sqrt(np.maximum(values, 0.0)) @ vectors.T
        process = np.random.default_rng([seed, 4]).normal(size=(_PROCESSES, len(root))) @ root
    return sum(float(np.quantile(np.max(np.abs(drawn), axis=1), confidence)) for drawn in (scaled, process)) / 2


def _test_deviations(terms: Terms, measure: Measure, indices: Sequence[int]) -> Floats:
    """Replicates of the figure with the thresholds as they are: one row per replicate, one column per index."""
    parts = []
    for sign, judgement in terms:
        one_by_one = judgement.fold_thresholds is not None or len(indices) < _TABLE_PAYS
        find = partial(_by_decisions if one_by_one else _by_tables, judgement, measure, indices)
        parts.append(sign * judgement.once(("test", measure, tuple(indices)), find))
    return np.asarray(np.sum(parts, axis=0))


def _by_decisions(judgement: Judgement, measure: Measure, indices: Sequence[int]) -> Floats:
    """The same for one system, from the trials that it decides wrongly."""
    sets, genuine = judgement.sets, judgement.trials.genuine
    people, found = sets.people[1], []
    for index in indices:
        weights = local_weights(measure, judgement.at(index), float(judgement.alpha[index]))[:2]
        wrong = judgement.wrong(index)
        if people is not None:
            sums = people.error_sums(wrong, weights)
            found.append(sets.draws.move_people(np.concatenate([sums, np.zeros(max(sets.draws.size - len(sums), 0))])))
            continue
        own, total = contributions(genuine, wrong, weights), np.zeros(sets.n_resamples)
        for which, rows in enumerate((genuine, ~genuine)):
            groups = sets.draws.groups(int(rows.sum()), 2 + which)
            total += sets.draws.trials(len(groups), 2 + which) @ np.bincount(groups, own[rows])
        found.append(total)
    return np.stack(found, axis=1)


def _by_tables(judgement: Judgement, measure: Measure, indices: Sequence[int]) -> Floats:
    """The same for many alphas at once, from the numbers of trials between their thresholds."""
    sets, trials = judgement.sets, judgement.trials
    scores = trials.column(judgement.system)
    thresholds, place = np.unique(judgement.test.threshold[list(indices)], return_inverse=True)
    counts = count_errors(judgement.judged_source(), thresholds)
    weights = [local_weights(measure, judgement.at(k), float(judgement.alpha[k])) for k in indices]
    total = np.zeros((sets.n_resamples, len(indices)))
    for which, rows in enumerate((trials.genuine, ~trials.genuine)):
        part = None if sets.people[1] is None else sets.people[1].classes[which]
        by_unit = deviations_by_unit(scores[rows], part, counts, sets.draws, 2 + which)
        drawn = sets.draws.people() if part is not None else sets.draws.trials(int(rows.sum()), 2 + which)
        own = np.array([weight.far if which else weight.frr for weight in weights])
        with one_thread():
            total += own * (drawn @ by_unit)[:, place]
    return total


def _spread(terms: Terms, measure: Measure, counts: Sequence[ErrorCounts], alpha: float, index: int) -> Spread:
    """The variance on the judged trials, thresholds as they are."""
    weights = [local_weights(measure, own, alpha) for own in counts]
    people = terms[0][1].sets.people[1]
    if len(terms) == 1 and people is None:
        counted = terms[0][1].counted_people
        if counted is None:
            return counted_spread(counts[0], weights[0])
        return counted.spread(terms[0][1].place_of(index), weights[0][:2])
    errors, shared = _errors(terms, weights, index)
    if people is None:
        found = independent_spread(terms[0][1].trials.genuine, errors, shared)
    else:
        found = people.error_variance(errors, shared)
    if len(terms) == 1:
        return found
    genuine = terms[0][1].trials.genuine
    hidden = sum(
        max(weight**2 for weight in of_class) * hidden_variance(own)
        for rows, own, of_class in (
            (genuine, found.genuine, [own.frr for own in weights]),
            (~genuine, found.impostor, [own.far for own in weights]),
        )
        if not errors[rows].any()
    )
    return replace(not_below_chance(found, errors, shared, genuine), hidden=hidden)


def counted_spread(counts: ErrorCounts, weights: Weights) -> Spread:
    """The variance of a weighted sum of rates from counts alone, all trials independent."""
    return put_classes_together(
        independent_class(weights.frr**2 * counts.frr * (1 - counts.frr), counts.genuine),
        independent_class(weights.far**2 * counts.far * (1 - counts.far), counts.impostor),
    )


def _errors(terms: Terms, weights: Sequence[Weights], index: int) -> tuple[NDArray[Any], tuple[float, float]]:
    """Errors or differences of errors by trial, and the weights of FAR and FRR that go with them."""
    wrong = [judgement.wrong(index) for _, judgement in terms]
    if len(terms) == 1:
        return wrong[0], weights[0][:2]
    if all(own[:2] == weights[0][:2] for own in weights):
        total = sum(int(sign) * own.astype(np.int8) for (sign, _), own in zip(terms, wrong, strict=True))
        return np.asarray(total), weights[0][:2]
    genuine = terms[0][1].trials.genuine
    mixed = [
        sign * np.where(genuine, own.frr, own.far) * errors
        for (sign, _), own, errors in zip(terms, weights, wrong, strict=True)
    ]
    return np.sum(mixed, axis=0), (1.0, 1.0)


def not_below_chance(
    spread: Spread, errors: NDArray[Any], weights: tuple[float, float], genuine: NDArray[np.bool_]
) -> Spread:
    """A variance that is not below half of what the discordant trials have if nothing differs, as in eq. (16).

    So a difference that is the same for everybody has a variance too. `errors` are differences by trial.
    """
    squares = [
        weight**2 * float(np.sum(errors[rows].astype(np.float64) ** 2)) / np.count_nonzero(rows) ** 2
        for rows, weight in ((genuine, weights[1]), (~genuine, weights[0]))
    ]
    return replace(spread, variance=not_below_half(spread.variance, sum(squares)))


@dataclass(frozen=True, slots=True, eq=False)
class ThresholdDeviations:
    """By how much a figure moves with its thresholds: one row per replicate, one column per alpha."""

    moved: Floats
    of_people: bool
    """Whether people were drawn, and not trials."""

    @classmethod
    def of(cls, terms: Terms, measure: Measure) -> ThresholdDeviations:
        """The deviations of all terms together."""
        return cls.together([(sign, cls._of_one(judgement, measure)) for sign, judgement in terms])

    @classmethod
    def _of_one(cls, judgement: Judgement, measure: Measure) -> ThresholdDeviations:
        return judgement.once(("moved", measure), partial(cls._find, judgement, measure))

    @classmethod
    def _find(cls, judgement: Judgement, measure: Measure) -> ThresholdDeviations:
        movement, counts = judgement.movement, judgement.test
        assert movement is not None
        frr, far = (
            movement.rates(which, np.asarray(errors, dtype=np.float64), trials)
            for which, (errors, trials) in enumerate(
                ((counts.false_rejects, counts.genuine), (counts.false_accepts, counts.impostor))
            )
        )
        moved, at = (_values(measure, counts, judgement.alpha, far[k], frr[k]) for k in (0, 1))
        return cls.from_replicates(movement, moved - at)

    @classmethod
    def from_replicates(cls, movement: Movement, moved: Floats) -> ThresholdDeviations:
        """The deviations of figures from what they are at the middle of the movement; see `Movement.rates`."""
        # a minimum has more to one side, and its mean is not where the threshold would be
        return cls(moved - moved.mean(axis=0) if movement.crossing else moved, movement.of_people)

    @classmethod
    def together(cls, parts: Sequence[tuple[float, ThresholdDeviations]]) -> ThresholdDeviations:
        """The deviations of a weighted sum of figures."""
        whole = np.sum([weight * own.moved for weight, own in parts], axis=0)
        return cls(whole, all(own.of_people for _, own in parts))

    def columns(self, which: NDArray[np.int64]) -> ThresholdDeviations:
        """The deviations of some columns only."""
        return replace(self, moved=self.moved[:, which])

    def variances(self) -> Floats:
        """The variance of the figure through its thresholds, per alpha."""
        return np.asarray(np.mean(self.moved**2, axis=0))


def threshold_deviations(judgement: Judgement, measure: Measure) -> ThresholdDeviations | None:
    """By how much a measure moves with its thresholds; None where they were given."""
    return None if judgement.movement is None else ThresholdDeviations.of([(1.0, judgement)], measure)


def _values(measure: Measure, counts: ErrorCounts, alphas: Floats, far: Floats, frr: Floats) -> Floats:
    """A measure at error rates on the judged trials, whose last axis goes along alpha."""
    shape = far.shape
    accepts, rejects = far * counts.impostor, frr * counts.genuine
    if not measure.depends_on_alpha or len(alphas) == 1:
        flat = ErrorCounts(np.nan, accepts.ravel(), rejects.ravel(), counts.genuine, counts.impostor)
        return np.asarray(measure(flat, float(alphas[0])), dtype=np.float64).reshape(shape)
    columns = [
        measure(ErrorCounts(np.nan, accepts[..., k], rejects[..., k], counts.genuine, counts.impostor), alpha)
        for k, alpha in enumerate(alphas.tolist())
    ]
    return np.stack([np.asarray(own, dtype=np.float64) for own in columns], axis=-1)


def _joint(terms: Terms, measure: Measure, indices: Sequence[int], deviations: ThresholdDeviations) -> Floats | None:
    """Twice the covariance of what the threshold adds and what the test trials add, by people who are in both."""
    first = terms[0][1]
    if not deviations.of_people or not first.sets.overlap or first.counted_people is not None:
        return None
    on_test = _test_deviations(terms, measure, indices)
    return np.asarray(2 * np.mean(deviations.moved[:, list(indices)] * on_test, axis=0))
