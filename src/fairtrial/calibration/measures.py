"""Figures of evidence as measures: by name, with intervals, told a priori or a posteriori.

They are no functions of the errors at one threshold, as other measures are, but of all log-likelihood ratios. Wherever
nothing else is said, scores are calibrated on dev, by logistic calibration.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import e, exp, inf, log2
from typing import Literal, TypeAlias

import numpy as np

from fairtrial.calibration.estimates import (
    CostTarget,
    Evidence,
    Figure,
    claim_of,
    cllr_figure,
    cost_figure,
    cost_target,
    entropy_figure,
    least_cost_figure,
    least_entropy_figure,
    rocch_eer_figure,
)
from fairtrial.calibration.methods import Linear
from fairtrial.calibration.model import Calibration, fit_calibration
from fairtrial.core.errors import ParameterError, TrialsError, check_confidence, check_share
from fairtrial.core.trials import Trials
from fairtrial.core.words import shown
from fairtrial.inference.decide import Judgement
from fairtrial.inference.estimates import Threshold
from fairtrial.inference.intervals import RateInterval
from fairtrial.inference.limits import limits_of_sum, one_error_of
from fairtrial.inference.split import Kind, Provenance, TrialSets
from fairtrial.rules.measures import MEASURES, Measure, MeasureLike, as_measure, measures_help, unknown_measure

GIVEN_CALIBRATION: dict[Threshold, str] = {
    "re-estimated": "calibration re-estimated",
    "fixed": "given this calibration",
}
"""What is said of the calibration in sentences."""


@dataclass(frozen=True, slots=True)
class EvidenceMeasure:
    """A named figure of evidence.

    Parameters
    ----------
    name : str
        How it is called on the command line and in JSON.
    label : str
        How tables and figures call it.
    figure : callable
        From the evidence of a system to its value, and what each test trial adds to it.
    summary : str, default ""
        What it is, in a few words.
    posteriori : bool, default False
        Whether it is a minimum that only the judged trials themselves tell.
    raw : bool, default False
        Whether scores are taken as they are, in place of calibrated on dev.
    is_share : bool, default False
        Whether it is a share, shown in percent.
    signed : bool, default False
        Whether it may be below 0.
    most : float, default inf
        The highest value that it can have.
    caution : str, default ""
        What is to be known of tests of its differences.

    Examples
    --------
    >>> import fairtrial as ft
    >>> trials = ft.Trials.from_arrays([0.9, 0.8, 0.4, 0.7, 0.1, 0.3, 0.5, 0.2, 0.6], [True] * 4 + [False] * 5)
    >>> found = ft.evaluate(trials, trials, measures=["cllr-min"])
    >>> round(found.measures["cllr-min"], 3)
    0.312
    """

    name: str
    label: str
    figure: Callable[[Evidence], Figure]
    summary: str = ""
    posteriori: bool = False
    raw: bool = False
    is_share: bool = False
    signed: bool = False
    most: float = inf
    caution: str = ""

    higher_is_better = False

    @property
    def kind(self) -> Literal["rate", "number"]:
        """What a column of it holds: a share is shown in percent, a cost is not."""
        return "rate" if self.is_share else "number"

    @property
    def interval_kind(self) -> Literal["interval", "range"]:
        """What a column of its intervals holds."""
        return "interval" if self.is_share else "range"

    def told(self, provenance: Provenance) -> Kind:
        """Tell whether it is a priori.

        Parameters
        ----------
        provenance : Provenance
            Where thresholds and calibrations come from.

        Returns
        -------
        {"a priori", "a priori (cross-validated)", "a posteriori", "at a given threshold"}
            What a report says of it.
        """
        return "a posteriori" if self.posteriori else provenance.evidence_kind


def judged_evidence(measure: EvidenceMeasure, judgement: Judgement) -> Evidence:
    """The evidence of a judged system, calibrated on dev as the measure asks, or block by block on other people.

    Raises
    ------
    ParameterError
        Thresholds that were given in place of dev.
    TrialsError
        Something else than `Trials`, or trials that are in no block.

    Notes
    -----
    Fitted once for all measures.
    """
    sets = judgement.sets
    if sets.origin == "given":
        raise ParameterError(f"{measure.name} is calibrated on dev and judged on test; give both sets")
    if not isinstance(sets.dev, Trials) or not isinstance(sets.test, Trials):
        raise TrialsError(f"{measure.name} needs Trials, one row per trial; build them with Trials.from_arrays")
    dev, system = sets.dev, judgement.system
    if measure.raw or measure.posteriori:
        as_it_is = Calibration((system,), "raw", Linear((1.0,), 0.0))
        return judgement.once("evidence of scores as they are", lambda: Evidence(as_it_is, sets))
    return judgement.once("evidence", lambda: _calibrated(measure.name, system, dev, sets))


def judged_figure(measure: EvidenceMeasure, judgement: Judgement) -> Figure:
    """The figure of a judged system; found once."""
    return judgement.once(("figure", measure), lambda: measure.figure(judged_evidence(measure, judgement)))


def _calibrated(measure: str, system: str, dev: Trials, sets: TrialSets) -> Evidence:
    """The evidence of a system, calibrated on dev; with folds each block on trials of other people."""
    judged = np.zeros(len(dev), dtype=bool)
    for block in sets.blocks:
        judged |= block.held_out
    if sets.blocks and not judged.all():
        raise TrialsError(
            f"{measure} is a figure of all trials, but {np.count_nonzero(~judged):,} of them are in no block; "
            "make_blocks(...) deals out all"
        )
    folded = (fit_calibration(dev.rows(np.flatnonzero(block.others)), systems=(system,)) for block in sets.blocks)
    return Evidence(fit_calibration(dev, systems=(system,)), sets, tuple(folded))


def evidence_interval(
    measure: EvidenceMeasure,
    evidence: Evidence,
    *,
    confidence: float = 0.95,
    threshold: Threshold = "re-estimated",
    figure: Figure | None = None,
) -> RateInterval:
    """The interval of a figure of evidence.

    Parameters
    ----------
    measure
        Which figure.
    evidence
        The judged trials, calibrated.
    confidence
        Of the interval.
    threshold
        ``re-estimated``: how good the system is, calibrated on new dev trials. ``fixed``: how good this calibration
        is. A figure that dev plays no part in is always fixed.
    figure
        The figure itself, where it is known already.

    Notes
    -----
    Student's limits on the scale of logarithms, as costs are above 0. Where they reach farther than the figure itself,
    that scale tells nothing: from there on they go straight, down to 0 and up to the most that there can be, as 1 of
    min Cllr. Where min Cllr is 0, its upper limit is at least what trials cost on average at the bounded map that other
    people give. A detection cost is a weighted sum of two error rates, as the EER on the convex hull is, and has limits
    as such sums have elsewhere, which hold with few errors and without any (`judged_interval`); but one quantile serves
    for all that varies in it. The limits of a mean over operating points are as far away as theirs are on average.
    Of an infinite figure nothing is known.
    """
    check_confidence(confidence)
    known = measure.figure(evidence) if figure is None else figure
    limits = "student"
    if not np.isfinite(known.estimate):
        given: Threshold = "fixed" if known.moves is None else threshold
        whole = (known.estimate, 0.0, inf, inf, confidence, limits, measure.name, given)
        return RateInterval(*whole, is_share=measure.is_share, label=measure.label, sharing=evidence.sets.sharing)
    found = claim_of(known, evidence, threshold=threshold)
    parts = known.parts or (known,)
    if parts[0].errors is not None:
        ends = [_limits_of_sum(own, evidence, confidence, threshold) for own in parts]
        low, high = np.clip(np.mean(ends, axis=0), 0.0, measure.most).tolist()
        limits = "wilson"
    else:
        low, high = _limits(found.estimate, found.quantile(confidence) * found.sigma, measure)
        high = max(high, known.least_high)
    return RateInterval(
        found.estimate,
        low,
        high,
        found.sigma,
        confidence,
        limits,
        measure.name,
        found.threshold,
        is_share=measure.is_share,
        label=measure.label,
        sharing=evidence.sets.sharing,
    )


def _limits(estimate: float, reach: float, measure: EvidenceMeasure) -> tuple[float, float]:
    if measure.signed:
        return estimate - reach, estimate + reach
    near = min(reach, estimate)
    factor, beyond = exp(near / estimate) if estimate > 0 else e, reach - near
    return max(estimate / factor - beyond, 0.0), min(estimate * factor + beyond, measure.most)


def _limits_of_sum(figure: Figure, evidence: Evidence, confidence: float, threshold: Threshold) -> tuple[float, float]:
    """The limits of a weighted sum of two error rates."""
    people = evidence.sets.people[1]
    assert figure.errors is not None
    return limits_of_sum(
        claim_of(figure, evidence, threshold=threshold),
        figure.errors.weights,
        figure.errors.counts,
        confidence,
        one_error=None if people is None else partial(one_error_of, people),
        together=True,
    )


@dataclass(frozen=True, slots=True)
class _Family:
    """Measures that differ by what follows the @ in their name."""

    make: Callable[[str], EvidenceMeasure]
    argument: str
    summary: str


_KNOWN: dict[str, EvidenceMeasure | _Family] = {}


def _entropy(least: bool, text: str) -> EvidenceMeasure:
    try:
        prior = float(text)
    except ValueError as error:
        raise ParameterError(f"the prior {shown(text)} is not a number; write it as in ece@.1") from error
    return entropy_measure(check_share("prior", prior, open_ends=True), least=least)


def entropy_measure(prior: float, *, least: bool = False) -> EvidenceMeasure:
    """The cross-entropy at a prior, of the calibrated ratios or the least, as a measure."""
    name = f"{'ece-min' if least else 'ece'}@{prior:g}"
    figure = partial(least_entropy_figure if least else entropy_figure, prior=prior)
    without_scores = -prior * log2(prior) - (1 - prior) * log2(1 - prior)
    label, most = f"{'min ' if least else ''}ECE({prior:g})", without_scores if least else inf
    return EvidenceMeasure(name, label, figure, posteriori=least, most=most)


def cost_measure(target: CostTarget, *, least: bool = False) -> EvidenceMeasure:
    """A detection cost, actual or least, as a measure."""
    word, figure = ("min", least_cost_figure) if least else ("act", cost_figure)
    return EvidenceMeasure(
        f"{word}-dcf@{target.name}",
        f"{'min' if least else 'actual'} DCF({target.name})",
        partial(figure, target=target),
        posteriori=least,
        most=1.0 if least else inf,  # to decide without a score costs 1
    )


def _cost(least: bool, text: str) -> EvidenceMeasure:
    return cost_measure(cost_target(text), least=least)


def _loss(evidence: Evidence) -> Figure:
    return cllr_figure(evidence) - least_entropy_figure(evidence)


CLLR = EvidenceMeasure("cllr", "Cllr", cllr_figure, "cost of the log-likelihood ratio, calibrated on dev")
MIN_CLLR = EvidenceMeasure(
    "cllr-min", "min Cllr", least_entropy_figure, "the least Cllr of any rising map", True, most=1.0
)
CLLR_CAL = EvidenceMeasure(
    "cllr-cal",
    "Cllr - min Cllr",
    _loss,
    "what calibration on dev loses of Cllr",
    signed=True,
    caution="careful: two systems that both lose little are hardly ever told apart",
)

for _measure in (
    CLLR,
    MIN_CLLR,
    CLLR_CAL,
    EvidenceMeasure("cllr-raw", "Cllr of the scores", cllr_figure, "Cllr of scores as they are", raw=True),
    EvidenceMeasure(
        "eer-rocch",
        "EER (ROCCH)",
        rocch_eer_figure,
        "equal error rate on the ROC convex hull",
        True,
        is_share=True,
        most=0.5,
    ),
):
    _KNOWN[_measure.name] = _measure
_KNOWN["ece"] = _Family(partial(_entropy, False), "PRIOR", "cross-entropy at a prior, calibrated on dev")
_KNOWN["ece-min"] = _Family(partial(_entropy, True), "PRIOR", "the least cross-entropy")
_KNOWN["act-dcf"] = _Family(partial(_cost, False), "COST", "normalised detection cost, calibrated on dev")
_KNOWN["min-dcf"] = _Family(partial(_cost, True), "COST", "the least normalised detection cost")


AnyMeasureLike: TypeAlias = MeasureLike | EvidenceMeasure
"""A measure of errors or of evidence, its name, detection costs, or a user's function of an `ErrorCounts`."""


