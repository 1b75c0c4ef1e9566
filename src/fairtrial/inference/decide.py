"""Choose the threshold on dev and count its errors on test: a `Judgement`.

Every interval, test, band, region, figure and page starts from a `Judgement`; nothing chooses or counts a second time.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from inspect import signature
from math import prod
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairtrial.core.errors import ParameterError, TrialsError, check_alphas
from fairtrial.core.notes import POLARITY, Note, distances_in
from fairtrial.core.trials import Trials
from fairtrial.core.words import in_a_row, percent, plural, term, threshold_text
from fairtrial.counting.search import sort_once
from fairtrial.counting.tallies import (
    ErrorCounts,
    PooledSource,
    ScoreSource,
    add_counts,
    as_source,
    count_errors,
)
from fairtrial.inference.folds import block_sources
from fairtrial.inference.people import Cluster, People
from fairtrial.inference.person_counts import PersonCounts, cells_of_ranks
from fairtrial.inference.split import Kind, TrialSets
from fairtrial.inference.variance import Floats
from fairtrial.rules.bounds import BoundedCounts, Bounds, ErrorBoxes, choose, count
from fairtrial.rules.criteria import Criterion, CriterionLike, as_criterion, choose_thresholds
from fairtrial.rules.eer import EerDefinition, EqualErrorRate, equal_error_rate
from fairtrial.rules.measures import SUPPORT, Measure

if TYPE_CHECKING:
    from fairtrial.formats.decisions import ArrowTable


Arguments = ParamSpec("Arguments")
Value = TypeVar("Value")
Boxes: TypeAlias = tuple[ErrorBoxes, ...] | None
BOUNDS_NOTE = Note(
    "bounds",
    "from counts in cells: figures are exact at the threshold shown; bounds hold those at the threshold that the "
    "scores themselves would give",
)
_HIGH_TARGET = 0.5
"""Target FARs and FRRs from which on a warning asks whether percent were meant."""
_GIVEN = Criterion("given", lambda counts, alpha: counts.far * 0)


def once(function: Callable[Arguments, Value]) -> Callable[Arguments, Value]:
    """Make a function of a judgement, or of several on the same trials, compute the value of its arguments once.

    Not a cached property, whose lock would block other judgements while this one waits for a pass over its trials.
    """
    called_with = signature(function)

    @wraps(function)
    def remembered(*arguments: Arguments.args, **options: Arguments.kwargs) -> Value:
        bound = called_with.bind(*arguments, **options)
        bound.apply_defaults()
        judged, *others = bound.arguments.values()
        first, *further = judged if isinstance(judged, Sequence) else [judged]
        key = (function, *further, *map(_hashable, others))
        if key not in first.values:
            first.values[key] = function(*arguments, **options)
        value: Value = first.values[key]
        return value

    return remembered


def _hashable(argument: Any) -> Hashable:
    if isinstance(argument, np.ndarray):
        return argument.tobytes()
    return tuple(map(_hashable, argument)) if isinstance(argument, (list, tuple)) else argument


@dataclass(frozen=True, eq=False, repr=False)
class Judgement:
    """One system on the judged trials, at the threshold of one alpha or of several.

    Attributes
    ----------
    system : str
        The system's name.
    criterion : Criterion
        How the threshold was chosen.
    alpha : ndarray of float
        The weights or targets that the criterion took, shape (alphas,).
    sets : TrialSets
        Dev and test trials, and who shares them.
    dev : ErrorCounts or None
        Errors on the trials that set the thresholds, one entry per alpha; None if thresholds were given.
    test : ErrorCounts
        Errors on the judged trials, one entry per alpha; the threshold is NaN if several were used.
    fold_thresholds : ndarray of float or None
        For cross-validation: one row per block, one column per alpha.
    part_of : Judgement or None
        The judgement of all trials, if this one is of some of them at the same thresholds.
    boxes : tuple
        Where the errors on dev and on test may lie, one entry per alpha; None if they are exact.
    sources : tuple of (ScoreSource, ScoreSource) or None
        The scores of dev and test, if they are sorted already.
    values : dict
        The values computed so far; see `once`.

    Examples
    --------
    >>> judgement = judge(TrialSets(([0.9, 0.4], [0.1, 0.5]), ([0.8, 0.6], [0.2, 0.7])), alphas=0.5)
    >>> judgement.kind, judgement.test.threshold, judgement.test.false_accepts
    ('a priori', array([0.4]), array([1]))
    """

    system: str
    criterion: Criterion
    alpha: Floats
    sets: TrialSets
    dev: ErrorCounts | None
    test: ErrorCounts
    fold_thresholds: Floats | None = None
    part_of: Judgement | None = None
    boxes: tuple[Boxes, Boxes] = (None, None)
    sources: tuple[ScoreSource, ScoreSource] | None = None
    values: dict[Hashable, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        first = self.at(0)
        at = f"threshold {threshold_text(float(first.threshold))}, " if self.fold_thresholds is None else ""
        along = f" at the first of {plural(len(self.alpha), 'alpha')}" if len(self.alpha) > 1 else ""
        rule = "" if self.sets.origin == "given" else f"{self.criterion}, "
        return f"<Judgement: {self.system}, {self.kind}, {rule}{at}HTER {percent(first.hter)}{along}>"

    @property
    def kind(self) -> Kind:
        """Whether the figures are a priori."""
        return self.sets.kind

    @property
    def exact(self) -> bool:
        """Whether all error counts are exact, and none is bounded only."""
        return self.boxes == (None, None)

    @property
    def precision(self) -> float:
        """The precision of the counters; 0 without counters."""
        return max((getattr(data, "precision", 0.0) for data in (self.sets.dev, self.sets.test)), default=0.0)

    def bounds(self, measure: Measure, index: int = 0, *, on: Literal["dev", "test"] = "test") -> Bounds | None:
        """Bound a measure that is monotone in each error count, at one of the alphas; None if it is exact."""
        boxes = self.boxes[on == "test"]
        return None if boxes is None else boxes[index].of(measure, float(self.alpha[index]))

    @property
    def trials(self) -> Trials:
        """The judged trials.

        Raises
        ------
        TrialsError
            If there are only arrays or counts, not trials.
        """
        return self.sets.trials()

    def wrong(self, index: int = 0) -> NDArray[np.bool_]:
        """Mark the judged trials that are decided wrongly, at one of the alphas.

        Parameters
        ----------
        index : int, default 0
            Which of the alphas, by its place.

        Returns
        -------
        ndarray of bool
            One entry per judged trial.

        Raises
        ------
        TrialsError
            If there are only arrays or counts, not trials.
        """
        if self.fold_thresholds is None:
            return wrong_decisions(self.trials, self.system, float(self.test.threshold[index]))
        thresholds = self.threshold_by_trial(index)
        return ~np.isnan(thresholds) & wrong_decisions(self.trials, self.system, thresholds)

    def threshold_by_trial(self, index: int = 0) -> Floats:
        """Return the threshold of each judged trial, at one of the alphas.

        Parameters
        ----------
        index : int, default 0
            Which of the alphas, by its place.

        Returns
        -------
        ndarray of float
            One entry per judged trial; NaN if it is in no block.
        """
        count = len(self.trials)
        if self.fold_thresholds is None:
            return np.full(count, float(self.test.threshold[index]))
        thresholds_by_trial = np.full(count, np.nan)
        for block, thresholds in zip(self.sets.blocks, self.fold_thresholds, strict=True):
            thresholds_by_trial[block.held_out] = thresholds[index]
        return thresholds_by_trial

    def decisions(self, index: int = 0) -> ArrowTable:
        """Tabulate the decisions, at one of the alphas: a table of Arrow with one row per judged trial.

        Parameters
        ----------
        index : int, default 0
            Which of the alphas, by its place.

        Returns
        -------
        pyarrow.Table
            The columns ``system``, the ids of the trials, ``label``, ``score``, ``threshold``, ``decision``,
            ``error``, and all further columns; ``to_pandas()`` or ``polars.from_arrow`` make a data frame of it.
        """
        from fairtrial.formats.decisions import decisions_table

        return decisions_table(self.trials, self.system, self.threshold_by_trial(index))

    def at(self, index: int, on: Literal["dev", "test"] = "test") -> ErrorCounts:
        """Return the errors at one of the alphas, in plain numbers.

        Parameters
        ----------
        index : int
            Which of the alphas, by its place.
        on : {"dev", "test"}, default "test"
            Whether on the trials that set the threshold, or on the judged ones.

        Returns
        -------
        ErrorCounts
            The counts.
        """
        counts = self.test if on == "test" else self.dev
        assert counts is not None
        return counts[index].scalar()

    def within(self, rows: NDArray[np.int64], *, alone: bool = False) -> Judgement:
        """Judge some of the trials by the same thresholds, such as those of a group.

        Parameters
        ----------
        rows : ndarray of int
            Which of the judged trials; there must be some of both classes.
        alone : bool, default False
            Whether covariances between trials are estimated from these trials alone, and not from dev, too.

        Returns
        -------
        Judgement
            Errors on these trials; the threshold's uncertainty is computed once for all parts.

        Raises
        ------
        TrialsError
            If there are trials of one class only.
        """
        if self.fold_thresholds is not None:
            rows = rows[~np.isnan(self.threshold_by_trial()[rows])]
        sets = self.sets.within(rows, alone=alone)
        part = as_source(sets.test, system=self.system, what="test")
        if self.fold_thresholds is None:
            counts = count_errors(part, self.test.threshold)
        else:
            wrong = np.stack([self.wrong(index)[rows] for index in range(len(self.alpha))])
            genuine = self.trials.genuine[rows]
            rejects, accepts = ((wrong & of_class).sum(axis=1) for of_class in (genuine, ~genuine))
            counts = ErrorCounts(self.test.threshold, accepts, rejects, part.genuine, part.impostor)
        return replace(self, sets=sets, test=counts, values={}, sources=None, part_of=self)

    @once
    def eer(self, side: Literal["dev", "test"], definition: EerDefinition = "step-mean") -> EqualErrorRate | None:
        """Compute the equal error rate on one of the sets, once; None without that set, or if blocks were judged."""
        data = self.sets.data(side)
        if data is None or (side == "test" and self.fold_thresholds is not None):
            return None
        return equal_error_rate(data, definition=definition, system=self.system)

    def reversed_scores(self, definition: EerDefinition = "step-mean") -> Iterator[Note]:
        """Warn if impostor trials have the higher scores, as distances do."""
        side: Literal["dev", "test"] = "test" if self.eer("dev", definition) is None else "dev"
        eer = self.eer(side, definition)
        if eer is not None and eer.value > 0.5:
            advice = POLARITY[self.system in distances_in(getattr(self.sets.data(side), "notes", ()))]
            template = f"the EER on {side} is {{eer:percent}}: {advice}"
            yield Note("reversed-scores", template, self.system, warning=True, eer=eer.value)

    @property
    def can_move(self) -> bool:
        """Whether the threshold was chosen on dev scores, so that its uncertainty can be estimated."""
        return self.dev is not None and self.sets.dev is not None and self.sets.has_scores

    @property
    @once
    def choices(self) -> NDArray[np.int64]:
        """An index of thresholds for each alpha: alphas with the same thresholds have the same index."""
        rows = np.atleast_2d((self.test if self.dev is None else self.dev).threshold)
        if self.fold_thresholds is not None:
            rows = np.concatenate([rows, self.fold_thresholds])
        return np.unique(rows, axis=1, return_inverse=True)[1].ravel()

    @property
    def supported(self) -> NDArray[np.bool_]:
        """Whether dev has errors of both kinds at each alpha; elsewhere the threshold uncertainty is unknown."""
        if self.dev is None:
            return np.ones(len(self.alpha), dtype=bool)
        return np.asarray((self.dev.false_accepts > 0) & (self.dev.false_rejects > 0))

    def has_people(self, side: Literal["dev", "test"]) -> bool:
        """Check whether a set has ids of people."""
        sources, people = self.sets.sources(side), self.sets.people[side == "test"]
        return (people is not None and people.cluster != "none") or (sources is not None and bool(sources.ids))

    @property
    def people(self) -> People | PersonCounts | None:
        """The people of the judged trials, counted if the trials are not in memory; None without ids."""
        return self._people_of("test")

    def _people_of(self, side: Literal["dev", "test"]) -> People | PersonCounts | None:
        if self.sets.sources(side) is None:
            return self.sets.people[side == "test"]
        counts = self.test if self.dev is None or side == "test" else self.dev
        return count_people([self], side, [np.unique(counts.threshold)])

    @property
    def sharing(self) -> Cluster:
        """What the judged trials share; nothing if counts have no people."""
        return "none" if self.people is None else self.sets.sharing

    @once
    def source(self, side: Literal["dev", "test"] = "test") -> ScoreSource:
        """Return the scores of the system on one of the sets, sorted if they are in memory."""
        if side == "dev" and self.part_of is not None:
            return self.part_of.source("dev")
        if self.sources is not None:
            return self.sources[side == "test"]
        data = self.sets.data(side)
        assert data is not None
        return sort_once(as_source(data, system=self.system, what=side))

    @property
    @once
    def pool(self) -> ScoreSource:
        """The scores of dev and test together."""
        return self.source() if self.sets.is_one_set else PooledSource((self.source("dev"), self.source()))

    @property
    def notes(self) -> tuple[Note | str, ...]:
        """Notes on the threshold and on people who are counted."""
        people = self.people.notes if isinstance(self.people, PersonCounts) else ()
        if self.dev is None or len(self.alpha) > 1:
            return people
        errors = {"false accept": int(self.dev.false_accepts[0]), "false reject": int(self.dev.false_rejects[0])}
        if self.criterion.alpha_means != "target":
            rates = float(self.dev.frr[0]), float(self.dev.far[0])
            rarer = int(rates[1] < rates[0])
            missing = () if self.criterion.search == "crossing" else self._missing_kinds(rarer, rates[rarer])
            return (*people, *missing, *self._lacking_errors(errors))
        aim = self.criterion.aim
        weights = None if aim is None else aim.weights_at()
        which, target = int(weights is None or weights.far != 0), float(self.alpha[0])
        kind = ("false reject", "false accept")[which]
        notes: list[Note | str] = [*people]
        if aim is not None and aim.name in ("far", "frr") and target >= _HIGH_TARGET:
            text = f"the target is {('{an FRR}', '{a FAR}')[which]} of {{target:percent}}; for 1 %, give {{alpha!o}}"
            notes.append(Note("target-high", text, self.system, warning=True, target=target, alpha=0.01))
        if errors[kind] < SUPPORT:
            text = (
                f"the target rests on {{errors:plural {kind}}} on dev ({{needed}} needed): "
                "the rate reached is poorly determined"
            )
            few: dict[str, Any] = {"errors": errors[kind], "needed": SUPPORT}
            notes.append(Note("target-few-errors", text, self.system, warning=True, **few))
        return (*notes, *self._missing_kinds(which, target), *self._lacking_errors({kind: errors[kind]}))

    def _missing_kinds(self, which: int, rate: float) -> Iterator[Note]:
        """Note the kinds of people that dev and test may lack (rule of three by people), for FRR (0) or FAR (1)."""
        sets = [self._people_of("dev"), self.people] if self.sets.has_scores else []
        parts = [people.classes[which] for people in sets if people is not None and people.cluster != "none"]
        roles = [role for role in ("claim", "subject", "person") if all(role in part.role_trials for part in parts)]
        if not parts or not roles:
            return
        people, role = min(
            (int(np.count_nonzero(sum(part.role_trials[role] for part in parts))), role) for role in roles
        )
        proportion = 3 / people
        yield Note(
            "missing-kinds",
            "with {people:count} {role} in dev and test, a kind of people rarer than {proportion:percent} may be "
            f"missing; if its trials always fail, the true {{{('FRR', 'FAR')[which]}}} is higher by up to that "
            "proportion, and only more people would show it",
            self.system,
            warning=proportion > rate,
            detail=proportion <= rate,
            role={"claim": "claimed people", "subject": "subjects", "person": "people"}[role],
            people=people,
            proportion=min(proportion, 1.0),
        )

    def _lacking_errors(self, errors: Mapping[str, int]) -> Iterator[Note]:
        """Warn if dev lacks errors to estimate the uncertainty of the threshold from."""
        lacking = [f"{kind}s" for kind, count in errors.items() if count == 0]
        if lacking and self.sets.dev is not None:
            yield Note(
                "threshold-no-errors",
                "no {kinds} on dev at this threshold, so its uncertainty cannot be estimated: intervals may be too "
                "narrow, and p values too small",
                self.system,
                warning=True,
                kinds=in_a_row([term(kind) for kind in lacking]),
            )


def ignored_alpha(criterion: Criterion, alpha: float | None) -> tuple[Note, ...]:
    """Warn if the criterion does not take the caller's alpha."""
    if alpha is None or criterion.alpha_means != "none":
        return ()
    text = (
        "{alpha!o} has no effect with the criterion {criterion}; {criterion!p} wer-min takes a weight, and "
        "{criterion!p} far-at-most a target"
    )
    return (Note("alpha-ignored", text, warning=True, alpha=alpha, criterion=criterion.name),)


