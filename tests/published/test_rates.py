"""Intervals and z tests of published rates, against Bengio & Mariéthoz 2004 and statsmodels.

The tables have rounded quantiles, so they pin sigma; ours are exact.
"""

from dataclasses import asdict
from math import sqrt
from statistics import NormalDist

import numpy as np
import pytest
from scipy import stats

from fairtrial import ErrorCounts, ParameterError
from fairtrial.core.notes import Note
from fairtrial.inference.intervals import rate_interval
from fairtrial.published.rates import (
    Discordant,
    Overall,
    ProportionMethod,
    compare_rates,
    dependent_test,
    independent_test,
    overall_interval,
    overall_test,
    proportion_interval,
    published_counts,
    rate_intervals,
    rule_of_three,
)
from fairtrial.rules.measures import DetectionCosts
from reference.hter_2004 import (
    DEPENDENT_A_B,
    DISCORDANT_A_B,
    FIGURE_3,
    FIGURE_3_FAR,
    FIGURE_3_FRR,
    FIGURE_3_GENUINE,
    INDEPENDENT_A_B,
    INDEPENDENT_C_D,
    INTERVAL_OF_A,
    MODEL_A,
    MODEL_B,
    MODEL_C,
    MODEL_D,
    NAIVE_DELTA_C_D,
    PRINTED_CLASS_A_B,
    PRINTED_NAIVE_A_B,
    QUANTILES,
    ROUGH_OF_A,
    WIDE_NAIVE,
    WIDTHS_OF_A,
    WIDTHS_OF_C,
)

A, B, C, D = (published_counts(**asdict(model)) for model in (MODEL_A, MODEL_B, MODEL_C, MODEL_D))


def code_of(note: Note | str) -> str:
    return note if isinstance(note, str) else note.code


def check_width(counts: ErrorCounts, confidence: float, percent: float) -> None:
    interval = rate_interval(counts, confidence=confidence)
    assert 100 * 2 * QUANTILES[confidence] * interval.sigma == pytest.approx(percent, abs=5e-6)
    assert (
        interval.width
        == interval.to_dict()["width"]
        == pytest.approx(2 * interval.sigma * NormalDist().inv_cdf(0.5 + confidence / 2))
    )


@pytest.mark.parametrize(("confidence", "percent"), list(zip(QUANTILES, WIDTHS_OF_A.hter, strict=True)))
def test_hter_interval_against_table_2(confidence: float, percent: float) -> None:
    check_width(A, confidence, percent)


@pytest.mark.parametrize(("confidence", "percent"), list(zip(QUANTILES, WIDTHS_OF_C.hter, strict=True)))
def test_hter_interval_against_table_5(confidence: float, percent: float) -> None:
    check_width(C, confidence, percent)


def test_interval_of_model_a() -> None:
    interval = rate_interval(A)
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
        proper = rate_interval(counts).sigma
        naive, classes = (
            overall_interval("naive", counts).sigma < proper,
            overall_interval("class", counts).sigma < proper,
        )
        rewritten_19 = (far * genuine - frr * impostor) * (impostor * (1 - frr) - genuine * (1 - far)) < 0
        rewritten_20 = (1 - frr) * impostor * (3 * genuine + impostor) > (1 - far) * genuine * (3 * impostor + genuine)
        agreed["19"].append(naive == rewritten_19)
        agreed["20"].append(classes == rewritten_20)
        same = published_counts(far=far, frr=far, impostor=impostor, genuine=genuine)
        # with equal rates (20) holds whenever the numbers of trials differ, and (21) asks for more
        assert (overall_interval("class", same).sigma < rate_interval(same).sigma) == (impostor != genuine)
    assert all(agreed["19"])
    assert np.mean(agreed["20"]) < 0.9


@pytest.mark.parametrize(
    ("counts", "method", "percents"),
    [
        (A, "naive", WIDTHS_OF_A.naive),
        (A, "class", WIDTHS_OF_A.classes),
        (C, "naive", WIDTHS_OF_C.naive),
        (C, "class", WIDTHS_OF_C.classes),
    ],
    ids=["naive-table-2", "class-table-2", "naive-table-5", "class-table-5"],
)
def test_naive_and_class_widths(counts: ErrorCounts, method: Overall, percents: tuple[float, ...]) -> None:
    for (confidence, z), percent in zip(QUANTILES.items(), percents, strict=True):
        assert 200 * z * overall_interval(method, counts, confidence=confidence).sigma == pytest.approx(
            percent, abs=5e-6
        )


