"""Parameters by name: one name means one thing in the whole package.

The signature declares the type and the default of a parameter, and the docstring its meaning. All else is declared
here, once: how it is typed in a shell, where help lists it, how its text is read, what it excludes. Options of the
command line, fields of the explorer, refusals and the words of errors follow.
"""

from __future__ import annotations

import inspect
import re
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import UnionType
from typing import Any, Literal, TypeAlias, Union, get_args, get_origin

from fairtrial.core.errors import ParameterError
from fairtrial.core.words import Style, visible

Group: TypeAlias = Literal["Data", "Threshold", "Certainty", "Method", "Reading", "Computing", "Output"]
"""The headings under which help lists options."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """The declaration of a parameter, without its type, its default and its help.

    Attributes
    ----------
    group : str
        The heading under which help lists its option.
    flag : str
        Its option; two dashes and the name by default.
    also : tuple of str
        Other spellings of the option.
    metavar : str
        The placeholder of the value in help.
    basic : bool
        Whether the short help shows it.
    key : str
        The text before an equals sign in the value, as in ``--label genuine=NAME``.
    read : callable, optional
        Turns the text of a shell into a value of Python.
    excludes : tuple of str
        Parameters that have no effect beside this one.
    needs_scores : bool
        Whether it needs scores, and not only counts of them.
    file : {"", "read", "written"}
        Whether it names files that are read, or a file that is written.
    read_all : callable, optional
        Turns all texts of an option that may be repeated into one value.
    hidden : bool
        Whether it is for Python only.
    """

    group: Group = "Method"
    flag: str = ""
    also: tuple[str, ...] = ()
    metavar: str = ""
    basic: bool = False
    key: str = ""
    read: Callable[[str], Any] | None = None
    excludes: tuple[str, ...] = ()
    needs_scores: bool = False
    file: Literal["", "read", "written"] = ""
    read_all: Callable[[Sequence[str]], Any] | None = None
    hidden: bool = False


def read_names(text: str) -> tuple[str, ...]:
    """Split names at commas; a comma within brackets, as in (FH,MLP), belongs to the name."""
    return tuple(name.strip() for name in re.split(r",(?![^()]*\))", text))


def read_number(text: str) -> float:
    """Read a number, perhaps in percent.

    Examples
    --------
    >>> read_number(".01"), read_number("1%")
    (0.01, 0.01)
    """
    return _number(text, "a number, such as .01 or 1%")


def _number(text: str, what: str) -> float:
    stripped = text.strip()
    try:
        return float(stripped.removesuffix("%")) / (100 if stripped.endswith("%") else 1)
    except ValueError as error:
        raise ParameterError("expected {what}, not {text:quoted}", what=what, text=text) from error


def read_whole(text: str) -> int:
    """Read a whole number, perhaps with its thousands separated by underscores.

    Examples
    --------
    >>> read_whole("1_000"), read_whole("1e6")
    (1000, 1000000)
    """
    value = _number(text, "a whole number")
    if not abs(value) <= 2**53:
        raise ParameterError("expected a number of at most {most:count}, not {text:quoted}", most=2**53, text=text)
    if value != int(value):
        raise ParameterError("expected a whole number, not {text:quoted}", text=text)
    return int(value)


def read_resamples(text: str) -> int | None:
    """Read a number of resamples; 0 stands for None."""
    return read_whole(text) or None


def read_bytes(text: str) -> int:
    """Read a number of bytes, perhaps with a letter for its unit.

    Examples
    --------
    >>> read_bytes("1.5K"), read_bytes("20GB") == 20 * 2**30
    (1536, True)
    """
    match = re.fullmatch(r"(\d{1,12}(?:\.\d{1,6})?)([KMGT]?)(?:i?B)?", text.strip(), re.IGNORECASE | re.ASCII)
    if match is None:
        raise ParameterError(f"expected a number of bytes, as in 500M or 20G, not {text!r}")
    return int(float(match[1]) * 1024 ** " KMGT".index(match[2].upper() or " "))


def read_folds(text: str) -> int | str:
    """Read a number of folds, or the name of a column that gives the fold of each trial.

    Examples
    --------
    >>> read_folds("5"), read_folds("session")
    (5, 'session')
    """
    return read_whole(text) if re.match(r"\s*[-+.\d]", text) else text


def read_measures(text: str) -> tuple[Any, ...]:
    """Read one measure or several; a comma before a number belongs to a cost.

    Examples
    --------
    >>> read_measures("far,act-dcf@.01,10,1,frr")
    ('far', 'act-dcf@.01,10,1', 'frr')
    """
    return tuple(read_named(name.strip()) for name in re.split(r",(?!\s*[-+.\d])", text))


def read_edges(texts: Sequence[str]) -> dict[str, list[float]]:
    """Read columns and the numbers at which they are cut.

    Examples
    --------
    >>> read_edges(["age=30,50", "height=170"])
    {'age': [30.0, 50.0], 'height': [170.0]}
    """
    edges: dict[str, list[float]] = {}
    for text in texts:
        name, equals, numbers = text.partition("=")
        if not equals:
            raise ParameterError("expected a column and numbers, as in age=30,50, not {text:quoted}", text=text)
        edges.setdefault(name, []).extend(read_number(number) for number in numbers.split(","))
    return edges


def read_eers(texts: Sequence[str]) -> list[float | tuple[str, float]]:
    """Read EERs, some perhaps with a name.

    Examples
    --------
    >>> read_eers(["TAN=.0057", "2%"])
    [('TAN', 0.0057), 0.02]
    """
    parts = [text.rpartition("=") for text in texts]
    return [(name, read_number(text)) if sign else read_number(text) for name, sign, text in parts]


def read_named(text: str) -> Any:
    """Read a registered name, or load a user's object named as module:name."""
    module, colon, attribute = text.partition(":")
    if not colon:
        return text
    import importlib
    import os

    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        item = getattr(importlib.import_module(module), attribute)
    except Exception as error:  # a user's module may fail in any way
        raise ParameterError(f"{text}: cannot be loaded as module:function: {type(error).__name__}: {error}") from error
    if not callable(item) and not hasattr(item, "cost"):
        raise ParameterError(f"{text}: is not a function, but {type(item).__name__}")
    return item


