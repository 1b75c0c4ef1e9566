"""Operating points: AUC, d', and the FRR at thresholds that keep a target FAR on dev."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan, sqrt
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import ParameterError, check_choice, check_confidence, check_share
from fairtrial.core.notes import Note
from fairtrial.core.results import Result, SystemResults, plain
from fairtrial.core.tables import COUNT_COLUMNS, Column, Table
from fairtrial.core.words import Text, in_a_row, interval_text, interval_title, level_text, listed, percent, term
from fairtrial.counting.tallies import ErrorCounts, ScoreData
from fairtrial.inference.decide import judge
from fairtrial.inference.estimates import (
    GIVEN,
    Threshold,
    estimate_of_values,
    intervals_along,
    threshold_when,
    wilson_limits,
)
from fairtrial.inference.folds import Block
from fairtrial.inference.intervals import RateInterval
from fairtrial.inference.people import Cluster
from fairtrial.inference.split import PROVENANCES, Kind, TrialSets
from fairtrial.inference.student import student_quantile
from fairtrial.inference.variance import Floats
from fairtrial.rules.measures import SUPPORT

_FAR_TARGETS = (0.01, 0.001, 0.0001)
_RULE = "far-at-most"
_D_PRIME = "d'"
_NO_ERROR = "every genuine score is above every impostor score; the interval is that of one person in error"


def auc_interval(sets: TrialSets, *, system: str | None = None, confidence: float = 0.95) -> RateInterval:
    """Compute the area under the ROC, P(genuine > impostor) + P(equal) / 2, on the judged trials, and its interval.

    Each trial contributes the proportion of the other class that it is ordered wrongly with; the variance of their two
    means is that of DeLong et al., and contributions are summed by person if trials share people.

    Parameters
    ----------
    sets : TrialSets
        Dev and test trials, and who shares them. No threshold is needed, so dev does not matter.
    system : str, optional
        The name of the system; not needed if there is only one.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.

    Returns
    -------
    RateInterval
        With Wilson's limits for as many independent trials as would have the variance.

    Raises
    ------
    TrialsError
        If the judged trials are not Trials, or there are several systems and none is named.

    References
    ----------
    DeLong, DeLong & Clarke-Pearson, Comparing the areas under correlated ROC curves, Biometrics 44, 1988; Obuchowski,
    Nonparametric analysis of clustered ROC curve data, Biometrics 53, 1997.

    Examples
    --------
    >>> from fairtrial import Trials
    >>> from fairtrial.inference import TrialSets
    >>> trials = Trials.from_arrays([0.9, 0.8, 0.4, 0.7, 0.1, 0.3, 0.5, 0.2, 0.6], [True] * 4 + [False] * 5)
    >>> area = auc_interval(TrialSets(None, trials))
    >>> round(area.estimate, 4), round(area.low, 2), round(area.high, 2)
    (0.9, 0.52, 0.99)
    """
    trials = sets.trials()
    wrong = _placements(trials.column(system), trials.genuine)
    error = float(wrong[trials.genuine].mean())
    estimated = estimate_of_values(sets, error, wrong)
    variance = estimated.variance.value
    effective = error * (1 - error) / variance if variance > 0 else estimated.people
    low, high = wilson_limits(error, effective, student_quantile(estimated.df, check_confidence(confidence)))
    note = "" if 0 < error < 1 else _NO_ERROR if error == 0 else "every genuine score is below every impostor score"
    return RateInterval(
        1 - error,
        max(1 - high, 0.0),
        min(1 - low, 1.0),
        estimated.sigma,
        confidence,
        "delong",
        "auc",
        note=note,
        label="AUC",
        sharing=sets.sharing,
    )


def _placements(scores: NDArray[np.floating], genuine: NDArray[np.bool_]) -> Floats:
    """Compute the proportion of the other class that each trial is ordered wrongly with; equal scores count half."""
    wrong = np.empty(len(scores))
    for rows, sign in ((genuine, 1), (~genuine, -1)):
        others = np.sort(sign * scores[~rows])
        placed = sign * scores[rows]
        above = len(others) - (np.searchsorted(others, placed, "left") + np.searchsorted(others, placed, "right")) / 2
        wrong[rows] = above / len(others)
    return wrong


def d_prime_interval(sets: TrialSets, *, system: str | None = None, confidence: float = 0.95) -> RateInterval:
    r"""Compute d', the distance of the class means in standard deviations, on the judged trials, and its interval.

    .. math:: d' = (\mu_G - \mu_I) / \sqrt{(\sigma_G^2 + \sigma_I^2) / 2}

    Parameters
    ----------
    sets : TrialSets
        Dev and test trials, and who shares them. No threshold is needed, so dev does not matter.
    system : str, optional
        The name of the system; not needed if there is only one.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.

    Returns
    -------
    RateInterval
        With Student's limits and the variance of the tangent; NaN, and a note that says why, if a score is infinite or
        no class has any spread.

    Raises
    ------
    TrialsError
        If the judged trials are not Trials, or there are several systems and none is named.

    References
    ----------
    Daugman, The importance of being random, Pattern Recognition 36, 2003: decidability.

    Examples
    --------
    >>> from fairtrial import Trials
    >>> from fairtrial.inference import TrialSets
    >>> trials = Trials.from_arrays([2.0, 4.0, 0.0, 2.0], [True, True, False, False])
    >>> d_prime_interval(TrialSets(None, trials)).estimate
    2.0
    """
    trials = sets.trials()
    scores = trials.column(system).astype(np.float64, copy=False)
    check_confidence(confidence)
    if not np.isfinite(scores).all():
        return _no_d_prime("a score is infinite, so that there is no mean", confidence, sets)
    halves = scores / 4 - float(np.median(scores / 4))  # neither far from 0 nor too large to be squared
    scores = halves / (float(np.max(np.abs(halves))) or 1.0)
    means, variances = zip(
        *((float(scores[rows].mean()), float(scores[rows].var())) for rows in (trials.genuine, ~trials.genuine)),
        strict=True,
    )
    width = sqrt(sum(variances) / 2)
    if width == 0:
        return _no_d_prime("all scores of a class are the same, so that there is no spread", confidence, sets)
    distance = (means[0] - means[1]) / width
    tangent = np.empty(len(scores))
    for rows, sign, mean in ((trials.genuine, 1, means[0]), (~trials.genuine, -1, means[1])):
        away = scores[rows] - mean
        tangent[rows] = sign * away / width - distance * away**2 / (4 * width**2)
    estimated = estimate_of_values(sets, distance, tangent)
    low, high = estimated.interval(confidence)
    return RateInterval(
        distance,
        low,
        high,
        estimated.sigma,
        confidence,
        "student",
        "d-prime",
        is_share=False,
        label=_D_PRIME,
        sharing=sets.sharing,
    )


def _no_d_prime(why: str, confidence: float, sets: TrialSets) -> RateInterval:
    unknown = (nan, nan, nan, nan, confidence, "student", "d-prime")
    return RateInterval(*unknown, note=why, is_share=False, label=_D_PRIME, sharing=sets.sharing)


@dataclass(frozen=True, slots=True)
class TargetPoint:
    """The FRR on test at the threshold that keeps a target FAR on dev."""

    far_target: float
    dev: ErrorCounts
    test: ErrorCounts
    threshold: float
    interval: RateInterval
    """Of the FRR on test."""
    far_interval: RateInterval

    @property
    def supported(self) -> bool:
        """Whether the target rests on at least 30 false accepts on dev (Doddington's rule)."""
        return bool(self.dev.false_accepts >= SUPPORT)

    def to_dict(self) -> dict[str, Any]:
        """Return the result under the names of the command line's JSON."""
        return {
            "far_target": self.far_target,
            "threshold": self.threshold,
            **self.test.to_dict(),
            "interval": self.interval.to_dict(),
            "far_interval": self.far_interval.to_dict(),
            "dev_false_accepts": self.dev.false_accepts,
            "supported": self.supported,
        }


@dataclass(frozen=True, slots=True, repr=False)
class SystemPoints(Result):
    """AUC, d' and the FRR at several FARs of one system, each with its interval.

    Attributes
    ----------
    system : str
        The system's name.
    points : tuple of TargetPoint
        One per target, in the order given: the threshold, and FAR and FRR on test there with their intervals.
    auc : RateInterval
        The area under the ROC on test.
    d_prime : RateInterval
        The distance of the class means on test, in standard deviations.
    kind : {"a priori", "a priori (cross-validated)", "a posteriori", "at a given threshold"}
        Whether the figures are a priori.
    notes : tuple of Note
        What the reader should know.

    Examples
    --------
    >>> from fairtrial import Trials, operating_points
    >>> trials = Trials.from_arrays([0.9, 0.8, 0.4, 0.7, 0.1, 0.3, 0.5, 0.2, 0.6], [True] * 4 + [False] * 5)
    >>> system = operating_points(trials, trials, far_targets=[0.2])["system"]
    >>> system.points[0].test.frr, round(system.auc.estimate, 4)
    (0.25, 0.9)
    """

    system: str
    points: tuple[TargetPoint, ...]
    auc: RateInterval
    d_prime: RateInterval
    kind: Kind
    notes: tuple[Note | str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the result under the names of the command line's JSON; AUC and d' have no threshold."""
        result: dict[str, Any] = {
            "system": self.system,
            "criterion": _RULE,
            "kind": self.kind,
            "points": [point.to_dict() for point in self.points],
        }
        for name, interval in (("auc", self.auc), ("d_prime", self.d_prime)):
            entry = interval.to_dict()
            del entry["threshold"]
            result |= {name: interval.estimate, f"{name}_interval": entry}
        return {**result, "notes": plain(self.notes)}

    def answer(self) -> str:
        """Write the FRR at each target with its interval."""
        rates = [
            f"{percent(p.test.frr)} ({interval_text(*p.interval.interval)}) at {level_text(p.far_target)}"
            for p in self.points
        ]
        title = interval_title(self.auc.confidence)
        return f"{self.system}: {term('FRR')} with its {title} at each target {term('FAR')}: {in_a_row(rates)}"

    def tables(self) -> tuple[Table, ...]:
        """Tabulate one row per figure."""
        provenance = PROVENANCES[self.kind]
        columns = (
            Column("system", "system"),
            Column("figure", "figure", "term"),
            Column("value", "value", "figure"),
            Column("interval", interval_title(self.auc.confidence), "figures"),
            Column("threshold", "threshold", "threshold"),
            Column("far", Text("{FAR} on {judged}", judged=provenance.judged), "rate"),
            Column("dev_false_accepts", Text("{false accepts} on dev"), "count", optional=True),
            Column("far_target", Text("target {FAR}"), "rate", detail=True),
            Column("far_interval", Text("interval of {FAR}"), "interval", detail=True),
            Column("method", "method", detail=True),
            Column("interval_threshold", "threshold of the interval", detail=True),
            *COUNT_COLUMNS,
        )
        rows: list[tuple[str, RateInterval, dict[str, Any]]]
        rows = [(interval.label, interval, {}) for interval in (self.auc, self.d_prime)]
        for point in self.points:
            at_threshold = {
                **point.test.to_dict(),
                "threshold": point.threshold,
                "dev_false_accepts": point.dev.false_accepts,
                "far_target": point.far_target,
                "far_interval": point.far_interval.interval,
                "interval_threshold": point.interval.threshold,
            }
            rows.append((str(Text("{FRR} at {FAR} {far:level}", far=point.far_target)), point.interval, at_threshold))
        records = [
            {
                "system": self.system,
                "figure": name,
                "value": (interval.estimate, interval.is_share),
                "interval": (*interval.interval, interval.is_share),
                "method": interval.method,
                **at_threshold,
            }
            for name, interval, at_threshold in rows
        ]
        caption = Text(
            "AUC, d' and {FRR} on {judged}; thresholds that keep the {FAR} {chosen}",
            judged=provenance.judged,
            chosen=provenance.chosen,
        )
        given = GIVEN[self.points[0].interval.threshold]
        of = Note("interval-of", "the intervals are those of the {FRR}, {given}", detail=True, given=given)
        notes = (of, *self.notes)
        return (Table.of("operating_points", caption, columns, records, notes=notes, section="system"),)


def operating_points_of(
    sets: TrialSets,
    system: str | None = None,
    *,
    far_targets: Sequence[float] = _FAR_TARGETS,
    confidence: float = 0.95,
    threshold: Threshold = "re-estimated",
) -> SystemPoints:
    """Compute the figures of one system; see `operating_points`."""
    targets = [check_share("a target FAR", target, open_ends=True) for target in far_targets]
    if not targets or len(set(targets)) < len(targets):
        raise ParameterError(f"give one target FAR or more, each once, not {list(far_targets)}")
    name = sets.system_name(system)
    judgement = judge(sets, system=name, criterion=_RULE, alphas=targets)
    assert judgement.dev is not None
    by_frr, by_far = (
        intervals_along(judgement, measure=rate, confidence=confidence, threshold=threshold) for rate in ("frr", "far")
    )
    points = tuple(
        TargetPoint(target, at_dev, judgement.at(k), at_dev.threshold, by_frr[k], by_far[k])
        for k, target in enumerate(targets)
        for at_dev in [judgement.dev[k].scalar()]
    )
    auc = auc_interval(sets, system=name, confidence=confidence)
    d_prime = d_prime_interval(sets, system=name, confidence=confidence)
    notes: list[Note | str] = [*sets.notes, *judgement.reversed_scores()]
    notes += [f"{name}: {term(figure.label)}: {figure.note}" for figure in (auc, d_prime) if figure.note]
    few = [f"{level_text(p.far_target)} ({p.dev.false_accepts})" for p in points if not p.supported]
    if few:
        template = "too few {false accepts} on dev at target {FAR} {targets:and}: {needed} needed; indicative only"
        notes.append(Note("few-errors", template, name, warning=True, targets=few, needed=SUPPORT))
    return SystemPoints(name, points, auc, d_prime, judgement.kind, tuple(notes))


@dataclass(frozen=True, slots=True, repr=False)
class OperatingPoints(SystemResults[SystemPoints]):
    """AUC, d' and the FRR at several FARs, of each system: ``result["face"]`` is one of them.

    Attributes
    ----------
    systems : tuple of SystemPoints
        One per system.

    Examples
    --------
    >>> from fairtrial import operating_points
    >>> from fairtrial.benchmark import load_lausanne
    >>> lp1 = load_lausanne().sets[0]
    >>> result = operating_points(lp1.dev, lp1.test, systems=["(LFCC,GMM)", "(PAC,GMM)"])
    >>> len(result), result["(LFCC,GMM)"].points[0].far_target
    (2, 0.01)
    """

    systems: tuple[SystemPoints, ...]

    def answer(self) -> str:
        """Write the answer of one system, or the FRRs of several at the first target, the lowest first."""
        if len(self.systems) == 1:
            return self.systems[0].answer()
        points = [(result.system, result.points[0]) for result in self.systems]
        points.sort(key=lambda pair: pair[1].test.frr)
        entries = [
            f"{name} {percent(point.test.frr)} ({interval_text(*point.interval.interval)})" for name, point in points
        ]
        title = interval_title(points[0][1].interval.confidence)
        what = Text("{FRR} at a target {FAR} of {far:percent}", far=points[0][1].far_target)
        return f"{what} with its {title}: {listed(entries, 6, 120)}"


def operating_points(
    dev: ScoreData,
    test: ScoreData | None = None,
    *,
    folds: int | Sequence[Block] | None = None,
    systems: str | Sequence[str] | None = None,
    far_targets: Sequence[float] = _FAR_TARGETS,
    confidence: float = 0.95,
    cluster: Cluster | None = None,
    resample: Literal["test", "both"] = "both",
    rng: np.random.Generator | int | None = 0,
) -> OperatingPoints:
    """Compute AUC, d' and the FRR at several FARs, each with its interval.

    The threshold of each target is the lowest that keeps the FAR on dev at or below it; FRR and FAR are those on test.
    AUC and d' are those of the test trials.

    Parameters
    ----------
    dev : Trials or data frame
        The trials that thresholds are chosen on.
    test : Trials or data frame, optional
        The trials that are judged; not needed with `folds`.
    folds : int or sequence of Block, optional
        Instead of `test`: the number of folds that the people of dev are dealt into, or blocks of trials.
    systems : str or sequence of str, optional
        The names of the systems; all by default.
    far_targets : sequence of float, default (0.01, 0.001, 0.0001)
        Target FARs, fractions, at least one.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.
    cluster : {"none", "claim", "subject", "both"}, optional
        What dependent trials share: the claimed identity, the subject, both or nothing; by default all known ids.
    resample : {"test", "both"}, default "both"
        Whether intervals are conditional on the threshold (``test``), or account for its re-estimation from other dev
        trials (``both``).
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result.

    Returns
    -------
    OperatingPoints
        The figures of each system, and notes on targets that too few false accepts on dev support.

    Raises
    ------
    ParameterError
        If there is no target, or one is not between 0 and 1.

    References
    ----------
    ISO/IEC 19795-1, which calls them FNMR at FMR; Doddington et al., The NIST speaker recognition evaluation, 2000, on
    the 30 errors that a rate should rest on.

    Examples
    --------
    >>> from fairtrial.benchmark import load_lausanne
    >>> lp1 = load_lausanne().sets[0]
    >>> result = operating_points(lp1.dev, lp1.test, systems="(LFCC,GMM)", far_targets=[0.01])
    >>> point = result["(LFCC,GMM)"].points[0]
    >>> point.interval.low < point.test.frr < point.interval.high
    True
    """
    check_choice("resample", resample, ("test", "both"))
    sets = TrialSets.of(dev, test, folds=folds, cluster=cluster, rng=rng)
    if not sets.has_scores:
        raise ParameterError(
            "operating points need the scores themselves, and not files of counts", code="needs-scores"
        )
    threshold = threshold_when(resample)
    return OperatingPoints(
        tuple(
            operating_points_of(sets, name, far_targets=far_targets, confidence=confidence, threshold=threshold)
            for name in sets.system_names(systems)
        )
    )
