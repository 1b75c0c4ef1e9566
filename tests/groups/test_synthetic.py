"""The synthetic set has the rates that it says."""

from __future__ import annotations

import numpy as np
import pytest

import fairtrial as ft


def test_true_rates_are_those_of_many_trials() -> None:
    data = ft.groups.synthetic_groups({"a": 400, "b": 400}, worse={"b": 3.0}, attempts=20, impostors=100, effect=0.3)
    group = data.test.columns["group"].decode()  # type: ignore[union-attr]
    for threshold in (1.5, 2.5):
        for place, name in enumerate(("a", "b")):
            rows = group == name
            far = np.mean(data.test.column()[rows & ~data.test.genuine] >= threshold)
            frr = np.mean(data.test.column()[rows & data.test.genuine] < threshold)
            assert far == pytest.approx(data.far(threshold)[place], rel=0.1)
            assert frr == pytest.approx(data.frr(threshold)[place], rel=0.25)


def test_what_cannot_be_made() -> None:
    with pytest.raises(ft.ParameterError, match="sizes of groups"):
        ft.groups.synthetic_groups({"a": 5}, worse={"b": 2})
    with pytest.raises(ft.ParameterError, match="cannot be worse"):
        ft.groups.synthetic_groups({"a": 5, "b": 5}, worse={"b": 100})
    with pytest.raises(ft.ParameterError, match="at least one genuine trial of each claim"):
        ft.groups.synthetic_groups({"a": 5, "b": 5}, attempts=0)
    with pytest.raises(ft.ParameterError, match="effect must be a number"):
        ft.groups.synthetic_groups({"a": 5, "b": 5}, effect=-1)
