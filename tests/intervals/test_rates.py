"""HTER intervals against the tables of Bengio & Mariéthoz 2004.

The tables have rounded quantiles, so they pin sigma; ours are exact.
"""

from statistics import NormalDist

import pytest

from fairtrial import ErrorCounts, hter_interval
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
