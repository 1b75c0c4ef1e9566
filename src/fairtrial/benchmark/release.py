"""The XM2VTS fusion benchmark as its authors give it away: directories of plain score files, read without a manifest.

What is known of the layout: rows of ``subject claim score ...``, one column per system, with the true and the claimed
identity as numbers, equal in client accesses; impostor and client accesses in one file, or in two, ``imp`` and ``gen``.
"""

from __future__ import annotations

import glob
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from fairtrial.benchmark.lausanne import LP1, LP2, NEVER_PAIRED
from fairtrial.benchmark.sets import Benchmark, BenchmarkSet
from fairtrial.errors import InputError, listed
from fairtrial.formats import read_trials
from fairtrial.formats.files import read_head
from fairtrial.formats.globs import files_matching
from fairtrial.formats.text import Kind, Layout, read_columns, split_spaces
from fairtrial.trials import Trials

_PROTOCOLS = {"lp1": "LP1", "pi": "LP1", "p1": "LP1", "lp2": "LP2", "pii": "LP2", "p2": "LP2"}
_SETS = {"dev": "dev", "development": "dev", "eva": "test", "eval": "test", "evaluation": "test", "test": "test"}
_CLASSES = {"gen": "genuine", "genuine": "genuine", "client": "genuine", "imp": "impostor", "impostor": "impostor"}
_CITATION = (
    "N. Poh and S. Bengio, Database, protocols and tools for evaluating score-level fusion algorithms in biometric "
    "authentication, Pattern Recognition 39(2), 2006"
)
_COUNTS = {("LP1", "dev"): (600, 40_000), ("LP2", "dev"): (400, 40_000), ("", "test"): (400, 112_000)}
"""Client and impostor accesses by Table 1 of the paper."""
_ENDINGS = (".scores", ".scores.gz", ".score", ".score.gz")


_SYSTEMS = {protocol.name: protocol.systems for protocol in (LP1, LP2)}
"""The systems of each protocol in the order of section 3.3 of the paper."""


def is_release(directory: Path) -> bool:
    """Whether a directory looks like the released files: score files whose paths name a protocol and a set."""
    return directory.is_dir() and bool(_found(directory))


def read_release(directory: Path) -> Benchmark:
    """Read the released score files of the XM2VTS fusion benchmark.

    Parameters
    ----------
    directory
        Where the files are. Their paths say the protocol (LP1 or LP2; also PI or PII) and the set (dev; eva, eval or
        test), and where there are two files also the class (gen and imp), as in ``LP1/dev.scores``, ``LP1/eva.scores``
        or ``LP2/dev/gen.scores``.

    Returns
    -------
    Benchmark
        The sets LP1 and LP2, as far as there are files of both dev and test.

    Raises
    ------
    InputError
        Files that do not go together: a set without its counterpart, or another number of systems than the paper's.

    Notes
    -----
    Columns are taken to be in the order of section 3.3 of the paper: (FH,MLP), (DCTs,GMM), (DCTb,GMM), (DCTs,MLP),
    (DCTb,MLP), (LFCC,GMM), (PAC,GMM), (SSC,GMM) in LP1; (FH,MLP), (DCTb,GMM), (LFCC,GMM), (PAC,GMM), (SSC,GMM) in LP2.
    If yours are in another, say so in a ``benchmark.toml``. Where all impostors have one id, nothing tells them apart:
    they are taken as unknown, and trials as sharing the claimed client only.

    References
    ----------
    Poh & Bengio 2006, Table 1 and sections 2 and 3.3.
    """
    found = _found(directory)
    sets, notes = [], []
    for protocol in ("LP1", "LP2"):
        parts = {word: found.get((protocol, word), {}) for word in ("dev", "test")}
        if not any(parts.values()):
            continue
        for word, files in parts.items():
            if not files:
                raise InputError(f"{directory}: {protocol} has no files of {word}; give both dev and eva, or neither")
        one, more = _read_set(protocol, parts)
        sets.append(one)
        notes += more
    paths = tuple(path for parts in found.values() for path in parts.values())
    columns = "columns are taken to be in the order of section 3.3 of the paper; say otherwise in a benchmark.toml"
    return Benchmark(
        "xm2vts",
        "XM2VTS score-level fusion benchmark, as released",
        tuple(sets),
        citation=_CITATION,
        never_paired=NEVER_PAIRED,
        notes=(columns, *notes),
        files=paths,
    )


