"""A fusion beside the systems it is made of: evaluated a priori, its gain and weights, the test against the best."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairtrial.claims import GIVEN
from fairtrial.counting.errors import ErrorCounts
from fairtrial.evaluation import Evaluation
from fairtrial.evaluation.evaluating import evaluation_of
from fairtrial.formats.frames import TrialsLike, trials_of
from fairtrial.fusion.combination import FusedScores, Inner, fuse_scores, score_matrix
from fairtrial.fusion.gain import Gain, fusion_gain
from fairtrial.fusion.methods import FusionMethod, spread_of
from fairtrial.fusion.missing import Missing
from fairtrial.fusion.model import FusionModel
from fairtrial.fusion.steps import run_steps
from fairtrial.intervals.judged import judged_interval
from fairtrial.intervals.rates import RateInterval
from fairtrial.judging import Judgement, judge, judge_at
from fairtrial.people import Cluster
from fairtrial.rules.criteria import CriterionLike, as_criterion, described_criterion
from fairtrial.significance.paired import leading_test, pair_judgements
from fairtrial.significance.results import TestResult, columns_with_interval
from fairtrial.tables import COUNT_COLUMNS, RATE_COLUMNS, Column, Result, Table, interval_title, percent
from fairtrial.trial_sets import PROVENANCES, Kind, TrialSets, seed_of
from fairtrial.trials import Trials

_BEST_NOTE = "which system is best is known only after the test: the comparison is the hardest for the fusion"


@dataclass(frozen=True, slots=True)
class SystemWeight:
    """How much a system counts in a linear fusion."""

    system: str
    weight: float
    """What its score is multiplied by, after normalisation; the mean of all clients where each has their own."""
    share: float
    """Its part in how much the fused scores vary on dev: weight times standard deviation, over the sum of all."""

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        return {"system": self.system, "weight": self.weight, "share": self.share}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FusionResult(Result):
    """A fused system, evaluated a priori, beside the systems it is made of.

    Attributes
    ----------
    scores : FusedScores
        The fused scores, and how they came about.
    evaluation : Evaluation
        The fusion on test.
    baselines : tuple of Evaluation
        Its systems on test, in their order.
    best : str
        The system with the lowest HTER on test.
    test : TestResult
        The fusion against the best of its systems on the same trials.
    weights : tuple of SystemWeight
        How much each system counts; none where the fusion is not linear.

    Examples
    --------
    >>> import numpy as np
    >>> from fairtrial import Trials, fuse
    >>> genuine = np.arange(400) < 100
    >>> scores = np.random.default_rng(0).normal(np.outer(genuine, [2.0, 2.5]))
    >>> trials = Trials.from_arrays(scores, genuine, systems=["face", "voice"])
    >>> dev, test = (trials.rows(np.arange(start, 400, 2)) for start in (0, 1))
    >>> fuse(dev, test)
    <FusionResult: mean(face + voice), HTER 5.33 %, gain over the best system 2.44>
    """

    scores: FusedScores
    evaluation: Evaluation
    baselines: tuple[Evaluation, ...]
    best: str
    test: TestResult
    weights: tuple[SystemWeight, ...] = ()

    @property
    def gain(self) -> Gain:
        """How much better the fusion is than its systems."""
        return fusion_gain(self.evaluation.test.hter, [baseline.test.hter for baseline in self.baselines])

    @property
    def model(self) -> FusionModel:
        """The fusion with its threshold, to be saved and applied to other trials.

        Raises
        ------
        ParameterError
            What was fitted cannot be put in names and numbers.
        """
        return FusionModel.of(
            self.scores,
            threshold=self.evaluation.threshold,
            system_thresholds=[base.threshold for base in self.baselines],
            criterion=self.evaluation.criterion.name,
            alpha=self.evaluation.alpha,
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reader should know."""
        gain = (self.gain.note,) if self.gain.note else ()
        found = (*self.scores.notes, *filter(None, [self.scores.uneven]))
        own = (f"{self.scores.name}: {note}" for note in found)
        return tuple(dict.fromkeys((*own, *gain, *self.evaluation.notes)))

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        found = self.evaluation.to_dict()
        return {
            "fusion": self.scores.fusion,
            "normalise": self.scores.normalise,
            "systems": list(self.scores.systems),
            "parameters": dict(self.scores.parameters),
            "weights": [weight.to_dict() for weight in self.weights],
            "cross_validated": self.scores.cross_validated,
            "criterion": found["criterion"],
            "alpha": found["alpha"],
            "threshold": found["threshold"],
            "dev": found["dev"],
            "test": found["test"],
            "baselines": [
                {"system": base.system, "hter": base.test.hter, "threshold": base.threshold} for base in self.baselines
            ],
            "beta_mean": self.gain.beta_mean,
            "beta_min": self.gain.beta_min,
            "against_best": _against_best(self.best, self.test, self.evaluation.interval.confidence),
            "notes": list(self.notes),
        }

    def summary(self) -> str:
        """The HTER of the fusion and its gain."""
        hter = f"{self.evaluation.system}, HTER {percent(self.evaluation.test.hter)}"
        return f"{hter}, gain over the best system {self.gain.beta_min:.3g}"

    def tables(self) -> tuple[Table, ...]:
        """The systems and their fusion, one row each; the gain; the test against the best; the weights."""
        found = self.evaluation
        caption = (
            f"Systems and their fusion, {found.kind}, threshold by {found.criterion.described(found.alpha)} "
            f"{PROVENANCES[found.kind].chosen}"
        )
        figures = [_Figures(each.system, each.threshold, each.test, each.interval) for each in self.baselines]
        own = _Figures(found.system, found.threshold, found.test, found.interval)
        tables = (
            _systems_table(figures, own, caption, [*self.notes, *self._chosen()]),
            _gain_table(self.gain),
            _test_table(self.best, self.test, found.interval.confidence),
        )
        return (*tables, _weights_table(self.weights, self.scores.normalise)) if self.weights else tables

    def _chosen(self) -> list[str]:
        """What was chosen among hyper-parameters."""
        chosen = ", ".join(f"{name} {value}" for name, value in self.scores.parameters.items())
        if not chosen:
            return []
        who = "the folds also chose" if self.scores.cross_validated else "the lowest HTER on dev chose"
        return [f"{self.scores.name}: {who} {chosen}"]


