"""Running a protocol: every figure is that of its pieces computed one by one."""

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from math import inf, isnan
from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from brute_force import best
from fairtrial import ParameterError, Trials, TrialsError, evaluate
from fairtrial.benchmark.experiments import BenchmarkResult
from fairtrial.benchmark.protocols import Benchmark, BenchmarkSet, SystemInfo, list_experiments, split_sets
from fairtrial.benchmark.run import run_benchmark
from fairtrial.core.notes import Note
from fairtrial.core.words import in_percent
from fairtrial.counting import count_errors
from fairtrial.evaluation.paired_tests import leading_test, pair_judgements
from fairtrial.fusion.combination import fuse_scores
from fairtrial.fusion.fusion import fuse
from fairtrial.fusion.methods import FUSIONS, FusionMethod, register_classifier
from fairtrial.fusion.model import Fitted
from fairtrial.inference import TrialSets, judge

SYSTEMS = (
    SystemInfo("pca-nn", "face", "PCA", "NN"),
    SystemInfo("pca-svm", "face", "PCA", "SVM"),
    SystemInfo("dct-nn", "face", "DCT", "NN"),
    SystemInfo("mfcc", "speech", "MFCC", "GMM"),
)


def trials(rng: np.random.Generator, systems: int, *, clients: int = 12, impostors: int = 7) -> Trials:
    claim = np.concatenate([np.repeat(np.arange(clients), 3), np.repeat(np.arange(clients), 2 * impostors)])
    others = np.tile(np.repeat(np.arange(impostors), 2), clients)
    subject = np.concatenate([np.repeat(np.arange(clients), 3), 100 + others])
    genuine = claim == subject
    scores = rng.normal(genuine[:, None] * np.linspace(1.2, 2.4, systems), 1, (len(claim), systems))
    return Trials.from_arrays(
        scores.round(3), genuine, systems=[s.name for s in SYSTEMS[:systems]], claim=claim, subject=subject
    )


def example(seed: int = 0) -> Benchmark:
    """Two sets, of four systems and of two."""
    rng = np.random.default_rng(seed)
    sets = [
        BenchmarkSet(name, trials(rng, count), trials(rng, count), SYSTEMS[:count])
        for name, count in (("one", 4), ("two", 2))
    ]
    return Benchmark("mine", "My benchmark", tuple(sets), notes=("a note",))


SETTINGS: dict[str, Any] = {"normalise": "z", "points": 5, "confidence": 0.9, "keep_scores": False}


@pytest.fixture(scope="module")
def run() -> BenchmarkResult:
    """The mean of z-normalised scores over FP-2."""
    return run_benchmark(example(), **SETTINGS).runs[0]


def set_of(result: Any) -> BenchmarkSet:
    return next(one for one in example().sets if one.name == result.experiment.set)


def test_experiments_are_those_of_the_protocol_in_its_order(run: BenchmarkResult) -> None:
    assert [result.experiment for result in run.experiments] == list_experiments(example(), "fp-2")
    assert len(run.experiments) == 7
    assert [name for name, _ in run.groups()] == [
        "one: multimodal",
        "one: different features",
        "one: different classifiers",
        "two: different classifiers",
    ]
    assert (run.benchmark, run.title, run.protocol, run.fusion, run.normalise) == (
        "mine",
        "My benchmark",
        "fp-2",
        "mean",
        "z",
    )


def test_each_experiment_is_what_fuse_and_evaluate_give(run: BenchmarkResult) -> None:
    for result in run.experiments:
        one = set_of(result)
        alone = fuse(one.dev, one.test, systems=result.experiment.systems, normalise="z", confidence=0.9)
        assert (result.counts, result.interval) == (alone.evaluation.test, alone.evaluation.interval())
        assert (result.beta_mean, result.beta_min) == (alone.gain.beta_mean, alone.gain.beta_min)
        lowest = min(alone.baselines, key=lambda base: base.test.hter)
        assert result.best == lowest.system


