"""Pages of the four kinds of results: an evaluation, a comparison, a benchmark, a coverage study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from fairtrial.benchmark.results import BenchmarkResult, ExperimentResult
from fairtrial.benchmark.sets import Benchmark
from fairtrial.comparison import Comparison, SystemRank
from fairtrial.epc import cross_validated_curve
from fairtrial.evaluation import Evaluation
from fairtrial.folds import Block
from fairtrial.individuals import CoverageStudy
from fairtrial.intervals.clusters import SharedPeople, interval_of_decisions, wrong_decisions
from fairtrial.intervals.rates import hter_interval
from fairtrial.report.page import (
    Cell,
    Page,
    Reference,
    Repeat,
    Table,
    count_cell,
    notes_once,
    number_cell,
    percent_cell,
    range_cell,
)
from fairtrial.report.views import Asked, people_of_test, system_view, weight_of
from fairtrial.rules.criteria import CRITERIA, along_alpha
from fairtrial.trials import Trials

PRIOR = Reference(
    "The threshold is fixed on development trials before the test trials are seen; figures on test are a priori.",
    "Bengio, Mariéthoz & Keller, The expected performance curve, 2005",
)
INDEPENDENT = Reference(
    "Interval of the HTER for independent trials.",
    "Bengio & Mariéthoz, A statistical significance test for person authentication, 2004, eq. (13)",
)
ROBUST = Reference(
    "Interval and test for trials that share people: contributions of trials summed by person, Welch's degrees of "
    "freedom; limits by Wilson, put together as by Zou & Donner.",
    "Fafchamps & Gubert 2007; Cameron, Gelbach & Miller 2011; Zou & Donner 2008",
)
EPC = Reference(
    "Expected performance curve: for every alpha a threshold from dev, the error from test.",
    "Bengio, Mariéthoz & Keller 2005",
)
HOLM = Reference("P values adjusted for the number of tests.", "Holm 1979; Benjamini & Hochberg 1995")
FUSION = Reference(
    "Fusion protocols, gain ratios and pooled curves.",
    "Poh & Bengio, Database, protocols and tools for evaluating score-level fusion algorithms, 2006",
)
COVERAGE = Reference(
    "Six intervals for an error rate of people who are tested several times, and how well they cover.",
    "Schuckers, Hawley, Livingstone & Mramba, A comparison of statistical methods, 2004",
)


def evaluation_page(
    results: Sequence[Evaluation],
    dev: Trials,
    test: Trials | None,
    repeat: Repeat,
    *,
    blocks: Sequence[Block] = (),
    confidence: float = 0.95,
) -> Page:
    """The page of an evaluation of one system or several."""
    first = results[0]
    shared = None if test is None else people_of_test(test)
    views = [_evaluation_view(result, dev, test, blocks, shared, confidence) for result in results]
    rows = []
    for result in results:
        cells = [Cell(result.system), number_cell(result.threshold, 6)]
        cells += [percent_cell(rate) for rate in (result.test.far, result.test.frr, result.test.hter)]
        cells += [range_cell(result.interval.low, result.interval.high), percent_cell(result.dev_eer.value)]
        rows.append(tuple(cells))
    columns = ("system", "threshold", "FAR %", "FRR %", "HTER %", f"{100 * confidence:g} % interval", "EER on dev %")
    tables = [Table("On test trials, at the threshold from dev", columns, tuple(rows)), _intervals_table(results)]
    return Page(
        title=f"Evaluation of {_and([result.system for result in results])}",
        asked=f"How good {'it is' if len(results) == 1 else 'they are'}, with the threshold chosen by "
        f"{_rule(first.criterion, first.alpha)} on development trials{'' if test is not None else ' of other people'}.",
        answer=tuple(_evaluation_sentence(result) for result in results),
        tables=tuple(tables),
        data=_data_tables(dev, test),
        methods=(PRIOR, ROBUST if shared is not None else INDEPENDENT, EPC),
        repeat=repeat,
        notes=notes_once([note for result in results for note in result.notes]),
        explore={"systems": views, "held_out": test is None},
    )


def _evaluation_view(
    result: Evaluation,
    dev: Trials,
    test: Trials | None,
    blocks: Sequence[Block],
    shared: Any,
    confidence: float,
) -> dict[str, Any]:
    own = dev.select([result.system])
    asked = Asked(result.test, result.threshold, *result.interval.interval, weight_of(result.criterion, result.alpha))
    if test is None:
        along = along_alpha(_named(result.criterion))
        curve = replace(cross_validated_curve(own, blocks, criterion=along), system=result.system)
        return system_view(own, own, name=result.system, criterion=along, asked=asked, shared=None, curve=curve)
    return system_view(
        own,
        test.select([result.system]),
        name=result.system,
        criterion=_named(result.criterion),
        asked=asked,
        shared=shared,
        confidence=confidence,
    )


def _named(criterion: str) -> str:
    """A criterion that can be known by its name; a user's own cannot, and the slider moves wer-min then."""
    return criterion if criterion in CRITERIA else "wer-min"


