"""The whole way of a fusion: gains, missing scores, ids, and what is refused."""

from dataclasses import replace
from math import inf, isnan
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from fairtrial import FairtrialError, ParameterError, Trials, TrialsError, equal_error_rate, evaluate
from fairtrial.core.notes import Note
from fairtrial.counting import count_errors
from fairtrial.fusion.combination import Missing, fuse_scores
from fairtrial.fusion.fusion import fuse, fusion_gain, mean_gain
from fairtrial.fusion.methods import Fitted, FusionMethod
from fairtrial.rules import choose_thresholds


def example(seed: int = 0, *, systems: tuple[str, ...] = ("face", "voice", "gait")) -> Trials:
    rng = np.random.default_rng(seed)
    claim = np.concatenate([np.repeat(np.arange(10), 4), np.repeat(np.arange(10), 12)])
    subject = np.concatenate([np.repeat(np.arange(10), 4), 100 + np.tile(np.arange(12), 10)])
    genuine = claim == subject
    scores = rng.normal(1.6 * genuine[:, None], 1, (len(claim), 3))[:, : len(systems)]
    probe = [f"probe{k}" for k in range(len(claim))]
    return Trials.from_arrays(
        scores, genuine, systems=systems, claim=claim, subject=subject, probe=probe, notes=["as recorded"]
    )


def test_gain_by_equations_9_and_10() -> None:
    gain = fusion_gain(0.02, [0.03, 0.05, 0.1])
    assert gain.beta_mean == pytest.approx(0.06 / 0.02)
    assert gain.beta_min == pytest.approx(0.03 / 0.02)
    assert gain.note is None
    worse = fusion_gain(0.1, [0.05, 0.1])
    assert (worse.beta_mean, worse.beta_min) == pytest.approx((0.75, 0.5))


def test_gain_of_a_fusion_without_errors_is_infinite_and_noted() -> None:
    gain = fusion_gain(0.0, [0.03, 0.05])
    assert (gain.beta_mean, gain.beta_min) == (inf, inf)
    assert gain.note is not None
    assert gain.note.code == "infinite-gain"
    beside = fusion_gain(0.0, [0.0, 0.05])
    assert beside.beta_mean == inf
    assert isnan(beside.beta_min)
    assert beside.note is not None
    assert beside.note.code == "no-gain"
    nothing = fusion_gain(0.0, [0.0, 0.0])
    assert isnan(nothing.beta_mean)
    assert isnan(nothing.beta_min)
    assert nothing.note is not None
    assert nothing.note.code == "no-gain"


def test_a_mean_of_gains_is_that_of_the_finite_ones() -> None:
    assert mean_gain([1.0, 4.0]) == (2.5, 0)
    assert mean_gain([1.0, inf, float("nan"), 4.0]) == (2.5, 2)
    mean, left_out = mean_gain([inf])
    assert (isnan(mean), left_out) == (True, 1)


def test_gain_needs_a_baseline() -> None:
    with pytest.raises(ParameterError, match="at least one baseline"):
        fusion_gain(0.1, [])


def test_a_fusion_is_evaluated_as_any_system_and_so_are_its_baselines() -> None:
    dev, test = example(0), example(1)
    result = fuse(dev, test, systems=["voice", "face"], criterion="wer-min", alpha=0.7, confidence=0.9)
    means = [(part.column("voice") + part.column("face")) / 2 for part in (dev, test)]
    fused = [
        Trials(m[:, None], t.genuine, ("x",), claim=t.claim, subject=t.subject)
        for m, t in zip(means, (dev, test), strict=True)
    ]
    expected = evaluate(*fused, criterion="wer-min", alpha=0.7, confidence=0.9)
    found = result.evaluation
    assert found.intervals[0] == result.evaluation.interval()
    assert (found.threshold, found.dev, found.test) == (expected.threshold, expected.dev, expected.test)
    assert found.intervals == expected.intervals
    assert (found.criterion.name, found.alpha, found.kind) == ("wer-min", 0.7, "a priori")
    assert [base.system for base in result.baselines] == ["voice", "face"]
    for base in result.baselines:
        alone = evaluate(dev, test, systems=base.system, criterion="wer-min", alpha=0.7, confidence=0.9)
        assert [base.to_dict()] == alone.to_dict()["systems"]
        assert base.interval() == alone.interval()
    rates = [base.test.hter for base in result.baselines]
    assert result.gain.beta_mean == pytest.approx(sum(rates) / 2 / found.test.hter)
    assert result.gain.beta_min == pytest.approx(min(rates) / found.test.hter)


