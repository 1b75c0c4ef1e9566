"""A small table with everything that has to be escaped."""

from __future__ import annotations

from math import inf, nan

from fairtrial.core.notes import Note
from fairtrial.core.tables import Column, Table
from fairtrial.core.words import Text

COLUMNS = (
    Column("system", "system"),
    Column("far", "FAR", "rate"),
    Column("interval", "95 % interval", "interval"),
    Column("p_value", "p", "p"),
    Column("trials", "trials", "count"),
    Column("threshold", "threshold", "threshold", detail=True),
)
TABLE = Table(
    "errors",
    Text("{FAR} on test"),
    COLUMNS,
    (
        ("a_b <x>", 0.0123, (0.01, 0.02), 0.0321, 12345, 0.5),
        ("50 & 50", nan, None, 0.0, 7, -inf),
    ),
    notes=(Note("low", "the {FAR} of {system} is low", system="a_b"),),
)
