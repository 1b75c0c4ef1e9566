"""A sheet: what one file holds, before files are put together and missing scores are decided upon."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from fairtrial.checks import check_choice, check_count
from fairtrial.errors import InputError, ParameterError, cut, listed, shown
from fairtrial.ids import IdColumn, Ids, object_array
from fairtrial.trials import Further, NanPolicy

ROLES = ("claim", "subject", "model", "probe", "label", "system", "score", "other")

GenuineBy: TypeAlias = Literal["label", "ids"]
"""What says that a trial is genuine: its label, or that claim and subject are the same."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What a file does not tell by itself.

    Parameters
    ----------
    columns : dict of str to str, default {}
        Column names by role: claim, subject, model, probe, label, system, score, other. Where columns have no names, as
        in lists and trial lists, they go by their numbers, "1" being the first.
    scores : tuple of str, default ()
        The columns that are scores, where not all numeric ones are.
    genuine_labels, impostor_labels : tuple of str, default ()
        Which labels mean what, where they are not among the usual ones; trials with other labels are left out.
    others : tuple of str, default ()
        Columns that are no scores although they hold numbers; they are kept as further columns.
    genuine_by : {"label", "ids"}, optional
        What counts where labels and ids contradict each other: ``label``, or ``ids`` (claim = subject).
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
        The systems' names, in order, in place of what the files say.
    systems : tuple of str, default ()
        Only these systems; what is missing in others does not matter then.
    nan : {"error", "drop", "reject"}, default "error"
        What becomes of a trial without a score: ``error`` raises an error; ``drop`` leaves the trial out for all
        systems; ``reject`` rejects it, by a score of -inf.
    common : bool, default False
        Keep the trials that all files share in place of an error.
    max_size : int, optional
        How many bytes a file may unpack to; by default 8 GiB, or half of the memory of the machine if that is less.

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

    def __post_init__(self) -> None:
        for name in ("scores", "others", "genuine_labels", "impostor_labels", "names", "systems", "negate"):
            value = getattr(self, name)
            if not isinstance(value, bool):  # one name, or several in any sequence
                object.__setattr__(self, name, (value,) if isinstance(value, str) else tuple(value))
        unknown = sorted(set(self.columns) - set(ROLES))
        if unknown:
            raise ParameterError(f"there is no column role {', '.join(unknown)}; roles are {', '.join(ROLES)}")
        if bool(self.genuine_labels) != bool(self.impostor_labels):
            raise ParameterError("say which labels are genuine and which are impostor, not only one of them")
        if self.genuine_by is not None:
            check_choice("genuine_by", self.genuine_by, get_args(GenuineBy))
        try:
            re.compile(self.person or "")
        except re.error as error:
            raise ParameterError(f"person={self.person!r} is not a regular expression: {error}") from error
        if self.max_size is not None and check_count("max_size", self.max_size) < 1:
            raise ParameterError("max_size must be at least one byte")
        if not all(self.names):
            raise ParameterError("the name of a system must not be empty")

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
        """The row alone where the other is of the same origin."""
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
    notes: tuple[str, ...] = ()
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

    def __len__(self) -> int:
        return len(self.genuine)

    def place(self, row: int) -> Place:
        """Where a row came from."""
        return Place(self.origin, 1 + (row if self.numbers is None else int(self.numbers[row])))

    def checked(self, options: ReadOptions) -> Sheet:
        """Itself; without a policy for missing scores, an error that names the first of them."""
        for system, column in zip(self.systems, self.scores.T, strict=True):
            if options.wants(system):
                check_missing(column, options.nan, self.place, f"the score of {cut(system)}")
        return self

    def rows(self, rows: NDArray[np.int64]) -> Sheet:
        """The trials at these rows, in this order."""
        ids = {name: column[rows] for name, column in self.ids.items()}
        numbers = rows if self.numbers is None else self.numbers[rows]
        further = {name: column[rows] for name, column in self.columns.items()}
        return replace(
            self, scores=self.scores[rows], genuine=self.genuine[rows], ids=ids, numbers=numbers, columns=further
        )


def row_of(origin: str) -> PlaceOf:
    """From the index of a row to where it is in a file."""
    return lambda row: Place(origin, row + 1)


def check_missing(scores: NDArray[np.floating], policy: NanPolicy, place: PlaceOf, what: str) -> None:
    """Raise an error that names the place of the first missing score, unless there is a policy for them."""
    if policy != "error" or not scores.size or not np.isnan(np.min(scores)):
        return
    rows = np.flatnonzero(np.isnan(scores))
    more = f" (and {len(rows) - 1:,} more)" if len(rows) > 1 else ""
    raise InputError(
        f"{place(int(rows[0]))}: {what} is NaN{more}; decide what happens to a trial without a score: "
        'nan="drop" leaves it out, nan="reject" rejects it'
    )


