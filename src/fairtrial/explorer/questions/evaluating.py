"""How good are the systems at this point, and how sure is that?"""

from __future__ import annotations

from dataclasses import dataclass

from fairtrial.evaluation import Evaluation, evaluation_of
from fairtrial.explorer import fields
from fairtrial.explorer.answers import Answer
from fairtrial.explorer.data import Data
from fairtrial.explorer.drawing import operating_figures
from fairtrial.explorer.fields import Fields
from fairtrial.explorer.jobs import Advance
from fairtrial.explorer.points import Point
from fairtrial.explorer.repeating import THRESHOLD_GIVEN, Call, Repeated, sure_keywords, sure_words
from fairtrial.intervals.judged import judged_interval
from fairtrial.report.evaluation import evaluation_page, evaluation_sentence
from fairtrial.report.page import Page, Repeat
from fairtrial.tables import Column, Table, in_percent, join_tables, percent


@dataclass(frozen=True, slots=True)
class EvaluateQuestion:
    """Some systems at an operating point."""

    systems: tuple[str, ...]
    point: Point
    confidence: float = 0.95

    @classmethod
    def of(cls, given: Fields) -> EvaluateQuestion:
        return cls(
            fields.names(given, "systems"),
            Point.of(fields.part(given, "point")),
            fields.number(given, "confidence", 0.95),
        )

    def answer(self, data: Data, advance: Advance) -> Answer:
        names = data.chosen(self.systems)
        if self.point.threshold is not None:
            return self._at_threshold(data, names)
        results: list[Evaluation] = []
        for name in names:
            results.append(evaluation_of(self.point.judged(data.sets, name), confidence=self.confidence))
            advance(len(results) / len(names))

        def page(repeat: Repeat) -> Page:
            return evaluation_page(results, repeat)

        return Answer(
            tuple(evaluation_sentence(result) for result in results),
            join_tables([result.tables() for result in results]),
            {"systems": [result.to_dict() for result in results]},
            drawn=operating_figures(data, names, self.point, self.confidence),
            page=page,
        )

    def _at_threshold(self, data: Data, names: tuple[str, ...]) -> Answer:
        """At a threshold that was given there is nothing a priori: only the errors there, with their interval."""
        sentences, rows, found = [], [], []
        assert self.point.threshold is not None
        for name in names:
            judgement = self.point.judged(data.sets, name)
            counts, interval = judgement.at(0), judged_interval(judgement, confidence=self.confidence)
            low, high = (in_percent(limit) for limit in interval.interval)
            sentences.append(
                f"At a threshold of {self.point.threshold:g}, {name} wrongly accepts {percent(counts.far)} of impostor "
                f"trials and wrongly rejects {percent(counts.frr)} of genuine trials: a half total error rate of "
                f"{percent(counts.hter)}, with {100 * self.confidence:g} % confidence between {low} and {high} %, if "
                "the threshold was fixed before these trials were seen."
            )
            rows.append((name, counts.threshold, counts.far, counts.frr, counts.hter, interval.interval))
            found.append(
                {
                    "system": name,
                    "threshold": counts.threshold,
                    "test": {**counts.to_dict(), "interval": interval.to_dict()},
                }
            )
        columns = (
            Column("system", "system"),
            Column("threshold", "threshold", "threshold"),
            Column("far", "FAR", "rate"),
            Column("frr", "FRR", "rate"),
            Column("hter", "HTER", "rate"),
            Column("interval", f"{100 * self.confidence:g} % interval", "interval"),
        )
        note = "the threshold was given, so nothing tells whether it would have been chosen beforehand"
        table = Table("errors", "Errors at a given threshold", columns, tuple(rows), (note,))
        return Answer(tuple(sentences), (table,), {"systems": found})

    def repeated(self, data: Data) -> Repeated:
        names = data.chosen(self.systems)
        if self.point.threshold is not None:
            return self._threshold_lines(data, names)
        folds = data.reading.folds is not None
        command = ["evaluate", *data.words(names), *self.point.words(), *sure_words(self.confidence)]
        keywords = {**self.point.keywords(), **sure_keywords(self.confidence), **data.chance_keywords()}
        called = "ft.cross_validate" if folds else "ft.evaluate"
        arguments = ("trials", "blocks") if folds else ("dev", "test")
        lines = [
            *data.lines(),
            f"for system in {list(names)!r}:",
            f"    print({Call(called, (*arguments, 'system=system'), keywords)})",
        ]
        return Repeated((*command, *data.reading.chance_words()), tuple(lines), data.where_files_are)

    def _threshold_lines(self, data: Data, names: tuple[str, ...]) -> Repeated:
        judged = Call("ft.judge_at", ("sets", repr(self.point.threshold), "system=system"))
        lines = [
            *data.lines_at_threshold(),
            f"for system in {list(names)!r}:",
            f"    print({Call('ft.judged_interval', (str(judged),), sure_keywords(self.confidence))})",
        ]
        return Repeated((), tuple(lines), data.without_command(THRESHOLD_GIVEN))
