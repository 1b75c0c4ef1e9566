"""What commands say of the files they read, and what they refuse."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from fairtrial.calibration.evidence import PRESETS
from fairtrial.cli.app import main


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    rng = np.random.default_rng(3)
    rows = [
        f"{c},{s},{c}{s}{k},{rng.normal() + 2 * (c == s):.4f},{rng.normal() + (c == s):.4f},{rng.integers(20, 60)},f"
        for c in "abcdefgh"
        for s in "abcdefgh"
        for k in range(3)
    ]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(["claim,subject,probe,face,voice,age,gender", *rows]) + "\n")
    return path


TAKEN = "read as csv: scores face, voice; claim, subject, probe; kept besides: age, gender"


@pytest.mark.parametrize("command", ["evaluate", "compare", "epc", "fuse"])
def test_every_command_says_what_was_taken_for_what(command: str, scores: Path) -> None:
    result = run(command, "--dev", scores, "--test", scores, "-v")
    assert result.exit_code == 0, result.output
    assert TAKEN not in run(command, "--dev", scores, "--test", scores).stdout
    assert f"note: dev and test: {TAKEN}" in result.stdout
    assert TAKEN in run(command, "--dev", scores, "--test", scores, "--json").stdout


def test_a_figure_says_it_too(scores: Path, tmp_path: Path) -> None:
    words = ("plot", "det", "--dev", scores, "--test", scores, "--out", tmp_path / "det.png")
    assert f"note: dev and test: {TAKEN}" in run(*words, "-v").stderr
    assert json.loads(run(*words, "--json").stdout)["notes"][0]["code"] == "read-as"


def test_convert_keeps_columns_and_says_what_it_could_not(scores: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    assert json.loads(run("convert", scores, "--out", out, "--json").stdout)["columns"] == ["age", "gender"]
    assert out.read_text().splitlines()[0] == "claim,subject,probe,label,age,gender,face,voice"
    result = run("convert", scores, "--out", tmp_path / "out.txt", "--system", "face")
    assert "has no room for age, gender" in result.stdout


def test_other_columns_people_and_what_is_genuine_by_options(scores: Path) -> None:
    result = run("evaluate", "--dev", scores, "--test", scores, "--column", "other=voice", "--json")
    assert [one["system"] for one in json.loads(result.stdout)["systems"]] == ["face"]
    result = run("evaluate", "--dev", scores, "--test", scores, "--person", "(", "--json")
    assert result.exit_code == 2
    assert "--person ( is not a regular expression" in result.output
    result = run("evaluate", "--dev", scores, "--test", scores, "--genuine-by", "label")
    assert result.exit_code == 2
    assert "has no labels, as --genuine-by label asks" in result.output
    assert (
        "--column claim=... was given twice"
        in run(
            "evaluate", "--dev", scores, "--test", scores, "--column", "claim=claim", "--column", "claim=probe"
        ).output
    )


def test_one_class_only_is_named_by_its_file(scores: Path, tmp_path: Path) -> None:
    one = tmp_path / "one.csv"
    lines = scores.read_text().splitlines()
    one.write_text("\n".join([lines[0], *(line for line in lines if line.startswith("c,a"))]))
    result = run("evaluate", "--dev", scores, "--test", one)
    assert result.exit_code == 2
    assert f"{one}, test: there is no genuine trial" in result.output


@pytest.mark.parametrize(
    ("words", "flag"),
    [
        (("interval", "individuals", "counts.csv", "--by", "subject"), "--by"),
        (("interval", "individuals", "counts.csv", "--error", "far"), "--error"),
        (("interval", "individuals", "counts.csv", "--negate"), "--negate"),
        (("plan", "--pi", ".02", "--half-width", ".005", "--attempts", "5", "--power", ".9"), "--power"),
        (("plan", "--pi", ".02", "--half-width", ".005", "--attempts", "5", "--impostors", "9"), "--impostors"),
        (("plan", "--pi", ".005", "--below", ".01", "--scale", "logit"), "--scale"),
        (("plan", "--a", ".01", ".02", "--b", ".02", ".03", "--person-cost", "3"), "--person-cost"),
    ],
)
def test_options_that_do_not_apply_are_refused(words: tuple[str, ...], flag: str, tmp_path: Path) -> None:
    (tmp_path / "counts.csv").write_text("errors,attempts\n1,5\n0,5\n2,5\n")
    result = run(*(tmp_path / word if word == "counts.csv" else word for word in words))
    assert result.exit_code == 2
    assert f"error: {flag} " in result.output


def test_a_key_apart_from_the_scores(scores: Path, tmp_path: Path) -> None:
    rows = scores.read_text().splitlines()[1:]
    cells = [row.split(",") for row in rows]
    labels = [f"{c},{s},{p},{'target' if c == s else 'nontarget'}" for c, s, p, *_ in cells]
    (tmp_path / "key.csv").write_text("\n".join(["claim,subject,probe,label", *labels, ""]))
    (tmp_path / "bare.csv").write_text("\n".join(["probe,face", *(f"{row[2]},{row[3]}" for row in cells), ""]))
    bare, key = tmp_path / "bare.csv", tmp_path / "key.csv"
    joined = run("evaluate", "--dev", bare, "--test", bare, "--key", key, "--json")
    assert joined.exit_code == 0, joined.output
    whole = run("evaluate", "--dev", scores, "--test", scores, "--system", "face", "--json")
    figures = [json.loads(result.stdout)["systems"][0] for result in (joined, whole)]
    assert figures[0]["test"]["hter"] == figures[1]["test"]["hter"]
    over = run("evaluate", "--dev", bare, "--test", bare, "--key", key, "--out", key)
    assert (over.exit_code, over.stdout) == (2, "")
    assert "would be written over files that are read" in over.stderr


def test_folds_given_by_a_column(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    people = [f"p{k}" for k in range(12)]
    rows = [
        (c, s, "uvw"[k // 4], float(rng.normal() + 2 * (c == s)))
        for k, c in enumerate(people)
        for s in people[4 * (k // 4) : 4 * (k // 4) + 4]
        for _ in range(3)
    ]
    path = tmp_path / "folds.csv"
    path.write_text("claim,subject,part,s\n" + "".join(f"{c},{s},{part},{score!r}\n" for c, s, part, score in rows))
    result = run("evaluate", "--dev", path, "--folds", "part", "--criterion", "wer-min", "--json")
    assert result.exit_code == 0, result.output
    (system,) = json.loads(result.stdout)["systems"]
    errors = {"far": 0, "frr": 0}
    for part, threshold in zip("uvw", system["fold_thresholds"], strict=True):
        others = [(score, c == s) for c, s, own, score in rows if own != part]
        genuine = sum(same for _, same in others)

        def cost(at: float, trials: list[tuple[float, bool]] = others, of: int = genuine) -> float:
            accepted = sum(score > at and not same for score, same in trials) / (len(trials) - of)
            return accepted + sum(score <= at and same for score, same in trials) / of

        least = min(cost(score) for score, _ in others)
        assert cost(threshold) == pytest.approx(least)  # by the other two folds
        judged = [(score, c == s) for c, s, own, score in rows if own == part]
        errors["far"] += sum(score > threshold and not same for score, same in judged)
        errors["frr"] += sum(score <= threshold and same for score, same in judged)
    assert (system["test"]["false_accepts"], system["test"]["false_rejects"]) == (errors["far"], errors["frr"])
    notes = {note["code"]: note["values"] for note in system["notes"]}
    assert notes["given-folds"] == {"count": 3, "column": "part"}
    assert "split-people" not in notes
    (by_subject,) = json.loads(run("evaluate", "--dev", path, "--folds", "subject", "--json").stdout)["systems"]
    assert {note["code"]: note["values"] for note in by_subject["notes"]}["split-people"] == {"count": 12}


def test_a_column_that_gives_no_folds(scores: Path) -> None:
    for column, words in (("gender", "--folds"), ("session", "no column 'session'")):
        result = run("evaluate", "--dev", scores, "--folds", column)
        assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
        assert words in result.stderr


@pytest.mark.parametrize("pattern", ["a{99999999999999999999}", "(" * 5000 + ")" * 5000])
def test_a_pattern_that_python_cannot_compile(pattern: str, scores: Path) -> None:
    """They ended in an OverflowError and in a RecursionError."""
    result = run("evaluate", "--dev", scores, "--test", scores, "--person", pattern)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert "is not a regular expression" in result.stderr


def test_demo_has_a_column_to_group_by(tmp_path: Path) -> None:
    files = [tmp_path / "dev.csv", tmp_path / "test.csv"]
    assert run("demo", tmp_path).exit_code == 0
    command = ["groups", "--dev", files[0], "--test", files[1], "--by", "sex"]
    groups = json.loads(run(*command, "--system", "face", "--json").stdout)["groups"]
    assert [(group["group"], group["people"]) for group in groups] == [("f", 25), ("m", 25)]
    refused = run(*command)
    assert (refused.exit_code, "--system: face, voice, phone" in refused.stderr) == (2, True)


def test_demo_has_no_tables_to_write(tmp_path: Path) -> None:
    result = run("demo", tmp_path / "demo", "--out", tmp_path / "demo.csv")
    assert result.exit_code == 2
    assert "no such option '--out'" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_set_is_one_of_known_data(scores: Path) -> None:
    """The option was ignored without --data."""
    result = run("evaluate", "--dev", scores, "--test", scores, "--set", "LP1", "--json")
    assert json.loads(result.stdout)["error"]["code"] == "does-not-apply"
    result = run("evaluate", "--data", "lausanne")
    assert "LP1, LP2" in result.stderr
    assert result.stderr.count("LP1") == 1
    assert "may be repeated" not in " ".join(run("evaluate", "--help-all").stdout.split("--set")[1].split("--")[:2])


def test_random_splits_are_the_first_one(real_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error named the same set ten times."""
    monkeypatch.setenv("FAIRTRIAL_DATA", str(real_data))
    result = json.loads(run("evaluate", "--data", "bssr1-set1", "--system", "face-C", "--json").stdout)
    assert "random-split" in [note["code"] for note in result["systems"][0]["notes"]]


