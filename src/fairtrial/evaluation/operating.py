"""Operating points: AUC, d', and the FRR at thresholds that keep a target FAR on dev."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from fairtrial.core.errors import ParameterError, check_choice, check_share
from fairtrial.core.notes import Note
from fairtrial.core.results import Result, plain
from fairtrial.core.tables import COUNT_COLUMNS, Column, Table, join_tables
from fairtrial.core.trials import TrialsLike, trials_of
from fairtrial.core.words import Text, in_a_row, interval_text, interval_title, level_text, listed, percent, term
from fairtrial.counting.tallies import ErrorCounts, ScoreData
from fairtrial.inference.decide import SUPPORT, judge
from fairtrial.inference.estimates import GIVEN, Threshold, threshold_when
from fairtrial.inference.folds import Block
from fairtrial.inference.intervals import RateInterval
from fairtrial.inference.limits import auc_interval, d_prime_interval, intervals_along
from fairtrial.inference.people import Cluster
from fairtrial.inference.split import PROVENANCES, Kind, TrialSets

_FAR_TARGETS = (0.01, 0.001, 0.0001)
_RULE = "far-at-most"


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
        """The names of the command line's JSON."""
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
class OperatingPoints(Result):
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
    >>> result = operating_points(trials, trials, far=[0.2])
    >>> result.points[0].test.frr, round(result.auc.estimate, 4)
    (0.25, 0.9)
    """

    system: str
    points: tuple[TargetPoint, ...]
    auc: RateInterval
    d_prime: RateInterval
    kind: Kind
    notes: tuple[Note | str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON; AUC and d' have no threshold."""
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
        """Give the FRR at each target with its interval."""
        rates = [
            f"{percent(p.test.frr)} ({interval_text(*p.interval.interval)}) at {level_text(p.far_target)}"
            for p in self.points
        ]
        title = interval_title(self.auc.confidence)
        return f"{self.system}: {term('FRR')} with its {title} at each target {term('FAR')}: {in_a_row(rates)}"

    def tables(self) -> tuple[Table, ...]:
        """One row per figure."""
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
        rows = [(each.label, each, {}) for each in (self.auc, self.d_prime)]
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


def operating_points(
    dev: TrialsLike,
    test: TrialsLike,
    *,
    far: Sequence[float] = _FAR_TARGETS,
    system: str | None = None,
    confidence: float = 0.95,
    cluster: Cluster | None = None,
    resample: Literal["test", "both"] = "both",
) -> OperatingPoints:
    """Compute AUC, d' and the FRR at several FARs of one system, each with its interval.

    The threshold of each target is the lowest that keeps the FAR on dev at or below it; FRR and FAR are those on test.
    AUC and d' are those of the test trials.

    Parameters
    ----------
    dev : Trials or data frame
        The trials that thresholds are chosen on.
    test : Trials or data frame
        The trials that are judged.
    far : sequence of float, default (0.01, 0.001, 0.0001)
        Target FARs, fractions, at least one.
    system : str, optional
        The name of the system; not needed if there is only one.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.
    cluster : {"none", "claim", "subject", "both"}, optional
        What dependent trials share: the claimed identity, the subject, both or nothing; by default all known ids.
    resample : {"test", "both"}, default "both"
        Whether intervals are conditional on the threshold (``test``), or account for its re-estimation from other dev
        trials (``both``).

    Returns
    -------
    OperatingPoints
        The figures, and notes on targets that too few false accepts on dev support.

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
    >>> point = operating_points(lp1.dev, lp1.test, system="(LFCC,GMM)", far=[0.01]).points[0]
    >>> point.interval.low < point.test.frr < point.interval.high
    True
    """
    check_choice("resample", resample, ("test", "both"))
    sets = TrialSets(trials_of(dev, "dev"), trials_of(test, "test"), cluster)
    threshold = threshold_when(resample)
    return operating_points_of(sets, system, far=far, confidence=confidence, threshold=threshold)


