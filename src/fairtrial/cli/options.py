"""Options as typed values: a class of options says its click options, and a command gets instances of it."""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import wraps
from typing import TYPE_CHECKING, Any, Literal

import click

from fairtrial.cli.files import READ, WRITTEN
from fairtrial.cli.output import note_later
from fairtrial.core.errors import ParameterError, check_seed
from fairtrial.core.words import cut, use_terms

if TYPE_CHECKING:
    from fairtrial.core.trials import NanPolicy
    from fairtrial.core.words import Terms
    from fairtrial.formats.sheets import GenuineBy
    from fairtrial.inference.people import Cluster
    from fairtrial.rules.criteria import Criterion
    from fairtrial.rules.measures import AnyMeasure, DetectionCosts, Measure

Function = Callable[..., Any]


def option(*flags: str, **settings: Any) -> Any:
    """A field of a class of options, filled by a click option of these settings."""
    return field(metadata={"make": click.option, "flags": flags, "settings": settings})


def argument(**settings: Any) -> Any:
    """A field of a class of options, filled by a click argument of these settings."""
    return field(metadata={"make": click.argument, "flags": (), "settings": settings})


def choice(flag: str, names: Sequence[str], default: str | None = None, **settings: Any) -> Any:
    """A field of a class of options that is one of these names."""
    shown = {} if default is None else {"default": default, "show_default": True}
    return option(flag, type=click.Choice(names), **shown, **settings)


def takes(*kinds: type[Any]) -> Callable[[Function], Function]:
    """Add the options of these classes to a command, which gets an instance of each, in their order.

    Options that are added besides come by their names. Used twice, the instances of the first use come first.
    """

    def decorate(function: Function) -> Function:
        @wraps(function)
        def collected(*before: Any, **values: Any) -> Any:
            given = [kind(**{each.name: values.pop(each.name) for each in fields(kind)}) for kind in kinds]
            return function(*before, *given, **values)

        command: Function = collected
        for kind in reversed(kinds):
            for each in reversed(fields(kind)):
                make, flags = each.metadata["make"], each.metadata["flags"]
                names = (*flags, each.name) if flags else (each.name,)
                command = make(*names, **each.metadata["settings"])(command)
        return command

    return decorate


def refuse_given(names: Sequence[str], why: str) -> None:
    """Raise an error where an option was given that would be ignored.

    Parameters
    ----------
    names
        The options, by the names of their fields.
    why
        Why it does not apply, to follow the option in a sentence.
    """
    context = click.get_current_context()
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if parameter.name in names and source is click.core.ParameterSource.COMMANDLINE:
            raise ParameterError(f"{parameter.opts[0]} {why}; leave it out")


def check_costs(dcf: str | None, *names: str) -> None:
    """Raise an error where costs were given and none of these criteria and measures is dcf."""
    if dcf is None:
        return
    detection_costs(dcf)
    if "dcf" not in names:
        raise ParameterError(
            f"--dcf gives the costs of dcf, and neither the criterion nor a measure is dcf ({', '.join(names)}); "
            "leave it out, or ask for dcf"
        )


def note_alpha(alpha: float | None, rule: Criterion) -> None:
    """Say so where an alpha was given that means nothing to the criterion."""
    if alpha is not None and rule.alpha_means == "none":
        note_later(f"alpha=... means nothing to the criterion {rule.name} and was ignored")


def check_text(context: click.Context, parameter: click.Parameter, value: Any) -> Any:
    """A text or several of them, if they are UTF-8, as a callback of an option."""
    for text in [value] if isinstance(value, str) else value:
        if not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
            raise ParameterError(f"{parameter.opts[0]} {text}: is not UTF-8 text")
    return value


def _checked_seed(context: click.Context, parameter: click.Parameter, value: int) -> int:
    return check_seed(value)


def _bytes_of(context: click.Context, parameter: click.Parameter, value: str | None) -> int | None:
    """A number of bytes, perhaps with a letter for its unit."""
    if value is None:
        return None
    found = re.fullmatch(r"(\d{1,12}(?:\.\d{1,6})?)([KMGT]?)(?:i?B)?", value.strip(), re.IGNORECASE | re.ASCII)
    if found is None:
        raise ParameterError(f"--max-size {cut(value)}: expected a number of bytes, as in 500M or 20G")
    return int(float(found[1]) * 1024 ** " KMGT".index(found[2].upper() or " "))


class ListedOption(click.Option):
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


def _any_measures() -> str:
    from fairtrial.rules.measures import any_measures_help

    return any_measures_help()


def _calibrations() -> str:
    from fairtrial.calibration.model import calibrations_help

    return calibrations_help()


