"""Pooled curves of two methods along alpha: against the comparison of one experiment, by hand, and by simulation."""

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from fairtrial import ParameterError, Trials, compare_curves
from fairtrial.benchmark import pooled_band
from fairtrial.benchmark.experiments import BenchmarkResult
from fairtrial.benchmark.pooling import Contest, ContestRank, compare_pooled, compare_runs
from fairtrial.benchmark.protocols import Benchmark, BenchmarkSet, SystemInfo, split_sets
from fairtrial.benchmark.run import run_benchmark
from fairtrial.core.tables import json_text
from fairtrial.evaluation import curve_band
from fairtrial.fusion.methods import FusionMethod
from fairtrial.fusion.model import Fitted
from fairtrial.inference.estimates import Threshold
from fairtrial.inference.split import TrialSets
from simulated import crossed, without_ids

SYSTEMS = tuple(SystemInfo(name, "face", name, name) for name in ("a", "b"))


def column(number: int) -> FusionMethod:
    return FusionMethod(f"column {number}", lambda data: Fitted(lambda scores, claim: scores[:, number].copy()))


def parts(seed: int, *, clients: int = 25) -> tuple[Trials, Trials]:
    rng = np.random.default_rng(seed)
    more = {"clients": clients, "impostors": 8, "effect": 0.4, "separation": 2.0, "correlation": 0.3}
    return crossed(rng, **more), crossed(rng, start=1000, **more)  # type: ignore[arg-type]


def benchmark(*pairs: tuple[Trials, Trials]) -> Benchmark:
    return Benchmark("mine", "mine", tuple(BenchmarkSet(f"s{k}", *pair, SYSTEMS) for k, pair in enumerate(pairs)))


def runs(made: Benchmark, *fusions: str | FusionMethod, points: int = 11) -> list[BenchmarkResult]:
    return [run_benchmark(made, fusions=fusion, points=points, keep_scores=True).runs[0] for fusion in fusions]


@pytest.mark.parametrize("ids", [True, False])
def test_pooled_curve_of_one_experiment_is_its_curve(ids: bool) -> None:
    pair = parts(0) if ids else tuple(without_ids(part) for part in parts(0))
    made = benchmark(pair)  # type: ignore[arg-type]
    a, b = runs(made, "mean", "max")
    curves = [run.experiments[0].curve for run in (a, b)]
    ways: tuple[Threshold, ...] = ("re-estimated", "fixed")
    for threshold in ways:
        found = compare_pooled(a, b, threshold=threshold, simultaneous=False)
        expected = compare_curves(*curves, threshold=threshold)
        np.testing.assert_allclose(found.difference, expected.difference, atol=1e-15)
        inner = slice(1, -1)
        # covariances are read on test alone here, on dev and test there; thresholds move along a straight line here
        away = np.abs(expected.statistic[inner]) > 0.5
        ratio = found.statistic[inner][away] / expected.statistic[inner][away]
        assert np.all((ratio > 0.75) & (ratio < 1.33))
        assert (found.test, found.threshold) == (expected.test, expected.threshold)
    together = compare_pooled(a, b).critical
    assert together == pytest.approx(compare_curves(*curves, simultaneous=True).critical, rel=0.1)
    assert together > 2


def test_band_of_one_experiment_is_near_that_of_its_curve() -> None:
    made = benchmark(parts(1))
    (run,) = runs(made, "mean")
    found, expected = pooled_band(run), curve_band(run.experiments[0].curve)
    np.testing.assert_allclose(found.estimate, expected.estimate)
    inner = slice(3, -3)
    # Student's t here, limits by Wilson there
    np.testing.assert_allclose((found.high - found.low)[inner], (expected.high - expected.low)[inner], rtol=0.25)
    wide = pooled_band(run, kind="simultaneous")
    assert np.all(wide.high - wide.low >= found.high - found.low)


def test_pooled_difference_is_that_of_sums_of_errors() -> None:
    made = benchmark(parts(2), parts(3, clients=12))
    a, b = runs(made, "mean", "min")
    found = compare_pooled(a, b, threshold="fixed")
    for index in (2, 5, 8):
        pooled = []
        for run in (a, b):
            fa = sum(e.curve.counts.false_accepts[index] for e in run.experiments)
            fr = sum(e.curve.counts.false_rejects[index] for e in run.experiments)
            ni = sum(np.count_nonzero(~one.test.genuine) for one in made.sets)
            nc = sum(np.count_nonzero(one.test.genuine) for one in made.sets)
            pooled.append((fa / ni + fr / nc) / 2)
        assert found.difference[index] == pytest.approx(pooled[0] - pooled[1], abs=1e-15)
    only = compare_pooled(a, b, group="s1: different features")
    assert not np.allclose(only.difference, found.difference)


