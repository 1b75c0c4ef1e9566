"""How good are the systems at every trade-off, and where do two of them differ?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairtrial.core.errors import ParameterError
from fairtrial.core.tables import join_tables
from fairtrial.evaluation.bands import Band, curve_band
from fairtrial.evaluation.curve_tests import compare_curves
from fairtrial.evaluation.epc import PerformanceCurve, alpha_grid, curve_of
from fairtrial.explorer import fields
from fairtrial.explorer.answers import Answer
from fairtrial.explorer.data import Data
from fairtrial.explorer.fields import Fields
from fairtrial.explorer.jobs import Advance
from fairtrial.explorer.repeating import Call, Repeated, sure_keywords, sure_words, together
from fairtrial.figures.style import Floats
from fairtrial.figures.table import FIGURES
from fairtrial.inference.decide import judge

_CRITERION = "wer-min"


def _curve(data: Data, system: str) -> PerformanceCurve:
    return curve_of(judge(data.sets, system=system, criterion=_CRITERION, alphas=alpha_grid()))


def _curve_lines(data: Data, names: tuple[str, ...]) -> list[str]:
    folds = data.reading.folds is not None
    called = "ft.performance_curve"
    arguments = ("trials", "folds=blocks") if folds else ("dev", "test")
    keywords = data.chance_keywords()
    return [
        *data.lines(),
        f"curves = [{Call(called, (*arguments, 'system=system'), keywords)} for system in {list(names)!r}]",
    ]


def _drawable(values: Floats) -> list[float | None]:
    """Give numbers for a browser; what is not finite is not drawn."""
    return [float(value) if np.isfinite(value) else None for value in values]


def _banded(band: Band) -> dict[str, object]:
    return {**band.to_dict(), "band_kind": band.kind}


@dataclass(frozen=True, slots=True)
class CurvesQuestion:
    """Expected performance curves with bands."""

    systems: tuple[str, ...]
    kind: str = "pointwise"
    confidence: float = 0.95

    @classmethod
    def of(cls, given: Fields) -> CurvesQuestion:
        return cls(
            fields.names(given, "systems"),
            fields.choice(given, "kind", ("pointwise", "simultaneous"), "pointwise"),
            fields.number(given, "confidence", 0.95),
        )

    def answer(self, data: Data, advance: Advance) -> Answer:
        names = data.chosen(self.systems)
        curves = [_curve(data, name) for name in names]
        bands: dict[str, Band] = {}
        for curve in curves:
            bands[curve.system] = curve_band(curve, kind=self.kind, confidence=self.confidence, rng=data.reading.seed)  # type: ignore[arg-type]
            advance(len(bands) / len(curves))
        shown = {
            "bands": {
                name: {end: _drawable(getattr(band, end)) for end in ("low", "high")} for name, band in bands.items()
            }
        }
        found = {"curves": [{**_banded(bands[curve.system]), **curve.to_dict()} for curve in curves]}
        return Answer(
            tuple(curve.answer() + "." for curve in curves),
            join_tables([curve.tables() for curve in curves]),
            found,
            shown,
            {"epc": FIGURES["epc"].draw(curves, bands=bands)},
        )

    def repeated(self, data: Data) -> Repeated:
        names = data.chosen(self.systems)
        command = ["epc", *data.words(names), "--bands", self.kind, *sure_words(self.confidence)]
        keywords = {"kind": self.kind, **sure_keywords(self.confidence), **data.seed_keywords()}
        band = Call("ft.evaluation.curve_band", ("curve",), keywords)
        lines = [*_curve_lines(data, names), f"bands = [{band} for curve in curves]"]
        return Repeated((*command, *data.reading.chance_words()), tuple(lines), data.where_files_are)


@dataclass(frozen=True, slots=True)
class RegionsQuestion:
    """Where along alpha two systems differ."""

    a: str
    b: str
    confidence: float = 0.95

    @classmethod
    def of(cls, given: Fields) -> RegionsQuestion:
        return cls(fields.text(given, "a"), fields.text(given, "b"), fields.number(given, "confidence", 0.95))

    def answer(self, data: Data, advance: Advance) -> Answer:
        if self.a == self.b:
            raise ParameterError("choose two different systems to compare")
        a, b = (_curve(data, name) for name in data.chosen((self.a, self.b)))
        advance(0.3)
        found = compare_curves(a, b, confidence=self.confidence, rng=data.reading.seed)
        regions = [{"from": own.low, "to": own.high, "better": own.better} for own in found.regions]
        return Answer(
            (found.answer() + ".",),
            found.tables(),
            {"comparison": found.to_dict()},
            {"regions": regions},
            {"epc-compare": FIGURES["epc-compare"].draw(a, b, found)},
        )

    def repeated(self, data: Data) -> Repeated:
        both = together((self.a, self.b))
        command = ["epc", *data.words(data.systems), "--compare", both, *sure_words(self.confidence)]
        call = Call("ft.compare_curves", ("*curves",), {**sure_keywords(self.confidence), **data.seed_keywords()})
        lines = [*_curve_lines(data, (self.a, self.b)), f"print({call})"]
        return Repeated((*command, *data.reading.chance_words()), tuple(lines), data.where_files_are)
