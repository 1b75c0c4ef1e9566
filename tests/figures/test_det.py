"""DET, ROC and precision-recall curves: their data, and what is drawn where."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.axes import Axes
from scipy.special import ndtri

from fairtrial import FairtrialError, Trials, equal_error_rate, evaluate
from fairtrial.core.words import wording
from fairtrial.evaluation import precision_recall_curve
from fairtrial.figures.det import det_plot, judged_precision, operating_curves, precision_recall_plot, roc_plot
from fairtrial.figures.scores import diagnostic_plot, diagnostics
from fairtrial.inference import TrialSets, judge, judged_interval, make_blocks
from fairtrial.published import proportion_interval
from fairtrial.rules import break_even_point
from figures.drawn import caption, refused


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
        np.testing.assert_allclose(across[:, 0], curve.point.far.interval)
        np.testing.assert_allclose(upright[:, 1], curve.point.frr.interval)
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
    with wording(terms="iso"):
        det, roc = det_plot(curves), roc_plot(curves)
        panels = diagnostic_plot(diagnostics(*bare))
    for ax in (det, roc):
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("FMR (%)", "FNMR (%)")
    labels = roc.get_legend_handles_labels()[1]
    assert "FMR = FNMR" in labels
    assert labels[0].startswith("FAR: EER")  # the name of a system
    assert panels[1].get_legend_handles_labels()[1] == ["FNMR", "FMR"]
    assert panels[3].get_xlabel() == "FMR (%)"


def hollow_points(ax: Axes) -> list[np.ndarray]:
    """Where points are hollow, without the entry of the legend."""
    hollow = [np.asarray(line.get_xydata()) for line in ax.lines if line.get_markerfacecolor() == "white"]
    return [places for places in hollow if places.size]


def test_roc_has_the_line_of_equal_errors_and_both_kinds_of_points(dev: Trials, test: Trials, ax: Axes) -> None:
    curves = operating_curves(dev, test, systems=["face", "voice"])
    roc_plot(curves, ax=ax)
    limit = ax.get_xlim()[1]
    (equal,) = (line for line in ax.lines if line.get_label() == "FAR = FRR")
    np.testing.assert_array_equal(equal.get_xydata(), [[0, 0], [limit, limit]])
    for curve in curves:
        assert max(curve.point.far.high, curve.point.frr.high, curve.eer.value) < limit
    hollow = [
        line.get_xydata()
        for line in ax.lines
        if line.get_markerfacecolor() == "white" and len(np.atleast_1d(line.get_xdata()))
    ]
    assert [tuple(np.ravel(place)) for place in hollow] == [(c.eer.counts.far, c.eer.counts.frr) for c in curves]
    roc_plot(curves, limit=0.5, ax=ax)
    assert ax.get_ylim() == (0, 0.5)
    (hull,) = operating_curves(dev, test, systems=["face"], eer="rocch")
    (place,) = hollow_points(roc_plot(hull))
    assert "EER on test, a posteriori" in ax.get_legend_handles_labels()[1]
    assert tuple(np.ravel(place)) == (hull.eer.value, hull.eer.value)


def test_percent_is_what_people_read(dev: Trials, test: Trials, ax: Axes) -> None:
    roc_plot(operating_curves(dev, test), limit=0.5, ax=ax)
    assert ax.xaxis.get_major_formatter()(0.07, 0) == "7"
    assert ax.xaxis.get_major_formatter()(0.125, 0) == "12.5"


def test_points_are_those_of_evaluate(dev: Trials, test: Trials) -> None:
    for curve in operating_curves(dev, test, criterion="wer-min", alpha=0.3):
        expected = evaluate(dev, test, systems=curve.system, criterion="wer-min", alpha=0.3)
        assert curve.point.counts == expected.test
        assert (curve.point.kind, curve.point.criterion.name) == ("a priori", "wer-min")
        judgement = judge(TrialSets(dev, test), system=curve.system, criterion="wer-min", alphas=0.3)
        for interval, measure in ((curve.point.far, "far"), (curve.point.frr, "frr")):
            assert interval == judged_interval(judgement, measure=measure)
        assert curve.point.far.interval == expected.interval("far").interval


def test_points_by_folds_are_those_of_cross_validation(dev: Trials) -> None:
    blocks = make_blocks(dev, 4)
    (curve,) = operating_curves(dev, None, blocks=blocks, systems=["voice"])
    expected = evaluate(dev, folds=blocks, systems="voice")
    assert (curve.point.counts.false_accepts, curve.point.counts.false_rejects) == (
        expected.test.false_accepts,
        expected.test.false_rejects,
    )
    assert curve.point.kind == expected.kind
    assert "held-out" in caption("det", curve)


def test_without_ids_the_intervals_are_wilson(dev: Trials, test: Trials) -> None:
    bare = [Trials.from_arrays(t.column("face"), t.genuine) for t in (dev, test)]
    (curve,) = operating_curves(*bare)
    counts, judgement = curve.point.counts, judge(TrialSets(bare[0], bare[1]))
    for measure, errors, trials in (
        ("far", counts.false_accepts, counts.impostor),
        ("frr", counts.false_rejects, counts.genuine),
    ):
        wilson = proportion_interval(errors, trials, method="wilson")
        fixed = judged_interval(judgement, measure=measure, threshold="fixed")
        assert fixed.interval == pytest.approx(wilson)
        # the threshold moves too
        drawn = getattr(curve.point, measure)
        assert drawn.low < wilson.low < wilson.high < drawn.high
    assert "95 % intervals, threshold re-estimated" in caption("roc", curve)


def test_what_cannot_be_drawn_is_an_error(dev: Trials, test: Trials) -> None:
    with pytest.raises(FairtrialError, match="no system 'ear'"):
        operating_curves(dev, test, systems=["ear"])
    with refused("no-test-trials"):
        operating_curves(dev, None)
    with refused("nothing-to-draw"):
        det_plot([])
    with refused("limit"):
        roc_plot(operating_curves(dev, test), limit=2)


def test_eer_is_that_of_evaluate_and_another_has_its_name(dev: Trials, test: Trials) -> None:
    (usual,) = operating_curves(dev, test, systems=["face"])
    evaluated = evaluate(dev, test, systems="face").test_eer
    assert evaluated is not None
    assert (usual.eer.value, usual.eer.definition) == (evaluated.value, evaluated.definition)
    (other,) = operating_curves(dev, test, systems=["face"], eer="rocch")
    assert other.eer.value == equal_error_rate(test, system="face", definition="rocch").value
    for curve, words in ((usual, "face: EER "), (other, "face: EER (rocch) ")):
        assert det_plot(curve).get_legend_handles_labels()[1][0].startswith(f"{words}{100 * curve.eer.value:.2f} %")


def test_points_are_those_of_evaluate_and_of_the_break_even_point(dev: Trials, test: Trials, ax: Axes) -> None:
    curves = judged_precision(dev, test, systems=["face", "voice"], criterion="precision", alpha=0.5)
    precision_recall_plot(curves, low=0.1, ax=ax)
    hollow = [
        line.get_xydata()
        for line in ax.lines
        if line.get_markerfacecolor() == "white" and len(np.atleast_1d(line.get_xdata()))
    ]
    drawn = [tuple(np.ravel(np.asarray(place, dtype=np.float64))) for place in hollow]
    expected = [break_even_point(test, system=name).value for name in ("face", "voice")]
    assert drawn == [(value, value) for value in expected]
    for curve in curves:
        result = evaluate(
            dev, test, systems=curve.system, criterion="precision", alpha=0.5, measures=["precision", "recall"]
        )
        assert (curve.precision, curve.recall) == tuple(result.measure_intervals.values())
        whole = precision_recall_curve(test, system=curve.system)
        assert set(zip(curve.curve.recall, curve.curve.precision, strict=True)) <= set(
            zip(whole.recall, whole.precision, strict=True)
        )
    assert ax.get_xlim() == ax.get_ylim() == (0.1, 1)
    assert "threshold by precision (target 0.5) on dev" in caption("precision-recall", curves, low=0.1)


def test_held_out_trials_are_named(dev: Trials, ax: Axes) -> None:
    (curve,) = judged_precision(dev, None, blocks=make_blocks(dev, 4), systems=["voice"])
    precision_recall_plot(curve, ax=ax)
    assert ax.get_title() == ""
    assert "on held-out trials" in caption("precision-recall", curve)


def test_figures_that_cannot_be(dev: Trials, test: Trials) -> None:
    for curves, low, code in (
        ((), 0.0, "nothing-to-draw"),
        (judged_precision(dev, test, systems=["face"]), 1.0, "limit"),
    ):
        with refused(code):
            precision_recall_plot(curves, low=low)
