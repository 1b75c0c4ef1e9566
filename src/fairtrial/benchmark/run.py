"""Run a fusion protocol: every experiment with its interval, its gain, its test against the best baseline."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from threading import Thread
from time import sleep
from typing import Any

import numpy as np

from fairtrial.benchmark.protocols import Experiment, list_experiments
from fairtrial.benchmark.results import Baseline, BenchmarkResult, ExperimentResult, group_name
from fairtrial.benchmark.sets import Benchmark, BenchmarkSet
from fairtrial.core.errors import ParameterError, TrialsError, check_choice, check_workers
from fairtrial.core.notes import Note, as_note, gather_notes
from fairtrial.evaluation.epc import PerformanceCurve, alpha_grid, curve_of, pool_curves
from fairtrial.evaluation.paired_tests import leading_test, pair_judgements
from fairtrial.fusion.combination import Inner, fuse_scores
from fairtrial.fusion.fusion import fusion_gain
from fairtrial.fusion.methods import FusionMethod, as_fusion
from fairtrial.fusion.model import Missing
from fairtrial.fusion.normalise import NORMALISATIONS
from fairtrial.inference.decide import SUPPORT, SUPPORT_PEOPLE, Judgement, judge
from fairtrial.inference.estimates import threshold_deviations
from fairtrial.inference.limits import judged_interval
from fairtrial.inference.multiplicity import adjust_p_values
from fairtrial.inference.split import TrialSets
from fairtrial.rules.criteria import CriterionLike, as_criterion
from fairtrial.rules.measures import MEASURES

_UNEVEN = Note(
    "uneven-scores",
    "scores of different ranges are fused without normalisation; {normalise!o} brings them to one scale",
    warning=True,
    normalise="z",
)
_UNSUPPORTED = Note(
    "few-dev-errors",
    "the target rests on fewer than {errors} errors on dev, or on those of fewer than {people} people",
    warning=True,
    errors=SUPPORT,
    people=SUPPORT_PEOPLE,
)
_PER_PROCESSOR = 4
"""Maximum number of worker processes per processor: more only take memory."""
_WATCH = "watches the parent"
_EVERY = 0.5
"""Seconds between two looks of a worker whether its parent still runs."""


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
        How a trial is treated that lacks the score of a system; see `fuse_scores`.
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
        Whether the fused scores are kept in the results, for pages and pooled tests.

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
    """A set with what its experiments share."""

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
        If a protocol or method is unknown, or the protocol leaves nothing to fuse.

    References
    ----------
    Poh & Bengio, Database, protocols and tools for evaluating score-level fusion, 2006, sections 3 and 4.

    Examples
    --------
    >>> import numpy as np
    >>> from fairtrial import Trials
    >>> from fairtrial.benchmark import Benchmark, BenchmarkSet, SystemInfo
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
    check_choice("normalise", chosen.normalise, NORMALISATIONS)
    check_workers(workers)
    experiments = list_experiments(benchmark, protocol)
    prepared = {}
    for one in benchmark.sets:
        trials = TrialSets(one.dev, one.test, seed=chosen.seed)
        try:
            trials.people  # noqa: B018 - found once, for all experiments
            baselines = {
                system.name: judge(trials, system=system.name, criterion=rule, alphas=alpha) for system in one.systems
            }
        except TrialsError as error:
            raise TrialsError(f"{one.name}: {error}", code=error.code) from error
        prepared[one.name, one.split] = _Prepared(one, trials, baselines)
    found = []
    for result in _results(experiments, prepared, chosen, workers):
        found.append(result)
        if progress is not None:
            progress()
    # splits of the same trials are repetitions, each adjusted by itself
    splits = np.array([result.experiment.split or 0 for result in found])
    for split in np.unique(splits):
        rows = np.flatnonzero(splits == split).tolist()
        adjusted = adjust_p_values([found[k].test.p_value for k in rows], "holm")
        for k, p_adjusted in zip(rows, adjusted, strict=True):
            found[k] = replace(found[k], p_adjusted=float(p_adjusted))
    curves: dict[str, list[PerformanceCurve]] = {"all": []}
    for result in found:
        curves["all"].append(result.curve)
        curves.setdefault(group_name(result.experiment), []).append(result.curve)
    people = [
        as_note(note, each.set.name)
        for each in prepared.values()
        if each.trials.people[1]
        for note in each.trials.people[1].notes
    ]
    return BenchmarkResult(
        benchmark.name,
        benchmark.title,
        benchmark.synthetic,
        protocol,
        method.name,
        chosen.normalise,
        rule,
        alpha,
        tuple(
            Baseline(each.set.name, each.set.split, name, own.at(0), judged_interval(own, confidence=chosen.confidence))
            for each in prepared.values()
            for name, own in each.baselines.items()
        ),
        tuple(found),
        {name: pool_curves(each, system=name) for name, each in curves.items()},
        (*map(as_note, benchmark.notes), *_notes(found), *dict.fromkeys(people)),
    )


def _notes(results: Sequence[ExperimentResult]) -> list[Note]:
    """Gather the notes of all experiments: one for each that says the same of several."""
    alike: dict[Any, dict[str, Note | str]] = {}
    for result in results:
        one = result.experiment
        place = f"{one.set}{'' if one.split is None else f' split {one.split}'}, {' + '.join(one.systems)}"
        for note in result.notes:
            alike.setdefault(note if isinstance(note, str) else note.kind, {})[place] = note
    return [
        as_note(note, next(iter(places)) if len(places) == 1 else f"{len(places)} experiments")
        for places in alike.values()
        for note in gather_notes(places.values())
    ]


def _results(
    experiments: Sequence[Experiment],
    prepared: dict[tuple[str, int | None], _Prepared],
    settings: RunSettings,
    workers: int,
) -> Iterator[ExperimentResult]:
    """Run all experiments, in this process or in several."""
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
    """Let a worker process end when the one that started it does, for whatever reason."""

    def watch() -> None:
        while os.getppid() == parent:
            sleep(_EVERY)
        os._exit(1)

    Thread(target=watch, name=_WATCH, daemon=True).start()


def _run(experiment: Experiment, one: _Prepared, settings: RunSettings) -> ExperimentResult:
    """Fuse the systems of an experiment, judge the fusion, and test it against the best of them."""
    rule = as_criterion(settings.criterion)
    try:
        fused = fuse_scores(
            one.set.dev,
            one.set.test,
            systems=experiment.systems,
            fusion=settings.fusion,
            normalise=settings.normalise,
            criterion=rule,
            alpha=settings.alpha,
            missing=settings.missing,
            inner=settings.inner,
            folds=settings.folds,
            rng=settings.seed,
        )
    except (TrialsError, ParameterError) as error:
        place = f"{experiment.set}, {' + '.join(experiment.systems)}"
        raise type(error)(f"{place}: {error}", code=error.code) from error
    trials = one.trials.with_scores(fused.dev, fused.test)
    judged = judge(trials, system=fused.name, criterion=rule, alphas=rule.resolve_alpha(settings.alpha))
    rates = {name: float(one.baselines[name].at(0).hter) for name in experiment.systems}
    best = min(rates, key=lambda name: rates[name])
    gain = fusion_gain(float(judged.at(0).hter), list(rates.values()))
    pair = pair_judgements(judged, one.baselines[best])
    alphas = alpha_grid(settings.points)
    curve = curve_of(judge(trials, system=fused.name, criterion=rule.along_alpha, alphas=alphas))
    notes = [note if isinstance(note, str) or note.code != _UNEVEN.code else _UNEVEN for note in fused.notes]
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
        (*notes, *([gain.note] if gain.note else []), *([_UNSUPPORTED] if judged.notes else [])),
    )
