"""The break-even point of precision and recall: against every order of equal scores, and by hand."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray

from fairtrial import ParameterError
from fairtrial.evaluation import precision_recall_curve
from fairtrial.rules import break_even_point, choose_thresholds
from reference.epc_2005 import BREAK_EVEN_OF_DEV, DEV
from strategies import score_arrays

Pair = tuple[NDArray[np.floating], NDArray[np.floating]]


def test_break_even_point_of_the_example() -> None:
    found = break_even_point(DEV)
    assert (found.value, found.threshold) == (BREAK_EVEN_OF_DEV, 0.5)
    assert found.precision == found.recall == BREAK_EVEN_OF_DEV
    assert break_even_point(DEV, definition="step").value == BREAK_EVEN_OF_DEV


@given(score_arrays(max_size=20))
def test_precision_of_as_many_of_the_highest_scores_as_are_genuine(scores: Pair) -> None:
    # in the mean over all orders of equal scores: of a group that is taken in part, that part of its genuine trials
    genuine, impostor = (np.maximum(part.astype(np.float64), -1.7e308) for part in scores)
    room, right = Fraction(len(genuine)), Fraction(0)
    for score in np.unique(np.concatenate([genuine, impostor]))[::-1]:
        own, all_of_it = int((genuine == score).sum()), int((genuine == score).sum() + (impostor == score).sum())
        taken = min(room, Fraction(all_of_it))
        right += taken * own / all_of_it
        room -= taken
    assert break_even_point((genuine, impostor)).value == float(right / len(genuine))


def test_equal_scores_by_either_definition() -> None:
    # three genuine trials; one is above a group of two genuine and two impostor trials
    scores = ([3.0, 2.0, 2.0], [2.0, 2.0, 1.0])
    found = break_even_point(scores)
    # two of the group of four are taken, and half of the group is genuine
    assert found.value == pytest.approx((1 + 2 / 2) / 3)
    step = break_even_point(scores, definition="step")
    # all of the group: 5 accepted, 3 of them genuine; none of it: 1 accepted, 1 genuine; both are off by 2
    assert (step.threshold, step.precision, step.recall) == (1.0, 0.6, 1.0)
    assert step.value == pytest.approx(0.8)


def test_nothing_accepted_is_no_break_even_point() -> None:
    # the highest scores are impostors: precision and recall are both 0 there, and equal
    scores = ([0.5, 0.4], [0.9, 0.3, 0.2])
    curve = precision_recall_curve(scores)
    assert curve.precision[-1] == curve.recall[-1] == 0
    assert break_even_point(scores).value == 0.5
    assert choose_thresholds(scores, "break-even", 0.5).threshold.tolist() == [0.4]


def test_more_genuine_trials_without_a_score_than_impostors() -> None:
    scores = ([-np.inf, -np.inf, 1.0], [0.0])
    # accepting all there is: 2 trials, 1 of them genuine
    assert break_even_point(scores).value == pytest.approx((1 / 2 + 1 / 3) / 2)


def test_a_definition_that_does_not_exist() -> None:
    with pytest.raises(ParameterError, match="definition must be one of interpolated, step"):
        break_even_point(DEV, definition="rocch")  # type: ignore[arg-type]
