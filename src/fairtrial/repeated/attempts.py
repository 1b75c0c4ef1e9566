"""People who were tested several times: the errors and attempts of each, the error rate and the correlation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import isnan
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from fairtrial.core.errors import ParameterError, TrialsError, check_choice
from fairtrial.core.trials import TrialsLike, trials_of
from fairtrial.core.words import cut
from fairtrial.formats.columns import read_counts
from fairtrial.formats.files import PathLike
from fairtrial.inference.decide import wrong_decisions
from fairtrial.inference.people import people_of
from fairtrial.inference.variance import Floats

ErrorKind: TypeAlias = Literal["far", "frr"]
Person: TypeAlias = Literal["claim", "subject"]
Rng: TypeAlias = np.random.Generator | int | None

_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Individuals:
    """The numbers of people by kind; a kind is a number of errors in a number of attempts.

    The counts are one row, or one row per data set: all estimates are then arrays with one entry per data set.

    Attributes
    ----------
    errors : ndarray of float
        The errors of each kind, shape (kinds,).
    attempts : ndarray of float
        The attempts of each kind, shape (kinds,).
    counts : ndarray of float
        The people of each kind, shape (kinds,) or (data sets, kinds).

    References
    ----------
    Schuckers et al., A comparison of statistical methods for evaluating matching performance, 2004, eqs. (1) to (6).

    Examples
    --------
    >>> people = Individuals.from_counts([0, 0, 0, 1, 0, 2, 0, 0, 5, 1], 5)
    >>> round(float(people.estimate), 3), round(float(people.rho), 6)
    (0.18, 0.556338)
    """

    errors: Floats
    attempts: Floats
    counts: Floats

    @classmethod
    def from_counts(cls, errors: ArrayLike, attempts: ArrayLike) -> Individuals:
        """Count people from the errors and attempts of each.

        Parameters
        ----------
        errors : array_like
            The errors of each person, shape (people,).
        attempts : array_like
            The attempts of each person, shape (people,), or one number for all.

        Returns
        -------
        Individuals
            One data set.

        Raises
        ------
        ParameterError
            If numbers are not whole, somebody has more errors than attempts or no attempt, or there are fewer than two
            people.
        """
        wrong, tried = people_counts(errors, attempts)
        kinds, counts = np.unique(np.stack([wrong, tried]), axis=1, return_counts=True)
        return cls(kinds[0], kinds[1], counts.astype(np.float64))

    @classmethod
    def from_trials(
        cls,
        trials: TrialsLike,
        threshold: float,
        *,
        system: str | None = None,
        error: ErrorKind = "frr",
        role: Person = "claim",
    ) -> Individuals:
        """Count the false accepts or false rejects of each claim or each subject at a threshold.

        Parameters
        ----------
        trials : Trials or data frame
            Trials, or a data frame of them, with ids of the claims or subjects.
        threshold : float
            The threshold; a score above it is accepted.
        system : str, optional
            The name of the system; not needed if there is only one.
        error : {"far", "frr"}, default "frr"
            ``frr``: false rejects among genuine trials; ``far``: false accepts among impostor trials.
        role : {"claim", "subject"}, default "claim"
            Whose errors are counted together: those of a ``claim`` or of a ``subject``.

        Returns
        -------
        Individuals
            Everybody who has trials of that class.

        Raises
        ------
        TrialsError
            If ids are missing, or there are fewer than two people.
        """
        check_choice("error", error, get_args(ErrorKind))
        check_choice("role", role, get_args(Person))
        if isnan(threshold):
            raise ParameterError("the threshold must be a number, not nan")
        trials = trials_of(trials, "trials")
        if role not in trials.ids:
            raise TrialsError(f"errors by {role} need {role} ids, which these trials do not have", code="no-ids")
        rows = trials.genuine if error == "frr" else ~trials.genuine
        (codes,) = people_of(trials, role)
        tried = np.bincount(codes[rows])
        present = tried > 0
        if np.count_nonzero(present) < 2:
            word = "genuine" if error == "frr" else "impostor"
            raise TrialsError(
                f"{word} trials have fewer than two {role}s: a variance needs at least two", code="one-person"
            )
        wrong = np.bincount(codes[rows], wrong_decisions(trials, system, threshold)[rows])
        return cls.from_counts(wrong[present], tried[present])

    def by_person(self) -> tuple[Floats, Floats]:
        """Return the errors and attempts of each person, of one data set."""
        number = self.counts.astype(np.int64)
        return np.repeat(self.errors, number), np.repeat(self.attempts, number)

    def _sum(self, values: Floats) -> Any:
        return self.counts @ values

    @cached_property
    def individuals(self) -> Any:
        """The number of people, n."""
        return self.counts.sum(axis=-1)

    @cached_property
    def total_attempts(self) -> Any:
        """All attempts."""
        return self._sum(self.attempts)

    @cached_property
    def total_errors(self) -> Any:
        """All errors."""
        return self._sum(self.errors)

    @cached_property
    def estimate(self) -> Any:
        """The error rate over all attempts, eq. (1)."""
        return self.total_errors / self.total_attempts

    @cached_property
    def typical_attempts(self) -> Any:
        """The effective number of attempts of a person if they differ, m_0 of eq. (5).

        The sum is also divided by n - 1, as in the analysis of variance; the paper prints no such factor.
        """
        n = self.individuals
        mean = self.total_attempts / n
        squares = np.maximum(self._sum(self.attempts**2) - n * mean**2, 0)
        return mean - squares / (n * (n - 1) * mean)

    @cached_property
    def squared_deviations(self) -> Any:
        """The sum of the squares of m (p - pi) of eq. (3)."""
        squares = self._sum(self.errors**2)
        rate = self.estimate
        total = squares - 2 * rate * self._sum(self.errors * self.attempts) + rate**2 * self._sum(self.attempts**2)
        return np.where(total > _ROUNDING * squares, total, 0.0)

    @cached_property
    def between(self) -> Any:
        """The mean square between people, BMS."""
        weighted = self._sum(self.errors**2 / self.attempts)
        total = weighted - self.total_errors * self.estimate
        return np.where(total > _ROUNDING * weighted, total, 0.0) / (self.individuals - 1)

    @cached_property
    def within(self) -> Any:
        """The mean square within people, WMS; 0 if nobody was tested twice."""
        repeated = self.total_attempts - self.individuals
        total = self._sum(self.errors - self.errors**2 / self.attempts)
        return np.where(repeated > 0, total, 0.0) / np.maximum(repeated, 1)

    @cached_property
    def rho(self) -> Any:
        """The correlation between attempts of a person, eq. (5); 0 if nobody was tested twice, NaN without errors."""
        below = self.between + (self.typical_attempts - 1) * self.within
        with np.errstate(invalid="ignore", divide="ignore"):
            rho = (self.between - self.within) / below
        return np.where(self.total_attempts > self.individuals, rho, np.where(below > 0, 0.0, np.nan))

    @cached_property
    def variance(self) -> Any:
        """The variance of the estimate by the model of eq. (4), as in eq. (6); 0 if rho is undefined."""
        rate = self.estimate
        extra = 1 + (self.typical_attempts - 1) * np.nan_to_num(self.rho)
        return np.maximum(rate * (1 - rate) * np.where(extra > _ROUNDING, extra, 0.0) / self.total_attempts, 0.0)


PeopleLike: TypeAlias = Individuals | PathLike | tuple[ArrayLike, ArrayLike]
"""People, the file of a table with the columns errors and attempts, or errors and attempts, one of each per person."""


def as_individuals(people: PeopleLike) -> Individuals:
    """Return people as one data set of `Individuals`.

    Raises
    ------
    ParameterError
        If there are several data sets, or as for `Individuals.from_counts`.
    """
    if isinstance(people, tuple):
        return Individuals.from_counts(*people)
    if not isinstance(people, Individuals):
        return Individuals.from_counts(*read_counts(people).counts)
    if people.counts.ndim != 1:
        raise ParameterError("there must be one data set of people, not several at once", code="several-data-sets")
    return people


def people_counts(errors: ArrayLike, attempts: ArrayLike) -> tuple[Floats, Floats]:
    """Check the errors and attempts of each person, and give one number of each per person.

    Raises
    ------
    ParameterError
        As for `Individuals.from_counts`.
    """
    arrays = []
    for name, values in (("errors", errors), ("attempts", attempts)):
        try:
            numbers = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            raise ParameterError(f"{name} must be numbers, not {cut(values)}") from error
        bad = ~(np.isfinite(numbers) & (numbers >= 0) & (numbers == np.floor(numbers)))
        if bad.any():
            k = int(np.argmax(bad.reshape(-1)))
            raise ParameterError(
                f"{name} must be whole numbers of at least 0; that of individual {k + 1} is {numbers.reshape(-1)[k]:g}"
            )
        arrays.append(numbers)
    wrong, tried = arrays
    if tried.ndim == 0 or tried.size == 1:
        tried = np.full(wrong.shape, tried.reshape(-1)[0])
    if wrong.shape != tried.shape or wrong.ndim != 1:
        raise ParameterError(
            f"errors and attempts must be lists of the same length, not of {wrong.size} and {tried.size}"
        )
    if len(wrong) < 2:
        raise ParameterError(f"there must be at least two individuals, not {len(wrong)}")
    for bad, what in ((tried < 1, "has no attempt"), (wrong > tried, "has more errors than attempts")):
        if bad.any():
            k = int(np.argmax(bad))
            raise ParameterError(f"individual {k + 1} {what}: {wrong[k]:g} errors in {tried[k]:g} attempts")
    return wrong, tried