def test_answer_counts_the_experiments_that_are_significantly_worse(run: BenchmarkResult) -> None:
    first, second, third, *others = run.experiments
    clear = [
        replace(each, p_adjusted=0.01, test=replace(each.test, estimate=sign * 0.1))
        for each, sign in ((first, -1), (second, 1), (third, 1))
    ]
    unclear = [replace(each, p_adjusted=1.0) for each in others]
    for experiments, words in ((clear + unclear, ("1", "2")), (unclear, ("none", "none"))):
        less, more = words
        answer = replace(run, experiments=tuple(experiments)).answer()
        assert answer.endswith(f"significantly less in {less} of them and more in {more} (Holm)")


def test_gains_by_equations_9_and_10(run: BenchmarkResult) -> None:
    alone = {(base.set, base.system): float(base.counts.hter) for base in run.baselines}
    for result in run.experiments:
        rates = [alone[result.experiment.set, system] for system in result.experiment.systems]
        assert result.beta_mean == pytest.approx(sum(rates) / len(rates) / result.counts.hter)
        assert result.beta_min == pytest.approx(min(rates) / result.counts.hter)


def test_each_baseline_is_what_evaluate_gives(run: BenchmarkResult) -> None:
    assert [(base.set, base.system) for base in run.baselines] == [
        *(("one", system.name) for system in SYSTEMS),
        *(("two", system.name) for system in SYSTEMS[:2]),
    ]
    for base in run.baselines:
        one = next(one for one in example().sets if one.name == base.set)
        alone = evaluate(one.dev, one.test, systems=base.system, criterion="wer-equal", confidence=0.9)
        assert (base.counts, base.interval) == (alone.test, alone.interval())


def test_each_test_is_that_of_the_fusion_against_the_best_of_its_systems(run: BenchmarkResult) -> None:
    for result in run.experiments:
        one = set_of(result)
        alone = fuse(one.dev, one.test, systems=result.experiment.systems, normalise="z")
        dev, test = (
            Trials(
                np.stack([fused.column(), own.column(result.best)], axis=1),
                own.genuine,
                ("fused", "best"),
                claim=own.claim,
                subject=own.subject,
            )
            for fused, own in ((alone.scores.dev, one.dev), (alone.scores.test, one.test))
        )
        sets = TrialSets(dev, test)
        pair = pair_judgements(*(judge(sets, system=name, criterion="wer-equal") for name in ("fused", "best")))
        assert result.test == leading_test(pair)
        assert result.test.threshold == "re-estimated"
        wrong = (alone.scores.test.column() > alone.evaluation.threshold) != one.test.genuine
        assert result.wrong(len(one.test)).tolist() == wrong.tolist()


def holm(p_values: list[float]) -> list[float]:
    """By hand: the smallest times m, the next times m - 1, never falling, never above 1."""
    order = sorted(range(len(p_values)), key=lambda k: p_values[k])
    adjusted, last = [0.0] * len(p_values), 0.0
    for rank, k in enumerate(order):
        last = max(last, min(1.0, (len(p_values) - rank) * p_values[k]))
        adjusted[k] = last
    return adjusted


def test_p_values_are_adjusted_by_holm_over_the_protocol(run: BenchmarkResult) -> None:
    raw = [result.test.p_value for result in run.experiments]
    assert [result.p_adjusted for result in run.experiments] == pytest.approx(holm(raw))
    assert len({*raw}) == len(raw)


def unequal(far: Fraction, frr: Fraction, alpha: Fraction) -> Fraction:
    return abs(alpha * far - (1 - alpha) * frr)


