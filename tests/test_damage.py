"""A short run of the damage that tests/damage.py does to all files that fairtrial writes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from damage import campaign


def test_damage_is_refused_or_reads_back_the_same(tmp_path: Path) -> None:
    cases = list(campaign(tmp_path, seed=0, count=60))
    assert [(case.kind, case.what, case.detail) for case in cases if case.outcome in ("misread", "crashed")] == []
    refused = Counter(case.kind for case in cases if case.outcome == "refused")
    assert len(refused) == 13
    assert min(refused.values()) > 15
    assert {case.detail.count("\n") for case in cases} == {0}
