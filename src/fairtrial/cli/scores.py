"""Commands that make scores of scores: where those of test and dev go, and where the results."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fairtrial.cli.files import WRITTEN, check_not_read
from fairtrial.cli.options import OutputOptions, option

if TYPE_CHECKING:
    from fairtrial.core.trials import Trials


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


def check_scores(out: str | None, read: Sequence[str], *, with_dev: bool) -> None:
    """Raise an error before any work where scores could not be written, or would be written over files that are read.

    Parameters
    ----------
    out
        Where the scores of test go, if anywhere.
    read
        The files that are read.
    with_dev
        Whether the scores of dev go beside them.
    """
    from fairtrial.formats.files import check_place
    from fairtrial.formats.registry import told_by_name

    if out is None:
        return
    told_by_name(Path(out))
    check_place(out)
    if with_dev:
        check_place(beside(out))
        check_not_read(read, also_written=[beside(out)])


def write_both(test: Trials, dev: Trials | None, out: str) -> None:
    """Write the scores of test and, beside them, those of dev: all files, or none of them."""
    from fairtrial.formats.read import write_trials

    new = not os.path.exists(out)
    write_trials(test, out)
    try:
        if dev is not None:
            write_trials(dev, beside(out))
    except Exception:
        if new:
            Path(out).unlink(missing_ok=True)
        raise
