"""The metric in the manners of torch, against the same trials at once."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

from fairtrial import ParameterError, TrialsError, equal_error_rate
from fairtrial.counting import count_errors
from fairtrial.learning import VerificationMetric

RNG = np.random.default_rng(8)
LABELS = RNG.random(5000) < 0.3
SCORES = RNG.normal(size=5000) + 2 * LABELS
PAIR = (SCORES[LABELS], SCORES[~LABELS])
BATCHES = np.array_split(RNG.permutation(5000), 13)


def fed(
    batches: list[np.ndarray[tuple[int], np.dtype[np.int64]]], threshold: float | None = None
) -> VerificationMetric:
    metric = VerificationMetric(threshold)
    for rows in batches:
        assert metric.update(SCORES[rows][:, None], LABELS[rows].astype(int)) is metric
    return metric


def test_batches_give_the_figure_of_all_trials() -> None:
    metric = fed(BATCHES)
    assert metric.compute() == equal_error_rate(PAIR).value
    assert metric.bounds() == (metric.compute(), metric.compute())
    at = fed(BATCHES, 1.1)
    assert at.compute() == count_errors(PAIR, 1.1).scalar().hter
    frr = VerificationMetric(1.1, measure="frr").update(SCORES, LABELS)
    assert frr.compute() == np.mean(PAIR[0] <= 1.1)


@pytest.mark.parametrize("threshold", [None, 0.8])
def test_merged_states_are_those_of_one_process(threshold: float | None) -> None:
    parts = [fed(BATCHES[k::3], threshold) for k in range(3)]
    kept = [len(part.counter) for part in parts]
    whole = fed(BATCHES, threshold)
    merged = VerificationMetric(threshold).merge_state(pickle.loads(pickle.dumps(part)) for part in parts)
    assert merged.compute() == whole.compute()
    assert merged.counter == whole.counter
    assert [len(part.counter) for part in parts] == kept


def test_bounds_hold_the_figure_where_memory_is_small() -> None:
    metric = VerificationMetric(precision=0.2).update(SCORES, LABELS)
    low, high = metric.bounds()
    assert low <= equal_error_rate(PAIR).value <= high
    assert low < high


def test_reset_forgets_all() -> None:
    metric = fed(BATCHES, 0.5)
    assert metric.reset() is metric
    assert len(metric.counter) == 0
    assert math.isnan(metric.compute())
    assert metric.update([1.0, 0.0], [1, 0]).compute() == 0
    assert math.isnan(VerificationMetric().update([0.2], [1]).bounds().low)


def test_what_cannot_be_merged_or_counted() -> None:
    metric = fed(BATCHES[:1])
    before = metric.compute()
    for other in (VerificationMetric(0.5), VerificationMetric(precision=0.01), VerificationMetric(measure="far")):
        with pytest.raises(ParameterError, match="cannot be merged: <VerificationMetric: EER of 385 trials> and"):
            metric.merge_state([fed(BATCHES[1:2]), other])
    with pytest.raises(TrialsError, match="NaN"):
        metric.update([0.1, math.nan], [0, 1])
    assert metric.compute() == before
    assert repr(VerificationMetric(0.5)) == "<VerificationMetric: HTER at 0.5 of 0 trials>"
