"""What fusion methods have in common."""

from __future__ import annotations

import numpy as np
import pytest

from fairtrial.fusion.methods import spread_of


def test_spread_of_scores_that_cannot_be_squared() -> None:
    scores = np.array([[1.0, 1e300], [3.0, -1e300], [5.0, 1e300]])
    assert spread_of(scores).tolist() == pytest.approx([np.std([1.0, 3.0, 5.0]), 1e300 * np.std([1.0, -1.0, 1.0])])
    assert spread_of(scores[:, :1]).tolist() == [np.std([1.0, 3.0, 5.0])]