def test_pooled_curves_are_errors_summed_at_each_experiments_own_threshold(run: BenchmarkResult) -> None:
    """Equations (11) and (12): every threshold by brute force."""
    expected: dict[str, list[list[int]]] = {}
    for result in run.experiments:
        one = set_of(result)
        fused = fuse_scores(one.dev, one.test, systems=result.experiment.systems, normalise="z")
        dev, test, genuine = fused.dev.column(), fused.test.column(), fused.dev.genuine
        rows = []
        for k in range(5):
            threshold = best(dev[genuine].tolist(), dev[~genuine].tolist(), unequal, Fraction(k, 4)).threshold
            errors = test > threshold
            rows.append([int(errors[~one.test.genuine].sum()), int((~errors)[one.test.genuine].sum())])
        own = f"{result.experiment.set}: {result.experiment.group}"
        for name in ("all", own):
            expected.setdefault(name, []).append([n for row in rows for n in row])
    assert set(run.pooled) == set(expected)
    for name, found in expected.items():
        summed = np.sum(found, axis=0).reshape(5, 2)
        curve = run.pooled[name]
        assert curve.alpha.tolist() == [0, 0.25, 0.5, 0.75, 1]
        assert curve.far == pytest.approx(summed[:, 0] / (168 * len(found)))
        assert curve.frr == pytest.approx(summed[:, 1] / (36 * len(found)))
        assert curve.hter == pytest.approx((curve.far + curve.frr) / 2)
    pooled = run.to_dict()["pooled_epc"]
    assert pooled == {"alpha": run.pooled["all"].alpha.tolist(), "hter": run.pooled["all"].hter.tolist()}


def test_contract_of_to_dict(run: BenchmarkResult) -> None:
    found = run.to_dict()
    assert {"protocol", "fusion", "experiments", "baselines", "pooled_epc"} <= set(found)
    keys = {"group", "systems", "hter", "far", "frr", "beta_mean", "beta_min", "p_value"}
    assert all(keys <= set(entry) for entry in found["experiments"])
    assert found["experiments"][0]["systems"] == ["pca-nn", "mfcc"]
    assert found["notes"][0]["text"] == "a note"
    assert [note["about"] for note in found["notes"][1:]] == ["one", "two"]
    for entry in found["experiments"]:
        assert (entry["interval"]["threshold"], entry["p_threshold"]) == ("re-estimated", "re-estimated")
    assert set(found["pooled_groups"]) == {name for name, _ in run.groups()}


@pytest.fixture
def bayes() -> Iterator[None]:
    """A method that only this process knows."""
    register_classifier("bayes", GaussianNB, grid=[{"var_smoothing": v} for v in (1e-9, 0.5)])
    yield
    del FUSIONS["bayes"]


def test_the_result_does_not_depend_on_the_workers(bayes: None) -> None:
    home = os.getpid()

    def cost(far: Any, frr: Any, alpha: float) -> Any:
        watched = any(thread.name == "watches the parent" for thread in threading.enumerate())
        assert watched == (os.getpid() != home)
        return alpha * far**2 + (1 - alpha) * frr**2

    settings: dict[str, Any] = {"fusions": "bayes", "criterion": cost, "points": 3, "inner_folds": 3}
    done: list[float] = []
    alone, shared = (
        run_benchmark(example(), protocol="fp-full", **settings, workers=workers, progress=done.append)
        for workers in (1, 2)
    )
    assert alone.to_dict() == shared.to_dict()
    assert alone.fusion == "bayes"
    assert alone.criterion.name == "cost"
    assert len(done) == 2 * len(alone.experiments) == 2 * 12
    assert sum(done) == pytest.approx(2.0)
    assert {tuple(result.parameters) for result in alone.experiments} == {("var_smoothing",)}


def test_a_worker_ends_with_its_parent() -> None:
    """The worker holds the pipe that is read here: the end of it is the end of the worker."""
    code = (
        "import os, signal, time\n"
        "from fairtrial.benchmark import run as runner\n"
        "runner._EVERY = 0.05\n"
        "if os.fork():\n"
        "    time.sleep(0.3)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "runner._end_with(os.getppid())\n"
        "print('at work', flush=True)\n"
        "time.sleep(60)\n"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=30, check=False)
    assert (found.returncode, found.stdout, found.stderr) == (-signal.SIGKILL, b"at work\n", b"")


def test_more_workers_than_a_machine_can_run() -> None:
    with pytest.raises(ParameterError, match="at most 1,024 workers, not 1,000,000"):
        run_benchmark(example(), workers=1_000_000)


@pytest.fixture(scope="module")
def splits() -> Benchmark:
    """Three random splits of one set."""
    whole = trials(np.random.default_rng(3), 3, clients=30, impostors=10)
    sets, note = split_sets("set", whole, SYSTEMS[:3], repeats=3, seed=1)
    return Benchmark("dealt", "dealt", sets, notes=(note,))


