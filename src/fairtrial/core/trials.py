"""Trials: the scores that one or several systems gave to the same comparisons, and who was compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol, TypeAlias, cast, get_args, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairtrial.core.errors import InputError, TrialsError, check_choice
from fairtrial.core.words import listed, nearest, plural


class IdColumn(Protocol):
    """One name per trial, however it is stored."""

    def __len__(self) -> int: ...

    def __getitem__(self, rows: Any) -> IdColumn: ...

    def name(self, row: int) -> str:
        """Return the name at one row."""
        ...

    def decode(self) -> NDArray[np.object_]:
        """Return one name per row."""
        ...

    def equals(self, other: IdColumn) -> NDArray[np.bool_]:
        """Mark the rows in which both have the same name."""
        ...

    def same_as(self, other: IdColumn) -> bool:
        """Check whether both have the same name in every row."""
        ...

    def holds(self, name: str) -> bool:
        """Check whether some row has this name."""
        ...

    def numbered(self) -> Ids:
        """Convert to numbers into a table of names."""
        ...


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Ids:
    """One name per trial, kept as a small integer into a table of distinct names.

    Parameters
    ----------
    codes : ndarray of int
        For each trial, the place of its name in the table; shape (trials,).
    names : ndarray of str
        The table: distinct names, perhaps some of no trial; shape (names,).

    Examples
    --------
    >>> ids = Ids.of(["ann", "bob", "ann"])
    >>> ids.codes, len(ids)
    (array([0, 1, 0], dtype=int32), 3)
    """

    codes: NDArray[np.int32]
    names: NDArray[np.object_]

    @classmethod
    def of(cls, values: Iterable[Any]) -> Ids:
        """Number names in the order in which they first occur.

        Parameters
        ----------
        values : iterable
            One value per trial; its name is how it prints.

        Returns
        -------
        Ids
            The names, one per trial.

        Examples
        --------
        >>> Ids.of(["b", "a", "b"])
        <Ids: 3 trials, 2 names: b, a>
        """
        table: dict[str, int] = {}
        codes = np.fromiter((table.setdefault(str(value), len(table)) for value in values), dtype=np.int32)
        return cls(codes, object_array(list(table)))

    @classmethod
    def concat(cls, columns: Sequence[IdColumn]) -> Ids:
        """Concatenate id columns, on one table of names.

        Parameters
        ----------
        columns : sequence of Ids
            Id columns, at least one; the same name in two of them is the same name in the result.

        Returns
        -------
        Ids
            The rows of all columns in their order. The codes of the first column stay as they are.

        Examples
        --------
        >>> Ids.concat([Ids.of(["b", "a"]), Ids.of(["a", "c"])]).decode().tolist()
        ['b', 'a', 'a', 'c']
        """
        codes, names = _on_one_table(columns)
        return cls(np.concatenate(codes), names)

    def __repr__(self) -> str:
        names = f"{plural(len(self.names), 'name')}: {listed(self.names, 6) or 'none'}"
        return f"<Ids: {plural(len(self), 'trial')}, {names}>"

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: Any) -> Ids:
        return Ids(self.codes[rows], self.names)

    def name(self, row: int) -> str:
        """Return the name at one row, counted from 0."""
        return str(self.names[self.codes[row]])

    def decode(self) -> NDArray[np.object_]:
        """Return one name per row, as an array of str of shape (trials,)."""
        return self.names[self.codes]

    def numbered(self) -> Ids:
        """Convert to numbers into a table of names: itself."""
        return self

    def same_as(self, other: IdColumn) -> bool:
        """Check whether both have the same name in every row."""
        return len(self) == len(other) and bool(self.equals(other).all())

    def holds(self, name: str) -> bool:
        """Check whether some row has this name."""
        codes = [code for code, other in enumerate(self.names) if other == name]
        return bool(np.isin(self.codes, codes).any()) if codes else False

    def equals(self, other: IdColumn) -> NDArray[np.bool_]:
        """Mark the rows in which both have the same name; they have the same length."""
        first, second = _on_one_table([self, other])[0]
        return np.asarray(first == second)


def object_array(values: Sequence[str]) -> NDArray[np.object_]:
    """Make a one-dimensional array of strings, perhaps an empty one."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def recode(columns: Sequence[IdColumn]) -> list[NDArray[np.int64]]:
    """Number the names of several id columns together: those of the first column by name, then those of the next.

    Numbers do not depend on the order of rows, and neither do random draws by number.
    """
    table: dict[str, int] = {}
    numbers = []
    for column in columns:
        ids = column.numbered()
        used = np.flatnonzero(np.bincount(ids.codes, minlength=len(ids.names)))
        place = np.zeros(len(ids.names), dtype=np.int64)
        for code in sorted(used.tolist(), key=ids.names.__getitem__):
            place[code] = table.setdefault(ids.names[code], len(table))
        numbers.append(place[ids.codes])
    return numbers


