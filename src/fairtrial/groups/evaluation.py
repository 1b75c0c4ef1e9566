"""Evaluate groups of people at one threshold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import ceil, inf, isfinite, log
from numbers import Real
from os import PathLike
from typing import Any, Literal

import numpy as np

from fairtrial.core.errors import (
    ParameterError,
    TrialsError,
    check_choice,
    check_confidence,
    check_resamples,
    check_share,
)
from fairtrial.core.notes import Note
from fairtrial.core.trials import Trials
from fairtrial.core.words import listed, percent, plural, term
from fairtrial.formats.columns import read_named
from fairtrial.formats.frames import Frame, TrialsLike, trials_of
from fairtrial.groups.comparison import RateComparison, compare_rates
from fairtrial.groups.covariance import HalfTotals, RateFamily
from fairtrial.groups.membership import Edges, Membership, PeopleTable, group_by_columns, group_by_people
from fairtrial.groups.results import (
    MOST_THAT_MEET,
    RATES,
    GroupEvaluation,
    GroupRates,
    JudgedGroups,
    MeetingRate,
    OwnThreshold,
    Rate,
)
from fairtrial.groups.summaries import OVER_MEAN, RATIO, Summary, summarise, summarise_one
from fairtrial.inference.decide import judge
from fairtrial.inference.estimates import Threshold, threshold_when
from fairtrial.inference.intervals import RateInterval
from fairtrial.inference.limits import judged_interval
from fairtrial.inference.multipliers import RESAMPLES
from fairtrial.inference.people import Cluster
from fairtrial.inference.split import TrialSets, seed_of
from fairtrial.repeated.rate_plans import attempts_for_half_width
from fairtrial.rules.criteria import CriterionLike, as_criterion
from fairtrial.rules.measures import label_of

_CLASS = {"far": "impostor", "frr": "genuine"}


def group_remarks(
    groups: JudgedGroups,
    comparisons: Mapping[Rate, RateComparison],
    summaries: Sequence[Summary],
    *,
    confidence: float,
    factor: float,
) -> list[Note | str]:
    """All notes on groups, those of their trials and people first."""
    found: list[Note | str] = [*groups.judgement.sets.notes, *groups.judgement.notes, *groups.membership.notes]
    if groups.too_many_meet:
        found.append(
            Note(
                "pairs-left-out",
                "the {FAR} by pair of groups is left out: more than {most} groups",
                most=MOST_THAT_MEET,
            )
        )
    for rate in RATES:
        lacking = [name for name in groups.present if name not in groups.names(rate)]
        if lacking:
            found.append(f"no {_CLASS[rate]} trials in {listed(lacking)}: the {term(label_of(rate))} is unknown there")
        found += _too_small(groups, rate, confidence, factor)
    for comparison in comparisons.values():
        found += _only_certainty_differs(groups, comparison, confidence, factor)
    if any(not isfinite(own.estimate) for own in summaries):
        found.append("a group without any error makes ratios infinite; lower limits say what is shown all the same")
    return found


def _too_small(groups: JudgedGroups, rate: Rate, confidence: float, factor: float) -> list[str]:
    """Groups that may be much better than all or much worse, for all that is known, and what would be needed."""
    from scipy.special import ndtr

    family, names = groups.families[rate], groups.names(rate)
    overall = float(family.grouped.errors.sum() / max(family.grouped.trials.sum(), 1))
    if not 0 < overall < 1:
        return []
    critical = family.critical(confidence)
    low, high = family.limits(critical)
    alone = 1 - 2 * float(ndtr(-critical))
    needed = attempts_for_half_width(overall, log(factor), scale="logit", confidence=alone)
    small = []
    for k in np.flatnonzero((low < overall / factor) & (high > overall * factor)):
        times = needed * float(family.grouped.alike[k, k])
        if times > 1:
            count = groups.people.get(names[k], int(family.grouped.trials[k]))
            size = plural(count, "person", "people") if groups.people else plural(count, "trial")
            small.append(f"{names[k]} ({size}; about {ceil(times * count):,} would tell)")
    if not small:
        return []
    return [
        f"too small to say anything of their {term(label_of(rate))}, which may be less than 1/{factor:g} or more than "
        f"{factor:g} times the {percent(overall)} of all: {', '.join(small)}"
    ]


def _only_certainty_differs(
    groups: JudgedGroups, comparison: RateComparison, confidence: float, factor: float
) -> list[str]:
    """A note where rates look different, are not shown to be, and are unequally well known."""
    rate = comparison.test.measure
    family, names = groups.families[rate], groups.names(rate)
    rates, sigma = family.rate, family.sigma
    worst, best = int(np.argmax(rates)), int(np.argmin(rates))
    if comparison.test.p_value < 1 - confidence or rates[worst] < factor * rates[best] or rates[worst] == 0:
        return []
    blurred = worst if sigma[worst] >= sigma[best] else best
    return [
        f"the {term(label_of(rate))} of {names[worst]} and {names[best]} look different ({percent(rates[worst])} and "
        f"{percent(rates[best])}) but are not shown to differ: that of {names[blurred]} is known with a standard "
        f"deviation of {percent(sigma[blurred])} only, so it may be the quality of the estimate that differs"
    ]


_METHOD = "simultaneous"


def evaluate_groups(
    dev: TrialsLike,
    test: TrialsLike,
    *,
    by: str | Sequence[str],
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
    n_resamples: int = RESAMPLES,
    rng: np.random.Generator | int | None = 0,
) -> GroupEvaluation:
    """Find error rates by group at one threshold from dev: for whom it is worse, and how sure that is.

    Groups may be of people, such as sex, age or origin, or of anything else: devices, sessions, kinds of attack,
    languages, hospitals. Groups may share people.

    Parameters
    ----------
    dev : Trials or data frame
        The trials that thresholds are chosen on: one threshold for all groups.
    test : Trials or data frame
        The trials that are judged.
    by : str or sequence of str
        The column to group by, or several, which are crossed. Columns of the trials, or of `people`. Empty values and
        the like make a group of their own, ``unknown``.
    people : PeopleTable, data frame, dict of str to sequence, or path, optional
        A table with the column ``person`` and the columns of `by`, one row per person, or its file. Trials belong to
        the group of their claim; the group of the impostor is that of the subject.
    person_column : str, default "person"
        The column of the file of people that says who it is.
    impostor_by : str or sequence of str, default ()
        Without a table of people: the columns of the trials that say of the impostor what `by` says of the claim.
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
        Whether to show as well what thresholds of their own would change: one per group, from its own dev trials.
    factor : float, default 2.0
        How many times another a rate may be for groups to count as equal.
    weight : float, default 0.5
        What the FAR weighs in summaries of both rates, between 0 and 1.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1; the intervals of one rate hold for all groups together.
    cluster : {"none", "claim", "subject", "both"}, optional
        What dependent trials share: the claimed identity, the subject, both or nothing; by default all ids that are
        known.
    resample : {"test", "both"}, default "both"
        Whether the leading intervals take the threshold as it is (``test``), or as re-estimated from other dev trials
        (``both``).
    n_resamples : int, default 400
        How many resamples are drawn, of dev trials, to re-estimate the threshold.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result.

    Returns
    -------
    GroupEvaluation
        Rates by group with simultaneous intervals; a test that all groups are equal, and of every two; equivalence;
        FDR, GARBE, inequity rate and others with limits; the FAR by pair of groups where both are known.

    Raises
    ------
    TrialsError
        A column that is not there, one group only, a person in two groups of the table.
    ParameterError
        A factor, weight or edges that are not possible.

    Notes
    -----
    The covariance of the rates is that of two-way clustering, as in `evaluate`. Intervals are simultaneous by the
    largest of normal deviates that are correlated as the rates are. Two groups are compared by their numbers of errors,
    worth as many as they would be in independent trials if people of all groups varied alike. Limits of summaries are
    those of all rates that the simultaneous intervals allow. docs/groups.md says how well this was found to hold.

    References
    ----------
    ISO/IEC 19795-10; de Freitas Pereira & Marcel 2021 (FDR); Howard et al. 2022 (GARBE); Grother, NIST IR 8429, 2022.

    Examples
    --------
    >>> from fairtrial.groups import synthetic_groups
    >>> data = synthetic_groups({"a": 40, "b": 40, "c": 40}, worse={"c": 4.0})
    >>> found = evaluate_groups(data.dev, data.test, by="group")
    >>> [(own.group, own.far_letters) for own in found.groups], found.tests[0].p_value < 0.05
    ([('a', 'a'), ('b', 'a'), ('c', 'b')], True)
    """
    check_choice("resample", resample, ("test", "both"))
    check_confidence(confidence)
    check_share("weight", weight)
    if not isinstance(factor, Real) or not 1 < factor < inf:
        raise ParameterError(f"factor must be a number above 1, not {factor!r}")
    dev, test = trials_of(dev, "dev"), trials_of(test, "test")
    sets = TrialSets(dev, test, cluster, seed_of(rng), n_resamples=check_resamples(n_resamples))
    rule = as_criterion(criterion)
    judgement = judge(sets, system=system, criterion=rule, alphas=rule.resolve_alpha(alpha))
    columns, others = _names("by", by), _names("impostor_by", impostor_by)
    _check_edges(edges)
    if isinstance(people, str | PathLike):
        texts = read_named(people, names=(person_column, *columns), what="one row per person")
        people = PeopleTable(texts[person_column], {name: texts[name] for name in columns})
    elif person_column != "person":
        raise ParameterError(
            "{person_column!p} names a column of the file {people!p}", code="does-not-apply", person_column=0, people=0
        )

    def group(trials: Trials) -> Membership:
        return _membership(trials, columns, people, others, edges)

    groups = JudgedGroups(judgement, group(test), threshold_when(resample))
    if len(groups.present) < 2:
        raise TrialsError(
            f"{' and '.join(columns)} puts all test trials into one group, {listed(groups.present)}: there is nothing "
            "to compare"
        )
    found = _evaluation(groups, confidence, factor, weight)
    if not own_thresholds:
        return found
    own, notes = _at_own_thresholds(groups, group(dev), confidence)
    return replace(found, own_thresholds=own, notes=(*found.notes, *notes))


def _names(what: str, columns: str | Sequence[str]) -> tuple[str, ...]:
    """Names of columns, each once."""
    found = (columns,) if isinstance(columns, str) else tuple(columns) if isinstance(columns, Sequence) else (columns,)
    if not all(isinstance(name, str) and name for name in found) or len(set(found)) < len(found):
        raise ParameterError(f"{what} must be the name of a column, or several of them, each once, not {columns!r}")
    return found


def _check_edges(edges: Edges | None) -> None:
    """Edges by column, each a sequence of numbers."""
    known = edges if isinstance(edges, Mapping) else {} if edges is None else {"": edges}
    for name, places in known.items():
        if not name or isinstance(places, str) or not isinstance(places, Sequence | np.ndarray):
            raise ParameterError(f'edges must be numbers by column, as {{"age": [30, 50]}}, not {edges!r}')
        if not all(isinstance(place, Real) for place in places):
            raise ParameterError(f"edges of {name} must be numbers, not {list(places)!r}")


def _membership(
    trials: Trials,
    by: Sequence[str],
    people: PeopleTable | Frame | Mapping[str, Sequence[Any]] | None,
    impostor_by: Sequence[str],
    edges: Edges | None,
) -> Membership:
    strange = sorted(set(edges or {}) - set(by))
    if strange:
        raise ParameterError(f"edges are given for {', '.join(strange)}, which is not grouped by")
    if people is None:
        if impostor_by and len(impostor_by) != len(by):
            raise ParameterError(f"impostor_by needs one column for each of {', '.join(by)}, not {len(impostor_by)}")
        return group_by_columns(trials, by, edges=edges, impostor_by=impostor_by)
    if impostor_by:
        raise ParameterError("impostor_by is for columns of trials; a table of people says the impostor's group itself")
    return group_by_people(trials, PeopleTable.of(people, by), edges=edges)


def _evaluation(groups: JudgedGroups, confidence: float, factor: float, weight: float) -> GroupEvaluation:
    judgement = groups.judgement
    comparisons = {
        rate: compare_rates(groups.families[rate], groups.names(rate), rate, confidence=confidence, factor=factor)
        for rate in RATES
        if len(groups.names(rate)) > 1
    }
    summaries = _summaries(groups, confidence, weight)
    found = comparisons.values()
    return GroupEvaluation(
        groups.membership.by,
        judgement.system,
        judgement.criterion,
        float(judgement.alpha[0]),
        float(judgement.test.threshold[0]),
        judgement.kind,
        confidence,
        _rates(groups, comparisons, confidence),
        tuple(own.test for own in found),
        tuple(pair for own in found for pair in own.pairs),
        tuple(own.equivalence for own in found),
        summaries,
        _meetings(groups, confidence),
        notes=tuple(group_remarks(groups, comparisons, summaries, confidence=confidence, factor=factor)),
        judged=groups,
    )


def _intervals(
    family: RateFamily | HalfTotals, names: Sequence[str], measure: str, confidence: float
) -> dict[str, RateInterval]:
    """Intervals that hold for all groups together, by group."""
    low, high = family.limits(family.critical(confidence))
    rate, sigma = family.rate, family.sigma
    threshold: Threshold = "re-estimated" if family.threshold_moves else "fixed"
    return {
        name: RateInterval(
            float(rate[k]), float(low[k]), float(high[k]), float(sigma[k]), confidence, _METHOD, measure, threshold
        )
        for k, name in enumerate(names)
    }


def _rates(
    groups: JudgedGroups, comparisons: Mapping[Rate, RateComparison], confidence: float
) -> tuple[GroupRates, ...]:
    far, frr = (_intervals(groups.families[rate], groups.names(rate), rate, confidence) for rate in RATES)
    totals = groups.half_totals()
    hter = {} if totals is None else _intervals(totals[1], totals[0], "hter", confidence)
    errors = {
        rate: dict(zip(groups.names(rate), groups.families[rate].grouped.errors.tolist(), strict=True))
        for rate in RATES
    }
    trials = {rate: dict(zip(groups.membership.names, groups.trials[rate].tolist(), strict=True)) for rate in RATES}
    letters = {rate: comparisons[rate].letters if rate in comparisons else {} for rate in RATES}
    return tuple(
        GroupRates(
            name,
            groups.people.get(name),
            errors["far"].get(name, 0),
            trials["far"][name],
            errors["frr"].get(name, 0),
            trials["frr"][name],
            far.get(name),
            frr.get(name),
            hter.get(name),
            letters["far"].get(name, ""),
            letters["frr"].get(name, ""),
        )
        for name in groups.present
    )


def _summaries(groups: JudgedGroups, confidence: float, weight: float) -> tuple[Summary, ...]:
    """Limits of one rate at the confidence; those of both together at half the doubt each."""
    both = 1 - (1 - confidence) / 2
    families = {rate: family for rate, family in groups.families.items() if family.size > 1}
    found: list[Summary] = []
    if len(families) == len(RATES):
        far, frr = ((own.rate, *own.limits(own.critical(both))) for own in families.values())
        found += summarise(far, frr, weight=weight)
    for rate, family in families.items():
        limits = family.limits(family.critical(confidence))
        found.append(summarise_one(family.rate, *limits, name=f"{rate}_ratio", kind=RATIO))
        found.append(summarise_one(family.rate, *limits, name=f"{rate}_over_mean", kind=OVER_MEAN))
    return tuple(found)


def _meetings(groups: JudgedGroups, confidence: float) -> tuple[MeetingRate, ...]:
    known = groups.meetings()
    if known is None:
        return ()
    pairs, family = known
    intervals = _intervals(family, [f"{claim}, {impostor}" for claim, impostor in pairs], "far", confidence)
    return tuple(
        MeetingRate(*pair, errors, trials, interval)
        for pair, errors, trials, interval in zip(
            pairs, family.grouped.errors.tolist(), family.grouped.trials.tolist(), intervals.values(), strict=True
        )
    )


def _at_own_thresholds(
    groups: JudgedGroups, dev: Membership, confidence: float
) -> tuple[tuple[OwnThreshold, ...], list[str]]:
    """What thresholds of their own would change: each group judged by the dev trials of the same group."""
    judgement, sets = groups.judgement, groups.judgement.sets
    assert isinstance(sets.dev, Trials)
    found, missing = [], []
    for name in groups.present:
        own_dev, own_test = (
            trials.rows(np.flatnonzero(own.trial == (own.names.index(name) if name in own.names else -1)))
            for trials, own in ((sets.dev, dev), (judgement.trials, groups.membership))
        )
        if any(len(np.unique(part.genuine)) < 2 for part in (own_dev, own_test)):
            missing.append(name)
            continue
        own = TrialSets(own_dev, own_test, sets.cluster, sets.seed, n_resamples=sets.n_resamples)
        judged = judge(own, system=judgement.system, criterion=judgement.criterion, alphas=judgement.alpha)
        far, frr, hter = (
            judged_interval(judged, measure=rate, confidence=confidence, threshold=groups.threshold)
            for rate in ("far", "frr", "hter")
        )
        found.append(OwnThreshold(name, float(judged.test.threshold[0]), far, frr, hter))
    notes = [f"no threshold of their own for {listed(missing)}: dev or test lacks trials of a class"] if missing else []
    return tuple(found), notes
