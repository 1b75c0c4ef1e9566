"""Hold what one file says (a sheet), and find the role of each column."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import InputError, ParameterError, TrialsError, check_choice, check_count
from fairtrial.core.notes import Note
from fairtrial.core.trials import ID_FIELDS, Further, IdColumn, Ids, NanPolicy
from fairtrial.core.words import Text, cut, listed, nearest, shown
from fairtrial.formats.text import Kind, concat_columns, is_number, is_whole

ROLES = ("claim", "subject", "model", "probe", "label", "system", "score", "other")

GenuineBy: TypeAlias = Literal["label", "ids"]
"""What says that a trial is genuine: its label, or that claim and subject are the same."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What a file does not tell by itself.

    Parameters
    ----------
    columns : dict of str to str, default {}
        Column names by role: claim, subject, model, probe, label, system, score, other. Columns of files without a
        header go by their numbers, 1 being the first; instead of a role, they may be given a name.
    scores : tuple of str, default ()
        The columns that are scores, where not all numeric ones are.
    genuine_labels, impostor_labels : tuple of str, default ()
        Which labels mean what, where they are not among the usual ones; trials with other labels are left out.
    others : tuple of str, default ()
        Columns that are no scores although they hold numbers; they are kept as further columns.
    genuine_by : {"label", "ids"}, optional
        Which counts if labels and ids contradict each other: ``label``, or ``ids`` (claim = subject).
    person : str, optional
        A regular expression that finds the person within a claim and a subject id: its first group, or all that
        matches. The ids themselves are kept as model and probe.
    diagonal : bool, default False
        A similarity matrix is genuine on its diagonal, whatever its ids.
    transpose : bool, default False
        The rows of a similarity matrix are claims and its columns subjects.
    negate : bool or tuple of str, default False
        The scores are distances: all systems', or those of the systems named.
    names : tuple of str, default ()
        The systems' names, in order, instead of those in the files.
    systems : tuple of str, default ()
        Only these systems; what is missing in others does not matter then.
    nan : {"error", "drop", "reject"}, default "error"
        Treatment of trials without a score: ``error`` raises an error; ``drop`` leaves the trial out for all
        systems; ``reject`` rejects it, by a score of -inf.
    common : bool, default False
        Keep the trials that all files share instead of an error.
    max_size : int, optional
        How many bytes a file may unpack to; by default 8 GiB, or half of the memory of the machine if that is less.
    key : str, path-like or sequence of these, default ()
        A file of the trials with their labels, if the score files have none; `read_pair` takes one of both sets, or one
        of dev and one of test. Scores are matched by the ids that both files have.

    Raises
    ------
    ParameterError
        A role, a policy or a regular expression that is none, or labels of one class only.

    Examples
    --------
    >>> options = ReadOptions(columns={"label": "target"}, negate=True, names="face")
    >>> options.names
    ('face',)
    """

    columns: dict[str, str] = field(default_factory=dict)
    scores: tuple[str, ...] = ()
    genuine_labels: tuple[str, ...] = ()
    impostor_labels: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    genuine_by: GenuineBy | None = None
    person: str | None = None
    diagonal: bool = False
    transpose: bool = False
    negate: bool | tuple[str, ...] = False
    names: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    nan: NanPolicy = "error"
    common: bool = False
    max_size: int | None = None
    key: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if isinstance(self.key, os.PathLike):
            object.__setattr__(self, "key", (os.fspath(self.key),))
        for name in ("key", "scores", "others", "genuine_labels", "impostor_labels", "names", "systems", "negate"):
            value = getattr(self, name)
            if not isinstance(value, bool):  # one name, or several in any sequence
                object.__setattr__(
                    self, name, (str(value),) if isinstance(value, str | int) else tuple(map(str, value))
                )
        object.__setattr__(self, "columns", {role: str(name) for role, name in self.columns.items()})
        unknown = sorted(
            role
            for role, name in self.columns.items()
            if role not in ROLES and (not number_of(name) or nearest(role, ROLES))
        )
        if unknown:
            turned = {name: role for role, name in self.columns.items() if name in ROLES}
            template = "there is no column role {unknown:list}; roles are {roles:list}"
            if turned:
                template += "; did you mean {columns!o}?"
            raise ParameterError(template, unknown=unknown, roles=ROLES, columns=turned)
        if bool(self.genuine_labels) != bool(self.impostor_labels):
            raise ParameterError("say which labels are genuine and which are impostor, not only one of them")
        if self.genuine_by is not None:
            check_choice("genuine_by", self.genuine_by, get_args(GenuineBy))
        try:
            re.compile(self.person or "")
        except (re.error, OverflowError, RecursionError) as error:
            template = "{person!o} is not a regular expression: {why}"
            raise ParameterError(template, person=cut(self.person, 200), why=str(error)) from error
        if self.max_size is not None and check_count("max_size", self.max_size) < 1:
            raise ParameterError("max_size must be at least one byte")
        if not all(self.names):
            raise ParameterError("the name of a system must not be empty")

    @property
    def by_number(self) -> bool:
        """Whether columns are named by their numbers."""
        given = (*self.columns.values(), *self.scores) or self.others
        return bool(given) and all(number_of(name) for name in given)

    def wants(self, system: str) -> bool:
        """Tell whether a system is asked for, by the name that its file gives it.

        Parameters
        ----------
        system : str
            A name.

        Returns
        -------
        bool
            Whether it is asked for.
        """
        return not self.systems or bool(self.names) or system in self.systems

    def chosen(self, systems: Sequence[str], origin: str) -> tuple[str, ...]:
        """Give the systems asked for, of those there are, or all.

        Raises
        ------
        TrialsError
            If a system that is asked for is not there, or one whose scores are distances is not among them.
        """
        chosen = self.systems or tuple(systems)
        negated = self.negate if isinstance(self.negate, tuple) else ()
        for names, among, what in ((chosen, systems, ""), (negated, chosen, " to negate")):
            missing = set(names).difference(among)
            if missing:
                name = min(missing, key=names.index)
                raise TrialsError(
                    f"{origin}: there is no system {shown(name)}{what}; there are {listed(among)}{nearest(name, among)}"
                )
        return chosen


@dataclass(frozen=True, slots=True)
class Place:
    """Where a row came from."""

    origin: str
    """The file, and where several rows of trials stand in one row of it, the column."""
    row: int
    """Counted from 1."""

    def __str__(self) -> str:
        return f"{self.origin}, row {self.row}"

    def beside(self, other: Place) -> str:
        """Give the row alone where the other is of the same origin."""
        return str(self.row) if self.origin == other.origin else f"{self.row} of {self.origin}"


PlaceOf: TypeAlias = Callable[[int], Place]
"""From the index of a row to where it came from."""


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """Scores of some systems on the trials of one file; scores may be NaN here."""

    origin: str
    scores: NDArray[np.floating]
    genuine: NDArray[np.bool_]
    systems: tuple[str, ...]
    ids: dict[str, IdColumn] = field(default_factory=dict)
    notes: tuple[Note | str, ...] = ()
    named: bool = True
    """Whether the file itself names its systems; otherwise their names only follow from its own."""
    numbers: NDArray[np.int64] | None = None
    """Where each row stood in the file, counted from 0; None where that is its index."""
    columns: dict[str, Further] = field(default_factory=dict)
    """Columns that play no part."""
    taken: tuple[str, ...] = ()
    """What was taken for what, in words."""
    labels: frozenset[str] = frozenset()
    """The labels that were decoded."""
    place_of: PlaceOf | None = None
    """From where a row stood in the sheet to its place; None if that is its place in the file."""

    def __len__(self) -> int:
        return len(self.genuine)

    def place(self, row: int) -> Place:
        """Tell where a row came from."""
        number = row if self.numbers is None else int(self.numbers[row])
        return Place(self.origin, number + 1) if self.place_of is None else self.place_of(number)

    def checked(self, options: ReadOptions) -> Sheet:
        """Itself; without a policy for missing scores, an error that names the first of them."""
        for system, column in zip(self.systems, self.scores.T, strict=True):
            if options.nan != "error" or not options.wants(system) or not len(column) or not np.isnan(np.min(column)):
                continue
            rows = np.flatnonzero(np.isnan(column))
            raise InputError(
                "{place}: the score of {system} is NaN{more}; decide what happens to a trial without a score: {drop} "
                "leaves it out, {reject} rejects it",
                place=self.place(int(rows[0])),
                system=cut(system),
                more=f" (and {len(rows) - 1:,} more)" if len(rows) > 1 else "",
                drop=Text("{nan!o}", nan="drop"),
                reject=Text("{nan!o}", nan="reject"),
            )
        return self

    def rows(self, rows: NDArray[np.int64]) -> Sheet:
        """Give the trials at these rows, in this order."""
        ids = {name: column[rows] for name, column in self.ids.items()}
        numbers = rows if self.numbers is None else self.numbers[rows]
        further = {name: column[rows] for name, column in self.columns.items()}
        return replace(
            self, scores=self.scores[rows], genuine=self.genuine[rows], ids=ids, numbers=numbers, columns=further
        )


def stack(sheets: Sequence[Sheet], origin: str) -> Sheet:
    """Put sheets of the same columns one below the other; each row keeps its place in its file."""
    first = sheets[0]
    ends = np.cumsum([len(sheet) for sheet in sheets])

    def place_of(row: int) -> Place:
        part = int(np.searchsorted(ends, row, side="right"))
        return sheets[part].place(row - int(ends[part]) + len(sheets[part]))

    def concat(columns: str) -> dict[str, Any]:
        tables = [getattr(sheet, columns) for sheet in sheets]
        return {name: concat_columns([table[name] for table in tables]) for name in tables[0]}

    scores = [
        np.concatenate([sheet.scores[:, sheet.systems.index(system)] for sheet in sheets]) for system in first.systems
    ]
    return Sheet(
        origin,
        columns_of(scores),
        np.concatenate([sheet.genuine for sheet in sheets]),
        first.systems,
        concat("ids"),
        tuple(note for sheet in sheets for note in sheet.notes),
        all(sheet.named for sheet in sheets),
        columns=concat("columns"),
        taken=first.taken,
        place_of=place_of,
    )


def columns_of(scores: Sequence[NDArray[np.floating]]) -> NDArray[np.floating]:
    """Put score columns side by side, each in one piece of memory."""
    return scores[0][:, None] if len(scores) == 1 else np.stack(scores).T


_CODINGS = (
    ("1", "0"),
    ("1", "-1"),
    ("true", "false"),
    ("genuine", "impostor"),
    ("target", "nontarget"),
    ("client", "impostor"),
    ("bonafide", "spoof"),
    ("mated", "nonmated"),
    ("positive", "negative"),
    ("yes", "no"),
)


def decode_labels(
    labels: Ids, options: ReadOptions, origin: str, *, whole: bool = True
) -> tuple[NDArray[np.bool_], NDArray[np.int64] | None, tuple[str, ...]]:
    """Decode which trials are genuine, which rows to keep (None: all), and a note on those left out.

    Of a piece of a file, which need not have all labels, the caller must check the labels of all pieces together.

    Raises
    ------
    InputError
        Labels of no known coding, or of two; a label that was given and does not occur.
    """
    names: list[str] = labels.names.tolist()
    if not options.genuine_labels:
        coding = find_coding(used_labels(labels), origin)
        return np.array([_plain(name) == coding[0] for name in names], dtype=bool)[labels.codes], None, ()
    if whole:
        check_labels(names, options, origin)
    both = sorted(set(options.genuine_labels) & set(options.impostor_labels))
    if both:
        raise ParameterError(f"label {shown(both[0])} cannot mean genuine and impostor at once")
    meanings = {**dict.fromkeys(options.genuine_labels, 1), **dict.fromkeys(options.impostor_labels, 0)}
    values = np.array([meanings.get(name, -1) for name in names])[labels.codes]
    if (values >= 0).all():
        return values == 1, None, ()
    keep = np.flatnonzero(values >= 0)
    left = sorted({names[code] for code in np.unique(labels.codes[values < 0])})
    note = f"{len(values) - len(keep):,} trials with label {listed(left)} were left out"
    return values[keep] == 1, keep, (note,)


def used_labels(labels: Ids) -> frozenset[str]:
    """Give the labels that some row has."""
    return frozenset(labels.names[np.flatnonzero(np.bincount(labels.codes))].tolist())


def find_coding(labels: Iterable[str], origin: str) -> tuple[str, str]:
    """Find the words for genuine and impostor trials among which all labels are.

    Raises
    ------
    InputError
        Labels of no known coding, or of two.
    """
    used = {_plain(label) for label in labels}
    fitting = [coding for coding in _CODINGS if used <= set(coding)]
    if fitting:
        return fitting[0]
    words = {word for coding in _CODINGS for word in coding}
    strange = sorted(used - words)
    names = listed(sorted(used), 6)
    raise InputError(
        "{origin}: {what}; expected {known}; otherwise name a label of each class, as in {genuine_labels!o} "
        "{impostor_labels!o}",
        origin=origin,
        what=f"label {shown(strange[0])} is not known, of {names}" if strange else f"labels are mixed: {names}",
        known=", ".join("/".join(coding) for coding in _CODINGS),
        genuine_labels="WORD",
        impostor_labels="WORD",
    )


def is_label(word: str) -> bool:
    """Tell whether a word is one of the usual labels."""
    return any(_plain(word) in coding for coding in _CODINGS)


def label_meaning(label: str, coding: tuple[str, str]) -> str:
    """Tell what a label stands for in a coding: genuine, impostor, or nothing."""
    return dict(zip(coding, ("genuine", "impostor"), strict=True)).get(_plain(label), "")


def check_labels(labels: Iterable[str], options: ReadOptions, origin: str) -> None:
    """Raise an error where a label that was given does not occur, or where labels are of no one coding."""
    present = set(labels)
    for word in (*options.genuine_labels, *options.impostor_labels):
        if word not in present:
            raise InputError(f"{origin}: there is no label {shown(word)}; there are {listed(sorted(present))}")
    if present and not options.genuine_labels:
        find_coding(present, origin)


def find_attacks(labels: Ids) -> NDArray[np.bool_] | None:
    """Trials whose label says that somebody imitates the claimed person; None where there is none."""
    words = np.array([_plain(name) in ("spoof", "attack") for name in labels.names.tolist()], dtype=bool)
    return words[labels.codes] if words.any() else None


def _plain(label: str) -> str:
    word = label.strip().lower().replace("bona-fide", "bonafide").replace("non-", "non")
    if word.startswith("+"):
        word = word[1:]
    return word[:-2] if word in ("1.0", "0.0", "-1.0") else word


_ALIASES = {
    "claim": "claim claimed_id claimed model enrol enroll enrollment reference modelid model_id bio_ref_subject_id",
    "subject": "subject real_id subject_id probe_subject_id speaker person",
    "model": "model template bio_ref_template_id reference_id",
    "probe": "probe probe_label utt utt_id utterance segment segmentid segment_id test filename probe_key "
    "probe_template_id trial trial_id",
    "label": "label genuine target class is_genuine is_target key targettype cm-label",
    "system": "system system_name",
}
_SCORE = ("score", "scores")
# usual names of columns that hold no scores, even where they hold numbers
_FURTHER = {
    *("age", "gender", "sex", "quality", "session", "attack", "camera", "channel", "device", "duration", "snr"),
    *("index", "row", "id", "fold", "split", "year", "date", "time", "timestamp", "patient", "person", "participant"),
    *("visit", "site", "batch"),
}
_NEARLY_A_NUMBER = re.compile(r"[+\-\u2212]?(\d+([.,\u066b]\d*)?|[.,\u066b]\d+)([eE][+\-\u2212]?\d+)?\s*%?")
_MISSING = {"", "-", "--", "?", "na", "n/a", "#n/a", "nan", "nil", "null", "none", "missing"}

Look: TypeAlias = Literal["number", "whole", "fraction", "nearly", "text", "empty"]
"""What the first cells of a column hold: ``whole``, only whole numbers; ``fraction``, only numbers, not all of them
whole; ``number``, numbers and something else; ``nearly``, text most of
which would be numbers if it were written otherwise, as 0,5 is."""


def look_at(cells: Sequence[str]) -> Look:
    """Tell what cells hold; one number among them makes it numbers, so that text further down is an error."""
    filled = [cell for cell in cells if cell]
    if not filled:
        return "empty"
    numbers = [is_number(cell) for cell in filled]
    if not any(numbers):
        return "nearly" if _may_be_scores(filled) else "text"
    if not all(numbers):
        return "number"
    return "whole" if all(is_whole(cell) for cell in filled) else "fraction"


def _may_be_scores(cells: Sequence[str]) -> bool:
    """Tell whether most cells of a column taken for text are numbers after all, or nearly so, as 0,5 is."""
    filled = [cell for text in cells if (cell := text.strip()).lower() not in _MISSING]
    return bool(filled) and 2 * sum(_NEARLY_A_NUMBER.fullmatch(cell) is not None for cell in filled) >= len(filled)


def is_role(names: Sequence[str]) -> bool:
    """Tell whether one of the names is the usual name of a role, or of a column that holds no scores."""
    usual = {*_FURTHER, *" ".join(_ALIASES.values()).split()}
    return any(name.lower() in usual or _is_plain_score(name) for name in names)


def _is_plain_score(name: str) -> bool:
    """Tell whether a column's name says only that it is a score, and not whose."""
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
    whole: tuple[str, ...] = ()
    """Further columns of whole numbers that would be scores if they held fractions."""

    @property
    def by_column(self) -> dict[str, str]:
        """The role of each column that plays one."""
        single = {"label": self.label, "system": self.system, **dict(self.ids)}
        return dict.fromkeys(self.scores, "score") | {name: role for role, name in single.items() if name is not None}

    @property
    def columns(self) -> list[str]:
        """All columns."""
        return [*self.by_column, *self.further]

    def kinds_of(self, names: Iterable[str]) -> dict[str, Kind]:
        """Give what columns of these names are read as."""
        kinds: dict[str, Kind] = dict.fromkeys(self.further, "other")
        kinds |= {name: "score" if role == "score" else "text" for name, role in self.by_column.items()}
        return {name: kinds.get(name, "skip") for name in names}

    @property
    def named(self) -> bool:
        """Whether the columns of scores have the names of systems."""
        return len(self.scores) > 1 or not _is_plain_score(self.scores[0])

    def only(self, systems: Sequence[str]) -> Roles:
        """Tell what is needed for the scores of some systems: those, and what says which trials are genuine."""
        scores = tuple(name for name in self.scores if name in systems) if len(self.scores) > 1 else self.scores
        return replace(self, scores=scores, ids=() if self.label is not None else self.ids, further=())

    def notes(self, origin: str) -> tuple[Note, ...]:
        """Note which columns of whole numbers are not read as scores."""
        if not self.whole:
            return ()
        template = "{names:list}: whole numbers, not taken for scores; if they are, say so, as in {scores!o}"
        return (Note("whole-numbers", template, origin, names=list(self.whole), scores=[*self.scores, *self.whole]),)

    @property
    def taken(self) -> str:
        """What is taken for what, in words."""
        others = [(role, name) for name, role in self.by_column.items() if role != "score"]
        texts = [role if role == name else f"{role} from {cut(name, 40)}" for role, name in others]
        kept = [f"kept besides: {listed(self.further)}"] if self.further else []
        return "; ".join([f"scores {listed(self.scores)}", *([", ".join(texts)] if texts else []), *kept])