def operating_points_of(
    sets: TrialSets,
    system: str | None = None,
    *,
    far: Sequence[float] = _FAR_TARGETS,
    confidence: float = 0.95,
    threshold: Threshold = "re-estimated",
) -> OperatingPoints:
    """Report the figures of one system on trials whose people are known; see `operating_points`."""
    targets = [check_share("a target FAR", target, open_ends=True) for target in far]
    if not targets or len(set(targets)) < len(targets):
        raise ParameterError(f"give one target FAR or more, each once, not {list(far)}")
    name = sets.system_name(system)
    judged = judge(sets, system=name, criterion=_RULE, alphas=targets)
    assert judged.dev is not None
    by_frr, by_far = (
        intervals_along(judged, measure=rate, confidence=confidence, threshold=threshold) for rate in ("frr", "far")
    )
    points = tuple(
        TargetPoint(target, at_dev, judged.at(k), at_dev.threshold, by_frr[k], by_far[k])
        for k, target in enumerate(targets)
        for at_dev in [judged.dev[k].scalar()]
    )
    auc, d_prime = (find(sets, system=name, confidence=confidence) for find in (auc_interval, d_prime_interval))
    notes: list[Note | str] = [*sets.notes, *judged.reversed_scores()]
    notes += [f"{name}: {term(each.label)}: {each.note}" for each in (auc, d_prime) if each.note]
    few = [f"{level_text(p.far_target)} ({p.dev.false_accepts})" for p in points if not p.supported]
    if few:
        template = "too few {false accepts} on dev at target {FAR} {targets:and}: {needed} needed; indicative only"
        notes.append(Note("few-errors", template, name, warning=True, targets=few, needed=SUPPORT))
    return OperatingPoints(name, points, auc, d_prime, judged.kind, tuple(notes))


@dataclass(frozen=True, slots=True, repr=False)
class OperatingTable(Result):
    """AUC, d' and the FRR at several FARs, of several systems.

    Attributes
    ----------
    systems : tuple of OperatingPoints
        One per system.
    """

    systems: tuple[OperatingPoints, ...]

    def answer(self) -> str:
        """Give that of one system, or the FRRs of several at the first target, the lowest first."""
        if len(self.systems) == 1:
            return self.systems[0].answer()
        points = sorted(((each.system, each.points[0]) for each in self.systems), key=lambda pair: pair[1].test.frr)
        entries = [
            f"{name} {percent(point.test.frr)} ({interval_text(*point.interval.interval)})" for name, point in points
        ]
        title = interval_title(points[0][1].interval.confidence)
        what = Text("{FRR} at a target {FAR} of {far:percent}", far=points[0][1].far_target)
        return f"{what} with its {title}: {listed(entries, 6)}"

    def tables(self) -> tuple[Table, ...]:
        """Give those of all systems, joined."""
        return join_tables([each.tables() for each in self.systems])

    def to_dict(self) -> dict[str, Any]:
        """Give the names of the command line's JSON."""
        return {"systems": [each.to_dict() for each in self.systems]}


def operating_table(
    dev: ScoreData,
    test: ScoreData | None = None,
    *,
    folds: int | Sequence[Block] | None = None,
    systems: Sequence[str] | None = None,
    far_targets: Sequence[float] = _FAR_TARGETS,
    confidence: float = 0.95,
    cluster: Cluster | None = None,
    resample: Literal["test", "both"] = "both",
    rng: np.random.Generator | int | None = 0,
) -> OperatingTable:
    """Compute AUC, d' and the FRR at several FARs of all systems; see `operating_points`.

    Parameters
    ----------
    dev : Trials or data frame
        The trials that thresholds are chosen on.
    test : Trials or data frame, optional
        The trials that are judged; not needed with `folds`.
    folds : int or sequence of Block, optional
        Instead of `test`: the number of folds of the people of dev, or blocks of trials.
    systems : sequence of str, optional
        The names of the systems; all by default.
    far_targets : sequence of float, default (0.01, 0.001, 0.0001)
        Target FARs, fractions separated by commas.
    confidence, cluster, resample
        As of `operating_points`.
    rng : numpy.random.Generator, int or None, default 0
        The generator or seed that divides people into folds.

    Returns
    -------
    OperatingTable
        The figures of each system.

    Raises
    ------
    ParameterError
        If there is no target, or one is not between 0 and 1.
    """
    check_choice("resample", resample, ("test", "both"))
    sets = TrialSets.of(dev, test, folds=folds, cluster=cluster, rng=rng)
    if not sets.has_scores:
        raise ParameterError(
            "operating points need the scores themselves, and not files of counts", code="needs-scores"
        )
    threshold = threshold_when(resample)
    return OperatingTable(
        tuple(
            operating_points_of(sets, name, far=far_targets, confidence=confidence, threshold=threshold)
            for name in sets.chosen(systems)
        )
    )
