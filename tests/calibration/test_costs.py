"""Detection costs: presets, means over points, and parts that count alike, by brute force."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import fairtrial as ft
from fairtrial.calibration.measures import Evidence, Parts, cost_statistic, least_cost_statistic
from fairtrial.calibration.methods import Linear
from fairtrial.core.notes import Note
from fairtrial.inference.thresholds import DEVIATIONS
from simulated import crossed, without_ids


def divided(seed: int, size: int = 600) -> ft.Trials:
    """Ratios with ties, of parts of very different sizes."""
    rng = np.random.default_rng(seed)
    genuine = rng.random(size) < 0.3
    gender, phone = rng.choice(["f", "m"], size, p=[0.2, 0.8]), rng.integers(0, 3, size)
    scores = np.round(rng.normal(4.0 * genuine - 2 + 0.5 * phone, 2), 1)
    return ft.Trials.from_arrays(scores, genuine, columns={"gender": gender, "phone": phone})


def as_they_are(trials: ft.Trials) -> Evidence:
    return Evidence(
        ft.calibration.Calibration(trials.systems, "raw", Linear((1.0,), 0.0)),
        ft.inference.TrialSets(divided(99), trials),
    )


def rates_by_part(trials: ft.Trials, threshold: float) -> tuple[float, float]:
    """The mean FAR and FRR over all parts, each at the same threshold."""
    gender, phone = trials.columns["gender"].decode(), trials.columns["phone"]  # type: ignore[union-attr]
    scores = trials.column()
    far, frr = [], []
    for own in np.unique(gender.astype(str)):
        for number in np.unique(np.asarray(phone)):
            here = (gender == own) & (np.asarray(phone) == number)
            far.append(np.mean(scores[here & ~trials.genuine] > threshold))
            frr.append(np.mean(scores[here & trials.genuine] <= threshold))
    return float(np.mean(far)), float(np.mean(frr))


def test_parts_count_alike_by_brute_force() -> None:
    trials = divided(1)
    target = ft.calibration.cost_target("sre18", ["gender", "phone"])
    evidence = as_they_are(trials)
    expected, least = [], []
    for point in target.points:
        costs = [
            (rates_by_part(trials, at)[1] + point.ratio * rates_by_part(trials, at)[0]) / min(1, point.ratio)
            for at in [point.threshold, -np.inf, *np.unique(trials.column()).tolist()]
        ]
        expected.append(costs[0])
        least.append(min(costs[1:]))
    assert cost_statistic(evidence, target).estimate == pytest.approx(np.mean(expected))
    assert least_cost_statistic(evidence, target).estimate == pytest.approx(np.mean(least))


def test_variance_of_parts_is_that_of_independent_rates() -> None:
    trials = divided(2, 6000)
    target = ft.calibration.cost_target(".5", ["gender", "phone"])
    parts = Parts.of(trials, target.partition)
    wrong = (trials.column() > 0) != trials.genuine
    expected = 0.0
    for rows in (trials.genuine, ~trials.genuine):
        for part in range(6):
            own = wrong[rows & (parts.part == part)]
            expected += own.mean() * (1 - own.mean()) / len(own) / 36
    evidence = as_they_are(trials)
    assert cost_statistic(evidence, target).estimated(evidence).variance.value == pytest.approx(expected, rel=0.01)


def test_limits_of_several_points_are_the_means_of_theirs() -> None:
    dev, test = (crossed(np.random.default_rng(k), effect=0.5, separation=3, start=1000 * k) for k in (1, 2))
    (found,) = ft.calibrate(dev, test, systems=["a"], costs=["sre18"])
    *points, whole = found.costs
    for one in ("interval", "least"):
        for end in ("estimate", "low", "high"):
            expected = np.mean([getattr(getattr(point, one), end) for point in points])
            assert getattr(getattr(whole, one), end) == pytest.approx(expected)


def test_an_actual_cost_that_rests_on_few_accepted_trials_is_a_warning() -> None:
    (found,) = ft.calibrate(divided(99), divided(1, 60), costs=["0.5"])
    notes = [note for note in found.notes if isinstance(note, Note) and note.code == "few-accepted"]
    assert {note.values["which"]: note.warning for note in notes} == {"actual": True, "least": False}


def test_variance_of_a_least_cost_lies_between_those_of_its_thresholds() -> None:
    """At the best threshold of all trials, and at those of other people: by hand, every trial of another person."""
    trials = divided(3)
    evidence, point = as_they_are(trials), ft.calibration.CostPoint(0.2)
    found = least_cost_statistic(evidence, ft.calibration.cost_target(point))
    best = found.errors
    assert best is not None
    assert found.values is not None
    wrong = (trials.column() > best[0].threshold) != trials.genuine
    costs = np.where(trials.genuine, 1.0, point.ratio) * wrong
    by_others = (3 * found.values - costs) / 2
    assert found.estimate == pytest.approx(ft.calibration.min_detection_cost(trials, point))
    assert set(np.round(by_others, 9)) <= {0.0, 1.0, point.ratio}
    assert np.mean(by_others[trials.genuine]) + np.mean(by_others[~trials.genuine]) >= found.estimate


@pytest.mark.parametrize(("method", "within"), [("logistic", 0.2), ("gaussian", 0.2), ("kde", 0.2), ("pav", 0.5)])
def test_what_dev_adds_to_the_variance_of_a_cost_by_refitting(method: str, within: float) -> None:
    """Against dev trials drawn anew, and test as it is; steps that are fitted to trials drawn anew are rough."""
    rng = np.random.default_rng(4)
    dev, test = (without_ids(crossed(rng, clients=200, impostors=10)) for _ in range(2))
    dev = replace(dev, scores=np.asarray(dev.scores) - 0.7)  # so that the cost has a slope in the threshold
    target = ft.calibration.cost_target(".1")
    evidence = Evidence(
        ft.calibration.fit_calibration(dev, systems=["a"], method=method), ft.inference.TrialSets(dev, test)
    )
    claimed = cost_statistic(evidence, target).estimated(evidence)
    assert claimed.threshold == "re-estimated"
    classes = [np.flatnonzero(own) for own in (dev.genuine, ~dev.genuine)]
    costs = []
    for _ in range(150):
        drawn = np.concatenate([rng.choice(own, len(own)) for own in classes])
        again = ft.calibration.fit_calibration(dev.rows(drawn), systems=["a"], method=method)
        costs.append(ft.calibration.detection_cost(again.apply(test), target.points[0]))
    assert claimed.moves[0][-1] / DEVIATIONS[-1] == pytest.approx(np.std(costs), rel=within)


def test_presets_points_and_bad_costs() -> None:
    assert [point.prior for point in ft.calibration.cost_target("SRE21").points] == [0.01, 0.05]
    assert ft.calibration.cost_target(ft.calibration.CostPoint(0.01, 10)).name == "0.01,10,1"
    for bad in ("nist", ".1,2", ""):
        with pytest.raises(ft.ParameterError) as error:
            ft.calibration.cost_target(bad)
        assert error.value.code == "unknown-cost"
    with pytest.raises(ft.TrialsError) as missing:
        ft.calibrate(divided(1), divided(2), partition=["sex"])
    assert missing.value.code == "missing-column"


def test_few_errors_have_an_interval_of_some_width() -> None:
    """Where nobody is accepted there is no variance to go by; the limits are those of one error."""
    dev, test = (crossed(np.random.default_rng(k), effect=1.0, start=1000 * k) for k in (1, 2))
    (found,) = ft.calibrate(dev, test, systems=["a"], costs=["sre18"])
    for cost in found.costs:
        assert cost.interval is not None
        assert cost.least is not None
        assert cost.interval.low < cost.actual < cost.interval.high
        assert cost.least.low < cost.minimum <= cost.least.high <= 1


def test_notes_on_few_errors_and_on_minima_near_the_cost_of_deciding_alike() -> None:
    dev, test = (crossed(np.random.default_rng(k), effect=1.0, start=1000 * k) for k in (1, 2))
    calibrated = ft.calibrate(dev, test, costs=[".1", ".01", ".5"])
    notes = [(note.code, note.values.get("which")) for note in calibrated["a"].notes]  # type: ignore[union-attr]
    assert notes == [("open-minimum", None), ("few-accepted", "actual"), ("open-minimum", None)]
    evaluated = ft.evaluate(dev, test, systems="a", measures=["act-dcf@.01", "min-dcf@.1", "min-dcf@.5"])
    codes = [(note.code, note.about) for note in evaluated.notes if isinstance(note, Note)]
    assert {("few-accepted", "a: actual DCF(0.01)"), ("open-minimum", "a: min DCF(0.1)")} <= set(codes)
    for measure, code in (("min-dcf@.1", "open-minimum"), ("min-dcf@.5", "")):
        (compared,) = ft.compare(dev, test, measure=measure).pairs
        (pair,) = ft.calibration.compare_evidence(calibrated, measure=measure)
        assert [getattr(test.note, "code", "") for test in (compared.headline, pair.test)] == [code, code]
