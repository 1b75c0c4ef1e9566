"""The figure of groups shows the rates and limits of the result."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from fairtrial import ParameterError
from fairtrial.groups.judged import RATES
from fairtrial.plots import groups_plot
from plots.grouped import found


def drawn(**settings: Any) -> Any:
    return groups_plot(found(), figure=Figure(figsize=(7, 4)), **settings)


def test_dots_are_the_rates_and_marks_the_limits() -> None:
    for ax, rate in zip(drawn().axes, RATES, strict=True):
        low = ax.get_xlim()[0]
        dots = {line.get_ydata()[0]: line.get_xdata()[0] for line in ax.lines if line.get_marker() in "os"}
        ends = {line.get_ydata()[0]: list(line.get_xdata()) for line in ax.lines if line.get_marker() == "|"}
        for place, own in enumerate(found().groups):
            interval = own.interval_of(rate)
            if interval is None:
                assert place not in dots
                assert "no such trial" in [text.get_text() for text in ax.texts if text.get_position()[1] == place]
                continue
            assert dots.get(place, 0.0) == interval.estimate
            expected = [interval.low, interval.high] if interval.low > low else [interval.high]
            assert ends[place] == pytest.approx(expected)


def test_group_without_errors_is_an_arrow_from_its_upper_limit() -> None:
    for ax, rate in zip(drawn().axes, RATES, strict=True):
        arrows = {text.xy[1]: text for text in ax.texts if getattr(text, "arrow_patch", None) is not None}
        without = {k: own.interval_of(rate) for k, own in enumerate(found().groups) if getattr(own, rate) == 0}
        assert set(arrows) == set(without) >= {0}
        for place, interval in without.items():
            assert interval is not None
            assert arrows[place].xyann == (interval.high, place)
            assert arrows[place].xy == (ax.get_xlim()[0], place)


def test_line_is_the_rate_of_all_trials() -> None:
    judged = found().known_trials().judgement
    for ax, rate in zip(drawn().axes, RATES, strict=True):
        overall = float(getattr(judged.test, rate)[0])
        assert ax.lines[0].get_xdata() == [overall, overall]
        assert found().overall[rate] == overall


@pytest.mark.parametrize("rate", ["far", "frr", "hter"])
def test_groups_are_sorted_by_a_rate_and_the_unknown_last(rate: Any) -> None:
    names = [label.get_text().split(" (")[0] for label in drawn(sort=rate).axes[0].get_yticklabels()]
    values = {own.group: getattr(own, rate) for own in found().groups}
    order = [values[name] for name in names]
    assert np.isnan(order[-1]) == any(np.isnan(list(values.values())))
    known = [value for value in order if not np.isnan(value)]
    assert known == sorted(known, reverse=True)


def test_terms_of_iso_and_an_order_that_does_not_exist() -> None:
    figure = drawn(terms="iso")
    assert [ax.get_xlabel() for ax in figure.axes] == ["FMR (%)", "FNMR (%)"]
    assert "FNMR p" in figure.get_suptitle()
    with pytest.raises(ParameterError, match="sort must be"):
        drawn(sort="size")
