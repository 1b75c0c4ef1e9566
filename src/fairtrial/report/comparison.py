"""The page of a comparison of systems."""

from __future__ import annotations

from fairtrial.comparison import Comparison, SystemRank
from fairtrial.epc import performance_curve
from fairtrial.intervals.clusters import SharedPeople
from fairtrial.people import Cluster
from fairtrial.report.limits import interval_at, limits_along, sharing
from fairtrial.report.page import Captions, Page, Repeat
from fairtrial.report.parts import ADJUSTED, EPC, INDEPENDENT, PRIOR, ROBUST, joined, trials_table
from fairtrial.report.views import Asked, SystemView, explored, system_view
from fairtrial.tables import Terms, in_percent, p_phrase, translate
from fairtrial.trials import Trials


def comparison_page(
    result: Comparison,
    dev: Trials,
    test: Trials,
    repeat: Repeat,
    *,
    confidence: float = 0.95,
    cluster: Cluster | None = None,
    terms: Terms = "default",
) -> Page:
    """The page of a comparison of systems.

    Parameters
    ----------
    result
        Of `compare`.
    dev, test
        The trials that were compared on.
    repeat
        What it takes to do the same again.
    confidence, cluster
        As they were given to `compare`.
    terms
        ``iso`` calls error rates FMR and FNMR.

    Returns
    -------
    Page
        To be written by `write_report`.
    """
    shared = sharing(test, cluster)
    tests, ranking, *others = result.tables()
    label = translate(result.measure.label, terms)
    return Page(
        title=f"Comparison of {joined([rank.system for rank in result.ranking])}",
        asked=f"Whether the systems really differ in {label}, each at its threshold from dev "
        f"by {result.criterion.described(result.alpha)}.",
        answer=tuple(_sentences(result, label, confidence)),
        tables=(ranking, tests, *others),
        data=(trials_table("Trials", dev, test),),
        methods=(PRIOR, INDEPENDENT if shared is None else ROBUST, *ADJUSTED[result.correction], EPC),
        repeat=repeat,
        explore=explored(
            [_view(rank, result, dev, test, shared, confidence) for rank in result.ranking], Captions(), terms
        ),
        terms=terms,
    )


def _view(
    rank: SystemRank, result: Comparison, dev: Trials, test: Trials, shared: SharedPeople | None, confidence: float
) -> SystemView:
    own = test.select([rank.system])
    at = interval_at(own, rank.counts, rank.system, shared, confidence)
    asked = Asked(rank.counts, rank.threshold, *at.interval, result.criterion.weight_of_far(result.alpha))
    rule = result.criterion.along_alpha
    curve = performance_curve(dev.select([rank.system]), own, criterion=rule, system=rank.system)
    low, high = limits_along(own, curve, rank.system, shared, confidence)
    return system_view(own, curve, name=rank.system, asked=asked, low=low, high=high)


def _sentences(result: Comparison, label: str, confidence: float) -> list[str]:
    found = []
    for pair in result.pairs:
        difference, p = pair.headline.estimate, pair.adjusted[0]
        size = f"{in_percent(abs(difference))} percentage points"
        better, worse = (pair.a, pair.b) if (difference > 0) == result.measure.higher_is_better else (pair.b, pair.a)
        sure = p < 1 - confidence
        if pair.headline.alternative != "two-sided":
            word = "lower" if pair.headline.alternative == "less" else "higher"
            claim = f"That {pair.a} has a {word} {label} than {pair.b} is {'shown' if sure else 'not shown'}"
            found.append(f"{claim}: {in_percent(difference)} percentage points (one-sided, {p_phrase(p)}).")
        elif sure:
            found.append(f"{better} is better than {worse} by {size} ({p_phrase(p)}).")
        else:
            found.append(f"{pair.a} and {pair.b} cannot be told apart: they differ by {size} ({p_phrase(p)}).")
        for test, adjusted in zip(pair.tests, pair.adjusted, strict=True):
            if test.test.endswith("-equivalence"):
                shown = "are" if adjusted < 1 - confidence else "are not shown to be"
                found.append(f"{pair.a} and {pair.b} {shown} equivalent ({p_phrase(adjusted)}; {test.note}).")
    return found
