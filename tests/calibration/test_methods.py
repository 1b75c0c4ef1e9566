"""A method of one's own, by registration."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import fairtrial as ft
from calibration.test_model import make
from fairtrial.calibration.methods import Linear
from fairtrial.cli.app import main
from simulated import crossed


@pytest.fixture
def halved() -> Iterator[str]:
    """A method that halves scores, whatever dev says."""
    method = ft.calibration.CalibrationMethod(
        "halved", lambda dev: ft.calibration.CalibrationFit(Linear((0.5,), 0.0)), Linear.read, "half the score"
    )
    ft.register_calibration(method)
    yield method.name
    del ft.CALIBRATIONS[method.name]


def test_a_registered_method_is_fitted_saved_and_a_choice_of_the_command(halved: str, tmp_path: Path) -> None:
    dev = make(1)
    found = ft.calibration.fit_calibration(dev, systems=["face"], method=halved)
    assert np.array_equal(found.ratios(dev), dev.column("face") / 2)
    found.save(tmp_path / "h.json")
    assert np.array_equal(ft.calibration.Calibration.load(tmp_path / "h.json").ratios(dev), found.ratios(dev))
    assert ft.calibrate(dev, make(2), systems=["face"], method=halved).intervals[0].threshold == "fixed"
    ft.write_trials(dev, tmp_path / "dev.csv")
    files = ["--dev", str(tmp_path / "dev.csv"), "--test", str(tmp_path / "dev.csv")]
    run = CliRunner().invoke(main, ["calibrate", *files, "--method", "halve"])
    assert (run.exit_code, "halved" in run.stderr) == (2, True)
    with pytest.raises(ft.ParameterError) as error:
        ft.calibration.fit_calibration(dev, method=halved)
    assert error.value.code == "one-system"


def test_a_method_that_is_not_there() -> None:
    with pytest.raises(ft.ParameterError, match="there are logistic, pav, gaussian, kde, none"):
        ft.calibration.fit_calibration(make(1), method="halved")


@pytest.mark.parametrize("method", ["logistic", "gaussian", "kde", "pav"])
@pytest.mark.parametrize("unit", [2.0**990, 2.0**-990])
def test_scores_of_any_size_have_the_figures_of_ordinary_ones(method: str, unit: float) -> None:
    """Squares of huge scores overflow, and those of tiny ones vanish."""
    sets = [crossed(np.random.default_rng(k), clients=12, impostors=6, systems=["a"], effect=0.5) for k in (1, 2)]
    far = [replace(own, scores=own.scores * unit) for own in sets]
    ((found,), (expected,)) = ft.calibrate(*far, method=method), ft.calibrate(*sets, method=method)
    assert found.test == pytest.approx(expected.test, rel=1e-9)
    for own, other in zip(found.intervals, expected.intervals, strict=True):
        assert own.interval == pytest.approx(other.interval, rel=1e-6)
    limits = [own.costs[0].interval for own in (found, expected)]
    assert limits[0] is not None
    assert limits[1] is not None
    assert limits[0].interval == pytest.approx(limits[1].interval, rel=0.05)
    for own, other, size in zip(found.parameter_intervals, expected.parameter_intervals, (unit, 1.0), strict=False):
        assert [end * size for end in own.interval] == pytest.approx(other.interval, rel=1e-6)
    bands = [ft.calibration.llr_map(own, points=5, n_resamples=20) for own in (found, expected)]
    assert bands[0].low == pytest.approx(bands[1].low, rel=1e-6)
    passed = ft.calibrate(*(ft.open_trials(own.scores[:, 0], own.genuine) for own in far), method=method)
    assert passed.test == pytest.approx(expected.test, rel=1e-6)


def test_scores_next_to_nothing_are_refused() -> None:
    trials = ft.Trials.from_arrays(np.array([3.0, 1.0, 2.0, 0.0]) * 1e-310, [True, True, False, False])
    with pytest.raises(ft.TrialsError) as error:
        ft.calibration.fit_calibration(trials)
    assert error.value.code == "tiny-scores"


@pytest.mark.parametrize("method", ["logistic", "gaussian", "pav"])
def test_distances_are_noted(method: str) -> None:
    trials = crossed(np.random.default_rng(1), clients=12, impostors=6, systems=["a"])
    turned = replace(trials, scores=-trials.scores)
    opened = [ft.open_trials(own.scores[:, 0], own.genuine) for own in (trials, turned)]
    for own, passed, expected in zip((trials, turned), opened, (False, True), strict=True):
        for data in (own, passed):
            notes = ft.calibration.fit_calibration(data, method=method).notes
            assert ("reversed-scores" in [note.code for note in notes]) == expected
