"""Read benchmarks from disk: a `benchmark.toml`, or the XM2VTS release as its authors give it away."""

from __future__ import annotations

import glob
import os
import re
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from fairtrial.benchmark.lausanne import LP1, LP2, NEVER_PAIRED
from fairtrial.benchmark.protocols import (
    Benchmark,
    BenchmarkSet,
    ListedFusion,
    SystemInfo,
    split_sets,
    without_shared_impostor,
)
from fairtrial.core.errors import FairtrialError, InputError, TrialsError
from fairtrial.core.notes import Note, as_note
from fairtrial.core.schema import FLAG, NAME, NUMBER, TEXT, TEXTS, WHOLE, Entries, Key, ValueKind, check_entries, only
from fairtrial.core.trials import Trials
from fairtrial.core.words import cut, listed, shown
from fairtrial.formats.alignment import align
from fairtrial.formats.files import PathLike, expand, files_matching, read_whole
from fairtrial.formats.read import read_pair, read_trials
from fairtrial.formats.sheets import Sheet

_PROTOCOLS = {"lp1": "LP1", "pi": "LP1", "p1": "LP1", "lp2": "LP2", "pii": "LP2", "p2": "LP2"}
_SETS = {"dev": "dev", "development": "dev", "eva": "test", "eval": "test", "evaluation": "test", "test": "test"}
_CLASSES = {"gen": "genuine", "genuine": "genuine", "client": "genuine", "imp": "impostor", "impostor": "impostor"}
_CITATION = (
    "N. Poh and S. Bengio, Database, protocols and tools for evaluating score-level fusion algorithms in biometric "
    "authentication, Pattern Recognition 39(2), 2006"
)
_COUNTS = {("LP1", "dev"): (600, 40_000), ("LP2", "dev"): (400, 40_000), ("", "test"): (400, 112_000)}
"""Client and impostor accesses by Table 1 of the paper."""
_NO_SCORES = (".md", ".pdf", ".html", ".m", ".py", ".toml", ".json")


def _refused(place: object, text: str, code: str) -> InputError:
    return InputError(f"{place}: {text}", code=code)


def read_release(directory: Path) -> Benchmark:
    """Read the released score files of the XM2VTS fusion benchmark (Poh & Bengio 2006, Table 1).

    Paths name the protocol (LP1 or LP2; also PI or PII), the set (dev; eva, eval or test), and the class (gen, imp) if
    there are two files, as in ``LP1/eva.scores`` or ``LP2/dev/gen.scores``. Columns are assumed to be in the order of
    section 3.3 of the paper. If all impostors have the same id, their identity is unknown.
    """
    released = _released_files(directory)
    template = "columns are assumed to be in the order of section 3.3 of the paper; a benchmark.toml can say otherwise"
    sets, notes = [], [Note("column-order", template)]
    for protocol in (LP1, LP2):
        parts = {word: released.get((protocol.name, word), {}) for word in ("dev", "test")}
        if not any(parts.values()):
            continue
        for word, files in parts.items():
            if not files:
                text = f"{protocol.name} has no files of {word}; give both dev and eva, or neither"
                raise _refused(directory, text, "release")
        trials: list[Trials] = []
        for word, files in parts.items():
            part = _read_released(files)
            if len(part.systems) != len(protocol.systems):
                text = f"{len(part.systems)} columns of scores, but {protocol.name} has {len(protocol.systems)} systems"
                where = listed(map(str, files.values()))
                raise _refused(where, f"{text}; describe other files by a benchmark.toml", "release")
            trials.append(part.renamed([system.name for system in protocol.systems]))
            genuine = int(np.count_nonzero(part.genuine))
            counts: dict[str, Any] = {"genuine": genuine, "impostor": len(part) - genuine}
            expected = _COUNTS[protocol.name if word == "dev" else "", word]
            if tuple(counts.values()) != expected:
                template = (
                    "{genuine:count} client and {impostor:count} impostor accesses; Table 1 of the paper has "
                    "{expected_genuine:count} and {expected_impostor:count}"
                )
                paper = {"expected_genuine": expected[0], "expected_impostor": expected[1]}
                notes.append(Note("other-counts", template, f"{protocol.name}, {word}", **(counts | paper)))
        trials, unknown = without_shared_impostor(trials, protocol.name)
        notes += unknown
        sets.append(BenchmarkSet(protocol.name, trials[0], trials[1], protocol.systems))
    return Benchmark(
        "xm2vts",
        "XM2VTS score-level fusion benchmark, as released",
        tuple(sets),
        citation=_CITATION,
        never_paired=NEVER_PAIRED,
        notes=tuple(notes),
        files=tuple(path for parts in released.values() for path in parts.values()),
    )


