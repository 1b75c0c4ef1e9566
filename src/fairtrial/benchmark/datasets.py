"""Known score sets: list, find or download, load and export them."""

from __future__ import annotations

import hashlib
import json
import os
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic
from typing import IO, Any, ClassVar, Literal, TypeAlias, get_args

import numpy as np

from fairtrial.benchmark.lausanne import CITATION, LP1, TITLE, load_lausanne
from fairtrial.benchmark.manifest import MANIFEST, read_benchmark
from fairtrial.benchmark.protocols import Benchmark, BenchmarkSet, SystemInfo, split_sets
from fairtrial.core.errors import InputError, OutputError, ParameterError, check_choice, check_number, check_seed
from fairtrial.core.notes import Note
from fairtrial.core.results import Field, Record, Result, table_of
from fairtrial.core.tables import Column, Table
from fairtrial.core.trials import Trials
from fairtrial.core.words import cut, listed, nearest, plural, shown
from fairtrial.formats.files import PathLike, read_head, size_text, write_together, write_whole
from fairtrial.formats.read import read_trials, write_trials

_MOST = 256 << 20
"""Maximum size of a file of scores, in bytes; the largest known one has 20 MB."""
_SILENCE = 30
"""Seconds that a server may be silent."""
_PATIENCE = 1800.0
"""Seconds that one file may take."""


def fetch(address: str, sha256: str, folder: Path, *, instead: str) -> Path:
    """Give a file from the cache, or download it; a download with another SHA-256 is not kept.

    The last part of the address is the name of the file. A password in it is never shown. Errors end with `instead`.
    """
    import pooch

    name = without_password(address)

    def download(address: str, place: str, manager: Any) -> None:
        with open(place, "wb") as file:
            pooch.HTTPDownloader(timeout=_SILENCE, chunk_size=1 << 16)(address, _BoundedFile(file, name), manager)

    logger = pooch.get_logger()
    level = logger.level
    logger.setLevel("WARNING")
    try:
        return Path(
            pooch.retrieve(
                address, f"sha256:{sha256}", fname=address.rpartition("/")[2], path=folder, downloader=download
            )
        )
    except OSError as error:
        reason = error.strerror or cut(error, 100)
        response = getattr(error, "response", None)
        if response is not None:
            reason = f"the server answers {response.status_code} {response.reason}"
        elif hasattr(error, "request"):  # an error of the network, whose text is long and technical
            reason = f"the connection failed ({type(error).__name__})"
        raise InputError(f"{name}: cannot be downloaded: {reason}; {instead}", code="download") from error
    except ValueError as error:
        raise InputError(
            f"{name}: has the wrong content: its SHA-256 is not {sha256}; nothing was kept; {instead}", code="sha256"
        ) from error
    finally:
        logger.setLevel(level)


def without_password(address: str) -> str:
    """Remove the name and password of a user from an address.

    Examples
    --------
    >>> without_password("https://me:secret@example.org/scores")
    'https://example.org/scores'
    """
    scheme, separator, rest = address.rpartition("://")
    return f"{scheme}{separator}{rest.rpartition('@')[2]}"


class _BoundedFile:
    """A file that takes a limited number of bytes, for a limited time."""

    def __init__(self, file: IO[bytes], name: str) -> None:
        self.flush, self._write, self._name = file.flush, file.write, name
        self._left, self._end = _MOST, monotonic() + _PATIENCE

    def write(self, data: bytes) -> None:
        """Write, or raise an error."""
        self._left -= len(data)
        if self._left < 0:
            text = f"is larger than {size_text(_MOST)}, so it is not the file; nothing was kept"
            raise InputError(f"{self._name}: {text}", code="too-large")
        if monotonic() > self._end:
            text = f"takes longer than {_PATIENCE / 60:.0f} minutes; nothing was kept"
            raise InputError(f"{self._name}: {text}", code="too-slow")
        self._write(data)


FailedEnrolment: TypeAlias = Literal["drop", "keep"]
DATA = "FAIRTRIAL_DATA"
_CACHE = "FAIRTRIAL_CACHE"
_MIRROR = "FAIRTRIAL_MIRROR"
_ENDINGS = ("", ".gz", ".zst")


