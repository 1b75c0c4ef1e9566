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
from fairtrial.core.notes import Note
from fairtrial.counting import pieces as opened
from fairtrial.formats import read


def draw(seed: int, size: int = 30_000, apart: float = 2.0) -> ft.Trials:
    rng = np.random.default_rng(seed)
    genuine = rng.random(size) < 0.1
    return ft.Trials.from_arrays(np.round(1000 + 3 * rng.normal(apart * genuine), 2), genuine, systems=["voice"])


def pieces(trials: ft.Trials) -> opened.OpenTrials:
    return ft.open_trials(trials.column(), trials.genuine, systems=["voice"])


@pytest.mark.parametrize(
    ("method", "prior"),
    [
        ("logistic", 0.5),
        ("logistic", 0.05),
        ("gaussian", 0.5),
        ("gaussian", 0.05),
        ("pav", 0.5),
        ("kde", 0.5),
        ("none", 0.5),
    ],
)
def test_figures_are_those_of_memory(method: str, prior: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opened, "SORT_AT_ONCE", 0)
    dev, test = draw(1), draw(2)
    points = ["sre18", ".5"]
    (whole,) = ft.calibrate(dev, test, method=method, prior=prior, costs=points, bounds="elub")
    (found,) = ft.calibrate(pieces(dev), pieces(test), method=method, prior=prior, costs=points, bounds="elub")
    assert np.allclose(found.calibration.ratios(test), whole.calibration.ratios(test), rtol=1e-8, atol=1e-8)
    assert whole.dev is not None
    assert found.dev == pytest.approx(whole.dev, rel=1e-9)
    assert found.test == pytest.approx(whole.test, rel=1e-9)
    assert found.raw == pytest.approx(whole.raw, rel=1e-12)
    for passed, cost in zip(found.costs, whole.costs, strict=True):
        assert passed.actual == pytest.approx(cost.actual, rel=1e-12)
        assert passed.minimum == pytest.approx(cost.minimum, rel=1e-12)
    assert found.calibration.bounds == whole.calibration.bounds
    assert found.intervals == ()
    assert "no-intervals" in [note.code for note in found.notes if isinstance(note, Note)]


def test_what_rests_on_counts_is_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opened, "SORT_AT_ONCE", 0)
    dev, test = draw(3), draw(4)
    found = ft.calibration.fit_calibration(pieces(dev), method="pav")
    assert found.parameters == ft.calibration.fit_calibration(dev, method="pav").parameters
    assert ft.calibration.min_cllr(pieces(test)) == ft.calibration.min_cllr(test)


def test_separated_equal_and_reversed_scores() -> None:
    apart = draw(5, 500, apart=100.0)
    whole, found = (ft.calibration.fit_calibration(data) for data in (apart, pieces(apart)))
    assert found.notes == whole.notes
    assert found.parameters["weights"] == pytest.approx(whole.parameters["weights"], rel=1e-6)
    dev = draw(1, 500)
    equal = ft.Trials.from_arrays(np.ones(500), dev.genuine, systems=["voice"])
    with pytest.raises(ft.TrialsError) as error:
        ft.calibration.fit_calibration(pieces(equal))
    assert error.value.code == "equal-scores"
    turned = ft.Trials.from_arrays(-dev.column(), dev.genuine, systems=["voice"])
    (first,), (second,) = ft.calibrate(turned, turned), ft.calibrate(pieces(turned), pieces(turned))
    assert second.test == pytest.approx(first.test, rel=1e-12)


def test_fusions_and_counters_are_refused() -> None:
    both = ft.open_trials(np.ones((4, 2)), np.array([True, False] * 2), systems=["a", "b"])
    counter = ft.Counter()
    counter.update(np.arange(4.0), np.array([True, False] * 2))
    for dev, fuse, code in ((both, True, "needs-trials"), (counter, False, "needs-scores")):
        with pytest.raises(ft.ParameterError) as error:
            ft.calibrate(dev, dev, fuse=fuse)
        assert error.value.code == code


def test_a_method_of_ones_own_is_there_in_passes_too(monkeypatch: pytest.MonkeyPatch) -> None:
    own = replace(ft.CALIBRATIONS["gaussian"], name="mine")
    monkeypatch.setitem(ft.CALIBRATIONS, "mine", own)
    dev, test = pieces(draw(1, 3000)), pieces(draw(2, 3000))
    mine, known = (ft.calibrate(dev, test, method=name) for name in ("mine", "gaussian"))
    assert (mine.test, mine.calibration.name) == (known.test, "mine(voice)")


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read, "expected_memory", lambda paths: 10**12)
    for seed, name in ((1, "dev"), (2, "test")):
        ft.write_trials(draw(seed, 3000), tmp_path / f"{name}.csv")
    files = ["--dev", str(tmp_path / "dev.csv"), "--test", str(tmp_path / "test.csv")]
    run = CliRunner().invoke(main, ["calibrate", *files, "--save", str(tmp_path / "c.json"), "--json"])
    assert run.exit_code == 0, run.output
    (found,) = json.loads(run.stdout)["systems"]
    whole = ft.calibrate(*ft.read_pair(files[1], files[3]))
    assert found["test"]["cllr"] == pytest.approx(whole.test[0])
    assert ft.calibration.Calibration.load(tmp_path / "c.json").parameters["weights"] == pytest.approx(
        whole.calibration.parameters["weights"]
    )
    run = CliRunner().invoke(main, ["calibrate", *files, "--scores-out", str(tmp_path / "llr.csv")])
    assert (run.exit_code, "--scores-out needs all trials in memory" in run.output) == (2, True), run.output
