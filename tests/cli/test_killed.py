"""kill -9 at each step of writing: the file is there whole or not at all, and called again it has the same bytes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "killed_runs.py"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
def test_killed_commands_leave_nothing_half_and_go_on(tmp_path: Path) -> None:
    paths = os.pathsep.join(path for path in (str(SCRIPT.parent), *sys.path) if path)
    ended = subprocess.run(
        [sys.executable, SCRIPT, tmp_path],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert ended.returncode == 0, ended.stderr
    runs = [json.loads(line) for line in ended.stdout.splitlines()]
    assert len(runs) == 4 * 2 + 1
    for run in runs:
        assert run["killed"], run
        assert run["whole_or_nothing"], run
        assert (run["again"], run["same_bytes"], run["files"]) == (0, True, [run["file"]]), run
    # those that were killed before the name was there did leave something, which the second call removed
    assert sum(run["leftovers"] for run in runs) == 4
