"""Curves over scores and ratios: pool-adjacent-violators on test, and the map of a calibration, with bands.

Bands resample people: trials are counted by person between about 180 places, and every replicate is pooled from counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairtrial.calibration.calibration import OneSystem
from fairtrial.calibration.curves import curve_table, only_system, shown_range
from fairtrial.calibration.estimates import (
    Cluster,
    Kind,
    People,
    draw_trials,
    map_limits,
    missed_trials,
    replicate_counts,
)
from fairtrial.calibration.evidence import Floats, Segments
from fairtrial.calibration.nonparametric import Steps
from fairtrial.calibration.parametric import LinearInfluence
from fairtrial.core.errors import ParameterError, as_generator, check_confidence, check_resamples
from fairtrial.core.results import Field, Result
from fairtrial.core.tables import Table
from fairtrial.core.trials import Trials
from fairtrial.core.words import interval_title, level_text, plural
from fairtrial.counting.tallies import as_source

_PLACES = 60
"""The number of quantiles of either class, and of ends of steps, among the places."""
_ROOM = 0.15
RESAMPLES = 1000
_REFITS = 200
"""The number of replicates, at most, of calibrations that are fitted anew for each."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PavCurve(Result):
    """The log-likelihood ratios that pool-adjacent-violators gives the test trials, a posteriori, and their band.

    Attributes
    ----------
    system : str
        The system's name.
    kind : {"a priori", "a priori (cross-validated)", "a posteriori", "at a given threshold"}
        Of the calibrated ratios that they are held against.
    of_scores : bool
        Whether it is along the scores, and not along the calibrated ratios.
    start : float
        Where the first step begins.
    ends : ndarray of float
        Where each step ends, shape (steps,).
    ratios : ndarray of float
        The log-likelihood ratio of each step, shape (steps,).
    genuine, impostor : ndarray of int
        How many trials of the class each step has, shape (steps,).
    places : ndarray of float
        Where the band is given, shape (places,).
    low, high : ndarray of float
        The limits of the band, shape (places,).
    guide : tuple of (ndarray of float, ndarray of float)
        The calibrated ratios along the places, to compare with.
    confidence : float
        The level of confidence, between 0 and 1.
    cluster : {"none", "claim", "subject", "both"}
        What dependent trials share.
    n_resamples : int
        How many resamples were drawn.

    Examples
    --------
    >>> import numpy as np
    >>> import fairtrial as ft
    >>> genuine = np.arange(800) < 200
    >>> trials = ft.Trials.from_arrays(np.random.default_rng(0).normal(2.0 * genuine), genuine)
    >>> dev, test = (trials.rows(np.arange(start, 800, 2)) for start in (0, 1))
    >>> found = ft.calibrate(dev, test)
    >>> curve = ft.calibration.pav_curve(found, n_resamples=20)
    >>> int(curve.genuine.sum()), int(curve.impostor.sum())
    (100, 300)
    """

    system: str
    kind: Kind
    of_scores: bool
    start: float
    ends: Floats
    ratios: Floats
    genuine: NDArray[np.int64]
    impostor: NDArray[np.int64]
    places: Floats
    low: Floats
    high: Floats
    guide: tuple[Floats, Floats]
    confidence: float
    cluster: Cluster
    n_resamples: int

    @property
    def method(self) -> str:
        """How the band was made."""
        return "trials resampled" if self.cluster == "none" else f"people resampled, cluster {self.cluster}"

    def to_dict(self) -> dict[str, Any]:
        """Plain lists; None for what is infinite."""
        return {
            "system": self.system,
            "kind": self.kind,
            "steps": {
                "ends": self.ends.tolist(),
                "ratios": _finite(self.ratios),
                "genuine": self.genuine.tolist(),
                "impostor": self.impostor.tolist(),
            },
            "band": {
                "places": self.places.tolist(),
                "low": _finite(self.low),
                "high": _finite(self.high),
                "confidence": self.confidence,
                "cluster": self.cluster,
            },
        }

    def answer(self) -> str:
        """How many steps there are, and what the band is."""
        steps = plural(len(self.ends), "step")
        return f"{self.system}, {steps} on test, {level_text(self.confidence)} band, {self.method}"

    def tables(self) -> tuple[Table, ...]:
        """One row per step."""
        place = "score" if self.of_scores else "log-likelihood ratio"
        at = np.minimum(np.searchsorted(self.places, self.ends, side="left"), len(self.places) - 1)
        columns = {
            Field("end", f"{place} up to", "number"): self.ends,
            Field("ratio", "ratio on test", "number"): self.ratios,
            Field("interval", interval_title(self.confidence), "range"): np.column_stack([self.low[at], self.high[at]]),
            Field("genuine", "genuine", "count"): self.genuine,
            Field("impostor", "impostor", "count"): self.impostor,
        }
        caption = "Log-likelihood ratios by pool-adjacent-violators on test, a posteriori"
        return (curve_table("pav", caption, self.system, columns),)


