"""Newton's method for the logistic cost."""

from __future__ import annotations

import numpy as np
import pytest

from fairtrial.calibration.methods import minimise
from fairtrial.inference.variance import Floats


def test_rounding_near_the_minimum_is_not_taken_for_a_step_too_far() -> None:
    """A cost that is an ulp or two higher at each call, as sums over many trials may be."""
    calls: list[float] = []

    def terms(at: Floats) -> tuple[float, Floats, Floats]:
        calls.append(float(at[0]))
        away = calls[-1] - 1
        return float(np.cosh(away)) + 9e-16 * len(calls), np.sinh([away]), np.cosh([[away]])

    found = minimise(terms, 1, 0.5)
    assert found == pytest.approx([1.0], abs=1e-12)
    assert len(calls) < 8
