"""What options are read as, and which do not apply."""

from __future__ import annotations

import shlex
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from fairtrial import Trials, write_trials
from fairtrial.cli.app import main
from fairtrial.core.parameters import read_names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("face", ("face",)),
        ("face, voice", ("face", "voice")),
        ("(FH,MLP),(LFCC,GMM)", ("(FH,MLP)", "(LFCC,GMM)")),
        ("(FH,MLP),voice,(a", ("(FH,MLP)", "voice", "(a")),
    ],
)
def test_names_are_separated_by_commas_outside_brackets(text: str, names: tuple[str, ...]) -> None:
    assert read_names(text) == names


@pytest.mark.parametrize(
    ("command", "written"),
    [("count", "file of counts"), ("merge", "file of counts"), ("convert", ".npz"), ("evaluate", "Write tables")],
)
def test_help_says_what_out_writes(command: str, written: str) -> None:
    shown = " ".join(CliRunner().invoke(main, [command, "--help-all"]).stdout.split())
    assert written in shown.partition("--out FILE ")[2].partition("--")[0]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Scores of two systems, counts of people, and a study of coverage."""
    monkeypatch.chdir(tmp_path)
    claim, subject = np.divmod(np.arange(64), 8)
    scores = np.random.default_rng(3).normal(size=(64, 2)) + 2 * (claim == subject)[:, None]
    trials = Trials.from_arrays(
        scores, claim == subject, systems=["face", "voice"], claim=claim, subject=subject, notes=()
    )
    write_trials(trials, "s.csv")
    Path("people.csv").write_text("errors,attempts\n1,5\n0,5\n2,5\n")
    Path("own").mkdir()
    Path("own/benchmark.toml").write_text("name = 'own'\n")
    return tmp_path


SETS = "--dev s.csv --test s.csv"
IGNORED = {
    f"evaluate {SETS} --dcf 10,.01,1,.99": "--dcf",
    f"compare {SETS} --dcf 10,.01,1,.99": "--dcf",
    f"epc {SETS} --dcf 10,.01,1,.99": "--dcf",
    f"plot det {SETS} --dcf 10,.01,1,.99 --out a.png": "--dcf",
    f"plot roc {SETS} --dcf 10,.01,1,.99 --out a.png": "--dcf",
    f"plot zoo {SETS} --system face --dcf 10,.01,1,.99 --out a.png": "--dcf",
    f"plot scatter {SETS} --dcf 10,.01,1,.99 --out a.png": "--dcf",
    f"plot diagnostic {SETS} --dcf 10,.01,1,.99 --out a.png": "--dcf",
    f"plot bootstrap {SETS} --dcf 10,.01,1,.99 --out a.png": "--dcf",
    f"plot precision-recall {SETS} --dcf 10,.01,1,.99 --out a.png": "--dcf",
    f"plot epc {SETS} --dcf 10,.01,1,.99 --out a.png": "--dcf",
    f"plot epc-compare {SETS} --dcf 10,.01,1,.99 --out a.png": "--dcf",
    "interval rates --far .1 --frr .1 --impostor 100 --genuine 100 --dcf 10,.01,1,.99": "--dcf",
    "interval rates --far .1 --frr .1 --impostor 100 --genuine 100 --alpha .1": "--alpha",
    "compare-rates --a .1 .1 --b .2 .2 --impostor 100 --genuine 100 --alpha .1": "--alpha",
    "compare-rates --a .1 .1 --b .2 .2 --impostor 100 --genuine 100 --dcf 10,.01,1,.99": "--dcf",
    "interval individuals people.csv --method lbb --resamples 10": "--resamples",
    "interval individuals people.csv --method lbb --seed 1": "--seed",
    f"epc {SETS} --band-method bootstrap": "--band-method",
    f"epc {SETS} --resamples 10": "--resamples",
    f"epc {SETS} --resample test": "--resample",
    f"epc {SETS} --workers 2": "--workers",
    f"epc {SETS} --method bootstrap": "--method",
    f"epc {SETS} --simultaneous": "--simultaneous",
    f"epc {SETS} --compare face,voice --band-method bootstrap": "--band-method",
    f"epc {SETS} --no-areas --areas precision,recall": "--areas",
    f"epc {SETS} --no-areas --convention step": "--convention",
    f"plot epc {SETS} --workers 2 --out a.png": "--workers",
    "plan --a .01 .02 --b .02 .03 --unpaired --correlation .5": "--correlation",
    "plan --a .01 .02 --b .02 .03 --pi .1": "--pi",
    "plan --pi .1 --below .2 --scale logit": "--scale",
    "plot plan --pi .02 --half-width .005 --power .9 --out a.png": "--power",
    "plot plan --pi .02 --half-width .005 --impostors 5 --out a.png": "--impostors",
    "coverage --exact --datasets 10": "--datasets",
    "coverage --exact --resamples 10": "--resamples",
    "coverage --like people.csv --workers 2": "--workers",
    "plot coverage people.csv --datasets 10 --out a.png": "--datasets",
    "plot hook people.csv --exact --out a.png": "--exact",
    f"fuse {SETS} --inner none --inner-folds 3": "--inner-folds",
    f"calibrate {SETS} --method pav --prior .1": "--prior",
    f"calibrate {SETS} --fuse --correction bh": "--correction",
    f"calibrate {SETS} --title Evidence": "--title",
    f"plot ece {SETS} --method pav --prior .1 --out a.png": "--prior",
    f"plot llr-map {SETS} --system face --method pav --prior .1 --out a.png": "--prior",
    f"plot ece {SETS} --confidence .9 --out a.png": "--confidence",
    f"plot llr-map {SETS} --system face --seed 1 --out a.png": "--seed",
    f"plot llr-map {SETS} --system face --resamples 9 --out a.png": "--resamples",
    "benchmark --data own --repeats 3": "--repeats",
    "benchmark --data own --failed-enrolment keep": "--failed-enrolment",
    "benchmark --data lausanne --repeats 3": "--repeats",
    "benchmark --data lausanne --outside": "--outside",
}


@pytest.mark.parametrize("command", IGNORED)
def test_an_option_that_would_be_ignored_is_refused(command: str, folder: Path) -> None:
    result = CliRunner().invoke(main, shlex.split(command), catch_exceptions=False)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"error: {IGNORED[command]} ")
    assert not Path("a.png").exists()


def test_options_that_counts_cannot_serve(folder: Path) -> None:
    assert CliRunner().invoke(main, ["count", "s.csv", "--out", "s.ftc"]).exit_code == 0
    sets = ["--dev", "s.ftc", "--test", "s.ftc"]
    for command, option in (
        ("evaluate", "--resamples=10"),
        ("evaluate", "--resample=test"),
        ("evaluate", "--seed=1"),
        ("compare", "--resamples=10"),
        ("compare", "--workers=2"),
        ("epc", "--confidence=.9"),
        ("epc", "--areas=precision,recall"),
    ):
        result = CliRunner().invoke(main, [command, *sets, option], catch_exceptions=False)
        assert result.exit_code == 2
        assert result.stderr.startswith(f"error: {option.partition('=')[0]} needs the scores themselves")


@pytest.mark.parametrize("command", ["evaluate", "compare", "fuse"])
def test_an_alpha_without_effect_is_the_first_warning(command: str, folder: Path) -> None:
    asked = [command, "--dev", "s.csv", "--test", "s.csv", "--criterion", "eer", "--alpha", ".9"]
    asked += ["--resamples", "50"] if command == "compare" else []
    result = CliRunner().invoke(main, asked, catch_exceptions=False)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[1].startswith("warning: --alpha 0.9 has no effect with the criterion eer")
    assert "--alpha" not in result.stderr


@pytest.mark.parametrize("name", ["--name", "--title"])
def test_text_that_is_not_utf8(name: str, folder: Path) -> None:
    asked = ["plot", "det", "--dev", "s.csv", "--test", "s.csv", "--out", "a.png", name, "caf\udce9"]
    result = CliRunner().invoke(main, asked, catch_exceptions=False)
    assert result.exit_code == 2
    assert result.stderr == f"error: {name} caf\\udce9: is not UTF-8 text\n"


@pytest.mark.parametrize(
    ("size", "says"),
    [
        ("1000", "holds more than 1000 bytes unpacked"),
        ("1K", "holds more than 1 KiB unpacked"),
        ("0.5kb", "holds more than 512 bytes unpacked"),
        ("0.5KiB", "holds more than 512 bytes unpacked"),
        ("much", "--max-size: expected a number of bytes, as in 500M or 20G"),
        ("-1", "--max-size: expected a number of bytes"),
        ("1e9", "--max-size: expected a number of bytes"),
        ("0", "max_size must be at least one byte"),
    ],
)
def test_how_much_may_be_unpacked(size: str, says: str, folder: Path) -> None:
    assert CliRunner().invoke(main, ["convert", "s.csv", "--out", "s.csv.gz"]).exit_code == 0
    result = CliRunner().invoke(main, ["convert", "s.csv.gz", "--out", "t.csv", f"--max-size={size}"])
    assert result.exit_code == 2
    assert says in result.stderr
    allowed = CliRunner().invoke(main, ["convert", "s.csv.gz", "--out", "t.csv", "--max-size", "1G"])
    assert allowed.exit_code == 0


def test_an_option_that_is_given_twice_is_refused(folder: Path) -> None:
    files = SETS.split()
    for twice in (["--criterion", "eer", "--criterion", "f1"], ["--seed=1", "--seed", "2"]):
        result = CliRunner().invoke(main, ["evaluate", *files, *twice])
        assert result.exit_code == 2
        assert f"{twice[0].partition('=')[0]} is given twice" in result.output
    assert (
        CliRunner().invoke(main, ["evaluate", *files, "--measure", "f1", "--measure", "far", "-v", "-v"]).exit_code == 0
    )
