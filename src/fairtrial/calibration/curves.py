"""Compute curves of evidence along priors, with bands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import entr, expit

from fairtrial.calibration.calibration import OneSystem
from fairtrial.calibration.estimates import SUPPORT, Evidence, Kind, Threshold, evidence_interval
from fairtrial.calibration.evidence import (
    CostPoint,
    Floats,
    bayes_counts,
    bayes_rates,
    cost_target,
    empirical_cross_entropy,
)
from fairtrial.calibration.measures import GIVEN_CALIBRATION, EvidenceMeasure, cost_measure, entropy_measure
from fairtrial.core.errors import ParameterError
from fairtrial.core.results import Field, Result, table_of
from fairtrial.core.tables import Table, every_tenth
from fairtrial.core.trials import check_drawable
from fairtrial.core.words import level_text, number_text, percent
from fairtrial.counting.tallies import ErrorCounts, ScoreSource, as_source, count_errors

_EVERY = 3
"""A band has limits at every third of the log-odds of its curve."""


@dataclass(frozen=True, slots=True, eq=False)
class PriorBand:
    """Pointwise limits along prior log-odds."""

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


def _bayes_measure(prior: float) -> EvidenceMeasure:
    return cost_measure(cost_target(CostPoint(prior)))


def _band(
    evidence: Evidence, log_odds: Floats, confidence: float | None, measure: Callable[[float], EvidenceMeasure]
) -> PriorBand | None:
    """Compute the intervals of a measure at every third of the log-odds."""
    if confidence is None:
        return None
    some = np.unique(np.append(log_odds[::_EVERY], log_odds[-1]))
    limits = [evidence_interval(measure(float(expit(odds))), evidence, confidence=confidence) for odds in some.tolist()]
    low, high = (np.array([getattr(each, end) for each in limits]) for end in ("low", "high"))
    return PriorBand(some, low, high, confidence, limits[0].threshold)


_REACH = 7.0
"""Prior log-odds of figures, in either direction: priors from 0.001 to 0.999."""
_POINTS = 71
_SHOWN = (0.001, 0.999)
"""The ratios of either class between these quantiles are drawn."""
_FARTHEST = 20.0
"""The highest prior log-odds allowed."""


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
        """Compute them of log-likelihood ratios, or at the best threshold for each of the log-odds."""
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
        The rates of the scores unchanged; None unless asked for.
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
        columns = {
            **_along_priors(self.log_odds, {name: line.rates for name, line in self._lines}),
            Field("false_accepts", "false accepts", "count"): counts.false_accepts,
            Field("false_rejects", "false rejects", "count"): counts.false_rejects,
        }
        caption = f"Normalised Bayes error on test, {self.kind}, and its minimum, a posteriori"
        return (curve_table("bayes_errors", caption, self.system, columns),)


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
        The cross-entropy of the scores unchanged; None unless asked for.
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
        caption = f"Empirical cross-entropy on test in bits, {self.kind}, and its minimum, a posteriori"
        return (curve_table("ece", caption, self.system, _along_priors(self.log_odds, dict(self._lines))),)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TippettCurve(Result):
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
        """The proportion of genuine trials above each ratio."""
        return np.asarray(1 - self.counts.frr)

    @property
    def impostor(self) -> Floats:
        """The proportion of impostor trials above each ratio."""
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
        columns = {
            Field("llr", "log-likelihood ratio", "number"): self.ratios,
            Field("genuine", "genuine above", "rate"): self.genuine,
            Field("impostor", "impostor above", "rate"): self.impostor,
        }
        return (curve_table("tippett", f"Trials above a log-likelihood ratio, {self.kind}", self.system, columns),)


def bayes_error_curve(
    system: OneSystem,
    *,
    log_odds: ArrayLike | None = None,
    raw: bool = False,
    confidence: float | None = None,
) -> BayesErrorCurve:
    """Compute normalised Bayes error rates of a calibrated system along prior log-odds.

    Parameters
    ----------
    system : CalibratedSystem or CalibratedSystems
        A system of the result of `calibrate`.
    log_odds : array_like, optional
        Natural log-odds of a genuine trial, shape (log-odds,); 71 values from -7 to 7 by default.
    raw : bool, default False
        Whether to give those of the scores, too, taken as log-likelihood ratios.
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
    odds, evidence = _checked(log_odds), system.evidence
    return BayesErrorCurve(
        system.system,
        system.sets.kind,
        odds,
        BayesErrors.of(evidence.source, odds),
        BayesErrors.of(evidence.given_source, odds, minimum=True),
        BayesErrors.of(_score_source(system), odds) if raw else None,
        _band(evidence, odds, confidence, _bayes_measure),
    )


