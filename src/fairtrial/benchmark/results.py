"""Results of a benchmark: experiments, baselines, pooled curves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, stdev
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fairtrial.benchmark.protocols import Experiment
from fairtrial.core.notes import Note
from fairtrial.core.results import Field, Record, Result, table_of
from fairtrial.core.tables import COUNT_COLUMNS, RATE_COLUMNS, Column, Table
from fairtrial.core.words import interval_title, percent, plural
from fairtrial.counting.tallies import ErrorCounts
from fairtrial.evaluation.epc import PerformanceCurve
from fairtrial.fusion.combination import FusedScores
from fairtrial.fusion.fusion import fields_of, mean_gain
from fairtrial.inference.estimates import GIVEN_ALONG, ThresholdDeviations
from fairtrial.inference.intervals import RateInterval
from fairtrial.inference.split import PROVENANCES, Kind
from fairtrial.inference.tests import TestResult
from fairtrial.rules.criteria import Criterion

_MANY = 60
"""Number of experiments from which only their summary is shown."""
_FAR, _FRR, _HTER = fields_of("counts", RATE_COLUMNS)
_INTERVAL = (
    Field("interval", get=lambda found: found.interval.to_dict()),
    Field("interval", "interval", "interval", get="interval.interval", in_json=False),
)
_FUSED = (
    Field("systems", "fused", get=lambda found: " + ".join(found.systems), in_json=False),
    Field("systems"),
)
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
        *_INTERVAL,
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
    """One fusion, at its threshold from dev, with its gain and the test against the best of its systems."""

    FIELDS: ClassVar = (
        Field("set", "set", get="experiment.set"),
        Field("split", "split", "count", get="experiment.split"),
        Field("group", "group", get="experiment.group"),
        *_FUSED,
        _HTER,
        *_INTERVAL,
        _FAR,
        _FRR,
        Field("beta_mean", "beta_mean", "ratio"),
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
    """The system with the lowest HTER on test."""
    test: TestResult
    p_adjusted: float
    curve: PerformanceCurve
    parameters: dict[str, Any]
    wrong_bits: NDArray[np.uint8]
    """Which test trials were decided wrongly, eight in a byte."""
    moved: ThresholdDeviations | None = None
    """Deviations of the HTER by the threshold, for comparing whole runs."""
    fused: FusedScores | None = None
    """The fused scores, if they were kept."""
    notes: tuple[Note | str, ...] = ()

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems that are fused."""
        return self.experiment.systems

    def wrong(self, trials: int) -> NDArray[np.bool_]:
        """Tell which of all test trials were decided wrongly."""
        return np.unpackbits(self.wrong_bits, count=trials).astype(np.bool_)


@dataclass(frozen=True, slots=True)
class Spread(Record):
    """One experiment over several random splits: mean and standard deviation of its HTER."""

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
    """The mean of the finite gains."""
    left_out: int = 0
    """Splits without a finite gain, as the fusion made no error."""


@dataclass(frozen=True, slots=True)
class BaselineSpread(Record):
    """A single system over several random splits: mean and standard deviation of its HTER."""

    FIELDS: ClassVar = (Field("set", "set"), Field("system", "system"), *_SPREAD)

    set: str
    system: str
    splits: int
    mean: float
    sd: float


@dataclass(frozen=True, slots=True)
class _Group(Record):
    """A row of the table of groups."""

    FIELDS: ClassVar = (
        Field("group", "group"),
        Field("experiments", "experiments", "count"),
        Field("hter", "mean HTER", "rate"),
        Field("beta_min", "mean beta_min", "ratio"),
        Field("better", "better", "count"),
        Field("worse", "worse", "count"),
    )

    group: str
    experiments: int
    hter: float
    beta_min: float
    better: int
    worse: int