_THRESHOLD_FROM_DEV = ("criterion", "alpha", "folds", "resample")
_FITTED = (
    "fusion", "normalise", "method", "prior", "bounds", "fuse", "criterion", "alpha", "missing", "inner", "inner_folds",
    "folds",
)  # fmt: skip
PARAMETERS: dict[str, Parameter] = {
    # trials and people
    "dev": Parameter("Data", metavar="F", basic=True, file="read"),
    "test": Parameter("Data", metavar="F", basic=True, file="read"),
    "folds": Parameter("Data", metavar="K|COLUMN", basic=True, read=read_folds),
    "systems": Parameter("Data", "--system", also=("--systems",), metavar="A[,B...]", basic=True, read=read_names),
    "data": Parameter("Data", metavar="NAME|DIR"),
    "only": Parameter("Data", "--set", metavar="NAME"),
    "export": Parameter("Data", metavar="DIR", basic=True),
    "other_dev": Parameter("Data", metavar="F", file="read"),
    "other_test": Parameter("Data", metavar="F", file="read"),
    "reference": Parameter("Data", metavar="NAME"),
    "compare": Parameter("Data", metavar="A,B", basic=True, read=read_names),
    "moved": Parameter("Data", "--move", metavar="A[,B...]", basic=True, read=read_names),
    "model": Parameter("Data", metavar="M.json", basic=True, file="read", excludes=_FITTED),
    "by": Parameter("Data", metavar="COLUMN[,...]", basic=True, read=read_names),
    "impostor_by": Parameter("Data", metavar="COLUMN[,...]", read=read_names),
    "role": Parameter("Data", "--by"),
    "people": Parameter("Data", metavar="P.csv", basic=True, file="read"),
    "person_column": Parameter("Data", metavar="NAME"),
    "edges": Parameter("Data", metavar="COLUMN=N[,N...]", basic=True, read_all=read_edges),
    "file": Parameter("Data", file="read"),
    "files": Parameter("Data", file="read"),
    "paths": Parameter("Data", file="read"),
    "like": Parameter("Data", metavar="F", basic=True, file="read"),
    "impostor": Parameter("Data", metavar="NI", basic=True),
    "genuine": Parameter("Data", metavar="NC", basic=True),
    "far": Parameter("Data", basic=True),
    "frr": Parameter("Data", basic=True),
    "false_accepts": Parameter("Data", metavar="FA", basic=True),
    "false_rejects": Parameter("Data", metavar="FR", basic=True),
    "a": Parameter("Data", metavar="FAR FRR", basic=True),
    "b": Parameter("Data", metavar="FAR FRR", basic=True),
    "c": Parameter("Data", basic=True),
    "a_counts": Parameter("Data", metavar="FA FR", basic=True),
    "b_counts": Parameter("Data", metavar="FA FR", basic=True),
    "discordant": Parameter("Data", metavar="NI_AB NI_BA NC_AB NC_BA"),
    "eers": Parameter("Data", read_all=read_eers),
    "trials": Parameter("Data", basic=True),
    "eer_m": Parameter("Data"),
    "rate": Parameter("Data", basic=True),
    "paired": Parameter("Data", basic=True),
    "grid": Parameter("Data", metavar="paper|quick", basic=True),
    "n": Parameter("Data", metavar="N[,...]", basic=True),
    "m": Parameter("Data", metavar="M[,...]", basic=True),
    "pi": Parameter("Data", metavar="P", basic=True),
    "rho": Parameter("Data", metavar="R", basic=True),
    "half_width": Parameter("Data", metavar="H", basic=True),
    "below": Parameter("Data", metavar="C", basic=True),
    "individuals": Parameter("Data", basic=True),
    "attempts": Parameter("Data", metavar="M", basic=True),
    "outside": Parameter("Data"),
    "repeats": Parameter("Data"),
    "failed_enrolment": Parameter("Data"),
    # choice of the threshold
    "criterion": Parameter("Threshold", metavar="NAME", basic=True, read=read_named),
    "alpha": Parameter("Threshold", basic=True),
    "threshold": Parameter("Threshold", basic=True, excludes=_THRESHOLD_FROM_DEV),
    "points": Parameter("Threshold", metavar="N"),
    "range": Parameter("Threshold", metavar="LOW HIGH"),
    "far_targets": Parameter("Threshold", "--far", metavar="X[,X...]", basic=True),
    "eer": Parameter("Threshold"),
    # intervals and tests
    "confidence": Parameter("Certainty", basic=True),
    "cluster": Parameter("Certainty"),
    "resample": Parameter("Certainty", needs_scores=True),
    "n_resamples": Parameter("Certainty", "--resamples", metavar="M", read=read_resamples, needs_scores=True),
    "rng": Parameter("Certainty", "--seed", read=read_whole, needs_scores=True),
    "correction": Parameter("Certainty", basic=True),
    "alternative": Parameter("Certainty"),
    "margin": Parameter("Certainty", needs_scores=True),
    "bands": Parameter("Certainty", basic=True, needs_scores=True),
    "band_method": Parameter("Certainty", needs_scores=True),
    "power": Parameter("Certainty", basic=True),
    "p_value": Parameter("Certainty", basic=True),
    # what is computed
    "measure": Parameter("Method", metavar="NAME", basic=True, read=read_named),
    "measures": Parameter("Method", "--measure", metavar="NAME", basic=True, read=read_measures),
    "fusion": Parameter("Method", metavar="NAME", basic=True),
    "fusions": Parameter("Method", "--fusion", metavar="NAME[,...]", basic=True, read=read_names),
    "normalise": Parameter("Method", metavar="NAME", basic=True),
    "protocol": Parameter("Method", metavar="NAME", basic=True),
    "method": Parameter("Method", metavar="NAME", basic=True),
    "fuse": Parameter("Method", basic=True, excludes=("correction",)),
    "other": Parameter("Data", "--other-dev", metavar="F"),
    "rho_client": Parameter("Method", "--rho", metavar="R"),
    "five_by_two": Parameter("Method", "--5x2cv"),
    "methods": Parameter("Method", "--method", metavar="NAME", read=read_names),
    "models": Parameter("Method", "--model"),
    "costs": Parameter("Method", "--dcf", metavar="COSTS"),
    "areas": Parameter("Method", metavar="V1,V2", read=read_names, needs_scores=True),
    "no_areas": Parameter("Method", excludes=("areas", "convention")),
    "data_sets": Parameter("Method", "--datasets", metavar="D"),
    "partition": Parameter("Method", metavar="COLUMN"),
    "inner_folds": Parameter("Method", metavar="K"),
    "thresholds": Parameter("Method", metavar="[NAME=]T[,T...]", basic=True),
    # figures
    "marks": Parameter("Method", "--mark"),
    "groups": Parameter("Method", "--group", metavar="NAME"),
    "of_scores": Parameter("Method", "--scores"),
    # how files are read
    "format": Parameter("Reading", metavar="NAME"),
    "columns": Parameter("Reading", "--column", metavar="ROLE=NAME", basic=True),
    "scores": Parameter("Reading", "--column", key="score", hidden=True),
    "others": Parameter("Reading", "--column", key="other", hidden=True),
    "genuine_labels": Parameter("Reading", "--label", metavar="CLASS=WORD", key="genuine"),
    "impostor_labels": Parameter("Reading", "--label", key="impostor", hidden=True),
    "key": Parameter("Reading", metavar="FILE", file="read"),
    "genuine_by": Parameter("Reading"),
    "person": Parameter("Reading", metavar="REGEX"),
    "names": Parameter("Reading", "--name", metavar="NAME"),
    "negate": Parameter("Reading", basic=True),
    "negate_system": Parameter("Reading", metavar="NAME"),
    "nan": Parameter("Reading", basic=True),
    "common": Parameter("Reading"),
    "max_size": Parameter("Reading", metavar="SIZE", read=read_bytes),
    "diagonal": Parameter("Reading"),
    "transpose": Parameter("Reading"),
    # where and how it is computed
    "workers": Parameter("Computing", metavar="K", needs_scores=True),
    "memory": Parameter("Computing", metavar="SIZE"),
    "scheduler": Parameter("Computing", metavar="ADDRESS"),
    "progress": Parameter("Computing", hidden=True),
    "executor": Parameter("Computing", hidden=True),
    "journal": Parameter("Computing", hidden=True),
    "keep_scores": Parameter("Computing", hidden=True),
    # what is shown and written
    "out": Parameter("Output", metavar="FILE", basic=True, file="written"),
    "report": Parameter("Output", metavar="FILE.html", basic=True, file="written", needs_scores=True),
    "title": Parameter("Output", metavar="TEXT"),
    "trials_out": Parameter("Output", metavar="FILE", file="written", needs_scores=True),
    "scores_out": Parameter("Output", metavar="F", basic=True, file="written", needs_scores=True),
    "save": Parameter("Output", metavar="M.json", basic=True, file="written"),
    "style": Parameter("Output"),
    "notes": Parameter("Output"),
    "width": Parameter("Output"),
    "height": Parameter("Output"),
    "dpi": Parameter("Output"),
    "port": Parameter("Output"),
    "no_browser": Parameter("Output"),
    "terms": Parameter("Output"),
    "all": Parameter("Output", basic=True),
    "verbose": Parameter("Output", "--verbose", also=("-v",)),
    "json": Parameter("Output", basic=True),
    "help": Parameter("Output"),
    "help_all": Parameter("Output", basic=True),
}
"""Declarations by name; other parameters have a signature and a docstring only."""
_HELP = {
    "dev": "Development scores: file, glob or directory.",
    "test": "Test scores: file, glob or directory.",
    "folds": "Instead of --test: divide the people of dev into K folds. A column divides the trials by its values.",
    "systems": "These systems only.",
    "data": "A set of `fairtrial datasets`, or a directory with a benchmark.toml.",
    "only": "This set only, such as LP1.",
    "other_dev": "Instead of --move: dev scores of the other modality.",
    "other_test": "Instead of --move: test scores of the other modality.",
    "model": "Instead of --dev: a model saved with --save.",
    "people": "A table of people, one row each: a column person, and those of --by.",
    "edges": "Cut a column of numbers, as in age=30,50.",
    "like": "Instead of a grid: a table of people with the columns errors and attempts. The study has as many people "
    "and attempts, and the estimated rate and correlation; a negative one counts as 0.",
    "grid": "All 2744 cells of the paper, or a few of them.  [default: quick]",
    "criterion": "How the threshold is chosen on dev: see `fairtrial criteria`. Or module:function.",
    "alpha": "The weight of the criterion, or its target, as in .001 or 0.1%. A target must be given.  [default: 0.5 "
    "for a weight]",
    "rng": "Seed of all random numbers.",
    "measure": "What is reported: see `fairtrial measures`. Or module:function.",
    "measures": "Further figures on test, with intervals: see `fairtrial measures`. Separate several by commas; or "
    "module:function.",
    "fusion": "The method: mean, weighted-mean, product, min, max, median, logistic, lda, qda, gmm, svm-linear, svm-"
    "rbf, mlp. Per client: client-threshold, client-scores, client-weights, client-qda. Or a registered one.",
    "fusions": "Fusion methods by name; several are compared over the whole protocol.",
    "normalise": "The normalisation: none, z, min-max, median-mad, tanh, double-sigmoid. Per client: z-norm, f-norm, "
    "eer-norm.",
    "fuse": "Make one calibration of all systems together, by logistic or gaussian.",
    "costs": "Costs of dcf: a prior (.01); a prior and the costs of a miss and of a false accept (.01,10,1); or a name "
    "(sre18-vast, sre19-av, sre20-cts). calibrate also takes those of two points: sre16, sre18, sre19-cts, sre21.",
    "inner": "Origin of the fused dev scores, and so of the threshold. folds: held-out folds; none: the trials that "
    "were fitted on; auto: as the method says.",
    "inner_folds": "Number of folds of held-out dev scores.",
    "bounds": "elub: bound ratios by those that dev supports (ELUB).",
    "format": "Format of the files, if it should not be detected.",
    "columns": "Name a column, as in label=y or claim=id1. Roles: claim, subject, model, probe, label, system, score, "
    "or other (no score); by name or number. A number may get a name of your own, as in attack=8.",
    "genuine_labels": "What a label means, as in genuine=target or impostor=spoof. Other labels are left out.",
    "key": "Trials with their labels, if the score files have none; given twice, that of dev and that of test.",
    "negate": "Scores are distances: lower means genuine.",
    "negate_system": "Scores of this system are distances.",
    "nan": "Trials without a score: raise an error, drop them, or reject them. They are dropped for all systems, and "
    "rejected by a score of -inf.",
    "max_size": "Maximum unpacked size of a compressed file, as in 500M or 20G.  [default: 8G, or half of the memory]",
    "memory": "Memory for the trials, as in 4GB; larger files are read in pieces, with the same figures.  [default: "
    "half of the machine's]",
    "scheduler": "Count pieces of the files on a Dask cluster, as in tcp://10.0.0.1:8786; its workers must see them.",
    "out": "Write tables: .csv, .tsv, .parquet (the main one), .md, .tex, .json.",
    "report": "Write a page with tables and figures.",
    "notes": "caption: write the caption beside the picture, as .txt.",
    "width": "Width in inches.",
    "height": "Height in inches.",
    "dpi": "Dots per inch of a .png.  [default: by --style]",
    "title": "With --report: the title of the page.",
    "trials_out": "Write the decisions, one row per system and judged trial: ids, label, score, threshold, decision "
    "and error.",
    "scores_out": "Write the new scores of test to F, and those of dev to dev-F.",
    "save": "Save what was fitted, for --model.",
    "terms": "Names of error rates: FAR and FRR, or FMR and FNMR as in ISO.",
    "all": "Print all tables and notes.",
    "verbose": "Print all notes, such as how the files were read.",
    "json": "Print one JSON object and nothing else.",
}
"""What an option means in a shell, if the docstring is about objects of Python."""


