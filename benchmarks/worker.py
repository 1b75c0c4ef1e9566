"""Runs one task in a clean process and says how long it took, or how much memory.

Run as ``worker.py time TASK FOLDER``: it loads the task's files, warms up, prints a line, and then runs the
task once for each line it reads. Or as ``worker.py memory TASK FOLDER``: it runs the task once.

The tasks here are those of the project's own environment. Their imports are their own, since the peers'
environment uses this file too.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

Task: TypeAlias = tuple[tuple[str, ...], Callable[..., float | None]]
"""The files it needs, and what to do with them; the value tells whether tools agree."""

DEV = ("dev_genuine.npy", "dev_impostor.npy")
DEV_AND_TEST = (*DEV, "test_genuine.npy", "test_impostor.npy")
LABELLED = ("dev_labels.npy", "dev.npy")
DTYPES = ("float64", "float32")
_PEAK_UNIT = 1 if sys.platform == "darwin" else 1024


def load(folder: Path, names: tuple[str, ...], limit: int | None = None) -> list[Any]:
    """Arrays, or their first `limit` numbers; other files stay paths."""
    paths = [folder / name for name in names]
    if limit is None:
        return [np.load(path) if path.suffix == ".npy" else path for path in paths]
    return [np.load(path, mmap_mode="r")[:limit].copy() for path in paths if path.suffix == ".npy"]


def peak() -> int:
    """The most memory this process has had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _PEAK_UNIT


def run_once(work: Callable[..., float | None], inputs: list[Any]) -> dict[str, Any]:
    start, used = time.perf_counter(), time.process_time()
    value = work(*inputs)
    return {"seconds": time.perf_counter() - start, "processor": time.process_time() - used, "value": value}


def prepare() -> None:
    """Let compiled passes be loaded at once: numba takes memory that has nothing to do with the number of scores."""
    with suppress(ImportError):  # a peer
        from fairtrial.counting import kernels

        kernels._WORTH_LOADING = 0


def serve(tasks: dict[str, Task]) -> None:
    """Do as the command line says."""
    mode, name, folder = sys.argv[1:]
    answers, sys.stdout = sys.stdout, sys.stderr  # what a tool prints is no answer
    files, work = tasks[name]
    if mode == "time":
        inputs = load(Path(folder), files)
        work(*inputs)
        print("ready", file=answers, flush=True)
        for _ in sys.stdin:
            print(json.dumps(run_once(work, inputs)), file=answers, flush=True)
        return
    if files and files[0].endswith(".npy"):
        # imports and compilation are no part of what the scores cost; loading must come after them
        prepare()
        work(*load(Path(folder), files, limit=100_000))
    inputs = load(Path(folder), files)
    size = sum(value.nbytes for value in inputs if isinstance(value, np.ndarray))
    before = peak()
    result = run_once(work, inputs)
    print(json.dumps({**result, "input": size, "extra": peak() - before, "peak": peak()}), file=answers, flush=True)


def epc(dev_genuine: Any, dev_impostor: Any, test_genuine: Any, test_impostor: Any) -> float:
    from fairtrial import performance_curve

    return performance_curve((dev_genuine, dev_impostor), (test_genuine, test_impostor)).mean()


def eer(genuine: Any, impostor: Any) -> float:
    from fairtrial import equal_error_rate

    return equal_error_rate((genuine, impostor)).value


def read(path: Path) -> float:
    from fairtrial import read_trials

    return float(np.sum(read_trials(path).scores))


def sort(scores: Any) -> None:
    np.sort(scores)


_made: dict[str, Any] = {}
"""What a task works on is made in the warm-up and is no part of its time."""


def largest(dtype: str, labels: Any, scores: Any) -> None:
    if dtype not in _made:
        _made[dtype] = scores.astype(dtype)
    np.max(_made[dtype])


