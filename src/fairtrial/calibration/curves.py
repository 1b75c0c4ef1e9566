"""Compute curves of evidence along priors, with bands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import entr, expit

from fairtrial.calibration.estimates import Evidence, cost_target
from fairtrial.calibration.evidence import CostPoint, bayes_counts, bayes_rates, empirical_cross_entropy
from fairtrial.calibration.measures import (
    GIVEN_CALIBRATION,
    EvidenceMeasure,
    cost_measure,
    entropy_measure,
    evidence_interval,
)
from fairtrial.calibration.model import Calibration
from fairtrial.calibration.results import CalibratedSystem
from fairtrial.core.errors import ParameterError
from fairtrial.core.results import Result
from fairtrial.core.tables import Column, Table, every_tenth
from fairtrial.core.trials import Trials, check_drawable
from fairtrial.core.words import level_text, number_text, percent
from fairtrial.counting.tallies import ErrorCounts, ScoreSource, as_source, count_errors
from fairtrial.inference.decide import SUPPORT
from fairtrial.inference.estimates import Threshold
from fairtrial.inference.split import Kind, TrialSets
from fairtrial.inference.variance import Floats

_EVERY = 3
"""A band is known at every third of the log-odds of its curve."""


@dataclass(frozen=True, slots=True, eq=False)
class PriorBand:
    """Limits along prior log-odds, at each by itself."""

    log_odds: Floats
    low: Floats
    high: Floats
    confidence: float
    threshold: Threshold
    """Whether the calibration is re-estimated."""

    @property
    def described(self) -> str:
        """Confidence and what was re-estimated, in words."""
        return f"{level_text(self.confidence)} pointwise bands, {GIVEN_CALIBRATION[self.threshold]}"

    def to_dict(self) -> dict[str, Any]:
        """Plain lists."""
        return {
            "log_odds": self.log_odds.tolist(),
            "low": self.low.tolist(),
            "high": self.high.tolist(),
            "confidence": self.confidence,
            "calibration": self.threshold,
        }


def bayes_error_band(calibration: Calibration, sets: TrialSets, log_odds: Floats, confidence: float) -> PriorBand:
    """The band of normalised Bayes errors: each is the detection cost at its prior."""
    return _band(
        Evidence(calibration, sets),
        log_odds,
        confidence,
        lambda prior: cost_measure(cost_target(CostPoint(prior))),
    )


def ece_band(calibration: Calibration, sets: TrialSets, log_odds: Floats, confidence: float) -> PriorBand:
    """The band of the empirical cross-entropy."""
    return _band(Evidence(calibration, sets), log_odds, confidence, entropy_measure)


def _band(
    evidence: Evidence, log_odds: Floats, confidence: float, measure: Callable[[float], EvidenceMeasure]
) -> PriorBand:
    some = np.unique(np.append(log_odds[::_EVERY], log_odds[-1]))
    found = [evidence_interval(measure(float(expit(odds))), evidence, confidence=confidence) for odds in some.tolist()]
    low, high = (np.array([getattr(each, end) for each in found]) for end in ("low", "high"))
    return PriorBand(some, low, high, confidence, found[0].threshold)


_REACH = 7.0
"""Prior log-odds of figures, in either direction: priors from 0.001 to 0.999."""
_POINTS = 71
_SHOWN = (0.001, 0.999)
"""The ratios of either class between these quantiles are drawn."""
_FARTHEST = 20.0
"""Prior log-odds beyond this one are of no use to anybody."""


def prior_grid(points: int = _POINTS) -> Floats:
    """Evenly spaced prior log-odds from -7 to 7, priors from 0.001 to 0.999.

    Examples
    --------
    >>> prior_grid(3).tolist()
    [-7.0, 0.0, 7.0]
    """
    if points < 2:
        raise ParameterError(f"a curve has at least 2 points, not {points}")
    return np.linspace(-_REACH, _REACH, points)


@dataclass(frozen=True, slots=True, eq=False)
class BayesErrors:
    """Normalised Bayes error rates along prior log-odds, and the errors they come from."""

    counts: ErrorCounts
    rates: Floats

    @property
    def supported(self) -> NDArray[np.bool_]:
        """Where at least 30 errors of either kind are behind a rate (Doddington's rule of 30)."""
        return np.asarray(np.minimum(self.counts.false_accepts, self.counts.false_rejects) >= SUPPORT)

    @classmethod
    def of(cls, source: ScoreSource, log_odds: Floats, *, minimum: bool = False) -> BayesErrors:
        """Those of log-likelihood ratios as they are, or at the best threshold for each of the log-odds."""
        counts = bayes_counts(source, log_odds, minimum=minimum)
        return cls(counts, bayes_rates(counts, log_odds))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BayesErrorCurve(Result):
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
        The rates of the scores as they are; None where they are not asked for.
    band : PriorBand or None
        Of the calibrated rates.

    Examples
    --------
    >>> import numpy as np
    >>> import fairtrial as ft
    >>> genuine = np.arange(800) < 200
    >>> trials = ft.Trials.from_arrays(np.random.default_rng(0).normal(2.0 * genuine), genuine)
    >>> dev, test = (trials.rows(np.arange(start, 800, 2)) for start in (0, 1))
    >>> found = ft.calibrate(dev, test)
    >>> ft.calibration.bayes_error_curve(found, log_odds=[0.0]).log_odds
    array([0.])
    """

    system: str
    kind: Kind
    log_odds: Floats
    calibrated: BayesErrors
    minimum: BayesErrors
    raw: BayesErrors | None
    band: PriorBand | None = None

    @property
    def _lines(self) -> list[tuple[str, BayesErrors]]:
        found = [("calibrated", self.calibrated), ("minimum", self.minimum)]
        return found if self.raw is None else [*found, ("raw", self.raw)]

    def to_dict(self) -> dict[str, Any]:
        """Plain lists."""
        return {
            "system": self.system,
            "kind": self.kind,
            "log_odds": self.log_odds.tolist(),
            **{name: line.rates.tolist() for name, line in self._lines},
            "supported": self.calibrated.supported.tolist(),
            **({} if self.band is None else {"band": self.band.to_dict()}),
        }

    def answer(self) -> str:
        """The highest rate, and where."""
        worst = int(np.argmax(self.calibrated.rates))
        return (
            f"{self.system}, normalised Bayes error at most {number_text(self.calibrated.rates[worst])}, at prior "
            f"log-odds of {number_text(self.log_odds[worst])}"
        )

    def tables(self) -> tuple[Table, ...]:
        """One row for each of the log-odds."""
        counts = self.calibrated.counts
        columns = (
            *_along_priors([name for name, _ in self._lines]),
            Column("false_accepts", "false accepts", "count"),
            Column("false_rejects", "false rejects", "count"),
        )
        rates = [line.rates for _, line in self._lines]
        rows = _rows(
            self.system,
            [self.log_odds, expit(self.log_odds), *rates, counts.false_accepts, counts.false_rejects],
        )
        caption = f"Normalised Bayes error on test, {self.kind}, and its minimum, a posteriori"
        return (_curve_table("bayes_errors", caption, columns, rows),)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class EceCurve(Result):
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
        The cross-entropy of the scores as they are; None where it is not asked for.
    band : PriorBand or None
        Of the calibrated cross-entropy.

    Examples
    --------
    >>> import numpy as np
    >>> import fairtrial as ft
    >>> genuine = np.arange(800) < 200
    >>> trials = ft.Trials.from_arrays(np.random.default_rng(0).normal(2.0 * genuine), genuine)
    >>> dev, test = (trials.rows(np.arange(start, 800, 2)) for start in (0, 1))
    >>> found = ft.calibrate(dev, test)
    >>> ft.calibration.ece_curve(found, log_odds=[0.0]).neutral
    array([1.])
    """

    system: str
    kind: Kind
    log_odds: Floats
    calibrated: Floats
    minimum: Floats
    neutral: Floats
    raw: Floats | None
    band: PriorBand | None = None

    @property
    def _lines(self) -> list[tuple[str, Floats]]:
        found = [("calibrated", self.calibrated), ("minimum", self.minimum), ("neutral", self.neutral)]
        return found if self.raw is None else [*found, ("raw", self.raw)]

    def to_dict(self) -> dict[str, Any]:
        """Plain lists."""
        lines: dict[str, Any] = {name: line.tolist() for name, line in self._lines}
        if self.band is not None:
            lines["band"] = self.band.to_dict()
        return {"system": self.system, "kind": self.kind, "log_odds": self.log_odds.tolist(), **lines}

    def answer(self) -> str:
        """The cross-entropy at its highest, beside that of knowing nothing."""
        worst = int(np.argmax(self.calibrated))
        return (
            f"{self.system}, cross-entropy at most {number_text(self.calibrated[worst])} bits, where a ratio of 1 has "
            f"{number_text(self.neutral[worst])}"
        )

    def tables(self) -> tuple[Table, ...]:
        """One row for each of the log-odds."""
        columns = _along_priors([name for name, _ in self._lines])
        rows = _rows(self.system, [self.log_odds, expit(self.log_odds), *(line for _, line in self._lines)])
        caption = f"Empirical cross-entropy on test in bits, {self.kind}, and its minimum, a posteriori"
        return (_curve_table("ece", caption, columns, rows),)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TippettCurve(Result):
    """The shares of genuine and of impostor trials on test whose evidence is above each log-likelihood ratio.

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
    >>> import numpy as np
    >>> import fairtrial as ft
    >>> genuine = np.arange(800) < 200
    >>> trials = ft.Trials.from_arrays(np.random.default_rng(0).normal(2.0 * genuine), genuine)
    >>> dev, test = (trials.rows(np.arange(start, 800, 2)) for start in (0, 1))
    >>> found = ft.calibrate(dev, test)
    >>> curve = ft.calibration.tippett_curve(found)
    >>> bool((curve.genuine >= curve.impostor).all())
    True
    """

    system: str
    kind: Kind
    ratios: Floats
    counts: ErrorCounts
    misleading: ErrorCounts

    @property
    def genuine(self) -> Floats:
        """The share of genuine trials above each ratio."""
        return np.asarray(1 - self.counts.frr)

    @property
    def impostor(self) -> Floats:
        """The share of impostor trials above each ratio."""
        return np.asarray(self.counts.far)

    def to_dict(self) -> dict[str, Any]:
        """Plain lists."""
        return {
            "system": self.system,
            "kind": self.kind,
            "llr": self.ratios.tolist(),
            "genuine": self.genuine.tolist(),
            "impostor": self.impostor.tolist(),
            "misleading": {"genuine": float(self.misleading.frr), "impostor": float(self.misleading.far)},
        }

    def answer(self) -> str:
        """How much of the evidence misleads."""
        return (
            f"{self.system}, evidence for the wrong side in {percent(self.misleading.frr)} of genuine and "
            f"{percent(self.misleading.far)} of impostor trials"
        )

    def tables(self) -> tuple[Table, ...]:
        """One row per ratio."""
        columns = (
            Column("system", "system"),
            Column("llr", "log-likelihood ratio", "number"),
            Column("genuine", "genuine above", "rate"),
            Column("impostor", "impostor above", "rate"),
        )
        rows = _rows(self.system, [self.ratios, self.genuine, self.impostor])
        return (_curve_table("tippett", f"Trials above a log-likelihood ratio, {self.kind}", columns, rows),)


def bayes_error_curve(
    found: CalibratedSystem,
    *,
    log_odds: ArrayLike | None = None,
    raw: bool = False,
    confidence: float | None = None,
) -> BayesErrorCurve:
    """Compute normalised Bayes error rates of a calibrated system along prior log-odds.

    Parameters
    ----------
    found : CalibratedSystem
        What `calibrate` gave.
    log_odds : array_like, optional
        Natural log-odds of a genuine trial, shape (log-odds,); 71 values from -7 to 7 by default.
    raw : bool, default False
        Whether the scores are log-likelihood ratios already: then theirs are given too.
    confidence : float, optional
        The level of confidence, between 0 and 1.

    Returns
    -------
    BayesErrorCurve
        Of the calibrated system, the least there is, and perhaps of the scores as they are; 1 is what deciding without
        a score costs. Each knows where fewer than 30 errors of a kind are behind it.

    References
    ----------
    Brümmer & de Villiers, The BOSARIS toolkit: theory, algorithms and code, 2011.

    Examples
    --------
    >>> import numpy as np
    >>> import fairtrial as ft
    >>> genuine = np.arange(800) < 200
    >>> trials = ft.Trials.from_arrays(np.random.default_rng(0).normal(2.0 * genuine), genuine)
    >>> dev, test = (trials.rows(np.arange(start, 800, 2)) for start in (0, 1))
    >>> found = ft.calibrate(dev, test)
    >>> curve = bayes_error_curve(found)
    >>> bool((curve.minimum.rates <= curve.calibrated.rates).all())
    True
    """
    odds = _checked(log_odds)
    own = _ratio_source(found)
    return BayesErrorCurve(
        found.system,
        found.sets.kind,
        odds,
        BayesErrors.of(own, odds),
        BayesErrors.of(own, odds, minimum=True),
        BayesErrors.of(_score_source(found), odds) if raw else None,
        None if confidence is None else bayes_error_band(found.calibration, found.sets, odds, confidence),
    )


def ece_curve(
    found: CalibratedSystem,
    *,
    log_odds: ArrayLike | None = None,
    raw: bool = False,
    confidence: float | None = None,
) -> EceCurve:
    """Compute the empirical cross-entropy of a calibrated system along prior log-odds.

    Parameters
    ----------
    found : CalibratedSystem
        What `calibrate` gave.
    log_odds : array_like, optional
        Natural log-odds of a genuine trial, shape (log-odds,); 71 values from -7 to 7 by default.
    raw : bool, default False
        Whether the scores are log-likelihood ratios already: then theirs are given too.
    confidence : float, optional
        The level of confidence, between 0 and 1.

    Returns
    -------
    EceCurve
        In bits: of the calibrated system, the least there is, that of a ratio of 1 for every trial, and perhaps of the
        scores as they are. At log-odds of 0 they are Cllr and min Cllr.

    References
    ----------
    Ramos & Gonzalez-Rodriguez, Reliable support: measuring calibration of likelihood ratios, 2013.

    Examples
    --------
    >>> import numpy as np
    >>> import fairtrial as ft
    >>> genuine = np.arange(800) < 200
    >>> trials = ft.Trials.from_arrays(np.random.default_rng(0).normal(2.0 * genuine), genuine)
    >>> dev, test = (trials.rows(np.arange(start, 800, 2)) for start in (0, 1))
    >>> found = ft.calibrate(dev, test)
    >>> curve = ece_curve(found, log_odds=[0.0])
    >>> bool(np.isclose(curve.calibrated[0], found.test[0]))
    True
    """
    odds = _checked(log_odds)
    priors = expit(odds)
    own = _ratio_source(found)
    return EceCurve(
        found.system,
        found.sets.kind,
        odds,
        empirical_cross_entropy(own, priors),
        empirical_cross_entropy(own, priors, minimum=True),
        np.asarray(entr(priors) + entr(1 - priors)) / np.log(2),
        empirical_cross_entropy(_score_source(found), priors) if raw else None,
        None if confidence is None else ece_band(found.calibration, found.sets, odds, confidence),
    )


def tippett_curve(found: CalibratedSystem, *, points: int = 401) -> TippettCurve:
    """Compute the shares of both classes of test trials above each log-likelihood ratio.

    Parameters
    ----------
    found : CalibratedSystem
        What `calibrate` gave.
    points : int, default 401
        How many ratios, from the 0.1 % quantile of the lower class to the 99.9 % quantile of the upper one.

    Returns
    -------
    TippettCurve
        With the shares of trials whose evidence is for the wrong side.

    References
    ----------
    Meuwly, Reconnaissance de locuteurs en sciences forensiques, 2001; after Tippett et al. 1968.

    Examples
    --------
    >>> import numpy as np
    >>> import fairtrial as ft
    >>> genuine = np.arange(800) < 200
    >>> trials = ft.Trials.from_arrays(np.random.default_rng(0).normal(2.0 * genuine), genuine)
    >>> dev, test = (trials.rows(np.arange(start, 800, 2)) for start in (0, 1))
    >>> found = ft.calibrate(dev, test)
    >>> tippett_curve(found, points=5).ratios.shape
    (5,)
    """
    if points < 2:
        raise ParameterError(f"a curve has at least 2 points, not {points}")
    values, genuine = found.calibration.ratios(found.test_trials), found.test_trials.genuine
    low, high = shown_range([values[genuine], values[~genuine]])
    ratios = np.linspace(min(low, 0.0), max(high, 0.0), points)
    own = as_source((values[genuine], values[~genuine]))
    counts = count_errors(own, np.append(ratios, 0.0))
    return TippettCurve(found.system, found.sets.kind, ratios, counts[:-1], counts[points].scalar())


def _ratio_source(found: CalibratedSystem) -> ScoreSource:
    """The log-likelihood ratios of test."""
    return as_source(found.calibration.apply(found.test_trials))


def _score_source(found: CalibratedSystem) -> ScoreSource:
    """The scores of test as they are."""
    return as_source(found.test_trials, system=only_system(found))


def only_system(found: CalibratedSystem) -> str:
    """The system that was calibrated.

    Raises
    ------
    ParameterError
        A fusion of several systems, which has no scores of its own.
    """
    names = found.calibration.systems
    if len(names) != 1:
        raise ParameterError(f"{found.system} is a fusion, which has ratios but no scores of its own to show")
    return names[0]


def ratios_at(calibration: Calibration, scores: Floats) -> Floats:
    """The log-likelihood ratios of scores of the one system that was calibrated."""
    anyone = np.zeros(len(scores), dtype=bool)
    return calibration.ratios(Trials.from_arrays(scores, anyone, systems=calibration.systems))


def shown_range(classes: Sequence[NDArray[np.floating]]) -> tuple[float, float]:
    """From the lowest to the highest value of several classes, but for a few outliers; finite, and not empty."""
    ends = []
    for values in classes:
        finite = values[np.isfinite(values)]
        check_drawable(finite)
        if len(finite):
            ends.append(np.quantile(finite, _SHOWN))
    low, high = (min(end[0] for end in ends), max(end[1] for end in ends)) if ends else (0.0, 0.0)
    return (float(low), float(high)) if high > low else (float(low) - 0.5, float(high) + 0.5)


def _checked(log_odds: ArrayLike | None) -> Floats:
    if log_odds is None:
        return prior_grid()
    odds = np.atleast_1d(np.asarray(log_odds, dtype=np.float64))
    if odds.ndim != 1 or not len(odds) or not (np.abs(odds) <= _FARTHEST).all():
        raise ParameterError(f"prior log-odds must be numbers between -{_FARTHEST:g} and {_FARTHEST:g}, one or several")
    return odds


def _along_priors(lines: Sequence[str]) -> tuple[Column, ...]:
    return (
        Column("system", "system"),
        Column("log_odds", "prior log-odds", "number"),
        Column("prior", "prior", "number"),
        *(Column(name, name, "number") for name in lines),
    )


def _rows(system: str, columns: Sequence[Any]) -> tuple[tuple[Any, ...], ...]:
    return tuple((system, *row) for row in zip(*(np.asarray(column).tolist() for column in columns), strict=True))


def _curve_table(name: str, caption: str, columns: tuple[Column, ...], rows: tuple[tuple[Any, ...], ...]) -> Table:
    return Table(name, caption, columns, rows, shown=every_tenth(len(rows)), section="system")