@dataclass(frozen=True, slots=True)
class Dataset(Record):
    """A known score set, and its source.

    `files` are its files in `folder` with the SHA-256 of their uncompressed content; `address` is where they can be
    downloaded, one by one; `uses` are the options of `load_benchmark`, besides the seed, that apply to it.
    """

    FIELDS: ClassVar = (
        Field("name", "name"),
        Field("title", "what it is"),
        Field("systems", "systems", "count", get=lambda dataset: len(dataset.systems), in_json=False),
        Field("contents", "people and trials"),
        Field("where", "where", in_json=False),
        Field("licence", "licence"),
        Field("citation"),
        Field("synthetic"),
        Field("available", get=lambda dataset: not dataset.files or dataset.path is not None),
        Field("path", get=lambda dataset: dataset.path and str(dataset.path)),
        Field("systems"),
        Field("source"),
        Field("notes"),
    )

    name: str
    title: str
    contents: str
    systems: tuple[SystemInfo, ...]
    citation: str
    licence: str
    source: str
    build: Callable[..., Benchmark]
    folder: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    address: str | None = None
    synthetic: bool = False
    notes: tuple[Note, ...] = ()
    uses: tuple[str, ...] = ()

    @property
    def path(self) -> Path | None:
        """The directory with all its files; None if they are missing, or if it needs none."""
        files = _find_files(self)
        return files[0].parent if files else None

    @property
    def where(self) -> str:
        """Its directory, or how to get it."""
        if self.path is not None:
            return str(self.path)
        if not self.files:
            return "made by fairtrial"
        put = f"put into ${DATA}/{self.folder}"
        return f"downloaded when first used, or {put}" if self.address else f"to be {put}"

    def benchmark(self, sets: Sequence[BenchmarkSet], notes: Sequence[Note | str]) -> Benchmark:
        """Make a benchmark of these sets."""
        return Benchmark(
            self.name,
            self.title,
            tuple(sets),
            citation=self.citation,
            licence=self.licence,
            synthetic=self.synthetic,
            notes=(*self.notes, *notes),
        )


@dataclass(frozen=True, slots=True, repr=False)
class DatasetList(Result):
    """Known score sets.

    Attributes
    ----------
    datasets : tuple of Dataset
        The sets.
    detailed : bool
        Whether the table shows all details of the only set.

    Examples
    --------
    >>> from fairtrial import list_datasets
    >>> list_datasets("lausanne").datasets[0].synthetic
    True
    """

    FIELDS: ClassVar = (Field("datasets"),)

    datasets: tuple[Dataset, ...]
    detailed: bool = False

    def answer(self) -> str:
        """Give the names of the sets."""
        return f"{plural(len(self.datasets), 'data set')}: {listed(each.name for each in self.datasets)}"

    def tables(self) -> tuple[Table, ...]:
        """Tabulate one row per set, or the details of one."""
        if not self.detailed:
            return (table_of("datasets", "Score sets", Dataset.FIELDS, self.datasets, section="name"),)
        (one,) = self.datasets
        rows = (
            ("name", one.name),
            ("contents", one.contents),
            ("systems", ", ".join(f"{system.name} ({system.modality})" for system in one.systems)),
            ("synthetic", "yes" if one.synthetic else "no"),
            ("citation", one.citation),
            ("licence", one.licence),
            ("source", one.source),
            ("files", ", ".join(one.files) or "none"),
            ("where", one.where),
        )
        return (Table("dataset", one.title, (Column("what", "what"), Column("value", "value")), rows, one.notes),)


def list_datasets(name: str | None = None) -> DatasetList:
    """List the known score sets, or show one.

    Parameters
    ----------
    name : str, optional
        The name of one set; all by default.

    Returns
    -------
    DatasetList
        The sets, with where each is or how to get it.

    Raises
    ------
    ParameterError
        If there is no set of this name.

    Examples
    --------
    >>> [each.name for each in list_datasets().datasets][:2]
    ['lausanne', 'bssr1-set1']
    """
    if name is None:
        return DatasetList(tuple(DATASETS.values()))
    if name not in DATASETS:
        raise ParameterError(
            f"there is no data set {name!r}; there are {', '.join(DATASETS)}{nearest(name, DATASETS)}", code="no-data"
        )
    return DatasetList((DATASETS[name],), detailed=True)


