"""A benchmark of one's own: a directory of score files and a `benchmark.toml` that says what they are."""

from __future__ import annotations

import glob
import os
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fairtrial.benchmark.release import is_release, read_release
from fairtrial.benchmark.sets import Benchmark, BenchmarkSet, ListedFusion, SystemInfo
from fairtrial.benchmark.splits import split_sets
from fairtrial.errors import FairtrialError, InputError, TrialsError, cut, listed, shown
from fairtrial.formats import read_pair, read_trials
from fairtrial.formats.alignment import align
from fairtrial.formats.files import PathLike, expand, read_whole
from fairtrial.formats.sheets import Sheet
from fairtrial.trials import Trials

_MANIFEST = "benchmark.toml"
_MOST = 1 << 24
"""Bytes of a manifest."""
_FILES = ("dev", "test", "scores")
_READ = (
    "format",
    "columns",
    "scores",
    "genuine_labels",
    "impostor_labels",
    "others",
    "genuine_by",
    "person",
    "diagonal",
    "transpose",
    "negate",
    "nan",
    "common",
)
_KINDS: dict[str, tuple[tuple[type, ...], str]] = {
    "text": ((str,), "a text"),
    "flag": ((bool,), "true or false"),
    "whole": ((int,), "a whole number"),
    "number": ((int, float), "a number"),
    "table": ((dict,), "a table"),
    "list": ((list,), "a list"),
}


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
        A manifest that cannot be read or does not say what it should.
    FairtrialError
        Score files that cannot be read, or that do not go together; the message begins with the set and system.

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
    if not os.path.exists(directory / _MANIFEST) and is_release(directory):
        return read_release(directory)
    file = _manifest_file(directory)
    text = read_whole(file, _MOST)
    try:
        content = tomllib.loads(text.decode())
    except ValueError as error:
        raise InputError(f"{file}: is not valid TOML: {error}") from error
    except RecursionError as error:
        raise InputError(f"{file}: is not a manifest: brackets are nested too deeply") from error
    table = _Table(content, str(file))
    table.check_keys("name", "title", "citation", "licence", "synthetic", "never_paired", "set", "protocol")
    name = table.name()
    sets: list[BenchmarkSet] = []
    notes: list[str] = []
    tables = table.tables("set")
    base = _Base(file.parent, outside)
    for one in tables:
        if one.name() in {known.name for known in sets}:
            raise InputError(f"{one.place}: there are two sets of this name; give each its own")
        found, more = _read_set(one, base)
        sets.extend(found)
        notes.extend(more)
    return Benchmark(
        name,
        table.get("title", "text", name),
        tuple(sets),
        citation=table.get("citation", "text", ""),
        licence=table.get("licence", "text", ""),
        synthetic=table.get("synthetic", "flag", False),
        never_paired=_never_paired(table),
        protocols=_protocols(table, sets),
        notes=tuple(dict.fromkeys(notes)),
        files=(file, *dict.fromkeys(_score_files(tables, base))),
    )


def _never_paired(table: _Table) -> tuple[tuple[str, str], ...]:
    pairs = table.get("never_paired", "list", [])
    for pair in pairs:
        if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(feature, str) for feature in pair):
            raise InputError(f'{table.place}: never_paired must be pairs of features as ["A", "B"], not {shown(pair)}')
    return tuple((a, b) for a, b in pairs)


def _protocols(table: _Table, sets: Sequence[BenchmarkSet]) -> dict[str, tuple[ListedFusion, ...]]:
    """The protocols that a manifest lists, fusion by fusion."""
    if "protocol" not in table.content:
        return {}
    known = {one.name: {system.name for system in one.systems} for one in sets}
    found = {}
    for one in table.tables("protocol"):
        one.check_keys("name", "fusion")
        name = one.name()
        if name in found:
            raise InputError(f"{one.place}: there are two protocols of this name; give each its own")
        found[name] = tuple(_listed_fusion(entry, known) for entry in one.tables("fusion"))
    return found


def _listed_fusion(entry: _Table, known: dict[str, set[str]]) -> ListedFusion:
    entry.check_keys("systems", "group", "set")
    systems = entry.texts("systems") if "systems" in entry.content else []
    if len(systems) < 2 or len(set(systems)) < len(systems):
        raise InputError(f"{entry.place}: systems must be two or more, all different, not {listed(systems) or 'none'}")
    place = entry.get("set", "text")
    if place is not None and place not in known:
        raise InputError(f"{entry.place}: there is no set {shown(place)}; there are {listed(known)}")
    if not any(set(systems) <= names for name, names in known.items() if place in (None, name)):
        raise InputError(f"{entry.place}: no set has all of {listed(systems)}; correct the names of the systems")
    return ListedFusion(tuple(systems), entry.name("group", "listed"), place)


