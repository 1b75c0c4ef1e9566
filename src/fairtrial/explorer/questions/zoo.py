"""Who is hard to recognise, and who is easy to imitate or good at it?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairtrial.core.tables import Column, Table
from fairtrial.core.words import listed, plural
from fairtrial.explorer import fields
from fairtrial.explorer.answers import Answer
from fairtrial.explorer.data import Data
from fairtrial.explorer.fields import Fields
from fairtrial.explorer.jobs import Advance
from fairtrial.explorer.points import Point
from fairtrial.explorer.repeating import Call, Repeated, words
from fairtrial.figures.scores import zoo_data
from fairtrial.figures.table import FIGURES


@dataclass(frozen=True, slots=True)
class ZooQuestion:
    """Everybody by what their genuine trials and the impostor trials against them, or by them, look like."""

    system: str
    point: Point
    by: str = "claim"
    shows: str = "scores"

    @classmethod
    def of(cls, given: Fields) -> ZooQuestion:
        return cls(
            fields.text(given, "system"),
            Point.of(fields.part(given, "point")),
            fields.choice(given, "by", ("claim", "subject"), "claim"),
            fields.choice(given, "shows", ("scores", "errors"), "scores"),
        )

    def answer(self, data: Data, advance: Advance) -> Answer:
        _, test = data.two_sets("the zoo")
        threshold = float(self.point.judged(data.sets, self.system).test.threshold[0])
        zoo = zoo_data(test, system=self.system, by=self.by, shows=self.shows, threshold=threshold)  # type: ignore[arg-type]
        (word, imitators), kinds = zoo.imitation, zoo.kinds
        rows = tuple(zip(zoo.names, kinds, zoo.genuine.tolist(), zoo.impostor.tolist(), strict=True))
        order = np.argsort([kind == "" for kind in kinds], kind="stable")
        is_rate = self.shows == "errors"
        columns = (
            Column("person", self.by),
            Column("kind", "stands out as"),
            Column("genuine", "FRR" if is_rate else "mean of genuine scores", "rate" if is_rate else "number"),
            Column("impostor", "FAR" if is_rate else "mean of impostor scores", "rate" if is_rate else "number"),
        )
        notes = (
            (f"{plural(zoo.left_out, 'person', 'people')} without trials of one class are left out",)
            if zoo.left_out
            else ()
        )
        table = Table("zoo", f"{self.system}: one row per {self.by}", columns, tuple(rows[k] for k in order), notes)
        goats, others = (
            [name for name, flag in zip(zoo.names, flags, strict=True) if flag] for flags in (zoo.goats, zoo.lambs)
        )
        what = "easy to imitate" if word == "lamb" else "good at imitating others"
        sentence = (
            f"Of {plural(len(zoo.names), 'person', 'people')}, {len(goats)} are hard to recognise (goats: "
            f"{listed(goats) or 'none'}) and {len(others)} {what} ({imitators}: {listed(others) or 'none'})."
        )
        return Answer(
            (sentence,),
            (table,),
            {"people": [dict(zip(("person", "kind", "genuine", "impostor"), row, strict=True)) for row in rows]},
            {"zoo": zoo.to_dict()},
            {"zoo": FIGURES["zoo"].draw(zoo)},
        )

    def repeated(self, data: Data) -> Repeated:
        keywords = {"system": self.system, "by": self.by, "shows": self.shows}
        zoo = f"zoo = {Call('ft.figures.zoo_data', ('test', 'threshold=threshold'), keywords)}"
        if self.point.threshold is not None:
            lines = (*data.lines(), f"threshold = {self.point.threshold!r}", zoo)
            why = "fairtrial plot zoo chooses the threshold on dev, by a rule; Python takes any"
            return Repeated((), lines, data.without_command(why))
        shown = [] if self.shows == "scores" else words("--shows", self.shows)
        by = [] if self.by == "claim" else words("--by", self.by)
        command = ["plot", "zoo", *data.words((self.system,)), *self.point.words(), *shown, *by, "--out", "zoo.png"]
        judged = Call("ft.evaluate", ("dev", "test"), {"systems": self.system, **self.point.keywords()})
        lines = (*data.lines(), f"threshold = {judged}.threshold", zoo)
        return Repeated(tuple(command), lines, data.where_files_are)