def parameter_of(name: str) -> Parameter:
    """Return the declaration of a parameter; the default one if there is none."""
    return PARAMETERS.get(name, Parameter())


def flag_of(name: str) -> str:
    """Return the option of a parameter."""
    return parameter_of(name).flag or f"--{name.replace('_', '-')}"


def spell(name: str, value: Any, style: Style) -> str:
    """Write a parameter with its value, or its name alone if the value is an ellipsis.

    Examples
    --------
    >>> spell("nan", "drop", "python"), spell("nan", "drop", "shell"), spell("nan", ..., "shell")
    ('nan="drop"', '--nan drop', '--nan')
    >>> spell("columns", {"label": "NAME"}, "shell"), spell("genuine_labels", "target", "shell")
    ('--column label=NAME', '--label genuine=target')
    >>> spell("common", True, "shell"), spell("names", ["A", "B"], "shell")
    ('--common', '--name A --name B')
    """
    if callable(style):
        return style(name, value)
    if style == "python":
        return name if value is ... else f"{name}={_quoted(value)}"
    return " ".join(option_words(name, value))


def option_words(name: str, value: Any) -> list[str]:
    """Write a parameter with its value as words of a command line.

    Examples
    --------
    >>> option_words("by", ["sex", "age"]), option_words("alpha", 1 / 3)
    (['--by', 'sex,age'], ['--alpha', '0.3333333333333333'])
    """
    flag, declared = flag_of(name), parameter_of(name)
    if value is ... or value is True:
        return [flag, f"{declared.key}=..."] if declared.key else [flag]
    if isinstance(value, Mapping):
        return [word for role, entry in value.items() for word in (flag, f"{role}={entry}")]
    entries = value if isinstance(value, list | tuple) else [value]
    if "[," in declared.metavar:
        return [flag, ",".join(map(str, entries))]
    return [word for entry in entries for word in (flag, f"{declared.key}={entry}" if declared.key else str(entry))]