def _released_files(directory: Path) -> dict[tuple[str, str], dict[str, Path]]:
    """List released files by protocol and set, and there by class; ``both`` for a file of both classes."""
    released: dict[tuple[str, str], dict[str, Path]] = {}
    for path in map(Path, files_matching(str(Path(glob.escape(str(directory))) / "**" / "*"))):
        if path.name.startswith(".") or path.suffix.lower() in _NO_SCORES or not path.is_file():
            continue
        words = re.split(r"[^a-z0-9]+", str(path.relative_to(directory)).lower())
        protocol, word, kind = (
            next((table[word] for word in words if word in table), None) for table in (_PROTOCOLS, _SETS, _CLASSES)
        )
        if protocol is None or word is None:
            continue
        files = released.setdefault((protocol, word), {})
        other = files.setdefault(kind or "both", path)
        if other is not path:
            text = f"there are two files of {protocol}, {word}, the other is {other.name}"
            raise _refused(path, f"{text}; one file has all systems, one column each", "release")
    return released


def _read_released(files: dict[str, Path]) -> Trials:
    """Read the accesses of one set: from a file of all, or from two files by class."""
    if set(files) == {"genuine", "impostor"}:
        # the files say the class; a number for impostors that are unknown may be that of a client too
        return read_trials([files["genuine"], files["impostor"]], format="lists", genuine_by="label")
    if set(files) != {"both"}:
        text = "expected one file of all accesses, or one of clients (gen) and one of impostors (imp)"
        raise _refused(listed(map(str, files.values())), text, "release")
    return read_trials(files["both"], format="headerless", columns={"subject": "1", "claim": "2"})


def _pairs(value: Any) -> tuple[tuple[str, str], ...]:
    for pair in value:
        if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(feature, str) for feature in pair):
            raise TypeError
    return tuple((a, b) for a, b in only(list)(value))


MANIFEST = "benchmark.toml"
_MOST = 1 << 24
"""Maximum size of a manifest, in bytes."""
_COLUMNS = ValueKind(
    "the names of columns by role",
    lambda value: {
        role: str(name) if type(name) is int else TEXT.read(name) for role, name in only(dict)(value).items()
    },
)
_COLUMN = ValueKind(
    "the name or the number of a column", lambda value: str(value) if type(value) is int else NAME.read(value)
)
_NEGATE = ValueKind("true, false or systems", lambda value: value if isinstance(value, bool) else TEXTS.read(value))
_READ = (
    *(Key(name, TEXT, None) for name in ("format", "nan", "genuine_by", "person")),
    *(Key(name, FLAG, None) for name in ("diagonal", "transpose", "common")),
    *(Key(name, TEXTS, None) for name in ("scores", "genuine_labels", "impostor_labels", "others", "key")),
    Key("columns", _COLUMNS, None),
    Key("negate", _NEGATE, None),
)
_FILES = ("dev", "test", "scores")
_TRIALS = (*(Key(name, TEXTS, None) for name in _FILES), Key("read", _READ, None))
_SYSTEM = (
    Key("name", NAME),
    Key("modality", NAME),
    Key("feature", NAME, None),
    Key("classifier", NAME, None),
    Key("column", _COLUMN, None),
    *_TRIALS,
)
_SET = (
    Key("name", NAME),
    *_TRIALS,
    Key("split", (Key("repeats", WHOLE, 10), Key("fraction", NUMBER, 0.5), Key("seed", WHOLE, 0)), None),
    Key("system", _SYSTEM, many=True, heading="set.system"),
)
_FUSION = (Key("systems", TEXTS), Key("group", NAME, "listed"), Key("set", TEXT, None))
_PROTOCOL = (Key("name", NAME), Key("fusion", _FUSION, many=True, heading="protocol.fusion"))
_KEYS = (
    Key("name", NAME),
    Key("title", TEXT, None),
    Key("citation", TEXT, ""),
    Key("licence", TEXT, ""),
    Key("synthetic", FLAG, False),
    Key("never_paired", ValueKind('pairs of features as ["A", "B"]', _pairs), ()),
    Key("set", _SET, many=True),
    Key("protocol", _PROTOCOL, (), many=True),
)