def test_no_error_at_all_is_infinite_gain_in_the_result_and_its_notes() -> None:
    genuine = np.arange(20) < 8
    base = np.where(genuine, 1.0, 0.0)[:, None] + np.zeros((20, 2))
    base[0, 0], base[1, 1] = -0.5, -0.5
    trials = Trials.from_arrays(base, genuine, systems=["a", "b"])
    result = fuse(trials, trials)
    # each system rejects one genuine trial or accepts all impostors; together they reject none
    assert min(b.test.hter for b in result.baselines) > 0
    assert result.evaluation.test.hter == 0
    found = result.to_dict()
    assert (found["beta_mean"], found["beta_min"]) == (inf, inf)
    assert "infinite-gain" in [note["code"] for note in found["notes"]]


def test_fused_trials_keep_ids_and_notes_and_are_named_for_what_they_are_made_of() -> None:
    dev, test = example(0), example(1)
    fused = fuse_scores(dev, test, systems=["face", "gait"], fusion="max")
    assert fused.name == "max(face + gait)"
    assert fused.systems == ("face", "gait")
    for part, before in ((fused.dev, dev), (fused.test, test)):
        assert part.systems == ("max(face + gait)",)
        assert part.notes == ("as recorded",)
        assert part.genuine is before.genuine
        assert list(part.ids) == ["claim", "subject", "probe"]
        for role, ids in before.ids.items():
            assert part.ids[role].same_as(ids)


def test_all_systems_by_default_and_only_those_asked_for() -> None:
    dev, test = example(0), example(1)
    assert fuse_scores(dev, test).systems == ("face", "voice", "gait")
    two = fuse_scores(dev, test, systems=["gait", "face"])
    assert two.test.column() == pytest.approx((test.column("gait") + test.column("face")) / 2)


def test_test_trials_may_have_their_systems_in_another_order_and_more_of_them() -> None:
    dev, test = example(0).select(["face", "voice"]), example(1).select(["gait", "voice", "face"])
    once = fuse(dev, test, systems=["face", "voice"])
    again = fuse(example(0), example(1), systems=["face", "voice"])
    assert once.to_dict() == again.to_dict()


def lacking(trials: Trials) -> Trials:
    """Three trials lack a score, one of them two."""
    scores = trials.scores.copy()
    scores[2, 0] = scores[60, 1] = scores[61, 0] = scores[61, 1] = -inf
    return replace(trials, scores=scores)


def test_missing_scores_are_an_error_by_default() -> None:
    with pytest.raises(TrialsError) as error:
        fuse_scores(lacking(example(0)), lacking(example(1)))
    assert error.value.code == "missing-scores"
    assert str(error.value).startswith("6 trials")
    # a system that is not fused may lack scores
    assert fuse_scores(lacking(example(0)), example(1), systems=["voice", "gait"], missing="reject").notes
    assert fuse_scores(lacking(example(0)).select(["voice", "gait"]).rows(np.arange(60)), example(1)).notes == ()


def test_missing_scores_that_reject() -> None:
    fused = fuse_scores(lacking(example(0)), lacking(example(1)), missing="reject")
    (note,) = fused.notes
    assert isinstance(note, Note)
    assert (note.code, note.values) == ("missing-scores", {"count": 6, "policy": "reject"})
    for part, before in ((fused.dev, example(0)), (fused.test, example(1))):
        rejected = part.column() == -inf
        assert np.flatnonzero(rejected).tolist() == [2, 60, 61]
        assert part.column()[~rejected] == pytest.approx(before.scores[~rejected].mean(axis=1))


def test_missing_scores_that_are_neutral_take_the_dev_threshold_of_their_system() -> None:
    dev, test = lacking(example(0)), lacking(example(1))
    fused = fuse_scores(dev, test, missing="neutral")
    (note,) = fused.notes
    assert isinstance(note, Note)
    assert (note.code, note.values) == ("missing-scores", {"count": 6, "policy": "neutral"})
    neutral = []
    for column in dev.scores.T:
        known = np.isfinite(column)
        candidates = [-inf, *column[known]]
        gaps = []
        for t in candidates:
            far, frr = np.mean(column[known & ~dev.genuine] > t), np.mean(column[known & dev.genuine] <= t)
            gaps.append((round(abs(far - frr), 12), far + frr, t))
        neutral.append(min(gaps)[2])
    for part, before in ((fused.dev, dev), (fused.test, test)):
        filled = np.where(np.isfinite(before.scores), before.scores, neutral)
        assert part.column() == pytest.approx(filled.mean(axis=1))


@pytest.mark.parametrize("fusion", ["mean", "logistic", "svm-linear", "client-scores"])
@pytest.mark.parametrize("missing", ["reject", "neutral"])
def test_missing_scores_with_every_kind_of_fusion(fusion: str, missing: Missing) -> None:
    result = fuse(lacking(example(0)), lacking(example(1)), fusion=fusion, normalise="z", missing=missing, folds=3)
    lost = ~np.isfinite(result.scores.test.column())
    assert np.flatnonzero(lost).tolist() == ([2, 60, 61] if missing == "reject" else [])
    # the baselines reject what they have no score for
    assert result.baselines[0].test.false_rejects >= 1


