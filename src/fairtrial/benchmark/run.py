"""Run a fusion protocol: every experiment with its interval, its gain, and its test against the best baseline."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import fmean, stdev
from threading import Thread
from time import sleep
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from fairtrial.benchmark.protocols import Benchmark, BenchmarkSet, Experiment, list_experiments
from fairtrial.core.errors import ParameterError, TrialsError, check_choice, check_workers
from fairtrial.core.notes import Note, as_note, gather_notes
from fairtrial.core.results import Field, Record, Result, fields_of, table_of
from fairtrial.core.tables import COUNT_COLUMNS, RATE_COLUMNS, Column, Table
from fairtrial.core.words import in_percent, interval_title, percent, plural
from fairtrial.counting.search import sort_once
from fairtrial.counting.tallies import ErrorCounts, as_source
from fairtrial.evaluation.epc import PerformanceCurve, alpha_grid, curve_of, pool_curves
from fairtrial.evaluation.paired_tests import leading_test, pair_judgements
from fairtrial.fusion.combination import FusedScores, Inner, fuse_scores
from fairtrial.fusion.fusion import fusion_gain, mean_gain
from fairtrial.fusion.methods import FusionMethod, as_fusion
from fairtrial.fusion.model import Missing
from fairtrial.fusion.normalise import NORMALISATIONS
from fairtrial.inference.decide import SUPPORT, Judgement, judge
from fairtrial.inference.estimates import GIVEN_ALONG, DevMoves, dev_moves
from fairtrial.inference.intervals import RateInterval
from fairtrial.inference.limits import judged_interval
from fairtrial.inference.multiplicity import adjust_p_values
from fairtrial.inference.split import PROVENANCES, Kind, TrialSets, seed_of
from fairtrial.inference.tests import TestResult
from fairtrial.inference.variance import Floats
from fairtrial.rules.criteria import Criterion, CriterionLike, as_criterion
from fairtrial.rules.measures import MEASURES

Item = TypeVar("Item")
Key = TypeVar("Key")
MANY = 60
"""Number of experiments above which only their summary is shown."""
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
_FAR, _FRR, _HTER = fields_of("counts", RATE_COLUMNS)
_FUSED = (Field("systems", "fused", get=lambda row: " + ".join(row.systems), in_json=False), Field("systems"))
_SPREAD = (
    Field("splits", "splits", "count"),
    Field("hter_mean", "mean HTER", "rate", get="mean"),
    Field("hter_sd", "sd", "rate", get="sd"),
)


@dataclass(frozen=True, slots=True, eq=False)
class Baseline(Record):
    """A single system of a set, at its threshold from dev."""

    FIELDS: ClassVar = (
        Field("set", "set"),
        Field("split"),
        Field("system", "system"),
        _FAR,
        _FRR,
        _HTER,
        Field("interval", "interval", "interval"),
        Field("threshold", get="counts.threshold"),
        *(replace(field, title="") for field in fields_of("counts", COUNT_COLUMNS)),
    )

    set: str
    split: int | None
    system: str
    counts: ErrorCounts
    interval: RateInterval


@dataclass(frozen=True, slots=True, eq=False)
class ExperimentResult(Record):
    """One fusion, at its threshold from dev, with its gain and the test against the best of its systems on test.

    `wrong_bits` marks wrong decisions on test trials, eight in a byte; `moves` are the dev trials that move the
    threshold, for comparisons of runs; `fused` the fused scores, if they were kept.
    """

    FIELDS: ClassVar = (
        Field("set", "set", get="experiment.set"),
        Field("split", "split", "count", get="experiment.split"),
        Field("group", "group", get="experiment.group", optional=True),
        *_FUSED,
        _HTER,
        Field("interval", "interval", "interval"),
        replace(_FAR, optional=True),
        replace(_FRR, optional=True),
        Field("beta_mean", "beta_mean", "ratio", optional=True),
        Field("beta_min", "beta_min", "ratio"),
        Field("best", "best", detail=True),
        Field("difference", "difference", "rate", detail=True, get="test.estimate"),
        Field("statistic", "statistic", "number", detail=True, get="test.statistic"),
        Field("p_value", "p", "p", detail=True, get="test.p_value"),
        Field("p_adjusted", "p (Holm)", "p"),
        Field("p_threshold", "threshold of p", detail=True, get="test.threshold"),
        Field("threshold", "threshold", "threshold", detail=True, get="counts.threshold"),
        *fields_of("counts", COUNT_COLUMNS),
        Field("parameters"),
        Field("notes"),
    )

    experiment: Experiment
    counts: ErrorCounts
    interval: RateInterval
    beta_mean: float
    beta_min: float
    best: str
    test: TestResult
    p_adjusted: float
    curve: PerformanceCurve
    parameters: dict[str, Any]
    wrong_bits: NDArray[np.uint8]
    moves: DevMoves | None = None
    fused: FusedScores | None = None
    notes: tuple[Note | str, ...] = ()

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems that are fused."""
        return self.experiment.systems

    def wrong(self, trials: int) -> NDArray[np.bool_]:
        """Mark wrong decisions on the test trials."""
        return np.unpackbits(self.wrong_bits, count=trials).astype(np.bool_)


