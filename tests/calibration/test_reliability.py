"""PAV on test: against scikit-learn, and bands against replicates pooled from all trials."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression

import fairtrial as ft
from fairtrial.calibration.curves import percentile_limits, pooling_places, resampled_ratios
from simulated import crossed


def by_scikit_learn(values: np.ndarray, genuine: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """The log-likelihood ratio of each trial; -inf and inf where only one class is."""
    ranks = np.unique(values, return_inverse=True)[1]
    shares = np.where(genuine, 1 / genuine.sum(), 1 / (~genuine).sum())
    if weights is not None:
        shares = weights * np.where(genuine, 1 / weights[genuine].sum(), 1 / weights[~genuine].sum())
    used = shares > 0
    fitted = IsotonicRegression(y_min=0, y_max=1).fit(ranks[used], genuine[used].astype(float), shares[used])
    posterior = np.clip(fitted.predict(ranks), 0, 1)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(posterior) - np.log(1 - posterior))


@pytest.fixture(scope="module")
def found() -> ft.calibration.CalibratedSystem:
    dev, test = (crossed(np.random.default_rng(k), effect=0.5, start=1000 * k) for k in (1, 2))
    return ft.calibrate(dev, test)["a"]


def test_steps_are_those_of_isotonic_regression(found: ft.calibration.CalibratedSystem) -> None:
    curve = ft.calibration.pav_curve(found, n_resamples=20)
    test = found.evidence.test
    values = found.calibration.ratios(test)
    ours = curve.ratios[np.searchsorted(curve.ends, values, side="left")]
    theirs = by_scikit_learn(values, test.genuine)
    inner = np.isfinite(ours)
    assert ours[inner] == pytest.approx(theirs[inner], abs=1e-9)
    assert (np.abs(theirs[~inner]) > 20).all()
    assert (curve.genuine.sum(), curve.impostor.sum()) == (test.genuine.sum(), (~test.genuine).sum())


def test_steps_along_scores_are_the_same(found: ft.calibration.CalibratedSystem) -> None:
    of_ratios, of_scores = (ft.calibration.pav_curve(found, of_scores=flag, n_resamples=20) for flag in (False, True))
    assert of_scores.ratios == pytest.approx(of_ratios.ratios)
    weight, offset = (found.calibration.parameters[name] for name in ("weights", "offset"))
    assert weight * of_scores.ends + offset == pytest.approx(of_ratios.ends)
    assert of_scores.guide[1] == pytest.approx(weight * of_scores.guide[0] + offset)
    assert of_ratios.guide[1] is of_ratios.guide[0]


def test_replicates_of_people_are_pooled_as_from_all_their_trials() -> None:
    """Claims drawn with replacement, each trial as often as its claim: isotonic regression with these weights."""
    test = crossed(np.random.default_rng(3), clients=12, effect=0.5)
    sets = ft.inference.TrialSets(None, test, "claim")
    people = sets.people[1]
    assert people is not None
    values = np.round(test.column("a").astype(float), 1)
    places = np.unique(values)  # nothing is put together that differs
    drawn, bounded = resampled_ratios(test, values, places, people, n_resamples=5, rng=7)
    numbers = people.draw(5, np.random.default_rng(7).spawn(1)[0])
    weights = np.empty(len(test))
    for row, ratios in zip(numbers, drawn, strict=True):
        for part in people.classes:
            weights[part.rows] = row[part.people[0]]
        theirs = by_scikit_learn(values, test.genuine, weights)
        held = weights > 0
        ours = ratios[np.searchsorted(places, values)]
        inner = held & np.isfinite(ours)
        assert inner.any()
        assert ours[inner] == pytest.approx(theirs[inner], abs=1e-9)
    assert np.isfinite(bounded).all()


def test_places_lie_where_both_classes_do() -> None:
    genuine, impostor = np.linspace(2, 9, 500), np.linspace(-5, 4, 5000)
    places = pooling_places((genuine, impostor), np.array([2.5, 3.5, 9.0]))
    assert places[-1] == 9
    assert {2.5, 3.5} <= set(places.tolist())
    inner = places[1:-1]
    assert inner.min() >= 2
    assert inner.max() <= 4
    assert impostor[impostor < 2].max() == places[0]
    apart = pooling_places((np.array([2.0, 3.0]), np.array([0.0, 1.0])), np.array([1.0, 3.0]))
    assert apart.tolist() == [1.0, 3.0]


def test_limits_with_infinite_replicates() -> None:
    drawn = np.array([[-np.inf, 1.0], [-np.inf, 2.0], [0.0, 3.0], [1.0, np.inf]] * 10)
    low, high = percentile_limits(drawn, 0.9)
    assert low.tolist() == [-np.inf, 1.0]
    assert high.tolist() == [1.0, np.inf]


def test_bands_hold_the_truth_and_know_people() -> None:
    """Two normal classes of equal variance: the true ratio is known. Shared people make the band wider."""
    held, widths = [], []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        genuine = np.arange(3000) < 600
        test = ft.Trials.from_arrays(rng.normal(2.0 * genuine), genuine)
        curve = ft.calibration.pav_curve(ft.calibrate(test, test), of_scores=True, n_resamples=200, rng=seed)
        at = np.searchsorted(curve.places, [0.0, 1.0, 2.0])
        truth = 2 * np.array([0.0, 1.0, 2.0]) - 2
        held += ((curve.low[at] <= truth) & (truth <= curve.high[at])).tolist()
    assert np.mean(held) > 0.8
    dev, test = (crossed(np.random.default_rng(k), effect=1.0, start=1000 * k) for k in (1, 2))
    for cluster in ("none", "both"):
        own = ft.calibrate(dev, test, systems=["a"], cluster=cluster)
        curve = ft.calibration.pav_curve(own, n_resamples=200)
        middle = np.abs(curve.places) < 1
        widths.append(float(np.median(curve.high[middle] - curve.low[middle])))
        assert curve.method == {"none": "trials resampled", "both": "people resampled, cluster both"}[cluster]
    assert widths[1] > 1.1 * widths[0]


def test_same_seed_same_band(found: ft.calibration.CalibratedSystem) -> None:
    first, second, third = (ft.calibration.pav_curve(found, n_resamples=50, rng=seed) for seed in (1, 1, 2))
    assert first.low.tolist() == second.low.tolist()
    assert first.low.tolist() != third.low.tolist()
    assert first.to_dict()["band"]["confidence"] == 0.95
