"""Judged once: the threshold, where it came from, the errors it makes and the people who share trials.

Every interval, test, band, region, figure and page asks a `Judgement`; nothing decides these things a second time.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairtrial.checks import check_alphas
from fairtrial.counted_people import CountedPeople
from fairtrial.counting.errors import ErrorCounts, ScoreSource, add_counts, as_source, count_errors, has_sources
from fairtrial.errors import ParameterError, TrialsError
from fairtrial.folds import block_sources
from fairtrial.formats.decisions import decisions_table
from fairtrial.reestimation import Movement, counted_movement, threshold_movement
from fairtrial.rules.criteria import Criterion, CriterionLike, as_criterion, choose_thresholds
from fairtrial.spread import Floats, effective_people
from fairtrial.tables import number_text, percent, plural, threshold_text
from fairtrial.trial_sets import Kind, TrialSets, has_systems, system_name
from fairtrial.trials import Trials

if TYPE_CHECKING:
    from fairtrial.formats.decisions import ArrowTable

Found = TypeVar("Found")
SUPPORT = 30
"""The number of errors that a target needs before it can be relied on (Doddington's rule of 30)."""
SUPPORT_PEOPLE = 10
"""The number of people who make them, of equal weight, that it needs."""
_GIVEN = Criterion("given", lambda counts, alpha: counts.far * 0)


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
        Errors on the trials that set the thresholds, one entry per alpha; None where thresholds are given.
    test : ErrorCounts
        Errors on the judged trials, one entry per alpha; the threshold is NaN where several were used.
    fold_thresholds : ndarray of float or None
        For cross-validation: one row per block, one column per alpha.
    part_of : Judgement or None
        The judgement of all trials, where this one is of some of them at the same thresholds.

    Examples
    --------
    >>> found = judge(TrialSets(([0.9, 0.4], [0.1, 0.5]), ([0.8, 0.6], [0.2, 0.7])), alphas=0.5)
    >>> found.kind, found.test.threshold, found.test.false_accepts
    ('a priori', array([0.4]), array([1]))
    """

    system: str
    criterion: Criterion
    alpha: Floats
    sets: TrialSets
    dev: ErrorCounts | None
    test: ErrorCounts
    fold_thresholds: Floats | None = None
    _kept: dict[Hashable, Any] = field(default_factory=dict)
    part_of: Judgement | None = None

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

    def once(self, key: Hashable, make: Callable[[], Found]) -> Found:
        """Find something out about the judgement, or give what was found before.

        Parameters
        ----------
        key : hashable
            What it is: whoever asks for the same must ask by the same key.
        make : callable
            What finds it out.

        Returns
        -------
        object
            What `make` gave when it was first asked for.

        Examples
        --------
        >>> found = judge_at(TrialSets(None, ([0.8, 0.6], [0.2, 0.7])), 0.5)
        >>> found.once("far", lambda: found.at(0).far), found.once("far", lambda: 0.0)
        (0.5, 0.5)
        """
        # no cached_property, which locks out other judgements while this one waits for a pass over its trials
        if key not in self._kept:
            self._kept[key] = make()
        return cast(Found, self._kept[key])

    @property
    def trials(self) -> Trials:
        """The judged trials.

        Raises
        ------
        TrialsError
            Only arrays or counts are at hand, not trials.
        """
        if not isinstance(self.sets.test, Trials):
            raise TrialsError("this needs Trials, one row per trial; build them with Trials.from_arrays")
        return self.sets.test

    def wrong(self, index: int = 0) -> NDArray[np.bool_]:
        """Tell which of the judged trials are decided wrongly, at one of the alphas.

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
            Only arrays or counts are at hand, not trials.
        """
        if self.fold_thresholds is None:
            return wrong_decisions(self.trials, self.system, float(self.test.threshold[index]))
        thresholds = self.threshold_by_trial(index)
        return ~np.isnan(thresholds) & wrong_decisions(self.trials, self.system, thresholds)

    def threshold_by_trial(self, index: int = 0) -> Floats:
        """Give the threshold by which each trial is judged, at one of the alphas.

        Parameters
        ----------
        index : int, default 0
            Which of the alphas, by its place.

        Returns
        -------
        ndarray of float
            One entry per judged trial; NaN where none of the folds judges it.
        """
        count = len(self.trials)
        if self.fold_thresholds is None:
            return np.full(count, float(self.test.threshold[index]))
        found = np.full(count, np.nan)
        for block, thresholds in zip(self.sets.blocks, self.fold_thresholds, strict=True):
            found[block.held_out] = thresholds[index]
        return found

    def decisions(self, index: int = 0) -> ArrowTable:
        """Trial by trial what is decided, at one of the alphas: a table of Arrow with one row per judged trial.

        Parameters
        ----------
        index : int, default 0
            Which of the alphas, by its place.

        Returns
        -------
        pyarrow.Table
            The columns ``system``, the ids that are known, ``label``, ``score``, ``threshold``, ``decision``,
            ``error``, and all further columns; ``to_pandas()`` or ``polars.from_arrow`` make a data frame of it.
        """
        return decisions_table(self.trials, self.system, self.threshold_by_trial(index))

    def at(self, index: int) -> ErrorCounts:
        """Give the errors on the judged trials at one of the alphas, in plain numbers.

        Parameters
        ----------
        index : int
            Which of the alphas, by its place.

        Returns
        -------
        ErrorCounts
            The counts.
        """
        return self.test[index].scalar()

    def within(self, rows: NDArray[np.int64]) -> Judgement:
        """Judge some of the trials by the same thresholds, such as those of a group.

        Parameters
        ----------
        rows : ndarray of int
            Which of the judged trials; there must be some of both classes.

        Returns
        -------
        Judgement
            Errors on these trials; how the thresholds would move is found once for all parts.

        Raises
        ------
        TrialsError
            Trials of one class only, or thresholds from folds.
        """
        if self.fold_thresholds is not None:
            raise TrialsError("trials that are judged in folds cannot be judged in part")
        sets = self.sets.within(rows)
        counts = count_errors(as_source(sets.test, system=self.own, what="test"), self.test.threshold)
        return replace(self, sets=sets, test=counts, _kept={}, part_of=self)

    @property
    def movement(self) -> Movement | None:
        """How the thresholds would move with other dev trials; None where they are given."""
        return self.once("movement", self._find_movement)

    def _find_movement(self) -> Movement | None:
        if self.dev is None or self.sets.dev is None:
            return None
        # only people of both dev and test must be drawn alike for both
        if self.part_of is not None and (self.sets.draws is self.part_of.sets.draws or not self.sets.overlap):
            return self.part_of.movement
        data = self.sets.dev
        source = as_source(data, system=self.own, what="dev")
        if has_sources(data) and self.sets.sharing != "none":
            between = partial(data.people_between, self.system, cluster=self.sets.sharing)
            return counted_movement(
                source, between, self.judged_source(), self.criterion, self.alpha, self.dev, self.sets.draws
            )
        classes = None
        if isinstance(data, Trials):
            scores = data.column(self.system)
            classes = scores[data.genuine], scores[~data.genuine]
        return threshold_movement(
            source,
            classes,
            self.sets.people[0],
            self.judged_source(),
            self.criterion,
            self.alpha,
            self.dev,
            self.sets.draws,
        )

    @property
    def supported(self) -> NDArray[np.bool_]:
        """At which alphas dev shows errors of both kinds: elsewhere nothing tells how far the threshold would move."""
        if self.dev is None:
            return np.ones(len(self.alpha), dtype=bool)
        return np.asarray((self.dev.false_accepts > 0) & (self.dev.false_rejects > 0))

    @property
    def counted_people(self) -> CountedPeople | None:
        """Who takes part in judged trials that are not at hand: at the thresholds in their order, each once."""
        data, cluster = self.sets.test, self.sets.sharing
        if not has_sources(data) or cluster == "none":
            return None
        thresholds = np.unique(self.test.threshold)
        found: CountedPeople = self.once("people", lambda: data.people_between(self.system, thresholds, cluster))
        return found

    def place_of(self, index: int) -> int:
        """Tell where the threshold of one of the alphas stands among all of them, each counted once.

        Parameters
        ----------
        index : int
            Which of the alphas, by its place.

        Returns
        -------
        int
            Its place, counted from 0.
        """
        return int(np.searchsorted(np.unique(self.test.threshold), self.test.threshold[index]))

    @property
    def own(self) -> str | None:
        """The system's name, where the trials have systems; None where there is nothing but scores."""
        return self.system if has_systems(self.sets.test) else None

    def judged_source(self) -> ScoreSource:
        """Give the judged scores.

        Returns
        -------
        ScoreSource
            The scores of the system on the judged trials.
        """
        return as_source(self.sets.test, system=self.own, what="test")

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reader should know of the threshold."""
        people = () if self.counted_people is None else self.counted_people.notes
        if self.dev is None or len(self.alpha) > 1:
            return people
        errors = {"false accept": int(self.dev.false_accepts[0]), "false reject": int(self.dev.false_rejects[0])}
        if self.criterion.alpha_means != "target":
            return (*people, *self._unmoved(errors))
        aim = self.criterion.aim
        weights = None if aim is None else aim.weights_at()
        far = weights is None or weights.far != 0
        kind = "false accept" if far else "false reject"
        return (*people, *self._rests_on(kind, errors[kind]), *self._unmoved({kind: errors[kind]}))

    def _rests_on(self, kind: str, errors: int) -> Iterator[str]:
        """Say so where a target rests on few errors on dev, or on those of few people."""
        name = f"{self.system}: the target rests on"
        if errors < SUPPORT:
            word = plural(errors, kind) if errors else f"no {kind}s"
            yield f"{name} {word} on dev; with fewer than {SUPPORT}, it is hardly known what it amounts to"
        erring = self._erring_on_dev(1 if kind == "false accept" else 0)
        if erring is not None and erring < SUPPORT_PEOPLE:
            yield (
                f"{name} the errors of {_people_text(erring)} on dev; with fewer than {SUPPORT_PEOPLE}, intervals and "
                "tests may be too sure if a few people are unlike all others"
            )

    def _unmoved(self, errors: Mapping[str, int]) -> Iterator[str]:
        """Say so where dev lacks the errors that would tell how far the threshold moves."""
        lacking = [f"{kind}s" for kind, count in errors.items() if count == 0]
        if lacking and self.sets.dev is not None:
            yield (
                f"{self.system}: dev has no {' and no '.join(lacking)} at this threshold: nothing tells how far it "
                "would move, and with the threshold re-estimated intervals and tests may be too sure"
            )

    def _erring_on_dev(self, which: int) -> float | None:
        """How many people of equal weight make the errors on dev, in the role with fewer; 0 is FRR, 1 is FAR."""
        data, people = self.sets.dev, self.sets.people[0]
        if self.dev is None or people is None or people.cluster == "none" or not isinstance(data, Trials):
            return None
        part = people.classes[which]
        wrong = wrong_decisions(data, self.system, float(self.dev.threshold[0]))[part.rows]
        if not wrong.any():
            return None
        counts = [np.bincount(column[wrong]).astype(np.float64) for column in part.people]
        return min(effective_people(own[own > 0]) for own in counts)


def _people_text(count: float) -> str:
    """So many people of equal weight, one of them in the singular."""
    shown = number_text(count, 2)
    return "one person" if shown == "1" else f"{shown} people of equal weight"


def judge(
    sets: TrialSets, *, system: str | None = None, criterion: CriterionLike = "eer", alphas: ArrayLike = 0.5
) -> Judgement:
    """Choose the threshold of each alpha and count the errors it makes on the judged trials.

    Parameters
    ----------
    sets : TrialSets
        Dev and test trials, and who shares them.
    system : str, optional
        The name of the system; not needed where there is only one.
    criterion : str, Criterion, DetectionCosts or callable, default "eer"
        How the threshold is chosen on dev: a name in `CRITERIA`, a criterion, detection costs, or a function ``C(far,
        frr, alpha)`` of arrays.
    alphas : array_like, default 0.5
        The weights or targets that the criterion takes: one, or shape (alphas,).

    Returns
    -------
    Judgement
        Thresholds, where they came from, and errors, one entry per alpha.

    Raises
    ------
    ParameterError
        A criterion that is not known, or an alpha outside [0, 1].
    TrialsError
        Trials that lack a class, or no threshold to choose.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, Algorithm 1.

    Examples
    --------
    >>> dev = ([0.9, 0.8, 0.4, 0.7], [0.1, 0.3, 0.5, 0.2, 0.6])
    >>> test = ([0.85, 0.55, 0.45, 0.95, 0.35], [0.15, 0.65, 0.25, 0.42, 0.05, 0.5])
    >>> found = judge(TrialSets(dev, test), criterion="wer-equal", alphas=[0.25, 0.5])
    >>> found.test.threshold, found.test.hter.round(4)
    (array([0.4, 0.5]), array([0.35  , 0.2833]))
    """
    rule, weights = as_criterion(criterion), check_alphas(alphas)
    name = system_name(sets.test, system)
    if sets.dev is None:
        raise TrialsError("there are no dev trials to choose a threshold on; give the threshold, or dev trials")
    own = name if has_systems(sets.test) else None
    at_dev = choose_thresholds(as_source(sets.dev, system=own, what="dev"), rule, weights)
    if not sets.blocks:
        at_test = count_errors(as_source(sets.test, system=own, what="test"), at_dev.threshold)
        return Judgement(name, rule, weights, sets, at_dev, at_test)
    if not isinstance(sets.test, Trials):
        raise TrialsError("folds need Trials, one row per trial")
    parts = [
        count_errors(held_out, choose_thresholds(others, rule, weights).threshold)
        for others, held_out in block_sources(sets.test, sets.blocks, system=own)
    ]
    thresholds = np.stack([part.threshold for part in parts])
    return Judgement(name, rule, weights, sets, at_dev, add_counts(parts), thresholds)


def judge_at(sets: TrialSets, threshold: float, *, system: str | None = None) -> Judgement:
    """Count the errors at a threshold that the caller gives.

    Parameters
    ----------
    sets : TrialSets
        Dev and test trials, and who shares them.
    threshold : float
        The threshold; a score above it is accepted.
    system : str, optional
        The name of the system; not needed where there is only one.

    Returns
    -------
    Judgement
        The errors; its figures are those of the given threshold, neither a priori nor a posteriori.

    Raises
    ------
    ParameterError
        A threshold that is not a number.
    TrialsError
        Trials that lack a class, or several systems and none named.

    Examples
    --------
    >>> found = judge_at(TrialSets(None, ([0.8, 0.6], [0.2, 0.7])), 0.5)
    >>> found.at(0).far, found.kind
    (0.5, 'at a given threshold')
    """
    if np.isnan(threshold):
        raise ParameterError("the threshold must be a number, not NaN")
    name = system_name(sets.test, system)
    own = name if has_systems(sets.test) else None
    counts = count_errors(as_source(sets.test, system=own, what="test"), np.array([float(threshold)]))
    return Judgement(name, _GIVEN, np.array([0.5]), sets.at_given_thresholds(), None, counts)


def wrong_decisions(trials: Trials, system: str | None, threshold: float | Floats) -> NDArray[np.bool_]:
    """Which trials a system decides wrongly at a threshold, or each at its own."""
    accepted: NDArray[np.bool_] = trials.column(system).astype(np.float64, copy=False) > threshold
    return np.not_equal(accepted, trials.genuine)
