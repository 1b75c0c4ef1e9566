"""Evaluate a fusion beside its systems: gain, weights, and the test against the best."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, isfinite, isnan, nan
from typing import Any, ClassVar

import numpy as np

from fairtrial.core.errors import ParameterError, check_confidence
from fairtrial.core.notes import Note, as_note
from fairtrial.core.results import Field, Record, Result, plain, table_of
from fairtrial.core.tables import COUNT_COLUMNS, RATE_COLUMNS, Column, Table
from fairtrial.core.trials import Trials
from fairtrial.core.words import interval_title, percent
from fairtrial.evaluation.evaluation import SystemEvaluation
from fairtrial.evaluation.paired_tests import leading_test, pair_judgements
from fairtrial.formats.files import PathLike
from fairtrial.formats.frames import TrialsLike, trials_of
from fairtrial.fusion.combination import FusedScores, Inner, Missing, client_numbers, fuse_scores, score_matrix
from fairtrial.fusion.methods import FusionMethod, run_steps, spread_of
from fairtrial.fusion.model import FusionModel
from fairtrial.inference.decide import Judgement, judge, judge_at
from fairtrial.inference.estimates import GIVEN
from fairtrial.inference.people import Cluster
from fairtrial.inference.split import PROVENANCES, Kind, TrialSets, seed_of
from fairtrial.inference.tests import TestResult, columns_with_interval
from fairtrial.rules.criteria import CriterionLike, as_criterion, described_criterion


@dataclass(frozen=True, slots=True)
class Gain:
    """Gain ratios; above 1 the fusion is better.

    Attributes
    ----------
    beta_mean : float
        The mean HTER of the systems over that of the fusion, eq. (9).
    beta_min : float
        The lowest HTER of the systems over that of the fusion, eq. (10).

    References
    ----------
    Poh & Bengio, Database, protocols and tools for evaluating score-level fusion, 2006, eqs. (9) and (10).

    Examples
    --------
    >>> Gain(beta_mean=3.0, beta_min=2.0).beta_min
    2.0
    """

    beta_mean: float
    beta_min: float

    @property
    def note(self) -> Note | None:
        """What to know of a gain that is not finite."""
        if isnan(self.beta_mean):
            return Note("no-gain", "neither the fusion nor its systems made an error, so there is no gain")
        if isnan(self.beta_min):
            return Note("no-gain", "neither the fusion nor its best system made an error, so there is no gain over it")
        return (
            Note("infinite-gain", "the fusion made no error: its gain is infinite") if self.beta_mean == inf else None
        )


def fusion_gain(fused: float, baselines: Sequence[float]) -> Gain:
    """Compute mean(HTER_i) / HTER_COM and min(HTER_i) / HTER_COM.

    Parameters
    ----------
    fused : float
        The HTER of the fusion, a fraction.
    baselines : sequence of float
        The HTERs of its systems, fractions.

    Returns
    -------
    Gain
        Both ratios; infinite where the fusion has no error, NaN for 0 / 0.

    References
    ----------
    Poh & Bengio, Database, protocols and tools for evaluating score-level fusion, 2006, eqs. (9) and (10).

    Examples
    --------
    >>> fusion_gain(0.01, [0.02, 0.04])
    Gain(beta_mean=3.0, beta_min=2.0)
    """
    if not baselines:
        raise ParameterError("a gain needs at least one baseline")
    mean, least = sum(baselines) / len(baselines), min(baselines)
    if fused == 0:
        return Gain(inf if mean else nan, inf if least else nan)
    return Gain(mean / fused, least / fused)


def mean_gain(gains: Sequence[float]) -> tuple[float, int]:
    """The mean of the gains that are finite, NaN if none is; and how many are not.

    Examples
    --------
    >>> mean_gain([1.0, 3.0, inf, nan])
    (2.0, 2)
    """
    finite = [gain for gain in gains if isfinite(gain)]
    return (sum(finite) / len(finite) if finite else nan), len(gains) - len(finite)


def fields_of(counts: str, columns: Sequence[Column]) -> tuple[Field, ...]:
    """Give fields of error rates or counts, by the attribute that has the `ErrorCounts`."""
    return tuple(Field(own.key, own.title, own.kind, own.detail, get=f"{counts}.{own.key}") for own in columns)


@dataclass(frozen=True, slots=True)
class SystemWeight(Record):
    """How much a system counts in a linear fusion."""

    FIELDS: ClassVar = (Field("system", "system"), Field("weight", "weight", "number"), Field("share", "share", "rate"))

    system: str
    weight: float
    """The factor of its normalised score; the mean of all clients if each has their own."""
    share: float
    """Its proportion of the variation of fused dev scores: weight times standard deviation, over the sum of all."""


_SYSTEM = (
    Field("system", "system"),
    Field("threshold", "threshold", "threshold", get="test.threshold"),
    *fields_of("test", RATE_COLUMNS),
    Field("interval", "interval", "interval", get=lambda own: own.interval().interval),
    Field("method", "method", detail=True, get=lambda own: own.interval().method),
    Field("interval_threshold", "threshold of the interval", detail=True, get=lambda own: own.interval().threshold),
    *fields_of("test", COUNT_COLUMNS),
)
"""A row of the table of systems and their fusion."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FusionResult(Result):
    """A fusion, judged on test beside the systems it is made of.

    Attributes
    ----------
    scores : FusedScores
        The fused scores, and how they came about.
    evaluation : SystemEvaluation
        The fusion; without figures on dev if it was saved.
    baselines : tuple of SystemEvaluation
        Its systems, in their order.
    best : str
        The system with the lowest HTER on test.
    test : TestResult
        The fusion against the best of its systems on the same trials.
    weights : tuple of SystemWeight
        How much each system counts; none if the fusion is not linear.
    saved : FusionModel or None
        The saved model that was applied; None if the fusion was fitted on dev.

    Examples
    --------
    >>> import numpy as np
    >>> from fairtrial import Trials, fuse
    >>> genuine = np.arange(400) < 100
    >>> scores = np.random.default_rng(0).normal(np.outer(genuine, [2.0, 2.5]))
    >>> trials = Trials.from_arrays(scores, genuine, systems=["face", "voice"])
    >>> dev, test = (trials.rows(np.arange(start, 400, 2)) for start in (0, 1))
    >>> fuse(dev, test)
    <FusionResult: mean(face + voice), HTER 5.33 % a priori, gain over the best system 2.44>
    """

    scores: FusedScores
    evaluation: SystemEvaluation
    baselines: tuple[SystemEvaluation, ...]
    best: str
    test: TestResult
    weights: tuple[SystemWeight, ...] = ()
    saved: FusionModel | None = None

    @property
    def gain(self) -> Gain:
        """How much better the fusion is than its systems."""
        return fusion_gain(self.evaluation.test.hter, [base.test.hter for base in self.baselines])

    @property
    def kind(self) -> Kind:
        """Whether the figures are a priori."""
        return self.evaluation.kind

    @property
    def model(self) -> FusionModel:
        """The fusion with its thresholds, to be saved and applied to other trials.

        Raises
        ------
        ParameterError
            If the fitted method cannot be written as names and numbers.
        """
        scores, own = self.scores, self.evaluation
        if self.saved is not None:
            return self.saved
        if not scores.steps or scores.missing is None:
            raise ParameterError(
                "{fusion} cannot be saved: it is a method of your own, or an unsupported classifier; supported are "
                "logistic regression, linear and quadratic discriminant analysis, support vector machines and "
                "multi-layer perceptrons of scikit-learn",
                code="cannot-be-saved",
                fusion=scores.fusion,
            )
        return FusionModel(
            fusion=scores.fusion,
            normalise=scores.normalise,
            systems=scores.systems,
            system_thresholds=tuple(base.threshold for base in self.baselines),
            criterion=own.criterion.name,
            alpha=own.alpha,
            threshold=own.threshold,
            steps=scores.steps,
            missing=scores.missing,
            parameters=scores.parameters,
            clients=scores.clients,
        )

    @property
    def notes(self) -> tuple[Note, ...]:
        """What the reader should know."""
        notes = [as_note(note, self.scores.name) for note in self.scores.notes]
        notes += filter(None, [self.gain.note])
        if self.saved is None:
            return tuple(dict.fromkeys((*notes, *map(as_note, self.evaluation.notes))))
        rule = described_criterion(self.saved.criterion, self.saved.alpha)
        made = Note("saved-fusion", "fitted on other trials, with thresholds chosen there by {rule}", rule=rule)
        return tuple(dict.fromkeys((made, *notes, *map(as_note, self.evaluation.judgement.sets.notes))))

    def to_dict(self) -> dict[str, Any]:
        """Give the fusion under the names of the command line's JSON; a saved one without figures on dev."""
        scores, own = self.scores, self.evaluation
        if self.saved is None:
            evaluated = own.to_dict()
            judged = {
                "weights": plain(self.weights),
                "cross_validated": scores.cross_validated,
                **{key: evaluated[key] for key in ("criterion", "alpha", "dev", "test")},
            }
        else:
            judged = {
                "criterion": self.saved.criterion,
                "alpha": self.saved.alpha,
                "test": {**own.test.to_dict(), "kind": self.kind, "interval": own.interval().to_dict()},
            }
        return {
            "fusion": scores.fusion,
            "normalise": scores.normalise,
            "systems": list(scores.systems),
            "parameters": dict(scores.parameters),
            "threshold": own.threshold,
            **judged,
            "baselines": [
                {"system": base.system, "hter": base.test.hter, "threshold": base.threshold} for base in self.baselines
            ],
            "beta_mean": self.gain.beta_mean,
            "beta_min": self.gain.beta_min,
            "against_best": {
                "system": self.best,
                **self.test.to_dict(),
                "interval": self.test.interval_entry(own.confidence),
            },
            "notes": plain(self.notes),
        }

    def answer(self) -> str:
        """Give the HTER of the fusion and its gain."""
        hter = f"{self.evaluation.system}, HTER {percent(self.evaluation.test.hter)} {self.kind}"
        return f"{hter}, gain over the best system {self.gain.beta_min:.3g}"

    def tables(self) -> tuple[Table, ...]:
        """Give the systems and their fusion, one row each; the gain; the test against the best; the weights."""
        own, scores, confidence = self.evaluation, self.scores, self.evaluation.confidence
        caption = f"Systems and their fusion, {self.kind}"
        notes = [Note("interval", "intervals: {given}", given=GIVEN[own.interval().threshold]), *self.notes]
        if self.saved is None:
            rule = own.criterion.described(own.alpha)
            caption += f", threshold by {rule} {PROVENANCES[self.kind].chosen}"
            chosen = ", ".join(f"{name} {value}" for name, value in scores.parameters.items())
            how = "the folds also chose" if scores.cross_validated else "the lowest HTER on dev chose"
            if chosen:
                notes.append(Note("chosen", "{how} {parameters}", scores.name, how=how, parameters=chosen))
        systems = table_of("systems", caption, _SYSTEM, (*self.baselines, own), notes=notes)
        flags = [*(False for _ in self.baselines), True]
        systems = systems.with_column(Column("fused", "fused", "flag", detail=True), flags)
        ratios = (
            Field("beta_mean", "over the mean of the systems", "ratio"),
            Field("beta_min", "over the best", "ratio"),
        )
        test = Table.of(
            "test",
            "The fusion minus the best of its systems, on the same test trials",
            (Column("best", "best system"), *columns_with_interval(confidence)),
            [{"best": self.best, **self.test.cells(confidence)}],
            notes=[
                Note(
                    "best-on-test",
                    "the best system is known only after the test, so this comparison is the hardest for the fusion",
                )
            ],
        )
        tables = (
            systems.with_title("interval", interval_title(confidence)),
            table_of("gain", "Gain of the fusion", ratios, [self.gain]),
            test,
        )
        if not self.weights:
            return tables
        what = "scores" if scores.normalise == "none" else "normalised scores"
        caption = f"Weights of the {what}; share: proportion of the variation of the fused dev scores"
        return (*tables, table_of("weights", caption, SystemWeight.FIELDS, self.weights))


