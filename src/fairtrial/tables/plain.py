"""Results as JSON, which has no infinite numbers and no NaN."""

from __future__ import annotations

import json
import math
from typing import Any


def json_text(found: Any, *, indent: int | None = None) -> str:
    """One JSON value; infinite numbers as the strings "inf" and "-inf", NaN as null.

    Parameters
    ----------
    found
        Dictionaries, lists, tuples, texts, numbers, truth values and None.
    indent
        By how many spaces each level is indented; None: all in one line.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> json_text({"low": float("-inf"), "rate": float("nan"), "names": ("a",)})
    '{"low":"-inf","rate":null,"names":["a"]}'
    """
    separators = (",", ":") if indent is None else None
    return json.dumps(_plain(found), indent=indent, separators=separators, allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value