@dataclass(frozen=True, slots=True)
class _Figures:
    """One row of the table of systems."""

    system: str
    threshold: float
    counts: ErrorCounts
    interval: RateInterval


def _systems_table(baselines: Sequence[_Figures], fused: _Figures, caption: str, notes: Sequence[str]) -> Table:
    columns = (
        Column("system", "system"),
        Column("threshold", "threshold", "threshold"),
        *RATE_COLUMNS,
        Column("interval", interval_title(fused.interval.confidence), "interval"),
        Column("method", "method", detail=True),
        Column("interval_threshold", "threshold of the interval", detail=True),
        Column("fused", "fused", "flag", detail=True),
        *COUNT_COLUMNS,
    )
    records = [
        {**each.counts.to_dict(), "system": each.system, "threshold": each.threshold, "fused": each is fused}
        | {"interval": each.interval.interval, "method": each.interval.method}
        | {"interval_threshold": each.interval.threshold}
        for each in (*baselines, fused)
    ]
    given = f"intervals: {GIVEN[fused.interval.threshold]}"
    return Table.of("systems", caption, columns, records, notes=[given, *notes])


def _gain_table(gain: Gain) -> Table:
    columns = (
        Column("beta_mean", "over the mean of the systems", "ratio"),
        Column("beta_min", "over the best", "ratio"),
    )
    return Table("gain", "Gain of the fusion", columns, ((gain.beta_mean, gain.beta_min),))


def _test_table(best: str, test: TestResult, confidence: float) -> Table:
    columns = (Column("best", "best system"), *columns_with_interval(confidence))
    caption = "The fusion minus the best of its systems, on the same test trials"
    return Table.of("test", caption, columns, [{"best": best, **test.cells(confidence)}], notes=[_BEST_NOTE])


