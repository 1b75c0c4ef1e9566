"""The table of figures: every figure can be drawn, and every function that draws is in it."""

from __future__ import annotations

from types import ModuleType

import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import fairtrial as ft
from fairtrial.figures.table import FIGURES
from figures.drawn import PLAN, curve_of


def test_every_plot_function_is_in_the_table() -> None:
    functions = {name for name in ft.figures.__all__ if name.endswith("_plot")}
    drawn = {kind.function or f"{name.replace('-', '_')}_plot" for name, kind in FIGURES.items()}
    assert functions - drawn == {"power_plot"}  # of the figure plan, if it is one of a comparison
    assert drawn <= functions


@pytest.mark.parametrize("name", FIGURES)
def test_what_a_figure_needs_is_public(name: str) -> None:
    rooms = [getattr(ft, name) for name in ft.__all__ if isinstance(getattr(ft, name), ModuleType)]
    assert any(hasattr(room, FIGURES[name].needs) for room in (ft, *rooms))


def test_axes_or_a_whole_figure_is_drawn_into(dev: ft.Trials, test: ft.Trials) -> None:
    figure = Figure()
    assert isinstance(FIGURES["plan"].draw(PLAN)(figure), Axes)
    assert len(figure.axes) == 1
    a, b = (curve_of(dev, test, name) for name in ("face", "voice"))
    comparison = ft.compare_curves(a, b, method="independent")
    figure = Figure()
    FIGURES["epc-significance"].draw(a, b, comparison, levels=[0.05, 0.95])(figure)
    assert len(figure.axes) == 2
