"""Words for people: numbers, names of error rates, and sentences made of templates.

Sentences are made where they are shown. The current wording decides how options are spelled (``nan="drop"`` or
``--nan drop``) and how error rates are called (FAR or FMR).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from math import isnan
from string import Formatter
from typing import Any, Literal, NamedTuple, TypeAlias

Terms: TypeAlias = Literal["default", "iso"]
"""The names of error rates: FAR and FRR, or FMR and FNMR as ISO/IEC 19795 calls them; and of single errors."""
Style: TypeAlias = Literal["python", "shell"] | Callable[[str, Any], str]
"""How options are spelled: as keywords of Python, as flags of the command line, or by a function like `spell`."""


class _Wording(NamedTuple):
    style: Style = "python"
    terms: Terms = "default"
    distances: frozenset[str] = frozenset()


_WORDING: ContextVar[_Wording] = ContextVar("wording", default=_Wording())  # noqa: B039 - a tuple is immutable
_ISO = {
    "FAR": "FMR",
    "FARs": "FMRs",
    "a FAR": "an FMR",
    "FRR": "FNMR",
    "FRRs": "FNMRs",
    "an FRR": "an FNMR",
    "false accept": "false match",
    "false accepts": "false matches",
    "false reject": "false non-match",
    "false rejects": "false non-matches",
}
_ELSEWHERE = {
    **dict.fromkeys(("fmr", "fpr", "pfa", "p-fa", "apcer", "false-match-rate", "false-accept-rate"), "far"),
    **dict.fromkeys(("fnmr", "fnr", "pmiss", "p-miss", "bpcer", "false-non-match-rate", "false-reject-rate"), "frr"),
    **dict.fromkeys(("acer", "ber", "balanced-error"), "hter"),
    **dict.fromkeys(("accuracy", "acc", "error-rate"), "class-error"),
    **dict.fromkeys(("tpr", "tar"), "recall"),
    "ppv": "precision",
    "tnr": "specificity",
    "mindcf": "min-dcf",
    "min-cllr": "cllr-min",
    "f-score": "f1",
}
"""What error rates and measures are called elsewhere, and here."""
_ACCEPTED = (
    "they are negated, and a threshold of -1.2 accepts distances below 1.2",
    "a trial is accepted if its distance is below the threshold",
)
"""Which distances are accepted: by thresholds of negated scores, or by those of the files."""
_NAMED = 6
"""Maximum number of values that a sentence lists one by one."""
_SMALLEST_P = 0.0001
_LATEX = {"\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}"}
_LATEX |= {"<": "\\textless{}", ">": "\\textgreater{}", "|": "\\textbar{}"}
_LATEX |= {char: f"\\{char}" for char in "&%$#_{}"}
_MARKDOWN = {"&": "&amp;", "<": "&lt;", ">": "&gt;"} | {char: f"\\{char}" for char in "\\`*_[]|~$"}


@contextmanager
def wording(*, style: Style | None = None, terms: Terms | None = None) -> Iterator[None]:
    """Change the style or the terms of texts within a block.

    Parameters
    ----------
    style : {"python", "shell"} or callable, optional
        How options are spelled in notes and errors: ``nan="drop"`` or ``--nan drop``; or a function of the name and
        the value, which is an ellipsis for the name alone.
    terms : {"default", "iso"}, optional
        The names of error rates: FAR and FRR, or FMR and FNMR as in ISO/IEC 19795-1.

    Raises
    ------
    ParameterError
        If the terms are unknown.

    Examples
    --------
    >>> with wording(terms="iso"):
    ...     print(term("FAR"))
    FMR
    """
    if terms not in (None, "default", "iso"):
        from fairtrial.core.errors import ParameterError

        raise ParameterError(f"terms must be one of default, iso, not {terms!r}")
    current = _WORDING.get()
    token = _WORDING.set(current._replace(style=style or current.style, terms=terms or current.terms))
    try:
        yield
    finally:
        _WORDING.reset(token)


def use_terms(terms: Terms) -> None:
    """Call error rates by these terms until the current block of `wording` ends."""
    _WORDING.set(_WORDING.get()._replace(terms=terms))


def use_distances(systems: Iterable[str]) -> None:
    """Show thresholds of these systems as the distances in their files, until the current block of `wording` ends."""
    _WORDING.set(_WORDING.get()._replace(distances=frozenset(systems)))


def as_in_files(system: object, values: Any) -> Any:
    """Restore the sign that thresholds or scores of a system have in its files.

    Distances are negated when they are read. After `use_distances` they are shown as they were.

    Examples
    --------
    >>> with wording():
    ...     use_distances(["face"])
    ...     as_in_files("face", [-1.2, None]), as_in_files("voice", -1.2)
    ([1.2, None], -1.2)
    """
    if system not in _WORDING.get().distances or values is None or isinstance(values, str):
        return values
    return [as_in_files(system, value) for value in values] if isinstance(values, list) else 0.0 - values


def term(name: str) -> str:
    """Return the current name of an error rate or an error; any other word unchanged."""
    return _ISO.get(name, name) if _WORDING.get().terms == "iso" else name


class Several(tuple[Any, ...]):
    """The values that one field has in several notes that are shown as one."""

    __slots__ = ()


class Text:
    """A sentence as a template and its values; ``str`` fills it in by the current wording.

    Parameters
    ----------
    template : str
        Fields in braces are filled in: ``{name}`` a value, ``{name:percent}`` a value written in one of the ways of
        `SPECS`, ``{count:plural person/people}`` a number and its noun; ``{FAR}``, ``{a FAR}``, ``{false accepts}`` a
        term; ``{nan!o}`` an option with its value, ``{nan!p}`` the name of an option alone; ``{accepted}`` when
        distances are accepted, see `use_distances`.
    **values : object
        The values by name.

    Examples
    --------
    >>> text = Text("{a FAR} of {rate:percent} on {count:plural trial}; see {nan!o}", rate=0.01, count=2, nan="drop")
    >>> print(text)
    a FAR of 1.00 % on 2 trials; see nan="drop"
    >>> with wording(style="shell", terms="iso"):
    ...     print(text)
    an FMR of 1.00 % on 2 trials; see --nan drop
    """

    __slots__ = ("template", "values")

    def __init__(self, template: str, /, **values: Any) -> None:
        self.template = template
        self.values: Mapping[str, Any] = values

    def __str__(self) -> str:
        return _fill(self.template, self.values)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self}>"

    def _key(self) -> tuple[Any, ...]:
        return type(self), self.template, repr(sorted(self.values.items()))

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Text) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())


def _fill(template: str, values: Mapping[str, Any]) -> str:
    parts = []
    for literal, name, spec, conversion in Formatter().parse(template):
        parts.append(literal)
        if name is None:
            continue
        if conversion in ("o", "p"):
            from fairtrial.core.parameters import spell

            parts.append(spell(name, values[name] if conversion == "o" else ..., _WORDING.get().style))
        elif name in _ISO:
            parts.append(term(name))
        elif name == "accepted":
            parts.append(_ACCEPTED[bool(_WORDING.get().distances)])
        else:
            value = repr(values[name]) if conversion == "r" else values[name]
            parts.append(_join(value, spec or "") if isinstance(value, Several) else _write(value, spec or ""))
    return "".join(parts)


def _write(value: Any, spec: str) -> str:
    name, _, noun = spec.partition(" ")
    if name == "plural":
        return plural(value, *noun.split("/"))
    return SPECS[spec](value) if spec in SPECS else format(value, spec)


def _join(values: Several, spec: str) -> str:
    """Write several values as one phrase: all of a few, of many the smallest and the largest."""
    distinct = list(dict.fromkeys(values))
    if len(distinct) == 1:
        return _write(distinct[0], spec)
    noun = ""
    if spec.startswith("plural "):
        one, _, many = spec.removeprefix("plural ").partition("/")
        spec, noun = "count", f" {term(many or one + 's')}"
    if len(values) > _NAMED:
        return f"{_write(min(values), spec)} to {_write(max(values), spec)}{noun}"
    return in_a_row([_write(value, spec) for value in values]) + noun


def visible(text: str) -> str:
    """Escape characters that are not printable, so that no terminal takes them for a command.

    Examples
    --------
    >>> print(visible("face\x1b[2J"))
    face\\x1b[2J
    """
    return text if text.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def cut(text: object, limit: int = 60) -> str:
    """Shorten a text from a file to what a message can hold."""
    words = str(text)
    return words if len(words) <= limit else f"{words[: limit - 3]}..."


def shown(text: object, limit: int = 60) -> str:
    """Shorten a text and quote it."""
    return repr(cut(text, limit))


def nearest(name: object, names: Iterable[str]) -> str:
    """Suggest the name nearest to a mistyped one; empty if none is near.

    Examples
    --------
    >>> nearest("mena", ["mean", "max"]), nearest("FNMR", ["far", "frr"])
    ("; did you mean 'mean'?", "; did you mean 'frr'?")
    """
    from difflib import get_close_matches

    by_lower = {word.lower(): word for word in names}
    typed = str(name).lower()
    close = get_close_matches(typed, list(by_lower), 3)
    close.sort(key=lambda word: sorted(word) != sorted(typed))  # two letters swapped come first
    elsewhere = _ELSEWHERE.get(typed.replace("_", "-"), "")
    meant = [*(word for word in by_lower if elsewhere and word.startswith(elsewhere)), *close]
    return f"; did you mean {by_lower[meant[0]]!r}?" if meant else ""


def listed(names: Iterable[object], limit: int = 12, longest: int = 40) -> str:
    """List names by commas, each shortened to `longest` characters; of many, the first ones."""
    words = [cut(name, longest) for name in names]
    return ", ".join(words if len(words) <= limit else [*words[:limit], f"and {len(words) - limit} more"])


def in_percent(rate: float) -> str:
    """Write a rate as a number of percent: two decimals, three significant digits below 1; empty for NaN.

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
    """Write a rate in percent, with the percent sign."""
    return "" if isnan(rate) else f"{in_percent(rate)} %"


def interval_text(low: float, high: float) -> str:
    """Write an interval of rates, as numbers of percent.

    Examples
    --------
    >>> interval_text(0.0123, 0.0456)
    '1.23 to 4.56'
    """
    return "" if isnan(low) or isnan(high) else f"{in_percent(low)} to {in_percent(high)}"


def figure_text(value: float, is_share: bool) -> str:
    """Write a figure with its unit: a proportion in percent, anything else as a number.

    Examples
    --------
    >>> figure_text(0.0139, True), figure_text(0.0139, False)
    ('1.39 %', '0.0139')
    """
    return percent(value) if is_share else number_text(value)


def figures_text(low: float, high: float, is_share: bool) -> str:
    """Write an interval with its unit; see `figure_text`."""
    if not is_share:
        return range_text(low, high)
    shown = interval_text(low, high)
    return f"{shown} %" if shown else ""


def number_text(value: float, digits: int = 4) -> str:
    """Write a number with `digits` significant digits; empty for NaN."""
    return "" if isnan(value) else f"{value:.{digits}g}"


def threshold_text(value: float) -> str:
    """Write a threshold or a score, with six significant digits."""
    return number_text(value, 6)


def count_text(value: float) -> str:
    """Write a whole number with its thousands separated."""
    return "" if isnan(value) else f"{value:,.0f}"


def p_text(p_value: float) -> str:
    """Write a p value, never as 0.

    Examples
    --------
    >>> p_text(0.01234), p_text(1e-9)
    ('0.0123', '< 0.0001')
    """
    return f"< {_SMALLEST_P:.4f}" if p_value < _SMALLEST_P else number_text(p_value, 3)


def sure_text(confidence: float) -> str:
    """Write the confidence 1 - p as a number of percent, never as 0 or 100.

    Examples
    --------
    >>> sure_text(0.95), sure_text(1 - 1e-9), sure_text(1e-9)
    ('95.00', '> 99.99', '< 0.01')
    """
    if isnan(confidence):
        return ""
    smallest = 100 * _SMALLEST_P
    if confidence > 1 - _SMALLEST_P:
        return f"> {100 - smallest:.2f}"
    return f"< {smallest:.2f}" if confidence < _SMALLEST_P else in_percent(confidence)


def bound_text(value: float, is_share: bool) -> str:
    """Write a bound of a figure, with six significant digits, as close bounds differ in the last ones."""
    if not is_share:
        return threshold_text(value)
    return "" if isnan(value) else f"{number_text(100 * value, 6)} %"


def p_phrase(p_value: float) -> str:
    """Write a p value for a sentence: ``p = 0.0123`` or ``p < 0.0001``."""
    shown = p_text(p_value)
    return f"p {shown}" if shown.startswith("<") else f"p = {shown}"


def plural(count: float, word: str, words: str | None = None) -> str:
    """Write a number and its noun, which may be a term.

    Examples
    --------
    >>> plural(1, "attempt"), plural(1200, "attempt"), plural(2, "person", "people")
    ('1 attempt', '1,200 attempts', '2 people')
    """
    return f"{count_text(count)} {term(word if count == 1 else words or word + 's')}"


def in_a_row(words: Sequence[str]) -> str:
    """Join words by commas, and the last one by "and".

    Examples
    --------
    >>> in_a_row(["a", "b"]), in_a_row(["a", "b", "c"])
    ('a and b', 'a, b and c')
    """
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def level_text(level: float) -> str:
    """Write a level of confidence or another chosen proportion in percent, with no more digits than it has.

    Examples
    --------
    >>> level_text(0.95), level_text(0.999), level_text(0.5)
    ('95 %', '99.9 %', '50 %')
    """
    return f"{100 * level:g} %"


def levels_text(low: float, high: float) -> str:
    """Write a range of levels.

    Examples
    --------
    >>> levels_text(0.925, 0.975)
    '92.5 to 97.5 %'
    """
    return f"{100 * low:g} to {level_text(high)}"


def interval_title(confidence: float) -> str:
    """Write the heading of a column of intervals."""
    return f"{level_text(confidence)} interval"


def range_text(low: float, high: float) -> str:
    """Write an interval of numbers that are not rates."""
    return "" if isnan(low) or isnan(high) else f"{number_text(low)} to {number_text(high)}"


def markdown_text(text: str) -> str:
    """Escape a text for a cell of a Markdown table: one line, without markup or HTML."""
    return "".join(_MARKDOWN.get(char, char) for char in " ".join(text.split()))


def latex_text(text: str) -> str:
    """Escape a text for one line of LaTeX."""
    return "".join(_LATEX.get(char, char) for char in " ".join(text.split()))


SPECS: dict[str, Callable[[Any], str]] = {
    "percent": percent,
    "count": count_text,
    "number": number_text,
    "threshold": threshold_text,
    "level": level_text,
    "p": p_phrase,
    "term": term,
    "and": in_a_row,
    "list": listed,
    "quoted": shown,
}
"""How templates write values, by name."""
