"""Sums of class means."""

from __future__ import annotations

import numpy as np
import pytest

from fairtrial.calibration.evidence import by_class, sum_of_class_means


def test_influences_as_values_whose_class_means_add_up_to_them() -> None:
    genuine = np.array([True, True, False, False, False])
    values = np.array([1.0, 3.0, 6.0, 0.0, 3.0])
    assert sum_of_class_means(values, genuine) == 2.0 + 3.0
    influence = np.array([0.1, -0.3, 0.5, 0.2, 0.0])
    assert sum_of_class_means(by_class(influence, genuine), genuine) == pytest.approx(influence.sum())
