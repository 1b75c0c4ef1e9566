"""Groups at thresholds that all of them share: errors by brute force, intervals against those of the table."""

from functools import cache

import numpy as np
import pytest

import fairtrial as ft
from fairtrial.groups import group_curves
from simulated import texts_of

DATA = ft.groups.synthetic_groups({"a": 20, "b": 15, "alone": 1}, worse={"b": 4.0}, impostors=15)


@cache
def found() -> ft.groups.GroupEvaluation:
    return ft.evaluate_groups(DATA.dev, DATA.test, by="group")


def test_curves_of_groups_by_brute_force() -> None:
    curves = group_curves(found(), alphas=[0.2, 0.5, 0.9], criterion="wer-equal")
    assert [curve.system for curve in curves] == ["a", "alone", "b", "all trials"]
    groups, scores, genuine = texts_of(DATA.test, "group"), DATA.test.column(), DATA.test.genuine
    for curve in curves:
        own = np.ones(len(scores), dtype=bool) if curve.system == "all trials" else groups == curve.system
        for k, alpha in enumerate((0.2, 0.5, 0.9)):
            threshold = ft.rules.choose_thresholds(DATA.dev, "wer-equal", alpha).threshold[0]
            assert curve.threshold[k] == threshold
            assert curve.far[k] == np.mean(scores[own & ~genuine] > threshold)
            assert curve.frr[k] == np.mean(scores[own & genuine] <= threshold)


def test_parts_are_judged_at_the_threshold_of_all() -> None:
    judged = found().judged
    parts = judged.curves(judged.judgement)
    for own in found().groups:
        for rate in ("far", "frr"):
            interval = ft.inference.judged_interval(parts[own.group], measure=rate)
            assert interval.estimate == getattr(own, rate)
            assert interval.low <= interval.estimate <= interval.high
            assert interval.threshold == "re-estimated"


def test_chosen_groups_only_and_groups_that_cannot_be_chosen() -> None:
    assert [curve.system for curve in group_curves(found(), alphas=[0.5], groups=["b"])] == ["b", "all trials"]
    with pytest.raises(ft.ParameterError, match=r"no group 'c'; there are a, alone, b"):
        group_curves(found(), groups=["c"])


def test_kinds_of_attack_have_the_genuine_trials_of_all() -> None:
    scores, genuine = DATA.test.column(), DATA.test.genuine
    kind = np.where(genuine, "real", texts_of(DATA.test, "group"))
    test = ft.Trials.from_arrays(scores, genuine, columns={"kind": kind})
    attacks = ft.evaluate_groups(DATA.dev, test, by="kind")
    curves = group_curves(attacks, alphas=[0.3, 0.7])
    assert [curve.system for curve in curves] == ["a", "alone", "b", "all trials"]
    for curve in curves[:-1]:
        for k, threshold in enumerate(curve.threshold):
            assert curve.far[k] == np.mean(scores[kind == curve.system] > threshold)
            assert curve.frr[k] == np.mean(scores[genuine] <= threshold)
    with pytest.raises(ft.ParameterError, match="'real' has no impostor trials"):
        group_curves(attacks, groups=["real"])


def test_a_posteriori_stays_so_in_every_group() -> None:
    same = ft.evaluate_groups(DATA.test, DATA.test, by="group")
    assert {curve.kind for curve in group_curves(same, alphas=[0.5])} == {"a posteriori"}
