"""The command line and what is wrong: one line on stderr, exit code 2, nothing on stdout, nothing half-written."""

from __future__ import annotations

import gzip
import io
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from fairtrial.cli.app import main

BOB = "".join(
    f"{claim} {subject} {subject}-{k} {0.3 + 0.5 * (claim == subject) + 0.01 * k}\n"
    for claim in ("anna", "bert", "carol", "dora")
    for subject in ("anna", "bert", "carol", "dora")
    for k in range(3)
)
CSV = "claim,subject,face,voice\nanna,anna,0.9,3\nanna,bert,0.1,1.0\nbert,bert,0.8,4\nbert,anna,0.2,2\n"
MATRIX = ",anna,bert,carol\nanna,0.9,0.1,0.2\nbert,0.3,0.8,0.1\ncarol,0.2,0.3,0.7\n"
TABLE = pa.table({"claim": ["anna"] * 2, "subject": ["anna", "bert"], "face": [0.9, 0.1]})


def parquet(table: pa.Table) -> bytes:
    file = io.BytesIO()
    pq.write_table(table, file)
    return file.getvalue()


def npz(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with good files in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    store("good.txt", BOB)
    store("wide.csv", CSV)
    return tmp_path


def store(name: str, content: str | bytes) -> str:
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
    return name


def contents() -> dict[Path, bytes | None]:
    found = [path for path in Path().rglob("*") if "__pycache__" not in path.parts]
    return {path: path.read_bytes() if path.is_file() else None for path in found}


def refused(*arguments: str) -> str:
    """The one line with which a command refuses; any exception that it lets through is raised here."""
    before = contents()
    result = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert result.exit_code == 2, result.output
    assert not result.stdout or set(json.loads(result.stdout)) == {"error"}
    assert result.stderr.startswith("error: ")
    assert result.stderr.endswith("\n")
    assert result.stderr.count("\n") == 1
    assert contents() == before
    return result.stderr


def assert_says(message: str, *parts: str) -> None:
    for part in parts:
        assert part in message, f"{part!r} is not in {message!r}"


def commands(name: str) -> dict[str, list[str]]:
    """Every command that reads files, with this one among them."""
    return {
        "evaluate-dev": ["evaluate", "--dev", name, "--test", "good.txt"],
        "evaluate-test": ["evaluate", "--dev", "good.txt", "--test", name, "--json"],
        "evaluate-folds": ["evaluate", "--dev", name, "--folds", "3"],
        "epc-dev": ["epc", "--dev", name, "--test", "good.txt", "--json"],
        "epc-test": ["epc", "--dev", "good.txt", "--test", name],
        "convert": ["convert", name, "--out", "out.parquet"],
        "convert-json": ["convert", name, "--out", "out.csv.gz", "--json"],
    }


COMMANDS = tuple(commands(""))
EVALUATE = ("evaluate", "--dev", "good.txt", "--test", "good.txt")
EPC = ("epc", "--dev", "good.txt", "--test", "good.txt")
BAD: dict[str, tuple[str, str | bytes, list[str]]] = {
    "empty": ("a.txt", "", ["a.txt: is empty"]),
    "white-space": ("a.txt", " \n\n", ["a.txt", "nothing but white space"]),
    "header-only": ("a.csv", "claim,subject,face\n", ["a.csv", "a header, but no trial"]),
    "nan": ("a.txt", BOB.replace("0.8\n", "nan\n"), ["a.txt, row 1:", "is NaN", "--nan drop", "--nan reject"]),
    "nan-csv": ("a.csv", CSV.replace("0.8", ""), ["a.csv, row 3:", "face is NaN"]),
    "text": ("a.txt", BOB.replace("0.81\n", "high\n", 1), ["a.txt, line 2:", "column score", "'high'"]),
    "text-csv": ("a.csv", CSV.replace("4", "four"), ["a.csv, line 4:", "column voice", "'four'"]),
    "truncated": ("a.txt", BOB[:-30], ["a.txt, line 48:", "columns where 4 were expected"]),
    "gzip": ("a.txt.gz", gzip.compress(BOB.encode())[:-5], ["a.txt.gz", "gzip data is damaged or cut off"]),
    "zstd": ("a.txt.zst", pa.compress(BOB.encode(), "zstd", asbytes=True)[:-5], ["a.txt.zst", "zstd data is damaged"]),
    "garbage": ("a.txt.gz", gzip.compress(BOB.encode()) + b"garbage", ["a.txt.gz", "damaged or cut off"]),
    "columns": ("a.txt", BOB + "anna bert 0.1\n", ["a.txt, line 49:", "3 columns where 4"]),
    "columns-csv": ("a.csv", CSV + "anna,bert,0.1,2,3\n", ["a.csv, line 6:", "5 columns where 4"]),
    "binary": ("a.txt", bytes(range(256)) * 9, ["a.txt", "binary data of no known kind"]),
    "utf-8": ("a.txt", BOB.encode() + b"anna b\xe9rt x 0.1\n", ["a.txt", "is not UTF-8 text", "convert the file"]),
    "mixed-labels": ("a.csv", "claim,label,face\na,target,1\na,0,0\n", ["a.csv", "labels are mixed: 0, target"]),
    "unknown-labels": (
        "a.csv",
        "claim,label,face\na,ja,1\na,nein,0\n",
        ["a.csv", "'ja' is not known", "--label genuine="],
    ),
    "duplicate-columns": ("a.csv", "claim,subject,f,f\na,a,1,2\n", ["a.csv", "column 'f' occurs twice"]),
    "ragged-matrix": ("m.csv", MATRIX.replace("0.3,0.7", "0.7"), ["m.csv, line 4:", "3 columns where 4"]),
    "no-common-ids": ("m.csv", ",a,b\nc,1,0\nd,0,1\n", ["m.csv", "no id at the left", "--diagonal"]),
    "npz-pickled": ("a.npz", npz(scores=np.array([None]), genuine=[True]), ["a.npz", "plain arrays"]),
    "npz-shapes": ("a.npz", npz(scores=[1, 2, 3], genuine=[True]), ["a.npz", "genuine has shape (1,)", "3 trials"]),
    "npz-truncated": (
        "a.npz",
        npz(scores=[1, 2], genuine=[True, False])[:150],
        ["a.npz", "not a complete .npz archive"],
    ),
    "parquet-truncated": ("a.parquet", parquet(TABLE)[:-20], ["a.parquet", "not a complete Parquet file"]),
    "parquet-null-ids": (
        *("a.parquet", parquet(TABLE.set_column(0, "claim", [["anna", None]]))),
        ["a.parquet", "column claim has 1 empty cells"],
    ),
    "no-format": ("a.txt", "dear diary\n", ["a.txt", "'dear diary'", "Known formats"]),
}


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # npz: see tests/formats
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("case", BAD)
def test_bad_file(case: str, command: str) -> None:
    name, content, parts = BAD[case]
    store(name, content)
    assert_says(refused(*commands(name)[command]), *parts)


@pytest.mark.parametrize("command", COMMANDS)
def test_missing_file(command: str) -> None:
    assert_says(refused(*commands("no.txt")[command]), "no.txt: there is no such file")
    assert_says(refused(*commands("no*.csv")[command]), "no*.csv: there is no such file")


@pytest.mark.parametrize("command", COMMANDS)
def test_directory(command: str) -> None:
    Path("none").mkdir()
    assert_says(refused(*commands("none")[command]), "none: a directory can be read if it holds Parquet files only")
    store("mix/a.parquet", parquet(TABLE))
    store("mix/b.txt", BOB)
    assert_says(refused(*commands("mix")[command]), "mix: a directory can be read", "name the files in it instead")
    store("damaged/a.parquet", parquet(TABLE))
    store("damaged/b.parquet", parquet(TABLE)[:-9])
    assert_says(refused(*commands("damaged")[command]), "damaged/b.parquet", "not a complete Parquet file")


@pytest.mark.parametrize("command", [name for name in COMMANDS if not name.startswith("convert")])
@pytest.mark.parametrize(("rows", "lacks"), [("anna anna", "impostor"), ("anna bert", "genuine")])
def test_one_class_only(rows: str, lacks: str, command: str) -> None:
    store("one.txt", "".join(f"{rows} x{k} 0.{k}\n" for k in range(9)))
    message = refused(*commands("one.txt")[command])
    if command.endswith("-folds"):
        assert_says(message, "folds")
    else:
        assert_says(message, f"{command.split('-')[1]}: there is no {lacks} trial", "both classes")


def test_traceback_is_never_shown() -> None:
    store("a.txt", BOB.replace("0.81\n", "high\n"))
    for arguments in (commands("a.txt")[name] for name in ("evaluate-dev", "epc-test", "convert")):
        child = subprocess.run([sys.executable, "-m", "fairtrial", *arguments], capture_output=True, text=True)
        assert child.returncode == 2
        assert not child.stdout or set(json.loads(child.stdout)) == {"error"}
        assert child.stderr.startswith("error: a.txt, line 2: ")
        assert child.stderr.count("\n") == 1


def test_line_of_two_gigabytes() -> None:
    store("a.txt", BOB * 2000)
    os.truncate("a.txt", 1 << 31)
    result = CliRunner().invoke(main, ["evaluate", "--dev", "a.txt", "--test", "good.txt"], catch_exceptions=False)
    assert (result.exit_code, result.stdout) == (2, "")
    assert_says(result.stderr, "a.txt, line 96001: is longer than 16 MiB")


# NaN policies


def test_nan_policies_end_well_and_are_noted() -> None:
    store("a.txt", BOB.replace("0.81\n", "nan\n"))
    for policy, note in (("drop", "dropped 4 trials without a score"), ("reject", "4 missing scores")):
        result = CliRunner().invoke(main, ["evaluate", "--dev", "a.txt", "--test", "good.txt", "--nan", policy])
        assert result.exit_code == 0, result.stderr
        assert_says(result.stdout, f"note: dev: {note}")


def test_nan_policy_that_leaves_nothing_to_convert() -> None:
    store("a.csv", "claim,subject,face\nanna,anna,nan\nanna,bert,nan\n")
    assert_says(refused("convert", "a.csv", "--nan", "drop", "--out", "out.csv"), "a.csv", "no trial")


# Several files


def test_trial_that_one_file_lacks() -> None:
    store("more.txt", BOB + "anna bert extra 0.4\n")
    arguments = ["convert", "good.txt", "more.txt", "--out", "out.csv"]
    assert_says(refused(*arguments), "probe extra", "more.txt, row 49", "is not in good.txt", "--common")
    result = CliRunner().invoke(main, [*arguments, "--common"])
    assert result.exit_code == 0, result.stderr
    assert_says(result.stdout, "note: dropped 1 trial that not all systems have, 48 are left")


def test_trial_that_comes_more_often_in_one_file() -> None:
    store("more.txt", BOB + BOB.splitlines()[0])
    message = refused("evaluate", "--dev", "good.txt", "--dev", "more.txt", "--test", "good.txt", "--test", "good.txt")
    assert_says(message, "claim anna, subject anna, probe anna-0", "more.txt, row 49", "good.txt, or not as often")


def test_label_that_disagrees_between_files() -> None:
    for name, label in (("face", 0), ("voice", 1)):
        store(f"{name}.csv", f"claim,probe,label,{name}\nanna,x,1,1\nanna,y,{label},0\n")
    message = refused("convert", "face.csv", "voice.csv", "--out", "out.csv")
    assert_says(message, "trial claim anna, probe y is impostor in face.csv and genuine in voice.csv", "correct the")


def test_dev_and_test_with_different_systems() -> None:
    store("other.csv", CSV.replace("voice", "speech"))
    for command in ("evaluate", "epc"):
        message = refused(command, "--dev", "wide.csv", "--test", "other.csv")
        assert_says(message, "voice in dev only; speech in test only", "read both with --system face")
    assert_says(refused("evaluate", "--dev", "good.txt", "--test", "wide.csv"), "face, voice in test only")


def test_system_that_only_dev_has() -> None:
    store("other.csv", CSV.replace("voice", "speech"))
    message = refused("evaluate", "--dev", "wide.csv", "--test", "other.csv", "--system", "voice")
    assert_says(message, "other.csv: there is no system 'voice'", "face, speech")


# Options


@pytest.mark.parametrize("command", [EVALUATE, EPC, ("convert", "good.txt", "--out", "out.csv")], ids=lambda c: c[0])
@pytest.mark.parametrize(
    ("options", "parts"),
    [
        ("--system hand", ["there is no system 'hand'; there are good"]),
        ("--negate-system hand", ["there is no system 'hand' to negate; there are good"]),
        ("--name p --name q", ["2 names for 1 system (good)"]),
        ("--column who=x", ["there is no column role who", "claim, subject, model, probe, label, system, score"]),
        ("--column claim", ["--column claim:", "as in --column claim=NAME"]),
        ("--label friend=x", ["--label friend=x", "genuine|impostor"]),
        ("--label genuine=x", ["which labels are genuine and which are impostor"]),
        ("--format xml", ["there is no format 'xml'; there are lists, pairs"]),
        ("--format npz", ["good.txt: is not a complete .npz archive"]),
        ("--format parquet", ["good.txt: is not a complete Parquet file"]),
        ("--format csv", ["good.txt: the first line is not a header"]),
        ("--format matrix", ["good.txt: is not a similarity matrix"]),
        ("--format lists", ["one with gen or genuine, one with imp or impostor"]),
        ("--format pairs", ["name the trial list", "first"]),
        ("--negate --negate-system hand", ["either --negate for all systems, or --negate-system"]),
        ("--label genuine=x --label impostor=y", ["no column holds labels"]),
        ("--column label=kind", ["there is no column 'kind'"]),
        ("--column kind=label", ["no column role kind", "did you mean --column label=kind?"]),
        ("--column kind", ["--column kind: expected ROLE=..., as in --column claim=NAME"]),
        ("--name=", ["the name of a system must not be empty"]),
    ],
)
def test_option_of_reading_that_cannot_be(command: tuple[str, ...], options: str, parts: list[str]) -> None:
    assert_says(refused(*command, *options.split()), *parts)


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        ("--criterion best", ["there is no criterion 'best'; there are wer-min"]),
        ("--criterion FMR", ["there is no criterion 'FMR'; did you mean 'far'?"]),
        ("--measure ppv", ["there is no measure 'ppv'; did you mean 'precision'?"]),
        ("--measure best", ["there is no measure 'best'; there are hter"]),
        ("--criterion no_such_module:best", ["no_such_module:best: cannot be loaded as module:function"]),
        ("--criterion math:best", ["math:best: cannot be loaded as module:function"]),
        ("--measure math:best", ["math:best: cannot be loaded as module:function"]),
        ("--criterion :", ["cannot be loaded as module:function"]),
        ("--criterion dcf --dcf 10,.01,1,x", ["--dcf 10,.01,1,x: "]),
        ("--criterion dcf --dcf 10", ["--dcf 10: "]),
        ("--criterion dcf --dcf 10,.01,1", ["--dcf 10,.01,1: "]),
        ("--criterion dcf --dcf 1,2,3,4,5", ["--dcf 1,2,3,4,5: "]),
        ("--measure dcf --dcf a,b,c,d", ["--dcf a,b,c,d: "]),
        ("--measure dcf --dcf 10;.01;1;.99", ["--dcf 10;.01;1;.99: "]),
        ("--criterion dcf --dcf -1,.5,1,.5", ["cost_fr must be", "-1"]),
        ("--criterion dcf --dcf 1,1.5,1,.5", ["prior_genuine must be at most 1, not 1.5"]),
        ("--criterion dcf --dcf 1,nan,1,.5", ["prior_genuine must be", "nan"]),
        ("--dcf a,b,c,d", ["--dcf a,b,c,d: "]),
        ("--criterion sys:path", ["sys:path"]),
        ("--measure sys:path", ["sys:path"]),
        ("--criterion bad_syntax:cost", ["bad_syntax:cost"]),
        ("--criterion takes_none:cost", ["cost", "takes"]),
        ("--folds 3", ["--test or --folds, not both"]),
    ],
)
@pytest.mark.parametrize("command", [EVALUATE, EPC], ids=lambda c: c[0])
def test_option_that_cannot_be(command: tuple[str, ...], options: str, parts: list[str]) -> None:
    store("bad_syntax.py", "def cost(:\n")
    store("takes_none.py", "def cost():\n    return 0\n")
    assert_says(refused(*command, *options.split()), *parts)


