"""The rooms of the house: what imports what, what is public, how large a file may grow."""

import ast
import inspect
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

import fairtrial

SOURCE = Path(fairtrial.__file__).parent
LAYERS = [
    {"errors", "threads"},
    {"checks", "plugins"},
    {"tables"},
    {"axes"},
    {"ids", "spread"},
    {"trials"},
    {"people", "formats"},
    {"counted_people", "grouped_people"},
    {"counting", "folds"},
    {"shared_trials"},
    {"rules", "alikeness", "draws", "error_lines"},
    {"dev_replicates"},
    {"reestimation"},
    {"trial_sets"},
    {"judging"},
    {"claims"},
    {"curves", "epc"},
    {"intervals"},
    {"significance", "individuals"},
    {"calibration"},
    {"evaluation", "comparison", "areas", "operating", "planning"},
    {"fusion", "groups"},
    {"benchmark", "scale"},
    {"plots", "report", "learning"},
    {"explorer"},
    {"cli"},
]
LEVEL = {room: level for level, rooms in enumerate(LAYERS) for room in rooms}
FILES = sorted(SOURCE.rglob("*.py"))
TESTS = Path(__file__).parent
ROOT = TESTS.parent
TEST_FILES = sorted(TESTS.rglob("test_*.py"))
MIRROR_NOTHING = {
    "cli/test_bad_input.py",
    "cli/test_claims.py",
    "cli/test_commands.py",
    "cli/test_extremes.py",
    "cli/test_killed.py",
    "explorer/test_browser.py",
    "explorer/test_browser_opening.py",
    "explorer/test_repeated.py",
    "formats/test_bad_input.py",
    "formats/test_fuzz.py",
    "fuzzing/test_fuzzing.py",
    "report/test_browser.py",
    "report/test_charts.py",
    "report/test_vendor.py",
    "test_api.py",
    "test_damage.py",
    "test_docs.py",
    "test_examples.py",
    "test_failing_writes.py",
    "test_notebooks.py",
    "test_papers.py",
    "test_real_data.py",
    "test_release.py",
    "test_results.py",
    "test_structure.py",
}
"""Tests of what several modules do together, and of what is no module."""


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
    for name in imported(path):
        if name.startswith("fairtrial."):
            other = name.split(".")[1]
            assert other == own or LEVEL[other] <= LEVEL[own], f"{own} must not import {other}"


def test_contributing_draws_the_layers() -> None:
    text = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    drawn = text.split("so do imports", 1)[1].split("\n\n", 2)[1]
    assert [set(level.replace(",", " ").split()) for level in drawn.split("->")] == LAYERS


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
        ("starlette", {"explorer"}),
        ("uvicorn", {"explorer"}),
        ("numba", {"counting", "scale"}),
    ],
)
def test_libraries_stay_in_their_rooms(library: str, rooms: set[str]) -> None:
    users = {room(path) for path in FILES if any(name.split(".")[0] == library for name in imported(path))}
    assert users <= rooms


def test_all_that_is_said_goes_through_one_place() -> None:
    """Where escapes in names are spelled out."""
    echoing = [path.name for path in (SOURCE / "cli").rglob("*.py") if "click.echo(" in path.read_text()]
    assert sorted(echoing) == ["completion.py", "output.py"]


def lines_of_code(path: Path) -> int:
    """How long a file is without its docstrings."""
    text = path.read_text()
    nodes = [
        node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
    ]
    docstrings = [node.body[0] for node in nodes if ast.get_docstring(node) is not None]
    return len(text.splitlines()) - sum((each.end_lineno or each.lineno) - each.lineno + 1 for each in docstrings)


def test_no_file_is_much_over_400_lines_of_code() -> None:
    assert [path.name for path in FILES if lines_of_code(path) > 470] == []


def lines_of_body(node: ast.FunctionDef) -> int:
    """How long a function is below its signature and docstring."""
    first = node.body[1] if ast.get_docstring(node) is not None and len(node.body) > 1 else node.body[0]
    return (node.body[-1].end_lineno or first.lineno) - first.lineno + 1


def test_no_function_is_longer_than_50_lines() -> None:
    found = {
        f"{path.relative_to(SOURCE)}: {node.name}"
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef) and lines_of_body(node) > 50
    }
    assert found == set()


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


def mirrored(path: Path) -> list[Path]:
    """What a test file may be of: the module of its name, the room of its name, or its own room as a whole."""
    place, name = path.relative_to(TESTS).parent, path.stem.removeprefix("test_")
    own = [SOURCE / place / "__init__.py"] if name == place.name else []
    return [SOURCE / place / f"{name}.py", SOURCE / place / name / "__init__.py", *own]