def as_any_measure(measure: AnyMeasureLike) -> Measure | EvidenceMeasure:
    """A measure of errors at a threshold, or of evidence, by its name or as it is.

    Parameters
    ----------
    measure
        Names of evidence are ``cllr``, ``cllr-min``, ``cllr-cal``, ``cllr-raw``, ``eer-rocch``, and with a prior or a
        cost ``ece@.1``, ``ece-min@.1``, ``act-dcf@.01``, ``act-dcf@.01,10,1``, ``min-dcf@sre18``.

    Raises
    ------
    ParameterError
        A name that is not known, or without the prior or cost that belongs to it.

    Examples
    --------
    >>> as_any_measure("act-dcf@sre18").label
    'actual DCF(sre18)'
    """
    if isinstance(measure, EvidenceMeasure):
        return measure
    if not isinstance(measure, str):
        return as_measure(measure)
    name, at, text = measure.partition("@")
    found = _KNOWN.get(name)
    if isinstance(found, _Family):
        if not text:
            raise ParameterError(f"{name} needs a {found.argument.lower()}, as in {name}@.01")
        return found.make(text)
    if found is None or at:
        if measure not in MEASURES:
            raise unknown_measure(measure, _names())
        return as_measure(measure)
    return found


def _names() -> list[str]:
    """The names of evidence; those of families with what follows the @."""
    return [f"{name}@{known.argument}" if isinstance(known, _Family) else name for name, known in _KNOWN.items()]


def errors_only(
    measures: Sequence[Measure | EvidenceMeasure], why: str = "here are counts of errors only"
) -> list[Measure]:
    """The measures, where none of them is of evidence.

    Parameters
    ----------
    measures
        Any measures.
    why
        Why none of evidence will do, to end a sentence.

    Raises
    ------
    ParameterError
        A measure of evidence.
    """
    found = []
    for measure in measures:
        if isinstance(measure, EvidenceMeasure):
            raise ParameterError(f"{measure.name} is a figure of log-likelihood ratios: {why}")
        found.append(measure)
    return found


def plain_measure_names() -> list[str]:
    """The names of all measures that need nothing besides, such as a prior: of errors, then of evidence."""
    return [*MEASURES, *(name for name in _names() if "@" not in name)]


def any_measures_help() -> str:
    """All measures in one line, each with what it is."""
    own = [f"{name}: {known.summary}" for name, known in zip(_names(), _KNOWN.values(), strict=True)]
    return "; ".join([measures_help(), *own])


def evidence_summaries() -> list[tuple[str, str]]:
    """List the measures of evidence, each with what it is."""
    return [(name, known.summary) for name, known in zip(_names(), _KNOWN.values(), strict=True)]