@pytest.mark.parametrize("alpha", ["1.5", "-0.1", "nan", "inf"])
def test_alpha_outside_of_0_to_1(alpha: str) -> None:
    for criterion in ("eer", "far", "wer-min"):
        message = refused(*EVALUATE, "--criterion", criterion, f"--alpha={alpha}")
        assert_says(message, f"alpha must be between 0 and 1, not {alpha}")


@pytest.mark.parametrize("confidence", ["0", "1", "-1", "95", "nan"])
def test_confidence_outside_of_0_to_1(confidence: str) -> None:
    assert_says(refused(*EVALUATE, f"--confidence={confidence}"), "confidence must be between 0 and 1, not", confidence)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--points", "1"], "at least 2 points, not 1"),
        (["--points", "-3"], "at least 2 points, not -3"),
        (["--range", ".9", ".1"], "within 0 and 1 and not be empty, not 0.9 to 0.1"),
        (["--range", "-1", "2"], "within 0 and 1 and not be empty, not -1 to 2"),
        (["--range", "nan", "1"], "not nan to 1"),
    ],
)
def test_range_and_points_of_a_curve(options: list[str], says: str) -> None:
    assert_says(refused(*EPC, *options), says)


@pytest.mark.parametrize("command", ["evaluate", "epc"])
@pytest.mark.parametrize(
    ("options", "parts"),
    [
        (["--folds", "1"], ["at least 2 folds, not 1"]),
        (["--folds", "0"], ["at least 2 folds, not 0"]),
        (["--folds", "-3"], ["at least 2 folds, not -3"]),
        (["--folds", "5"], ["5 folds need at least as many individuals, but there are 4"]),
        (["--folds", "2"], ["use 3 or more"]),
        ([], ["give --test F, or --folds K"]),
        pytest.param(
            ["--folds", "3", "--seed", "-1"],
            ["seed", "-1"],
        ),
    ],
    ids=["1", "0", "negative", "few-people", "2", "neither", "seed"],
)
def test_folds_that_cannot_be(command: str, options: list[str], parts: list[str]) -> None:
    assert_says(refused(command, "--dev", "good.txt", *options), *parts)


