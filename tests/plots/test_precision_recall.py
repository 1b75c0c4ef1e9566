"""Precision and recall: what is drawn where."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.axes import Axes

from fairtrial import ParameterError, Trials, break_even_point, evaluate, make_blocks, precision_recall_curve
from fairtrial.plots import judged_precision, precision_recall_plot


def test_points_are_those_of_evaluate_and_of_the_break_even_point(dev: Trials, test: Trials, ax: Axes) -> None:
    curves = judged_precision(dev, test, systems=["face", "voice"], criterion="precision", alpha=0.5)
    precision_recall_plot(curves, low=0.1, ax=ax)
    hollow = [line.get_xydata() for line in ax.lines if line.get_markerfacecolor() == "white"]
    drawn = [tuple(np.ravel(np.asarray(place, dtype=np.float64))) for place in hollow]
    expected = [break_even_point(test, system=name).value for name in ("face", "voice")]
    assert drawn == [(value, value) for value in expected]
    for curve in curves:
        found = evaluate(
            dev, test, system=curve.system, criterion="precision", alpha=0.5, measures=["precision", "recall"]
        )
        assert (curve.precision, curve.recall) == tuple(found.measure_intervals.values())
        whole = precision_recall_curve(test, system=curve.system)
        assert set(zip(curve.curve.recall, curve.curve.precision, strict=True)) <= set(
            zip(whole.recall, whole.precision, strict=True)
        )
    assert ax.get_xlim() == ax.get_ylim() == (0.1, 1)
    assert "threshold by precision (target 0.5) on dev" in ax.get_title()


def test_held_out_trials_are_named(dev: Trials, ax: Axes) -> None:
    (curve,) = judged_precision(dev, None, blocks=make_blocks(dev, 4), systems=["voice"])
    precision_recall_plot(curve, ax=ax)
    assert "on held-out trials" in ax.get_title()


def test_figures_that_cannot_be(dev: Trials, test: Trials) -> None:
    with pytest.raises(ParameterError, match="no curve"):
        precision_recall_plot([])
    with pytest.raises(ParameterError, match="begin at a fraction"):
        precision_recall_plot(judged_precision(dev, test, systems=["face"]), low=1)
