"""Which trials went wrong, and whose are they?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.tables import Column, Table
from fairtrial.core.trials import Further, Trials
from fairtrial.explorer import fields
from fairtrial.explorer.answers import Answer
from fairtrial.explorer.data import Data
from fairtrial.explorer.fields import Fields
from fairtrial.explorer.jobs import Advance
from fairtrial.explorer.points import Point
from fairtrial.explorer.repeating import THRESHOLD_OF_FOLDS, Call, Repeated, words
from fairtrial.figures.style import Floats

_MOST_ROWS = 1000
"""So many errors are listed; a file has them all."""
_KINDS = {"all": "", "false accepts": "false accept", "false rejects": "false reject"}
"""What can be asked for, and what the table of decisions calls it."""


@dataclass(frozen=True, slots=True)
class ErrorsQuestion:
    """The trials that one system decides wrongly, and whose they are."""

    system: str
    point: Point
    kind: str = "all"

    @classmethod
    def of(cls, given: Fields) -> ErrorsQuestion:
        return cls(
            fields.text(given, "system"),
            Point.of(fields.part(given, "point")),
            fields.choice(given, "kind", tuple(_KINDS), "all"),
        )

    def answer(self, data: Data, advance: Advance) -> Answer:
        judgement = self.point.judged(data.sets, self.system)
        trials = judgement.trials
        wrong = judgement.wrong()
        kept = {"all": wrong, "false accepts": wrong & ~trials.genuine, "false rejects": wrong & trials.genuine}[
            self.kind
        ]
        rows = np.flatnonzero(kept)
        thresholds = judgement.threshold_by_trial()[rows]
        scores = trials.column(self.system)[rows].astype(np.float64)
        order = np.argsort(-np.abs(scores - thresholds), kind="stable")
        ordered, notes = rows[order], []
        if len(ordered) > _MOST_ROWS:
            notes.append(
                f"the {_MOST_ROWS:,} trials farthest from the threshold are shown, of {len(ordered):,}; "
                "the file has all of them"
            )
        trial_table = _trial_table(trials.rows(ordered), scores[order], thresholds[order], tuple(notes))
        people = [_person_table(trials, wrong, field) for field in ("claim", "subject") if field in trials.ids]
        counts = judgement.at(0)
        sentence = (
            f"{self.system} wrongly accepts {counts.false_accepts:,} of {counts.impostor:,} impostor trials and "
            f"wrongly rejects {counts.false_rejects:,} of {counts.genuine:,} genuine trials."
        )
        return Answer((sentence,), (trial_table, *people), {"errors": len(rows), **counts.to_dict()})

    def repeated(self, data: Data) -> Repeated:
        error = _KINDS[self.kind]
        wanted = f" == {error!r}" if error else ""
        printing = (f'    if trial["error"]{wanted}:', "        print(trial)")
        folds = data.reading.folds is not None
        if folds and self.point.threshold is not None:
            judged = Call("ft.inference.judge_at", ("sets", repr(self.point.threshold)), {"system": self.system})
            lines = (*data.lines_at_threshold(), f"for trial in {judged}.decisions().to_pylist():", *printing)
            return Repeated((), lines, data.without_command(THRESHOLD_OF_FOLDS))
        command = [
            "evaluate",
            *data.words((self.system,)),
            *self.point.words(),
            *data.reading.chance_words(),
            *words("--trials-out", "decisions.csv"),
        ]
        keywords = {"systems": self.system, **self.point.keywords(), **data.chance_keywords()}
        called = "ft.evaluate"
        call = Call(called, ("trials", "folds=blocks") if folds else ("dev", "test"), keywords)
        lines = (*data.lines(), f"for trial in {call}.decisions().to_pylist():", *printing)
        return Repeated(tuple(command), lines, data.where_files_are)


def _trial_table(trials: Trials, scores: Floats, thresholds: Floats, notes: tuple[str, ...]) -> Table:
    """One row per wrong trial, the most wrong first."""
    ids = {name: column.decode() for name, column in trials.ids.items()}
    further = {name: own for name, own in trials.columns.items() if name not in ids}
    columns = (
        Column("error", "error"),
        *(Column(name, name) for name in ids),
        Column("score", "score", "number"),
        Column("threshold", "threshold", "threshold"),
        *(Column(f"column {name}", name) for name in further),
    )
    errors = np.where(trials.genuine, "false reject", "false accept")
    others = [_as_text(own) for own in further.values()]
    rows = tuple(
        zip(
            errors.tolist(),
            *(own.tolist() for own in ids.values()),
            scores.tolist(),
            thresholds.tolist(),
            *others,
            strict=True,
        )
    )
    shown = tuple(range(min(len(rows), _MOST_ROWS)))
    return Table(
        "errors",
        "Trials that are decided wrongly, the farthest from the threshold first",
        columns,
        rows,
        notes,
        shown=shown,
    )


def _as_text(column: Further) -> list[str]:
    values = np.asarray(column) if isinstance(column, np.ndarray) else column.decode()
    return [str(value) for value in values.tolist()]


def _person_table(trials: Trials, wrong: NDArray[np.bool_], field: str) -> Table:
    """One row per person with an error, the most errors first."""
    ids = trials.ids[field].numbered()
    count = len(ids.names)
    kinds = {}
    for name, rows in (("rejects", trials.genuine), ("accepts", ~trials.genuine)):
        kinds[name] = (
            np.bincount(ids.codes[rows & wrong], minlength=count),
            np.bincount(ids.codes[rows], minlength=count),
        )
    total = kinds["rejects"][0] + kinds["accepts"][0]
    order = np.argsort(-total, kind="stable")
    order = order[total[order] > 0]
    columns = (
        Column(field, field),
        Column("false_rejects", "false rejects", "count"),
        Column("genuine", "genuine trials", "count"),
        Column("false_accepts", "false accepts", "count"),
        Column("impostor", "impostor trials", "count"),
    )
    people = tuple(
        (str(ids.names[k]), *(int(number[k]) for name in ("rejects", "accepts") for number in kinds[name]))
        for k in order.tolist()
    )
    return Table(
        f"errors by {field}", f"Errors by {field}", columns, people, shown=tuple(range(min(len(people), _MOST_ROWS)))
    )
