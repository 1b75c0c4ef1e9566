"""What do the scores mean as evidence?"""

from __future__ import annotations

from dataclasses import dataclass

from fairtrial.calibration.calibration import calibrate
from fairtrial.calibration.model import CALIBRATIONS
from fairtrial.explorer import fields
from fairtrial.explorer.answers import UNREPEATED, Answer
from fairtrial.explorer.data import Data
from fairtrial.explorer.drawing import evidence_figures
from fairtrial.explorer.fields import Fields
from fairtrial.explorer.jobs import Advance
from fairtrial.explorer.repeating import Call, Repeated, sure_keywords, sure_words, words
from fairtrial.pages.calibration import calibration_page


@dataclass(frozen=True, slots=True)
class CalibrateQuestion:
    """Some systems, each calibrated on dev and judged on test."""

    systems: tuple[str, ...]
    method: str = "logistic"
    confidence: float = 0.95

    @classmethod
    def of(cls, given: Fields) -> CalibrateQuestion:
        return cls(
            fields.names(given, "systems"),
            fields.choice(given, "method", tuple(CALIBRATIONS), "logistic"),
            fields.number(given, "confidence", 0.95),
        )

    def answer(self, data: Data, advance: Advance) -> Answer:
        dev, test = data.two_sets("calibration")
        names = data.chosen(self.systems)
        result = calibrate(
            dev,
            test,
            systems=names,
            method=self.method,
            confidence=self.confidence,
            cluster=data.reading.cluster,
        )
        for done, system in enumerate(result, 1):
            system.to_dict()  # computed once, and kept
            advance(0.6 * done / len(names))
        found = result.to_dict()
        advance(0.8)
        page = calibration_page(result, UNREPEATED, rng=data.reading.seed)
        return Answer.of_page(page, found, evidence_figures(result.systems, self.confidence, data.reading.seed))

    def repeated(self, data: Data) -> Repeated:
        names = data.chosen(self.systems)
        cluster = data.reading.cluster
        command = [
            "calibrate",
            *data.words(names),
            *words("--method", self.method),
            *sure_words(self.confidence),
            *([] if cluster is None else words("--cluster", cluster)),
        ]
        keywords = {"method": self.method, **sure_keywords(self.confidence), **data.cluster_keywords()}
        call = Call("ft.calibrate", ("dev", "test"), {"systems": list(names), **keywords})
        lines = [*data.lines(), f"print({call})"]
        return Repeated(tuple(command), tuple(lines), data.where_files_are)
