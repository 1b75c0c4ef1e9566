"""Evaluate a fusion beside its systems: gain, weights, and the test against the best."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite, isnan, nan
from typing import Any, ClassVar

import numpy as np

from fairtrial.core.errors import ParameterError, check_confidence
from fairtrial.core.notes import Note, as_note
from fairtrial.core.parameters import refuse_excluded
from fairtrial.core.results import Field, Record, Result, fields_of, plain, table_of
from fairtrial.core.tables import COUNT_COLUMNS, RATE_COLUMNS, Column, Table
from fairtrial.core.trials import Trials, TrialsLike, trials_of
from fairtrial.core.words import in_a_row, interval_text, interval_title, p_phrase, percent
from fairtrial.counting.tallies import ScoreSource
from fairtrial.evaluation.evaluation import SystemEvaluation
from fairtrial.evaluation.paired_tests import leading_test, pair_judgements
from fairtrial.formats.files import PathLike
from fairtrial.fusion.combination import FusedScores, Inner, fuse_scores
from fairtrial.fusion.methods import FusionMethod
from fairtrial.fusion.model import FusionModel, Missing, client_numbers, run_steps, score_matrix
from fairtrial.fusion.normalise import spread_of
from fairtrial.inference.decide import judge, judge_at
from fairtrial.inference.folds import Block, check_all_held_out, unchecked_source
from fairtrial.inference.people import Cluster
from fairtrial.inference.split import PROVENANCES, Kind, TrialSets, seed_of
from fairtrial.inference.tests import TestResult, columns_with_interval, size_texts
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
        """A note on a gain that is not finite."""
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
        Both ratios; infinite if the fusion has no error, NaN for 0 / 0.

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
    """Average the finite gains (NaN if there are none), and count the others.

    Examples
    --------
    >>> mean_gain([1.0, 3.0, inf, nan])
    (2.0, 2)
    """
    finite = [gain for gain in gains if isfinite(gain)]
    return (sum(finite) / len(finite) if finite else nan), len(gains) - len(finite)


@dataclass(frozen=True, slots=True)
class SystemWeight(Record):
    """The weight of a system in a linear fusion.

    The weight is the factor of its normalised score, averaged over clients if each has one. The share is its
    proportion of the variation of fused dev scores: weight times standard deviation, over the sum of all systems.
    """

    FIELDS: ClassVar = (Field("system", "system"), Field("weight", "weight", "number"), Field("share", "share", "rate"))

    system: str
    weight: float
    share: float


_GAIN = Field("beta_mean", "over the mean of the systems", "ratio"), Field("beta_min", "over the best", "ratio")
_SYSTEM = (
    Field("system", "system"),
    Field("threshold", "threshold", "threshold", get="test.threshold", optional=True),
    *fields_of("test", RATE_COLUMNS),
    Field("interval", "interval", "interval", get=lambda system: system.interval()),
    Field("method", "method", detail=True, get=lambda system: system.interval().method),
    Field("interval_threshold", "threshold of the interval", detail=True, get=lambda s: s.interval().threshold),
    *fields_of("test", COUNT_COLUMNS),
)


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
    >>> from fairtrial import fuse, load_dataset
    >>> dev, test = load_dataset("lausanne", set="LP2")
    >>> fuse(dev, test, systems=["(FH,MLP)", "(LFCC,GMM)"], fusion="logistic")  # doctest: +ELLIPSIS
    <FusionResult: logistic of (FH,MLP) and (LFCC,GMM) has an HTER of ..., lower than that of the best of them...>
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
        """The gain of the fusion over its systems."""
        return fusion_gain(self.evaluation.test.hter, [base.test.hter for base in self.baselines])

    @property
    def kind(self) -> Kind:
        """Whether the figures are a priori."""
        return self.evaluation.kind

    @property
    def model(self) -> FusionModel:
        """The fusion with its thresholds, to save and to apply to other trials.

        Raises
        ------
        ParameterError
            If the fitted method cannot be written as names and numbers.
        """
        scores, evaluation = self.scores, self.evaluation
        if self.saved is not None:
            return self.saved
        if not scores.steps:
            template = (
                "{fusion} cannot be saved: it is a method of your own, or an unsupported classifier; supported are "
                "logistic regression, linear and quadratic discriminant analysis, support vector machines and "
                "multi-layer perceptrons of scikit-learn"
            )
            raise ParameterError(template, code="cannot-be-saved", fusion=scores.fusion)
        return FusionModel(
            **scores.record,
            system_thresholds=tuple(base.threshold for base in self.baselines),
            criterion=evaluation.criterion.name,
            alpha=evaluation.alpha,
            threshold=evaluation.threshold,
        )

    @property
    def notes(self) -> tuple[Note, ...]:
        """What the reader should know."""
        notes = [note for base in self.baselines for note in base.judgement.reversed_scores()]
        notes += [as_note(note, self.scores.name) for note in self.scores.notes]
        notes += filter(None, [self.gain.note])
        if self.saved is None:
            return tuple(dict.fromkeys((*notes, *map(as_note, self.evaluation.notes))))
        rule = described_criterion(self.saved.criterion, self.saved.alpha)
        made = Note("saved-fusion", "fitted on other trials, with thresholds chosen there by {rule}", rule=rule)
        return tuple(dict.fromkeys((made, *notes, *map(as_note, self.evaluation.judgement.sets.notes))))

    def to_dict(self) -> dict[str, Any]:
        """Give the fusion under the names of the command line's JSON; a saved one without figures on dev."""
        scores, evaluated = self.scores, self.evaluation.to_dict()
        if self.saved is not None:
            how = {"criterion": self.saved.criterion, "alpha": self.saved.alpha}
        else:
            how = {"weights": plain(self.weights), "cross_validated": scores.cross_validated}
            how |= {key: evaluated[key] for key in ("criterion", "alpha", "dev")}
        interval = self.test.interval_entry(self.evaluation.confidence)
        return {
            **{key: plain(getattr(scores, key)) for key in ("fusion", "normalise", "systems", "parameters")},
            "threshold": self.evaluation.threshold,
            **how,
            "test": evaluated["test"],
            "baselines": [
                {"system": base.system, "hter": base.test.hter, "threshold": base.threshold} for base in self.baselines
            ],
            "beta_mean": self.gain.beta_mean,
            "beta_min": self.gain.beta_min,
            "against_best": {"system": self.best, **self.test.to_dict(), "interval": interval},
            "notes": plain(self.notes),
        }

    def answer(self) -> str:
        """Give the HTER of the fusion, its interval, and the difference from the best of its systems."""
        evaluation, confidence = self.evaluation, self.evaluation.confidence
        text = (
            f"{self.scores.fusion} of {in_a_row(self.scores.systems)} has an HTER of {percent(evaluation.test.hter)} "
            f"({interval_title(confidence)} {interval_text(*evaluation.interval().interval)} %)"
        )
        size, most = size_texts(self.test, confidence, p_phrase(self.test.p_value))
        than = "lower" if self.test.estimate < 0 else "higher"
        if self.test.p_value < 1 - confidence:
            return f"{text}, {than} than that of the best of them, {self.best}, by {size}"
        return f"{text} and cannot be told apart from the best of them, {self.best}: its HTER is {than} by {size}{most}"

    def tables(self) -> tuple[Table, ...]:
        """Tabulate the systems with their fusion and the test against the best; gain and weights in detail."""
        evaluation, scores, confidence = self.evaluation, self.scores, self.evaluation.confidence
        caption = f"Systems and their fusion, {self.kind}"
        given = evaluation.given[evaluation.interval().threshold]
        notes = [Note("interval-of", "intervals: {given}", detail=True, given=given), *self.notes]
        if self.saved is None:
            rule = evaluation.criterion.described(evaluation.alpha)
            caption += f", threshold by {rule} {PROVENANCES[self.kind].chosen}"
            chosen = ", ".join(f"{name} {value}" for name, value in scores.parameters.items())
            how = "the folds also chose" if scores.cross_validated else "the lowest HTER on dev chose"
            if chosen:
                notes.append(Note("chosen", "{how} {parameters}", scores.name, how=how, parameters=chosen))
        titles = {"interval": interval_title(confidence)}
        systems = table_of("systems", caption, _SYSTEM, (*self.baselines, evaluation), notes=notes, titles=titles)
        flags = [*(False for _ in self.baselines), True]
        systems = systems.with_column(Column("fused", "fused", "flag", detail=True), flags)
        text = "the best system is known only after the test, so this comparison is the hardest for the fusion"
        test = Table.of(
            "test",
            f"The fusion minus the best of its systems, on the same {PROVENANCES[self.kind].adjective} trials",
            (Column("best", "best system"), *columns_with_interval(confidence)),
            [{"best": self.best, **self.test.cells(confidence)}],
            notes=[Note("best-on-test", text, detail=True)],
        )
        tables = systems, test, table_of("gain", "Gain of the fusion", _GAIN, [self.gain], detail=True)
        if not self.weights:
            return tables
        what = "scores" if scores.normalise == "none" else "normalised scores"
        caption = f"Weights of the {what}; share: proportion of the variation of the fused dev scores"
        return (*tables, table_of("weights", caption, SystemWeight.FIELDS, self.weights, detail=True))


