"""Which files are dev and which are test, and what is in them, as the user corrected it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fairtrial.core.errors import ParameterError, TrialsError, check_classes
from fairtrial.core.trials import Trials
from fairtrial.explorer import fields
from fairtrial.explorer.fields import Fields
from fairtrial.explorer.repeating import Call
from fairtrial.explorer.shelf import Shelf, ShelvedFile
from fairtrial.formats.opening import expected_memory
from fairtrial.formats.read import read_pair, read_trials
from fairtrial.formats.sheets import ROLES, ReadOptions
from fairtrial.inference.folds import make_blocks, with_fold_note
from fairtrial.inference.people import Cluster
from fairtrial.inference.split import TrialSets, check_same_systems

Progress = Callable[[int], None]
_CLUSTERS = ("", "none", "claim", "subject", "both")
_ONE_COLUMN = tuple(role for role in ROLES if role not in ("score", "other"))


@dataclass(frozen=True, slots=True)
class Files:
    """The files of dev and of test, and what is known of people."""

    dev: tuple[ShelvedFile, ...]
    test: tuple[ShelvedFile, ...] = ()
    people: ShelvedFile | None = None
    """A table with one row per person, for groups."""

    @property
    def all(self) -> tuple[ShelvedFile, ...]:
        """All of them."""
        return (*self.dev, *self.test, *(() if self.people is None else (self.people,)))


@dataclass(frozen=True, slots=True)
class Reading:
    """How the files on the shelf are to be read.

    Parameters
    ----------
    dev, test
        Keys of files on the shelf.
    folds
        How many folds the dev trials are cut into, where there is no test set.
    options
        What the files do not tell by themselves.
    cluster
        What trials share; None: all ids that are known.
    seed
        Of folds and resamples.
    people
        The key of a table of people; empty where there is none.
    """

    dev: tuple[str, ...]
    test: tuple[str, ...] = ()
    folds: int | None = None
    options: ReadOptions = field(default_factory=ReadOptions)
    cluster: Cluster | None = None
    seed: int = 0
    people: str = ""

    @classmethod
    def of(cls, given: Fields) -> Reading:
        """What the browser asks for."""
        dev, test = fields.names(given, "dev"), fields.names(given, "test")
        if not dev:
            raise ParameterError("choose which file holds the development scores")
        roles = fields.part(given, "roles")
        columns = {role: fields.text(roles, role) for role in _ONE_COLUMN if role in roles}
        cluster = fields.choice(given, "cluster", _CLUSTERS, "")
        options = ReadOptions(
            columns=columns,
            scores=fields.names(roles, "score"),
            others=fields.names(roles, "other"),
            genuine_labels=fields.names(given, "genuine"),
            impostor_labels=fields.names(given, "impostor"),
            negate=fields.names(given, "negate") or fields.flag(given, "distances"),
            nan=fields.choice(given, "nan", ("error", "drop", "reject"), "error"),  # type: ignore[arg-type]
            person=fields.text(given, "person", "") or None,
            genuine_by=fields.choice(given, "genuine_by", ("", "label", "ids"), "") or None,  # type: ignore[arg-type]
        )
        folds = None if test else fields.whole(given, "folds", 5)
        seed = fields.whole(given, "seed", 0)
        people = fields.text(given, "people", "")
        return cls(dev, test, folds, options, cluster or None, seed, people)  # type: ignore[arg-type]

    def to_dict(self) -> dict[str, Any]:
        """The fields that the browser asked with, but for those that are as they would be by default."""
        options = self.options
        roles = {**options.columns, "score": list(options.scores), "other": list(options.others)}
        found = {
            "dev": list(self.dev),
            "test": list(self.test),
            "folds": self.folds,
            "roles": {role: given for role, given in roles.items() if given},
            "genuine": list(options.genuine_labels),
            "impostor": list(options.impostor_labels),
            "distances": options.negate is True,
            "negate": [] if isinstance(options.negate, bool) else list(options.negate),
            "nan": "" if options.nan == "error" else options.nan,
            "person": options.person,
            "genuine_by": options.genuine_by,
            "cluster": self.cluster,
            "seed": self.seed,
            "people": self.people,
        }
        return {name: value for name, value in found.items() if value}

    def files(self, shelf: Shelf) -> Files:
        """The files that are to be read."""
        people = shelf[self.people] if self.people else None
        return Files(shelf.opened(self.dev), shelf.opened(self.test), people)

    def read(self, files: Files, progress: Progress | None, *, room: int) -> TrialSets:
        """Read the files; an error where they would not fit into `room` bytes of memory."""
        dev, test = files.dev, files.test
        needed = expected_memory(_paths((*dev, *test)))
        if needed > room:
            raise TrialsError(
                f"these files need about {needed / 1e9:.1f} GB of memory and {room / 1e9:.1f} GB may be used; "
                "fairtrial evaluate reads them in pieces, and fairtrial count makes small files of them"
            )
        keywords = self._keywords()
        if self.folds is None:
            pair = read_pair(_paths(dev), _paths(test), progress=progress, **keywords)
            check_same_systems(*pair)
            for trials, own, name in zip(pair, (dev, test), ("dev", "test"), strict=True):
                _check_classes(trials, own, name)
            return TrialSets(*pair, self.cluster, self.seed)
        trials = read_trials(_paths(dev), progress=progress, **keywords)
        _check_classes(trials, dev, "to be cut into folds")
        blocks = make_blocks(trials, self.folds, cluster=self.cluster, rng=self.seed)
        trials = with_fold_note(trials, self.folds, blocks, self.cluster)
        return TrialSets(trials, trials, self.cluster, self.seed, blocks)

    def _keywords(self) -> dict[str, Any]:
        """What is not as it would be by default, as keywords of `read_trials`."""
        default = ReadOptions()
        names = (
            "columns",
            "scores",
            "others",
            "genuine_labels",
            "impostor_labels",
            "negate",
            "nan",
            "person",
            "genuine_by",
        )
        return {
            name: getattr(self.options, name) for name in names if getattr(self.options, name) != getattr(default, name)
        }

    def words(self, files: Files, systems: Sequence[str]) -> list[str]:
        """The same on the command line, of these systems: the words that every command takes."""
        found = []
        for flag, own in (("--dev", files.dev), ("--test", files.test)):
            for file in own:
                found += [flag, file.typed]
        if self.folds is not None:
            found += ["--folds", str(self.folds)]
        options = self.options
        for role, name in options.columns.items():
            found += ["--column", f"{role}={name}"]
        for role, names in (("score", options.scores), ("other", options.others)):
            for name in names:
                found += ["--column", f"{role}={name}"]
        for kind, words in (("genuine", options.genuine_labels), ("impostor", options.impostor_labels)):
            for word in words:
                found += ["--label", f"{kind}={word}"]
        if options.negate is True:
            found += ["--negate"]
        elif options.negate:
            for name in (name for name in options.negate if name in systems):
                found += ["--negate-system", name]
        if options.nan != "error":
            found += ["--nan", options.nan]
        if options.person is not None:
            found += ["--person", options.person]
        if options.genuine_by is not None:
            found += ["--genuine-by", options.genuine_by]
        return found

    def chance_words(self) -> list[str]:
        """What is known of chance, for commands that take it."""
        found = [] if self.cluster is None else ["--cluster", self.cluster]
        return [*found, *(["--seed", str(self.seed)] if self.seed else [])]

    def lines(self, files: Files) -> list[str]:
        """The same in Python: dev and test, or trials and the blocks they are cut into."""
        keywords = self._keywords()
        dev, test = _typed(files.dev), _typed(files.test)
        if self.folds is None:
            return [f"dev, test = {Call('ft.read_pair', (dev, test), keywords)}"]
        cluster = {} if self.cluster is None else {"cluster": self.cluster}
        return [
            f"trials = {Call('ft.read_trials', (dev,), keywords)}",
            f"blocks = {Call('ft.inference.make_blocks', ('trials', str(self.folds)), {**cluster, 'rng': self.seed})}",
        ]


def _paths(files: Sequence[ShelvedFile]) -> list[str]:
    return [str(file.path) for file in files]


def _typed(files: Sequence[ShelvedFile]) -> str:
    names = [file.typed for file in files]
    return repr(names[0] if len(names) == 1 else names)


def _check_classes(trials: Trials, files: Sequence[ShelvedFile], name: str) -> None:
    genuine = int(np.count_nonzero(trials.genuine))
    check_classes(genuine, len(trials) - genuine, f"{', '.join(file.name for file in files[:3])}, {name}")
