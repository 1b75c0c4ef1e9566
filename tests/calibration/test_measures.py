"""Figures of evidence as measures of evaluate and compare, in Python and on the command line."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

import fairtrial as ft
from fairtrial.cli.app import main
from fairtrial.rules.measures import as_any_measure
from simulated import crossed, without_ids


def sets() -> tuple[ft.Trials, ft.Trials]:
    dev, test = (crossed(np.random.default_rng(k), effect=0.5, start=1000 * k) for k in (1, 2))
    return dev, test


def test_evaluate_reports_what_calibrate_does() -> None:
    dev, test = sets()
    names = ["cllr", "cllr-min", "cllr-cal", "act-dcf@.5", "min-dcf@.5", "hter"]
    found = ft.evaluate(dev, test, systems="a", measures=names)
    (same,) = ft.calibrate(dev, test, systems=["a"], costs=[".5"])
    assert found.measure_intervals["cllr"] == same.intervals[0]
    assert found.measures["cllr-min"] == pytest.approx(same.test[1])
    assert found.measures["cllr-cal"] == pytest.approx(same.loss)
    assert found.measures["act-dcf@0.5"] == pytest.approx(same.costs[0].actual)
    assert found.measures["min-dcf@0.5"] == pytest.approx(same.costs[0].minimum)
    kinds = found.systems[0].to_dict()["test"]["measure_kinds"]
    assert kinds["cllr"] == kinds["act-dcf@0.5"] == kinds["hter"] == "a priori"
    assert kinds["cllr-min"] == kinds["min-dcf@0.5"] == "a posteriori"
    fixed = ft.evaluate(dev, test, systems="a", measures=["cllr"], resample="test")
    assert fixed.measure_intervals["cllr"] == same.intervals[1]


def test_figures_at_a_prior_and_on_the_hull() -> None:
    dev, test = sets()
    found = ft.evaluate(dev, test, systems="a", measures=["ece@.2", "ece-min@.5", "eer-rocch", "cllr-raw"])
    ratios = ft.calibration.fit_calibration(dev, systems=["a"]).apply(test)
    assert found.measures["ece@0.2"] == pytest.approx(ft.calibration.empirical_cross_entropy(ratios, 0.2))
    assert found.measures["ece-min@0.5"] == pytest.approx(ft.calibration.min_cllr(test, system="a"))
    assert found.measures["eer-rocch"] == pytest.approx(ft.equal_error_rate(test, system="a", definition="rocch").value)
    assert found.measures["cllr-raw"] == pytest.approx(ft.calibration.cllr(test, system="a"))


@pytest.mark.parametrize("measure", ["cllr", "cllr-min", "act-dcf@.5", "cllr-raw", "act-dcf-raw@.5"])
@pytest.mark.parametrize("ids", [True, False])
def test_compare_tests_what_compare_evidence_does(measure: str, ids: bool) -> None:
    dev, test = sets() if ids else map(without_ids, sets())
    found = ft.compare(dev, test, measure=measure, n_resamples=2000)
    (expected,) = ft.calibration.compare_evidence(ft.calibrate(dev, test), measure=measure)
    first = found.pairs[0].tests[0]
    assert first.estimate == pytest.approx(expected.test.estimate)
    assert first.p_value == pytest.approx(expected.test.p_value, rel=1e-6)
    assert {rank.system: rank.value for rank in found.ranking}["a"] == pytest.approx(
        ft.evaluate(dev, test, systems="a", measures=[measure]).measures[as_any_measure(measure).name]
    )
    bootstrap = next(own for own in found.pairs[0].tests if own.test == "bootstrap")
    fixed = next(own for own in found.pairs[0].tests if own.threshold == "fixed")
    # drawing both people of a trial overstates what belongs to neither (Owen 2007)
    assert bootstrap.sigma is not None
    assert fixed.sigma is not None
    assert 0.9 < bootstrap.sigma / fixed.sigma < 1.1 * np.sqrt(3)
    assert bootstrap.p_value == pytest.approx(fixed.p_value, abs=0.05)


def test_a_fusion_has_no_scores_to_take_unchanged() -> None:
    dev, test = sets()
    both = [*ft.calibrate(dev, test, fuse=True), *ft.calibrate(dev, test, systems="a")]
    with pytest.raises(ft.ParameterError) as error:
        ft.calibration.compare_evidence(both, measure="cllr-raw")
    assert error.value.code == "one-system"


def test_of_the_scores_stands_after_the_cost() -> None:
    assert as_any_measure("act-dcf-raw@sre16").label == "actual DCF(sre16) of the scores"


def test_bad_names_and_sets() -> None:
    dev, test = sets()
    for bad, message in (
        ("ece", "ece needs a prior, as in ece@.01"),
        ("ece@x", "the prior 'x' is not a number"),
        ("ece@1", "prior must be between 0 and 1, not 1"),
        ("ece-min@-1", "prior must be between 0 and 1, not -1"),
        ("ece@nan", "prior must be between 0 and 1, not nan"),
        ("cllrx", "there is no measure 'cllrx'; did you mean 'cllr'"),
        ("best", "there is no measure 'best'; there are hter, .*cllr, cllr-min, .*ece@PRIOR, .*act-dcf@COST"),
        ("act-dcf@nist", "expected a prior"),
        ("act-dcf-raw", "act-dcf-raw needs a cost"),
        ("cllr@.5", "cllr@.5"),
    ):
        with pytest.raises(ft.ParameterError, match=message):
            ft.evaluate(dev, test, systems="a", measures=[bad])
    blocks = ft.inference.make_blocks(dev, 3)
    with pytest.raises(ft.TrialsError) as error:
        ft.evaluate(dev, folds=blocks[1:], systems="a", measures=["cllr"])
    assert error.value.code == "not-in-a-block"
    with pytest.raises(ft.ParameterError, match="the 5x2cv test leaves trials out"):
        ft.compare(dev, folds=blocks, measure="cllr", five_by_two=True)
    with pytest.raises(ft.TrialsError, match="cllr needs Trials"):
        ft.evaluate(([1.0, 2.0], [0.0]), ([1.0], [0.0]), measures=["cllr"])
    with pytest.raises(ft.ParameterError) as refused:
        ft.calibration.compare_evidence(ft.calibrate(dev, test), measure="hter")
    assert refused.value.code == "not-of-evidence"


def test_folds_are_calibrated_on_other_people_by_brute_force() -> None:
    trials, _ = sets()
    blocks = ft.inference.make_blocks(trials, 4)
    ratios = {}
    for system in ("a", "b"):
        ratios[system] = np.empty(len(trials))
        for block in blocks:
            own = ft.calibration.fit_calibration(trials.rows(np.flatnonzero(block.others)), systems=[system])
            ratios[system][block.held_out] = own.ratios(trials)[block.held_out]
    values = {name: ft.calibration.cllr((own[trials.genuine], own[~trials.genuine])) for name, own in ratios.items()}
    wrong = (ratios["a"] > np.log(9)) != trials.genuine
    found = ft.evaluate(trials, folds=blocks, systems="a", measures=["cllr", "act-dcf@.1", "cllr-min"])
    assert found.measures["cllr"] == pytest.approx(values["a"])
    assert found.measures["act-dcf@0.1"] == pytest.approx(
        wrong[trials.genuine].mean() + 9 * wrong[~trials.genuine].mean()
    )
    assert found.measures["cllr-min"] == pytest.approx(ft.calibration.min_cllr(trials, system="a"))
    assert found.measure_intervals["cllr"].threshold == "re-estimated"
    kinds = found.systems[0].to_dict()["test"]["measure_kinds"]
    assert kinds == {
        "cllr": "a priori (cross-validated)",
        "act-dcf@0.1": "a priori (cross-validated)",
        "cllr-min": "a posteriori",
    }
    both = ft.compare(trials, folds=blocks, measure="cllr", n_resamples=200)
    assert both.kind == "a priori (cross-validated)"
    assert both.pairs[0].tests[0].estimate == pytest.approx(values["a"] - values["b"])
    assert any("no test over the folds: Cllr is a figure of all trials together" in str(note) for note in both.notes)


@pytest.mark.parametrize("count", [50, 500])
def test_no_error_is_no_certainty(count: int) -> None:
    """Classes that do not meet: the upper limits are those of Wilson for no error, put together; none is 0."""
    rng = np.random.default_rng(1)
    genuine = np.arange(3 * count) < count
    dev, test = (ft.Trials.from_arrays(rng.uniform(0, 1, 3 * count) + 2 * genuine, genuine) for _ in range(2))
    found = ft.evaluate(dev, test, measures=["eer-rocch", "min-dcf@.5", "cllr-min", "act-dcf@.5"])
    square = float(stats.norm.ppf(0.975)) ** 2
    upper = np.hypot(square / (count + square), square / (2 * count + square))
    for name, expected in (("eer-rocch", upper / 2), ("act-dcf@0.5", upper)):
        assert tuple(found.measure_intervals[name].interval) == pytest.approx((0.0, expected))
    # other trials would have another minimum
    assert upper - 1e-12 <= found.measure_intervals["min-dcf@0.5"].high < 1.5 * upper
    assert 0 < found.measure_intervals["cllr-min"].high < 0.5


def test_no_error_of_people_who_share_trials() -> None:
    """Fewer people know less: the limits without an error widen, and stay below those of an error that was made."""
    highs = []
    for clients in (20, 80):
        dev, test = (crossed(np.random.default_rng(k), clients=clients, start=1000 * k, separation=40) for k in (1, 2))
        found = ft.evaluate(dev, test, systems="a", measures=["eer-rocch"])
        scores = np.array(test.scores)
        scores[test.genuine, 0] = np.where(np.arange(4 * clients) == 0, -99, scores[test.genuine, 0])
        one = ft.evaluate(dev, replace(test, scores=scores), systems="a", measures=["eer-rocch"])
        highs.append([own.measure_intervals["eer-rocch"].high for own in (found, one)])
    assert 0 < highs[1][0] < highs[0][0] < highs[0][1] < 0.5
    assert highs[1][0] < highs[1][1]


def test_the_loss_warns_that_its_test_is_conservative() -> None:
    dev, test = sets()
    (pair,) = ft.compare(dev, test, measure="cllr-cal", n_resamples=100).pairs
    assert getattr(pair.tests[0].note, "code", "") == "conservative-test"
    both = ft.calibrate(dev, test)
    (own,) = ft.calibration.compare_evidence(both, measure="cllr-cal")
    assert own.tables()[0].notes == (own.test.note,)
    assert not both.pairs[0].test.note


def test_the_commands(tmp_path: Path) -> None:
    for trials, name in zip(sets(), ("dev", "test"), strict=True):
        ft.write_trials(trials, tmp_path / f"{name}.csv")
    files = ["--dev", str(tmp_path / "dev.csv"), "--test", str(tmp_path / "test.csv"), "--json"]

    def run(*given: str) -> dict[str, object]:
        result = CliRunner().invoke(main, [given[0], *files, *given[1:]])
        assert result.exit_code == 0, result.output
        found: dict[str, object] = json.loads(result.stdout)
        return found

    found = run("evaluate", "--measure", "cllr", "--measure", "min-dcf@sre18", "--system", "a")
    assert set(found["systems"][0]["test"]["measures"]) == {"cllr", "min-dcf@sre18"}  # type: ignore[index]
    page = tmp_path / "c.html"
    found = run("compare", "--measure", "cllr", "--resamples", "200", "--report", str(page))
    assert "Whether the systems really differ in Cllr, each calibrated on dev." in page.read_text()
    assert "calibration re-estimated" in page.read_text()
    assert found["measure"] == "cllr"
    refused = CliRunner().invoke(main, ["epc", *files[:-1], "--measure", "cllr"])
    assert refused.exit_code == 2
    assert "plot ece and plot bayes-error draw evidence along priors" in refused.output
    page = tmp_path / "folds.html"
    folds = ["compare", *files[:2], "--folds", "4", "--measure", "cllr", "--resamples", "200", "--report", str(page)]
    assert CliRunner().invoke(main, folds).exit_code == 0
    assert "each calibrated on other folds" in page.read_text()
    assert found["pairs"][0]["tests"][0]["threshold"] == "re-estimated"  # type: ignore[index]


def test_limits_of_the_least_cost_stay_within_what_it_can_be() -> None:
    """At 0, and at a figure below its own standard deviation, where a logarithmic scale gave 3e-13 to 7e+06."""
    rng = np.random.default_rng(5)
    genuine = np.arange(400) < 100
    equal = ft.Trials.from_arrays(genuine.astype(float), genuine)
    names = ["cllr-min", "ece-min@.1"]
    found = ft.evaluate(equal, equal, measures=names).measure_intervals
    for name, without_scores in (("cllr-min", 1.0), ("ece-min@0.1", 0.469)):  # the entropy of one half, and of 0.1
        interval = found[name]
        assert interval.low == interval.estimate == 0
        # with Laplace's rule each of n trials costs log2(1 + 1 / n) or so, times its prior
        assert 0.002 < interval.high < 0.02 < without_scores
    scores = rng.normal(size=400) + 4.5 * genuine
    nearly = ft.Trials.from_arrays(scores, genuine)
    interval = ft.evaluate(nearly, nearly, measures=["cllr-min"]).measure_intervals["cllr-min"]
    assert 0 == interval.low < interval.estimate < interval.high < 0.2
    few = ft.Trials.from_arrays(rng.normal(size=12), np.arange(12) % 2 == 0)
    for name, limit in zip(names, (1.0, 0.4690), strict=True):
        interval = ft.evaluate(few, few, measures=[name]).measure_intervals[name.replace("@.", "@0.")]
        assert 0 <= interval.low <= interval.estimate <= interval.high <= limit + 1e-4