def one_pass(name: str, dtype: str, labels: Any, scores: Any) -> None:
    """One compiled pass over scores with a mask of genuine ones, by as many threads as the package takes."""
    from fairtrial.counting import kernels as passes
    from fairtrial.counting import search
    from fairtrial.counting.kernels import fit_cells
    from fairtrial.counting.tallies import ArraySource, rank_tally

    if "pass" not in _made:
        passes._WORTH_LOADING = 0
        cells = fit_cells(scores[:: len(scores) // (1 << 14)], 1 << (18 if name == "many cells" else 13))
        chosen = np.random.default_rng(0).random(cells.count) < 0.03
        tally: Any = {
            "cells": search.CellTally(cells),
            "many cells": search.CellTally(cells),
            "gathering": search.GatherTally(cells, chosen),
            "ranks": rank_tally(np.linspace(-1, 4, 101)),
        }[name]
        genuine = int(np.count_nonzero(labels))
        source = ArraySource(((scores.astype(dtype), labels),), genuine, len(labels) - genuine)
        _made["pass"] = source, tally
    source, tally = _made["pass"]
    source.tally(tally)


def _pair(genuine: Any, impostor: Any) -> Any:
    """Two systems on the same trials: the scores, and the scores with noise."""
    from fairtrial import Trials
    from fairtrial.evaluation.paired_tests import pair_judgements
    from fairtrial.inference import TrialSets, judge_at

    if "pair" not in _made:
        scores = np.concatenate([genuine, impostor])
        other = scores + np.random.default_rng(0).normal(0, 0.5, len(scores))
        labels = np.repeat([True, False], [len(genuine), len(impostor)])
        trials = Trials.from_arrays(np.stack([scores, other], axis=1), labels, systems=["a", "b"])
        sets = TrialSets(None, trials)
        _made["pair"] = pair_judgements(*(judge_at(sets, 1.0, system=name) for name in trials.systems))
    return _made["pair"]


def bootstrap_pair(genuine: Any, impostor: Any) -> None:
    from fairtrial import MEASURES
    from fairtrial.evaluation.paired_tests import bootstrap_difference

    bootstrap_difference(_pair(genuine, impostor), measure=MEASURES["hter"], n_resamples=10_000).interval()


def scipy_pair(genuine: Any, impostor: Any) -> None:
    """A hundredth of the resamples, of the same differences."""
    from scipy import stats

    pair = _pair(genuine, impostor)
    difference = pair.wrong_a.astype(np.float64) - pair.wrong_b
    parts = difference[pair.trials.genuine], difference[~pair.trials.genuine]
    stats.bootstrap(
        parts,
        lambda g, i, axis=-1: (g.mean(axis=axis) + i.mean(axis=axis)) / 2,
        n_resamples=100,
        method="percentile",
        batch=10,
    )


def bands(dev_genuine: Any, dev_impostor: Any, test_genuine: Any, test_impostor: Any) -> None:
    """Simultaneous bands around two curves, thresholds re-estimated."""
    from fairtrial import Trials, performance_curve
    from fairtrial.evaluation import curve_band

    if "curves" not in _made:
        sets = []
        for genuine, impostor in ((dev_genuine, dev_impostor), (test_genuine, test_impostor)):
            scores = np.concatenate([genuine, impostor])
            other = scores + np.random.default_rng(0).normal(0, 0.5, len(scores))
            labels = np.repeat([True, False], [len(genuine), len(impostor)])
            sets.append(Trials.from_arrays(np.stack([scores, other], axis=1), labels, systems=["a", "b"]))
        _made["curves"] = [performance_curve(sets[0], sets[1], system=system) for system in ("a", "b")]
    for curve in _made["curves"]:
        # a judgement of its own each time: it keeps what it found out about its thresholds
        judgement = replace(curve.judged(), sets=replace(curve.judged().sets))
        curve_band(replace(curve, judgement=judgement), kind="simultaneous")


def bootstrap_eer(genuine: Any, impostor: Any) -> None:
    from fairtrial import Trials
    from fairtrial.evaluation.roc import bootstrap_eer as resample

    labels = np.repeat([True, False], [len(genuine), len(impostor)])
    resample(Trials.from_arrays(np.concatenate([genuine, impostor]), labels), n_resamples=1000).interval()


def sklearn_eer(labels: Any, scores: Any) -> float:
    from sklearn.metrics import det_curve

    far, frr, _ = det_curve(labels, scores)
    nearest = np.argmin(np.abs(far - frr))
    return float(far[nearest] + frr[nearest]) / 2


def coverage(cells: Any) -> float:
    return _coverage(cells, None)


def coverage_alone(cells: Any) -> float:
    return _coverage(cells, 1)


def coverage_of_some(cells: Any) -> None:
    """No value: other cells cover otherwise."""
    _coverage(cells, 1)


def _coverage(cells: Any, workers: int | None) -> float:
    """The mean coverage of six methods in these cells, 1000 data sets and 1000 resamples."""
    from fairtrial.repeated import Cell, coverage_study

    listed = [Cell(int(n), int(m), pi, rho) for n, m, pi, rho in cells]
    return float(np.mean([row.coverage for row in coverage_study(listed, workers=workers).rows]))


def plain_coverage(cells: Any) -> float:
    """The same as one would write it down: data sets as histograms, replicates drawn from each kind of people."""
    rng = np.random.default_rng(0)
    return float(np.mean([_plain_cell(int(n), int(m), pi, rho, rng) for n, m, pi, rho in cells]))


def _plain_cell(n: int, m: int, pi: float, rho: float, rng: np.random.Generator) -> list[float]:
    from scipy.stats import binom

    errors = np.arange(m + 1)
    own = np.sqrt(rho)
    pmf = pi * binom.pmf(errors, m, own + (1 - own) * pi) + (1 - pi) * binom.pmf(errors, m, (1 - own) * pi)
    people = rng.multinomial(n, pmf / pmf.sum(), size=1000)
    rates = errors / m
    estimate = people @ rates / n
    between = m * (people @ rates**2 - n * estimate**2) / (n - 1)
    within = people @ (m * rates * (1 - rates)) / (n * (m - 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        correlation = np.nan_to_num((between - within) / (between + (m - 1) * within))
        sigma = np.sqrt(np.maximum(estimate * (1 - estimate) * (1 + (m - 1) * correlation), 0) / (n * m))
        logit = np.log(estimate / (1 - estimate))
        reach = 1.96 * sigma / (estimate * (1 - estimate))
        by_logit = [1 / (1 + np.exp(-(logit + side * reach))) for side in (-1, 1)]
    spread = np.sqrt(np.maximum(between, 0) / (m * n))
    limits = [
        [0.7 * estimate, 1.3 * estimate],
        [estimate - 1.96 * spread, estimate + 1.96 * spread],
        [estimate - 1.96 * sigma, estimate + 1.96 * sigma],
        by_logit,
    ]
    for draws in (m, 1):
        replicates = np.zeros((1000, 1000), dtype=np.int64)
        for k in errors[1:]:
            rows = np.flatnonzero(people[:, k])
            replicates[rows] += rng.binomial(draws * people[rows, k, None], k / m, size=(len(rows), 1000))
        replicates.partition([24, 974], axis=1)
        limits.append([replicates[:, 24] / (n * draws), replicates[:, 974] / (n * draws)])
    return [float(np.mean((low <= pi + 1e-12) & (high >= pi - 1e-12))) for low, high in limits]


def make_lausanne() -> None:
    from fairtrial.benchmark.lausanne import load_lausanne

    # a seed of its own each time: what was made before would be given again
    load_lausanne(time.monotonic_ns() % 2**32)


def fuse_all(fusion: str, workers: int = 1) -> float:
    """The mean HTER over the 273 experiments of FP-full."""
    from fairtrial import run_benchmark
    from fairtrial.benchmark import load_lausanne

    result = run_benchmark(load_lausanne(), protocol="fp-full", fusions=fusion, workers=workers)
    return float(np.mean([float(each.counts.hter) for each in result.experiments]))


@lru_cache
def _kept_run() -> Any:
    from fairtrial import run_benchmark
    from fairtrial.benchmark import load_lausanne

    return run_benchmark(load_lausanne(), keep_scores=True)


def page() -> float:
    """The page of the 32 experiments of FP-2, which are run before; its size in bytes."""
    from fairtrial.pages import page_of
    from fairtrial.pages.page import Repeat, render

    return float(len(render(page_of(_kept_run(), Repeat("", {}))).encode()))


if __name__ == "__main__":
    serve(
        {
            "epc": (DEV_AND_TEST, epc),
            "eer": (DEV, eer),
            "read": (("dev.txt",), read),
            "bootstrap-pair": (("test_genuine.npy", "test_impostor.npy"), bootstrap_pair),
            "scipy-pair": (("test_genuine.npy", "test_impostor.npy"), scipy_pair),
            "bands": (DEV_AND_TEST, bands),
            "bootstrap-eer": (DEV, bootstrap_eer),
            "sort": (("dev.npy",), sort),
            **{f"max-{dtype}": (LABELLED, partial(largest, dtype)) for dtype in DTYPES},
            **{
                f"{name}-{dtype}": (LABELLED, partial(one_pass, name, dtype))
                for name in ("cells", "many cells", "ranks", "gathering")
                for dtype in DTYPES
            },
            "sklearn-eer": (LABELLED, sklearn_eer),
            "coverage": (("cells.npy",), coverage),
            "coverage-few": (("cells_few.npy",), coverage_alone),
            "coverage-fewest": (("cells_fewest.npy",), coverage_of_some),
            "coverage-most": (("cells_most.npy",), coverage_of_some),
            "plain-coverage": (("cells_few.npy",), plain_coverage),
            "lausanne": ((), make_lausanne),
            "fuse-mean": ((), lambda: fuse_all("mean")),
            "fuse-logistic": ((), lambda: fuse_all("logistic", 2)),
            "fuse-logistic-alone": ((), lambda: fuse_all("logistic")),
            "page": ((), page),
        }
    )
