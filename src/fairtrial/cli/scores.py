"""Commands that make scores of scores: where those of test and dev go, and where the results."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fairtrial.cli.files import WRITTEN
from fairtrial.cli.options import OutputOptions, option

if TYPE_CHECKING:
    from fairtrial.trials import Trials


@dataclass(frozen=True, slots=True)
class ScoresOutput(OutputOptions):
    """As elsewhere, but --out is for the scores."""

    out: str | None = option(
        "--table",
        type=WRITTEN,
        metavar="FILE",
        help="Write the results to a file too, as --out of the other commands does: .csv, .tsv, .parquet, .md, .tex "
        "or .json.",
    )


def beside(out: str) -> Path:
    """Where the dev scores go."""
    return Path(out).with_name(f"dev-{Path(out).name}")


def write_both(test: Trials, dev: Trials | None, out: str) -> None:
    """Write the scores of test and, beside them, those of dev: all files, or none of them."""
    from fairtrial.formats import write_trials

    new = not os.path.exists(out)
    write_trials(test, out)
    try:
        if dev is not None:
            write_trials(dev, beside(out))
    except Exception:
        if new:
            Path(out).unlink(missing_ok=True)
        raise
