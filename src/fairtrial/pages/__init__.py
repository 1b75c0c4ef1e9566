"""Write self-contained pages of results."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from fairtrial.core.errors import ParameterError
from fairtrial.core.words import listed

if TYPE_CHECKING:
    from fairtrial.pages.page import Page, Repeat

_PAGES = {
    "Evaluation": "systems.evaluation_page",
    "Comparison": "systems.comparison_page",
    "FusionResult": "systems.fusion_page",
    "CalibratedSystem": "calibration.calibration_page",
    "GroupEvaluation": "groups.groups_page",
    "BenchmarkResult": "studies.benchmark_page",
    "CoverageStudy": "studies.coverage_page",
}
"""What makes the page of a result, by its class; loaded when it is needed."""


def page_of(result: Any, repeat: Repeat, **more: Any) -> Page:
    """Make the page of a result, or of several calibrations.

    Parameters
    ----------
    result
        A result of `evaluate`, `compare`, `fuse`, `calibrate`, `evaluate_groups`, `run_benchmark` or
        `run_study`.
    repeat
        What it takes to do the same again.
    **more
        What only some pages take: `pairs`, `correction` and `rng` of calibrations, `benchmark` and `confidence` of a
        benchmark.

    Returns
    -------
    Page
        To be written by `write_report`.

    Raises
    ------
    ParameterError
        If there is no page of such a result.
    """
    if hasattr(result, "page_parts"):
        result, more = result.page_parts()
    name = type(result[0] if isinstance(result, Sequence) else result).__name__
    if name not in _PAGES:
        raise ParameterError(f"there is no page of a {name}; there are those of {listed(_PAGES)}", code="no-page")
    if name == "CalibratedSystem" and not isinstance(result, Sequence):
        result = [result]
    module, function = _PAGES[name].split(".")
    page: Page = getattr(import_module(f"fairtrial.pages.{module}"), function)(result, repeat, **more)
    return page