def judge(
    sets: TrialSets,
    *,
    system: str | None = None,
    criterion: CriterionLike = "eer",
    alphas: ArrayLike = 0.5,
    sources: Sequence[tuple[ScoreSource, ScoreSource]] = (),
) -> Judgement:
    """Choose the threshold of each alpha on dev and count its errors on the judged trials.

    Parameters
    ----------
    sets : TrialSets
        Dev and test trials, and who shares them.
    system : str, optional
        The name of the system; not needed if there is only one.
    criterion : str, Criterion, DetectionCosts or callable, default "eer"
        How the threshold is chosen on dev: a name in `CRITERIA`, a criterion, detection costs, or a function ``C(far,
        frr, alpha)`` of arrays.
    alphas : array_like, default 0.5
        The weights or targets that the criterion takes: one, or shape (alphas,).
    sources : sequence of tuple of (ScoreSource, ScoreSource), default ()
        The scores that set the threshold and those that are judged: of dev and test, if they are sorted already, or of
        every block, if each has another fit.

    Returns
    -------
    Judgement
        Thresholds and errors, one entry per alpha.

    Raises
    ------
    ParameterError
        If the criterion is unknown, or an alpha is outside [0, 1].
    TrialsError
        If trials lack a class, or there is no threshold to choose.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, Algorithm 1.

    Examples
    --------
    >>> dev = ([0.9, 0.8, 0.4, 0.7], [0.1, 0.3, 0.5, 0.2, 0.6])
    >>> test = ([0.85, 0.55, 0.45, 0.95, 0.35], [0.15, 0.65, 0.25, 0.42, 0.05, 0.5])
    >>> judgement = judge(TrialSets(dev, test), criterion="wer-equal", alphas=[0.25, 0.5])
    >>> judgement.test.threshold, judgement.test.hter.round(4)
    (array([0.4, 0.5]), array([0.35  , 0.2833]))
    """
    rule, weights = as_criterion(criterion), check_alphas(alphas)
    name = sets.system_name(system)
    if sets.dev is None:
        raise TrialsError("there are no dev trials to choose a threshold on; give the threshold, or dev trials")
    if not sets.blocks:
        dev, test = sources[0] if sources else (sets.dev, sets.test)
        at_dev = choose(dev, rule, weights, system=name, judged=sets.test)
        at_test = count(test, at_dev, system=name)
        boxes = at_dev.boxes, at_test.boxes
        given = sources[0] if sources else None
        return Judgement(name, rule, weights, sets, at_dev.counts, at_test.counts, boxes=boxes, sources=given)
    parts = [
        count_errors(held_out, choose_thresholds(others, rule, weights).threshold)
        for others, held_out in sources or block_sources(sets.trials(), sets.blocks, system=name)
    ]
    at_dev = choose(sets.dev, rule, weights, system=name, judged=sets.test)
    thresholds = np.stack([part.threshold for part in parts])
    return Judgement(name, rule, weights, sets, at_dev.counts, add_counts(parts), thresholds)


