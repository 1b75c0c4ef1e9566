"""The API reference: every public name says what it takes and what it gives, and shows an example that runs."""

import ast
import dataclasses
import inspect
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import fairtrial as ft
from docstrings import SECTIONS, Entry, parse

SOURCE = Path(ft.__file__).parent
ROOMS = {name: getattr(ft, name) for name in ft.__all__ if inspect.ismodule(getattr(ft, name))}
PUBLIC = {f"ft.{name}": getattr(ft, name) for name in ft.__all__ if name not in ROOMS}
_AT_THE_TOP = {id(thing) for thing in PUBLIC.values()}
PUBLIC |= {
    f"ft.{room}.{name}": getattr(rooms, name)
    for room, rooms in ROOMS.items()
    for name in rooms.__all__
    if id(getattr(rooms, name)) not in _AT_THE_TOP
}
CLASSES = {name: thing for name, thing in PUBLIC.items() if inspect.isclass(thing)}

SHARED = {
    "alpha": ("The weight or the target that the criterion t", "The weight of FAR in the measure ``wer``"),
    "alphas": ("The weights or targets that the criterion takes",),
    "alternative": ("What is claimed of",),
    "ax": ("Where to draw; a new figure by default.",),
    "blocks": ("Which trials set the threshold for which; see `make_blocks`.",),
    "cluster": ("What dependent trials share",),
    "confidence": ("The level of confidence, between 0 and 1",),
    "correction": ("How p values are adjusted for the number of pairs",),
    "criterion": ("How the threshold is chosen", "How thresholds were chosen on dev"),
    "data_sets": ("How many data sets are simulated", "How many data sets each cell was simulated with"),
    "dev": (
        "The trials that thresholds are chosen on",
        "The trials that calibrations are fitted to",
        "The same trials",
        "Files of development scores",
    ),
    "figure": ("Where to draw; a new figure by default.", "From the evidence of a system to its value"),
    "fusion": ("A fusion method, or its name in `FUSIONS`", "The name of the fusion method"),
    "generator": ("How attempts of a person come to be correlated",),
    "measure": ("What is reported", "What is compared", "What should be near alpha"),
    "n_resamples": ("How many resamples are drawn",),
    "normalise": ("The normalisation of the scores", "The name of the normalisation"),
    "people": ("The errors and attempts of people, one data set", "The smaller number of people", "A table with"),
    "pi": ("The error rate, a fraction", "Error rates, fractions"),
    "progress": ("Called as work proceeds",),
    "reference": ("The system that all others are compared with",),
    "rho": ("The correlation between two attempts of a person", "Correlations between two attempts of a person"),
    "rng": ("A generator, or a seed; the same seed gives the same result.",),
    "sets": ("Dev and test trials, and who shares them", "Systems on the same trials"),
    "simultaneous": ("Whether the confidence holds over the whole range of alpha",),
    "test": ("The trials that are judged", "The same trials", "Files of test scores"),
    "workers": ("How many work at once; the result does not depend on it.",),
}
"""How the description of a parameter begins that many functions share; more than one where the word has two senses."""
OWN = ("ft.Criterion", "ft.formats.ReadOptions", "ft.register_")
"""Where these words are what something is made of, and not what a figure is asked for."""