def number_rows(columns: Sequence[NDArray[np.integer]]) -> NDArray[np.int64]:
    """Number the rows of several columns of codes: equal numbers mean equal rows."""
    numbers = np.zeros(len(columns[0]), dtype=np.int64)
    for codes in columns:
        combined = numbers * (int(codes.max(initial=0)) + 1) + codes
        numbers = np.unique(combined, return_inverse=True)[1]
    return numbers


def _on_one_table(columns: Sequence[IdColumn]) -> tuple[list[NDArray[np.int32]], NDArray[np.object_]]:
    first, *others = (column.numbered() for column in columns)
    table: dict[str, int] = {name: code for code, name in enumerate(first.names)}
    codes = [first.codes]
    for part in others:
        mapping = np.fromiter((table.setdefault(name, len(table)) for name in part.names), np.int32, len(part.names))
        codes.append(mapping[part.codes])
    return codes, object_array(list(table))


class NamedSystems:
    """Trials of one or several systems that have names."""

    __slots__ = ()
    systems: tuple[str, ...]

    def check_system(self, system: str | None) -> str:
        """Check the name of a system.

        Parameters
        ----------
        system : str or None
            A name, or None for the only system.

        Returns
        -------
        str
            The name.

        Raises
        ------
        TrialsError
            If the name is unknown, or None and there are several systems.
        """
        if system is None and len(self.systems) == 1:
            return self.systems[0]
        if system is None:
            template = "there are {count} systems; name one with {system!p}: {systems:list}"
            raise TrialsError(template, count=len(self.systems), system=..., systems=self.systems)
        if system not in self.systems:
            parts = system.split(",")
            if len(parts) > 1 and set(parts) <= set(self.systems):
                raise TrialsError(f"there is no system {system!r}; give several as a list: {parts}")
            raise TrialsError(
                f"there is no system {system!r}; there are {listed(self.systems)}{nearest(system, self.systems)}"
            )
        return system


