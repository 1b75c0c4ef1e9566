"""The first look."""

from pathlib import Path

import numpy as np

from explorer.opened import read_data, write_sets
from fairtrial import performance_curve, roc_curve
from fairtrial.explorer.points import Point


def test_curves_are_those_of_the_library(tmp_path: Path) -> None:
    data = read_data(write_sets(tmp_path))
    found = data.look(["voice", "face"])
    assert [own["name"] for own in found["systems"]] == ["voice", "face"]
    voice = found["systems"][0]
    curve = roc_curve(data.test, system="voice", max_points=2000)
    assert np.array_equal(voice["roc"]["x"], curve.far)
    assert np.array_equal(voice["roc"]["y"], 1 - curve.frr)
    assert np.array_equal(voice["hter"], performance_curve(data.dev, data.test, system="voice").hter)
    assert found["axes"]["det"]["x"]["low"] < found["axes"]["det"]["x"]["high"]


def test_errors_at_a_dragged_threshold_are_looked_up_as_they_are_counted(tmp_path: Path) -> None:
    data = read_data(write_sets(tmp_path))
    scores = np.sort(data.test.column("voice"))
    for threshold in (-10.0, float(scores[7]), float(np.nextafter(scores[7], -np.inf)), 0.5, 10.0):
        point = Point.of({"threshold": threshold})
        counted = data.at(["voice"], point)
        data.look(["voice"])
        assert data.at(["voice"], point) == counted
        data._curves.clear()
        data._sorted.clear()
