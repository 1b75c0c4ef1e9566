"""Whether log-likelihood ratios mean what they say: against those that pool-adjacent-violators finds on test.

The bands draw people anew: trials are counted by person between some 180 places, and every replicate is pooled
from these counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairtrial.calibration.curves import only_system, ratios_at, shown_range
from fairtrial.calibration.evidence import Segments
from fairtrial.calibration.results import CalibratedSystem
from fairtrial.core.errors import check_confidence
from fairtrial.core.results import Result
from fairtrial.core.tables import Column, Table, every_tenth
from fairtrial.core.trials import Trials
from fairtrial.core.words import interval_title, level_text, plural
from fairtrial.counting.tallies import as_source
from fairtrial.inference.bootstrap import count_table, replicate
from fairtrial.inference.people import Cluster, People
from fairtrial.inference.split import Kind
from fairtrial.inference.variance import Floats

_PLACES = 60
"""Places are quantiles of either class, and ends of steps: so many of each."""
_ROOM = 0.15
RESAMPLES = 1000


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
        columns = (
            Column("system", "system"),
            Column("end", f"{place} up to", "number"),
            Column("ratio", "ratio on test", "number"),
            Column("interval", interval_title(self.confidence), "range"),
            Column("genuine", "genuine", "count"),
            Column("impostor", "impostor", "count"),
        )
        at = np.minimum(np.searchsorted(self.places, self.ends, side="left"), len(self.places) - 1)
        limits = zip(self.low[at].tolist(), self.high[at].tolist(), strict=True)
        counts = self.genuine.tolist(), self.impostor.tolist()
        rows = tuple(
            (self.system, *row) for row in zip(self.ends.tolist(), self.ratios.tolist(), limits, *counts, strict=True)
        )
        caption = "Log-likelihood ratios by pool-adjacent-violators on test, a posteriori"
        return (Table("pav", caption, columns, rows, shown=every_tenth(len(rows)), section="system"),)


def pav_curve(
    found: CalibratedSystem,
    *,
    of_scores: bool = False,
    confidence: float = 0.95,
    n_resamples: int = RESAMPLES,
    rng: np.random.Generator | int | None = 0,
) -> PavCurve:
    """Compute log-likelihood ratios of a calibrated system against those that test gives by pool-adjacent-violators.

    Parameters
    ----------
    found : CalibratedSystem
        What `calibrate` gave.
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
    trials = found.test_trials
    if of_scores:
        values = trials.column(only_system(found)).astype(np.float64, copy=False)
    else:
        values = found.calibration.ratios(trials)
    classes = values[trials.genuine], values[~trials.genuine]
    steps = Segments.of(as_source(classes))
    places = pooling_places(classes, steps.ends)
    people = found.sets.people[1]
    added = _rule_of_three(people, trials, confidence)
    drawn = resampled_ratios(trials, values, places, people, added=added, n_resamples=n_resamples, rng=rng)
    limits = [percentile_limits(each, confidence) for each in drawn]
    along = np.linspace(*_meeting_range(classes), _PLACES)
    return PavCurve(
        found.system,
        found.sets.kind,
        of_scores,
        float(values.min()),
        steps.ends,
        steps.ratios(),
        steps.genuine,
        steps.impostor,
        places,
        np.minimum(limits[0][0], limits[1][0]),
        np.maximum(limits[0][1], limits[1][1]),
        (along, ratios_at(found.calibration, along) if of_scores else along),
        confidence,
        found.sets.sharing,
        n_resamples,
    )


def pooling_places(classes: tuple[Floats, Floats], ends: Floats) -> Floats:
    """Places between which trials may be pooled: all lie where both classes do, but for the ends.

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
    """Log-likelihood ratios by pool-adjacent-violators up to each place, of people drawn anew: one row per replicate.

    Parameters
    ----------
    trials, values
        Trials, and what is pooled of each.
    places
        Between which trials are counted; none lies above the last.
    people
        Who is drawn with all their trials; None: the trials are.
    added
        How many genuine and impostor trials are added at both ends to bound the ratios; one each, as calibration by
        steps does.

    Returns
    -------
    tuple of arrays
        The ratios as they are, some infinite; and bounded.
    """
    cells = np.searchsorted(places, values, side="left")
    table = count_table(trials, cells, len(places), people, stratified=people is None)

    def pool(drawn: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.array([_pooled_ratios(row, added) for row in drawn])

    drawn, _ = replicate(table, pool, n_resamples=n_resamples, rng=rng, workers=1)
    return drawn[:, : len(places)], drawn[:, len(places) :]


def percentile_limits(drawn: Floats, confidence: float) -> tuple[Floats, Floats]:
    """Limits with equal tails at each place; some may be infinite, and so nothing is interpolated."""
    ordered, tail = np.sort(drawn, axis=0), (1 - confidence) / 2
    lowest = int(tail * len(drawn))
    return ordered[lowest], ordered[len(drawn) - 1 - lowest]


def _pooled_ratios(counts: Floats, added: tuple[float, float]) -> Floats:
    """The ratio of each cell, and then the bounded one, from genuine and then impostor trials by cell."""
    classes = np.split(counts, 2)
    padded = [np.concatenate([[more], own, [more]]) for own, more in zip(classes, added, strict=True)]
    return np.concatenate([_ratios_by_cell(*classes), _ratios_by_cell(*padded)[1:-1]])


def _ratios_by_cell(genuine: Floats, impostor: Floats) -> Floats:
    cells = np.arange(len(genuine), dtype=np.float64)
    pooled = Segments(cells, genuine, impostor).pooled()
    return np.asarray(pooled.ratios()[np.searchsorted(pooled.ends, cells, side="left")])


def _rule_of_three(people: People | None, trials: Trials, confidence: float) -> tuple[float, float]:
    """How many trials of either class an end without any may still have missed, those of a person counted together."""
    few = -log((1 - confidence) / 2)
    if people is None:
        return few, few
    genuine, impostor = (few * sqrt(len(part.rows) / part.effective) for part in people.classes)
    return genuine, impostor


def _meeting_range(classes: tuple[Floats, Floats]) -> tuple[float, float]:
    """From the lowest genuine to the highest impostor trial and a little beyond; all where they do not meet."""
    low, high = shown_range(classes)
    meeting = float(classes[0].min()), float(classes[1].max())
    if not meeting[0] < meeting[1]:
        return low, high
    room = _ROOM * (min(meeting[1], high) - max(meeting[0], low))
    return max(low, meeting[0] - room), min(high, meeting[1] + room)


def _finite(values: Floats) -> list[float | None]:
    return [value if np.isfinite(value) else None for value in values.tolist()]