def test_a_neutral_score_of_a_system_with_equal_scores_is_that_score() -> None:
    dev = example(0)
    dev.scores[:, 1] = 0.25
    broken = lacking(dev)
    fused = fuse_scores(broken, broken, systems=["voice", "gait"], missing="neutral")
    expected = (0.25 + np.where(np.isfinite(broken.column("gait")), broken.column("gait"), 0)) / 2
    assert fused.dev.column() == pytest.approx(expected)


def test_a_system_without_any_score_for_a_class() -> None:
    dev = example(0)
    dev.scores[dev.genuine, 0] = -inf
    with pytest.raises(TrialsError, match="no score for a whole class of dev trials; leave it out"):
        fuse_scores(dev, example(1), missing="neutral")


def test_dev_as_test_is_a_posteriori_also_where_dev_scores_are_held_out() -> None:
    dev = example(0)
    for fusion in ("mean", "svm-linear"):
        result = fuse(dev, dev, fusion=fusion, folds=3)
        assert result.evaluation.kind == "a posteriori"
        assert any("dev and test are the same trials" in str(note) for note in result.notes)
        assert result.to_dict()["test"]["kind"] == "a posteriori"


def test_the_threshold_is_the_criterions_on_the_fused_dev_scores() -> None:
    dev, test = example(0), example(1)
    fused = fuse_scores(dev, test, normalise="z")
    result = fuse(dev, test, normalise="z")
    chosen = choose_thresholds(fused.dev, "wer-equal", 0.5)[0].scalar()
    assert result.evaluation.threshold == chosen.threshold
    assert result.evaluation.test == count_errors(fused.test, chosen.threshold).scalar()
    assert result.evaluation.dev_eer.value == equal_error_rate(fused.dev).value


def test_contract_of_to_dict() -> None:
    found = fuse(example(0), example(1), systems=["face", "voice"], normalise="z").to_dict()
    assert {"fusion", "normalise", "systems", "threshold", "test", "baselines", "beta_mean", "beta_min"} <= set(found)
    assert (found["fusion"], found["normalise"], found["systems"]) == ("mean", "z", ["face", "voice"])
    assert {"far", "frr", "hter", "false_accepts", "interval", "intervals", "kind"} <= set(found["test"])
    assert [entry["system"] for entry in found["baselines"]] == ["face", "voice"]
    assert all(0 < entry["hter"] < 0.5 for entry in found["baselines"])


@pytest.mark.parametrize(
    ("options", "error", "code"),
    [
        ({"systems": ["face"]}, TrialsError, "one-system"),
        ({"systems": "face"}, TrialsError, "one-system"),
        ({"systems": []}, TrialsError, "one-system"),
        ({"systems": ["face", "face"]}, ParameterError, "named-twice"),
        ({"systems": ["face", "iris"]}, TrialsError, "trials"),
        ({"fusion": "magic"}, ParameterError, "parameter"),
        ({"normalise": "magic"}, ParameterError, "parameter"),
        ({"criterion": "magic"}, ParameterError, "parameter"),
        ({"missing": "magic"}, ParameterError, "parameter"),
        ({"alpha": 2}, ParameterError, "parameter"),
        ({"confidence": 1.5}, ParameterError, "parameter"),
        ({"fusion": "svm-linear", "rng": -1}, ParameterError, "parameter"),
    ],
)
def test_what_is_refused(options: dict[str, Any], error: type[FairtrialError], code: str) -> None:
    with pytest.raises(error) as caught:
        fuse(example(0), example(1), **options)
    assert caught.value.code == code


def test_a_method_of_ones_own_needs_no_registration() -> None:
    def fit(data: Any, **parameters: Any) -> Fitted:
        weights = np.array([0.5, 0.3, 0.2])

        def apply(scores: NDArray[np.float64], claim: Any) -> NDArray[np.float64]:
            return np.asarray(scores @ weights)

        return Fitted(apply, ("by hand",))

    test = example(1)
    result = fuse(example(0), test, fusion=FusionMethod("hand", fit))
    assert result.scores.test.column() == pytest.approx(test.scores @ [0.5, 0.3, 0.2])
    assert "hand(face + voice + gait): by hand" in map(str, result.notes)


def test_fits_are_told_as_they_are_done() -> None:
    told: list[float] = []
    fuse(example(0), example(1), fusion="svm-linear", folds=3, progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1.0
    assert len(told) > 3
