"""Several systems on the same trials, each at its threshold, pair by pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairtrial.calibration.comparing import bootstrap_figure, check_finite, evidence_test
from fairtrial.calibration.measures import (
    AnyMeasureLike,
    EvidenceMeasure,
    as_any_measure,
    errors_only,
    judged_evidence,
    judged_figure,
)
from fairtrial.checks import as_generator, check_confidence
from fairtrial.claims import Alternative
from fairtrial.comparison.results import Comparison, PairComparison, SystemRank
from fairtrial.errors import ParameterError, TrialsError, listed, shown
from fairtrial.folds import Block, make_halves
from fairtrial.formats import TrialsLike, trials_of
from fairtrial.intervals.bootstrap import Bootstrap, Progress
from fairtrial.judging import Judgement, judge
from fairtrial.people import Cluster
from fairtrial.rules.criteria import Criterion, CriterionLike, as_criterion
from fairtrial.rules.measures import Measure
from fairtrial.significance.folds import (
    REPEATS,
    corrected_resampled_test,
    five_by_two_test,
    fold_differences,
    fold_without_class,
)
from fairtrial.significance.multiple import Correction, adjust_p_values, compact_letters
from fairtrial.significance.paired import Pair, bootstrap_difference, bootstrap_test, every_test, pair_judgements
from fairtrial.significance.results import TestResult, equivalence_test
from fairtrial.trial_sets import TrialSets, seed_of
from fairtrial.trials import Trials

_BOOTSTRAP = 0.8
"""The part of the time that a pair takes that goes into its bootstrap."""


def compare(
    dev: TrialsLike,
    test: TrialsLike,
    *,
    systems: Sequence[str] | None = None,
    reference: str | None = None,
    criterion: CriterionLike = "eer",
    alpha: float | None = None,
    measure: AnyMeasureLike = "hter",
    cluster: Cluster | None = None,
    correction: Correction = "holm",
    alternative: Alternative = "two-sided",
    margin: float | None = None,
    confidence: float = 0.95,
    n_resamples: int = 10_000,
    rng: np.random.Generator | int | None = 0,
    workers: int = 1,
    progress: Progress | None = None,
) -> Comparison:
    """Compare systems on the same test trials, each at the threshold that dev gives.

    Parameters
    ----------
    dev : Trials or data frame
        The trials that thresholds are chosen on.
    test : Trials or data frame
        The trials that are judged.
    systems : sequence of str, optional
        The names of the systems, two or more; all by default.
    reference : str, optional
        The system that all others are compared with; by default every pair is compared.
    criterion : str, Criterion, DetectionCosts or callable, default "eer"
        How the threshold is chosen on dev: a name in `CRITERIA`, a criterion, detection costs, or a function
        ``C(far, frr, alpha)`` of arrays.
    alpha : float, optional
        The weight or the target that the criterion takes; 0.5 by default, but a criterion that aims at a target needs
        one.
    measure : str, Measure, EvidenceMeasure, DetectionCosts or callable, default "hter"
        What is compared: a name in `MEASURES`, a measure, detection costs, or a function of an `ErrorCounts`. One of
        evidence, as ``cllr``, ``cllr-min`` or ``act-dcf@.01``, is that of the scores calibrated on dev.
    cluster : {"none", "claim", "subject", "both"}, optional
        What dependent trials share: the claimed identity, the subject, both or nothing; by default all ids that are
        known.
    correction : {"holm", "bh", "none"}, default "holm"
        How p values are adjusted for the number of pairs: by Holm, by Benjamini and Hochberg (``bh``), or not at all.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        What is claimed of A - B: that it is not 0, below 0 (``less``) or above 0 (``greater``).
    margin : float, optional
        The largest difference that does not matter, a fraction; where given, equivalence is tested too.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1, of intervals and of the letters.
    n_resamples : int, default 10000
        How many resamples are drawn, for the bootstrap and the permutation test.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result.
    workers : int, default 1
        How many work at once; the result does not depend on it. They are threads.
    progress : callable, optional
        Called as work proceeds, with the part of a pair that was done; all pairs together come to their number.

    Returns
    -------
    Comparison
        Every test of every pair, the one to go by first, and the ranking.

    Raises
    ------
    ParameterError
        A criterion, measure, correction or number that cannot be.
    TrialsError
        Fewer than two systems, or different systems in dev and test.

    Notes
    -----
    The tests with re-estimated thresholds ask whether the system is better, its threshold chosen on new dev trials;
    those with fixed thresholds ask it of these two thresholds. Trials that share people are not taken as independent
    where ids are known.

    References
    ----------
    Bengio & Mariéthoz, A statistical significance test for person authentication, 2004, eqs. (15) and (16).

    Examples
    --------
    >>> import numpy as np
    >>> genuine = np.arange(400) < 100
    >>> scores = np.random.default_rng(0).normal(np.outer(genuine, [1.5, 3.0]))
    >>> trials = Trials.from_arrays(scores, genuine, systems=["old", "new"])
    >>> dev, test = (trials.rows(np.arange(start, 400, 2)) for start in (0, 1))
    >>> found = compare(dev, test, n_resamples=100)
    >>> found
    <Comparison: HTER of new 10.00 % (a), old 23.67 % (b); 1 pair>
    >>> found.pairs[0].tests[0].p_value < 0.05
    True
    """
    seed = seed_of(rng)
    asked = _Asked(
        as_criterion(criterion), alpha, as_any_measure(measure), correction, alternative, margin, confidence,
        n_resamples, seed, workers, progress,
    )  # fmt: skip
    dev, test = trials_of(dev, "dev"), trials_of(test, "test")
    return _compared(TrialSets(dev, test, cluster, seed), test, systems, reference, asked)


def cross_validated_comparison(
    trials: TrialsLike,
    blocks: Sequence[Block],
    *,
    five_by_two: bool = False,
    systems: Sequence[str] | None = None,
    reference: str | None = None,
    criterion: CriterionLike = "eer",
    alpha: float | None = None,
    measure: AnyMeasureLike = "hter",
    cluster: Cluster | None = None,
    correction: Correction = "holm",
    alternative: Alternative = "two-sided",
    margin: float | None = None,
    confidence: float = 0.95,
    n_resamples: int = 10_000,
    rng: np.random.Generator | int | None = 0,
    workers: int = 1,
    progress: Progress | None = None,
) -> Comparison:
    """Compare systems with one set of trials only: each block judged by thresholds from other people.

    Besides the tests of `compare`, on the held-out trials of all blocks together, there is the corrected resampled t
    test over the folds, of errors at a threshold.

    Parameters
    ----------
    trials : Trials or data frame
        The only set there is: trials, or a data frame of them.
    blocks : sequence of Block
        Which trials set the threshold for which; see `make_blocks`.
    five_by_two : bool, default False
        Add Dietterich's 5x2cv test: five times people are dealt into halves, each judged by thresholds of the other.
    systems : sequence of str, optional
        The names of the systems, two or more; all by default.
    reference : str, optional
        The system that all others are compared with; by default every pair is compared.
    criterion : str, Criterion, DetectionCosts or callable, default "eer"
        How the threshold is chosen on dev: a name in `CRITERIA`, a criterion, detection costs, or a function
        ``C(far, frr, alpha)`` of arrays.
    alpha : float, optional
        The weight or the target that the criterion takes; 0.5 by default, but a criterion that aims at a target needs
        one.
    measure : str, Measure, EvidenceMeasure, DetectionCosts or callable, default "hter"
        What is compared: a name in `MEASURES`, a measure, detection costs, or a function of an `ErrorCounts`. One of
        evidence, as ``cllr``, ``cllr-min`` or ``act-dcf@.01``, is that of scores calibrated on other people.
    cluster : {"none", "claim", "subject", "both"}, optional
        What dependent trials share: the claimed identity, the subject, both or nothing; by default all ids that are
        known.
    correction : {"holm", "bh", "none"}, default "holm"
        How p values are adjusted for the number of pairs: by Holm, by Benjamini and Hochberg (``bh``), or not at all.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        What is claimed of A - B: that it is not 0, below 0 (``less``) or above 0 (``greater``).
    margin : float, optional
        The largest difference that does not matter, a fraction; where given, equivalence is tested too.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1, of intervals and of the letters.
    n_resamples : int, default 10000
        How many resamples are drawn, for the bootstrap and the permutation test.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result. It is also that of the halves.
    workers : int, default 1
        How many work at once; the result does not depend on it. They are threads.
    progress : callable, optional
        Called as work proceeds, with the part of a pair that was done; all pairs together come to their number.

    Returns
    -------
    Comparison
        As of `compare`. Thresholds in the ranking are those that all trials give.

    Raises
    ------
    TrialsError
        Fewer than two systems, or a half of the people without genuine or impostor trials among themselves.

    References
    ----------
    Nadeau & Bengio 2003; Dietterich 1998.

    Examples
    --------
    >>> import numpy as np
    >>> from fairtrial import make_blocks
    >>> claim, subject = np.divmod(np.arange(400), 20)
    >>> scores = np.outer(claim == subject, [1.5, 3.0]) + np.random.default_rng(0).normal(size=(400, 2))
    >>> trials = Trials.from_arrays(
    ...     scores, claim == subject, systems=["old", "new"], claim=claim, subject=subject
    ... )
    >>> result = cross_validated_comparison(trials, make_blocks(trials, 4), n_resamples=100)
    >>> result.kind, result.pairs[0].tests[-1].test
    ('a priori (cross-validated)', 'corrected-resampled')
    """
    seed = seed_of(rng)
    known = as_any_measure(measure)
    if five_by_two:
        errors_only([known], "the 5x2cv test leaves trials out, so that it takes errors at a threshold only")
    asked = _Asked(
        as_criterion(criterion), alpha, known, correction, alternative, margin, confidence, n_resamples,
        seed, workers, progress,
    )  # fmt: skip
    trials = trials_of(trials, "trials")
    sets = TrialSets(trials, trials, cluster, seed, blocks)
    return _compared(sets, trials, systems, reference, asked, five_by_two=five_by_two)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is asked of every pair."""

    criterion: Criterion
    alpha: float | None
    measure: Measure | EvidenceMeasure
    correction: Correction
    alternative: Alternative
    margin: float | None
    confidence: float
    n_resamples: int
    seed: int
    workers: int
    progress: Progress | None

    def advance(self, done: float, of: float = 1.0) -> None:
        """Tell that so much of a part of a pair is done."""
        if self.progress is not None:
            self.progress(of * done)

    def judged(self, sets: TrialSets, names: Sequence[str]) -> dict[str, Judgement]:
        """The systems by name, each at its thresholds."""
        alpha = self.criterion.resolve_alpha(self.alpha)
        return {name: judge(sets, system=name, criterion=self.criterion, alphas=alpha) for name in names}


