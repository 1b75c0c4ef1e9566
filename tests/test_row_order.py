"""The same rows in another order give the same answer: whatever is drawn goes by sorted ids and values."""

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from fairtrial import Trials, calibrate, compare, evaluate, fuse
from fairtrial.evaluation.expected import expected_performance
from simulated import crossed

DEV, TEST = (
    crossed(
        np.random.default_rng(k), clients=15, impostors=8, effect=0.5, correlation=0.5, separation=3.0, start=1000 * k
    )
    for k in (1, 2)
)
Ask = Callable[[Trials, Trials], Any]
QUESTIONS: dict[str, Ask] = {
    "evaluate": lambda dev, test: evaluate(dev, test, n_resamples=200),
    "both resampled": lambda dev, test: evaluate(dev, test, n_resamples=200, resample="both"),
    "folds": lambda dev, test: evaluate(dev, folds=3),
    "folds of trials": lambda dev, test: evaluate(dev, folds=3, cluster="none"),
    "evidence": lambda dev, test: evaluate(dev, test, measures=["cllr", "cllr-min", "min-dcf@.1"]),
    "compare": lambda dev, test: compare(dev, test, n_resamples=200),
    "5x2cv": lambda dev, test: compare(dev, folds=4, five_by_two=True, n_resamples=200),
    "bands": lambda dev, test: expected_performance(
        dev, test, points=11, bands="pointwise", band_method="bootstrap", n_resamples=200
    ),
    "fuse": lambda dev, test: fuse(dev, test, fusion="logistic", inner_folds=3),
    "calibrate": lambda dev, test: calibrate(dev, test),
    "calibrate over folds": lambda dev, test: calibrate(dev, folds=3),
}


def shuffled(trials: Trials) -> Trials:
    """The same trials in another order, with ids numbered in the order in which they now come."""
    rows = np.random.default_rng(3).permutation(len(trials))
    ids: dict[str, Any] = {role: trials.ids[role].decode()[rows] for role in trials.ids}
    return Trials.from_arrays(trials.scores[rows], trials.genuine[rows], systems=trials.systems, **ids)


def numbers(value: Any) -> Iterator[float]:
    """All numbers of a result, in their order."""
    if isinstance(value, dict):
        for entry in value.values():
            yield from numbers(entry)
    elif isinstance(value, list | tuple):
        for entry in value:
            yield from numbers(entry)
    elif isinstance(value, int | float):
        yield float(value)


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_order_of_rows_does_not_matter(name: str) -> None:
    ask = QUESTIONS[name]
    one, other = (list(numbers(ask(*sets).to_dict())) for sets in ((DEV, TEST), (shuffled(DEV), shuffled(TEST))))
    assert len(one) == len(other) > 5
    for a, b in zip(one, other, strict=True):
        assert a == b or math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12) or (math.isnan(a) and math.isnan(b))
