"""DET curves: what is drawn where."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.axes import Axes
from scipy.special import ndtri

from fairtrial import (
    Trials,
)
from fairtrial.plots import det_plot, diagnostic_plot, diagnostics, operating_curves, roc_plot


def test_det_axes_are_probit_scales(dev: Trials, test: Trials, ax: Axes) -> None:
    assert det_plot(operating_curves(dev, test), ax=ax) is ax
    assert (ax.get_xscale(), ax.get_yscale()) == ("function", "function")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("FAR (%)", "FRR (%)")
    spread = ax.transData.transform([(rate, 0.1) for rate in (0.02, 0.1, 0.4)])[:, 0]
    # equal steps of the normal deviate are equal steps on paper
    deviates = ndtri([0.02, 0.1, 0.4])
    assert (spread[1] - spread[0]) / (spread[2] - spread[1]) == pytest.approx(
        (deviates[1] - deviates[0]) / (deviates[2] - deviates[1])
    )


def test_lines_are_the_curves_and_bars_the_intervals(dev: Trials, test: Trials, ax: Axes) -> None:
    curves = operating_curves(dev, test)
    det_plot(curves, ax=ax)
    drawn = [line for line in ax.lines if len(np.atleast_1d(line.get_xdata())) > 10]
    assert len(drawn) == len(curves) == len(ax.containers)
    for curve, line, bars in zip(curves, drawn, ax.containers, strict=True):
        np.testing.assert_array_equal(line.get_xdata(), curve.roc.far)
        np.testing.assert_array_equal(line.get_ydata(), curve.roc.frr)
        point, _, segments = bars.lines  # type: ignore[attr-defined]
        assert (point.get_xdata()[0], point.get_ydata()[0]) == (curve.point.counts.far, curve.point.counts.frr)
        across, upright = (part.get_segments()[0] for part in segments)
        np.testing.assert_allclose(across[:, 0], curve.point.far)
        np.testing.assert_allclose(upright[:, 1], curve.point.frr)
    labels = ax.get_legend_handles_labels()[1]
    assert labels[0] == f"face: EER {100 * curves[0].eer.value:.2f} %, HTER {100 * curves[0].point.counts.hter:.2f} %"


def test_curves_are_steps(dev: Trials, test: Trials, ax: Axes) -> None:
    (curve,) = operating_curves(dev, test, systems=["face"])
    roc_plot(curve, ax=ax)
    (line,) = [line for line in ax.lines if len(np.atleast_1d(line.get_xdata())) > 10]
    assert line.get_drawstyle() == "steps-pre"  # with FAR falling, up before left: never better than what is there
    assert (np.diff(curve.roc.far) <= 0).all()


@pytest.mark.parametrize("max_points", [60, 2000])
def test_the_point_lies_on_its_curve(max_points: int) -> None:
    rng = np.random.default_rng(5)
    dev, test = (
        Trials.from_arrays(
            np.concatenate([rng.normal(3.4, 1, 60), rng.normal(0, 1, 5000)]), np.repeat([True, False], [60, 5000])
        )
        for _ in range(2)
    )
    (curve,) = operating_curves(dev, test, max_points=max_points)
    counts, roc = curve.point.counts, curve.roc
    upright = (roc.far[:-1] == counts.far) & (roc.frr[:-1] <= counts.frr) & (counts.frr <= roc.frr[1:])
    flat = (roc.frr[1:] == counts.frr) & (roc.far[1:] <= counts.far) & (counts.far <= roc.far[:-1])
    assert (upright | flat).any()


def without_errors(kind: str) -> Trials:
    """Trials where a threshold of 0 makes no error of one kind and some of the other."""
    genuine, impostor = np.linspace(0.1, 2, 40), np.linspace(-3, 0.5, 200)
    if kind == "far":
        genuine, impostor = np.linspace(-0.5, 2, 40), np.linspace(-3, -0.1, 200)
    return Trials.from_arrays(np.concatenate([genuine, impostor]), np.repeat([True, False], [40, 200]))


@pytest.mark.parametrize("kind", ["far", "frr", "both"])
def test_point_without_errors_is_on_the_edge_of_a_det(kind: str, ax: Axes) -> None:
    dev = Trials.from_arrays([0.0, -1.0, 1.0], np.array([False, False, True]))
    test = without_errors(kind)
    if kind == "both":
        test = Trials.from_arrays(np.where(test.genuine, 2.0, -2.0), test.genuine)
    (curve,) = operating_curves(dev, test, cluster="none", criterion="far", alpha=0.0)
    counts = curve.point.counts
    assert (counts.far == 0, counts.frr == 0) == (kind != "frr", kind != "far")
    det_plot(curve, ax=ax)
    point, _, segments = ax.containers[0].lines  # type: ignore[attr-defined]
    place = point.get_xdata()[0], point.get_ydata()[0]
    assert place == (max(counts.far, ax.get_xlim()[0]), max(counts.frr, ax.get_ylim()[0]))
    assert not point.get_clip_on()
    assert all(segment.get_clip_on() for segment in segments)
    across, upright = (part.get_segments()[0] for part in segments)
    assert (across[1, 0], upright[1, 1]) == pytest.approx((curve.point.far.high, curve.point.frr.high))


def test_det_axes_reach_as_far_as_the_points(dev: Trials, test: Trials, ax: Axes) -> None:
    (curve,) = operating_curves(dev, test, systems=["voice"], criterion="frr", alpha=0.001)
    assert (curve.point.counts.far, curve.point.counts.frr) == (1, 0)
    det_plot(curve, ax=ax)
    point = ax.containers[0].lines[0]  # type: ignore[attr-defined]
    assert (point.get_xdata()[0], point.get_ydata()[0]) == (ax.get_xlim()[1], ax.get_ylim()[0])
    assert ax.get_xlim()[1] == 0.99


def test_figures_in_the_terms_of_iso(dev: Trials, test: Trials) -> None:
    bare = [Trials.from_arrays(one.column("face"), one.genuine, systems=["FAR"]) for one in (dev, test)]
    curves = operating_curves(*bare)
    for ax in (det_plot(curves, terms="iso"), roc_plot(curves, terms="iso")):
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("FMR (%)", "FNMR (%)")
    roc = roc_plot(curves, terms="iso").get_legend_handles_labels()[1]
    assert roc[0] == "FMR = FNMR"
    assert roc[1].startswith("FAR: EER")  # the name of a system
    panels = diagnostic_plot(diagnostics(*bare), terms="iso")
    assert panels[1].get_legend_handles_labels()[1] == ["FNMR", "FMR"]
    assert panels[3].get_xlabel() == "FMR (%)"
