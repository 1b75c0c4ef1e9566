"""Compute curves of evidence with bands: along priors, ratios and scores.

Bands along ratios and scores resample people: trials are counted by person between about 180 places, and every
replicate is pooled from counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import log, sqrt
from operator import itemgetter
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import entr, expit

from fairtrial.calibration.calibration import OneSystem
from fairtrial.calibration.evidence import (
    BayesErrors,
    CostPoint,
    Segments,
    by_class,
    cost_target,
    empirical_cross_entropy,
)
from fairtrial.calibration.measures import GIVEN_CALIBRATION, Evidence, EvidenceMeasure, cost_measure, entropy_measure
from fairtrial.calibration.methods import LinearInfluence, Steps
from fairtrial.calibration.model import refit
from fairtrial.core.errors import ParameterError, as_generator, check_confidence, check_resamples
from fairtrial.core.results import Field, Record, Result, finite, plain, table_of
from fairtrial.core.tables import Table, every_tenth
from fairtrial.core.trials import Trials, check_drawable, sorted_rows
from fairtrial.core.words import interval_title, level_text, number_text, percent, plural
from fairtrial.counting.tallies import ErrorCounts, as_source, count_errors
from fairtrial.inference.bootstrap import count_table, replicate
from fairtrial.inference.estimates import Threshold, variance_of_values
from fairtrial.inference.people import Cluster, People
from fairtrial.inference.split import Kind
from fairtrial.inference.student import student_quantile
from fairtrial.inference.variance import Floats

_EVERY = 3  # a band along priors has limits at every third of the log-odds of its curve
_REACH = 7.0  # prior log-odds of figures, in either direction: priors from 0.001 to 0.999
_POINTS = 71
_SHOWN = (0.001, 0.999)  # the ratios of either class between these quantiles are drawn
_FARTHEST = 20.0  # the highest prior log-odds allowed
_PLACES = 60  # the number of quantiles of either class, and of ends of steps, among the places
_ROOM = 0.15
RESAMPLES = 1000
_REFITS = 200  # the number of replicates, at most, of calibrations that are fitted anew for each
_ANCHORS = 9


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Curve(Result):
    """A curve of a system: fields with a title are columns of its table, one row per point, unless they are None."""

    system: str
    kind: Kind

    TABLE: ClassVar = ("", "")  # the name of the table and its caption, which may name attributes of the curve

    def tables(self) -> tuple[Table, ...]:
        """Tabulate one row per point; a terminal shows every tenth."""
        name, caption = self.TABLE
        columns = {field: field.value(self) for field in self.FIELDS if field.title}
        columns = {field: np.asarray(values).tolist() for field, values in columns.items() if values is not None}
        fields = [Field("system", "system", get=lambda row: self.system)]
        fields += [replace(field, get=itemgetter(k)) for k, field in enumerate(columns)]
        rows, titles = list(zip(*columns.values(), strict=True)), self._titles()
        shown = every_tenth(len(rows))
        return (table_of(name, caption.format(curve=self), fields, rows, shown=shown, section="system", titles=titles),)

    def _titles(self) -> dict[str, str]:
        """Give titles of columns that are not those of the fields, by key."""
        return {}

    def _entries(self, *names: str) -> dict[str, Any]:
        """Give some attributes by name, as plain lists with None for infinite numbers."""
        return {name: finite(plain(getattr(self, name))) for name in names}


_OF_CURVES = (Field("system"), Field("kind"))
_ALONG_PRIORS = (
    *_OF_CURVES,
    Field("log_odds", "prior log-odds", "number"),
    Field("prior", "prior", "number", get=lambda curve: expit(curve.log_odds), in_json=False),
)


@dataclass(frozen=True, slots=True, eq=False)
class PriorBand(Record):
    """Pointwise limits along prior log-odds; `threshold` says whether the calibration is re-estimated."""

    FIELDS: ClassVar = (*map(Field, ("log_odds", "low", "high", "confidence")), Field("calibration", get="threshold"))

    log_odds: Floats
    low: Floats
    high: Floats
    confidence: float
    threshold: Threshold

    @property
    def described(self) -> str:
        """The level of confidence, and whether the calibration is re-estimated, in words."""
        return f"{level_text(self.confidence)} pointwise bands, {GIVEN_CALIBRATION[self.threshold]}"


def _band(
    evidence: Evidence, log_odds: Floats, confidence: float | None, measure: Callable[[float], EvidenceMeasure]
) -> PriorBand | None:
    """Compute the intervals of a measure at every third of the log-odds."""
    if confidence is None:
        return None
    some = np.unique(np.append(log_odds[::_EVERY], log_odds[-1]))
    limits = [measure(float(expit(odds))).interval(evidence, confidence=confidence) for odds in some.tolist()]
    low, high = np.array([each.interval for each in limits]).T
    return PriorBand(some, low, high, confidence, limits[0].threshold)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BayesErrorCurve(_Curve):
    """Normalised Bayes error rates of a calibrated system on test, along prior log-odds.

    Attributes
    ----------
    system : str
        The system's name.
    kind : {"a priori", "a priori (cross-validated)", "a posteriori", "at a given threshold"}
        Of the calibrated rates.
    log_odds : ndarray of float
        Natural log-odds of a genuine trial, shape (log-odds,).
    calibrated : BayesErrors
        The rates of the calibrated system.
    minimum : BayesErrors
        The least rates at any threshold, a posteriori.
    raw : BayesErrors or None
        The rates of the scores unchanged; None unless asked for.
    band : PriorBand or None
        Of the calibrated rates.

    Examples
    --------
    >>> import fairtrial as ft
    >>> data = ft.groups.synthetic_groups({"all": 40})
    >>> result = ft.calibrate(data.dev, data.test)
    >>> ft.calibration.bayes_error_curve(result, log_odds=[0.0]).log_odds
    array([0.])
    """

    log_odds: Floats
    calibrated: BayesErrors
    minimum: BayesErrors
    raw: BayesErrors | None
    band: PriorBand | None = None

    TABLE = ("bayes_errors", "Normalised Bayes error on test, {curve.kind}, and its minimum, a posteriori")
    FIELDS = (
        *_ALONG_PRIORS,
        Field("calibrated", "calibrated", "number", get="calibrated.rates"),
        Field("minimum", "minimum", "number", get="minimum.rates"),
        Field("raw", "raw", "number", get=lambda curve: curve.raw and curve.raw.rates, in_json="if known"),
        Field("false_accepts", "false accepts", "count", get="calibrated.counts.false_accepts", in_json=False),
        Field("false_rejects", "false rejects", "count", get="calibrated.counts.false_rejects", in_json=False),
        Field("supported", get="calibrated.supported"),
        Field("band", in_json="if known"),
    )

    def answer(self) -> str:
        """Give the highest rate, and where."""
        worst = int(np.argmax(self.calibrated.rates))
        return (
            f"{self.system}, normalised Bayes error at most {number_text(self.calibrated.rates[worst])}, at prior "
            f"log-odds of {number_text(self.log_odds[worst])}"
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class EceCurve(_Curve):
    """The empirical cross-entropy of a calibrated system on test, in bits, along prior log-odds.

    Attributes
    ----------
    system : str
        The system's name.
    kind : {"a priori", "a priori (cross-validated)", "a posteriori", "at a given threshold"}
        Of the calibrated cross-entropy.
    log_odds : ndarray of float
        Natural log-odds of a genuine trial, shape (log-odds,).
    calibrated : ndarray of float
        The cross-entropy of the calibrated system, in bits, shape (log-odds,).
    minimum : ndarray of float
        The least cross-entropy, a posteriori, shape (log-odds,).
    neutral : ndarray of float
        The cross-entropy of a ratio of 1 for every trial, shape (log-odds,).
    raw : ndarray of float or None
        The cross-entropy of the scores unchanged; None unless asked for.
    band : PriorBand or None
        Of the calibrated cross-entropy.

    Examples
    --------
    >>> import fairtrial as ft
    >>> data = ft.groups.synthetic_groups({"all": 40})
    >>> result = ft.calibrate(data.dev, data.test)
    >>> ft.calibration.ece_curve(result, log_odds=[0.0]).neutral
    array([1.])
    """

    log_odds: Floats
    calibrated: Floats
    minimum: Floats
    neutral: Floats
    raw: Floats | None
    band: PriorBand | None = None

    TABLE = ("ece", "Empirical cross-entropy on test in bits, {curve.kind}, and its minimum, a posteriori")
    FIELDS = (
        *_ALONG_PRIORS,
        *(Field(name, name, "number", in_json="if known") for name in ("calibrated", "minimum", "neutral", "raw")),
        Field("band", in_json="if known"),
    )

    def answer(self) -> str:
        """Give the cross-entropy at its highest, beside that of knowing nothing."""
        worst = int(np.argmax(self.calibrated))
        return (
            f"{self.system}, cross-entropy at most {number_text(self.calibrated[worst])} bits, where a ratio of 1 has "
            f"{number_text(self.neutral[worst])}"
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TippettCurve(_Curve):
    """The proportions of genuine and of impostor trials on test whose evidence is above each log-likelihood ratio.

    Attributes
    ----------
    system : str
        The system's name.
    kind : {"a priori", "a priori (cross-validated)", "a posteriori", "at a given threshold"}
        Whether the figures are a priori.
    ratios : ndarray of float
        Log-likelihood ratios, rising, shape (ratios,).
    counts : ErrorCounts
        Trials on either side of each ratio.
    misleading : ErrorCounts
        Trials whose evidence is for the wrong side.

    Examples
    --------
    >>> import fairtrial as ft
    >>> data = ft.groups.synthetic_groups({"all": 40})
    >>> result = ft.calibrate(data.dev, data.test)
    >>> curve = ft.calibration.tippett_curve(result)
    >>> bool((curve.genuine >= curve.impostor).all())
    True
    """

    ratios: Floats
    counts: ErrorCounts
    misleading: ErrorCounts

    TABLE = ("tippett", "Trials above a log-likelihood ratio, {curve.kind}")
    FIELDS = (
        *_OF_CURVES,
        Field("llr", "log-likelihood ratio", "number", get="ratios"),
        Field("genuine", "genuine above", "rate"),
        Field("impostor", "impostor above", "rate"),
        Field(
            "misleading",
            get=lambda curve: {"genuine": float(curve.misleading.frr), "impostor": float(curve.misleading.far)},
        ),
    )

    @property
    def genuine(self) -> Floats:
        """The proportion of genuine trials above each ratio."""
        return np.asarray(1 - self.counts.frr)

    @property
    def impostor(self) -> Floats:
        """The proportion of impostor trials above each ratio."""
        return np.asarray(self.counts.far)

    def answer(self) -> str:
        """Say how much of the evidence misleads."""
        return (
            f"{self.system}, evidence for the wrong side in {percent(self.misleading.frr)} of genuine and "
            f"{percent(self.misleading.far)} of impostor trials"
        )


def bayes_error_curve(
    system: OneSystem, *, log_odds: ArrayLike | None = None, raw: bool = False, confidence: float | None = None
) -> BayesErrorCurve:
    """Compute normalised Bayes error rates of a calibrated system along prior log-odds.

    Parameters
    ----------
    system : CalibratedSystem or CalibratedSystems
        A system of the result of `calibrate`.
    log_odds : array_like, optional
        Natural log-odds of a genuine trial, shape (log-odds,); 71 values from -7 to 7 by default.
    raw : bool, default False
        Whether to include the scores, taken as log-likelihood ratios.
    confidence : float, optional
        The level of confidence, between 0 and 1.

    Returns
    -------
    BayesErrorCurve
        Of the calibrated system, the least there is, and perhaps of the scores unchanged; 1 is the cost of deciding
        without a score.

    References
    ----------
    Brümmer & de Villiers, The BOSARIS toolkit: theory, algorithms and code, 2011.

    Examples
    --------
    >>> import fairtrial as ft
    >>> data = ft.groups.synthetic_groups({"all": 40})
    >>> result = ft.calibrate(data.dev, data.test)
    >>> curve = bayes_error_curve(result)
    >>> bool((curve.minimum.rates <= curve.calibrated.rates).all())
    True
    """
    odds, evidence = _log_odds(log_odds), system.evidence
    return BayesErrorCurve(
        system.system,
        system.sets.kind,
        odds,
        BayesErrors.of(evidence.source, odds),
        BayesErrors.of(evidence.given_source, odds, minimum=True),
        BayesErrors.of(as_source(system.sets.test, system=only_system(system)), odds) if raw else None,
        _band(evidence, odds, confidence, lambda prior: cost_measure(cost_target(CostPoint(prior)))),
    )


def ece_curve(
    system: OneSystem, *, log_odds: ArrayLike | None = None, raw: bool = False, confidence: float | None = None
) -> EceCurve:
    """Compute the empirical cross-entropy of a calibrated system along prior log-odds.

    Parameters
    ----------
    system : CalibratedSystem or CalibratedSystems
        A system of the result of `calibrate`.
    log_odds : array_like, optional
        Natural log-odds of a genuine trial, shape (log-odds,); 71 values from -7 to 7 by default.
    raw : bool, default False
        Whether to include the scores, taken as log-likelihood ratios.
    confidence : float, optional
        The level of confidence, between 0 and 1.

    Returns
    -------
    EceCurve
        In bits: of the calibrated system, the least there is, that of a ratio of 1 for every trial, and perhaps of the
        scores unchanged. At log-odds of 0 they are Cllr and min Cllr.

    References
    ----------
    Ramos & Gonzalez-Rodriguez, Reliable support: measuring calibration of likelihood ratios, 2013.

    Examples
    --------
    >>> import numpy as np
    >>> import fairtrial as ft
    >>> data = ft.groups.synthetic_groups({"all": 40})
    >>> result = ft.calibrate(data.dev, data.test)
    >>> curve = ece_curve(result, log_odds=[0.0])
    >>> bool(np.isclose(curve.calibrated[0], result.test[0]))
    True
    """
    odds, evidence = _log_odds(log_odds), system.evidence
    priors = expit(odds)
    return EceCurve(
        system.system,
        system.sets.kind,
        odds,
        empirical_cross_entropy(evidence.source, priors),
        empirical_cross_entropy(evidence.given_source, priors, minimum=True),
        np.asarray(entr(priors) + entr(1 - priors)) / np.log(2),
        empirical_cross_entropy(as_source(system.sets.test, system=only_system(system)), priors) if raw else None,
        _band(evidence, odds, confidence, entropy_measure),
    )


def tippett_curve(system: OneSystem, *, points: int = 401) -> TippettCurve:
    """Compute the proportions of both classes of test trials above each log-likelihood ratio.

    Parameters
    ----------
    system : CalibratedSystem or CalibratedSystems
        A system of the result of `calibrate`.
    points : int, default 401
        How many ratios, from the 0.1 % quantile of the lower class to the 99.9 % quantile of the upper one.

    Returns
    -------
    TippettCurve
        With the proportions of trials whose evidence is for the wrong side.

    References
    ----------
    Meuwly, Reconnaissance de locuteurs en sciences forensiques, 2001; after Tippett et al. 1968.

    Examples
    --------
    >>> import fairtrial as ft
    >>> data = ft.groups.synthetic_groups({"all": 40})
    >>> result = ft.calibrate(data.dev, data.test)
    >>> tippett_curve(result, points=5).ratios.shape
    (5,)
    """
    if points < 2:
        raise ParameterError(f"a curve has at least 2 points, not {points}")
    low, high = shown_range(system.evidence.pair)
    ratios = np.linspace(min(low, 0.0), max(high, 0.0), points)
    counts = count_errors(system.evidence.source, np.append(ratios, 0.0))
    return TippettCurve(system.system, system.sets.kind, ratios, counts[:-1], counts[points].scalar())


def only_system(system: OneSystem) -> str:
    """Give the name of the system that was calibrated.

    Raises
    ------
    ParameterError
        If it is a fusion of several systems.
    """
    names = system.calibration.systems
    if len(names) != 1:
        template = "{system} is a fusion, which has ratios but no scores to show"
        raise ParameterError(template, code="fusion-has-no-scores", system=system.system)
    return names[0]


def shown_range(classes: Sequence[NDArray[np.floating]]) -> tuple[float, float]:
    """Give the range of several classes without outliers; finite and not empty."""
    finite = [values[np.isfinite(values)] for values in classes]
    for values in finite:
        check_drawable(values)
    ends = np.array([np.quantile(values, _SHOWN) for values in finite if len(values)] or [(0.0, 0.0)])
    low, high = float(ends[:, 0].min()), float(ends[:, 1].max())
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _log_odds(given: ArrayLike | None) -> Floats:
    """Check prior log-odds; by default they are evenly spaced, for priors from 0.001 to 0.999."""
    if given is None:
        return np.linspace(-_REACH, _REACH, _POINTS)
    odds = np.atleast_1d(np.asarray(given, dtype=np.float64))
    if odds.ndim != 1 or not len(odds) or not (np.abs(odds) <= _FARTHEST).all():
        raise ParameterError(f"prior log-odds must be numbers between -{_FARTHEST:g} and {_FARTHEST:g}, one or several")
    return odds


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PavCurve(_Curve):
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
    >>> import fairtrial as ft
    >>> data = ft.groups.synthetic_groups({"all": 40})
    >>> result = ft.calibrate(data.dev, data.test)
    >>> curve = ft.calibration.pav_curve(result, n_resamples=20)
    >>> int(curve.genuine.sum()), int(curve.impostor.sum())
    (200, 800)
    """

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

    TABLE = ("pav", "Log-likelihood ratios by pool-adjacent-violators on test, a posteriori")
    FIELDS = (
        *_OF_CURVES,
        Field("end", "up to", "number", get="ends", in_json=False),
        Field("ratio", "ratio on test", "number", get="ratios", in_json=False),
        Field("interval", "interval", "range", get="_limits", in_json=False),
        Field("genuine", "genuine", "count", in_json=False),
        Field("impostor", "impostor", "count", in_json=False),
        Field("steps", get=lambda curve: curve._entries("ends", "ratios", "genuine", "impostor")),
        Field("band", get=lambda curve: curve._entries("places", "low", "high", "confidence", "cluster")),
    )

    @property
    def method(self) -> str:
        """How the band was made."""
        return "trials resampled" if self.cluster == "none" else f"people resampled, cluster {self.cluster}"

    @property
    def _limits(self) -> Floats:
        """The limits of the band at the end of each step."""
        at = np.minimum(np.searchsorted(self.places, self.ends, side="left"), len(self.places) - 1)
        return np.column_stack([self.low[at], self.high[at]])

    def answer(self) -> str:
        """Say how many steps there are, and what the band is."""
        steps = plural(len(self.ends), "step")
        return f"{self.system}, {steps} on test, {level_text(self.confidence)} band, {self.method}"

    def _titles(self) -> dict[str, str]:
        end = "score up to" if self.of_scores else "log-likelihood ratio up to"
        return {"end": end, "interval": interval_title(self.confidence)}


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
        Whether to go along the scores of the system instead of its calibrated ratios.
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
    People are drawn with all their trials if ids are known, otherwise trials. A trial of two people is
    drawn as often as the product of their numbers, which overstates the variance that is neither's (Owen 2007). The
    replicates are pooled from counts between about 180 places: quantiles of either class where both occur, and ends of
    the steps. If a replicate has trials of one class only, its ratio is infinite, and so may be one end of the band;
    the other then allows for the trials that may have been missed, 3.7 of each class at 95 % (the rule of three,
    two-sided), more if people have many. Where a class has hardly any trials, bands are nevertheless too narrow.

    References
    ----------
    Ramos & Gonzalez-Rodriguez 2013; Dimitriadis, Gneiting & Jordan, Stable reliability diagrams for probabilistic
    classifiers, 2021.

    Examples
    --------
    >>> import numpy as np
    >>> import fairtrial as ft
    >>> data = ft.groups.synthetic_groups({"all": 40})
    >>> result = ft.calibrate(data.dev, data.test)
    >>> curve = pav_curve(result, n_resamples=20)
    >>> bool((np.diff(curve.ratios) > 0).all())
    True
    """
    check_confidence(confidence)
    trials, people = system.evidence.test, system.sets.people[1]
    values = system.evidence.ratios
    if of_scores:
        values = trials.column(only_system(system)).astype(np.float64, copy=False)
    classes = values[trials.genuine], values[~trials.genuine]
    steps = Segments.of(as_source(classes))
    places = pooling_places(classes, steps.ends)
    # trials that an end without any may have missed: the rule of three, two-sided, by person
    few = -log((1 - confidence) / 2)
    sizes = (1.0, 1.0) if people is None else tuple(sqrt(len(part.rows) / part.effective) for part in people.classes)
    added = few * sizes[0], few * sizes[1]
    drawn = resampled_ratios(trials, values, places, people, added=added, n_resamples=n_resamples, rng=rng)
    limits = [percentile_limits(each, confidence) for each in drawn]
    # from the lowest genuine to the highest impostor trial; all if they do not meet
    low, high = shown_range(classes)
    first, last = float(classes[0].min()), float(classes[1].max())
    if first < last:
        room = _ROOM * (min(last, high) - max(first, low))
        low, high = max(low, first - room), min(high, last + room)
    along = np.linspace(low, high, _PLACES)
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
    """Choose places between which trials are pooled: where both classes have values, and ends of the steps of all."""
    low, high = classes[0].min(), classes[1].max()
    top = max(classes[0].max(), high)
    places: list[Floats] = [ends[np.unique(np.linspace(0, len(ends) - 1, _PLACES).astype(np.int64))], np.array([top])]
    for values in classes:
        within = values[(values >= low) & (values <= high)]
        if len(within):
            which = np.linspace(0, len(within) - 1, _PLACES).astype(np.int64)
            places.append(np.partition(within, which)[which])
    below = classes[1][classes[1] < low]
    if len(below):
        places.append(np.array([below.max()]))
    return np.unique(np.concatenate(places))


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
    """Compute log-likelihood ratios by pool-adjacent-violators up to each place, one row per resample of people.

    The first are of the `values` of all trials, none above the last place, and may be infinite; the second are bounded
    by genuine and impostor trials `added` at both ends, one each as calibration by steps does.
    """
    size = len(places)
    table = count_table(trials, np.searchsorted(places, values, side="left"), size, people, stratified=people is None)

    def pooled(genuine: Floats, impostor: Floats) -> Floats:
        cells = np.arange(len(genuine), dtype=np.float64)
        steps = Segments(cells, genuine, impostor).pooled()
        return np.asarray(steps.ratios()[np.searchsorted(steps.ends, cells, side="left")])

    def ratios(replicates: Floats) -> Floats:
        rows = []
        for counts in replicates:
            classes = np.split(counts, 2)
            padded = [np.pad(some, 1, constant_values=more) for some, more in zip(classes, added, strict=True)]
            rows.append(np.concatenate([pooled(*classes), pooled(*padded)[1:-1]]))
        return np.array(rows)

    drawn, _ = replicate(table, ratios, n_resamples=n_resamples, rng=rng, workers=1)
    return drawn[:, :size], drawn[:, size:]


def percentile_limits(drawn: Floats, confidence: float) -> tuple[Floats, Floats]:
    """Compute limits with equal tails at each place; no interpolation, as some may be infinite."""
    ordered, tail = np.sort(drawn, axis=0), (1 - confidence) / 2
    lowest = int(tail * len(drawn))
    return ordered[lowest], ordered[len(drawn) - 1 - lowest]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LlrMap(_Curve):
    """The log-likelihood ratio of each score by a calibration, with its band by dev people.

    Attributes
    ----------
    system : str
        The system's name.
    kind : {"a priori", "a priori (cross-validated)", "a posteriori", "at a given threshold"}
        Of the ratios on test.
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
    >>> import fairtrial as ft
    >>> data = ft.groups.synthetic_groups({"all": 40})
    >>> result = ft.calibrate(data.dev, data.test)
    >>> ft.calibration.llr_map(result, points=5).ratios.shape
    (5,)
    """

    method: str
    scores: Floats
    ratios: Floats
    low: Floats
    high: Floats
    confidence: float
    cluster: Cluster
    resampled: bool

    TABLE = ("llr_map", "Scores and their log-likelihood ratios by {curve.method}, fitted on dev")
    FIELDS = (
        Field("system"),
        Field("method"),
        Field("score", "score", "number", get="scores"),
        Field("llr", "log-likelihood ratio", "number", get="ratios"),
        Field("interval", "interval", "range", get=lambda c: np.column_stack([c.low, c.high]), in_json=False),
        *map(Field, ("low", "high", "confidence", "cluster")),
    )

    def answer(self) -> str:
        """Give the method, and what the band is."""
        by = "dev resampled" if self.resampled else "from the parameters"
        points = plural(len(self.scores), "score")
        return (
            f"{self.system}, {self.method}, {points}, {level_text(self.confidence)} band {by}, cluster {self.cluster}"
        )

    def _titles(self) -> dict[str, str]:
        return {"interval": interval_title(self.confidence)}


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
        How many resamples are drawn, of dev; at most 200 if each needs a new fit.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result.

    Returns
    -------
    LlrMap
        Ratios along scores. The band of a linear map comes from the variance of weight and offset over dev people; that
        of others from resampled dev people, or trials without ids.

    Examples
    --------
    >>> import fairtrial as ft
    >>> data = ft.groups.synthetic_groups({"all": 40})
    >>> result = ft.calibrate(data.dev, data.test)
    >>> curve = llr_map(result, points=5)
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
    resampled = not isinstance(calibration.influence, LinearInfluence)
    if isinstance(calibration.influence, LinearInfluence):
        from scipy.interpolate import CubicSpline

        anchors = np.linspace(0.0, 1.0, _ANCHORS)
        start, width = scores[0], scores[-1] - scores[0]
        variances = []
        for anchor in anchors.tolist():
            moves = calibration.influence.by_parameter @ [start + anchor * width, 1.0]
            variances.append(variance_of_values(people, dev.genuine, by_class(moves, dev.genuine)))
        # the variance is quadratic in the score
        along = CubicSpline(anchors, [variance.value for variance in variances])((scores - start) / width)
        df = min(variance.df for variance in variances)
        reach = student_quantile(df, confidence) * np.sqrt(np.maximum(along, 0.0))
        low, high = ratios - reach, ratios + reach
    elif isinstance(calibration.mapping, Steps):
        places = pooling_places(classes, calibration.mapping.ends)
        _, drawn = resampled_ratios(dev, values, places, people, n_resamples=n_resamples, rng=rng)
        at = np.minimum(np.searchsorted(places, scores, side="left"), len(places) - 1)
        low, high = (end[at] for end in percentile_limits(drawn, confidence))
    else:
        generator, maps = as_generator(rng), []
        for _ in range(min(check_resamples(n_resamples), _REFITS)):
            chosen = dev.rows(_drawn_rows(dev, people, generator))
            maps.append(refit(calibration, chosen).map(scores[:, None]))
        low, high = percentile_limits(np.array(maps), confidence)
    if calibration.bounds is not None:
        low, high = (np.clip(end, *calibration.bounds) for end in (low, high))
    cluster: Cluster = "none" if people is None else people.cluster
    kind, method = system.sets.kind, calibration.method
    return LlrMap(system.system, kind, method, scores, ratios, low, high, confidence, cluster, resampled)


def _drawn_rows(dev: Trials, people: People | None, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw people with all their trials, or trials without ids, until both classes are there; give the rows drawn."""
    times = np.zeros(len(dev), dtype=np.int64)
    while not (times[dev.genuine].any() and times[~dev.genuine].any()):
        if people is None:
            order = sorted_rows(dev)
            for rows in (order[dev.genuine[order]], order[~dev.genuine[order]]):
                times[rows] = np.bincount(rng.integers(len(rows), size=len(rows)), minlength=len(rows))
            continue
        numbers = people.draw(1, rng)[0]
        for part in people.classes:
            times[part.rows] = part.times_drawn(numbers)
    return np.repeat(np.arange(len(dev)), times)
