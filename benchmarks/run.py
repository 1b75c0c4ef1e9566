"""Measures fairtrial against its peers, on the same scores and files, in one run.

The peers live in an environment of their own, made on first use from peers.txt. Every tool runs in a clean
process; those compared take turns. A full run writes results.md and results.json; ``--job NAME --merge`` puts the rows
of one job into them.
"""

from __future__ import annotations

import argparse
import json
import operator
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

HERE = Path(__file__).resolve().parent
OWN = Path(sys.executable)
PEERS = HERE / ".venv" / "bin" / "python"
COMPARE = {">=": operator.ge, ">": operator.gt, "<=": operator.le, "<": operator.lt}
BUDGET = 20.0
"""Seconds after which a tool is not run again."""
NAMED = (
    "fairtrial",
    "numpy",
    "scipy",
    "pyarrow",
    "scikit-learn",
    "bob.measure",
    "bob.bio.base",
    "numba",
    "pyeer",
    "confidence-intervals",
)


@dataclass(frozen=True)
class Row:
    """One comparison. The ratio says how many times less ours takes than the peer."""

    job: str
    unit: Literal["s", "x input", "GB"]
    ours: float
    peer: str
    theirs: float | None
    target: str
    """Such as ``ratio >= 20`` or ``ours <= 1.5``."""
    runs: str

    @property
    def ratio(self) -> float | None:
        return None if self.theirs is None else self.theirs / self.ours

    @property
    def met(self) -> bool | None:
        if not self.target:
            return None
        what, sign, value = self.target.split()
        number = self.ours if what == "ours" else self.ratio
        assert number is not None
        return bool(COMPARE[sign](number, float(value)))

    def cells(self) -> list[str]:
        def show(number: float | None) -> str:
            if number is None:
                return ""
            return f"{number:,.0f} {self.unit}" if number >= 1000 else f"{number:.3g} {self.unit}"

        ratio = "" if self.ratio is None else f"{self.ratio:.3g}"
        met = {None: "", True: "yes", False: "NO"}[self.met]
        return [self.job, show(self.ours), self.peer, show(self.theirs), ratio, self.target, met, self.runs]


HEADER = ["job", "ours", "peer", "peer's", "ratio", "target", "met", "runs"]


@dataclass(frozen=True)
class Timing:
    seconds: list[float]
    value: float | None = None
    processor: list[float] = field(default_factory=list)
    """Seconds of all processors together: what other programs on the machine disturb least."""


class Worker:
    """A process that has loaded a task's files and warmed up, and runs it when told."""

    def __init__(self, where: Path, task: str, folder: Path) -> None:
        self.process = subprocess.Popen(
            _worker(where, "time", task, folder), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=_env()
        )
        self._answer()

    def run(self) -> Any:
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return json.loads(self._answer())

    def close(self) -> None:
        self.process.communicate()

    def _answer(self) -> str:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"a worker failed: {self.process.args!r}")
        return line


def _worker(where: Path, *arguments: object) -> list[str]:
    script = HERE / ("worker.py" if where == OWN else "peer_worker.py")
    return [str(part) for part in (where, script, *arguments)]


def _env() -> dict[str, str]:
    return {**os.environ, "PYTHONWARNINGS": "ignore"}


def take_turns(tools: dict[str, tuple[Path, str]], folder: Path, repeats: int) -> dict[str, Timing]:
    """Run each tool up to `repeats` times, in turn; `tools` says the environment and the task of each."""
    workers = {name: Worker(*tool, folder) for name, tool in tools.items()}
    answers: dict[str, list[Any]] = {name: [] for name in tools}
    for _ in range(repeats):
        for name, worker in workers.items():
            if sum(answer["seconds"] for answer in answers[name]) < BUDGET:
                answers[name].append(worker.run())
    for worker in workers.values():
        worker.close()
    timings = {
        name: Timing(
            [answer["seconds"] for answer in given], given[0]["value"], [answer["processor"] for answer in given]
        )
        for name, given in answers.items()
    }
    _check_agreement(timings)
    return timings


def _check_agreement(timings: dict[str, Timing]) -> None:
    values = {name: timing.value for name, timing in timings.items() if timing.value is not None}
    if len(values) > 1 and max(values.values()) > 1.01 * min(values.values()):
        say(f"the tools do not agree: {values}")


def memory(where: Path, task: str, folder: Path) -> Any:
    """The memory of a task run once in a fresh process."""
    command = _worker(where, "memory", task, folder)
    done = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, env=_env())
    return json.loads(done.stdout)


