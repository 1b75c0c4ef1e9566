"""Bands around curves: by brute force and by simulation."""

import numpy as np
import pytest

from fairtrial import ParameterError, Trials, performance_curve
from fairtrial.evaluation import curve_band, pool_curves
from fairtrial.inference import judged_interval
from simulated import crossed, without_ids


def data(seed: int, people: int = 30) -> Trials:
    """Everybody against everybody, nothing but noise."""
    rng = np.random.default_rng(seed)
    claim, subject = np.divmod(np.arange(people**2), people)
    scores = 2.0 * (claim == subject) + rng.normal(size=people**2)
    return Trials.from_arrays(scores, claim == subject, systems=["a"], claim=claim, subject=subject)


DEV, TEST = data(0), data(1)
ALPHAS = [0.1, 0.3, 0.5, 0.7, 0.9]


def test_pointwise_band_against_resampled_rows() -> None:
    curve = performance_curve(DEV, TEST, alphas=ALPHAS, cluster="none")
    band = curve_band(curve, threshold="fixed")
    rng = np.random.default_rng(2)
    scores, genuine = TEST.column("a"), TEST.genuine
    rows = []
    for _ in range(2000):
        picked = rng.integers(0, len(scores), len(scores))
        s, g = scores[picked], genuine[picked]
        rows.append([((s[~g] > t).mean() + (s[g] <= t).mean()) / 2 for t in curve.threshold])
    low, high = np.quantile(rows, [0.025, 0.975], axis=0)
    # one of 30 genuine trials more or less moves a quantile by 1/60
    assert band.low == pytest.approx(low, abs=2 / 60)
    assert band.high == pytest.approx(high, abs=2 / 60)
    assert np.mean((band.high - band.low) / (high - low)) == pytest.approx(1, abs=0.1)
    assert band.estimate == pytest.approx(curve.hter)
    assert (band.threshold, band.kind, band.cluster) == ("fixed", "pointwise", "none")


def test_pointwise_band_is_the_interval_at_each_alpha() -> None:
    curve = performance_curve(DEV, TEST, alphas=ALPHAS, criterion="precision-recall", measure="f1")
    for threshold in ("re-estimated", "fixed"):
        band = curve_band(curve, threshold=threshold, confidence=0.9)
        for k in range(len(ALPHAS)):
            found = judged_interval(
                curve.judged(),
                measure="f1",
                index=k,
                confidence=0.9,
                threshold=threshold,
            )
            assert (band.low[k], band.high[k]) == pytest.approx(found.interval)
        assert (band.low <= curve.value).all()
        assert (curve.value <= band.high).all()
    assert band.to_dict()["band_threshold"] == "fixed"
    assert set(band.to_dict()) >= {"low", "high", "kind", "confidence", "cluster"}


@pytest.mark.parametrize("threshold", ["fixed", "re-estimated"])
def test_simultaneous_band_holds_whole_curves(threshold: str) -> None:
    # the truth: the mean curve over new test sets, and over new dev sets too where thresholds are re-estimated
    alphas = np.linspace(0.1, 0.9, 9)

    def draw(rng: np.random.Generator, start: int) -> Trials:
        return without_ids(crossed(rng, systems=("a",), clients=30, impostors=20, start=start))

    rng = np.random.default_rng(3)
    fixed = draw(rng, 0)
    curves = []
    for _ in range(150):
        dev = fixed if threshold == "fixed" else draw(rng, 0)
        curves.append(performance_curve(dev, draw(rng, 500), alphas=alphas))
    truth = np.mean([curve.hter for curve in curves], axis=0)
    inside = {"pointwise": 0, "simultaneous": 0}
    for curve in curves[:100]:
        for kind in inside:
            band = curve_band(curve, kind=kind, threshold=threshold)  # type: ignore[arg-type]
            inside[kind] += bool(((band.low <= truth) & (truth <= band.high)).all())
    assert inside["simultaneous"] >= 87  # 95 less 4 standard errors
    assert inside["pointwise"] < inside["simultaneous"]


@pytest.mark.parametrize("ids", [True, False])
def test_bootstrap_band_with_dev_resampled_covers(ids: bool) -> None:
    # the truth: the mean curve over new dev and test sets
    rng = np.random.default_rng(4)
    alphas = [0.2, 0.5, 0.8]

    def draw(start: int) -> Trials:
        made = crossed(rng, systems=("a",), clients=30, impostors=20, start=start, effect=0.3 * ids)
        return made if ids else without_ids(made)

    curves = [performance_curve(draw(0), draw(500), alphas=alphas) for _ in range(400)]
    truth = np.mean([curve.hter for curve in curves], axis=0)
    tried = 15 if ids else 60
    inside = {"pointwise": np.zeros(3), "simultaneous": np.zeros(3)}
    for curve in curves[:tried]:
        for kind, total in inside.items():
            band = curve_band(curve, kind=kind, method="bootstrap", n_resamples=150)  # type: ignore[arg-type]
            assert band.threshold == "re-estimated"
            held = (band.low <= truth) & (truth <= band.high)
            total += held.all() if kind == "simultaneous" else held
    for total in inside.values():
        assert (total / tried > 0.95 - 4 * np.sqrt(0.05 * 0.95 / tried)).all()


def test_bootstrap_band_says_so() -> None:
    curve = performance_curve(DEV, TEST, alphas=ALPHAS)
    band = curve_band(curve, method="bootstrap", n_resamples=100)
    assert (band.method, band.cluster, band.to_dict()["band_method"]) == ("bootstrap", "both", "bootstrap")
    assert band.column().title == "95 % bootstrap band, pointwise, threshold re-estimated"
    assert band.estimate == pytest.approx(curve.hter)
    with pytest.raises(ParameterError, match="method must be one of cluster, bootstrap"):
        curve_band(curve, method="normal")  # type: ignore[arg-type]


def test_band_says_where_dev_lacks_errors() -> None:
    curve = performance_curve(DEV, TEST, alphas=np.linspace(0, 1, 5))
    lacks = (curve.judged().dev.false_accepts == 0) | (curve.judged().dev.false_rejects == 0)  # type: ignore[union-attr]
    assert lacks[-1]  # with no weight on rejections nobody is accepted
    (note,) = curve_band(curve).notes
    assert note.endswith("1, where dev lacks errors")
    assert curve_band(curve, threshold="fixed").notes == ()
    assert curve_band(curve, threshold="fixed").column().title == "95 % band, pointwise, given these thresholds"


def test_simultaneous_band_is_wider_everywhere() -> None:
    curve = performance_curve(DEV, TEST)
    pointwise, whole = (curve_band(curve, kind=kind) for kind in ("pointwise", "simultaneous"))
    assert ((whole.high - whole.low) >= (pointwise.high - pointwise.low) - 1e-12).all()
    assert np.mean(whole.high - whole.low) > 1.1 * np.mean(pointwise.high - pointwise.low)
    assert whole.low.min() >= 0
    assert whole.high.max() <= 1


def test_bands_that_cannot_be() -> None:
    curve = performance_curve(DEV, TEST, alphas=ALPHAS)
    with pytest.raises(ParameterError, match="kind must be one of"):
        curve_band(curve, kind="wide")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="threshold must be one of"):
        curve_band(curve, threshold="moving")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="confidence"):
        curve_band(curve, confidence=1)
    pooled = pool_curves([curve, performance_curve(TEST, DEV, alphas=ALPHAS)])
    with pytest.raises(ParameterError, match="has no trials"):
        curve_band(pooled)
