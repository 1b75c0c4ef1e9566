"""Criteria: the exact choice of a threshold against brute force, and the papers' numbers."""

import pickle
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from brute_force import Point, points
from fairtrial import CRITERIA, MEASURES, Criterion, DetectionCosts, ErrorCounts, Measure, ParameterError, evaluate
from fairtrial.counting import as_source
from fairtrial.counting import tallies as errors
from fairtrial.counting.kernels import fit_cells
from fairtrial.rules import choose_thresholds, target_criterion
from fairtrial.rules.criteria import as_criterion, described_criterion
from fairtrial.rules.measures import as_measure, simplest_fraction
from reference.epc_2005 import ALPHAS, DEV, GENUINE_MEAN, GENUINE_SD, IN_THEORY, THRESHOLDS
from strategies import score_arrays

Pair = tuple[NDArray[np.floating], NDArray[np.floating]]
Oracle = Callable[[Point, Fraction, int, int], Any]


def _precision(p: Point, nc: int) -> Fraction:
    accepted = nc - p.false_rejects + p.false_accepts
    return Fraction(nc - p.false_rejects, accepted) if accepted else Fraction(0)


def _f1(p: Point, nc: int) -> Fraction:
    right = nc - p.false_rejects
    total = 2 * right + p.false_accepts + p.false_rejects
    return Fraction(2 * right, total) if total else Fraction(0)


def _recall(p: Point) -> Fraction:
    return 1 - p.frr


def _specificity(p: Point) -> Fraction:
    return 1 - p.far


def _kept(good: Fraction, target: Fraction, threshold: float) -> tuple[bool, Any]:
    """The lowest threshold that keeps the target; give minus the threshold for the highest."""
    return good < target, target - good if good < target else threshold


ORACLES: dict[str, Oracle] = {
    "wer-min": lambda p, a, nc, ni: a * p.far + (1 - a) * p.frr,
    "wer-equal": lambda p, a, nc, ni: abs(a * p.far - (1 - a) * p.frr),
    "eer": lambda p, a, nc, ni: abs(p.far - p.frr),
    "hter-min": lambda p, a, nc, ni: p.far + p.frr,
    "far": lambda p, a, nc, ni: abs(a - p.far),
    "frr": lambda p, a, nc, ni: abs(a - p.frr),
    "far-at-most": lambda p, a, nc, ni: (p.far > a, p.threshold),
    "frr-at-most": lambda p, a, nc, ni: (p.frr > a, p.frr if p.frr > a else -p.threshold),
    "precision": lambda p, a, nc, ni: abs(a - _precision(p, nc)),
    "recall": lambda p, a, nc, ni: abs(a - _recall(p)),
    "sensitivity": lambda p, a, nc, ni: abs(a - _recall(p)),
    "specificity": lambda p, a, nc, ni: abs(a - _specificity(p)),
    "precision-at-least": lambda p, a, nc, ni: _kept(_precision(p, nc), a, p.threshold),
    "recall-at-least": lambda p, a, nc, ni: _kept(_recall(p), a, -p.threshold),
    "sensitivity-at-least": lambda p, a, nc, ni: _kept(_recall(p), a, -p.threshold),
    "specificity-at-least": lambda p, a, nc, ni: _kept(_specificity(p), a, p.threshold),
    "break-even": lambda p, a, nc, ni: abs(p.false_accepts - p.false_rejects),
    "precision-recall": lambda p, a, nc, ni: -(a * _precision(p, nc) + (1 - a) * (1 - p.frr)),
    "f1": lambda p, a, nc, ni: -_f1(p, nc),
    "dcf": lambda p, a, nc, ni: Fraction(1, 10) * p.frr + Fraction(99, 100) * p.far,
}
alphas = st.builds(Fraction, st.integers(0, 60), st.just(60)) | st.sampled_from(
    [Fraction(1, 3), Fraction(3, 10), Fraction(57, 100), Fraction(1, 7)]
)


def test_every_criterion_has_an_oracle() -> None:
    assert set(ORACLES) == set(CRITERIA)


def _check(name: str, scores: Pair, alpha: Fraction) -> None:
    genuine, impostor = scores[0].tolist(), scores[1].tolist()
    oracle = ORACLES[name]
    expected = min(
        points(genuine, impostor),
        key=lambda p: (oracle(p, alpha, len(genuine), len(impostor)), p.far + p.frr, p.threshold),
    )
    chosen = choose_thresholds(scores, name, float(alpha))[0]
    assert float(chosen.threshold) == expected.threshold
    assert chosen.false_accepts == expected.false_accepts
    assert chosen.false_rejects == expected.false_rejects


@pytest.mark.parametrize("name", ORACLES)
@given(scores=score_arrays(), alpha=alphas)
def test_choice_against_brute_force(name: str, scores: Pair, alpha: Fraction) -> None:
    _check(name, scores, alpha)


