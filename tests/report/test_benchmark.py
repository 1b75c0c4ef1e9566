"""The page of a benchmark."""

import pytest

from fairtrial import (
    RunSettings,
    run_benchmark,
)
from fairtrial.benchmark.sets import Benchmark, BenchmarkSet, SystemInfo
from fairtrial.report.benchmark import benchmark_page
from fairtrial.report.page import render
from report.pages import EVIL, REPEAT, Reader, check_self_contained, two_systems


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