def test_folds_without_ids() -> None:
    store("gen.txt", "0.9\n0.8\n")
    store("imp.txt", "0.1\n0.2\n")
    arguments = ["evaluate", "--dev", "gen.txt", "--dev", "imp.txt", "--folds", "2"]
    assert_says(refused(*arguments), "--column claim=NAME", "--cluster none")
    assert_says(refused(*arguments, "--cluster", "claim"), "claim ids, which these trials do not have")


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (["nonsense"], "nonsense"),
        (["evaluate"], "--dev"),
        (["convert", "good.txt"], "--out"),
        (["convert", "--out", "out.csv"], "IN"),
        ([*EVALUATE, "--nonsense"], "--nonsense"),
        ([*EVALUATE, "--nan", "zero"], "--nan"),
        (["evaluate", "--dev", "good.txt", "--folds", "2.5"], "--folds"),
        (["evaluate", "--dev", "good.txt", "--folds", "three"], "there is no column 'three'"),
        ([*EPC, "--points", "many"], "--points"),
        ([*EPC, "--range", "0"], "--range"),
    ],
)
def test_usage_that_cannot_be_understood(arguments: list[str], names: str) -> None:
    result = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert (result.exit_code, result.stdout) == (2, "")
    assert_says(result.stderr.splitlines()[-1], "rror: ", names)