NanPolicy: TypeAlias = Literal["error", "drop", "reject"]
ID_FIELDS = ("claim", "subject", "model", "probe")
Further: TypeAlias = "IdColumn | NDArray[Any]"
"""A column that plays no part in the figures: names, or numbers."""
_LARGE = 1e300
"""The largest score that can be drawn."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Trials(NamedSystems):
    """Scores of one or several systems on the same trials.

    Parameters
    ----------
    scores : ndarray of float
        One row per trial, one column per system; float32 or float64, higher means more genuine, never NaN; shape
        (trials, systems).
    genuine : ndarray of bool
        Whether the claim of each trial is true; shape (trials,).
    systems : tuple of str
        The names of the systems, in the order of the columns.
    claim : Ids, optional
        The claimed identity of each trial.
    subject : Ids, optional
        Who the probe really is.
    model : Ids, optional
        The label of the enrolled template.
    probe : Ids, optional
        The label of the probe.
    notes : tuple of Note or str, default ()
        What the reader of a report should know: trials left out, policies used.
    columns : dict of str to Ids or ndarray, default {}
        Further columns by name, such as gender, quality or attack; one entry per trial.

    Raises
    ------
    TrialsError
        If arrays do not fit each other, a score is NaN, or two systems have the same name.

    Notes
    -----
    A trial is accepted where its score is greater than the threshold. Infinite scores are legal. Trials that share a
    claim or a subject are dependent, and intervals and tests account for it.

    Examples
    --------
    >>> import numpy as np
    >>> trials = Trials(np.array([[0.9, 3.1], [0.2, 1.4]]), np.array([True, False]), ("face", "voice"))
    >>> trials.select(["voice"]).column()
    array([3.1, 1.4])
    """

    scores: NDArray[np.floating]
    genuine: NDArray[np.bool_]
    systems: tuple[str, ...]
    claim: IdColumn | None = None
    subject: IdColumn | None = None
    model: IdColumn | None = None
    probe: IdColumn | None = None
    notes: tuple[Any, ...] = ()  # notes, and texts as long as there are such
    columns: dict[str, Further] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("scores", "genuine", *ID_FIELDS):
            value, is_id = getattr(self, name), name in ID_FIELDS
            if value is not None and not (hasattr(value, "numbered") if is_id else isinstance(value, np.ndarray)):
                kind = "Ids" if is_id else "an array"
                raise TrialsError(
                    f"{name} must be {kind}, not {type(value).__name__}; Trials.from_arrays takes any sequence"
                )
        if self.scores.ndim != 2 or self.scores.shape[1] != len(self.systems):
            raise TrialsError(
                f"scores of shape {self.scores.shape} do not fit {plural(len(self.systems), 'system')}: "
                "there must be one column per system"
            )
        if self.scores.dtype not in (np.float32, np.float64):
            raise TrialsError(f"scores must be float32 or float64, not {self.scores.dtype}")
        if self.genuine.dtype != np.bool_:
            raise TrialsError(f"genuine must be a boolean array, not {self.genuine.dtype}")
        for name, entries in {"genuine": self.genuine, **self.ids, **self.columns}.items():
            if len(entries) != len(self.scores):
                raise TrialsError(f"{len(entries)} entries in {name}, but {len(self.scores)} trials")
        if len(set(self.systems)) < len(self.systems):
            repeated = sorted({name for name in self.systems if self.systems.count(name) > 1})
            raise TrialsError(f"two systems have the same name: {', '.join(repeated)}; give each its own")
        if self.scores.size and np.isnan(np.min(self.scores)):
            row, column = (int(place[0]) for place in np.nonzero(np.isnan(self.scores)))
            raise TrialsError(
                "the score of system {system} in trial {trial} is NaN: drop trials without a score, or reject them "
                "({nan!p})",
                code="nan",
                system=self.systems[column],
                trial=row + 1,
                nan="drop",
            )

    @classmethod
    def from_arrays(
        cls,
        scores: ArrayLike,
        genuine: ArrayLike,
        *,
        systems: Sequence[str] | None = None,
        claim: Iterable[Any] | IdColumn | None = None,
        subject: Iterable[Any] | IdColumn | None = None,
        model: Iterable[Any] | IdColumn | None = None,
        probe: Iterable[Any] | IdColumn | None = None,
        nan: NanPolicy = "error",
        notes: Sequence[Any] = (),
        columns: Mapping[str, Iterable[Any] | Further] | None = None,
    ) -> Trials:
        """Build trials from plain arrays; ids are any values that print as names.

        Parameters
        ----------
        scores : array_like
            Scores of shape (trials,) or (trials, systems); higher means more genuine.
        genuine : array_like
            Whether the claim of each trial is true; boolean, shape (trials,).
        systems : sequence of str, optional
            The names of the systems, in the order of the columns; numbered if not given.
        claim, subject, model, probe : iterable or Ids, optional
            One id per trial: the claimed identity, who the probe really is, the enrolled template, the probe.
        nan : {"error", "drop", "reject"}, default "error"
            Treatment of trials without a score: ``error`` raises an error; ``drop`` leaves the trial out for all
            systems; ``reject`` rejects it, by a score of -inf.
        notes : sequence of Note or str, default ()
            What the reader of a report should know.
        columns : dict of str to iterable, optional
            Further columns by name, one value per trial: numbers stay numbers, other values become texts.

        Returns
        -------
        Trials
            The trials, with a note on what was dropped or rejected.

        Raises
        ------
        TrialsError
            If arrays do not fit each other, scores are not numbers, or a score is missing.

        Examples
        --------
        >>> trials = Trials.from_arrays([0.9, 0.2, 0.4], [True, False, False], claim=["a", "a", "b"])
        >>> trials
        <Trials: 3 trials (1 genuine, 2 impostor), 1 system: system; ids: claim>
        """
        table = _score_table(scores)
        if systems is None:
            systems = ["system"] if table.shape[1] == 1 else [f"system {k + 1}" for k in range(table.shape[1])]
        table, keep, nan_notes = _apply_nan_policy(table, nan)
        encoded: dict[str, Any] = {
            name: (column if hasattr(column, "numbered") else Ids.of(column))
            for name, column in zip(ID_FIELDS, (claim, subject, model, probe), strict=True)
            if column is not None
        }
        flags = np.asarray(genuine)
        if flags.dtype != np.bool_ or flags.ndim != 1:
            raise TrialsError(f"genuine must be a one-dimensional boolean array, not {flags.dtype}, {flags.ndim}-d")
        further = {name: _further(column) for name, column in (columns or {}).items()}
        if keep is not None:
            if any(len(column) != len(keep) for column in (flags, *encoded.values(), *further.values())):
                raise TrialsError("scores, genuine, ids and further columns must have one entry per trial")
            flags = flags[keep]
            encoded = {name: column[keep] for name, column in encoded.items()}
            further = {name: column[keep] for name, column in further.items()}
        return cls(table, flags, tuple(systems), notes=(*notes, *nan_notes), columns=further, **encoded)

    @classmethod
    def concat(cls, parts: Sequence[Trials]) -> Trials:
        """Concatenate the trials of several sets; the same name is the same person.

        Parameters
        ----------
        parts : sequence of Trials
            Sets of trials of the same systems in the same order, at least one.

        Returns
        -------
        Trials
            All trials, with the ids and further columns that every part has and the notes of all.

        Raises
        ------
        TrialsError
            If parts hold different systems, or there is no part.

        Examples
        --------
        >>> part = Trials.from_arrays([0.9, 0.2], [True, False], claim=["a", "b"])
        >>> Trials.concat([part, part])
        <Trials: 4 trials (2 genuine, 2 impostor), 1 system: system; ids: claim>
        """
        if not parts:
            raise TrialsError("there must be at least one set of trials to put together")
        systems = parts[0].systems
        for part in parts:
            if part.systems != systems:
                raise TrialsError(
                    f"trials of {listed(part.systems)} cannot be added to trials of {listed(systems)}: "
                    "select the same systems in the same order first"
                )
        shared = [name for name in ID_FIELDS if all(name in part.ids for part in parts)]
        ids: dict[str, Any] = {name: Ids.concat([part.ids[name] for part in parts]) for name in shared}
        notes = dict.fromkeys(note for part in parts for note in part.notes)
        common = [name for name in parts[0].columns if all(name in part.columns for part in parts)]
        further = {name: concat_further([part.columns[name] for part in parts]) for name in common}
        if lost := sorted({name for part in parts for name in part.columns} - further.keys()):
            notes[f"columns that not all parts have were left out: {listed(lost)}"] = None
        scores, genuine = (np.concatenate([getattr(part, name) for part in parts]) for name in ("scores", "genuine"))
        return cls(scores, genuine, systems, notes=tuple(notes), columns=further, **ids)

    def __len__(self) -> int:
        return len(self.genuine)

    def __repr__(self) -> str:
        genuine = int(np.count_nonzero(self.genuine))
        further = f"; further columns: {listed(self.columns)}" if self.columns else ""
        return (
            f"<Trials: {plural(len(self), 'trial')} ({genuine:,} genuine, {len(self) - genuine:,} impostor), "
            f"{plural(len(self.systems), 'system')}: {listed(self.systems)}; "
            f"ids: {', '.join(self.ids) or 'none'}{further}>"
        )

    def _repr_html_(self) -> str:
        genuine = int(np.count_nonzero(self.genuine))
        from fairtrial.core.tables import Column, Table

        counts = (Column("genuine", "genuine", "count"), Column("impostor", "impostor", "count"))
        columns = (*counts, Column("systems", "systems"), Column("ids", "ids"))
        row = (genuine, len(self) - genuine, ", ".join(self.systems), ", ".join(self.ids) or "none")
        return Table("trials", "trials", columns, (row,), self.notes).to_html()

    @property
    def ids(self) -> dict[str, IdColumn]:
        """The id columns of these trials, by role."""
        return {name: column for name in ID_FIELDS if (column := getattr(self, name)) is not None}

    def column(self, system: str | None = None) -> NDArray[np.floating]:
        """Return the scores of one system, shape (trials,); of the only one without a name."""
        return self.scores[:, self.systems.index(self.check_system(system))]

    def select(self, systems: Sequence[str]) -> Trials:
        """Select systems by their names, in this order."""
        columns = [self.systems.index(self.check_system(system)) for system in systems]
        return replace(self, scores=self.scores[:, columns], systems=tuple(systems))

    def rows(self, rows: NDArray[Any]) -> Trials:
        """Select trials, in this order: `rows` are indices, or a mask with one entry per trial."""
        ids: dict[str, Any] = {name: column[rows] for name, column in self.ids.items()}
        further = {name: column[rows] for name, column in self.columns.items()}
        return replace(self, scores=self.scores[rows], genuine=self.genuine[rows], columns=further, **ids)

    def renamed(self, systems: Sequence[str]) -> Trials:
        """Rename the systems: one name per system, or a TrialsError."""
        if len(systems) != len(self.systems):
            raise TrialsError(
                f"{plural(len(systems), 'name')} for {plural(len(self.systems), 'system')} ({', '.join(self.systems)})"
            )
        return replace(self, systems=tuple(systems))

    def with_notes(self, *notes: Any) -> Trials:
        """Append notes: what the reader should know."""
        return replace(self, notes=(*self.notes, *notes))


def _score_table(scores: ArrayLike) -> NDArray[np.floating]:
    table = np.asarray(scores)
    if table.dtype.kind not in "fiub" and table.size:
        raise TrialsError(f"scores must be numbers, not {table.dtype}")
    if table.ndim not in (1, 2):
        raise TrialsError(f"scores must be one or two dimensions, not of shape {table.shape}")
    table = table if table.dtype == np.float32 else table.astype(np.float64, copy=False)
    return table[:, None] if table.ndim == 1 else table


def _further(values: Any) -> Further:
    if hasattr(values, "numbered"):
        return cast(IdColumn, values)
    array = np.asarray(values if hasattr(values, "__len__") else list(values))
    return array if array.ndim == 1 and array.dtype.kind in "fiu" else Ids.of(array.tolist())


def concat_further(parts: Sequence[Further]) -> Further:
    """Concatenate a further column of several sets: numbers, if it has numbers in all of them."""
    arrays = [part for part in parts if isinstance(part, np.ndarray)]
    if len(arrays) == len(parts):
        return np.concatenate(arrays)
    return Ids.concat([Ids.of(part.tolist()) if isinstance(part, np.ndarray) else part for part in parts])


def _apply_nan_policy(
    scores: NDArray[np.floating], policy: NanPolicy
) -> tuple[NDArray[np.floating], NDArray[np.bool_] | None, tuple[str, ...]]:
    """Remove NaN: return the scores, a mask of the remaining trials (None: all) and a note."""
    check_choice("nan", policy, get_args(NanPolicy))
    if policy == "error" or not scores.size or not np.isnan(np.min(scores)):
        return scores, None, ()
    missing = np.isnan(scores)
    if policy == "reject":
        note = f"{plural(int(missing.sum()), 'missing score')} taken as rejected"
        return np.where(missing, scores.dtype.type(-np.inf), scores), None, (note,)
    keep = ~missing.any(axis=1)
    return scores[keep], keep, (f"dropped {plural(int((~keep).sum()), 'trial')} without a score",)


def check_drawable(scores: NDArray[np.floating]) -> None:
    """Refuse scores so large that sums and differences of them are infinite."""
    if np.max(np.abs(scores), initial=0.0) > _LARGE:
        raise TrialsError(
            "scores from {low:g} to {high:g} are too large to be drawn; scale them",
            code="scores-too-large",
            low=float(np.min(scores)),
            high=float(np.max(scores)),
        )


@runtime_checkable
class Frame(Protocol):
    """A data frame of any library: named columns, one row per trial."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Return the table as a stream of Arrow's C interface."""
        ...


