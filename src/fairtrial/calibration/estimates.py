"""Estimate statistics of evidence: variance by people, what the calibration adds, limits, tests, resampling.

Every call from this room into `inference` is here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import e, exp, inf, isfinite, log, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fairtrial.calibration.evidence import Floats, by_class, dev_pav
from fairtrial.calibration.methods import Influence, score_table, units_of
from fairtrial.calibration.model import BoundsName, Calibration, RatioSource, fit_calibration
from fairtrial.calibration.parametric import Linear, LinearInfluence
from fairtrial.core.errors import TrialsError, as_generator, check_confidence, check_resamples
from fairtrial.core.trials import Trials
from fairtrial.core.words import listed, term
from fairtrial.counting.tallies import ErrorCounts, ScoreSource, as_source
from fairtrial.inference.bootstrap import Bootstrap, count_table, replicate
from fairtrial.inference.decide import SUPPORT, Judgement
from fairtrial.inference.estimates import (
    Alternative,
    Estimate,
    Threshold,
    estimate_of_values,
    rates_of,
    student_quantile,
    variance_of_values,
)
from fairtrial.inference.folds import Block, folds_of_trials
from fairtrial.inference.intervals import RateInterval
from fairtrial.inference.multiplicity import Correction, adjust_p_values
from fairtrial.inference.people import Cluster, People
from fairtrial.inference.split import PROVENANCES, Kind, Provenance, TrialSets
from fairtrial.inference.tests import TestResult, student_test
from fairtrial.inference.variance import Variance
from fairtrial.rules.measures import Weights

if TYPE_CHECKING:
    from fairtrial.calibration.measures import EvidenceMeasure

__all__ = [
    "PROVENANCES",
    "SUPPORT",
    "Alternative",
    "Block",
    "Bootstrap",
    "Cluster",
    "Correction",
    "ErrorSum",
    "Estimate",
    "Evidence",
    "Figure",
    "Judgement",
    "Kind",
    "People",
    "Provenance",
    "RateInterval",
    "TestResult",
    "Threshold",
    "TrialSets",
    "adjust_p_values",
    "bootstrap_figure",
    "check_finite",
    "dev_pav_interval",
    "draw_trials",
    "estimate_of",
    "evidence_interval",
    "evidence_test",
    "fit_evidence",
    "folds_of_people",
    "map_limits",
    "missed_trials",
    "parameter_intervals",
    "replicate_counts",
    "uncertainty_on_dev",
]

_FOLDS = 5
_JACKKNIFE = 10
_MOST = 200_000
"""Trials of dev and test together beyond which devPAV has no interval."""
_BOOTSTRAP_GROUPS = 1000
_AT_ONCE = 256
_ANCHORS = 9
_ROUNDING = 1e-12
"""A limit that is nearer to the end of its range than this, relative to the interval, is that end."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """A calibrated system on the judged trials.

    Parameters
    ----------
    calibration
        From scores to ratios.
    sets
        The trials that it was fitted on and those that are judged, and who takes part in them.
    folded
        If one set is judged in blocks: the calibration of each, fitted on trials of other people. `calibration` then is
        that of all trials.
    """

    calibration: Calibration
    sets: TrialSets
    folded: tuple[Calibration, ...] = ()

    @property
    def system(self) -> str:
        """The calibrated system, or systems."""
        return " + ".join(self.calibration.systems)

    @property
    def in_memory(self) -> bool:
        """Whether the judged trials are in memory, so that there are intervals."""
        return isinstance(self.sets.test, Trials)

    @property
    def dev(self) -> Trials:
        """The trials that the calibration was fitted on."""
        return _trials_of(self.sets.dev)

    @property
    def test(self) -> Trials:
        """The judged trials."""
        return _trials_of(self.sets.test)

    @property
    def genuine(self) -> NDArray[np.bool_]:
        """Which of the judged trials are genuine."""
        return self.test.genuine

    @cached_property
    def ratios(self) -> Floats:
        """The log-likelihood ratio of each judged trial."""
        if not self.folded:
            return self.calibration.ratios(self.test)
        ratios = np.full(len(self.test), np.nan)
        for block, calibration in zip(self.sets.blocks, self.folded, strict=True):
            ratios[block.held_out] = calibration.map(self.scores[block.held_out])
        return ratios

    @cached_property
    def pair(self) -> tuple[Floats, Floats]:
        """Ratios of genuine and of impostor trials."""
        return self.ratios[self.genuine], self.ratios[~self.genuine]

    @cached_property
    def scores(self) -> Floats:
        """The scores of the judged trials: one row per trial, one column per system."""
        return score_table(self.test, self.calibration.systems)

    @property
    def given(self) -> Floats:
        """What minima are taken over maps of: the scores as given, or the ratios of a fusion."""
        return self.scores[:, 0] if len(self.calibration.systems) == 1 else self.ratios

    @cached_property
    def source(self) -> ScoreSource:
        """The log-likelihood ratios."""
        return as_source(self.pair) if self.in_memory else RatioSource.of(self.sets.test, self.calibration)

    @cached_property
    def given_source(self) -> ScoreSource:
        """The scores that minima are taken over maps of; see `given`."""
        if not self.in_memory:
            return as_source(self.sets.test, system=self.calibration.systems[0])
        return as_source((self.given[self.genuine], self.given[~self.genuine]))

    @property
    def influence(self) -> Influence | None:
        """How dev trials determine the calibration; None if unknown."""
        return self.calibration.influence if self.sets.origin in ("dev", "folds") else None

    def moved_by(self, slopes: Floats) -> Floats | None:
        """Compute the influence of each dev trial on a statistic from its slopes in the ratios of test trials."""
        if self.influence is None:
            return None
        if self.calibration.bounds is not None:  # a bounded ratio does not move
            low, high = self.calibration.bounds
            slopes = np.where((self.ratios > low) & (self.ratios < high), slopes, 0.0)
        return by_class(self.influence.moves(self.scores, slopes), self.dev.genuine)


def _trials_of(data: object) -> Trials:
    if not isinstance(data, Trials):
        raise TrialsError(
            "intervals and curves of evidence need trials in memory, one row per trial; see Trials.from_arrays",
            code="needs-trials",
        )
    return data


def fit_evidence(
    sets: TrialSets,
    systems: Sequence[str],
    *,
    method: str = "logistic",
    prior: float = 0.5,
    bounds: BoundsName = "none",
) -> Evidence:
    """Calibrate systems on dev; with folds, each block on trials of other people.

    Raises
    ------
    TrialsError
        If some trials are in no block.
    """
    assert sets.dev is not None
    how: dict[str, Any] = {"systems": systems, "method": method, "prior": prior, "bounds": bounds}
    folded = []
    if sets.blocks:
        dev = _trials_of(sets.dev)
        judged = np.any([block.held_out for block in sets.blocks], axis=0)
        if not judged.all():
            raise TrialsError(
                "evidence is measured on all trials, but {trials:count} of them are in no block; make_blocks(...) "
                "deals out all",
                code="not-in-a-block",
                trials=int(np.count_nonzero(~judged)),
            )
        folded = [fit_calibration(dev.rows(np.flatnonzero(block.others)), **how) for block in sets.blocks]
    return Evidence(fit_calibration(sets.dev, **how), sets, tuple(folded))


@dataclass(frozen=True, slots=True)
class ErrorSum:
    """The errors behind a weighted sum of two error rates."""

    counts: ErrorCounts
    weights: Weights


@dataclass(frozen=True, slots=True, eq=False)
class Figure:
    """A statistic of evidence on the judged trials."""

    estimate: float
    values: Floats | None = None
    """What each judged trial adds: the sum of their class means moves as the statistic does; None if the trials are not
    in memory."""
    moves: Floats | None = None
    """The influence of each dev trial through the calibration, times the trials of its class; None if the calibration
    does not matter, or its influence is unknown."""
    least_high: float = 0.0
    """A lower bound of the upper limit, for an estimate of 0."""
    errors: ErrorSum | None = None
    """For a weighted sum of error rates: the errors, which give its limits."""
    parts: tuple[Figure, ...] = ()
    """What it is the mean of."""

    @classmethod
    def mean_of(cls, parts: Sequence[Figure]) -> Figure:
        """Average several statistics of the same evidence."""
        if len(parts) == 1:
            return parts[0]
        values = [part.values for part in parts if part.values is not None]
        moves = [part.moves for part in parts if part.moves is not None]
        return cls(
            float(np.mean([part.estimate for part in parts])),
            np.mean(values, axis=0) if values else None,
            np.mean(moves, axis=0) if len(moves) == len(parts) else None,
            parts=tuple(parts),
        )

    def __sub__(self, other: Figure) -> Figure:
        moves = None
        if self.moves is not None or other.moves is not None:
            first, second = (0.0 if figure.moves is None else figure.moves for figure in (self, other))
            moves = np.asarray(first - second)
        with np.errstate(invalid="ignore"):  # infinite evidence is refused when something is estimated
            estimate = float(np.subtract(self.estimate, other.estimate))
            if self.values is None or other.values is None:
                return Figure(estimate)
            return Figure(estimate, self.values - other.values, moves)


def estimate_of(figure: Figure, evidence: Evidence, *, threshold: Threshold = "re-estimated") -> Estimate:
    """Estimate the variance of a statistic, or of the difference of two on the same trials.

    Parameters
    ----------
    figure
        A statistic, or the difference of two.
    evidence
        Where it comes from; of a difference, either.
    threshold
        ``re-estimated`` adds the variance of the calibration over other dev people, if it is known.

    Raises
    ------
    TrialsError
        If a trial has infinite evidence for the wrong side.
    """
    if not np.isfinite(figure.estimate):
        raise TrialsError(
            "a trial has infinite evidence for the wrong side, so nothing can be said of a difference",
            code="infinite-evidence",
        )
    assert figure.values is not None
    return estimate_of_values(evidence.sets, figure.estimate, figure.values, figure.moves, threshold=threshold)


def folds_of_people(evidence: Evidence) -> Iterator[tuple[NDArray[np.bool_], NDArray[np.bool_]]]:
    """Divide the judged trials by people into those held out and the rest, five times.

    Claimed people are dealt into folds, or subjects, or trials without ids. Folds whose rest lacks a class are left
    out.
    """
    test, rng = evidence.test, np.random.default_rng([evidence.sets.seed, 6])
    role = "subject" if evidence.sets.sharing == "subject" else "claim"
    if evidence.sets.people[1] is None or role not in test.ids:
        fold = rng.permutation(len(test)) % _FOLDS
    else:
        codes = test.ids[role].numbered().codes
        fold = (rng.permutation(int(codes.max()) + 1) % _FOLDS)[codes]
    for k in range(_FOLDS):
        held, rest = fold == k, fold != k
        if held.any() and (rest & evidence.genuine).any() and (rest & ~evidence.genuine).any():
            yield held, rest


def uncertainty_on_dev(evidence: Evidence, moves: Floats) -> float:
    """Compute the standard deviation of something over dev people, from the influence of each dev trial."""
    values = by_class(moves, evidence.dev.genuine)
    return sqrt(variance_of_values(evidence.sets.people[0], evidence.dev.genuine, values).value)


def evidence_interval(
    measure: EvidenceMeasure,
    evidence: Evidence,
    *,
    confidence: float = 0.95,
    threshold: Threshold = "re-estimated",
    figure: Figure | None = None,
) -> RateInterval:
    """Compute the interval of a measure of evidence.

    Parameters
    ----------
    measure
        The measure.
    evidence
        The judged trials, calibrated.
    confidence
        The level of confidence, between 0 and 1.
    threshold
        ``re-estimated``: the system, calibrated on new dev trials. ``fixed``: this calibration. A measure that does not
        depend on dev is always fixed.
    figure
        The statistic, if it is known already.

    Notes
    -----
    Student's limits on a logarithmic scale, as costs are above 0; beyond the distance of the estimate from 0 they go on
    straight, down to 0 and up to the highest possible value. If min Cllr is 0, its upper limit is at least the mean
    cost at the bounded map of other people. A detection cost, like the EER on the convex hull, is a weighted sum of two
    error rates and has their limits, with one quantile for all that varies. The limits of a mean over operating points
    are the means of theirs.
    """
    check_confidence(confidence)
    known = measure.figure(evidence) if figure is None else figure
    whole: dict[str, Any] = {"is_share": measure.is_share, "label": measure.label, "sharing": evidence.sets.sharing}
    if not np.isfinite(known.estimate):
        given: Threshold = "fixed" if known.moves is None else threshold
        return RateInterval(known.estimate, 0.0, inf, inf, confidence, "student", measure.name, given, **whole)
    found = estimate_of(known, evidence, threshold=threshold)
    estimate, limits = found.value, "student"
    parts = known.parts or (known,)
    if parts[0].errors is not None:
        ends = [_limits_of_sum(part, evidence, confidence, threshold) for part in parts]
        low, high = np.mean(ends, axis=0).tolist()
        limits = "wilson"
    else:
        reach = student_quantile(found.df, confidence) * found.sigma
        if measure.signed:
            low, high = estimate - reach, estimate + reach
        else:
            near = min(reach, estimate)
            factor, beyond = exp(near / estimate) if estimate > 0 else e, reach - near
            low, high = estimate / factor - beyond, max(estimate * factor + beyond, known.least_high)
    if not measure.signed:
        slack = _ROUNDING * max(high, estimate)
        low = 0.0 if low <= slack else low
        high = measure.most if high >= measure.most - slack else high
    return RateInterval(estimate, low, high, found.sigma, confidence, limits, measure.name, found.threshold, **whole)


def _limits_of_sum(figure: Figure, evidence: Evidence, confidence: float, threshold: Threshold) -> tuple[float, float]:
    """Compute the limits of a weighted sum of two error rates."""
    assert figure.errors is not None
    made = estimate_of(figure, evidence, threshold=threshold)
    rates = rates_of(figure.errors.counts, figure.errors.weights, made.variance)
    return replace(made, rates=rates).interval(confidence)


def check_finite(measure: EvidenceMeasure, figures: Mapping[str, Figure]) -> None:
    """Refuse to test a difference from a system whose figure, by its name, is infinite."""
    infinite = [name for name, figure in figures.items() if not isfinite(figure.estimate)]
    if infinite:
        raise TrialsError(
            "{systems}: a trial has infinite evidence for the wrong side, so no difference in {measure} can be tested; "
            "leave such systems out",
            code="infinite-evidence",
            systems=listed(infinite),
            measure=term(measure.label),
        )


def evidence_test(
    measure: EvidenceMeasure,
    evidence: Evidence,
    difference: Figure,
    *,
    alternative: Alternative = "two-sided",
    threshold: Threshold = "re-estimated",
) -> TestResult:
    """Test the difference of a measure between two systems on the same trials.

    Parameters
    ----------
    measure
        The measure.
    evidence
        That of either system.
    difference
        The statistic of A less that of B.
    alternative
        What is claimed of A - B.
    threshold
        Whether the calibrations are re-estimated or fixed.
    """
    made = estimate_of(difference, evidence, threshold=threshold)
    test = student_test(evidence.sets.test_name, made, alternative=alternative)
    note = test.note or measure.caution
    return replace(test, measure=measure.name, is_share=measure.is_share, note=note, label=measure.label)


def bootstrap_figure(
    figure: Figure, evidence: Evidence, *, n_resamples: int = 10_000, rng: int | None = 0
) -> Bootstrap:
    """Bootstrap a statistic to first order, by people, or by trials without ids.

    Parameters
    ----------
    figure
        The statistic, or the difference of two.
    evidence
        Where it comes from; of a difference, that of either system.
    n_resamples, rng
        The number of resamples, and the seed.

    Notes
    -----
    Trials without ids are dealt at random into at most 1,000 groups per class, which are drawn.
    """
    check_resamples(n_resamples)
    generator, people = as_generator(rng), evidence.sets.people[1]
    assert figure.values is not None
    parts = np.empty(len(figure.values))
    for rows in (evidence.genuine, ~evidence.genuine):
        parts[rows] = (figure.values[rows] - figure.values[rows].mean()) / np.count_nonzero(rows)
    if people is not None:
        sums = np.zeros(people.size)
        for part in people.classes:
            for role in part.by_role:
                by_person = part.sums(role, parts[part.rows])
                sums[: len(by_person)] += by_person
    else:
        sums = np.concatenate(
            [
                np.bincount(generator.permutation(len(some)) % _BOOTSTRAP_GROUPS, some)
                for some in (parts[evidence.genuine], parts[~evidence.genuine])
            ]
        )
    drawn = np.empty(n_resamples)
    for start in range(0, n_resamples, _AT_ONCE):
        rows = drawn[start : start + _AT_ONCE]
        if people is not None:
            rows[:] = people.draw(len(rows), generator) @ sums
        else:
            rows[:] = generator.multinomial(len(sums), np.full(len(sums), 1 / len(sums)), len(rows)) @ sums
    return Bootstrap(figure.estimate, figure.estimate + drawn - drawn.mean())


def parameter_intervals(evidence: Evidence, confidence: float) -> tuple[RateInterval, ...]:
    """Compute Student's intervals of weights and offset, by dev people; none unless the map is linear."""
    calibration, people = evidence.calibration, evidence.sets.people[0]
    if not isinstance(calibration.influence, LinearInfluence) or not isinstance(calibration.mapping, Linear):
        return ()
    parameters = calibration.mapping.described(calibration.systems)
    sharing: Cluster = "none" if people is None else people.cluster
    intervals = []
    for (name, value), influence in zip(parameters.items(), calibration.influence.by_parameter.T, strict=True):
        genuine = evidence.dev.genuine
        moves = by_class(influence, genuine)
        unit = float(units_of(moves[:, None])[0])
        variance = variance_of_values(people, genuine, moves / unit)
        sigma = sqrt(variance.value) * unit
        reach = student_quantile(variance.df, confidence) * sigma
        limits = value - reach, value + reach
        intervals.append(
            RateInterval(value, *limits, sigma, confidence, "student", name, is_share=False, sharing=sharing)
        )
    return tuple(intervals)