@pytest.mark.parametrize("ratio", FIGURE_3)
def test_deviations_of_figure_3(ratio: int) -> None:
    counts = published_counts(
        far=FIGURE_3_FAR, frr=FIGURE_3_FRR, impostor=FIGURE_3_GENUINE * ratio, genuine=FIGURE_3_GENUINE
    )
    found = (
        rate_interval(counts).sigma,
        overall_interval("naive", counts).sigma,
        overall_interval("class", counts).sigma,
    )
    assert found == pytest.approx(FIGURE_3[ratio], abs=5e-7)


def test_naive_is_not_always_narrower() -> None:
    counts = published_counts(**asdict(WIDE_NAIVE))
    assert rate_interval(counts).sigma < overall_interval("naive", counts).sigma
    assert code_of(overall_interval("naive", counts).note) == "not-over-optimistic"
    assert code_of(overall_interval("naive", A).note) == "over-optimistic"
    assert code_of(overall_interval("class", A).note) == "over-optimistic"
    # equal numbers of trials and equal rates: both are the same
    same = published_counts(far=0.25, frr=0.25, impostor=100, genuine=100)
    assert code_of(overall_interval("naive", same).note) == "as-proper"


def test_few_errors_are_noted_by_footnote_2() -> None:
    note = rate_interval(A).note
    assert isinstance(note, Note)
    assert (note.code, note.values["enough"]) == ("few-errors", 10)
    assert note.values["frr"] == pytest.approx(ROUGH_OF_A)
    assert "far" not in note.values
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


def test_independent_against_table_3() -> None:
    result = independent_test(A, B)
    assert 100 * result.delta == pytest.approx(INDEPENDENT_A_B.delta, abs=5e-5)
    assert result.sigma == pytest.approx(INDEPENDENT_A_B.sigma, abs=5e-8)


def test_dependent_against_table_3() -> None:
    result = dependent_test(A, B, Discordant(*DISCORDANT_A_B))
    assert 100 * result.delta == pytest.approx(DEPENDENT_A_B.delta, abs=5e-4)
    assert result.sigma == pytest.approx(DEPENDENT_A_B.sigma, abs=5e-9)


def test_independent_against_table_6() -> None:
    result = independent_test(C, D)
    assert 100 * result.delta == pytest.approx(INDEPENDENT_C_D.delta, abs=5e-4)
    assert result.sigma == pytest.approx(INDEPENDENT_C_D.sigma, abs=5e-8)


def test_naive_and_class_against_tables_3_and_6() -> None:
    assert 100 * overall_test("naive", C, D).delta == pytest.approx(NAIVE_DELTA_C_D, abs=5e-4)
    assert round(overall_test("naive", A, B).sigma or 0, 4) == PRINTED_NAIVE_A_B.sigma
    assert round(overall_test("class", A, B).sigma or 0, 4) == PRINTED_CLASS_A_B.sigma
    assert 100 * overall_test("class", A, B).delta == pytest.approx(PRINTED_CLASS_A_B.delta)


def test_dependent_test_has_the_right_size() -> None:
    # as printed in Fig. 2, without the factor 1/2, it would reject 33.6 % of the time at 5 %
    rng = np.random.default_rng(0)
    p_values = []
    for _ in range(2000):
        impostor, genuine = rng.binomial(2000, 0.5), rng.binomial(60, 0.5)
        found = Discordant(impostor, 2000 - impostor, genuine, 60 - genuine)
        a = ErrorCounts(0.0, 3000 + 2000 - impostor, 30 + 60 - genuine, 400, 112_000)
        b = ErrorCounts(0.0, 3000 + impostor, 30 + genuine, 400, 112_000)
        p_values.append(dependent_test(a, b, found).p_value)
    assert np.mean(np.array(p_values) < 0.05) == pytest.approx(0.05, abs=0.02)