def fuse(
    dev: TrialsLike | None,
    test: TrialsLike,
    *,
    model: FusionModel | PathLike | None = None,
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
    """Fuse systems and judge the fusion and each of them at thresholds from dev, or apply a saved fusion.

    Parameters
    ----------
    dev : Trials, data frame or None
        The trials that thresholds are chosen on, and that the fusion is fitted on; None with a `model`.
    test : Trials or data frame
        The trials that are judged.
    model : FusionModel, str or path-like, optional
        A saved fusion, or its file, instead of dev trials: it is applied and judged at the thresholds it was saved
        with. Options of the fit do not go with it.
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
        The fusion and its systems on test; the gain, the test against the best system, the weights of a linear fusion,
        and the `model` that can be saved.

    Raises
    ------
    ParameterError
        If a method, normalisation, criterion or number is unknown or out of range, if the method cannot be fitted on
        these scores, or if both or neither of dev trials and a model are given.
    TrialsError
        If there are fewer than two systems, missing scores, or no claim ids for a client-dependent fusion.
    InputError
        If the file of a model cannot be read.

    Notes
    -----
    Nothing is fitted on test: method, normalisation, hyper-parameters and threshold come from dev. The intervals and
    the test of a saved fusion are for its given thresholds.

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
    >>> fuse(None, test, model=result.model).evaluation.test.hter == result.evaluation.test.hter
    True
    """
    if inner == "none" and folds != 5:
        raise ParameterError(
            "{inner_folds!p} applies to held-out dev scores, not with {inner!o}",
            code="does-not-apply",
            inner_folds=folds,
            inner=inner,
        )
    test, seed = trials_of(test, "test"), seed_of(rng)
    if (dev is None) == (model is None):
        raise ParameterError(
            "give either {dev!p}, to fit a fusion, or {model!p}, to apply a saved one",
            code="dev-or-model",
            dev=...,
            model=...,
        )
    if model is not None:
        given: dict[str, tuple[Any, Any]] = {
            "systems": (systems, None),
            "fusion": (fusion, "mean"),
            "normalise": (normalise, "none"),
            "criterion": (criterion, "wer-equal"),
            "alpha": (alpha, None),
            "missing": (missing, "error"),
            "inner": (inner, "auto"),
            "folds": (folds, 5),
        }
        for name, (value, default) in given.items():
            if value != default:
                why = "does not apply to a saved fusion, which was fitted before"
                raise ParameterError(f"{{{name}!p}} {why}", code="model-options", **{name: value})
        saved = model if isinstance(model, FusionModel) else FusionModel.load(model)
        return _apply(saved, test, confidence, cluster, seed)
    assert dev is not None
    dev = trials_of(dev, "dev")
    rule = as_criterion(criterion)
    weight = rule.resolve_alpha(alpha)
    scores = fuse_scores(
        dev,
        test,
        systems=systems,
        fusion=fusion,
        normalise=normalise,
        criterion=rule,
        alpha=weight,
        missing=missing,
        inner=inner,
        folds=folds,
        rng=rng,
        progress=progress,
    )
    sets = TrialSets(dev.select(scores.systems), test.select(scores.systems), cluster, seed)
    judged = [judge(sets, system=name, criterion=rule, alphas=weight) for name in scores.systems]
    fused = judge(sets.with_scores(scores.dev, scores.test), system=scores.name, criterion=rule, alphas=weight)
    return _beside_systems(scores, fused, judged, confidence, weights=_weights(scores, dev))


def _apply(model: FusionModel, test: Trials, confidence: float, cluster: Cluster | None, seed: int) -> FusionResult:
    """Judge a saved fusion on other trials, at the thresholds it was saved with."""
    systems = TrialSets(None, test.select(model.systems), cluster, seed)
    thresholds = zip(model.systems, model.system_thresholds, strict=True)
    judged = [judge_at(systems, threshold, system=name) for name, threshold in thresholds]
    applied = model.apply(test)
    no_dev = applied.rows(np.arange(0))
    scores = FusedScores(no_dev, applied, model.fusion, model.normalise, model.systems, model.parameters)
    fused = judge_at(TrialSets(None, applied, cluster, seed), model.threshold)
    return _beside_systems(scores, fused, judged, confidence, saved=model)


def _beside_systems(
    scores: FusedScores, fused: Judgement, systems: Sequence[Judgement], confidence: float, **more: Any
) -> FusionResult:
    """Put a fusion beside its systems, and test it against the best of them."""
    best = min(systems, key=lambda each: float(each.at(0).hter))
    return FusionResult(
        scores,
        SystemEvaluation(fused, confidence=check_confidence(confidence)),
        tuple(SystemEvaluation(each, confidence=confidence) for each in systems),
        best.system,
        leading_test(pair_judgements(fused, best)),
        **more,
    )


def _weights(scores: FusedScores, dev: Trials) -> tuple[SystemWeight, ...]:
    """Give the weights of a trained linear fusion, for normalised scores."""
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
    normalised = run_steps(normalisation, matrix, client_numbers(dev, scores.clients) if by_client else None)
    variation = np.abs(weights) * spread_of(normalised)
    total = variation.sum()
    shares = variation / total if total > 0 else np.full(len(weights), np.nan)
    return tuple(map(SystemWeight, scores.systems, weights.tolist(), shares.tolist()))