def methods(kind: type[Any]) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The public methods that a class brings; what it overrides is described where it comes from."""
    bases = [base for base in kind.__mro__[1:] if base.__module__.startswith("fairtrial.")]
    for name, thing in vars(kind).items():
        is_method = inspect.isfunction(thing) or isinstance(thing, classmethod)
        if is_method and not name.startswith("_") and not any(hasattr(base, name) for base in bases):
            yield name, getattr(kind, name)


FUNCTIONS = {
    name: thing
    for name, thing in PUBLIC.items()
    if inspect.isfunction(thing) and name not in ("ft.wording", "ft.core.wording")
}
METHODS = {f"{name}.{own}": thing for name, kind in CLASSES.items() for own, thing in methods(kind)}
DESCRIBED = FUNCTIONS | METHODS | CLASSES


def parameters(thing: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """What one gives when calling it; nothing for what is never called."""
    if inspect.isclass(thing):
        plain_error = issubclass(thing, Exception) and "__init__" not in vars(thing)
        if plain_error or inspect.isabstract(thing) or getattr(thing, "_is_protocol", False):
            return {}
    own = inspect.signature(thing).parameters
    found = {name: own[name] for name in own if name != "self" and not name.startswith("_")}
    fields = dataclasses.fields(thing) if dataclasses.is_dataclass(thing) else ()
    anew = {own.name: own.default_factory() for own in fields if own.default_factory is not dataclasses.MISSING}
    return {name: each.replace(default=anew.get(name, each.default)) for name, each in found.items()}


def entries(thing: object) -> dict[str, Entry]:
    """What is said of parameters, or of the attributes that are given to a result."""
    return parse(thing).entries("Parameters") or parse(thing).entries("Attributes")


def ends_as(said: str, parameter: inspect.Parameter) -> bool:
    """Whether a type tells the default as it is."""
    default = parameter.default
    if default is inspect.Parameter.empty:
        return not said.endswith(", optional") and ", default" not in said
    if default is None:
        return said.endswith(", optional")
    return said.endswith(f", default {written(default)}")


def written(value: object) -> str:
    """A value as documentation writes it."""
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, tuple):
        return f"({', '.join(map(written, value))}{',' if len(value) == 1 else ''})"
    return repr(value)


def test_the_public_names_are_found() -> None:
    assert len(FUNCTIONS) > 100
    assert len(CLASSES) > 60
    assert {"ft.evaluate", "ft.figures.det_plot"} <= set(FUNCTIONS)
    assert {"ft.Trials.from_arrays", "ft.Result.tables"} <= set(METHODS)
    assert "ft.Evaluation.to_dict" not in METHODS


def test_sections_stand_in_their_order_below_a_summary() -> None:
    found = {name: parse(thing) for name, thing in DESCRIBED.items()}
    assert [name for name, doc in found.items() if not doc.summary.split("\n\n")[0].endswith((".", ":"))] == []
    assert {
        name: list(doc.sections)
        for name, doc in found.items()
        if list(doc.sections) != [section for section in SECTIONS if section in doc.sections]
    } == {}


def test_every_parameter_is_described_in_the_order_of_the_signature() -> None:
    asked = {name: (list(parameters(thing)), list(entries(thing))) for name, thing in DESCRIBED.items()}
    asked = {name: both for name, both in asked.items() if both[1] or name not in METHODS}
    assert {name: both for name, both in asked.items() if both[0] != both[1]} == {}


def test_every_description_has_a_type_and_says_something() -> None:
    said = {(name, own): entry for name, thing in DESCRIBED.items() for own, entry in entries(thing).items()}
    said |= {(name, "returned"): entry for name, thing in DESCRIBED.items() for entry in parse(thing).given}
    assert {place: entry for place, entry in said.items() if not entry.type or not entry.text.endswith(".")} == {}


def test_defaults_are_those_of_the_signature() -> None:
    called = {name: thing for name, thing in DESCRIBED.items() if parse(thing).entries("Parameters")}
    types = {(name, own): entry.type for name, thing in called.items() for own, entry in entries(thing).items()}
    assert {
        (name, own): types[name, own]
        for name, thing in called.items()
        for own, parameter in parameters(thing).items()
        if not ends_as(types[name, own], parameter)
    } == {}


def test_what_is_returned_is_described() -> None:
    given = {name: inspect.signature(thing).return_annotation for name, thing in FUNCTIONS.items()}
    said = {name: bool(parse(DESCRIBED[name]).given) for name in given}
    assert {name: kind for name, kind in given.items() if said[name] != (kind not in (None, "None"))} == {}


def test_there_is_an_example() -> None:
    shown = {name: parse(thing).sections.get("Examples", []) for name, thing in (FUNCTIONS | CLASSES).items()}
    assert [name for name, lines in shown.items() if not any(line.startswith(">>> ") for line in lines)] == []


def test_properties_and_overriding_methods_say_what_they_are() -> None:
    named = {f"{name}.{own}": thing for name, kind in CLASSES.items() for own, thing in vars(kind).items()}
    members = {name: thing for name, thing in named.items() if not name.rpartition(".")[2].startswith("_")}
    kinds = (property, cached_property)
    members = {name: thing for name, thing in members.items() if isinstance(thing, kinds) or inspect.isfunction(thing)}
    assert [name for name, thing in members.items() if not thing.__doc__] == []


@pytest.mark.parametrize("parameter", SHARED)
def test_the_same_parameter_is_described_in_the_same_words(parameter: str) -> None:
    said = {
        name: parse(thing).entries("Parameters")[parameter].text
        for name, thing in DESCRIBED.items()
        if parameter in parse(thing).entries("Parameters") and not name.startswith(OWN)
    }
    assert said
    assert {name: text for name, text in said.items() if not text.startswith(SHARED[parameter])} == {}


def test_values_have_a_docstring_below_them() -> None:
    documented = {name for path in SOURCE.rglob("*.py") for name in _documented(ast.parse(path.read_text()))}
    values = {name.rpartition(".")[2] for name, thing in PUBLIC.items() if not callable(thing)}
    assert values - documented == set()


def _documented(tree: ast.Module) -> Iterator[str]:
    for node, after in pairwise(tree.body):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            yield from (target.id for target in targets if isinstance(target, ast.Name))


def test_a_docstring_is_taken_apart() -> None:
    def add(a: int, *b: int) -> int:
        """Add.

        More.

        Parameters
        ----------
        a, b : int, default 1
            What is added:
            two numbers.

        Returns
        -------
        int
            The sum.
        """
        return a + sum(b)

    found = parse(add)
    assert found.summary == "Add.\n\nMore."
    assert found.entries("Parameters") == dict.fromkeys("ab", Entry("int, default 1", "What is added: two numbers."))
    assert found.given == [Entry("int", "The sum.")]


def test_a_mistyped_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(AttributeError, match="did you mean 'evaluate'"):
        _ = ft.evalute  # type: ignore[attr-defined]
    assert not hasattr(ft, "__path_to_nowhere__")