@pytest.mark.parametrize("command", ["evaluate", "epc"])
def test_no_system_at_all(command: str) -> None:
    store("a.npz", npz(scores=np.zeros((2, 0)), genuine=[True, False]))
    assert_says(refused(command, "--dev", "a.npz", "--test", "a.npz"), "a.npz")


# Paths and places


@pytest.mark.parametrize("command", COMMANDS)
def test_file_name_that_is_too_long(command: str) -> None:
    assert_says(refused(*commands("x" * 300)[command]), "too long")


@pytest.mark.parametrize("command", ["evaluate", "convert"])
def test_file_name_that_is_not_utf8(command: str) -> None:
    name = os.fsdecode(b"caf\xe9.txt")
    try:
        store(name, BOB)
    except OSError:
        pytest.skip("this file system has no such names")
    rest = ["--out", "out.csv", name] if command == "convert" else ["--dev", name, "--test", "good.txt"]
    child = subprocess.run([sys.executable, "-m", "fairtrial", command, *rest], capture_output=True)
    assert child.returncode in (0, 2)
    assert b"Traceback" not in child.stderr


def test_empty_path_is_not_the_current_directory() -> None:
    Path("good.txt").unlink()
    Path("wide.csv").unlink()
    store("a.parquet", parquet(TABLE))
    refused("evaluate", "--dev", "", "--test", "a.parquet")


