"""Score sets that fairtrial knows: where they come from, where they lie, and how each becomes a benchmark.

The scores are not part of fairtrial. Files are looked for in a directory of the user's and then in a cache,
into which they are downloaded if they can be; whatever is read must have the content that is pinned here.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias, get_args
from urllib.parse import urlsplit

import numpy as np

from fairtrial.benchmark.download import fetch, without_password
from fairtrial.benchmark.lausanne import CITATION, LP1, TITLE, load_lausanne
from fairtrial.benchmark.sets import Benchmark, BenchmarkSet, SystemInfo
from fairtrial.benchmark.splits import split_sets
from fairtrial.checks import check_choice, check_seed
from fairtrial.errors import InputError, ParameterError, cut, listed, shown
from fairtrial.formats import read_trials
from fairtrial.formats.files import PathLike, read_head
from fairtrial.trials import Trials

FailedEnrolment: TypeAlias = Literal["drop", "keep"]
"""What becomes of trials against somebody whose enrolment failed for one of the systems."""

DATA = "FAIRTRIAL_DATA"
_CACHE = "FAIRTRIAL_CACHE"
_MIRROR = "FAIRTRIAL_MIRROR"
_ENDINGS = ("", ".gz", ".zst")


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file by its name, and the SHA-256 of its content when it is not compressed."""

    name: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Settings:
    """What the caller decides."""

    seed: int = 0
    repeats: int = 10
    failed_enrolment: FailedEnrolment = "drop"


@dataclass(frozen=True, slots=True)
class Dataset:
    """A score set: what it is, whose it is, and where it is to be had."""

    name: str
    title: str
    contents: str
    """How many people and trials."""
    systems: tuple[SystemInfo, ...]
    citation: str
    licence: str
    source: str
    """Where the files come from, in words."""
    build: Callable[[Dataset, Sequence[Path], Settings], Benchmark]
    folder: str = ""
    files: tuple[DataFile, ...] = ()
    address: str | None = None
    """Where the files can be downloaded, one by one; None where they cannot."""
    synthetic: bool = False
    notes: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()
    """The settings, besides the seed, that mean something to it."""

    def benchmark(self, sets: Sequence[BenchmarkSet], notes: Sequence[str]) -> Benchmark:
        """A benchmark of these sets with all that is known of where they come from."""
        return Benchmark(
            self.name,
            self.title,
            tuple(sets),
            citation=self.citation,
            licence=self.licence,
            synthetic=self.synthetic,
            notes=(*self.notes, *notes),
        )


def load_dataset(
    name: str,
    *,
    data_dir: PathLike | None = None,
    seed: int = 0,
    repeats: int = 10,
    failed_enrolment: FailedEnrolment = "drop",
) -> Benchmark:
    """Load a score set by its name; see `DATASETS` and ``fairtrial datasets``.

    Parameters
    ----------
    name : str
        One of the sets that ``fairtrial datasets`` lists.
    data_dir : str or path-like, optional
        The directory with the set's folder in it. Without it, files are looked for in ``$FAIRTRIAL_DATA``, then in the
        cache (``$FAIRTRIAL_CACHE``, or the user's), into which they are downloaded where that is possible.
    seed : int, default 0
        The same seed gives the same random splits, where the set has no dev trials of its own, and the same synthetic
        scores.
    repeats : int, default 10
        How many random splits, where the set has no dev trials of its own.
    failed_enrolment : {"drop", "keep"}, default "drop"
        Trials against somebody whose enrolment failed for one system: ``drop`` them for all systems, or ``keep``.

    Returns
    -------
    Benchmark
        The sets with all that is known of where they come from.

    Raises
    ------
    ParameterError
        A name that is not known, or a parameter out of its range.
    InputError
        Files that are not there, cannot be downloaded, or are not what they should be.

    Examples
    --------
    >>> load_dataset("lausanne").synthetic
    True
    """
    dataset = find_dataset(name)
    _check_failed_enrolment(failed_enrolment)
    check_seed(seed)
    files = _files(dataset, data_dir)
    benchmark = dataset.build(dataset, files, Settings(seed, repeats, failed_enrolment))
    return replace(benchmark, files=tuple(files)) if files else benchmark


def find_dataset(name: str) -> Dataset:
    """A data set by its name."""
    if name not in DATASETS:
        raise ParameterError(f"there is no data set {name!r}; there are {', '.join(DATASETS)}")
    return DATASETS[name]