def repeat_command(words: Sequence[str]) -> str:
    """Write a command as it is typed in a shell."""
    return visible(shlex.join(["fairtrial", *words]))


def repeat_call(name: str, arguments: Sequence[str], values: Mapping[str, Any]) -> str:
    """Write a call as it is typed in Python.

    Examples
    --------
    >>> repeat_call("ft.evaluate", ["dev", "test"], {"criterion": "far", "alpha": 0.01})
    'ft.evaluate(dev, test, criterion="far", alpha=0.01)'
    """
    return f"{name}({', '.join([*arguments, *(spell(*entry, 'python') for entry in values.items())])})"


def _quoted(value: Any) -> str:
    """Write a value as Python does, texts in double quotes."""
    if isinstance(value, str):
        return repr(value) if set(value) & {'"', "\\"} or not value.isprintable() else f'"{value}"'
    if isinstance(value, list):
        return f"[{', '.join(map(_quoted, value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_quoted(key)}: {_quoted(entry)}' for key, entry in value.items())}}}"
    return repr(value)


@dataclass(frozen=True, slots=True)
class Argument:
    """One parameter of one function.

    Attributes
    ----------
    name : str
        Its name.
    type : type
        The type of one value: ``bool``, ``int``, ``float`` or ``str``.
    choices : tuple of str
        The values that it may have; empty if they cannot be listed.
    count : int
        The number of words of one value: 1, or the length of a tuple.
    repeated : bool
        Whether there may be any number of values.
    numbers : bool
        Whether it is one number or several.
    default : object
        The default; an ellipsis if it must be given.
    help : str
        Its help in a shell.
    """

    name: str
    type: type = str
    choices: tuple[str, ...] = ()
    count: int = 1
    repeated: bool = False
    numbers: bool = False
    default: Any = None
    help: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "help", self.help or _HELP.get(self.name, ""))

    @property
    def parameter(self) -> Parameter:
        """The declaration of its name."""
        return parameter_of(self.name)