def test_bounds_need_dev(scores: Path) -> None:
    """They were left out in silence."""
    words = ("calibrate", "--test", scores, "--system", "face", "--method", "none", "--json")
    assert json.loads(run(*words, "--bounds", "elub").stdout)["error"]["code"] == "needs-dev"
    assert run(*words).exit_code == 0


def test_mistyped_names(scores: Path, tmp_path: Path) -> None:
    sets = ("--dev", scores, "--test", scores)
    for words, meant in (
        (("evaluate", "--dev", tmp_path / "score.csv", "--test", scores), "scores.csv"),
        (("evaluate", "--data", "lausane"), "lausanne"),
        (("evaluate", *sets, "--measure", "dcf", "--dcf", "sre81"), "sre18"),
        (("evaluate", *sets, "--measure", "FRRR"), "frr"),
        (("convert", tmp_path / "SCORES.CSV", "--out", tmp_path / "b.csv"), "scores.csv"),
    ):
        result = run(*words)
        assert result.exit_code == 2
        assert f"did you mean '{meant}'?" in result.stderr, words


def test_nothing_far_fetched_is_suggested(scores: Path, tmp_path: Path) -> None:
    """A short name, an ending or a dash that names share made them near."""
    words: tuple[object, ...]
    for name in ("o.csv", "ind.csv"):
        (tmp_path / name).write_text("x\n")
    for words in (
        ("evaluate", "--dev", tmp_path / "nope.csv", "--test", scores),
        ("evaluate", "--bogus"),
        ("epc", "--alpha", ".3"),
        ("plot", "epc-compare", "--compare", "a,b"),
    ):
        result = run(*words)
        assert result.exit_code == 2
        assert "did you mean" not in result.stderr.lower(), words
    for words, meant in (
        (("eval",), "evaluate"),
        (("plot", "dte"), "det"),
        (("evaluate", "--critrion", "far"), "--criterion"),
        (("convert", tmp_path / "scores.txt", "--out", tmp_path / "b.csv"), "scores.csv"),
    ):
        assert f"did you mean '{meant}'?" in run(*words).stderr, words


