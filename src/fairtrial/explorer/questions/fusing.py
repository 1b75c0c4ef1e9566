"""What would a fusion of some systems gain?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fairtrial.core.errors import ParameterError
from fairtrial.evaluation.epc import alpha_grid, curve_of
from fairtrial.explorer import fields
from fairtrial.explorer.answers import UNREPEATED, Answer
from fairtrial.explorer.data import Data
from fairtrial.explorer.fields import Fields
from fairtrial.explorer.jobs import Advance
from fairtrial.explorer.points import Point
from fairtrial.explorer.repeating import Call, Repeated, sure_keywords, sure_words, together, words
from fairtrial.figures.table import FIGURES
from fairtrial.fusion.fusion import fuse
from fairtrial.inference.decide import judge
from fairtrial.pages.results import fusion_page

_DEFAULT = "wer-equal"


@dataclass(frozen=True, slots=True)
class FuseQuestion:
    """A rule or a classifier over some systems, fitted on dev and judged on test."""

    systems: tuple[str, ...]
    fusion: str
    normalise: str
    point: Point
    confidence: float = 0.95

    @classmethod
    def of(cls, given: Fields) -> FuseQuestion:
        systems = fields.names(given, "systems")
        if len(systems) < 2:
            raise ParameterError("choose at least two systems to fuse")
        return cls(
            systems,
            fields.text(given, "fusion", "mean"),
            fields.text(given, "normalise", "none"),
            Point.of(fields.part(given, "point")),
            fields.number(given, "confidence", 0.95),
        )

    def answer(self, data: Data, advance: Advance) -> Answer:
        dev, test = data.two_sets("fusion")
        result = fuse(
            dev,
            test,
            systems=data.chosen(self.systems),
            fusion=self.fusion,
            normalise=self.normalise,
            criterion=self.point.rule,
            alpha=self.point.alpha,
            confidence=self.confidence,
            cluster=data.reading.cluster,
            rng=data.reading.seed,
            progress=advance,
        )
        judged = [own.judgement for own in (result.evaluation, *result.baselines)]
        curves = [
            curve_of(judge(own.sets, system=own.system, criterion=own.criterion.along_alpha, alphas=alpha_grid()))
            for own in judged
        ]
        return Answer.of_page(fusion_page(result, UNREPEATED), result.to_dict(), {"epc": FIGURES["epc"].draw(curves)})

    def repeated(self, data: Data) -> Repeated:
        normalise: dict[str, Any] = {} if self.normalise == "none" else {"normalise": self.normalise}
        command = [
            "fuse",
            *data.words(self.systems, named=True),
            *words("--systems", together(self.systems)),
            *words("--fusion", self.fusion),
            *(words("--normalise", self.normalise) if normalise else []),
            *self.point.words(default=_DEFAULT),
            *sure_words(self.confidence),
        ]
        if data.reading.seed:
            command += words("--seed", data.reading.seed)
        keywords = {
            "systems": list(self.systems),
            "fusion": self.fusion,
            **normalise,
            **self.point.keywords(default=_DEFAULT),
            **sure_keywords(self.confidence),
            **data.chance_keywords(),
        }
        call = Call("ft.fuse", ("dev", "test"), keywords)
        lines = (*data.lines(), f"print({call})")
        if data.reading.cluster is None:
            return Repeated(tuple(command), lines, data.where_files_are)
        return Repeated((), lines, data.without_command("fairtrial fuse has no option --cluster; Python has"))
