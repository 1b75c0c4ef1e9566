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
            "sort": (("dev.npy",), sort),
            "sklearn-eer": (("dev_labels.npy", "dev.npy"), sklearn_eer),
        }
    )
