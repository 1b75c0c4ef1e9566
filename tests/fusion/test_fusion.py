"""A fusion beside its systems: weights, the test against the best, and where the dev scores come from."""

from collections.abc import Sequence

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from fairtrial import ParameterError, Trials, fuse
from fairtrial.core.notes import Note
from fairtrial.core.words import in_percent, wording
from fairtrial.counting import count_errors
from fairtrial.evaluation.paired_tests import leading_test, pair_judgements
from fairtrial.fusion import fuse_scores
from fairtrial.fusion.combination import Inner, client_folds
from fairtrial.fusion.methods import FUSIONS, register_classifier
from fairtrial.fusion.model import FusionData
from fairtrial.inference import TrialSets, judge
from fairtrial.rules import choose_thresholds
from simulated import crossed

RNG = np.random.default_rng(0)
DEV = crossed(RNG, clients=20, impostors=8, systems=("face", "voice", "gait"), effect=0.3)
TEST = crossed(RNG, clients=20, impostors=8, systems=("face", "voice", "gait"), effect=0.3, start=100)


def test_test_against_the_best_is_the_leading_one() -> None:
    result = fuse(DEV, TEST, fusion="logistic")
    rates = {base.system: base.test.hter for base in result.baselines}
    assert rates[result.best] == min(rates.values())
    sets = TrialSets(DEV, TEST)
    fused = judge(TrialSets(result.scores.dev, result.scores.test), criterion="wer-equal")
    alone = judge(sets, system=result.best, criterion="wer-equal")
    assert result.test == leading_test(pair_judgements(fused, alone))
    assert (result.test.test, result.test.threshold) == ("cluster", "re-estimated")
    assert result.test.estimate == pytest.approx(result.evaluation.test.hter - min(rates.values()))
    shown = result.to_dict()["against_best"]
    assert (shown["system"], shown["p_value"]) == (result.best, result.test.p_value)
    assert [table.name for table in result.tables()] == ["systems", "test", "gain", "weights"]


@pytest.mark.parametrize(("fusion", "is_clear"), [("mean", True), ("min", False)])
def test_answer_has_the_interval_of_the_difference_and_what_is_not_excluded(fusion: str, is_clear: bool) -> None:
    result = fuse(DEV, TEST, fusion=fusion)
    assert (result.test.p_value < 0.05) == is_clear
    low, high = result.test.interval() or (0, 0)
    assert result.test.estimate < 0
    size = f"{in_percent(-result.test.estimate)} points (95 % interval {in_percent(-high)} to {in_percent(-low)}, p "
    assert size in result.answer()
    bound = f"; a difference of up to {in_percent(-low)} points is not excluded"
    assert result.answer().endswith(bound) != is_clear


def test_weights_of_logistic_regression_are_those_of_scikit_learn() -> None:
    result = fuse(DEV, TEST, fusion="logistic", normalise="z")
    impostor = DEV.scores[~DEV.genuine]
    scores = (DEV.scores - impostor.mean(axis=0)) / impostor.std(axis=0)
    coefficients = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-12).fit(scores, DEV.genuine).coef_[0]
    assert [own.system for own in result.weights] == ["face", "voice", "gait"]
    assert [own.weight for own in result.weights] == pytest.approx(coefficients, rel=1e-6)
    moved = np.abs(coefficients) * scores.std(axis=0)
    assert [own.share for own in result.weights] == pytest.approx(moved / moved.sum())


def test_shares_do_not_depend_on_the_scale_of_scores() -> None:
    wide = [Trials(part.scores * [1.0, 100.0, 1.0], part.genuine, part.systems, **part.ids) for part in (DEV, TEST)]  # type: ignore[arg-type]
    once, again = fuse(DEV, TEST, fusion="lda").weights, fuse(*wide, fusion="lda").weights
    assert [own.share for own in once] == pytest.approx([own.share for own in again])
    assert again[1].weight == pytest.approx(once[1].weight / 100)