def find_roles(names: Sequence[str], looks: dict[str, Look], options: ReadOptions, origin: str) -> Roles:
    """Find roles by what the caller says, then by usual names; other columns of numbers are scores.

    Raises
    ------
    InputError
        A column that is not there, there twice or in two roles; no scores; two columns of scores beside system
        names; a column whose name says one thing and whose cells another.
    """
    check_names(names, options, origin)
    given = {*options.columns.values(), *options.scores, *options.others}
    roles = roles_by_name(names, options)
    for role, name in roles.items():
        is_guessed = role != "label" and role not in options.columns and name.lower() != role
        if is_guessed and looks.get(name) == "fraction":
            raise InputError(
                "{origin}: column {name:quoted} is the {role} by its name, but holds numbers that are not whole; say "
                "which it is, as in {score} or {columns!o}",
                origin=origin,
                name=name,
                role=role,
                score=Text("{columns!o}", columns={"score": name}),
                columns={role: name},
            )
    others = [*options.others, *(roles.pop(role) for role in [*roles] if role == "other" or role not in ROLES)]
    by_lower = {name.lower(): name for name in reversed(names)}
    scores = list(options.scores) or ([roles.pop("score")] if "score" in roles else [])
    if not scores:  # a column that says it is the score leaves no other
        scores = [by_lower[name] for name in _SCORE if name in by_lower and by_lower[name] not in given][:1]
    score_is_named = bool(scores)
    whole: list[str] = []
    if not scores:
        spoken_for = {*roles.values(), *others, ""}
        free = [name for name in names if name not in spoken_for]
        numbers = [name for name in free if looks.get(name) in ("number", "whole", "fraction")]
        asked = {*options.systems, *(() if isinstance(options.negate, bool) else options.negate)}
        scores = [name for name in numbers if name in asked or name.lower() not in _FURTHER]
        # whole numbers beside fractions are rather ages or numbers of people, unless they are asked for
        whole = [name for name in scores if looks[name] == "whole" and name not in asked]
        if len(whole) < len(scores):
            scores = [name for name in scores if name not in whole]
        else:
            whole = []
    if not scores:
        nearly = [name for name in free if looks.get(name) == "nearly"]
        what = (
            f"{listed(nearly)} looks like numbers in another notation; write them as 0.5, not as 0,5 or 50 %"
            if nearly
            else str(Text("name one, as in {columns!o}", columns={"score": "NAME"}))
        )
        raise InputError(f"{origin}: there is no column of scores among {listed(names)}; {what}")
    if "system" in roles and len(scores) != 1:
        template = (
            "{origin}: a table with a column of system names has one column of scores, not {scores:list}; name it, "
            "as in {columns!o}"
        )
        raise InputError(template, origin=origin, scores=scores, columns={"score": "NAME"})
    ids = tuple((field, roles[field]) for field in ID_FIELDS if field in roles)
    used = {*scores, *roles.values(), ""}
    further = tuple(name for name in names if name not in used)
    sure = {*others, *whole}
    unsure = () if score_is_named else (name for name in further if name not in sure and name.lower() not in _FURTHER)
    return Roles(tuple(scores), roles.get("label"), roles.get("system"), ids, further, frozenset(unsure), tuple(whole))