@contextmanager
def nobody() -> Iterator[None]:
    """The rights of somebody who is not root, in a folder that is open to all."""
    if not hasattr(os, "geteuid"):
        pytest.skip("this system has no such rights")
    root = os.geteuid() == 0
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.chdir(name)
        Path().chmod(0o777)
        store("good.txt", BOB)
        store("locked/a.txt", BOB)
        store("closed.txt", BOB)
        Path("read-only").mkdir()
        for arguments in commands("good.txt").values():  # imports, while they are allowed
            CliRunner().invoke(main, arguments, catch_exceptions=False)
        for path, mode in (("closed.txt", 0), ("locked", 0), ("read-only", 0o555)):
            Path(path).chmod(mode)
        try:
            if root:
                try:
                    os.seteuid(65534)
                except OSError as error:
                    pytest.skip(f"root cannot become somebody else here: {error}")
            yield
        finally:
            if root:
                os.seteuid(0)
            Path("locked").chmod(0o700)


def refused_to_nobody(*arguments: str) -> str:
    result = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert result.exit_code == 2
    assert not result.stdout or set(json.loads(result.stdout)) == {"error"}
    assert result.stderr.count("\n") == 1
    return result.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_file_without_permission(command: str) -> None:
    with nobody():
        message = refused_to_nobody(*commands("closed.txt")[command])
    assert_says(message, "closed.txt: cannot be read: Permission denied")


