"""HTER intervals against the tables of Bengio & Mariéthoz 2004 (recomputed, FORMULAS section 4).

The tables take 1.645, 1.960 and 2.576 for the quantiles, so they pin sigma; ours are exact.
"""

from statistics import NormalDist

import pytest

from fairtrial import ErrorCounts, hter_interval

ROUNDED = {0.90: 1.645, 0.95: 1.960, 0.99: 2.576}


def check_width(counts: ErrorCounts, confidence: float, percent: float) -> None:
    interval = hter_interval(counts, confidence=confidence)
    assert 100 * 2 * ROUNDED[confidence] * interval.sigma == pytest.approx(percent, abs=5e-6)
    assert interval.high - interval.low == pytest.approx(
        2 * interval.sigma * NormalDist().inv_cdf(0.5 + confidence / 2)
    )


@pytest.mark.parametrize(("confidence", "percent"), [(0.90, 1.28520), (0.95, 1.53130), (0.99, 2.01256)])
def test_hter_interval_against_table_2(confidence: float, percent: float) -> None:
    # FAR .0115 of 112,000 and FRR .0250 of 400; the counts may be fractions of trials here
    check_width(ErrorCounts(0.0, 0.0115 * 112_000, 10, 400, 112_000), confidence, percent)


@pytest.mark.parametrize(("confidence", "percent"), [(0.90, 0.67565), (0.95, 0.80503), (0.99, 1.05804)])
def test_hter_interval_against_table_4(confidence: float, percent: float) -> None:
    check_width(ErrorCounts(0.0, 0.131 * 57_748, 0.096 * 5_825, 5_825, 57_748), confidence, percent)


def test_interval_of_model_a() -> None:
    interval = hter_interval(ErrorCounts(0.0, 0.0115 * 112_000, 10, 400, 112_000))
    assert (interval.low, interval.high) == pytest.approx((0.01059, 0.02591), abs=5e-6)
    assert interval.estimate == pytest.approx(0.01825)
    assert interval.to_dict()["method"] == "independent"
