"""All intervals of one test in which people were tested several times, with notes and a recommendation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import expm1, isfinite, isnan, log1p, nan
from typing import Any, ClassVar

from fairtrial.core.errors import ParameterError, check_confidence, check_resamples
from fairtrial.core.notes import Note
from fairtrial.core.results import Field, Record, Result, table_of
from fairtrial.core.tables import Column, Table
from fairtrial.core.words import number_text, percent, plural, range_text
from fairtrial.formats.frames import TrialsLike, trials_of
from fairtrial.inference.intervals import Interval
from fairtrial.published.rates import proportion_interval, rule_of_three
from fairtrial.repeated.attempts import ErrorKind, Individuals, PeopleLike, Person, Rng, as_individuals
from fairtrial.repeated.methods import REPEATED_METHODS, known_method
from fairtrial.repeated.models import MOST_FITTED, rho_interval

_FEW_ERRORS = 10


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
    """Upper bounds if there was no error: with independent attempts, and with independent people only.

    The rule of 3 is for 95 % always; `exact` is 1 - (1 - confidence)^(1/n), `bayes` has Jeffreys' prior.
    """

    FIELDS: ClassVar = (
        Field("rule_of_3", get="rule_of_three"),
        Field("rule_of_3_individuals", get="rule_of_three_individuals"),
        *map(Field, ("exact", "exact_individuals", "bayes", "bayes_individuals", "confidence")),
    )
    rule_of_three: float
    rule_of_three_individuals: float
    exact: float
    exact_individuals: float
    bayes: float
    bayes_individuals: float
    confidence: float

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
    individuals : int
        How many people.
    attempts : int
        How many attempts of all people together.
    errors : int
        How many errors of all people together.
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
    notes : tuple of Note
        What the reader should know.

    Examples
    --------
    >>> from fairtrial import Individuals, repeated_intervals
    >>> found = repeated_intervals(Individuals.from_counts([0, 0, 0, 1, 0, 2, 0, 0, 5, 1], 5), methods=["bp"])
    >>> round(found.estimate, 2), [round(end, 4) for end in found.methods["bp"].interval]
    (0.18, [-0.0177, 0.3777])
    """

    FIELDS: ClassVar = (
        Field("estimate"),
        Field("rho"),
        Field("rho_interval", get=lambda found: {**found.rho_interval._asdict(), "confidence": found.confidence}),
        *map(Field, ("individuals", "attempts", "errors", "methods")),
        Field("recommendation", get=lambda found: str(found.recommendation)),
        Field("zero_errors"),
        Field("by_the_other", get="other"),
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
    notes: tuple[Note | str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Give the result as a dict, without what it does not have."""
        return {key: value for key, value in Record.to_dict(self).items() if value is not None}

    def answer(self) -> str:
        """The rate and what it was estimated from."""
        tried = f"{plural(self.attempts, 'attempt')} of {plural(self.individuals, 'individual')}"
        rho = "rho unknown" if isnan(self.rho) else f"rho {number_text(self.rho)}"
        if not isnan(self.rho_interval.low):
            rho += f" ({range_text(*(round(limit, 4) for limit in self.rho_interval))})"
        return f"{plural(self.errors, 'error')} in {tried}, {percent(self.estimate)}, {rho}"

    def tables(self) -> tuple[Table, ...]:
        """One row per method; if there was no error, upper bounds too."""
        notes = (self.recommendation, *self.notes)
        main = table_of("intervals", self.answer(), MethodInterval.FIELDS, self.methods.values(), notes=notes)
        return (main,) if self.zero_errors is None else (main, self.zero_errors.table())


def repeated_intervals(
    people: PeopleLike | TrialsLike,
    *,
    threshold: float | None = None,
    error: ErrorKind = "frr",
    by: Person = "claim",
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
    by : {"claim", "subject"}, default "claim"
        Of trials: whose errors are counted together.
    methods : sequence of str, default ("dr", "bp", "sb", "bb", "lbb", "brr", "bb-ml")
        Any of ``dr``, ``bp``, ``sb``, ``bb``, ``lbb``, ``brr`` and ``bb-ml``, or ``all``.
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
        If there are several data sets, a method is unknown, a number is out of range, or an option does not apply.

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
    names = tuple(REPEATED_METHODS) if "all" in methods else tuple(methods)
    if n_resamples is not None:
        check_resamples(n_resamples)
    if not any(known_method(name).resamples for name in names):
        for name, given in (("n_resamples", n_resamples != 1000), ("rng", rng != 0)):
            if given:
                raise ParameterError(
                    f"{{{name}!p}} applies to sb and brr, not to {{methods:list}}", code="does-not-apply", methods=names
                )
    notes: tuple[Note | str, ...] = ()
    other = None
    if threshold is None:
        for name, given in (("error", error != "frr"), ("by", by != "claim")):
            if given:
                raise ParameterError(f"{{{name}!p}} applies to scores, with {{threshold!p}}", threshold=threshold)
        counted = as_individuals(people)  # type: ignore[arg-type]
    else:
        trials = trials_of(people, "trials")  # type: ignore[arg-type]
        counted = Individuals.from_trials(trials, threshold, error=error, by=by)
        notes = trials.notes
        if error == "far" and {"claim", "subject"} <= set(trials.ids):
            role: Person = "subject" if by == "claim" else "claim"
            others = Individuals.from_trials(trials, threshold, error=error, by=role)
            lbb = _method_interval("lbb", others, confidence, n_resamples, rng)
            other = OtherRole(float(others.rho), int(others.individuals), lbb)
            template = "errors are also correlated by {role}: "
            template += "LBB is undefined" if isnan(lbb.low) else "LBB by {role} is {low:percent} to {high:percent}"
            template += "; use the wider one, or evaluate, which accounts for both"
            notes = (*notes, Note("other-role", template, role=role, low=lbb.low, high=lbb.high))
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
        None if errors else _without_errors(counted, confidence),
        other,
        notes,
    )


def _method_interval(
    name: str, people: Individuals, confidence: float, n_resamples: int | None, rng: Rng
) -> MethodInterval:
    """Compute the interval of a method, and note where it is degenerate."""
    method = known_method(name)
    limits = method.limits(people, confidence=confidence, n_resamples=n_resamples, rng=rng)
    low, high = (float(limit) for limit in limits)
    errors = int(people.total_errors)
    notes = []
    if not (isfinite(low) and isfinite(high)):
        if name == "bb-ml" and 0 < float(people.estimate) < 1:
            template = "not found: somebody has more than {most:count} attempts, or there is no maximum"
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


def _without_errors(people: Individuals, confidence: float) -> ZeroErrors:
    bounds: list[float] = []
    for trials in (int(people.total_attempts), int(people.individuals)):
        both = 2 * confidence - 1  # the upper end of a two-sided interval is a one-sided bound at half the risk
        bayes = proportion_interval(0, trials, confidence=both, method="jeffreys").high if both > 0 else nan
        bounds += [rule_of_three(trials), -expm1(log1p(-confidence) / trials), bayes]
    three, exact, bayes, three_individuals, exact_individuals, bayes_individuals = bounds
    return ZeroErrors(three, three_individuals, exact, exact_individuals, bayes, bayes_individuals, confidence)


def recommend(people: Individuals, confidence: float = 0.95) -> Note:
    """Recommend an interval, after Schuckers et al. 2004, section 5, and the study in docs/individuals.md."""
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
    study = " A coverage study of data like these ({like!o}) shows how well the intervals cover."
    code = "use-lbb"
    if expected >= 10:
        text = (
            "Use lbb. With at least 10 expected errors in one attempt of everybody (n pi), it covered 92.5 to 97.1 % "
            "in every cell of our study."
        )
    elif expected >= 5:
        text = "Use lbb. With n pi from 5 to 10 it covered 91 to 97 % in our study."
    elif expected > 0.5 and rho < 0.1 and attempts > 5:
        text = (
            "Use lbb. With n pi above 0.5, rho below 0.1 and more than 5 attempts each it covered 92.5 to 97.5 % in "
            "98 % of the cells of our study."
        )
    elif expected >= 1:
        code = "use-lbb-with-care"
        text = (
            "Use lbb, with care: with n pi from 1 to 5 it covered 87 to 90 % on average in our study, and less the "
            f"larger the correlation. More people help; more attempts of the same people may not.{study}"
        )
    elif rho > 0.4:
        code = "unreliable-large-rho"
        text = (
            "No interval is reliable. The paper says that brr may be preferable to lbb if rho is large (above 0.4) and "
            "n pi below 1; in our study, at rho 0.4 and 0.8, brr covered 43 or 32 % on average and lbb 36 or 33 %, by "
            "the two generators. Test more people."
        )
    else:
        code = "unreliable"
        text = (
            "No interval is reliable: with n pi below 1, lbb covered 53 to 55 % on average in our study, and more if "
            f"attempts are many and hardly correlated.{study} Test more people."
        )
    other = "" if confidence == 0.95 else " The study is of 95 % intervals."
    return Note(code, text + other, expected=expected, rho=rho, like="counts.csv")
