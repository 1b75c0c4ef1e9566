"""The operating point and the steps of its slider."""

from pathlib import Path

import numpy as np
import pytest

from explorer.opened import read_data, write_sets
from fairtrial import ParameterError, evaluate
from fairtrial.explorer.points import Point, errors_shown, start_of, steps_of
from fairtrial.figures.style import probit
from fairtrial.rules.criteria import as_criterion


def test_steps_are_weights_or_targets_of_two_digits() -> None:
    assert np.array_equal(steps_of(as_criterion("wer-min")), np.linspace(0, 1, 1001))
    targets = steps_of(as_criterion("far"))
    assert (targets[0], targets[-1]) == (1e-6, 0.47)
    assert all(float(f"{target:.1e}") == target for target in targets)
    high = steps_of(as_criterion("precision"))
    assert (high[0], high[-1]) == (0.53, 0.999999)
    assert (np.diff(high) > 0).all()
    assert len(steps_of(as_criterion("eer"))) == 1


@pytest.mark.parametrize(
    ("criterion", "start"), [("eer", None), ("wer-min", 0.5), ("far", 0.01), ("precision-at-least", 0.9)]
)
def test_a_slider_begins_where_it_is_useful(criterion: str, start: float | None) -> None:
    rule = as_criterion(criterion)
    assert start_of(rule) == start
    assert start is None or start in steps_of(rule)


@pytest.mark.parametrize("criterion", ["wer-min", "far", "eer"])
def test_a_track_has_what_evaluate_finds_at_each_step(tmp_path: Path, criterion: str) -> None:
    data = read_data(write_sets(tmp_path))
    found = data.track(["voice"], criterion)
    own, steps = found["systems"]["voice"], found["steps"]
    for k in {0, len(steps) // 2, len(steps) - 1}:
        alpha = None if criterion == "eer" else steps[k]
        known = evaluate(data.dev, data.test, systems="voice", criterion=criterion, alpha=alpha)
        assert own["threshold"][k] == known.threshold
        assert (own["false_accepts"][k], own["false_rejects"][k]) == (
            known.test.false_accepts,
            known.test.false_rejects,
        )


def test_a_given_threshold_is_judged_but_no_rule(tmp_path: Path) -> None:
    data = read_data(write_sets(tmp_path))
    point = Point.of({"threshold": 0.7})
    found = data.at(["face"], point)["systems"]["face"]
    scores = data.test.column("face")
    assert found["false_accepts"] == np.count_nonzero(~data.test.genuine & (scores > 0.7))
    assert found["x"] == pytest.approx(float(probit(found["far"])), abs=1e-5)
    with pytest.raises(ParameterError, match="chooses the threshold on dev"):
        _ = point.rule


def test_a_target_must_be_given() -> None:
    with pytest.raises(ParameterError, match="alpha must be a number"):
        Point.of({"criterion": "far"})
    with pytest.raises(ParameterError, match="criterion must be one of"):
        Point.of({"criterion": "os:system"})


def test_the_same_in_words_and_keywords() -> None:
    point = Point.of({"criterion": "far", "alpha": 0.001})
    assert point.words() == ["--criterion", "far", "--alpha", "0.001"]
    assert point.keywords() == {"criterion": "far", "alpha": 0.001}
    assert Point.of({"criterion": "eer"}).words() == []
    assert float(Point("wer-min", 1 / 3).words()[-1]) == 1 / 3


def test_errors_are_shown_with_their_place(tmp_path: Path) -> None:
    data = read_data(write_sets(tmp_path))
    shown = errors_shown(Point("eer").judged(data.sets, "face").at(0))
    assert set(shown) >= {"threshold", "far", "frr", "hter", "false_accepts", "false_rejects", "x", "y"}
