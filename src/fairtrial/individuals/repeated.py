"""All intervals of one test in which people were tested several times, with notes and a recommendation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import expm1, isfinite, isnan, log1p
from typing import Any

import numpy as np

from fairtrial.checks import check_confidence, check_resamples
from fairtrial.errors import ParameterError
from fairtrial.individuals.attempts import Individuals
from fairtrial.individuals.beta_binomial import MOST_FITTED
from fairtrial.individuals.limits import RepeatedMethod
from fairtrial.individuals.methods import REPEATED_METHODS, known_method
from fairtrial.individuals.models import rho_interval
from fairtrial.intervals.proportions import proportion_interval, rule_of_three
from fairtrial.intervals.rates import Interval
from fairtrial.tables import Column, Result, Table, level_text, number_text, percent, plural, range_text

_FEW = 10


@dataclass(frozen=True, slots=True)
class MethodInterval:
    """The interval of one method; NaN where it is undefined, which the note explains."""

    low: float
    high: float
    confidence: float
    note: str = ""

    @property
    def interval(self) -> Interval:
        """The two ends."""
        return Interval(self.low, self.high)

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        return {"low": self.low, "high": self.high, "confidence": self.confidence, "note": self.note}


@dataclass(frozen=True, slots=True)
class ZeroErrors:
    """Upper bounds where there was no error: if all attempts are independent, and if only people are.

    The rule of 3 is for 95 % whatever is asked for; `exact` is 1 - (1 - confidence)^(1/n), `bayes` has Jeffreys' prior.
    """

    rule_of_three: float
    rule_of_three_individuals: float
    exact: float
    exact_individuals: float
    bayes: float
    bayes_individuals: float
    confidence: float

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        return {
            "rule_of_3": self.rule_of_three,
            "rule_of_3_individuals": self.rule_of_three_individuals,
            "exact": self.exact,
            "exact_individuals": self.exact_individuals,
            "bayes": self.bayes,
            "bayes_individuals": self.bayes_individuals,
            "confidence": self.confidence,
        }

    def table(self) -> Table:
        """One row per bound."""
        columns = (
            Column("bound", "upper bound"),
            Column("confidence", "confidence", "level"),
            Column("attempts", "if all attempts are independent", "rate"),
            Column("individuals", "if only individuals are", "rate"),
        )
        rows = (
            ("rule of 3", 0.95, self.rule_of_three, self.rule_of_three_individuals),
            ("exact", self.confidence, self.exact, self.exact_individuals),
            ("Bayes with Jeffreys' prior", self.confidence, self.bayes, self.bayes_individuals),
        )
        return Table("bounds", "Upper bounds, as there was no error", columns, rows)


@dataclass(frozen=True, slots=True, repr=False)
class RepeatedIntervals(Result):
    """An error rate of people who were tested several times, with the intervals of all methods asked for.

    Attributes
    ----------
    estimate : float
        The error rate over all attempts, a fraction, eq. (1).
    rho : float
        The correlation between two attempts of a person.
    individuals : int
        How many people.
    attempts : int
        How many attempts of all people together.
    errors : int
        How many errors of all people together.
    methods : dict of str to MethodInterval
        The intervals by the name of the method.
    recommendation : str
        Which of them to go by, and why.
    rho_interval : Interval
        The interval of the correlation, by the profile likelihood of the beta-binomial model; NaN where nothing tells
        it.
    confidence : float
        The level of confidence, between 0 and 1, of the interval of the correlation.
    zero_errors : ZeroErrors or None
        Upper bounds where there was no error; else None.

    Examples
    --------
    >>> from fairtrial import Individuals, repeated_intervals
    >>> found = repeated_intervals(Individuals.from_counts([0, 0, 0, 1, 0, 2, 0, 0, 5, 1], 5), methods=["bp"])
    >>> round(found.estimate, 2), [round(end, 4) for end in found.methods["bp"].interval]
    (0.18, [-0.0177, 0.3777])
    """

    estimate: float
    rho: float
    individuals: int
    attempts: int
    errors: int
    methods: dict[str, MethodInterval]
    recommendation: str
    rho_interval: Interval
    confidence: float
    zero_errors: ZeroErrors | None = None

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        return {
            "estimate": self.estimate,
            "rho": self.rho,
            "rho_interval": {**self.rho_interval._asdict(), "confidence": self.confidence},
            "individuals": self.individuals,
            "attempts": self.attempts,
            "errors": self.errors,
            "methods": {name: found.to_dict() for name, found in self.methods.items()},
            "recommendation": self.recommendation,
            **({"zero_errors": self.zero_errors.to_dict()} if self.zero_errors else {}),
        }

    def summary(self) -> str:
        """The rate and what it was estimated from."""
        tried = f"{plural(self.attempts, 'attempt')} of {plural(self.individuals, 'individual')}"
        rho = "rho unknown" if isnan(self.rho) else f"rho {number_text(self.rho)}"
        if not isnan(self.rho_interval.low):
            rho += f" ({range_text(*(round(limit, 4) for limit in self.rho_interval))})"
        return f"{plural(self.errors, 'error')} in {tried}, {percent(self.estimate)}, {rho}"

    def tables(self) -> tuple[Table, ...]:
        """One row per method; where there was no error, upper bounds too."""
        columns = (
            Column("method", "method"),
            Column("interval", "interval in %", "interval"),
            Column("confidence", "confidence", "level"),
            Column("note", "note"),
        )
        rows = tuple((name, found.interval, found.confidence, found.note) for name, found in self.methods.items())
        tables = [Table("intervals", self.summary(), columns, rows, (self.recommendation,))]
        if self.zero_errors is not None:
            tables.append(self.zero_errors.table())
        return tuple(tables)


def repeated_intervals(
    people: Individuals,
    *,
    methods: Sequence[str] = tuple(REPEATED_METHODS),
    confidence: float = 0.95,
    n_resamples: int | None = 1000,
    rng: np.random.Generator | int | None = 0,
) -> RepeatedIntervals:
    """Compute the intervals of an error rate when people were tested several times.

    Parameters
    ----------
    people : Individuals
        The errors and attempts of people, one data set.
    methods : sequence of str, default ("dr", "bp", "sb", "bb", "lbb", "brr", "bb-ml")
        Any of ``dr``, ``bp``, ``sb``, ``bb``, ``lbb``, ``brr`` and ``bb-ml``.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1; that of ``dr`` is 90 % always.
    n_resamples : int or None, default 1000
        How many resamples are drawn, for ``sb`` and ``brr``; None stands for infinitely many.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result. It is for ``sb`` and ``brr``.

    Returns
    -------
    RepeatedIntervals
        The intervals by method, with notes, a recommendation and, without errors, upper bounds.

    Raises
    ------
    ParameterError
        Several data sets, an unknown method, or a confidence or number of resamples that is not possible.

    References
    ----------
    Schuckers et al., A comparison of statistical methods for evaluating matching performance, 2004, section 2.

    Examples
    --------
    >>> people = Individuals.from_counts([0, 0, 0, 1, 0, 2, 0, 0, 5, 1], 5)
    >>> found = repeated_intervals(people)
    >>> low, high = found.methods["lbb"].interval
    >>> round(low, 4), round(high, 4)
    (0.0567, 0.4451)
    """
    check_confidence(confidence)
    if people.counts.ndim != 1:
        raise ParameterError("intervals with notes are made of one data set, not of several at once")
    if n_resamples is not None:
        check_resamples(n_resamples)
    found = {}
    for name in methods:
        method = known_method(name)
        limits = method(people, confidence=confidence, n_resamples=n_resamples, rng=rng)
        low, high = (float(limit) for limit in limits)
        level = confidence if method.level is None else method.level
        found[name] = MethodInterval(low, high, level, _note(method, people, low, high))
    errors = int(people.total_errors)
    return RepeatedIntervals(
        float(people.estimate),
        float(people.rho),
        int(people.individuals),
        int(people.total_attempts),
        errors,
        found,
        recommend(people, confidence),
        rho_interval(people, confidence=confidence),
        confidence,
        None if errors else _without_errors(people, confidence),
    )


def _note(method: RepeatedMethod, people: Individuals, low: float, high: float) -> str:
    errors = int(people.total_errors)
    notes = []
    if not (isfinite(low) and isfinite(high)):
        if method.name == "bb-ml" and 0 < float(people.estimate) < 1:
            notes.append(f"not found; somebody has more than {MOST_FITTED:,} attempts, or there is no maximum")
        else:
            notes.append("undefined " + ("without errors" if not errors else "where all attempts are errors"))
    elif high == low:
        why = "nearly all replicates are the same" if method.resamples else "all people have the same rate"
        notes.append("zero width: " + (why if errors else "no error"))
    if method.level is not None:
        notes.append(f"{level_text(method.level)} whatever confidence is asked for")
    if errors < method.least_errors:
        are = "is" if errors == 1 else "are"
        notes.append(f"meant for {method.least_errors} errors and more; here there {are} {errors}")
    elif 0 < errors < _FEW:
        notes.append(f"only {errors} error{'s' if errors > 1 else ''}")
    return "; ".join(notes)


def _without_errors(people: Individuals, confidence: float) -> ZeroErrors:
    attempts, individuals = int(people.total_attempts), int(people.individuals)
    both = 2 * confidence - 1  # the upper end of a two-sided interval is a one-sided bound at half the risk

    def bayes(trials: int) -> float:
        if both <= 0:
            return float("nan")
        return proportion_interval(0, trials, confidence=both, method="jeffreys").high

    def exact(trials: int) -> float:
        return -expm1(log1p(-confidence) / trials)

    return ZeroErrors(
        rule_of_three(attempts),
        rule_of_three(individuals),
        exact(attempts),
        exact(individuals),
        bayes(attempts),
        bayes(individuals),
        confidence,
    )


def recommend(people: Individuals, confidence: float = 0.95) -> str:
    """Say which interval to go by, after Schuckers et al. 2004, section 5, and the study in docs/individuals.md."""
    rate = float(people.estimate)
    if rate == 0:
        return (
            "No errors: none of the six says anything. Report the exact upper bound: that over individuals holds "
            "however strongly their attempts are correlated, that over attempts only if they are not."
        )
    if rate == 1:
        return "Nothing but errors: none of the six says anything; look at the successes instead of the errors."
    other = "" if confidence == 0.95 else " The study is of 95 % intervals."
    return _from_the_study(people, min(rate, 1 - rate)) + other


def _from_the_study(people: Individuals, rate: float) -> str:
    rho, attempts = float(people.rho), float(people.total_attempts / people.individuals)
    expected = float(people.individuals) * rate
    if expected >= 10:
        return (
            "Use lbb. With 10 and more expected errors in one attempt of everybody (n pi), it covered 92.5 to 97.1 % "
            "in every cell of our study."
        )
    if expected >= 5:
        return "Use lbb. With n pi from 5 to 10 it covered 91 to 97 % in our study."
    if expected > 0.5 and rho < 0.1 and attempts > 5:
        return (
            "Use lbb. With n pi above 0.5, rho below 0.1 and more than 5 attempts each it covered 92.5 to 97.5 % in "
            "98 % of the cells of our study."
        )
    where = "A coverage study of data like these (study_like(...)) shows how well the intervals cover."
    if expected >= 1:
        return (
            "Use lbb, with care: with n pi from 1 to 5 it covered 87 to 90 % on average in our study, and less the "
            f"larger the correlation. More people help; more attempts of the same people may not. {where}"
        )
    if rho > 0.4:
        return (
            "No interval can be relied on. The paper says that brr may be preferable to lbb where rho is large (above "
            "0.4) and n pi below 1; in our study, at rho 0.4 and 0.8, brr covered 43 or 32 % on average and lbb 36 or "
            "33 %, by the two generators. Test more people."
        )
    return (
        "No interval can be relied on blindly: with n pi below 1, lbb covered 53 to 55 % on average in our study, and "
        f"more where attempts are many and hardly correlated. {where} Test more people."
    )
