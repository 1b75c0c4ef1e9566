"""The command benchmark."""

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as parquet
import pytest
from click.testing import CliRunner, Result

from fairtrial import Trials, write_trials
from fairtrial.benchmark.datasets import DATASETS
from fairtrial.benchmark.manifest import read_benchmark
from fairtrial.benchmark.pooling import compare_runs
from fairtrial.benchmark.run import run_benchmark
from fairtrial.cli.app import main
from fairtrial.core.words import in_percent, p_text, wording
from fairtrial.fusion import FUSIONS, Fitted, FusionData, FusionMethod

MANIFEST = """
name = "lab"
title = "Our lab"

[[set]]
name = "P1"
dev = "dev.csv"
test = "test.csv"

[[set.system]]
name = "pca"
modality = "face"

[[set.system]]
name = "dct"
modality = "face"

[[set.system]]
name = "mfcc"
modality = "speech"
"""
SPLITS = MANIFEST.replace('dev = "dev.csv"\ntest = "test.csv"', 'scores = "dev.csv"\n[set.split]\nrepeats = 3')


def example(seed: int, *, clients: int = 14) -> Trials:
    rng = np.random.default_rng(seed)
    claim = np.concatenate([np.repeat(np.arange(clients), 4), np.repeat(np.arange(clients), 9)])
    subject = np.concatenate([np.repeat(np.arange(clients), 4), 100 + np.tile(np.arange(9), clients)])
    genuine = claim == subject
    scores = rng.normal(genuine[:, None] * [1.3, 1.6, 2.0], 1, (len(claim), 3)) * [1, 2, 10]
    return Trials.from_arrays(
        scores,
        genuine,
        systems=["pca", "dct", "mfcc"],
        claim=[f"p{k}" for k in claim],
        subject=[f"p{k}" for k in subject],
    )


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with a benchmark in `lab` and one of splits in `dealt`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FAIRTRIAL_DATA", raising=False)
    monkeypatch.setenv("FAIRTRIAL_CACHE", str(tmp_path / "cache"))
    for name, manifest in (("lab", MANIFEST), ("dealt", SPLITS)):
        Path(name).mkdir()
        Path(name, "benchmark.toml").write_text(manifest)
        write_trials(example(0), f"{name}/dev.csv")
        write_trials(example(1), f"{name}/test.csv")
    return tmp_path


def run(*arguments: str, data: str = "lab") -> Result:
    return CliRunner().invoke(main, ["benchmark", "--data", data, *arguments], catch_exceptions=False)


def found(*arguments: str, data: str = "lab") -> dict[str, Any]:
    result = run(*arguments, "--json", data=data)
    assert result.exit_code == 0, result.stderr
    loaded: dict[str, Any] = json.loads(result.stdout)
    return loaded


def in_python(name: str = "lab", protocol: str = "fp-2", **settings: Any) -> dict[str, Any]:
    result = run_benchmark(read_benchmark(name), protocol=protocol, **settings)
    with wording(style="shell"):
        loaded: dict[str, Any] = json.loads(json.dumps(result.to_json()))
    return loaded


def contents() -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in Path().rglob("*") if path.is_file()}


def refused(*arguments: str, data: str = "lab") -> str:
    """The one line with which the command refuses; nothing is written."""
    before = contents()
    result = run(*arguments, data=data)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    assert contents() == before
    return result.stderr


def test_json_of_lausanne_keeps_the_contract_of_the_design() -> None:
    values = found(data="lausanne")
    assert {"protocol", "fusion", "experiments", "baselines", "pooled_epc"} <= set(values)
    assert (values["protocol"], values["fusion"]) == ("fp-2", "mean")
    assert (len(values["experiments"]), len(values["baselines"])) == (32, 13)
    keys = {"group", "systems", "hter", "far", "frr", "beta_mean", "beta_min", "p_value"}
    assert all(keys <= set(entry) for entry in values["experiments"])
    assert len(values["pooled_epc"]["alpha"]) == len(values["pooled_epc"]["hter"]) == 101
    assert values["synthetic"] is True
    assert all("synthetic" in text for text in (values["title"], values["notes"][0]["code"]))