def test_people_of_several_sets_are_the_same_people() -> None:
    """The same set twice, under two names: nothing is learnt, so nothing becomes surer."""
    pair = parts(4)
    once, twice = benchmark(pair), benchmark(pair, pair)
    single, double = (compare_pooled(*runs(made, "mean", "max"), simultaneous=False) for made in (once, twice))
    inner = slice(2, -2)
    ratio = double.statistic[inner] / single.statistic[inner]
    # chance on test is taken out of what thresholds add, less of it where experiments share their trials
    assert np.all((ratio > 0.75) & (ratio < 1.1))


def test_equal_methods_differ_seldom() -> None:
    """Two systems that are equally good, each as a method: 24 data sets, at each alpha and over all at once."""
    pointwise, anywhere = [], 0
    for seed in range(24):
        made = benchmark(parts(100 + seed, clients=16))
        a, b = runs(made, column(0), column(1), points=7)
        found = compare_pooled(a, b)
        pointwise.append(np.abs(found.statistic[2:-2]) > 1.96)
        anywhere += bool(found.different.any())
    assert np.mean(pointwise) < 0.12
    assert anywhere <= 5  # 1.2 are expected; 6 or more have a probability of 0.1 %


def test_what_is_refused() -> None:
    made = benchmark(parts(0))
    a, b = runs(made, "mean", "max")
    bare = run_benchmark(made, points=11, keep_scores=False)
    sets, _ = split_sets("s0", parts(0)[0], SYSTEMS, repeats=2)
    split = Benchmark("mine", "mine", sets)
    (run,) = runs(split, "mean")
    for code, work in (
        ("no-scores", lambda: compare_pooled(a, bare)),
        ("no-group", lambda: pooled_band(a, group="faces")),
        ("different-runs", lambda: compare_pooled(a, replace(b, protocol="fp-full"))),
        ("splits", lambda: pooled_band(run)),
    ):
        with pytest.raises(ParameterError) as error:
            work()
        assert error.value.code == code


SYSTEMS_CONTEST = tuple(SystemInfo(name, "face", name, name) for name in ("a", "b", "c"))


def trials(rng: np.random.Generator, clients: list[str], impostors: list[str], *, shots: int = 2) -> Trials:
    claim = np.array([*np.repeat(clients, 3), *np.repeat(clients, len(impostors) * shots)])
    subject = np.array([*np.repeat(clients, 3), *np.tile(np.repeat(impostors, shots), len(clients))])
    genuine = claim == subject
    person = {name: rng.normal(0, 0.5, 3) for name in sorted({*clients, *impostors})}
    effects = np.array([person[name] for name in subject])
    scores = rng.normal(size=(len(claim), 3)) + effects + genuine[:, None] * [1.0, 1.6, 2.2]
    return Trials.from_arrays(scores, genuine, systems=["a", "b", "c"], claim=claim, subject=subject)


def example(seed: int = 0) -> Benchmark:
    """Two sets of different size; some clients and one impostor are in both, and a client of one tries the other."""
    rng = np.random.default_rng(seed)
    first = ([f"p{k}" for k in range(6)], ["q0", "q1", "q2"])
    second = ([f"p{k}" for k in range(4, 9)], ["q2", "q3", "p0"])
    sets = [
        BenchmarkSet("one", trials(rng, *first), trials(rng, *first), SYSTEMS_CONTEST),
        BenchmarkSet("two", trials(rng, *second), trials(rng, *second, shots=3), SYSTEMS_CONTEST[:2]),
    ]
    return Benchmark("mine", "mine", tuple(sets))


def run(benchmark: Benchmark, *fusions: str, normalise: str = "none") -> list[BenchmarkResult]:
    return [run_benchmark(benchmark, fusions=name, normalise=normalise, points=2).runs[0] for name in fusions]


def mean_hter(result: BenchmarkResult) -> float:
    return float(np.mean([(e.counts.far + e.counts.frr) / 2 for e in result.experiments]))


@dataclass(frozen=True)
class Part:
    """What one trial adds to the deviation of the difference."""

    value: float
    genuine: bool
    claim: str
    subject: str


