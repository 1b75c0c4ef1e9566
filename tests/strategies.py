"""Scores as they come: few distinct values, ties across classes, infinities, zeros of both signs, denormals."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

special = st.sampled_from(
    [-np.inf, np.inf, 0.0, -0.0, 5e-324, -5e-324, 1.7976931348623157e308, -1.7976931348623157e308]
)
ties = st.integers(-4, 4).map(float)
anything = st.floats(allow_nan=False, allow_infinity=True, allow_subnormal=True)


@st.composite
def score_arrays(draw: st.DrawFn, *, max_size: int = 40) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
    """Genuine and impostor scores, float64 or float32."""
    element = draw(st.sampled_from([ties, anything, st.one_of(ties, special), st.one_of(ties, special, anything)]))
    dtype = draw(st.sampled_from([np.float64, np.float32]))
    with np.errstate(over="ignore"):
        genuine, impostor = (
            np.array(draw(st.lists(element, min_size=1, max_size=max_size))).astype(dtype) for _ in range(2)
        )
    return genuine, impostor