def locate_dataset(dataset: Dataset, data_dir: PathLike | None = None) -> Path | None:
    """Where all files of a data set lie; None where they do not, or where it needs none."""
    for place in _places(dataset, data_dir):
        if dataset.files and all(_present(place, file.name) for file in dataset.files):
            return place
    return None


def cache_directory() -> Path:
    """Where downloaded files are kept."""
    given = os.environ.get(_CACHE)
    if given:
        return Path(given)
    import pooch

    return Path(pooch.os_cache("fairtrial"))


def _places(dataset: Dataset, data_dir: PathLike | None) -> list[Path]:
    given = data_dir if data_dir is not None else os.environ.get(DATA) or None
    own = [] if given is None else [Path(given) / dataset.folder]
    return own if data_dir is not None else [*own, cache_directory() / dataset.folder]


def _present(folder: Path, name: str) -> Path | None:
    return next((path for ending in _ENDINGS if (path := folder / f"{name}{ending}").is_file()), None)


def _files(dataset: Dataset, data_dir: PathLike | None) -> list[Path]:
    """The files of a data set, each with the content that is pinned."""
    if not dataset.files:
        return []
    place = locate_dataset(dataset, data_dir)
    if place is not None:
        return [_checked(_present(place, file.name) or place / file.name, file) for file in dataset.files]
    mirror = _mirror()
    base = f"{mirror}/{dataset.folder}" if mirror else dataset.address
    if data_dir is not None or base is None:
        folder = _places(dataset, data_dir)[0]
        missing = [file.name for file in dataset.files if _present(folder, file.name) is None]
        raise InputError(
            f"data set {dataset.name}: {folder} does not hold {listed(missing)}; put the files there, as they are or "
            f"with .gz, or name another directory that holds the folder {dataset.folder} by data_dir or ${DATA}. "
            f"They come from {dataset.source}"
        )
    folder = cache_directory() / dataset.folder
    instead = f"put the file into {folder}, or name another server in ${_MIRROR}"
    return [fetch(f"{base}/{file.name}", file.sha256, folder, instead=instead) for file in dataset.files]


def _mirror() -> str:
    """The address of a server that holds all files; empty where none is named."""
    given = os.environ.get(_MIRROR, "").rstrip("/")
    try:
        parts = urlsplit(given)
        good = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        good = False
    if given and not good:
        raise ParameterError(
            f"${_MIRROR} must be an address as https://example.org/scores, not {shown(without_password(given))}"
        )
    return given


def _checked(path: Path, file: DataFile) -> Path:
    """The file itself, if it has the content that is pinned."""
    digest = hashlib.sha256()
    with read_head(path).open() as stream:
        while chunk := stream.read(1 << 20):
            digest.update(chunk)
    if digest.hexdigest() != file.sha256:
        raise InputError(
            f"{path}: is not the file that it should be: the SHA-256 of its content is {digest.hexdigest()}, expected "
            f"{file.sha256}; get the file again, or describe your own by a benchmark.toml"
        )
    return path


def _build_bssr1(dataset: Dataset, files: Sequence[Path], settings: Settings) -> Benchmark:
    trials = _read_matrices(files, settings.failed_enrolment)
    sets, note = split_sets("set1", trials, dataset.systems, repeats=settings.repeats, seed=settings.seed)
    return dataset.benchmark(sets, [*trials.notes, note])


def read_bssr1(directory: PathLike, *, failed_enrolment: FailedEnrolment = "drop") -> Trials:
    """Read the whole of NIST BSSR1 Set 1: everybody's face and fingers against everybody's.

    Parameters
    ----------
    directory : str or path-like
        Where face-C.csv, face-G.csv, finger-left.csv and finger-right.csv are, as they are or with .gz.
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
        Files that are not there or cannot be read.

    References
    ----------
    NIST, Biometric Scores Set - Release 1 (BSSR1), 2004.

    Examples
    --------
    >>> read_bssr1("bssr1")  # doctest: +SKIP
    <Trials: 266,772 trials (516 genuine, 266,256 impostor), 4 systems: ...>
    """
    _check_failed_enrolment(failed_enrolment)
    place = Path(directory)
    files = DATASETS["bssr1-set1"].files
    missing = [file.name for file in files if _present(place, file.name) is None]
    if missing:
        raise InputError(f"{place}: does not hold {listed(missing)}, with or without .gz")
    return _read_matrices([_present(place, file.name) or place for file in files], failed_enrolment)


