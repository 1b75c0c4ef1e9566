"""Measures: figures computed from error counts at a threshold."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Literal, NamedTuple, Protocol, TypeAlias, cast

import numpy as np

from fairtrial.core.errors import ParameterError, check_share
from fairtrial.core.registry import Registry
from fairtrial.core.words import nearest
from fairtrial.counting.tallies import ErrorCounts

SUPPORT = 30
"""The number of errors that a rate needs to be reliable (Doddington's rule of 30)."""


def simplest_fraction(value: float) -> Fraction:
    """Find a fraction of small denominator that rounds to the value.

    Examples
    --------
    >>> simplest_fraction(0.3), simplest_fraction(1 / 3)
    (Fraction(3, 10), Fraction(1, 3))
    """
    exact = Fraction(value)
    for digits in range(1, 17):
        fraction = exact.limit_denominator(10**digits)
        if float(fraction) == value:
            return fraction
    return exact


Formula: TypeAlias = Callable[[ErrorCounts, Any], Any]
"""A function of error counts and alpha, which may be numbers, arrays or fractions."""


class Weights(NamedTuple):
    """A linear measure ``constant + far * FAR + frr * FRR``.

    Parameters
    ----------
    far : float
        The weight of FAR.
    frr : float
        The weight of FRR.
    constant : float, default 0.0
        The constant.

    Examples
    --------
    >>> Weights(0.5, 0.5).value(ErrorCounts(0.0, false_accepts=3, false_rejects=1, genuine=10, impostor=10))
    0.2
    """

    far: float
    frr: float
    constant: float = 0.0

    @property
    def bounds(self) -> tuple[float, float]:
        """The lowest and the highest possible value."""
        rates = self.far, self.frr
        return self.constant + sum(min(w, 0.0) for w in rates), self.constant + sum(max(w, 0.0) for w in rates)

    def value(self, counts: ErrorCounts) -> Any:
        """Compute the measure at these counts.

        Parameters
        ----------
        counts : ErrorCounts
            Errors at one threshold or at several.

        Returns
        -------
        float, ndarray of float or Fraction
            Of the type of the counts.
        """
        value, rest = _term(self.far, counts.false_accepts, counts.impostor)
        other, more = _term(self.frr, counts.false_rejects, counts.genuine)
        return value + other + (self.constant + rest + more)


def _term(weight: Any, errors: Any, trials: Any) -> tuple[Any, Any]:
    """Compute weight times rate as two summands.

    A negative weight counts the correct decisions: 1 - 9/10 would lose the last digits of 1/10.
    """
    if np.ndim(weight) == 0 and weight < 0:
        return -weight * ((trials - errors) / trials), weight
    return weight * (errors / trials), 0


@dataclass(frozen=True, slots=True)
class Measure:
    """A named figure: its formula, and which direction is better.

    Parameters
    ----------
    name : str
        Its name on the command line and in JSON.
    formula : callable
        ``formula(counts, alpha)``, for arrays of counts.
    label : str
        Its name in tables and figures.
    higher_is_better : bool, default False
        Whether a larger value is better.
    is_share : bool, default True
        Whether it lies between 0 and 1 and is shown in percent.
    weights : callable, optional
        For a linear measure: its weights as a function of alpha. `linear_measure` makes such a measure.
    summary : str, default ""
        A few words for the help of the command line.
    worsened_by_errors : bool, default False
        Whether an additional error of either kind never improves it; a target is then found without a pass over
        every score.
    direction : str, default ""
        For a user's function: the direction that counts as better, and how to change it.
    undefined : callable, optional
        Whether it is 0/0 at counts, and 0 by convention; results then carry a note.

    Examples
    --------
    >>> from fairtrial import MEASURES
    >>> from fairtrial.counting import count_errors
    >>> counts = count_errors(([0.9, 0.4], [0.1, 0.5, 0.4, 0.2]), 0.4)
    >>> MEASURES["hter"].label, float(MEASURES["hter"](counts))
    ('HTER', 0.375)
    """

    name: str
    formula: Formula
    label: str
    higher_is_better: bool = False
    is_share: bool = True
    weights: Callable[[float], Weights] | None = None
    summary: str = ""
    worsened_by_errors: bool = False
    direction: str = ""
    undefined: Callable[[ErrorCounts], bool] | None = None

    of_errors: ClassVar[bool] = True

    def __repr__(self) -> str:
        return f"<Measure: {self.name}{f', {self.summary}' if self.summary else ''}>"

    @property
    def kind(self) -> Literal["rate", "number"]:
        """The kind of its column: a proportion is shown in percent, a cost is not."""
        return "rate" if self.is_share else "number"

    @property
    def interval_kind(self) -> Literal["interval", "range"]:
        """The kind of the column of its intervals."""
        return "interval" if self.is_share else "range"

    def __call__(self, counts: ErrorCounts, alpha: Any = 0.5) -> Any:
        """Compute the value; `alpha` applies to the weighted error rate only."""
        try:
            return self.formula(counts, alpha) + 0.0
        except Exception as error:  # a user's function may fail in any way
            how = "; it is called with an ErrorCounts" if isinstance(self.formula, _UsersFormula) else ""
            raise ParameterError(f"measure {self.name} failed: {type(error).__name__}: {error}{how}") from error

    def weights_at(self, alpha: float = 0.5) -> Weights | None:
        """Return the weights of a linear measure at this alpha.

        Parameters
        ----------
        alpha : float, default 0.5
            The weight of FAR in the measure ``wer``.

        Returns
        -------
        Weights or None
            None for any other measure.
        """
        return None if self.weights is None else self.weights(check_share("alpha", alpha))

    @property
    def depends_on_alpha(self) -> bool:
        """Whether it depends on alpha: the weighted error rate does, and measures that are not linear may."""
        if self.weights is None:
            return True
        return self.weights(0.25) != self.weights(0.75)

    def gradient(self, counts: ErrorCounts, alpha: float = 0.5) -> tuple[Any, Any, Any, Any]:
        """Compute the partial derivatives with respect to the four counts.

        Parameters
        ----------
        counts : ErrorCounts
            Errors at one threshold or at several.
        alpha : float, default 0.5
            The weight of FAR in the measure ``wer``.

        Returns
        -------
        tuple of four float or ndarray of float
            The derivatives with respect to false accepts, false rejects, genuine trials and impostor trials: numbers,
            or arrays if there are several thresholds and the derivative is not the same at all of them.

        Notes
        -----
        Linear measures have closed forms. The derivatives of others are central differences, one-sided if an error
        count is 0 or all trials of its class. A user's measure must be smooth in the counts, which are then floats.

        Examples
        --------
        >>> MEASURES["far"].gradient(ErrorCounts(0.0, false_accepts=5, false_rejects=1, genuine=10, impostor=100))
        (0.01, 0.0, 0.0, -0.0005)
        """
        weights = self.weights_at(alpha)
        if weights is not None:
            by_accepts, by_rejects = weights.far / counts.impostor, weights.frr / counts.genuine
            return by_accepts, by_rejects, 0.0 - by_rejects * counts.frr, 0.0 - by_accepts * counts.far
        accepts, rejects, genuine, impostor = (
            np.asarray(count, dtype=np.float64)[()]
            for count in (counts.false_accepts, counts.false_rejects, counts.genuine, counts.impostor)
        )

        def value(accepts: Any, rejects: Any, genuine: Any, impostor: Any) -> Any:
            return self(ErrorCounts(counts.threshold, accepts, rejects, genuine, impostor), alpha)

        return (
            _derivative(lambda x: value(x, rejects, genuine, impostor), accepts, 0.0, impostor),
            _derivative(lambda x: value(accepts, x, genuine, impostor), rejects, 0.0, genuine),
            _derivative(lambda x: value(accepts, rejects, x, impostor), genuine, rejects, np.inf),
            _derivative(lambda x: value(accepts, rejects, genuine, x), impostor, accepts, np.inf),
        )


def _derivative(function: Callable[[Any], Any], at: Any, low: Any, high: Any) -> Any:
    """Differentiate within [low, high]: central, or one-sided of second order near a border."""
    step = 1e-4 * np.maximum(np.minimum(at - low, high - at), 1.0)
    central = (at - step >= low) & (at + step <= high)
    side = np.where(at + 2 * step <= high, step, -step)
    # [()] makes a plain number of an array without dimensions
    one, other = (np.where(central, at + a, at + b)[()] for a, b in ((step, side), (-step, 2 * side)))
    ahead, beyond = function(one), function(other)
    sided = (4 * ahead - 3 * function(at) - beyond) / (2 * side)
    derivative = np.where(central, (ahead - beyond) / (2 * step), sided)
    return derivative if derivative.ndim else float(derivative)


@dataclass(frozen=True, slots=True)
class _Fixed:
    """Weights that do not depend on alpha."""

    weights: Weights

    def __call__(self, alpha: Any) -> Weights:
        if isinstance(alpha, Fraction):
            return Weights(*map(simplest_fraction, self.weights))  # type: ignore[arg-type]
        return self.weights


@dataclass(frozen=True, slots=True)
class _Linear:
    """The formula of a linear measure; exact if the counts are fractions."""

    weights: Callable[[Any], Weights]

    def __call__(self, counts: ErrorCounts, alpha: Any) -> Any:
        if isinstance(counts.false_accepts, Fraction) and not isinstance(alpha, Fraction):
            alpha = simplest_fraction(alpha)
        return self.weights(alpha).value(counts)


def linear_measure(
    name: str,
    label: str,
    weights: Weights | Callable[[float], Weights],
    *,
    higher_is_better: bool = False,
    is_share: bool = True,
    summary: str = "",
) -> Measure:
    """Make a measure ``constant + far * FAR + frr * FRR``.

    Parameters
    ----------
    name : str
        Its name on the command line and in JSON.
    label : str
        Its name in tables and figures.
    weights : Weights or callable
        The weights, or a function that gives them for an alpha.
    higher_is_better : bool, default False
        Whether a larger value is better.
    is_share : bool, default True
        Whether it lies between 0 and 1 and is shown in percent.
    summary : str, default ""
        What it is, in a few words, for the help of the command line.

    Returns
    -------
    Measure
        The measure, its formula derived from the weights.

    References
    ----------
    Bengio & Mariéthoz, A statistical significance test for person authentication, 2004, eqs. (2) and (3).

    Examples
    --------
    >>> costly = linear_measure("costly", "Costly", Weights(far=0.75, frr=0.25))
    >>> costly(ErrorCounts(0.0, false_accepts=2, false_rejects=4, genuine=8, impostor=8))
    0.3125
    """
    weights_at = _Fixed(weights) if isinstance(weights, Weights) else weights
    return Measure(name, _Linear(weights_at), label, higher_is_better, is_share, weights_at, summary)


_MOST_COST = 1e100  # can still be squared


@dataclass(frozen=True, slots=True)
class DetectionCosts:
    """Costs and priors of a detection cost function; by default those of the NIST speaker evaluations.

    .. math:: C_{fr} P_{genuine} FRR + C_{fa} P_{impostor} FAR

    They can be given instead of a measure or a criterion.

    Parameters
    ----------
    cost_fr : float, default 10.0
        The cost of a false rejection.
    prior_genuine : float, default 0.01
        The prior probability of a genuine trial.
    cost_fa : float, default 1.0
        The cost of a false acceptance.
    prior_impostor : float, default 0.99
        The prior probability of an impostor trial.

    Raises
    ------
    ParameterError
        If a cost or prior is negative, or a prior above 1.

    References
    ----------
    Bengio & Mariéthoz, A statistical significance test for person authentication, 2004, eq. (2).

    Examples
    --------
    >>> from fairtrial.rules import choose_thresholds
    >>> scores = ([0.9, 0.8, 0.4, 0.7], [0.1, 0.3, 0.5, 0.2, 0.6])
    >>> costs = DetectionCosts(cost_fr=1, cost_fa=10, prior_genuine=0.5, prior_impostor=0.5)
    >>> choose_thresholds(scores, costs, 0.5).threshold
    array([0.6])
    """

    cost_fr: float = 10.0
    prior_genuine: float = 0.01
    cost_fa: float = 1.0
    prior_impostor: float = 0.99

    def __post_init__(self) -> None:
        for name in ("cost_fr", "prior_genuine", "cost_fa", "prior_impostor"):
            value = getattr(self, name)
            if not 0 <= value <= _MOST_COST:
                raise ParameterError(f"{name} must be a number from 0 to {_MOST_COST:g}, not {value}")
        for name in ("prior_genuine", "prior_impostor"):
            if getattr(self, name) > 1:
                raise ParameterError(f"{name} must be at most 1, not {getattr(self, name)}")


@dataclass(frozen=True, slots=True)
class _CostWeights:
    """The weights by costs and priors; as fractions, products of the simplest fractions."""

    costs: DetectionCosts

    def __call__(self, alpha: Any) -> Weights:
        costs = self.costs
        if isinstance(alpha, Fraction):
            far = simplest_fraction(costs.cost_fa) * simplest_fraction(costs.prior_impostor)
            frr = simplest_fraction(costs.cost_fr) * simplest_fraction(costs.prior_genuine)
            return Weights(far, frr, Fraction(0))  # type: ignore[arg-type]
        return Weights(costs.cost_fa * costs.prior_impostor, costs.cost_fr * costs.prior_genuine)


def _wer_weights(alpha: Any) -> Weights:
    return Weights(alpha, 1 - alpha, alpha * 0)


def ratio(part: Any, whole: Any) -> Any:
    """Compute `part / whole`, and 0 if the whole is 0."""
    if isinstance(whole, np.ndarray):
        result = np.zeros(np.broadcast(part, whole).shape)
        np.divide(part, whole, out=result, where=whole != 0)
        return result
    return part / whole if whole else part * 0


def _class_error(counts: ErrorCounts, alpha: Any = None) -> Any:
    """Compute the proportion of all trials decided wrongly."""
    return (counts.false_accepts + counts.false_rejects) / (counts.genuine + counts.impostor)


def precision(counts: ErrorCounts, alpha: Any = None) -> Any:
    """Compute the proportion of accepted trials that are genuine; 0 if none is accepted."""
    right = counts.genuine - counts.false_rejects
    return ratio(right, right + counts.false_accepts)


def _accepts_nobody(counts: ErrorCounts) -> bool:
    """Check whether no trial is accepted, so that precision is 0/0."""
    return bool(counts.false_rejects == counts.genuine and counts.false_accepts == 0)


def recall(counts: ErrorCounts, alpha: Any = None) -> Any:
    """Compute the proportion of genuine trials that are accepted: 1 - FRR."""
    return (counts.genuine - counts.false_rejects) / counts.genuine


def f1(counts: ErrorCounts, alpha: Any = None) -> Any:
    """Compute the harmonic mean of precision and recall: 2 TP / (2 TP + FP + FN); 0 if no genuine trial is accepted."""
    right = counts.genuine - counts.false_rejects
    return ratio(2 * right, 2 * right + counts.false_accepts + counts.false_rejects)


def _detection_cost(costs: DetectionCosts) -> Measure:
    return linear_measure("dcf", "DCF", _CostWeights(costs), is_share=False, summary="detection cost function")


MEASURES: Registry[Measure] = Registry("measure", "measures", Measure)
"""Measures by name; `register_measure` adds one."""


def register_measure(measure: Measure) -> Measure:
    """Register a measure by its name, for the command line, too.

    Parameters
    ----------
    measure : Measure
        The measure; one of the same name is replaced.

    Returns
    -------
    Measure
        The same.

    Examples
    --------
    >>> from fairtrial.counting import count_errors
    >>> careful = register_measure(linear_measure("careful", "Careful", Weights(far=0.9, frr=0.1)))
    >>> float(MEASURES["careful"](count_errors(([0.9, 0.4], [0.1, 0.5]), 0.4)))
    0.5
    >>> del MEASURES["careful"]
    """
    MEASURES[measure.name] = measure
    return measure


_ACCEPTED = "proportion of genuine trials accepted"
for _measure in (
    linear_measure("hter", "HTER", Weights(0.5, 0.5), summary="mean of FAR and FRR"),
    linear_measure("far", "FAR", Weights(1.0, 0.0), summary="proportion of impostor trials accepted"),
    linear_measure("frr", "FRR", Weights(0.0, 1.0), summary="proportion of genuine trials rejected"),
    linear_measure("wer", "WER", _wer_weights, summary="alpha FAR + (1 - alpha) FRR"),
    _detection_cost(DetectionCosts()),
    Measure(
        "class-error",
        _class_error,
        "Classification error",
        summary="proportion of all trials decided wrongly",
        worsened_by_errors=True,
    ),
    Measure(
        "precision",
        precision,
        "Precision",
        higher_is_better=True,
        summary="proportion of accepted trials that are genuine",
        worsened_by_errors=True,
        undefined=_accepts_nobody,
    ),
    linear_measure("recall", "Recall", Weights(0.0, -1.0, 1.0), higher_is_better=True, summary=_ACCEPTED),
    Measure(
        "f1", f1, "F1", higher_is_better=True, summary="harmonic mean of precision and recall", worsened_by_errors=True
    ),
    linear_measure("sensitivity", "Sensitivity", Weights(0.0, -1.0, 1.0), higher_is_better=True, summary=_ACCEPTED),
    linear_measure(
        "specificity",
        "Specificity",
        Weights(-1.0, 0.0, 1.0),
        higher_is_better=True,
        summary="proportion of impostor trials rejected",
    ),
):
    register_measure(_measure)


MeasureLike: TypeAlias = str | Measure | DetectionCosts | Callable[[ErrorCounts], Any]
"""A measure, its name, detection costs, or a user's function of an `ErrorCounts`."""


@dataclass(frozen=True, slots=True)
class _UsersFormula:
    """A user's function of an `ErrorCounts` as a formula."""

    function: Callable[[ErrorCounts], Any]

    def __call__(self, counts: ErrorCounts, alpha: Any) -> Any:
        return self.function(counts)


def as_measure(measure: MeasureLike) -> Measure:
    """Resolve a name, detection costs, or a user's function of an `ErrorCounts` to a measure.

    Lower values of a user's function are better, unless it has an attribute ``higher_is_better`` that is true.
    """
    if isinstance(measure, Measure):
        return measure
    if isinstance(measure, DetectionCosts):
        return _detection_cost(measure)
    if callable(measure):
        name = getattr(measure, "__name__", "measure").strip("<>")
        higher = bool(getattr(measure, "higher_is_better", False))
        direction = (
            f"{name}: {'higher' if higher else 'lower'} values are taken as better; "
            f"for the other direction set {name}.higher_is_better = {not higher} on the function"
        )
        return Measure(name, _UsersFormula(measure), name, higher, is_share=False, direction=direction)
    if not isinstance(measure, str) or measure not in MEASURES:
        raise unknown_measure(measure)
    return MEASURES[measure]


class JudgedMeasure(Protocol):
    """A measure of a judged system that is not a function of the errors at one threshold.

    `given` holds what sentences say of the calibration, re-estimated or fixed.
    """

    of_errors: ClassVar[bool]
    higher_is_better: ClassVar[bool]
    direction: ClassVar[str]
    given: ClassVar[dict[Any, str]]

    @property
    def name(self) -> str: ...

    @property
    def label(self) -> str: ...

    @property
    def is_share(self) -> bool: ...

    @property
    def posteriori(self) -> bool:
        """Whether it is a minimum over choices on the judged trials."""
        ...

    @property
    def raw(self) -> bool:
        """Whether scores are taken unchanged instead of calibrated on dev."""
        ...

    @property
    def kind(self) -> Literal["rate", "number"]: ...

    @property
    def interval_kind(self) -> Literal["interval", "range"]: ...

    def status(self, provenance: Any) -> Any:
        """Return whether it is a priori, in words."""
        ...

    def evidence(self, judgement: Any) -> Any:
        """Calibrate a judged system; refuse one without the trials that this needs."""
        ...

    def judged(self, judgement: Any) -> Any:
        """Compute its value on a judged system; the result has an `estimate`."""
        ...

    def interval(self, judgement: Any, *, confidence: float = ..., threshold: Any = ...) -> Any:
        """Compute its interval on a judged system."""
        ...

    def tests(self, a: Any, b: Any, *, alternative: Any = ..., n_resamples: int, rng: int) -> tuple[list[Any], Any]:
        """Test its difference between two judged systems, and bootstrap it."""
        ...


AnyMeasure: TypeAlias = Measure | JudgedMeasure
AnyMeasureLike: TypeAlias = MeasureLike | JudgedMeasure
"""A measure of errors or of evidence, its name, detection costs, or a user's function of an `ErrorCounts`."""
_OTHERS = "fairtrial.calibration.measures"  # loaded when one of its names is needed


def as_any_measure(measure: AnyMeasureLike) -> AnyMeasure:
    """Resolve a measure of errors at a threshold or of evidence.

    Parameters
    ----------
    measure
        Names of evidence are ``cllr``, ``cllr-min``, ``cllr-cal``, ``cllr-raw``, ``eer-rocch``, and with a prior or a
        cost ``ece@.1``, ``ece-min@.1``, ``act-dcf@.01``, ``act-dcf@.01,10,1``, ``act-dcf-raw@.01``, ``min-dcf@sre18``.

    Raises
    ------
    ParameterError
        If a name is unknown, or lacks the prior or cost that belongs to it.

    Examples
    --------
    >>> as_any_measure("act-dcf@sre18").label
    'actual DCF(sre18)'
    """
    if getattr(measure, "of_errors", True) is False:
        return measure  # type: ignore[return-value]
    if isinstance(measure, str) and measure not in MEASURES:
        others = importlib.import_module(_OTHERS)
        evidence: JudgedMeasure | None = others.evidence_measure(measure)
        if evidence is None:
            raise unknown_measure(measure, others.evidence_names())
        return evidence
    return as_measure(measure)  # type: ignore[arg-type]


def errors_only(measures: Sequence[AnyMeasure], why: str = "here are counts of errors only") -> list[Measure]:
    """Check that all measures are of errors at a threshold.

    Parameters
    ----------
    measures
        Any measures.
    why
        The reason for a refusal, which ends a sentence.

    Raises
    ------
    ParameterError
        If one of them is not of errors.
    """
    for measure in measures:
        if not isinstance(measure, Measure):
            template = "{measure} is a figure of log-likelihood ratios: {why}"
            raise ParameterError(template, code="not-of-errors", measure=measure.name, why=why)
    return cast(list[Measure], list(measures))


def plain_measure_names() -> list[str]:
    """List the names of measures without parameters, such as a prior: of errors, then of evidence."""
    return [*MEASURES, *(name for name in importlib.import_module(_OTHERS).evidence_names() if "@" not in name)]


def unknown_measure(measure: object, others: Iterable[str] = ()) -> ParameterError:
    """Make the error for an unknown measure, with the nearest known name, or all of them."""
    known = [*MEASURES, *others]
    return ParameterError(
        "there is no measure {measure!r}{instead}",
        code="unknown",
        measure=measure,
        instead=nearest(measure, known) or f"; there are {', '.join(known)}",
    )


def linear_weights(measure: MeasureLike, alpha: float = 0.5) -> Weights:
    """Return the weights of a measure that must be linear."""
    measure = as_measure(measure)
    weights = measure.weights_at(alpha)
    if weights is None:
        linear = ", ".join(name for name, registered in MEASURES.items() if registered.weights is not None)
        raise ParameterError(
            f"measure {measure.name} is not a weighted sum of FAR and FRR, which is needed here; these are: {linear}"
        )
    return weights


def label_of(name: str) -> str:
    """Return the label of a measure by its name; the name itself if it is not registered."""
    return MEASURES[name].label if name in MEASURES else name