def parts_of(benchmark: Benchmark, a: BenchmarkResult, b: BenchmarkResult) -> list[Part]:
    found = []
    for one in benchmark.sets:
        differences = np.zeros(len(one.test))
        for sign, result in ((1, a), (-1, b)):
            for experiment in result.experiments:
                if experiment.experiment.set == one.name:
                    differences += sign * experiment.wrong(len(one.test)) / len(result.experiments)
        genuine, (claim, subject) = one.test.genuine, (one.test.ids[role].decode() for role in ("claim", "subject"))
        for k, difference in enumerate(differences):
            own = differences[genuine == genuine[k]]
            found.append(Part(0.5 * (difference - own.mean()) / len(own), bool(genuine[k]), claim[k], subject[k]))
    return found


def without_each(parts: list[Part]) -> dict[str, float]:
    """By how much the mean of a class would change without each person, other things being equal."""
    found = {}
    for person in sorted({name for part in parts for name in (part.claim, part.subject)}):
        own = [part.value for part in parts if person in (part.claim, part.subject)]
        found[person] = sum(own) / (1 - len(own) / len(parts))
    return found


def counted_twice(parts: list[Part]) -> float:
    """Squares that belong to two people, of whom each has them."""
    pairs = {frozenset((part.claim, part.subject)) for part in parts if part.claim != part.subject}
    return sum(sum(p.value for p in parts if {p.claim, p.subject} == pair) ** 2 for pair in pairs)


def effective_people(parts: list[Part]) -> float:
    """People of equal weight that the smaller role is worth: Kish's square of the sum over the sum of squares."""
    found = []
    for role in ("claim", "subject"):
        counts = [
            sum(name in (part.claim, part.subject) for part in parts) for name in {getattr(p, role) for p in parts}
        ]
        found.append(sum(counts) ** 2 / sum(count**2 for count in counts))
    return min(found)


def jackknife(parts: list[Part]) -> tuple[float, float]:
    """The variance with people left out in turn, and degrees of freedom."""
    classes, without, twice = [], [], 0.0
    for genuine in (True, False):
        own = [part for part in parts if part.genuine == genuine]
        people, moved, pairs = effective_people(own), without_each(own), counted_twice(own)
        variance = (sum(move**2 for move in moved.values()) - pairs) * (people - 1) / people
        classes.append((max(variance, sum(part.value**2 for part in own)), people - 1))
        without.append(moved)
        twice += pairs
    degrees = welch(classes)
    everyone = {*without[0], *without[1]}
    total = sum((without[0].get(name, 0) + without[1].get(name, 0)) ** 2 for name in everyone) - twice
    return total * degrees / (degrees + 1), degrees


def welch(parts: list[tuple[float, float]]) -> float:
    return sum(v for v, _ in parts) ** 2 / sum(v**2 / free for v, free in parts)


def dev_parts_of(benchmark: Benchmark, a: BenchmarkResult, b: BenchmarkResult) -> list[Part]:
    """What each dev trial adds through the thresholds of all experiments of its set."""
    found = []
    for one in benchmark.sets:
        people = TrialSets(one.dev, one.test).people[0]
        total = np.zeros(len(one.dev))
        for sign, result in ((1, a), (-1, b)):
            for experiment in result.experiments:
                if experiment.experiment.set == one.name:
                    assert experiment.moves is not None
                    total += sign * experiment.moves.influence(people, one.dev.genuine) / len(result.experiments)
        genuine, (claim, subject) = one.dev.genuine, (one.dev.ids[role].decode() for role in ("claim", "subject"))
        for k, value in enumerate(total):
            own = total[genuine == genuine[k]]
            found.append(Part((value - own.mean()) / len(own), bool(genuine[k]), claim[k], subject[k]))
    return found


def brute_force(benchmark: Benchmark, a: BenchmarkResult, b: BenchmarkResult) -> tuple[float, float, float]:
    """Difference of mean HTERs, its standard deviation, and the p value with Welch's degrees of freedom."""
    parts = [jackknife(parts_of(benchmark, a, b)), jackknife(dev_parts_of(benchmark, a, b))]
    sigma = float(np.sqrt(parts[0][0] + parts[1][0]))
    estimate = mean_hter(a) - mean_hter(b)
    return estimate, sigma, float(2 * stats.t.sf(abs(estimate) / sigma, welch(parts)))


