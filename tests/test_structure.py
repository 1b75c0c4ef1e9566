"""The rooms of the house: what imports what, what is public, how large a file may grow."""

import ast
from pathlib import Path

import pytest

import fairtrial

SOURCE = Path(fairtrial.__file__).parent
LAYERS = [
    {"errors", "threads"},
    {"checks"},
    {"tables"},
    {"axes"},
    {"trials", "spread"},
    {"people", "formats"},
    {"counting", "folds"},
    {"rules"},
    {"reestimation"},
    {"judging"},
    {"claims"},
    {"curves", "epc"},
    {"intervals"},
    {"significance", "individuals"},
    {"evaluation", "comparison", "areas", "planning"},
    {"fusion"},
    {"benchmark"},
    {"plots", "report"},
    {"cli"},
]
LEVEL = {room: level for level, rooms in enumerate(LAYERS) for room in rooms}
FILES = sorted(SOURCE.rglob("*.py"))


def room(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


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
    for name in imported(path):
        if name.startswith("fairtrial."):
            other = name.split(".")[1]
            assert other == own or LEVEL[other] <= LEVEL[own], f"{own} must not import {other}"


def test_layers_name_every_room() -> None:
    assert {room(path) for path in FILES} - {"__init__", "__main__"} == set(LEVEL)


@pytest.mark.parametrize(
    ("library", "rooms"),
    [
        ("click", {"cli"}),
        ("rich", {"cli"}),
        ("pyarrow", {"formats", "tables"}),
        ("sklearn", {"fusion"}),
        ("pooch", {"benchmark"}),
        ("matplotlib", {"plots"}),
        ("jinja2", {"report"}),
    ],
)
def test_libraries_stay_in_their_rooms(library: str, rooms: set[str]) -> None:
    users = {room(path) for path in FILES if any(name.split(".")[0] == library for name in imported(path))}
    assert users <= rooms


def test_no_file_is_much_over_500_lines() -> None:
    assert [path.name for path in FILES if len(path.read_text().splitlines()) > 520] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_module_is_named_like_a_function_in_it(path: Path) -> None:
    functions = {node.name for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)}
    assert path.stem not in functions


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