TrialsLike: TypeAlias = Trials | Frame
"""Trials, or a data frame that is read as `read_frame` reads it."""


def trials_of(data: TrialsLike, what: str) -> Trials:
    """Return trials unchanged, or read them from a data frame; `what` names them in errors."""
    if isinstance(data, Trials):
        return data
    if not isinstance(data, Frame):
        if isinstance(data, NamedSystems):
            template = "{what} must be trials in memory, not {kind}, which evaluate, compare and epc take"
            kind = "trials in pieces" if getattr(data, "has_scores", True) else "counts"
            raise TrialsError(template, code="needs-trials", what=what, kind=kind)
        raise TrialsError(f"{what} must be Trials or a data frame, not {type(data).__name__}")
    from fairtrial.formats.frames import read_frame  # readers are loaded for the first data frame

    try:
        return read_frame(data, name=f"{what}, a data frame")
    except (InputError, TrialsError) as error:
        hint = " (such options are those of read_frame)" if "=" in str(error) else ""
        raise type(error)(f"{error}{hint}") from error


def sorted_rows(trials: Trials) -> NDArray[np.int64]:
    """Sort trials by claim, subject, probe, class and scores, so that draws do not depend on the order of rows."""
    ids = [recode([trials.ids[role]])[0] for role in ("probe", "subject", "claim") if role in trials.ids]
    return np.lexsort((*trials.scores.T, trials.genuine, *ids))