@pytest.mark.parametrize("seed", range(4))
def test_difference_and_variance_against_people_left_out_one_by_one(seed: int) -> None:
    benchmark = example(seed)
    results = run(benchmark, "mean", "min", "logistic")
    contest = compare_runs(results, correction="none")
    by_name = {result.fusion: result for result in results}
    assert len(contest.pairs) == 3
    for pair in contest.pairs:
        estimate, sigma, p_value = brute_force(benchmark, by_name[pair.a], by_name[pair.b])
        assert sigma > 0
        assert pair.test.threshold == "re-estimated"
        assert pair.test.estimate == pytest.approx(estimate, abs=1e-12)
        assert pair.test.sigma == pytest.approx(sigma, rel=0.1)
        assert pair.test.p_value == pytest.approx(p_value, abs=0.04)
        assert pair.p_adjusted == pair.test.p_value


def test_ranking_is_by_mean_hter_and_pairs_follow_it() -> None:
    benchmark = example(1)
    results = run(benchmark, "min", "mean", "max")
    contest = compare_runs(results)
    means = {result.fusion: mean_hter(result) for result in results}
    order = sorted(means, key=lambda name: means[name])
    assert [rank.fusion for rank in contest.ranking] == order
    assert [rank.hter for rank in contest.ranking] == pytest.approx([means[name] for name in order])
    assert [(pair.a, pair.b) for pair in contest.pairs] == list(combinations(order, 2))
    for rank in contest.ranking:
        result = next(result for result in results if result.fusion == rank.fusion)
        assert rank.beta_min == pytest.approx(np.mean([e.beta_min for e in result.experiments]))
        better = [e for e in result.experiments if e.p_adjusted < 0.05 and e.test.estimate < 0]
        assert rank.better == len(better)
    assert contest.protocol == "fp-2"
    assert contest.notes == ()


def test_p_values_are_adjusted_by_holm() -> None:
    benchmark = example(2)
    contest = compare_runs(run(benchmark, "mean", "min", "max"))
    raw = sorted(pair.test.p_value for pair in contest.pairs)
    first = 3 * raw[0]
    second = max(first, 2 * raw[1])
    expected = [min(1.0, p) for p in (first, second, max(second, raw[2]))]
    assert sorted(pair.p_adjusted for pair in contest.pairs) == pytest.approx(expected)


@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_methods_share_a_letter_exactly_where_they_cannot_be_told_apart(confidence: float) -> None:
    benchmark = example(3)
    contest = compare_runs(run(benchmark, "mean", "min", "max", "logistic"), confidence=confidence)
    letters = {rank.fusion: set(rank.letters) for rank in contest.ranking}
    for pair in contest.pairs:
        assert bool(letters[pair.a] & letters[pair.b]) == (pair.p_adjusted >= 1 - confidence)


def test_methods_with_the_same_decisions_do_not_differ() -> None:
    benchmark = example(4)
    contest = compare_runs(run(benchmark, "mean", "median"))  # the same of two systems
    (pair,) = contest.pairs
    assert (pair.test.estimate, pair.p_adjusted) == (0, 1)
    assert [rank.letters for rank in contest.ranking] == ["a", "a"]


def test_a_normalisation_is_part_of_the_name() -> None:
    benchmark = example(5)
    contest = compare_runs([*run(benchmark, "mean"), *run(benchmark, "mean", normalise="z")])
    assert {rank.fusion for rank in contest.ranking} == {"mean", "mean, z"}


def test_splits_give_a_ranking_and_no_p_values() -> None:
    whole = trials(np.random.default_rng(0), [f"p{k}" for k in range(20)], [f"q{k}" for k in range(8)])
    sets, note = split_sets("set", whole, SYSTEMS_CONTEST[:2], repeats=2)
    benchmark = Benchmark("dealt", "dealt", sets, notes=(note,))
    results = run(benchmark, "mean", "min")
    contest = compare_runs(results)
    assert contest.pairs == ()
    assert {rank.letters for rank in contest.ranking} == {""}
    assert sorted(rank.hter for rank in contest.ranking) == pytest.approx(sorted(map(mean_hter, results)))
    assert [note.code for note in contest.notes] == ["splits"]
    assert contest.to_dict()["pairs"] == []


def test_contract_of_to_dict() -> None:
    benchmark = example(0)
    found = compare_runs(run(benchmark, "mean", "min")).to_dict()
    assert set(found) == {"protocol", "ranking", "pairs", "notes"}
    assert set(found["ranking"][0]) == {"fusion", "hter", "beta_min", "better", "letters"}
    assert {"a", "b", "difference", "sigma", "statistic", "p_value", "p_adjusted"} <= set(found["pairs"][0])


