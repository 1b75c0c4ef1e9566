"""The rooms of the house: what imports what, what is public, how large a file may grow."""

import ast
import inspect
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import fairtrial

SOURCE = Path(fairtrial.__file__).parent
LAYERS = [
    {"core"},
    {"formats"},
    {"counting", "rules", "inference"},
    {"published"},
    {"calibration"},
    {"evaluation", "repeated"},
    {"fusion", "groups"},
    {"benchmark"},
    {"figures", "pages", "learning"},
    {"explorer"},
    {"cli"},
]
WHEN_NEEDED = {"core/trials.py": {"fairtrial.formats.frames"}}
"""Readers of data frames are loaded for the first one."""
LEVEL = {room: level for level, rooms in enumerate(LAYERS) for room in rooms}
FILES = sorted(SOURCE.rglob("*.py"))
TESTS = Path(__file__).parent
ROOT = TESTS.parent


def room(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


@cache
def imported(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names.add(node.module)
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return names


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_go_one_way(path: Path) -> None:
    own = room(path)
    if own in ("__init__", "__main__"):
        return
    for name in imported(path) - WHEN_NEEDED.get(str(path.relative_to(SOURCE)), set()):
        if name.startswith("fairtrial."):
            other = name.split(".")[1]
            assert other == own or LEVEL[other] <= LEVEL[own], f"{own} must not import {other}"


def test_layers_name_every_room() -> None:
    assert {room(path) for path in FILES} - {"__init__", "__main__"} == set(LEVEL)


@pytest.mark.parametrize(
    ("library", "rooms"),
    [
        ("click", {"cli"}),
        ("pyarrow", {"core", "formats"}),
        ("sklearn", {"fusion"}),
        ("pooch", {"benchmark"}),
        ("matplotlib", {"figures"}),
        ("jinja2", {"pages"}),
        ("starlette", {"explorer"}),
        ("uvicorn", {"explorer"}),
        ("numba", {"counting"}),
    ],
)
def test_libraries_stay_in_their_rooms(library: str, rooms: set[str]) -> None:
    users = {room(path) for path in FILES if any(name.split(".")[0] == library for name in imported(path))}
    assert users <= rooms


def test_all_that_is_said_goes_through_one_place() -> None:
    """Where escapes in names are spelled out."""
    echoing = [path.name for path in (SOURCE / "cli").rglob("*.py") if "click.echo(" in path.read_text()]
    assert sorted(echoing) == ["actions.py"]  # the script of completion


def test_public_names_are_there_and_sorted_out() -> None:
    stub = ast.parse((SOURCE / "__init__.pyi").read_text())
    listed = next(
        ast.literal_eval(node.value)
        for node in stub.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "__all__"
    )
    imported_names = {a.name for node in stub.body if isinstance(node, ast.ImportFrom) for a in node.names}
    assert set(listed) == imported_names == set(fairtrial.__all__)
    for name in listed:
        assert getattr(fairtrial, name).__doc__, f"{name} has no docstring"


def test_tests_cite_papers_and_not_notes() -> None:
    notes = re.compile(r"FORMULAS section|section \d+ of FORMULAS|seed[ _]00\d")
    others = [path for path in sorted(TESTS.rglob("*.py")) if path != Path(__file__)]
    assert [path.name for path in others if notes.search(path.read_text())] == []


def test_tests_import_nothing_private() -> None:
    statement = re.compile(r"^ *from fairtrial\S* import (\([^)]*\)|.*)$", re.MULTILINE)
    texts = {path.relative_to(TESTS): path.read_text() for path in sorted(TESTS.rglob("*.py"))}
    found = {
        f"{place}: {name}"
        for place, text in texts.items()
        for names in statement.findall(text)
        for name in re.findall(r"\b_[a-zA-Z]\w*", names)
    }
    assert found == set()


ROOMS = [name for name in fairtrial.__all__ if inspect.ismodule(getattr(fairtrial, name))]


def test_a_room_is_loaded_when_it_is_first_used() -> None:
    code = (
        "import sys, fairtrial as ft; early = 'fairtrial.counting' in sys.modules; print(early, ft.counting.__name__)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "fairtrial.counting"]
