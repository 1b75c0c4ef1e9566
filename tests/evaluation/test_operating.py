"""AUC, d' and the FRR where dev keeps a FAR: against thresholds found by trying every score."""

from __future__ import annotations

import numpy as np
import pytest

import fairtrial as ft
from fairtrial.core.errors import ParameterError
from fairtrial.core.notes import Note
from fairtrial.core.words import wording
from simulated import crossed


@pytest.fixture(scope="module")
def sets() -> tuple[ft.Trials, ft.Trials]:
    rng = np.random.default_rng(3)
    dev, test = (crossed(rng, clients=40, impostors=20, effect=0.4, start=start) for start in (0, 99))
    return dev, test


@pytest.mark.parametrize("far", [0.1, 0.01, 0.0001])
def test_point_is_the_lowest_threshold_that_keeps_the_far_on_dev(sets: tuple[ft.Trials, ft.Trials], far: float) -> None:
    dev, test = sets
    found = ft.operating_points(dev, test, systems="a", far_targets=[far])
    (point,) = found.points
    scores = dev.column("a")
    impostor = scores[~dev.genuine]
    lowest = min(t for t in scores.tolist() if np.mean(impostor > t) <= far)
    on_test = test.column("a")
    # any threshold from one score up to the next decides dev alike
    assert np.mean(impostor > point.threshold) <= far
    assert np.count_nonzero(scores > point.threshold) == np.count_nonzero(scores > lowest)
    assert point.test.frr == np.mean(on_test[test.genuine] <= point.threshold)
    assert point.test.far == np.mean(on_test[~test.genuine] > point.threshold)
    assert point.dev.false_accepts == np.count_nonzero(impostor > lowest)


def test_interval_is_that_of_an_evaluation_with_the_threshold_re_estimated(sets: tuple[ft.Trials, ft.Trials]) -> None:
    found = ft.operating_points(*sets, systems="a", far_targets=[0.05])
    alone = ft.evaluate(*sets, systems="a", criterion="far-at-most", alpha=0.05)
    assert found.points[0].interval.interval == pytest.approx(alone.interval("frr").interval)
    assert found.points[0].interval.threshold == "re-estimated"
    fixed = ft.operating_points(*sets, systems="a", far_targets=[0.05], resample="test").points[0].interval
    assert fixed.threshold == "fixed"
    assert fixed.width < found.points[0].interval.width


def test_targets_that_rest_on_few_errors_are_noted_once(sets: tuple[ft.Trials, ft.Trials]) -> None:
    found = ft.operating_points(*sets, systems="a")
    few = {point.far_target: point.dev.false_accepts for point in found.points if not point.supported}
    assert few == {0.01: 8, 0.001: 0, 0.0001: 0}
    (note,) = (note for note in found.notes if isinstance(note, Note) and note.code == "few-errors")
    assert (note.about, note.values["targets"]) == ("a", ["1 % (8)", "0.1 % (0)", "0.01 % (0)"])


def test_one_table_has_every_figure_with_its_interval(sets: tuple[ft.Trials, ft.Trials]) -> None:
    found = ft.operating_points(*sets, systems="a", far_targets=[0.1, 0.001])
    (table,) = found.tables()
    assert table.column("figure") == ["AUC", "d'", "FRR at FAR 10 %", "FRR at FAR 0.1 %"]
    with wording(terms="iso"):
        shown = [row for group in found.tables()[0].sections() for row in group]
    assert shown[2][1] == "FNMR at FMR 10 %"
    assert shown[0][2].endswith(" %")
    assert not shown[1][2].endswith("%")
    frame = table.to_arrow().to_pydict()
    assert frame["value"] == pytest.approx(
        [found.auc.estimate, found.d_prime.estimate, *(point.test.frr for point in found.points)]
    )
    assert np.all(np.array(frame["interval_low"]) <= frame["value"])
    assert np.all(np.array(frame["value"]) <= frame["interval_high"])


@pytest.mark.parametrize("far", [[], [0.0], [1.0], [0.1, 0.1], [float("nan")]])
def test_targets_that_are_none(sets: tuple[ft.Trials, ft.Trials], far: list[float]) -> None:
    with pytest.raises(ParameterError, match="target FAR"):
        ft.operating_points(*sets, systems="a", far_targets=far)