def test_runs_that_cannot_be_compared() -> None:
    benchmark = example(0)
    (mean,) = run(benchmark, "mean")
    other = run_benchmark(benchmark, protocol="fp-full", fusions="min", points=2).runs[0]
    renamed = Benchmark("another", "another", benchmark.sets)
    part = Benchmark("mine", "mine", benchmark.sets[1:])
    cases: list[tuple[list[BenchmarkResult], str]] = [
        ([mean], "methods"),
        ([mean, mean], "methods"),
        ([], "methods"),
        ([mean, other], "different-runs"),
        ([mean, *run(renamed, "min")], "different-runs"),
        ([mean, *run(part, "min")], "different-runs"),
    ]
    for runs, code in cases:
        with pytest.raises(ParameterError) as error:
            compare_runs(runs)
        assert error.value.code == code


def test_ranking_as_markdown_and_latex() -> None:
    benchmark = example(0)
    contest = compare_runs(run(benchmark, "mean", "min"))
    markdown, latex = contest.to_markdown(), contest.to_latex()
    for rank in contest.ranking:
        cells = (rank.fusion, f"{100 * rank.hter:.2f}", f"{rank.beta_min:.2f}", str(rank.better), rank.letters)
        assert f"| {' | '.join(cells)} |" in markdown
        assert " & ".join(cells) in latex
    for text in (markdown, latex):
        assert "Fusion methods by their mean HTER over all experiments" in text
        assert "methods that share a letter do not differ significantly\n" in text


def test_pairs_of_a_contest_are_a_table() -> None:
    benchmark = example(0)
    contest = compare_runs(run(benchmark, "mean", "min"))
    _, pairs = contest.tables()
    (pair,) = contest.pairs
    assert pairs.column("p_adjusted") == [pair.p_adjusted]
    assert pairs.column("difference") == [(pair.test.estimate, True)]


def test_gains_that_are_not_finite_are_left_out_of_the_ranking_and_noted() -> None:
    benchmark = example(0)
    mean, least = run(benchmark, "mean", "min")
    first, *others = mean.experiments
    mean = replace(mean, experiments=(replace(first, beta_min=float("inf")), *others))
    contest = compare_runs([mean, least])
    rank = next(rank for rank in contest.ranking if rank.fusion == "mean")
    assert rank.beta_min == pytest.approx(np.mean([e.beta_min for e in others]))
    (note,) = contest.notes
    assert (note.code, note.values) == ("infinite-gain", {"left_out": ["mean 1"]})
    assert str(note).replace("_", "\\_") in contest.to_latex()


def test_a_contest_shows_itself_with_names_as_text() -> None:
    ranks = ContestRank("<b>mean</b>", 0.0123, 2.0, 1, "a"), ContestRank("max", 0.02, 1.0, 0, "b")
    contest = Contest("fp-2", ranks, ())
    assert "&lt;b&gt;mean" in contest._repr_html_()
    assert ">1.23<" in contest._repr_html_()


def test_one_method_is_its_run_and_several_are_compared() -> None:
    benchmark = example(0)
    alone = run_benchmark(benchmark, points=3)
    assert (alone.contest, alone.along_alpha) == (None, None)
    assert alone.to_dict() == run_benchmark(benchmark, points=3).to_dict()
    both = run_benchmark(benchmark, fusions=["mean", "min"], pooled=5)
    runs = [run_benchmark(benchmark, fusions=name, points=5, keep_scores=True) for name in ("mean", "min")]
    expected = {
        "runs": [each.to_dict() for each in runs],
        "comparison": compare_runs(runs).to_dict(),
        "pooled_comparison": compare_pooled(*runs).to_dict(),
    }
    assert json_text(both.to_dict()) == json_text(expected)
    experiments = both.tables()[0]
    assert experiments.column("fusion") == ["mean"] * 4 + ["min"] * 4
    assert [table.name for table in both.tables()].count("systems") == 1


@pytest.mark.parametrize(
    ("fusions", "pooled"), [([], None), (["mean", "min", "mean"], None), (["mean"], 3), (["mean", "min", "max"], 3)]
)
def test_methods_that_cannot_be_compared(fusions: list[str], pooled: int | None) -> None:
    with pytest.raises(ParameterError) as error:
        run_benchmark(example(0), fusions=fusions, pooled=pooled)
    assert error.value.code == "methods"