@pytest.mark.parametrize(
    ("arguments", "settings"),
    [
        ([], {}),
        (["--fusion", "logistic", "--normalise", "z"], {"fusions": "logistic", "normalise": "z"}),
        (
            ["--protocol", "fp-full", "--criterion", "wer-min", "--alpha", ".3", "--confidence", ".8"],
            {"protocol": "fp-full", "criterion": "wer-min", "alpha": 0.3, "confidence": 0.8},
        ),
        (
            ["--fusion", "svm-linear", "--inner-folds", "3", "--seed", "2", "--protocol", "fp-multimodal"],
            {"fusions": "svm-linear", "inner_folds": 3, "rng": 2, "protocol": "fp-multimodal"},
        ),
    ],
)
def test_json_is_what_run_benchmark_gives_in_python(arguments: list[str], settings: dict[str, Any]) -> None:
    assert found(*arguments) == in_python(**settings)


def test_tables_show_every_system_and_experiment() -> None:
    result = run("--confidence", ".9")
    values = in_python(confidence=0.9)
    lines = result.stdout.splitlines()
    how = "a priori, thresholds by wer-equal (alpha 0.5) on dev"
    assert lines[2] == f"Our lab, fp-2, mean, normalisation none, {how}"
    assert "synthetic" not in result.stdout
    assert "90 % interval" in result.stdout
    assert "95 %" not in result.stdout
    for entry in values["experiments"]:
        row = next(line for line in lines if " + ".join(entry["systems"]) in line)
        for words in (f"{100 * entry['hter']:.2f}", f"{entry['beta_min']:.2f}", p_text(entry["p_adjusted"])):
            assert words in row
    for entry in values["baselines"]:
        assert any(f"{100 * entry['hter']:.2f}" in line and f" {entry['system']} " in line for line in lines)
    assert "better, worse: than the best of the systems fused, p below 0.1 after Holm" in result.stdout


def test_several_methods_are_compared() -> None:
    values = found("--fusion", "mean, min,logistic", "--normalise", "z")
    assert set(values) == {"answer", "runs", "comparison"}
    assert [entry["fusion"] for entry in values["runs"]] == ["mean", "min", "logistic"]
    expected = in_python(fusions="min", normalise="z")
    del expected["answer"]
    assert values["runs"][1] == expected
    benchmark = read_benchmark("lab")
    results = [run_benchmark(benchmark, fusions=name, normalise="z") for name in ("mean", "min", "logistic")]
    contest = compare_runs(results)
    assert values["comparison"] == json.loads(json.dumps(contest.to_dict()))
    shown = run("--fusion", "mean,min,logistic", "--normalise", "z").stdout
    assert "Fusion methods by their mean HTER over all experiments" in shown
    assert "methods that share a letter do not differ significantly" in shown
    ranked = shown.partition("Fusion methods by")[2].partition("Tests of")[0]
    places = [ranked.index(f"\n{rank.fusion} ") for rank in contest.ranking]
    assert places == sorted(places)


def test_calibrated_systems_are_systems_like_any_others() -> None:
    """Ratios are rising maps of the scores, so that single systems decide as before."""
    calibrate = ["calibrate", "--dev", "lab/dev.csv", "--test", "lab/test.csv", "--scores-out", "lab/llr.csv"]
    assert CliRunner().invoke(main, calibrate).exit_code == 0
    before = found()
    manifest = Path("lab/benchmark.toml").read_text().replace("dev.csv", "dev-llr.csv").replace("test.csv", "llr.csv")
    for name in ("pca", "dct", "mfcc"):
        manifest = manifest.replace(f'name = "{name}"', f'name = "logistic({name})"')
    Path("lab/benchmark.toml").write_text(manifest)
    after = found()
    for own, same in zip(after["baselines"], before["baselines"], strict=True):
        assert own["system"] == f"logistic({same['system']})"
        assert own["hter"] == same["hter"]
    assert len(after["experiments"]) == len(before["experiments"])


def test_workers_change_nothing() -> None:
    """To nine digits: sums of products by BLAS depend on where arrays lie in memory, in their last bit."""
    assert rounded(found("--workers", "2")) == rounded(found())


def rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: rounded(entry) for name, entry in value.items()}
    if isinstance(value, list):
        return [rounded(entry) for entry in value]
    return float(f"{value:.9g}") if isinstance(value, float) else value


