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
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

Task: TypeAlias = tuple[tuple[str, ...], Callable[..., float | None]]
"""The files it needs, and what to do with them; the value tells whether tools agree."""

DEV = ("dev_genuine.npy", "dev_impostor.npy")
DEV_AND_TEST = (*DEV, "test_genuine.npy", "test_impostor.npy")
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
    start = time.perf_counter()
    value = work(*inputs)
    return {"seconds": time.perf_counter() - start, "value": value}


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
    if files[0].endswith(".npy"):
        # imports and compilation are no part of what the scores cost; loading must come after them
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


def _pair(genuine: Any, impostor: Any) -> Any:
    """Two systems on the same trials: the scores, and the scores with noise."""
    from fairtrial import Trials
    from fairtrial.significance.paired import pair_systems

    if "pair" not in _made:
        scores = np.concatenate([genuine, impostor])
        other = scores + np.random.default_rng(0).normal(0, 0.5, len(scores))
        labels = np.repeat([True, False], [len(genuine), len(impostor)])
        trials = Trials.from_arrays(np.stack([scores, other], axis=1), labels, systems=["a", "b"])
        _made["pair"] = pair_systems(trials, "a", "b", 1.0, 1.0)
    return _made["pair"]


def bootstrap_pair(genuine: Any, impostor: Any) -> None:
    from fairtrial.significance.paired import bootstrap_difference

    bootstrap_difference(_pair(genuine, impostor), n_resamples=10_000).interval()


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
    """Simultaneous bands around two curves."""
    from fairtrial import Trials, curve_band, performance_curve

    if "curves" not in _made:
        sets = []
        for genuine, impostor in ((dev_genuine, dev_impostor), (test_genuine, test_impostor)):
            scores = np.concatenate([genuine, impostor])
            other = scores + np.random.default_rng(0).normal(0, 0.5, len(scores))
            labels = np.repeat([True, False], [len(genuine), len(impostor)])
            sets.append(Trials.from_arrays(np.stack([scores, other], axis=1), labels, systems=["a", "b"]))
        curves = [performance_curve(sets[0], sets[1], system=system) for system in ("a", "b")]
        _made["curves"] = sets[1], curves
    test, curves = _made["curves"]
    for curve in curves:
        curve_band(curve, test, system=curve.system, kind="simultaneous", n_resamples=10_000)


def bootstrap_eer(genuine: Any, impostor: Any) -> None:
    from fairtrial import Trials
    from fairtrial.intervals.resampled import bootstrap_eer as resample

    labels = np.repeat([True, False], [len(genuine), len(impostor)])
    resample(Trials.from_arrays(np.concatenate([genuine, impostor]), labels), n_resamples=1000).interval()


def sklearn_eer(labels: Any, scores: Any) -> float:
    from sklearn.metrics import det_curve

    far, frr, _ = det_curve(labels, scores)
    nearest = np.argmin(np.abs(far - frr))
    return float(far[nearest] + frr[nearest]) / 2


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
            "sklearn-eer": (("dev_labels.npy", "dev.npy"), sklearn_eer),
        }
    )