@pytest.mark.parametrize("command", COMMANDS)
def test_directory_without_permission(command: str) -> None:
    with nobody():
        message = refused_to_nobody(*commands("locked")[command])
    assert_says(message, "locked", "Permission denied")


@pytest.mark.parametrize("command", COMMANDS)
def test_file_in_a_directory_without_permission(command: str) -> None:
    with nobody():
        message = refused_to_nobody(*commands("locked/a.txt")[command])
    assert_says(message, "locked/a.txt", "Permission denied")


def test_output_without_permission() -> None:
    with nobody():
        message = refused_to_nobody("convert", "good.txt", "--out", "read-only/out.csv")
        assert list(Path("read-only").iterdir()) == []
    assert_says(message, "read-only/out.csv: cannot be written", "Permission denied", "nothing was left behind")


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        ("--out no/out.csv", ["no/out.csv: there is no directory no to write to"]),
        ("--out good.txt/out.csv", ["good.txt/out.csv: there is no directory good.txt to write to"]),
        ("--out folder.csv", ["folder.csv: is a directory"]),
        ("--out out.xyz", ["out.xyz", "end it in .parquet, .npz, .csv"]),
        ("--out out", ["out: the name does not say which format"]),
        ("--out out.csv --to xml", ["there is no format 'xml'"]),
        ("--out out.csv --to matrix", ["format matrix cannot be written", "parquet, npz, csv"]),
        ("--out out.csv --name label", ["out.csv", "'label' would be read back as another column", "--name"]),
        ("wide.csv --out out.csv", ["good.txt", "wide.csv"]),
    ],
)
def test_output_that_cannot_be(options: str, parts: list[str]) -> None:
    Path("folder.csv").mkdir()
    assert_says(refused("convert", "good.txt", *options.split()), *parts)


