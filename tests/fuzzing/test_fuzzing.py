"""A short run of `make fuzz`, and what it does with what fails."""

from __future__ import annotations

import time
import warnings
from pathlib import Path
from typing import NoReturn

import pytest
from click.testing import CliRunner

from fairtrial.cli.app import main
from fairtrial.core.errors import InputError
from fuzzing.cases import Case, Target
from fuzzing.commands import folder_of_files
from fuzzing.keeping import Failure, keep, minimise
from fuzzing.run import portions, table
from fuzzing.targets import SHARES, TARGETS
from fuzzing.vocabulary import GOOD, commands
from fuzzing.watching import Misread
from fuzzing.workers import Portion, try_portion

SHORT = {
    "readers": 250,
    "oracle": 500,
    "commands": 60,
    "manifests": 150,
    "journals": 100,
    "sealed": 300,
    "uploads": 100,
}


@pytest.mark.parametrize("name", TARGETS)
def test_a_short_run(name: str, tmp_path: Path) -> None:
    seeds = tuple(f"{name}/short/{number}" for number in range(SHORT[name]))
    tally = try_portion(Portion(name, seeds), tmp_path, set())
    assert [f"{failure.seed}: {failure.complaint}" for failure in tally.failures] == []
    assert tally.ends["result"] > 0.05 * len(seeds), "hardly a case gets through: the rest tries little"


FOUND = (
    "test individuals counts.csv --rate 5e-324",
    "plan --pi .1 --half-width 1e-300",
    "plan --pi 5e-324 --half-width .01",
    "plan --pi .02 --rho .1 --half-width 1e308",
    "plan --pi .02 --rho .1 --half-width .01 --person-cost 1e308",
    f"plot hter-sd --out out.png --genuine {'9' * 400}",
    "count test.txt --out out.ftc --precision 5e-324",
    "plan --pi 1e-300 --below .05 --attempts 3",
    "plot eer-bound .01 .02 --trials 1000000 --out out.png --p-value 1e-300",
    f"evaluate --dev dev.csv --test test.csv --max-size {'x' * 3000}",
    "interval individuals counts.csv --confidence 1e-9",
    "demo --json --help-all",
)
"""Command lines that ended in a traceback, a warning or a message without end."""


@pytest.mark.parametrize("words", FOUND, ids=lambda words: words[:40])
def test_what_was_found_is_mended(words: str, tmp_path: Path) -> None:
    case = Case(folder_of_files(), tuple(words.split()))
    assert TARGETS["commands"].run(case, tmp_path).complaint is None


def test_a_worker_without_memory_is_no_traceback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def want(*given: object, **options: object) -> NoReturn:
        raise ImportError("bezierTools.so: failed to map segment from shared object")

    monkeypatch.setattr("fairtrial.cli.plots.write_picture", want)
    case = Case(folder_of_files(), ("plot", "eer-bound", ".01", ".02", "--trials", "1000", "--out", "out.pdf"))
    ending = TARGETS["commands"].run(case, tmp_path)
    assert (ending.refused, ending.complaint) == (True, None)


@pytest.mark.parametrize("seed", ["oracle/0/5073", "manifests/0/62", "manifests/0/3432"])
def test_what_a_seed_found_is_mended(seed: str, tmp_path: Path) -> None:
    target = TARGETS[seed.partition("/")[0]]
    assert target.run(target.make(seed), tmp_path).complaint is None


def test_every_command_is_tried() -> None:
    assert set(GOOD) == set(commands())


def test_a_count_is_shared_out() -> None:
    given = list(portions(1000, 7, list(TARGETS)))
    assert sum(len(portion.seeds) for portion in given) == 1000
    assert len({seed for portion in given for seed in portion.seeds}) == 1000
    assert sum(SHARES.values()) == 100


def _refuse(folder: Path, case: Case) -> NoReturn:
    raise InputError("a.txt: is not a score file")


def _divide(folder: Path, case: Case) -> None:
    if b"7" in (folder / "a.txt").read_bytes() and "--bad" in case.words:
        raise ZeroDivisionError("seven")