@pytest.mark.parametrize(("measure", "which"), [("far", "false_accepts"), ("frr", "false_rejects")])
def test_two_rates_alone_by_equations_7_8_and_9(measure: str, which: str) -> None:
    n = A.impostor if measure == "far" else A.genuine
    first, second = (float(getattr(own, which)) / n for own in (A, B))
    expected = sqrt((first * (1 - first) + second * (1 - second)) / n)
    alone = independent_test(A, B, measure=measure)
    assert (alone.test, alone.measure) == (f"{measure}-independent", measure)
    assert (alone.estimate, alone.sigma) == pytest.approx((first - second, expected))
    pooled = independent_test(A, B, measure=measure, pooled=True)
    middle = (first + second) / 2
    assert pooled.test == f"{measure}-pooled"
    assert pooled.sigma == pytest.approx(sqrt(2 * middle * (1 - middle) / n))
    assert pooled.p_value == pytest.approx(2 * stats.norm.sf(abs(first - second) / (pooled.sigma or 0)))
    ab, ba = DISCORDANT_A_B[:2] if measure == "far" else DISCORDANT_A_B[2:]
    dependent = dependent_test(A, B, Discordant(*DISCORDANT_A_B), measure=measure)
    assert dependent.sigma == pytest.approx(sqrt((ab + ba) / n**2))


def test_pooled_test_squared_is_the_chi2_of_scipy() -> None:
    # a 2 x 2 table without correction, with different numbers of trials
    a, b = ErrorCounts(0.0, 0, 13, 200, 1), ErrorCounts(0.0, 0, 31, 300, 1)
    found = independent_test(a, b, measure="frr", pooled=True)
    chi2 = stats.chi2_contingency([[13, 187], [31, 269]], correction=False)
    assert found.statistic**2 == pytest.approx(chi2.statistic)
    assert found.p_value == pytest.approx(chi2.pvalue)
    turned = independent_test(a, b, measure="recall", pooled=True)
    assert (turned.estimate, turned.sigma) == pytest.approx((-found.estimate, found.sigma))


@pytest.mark.parametrize("measure", ["hter", "dcf", "wer"])
def test_only_one_rate_is_pooled(measure: str) -> None:
    with pytest.raises(
        ParameterError, match=f"only a rate of one class can be pooled, such as far or frr, not {measure}"
    ):
        independent_test(A, B, measure=measure, pooled=True)


def test_dcf_of_two_systems() -> None:
    # NIST's costs: the variance of eq. (14) for each of the two
    variances = [m.far * (1 - m.far) * 0.99**2 / m.impostor + m.frr * (1 - m.frr) / (100 * m.genuine) for m in (C, D)]
    found = independent_test(C, D, measure="dcf")
    assert found.sigma == pytest.approx(sqrt(sum(variances)))
    assert found.estimate == pytest.approx(0.99 * (0.131 - 0.158) + 0.1 * (0.096 - 0.078))


def test_over_optimistic_is_computed() -> None:
    wide = published_counts(**asdict(WIDE_NAIVE))
    assert code_of(overall_test("naive", A, B).note) == code_of(overall_test("class", A, B).note) == "over-optimistic"
    note = overall_test("naive", wide, wide).note
    assert isinstance(note, Note)
    assert note.code == "not-over-optimistic"
    times = overall_test("naive", wide, wide).sigma or 0, independent_test(wide, wide).sigma or 1
    assert note.values == {"ratio": times[0] / times[1], "equation": 15}


def test_few_errors_are_noted() -> None:
    note = independent_test(A, B).note
    assert isinstance(note, Note)
    assert (note.code, note.values) == ("few-errors", {"enough": 10, "system_0": "A"})
    assert independent_test(A, B, measure="far").note == ""
    assert independent_test(C, D).note == ""


def test_dependent_test_on_contradicting_counts() -> None:
    with pytest.raises(ParameterError, match="contradict the errors"):
        dependent_test(A, B, Discordant(10, 9000, 0, 0))
    with pytest.raises(ParameterError, match="numbers differ"):
        dependent_test(A, C, Discordant(1, 1, 1, 1))
    for wrong in (-1, 0.5):
        with pytest.raises(ParameterError, match="impostor_ab must be a whole number of at least 0"):
            Discordant(wrong, 0, 0, 0)  # type: ignore[arg-type]


def test_published_rates_are_fractions() -> None:
    with pytest.raises(ParameterError, match="FAR must be a fraction"):
        published_counts(far=1.5, frr=0, impostor=1, genuine=1)
    with pytest.raises(ParameterError, match="at least one genuine trial"):
        published_counts(far=0.1, frr=0, impostor=1, genuine=0)