def dev_pav_interval(evidence: Evidence, *, confidence: float = 0.95) -> RateInterval | None:
    """Compute the interval of devPAV: Student's limits on a logarithmic scale, by the jackknife over ten groups.

    Parameters
    ----------
    evidence
        The judged trials, calibrated.
    confidence
        The level of confidence, between 0 and 1.

    Returns
    -------
    RateInterval or None
        None if devPAV is unknown, also without one of the groups; with fewer than ten people; and with more than
        200,000 trials.

    Notes
    -----
    People are dealt into ten groups, or trials without ids. Each group of test people is left out, and each group of
    dev people, with the calibration fitted to the rest. A trial of people of two groups is left out twice, so that
    intervals are conservative.
    """
    estimate, sets = dev_pav(evidence.pair), evidence.sets
    re_estimated = sets.origin == "dev" and evidence.influence is not None
    trials = len(evidence.test) + (len(evidence.dev) if re_estimated else 0)
    if trials > _MOST or not (isfinite(estimate) and estimate > 0):
        return None

    def without_test(rows: NDArray[np.bool_]) -> float:
        ratios, genuine = evidence.ratios[rows], evidence.genuine[rows]
        return dev_pav((ratios[genuine], ratios[~genuine]))

    def without_dev(rows: NDArray[np.bool_]) -> float:
        ratios = _refit(evidence.calibration, evidence.dev.rows(np.flatnonzero(rows))).ratios(evidence.test)
        return dev_pav((ratios[evidence.genuine], ratios[~evidence.genuine]))

    try:
        variance = _jackknife(evidence.test, sets.people[1], without_test, sets.seed)
        if re_estimated:
            variance += _jackknife(evidence.dev, sets.people[0], without_dev, sets.seed)
    except TrialsError:  # too few people, or a class without trials
        return None
    if not isfinite(variance):
        return None
    sigma = sqrt(variance)
    factor = exp(min(student_quantile(_JACKKNIFE - 1, confidence) * sigma / estimate, 700.0))
    given: Threshold = "re-estimated" if re_estimated else "fixed"
    return RateInterval(
        estimate,
        estimate / factor,
        estimate * factor,
        sigma,
        confidence,
        "student",
        "dev-pav",
        given,
        is_share=False,
        label="devPAV",
        sharing=sets.sharing,
    )


