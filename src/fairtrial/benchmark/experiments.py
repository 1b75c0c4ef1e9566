"""What a protocol gives by one fusion method: every experiment with its interval, gain and test, and pooled curves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, stdev
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from fairtrial.benchmark.protocols import Benchmark, Experiment
from fairtrial.core.notes import Note
from fairtrial.core.results import Field, Record, Result, fields_of, table_of
from fairtrial.core.tables import COUNT_COLUMNS, RATE_COLUMNS, Column, Table
from fairtrial.core.words import in_percent, interval_title, percent, plural
from fairtrial.counting.tallies import ErrorCounts
from fairtrial.evaluation.epc import PerformanceCurve
from fairtrial.fusion.combination import FusedScores
from fairtrial.fusion.fusion import mean_gain
from fairtrial.inference.estimates import GIVEN_ALONG, DevMoves
from fairtrial.inference.intervals import RateInterval
from fairtrial.inference.split import PROVENANCES, Kind
from fairtrial.inference.tests import TestResult
from fairtrial.rules.criteria import Criterion

Item = TypeVar("Item")
Key = TypeVar("Key")
MANY = 60
"""Number of experiments above which only their summary is shown."""
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
    moves: DevMoves
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
    >>> from fairtrial import run_benchmark
    >>> (run,) = run_benchmark("lausanne", only=["LP2"], points=11).runs
    >>> sorted(run.pooled)
    ['LP2: different features', 'LP2: multimodal', 'all']
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
        Field("pooled_groups", get=lambda run: {k: _curve(curve) for k, curve in run.pooled.items() if k != "all"}),
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
        groups = grouped(split, lambda each: (each.experiment.set, each.experiment.group, each.systems))
        return tuple(
            Spread(*key, *_over_splits(results), *mean_gain([each.beta_min for each in results]))
            for key, results in groups.items()
        )

    @property
    def baseline_spreads(self) -> tuple[BaselineSpread, ...]:
        """The single systems over random splits; none if dev and test are given."""
        split = [base for base in self.baselines if base.split is not None]
        groups = grouped(split, lambda base: (base.set, base.system))
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
        clear = [each.test.estimate for each in self.experiments if each.p_adjusted < 1 - self.confidence]
        less, more = (sum(sign * difference > 0 for difference in clear) or "none" for sign in (-1, 1))
        return (
            f"Fusion by {self.label} has a mean HTER of {percent(hter)} over "
            f"{plural(len(self.experiments), 'experiment')} of {self.protocol} on {self.benchmark}"
            f"{' (synthetic)' if self.synthetic else ''}, on average {in_percent(abs(difference))} points "
            f"{'less' if difference < 0 else 'more'} than the best of the systems fused; significantly less in {less} "
            f"of them and more in {more} (Holm)"
        )

    def tables(self) -> tuple[Table, ...]:
        """Tabulate all experiments and a summary by group; single systems and random splits in detail."""

        def of_run(field: Field) -> Field:
            value = field.value(self)
            return replace(field, get=lambda _: value)

        given = [k for k, each in enumerate(self.experiments) if each.experiment.split is None]
        all_given, titles = len(given) == len(self.experiments), {"interval": interval_title(self.confidence)}
        generated = " (synthetic scores)" if self.synthetic else ""
        experiments = table_of(
            "experiments",
            f"{' '.join(self.title.split())}{generated}, {self.protocol}, {self.fusion}, normalisation "
            f"{self.normalise}, {self.kind}, thresholds by {self.criterion.described(self.alpha)} "
            f"{PROVENANCES[self.kind].chosen}",
            (
                *(of_run(field) for field in self.FIELDS if field.title),
                *(replace(each, detail=all_given) if each.key == "split" else each for each in ExperimentResult.FIELDS),
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
        yield from grouped(self.experiments, lambda each: group_name(each.experiment)).items()


def grouped(items: Iterable[Item], key: Callable[[Item], Key]) -> dict[Key, list[Item]]:
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