def load_benchmark(
    data: PathLike,
    *,
    only: Sequence[str] = (),
    data_dir: PathLike | None = None,
    seed: int = 0,
    repeats: int | None = None,
    failed_enrolment: FailedEnrolment | None = None,
    outside: bool = False,
) -> Benchmark:
    """Load a known score set by its name, or the benchmark of a directory.

    Parameters
    ----------
    data : str or path-like
        A name that `list_datasets` gives, or a directory or manifest; see `read_benchmark`.
    only : sequence of str, default ()
        The names of the sets to use; all by default.
    data_dir : str or path-like, optional
        The directory with the folder of a known set. Without it, files are looked for in ``$FAIRTRIAL_DATA``, then in
        the cache (``$FAIRTRIAL_CACHE``, or the user's), into which they are downloaded if that is possible.
    seed : int, default 0
        The seed of synthetic scores, and of the random splits of a known set without dev trials.
    repeats : int, optional
        The number of random splits of a known set without dev trials; 10 by default.
    failed_enrolment : {"drop", "keep"}, optional
        Whether to drop or keep trials of a known set against somebody whose enrolment failed for one system; ``drop``
        by default.
    outside : bool, default False
        Whether a ``benchmark.toml`` may name files outside its directory.

    Returns
    -------
    Benchmark
        The sets, with their source.

    Raises
    ------
    ParameterError
        If there is no such set or directory, or an option does not apply to it or is out of range.
    InputError
        If files are missing, cannot be downloaded or read, or have the wrong content.

    Examples
    --------
    >>> load_benchmark("lausanne", only=["LP2"])
    <Benchmark: lausanne, synthetic, 1 set: LP2>
    """
    name = os.fspath(data)
    dataset = DATASETS.get(name)
    uses = ("outside",) if dataset is None else (*dataset.uses, *(["data_dir"] if dataset.files else []))
    for option, value, where in (
        ("data_dir", data_dir, "a known set with files"),
        ("repeats", repeats, "a known set without dev trials"),
        ("failed_enrolment", failed_enrolment, "a known set with failed enrolments"),
        ("outside", outside or None, "a directory with a benchmark.toml"),
    ):
        if value is not None and option not in uses:
            template = f"{{{option}!p}} applies to {where}, not to {{name}}; leave it out"
            raise ParameterError(template, code="does-not-apply", name=cut(name), **{option: value})
    check_seed(seed)
    if dataset is not None:
        failed = failed_enrolment or "drop"
        check_choice("failed_enrolment", failed, get_args(FailedEnrolment))
        files = _files(dataset, data_dir)
        repeats = 10 if repeats is None else repeats
        benchmark = dataset.build(dataset, files, seed=seed, repeats=repeats, failed_enrolment=failed)
        benchmark = replace(benchmark, files=tuple(files)) if files else benchmark
    elif os.path.exists(name):
        benchmark = read_benchmark(name, outside=outside)
    else:
        template = "{data!o}: there is no such directory, and no set of that name; sets are {names:list}{meant}"
        raise ParameterError(
            template, code="no-data", data=cut(name), names=list(DATASETS), meant=nearest(name, DATASETS)
        )
    return benchmark.only(only) if only else benchmark


def load_dataset(
    data: PathLike,
    *,
    set: str | None = None,
    split: int = 1,
    data_dir: PathLike | None = None,
    seed: int = 0,
    failed_enrolment: FailedEnrolment | None = None,
    outside: bool = False,
) -> tuple[Trials, Trials]:
    """Load the dev and test trials of one set, for `evaluate`, `compare`, `fuse` and others that take both.

    On the command line ``--data lausanne --set LP1`` stands for ``--dev`` and ``--test``.

    Parameters
    ----------
    data : str or path-like
        A name that `list_datasets` gives, or a directory or manifest; see `read_benchmark`.
    set : str, optional
        The name of the set; not needed if there is only one.
    split : int, default 1
        Which of the random splits of a set without dev trials, counted from 1.
    data_dir : str or path-like, optional
        As in `load_benchmark`.
    seed : int, default 0
        As in `load_benchmark`.
    failed_enrolment : {"drop", "keep"}, optional
        As in `load_benchmark`.
    outside : bool, default False
        As in `load_benchmark`.

    Returns
    -------
    dev, test : Trials
        The trials that thresholds are chosen on, and the trials that are judged, with all systems of the set.

    Raises
    ------
    ParameterError
        If there is no such data, set or split, or there are several sets and none is named.
    InputError
        If files are missing, cannot be downloaded or read, or have the wrong content.

    Examples
    --------
    >>> dev, test = load_dataset("lausanne", set="LP2")
    >>> len(dev), len(test), dev.systems[0]
    (40400, 112400, '(FH,MLP)')
    """
    check_number("split", split, most=10_000)
    dataset = DATASETS.get(os.fspath(data))
    benchmark = load_benchmark(
        data,
        only=() if set is None else (set,),
        data_dir=data_dir,
        seed=seed,
        repeats=split if dataset is not None and "repeats" in dataset.uses else None,
        failed_enrolment=failed_enrolment,
        outside=outside,
    )
    names = list(dict.fromkeys(one.name for one in benchmark.sets))
    if len(names) > 1:
        template = "{data} has {count} sets; name one with {set!p}: {names:list}"
        raise ParameterError(template, code="several-sets", data=benchmark.name, count=len(names), set=..., names=names)
    for one in benchmark.sets:
        if (one.split or 1) == split:
            systems = [system.name for system in one.systems]
            return one.dev.select(systems), one.test.select(systems)
    template = "{data} has no split {split}; splits are 1 to {most}"
    raise ParameterError(template, code="no-split", data=benchmark.name, split=split, most=len(benchmark.sets))


