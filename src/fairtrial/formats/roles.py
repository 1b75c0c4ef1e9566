"""Which column of a table plays which role."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from fairtrial.errors import InputError, cut, listed, shown
from fairtrial.formats.sheets import ReadOptions
from fairtrial.formats.text import Kind, is_number
from fairtrial.trials import ID_FIELDS

_ALIASES = {
    "claim": ("claim", "claimed_id", "claimed", "model", "enrol", "enroll", "reference", "bio_ref_subject_id"),
    "subject": ("subject", "real_id", "subject_id", "probe_subject_id", "speaker", "person"),
    "model": ("model", "template", "bio_ref_template_id", "reference_id"),
    "probe": ("probe", "probe_label", "utt", "utterance", "segment", "test", "probe_key", "probe_template_id"),
    "label": ("label", "genuine", "target", "class", "is_genuine", "is_target", "key"),
    "system": ("system", "system_name"),
}
_SCORE = ("score", "scores")
_FURTHER = {
    *("age", "gender", "sex", "quality", "session", "attack", "camera", "channel", "device", "duration", "snr"),
    *("index", "row", "id", "fold", "split", "year", "date", "time", "timestamp"),
}
"""Usual names of columns that hold no scores, even where they hold numbers."""
_NEARLY_A_NUMBER = re.compile(r"[+\-\u2212]?(\d+([.,\u066b]\d*)?|[.,\u066b]\d+)([eE][+\-\u2212]?\d+)?\s*%?")
_MISSING = {"", "-", "--", "?", "na", "n/a", "#n/a", "nan", "nil", "null", "none", "missing"}

Look: TypeAlias = Literal["number", "fraction", "nearly", "text", "empty"]
"""What the first cells of a column hold: ``fraction``, only numbers, not all of them whole; ``nearly``, text most of
which would be numbers if it were written otherwise, as 0,5 is."""


def look_at(cells: Sequence[str]) -> Look:
    """What cells hold; one number among them makes it numbers, so that text further down is an error."""
    filled = [cell for cell in cells if cell]
    if not filled:
        return "empty"
    numbers = [is_number(cell) for cell in filled]
    if not any(numbers):
        return "nearly" if _may_be_scores(filled) else "text"
    return "fraction" if all(numbers) and any(not _is_whole(cell) for cell in filled) else "number"


def _is_whole(cell: str) -> bool:
    return cell.strip().lstrip("+-").isdecimal()


def _may_be_scores(cells: Sequence[str]) -> bool:
    """Whether most cells of a column taken for text are numbers after all, or nearly so, as 0,5 is."""
    told = [cell for text in cells if (cell := text.strip()).lower() not in _MISSING]
    return bool(told) and 2 * sum(_NEARLY_A_NUMBER.fullmatch(cell) is not None for cell in told) >= len(told)


def is_role(names: Sequence[str]) -> bool:
    """Whether one of the names is the usual name of a role, or of a column that holds no scores."""
    known = {*_FURTHER, *(alias for aliases in _ALIASES.values() for alias in aliases)}
    return any(name.lower() in known or _is_plain_score(name) for name in names)


def _is_plain_score(name: str) -> bool:
    """Whether a column's name says only that it is a score, and not whose."""
    return name.lower() in _SCORE


@dataclass(frozen=True, slots=True)
class Roles:
    """The columns of a table by role; `scores` are the systems' columns."""

    scores: tuple[str, ...]
    label: str | None = None
    system: str | None = None
    ids: tuple[tuple[str, str], ...] = ()
    """Pairs of an id field and its column."""
    further: tuple[str, ...] = ()
    """Columns that play no role."""
    unsure: frozenset[str] = frozenset()
    """Further columns that nobody named as such: they might be scores, if they turn out to hold numbers."""

    @property
    def columns(self) -> list[str]:
        """All columns."""
        others = [self.label, self.system, *(column for _, column in self.ids)]
        return [*self.scores, *(column for column in others if column is not None), *self.further]

    @property
    def kinds(self) -> dict[str, Kind]:
        """What each column is read as."""
        found: dict[str, Kind] = dict.fromkeys(self.columns, "id")
        found |= {column: "text" for field, column in self.ids if field == "probe"}
        return found | dict.fromkeys(self.further, "other") | dict.fromkeys(self.scores, "score")

    @property
    def named(self) -> bool:
        """Whether the columns of scores have the names of systems."""
        return len(self.scores) > 1 or not _is_plain_score(self.scores[0])

    def only(self, systems: Sequence[str]) -> Roles:
        """What is needed for the scores of some systems: those, and what says which trials are genuine."""
        scores = tuple(name for name in self.scores if name in systems) if len(self.scores) > 1 else self.scores
        return replace(self, scores=scores, ids=() if self.label is not None else self.ids, further=())

    @property
    def taken(self) -> str:
        """What is taken for what, in words."""
        roles = [("label", self.label), ("system", self.system), *self.ids]
        told = [f"{role} {'' if role == name else f'from {cut(name, 40)}'}".strip() for role, name in roles if name]
        kept = [f"kept besides: {listed(self.further)}"] if self.further else []
        return "; ".join([f"scores {listed(self.scores)}", *([", ".join(told)] if told else []), *kept])