def ece_curve(
    system: OneSystem,
    *,
    log_odds: ArrayLike | None = None,
    raw: bool = False,
    confidence: float | None = None,
) -> EceCurve:
    """Compute the empirical cross-entropy of a calibrated system along prior log-odds.

    Parameters
    ----------
    system : CalibratedSystem or CalibratedSystems
        A system of the result of `calibrate`.
    log_odds : array_like, optional
        Natural log-odds of a genuine trial, shape (log-odds,); 71 values from -7 to 7 by default.
    raw : bool, default False
        Whether to give those of the scores, too, taken as log-likelihood ratios.
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
    >>> genuine = np.arange(800) < 200
    >>> trials = ft.Trials.from_arrays(np.random.default_rng(0).normal(2.0 * genuine), genuine)
    >>> dev, test = (trials.rows(np.arange(start, 800, 2)) for start in (0, 1))
    >>> found = ft.calibrate(dev, test)
    >>> curve = ece_curve(found, log_odds=[0.0])
    >>> bool(np.isclose(curve.calibrated[0], found.test[0]))
    True
    """
    odds, evidence = _checked(log_odds), system.evidence
    priors = expit(odds)
    return EceCurve(
        system.system,
        system.sets.kind,
        odds,
        empirical_cross_entropy(evidence.source, priors),
        empirical_cross_entropy(evidence.given_source, priors, minimum=True),
        np.asarray(entr(priors) + entr(1 - priors)) / np.log(2),
        empirical_cross_entropy(_score_source(system), priors) if raw else None,
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
    low, high = shown_range(system.evidence.pair)
    ratios = np.linspace(min(low, 0.0), max(high, 0.0), points)
    counts = count_errors(system.evidence.source, np.append(ratios, 0.0))
    return TippettCurve(system.system, system.sets.kind, ratios, counts[:-1], counts[points].scalar())


def _score_source(system: OneSystem) -> ScoreSource:
    """Give the scores of test, unchanged."""
    return as_source(system.sets.test, system=only_system(system))


def only_system(system: OneSystem) -> str:
    """Give the name of the system that was calibrated.

    Raises
    ------
    ParameterError
        If it is a fusion of several systems.
    """
    names = system.calibration.systems
    if len(names) != 1:
        raise ParameterError(
            "{system} is a fusion, which has ratios but no scores to show",
            code="fusion-has-no-scores",
            system=system.system,
        )
    return names[0]


def shown_range(classes: Sequence[NDArray[np.floating]]) -> tuple[float, float]:
    """Give the range of several classes without outliers; finite and not empty."""
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


def _along_priors(log_odds: Floats, lines: Mapping[str, Floats]) -> dict[Field, Any]:
    return {
        Field("log_odds", "prior log-odds", "number"): log_odds,
        Field("prior", "prior", "number"): expit(log_odds),
        **{Field(name, name, "number"): values for name, values in lines.items()},
    }


def curve_table(name: str, caption: str, system: str, columns: Mapping[Field, Any]) -> Table:
    """Make a table of columns of values, one row per point; a terminal shows every tenth."""
    fields = [Field("system", "system", get=lambda row: system)]
    fields += [replace(field, get=itemgetter(k)) for k, field in enumerate(columns)]
    rows = list(zip(*(np.asarray(values).tolist() for values in columns.values()), strict=True))
    return table_of(name, caption, fields, rows, shown=every_tenth(len(rows)), section="system")