def test_errors_name_what_is_expected(scores: Path, tmp_path: Path) -> None:
    words: tuple[object, ...]
    sets = ("--dev", scores, "--test", scores)
    for words, message in (
        (("completion",), "give {bash|zsh|fish}; see fairtrial completion --help"),
        (("evaluate", *sets, "--seed", "x"), "--seed: expected a whole number, not 'x'"),
        (
            ("evaluate", *sets, "--criterion", "dcf", "--dcf", "sre18"),
            "those of one are sre18-vast, sre19-av, sre20-cts",
        ),
    ):
        assert message in run(*words).stderr
    missing = tmp_path / "none.x"
    for words in (
        ("evaluate", "--dev", missing, "--test", scores),
        ("evaluate", *sets, "--key", missing),
        ("interval", "individuals", missing),
        ("merge", missing, "--out", tmp_path / "a.ftc"),
        ("fuse", "--test", scores, "--model", missing),
    ):
        assert run(*words).stderr == f"error: {missing}: there is no such file\n"


def test_the_help_of_costs_has_the_names_that_are_taken() -> None:
    """It named sre18, which evaluate refuses, and two orders of the numbers."""
    text = " ".join(run("evaluate", "--help-all").stdout.split("--dcf")[1].split())
    ones, _, others = text.partition("calibrate also")
    for name, points in PRESETS.items():
        assert name in (ones if len(points) == 1 else others).translate(str.maketrans(",.()", "    ")).split()


