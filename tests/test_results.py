"""Every result says its tables: raw values, a short repr, renderings that agree with the numbers."""

from __future__ import annotations

import inspect
import json
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fairtrial as ft
from fairtrial.cli.actions import list_criteria, write_demo
from fairtrial.core.results import Result
from fairtrial.core.tables import Table
from fairtrial.core.words import wording
from fairtrial.counting.count import count_files
from fairtrial.evaluation.bands import curve_band
from fairtrial.evaluation.expected import expected_performance
from fairtrial.formats.convert import convert_files
from pages.pages import EVIL, two_systems


@cache
def scores(seed: int) -> ft.Trials:
    rng = np.random.default_rng(seed)
    claim, subject = np.divmod(np.arange(400), 20)
    values = np.outer(claim == subject, [2.0, 2.5]) + rng.normal(size=(400, 2))
    return ft.Trials.from_arrays(
        values, claim == subject, systems=["face", "<voice> & FAR"], claim=claim, subject=subject
    )


def counters() -> tuple[ft.Counter, ft.Counter]:
    found = []
    for seed in (0, 1):
        counter = ft.Counter(scores(0).systems, precision=0.05)
        rng = np.random.default_rng(seed)
        genuine = rng.random(6000) < 0.3
        counter.update(rng.normal(size=(6000, 2)) + genuine[:, None], genuine)
        found.append(counter)
    return found[0], found[1]


def opened(trials: ft.Trials) -> Any:
    return ft.open_trials(trials.scores, trials.genuine, systems=trials.systems)


