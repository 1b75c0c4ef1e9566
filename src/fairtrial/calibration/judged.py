"""Calibrated on dev, judged on test: how good the evidence is, how sure that is, and what calibration costs.

The interval of Cllr knows who shares trials, and that dev was a sample too: with other dev people the calibration would
have been another one (threshold and calibration re-estimated).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np
from scipy.special import expit

from fairtrial.calibration.costs import CostFigure, cost_figure
from fairtrial.calibration.evidence import CostPoint, cllr, min_cllr, softplus
from fairtrial.calibration.model import Calibration, Method, fit_calibration
from fairtrial.calibration.values import by_class, in_both, positive_interval, spread_of_values
from fairtrial.checks import check_confidence
from fairtrial.claims import Claim, Threshold, re_estimated
from fairtrial.intervals.rates import Interval, RateInterval
from fairtrial.judging import TrialSets
from fairtrial.people import Cluster
from fairtrial.spread import Floats
from fairtrial.tables import Column, Result, Table, interval_title, number_text
from fairtrial.trials import Trials

_HALVES = (0.5, 0.5)
GIVEN_CALIBRATION: dict[Threshold, str] = {
    "re-estimated": "calibration re-estimated",
    "fixed": "given this calibration",
}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CalibratedSystem(Result):
    """A system calibrated on dev, and its evidence on test."""

    calibration: Calibration
    parameter_intervals: tuple[RateInterval, ...]
    """Of weights and offset, by dev people; none for steps."""
    dev: tuple[float, float]
    """Cllr and min Cllr on dev; the calibration was fitted there, so both are a posteriori."""
    test: tuple[float, float]
    """Cllr of the calibrated scores on test, a priori, and min Cllr, a posteriori."""
    raw: float
    """Cllr on test of the scores as they are, taken for log-likelihood ratios; of one system only, else NaN."""
    intervals: tuple[RateInterval, ...]
    """Of Cllr on test, the one to go by first."""
    costs: tuple[CostFigure, ...]
    notes: tuple[str, ...]
    sets: TrialSets
    """The trials that it was calibrated and judged on, for figures and pages."""

    @property
    def system(self) -> str:
        """The calibrated system, or systems."""
        return " + ".join(self.calibration.systems)

    @property
    def dev_trials(self) -> Trials:
        """The trials that it was calibrated on."""
        assert isinstance(self.sets.dev, Trials)
        return self.sets.dev

    @property
    def test_trials(self) -> Trials:
        """The trials that it was judged on."""
        assert isinstance(self.sets.test, Trials)
        return self.sets.test

    @property
    def loss(self) -> float:
        """What calibration on dev costs on test: Cllr less min Cllr."""
        return self.test[0] - self.test[1]

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        return {
            "system": self.system,
            "method": self.calibration.method,
            "prior": self.calibration.prior,
            "parameters": self.calibration.parameters
            | {"intervals": [own.to_dict() for own in self.parameter_intervals]},
            "dev": {"cllr": self.dev[0], "cllr_min": self.dev[1]},
            "test": {
                "cllr": self.test[0],
                "cllr_min": self.test[1],
                "cllr_cal": self.loss,
                "cllr_raw": None if np.isnan(self.raw) else self.raw,
                "interval": self.intervals[0].to_dict(),
                "intervals": [own.to_dict() for own in self.intervals],
                "dcf": [own.to_dict() for own in self.costs],
            },
            "notes": list(self.notes),
        }

    def summary(self) -> str:
        """Cllr with its interval, and min Cllr."""
        first = self.intervals[0]
        limits = f"{number_text(first.low)} to {number_text(first.high)}"
        actual, least = (number_text(value) for value in self.test)
        return f"{self.calibration.name}, Cllr {actual} ({limits}), min Cllr {least}"

    def tables(self) -> tuple[Table, ...]:
        """Cllr on both sets, detection costs, and the calibration itself."""
        return self._evidence(), self._costs(), self._parameters()

    def _evidence(self) -> Table:
        first = self.intervals[0]
        columns = (
            Column("system", "system"),
            Column("set", "set", "term"),
            Column("cllr", "Cllr", "number"),
            Column("interval", interval_title(first.confidence), "range"),
            Column("cllr_min", "min Cllr", "number"),
            Column("cllr_cal", "lost by calibration", "number"),
            Column("cllr_raw", "Cllr of the scores as they are", "number"),
            Column("method", "method", detail=True),
        )
        same = {"system": self.system, "method": first.method}
        raw = None if np.isnan(self.raw) else self.raw
        records: list[dict[str, Any]] = [
            same | {"set": "dev", "cllr": self.dev[0], "cllr_min": self.dev[1], "cllr_cal": self.dev[0] - self.dev[1]},
            same
            | {
                "set": "test",
                "cllr": self.test[0],
                "interval": first.interval,
                "cllr_min": self.test[1],
                "cllr_cal": self.loss,
                "cllr_raw": raw,
            },
        ]
        notes = (
            f"Cllr on test is a priori, calibrated on dev; its interval: {GIVEN_CALIBRATION[first.threshold]}",
            "min Cllr is a posteriori on either set",
            *self.notes,
        )
        return Table.of("evidence", "Evidence, in bits", columns, records, notes=notes, section="system")

    def _costs(self) -> Table:
        columns = (
            Column("system", "system"),
            Column("prior", "prior", "number"),
            Column("c_miss", "cost of a miss", "number"),
            Column("c_fa", "of a false alarm", "number"),
            Column("actual", "actual DCF", "number"),
            Column("interval", interval_title(self.intervals[0].confidence), "range"),
            Column("minimum", "min DCF", "number"),
        )
        records = [{"system": self.system, **own.to_dict(), "interval": own.interval.interval} for own in self.costs]
        return Table.of("costs", "Normalised detection costs on test", columns, records, section="system")

    def _parameters(self) -> Table:
        columns = (
            Column("system", "system"),
            Column("parameter", "parameter"),
            Column("value", "value", "number"),
            Column("interval", interval_title(self.intervals[0].confidence), "range"),
        )
        names = [*(f"weight of {name}" for name in self.calibration.systems), "offset"]
        values = [*self.calibration.weights, self.calibration.offset]
        if self.calibration.steps is not None:
            ratios = self.calibration.steps.ratios
            names = ["steps", "lowest ratio", "highest ratio"]
            values = [len(ratios), float(ratios[0]), float(ratios[-1])]
        limits: Sequence[Interval | None] = [own.interval for own in self.parameter_intervals] or [None] * len(names)
        rows = tuple((self.system, *row) for row in zip(names, values, limits, strict=True))
        return Table("parameters", f"Calibration: {self.calibration.method}", columns, rows, section="system")


def calibrate(
    dev: Trials,
    test: Trials,
    *,
    systems: Sequence[str] | None = None,
    method: Method = "logistic",
    prior: float = 0.5,
    points: Sequence[CostPoint] = (CostPoint(0.01),),
    confidence: float = 0.95,
    cluster: Cluster | None = None,
) -> CalibratedSystem:
    """Calibrate one system on dev, or several to one, and judge the evidence on test.

    Parameters
    ----------
    dev, test
        Where the calibration is fitted, and where it is judged.
    systems
        Which systems, fused where there are several; all by default.
    method, prior
        As in `fit_calibration`.
    points
        Operating points for detection costs.
    confidence, cluster
        Of intervals, and what trials share; by default all ids that are known.

    Returns
    -------
    CalibratedSystem
        The calibration, Cllr with intervals, and detection costs.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> def make(seed):
    ...     genuine = np.arange(4000) < 1000
    ...     return Trials.from_arrays(np.random.default_rng(seed).normal(2.0 * genuine), genuine)
    >>> found = calibrate(make(1), make(2))
    >>> found.test[0] > found.test[1]
    True
    """
    check_confidence(confidence)
    chosen = None if systems is None else tuple(systems)
    calibration = fit_calibration(dev, systems=chosen, method=method, prior=prior)
    sets = TrialSets(dev, test, cluster)
    own = calibration.ratios(dev), calibration.ratios(test)
    pairs = [_pair(ratios, trials) for ratios, trials in zip(own, (dev, test), strict=True)]
    raw = float("nan")
    if len(calibration.systems) == 1:
        raw = cllr(test, system=calibration.systems[0])
    on_test = cllr(pairs[1])
    costs = tuple(cost_figure(calibration, sets, dev, test, point, confidence) for point in points)
    own_notes = [note for cost in costs for note in cost.notes]
    return CalibratedSystem(
        calibration,
        _parameter_intervals(calibration, sets, dev, confidence),
        (cllr(pairs[0]), min_cllr(pairs[0])),
        (on_test, min_cllr(pairs[1])),
        raw,
        _intervals(calibration, sets, dev, test, on_test, confidence),
        costs,
        (*sets.notes, *(f"{calibration.name}: {note}" for note in (*calibration.notes, *own_notes))),
        sets,
    )


def _pair(ratios: Floats, trials: Trials) -> tuple[Floats, Floats]:
    return ratios[trials.genuine], ratios[~trials.genuine]


def _intervals(
    calibration: Calibration,
    sets: TrialSets,
    dev: Trials,
    test: Trials,
    estimate: float,
    confidence: float,
) -> tuple[RateInterval, ...]:
    """Those of Cllr: with the calibration re-estimated where that is known, then given this calibration."""
    values = trial_costs(calibration, test)
    spread = spread_of_values(sets.people[1], test.genuine, values, _HALVES)
    claims = [Claim(estimate, spread, 0.0, spread.degrees, "fixed")]
    if calibration.fit is not None and sets.origin == "dev":
        moves = calibration_moves(calibration, dev, test)
        moved = spread_of_values(sets.people[0], dev.genuine, moves, (1.0, 1.0))
        joint = in_both(sets, moves, values, _HALVES)
        claims.insert(0, re_estimated(estimate, spread, moved.variance, moved.degrees, joint=joint))
    method = "independent" if sets.people[1] is None else f"cluster-{sets.sharing}"
    return tuple(positive_interval(own, confidence, method, "cllr") for own in claims)


def trial_costs(calibration: Calibration, trials: Trials) -> Floats:
    """What each trial costs, in bits; Cllr is half the sum of the means over both classes."""
    ratios = calibration.ratios(trials)
    return softplus(np.where(trials.genuine, -ratios, ratios)) / log(2)


def calibration_moves(calibration: Calibration, dev: Trials, test: Trials) -> Floats:
    """By how much each dev trial moves Cllr on test through the calibration, times the trials of its class."""
    assert calibration.fit is not None
    ratios = calibration.ratios(test)
    places = np.column_stack([*(test.column(name) for name in calibration.systems), np.ones(len(test))])
    slopes = np.where(test.genuine, -expit(-ratios), expit(ratios))
    gradient = np.sum(
        [0.5 * (slopes[rows, None] * places[rows]).mean(axis=0) for rows in (test.genuine, ~test.genuine)], axis=0
    )
    return by_class(calibration.fit.influence @ gradient / log(2), dev.genuine)


def _parameter_intervals(
    calibration: Calibration, sets: TrialSets, dev: Trials, confidence: float
) -> tuple[RateInterval, ...]:
    """Student's intervals of weights and offset, by dev people."""
    if calibration.fit is None:
        return ()
    people = sets.people[0] if sets.origin == "dev" else sets.people[1]
    names = [*(f"weight of {name}" for name in calibration.systems), "offset"]
    found = []
    for name, value, influence in zip(
        names, calibration.fit.parameters.tolist(), calibration.fit.influence.T, strict=True
    ):
        spread = spread_of_values(people, dev.genuine, by_class(influence, dev.genuine), (1.0, 1.0))
        own = Claim(value, spread, 0.0, spread.degrees, "fixed")
        reach = own.quantile(confidence) * own.sigma
        method = "independent" if people is None else f"cluster-{people.cluster}"
        found.append(
            RateInterval(value, value - reach, value + reach, own.sigma, confidence, method, name, is_share=False)
        )
    return tuple(found)