def find_roles(names: Sequence[str], looks: dict[str, Look], options: ReadOptions, origin: str) -> Roles:
    """Tell roles by what the caller says, then by usual names; other columns of numbers are scores.

    Raises
    ------
    InputError
        A column that is not there, there twice or in two roles; no scores; two columns of scores beside system
        names; a column whose name says one thing and whose cells another.
    """
    check_names(names, options, origin)
    given = {*options.columns.values(), *options.scores, *options.others}
    roles = dict(options.columns)
    others = [*options.others, *([roles.pop("other")] if "other" in roles else [])]
    by_lower = {name.lower(): name for name in reversed(names)}
    for role, aliases in _ALIASES.items():
        free = [by_lower[alias] for alias in aliases if alias in by_lower and by_lower[alias] not in given]
        unused = [name for name in free if name not in roles.values()]
        if role not in roles and unused:
            _check_look(unused[0], looks, role, origin)
            roles[role] = unused[0]
    scores = list(options.scores) or ([roles.pop("score")] if "score" in roles else [])
    if not scores:  # a column that says it is the score leaves no other
        scores = [by_lower[name] for name in _SCORE if name in by_lower and by_lower[name] not in given][:1]
    told = bool(scores)
    if not scores:
        spoken_for = {*roles.values(), *others, ""}
        free = [name for name in names if name not in spoken_for]
        scores = [name for name in free if looks.get(name) in ("number", "fraction") and name.lower() not in _FURTHER]
    if not scores:
        nearly = [name for name in free if looks.get(name) == "nearly"]
        what = (
            f"{listed(nearly)} looks like numbers in another notation; write them as 0.5, not as 0,5 or 50 %"
            if nearly
            else 'name one, as in columns={"score": "NAME"}'
        )
        raise InputError(f"{origin}: there is no column of scores among {listed(names)}; {what}")
    if "system" in roles and len(scores) != 1:
        raise InputError(
            f"{origin}: a table with a column of system names has one column of scores, not {listed(scores)}; "
            'name it, as in columns={"score": "NAME"}'
        )
    ids = tuple((field, roles[field]) for field in ID_FIELDS if field in roles)
    used = {*scores, *roles.values(), ""}
    further = tuple(name for name in names if name not in used)
    unsure = () if told else (name for name in further if name not in others and name.lower() not in _FURTHER)
    return Roles(tuple(scores), roles.get("label"), roles.get("system"), ids, further, frozenset(unsure))


def check_names(names: Sequence[str], options: ReadOptions, origin: str) -> None:
    """Raise an error where a name that was given is not there, or is there twice."""
    known: set[str] = set()
    for name in names:
        if name in known:
            raise InputError(f"{origin}: column {shown(name)} occurs twice; give each column its own name")
        known.add(name)
    given: set[str] = set()
    for name in (*options.columns.values(), *options.scores, *options.others):
        if name not in known:
            raise InputError(f"{origin}: there is no column {shown(name)}; there are {listed(names)}")
        if name in given:
            raise InputError(f"{origin}: column {shown(name)} was given two roles; choose one")
        given.add(name)


def _check_look(name: str, looks: dict[str, Look], role: str, origin: str) -> None:
    if looks.get(name) == "fraction" and role != "label" and name.lower() != role:
        raise InputError(
            f"{origin}: column {shown(name)} is the {role} by its name, but holds numbers that are not whole; say "
            f'which it is, as in columns={{"score": "{name}"}} or columns={{"{role}": "{name}"}}'
        )


def check_unsure(cells: Sequence[str], name: str, origin: str) -> None:
    """Raise an error where a column that was taken for text looks like scores."""
    if _may_be_scores(cells):
        example = next(cell for cell in cells if _NEARLY_A_NUMBER.fullmatch(cell.strip()))
        raise InputError(
            f"{origin}: column {shown(name)} begins with text, but most of it looks like numbers, such as "
            f"{shown(example)}; if it holds scores, write them as 0.5 and leave missing ones empty; if not, say so, "
            f'as in columns={{"other": "{name}"}}'
        )
