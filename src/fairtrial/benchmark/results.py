"""What a benchmark gives: experiments, baselines, pooled curves; and tables of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairtrial.benchmark.protocols import Experiment
from fairtrial.claims import GIVEN_ALONG, ThresholdDeviations
from fairtrial.counting.errors import ErrorCounts
from fairtrial.epc import PerformanceCurve
from fairtrial.fusion import FusedScores
from fairtrial.fusion.gain import mean_gain
from fairtrial.intervals.rates import RateInterval
from fairtrial.rules.criteria import Criterion
from fairtrial.significance.results import TestResult
from fairtrial.tables import COUNT_COLUMNS, RATE_COLUMNS, Column, Result, Table, interval_title, percent, plural
from fairtrial.trial_sets import PROVENANCES, Kind

_MANY = 60
"""Experiments beyond which only their summary is shown."""
_SPREAD_COLUMNS = (
    Column("splits", "splits", "count"),
    Column("hter_mean", "mean HTER", "rate"),
    Column("hter_sd", "sd", "rate"),
)


@dataclass(frozen=True, slots=True, eq=False)
class Baseline:
    """A single system of a set, at its threshold from dev."""

    set: str
    split: int | None
    system: str
    counts: ErrorCounts
    interval: RateInterval

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        return {
            "set": self.set,
            "split": self.split,
            "system": self.system,
            **_rates(self.counts),
            "interval": self.interval.to_dict(),
        }


@dataclass(frozen=True, slots=True, eq=False)
class ExperimentResult:
    """One fusion, at its threshold from dev, with its gain and the test against the best of its systems."""

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
    """By how much the HTER moves with the threshold, for comparing whole runs."""
    fused: FusedScores | None = None
    """The fused scores, if they were to be kept."""
    notes: tuple[str, ...] = ()

    def wrong(self, trials: int) -> NDArray[np.bool_]:
        """Which of so many test trials were decided wrongly."""
        return np.unpackbits(self.wrong_bits, count=trials).astype(np.bool_)

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        return {
            "set": self.experiment.set,
            "split": self.experiment.split,
            "group": self.experiment.group,
            "systems": list(self.experiment.systems),
            **_rates(self.counts),
            "interval": self.interval.to_dict(),
            "beta_mean": self.beta_mean,
            "beta_min": self.beta_min,
            "best": self.best,
            "difference": self.test.estimate,
            "statistic": self.test.statistic,
            "p_value": self.test.p_value,
            "p_adjusted": self.p_adjusted,
            "p_threshold": self.test.threshold,
            "parameters": self.parameters,
            "notes": list(self.notes),
        }


def _rates(counts: ErrorCounts) -> dict[str, Any]:
    return {"threshold": float(counts.threshold), **counts.to_dict()}


@dataclass(frozen=True, slots=True)
class Spread:
    """The same experiment over several random splits: mean and standard deviation of its HTER."""

    set: str
    group: str
    systems: tuple[str, ...]
    splits: int
    mean: float
    sd: float
    beta_min: float
    """The mean of those gains that are finite."""
    left_out: int = 0
    """Splits without a finite gain, as the fusion made no error."""

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        return {
            "set": self.set,
            "group": self.group,
            "systems": list(self.systems),
            "splits": self.splits,
            "hter_mean": self.mean,
            "hter_sd": self.sd,
            "beta_min_mean": self.beta_min,
            "beta_min_left_out": self.left_out,
        }


@dataclass(frozen=True, slots=True)
class BaselineSpread:
    """A single system over several random splits: mean and standard deviation of its HTER."""

    set: str
    system: str
    splits: int
    mean: float
    sd: float

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        return {
            "set": self.set,
            "system": self.system,
            "splits": self.splits,
            "hter_mean": self.mean,
            "hter_sd": self.sd,
        }


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
        Whether the scores were made, and not measured.
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
    notes : tuple of str
        What the reader should know.

    Examples
    --------
    >>> import numpy as np
    >>> from fairtrial import Benchmark, BenchmarkSet, RunSettings, SystemInfo, Trials, run_benchmark
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
    notes: tuple[str, ...] = ()

    @property
    def spreads(self) -> tuple[Spread, ...]:
        """Spread over random splits; none where dev and test are given."""
        found: dict[tuple[str, str, tuple[str, ...]], list[ExperimentResult]] = {}
        for result in self.experiments:
            if result.experiment.split is not None:
                key = (result.experiment.set, result.experiment.group, result.experiment.systems)
                found.setdefault(key, []).append(result)
        return tuple(
            Spread(
                *key,
                *_over_splits([float(r.counts.hter) for r in results]),
                *mean_gain([r.beta_min for r in results]),
            )
            for key, results in found.items()
        )

    @property
    def baseline_spreads(self) -> tuple[BaselineSpread, ...]:
        """Spread of the single systems over random splits; none where dev and test are given."""
        found: dict[tuple[str, str], list[float]] = {}
        for base in self.baselines:
            if base.split is not None:
                found.setdefault((base.set, base.system), []).append(float(base.counts.hter))
        return tuple(BaselineSpread(one, system, *_over_splits(rates)) for (one, system), rates in found.items())

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        whole = self.pooled["all"]
        return {
            "benchmark": self.benchmark,
            "title": self.title,
            "synthetic": self.synthetic,
            "protocol": self.protocol,
            "fusion": self.fusion,
            "normalise": self.normalise,
            "criterion": self.criterion.name,
            "alpha": self.criterion.alpha_of_result(self.alpha),
            "experiments": [result.to_dict() for result in self.experiments],
            "spreads": [spread.to_dict() for spread in self.spreads],
            "baselines": [baseline.to_dict() for baseline in self.baselines],
            "baseline_spreads": [spread.to_dict() for spread in self.baseline_spreads],
            "pooled_epc": {"alpha": whole.alpha.tolist(), "hter": whole.hter.tolist()},
            "pooled_groups": {
                name: {"alpha": curve.alpha.tolist(), "hter": curve.hter.tolist()}
                for name, curve in self.pooled.items()
                if name != "all"
            },
            "notes": list(self.notes),
        }

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

    def summary(self) -> str:
        """What was run, and the mean HTER of all experiments."""
        mean = fmean(float(each.counts.hter) for each in self.experiments)
        return f"{self._caption()}, {plural(len(self.experiments), 'experiment')}, mean HTER {percent(mean)}"

    def tables(self) -> tuple[Table, ...]:
        """All experiments, the single systems, both over random splits if there are any, and a summary by group."""
        found = (self._experiments(), self._systems(), self._system_spreads(), self._spreads(), self._groups())
        return (found[0], *(table for table in found[1:] if table.rows))

    def _caption(self) -> str:
        made_up = " (synthetic scores)" if self.synthetic else ""
        run = f"{self.protocol}, {self.fusion}, normalisation {self.normalise}"
        return f"{' '.join(self.title.split())}{made_up}, {run}"

    def _experiments(self) -> Table:
        columns = (
            *(Column(name, name, detail=True) for name in ("benchmark", "protocol", "fusion", "normalise")),
            Column("synthetic", "synthetic", "flag", detail=True),
            Column("set", "set"),
            Column("split", "split", "count", detail=all(e.experiment.split is None for e in self.experiments)),
            Column("group", "group"),
            Column("systems", "fused"),
            RATE_COLUMNS[2],
            Column("interval", interval_title(self.confidence), "interval"),
            *RATE_COLUMNS[:2],
            Column("beta_mean", "beta_mean", "ratio"),
            Column("beta_min", "beta_min", "ratio"),
            Column("best", "best", detail=True),
            Column("difference", "difference", "rate", detail=True),
            Column("statistic", "statistic", "number", detail=True),
            Column("p_value", "p", "p", detail=True),
            Column("p_adjusted", "p (Holm)", "p"),
            Column("p_threshold", "threshold of p", detail=True),
            Column("threshold", "threshold", "threshold", detail=True),
            *COUNT_COLUMNS,
        )
        run = {name: getattr(self, name) for name in ("benchmark", "synthetic", "protocol", "fusion", "normalise")}
        records = [
            {
                **run,
                **each.to_dict(),
                "systems": " + ".join(each.experiment.systems),
                "interval": each.interval.interval,
            }
            for each in self.experiments
        ]
        given = [k for k, each in enumerate(self.experiments) if each.experiment.split is None]
        return Table.of(
            "experiments",
            f"{self._caption()}, {self.kind}, thresholds by {self.criterion.described(self.alpha)} "
            f"{PROVENANCES[self.kind].chosen}",
            columns,
            records,
            notes=self.notes,
            section="group",
            shown=given if len(given) <= _MANY else [],
        )

    def _systems(self) -> Table:
        columns = (
            Column("set", "set"),
            Column("system", "system"),
            *RATE_COLUMNS,
            Column("interval", interval_title(self.confidence), "interval"),
        )
        given = [base for base in self.baselines if base.split is None]
        records = [base.to_dict() | {"interval": base.interval.interval} for base in given]
        return Table.of("systems", "Single systems", columns, records, section="set")

    def _system_spreads(self) -> Table:
        columns = (Column("set", "set"), Column("system", "system"), *_SPREAD_COLUMNS)
        records = [spread.to_dict() for spread in self.baseline_spreads]
        return Table.of("system spreads", "Single systems over random splits", columns, records, section="set")

    def _spreads(self) -> Table:
        columns = (
            Column("set", "set"),
            Column("group", "group", detail=True),
            Column("systems", "fused"),
            *_SPREAD_COLUMNS,
            Column("beta_min_mean", "mean beta_min", "ratio"),
        )
        records = [spread.to_dict() | {"systems": " + ".join(spread.systems)} for spread in self.spreads]
        return Table.of("spreads", f"Fused systems over random splits, {self.fusion}", columns, records, section="set")

    def _groups(self) -> Table:
        columns = (
            Column("group", "group"),
            Column("experiments", "experiments", "count"),
            Column("hter", "mean HTER", "rate"),
            Column("beta_min", "mean beta_min", "ratio"),
            Column("better", "better", "count"),
            Column("worse", "worse", "count"),
        )
        rows, left_out = [], 0
        for name, found in self.groups():
            gain, without = mean_gain([each.beta_min for each in found])
            left_out += without
            sure = [each.test.estimate for each in found if each.p_adjusted < 1 - self.confidence]
            hter = fmean(float(each.counts.hter) for each in found)
            rows.append((name, len(found), hter, gain, sum(d < 0 for d in sure), sum(d > 0 for d in sure)))
        within = ", each split by itself" if self.spreads else ""
        level = f"p below {1 - self.confidence:.3g} after Holm{within}"
        given = GIVEN_ALONG[self.experiments[0].test.threshold]
        notes = [f"better, worse: than the best of the systems fused, {level}", f"intervals and p values: {given}"]
        if left_out:
            notes.append(f"mean beta_min leaves out {plural(left_out, 'experiment')} in which the fusion made no error")
        caption = f"{self.fusion}: {plural(len(self.experiments), 'experiment')}"
        return Table("groups", caption, columns, tuple(rows), tuple(notes))

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
    """How many rates there are, their mean and their standard deviation."""
    return len(rates), fmean(rates), stdev(rates) if len(rates) > 1 else float("nan")


def group_name(experiment: Experiment) -> str:
    """What a group of a set is called in tables."""
    return f"{experiment.set}: {experiment.group}"


def pool_by_group(results: Sequence[ExperimentResult]) -> dict[str, list[PerformanceCurve]]:
    """Curves of each group, and of all."""
    found: dict[str, list[PerformanceCurve]] = {"all": []}
    for result in results:
        found["all"].append(result.curve)
        found.setdefault(group_name(result.experiment), []).append(result.curve)
    return found
