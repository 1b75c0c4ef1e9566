"""Everything fairtrial raises on purpose.

    FairtrialError
    ├── InputError        a file that cannot be read as what it should be
    ├── OutputError       a file that cannot be written
    ├── TrialsError       trials that contradict themselves or each other
    └── ParameterError    an argument out of its range (also a ValueError)

The message names the file and the place, what was found, what was expected and what to do.
The command line prints it and ends with exit code 2.
"""

from collections.abc import Iterable

_LONGEST, _END = 1200, 300
"""Letters of an error that are kept, and of its end, which says what to do."""


class FairtrialError(Exception):
    """The base of every error that a user can mend; its message is one line that any terminal can show.

    Parameters
    ----------
    message : str
        Where it happened, what was found, what was expected and what to do.

    Examples
    --------
    >>> import fairtrial as ft
    >>> try:
    ...     ft.evaluate(([0.9], [0.1]), ([0.8], [0.2]), alpha=2)
    ... except ft.FairtrialError as error:
    ...     print(error)
    alpha must be between 0 and 1, not 2
    """

    def __init__(self, message: str) -> None:
        """Keep the message; where somebody's words in it go on and on, without its middle."""
        text = visible(message)
        super().__init__(text if len(text) <= _LONGEST else f"{text[: _LONGEST - _END]} ... {text[-_END:]}")


def visible(text: str) -> str:
    """Text that no terminal takes for a command: whatever is not printable, such as an escape, is spelled out.

    Examples
    --------
    >>> print(visible("face\x1b[2J"))
    face\\x1b[2J
    """
    return text if text.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def cut(text: object, limit: int = 60) -> str:
    """Something found in a file, cut to a length that a message can hold."""
    words = str(text)
    return words if len(words) <= limit else f"{words[: limit - 3]}..."


def shown(text: object, limit: int = 60) -> str:
    """The same in quotes."""
    return repr(cut(text, limit))


def listed(names: Iterable[object], limit: int = 12) -> str:
    """Names one after the other; of many, the first ones."""
    words = [cut(name, 40) for name in names]
    return ", ".join(words if len(words) <= limit else [*words[:limit], f"and {len(words) - limit} more"])


class InputError(FairtrialError):
    """A file that cannot be read as what it should be.

    Examples
    --------
    >>> import fairtrial as ft
    >>> ft.read_trials("nowhere.csv")
    Traceback (most recent call last):
        ...
    fairtrial.errors.InputError: nowhere.csv: there is no such file
    """


class OutputError(FairtrialError):
    """A file that cannot be written; nothing half-written is left behind.

    Examples
    --------
    >>> import fairtrial as ft
    >>> ft.write_tables(ft.mcnemar_test(10, 2).tables(), "scores.doc")
    Traceback (most recent call last):
        ...
    fairtrial.errors.OutputError: scores.doc: its name should end in .csv, .tsv, .parquet, .md, .tex
    """


class TrialsError(FairtrialError):
    """Trials that contradict themselves or each other, or lack what a method needs.

    Examples
    --------
    >>> import fairtrial as ft
    >>> ft.equal_error_rate(([0.9], []))
    Traceback (most recent call last):
        ...
    fairtrial.errors.TrialsError: scores: there is no impostor trial; error rates need both classes
    """


class ParameterError(FairtrialError, ValueError):
    """An argument out of its range.

    Examples
    --------
    >>> import fairtrial as ft
    >>> ft.proportion_interval(3, 100, confidence=95)
    Traceback (most recent call last):
        ...
    fairtrial.errors.ParameterError: confidence must be between 0 and 1, not 95
    """
