"""How fast a Counter takes scores, and how long it takes to merge many saved ones.

``python benchmarks/counter.py [SCORES] [PARTS] [SCORES_PER_PART]`` prints both, with the processor time beside the
time on the clock: on a busy machine only the first tells what the work costs.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import fairtrial as ft

SIZES = (10**6, 10**7)


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds on the clock and of all processors."""
    clock, processors = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - clock, time.process_time() - processors


def draw(seed: int, size: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    genuine = rng.random(size) < 0.1
    return rng.normal(size=size) + 4.65 * genuine, genuine


def feed(scores: np.ndarray, genuine: np.ndarray, times: int, size: int) -> ft.Counter:
    counter = ft.Counter()
    for _ in range(times):
        for begin in range(0, len(scores), size):
            counter.update(scores[begin : begin + size], genuine[begin : begin + size])
    counter.cells()
    return counter


def main() -> None:
    given = [int(float(word)) for word in sys.argv[1:4]]
    total, parts, each = [*given, *(10**8, 10**3, 10**5)[len(given) :]]
    drawn, genuine = draw(0, 10**7)
    for kind in (np.float64, np.float32):
        scores = drawn.astype(kind)
        for size in SIZES:
            clock, processors = timed(lambda scores=scores, size=size: feed(scores, genuine, total // 10**7, size))
            print(
                f"{total:,} scores of {kind.__name__} in arrays of {size:,}: {total / clock / 1e6:.1f} million a "
                f"second on the clock, {processors / total * 1e9:.1f} ns of a processor each"
            )
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{k}.ftc" for k in range(parts)]
        whole = ft.Counter()
        for k, path in enumerate(paths):
            data = draw(k, each)
            part = ft.Counter()
            part.update(*data)
            part.save(path)
            whole.update(*data)
        merged: list[ft.Counter] = []
        clock, processors = timed(lambda: merged.append(ft.counting.load_counters(paths)))
        print(
            f"{parts:,} parts of {each:,} scores, {sum(path.stat().st_size for path in paths) / 1e6:.0f} MB, merged in "
            f"{clock:.1f} s on the clock, {processors:.1f} s of processors; same as one pass: {merged[0] == whole}"
        )


if __name__ == "__main__":
    main()
