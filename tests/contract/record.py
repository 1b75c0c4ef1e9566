"""Record the answers of cases anew: ``PYTHONPATH=tests python -m contract.record [NAME ...]``; all of them by default.

Without names, answers of cases that are gone are removed.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from contract.cases import CASES
from contract.machine import RECORDED, fingerprint, is_recorded
from contract.runner import GOLDEN, OPTIONS, make_inputs, options_of_commands, run_case

_SHORT_LIST = re.compile(r"\[\n[^\[\]{}]*\]")


def _in_lines(content: dict[str, Any]) -> str:
    """Write JSON with one key per line; a list of numbers or texts stands on one line."""
    return _SHORT_LIST.sub(_on_one_line, json.dumps(content, indent=1, ensure_ascii=False)) + "\n"


def _on_one_line(found: re.Match[str]) -> str:
    return re.sub(r"\n\s*", " ", found[0]).replace("[ ", "[").replace(" ]", "]")


def record(names: list[str]) -> None:
    """Run cases and write what they answer."""
    GOLDEN.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        inputs = Path(place, "inputs")
        inputs.mkdir()
        make_inputs(inputs)
        for name in names:
            outcome = run_case(CASES[name], inputs, Path(place, name))
            if outcome.exit_code:
                sys.exit(f"{name}: exit code {outcome.exit_code}: {outcome.stderr}")
            (GOLDEN / f"{name}.json").write_text(_in_lines(outcome.golden(CASES[name])), encoding="utf-8")


def main() -> None:
    """Record the cases that the arguments name, or all."""
    asked = sys.argv[1:]
    if asked and not is_recorded():
        sys.exit(
            "this machine computes other last bits, or has other versions, than the one recorded: record all cases"
        )
    unknown = [name for name in asked if name not in CASES]
    if unknown:
        sys.exit(f"no such case: {', '.join(unknown)}")
    record(asked or list(CASES))
    if not asked:
        RECORDED.write_text(json.dumps(fingerprint(), indent=1) + "\n")
        OPTIONS.write_text(_in_lines(options_of_commands()))
        for path in GOLDEN.glob("*.json"):
            if path.stem not in CASES:
                path.unlink()


if __name__ == "__main__":
    main()
