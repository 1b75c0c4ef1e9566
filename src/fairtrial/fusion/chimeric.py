"""Chimeric users: the modalities of different people put together as if they were of one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fairtrial.checks import as_generator, check_number
from fairtrial.errors import ParameterError, TrialsError, listed
from fairtrial.formats.frames import TrialsLike, trials_of
from fairtrial.fusion.correlation import system_correlations
from fairtrial.fusion.judged import fuse
from fairtrial.fusion.methods import FusionMethod
from fairtrial.ids import recode
from fairtrial.intervals.rates import RateInterval
from fairtrial.tables import Column, Result, Table, interval_title, percent, plural
from fairtrial.trial_sets import seed_of
from fairtrial.trials import Trials

Codes = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ChimericStudy(Result):
    """One fusion on true users, and on chimeric ones again and again.

    Attributes
    ----------
    fusion : str
        The name of the fusion method.
    normalise : str
        The name of the normalisation.
    systems : tuple of (tuple of str, tuple of str)
        The systems of the modality that stays, and of the one that is moved.
    true : RateInterval or None
        The HTER of true users; None where there are none, as modalities come from different people.
    chimeric : tuple of RateInterval
        One HTER per assignment of people.
    correlations : tuple of (float, float, float, float) or None
        Mean correlation between the modalities on test within genuine and impostor trials: true, then chimeric.
    notes : tuple of str
        What the reader should know.

    Examples
    --------
    >>> import numpy as np
    >>> from fairtrial import Trials, chimeric_study
    >>> claim, subject = np.divmod(np.arange(400), 20)
    >>> genuine = claim == subject
    >>> scores = np.random.default_rng(0).normal(np.outer(genuine, [2.0, 2.5]))
    >>> trials = Trials.from_arrays(scores, genuine, systems=["face", "voice"], claim=claim, subject=subject)
    >>> study = chimeric_study(trials, trials, moved=["voice"], assignments=2)
    >>> len(study.hters), study.fusion
    (2, 'mean')
    """

    fusion: str
    normalise: str
    systems: tuple[tuple[str, ...], tuple[str, ...]]
    true: RateInterval | None
    chimeric: tuple[RateInterval, ...]
    correlations: tuple[float, float, float, float] | None
    notes: tuple[str, ...] = ()

    @property
    def hters(self) -> tuple[float, ...]:
        """The HTER of every assignment of people."""
        return tuple(found.estimate for found in self.chimeric)

    @property
    def mean(self) -> float:
        """The mean HTER of all assignments."""
        return fmean(self.hters)

    @property
    def between(self) -> float:
        """The standard deviation of the HTER between assignments: what the draw of one of them adds."""
        return stdev(self.hters) if len(self.hters) > 1 else float("nan")

    @property
    def within(self) -> float:
        """The standard deviation of the HTER by its people, threshold re-estimated.

        It is the root mean square of all assignments; more of them do not make it smaller: they are of the same people.
        """
        return float(np.sqrt(fmean(found.sigma**2 for found in self.chimeric)))

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        names = ("true_genuine", "true_impostor", "chimeric_genuine", "chimeric_impostor")
        return {
            "fusion": self.fusion,
            "normalise": self.normalise,
            "systems": [list(names) for names in self.systems],
            "true": None if self.true is None else self.true.to_dict(),
            "hter_mean": self.mean,
            "sd_between": self.between,
            "sd_within": self.within,
            "hter": list(self.hters),
            "correlations": None if self.correlations is None else dict(zip(names, self.correlations, strict=True)),
            "notes": list(self.notes),
        }

    def summary(self) -> str:
        """Both HTERs and the spread between assignments."""
        true = "" if self.true is None else f"true users {percent(self.true.estimate)}, "
        return (
            f"{self.fusion}, HTER: {true}chimeric {percent(self.mean)} in the mean of "
            f"{plural(len(self.chimeric), 'assignment')}, sd between them {percent(self.between)}"
        )

    def tables(self) -> tuple[Table, ...]:
        """True and chimeric users, and the correlations between their modalities."""
        confidence = self.chimeric[0].confidence
        columns = (
            Column("users", "users"),
            Column("assignments", "assignments", "count"),
            Column("hter", "mean HTER", "rate"),
            Column("interval", interval_title(confidence), "interval"),
            Column("within", "sd by people", "rate"),
            Column("between", "sd between assignments", "rate"),
            Column("range", "lowest and highest", "interval"),
        )
        records: list[dict[str, Any]] = []
        if self.true is not None:
            records.append(
                {"users": "true", "assignments": 1, "hter": self.true.estimate, "interval": self.true.interval}
                | {"within": self.true.sigma}
            )
        records.append(
            {"users": "chimeric", "assignments": len(self.chimeric), "hter": self.mean, "within": self.within}
            | {"between": self.between, "range": (min(self.hters), max(self.hters))}
        )
        caption = (
            f"{self.fusion} of {listed(self.systems[0])} with {listed(self.systems[1])}, normalisation {self.normalise}"
        )
        notes = ["sd by people: all assignments are of the same people, and no number of them makes it smaller"]
        main = Table.of("users", caption, columns, records, notes=[*notes, *self.notes])
        if self.correlations is None:
            return (main,)
        classes = (
            Column("users", "users"),
            Column("genuine", "genuine", "number"),
            Column("impostor", "impostor", "number"),
        )
        rows = (("true", *self.correlations[:2]), ("chimeric", *self.correlations[2:]))
        return main, Table("correlations", "Mean correlation between the modalities, on test", classes, rows)


def chimeric_sets(
    first: Sequence[TrialsLike], second: Sequence[TrialsLike], *, rng: np.random.Generator | int | None = 0
) -> list[Trials]:
    """Put two modalities of different people together as if they were of one person.

    Everybody of the second modality becomes somebody of the first at random, the same in all sets. A trial of the
    first modality, with its claim and its subject, gets the scores of a trial of the second in which the two people
    have become these.

    Parameters
    ----------
    first : sequence of Trials or data frame
        Sets of trials, or data frames, of one modality, such as dev and test, with claim and subject ids.
    second : sequence of Trials or data frame
        As many sets of the other modality: of the same people, or of others.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result.

    Returns
    -------
    list of Trials
        As many sets, with the systems of both modalities and the ids of the first. A note says how many trials found no
        counterpart.

    Raises
    ------
    TrialsError
        No ids, the same system in both modalities, or a class without any trial that has a counterpart.

    Notes
    -----
    People change places only with those who have the same roles in all sets (client, impostor, of dev, of test), so
    that clients stay clients. Several trials of the same two people are taken in their order.

    References
    ----------
    Poh & Bengio 2006, section 1, on why chimeric users are questioned; N. Poh & S. Bengio, Can chimeric persons be
    used in multimodal biometric authentication experiments?, MLMI 2005.

    Examples
    --------
    >>> claim, subject = np.divmod(np.arange(9), 3)
    >>> scores = np.arange(18.0).reshape(9, 2)
    >>> trials = Trials.from_arrays(scores, claim == subject, systems=["face", "voice"], claim=claim, subject=subject)
    >>> (found,) = chimeric_sets([trials.select(["face"])], [trials.select(["voice"])], rng=1)
    >>> found.column("face")[found.genuine].tolist(), found.column("voice")[found.genuine].tolist()
    ([0.0, 8.0, 16.0], [17.0, 1.0, 9.0])
    """
    return [own.trials for own in _chimeras(first, second, rng)]


class _Chimeras(NamedTuple):
    """A set of trials of chimeric users."""

    trials: Trials
    """With its notes."""
    notes: tuple[str, ...]
    """Those that say what was left out."""


def _chimeras(
    first: Sequence[TrialsLike], second: Sequence[TrialsLike], rng: np.random.Generator | int | None
) -> list[_Chimeras]:
    first, second = ([trials_of(part, "a set") for part in sets] for sets in (first, second))
    if len(first) != len(second) or not first:
        raise ParameterError(f"{len(first)} and {len(second)} sets cannot be paired: give as many of both modalities")
    for part in (*first, *second):
        if part.claim is None or part.subject is None:
            raise TrialsError("chimeric users need claim and subject ids in all sets")
    shared = set(first[0].systems) & set(second[0].systems)
    if shared:
        raise TrialsError(f"the same system is in both modalities: {listed(sorted(shared))}")
    generator = as_generator(rng)
    here, there = _People.of(first), _People.of(second)
    becomes = _assigned(here, there, generator)
    return [
        _joined(a, b, codes_a, [becomes[column] for column in codes_b], here.size)
        for a, b, codes_a, codes_b in zip(first, second, here.codes, there.codes, strict=True)
    ]


@dataclass(frozen=True, slots=True, eq=False)
class _People:
    """Everybody in several sets by number: claim and subject of each trial, and the roles of each person."""

    codes: list[tuple[Codes, Codes]]
    roles: NDArray[np.bool_]

    @property
    def size(self) -> int:
        return len(self.roles)

    @classmethod
    def of(cls, sets: Sequence[Trials]) -> _People:
        columns = recode([column for part in sets for column in (part.claim, part.subject) if column is not None])
        codes = [(columns[2 * k], columns[2 * k + 1]) for k in range(len(sets))]
        size = 1 + max(int(column.max(initial=-1)) for column in columns)
        roles = np.zeros((size, 3 * len(sets)), dtype=bool)
        for k, (part, (claim, subject)) in enumerate(zip(sets, codes, strict=True)):
            for role, who in enumerate((claim, subject[part.genuine], subject[~part.genuine])):
                roles[who, 3 * k + role] = True
        return cls(codes, roles)


def _assigned(first: _People, second: _People, rng: np.random.Generator) -> Codes:
    """Who of the first everybody of the second becomes, at random among those of the same roles; -1: nobody."""
    becomes = np.full(second.size, -1)
    for roles in np.unique(second.roles, axis=0):
        if not roles.any():
            continue
        here, there = (np.flatnonzero((own.roles == roles).all(axis=1)) for own in (second, first))
        count = min(len(here), len(there))
        becomes[rng.permutation(here)[:count]] = rng.permutation(there)[:count]
    return becomes


def _joined(a: Trials, b: Trials, people_a: tuple[Codes, Codes], people_b: Sequence[Codes], size: int) -> _Chimeras:
    """The trials of A with the scores of those of B that are of the same two people, in their order."""
    assigned = np.flatnonzero(np.minimum(*people_b) >= 0)
    pairs = people_a[0] * size + people_a[1], (people_b[0] * size + people_b[1])[assigned]
    turns = [_turn(own) for own in pairs]
    most = 1 + max(int(own.max(initial=0)) for own in turns)
    keys = [own * most + turn for own, turn in zip(pairs, turns, strict=True)]
    _, rows_a, rows_b = np.intersect1d(keys[0], keys[1], assume_unique=True, return_indices=True)
    order = np.argsort(rows_a, kind="stable")
    rows_a, rows_b = rows_a[order], assigned[rows_b[order]]
    genuine = a.genuine[rows_a]
    if not genuine.any() or genuine.all():
        raise TrialsError("no trial of one class has a counterpart in the other modality: people or trials differ")
    found = a.rows(rows_a)
    scores = np.concatenate([found.scores.astype(np.float64), b.scores[rows_b].astype(np.float64)], axis=1)
    lost = len(a) - len(rows_a)
    left_out = (f"{plural(lost, 'trial')} without a counterpart left out",) if lost else ()
    trials = Trials(scores, genuine, (*a.systems, *b.systems), claim=found.claim, subject=found.subject)
    return _Chimeras(trials.with_notes(*found.notes, *left_out), left_out)


def _turn(pairs: Codes) -> Codes:
    """How many earlier trials are of the same two people."""
    order = np.argsort(pairs, kind="stable")
    ordered = pairs[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])) if len(ordered) else np.empty(0, int)
    counts = np.diff(np.append(starts, len(ordered)))
    turn = np.empty(len(pairs), dtype=np.int64)
    turn[order] = np.arange(len(pairs)) - np.repeat(starts, counts)
    return turn


def chimeric_study(
    dev: TrialsLike,
    test: TrialsLike,
    *,
    moved: Sequence[str] | None = None,
    other: tuple[TrialsLike, TrialsLike] | None = None,
    assignments: int = 50,
    fusion: str | FusionMethod = "mean",
    normalise: str = "none",
    confidence: float = 0.95,
    rng: np.random.Generator | int | None = 0,
    progress: Callable[[], None] | None = None,
) -> ChimericStudy:
    """Judge a fusion on chimeric users, again and again, beside true users.

    Parameters
    ----------
    dev : Trials or data frame
        The trials that thresholds are chosen on: of all systems of true users, or of one modality where `other` has the
        second.
    test : Trials or data frame
        The trials that are judged, of the same systems.
    moved : sequence of str, optional
        The systems of the modality whose people are exchanged.
    other : tuple of (Trials or data frame, Trials or data frame), optional
        In place of `moved`: dev and test trials of the second modality, of other people.
    assignments : int, default 50
        How many times people are assigned at random.
    fusion : str or FusionMethod, default "mean"
        A fusion method, or its name in `FUSIONS`.
    normalise : str, default "none"
        How scores are normalised before: a name in `NORMALISATIONS`.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result. It is that of the first assignment.
    progress : callable, optional
        Called as work proceeds, after each assignment.

    Returns
    -------
    ChimericStudy
        The HTER of every assignment, its spread between assignments and by people, and that of true users.

    Raises
    ------
    ParameterError
        Neither or both of `moved` and `other`, systems that are not there, or no assignment.
    TrialsError
        As in `chimeric_sets`.

    References
    ----------
    Poh & Bengio, Database, protocols and tools for evaluating score-level fusion, 2006, section 1, on why chimeric
    users are questioned; Poh & Bengio, Can chimeric persons be used in multimodal biometric authentication
    experiments?, MLMI 2005.

    Examples
    --------
    >>> import numpy as np
    >>> from fairtrial import Trials
    >>> claim, subject = np.divmod(np.arange(400), 20)
    >>> genuine = claim == subject
    >>> scores = np.random.default_rng(0).normal(np.outer(genuine, [2.0, 2.5]))
    >>> trials = Trials.from_arrays(scores, genuine, systems=["face", "voice"], claim=claim, subject=subject)
    >>> study = chimeric_study(trials, trials, moved=["voice"], assignments=2)
    >>> study.systems
    (('face',), ('voice',))
    """
    if assignments < 1:
        raise ParameterError(f"there must be at least 1 assignment of people, not {assignments}")
    check_number("assignment", assignments, most=100_000)
    if (moved is None) == (other is None):
        raise ParameterError("say either which systems are moved, or give the trials of the other modality")
    dev, test = trials_of(dev, "dev"), trials_of(test, "test")
    if moved is not None:
        for name in moved:
            dev.check_system(name)
        stay = [name for name in dev.systems if name not in moved]
        if not stay or not moved:
            raise ParameterError(
                f"both modalities need a system; moved are {listed(moved) or 'none'} of {listed(dev.systems)}"
            )
        first, second = ([part.select(names) for part in (dev, test)] for names in (stay, list(moved)))
    else:
        assert other is not None
        first, second = [dev, test], [trials_of(part, "other") for part in other]
    names = first[0].systems, second[0].systems
    true, found, correlations = None, [], []
    if moved is not None:
        true = fuse(
            dev, test, systems=[*names[0], *names[1]], fusion=fusion, normalise=normalise, confidence=confidence
        )
        correlations.append(_between(test, names))
    notes: dict[str, None] = {}
    seed = seed_of(rng)
    for number in range(assignments):
        sets = _chimeras(first, second, seed + number)
        result = fuse(sets[0].trials, sets[1].trials, fusion=fusion, normalise=normalise, confidence=confidence)
        found.append(result.evaluation.interval)
        correlations.append(_between(sets[1].trials, names))
        notes |= dict.fromkeys(note for own in sets for note in own.notes)
        if progress is not None:
            progress()
    method = result.scores.fusion
    both = None
    if true is not None:
        both = (*correlations[0], *np.mean(correlations[1:], axis=0).tolist())
    interval = None if true is None else true.evaluation.interval
    return ChimericStudy(method, normalise, names, interval, tuple(found), both, tuple(notes))


def _between(trials: Trials, names: tuple[tuple[str, ...], tuple[str, ...]]) -> tuple[float, float]:
    """Mean correlations between systems of the two modalities within genuine and within impostor trials."""
    found = system_correlations(trials, systems=[*names[0], *names[1]])
    block = slice(0, len(names[0])), slice(len(names[0]), None)
    return float(found.genuine.correlation[block].mean()), float(found.impostor.correlation[block].mean())