def criterion_field(default: str) -> Any:
    """A field of a class of options: how thresholds are chosen on dev."""
    return option(
        "--criterion",
        default=default,
        show_default=True,
        metavar="NAME",
        help="How the threshold is chosen on dev. REGISTERED; or module:function.",
        cls=ListedOption,
        listed=_criteria,
    )


def measure_option(*names: str, help: str, evidence: bool = False, **more: Any) -> Callable[[Function], Function]:
    """What is reported: errors at a threshold, and perhaps evidence."""
    return click.option(
        *names,
        metavar="NAME",
        help=f"{help} REGISTERED; or module:function.",
        cls=ListedOption,
        listed=_any_measures if evidence else _measures,
        **more,
    )


CALIBRATION: dict[str, Any] = {
    "show_default": True,
    "metavar": "NAME",
    "help": "How scores are calibrated. REGISTERED.",
    "cls": ListedOption,
    "listed": _calibrations,
}


ALPHA: dict[str, Any] = {
    "type": float,
    "help": "The criterion's weight, or its target; a target must be given.  [default: 0.5 for a weight]",
}
SEED: dict[str, Any] = {"type": int, "default": 0, "show_default": True, "metavar": "N", "callback": _checked_seed}
seed_option = click.option("--seed", **SEED, help="Seed of all random numbers.")
FILES_HELP = "a file, a glob or a directory; may be repeated."
DCF_HELP = (
    "Costs and priors of dcf: cost of a false reject, prior of genuine, cost of a false accept, prior of impostor.  "
    "[default: 10,.01,1,.99]"
)
dcf_option = click.option("--dcf", metavar="CFR,PG,CFA,PI", help=DCF_HELP)
workers_option = click.option(
    "--workers",
    type=int,
    default=1,
    show_default=True,
    metavar="K",
    help="Threads; the result is the same for any number of them.",
)


def _use_terms(context: click.Context, parameter: click.Parameter, value: Terms) -> Terms:
    """Call error rates by these terms until the command ends."""
    use_terms(value)
    return value


_TERMS: dict[str, Any] = {
    "type": click.Choice(["default", "iso"]),
    "callback": _use_terms,
    "default": "default",
    "show_default": True,
    "help": "Names of error rates: FAR and FRR, or FMR and FNMR as in ISO.",
}
eer_option = click.option(
    "--eer",
    type=click.Choice(["step-mean", "step-low", "step-high", "interpolated", "rocch"]),
    default="step-mean",
    show_default=True,
    help="Definition of the EER.",
)
resample_option = click.option(
    "--resample",
    type=click.Choice(["test", "both"]),
    default="both",
    show_default=True,
    help="both: lead with intervals in which the threshold is re-estimated, as dev was a sample too; test: take the "
    "threshold as given.",
)
dev_resamples_option = click.option(
    "--resamples", type=int, default=400, show_default=True, metavar="M", help="How many times dev is resampled."
)
resamples_option = click.option(
    "--resamples", type=int, default=400, show_default=True, metavar="M", help="How many times dev is resampled."
)
resamples_option = click.option(
    "--resamples", type=int, default=10_000, show_default=True, metavar="M", help="Bootstrap resamples."
)
terms_option = click.option("--terms", expose_value=False, **_TERMS)
json_option = click.option("--json", "json_", is_flag=True, help="Print one JSON object and nothing else.")


