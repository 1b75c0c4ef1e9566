"""Intervals of an error rate of people who were tested several times: by name, with notes and a recommendation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import expm1, isfinite, isnan, log1p, nan
from typing import ClassVar

from fairtrial.core.errors import check_choice, check_confidence, check_resamples, refuse_given
from fairtrial.core.notes import Note
from fairtrial.core.results import Field, Record, Result, table_of
from fairtrial.core.tables import Column, Table
from fairtrial.core.trials import TrialsLike, trials_of
from fairtrial.core.words import in_percent, level_text, number_text, percent, plural, range_text, term
from fairtrial.inference.intervals import Interval
from fairtrial.inference.variance import Floats
from fairtrial.published.rates import proportion_interval, rule_of_three
from fairtrial.repeated import limits
from fairtrial.repeated.attempts import ErrorKind, Individuals, PeopleLike, Person, Rng, as_individuals
from fairtrial.repeated.fits import MOST_FITTED, most_likely_limits, rho_interval
from fairtrial.repeated.models import Outcomes, histograms, sums_of_errors, sums_of_squares

_FEW_ERRORS = 10


@dataclass(frozen=True, slots=True)
class RepeatedMethod:
    """An interval for repeated attempts.

    Attributes
    ----------
    name : str
        Its name on the command line and in JSON.
    function : callable
        Computes the limits; one of the functions in `limits`.
    resamples : bool
        Whether it resamples, so that `n_resamples` and `rng` apply.
    level : float or None
        Its fixed level of confidence, if it has one.
    least_errors : int
        The number of errors from which on it is meant to be used.
    outcomes : callable
        Lists all possible data sets by what the limits depend on: the sum of errors, that of their squares too, or the
        numbers of people with 0, 1, ... errors.
    """

    name: str
    function: Callable[..., limits.Limits]
    resamples: bool = False
    level: float | None = None
    least_errors: int = 0
    outcomes: Callable[[int, Floats], Outcomes] = histograms

    def limits(
        self, people: Individuals, *, confidence: float = 0.95, n_resamples: int | None = 1000, rng: Rng = 0
    ) -> limits.Limits:
        """Compute the limits of one data set, or of thousands at once."""
        resampling = {"n_resamples": n_resamples, "rng": rng} if self.resamples else {}
        return self.function(people, confidence=confidence, **resampling)


REPEATED_METHODS: dict[str, RepeatedMethod] = {
    method.name: method
    for method in (
        RepeatedMethod("dr", limits.doddington_limits, level=0.9, least_errors=30, outcomes=sums_of_errors),
        RepeatedMethod("bp", limits.best_practices_limits, outcomes=sums_of_squares),
        RepeatedMethod("sb", limits.subset_bootstrap_limits, resamples=True),
        RepeatedMethod("bb", limits.beta_binomial_limits, outcomes=sums_of_squares),
        RepeatedMethod("lbb", limits.logit_limits, outcomes=sums_of_squares),
        RepeatedMethod("brr", limits.balanced_replicates_limits, resamples=True),
        RepeatedMethod("bb-ml", most_likely_limits),
    )
}
"""The six intervals in the order of the paper, and the beta-binomial by maximum likelihood."""
PAPER_METHODS = tuple(REPEATED_METHODS)[:6]


@dataclass(frozen=True, slots=True)
class MethodInterval(Record):
    """The interval of one method; NaN if it is undefined, which a note explains."""

    FIELDS: ClassVar = (
        Field("method", "method", in_json=False),
        Field("interval", "interval in %", "interval", in_json=False),
        Field("low"),
        Field("high"),
        Field("confidence", "confidence", "level"),
        Field("note", "note"),
        Field("notes"),
    )
    method: str
    low: float
    high: float
    confidence: float
    notes: tuple[Note, ...] = ()

    @property
    def interval(self) -> Interval:
        """The two limits."""
        return Interval(self.low, self.high)

    @property
    def note(self) -> str:
        """The notes as one text."""
        return "; ".join(map(str, self.notes))


@dataclass(frozen=True, slots=True)
class ZeroErrors(Record):
    """Upper bounds without errors: if attempts are independent, and if only people are (`_individuals`).

    The rule of 3 is for 95 % always; `exact` is 1 - (1 - confidence)^(1/n), `bayes` has Jeffreys' prior.
    """

    FIELDS: ClassVar = (
        Field("rule_of_3", get="rule_of_three"),
        Field("rule_of_3_individuals", get="rule_of_three_individuals"),
        *map(Field, ("exact", "exact_individuals", "bayes", "bayes_individuals", "confidence")),
    )
    rule_of_three: float
    exact: float
    bayes: float
    rule_of_three_individuals: float
    exact_individuals: float
    bayes_individuals: float
    confidence: float

    @classmethod
    def of(cls, people: Individuals, confidence: float) -> ZeroErrors:
        """Compute the bounds over attempts and over people."""
        bounds: list[float] = []
        for trials in (int(people.total_attempts), int(people.individuals)):
            both = 2 * confidence - 1  # the upper end of a two-sided interval is a one-sided bound at half the risk
            bayes = proportion_interval(0, trials, confidence=both, method="jeffreys").high if both > 0 else nan
            bounds += [rule_of_three(trials), -expm1(log1p(-confidence) / trials), bayes]
        bounds.append(confidence)
        return cls(*bounds)

    def table(self) -> Table:
        """Tabulate one row per bound."""
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


@dataclass(frozen=True, slots=True)
class OtherRole(Record):
    """The correlation and the LBB interval of impostor trials counted by the other role."""

    FIELDS: ClassVar = (Field("rho"), Field("individuals"), Field("lbb"))
    rho: float
    individuals: int
    lbb: MethodInterval


@dataclass(frozen=True, slots=True, repr=False)
class RepeatedIntervals(Result):
    """An error rate of people who were tested several times, with the intervals of several methods.

    Attributes
    ----------
    estimate : float
        The error rate over all attempts, a fraction, eq. (1).
    rho : float
        The correlation between two attempts of a person.
    individuals, attempts, errors : int
        The numbers of people, of all their attempts and of all their errors.
    methods : dict of str to MethodInterval
        The intervals by the name of the method.
    recommendation : Note
        Which of them to use, and why.
    rho_interval : Interval
        The interval of the correlation, by the profile likelihood of the beta-binomial model; NaN if it cannot be
        estimated.
    confidence : float
        The level of confidence, between 0 and 1, of the interval of the correlation.
    zero_errors : ZeroErrors or None
        Upper bounds if there was no error; else None.
    other : OtherRole or None
        For impostor trials with both ids: the same errors counted by the other role.
    error : {"far", "frr"} or None
        Which rate it is; None if only errors and attempts were given.
    notes : tuple of Note
        What the reader should know.

    Examples
    --------
    >>> from fairtrial import Individuals, repeated_intervals
    >>> result = repeated_intervals(Individuals.from_counts([0, 0, 0, 1, 0, 2, 0, 0, 5, 1], 5), n_resamples=100)
    >>> result.answer()  # doctest: +ELLIPSIS
    'The error rate lies between 5.67 and 44.51 % (95 %, logit beta-binomial (LBB), 10 people, ...'
    """

    FIELDS: ClassVar = (
        Field("estimate"),
        Field("rho"),
        Field("rho_interval", get=lambda result: {**result.rho_interval._asdict(), "confidence": result.confidence}),
        *map(Field, ("individuals", "attempts", "errors", "methods")),
        Field("recommendation", get=lambda result: str(result.recommendation)),
        Field("zero_errors", in_json="if known"),
        Field("by_the_other", get="other", in_json="if known"),
        Field("notes"),
    )
    estimate: float
    rho: float
    individuals: int
    attempts: int
    errors: int
    methods: dict[str, MethodInterval]
    recommendation: Note
    rho_interval: Interval
    confidence: float
    zero_errors: ZeroErrors | None = None
    other: OtherRole | None = None
    error: ErrorKind | None = None
    notes: tuple[Note | str, ...] = ()

    def answer(self) -> str:
        """Write the recommended interval, or the first; an upper bound without errors."""
        rate = "error rate" if self.error is None else term(self.error.upper())
        people, attempts = plural(self.individuals, "person", "people"), plural(self.attempts, "attempt")
        if self.zero_errors is not None:
            bound = f"{percent(self.zero_errors.exact_individuals)} ({level_text(self.confidence)}"
            return f"The {rate} is below {bound}, exact over people): no error in {attempts} of {people}"
        main = self.methods.get("lbb") or next(iter(self.methods.values()))
        rho = "unknown" if isnan(self.rho) else f"{self.rho:.2f}"
        method = "logit beta-binomial (LBB)" if main.method == "lbb" else main.method.upper()
        basis = f"{level_text(main.confidence)}, {method}, {people}, {attempts}, correlation {rho}"
        if isnan(main.low):
            return f"The {rate} is {percent(self.estimate)}, and its interval undefined ({basis})"
        sentence = f"The {rate} lies between {in_percent(main.low)} and {percent(main.high)} ({basis})"
        unreliable = self.recommendation.code.startswith("unreliable")
        return f"{sentence}; with so few errors no interval is reliable" if unreliable else sentence

    def tables(self) -> tuple[Table, ...]:
        """Tabulate one row per method; if there was no error, upper bounds too."""
        tried = f"{plural(self.attempts, 'attempt')} of {plural(self.individuals, 'person', 'people')}"
        rho = "rho unknown" if isnan(self.rho) else f"rho {number_text(self.rho)}"
        if not isnan(self.rho_interval.low):
            limits = range_text(*(round(limit, 4) for limit in self.rho_interval))
            rho += f" ({level_text(self.confidence)}: {limits})"
        caption = f"{plural(self.errors, 'error')} in {tried}, {percent(self.estimate)}, {rho}"
        notes = (self.recommendation, *self.notes)
        main = table_of("intervals", caption, MethodInterval.FIELDS, self.methods.values(), notes=notes)
        return (main,) if self.zero_errors is None else (main, self.zero_errors.table())


def repeated_intervals(
    people: PeopleLike | TrialsLike,
    *,
    threshold: float | None = None,
    error: ErrorKind = "frr",
    role: Person = "claim",
    methods: Sequence[str] = tuple(REPEATED_METHODS),
    confidence: float = 0.95,
    n_resamples: int | None = 1000,
    rng: Rng = 0,
) -> RepeatedIntervals:
    """Compute the intervals of an error rate when people were tested several times.

    Parameters
    ----------
    people : Individuals, path, tuple of (array_like, array_like), Trials or data frame
        The errors and attempts of people, one data set; a path is that of a table with columns of both. With a
        threshold, trials of one system with ids.
    threshold : float, optional
        The threshold at which the errors of trials are counted; a score above it is accepted.
    error : {"far", "frr"}, default "frr"
        Of trials: ``frr``, false rejects among genuine trials; ``far``, false accepts among impostor trials.
    role : {"claim", "subject"}, default "claim"
        Of trials: whose errors are counted together.
    methods : sequence of str, default ("dr", "bp", "sb", "bb", "lbb", "brr", "bb-ml")
        Any of ``dr``, ``bp``, ``sb``, ``bb``, ``lbb``, ``brr`` and ``bb-ml``, or ``all``.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1; that of ``dr`` is 90 % always.
    n_resamples : int or None, default 1000
        How many resamples are drawn, for ``sb`` and ``brr``; 0 or None for infinitely many.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result. It is for ``sb`` and ``brr``.

    Returns
    -------
    RepeatedIntervals
        The intervals by method, with notes, a recommendation and, without errors, upper bounds.

    Raises
    ------
    ParameterError
        If there are several data sets, a method is unknown, a number is out of range, or an option does not apply.

    References
    ----------
    Schuckers et al., A comparison of statistical methods for evaluating matching performance, 2004, section 2.

    Examples
    --------
    >>> people = Individuals.from_counts([0, 0, 0, 1, 0, 2, 0, 0, 5, 1], 5)
    >>> low, high = repeated_intervals(people).methods["lbb"].interval
    >>> round(low, 4), round(high, 4)
    (0.0567, 0.4451)
    """
    check_confidence(confidence)
    names = tuple(REPEATED_METHODS) if "all" in methods else tuple(methods)
    for name in names:
        check_choice("method", name, REPEATED_METHODS)
    n_resamples = check_resamples(n_resamples) if n_resamples else None
    if not any(REPEATED_METHODS[name].resamples for name in names):
        given = {"n_resamples": n_resamples != 1000, "rng": rng != 0}
        refuse_given(given, "applies to sb and brr, not to {methods:list}", methods=names)
    notes: tuple[Note | str, ...] = ()
    other = None
    if threshold is None:
        given = {"error": error != "frr", "role": role != "claim"}
        refuse_given(given, "applies to scores, with {threshold!p}", threshold=threshold)
        counted = as_individuals(people)  # type: ignore[arg-type]
    else:
        trials = trials_of(people, "trials")  # type: ignore[arg-type]
        counted = Individuals.from_trials(trials, threshold, error=error, role=role)
        notes = trials.notes
        if error == "far" and {"claim", "subject"} <= set(trials.ids):
            other_role: Person = "subject" if role == "claim" else "claim"
            others = Individuals.from_trials(trials, threshold, error=error, role=other_role)
            lbb = _method_interval("lbb", others, confidence, n_resamples, rng)
            other = OtherRole(float(others.rho), int(others.individuals), lbb)
            template = "errors are also correlated by {role}: "
            template += "LBB is undefined" if isnan(lbb.low) else "LBB by {role} is {low:percent} to {high:percent}"
            template += "; use the wider one, or evaluate, which accounts for both"
            notes = (*notes, Note("other-role", template, role=other_role, low=lbb.low, high=lbb.high))
    errors = int(counted.total_errors)
    return RepeatedIntervals(
        float(counted.estimate),
        float(counted.rho),
        int(counted.individuals),
        int(counted.total_attempts),
        errors,
        {name: _method_interval(name, counted, confidence, n_resamples, rng) for name in names},
        recommend(counted, confidence),
        rho_interval(counted, confidence=confidence),
        confidence,
        None if errors else ZeroErrors.of(counted, confidence),
        other,
        None if threshold is None else error,
        notes,
    )


def _method_interval(
    name: str, people: Individuals, confidence: float, n_resamples: int | None, rng: Rng
) -> MethodInterval:
    """Compute the interval of a method, and note if it is degenerate."""
    method = REPEATED_METHODS[name]
    ends = method.limits(people, confidence=confidence, n_resamples=n_resamples, rng=rng)
    low, high = (float(end) for end in ends)
    errors = int(people.total_errors)
    notes = []
    if not (isfinite(low) and isfinite(high)):
        if name == "bb-ml" and 0 < float(people.estimate) < 1:
            template = "undefined: somebody has more than {most:count} attempts, or there is no maximum"
            notes.append(Note("undefined", template, most=MOST_FITTED))
        else:
            notes.append(Note("undefined", f"undefined {'if all attempts are errors' if errors else 'without errors'}"))
    elif high == low:
        why = "nearly all replicates are the same" if method.resamples else "all people have the same rate"
        notes.append(Note("zero-width", f"zero width: {why if errors else 'no error'}"))
    if method.level is not None:
        notes.append(Note("fixed-level", "always a {level:level} interval", level=method.level))
    if errors < method.least_errors:
        template = "meant for at least {least} errors, not for {errors}"
        notes.append(Note("few-errors", template, least=method.least_errors, errors=errors))
    elif 0 < errors < _FEW_ERRORS:
        notes.append(Note("few-errors", "only {errors:plural error}", errors=errors))
    return MethodInterval(name, low, high, confidence if method.level is None else method.level, tuple(notes))


def recommend(people: Individuals, confidence: float = 0.95) -> Note:
    """Recommend an interval, after Schuckers et al. 2004, section 5, and the study in docs/coverage-repeated.md."""
    estimate = float(people.estimate)
    if estimate == 0:
        return Note(
            "no-errors",
            "No errors: none of the six is informative. Report the exact upper bound: that over individuals holds "
            "however strongly their attempts are correlated, that over attempts only if they are independent.",
        )
    if estimate == 1:
        return Note("all-errors", "Nothing but errors: none of the six is informative; look at the successes instead.")
    rho, attempts = float(people.rho), float(people.total_attempts / people.individuals)
    expected = float(people.individuals) * min(estimate, 1 - estimate)
    study, how = (
        "fairtrial's coverage study",
        " A simulation of such data (coverage, {like!o}) shows how well they cover.",
    )
    code = "use-lbb"
    if expected >= 10:
        text = (
            "Use lbb. With at least 10 expected errors in one attempt of each person (n pi), it covered 92.5 to 97.1 % "
            "in every cell of {study}."
        )
    elif expected >= 5:
        text = "Use lbb. With n pi from 5 to 10 it covered 91 to 97 % in {study}."
    elif expected > 0.5 and rho < 0.1 and attempts > 5:
        text = (
            "Use lbb. With n pi above 0.5, rho below 0.1 and more than 5 attempts each it covered 92.5 to 97.5 % in "
            "98 % of the cells of {study}."
        )
    elif expected >= 1:
        code = "use-lbb-with-care"
        text = (
            "Use lbb, with care: with n pi from 1 to 5 it covered 87 to 90 % on average in {study}, and less the "
            f"larger the correlation. More people help; more attempts of the same people may not.{how}"
        )
    elif rho > 0.4:
        code = "unreliable-large-rho"
        text = (
            "No interval is reliable. The paper says that brr may be preferable to lbb if rho is large (above 0.4) and "
            "n pi below 1; in {study}, at rho 0.4 and 0.8, brr covered 43 or 32 % on average and lbb 36 or 33 %, by "
            "the two generators. Test more people."
        )
    else:
        code = "unreliable"
        text = (
            "No interval is reliable: with n pi below 1, lbb covered 53 to 55 % on average in {study}, and more if "
            f"attempts are many and hardly correlated.{how} Test more people."
        )
    other = "" if confidence == 0.95 else " The study is of 95 % intervals."
    return Note(code, text + other, study=study, expected=expected, rho=rho, like="counts.csv")
