"""Trial by trial: score, threshold, decision and error, as a table for programs and as a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.trials import Trials
from fairtrial.core.words import as_in_files
from fairtrial.formats.files import PathLike
from fairtrial.formats.results import write_arrow
from fairtrial.formats.text import further_column, text_column

if TYPE_CHECKING:
    import pyarrow as pa

    ArrowTable: TypeAlias = pa.Table

ENDINGS = (".csv", ".tsv", ".parquet")
"""What the name of a file of decisions may end in."""


def decisions_table(trials: Trials, system: str, thresholds: NDArray[np.float64]) -> ArrowTable:
    """Tabulate what a system decides, one row per trial.

    Parameters
    ----------
    thresholds
        That of each trial; NaN where a trial was not judged, and is left out.

    Returns
    -------
    pyarrow.Table
        The columns ``system``, the ids that are known, ``label``, ``score``, ``threshold``, ``decision`` (accept,
        reject) and ``error`` (false accept, false reject, or null), and then all further columns. One of these that
        has the name of another is called ``NAME_given``.
    """
    import pyarrow as pa

    judged = ~np.isnan(thresholds)
    if not judged.all():
        trials, thresholds = trials.rows(judged), thresholds[judged]
    scores, genuine = trials.column(system), trials.genuine
    accepted = scores.astype(np.float64, copy=False) > thresholds
    wrong = np.where(accepted, 0, 1)
    columns = {
        "system": _words(np.zeros(len(trials), dtype=np.int8), [system]),
        **{name: text_column(column) for name, column in trials.ids.items()},
        "label": _words(genuine, ["impostor", "genuine"]),
        "score": pa.array(as_in_files(system, scores)),
        "threshold": pa.array(as_in_files(system, thresholds)),
        "decision": _words(accepted, ["reject", "accept"]),
        "error": _words(wrong, ["false accept", "false reject"], known=accepted != genuine),
    }
    for name, column in trials.columns.items():
        columns[f"{name}_given" if name in columns else name] = further_column(column)
    return pa.table(columns)


def _words(codes: NDArray[np.generic], words: Sequence[str], known: NDArray[np.bool_] | None = None) -> pa.Array:
    """Give one of several words per row; null where it is not known."""
    import pyarrow as pa

    numbers = pa.array(codes.astype(np.int8), mask=None if known is None else ~known)
    return pa.DictionaryArray.from_arrays(numbers, pa.array(words, pa.string())).dictionary_decode()


def write_decisions(tables: Sequence[ArrowTable], path: PathLike) -> None:
    """Write the decisions of several systems on the same trials, one below the other; the file is whole, or not there.

    Parameters
    ----------
    tables
        Of `decisions_table`.
    path
        Its ending says how: ``.csv``, ``.tsv`` (also with ``.gz`` or ``.zst``) or ``.parquet``.
    """
    import pyarrow as pa

    write_arrow(pa.concat_tables(tables), path)
