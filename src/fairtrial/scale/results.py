"""Results with bounds: the tables of the results they bound, and beside each figure where the exact one lies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairtrial.epc import PerformanceCurve
from fairtrial.evaluation import Evaluation
from fairtrial.rules.measures import label_of
from fairtrial.scale.bounds import Bounds
from fairtrial.tables import Column, Result, Table, percent

RATES = ("far", "frr", "hter")
FigureBounds: TypeAlias = dict[str, Bounds]
Series: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Lower and upper bounds along alpha."""
AT_EDGES = (
    "from counts in cells: figures are exact at the threshold shown; bounds hold those at the threshold that the "
    "scores themselves would give"
)


@dataclass(frozen=True, slots=True, repr=False)
class BoundedEvaluation(Result):
    """One system at one operating point, from counters.

    Attributes
    ----------
    evaluation : Evaluation
        The errors at a threshold that is the end of a cell: exact.
    threshold : Bounds
        Between which two numbers the threshold lies that the scores themselves would give.
    dev : dict of str to Bounds
        Bounds on dev, by the names far, frr, hter and eer.
    test : dict of str to Bounds
        Bounds on test, by the names far, frr, hter and eer.
    measures : dict of str to Bounds
        Bounds of the further figures on test, by name.
    precision : float
        How far apart the bounds of an error rate may be, relative to the rate.

    Examples
    --------
    >>> from fairtrial import Counter, evaluate_counted
    >>> counter = Counter()
    >>> counter.update([0.9, 0.8, 0.4, 0.7, 0.1, 0.3, 0.5, 0.2, 0.6], [True] * 4 + [False] * 5)
    >>> evaluate_counted(counter, counter).exact
    True
    """

    evaluation: Evaluation
    threshold: Bounds
    dev: FigureBounds
    test: FigureBounds
    measures: FigureBounds
    precision: float

    @property
    def exact(self) -> bool:
        """Whether all bounds are of width zero."""
        return not any(found.width for found in (*self.dev.values(), *self.test.values(), *self.measures.values()))

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reader should know of the bounds."""
        if self.exact:
            return ()
        wide = [
            f"{name} on {word}: {percent(share)}"
            for word, bounds in (("dev", self.dev), ("test", self.test))
            for name, found in bounds.items()
            if (share := _relative_width(found)) > self.precision
        ]
        return (AT_EDGES, *_wide_notes(self.evaluation.system, wide, self.precision))

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON: those of `Evaluation`, and ``NAME_bounds`` beside each figure."""
        found = self.evaluation.to_dict()
        for key, bounds in (("dev", self.dev), ("test", self.test)):
            found[key] |= {f"{name}_bounds": each.to_dict() for name, each in bounds.items()}
        found["test"]["measure_bounds"] = {name: each.to_dict() for name, each in self.measures.items()}
        found |= {"threshold_bounds": self.threshold.to_dict(), "eer_bounds": self.dev["eer"].to_dict()}
        return found | {"exact": self.exact, "precision": self.precision, "notes": [*found["notes"], *self.notes]}

    def summary(self) -> str:
        """That of the evaluation, with the bounds of the HTER."""
        low, high = self.test["hter"]
        return f"{self.evaluation.summary()}; HTER for certain between {percent(low)} and {percent(high)}"

    def tables(self) -> tuple[Table, ...]:
        """Those of the evaluation, and the bounds of all figures."""
        first, *others = self.evaluation.tables()
        return first.with_notes(*self.notes), *others, self._bounds()

    def _bounds(self) -> Table:
        own = self.evaluation
        columns = (
            Column("system", "system"),
            Column("set", "set", "term"),
            Column("measure", "measure", "term"),
            Column("low", "at least", "bound"),
            Column("high", "at most", "bound"),
            Column("relative", "relative width", "number"),
        )
        shown = [
            *(
                (word, "EER" if name == "eer" else label_of(name), found, True)
                for word, bounds in (("dev", self.dev), ("test", self.test))
                for name, found in bounds.items()
            ),
            *(
                ("test", own.reported[name].label, found, own.reported[name].is_share)
                for name, found in self.measures.items()
            ),
        ]
        threshold = (own.system, "dev", "threshold", (self.threshold.low, False), (self.threshold.high, False), None)
        rows = tuple(
            (own.system, word, label, (found.low, share), (found.high, share), _relative_width(found))
            for word, label, found, share in shown
        )
        caption = "Bounds: exact figures lie between them"
        return Table("bounds", caption, columns, (threshold, *rows), section="system")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BoundedCurve(Result):
    """An Expected Performance Curve from counters.

    Attributes
    ----------
    curve : PerformanceCurve
        The curve at thresholds that are ends of cells: exact.
    bounds : dict of str to tuple of (ndarray of float, ndarray of float)
        For threshold, far, frr, hter and value: bounds of what the scores themselves would give, along alpha.
    precision : float
        How far apart the bounds of an error rate may be, relative to the rate.

    Examples
    --------
    >>> from fairtrial import Counter, bounded_curve
    >>> counter = Counter()
    >>> counter.update([0.9, 0.8, 0.4, 0.7, 0.1, 0.3, 0.5, 0.2, 0.6], [True] * 4 + [False] * 5)
    >>> low, high = bounded_curve(counter, counter, alphas=[0.5]).bounds["hter"]
    >>> low == high
    array([ True])
    """

    curve: PerformanceCurve
    bounds: dict[str, Series]
    precision: float

    @property
    def exact(self) -> bool:
        """Whether all bounds are of width zero."""
        return all(np.array_equal(low, high) for name, (low, high) in self.bounds.items() if name != "threshold")

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reader should know of the bounds."""
        if self.exact:
            return ()
        low, high = self.bounds["value"]
        widest = max(_relative_width(Bounds(*pair)) for pair in zip(low.tolist(), high.tolist(), strict=True))
        wide = [f"{self.curve.measure.label} on test: up to {percent(widest)}"] if widest > self.precision else []
        return (AT_EDGES, *_wide_notes(self.curve.system, wide, self.precision))

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON: those of `PerformanceCurve`, and ``NAME_bounds`` beside each."""
        bounds = {
            f"{name}_bounds": {"low": low.tolist(), "high": high.tolist()} for name, (low, high) in self.bounds.items()
        }
        more = {"exact": self.exact, "precision": self.precision, "notes": list(self.notes)}
        return {**self.curve.to_dict(), **bounds, **more}

    def summary(self) -> str:
        """That of the curve."""
        return self.curve.summary()

    def tables(self) -> tuple[Table, ...]:
        """Those of the curve, with columns for the bounds."""
        first, *others = self.curve.tables()
        names = ["hter"] if self.curve.measure.name in RATES else ["hter", "value"]
        for name in dict.fromkeys(["threshold", *RATES, *names]):
            pairs = list(zip(*(end.tolist() for end in self.bounds[name]), strict=True))
            share = name in RATES or (name == "value" and self.curve.measure.is_share)
            title = self.curve.measure.label if name == "value" else label_of(name)
            hidden = name not in (self.curve.measure.name, "value")
            column = Column(f"{name}_bounds", f"bounds of {title}", "interval" if share else "range", detail=hidden)
            first = first.with_column(column, pairs)
        return first.with_notes(*self.notes), *others


def _relative_width(bounds: Bounds) -> float:
    """How far apart two bounds are, relative to the upper one; 0 where the figure is exact."""
    return bounds.width / abs(bounds.high) if bounds.width and bounds.high else 0.0


def _wide_notes(system: str, wide: list[str], precision: float) -> list[str]:
    """What to do where bounds are wider than asked for."""
    if not wide:
        return []
    return [
        f"{system}: bounds are further apart than the precision of {percent(precision)} asks for: {'; '.join(wide)}. "
        "Many scores share a cell, or the criterion is flat around its best; count with a finer precision, or read the "
        "scores themselves"
    ]
