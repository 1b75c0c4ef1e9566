"""DET curves of groups: the curve of the group, the point at the threshold of all, the intervals of the table."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.axes import Axes

from fairtrial import ParameterError, Trials, evaluate_groups
from fairtrial.plots import group_det_plot, group_operating_curves
from plots.grouped import found
from simulated import texts_of


def test_points_are_those_of_the_table_and_curves_pass_through_them() -> None:
    rates = {own.group: own for own in found().groups}
    curves = group_operating_curves(found())
    assert [curve.system for curve in curves] == [own.group for own in found().groups if own.hter_interval is not None]
    for curve in curves:
        own, point = rates[curve.system], curve.point
        assert own.far_interval is not None
        assert (float(point.counts.far), float(point.counts.frr)) == (own.far, own.frr)
        assert point.far == own.far_interval.interval
        assert point.threshold == found().threshold
        assert np.any((curve.roc.far == own.far) & (curve.roc.frr == own.frr))


def test_kinds_of_attack_have_the_genuine_trials_of_all(ax: Axes) -> None:
    trials = found().known_trials().judgement.trials
    kind = np.where(trials.genuine, "real", texts_of(trials, "group"))
    test = Trials.from_arrays(trials.scores, trials.genuine, columns={"kind": kind}, systems=["face"])
    attacks = evaluate_groups(test, test, by="kind", n_resamples=50)
    curves = group_operating_curves(attacks, groups=["A", "C"])
    real = next(own for own in attacks.groups if own.group == "real")
    assert {float(curve.point.counts.frr) for curve in curves} == {real.frr}
    assert all(curve.point.frr.low < real.frr < curve.point.frr.high for curve in curves)
    group_det_plot(attacks, ax=ax)
    assert "genuine trials of all for groups that have none" in ax.get_title(loc="left") + ax.get_title()


def test_title_says_that_the_threshold_is_one_and_intervals_hold_together(ax: Axes) -> None:
    group_det_plot(found(), groups=["A", "C"], ax=ax)
    title = ax.get_title(loc="left") + ax.get_title()
    assert "one threshold for all groups" in title
    assert "95 % intervals of all groups together, threshold re-estimated" in title
    assert [label.split(":")[0] for label in ax.get_legend_handles_labels()[1]] == ["A", "C"]
    with pytest.raises(ParameterError, match="no group 'X'"):
        group_det_plot(found(), groups=["X"], ax=ax)