def test_published_numbers_of_errors_in_place_of_rates() -> None:
    found = published_counts(false_accepts=7566, frr=0.096, impostor=57_748, genuine=5_825)
    assert (found.far, found.frr) == (7566 / 57_748, pytest.approx(0.096))
    for given, message in (
        ({"far": 0.1, "false_accepts": 1, "frr": 0}, "either far or false_accepts; both were given"),
        ({"far": 0.1}, "either frr or false_rejects; neither was given"),
        ({"far": 0.1, "false_rejects": 2.5}, "number of false rejects must be a whole number of at least 0, not 2.5"),
        ({"far": 0.1, "false_rejects": -1}, "number of false rejects must be a whole number of at least 0, not -1"),
        ({"far": 0.1, "false_rejects": 11}, "there are 11 false rejects, but only 10 genuine trials"),
    ):
        with pytest.raises(ParameterError, match=message):
            published_counts(impostor=100, genuine=10, **given)  # type: ignore[arg-type]


def test_intervals_by_measure() -> None:
    published = {"far": 0.0115, "frr": 0.025, "impostor": 112_000, "genuine": 400}
    found = rate_intervals(**published, measure="all", alpha=0.2, costs=DetectionCosts(1, 0.5, 1, 0.5))  # type: ignore[arg-type]
    assert [interval.measure for interval in found.intervals] == [
        *("hter", "wer", "dcf", "far", "frr", "naive", "class"), *["far"] * 4, *["frr"] * 4,
    ]  # fmt: skip
    hter, wer, dcf = found.intervals[:3]
    assert wer.estimate == pytest.approx(0.2 * 0.0115 + 0.8 * 0.025)
    assert (dcf.estimate, dcf.sigma) == pytest.approx((hter.estimate, hter.sigma))
    (only,) = rate_intervals(**published).intervals  # type: ignore[arg-type]
    assert only == hter


def test_rates_without_errors_have_an_interval_of_some_width() -> None:
    found = rate_intervals(false_accepts=0, frr=0.1, impostor=300, genuine=50, measure="far").intervals
    assert [(interval.method, interval.width > 0) for interval in found[:2]] == [
        ("wilson", True),
        ("independent", False),
    ]
    assert {code_of(interval.note) for interval in found[2:]} == {"rule-of-3"}


def test_weights_and_costs_that_do_not_apply() -> None:
    trials = {"impostor": 100, "genuine": 100}
    for wrong in ({"alpha": 0.1}, {"costs": DetectionCosts()}, {"alpha": 0.1, "measure": "dcf"}):
        with pytest.raises(ParameterError) as error:
            rate_intervals(far=0.1, frr=0.1, **trials, **wrong)  # type: ignore[arg-type]
        assert error.value.code == "does-not-apply"
        with pytest.raises(ParameterError) as error:
            compare_rates(a=(0.1, 0.1), b=(0.1, 0.2), **trials, **wrong)  # type: ignore[arg-type]
        assert error.value.code == "does-not-apply"


def test_tests_by_measure() -> None:
    published = {"a": (MODEL_A.far, MODEL_A.frr), "b": (MODEL_B.far, MODEL_B.frr), "impostor": 112_000, "genuine": 400}
    found = compare_rates(**published, discordant=DISCORDANT_A_B)  # type: ignore[arg-type]
    assert [test.test for test in found.tests] == ["hter-dependent", "hter-independent", "naive", "class"]
    assert 100 * found.tests[1].delta == pytest.approx(INDEPENDENT_A_B.delta, abs=5e-5)
    # the test that counts leads; the others are there on request
    main, others = found.tables()
    assert (len(main.rows), main.shown, len(others.rows), others.detail) == (4, (0,), 3, True)
    rate = compare_rates(**published, measure="far", alternative="less")  # type: ignore[arg-type]
    assert [test.test for test in rate.tests] == ["far-independent", "far-pooled"]
    assert {test.alternative for test in rate.tests} == {"less"}
    for wrong in ({"a_counts": (1, 2)}, {"b": None}):
        with pytest.raises(ParameterError) as error:
            compare_rates(**(published | wrong))  # type: ignore[arg-type]
        assert error.value.code == "either-or"