def _against_best(best: str, test: TestResult, confidence: float) -> dict[str, Any]:
    return {"system": best, **test.to_dict(), "interval": test.interval_entry(confidence)}


def _weights_table(weights: Sequence[SystemWeight], normalise: str) -> Table:
    columns = (Column("system", "system"), Column("weight", "weight", "number"), Column("share", "share", "rate"))
    what = "scores" if normalise == "none" else "normalised scores"
    caption = f"Weights of the {what}; share: part in how much the fused dev scores vary"
    return Table.of("weights", caption, columns, [weight.to_dict() for weight in weights])


def fuse(
    dev: TrialsLike,
    test: TrialsLike,
    *,
    systems: Sequence[str] | None = None,
    fusion: str | FusionMethod = "mean",
    normalise: str = "none",
    criterion: CriterionLike = "wer-equal",
    alpha: float | None = None,
    missing: Missing = "error",
    inner: Inner = "auto",
    folds: int = 5,
    rng: np.random.Generator | int | None = 0,
    confidence: float = 0.95,
    cluster: Cluster | None = None,
    progress: Callable[[float], None] | None = None,
) -> FusionResult:
    """Fuse systems and evaluate the fusion and each of them at thresholds from dev.

    Parameters
    ----------
    dev : Trials or data frame
        The trials that thresholds are chosen on.
    test : Trials or data frame
        The trials that are judged.
    systems : sequence of str, optional
        The names of the systems, two or more; all by default.
    fusion : str or FusionMethod, default "mean"
        A fusion method, or its name in `FUSIONS`.
    normalise : str, default "none"
        How scores are normalised before: a name in `NORMALISATIONS`, fitted on dev.
    criterion : str, Criterion, DetectionCosts or callable, default "wer-equal"
        How the threshold is chosen on dev: a name in `CRITERIA`, a criterion, detection costs, or a function
        ``C(far, frr, alpha)`` of arrays.
    alpha : float, optional
        The weight or the target that the criterion takes; 0.5 by default, but a criterion that aims at a target needs
        one.
    missing : {"error", "reject", "neutral"}, default "error"
        What becomes of a trial that lacks the score of a system: ``error`` raises an error; ``reject`` rejects it, by a
        fused score of -inf; ``neutral`` takes the system's EER threshold on dev in place of the score.
    inner : {"auto", "folds", "none"}, default "auto"
        Where the fused dev scores come from; see `fuse_scores`.
    folds : int, default 5
        How many folds the dev trials are dealt into; see `fuse_scores`.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.
    cluster : {"none", "claim", "subject", "both"}, optional
        What dependent trials share: the claimed identity, the subject, both or nothing; by default all ids that are
        known.
    progress : callable, optional
        Called as work proceeds, with the share of the fits that are done, from 0 to 1.

    Returns
    -------
    FusionResult
        The fusion and its systems, each evaluated; the gain, the test against the best system, the weights of a linear
        fusion, and the `model` that can be saved.

    Raises
    ------
    ParameterError
        A method, normalisation, criterion or number that is not known, or scores that the method cannot be fitted on.
    TrialsError
        Fewer than two systems, missing scores, or client-dependent fusion without claim ids.

    Notes
    -----
    Nothing is fitted on test: method, normalisation, hyper-parameters and threshold come from dev.

    References
    ----------
    Poh & Bengio, Database, protocols and tools for evaluating score-level fusion, 2006, eqs. (6) to (10) and Algorithm
    1.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> genuine = np.arange(900) < 300
    >>> dev, test = (Trials.from_arrays(rng.normal(2 * genuine[:, None], 1, (900, 2)), genuine) for _ in range(2))
    >>> result = fuse(dev, test, fusion="logistic")
    >>> result.gain.beta_min > 1
    True
    >>> [round(weight.share, 1) for weight in result.weights]
    [0.5, 0.5]
    """
    dev, test = trials_of(dev, "dev"), trials_of(test, "test")
    scores = fuse_scores(
        dev,
        test,
        systems=systems,
        fusion=fusion,
        normalise=normalise,
        criterion=criterion,
        alpha=alpha,
        missing=missing,
        inner=inner,
        folds=folds,
        rng=rng,
        progress=progress,
    )
    sets = TrialSets(dev.select(scores.systems), test.select(scores.systems), cluster, seed_of(rng))
    rule = as_criterion(criterion)
    weight = rule.resolve_alpha(alpha)

    def evaluated(trials: TrialSets, system: str) -> Evaluation:
        return evaluation_of(judge(trials, system=system, criterion=rule, alphas=weight), confidence=confidence)

    baselines = tuple(evaluated(sets, name) for name in scores.systems)
    found = evaluated(sets.with_scores(scores.dev, scores.test), scores.name)
    best = min(baselines, key=lambda base: base.test.hter)
    assert found.judgement is not None
    assert best.judgement is not None
    versus = leading_test(pair_judgements(found.judgement, best.judgement))
    return FusionResult(scores, found, baselines, best.system, versus, _weights(scores, dev))