def read_benchmark(path: PathLike, *, outside: bool = False) -> Benchmark:
    r"""Read the benchmark that a manifest describes.

    Parameters
    ----------
    path : str or path-like
        A directory with a file ``benchmark.toml``, or such a file of any name; or the directory of the released files
        of the XM2VTS fusion benchmark, which need none (see `read_release`).
    outside : bool, default False
        Whether the manifest may name files outside its directory, by ``..``, from the root or through links.

    Returns
    -------
    Benchmark
        The sets in the order of the manifest.

    Raises
    ------
    InputError
        If the manifest cannot be read, or a key is unknown, missing or of the wrong type.
    FairtrialError
        If score files cannot be read or do not go together; the message begins with the set and system.

    Examples
    --------
    >>> import tempfile
    >>> from fairtrial import Trials, write_trials
    >>> trials = Trials.from_arrays([[0.9, 1.5], [0.2, 0.4]], [True, False], systems=["face", "voice"])
    >>> manifest = '''
    ... name = "lab"
    ... [[set]]
    ... name = "P1"
    ... dev = "scores.csv"
    ... test = "scores.csv"
    ... [[set.system]]
    ... name = "face"
    ... modality = "face"
    ... [[set.system]]
    ... name = "voice"
    ... modality = "speech"
    ... '''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = write_trials(trials, f"{folder}/scores.csv")
    ...     _ = Path(folder, "benchmark.toml").write_text(manifest)
    ...     [one.name for one in read_benchmark(folder).sets]
    ['P1']
    """
    directory = Path(path)
    is_directory = directory.is_dir()
    file = directory / MANIFEST if is_directory else directory
    if not os.path.exists(file):
        if is_directory and _released_files(directory):
            return read_release(directory)
        text = f"there is no such file or directory; name a directory with a {MANIFEST}"
        if is_directory:
            text = f"holds no {MANIFEST}; write one that names the files of each system, see docs/datasets.md"
        raise _refused(path, text, "no-manifest")
    try:
        content = tomllib.loads(read_whole(file, _MOST).decode())
    except UnicodeDecodeError as error:
        raise _refused(file, f"is not text; name a directory with a {MANIFEST}", "not-toml") from error
    except ValueError as error:
        raise _refused(file, f"is not valid TOML: {error}", "not-toml") from error
    except RecursionError as error:
        raise _refused(file, "is not a manifest: brackets are nested too deeply", "not-toml") from error
    manifest = check_entries(content, _KEYS, str(file))
    tables = manifest["set"]
    for one in (tables, manifest["protocol"], *(table["system"] for table in tables)):
        names = [table["name"] for table in one]
        for table in one:
            if names.count(table["name"]) > 1:
                raise _refused(table.place, "this name is given twice; give each its own", "named-twice")
    files = [file]
    for table in (entry for one in tables for entry in (one, *one["system"])):
        with errors_at(table.place):
            for key in _FILES:
                if table[key] is not None:
                    table[key] = [_path(entry, file.parent, outside=outside) for entry in table[key]]
                    files += expand(table[key])
            if table["read"] is not None and table["read"]["key"] is not None:
                keys = [_path(entry, file.parent, outside=outside) for entry in table["read"]["key"]]
                table["read"]["key"] = keys
                files += expand(keys)
    sets: list[BenchmarkSet] = []
    notes: list[Note] = []
    for one in tables:
        read, more = _read_set(one)
        sets += read
        notes += more
    systems = {one.name: {system.name for system in one.systems} for one in sets}
    return Benchmark(
        manifest["name"],
        manifest["title"] or manifest["name"],
        tuple(sets),
        citation=manifest["citation"],
        licence=manifest["licence"],
        synthetic=manifest["synthetic"],
        never_paired=manifest["never_paired"],
        protocols={
            one["name"]: tuple(_listed_fusion(entry, systems) for entry in one["fusion"])
            for one in manifest["protocol"]
        },
        notes=tuple(dict.fromkeys(notes)),
        files=tuple(dict.fromkeys(files)),
    )