@dataclass(frozen=True, slots=True)
class ExportedFile(Record):
    """One file of scores."""

    FIELDS: ClassVar = (
        Field("path", "file"),
        Field("set", "set"),
        Field("part", "part"),
        Field("genuine", "genuine", "count"),
        Field("impostor", "impostor", "count"),
    )

    path: str
    set: str
    part: str
    genuine: int
    impostor: int


@dataclass(frozen=True, slots=True, repr=False)
class DatasetExport(Result):
    """Files of an exported score set.

    Attributes
    ----------
    data : str
        The name of the score set.
    manifest : str
        The ``benchmark.toml``, by whose directory the set can be used again.
    files : tuple of ExportedFile
        The score files.

    Examples
    --------
    >>> import tempfile
    >>> from fairtrial.benchmark import export_dataset
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [Path(file.path).name for file in export_dataset("lausanne", folder, only=["LP2"]).files]
    ['LP2-dev.csv', 'LP2-test.csv']
    """

    FIELDS: ClassVar = (Field("data"), Field("manifest"), Field("files"))

    data: str
    manifest: str
    files: tuple[ExportedFile, ...]

    def answer(self) -> str:
        """Give the data and the directory."""
        return f"{self.data} is in {plural(len(self.files), 'file')} with a manifest, {self.manifest}"

    def tables(self) -> tuple[Table, ...]:
        """Tabulate one row per file."""
        return (table_of("files", f"Exported files of {self.data}", ExportedFile.FIELDS, self.files),)


def export_dataset(
    data: PathLike, directory: PathLike, *, only: Sequence[str] = (), data_dir: PathLike | None = None, seed: int = 0
) -> DatasetExport:
    """Write the dev and test trials of a score set as CSV files, with a ``benchmark.toml`` that describes them.

    Parameters
    ----------
    data : str or path-like
        A name that `list_datasets` gives, or a directory or manifest; see `read_benchmark`.
    directory : str or path-like
        Where the files are written; it is made if it does not exist.
    only : sequence of str, default ()
        The names of the sets to use; all by default.
    data_dir : str or path-like, optional
        As in `load_benchmark`.
    seed : int, default 0
        The seed of synthetic scores.

    Returns
    -------
    DatasetExport
        The files.

    Raises
    ------
    ParameterError
        If there is no such data or set, or dev and test are random splits.
    OutputError
        If a file cannot be written, or exists already.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = export_dataset("lausanne", folder, only=["LP2"])
    ...     load_benchmark(folder)
    <Benchmark: lausanne, synthetic, 1 set: LP2>
    """
    benchmark = load_benchmark(data, only=only, data_dir=data_dir, seed=seed)
    if any(one.split is not None for one in benchmark.sets):
        template = "{data}: dev and test are random splits of the same files, which can be used directly"
        raise ParameterError(template, code="splits", data=benchmark.name)
    folder = Path(directory)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        template = "{folder}: cannot be made: {why}"
        raise OutputError(template, folder=str(folder), why=error.strerror) from error
    names = [MANIFEST, *(f"{one.name}-{part}.csv" for one in benchmark.sets for part in ("dev", "test"))]
    for path in (folder / name for name in names):
        if path.exists():
            raise OutputError("{path}: exists already; name another directory", code="exists", path=str(path))
    head = {key: getattr(benchmark, key) for key in ("name", "title", "citation", "licence", "synthetic")}
    pairs = [list(pair) for pair in benchmark.never_paired]
    lines = [f"{key} = {json.dumps(value)}" for key, value in {**head, "never_paired": pairs}.items()]
    files = []
    with write_together():
        for one in benchmark.sets:
            lines += ["", "[[set]]", f"name = {json.dumps(one.name)}"]
            for part, trials in (("dev", one.dev), ("test", one.test)):
                path = folder / f"{one.name}-{part}.csv"
                write_trials(trials.select([system.name for system in one.systems]), path)
                genuine = int(np.count_nonzero(trials.genuine))
                files.append(ExportedFile(str(path), one.name, part, genuine, len(trials) - genuine))
                lines.append(f"{part} = {json.dumps(path.name)}")
            for system in one.systems:
                entries = (f"{key} = {json.dumps(text)}" for key, text in system.to_dict().items())
                lines += ["", "[[set.system]]", *entries]
        with write_whole(folder / MANIFEST) as place:
            place.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return DatasetExport(benchmark.name, str(folder / MANIFEST), tuple(files))