def roles_by_name(names: Sequence[str], options: ReadOptions) -> dict[str, str]:
    """Give the columns of roles, by what the caller says and by usual names."""
    given = {*options.columns.values(), *options.scores, *options.others}
    roles = {role: name for role, name in options.columns.items() if name in names}
    by_lower = {name.lower(): name for name in reversed(names)}
    for role, aliases in _ALIASES.items():
        free = [name for alias in aliases.split() if (name := by_lower.get(alias)) is not None and name not in given]
        unused = [name for name in free if name not in roles.values()]
        if role not in roles and unused:
            roles[role] = unused[0]
    return roles


def check_names(names: Sequence[str], options: ReadOptions, origin: str) -> None:
    """Raise an error where a name that was given is not there, or is there twice."""
    present: set[str] = set()
    for name in names:
        if name in present:
            raise InputError(f"{origin}: column {shown(name)} occurs twice; give each column its own name")
        present.add(name)
    given: set[str] = set()
    for name in (*options.columns.values(), *options.scores, *options.others):
        if name not in present:
            raise InputError(
                f"{origin}: there is no column {shown(name)}; there are {listed(names)}{nearest(name, names)}"
            )
        if name in given:
            raise InputError(f"{origin}: column {shown(name)} was given two roles; choose one")
        given.add(name)


