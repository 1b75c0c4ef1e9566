"""Measures of evidence: by name, with intervals and tests, a priori or a posteriori.

They are functions of all log-likelihood ratios, not of the errors at one threshold. Unless a measure says otherwise,
scores are calibrated on dev, by logistic calibration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from math import e, exp, inf, isfinite, log, log2, pi, sqrt
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from fairtrial.calibration.evidence import (
    CostPoint,
    CostTarget,
    Labels,
    Segments,
    by_class,
    cllr,
    cost_target,
    empirical_cross_entropy,
    softplus,
    sum_of_class_means,
)
from fairtrial.calibration.methods import Influence, fit_steps, score_table
from fairtrial.calibration.model import Calibration, fit_calibration, ratio_source, unchanged_scores
from fairtrial.core.errors import (
    ParameterError,
    TrialsError,
    as_generator,
    check_confidence,
    check_resamples,
    check_share,
)
from fairtrial.core.notes import Note
from fairtrial.core.trials import Further, Ids, Trials, recode, sorted_rows
from fairtrial.core.words import listed, shown, term
from fairtrial.counting.search import hull_points
from fairtrial.counting.tallies import ErrorCounts, ScoreSource, as_source, count_errors
from fairtrial.inference.bootstrap import Bootstrap
from fairtrial.inference.decide import Judgement, once
from fairtrial.inference.estimates import (
    Estimate,
    Threshold,
    estimate_of_values,
    estimated_interval,
    rates_of,
    variance_of_values,
)
from fairtrial.inference.folds import check_all_held_out
from fairtrial.inference.intervals import RateInterval
from fairtrial.inference.split import Kind, Provenance, TrialSets
from fairtrial.inference.student import Alternative, student_quantile
from fairtrial.inference.tests import TestResult, student_test
from fairtrial.inference.variance import Floats, Variance
from fairtrial.rules.measures import SUPPORT, Weights

GIVEN_CALIBRATION: dict[Threshold, str] = {
    "re-estimated": "calibration re-estimated",
    "fixed": "given this calibration",
}
"""What sentences say of the calibration."""
_BY_OTHERS = 2 / 3  # the weight of costs at the best choice of other people in the variance of a minimum
_FOLDS = 5
_BOOTSTRAP_GROUPS = 1000
_AT_ONCE = 256
_ROUNDING = 1e-12  # a limit that is nearer to the end of its range than this, relative to the interval, is that end


@dataclass(frozen=True, eq=False)
class Evidence:
    """A calibrated system on the judged trials."""

    calibration: Calibration  # from scores to ratios; of folds, the one fitted to all trials
    sets: TrialSets
    folded: tuple[Calibration, ...] = ()
    """The calibration of each block, fitted on trials of other people; none without folds."""
    _statistics: dict[EvidenceMeasure, Statistic] = field(default_factory=dict, repr=False)

    @classmethod
    def fitted(cls, sets: TrialSets, systems: Sequence[str], **options: Any) -> Evidence:
        """Calibrate systems on dev, with options of `fit_calibration`; with folds, each block on other people.

        Raises
        ------
        TrialsError
            If some trials are in no block.
        """
        assert sets.dev is not None
        options["systems"] = systems
        parts = [sets.trials("dev").rows(np.flatnonzero(block.others)) for block in sets.blocks]
        if parts:
            check_all_held_out(sets.blocks)
        whole, *folded = (fit_calibration(part, **options) for part in (sets.dev, *parts))
        return cls(whole, sets, tuple(folded))

    @property
    def system(self) -> str:
        """The calibrated system, or systems."""
        return " + ".join(self.calibration.systems)

    @property
    def in_memory(self) -> bool:
        """Whether the judged trials are in memory, so that there are intervals."""
        return self.sets.rows() is not None

    @property
    def dev(self) -> Trials:
        """The trials that the calibration was fitted on."""
        return self.sets.trials("dev")

    @property
    def test(self) -> Trials:
        """The judged trials."""
        return self.sets.trials()

    @property
    def genuine(self) -> Labels:
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

    @cached_property
    def unchanged(self) -> Evidence:
        """The same trials with the scores of one system as ratios; an error if several systems are fused."""
        if len(self.calibration.systems) > 1:
            template = "{systems}: several systems are fused, so there are no scores to take unchanged"
            raise ParameterError(template, code="one-system", systems=self.system)
        return Evidence(unchanged_scores(self.system), self.sets)

    @property
    def given(self) -> Floats:
        """The scores whose maps minima are taken over: those of one system, or the ratios of a fusion."""
        return self.scores[:, 0] if len(self.calibration.systems) == 1 else self.ratios

    @cached_property
    def source(self) -> ScoreSource:
        """The log-likelihood ratios."""
        return as_source(self.pair) if self.in_memory else ratio_source(self.given_source, self.calibration)

    @cached_property
    def given_source(self) -> ScoreSource:
        """The scores whose maps minima are taken over; see `given`."""
        if self.in_memory:
            return as_source((self.given[self.genuine], self.given[~self.genuine]))
        return as_source(self.sets.test, system=self.calibration.systems[0])

    def statistic(self, measure: EvidenceMeasure) -> Statistic:
        """Compute the statistic of a measure, once."""
        if measure not in self._statistics:
            self._statistics[measure] = measure.figure(self)
        return self._statistics[measure]

    @property
    def influence(self) -> Influence | None:
        """How dev trials determine the calibration; None if unknown."""
        return self.calibration.influence if self.sets.origin in ("dev", "folds") else None

    def moved_by(self, slopes: Floats) -> Floats | float:
        """Compute the influence of each dev trial on a statistic from its slopes in the ratios of test trials."""
        if self.influence is None:
            return 0.0
        if self.calibration.bounds is not None:  # a bounded ratio does not move
            low, high = self.calibration.bounds
            slopes = np.where((self.ratios > low) & (self.ratios < high), slopes, 0.0)
        return by_class(self.influence.moves(self.scores, slopes), self.dev.genuine)

    def folds(self) -> Iterator[tuple[Labels, Labels]]:
        """Divide the judged trials by people into those held out and the rest, five times.

        Claimed people are dealt into folds, or subjects, or trials without ids. Folds whose rest lacks a class are left
        out.
        """
        test, rng = self.test, np.random.default_rng([self.sets.seed, 6])
        role = "subject" if self.sets.sharing == "subject" else "claim"
        if self.sets.people[1] is None or role not in test.ids:
            fold = (rng.permutation(len(test)) % _FOLDS)[np.argsort(sorted_rows(test))]
        else:
            (codes,) = recode([test.ids[role]])
            fold = (rng.permutation(int(codes.max()) + 1) % _FOLDS)[codes]
        for k in range(_FOLDS):
            held, rest = fold == k, fold != k
            if held.any() and (rest & self.genuine).any() and (rest & ~self.genuine).any():
                yield held, rest


@dataclass(frozen=True, slots=True, eq=False)
class Statistic:
    """A statistic of evidence on the judged trials."""

    estimate: float
    values: Floats = field(default_factory=lambda: np.empty(0))
    """What each judged trial adds: the sum of their class means moves as the statistic does; empty if not in memory."""
    moves: Floats | float = 0.0
    """The influence of each dev trial through the calibration, times the trials of its class; 0 if none or unknown."""
    least_high: float = 0.0  # a lower bound of the upper limit, for an estimate of 0
    errors: tuple[ErrorCounts, Weights] | None = None
    """Of a weighted sum of error rates: the errors and their weights, which give its limits."""
    parts: tuple[Statistic, ...] = ()  # what it is the mean of
    note: Note | str = ""  # why its interval should not be relied on; empty if there is nothing

    @property
    def of_errors(self) -> bool:
        """Whether it is a weighted sum of error rates, or a mean of such sums."""
        return (self.parts or (self,))[0].errors is not None

    @property
    def depends_on_dev(self) -> bool:
        """Whether the influence of dev trials through the calibration is known."""
        return np.ndim(self.moves) > 0

    @classmethod
    def mean_of(cls, parts: Sequence[Statistic]) -> Statistic:
        """Average several statistics of the same evidence."""
        if len(parts) == 1:
            return parts[0]
        columns = zip(*((part.estimate, part.values, part.moves) for part in parts), strict=True)
        estimate, values, moves = (np.mean(column, axis=0) for column in columns)
        return cls(float(estimate), values, moves, parts=tuple(parts))

    def __sub__(self, other: Statistic) -> Statistic:
        with np.errstate(invalid="ignore"):  # infinite evidence is refused when something is estimated
            estimate = float(np.subtract(self.estimate, other.estimate))
            return Statistic(estimate, self.values - other.values, self.moves - other.moves)

    def estimated(self, evidence: Evidence, *, threshold: Threshold = "re-estimated") -> Estimate:
        """Estimate the variance on these trials, and ``re-estimated`` that of the calibration over other dev people."""
        moves = np.asarray(self.moves) if self.depends_on_dev else None
        made = estimate_of_values(evidence.sets, self.estimate, self.values, moves, threshold=threshold)
        return made if self.errors is None else replace(made, rates=rates_of(*self.errors, made.variance))


def _entropies(ratios: Floats, genuine: Labels, prior: float) -> tuple[Floats, Floats]:
    """Compute the cost of each trial in bits, and the derivative of the sum of class means in its ratio."""
    signs = np.where(genuine, -1.0, 1.0)
    away = signs * (ratios + log(prior / (1 - prior)))
    shares = np.where(genuine, prior, 1 - prior) / log(2)
    counts = np.where(genuine, np.count_nonzero(genuine), np.count_nonzero(~genuine))
    return shares * softplus(away), shares * signs * expit(away) / counts


def entropy_statistic(evidence: Evidence, prior: float = 0.5) -> Statistic:
    """Compute the empirical cross-entropy at a prior, in bits; Cllr at one half."""
    if not evidence.in_memory:
        return Statistic(float(empirical_cross_entropy(evidence.source, prior)))
    values, slopes = _entropies(evidence.ratios, evidence.genuine, prior)
    return Statistic(sum_of_class_means(values, evidence.genuine), values, evidence.moved_by(slopes))


def cllr_statistic(evidence: Evidence) -> Statistic:
    """Compute Cllr; bit-identical to `cllr`."""
    return replace(entropy_statistic(evidence), estimate=cllr(evidence.source))


def least_entropy_statistic(evidence: Evidence, prior: float = 0.5) -> Statistic:
    """Compute the least cross-entropy of any non-decreasing map of the scores; min Cllr at one half.

    It is a minimum over maps, so to first order each trial adds its cost at the best map. That map follows the trials
    it is fitted to, which makes costs too even; at the bounded map of other people they are too uneven: `_between`.
    """
    if not evidence.in_memory:
        return Statistic(float(empirical_cross_entropy(evidence.given_source, prior, minimum=True)))
    given, genuine = evidence.given, evidence.genuine
    segments = Segments.of(evidence.given_source)
    place = np.minimum(np.searchsorted(segments.ends, given, side="left"), len(segments.ends) - 1)
    costs, _ = _entropies(segments.ratios()[place], genuine, prior)
    ratios = given.copy()
    for held, rest in evidence.folds():
        steps = fit_steps(as_source((given[rest & genuine], given[rest & ~genuine])))
        ratios[held] = steps.ratios(given[held, None])
    held_out, _ = _entropies(ratios, genuine, prior)
    estimate = sum_of_class_means(costs, genuine)
    least_high = sum_of_class_means(held_out, genuine) if estimate == 0 else 0.0
    return Statistic(estimate, _between(costs, held_out), least_high=least_high)


def _between(costs: Floats, by_others: Floats) -> Floats:
    """Weigh costs at the best choice, whose variance is too small, with those at the choice of other people."""
    return (1 - _BY_OTHERS) * costs + _BY_OTHERS * by_others


def rocch_eer_statistic(evidence: Evidence) -> Statistic:
    """Compute the equal error rate on the ROC convex hull: the highest over priors of the least Bayes error.

    It lies between two vertices, at the prior for which both cost the same: to first order each trial adds its cost
    there. Both error rates are equal there, and their sum, weighted by that prior, has the limits.
    """
    given, genuine = evidence.given, evidence.genuine
    hull = hull_points(evidence.given_source)
    away = np.asarray(hull.frr - hull.far)  # rises from vertex to vertex
    after = int(np.argmax(away >= 0))
    before = max(after - 1, 0)
    width = float(away[after] - away[before])
    share = float(away[after]) / width if width > 0 else 0.0  # of the vertex before
    # at a vertex all priors between those of its two sides would do: that of the chord is among them
    beyond = min(after + int(away[after] == 0), len(away) - 1)
    fall, rise = float(hull.far[before] - hull.far[beyond]), float(hull.frr[beyond] - hull.frr[before])
    prior = fall / (fall + rise) if fall + rise > 0 else 0.5
    wrong = [(given > hull.threshold[k]) != genuine for k in (before, after)]
    values = np.where(genuine, prior, 1 - prior) * (share * wrong[0] + (1 - share) * wrong[1])
    estimate = sum_of_class_means(values, genuine)
    positive = np.count_nonzero(genuine)
    negative = len(values) - positive
    counts = ErrorCounts(float("nan"), estimate * negative, estimate * positive, positive, negative)
    return Statistic(estimate, values, errors=(counts, Weights(1 - prior, prior)))


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """The judged trials divided into parts of equal weight."""

    genuine: Labels
    part: NDArray[np.int64]
    weights: Floats  # the weight of each trial in the mean over its class: 1 if there is one part

    @classmethod
    def of(cls, trials: Trials, columns: Sequence[str]) -> Parts:
        """Divide trials by the values of some columns together.

        Raises
        ------
        TrialsError
            If the trials do not have a column.
        """
        part = np.zeros(len(trials), dtype=np.int64)
        for name in columns:
            if name not in trials.columns and name not in trials.ids:
                raise TrialsError(
                    "there is no column {name} to divide trials by; further columns: {columns}",
                    code="missing-column",
                    name=shown(name),
                    columns=listed([*trials.ids, *trials.columns]) or "none",
                )
            column: Further = {**trials.ids, **trials.columns}[name]
            codes = (Ids.of(column) if isinstance(column, np.ndarray) else column.numbered()).codes
            part = np.unique(part * (int(codes.max(initial=0)) + 1) + codes, return_inverse=True)[1]
        weights = np.ones(len(trials))
        for rows in (trials.genuine, ~trials.genuine):
            counts = np.bincount(part[rows])
            weights[rows] = np.count_nonzero(rows) / (np.count_nonzero(counts) * counts[part[rows]])
        return cls(trials.genuine, part, weights)

    def centred(self, values: Floats) -> Floats:
        """Weight values so that their class means are the means over parts, and they vary within parts only."""
        centred = np.empty(len(values))
        for rows in (self.genuine, ~self.genuine):
            part, some = self.part[rows], values[rows]
            means = np.bincount(part, some) / np.maximum(np.bincount(part), 1)
            whole = float(np.mean(self.weights[rows] * some))
            centred[rows] = self.weights[rows] * (some - means[part]) + whole
        return centred


def cost_statistic(evidence: Evidence, target: CostTarget) -> Statistic:
    """Compute the actual cost, at the Bayes thresholds of priors and costs."""
    counts = count_errors(evidence.source, [point.threshold for point in target.points])
    if evidence.in_memory:
        parts = Parts.of(evidence.test, target.partition)
        whole = Statistic.mean_of([_actual_cost(evidence, parts, point) for point in target.points])
    else:
        whole = Statistic(float(np.mean([point.normalised(counts[k]) for k, point in enumerate(target.points)])))
    return replace(whole, note=_few_accepted("actual", target, counts[0]))


def _few_accepted(which: str, target: CostTarget, counts: ErrorCounts) -> Note | str:
    """Note that a cost rests on few accepted trials, a warning if it is the actual one; none of several points."""
    impostor, genuine = int(counts.false_accepts), int(counts.genuine - counts.false_rejects)
    if len(target.points) > 1 or min(impostor, genuine) >= SUPPORT:
        return ""
    text = (
        "the {which} cost at prior {prior:g} rests on {impostor:plural false accept} and {genuine:plural accepted "
        "genuine trial} ({support} of each needed): its interval is rough"
    )
    values: dict[str, Any] = {"prior": target.points[0].prior, "impostor": impostor, "genuine": genuine}
    return Note("few-accepted", text, warning=which == "actual", which=which, support=SUPPORT, **values)


def _actual_cost(evidence: Evidence, parts: Parts, point: CostPoint) -> Statistic:
    """Compute the cost at one operating point, and what dev trials add through the calibration.

    A cost is a step function of ratios: its slope is estimated from all trials near the threshold, weighted by a normal
    density as wide as the uncertainty of the ratio there.
    """
    statistic = _point_statistic(evidence, evidence.ratios, parts, point, point.threshold)
    if evidence.influence is None:
        return statistic
    away = evidence.ratios - point.threshold
    nearest = evidence.scores[[int(np.argmin(np.abs(away)))]]
    dev, genuine, weights = evidence.dev.genuine, evidence.genuine, point.weights
    moves = by_class(evidence.influence.moves(nearest, np.ones(1)), dev)
    width = sqrt(variance_of_values(evidence.sets.people[0], dev, moves).value)
    if width == 0:
        return replace(statistic, moves=np.zeros(len(dev)))
    passing = np.where(genuine, -weights.frr / genuine.sum(), weights.far / (~genuine).sum()) * parts.weights
    slopes = passing * np.exp(-((away / width) ** 2) / 2) / (width * sqrt(2 * pi))
    return replace(statistic, moves=evidence.moved_by(slopes))


def least_cost_statistic(evidence: Evidence, target: CostTarget) -> Statistic:
    """Compute the least cost at any threshold of the scores, the best one for each point, a posteriori.

    As a minimum, it takes values between the costs at the best threshold and at that of other people.
    """
    if not evidence.in_memory:
        hull = hull_points(evidence.given_source)
        costs = [np.asarray(point.weights.value(hull)) for point in target.points]
        whole = Statistic(float(np.mean([np.min(cost) for cost in costs])))
        return replace(whole, note=_few_accepted("least", target, hull[int(np.argmin(costs[0]))]))
    parts = Parts.of(evidence.test, target.partition)
    best = _least_thresholds(evidence, target, parts)
    by_others = [np.full(len(evidence.given), threshold) for threshold in best]
    for held, rest in evidence.folds():
        for column, threshold in zip(by_others, _least_thresholds(evidence, target, parts, rest), strict=True):
            column[held] = threshold
    points = zip(target.points, best, by_others, strict=True)
    whole = Statistic.mean_of([_point_statistic(evidence, evidence.given, parts, *point) for point in points])
    return replace(whole, note=_few_accepted("least", target, count_errors(evidence.given_source, best[0])))


def _least_thresholds(evidence: Evidence, target: CostTarget, parts: Parts, rows: Labels | None = None) -> list[float]:
    """Find the threshold of the least cost at each operating point, of all trials or of some rows."""
    some = slice(None) if rows is None else rows
    scores, genuine, weights = evidence.given[some], evidence.genuine[some], parts.weights[some]
    if not target.partition:
        hull = hull_points(as_source((scores[genuine], scores[~genuine])))
        thresholds, far, frr = (np.asarray(values) for values in (hull.threshold, hull.far, hull.frr))
    else:
        order = np.argsort(scores, kind="stable")
        scores, genuine, weights = scores[order], genuine[order], weights[order]
        last = np.append(scores[1:] != scores[:-1], True)
        thresholds = np.concatenate([[-np.inf], scores[last]])
        frr, rejected = (
            np.concatenate([[0.0], np.cumsum(part)[last] / part.sum()])
            for part in (weights * genuine, weights * ~genuine)
        )
        far = 1 - rejected
    costs = (point.weights.far * far + point.weights.frr * frr for point in target.points)
    return [float(thresholds[int(np.argmin(cost))]) for cost in costs]


def _point_statistic(
    evidence: Evidence,
    scores: Floats,
    parts: Parts,
    point: CostPoint,
    threshold: float,
    by_others: Floats | None = None,
) -> Statistic:
    """Compute the cost at one operating point and one threshold; of a minimum, also at thresholds of other people."""
    genuine = evidence.genuine
    prices, wrong = np.where(genuine, point.weights.frr, point.weights.far), (scores > threshold) != genuine
    values = parts.centred(wrong * prices)
    estimate = sum_of_class_means(values, genuine)
    if by_others is not None:
        values = _between(values, parts.centred(((scores > by_others) != genuine) * prices))
    errors, positive = parts.weights * wrong, int(np.count_nonzero(genuine))
    made = float(errors[~genuine].sum()), float(errors[genuine].sum())
    counts = ErrorCounts(threshold, *made, positive, len(wrong) - positive)
    return Statistic(estimate, values, errors=(counts, point.weights))


@once
def _evidence_of(judgement: Judgement, unchanged: bool) -> Evidence:
    """Compute the evidence of a judged system, from its scores unchanged or calibrated on dev."""
    sets, system = judgement.sets, judgement.system
    return Evidence(unchanged_scores(system), sets) if unchanged else Evidence.fitted(sets, (system,))


@dataclass(frozen=True, slots=True)
class EvidenceMeasure:
    """A named statistic of evidence.

    Parameters
    ----------
    name : str
        How it is called on the command line and in JSON.
    label : str
        How tables and figures call it.
    figure : callable
        From the evidence of a system to its value, with what each test trial adds to it.
    summary : str, default ""
        What it is, in a few words.
    posteriori : bool, default False
        Whether it is a minimum over choices made on the judged trials.
    raw : bool, default False
        Whether scores are taken unchanged instead of calibrated on dev.
    is_share : bool, default False
        Whether it is shown in percent.
    signed : bool, default False
        Whether it may be below 0.
    most : float, default inf
        The highest possible value.
    caution : Note or str, default ""
        What to know about tests of its differences.

    Examples
    --------
    >>> import fairtrial as ft
    >>> trials = ft.Trials.from_arrays([0.9, 0.8, 0.4, 0.7, 0.1, 0.3, 0.5, 0.2, 0.6], [True] * 4 + [False] * 5)
    >>> result = ft.evaluate(trials, trials, measures=["cllr-min"])
    >>> round(result.measures["cllr-min"], 3)
    0.312
    """

    name: str
    label: str
    figure: Callable[[Evidence], Statistic]
    summary: str = ""
    posteriori: bool = False
    raw: bool = False
    is_share: bool = False
    signed: bool = False
    most: float = inf
    caution: Note | str = ""

    of_errors: ClassVar[bool] = False
    higher_is_better: ClassVar[bool] = False
    direction: ClassVar[str] = ""
    given: ClassVar[dict[Threshold, str]] = GIVEN_CALIBRATION

    @property
    def kind(self) -> Literal["rate", "number"]:
        """What a column of it holds: percent, or a number."""
        return "rate" if self.is_share else "number"

    @property
    def interval_kind(self) -> Literal["interval", "range"]:
        """What a column of its intervals holds."""
        return "interval" if self.is_share else "range"

    def status(self, provenance: Provenance) -> Kind:
        """Say whether it is a priori.

        Parameters
        ----------
        provenance : Provenance
            Where thresholds and calibrations come from.

        Returns
        -------
        {"a priori", "a priori (cross-validated)", "a posteriori", "at a given threshold"}
            What a report says of it.
        """
        return "a posteriori" if self.posteriori else provenance.evidence_kind

    def evidence(self, judgement: Judgement | Evidence) -> Evidence:
        """Give the evidence of a judged system: unchanged, calibrated on dev, or block by block on other people.

        Parameters
        ----------
        judgement : Judgement or Evidence
            The judged system; its calibration is fitted once for all measures.

        Returns
        -------
        Evidence
            The judged trials with their ratios.

        Raises
        ------
        ParameterError
            If it needs a calibration and thresholds were given instead of dev, or is of the scores of a fusion.
        TrialsError
            If the trials are not in memory, or some are in no block.
        """
        if isinstance(judgement, Evidence):
            return judgement.unchanged if self.raw else judgement
        sets, unchanged = judgement.sets, self.raw or self.posteriori
        if sets.origin == "given" and not unchanged:
            raise ParameterError(
                "{measure} is calibrated on dev and judged on test; give both sets", code="needs-dev", measure=self.name
            )
        if not isinstance(sets.test, Trials) or not (unchanged or isinstance(sets.dev, Trials)):
            template = "{measure} needs Trials, one row per trial; build them with Trials.from_arrays"
            raise TrialsError(template, code="needs-trials", measure=self.name)
        return _evidence_of(judgement, unchanged)

    def judged(self, judgement: Judgement | Evidence) -> Statistic:
        """Compute the statistic of a judged system, once.

        Parameters
        ----------
        judgement : Judgement or Evidence
            The judged system.

        Returns
        -------
        Statistic
            The estimate, and what each trial adds to it.
        """
        return self.evidence(judgement).statistic(self)

    def interval(
        self, judgement: Judgement | Evidence, *, confidence: float = 0.95, threshold: Threshold = "re-estimated"
    ) -> RateInterval:
        """Compute the interval of a judged system.

        Parameters
        ----------
        judgement : Judgement or Evidence
            The judged system.
        confidence : float, default 0.95
            The level of confidence, between 0 and 1.
        threshold : {"re-estimated", "fixed"}, default "re-estimated"
            Whether the calibration counts as re-estimated from other dev trials, or as fixed. A measure that does not
            depend on dev is always fixed.

        Returns
        -------
        RateInterval
            Estimate and limits.

        Notes
        -----
        Student's limits on a logarithmic scale, as costs are above 0; beyond the distance of the estimate from 0 they
        go on straight, down to 0 and up to the highest possible value. If min Cllr is 0, its upper limit is at least
        the mean cost at the bounded map of other people. A detection cost, like the EER on the convex hull, is a
        weighted sum of two error rates and has their limits, with one quantile for all that varies. The limits of a
        mean over operating points are the means of theirs.
        """
        check_confidence(confidence)
        evidence, statistic = self.evidence(judgement), self.judged(judgement)
        given: Threshold = threshold if statistic.depends_on_dev else "fixed"
        made = Estimate(statistic.estimate, Variance(inf, inf, inf, 0.0, inf), threshold=given)
        (low, high), note = (0.0, inf), statistic.note
        if isfinite(statistic.estimate):
            made = statistic.estimated(evidence, threshold=threshold)
            low, high = self._limits(statistic, evidence, made, confidence)
            if statistic.of_errors and high == self.most:
                text = (
                    "the interval of {measure:term} reaches the cost of deciding all trials alike: it may be too narrow"
                )
                note = Note("open-minimum", text, warning=True, measure=self.label)
        interval = estimated_interval(made, self, confidence=confidence, sharing=evidence.sets.sharing)
        return replace(interval, low=low, high=high, limits="wilson" if statistic.of_errors else "student", note=note)

    def _limits(
        self, statistic: Statistic, evidence: Evidence, made: Estimate, confidence: float
    ) -> tuple[float, float]:
        """Compute the limits of a finite statistic."""
        value = statistic.estimate
        if statistic.of_errors:
            parts = [part.estimated(evidence, threshold=made.threshold) for part in statistic.parts or (statistic,)]
            low, high = np.mean([part.interval(confidence) for part in parts], axis=0).tolist()
        else:
            reach = student_quantile(made.df, confidence) * made.sigma
            if self.signed:
                return value - reach, value + reach
            near = min(reach, value)
            factor, beyond = exp(near / value) if value > 0 else e, reach - near
            low, high = value / factor - beyond, max(value * factor + beyond, statistic.least_high)
        slack = _ROUNDING * max(high, value)
        return 0.0 if low <= slack else low, self.most if high >= self.most - slack else high

    def tests(
        self, a: Judgement, b: Judgement, *, alternative: Alternative = "two-sided", n_resamples: int, rng: int
    ) -> tuple[list[TestResult], Bootstrap]:
        """Test the difference between two judged systems, and bootstrap it.

        Parameters
        ----------
        a, b : Judgement
            The judged systems, on the same trials.
        alternative : {"two-sided", "less", "greater"}, default "two-sided"
            What is claimed of A - B: that it is not 0, below 0 (``less``) or above 0 (``greater``).
        n_resamples : int
            How many resamples are drawn.
        rng : int
            A generator, or a seed; the same seed gives the same result.

        Returns
        -------
        tuple of (list of TestResult, Bootstrap)
            The primary test first, then the one given the calibrations if they differ.
        """
        tests = [self.test(a, b, alternative=alternative)]
        if tests[0].threshold == "re-estimated":
            tests.append(self.test(a, b, alternative=alternative, threshold="fixed"))
        difference = self.judged(a) - self.judged(b)
        return tests, bootstrap_statistic(difference, self.evidence(a), n_resamples=n_resamples, rng=rng)

    def test(
        self,
        a: Judgement | Evidence,
        b: Judgement | Evidence,
        *,
        alternative: Alternative = "two-sided",
        threshold: Threshold = "re-estimated",
    ) -> TestResult:
        """Test the difference between two systems on the same trials.

        Parameters
        ----------
        a, b : Judgement or Evidence
            The judged systems, on the same trials.
        alternative : {"two-sided", "less", "greater"}, default "two-sided"
            What is claimed of A - B: that it is not 0, below 0 (``less``) or above 0 (``greater``).
        threshold : {"re-estimated", "fixed"}, default "re-estimated"
            Whether the calibrations count as re-estimated from other dev trials, or as fixed.

        Returns
        -------
        TestResult
            With a note if minima are near the cost of deciding all trials alike.

        Raises
        ------
        TrialsError
            If a statistic is infinite.
        """
        evidence, statistics = self.evidence(a), [(each.system, self.judged(each)) for each in (a, b)]
        infinite = [name for name, statistic in statistics if not isfinite(statistic.estimate)]
        if infinite:
            template = (
                "{systems}: a trial has infinite evidence for the wrong side, so no difference in {measure} can be "
                "tested; leave such systems out"
            )
            raise TrialsError(template, code="infinite-evidence", systems=listed(infinite), measure=term(self.label))
        near_top = [
            name
            for name, statistic in statistics
            if statistic.of_errors
            and self.most < inf
            and self._limits(statistic, evidence, statistic.estimated(evidence), 0.95)[1] == self.most
        ]
        caution = self.caution
        if near_top:
            text = (
                "{systems:list}: the interval reaches the cost of deciding all trials alike: p values may be too small"
            )
            caution = Note("open-minimum", text, warning=True, systems=near_top)
        difference = self.judged(a) - self.judged(b)
        made = difference.estimated(evidence, threshold=threshold)
        return student_test(evidence.sets.test_name, made, alternative=alternative, measure=self, note=caution)


def bootstrap_statistic(
    statistic: Statistic, evidence: Evidence, *, n_resamples: int = 10_000, rng: int | None = 0
) -> Bootstrap:
    """Bootstrap a statistic to first order, by people.

    Trials without ids are dealt at random into at most 1,000 groups per class, which are drawn.
    """
    check_resamples(n_resamples)
    generator, people = as_generator(rng), evidence.sets.people[1]
    parts = np.empty(len(statistic.values))
    for rows in (evidence.genuine, ~evidence.genuine):
        parts[rows] = (statistic.values[rows] - statistic.values[rows].mean()) / np.count_nonzero(rows)
    if people is not None:
        sums = np.zeros(people.size)
        for part in people.classes:
            for role in part.by_role:
                by_person = part.sums(role, parts[part.rows])
                sums[: len(by_person)] += by_person
    else:
        classes = parts[evidence.genuine], parts[~evidence.genuine]
        dealt = [np.bincount(generator.permutation(len(c)) % _BOOTSTRAP_GROUPS, np.sort(c)) for c in classes]
        sums = np.concatenate(dealt)

    def draw(count: int) -> NDArray[np.number]:
        if people is not None:
            return people.draw(count, generator)
        return generator.multinomial(len(sums), np.full(len(sums), 1 / len(sums)), count)

    sizes = [min(_AT_ONCE, n_resamples - start) for start in range(0, n_resamples, _AT_ONCE)]
    drawn = np.concatenate([draw(size) @ sums for size in sizes])
    return Bootstrap(statistic.estimate, statistic.estimate + drawn - drawn.mean())


def entropy_measure(prior: float, *, least: bool = False) -> EvidenceMeasure:
    """Make the measure of the cross-entropy at a prior, of the calibrated ratios or the least."""
    statistic: Callable[..., Statistic] = least_entropy_statistic if least else entropy_statistic
    entropy = -prior * log2(prior) - (1 - prior) * log2(1 - prior)
    name, label = f"{'ece-min' if least else 'ece'}@{prior:g}", f"{'min ' if least else ''}ECE({prior:g})"
    most = entropy if least else inf
    return EvidenceMeasure(name, label, partial(statistic, prior=prior), posteriori=least, most=most)


def cost_measure(target: CostTarget, kind: Literal["act-dcf", "act-dcf-raw", "min-dcf"] = "act-dcf") -> EvidenceMeasure:
    """Make the measure of a detection cost: calibrated on dev, of scores unchanged, or the least."""
    least = kind == "min-dcf"
    word = "min DCF" if least else "actual DCF"
    statistic: Callable[..., Statistic] = least_cost_statistic if least else cost_statistic
    return EvidenceMeasure(
        f"{kind}@{target.name}",
        f"{word}({target.name})" + " of the scores" * (kind == "act-dcf-raw"),
        partial(statistic, target=target),
        posteriori=least,
        raw=kind == "act-dcf-raw",
        most=1.0 if least else inf,  # deciding without a score costs 1
    )


CLLR = EvidenceMeasure("cllr", "Cllr", cllr_statistic, "cost of the log-likelihood ratio, calibrated on dev")
MIN_CLLR = EvidenceMeasure(
    "cllr-min", "min Cllr", least_entropy_statistic, "the least Cllr of any non-decreasing map", True, most=1.0
)
CLLR_CAL = EvidenceMeasure(
    "cllr-cal",
    "Cllr - min Cllr",
    lambda evidence: cllr_statistic(evidence) - least_entropy_statistic(evidence),
    "what calibration on dev loses of Cllr",
    signed=True,
    caution=Note(
        "conservative-test", "conservative: two systems that both lose little are hardly ever distinguishable"
    ),
)
_CLLR_RAW = EvidenceMeasure("cllr-raw", "Cllr of the scores", cllr_statistic, "Cllr of the scores unchanged", raw=True)
_ROCCH_EER = EvidenceMeasure(
    "eer-rocch",
    "EER (ROCCH)",
    rocch_eer_statistic,
    "equal error rate on the ROC convex hull",
    True,
    is_share=True,
    most=0.5,
)
_MEASURES = {measure.name: measure for measure in (CLLR, MIN_CLLR, CLLR_CAL, _CLLR_RAW, _ROCCH_EER)}
_FAMILIES = {
    "ece": ("PRIOR", "cross-entropy at a prior, calibrated on dev"),
    "ece-min": ("PRIOR", "the least cross-entropy"),
    "act-dcf": ("COST", "normalised detection cost, calibrated on dev"),
    "act-dcf-raw": ("COST", "normalised detection cost of the scores unchanged"),
    "min-dcf": ("COST", "the least normalised detection cost"),
}
"""Measures that differ by what follows the @ in their name: a prior or a cost."""


def evidence_measure(name: str) -> EvidenceMeasure | None:
    """Find a measure of evidence by its name, such as ``cllr``, ``ece@.1`` or ``min-dcf@sre18``; None if there is none.

    Raises
    ------
    ParameterError
        If the prior or cost that belongs to the name is missing or invalid.
    """
    family, at, text = name.partition("@")
    if family not in _FAMILIES:
        return None if at else _MEASURES.get(name)
    argument, _ = _FAMILIES[family]
    if not text:
        raise ParameterError(
            "{name} needs a {argument}, as in {name}@.01", code="incomplete-name", name=name, argument=argument.lower()
        )
    if argument == "COST":
        return cost_measure(cost_target(text), family)  # type: ignore[arg-type]
    try:
        prior = float(text)
    except ValueError as error:
        raise ParameterError(
            "the prior {text} is not a number; write it as in ece@.1", code="not-a-number", text=shown(text)
        ) from error
    return entropy_measure(check_share("prior", prior, open_ends=True), least=family == "ece-min")


def evidence_names() -> dict[str, str]:
    """List all measures of evidence, with what follows the @ in their names, and their summaries."""
    families = {f"{name}@{argument}": summary for name, (argument, summary) in _FAMILIES.items()}
    return {name: measure.summary for name, measure in _MEASURES.items()} | families
