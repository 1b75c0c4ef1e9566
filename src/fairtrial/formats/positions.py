"""Columns of files without a header, named by their numbers: "1" is the first."""

from __future__ import annotations

from collections.abc import Sequence

from fairtrial.errors import InputError, shown
from fairtrial.formats.sheets import ReadOptions


def number_of(name: str) -> int:
    """The number of a column; 0 where the name is not a number."""
    return int(name) if name.isascii() and name.isdecimal() else 0


def check_positions(options: ReadOptions, width: int, roles: Sequence[str], origin: str) -> None:
    """Raise an error where a column is named that a file of this width does not have, or in two roles.

    Parameters
    ----------
    options
        What the caller says of columns.
    width
        How many columns there are.
    roles
        What the format knows.
    origin
        The file.
    """
    given = [*options.columns.items(), *(("score", name) for name in options.scores)]
    given += [("other", name) for name in options.others]
    for role, name in given:
        if role not in roles:
            raise InputError(f"{origin}: files of this format have no column in the role {role}")
        if not 1 <= number_of(name) <= width:
            raise InputError(
                f"{origin}: there is no column {shown(name)}; columns have no names here, but numbers from 1 to {width}"
            )
        if sum(number_of(name) == number_of(other) for _, other in given) > 1:
            raise InputError(f"{origin}: column {name} was given two roles; choose one")