def _rule(criterion: str, alpha: float) -> str:
    """A criterion, with its alpha where it has one."""
    return criterion if criterion in ("eer", "hter-min", "f1", "dcf") else f"{criterion}, alpha {alpha:g},"


def _evaluation_sentence(result: Evaluation) -> str:
    far, frr, hter = (percent_cell(rate).text for rate in (result.test.far, result.test.frr, result.test.hter))
    low, high = (percent_cell(limit).text for limit in result.interval.interval)
    return (
        f"{result.system} wrongly accepts {far} % of impostors and wrongly rejects {frr} % of genuine trials: a half "
        f"total error rate of {hter} %, with {100 * result.interval.confidence:g} % confidence between {low} "
        f"and {high} %."
    )


def _intervals_table(results: Sequence[Evaluation]) -> Table:
    rows = [
        (
            Cell(result.system),
            Cell(each.method),
            range_cell(each.low, each.high),
            percent_cell(each.sigma),
            Cell(each.note),
        )
        for result in results
        for each in result.intervals
    ]
    return Table("Intervals of the HTER", ("system", "method", "interval %", "sigma %", "note"), tuple(rows))


def comparison_page(result: Comparison, dev: Trials, test: Trials, repeat: Repeat, *, confidence: float = 0.95) -> Page:
    """The page of a comparison of systems."""
    shared = people_of_test(test)
    views = [
        system_view(
            dev.select([rank.system]),
            test.select([rank.system]),
            name=rank.system,
            criterion=_named(result.criterion),
            asked=_asked_of(rank, test, shared, result, confidence),
            shared=shared,
            confidence=confidence,
        )
        for rank in result.ranking
    ]
    label = result.measure.upper()
    ranking = [
        (
            Cell(rank.system),
            number_cell(rank.threshold, 6),
            percent_cell(rank.counts.far),
            percent_cell(rank.counts.frr),
            percent_cell(rank.value),
            Cell(rank.letters),
        )
        for rank in result.ranking
    ]
    tests = [
        (
            Cell(f"{pair.a} - {pair.b}"),
            Cell(test.test),
            percent_cell(test.estimate),
            percent_cell(float("nan") if test.sigma is None else test.sigma),
            number_cell(test.p_value, 3),
            number_cell(adjusted, 3),
        )
        for pair in result.pairs
        for test, adjusted in zip(pair.tests, pair.adjusted, strict=True)
    ]
    return Page(
        title=f"Comparison of {_and([rank.system for rank in result.ranking])}",
        asked=f"Whether the systems really differ in {label}, each at its threshold from dev "
        f"({_rule(result.criterion, result.alpha)}).",
        answer=tuple(_comparison_sentences(result, confidence)),
        tables=(
            Table(
                f"{label} on test; systems that share a letter cannot be told apart",
                ("system", "threshold", "FAR %", "FRR %", f"{label} %", "letters"),
                tuple(ranking),
            ),
            Table(
                f"Tests of each pair, adjusted by {result.correction}; go by the first of a pair",
                ("A - B", "test", "difference %", "sigma %", "p", "p adjusted"),
                tuple(tests),
            ),
        ),
        data=_data_tables(dev, test),
        methods=(PRIOR, ROBUST if shared is not None else INDEPENDENT, HOLM, EPC),
        repeat=repeat,
        notes=notes_once(result.notes),
        explore={"systems": views},
    )


def _asked_of(
    rank: SystemRank, test: Trials, shared: SharedPeople | None, result: Comparison, confidence: float
) -> Asked:
    if shared is None:
        interval = hter_interval(rank.counts, confidence=confidence)
    else:
        wrong = wrong_decisions(test, rank.system, rank.threshold)
        interval = interval_of_decisions(test, wrong, confidence=confidence, shared=shared)
    return Asked(rank.counts, rank.threshold, *interval.interval, weight_of(result.criterion, result.alpha))


