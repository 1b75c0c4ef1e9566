"""The notebooks run, cell by cell, and what stands last in a cell shows itself."""

import ast
import json
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import pytest

NOTEBOOKS = sorted((Path(__file__).parents[1] / "docs" / "notebooks").glob("*.ipynb"))


def code_cells(path: Path) -> list[str]:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def run_cell(code: str, names: dict[str, object]) -> object:
    """What a notebook would show: the value of the last line, if it is an expression without a semicolon."""
    tree = ast.parse(code)
    last = tree.body[-1]
    if not isinstance(last, ast.Expr) or code.rstrip().endswith(";"):
        exec(compile(tree, "<cell>", "exec"), names)
        return None
    exec(compile(ast.Module(tree.body[:-1], []), "<cell>", "exec"), names)
    shown: object = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
    return shown


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs_and_results_show_themselves(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    shown = [run_cell(code, names) for code in code_cells(path)]
    tables = [value._repr_html_() for value in shown if hasattr(value, "_repr_html_")]
    assert len(tables) >= 3
    assert all("<table" in table for table in tables)
    assert "Traceback" not in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []
    plt.close("all")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_is_kept_without_results(path: Path) -> None:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    assert all(not cell.get("outputs") and cell.get("execution_count") is None for cell in cells)


def test_there_are_notebooks() -> None:
    assert len(NOTEBOOKS) == 3