def columns_of(scores: Sequence[NDArray[np.floating]]) -> NDArray[np.floating]:
    """Score columns side by side, each in one piece of memory."""
    if len(scores) == 1:
        return scores[0][:, None]
    together = scores[0].base
    if together is not None and together.shape == (len(scores), len(scores[0])):
        together = together.T
    if together is not None and together.shape == (len(scores[0]), len(scores)):
        pieces = [together[:, k].__array_interface__["data"] for k in range(len(scores))]
        if pieces == [column.__array_interface__["data"] for column in scores]:
            return np.asarray(together)
    result = np.empty((len(scores[0]), len(scores)), dtype=np.result_type(*scores), order="F")
    for index, column in enumerate(scores):
        result[:, index] = column
    return result


_CODINGS = (
    ("1", "0"),
    ("1", "-1"),
    ("true", "false"),
    ("genuine", "impostor"),
    ("target", "nontarget"),
    ("client", "impostor"),
    ("bonafide", "spoof"),
)


def decode_labels(
    names: Sequence[str], codes: NDArray[np.integer], options: ReadOptions, origin: str, *, whole: bool = True
) -> tuple[NDArray[np.bool_], NDArray[np.int64] | None, tuple[str, ...]]:
    """Which trials are genuine, which rows to keep (None: all) and a note on those left out.

    Of a piece of a file, which need not have all labels, the caller must check the labels of all pieces together.

    Raises
    ------
    InputError
        Labels of no known coding, or of two; a label that was given and does not occur.
    """
    if options.genuine_labels:
        if whole:
            check_labels(names, options, origin)
        return _decode_given(names, codes, options)
    coding = find_coding(used_labels(names, codes), origin)
    return np.array([_plain(name) == coding[0] for name in names], dtype=bool)[codes], None, ()


def ids_of_flags(flags: NDArray[np.bool_]) -> Ids:
    """Truth values as words."""
    return Ids(flags.astype(np.int32), object_array(["false", "true"]))


def used_labels(names: Sequence[str], codes: NDArray[np.integer]) -> frozenset[str]:
    """The names that some row has."""
    if len(names) < 16:  # a glance for each is quicker than to count them all
        return frozenset(name for code, name in enumerate(names) if (codes == code).any())
    return frozenset(names[code] for code in np.flatnonzero(np.bincount(codes)).tolist())


def find_coding(labels: Iterable[str], origin: str) -> tuple[str, str]:
    """The words for genuine and impostor trials among which all labels are.

    Raises
    ------
    InputError
        Labels of no known coding, or of two.
    """
    used = {_plain(label) for label in labels}
    fitting = [coding for coding in _CODINGS if used <= set(coding)]
    if fitting:
        return fitting[0]
    known = {word for coding in _CODINGS for word in coding}
    strange = sorted(used - known)
    what = f"label {shown(strange[0])} is not known" if strange else f"labels are mixed: {listed(sorted(used))}"
    raise InputError(
        f"{origin}: {what}; expected {', '.join('/'.join(coding) for coding in _CODINGS)}, or say "
        'which labels mean what, as in genuine_labels="target", impostor_labels="nontarget"'
    )


def label_meaning(label: str, coding: tuple[str, str]) -> str:
    """What a label stands for in a coding: genuine, impostor, or nothing."""
    return dict(zip(coding, ("genuine", "impostor"), strict=True)).get(_plain(label), "")


def check_labels(labels: Iterable[str], options: ReadOptions, origin: str) -> None:
    """Raise an error where a label that was given does not occur, or where labels are of no one coding."""
    known = set(labels)
    for word in (*options.genuine_labels, *options.impostor_labels):
        if word not in known:
            raise InputError(f"{origin}: there is no label {shown(word)}; there are {listed(sorted(known))}")
    if known and not options.genuine_labels:
        find_coding(known, origin)


def find_attacks(labels: Ids) -> NDArray[np.bool_] | None:
    """Trials whose label says that somebody imitates the claimed person; None where there is none."""
    words = np.array([_plain(name) in ("spoof", "attack") for name in labels.names.tolist()], dtype=bool)
    return words[labels.codes] if words.any() else None


def _plain(label: str) -> str:
    word = label.strip().lower().replace("bona-fide", "bonafide").replace("non-target", "nontarget")
    if word.startswith("+"):
        word = word[1:]
    return word[:-2] if word in ("1.0", "0.0", "-1.0") else word


def _decode_given(
    names: Sequence[str], codes: NDArray[np.integer], options: ReadOptions
) -> tuple[NDArray[np.bool_], NDArray[np.int64] | None, tuple[str, ...]]:
    both = sorted(set(options.genuine_labels) & set(options.impostor_labels))
    if both:
        raise ParameterError(f"label {shown(both[0])} cannot mean genuine and impostor at once")
    meaning = np.array([1 if n in options.genuine_labels else 0 if n in options.impostor_labels else -1 for n in names])
    values = meaning[codes]
    if (values >= 0).all():
        return values == 1, None, ()
    keep = np.flatnonzero(values >= 0)
    left = sorted({names[code] for code in np.unique(codes[values < 0])})
    note = f"{len(values) - len(keep):,} trials with label {listed(left)} were left out"
    return values[keep] == 1, keep, (note,)