def test_output_of_several_systems_in_a_format_of_one() -> None:
    message = refused("convert", "wide.csv", "--out", "out.txt")
    assert_says(message, "out.txt", "one system, not face, voice", "choose one, as in --system NAME")


@pytest.mark.parametrize("name", ["dev.txt", "test.txt", "eval.txt"])
def test_plain_names_are_converted(name: str) -> None:
    store(name, BOB)
    result = CliRunner().invoke(main, ["convert", name, "--out", "out.csv"])
    assert result.exit_code == 0, result.stderr


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))
from fairtrial.cli.app import main
main(sys.argv[1:], prog_name="fairtrial")
"""


@pytest.mark.parametrize("old", [None, b"old content"], ids=["new", "existing"])
@pytest.mark.parametrize("ending", ["csv", "tsv.gz", "csv.zst", "parquet", "npz", "txt"])
def test_disk_that_is_full(ending: str, old: bytes | None, folder: Path) -> None:
    pytest.importorskip("resource")
    rng = np.random.default_rng(1)
    store("long.txt", "".join(f"p{k % 5} p{k % 7} x{k} {score}\n" for k, score in enumerate(rng.random(5000))))
    if old is not None:
        store(f"out.{ending}", old)
    before = contents()
    arguments = ["convert", "long.txt", "--out", f"out.{ending}"]
    child = subprocess.run([sys.executable, "-B", "-c", LIMITED, *arguments], capture_output=True, text=True)
    assert (child.returncode, child.stdout) == (2, ""), child.stderr
    assert child.stderr.count("\n") == 1
    assert_says(child.stderr, f"error: out.{ending}: cannot be written", "File too large", "nothing was left behind")
    assert contents() == before


def test_a_file_without_its_option_is_told_how_to_give_it() -> None:
    result = CliRunner().invoke(main, ["evaluate", "scores.csv", "--json"])
    assert (result.exit_code, json.loads(result.stdout)["error"]["code"]) == (2, "usage")
    assert "--dev scores.csv" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ("evalute --dev a.csv", "'evaluate'"),
        ("plot ROC --out a.png", "'roc'"),
        ("evaluate --critrion eer", "'--criterion'"),
        ("groups --dev a.csv --test b.csv", "give --by COLUMN"),
        ("test individuals", "give FILE"),
        ("evaluate --nan keep", "'drop'"),
        ("--verzion", "--version"),
    ],
)
@pytest.mark.parametrize("as_json", [False, True])
def test_what_is_mistyped_ends_in_one_line_that_names_the_help(arguments: str, part: str, as_json: bool) -> None:
    result = CliRunner().invoke(main, [*arguments.split(), *["--json"] * as_json])
    (line,) = result.stderr.splitlines()
    assert result.exit_code == 2
    assert_says(line, "error: ", part, "--help")
    assert bool(result.stdout) == as_json
    if as_json:
        assert json.loads(result.stdout)["error"] == {"code": "usage", "message": line.removeprefix("error: ")}


def test_a_missing_label_is_answered_with_the_column_that_may_hold_it(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("person,y,face\na,1,.9\nb,0,.1\nc,0,.2\n")
    result = CliRunner().invoke(main, ["evaluate", "--dev", str(path), "--test", str(path)])
    assert result.exit_code == 2
    assert "person, y, face" in result.output
    assert "--column label=y" in result.output
