"""The bound from EERs as a figure, against Hofbauer & Uhl 2016."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.axes import Axes

from fairtrial import bounds_from_eers
from fairtrial.plots import eer_bound_plot
from reference.eer_bound_2016 import (
    EXAMPLE_2_TRIALS,
    EXAMPLE_3_EERS,
    EXAMPLE_3_TRIALS,
    EXAMPLE_3_WEAK,
    EXAMPLE_3_WEAK_BOUND,
)


def test_eer_bound_against_a_table_of_chi2(ax: Axes) -> None:
    eer_bound_plot(bounds_from_eers(EXAMPLE_3_WEAK, EXAMPLE_3_TRIALS, p_value=0.05), ax=ax)
    curve, critical = ax.lines[:2]
    chi2, p = np.asarray(curve.get_xydata()).T
    for value, tail in ((2.706, 0.10), (3.841, 0.05), (6.635, 0.01)):
        assert np.interp(value, chi2, p) == pytest.approx(tail, rel=1e-3)
    assert float(np.asarray(critical.get_xdata())[0]) == pytest.approx(3.841, abs=1e-3)


def test_eer_bound_against_example_3_of_hofbauer_and_uhl_2016(ax: Axes) -> None:
    eer_bound_plot(bounds_from_eers(EXAMPLE_3_EERS, EXAMPLE_3_TRIALS), ax=ax)
    points = [line for line in ax.lines if line.get_label() and not str(line.get_label()).startswith("_")]
    (place,) = [np.ravel(line.get_xydata()) for line in points]
    assert place == pytest.approx(EXAMPLE_3_WEAK_BOUND, abs=6e-5)
    (text,) = [text.get_text() for text in ax.texts if "beyond" in text.get_text()]
    assert len(text.splitlines()) == 1 + 9
    assert ax.get_yscale() == "log"
    assert ax.patches[0].get_x() == pytest.approx(6.6349, abs=1e-4)  # type: ignore[attr-defined]


def test_eer_bound_where_every_pair_is_beyond_the_edge_says_so(ax: Axes) -> None:
    # warnings are errors in tests: a legend without entries would be one
    eer_bound_plot(bounds_from_eers({"$A": 0.0013, "B": 0.0058}, EXAMPLE_2_TRIALS), ax=ax)
    assert ax.get_legend() is None
    (text,) = [text.get_text() for text in ax.texts if "beyond" in text.get_text()]
    assert text.splitlines() == ["every pair lies beyond the right edge:", "$A and B: chi2 at least 2,052"]


def test_eer_bound_of_two_perfect_systems(ax: Axes) -> None:
    eer_bound_plot(bounds_from_eers([0.0, 0.0], 100), ax=ax)
    (label,) = [text.get_text() for text in ax.get_legend().get_texts()]  # type: ignore[union-attr]
    assert label == "0 and 0 %: chi2 at least 0.00, p at most 1"
