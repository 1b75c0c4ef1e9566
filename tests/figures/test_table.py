"""The table of figures: every figure can be drawn, and every function that draws is in it."""

from __future__ import annotations

import sys
from inspect import signature

import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import fairtrial as ft
from fairtrial.figures.table import FIGURES
from fairtrial.groups import curves
from figures.drawn import PLAN, curve_of, refused


def test_every_plot_function_is_in_the_table() -> None:
    functions = {name for name in ft.figures.__all__ if name.endswith("_plot")}
    drawn = {kind.function or f"{name.replace('-', '_')}_plot" for name, kind in FIGURES.items()}
    assert functions - drawn == {"power_plot"}  # of the figure plan, if it is one of a comparison
    assert drawn <= functions


@pytest.mark.parametrize("name", FIGURES)
def test_what_a_figure_needs_is_public(name: str) -> None:
    rooms = (ft, ft.figures, ft.groups, curves, ft.fusion, ft.calibration, ft.repeated, ft.published, ft.benchmark)
    assert any(hasattr(room, FIGURES[name].needs) for room in rooms)


def test_axes_or_a_whole_figure_is_drawn_into(dev: ft.Trials, test: ft.Trials) -> None:
    figure = Figure()
    assert isinstance(FIGURES["plan"].draw(PLAN)(figure), Axes)
    assert len(figure.axes) == 1
    a, b = (curve_of(dev, test, name) for name in ("face", "voice"))
    comparison = ft.compare_curves(a, b, method="independent")
    figure = Figure()
    FIGURES["epc-significance"].draw(a, b, comparison, levels=[0.05, 0.95])(figure)
    assert len(figure.axes) == 2


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_has_a_caption_with_the_options_of_its_drawing(name: str) -> None:
    function = getattr(ft.figures, FIGURES[name].function or f"{name.replace('-', '_')}_plot")
    caption = getattr(sys.modules[function.__module__], function.__name__.replace("_plot", "_caption"))
    drawn = list(signature(function).parameters)
    assert list(signature(caption).parameters) == [each for each in drawn if each not in ("ax", "figure")]


def test_results_draw_themselves(dev: ft.Trials, test: ft.Trials) -> None:
    result = ft.evaluate(dev, test, systems="face")
    axes = result.plot()
    assert axes.get_xlabel() == "FAR (%)"
    assert isinstance(result.plot("roc", limit=0.5, ax=Figure().add_subplot()), Axes)
    assert ft.compare(dev, test, systems=["face", "voice"], n_resamples=50).plot().get_title() == ""
    with refused("no-such-figure"):
        result.plot("epc")