@cache
def arguments_of(function: Callable[..., Any]) -> tuple[Argument, ...]:
    """List the arguments of a function, without those for Python only."""
    texts = _descriptions(function)
    arguments = []
    for parameter in inspect.signature(function).parameters.values():
        declared = parameter_of(parameter.name)
        if declared.hidden or parameter.kind is inspect.Parameter.VAR_KEYWORD:
            continue
        hint = _resolved(parameter.annotation, function)
        value_type, repeated, count = _parsed(hint)
        choices = get_args(value_type) if get_origin(value_type) is Literal else ()
        kind = value_type if value_type in (bool, int, float, str) else str
        several = repeated or any(get_origin(part) is Sequence for part in get_args(hint))
        default = ... if parameter.default is inspect.Parameter.empty else parameter.default
        # the general help fits neither a list of choices, nor an alpha that is a weight, nor a file other than a table
        is_weight = parameter.name == "alpha" and default is not None
        is_specific = (choices and declared.read is read_named) or is_weight or parameter.name == "out"
        help_text = ("" if is_specific else _HELP.get(parameter.name)) or texts.get(parameter.name, "")
        numbers = several and kind in (int, float)
        arguments.append(Argument(parameter.name, kind, choices, count, repeated, numbers, default, help_text))
    return tuple(arguments)


