"""Calibrated in passes over pieces: the figures of the same trials in memory."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import fairtrial as ft
from fairtrial.cli.app import main
from fairtrial.counting import pieces as opened
from fairtrial.formats import opening


def draw(seed: int, size: int = 30_000, apart: float = 2.0) -> ft.Trials:
    rng = np.random.default_rng(seed)
    genuine = rng.random(size) < 0.1
    return ft.Trials.from_arrays(np.round(1000 + 3 * rng.normal(apart * genuine), 2), genuine, systems=["voice"])


def pieces(trials: ft.Trials) -> opened.OpenTrials:
    return ft.open_trials(trials.column(), trials.genuine, systems=["voice"])


@pytest.mark.parametrize("method", ["logistic", "gaussian", "pav"])
@pytest.mark.parametrize("prior", [0.5, 0.05])
def test_figures_are_those_of_memory(method: str, prior: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opened, "SORT_AT_ONCE", 0)
    dev, test = draw(1), draw(2)
    points = ["sre18", ".5"]
    whole = ft.calibrate(dev, test, method=method, prior=prior, points=points)
    found = ft.calibration.calibrate_in_passes(pieces(dev), pieces(test), method=method, prior=prior, points=points)
    assert np.allclose(found.calibration.ratios(test), whole.calibration.ratios(test), rtol=1e-8, atol=1e-8)
    assert whole.dev is not None
    assert found.dev == pytest.approx(whole.dev, rel=1e-9)
    assert found.test == pytest.approx(whole.test, rel=1e-9)
    assert found.raw == pytest.approx(whole.raw, rel=1e-12)
    by_name = {cost.target.name: cost for cost in whole.costs}
    for target, actual, least in found.costs:
        assert actual == pytest.approx(by_name[target.name].actual, rel=1e-12)
        assert least == pytest.approx(by_name[target.name].minimum, rel=1e-12)


def test_what_rests_on_counts_is_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opened, "SORT_AT_ONCE", 0)
    dev, test = draw(3), draw(4)
    found = ft.calibration.fit_in_passes(ft.counting.as_source(pieces(dev)), "voice", method="pav")
    assert found.parameters == ft.calibration.fit_calibration(dev, method="pav").parameters
    assert ft.calibration.min_cllr(pieces(test)) == ft.calibration.min_cllr(test)


def test_separated_equal_turned_and_whole_trials() -> None:
    apart = draw(5, 500, apart=100.0)
    whole = ft.calibration.fit_calibration(apart)
    found = ft.calibration.fit_in_passes(ft.counting.as_source(pieces(apart)), "voice")
    assert found.notes == whole.notes
    assert found.parameters["weights"] == pytest.approx(whole.parameters["weights"], rel=1e-6)
    dev = draw(1, 500)
    equal = ft.Trials.from_arrays(np.ones(500), dev.genuine, systems=["voice"])
    with pytest.raises(ft.TrialsError, match="all dev scores are equal"):
        ft.calibration.fit_in_passes(ft.counting.as_source(pieces(equal)), "voice")
    turned = pieces(ft.Trials.from_arrays(-dev.column(), dev.genuine, systems=["voice"]))
    with pytest.raises(ft.TrialsError, match="evidence falls as the score rises"):
        ft.calibration.calibrate_in_passes(turned, turned)
    with pytest.raises(ft.TrialsError, match="trials in memory"):
        ft.calibration.calibrate_in_passes(dev, dev)
    with pytest.raises(ft.ParameterError, match="kde needs all dev scores at once; in passes there are logistic, pav"):
        ft.calibration.fit_in_passes(ft.counting.as_source(dev), "voice", method="kde")


def test_a_method_of_ones_own_is_there_in_passes_too(monkeypatch: pytest.MonkeyPatch) -> None:
    own = replace(ft.CALIBRATIONS["gaussian"], name="mine")
    monkeypatch.setitem(ft.CALIBRATIONS, "mine", own)
    dev, test = pieces(draw(1, 3000)), pieces(draw(2, 3000))
    mine, known = (ft.calibration.calibrate_in_passes(dev, test, method=name) for name in ("mine", "gaussian"))
    assert (mine.test, mine.calibration.name) == (known.test, "mine(voice)")


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "expected_memory", lambda paths: 10**12)
    for seed, name in ((1, "dev"), (2, "test")):
        ft.write_trials(draw(seed, 3000), tmp_path / f"{name}.csv")
    files = ["--dev", str(tmp_path / "dev.csv"), "--test", str(tmp_path / "test.csv")]
    run = CliRunner().invoke(main, ["calibrate", *files, "--save", str(tmp_path / "c.json"), "--json"])
    assert run.exit_code == 0, run.output
    (found,) = json.loads(run.output)["systems"]
    whole = ft.calibrate(*ft.read_pair(files[1], files[3]))
    assert found["test"]["cllr"] == pytest.approx(whole.test[0])
    assert ft.calibration.Calibration.load(tmp_path / "c.json").parameters["weights"] == pytest.approx(
        whole.calibration.parameters["weights"]
    )
    run = CliRunner().invoke(main, ["calibrate", *files, "--fuse"])
    assert (run.exit_code, "--fuse needs all trials in memory" in run.output) == (2, True), run.output