def _warn(folder: Path, case: Case) -> None:
    warnings.warn("overflow", RuntimeWarning, stacklevel=1)


def _misread(folder: Path, case: Case) -> NoReturn:
    raise Misread("0.5, not 5")


def _mumble(folder: Path, case: Case) -> NoReturn:
    class EndlessError(InputError):
        """An error whose message goes on and on, which one made in the usual way does not."""

        def __str__(self) -> str:
            return "x" * 5000

    raise EndlessError("")


FILES = {"a.txt": b"".join(b"%d\n" % number for number in range(10))}
WORDS = ("evaluate", "--alpha", ".5", "--bad", "--seed", "3")


@pytest.mark.parametrize(
    ("use", "kind"),
    [
        (_refuse, None),
        (_divide, "traceback"),
        (_warn, "warning"),
        (_misread, "misread"),
        (_mumble, "message"),
        (lambda folder, case: time.sleep(5), "hang"),
    ],
)
def test_what_counts_as_a_failure(use: object, kind: str | None, tmp_path: Path) -> None:
    assert callable(use)
    target = Target("mine", lambda seed: Case(FILES, WORDS), use, seconds=0.05)
    complaint = target.run(Case(FILES, WORDS), tmp_path).complaint
    assert (complaint and complaint.kind) == kind


def test_a_failure_is_made_smaller_and_kept(tmp_path: Path) -> None:
    target = Target("mine", lambda seed: Case(FILES, WORDS), _divide)
    complaint = target.run(Case(FILES, WORDS), tmp_path).complaint
    assert complaint is not None
    smallest = minimise(target, Case(FILES, WORDS), complaint, tmp_path)
    assert (smallest.words, smallest.files) == (("--bad",), {"a.txt": b"7\n"})
    place = keep(Failure("mine/0/3", complaint, smallest), tmp_path / "kept")
    assert (place / "a.txt").read_bytes() == b"7\n"
    assert "ZeroDivisionError: seven" in (place / "FAILURE.txt").read_text()
    assert "mine/0/3" in (place / "FAILURE.txt").read_text()


def test_the_table_adds_up(tmp_path: Path) -> None:
    tallies = [try_portion(Portion("journals", (f"journals/short/{k}",)), tmp_path, set()) for k in range(3)]
    rows = [line.split() for line in table(tallies).splitlines()]
    assert [row[:2] for row in rows[1:]] == [["journals", "3"], ["all", "3"]]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("operating-points --dev d.csv --test t.csv --far " + "x" * 3000, "--far"),
        ("interval individuals c.csv --confidence 5e-324", "confidence must be at least 1e-09"),
        (
            "interval rates --false-accepts 3 --false-rejects 4 --impostor 100 --genuine 50 --measure all "
            "--dcf 1e308,1,1e308,1",
            "cost_fr must be a number from 0 to 1e+100",
        ),
        ("plan --pi 5e-324 --below .05", "pi must be at least 1e-15"),
        ("plan --pi .1 --half-width .01 --attempts 99999999999999999999", "attempts"),
        ("plot hter-sd --out out.png --most 1e308", "there can be at most 9,007,199,254,740,992 impostor trials"),
        ("calibrate --dev d.csv --test t.csv --prior 1e-300", "prior must be between 1e-06 and"),
        ("plan --a .01 .02 --b .05 .08 --impostors 99999999", "impostors must be a whole number from 2 to 10,000,000"),
        ("coverage --datasets 9999999999 --workers 1", "there can be at most 1,000,000,000 data sets"),
        ("coverage --datasets 99999999999999999999 --workers 1", "9,007,199,254,740,992"),
    ],
)
def test_what_a_hundred_thousand_found(
    words: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("d.csv", "t.csv"):
        Path(name).write_text("label,face\n1,0.9\n1,0.8\n0,0.1\n0,0.2\n")
    Path("c.csv").write_text("errors,attempts\n1,5\n0,5\n2,5\n0,5\n")
    result = CliRunner().invoke(main, words.split())
    assert result.exit_code == 2
    assert message in result.output
    assert len(result.output) < 1500