def _manifest_file(path: Path) -> Path:
    file = path / _MANIFEST if path.is_dir() else path
    if os.path.exists(file):
        return file
    if path.is_dir():
        raise InputError(
            f"{path}: holds no {_MANIFEST}; write one that says which files belong to which system, "
            "see docs/datasets.md"
        )
    raise InputError(f"{path}: there is no such file or directory; name a directory with a {_MANIFEST}")


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of the manifest and where it stands."""

    content: dict[str, Any]
    place: str

    def check_keys(self, *known: str) -> None:
        for key in self.content:
            if key not in known:
                raise InputError(f"{self.place}: there is no key {shown(key)}; keys are {', '.join(known)}")

    def get(self, key: str, kind: str, default: Any = None) -> Any:
        """What a key says, if it is of the right kind."""
        if key not in self.content:
            return default
        value = self.content[key]
        types, words = _KINDS[kind]
        if not isinstance(value, types) or (isinstance(value, bool) and kind != "flag"):
            raise InputError(f"{self.place}: {key} must be {words}, not {shown(value)}")
        return value

    def name(self, key: str = "name", default: str | None = None) -> str:
        """A text that must be there and must not be empty."""
        value = self.get(key, "text", default)
        if not value:
            raise InputError(f"{self.place}: {key} is {'missing' if value is None else 'empty'}; expected a text")
        return str(value)

    def texts(self, key: str) -> list[str]:
        """One text or several."""
        value = self.content[key]
        entries = value if isinstance(value, list) else [value]
        if not entries or not all(isinstance(entry, str) and entry for entry in entries):
            raise InputError(f"{self.place}: {key} must be a file or a list of files, not {shown(value)}")
        return entries

    def tables(self, key: str) -> list[_Table]:
        """The tables of an array, each placed by its name; there must be one at least."""
        entries = self.get(key, "list", [])
        if not entries or not all(isinstance(entry, dict) for entry in entries):
            head = {"system": "set.system", "fusion": "protocol.fusion"}.get(key, key)
            raise InputError(f"{self.place}: there is no {key}; write each as a table that begins with [[{head}]]")
        found = []
        for number, entry in enumerate(entries, start=1):
            called = entry.get("name")
            word = cut(called) if isinstance(called, str) and called else f"number {number}"
            found.append(_Table(entry, f"{self.place}: {key} {word}"))
        return found


@dataclass(frozen=True, slots=True)
class _Files:
    """Files that are read in one go."""

    place: str
    paths: dict[str, list[str]]
    """By dev and test, or by scores."""
    options: dict[str, Any]

    def read(self) -> dict[str, Trials]:
        """The trials by the same keys."""
        with _at(self.place):
            if "scores" in self.paths:
                return {"scores": read_trials(self.paths["scores"], **self.options)}
            dev, test = read_pair(self.paths["dev"], self.paths["test"], **self.options)
            return {"dev": dev, "test": test}


@contextmanager
def _at(place: str) -> Iterator[None]:
    """Errors that begin with the place in the manifest."""
    try:
        yield
    except FairtrialError as error:
        raise type(error)(f"{place}: {error}") from error


def _read_set(one: _Table, base: _Base) -> tuple[Sequence[BenchmarkSet], list[str]]:
    """The set, or one set per split, and notes."""
    one.check_keys("name", *_FILES, "read", "split", "system")
    name = one.name()
    tables = one.tables("system")
    systems = [_system(table) for table in tables]
    names = [system.name for system in systems]
    for called in names:
        if names.count(called) > 1:
            raise InputError(f"{one.place}: two systems are called {shown(called)}; give each its own name")
    trials = _read_trials(one, tables, base)
    if "scores" not in trials:
        if "split" in one.content:
            raise InputError(f"{one.place}: split is for sets without dev and test; leave it out, or name scores")
        notes = [f"{name}, {word}: {note}" for word, part in trials.items() for note in part.notes]
        return [BenchmarkSet(name, trials["dev"], trials["test"], tuple(systems))], notes
    split = _Table(one.get("split", "table", {}), f"{one.place}: split")
    split.check_keys("repeats", "fraction", "seed")
    kinds = {"repeats": "whole", "fraction": "number", "seed": "whole"}
    given: dict[str, Any] = {key: split.get(key, kinds[key]) for key in split.content}
    with _at(one.place):
        sets, note = split_sets(name, trials["scores"], systems, **given)
    return sets, [*(f"{name}: {words}" for words in trials["scores"].notes), note]


def _system(table: _Table) -> SystemInfo:
    table.check_keys("name", "modality", "feature", "classifier", "column", *_FILES, "read")
    name = table.name()
    return SystemInfo(name, table.name("modality"), table.name("feature", name), table.name("classifier", name))


def _read_trials(one: _Table, tables: Sequence[_Table], base: _Base) -> dict[str, Trials]:
    """Dev and test trials, or scores, with the systems called as the manifest calls them."""
    owners = [table for table in tables if any(key in table.content for key in _FILES)]
    if any(key in one.content for key in _FILES):
        if owners:
            raise InputError(f"{owners[0].place}: its set names the files already; name them in one place only")
        for table in tables:
            if "read" in table.content:
                raise InputError(f"{table.place}: read belongs to the set, as its files do")
        found = _files_of(one, base, {}).read()
        with _at(one.place):
            return {word: _as_named(part, tables) for word, part in found.items()}
    common = _read_options(one)
    groups = [_files_of(table, base, common) for table in tables]
    for group in groups[1:]:
        if set(group.paths) != set(groups[0].paths):
            raise InputError(
                f"{one.place}: some systems have dev and test, others have scores; they must all have the same"
            )
    parts = [group.read() for group in groups]
    with _at(one.place):
        return {
            word: _side_by_side(
                [_only(part[word], table) for part, table in zip(parts, tables, strict=True)],
                [" and ".join(group.paths[word]) for group in groups],
                common=bool(common.get("common", False)),
            )
            for word in parts[0]
        }


def _files_of(table: _Table, base: _Base, common: dict[str, Any]) -> _Files:
    keys = [key for key in _FILES if key in table.content]
    if keys not in (["dev", "test"], ["scores"]):
        what = f"only {keys[0]}" if len(keys) == 1 else " and ".join(keys) or "no files"
        raise InputError(f"{table.place}: names {what}; expected dev and test, or scores where there is no dev set")
    with _at(table.place):
        paths = {key: [base.file(entry) for entry in table.texts(key)] for key in keys}
    return _Files(table.place, paths, common | _read_options(table))


def _score_files(sets: Sequence[_Table], base: _Base) -> Iterator[Path]:
    """The files that sets and their systems name."""
    for one in sets:
        for table in (one, *one.tables("system")):
            for key in _FILES:
                if key in table.content:
                    yield from expand([base.file(entry) for entry in table.texts(key)])


@dataclass(frozen=True, slots=True)
class _Base:
    """The directory of a manifest, and whether files may be outside of it."""

    directory: Path
    outside: bool

    def file(self, entry: str) -> str:
        """A file or glob, relative to the directory.

        Raises
        ------
        InputError
            A file that is outside, where none may be: someone else's manifest could name any file of yours.
        """
        literal = self.directory / entry
        found = str(literal if os.path.exists(literal) else Path(glob.escape(str(self.directory))) / entry)
        if not self.outside:
            own = self.directory.resolve()
            for path in expand(found):
                if not path.resolve().is_relative_to(own):
                    raise InputError(
                        f"{shown(entry)} is outside the directory of the manifest; put the file there, or allow it "
                        "with outside=True"
                    )
        return found


def _read_options(table: _Table) -> dict[str, Any]:
    read = _Table(table.get("read", "table", {}), f"{table.place}: read")
    read.check_keys(*_READ)
    kinds = {
        **dict.fromkeys(("format", "nan", "genuine_by", "person"), "text"),
        **dict.fromkeys(("diagonal", "transpose"), "flag"),
        "columns": "table",
    }
    for key, value in read.content.items():
        if key in kinds or key == "common":
            read.get(key, kinds.get(key, "flag"))
        elif not (key == "negate" and isinstance(value, bool)):
            read.texts(key)
    for role, column in read.get("columns", "table", {}).items():
        if not isinstance(column, str):
            raise InputError(f"{read.place}: columns: {role} must be the name of a column, not {shown(column)}")
    return read.content


def _only(trials: Trials, table: _Table) -> Trials:
    """The one system that a table means, called as it says."""
    name = table.name()
    column = table.name("column", name)
    if "column" not in table.content and len(trials.systems) == 1:
        return trials.renamed([name])
    if column not in trials.systems:
        raise TrialsError(
            f"system {cut(name)}: there is no system {shown(column)} in its files, but {listed(trials.systems)}; "
            "say which one with column"
        )
    return trials.select([column]).renamed([name])


def _as_named(trials: Trials, tables: Sequence[_Table]) -> Trials:
    """The systems of a set's files that the manifest names, called as it says."""
    columns = [table.name("column", table.name()) for table in tables]
    for table, column in zip(tables, columns, strict=True):
        if column not in trials.systems:
            raise TrialsError(
                f"system {cut(table.name())}: there is no system {shown(column)} in the files, but "
                f"{listed(trials.systems)}; correct its name, or say which one with column"
            )
    return trials.select(columns).renamed([table.name() for table in tables])


def _side_by_side(parts: Sequence[Trials], origins: Sequence[str], *, common: bool) -> Trials:
    """The same trials of several files in the same rows."""
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
