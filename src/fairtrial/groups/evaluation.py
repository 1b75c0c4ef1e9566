"""Evaluate groups of people at one threshold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import ceil, inf, isfinite, log
from numbers import Real
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri

from fairtrial.core.errors import ParameterError, TrialsError, check_choice, check_confidence, check_share
from fairtrial.core.notes import Note
from fairtrial.core.trials import Frame, Trials, TrialsLike, trials_of
from fairtrial.core.words import plural
from fairtrial.evaluation.epc import PerformanceCurve, curve_of, rising_alphas
from fairtrial.formats.columns import read_named
from fairtrial.groups.membership import Edges, Membership, PeopleTable, group_by_columns, group_by_people
from fairtrial.groups.rates import MOST_THAT_MEET, RATES, JudgedGroups, Rate
from fairtrial.groups.results import GroupEvaluation, GroupPair, GroupRates, MeetingRate, OwnThreshold, RateTest
from fairtrial.groups.summaries import Summary, summarise, summarise_differences, summarise_ginis, summarise_ratios
from fairtrial.inference.decide import ignored_alpha, judge
from fairtrial.inference.estimates import judged_interval, threshold_notes, threshold_when
from fairtrial.inference.folds import Block
from fairtrial.inference.multiplicity import adjust_p_values, compact_letters
from fairtrial.inference.people import Cluster
from fairtrial.inference.split import TrialSets
from fairtrial.inference.variance import effective_people
from fairtrial.repeated.rate_plans import attempts_for_half_width
from fairtrial.rules.criteria import CriterionLike, as_criterion
from fairtrial.rules.measures import MeasureLike, label_of

_NAMED = 6  # groups that a note names at most
_FEW_PEOPLE = 5  # effective number of people behind the errors of a group, below which it rests on few
_ERRORS = ("false accepts", "false rejects")


def evaluate_groups(
    dev: TrialsLike,
    test: TrialsLike | None = None,
    *,
    by: str | Sequence[str],
    folds: int | Sequence[Block] | None = None,
    people: PeopleTable | Frame | Mapping[str, Sequence[Any]] | str | PathLike[str] | None = None,
    person_column: str = "person",
    impostor_by: str | Sequence[str] = (),
    edges: Edges | None = None,
    system: str | None = None,
    criterion: CriterionLike = "eer",
    alpha: float | None = None,
    own_thresholds: bool = False,
    factor: float = 2.0,
    weight: float = 0.5,
    confidence: float = 0.95,
    cluster: Cluster | None = None,
    resample: Literal["test", "both"] = "both",
    rng: np.random.Generator | int | None = 0,
) -> GroupEvaluation:
    """Compute error rates by group at one threshold from dev, with simultaneous intervals, and test their differences.

    Groups may be of people, such as sex, age or origin, or of anything else: devices, sessions, kinds of attack,
    languages, hospitals. Groups may share people.

    Parameters
    ----------
    dev : Trials or data frame
        The trials that thresholds are chosen on: one threshold for all groups.
    test : Trials or data frame, optional
        The trials that are judged; not needed with `folds`.
    by : str or sequence of str
        The column to group by, or several, which are crossed. Columns of the trials, or of `people`. Empty values form
        the group ``unknown``.
    folds : int or sequence of Block, optional
        Instead of `test`: the number of folds of the people of dev, or blocks of `make_blocks`. Each
        block is judged by a threshold from other people, the same for all groups.
    people : PeopleTable, data frame, dict of str to sequence, or path, optional
        A table with the column ``person`` and the columns of `by`, one row per person, or its file. Trials belong to
        the group of their claim; the group of the impostor is that of the subject.
    person_column : str, default "person"
        The column of the file of people with their ids.
    impostor_by : str or sequence of str, default ()
        Without a table of people: the columns of the trials with the group of the impostor, as `by` has that of the
        claim.
    edges : dict of str to sequence of float, optional
        Where columns of numbers are cut: ``{"age": [30, 50]}`` makes three groups. A number on an edge is above it.
    system : str, optional
        The name of the system; not needed where there is only one.
    criterion : str, Criterion, DetectionCosts or callable, default "eer"
        How the threshold is chosen on dev: a name in `CRITERIA`, a criterion, detection costs, or a function
        ``C(far, frr, alpha)`` of arrays.
    alpha : float, optional
        The weight or the target that the criterion takes; 0.5 by default, but a criterion that aims at a target needs
        one.
    own_thresholds : bool, default False
        Whether to add each group at a threshold of its own, from its own dev trials.
    factor : float, default 2.0
        The factor within which rates count as equal.
    weight : float, default 0.5
        The weight of the FAR in summaries of both rates, between 0 and 1.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1; the intervals of one rate hold for all groups together.
    cluster : {"none", "claim", "subject", "both"}, optional
        What dependent trials share: the claimed identity, the subject, both or nothing; by default all ids that are
        known.
    resample : {"test", "both"}, default "both"
        Whether intervals are conditional on the threshold (``test``), or account for its re-estimation from other dev
        trials (``both``).
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result.

    Returns
    -------
    GroupEvaluation
        Rates by group with simultaneous intervals; a test that all groups are equal, and of every two; equivalence;
        FDR, GARBE, inequity rate and others with limits; the FAR by pair of groups if both are known.

    Raises
    ------
    TrialsError
        If a column is missing, there is one group only, or the table has a person in two groups.
    ParameterError
        If the factor, the weight or the edges are out of range.

    Notes
    -----
    The interval of each group is that of `evaluate`, simultaneous by the largest of normal deviates that are correlated
    as the rates are. Two groups are compared by their numbers of errors, scaled to effective numbers of trials. Limits
    of summaries are those of all rates that the simultaneous intervals allow. docs/coverage-groups.md has its coverage.

    References
    ----------
    ISO/IEC 19795-10; de Freitas Pereira & Marcel 2021 (FDR); Howard et al. 2022 (GARBE); Grother, NIST IR 8429, 2022.

    Examples
    --------
    >>> from fairtrial.groups import synthetic_groups
    >>> data = synthetic_groups({"a": 40, "b": 40, "c": 40}, worse={"c": 6.0})
    >>> result = evaluate_groups(data.dev, data.test, by="group")
    >>> [(row.group, row.far_letters) for row in result.groups], result.tests[0].p_value < 0.05
    ([('a', 'a'), ('b', 'a'), ('c', 'b')], True)
    """
    check_choice("resample", resample, ("test", "both"))
    check_confidence(confidence)
    check_share("weight", weight)
    if not isinstance(factor, Real) or not 1 < factor < inf:
        raise ParameterError(f"factor must be a number above 1, not {factor!r}")
    dev, test = trials_of(dev, "dev"), None if test is None else trials_of(test, "test")
    sets = TrialSets.of(dev, test, folds=folds, cluster=cluster, rng=rng)
    rule = as_criterion(criterion)
    judgement = judge(sets, system=system, criterion=rule, alphas=rule.resolve_alpha(alpha))
    if sets.blocks and np.isnan(judgement.threshold_by_trial()).any():
        raise ParameterError("{folds!p} must judge every trial of every group", code="not-judged", folds=folds)
    columns, others = _names("by", by), _names("impostor_by", impostor_by)
    if edges is not None and not isinstance(edges, Mapping):
        raise ParameterError(f'edges must be numbers by column, as {{"age": [30, 50]}}, not {edges!r}')
    for name in edges or ():
        if name not in columns:
            raise ParameterError(f"edges are given for {name}, which is not grouped by")
    if isinstance(people, str | PathLike):
        texts = read_named(people, names=(person_column, *columns), what="one row per person")
        people = PeopleTable(texts[person_column], {name: texts[name] for name in columns})
    elif person_column != "person":
        raise ParameterError(
            "{person_column!p} names a column of the file {people!p}", code="does-not-apply", person_column=0, people=0
        )
    if others and people is not None:
        text = "{impostor_by!p} is for columns of trials; a table of people already gives the impostor's group"
        raise ParameterError(text, code="does-not-apply", impostor_by=...)
    if others and len(others) != len(columns):
        raise ParameterError(f"impostor_by needs one column for each of {', '.join(columns)}, not {len(others)}")

    def group(trials: Trials) -> Membership:
        if people is None:
            return group_by_columns(trials, columns, edges=edges, impostor_by=others)
        return group_by_people(trials, PeopleTable.of(people, columns), edges=edges)

    groups = JudgedGroups(judgement, group(judgement.trials), threshold_when(resample))
    if len(groups.present) < 2:
        raise TrialsError(
            "{columns:and} puts all test trials into one group, {groups:list}: there is nothing to compare",
            code="one-group",
            columns=columns,
            groups=groups.present,
        )
    pairs = {rate: _compare(groups, rate, confidence) for rate in RATES if len(groups.families[rate].names) > 1}
    tests, letters = _test(groups, pairs, confidence, factor)
    notes: list[Note | str] = [*ignored_alpha(rule, alpha), *sets.notes, *judgement.reversed_scores()]
    notes += threshold_notes(judgement)
    notes += groups.notes
    if groups.too_many_meet:
        text = "the {FAR} by pair of groups is left out: more than {most} groups"
        notes.append(Note("pairs-left-out", text, most=MOST_THAT_MEET))
    for rate in RATES:
        lacking = [name for name in groups.present if name not in groups.families[rate].names]
        if lacking:
            trials = "impostor" if rate == "far" else "genuine"
            text = f"no {trials} trials in {{groups:list}}: the {{rate:term}} is unknown there"
            notes.append(Note("no-trials", text, groups=lacking, rate=label_of(rate)))
        notes += _too_small(groups, rate, confidence, factor)
    for test in tests:
        notes += _doubts(groups, test, confidence)
    summaries = _summarise(groups, pairs, confidence, weight)
    if any(not isfinite(summary.estimate) for summary in summaries):
        notes.append(Note("infinite", "a group without errors makes ratios infinite; lower limits remain valid"))
    at_own_thresholds: list[OwnThreshold] = []
    if own_thresholds:
        at_own_thresholds, lacking = _own_thresholds(groups, group(sets.trials("dev")), confidence)
        if lacking:
            text = "no separate threshold for {groups:list}: dev or test lacks trials of a class"
            notes.append(Note("no-own-threshold", text, groups=lacking))
    return GroupEvaluation(
        groups.membership.by,
        judgement.system,
        judgement.criterion,
        float(judgement.alpha[0]),
        float(judgement.at(0, "dev").threshold),
        judgement.kind,
        confidence,
        _rates(groups, letters, confidence),
        tests,
        tuple(pair for compared in pairs.values() for pair in compared),
        summaries,
        _meetings(groups, confidence),
        tuple(at_own_thresholds),
        tuple(notes),
        groups,
    )


def _names(what: str, columns: str | Sequence[str]) -> tuple[str, ...]:
    """Give the names of columns, each once."""
    names = (columns,) if isinstance(columns, str) else tuple(columns) if isinstance(columns, Sequence) else (columns,)
    if not all(isinstance(name, str) and name for name in names) or len(set(names)) < len(names):
        raise ParameterError(f"{what} must be the name of a column, or several of them, each once, not {columns!r}")
    return names


def _compare(groups: JudgedGroups, rate: Rate, confidence: float) -> tuple[GroupPair, ...]:
    """Compare one rate of every two groups, with intervals and p values for all pairs together."""
    family = groups.families[rate]
    first, second = family.pairs
    statistics, critical = family.statistics, family.pair_critical(confidence)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = family.rate[first] / family.rate[second]
    columns = (
        family.rate[first] - family.rate[second],
        *(np.clip(limits, -1.0, 1.0) for limits in family.difference_limits(critical)),
        ratio,
        *family.ratio_limits(critical),
        statistics,
        2 * ndtr(-abs(statistics)),
        family.adjusted(statistics),
    )
    return tuple(
        GroupPair(rate, family.names[i], family.names[j], *numbers)
        for i, j, *numbers in zip(first, second, *(column.tolist() for column in columns), strict=True)
    )


def _test(
    groups: JudgedGroups, pairs: Mapping[Rate, tuple[GroupPair, ...]], confidence: float, factor: float
) -> tuple[tuple[RateTest, ...], dict[Rate, dict[str, str]]]:
    """Test whether all groups are equal, FAR and FRR together, and give the letters of each group by rate."""
    clearest = {rate: max(compared, key=lambda pair: abs(pair.statistic)) for rate, compared in pairs.items()}
    tests, letters = [], {}
    for rate, compared in pairs.items():
        family = groups.families[rate]
        others = [pair.p_adjusted for other, pair in clearest.items() if other != rate]
        together = [float(adjust_p_values([pair.p_adjusted, *others])[0]) for pair in compared]
        # every ratio must be within the factor, so each is judged alone, and on one side at a time
        within = inf
        if confidence > 0.5:
            low, high = family.ratio_limits(float(ndtri(confidence)))
            with np.errstate(divide="ignore"):
                within = float(np.max(np.maximum(high, 1 / low)))
        tests.append(RateTest(clearest[rate], together[compared.index(clearest[rate])], factor, within))
        places = zip(*family.pairs, together, strict=True)
        differ = [(int(i), int(j)) for i, j, p_value in places if p_value < 1 - confidence]
        letters[rate] = dict(zip(family.names, compact_letters(len(family.names), differ), strict=True))
    return tuple(tests), letters


def _too_small(groups: JudgedGroups, rate: Rate, confidence: float, factor: float) -> Iterator[Note]:
    """Note groups too small to exclude a rate `factor` times lower and higher than that of all."""
    family = groups.families[rate]
    overall = family.overall
    if not 0 < overall < 1:
        return
    critical = family.critical(confidence)
    low, high = family.limits(critical)
    alone = 1 - 2 * float(ndtr(-critical))
    needed = attempts_for_half_width(overall, log(factor), scale="logit", confidence=alone)
    one, several = ("person", "people") if groups.people else ("trial", "trials")
    small = []
    for k in np.flatnonzero((low < overall / factor) & (high > overall * factor)):
        times = needed / float(family.effective[k])
        if times > 1:
            count = groups.people.get(family.names[k], int(family.trials[k]))
            small.append(f"{family.names[k]} ({plural(count, one, several)}, about {ceil(times * count):,} needed)")
    if small:
        template = (
            f"too few {several} to place the {{rate:term}} within a factor of {{factor:g}} of the overall "
            "{overall:percent}: {groups}"
        )
        named = "; ".join(small if len(small) <= _NAMED else [*small[:_NAMED], f"and {len(small) - _NAMED} more"])
        yield Note("too-small", template, rate=label_of(rate), factor=factor, overall=overall, groups=named)


def _doubts(groups: JudgedGroups, test: RateTest, confidence: float) -> Iterator[Note]:
    """Note a difference that is large but not shown, and warn of one that rests on few people."""
    family, label = groups.families[test.measure], label_of(test.measure)
    trials, membership = groups.judgement.trials, groups.membership
    rates, sigma = family.rate, family.sigma
    if test.p_adjusted >= 1 - confidence:
        worst, best = int(np.argmax(rates)), int(np.argmin(rates))
        if rates[worst] >= test.factor * rates[best] and rates[worst] > 0:
            blurred = worst if sigma[worst] >= sigma[best] else best
            yield Note(
                "poorly-estimated",
                "the {rate:term} of {worst} and {best} look different ({high:percent} and {low:percent}) but are not "
                "shown to differ: that of {blurred} is poorly estimated (standard deviation {sigma:percent})",
                rate=label,
                worst=family.names[worst],
                best=family.names[best],
                high=float(rates[worst]),
                low=float(rates[best]),
                blurred=family.names[blurred],
                sigma=float(sigma[blurred]),
            )
        return
    pair, is_frr = test.clearest, test.measure == "frr"
    worse = pair.a if pair.difference > 0 else pair.b
    wrong = groups.judgement.wrong() & (trials.genuine == is_frr) & (membership.trial == membership.names.index(worse))
    people = [trials.ids[role].numbered().codes[wrong] for role in ("claim", "subject") if role in trials.ids]
    errors = min(map(np.bincount, people), key=effective_people, default=None)
    if errors is not None and effective_people(errors) < _FEW_PEOPLE:
        yield Note(
            "few-people",
            f"the {{rate:term}} of {{group}} rests on few people: {{most}} of {{errors:count}} {{{_ERRORS[is_frr]}}} "
            "are those of one person, so that the groups may differ by chance",
            warning=True,
            rate=label,
            group=worse,
            most=int(errors.max()),
            errors=int(errors.sum()),
        )


def _rates(groups: JudgedGroups, letters: Mapping[Rate, dict[str, str]], confidence: float) -> tuple[GroupRates, ...]:
    """Report the errors and rates of each group."""
    far, frr = groups.families.values()
    intervals = [{} if family is None else family.intervals(confidence) for family in (far, frr, groups.half_totals)]
    rows = []
    for name in groups.present:
        (accepts, impostor), (rejects, genuine) = (family.counts.get(name, (0, 0)) for family in (far, frr))
        of_far, of_frr, of_hter = (of_rate.get(name) for of_rate in intervals)
        alike = [letters.get(rate, {}).get(name, "") for rate in RATES]
        people = groups.people.get(name)
        rows.append(GroupRates(name, people, accepts, impostor, rejects, genuine, of_far, of_frr, of_hter, *alike))
    return tuple(rows)


def _summarise(
    groups: JudgedGroups, pairs: Mapping[Rate, tuple[GroupPair, ...]], confidence: float, weight: float
) -> tuple[Summary, ...]:
    """Summarise one rate at the confidence, and both together at half the error probability each."""
    summaries: list[Summary] = []
    if len(pairs) == len(RATES):
        both, by_rate = 1 - (1 - confidence) / 2, []
        for family in groups.families.values():
            critical = family.pair_critical(both)
            difference = summarise_differences(family.rate, *family.difference_limits(critical))
            ginis = summarise_ginis(family.rate, *family.limits(family.critical(both)))
            by_rate.append((difference, ginis, summarise_ratios(family.rate, *family.ratio_limits(critical))[0]))
        summaries += summarise(*by_rate, weight=weight)
    for rate, compared in pairs.items():
        low, high = np.array([(pair.ratio_low, pair.ratio_high) for pair in compared]).T
        ratio, over_mean = summarise_ratios(groups.families[rate].rate, low, high)
        summaries += [Summary(f"{rate}_ratio", *ratio), Summary(f"{rate}_over_mean", *over_mean)]
    return tuple(summaries)


def _meetings(groups: JudgedGroups, confidence: float) -> tuple[MeetingRate, ...]:
    """Report the FAR by pair of groups."""
    family = groups.meetings()
    if family is None:
        return ()
    intervals = family.intervals(confidence)
    return tuple(
        MeetingRate(claim, impostor, errors, trials, intervals[claim, impostor])
        for (claim, impostor), (errors, trials) in family.counts.items()
    )


def _own_thresholds(
    groups: JudgedGroups, on_dev: Membership, confidence: float
) -> tuple[list[OwnThreshold], list[str]]:
    """Judge each group by the dev trials of the same group, and name the groups that lack trials of a class."""
    judgement, sets = groups.judgement, groups.judgement.sets
    own_thresholds, lacking = [], []
    for name in groups.present:
        rows = [
            np.flatnonzero(of.trial == (of.names.index(name) if name in of.names else -1))
            for of in (on_dev, groups.membership)
        ]
        dev, test = sets.trials("dev").rows(rows[0]), sets.trials().rows(rows[1])
        blocks = [replace(block, first=block.first[rows[1]], second=block.second[rows[1]]) for block in sets.blocks]
        blocks = [block for block in blocks if block.held_out.any()]
        sides = [dev.genuine, test.genuine, *(test.genuine[block.others] for block in blocks)]
        if any(len(np.unique(genuine)) < 2 for genuine in sides):
            lacking.append(name)
            continue
        judged = judge(
            TrialSets(dev, test, sets.cluster, sets.seed, blocks),
            system=judgement.system,
            criterion=judgement.criterion,
            alphas=judgement.alpha,
        )
        rates = (
            judged_interval(judged, measure=rate, confidence=confidence, threshold=groups.threshold)
            for rate in ("far", "frr", "hter")
        )
        own_thresholds.append(OwnThreshold(name, float(judged.at(0, "dev").threshold), *rates))
    return own_thresholds, lacking


def group_curves(
    result: GroupEvaluation,
    *,
    alphas: ArrayLike | None = None,
    criterion: CriterionLike = "wer-min",
    measure: MeasureLike = "hter",
    groups: Sequence[str] | None = None,
) -> tuple[PerformanceCurve, ...]:
    """Compute the Expected Performance Curve of every group, at thresholds that all groups share.

    Parameters
    ----------
    result : GroupEvaluation
        The result of `evaluate_groups`.
    alphas : array_like, optional
        The weights or targets that the criterion takes, rising, shape (alphas,); 0, 0.01, ..., 1 by default.
    criterion : str, Criterion, DetectionCosts or callable, default "wer-min"
        How the threshold is chosen on dev: a name in `CRITERIA`, a criterion, detection costs, or a function
        ``C(far, frr, alpha)`` of arrays.
    measure : str, Measure, DetectionCosts or callable, default "hter"
        What is reported: a name in `MEASURES`, a measure, detection costs, or a function of an `ErrorCounts`.
    groups : sequence of str, optional
        Only these groups; all that have impostor trials by default.

    Returns
    -------
    tuple of PerformanceCurve
        One curve per group, called by its name, and that of all trials last. A group without genuine trials, such as a
        kind of attack, has those of all groups.

    Raises
    ------
    ParameterError
        If a group does not exist, or has no impostor trials.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005.

    Examples
    --------
    >>> from fairtrial import evaluate_groups
    >>> from fairtrial.groups import synthetic_groups
    >>> data = synthetic_groups({"a": 40, "b": 40}, worse={"b": 4.0})
    >>> curves = group_curves(evaluate_groups(data.dev, data.test, by="group"), alphas=[0.25, 0.5, 0.75])
    >>> [curve.system for curve in curves]
    ['a', 'b', 'all trials']
    >>> bool((curves[0].threshold == curves[1].threshold).all()), bool((curves[0].far < curves[1].far).all())
    (True, True)
    """
    judgement = result.judged.judgement
    whole = judge(judgement.sets, system=judgement.system, criterion=criterion, alphas=rising_alphas(alphas))
    parts = {**result.judged.curves(whole, groups), "all trials": whole}
    return tuple(replace(curve_of(part, measure), system=name) for name, part in parts.items())