@cache
def results() -> dict[str, Result]:
    dev, test = scores(0), scores(1)
    people = ft.Individuals.from_counts([0, 0, 0, 1, 0, 2, 0, 0, 5, 1], 5)
    a, b = (ft.performance_curve(dev, test, system=name, alphas=np.linspace(0, 1, 21)) for name in dev.systems)
    first, second = (
        ft.published.published_counts(far=far, frr=frr, impostor=1000, genuine=100)
        for far, frr in ((0.1, 0.2), (0.2, 0.2))
    )
    lausanne = ft.benchmark.load_lausanne(0).only(["LP1"])
    runs = [
        ft.run_benchmark(lausanne, protocol="fp-intramodal", fusions=name, points=3).runs[0] for name in ("mean", "max")
    ]
    plan = ft.plan_rate(0.02, 0.1, half_width=0.005, attempts=5)
    comparison = ft.compare(dev, test, n_resamples=50, margin=0.1)
    calibrated = ft.calibrate(dev, test).systems
    folder = Path(tempfile.mkdtemp())
    files = [folder / "scores.csv"]
    ft.write_trials(dev, files[0])
    return {
        "evaluation": ft.evaluate(dev, test, systems="face", measures=["f1", "far"]),
        "comparison": comparison,
        "pair": comparison.pairs[0],
        "curve": a,
        "calibrated": calibrated[0],
        "evidence": ft.calibration.compare_evidence(calibrated)[0],
        "bayes errors": ft.calibration.bayes_error_curve(calibrated[1], raw=True),
        "cross-entropy": ft.calibration.ece_curve(calibrated[1], raw=True),
        "tippett": ft.calibration.tippett_curve(calibrated[1]),
        "pav": ft.calibration.pav_curve(calibrated[1], n_resamples=20),
        "llr map": ft.calibration.llr_map(calibrated[1]),
        "passed": ft.calibrate(*map(opened, (dev, test)), systems="face", costs=["sre18"]),
        "operating points": ft.operating_points(dev, test, systems="face")["face"],
        "operating points of all": ft.operating_points(dev, test),
        "expected": expected_performance(dev, test, points=5),
        "groups": ft.evaluate_groups(
            dev, test, system="face", by="half", people={"person": [*range(20)], "half": ["<b>", "FAR"] * 10}
        ),
        "areas": ft.evaluation.expected_areas(dev, test, system="face"),
        "band": curve_band(a),
        "compared curves": ft.compare_curves(a, b),
        "area test": ft.evaluation.compare_areas(
            *(ft.evaluation.expected_areas(dev, test, system=name) for name in dev.systems)
        )["g"],
        "interval": ft.inference.rate_interval(first),
        "intervals": ft.published.rate_intervals(far=0.01, frr=0.02, impostor=900, genuine=300, measure="all"),
        "test": ft.published.independent_test(first, second),
        "tests": ft.published.compare_rates(a=(0.01, 0.02), b=(0.02, 0.03), impostor=900, genuine=300),
        "mcnemar": ft.published.mcnemar_test(3, 90),
        "bound": ft.published.bound_from_eers(0.01, 0.02, 1000),
        "bounds": ft.published.bounds_from_eers({"<voice>": 0.01, "face": 0.02, "finger": 0.0}, 1000),
        "repeated": ft.repeated_intervals(people, n_resamples=50),
        "no errors": ft.repeated_intervals(ft.Individuals.from_counts([0, 0, 0], 5), n_resamples=50),
        "rate test": ft.repeated.individuals_test(people, rate=0.3),
        "fit": ft.repeated.fit_model(people),
        "fit test": ft.repeated.fit_test(people, n_resamples=5),
        "study": ft.repeated.coverage_study(n=30, m=2, pi=0.1, rho=0.2, data_sets=20, n_resamples=20),
        "studies": ft.repeated.coverage_study(n=(20, 30), m=2, pi=0.1, rho=0.2, exact=True),
        "claims": ft.repeated.coverage_study(n=300, m=2, pi=0.1, rho=0.2, methods=["lbb"], exact=True, claims=True),
        "plan": plan,
        "comparison plan": ft.plan_comparison((0.01, 0.02), (0.015, 0.03)),
        "fusion": ft.fuse(dev, test, fusion="lda"),
        "applied": ft.fuse(None, test, model=ft.fuse(dev, test).model),
        "correlations": ft.fusion.system_correlations(dev),
        "predictions": ft.fusion.predict_fusions(dev, test),
        "chimeric": ft.fusion.chimeric_study(dev, test, moved=["<voice> & FAR"], assignments=2),
        "benchmark": runs[0],
        "contest": ft.benchmark.compare_runs(runs),
        "benchmarks": ft.benchmark.FusionBenchmark(tuple(runs), ft.benchmark.compare_runs(runs)),
        "data sets": ft.list_datasets(),
        "data set": ft.list_datasets("asvspoof2019-la"),
        "exported": ft.benchmark.export_dataset("lausanne", tempfile.mkdtemp(), only=["LP1"]),
        "roc": ft.roc_curve(dev, system="face"),
        "eer": ft.equal_error_rate(dev, system="face"),
        "precision and recall": ft.evaluation.precision_recall_curve(dev, system="face"),
        "break-even": ft.rules.break_even_point(dev, system="face"),
        "system evaluation": ft.evaluate(dev, test)["face"],
        "counted evaluation": ft.evaluate(*counters(), systems="face", measures=["f1"]),
        "counted curve": ft.performance_curve(*counters(), system="face", alphas=np.linspace(0, 1, 21), measure="dcf"),
        "counted comparison": ft.compare(*counters()),
        "conversion": convert_files(files, out=str(folder / "converted.parquet")),
        "counts": count_files(files, out=str(folder / "counts.ftc")),
        "listing": list_criteria(),
        "demo": write_demo(str(folder)),
    }


NAMES = [
    "evaluation", "comparison", "pair", "curve", "calibrated", "evidence", "bayes errors", "cross-entropy",
    "tippett", "pav", "llr map", "passed", "operating points", "operating points of all", "expected", "groups",
    "areas", "band", "compared curves", "area test", "interval", "intervals", "test", "tests", "mcnemar",
    "bound", "bounds", "repeated", "no errors", "rate test", "fit",
    "fit test", "study", "studies", "claims", "plan", "comparison plan", "fusion", "applied",
    "correlations", "predictions", "chimeric", "benchmark", "contest", "benchmarks",
    "data sets", "data set", "exported", "roc", "eer", "precision and recall",
    "break-even", "system evaluation", "counted evaluation", "counted curve", "counted comparison",
    "conversion", "counts", "listing", "demo",
]  # fmt: skip
WRITTEN = ("conversion", "counts", "demo")
"""Files that were written, of which there is nothing to tabulate."""


def test_every_result_is_tried() -> None:
    assert list(results()) == NAMES
    # by name: a dataclass with slots leaves the class without them behind
    found = {kind for kind in _subclasses(Result) if kind.__module__.startswith("fairtrial.")}
    kinds = {kind.__name__ for kind in found if not inspect.isabstract(kind)}
    assert kinds == {type(result).__name__ for result in results().values()}


def _subclasses(kind: type[Any]) -> set[type[Any]]:
    return {sub for own in kind.__subclasses__() for sub in (own, *_subclasses(own))}


