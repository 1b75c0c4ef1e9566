"""What expected areas say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from fairtrial.rules.pairs import MeasurePair
from fairtrial.tables import Column, Result, Table, figure_text

AreaConvention: TypeAlias = Literal["interpolated", "step"]
AreaName: TypeAlias = Literal["e_v1", "e_v2", "g"]
AREA_LABELS: dict[AreaName, str] = {"e_v1": "E_V1", "e_v2": "E_V2", "g": "G"}


@dataclass(frozen=True, slots=True, repr=False)
class Areas(Result):
    """Expected (V1 + V2) / 2 over a range of targets of V1 (E_V1), of targets of V2 (E_V2), and their mean G.

    Attributes
    ----------
    e_v1 : float
        The mean over targets of V1, eq. (15).
    e_v2 : float
        The mean over targets of V2, eq. (16).
    low : float
        The lowest target.
    high : float
        The highest target.
    convention : {"interpolated", "step"}
        How targets between two reachable values are met.
    pair : MeasurePair
        V1 and V2; FAR and FRR have the HTER as their mean.

    Examples
    --------
    >>> from fairtrial import expected_areas
    >>> scores = ([0.9, 0.8, 0.4, 0.7], [0.1, 0.3, 0.5, 0.2, 0.6])
    >>> expected_areas(scores, scores)
    <Areas: E_V1 30.00 %, E_V2 30.00 %, G 30.00 %, targets 0 to 1 of FAR and FRR>
    """

    e_v1: float
    e_v2: float
    low: float
    high: float
    convention: AreaConvention
    pair: MeasurePair

    @property
    def g(self) -> float:
        """(E_V1 + E_V2) / 2, eq. (18)."""
        return (self.e_v1 + self.e_v2) / 2

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers."""
        return {
            "e_v1": self.e_v1,
            "e_v2": self.e_v2,
            "g": self.g,
            "low": self.low,
            "high": self.high,
            "convention": self.convention,
            "v1": self.pair.v1.name,
            "v2": self.pair.v2.name,
        }

    def summary(self) -> str:
        """The three areas and their targets."""
        share = self.pair.mean.is_share
        areas = ", ".join(f"{label} {figure_text(getattr(self, area), share)}" for area, label in AREA_LABELS.items())
        return f"{areas}, targets {self.low:g} to {self.high:g} of {self.pair.v1.label} and {self.pair.v2.label}"

    def tables(self) -> tuple[Table, ...]:
        """One row per area."""
        columns = (
            Column("area", "area"),
            Column("meaning", "mean over", "term"),
            Column("value", "value", self.pair.mean.kind),
            Column("targets", "targets", "range"),
            Column("convention", "convention", detail=True),
        )
        rows = tuple(
            (area, meaning, value, (self.low, self.high), self.convention)
            for area, meaning, value in (
                ("e_v1", f"targets of {self.pair.v1.label}, eq. (15)", self.e_v1),
                ("e_v2", f"targets of {self.pair.v2.label}, eq. (16)", self.e_v2),
                ("g", "both, eq. (18)", self.g),
            )
        )
        return (Table("areas", f"Expected {self.pair.mean.label} over all targets", columns, rows),)