def test_spreads_over_splits_by_numpy(splits: Benchmark) -> None:
    result = run_benchmark(splits, points=3)
    assert len(result.experiments) == 9
    assert len(result.spreads) == 3
    for spread in result.spreads:
        own = [r for r in result.experiments if r.experiment.systems == spread.systems]
        rates = [float(r.counts.hter) for r in own]
        assert [r.experiment.split for r in own] == [1, 2, 3]
        assert spread.splits == 3
        assert spread.mean == pytest.approx(np.mean(rates))
        assert spread.sd == pytest.approx(np.std(rates, ddof=1))
        assert spread.beta_min == pytest.approx(np.mean([r.beta_min for r in own]))
        one = splits.sets[1]
        assert own[1].counts == fuse(one.dev, one.test, systems=spread.systems).evaluation.test
    assert [entry["hter_mean"] for entry in result.to_dict()["spreads"]] == [s.mean for s in result.spreads]


def test_spread_of_single_systems_over_random_splits(splits: Benchmark) -> None:
    result = run_benchmark(splits, points=3)
    systems = splits.sets[0].systems
    assert [each.system for each in result.baseline_spreads] == [system.name for system in systems]
    for each in result.baseline_spreads:
        rates = [evaluate(one.dev, one.test, systems=each.system).test.hter for one in splits.sets]
        assert (each.set, each.splits) == (splits.sets[0].name, 3)
        assert (each.mean, each.sd) == pytest.approx((np.mean(rates), np.std(rates, ddof=1)))
    assert result.to_dict()["baseline_spreads"] == [each.to_dict() for each in result.baseline_spreads]


def test_gains_that_are_not_finite_are_left_out_of_means() -> None:
    (good,) = perfect().sets
    rng = np.random.default_rng(0)
    scores = rng.normal(good.dev.genuine[:, None], 1, good.dev.scores.shape)
    noisy = replace(good.dev, scores=scores)
    parts = ((good.dev, good.test), (noisy, noisy))
    sets = tuple(BenchmarkSet("s", *part, good.systems, split) for split, part in enumerate(parts, 1))
    result = run_benchmark(Benchmark("mine", "mine", sets), points=3)
    first, second = result.experiments
    assert first.beta_min == inf
    (spread,) = result.spreads
    assert (spread.beta_min, spread.left_out) == (second.beta_min, 1)
    assert spread.to_dict()["beta_min_left_out"] == 1


def test_p_values_are_adjusted_within_each_split(splits: Benchmark) -> None:
    result = run_benchmark(splits, points=3)
    for split in (1, 2, 3):
        own = [r for r in result.experiments if r.experiment.split == split]
        assert [r.p_adjusted for r in own] == pytest.approx(holm([r.test.p_value for r in own]))


def test_one_split_has_no_spread(splits: Benchmark) -> None:
    alone = Benchmark("dealt", "dealt", splits.sets[:1])
    assert all(isnan(spread.sd) for spread in run_benchmark(alone, points=3).spreads)
    assert run_benchmark(example(), **SETTINGS).spreads == ()
    assert run_benchmark(example(), **SETTINGS).baseline_spreads == ()


def test_fused_scores_are_kept_if_asked_for(run: BenchmarkResult) -> None:
    assert all(result.fused is None for result in run.experiments)
    kept = run_benchmark(example(), points=3, keep_scores=True).experiments[0]
    assert kept.fused is not None
    assert count_errors(kept.fused.test, float(kept.counts.threshold)).scalar() == kept.counts


def test_what_many_experiments_note_is_said_once() -> None:
    def fit(data: Any) -> Fitted:
        own = ("separated",) if data.scores.shape[1] == 2 and data.scores[:, 1].max() == largest else ()
        return Fitted(lambda scores, claim: scores[:, 0], ("fitted in haste", *own))

    largest = example().sets[0].dev.column("dct-nn").max()
    result = run_benchmark(example(), fusions=FusionMethod("own", fit), points=3)
    assert [str(note) for note in result.notes[:3]] == [
        "a note",
        "7 experiments: fitted in haste",
        "2 experiments: separated",
    ]
    alone = [r for r in result.experiments if "separated" in r.notes]
    assert [r.experiment.systems for r in alone] == [("pca-nn", "dct-nn"), ("pca-svm", "dct-nn")]


