"""The command fuse."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from fairtrial import Trials, read_trials, write_trials
from fairtrial.cli.app import main
from fairtrial.core.parameters import flag_of
from fairtrial.fusion.fusion import fuse
from fairtrial.fusion.methods import FUSIONS, FusionMethod
from fairtrial.fusion.model import Fitted
from fairtrial.fusion.normalise import NORMALISATIONS

FILES = ("--dev", "dev.csv", "--test", "test.csv")


def example(seed: int) -> Trials:
    rng = np.random.default_rng(seed)
    claim = np.concatenate([np.repeat(np.arange(12), 4), np.repeat(np.arange(12), 10)])
    subject = np.concatenate([np.repeat(np.arange(12), 4), 100 + np.tile(np.arange(10), 12)])
    genuine = claim == subject
    scores = rng.normal(1.5 * genuine[:, None], 1, (len(claim), 3)) * [1, 10, 1]
    return Trials.from_arrays(
        scores,
        genuine,
        systems=["face", "voice", "(FH,MLP)"],
        claim=[f"p{k}" for k in claim],
        subject=[f"p{k}" for k in subject],
    )


DEV, TEST = example(0), example(1)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with dev.csv and test.csv in it."""
    monkeypatch.chdir(tmp_path)
    write_trials(DEV, "dev.csv")
    write_trials(TEST, "test.csv")
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["fuse", *arguments], catch_exceptions=False)


def found(*arguments: str) -> dict[str, Any]:
    result = run(*FILES, *arguments, "--json")
    assert result.exit_code == 0, result.stderr
    loaded: dict[str, Any] = json.loads(result.stdout)
    return loaded


def contents() -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in Path().rglob("*") if path.is_file()}


def refused(*arguments: str) -> str:
    """The one line with which the command refuses; nothing is written."""
    before = contents()
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    assert contents() == before
    return result.stderr


def test_json_keeps_the_contract_of_the_design() -> None:
    values = found("--systems", "face,voice")
    assert {"fusion", "normalise", "systems", "threshold", "test", "baselines", "beta_mean", "beta_min"} <= set(values)
    assert (values["fusion"], values["normalise"], values["systems"]) == ("mean", "none", ["face", "voice"])
    assert {"far", "frr", "hter", "false_accepts", "false_rejects", "genuine", "impostor"} <= set(values["test"])
    assert {"low", "high", "confidence", "method"} <= set(values["test"]["interval"])
    assert [set(entry) >= {"system", "hter"} for entry in values["baselines"]] == [True, True]
    assert (values["criterion"], values["alpha"]) == ("eer", None)


@pytest.mark.parametrize(
    "options",
    [
        {"fusion": "mean", "normalise": "z"},
        {"fusion": "logistic", "normalise": "none"},
        {"fusion": "svm-linear", "normalise": "min-max", "inner_folds": 3, "rng": 4},
        {"fusion": "client-threshold", "normalise": "f-norm"},
        {"fusion": "weighted-mean", "normalise": "tanh", "criterion": "wer-min", "alpha": 0.2, "confidence": 0.9},
    ],
    ids=lambda options: options["fusion"],
)
def test_json_is_what_fuse_gives_in_python(options: dict[str, Any]) -> None:
    expected = fuse(DEV, TEST, systems=["face", "voice"], **options).to_json()
    words = [f"{flag_of(name)}={value}" for name, value in options.items()]
    values = found("--systems", "face,voice", *words)
    assert values.pop("notes")
    del expected["notes"]
    assert values == json.loads(json.dumps(expected))


def test_all_systems_by_default_and_names_with_commas_by_system() -> None:
    assert found()["systems"] == ["face", "voice", "(FH,MLP)"]
    assert found("--systems", " face , voice ")["systems"] == ["face", "voice"]
    assert found("--system", "(FH,MLP)", "--system", "face")["systems"] == ["(FH,MLP)", "face"]


