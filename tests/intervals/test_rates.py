"""HTER intervals against the tables of Bengio & Mariéthoz 2004.

The tables have rounded quantiles, so they pin sigma; ours are exact.
"""

from statistics import NormalDist

import numpy as np
import pytest

from fairtrial import ErrorCounts, class_interval, hter_interval, naive_interval, published_counts
from reference.hter_2004 import INTERVAL_OF_A, MODEL_A, MODEL_C, QUANTILES, WIDTHS_OF_A, WIDTHS_OF_C, Model


def counts_of(model: Model) -> ErrorCounts:
    # the counts may be fractions of trials here
    return ErrorCounts(0.0, model.far * model.impostor, model.frr * model.genuine, model.genuine, model.impostor)


def check_width(counts: ErrorCounts, confidence: float, percent: float) -> None:
    interval = hter_interval(counts, confidence=confidence)
    assert 100 * 2 * QUANTILES[confidence] * interval.sigma == pytest.approx(percent, abs=5e-6)
    assert (
        interval.width
        == interval.to_dict()["width"]
        == pytest.approx(2 * interval.sigma * NormalDist().inv_cdf(0.5 + confidence / 2))
    )


@pytest.mark.parametrize(("confidence", "percent"), list(zip(QUANTILES, WIDTHS_OF_A.hter, strict=True)))
def test_hter_interval_against_table_2(confidence: float, percent: float) -> None:
    check_width(counts_of(MODEL_A), confidence, percent)


@pytest.mark.parametrize(("confidence", "percent"), list(zip(QUANTILES, WIDTHS_OF_C.hter, strict=True)))
def test_hter_interval_against_table_5(confidence: float, percent: float) -> None:
    check_width(counts_of(MODEL_C), confidence, percent)


def test_interval_of_model_a() -> None:
    interval = hter_interval(counts_of(MODEL_A))
    assert (interval.low, interval.high) == pytest.approx(INTERVAL_OF_A, abs=5e-6)
    assert interval.estimate == pytest.approx(0.01825)
    assert interval.to_dict()["method"] == "independent"


def test_when_naive_and_class_are_narrower_against_equations_19_to_21() -> None:
    rng = np.random.default_rng(0)
    agreed: dict[str, list[bool]] = {"19": [], "20": []}
    for _ in range(2000):
        far, frr = rng.uniform(0.001, 0.5, size=2)
        impostor, genuine = (int(n) for n in 10 ** rng.uniform(1, 5, size=2))
        counts = published_counts(far=far, frr=frr, impostor=impostor, genuine=genuine)
        proper = hter_interval(counts).sigma
        naive, classes = naive_interval(counts).sigma < proper, class_interval(counts).sigma < proper
        rewritten_19 = (far * genuine - frr * impostor) * (impostor * (1 - frr) - genuine * (1 - far)) < 0
        rewritten_20 = (1 - frr) * impostor * (3 * genuine + impostor) > (1 - far) * genuine * (3 * impostor + genuine)
        agreed["19"].append(naive == rewritten_19)
        agreed["20"].append(classes == rewritten_20)
        same = published_counts(far=far, frr=far, impostor=impostor, genuine=genuine)
        # with equal rates (20) holds whenever the numbers of trials differ, and (21) asks for more
        assert (class_interval(same).sigma < hter_interval(same).sigma) == (impostor != genuine)
    assert all(agreed["19"])
    assert np.mean(agreed["20"]) < 0.9
