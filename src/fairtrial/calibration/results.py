"""What a calibration on dev is worth on test: the result and its tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairtrial.calibration.estimates import CostTarget
from fairtrial.calibration.measures import GIVEN_CALIBRATION
from fairtrial.calibration.model import Calibration
from fairtrial.core.errors import TrialsError
from fairtrial.core.notes import Note
from fairtrial.core.results import Result, plain
from fairtrial.core.tables import Column, Table
from fairtrial.core.trials import Trials
from fairtrial.core.words import interval_title, number_text, plural
from fairtrial.inference.decide import SUPPORT
from fairtrial.inference.intervals import RateInterval
from fairtrial.inference.split import PROVENANCES, Kind, TrialSets


def calibrated_words(kind: Kind) -> str:
    """Where a system was calibrated, by the kind of its figures: what follows "calibrated"."""
    own = PROVENANCES[kind]
    return f"{own.fitted}, {own.evidence_kind}"


@dataclass(frozen=True, slots=True)
class CostFigure:
    """A normalised detection cost on test, calibrated on dev, and the least there is.

    Attributes
    ----------
    target : CostTarget
        The detection cost.
    interval : RateInterval
        The actual cost with its interval.
    least : RateInterval
        The least cost at any threshold, a posteriori, with its interval.
    accepted : tuple of (int, int) or None
        How many genuine and impostor trials are accepted at the threshold; None where there are several.

    Examples
    --------
    >>> import numpy as np
    >>> import fairtrial as ft
    >>> genuine = np.arange(800) < 200
    >>> trials = ft.Trials.from_arrays(np.random.default_rng(0).normal(2.0 * genuine), genuine)
    >>> dev, test = (trials.rows(np.arange(start, 800, 2)) for start in (0, 1))
    >>> found = ft.calibrate(dev, test)
    >>> found.costs[0].minimum <= found.costs[0].actual
    True
    """

    target: CostTarget
    interval: RateInterval
    least: RateInterval
    accepted: tuple[int, int] | None

    @property
    def actual(self) -> float:
        """The actual cost."""
        return self.interval.estimate

    @property
    def minimum(self) -> float:
        """The least cost."""
        return self.least.estimate

    @property
    def notes(self) -> tuple[str, ...]:
        """Whether the cost rests on too few trials for its interval to be relied on."""
        if self.accepted is None or min(self.accepted) >= SUPPORT:
            return ()
        impostor, genuine = self.accepted
        return (
            f"the cost at prior {self.target.points[0].prior:g} rests on {plural(impostor, 'false accept')} and "
            f"{plural(genuine, 'genuine trial')} accepted; with fewer than {SUPPORT} of either, its interval is rough",
        )

    def to_dict(self) -> dict[str, Any]:
        """Give the cost under the names of the command line's JSON.

        Returns
        -------
        dict
            Costs are normalised: 1 is what deciding without a score costs.
        """
        points = [{"prior": own.prior, "c_miss": own.miss, "c_fa": own.false_alarm} for own in self.target.points]
        figures = {
            "actual": self.actual,
            "minimum": self.minimum,
            "interval": self.interval.to_dict(),
            "minimum_interval": self.least.to_dict(),
        }
        return {"cost": self.target.name, "points": points, "partition": list(self.target.partition), **figures}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CalibratedSystem(Result):
    """A system calibrated on dev, and its evidence on test.

    Attributes
    ----------
    calibration : Calibration
        The map from scores to ratios.
    parameter_intervals : tuple of RateInterval
        The intervals of weights and offset; none where the map is not linear.
    dev : tuple of (float, float) or None
        Cllr and min Cllr on dev; None where the calibration was fitted before.
    raw : float
        Cllr of the scores on test as they are.
    intervals : tuple of RateInterval
        Intervals of Cllr on test, the one to go by first.
    least : RateInterval
        The interval of min Cllr on test.
    lost : RateInterval
        The interval of what calibration costs on test: Cllr less min Cllr.
    dev_pav : float
        How far the calibrated ratios are from those that test itself gives; see `dev_pav`.
    dev_pav_interval : RateInterval or None
        Its interval; None where it is not known without some of the people, and with more than 200,000 trials.
    costs : tuple of CostFigure
        Detection costs on test.
    notes : tuple of str
        What the reader should know.
    sets : TrialSets
        Dev and test trials, and who shares them.

    Examples
    --------
    >>> import numpy as np
    >>> import fairtrial as ft
    >>> genuine = np.arange(800) < 200
    >>> trials = ft.Trials.from_arrays(np.random.default_rng(0).normal(2.0 * genuine), genuine)
    >>> dev, test = (trials.rows(np.arange(start, 800, 2)) for start in (0, 1))
    >>> found = ft.calibrate(dev, test)
    >>> found.test[0] >= found.test[1]
    True
    """

    calibration: Calibration
    parameter_intervals: tuple[RateInterval, ...]
    dev: tuple[float, float] | None
    raw: float
    intervals: tuple[RateInterval, ...]
    least: RateInterval
    lost: RateInterval
    dev_pav: float
    dev_pav_interval: RateInterval | None
    costs: tuple[CostFigure, ...]
    notes: tuple[Note | str, ...]
    sets: TrialSets

    @property
    def system(self) -> str:
        """The calibrated system, or systems."""
        return " + ".join(self.calibration.systems)

    @property
    def dev_trials(self) -> Trials:
        """The trials that it was calibrated on.

        Raises
        ------
        TrialsError
            The calibration was saved, and is all that is left of them.
        """
        if not isinstance(self.sets.dev, Trials):
            raise TrialsError(f"{self.system} was calibrated before: its dev trials are not at hand")
        return self.sets.dev

    @property
    def test_trials(self) -> Trials:
        """The trials that it was judged on."""
        assert isinstance(self.sets.test, Trials)
        return self.sets.test

    @property
    def test(self) -> tuple[float, float]:
        """Cllr of the calibrated scores on test, a priori, and min Cllr, a posteriori."""
        return self.intervals[0].estimate, self.least.estimate

    @property
    def loss(self) -> float:
        """What calibration on dev costs on test: Cllr less min Cllr."""
        return self.lost.estimate

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        return {
            "system": self.system,
            "method": self.calibration.method,
            "prior": self.calibration.prior,
            "parameters": {
                **self.calibration.parameters,
                "intervals": [own.to_dict() for own in self.parameter_intervals],
            },
            "dev": None if self.dev is None else {"cllr": self.dev[0], "cllr_min": self.dev[1]},
            "test": {
                "cllr": self.test[0],
                "cllr_min": self.test[1],
                "cllr_cal": self.loss,
                "cllr_raw": None if np.isnan(self.raw) else self.raw,
                "dev_pav": None if np.isnan(self.dev_pav) else self.dev_pav,
                "dev_pav_interval": None if self.dev_pav_interval is None else self.dev_pav_interval.to_dict(),
                "interval": self.intervals[0].to_dict(),
                "intervals": [own.to_dict() for own in self.intervals],
                "cllr_min_interval": self.least.to_dict(),
                "cllr_cal_interval": self.lost.to_dict(),
                "dcf": [own.to_dict() for own in self.costs],
            },
            "notes": plain(self.notes),
        }

    def answer(self) -> str:
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
        title = interval_title(first.confidence)
        columns = (
            Column("system", "system"),
            Column("set", "set", "term"),
            Column("cllr", "Cllr", "number"),
            Column("interval", title, "range"),
            Column("cllr_min", "min Cllr", "number"),
            Column("cllr_min_interval", f"{title} of min Cllr", "range"),
            Column("cllr_cal", "lost by calibration", "number"),
            Column("cllr_cal_interval", f"{title} of what is lost", "range"),
            Column("cllr_raw", "Cllr of the scores as they are", "number"),
            Column("dev_pav", "devPAV", "number"),
            Column("dev_pav_interval", f"{title} of devPAV", "range"),
            Column("method", "method", detail=True),
        )
        same = {"system": self.system, "method": first.method}
        raw = None if np.isnan(self.raw) else self.raw
        records: list[dict[str, Any]] = []
        if self.dev is not None:
            actual, least = self.dev
            records.append(same | {"set": "dev", "cllr": actual, "cllr_min": least, "cllr_cal": actual - least})
        records.append(
            same
            | {
                "set": "test",
                "cllr": self.test[0],
                "interval": first.interval,
                "cllr_min": self.test[1],
                "cllr_min_interval": self.least.interval,
                "cllr_cal": self.loss,
                "cllr_cal_interval": self.lost.interval,
                "cllr_raw": raw,
                "dev_pav": None if np.isnan(self.dev_pav) else self.dev_pav,
                "dev_pav_interval": None if self.dev_pav_interval is None else self.dev_pav_interval.interval,
            }
        )
        own = self.sets.provenance
        notes = (
            f"Cllr on test is {own.evidence_kind}, calibrated {own.fitted}; its interval: "
            f"{GIVEN_CALIBRATION[first.threshold]}",
            "min Cllr and devPAV are a posteriori",
            *self.notes,
        )
        return Table.of("evidence", "Evidence, in bits", columns, records, notes=notes, section="system")

    def _costs(self) -> Table:
        title = interval_title(self.intervals[0].confidence)
        columns = (
            Column("system", "system"),
            Column("cost", "cost"),
            Column("prior", "prior", "number"),
            Column("c_miss", "cost of a miss", "number"),
            Column("c_fa", "of a false alarm", "number"),
            Column("actual", "actual DCF", "number"),
            Column("interval", title, "range"),
            Column("minimum", "min DCF", "number"),
            Column("minimum_interval", f"{title} of min DCF", "range"),
        )
        records = []
        for own in self.costs:
            said = own.to_dict()
            point = said["points"][0] if len(said["points"]) == 1 else {}
            limits = {"interval": own.interval.interval, "minimum_interval": own.least.interval}
            records.append({"system": self.system, **said, **point, **limits})
        notes = sorted({_mean_of(own.target) for own in self.costs} - {""})
        return Table.of("costs", "Normalised detection costs on test", columns, records, notes=notes, section="system")

    def _parameters(self) -> Table:
        columns = (
            Column("system", "system"),
            Column("parameter", "parameter"),
            Column("value", "value", "number"),
            Column("interval", interval_title(self.intervals[0].confidence), "range"),
        )
        shown = self.calibration.mapping.described(self.calibration.systems)
        limits = {own.measure: own.interval for own in self.parameter_intervals}
        rows = tuple((self.system, name, value, limits.get(name)) for name, value in shown.items())
        return Table("parameters", f"Calibration: {self.calibration.method}", columns, rows, section="system")


def _mean_of(target: CostTarget) -> str:
    """What a cost is the mean of, in a sentence."""
    parts = []
    if len(target.points) > 1:
        parts.append(f"its {len(target.points)} operating points")
    if target.partition:
        parts.append(f"the parts of the trials by {' and '.join(target.partition)}, which count alike")
    return f"{target.name} is the mean over {' and over '.join(parts)}" if parts else ""
