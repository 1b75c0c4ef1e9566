"""The page: what it says, that names are text, that it needs nothing else."""

import json
import re
from html.parser import HTMLParser
from importlib import resources
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

from fairtrial import (
    Cell,
    Grid,
    RunSettings,
    StudySettings,
    Trials,
    TrialSets,
    alpha_grid,
    compare,
    cross_validate,
    evaluate,
    fuse,
    judge,
    judged_interval,
    make_blocks,
    run_benchmark,
    run_study,
)
from fairtrial.axes import COLOURS
from fairtrial.benchmark.sets import Benchmark, BenchmarkSet, SystemInfo
from fairtrial.counting.errors import as_source, count_errors
from fairtrial.intervals.judged import intervals_along
from fairtrial.people import Cluster
from fairtrial.report.benchmark import benchmark_page
from fairtrial.report.comparison import comparison_page
from fairtrial.report.coverage import coverage_page
from fairtrial.report.evaluation import evaluation_page
from fairtrial.report.page import InputFile, Page, Repeat, render, write_report
from fairtrial.tables import Column, Table

EVIL = "<script>alert('x')</script>&\"'"
REPEAT = Repeat("fairtrial evaluate", {"fairtrial": "0"}, 0, (InputFile(EVIL, 3, "ab"),))


def two_systems(seed: int, names: tuple[str, str] = ("face", EVIL)) -> Trials:
    rng = np.random.default_rng(seed)
    clients, impostors = np.arange(20), 100 + np.arange(8)
    claim = np.concatenate([np.repeat(clients, 4), np.repeat(clients, 8)])
    subject = np.concatenate([np.repeat(clients, 4), np.tile(impostors, 20)])
    scores = np.outer(claim == subject, [2.0, 2.5]) + rng.normal(size=(len(claim), 2))
    return Trials.from_arrays(
        scores, claim == subject, systems=names, claim=[f"{EVIL}{c}" for c in claim], subject=subject
    ).with_notes(f"a note {EVIL}")


