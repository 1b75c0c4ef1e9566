"""Fit models of correlated attempts by maximum likelihood: rate, correlation, their intervals, tests of the fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import exp, isfinite, isnan, log, nan, sqrt
from typing import Any, ClassVar

import numpy as np

from fairtrial.core.errors import ParameterError, as_generator, check_choice, check_confidence, check_resamples
from fairtrial.core.notes import Note
from fairtrial.core.results import Field, Record, Result, table_of
from fairtrial.core.tables import Column, Table
from fairtrial.core.words import in_a_row, number_text, p_phrase, percent, plural
from fairtrial.inference.intervals import Interval, normal_quantile
from fairtrial.inference.variance import Floats
from fairtrial.repeated.attempts import Individuals, PeopleLike, Rng, as_individuals
from fairtrial.repeated.models import GENERATORS, Generator, draw_kinds, errors_pmf, log_choices

MOST_FITTED = 1_000_000
"""Attempts of one person up to which a model is fitted: the likelihood has one term per attempt."""
_MOST_RHO = 1 - 1e-6  # indistinguishable from 1


@dataclass(frozen=True, slots=True, eq=False)
class Likelihood:
    """The beta-binomial likelihood, from the numbers of people with more than 0, 1, ... errors, successes and attempts.

    Points are pairs of the rate and theta = rho / (1 - rho); binomial factors are left out.
    """

    errors: Floats
    successes: Floats
    attempts: Floats
    steps: Floats

    @classmethod
    def of(cls, people: Individuals) -> Likelihood:
        """Count the people of one data set."""
        longest = int(people.attempts.max())

        def more_than(values: Floats) -> Floats:
            exactly = np.bincount(values.astype(np.int64), people.counts, longest + 1)
            return np.asarray(exactly.sum() - np.cumsum(exactly))[:longest]

        kinds = (people.errors, people.attempts - people.errors, people.attempts)
        errors, successes, attempts = map(more_than, kinds)
        return cls(errors, successes, attempts, np.arange(float(longest)))

    def _terms(self, point: Floats) -> tuple[Floats, Floats, Floats]:
        pi, theta = point
        return pi + self.steps * theta, 1 - pi + self.steps * theta, 1 + self.steps * theta

    def value(self, point: Floats) -> float:
        """Compute the log-likelihood."""
        a, b, c = self._terms(point)
        return float(self.errors @ np.log(a) + self.successes @ np.log(b) - self.attempts @ np.log(c))

    def gradient(self, point: Floats) -> Floats:
        """Compute its first derivatives."""
        a, b, c = self._terms(point)
        first, second, third = self.errors / a, self.successes / b, self.attempts / c
        return np.array([first.sum() - second.sum(), (first + second - third) @ self.steps])

    def curvature(self, point: Floats) -> Floats:
        """Compute its second derivatives."""
        a, b, c = self._terms(point)
        first, second, third = self.errors / a**2, self.successes / b**2, self.attempts / c**2
        mixed = (second - first) @ self.steps
        return np.array([[-(first + second).sum(), mixed], [mixed, (third - first - second) @ self.steps**2]])


@dataclass(frozen=True, slots=True, repr=False)
class ModelFit(Result):
    """The maximum-likelihood rate and correlation of a model.

    Attributes
    ----------
    model : {"oman-zucker", "beta-binomial"}
        The model.
    estimate : float
        The rate, a fraction.
    rho : float
        The correlation between two attempts of a person; NaN if it cannot be estimated.
    sigma : float
        The standard deviation of the rate; NaN if it cannot be estimated, and for a correlated Oman-Zucker model.
    log_likelihood : float
        The largest log-likelihood of the numbers of errors.

    Examples
    --------
    >>> from fairtrial import Individuals
    >>> from fairtrial.repeated import fit_model
    >>> fit = fit_model(Individuals.from_counts([0, 0, 0, 1, 0, 2, 0, 0, 5, 1], 5))
    >>> [round(limit, 2) for limit in fit.interval()]
    [0.0, 0.4]
    """

    FIELDS: ClassVar = (
        Field("model", "model"),
        Field("estimate", "rate", "rate"),
        Field("sigma", "sigma", "rate"),
        Field("rho", "rho", "number"),
        Field("log_likelihood", "log-likelihood", "number"),
    )
    model: Generator
    estimate: float
    rho: float
    sigma: float
    log_likelihood: float

    def interval(self, confidence: float = 0.95) -> Interval:
        """Compute the normal interval of the rate.

        Parameters
        ----------
        confidence : float, default 0.95
            The level of confidence, between 0 and 1.

        Returns
        -------
        Interval
            Low and high, fractions; they may lie outside [0, 1].
        """
        reach = normal_quantile(confidence) * self.sigma
        return Interval(self.estimate - reach, self.estimate + reach)

    def answer(self) -> str:
        """Write the rate and the correlation."""
        rho = "cannot be estimated" if isnan(self.rho) else f"is {number_text(self.rho)}"
        return f"By the {self.model} model the error rate is {percent(self.estimate)}; the correlation {rho}"

    def tables(self) -> tuple[Table, ...]:
        """Tabulate the fit in one row."""
        return (table_of("fit", f"{self.model} model by maximum likelihood", self.FIELDS, [self]),)


def fit_model(people: PeopleLike, *, model: Generator = "beta-binomial") -> ModelFit:
    r"""Fit one of the two models by maximum likelihood.

    .. math:: \log L = \sum_j A_j \log(\pi + j\theta) + B_j \log(1 - \pi + j\theta) - C_j \log(1 + j\theta)

    is the beta-binomial likelihood but for binomial factors, with :math:`\theta = \rho / (1 - \rho)` and the numbers of
    people with more than j errors, successes and attempts.

    Parameters
    ----------
    people : Individuals, path or tuple of (array_like, array_like)
        The errors and attempts of people, one data set; a path is that of a table with columns of both.
    model : {"oman-zucker", "beta-binomial"}, default "beta-binomial"
        The model; see `errors_pmf`.

    Returns
    -------
    ModelFit
        The correlation is NaN without errors, with nothing but errors, if nobody was tested twice, and if somebody has
        more than a million attempts. It is 0 if people differ less than by chance.

    Raises
    ------
    ParameterError
        If there are several data sets, or the model is unknown.

    References
    ----------
    Schuckers et al., A comparison of statistical methods for evaluating matching performance, 2004, sections 2.5 and 3;
    the standard deviation is from the observed information, as in Schuckers 2003.

    Examples
    --------
    >>> people = Individuals.from_counts([0, 0, 0, 1, 0, 2, 0, 0, 5, 1], 5)
    >>> fit = fit_model(people, model="oman-zucker")
    >>> round(fit.estimate, 2), round(fit.rho, 2)
    (0.2, 0.48)
    """
    from scipy.optimize import minimize

    people = as_individuals(people)
    log_likelihood = _log_likelihood(people, model)
    rate = float(people.estimate)
    if rate in (0, 1) or people.attempts.max() > MOST_FITTED:
        return ModelFit(model, rate, nan, nan, log_likelihood(rate, 0.0))
    binomial = ModelFit(model, rate, 0.0, sqrt(rate * (1 - rate) / people.total_attempts), log_likelihood(rate, 0.0))
    if people.total_attempts == people.individuals:
        return replace(binomial, rho=nan)
    start = _logit(rate)
    if model == "oman-zucker":

        def cost(point: Floats) -> float:
            return -log_likelihood(_expit(point[0]), _expit(point[1]))

        bounds = [(start - 10.0, start + 10.0), (-12.0, _logit(_MOST_RHO))]
        maxima = [(binomial.log_likelihood, rate, 0.0)]
        for rho in (0.03, 0.5):  # there may be several maxima
            best = minimize(cost, np.array([start, _logit(rho)]), method="L-BFGS-B", bounds=bounds)
            maxima.append((-float(best.fun), _expit(best.x[0]), _expit(best.x[1])))
        value, estimate, correlation = max(maxima)
        return ModelFit(model, estimate, correlation, nan, value)

    likelihood = Likelihood.of(people)
    if likelihood.gradient(np.array([rate, 0.0]))[1] <= 0:
        return binomial

    def natural(point: Floats) -> Floats:
        return np.array([_expit(point[0]), exp(point[1])])

    def descent(point: Floats) -> tuple[float, Floats]:
        values, people_tested = natural(point), float(likelihood.attempts[0])
        slopes = likelihood.gradient(values) * [values[0] * (1 - values[0]), values[1]]
        return -likelihood.value(values) / people_tested, -slopes / people_tested

    # the rate is not far from that of all attempts; at a correlation of 1 the likelihood has its maximum at infinity
    bounds = [(start - 10.0, start + 10.0), (-30.0, log(1e6))]
    point = np.array([start, _logit(float(np.clip(people.rho, 1e-4, 0.95)))])
    optimum = minimize(
        descent, point, jac=True, method="L-BFGS-B", bounds=bounds, options={"ftol": 1e-15, "gtol": 1e-10}
    )
    pi, theta = natural(optimum.x)
    (a, b), (_, c) = -likelihood.curvature(np.array([pi, theta]))
    # at a correlation of 1 the information about it may vanish
    information = a - b**2 / c if c > 0 else a
    sigma = 1 / sqrt(information) if isfinite(information) and information > 0 else nan
    estimate, correlation = float(pi), float(theta / (1 + theta))
    return ModelFit(model, estimate, correlation, sigma, log_likelihood(estimate, correlation))


def most_likely_limits(people: Individuals, *, confidence: float = 0.95) -> tuple[Any, Any]:
    """Compute the beta-binomial interval by maximum likelihood, BB-ML.

    Notes
    -----
    It is undefined without errors, and if all attempts are errors.

    References
    ----------
    Schuckers 2003b; Schuckers et al. 2004, section 2.5.
    """
    if people.counts.ndim == 1:
        return fit_model(people).interval(confidence)
    # many data sets of a study are equal
    kinds, place = np.unique(people.counts, axis=0, return_inverse=True)
    limits = [fit_model(Individuals(people.errors, people.attempts, row)).interval(confidence) for row in kinds]
    low, high = np.array(limits)[place.reshape(-1)].T
    return low, high


def rho_interval(people: PeopleLike, *, model: Generator = "beta-binomial", confidence: float = 0.95) -> Interval:
    r"""Compute the interval of the correlation between attempts of a person, by the profile likelihood.

    .. math:: \{\rho: 2 (\log L(\hat\pi, \hat\rho) - \max_\pi \log L(\pi, \rho)) \le \chi^2_1(confidence)\}

    Parameters
    ----------
    people : Individuals, path or tuple of (array_like, array_like)
        The errors and attempts of people, one data set; a path is that of a table with columns of both.
    model : {"oman-zucker", "beta-binomial"}, default "beta-binomial"
        The model; see `errors_pmf`. `fit_test` tests its fit.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.

    Returns
    -------
    Interval
        Within [0, 1]; NaN if the correlation cannot be estimated: see `fit_model`.

    Raises
    ------
    ParameterError
        If there are several data sets, the model is unknown, or the confidence is outside (0, 1).

    Notes
    -----
    docs/coverage-repeated.md has its coverage, under its own model and under the other.

    References
    ----------
    Schuckers et al., A comparison of statistical methods for evaluating matching performance, 2004, section 5, which
    asks for rho to be reported; Lui et al. 1996 have another interval.

    Examples
    --------
    >>> low, high = rho_interval(Individuals.from_counts([0, 0, 0, 1, 0, 2, 0, 0, 5, 1], 5))
    >>> round(low, 3), round(high, 3)
    (0.135, 0.86)
    """
    from scipy.optimize import brentq, minimize_scalar
    from scipy.special import chdtri

    drop = float(chdtri(1, 1 - check_confidence(confidence))) / 2
    people = as_individuals(people)
    fit = fit_model(people, model=model)
    if not isfinite(fit.rho):
        return Interval(nan, nan)
    log_likelihood, start = _log_likelihood(people, model), _logit(float(people.estimate))

    def excess(rho: float) -> float:
        """Compute how far the profile likelihood of a correlation lies above the critical value."""
        profile = minimize_scalar(
            lambda rate: -log_likelihood(_expit(rate), rho), bounds=(start - 10, start + 10), method="bounded"
        )
        return -float(profile.fun) - fit.log_likelihood + drop

    if excess(fit.rho) <= 0:  # a confidence so small that the rounding of the likelihood matters
        return Interval(fit.rho, fit.rho)
    low = 0.0 if excess(0.0) >= 0 else float(brentq(excess, 0.0, fit.rho))
    high = 1.0 if excess(_MOST_RHO) >= 0 else float(brentq(excess, fit.rho, _MOST_RHO))
    return Interval(low, high)


def _log_likelihood(people: Individuals, model: Generator) -> Callable[[float, float], float]:
    """Make the log-likelihood of the numbers of errors, a function of the rate and the correlation."""
    from scipy.special import xlog1py, xlogy

    check_choice("model", model, GENERATORS)
    if people.attempts.max() > MOST_FITTED:
        return lambda pi, rho: nan
    there = people.counts > 0
    errors, attempts, counts = people.errors[there], people.attempts[there], people.counts[there]
    choices = log_choices(attempts, errors)
    likelihood = Likelihood.of(people)

    def beta_binomial(pi: float, rho: float) -> float:
        with np.errstate(divide="ignore", invalid="ignore"):
            # a rate of 0 or 1 means that all outcomes are the same
            value = likelihood.value(np.array([pi, rho / (1 - rho)])) if 0 < pi < 1 else 0.0
        return float(counts @ choices) + value

    def oman_zucker(pi: float, rho: float) -> float:
        repeated = sqrt(rho)
        fresh = (1 - repeated) * pi
        wrong, right = (
            xlogy(errors, rate) + xlog1py(attempts - errors, -rate) + xlogy(1, weight)
            for rate, weight in ((min(repeated + fresh, 1.0), pi), (fresh, 1 - pi))
        )
        return float(counts @ (choices + np.logaddexp(wrong, right)))

    return beta_binomial if model == "beta-binomial" else oman_zucker


def _logit(rate: float) -> float:
    return log(rate / (1 - rate))


def _expit(value: float) -> float:
    return 1 / (1 + exp(-value))


@dataclass(frozen=True, slots=True, eq=False)
class ModelCheck(Record):
    """A fitted model, the expected numbers of people with 0, 1, ... errors, and the test of its fit."""

    FIELDS: ClassVar = (
        Field("test", "model", get="fit.model"),
        Field("estimate", "rate", "rate", get="fit.estimate"),
        Field("rho", "rho", "number", get="fit.rho"),
        Field("log_likelihood", "log-likelihood", "number", get="fit.log_likelihood"),
        Field("statistic", "G²", "number"),
        Field("p_value", "p", "p"),
        Field("expected"),
    )
    fit: ModelFit
    expected: Floats
    statistic: float
    p_value: float


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class FitTest(Result):
    """Tests of the fit of models to the errors of people who were tested several times.

    Attributes
    ----------
    observed : ndarray of float
        The numbers of people with 0, 1, ... errors.
    models : tuple of ModelCheck
        Each fitted model, with its p value.
    individuals : int
        The number of people.
    n_resamples : int
        How many resamples were drawn.

    Examples
    --------
    >>> from fairtrial import Individuals
    >>> from fairtrial.repeated import fit_test
    >>> result = fit_test(Individuals.from_counts([0, 0, 0, 1, 0, 2, 0, 0, 5, 1], 5), n_resamples=2)
    >>> result.observed
    array([6., 2., 1., 0., 0., 1.])
    """

    FIELDS: ClassVar = (
        Field("individuals"),
        Field("resamples", get="n_resamples"),
        Field("observed"),
        Field("tests", get="models"),
        Field("notes"),
    )
    observed: Floats
    models: tuple[ModelCheck, ...]
    individuals: int
    n_resamples: int

    @property
    def notes(self) -> tuple[Note, ...]:
        """What the p value is, and whether the data can tell models apart."""
        if any(isnan(model.p_value) for model in self.models):
            return (Note("rho-undefined", "rho cannot be estimated without errors, successes and people tested twice"),)
        notes = [
            Note(
                "simulated",
                "p is the proportion of {count:plural data set} simulated from the fitted model that fit no better",
                count=self.n_resamples,
            )
        ]
        repeated = int(self.observed[2:].sum())
        if repeated < 5:
            template = "{count:plural person/people} made more than one error: too few to tell models apart"
            notes.append(Note("few-people", template, count=repeated))
        return tuple(notes)

    def answer(self) -> str:
        """Write which models fit."""
        people = plural(self.individuals, "person", "people")
        if any(isnan(check.p_value) for check in self.models):
            return f"The fit cannot be tested: the errors of {people} do not determine a correlation"
        verdicts = [
            f"the {check.fit.model} model {'fits' if check.p_value >= 0.05 else 'does not fit'} "
            f"({p_phrase(check.p_value)})"
            for check in self.models
        ]
        sentence = f"{in_a_row(verdicts)}, {people}"
        return sentence[0].upper() + sentence[1:]

    def tables(self) -> tuple[Table, ...]:
        """Tabulate one row per model, and one per number of errors."""
        caption = f"Does the model fit? {plural(self.individuals, 'individual')}"
        columns = (
            Column("errors", "errors", "count"),
            Column("observed", "people", "count"),
            *(Column(model.fit.model, f"expected, {model.fit.model}", "number") for model in self.models),
        )
        counts = np.stack([self.observed, *(model.expected for model in self.models)], axis=1).tolist()
        # with very many attempts, most numbers of errors are made by nobody
        is_long = len(counts) * (1 + len(self.models)) >= 200
        shown = tuple((k, *row) for k, row in enumerate(counts) if not is_long or max(row) >= 0.05)
        return (
            table_of("tests", caption, ModelCheck.FIELDS, self.models, notes=self.notes),
            Table("people", "People by their number of errors", columns, shown, detail=True),
        )


def fit_test(
    people: PeopleLike,
    *,
    models: Sequence[Generator] = ("beta-binomial", "oman-zucker"),
    n_resamples: int = 200,
    rng: Rng = 0,
    progress: Callable[[int], None] | None = None,
) -> FitTest:
    r"""Test the fit of the beta-binomial and of Oman and Zucker's model to the errors of people.

    .. math:: G^2 = 2 \sum_k O_k \log(O_k / E_k)

    over the numbers O of people with k errors, with E expected from the most likely rate and correlation and the
    attempts of each person.

    Parameters
    ----------
    people : Individuals, path or tuple of (array_like, array_like)
        The errors and attempts of people, one data set; a path is that of a table with columns of both.
    models : sequence of {"oman-zucker", "beta-binomial"}, default ("beta-binomial", "oman-zucker")
        The models to fit: attempts repeat one decision of the person (``oman-zucker``), or each person has an error
        rate (``beta-binomial``).
    n_resamples : int, default 200
        How many resamples are drawn: data sets from each fitted model, which are fitted again, for the distribution of
        G².
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result.
    progress : callable, optional
        Called as work proceeds, with the number of data sets that were fitted since the last call.

    Returns
    -------
    FitTest
        A small p value says that the model does not fit. NaN if the correlation cannot be estimated.

    Raises
    ------
    ParameterError
        If there are several data sets, no or an unknown model, or no resample.

    Notes
    -----
    If everybody has two attempts, the two models are the same, and fit everything but a negative correlation.

    References
    ----------
    Schuckers et al., A comparison of statistical methods for evaluating matching performance, 2004, section 5, which
    asks which of the two distributions data follow.

    Examples
    --------
    >>> people = Individuals.from_counts([0, 0, 0, 1, 0, 2, 0, 0, 5, 1], 5)
    >>> result = fit_test(people, n_resamples=20)
    >>> [model.fit.model for model in result.models if model.p_value > 0.05]
    ['beta-binomial', 'oman-zucker']
    """
    people = as_individuals(people)
    if not models:
        raise ParameterError(f"name at least one model of {', '.join(GENERATORS)}")
    check_resamples(n_resamples)
    source = as_generator(rng)
    size = int(people.attempts.max()) + 1
    tried, place = np.unique(people.attempts, return_inverse=True)
    counts = np.bincount(place, people.counts).astype(np.float64)

    def histogram(people: Individuals) -> Floats:
        return np.bincount(people.errors.astype(np.int64), people.counts, size).astype(np.float64)

    def pmfs_of(fit: ModelFit) -> list[Floats]:
        return [errors_pmf(int(number), fit.estimate, fit.rho, generator=fit.model) for number in tried]

    def deviance(people: Individuals, pmfs: Sequence[Floats]) -> tuple[float, Floats]:
        """Compute G², and the expected numbers of people with 0, 1, ... errors."""
        expected = np.zeros(size)
        for pmf, count in zip(pmfs, counts, strict=True):
            expected[: len(pmf)] += count * pmf
        observed = histogram(people)
        seen = observed > 0
        return float(2 * np.sum(observed[seen] * np.log(observed[seen] / expected[seen]))), expected

    checks = []
    for model in models:
        fit = fit_model(people, model=model)
        if isnan(fit.rho):
            checks.append(ModelCheck(fit, np.full(size, nan), nan, nan))
            continue
        pmfs = pmfs_of(fit)
        statistic, expected = deviance(people, pmfs)
        as_large = 0
        for _ in range(n_resamples):
            drawn = draw_kinds(tried, counts, pmfs, 1, source)
            there = drawn.counts[0] > 0
            resampled = Individuals(drawn.errors[there], drawn.attempts[there], drawn.counts[0, there])
            refit = fit_model(resampled, model=model)
            best, _ = deviance(resampled, pmfs if isnan(refit.rho) else pmfs_of(refit))
            as_large += best >= statistic * (1 - 1e-9)
            if progress is not None:
                progress(1)
        checks.append(ModelCheck(fit, expected, statistic, (1 + as_large) / (1 + n_resamples)))
    return FitTest(histogram(people), tuple(checks), int(people.individuals), n_resamples)
