"""The table of figures: every figure can be drawn, and every function that draws is in it."""

from __future__ import annotations

from importlib import import_module
from inspect import signature

import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import fairtrial as ft
from fairtrial.evaluation.expected import expected_performance
from fairtrial.figures.table import FIGURES, FigureKind, drawing_of
from figures.drawn import PLAN, curve_of, refused


def test_every_plot_function_is_in_the_table() -> None:
    functions = {name for name in ft.figures.__all__ if name.endswith("_plot")}
    drawn = {kind.draws for kind in FIGURES.values()}
    assert functions - drawn == {"power_plot"}  # of the figure plan, if it is one of a comparison
    assert drawn <= functions


@pytest.mark.parametrize("kind", FIGURES.values(), ids=FIGURES)
def test_what_a_figure_declares_of_its_functions_is_there(kind: FigureKind) -> None:
    first, *_ = functions = [
        getattr(import_module(path.partition(":")[0]), path.partition(":")[2]) for path in kind.data
    ]
    assert all(map(callable, functions))
    assert {*kind.skip, *kind.fixed, *kind.positional} <= signature(first).parameters.keys()


def test_axes_or_a_whole_figure_is_drawn_into(dev: ft.Trials, test: ft.Trials) -> None:
    figure = Figure()
    assert isinstance(FIGURES["plan"].draw(PLAN)(figure), Axes)
    assert len(figure.axes) == 1
    a, b = (curve_of(dev, test, name) for name in ("face", "voice"))
    comparison = ft.compare_curves(a, b, method="independent")
    figure = Figure()
    FIGURES["epc-significance"].draw(a, b, comparison, levels=[0.05, 0.95])(figure)
    assert len(figure.axes) == 2


def test_what_is_drawn_has_the_caption_as_its_label(dev: ft.Trials, test: ft.Trials) -> None:
    axes = ft.evaluate(dev, test, systems="face").plot()
    assert str(axes.get_label()).startswith("DET curves.")
    (result,) = ft.figures.diagnostics(dev, test, systems=["face"])
    figure = Figure()
    panels = ft.figures.diagnostic_plot(result, figure=figure)
    assert figure.get_label() == FIGURES["diagnostic"].draw(result).caption
    assert str(panels[3].get_label()).startswith("DET curves.")


def test_results_draw_themselves(dev: ft.Trials, test: ft.Trials) -> None:
    result = ft.evaluate(dev, test, systems="face")
    axes = result.plot()
    assert axes.get_xlabel() == "FAR (%)"
    assert isinstance(result.plot("roc", limit=0.5, ax=Figure().add_subplot()), Axes)
    assert ft.compare(dev, test, systems=["face", "voice"], n_resamples=50).plot().get_title() == ""
    calibrated = ft.calibrate(dev, test).plot()
    assert [name in calibrated.get_legend_handles_labels()[1] for name in dev.systems] == [True] * len(dev.systems)
    assert expected_performance(dev, test, points=3).plot().get_xlabel() == "alpha, the weight of FAR, by wer-min"
    with refused("no-such-figure"):
        result.plot("epc")


def test_results_draw_themselves_as_the_command_does(dev: ft.Trials, test: ft.Trials) -> None:
    curves = expected_performance(dev, test, points=5, bands="pointwise", compare=["face", "voice"], no_areas=True)
    drawing = drawing_of(curves)
    assert drawing.options["bands"] is curves.bands
    assert drawing_of(curves, "epc-compare").data == (*curves.curves[:2], curves.comparisons[0])
    with refused("not-compared"):
        drawing_of(expected_performance(dev, test, points=5), "epc-significance")
    system = ft.calibrate(dev, test)["face"]
    ((curve,),) = drawing_of(system, "bayes-error", bands="pointwise", confidence=0.9).data
    assert curve.band.confidence == 0.9
    ((plain,),) = drawing_of(system, "ece").data
    assert plain.band is None


def test_a_study_draws_itself_with_its_confidence_and_data_sets() -> None:
    study = ft.repeated.coverage_study(
        n=50, m=(2, 4), pi=0.1, rho=0.2, methods=["lbb"], data_sets=40, confidence=0.9, workers=1
    )
    drawing = drawing_of(study, "hook")
    assert "the nominal 90 %; bars: 2 standard errors of 40 data sets" in drawing.caption
    assert "40 data sets" not in drawing_of(study, "hook", data_sets=None).caption
