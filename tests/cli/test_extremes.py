"""Numbers, names and files at the edge of what can be: one error or a right answer, never a traceback or a hang."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

import fairtrial
from fairtrial.cli.app import main
from pages.pages import edges_of

SETS = "--dev dev.csv --test dev.csv"
ESCAPE = "\x1b]0;owned\x07\x1b[2Jface"
MANIFEST = """
name = "mine"
[[set]]
name = "one"
scores = "{scores}"
split = {{ repeats = {repeats} }}
[[set.system]]
name = "face"
modality = "face"
[[set.system]]
name = "voice"
modality = "voice"
"""


def run(command: str) -> Result:
    """The command; any exception that it lets through is raised here."""
    return CliRunner().invoke(main, shlex.split(command), catch_exceptions=False)


def table(scores: np.ndarray, names: tuple[str, ...] = ("face", "voice"), people: int = 8) -> str:
    """Everybody against everybody, as CSV."""
    lines = [",".join(("claim", "subject", *names))]
    for row, (claim, subject) in zip(scores.tolist(), np.ndindex(people, people), strict=True):
        lines.append(",".join([f"p{claim}", f"p{subject}", *map(repr, row)]))
    return "\n".join(lines) + "\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with score files of all sorts in it."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    same = np.eye(8, dtype=bool).ravel()
    ordinary = rng.normal(size=(64, 2)) + 2 * same[:, None]
    Path("dev.csv").write_text(table(ordinary))
    Path("huge.csv").write_text(table(np.where(same[:, None], 1.7e308, -1.7e308) * rng.uniform(0.9, 1, size=(64, 2))))
    Path("large.csv").write_text(table(1e16 + 4.0 * same[:, None] + 2.0 * rng.integers(0, 3, size=(64, 2))))
    Path("equal.csv").write_text(table(np.full((64, 2), 1e16)))
    Path("escape.csv").write_text(table(ordinary, (ESCAPE, "voice")))
    Path("people.csv").write_text("errors,attempts\n1,5\n0,5\n2,6\n")
    return tmp_path


HUGE = "scores from -?1.*e\\+308 to 1.*e\\+308 are too large to be drawn; scale them"
MANY = str(10**20)
REFUSED = {
    "evaluate --dev huge.csv --test huge.csv --report a.html": HUGE,
    "compare --dev huge.csv --test huge.csv --resamples 20 --report a.html": HUGE,
    "plot diagnostic --dev huge.csv --test huge.csv --out a.png": HUGE,
    "plot zoo --dev huge.csv --test huge.csv --system face --out a.png": HUGE,
    "plot scatter --dev huge.csv --test huge.csv --out a.png": HUGE,
    f"plot det {SETS} --dpi 1 --out a.png": "at least 10 dots per inch",
    f"plot diagnostic {SETS} --bins {MANY} --out a.png": "at most 9,007,199,254,740,992",
    f"compare {SETS} --resamples -1": "at least one resample, not -1",
    f"compare {SETS} --resamples {MANY}": "at most 9,007,199,254,740,992",
    f"compare {SETS} --workers 1000000": "at most 1,024 workers",
    "coverage --n 9 --m 2 --pi .1 --rho .1 --workers 1000000": "at most 1,024 workers",
    f"epc {SETS} --points {MANY}": "at most 9,007,199,254,740,992",
    f"evaluate --dev dev.csv --folds {MANY}": "at most 9,007,199,254,740,992",
    f"chimeric {SETS} --move voice --assignments {MANY}": "at most 9,007,199,254,740,992",
    f"mcnemar --b {MANY} --c 5": "at most 9,007,199,254,740,992",
    f"mcnemar --b 5 --c 1{'0' * 400}": "at most 9,007,199,254,740,992",
    f"interval rates --far .1 --frr .1 --impostor 1{'0' * 23} --genuine 9": "at most 9,007,199,254,740,992",
    f"interval rates --far .1 --frr .1 --impostor 9 --genuine 1{'0' * 400}": "at most 9,007,199,254,740,992",
    f"compare-rates --a .1 .1 --b .1 .1 --impostor 1{'0' * 400} --genuine 9": "at most 9,007,199,254,740,992",
    f"eer-bound .1 .2 --trials 1{'0' * 400}": "at most 9,007,199,254,740,992",
    f"evaluate {SETS} --column claim=claim --column subject=claim": "column 'claim' was given two roles",
    f"evaluate {SETS} --column score=face --column other=face": "column 'face' was given two roles",
    "benchmark --data /dev/zero": "/dev/zero: cannot be read: it is not a file",
    "benchmark --data pipe.toml": "pipe.toml: cannot be read: it is not a file",
    "fuse --model pipe.toml --test dev.csv": "pipe.toml: cannot be read: it is not a file",
    "fuse --model brackets --test dev.csv": "brackets: is not a fairtrial fusion model",
    "benchmark --data brackets": "brackets: is not a manifest: brackets are nested too deeply",
    "benchmark --data repeats.toml": "at most 10,000 repeats, not 99,999,999,999,999,999,999",
    "benchmark --data outside/benchmark.toml": "'../dev.csv' is outside the directory of the manifest.*--outside",
    "benchmark --data passwd.toml": "'/etc/hostname' is outside the directory of the manifest",
    "benchmark --data link.toml": "'link.csv' is outside the directory of the manifest",
    "merge pipe.ftc --out all.ftc": "pipe.ftc: cannot be read: it is not a file",
    "interval individuals latin.parquet": "latin.parquet: is not a complete Parquet file",
    "evaluate --dev latin.parquet --test dev.csv": "latin.parquet: is not a complete Parquet file",
    "evaluate --dev /dev/null --test dev.csv": "/dev/null: is neither a file nor a pipe",
}


@pytest.mark.parametrize("command", REFUSED)
def test_what_cannot_be_is_refused_in_one_line(command: str, folder: Path) -> None:
    for name in ("pipe.toml", "pipe.ftc"):
        os.mkfifo(name)
    Path("brackets").write_text("a = " + "[" * 100_000 if "benchmark" in command else "[" * 100_000)
    Path("repeats.toml").write_text(MANIFEST.format(scores="dev.csv", repeats="99999999999999999999"))
    Path("outside").mkdir()
    Path("outside/benchmark.toml").write_text(MANIFEST.format(scores="../dev.csv", repeats=2))
    Path("passwd.toml").write_text(MANIFEST.format(scores="/etc/hostname", repeats=2))
    Path("outside/away.csv").write_text(Path("dev.csv").read_text())
    Path("inside").mkdir()
    Path("inside/link.csv").symlink_to(folder / "dev.csv")
    Path("link.toml").symlink_to(folder / "inside/benchmark.toml")
    Path("inside/benchmark.toml").write_text(MANIFEST.format(scores="link.csv", repeats=2))
    pq.write_table(pa.table({"errors": [1, 2], "attempts": [5, 5], "zzzz": [1, 2]}), "plain.parquet")
    Path("latin.parquet").write_bytes(Path("plain.parquet").read_bytes().replace(b"zzzz", b"\xff\xfezz"))
    result = run(command.replace("link.toml", "inside"))
    assert (result.exit_code, result.stdout) == (2, "")
    assert re.match(f"error: .*{REFUSED[command]}", result.stderr)
    assert result.stderr.count("\n") == 1
    assert not {"a.png", "a.html", "all.ftc"} & {path.name for path in Path().iterdir()}


@pytest.mark.filterwarnings("ignore::UserWarning")  # matplotlib: ticks that are the same number
@pytest.mark.parametrize("name", ["large.csv", "equal.csv"])
def test_scores_whose_neighbours_are_far_are_drawn(name: str) -> None:
    assert run(f"evaluate --dev {name} --test {name} --report a.html").exit_code == 0
    assert run(f"plot diagnostic --dev {name} --test {name} --system face --out a.png").exit_code == 0
    data = json.loads(re.search(r'id="data"[^>]*>(.*?)</script>', Path("a.html").read_text(), re.DOTALL)[1])  # type: ignore[index]
    for system in data["systems"]:
        density = system["density"]
        assert (np.diff(edges_of(density)) > 0).all()
        assert 0 < sum(density["genuine"]) < np.inf
        assert 0 < len(density["scores"]["ticks"]) < 20
        assert all(len(label) < 20 for _, label in density["scores"]["ticks"])


def test_two_people_can_be_compared(folder: Path) -> None:
    rng = np.random.default_rng(2)
    same = np.eye(2, dtype=bool).ravel()
    lines = [table(rng.normal(size=(4, 2)) + 2 * same[:, None], people=2) for _ in range(3)]
    Path("two.csv").write_text(lines[0] + "".join(text.split("\n", 1)[1] for text in lines[1:]))
    assert run("compare --dev two.csv --test two.csv --resamples 50").exit_code == 0


def test_four_people_with_three_probes_each_are_evaluated() -> None:
    """A two-way variance may come out negative: 4 of 150 such data sets ended in a math domain error."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        claim, subject = (np.repeat(who, 3) for who in np.divmod(np.arange(16), 4))
        sets = [
            fairtrial.Trials.from_arrays(
                rng.normal(size=48) + 2 * (claim == subject), claim == subject, claim=claim, subject=subject
            )
            for _ in range(2)
        ]
        interval = fairtrial.evaluate(*sets).interval()
        assert interval.low <= interval.estimate <= interval.high