def _compared(
    sets: TrialSets,
    test: Trials,
    systems: Sequence[str] | None,
    reference: str | None,
    asked: _Asked,
    *,
    five_by_two: bool = False,
) -> Comparison:
    check_confidence(asked.confidence)
    names = list(test.systems) if systems is None else [systems] if isinstance(systems, str) else list(systems)
    _check_names(names, test, reference)
    judged = asked.judged(sets, names)
    wanted = list(combinations(names, 2)) if reference is None else [(n, reference) for n in names if n != reference]
    lacking = fold_without_class(sets.blocks, test.genuine) if sets.blocks else ""
    halves = [asked.judged(own, names) for own in _half_sets(sets, test)] if five_by_two else []
    found = []
    for a, b in wanted:
        pair = pair_judgements(judged[a], judged[b])
        if isinstance(asked.measure, EvidenceMeasure):
            tests, replicates = _evidence_tests(pair, asked.measure, asked)
        else:
            replicates = bootstrap_difference(
                pair,
                measure=asked.measure,
                n_resamples=asked.n_resamples,
                rng=asked.seed,
                workers=asked.workers,
                progress=partial(asked.advance, of=_BOOTSTRAP),
            )
            deals = [pair_judgements(own[a], own[b]) for own in halves]
            over_folds = bool(sets.blocks) and not lacking
            tests = _tests(pair, replicates, asked.measure, asked, deals, over_folds=over_folds)
        found.append((pair, tests, replicates))
        asked.advance(1.0 if isinstance(asked.measure, EvidenceMeasure) else 1 - _BOOTSTRAP)
    pairs = tuple(
        PairComparison(a, b, pair.counts_a, pair.counts_b, tests, own, replicates, asked.confidence, pair.agreement)
        for (a, b), (pair, tests, replicates), own in zip(
            wanted, found, _adjusted([tests for _, tests, _ in found], asked.correction), strict=True
        )
    )
    notes = [*sets.notes, *(note for judgement in judged.values() for note in judgement.notes)]
    if sets.blocks and isinstance(asked.measure, EvidenceMeasure):
        lacking = f"{asked.measure.label} is a figure of all trials together"
    if isinstance(asked.measure, Measure) and asked.measure.direction:
        notes.append(asked.measure.direction)
    if lacking:
        notes.append(f"there is no test over the folds: {lacking}")
    alpha = asked.criterion.resolve_alpha(asked.alpha)
    ranking = _ranking(pairs, judged, asked.measure, alpha, asked.confidence)
    kind = next(iter(judged.values())).kind
    if isinstance(asked.measure, EvidenceMeasure):
        kind = asked.measure.told(sets.provenance)
    return Comparison(
        asked.measure, asked.criterion, alpha, asked.correction, pairs, ranking, kind, judged, tuple(notes)
    )