def judge_at(sets: TrialSets, threshold: float, *, system: str | None = None) -> Judgement:
    """Count the errors at a given threshold.

    Parameters
    ----------
    sets : TrialSets
        Dev and test trials, and who shares them.
    threshold : float
        The threshold; a score above it is accepted.
    system : str, optional
        The name of the system; not needed if there is only one.

    Returns
    -------
    Judgement
        The errors; figures are those of the given threshold, neither a priori nor a posteriori.

    Raises
    ------
    ParameterError
        If the threshold is not a number.
    TrialsError
        If trials lack a class, or there are several systems and none is named.

    Examples
    --------
    >>> judgement = judge_at(TrialSets(None, ([0.8, 0.6], [0.2, 0.7])), 0.5)
    >>> judgement.at(0).far, judgement.kind
    (0.5, 'at a given threshold')
    """
    if np.isnan(threshold):
        raise ParameterError("the threshold must be a number, not NaN")
    name = sets.system_name(system)
    given = BoundedCounts(ErrorCounts(np.array([float(threshold)]), None, None, None, None))
    test = count(sets.test, given, system=name)
    sets = sets.at_given_thresholds()
    return Judgement(name, _GIVEN, np.array([0.5]), sets, None, test.counts, boxes=(None, test.boxes))


@once
def count_people(
    judgements: Sequence[Judgement], side: Literal["dev", "test"], thresholds: Sequence[Floats]
) -> PersonCounts | None:
    """Count trials between rising thresholds of one system, or of several together, by person.

    None without ids of people, except for several systems that are read in pieces: these are then counted without.
    """
    sets = judgements[0].sets
    sources, people = sets.sources(side), sets.people[side == "test"]
    if sources is not None and (sets.sharing != "none" or len(judgements) > 1):
        systems = [judgement.system for judgement in judgements]
        counts: PersonCounts | None = sources.people_between(systems, thresholds, sets.sharing, sets.numbers)
        return counts
    if people is None or people.cluster == "none":
        return None
    columns = [sets.trials(side).column(judgement.system) for judgement in judgements]
    ranks = [np.searchsorted(*pair, side="left") for pair in zip(thresholds, columns, strict=True)]
    sizes = list(map(len, thresholds))
    return PersonCounts.of(people, cells_of_ranks(ranks, sizes), prod(size + 1 for size in sizes))


def wrong_decisions(trials: Trials, system: str | None, threshold: float | Floats) -> NDArray[np.bool_]:
    """Mark the trials that a system decides wrongly, at one threshold or one per trial."""
    accepted: NDArray[np.bool_] = trials.column(system).astype(np.float64, copy=False) > threshold
    return np.not_equal(accepted, trials.genuine)