@pytest.mark.parametrize("name", NAMES)
def test_result_is_plain_numbers_and_texts(name: str) -> None:
    assert json.loads(json.dumps(results()[name].to_dict()))


@pytest.mark.parametrize("name", NAMES)
def test_result_shows_itself_shortly(name: str) -> None:
    shown = repr(results()[name])
    assert shown.startswith(f"<{type(results()[name]).__name__}: ")
    assert "\n" not in shown
    assert len(shown) < 350


@pytest.mark.parametrize("name", [name for name in NAMES if name not in WRITTEN])
def test_result_renders_in_every_way(name: str) -> None:
    result = results()[name]
    tables = result.tables()
    assert all(isinstance(table, Table) and table.rows for table in tables)
    assert len({table.name for table in tables}) == len(tables)
    assert result.to_arrow().num_rows == len(tables[0].rows)
    html = result._repr_html_()
    assert "<voice>" not in html
    assert html.count("<table>") == html.count("</table>") >= 1
    assert "<voice>" not in result.to_markdown()
    latex = result.to_latex()
    assert latex.count("\\begin{table}") == latex.count("\\end{table}") == len(tables)
    for table in tables:
        for rendered in (result.to_markdown(), html):
            assert " .. " not in rendered
        assert all(column.title for column in table.columns)


@pytest.mark.parametrize("name", NAMES)
def test_iso_terms_in_headings(name: str) -> None:
    for table in results()[name].tables():
        usual = table.headings
        with wording(terms="iso"):
            assert not {"FAR %", "FRR %", "FAR", "FRR"} & {*table.headings}
            assert ("FMR %" in table.headings) == ("FAR %" in usual)


def test_evaluation_in_numbers() -> None:
    result = results()["evaluation"]
    assert isinstance(result, ft.Evaluation)
    errors, _, trials, intervals = result.tables()
    assert errors.column("set") == ["dev", "test"]
    assert errors.column("hter") == [result.dev.hter, result.test.hter]
    assert errors.column("interval") == [None, result.interval().interval]
    assert errors.column("f1") == [None, result.measures["f1"]]
    assert errors.column("measure_far") == [None, result.test.far]
    assert trials.rows == (("face", result.threshold, 20, 380, 20, 380),)
    further = (found for name, found in result.measure_intervals.items() if name != "far")
    shares = (result.interval("far"), result.interval("frr"), *further)
    for name in ("measure", "method", "threshold"):
        assert intervals.column(name) == [getattr(found, name) for found in (*result.intervals, *shares)]
    assert intervals.column("interval") == [(*found.interval, True) for found in (*result.intervals, *shares)]
    assert intervals.column("measure")[-2:] == ["frr", "f1"]
    frame = result.to_arrow().to_pydict()
    assert frame["interval_low"] == [None, result.interval().low]
    assert frame["false_accepts"] == [result.dev.false_accepts, result.test.false_accepts]


def test_notes_name_the_system_they_speak_of() -> None:
    perfect = ft.Trials.from_arrays(
        [[2.0, 0.0], [3.0, 5.0], [0.0, 1.0], [1.0, 2.0]], [True, True, False, False], systems=["a", "b"]
    )
    notes = ft.evaluate(perfect, perfect, systems="a").notes
    assert any(str(note).startswith("a: no false accepts in 2 test trials") for note in notes)


def test_comparison_in_numbers() -> None:
    result = results()["comparison"]
    assert isinstance(result, ft.Comparison)
    tests, ranking, differences, assumptions, agreement, commands = result.tables()
    assert len(commands.rows) == 2
    assert assumptions.column("test") == [test.test for test in result.pairs[0].tests]
    assert all(assumptions.rows[k][2] for k, name in enumerate(assumptions.column("test")) if "dependent" in name)
    (pair,) = result.pairs
    assert tests.column("p_value") == [test.p_value for test in pair.tests]
    assert tests.column("p_adjusted") == list(pair.adjusted)
    assert ranking.column("letters") == [rank.letters for rank in result.ranking]
    assert pair.replicates is not None
    ends = (pair.interval, pair.tests[1].interval() or (), pair.replicates.interval(confidence=0.95))
    assert differences.column("interval") == [(*interval, True) for interval in ends]
    assert differences.column("threshold") == ["re-estimated", "fixed", "fixed"]
    assert tests.column("threshold")[:3] == ["re-estimated", "fixed", "fixed"]
    assert tests.column("measure")[tests.column("test").index("mcnemar")] == "class-error"
    cells = [agreement.column(name)[0] for name in ("both_right", "only_a_wrong", "only_b_wrong", "both_wrong")]
    assert sum(cells) == 400
    errors = pair.counts_a.false_accepts + pair.counts_a.false_rejects
    assert cells[1] + cells[3] == errors
    assert tests.column("impostor_ab") == agreement.column("impostor_ab") * len(tests.rows)