def test_table_shows_the_systems_the_fusion_and_the_gain() -> None:
    result = run(*FILES, "--systems", "face,voice", "--normalise", "z", "--all")
    expected = fuse(DEV, TEST, systems=["face", "voice"], normalise="z")
    lines = result.stdout.splitlines()
    assert lines[2] == "Systems and their fusion, a priori, threshold by eer on dev"
    assert "95 % interval" in result.stdout
    for judged in (*expected.baselines, expected.evaluation):
        row = next(line for line in lines[3:] if judged.system in line)
        assert f"{100 * judged.test.hter:.2f}" in row
    gain = expected.gain
    below = lines[lines.index("Gain of the fusion") + 3]
    assert below.split() == [f"{gain.beta_mean:.2f}", f"{gain.beta_min:.2f}"]


def test_table_says_what_cross_validation_chose() -> None:
    result = run(*FILES, "--systems", "face,voice", "--fusion", "svm-linear", "--inner-folds", "3")
    assert "note: svm-linear(face + voice): the folds also chose C " in result.stdout


def test_table_says_that_dev_scores_are_held_out(monkeypatch: pytest.MonkeyPatch) -> None:
    method = FusionMethod("own", lambda data: Fitted(lambda scores, claim: scores[:, 0]), held_out="clients")
    monkeypatch.setitem(FUSIONS, "own", method)
    fused = "own(face + voice + (FH,MLP))"
    expected = f"note: {fused}: the threshold comes from held-out dev scores, 5 folds of clients"
    assert expected in run(*FILES, "--fusion", "own").stdout.splitlines()


def test_the_same_file_twice_is_a_posteriori() -> None:
    result = run("--dev", "dev.csv", "--test", "dev.csv", "--fusion", "svm-linear", "--inner-folds", "3")
    assert "Systems and their fusion, a posteriori, threshold by eer" in result.stdout
    lines = result.stdout.splitlines()
    assert lines[1].startswith("warning: dev and test are the same trials")


@pytest.mark.parametrize("out", ["fused.csv", "fused.tsv", "fused.parquet", "fused.npz"])
def test_fused_scores_are_written_and_read_back(out: str) -> None:
    result = run(*FILES, "--systems", "face,voice", "--normalise", "z", "--scores-out", out)
    assert result.exit_code == 0
    assert result.stderr == f"scores in {out}\n"
    expected = fuse(DEV, TEST, systems=["face", "voice"], normalise="z").scores
    for name, part in ((out, expected.test), (f"dev-{out}", expected.dev)):
        again = read_trials(name)
        assert again.systems == ("mean(face + voice)",)
        assert again.column().tolist() == part.column().tolist()
        assert again.genuine.tolist() == part.genuine.tolist()
        assert again.claim is not None
        assert part.claim is not None
        assert again.claim.same_as(part.claim)


def test_fused_scores_can_be_evaluated_and_names_with_commas_survive() -> None:
    Path("sub").mkdir()
    values = found("--system", "(FH,MLP)", "--system", "face", "--scores-out", "sub/fused.csv")
    arguments = ["evaluate", "--dev", "sub/dev-fused.csv", "--test", "sub/fused.csv", "--json"]
    (again,) = json.loads(CliRunner().invoke(main, arguments, catch_exceptions=False).stdout)["systems"]
    assert again["system"] == "mean((FH,MLP) + face)"
    assert (again["threshold"], again["test"]["hter"]) == (values["threshold"], values["test"]["hter"])


def test_json_stays_alone_on_stdout_with_out() -> None:
    result = run(*FILES, "--scores-out", "fused.csv", "--json")
    json.loads(result.stdout)
    assert Path("fused.csv").exists()


def lacking(name: str) -> None:
    """The dev file, with two trials that lack a score."""
    with open("dev.csv", newline="") as file:
        rows = list(csv.reader(file))
    for row in (3, 70):
        rows[row][rows[0].index("face")] = ""
    with open(name, "w", newline="") as file:
        csv.writer(file).writerows(rows)


def test_missing_scores() -> None:
    lacking("holes.csv")
    files = ("--dev", "holes.csv", "--test", "test.csv", "--systems", "face,voice")
    assert "is NaN" in refused(*files)
    message = refused(*files, "--nan", "reject")
    assert "2 trials without the score of a system" in message
    assert "--missing" in message
    for missing in ("reject", "neutral"):
        result = run(*files, "--nan", "reject", "--missing", missing, "--json")
        (note,) = (note for note in json.loads(result.stdout)["notes"] if note["code"] == "missing-scores")
        assert note["values"] == {"count": 2, "policy": missing}
    dropped = json.loads(run(*files, "--nan", "drop", "--json").stdout)
    assert dropped["dev"]["genuine"] + dropped["dev"]["impostor"] == len(DEV) - 2


