"""The commands as people and scripts use them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from fairtrial import CRITERIA, Criterion, Trials, evaluate, performance_curve, read_trials, write_trials
from fairtrial.cli.app import main
from fairtrial.cli.commands import COMMANDS, figure_commands
from fairtrial.core.words import wording
from fairtrial.evaluation import expected_areas
from reference.eer_bound_2016 import (
    DISCORDANT,
    EXAMPLE_3_TRIALS,
    EXAMPLE_3_WEAK,
    EXAMPLE_3_WEAK_BOUND,
    MCNEMAR_CORRECTED,
)
from reference.hter_2004 import DEPENDENT_A_B, DISCORDANT_A_B, INTERVAL_OF_A, MODEL_A, MODEL_B

TRIALS = ["--impostor", str(MODEL_A.impostor), "--genuine", str(MODEL_A.genuine)]


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def answer(*arguments: str | Path) -> Any:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.fixture
def sets(tmp_path: Path) -> tuple[Path, Path]:
    """Dev and test trials of two systems: 30 clients against each other."""
    files = []
    for seed, name in enumerate(("dev", "test")):
        rng = np.random.default_rng(seed)
        claim, subject = np.divmod(np.arange(900), 30)
        scores = np.outer(claim == subject, [2.0, 3.0]) + rng.normal(size=(900, 2))
        trials = Trials.from_arrays(scores, claim == subject, systems=["face", "voice"], claim=claim, subject=subject)
        write_trials(trials, tmp_path / f"{name}.csv")
        files.append(tmp_path / f"{name}.csv")
    return files[0], files[1]


def test_evaluate_json_equals_the_python_result(sets: tuple[Path, Path]) -> None:
    dev, test = sets
    found = answer("evaluate", "--dev", dev, "--test", test, "--measure", "f1")
    trials = [read_trials(path) for path in sets]
    with wording(style="shell"):
        expected = evaluate(*trials, measures=["f1"]).to_json()
    assert found == json.loads(json.dumps(expected))


def test_evaluate_table_says_what_kind_of_figure_it_is(sets: tuple[Path, Path]) -> None:
    result = run("evaluate", "--dev", sets[0], "--test", sets[1])
    assert result.exit_code == 0
    for word in ("a posteriori", "a priori", "face", "voice", "95 % interval", "HTER %"):
        assert word in result.stdout


def test_evaluate_one_system_with_another_criterion(sets: tuple[Path, Path]) -> None:
    found = answer(
        "evaluate", "--dev", sets[0], "--test", sets[1], "--system", "voice", "--criterion", "far", "--alpha", ".01"
    )
    (system,) = found["systems"]
    assert (system["system"], system["criterion"], system["alpha"]) == ("voice", "far", 0.01)
    assert system["dev"]["far"] == pytest.approx(0.01, abs=0.002)


@pytest.mark.parametrize("command", ["evaluate", "compare", "fuse", "plot det"])
@pytest.mark.parametrize("criterion", ["far", "frr-at-most"])
def test_a_criterion_with_a_target_asks_for_it(
    command: str, criterion: str, sets: tuple[Path, Path], tmp_path: Path
) -> None:
    out: list[str | Path] = ["--out", tmp_path / "det.png"] if command == "plot det" else []
    result = run(*command.split(), "--dev", sets[0], "--test", sets[1], "--criterion", criterion, *out)
    assert result.exit_code == 2
    assert f"criterion {criterion} needs a target, as in --alpha 0.001" in result.stderr


def test_far_is_kept_at_most_at_its_target_on_dev(sets: tuple[Path, Path]) -> None:
    found = answer("evaluate", "--dev", sets[0], "--test", sets[1], "--criterion", "far-at-most", "--alpha", ".0015")
    for system in found["systems"]:
        assert system["dev"]["false_accepts"] == 1  # of 870 impostor trials, 1.3 are allowed


def test_titles_name_alpha_only_where_there_is_one(sets: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    rule = Criterion("few-accepts", lambda counts, alpha: counts.false_accepts + 2 * counts.false_rejects)
    monkeypatch.setitem(CRITERIA, rule.name, rule)
    titles = {
        ("few-accepts",): "threshold by few-accepts on dev",
        ("eer", "--alpha", ".9"): "threshold by eer on dev",
        ("wer-min", "--alpha", ".9"): "threshold by wer-min (alpha 0.9) on dev",
        ("far", "--alpha", ".01"): "threshold by far (target 0.01) on dev",
    }
    for options, title in titles.items():
        shown = run("evaluate", "--dev", sets[0], "--test", sets[1], "--criterion", *options)
        assert f"Errors at the {title}" in shown.stdout.splitlines()


def test_criteria_and_measures_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CRITERIA, "mine", Criterion("mine", lambda counts, alpha: counts.far, summary="a new one"))
    assert {"name": "mine", "summary": "a new one"} in answer("criteria")["criteria"]
    assert {entry["name"] for entry in answer("measures")["measures"]} >= {"hter", "f1", "cllr", "ece@PRIOR"}


def test_evaluate_by_folds_repeats_with_the_seed(sets: tuple[Path, Path]) -> None:
    first, same, other = (
        answer("evaluate", "--dev", sets[0], "--folds", "4", "--seed", seed) for seed in ("3", "3", "4")
    )
    assert first == same
    assert first != other
    assert first["systems"][0]["test"]["kind"] == "a priori (cross-validated)"
    assert first["systems"][0]["test"]["impostor"] == 870
    assert len(first["systems"][0]["fold_thresholds"]) == 10


def test_evaluate_folds_by_claim(sets: tuple[Path, Path]) -> None:
    found = answer("evaluate", "--dev", sets[0], "--folds", "5", "--cluster", "claim")
    assert len(found["systems"][0]["fold_thresholds"]) == 5


def test_costs_on_the_command_line(sets: tuple[Path, Path]) -> None:
    base: list[str | Path] = [
        "evaluate",
        "--dev",
        sets[0],
        "--test",
        sets[1],
        "--system",
        "face",
        "--criterion",
        "dcf",
        "--measure",
        "dcf",
    ]
    equal = answer(*base, "--dcf", "1,.5,1,.5")["systems"][0]
    assert equal["test"]["measures"]["dcf"] == pytest.approx(equal["test"]["hter"])
    assert equal["threshold"] != answer(*base)["systems"][0]["threshold"]


def test_users_own_criterion_and_measure(
    sets: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lab_rules.py").write_text(
        "def strict(far, frr, alpha):\n    return 10 * far + frr\n\n"
        "def missed(counts):\n    return counts.false_rejects\n"
    )
    monkeypatch.chdir(tmp_path)
    base: list[str | Path] = ["evaluate", "--dev", sets[0], "--test", sets[1], "--system", "face"]
    found = answer(*base, "--criterion", "lab_rules:strict", "--measure", "lab_rules:missed")["systems"][0]
    assert found["criterion"] == "strict"
    assert found["test"]["measures"]["missed"] == found["test"]["false_rejects"]
    assert found["threshold"] == answer(*base, "--criterion", "dcf", "--dcf", "1,1,10,1")["systems"][0]["threshold"]


def test_epc_json_equals_the_python_result(sets: tuple[Path, Path]) -> None:
    found = answer("epc", "--dev", sets[0], "--test", sets[1], "--points", "5", "--system", "face")
    dev, test = (read_trials(path) for path in sets)
    curve = performance_curve(dev, test, alphas=[0, 0.25, 0.5, 0.75, 1], system="face")
    (shown,) = found["curves"]
    assert {"system", "alpha", "threshold", "far", "frr", "hter", "low", "high"} <= set(shown)
    assert shown["hter"] == curve.hter.tolist()
    assert shown["threshold"] == curve.threshold.tolist()
    assert found["areas"]["face"]["g"] == expected_areas(dev, test, system="face").g


def test_epc_of_precision_recall_over_a_range_with_folds(sets: tuple[Path, Path]) -> None:
    found = answer(
        "epc", "--dev", sets[0], "--folds", "3", "--criterion", "precision-recall", "--measure", "f1",
        "--range", ".2", ".8", "--points", "4", "--pool",
    )  # fmt: skip
    assert [curve["system"] for curve in found["curves"]] == ["face", "voice", "pooled"]
    assert found["curves"][0]["alpha"] == pytest.approx([0.2, 0.4, 0.6, 0.8])
    assert 0 < found["curves"][0]["value"][0] < 1
    assert found["areas"] == {}


def test_epc_table(sets: tuple[Path, Path]) -> None:
    result = run("epc", "--dev", sets[0], "--test", sets[1], "--measure", "f1")
    assert result.exit_code == 0
    assert result.stdout.count("0.5") >= 2
    for word in ("F1 %", "a priori", "Mean F1"):
        assert word in result.stdout
    assert "mean F1 %" in run("epc", "--dev", sets[0], "--test", sets[1], "--measure", "f1", "--all").stdout


def test_convert_and_back(sets: tuple[Path, Path], tmp_path: Path) -> None:
    found = answer("convert", sets[0], "--out", tmp_path / "a.parquet")
    assert (found["genuine"], found["impostor"], found["systems"]) == (30, 870, ["face", "voice"])
    run("convert", tmp_path / "a.parquet", "--out", tmp_path / "b.csv")
    assert (tmp_path / "b.csv").read_bytes() == sets[0].read_bytes()


def test_convert_one_system_to_bob(sets: tuple[Path, Path], tmp_path: Path) -> None:
    result = run("convert", sets[0], "--system", "face", "--out", tmp_path / "face.txt")
    assert "30 genuine and 870 impostor" in result.stdout
    assert read_trials(tmp_path / "face.txt").column().tolist() == read_trials(sets[0]).column("face").tolist()


def test_infinite_threshold_is_valid_json(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("label,s\n1,0\n0,1\n0,2\n")
    found = answer(
        "evaluate", "--dev", tmp_path / "a.csv", "--test", tmp_path / "a.csv", "--criterion", "frr", "--alpha", "0"
    )
    assert found["systems"][0]["threshold"] == "-inf"


def test_notes_are_printed(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("label,s\ntarget,1\nnontarget,nan\nnontarget,0\n")
    result = run("evaluate", "--dev", tmp_path / "a.csv", "--test", tmp_path / "a.csv", "--nan", "drop")
    assert "note: dev and test: dropped 1 trial without a score" in result.stdout
    assert "rule of 3" in result.stdout


@pytest.mark.parametrize("command", [*COMMANDS, *figure_commands()])
def test_every_command_has_help_with_an_example(command: str) -> None:
    result = run(*command.split(), "--help")
    assert result.exit_code == 0
    assert f"fairtrial {command}" in result.stdout
    assert "Example" in result.stdout
    assert len(result.stdout.splitlines()) < 60
    assert run(*command.split(), "--help-all").exit_code == 0


def test_formats_are_listed() -> None:
    assert {entry["name"] for entry in answer("formats")["formats"]} >= {"bob4", "bob5", "csv", "parquet", "matrix"}
    assert "similarity matrix" in run("formats").stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script(shell: str) -> None:
    assert "_FAIRTRIAL_COMPLETE" in run("completion", shell).stdout


def test_completion_answers() -> None:
    environment = {
        **os.environ,
        "_FAIRTRIAL_COMPLETE": "bash_complete",
        "COMP_WORDS": "fairtrial ev",
        "COMP_CWORD": "1",
    }
    done = subprocess.run(
        [sys.executable, "-m", "fairtrial"], env=environment, capture_output=True, text=True, check=False
    )
    assert "evaluate" in done.stdout


def test_help_loads_neither_numpy_nor_arrow() -> None:
    code = (
        "import sys; from fairtrial.cli.app import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        "print([name for name in ('numpy', 'pyarrow', 'scipy', 'rich') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_evaluate_loads_what_it_uses(sets: tuple[Path, Path]) -> None:
    code = (
        "import sys; from fairtrial.cli.app import main\n"
        f"main(['evaluate', '--dev', {str(sets[0])!r}, '--test', {str(sets[1])!r}, '--json'], standalone_mode=False)\n"
        "print([name for name in sys.modules if name.startswith('fairtrial.')], file=sys.stderr)"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stderr
    for name in ("counting.pieces", "counting.executors", "formats.pieces", "formats.decisions", "inference.bootstrap"):
        assert f"'fairtrial.{name}'" not in loaded


def test_version() -> None:
    assert run("--version").stdout.startswith("fairtrial, version 0.")


def test_compare_json_and_table(sets: tuple[Path, Path]) -> None:
    found = answer("compare", "--dev", sets[0], "--test", sets[1], "--systems", "face,voice", "--resamples", "500")
    (pair,) = found["pairs"]
    assert (pair["a"], pair["b"]) == ("face", "voice")
    assert pair["tests"][0]["test"] == "cluster"
    assert {rank["system"] for rank in found["ranking"]} == {"face", "voice"}
    shown = run("compare", "--dev", sets[0], "--test", sets[1], "--resamples", "500", "--margin", ".1", "--all")
    assert shown.exit_code == 0
    for word in ("hter-dependent", "cluster-equivalence"):
        assert word in shown.stdout


def test_compare_refuses_one_system_and_bad_seeds(sets: tuple[Path, Path]) -> None:
    one = run("compare", "--dev", sets[0], "--test", sets[1], "--systems", "face")
    assert (one.exit_code, one.stdout) == (2, "")
    assert "needs two systems; only one was given: face" in one.stderr
    assert run("compare", "--dev", sets[0], "--test", sets[1], "--seed", "-1").exit_code == 2
    assert run("compare", "--dev", sets[0], "--test", sets[1], "--resamples", "0").exit_code == 2


def test_interval_rates_against_table_2() -> None:
    found = answer(
        "interval", "rates", "--far", str(MODEL_A.far), "--frr", str(MODEL_A.frr), *TRIALS, "--measure", "all",
    )  # fmt: skip
    by_measure = {entry["measure"]: entry for entry in reversed(found["intervals"])}
    methods = {entry["method"] for entry in found["intervals"] if entry["measure"] == "frr"}
    assert methods == {"independent", "clopper-pearson", "wilson", "jeffreys", "agresti-coull"}
    assert {"hter", "wer", "dcf", "far", "frr", "naive", "class"} == set(by_measure)
    assert by_measure["hter"]["low"] == pytest.approx(INTERVAL_OF_A[0], abs=5e-6)
    assert set(by_measure["hter"]) >= {"measure", "estimate", "sigma", "low", "high", "confidence"}
    one = run("interval", "rates", "--far", "1.5", "--frr", "0", "--impostor", "10", "--genuine", "10")
    assert (one.exit_code, one.stdout) == (2, "")


def test_compare_rates_against_table_3() -> None:
    found = answer(
        "compare-rates", "--a", str(MODEL_A.far), str(MODEL_A.frr), "--b", str(MODEL_B.far), str(MODEL_B.frr), *TRIALS,
        "--discordant", *map(str, DISCORDANT_A_B),
    )  # fmt: skip
    tests = {test["test"]: test for test in found["tests"]}
    assert set(tests) == {"hter-independent", "hter-dependent", "naive", "class"}
    assert 1 - tests["hter-dependent"]["p_value"] == pytest.approx(DEPENDENT_A_B.delta / 100, abs=5e-6)
    assert {"difference", "sigma", "statistic", "p_value"} <= set(tests["naive"])


def test_eer_bound_and_mcnemar_against_hofbauer_and_uhl() -> None:
    found = answer("eer-bound", *map(str, EXAMPLE_3_WEAK), "--trials", str(EXAMPLE_3_TRIALS))
    assert found["pairs"][0]["chi2"] == pytest.approx(EXAMPLE_3_WEAK_BOUND[0], abs=5e-5)
    assert found["delta_eer"] > 0
    result = answer("mcnemar", "--b", str(DISCORDANT[0]), "--c", str(DISCORDANT[1]))
    assert result["chi2_corrected"] == pytest.approx(MCNEMAR_CORRECTED[0], abs=5e-5)
    assert set(result) >= {"chi2", "p_value", "chi2_corrected", "p_value_corrected", "p_value_exact"}
    assert "exact" in run("mcnemar", "--b", "3", "--c", "9").stdout
    assert run("mcnemar", "--b", "-3", "--c", "9").exit_code == 2
    assert run("eer-bound", ".0007", ".0008", "--trials", "0").exit_code == 2


@pytest.mark.parametrize("more", [["--resample", "both"], ["--folds", "3"], []])
def test_a_negative_seed_is_refused_wherever_it_goes(sets: tuple[Path, Path], more: list[str]) -> None:
    test: list[str | Path] = [] if "--folds" in more else ["--test", sets[1]]
    result = run("evaluate", "--dev", sets[0], *test, *more, "--seed", "-1")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "a seed must be a whole number" in result.stderr


def test_evaluate_with_a_choice_of_cluster(sets: tuple[Path, Path]) -> None:
    found = answer("evaluate", "--dev", sets[0], "--test", sets[1], "--system", "face", "--cluster", "claim")
    assert found["systems"][0]["test"]["interval"]["method"] == "cluster-claim"
    assert [i["method"] for i in found["systems"][0]["test"]["intervals"]] == [
        "cluster-claim",
        "cluster-claim",
        "independent",
    ]


def test_names_of_systems_are_never_markup(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("label,net[v2],[/red]x\n1,1,1\n0,0,0\n1,2,0\n0,1,1\n")
    for command in ("evaluate", "epc", "compare"):
        result = run(command, "--dev", tmp_path / "a.csv", "--test", tmp_path / "a.csv")
        assert result.exit_code == 0, result.output
        assert "net[v2]" in result.stdout
        assert "[/red]x" in result.stdout


def test_tables_fit_eighty_columns(sets: tuple[Path, Path]) -> None:
    result = run("evaluate", "--dev", sets[0], "--test", sets[1])
    table = [line for line in result.stdout.splitlines()[1:] if ("a priori" in line or "dev," in line)]
    assert table
    assert max(len(line.rstrip()) for line in table) <= 80


def test_epc_aims_at_targets_of_any_pair(sets: tuple[Path, Path]) -> None:
    files = ("epc", "--dev", sets[0], "--test", sets[1], "--range", ".3", ".9", "--points", "3")
    found = answer(*files, "--criterion", "precision", "--measure", "recall", "--areas", "precision,recall")
    dev, test = (read_trials(path) for path in sets)
    curve = performance_curve(dev, test, system="face", alphas=[0.3, 0.6, 0.9], criterion="precision", measure="recall")
    assert found["curves"][0]["value"] == curve.value.tolist()
    areas = expected_areas(dev, test, system="face", v1="precision", v2="recall", low=0.3, high=0.9)
    own = found["areas"]["face"]
    assert (own["g"], own["v1"], own["v2"], own["convention"]) == (areas.g, "precision", "recall", "step")
    assert own["intervals"]["g"]["low"] < areas.g < own["intervals"]["g"]["high"]
    refused = run(*files, "--areas", "precision,recall", "--convention", "interpolated")
    assert refused.exit_code == 2
    assert "use --convention step" in refused.stderr
    assert "expected two measures" in run(*files, "--areas", "precision").stderr


def test_epc_shows_the_last_alpha_and_may_leave_out_areas(sets: tuple[Path, Path]) -> None:
    result = run("epc", "--dev", sets[0], "--test", sets[1], "--points", "30", "--no-areas")
    rows = [line.split() for line in result.stdout.splitlines() if line.strip()]
    assert any(row[0] == "1" for row in rows)
    assert "(18)" not in result.stdout


def test_bands_and_regions_along_the_curve(sets: tuple[Path, Path]) -> None:
    found = answer(
        "epc", "--dev", sets[0], "--test", sets[1], "--points", "5", "--bands", "simultaneous", "--resamples", "400",
        "--compare", "face,voice", "--simultaneous",
    )  # fmt: skip
    curve = found["curves"][0]
    assert all(low <= hter <= high for low, hter, high in zip(curve["low"], curve["hter"], curve["high"], strict=True))
    assert {"regions", "worse", "statistic", "areas"} <= set(found["comparison"])
    for name in ("e_v1", "e_v2", "g"):
        interval = found["areas"]["face"]["intervals"][name]
        assert interval["low"] < interval["estimate"] < interval["high"]
        assert interval["estimate"] == pytest.approx(found["areas"]["face"][name])
    base: list[str | Path] = ["epc", "--dev", sets[0], "--test", sets[1]]
    shown = run(*base, "--bands", "pointwise", "--resamples", "200", "--compare", "face,voice", "--all")
    assert shown.exit_code == 0
    assert shown.stdout.startswith("voice has the better HTER at alpha")
    assert "95 % band, pointwise, threshold re-estimated" in shown.stdout
    assert run("epc", "--dev", sets[0], "--test", sets[1], "--compare", "face").exit_code == 2
    folds = answer("epc", "--dev", sets[0], "--folds", "3", "--bands", "pointwise", "--points", "5")["curves"][0]
    assert all(low <= hter <= high for low, hter, high in zip(folds["low"], folds["hter"], folds["high"], strict=True))


@pytest.mark.parametrize("command", COMMANDS)
def test_help_fits_80_columns(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for flag in ("--help", "--help-all"):
        lines = run(*command.split(), flag).stdout.splitlines()
        assert max(map(len, lines), default=0) <= 80, max(lines, key=len)