@dataclass(frozen=True, slots=True)
class Spread(Record):
    """Mean and standard deviation of the HTER of an experiment over random splits.

    `beta_min` is the mean of the finite gains; `left_out` counts the splits without one, as the fusion made no error.
    """

    FIELDS: ClassVar = (
        Field("set", "set"),
        Field("group", "group", detail=True),
        *_FUSED,
        *_SPREAD,
        Field("beta_min_mean", "mean beta_min", "ratio", get="beta_min"),
        Field("beta_min_left_out", get="left_out"),
    )

    set: str
    group: str
    systems: tuple[str, ...]
    splits: int
    mean: float
    sd: float
    beta_min: float
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class BaselineSpread(Record):
    """Mean and standard deviation of the HTER of a single system over random splits."""

    FIELDS: ClassVar = (Field("set", "set"), Field("system", "system"), *_SPREAD)

    set: str
    system: str
    splits: int
    mean: float
    sd: float


def _curve(curve: PerformanceCurve) -> dict[str, Any]:
    return {"alpha": curve.alpha.tolist(), "hter": curve.hter.tolist()}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BenchmarkResult(Result):
    """All experiments of a protocol by one fusion method.

    Attributes
    ----------
    data : Benchmark
        The sets and their systems.
    protocol : str
        The name of the protocol.
    fusion : str
        The name of the fusion method.
    normalise : str
        The name of the normalisation.
    criterion : Criterion
        How the threshold was chosen.
    alpha : float
        The weight or the target that the criterion took.
    baselines : tuple of Baseline
        The single systems, set by set.
    experiments : tuple of ExperimentResult
        The fusions, each with its errors, its gain and its test.
    pooled : dict of str to PerformanceCurve
        Pooled curves by set and group; `all` is that of all experiments.
    notes : tuple of Note
        What the reader should know.

    Examples
    --------
    >>> import numpy as np
    >>> from fairtrial import Trials, run_benchmark
    >>> from fairtrial.benchmark import Benchmark, BenchmarkSet, SystemInfo
    >>> genuine = np.arange(400) < 100
    >>> scores = np.random.default_rng(0).normal(np.outer(genuine, [2.0, 2.5]))
    >>> trials = Trials.from_arrays(scores, genuine, systems=["face", "voice"])
    >>> dev, test = (trials.rows(np.arange(start, 400, 2)) for start in (0, 1))
    >>> parts = tuple(SystemInfo(name, name, "pixels", "svm") for name in trials.systems)
    >>> tiny = Benchmark("tiny", "Tiny", (BenchmarkSet("one", dev, test, parts),))
    >>> sorted(run_benchmark(tiny, protocol="fp-full", points=11).pooled)
    ['all', 'one: multimodal']
    """

    FIELDS: ClassVar = (
        Field("benchmark", "benchmark", detail=True),
        Field("protocol", "protocol", detail=True),
        Field("fusion", "fusion", detail=True),
        Field("normalise", "normalise", detail=True),
        Field("synthetic", "synthetic", "flag", detail=True),
        Field("title"),
        Field("criterion", get="criterion.name"),
        Field("alpha", get=lambda run: run.criterion.alpha_of_result(run.alpha)),
        Field("experiments"),
        Field("spreads"),
        Field("baselines"),
        Field("baseline_spreads"),
        Field("pooled_epc", get=lambda run: _curve(run.pooled["all"])),
        Field(
            "pooled_groups",
            get=lambda run: {name: _curve(curve) for name, curve in run.pooled.items() if name != "all"},
        ),
        Field("notes"),
    )

    data: Benchmark
    protocol: str
    fusion: str
    normalise: str
    criterion: Criterion
    alpha: float
    baselines: tuple[Baseline, ...]
    experiments: tuple[ExperimentResult, ...]
    pooled: dict[str, PerformanceCurve]
    notes: tuple[Note, ...] = ()

    @property
    def benchmark(self) -> str:
        """The name of the benchmark."""
        return self.data.name

    @property
    def title(self) -> str:
        """The description of the benchmark."""
        return self.data.title

    @property
    def synthetic(self) -> bool:
        """Whether the scores are generated instead of measured."""
        return self.data.synthetic

    @property
    def spreads(self) -> tuple[Spread, ...]:
        """The experiments over random splits; none if dev and test are given."""
        split = [each for each in self.experiments if each.experiment.split is not None]
        groups = _grouped(split, lambda each: (each.experiment.set, each.experiment.group, each.systems))
        return tuple(
            Spread(
                *key,
                *_over_splits(results),
                *mean_gain([each.beta_min for each in results]),
            )
            for key, results in groups.items()
        )

    @property
    def baseline_spreads(self) -> tuple[BaselineSpread, ...]:
        """The single systems over random splits; none if dev and test are given."""
        split = [base for base in self.baselines if base.split is not None]
        groups = _grouped(split, lambda base: (base.set, base.system))
        return tuple(BaselineSpread(one, system, *_over_splits(bases)) for (one, system), bases in groups.items())

    @property
    def label(self) -> str:
        """The method, with its normalisation if there is one."""
        return self.fusion if self.normalise == "none" else f"{self.fusion}, {self.normalise}"

    @property
    def confidence(self) -> float:
        """The confidence of the intervals and tests."""
        return self.experiments[0].interval.confidence

    @property
    def kind(self) -> Kind:
        """Whether the figures are a priori."""
        return self.pooled["all"].kind

    def answer(self) -> str:
        """Give the mean HTER over all experiments, and the difference from the best systems."""
        hter = fmean(float(each.counts.hter) for each in self.experiments)
        difference = fmean(each.test.estimate for each in self.experiments)
        better = sum(each.p_adjusted < 1 - self.confidence and each.test.estimate < 0 for each in self.experiments)
        return (
            f"{self.label} has a mean HTER of {percent(hter)} over {plural(len(self.experiments), 'experiment')} of "
            f"{self.protocol} on {self.benchmark}{' (synthetic)' if self.synthetic else ''}, "
            f"{in_percent(abs(difference))} points {'less' if difference < 0 else 'more'} than the best system of each "
            f"on average; {better} of them are significantly better than it (Holm)"
        )

    def tables(self) -> tuple[Table, ...]:
        """Tabulate all experiments and a summary by group; single systems and random splits in detail."""
        given = [k for k, each in enumerate(self.experiments) if each.experiment.split is None]
        all_given, titles = len(given) == len(self.experiments), {"interval": interval_title(self.confidence)}
        generated = " (synthetic scores)" if self.synthetic else ""
        experiments = table_of(
            "experiments",
            f"{' '.join(self.title.split())}{generated}, {self.protocol}, {self.fusion}, normalisation "
            f"{self.normalise}, {self.kind}, thresholds by {self.criterion.described(self.alpha)} "
            f"{PROVENANCES[self.kind].chosen}",
            (
                *(
                    replace(field, get=partial(lambda field, _: field.value(self), field))
                    for field in self.FIELDS
                    if field.title
                ),
                *(
                    replace(field, detail=all_given) if field.key == "split" else field
                    for field in ExperimentResult.FIELDS
                ),
            ),
            self.experiments,
            notes=self.notes,
            section="group",
            shown=given if len(given) <= MANY else (),
            titles=titles,
        )
        singles = [base for base in self.baselines if base.split is None]
        fused = f"Fused systems over random splits, {self.fusion}"
        others = (
            table_of("systems", "Single systems", Baseline.FIELDS, singles, section="set", titles=titles),
            table_of(
                "system spreads",
                "Single systems over random splits",
                BaselineSpread.FIELDS,
                self.baseline_spreads,
                section="set",
            ),
            table_of("spreads", fused, Spread.FIELDS, self.spreads, section="set"),
            self._groups(),
        )
        return (experiments, *(table for table in others if table.rows))

    def _groups(self) -> Table:
        """Summarise the experiments by group."""
        level = 1 - self.confidence
        rows, left_out = [], 0
        for name, experiments in self.groups():
            gain, without = mean_gain([each.beta_min for each in experiments])
            left_out += without
            differences = [each.test.estimate for each in experiments if each.p_adjusted < level]
            better, worse = (sum(sign * difference > 0 for difference in differences) for sign in (-1, 1))
            hter = fmean(float(each.counts.hter) for each in experiments)
            rows.append((name, len(experiments), hter, gain, better, worse))
        template = "better, worse: than the best of the systems fused, p below {level:.3g} after Holm"
        if self.spreads:
            template += ", each split separately"
        notes = [
            Note("better", template, level=level),
            Note("interval", "intervals and p values: {given}", given=GIVEN_ALONG[self.experiments[0].test.threshold]),
        ]
        if left_out:
            template = "mean beta_min leaves out {count:plural experiment} in which the fusion made no error"
            notes.append(Note("infinite-gain", template, count=left_out))
        caption = f"{self.fusion}: {plural(len(self.experiments), 'experiment')}"
        columns = (
            Column("group", "group"),
            Column("experiments", "experiments", "count"),
            Column("hter", "mean HTER", "rate"),
            Column("beta_min", "mean beta_min", "ratio"),
            Column("better", "better", "count"),
            Column("worse", "worse", "count"),
        )
        return Table("groups", caption, columns, tuple(rows), tuple(notes))

    def groups(self) -> Iterator[tuple[str, list[ExperimentResult]]]:
        """Group experiments by set and group, as in Table 2 of Poh & Bengio 2006.

        Yields
        ------
        tuple of (str, list of ExperimentResult)
            The name of the group, and its experiments.
        """
        yield from _grouped(self.experiments, lambda each: group_name(each.experiment)).items()


