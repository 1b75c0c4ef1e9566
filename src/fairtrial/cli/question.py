"""Answer a command: read its files, whole, in pieces or as counts; ask its function; write and print the result."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from fairtrial.cli.commands import Declared
from fairtrial.cli.output import (
    Bar,
    check_outputs,
    dev_beside,
    name_outputs,
    print_result,
    reading_bar,
    write_outputs,
)
from fairtrial.core.errors import InputError, OutputError, ParameterError, check_classes
from fairtrial.core.notes import Note, distances_in
from fairtrial.core.parameters import (
    Argument,
    arguments_of,
    flag_of,
    parameter_of,
    read_names,
    read_number,
    read_whole,
    refuse_excluded,
)
from fairtrial.core.words import use_distances

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from fairtrial.core.trials import Trials
    from fairtrial.inference.folds import Block

_PATIENCE = 20
"""Seconds to wait for a cluster, and for one of its workers."""


def run_question(declared: Declared, function: Any, arguments: Sequence[Argument], typed: dict[str, Any]) -> None:
    """Read the files, ask the function, write and print its result."""
    context = click.get_current_context()
    takes = inspect.signature(function).parameters
    files = named_files(context, READ)
    beside = [dev_beside(typed["scores_out"])] if typed.get("scores_out") and typed.get("dev") else []
    check_not_read(context, files, beside)
    check_outputs({name: path for name, path in typed.items() if name not in takes})
    values, data = ask(declared, function, arguments, typed)
    values |= show_distances(typed, data, values)
    with Bar(context.info_name or "") as bar:
        if "progress" in takes:
            values["progress"] = bar.advance
        if "journal" in takes and typed.get("out") and not values.get("like"):
            values["journal"] = f"{typed['out']}.journal"
        result = function(**data, **values)
    if hasattr(result, "counter"):
        use_distances(result.counter.distances)
    check_not_read(context, getattr(result, "files_read", ()))
    write_outputs(result, typed, data, files)
    print_result(result, typed)
    name_outputs(result, typed)
    if values.get("journal"):
        from fairtrial.repeated.journal import remove_journal

        remove_journal(values["journal"])


def ask(
    declared: Declared, function: Any, arguments: Sequence[Argument], typed: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Give the keyword arguments of a function, and its trials."""
    takes = inspect.signature(function).parameters
    values = values_of(arguments, typed)
    if typed.get("only") and not typed.get("data") and "only" not in takes:
        raise ParameterError("{only!p} names a set of {data!p}; give both", code="does-not-apply", only=0, data=0)
    if "costs" not in takes:
        values = with_costs(values, typed)
    elif isinstance(values.get("costs"), str):
        values["costs"] = _single_costs(values["costs"])
    if not declared.reads:
        refuse_excluded(function, values)
        return values, {}
    if declared.reads == "paths":
        return values | (_known_part(typed) if typed["data"] else reading_keywords(typed)), {}
    if declared.reads == "people":
        return values | {"people": _people(typed, values)}, {}
    data = read_sets(declared, takes, typed, values)
    if "dev" in takes:
        data.setdefault("dev", None)
    if isinstance(values.get("folds"), str):
        data["dev"], values["folds"] = given_folds(data["dev"], values["folds"])
    systems = names_of(typed)
    if systems and "systems" in takes:
        values["systems"] = systems
    if "other" in takes and (typed["other_dev"] or typed["other_test"]):
        if not typed["other_dev"] or not typed["other_test"]:
            raise ParameterError("give both --other-dev F and --other-test F")
        from fairtrial.formats.read import read_pair

        values["other"] = read_pair(
            typed["other_dev"], typed["other_test"], **reading_keywords(typed) | {"systems": ()}
        )
    refuse_excluded(function, values, has_scores=all(getattr(each, "has_scores", True) for each in data.values()))
    return values, data


def _people(typed: Mapping[str, Any], values: Mapping[str, Any]) -> Any:
    """Give a table of errors and attempts, or the scores of one system."""
    if "threshold" not in values:
        refuse_reading(typed, "applies to scores, and without {threshold!p} FILE is a table", threshold=...)
        return typed["people"]
    from fairtrial.formats.read import read_trials

    with reading_bar([typed["people"]]) as bar:
        trials = read_trials(typed["people"], progress=bar.advance, **reading_keywords(typed))
    if len(trials.systems) > 1:
        template = "{file} has the systems {names:list}; name one with {systems!p}"
        raise ParameterError(template, file=typed["people"], names=trials.systems, systems=0)
    return trials