@dataclass(frozen=True, slots=True)
class OutputOptions:
    """What becomes of a result: tables or JSON to read, and a file of it."""

    out: str | None = option(
        "--out",
        type=WRITTEN,
        metavar="FILE",
        help="Write the results to a file too: .csv, .tsv and .parquet hold the main table, .md and .tex all tables, "
        ".json what --json prints.",
    )
    terms: Terms = option("--terms", **_TERMS)
    json: bool = option("--json", is_flag=True, help="Print one JSON object and nothing else.")

    def check(self) -> None:
        """Raise an error before any work where the file could not be written."""
        if self.out is not None:
            from fairtrial.formats.results import ENDINGS, check_target

            check_target(self.out, (*ENDINGS, ".json"))


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """How score files are read."""

    systems: tuple[str, ...] = option(
        "--system", multiple=True, metavar="NAME", help="Use this system only; may be repeated."
    )
    chosen: str | None = option("--systems", metavar="A,B[,...]", help="Use these systems only, separated by commas.")
    format: str | None = option("--format", metavar="NAME", help="Format of the files, if it should not be detected.")
    columns: tuple[str, ...] = option(
        "--column",
        multiple=True,
        metavar="ROLE=NAME",
        help="Column for a role (claim, subject, model, probe, label, system, score, or other: no score); may be "
        "repeated. Where columns have no names, give their numbers.",
    )
    labels: tuple[str, ...] = option(
        "--label",
        multiple=True,
        metavar="CLASS=WORD",
        help="What a label means, as in genuine=target or impostor=spoof; may be repeated. Other labels are left out.",
    )
    key: tuple[str, ...] = option(
        "--key",
        multiple=True,
        type=READ,
        metavar="FILE",
        help="Trials with their labels, if the score files have none; given twice, that of dev and that of test.",
    )
    genuine_by: GenuineBy | None = choice(
        "--genuine-by",
        ["label", "ids"],
        help="What counts where labels and ids (genuine: claim = subject) contradict each other.  [default: an error]",
    )
    person: str | None = option(
        "--person",
        metavar="REGEX",
        help="Who a claim and a subject id belong to: the first group of the regular expression, or all that matches.",
    )
    names: tuple[str, ...] = option(
        "--name",
        multiple=True,
        metavar="NAME",
        callback=check_text,
        help="Name of the next system, in the order of the files.",
    )
    negate: bool = option("--negate", is_flag=True, help="Scores are distances: lower means genuine.")
    negate_system: tuple[str, ...] = option(
        "--negate-system", multiple=True, metavar="NAME", help="This system's scores are distances; may be repeated."
    )
    nan: NanPolicy = choice(
        "--nan",
        ["error", "drop", "reject"],
        "error",
        help="A trial without a score: an error, left out, or rejected.",
    )
    common: bool = option(
        "--common", is_flag=True, help="Keep only the trials that all files share, instead of ending in an error."
    )
    max_size: int | None = option(
        "--max-size",
        metavar="SIZE",
        callback=_bytes_of,
        help="How much a compressed file may unpack to, as in 500M or 20G.  [default: 8G, or half of the memory]",
    )
    diagonal: bool = option("--diagonal", is_flag=True, help="The diagonal of a matrix is genuine, whatever its ids.")
    transpose: bool = option("--transpose", is_flag=True, help="The rows of a matrix are claims, its columns subjects.")

    def keywords(self) -> dict[str, Any]:
        """Keyword arguments of `read_trials`."""
        if self.chosen is not None and self.systems:
            raise ParameterError("--system and --systems both say which systems are used; give one of them")
        if self.negate and self.negate_system:
            raise ParameterError("give either --negate for all systems, or --negate-system for some")
        labels = _pairs(self.labels, "--label", ("genuine", "impostor"))
        known = ("claim", "subject", "model", "probe", "label", "system", "score", "other")
        columns = _pairs(self.columns, "--column", known)
        single = [role for role, _ in columns if role not in ("score", "other")]
        for role in single:
            if single.count(role) > 1:
                raise ParameterError(f"--column {role}=... was given twice; only score and other may be")
        return {
            "format": self.format,
            "columns": {role: name for role, name in columns if role not in ("score", "other")},
            "scores": tuple(name for role, name in columns if role == "score"),
            "others": tuple(name for role, name in columns if role == "other"),
            "genuine_labels": tuple(word for kind, word in labels if kind == "genuine"),
            "impostor_labels": tuple(word for kind, word in labels if kind == "impostor"),
            "negate": True if self.negate else self.negate_system,
            "systems": self.systems if self.chosen is None else names_of(self.chosen),
            **{name: getattr(self, name) for name in ("key", "names", "nan", "common", "diagonal", "transpose")},
            "max_size": self.max_size,
            "genuine_by": self.genuine_by,
            "person": self.person,
        }


@dataclass(frozen=True, slots=True)
class SetOptions:
    """Development and test scores."""

    dev: tuple[str, ...] = option(
        "--dev", required=True, multiple=True, type=READ, metavar="F", help=f"Development scores: {FILES_HELP}"
    )
    test: tuple[str, ...] = option("--test", multiple=True, type=READ, metavar="F", help=f"Test scores: {FILES_HELP}")

    @property
    def files(self) -> tuple[str, ...]:
        """All files named."""
        return (*self.dev, *self.test)