def time_commands(commands: dict[str, list[str]], repeats: int) -> dict[str, Timing]:
    """Run commands in turn, once to warm up and then `repeats` times."""
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    for turn in range(repeats + 1):
        for name, command in commands.items():
            start = time.perf_counter()
            done = subprocess.run(command, capture_output=True, text=True, env=_env())
            if done.returncode:
                raise RuntimeError(f"{' '.join(command)}\n{done.stderr}")
            if turn:
                seconds[name].append(time.perf_counter() - start)
    return {name: Timing(found) for name, found in seconds.items()}


def speed_rows(
    job: str, timings: dict[str, Timing], targets: dict[str, str], statistic: Literal["best", "median"]
) -> list[Row]:
    """Ours, the first, against each of the others."""
    summary: Callable[[Sequence[float]], float] = min if statistic == "best" else statistics.median
    (_, ours), *others = timings.items()
    return [
        Row(
            job,
            "s",
            summary(ours.seconds),
            name,
            summary(theirs.seconds),
            targets.get(name, ""),
            f"{statistic} of {len(ours.seconds)} / {len(theirs.seconds)}",
        )
        for name, theirs in others
    ]


def by_processor(timings: dict[str, Timing]) -> dict[str, Timing]:
    """The same runs, with the processor's time in place of the clock's."""
    return {name: Timing(timing.processor) for name, timing in timings.items()}


def say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


def amount(count: int) -> str:
    return f"{count / 1e6:g} M" if count >= 1e6 else f"{count / 1e3:g} k"


def make_data(folder: Path, kind: str, *arguments: object) -> None:
    subprocess.run([str(part) for part in (OWN, HERE / "data.py", kind, folder, *arguments)], check=True)


FAIRTRIAL_EPC = {"fairtrial": (OWN, "epc")}
SORT = {"np.sort of dev": (OWN, "sort")}
FASTER_THAN_SORT = {"np.sort of dev": "ratio > 1"}
PASSES = {
    "cells": "one pass, 8 k cells",
    "many cells": "one pass, 262 k cells",
    "ranks": "one pass, 101 thresholds",
    "gathering": "one pass, 3 % gathered",
}


def epc(folder: Path, size: int) -> list[Row]:
    """EPC of many scores, and of scores of other shapes."""
    rows = []
    shapes = {"normal": (1, 10), "wide": (5.5, 5.5), "saturated": (1, 10), "integers": (1, 10), "log-normal": (1, 10)}
    for shape, (genuine, impostor) in shapes.items():
        make_data(folder, "scores", shape, int(genuine * size), int(impostor * size))
        tools = {**FAIRTRIAL_EPC, **({"bob.measure": (PEERS, "epc")} if shape == "normal" else {}), **SORT}
        timings = take_turns(tools, folder, 5)
        job = f"EPC, 101 points, {amount(11 * size)} + {amount(11 * size)}, {shape}"
        targets = {"bob.measure": "ratio >= 100", "np.sort of dev": "ratio >= 3"}
        rows += speed_rows(job, timings, targets if shape == "normal" else FASTER_THAN_SORT, "best")
        rows += speed_rows(f"{job}, processor time", by_processor(timings), {}, "best")
    return rows


def kernel(folder: Path, size: int) -> list[Row]:
    """One pass over scores with a mask, compiled, against the least that any pass can take."""
    make_data(folder, "scores", "normal", size, 10 * size)
    rows = []
    for dtype in ("float64", "float32"):
        for task, name in PASSES.items():
            timings = take_turns({"ours": (OWN, f"{task}-{dtype}"), "np.max": (OWN, f"max-{dtype}")}, folder, 25)
            job = f"{name}, {amount(11 * size)} {dtype}"
            rows += speed_rows(job, timings, {"np.max": "ratio >= 0.2"}, "best")
            rows += speed_rows(f"{job}, processor time", by_processor(timings), {}, "best")
    return rows


def epc_memory(folder: Path, size: int) -> list[Row]:
    """Peak memory of an EPC, the scores included, in multiples of the scores."""
    make_data(folder, "scores", "normal", size, 10 * size)
    ours, theirs = (_multiple(memory(where, "epc", folder)) for where in (OWN, PEERS))
    job = f"EPC, peak memory, {amount(11 * size)} + {amount(11 * size)}"
    return [Row(job, "x input", ours, "bob.measure", theirs, "ours <= 1.5", "one each")]