def fuse(
    dev: TrialsLike | None,
    test: TrialsLike | None = None,
    *,
    folds: int | Sequence[Block] | None = None,
    model: FusionModel | PathLike | None = None,
    systems: Sequence[str] | None = None,
    fusion: str | FusionMethod = "mean",
    normalise: str = "none",
    criterion: CriterionLike = "eer",
    alpha: float | None = None,
    missing: Missing = "error",
    inner: Inner = "auto",
    inner_folds: int = 5,
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
    test : Trials or data frame, optional
        The trials that are judged; not needed with `folds`.
    folds : int or sequence of Block, optional
        Instead of `test`: the number of folds of the people of dev, or blocks of `make_blocks`. Each
        block is fused by a fit to trials of other people, which also set its threshold; the weights and the model are
        those that all trials give.
    model : FusionModel, str or path-like, optional
        Instead of dev trials, a saved fusion or its file: it is applied and judged at the thresholds it was saved
        with, and takes no options of the fit.
    systems : sequence of str, optional
        The names of the systems, two or more; all by default.
    fusion : str or FusionMethod, default "mean"
        A fusion method, or its name in `FUSIONS`.
    normalise : str, default "none"
        The normalisation of the scores: a name in `NORMALISATIONS`, fitted on dev.
    criterion : str, Criterion, DetectionCosts or callable, default "eer"
        How the threshold is chosen on dev: a name in `CRITERIA`, a criterion, detection costs, or a function
        ``C(far, frr, alpha)`` of arrays.
    alpha : float, optional
        The weight or the target that the criterion takes; 0.5 by default, but a criterion that aims at a target needs
        one.
    missing : {"error", "reject", "neutral"}, default "error"
        What to do with a trial that lacks the score of a system: ``error`` raises an error; ``reject`` rejects it, by a
        fused score of -inf; ``neutral`` takes the system's EER threshold on dev instead of the score.
    inner : {"auto", "folds", "none"}, default "auto"
        Where the fused dev scores come from; see `fuse_scores`.
    inner_folds : int, default 5
        The number of folds of the dev trials; see `fuse_scores`.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.
    cluster : {"none", "claim", "subject", "both"}, optional
        What dependent trials share: the claimed identity, the subject, both or nothing; by default all ids that are
        known.
    progress : callable, optional
        Called as work proceeds, with the proportion of it done since the last call; they sum to 1.

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
    Nothing is fitted on test: method, normalisation, hyper-parameters and threshold come from dev. With folds, the
    threshold of the model is that of all held-out fused scores. The intervals and the test of a saved fusion are for
    its given thresholds.

    References
    ----------
    Poh & Bengio, Database, protocols and tools for evaluating score-level fusion, 2006, eqs. (6) to (10) and Algorithm
    1.

    Examples
    --------
    >>> from fairtrial import load_dataset
    >>> dev, test = load_dataset("lausanne", set="LP2")
    >>> result = fuse(dev, test, systems=["(FH,MLP)", "(LFCC,GMM)"], fusion="logistic")
    >>> round(result.gain.beta_min, 1), [round(weight.share, 1) for weight in result.weights]
    (5.6, [0.2, 0.8])
    >>> fuse(None, test, model=result.model).evaluation.test.hter == result.evaluation.test.hter
    True
    """
    given = dict(locals())
    dev, test = (data if data is None else trials_of(data, name) for name, data in (("dev", dev), ("test", test)))
    seed = seed_of(rng)
    if (dev is None) == (model is None):
        template = "give either {dev!p}, to fit a fusion, or {model!p}, to apply a saved one"
        raise ParameterError(template, code="dev-or-model", dev=..., model=...)
    if model is not None:
        refuse_excluded(fuse, given)
        if systems is not None:
            template = "{systems!p} has no effect with {model!p}; remove one of them"
            raise ParameterError(template, code="excluded", systems=list(systems), model=...)
        if test is None:
            raise ParameterError("give {test!p}: the trials that are judged", code="needs-test", test=...)
        saved = model if isinstance(model, FusionModel) else FusionModel.load(model)
        applied = saved.apply(test)
        scores = FusedScores(**saved.record, dev=applied.rows(np.arange(0)), test=applied)
        sets = TrialSets(None, test.select(saved.systems), cluster, seed)
        thresholds = zip(saved.systems, saved.system_thresholds, strict=True)
        judged = [judge_at(sets, threshold, system=name) for name, threshold in thresholds]
        fused = judge_at(TrialSets(None, applied, cluster, seed), saved.threshold)
        weights: tuple[SystemWeight, ...] = ()
    else:
        saved, rule = None, as_criterion(criterion)
        weight = rule.resolve_alpha(alpha)
        blocks: Sequence[Block] = ()
        if test is None or folds is not None:
            whole = TrialSets.of(dev, test, folds=folds, cluster=cluster, rng=seed)
            dev, test, blocks = whole.trials(), whole.trials(), whole.blocks
        assert dev is not None
        fits = 1 + len(blocks)
        how: dict[str, Any] = {
            "systems": systems,
            "fusion": fusion,
            "normalise": normalise,
            "criterion": rule,
            "alpha": weight,
            "missing": missing,
            "inner": inner,
            "inner_folds": inner_folds,
            "rng": rng,
            "progress": None if progress is None else lambda part: progress(part / fits),
        }
        scores = fuse_scores(dev, test, **how)
        weights = _weights(scores, dev)
        sets = TrialSets(dev.select(scores.systems), test.select(scores.systems), cluster, seed, blocks)
        sources: list[tuple[ScoreSource, ScoreSource]] = []
        if blocks:
            scores, sources = _held_out(scores, dev, blocks, how)
        judged = [judge(sets, system=name, criterion=rule, alphas=weight) for name in scores.systems]
        of_fused = sets.with_scores(scores.dev, scores.test)
        fused = judge(of_fused, system=scores.name, criterion=rule, alphas=weight, sources=sources)
    best = min(judged, key=lambda system: float(system.at(0).hter))
    return FusionResult(
        scores,
        SystemEvaluation(fused, confidence=check_confidence(confidence), given_alpha=alpha),
        tuple(SystemEvaluation(system, confidence=confidence) for system in judged),
        best.system,
        leading_test(pair_judgements(fused, best)),
        weights,
        saved,
    )


def _held_out(
    scores: FusedScores, trials: Trials, blocks: Sequence[Block], how: Mapping[str, Any]
) -> tuple[FusedScores, list[tuple[ScoreSource, ScoreSource]]]:
    """Fuse the trials of each block by a fit to other people; give also the scores that set the threshold of each."""
    check_all_held_out(blocks)
    sources = []
    fused, notes = np.empty(len(trials)), list(scores.notes)
    for block in blocks:
        others, held_out = (trials.rows(np.flatnonzero(rows)) for rows in (block.others, block.held_out))
        part = fuse_scores(others, held_out, **how)
        fused[block.held_out] = part.test.column()
        pair = (unchecked_source(one.column(), one.genuine) for one in (part.dev, part.test))
        sources.append((next(pair), next(pair)))
        kinds = {note if isinstance(note, str) else note.code for note in notes}
        notes += [note for note in part.notes if (note if isinstance(note, str) else note.code) not in kinds]
    judged = replace(scores.test, scores=fused[:, None])
    return replace(scores, dev=judged, test=judged, notes=tuple(notes)), sources


def _weights(scores: FusedScores, dev: Trials) -> tuple[SystemWeight, ...]:
    """Compute the weights of a linear fusion, for normalised scores; none if it is not linear."""
    first = 0 if scores.normalise == "none" else 1
    normalisation, method = scores.steps[:first], scores.steps[first:]
    if not method or not method[-1].operation.linear or any(step.name != "scale" for step in method[:-1]):
        return ()
    weights = np.asarray(method[-1].numbers["weights"])
    if weights.ndim > 1:  # one row per client of dev, and one for anybody else
        weights = weights[:-1].mean(axis=0)
    for step in method[:-1]:
        weights = weights / step.numbers["scale"]
    (matrix,), _, _ = scores.missing.fill(score_matrix(dev, scores.systems))
    by_client = any(step.operation.by_client for step in normalisation)
    normalised = run_steps(normalisation, matrix, client_numbers(dev, scores.clients) if by_client else None)
    variation = np.abs(weights) * spread_of(normalised)
    total = variation.sum()
    shares = variation / total if total > 0 else np.full(len(weights), np.nan)
    return tuple(map(SystemWeight, scores.systems, weights.tolist(), shares.tolist()))
