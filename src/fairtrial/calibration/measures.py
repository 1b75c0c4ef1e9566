"""Measures of evidence: by name, with intervals and tests, a priori or a posteriori.

They are functions of all log-likelihood ratios, not of the errors at one threshold. Unless a measure says otherwise,
scores are calibrated on dev, by logistic calibration.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf, log, log2, pi, sqrt
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from fairtrial.calibration.estimates import (
    Alternative,
    Bootstrap,
    ErrorSum,
    Evidence,
    Figure,
    Judgement,
    Kind,
    Provenance,
    RateInterval,
    TestResult,
    Threshold,
    bootstrap_figure,
    check_finite,
    evidence_interval,
    evidence_test,
    fit_evidence,
    folds_of_people,
    uncertainty_on_dev,
)
from fairtrial.calibration.evidence import (
    CostPoint,
    CostTarget,
    Floats,
    Segments,
    cllr,
    cost_target,
    empirical_cross_entropy,
    softplus,
    sum_of_class_means,
)
from fairtrial.calibration.model import Calibration
from fairtrial.calibration.nonparametric import fit_steps
from fairtrial.calibration.parametric import identity
from fairtrial.core.errors import ParameterError, TrialsError, check_share
from fairtrial.core.ids import Ids
from fairtrial.core.notes import Note
from fairtrial.core.trials import Further, Trials
from fairtrial.core.words import listed, shown
from fairtrial.counting.search import hull_points
from fairtrial.counting.tallies import ErrorCounts, as_source, count_errors
from fairtrial.rules.measures import Weights

GIVEN_CALIBRATION: dict[Threshold, str] = {
    "re-estimated": "calibration re-estimated",
    "fixed": "given this calibration",
}
"""What sentences say of the calibration."""
_BY_OTHERS = 2 / 3
"""The weight of costs at the best choice of other people in the variance of a minimum."""


def _entropies(ratios: Floats, genuine: NDArray[np.bool_], prior: float) -> tuple[Floats, Floats]:
    """Compute the cost of each trial in bits, and the derivative of the sum of class means in its ratio."""
    signs = np.where(genuine, -1.0, 1.0)
    away = signs * (ratios + log(prior / (1 - prior)))
    shares = np.where(genuine, prior, 1 - prior) / log(2)
    counts = np.where(genuine, np.count_nonzero(genuine), np.count_nonzero(~genuine))
    return shares * softplus(away), shares * signs * expit(away) / counts


def entropy_figure(evidence: Evidence, prior: float = 0.5) -> Figure:
    """Compute the empirical cross-entropy at a prior, in bits; Cllr at one half."""
    if not evidence.in_memory:
        return Figure(float(empirical_cross_entropy(evidence.source, prior)))
    values, slopes = _entropies(evidence.ratios, evidence.genuine, prior)
    return Figure(sum_of_class_means(values, evidence.genuine), values, evidence.moved_by(slopes))


def cllr_figure(evidence: Evidence) -> Figure:
    """Compute Cllr; bit-identical to `cllr`."""
    return replace(entropy_figure(evidence), estimate=cllr(evidence.source))


def least_entropy_figure(evidence: Evidence, prior: float = 0.5) -> Figure:
    """Compute the least cross-entropy of any non-decreasing map of the scores as given; min Cllr at one half.

    It is a minimum over maps, so to first order each trial adds its cost at the best map. That map follows the trials
    it is fitted to, which makes costs too even; at the bounded map of other people they are too uneven: `_between`.
    """
    if not evidence.in_memory:
        return Figure(float(empirical_cross_entropy(evidence.given_source, prior, minimum=True)))
    given, genuine = evidence.given, evidence.genuine
    segments = Segments.of(evidence.given_source)
    place = np.minimum(np.searchsorted(segments.ends, given, side="left"), len(segments.ends) - 1)
    costs, _ = _entropies(segments.ratios()[place], genuine, prior)
    ratios = given.copy()
    for held, rest in folds_of_people(evidence):
        steps = fit_steps(as_source((given[rest & genuine], given[rest & ~genuine])))
        ratios[held] = steps.ratios(given[held, None])
    held_out, _ = _entropies(ratios, genuine, prior)
    estimate = sum_of_class_means(costs, genuine)
    least_high = sum_of_class_means(held_out, genuine) if estimate == 0 else 0.0
    return Figure(estimate, _between(costs, held_out), least_high=least_high)


def _between(costs: Floats, by_others: Floats) -> Floats:
    """Weigh costs at the best choice, whose variance is too small, with those at the choice of other people."""
    return (1 - _BY_OTHERS) * costs + _BY_OTHERS * by_others


def _loss(evidence: Evidence) -> Figure:
    return cllr_figure(evidence) - least_entropy_figure(evidence)


def rocch_eer_figure(evidence: Evidence) -> Figure:
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
    return Figure(estimate, values, errors=ErrorSum(counts, Weights(1 - prior, prior)))


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """The judged trials divided into parts of equal weight."""

    genuine: NDArray[np.bool_]
    part: NDArray[np.int64]
    weights: Floats
    """The weight of each trial in the mean over its class: 1 if there is one part."""

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
                    "there is no column {name} to divide trials by; further columns: {known}",
                    code="missing-column",
                    name=shown(name),
                    known=listed([*trials.ids, *trials.columns]) or "none",
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
        found = np.empty(len(values))
        for rows in (self.genuine, ~self.genuine):
            part, some = self.part[rows], values[rows]
            means = np.bincount(part, some) / np.maximum(np.bincount(part), 1)
            whole = float(np.mean(self.weights[rows] * some))
            found[rows] = self.weights[rows] * (some - means[part]) + whole
        return found


def cost_figure(evidence: Evidence, target: CostTarget) -> Figure:
    """Compute the actual cost, at the Bayes thresholds of priors and costs."""
    if not evidence.in_memory:
        counts = count_errors(evidence.source, [point.threshold for point in target.points])
        return Figure.mean_of([Figure(float(point.normalised(counts[k]))) for k, point in enumerate(target.points)])
    parts = Parts.of(evidence.test, target.partition)
    figures = []
    for point in target.points:
        figure = _point_figure(evidence, evidence.ratios, parts, point, point.threshold)
        figures.append(replace(figure, moves=_cost_moves(evidence, parts, point)))
    return Figure.mean_of(figures)


def least_cost_figure(evidence: Evidence, target: CostTarget) -> Figure:
    """Compute the least cost at any threshold of the scores as given, the best one for each point, a posteriori.

    As a minimum, it takes values between the costs at the best threshold and at that of other people.
    """
    if not evidence.in_memory:
        hull = hull_points(evidence.given_source)
        return Figure.mean_of([Figure(float(np.min(point.weights.value(hull)))) for point in target.points])
    parts = Parts.of(evidence.test, target.partition)
    best = _least_thresholds(evidence, target, parts)
    by_others = [np.full(len(evidence.given), threshold) for threshold in best]
    for held, rest in folds_of_people(evidence):
        for column, threshold in zip(by_others, _least_thresholds(evidence, target, parts, rest), strict=True):
            column[held] = threshold
    figures = []
    for point, threshold, others in zip(target.points, best, by_others, strict=True):
        figure = _point_figure(evidence, evidence.given, parts, point, threshold)
        held_out = parts.centred(_priced(evidence.given, evidence.genuine, point, others))
        assert figure.values is not None
        figures.append(replace(figure, values=_between(figure.values, held_out)))
    return Figure.mean_of(figures)


def _least_thresholds(
    evidence: Evidence, target: CostTarget, parts: Parts, rows: NDArray[np.bool_] | None = None
) -> list[float]:
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


def _point_figure(evidence: Evidence, scores: Floats, parts: Parts, point: CostPoint, threshold: float) -> Figure:
    """Compute the cost at one operating point and one threshold."""
    genuine = evidence.genuine
    values = parts.centred(_priced(scores, genuine, point, threshold))
    wrong = parts.weights * ((scores > threshold) != genuine)
    positive = int(np.count_nonzero(genuine))
    errors = float(wrong[~genuine].sum()), float(wrong[genuine].sum())
    counts = ErrorCounts(threshold, *errors, positive, len(wrong) - positive)
    return Figure(sum_of_class_means(values, genuine), values, errors=ErrorSum(counts, point.weights))


def _priced(scores: Floats, genuine: NDArray[np.bool_], point: CostPoint, threshold: float | Floats) -> Floats:
    """Compute the cost of each trial at an operating point, at one threshold or one per trial."""
    return np.asarray(((scores > threshold) != genuine) * np.where(genuine, point.weights.frr, point.weights.far))


def _cost_moves(evidence: Evidence, parts: Parts, point: CostPoint) -> Floats | None:
    """Compute the influence of each dev trial on the cost at a point; None if unknown.

    A cost is a step function of ratios. Its slope is estimated from all trials near the threshold, weighted by a normal
    density as wide as the uncertainty of the ratio there.
    """
    if evidence.influence is None:
        return None
    away = evidence.ratios - point.threshold
    nearest = int(np.argmin(np.abs(away)))
    width = uncertainty_on_dev(evidence, evidence.influence.moves(evidence.scores[[nearest]], np.ones(1)))
    if not width > 0:
        return np.zeros(len(evidence.dev))
    genuine, weights = evidence.genuine, point.weights
    passing = np.where(genuine, -weights.frr / genuine.sum(), weights.far / (~genuine).sum()) * parts.weights
    return evidence.moved_by(passing * np.exp(-((away / width) ** 2) / 2) / (width * sqrt(2 * pi)))


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
    figure: Callable[[Evidence], Figure]
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

    def told(self, provenance: Provenance) -> Kind:
        """Tell whether it is a priori.

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

    def evidence(self, judgement: Judgement) -> Evidence:
        """Give the evidence of a judged system: unchanged, calibrated on dev, or block by block on other people.

        Parameters
        ----------
        judgement : Judgement
            The judged system; its calibration is fitted once for all measures.

        Returns
        -------
        Evidence
            The judged trials with their ratios.

        Raises
        ------
        ParameterError
            If it needs a calibration and thresholds were given instead of dev.
        TrialsError
            If the trials are not in memory, or some are in no block.
        """
        sets, system = judgement.sets, judgement.system
        unchanged = self.raw or self.posteriori
        if sets.origin == "given" and not unchanged:
            raise ParameterError(
                "{measure} is calibrated on dev and judged on test; give both sets", code="needs-dev", measure=self.name
            )
        if not isinstance(sets.test, Trials) or not (unchanged or isinstance(sets.dev, Trials)):
            raise TrialsError(
                "{measure} needs Trials, one row per trial; build them with Trials.from_arrays",
                code="needs-trials",
                measure=self.name,
            )
        if unchanged:
            return judgement.once("evidence of raw scores", lambda: Evidence(unchanged_scores(system), sets))
        return judgement.once("evidence", lambda: fit_evidence(sets, (system,)))

    def judged(self, judgement: Judgement) -> Figure:
        """Compute the statistic of a judged system, once.

        Parameters
        ----------
        judgement : Judgement
            The judged system.

        Returns
        -------
        Figure
            The estimate, and what each trial adds to it.
        """
        return judgement.once(("figure", self), lambda: self.figure(self.evidence(judgement)))

    def interval(
        self, judgement: Judgement, *, confidence: float = 0.95, threshold: Threshold = "re-estimated"
    ) -> RateInterval:
        """Compute the interval of a judged system.

        Parameters
        ----------
        judgement : Judgement
            The judged system.
        confidence : float, default 0.95
            The level of confidence, between 0 and 1.
        threshold : {"re-estimated", "fixed"}, default "re-estimated"
            Whether the calibration counts as re-estimated from other dev trials, or as fixed.

        Returns
        -------
        RateInterval
            Estimate and limits.
        """
        evidence, figure = self.evidence(judgement), self.judged(judgement)
        return evidence_interval(self, evidence, confidence=confidence, threshold=threshold, figure=figure)

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
        evidence, first, second = self.evidence(a), self.judged(a), self.judged(b)
        check_finite(self, {a.system: first, b.system: second})
        difference = first - second
        tests = [evidence_test(self, evidence, difference, alternative=alternative)]
        if tests[0].threshold == "re-estimated":
            tests.append(evidence_test(self, evidence, difference, alternative=alternative, threshold="fixed"))
        return tests, bootstrap_figure(difference, evidence, n_resamples=n_resamples, rng=rng)


