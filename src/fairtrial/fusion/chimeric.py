"""Chimeric users: modalities of different people combined as if they were one person's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import ParameterError, TrialsError, as_generator, check_number
from fairtrial.core.notes import Note
from fairtrial.core.results import Field, Result
from fairtrial.core.tables import Column, Table
from fairtrial.core.trials import Trials, TrialsLike, recode, sorted_rows, trials_of
from fairtrial.core.words import in_a_row, interval_text, interval_title, listed, percent, plural
from fairtrial.fusion.fusion import fuse
from fairtrial.fusion.methods import FusionMethod
from fairtrial.fusion.model import system_names
from fairtrial.fusion.prediction import system_correlations
from fairtrial.inference.intervals import RateInterval
from fairtrial.inference.split import TrialSets, seed_of

Codes = NDArray[np.int64]


_CORRELATIONS = ("true_genuine", "true_impostor", "chimeric_genuine", "chimeric_impostor")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ChimericStudy(Result):
    """One fusion on true users, and on many assignments of chimeric users.

    Attributes
    ----------
    fusion : str
        The name of the fusion method.
    normalise : str
        The name of the normalisation.
    systems : tuple of (tuple of str, tuple of str)
        The systems of the modality that stays, and of the one that is moved.
    true : RateInterval or None
        The HTER of true users; None if the modalities come from different people.
    chimeric : tuple of RateInterval
        One HTER per assignment of people.
    correlations : tuple of (float, float, float, float) or None
        Mean correlation between the modalities on test within genuine and impostor trials: true, then chimeric.
    notes : tuple of Note
        What the reader should know.

    Examples
    --------
    >>> import numpy as np
    >>> from fairtrial import Trials
    >>> from fairtrial.fusion import chimeric_study
    >>> claim, subject = np.divmod(np.arange(400), 20)
    >>> genuine = claim == subject
    >>> scores = np.random.default_rng(0).normal(np.outer(genuine, [2.0, 2.5]))
    >>> trials = Trials.from_arrays(scores, genuine, systems=["face", "voice"], claim=claim, subject=subject)
    >>> study = chimeric_study(trials, trials, moved=["voice"], assignments=2)
    >>> len(study.hters), study.fusion
    (2, 'mean')
    """

    FIELDS: ClassVar = (
        Field("fusion"),
        Field("normalise"),
        Field("systems"),
        Field("true", get=lambda study: study.true and study.true.to_dict()),
        Field("hter_mean", get="mean"),
        Field("sd_between", get="between"),
        Field("sd_within", get="within"),
        Field("hter", get="hters"),
        Field(
            "correlations",
            get=lambda study: study.correlations and dict(zip(_CORRELATIONS, study.correlations, strict=True)),
        ),
        Field("notes"),
    )

    fusion: str
    normalise: str
    systems: tuple[tuple[str, ...], tuple[str, ...]]
    true: RateInterval | None
    chimeric: tuple[RateInterval, ...]
    correlations: tuple[float, float, float, float] | None
    notes: tuple[Note, ...] = ()

    @property
    def hters(self) -> tuple[float, ...]:
        """The HTER of every assignment of people."""
        return tuple(interval.estimate for interval in self.chimeric)

    @property
    def mean(self) -> float:
        """The mean HTER of all assignments."""
        return fmean(self.hters)

    @property
    def between(self) -> float:
        """The standard deviation of the HTER between assignments."""
        return stdev(self.hters) if len(self.hters) > 1 else float("nan")

    @property
    def within(self) -> float:
        """The standard deviation by people, threshold re-estimated: root mean square of all assignments.

        More assignments do not make it smaller: they have the same people.
        """
        return float(np.sqrt(fmean(interval.sigma**2 for interval in self.chimeric)))

    def answer(self) -> str:
        """Give the HTER of true users, if known, and the mean and range of chimeric ones."""
        true = ""
        if self.true is not None:
            true = f"{percent(self.true.estimate)} ({interval_text(*self.true.interval)} %) with true users and of "
        return (
            f"{self.fusion} of {in_a_row(self.systems[0])} with {in_a_row(self.systems[1])} has an HTER of {true}"
            f"{percent(self.mean)} on average over {plural(len(self.hters), 'chimeric assignment')}, which range from "
            f"{interval_text(min(self.hters), max(self.hters))} %"
        )

    def tables(self) -> tuple[Table, ...]:
        """Tabulate true and chimeric users, and the correlations between their modalities."""
        columns = (
            Column("users", "users"),
            Column("assignments", "assignments", "count", optional=True),
            Column("hter", "mean HTER", "rate"),
            Column("interval", interval_title(self.chimeric[0].confidence), "interval"),
            Column("within", "sd by people", "rate"),
            Column("between", "sd between", "rate"),
            Column("range", "lowest and highest", "interval"),
        )
        ends = min(self.hters), max(self.hters)
        rows: tuple[tuple[Any, ...], ...]
        rows = (("chimeric", len(self.chimeric), self.mean, None, self.within, self.between, ends),)
        if self.true is not None:
            rows = (("true", 1, self.true.estimate, self.true.interval, self.true.sigma, None, None), *rows)
        caption = (
            f"{self.fusion} of {listed(self.systems[0])} with {listed(self.systems[1])}, normalisation {self.normalise}"
        )
        template = "sd by people: more assignments of the same people do not make it smaller"
        same = Note("same-people", template, detail=True)
        users = Table("users", caption, columns, rows, (same, *self.notes))
        if self.correlations is None:
            return (users,)
        classes = (columns[0], Column("genuine", "genuine", "number"), Column("impostor", "impostor", "number"))
        values = (("true", *self.correlations[:2]), ("chimeric", *self.correlations[2:]))
        return users, Table("correlations", "Mean correlation between the modalities, on test", classes, values)


def chimeric_sets(
    first: Sequence[TrialsLike], second: Sequence[TrialsLike], *, rng: np.random.Generator | int | None = 0
) -> list[Trials]:
    """Combine two modalities of different people as if they were one person's.

    Each person of the second modality is assigned a person of the first at random, the same in all sets. A trial of the
    first modality, with its claim and its subject, gets the scores of a trial of the second whose two people are
    assigned to these.

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
        As many sets, with the systems of both modalities and the ids of the first. A note counts the trials without a
        counterpart.

    Raises
    ------
    TrialsError
        If there are no ids, a system is in both modalities, or no trial of a class has a counterpart.

    Notes
    -----
    People are assigned only to people with the same roles in all sets (client, impostor, of dev, of test), so that
    clients stay clients. Several trials of the same two people are matched in the order of their probes, or at random
    if there are no probe ids.

    References
    ----------
    Poh & Bengio 2006, section 1, on why chimeric users are questioned; N. Poh & S. Bengio, Can chimeric persons be
    used in multimodal biometric authentication experiments?, MLMI 2005.

    Examples
    --------
    >>> claim, subject = np.divmod(np.arange(9), 3)
    >>> scores = np.arange(18.0).reshape(9, 2)
    >>> trials = Trials.from_arrays(scores, claim == subject, systems=["face", "voice"], claim=claim, subject=subject)
    >>> (mixed,) = chimeric_sets([trials.select(["face"])], [trials.select(["voice"])], rng=1)
    >>> mixed.column("face")[mixed.genuine].tolist(), mixed.column("voice")[mixed.genuine].tolist()
    ([0.0, 8.0, 16.0], [17.0, 1.0, 9.0])
    """
    first, second = ([trials_of(part, "a set") for part in sets] for sets in (first, second))
    if len(first) != len(second) or not first:
        raise ParameterError(
            f"{len(first)} and {len(second)} sets cannot be paired: give as many of both modalities", code="pairing"
        )
    if any(part.claim is None or part.subject is None for part in (*first, *second)):
        raise TrialsError("chimeric users need claim and subject ids in all sets", code="no-ids")
    shared = set(first[0].systems) & set(second[0].systems)
    if shared:
        raise TrialsError(f"the same system is in both modalities: {listed(sorted(shared))}", code="same-system")
    generator = as_generator(rng)
    (people, roles), (other_people, other_roles) = _people(first), _people(second)
    assigned = np.full(len(other_roles), -1)  # to nobody
    for role in np.unique(other_roles, axis=0):
        if role.any():
            here, there = (np.flatnonzero((each == role).all(axis=1)) for each in (other_roles, roles))
            count = min(len(here), len(there))
            assigned[generator.permutation(here)[:count]] = generator.permutation(there)[:count]
    return [
        _joined(a, b, codes, [assigned[column] for column in others], len(roles), generator)
        for a, b, codes, others in zip(first, second, people, other_people, strict=True)
    ]


def _people(sets: Sequence[Trials]) -> tuple[list[tuple[Codes, Codes]], NDArray[np.bool_]]:
    """Number the people of several sets: claim and subject of each trial, and the roles of each person."""
    columns = recode([column for part in sets for column in (part.claim, part.subject) if column is not None])
    codes = [(columns[2 * k], columns[2 * k + 1]) for k in range(len(sets))]
    roles = np.zeros((1 + max(int(column.max(initial=-1)) for column in columns), 3 * len(sets)), dtype=bool)
    for k, (part, (claim, subject)) in enumerate(zip(sets, codes, strict=True)):
        for role, who in enumerate((claim, subject[part.genuine], subject[~part.genuine])):
            roles[who, 3 * k + role] = True
    return codes, roles


def _joined(
    a: Trials,
    b: Trials,
    people_a: tuple[Codes, Codes],
    people_b: Sequence[Codes],
    size: int,
    generator: np.random.Generator,
) -> Trials:
    """Give the trials of A the scores of the trials of B that have the same two people."""
    assigned = np.flatnonzero(np.minimum(*people_b) >= 0)
    keys = [people_a[0] * size + people_a[1], (people_b[0] * size + people_b[1])[assigned]]
    for k, (part, pairs) in enumerate(zip((a, b.rows(assigned)), keys, strict=True)):
        # number the trials of the same two people: by probe if both modalities have probes, otherwise at random
        noise = np.empty(len(part), dtype=np.int64)
        noise[sorted_rows(part)] = generator.permutation(len(part))
        keys_within: list[NDArray[np.integer]] = [noise]
        if part.probe is not None and a.probe is not None and b.probe is not None:
            keys_within.append(recode([part.probe])[0])
        order = np.lexsort((*keys_within, pairs))
        _, start, count = np.unique(pairs[order], return_index=True, return_counts=True)
        turn = np.empty(len(pairs), dtype=np.int64)
        turn[order] = np.arange(len(pairs)) - np.repeat(start, count)
        keys[k] = pairs * (1 + max(len(a), len(b))) + turn
    _, rows_a, rows_b = np.intersect1d(keys[0], keys[1], assume_unique=True, return_indices=True)
    order = np.argsort(rows_a, kind="stable")
    rows_a, rows_b = rows_a[order], assigned[rows_b[order]]
    kept = a.rows(rows_a)
    if not kept.genuine.any() or kept.genuine.all():
        raise TrialsError(
            "no trial of one class has a counterpart in the other modality: people or trials differ",
            code="no-counterpart",
        )
    scores = np.concatenate([kept.scores.astype(np.float64), b.scores[rows_b].astype(np.float64)], axis=1)
    lost = len(a) - len(kept)
    template = "{count:plural trial} without a counterpart left out"
    notes = (Note("no-counterpart", template, count=lost),) if lost else ()
    trials = Trials(scores, kept.genuine, (*a.systems, *b.systems), claim=kept.claim, subject=kept.subject)
    return trials.with_notes(*kept.notes, *notes)


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
    progress: Callable[[float], None] | None = None,
) -> ChimericStudy:
    """Judge a fusion on many assignments of chimeric users, beside true users.

    Parameters
    ----------
    dev : Trials or data frame
        The trials that thresholds are chosen on: of all systems of true users, or of one modality if `other` has the
        second.
    test : Trials or data frame
        The trials that are judged, of the same systems.
    moved : sequence of str, optional
        The systems of the modality whose people are exchanged.
    other : tuple of (Trials or data frame, Trials or data frame), optional
        Instead of `moved`: dev and test trials of the second modality, of other people.
    assignments : int, default 50
        The number of random assignments of people.
    fusion : str or FusionMethod, default "mean"
        A fusion method, or its name in `FUSIONS`.
    normalise : str, default "none"
        The normalisation of the scores: a name in `NORMALISATIONS`.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result. It is that of the first assignment.
    progress : callable, optional
        Called as work proceeds, with the proportion of it done since the last call; they sum to 1.

    Returns
    -------
    ChimericStudy
        The HTER of every assignment, its spread between assignments and by people, and that of true users.

    Raises
    ------
    ParameterError
        If neither or both of `moved` and `other` are given, a modality has no system, or there is no assignment.
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
    check_number("assignment", assignments, most=100_000)
    if (moved is None) == (other is None):
        raise ParameterError("give either {moved!p} or {other!p}", code="modality", moved=moved, other=other)
    dev, test = trials_of(dev, "dev"), trials_of(test, "test")
    how: dict[str, Any] = {"fusion": fusion, "normalise": normalise, "confidence": confidence}
    true = None
    if other is not None:
        first, second = [dev, test], [trials_of(part, "other") for part in other]
        names = first[0].systems, second[0].systems
    else:
        exchanged = system_names(dev, moved)
        names = tuple(name for name in dev.systems if name not in exchanged), tuple(map(dev.check_system, exchanged))
        if not all(names):
            text = f"both modalities need a system; moved are {listed(exchanged) or 'none'} of {listed(dev.systems)}"
            raise ParameterError(text, code="modality")
        first, second = ([part.select(systems) for part in (dev, test)] for systems in names)
        true = fuse(dev, test, systems=[*names[0], *names[1]], **how)
    intervals, correlations = [], []
    shared = TrialSets(first[0], first[1]).notes
    notes = dict.fromkeys(note for note in shared if isinstance(note, Note) and note.warning)
    seed = seed_of(rng)
    for number in range(assignments):
        sets = chimeric_sets(first, second, rng=seed + number)
        result = fuse(*sets, **how)
        intervals.append(result.evaluation.interval())
        if true is not None:
            correlations.append(_between(sets[1], names))
        notes |= dict.fromkeys(
            note for part in sets for note in part.notes if isinstance(note, Note) and note.code == "no-counterpart"
        )
        if progress is not None:
            progress(1 / assignments)
    interval, both = None, None
    if true is not None:
        interval = true.evaluation.interval()
        both = (*_between(test, names), *np.mean(correlations, axis=0).tolist())
    return ChimericStudy(result.scores.fusion, normalise, names, interval, tuple(intervals), both, tuple(notes))


def _between(trials: Trials, names: tuple[tuple[str, ...], tuple[str, ...]]) -> tuple[float, float]:
    """Average the correlations between systems of the two modalities within genuine and within impostor trials."""
    both = system_correlations(trials, systems=[*names[0], *names[1]])
    block = slice(0, len(names[0])), slice(len(names[0]), None)
    return float(both.genuine.correlation[block].mean()), float(both.impostor.correlation[block].mean())
