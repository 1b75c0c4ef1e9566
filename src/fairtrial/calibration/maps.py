"""The map of a calibration, from scores to log-likelihood ratios, and how far other dev people would have moved it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline

from fairtrial.calibration.curves import only_system, ratios_at, shown_range
from fairtrial.calibration.evidence import by_class
from fairtrial.calibration.methods import LinearInfluence
from fairtrial.calibration.model import Calibration, fit_calibration
from fairtrial.calibration.nonparametric import Steps
from fairtrial.calibration.reliability import RESAMPLES, percentile_limits, pooling_places, resampled_ratios
from fairtrial.calibration.results import CalibratedSystem
from fairtrial.core.errors import ParameterError, as_generator, check_confidence, check_resamples
from fairtrial.core.results import Result
from fairtrial.core.tables import Column, Table, every_tenth
from fairtrial.core.trials import Trials
from fairtrial.core.words import interval_title, level_text, plural
from fairtrial.inference.estimates import spread_of_values, student_quantile
from fairtrial.inference.people import Cluster, People
from fairtrial.inference.variance import Floats

_ANCHORS = 9
_REFITS = 200
"""Calibrations that must be fitted anew for every replicate are, so often at the most."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LlrMap(Result):
    """The log-likelihood ratio of each score by a calibration, with its band by dev people.

    Attributes
    ----------
    system : str
        The system's name.
    method : str
        The name of the calibration method.
    scores : ndarray of float
        Scores, rising, shape (points,).
    ratios : ndarray of float
        The log-likelihood ratio of each score, shape (points,).
    low, high : ndarray of float
        The limits of the band, shape (points,).
    confidence : float
        The level of confidence, between 0 and 1.
    cluster : {"none", "claim", "subject", "both"}
        What dependent trials share.
    resampled : bool
        Whether the band comes from dev drawn anew, and not from weight and offset.

    Examples
    --------
    >>> import numpy as np
    >>> import fairtrial as ft
    >>> genuine = np.arange(800) < 200
    >>> trials = ft.Trials.from_arrays(np.random.default_rng(0).normal(2.0 * genuine), genuine)
    >>> dev, test = (trials.rows(np.arange(start, 800, 2)) for start in (0, 1))
    >>> found = ft.calibrate(dev, test)
    >>> ft.calibration.llr_map(found, points=5).ratios.shape
    (5,)
    """

    system: str
    method: str
    scores: Floats
    ratios: Floats
    low: Floats
    high: Floats
    confidence: float
    cluster: Cluster
    resampled: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain lists."""
        return {
            "system": self.system,
            "method": self.method,
            "score": self.scores.tolist(),
            "llr": self.ratios.tolist(),
            "low": self.low.tolist(),
            "high": self.high.tolist(),
            "confidence": self.confidence,
            "cluster": self.cluster,
        }

    def answer(self) -> str:
        """The method, and what the band is."""
        by = "dev resampled" if self.resampled else "from the parameters"
        points = plural(len(self.scores), "score")
        return (
            f"{self.system}, {self.method}, {points}, {level_text(self.confidence)} band {by}, cluster {self.cluster}"
        )

    def tables(self) -> tuple[Table, ...]:
        """One row per score."""
        columns = (
            Column("system", "system"),
            Column("score", "score", "number"),
            Column("llr", "log-likelihood ratio", "number"),
            Column("interval", interval_title(self.confidence), "range"),
        )
        limits = zip(self.low.tolist(), self.high.tolist(), strict=True)
        rows = tuple(
            (self.system, *row) for row in zip(self.scores.tolist(), self.ratios.tolist(), limits, strict=True)
        )
        caption = f"Scores and their log-likelihood ratios by {self.method}, fitted on dev"
        return (Table("llr_map", caption, columns, rows, shown=every_tenth(len(rows)), section="system"),)


def llr_map(
    found: CalibratedSystem,
    *,
    points: int = 201,
    confidence: float = 0.95,
    n_resamples: int = RESAMPLES,
    rng: np.random.Generator | int | None = 0,
) -> LlrMap:
    """Compute the map of a calibration, from scores to log-likelihood ratios, with a band.

    Parameters
    ----------
    found : CalibratedSystem
        What `calibrate` gave for one system.
    points : int, default 201
        How many scores, between the 0.1 % and 99.9 % quantiles of dev.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1, at each score by itself.
    n_resamples : int, default 1000
        How many resamples are drawn, of dev; 200 at the most where each time all of it must be fitted.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result.

    Returns
    -------
    LlrMap
        Ratios along scores. The band of a linear map comes from weight and offset, which vary with dev's people; that
        of others from dev people, or trials where there are no ids, drawn anew.

    Examples
    --------
    >>> import numpy as np
    >>> import fairtrial as ft
    >>> genuine = np.arange(800) < 200
    >>> trials = ft.Trials.from_arrays(np.random.default_rng(0).normal(2.0 * genuine), genuine)
    >>> dev, test = (trials.rows(np.arange(start, 800, 2)) for start in (0, 1))
    >>> found = ft.calibrate(dev, test)
    >>> curve = llr_map(found, points=5)
    >>> bool(((curve.low < curve.ratios) & (curve.ratios < curve.high)).all())
    True
    """
    check_confidence(confidence)
    if points < 2:
        raise ParameterError(f"a map has at least 2 points, not {points}")
    dev, system = found.dev_trials, only_system(found)
    values = dev.column(system).astype(np.float64, copy=False)
    classes = values[dev.genuine], values[~dev.genuine]
    scores = np.linspace(*shown_range(classes), points)
    ratios = ratios_at(found.calibration, scores)
    people = found.sets.people[0]
    influence, mapping = found.calibration.influence, found.calibration.mapping
    if isinstance(influence, LinearInfluence):
        low, high = _by_parameters(influence.by_parameter, people, dev, scores, ratios, confidence)
    elif isinstance(mapping, Steps):
        places = pooling_places(classes, mapping.ends)
        _, drawn = resampled_ratios(dev, values, places, people, n_resamples=n_resamples, rng=rng)
        at = np.minimum(np.searchsorted(places, scores, side="left"), len(places) - 1)
        low, high = (end[at] for end in percentile_limits(drawn, confidence))
    else:
        drawn = _refitted(found.calibration, dev, people, scores, min(n_resamples, _REFITS), rng)
        low, high = percentile_limits(drawn, confidence)
    cluster: Cluster = "none" if people is None else people.cluster
    method = found.calibration.method
    return LlrMap(
        found.system, method, scores, ratios, low, high, confidence, cluster, not isinstance(influence, LinearInfluence)
    )


def _by_parameters(
    influence: Floats, people: People | None, dev: Trials, scores: Floats, ratios: Floats, confidence: float
) -> tuple[Floats, Floats]:
    """Student's limits of ``weight * score + offset``, from how far each dev trial moves weight and offset."""
    some = np.linspace(0.0, 1.0, _ANCHORS)
    low, width = scores[0], scores[-1] - scores[0]
    spreads = [
        spread_of_values(people, dev.genuine, by_class(influence @ [low + place * width, 1.0], dev.genuine))
        for place in some.tolist()
    ]
    # the variance is quadratic in the score
    variances = CubicSpline(some, [own.variance for own in spreads])((scores - low) / width)
    degrees = min(own.degrees for own in spreads)
    reach = student_quantile(degrees, confidence) * np.sqrt(np.maximum(variances, 0.0))
    return ratios - reach, ratios + reach