def _resolved(annotation: Any, function: Callable[..., Any]) -> Any:
    """Evaluate an annotation; a name that only type checkers import counts as a text."""
    if not isinstance(annotation, str):
        return annotation
    try:
        return eval(annotation, vars(sys.modules[function.__module__]))
    except (NameError, TypeError, AttributeError):
        return str


def _parsed(hint: Any) -> tuple[Any, bool, int]:
    """Parse a type: that of one value, whether there may be several values, and the number of words of one."""
    if get_origin(hint) in (Union, UnionType):
        kinds = [kind for kind in get_args(hint) if kind is not type(None)]
        typed = [kind for kind in kinds if kind in (int, float, str)]
        return _parsed(kinds[0] if len(kinds) == 1 else typed[0] if typed else str)
    if get_origin(hint) is tuple and ... not in get_args(hint):
        return get_args(hint)[0], False, len(get_args(hint))
    if get_origin(hint) in (tuple, list, Sequence):
        return get_args(hint)[0], True, 1
    return hint, False, 1


def _descriptions(function: Callable[..., Any]) -> dict[str, str]:
    """Read the description of each parameter from a docstring."""
    lines = (inspect.getdoc(function) or "").splitlines()
    try:
        start = next(k for k, line in enumerate(lines) if line in ("Parameters", "Attributes")) + 2
    except StopIteration:
        return {}
    descriptions: dict[str, str] = {}
    names: list[str] = []
    for line, after in zip(lines[start:], [*lines[start + 1 :], ""], strict=True):
        if set(after) == {"-"}:
            break
        if line and not line.startswith(" "):
            names = [name.strip(" *") for name in line.partition(" : ")[0].split(",")]
        for name in names if line.startswith(" ") else ():
            descriptions[name] = f"{descriptions.get(name, '')} {line.strip()}".strip().replace("`", "")
    for name, text in descriptions.items():
        other = re.fullmatch(r"As of (\w+)\.", text)
        if other is not None and callable(described := vars(sys.modules[function.__module__]).get(other[1])):
            descriptions[name] = _descriptions(described).get(name, text)
    return descriptions


def refuse_excluded(function: Callable[..., Any], values: Mapping[str, Any], *, has_scores: bool = True) -> None:
    """Refuse a parameter that has no effect beside another, or that needs scores if there are only counts.

    A parameter is given if its value differs from its default, in Python, in a shell and on a page.
    """
    given = changed(function, values)
    for name in given:
        for other in parameter_of(name).excludes:
            if other in given:
                template = f"{{{other}!p}} has no effect with {{{name}!p}}; remove one of them"
                raise ParameterError(template, code="excluded", **{name: values[name], other: values[other]})
        if parameter_of(name).needs_scores and not has_scores:
            template = f"{{{name}!p}} needs the scores themselves, and not counts of them"
            raise ParameterError(template, code="needs-scores", **{name: values[name]})


def changed(function: Callable[..., Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Select the values that differ from the defaults of a function, in the order of its signature."""
    defaults = {name: parameter.default for name, parameter in inspect.signature(function).parameters.items()}
    return {name: values[name] for name in defaults if name in values and not _same(values[name], defaults[name])}


def _same(value: Any, default: Any) -> bool:
    try:
        return value is default or bool(value == default)
    except ValueError:  # arrays
        return False
