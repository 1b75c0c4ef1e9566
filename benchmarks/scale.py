"""Exact curves of files that need not fit in memory, against reading them, Polars, DuckDB and bob.measure.

``python benchmarks/scale.py [SIZE ...]`` makes Parquet files of float32 scores, half dev and half test, with one
system and with four; measures each tool in a clean process, one after the other; and deletes the files. The peers live
in the environment of ``make bench``. The exact answer needs the number of genuine and impostor scores up to every
distinct score: in Polars and DuckDB one groups by score and class, sorts and cumulates, and that alone is timed.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PEERS = HERE / ".venv" / "bin" / "python"
SIZES = (10**7, 10**8, 3 * 10**8, 10**9)
SYSTEMS = (1, 4)
LARGEST = {"polars": 3 * 10**8, "duckdb": 10**8, "bob": 10**7}
"""The largest size at which a tool is run: beyond it takes too long, or more memory than there is."""

MAKE = """
import sys, numpy as np, pyarrow as pa, pyarrow.parquet as pq
path, rows, systems, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
rng, at_once = np.random.default_rng(seed), 1 << 20
fields = [("label", pa.bool_())] + [(f"s{k}", pa.float32()) for k in range(systems)]
with pq.ParquetWriter(path, pa.schema(fields), use_dictionary=False, compression="none") as writer:
    for start in range(0, rows, at_once):
        size = min(at_once, rows - start)
        genuine = rng.random(size, dtype=np.float32) < 0.1
        scores = [rng.standard_normal(size, dtype=np.float32) + np.float32(4) * genuine for _ in range(systems)]
        writer.write_table(pa.table([genuine, *scores], schema=pa.schema(fields)))
"""

TIMED = """
import json, resource, sys, time
dev, test = sys.argv[1:3]
def report(start, **more):
    took = time.perf_counter() - start
    print(json.dumps({"s": took, "GB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6, **more}))
"""

READ = (
    TIMED
    + """
import os
from concurrent.futures import ThreadPoolExecutor
import pyarrow.parquet as pq
passes = [dev] * int(sys.argv[3]) + [test] * int(sys.argv[4])
def read(task):
    pq.ParquetFile(task[0]).read_row_group(task[1], use_threads=False)
start = time.perf_counter()
with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as threads:
    for path in passes:
        list(threads.map(read, [(path, k) for k in range(pq.ParquetFile(path).num_row_groups)]))
report(start)
"""
)

OURS = (
    TIMED
    + """
from functools import partial
import fairtrial as ft
from fairtrial.counting.pieces import answer_together
start = time.perf_counter()
sets = [ft.open_trials(path) for path in (dev, test)]
curves = answer_together([partial(ft.performance_curve, *sets, system=name) for name in sets[0].systems])
first = curves[0]
report(start, passes=[own.passes for own in sets], threshold=first.threshold[50], hter=first.hter[50])
"""
)

POLARS = (
    TIMED
    + """
import polars as pl
start = time.perf_counter()
systems = [name for name in pl.scan_parquet(dev).collect_schema().names() if name != "label"]
for path in (dev, test):
    for name in systems:
        found = (
            pl.scan_parquet(path)
            .group_by(name)
            .agg(pl.col("label").sum().alias("genuine"), pl.len().alias("all"))
            .sort(name)
            .with_columns(pl.col("genuine").cum_sum(), pl.col("all").cum_sum())
            .collect(engine="streaming")
        )
        del found
report(start)
"""
)

DUCKDB = (
    TIMED
    + """
import duckdb
start = time.perf_counter()
base = duckdb.connect()
systems = [row[0] for row in base.sql(f"describe select * from '{dev}'").fetchall() if row[0] != "label"]
for path in (dev, test):
    for name in systems:
        base.sql(
            f"create or replace temp table found as select {name}, sum(genuine) over w as g, sum(everyone) over w as n "
            f"from (select {name}, count(*) filter (label) as genuine, count(*) as everyone from '{path}' "
            f"group by {name}) window w as (order by {name})"
        )
report(start)
"""
)

BOB = (
    TIMED
    + """
import numpy as np, polars as pl
from bob.measure import epc
start = time.perf_counter()
split = []
for path in (dev, test):
    table = pl.read_parquet(path)
    label, scores = table["label"].to_numpy(), table["s0"].to_numpy().astype(np.float64)
    split += [scores[~label], scores[label]]
epc(*split, 101)
report(start)
"""
)


def run(python: str, code: str, *given: object) -> dict[str, object] | None:
    """What a tool reports of itself, in a process of its own; None where it fails."""
    done = subprocess.run([python, "-c", code, *map(str, given)], capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"failed: {done.stderr.strip().splitlines()[-1] if done.stderr.strip() else done.returncode}")
        return None
    return json.loads(done.stdout.splitlines()[-1]) if done.stdout.strip() else {}


def measure(size: int, systems: int, folder: Path) -> None:
    """Make the files, run all tools on them, and print one line for each."""
    files = [folder / f"{name}.parquet" for name in ("dev", "test")]
    for seed, file in enumerate(files):
        run(sys.executable, MAKE, file, size // 2, systems, seed)
    ours = run(sys.executable, OURS, *files)
    assert ours is not None
    passes = ours["passes"]
    assert isinstance(passes, list)
    found = {"reading alone": run(sys.executable, READ, *files, *passes), "fairtrial": ours}
    for name, python, code in (("polars", PEERS, POLARS), ("duckdb", PEERS, DUCKDB), ("bob", PEERS, BOB)):
        if size <= LARGEST[name] and not (name == "bob" and systems > 1):
            found[name] = run(str(python), code, *files)
    for name, own in found.items():
        if own is not None:
            took, memory = own["s"], own["GB"]
            assert isinstance(took, float)
            ratio = took / float(str(ours["s"]))
            print(f"| {size:.0e} | {systems} | {name} | {took:.2f} | {memory:.2f} | {ratio:.2f} |", flush=True)
    print(f"  passes over dev and test: {passes}", flush=True)
    for file in files:
        file.unlink()


def main() -> None:
    if not PEERS.exists():
        sys.exit("the peers' environment is not there yet: run make bench once")
    sizes = [int(float(word)) for word in sys.argv[1:]] or SIZES
    print("| scores | systems | tool | s | GB at most | times ours |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(dir=HERE) as folder:
        for size in sizes:
            for systems in SYSTEMS:
                room = shutil.disk_usage(folder).free
                if size * (4 * systems + 1) > room // 2:
                    print(f"{size:.0e} scores of {systems} systems do not fit on this disk")
                    continue
                measure(size, systems, Path(folder))


if __name__ == "__main__":
    main()
