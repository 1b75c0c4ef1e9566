"""What calibrations in passes say: figures without intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fairtrial.calibration.costs import CostTarget
from fairtrial.calibration.model import Calibration
from fairtrial.tables import Column, Result, Table, number_text
from fairtrial.trial_sets import PROVENANCES, Kind


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PassedCalibration(Result):
    """A system calibrated on dev and judged on test in passes: figures without intervals.

    Attributes
    ----------
    system : str
        The system's name.
    calibration : Calibration
        The map from scores to ratios.
    dev : tuple of (float, float)
        Cllr and min Cllr on dev.
    test : tuple of (float, float)
        Cllr of the calibrated scores on test, a priori, and min Cllr, a posteriori.
    raw : float
        Cllr of the scores on test as they are.
    costs : tuple of tuple of (CostTarget, float, float)
        Each detection cost with its actual and its least value on test.
    notes : tuple of str
        What the reader should know.
    kind : {"a priori", "a priori (cross-validated)", "a posteriori", "at a given threshold"}
        Whether Cllr and actual costs on test are a priori.

    Examples
    --------
    >>> import numpy as np
    >>> import fairtrial as ft
    >>> rng = np.random.default_rng(0)
    >>> genuine = np.arange(2000) < 500
    >>> dev, test = (ft.open_trials(rng.normal(2.0 * genuine), genuine) for _ in range(2))
    >>> ft.calibrate_in_passes(dev, test).calibration.method
    'logistic'
    """

    system: str
    calibration: Calibration
    dev: tuple[float, float]
    test: tuple[float, float]
    raw: float
    costs: tuple[tuple[CostTarget, float, float], ...]
    notes: tuple[str, ...]
    kind: Kind

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        return {
            "system": self.system,
            "method": self.calibration.method,
            "prior": self.calibration.prior,
            "parameters": self.calibration.parameters,
            "dev": {"cllr": self.dev[0], "cllr_min": self.dev[1]},
            "test": {
                "kind": self.kind,
                "cllr": self.test[0],
                "cllr_min": self.test[1],
                "cllr_cal": self.test[0] - self.test[1],
                "cllr_raw": self.raw,
                "dcf": [{"cost": own.name, "actual": actual, "minimum": least} for own, actual, least in self.costs],
            },
            "notes": list(self.notes),
        }

    def summary(self) -> str:
        """Cllr and min Cllr."""
        actual, least = (number_text(value) for value in self.test)
        return f"{self.calibration.name}, Cllr {actual}, min Cllr {least}, without intervals"

    def tables(self) -> tuple[Table, ...]:
        """Cllr on both sets, detection costs, and the calibration itself."""
        columns = (
            Column("system", "system"),
            Column("set", "set", "term"),
            Column("cllr", "Cllr", "number"),
            Column("cllr_min", "min Cllr", "number"),
            Column("cllr_cal", "lost by calibration", "number"),
            Column("cllr_raw", "Cllr of the scores as they are", "number"),
        )
        rows = tuple(
            (self.system, word, actual, least, actual - least, raw)
            for word, (actual, least), raw in (("dev", self.dev, None), ("test", self.test, self.raw))
        )
        own = PROVENANCES[self.kind]
        judged = f"Cllr on test is {own.evidence_kind}, calibrated {own.fitted}"
        notes = (judged, "min Cllr is a posteriori on either set", *self.notes)
        costs = (
            Column("system", "system"),
            Column("cost", "cost"),
            Column("actual", "actual DCF", "number"),
            Column("minimum", "min DCF", "number"),
        )
        priced = tuple((self.system, own.name, actual, least) for own, actual, least in self.costs)
        shown = self.calibration.mapping.described((self.system,))
        values = (Column("system", "system"), Column("parameter", "parameter"), Column("value", "value", "number"))
        return (
            Table("evidence", "Evidence, in bits", columns, rows, notes, section="system"),
            Table("costs", "Normalised detection costs on test", costs, priced, section="system"),
            Table(
                "parameters",
                f"Calibration: {self.calibration.method}",
                values,
                tuple((self.system, *own) for own in shown.items()),
                section="system",
            ),
        )
