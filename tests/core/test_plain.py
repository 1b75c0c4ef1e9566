"""Results as JSON."""

import json
from math import inf, nan

from fairtrial.core.tables import json_text


def test_what_json_has_not_is_spelled_out() -> None:
    found = json.loads(json_text({"a": [inf, -inf, nan, 0.1], "b": ("x", None, True)}))
    assert found == {"a": ["inf", "-inf", None, 0.1], "b": ["x", None, True]}


def test_indentation_is_asked_for() -> None:
    assert json_text({"a": 1}, indent=2) == '{\n  "a": 1\n}'