class Reader(HTMLParser):
    """The elements of a page, its text, and the data within."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.scripts: list[str] = []
        self._script = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._script = tag == "script"

    def handle_data(self, data: str) -> None:
        if self._script:
            self.scripts.append(data)
            self._script = False
        else:
            self.text += data


def data_of(text: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(Reader(text).scripts[0])
    return found


def check_self_contained(text: str) -> None:
    reader = Reader(text)
    for _, attributes in reader.tags:
        for name in ("src", "href", "action", "srcset"):
            value = attributes.get(name)
            assert value is None or value.startswith(("#", "data:")), value
    # a namespace is a name, not an address that is asked for
    assert not re.findall(r"https?://", text.replace("http://www.w3.org/2000/svg", ""))
    assert len([tag for tag, _ in reader.tags if tag == "script"]) == 2
    assert len(text.encode()) < 3_000_000


def test_evaluation_page_shows_the_numbers_of_the_evaluation() -> None:
    dev, test = two_systems(0), two_systems(1)
    results = [evaluate(dev, test, system=name) for name in test.systems]
    text = render(evaluation_page(results, REPEAT))
    check_self_contained(text)
    reader = Reader(text)
    for result in results:
        assert f"{100 * result.test.hter:.2f}" in reader.text
        assert f"{100 * result.interval.low:.2f} and {100 * result.interval.high:.2f} %" in reader.text
    assert "fairtrial evaluate" in reader.text
    for note in results[0].notes:
        assert note in reader.text


def test_names_with_markup_show_as_text() -> None:
    dev, test = two_systems(0), two_systems(1)
    results = [evaluate(dev, test, system=name) for name in test.systems]
    for page in (
        evaluation_page(results, REPEAT),
        comparison_page(compare(dev, test, n_resamples=50), REPEAT),
    ):
        text = render(page)
        check_self_contained(text)
        assert EVIL in Reader(text).text
        assert "<script>alert" not in text


def test_view_of_a_system_against_plain_counts_and_intervals() -> None:
    dev, test = two_systems(0), two_systems(1)
    page = evaluation_page([evaluate(dev, test, system="face")], REPEAT)
    view = page.explore["systems"][0]
    own = test.select(["face"])
    for k in range(0, 101, 20):
        counts = count_errors(as_source(own), view["threshold"][k]).scalar()
        assert (view["far"][k], view["frr"][k]) == (counts.far, counts.frr)
        judgement = judge(TrialSets(dev, test), system="face", criterion="wer-equal", alphas=view["alpha"][k])
        assert view["threshold"][k] == judgement.test.threshold[0]
        expected = judged_interval(judgement)
        assert expected.threshold == "re-estimated"
        assert (view["low"][k], view["high"][k]) == pytest.approx((expected.low, expected.high), rel=0.05)
    edges = np.array(view["density"]["edges"])
    for name, flags in (("genuine", test.genuine), ("impostor", ~test.genuine)):
        shown = np.histogram(own.scores[flags, 0], edges)[0] / np.count_nonzero(flags) / np.diff(edges)
        assert np.allclose(view["density"][name], shown)


def test_det_curve_is_drawn_at_normal_deviates_on_its_axes() -> None:
    dev, test = two_systems(0), two_systems(1)
    explore = evaluation_page([evaluate(dev, test, system="face")], REPEAT).explore
    view, axes = explore["systems"][0], explore["det"]
    scores = test.column("face")

    def place(axis: dict[str, Any], rate: float) -> float:
        deviate = NormalDist().inv_cdf(min(max(rate, 1e-9), 1 - 1e-9))
        return round(min(max(deviate, float(axis["low"])), float(axis["high"])), 9)

    operating = {
        (
            place(axes["x"], float(np.mean(scores[~test.genuine] > s))),
            place(axes["y"], float(np.mean(scores[test.genuine] <= s))),
        )
        for s in [-np.inf, *scores]
    }
    drawn = {(round(x, 9), round(y, 9)) for x, y in zip(view["det"]["x"], view["det"]["y"], strict=True)}
    assert drawn <= operating
    assert len(drawn) > 20
    for k in range(0, 101, 10):
        assert round(view["at"]["x"][k], 9) == place(axes["x"], view["far"][k])
        assert round(view["at"]["y"][k], 9) == place(axes["y"], view["frr"][k])
    for place_of, label in axes["x"]["ticks"]:
        assert place_of == pytest.approx(NormalDist().inv_cdf(float(label) / 100))


def test_without_ids_intervals_are_those_of_independent_trials() -> None:
    rng = np.random.default_rng(0)
    genuine = np.arange(300) < 100
    dev, test = (Trials.from_arrays(rng.normal(2 * genuine, 1), genuine) for _ in range(2))
    result = evaluate(dev, test)
    view = evaluation_page([result], REPEAT).explore["systems"][0]
    assert (view["threshold"][50], result.interval.method) == (result.threshold, "wilson")
    assert (view["low"][50], view["high"][50]) == tuple(result.interval.interval)


def test_cross_validated_evaluation_has_a_page_without_thresholds() -> None:
    trials = two_systems(3)
    blocks = make_blocks(trials, 4)
    results = [cross_validate(trials, blocks, system=name) for name in trials.systems]
    text = render(evaluation_page(results, REPEAT))
    check_self_contained(text)
    systems = data_of(text)["systems"]
    assert isinstance(systems, list)
    assert systems[0]["threshold"][50] is None
    assert systems[0]["hter"][50] is not None


def test_benchmark_page_holds_every_experiment_and_says_synthetic() -> None:
    infos = (SystemInfo("face", "face", "a", "x"), SystemInfo(EVIL, "voice", "b", "y"))
    one = BenchmarkSet("S", two_systems(0), two_systems(1), infos)
    benchmark = Benchmark("mine", f"title {EVIL}", (one,), "citation", synthetic=True)
    result = run_benchmark(benchmark, settings=RunSettings(keep_scores=True))
    page = benchmark_page(benchmark, result, REPEAT)
    text = render(page)
    check_self_contained(text)
    assert "synthetic scores" in Reader(text).text
    assert len(page.explore["systems"]) == len(result.experiments) == 1
    assert page.explore["pooled"]["curves"][0]["hter"] == pytest.approx(result.pooled["all"].hter.tolist())
    without = benchmark_page(benchmark, run_benchmark(benchmark), REPEAT)
    assert "systems" not in without.explore


def test_coverage_page_holds_every_cell() -> None:
    study = run_study(Grid((50,), (2, 5), (0.1,), (0.1, 0.2)), StudySettings(data_sets=50))
    page = coverage_page(study, REPEAT)
    text = render(page)
    check_self_contained(text)
    assert [Cell(*cell) for cell in page.explore["coverage"]["cells"]] == list(Grid((50,), (2, 5), (0.1,), (0.1, 0.2)))
    shown = page.explore["coverage"]["maps"]["lbb"]
    assert shown["values"] == [row.coverage for row in study.rows if row.method == "lbb"]
    bounds = [0.01, 0.25, 0.5, 0.75, 0.9, 0.925, 0.95]
    assert shown["classes"] == [sum(value >= bound for bound in bounds) for value in shown["values"]]
    assert len(page.explore["coverage"]["legend"]) == 8


def test_numbers_that_json_does_not_know() -> None:
    page = Page("t", "q", ("a",), (), (), (), REPEAT, explore={"systems": [{"x": [float("inf"), 0.1234567]}]})
    assert data_of(render(page)) == {"systems": [{"x": [None, 0.12346]}]}


def test_tables_show_what_their_columns_say_and_sort_by_the_numbers() -> None:
    columns = (
        Column("system", "system"),
        Column("far", "FAR", "rate"),
        Column("interval", "interval", "interval"),
        Column("p", "p", "p"),
        Column("hidden", "hidden", "count", detail=True),
    )
    rows = (("FAR", 0.02, (0.01, 0.03), 1e-9, 5), (EVIL, float("nan"), None, 0.5, 6))
    table = Table("errors", "FAR on test", columns, rows, notes=("a note below",), shown=(0,))
    reader = Reader(render(Page("t", "q", ("a",), (table,), (), (), REPEAT, terms="iso")))
    cells = [attributes for tag, attributes in reader.tags if tag == "td"]
    assert [cell.get("data-sort") for cell in cells[:8]] == [None, "0.02", "0.01", "1e-09", None, "-inf", "-inf", "0.5"]
    assert [cell.get("class") for cell in cells[:4]] == [None, "number", "number", "number"]
    words = reader.text.split()
    assert words[words.index("FMR") : words.index("FMR") + 3] == ["FMR", "on", "test"]
    assert "FMR %" in reader.text
    for shown in ("FAR", "2.00", "1.00 to 3.00", "< 0.0001", EVIL, "a note below"):
        assert shown in reader.text
    assert "hidden" not in reader.text


def test_report_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    page = Page("t", "q", ("a",), (), (), (), REPEAT)
    write_report(page, tmp_path / "r.html")
    assert (tmp_path / "r.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert [path.name for path in tmp_path.iterdir()] == ["r.html"]


def test_results_show_themselves_in_a_notebook_with_names_as_text() -> None:
    dev, test = two_systems(0), two_systems(1)
    result = evaluate(dev, test, system=EVIL)
    shown: list[Any] = [result, result.interval, compare(dev, test, n_resamples=50), fuse(dev, test), test]
    for each in shown:
        text = each._repr_html_()
        assert "<table>" in text
        assert "<script>" not in text
    assert "&lt;script&gt;" in result._repr_html_()
    assert f">{100 * result.test.hter:.2f}<" in result._repr_html_()


@pytest.mark.parametrize(
    ("criterion", "alpha", "expected"),
    [("wer-min", 0.95, 0.95), ("eer", 0.5, 0.5), ("far", 0.1, None), ("f1", 0.5, None)],
)
def test_what_was_asked_stands_where_it_belongs(criterion: str, alpha: float, expected: float | None) -> None:
    dev, test = two_systems(0), two_systems(1)
    result = evaluate(dev, test, system="face", criterion=criterion, alpha=alpha)
    page = evaluation_page([result], REPEAT)
    view = page.explore["systems"][0]
    asked = view["asked"]
    assert asked["alpha"] == expected
    assert (asked["low"], asked["high"]) == tuple(result.interval.interval)
    assert asked["threshold"] == result.threshold
    if criterion == "wer-min":
        assert view["hter"][95] == asked["hter"]
        assert "alpha 0.95" in page.asked


def test_curve_of_a_cross_validation_moves_with_alpha() -> None:
    trials = two_systems(3)
    blocks = make_blocks(trials, 4)
    result = cross_validate(trials, blocks, system="face")
    page = evaluation_page([result], REPEAT)
    view = page.explore["systems"][0]
    assert len(set(view["hter"])) > 3
    assert view["asked"]["threshold"] == result.threshold
    text = Reader(render(page)).text
    assert "on held-out trials, each judged by a threshold from other people" in page.tables[0].caption
    assert "test trials" not in text
    assert "from dev" not in text
    assert page.explore["systems"][0]["axis"]["label"] == "HTER on held-out trials (%)"


def references(page: Page) -> str:
    return " ".join(f"{method.what} {method.source}" for method in page.methods)


@pytest.mark.parametrize("cluster", [None, "none"])
def test_page_of_folds_cites_its_own_methods(cluster: Cluster | None) -> None:
    trials = two_systems(3)
    blocks = make_blocks(trials, 4)
    result = cross_validate(trials, blocks, system="face", cluster=cluster)
    cited = references(evaluation_page([result], REPEAT))
    assert "Stone" in cited
    assert "before the test trials are seen" not in cited
    assert ("Fafchamps & Gubert" in cited) == (cluster is None)
    assert ("all trials taken as independent" in cited) == (cluster == "none")
    assert "the threshold chosen anew" not in cited
    assert "Threshold re-estimated" in cited


def test_page_of_the_same_trials_is_not_a_priori() -> None:
    trials = two_systems(3)
    page = evaluation_page([evaluate(trials, trials, system="face")], REPEAT)
    assert "a priori" not in references(page)
    assert "a posteriori" in references(page)
    assert "on the same trials" in page.asked


def test_intervals_along_alpha_are_made_like_the_one_that_leads() -> None:
    dev, test = two_systems(0), two_systems(1)
    result = evaluate(dev, test, system="face", criterion="wer-min", alpha=0.5, cluster="none")
    page = evaluation_page([result], REPEAT)
    view = page.explore["systems"][0]
    assert (view["low"][50], view["high"][50]) == tuple(result.interval.interval)
    assert page.tables[0].column("interval")[-1] == result.interval.interval
    assert "Fafchamps & Gubert" not in references(page)
    # beside it the same is computed along alpha
    along = intervals_along(
        judge(TrialSets(dev, test, "none"), system="face", criterion="wer-min", alphas=alpha_grid())
    )
    assert view["low"][51] == pytest.approx(along[51].low)
    assert view["low"][50] == pytest.approx(along[50].low, rel=0.02)


def test_trials_of_one_claim_have_a_page() -> None:
    rng = np.random.default_rng(0)
    genuine = np.arange(60) < 20
    dev, test = (Trials.from_arrays(rng.normal(2 * genuine, 1), genuine, claim=["a"] * 60) for _ in range(2))
    result = evaluate(dev, test, criterion="wer-min")
    view = evaluation_page([result], REPEAT).explore["systems"][0]
    assert (view["low"][50], view["high"][50]) == tuple(result.interval.interval)
    assert any("same claim" in note for note in result.notes)


def test_pages_can_speak_the_terms_of_iso() -> None:
    dev, test = two_systems(0, ("FAR", "FRR")), two_systems(1, ("FAR", "FRR"))
    results = [evaluate(dev, test, system=name) for name in test.systems]
    for page in (
        evaluation_page(results, REPEAT, terms="iso"),
        comparison_page(compare(dev, test, measure="far", n_resamples=50), REPEAT, terms="iso"),
    ):
        text = Reader(render(page)).text
        assert "FMR" in text
        assert "FNMR" in text
        assert (page.explore["det"]["x"]["label"], page.explore["det"]["y"]["label"]) == ("FMR (%)", "FNMR (%)")
        # FAR and FRR are left as names of systems only
        assert not re.search(r"(FAR|FRR) (%|on test|and weight)|weight of FAR", text)
        assert {"FAR", "FRR"} <= set(page.title.split())


def test_colours_of_a_page_are_those_of_figures() -> None:
    text = render(Page("t", "q", ("a",), (), (), (), REPEAT))
    for number, colour in enumerate(COLOURS):
        assert f"--c{number}: {colour};" in text
        assert text.upper().count(colour) == 1, colour
    script = (resources.files("fairtrial.report") / "page.js").read_text(encoding="utf-8")
    assert not re.search("#[0-9a-fA-F]{3,6}", script)


def test_scores_far_from_zero_keep_their_digits() -> None:
    dev, test = two_systems(0), two_systems(1)
    dev, test = (Trials.from_arrays(t.scores + 1e6, t.genuine, systems=["a", "b"]) for t in (dev, test))
    result = evaluate(dev, test, system="a")
    text = render(evaluation_page([result], REPEAT))
    systems = data_of(text)["systems"]
    assert isinstance(systems, list)
    assert systems[0]["asked"]["threshold"] == result.threshold
    assert len(set(systems[0]["density"]["edges"])) == 61


def test_one_sided_and_equivalence_are_told() -> None:
    dev, test = two_systems(0, ("a", "b")), two_systems(1, ("a", "b"))
    found = compare(dev, test, n_resamples=50, alternative="less", margin=0.2)
    sentences = comparison_page(found, REPEAT).answer
    assert "one-sided" in sentences[0]
    assert any("equivalent" in sentence and "within 0.2" in sentence for sentence in sentences)


def test_the_better_system_is_the_one_with_more_recall_or_fewer_errors() -> None:
    rng = np.random.default_rng(0)
    claim, subject = np.divmod(np.arange(900), 30)
    genuine = claim == subject
    dev, test = (
        Trials.from_arrays(
            np.outer(genuine, [1.0, 6.0]) + rng.normal(size=(900, 2)),
            genuine,
            systems=["poor", "good"],
            claim=claim,
            subject=subject,
        )
        for _ in range(2)
    )
    for measure in ("frr", "recall"):
        found = compare(dev, test, n_resamples=50, measure=measure)
        assert comparison_page(found, REPEAT).answer[0].startswith("good is better than poor")
    claimed = compare(dev, test, n_resamples=50, measure="recall", alternative="less")
    assert "poor has a lower Recall than good is shown" in comparison_page(claimed, REPEAT).answer[0]
