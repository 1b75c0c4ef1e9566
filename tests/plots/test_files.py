"""Pictures as files."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import pytest
from matplotlib.figure import Figure

from fairtrial import FairtrialError
from fairtrial.plots import plan_plot, write_picture
from plots.drawn import PLAN


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
    ("name", "settings", "words"),
    [
        ("a.gif", {}, r"\.png, \.svg, \.pdf"),
        ("a", {}, "should end in"),
        ("nowhere/a.png", {}, "no directory"),
        ("a.png", {"width": 0.0}, "width"),
        ("a.png", {"height": float("nan")}, "height"),
        ("a.png", {"dpi": 0}, "dots per inch"),
        ("a.png", {"width": 0.5, "height": 0.5}, "too small for this figure"),
        ("a.png", {"width": 1e6}, "more than 10,000 dots"),
    ],
)
def test_what_cannot_be_written(tmp_path: Path, name: str, settings: dict[str, float], words: str) -> None:
    with pytest.raises(FairtrialError, match=words):
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