def cache_directory() -> Path:
    """Give the directory of downloaded files."""
    given = os.environ.get(_CACHE)
    if given:
        return Path(given)
    import pooch

    return Path(pooch.os_cache("fairtrial"))


def _places(dataset: Dataset, data_dir: PathLike | None) -> list[Path]:
    """List the directories where the files of a data set may be."""
    if data_dir is not None:
        return [Path(data_dir) / dataset.folder]
    return [Path(root) / dataset.folder for root in (os.environ.get(DATA), cache_directory()) if root]


def _files_in(folder: Path, dataset: Dataset) -> dict[str, Path]:
    """Find the files of a data set that a directory holds, compressed or not."""
    files: dict[str, Path] = {}
    for name in dataset.files:
        for path in (folder / f"{name}{ending}" for ending in _ENDINGS):
            if path.is_file():
                files.setdefault(name, path)
    return files


def _find_files(dataset: Dataset, data_dir: PathLike | None = None) -> list[Path] | None:
    """Find the files of a data set; None if no directory has all of them."""
    for place in _places(dataset, data_dir):
        files = _files_in(place, dataset)
        if len(files) == len(dataset.files):
            return list(files.values())
    return None


def _files(dataset: Dataset, data_dir: PathLike | None) -> list[Path]:
    """Find or download the files of a data set, each with the right content."""
    files = _find_files(dataset, data_dir)
    if files is not None:
        return list(map(_checked, files, dataset.files.values()))
    mirror = os.environ.get(_MIRROR, "").rstrip("/")
    if mirror and not re.match(r"https?://([^/:\[]|\[[\da-fA-F:.]+\])", mirror):
        raise ParameterError(
            f"${_MIRROR} must be an address as https://example.org/scores, not {shown(without_password(mirror))}",
            code="mirror",
        )
    base = f"{mirror}/{dataset.folder}" if mirror else dataset.address
    if data_dir is not None or base is None:
        folder = _places(dataset, data_dir)[0]
        missing = [name for name in dataset.files if name not in _files_in(folder, dataset)]
        raise InputError(
            f"data set {dataset.name}: {folder} does not hold {listed(missing)}; put the files there, compressed (.gz) "
            f"or not, or name another directory that holds the folder {dataset.folder} by data_dir or ${DATA}. "
            f"They come from {dataset.source}",
            code="no-files",
        )
    folder = cache_directory() / dataset.folder
    instead = f"put the file into {folder}, or name another server in ${_MIRROR}"
    return [fetch(f"{base}/{name}", sha256, folder, instead=instead) for name, sha256 in dataset.files.items()]


def _checked(path: Path, sha256: str) -> Path:
    """Check the SHA-256 of the uncompressed content of a file."""
    digest = hashlib.sha256()
    with read_head(path).open() as stream:
        while chunk := stream.read(1 << 20):
            digest.update(chunk)
    if digest.hexdigest() != sha256:
        raise InputError(
            f"{path}: has the wrong content: its SHA-256 is {digest.hexdigest()}, expected {sha256}; get the file "
            "again, or describe your own by a benchmark.toml",
            code="sha256",
        )
    return path


def _build_bssr1(
    dataset: Dataset, files: Sequence[Path], *, seed: int, repeats: int, failed_enrolment: FailedEnrolment
) -> Benchmark:
    trials = _read_matrices(files, failed_enrolment)
    sets, note = split_sets("set1", trials, dataset.systems, repeats=repeats, seed=seed)
    return dataset.benchmark(sets, [*trials.notes, note])