def test_no_error_is_infinite_gain() -> None:
    scores = np.where(DEV.genuine, 1.0, 0.0)[:, None] + np.zeros((len(DEV), 2))
    scores[0, 0] = scores[1, 1] = -0.5
    for name in ("dev.csv", "test.csv"):
        write_trials(Trials(scores, DEV.genuine, ("a", "b"), claim=DEV.claim, subject=DEV.subject), name)
    values = found()
    assert (values["beta_mean"], values["beta_min"]) == ("inf", "inf")
    assert "infinite-gain" in [note["code"] for note in values["notes"]]
    lines = run(*FILES, "--all").stdout.splitlines()
    assert lines[lines.index("Gain of the fusion") + 3].split() == ["inf", "inf"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--fusion", "magic"], "there is no fusion 'magic'; there are "),
        (["--normalise", "magic"], "normalise must be one of none, z"),
        (["--criterion", "magic"], "there is no criterion 'magic'"),
        (["--systems", "face"], "a fusion needs at least two systems; only one was given: face"),
        (["--systems", ""], "there is no system ''"),
        (["--systems", "face,iris"], "there is no system 'iris'; there are face, voice, (FH,MLP)"),
        (["--systems", "face,face"], "a fusion needs at least two systems"),
        (["--fusion", "product"], "the product needs scores of at least 0"),
        (["--fusion", "gmm", "--inner-folds", "1"], "at least 2 folds, not 1"),
        (["--seed", "-1"], "a seed must be a whole number of at least 0, not -1"),
        (["--alpha", "2"], "alpha must be between 0 and 1"),
        (["--confidence", "0"], "confidence must be between 0 and 1"),
        (["--out", "tables.doc"], "tables.doc: its name should end in .csv"),
        (["--out", "test.csv"], "test.csv: would be written over files that are read"),
        (["--scores-out", "fused.doc"], "fused.doc: the name does not say which format to write"),
        (["--scores-out", "fused.doc"], ".scores\n"),  # and no --to, which is not there
        (["--scores-out", ""], "the name does not say which format to write"),
        (["--scores-out", "nowhere/fused.csv"], "there is no directory nowhere to write to"),
        (["--scores-out", f"{'long' * 100}.csv"], "cannot be written"),
        (["--scores-out", "test.csv"], "test.csv: would be written over files that are read"),
        (["--scores-out", "fused.csv", "--out", "dev-fused.csv"], "two results would be written to this file"),
    ],
    ids=lambda value: " ".join(value)[:30] if isinstance(value, list) else "",
)
def test_bad_input_is_one_line_and_exit_code_2(arguments: list[str], message: str) -> None:
    assert message in refused(*FILES, *arguments)


def test_inputs_are_never_written_over_by_the_file_beside() -> None:
    Path("dev.csv").rename("dev-fused.csv")
    message = refused("--dev", "dev-fused.csv", "--test", "test.csv", "--scores-out", "fused.csv")
    assert "dev-fused.csv: would be written over files that are read" in message


def test_nothing_is_written_into_a_directory_that_is_read() -> None:
    Path("parts").mkdir()
    write_trials(TEST, "parts/fused.parquet")
    message = refused("--dev", "dev.csv", "--test", "parts", "--scores-out", "parts/fused.parquet")
    assert "would be written over files that are read" in message


def test_two_files_or_none() -> None:
    Path("dev-fused.csv").mkdir()
    assert "dev-fused.csv: is a directory" in refused(*FILES, "--scores-out", "fused.csv")
    # dev without subjects cannot be written as bob text, test can
    bare = Trials(DEV.scores, DEV.genuine, DEV.systems, claim=DEV.claim)
    write_trials(bare, "bare.csv")
    assert "error" in refused("--dev", "bare.csv", "--test", "test.csv", "--scores-out", "fused.txt")


def test_a_file_that_is_not_there() -> None:
    assert "none.csv: there is no such file" in refused("--dev", "none.csv", "--test", "test.csv")
    message = refused("--dev", "none.csv", "--test", "test.csv", "--scores-out", "o.csv")
    assert "none.csv: there is no such file" in message


