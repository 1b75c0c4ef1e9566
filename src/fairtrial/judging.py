"""Judged once: the threshold, where it came from, the errors it makes and the people who share trials.

Every interval, test, band, region, figure and page asks a `Judgement`; nothing decides these things a second time.
What is "a priori" is decided here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairtrial.checks import as_generator, check_alphas, check_seed
from fairtrial.counted_people import CountedPeople
from fairtrial.counting.errors import (
    ErrorCounts,
    ScoreData,
    ScoreSource,
    add_counts,
    as_source,
    count_errors,
    has_sources,
)
from fairtrial.errors import ParameterError, TrialsError, listed
from fairtrial.folds import Block, block_sources
from fairtrial.formats.decisions import decisions_table
from fairtrial.formats.frames import Frame, trials_of
from fairtrial.people import Cluster, People, known_cluster, shared_people
from fairtrial.reestimation import RESAMPLES, Draws, Movement, counted_movement, threshold_movement
from fairtrial.rules.criteria import Criterion, CriterionLike, as_criterion, choose_thresholds
from fairtrial.spread import Floats
from fairtrial.tables import plural
from fairtrial.trials import Trials

if TYPE_CHECKING:
    from fairtrial.formats.decisions import ArrowTable

Origin: TypeAlias = Literal["dev", "folds", "same trials", "given"]
"""Where thresholds come from: dev trials, folds of other people, the judged trials themselves, or the caller."""
Kind: TypeAlias = Literal["a priori", "a priori (cross-validated)", "a posteriori", "at a given threshold"]
_KINDS: dict[Origin, Kind] = {
    "dev": "a priori",
    "folds": "a priori (cross-validated)",
    "same trials": "a posteriori",
    "given": "at a given threshold",
}
CHOSEN: dict[Kind, str] = {
    "a priori": "on dev",
    "a priori (cross-validated)": "from other people",
    "a posteriori": "on the same trials",
    "at a given threshold": "as given",
}
"""Where thresholds were chosen, by the kind of the figures: what follows "threshold by CRITERION"."""
SAME_TRIALS = "dev and test are the same trials, so the threshold was set on what it is judged by"
_GLANCE = 1024
SUPPORT = 30
"""The number of errors that a target needs before it can be relied on (Doddington's rule of 30)."""


@dataclass(frozen=True, eq=False)
class TrialSets:
    """The trials that set thresholds and those that are judged, and who takes part in them; for all systems.

    Parameters
    ----------
    dev : Trials, data frame, ScoreSource, tuple of two array_like or None
        The trials that thresholds are chosen on.
    test : Trials, data frame, ScoreSource or tuple of two array_like
        The trials that are judged.
    cluster : {"none", "claim", "subject", "both"}, optional
        What dependent trials share: the claimed identity, the subject, both or nothing; by default all ids that are
        known.
    seed : int, default 0
        The same seed gives the same result, for every system, so that two can be compared.
    blocks : sequence of Block, default ()
        Which trials set the threshold for which; see `make_blocks`. Dev and test are the same trials then.
    n_resamples : int, default 400
        How many resamples are drawn, of dev trials, to re-estimate the threshold.

    Raises
    ------
    TrialsError
        Different systems in dev and test.

    Examples
    --------
    >>> sets = TrialSets(([0.9, 0.4], [0.1, 0.5]), ([0.8, 0.6], [0.2, 0.3]))
    >>> sets.origin, sets.sharing
    ('dev', 'none')
    """

    dev: ScoreData | None
    test: ScoreData
    cluster: Cluster | None = None
    seed: int = 0
    blocks: Sequence[Block] = ()
    n_resamples: int = RESAMPLES

    def __post_init__(self) -> None:
        for name in ("dev", "test"):
            if isinstance(data := getattr(self, name), Frame):
                object.__setattr__(self, name, trials_of(data, name))
        if self.dev is not None:
            check_same_systems(self.dev, self.test)
        if self.cluster not in (None, "none") and not _has_systems(self.test):
            raise TrialsError(f"cluster={self.cluster!r} needs test trials with ids")

    @cached_property
    def origin(self) -> Origin:
        """Where thresholds come from."""
        if self.blocks:
            return "folds"
        if self.dev is None:
            return "given"
        return "same trials" if _same_trials(self.dev, self.test) else "dev"

    @property
    def kind(self) -> Kind:
        """Whether figures on the judged trials are a priori."""
        return _KINDS[self.origin]

    @cached_property
    def sharing(self) -> Cluster:
        """What the judged trials share."""
        if isinstance(self.test, Trials) or has_sources(self.test):
            return known_cluster(self.test, self.cluster)
        return "none"

    @cached_property
    def people(self) -> tuple[People | None, People | None]:
        """Who takes part in dev and in test, numbered together; None where every trial is of other people."""
        if self.sharing == "none" or not isinstance(self.test, Trials):
            return None, None
        if self.origin == "dev" and isinstance(self.dev, Trials):
            dev, test = People.of_sets([self.dev, self.test], self.cluster)
            return (None if dev.cluster == "none" else dev), test
        test = People.of(self.test, self.cluster)
        return (test if self.origin in ("folds", "same trials") else None), test

    @cached_property
    def overlap(self) -> int:
        """How many people take part in both dev and test."""
        if has_sources(self.dev) and has_sources(self.test):
            return 0 if self.sharing == "none" else len(self.dev.people & self.test.people)
        dev, test = self.people
        return 0 if dev is None or test is None else shared_people(dev, test)

    @cached_property
    def draws(self) -> Draws:
        """The random weights of people and trials."""
        sizes = [people.size for people in self.people if people is not None]
        return Draws(check_seed(self.seed), self.n_resamples, max(sizes, default=1))

    def with_scores(self, dev: Trials, test: Trials) -> TrialSets:
        """Give the same trials with scores of other systems, such as fused ones; who shares them is known already.

        Parameters
        ----------
        dev, test : Trials
            The same trials in the same order, with other scores.

        Returns
        -------
        TrialSets
            The sets.
        """
        found = replace(self, dev=dev, test=test)
        for name in ("origin", "sharing", "people", "overlap", "draws"):
            found.__dict__[name] = getattr(self, name)
        return found

    def within(self, rows: NDArray[np.int64]) -> TrialSets:
        """Give the same dev and only some of the judged trials, such as those of a group.

        Parameters
        ----------
        rows : ndarray of int
            Which of the judged trials.

        Returns
        -------
        TrialSets
            People keep their numbers, and thresholds come from where they came from.
        """
        assert isinstance(self.test, Trials)
        found = replace(self, test=self.test.rows(rows))
        dev, test = self.people
        part = None if test is None else test.within(rows)
        found.__dict__.update(origin=self.origin, sharing=self.sharing, people=(dev, part))
        if test is None or part is None or part.size == test.size:
            found.__dict__["draws"] = self.draws
        return found

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reader should know of the trials and their people."""
        found = _notes_of_sets(self.dev, None if self.blocks else self.test)
        if self.origin == "same trials":
            found.append(SAME_TRIALS)
        if self.origin == "dev" and self.overlap:
            found.append(
                f"{plural(self.overlap, 'person', 'people')} take part in both dev and test{_unshared(self.test)}"
            )
        if self.people[1] is not None:
            found += self.people[1].notes
        elif self.cluster == "none":
            found.append('trials are taken as independent, as cluster="none" asks')
        elif self.sharing == "none" and _has_systems(self.test):
            found.append("trials are taken as independent: without ids nothing tells which of them share a person")
        return tuple(found)


@dataclass(frozen=True, eq=False)
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
    kept : dict
        What others have found out about it and will ask again.
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
    kept: dict[Any, Any] = field(default_factory=dict, repr=False)
    part_of: Judgement | None = field(default=None, repr=False)

    @property
    def kind(self) -> Kind:
        """Whether the figures are a priori."""
        return self.sets.kind

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
        return replace(self, sets=sets, test=counts, kept={}, part_of=self)

    @property
    def movement(self) -> Movement | None:
        """How the thresholds would move with other dev trials; None where they are given."""
        # no cached_property, which locks out other judgements while this one waits for a pass over its trials
        if "movement" not in self.kept:
            self.kept["movement"] = self._find_movement()
        found: Movement | None = self.kept["movement"]
        return found

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
            return counted_movement(source, between, self.criterion, self.alpha, self.dev, self.sets.draws)
        classes = None
        if isinstance(data, Trials):
            scores = data.column(self.system)
            classes = scores[data.genuine], scores[~data.genuine]
        return threshold_movement(
            source, classes, self.sets.people[0], self.criterion, self.alpha, self.dev, self.sets.draws
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
        if "people" not in self.kept:
            self.kept["people"] = data.people_between(self.system, np.unique(self.test.threshold), cluster)
        found: CountedPeople | None = self.kept["people"]
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
        return self.system if _has_systems(self.sets.test) else None

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
        if self.dev is None or self.criterion.alpha_means != "target" or len(self.alpha) > 1:
            return people
        aim = self.criterion.aim
        weights = None if aim is None else aim.weights_at()
        far = weights is None or weights.far != 0
        errors = int((self.dev.false_accepts if far else self.dev.false_rejects)[0])
        if errors >= SUPPORT:
            return people
        word = "false accept" if far else "false reject"
        return (
            *people,
            f"{self.system}: the target rests on {plural(errors, word)} on dev; with fewer than {SUPPORT} it is "
            "hardly known what it amounts to",
        )


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
    own = name if _has_systems(sets.test) else None
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
    own = name if _has_systems(sets.test) else None
    counts = count_errors(as_source(sets.test, system=own, what="test"), np.array([float(threshold)]))
    given = TrialSets(None, sets.test, sets.cluster, sets.seed)
    if "people" in sets.__dict__:  # who shares trials need not be found out twice
        given.__dict__["people"] = (None, sets.people[1])
    return Judgement(name, _GIVEN, np.array([0.5]), given, None, counts)


_GIVEN = Criterion("given", lambda counts, alpha: counts.far * 0)


def wrong_decisions(trials: Trials, system: str | None, threshold: float | Floats) -> NDArray[np.bool_]:
    """Which trials a system decides wrongly at a threshold, or each at its own."""
    accepted: NDArray[np.bool_] = trials.column(system).astype(np.float64, copy=False) > threshold
    return np.not_equal(accepted, trials.genuine)


def seed_of(rng: np.random.Generator | int | None) -> int:
    """A seed that several systems can share: itself, or one drawn from a generator."""
    return check_seed(rng) if isinstance(rng, int) else int(as_generator(rng).integers(2**62))


def _unshared(test: ScoreData) -> str:
    """What is not known of people in both sets, where the trials are not at hand."""
    return "; that they move threshold and figure together is not counted" if has_sources(test) else ""


def _has_systems(data: ScoreData) -> bool:
    return isinstance(data, Trials) or has_sources(data)


def system_name(data: ScoreData, system: str | None) -> str:
    """The name asked for, or that of the only system."""
    if has_sources(data):
        return data.check_system(system)
    if isinstance(data, Trials):
        if system is not None:
            return data.check_system(system)
        data.column(None)
        return data.systems[0]
    return "system" if system is None else system


def check_same_systems(dev: Any, test: Any) -> None:
    """Raise an error where dev and test are trials of different systems."""
    both = [set(getattr(data, "systems", ())) for data in (dev, test)]
    if all(both) and both[0] != both[1]:
        apart = {"dev": both[0] - both[1], "test": both[1] - both[0]}.items()
        only = [f"{listed(sorted(names))} in {name} only" for name, names in apart if names]
        raise TrialsError(f"dev and test hold different systems: {'; '.join(only)}; select or rename the systems")


def _notes_of_sets(dev: ScoreData | None, test: ScoreData | None) -> list[str]:
    """The notes of both sets, each with the name of its set; those that both have once."""
    own = {
        name: data.notes
        for name, data in (("dev", dev), ("test", test))
        if isinstance(data, Trials) or has_sources(data)
    }
    places: dict[str, list[str]] = {}
    for name, notes in own.items():
        for note in notes:
            places.setdefault(note, []).append(name)
    return [f"{' and '.join(dict.fromkeys(names))}: {note}" for note, names in places.items()]


def _same_trials(dev: ScoreData, test: ScoreData) -> bool:
    """Whether dev and test are the same trials, so that nothing is a priori."""
    if dev is test:
        return True
    if isinstance(dev, Trials) and isinstance(test, Trials):
        return _same_array(dev.genuine, test.genuine) and _same_array(dev.scores, test.scores)
    if isinstance(dev, tuple) and isinstance(test, tuple):
        return all(a is b or _same_array(a, b) for a, b in zip(dev, test, strict=True))
    return has_sources(dev) and has_sources(test) and dev.same_as(test)


def _same_array(first: ArrayLike, second: ArrayLike) -> bool:
    """Whether two arrays are equal; those that differ nearly always do so at once."""
    a, b = np.asarray(first), np.asarray(second)
    return np.array_equal(a[:_GLANCE], b[:_GLANCE]) and np.array_equal(a, b)
