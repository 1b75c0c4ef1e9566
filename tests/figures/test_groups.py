"""Figures of groups."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from fairtrial import ParameterError, Trials, evaluate_groups
from fairtrial.core.words import wording
from fairtrial.evaluation import alpha_grid
from fairtrial.figures.groups import (
    group_det_plot,
    group_epc_plot,
    group_matrix_plot,
    group_operating_curves,
    groups_plot,
)
from fairtrial.groups import group_curves
from fairtrial.groups.rates import RATES
from figures.drawn import caption, refused
from figures.grouped import grouped_result
from simulated import texts_of


def drawn(**settings: Any) -> Any:
    return groups_plot(grouped_result(), figure=Figure(figsize=(7, 4)), **settings)


def test_dots_are_the_rates_and_marks_the_limits() -> None:
    for ax, rate in zip(drawn().axes, RATES, strict=True):
        low = ax.get_xlim()[0]
        dots = {line.get_ydata()[0]: line.get_xdata()[0] for line in ax.lines if line.get_marker() in "os"}
        ends = {line.get_ydata()[0]: list(line.get_xdata()) for line in ax.lines if line.get_marker() == "|"}
        for place, group in enumerate(grouped_result().groups):
            interval = group.interval_of(rate)
            if interval is None:
                assert place not in dots
                assert "no such trial" in [text.get_text() for text in ax.texts if text.get_position()[1] == place]
                continue
            assert dots.get(place, 0.0) == interval.estimate
            expected = [interval.low, interval.high] if interval.low > low else [interval.high]
            assert ends[place] == pytest.approx(expected)


def test_intervals_that_leave_the_axis_are_arrows_from_their_upper_limit() -> None:
    for ax, rate in zip(drawn().axes, RATES, strict=True):
        arrows = {text.xy[1]: text for text in ax.texts if getattr(text, "arrow_patch", None) is not None}
        low = ax.get_xlim()[0]
        intervals = {k: group.interval_of(rate) for k, group in enumerate(grouped_result().groups)}
        without = {k: interval for k, interval in intervals.items() if interval is not None and interval.low <= low}
        assert (
            set(arrows)
            == set(without)
            >= {k for k, group in enumerate(grouped_result().groups) if getattr(group, rate) == 0}
        )
        for place, interval in without.items():
            assert interval is not None
            assert arrows[place].xyann == (interval.high, place)
            assert arrows[place].xy == (ax.get_xlim()[0], place)


def test_line_is_the_rate_of_all_trials() -> None:
    judged = grouped_result().judged.judgement
    for ax, rate in zip(drawn().axes, RATES, strict=True):
        overall = float(getattr(judged.test, rate)[0])
        assert ax.lines[0].get_xdata() == [overall, overall]
        assert grouped_result().overall[rate] == overall


@pytest.mark.parametrize("rate", ["far", "frr", "hter"])
def test_groups_are_sorted_by_a_rate_and_the_unknown_last(rate: Any) -> None:
    names = [label.get_text().split(" (")[0] for label in drawn(sort=rate).axes[0].get_yticklabels()]
    values = {group.group: getattr(group, rate) for group in grouped_result().groups}
    order = [values[name] for name in names]
    assert np.isnan(order[-1]) == any(np.isnan(list(values.values())))
    known = [value for value in order if not np.isnan(value)]
    assert known == sorted(known, reverse=True)


def test_terms_of_iso_and_an_order_that_does_not_exist() -> None:
    with wording(terms="iso"):
        figure = drawn()
        assert "FNMR p" in caption("groups", grouped_result())
    assert [ax.get_xlabel() for ax in figure.axes] == ["FMR (%)", "FNMR (%)"]
    with refused("choice"):
        drawn(sort="size")


def luminance(colour: tuple[float, float, float]) -> float:
    """By the definition of WCAG 2."""
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in colour]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


def test_cells_are_the_rates_by_brute_force_and_blank_without_trials(ax: Axes) -> None:
    group_matrix_plot(grouped_result(), ax=ax)
    names = [label.get_text() for label in ax.get_yticklabels()]
    judged = grouped_result().judged
    trials, wrong = judged.judgement.trials, judged.judgement.wrong()
    groups, others = (texts_of(trials, name) for name in ("group", "other"))
    (image,) = ax.images
    shown = np.ma.masked_invalid(np.asarray(image.get_array()))
    written = {text.get_position(): text for text in ax.texts}
    blank = 0
    for row, claim in enumerate(names):
        for column, impostor in enumerate(names):
            rows = ~trials.genuine & (groups == claim) & (others == impostor)
            if not rows.any():
                blank += 1
                assert shown[row, column] is np.ma.masked
                assert (column, row) not in written
                continue
            rate = np.mean(wrong[rows])
            assert shown[row, column] == pytest.approx(max(rate, shown.min()))
            assert float(written[column, row].get_text()) == pytest.approx(100 * rate, rel=0.01)
    assert blank > 0


def test_numbers_stand_out_from_their_squares(ax: Axes) -> None:
    group_matrix_plot(grouped_result(), ax=ax)
    (image,) = ax.images
    colours = np.asarray(image.to_rgba(np.asarray(image.get_array())))
    for text in ax.texts:
        column, row = (int(place) for place in text.get_position())
        pair = sorted([luminance(tuple(colours[row, column, :3])), luminance(to_rgb(text.get_color()))])
        assert (pair[1] + 0.05) / (pair[0] + 0.05) > 4


def test_bold_where_the_interval_does_not_hold_the_rate_of_all(ax: Axes) -> None:
    group_matrix_plot(grouped_result(), ax=ax)
    overall = grouped_result().overall["far"]
    apart = [
        meeting for meeting in grouped_result().meetings if not meeting.interval.low <= overall <= meeting.interval.high
    ]
    assert len(apart) == len([text for text in ax.texts if text.get_fontweight() == "bold"]) > 0


def test_unknown_groups_of_impostors_are_an_error() -> None:
    with refused("no-impostor-groups"):
        group_matrix_plot(replace(grouped_result(), meetings=()))


def test_no_false_accept_at_all_can_be_drawn(ax: Axes) -> None:
    none = tuple(
        replace(meeting, interval=replace(meeting.interval, estimate=0.0)) for meeting in grouped_result().meetings
    )
    group_matrix_plot(replace(grouped_result(), meetings=none), ax=ax)
    assert {text.get_text() for text in ax.texts} == {"0"}


def test_points_are_those_of_the_table_and_curves_pass_through_them() -> None:
    rates = {group.group: group for group in grouped_result().groups}
    curves = group_operating_curves(grouped_result())
    assert [curve.system for curve in curves] == [
        group.group for group in grouped_result().groups if group.hter_interval is not None
    ]
    for curve in curves:
        group, point = rates[curve.system], curve.point
        assert group.far_interval is not None
        assert (float(point.counts.far), float(point.counts.frr)) == (group.far, group.frr)
        assert point.far.interval == group.far_interval.interval
        assert point.threshold == grouped_result().threshold
        assert np.any((curve.roc.far == group.far) & (curve.roc.frr == group.frr))
    drawn = group_det_plot(grouped_result())
    for curve, bars in zip(curves, drawn.containers, strict=True):
        for part in bars.get_children()[1:]:  # the bars cross at the point: nothing moves them aside
            assert part.get_transform().frozen() == drawn.transData.frozen(), curve.system


def test_kinds_of_attack_have_the_genuine_trials_of_all(ax: Axes) -> None:
    trials = grouped_result().judged.judgement.trials
    kind = np.where(trials.genuine, "real", texts_of(trials, "group"))
    test = Trials.from_arrays(trials.scores, trials.genuine, columns={"kind": kind}, systems=["face"])
    attacks = evaluate_groups(test, test, by="kind")
    curves = group_operating_curves(attacks, groups=["A", "C"])
    real = next(group for group in attacks.groups if group.group == "real")
    assert {float(curve.point.counts.frr) for curve in curves} == {real.frr}
    assert all(curve.point.frr.low < real.frr < curve.point.frr.high for curve in curves)
    group_det_plot(attacks, ax=ax)
    assert "genuine trials of all groups for groups that have none" in caption("group-det", attacks)


def test_caption_says_that_the_threshold_is_one_and_intervals_hold_together(ax: Axes) -> None:
    group_det_plot(grouped_result(), groups=["A", "C"], ax=ax)
    words = caption("group-det", grouped_result(), groups=["A", "C"])
    assert "one threshold for all groups" in words
    assert "95 % simultaneous intervals, threshold re-estimated" in words
    assert [label.split(":")[0] for label in ax.get_legend_handles_labels()[1]][:2] == ["A", "C"]
    with pytest.raises(ParameterError, match="no group 'X'"):
        group_det_plot(grouped_result(), groups=["X"], ax=ax)


def test_lines_are_the_curves_of_groups_and_of_all_trials(ax: Axes) -> None:
    curves = group_curves(grouped_result(), alphas=alpha_grid(11), measure="far")
    with wording(terms="iso"):
        group_epc_plot(curves, ax=ax)
    assert ax.get_legend_handles_labels()[1] == ["$none", "A", "B", "C", "all trials"]
    for line, curve in zip(ax.lines, curves, strict=True):
        assert np.array_equal(line.get_ydata(), curve.far)
    assert ax.lines[-1].get_color() == "black"
    assert "all groups share one threshold" in caption("group-epc", curves)
    assert ax.get_ylabel() == "FMR on test (%)"
