"""How good are the systems at this point, and how sure is that?"""

from __future__ import annotations

from dataclasses import dataclass

from fairtrial.core.tables import join_tables
from fairtrial.evaluation.evaluation import Evaluation, SystemEvaluation
from fairtrial.explorer import fields
from fairtrial.explorer.answers import Answer
from fairtrial.explorer.data import Data
from fairtrial.explorer.drawing import operating_figures
from fairtrial.explorer.fields import Fields
from fairtrial.explorer.jobs import Advance
from fairtrial.explorer.points import Point
from fairtrial.explorer.repeating import THRESHOLD_OF_FOLDS, Call, Repeated, sure_keywords, sure_words
from fairtrial.pages.page import Page, Repeat
from fairtrial.pages.results import evaluation_page


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
        results: list[SystemEvaluation] = []
        for name in names:
            judgement = self.point.judged(data.sets, name)
            results.append(SystemEvaluation(judgement, confidence=self.confidence))
            advance(len(results) / len(names))
        given = self.point.threshold is not None

        def page(repeat: Repeat) -> Page:
            return evaluation_page(Evaluation(tuple(results)), repeat)

        return Answer(
            (*(self._sentence(result) for result in results), *_doubts(data, self.point)),
            join_tables([result.tables() for result in results]),
            {"systems": [result.to_dict() for result in results]},
            drawn={} if given else operating_figures(data, names, self.point, self.confidence),
            page=None if given else page,
        )

    def _sentence(self, result: SystemEvaluation) -> str:
        where = "" if self.point.threshold is None else f"At a threshold of {self.point.threshold:g}, "
        return where + result.answer()

    def repeated(self, data: Data) -> Repeated:
        names = data.chosen(self.systems)
        folds = data.reading.folds is not None
        if folds and self.point.threshold is not None:
            return self._threshold_lines(data, names)
        command = ["evaluate", *data.words(names), *self.point.words(), *sure_words(self.confidence)]
        keywords = {**self.point.keywords(), **sure_keywords(self.confidence), **data.chance_keywords()}
        arguments = ("trials", "folds=blocks") if folds else ("dev", "test")
        call = Call("ft.evaluate", arguments, {"systems": list(names), **keywords})
        lines = [*data.lines(), f"print({call})"]
        return Repeated((*command, *data.reading.chance_words()), tuple(lines), data.where_files_are)

    def _threshold_lines(self, data: Data, names: tuple[str, ...]) -> Repeated:
        """The trials at a given threshold, where there is one set and no test set."""
        judged = Call("ft.inference.judge_at", ("sets", repr(self.point.threshold), "system=system"))
        lines = [
            *data.lines_at_threshold(),
            f"for system in {list(names)!r}:",
            f"    print({Call('ft.inference.judged_interval', (str(judged),), sure_keywords(self.confidence))})",
        ]
        return Repeated((), tuple(lines), data.without_command(THRESHOLD_OF_FOLDS))


def _doubts(data: Data, point: Point) -> list[str]:
    """What makes errors look smaller than those to come, in words that are copied with the numbers."""
    if point.threshold is not None:
        return [
            "The threshold was given: if it was chosen by looking at these trials, these errors are too small and the "
            "intervals do not hold."
        ]
    if data.sets.kind == "a posteriori":
        return ["Dev and test are the same trials: the thresholds were chosen on the trials that they are judged on."]
    return []