def test_splits_show_their_spread() -> None:
    values = found(data="dealt")
    assert {entry["split"] for entry in values["experiments"]} == {1, 2, 3}
    assert len(values["spreads"]) == 3
    result = run(data="dealt")
    for words in ("Fused systems over random splits, mean", "after Holm, each split separately"):
        assert words in result.stdout
    for spread in values["spreads"]:
        row = next(line for line in result.stdout.splitlines() if f" {' + '.join(spread['systems'])} " in line)
        assert f"{100 * spread['hter_mean']:.2f}" in row
        assert f"{100 * spread['hter_sd']:.2f}" in row or f"{100 * spread['hter_sd']:.3f}" in row
    alone = result.stdout.partition("Single systems over random splits")[2].splitlines()
    assert len(values["baseline_spreads"]) == 3
    for spread in values["baseline_spreads"]:
        row = next(line for line in alone if f" {spread['system']} " in line)
        assert f"{100 * spread['hter_mean']:.1f}"[:-1] in row
        assert " 3 " in row
    shown = run("--fusion", "mean,min", data="dealt").stdout
    assert "note: random splits share trials" in shown
    assert "share a letter" not in shown


def test_many_notes_are_cut_on_screen_and_whole_in_json(monkeypatch: pytest.MonkeyPatch) -> None:
    def fit(data: FusionData) -> Fitted:
        # in letters: notes that differ in numbers only would be one
        word = "".join("abcdefghij"[int(digit)] for digit in str(data.scores.sum()) if digit.isdecimal())
        return Fitted(lambda scores, claim: scores.mean(axis=1), (f"fitted on {word}",))

    monkeypatch.setitem(FUSIONS, "talkative", FusionMethod("talkative", fit))
    Path("dealt", "benchmark.toml").write_text(SPLITS.replace("repeats = 3", "repeats = 6"))
    arguments = ("--fusion", "talkative", "--protocol", "fp-full")
    notes = found(*arguments, data="dealt")["notes"]
    assert len(notes) > 12
    shown = run(*arguments, "-v", data="dealt").stdout
    left = sum(note["text"] not in shown for note in notes)
    assert 0 < len(notes) - left <= 12
    assert f"and {left} more notes" in shown


def rows_of(name: str) -> list[dict[str, Any]]:
    if name.endswith(".parquet"):
        rows: list[dict[str, Any]] = parquet.read_table(name).to_pylist()
        return rows
    with open(name, newline="") as file:
        return list(csv.DictReader(file, delimiter="\t" if name.endswith(".tsv") else ","))


@pytest.mark.parametrize("name", ["out.csv", "out.tsv", "out.parquet"])
def test_tables_in_files(name: str) -> None:
    result = run("--fusion", "mean,min", "--out", name)
    assert result.stderr == f"tables in {name}\n"
    rows = rows_of(name)
    expected = [entry for fusion in ("mean", "min") for entry in in_python(fusions=fusion)["experiments"]]
    assert [row["fusion"] for row in rows] == ["mean"] * 3 + ["min"] * 3
    for row, entry in zip(rows, expected, strict=True):
        assert row["systems"] == " + ".join(entry["systems"])
        assert (row["benchmark"], row["set"], row["group"]) == ("lab", "P1", entry["group"])
        for key in ("hter", "far", "frr", "beta_mean", "beta_min", "p_value", "p_adjusted"):
            assert float(row[key]) == entry[key]
        assert row["split"] in (None, "")


def test_json_in_a_file_is_that_of_the_screen() -> None:
    assert run("--out", "out.json").exit_code == 0
    assert json.loads(Path("out.json").read_text()) == found()
    run("--fusion", "mean,min", "--out", "out.json")
    assert json.loads(Path("out.json").read_text()) == found("--fusion", "mean,min")


def test_markdown_and_latex_in_files() -> None:
    values = in_python()
    run("--out", "out.md")
    text = Path("out.md").read_text()
    how = "a priori, thresholds by wer-equal (alpha 0.5) on dev"
    assert text.startswith(f"## Our lab, fp-2, mean, normalisation none, {how}\n")
    for entry in values["experiments"]:
        assert f"| {' + '.join(entry['systems'])} | {in_percent(entry['hter'])} |" in text
    run("--fusion", "mean,min", "--out", "out.tex")
    text = Path("out.tex").read_text()
    # the experiments of both, the single systems, the groups of each, the ranking and the test
    assert text.count("\\begin{table}") == text.count("\\end{table}") == 6
    assert text.count("methods that share a letter do not differ significantly") == 1
    for entry in values["experiments"]:
        assert f"mean & P1 & {entry['group']} & {' + '.join(entry['systems'])} & {in_percent(entry['hter'])} &" in text
    run("--fusion", "mean,min", "--out", "out.md")
    text = Path("out.md").read_text()
    assert text.count("\n## Fusion methods by their mean HTER over all experiments\n") == 1


