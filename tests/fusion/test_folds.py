"""A fusion without a test set: every trial is fused and judged by fits to other people."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from fairtrial import ParameterError, Trials, TrialsError, evaluate, fuse
from fairtrial.inference import make_blocks
from fairtrial.inference.folds import make_halves
from fairtrial.rules import choose_thresholds
from simulated import crossed

TRIALS = crossed(np.random.default_rng(3), clients=24, impostors=8, systems=("face", "voice"), effect=0.3)
Scores = NDArray[np.float64]
Fit = Callable[[Scores, NDArray[np.bool_]], Callable[[Scores], Scores]]


def fit_z_mean(scores: Scores, genuine: NDArray[np.bool_]) -> Callable[[Scores], Scores]:
    centre, scale = scores[~genuine].mean(axis=0), scores[~genuine].std(axis=0)
    return lambda others: np.asarray(((others - centre) / scale).mean(axis=1))


def fit_logistic(scores: Scores, genuine: NDArray[np.bool_]) -> Callable[[Scores], Scores]:
    fitted = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-12).fit(scores, genuine)
    prior = genuine.mean()
    return lambda others: np.asarray(fitted.decision_function(others) - np.log(prior / (1 - prior)))


@pytest.mark.parametrize(
    ("fit", "options"),
    [(fit_z_mean, {"normalise": "z"}), (fit_logistic, {"fusion": "logistic"})],
    ids=["z", "logistic"],
)
@pytest.mark.parametrize("folds", [3, 4])
def test_fitted_and_counted_by_hand_on_the_other_folds(fit: Fit, options: dict[str, str], folds: int) -> None:
    result = fuse(TRIALS, folds=folds, rng=2, **options)  # type: ignore[arg-type]
    blocks = make_blocks(TRIALS, folds, rng=2)
    genuine, scores = TRIALS.genuine, TRIALS.scores.astype(np.float64)
    fused, errors, judged = np.empty(len(TRIALS)), [0, 0], 0
    for block in blocks:
        others, held_out = block.others, block.held_out
        people = {name for role in ("claim", "subject") for name in TRIALS.ids[role].decode()[held_out]}
        assert not people & {name for role in ("claim", "subject") for name in TRIALS.ids[role].decode()[others]}
        apply = fit(scores[others], genuine[others])
        on_others = apply(scores[others])
        threshold = choose_thresholds((on_others[genuine[others]], on_others[~genuine[others]]), "eer", 0.5).threshold[
            0
        ]
        fused[held_out] = apply(scores[held_out])
        accepted = fused > threshold
        errors[0] += int(np.count_nonzero(held_out & ~genuine & accepted))
        errors[1] += int(np.count_nonzero(held_out & genuine & ~accepted))
        judged += int(np.count_nonzero(held_out))
    assert judged == len(TRIALS)
    assert result.scores.test.column() == pytest.approx(fused, rel=1e-6, abs=1e-9)
    test = result.evaluation.test
    assert [test.false_accepts, test.false_rejects] == errors
    assert (test.genuine, test.impostor) == (genuine.sum(), (~genuine).sum())
    assert result.kind == "a priori (cross-validated)"
    # the threshold of a saved model is the one that all held-out scores give
    assert result.evaluation.threshold == pytest.approx(
        choose_thresholds((fused[genuine], fused[~genuine]), "eer", 0.5).threshold[0], rel=1e-6, abs=1e-9
    )


def test_systems_are_judged_as_evaluate_judges_them_and_the_model_is_that_of_all_trials() -> None:
    result, alone = fuse(TRIALS, folds=4, fusion="logistic"), evaluate(TRIALS, folds=4)
    for base in result.baselines:
        assert base.test.hter == alone[base.system].test.hter
        assert base.interval() == alone[base.system].interval()
    scores = TRIALS.scores.astype(np.float64)
    apply = fit_logistic(scores, TRIALS.genuine)
    assert result.model.apply(TRIALS).column() == pytest.approx(apply(scores), rel=1e-6)
    assert result.test.test == "cluster"
    assert result.evaluation.interval().low <= result.evaluation.test.hter <= result.evaluation.interval().high


@pytest.mark.parametrize("fusion", ["mean", "qda", "client-scores"])
def test_blocks_and_the_order_of_rows_do_not_matter(fusion: str) -> None:
    order = np.random.default_rng(0).permutation(len(TRIALS))
    once, again = fuse(TRIALS, folds=3, fusion=fusion), fuse(TRIALS.rows(order), folds=3, fusion=fusion)
    given = fuse(TRIALS, folds=make_blocks(TRIALS, 3), fusion=fusion)
    assert once.evaluation.test.hter == again.evaluation.test.hter == given.evaluation.test.hter
    assert again.scores.test.column() == pytest.approx(once.scores.test.column()[order])


def test_progress_sums_to_one() -> None:
    steps: list[float] = []
    fuse(TRIALS, folds=3, fusion="logistic", progress=steps.append)
    assert sum(steps) == pytest.approx(1)


def test_what_folds_refuse() -> None:
    with pytest.raises(ParameterError, match="folds"):
        fuse(TRIALS)
    with pytest.raises(ParameterError, match="folds"):
        fuse(TRIALS, TRIALS, folds=3)
    with pytest.raises(ParameterError) as refused:
        fuse(None, folds=3, model=fuse(TRIALS, folds=3).model)
    assert refused.value.code == "excluded"
    with pytest.raises(TrialsError) as uncovered:
        fuse(TRIALS, folds=make_halves(TRIALS))
    assert uncovered.value.code == "not-in-a-block"
    nobody = Trials(TRIALS.scores, TRIALS.genuine, TRIALS.systems)
    with pytest.raises(TrialsError) as unknown:
        fuse(nobody, folds=3)
    assert unknown.value.code == "no-ids"
    assert fuse(nobody, folds=3, cluster="none").kind == "a priori (cross-validated)"
