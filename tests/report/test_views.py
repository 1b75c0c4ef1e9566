"""What a page explores, against plain counts and intervals."""

from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

from fairtrial import (
    Trials,
    TrialSets,
    alpha_grid,
    cross_validate,
    evaluate,
    judge,
    judged_interval,
    make_blocks,
)
from fairtrial.counting.errors import as_source, count_errors
from fairtrial.intervals.judged import intervals_along
from fairtrial.report.evaluation import evaluation_page
from fairtrial.report.page import render
from report.pages import REPEAT, Reader, data_of, edges_of, references, two_systems


def test_view_of_a_system_against_plain_counts_and_intervals() -> None:
    dev, test = two_systems(0), two_systems(1)
    page = evaluation_page([evaluate(dev, test, system="face")], REPEAT)
    view = page.explore["systems"][0]
    own = test.select(["face"])
    for k in range(0, 101, 20):
        counts = count_errors(as_source(own), view["threshold"][k]).scalar()
        assert (view["far"][k], view["frr"][k]) == (counts.far, counts.frr)
        judgement = judge(TrialSets(dev, test), system="face", criterion="wer-equal", alphas=view["alpha"][k])
        assert view["threshold"][k] == judgement.test.threshold[0]
        expected = judged_interval(judgement)
        assert expected.threshold == "re-estimated"
        assert (view["low"][k], view["high"][k]) == pytest.approx((expected.low, expected.high), rel=0.05)
    edges = edges_of(view["density"])
    for name, flags in (("genuine", test.genuine), ("impostor", ~test.genuine)):
        shown = np.histogram(own.scores[flags, 0], edges)[0] / np.count_nonzero(flags) / np.diff(edges)
        assert np.allclose(view["density"][name], shown)


def test_det_curve_is_drawn_at_normal_deviates_on_its_axes() -> None:
    dev, test = two_systems(0), two_systems(1)
    explore = evaluation_page([evaluate(dev, test, system="face")], REPEAT).explore
    view, axes = explore["systems"][0], explore["det"]
    scores = test.column("face")

    def deviate(rate: float) -> float:
        return NormalDist().inv_cdf(min(max(rate, 1e-9), 1 - 1e-9))

    def place(axis: dict[str, Any], rate: float) -> float:
        return round(min(max(deviate(rate), float(axis["low"])), float(axis["high"])), 9)

    operating = {
        (
            round(deviate(float(np.mean(scores[~test.genuine] > s))), 9),
            round(deviate(float(np.mean(scores[test.genuine] <= s))), 9),
        )
        for s in [-np.inf, *scores]
    }
    drawn = {(round(x, 9), round(y, 9)) for x, y in zip(view["det"]["x"], view["det"]["y"], strict=True)}
    assert drawn <= operating
    assert len(drawn) > 20
    # the frame cuts the curve off: what lies beyond is not moved onto it
    assert min(view["det"]["x"]) < axes["x"]["low"]
    assert min(view["det"]["y"]) < axes["y"]["low"]
    for k in range(0, 101, 10):
        assert round(view["at"]["x"][k], 9) == place(axes["x"], view["far"][k])
        assert round(view["at"]["y"][k], 9) == place(axes["y"], view["frr"][k])
    for place_of, label in axes["x"]["ticks"]:
        assert place_of == pytest.approx(NormalDist().inv_cdf(float(label) / 100))


def test_without_ids_intervals_are_those_of_independent_trials() -> None:
    rng = np.random.default_rng(0)
    genuine = np.arange(300) < 100
    dev, test = (Trials.from_arrays(rng.normal(2 * genuine, 1), genuine) for _ in range(2))
    result = evaluate(dev, test)
    view = evaluation_page([result], REPEAT).explore["systems"][0]
    assert (view["threshold"][50], result.interval.method) == (result.threshold, "wilson")
    assert (view["low"][50], view["high"][50]) == tuple(result.interval.interval)


@pytest.mark.parametrize(
    ("criterion", "alpha", "expected"),
    [("wer-min", 0.95, 0.95), ("eer", 0.5, 0.5), ("far", 0.1, None), ("f1", 0.5, None)],
)
def test_what_was_asked_stands_where_it_belongs(criterion: str, alpha: float, expected: float | None) -> None:
    dev, test = two_systems(0), two_systems(1)
    result = evaluate(dev, test, system="face", criterion=criterion, alpha=alpha)
    page = evaluation_page([result], REPEAT)
    view = page.explore["systems"][0]
    asked = view["asked"]
    assert asked["alpha"] == expected
    assert (asked["low"], asked["high"]) == tuple(result.interval.interval)
    assert asked["threshold"] == result.threshold
    if criterion == "wer-min":
        assert view["hter"][95] == asked["hter"]
        assert "alpha 0.95" in page.asked


def test_curve_of_a_cross_validation_moves_with_alpha() -> None:
    trials = two_systems(3)
    blocks = make_blocks(trials, 4)
    result = cross_validate(trials, blocks, system="face")
    page = evaluation_page([result], REPEAT)
    view = page.explore["systems"][0]
    assert len(set(view["hter"])) > 3
    assert view["asked"]["threshold"] == result.threshold
    text = Reader(render(page)).text
    assert "on held-out trials, each judged by a threshold from other folds" in page.tables[0].caption
    assert "test trials" not in text
    assert "from dev" not in text
    assert page.explore["systems"][0]["axis"]["label"] == "HTER on held-out trials (%)"


def test_intervals_along_alpha_are_made_like_the_one_that_leads() -> None:
    dev, test = two_systems(0), two_systems(1)
    result = evaluate(dev, test, system="face", criterion="wer-min", alpha=0.5, cluster="none")
    page = evaluation_page([result], REPEAT)
    view = page.explore["systems"][0]
    assert (view["low"][50], view["high"][50]) == tuple(result.interval.interval)
    assert page.tables[0].column("interval")[-1] == result.interval.interval
    assert "Fafchamps & Gubert" not in references(page)
    # beside it the same is computed along alpha
    along = intervals_along(
        judge(TrialSets(dev, test, "none"), system="face", criterion="wer-min", alphas=alpha_grid())
    )
    assert view["low"][51] == pytest.approx(along[51].low)
    assert view["low"][50] == pytest.approx(along[50].low, rel=0.02)


def test_scores_far_from_zero_keep_their_digits() -> None:
    dev, test = two_systems(0), two_systems(1)
    dev, test = (Trials.from_arrays(t.scores + 1e6, t.genuine, systems=["a", "b"]) for t in (dev, test))
    result = evaluate(dev, test, system="a")
    text = render(evaluation_page([result], REPEAT))
    systems = data_of(text)["systems"]
    assert isinstance(systems, list)
    assert systems[0]["asked"]["threshold"] == result.threshold
    assert len(set(edges_of(systems[0]["density"]))) == 61