def test_trials_of_known_data_are_converted_and_counted(tmp_path: Path) -> None:
    """These two commands took files only."""
    asked = ("--data", "lausanne", "--set", "LP1", "--system", "(FH,MLP)")
    answer = run("evaluate", *asked).stdout.splitlines()[0]
    for ending, command in ((".parquet", "convert"), (".ftc", "count")):
        files = {name: tmp_path / f"{name}{ending}" for name in ("dev", "test")}
        for name, path in files.items():
            assert run(command, name, *asked, "--out", path).exit_code == 0
        of_files = run("evaluate", "--dev", files["dev"], "--test", files["test"]).stdout.splitlines()[0]
        assert of_files.split("%")[0] == answer.split("%")[0]
    for words in (("x", *asked), ("dev", "test", *asked), ("dev", *asked[2:])):
        assert run("convert", *words, "--out", tmp_path / "x.csv").exit_code == 2


def test_the_example_of_groups_works_on_the_example_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run("demo")
    (example,) = [line for line in run("groups", "--help").stdout.splitlines() if line.endswith("--by sex")]
    assert run(*example.split()[1:]).exit_code == 0


def test_help_offers_no_more_help_if_there_is_none() -> None:
    assert "--help-all" not in run("datasets", "--help").stdout
    assert "--help-all" in run("evaluate", "--help").stdout
    assert run("plot", "--help-all").stdout == run("plot", "--help").stdout


def test_options_are_spelled_as_flags(scores: Path, tmp_path: Path) -> None:
    """These messages spelled them as keywords of Python."""
    (tmp_path / "gen.txt").write_text("a a 1 .9\n")
    (tmp_path / "imp.txt").write_text("a b 2 .1\n")
    lists = ("evaluate", "--dev", tmp_path / "gen.txt", "--dev", tmp_path / "imp.txt", "--folds", "3")
    (tmp_path / "comma.csv").write_text("label,face,voice\n" + '1,.5,"0,5"\n0,.2,"0,2"\n' * 30)
    for words, flag in (
        (("evaluate", "--dev", scores, "--folds", 3, "--person", "z+"), "--person z+ finds nobody"),
        (lists, "--column claim=1 --column subject=2 --column probe=3 --column score=4"),
        ((*lists, "--column", "claim=1"), "not only some, as in --column score=4"),
        (("evaluate", "--dev", tmp_path / "comma.csv", "--folds", 3), "--column other=voice"),
    ):
        result = run(*words)
        assert flag in result.stderr


def test_a_spreadsheet_is_no_manifest(tmp_path: Path) -> None:
    (tmp_path / "a.xlsx").write_bytes(b"PK\x03\x04\xff\xfe")
    result = json.loads(run("benchmark", "--data", tmp_path / "a.xlsx", "--json").stdout)
    assert result["error"]["code"] == "not-toml"
    assert "utf-8" not in result["error"]["message"]