def _weights(scores: FusedScores, dev: Trials) -> tuple[SystemWeight, ...]:
    """The weights of a trained linear fusion, as they apply to normalised scores."""
    first = 0 if scores.normalise == "none" else 1
    normalisation, method = scores.steps[:first], scores.steps[first:]
    if not method or not method[-1].operation.linear or any(step.name != "scale" for step in method[:-1]):
        return ()
    weights = np.asarray(method[-1].numbers["weights"])
    if weights.ndim > 1:  # those of all clients that dev knows
        weights = weights[:-1].mean(axis=0)
    for step in method[:-1]:
        weights = weights / step.numbers["scale"]
    assert scores.missing is not None
    matrix, _ = scores.missing.fill(score_matrix(dev, scores.systems))
    by_client = any(step.operation.by_client for step in normalisation)
    spread = spread_of(run_steps(normalisation, matrix, scores.client_numbers(dev) if by_client else None))
    moved = np.abs(weights) * spread
    total = moved.sum()
    shares = moved / total if total > 0 else np.full(len(weights), np.nan)
    found = zip(scores.systems, weights.tolist(), shares.tolist(), strict=True)
    return tuple(SystemWeight(name, weight, share) for name, weight, share in found)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AppliedFusion(Result):
    """A saved fusion on other trials, at the thresholds that it was saved with, beside its systems.

    Attributes
    ----------
    model : FusionModel
        The fusion that was applied.
    fused : Judgement
        The fusion on test.
    baselines : tuple of Judgement
        Its systems on test, in their order.
    intervals : tuple of RateInterval
        The intervals of the systems in their order, and of the fusion.
    best : str
        The system with the lowest HTER on test.
    test : TestResult
        The fusion against the best of its systems on the same trials.

    Examples
    --------
    >>> import numpy as np
    >>> from fairtrial import Trials, apply_fusion, fuse
    >>> genuine = np.arange(400) < 100
    >>> scores = np.random.default_rng(0).normal(np.outer(genuine, [2.0, 2.5]))
    >>> trials = Trials.from_arrays(scores, genuine, systems=["face", "voice"])
    >>> dev, test = (trials.rows(np.arange(start, 400, 2)) for start in (0, 1))
    >>> apply_fusion(fuse(dev, test).model, test).kind
    'at a given threshold'
    """

    model: FusionModel
    fused: Judgement
    baselines: tuple[Judgement, ...]
    intervals: tuple[RateInterval, ...]
    best: str
    test: TestResult

    @property
    def scores(self) -> Trials:
        """The fused trials."""
        return self.fused.trials

    @property
    def gain(self) -> Gain:
        """How much better the fusion is than its systems."""
        return fusion_gain(float(self.fused.at(0).hter), [float(base.at(0).hter) for base in self.baselines])

    @property
    def kind(self) -> Kind:
        """Where the thresholds come from."""
        return self.fused.kind

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reader should know."""
        gain = (self.gain.note,) if self.gain.note else ()
        rule = described_criterion(self.model.criterion, self.model.alpha)
        made = f"fitted before, on other trials, and thresholds chosen there by {rule}"
        return tuple(dict.fromkeys((made, *gain, *self.fused.sets.notes)))

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON, as those of `FusionResult`; without dev."""
        counts, interval = self.fused.at(0), self.intervals[-1]
        return {
            "fusion": self.model.fusion,
            "normalise": self.model.normalise,
            "systems": list(self.model.systems),
            "parameters": dict(self.model.parameters),
            "criterion": self.model.criterion,
            "alpha": self.model.alpha,
            "threshold": self.model.threshold,
            "test": {**counts.to_dict(), "kind": self.kind, "interval": interval.to_dict()},
            "baselines": [
                {"system": base.system, "hter": float(base.at(0).hter), "threshold": threshold}
                for base, threshold in zip(self.baselines, self.model.system_thresholds, strict=True)
            ],
            "beta_mean": self.gain.beta_mean,
            "beta_min": self.gain.beta_min,
            "against_best": _against_best(self.best, self.test, interval.confidence),
            "notes": list(self.notes),
        }

    def summary(self) -> str:
        """The HTER of the fusion and its gain."""
        hter = f"{self.fused.system}, HTER {percent(float(self.fused.at(0).hter))} {self.kind}"
        return f"{hter}, gain over the best system {self.gain.beta_min:.3g}"

    def tables(self) -> tuple[Table, ...]:
        """The systems and their fusion, one row each; the gain; the test against the best."""
        thresholds = (*self.model.system_thresholds, self.model.threshold)
        *systems, own = (
            _Figures(judged.system, threshold, judged.at(0), interval)
            for judged, threshold, interval in zip(
                (*self.baselines, self.fused), thresholds, self.intervals, strict=True
            )
        )
        caption = f"Systems and their fusion, {self.kind}"
        return (
            _systems_table(systems, own, caption, self.notes),
            _gain_table(self.gain),
            _test_table(self.best, self.test, own.interval.confidence),
        )


