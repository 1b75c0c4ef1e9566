"""The pages of a benchmark and of a coverage study."""

from dataclasses import replace

import pytest

from fairtrial import run_benchmark
from fairtrial.benchmark import Benchmark, BenchmarkSet, SystemInfo
from fairtrial.pages import page_of
from fairtrial.pages.page import render
from fairtrial.repeated import Cell, Grid, coverage_study
from pages.pages import EVIL, REPEAT, Reader, check_self_contained, two_systems


def test_benchmark_page_holds_every_experiment_and_says_synthetic() -> None:
    infos = (SystemInfo("face", "face", "a", "x"), SystemInfo(EVIL, "voice", "b", "y"))
    one = BenchmarkSet("S", two_systems(0), two_systems(1), infos)
    benchmark = Benchmark("mine", f"title {EVIL}", (one,), "citation", synthetic=True)
    result = run_benchmark(benchmark, keep_scores=True)
    page = page_of(result)
    text = render(replace(page, repeat=REPEAT))
    check_self_contained(text)
    assert "synthetic scores" in Reader(text).text
    assert len(page.explore["systems"]) == len(result.experiments) == 1
    assert page.explore["pooled"]["curves"][0]["hter"] == pytest.approx(result.pooled["all"].hter.tolist())
    without = page_of(run_benchmark(benchmark, keep_scores=False))
    assert "systems" not in without.explore


def test_coverage_page_holds_every_cell() -> None:
    study = coverage_study(Grid((50,), (2, 5), (0.1,), (0.1, 0.2)), data_sets=50)
    page = page_of(study)
    text = render(replace(page, repeat=REPEAT))
    check_self_contained(text)
    assert [Cell(*cell) for cell in page.explore["coverage"]["cells"]] == list(Grid((50,), (2, 5), (0.1,), (0.1, 0.2)))
    shown = page.explore["coverage"]["maps"]["lbb"]
    assert shown["values"] == [row.coverage for row in study.rows if row.method == "lbb"]
    bounds = [0.01, 0.25, 0.5, 0.75, 0.9, 0.925, 0.95]
    assert shown["classes"] == [sum(value >= bound for bound in bounds) for value in shown["values"]]
    assert len(page.explore["coverage"]["legend"]) == 9