def test_curve_shows_every_tenth_and_holds_all() -> None:
    result = results()["curve"]
    assert isinstance(result, ft.PerformanceCurve)
    main, means = result.tables()
    assert main.column("alpha") == result.alpha.tolist()
    assert main.shown == tuple(range(0, 21, 2))
    assert means.column("mean") == [result.mean()]


def test_study_of_some_cells_holds_all_rows_and_shows_them_side_by_side() -> None:
    result = results()["studies"]
    assert isinstance(result, ft.repeated.CoverageStudy)
    main, side = result.tables()
    assert main.column("coverage") == [row.coverage for row in result.rows]
    assert main.shown == ()
    assert side.column("lbb") == [row.coverage for row in result.rows if row.method == "lbb"]
    assert "<caption>Coverage:" not in result._repr_html_()


def test_benchmark_says_its_experiments_once() -> None:
    result = results()["benchmark"]
    assert isinstance(result, ft.benchmark.BenchmarkResult)
    main = result.tables()[0]
    assert main.column("hter") == [each.counts.hter for each in result.experiments]
    assert main.column("systems")[0] == " + ".join(result.experiments[0].experiment.systems)
    assert [table.name for table in result.tables()] == ["experiments", "systems", "groups"]


def test_trials_are_shown_in_a_line() -> None:
    shown = repr(scores(0))
    assert shown == (
        "<Trials: 400 trials (20 genuine, 380 impostor), 2 systems: face, <voice> & FAR; ids: claim, subject>"
    )
    assert "&lt;voice&gt;" in scores(0)._repr_html_()


@dataclass(frozen=True, slots=True, repr=False)
class _Own(Result):
    def tables(self) -> tuple[Table, ...]:
        return ()

    def answer(self) -> str:
        return "mine"

    def to_dict(self) -> dict[str, Any]:
        return {}


def test_a_result_of_ones_own() -> None:
    assert repr(_Own()) == "<_Own: mine>"


def test_results_show_themselves_in_a_notebook_with_names_as_text() -> None:
    dev, test = two_systems(0), two_systems(1)
    result = ft.evaluate(dev, test, systems=EVIL)
    shown: list[Any] = [result, result.interval(), ft.compare(dev, test, n_resamples=50), ft.fuse(dev, test), test]
    for each in shown:
        text = each._repr_html_()
        assert "<table>" in text
        assert "<script>" not in text
    assert "&lt;script&gt;" in result._repr_html_()
    assert f">{100 * result.test.hter:.2f}<" in result._repr_html_()


def test_what_results_are_made_of_shows_itself_shortly_too() -> None:
    dev, test = scores(0), scores(1)
    along = ft.inference.judge(ft.inference.TrialSets(dev, test), system="face", alphas=np.linspace(0, 1, 101))
    pair = results()["comparison"].pairs[0]  # type: ignore[attr-defined]
    lausanne = ft.benchmark.load_lausanne(0)
    made = {
        "ErrorCounts": along.test,
        "Judgement": along,
        "Bootstrap": pair.replicates,
        "Block": ft.inference.make_blocks(dev, 3)[1],
        "Criterion": ft.CRITERIA["wer-equal"],
        "Measure": ft.MEASURES["f1"],
        "Trials": dev,
        "Benchmark": lausanne,
        "BenchmarkSet": lausanne.sets[0],
    }
    for name, each in made.items():
        assert repr(each).startswith(f"<{name}: ")
        assert len(repr(each)) < 150
    assert repr(along.test) == "<ErrorCounts: 101 thresholds on 20 genuine and 380 impostor trials>"
    assert repr(pair.replicates).endswith(", 50 replicates>")
    assert repr(ft.CRITERIA["wer-equal"]) == "<Criterion: wer-equal, alpha FAR nearest to (1 - alpha) FRR>"
    one = ft.ErrorCounts(0.5, false_accepts=3, false_rejects=1, genuine=20, impostor=100)
    assert repr(one) == "<ErrorCounts: FAR 3.00 % (3 of 100), FRR 5.00 % (1 of 20), threshold 0.5>"
