"""The counting kernel against brute force."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from brute_force import points
from fairtrial import ErrorCounts, ParameterError, Trials, TrialsError
from fairtrial.counting import as_source, count_errors
from fairtrial.counting.kernels import Cells
from fairtrial.counting.tallies import ArraySource, Genuine, RankTally, Scores, rank_tally
from strategies import anything, score_arrays, special, ties

Pair = tuple[NDArray[np.floating], NDArray[np.floating]]


@given(score_arrays(), st.lists(st.one_of(ties, special, anything), min_size=1, max_size=30))
def test_counts_at_any_thresholds(scores: Pair, thresholds: list[float]) -> None:
    genuine, impostor = scores
    counts = count_errors(as_source(scores), thresholds)
    for index, threshold in enumerate(thresholds):
        assert counts.false_accepts[index] == sum(float(score) > threshold for score in impostor)
        assert counts.false_rejects[index] == sum(float(score) <= threshold for score in genuine)


@given(score_arrays())
def test_counts_at_the_scores_themselves(scores: Pair) -> None:
    expected = points(scores[0].tolist(), scores[1].tolist())
    counts = count_errors(as_source(scores), [point.threshold for point in expected])
    assert counts.false_accepts.tolist() == [point.false_accepts for point in expected]
    assert counts.false_rejects.tolist() == [point.false_rejects for point in expected]


@given(score_arrays(), st.integers(0, 40), st.lists(ties, min_size=1, max_size=9))
def test_chunks_counted_alone_add_up(scores: Pair, cut: int, thresholds: list[float]) -> None:
    genuine, impostor = scores
    tally: RankTally = rank_tally(np.unique(thresholds))
    parts: list[tuple[Scores, Genuine]] = [(genuine[:cut], True), (genuine[cut:], True), (impostor, False)]
    alone = [tally.add(tally.start(), part, flag) for part, flag in parts]
    merged = tally.merge(tally.merge(alone[2], alone[0]), alone[1])
    assert np.array_equal(merged, as_source(scores).tally(tally))


def test_many_thresholds_and_many_scores_against_sorting() -> None:
    rng = np.random.default_rng(0)
    genuine, impostor = rng.normal(2, 1, 300_000), np.exp(rng.normal(0, 30, 700_000))
    for thresholds in (rng.normal(1, 1, 50_000), np.exp(rng.normal(0, 30, 101)), np.array([np.inf, -np.inf, 0.0])):
        counts = count_errors(as_source((genuine, impostor)), thresholds)
        order = np.sort(impostor)
        assert np.array_equal(counts.false_accepts, len(order) - np.searchsorted(order, thresholds, side="right"))
        assert np.array_equal(counts.false_rejects, np.searchsorted(np.sort(genuine), thresholds, side="right"))


def test_trials_and_pairs_of_arrays_count_alike() -> None:
    rng = np.random.default_rng(1)
    scores, genuine = rng.normal(size=1000), rng.random(1000) < 0.3
    trials = Trials.from_arrays(scores, genuine)
    by_mask = count_errors(as_source(trials), [0.0, 1.0])
    by_pair = count_errors(as_source((scores[genuine], scores[~genuine])), [0.0, 1.0])
    assert by_mask.false_accepts.tolist() == by_pair.false_accepts.tolist()
    assert by_mask.false_rejects.tolist() == by_pair.false_rejects.tolist()


def test_a_source_of_another_kind_gives_the_same_counts() -> None:
    class Halves:
        """A source that runs its two halves apart and merges what they counted."""

        def __init__(self, genuine: Scores, impostor: Scores) -> None:
            self.genuine, self.impostor = len(genuine), len(impostor)
            self._halves = [
                ArraySource(((genuine[k::2], True), (impostor[k::2], False)), len(genuine[k::2]), len(impostor[k::2]))
                for k in range(2)
            ]

        room = 0

        def lay_cells(self, fineness: int) -> Cells | None:
            return self._halves[0].lay_cells(fineness)

        def tally(self, what: "object") -> "object":
            first, second = (half.tally(what) for half in self._halves)  # type: ignore[var-annotated, arg-type]
            return what.merge(first, second)  # type: ignore[attr-defined]

    rng = np.random.default_rng(2)
    genuine, impostor = rng.normal(1, 1, 501), rng.normal(0, 1, 2001)
    whole = count_errors(as_source((genuine, impostor)), [0.0, 0.5])
    halves = count_errors(as_source(Halves(genuine, impostor)), [0.0, 0.5])  # type: ignore[arg-type]
    assert halves.false_accepts.tolist() == whole.false_accepts.tolist()
    assert halves.false_rejects.tolist() == whole.false_rejects.tolist()


def test_nan_scores_and_thresholds_are_errors() -> None:
    with pytest.raises(TrialsError, match="genuine: the score at index 1 is NaN"):
        as_source(([0.0, np.nan], [1.0]))
    with pytest.raises(ParameterError, match="threshold is NaN"):
        count_errors(as_source(([0.0], [1.0])), [np.nan])


@pytest.mark.parametrize(("data", "missing"), [(([], [1.0]), "genuine"), (([1.0], []), "impostor")])
def test_one_class_only_is_an_error(data: tuple[list[float], list[float]], missing: str) -> None:
    with pytest.raises(TrialsError, match=f"dev: there is no {missing} trial"):
        as_source(data, what="dev")


def test_text_and_matrices_are_no_scores() -> None:
    with pytest.raises(TrialsError, match="must be numbers"):
        as_source((["a"], [1.0]))
    with pytest.raises(TrialsError, match="one-dimensional"):
        as_source(([[1.0, 2.0]], [1.0]))


def test_error_counts_as_json() -> None:
    counts = ErrorCounts(np.float64(0.5), np.int64(3), np.int64(1), 4, 12)
    assert counts.to_dict() == {
        "far": 0.25,
        "frr": 0.25,
        "hter": 0.25,
        "false_accepts": 3,
        "false_rejects": 1,
        "genuine": 4,
        "impostor": 12,
    }
    assert all(type(value) in (int, float) for value in counts.to_dict().values())


@pytest.mark.parametrize("data", [[[1.0], [0.0]], np.ones((2, 2)), ([1.0], [0.0], [2.0]), None, "scores"])
def test_what_is_no_pair_of_arrays(data: object) -> None:
    with pytest.raises(TrialsError, match="expected Trials, a data frame or a pair of arrays"):
        as_source(data)  # type: ignore[arg-type]


def test_masked_and_complex_scores_are_refused() -> None:
    with pytest.raises(TrialsError, match="masked"):
        as_source((np.ma.array([1.0, 2.0], mask=[True, False]), [0.0]))
    with pytest.raises(TrialsError, match="must be numbers, not complex"):
        as_source(([1j], [0.0]))


def test_error_counts_of_several_thresholds_as_json() -> None:
    counts = count_errors(([0.9, 0.4], [0.1, 0.5, 0.4]), [0.4, 0.5])
    assert counts.to_dict()["false_accepts"] == [1, 0]
    assert bool(counts[0])


def test_labels_beside_scores_are_not_taken_for_two_classes() -> None:
    rng = np.random.default_rng(0)
    labels, scores = np.arange(40) % 2, rng.normal(size=40)
    for pair in ((labels, scores), (scores, labels * 2.0 - 1), (labels == 1, scores)):
        with pytest.raises(TrialsError, match="holds labels"):
            as_source(pair)
    decisions = np.arange(40.0) % 2
    assert as_source((decisions, 1 - decisions)).genuine == 40
    assert as_source((decisions, scores[:39])).impostor == 39


@pytest.mark.parametrize("data", ["dev.csv", Path("dev.csv")])
def test_the_name_of_a_file_is_no_source(data: object) -> None:
    with pytest.raises(TrialsError, match="read_pair"):
        as_source(data)  # type: ignore[arg-type]