def perfect() -> Benchmark:
    """Two systems with one false reject each, of different trials; their mean has none."""
    claim = np.concatenate([np.arange(6), np.repeat(np.arange(6), 3)])
    subject = np.concatenate([np.arange(6), 10 + np.tile(np.arange(3), 6)])
    genuine = claim == subject
    scores = np.where(genuine, 10.0, 0.0)[:, None] + np.zeros((len(claim), 2))
    scores[0, 0] = scores[1, 1] = -1
    one = Trials.from_arrays(scores, genuine, systems=["a|b", "c_%&"], claim=claim, subject=subject)
    infos = SystemInfo("a|b", "face", "f{}", "x"), SystemInfo("c_%&", "face", "g", "x")
    return Benchmark("perfect", "50% of_all", (BenchmarkSet("s#1~^$\\", one, one, infos),), synthetic=True)


def test_infinite_gain_is_noted_and_written() -> None:
    result = run_benchmark(perfect(), points=3)
    (only,) = result.experiments
    assert (only.beta_mean, only.beta_min) == (inf, inf)
    gain = result.notes[0]
    assert isinstance(gain, Note)
    assert (gain.code, gain.about) == ("infinite-gain", "s#1~^$\\, a|b + c_%&")
    # three impostors, each in a third of the impostor trials
    assert any("one person takes part in 33 % of the impostor trials" in str(note) for note in result.notes)
    assert "| inf |" in result.to_markdown()
    assert result.to_arrow()["beta_min"].to_pylist() == [inf]


def test_latex_is_escaped() -> None:
    body = run_benchmark(perfect(), points=3).tables()[0].to_latex()
    caption = next(line for line in body.splitlines() if line.startswith("\\caption"))
    assert caption.startswith("\\caption{50\\% of\\_all (synthetic scores), fp-2, mean")
    name = "s\\#1\\textasciitilde{}\\textasciicircum{}\\$\\textbackslash{}"
    assert f"{name} & different features & a\\textbar{{}}b + c\\_\\%\\& & 0.000 & " in body
    assert len(re.findall(r"\\begin\{(table|tabular)\}", body)) == len(re.findall(r"\\end\{(table|tabular)\}", body))
    plain = re.sub(r"\\[#$%&_{}]", "", body)
    assert plain.count("{") == plain.count("}")
    assert not re.search(r"(?<!\\)[#%~]", plain)
    rows = [line for line in plain.splitlines() if "\\\\" in line]
    assert [row.count("&") for row in rows] == [9, 9]


def test_markdown_has_one_row_per_experiment(run: BenchmarkResult) -> None:
    text = run.tables()[0].to_markdown()
    how = "a priori, thresholds by wer-equal (alpha 0.5) on dev"
    assert text.startswith(f"## My benchmark, fp-2, mean, normalisation z, {how}\n")
    assert "| HTER % | 90 % interval | FAR % | FRR % | beta\\_mean | beta\\_min | p (Holm) |" in text
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert len(rows) == 7 + 1
    first = run.experiments[0]
    assert f" | pca-nn + mfcc | {100 * first.counts.hter:.2f} | {100 * first.interval.low:.2f} to" in rows[1]
    strange = run_benchmark(perfect(), points=3).tables()[0].to_markdown()
    row = next(line for line in strange.splitlines() if "different features" in line)
    assert len(re.findall(r"(?<!\\)\|", row)) == 11
    rates = f"| {in_percent(first.counts.far)} | {in_percent(first.counts.frr)} | {first.beta_mean:.2f} |"
    assert rates in rows[1]


