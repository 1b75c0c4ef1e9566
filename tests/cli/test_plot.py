"""fairtrial plot: every figure, its help, and what is wrong."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from fairtrial import Trials, write_trials
from fairtrial.cli.app import main
from fairtrial.figures.table import FIGURES as TABLE

SETS = ["--dev", "dev.csv", "--test", "test.csv"]
PAIR = [*SETS, "--systems", "face,voice"]
QUICK = ["--resamples", "50", "--points", "11"]
GROUPS = [*SETS, "--system", "face", "--people", "people.csv", "--by", "sex"]
STUDY = "n,m,pi,rho,method,coverage\n" + "".join(
    f"{n},{m},.01,{rho},lbb,{0.8 + m / 100}\n" for n in (100, 200) for m in (2, 5, 8) for rho in (0.1, 0.4)
)

FIGURES: dict[str, list[list[str]]] = {
    "det": [SETS, ["--dev", "dev.csv", "--folds", "4", "--system", "face"]],
    "roc": [SETS, [*SETS, "--limit", ".5", "--criterion", "far", "--alpha", ".05"], [*SETS, "--eer", "rocch"]],
    "precision-recall": [SETS, [*SETS, "--criterion", "precision-at-least", "--alpha", ".8", "--low", ".2"]],
    "epc": [
        [*SETS, "--points", "11", "--bands", "simultaneous", "--mark", ".5", "--mark", ".2"],
        [*SETS, "--points", "11", "--bands", "pointwise", "--resample", "test"],
        [*SETS, *QUICK, "--bands", "pointwise", "--band-method", "bootstrap"],
        [*SETS, "--points", "11", "--criterion", "precision", "--measure", "recall", "--range", ".3", ".9"],
        [*SETS, "--measure", "f1", "--criterion", "precision-recall", "--points", "11", "--pool"],
        ["--dev", "dev.csv", "--folds", "4", "--points", "11"],
    ],
    "epc-compare": [
        [*PAIR, *QUICK],
        [*PAIR, *QUICK, "--method", "dependent", "--simultaneous"],
        [*PAIR, *QUICK, "--method", "bootstrap"],
        [*PAIR, *QUICK, "--measure", "f1"],
    ],
    "epc-significance": [[*PAIR, *QUICK, "--levels", ".05,.5,.95"], [*PAIR, *QUICK, "--measure", "precision"]],
    "pooled-epc": [
        ["--data", "set"],
        ["--data", "set", "--fusion", "mean,max", "--group", "S: multimodal"],
        ["--data", "set", "--fusion", "mean,max", "--points", "5", "--bands", "simultaneous", "--compare"],
    ],
    "bootstrap": [
        [*PAIR, "--resamples", "200", "--method", "centred"],
        [*PAIR, "--resamples", "200", "--measure", "f1"],
    ],
    "scatter": [[*PAIR, "--points", "50", "--seed", "3"], [*PAIR, "--points", "20%"]],
    "correlation": [["--dev", "dev.csv"], ["--dev", "test.csv", "--systems", "face,voice"]],
    "diagnostic": [[*SETS, "--system", "voice"], SETS],
    "bayes-error": [[*SETS, "--raw"], [*SETS, "--fuse", "--bands", "pointwise", "--confidence", ".9"]],
    "ece": [[*SETS, "--method", "pav", "--raw", "--bands", "pointwise", "--cluster", "none"]],
    "tippett": [SETS],
    "pav": [[*SETS, "--resamples", "20"], [*SETS, "--system", "face", "--scores", "--resamples", "20"]],
    "llr-map": [[*SETS, "--system", "face", "--method", "logistic", "--method", "pav", "--resamples", "20"]],
    "hter-density": [[], ["--impostor", "112000", "--genuine", "400"]],
    "hter-sd": [[], ["--far", ".01", "--frr", ".02", "--genuine", "400", "--most", "300"]],
    "coverage": [
        ["study.csv"],
        ["study.csv", "--n", "100", "--method", "lbb"],
        ["--n", "50", "--m", "2,5", "--pi", ".05,.1", "--rho", ".1", "--datasets", "20", "--workers", "1"],
    ],
    "hook": [
        ["study.csv", "--n", "200", "--rho", ".4"],
        ["--n", "50", "--m", "2,4", "--pi", ".1", "--rho", ".2", "--exact", "--method", "lbb", "--workers", "1"],
    ],
    "fit": [["counts.csv", "--resamples", "5"], ["counts.csv", "--model", "beta-binomial", "--resamples", "5"]],
    "eer-bound": [[".0007", ".0008", "0", "--trials", "285390"]],
    "plan": [
        ["--pi", ".02", "--rho", ".1", "--half-width", ".005"],
        ["--a", ".01", ".02", "--b", ".015", ".03", "--attempts", "4"],
    ],
    "groups": [GROUPS, [*GROUPS, "--sort", "far", "--resample", "test", "--terms", "iso"]],
    "group-matrix": [GROUPS],
    "group-det": [[*GROUPS, "--group", "f", "--eer", "rocch"]],
    "group-epc": [
        [*SETS, "--system", "face", "--by", "claim", "--points", "5", "--measure", "far", "--group", "3"],
        [
            *SETS,
            "--system",
            "face",
            "--people",
            "people.csv",
            "--by",
            "sex",
            "--criterion",
            "far",
            "--range",
            ".1",
            ".3",
        ],
    ],
    "zoo": [[*SETS, "--system", "face"], [*SETS, "--system", "face", "--shows", "errors", "--by", "subject"]],
}
CASES = [(name, arguments) for name, several in FIGURES.items() for arguments in several]


@pytest.fixture(scope="module")
def trials() -> tuple[Trials, Trials]:
    made = []
    for seed in (0, 1):
        rng = np.random.default_rng(seed)
        claim, subject = np.divmod(np.arange(400), 20)
        scores = np.outer(claim == subject, [2.0, 3.0]) + rng.normal(size=(400, 2))
        made.append(
            Trials.from_arrays(scores, claim == subject, systems=["face", "voice"], claim=claim, subject=subject)
        )
    return made[0], made[1]


@pytest.fixture(autouse=True)
def folder(trials: tuple[Trials, Trials], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with score files, a small benchmark and a study."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "set").mkdir()
    for name, one in zip(("dev", "test"), trials, strict=True):
        write_trials(one, f"{name}.csv")
        write_trials(one, f"set/{name}.csv")
    Path("set/benchmark.toml").write_text(
        'name = "small"\n[[set]]\nname = "S"\ndev = "dev.csv"\ntest = "test.csv"\n'
        '[[set.system]]\nname = "face"\nmodality = "seen"\n[[set.system]]\nname = "voice"\nmodality = "heard"\n'
    )
    Path("people.csv").write_text("person,sex\n" + "".join(f"{k},{'fm'[k % 2]}\n" for k in range(20)))
    Path("study.csv").write_text(STUDY)
    Path("counts.csv").write_text("errors,attempts\n" + "".join(f"{x},5\n" for x in (0, 0, 0, 1, 0, 2, 0, 0, 5, 1)))
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["plot", *arguments])


def test_every_figure_is_tried() -> None:
    assert set(FIGURES) == set(TABLE)


@pytest.mark.parametrize(("name", "arguments"), CASES, ids=[f"{name}-{k}" for k, (name, _) in enumerate(CASES)])
def test_figure_is_written_and_named(name: str, arguments: list[str]) -> None:
    before = {path.name for path in Path().iterdir()}
    result = run(name, *arguments, "--out", "figure.png", "--dpi", "30")
    assert result.exit_code == 0, result.output
    named, *caption = result.stdout.splitlines()
    assert named == "figure.png"
    assert "".join(caption).strip()
    assert Path("figure.png").read_bytes().startswith(b"\x89PNG")
    assert {path.name for path in Path().iterdir()} - before == {"figure.png"}


@pytest.mark.parametrize("name", FIGURES)
def test_help_has_an_example(name: str) -> None:
    result = run(name, "--help-all")
    assert result.exit_code == 0
    assert f"fairtrial plot {name} " in result.stdout
    for option in ("--out", "--width", "--height", "--dpi", "--json"):
        assert option in result.stdout


def test_json_names_file_and_figure() -> None:
    result = run("hter-sd", "--out", "a.svg", "--title", "sd", "--json")
    found = json.loads(result.stdout)
    assert (found["out"], found["figure"]) == ("a.svg", "hter-sd")
    assert found["caption"]
    assert b"<svg" in Path("a.svg").read_bytes()


TOLD = [
    ["epc", *SETS, "--points", "3"],
    ["det", *SETS],
    ["roc", *SETS],
    ["precision-recall", *SETS],
    ["diagnostic", *SETS],
    ["bootstrap", *PAIR, "--resamples", "50"],
    ["epc-compare", *PAIR, "--points", "3"],
    ["epc-significance", *PAIR, "--points", "3"],
    ["groups", *GROUPS],
    ["tippett", *SETS],
]


@pytest.mark.parametrize("arguments", TOLD, ids=lambda arguments: arguments[0])
def test_figures_tell_what_is_to_be_known_of_their_trials(arguments: list[str]) -> None:
    same = ["dev.csv" if word == "test.csv" else word for word in arguments]
    result = run(*same, "--out", "figure.png", "--dpi", "30")
    assert "warning: dev and test are the same trials" in result.stderr, result.output


@pytest.mark.parametrize("name", ["det", "precision-recall", "scatter", "zoo", "bootstrap", "groups", "diagnostic"])
def test_an_alpha_without_effect_is_warned_of(name: str) -> None:
    arguments = {"scatter": PAIR, "bootstrap": [*PAIR, "--resamples", "50"], "groups": GROUPS}
    files = arguments.get(name, [*SETS, "--system", "face"])
    result = run(name, *files, "--alpha", ".1", "--out", "figure.png", "--dpi", "30")
    warned = "warning: --alpha 0.1 has no effect with the criterion" in " ".join(result.stderr.split())
    assert warned == (name != "diagnostic"), result.output  # its WER has this weight


@pytest.mark.parametrize(
    ("name", "more", "words"),
    [
        ("det", [], "threshold by eer on dev"),
        ("roc", ["--criterion", "wer-min"], "threshold by wer-min on dev"),
        ("precision-recall", [], "threshold by break-even on dev"),
        ("scatter", ["--criterion", "far", "--alpha", ".05"], "thresholds by far on dev"),
        ("epc", ["--criterion", "wer-equal"], "alpha, the weight of FAR, by wer-equal"),
        ("epc-compare", [], "alpha, the weight of FAR, by wer-min"),
        ("epc-significance", ["--criterion", "far"], "target FAR on dev, by far"),
        ("group-epc", ["--by", "claim", "--system", "face"], "alpha, the weight of FAR, by wer-min"),
    ],
)
def test_the_criterion_stands_with_its_alpha_or_threshold(name: str, more: list[str], words: str) -> None:
    files = SETS if name == "group-epc" else PAIR
    points = ["--points", "5"] if "ep" in name else []
    result = run(name, *files, *points, *more, "--out", "figure.svg")
    assert result.exit_code == 0, result.output
    assert words in texts_of("figure.svg")


def texts_of(path: str) -> str:
    """The texts of a figure, which an SVG has as comments."""
    return " ".join(re.findall("<!-- (.*) -->", Path(path).read_text()))


def test_size_is_what_was_asked_for() -> None:
    from matplotlib.image import imread

    run("hter-sd", "--out", "a.png", "--width", "5", "--height", "4", "--dpi", "50")
    assert imread("a.png").shape[:2] == (200, 250)


def test_figures_take_iso_terms() -> None:
    assert run("det", *SETS, "--out", "det.svg").exit_code == 0
    assert run("det", *SETS, "--terms", "iso", "--out", "iso.svg").exit_code == 0
    plain, iso = (Path(name).read_text() for name in ("det.svg", "iso.svg"))
    assert "FAR" in plain
    assert "FAR" not in iso
    assert "FNMR" in iso


BAD: list[tuple[list[str], str]] = [
    (["det", "--dev", "none.txt", "--test", "none.txt", "--out", "a.gif"], "should end in .png, .svg, .pdf"),
    (["det", "--dev", "none.txt", "--test", "none.txt", "--out", "no/a.png"], "no directory no"),
    (["det", "--dev", "none.txt", "--test", "none.txt", "--out", "a.png"], "none.txt"),
    (["det", *SETS, "--dpi", "0", "--out", "a.png"], "dots per inch"),
    (["det", *SETS, "--width", "-1", "--out", "a.png"], "width"),
    (["det", "--dev", "dev.csv", "--out", "a.png"], "--test F, or --folds K"),
    (["det", *SETS, "--system", "ear", "--out", "a.png"], "no system 'ear'"),
    (["roc", *SETS, "--limit", "7", "--out", "a.png"], "limit"),
    (["roc", *SETS, "--confidence", "95", "--out", "a.png"], "confidence"),
    (["precision-recall", *SETS, "--low", "2", "--out", "a.png"], "--low must be a fraction"),
    (["precision-recall", *SETS, "--criterion", "precision", "--out", "a.png"], "needs a target, as in --alpha"),
    (["epc", *SETS, "--points", "1", "--out", "a.png"], "at least 2 points"),
    (["epc", "--dev", "dev.csv", "--folds", "4", "--mark", ".5", "--out", "a.png"], "--mark"),
    (["epc", *SETS, "--measure", "f1", "--mark", ".5", "--out", "a.png"], "--mark"),
    (["epc-compare", *SETS, "--systems", "face", "--out", "a.png"], "two systems, not face"),
    (["epc-significance", *PAIR, "--levels", "ten", "--out", "a.png"], "--levels: expected a number"),
    (["epc-significance", *PAIR, "--levels", "10,90", "--out", "a.png"], "fractions"),
    (["pooled-epc", "--data", "nowhere", "--out", "a.png"], "nowhere"),
    (["pooled-epc", "--data", "set", "--seed", "-1", "--out", "a.png"], "seed"),
    (["pooled-epc", "--data", "set", "--fusion", "mean,max", "--group", "x", "--out", "a.png"], "no group 'x'"),
    (["bootstrap", *PAIR, "--resamples", "0", "--out", "a.png"], "resample"),
    (["scatter", *PAIR, "--points", "0", "--out", "a.png"], "point"),
    (["diagnostic", *SETS, "--bins", "0", "--out", "a.png"], "bin"),
    (["bayes-error", *SETS, "--fuse", "--raw", "--out", "a.png"], "is a fusion"),
    (["ece", *SETS, "--prior", "2", "--out", "a.png"], "prior must be"),
    (["pav", *SETS, "--scores", "--out", "a.png"], "--scores are those of one system"),
    (["pav", *SETS, "--resamples", "0", "--out", "a.png"], "resample"),
    (["llr-map", *SETS, "--out", "a.png"], "one system, not face, voice"),
    (["hter-sd", "--most", "1", "--out", "a.png"], "above 1"),
    (["hter-sd", "--far", "10", "--out", "a.png"], "FAR must be a fraction"),
    (["coverage", "none.csv", "--out", "a.png"], "none.csv"),
    (["coverage", "dev.csv", "--out", "a.png"], "expected a header with the columns n, m, pi, rho, coverage, method"),
    (["coverage", "study.csv", "--grid", "paper", "--out", "a.png"], "--grid"),
    (["coverage", "study.csv", "--n", "7", "--out", "a.png"], "no n = 7"),
    (["coverage", "study.csv", "--method", "brr", "--out", "a.png"], "no method 'brr'"),
    (["hook", "study.csv", "--out", "a.png"], "4 combinations"),
    (["hook", "--m", "two", "--out", "a.png"], "--m: expected a whole number"),
    (["eer-bound", ".1", "--trials", "100", "--out", "a.png"], "two EERs"),
    (["eer-bound", ".1", ".2", "--trials", "100", "--p-value", "2", "--out", "a.png"], "p_value"),
    (["plan", "--out", "a.png"], "--pi"),
    (["plan", "--a", ".1", ".1", "--out", "a.png"], "both --a"),
    (["plan", "--a", ".1", ".1", "--b", ".1", ".2", "--attempts", "0", "--out", "a.png"], "attempt"),
    (["groups", *SETS, "--by", "claim", "--out", "a.png"], "--system: face, voice"),
    (["groups", *SETS, "--system", "face", "--by", "sex", "--out", "a.png"], "no column 'sex'"),
    (["group-matrix", *SETS, "--system", "face", "--by", "claim", "--out", "a.png"], "--people or --impostor-by"),
    (["group-det", *GROUPS, "--group", "x", "--out", "a.png"], "no group 'x'; there are f, m"),
    (["group-epc", *GROUPS, "--points", "1", "--out", "a.png"], "at least 2 points"),
    (["zoo", *SETS, "--out", "a.png"], "one system, not face, voice"),
]


@pytest.mark.parametrize(("arguments", "words"), BAD, ids=[f"{k}-{case[0][0]}" for k, case in enumerate(BAD)])
def test_bad_input_is_one_clear_line(arguments: list[str], words: str) -> None:
    before = {path.name for path in Path().iterdir()}
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    assert words in result.stderr
    assert {path.name for path in Path().iterdir()} == before


def test_out_is_required() -> None:
    result = run("hter-sd")
    assert result.exit_code == 2
    assert "--out" in result.stderr