@pytest.mark.parametrize("normalise", ["none", "min-max"])
def test_weights_of_a_support_vector_machine_are_those_of_the_scores_it_gets(normalise: str) -> None:
    result = fuse(DEV, TEST, fusion="svm-linear", normalise=normalise, inner_folds=3)
    low, width = (DEV.scores.min(axis=0), np.ptp(DEV.scores, axis=0)) if normalise == "min-max" else (0.0, 1.0)
    fused = ((TEST.scores - low) / width) @ [own.weight for own in result.weights]
    assert np.ptp(fused - result.scores.test.column()) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("fusion", ["svm-linear", "weighted-mean", "client-weights", "lda"])
def test_linear_fusions_have_weights(fusion: str) -> None:
    shares = [own.share for own in fuse(DEV, TEST, fusion=fusion, inner_folds=3).weights]
    assert sum(shares) == pytest.approx(1)
    assert min(shares) > 0.2  # all systems are equally good


@pytest.mark.parametrize("fusion", ["mean", "max", "qda", "gmm", "mlp", "client-qda"])
def test_other_fusions_have_none(fusion: str) -> None:
    result = fuse(DEV, TEST, fusion=fusion, inner_folds=3)
    assert result.weights == ()
    assert "weights" not in [table.name for table in result.tables()]


def uneven_notes(notes: Sequence[Note | str]) -> list[Note]:
    return [note for note in notes if isinstance(note, Note) and note.code == "uneven-scores"]


def uneven(factor: float) -> list[Trials]:
    return [Trials(part.scores * [1.0, factor, 1.0], part.genuine, part.systems, **part.ids) for part in (DEV, TEST)]  # type: ignore[arg-type]


@pytest.mark.parametrize("fusion", ["mean", "weighted-mean", "max", "client-threshold"])
def test_scores_of_different_ranges_are_noted(fusion: str) -> None:
    (note,) = uneven_notes(fuse(*uneven(10), fusion=fusion).notes)
    assert (note.values["wide"], note.values["normalise"], note.warning) == ("voice", "z", True)
    spread = (DEV.scores * [1, 10, 1]).std(axis=0)
    assert note.values["ratio"] == pytest.approx(spread[1] / spread.min())


def test_like_ranges_and_fitted_scales_are_not() -> None:
    for options in ({"fusion": "logistic"}, {"normalise": "z"}, {"fusion": "client-scores"}):
        assert uneven_notes(fuse_scores(*uneven(10), **options).notes) == []  # type: ignore[arg-type]
    assert uneven_notes(fuse_scores(*uneven(2)).notes) == []


def test_inner_folds_for_a_method_that_has_none_of_its_own() -> None:
    fused = fuse_scores(DEV, TEST, fusion="logistic", inner="folds", inner_folds=4, rng=1)
    assert fused.held_out == "clients"
    expected = np.empty(len(DEV))
    for held_out in client_folds(DEV, 4, 1):
        fitted = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-12).fit(
            DEV.scores[~held_out], DEV.genuine[~held_out]
        )
        prior = np.mean(DEV.genuine[~held_out])
        expected[held_out] = fitted.decision_function(DEV.scores[held_out]) - np.log(prior / (1 - prior))
    assert fused.dev.column() == pytest.approx(expected, rel=1e-6)
    assert Note("held-out", "", folds=4, units="of clients").values in [note.values for note in fused.notes]  # type: ignore[union-attr]


def test_without_inner_folds_the_scores_are_those_that_were_fitted_on() -> None:
    fused = fuse_scores(DEV, TEST, fusion="qda", inner="none")
    assert not fused.cross_validated
    data_fused = FUSIONS["qda"].fit(_data(DEV)).apply(DEV.scores.astype(np.float64), None)
    assert fused.dev.column() == pytest.approx(data_fused)
    assert [note.code for note in fused.notes] == ["fitted-dev"]  # type: ignore[union-attr]
    within = fuse_scores(DEV, TEST, fusion="client-threshold", inner="none")
    assert "fitted-dev" in [note.code for note in within.notes]  # type: ignore[union-attr]