def unchanged_scores(system: str) -> Calibration:
    """Take the scores of a system as log-likelihood ratios."""
    return Calibration((system,), "none", identity().mapping)


@dataclass(frozen=True, slots=True)
class _Family:
    """Measures that differ by what follows the @ in their name."""

    make: Callable[[str], EvidenceMeasure]
    argument: str
    summary: str


def entropy_measure(prior: float, *, least: bool = False) -> EvidenceMeasure:
    """Make the measure of the cross-entropy at a prior, of the calibrated ratios or the least."""
    figure: Callable[..., Figure] = least_entropy_figure if least else entropy_figure
    entropy = -prior * log2(prior) - (1 - prior) * log2(1 - prior)
    name, label = f"{'ece-min' if least else 'ece'}@{prior:g}", f"{'min ' if least else ''}ECE({prior:g})"
    most = entropy if least else inf
    return EvidenceMeasure(name, label, partial(figure, prior=prior), posteriori=least, most=most)


def _entropy_named(text: str, *, least: bool) -> EvidenceMeasure:
    try:
        prior = float(text)
    except ValueError as error:
        raise ParameterError(
            "the prior {text} is not a number; write it as in ece@.1", code="not-a-number", text=shown(text)
        ) from error
    return entropy_measure(check_share("prior", prior, open_ends=True), least=least)


