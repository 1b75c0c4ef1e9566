"""The errors that fairtrial raises, and checks of arguments that many functions share.

    FairtrialError
    ├── InputError        a file that cannot be read in its format
    ├── OutputError       a file that cannot be written
    ├── TrialsError       trials that contradict themselves or each other
    └── ParameterError    an argument out of its range (also a ValueError)

The message names the file and the place, what was found, what was expected and what to do.
The command line prints it and ends with exit code 2.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from numbers import Integral
from typing import TYPE_CHECKING, Any

from fairtrial.core.words import Text, cut, nearest, visible

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

_LONGEST, _END = 1200, 300
"""Characters of a message that are kept, and of its end, which says what to do."""


class FairtrialError(Exception):
    """The base of every error that a user can mend; its message is one line for any terminal.

    Parameters
    ----------
    template : str
        Where it happened, what was found, what was expected and what to do: the template of a `Text`, or the message
        itself if there are no values.
    code : str, optional
        What kind of error it is, for programs; that of the class by default.
    **values : object
        The values of the template.

    Examples
    --------
    >>> import fairtrial as ft
    >>> try:
    ...     ft.evaluate(([0.9], [0.1]), ([0.8], [0.2]), alpha=2)
    ... except ft.FairtrialError as error:
    ...     print(error.code, "-", error)
    parameter - alpha must be between 0 and 1, not 2; 2 % is 0.02
    """

    code: str = "error"

    def __init__(self, template: str, /, *, code: str | None = None, **values: Any) -> None:
        super().__init__(template)
        self.text: Text | str = Text(template, **values) if values else template
        if code is not None:
            self.code = code

    def __str__(self) -> str:
        """Write the message in the current wording, without the middle of a very long one."""
        text = visible(str(self.text))
        return text if len(text) <= _LONGEST else f"{text[: _LONGEST - _END]} ... {text[-_END:]}"

    def __reduce__(self) -> tuple[Any, ...]:
        values = self.text.values if isinstance(self.text, Text) else {}
        return partial(type(self), code=self.code, **values), (self.args[0],)

    def to_dict(self) -> dict[str, Any]:
        """Return the code and the message."""
        return {"code": self.code, "message": str(self)}


class InputError(FairtrialError):
    """A file that cannot be read in its format.

    Examples
    --------
    >>> import fairtrial as ft
    >>> ft.read_trials("nowhere.csv")
    Traceback (most recent call last):
        ...
    fairtrial.core.errors.InputError: nowhere.csv: there is no such file
    """

    code = "input"


class OutputError(FairtrialError):
    """A file that cannot be written; nothing half-written is left behind.

    Examples
    --------
    >>> import fairtrial as ft
    >>> ft.write_tables(ft.published.mcnemar_test(10, 2).tables(), "scores.doc")
    Traceback (most recent call last):
        ...
    fairtrial.core.errors.OutputError: scores.doc: its name should end in .csv, .tsv, .parquet, .md, .tex
    """

    code = "output"


class TrialsError(FairtrialError):
    """Trials that contradict themselves or each other, or lack what a method needs.

    Examples
    --------
    >>> import fairtrial as ft
    >>> ft.equal_error_rate(([0.9], []))
    Traceback (most recent call last):
        ...
    fairtrial.core.errors.TrialsError: scores: there is no impostor trial; error rates need both classes
    """

    code = "trials"


class ParameterError(FairtrialError, ValueError):
    """An argument out of its range.

    Examples
    --------
    >>> import fairtrial as ft
    >>> ft.published.proportion_interval(3, 100, confidence=95)
    Traceback (most recent call last):
        ...
    fairtrial.core.errors.ParameterError: confidence must be between 0 and 1, not 95; 95 % is 0.95
    """

    code = "parameter"


MOST = 2**53
"""Maximum number of trials or errors: up to here 64-bit floats hold every whole number."""
_LEAST_CONFIDENCE = 1e-9


def check_confidence(confidence: float) -> float:
    """Check a level of confidence: strictly between 0 and 1."""
    if 0 < check_share("confidence", confidence, open_ends=True) < _LEAST_CONFIDENCE:
        raise ParameterError(f"confidence must be at least {_LEAST_CONFIDENCE:g}, not {confidence:g}")
    return confidence


def check_share(name: str, value: float, *, open_ends: bool = False) -> float:
    """Check a number from 0 to 1; with `open_ends`, 0 and 1 are out of range."""
    try:
        within = 0 < value < 1 if open_ends else 0 <= value <= 1
    except (TypeError, ValueError) as error:
        raise ParameterError(f"{name} must be one number between 0 and 1, not {value!r}") from error
    if not within:
        raise ParameterError(f"{name} must be between 0 and 1, not {value}{_in_percent(value)}")
    return float(value)


def _in_percent(value: float) -> str:
    """Say how a number that was meant in percent is written."""
    return f"; {value:g} % is {value / 100:g}" if 2 <= value <= 100 else ""


def check_rate(name: str, rate: float, *, open_ends: bool = False) -> float:
    """Check an error rate, a fraction from 0 to 1; with `open_ends`, 0 and 1 are out of range."""
    if not (0 < rate < 1 if open_ends else 0 <= rate <= 1):
        within = "above 0 and below 1" if open_ends else "between 0 and 1"
        raise ParameterError(f"{name} must be a fraction {within}, not {rate}; 1.5 % is 0.015")
    return float(rate)


def check_classes(genuine: int, impostor: int, what: str) -> None:
    """Check that there are trials of both classes; `what` names them in the error."""
    for count, name in ((genuine, "genuine"), (impostor, "impostor")):
        if count == 0:
            raise TrialsError(f"{what}: there is no {name} trial; error rates need both classes")


def check_choice(name: str, value: object, choices: Iterable[str]) -> None:
    """Check one of several names."""
    names = list(choices)
    if not isinstance(value, str) or value not in names:
        meant = nearest(value, names)
        template = f"{{{name}!p}} must be one of {{known:list}}, not {{value!r}}{{meant}}"
        raise ParameterError(template, code="unknown", known=names, value=value, meant=meant, **{name: value})


def refuse_given(given: Mapping[str, bool], why: str, **values: Any) -> None:
    """Refuse the first parameter that was given but does not apply; `why` ends the sentence."""
    for name, is_given in given.items():
        if is_given:
            raise ParameterError(f"{{{name}!p}} {why}", code="does-not-apply", **values)


def check_resamples(n_resamples: int) -> int:
    """Check a number of resamples: at least 1."""
    return check_number("resample", n_resamples, most=10**9)


def check_workers(workers: int) -> int:
    """Check a number of workers: from 1 to 1024."""
    return check_number("worker", workers, most=1024)


def check_number(what: str, number: int, *, most: int = 10**6) -> int:
    """Check a number of something: a whole number from 1 to `most`."""
    if not _is_whole(number) or number < 1:
        raise ParameterError(f"there must be at least one {what}, not {number}")
    if number > most:
        raise ParameterError(f"there can be at most {most:,} {what}s, not {number:,}")
    return int(number)


def check_whole(name: str, number: float, least: int, most: int) -> int:
    """Check a parameter that is a whole number from `least` to `most`."""
    if not (least <= number <= most and number == int(number)):
        template = f"{{{name}!p}} must be a whole number from {least} to {most:,}, not {{value}}"
        raise ParameterError(template, code="out-of-range", value=cut(number))
    return int(number)


def check_seed(seed: int) -> int:
    """Check a seed: a whole number of at least 0."""
    if not _is_whole(seed) or seed < 0:
        raise ParameterError(f"a seed must be a whole number of at least 0, not {seed}")
    return int(seed)


def check_count(name: str, count: float) -> int:
    """Check a number of trials or errors: whole, and at least 0."""
    try:
        whole = count >= 0 and count == int(count)
    except (TypeError, ValueError, OverflowError):
        whole = False
    if not whole:
        raise ParameterError(f"{name} must be a whole number of at least 0, not {count}")
    if count > MOST:
        raise ParameterError(f"{name} must be at most {MOST:,}, which a 64-bit float can still count to")
    return int(count)


def _is_whole(number: Any) -> bool:
    return isinstance(number, Integral) and not isinstance(number, bool)


def as_generator(rng: np.random.Generator | int | None) -> np.random.Generator:
    """Return a generator unchanged, or make one from a seed; for None, one that never repeats itself.

    Examples
    --------
    >>> as_generator(0).random() == as_generator(0).random()
    True
    """
    import numpy as np

    if isinstance(rng, np.random.Generator):
        return rng
    return np.random.default_rng(None if rng is None else check_seed(rng))


def check_alphas(alphas: ArrayLike) -> NDArray[np.float64]:
    """Check one alpha or several, each from 0 to 1, and return an array."""
    import numpy as np

    try:
        values = np.atleast_1d(np.asarray(alphas, dtype=np.float64))
    except (TypeError, ValueError) as error:
        raise ParameterError(f"alpha must be a number, or several, not {alphas!r}") from error
    if values.ndim != 1 or not values.size:
        raise ParameterError("alpha must be one number or a one-dimensional array of them")
    outside = values[~((values >= 0) & (values <= 1))]
    if outside.size:
        raise ParameterError(f"alpha must be between 0 and 1, not {outside[0]:g}{_in_percent(outside[0])}")
    return values
