"""A method of one's own, by registration."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import fairtrial as ft
from calibration.test_model import make
from fairtrial.calibration.linear import Linear
from fairtrial.cli.app import main


@pytest.fixture
def halved() -> Iterator[str]:
    """A method that halves scores, whatever dev says."""
    method = ft.CalibrationMethod(
        "halved", lambda dev: ft.CalibrationFit(Linear((0.5,), 0.0)), Linear.read, "half the score"
    )
    ft.register_calibration(method)
    yield method.name
    del ft.CALIBRATIONS[method.name]


def test_a_registered_method_is_fitted_saved_and_a_choice_of_the_command(halved: str, tmp_path: Path) -> None:
    dev = make(1)
    found = ft.fit_calibration(dev, systems=["face"], method=halved)
    assert np.array_equal(found.ratios(dev), dev.column("face") / 2)
    found.save(tmp_path / "h.json")
    assert np.array_equal(ft.Calibration.load(tmp_path / "h.json").ratios(dev), found.ratios(dev))
    assert ft.calibrate(dev, make(2), systems=["face"], method=halved).intervals[0].threshold == "fixed"
    assert "halved: half the score" in " ".join(CliRunner().invoke(main, ["calibrate", "--help"]).output.split())
    with pytest.raises(ft.ParameterError, match="halved calibrates one system"):
        ft.fit_calibration(dev, method=halved)


def test_a_method_that_is_not_there() -> None:
    with pytest.raises(ft.ParameterError, match="there are logistic, pav, gaussian, kde"):
        ft.fit_calibration(make(1), method="halved")