def test_json_stays_alone_on_stdout_with_out() -> None:
    json.loads(run("--out", "out.csv", "--json").stdout)
    assert Path("out.csv").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--fusion", "magic"], "there is no fusion 'magic'; there are "),
        (["--fusion", "mean,"], "there is no fusion ''"),
        (["--fusion", "mean,mean"], "--fusion names mean twice"),
        (["--normalise", "magic"], "normalise must be one of none, z"),
        (["--criterion", "magic"], "there is no criterion 'magic'"),
        (["--alpha", "2"], "alpha must be between 0 and 1"),
        (["--confidence", "2"], "confidence must be between 0 and 1"),
        (["--workers", "0"], "there must be at least one worker, not 0"),
        (["--seed", "-1"], "a seed must be a whole number of at least 0, not -1"),
        (["--fusion", "product", "--out", "out.csv"], "P1, pca + mfcc: the product needs scores of at least 0"),
        (["--fusion", "mlp", "--inner-folds", "1"], "P1, pca + mfcc: there must be at least 2 folds, not 1"),
        (["--out", "out.doc"], "out.doc: its name should end in .csv, .tsv, .parquet, .md, .tex, .json"),
        (["--out", "nowhere/out.csv"], "there is no directory nowhere to write to"),
        (["--out", f"{'long' * 100}.md"], "cannot be written"),
    ],
    ids=lambda value: " ".join(value)[:30] if isinstance(value, list) else "",
)
def test_bad_input_is_one_line_and_exit_code_2(arguments: list[str], message: str) -> None:
    assert message in refused(*arguments)


def test_a_method_that_is_not_known_is_told_before_any_work(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*arguments: Any, **options: Any) -> None:
        raise AssertionError("nothing should run")

    monkeypatch.setattr("fairtrial.benchmark.run.load_benchmark", never)
    assert "there is no fusion 'magic'" in refused("--fusion", "mean,magic")
    assert "--fusion names min twice" in refused("--fusion", "min,mean,min")
    assert "there is no directory" in refused("--out", "nowhere/out.csv")


def test_a_directory_as_target_is_refused() -> None:
    Path("out.csv").mkdir()
    assert "out.csv: is a directory" in refused("--out", "out.csv")


def test_data_that_is_not_there() -> None:
    message = refused(data="nothing")
    assert "--data nothing: there is no such directory, and no set of that name; sets are lausanne, " in message
    assert "there is no such directory" in refused(data="x" * 5000)
    assert "holds no benchmark.toml" in refused(data=".")
    assert "protocol fp-multimodal has nothing to fuse" in refused("--protocol", "fp-multimodal", data=one_modality())


def one_modality() -> str:
    Path("faces").mkdir()
    Path("faces", "benchmark.toml").write_text(MANIFEST.replace('"speech"', '"face"'))
    for name in ("dev.csv", "test.csv"):
        Path("faces", name).write_bytes(Path("lab", name).read_bytes())
    return "faces"


def test_a_protocol_that_is_not_known_is_an_error_of_the_call() -> None:
    result = run("--protocol", "fp-9")
    assert result.exit_code == 2
    assert "fp-9" in result.stderr