@dataclass(frozen=True, slots=True)
class CostOptions:
    """Costs of criteria and measures that are called dcf."""

    dcf: str | None = option("--dcf", metavar="CFR,PG,CFA,PI", help=DCF_HELP)

    def applied(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Put the costs in place of the name dcf; an error if nothing is called so."""
        if self.dcf is None:
            return dict(values)
        costs = detection_costs(self.dcf)
        found: dict[str, Any] = {name: costs if value == "dcf" else value for name, value in values.items()}
        if "measures" in found:
            found["measures"] = tuple(costs if value == "dcf" else value for value in found["measures"])
        if found == dict(values):
            raise ParameterError("--dcf gives the costs of dcf, and neither the criterion nor a measure is dcf")
        return found


@dataclass(frozen=True, slots=True)
class InputOptions(SetOptions):
    """Development and test scores, or development scores that are cut into folds."""

    folds: int | None = option(
        "--folds",
        type=int,
        metavar="K",
        help="In place of --test: K folds of the dev trials that never split an individual.",
    )


@dataclass(frozen=True, slots=True)
class TwoSets:
    """Development and test scores."""

    dev: tuple[str, ...] = option(
        "--dev", required=True, multiple=True, type=READ, metavar="F", help=f"Development scores: {FILES_HELP}"
    )
    test: tuple[str, ...] = option(
        "--test", required=True, multiple=True, type=READ, metavar="F", help=f"Test scores: {FILES_HELP}"
    )

    @property
    def files(self) -> tuple[str, ...]:
        """All files named."""
        return (*self.dev, *self.test)


@dataclass(frozen=True, slots=True)
class ChanceOptions:
    """What is known of chance: which trials share people, and how sure an answer is to be."""

    cluster: Cluster | None = choice(
        "--cluster",
        ["none", "claim", "subject", "both"],
        help="What trials share: for intervals, tests and folds.  [default: all ids that are known]",
    )
    confidence: float = option(
        "--confidence", type=float, default=0.95, show_default=True, help="Confidence of intervals, bands and tests."
    )
    seed: int = option("--seed", **SEED, help="Seed of folds and resamples.")


@dataclass(frozen=True, slots=True)
class PointOptions:
    """How the threshold is chosen on dev."""

    criterion: str = criterion_field("eer")
    alpha: float | None = option("--alpha", **ALPHA)
    dcf: str | None = option("--dcf", metavar="CFR,PG,CFA,PI", help=DCF_HELP)

    @property
    def rule(self) -> Criterion:
        """The criterion itself; an error where it aims at a target and none is given."""
        return criterion_with(self.alpha, self.criterion, self.dcf)

    def check(self, *measures: str) -> None:
        """Raise an error where --dcf was given and nothing is dcf; say so where --alpha means nothing."""
        check_costs(self.dcf, self.criterion, *measures)
        note_alpha(self.alpha, self.rule)


Alternatives = Literal["two-sided", "less", "greater"]
alternative_option = click.option(
    "--alternative",
    type=click.Choice(["two-sided", "less", "greater"]),
    default="two-sided",
    show_default=True,
    help="What is claimed of A - B.",
)


def _pairs(entries: Sequence[str], flag: str, known: Sequence[str]) -> list[tuple[str, str]]:
    pairs = []
    for entry in entries:
        key, equals, value = entry.partition("=")
        if not equals or not value or key not in known:
            raise ParameterError(f"{flag} {entry}: expected {'|'.join(known)}=..., as in {flag} {known[0]}=NAME")
        pairs.append((key, value))
    return pairs


def names_of(text: str) -> tuple[str, ...]:
    """Names separated by commas; a comma within brackets, as in (FH,MLP), belongs to the name."""
    return tuple(name.strip() for name in re.split(r",(?![^()]*\))", text))


def criterion_by_name(name: str, dcf: str | None) -> Criterion:
    """A criterion by its name, or a user's function named as module:function."""
    from fairtrial.rules.criteria import as_criterion

    costs = None if dcf is None else detection_costs(dcf)
    if name == "dcf" and costs is not None:
        return as_criterion(costs)
    return as_criterion(_load(name) if ":" in name else name)


def criterion_with(alpha: float | None, name: str, dcf: str | None = None) -> Criterion:
    """A criterion by its name, an error where it cannot go with this alpha."""
    found = criterion_by_name(name, dcf)
    found.resolve_alpha(alpha)
    return found


def measure_by_name(name: str, dcf: str | None) -> Measure:
    """A measure of errors at a threshold by its name, or a user's function named as module:function."""
    from fairtrial.rules.measures import errors_only

    why = (
        "it has no threshold, and so no alpha; evaluate and compare report it, "
        "plot ece and plot bayes-error draw evidence along priors"
    )
    return errors_only([any_measure_by_name(name, dcf)], why)[0]


def any_measure_by_name(name: str, dcf: str | None) -> AnyMeasure:
    """A measure of errors at a threshold or of evidence by its name, or a user's function."""
    from fairtrial.rules.measures import as_any_measure

    return as_any_measure(_measure_like(name, dcf))


def _measure_like(name: str, dcf: str | None) -> Any:
    costs = None if dcf is None else detection_costs(dcf)
    if name == "dcf" and costs is not None:
        return costs
    return _load(name) if ":" in name else name


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
        raise ParameterError(f"{name}: is not a function, but {type(found).__name__}")
    return found
