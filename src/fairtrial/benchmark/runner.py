"""Run a fusion protocol: every experiment with its interval, its gain, its test against the best baseline."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from threading import Thread
from time import sleep

import numpy as np
from numpy.typing import NDArray

from fairtrial.benchmark.protocols import Experiment, list_experiments
from fairtrial.benchmark.results import Baseline, BenchmarkResult, ExperimentResult, pool_by_group
from fairtrial.benchmark.sets import Benchmark, BenchmarkSet
from fairtrial.checks import check_workers
from fairtrial.claims import threshold_deviations
from fairtrial.epc import alpha_grid, curve_of, pool_curves
from fairtrial.errors import ParameterError, TrialsError
from fairtrial.fusion import FusionMethod, fuse_scores, fusion_gain
from fairtrial.fusion.combination import FusedScores, Inner
from fairtrial.fusion.methods import as_fusion
from fairtrial.fusion.missing import Missing
from fairtrial.fusion.normalise import check_normalisation
from fairtrial.intervals.judged import judged_interval
from fairtrial.judging import SUPPORT, SUPPORT_PEOPLE, Judgement, judge
from fairtrial.rules.criteria import CriterionLike, as_criterion
from fairtrial.rules.measures import MEASURES
from fairtrial.significance.multiple import adjust_p_values
from fairtrial.significance.paired import leading_test, pair_judgements
from fairtrial.trial_sets import TrialSets

_UNEVEN = 'scores of different ranges are put together as they are; normalise="z" brings them to one scale'
_PER_PROCESSOR = 4
"""Worker processes at the most: more only take memory."""
_WATCH = "watches the parent"
_EVERY = 0.5
"""Seconds after which a worker looks again whether it is still needed."""
_UNSUPPORTED = (
    f"the target rests on fewer than {SUPPORT} errors on dev, or on those of fewer than {SUPPORT_PEOPLE} people"
)


@dataclass(frozen=True, slots=True)
class RunSettings:
    """How the experiments of a benchmark are run; the same for all of them.

    Parameters
    ----------
    fusion : str or FusionMethod, default "mean"
        A fusion method, or its name in `FUSIONS`.
    normalise : str, default "none"
        How scores are normalised before: a name in `NORMALISATIONS`.
    criterion : str, Criterion, DetectionCosts or callable, default "wer-equal"
        How the threshold is chosen on dev: a name in `CRITERIA`, a criterion, detection costs, or a function
        ``C(far, frr, alpha)`` of arrays.
    alpha : float, optional
        The weight or the target that the criterion takes; 0.5 by default, but a criterion that aims at a target needs
        one.
    missing : {"error", "reject", "neutral"}, default "error"
        What becomes of a trial that lacks the score of a system; see `fuse_scores`.
    inner : {"auto", "folds", "none"}, default "auto"
        Where the fused dev scores come from; see `fuse_scores`.
    folds : int, default 5
        How many folds the dev trials are dealt into; see `fuse_scores`.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.
    points : int, default 101
        How many values of alpha the pooled curve has.
    seed : int, default 0
        The same seed gives the same result.
    keep_scores : bool, default False
        Whether the fused scores are kept in the results, for a page of them.

    Examples
    --------
    >>> RunSettings(fusion="lda", normalise="z").folds
    5
    """

    fusion: str | FusionMethod = "mean"
    normalise: str = "none"
    criterion: CriterionLike = "wer-equal"
    alpha: float | None = None
    missing: Missing = "error"
    inner: Inner = "auto"
    folds: int = 5
    confidence: float = 0.95
    points: int = 101
    seed: int = 0
    keep_scores: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class _Prepared:
    """A set with all that its experiments share."""

    set: BenchmarkSet
    trials: TrialSets
    baselines: dict[str, Judgement]


def run_benchmark(
    benchmark: Benchmark,
    *,
    protocol: str = "fp-2",
    settings: RunSettings | None = None,
    workers: int = 1,
    progress: Callable[[], None] | None = None,
) -> BenchmarkResult:
    """Run all experiments of a protocol.

    Parameters
    ----------
    benchmark : Benchmark
        The sets and their systems.
    protocol : str, default "fp-2"
        A name in `PROTOCOLS`, or one that the benchmark lists itself.
    settings : RunSettings, optional
        What is the same for all experiments; by default `RunSettings()`.
    workers : int, default 1
        How many work at once; the result does not depend on it. They are processes.
    progress : callable, optional
        Called as work proceeds, after each experiment.

    Returns
    -------
    BenchmarkResult
        Every experiment, the single systems, and pooled curves.

    Raises
    ------
    ParameterError
        A protocol or a method that is not known, or that leaves nothing to fuse.

    References
    ----------
    Poh & Bengio, Database, protocols and tools for evaluating score-level fusion, 2006, sections 3 and 4.

    Examples
    --------
    >>> import numpy as np
    >>> from fairtrial import Benchmark, BenchmarkSet, SystemInfo, Trials
    >>> genuine = np.arange(400) < 100
    >>> scores = np.random.default_rng(0).normal(np.outer(genuine, [2.0, 2.5]))
    >>> trials = Trials.from_arrays(scores, genuine, systems=["face", "voice"])
    >>> dev, test = (trials.rows(np.arange(start, 400, 2)) for start in (0, 1))
    >>> parts = tuple(SystemInfo(name, name, "pixels", "svm") for name in trials.systems)
    >>> tiny = Benchmark("tiny", "Tiny", (BenchmarkSet("one", dev, test, parts),))
    >>> found = run_benchmark(tiny, protocol="fp-full", settings=RunSettings(points=11))
    >>> [one.experiment.systems for one in found.experiments]
    [('face', 'voice')]
    """
    chosen = settings or RunSettings()
    method, rule = as_fusion(chosen.fusion), as_criterion(chosen.criterion)
    # not their names: other processes do not know what was registered in this one
    alpha = rule.resolve_alpha(chosen.alpha)
    chosen = replace(chosen, fusion=method, criterion=rule, alpha=alpha)
    check_normalisation(chosen.normalise)
    check_workers(workers)
    experiments = list_experiments(benchmark, protocol)
    prepared = {(one.name, one.split): _prepare(one, chosen) for one in benchmark.sets}
    found = []
    for result in _results(experiments, prepared, chosen, workers):
        found.append(result)
        if progress is not None:
            progress()
    adjusted = _holm_within_splits(found)
    finished = tuple(replace(result, p_adjusted=p) for result, p in zip(found, adjusted, strict=True))
    baselines = tuple(
        _baseline(one, name, judged, chosen) for one in prepared.values() for name, judged in one.baselines.items()
    )
    pooled = {name: pool_curves(curves, system=name) for name, curves in pool_by_group(finished).items()}
    return BenchmarkResult(
        benchmark.name,
        benchmark.title,
        benchmark.synthetic,
        protocol,
        method.name,
        chosen.normalise,
        rule,
        alpha,
        baselines,
        finished,
        pooled,
        (*benchmark.notes, *_notes(finished), *_people_notes(prepared.values())),
    )


def _people_notes(sets: Iterable[_Prepared]) -> list[str]:
    """What the reader should know of the people of each set; once for all splits of a set."""
    found = [f"{one.set.name}: {note}" for one in sets if one.trials.people[1] for note in one.trials.people[1].notes]
    return list(dict.fromkeys(found))


def _notes(results: Sequence[ExperimentResult]) -> list[str]:
    """What several experiments have to say is said once."""
    found: dict[str, list[str]] = {}
    for result in results:
        one = result.experiment
        place = f"{one.set}{'' if one.split is None else f' split {one.split}'}, {' + '.join(one.systems)}"
        for note in result.notes:
            found.setdefault(note, []).append(place)
    return [f"{p[0]}: {note}" if len(p) == 1 else f"{len(p)} experiments: {note}" for note, p in found.items()]


def _holm_within_splits(results: Sequence[ExperimentResult]) -> list[float]:
    """The p values adjusted over the protocol; splits of the same trials are repetitions, each adjusted by itself."""
    adjusted = np.empty(len(results))
    splits = np.array([result.experiment.split or 0 for result in results])
    for split in np.unique(splits):
        rows = np.flatnonzero(splits == split)
        adjusted[rows] = adjust_p_values([results[k].test.p_value for k in rows.tolist()], "holm")
    return [float(p) for p in adjusted]


def _prepare(one: BenchmarkSet, settings: RunSettings) -> _Prepared:
    trials = TrialSets(one.dev, one.test, seed=settings.seed)
    try:
        trials.people  # noqa: B018 - found once, for all experiments
        baselines = {system.name: _judge(trials, system.name, settings) for system in one.systems}
    except TrialsError as error:
        raise TrialsError(f"{one.name}: {error}") from error
    return _Prepared(one, trials, baselines)


def _judge(trials: TrialSets, system: str, settings: RunSettings) -> Judgement:
    rule = as_criterion(settings.criterion)
    return judge(trials, system=system, criterion=rule, alphas=rule.resolve_alpha(settings.alpha))


def _baseline(one: _Prepared, name: str, judged: Judgement, settings: RunSettings) -> Baseline:
    interval = judged_interval(judged, confidence=settings.confidence)
    return Baseline(one.set.name, one.set.split, name, judged.at(0), interval)


def _results(
    experiments: Sequence[Experiment],
    prepared: dict[tuple[str, int | None], _Prepared],
    settings: RunSettings,
    workers: int,
) -> Iterator[ExperimentResult]:
    most = min(workers, len(experiments), _PER_PROCESSOR * (os.cpu_count() or 1))
    if most == 1:
        for experiment in experiments:
            yield _run(experiment, prepared[experiment.set, experiment.split], settings)
        return
    from joblib import Parallel, delayed

    work = (delayed(_run)(e, prepared[e.set, e.split], settings) for e in experiments)
    yield from Parallel(
        n_jobs=most, return_as="generator", batch_size=4, initializer=_end_with, initargs=(os.getpid(),)
    )(work)


def _end_with(parent: int) -> None:
    """Let a worker process end when the one that started it does, however that came about."""

    def watch() -> None:
        while os.getppid() == parent:
            sleep(_EVERY)
        os._exit(1)

    Thread(target=watch, name=_WATCH, daemon=True).start()


def _fused(experiment: Experiment, one: _Prepared, settings: RunSettings) -> FusedScores:
    """The systems of an experiment, fused; an error says which they are."""
    try:
        return fuse_scores(
            one.set.dev,
            one.set.test,
            systems=experiment.systems,
            fusion=settings.fusion,
            normalise=settings.normalise,
            criterion=settings.criterion,
            alpha=settings.alpha,
            missing=settings.missing,
            inner=settings.inner,
            folds=settings.folds,
            rng=settings.seed,
        )
    except (TrialsError, ParameterError) as error:
        raise type(error)(f"{experiment.set}, {' + '.join(experiment.systems)}: {error}") from error


def _run(experiment: Experiment, one: _Prepared, settings: RunSettings) -> ExperimentResult:
    fused = _fused(experiment, one, settings)
    trials = one.trials.with_scores(fused.dev, fused.test)
    judged = _judge(trials, fused.name, settings)
    rates = {name: float(one.baselines[name].at(0).hter) for name in experiment.systems}
    best = min(rates, key=lambda name: rates[name])
    gain = fusion_gain(float(judged.at(0).hter), list(rates.values()))
    pair = pair_judgements(judged, one.baselines[best])
    curve = curve_of(
        judge(
            trials,
            system=fused.name,
            criterion=judged.criterion.along_alpha,
            alphas=_alphas(settings.points),
        )
    )
    return ExperimentResult(
        experiment,
        judged.at(0),
        judged_interval(judged, confidence=settings.confidence),
        gain.beta_mean,
        gain.beta_min,
        best,
        leading_test(pair),
        float("nan"),
        curve if settings.keep_scores else replace(curve, judgement=None),
        dict(fused.parameters),
        np.packbits(pair.wrong_a),
        threshold_deviations(judged, MEASURES["hter"]),
        fused if settings.keep_scores else None,
        (
            *fused.notes,
            *filter(None, [gain.note]),
            *([_UNEVEN] if fused.uneven else []),
            *([_UNSUPPORTED] if judged.notes else []),
        ),
    )


@lru_cache
def _alphas(points: int) -> NDArray[np.float64]:
    return alpha_grid(points)
