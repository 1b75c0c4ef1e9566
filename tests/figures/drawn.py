"""What several figures are drawn of, and how those end that cannot be drawn."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from fairtrial import FairtrialError, PerformanceCurve, Trials, performance_curve, plan_rate
from fairtrial.evaluation import alpha_grid
from fairtrial.figures.table import FIGURES

PLAN = plan_rate(0.02, 0.1, half_width=0.005)


def curve_of(dev: Trials, test: Trials, system: str, measure: str = "hter") -> PerformanceCurve:
    return performance_curve(dev, test, system=system, alphas=alpha_grid(21), measure=measure)


def caption(name: str, *data: Any, **options: Any) -> str:
    """What stands below the figure of this name, never in its title."""
    return FIGURES[name].draw(*data, **options).caption


@contextmanager
def refused(code: str) -> Iterator[None]:
    with pytest.raises(FairtrialError) as error:
        yield
    assert error.value.code == code