def with_costs(values: dict[str, Any], typed: Mapping[str, Any], *, required: bool = True) -> dict[str, Any]:
    """Put the costs of --dcf in the place of the name dcf; an error if nothing is called so."""
    if typed.get("costs") is None:
        return values
    costs = _single_costs(typed["costs"])

    def priced(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(priced, value))
        return costs if value == "dcf" else value

    replaced = {name: priced(value) for name, value in values.items()}
    if required and replaced == values:
        template = "{costs!p} gives the costs of dcf, and neither the criterion nor a measure is dcf"
        raise ParameterError(template, code="does-not-apply", costs=0)
    return replaced


def _single_costs(text: str) -> Any:
    """Read the costs of one operating point."""
    from fairtrial.calibration.evidence import PRESETS, cost_target
    from fairtrial.rules.measures import DetectionCosts

    try:
        numbers = [read_number(part) for part in text.split(",")] if text.count(",") == 3 else []
        if numbers:
            return DetectionCosts(*numbers)
        points = cost_target(text).points
        if len(points) != 1:
            names = [name for name, preset in PRESETS.items() if len(preset) == 1]
            template = "is several operating points, which fairtrial calibrate takes; those of one are {names:list}"
            raise ParameterError(template, names=names)
    except ParameterError as error:
        template = "{costs!p} {text}: {why}"
        raise ParameterError(template, code=error.code, costs=0, text=text, why=str(error)) from error
    return DetectionCosts(points[0].miss, points[0].prior, points[0].false_alarm, 1 - points[0].prior)


def reading_arguments() -> list[Argument]:
    """List the options that say how score files are read."""
    from fairtrial.formats.sheets import ReadOptions

    arguments = {argument.name: argument for argument in arguments_of(ReadOptions)} | {
        "columns": Argument("columns", repeated=True, default=()),
        "negate": Argument("negate", bool, default=False),
    }
    del arguments["systems"]
    return [Argument("format"), *arguments.values(), Argument("negate_system", repeated=True, default=())]


def values_of(arguments: Iterable[Argument], typed: Mapping[str, Any]) -> dict[str, Any]:
    """Turn what was typed into keyword arguments, leaving out what was not given."""
    values: dict[str, Any] = {}
    for argument in arguments:
        value = typed.get(argument.name)
        if value is None or value == () or (argument.type is bool and value is False):
            continue
        try:
            values[argument.name] = _read(argument, value)
        except ParameterError as error:
            raise ParameterError(f"{flag_of(argument.name)}: {error}", code=error.code) from error
    return values


def _read(argument: Argument, value: Any) -> Any:
    declaration = argument.parameter
    by_type: dict[type, Callable[[str], Any]] = {int: read_whole, float: read_number}
    single = declaration.read or by_type.get(argument.type, str)
    if argument.type is bool or argument.choices:
        return value
    if declaration.read_all is not None:
        return declaration.read_all(value)
    if argument.numbers and declaration.read is None:
        entries = value if isinstance(value, tuple) else (value,)
        numbers = tuple(single(part) for entry in entries for part in entry.split(","))
        return numbers[0] if len(numbers) == 1 and not argument.repeated else numbers
    if not isinstance(value, tuple):
        return single(value)
    parts = tuple(map(single, value))
    several = declaration.read is not None and all(isinstance(part, tuple) for part in parts)
    return tuple(name for part in parts for name in part) if several else parts


def reading_keywords(typed: Mapping[str, Any]) -> dict[str, Any]:
    """Make the keyword arguments of `read_trials`."""
    if typed["negate"] and typed["negate_system"]:
        raise ParameterError("give either --negate for all systems, or --negate-system for some")
    values = values_of(reading_arguments(), typed)
    negated = values.pop("negate_system", ())
    labels = _pairs(values.get("genuine_labels", ()), "--label", ("genuine", "impostor"))
    columns = _pairs(values.get("columns", ()), "--column")
    single = [role for role, _ in columns if role not in ("score", "other")]
    for role in single:
        if single.count(role) > 1:
            raise ParameterError(f"--column {role}=... was given twice; only score and other may be")
    for name in values.get("names", ()):
        check_text("--name", name)
    return values | {
        "columns": {role: name for role, name in columns if role in single},
        "scores": tuple(name for role, name in columns if role == "score"),
        "others": tuple(name for role, name in columns if role == "other"),
        "genuine_labels": tuple(word for kind, word in labels if kind == "genuine"),
        "impostor_labels": tuple(word for kind, word in labels if kind == "impostor"),
        "negate": values.get("negate", negated),
        "systems": names_of(typed),
    }


