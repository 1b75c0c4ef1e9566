"""Whether people's errors are as a model says: the numbers of people with 0, 1, ... errors, observed and expected."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np

from fairtrial.checks import as_generator, check_resamples
from fairtrial.errors import ParameterError
from fairtrial.individuals.attempts import Floats, Individuals
from fairtrial.individuals.generators import GENERATORS, Generator, draw_counts, errors_pmf
from fairtrial.individuals.models import ModelFit, fit_model
from fairtrial.tables import Column, Result, Table, p_phrase, plural


@dataclass(frozen=True, slots=True, eq=False)
class ModelCheck:
    """A fitted model, the people it expects to make 0, 1, ... errors, and how far the observed ones are from that."""

    fit: ModelFit
    expected: Floats
    statistic: float
    """The likelihood-ratio statistic G² = 2 sum O log(O / E) over the numbers of errors."""
    p_value: float

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        return {
            "test": self.fit.model,
            "estimate": self.fit.estimate,
            "rho": self.fit.rho,
            "log_likelihood": self.fit.log_likelihood,
            "statistic": self.statistic,
            "p_value": self.p_value,
            "expected": self.expected.tolist(),
        }


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class FitTest(Result):
    """How well models fit the errors of people who were tested several times.

    Attributes
    ----------
    observed : ndarray of float
        How many people made 0, 1, ... errors.
    models : tuple of ModelCheck
        Each model as it was fitted, with its p value.
    individuals : int
        How many people.
    n_resamples : int
        How many resamples were drawn.

    Examples
    --------
    >>> from fairtrial import Individuals, fit_test
    >>> found = fit_test(Individuals.from_counts([0, 0, 0, 1, 0, 2, 0, 0, 5, 1], 5), n_resamples=2)
    >>> found.observed
    array([6., 2., 1., 0., 0., 1.])
    """

    observed: Floats
    models: tuple[ModelCheck, ...]
    individuals: int
    n_resamples: int

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        return {
            "individuals": self.individuals,
            "resamples": self.n_resamples,
            "observed": self.observed.tolist(),
            "tests": [model.to_dict() for model in self.models],
            "notes": list(self._notes()),
        }

    def summary(self) -> str:
        """The p value of each model."""
        found = ", ".join(f"{model.fit.model} {p_phrase(model.p_value)}" for model in self.models)
        return f"{plural(self.individuals, 'individual')}: {found}"

    def tables(self) -> tuple[Table, ...]:
        """One row per model, and one per number of errors."""
        columns = (
            Column("test", "model"),
            Column("estimate", "rate", "rate"),
            Column("rho", "rho", "number"),
            Column("log_likelihood", "log-likelihood", "number"),
            Column("statistic", "G²", "number"),
            Column("p_value", "p", "p"),
        )
        tests = Table.of(
            "tests",
            f"Does the model fit? {plural(self.individuals, 'individual')}",
            columns,
            [model.to_dict() for model in self.models],
            notes=self._notes(),
        )
        return tests, self._counts()

    def _counts(self) -> Table:
        columns = (
            Column("errors", "errors", "count"),
            Column("observed", "people", "count"),
            *(Column(model.fit.model, f"expected, {model.fit.model}", "number") for model in self.models),
        )
        seen = [*self.observed, *(value for model in self.models for value in model.expected)]
        rows = zip(
            range(len(self.observed)),
            self.observed.tolist(),
            *(model.expected.tolist() for model in self.models),
            strict=True,
        )
        # very many attempts have very many numbers of errors that nobody makes and nobody is expected to make
        shown = [row for row in rows if len(seen) < _SHORT or max(row[1:]) >= _LEAST_SHOWN]
        return Table("people", "People by their number of errors", columns, tuple(shown))

    def _notes(self) -> tuple[str, ...]:
        found = f"p: share of {plural(self.n_resamples, 'data set')} simulated from the fitted model that fit no better"
        untold = [model.fit.model for model in self.models if isnan(model.p_value)]
        if untold:
            return ("nothing tells the correlation: there must be errors, successes and people tested twice",)
        repeated = int(self.observed[2:].sum())
        if repeated < _FEW:
            return (
                found,
                f"{plural(repeated, 'person', 'people')} made more than one error: too few to tell models apart",
            )
        return (found,)


_SHORT = 200
_LEAST_SHOWN = 0.05
_FEW = 5


def fit_test(
    people: Individuals,
    *,
    models: Sequence[Generator] = ("beta-binomial", "oman-zucker"),
    n_resamples: int = 200,
    rng: np.random.Generator | int | None = 0,
    progress: Callable[[int], None] | None = None,
) -> FitTest:
    r"""Test whether the errors of people are as the beta-binomial or Oman and Zucker's model says.

    .. math:: G^2 = 2 \sum_k O_k \log(O_k / E_k)

    over the numbers O of people with k errors, with E expected from the most likely rate and correlation and the
    attempts of each person.

    Parameters
    ----------
    people : Individuals
        The errors and attempts of people, one data set; attempts may differ.
    models : sequence of {"oman-zucker", "beta-binomial"}, default ("beta-binomial", "oman-zucker")
        Which of the two models.
    n_resamples : int, default 200
        How many resamples are drawn: data sets simulated from each fitted model, and fitted again, to tell how large G²
        may be.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result.
    progress : callable, optional
        Called as work proceeds, with the number of data sets that were fitted since the last call.

    Returns
    -------
    FitTest
        A small p value says that the model does not fit. NaN where nothing tells the correlation.

    Raises
    ------
    ParameterError
        Several data sets, no or an unknown model, or no resample.

    Notes
    -----
    With two attempts of everybody the two models are the same, and fit whatever was observed but for negative
    correlation.

    References
    ----------
    Schuckers et al., A comparison of statistical methods for evaluating matching performance, 2004, section 5, which
    asks which of the two distributions data follow.

    Examples
    --------
    >>> people = Individuals.from_counts([0, 0, 0, 1, 0, 2, 0, 0, 5, 1], 5)
    >>> found = fit_test(people, n_resamples=20)
    >>> [model.fit.model for model in found.models if model.p_value > 0.05]
    ['beta-binomial', 'oman-zucker']
    """
    if not models:
        raise ParameterError(f"name at least one model of {', '.join(GENERATORS)}")
    check_resamples(n_resamples)
    source = as_generator(rng)
    checks = tuple(_check(people, model, n_resamples, source, progress or (lambda count: None)) for model in models)
    return FitTest(_observed(people), checks, int(people.individuals), n_resamples)


def _check(
    people: Individuals,
    model: Generator,
    n_resamples: int,
    rng: np.random.Generator,
    progress: Callable[[int], None],
) -> ModelCheck:
    fit = fit_model(people, model=model)
    if isnan(fit.rho):
        size = int(people.attempts.max()) + 1
        return ModelCheck(fit, np.full(size, np.nan), float("nan"), float("nan"))
    tried, counts = _by_attempts(people)
    pmfs = _pmfs(tried, fit)
    expected = _expected(tried, counts, pmfs)
    statistic = _deviance(_observed(people), expected)
    as_large = 0
    for _ in range(n_resamples):
        drawn = _drawn(tried, counts, pmfs, rng)
        other = fit_model(drawn, model=model)
        rates = _pmfs(tried, other) if not isnan(other.rho) else _pmfs(tried, fit)
        as_large += _deviance(_observed(drawn), _expected(tried, counts, rates)) >= statistic * (1 - 1e-9)
        progress(1)
    return ModelCheck(fit, expected, statistic, (1 + as_large) / (1 + n_resamples))


def _by_attempts(people: Individuals) -> tuple[Floats, Floats]:
    """The different numbers of attempts, and how many people made so many."""
    tried, place = np.unique(people.attempts, return_inverse=True)
    return tried, np.bincount(place, people.counts).astype(np.float64)


def _pmfs(tried: Floats, fit: ModelFit) -> list[Floats]:
    return [errors_pmf(int(number), fit.estimate, fit.rho, generator=fit.model) for number in tried]


def _expected(tried: Floats, counts: Floats, pmfs: Sequence[Floats]) -> Floats:
    expected = np.zeros(int(tried.max()) + 1)
    for pmf, count in zip(pmfs, counts, strict=True):
        expected[: len(pmf)] += count * pmf
    return expected


def _drawn(tried: Floats, counts: Floats, pmfs: Sequence[Floats], rng: np.random.Generator) -> Individuals:
    """As many people with as many attempts, as the model has them."""
    drawn = [draw_counts(int(count), pmf, 1, rng)[0] for pmf, count in zip(pmfs, counts, strict=True)]
    errors = np.concatenate([np.arange(len(pmf), dtype=np.float64) for pmf in pmfs])
    attempts = np.repeat(tried, [len(pmf) for pmf in pmfs])
    number = np.concatenate(drawn).astype(np.float64)
    there = number > 0
    return Individuals(errors[there], attempts[there], number[there])


def _observed(people: Individuals) -> Floats:
    size = int(people.attempts.max()) + 1
    return np.bincount(people.errors.astype(np.int64), people.counts, size).astype(np.float64)


def _deviance(observed: Floats, expected: Floats) -> float:
    seen = observed > 0
    return float(2 * np.sum(observed[seen] * np.log(observed[seen] / expected[: len(observed)][seen])))
