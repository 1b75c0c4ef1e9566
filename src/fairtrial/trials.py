"""Trials: the scores that one or several systems gave to the same comparisons, and who was compared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairtrial.errors import ParameterError, TrialsError, listed
from fairtrial.tables import Column, Table, plural

NanPolicy: TypeAlias = Literal["error", "drop", "reject"]
ID_FIELDS = ("claim", "subject", "model", "probe")


class IdColumn(Protocol):
    """One name a trial, however it is kept."""

    def __len__(self) -> int: ...

    def __getitem__(self, rows: Any) -> IdColumn: ...

    def name(self, row: int) -> str:
        """The name at one row."""
        ...

    def decode(self) -> NDArray[np.object_]:
        """One name a row."""
        ...

    def same_as(self, other: IdColumn) -> bool:
        """Whether both have the same name in every row."""
        ...

    def holds(self, name: str) -> bool:
        """Whether some row has this name."""
        ...

    def numbered(self) -> Ids:
        """The names as numbers into a table."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Ids:
    """One name a trial, kept as a small integer into a table of distinct names."""

    codes: NDArray[np.int32]
    names: NDArray[np.object_]

    @classmethod
    def of(cls, values: Iterable[Any]) -> Ids:
        """Number the names in the order they first occur."""
        table: dict[str, int] = {}
        codes = np.fromiter((table.setdefault(str(value), len(table)) for value in values), dtype=np.int32)
        return cls(codes, object_array(list(table)))

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: Any) -> Ids:
        return Ids(self.codes[rows], self.names)

    def name(self, row: int) -> str:
        """The name at one row."""
        return str(self.names[self.codes[row]])

    def decode(self) -> NDArray[np.object_]:
        """One name a row."""
        return self.names[self.codes]

    def numbered(self) -> Ids:
        """Itself."""
        return self

    def same_as(self, other: IdColumn) -> bool:
        """Whether both have the same name in every row."""
        return len(self) == len(other) and bool(self.equals(other.numbered()).all())

    def holds(self, name: str) -> bool:
        """Whether some row has this name."""
        codes = [code for code, known in enumerate(self.names) if known == name]
        return bool(np.isin(self.codes, codes).any()) if codes else False

    def equals(self, other: Ids) -> NDArray[np.bool_]:
        """Where both have the same name."""
        same: NDArray[np.bool_] = self.codes == recode([self, other])[1]
        return same


