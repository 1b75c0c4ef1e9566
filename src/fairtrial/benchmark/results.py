"""What a benchmark gives: experiments, baselines, pooled curves; and tables of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairtrial.benchmark.protocols import Experiment
from fairtrial.benchmark.tables import latex_rows, markdown_rows, markdown_text
from fairtrial.counting.errors import ErrorCounts
from fairtrial.display import html_table, limits, percent
from fairtrial.epc import PerformanceCurve
from fairtrial.fusion import FusedScores
from fairtrial.fusion.gain import mean_gain
from fairtrial.intervals.rates import RateInterval
from fairtrial.rules.criteria import Criterion
from fairtrial.significance.results import TestResult


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


@dataclass(frozen=True, slots=True, eq=False)
class BenchmarkResult:
    """All experiments of a protocol by one fusion method."""

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
    """Pooled curves by set and group; `all` is that of all experiments."""
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
            "alpha": self.alpha,
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

    def _repr_html_(self) -> str:
        rows = [
            (
                group_name(e.experiment),
                " + ".join(e.experiment.systems),
                percent(float(e.counts.hter)),
                limits(*e.interval.interval),
                f"{e.beta_min:.2f}",
                f"{e.p_adjusted:.3g}",
            )
            for e in self.experiments
        ]
        return html_table(_caption(self), ("group", "fused", "HTER", "interval", "beta min", "p (Holm)"), rows)

    def groups(self) -> Iterator[tuple[str, list[ExperimentResult]]]:
        """Experiments by set and group, as in Table 2 of Poh & Bengio 2006."""
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


def table_columns(result: BenchmarkResult) -> dict[str, list[Any]]:
    """One row an experiment, for files; each says where it comes from and whether its scores are synthetic."""
    run = {
        "benchmark": result.benchmark,
        "synthetic": result.synthetic,
        "protocol": result.protocol,
        "fusion": result.fusion,
        "normalise": result.normalise,
    }
    rows = [run | _row(experiment) for experiment in result.experiments]
    return {name: [row[name] for row in rows] for name in rows[0]}


def _row(result: ExperimentResult) -> dict[str, Any]:
    return {
        "set": result.experiment.set,
        "split": result.experiment.split,
        "group": result.experiment.group,
        "systems": " + ".join(result.experiment.systems),
        "hter": float(result.counts.hter),
        "low": result.interval.low,
        "high": result.interval.high,
        "far": float(result.counts.far),
        "frr": float(result.counts.frr),
        "beta_mean": result.beta_mean,
        "beta_min": result.beta_min,
        "best": result.best,
        "p_value": result.test.p_value,
        "p_adjusted": result.p_adjusted,
    }


def markdown_table(result: BenchmarkResult) -> str:
    """Tables by group, as Markdown."""
    parts = [f"# {markdown_text(_caption(result))}"]
    for name, results in result.groups():
        interval = f"{_confidence(results)} % interval"
        head = ["No.", "Fusion candidates", "HTER %", interval, "FAR %", "FRR %", "beta_mean", "beta_min", "p (Holm)"]
        rows = [_cells(k, each) for k, each in enumerate(results, 1)]
        parts.append("\n".join([f"## {markdown_text(name)}", "", *markdown_rows(head, rows)]))
    return "\n\n".join(parts) + "\n"


def latex_table(result: BenchmarkResult) -> str:
    """Tables by group, as LaTeX."""
    parts = [f"% {_caption(result)}"]
    for name, results in result.groups():
        interval = f"{_confidence(results)} \\% interval"
        rates = ["HTER \\%", interval, "FAR \\%", "FRR \\%"]
        head = ["No.", "Fusion candidates", *rates, "$\\beta_{mean}$", "$\\beta_{min}$", "$p$ (Holm)"]
        rows = [_cells(k, each) for k, each in enumerate(results, 1)]
        parts.append("\n".join(latex_rows(f"{name}, {_caption(result)}", "rlrrrrrrr", head, rows)))
    return "\n\n".join(parts) + "\n"


def _caption(result: BenchmarkResult) -> str:
    made_up = " (synthetic scores)" if result.synthetic else ""
    name = " ".join(result.benchmark.split())
    return f"{name}{made_up}, {result.protocol}, {result.fusion}, normalisation {result.normalise}, a priori"


def _confidence(results: Sequence[ExperimentResult]) -> str:
    return f"{100 * results[0].interval.confidence:g}"


def _cells(number: int, result: ExperimentResult) -> list[str]:
    split = "" if result.experiment.split is None else f" (split {result.experiment.split})"
    return [
        str(number),
        " + ".join(result.experiment.systems) + split,
        f"{100 * result.counts.hter:.3f}",
        f"{100 * result.interval.low:.3f} to {100 * result.interval.high:.3f}",
        f"{100 * result.counts.far:.3f}",
        f"{100 * result.counts.frr:.3f}",
        f"{result.beta_mean:.2f}",
        f"{result.beta_min:.2f}",
        f"{result.p_adjusted:.3g}",
    ]


def pool_by_group(results: Sequence[ExperimentResult]) -> dict[str, list[PerformanceCurve]]:
    """Curves of each group, and of all."""
    found: dict[str, list[PerformanceCurve]] = {"all": []}
    for result in results:
        found["all"].append(result.curve)
        found.setdefault(group_name(result.experiment), []).append(result.curve)
    return found
