"""The look of figures, their files, and what importing them costs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

from fairtrial import Trials
from fairtrial.figures.axes import COLOURS
from fairtrial.figures.det import det_plot, judged_precision, operating_curves, precision_recall_plot, roc_plot
from fairtrial.figures.published import hter_deviations, hter_sd_plot
from fairtrial.figures.repeated import plan_plot
from fairtrial.figures.scores import diagnostic_plot, diagnostics
from fairtrial.figures.style import STYLE, Pen, look, write_picture
from fairtrial.figures.table import FIGURES
from figures.drawn import PLAN, refused


def test_the_first_42_looks_differ_and_the_first_seven_in_colour_and_marker() -> None:
    looks = [look(number) for number in range(42)]
    assert len({(one.colour, str(one.line)) for one in looks}) == 42
    assert len({one.colour for one in looks[:7]}) == len({one.marker for one in looks[:7]}) == len(COLOURS) == 7


def test_style_is_for_own_figures_only() -> None:
    axes = plan_plot(PLAN)
    assert not axes.spines["top"].get_visible()
    assert matplotlib.rcParams["font.size"] != STYLE["font.size"]
    theirs = Figure().add_subplot()
    plan_plot(PLAN, ax=theirs)
    assert theirs.spines["top"].get_visible()


@pytest.mark.parametrize("names", [("$a$_b", "_x^{"), ("系统", "x" * 300)])
def test_any_name_can_be_drawn(tmp_path: Path, names: tuple[str, str], dev: Trials, test: Trials) -> None:
    trials = [one.select(["face", "voice"]).renamed(names) for one in (dev, test)]
    curves = operating_curves(*trials)
    drawn = det_plot(curves)
    labels = [text.get_text() for text in drawn.get_legend().get_texts()]  # type: ignore[union-attr]
    assert len(labels) == 2 + 1  # and what the points are
    assert names[0] in labels[0]
    write_picture(lambda figure: det_plot(curves, ax=figure.add_subplot()), tmp_path / "a.png", title=names[0])
    # axes of the caller, in the caller's style
    figure = Figure()
    text = det_plot(curves, ax=figure.add_subplot()).get_legend().get_texts()[0]  # type: ignore[union-attr]
    assert not text.get_parse_math()


def test_many_systems_have_their_legend_below(dev: Trials, test: Trials) -> None:
    many = [
        Trials(np.repeat(one.scores[:, :1], 10, axis=1), one.genuine, tuple(f"s{k}" for k in range(10)))
        for one in (dev, test)
    ]
    legend = roc_plot(operating_curves(*many)).get_legend()
    assert legend is not None
    assert len(legend.get_texts()) == 10 + 3


@pytest.mark.parametrize(("distance", "eer"), [(100.0, 0.0), (0.0, 0.5), (-100.0, 1.0)])
def test_perfect_useless_and_reversed_systems_can_be_drawn(
    tmp_path: Path, dev: Trials, distance: float, eer: float
) -> None:
    scores = np.outer(dev.genuine, [distance]) + (dev.scores[:, :1] if distance else 0)
    trials = Trials.from_arrays(scores, dev.genuine, claim=dev.claim, subject=dev.subject)
    (diagnostic,) = diagnostics(trials, trials)
    write_picture(lambda figure: diagnostic_plot([diagnostic], figure=figure), tmp_path / "a.png", width=8, height=6)
    write_picture(lambda figure: roc_plot(diagnostic.curve, ax=figure.add_subplot()), tmp_path / "b.png")
    assert diagnostic.curve.eer.value == eer
    for name in ("a.png", "b.png"):
        assert np.ptp(plt.imread(tmp_path / name)) == 1  # something black on white


@pytest.mark.parametrize("entries", [1, 7, 19])
def test_legend_below_does_not_cover_the_label(entries: int) -> None:
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(6.4, 4.6), layout="constrained")
        ax = figure.add_subplot()
        for number in range(entries):
            ax.plot([0, 1], [number, 1], label=f"LP1: group {number} (15)")
        ax.set_xlabel("alpha, the weight of FAR")
        Pen(ax).legend()
        legend = ax.get_legend()
        assert legend is not None
        figure.draw_without_rendering()
        label, box = ax.xaxis.label.get_window_extent(), legend.get_window_extent()
        assert box.y1 < label.y0
        assert label.y0 - box.y1 < 20
        assert box.y0 >= 0
        assert ax.get_window_extent().height > 100


def test_no_legend_is_on_the_curves(dev: Trials, test: Trials) -> None:
    curves = operating_curves(dev, test)
    draws: list[Callable[[Axes], Axes]] = [
        lambda ax: det_plot(curves, ax=ax),
        lambda ax: roc_plot(curves, ax=ax),
        lambda ax: hter_sd_plot(hter_deviations(), ax=ax),
        lambda ax: precision_recall_plot(judged_precision(dev, test), ax=ax),
    ]
    for draw in draws:
        figure = Figure(figsize=(6.4, 4.6), layout="constrained")
        ax = draw(figure.add_subplot())
        figure.draw_without_rendering()
        legend = ax.get_legend()
        assert legend is not None
        assert legend.get_window_extent().y1 < ax.get_window_extent().y0


@pytest.mark.parametrize("width", [3.6, 4.6, 6.4])
def test_titles_are_not_cut(tmp_path: Path, width: float) -> None:
    drawn: list[Figure] = []

    def draw(figure: Figure) -> None:
        hter_sd_plot(hter_deviations(far=0.0115, frr=0.025, genuine=112_000), ax=figure.add_subplot())
        drawn.append(figure)

    write_picture(draw, tmp_path / "a.png", width=width, title="a line above the figure that is longer than it is wide")
    (figure,) = drawn
    titles = [figure.get_suptitle()]
    for text in figure.findobj(Text):
        if isinstance(text, Text) and text.get_text() in titles:
            assert text.get_window_extent().x1 <= figure.bbox.x1


def draw(figure: Figure) -> None:
    plan_plot(PLAN, ax=figure.add_subplot())


@pytest.mark.parametrize(
    ("ending", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF"), ("PNG", b"\x89PNG")]
)
def test_pictures_repeat_byte_by_byte(tmp_path: Path, ending: str, start: bytes) -> None:
    for name in ("one", "two"):
        write_picture(draw, tmp_path / f"{name}.{ending}", title="a title", width=4, height=3, dpi=50)
    one, two = ((tmp_path / f"{name}.{ending}").read_bytes() for name in ("one", "two"))
    assert one.startswith(start)
    assert one == two
    assert plt.get_fignums() == []


@pytest.mark.parametrize(
    ("name", "settings", "code"),
    [
        ("a.gif", {}, "unknown-ending"),
        ("a", {}, "unknown-ending"),
        ("nowhere/a.png", {}, "output"),
        ("a.png", {"width": 0.0}, "size"),
        ("a.png", {"height": float("nan")}, "size"),
        ("a.png", {"dpi": 0}, "dpi"),
        ("a.png", {"width": 0.5, "height": 0.5}, "size"),
        ("a.png", {"width": 1e6}, "size"),
    ],
)
def test_what_cannot_be_written(tmp_path: Path, name: str, settings: dict[str, float], code: str) -> None:
    with refused(code):
        write_picture(draw, tmp_path / name, **settings)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_a_figure_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    place = tmp_path / "a.png"
    place.write_text("old")

    def fail(figure: Figure) -> None:
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        write_picture(fail, place)
    assert [path.name for path in tmp_path.iterdir()] == ["a.png"]
    assert place.read_text() == "old"


def test_matplotlib_is_loaded_only_to_draw() -> None:
    code = "import sys, fairtrial.figures, fairtrial.cli.plots; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_caption_is_written_beside_the_picture_and_paper_has_300_dots_per_inch(tmp_path: Path) -> None:
    drawing = FIGURES["plan"].draw(PLAN)
    write_picture(drawing, tmp_path / "screen.png")
    write_picture(drawing, tmp_path / "paper.png", style="paper", notes="caption", width=6.4, height=4.6)
    assert (tmp_path / "paper.txt").read_text() == f"{drawing.caption}\n"
    assert not (tmp_path / "screen.txt").exists()
    widths = [plt.imread(tmp_path / f"{name}.png").shape[1] for name in ("screen", "paper")]
    assert widths[0] == 6.4 * 120
    assert widths[1] == pytest.approx(6.4 * 300, rel=0.1)  # without the margins
    for wrong in ({"style": "poster"}, {"notes": "title"}):
        with refused("unknown"):
            write_picture(drawing, tmp_path / "a.png", **wrong)  # type: ignore[arg-type]