@pytest.mark.parametrize(
    "command",
    [
        "evaluate --dev escape.csv --test escape.csv",
        "epc --dev escape.csv --test escape.csv --points 3",
        "compare --dev escape.csv --test escape.csv --resamples 20",
        "fuse --dev escape.csv --test escape.csv",
        "evaluate --dev escape.csv --test escape.csv --json",
        "evaluate --dev escape.csv --test escape.csv --system nobody",
        "plot det --dev escape.csv --test escape.csv --out a.png -v",
    ],
)
@pytest.mark.filterwarnings("ignore:Glyph")
def test_escapes_in_names_are_shown_and_not_sent(command: str) -> None:
    result = run(command)
    found = result.stdout + result.stderr
    assert "\x1b" not in found
    assert "\x07" not in found
    assert "\\x1b]0;owned\\x07\\x1b[2Jface" in found or "\\u001b]0;owned" in found


def test_a_manifest_may_be_allowed_to_look_around(folder: Path) -> None:
    Path("away").mkdir()
    Path("away/benchmark.toml").write_text(MANIFEST.format(scores="../dev.csv", repeats=2))
    assert run("benchmark --data away --outside").exit_code == 0


@pytest.mark.parametrize("compressed", [False, True])
def test_standard_input_and_pipes_of_the_shell(compressed: bool) -> None:
    cat = "gzip -c dev.csv" if compressed else "cat dev.csv"
    fairtrial_ = f"{sys.executable} -m fairtrial"
    both = f"{cat} | {fairtrial_} convert - <({cat}) --name a --name b --name c --name d --out both.csv"
    environment = {**os.environ, "PYTHONPATH": str(Path(fairtrial.__file__).parents[1])}
    subprocess.run(["bash", "-c", f"set -o pipefail; {both}"], env=environment, check=True, capture_output=True)
    found, plain = fairtrial.read_trials("both.csv"), fairtrial.read_trials("dev.csv")
    assert found.scores.tolist() == np.tile(plain.scores, 2).tolist()


def test_an_output_that_is_closed(folder: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(fairtrial.__file__).parents[1])}
    command = f"{sys.executable} -m fairtrial evaluate {SETS} >&- 2>&-"
    assert subprocess.run(["bash", "-c", command], env=environment, check=False).returncode == 0
