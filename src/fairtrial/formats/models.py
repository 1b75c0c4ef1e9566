"""Saved models: names and numbers in JSON, which can be read anywhere and runs no code."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import InputError, ParameterError
from fairtrial.core.schema import Entries, Key, ValueKind, check_entries, only
from fairtrial.core.words import shown
from fairtrial.formats.files import PathLike, read_whole, write_whole

Model = TypeVar("Model")
_SEALS: dict[str, Callable[[bytes], str]] = {
    "sha256": lambda content: hashlib.sha256(content).hexdigest(),
    # of models that fairtrial 0.2 saved
    "checksum": lambda content: hashlib.blake2b(content, digest_size=16).hexdigest(),
}


def _array(value: Any) -> NDArray[np.float64]:
    found = np.asarray(value, dtype=np.float64)
    if not np.isfinite(found).all():
        raise ValueError
    return found


def _threshold(value: Any) -> float:
    if value in ("inf", "-inf"):
        return float(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not np.isfinite(float(value)):
        raise ValueError
    return float(value)


def exact(threshold: float) -> float | str:
    """Give a threshold as JSON has it: an infinite one as text."""
    return threshold if np.isfinite(threshold) else str(threshold)


def _table(value: Any) -> dict[str, Any]:
    """Read a table of any depth whose numbers are finite."""
    entries = [only(dict)(value)]
    while entries:
        entry = entries.pop()
        if isinstance(entry, dict | list):
            entries += entry.values() if isinstance(entry, dict) else entry
        elif isinstance(entry, int | float) and not np.isfinite(float(entry)):
            raise ValueError
    return value  # type: ignore[no-any-return]


NUMBERS = ValueKind("finite numbers", _array)
TABLE = ValueKind("a table of finite numbers and texts", _table)
THRESHOLD = ValueKind("a number, inf or -inf", _threshold)


@dataclass(frozen=True, slots=True)
class ModelFormat:
    """How models of one kind are saved: its name, its version, its keys, and a SHA-256 of what the file says.

    Attributes
    ----------
    kind : str
        What stands in the file under the key ``kind``.
    version : int
        The version that is written and read.
    keys : tuple of Key
        The keys of the model itself.
    """

    kind: str
    version: int
    keys: tuple[Key, ...]

    def save(self, content: Mapping[str, Any], path: PathLike) -> None:
        """Write a model, whole or not at all.

        Raises
        ------
        OutputError
            If the file cannot be written.
        ParameterError
            If a number is not finite.
        """
        from fairtrial import __version__

        whole = {"kind": self.kind, "version": self.version, "made_by": f"fairtrial {__version__}", **content}
        try:
            text = json.dumps({**whole, "sha256": _SEALS["sha256"](_canonical(whole))}, allow_nan=False)
        except ValueError as error:
            raise ParameterError("the model cannot be saved: one of its numbers is not finite") from error
        with write_whole(path) as place:
            place.write_text(text + "\n", encoding="utf-8")

    def load(self, path: PathLike, build: Callable[[Entries], Model]) -> Model:
        """Read a model.

        Parameters
        ----------
        path : str or path-like
            The file, JSON.
        build : callable
            Makes the model of its entries; a ValueError, TypeError, KeyError, IndexError or OverflowError says that
            they do not go together.

        Raises
        ------
        InputError
            If the file cannot be read, is something else, of another version, or damaged.
        """
        data = read_whole(path)
        again = "fit and save the model again"
        try:
            content = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{path}: is not a {self.kind}: it is not valid JSON", code="not-a-model") from error
        if not isinstance(content, dict) or content.get("kind") != self.kind:
            raise InputError(f"{path}: is not a {self.kind}; {again}", code="not-a-model")
        if content.get("version") != self.version:
            version = shown(content.get("version"))
            raise InputError(
                f"{path}: is a model of version {version}, but this fairtrial reads version {self.version}; {again}",
                code="model-version",
            )
        for name, seal in _SEALS.items():
            checksum = content.pop(name, None)
            if checksum is not None and checksum != seal(_canonical(content)):
                raise InputError(
                    f"{path}: is damaged: its checksum does not match its content; {again}, or remove {name!r} if you "
                    "changed the model yourself",
                    code="model-checksum",
                )
        known = {"kind", "version", "made_by", *(key.name for key in self.keys)}
        if not content.keys() <= known:  # perhaps the name of the checksum itself was damaged
            names = sorted(content.keys() - known)
            template = "{path}: is damaged: {names:list} is not a key of a model; {again}"
            raise InputError(template, code="unknown-key", path=str(path), names=names, again=again)
        try:
            return build(check_entries(content, self.keys, str(path), others=True))
        except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
            reason = f"{error} is missing" if isinstance(error, KeyError) else shown(error, 200)
            raise InputError(f"{path}: is damaged: {reason}; {again}", code="model-damaged") from error


class SavedModel(ABC):
    """A model that is saved as names and numbers, and read again."""

    __slots__ = ()
    FORMAT: ClassVar[ModelFormat]

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Give names and numbers, as in the saved file.

        Returns
        -------
        dict
            The content of the file that `save` writes.
        """

    @classmethod
    @abstractmethod
    def from_entries(cls, entries: Entries) -> Self:
        """Make the model of the checked entries of a file.

        Parameters
        ----------
        entries : dict
            A value for every key of the format.

        Returns
        -------
        SavedModel
            The model.

        Raises
        ------
        ValueError, TypeError, KeyError, IndexError or OverflowError
            If the entries do not go together.
        """

    def save(self, path: PathLike) -> None:
        """Write the model to a JSON file, whole or not at all.

        Parameters
        ----------
        path : str or path-like
            The file, JSON.

        Raises
        ------
        OutputError
            If the file cannot be written.
        """
        self.FORMAT.save(self.to_dict(), path)

    @classmethod
    def load(cls, path: PathLike) -> Self:
        """Read a model that was saved.

        Parameters
        ----------
        path : str or path-like
            The file, JSON.

        Returns
        -------
        SavedModel
            The model, which gives the same scores as the one that was saved.

        Raises
        ------
        InputError
            If the file cannot be read, is something else, of another version, or damaged.
        """
        return cls.FORMAT.load(path, cls.from_entries)


def _canonical(content: Mapping[str, Any]) -> bytes:
    """Write the content of a model in one way, however its file is laid out."""
    return json.dumps(content, sort_keys=True).encode()