@pytest.mark.parametrize("name", ORACLES)
@given(scores=score_arrays(max_size=25), alpha=alphas, cells=st.sampled_from([2, 5, 30]))
def test_choice_by_cells_against_brute_force(name: str, scores: Pair, alpha: Fraction, cells: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(errors, "SORT_AT_ONCE", 0)
        patch.setattr(errors, "fit_cells", lambda sample, inner: fit_cells(sample, cells))
        _check(name, scores, alpha)


@pytest.mark.parametrize(("name", "thresholds"), THRESHOLDS.items())
def test_thresholds_of_algorithm_1_check(name: str, thresholds: list[float]) -> None:
    assert choose_thresholds(DEV, name, ALPHAS).threshold.tolist() == thresholds


@pytest.mark.parametrize("name", IN_THEORY)
def test_minimum_and_equality_differ_in_theory(name: str) -> None:
    threshold, hter = IN_THEORY[name]
    # 200,000 quantiles of each class
    steps = (np.arange(200_000) + 0.5) / 200_000
    impostor = np.array([NormalDist().inv_cdf(p) for p in steps.tolist()])
    chosen = choose_thresholds((GENUINE_MEAN + GENUINE_SD * impostor, impostor), name, 0.5)[0]
    assert chosen.threshold == pytest.approx(threshold, abs=1e-2)  # the minimum is flat
    assert chosen.hter == pytest.approx(hter, abs=5e-5)


@given(score_arrays())
def test_users_function_equals_the_criterion_it_copies(scores: Pair) -> None:
    def weighted(far: Any, frr: Any, alpha: Any) -> Any:
        return alpha * far + (1 - alpha) * frr

    # a quarter is exact in floating point, so both see the same ties
    ours, users = (choose_thresholds(scores, rule, 0.25)[0] for rule in ("wer-min", weighted))
    assert users.false_accepts * 1 / users.impostor + 3 * users.frr == pytest.approx(ours.far + 3 * ours.frr)


def test_users_criterion_is_searched_everywhere() -> None:
    dev = ([3.0, 5.0, 7.0, 9.0], [2.0, 4.0, 6.0, 8.0])

    def two_valleys(far: Any, frr: Any, alpha: Any) -> Any:
        return -np.abs(far - frr)  # best at both ends, worst where hull and crossing look

    assert choose_thresholds(dev, two_valleys, 0.5).threshold.tolist() == [-np.inf]
    assert as_criterion(two_valleys).name == "two_valleys"


def test_detection_costs_as_a_criterion() -> None:
    assert choose_thresholds(DEV, DetectionCosts(1, 0.5, 1, 0.5), 0.5).threshold.tolist() == [0.6]
    assert choose_thresholds(DEV, DetectionCosts(100, 0.5, 1, 0.5), 0.5).threshold.tolist() == [0.3]
    assert as_criterion(DetectionCosts()) == CRITERIA["dcf"]


def test_rates_kept_at_most_at_their_targets() -> None:
    # FAR is in fifths, FRR in quarters
    for target, far in ((0.2, 0.2), (0.39, 0.2), (0.4, 0.4), (0.19, 0.0), (0.0, 0.0), (1.0, 1.0)):
        assert choose_thresholds(DEV, "far-at-most", target)[0].far == far
    for target, frr in ((0.25, 0.25), (0.49, 0.25), (0.5, 0.5), (0.24, 0.0), (1.0, 1.0)):
        assert choose_thresholds(DEV, "frr-at-most", target)[0].frr == frr
    assert choose_thresholds(DEV, "far", 0.39)[0].far == 0.4


def test_precision_is_kept_at_the_lowest_threshold_and_met_at_any() -> None:
    # precision by rising threshold: 4/9, 4/8, 4/7, 4/6, 3/5, 3/4, 1, 1, 1
    assert choose_thresholds(DEV, "precision-at-least", [0.5, 0.6, 0.7]).threshold.tolist() == [0.1, 0.3, 0.5]
    assert choose_thresholds(DEV, "precision", [0.6, 0.61, 0.74]).threshold.tolist() == [0.4, 0.4, 0.5]
    assert choose_thresholds(DEV, "recall-at-least", [0.7, 0.76]).threshold.tolist() == [0.6, 0.3]


def test_targets_of_a_measure_of_ones_own() -> None:
    def odds(counts: ErrorCounts) -> Any:
        """Accepted genuine trials for each accepted trial, and one more."""
        right = counts.genuine - counts.false_rejects
        return right / (right + counts.false_accepts + 1)

    rule = target_criterion(odds)
    assert (rule.name, rule.search, rule.alpha_means) == ("odds", "all", "target")
    # by rising threshold: 4/10, 4/9, 4/8, 4/7, 3/6, 3/5, 3/4, 2/3, 1/2, 0
    assert choose_thresholds(DEV, rule, [0.58, 0.7, 0.99]).threshold.tolist() == [0.3, 0.7, 0.6]
    good = Measure("odds", lambda counts, alpha: odds(counts), "Odds", higher_is_better=True)
    kept = target_criterion(good, kept=True)
    assert (kept.name, choose_thresholds(DEV, kept, 0.5).threshold.tolist()) == ("odds-at-least", [0.2])
    assert CRITERIA["far"] == target_criterion("far")


@pytest.mark.parametrize("name", ["precision", "precision-at-least", "class-error"])
def test_targets_among_many_scores_are_those_of_a_look_at_all(name: str) -> None:
    rng = np.random.default_rng(4)
    scores = rng.normal(2, 1, 20_000).round(3), rng.normal(0, 1, 60_000).round(3)
    rule = CRITERIA.get(name) or target_criterion(name)
    everywhere = replace(rule, search="all")
    targets = [0.02, 0.1, 0.5, 0.9, 0.99, 1.0]
    ours, oracle = (choose_thresholds(scores, each, targets) for each in (rule, everywhere))
    assert rule.search == "bounds"
    assert ours.threshold.tolist() == oracle.threshold.tolist()
    # few of the 7,000 distinct scores are looked at
    assert len(rule.points(as_source(scores), np.array([0.9]))) < 1000


def test_a_target_below_what_can_be_reached_comes_as_near_as_it_can() -> None:
    dev = ([-np.inf, 1.0, 2.0, 3.0], [0.0, 0.5])  # one genuine trial in four is never accepted
    chosen = choose_thresholds(dev, "frr-at-most", 0.1)[0]
    assert (chosen.threshold, chosen.frr, chosen.far) == (0.5, 0.25, 0.0)


@pytest.mark.parametrize(
    ("name", "alpha", "described", "weight", "along"),
    [
        ("wer-min", 0.9, "wer-min (alpha 0.9)", 0.9, "wer-min"),
        ("wer-equal", 0.9, "wer-equal (alpha 0.9)", 0.9, "wer-equal"),
        ("eer", 0.9, "eer", 0.5, "wer-equal"),
        ("hter-min", 0.9, "hter-min", 0.5, "wer-min"),
        ("far", 0.001, "far (target 0.001)", None, "wer-min"),
        ("frr-at-most", 0.05, "frr-at-most (target 0.05)", None, "wer-min"),
        ("precision-recall", 0.25, "precision-recall (alpha 0.25)", None, "wer-min"),
        ("f1", 0.9, "f1", None, "wer-min"),
        ("dcf", 0.9, "dcf", None, "wer-min"),
    ],
)
def test_a_criterion_says_what_its_alpha_is(
    name: str, alpha: float, described: str, weight: float | None, along: str
) -> None:
    rule = CRITERIA[name]
    assert rule.described(alpha) == described
    assert rule.weight_of_far(alpha) == weight
    assert rule.along_alpha is CRITERIA[along]


def test_users_criteria_say_whether_they_have_an_alpha() -> None:
    def mine(far: Any, frr: Any, alpha: Any) -> Any:
        return alpha * far**2 + frr

    assert as_criterion(mine).described(0.3) == "mine (alpha 0.3)"
    assert Criterion("plain", lambda counts, alpha: counts.far).described(0.5) == "plain"


def test_a_result_tells_an_alpha_only_where_it_is_one() -> None:
    dev, test = ([0.9, 0.8, 0.4], [0.1, 0.3, 0.5]), ([0.8, 0.6], [0.2, 0.7])
    assert evaluate(dev, test).systems[0].to_dict()["alpha"] is None
    assert evaluate(dev, test).tables()[0].column("alpha") == [None, None]
    assert evaluate(dev, test, measures=["wer"]).systems[0].to_dict()["alpha"] == 0.5
    assert evaluate(dev, test, alpha=0.3, criterion="wer-min").systems[0].to_dict()["alpha"] == 0.3
    assert [described_criterion(name, 0.5) for name in ("eer", "wer-min", "of-another-package")] == [
        "eer", "wer-min (alpha 0.5)", "of-another-package",
    ]  # fmt: skip


def test_alpha_is_resolved_in_one_place() -> None:
    assert [CRITERIA[name].resolve_alpha(None) for name in ("wer-min", "eer", "f1")] == [0.5, 0.5, 0.5]
    assert [CRITERIA[name].resolve_alpha(0.2) for name in ("wer-min", "eer", "far")] == [0.2, 0.5, 0.2]
    for name in ("far", "frr", "far-at-most", "frr-at-most"):
        with pytest.raises(ParameterError, match=f"criterion {name} needs a target, as in alpha=0.001"):
            CRITERIA[name].resolve_alpha(None)
    for name in ("precision", "recall-at-least"):
        with pytest.raises(ParameterError, match=r"needs a target, as in alpha=0\.95"):
            CRITERIA[name].resolve_alpha(None)
    for name in ("eer", "wer-min", "far"):
        with pytest.raises(ParameterError, match=r"alpha must be between 0 and 1, not 1\.5"):
            CRITERIA[name].resolve_alpha(1.5)
    with pytest.raises(ParameterError, match="alpha must be one number here"):
        CRITERIA["wer-min"].resolve_alpha([0.1, 0.2])  # type: ignore[arg-type]


def test_every_criterion_has_a_summary() -> None:
    assert all(criterion.summary for criterion in CRITERIA.values())


@pytest.mark.parametrize(
    ("value", "fraction"),
    [
        (0.3, Fraction(3, 10)),
        (1 / 3, Fraction(1, 3)),
        (0.57, Fraction(57, 100)),
        (0.0, Fraction(0)),
        (1.0, Fraction(1)),
    ],
)
def test_alpha_is_the_fraction_people_mean(value: float, fraction: Fraction) -> None:
    assert simplest_fraction(value) == fraction


@given(st.floats(0, 1))
def test_simplest_fraction_rounds_back(value: float) -> None:
    assert float(simplest_fraction(value)) == value


@pytest.mark.parametrize("alpha", [-0.1, 1.1, np.nan])
def test_alpha_outside_its_range(alpha: float) -> None:
    with pytest.raises(ParameterError, match="alpha must be between 0 and 1"):
        choose_thresholds(([1.0], [0.0]), "eer", alpha)


def test_unknown_criterion_names_the_known_ones() -> None:
    with pytest.raises(ParameterError, match="no criterion 'best'; there are wer-min"):
        choose_thresholds(([1.0], [0.0]), "best", 0.5)


def test_a_cost_that_is_nan_is_an_error() -> None:
    with pytest.raises(ParameterError, match="never NaN"):
        choose_thresholds(([1.0], [0.0]), Criterion("bad", lambda counts, alpha: counts.far * np.nan), 0.5)


@pytest.mark.parametrize("name", CRITERIA)
def test_choice_does_not_depend_on_order_or_scale(name: str) -> None:
    rng = np.random.default_rng(3)
    genuine, impostor = rng.normal(1, 1, 60), rng.normal(0, 1, 90)
    plain = choose_thresholds((genuine, impostor), name, 0.2)[0]
    shuffled = choose_thresholds((rng.permutation(genuine), rng.permutation(impostor)), name, 0.2)[0]
    stretched = choose_thresholds((genuine**3, impostor**3), name, 0.2)[0]
    assert plain.threshold == shuffled.threshold
    assert plain.threshold**3 == stretched.threshold
    assert plain.false_accepts == stretched.false_accepts


def test_alpha_0_takes_the_end_of_the_run_also_with_rejected_genuine_trials() -> None:
    dev = ([-np.inf, 5.0, 6.0], [0.0, 1.0, 2.0])
    assert choose_thresholds(dev, "wer-equal", [0.0]).threshold.tolist() == [2.0]
    assert choose_thresholds(([1.0, 2.0], [-np.inf, 0.0, 5.0]), "wer-equal", [1.0]).threshold.tolist() == [5.0]


def test_precision_ties_within_an_edge_of_the_hull() -> None:
    dev = ([-np.inf] * 8 + [1.0, 2.0], [1.0, 2.0])
    assert choose_thresholds(dev, "precision-recall", [1.0]).threshold.tolist() == [1.0]


def test_criteria_and_measures_can_be_pickled() -> None:
    costs = DetectionCosts(1, 0.5, 1, 0.5)
    own = as_criterion(max), as_measure(repr)  # any functions that pickle can name
    for entry in (*CRITERIA.values(), *MEASURES.values(), as_criterion(costs), as_measure(costs), *own):
        assert pickle.loads(pickle.dumps(entry)) == entry


def test_a_criterion_says_which_alphas_it_takes_and_what_it_is_at_their_ends() -> None:
    alphas = np.array([0.0, 0.25, 1.0])
    assert CRITERIA["eer"].resolve_alphas(alphas).tolist() == [0.5, 0.5, 0.5]
    assert CRITERIA["wer-equal"].resolve_alphas(0.25).tolist() == [0.25]
    used = {rule.name: which.tolist() for which, rule in CRITERIA["wer-equal"].used_at(alphas)}
    assert used == {"wer-equal": [False, True, False], "wer-min": [True, False, True]}
    assert [rule.name for _, rule in CRITERIA["wer-equal"].used_at(alphas[1:2])] == ["wer-equal"]
    assert [rule.name for _, rule in CRITERIA["far"].used_at(alphas)] == ["far"]