def _comparison_sentences(result: Comparison, confidence: float) -> list[str]:
    found = []
    for pair in result.pairs:
        difference, p = pair.headline.estimate, pair.adjusted[0]
        size = percent_cell(abs(difference)).text
        better, worse = (pair.a, pair.b) if difference < 0 else (pair.b, pair.a)
        sure = p < 1 - confidence
        if pair.headline.alternative != "two-sided":
            word = "lower" if pair.headline.alternative == "less" else "higher"
            claim = f"That {pair.a} has a {word} error than {pair.b} is {'shown' if sure else 'not shown'}"
            found.append(f"{claim}: {percent_cell(difference).text} points (one-sided, p = {p:.3g}).")
        elif sure:
            found.append(f"{better} is better than {worse} by {size} points (p = {p:.3g}).")
        else:
            found.append(f"{pair.a} and {pair.b} cannot be told apart: they differ by {size} points (p = {p:.3g}).")
        for test, adjusted in zip(pair.tests, pair.adjusted, strict=True):
            if test.test.endswith("-equivalence"):
                shown = "are" if adjusted < 1 - confidence else "are not shown to be"
                found.append(f"{pair.a} and {pair.b} {shown} equivalent (p = {adjusted:.3g}; {test.note}).")
    return found


def benchmark_page(benchmark: Benchmark, result: BenchmarkResult, repeat: Repeat, *, confidence: float = 0.95) -> Page:
    """The page of a benchmark; experiments whose scores were kept can be looked at one by one."""
    sets = {(one.name, one.split): one for one in benchmark.sets}
    people = {key: people_of_test(one.test) for key, one in sets.items()}
    views = []
    for each in result.experiments:
        if each.fused is not None:
            where = each.experiment.set, each.experiment.split
            views.append(
                system_view(
                    each.fused.dev,
                    each.fused.test,
                    name=_experiment_name(each),
                    group=each.experiment.group,
                    criterion=_named(result.criterion),
                    asked=Asked(
                        each.counts,
                        float(each.counts.threshold),
                        *each.interval.interval,
                        weight_of(result.criterion, result.alpha),
                    ),
                    shared=people[where],
                    confidence=confidence,
                    curve=each.curve,
                )
            )
    better = [e for e in result.experiments if e.p_adjusted < 1 - confidence and e.test.estimate < 0]
    worse = [e for e in result.experiments if e.p_adjusted < 1 - confidence and e.test.estimate > 0]
    answer = (
        f"Fusion by {result.fusion} is significantly better than the best of the systems it fuses in {len(better)} of "
        f"{len(result.experiments)} experiments, and significantly worse in {len(worse)} (after Holm)."
    )
    explore: dict[str, Any] = {
        "curves": [
            {"name": name, "alpha": curve.alpha.tolist(), "hter": curve.hter.tolist()}
            for name, curve in result.pooled.items()
        ]
    }
    notes = list(result.notes)
    if views:
        explore["systems"] = views
    else:
        notes.append("the page shows single experiments of a protocol with at most 60 of them only")
    return Page(
        title=f"{result.title}: {result.protocol}, fusion by {result.fusion}",
        asked=f"What fusion by {result.fusion} gains over single systems in the protocol {result.protocol} "
        f"(normalisation {result.normalise}, threshold by {_rule(result.criterion, result.alpha)} on dev).",
        answer=(answer,),
        tables=_benchmark_tables(result),
        data=tuple(
            _trials_table(f"{one.name}{'' if one.split is None else f', split {one.split}'}", one.dev, one.test)
            for one in list(sets.values())[:3]
        ),
        methods=(PRIOR, FUSION, ROBUST, HOLM, EPC, Reference("The scores.", benchmark.citation or benchmark.title)),
        repeat=repeat,
        notes=notes_once(notes),
        synthetic=result.synthetic,
        explore=explore,
    )


def _experiment_name(result: ExperimentResult) -> str:
    split = "" if result.experiment.split is None else f" split {result.experiment.split}"
    return f"{result.experiment.set}{split}: {' + '.join(result.experiment.systems)}"