def test_bssr1_by_two_random_splits(real_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAIRTRIAL_DATA", str(real_data))
    arguments = ("--normalise", "z", "--protocol", "fp-2", "--repeats", "2")
    values = found(*arguments, data="bssr1-set1")
    assert values["synthetic"] is False
    assert len(values["experiments"]) == 2 * 6
    assert len(values["spreads"]) == 6
    groups = {entry["group"] for entry in values["experiments"]}
    assert groups == {"multimodal", "different features"}
    rates = {tuple(spread["systems"]): spread["hter_mean"] for spread in values["spreads"]}
    # a face and a finger together are far better than either alone, in every split
    alone = {entry["system"]: entry["hter"] for entry in values["baselines"] if entry["split"] == 1}
    assert min(alone.values()) > 0.02
    for pair, rate in rates.items():
        if pair[0].startswith("face") and pair[1].startswith("finger"):
            assert rate < 0.6 * min(alone[name] for name in pair)
    assert "failed-enrolment" in [note["code"] for note in values["notes"]]


def test_one_set_only() -> None:
    values = found("--set", "LP2", data="lausanne")
    assert {entry["set"] for entry in values["experiments"]} == {"LP2"}
    assert len(values["experiments"]) == 9
    result = run("--set", "P9")
    assert (result.exit_code, result.stderr) == (2, "error: lab has no set 'P9'; there are P1\n")


@pytest.mark.parametrize("place", ["lab/dev.csv", "./lab/../lab/test.csv", "link.csv"])
def test_scores_that_are_read_are_never_written_over(place: str) -> None:
    Path("link.csv").symlink_to("lab/dev.csv")
    assert f"{place}: would be written over files that are read" in refused("--out", place)


def test_neither_is_the_manifest_nor_by_a_report() -> None:
    Path("lab", "benchmark.toml").rename("lab/benchmark.md")
    assert "written over files that are read" in refused("--out", "lab/benchmark.md", data="lab/benchmark.md")
    Path("lab", "dev.csv").rename("lab/dev.html")
    Path("lab", "benchmark.toml").write_text(MANIFEST.replace('"dev.csv"', '"dev.html"'))
    assert "written over files that are read" in refused("--report", "lab/dev.html")
    assert run("--out", "lab/results.csv").exit_code == 0


def test_nothing_is_written_into_a_directory_that_is_read() -> None:
    Path("lab", "parts").mkdir()
    write_trials(example(0), "lab/parts/one.parquet")
    Path("lab", "benchmark.toml").write_text(MANIFEST.replace('"dev.csv"', '"parts"'))
    assert "written over files that are read" in refused("--out", "lab/parts/two.parquet")


def test_splits_and_given_sets_are_both_shown() -> None:
    more = SPLITS.partition("[[set]]")[2].replace('"P1"', '"P2"')
    Path("lab", "benchmark.toml").write_text(f"{MANIFEST}[[set]]{more}")
    lines = run().stdout.splitlines()
    for title in (
        "Single systems",
        "Single systems over random splits",
        "Fused systems over random splits, mean",
    ):
        assert title in lines
    assert sum(" pca + mfcc " in line for line in lines) == 2
    experiments = lines[: lines.index("Single systems")]
    assert any(line.startswith("P1 ") for line in experiments)
    assert not any(line.startswith("P2 ") for line in experiments)


def test_a_set_without_genuine_dev_trials_is_named() -> None:
    dev = example(0)
    write_trials(dev.rows(~dev.genuine), "lab/dev.csv")
    message = refused()
    assert "P1" in message
    assert "genuine" in message


def test_gains_that_are_not_finite_are_left_out_and_counted() -> None:
    for name in ("dev", "test"):
        trials = example(0)
        trials.scores[:, 0] = np.where(trials.genuine, 1000.0, -1000.0)
        write_trials(trials, f"lab/{name}.csv")
    shown = run().stdout
    assert "mean beta_min leaves out 2 experiments in which the fusion made no error" in shown


def test_failed_enrolment_is_told_to_the_set(monkeypatch: pytest.MonkeyPatch) -> None:
    def build(dataset: Any, files: Any, **options: Any) -> Any:
        asked.append(options["failed_enrolment"])
        return read_benchmark("lab")

    asked: list[str] = []
    known = replace(DATASETS["bssr1-set1"], build=build, files={})
    monkeypatch.setitem(DATASETS, "bssr1-set1", known)
    for arguments in ([], ["--failed-enrolment", "keep"]):
        assert run(*arguments, data="bssr1-set1").exit_code == 0
    assert asked == ["drop", "keep"]
    assert run("--failed-enrolment", "forget").exit_code == 2


def test_pooled_curves_of_two_methods_along_alpha() -> None:
    values = found("--fusion", "mean,min", "--pooled", "5")
    along = values["pooled_comparison"]
    assert (along["a"], along["b"], along["threshold"]) == ("mean", "min", "re-estimated")
    pooled = [run["pooled_epc"]["hter"] for run in values["runs"]]
    assert along["difference"] == pytest.approx([a - b for a, b in zip(*pooled, strict=True)])
    assert len(along["alpha"]) == 5
    assert "--pooled compares two methods" in refused("--pooled", "5")