def _read_matrices(files: Sequence[Path], failed_enrolment: FailedEnrolment) -> Trials:
    names = [system.name for system in DATASETS["bssr1-set1"].systems]
    trials = read_trials(files, names=names, format="matrix")
    failed = _failed_enrolments(trials)
    if not failed:
        return trials
    assert trials.claim is not None
    claim = trials.claim.numbered()
    against = np.isin(claim.names[claim.codes], list(failed))
    count = int(np.count_nonzero(against))
    which = "; ".join(f"{cut(name)} for {listed(systems)}" for name, systems in failed.items())
    done = "were left out for all systems" if failed_enrolment == "drop" else "are kept"
    note = f"enrolment failed, all scores are the same: {which}; {count:,} trials against such subjects {done}"
    return (trials.rows(~against) if failed_enrolment == "drop" else trials).with_notes(note)


def _failed_enrolments(trials: Trials) -> dict[str, list[str]]:
    """Enrolled subjects against whom a system gives everybody the same score, and the systems that do."""
    assert trials.claim is not None
    claim = trials.claim.numbered()
    order = np.argsort(claim.codes, kind="stable")
    codes, starts = np.unique(claim.codes[order], return_index=True)
    ordered = trials.scores[order]
    constant = np.minimum.reduceat(ordered, starts) == np.maximum.reduceat(ordered, starts)
    return {
        str(claim.names[codes[row]]): [name for name, same in zip(trials.systems, constant[row], strict=True) if same]
        for row in np.flatnonzero(constant.any(axis=1))
    }


def _check_failed_enrolment(value: str) -> None:
    check_choice("failed_enrolment", value, get_args(FailedEnrolment))


def _build_asvspoof(dataset: Dataset, files: Sequence[Path], settings: Settings) -> Benchmark:
    names = [system.name for system in dataset.systems]
    dev, test = (
        read_trials(file, format="csv", scores=names, genuine_labels=["target"], impostor_labels=["nontarget", "spoof"])
        for file in files
    )
    return dataset.benchmark([BenchmarkSet("la", dev, test, dataset.systems)], [])


def _build_xm2vts(dataset: Dataset, files: Sequence[Path], settings: Settings) -> Benchmark:
    trials = read_trials(files, format="lists")
    sets, note = split_sets("lp2-dev", trials, dataset.systems, repeats=settings.repeats, seed=settings.seed)
    return dataset.benchmark(sets, [note])


def _build_lausanne(dataset: Dataset, files: Sequence[Path], settings: Settings) -> Benchmark:
    return load_lausanne(settings.seed)


def _named_alike(modality: str, *names: str) -> tuple[SystemInfo, ...]:
    """Systems of which nothing more is known than their names."""
    return tuple(SystemInfo(name, modality, name, name) for name in names)


