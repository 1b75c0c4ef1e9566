"""Columns: how cells are written."""

from __future__ import annotations

from math import inf, nan

import pytest

from fairtrial.core.errors import ParameterError
from fairtrial.core.tables import Column


def test_every_kind_of_column() -> None:
    texts = {
        ("flag", True): "yes", ("flag", False): "", ("ratio", 1.239): "1.24", ("ratio", inf): "inf",
        ("range", (0.5, 2)): "0.5 to 2", ("range", (nan, 2)): "", ("level", 0.975): "97.5", ("term", "x"): "x",
        ("number", 12): "12", ("text", None): "", ("sure", 1.0): "> 99.99", ("bound", (0.0123456, True)): "1.23456 %",
    }  # fmt: skip
    for (kind, value), shown in texts.items():
        assert Column("k", "k", kind).text(value) == shown
    assert [Column("k", "k", kind).heading for kind in ("rate", "sure", "interval")] == ["k %", "k %", "k"]
    with pytest.raises(ParameterError, match="kinds"):
        Column("k", "k", "rates")