def _half_sets(sets: TrialSets, trials: Trials) -> list[TrialSets]:
    """The same trials, people dealt into halves as often as the 5x2cv test asks."""
    rng = as_generator(sets.seed)
    return [replace(sets, blocks=make_halves(trials, cluster=sets.cluster, rng=rng)) for _ in range(REPEATS)]


def _tests(
    pair: Pair, replicates: Bootstrap, measure: Measure, asked: _Asked, deals: Sequence[Pair], *, over_folds: bool
) -> tuple[TestResult, ...]:
    own: dict[str, Any] = {"measure": measure, "alternative": asked.alternative}
    tests = [*every_test(pair, replicates, n_resamples=asked.n_resamples, rng=asked.seed, **own)]
    if over_folds:
        tests.append(corrected_resampled_test(fold_differences(pair, measure), **own))
    if deals:
        tests.append(five_by_two_test([fold_differences(deal, measure) for deal in deals], **own))
    if asked.margin is not None:
        tests.append(equivalence_test(tests[0], asked.margin))
    return tuple(tests)


def _evidence_tests(pair: Pair, measure: EvidenceMeasure, asked: _Asked) -> tuple[tuple[TestResult, ...], Bootstrap]:
    """Every test of a figure of evidence, the one to go by first, and the bootstrap behind one of them."""
    evidence = judged_evidence(measure, pair.a)
    first, second = (judged_figure(measure, own) for own in (pair.a, pair.b))
    check_finite(measure, {pair.a.system: first, pair.b.system: second})
    difference = first - second
    own: dict[str, Any] = {"alternative": asked.alternative}
    tests = [evidence_test(measure, evidence, difference, **own)]
    if tests[0].threshold == "re-estimated":
        tests.append(evidence_test(measure, evidence, difference, threshold="fixed", **own))
    replicates = bootstrap_figure(difference, evidence, n_resamples=asked.n_resamples, rng=asked.seed)
    tests.append(
        replace(bootstrap_test(replicates, **own), measure=measure.name, is_share=measure.is_share, label=measure.label)
    )
    if asked.margin is not None:
        tests.append(equivalence_test(tests[0], asked.margin))
    return tuple(tests), replicates