def read_bssr1(directory: PathLike, *, failed_enrolment: FailedEnrolment = "drop") -> Trials:
    """Read NIST BSSR1 Set 1: everybody's face and fingers against everybody's.

    Parameters
    ----------
    directory : str or path-like
        The directory of face-C.csv, face-G.csv, finger-left.csv and finger-right.csv, or of the same with .gz.
    failed_enrolment : {"drop", "keep"}, default "drop"
        An enrolled subject for whom all scores of a system are the same was not enrolled: ``drop`` leaves out
        all trials against that subject for all systems, ``keep`` keeps them. A note says which and how many.

    Returns
    -------
    Trials
        One row per trial, one column per system.

    Raises
    ------
    InputError
        If files are missing or cannot be read.

    References
    ----------
    NIST, Biometric Scores Set - Release 1 (BSSR1), 2004.

    Examples
    --------
    >>> read_bssr1("bssr1")  # doctest: +SKIP
    <Trials: 266,772 trials (516 genuine, 266,256 impostor), 4 systems: ...>
    """
    check_choice("failed_enrolment", failed_enrolment, get_args(FailedEnrolment))
    dataset, place = DATASETS["bssr1-set1"], Path(directory)
    files = _files_in(place, dataset)
    missing = [name for name in dataset.files if name not in files]
    if missing:
        raise InputError(f"{place}: does not hold {listed(missing)}, with or without .gz", code="no-files")
    return _read_matrices(list(files.values()), failed_enrolment)


def _read_matrices(files: Sequence[Path], failed_enrolment: FailedEnrolment) -> Trials:
    """Read score matrices; a subject for whom a system gives everybody the same score was not enrolled by it."""
    names = [system.name for system in DATASETS["bssr1-set1"].systems]
    trials = read_trials(files, names=names, format="matrix")
    assert trials.claim is not None
    claim = trials.claim.numbered()
    order = np.argsort(claim.codes, kind="stable")
    codes, starts = np.unique(claim.codes[order], return_index=True)
    scores = trials.scores[order]
    constant = np.minimum.reduceat(scores, starts) == np.maximum.reduceat(scores, starts)
    failed = np.flatnonzero(constant.any(axis=1))
    if not len(failed):
        return trials
    against = np.isin(claim.codes, codes[failed])
    which = [
        f"{cut(claim.names[codes[row]])} for {listed(names[k] for k in np.flatnonzero(constant[row]))}"
        for row in failed
    ]
    done = "were left out for all systems" if failed_enrolment == "drop" else "are kept"
    template = "enrolment failed, all scores are the same: {which:list}; {trials:count} trials against such subjects "
    note = Note("failed-enrolment", template + done, which=which, trials=int(np.count_nonzero(against)))
    return (trials.rows(~against) if failed_enrolment == "drop" else trials).with_notes(note)


def _build_asvspoof(dataset: Dataset, files: Sequence[Path], **options: Any) -> Benchmark:
    names = [system.name for system in dataset.systems]
    dev, test = (
        read_trials(file, format="csv", scores=names, genuine_labels=["target"], impostor_labels=["nontarget", "spoof"])
        for file in files
    )
    return dataset.benchmark([BenchmarkSet("la", dev, test, dataset.systems)], [])


def _build_xm2vts(dataset: Dataset, files: Sequence[Path], *, seed: int, repeats: int, **options: Any) -> Benchmark:
    trials = read_trials(files, format="lists")
    sets, note = split_sets("lp2-dev", trials, dataset.systems, repeats=repeats, seed=seed)
    return dataset.benchmark(sets, [note])


_BUILDERS: dict[str, Callable[..., Benchmark]] = {
    "bssr1-set1": _build_bssr1,
    "asvspoof2019-la": _build_asvspoof,
    "xm2vts-lp2-dev": _build_xm2vts,
}
DATASETS = {
    "lausanne": Dataset(
        name="lausanne",
        title=TITLE,
        contents="200 clients; LP1 dev 600 / 40,000, LP2 dev 400 / 40,000, test 400 / 112,000 genuine / impostor",
        systems=LP1.systems,
        citation=CITATION,
        licence="as fairtrial itself",
        source="fairtrial itself, which makes the scores from a seed",
        build=lambda dataset, files, **options: load_lausanne(options["seed"]),
        synthetic=True,
    )
}
"""The score sets by their names."""
for _name, _entry in tomllib.loads(Path(__file__).with_name("datasets.toml").read_text(encoding="utf-8")).items():
    _entry["systems"] = tuple(SystemInfo(*texts) for texts in _entry["systems"])
    _entry["notes"] = tuple(Note(note.pop("code"), note.pop("text"), **note) for note in _entry["notes"])
    DATASETS[_name] = Dataset(name=_name, build=_BUILDERS[_name], **_entry)