def apply_fusion(
    model: FusionModel,
    test: TrialsLike,
    *,
    confidence: float = 0.95,
    cluster: Cluster | None = None,
    rng: np.random.Generator | int | None = 0,
) -> AppliedFusion:
    """Judge a saved fusion on other trials, at the thresholds it was saved with.

    Parameters
    ----------
    model : FusionModel
        What `FusionModel.load` or `FusionResult.model` gives.
    test : Trials or data frame
        The trials that are judged, of the systems that the model fuses, and perhaps of others.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.
    cluster : {"none", "claim", "subject", "both"}, optional
        What dependent trials share: the claimed identity, the subject, both or nothing; by default all ids that are
        known.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result.

    Returns
    -------
    AppliedFusion
        Errors and intervals of the fusion and of its systems, the gain, and the test against the best system. All
        thresholds are given, so that intervals and test are for these thresholds.

    Raises
    ------
    TrialsError
        Trials that lack a system, scores or claim ids that the model needs.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> genuine = np.arange(900) < 300
    >>> dev, test = (Trials.from_arrays(rng.normal(2 * genuine[:, None], 1, (900, 2)), genuine) for _ in range(2))
    >>> once = fuse(dev, test, fusion="lda")
    >>> apply_fusion(once.model, test).fused.at(0).hter == once.evaluation.test.hter
    True
    """
    seed, test = seed_of(rng), trials_of(test, "test")
    own = TrialSets(None, test.select(model.systems), cluster, seed)
    baselines = tuple(
        judge_at(own, threshold, system=name)
        for name, threshold in zip(model.systems, model.system_thresholds, strict=True)
    )
    fused = judge_at(TrialSets(None, model.apply(test), cluster, seed), model.threshold)
    intervals = tuple(judged_interval(each, confidence=confidence) for each in (*baselines, fused))
    best = min(baselines, key=lambda base: float(base.at(0).hter))
    versus = leading_test(pair_judgements(fused, best))
    return AppliedFusion(model, fused, baselines, intervals, best.system, versus)
