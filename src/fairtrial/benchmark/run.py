"""Run a fusion protocol by one or several fusion methods, and compare them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from threading import Thread
from time import sleep
from typing import Any

import numpy as np

from fairtrial.benchmark.datasets import FailedEnrolment, load_benchmark
from fairtrial.benchmark.experiments import MANY, Baseline, BenchmarkResult, ExperimentResult, group_name, grouped
from fairtrial.benchmark.manifest import errors_at
from fairtrial.benchmark.pooling import Contest, compare_pooled, compare_runs
from fairtrial.benchmark.protocols import Benchmark, Experiment, list_experiments
from fairtrial.core.errors import ParameterError, check_choice, check_workers
from fairtrial.core.notes import Note, as_note, gather_notes
from fairtrial.core.results import Result
from fairtrial.core.tables import Table, join_tables
from fairtrial.counting.search import sort_once
from fairtrial.counting.tallies import as_source
from fairtrial.evaluation.bands import CurveComparison
from fairtrial.evaluation.epc import alpha_grid, curve_of, pool_curves
from fairtrial.evaluation.paired_tests import leading_test, pair_judgements
from fairtrial.formats.files import PathLike
from fairtrial.fusion.combination import Inner, fuse_scores
from fairtrial.fusion.fusion import fusion_gain
from fairtrial.fusion.methods import FusionMethod, as_fusion
from fairtrial.fusion.model import Missing
from fairtrial.fusion.normalise import NORMALISATIONS
from fairtrial.inference.decide import Judgement, ignored_alpha, judge
from fairtrial.inference.estimates import dev_moves, judged_interval
from fairtrial.inference.multiplicity import adjust_p_values
from fairtrial.inference.split import TrialSets, seed_of
from fairtrial.inference.variance import Floats
from fairtrial.rules.criteria import CriterionLike, as_criterion
from fairtrial.rules.measures import MEASURES, SUPPORT

_MOST_NOTES = 12
"""Number of notes that are shown below a table of experiments; JSON has all."""
_UNEVEN = Note(
    "uneven-scores",
    "scores of different ranges are fused without normalisation; {normalise!o} brings them to one scale",
    warning=True,
    normalise="z",
)
_UNSUPPORTED = Note(
    "few-dev-errors", "the target rests on fewer than {errors} errors on dev", warning=True, errors=SUPPORT
)
_PER_PROCESSOR = 4
"""Maximum number of worker processes per processor: more only take memory."""
_WATCH = "watches the parent"
_EVERY = 0.5
"""Seconds between two looks of a worker whether its parent still runs."""


@dataclass(frozen=True, eq=False, repr=False)
class FusionBenchmark(Result):
    """One or several fusion methods over a protocol.

    If there is only one method, the attributes of its run are also those of the result.

    Attributes
    ----------
    runs : tuple of BenchmarkResult
        One run per method.
    contest : Contest or None
        The comparison of the methods; None for one method.
    along_alpha : CurveComparison or None
        The test of the pooled curves of two methods along alpha, if asked for.

    Examples
    --------
    >>> from fairtrial import run_benchmark
    >>> result = run_benchmark("lausanne", fusions=["mean", "min"], only=["LP2"])
    >>> [run.fusion for run in result.runs], result.contest.ranking[0].fusion
    (['mean', 'min'], 'mean')
    """

    runs: tuple[BenchmarkResult, ...]
    contest: Contest | None = None
    along_alpha: CurveComparison | None = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or len(self.runs) != 1:
            raise AttributeError(name)
        return getattr(self.runs[0], name)

    @property
    def files_read(self) -> tuple[str, ...]:
        """The files that were read."""
        return tuple(map(str, self.runs[0].data.files))

    def to_dict(self) -> dict[str, Any]:
        """Give the run of one method, or the runs of several and their comparison."""
        if self.contest is None:
            return self.runs[0].to_dict()
        pooled = {} if self.along_alpha is None else {"pooled_comparison": self.along_alpha.to_dict()}
        return {"runs": [run.to_dict() for run in self.runs], "comparison": self.contest.to_dict(), **pooled}

    def answer(self) -> str:
        """Give the ranking of several methods, or the run of one."""
        return self.runs[0].answer() if self.contest is None else self.contest.answer()

    def tables(self) -> tuple[Table, ...]:
        """Tabulate the experiments of all methods, the single systems, summaries, and the comparison."""
        by_run = [run.tables() for run in self.runs]
        (main,) = join_tables([tables[:1] for tables in by_run])
        if len(main.notes) > _MOST_NOTES:
            template = "and {count:plural more note}; the JSON has all"
            more = Note("more-notes", template, count=len(main.notes) - _MOST_NOTES)
            ranked = sorted(main.notes, key=lambda note: not getattr(note, "warning", False))
            main = replace(main, notes=(*ranked[:_MOST_NOTES], more))
        if self.contest is None:
            return (main, *by_run[0][1:])
        columns = (replace(column, detail=column.detail and column.key != "fusion") for column in main.columns)
        caption = f"{self.runs[0].title}, {self.contest.protocol}, {self.runs[0].kind}"
        main = replace(main, columns=tuple(columns), caption=caption)
        of_sets = ("systems", "system spreads")
        once = [table for table in by_run[0][1:] if table.name in of_sets]
        others = [
            replace(table, name=f"{table.name}: {run.label}")
            for run, tables in zip(self.runs, by_run, strict=True)
            for table in tables[1:]
            if table.name not in of_sets
        ]
        compared = [result.tables() for result in (self.contest, self.along_alpha) if result is not None]
        return (main, *once, *others, *(table for tables in compared for table in tables))


def run_benchmark(
    data: Benchmark | PathLike = "lausanne",
    *,
    fusions: str | FusionMethod | Sequence[str | FusionMethod] = ("mean",),
    protocol: str = "fp-2",
    only: Sequence[str] = (),
    repeats: int | None = None,
    failed_enrolment: FailedEnrolment | None = None,
    outside: bool = False,
    normalise: str = "none",
    criterion: CriterionLike = "wer-equal",
    alpha: float | None = None,
    missing: Missing = "error",
    inner: Inner = "auto",
    inner_folds: int = 5,
    confidence: float = 0.95,
    points: int = 101,
    pooled: int | None = None,
    rng: np.random.Generator | int | None = 0,
    keep_scores: bool | None = None,
    workers: int = 1,
    progress: Callable[[float], None] | None = None,
) -> FusionBenchmark:
    """Run all experiments of a protocol by one or several fusion methods, and compare the methods.

    Parameters
    ----------
    data : Benchmark, str or path-like, default "lausanne"
        A benchmark, a name that `list_datasets` gives, or a directory with a ``benchmark.toml``.
    fusions : str, FusionMethod or sequence of them, default ("mean",)
        Fusion methods, or their names in `FUSIONS`; several are compared over the whole protocol.
    protocol : str, default "fp-2"
        A name in `PROTOCOLS`, or one that the benchmark lists.
    only : sequence of str, default ()
        The names of the sets to use; all by default.
    repeats : int, optional
        The number of random splits of a known set without dev trials; 10 by default.
    failed_enrolment : {"drop", "keep"}, optional
        Whether to drop or keep trials of a known set against somebody whose enrolment failed; ``drop`` by default.
    outside : bool, default False
        Whether a ``benchmark.toml`` may name files outside its directory.
    normalise : str, default "none"
        The normalisation of the scores: a name in `NORMALISATIONS`, fitted on dev.
    criterion : str, Criterion, DetectionCosts or callable, default "wer-equal"
        How the threshold is chosen on dev: a name in `CRITERIA`, a criterion, detection costs, or a function
        ``C(far, frr, alpha)`` of arrays.
    alpha : float, optional
        The weight or the target that the criterion takes; 0.5 by default, but a criterion that aims at a target needs
        one.
    missing : {"error", "reject", "neutral"}, default "error"
        What to do with a trial that lacks the score of a system; see `fuse_scores`.
    inner : {"auto", "folds", "none"}, default "auto"
        Where the fused dev scores come from; see `fuse_scores`.
    inner_folds : int, default 5
        The number of folds of the dev trials; see `fuse_scores`.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.
    points : int, default 101
        The number of values of alpha of the pooled curves.
    pooled : int, optional
        With two methods, test their pooled curves, at this number of values of alpha.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result.
    keep_scores : bool, optional
        Whether the result keeps the fused scores, for pages, bands and tests of pooled curves; by default those of one
        method and up to 60 experiments.
    workers : int, default 1
        How many work at once; the result does not depend on it. They are processes.
    progress : callable, optional
        Called as work proceeds, with the proportion of it done since the last call; they sum to 1.

    Returns
    -------
    FusionBenchmark
        The run of each method: every experiment, the single systems, and pooled curves; and the comparison of several.

    Raises
    ------
    ParameterError
        If the data, a protocol or a method is unknown, a method is named twice, the protocol leaves nothing to fuse, or
        pooled curves are not of two methods.
    InputError
        If files are missing or cannot be read.

    References
    ----------
    Poh & Bengio, Database, protocols and tools for evaluating score-level fusion, 2006, sections 3 and 4.

    Examples
    --------
    >>> run = run_benchmark("lausanne", only=["LP2"], fusions="max", points=2)
    >>> len(run.experiments), run.experiments[0].systems
    (9, ('(FH,MLP)', '(LFCC,GMM)'))
    """
    methods = [as_fusion(f) for f in ([fusions] if isinstance(fusions, str | FusionMethod) else fusions)]
    names = [method.name for method in methods]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None or not names:
        template = "{fusions!p} names {name} twice" if names else "{fusions!p} names no method"
        raise ParameterError(template, code="methods", fusions=names, name=twice)
    if pooled is not None and len(methods) != 2:
        template = "{pooled!p} compares two methods; name two with {fusions!p}, not {names:list}"
        raise ParameterError(template, code="methods", pooled=pooled, fusions=names, names=names)
    rule, seed = as_criterion(criterion), seed_of(rng)
    weight = rule.resolve_alpha(alpha)
    check_choice("normalise", normalise, NORMALISATIONS)
    check_workers(workers)
    if isinstance(data, Benchmark):
        benchmark = data.only(only) if only else data
    else:
        benchmark = load_benchmark(
            data, only=only, seed=seed, repeats=repeats, failed_enrolment=failed_enrolment, outside=outside
        )
    experiments = list_experiments(benchmark, protocol)
    if keep_scores is None:
        keep_scores = pooled is not None or (len(methods) == 1 and len(experiments) <= MANY)

    singles: dict[tuple[str, int | None], dict[str, Judgement]] = {}
    people: list[Note] = []
    for one in benchmark.sets:
        sets = TrialSets(one.dev, one.test, seed=seed)
        with errors_at(one.name):
            on_test = sets.people[1]  # computed once, for all experiments
            judged = {s.name: judge(sets, system=s.name, criterion=rule, alphas=weight) for s in one.systems}
        singles[one.name, one.split] = judged
        people += () if on_test is None else (as_note(note, one.name) for note in on_test.notes)

    fuse_and_judge = partial(
        _run,
        fuse={
            "normalise": normalise,
            "criterion": rule,
            "alpha": weight,
            "missing": missing,
            "inner": inner,
            "inner_folds": inner_folds,
            "rng": seed,
        },
        alphas=alpha_grid(points if pooled is None else pooled),
        confidence=confidence,
        keep_scores=keep_scores,
    )
    # methods instead of names: other processes do not have what was registered in this one
    tasks = [(each, singles[each.set, each.split], method) for method in methods for each in experiments]
    work: Iterable[ExperimentResult] = (fuse_and_judge(*task) for task in tasks)
    most = min(workers, len(tasks), _PER_PROCESSOR * (os.cpu_count() or 1))
    if most > 1:
        from joblib import Parallel, delayed

        pool = Parallel(
            n_jobs=most, return_as="generator", batch_size=4, initializer=_end_with, initargs=(os.getpid(),)
        )
        work = pool(delayed(fuse_and_judge)(*task) for task in tasks)
    done: list[ExperimentResult] = []
    for result in work:
        done.append(result)
        if progress is not None:
            progress(1 / len(tasks))

    baselines = tuple(
        Baseline(*place, name, each.at(0), judged_interval(each, confidence=confidence))
        for place, by_name in singles.items()
        for name, each in by_name.items()
    )
    runs = []
    for number, method in enumerate(methods):
        results = _adjusted(done[number * len(experiments) : (number + 1) * len(experiments)])
        by_group = {"all": results, **grouped(results, lambda each: group_name(each.experiment))}
        runs.append(
            BenchmarkResult(
                benchmark,
                protocol,
                method.name,
                normalise,
                rule,
                weight,
                baselines,
                tuple(results),
                {name: pool_curves([each.curve for each in group], system=name) for name, group in by_group.items()},
                (*ignored_alpha(rule, alpha), *map(as_note, benchmark.notes), *_notes(results), *dict.fromkeys(people)),
            )
        )
    contest = compare_runs(runs, confidence=confidence) if len(runs) > 1 else None
    along_alpha = None if pooled is None else compare_pooled(*runs, confidence=confidence)
    return FusionBenchmark(tuple(runs), contest, along_alpha)


def _end_with(parent: int) -> None:
    """Let a worker process end when the one that started it does, for whatever reason."""

    def watch() -> None:
        while os.getppid() == parent:
            sleep(_EVERY)
        os._exit(1)

    Thread(target=watch, name=_WATCH, daemon=True).start()


def _run(
    experiment: Experiment,
    singles: Mapping[str, Judgement],
    method: FusionMethod,
    *,
    fuse: dict[str, Any],
    alphas: Floats,
    confidence: float,
    keep_scores: bool,
) -> ExperimentResult:
    """Fuse the systems of an experiment by `fuse_scores`, judge the fusion, and test it against the best of them."""
    rule, weight, sets = fuse["criterion"], fuse["alpha"], next(iter(singles.values())).sets
    with errors_at(f"{experiment.set}, {' + '.join(experiment.systems)}"):
        fused = fuse_scores(sets.trials("dev"), sets.trials(), systems=experiment.systems, fusion=method, **fuse)
    sets = sets.with_scores(fused.dev, fused.test)
    scores = sort_once(as_source(fused.dev, what="dev")), sort_once(as_source(fused.test, what="test"))
    judged, along = (
        judge(sets, system=fused.name, criterion=how, alphas=at, sources=[scores])
        for how, at in ((rule, weight), (rule.along_alpha, alphas))
    )
    rates = {name: float(singles[name].at(0).hter) for name in experiment.systems}
    best = min(rates, key=lambda name: rates[name])
    gain = fusion_gain(float(judged.at(0).hter), list(rates.values()))
    pair = pair_judgements(judged, singles[best])
    curve = curve_of(along)
    notes = [note if isinstance(note, str) or note.code != _UNEVEN.code else _UNEVEN for note in fused.notes]
    few = any(isinstance(note, Note) and note.code == "target-few-errors" for note in judged.notes)
    moves = dev_moves(judged, MEASURES["hter"])
    assert moves is not None  # dev trials are in memory
    return ExperimentResult(
        experiment,
        judged.at(0),
        judged_interval(judged, confidence=confidence),
        gain.beta_mean,
        gain.beta_min,
        best,
        leading_test(pair),
        float("nan"),
        curve if keep_scores else replace(curve, judgement=None),
        dict(fused.parameters),
        np.packbits(pair.wrong_a),
        moves,
        fused if keep_scores else None,
        (*notes, *([gain.note] if gain.note else []), *([_UNSUPPORTED] if few else [])),
    )


def _adjusted(results: Sequence[ExperimentResult]) -> list[ExperimentResult]:
    """Adjust p values by Holm; splits of the same trials are repetitions, each adjusted by itself."""
    adjusted = list(results)
    splits = np.array([result.experiment.split or 0 for result in results])
    for split in np.unique(splits):
        rows = np.flatnonzero(splits == split).tolist()
        p_values = adjust_p_values([results[k].test.p_value for k in rows], "holm")
        for k, p_value in zip(rows, p_values.tolist(), strict=True):
            adjusted[k] = replace(results[k], p_adjusted=p_value)
    return adjusted


def _notes(results: Sequence[ExperimentResult]) -> list[Note]:
    """Gather the notes of all experiments; equal ones become one."""
    by_kind: dict[Any, dict[str, Note | str]] = {}
    for result in results:
        one = result.experiment
        place = f"{one.set}{'' if one.split is None else f' split {one.split}'}, {' + '.join(one.systems)}"
        for note in result.notes:
            by_kind.setdefault(note if isinstance(note, str) else note.kind, {})[place] = note
    return [
        as_note(note, next(iter(places)) if len(places) == 1 else f"{len(places)} experiments")
        for places in by_kind.values()
        for note in gather_notes(places.values())
    ]
