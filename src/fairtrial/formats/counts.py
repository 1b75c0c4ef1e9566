"""Errors and attempts of people: a table with these two columns, one row per person."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fairtrial.errors import InputError
from fairtrial.formats.columns import read_named
from fairtrial.formats.files import PathLike


def read_counts(path: PathLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Read the errors and the attempts of people; other columns do not matter.

    Parameters
    ----------
    path
        CSV, TSV or Parquet with the columns ``errors`` and ``attempts``, one row per person.

    Returns
    -------
    tuple of ndarray
        Errors and attempts, one number per person.

    Raises
    ------
    InputError
        A file without these columns, or with something in them that is not a whole number.
    """
    found = read_named(path, numbers=("errors", "attempts"), what="one row per person")
    errors, attempts = found["errors"], found["attempts"]
    for name, values in (("errors", errors), ("attempts", attempts)):
        bad = ~(np.isfinite(values) & (values >= 0) & (values == np.floor(values)))
        _check(bad, values, path, f"{name} must be a whole number of at least 0")
    _check(attempts < 1, attempts, path, "a person must have made at least 1 attempt")
    _check(errors > attempts, errors, path, "there cannot be more errors than attempts")
    return errors, attempts


def _check(bad: NDArray[np.bool_], values: NDArray[np.float64], path: PathLike, what: str) -> None:
    if bad.any():
        row = int(np.argmax(bad))
        raise InputError(f"{path}, row {row + 1}: {what}, not {values[row]:g}")
