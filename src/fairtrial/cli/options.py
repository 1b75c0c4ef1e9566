"""Options that several commands share, and what they mean for reading."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from fairtrial.errors import ParameterError

if TYPE_CHECKING:
    from fairtrial.rules.criteria import Criterion
    from fairtrial.rules.measures import DetectionCosts, Measure
    from fairtrial.significance.results import Alternative

Command = TypeVar("Command", bound=Callable[..., Any])


def stacked(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Several options as one decorator, in the order they are to be listed."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


reading = stacked(
    click.option("--system", "systems", multiple=True, metavar="NAME", help="Use this system only; may be repeated."),
    click.option("--format", "format_", metavar="NAME", help="Format of the files, if their content should not tell."),
    click.option(
        "--column",
        "columns",
        multiple=True,
        metavar="ROLE=NAME",
        help="Column for a role (claim, subject, model, probe, label, system, score); may be repeated.",
    ),
    click.option(
        "--label",
        "labels",
        multiple=True,
        metavar="CLASS=WORD",
        help="What a label means, as genuine=target or impostor=spoof; may be repeated. Other labels are left out.",
    ),
    click.option(
        "--name", "names", multiple=True, metavar="NAME", help="Name of the next system, in the order of the files."
    ),
    click.option("--negate", is_flag=True, help="Scores are distances: lower means genuine."),
    click.option(
        "--negate-system", multiple=True, metavar="NAME", help="This system's scores are distances; may be repeated."
    ),
    click.option(
        "--nan",
        type=click.Choice(["error", "drop", "reject"]),
        default="error",
        show_default=True,
        help="A trial without a score: an error, left out, or rejected.",
    ),
    click.option("--common", is_flag=True, help="Keep the trials all files share instead of an error."),
    click.option("--diagonal", is_flag=True, help="A matrix is genuine on its diagonal, whatever its ids."),
    click.option("--transpose", is_flag=True, help="The rows of a matrix are claims, its columns subjects."),
)

dev_and_test = stacked(
    click.option(
        "--dev",
        required=True,
        multiple=True,
        metavar="F",
        help="Development scores: a file, a glob or a directory; may be repeated.",
    ),
    click.option("--test", multiple=True, metavar="F", help="Test scores, likewise."),
    click.option(
        "--folds",
        type=int,
        metavar="K",
        help="In place of --test: K folds of the dev trials that never split an individual.",
    ),
    click.option(
        "--cluster",
        type=click.Choice(["none", "claim", "subject", "both"]),
        help="What trials share: for the interval, and for --folds.  [default: all ids that are known]",
    ),
    click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Seed of folds and resamples."),
)


class _ListedOption(click.Option):
    """An option whose help names what is registered, looked up only when the help is shown."""

    def __init__(self, *args: Any, listed: Callable[[], str], **more: Any) -> None:
        super().__init__(*args, **more)
        self.listed = listed

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        record = super().get_help_record(ctx)
        return None if record is None else (record[0], record[1].replace("REGISTERED", self.listed()))


def _criteria() -> str:
    from fairtrial.rules.criteria import criteria_help

    return criteria_help()


def _measures() -> str:
    from fairtrial.rules.measures import measures_help

    return measures_help()


def criterion_option(default: str) -> Callable[[Command], Command]:
    """How thresholds are chosen."""
    return click.option(
        "--criterion",
        default=default,
        show_default=True,
        metavar="NAME",
        help="How the threshold is chosen on dev. REGISTERED; or module:function.",
        cls=_ListedOption,
        listed=_criteria,
    )


def measure_option(*names: str, help: str, **more: Any) -> Callable[[Command], Command]:
    """What is reported."""
    return click.option(
        *names,
        metavar="NAME",
        help=f"{help} REGISTERED; or module:function.",
        cls=_ListedOption,
        listed=_measures,
        **more,
    )


alpha_option = click.option(
    "--alpha",
    type=float,
    help="The criterion's weight, or its target; a target must be given.  [default: 0.5 for a weight]",
)

as_json = click.option("--json", "json_", is_flag=True, help="Print one JSON object and nothing else.")

dcf_costs = click.option(
    "--dcf",
    metavar="CFR,PG,CFA,PI",
    help="Costs and priors of dcf: cost of a false reject, prior of genuine, cost of a false accept, "
    "prior of impostor.  [default: 10,.01,1,.99]",
)


alternative = click.option(
    "--alternative",
    type=click.Choice(["two-sided", "less", "greater"]),
    default="two-sided",
    show_default=True,
    help="What is claimed of A - B.",
)


def as_alternative(name: str) -> Alternative:
    """The alternative by its name."""
    sides: dict[str, Alternative] = {"two-sided": "two-sided", "less": "less", "greater": "greater"}
    return sides[name]


def read_options(values: dict[str, Any]) -> dict[str, Any]:
    """Keyword arguments of `read_trials` from the options of `reading`."""
    if values["negate"] and values["negate_system"]:
        raise ParameterError("give either --negate for all systems, or --negate-system for some")
    labels = _pairs(values["labels"], "--label", ("genuine", "impostor"))
    columns = _pairs(values["columns"], "--column", ("claim", "subject", "model", "probe", "label", "system", "score"))
    scores = [name for role, name in columns if role == "score"]
    return {
        "format": values["format_"],
        "columns": {role: name for role, name in columns if role != "score"},
        "scores": tuple(scores),
        "genuine_labels": tuple(word for kind, word in labels if kind == "genuine"),
        "impostor_labels": tuple(word for kind, word in labels if kind == "impostor"),
        "names": values["names"],
        "systems": values["systems"],
        "negate": True if values["negate"] else values["negate_system"],
        "nan": values["nan"],
        "common": values["common"],
        "diagonal": values["diagonal"],
        "transpose": values["transpose"],
    }


def _pairs(entries: Sequence[str], option: str, known: Sequence[str]) -> list[tuple[str, str]]:
    pairs = []
    for entry in entries:
        key, equals, value = entry.partition("=")
        if not equals or not value or key not in known:
            raise ParameterError(f"{option} {entry}: expected {'|'.join(known)}=..., as in {option} {known[0]}=NAME")
        pairs.append((key, value))
    return pairs


def criterion_by_name(name: str, dcf: str | None) -> Criterion:
    """A criterion by its name, or a user's function named as module:function."""
    from fairtrial.rules.criteria import as_criterion

    costs = None if dcf is None else detection_costs(dcf)
    if name == "dcf" and costs is not None:
        return as_criterion(costs)
    return as_criterion(_load(name) if ":" in name else name)