def test_names_in_markdown_are_no_html() -> None:
    one = example().sets[1]
    strange = [SystemInfo(name, "face", name, "x") for name in ("<script>a&b", "c|d>")]
    dev, test = (part.renamed([s.name for s in strange]) for part in (one.dev, one.test))
    mine = Benchmark("mine", "<b>", (BenchmarkSet("<i>&|", dev, test, tuple(strange)),))
    text = run_benchmark(mine, fusions="mean", points=3).to_markdown()
    assert text.startswith("## &lt;b&gt;, fp-2")
    assert "| &lt;i&gt;&amp;\\| |" in text
    assert "| &lt;script&gt;a&amp;b + c\\|d&gt; |" in text
    assert not re.search(r"[<>]", text)


def test_columns_are_those_of_the_experiments(run: BenchmarkResult) -> None:
    columns = run.to_arrow().to_pydict()
    assert {len(values) for values in columns.values()} == {7}
    assert columns["hter"] == [float(result.counts.hter) for result in run.experiments]
    assert columns["p_adjusted"] == [result.p_adjusted for result in run.experiments]
    assert columns["systems"][0] == "pca-nn + mfcc"
    assert {*columns["fusion"]} == {"mean"}
    assert {*columns["synthetic"]} == {False}


def test_trials_without_ids_are_taken_one_by_one() -> None:
    one = example().sets[1]
    dev, test = (Trials(part.scores, part.genuine, part.systems) for part in (one.dev, one.test))
    result = run_benchmark(Benchmark("bare", "bare", (BenchmarkSet("two", dev, test, one.systems),)), points=3)
    assert result.experiments[0].interval.method == "wilson"
    assert result.experiments[0].test.test == "paired"
    assert result.experiments[0].counts == fuse(dev, test).evaluation.test


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"protocol": "fp-9"}, "protocol must be one of"),
        ({"workers": 0}, "at least one worker, not 0"),
        ({"fusions": "magic"}, "there is no fusion 'magic'"),
        ({"normalise": "magic"}, "^normalise must be one of none, z"),
        ({"criterion": "magic"}, "there is no criterion 'magic'"),
        ({"alpha": -1}, "alpha must be between 0 and 1"),
        ({"confidence": 0}, "confidence must be between 0 and 1"),
        ({"points": 1}, "at least 2 points"),
        ({"fusions": "product"}, r"^one, pca-nn \+ mfcc: the product needs scores of at least 0"),
    ],
)
def test_what_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        run_benchmark(example(), **options)


def test_errors_of_trials_name_the_set() -> None:
    dev, test = trials(np.random.default_rng(0), 2), trials(np.random.default_rng(1), 2)
    test.scores[0, 0] = -inf
    mine = Benchmark("mine", "mine", (BenchmarkSet("two", dev, test, SYSTEMS[:2]),))
    with pytest.raises(TrialsError, match=r"^two, pca-nn \+ pca-svm: 1 trial without the score"):
        run_benchmark(mine)
    run_benchmark(mine, missing="reject", points=3)
    assert test.claim is not None
    alone = test.rows((test.claim.decode() == "0") | ~test.genuine)
    notes = run_benchmark(
        Benchmark("mine", "mine", (BenchmarkSet("two", dev, alone, SYSTEMS[:2]),)), missing="reject", points=3
    )
    assert any(str(note).startswith("two: all genuine trials have the same claim") for note in notes.notes)


def test_a_target_that_few_errors_support_is_noted() -> None:
    notes = run_benchmark(example(), criterion="far-at-most", alpha=0.05, points=3).notes
    # 168 impostor trials of dev: 8 false accepts at most
    (note,) = (note for note in notes if isinstance(note, Note) and note.code == "few-dev-errors")
    assert (note.about, note.warning) == ("7 experiments", True)


def test_the_same_trials_for_dev_and_test_are_a_posteriori() -> None:
    table = run_benchmark(perfect(), points=3).tables()[0]
    assert ", a posteriori, thresholds by wer-equal (alpha 0.5) on the same trials" in str(table.caption)


def test_a_class_that_is_missing_in_dev_names_the_set() -> None:
    one = example().sets[1]
    mine = Benchmark("mine", "mine", (BenchmarkSet("two", one.dev.rows(~one.dev.genuine), one.test, one.systems),))
    with pytest.raises(TrialsError, match=r"^two: .*genuine"):
        run_benchmark(mine)