@pytest.mark.parametrize("path", TEST_FILES, ids=lambda path: str(path.relative_to(TESTS)))
def test_every_test_file_mirrors_a_source_file(path: Path) -> None:
    found = any(source.is_file() for source in mirrored(path))
    assert found != (path.relative_to(TESTS).as_posix() in MIRROR_NOTHING)


def test_what_mirrors_nothing_is_there() -> None:
    assert {path.relative_to(TESTS).as_posix() for path in TEST_FILES} >= MIRROR_NOTHING


def test_tests_cite_papers_and_not_notes() -> None:
    notes = re.compile(r"FORMULAS section|section \d+ of FORMULAS|seed[ _]00\d")
    others = [path for path in sorted(TESTS.rglob("*.py")) if path != Path(__file__)]
    assert [path.name for path in others if notes.search(path.read_text())] == []


def named(node: ast.stmt) -> str | None:
    """What a statement of a module defines."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return node.name
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return next((target.id for target in targets if isinstance(target, ast.Name)), None)


def words_in(*nodes: ast.AST | None) -> set[str]:
    """The words of expressions, also of those that are written as text."""
    return {word for node in nodes if node is not None for word in re.findall(r"\w+", ast.unparse(node))}


def told_by(node: ast.stmt) -> set[str]:
    """The types that readers of a definition meet: those of arguments, results and fields, bases, parts of a type."""
    if isinstance(node, ast.Assign):
        return words_in(node.value) if isinstance(node.value, ast.Subscript | ast.BinOp) else set()
    found: set[str] = set()
    if isinstance(node, ast.AnnAssign) and "TypeAlias" in words_in(node.annotation):
        found |= words_in(node.value)
    for each in ast.walk(node):
        if isinstance(each, ast.AnnAssign | ast.arg):
            found |= words_in(each.annotation)
        elif isinstance(each, ast.FunctionDef):
            found |= words_in(each.returns)
        elif isinstance(each, ast.ClassDef):
            found |= words_in(*each.bases)
    return found


def asked_for(tree: ast.Module) -> set[str]:
    """The names that a module may take from others: by import, as attributes, or by their names as text."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(re.split("[:.]", node.value)[-1])
    return found


DOCUMENTED = {"individuals/limits.py"}
"""Modules that the reference shows as a whole."""


def test_what_no_other_module_needs_is_private() -> None:
    """But for types that something public is made of, for what a decorator registers, and for what tests look at."""
    texts = [stub.read_text() for stub in SOURCE.rglob("*.pyi")]
    for place in ("tests", "studies", "benchmarks", "examples"):
        # the peers of the benchmark have an environment of their own in there
        files = [
            path for path in (ROOT / place).rglob("*.py") if not re.search(r"/\.", path.relative_to(ROOT).as_posix())
        ]
        texts += [path.read_text() for path in files if path != Path(__file__)]
    public = {word for text in texts for word in re.findall(r"\w+", text)}
    trees = {path.relative_to(SOURCE).as_posix(): ast.parse(path.read_text()) for path in FILES}
    asked = {place: asked_for(tree) for place, tree in trees.items()}
    askers = Counter(name for names in asked.values() for name in names)
    found = set()
    for place, tree in trees.items():
        names = {name: node for node in tree.body if (name := named(node)) is not None and not name.startswith("_")}
        alone = {name for name in names if askers[name] == (name in asked[place])} - public
        told = {word for node in names.values() for word in told_by(node)} if alone else set()
        for name in alone:
            is_function = isinstance(node := names[name], ast.FunctionDef)
            registered = isinstance(node, ast.FunctionDef) and node.decorator_list
            if not registered and (is_function or name not in told) and place not in DOCUMENTED:
                found.add(f"{place}: {name}")
    assert found == set()


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


@pytest.mark.parametrize("room", ROOMS)
def test_public_names_are_those_of_their_room_too(room: str) -> None:
    own = getattr(fairtrial, room)
    stub = ast.parse((SOURCE / "__init__.pyi").read_text())
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    names = {alias.name for node in imports if (node.module or "").split(".")[0] == room for alias in node.names}
    assert [name for name in sorted(names) if getattr(own, name, None) is not getattr(fairtrial, name)] == []
    assert names <= set(own.__all__) <= set(dir(own))


def test_a_room_is_loaded_when_it_is_first_used() -> None:
    code = "import sys, fairtrial as ft; early = 'fairtrial.scale' in sys.modules; print(early, ft.scale.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "fairtrial.scale"]
