"""Detection costs of calibrated scores on test: actual, least, and how sure the actual one is.

The actual cost is at the log-likelihood ratio that prior and costs ask for. In scores, that is a threshold from dev:
with other dev people the calibration, and so the threshold, would have been another one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairtrial.calibration.evidence import CostPoint, min_detection_cost
from fairtrial.calibration.model import Calibration
from fairtrial.calibration.values import by_class, positive_interval, spread_of_values
from fairtrial.claims import Claim, re_estimated
from fairtrial.counting.errors import count_errors
from fairtrial.intervals.rates import RateInterval
from fairtrial.judging import SUPPORT, TrialSets
from fairtrial.spread import Floats
from fairtrial.tables import plural
from fairtrial.trials import Trials

_DRAWN = 400


@dataclass(frozen=True, slots=True)
class CostFigure:
    """A normalised detection cost on test, calibrated on dev, and the least there is."""

    point: CostPoint
    actual: float
    minimum: float
    interval: RateInterval
    """Of the actual cost."""
    accepted: tuple[int, int]
    """How many impostor and how many genuine trials are accepted."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Whether the cost rests on too few trials for its interval to be relied on."""
        if min(self.accepted) >= SUPPORT:
            return ()
        impostor, genuine = self.accepted
        return (
            f"the cost at prior {self.point.prior:g} rests on {plural(impostor, 'false accept')} and "
            f"{plural(genuine, 'genuine trial')} accepted; with fewer than {SUPPORT} of either its interval is rough",
        )

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        costs = {"c_miss": self.point.miss, "c_fa": self.point.false_alarm}
        figures = {"actual": self.actual, "minimum": self.minimum, "interval": self.interval.to_dict()}
        return {"prior": self.point.prior, **costs, **figures}


def cost_figure(
    calibration: Calibration, sets: TrialSets, dev: Trials, test: Trials, point: CostPoint, confidence: float
) -> CostFigure:
    """The cost of a calibrated system at one operating point."""
    ratios = calibration.ratios(test)
    pair = ratios[test.genuine], ratios[~test.genuine]
    counts = count_errors(pair, point.threshold)
    actual = float(point.normalised(counts))
    scale = min(1.0, point.ratio)
    wrong = (ratios > point.threshold) != test.genuine
    spread = spread_of_values(sets.people[1], test.genuine, wrong.astype(np.float64), (point.ratio / scale, 1 / scale))
    claim = Claim(actual, spread, 0.0, spread.degrees, "fixed")
    if calibration.fit is not None and sets.origin == "dev":
        moved, degrees = _moved(calibration, sets, dev, test, point, actual)
        claim = re_estimated(actual, spread, moved, degrees)
    method = "independent" if sets.people[1] is None else f"cluster-{sets.sharing}"
    interval = positive_interval(claim, confidence, method, "dcf")
    accepted = int(counts.false_accepts), int(counts.genuine - counts.false_rejects)
    return CostFigure(point, actual, min_detection_cost(pair, point), interval, accepted)


def _moved(
    calibration: Calibration, sets: TrialSets, dev: Trials, test: Trials, point: CostPoint, actual: float
) -> tuple[float, float]:
    """The variance that the calibration adds to the cost: weights and offsets as other dev people would give them."""
    assert calibration.fit is not None
    influence, middle = calibration.fit.influence, calibration.fit.parameters
    count = len(middle)
    variances = np.empty((count, count))
    degrees = []
    for row in range(count):
        for column in range(row + 1):
            together = influence[:, row] + (influence[:, column] if column < row else 0.0)
            found = spread_of_values(sets.people[0], dev.genuine, by_class(together, dev.genuine), (1.0, 1.0))
            variances[row, column] = variances[column, row] = found.variance
            degrees.append(found.degrees)
    own = np.diag(variances).copy()
    covariance = (variances - own[:, None] - own[None, :]) / 2
    np.fill_diagonal(covariance, own)
    rng = np.random.default_rng([sets.seed, 5])
    drawn = rng.multivariate_normal(middle, covariance, size=_DRAWN, method="eigh", check_valid="ignore")
    costs = _costs_at(drawn, calibration, test, point)
    return float(np.mean((costs - actual) ** 2)), min(degrees)


def _costs_at(drawn: Floats, calibration: Calibration, test: Trials, point: CostPoint) -> Floats:
    """The cost on test for each row of weights and offset."""
    if len(calibration.systems) == 1 and (drawn[:, 0] > 0).all():  # a threshold of the score itself
        thresholds = (point.threshold - drawn[:, 1]) / drawn[:, 0]
        return np.asarray(point.normalised(count_errors(test, thresholds, system=calibration.systems[0])))
    places = np.column_stack([*(test.column(name) for name in calibration.systems), np.ones(len(test))])
    found = []
    for row in drawn:
        ratios = places @ row
        counts = count_errors((ratios[test.genuine], ratios[~test.genuine]), point.threshold)
        found.append(float(point.normalised(counts)))
    return np.array(found)
