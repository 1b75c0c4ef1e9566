"""Write self-contained pages of results."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from fairtrial.core.errors import ParameterError
from fairtrial.core.words import listed

if TYPE_CHECKING:
    from fairtrial.pages.page import Page, Repeat

_PAGES = {
    "Evaluation": "evaluation_page",
    "Comparison": "comparison_page",
    "ExpectedPerformance": "curves_page",
    "FusionResult": "fusion_page",
    "CalibratedSystems": "calibration_page",
    "GroupEvaluation": "groups_page",
    "BenchmarkResult": "benchmark_page",
    "FusionBenchmark": "benchmark_page",
    "CoverageStudy": "coverage_page",
}
"""The function in `results.py` that makes the page of a result, by its class."""


def page_of(result: Any, repeat: Repeat, **more: Any) -> Page:
    """Make the page of a result.

    Parameters
    ----------
    result
        A result of `evaluate`, `compare`, `fuse`, `calibrate`, `evaluate_groups`, `run_benchmark`
        or `coverage_study`, or curves of `fairtrial epc`.
    repeat
        What it takes to do the same again.
    **more
        What only some pages take: `rng` of calibrations.

    Returns
    -------
    Page
        To be written by `write_report`.

    Raises
    ------
    ParameterError
        If there is no page of such a result.
    """
    name = type(result).__name__
    if name not in _PAGES:
        raise ParameterError(f"there is no page of a {name}; there are those of {listed(_PAGES)}", code="no-page")
    page: Page = getattr(import_module("fairtrial.pages.results"), _PAGES[name])(result, **more)
    return replace(page, repeat=repeat)
