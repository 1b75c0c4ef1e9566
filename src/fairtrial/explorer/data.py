"""The trials that a session looks at, and what was found out about them once for all questions."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from fairtrial.core.errors import ParameterError, TrialsError
from fairtrial.core.trials import Trials
from fairtrial.core.words import interval_title, level_text, listed, plural
from fairtrial.counting.tallies import ErrorCounts
from fairtrial.evaluation.epc import alpha_grid, curve_of
from fairtrial.explorer.points import Point, errors_shown, steps_of, track
from fairtrial.explorer.reading import Files, Reading
from fairtrial.explorer.repeating import DEFAULT_CONFIDENCE, Call
from fairtrial.figures.style import Floats
from fairtrial.figures.system import SystemCurves, overview_charts
from fairtrial.formats.columns import read_named
from fairtrial.groups.membership import PeopleTable
from fairtrial.inference.decide import judge
from fairtrial.inference.split import TrialSets
from fairtrial.pages.results import JUDGED
from fairtrial.rules.criteria import as_criterion

_MOST_SYSTEMS = 12
"""So many systems are looked at together."""


@dataclass(eq=False)
class Data:
    """What was read, from which files."""

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
        assert isinstance(self.sets.test, Trials)
        return self.sets.test

    @property
    def dev(self) -> Trials:
        """The trials that thresholds come from."""
        assert isinstance(self.sets.dev, Trials)
        return self.sets.dev

    @property
    def systems(self) -> tuple[str, ...]:
        """All systems."""
        return self.test.systems

    def two_sets(self, what: str) -> tuple[Trials, Trials]:
        """Dev and test; an error where there is one set that was cut into folds."""
        if self.reading.folds is not None:
            raise TrialsError(f"{what} needs a test set of its own; open one, in place of folds")
        return self.dev, self.test

    def chosen(self, names: Sequence[str], *, most: int = _MOST_SYSTEMS) -> tuple[str, ...]:
        """The systems of these names, or the first ones where none is named."""
        found = tuple(names) or self.systems[:most]
        for name in found:
            self.test.check_system(name)
        if len(found) > most:
            raise ParameterError(f"{len(found)} systems at once are too many to look at; choose at most {most}")
        return found

    def look(self, names: Sequence[str]) -> dict[str, Any]:
        """Curves and densities of these systems; sorted scores are kept for thresholds that are dragged."""
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
        """What these systems do along the slider of a criterion."""
        rule, chosen = as_criterion(criterion), self.chosen(names)
        with self._lock:
            for name in chosen:
                if (criterion, name) not in self._tracks:
                    self._tracks[criterion, name] = track(self.sets, name, rule)
            found = {name: self._tracks[criterion, name] for name in chosen}
        return {"criterion": rule.name, "means": rule.alpha_means, "steps": steps_of(rule).tolist(), "systems": found}

    def at(self, names: Sequence[str], point: Point) -> dict[str, Any]:
        """What these systems do at one point."""
        return {"systems": {name: errors_shown(self._errors(name, point)) for name in self.chosen(names)}}

    def _errors(self, name: str, point: Point) -> ErrorCounts:
        if name not in self._sorted or point.threshold is None:
            return point.judged(self.sets, name).at(0)
        genuine, impostor = self._sorted[name]
        rejected, below = (int(np.searchsorted(scores, point.threshold, "right")) for scores in (genuine, impostor))
        return ErrorCounts(point.threshold, len(impostor) - below, rejected, len(genuine), len(impostor))

    @property
    def people_columns(self) -> tuple[str, ...]:
        """What the table of people says of each, besides who it is."""
        file = self.files.people
        return () if file is None else tuple(own.name for own in file.glance.columns if own.name != self.person_column)

    @property
    def person_column(self) -> str:
        """The column of the table of people that says who it is: the one called so, or the first."""
        assert self.files.people is not None
        names = [own.name for own in self.files.people.glance.columns]
        if not names:
            raise TrialsError(
                f"{self.files.people.name}: has no header; a table of people has one, and one row per person"
            )
        return "person" if "person" in names else names[0]

    def people_table(self, columns: Sequence[str]) -> PeopleTable:
        """What is known of people, from the table of them."""
        assert self.files.people is not None
        own = self.person_column
        found = read_named(self.files.people.path, names=(own, *columns), what="one row per person")
        return PeopleTable(found[own], {name: found[name] for name in columns})

    def words(self, names: Sequence[str], *, named: bool = False) -> list[str]:
        """The files and how they are read, as options; only these systems, where they are not all.

        `named`: another option of the command names the systems.
        """
        which = [word for name in names for word in ("--system", name)]
        return [*self.reading.words(self.files, names), *([] if named or tuple(names) == self.systems else which)]

    def lines(self) -> list[str]:
        """The same in Python."""
        return self.reading.lines(self.files)

    def lines_at_threshold(self) -> list[str]:
        """All trials of folds in Python, as a set to judge: at a given threshold the folds choose nothing."""
        return [
            *self.lines()[:1],
            f"sets = {Call('ft.inference.TrialSets', ('None', 'trials'), self.cluster_keywords())}",
        ]

    def without_command(self, why: str) -> str:
        """What to know where only Python can repeat something."""
        return "; ".join(filter(None, [why, self.where_files_are]))

    def cluster_keywords(self) -> dict[str, Any]:
        """What trials share, as a keyword of Python, where it is not the default."""
        return {} if self.reading.cluster is None else {"cluster": self.reading.cluster}

    def seed_keywords(self) -> dict[str, Any]:
        """The seed as a keyword of Python, where it is not the default."""
        return {"rng": self.reading.seed} if self.reading.seed else {}

    def chance_keywords(self) -> dict[str, Any]:
        """Both."""
        return {**self.cluster_keywords(), **self.seed_keywords()}

    @property
    def where_files_are(self) -> str:
        """What to know before a command is typed, where a browser did not tell where files lie."""
        dropped = [file.name for file in self.files.all if file.dropped]
        return f"run it in the folder of {listed(dropped)}" if dropped else ""

    @cached_property
    def summary(self) -> dict[str, Any]:
        """What was read, in numbers and words."""
        sets, kept = {"test": self.test}, self.reading.folds
        if kept is None:
            sets = {"dev": self.dev, "test": self.test}
        counts = {
            name: {"genuine": int(own.genuine.sum()), "impostor": int((~own.genuine).sum())}
            for name, own in sets.items()
        }
        ids = list(self.test.ids)
        said = JUDGED[self.sets.origin].captions
        return {
            "systems": list(self.systems),
            "counts": counts,
            "folds": kept,
            "ids": ids,
            "columns": list(self.test.columns),
            "people_columns": list(self.people_columns),
            "kind": self.sets.kind,
            "captions": {
                "errors": f"Errors on {self.sets.provenance.judged}",
                "interval": f"{interval_title(DEFAULT_CONFIDENCE)} of the HTER",
                "band": f"{level_text(DEFAULT_CONFIDENCE)} band",
                "epc": said.epc,
                "curve": said.curve,
            },
            "notes": list(dict.fromkeys(note for own in sets.values() for note in own.notes)),
            "said": f"{plural(len(self.systems), 'system')}: {listed(self.systems)}; "
            + "; ".join(
                f"{name}: {count['genuine']:,} genuine and {count['impostor']:,} impostor trials"
                for name, count in counts.items()
            )
            + (f"; ids: {', '.join(ids)}" if ids else "; no ids, so trials are taken as independent"),
        }