def test_without_inner_folds_hyper_parameters_are_those_of_the_lowest_hter_on_dev() -> None:
    before = dict(FUSIONS)
    register_classifier("ridge", lambda C: LogisticRegression(C=C), grid=[{"C": c} for c in (1e-6, 1e-3, 10.0)])
    try:
        result = fuse(DEV, TEST, fusion="ridge", inner="none")
    finally:
        FUSIONS.clear()
        FUSIONS.update(before)
    rates = {}
    for c in (1e-6, 1e-3, 10.0):
        scores = LogisticRegression(C=c).fit(DEV.scores, DEV.genuine).decision_function(DEV.scores)
        trials = Trials(scores[:, None], DEV.genuine, ("x",))
        threshold = choose_thresholds(trials, "wer-equal", 0.5).threshold[0]
        rates[c] = float(count_errors(trials, threshold).scalar().hter)
    assert result.scores.parameters == {"C": min(rates, key=lambda c: rates[c])}
    (chosen,) = (note for note in result.tables()[0].notes if isinstance(note, Note) and note.code == "chosen")
    assert chosen.values["parameters"] == f"C {result.scores.parameters['C']}"


def test_a_fusion_of_many_parameters_looks_better_on_dev_without_inner_folds() -> None:
    """Algorithm 1 is there for this: test less dev, summed over several data sets."""
    rng = np.random.default_rng(5)
    ways: tuple[Inner, ...] = ("none", "folds")
    excess = dict.fromkeys(ways, 0.0)
    for _ in range(6):
        dev = crossed(rng, clients=20, impostors=6, systems=tuple("abcdef"), separation=0.8)
        test = crossed(rng, clients=60, impostors=10, systems=tuple("abcdef"), separation=0.8, start=100)
        for inner in ways:
            result = fuse(dev, test, fusion="qda", inner=inner)
            assert result.evaluation.dev is not None
            excess[inner] += result.evaluation.test.hter - result.evaluation.dev.hter
    assert excess["none"] / 6 > 0.015
    assert excess["folds"] < excess["none"] / 2


def test_inner_is_checked() -> None:
    with pytest.raises(ParameterError):
        fuse_scores(DEV, TEST, inner="magic")  # type: ignore[arg-type]


def _data(trials: Trials) -> FusionData:
    return FusionData(trials.scores.astype(np.float64), trials.genuine)


def test_interval_of_the_difference_to_the_best_is_by_the_same_test() -> None:
    result = fuse(DEV, TEST, fusion="mean", confidence=0.9)
    applied = fuse(None, TEST, model=result.model, confidence=0.9)
    for found in (result, applied):
        at_p, ends = (found.test.interval(level) for level in (1 - found.test.p_value, 0.9))
        assert at_p is not None
        assert min(map(abs, at_p)) == pytest.approx(0, abs=1e-9)
        told = found.to_dict()["against_best"]["interval"]
        assert (told["low"], told["high"]) == ends
        assert (told["confidence"], told["method"], told["threshold"]) == (0.9, "cluster", found.test.threshold)
        (table,) = (table for table in found.tables() if table.name == "test")
        assert table.column("interval")[0][:2] == pytest.approx(ends)
        assert "90 % interval" in table.headings


def test_a_fusion_is_fitted_or_saved_and_a_saved_one_takes_no_options_of_the_fit() -> None:
    model = fuse(DEV, TEST).model
    for dev, options, code in (
        (None, {}, "dev-or-model"),
        (DEV, {"model": model}, "dev-or-model"),
        (None, {"model": model, "fusion": "max"}, "excluded"),
        (None, {"model": model, "systems": ["face", "voice"]}, "excluded"),
        (None, {"model": model, "inner_folds": 3}, "excluded"),
    ):
        with pytest.raises(ParameterError) as error:
            fuse(dev, TEST, **options)
        assert error.value.code == code
    with wording(style="shell"), pytest.raises(ParameterError, match=r"--dev.*--model"):
        fuse(None, TEST)


def test_a_saved_fusion_has_no_figures_on_dev() -> None:
    applied = fuse(None, TEST, model=fuse(DEV, TEST, fusion="logistic").model)
    assert applied.evaluation.threshold == applied.model.threshold
    assert {"dev", "weights", "cross_validated"}.isdisjoint(applied.to_dict())
    assert len(applied.scores.dev) == 0
    assert applied.model is applied.saved
