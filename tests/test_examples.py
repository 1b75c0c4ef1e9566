"""The examples run, and stay short; those that draw do so in the folder that they are given."""

import ast
import runpy
import subprocess
import sys
from pathlib import Path

import matplotlib
import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))
PICTURES = [path for path in EXAMPLES if path.name.startswith("plot_")]
GALLERY = Path(__file__).parents[1] / "docs" / "gallery.md"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_example_is_short(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 25


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.name)
def test_gallery_example_begins_with_a_title(path: Path) -> None:
    title, line, blank, about, *_ = (ast.get_docstring(ast.parse(path.read_text())) or "").splitlines()
    assert line == "=" * len(title)
    assert (blank, bool(about)) == ("", True)


@pytest.mark.parametrize("path", [path for path in EXAMPLES if path not in PICTURES], ids=lambda path: path.name)
def test_example_runs(path: Path, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, path], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.name)
def test_gallery_example_draws_its_picture(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # in this process, so that libraries and the synthetic set are loaded once for all of them
    matplotlib.use("Agg")
    monkeypatch.setattr(sys, "argv", [str(path), str(tmp_path)])
    runpy.run_path(str(path), run_name="__main__")
    (picture,) = tmp_path.iterdir()
    assert picture.name == path.stem.removeprefix("plot_").replace("_", "-") + ".png"
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_gallery_shows_every_figure_and_the_command_that_makes_it() -> None:
    from fairtrial.figures.table import FIGURES

    text = GALLERY.read_text()
    for name in FIGURES:
        assert f"](pictures/{name}.png)" in text
        assert (GALLERY.parent / "pictures" / f"{name}.png").is_file()
        assert f"examples/plot_{name.replace('-', '_')}.py" in text
        assert f"fairtrial plot {name} " in text
