"""Calibrated on dev, judged on test: published numbers, and variances by leaving people out."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import fairtrial as ft
from fairtrial.cli.app import main
from simulated import crossed


def test_asvspoof_and_banca(real_data: Path) -> None:
    folder = real_data / "asvspoof2019_la"
    files = (folder / "asv_trials_dev.csv.gz", folder / "asv_trials_eval.csv.gz")
    dev, test = ft.read_pair(*files, genuine_labels="target", impostor_labels="nontarget", systems="asv_ecapa")
    (found,) = ft.calibrate(dev, test)
    assert found.test[0] == pytest.approx(0.099591, abs=1e-6)
    assert found.test[1] == pytest.approx(0.070361, abs=1e-6)
    assert found.costs[0].actual == pytest.approx(0.150270, abs=1e-6)
    assert found.costs[0].minimum == pytest.approx(0.074434, abs=1e-6)
    folder = real_data / "banca_mc_bob"
    (found,) = ft.calibrate(*ft.read_pair(folder / "dev-4col.txt", folder / "test-4col.txt"))
    assert found.calibration.parameters["weights"][0] == pytest.approx(43.93999, abs=1e-4)
    assert found.calibration.parameters["offset"] == pytest.approx(0.09093, abs=1e-5)
    assert found.test[0] == pytest.approx(0.188934, abs=1e-6)


@pytest.mark.parametrize("method", ["logistic", "gaussian", "kde", "pav"])
def test_the_part_of_dev_is_what_leaving_clients_out_gives(method: str) -> None:
    """The jackknife over dev clients, each calibration fitted anew, against influences, which are of first order."""
    dev, test = (crossed(np.random.default_rng(k), clients=40, effect=0.5, start=1000 * k) for k in (1, 2))
    found = ft.calibrate(dev, test, systems=["a"], cluster="claim", method=method)
    added = found.intervals[0].sigma ** 2 - found.intervals[1].sigma ** 2
    assert dev.claim is not None
    codes = dev.claim.numbered().codes
    left = []
    for client in np.unique(codes):
        fitted = ft.calibration.fit_calibration(
            dev.rows(np.flatnonzero(codes != client)), systems=("a",), method=method
        )
        left.append(ft.calibration.cllr(fitted.apply(test)))
    count = len(left)
    by_jackknife = (count - 1) / count * np.sum((np.array(left) - np.mean(left)) ** 2)
    assert added == pytest.approx(by_jackknife, rel=0.3)


def test_pairs_of_systems() -> None:
    dev, test = (crossed(np.random.default_rng(k), effect=0.5, start=1000 * k) for k in (1, 2))
    both = ft.calibrate(dev, test)
    (pair,) = both.pairs
    assert pair.test.estimate == both["a"].test[0] - both["b"].test[0]
    assert pair.test.threshold == "re-estimated"
    assert 0.05 < pair.test.p_value <= 1
    low, high = pair.test.interval() or (0, 0)
    assert low < pair.test.estimate < 0 < high < -low
    span = f"(95 % interval {-high:.4g} to {-low:.4g}, p = {pair.adjusted:.3g} adjusted)"
    bound = f"a difference of up to {-low:.4g} is not excluded"
    assert pair.answer().endswith(f"the Cllr of b is higher by {-pair.test.estimate:.4g} {span}; {bound}")
    assert "interval" in both.answer().rpartition("(")[2]
    with pytest.raises(ft.ParameterError) as error:
        ft.calibration.compare_evidence(both.systems[:1])
    assert error.value.code == "needs-two"


def test_the_command(tmp_path: Path) -> None:
    for k, name in ((1, "dev"), (2, "test")):
        ft.write_trials(crossed(np.random.default_rng(k), effect=0.5, start=1000 * k), tmp_path / f"{name}.csv")
    files = ["--dev", str(tmp_path / "dev.csv"), "--test", str(tmp_path / "test.csv")]

    def run(*given: str) -> tuple[int, str]:
        result = CliRunner().invoke(main, ["calibrate", *files, *given])
        return result.exit_code, result.stdout or result.stderr

    code, output = run("--json", "--dcf", "sre18", "--scores-out", str(tmp_path / "llr.csv"))
    assert code == 0, output
    found = json.loads(output)
    assert [own["system"] for own in found["systems"]] == ["a", "b"]
    dcf = found["systems"][0]["test"]["dcf"]
    assert [[point["prior"] for point in own["points"]] for own in dcf] == [[0.01], [0.005], [0.01, 0.005]]
    assert dcf[2]["actual"] == pytest.approx((dcf[0]["actual"] + dcf[1]["actual"]) / 2)
    assert found["pairs"][0]["tests"][0]["measure"] == "cllr"
    again = ft.read_trials(tmp_path / "llr.csv")
    assert ft.calibration.cllr(again, system="logistic(a)") == pytest.approx(found["systems"][0]["test"]["cllr"])
    assert ft.read_trials(tmp_path / "dev-llr.csv").systems == again.systems
    code, output = run("--report", str(tmp_path / "e.html"), "--title", "Mine", "--seed", "3")
    assert code == 0, output
    assert "<h1>Mine</h1>" in (tmp_path / "e.html").read_text()
    code, output = run("--fuse", "--save", str(tmp_path / "c.json"))
    assert code == 0, output
    assert ft.calibration.Calibration.load(tmp_path / "c.json").systems == ("a", "b")
    applied = CliRunner().invoke(
        main,
        ["calibrate", "--model", str(tmp_path / "c.json"), "--test", files[3], "--scores-out", str(tmp_path / "m.csv")],
    )
    assert applied.exit_code == 0, applied.output
    fused = ft.read_trials(tmp_path / "m.csv")
    assert ft.calibration.cllr(fused) == pytest.approx(
        ft.calibrate(*ft.read_pair(files[1], files[3]), fuse=True).test[0]
    )
    assert not (tmp_path / "dev-m.csv").exists()
    for given, message in (
        (["--save", str(tmp_path / "d.json")], "--fuse"),
        (["--dcf", "nist"], "expected a prior"),
        (["--dcf", ".01,1"], "the detection cost '.01,1' is unknown: expected a prior"),
        (["--prior", "1"], "prior"),
        (["--model", str(tmp_path / "c.json")], "--model"),
    ):
        code, output = run(*given)
        assert (code, message in output) == (2, True), output


def test_a_saved_calibration_is_judged_as_it_is() -> None:
    dev, test = (crossed(np.random.default_rng(k), effect=0.5, start=1000 * k) for k in (1, 2))
    (found,) = ft.calibrate(dev, test, systems=["a"], costs=["sre18"])
    (again,) = ft.calibrate(None, test, model=found.calibration, costs=["sre18"])
    assert len(again.intervals) == 1
    assert again.intervals[0].interval == pytest.approx(found.intervals[1].interval)
    assert again.dev is None
    assert [cost.actual for cost in again.costs] == [cost.actual for cost in found.costs]
    assert {cost.interval and cost.interval.threshold for cost in again.costs} == {"fixed"}


def test_a_system_with_infinite_evidence_for_the_wrong_side_is_not_compared(tmp_path: Path) -> None:
    """The others are, and all are in the table."""
    dev, test = (crossed(np.random.default_rng(k), clients=10, impostors=5, systems=("a", "b", "c")) for k in (1, 2))
    scores = test.scores.copy()
    scores[0, 0] = -np.inf  # a genuine trial
    bad = ft.Trials(scores, test.genuine, test.systems)
    for trials, name in ((dev, "dev"), (bad, "test")):
        ft.write_trials(trials, tmp_path / f"{name}.csv")
    files = ["--dev", str(tmp_path / "dev.csv"), "--test", str(tmp_path / "test.csv")]
    result = CliRunner().invoke(main, ["calibrate", *files, "--json"])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert [own["system"] for own in found["systems"]] == ["a", "b", "c"]
    assert [(own["a"], own["b"]) for own in found["pairs"]] == [("b", "c")]
    notes = [note for own in found["systems"] for note in own["notes"] if isinstance(note, dict)]
    infinite = [note for note in notes if note["code"] == "infinite-evidence"]
    assert [note["about"] for note in infinite] == ["logistic(a)"]
    alone = CliRunner().invoke(main, ["calibrate", *files, "--system", "a", "--system", "b", "--json"])
    assert json.loads(alone.stdout)["pairs"] == []
    compared = CliRunner().invoke(main, ["compare", *files, "--measure", "cllr", "--resamples", "100"])
    assert compared.exit_code == 2
    assert "a: a trial has infinite evidence for the wrong side" in compared.stderr
