"""Proportion intervals and the naive ones, against statsmodels and Bengio & Mariéthoz 2004."""

from dataclasses import asdict

import pytest

from fairtrial import ParameterError
from fairtrial.intervals import (
    class_interval,
    naive_interval,
    proportion_interval,
    published_counts,
    rate_interval,
    rule_of_three,
)
from fairtrial.intervals.proportions import ProportionMethod
from fairtrial.rules.measures import DetectionCosts
from reference.hter_2004 import (
    FIGURE_3,
    FIGURE_3_FAR,
    FIGURE_3_FRR,
    FIGURE_3_GENUINE,
    MODEL_A,
    MODEL_C,
    QUANTILES,
    ROUGH_OF_A,
    WIDE_NAIVE,
    WIDTHS_OF_A,
    WIDTHS_OF_C,
)

A, C = (published_counts(**asdict(model)) for model in (MODEL_A, MODEL_C))


@pytest.mark.parametrize(
    ("counts", "make", "percents"),
    [
        (A, naive_interval, WIDTHS_OF_A.naive),
        (A, class_interval, WIDTHS_OF_A.classes),
        (C, naive_interval, WIDTHS_OF_C.naive),
        (C, class_interval, WIDTHS_OF_C.classes),
    ],
    ids=["naive-table-2", "class-table-2", "naive-table-5", "class-table-5"],
)
def test_naive_and_class_widths(counts, make, percents) -> None:  # type: ignore[no-untyped-def]
    for (confidence, z), percent in zip(QUANTILES.items(), percents, strict=True):
        assert 200 * z * make(counts, confidence=confidence).sigma == pytest.approx(percent, abs=5e-6)


@pytest.mark.parametrize("ratio", FIGURE_3)
def test_deviations_of_figure_3(ratio: int) -> None:
    counts = published_counts(
        far=FIGURE_3_FAR, frr=FIGURE_3_FRR, impostor=FIGURE_3_GENUINE * ratio, genuine=FIGURE_3_GENUINE
    )
    found = (rate_interval(counts).sigma, naive_interval(counts).sigma, class_interval(counts).sigma)
    assert found == pytest.approx(FIGURE_3[ratio], abs=5e-7)


def test_naive_is_not_always_narrower() -> None:
    counts = published_counts(**asdict(WIDE_NAIVE))
    assert rate_interval(counts).sigma < naive_interval(counts).sigma
    assert naive_interval(counts).note.startswith("not over-optimistic here")
    assert naive_interval(A).note.startswith("over-optimistic")
    assert class_interval(A).note.startswith("over-optimistic")
    # equal numbers of trials and equal rates: both are the same
    same = published_counts(far=0.25, frr=0.25, impostor=100, genuine=100)
    assert "is that of eq. (13)" in naive_interval(same).note


def test_few_errors_are_noted_by_footnote_2() -> None:
    assert f"n p (1 - p) is {ROUGH_OF_A} for FRR, below 10" in rate_interval(A).note
    assert rate_interval(A, measure="far").note == ""
    assert rate_interval(C).note == ""


def test_weighted_sums() -> None:
    expected = {
        "far": 0.131,
        "frr": 0.096,
        "wer": 0.3 * 0.131 + 0.7 * 0.096,
        "dcf": 0.99 * 0.131 + 0.1 * 0.096,
        "recall": 1 - 0.096,
    }
    for measure, value in expected.items():
        found = rate_interval(C, measure=measure, alpha=0.3)
        assert found.measure == measure
        assert found.estimate == pytest.approx(value)
    assert rate_interval(C, measure="recall").sigma == rate_interval(C, measure="frr").sigma
    nist = rate_interval(C, measure=DetectionCosts()).sigma
    by_hand = 0.131 * 0.869 * 0.99**2 / 57_748 + 0.096 * 0.904 / (100 * 5_825)  # eq. (14)
    assert nist**2 == pytest.approx(by_hand)


def test_a_measure_without_weights_names_those_that_have_them() -> None:
    with pytest.raises(ParameterError, match=r"measure f1 is not a weighted sum of FAR and FRR.*: hter, far, frr, wer"):
        rate_interval(C, measure="f1")
    with pytest.raises(ParameterError, match="alpha must be between 0 and 1, not 2"):
        rate_interval(C, measure="wer", alpha=2)


@pytest.mark.parametrize(
    ("method", "three_of_40", "ten_of_400"),
    [
        ("clopper-pearson", (0.01574217985, 0.20386474873), (0.01362471200, 0.04203654501)),
        ("jeffreys", (0.02157667444, 0.18681429724), (0.01455690897, 0.04048939767)),
        ("wilson", (0.02583602577, 0.19864233524), (0.01500240935, 0.04138008606)),
        ("agresti-coull", (0.01880068800, 0.20567767302), (0.01462433581, 0.04175815960)),
    ],
)
def test_proportion_intervals_against_statsmodels(
    method: ProportionMethod, three_of_40: tuple[float, float], ten_of_400: tuple[float, float]
) -> None:
    # statsmodels 0.15.0, proportion_confint(3, 40, .05, method) and (10, 400, .1, method)
    assert proportion_interval(3, 40, method=method) == pytest.approx(three_of_40, abs=1e-9)
    assert proportion_interval(10, 400, confidence=0.9, method=method) == pytest.approx(ten_of_400, abs=1e-9)


def test_proportions_at_the_ends_and_bad_ones() -> None:
    assert proportion_interval(0, 40, method="jeffreys").low == 0
    assert proportion_interval(40, 40, method="jeffreys").high == 1
    assert rule_of_three(600) == 0.005
    assert rule_of_three(2) == 1
    for errors, trials in ((-1, 10), (11, 10), (1, 0)):
        with pytest.raises(ParameterError, match="whole number from 0"):
            proportion_interval(errors, trials)
    with pytest.raises(ParameterError, match="method must be one of"):
        proportion_interval(1, 2, method="wald")  # type: ignore[arg-type]