def _curve(curve: PerformanceCurve) -> dict[str, Any]:
    return {"alpha": curve.alpha.tolist(), "hter": curve.hter.tolist()}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BenchmarkResult(Result):
    """All experiments of a protocol by one fusion method.

    Attributes
    ----------
    benchmark : str
        The name of the benchmark.
    title : str
        What it is, in a few words.
    synthetic : bool
        Whether the scores are generated, and not measured.
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
        What was fused, each with its errors, its gain and its test.
    pooled : dict of str to PerformanceCurve
        Pooled curves by set and group; `all` is that of all experiments.
    notes : tuple of Note
        What the reader should know.

    Examples
    --------
    >>> import numpy as np
    >>> from fairtrial import Trials, run_benchmark
    >>> from fairtrial.benchmark import Benchmark, BenchmarkSet, RunSettings, SystemInfo
    >>> genuine = np.arange(400) < 100
    >>> scores = np.random.default_rng(0).normal(np.outer(genuine, [2.0, 2.5]))
    >>> trials = Trials.from_arrays(scores, genuine, systems=["face", "voice"])
    >>> dev, test = (trials.rows(np.arange(start, 400, 2)) for start in (0, 1))
    >>> parts = tuple(SystemInfo(name, name, "pixels", "svm") for name in trials.systems)
    >>> tiny = Benchmark("tiny", "Tiny", (BenchmarkSet("one", dev, test, parts),))
    >>> found = run_benchmark(tiny, protocol="fp-full", settings=RunSettings(points=11))
    >>> sorted(found.pooled)
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

    benchmark: str
    title: str
    synthetic: bool
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
    def spreads(self) -> tuple[Spread, ...]:
        """The experiments over random splits; none if dev and test are given."""
        found: dict[tuple[str, str, tuple[str, ...]], list[ExperimentResult]] = {}
        for each in self.experiments:
            if each.experiment.split is not None:
                found.setdefault((each.experiment.set, each.experiment.group, each.systems), []).append(each)
        return tuple(
            Spread(
                *key,
                *_over_splits([float(each.counts.hter) for each in results]),
                *mean_gain([each.beta_min for each in results]),
            )
            for key, results in found.items()
        )

    @property
    def baseline_spreads(self) -> tuple[BaselineSpread, ...]:
        """The single systems over random splits; none if dev and test are given."""
        found: dict[tuple[str, str], list[float]] = {}
        for base in self.baselines:
            if base.split is not None:
                found.setdefault((base.set, base.system), []).append(float(base.counts.hter))
        return tuple(BaselineSpread(one, system, *_over_splits(rates)) for (one, system), rates in found.items())

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
        """Give what was run, and the mean HTER of all experiments."""
        mean = fmean(float(each.counts.hter) for each in self.experiments)
        return f"{self._caption}, {plural(len(self.experiments), 'experiment')}, mean HTER {percent(mean)}"

    @property
    def _caption(self) -> str:
        generated = " (synthetic scores)" if self.synthetic else ""
        run = f"{self.protocol}, {self.fusion}, normalisation {self.normalise}"
        return f"{' '.join(self.title.split())}{generated}, {run}"

    def tables(self) -> tuple[Table, ...]:
        """Give all experiments, the single systems, both over random splits, and a summary by group."""
        run = [field for field in self.FIELDS if field.title]
        own = [
            replace(field, detail=all(each.experiment.split is None for each in self.experiments))
            if field.key == "split"
            else field
            for field in ExperimentResult.FIELDS
            if field.title
        ]
        values = tuple(field.value(self) for field in run)
        given = [k for k, each in enumerate(self.experiments) if each.experiment.split is None]
        experiments = Table(
            "experiments",
            f"{self._caption}, {self.kind}, thresholds by {self.criterion.described(self.alpha)} "
            f"{PROVENANCES[self.kind].chosen}",
            tuple(Column(field.key, field.title, field.kind, field.detail) for field in (*run, *own)),
            tuple((*values, *(field.value(each) for field in own)) for each in self.experiments),
            self.notes,
            "group",
            tuple(given) if len(given) <= _MANY else (),
        )
        baselines = [base for base in self.baselines if base.split is None]
        systems = table_of("systems", "Single systems", Baseline.FIELDS, baselines, section="set")
        interval = interval_title(self.confidence)
        others = (
            systems.with_title("interval", interval),
            table_of(
                "system spreads",
                "Single systems over random splits",
                BaselineSpread.FIELDS,
                self.baseline_spreads,
                section="set",
            ),
            table_of(
                "spreads",
                f"Fused systems over random splits, {self.fusion}",
                Spread.FIELDS,
                self.spreads,
                section="set",
            ),
            self._groups(),
        )
        return (experiments.with_title("interval", interval), *(table for table in others if table.rows))

    def _groups(self) -> Table:
        """Summarise the experiments by group."""
        level = 1 - self.confidence
        rows, left_out = [], 0
        for name, found in self.groups():
            gain, without = mean_gain([each.beta_min for each in found])
            left_out += without
            sure = [each.test.estimate for each in found if each.p_adjusted < level]
            hter = fmean(float(each.counts.hter) for each in found)
            better, worse = sum(difference < 0 for difference in sure), sum(difference > 0 for difference in sure)
            rows.append(_Group(name, len(found), hter, gain, better, worse))
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
        return table_of("groups", caption, _Group.FIELDS, rows, notes=notes)

    def groups(self) -> Iterator[tuple[str, list[ExperimentResult]]]:
        """Give experiments by set and group, as in Table 2 of Poh & Bengio 2006.

        Yields
        ------
        tuple of (str, list of ExperimentResult)
            The name of the group, and its experiments.
        """
        found: dict[str, list[ExperimentResult]] = {}
        for result in self.experiments:
            found.setdefault(group_name(result.experiment), []).append(result)
        yield from found.items()


def _over_splits(rates: Sequence[float]) -> tuple[int, float, float]:
    """Give the number of rates, their mean and their standard deviation."""
    return len(rates), fmean(rates), stdev(rates) if len(rates) > 1 else float("nan")


def group_name(experiment: Experiment) -> str:
    """Give the name of a group of a set in tables."""
    return f"{experiment.set}: {experiment.group}"
