"""Which column of a table plays which role."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fairtrial.errors import InputError, listed, shown
from fairtrial.formats.sheets import ReadOptions
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


def is_role(names: Sequence[str]) -> bool:
    """Whether one of the names is the usual name of a role."""
    known = {alias for aliases in _ALIASES.values() for alias in aliases}
    return any(name.lower() in known or is_plain_score(name) for name in names)


def is_plain_score(name: str) -> bool:
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

    @property
    def columns(self) -> list[str]:
        """All columns that play a role."""
        others = [self.label, self.system, *(column for _, column in self.ids)]
        return [*self.scores, *(column for column in others if column is not None)]


def find_roles(names: Sequence[str], numeric: set[str], options: ReadOptions, origin: str) -> Roles:
    """Tell roles by what the caller says, then by usual names; other numeric columns are scores.

    Raises
    ------
    InputError
        A column that is not there or there twice, no scores, or two columns of scores beside system names.
    """
    repeated = [name for name in names if names.count(name) > 1]
    if repeated:
        raise InputError(f"{origin}: column {shown(repeated[0])} occurs twice; give each column its own name")
    for name in (*options.columns.values(), *options.scores):
        if name not in names:
            raise InputError(f"{origin}: there is no column {shown(name)}; there are {listed(names)}")
    roles = dict(options.columns)
    by_lower = {name.lower(): name for name in reversed(names)}
    for role, aliases in _ALIASES.items():
        free = [by_lower[alias] for alias in aliases if alias in by_lower and by_lower[alias] not in options.scores]
        unused = [name for name in free if name not in roles.values()]
        if role not in roles and unused:
            roles[role] = unused[0]
    scores = list(options.scores) or ([roles.pop("score")] if "score" in roles else [])
    if not scores:  # a column that says it is the score leaves no other
        scores = [by_lower[name] for name in _SCORE if name in by_lower][:1]
    if not scores:
        scores = [name for name in names if name in numeric and name not in roles.values()]
    if not scores:
        raise InputError(
            f'{origin}: there is no column of scores among {listed(names)}; name one, as in columns={{"score": "NAME"}}'
        )
    if "system" in roles and len(scores) != 1:
        raise InputError(
            f"{origin}: a table with a column of system names has one column of scores, not {listed(scores)}; "
            'name it, as in columns={"score": "NAME"}'
        )
    ids = tuple((field, roles[field]) for field in ID_FIELDS if field in roles)
    return Roles(tuple(scores), roles.get("label"), roles.get("system"), ids)
