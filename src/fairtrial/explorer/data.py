"""What a session looks at: files as they were read, and operating points on their trials."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from fairtrial.core.errors import ParameterError, TrialsError, check_classes
from fairtrial.core.parameters import changed, option_words, repeat_call
from fairtrial.core.schema import FLAG, NUMBER, Key, one_of
from fairtrial.core.trials import Further, Trials
from fairtrial.core.words import as_in_files, interval_title, level_text, listed, plural
from fairtrial.counting.tallies import ErrorCounts
from fairtrial.evaluation.epc import alpha_grid, curve_of
from fairtrial.explorer.files import OpenFile, OpenFiles
from fairtrial.explorer.forms import NAMES, TEXT, WHOLE, Fields, check_fields, keys_of
from fairtrial.figures.axes import Floats, probit
from fairtrial.figures.system import SystemCurves, overview_charts
from fairtrial.formats.columns import read_named
from fairtrial.formats.files import half_of_memory
from fairtrial.formats.read import expected_memory, read_pair, read_trials
from fairtrial.formats.sheets import ROLES, ReadOptions
from fairtrial.groups.membership import MOST_GROUPS, PeopleTable
from fairtrial.inference.decide import Judgement, judge, judge_at
from fairtrial.inference.folds import make_blocks, with_fold_note
from fairtrial.inference.people import Cluster
from fairtrial.inference.split import TrialSets, check_same_systems
from fairtrial.rules.criteria import CRITERIA, Criterion, as_criterion

CONFIDENCE = 0.95
MAX_SYSTEMS = 12
"""Systems that are looked at together."""
_SEVERAL_COLUMNS = ("score", "other")
_OPTIONS = ("nan", "person", "genuine_by")
_READING = (
    *(Key(name, NAMES, ()) for name in ("dev", "test", "genuine", "impostor", "negate")),
    Key("folds", WHOLE, 5),
    Key("seed", WHOLE, 0),
    Key("roles", tuple(Key(r, NAMES, ()) if r in _SEVERAL_COLUMNS else Key(r, TEXT, "") for r in ROLES), {}),
    Key("distances", FLAG, False),
    Key("people", TEXT, ""),
    *keys_of(ReadOptions, _OPTIONS),
    *keys_of(make_blocks, ("cluster",)),
)
"""Fields of the browser that say how files are read."""
_E24 = (1.0, 1.1, 1.2, 1.3, 1.5, 1.6, 1.8, 2.0, 2.2, 2.4, 2.7, 3.0, 3.3, 3.6, 3.9, 4.3, 4.7, 5.1, 5.6, 6.2, 6.8, 7.5,
        8.2, 9.1)  # fmt: skip
"""Two digits, evenly spaced on a logarithmic scale: the preferred numbers E24 of IEC 60063."""


@dataclass(frozen=True, slots=True)
class Files:
    """The files of dev and of test, and a table of people with one row per person."""

    dev: tuple[OpenFile, ...]
    test: tuple[OpenFile, ...] = ()
    people: OpenFile | None = None

    @property
    def all(self) -> tuple[OpenFile, ...]:
        """All of them."""
        return (*self.dev, *self.test, *(() if self.people is None else (self.people,)))


@dataclass(frozen=True, slots=True)
class Reading:
    """How open files are to be read.

    Parameters
    ----------
    dev, test
        Keys of open files.
    folds
        Number of folds of the dev trials, if there is no test set.
    options
        What the files do not say by themselves.
    cluster
        What trials share; None: all known ids.
    rng
        Seed of folds and resamples.
    people
        Key of a table of people, or empty.
    asked
        The fields of the browser, without those at their defaults.
    """

    dev: tuple[str, ...]
    test: tuple[str, ...] = ()
    folds: int | None = None
    options: ReadOptions = field(default_factory=ReadOptions)
    cluster: Cluster | None = None
    rng: int = 0
    people: str = ""
    asked: Fields = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, given: Fields) -> Reading:
        """Check what the browser asks for."""
        fields = check_fields({name: value for name, value in given.items() if value != ""}, _READING)
        roles = fields["roles"]
        if not fields["dev"]:
            raise ParameterError("choose which file holds the development scores")
        options = ReadOptions(
            columns={role: name for role, name in roles.items() if name and role not in _SEVERAL_COLUMNS},
            scores=roles.get("score", ()),
            others=roles.get("other", ()),
            genuine_labels=fields["genuine"],
            impostor_labels=fields["impostor"],
            negate=fields["negate"] or fields["distances"],
            **{name: fields[name] for name in _OPTIONS if fields[name] is not None},
        )
        folds = None if fields["test"] else fields["folds"]
        asked = {key.name: given[key.name] for key in _READING if given.get(key.name)}
        chance = fields["cluster"], fields["seed"]
        return cls(fields["dev"], fields["test"], folds, options, *chance, fields["people"], asked)

    def files(self, opened: OpenFiles) -> Files:
        """Return the files that are to be read."""
        dev, test = (tuple(opened[key] for key in keys) for keys in (self.dev, self.test))
        return Files(dev, test, opened[self.people] if self.people else None)

    def read(self, files: Files, progress: Callable[[int], None] | None, *, room: int | None = None) -> TrialSets:
        """Read the files; raise an error if they need more than `room` bytes, by default half of the memory."""
        dev, test = ([str(file.path) for file in some] for some in (files.dev, files.test))
        needed, limit = expected_memory([*dev, *test]), half_of_memory() if room is None else room
        if needed > limit:
            raise TrialsError(
                f"these files need about {needed / 1e9:.1f} GB of memory and {limit / 1e9:.1f} GB may be used; "
                "fairtrial evaluate reads them in pieces, and fairtrial count makes small files of them"
            )
        if self.folds is None:
            pair = read_pair(dev, test, progress=progress, **self.keywords())
            check_same_systems(*pair)
            for trials, some, name in zip(pair, (files.dev, files.test), ("dev", "test"), strict=True):
                _check_classes(trials, some, name)
            return TrialSets(*pair, self.cluster, self.rng)
        trials = read_trials(dev, progress=progress, **self.keywords())
        _check_classes(trials, files.dev, "to be cut into folds")
        blocks = make_blocks(trials, self.folds, cluster=self.cluster, rng=self.rng)
        trials = with_fold_note(trials, self.folds, blocks, self.cluster)
        return TrialSets(trials, trials, self.cluster, self.rng, blocks)

    def keywords(self) -> dict[str, Any]:
        """Return the options as keywords of `read_trials`, without those at their defaults."""
        options = {name: getattr(self.options, name) for name in ReadOptions.__slots__}
        chosen = changed(ReadOptions, {name: value for name, value in options.items() if value not in ((), {}, None)})
        return {name: list(value) if isinstance(value, tuple) else value for name, value in chosen.items()}


def _check_classes(trials: Trials, files: Sequence[OpenFile], name: str) -> None:
    genuine = int(np.count_nonzero(trials.genuine))
    check_classes(genuine, len(trials) - genuine, f"{', '.join(file.name for file in files[:3])}, {name}")


@dataclass(frozen=True, slots=True)
class Point:
    """An operating point: a criterion with its weight or target, or a given threshold."""

    criterion: str = "eer"
    alpha: float | None = None
    threshold: float | None = None

    @classmethod
    def of(cls, given: Fields) -> Point:
        """Check what the browser asks for."""
        numbers = [Key(name, NUMBER, None) for name in ("alpha", "threshold")]
        fields = check_fields(given, [Key("criterion", one_of(tuple(CRITERIA)), "eer"), *numbers])
        if fields["threshold"] is not None:
            return cls(threshold=fields["threshold"])
        rule = as_criterion(fields["criterion"])
        return cls(rule.name, None if rule.alpha_means == "none" else rule.resolve_alpha(fields["alpha"]))

    @property
    def rule(self) -> Criterion:
        """The criterion."""
        return as_criterion(self.criterion)

    def judged(self, sets: TrialSets, system: str) -> Judgement:
        """Judge a system at this point."""
        if self.threshold is not None:
            return judge_at(sets, self.threshold, system=system)
        rule = self.rule
        return judge(sets, system=system, criterion=rule, alphas=rule.resolve_alpha(self.alpha))

    def keywords(self) -> dict[str, Any]:
        """Return the point as keywords of a function."""
        if self.threshold is not None:
            return {"threshold": self.threshold}
        return {"criterion": self.criterion, "alpha": self.alpha}


def steps_of(criterion: Criterion) -> Floats:
    """Values along the slider of a criterion: weights, or targets with two digits."""
    if criterion.alpha_means == "none":
        return np.array([0.5])
    if criterion.alpha_means == "weight":
        return np.linspace(0.0, 1.0, 1001)
    rates = np.array([float(f"{factor:g}e{power}") for power in range(-6, 0) for factor in _E24])
    rates = rates[rates <= 0.5]
    return np.round(1 - rates[::-1], 7) if _aims_high(criterion) else rates


def criteria_shown() -> list[dict[str, Any]]:
    """Describe the criteria, with the place where the slider of each begins."""
    return [
        {
            "name": name,
            "means": rule.alpha_means,
            "start": {"none": None, "weight": 0.5, "target": 0.9 if _aims_high(rule) else 0.01}[rule.alpha_means],
            "summary": rule.summary,
        }
        for name, rule in CRITERIA.items()
    ]


def _aims_high(criterion: Criterion) -> bool:
    """Check whether the target is of a measure that is better if higher, such as precision."""
    return criterion.aim is not None and criterion.aim.higher_is_better


def errors_shown(counts: ErrorCounts, system: str) -> dict[str, Any]:
    """Errors at one threshold or several, and their place on the axes of a DET curve."""
    x, y = (np.round(probit(rate), 5).tolist() for rate in (counts.far, counts.frr))
    threshold = as_in_files(system, np.asarray(counts.threshold).tolist())
    return {"threshold": threshold, **counts.to_dict(), "x": x, "y": y}


@dataclass(eq=False)
class Data:
    """Trials, how they were read, and what all questions share."""

    sets: TrialSets
    reading: Reading
    files: Files
    _curves: dict[str, SystemCurves] = field(default_factory=dict)
    _sorted: dict[str, tuple[Floats, Floats]] = field(default_factory=dict)
    _tracks: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def test(self) -> Trials:
        """The trials that are judged."""
        return self.sets.trials()

    @property
    def dev(self) -> Trials:
        """The trials that thresholds come from."""
        return self.sets.trials("dev")

    @property
    def systems(self) -> tuple[str, ...]:
        """All systems."""
        return self.test.systems

    @property
    def distances(self) -> list[str]:
        """The systems whose scores are distances, which are negated when they are read."""
        negate = self.reading.options.negate
        return [name for name in self.systems if negate is True or (negate and name in negate)]

    def point(self, given: Fields, names: Sequence[str]) -> Point:
        """Check an operating point of these systems; a threshold of distances has the sign of their files."""
        point, kinds = Point.of(given), {name in self.distances for name in names}
        if point.threshold is None or kinds == {False}:
            return point
        if len(kinds) > 1:
            text = "one threshold is of scores or of distances; choose systems of one kind"
            raise ParameterError(text, code="scores-and-distances")
        return replace(point, threshold=0.0 - point.threshold)

    def chosen(self, names: Sequence[str], *, most: int = MAX_SYSTEMS) -> tuple[str, ...]:
        """Check the names of systems; the first ones if none is named."""
        chosen = tuple(names) or self.systems[:most]
        for name in chosen:
            self.test.check_system(name)
        if len(chosen) > most:
            raise ParameterError(f"{len(chosen)} systems at once are too many to look at; choose at most {most}")
        return chosen

    def look(self, names: Sequence[str]) -> dict[str, Any]:
        """Curves and densities of these systems; sorted scores are kept for a dragged threshold."""
        chosen = self.chosen(names)
        with self._lock:
            for name in chosen:
                if name not in self._curves:
                    along = judge(self.sets, system=name, criterion="wer-min", alphas=alpha_grid())
                    self._curves[name] = SystemCurves.of(curve_of(along))
                    scores, genuine = self.test.column(name).astype(np.float64), self.test.genuine
                    self._sorted[name] = np.sort(scores[genuine]), np.sort(scores[~genuine])
            return overview_charts([self._curves[name] for name in chosen])

    def track(self, names: Sequence[str], criterion: str) -> dict[str, Any]:
        """Errors of these systems along the slider of a criterion, all at once."""
        rule, chosen = as_criterion(criterion), self.chosen(names)
        with self._lock:
            for name in chosen:
                if (criterion, name) not in self._tracks:
                    counts = judge(self.sets, system=name, criterion=rule, alphas=steps_of(rule)).test
                    shown = errors_shown(counts, name).items()
                    self._tracks[criterion, name] = {
                        key: values for key, values in shown if key not in ("far", "frr", "hter")
                    }
            tracks = {name: self._tracks[criterion, name] for name in chosen}
        return {"criterion": rule.name, "means": rule.alpha_means, "steps": steps_of(rule).tolist(), "systems": tracks}

    def at(self, names: Sequence[str], given: Fields) -> dict[str, Any]:
        """Errors of these systems at one point."""
        chosen = self.chosen(names)
        point = self.point(given, chosen)
        return {"systems": {name: errors_shown(self._errors(name, point), name) for name in chosen}}

    def _errors(self, name: str, point: Point) -> ErrorCounts:
        if name not in self._sorted or point.threshold is None:
            return point.judged(self.sets, name).at(0)
        genuine, impostor = self._sorted[name]
        rejected, below = (int(np.searchsorted(scores, point.threshold, "right")) for scores in (genuine, impostor))
        return ErrorCounts(point.threshold, len(impostor) - below, rejected, len(genuine), len(impostor))

    @property
    def people_columns(self) -> tuple[str, ...]:
        """Columns of the table of people, but for the one that says who it is."""
        if self.files.people is None:
            return ()
        return tuple(each.name for each in self.files.people.glance.columns if each.name != self.person_column)

    @cached_property
    def group_columns(self) -> tuple[str, ...]:
        """Columns of few enough values to make groups: of the table of people, then of the trials, then their ids."""

        def count(column: Further) -> int:
            return len(np.unique(column)) if isinstance(column, np.ndarray) else len(column.numbered().names)

        columns = {**self.test.columns, **self.test.ids}
        few = [name for name, column in columns.items() if count(column) <= MOST_GROUPS]
        return tuple(dict.fromkeys((*self.people_columns, *few)))

    @property
    def person_column(self) -> str:
        """The column of the table of people that says who it is: `person`, or the first."""
        assert self.files.people is not None
        names = [column.name for column in self.files.people.glance.columns]
        if not names:
            raise TrialsError(
                f"{self.files.people.name}: has no header; a table of people has one, and one row per person"
            )
        return "person" if "person" in names else names[0]

    def people_table(self, columns: Sequence[str]) -> PeopleTable:
        """Read some columns of the table of people."""
        assert self.files.people is not None
        person = self.person_column
        table = read_named(self.files.people.path, names=(person, *columns), what="one row per person")
        return PeopleTable(table[person], {name: table[name] for name in columns})

    @property
    def chance(self) -> dict[str, Any]:
        """What questions that depend on chance are asked with."""
        return {"cluster": self.reading.cluster, "rng": self.reading.rng}

    def check_unchanged(self) -> None:
        """Raise an error if a file is not the one that was read."""
        for file in self.files.all:
            file.check_unchanged()

    def words(self, systems: Sequence[str], *, folds: bool = True) -> list[str]:
        """Return the files and how they are read, as options of a command; without folds they are judged whole."""
        names = [("--dev", file) for file in self.files.dev] + [("--test", file) for file in self.files.test]
        if self.reading.folds is not None and not folds:
            names += [("--test", file) for file in self.files.dev]
        words = [word for flag, file in names for word in (flag, file.typed)]
        if self.reading.folds is not None and folds:
            words += option_words("folds", self.reading.folds)
        for name, value in self.reading.keywords().items():
            if name == "negate" and value is not True:
                words += [word for system in value if system in systems for word in ("--negate-system", system)]
            else:
                words += option_words(name, value)
        return words

    def lines(self) -> list[str]:
        """Return the same in Python: dev and test, or trials and the blocks they are cut into."""
        dev, test = ([file.typed for file in some] for some in (self.files.dev, self.files.test))
        given = [repr(names[0] if len(names) == 1 else names) for names in (dev, test) if names]
        if self.reading.folds is None:
            return [f"dev, test = {repeat_call('ft.read_pair', given, self.reading.keywords())}"]
        chance = {name: value for name, value in self.chance.items() if value is not None}
        return [
            f"trials = {repeat_call('ft.read_trials', given, self.reading.keywords())}",
            f"blocks = {repeat_call('ft.inference.make_blocks', ['trials', str(self.reading.folds)], chance)}",
        ]

    @property
    def where_files_are(self) -> str:
        """What to know before a command is typed, if a browser did not say where files lie."""
        dropped = [file.name for file in self.files.all if file.dropped]
        return f"run it in the folder of {listed(dropped)}" if dropped else ""

    @cached_property
    def summary(self) -> dict[str, Any]:
        """Describe what was read, in numbers and words."""
        from fairtrial.pages.methods import JUDGED

        sets = {"dev": self.dev, "test": self.test} if self.reading.folds is None else {"test": self.test}
        counts = {
            name: {"genuine": int(trials.genuine.sum()), "impostor": int((~trials.genuine).sum())}
            for name, trials in sets.items()
        }
        trials_of = [
            f"{name}: {count['genuine']:,} genuine and {count['impostor']:,} impostor trials"
            for name, count in counts.items()
        ]
        systems = f"{plural(len(self.systems), 'system')}: {listed(self.systems)}"
        ids = f"ids: {', '.join(self.test.ids)}" if self.test.ids else "no ids, so trials are taken as independent"
        captions = JUDGED[self.sets.origin]
        return {
            "systems": list(self.systems),
            "distances": self.distances,
            "counts": counts,
            "captions": {
                "errors": f"Errors on {self.sets.provenance.judged}",
                "interval": f"{interval_title(CONFIDENCE)} of the HTER",
                "band": f"{level_text(CONFIDENCE)} band",
                "epc": captions.epc,
                "curve": captions.curve,
            },
            "notes": list(dict.fromkeys(str(note) for trials in sets.values() for note in trials.notes)),
            "said": "; ".join([systems, *trials_of, ids]),
        }