def check_unsure(cells: Sequence[str], name: str, origin: str) -> None:
    """Raise an error where a column that was taken for text looks like scores."""
    if _may_be_scores(cells):
        example = next(cell for cell in cells if _NEARLY_A_NUMBER.fullmatch(cell.strip()))
        template = (
            "{origin}: column {name:quoted} begins with text, but most of it looks like numbers, such as "
            "{example:quoted}; if it holds scores, write them as 0.5 and leave missing ones empty; if not, say so, as "
            "in {columns!o}"
        )
        raise InputError(template, origin=origin, name=name, example=example, columns={"other": name})


def number_of(name: str) -> int:
    """Give the number of a column; 0 where the name is not a number."""
    return int(name) if name.isascii() and name.isdecimal() else 0


def given_roles(options: ReadOptions, width: int, origin: str, roles: Sequence[str] = ROLES) -> dict[int, str]:
    """Give the roles of the columns that the caller names by number, counted from 0 here.

    Raises
    ------
    InputError
        A column that a file of this width does not have, or in two roles; a role that the format does not know.
    """
    named = [*options.columns.items(), *(("score", name) for name in options.scores)]
    given: dict[int, str] = {}
    for role, name in (*named, *(("other", name) for name in options.others)):
        place = number_of(name) - 1
        if role not in roles and (role in ROLES or roles is not ROLES):
            raise InputError(f"{origin}: files of this format have no column in the role {role}")
        if not 0 <= place < width:
            raise InputError(
                f"{origin}: there is no column {shown(name)}; columns have no names here, but numbers from 1 to {width}"
            )
        if place in given:
            raise InputError(f"{origin}: column {name} was given two roles; choose one")
        given[place] = role
    return given