def _found(directory: Path) -> dict[tuple[str, str], dict[str, Path]]:
    """The files by protocol and set, and there by class; ``both`` for a file of both classes."""
    found: dict[tuple[str, str], dict[str, Path]] = {}
    for path in map(Path, files_matching(str(Path(glob.escape(str(directory))) / "**" / "*"))):
        if not path.name.lower().endswith(_ENDINGS) or not path.is_file():
            continue
        words = re.split(r"[^a-z0-9]+", str(path.relative_to(directory)).lower())
        said = [[table[word] for word in words if word in table] for table in (_PROTOCOLS, _SETS, _CLASSES)]
        if not said[0] or not said[1]:
            continue
        place = found.setdefault((said[0][0], said[1][0]), {})
        kind = said[2][0] if said[2] else "both"
        if kind in place:
            raise InputError(
                f"{path}: there are two files of {said[0][0]}, {said[1][0]}, the other is {place[kind].name}; one file "
                "has all systems, one column each"
            )
        place[kind] = path
    return found


def _read_set(protocol: str, parts: dict[str, dict[str, Path]]) -> tuple[BenchmarkSet, list[str]]:
    systems = _SYSTEMS[protocol]
    names = [system.name for system in systems]
    trials: dict[str, Trials] = {}
    notes: list[str] = []
    for word, files in parts.items():
        own = _read_files(files)
        if len(own.systems) != len(systems):
            raise InputError(
                f"{listed(map(str, files.values()))}: {len(own.systems)} columns of scores, but {protocol} has "
                f"{len(systems)} systems; describe other files by a benchmark.toml"
            )
        trials[word] = own.renamed(names)
        notes += _counted(protocol, word, own)
    dev, test = trials["dev"], trials["test"]
    if any(_one_impostor(part) for part in (dev, test)):
        dev, test = (replace(part, subject=None) for part in (dev, test))
        notes.append(
            f"{protocol}: all impostors have the same id, so who they are is not known: trials are taken as sharing "
            "the claimed client only"
        )
    return BenchmarkSet(protocol, dev, test, systems), notes


def _read_files(files: dict[str, Path]) -> Trials:
    if set(files) == {"genuine", "impostor"}:
        # the files say the class; a number for impostors that are unknown may be that of a client too
        return read_trials([files["genuine"], files["impostor"]], format="lists", genuine_by="label")
    if set(files) != {"both"}:
        raise InputError(
            f"{listed(map(str, files.values()))}: expected one file of all accesses, or one of clients (gen) "
            "and one of impostors (imp)"
        )
    head = read_head(files["both"])
    lines = head.lines(1)
    width = len(split_spaces(lines[0])) if lines else 0
    if width < 4:
        raise InputError(f"{head.path}: expected rows of subject, claim and two or more scores, found {width} columns")
    systems = tuple(f"system {k + 1}" for k in range(width - 2))
    kinds: list[Kind] = ["score"] * len(systems)
    layout = Layout(("subject", "claim", *systems), ("id", "id", *kinds), " ", shape="subject claim score ...")
    columns = read_columns(head, layout).columns
    claim, subject = columns["claim"], columns["subject"]
    scores = np.stack([columns[system] for system in systems], axis=1)
    genuine = claim.numbered().equals(subject.numbered())
    return Trials.from_arrays(scores, genuine, systems=systems, claim=claim, subject=subject)


def _one_impostor(trials: Trials) -> bool:
    return trials.subject is not None and len(np.unique(trials.subject.numbered().codes[~trials.genuine])) < 2


def _counted(protocol: str, word: str, trials: Trials) -> Sequence[str]:
    """A note where there are other numbers of accesses than in the paper."""
    genuine = int(np.count_nonzero(trials.genuine))
    counts = (genuine, len(trials) - genuine)
    expected = _COUNTS[protocol if word == "dev" else "", word]
    if counts == expected:
        return []
    return [
        f"{protocol}, {word}: {counts[0]:,} client and {counts[1]:,} impostor accesses; Table 1 of the paper has "
        f"{expected[0]:,} and {expected[1]:,}"
    ]
