"""The API reference: one page per public name, grouped by the room of the package that it is imported from."""

import importlib
import inspect
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
    """A section of the names of one module."""

    title: str
    name: str
    about: str


FIRST = [
    "read_pair",
    "evaluate",
    "compare",
    "performance_curve",
    "compare_curves",
    "operating_points",
    "evaluate_groups",
    "fuse",
    "run_benchmark",
    "calibrate",
    "repeated_intervals",
    "plan_rate",
    "plan_comparison",
    "open_trials",
    "Trials",
    "Counter",
]
"""Names that people use most, in the order of the guide."""
GROUPS = [
    Group("Evaluate and compare", ("evaluation",), "Results at one threshold and along alpha."),
    Group("Trials and score files", ("core", "formats"), "Trials, reading and writing, results, errors."),
    Group("Thresholds and errors", ("rules", "counting"), "Criteria, measures, error counts, counters."),
    Group("Intervals and tests", ("inference",), "The estimates behind intervals and tests."),
    Group("Published numbers", ("published",), "Intervals and tests from rates or EERs alone."),
    Group("People tested several times", ("repeated",), "Errors and attempts by person, and planning."),
    Group("Fusion", ("fusion",), "Several systems combined into one."),
    Group("Fusion benchmarks", ("benchmark",), "Whole protocols, known score sets and your own."),
    Group("Scores as evidence", ("calibration",), "Log-likelihood ratios, fitted on dev and judged on test."),
    Group("Groups of people", ("groups",), "Error rates by group, and tests of their differences."),
]
MODULES = [
    Module("Figures", "fairtrial.figures", "Each function takes a result and returns the matplotlib Axes."),
    Module("Limits for people", "fairtrial.repeated.limits", "The paper's six limits, for one data set or thousands."),
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


def public_names() -> dict[str, dict[str, str]]:
    """Map rooms to their public names, each with the path it is imported from: the top, or its room."""
    top = {name for name in fairtrial.__all__ if not inspect.ismodule(getattr(fairtrial, name))}
    rooms = [name for name in fairtrial.__all__ if name not in top and name != "figures"]
    listed: set[str] = set()
    found: dict[str, dict[str, str]] = {}
    for room in rooms:
        names = [name for name in getattr(fairtrial, room).__all__ if name not in listed]
        listed |= set(names)
        found[room] = {name: f"fairtrial.{name}" if name in top else f"fairtrial.{room}.{name}" for name in names}
    return found


def write_api_page(app: Sphinx, config: Any) -> None:
    """Write `api/index.rst`."""
    rooms = public_names()
    known = {room for group in GROUPS for room in group.rooms}
    rest = Group("More", tuple(room for room in rooms if room not in known), "All other names.")
    lines = [
        "API reference",
        "=============",
        "",
        "After ``import fairtrial as ft`` every name is ``ft.NAME`` or ``ft.MODULE.NAME``.",
        "",
        "Used most",
        "---------",
        "",
        *_summary([f"fairtrial.{name}" for name in FIRST]),
    ]
    for group in [*GROUPS, rest]:
        paths = {name: path for room in group.rooms for name, path in rooms.get(room, {}).items()}
        paths = {name: path for name, path in paths.items() if path.removeprefix("fairtrial.") not in FIRST}
        if paths:
            lines += [group.title, "-" * len(group.title), "", group.about, ""]
            lines += _summary([paths[name] for name in sorted(paths, key=_order) if name not in CONSTANTS])
            lines += _constants([paths[name] for name in sorted(paths) if name in CONSTANTS])
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
    abouts = {path: CONSTANTS[path.rpartition(".")[2]] for path in names}
    return [line for path, about in abouts.items() for line in (f".. py:data:: {path}", "", f"   {about}", "")]


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the page before Sphinx looks for pages."""
    app.connect("config-inited", write_api_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