def cost_measure(target: CostTarget, kind: Literal["act-dcf", "act-dcf-raw", "min-dcf"] = "act-dcf") -> EvidenceMeasure:
    """Make the measure of a detection cost: calibrated on dev, of scores unchanged, or the least."""
    least = kind == "min-dcf"
    word = {"act-dcf": "actual DCF", "act-dcf-raw": "actual DCF of the scores", "min-dcf": "min DCF"}[kind]
    figure: Callable[..., Figure] = least_cost_figure if least else cost_figure
    return EvidenceMeasure(
        f"{kind}@{target.name}",
        f"{word}({target.name})",
        partial(figure, target=target),
        posteriori=least,
        raw=kind == "act-dcf-raw",
        most=1.0 if least else inf,  # deciding without a score costs 1
    )


def _cost_named(text: str, *, kind: Any) -> EvidenceMeasure:
    return cost_measure(cost_target(text), kind)


CLLR = EvidenceMeasure("cllr", "Cllr", cllr_figure, "cost of the log-likelihood ratio, calibrated on dev")
MIN_CLLR = EvidenceMeasure(
    "cllr-min", "min Cllr", least_entropy_figure, "the least Cllr of any non-decreasing map", True, most=1.0
)
CLLR_CAL = EvidenceMeasure(
    "cllr-cal",
    "Cllr - min Cllr",
    _loss,
    "what calibration on dev loses of Cllr",
    signed=True,
    caution=Note(
        "conservative-test", "conservative: two systems that both lose little are hardly ever distinguishable"
    ),
)
_MEASURES: dict[str, EvidenceMeasure | _Family] = {
    "cllr": CLLR,
    "cllr-min": MIN_CLLR,
    "cllr-cal": CLLR_CAL,
    "cllr-raw": EvidenceMeasure(
        "cllr-raw", "Cllr of the scores", cllr_figure, "Cllr of the scores unchanged", raw=True
    ),
    "eer-rocch": EvidenceMeasure(
        "eer-rocch",
        "EER (ROCCH)",
        rocch_eer_figure,
        "equal error rate on the ROC convex hull",
        True,
        is_share=True,
        most=0.5,
    ),
    "ece": _Family(partial(_entropy_named, least=False), "PRIOR", "cross-entropy at a prior, calibrated on dev"),
    "ece-min": _Family(partial(_entropy_named, least=True), "PRIOR", "the least cross-entropy"),
    "act-dcf": _Family(partial(_cost_named, kind="act-dcf"), "COST", "normalised detection cost, calibrated on dev"),
    "act-dcf-raw": _Family(
        partial(_cost_named, kind="act-dcf-raw"), "COST", "normalised detection cost of the scores unchanged"
    ),
    "min-dcf": _Family(partial(_cost_named, kind="min-dcf"), "COST", "the least normalised detection cost"),
}


def evidence_measure(name: str) -> EvidenceMeasure | None:
    """Find a measure of evidence by its name, such as ``cllr``, ``ece@.1`` or ``min-dcf@sre18``; None if there is none.

    Raises
    ------
    ParameterError
        If the prior or cost that belongs to the name is missing or invalid.
    """
    family, at, text = name.partition("@")
    known = _MEASURES.get(family)
    if isinstance(known, _Family):
        if not text:
            raise ParameterError(
                "{name} needs a {argument}, as in {name}@.01",
                code="incomplete-name",
                name=name,
                argument=known.argument.lower(),
            )
        return known.make(text)
    return None if at else known


def evidence_names() -> dict[str, str]:
    """List all measures of evidence, with what follows the @ in their names, and their summaries."""
    return {
        f"{name}@{known.argument}" if isinstance(known, _Family) else name: known.summary
        for name, known in _MEASURES.items()
    }