def measure_by_name(name: str, dcf: str | None) -> Measure:
    """A measure by its name, or a user's function named as module:function."""
    from fairtrial.rules.measures import as_measure

    costs = None if dcf is None else detection_costs(dcf)
    if name == "dcf" and costs is not None:
        return as_measure(costs)
    return as_measure(_load(name) if ":" in name else name)


def detection_costs(text: str) -> DetectionCosts:
    """Four numbers separated by commas."""
    from fairtrial.rules.measures import DetectionCosts

    try:
        cost_fr, prior_genuine, cost_fa, prior_impostor = (float(part) for part in text.split(","))
    except ValueError as error:
        raise ParameterError(f"--dcf {text}: expected four numbers separated by commas, as in 10,.01,1,.99") from error
    return DetectionCosts(cost_fr, prior_genuine, cost_fa, prior_impostor)


def _load(name: str) -> Any:
    module, _, attribute = name.partition(":")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        found = getattr(importlib.import_module(module), attribute)
    except Exception as error:  # a user's module may fail in any way
        raise ParameterError(f"{name}: cannot be loaded as module:function: {type(error).__name__}: {error}") from error
    if not callable(found) and not hasattr(found, "cost"):
        raise ParameterError(f"{name}: is no function, but {type(found).__name__}")
    return found
