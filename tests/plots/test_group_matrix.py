"""The matrix shows the FAR of every pair of groups, readable on any colour."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb

from fairtrial import TrialsError
from fairtrial.plots import group_matrix_plot
from plots.grouped import found
from simulated import texts_of


def luminance(colour: tuple[float, float, float]) -> float:
    """By the definition of WCAG 2."""
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in colour]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


def test_cells_are_the_rates_by_brute_force_and_blank_without_trials(ax: Axes) -> None:
    group_matrix_plot(found(), ax=ax)
    names = [label.get_text() for label in ax.get_yticklabels()]
    judged = found().known_trials()
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
    group_matrix_plot(found(), ax=ax)
    (image,) = ax.images
    colours = np.asarray(image.to_rgba(np.asarray(image.get_array())))
    for text in ax.texts:
        column, row = (int(place) for place in text.get_position())
        pair = sorted([luminance(tuple(colours[row, column, :3])), luminance(to_rgb(text.get_color()))])
        assert (pair[1] + 0.05) / (pair[0] + 0.05) > 4


def test_bold_where_the_interval_does_not_hold_the_rate_of_all(ax: Axes) -> None:
    group_matrix_plot(found(), ax=ax)
    overall = found().overall["far"]
    apart = [own for own in found().meetings if not own.interval.low <= overall <= own.interval.high]
    assert len(apart) == len([text for text in ax.texts if text.get_fontweight() == "bold"]) > 0


def test_unknown_groups_of_impostors_are_an_error() -> None:
    with pytest.raises(TrialsError, match="impostor_by="):
        group_matrix_plot(replace(found(), meetings=()))


def test_no_false_accept_at_all_can_be_drawn(ax: Axes) -> None:
    none = tuple(replace(own, interval=replace(own.interval, estimate=0.0)) for own in found().meetings)
    group_matrix_plot(replace(found(), meetings=none), ax=ax)
    assert {text.get_text() for text in ax.texts} == {"0"}