def pav_curve(
    system: OneSystem,
    *,
    of_scores: bool = False,
    confidence: float = 0.95,
    n_resamples: int = RESAMPLES,
    rng: np.random.Generator | int | None = 0,
) -> PavCurve:
    """Compute log-likelihood ratios of a calibrated system against those that test gives by pool-adjacent-violators.

    Parameters
    ----------
    system : CalibratedSystem or CalibratedSystems
        A system of the result of `calibrate`.
    of_scores : bool, default False
        Whether to go along the scores of the system, in place of its calibrated ratios.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1, at each place by itself.
    n_resamples : int, default 1000
        How many resamples are drawn.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result.

    Returns
    -------
    PavCurve
        The steps on test, exact, and their band.

    Notes
    -----
    People are drawn with all their trials where ids are known, trials where they are not. A trial of two people is
    drawn as often as the product of their numbers, which overstates what belongs to neither of them (Owen 2007). The
    replicates are pooled from counts between some 180 places: quantiles of either class where both are, and ends of
    the steps. Where a replicate has trials of one class only, its ratio is infinite, and so may be one end of the
    band; the other then allows for the trials that may have been missed, 3.7 of each class at 95 % (the rule of three,
    two-sided), more where people have many. Where one class has next to no trials, bands are too narrow all the same.

    References
    ----------
    Ramos & Gonzalez-Rodriguez 2013; Dimitriadis, Gneiting & Jordan, Stable reliability diagrams for probabilistic
    classifiers, 2021.

    Examples
    --------
    >>> import numpy as np
    >>> import fairtrial as ft
    >>> genuine = np.arange(800) < 200
    >>> trials = ft.Trials.from_arrays(np.random.default_rng(0).normal(2.0 * genuine), genuine)
    >>> dev, test = (trials.rows(np.arange(start, 800, 2)) for start in (0, 1))
    >>> found = ft.calibrate(dev, test)
    >>> curve = pav_curve(found, n_resamples=20)
    >>> bool((np.diff(curve.ratios) > 0).all())
    True
    """
    check_confidence(confidence)
    trials, people = system.test_trials, system.sets.people[1]
    values = system.evidence.ratios
    if of_scores:
        values = trials.column(only_system(system)).astype(np.float64, copy=False)
    classes = values[trials.genuine], values[~trials.genuine]
    steps = Segments.of(as_source(classes))
    places = pooling_places(classes, steps.ends)
    added = missed_trials(people, confidence)
    drawn = resampled_ratios(trials, values, places, people, added=added, n_resamples=n_resamples, rng=rng)
    limits = [percentile_limits(each, confidence) for each in drawn]
    along = np.linspace(*_meeting_range(classes), _PLACES)
    return PavCurve(
        system.system,
        system.sets.kind,
        of_scores,
        float(values.min()),
        steps.ends,
        steps.ratios(),
        steps.genuine,
        steps.impostor,
        places,
        np.minimum(limits[0][0], limits[1][0]),
        np.maximum(limits[0][1], limits[1][1]),
        (along, system.calibration.map(along[:, None]) if of_scores else along),
        confidence,
        system.sets.sharing,
        n_resamples,
    )


def pooling_places(classes: tuple[Floats, Floats], ends: Floats) -> Floats:
    """Choose places between which trials are pooled: where both classes have trials, and the ends.

    Parameters
    ----------
    classes
        Values of genuine and of impostor trials.
    ends
        Of the steps that all trials give; many of them are among the places.
    """
    low, high = classes[0].min(), classes[1].max()
    top = max(classes[0].max(), high)
    found: list[Floats] = [ends[np.unique(np.linspace(0, len(ends) - 1, _PLACES).astype(np.int64))], np.array([top])]
    for values in classes:
        within = values[(values >= low) & (values <= high)]
        if len(within):
            which = np.linspace(0, len(within) - 1, _PLACES).astype(np.int64)
            found.append(np.partition(within, which)[which])
    below = classes[1][classes[1] < low]
    if len(below):
        found.append(np.array([below.max()]))
    return np.unique(np.concatenate(found))


