"""Operating curves and their points, before they are drawn."""

from __future__ import annotations

import pytest

from fairtrial import (
    FairtrialError,
    Trials,
    TrialSets,
    cross_validate,
    equal_error_rate,
    evaluate,
    judge,
    judged_interval,
    make_blocks,
    proportion_interval,
)
from fairtrial.plots import det_plot, operating_curves, roc_plot


def test_points_are_those_of_evaluate(dev: Trials, test: Trials) -> None:
    for curve in operating_curves(dev, test, criterion="wer-min", alpha=0.3):
        expected = evaluate(dev, test, system=curve.system, criterion="wer-min", alpha=0.3)
        assert curve.point.counts == expected.test
        assert (curve.point.kind, curve.point.criterion.name) == ("a priori", "wer-min")
        judgement = judge(TrialSets(dev, test), system=curve.system, criterion="wer-min", alphas=0.3)
        for found, measure in ((curve.point.far, "far"), (curve.point.frr, "frr")):
            assert found == judged_interval(judgement, measure=measure).interval
        assert curve.point.far == expected.far_interval.interval


def test_points_by_folds_are_those_of_cross_validation(dev: Trials) -> None:
    blocks = make_blocks(dev, 4)
    (curve,) = operating_curves(dev, None, blocks=blocks, systems=["voice"])
    expected = cross_validate(dev, blocks, system="voice")
    assert (curve.point.counts.false_accepts, curve.point.counts.false_rejects) == (
        expected.test.false_accepts,
        expected.test.false_rejects,
    )
    assert curve.point.kind == expected.kind
    assert "held-out" in det_plot(curve).get_title(loc="left")


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
    assert "95 % intervals, threshold re-estimated" in det_plot(curve).get_title(loc="left")


def test_what_cannot_be_drawn_is_an_error(dev: Trials, test: Trials) -> None:
    with pytest.raises(FairtrialError, match="no system 'ear'"):
        operating_curves(dev, test, systems=["ear"])
    with pytest.raises(FairtrialError, match="cut into blocks"):
        operating_curves(dev, None)
    with pytest.raises(FairtrialError, match="no curve"):
        det_plot([])
    with pytest.raises(FairtrialError, match="limit"):
        roc_plot(operating_curves(dev, test), limit=2)


def test_eer_is_that_of_evaluate_and_another_has_its_name(dev: Trials, test: Trials) -> None:
    (usual,) = operating_curves(dev, test, systems=["face"])
    evaluated = evaluate(dev, test, system="face").test_eer
    assert evaluated is not None
    assert (usual.eer.value, usual.eer.definition) == (evaluated.value, evaluated.definition)
    (other,) = operating_curves(dev, test, systems=["face"], eer="rocch")
    assert other.eer.value == equal_error_rate(test, system="face", definition="rocch").value
    for curve, words in ((usual, "face: EER "), (other, "face: EER (rocch) ")):
        assert det_plot(curve).get_legend_handles_labels()[1][0].startswith(f"{words}{100 * curve.eer.value:.2f} %")