def _multiple(used: Any) -> float:
    return float((used["input"] + used["extra"]) / used["input"])


def eer(folder: Path, size: int) -> list[Row]:
    """EER of many scores, and its peak memory."""
    make_data(folder, "scores", "normal", size, 10 * size)
    tools = {
        "fairtrial": (OWN, "eer"),
        "bob.measure": (PEERS, "eer"),
        "scikit-learn": (OWN, "sklearn-eer"),
        "pyeer": (PEERS, "pyeer-eer"),
        **SORT,
    }
    targets = {"bob.measure": "ratio >= 20", **FASTER_THAN_SORT}
    rows = speed_rows(f"EER, {amount(11 * size)}", take_turns(tools, folder, 5), targets, "best")
    ours, theirs = (_multiple(memory(where, "eer", folder)) for where in (OWN, PEERS))
    job = f"EER, peak memory, {amount(11 * size)}"
    return [*rows, Row(job, "x input", ours, "bob.measure", theirs, "ours <= 1.5", "one each")]


def epc_xm2vts(folder: Path, size: int) -> list[Row]:
    """EPC of as many scores as XM2VTS has, where nothing but overhead counts; bob has one point less."""
    counts = [count * size // 1_000_000 for count in (600, 40_000, 400, 112_000)]
    make_data(folder, "scores", "normal", *counts)
    timings = take_turns({**FAIRTRIAL_EPC, "bob.measure, 100 points": (PEERS, "epc-100")}, folder, 101)
    job = f"EPC, XM2VTS, {amount(counts[0] + counts[1])} + {amount(counts[2] + counts[3])}"
    return speed_rows(job, timings, {"bob.measure, 100 points": "ratio >= 1"}, "median")


def resample(folder: Path, size: int) -> list[Row]:
    """The bootstrap: of a pair, of bands around two curves, of an EER. Peers do fewer resamples, scaled up."""
    counts = [count * size // 1_000_000 for count in (600, 40_000, 400, 112_000)]
    make_data(folder, "scores", "normal", *counts)
    tools = {"fairtrial": (OWN, "bootstrap-pair"), "scipy.stats.bootstrap, 100 x 100": (OWN, "scipy-pair")}
    timings = _scaled(take_turns(tools, folder, 5), 100)
    job = f"HTER difference, 10,000 resamples of {amount(counts[2] + counts[3])} trials"
    rows = speed_rows(job, timings, {"scipy.stats.bootstrap, 100 x 100": "ratio >= 500"}, "best")
    timings = take_turns({"bands": (OWN, "bands"), "one EPC": (OWN, "epc")}, folder, 5)
    job = "simultaneous bands of two EPCs, thresholds re-estimated"
    rows += speed_rows(job, timings, {"one EPC": "ratio >= 0.005"}, "best")
    rows.append(
        Row(f"{job}, peak memory", "GB", memory(OWN, "bands", folder)["peak"] / 1e9, "", None, "ours < 1", "one")
    )
    make_data(folder, "scores", "normal", size // 1000, size // 10)
    tools = {"fairtrial": (OWN, "bootstrap-eer"), "confidence-intervals, 50 x 20": (PEERS, "bootstrap-eer")}
    timings = _scaled(take_turns(tools, folder, 5), 50)
    job = f"EER, 1000 resamples of {amount(size // 1000 + size // 10)} scores"
    return rows + speed_rows(job, timings, {"confidence-intervals, 50 x 20": "ratio >= 50"}, "best")


def _scaled(timings: dict[str, Timing], factor: int) -> dict[str, Timing]:
    """The peer's times, as if it had done all resamples."""
    ours, *others = timings.items()
    return dict([ours, *((name, Timing([factor * s for s in timing.seconds])) for name, timing in others)])


def read(folder: Path, size: int) -> list[Row]:
    """Reading four columns, every probe of its own name."""
    make_data(folder, "lines", size)
    timings = take_turns({"fairtrial": (OWN, "read"), "bob.bio.base": (PEERS, "read")}, folder, 5)
    rows = speed_rows(f"read {amount(size)} lines", timings, {"bob.bio.base": "ratio >= 3"}, "best")
    make_data(folder, "lines", 10 * size)
    used = memory(OWN, "read", folder)
    job = f"read {amount(10 * size)} lines"
    return [
        *rows,
        Row(job, "s", used["seconds"], "", None, "", "one, cold start"),
        Row(f"{job}, peak memory", "GB", used["peak"] / 1e9, "", None, "ours < 2", "one"),
    ]


def start_up(folder: Path, size: int) -> list[Row]:
    """The command line: its help, and a small evaluation."""
    command = str(OWN.with_name("fairtrial"))
    helps = {"fairtrial": [command, "--help"], "python -c 'import numpy'": [str(OWN), "-c", "import numpy"]}
    rows = speed_rows(
        "fairtrial --help", time_commands(helps, 15), {"python -c 'import numpy'": "ratio >= 0.333"}, "median"
    )
    make_data(folder, "lines", size // 10)
    dev, test = str(folder / "dev.txt"), str(folder / "test.txt")
    evaluations = {
        "fairtrial": [command, "evaluate", "--dev", dev, "--test", test],
        "bob bio metrics -e": [str(PEERS.with_name("bob")), "bio", "metrics", "-e", dev, test],
    }
    job = f"fairtrial evaluate, {amount(size // 10)} + {amount(size // 10)} lines"
    return rows + speed_rows(job, time_commands(evaluations, 3), {"bob bio metrics -e": "ratio >= 5"}, "median")


def coverage(folder: Path, size: int) -> list[Row]:
    """The coverage study of Schuckers et al. 2004. The peer does every 27th cell, scaled up; it has one worker."""
    make_data(folder, "cells", 1_000_000 // size)
    few = take_turns({"ours": (OWN, "coverage-few"), "plain": (OWN, "plain-coverage")}, folder, 3)
    by_people = take_turns({"most": (OWN, "coverage-most"), "fewest": (OWN, "coverage-fewest")}, folder, 5)
    (full,) = take_turns({"ours": (OWN, "coverage")}, folder, 3).values()
    total, some, most, fewest = (_cells(folder, name) for name in ("", "_few", "_most", "_fewest"))
    job = f"coverage study, {total:,} cells, 6 methods, 1000 resamples"
    peer = f"plain numpy, {some} cells x {total / some:.3g}"
    theirs = min(few["plain"].seconds) * total / some
    runs = f"best of {{}} / {len(few['plain'].seconds)}"
    used = memory(OWN, "coverage", folder)["peak"] / 1e9
    alone = few["ours"].seconds
    seconds = [min(by_people[name].seconds) / number for name, number in (("most", most), ("fewest", fewest))]
    return [
        Row(job, "s", min(full.seconds), peer, theirs, "ours <= 90", runs.format(len(full.seconds))),
        Row(
            f"coverage study, one worker, {some} cells",
            "s",
            min(alone),
            "plain numpy",
            min(few["plain"].seconds),
            "",
            runs.format(len(alone)),
        ),
        Row("coverage study, peak memory", "GB", used, "", None, "ours < 1", "one"),
        Row(
            "coverage study, a cell of 100,000 people",
            "s",
            seconds[0],
            "ours, of 100 people",
            seconds[1],
            "",
            "best of 5 / 5",
        ),
    ]


def fusion(folder: Path, size: int) -> list[Row]:
    """Fusion on the synthetic set lausanne, 41 k dev and 112 k test trials an experiment; there is no peer."""
    rows = []
    for job, task, target, repeats in (
        ("lausanne made", "lausanne", "ours < 2", 3),
        ("FP-full, 273 experiments, mean, one worker", "fuse-mean", "ours <= 5", 3),
        ("FP-full, 273 experiments, logistic, two workers", "fuse-logistic", "ours <= 60", 1),
        ("page of 32 experiments", "page", "ours <= 5", 3),
    ):
        (timing,) = take_turns({"ours": (OWN, task)}, folder, repeats).values()
        rows.append(Row(job, "s", min(timing.seconds), "", None, target, f"best of {len(timing.seconds)}"))
    used = memory(OWN, "fuse-logistic-alone", folder)["peak"] / 1e9
    rows.append(Row("FP-full, logistic, peak memory of a worker", "GB", used, "", None, "ours < 2", "one"))
    found = memory(OWN, "page", folder)["value"] / 1e9
    rows.append(Row("page of 32 experiments, its size", "GB", found, "", None, "ours < 0.003", "one"))
    return rows


def _cells(folder: Path, name: str) -> int:
    import numpy as np

    return len(np.load(folder / f"cells{name}.npy"))


JOBS: dict[str, Callable[[Path, int], list[Row]]] = {
    "epc": epc,
    "kernel": kernel,
    "memory": epc_memory,
    "eer": eer,
    "xm2vts": epc_xm2vts,
    "resample": resample,
    "coverage": coverage,
    "fusion": fusion,
    "read": read,
    "startup": start_up,
}


def make_peers() -> None:
    """Make the peers' environment unless it is there and as peers.txt says."""
    pins, made = HERE / "peers.txt", PEERS.parent.parent / ".made-from.txt"
    if made.exists() and made.read_text() == pins.read_text():
        return
    say("making the peers' environment: some minutes and about 1 GB, the first time only")
    subprocess.run([OWN, "-m", "venv", "--clear", PEERS.parent.parent], check=True)
    install: list[str | Path] = [PEERS, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", pins]
    done = subprocess.run(install, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"{done.stderr}\nthe peers could not be installed; they need Python 3.11 or 3.12")
    made.write_text(pins.read_text())


def versions(python: Path) -> dict[str, str]:
    code = "import importlib.metadata as m, json; print(json.dumps({d.name: d.version for d in m.distributions()}))"
    done = subprocess.run([python, "-c", code], check=True, text=True, stdout=subprocess.PIPE)
    return dict(sorted(json.loads(done.stdout).items()))


def machine() -> dict[str, Any]:
    """What the numbers hold for."""
    describe = ["git", "-C", str(HERE), "describe", "--always", "--dirty"]
    cpu = platform.processor()
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        cpu = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), cpu)
    memory_size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "date": datetime.now(UTC).isoformat(timespec="minutes"),
        "commit": subprocess.run(describe, text=True, stdout=subprocess.PIPE).stdout.strip(),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cpu": cpu,
        "cores": os.cpu_count(),
        "memory": f"{memory_size / 2**30:.0f} GiB",
        "load at the start": round(os.getloadavg()[0], 1),
    }


def table(rows: list[Row]) -> str:
    cells = [HEADER, *(row.cells() for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(HEADER))]
    cells.insert(1, ["-" * width for width in widths])
    lines = [" | ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)) for line in cells]
    return "\n".join(f"| {line} |" for line in lines)


def merge_results(rows: list[Row], about: dict[str, Any]) -> None:
    """Put rows into the last results, in place of older ones of the same jobs; all others stay."""
    last = json.loads((HERE / "results.json").read_text())
    names = [field.name for field in fields(Row)]
    old = [Row(**{name: entry[name] for name in names}) for entry in last.pop("rows")]
    new = {row.job for row in rows}
    packages = last.pop("packages")
    for job in {row.job.split(",")[0] for row in rows}:
        last[f"{job}, measured apart"] = f"{about['date']}, {about['commit']}, load {about['load at the start']}"
    write_results([*(row for row in old if row.job not in new), *rows], last, packages)


def write_results(rows: list[Row], about: dict[str, Any], packages: dict[str, dict[str, str]]) -> None:
    shown = [
        f"{where}: " + ", ".join(f"{name} {found[name]}" for name in NAMED if name in found)
        for where, found in packages.items()
    ]
    facts = [f"{name}: {value}" for name, value in about.items()]
    text = "\n".join(
        [
            "# fairtrial and its peers",
            "",
            "Made by `make bench`. The ratio says how many times less ours takes than the peer.",
            "",
            table(rows),
            "",
            *(f"- {line}" for line in facts + shown),
        ]
    )
    (HERE / "results.md").write_text(text + "\n")
    found = [{**asdict(row), "ratio": row.ratio, "met": row.met} for row in rows]
    (HERE / "results.json").write_text(json.dumps({**about, "packages": packages, "rows": found}, indent=1) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure fairtrial against its peers.")
    parser.add_argument("--job", choices=JOBS, action="append", help="run this job only; may be repeated")
    parser.add_argument("--merge", action="store_true", help="put the rows of the jobs into the last results")
    parser.add_argument("--quick", action="store_true", help="a tenth of the scores that the targets are for")
    arguments = parser.parse_args()
    make_peers()
    about = machine()
    rows: list[Row] = []
    for name in arguments.job or JOBS:
        say(f"{name} ...")
        with tempfile.TemporaryDirectory() as folder:
            rows += JOBS[name](Path(folder), 100_000 if arguments.quick else 1_000_000)
    print(table(rows))
    if arguments.merge and not arguments.quick:
        merge_results(rows, about)
    elif arguments.job or arguments.quick:
        say("not a full run: results.md and results.json stay as they are")
    else:
        write_results(rows, about, {"project": versions(OWN), "peers": versions(PEERS)})


if __name__ == "__main__":
    main()