def _refit(calibration: Calibration, dev: Trials) -> Calibration:
    bounds: BoundsName = "none" if calibration.bounds is None else "elub"
    how: dict[str, Any] = {"method": calibration.method, "prior": calibration.prior, "bounds": bounds}
    return fit_calibration(dev, systems=calibration.systems, **how)


def _jackknife(
    trials: Trials, people: People | None, without: Callable[[NDArray[np.bool_]], float], seed: int
) -> float:
    """Compute the jackknife variance of a statistic over groups of people."""
    cluster = "none" if people is None else people.cluster
    first, second = folds_of_trials(trials, _JACKKNIFE, cluster, np.random.default_rng([seed, 7]))
    left = np.array([without((first != group) & (second != group)) for group in range(_JACKKNIFE)])
    return float(np.sum((left - left.mean()) ** 2)) * (_JACKKNIFE - 1) / _JACKKNIFE


def map_limits(
    influence: LinearInfluence, people: People | None, dev: Trials, scores: Floats, ratios: Floats, confidence: float
) -> tuple[Floats, Floats]:
    """Compute Student's limits of ``weight * score + offset`` along scores, by dev people."""
    from scipy.interpolate import CubicSpline

    places = np.linspace(0.0, 1.0, _ANCHORS)
    low, width = scores[0], scores[-1] - scores[0]
    spreads: list[Variance] = [
        variance_of_values(
            people, dev.genuine, by_class(influence.by_parameter @ [low + place * width, 1.0], dev.genuine)
        )
        for place in places.tolist()
    ]
    # the variance is quadratic in the score
    variances = CubicSpline(places, [spread.value for spread in spreads])((scores - low) / width)
    df = min(spread.df for spread in spreads)
    reach = student_quantile(df, confidence) * np.sqrt(np.maximum(variances, 0.0))
    return ratios - reach, ratios + reach