def resampled_ratios(
    trials: Trials,
    values: Floats,
    places: Floats,
    people: People | None,
    *,
    added: tuple[float, float] = (1.0, 1.0),
    n_resamples: int,
    rng: np.random.Generator | int | None,
) -> tuple[Floats, Floats]:
    """Compute log-likelihood ratios by pool-adjacent-violators up to each place, of resampled people: one row each.

    Parameters
    ----------
    trials, values
        Trials, and what is pooled of each.
    places
        Between which trials are counted; none lies above the last.
    people
        The people who are drawn with all their trials; None to draw trials.
    added
        How many genuine and impostor trials are added at both ends to bound the ratios; one each, as calibration by
        steps does.

    Returns
    -------
    tuple of arrays
        The ratios, some infinite; and bounded.
    """
    cells = np.searchsorted(places, values, side="left")
    pool = partial(_pooled_ratios, added=added)
    drawn = replicate_counts(trials, cells, len(places), people, pool, n_resamples=n_resamples, rng=rng)
    return drawn[:, : len(places)], drawn[:, len(places) :]


def percentile_limits(drawn: Floats, confidence: float) -> tuple[Floats, Floats]:
    """Compute limits with equal tails at each place; no interpolation, as some may be infinite."""
    ordered, tail = np.sort(drawn, axis=0), (1 - confidence) / 2
    lowest = int(tail * len(drawn))
    return ordered[lowest], ordered[len(drawn) - 1 - lowest]


def _pooled_ratios(counts: Floats, added: tuple[float, float]) -> Floats:
    """Compute the ratio of each cell, then the bounded ones, from genuine and then impostor counts by cell."""
    classes = np.split(counts, 2)
    padded = [np.concatenate([[more], own, [more]]) for own, more in zip(classes, added, strict=True)]
    return np.concatenate([_ratios_by_cell(*classes), _ratios_by_cell(*padded)[1:-1]])


def _ratios_by_cell(genuine: Floats, impostor: Floats) -> Floats:
    cells = np.arange(len(genuine), dtype=np.float64)
    pooled = Segments(cells, genuine, impostor).pooled()
    return np.asarray(pooled.ratios()[np.searchsorted(pooled.ends, cells, side="left")])


def _meeting_range(classes: tuple[Floats, Floats]) -> tuple[float, float]:
    """Give the range from the lowest genuine to the highest impostor trial; all if they do not meet."""
    low, high = shown_range(classes)
    meeting = float(classes[0].min()), float(classes[1].max())
    if not meeting[0] < meeting[1]:
        return low, high
    room = _ROOM * (min(meeting[1], high) - max(meeting[0], low))
    return max(low, meeting[0] - room), min(high, meeting[1] + room)


def _finite(values: Floats) -> list[float | None]:
    return [value if np.isfinite(value) else None for value in values.tolist()]


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
        columns = {
            Field("score", "score", "number"): self.scores,
            Field("llr", "log-likelihood ratio", "number"): self.ratios,
            Field("interval", interval_title(self.confidence), "range"): np.column_stack([self.low, self.high]),
        }
        caption = f"Scores and their log-likelihood ratios by {self.method}, fitted on dev"
        return (curve_table("llr_map", caption, self.system, columns),)


def llr_map(
    system: OneSystem,
    *,
    points: int = 201,
    confidence: float = 0.95,
    n_resamples: int = RESAMPLES,
    rng: np.random.Generator | int | None = 0,
) -> LlrMap:
    """Compute the map of a calibration, from scores to log-likelihood ratios, with a band.

    Parameters
    ----------
    system : CalibratedSystem or CalibratedSystems
        The result of `calibrate` for one system.
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
    dev, calibration, people = system.dev_trials, system.calibration, system.sets.people[0]
    values = dev.column(only_system(system)).astype(np.float64, copy=False)
    classes = values[dev.genuine], values[~dev.genuine]
    scores = np.linspace(*shown_range(classes), points)
    ratios = calibration.map(scores[:, None])
    linear = calibration.influence if isinstance(calibration.influence, LinearInfluence) else None
    if linear is not None:
        low, high = map_limits(linear, people, dev, scores, ratios, confidence)
    elif isinstance(calibration.mapping, Steps):
        places = pooling_places(classes, calibration.mapping.ends)
        _, drawn = resampled_ratios(dev, values, places, people, n_resamples=n_resamples, rng=rng)
        at = np.minimum(np.searchsorted(places, scores, side="left"), len(places) - 1)
        low, high = (end[at] for end in percentile_limits(drawn, confidence))
    else:
        generator = as_generator(rng)
        refits = range(min(check_resamples(n_resamples), _REFITS))
        drawn = np.array([draw_trials(calibration, dev, people, generator).map(scores[:, None]) for _ in refits])
        low, high = percentile_limits(drawn, confidence)
    if calibration.bounds is not None:
        low, high = (np.clip(end, *calibration.bounds) for end in (low, high))
    cluster: Cluster = "none" if people is None else people.cluster
    return LlrMap(system.system, calibration.method, scores, ratios, low, high, confidence, cluster, linear is None)