def _refitted(
    calibration: Calibration,
    dev: Trials,
    people: People | None,
    scores: Floats,
    count: int,
    rng: np.random.Generator | int | None,
) -> Floats:
    """Ratios of scores by calibrations that were fitted to dev people, or trials, drawn anew: one row per replicate."""
    check_resamples(count)
    generator = as_generator(rng)
    found = []
    for _ in range(count):
        rows = np.repeat(np.arange(len(dev)), _times_drawn(dev, people, generator))
        again = fit_calibration(
            dev.rows(rows), systems=calibration.systems, method=calibration.method, prior=calibration.prior
        )
        found.append(ratios_at(again, scores))
    return np.array(found)


def _times_drawn(dev: Trials, people: People | None, rng: np.random.Generator) -> NDArray[np.int64]:
    """How often each trial is drawn: as often as its person, or the product of its two people's numbers."""
    times = np.zeros(len(dev), dtype=np.int64)
    while not (times[dev.genuine].any() and times[~dev.genuine].any()):
        if people is None:
            for rows in (np.flatnonzero(dev.genuine), np.flatnonzero(~dev.genuine)):
                times[rows] = np.bincount(rng.integers(len(rows), size=len(rows)), minlength=len(rows))
            continue
        numbers = people.draw(1, rng)[0]
        for part in people.classes:
            times[part.rows] = part.times_drawn(numbers)
    return times