def _adjusted(tests: Sequence[tuple[TestResult, ...]], correction: Correction) -> list[tuple[float, ...]]:
    """The p values of each pair's tests, each test adjusted over the pairs."""
    columns: list[NDArray[np.float64]] = [
        adjust_p_values([test.p_value for test in same], correction) for same in zip(*tests, strict=True)
    ]
    return [tuple(row) for row in np.array(columns).T.tolist()]


def _check_names(names: Sequence[str], test: Trials, reference: str | None) -> None:
    for name in [*names, *([reference] if reference is not None else [])]:
        if name not in test.systems:
            raise TrialsError(f"there is no system {shown(name)}; there are {listed(test.systems)}")
    if len(set(names)) != len(names):
        raise ParameterError(f"a system is named twice: {listed(names)}")
    if len(names) < 2:
        raise TrialsError(f"comparing needs two systems; only one was given: {listed(names) or 'none'}")
    if reference is not None and reference not in names:
        raise ParameterError(f"the reference {shown(reference)} must be one of the systems compared")


def _ranking(
    pairs: Sequence[PairComparison],
    judged: dict[str, Judgement],
    measure: Measure | EvidenceMeasure,
    alpha: float,
    confidence: float,
) -> tuple[SystemRank, ...]:
    values = {name: _value(measure, judgement, alpha) for name, judgement in judged.items()}
    order = sorted(values, key=lambda name: -values[name] if measure.higher_is_better else values[name])
    place = {name: index for index, name in enumerate(order)}
    different = [
        (min(place[pair.a], place[pair.b]), max(place[pair.a], place[pair.b]))
        for pair in pairs
        if pair.adjusted[0] < 1 - confidence
    ]
    letters = compact_letters(len(order), different) if _all_tested(pairs, len(order)) else [""] * len(order)
    return tuple(
        SystemRank(name, _threshold(judged[name]), judged[name].at(0), values[name], letters[place[name]])
        for name in order
    )


def _all_tested(pairs: Sequence[PairComparison], systems: int) -> bool:
    """Whether every system was tested against every other, for a difference of either sign."""
    return 2 * len(pairs) == systems * (systems - 1) and pairs[0].headline.alternative == "two-sided"


def _value(measure: Measure | EvidenceMeasure, judgement: Judgement, alpha: float) -> float:
    if isinstance(measure, EvidenceMeasure):
        return judged_figure(measure, judgement).estimate
    return float(measure(judgement.at(0), alpha))


def _threshold(judgement: Judgement) -> float:
    """The threshold that would go into use; that of all trials where folds have their own."""
    assert judgement.dev is not None
    return float(judgement.dev.threshold[0])
