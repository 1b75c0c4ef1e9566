"""What calibrations are fitted by where scores are passed over: their range, and moments by class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairtrial.calibration.methods import INFINITE, DevPasses, check_range, units_of
from fairtrial.counting.errors import Genuine, Scores
from fairtrial.errors import TrialsError
from fairtrial.spread import Floats


@dataclass(frozen=True, slots=True, eq=False)
class ClassMoments:
    """Per class (impostor, genuine): the number of trials, and the moments of their scores above a middle, in units."""

    middle: float
    unit: float
    counts: Floats
    means: Floats
    squares: Floats

    @classmethod
    def around(cls, dev: DevPasses, middle: float, unit: float) -> ClassMoments:
        """The moments around a middle, in one pass."""
        counts, sums, squares = dev.source.tally(_Moments(middle, unit)).T
        return cls(middle, unit, counts, sums / counts, squares / counts)

    @classmethod
    def between(cls, dev: DevPasses, low: float, high: float) -> ClassMoments:
        """The moments of scores that lie between two, around their middle."""
        return cls.around(dev, low / 2 + high / 2, float(units_of(np.array([[low], [high]]))[0]))

    @classmethod
    def of(cls, dev: DevPasses) -> ClassMoments:
        """The moments around the mean of all scores.

        Raises
        ------
        TrialsError
            Scores that are infinite, all equal, or too small for a weight.
        """
        low, high = score_range(dev)
        if not np.isfinite([low, high]).all():
            raise TrialsError(f"{dev.system}: {INFINITE}")
        first = cls.between(dev, low, high)
        check_range(dev.system, low, high)
        means = first.middle + first.unit * first.means
        # the squares once more around the mean of all, so that they lose no digits
        return cls.around(dev, float(first.counts @ means / first.counts.sum()), first.unit)


def score_range(dev: DevPasses) -> tuple[float, float]:
    """The lowest and the highest score, in one pass."""
    low, high = dev.source.tally(_Range()).tolist()
    return low, high


def by_class(scores: Scores, genuine: Genuine) -> tuple[Scores, Scores]:
    """Impostor and genuine scores."""
    if isinstance(genuine, bool):
        return (scores[:0], scores) if genuine else (scores, scores[:0])
    return scores[~genuine], scores[genuine]


@dataclass(frozen=True, slots=True)
class _Moments:
    """Per class (impostor, genuine): the number, the sum and the sum of squares of what scores are above a middle.

    They are in units of which no square overflows or vanishes.
    """

    middle: float
    unit: float

    def start(self) -> Floats:
        return np.zeros((2, 3))

    def add(self, total: Floats, scores: Scores, genuine: Genuine) -> Floats:
        for row, own in enumerate(by_class(scores, genuine)):
            away = (own.astype(np.float64, copy=False) - self.middle) / self.unit
            total[row] += len(own), away.sum(), away @ away
        return total

    def merge(self, a: Floats, b: Floats) -> Floats:
        return a + b


@dataclass(frozen=True, slots=True)
class _Range:
    """The lowest and the highest score."""

    def start(self) -> Floats:
        return np.array([np.inf, -np.inf])

    def add(self, total: Floats, scores: Scores, genuine: Genuine) -> Floats:
        if len(scores):
            total[0], total[1] = min(total[0], float(scores.min())), max(total[1], float(scores.max()))
        return total

    def merge(self, a: Floats, b: Floats) -> Floats:
        return np.array([min(a[0], b[0]), max(a[1], b[1])])