def _listed_fusion(entry: Entries, systems_of: dict[str, set[str]]) -> ListedFusion:
    """Check a fusion of a listed protocol against the sets and their systems."""
    systems, place = entry["systems"], entry["set"]
    if len(systems) < 2 or len(set(systems)) < len(systems):
        text = f"systems must be two or more, all different, not {listed(systems)}"
        raise _refused(entry.place, text, "listed-fusion")
    if place is not None and place not in systems_of:
        text = f"there is no set {shown(place)}; there are {listed(systems_of)}"
        raise _refused(entry.place, text, "listed-fusion")
    if not any(set(systems) <= names for name, names in systems_of.items() if place in (None, name)):
        text = f"no set has all of {listed(systems)}; correct the names of the systems"
        raise _refused(entry.place, text, "listed-fusion")
    return ListedFusion(tuple(systems), entry["group"], place)


@contextmanager
def errors_at(place: str) -> Iterator[None]:
    """Begin errors with a place: of the manifest, or an experiment."""
    try:
        yield
    except FairtrialError as error:
        raise type(error)(f"{place}: {error}", code=error.code) from error


def _path(entry: str, directory: Path, *, outside: bool) -> str:
    """Give a file or glob relative to the directory of the manifest; someone else's must not name files outside."""
    literal = directory / entry
    path = str(literal if os.path.exists(literal) else Path(glob.escape(str(directory))) / entry)
    if not outside and not all(file.resolve().is_relative_to(directory.resolve()) for file in expand(path)):
        template = (
            "{entry:quoted} is outside the directory of the manifest; put the file there, or allow it with {outside!o}"
        )
        raise InputError(template, code="outside", entry=entry, outside=True)
    return path


def _read_set(one: Entries) -> tuple[Sequence[BenchmarkSet], list[Note]]:
    """Read a set, or one set per split, and notes."""
    name = one["name"]
    systems = tuple(
        SystemInfo(
            table["name"], table["modality"], table["feature"] or table["name"], table["classifier"] or table["name"]
        )
        for table in one["system"]
    )
    trials = _read_trials(one)
    if "scores" not in trials:
        if one["split"] is not None:
            text = "split is for sets without dev and test; leave it out, or name scores"
            raise _refused(one.place, text, "split")
        notes = [as_note(note, f"{name}, {word}") for word, part in trials.items() for note in part.notes]
        (dev, test), unknown = without_shared_impostor([trials["dev"], trials["test"]], name)
        return [BenchmarkSet(name, dev, test, systems)], [*notes, *unknown]
    with errors_at(one.place):
        sets, note = split_sets(name, trials["scores"], systems, **(one["split"] or {}))
    return sets, [*(as_note(words, name) for words in trials["scores"].notes), note]


