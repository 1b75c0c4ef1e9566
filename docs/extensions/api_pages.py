"""The API reference: one page per public name, grouped by the room of the package that it is imported from."""

import ast
import importlib
from pathlib import Path
from typing import Any, NamedTuple

from sphinx.application import Sphinx

import fairtrial


class Group(NamedTuple):
    """A section of the reference, and where its names come from."""

    title: str
    rooms: tuple[str, ...]
    about: str


class Module(NamedTuple):
    """A section of names that are found in a module of their own."""

    title: str
    name: str
    about: str


GROUPS = [
    Group("Trials and score files", ("core", "formats"), "What is judged, how it is read and written, what is raised."),
    Group("Evaluate and compare", ("evaluation",), "The questions asked most often, and curves along alpha."),
    Group("Thresholds and errors", ("rules", "counting"), "How a threshold is chosen and what it costs; counters."),
    Group("Intervals and tests", ("inference",), "How certain a figure is, and whether two figures differ."),
    Group("Published numbers", ("published",), "What can be said when only rates or EERs are known."),
    Group("People tested several times", ("repeated",), "Counts of errors and attempts by person, and planning."),
    Group("Fusion", ("fusion",), "Several systems, one score."),
    Group("Fusion benchmarks", ("benchmark",), "Whole protocols, known score sets and your own."),
    Group("Scores as evidence", ("calibration",), "Log-likelihood ratios, fitted on dev and judged on test."),
    Group("Groups of people", ("groups",), "Errors by group, and whether they differ."),
]
MODULES = [
    Module("Figures", "fairtrial.figures", "Each takes a result and gives the matplotlib Axes."),
    Module("Limits for people", "fairtrial.repeated.limits", "The six of the paper, for one data set or thousands."),
]
CONSTANTS = {
    "CALIBRATIONS": "The registered calibration methods by name. :func:`register_calibration` adds one.",
    "CRITERIA": "The registered criteria by name. :func:`register_criterion` adds one.",
    "FORMATS": "The registered formats of score files by name. :func:`register_format` adds one.",
    "FUSIONS": "The registered fusion methods by name. :func:`register_fusion` adds one.",
    "MEASURES": "The registered measures by name. :func:`register_measure` adds one.",
    "NORMALISATIONS": "The normalisations of scores by name.",
    "PAPER": "The grid of the 2744 cells of Schuckers et al. (2004), section 3.",
    "PROTOCOLS": "The registered fusion protocols by name. :func:`register_protocol` adds one.",
    "QUICK": "A grid of a few of these cells, spread over the range of all.",
}


def public_names() -> dict[str, list[str]]:
    """The public names by the room that they are imported from."""
    stub = Path(fairtrial.__file__).with_suffix(".pyi")
    rooms: dict[str, list[str]] = {}
    for node in ast.parse(stub.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module:
            rooms.setdefault(node.module.split(".")[0], []).extend(alias.name for alias in node.names)
    return rooms


def write_api_page(app: Sphinx, config: Any) -> None:
    """Write `api/index.rst` anew."""
    rooms = public_names()
    known = {room for group in GROUPS for room in group.rooms}
    rest = Group("More", tuple(room for room in rooms if room not in known), "Names that have no section of their own.")
    lines = [
        "API reference",
        "=============",
        "",
        "``import fairtrial as ft`` gives every name here as ``ft.NAME``.",
        "",
    ]
    for group in [*GROUPS, rest]:
        names = sorted((name for room in group.rooms for name in rooms.get(room, [])), key=_order)
        if names:
            lines += [group.title, "-" * len(group.title), "", group.about, ""]
            lines += _summary([f"fairtrial.{name}" for name in names if name not in CONSTANTS])
            lines += _constants([name for name in names if name in CONSTANTS])
    for module in MODULES:
        lines += [module.title, "-" * len(module.title), "", f"``{module.name}``. {module.about}", ""]
        lines += _summary([f"{module.name}.{name}" for name in _defined(module.name)])
    page = Path(app.srcdir) / "api" / "index.rst"
    page.parent.mkdir(exist_ok=True)
    text = "\n".join(lines)
    if not page.exists() or page.read_text(encoding="utf-8") != text:
        page.write_text(text, encoding="utf-8")


def _defined(module: str) -> list[str]:
    found = importlib.import_module(module)
    functions = [name for name, value in vars(found).items() if getattr(value, "__module__", None) == module]
    return list(getattr(found, "__all__", [name for name in functions if name.endswith("_limits")]))


def _order(name: str) -> tuple[bool, str]:
    return name[0].isupper(), name.lower()  # functions first


def _summary(names: list[str]) -> list[str]:
    if not names:
        return []
    return [
        ".. autosummary::",
        "   :toctree: generated",
        "   :nosignatures:",
        "",
        *(f"   {name}" for name in names),
        "",
    ]


def _constants(names: list[str]) -> list[str]:
    return [line for name in names for line in (f".. py:data:: fairtrial.{name}", "", f"   {CONSTANTS[name]}", "")]


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the page before Sphinx looks for pages."""
    app.connect("config-inited", write_api_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
