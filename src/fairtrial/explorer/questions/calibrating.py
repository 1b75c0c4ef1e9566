"""What do the scores mean as evidence?"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from fairtrial.calibration.calibration import calibrate
from fairtrial.calibration.comparison import compare_evidence
from fairtrial.calibration.methods import CALIBRATIONS
from fairtrial.explorer import fields
from fairtrial.explorer.answers import UNREPEATED, Answer
from fairtrial.explorer.data import Data
from fairtrial.explorer.drawing import evidence_figures
from fairtrial.explorer.fields import Fields
from fairtrial.explorer.jobs import Advance
from fairtrial.explorer.repeating import Call, Repeated, sure_keywords, sure_words, words
from fairtrial.pages.results import calibration_page


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
        results = []
        for name in names:
            results.append(
                calibrate(
                    dev,
                    test,
                    systems=[name],
                    method=self.method,
                    confidence=self.confidence,
                    cluster=data.reading.cluster,
                )
            )
            advance(0.6 * len(results) / len(names))
        finite = [own for own in results if isfinite(own.test[0])]
        pairs = compare_evidence(dev, test, finite, cluster=data.reading.cluster) if len(finite) > 1 else []
        advance(0.8)
        found = {"systems": [own.to_dict() for own in results]}
        if len(results) > 1:
            found["pairs"] = [pair.to_dict() for pair in pairs]
        page = calibration_page(results, UNREPEATED, pairs=pairs, rng=data.reading.seed)
        return Answer.of_page(page, found, evidence_figures(results, self.confidence, data.reading.seed))

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
        call = Call("ft.calibrate", ("dev", "test", "systems=[system]"), keywords)
        lines = [*data.lines(), f"for system in {list(names)!r}:", f"    print({call})"]
        return Repeated(tuple(command), tuple(lines), data.where_files_are)
