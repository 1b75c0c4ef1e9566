"""How numbers are written for people, and by which names error rates go: decided here and nowhere else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import isnan
from typing import Literal, TypeAlias, get_args

from fairtrial.checks import check_choice

Terms: TypeAlias = Literal["default", "iso"]
"""The names of error rates: FAR and FRR, or FMR and FNMR as ISO/IEC 19795 calls them; and of single errors."""

_ISO = {"FAR": "FMR", "FRR": "FNMR"}
_ISO_WORD = re.compile(r"\b(FAR|FRR)(s?)\b")
_ARTICLE = re.compile(r"\b([Aa])(?= (?:FMR|FNMR)\b)")
_ISO_ERRORS = {"accept": "match", "reject": "non-match"}
_ISO_ERROR = re.compile(r"\b([Ff]alse) (accept|reject)(s?)\b")
_LATEX = {"\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}"}
_LATEX |= {"<": "\\textless{}", ">": "\\textgreater{}", "|": "\\textbar{}"}
_LATEX |= {char: f"\\{char}" for char in "&%$#_{}"}
_MARKDOWN = {"&": "&amp;", "<": "&lt;", ">": "&gt;"} | {char: f"\\{char}" for char in "\\`*_[]|~$"}
_SMALLEST_P = 0.0001


def translate(text: str, terms: Terms = "default") -> str:
    """Give the same text with the names of error rates that were asked for.

    Parameters
    ----------
    text : str
        A heading, a caption or a sentence; whole words FAR and FRR, false accepts and false rejects are translated.
    terms : {"default", "iso"}, default "default"
        The names of error rates: FAR and FRR, or FMR and FNMR as in ISO/IEC 19795-1 (``iso``).

    Returns
    -------
    str
        The text.

    Raises
    ------
    ParameterError
        Terms that are not known.

    Examples
    --------
    >>> translate("FAR and FRR on test", "iso"), translate("no false rejects in 400 trials", "iso")
    ('FMR and FNMR on test', 'no false non-matches in 400 trials')
    >>> translate("where dev keeps a FAR", "iso")
    'where dev keeps an FMR'
    """
    check_choice("terms", terms, get_args(Terms))
    if terms == "default":
        return text
    text = _ISO_ERROR.sub(lambda found: f"{found[1]} {_ISO_ERRORS[found[2]]}{'es' if found[3] else ''}", text)
    return _ARTICLE.sub(r"\1n", _ISO_WORD.sub(lambda found: _ISO[found[1]] + found[2], text))


def in_percent(rate: float) -> str:
    """The number of percent of a rate: two decimals, and three digits that count below 1; nothing without a rate.

    Examples
    --------
    >>> in_percent(0.1234), in_percent(0.001234), in_percent(0.0008), in_percent(0.0099999)
    ('12.34', '0.123', '0.0800', '1.00')
    """
    if isnan(rate):
        return ""
    value = 100 * rate + 0.0  # no "-0"
    if value == 0:
        return "0.000"
    return f"{value:#.3g}" if abs(value) < 1 else f"{value:.2f}"


def percent(rate: float) -> str:
    """The same with the percent sign."""
    return "" if isnan(rate) else f"{in_percent(rate)} %"


def interval_text(low: float, high: float) -> str:
    """Two rates in percent, as an interval is written everywhere.

    Examples
    --------
    >>> interval_text(0.0123, 0.0456)
    '1.23 to 4.56'
    """
    return "" if isnan(low) or isnan(high) else f"{in_percent(low)} to {in_percent(high)}"


def figure_text(value: float, is_share: bool) -> str:
    """A figure with its unit: a share in percent, anything else as it is.

    Examples
    --------
    >>> figure_text(0.0139, True), figure_text(0.0139, False)
    ('1.39 %', '0.0139')
    """
    return percent(value) if is_share else number_text(value)


def figures_text(low: float, high: float, is_share: bool) -> str:
    """An interval with its unit, as in ``figure_text``."""
    if not is_share:
        return range_text(low, high)
    shown = interval_text(low, high)
    return f"{shown} %" if shown else ""


def number_text(value: float, digits: int = 4) -> str:
    """A number with so many digits that count; nothing where there is none."""
    return "" if isnan(value) else f"{value:.{digits}g}"


def threshold_text(value: float) -> str:
    """A threshold or a score, with six digits."""
    return number_text(value, 6)


def count_text(value: float) -> str:
    """A whole number with its thousands separated."""
    return "" if isnan(value) else f"{value:,.0f}"


def p_text(p_value: float) -> str:
    """A p value, which is never shown as 0.

    Examples
    --------
    >>> p_text(0.01234), p_text(1e-9)
    ('0.0123', '< 0.0001')
    """
    return f"< {_SMALLEST_P:.4f}" if p_value < _SMALLEST_P else number_text(p_value, 3)


def sure_text(share: float) -> str:
    """The confidence 1 - p in percent, which is never shown as 0 or 100, as p is not.

    Examples
    --------
    >>> sure_text(0.95), sure_text(1 - 1e-9), sure_text(1e-9)
    ('95.00', '> 99.99', '< 0.01')
    """
    if isnan(share):
        return ""
    least = 100 * _SMALLEST_P
    if share > 1 - _SMALLEST_P:
        return f"> {100 - least:.2f}"
    return f"< {least:.2f}" if share < _SMALLEST_P else in_percent(share)


def bound_text(value: float, is_share: bool) -> str:
    """A bound of a figure, with six digits: close bounds differ in the last ones."""
    if not is_share:
        return threshold_text(value)
    return "" if isnan(value) else f"{number_text(100 * value, 6)} %"


def p_phrase(p_value: float) -> str:
    """A p value in a sentence: ``p = 0.0123`` or ``p < 0.0001``."""
    shown = p_text(p_value)
    return f"p {shown}" if shown.startswith("<") else f"p = {shown}"


def plural(count: float, word: str, words: str | None = None) -> str:
    """How many of something there are, in the right number.

    Examples
    --------
    >>> plural(1, "attempt"), plural(1200, "attempt"), plural(2, "person", "people")
    ('1 attempt', '1,200 attempts', '2 people')
    """
    return f"{count_text(count)} {word if count == 1 else words or word + 's'}"


def in_a_row(words: Sequence[str]) -> str:
    """Words one after the other, the last one after an "and".

    Examples
    --------
    >>> in_a_row(["a", "b"]), in_a_row(["a", "b", "c"])
    ('a and b', 'a, b and c')
    """
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def level_text(share: float) -> str:
    """A level of confidence or another share that somebody chose, in percent without more digits than it has.

    Examples
    --------
    >>> level_text(0.95), level_text(0.999), level_text(0.5)
    ('95 %', '99.9 %', '50 %')
    """
    return f"{100 * share:g} %"


def levels_text(low: float, high: float) -> str:
    """From one level to another.

    Examples
    --------
    >>> levels_text(0.925, 0.975)
    '92.5 to 97.5 %'
    """
    return f"{100 * low:g} to {level_text(high)}"


def interval_title(confidence: float) -> str:
    """What the column of an interval is called."""
    return f"{level_text(confidence)} interval"


def range_text(low: float, high: float) -> str:
    """Two numbers that are no rates."""
    return "" if isnan(low) or isnan(high) else f"{number_text(low)} to {number_text(high)}"


def markdown_text(text: str) -> str:
    """Text on one line, in which nothing is markup, HTML or the border of a cell."""
    return "".join(_MARKDOWN.get(char, char) for char in " ".join(text.split()))


def latex_text(text: str) -> str:
    """Text on one line, in which nothing is a command."""
    return "".join(_LATEX.get(char, char) for char in " ".join(text.split()))
