"""Try to break fairtrial with very many damaged inputs; what breaks it is kept, and repeated by its seed.

python -m fuzzing.run --count 100000 --seed 0 --keep fuzz-failures
python -m fuzzing.run --again commands/0/17
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from fuzzing.keeping import Failure, keep
from fuzzing.targets import SHARES, TARGETS
from fuzzing.workers import Portion, Tally, try_all, try_portion

_SIZE = 100
"""Cases of a portion."""
_KEPT = 3
"""Failures of one fault that are kept."""
_COLUMNS = ("result", "refused", "traceback", "warning", "message", "misread", "hang", "died")


def portions(count: int, seed: int, names: Sequence[str], start: int = 0) -> Iterator[Portion]:
    """About `count` cases, shared out among targets, each with a seed of its own."""
    whole = sum(share for target, share in SHARES.items() if target.name in names)
    for target, share in SHARES.items():
        if target.name in names:
            number = -(-count * share // whole)
            seeds = [f"{target.name}/{seed}/{k}" for k in range(start, start + number)]
            for first in range(0, number, _SIZE):
                yield Portion(target.name, tuple(seeds[first : first + _SIZE]))


def table(tallies: Sequence[Tally]) -> str:
    """How cases ended, one row per target."""
    rows: list[tuple[str, ...]] = [("target", "cases", *_COLUMNS, "seconds")]
    sums: dict[str, Counter[str]] = {}
    times: Counter[str] = Counter()
    for tally in tallies:
        sums.setdefault(tally.target, Counter()).update(tally.ends)
        times[tally.target] += round(tally.seconds)
    for name, ends in sums.items():
        rows.append((name, str(ends.total()), *(str(ends[column]) for column in _COLUMNS), str(times[name])))
    every = sum(sums.values(), Counter[str]())
    rows.append(("all", str(every.total()), *(str(every[column]) for column in _COLUMNS), str(times.total())))
    return "\n".join("".join(f"{cell:>11}" for cell in row) for row in rows)


def _repeat(seed: str) -> int:
    target = TARGETS[seed.partition("/")[0]]
    with tempfile.TemporaryDirectory() as folder:
        tally = try_portion(Portion(target.name, (seed,)), Path(folder), set())
    for failure in tally.failures:
        print(failure.complaint.trace)
        print(f"{seed}: {failure.complaint}")
    print(target.make(seed).words, "failed" if tally.failures else "ended well")
    return int(bool(tally.failures))


def main() -> int:
    """Try all cases; 0 if all ended well."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=int, default=0, help="number of the first case of each target")
    parser.add_argument("--only", choices=TARGETS, action="append")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--keep", type=Path, default=Path("fuzz-failures"))
    parser.add_argument("--again", metavar="SEED", help="repeat one case")
    asked = parser.parse_args()
    if asked.again:
        return _repeat(asked.again)
    tallies: list[Tally] = []
    faults: dict[str, list[Failure]] = {}
    begin = time.monotonic()
    for tally in try_all(portions(asked.count, asked.seed, asked.only or list(TARGETS), asked.start), asked.workers):
        tallies.append(tally)
        for failure in tally.failures:
            same = faults.setdefault(f"{tally.target}: {failure.complaint.fault}", [])
            same.append(failure)
            if len(same) <= _KEPT:
                print(f"{failure.seed}: {failure.complaint}", flush=True)
                keep(failure, asked.keep)
        if sys.stderr.isatty():
            print(f"\r{sum(one.ends.total() for one in tallies)} cases", end="", file=sys.stderr)
    print(table(tallies))
    for fault, failures in faults.items():
        print(f"{len(failures):6d} x {fault}")
    print(f"seed {asked.seed}, {asked.workers} workers, {time.monotonic() - begin:.0f} s")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