def _read_trials(one: Entries) -> dict[str, Trials]:
    """Read dev and test trials, or scores, with the systems named as in the manifest."""
    tables = one["system"]
    owners = [table for table in tables if any(table[key] is not None for key in _FILES)]
    in_set = any(one[key] is not None for key in _FILES)
    if in_set and owners:
        raise _refused(owners[0].place, "its set names the files already; name them in one place only", "files")
    if in_set and (other := next((table for table in tables if table["read"] is not None), None)):
        raise _refused(other.place, "read belongs to the set, as its files do", "files")
    common = {key: value for key, value in (one["read"] or {}).items() if value is not None}
    parts, names = [], []
    for table in [one] if in_set else tables:
        keys = [key for key in _FILES if table[key] is not None]
        if keys not in (["dev", "test"], ["scores"]):
            what = f"only {keys[0]}" if len(keys) == 1 else " and ".join(keys) or "no files"
            text = f"names {what}; expected dev and test, or scores if there is no dev set"
            raise _refused(table.place, text, "files")
        names.append(keys)
    if names.count(names[0]) < len(names):
        text = "some systems have dev and test, others have scores; they must all have the same"
        raise _refused(one.place, text, "files")
    for table in [one] if in_set else tables:
        options = common | {key: value for key, value in (table["read"] or {}).items() if value is not None}
        numbers = [each["column"] for each in (tables if in_set else [table])]
        if all(number is not None and number.isdecimal() for number in numbers):
            options = {"scores": numbers} | options
        with errors_at(table.place):
            if names[0] == ["scores"]:
                parts.append({"scores": read_trials(table["scores"], **options)})
            else:
                parts.append(dict(zip(("dev", "test"), read_pair(table["dev"], table["test"], **options), strict=True)))
    with errors_at(one.place):
        if in_set:
            return {word: _named(part, tables) for word, part in parts[0].items()}
        return {
            word: _side_by_side(
                [_named(part[word], [table]) for part, table in zip(parts, tables, strict=True)],
                [" and ".join(table[word]) for table in tables],
                common=bool(common.get("common", False)),
            )
            for word in names[0]
        }


def _named(trials: Trials, tables: Sequence[Entries]) -> Trials:
    """Select the systems that the manifest names, by their columns, and name them as it does."""
    names = [table["name"] for table in tables]
    columns = [table["column"] or table["name"] for table in tables]
    if len(tables) == 1 and tables[0]["column"] is None and len(trials.systems) == 1:
        return trials.renamed(names)
    if len(columns) == len(trials.systems) and all(c.isdecimal() and c not in trials.systems for c in columns):
        # a text without a header: its systems are in the order of their columns
        return trials.renamed([name for _, name in sorted(zip(map(int, columns), names, strict=True))]).select(names)
    for name, column in zip(names, columns, strict=True):
        if column not in trials.systems:
            raise TrialsError(
                f"system {cut(name)}: there is no system {shown(column)} in its files, but {listed(trials.systems)}; "
                "correct its name, or name its column with the key column",
                code="no-system",
            )
    return trials.select(columns).renamed(names)


def _side_by_side(parts: Sequence[Trials], origins: Sequence[str], *, common: bool) -> Trials:
    """Align the trials of several files in the same rows."""
    sheets = [
        Sheet(origin, part.scores, part.genuine, part.systems, part.ids, part.notes, columns=part.columns)
        for part, origin in zip(parts, origins, strict=True)
    ]
    sheet = align(sheets, common=common)
    ids: dict[str, Any] = dict(sheet.ids)
    return replace(
        parts[0],
        scores=sheet.scores,
        genuine=sheet.genuine,
        systems=sheet.systems,
        notes=sheet.notes,
        columns=sheet.columns,
        **ids,
    )