def draw_trials(calibration: Calibration, dev: Trials, people: People | None, rng: np.random.Generator) -> Calibration:
    """Fit a calibration to dev people drawn anew with all their trials, or to trials without ids."""
    times = np.zeros(len(dev), dtype=np.int64)
    while not (times[dev.genuine].any() and times[~dev.genuine].any()):
        if people is None:
            for rows in (np.flatnonzero(dev.genuine), np.flatnonzero(~dev.genuine)):
                times[rows] = np.bincount(rng.integers(len(rows), size=len(rows)), minlength=len(rows))
            continue
        numbers = people.draw(1, rng)[0]
        for part in people.classes:
            times[part.rows] = part.times_drawn(numbers)
    return _refit(calibration, dev.rows(np.repeat(np.arange(len(dev)), times)))


def replicate_counts(
    trials: Trials,
    cells: NDArray[np.int64],
    size: int,
    people: People | None,
    pool: Callable[[Floats], Floats],
    *,
    n_resamples: int,
    rng: np.random.Generator | int | None,
) -> Floats:
    """Resample people, or trials without ids, and apply `pool` to the counts of genuine and impostor trials by cell."""
    table = count_table(trials, cells, size, people, stratified=people is None)
    drawn, _ = replicate(
        table, lambda rows: np.array([pool(row) for row in rows]), n_resamples=n_resamples, rng=rng, workers=1
    )
    return drawn


def missed_trials(people: People | None, confidence: float) -> tuple[float, float]:
    """Bound the genuine and impostor trials that an end without any may have missed (rule of three, by person)."""
    few = -log((1 - confidence) / 2)
    if people is None:
        return few, few
    genuine, impostor = (few * sqrt(len(part.rows) / part.effective) for part in people.classes)
    return genuine, impostor
