"""For whom is a system worse?"""

from __future__ import annotations

from dataclasses import dataclass

from fairtrial.explorer import fields
from fairtrial.explorer.answers import UNREPEATED, Answer
from fairtrial.explorer.data import Data
from fairtrial.explorer.fields import Fields
from fairtrial.explorer.jobs import Advance
from fairtrial.explorer.points import Point
from fairtrial.explorer.repeating import Call, Repeated, sure_keywords, sure_words, together, words
from fairtrial.figures.table import FIGURES
from fairtrial.groups.evaluation import evaluate_groups
from fairtrial.pages.results import groups_page


@dataclass(frozen=True, slots=True)
class GroupsQuestion:
    """One system by the groups that a column, or several, make."""

    system: str
    by: tuple[str, ...]
    point: Point
    impostor_by: tuple[str, ...] = ()
    confidence: float = 0.95

    @classmethod
    def of(cls, given: Fields) -> GroupsQuestion:
        return cls(
            fields.text(given, "system"),
            fields.names(given, "by"),
            Point.of(fields.part(given, "point")),
            fields.names(given, "impostor_by"),
            fields.number(given, "confidence", 0.95),
        )

    def answer(self, data: Data, advance: Advance) -> Answer:
        dev, test = data.two_sets("a comparison of groups")
        result = evaluate_groups(
            dev,
            test,
            by=self.by,
            people=data.people_table(self.by) if self._of_people(data) else None,
            impostor_by=self.impostor_by,
            system=self.system,
            criterion=self.point.rule,
            alpha=self.point.alpha,
            confidence=self.confidence,
            cluster=data.reading.cluster,
            rng=data.reading.seed,
        )
        advance(0.5)
        drawn = {"groups": FIGURES["groups"].draw(result)}
        return Answer.of_page(groups_page(result, UNREPEATED), result.to_dict(), drawn)

    def _of_people(self, data: Data) -> bool:
        """Whether the columns are those of the table of people."""
        return bool(self.by) and all(name in data.people_columns for name in self.by)

    def repeated(self, data: Data) -> Repeated:
        people = self._people_words(data)
        impostor = {"impostor_by": list(self.impostor_by)} if self.impostor_by else {}
        command = [
            "groups",
            *data.words((self.system,)),
            *people,
            *words("--by", together(self.by)),
            *(words("--impostor-by", together(self.impostor_by)) if impostor else []),
            *self.point.words(),
            *sure_words(self.confidence),
            *data.reading.chance_words(),
        ]
        keywords = {
            "by": list(self.by),
            **impostor,
            "system": self.system,
            **self.point.keywords(),
            **sure_keywords(self.confidence),
            **data.chance_keywords(),
        }
        if not people:
            call = Call("ft.evaluate_groups", ("dev", "test"), keywords)
            return Repeated(tuple(command), (*data.lines(), f"print({call})"), data.where_files_are)
        call = Call("ft.evaluate_groups", ("dev", "test", "people=people"), keywords)
        lines = (*data.lines(), *self._people_lines(data), f"print({call})")
        return Repeated(tuple(command), lines, data.where_files_are)

    def _people_words(self, data: Data) -> list[str]:
        if not self._of_people(data) or data.files.people is None:
            return []
        own = data.person_column
        return [
            *words("--people", data.files.people.typed),
            *([] if own == "person" else words("--person-column", own)),
        ]

    def _people_lines(self, data: Data) -> list[str]:
        assert data.files.people is not None
        own, kind = data.person_column, "parquet" if data.files.people.glance.format == "parquet" else "csv"
        read = {
            "csv": "from pyarrow.csv import read_csv as read",
            "parquet": "from pyarrow.parquet import read_table as read",
        }
        renamed = "" if own == "person" else f".rename_columns({{{own!r}: 'person'}})"
        return [read[kind], "", f"people = read({data.files.people.typed!r}){renamed}"]
