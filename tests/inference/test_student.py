"""Student's t and the normal distribution, beside scipy."""

from __future__ import annotations

from math import copysign, inf, pi

import pytest
from scipy.special import ndtri, stdtr, stdtrit

from fairtrial.inference.student import find_root, student_p_value, student_quantile, student_tail


@pytest.mark.parametrize("df", [1, 2, 2.5, 3, 7.3, 14, 99.5, 1999, 2001, 1e5])
@pytest.mark.parametrize("value", [1e-3, 0.1, 0.5, 1.0, 1.96, 5.0, 40.0, 1e3])
def test_tail(value: float, df: float) -> None:
    assert student_tail(value, df) == pytest.approx(float(stdtr(df, -value)), rel=1e-10)
    assert student_tail(-value, df) == pytest.approx(float(stdtr(df, value)), rel=1e-12)


def test_tail_at_the_ends() -> None:
    assert student_tail(0.0, 3) == 0.5
    assert (student_tail(inf, 3), student_tail(-inf, 3)) == (0.0, 1.0)


@pytest.mark.parametrize("df", [1, 2, 3.3, 14, 250, 1e6])
@pytest.mark.parametrize("confidence", [1e-6, 0.5, 0.9, 0.95, 0.99, 0.9999])
def test_quantile(df: float, confidence: float) -> None:
    assert student_quantile(df, confidence) == pytest.approx(float(stdtrit(df, (1 + confidence) / 2)), rel=1e-7)
    assert 2 * student_tail(student_quantile(df, confidence), df) == pytest.approx(1 - confidence, rel=1e-9)
    assert student_quantile(inf, confidence) == pytest.approx(float(ndtri((1 + confidence) / 2)), rel=1e-9)


@pytest.mark.parametrize("df", [4.2, inf])
def test_p_values_of_the_three_alternatives(df: float) -> None:
    less, greater, both = (student_p_value(1.3, df, which) for which in ("less", "greater", "two-sided"))
    assert less + greater == pytest.approx(1)
    assert both == pytest.approx(2 * greater)


def test_roots_are_found_to_the_last_bits() -> None:
    assert find_root(lambda value: value * value - 2, 0.0, 2.0) == pytest.approx(2**0.5, rel=1e-14)
    assert find_root(lambda value: pi - value, 0.0, 40.0) == pytest.approx(pi, rel=1e-14)
    assert find_root(lambda value: copysign(1.0, value - 1), 0.0, 40.0) == pytest.approx(1.0, rel=1e-12)
    assert find_root(lambda value: value - 1e-9, 0.0, 40.0) == pytest.approx(1e-9, rel=1e-5)