def _benchmark_tables(result: BenchmarkResult) -> tuple[Table, ...]:
    rows = [
        (
            Cell(
                each.experiment.set
                if each.experiment.split is None
                else f"{each.experiment.set} {each.experiment.split}"
            ),
            Cell(each.experiment.group),
            Cell(" + ".join(each.experiment.systems)),
            percent_cell(float(each.counts.hter)),
            range_cell(each.interval.low, each.interval.high),
            percent_cell(float(each.counts.far)),
            percent_cell(float(each.counts.frr)),
            number_cell(each.beta_mean, 3),
            number_cell(each.beta_min, 3),
            number_cell(each.test.p_value, 3),
            number_cell(each.p_adjusted, 3),
        )
        for each in result.experiments
    ]
    tables = [
        Table(
            "Experiments",
            (
                "set",
                "group",
                "fused",
                "HTER %",
                "interval %",
                "FAR %",
                "FRR %",
                "beta mean",
                "beta min",
                "p",
                "p (Holm)",
            ),
            tuple(rows),
        )
    ]
    if result.spreads:
        spread = [
            (
                Cell(" + ".join(each.systems)),
                count_cell(each.splits),
                percent_cell(each.mean),
                percent_cell(each.sd),
                number_cell(each.beta_min, 3),
            )
            for each in result.spreads
        ]
        columns = ("fused", "splits", "mean HTER %", "sd %", "mean beta min")
        tables.insert(0, Table("Mean and spread over random splits", columns, tuple(spread)))
    baselines = [
        (
            Cell(each.set if each.split is None else f"{each.set} {each.split}"),
            Cell(each.system),
            percent_cell(float(each.counts.hter)),
            range_cell(each.interval.low, each.interval.high),
        )
        for each in result.baselines
    ]
    tables.append(Table("Single systems", ("set", "system", "HTER %", "interval %"), tuple(baselines)))
    return tuple(tables)


def coverage_page(study: CoverageStudy, repeat: Repeat) -> Page:
    """The page of a coverage study, with its map."""
    settings = study.settings
    within = study.share_within()
    cells = list(dict.fromkeys((row.n, row.m, row.pi, row.rho) for row in study.rows))
    best = max(within, key=lambda name: within[name])
    summary, values = [], {}
    for name in settings.methods:
        rows = [row for row in study.rows if row.method == name]
        coverage = np.array([row.coverage for row in rows])
        values[name] = coverage.tolist()
        undefined = float(np.mean([row.undefined for row in rows]))
        figures = (within[name], float(coverage.mean()), float(coverage.min()), undefined)
        summary.append((Cell(name), *(percent_cell(value) for value in figures)))
    how = "all possible data sets" if settings.exact else f"{settings.data_sets:,} data sets per cell"
    return Page(
        title=f"Coverage of {len(settings.methods)} intervals in {len(cells):,} cells",
        asked=f"How often {100 * settings.confidence:g} % intervals for repeated attempts hold the true rate "
        f"({settings.generator}, {how}).",
        answer=(f"{best} does best: it covers 92.5 to 97.5 % in {100 * within[best]:.1f} % of the cells.",),
        tables=(
            Table(
                "By method",
                ("method", "cells with 92.5 to 97.5 %", "mean coverage %", "lowest %", "undefined %"),
                tuple(summary),
            ),
        ),
        data=(),
        methods=(COVERAGE,),
        repeat=repeat,
        explore={"coverage": {"cells": [list(cell) for cell in cells], "values": values, "best": best}},
    )


def _data_tables(dev: Trials, test: Trials | None) -> tuple[Table, ...]:
    return (_trials_table("Trials", dev, test),)


def _trials_table(caption: str, dev: Trials, test: Trials | None) -> Table:
    rows = []
    for word, trials in (("dev", dev), ("test", test)):
        if trials is None:
            continue
        genuine = int(np.count_nonzero(trials.genuine))
        known = {name: len(np.unique(column.numbered().codes)) for name, column in trials.ids.items()}
        people = [known.get("claim"), known.get("subject")]
        rows.append(
            (
                Cell(word),
                count_cell(genuine),
                count_cell(len(trials) - genuine),
                *(Cell("not known") if count is None else count_cell(count) for count in people),
                Cell("; ".join(trials.notes)),
            )
        )
    return Table(caption, ("set", "genuine", "impostor", "claims", "subjects", "notes"), tuple(rows))


def _and(names: Sequence[str]) -> str:
    if len(names) > 4:
        return f"{len(names)} systems"
    return " and ".join(names) if len(names) < 3 else f"{', '.join(names[:-1])} and {names[-1]}"