def object_array(values: Sequence[str]) -> NDArray[np.object_]:
    """A one-dimensional array of strings, also of none."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def recode(columns: Sequence[IdColumn]) -> list[NDArray[np.int64]]:
    """Codes of several id columns on one common table: equal codes mean equal names, the first's are kept."""
    parts = [column.numbered() for column in columns]
    table: dict[str, int] = {name: code for code, name in enumerate(parts[0].names)}
    codes = [parts[0].codes.astype(np.int64)]
    for part in parts[1:]:
        mapping = np.fromiter((table.setdefault(name, len(table)) for name in part.names), np.int64, len(part.names))
        codes.append(mapping[part.codes])
    return codes


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Trials:
    """Scores of one or several systems on the same trials.

    Parameters
    ----------
    scores
        One row a trial, one column a system; float32 or float64, higher = more genuine, never NaN.
    genuine
        Whether the claim of each trial is true.
    systems
        The systems' names.
    claim, subject
        The claimed identity and who the probe really is, where known.
    model, probe
        Labels of the enrolled template and of the probe, where known.
    notes
        What the reader of a report should know: trials left out, policies used.
    """

    scores: NDArray[np.floating]
    genuine: NDArray[np.bool_]
    systems: tuple[str, ...]
    claim: IdColumn | None = None
    subject: IdColumn | None = None
    model: IdColumn | None = None
    probe: IdColumn | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.scores.ndim != 2 or self.scores.shape[1] != len(self.systems):
            raise TrialsError(
                f"scores of shape {self.scores.shape} do not fit {len(self.systems)} systems: one column a system"
            )
        if self.scores.dtype not in (np.float32, np.float64):
            raise TrialsError(f"scores must be float32 or float64, not {self.scores.dtype}")
        if self.genuine.dtype != np.bool_:
            raise TrialsError(f"genuine must be a boolean array, not {self.genuine.dtype}")
        for name in ("genuine", *ID_FIELDS):
            column = getattr(self, name)
            if column is not None and len(column) != len(self.scores):
                raise TrialsError(f"{len(column)} entries in {name}, but {len(self.scores)} trials")
        repeated = sorted({name for name in self.systems if self.systems.count(name) > 1})
        if repeated:
            raise TrialsError(f"two systems have the same name: {', '.join(repeated)}; give each its own")
        if self.scores.size and np.isnan(np.min(self.scores)):
            row, column = (int(place[0]) for place in np.nonzero(np.isnan(self.scores)))
            raise TrialsError(
                f"the score of system {self.systems[column]} in trial {row + 1} is NaN: "
                "choose what a trial without a score is, nan='drop' or nan='reject'"
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
        notes: Sequence[str] = (),
    ) -> Trials:
        """Build trials from plain arrays; ids are any values that print as names.

        Parameters
        ----------
        nan
            What a trial without a score is: an ``error``; ``drop`` leaves the trial out for all systems;
            ``reject`` makes it a rejected one, a score of -inf.

        Examples
        --------
        >>> trials = Trials.from_arrays([0.9, 0.2, 0.4], [True, False, False], claim=["a", "a", "b"])
        >>> len(trials), trials.systems
        (3, ('system',))
        """
        columns = np.asarray(scores)
        if columns.dtype.kind not in "fiub" and columns.size:
            raise TrialsError(f"scores must be numbers, not {columns.dtype}")
        if columns.dtype != np.float32:
            columns = columns.astype(np.float64, copy=False)
        if columns.ndim == 1:
            columns = columns[:, None]
        if columns.ndim != 2:
            raise TrialsError(f"scores must be one or two dimensions, not of shape {columns.shape}")
        if systems is None:
            systems = ["system"] if columns.shape[1] == 1 else [f"system {k + 1}" for k in range(columns.shape[1])]
        columns, keep, more = apply_nan_policy(columns, nan)
        encoded: dict[str, Any] = {
            name: (column if hasattr(column, "numbered") else Ids.of(column))
            for name, column in zip(ID_FIELDS, (claim, subject, model, probe), strict=True)
            if column is not None
        }
        flags = np.asarray(genuine)
        if flags.dtype != np.bool_ or flags.ndim != 1:
            raise TrialsError(f"genuine must be a one-dimensional boolean array, not {flags.dtype}, {flags.ndim}-d")
        if keep is not None:
            if any(len(column) != len(keep) for column in (flags, *encoded.values())):
                raise TrialsError("scores, genuine and ids must have one entry a trial")
            flags = flags[keep]
            encoded = {name: column[keep] for name, column in encoded.items()}
        return cls(columns, flags, tuple(systems), notes=(*notes, *more), **encoded)

    def __len__(self) -> int:
        return len(self.genuine)

    def __repr__(self) -> str:
        genuine = int(np.count_nonzero(self.genuine))
        return (
            f"<Trials: {plural(len(self), 'trial')} ({genuine:,} genuine, {len(self) - genuine:,} impostor), "
            f"{plural(len(self.systems), 'system')}: {listed(self.systems)}; ids: {', '.join(self.ids) or 'none'}>"
        )

    def _repr_html_(self) -> str:
        genuine = int(np.count_nonzero(self.genuine))
        columns = (
            Column("genuine", "genuine", "count"),
            Column("impostor", "impostor", "count"),
            Column("systems", "systems"),
            Column("ids", "ids"),
        )
        row = (genuine, len(self) - genuine, ", ".join(self.systems), ", ".join(self.ids) or "none")
        return Table("trials", "trials", columns, (row,), self.notes).to_html()

    @property
    def ids(self) -> dict[str, IdColumn]:
        """The id columns that are known."""
        return {name: column for name in ID_FIELDS if (column := getattr(self, name)) is not None}

    def column(self, system: str | None = None) -> NDArray[np.floating]:
        """The scores of one system; it need not be named where there is only one."""
        if system is None:
            if len(self.systems) != 1:
                raise TrialsError(f"there are {len(self.systems)} systems: name one of {', '.join(self.systems)}")
            return self.scores[:, 0]
        return self.scores[:, self.systems.index(self.check_system(system))]

    def check_system(self, system: str) -> str:
        """The name itself, if there is such a system."""
        if system not in self.systems:
            raise TrialsError(f"there is no system {system!r}; there are {', '.join(self.systems)}")
        return system

    def select(self, systems: Sequence[str]) -> Trials:
        """The same trials with these systems only, in this order."""
        columns = [self.systems.index(self.check_system(system)) for system in systems]
        return replace(self, scores=self.scores[:, columns], systems=tuple(systems))

    def rows(self, rows: NDArray[Any]) -> Trials:
        """The trials at these rows, by index or mask."""
        ids: dict[str, Any] = {name: column[rows] for name, column in self.ids.items()}
        return replace(self, scores=self.scores[rows], genuine=self.genuine[rows], **ids)

    def renamed(self, systems: Sequence[str]) -> Trials:
        """The same trials with other names for the systems."""
        if len(systems) != len(self.systems):
            raise TrialsError(f"{len(systems)} names for {len(self.systems)} systems ({', '.join(self.systems)})")
        return replace(self, systems=tuple(systems))

    def with_notes(self, *notes: str) -> Trials:
        """The same trials with more notes."""
        return replace(self, notes=(*self.notes, *notes))


def apply_nan_policy(
    scores: NDArray[np.floating], policy: NanPolicy
) -> tuple[NDArray[np.floating], NDArray[np.bool_] | None, tuple[str, ...]]:
    """Scores without NaN, which trials are kept (None: all of them) and a note on what was done."""
    if policy not in get_args(NanPolicy):
        raise ParameterError(f"nan must be one of {', '.join(get_args(NanPolicy))}, not {policy!r}")
    if policy == "error" or not scores.size or not np.isnan(np.min(scores)):
        return scores, None, ()
    missing = np.isnan(scores)
    if policy == "reject":
        note = f"{int(missing.sum())} scores were missing and count as rejected"
        return np.where(missing, scores.dtype.type(-np.inf), scores), None, (note,)
    keep = ~missing.any(axis=1)
    return scores[keep], keep, (f"{int((~keep).sum())} trials without a score were dropped",)


def check_same_systems(dev: Any, test: Any) -> None:
    """Raise an error where dev and test are trials of different systems."""
    if isinstance(dev, Trials) and isinstance(test, Trials) and set(dev.systems) != set(test.systems):
        only = [
            f"{listed(sorted(set(a.systems) - set(b.systems)))} in {name} only"
            for a, b, name in ((dev, test, "dev"), (test, dev, "test"))
            if set(a.systems) - set(b.systems)
        ]
        raise TrialsError(f"dev and test hold different systems: {'; '.join(only)}; select or rename the systems")