def _grouped(items: Iterable[Item], key: Callable[[Item], Key]) -> dict[Key, list[Item]]:
    """Group items by a key, in the order in which the keys first occur."""
    groups: dict[Key, list[Item]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def _over_splits(results: Sequence[Baseline | ExperimentResult]) -> tuple[int, float, float]:
    """Compute the number of splits, and the mean and the standard deviation of the HTER over them."""
    rates = [float(each.counts.hter) for each in results]
    return len(rates), fmean(rates), stdev(rates) if len(rates) > 1 else float("nan")


def group_name(experiment: Experiment) -> str:
    """Name a group of a set, as in tables."""
    return f"{experiment.set}: {experiment.group}"


def run_benchmark(
    benchmark: Benchmark,
    *,
    protocol: str = "fp-2",
    fusion: str | FusionMethod = "mean",
    normalise: str = "none",
    criterion: CriterionLike = "wer-equal",
    alpha: float | None = None,
    missing: Missing = "error",
    inner: Inner = "auto",
    inner_folds: int = 5,
    confidence: float = 0.95,
    points: int = 101,
    rng: np.random.Generator | int | None = 0,
    keep_scores: bool = False,
    workers: int = 1,
    progress: Callable[[float], None] | None = None,
) -> BenchmarkResult:
    """Run all experiments of a protocol by one fusion method.

    Parameters
    ----------
    benchmark : Benchmark
        The sets and their systems; see `load_benchmark`.
    protocol : str, default "fp-2"
        A name in `PROTOCOLS`, or one that the benchmark lists.
    fusion : str or FusionMethod, default "mean"
        A fusion method, or its name in `FUSIONS`.
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
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result.
    keep_scores : bool, default False
        Whether the result keeps the fused scores, for pages, bands and tests of pooled curves.
    workers : int, default 1
        How many work at once; the result does not depend on it. They are processes.
    progress : callable, optional
        Called as work proceeds, with the proportion of it done since the last call; they sum to 1.

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
    >>> from fairtrial.benchmark import load_lausanne
    >>> run = run_benchmark(load_lausanne().only(["LP2"]), fusion="max", points=2)
    >>> len(run.experiments), run.experiments[0].systems
    (9, ('(FH,MLP)', '(LFCC,GMM)'))
    """
    method, rule, seed = as_fusion(fusion), as_criterion(criterion), seed_of(rng)
    weight = rule.resolve_alpha(alpha)
    check_choice("normalise", normalise, NORMALISATIONS)
    check_workers(workers)
    experiments = list_experiments(benchmark, protocol)
    prepared = {}
    for one in benchmark.sets:
        trials = TrialSets(one.dev, one.test, seed=seed)
        try:
            trials.people  # noqa: B018 - computed once, for all experiments
            baselines = {
                system.name: judge(trials, system=system.name, criterion=rule, alphas=weight) for system in one.systems
            }
        except TrialsError as error:
            raise TrialsError(f"{one.name}: {error}", code=error.code) from error
        prepared[one.name, one.split] = _Prepared(one, trials, baselines)
    run = partial(
        _run,
        # objects instead of names: other processes do not have what was registered in this one
        fuse={
            "fusion": method,
            "normalise": normalise,
            "criterion": rule,
            "alpha": weight,
            "missing": missing,
            "inner": inner,
            "inner_folds": inner_folds,
            "rng": seed,
        },
        alphas=alpha_grid(points),
        confidence=confidence,
        keep_scores=keep_scores,
    )
    results: list[ExperimentResult] = []
    most = min(workers, len(experiments), _PER_PROCESSOR * (os.cpu_count() or 1))
    work: Iterable[ExperimentResult] = (run(e, prepared[e.set, e.split]) for e in experiments)
    if most > 1:
        from joblib import Parallel, delayed

        pool = Parallel(
            n_jobs=most, return_as="generator", batch_size=4, initializer=_end_with, initargs=(os.getpid(),)
        )
        work = pool(delayed(run)(e, prepared[e.set, e.split]) for e in experiments)
    for result in work:
        results.append(result)
        if progress is not None:
            progress(1 / len(experiments))
    # splits of the same trials are repetitions, each adjusted by itself
    splits = np.array([result.experiment.split or 0 for result in results])
    for split in np.unique(splits):
        rows = np.flatnonzero(splits == split).tolist()
        adjusted = adjust_p_values([results[k].test.p_value for k in rows], "holm")
        for k, p_adjusted in zip(rows, adjusted, strict=True):
            results[k] = replace(results[k], p_adjusted=float(p_adjusted))
    pooled = {"all": results, **_grouped(results, lambda each: group_name(each.experiment))}
    people = [
        as_note(note, each.set.name)
        for each in prepared.values()
        if each.trials.people[1]
        for note in each.trials.people[1].notes
    ]
    return BenchmarkResult(
        benchmark,
        protocol,
        method.name,
        normalise,
        rule,
        weight,
        tuple(
            Baseline(each.set.name, each.set.split, name, judged.at(0), judged_interval(judged, confidence=confidence))
            for each in prepared.values()
            for name, judged in each.baselines.items()
        ),
        tuple(results),
        {name: pool_curves([each.curve for each in group], system=name) for name, group in pooled.items()},
        (*map(as_note, benchmark.notes), *_notes(results), *dict.fromkeys(people)),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Prepared:
    """A set with what its experiments share."""

    set: BenchmarkSet
    trials: TrialSets
    baselines: dict[str, Judgement]


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


def _end_with(parent: int) -> None:
    """Let a worker process end when the one that started it does, for whatever reason."""

    def watch() -> None:
        while os.getppid() == parent:
            sleep(_EVERY)
        os._exit(1)

    Thread(target=watch, name=_WATCH, daemon=True).start()


def _run(
    experiment: Experiment,
    one: _Prepared,
    *,
    fuse: dict[str, Any],
    alphas: Floats,
    confidence: float,
    keep_scores: bool,
) -> ExperimentResult:
    """Fuse the systems of an experiment by `fuse_scores`, judge the fusion, and test it against the best of them."""
    rule, weight = fuse["criterion"], fuse["alpha"]
    try:
        fused = fuse_scores(one.set.dev, one.set.test, systems=experiment.systems, **fuse)
    except (TrialsError, ParameterError) as error:
        place = f"{experiment.set}, {' + '.join(experiment.systems)}"
        raise type(error)(f"{place}: {error}", code=error.code) from error
    trials = one.trials.with_scores(fused.dev, fused.test)
    scores = sort_once(as_source(fused.dev, what="dev")), sort_once(as_source(fused.test, what="test"))
    judged, along = (
        judge(trials, system=fused.name, criterion=how, alphas=at, sources=[scores])
        for how, at in ((rule, weight), (rule.along_alpha, alphas))
    )
    rates = {name: float(one.baselines[name].at(0).hter) for name in experiment.systems}
    best = min(rates, key=lambda name: rates[name])
    gain = fusion_gain(float(judged.at(0).hter), list(rates.values()))
    pair = pair_judgements(judged, one.baselines[best])
    curve = curve_of(along)
    notes = [note if isinstance(note, str) or note.code != _UNEVEN.code else _UNEVEN for note in fused.notes]
    few = any(isinstance(note, Note) and note.code == "target-few-errors" for note in judged.notes)
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
        dev_moves(judged, MEASURES["hter"]),
        fused if keep_scores else None,
        (*notes, *([gain.note] if gain.note else []), *([_UNSUPPORTED] if few else [])),
    )