DATASETS: dict[str, Dataset] = {
    dataset.name: dataset
    for dataset in (
        Dataset(
            name="lausanne",
            title=TITLE,
            contents="200 clients; LP1 dev 600 / 40,000, LP2 dev 400 / 40,000, test 400 / 112,000 genuine / impostor",
            systems=LP1.systems,
            citation=CITATION,
            licence="as fairtrial itself",
            source="fairtrial itself, which makes the scores from a seed",
            build=_build_lausanne,
            synthetic=True,
        ),
        Dataset(
            name="bssr1-set1",
            title="NIST Biometric Scores Set Release 1, Set 1: two face matchers and two fingers",
            contents="517 people, everybody against everybody: 517 genuine, 266,772 impostor trials",
            systems=(
                SystemInfo("face-C", "face", "C", "C"),
                SystemInfo("face-G", "face", "G", "G"),
                SystemInfo("finger-left", "fingerprint", "left", "V"),
                SystemInfo("finger-right", "fingerprint", "right", "V"),
            ),
            citation=(
                "National Institute of Standards and Technology, NIST Biometric Scores Set Release 1 (BSSR1), 2004, "
                "https://www.nist.gov/itl/iad/image-group/nist-biometric-scores-set-bssr1"
            ),
            licence="scores: NIST's terms; the repository that holds them: MIT",
            source="https://github.com/melissadale/ScoreFusionApp, folder ExampleScoreData, commit a270f5f8",
            build=_build_bssr1,
            uses=("repeats", "failed_enrolment"),
            folder="bssr1_set1",
            files=(
                DataFile("face-C.csv", "324fab742b2b3e848c2f8e1feec7364ddf6eae25482c2a6b91044ed304d38e08"),
                DataFile("face-G.csv", "7cf401521978a2a335306c7327acf3af7652427c65d1bdb9fb21ec6d5db21cac"),
                DataFile("finger-left.csv", "07c97b46d781cbf01a9ae2884864a7e64ed80d667ce6f96107f0de6848bd4eb5"),
                DataFile("finger-right.csv", "ed8a9718d323b57a42b2a5bb5480cb3501c28b90f2f5845fbdf8218a69670d0f"),
            ),
            address="https://github.com/melissadale/ScoreFusionApp/raw/a270f5f8/ExampleScoreData",
            notes=(
                "face-C could not enrol one subject (all its scores are -1); trials against that subject are left out "
                'for all systems; failed_enrolment="keep" keeps them',
            ),
        ),
        Dataset(
            name="asvspoof2019-la",
            title="ASVspoof 2019 logical access: speaker verification and spoofing countermeasures together",
            contents="dev 10 models, 1,484 / 28,064; test 48 models, 5,370 / 97,209 genuine / impostor trials",
            systems=(
                *_named_alike("asv", "asv_ecapa"),
                *_named_alike("countermeasure", "cm_aasist", "cm_ecapa512ctsf", "cm_ecapa512ctst", "cm_ecapa512cfst"),
            ),
            citation=(
                "X. Wang et al., ASVspoof 2019: A large-scale public database of synthesized, converted and replayed "
                "speech, Computer Speech & Language 64, 2020"
            ),
            licence="that of each source: Apache-2, BSD-3, MIT, or none stated",
            source=(
                "the score files of github.com/asvspoof-challenge/asvspoof5 (Apache-2), "
                "sasv-challenge/SASVC2022_Baseline, nii-yamagishilab/project-NN-Pytorch-scripts (BSD-3), "
                "yzyouzhang/ASVspoof2021_AIR and yzyouzhang/AIR-ASVspoof (MIT), joined by model and utterance into one "
                "table for dev and one for eval"
            ),
            build=_build_asvspoof,
            folder="asvspoof2019_la",
            files=(
                DataFile("asv_trials_dev.csv", "58a5da120b4eb5ecdfe8afe5449c1e70497f86165a4765a5737ba072dbb085ed"),
                DataFile("asv_trials_eval.csv", "bcff253fc8411054d20d31d8d67c6a7223d5dc06c8d9f98842f4a23804da35aa"),
            ),
            notes=(
                "genuine: the target speaker, bona fide; impostor: another speaker, or a spoof of the target speaker",
                "left out, since they have no dev scores: asv_official, cm_resnet_softmax, cm_resnet_amsoftmax and "
                "cm_resnet_ocsoftmax (whose sign is reversed: lower is bona fide)",
                "who speaks in impostor trials is not known: trials have a claim, the model, and a probe, the "
                "utterance, but no subject; an utterance's countermeasure score repeats over the models it is tried on",
            ),
        ),
        Dataset(
            name="xm2vts-lp2-dev",
            title="XM2VTS score-level fusion benchmark: the dev set of protocol LP2, two systems without names",
            contents="200 clients and 25 impostors with 8 shots each: 400 genuine, 40,000 impostor trials",
            systems=_named_alike("unknown", "system 1", "system 2"),
            citation=(
                "N. Poh and S. Bengio, Database, protocols and tools for evaluating score-level fusion algorithms in "
                "biometric authentication, Pattern Recognition 39(2), 2006"
            ),
            licence="none stated",
            source="https://github.com/normanpoh/DETConf, folder example, commit a9bd0886",
            build=_build_xm2vts,
            uses=("repeats",),
            folder="xm2vts_lp2_dev_2sys",
            files=(
                DataFile("gen.scores", "eb43b0d179640abdb1271dee0d5273181020d879392e6fcb0f4cbc9706138c33"),
                DataFile("imp.scores", "a8fcc68e34b17fb90a4dd5853f921cb06378f732bfe41da3361323c523335b7d"),
            ),
            notes=("what the two systems are is not known, so they count as different features of one modality",),
        ),
    )
}
"""The score sets by their names."""