def test_client_dependent_fusion_without_claims() -> None:
    for name, trials in (("dev.csv", DEV), ("test.csv", TEST)):
        write_trials(Trials(trials.scores, trials.genuine, trials.systems), name)
    assert "needs claim ids" in refused(*FILES, "--fusion", "client-weights")


def test_help_names_every_method_and_normalisation() -> None:
    text = "".join(run("--help-all").stdout.split())
    built_in = [name for name, method in FUSIONS.items() if method.summary]
    assert len(built_in) == 17
    assert all(name in text for name in (*built_in, *NORMALISATIONS))


def test_a_model_is_saved_and_applied_to_other_trials() -> None:
    result = run(*FILES, "--systems", "face,voice", "--fusion", "logistic", "--save", "model.json")
    assert result.exit_code == 0
    assert result.stderr == "model in model.json\n"
    expected = fuse(DEV, TEST, systems=["face", "voice"], fusion="logistic")
    again = run("--model", "model.json", "--test", "test.csv", "--json", "--scores-out", "fused.csv")
    values = json.loads(again.stdout)
    assert values["threshold"] == expected.evaluation.threshold
    assert values["test"]["hter"] == expected.evaluation.test.hter
    assert values["test"]["kind"] == "at a given threshold"
    assert values["against_best"]["threshold"] == "fixed"
    assert {"fusion", "normalise", "systems", "threshold", "test", "baselines", "beta_mean", "beta_min"} <= set(values)
    assert read_trials("fused.csv").column().tolist() == expected.scores.test.column().tolist()
    assert not Path("dev-fused.csv").exists()
    shown = run("--model", "model.json", "--test", "test.csv").stdout
    assert "Systems and their fusion, at a given threshold\n" in shown
    assert "note: fitted on other trials, with thresholds chosen there by eer" in shown


def test_weights_and_the_test_against_the_best_are_shown() -> None:
    lines = run(*FILES, "--systems", "face,voice", "--fusion", "lda", "--all").stdout.splitlines()
    expected = fuse(DEV, TEST, systems=["face", "voice"], fusion="lda")
    start = next(k for k, line in enumerate(lines) if line.startswith("Weights of the scores"))
    assert [line.split()[0] for line in lines[start + 3 : start + 5]] == ["face", "voice"]
    assert f"{100 * expected.weights[0].share:.1f}" in lines[start + 3]
    below = lines[lines.index("The fusion minus the best of its systems, on the same test trials") + 3]
    assert below.split()[:3] == [expected.best, "cluster", "re-estimated"]


def test_ranges_are_noted_in_the_words_of_the_command_line() -> None:
    shown = run(*FILES, "--systems", "face,voice").stdout
    assert "warning: mean(face + voice): scores of different ranges are fused" in shown
    assert "--normalise z brings them to one scale" in shown


def test_inner_cross_validation_by_name() -> None:
    held = found("--systems", "face,voice", "--fusion", "logistic", "--inner", "folds")
    assert held["cross_validated"]
    assert not found("--systems", "face,voice", "--fusion", "svm-linear", "--inner", "none")["cross_validated"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--test", "test.csv"], "give either --dev, "),
        ([*FILES, "--model", "m.json"], "give either --dev, "),
        (["--model", "m.json", "--test", "test.csv", "--fusion", "lda"], "--fusion has no effect with --model"),
        (["--model", "m.json", "--test", "test.csv", "--systems", "face,voice"], "--system has no effect with --model"),
        (["--model", "none.json", "--test", "test.csv"], "none.json: there is no such file"),
        (["--model", "test.csv", "--test", "test.csv"], "test.csv: is not a fairtrial fusion model"),
        ([*FILES, "--save", "model.pkl"], "model.pkl: its name should end in .json"),
        ([*FILES, "--save", "nowhere/model.json"], "there is no directory nowhere"),
        ([*FILES, "--inner", "magic"], "magic"),
    ],
)
def test_models_and_options_that_do_not_go_together(arguments: list[str], message: str) -> None:
    if "magic" in arguments:
        assert run(*arguments).exit_code == 2
    else:
        assert message in refused(*arguments)