def _pairs(entries: Sequence[str], flag: str, keys: Sequence[str] = ()) -> list[tuple[str, str]]:
    pairs = []
    for entry in entries:
        key, _, value = entry.partition("=")
        if not key or not value or (keys and key not in keys):
            example = f"{value}={key}" if value in keys and key else f"{keys[0] if keys else 'claim'}=NAME"
            raise ParameterError(f"{flag} {entry}: expected {'|'.join(keys) or 'ROLE'}=..., as in {flag} {example}")
        pairs.append((key, value))
    return pairs


def check_text(flag: str, text: str) -> None:
    """Raise an error if a text is not UTF-8."""
    if not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
        raise ParameterError(f"{flag} {text}: is not UTF-8 text")


def refuse_reading(typed: Mapping[str, Any], why: str, *, code: str = "does-not-apply", **values: Any) -> None:
    """Raise an error if an option says how score files are read; `why` ends the sentence."""
    for argument in reading_arguments():
        if typed[argument.name] not in (argument.default, None, ()):
            raise ParameterError(f"{{{argument.name}!p}} {why}", code=code, **{argument.name: ...}, **values)


def show_distances(typed: Mapping[str, Any], data: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Show thresholds of distances, which are negated when they are read, and take one, with the sign of the files."""
    trials = next((each for each in (*data.values(), values.get("people")) if hasattr(each, "systems")), None)
    if trials is None:
        return {}
    distances = set(trials.systems if typed["negate"] else typed["negate_system"]) | distances_in(trials.notes)
    use_distances(distances)
    if not distances or "threshold" not in values:
        return {}
    if not distances.issuperset(trials.systems):
        template = "{threshold!p} is of scores or of distances; choose systems of one kind with {systems!p}"
        raise ParameterError(template, code="scores-and-distances", threshold=0, systems=0)
    return {"threshold": 0.0 - values["threshold"]}


def names_of(typed: Mapping[str, Any]) -> tuple[str, ...]:
    """Give the names of the chosen systems."""
    return tuple(dict.fromkeys(name for entry in typed.get("systems") or () for name in read_names(entry)))


def read_sets(
    declared: Declared, takes: Mapping[str, Any], typed: Mapping[str, Any], values: Mapping[str, Any]
) -> dict[str, Any]:
    """Read dev and test by name, those that were given: trials, trials in pieces, or counters."""
    from fairtrial.core.trials import ID_FIELDS
    from fairtrial.formats.files import is_counts
    from fairtrial.formats.read import expected_memory, read_pair, read_trials
    from fairtrial.inference.split import check_same_systems

    takes_folds = "folds" in takes or "blocks" in takes
    dev_is_optional, test_is_optional = "model" in takes or "threshold" in values, declared.reads == "dev"
    needs = [flag_of(key) for key in declared.outputs if parameter_of(key).needs_scores and typed.get(key) is not None]
    dev, test, folds = typed["dev"], typed["test"], values.get("folds") if takes_folds else None
    if typed.get("data"):
        return _known_set(typed)
    if not dev and not (dev_is_optional and test):
        how = "{test!p} F" if dev_is_optional else "{dev!p} F, the trials that the threshold is chosen on"
        raise ParameterError(f"give {how}", code="missing", dev=0, test=0)
    if takes_folds and test and folds is not None:
        raise ParameterError("give {test!p} or {folds!p}, not both", test=0, folds=0)
    if not test and folds is None and not test_is_optional:
        template = "give {test!p} F" + (", or {folds!p} K if there is one set only" if takes_folds else "")
        if "threshold" in values:
            template = "give the trials as {test!p} F; {threshold!p} needs no others"
        raise ParameterError(template, code="missing", test=0, folds=0, threshold=0)
    files = (*dev, *test)
    if any(is_counts(name) for name in files):
        return _read_counters(typed, needs)
    keywords = reading_keywords(typed)
    named = [folds] if isinstance(folds, str) else []
    if "impostor_by" in typed and not values.get("people"):
        named += [*values.get("by", ()), *values.get("impostor_by", ())]
    keywords["others"] = tuple(dict.fromkeys((*keywords["others"], *(name for name in named if name not in ID_FIELDS))))
    if "memory" in typed and (typed["scheduler"] is not None or expected_memory(files) > _memory(typed)):
        return _open_sets(typed, keywords, [*needs, *(["--folds"] if folds is not None else [])])
    with reading_bar(dev, test) as bar:
        if dev and test:
            pair = read_pair(dev, test, progress=bar.advance, **keywords)
            if not typed.get("missing"):
                check_same_systems(*pair)
            sets = {"dev": pair[0], "test": pair[1]}
        else:
            name = "dev" if dev else "test"
            sets = {name: read_trials(dev or test, progress=bar.advance, **keywords)}
    for name, trials in sets.items():
        genuine = int(trials.genuine.sum())
        what = "to be cut into folds" if folds is not None else name
        check_classes(genuine, len(trials) - genuine, f"{', '.join(typed[name][:3])}, {what}")
    return sets


def given_folds(trials: Trials, column: str) -> tuple[Trials, list[Block]]:
    """Make one block of each value of a column, and note if people take part in several."""
    import numpy as np

    from fairtrial.core.trials import Ids
    from fairtrial.inference.folds import Block

    values = trials.ids[column] if column in trials.ids else trials.columns[column]
    numbered = Ids.of(values.tolist()) if isinstance(values, np.ndarray) else values.numbered()
    used, fold = np.unique(numbered.codes, return_inverse=True)
    if len(used) < 2:
        template = "{folds!p} {column}: all trials have the same value; there must be at least 2 folds"
        raise ParameterError(template, code="one-fold", folds=0, column=column)
    blocks = [Block((k, k), fold, fold) for k in range(len(used))]
    for block, code in zip(blocks, used, strict=True):
        genuine = int(trials.genuine[block.others].sum())
        impostor = int(block.others.sum()) - genuine
        check_classes(genuine, impostor, f"{column} other than {numbered.names[code]}")
    notes = [Note("given-folds", "{count:plural fold}, given by the column {column}", count=len(used), column=column)]
    roles = [trials.ids[role] for role in ("claim", "subject") if role in trials.ids]
    if roles:
        pairs = np.unique(Ids.concat(roles).codes * np.int64(len(used)) + np.tile(fold, len(roles)))
        split = int(np.count_nonzero(np.bincount(pairs // len(used)) > 1))
        template = "{count:plural person/people} in several folds: thresholds are chosen on trials of the same people"
        notes += [Note("split-people", template, warning=True, count=split)] if split else []
    return trials.with_notes(*notes), blocks


def _known_part(typed: Mapping[str, Any]) -> dict[str, Any]:
    """Give the trials of a known set that were named by dev or test."""
    sets, (name, *others) = _known_set(typed), typed["paths"]
    if name not in sets or others:
        raise ParameterError("with {data!p}, say dev or test instead of a file", code="paths", data=0)
    return {"paths": sets[name]}


def _known_set(typed: Mapping[str, Any]) -> dict[str, Any]:
    """Give dev and test of a known set."""
    from fairtrial.benchmark.datasets import DATASETS, load_dataset

    if typed.get("dev") or typed.get("test"):
        template = "give either {data!p} NAME {only!p} NAME, or {dev!p} and {test!p}"
        raise ParameterError(template, data=0, only=0, dev=0, test=0)
    refuse_reading(typed, "says how files are read, and {data!p} knows that", data=...)
    dev, test = load_dataset(typed["data"], set=typed["only"])
    dataset = DATASETS.get(typed["data"])
    if dataset is not None and "repeats" in dataset.uses:
        template = "{name} has no dev trials; these are dev and test of the first of its random splits by people"
        dev = dev.with_notes(Note("random-split", template, name=dataset.name))
    systems = names_of(typed)
    return {"dev": dev.select(systems), "test": test.select(systems)} if systems else {"dev": dev, "test": test}


def _read_counters(typed: Mapping[str, Any], needs: Sequence[str]) -> dict[str, Any]:
    """Read the counters of dev and of test; several files of a set are merged."""
    from fairtrial.counting.counter import load_counters
    from fairtrial.formats.files import expand, is_counts

    if not typed["test"]:
        template = "{folds!p} needs the trials themselves; with files of counts give {test!p}"
        raise ParameterError(template, code="needs-scores", folds=0, test=0)
    paths = {name: expand(typed[name]) for name in ("dev", "test") if typed[name]}
    for path in (path for group in paths.values() for path in group):
        if not is_counts(path):
            raise ParameterError(f"{path}: is not a file of counts (.ftc), and others are; count it first")
    for flag in needs:
        raise ParameterError(f"{flag} needs the scores themselves, and not files of counts", code="needs-scores")
    refuse_reading(typed, "says how scores are read; give it to fairtrial count", code="needs-scores")
    with Bar("reading counts", sum(map(len, paths.values()))) as bar:
        return {name: load_counters(group, progress=bar.advance) for name, group in paths.items()}


def _memory(typed: Mapping[str, Any]) -> int:
    if typed["memory"] is None:
        from fairtrial.formats.files import half_of_memory

        return half_of_memory()
    from fairtrial.counting.pieces import check_memory

    return check_memory(typed["memory"])


def _open_sets(typed: Mapping[str, Any], keywords: dict[str, Any], needs: Sequence[str]) -> dict[str, Any]:
    """Open dev and test trials in pieces, until the command ends."""
    from fairtrial.counting.pieces import OpenTrials, open_trials
    from fairtrial.formats.files import expand
    from fairtrial.inference.split import check_same_systems

    for flag in [*needs, *(["--common"] if keywords.pop("common", False) else [])]:
        why = "needs all trials in memory, and these are read in pieces; allow more with --memory"
        raise ParameterError(f"{flag} {why}", code="needs-trials")
    if not typed["test"]:
        raise ParameterError("give {test!p}; trials in pieces need it", code="needs-trials", test=0)
    stack = click.get_current_context().with_resource(ExitStack())
    executor = _executor(typed["scheduler"], stack)

    def opened(name: str, **more: Any) -> OpenTrials:
        bar = stack.enter_context(Bar(f"reading {name}"))
        paths = list(typed[name])
        trials = open_trials(
            paths, memory=_memory(typed), executor=executor, progress=bar.show_pass, **(keywords | more)
        )
        if not trials.named and len(expand(paths)) > 1:
            # read whole, each would be a system; in pieces they would be taken for parts of one
            raise ParameterError(
                f"{', '.join(paths[:3])}: several files that do not name their systems cannot be read in pieces; if "
                "they are parts of one system, name it with --name; if each is another system, put them into one file"
            )
        return trials

    if not typed["dev"]:
        return {"test": opened("test")}
    dev, test = opened("dev"), opened("test")
    if dev.systems != test.systems and not dev.named and not test.named:
        test = opened("test", names=dev.systems)  # named after the files, which have different names
    check_same_systems(dev, test)
    return {"dev": dev, "test": test}


def _executor(scheduler: str | None, stack: ExitStack) -> Executor | None:
    """Connect to a Dask cluster; None for this process."""
    if scheduler is None:
        return None
    try:
        from distributed import Client
    except ImportError as error:
        raise ParameterError("--scheduler needs Dask; pip install 'fairtrial[dask]'") from error
    try:
        client = stack.enter_context(Client(scheduler, timeout=_PATIENCE))
        client.wait_for_workers(1, timeout=_PATIENCE)
    except TimeoutError as error:
        why = f"no worker answers within {_PATIENCE} seconds; start one with: dask worker {scheduler}"
        raise ParameterError(f"--scheduler {scheduler}: {why}", code="no-workers") from error
    except (OSError, ValueError) as error:
        raise ParameterError(f"--scheduler {scheduler}: cannot connect to the scheduler: {error}") from error
    return client.get_executor()  # type: ignore[no-any-return]


class _FileName(click.types.StringParamType):
    """The type of options and arguments that name files; the shell completes them."""

    name = "file"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(incomplete, type=self.name)]


READ = _FileName()
"""A file, a glob or a directory that is read."""
WRITTEN = _FileName()
"""A file that is written."""


def named_files(context: click.Context, kind: _FileName) -> list[str]:
    """List the files of a kind that the options and arguments of a command name."""
    names: list[str] = []
    for parameter in context.command.params:
        given = context.params.get(parameter.name or "") if parameter.type is kind else None
        names += [given] if isinstance(given, str) else given or ()
    return names


def check_not_read(context: click.Context, read: Iterable[str | Path], also_written: Iterable[str | Path] = ()) -> None:
    """Raise an error if a command would write over a file that it reads, under any name, or twice to one file."""
    written = [*named_files(context, WRITTEN), *map(str, also_written)]
    places = [Path(os.path.realpath(name)) for name in written]
    for name, place in zip(written, places, strict=True):
        if places.count(place) > 1:
            raise OutputError(f"{name}: two results would be written to this file; name another for one of them")
    for path in _expanded(read) if written else ():
        for name, place in zip(written, places, strict=True):
            if _is_same(place, path) or (path.is_dir() and _is_same(place.parent, path)):
                raise OutputError(f"{name}: would be written over files that are read; name another file")


def _expanded(read: Iterable[str | Path]) -> Iterator[Path]:
    from fairtrial.formats.files import expand

    for entry in read:
        try:
            yield from expand(entry)
        except InputError:  # an error of the reader
            continue


def _is_same(place: Path, path: Path) -> bool:
    """Check whether two names are of one file, through links of either kind."""
    try:
        return place.samefile(path)
    except (OSError, ValueError):  # one of them is not there
        return False
