"""The bootstrap along a curve: against rows drawn one by one, and thresholds chosen again on each replicate of dev."""

import numpy as np
import pytest
from numpy.typing import NDArray

from fairtrial import MEASURES, ParameterError, Trials, performance_curve
from fairtrial.inference import make_blocks
from fairtrial.inference.bootstrap import resampled_curve
from fairtrial.rules import choose_thresholds
from simulated import crossed, without_ids

ALPHAS = [0.3, 0.5, 0.8]


def data(seed: int, start: int = 0) -> Trials:
    return crossed(np.random.default_rng(seed), systems=("a",), clients=30, impostors=15, effect=0.3, start=start)


DEV, TEST = data(0), data(1, start=500)


def rows_drawn(criterion: str, count: int, *, both: bool) -> NDArray[np.float64]:
    """HTERs of replicates of trials, one row per replicate, by drawing rows."""
    rng = np.random.default_rng(2)
    thresholds = choose_thresholds(DEV, criterion, ALPHAS).threshold
    found = []
    for _ in range(count):
        if both:
            rows = rng.integers(0, len(DEV), len(DEV))
            scores, genuine = DEV.column("a")[rows], DEV.genuine[rows]
            thresholds = choose_thresholds((scores[genuine], scores[~genuine]), criterion, ALPHAS).threshold
        rows = rng.integers(0, len(TEST), len(TEST))
        scores, genuine = TEST.column("a")[rows], TEST.genuine[rows]
        found.append([((scores[~genuine] > t).mean() + (scores[genuine] <= t).mean()) / 2 for t in thresholds])
    return np.array(found)


@pytest.mark.parametrize("criterion", ["wer-min", "frr", "precision"])
@pytest.mark.parametrize("threshold", ["re-estimated", "fixed"])
def test_replicates_against_rows_drawn_one_by_one(criterion: str, threshold: str) -> None:
    curve = performance_curve(without_ids(DEV), without_ids(TEST), alphas=ALPHAS, criterion=criterion)
    found, given = resampled_curve(
        curve.judged(),
        MEASURES["hter"],
        threshold=threshold,  # type: ignore[arg-type]
        n_resamples=2000,
    )
    assert given == threshold
    expected = rows_drawn(criterion, 600, both=threshold == "re-estimated")
    for each, column, value in zip(found, expected.T, curve.hter, strict=True):
        assert each.estimate == pytest.approx(value)
        # some replicates meet a target of precision far away, so quantiles are compared and not standard deviations
        ours, theirs = (np.quantile(values, [0.1, 0.5, 0.8]) for values in (each.replicates, column))
        assert ours == pytest.approx(theirs, abs=0.15 * (theirs[2] - theirs[0]))


def test_threads_do_not_change_replicates_and_seeds_do() -> None:
    judged = performance_curve(DEV, TEST, alphas=ALPHAS).judged()
    one, two, other = (
        resampled_curve(judged, MEASURES["hter"], n_resamples=600, workers=workers, rng=rng)[0][0].replicates
        for workers, rng in ((1, 0), (3, 0), (1, 1))
    )
    assert np.array_equal(one, two)
    assert not np.array_equal(one, other)


def test_sets_that_cannot_be_resampled_apart() -> None:
    folds = performance_curve(DEV, folds=make_blocks(DEV, 3), alphas=ALPHAS)
    with pytest.raises(ParameterError, match="folds have no separate dev set"):
        resampled_curve(folds.judged(), MEASURES["hter"])
    same = performance_curve(DEV, DEV, alphas=ALPHAS).judged()
    with pytest.raises(ParameterError, match="cannot be resampled apart"):
        resampled_curve(same, MEASURES["hter"])
    assert resampled_curve(same, MEASURES["hter"], threshold="fixed", n_resamples=10)[1] == "fixed"
