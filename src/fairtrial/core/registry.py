"""Registries: objects by name, and those that other packages add.

A package adds a criterion, say, by an entry point in its ``pyproject.toml``::

    [project.entry-points."fairtrial.criteria"]
    youden = "its_module:YOUDEN"

Its module is loaded when that name is looked up, or when all names are listed, and not before.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, MutableMapping
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Generic, TypeVar

from fairtrial.core.errors import ParameterError
from fairtrial.core.words import cut, nearest, shown

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


Item = TypeVar("Item")

_left_out: dict[str, None] = {}


def left_out_plugins() -> tuple[str, ...]:
    """List the plugins that were left out so far, each with the reason."""
    return tuple(_left_out)


class Registry(MutableMapping[str, Item], Generic[Item]):
    """Objects by name: those of fairtrial, those registered in this process, and those of other packages.

    Registered objects come before those of other packages, so that none of them changes what a name means. An object
    that cannot be loaded is left out with a warning when names are listed, and raises an error when it is looked up.

    Parameters
    ----------
    what
        The noun for one object, such as ``criterion``.
    group
        The entry points of other packages are those of ``fairtrial.GROUP``.
    kind
        The class of the objects; None for any function.
    known
        The objects of fairtrial by name.

    Examples
    --------
    >>> colours = Registry("colour", "colours", str, {"red": "#f00"})
    >>> colours["green"] = "#0f0"
    >>> list(colours), "blue" in colours
    (['red', 'green'], False)
    """

    def __init__(
        self, what: str, group: str, kind: type[Item] | None = None, known: Mapping[str, Item] | None = None
    ) -> None:
        self._what = what
        self._group = f"fairtrial.{group}"
        self._kind = kind
        self._registered: dict[str, Item] = dict(known or {})
        self._loaded: dict[str, Item] = {}

    @property
    def registered(self) -> Mapping[str, Item]:
        """The objects of fairtrial and of this process."""
        return MappingProxyType(self._registered)

    def find(self, name: object) -> Item:
        """Look up an object by name.

        Raises
        ------
        ParameterError
            If the name is unknown; it suggests the nearest one, or lists all.

        Examples
        --------
        >>> Registry("colour", "colours", str, {"red": "#f00"}).find("blue")
        Traceback (most recent call last):
            ...
        fairtrial.core.errors.ParameterError: there is no colour 'blue'; there are red
        """
        if not isinstance(name, str) or name not in self:
            names = list(self)
            raise ParameterError(
                f"there is no {self._what} {{name:quoted}}{{instead}}",
                code="unknown",
                name=name,
                names=names,
                instead=nearest(name, names) or f"; there are {', '.join(names)}",
            )
        return self[name]

    @cached_property
    def _offered(self) -> dict[str, EntryPoint]:
        """Entry points of other packages by name; of two with one name that of the first package by alphabet."""
        from importlib.metadata import entry_points

        entries: dict[str, EntryPoint] = {}
        for entry in sorted(entry_points(group=self._group), key=lambda entry: (entry.name, _package(entry))):
            first = entries.setdefault(entry.name, entry)
            if entry.name in self._registered or (first is not entry and _package(first) != _package(entry)):
                owner = "fairtrial" if entry.name in self._registered else _package(first)
                _leave_out(f"the {self._what} {shown(entry.name)} of {_package(entry)} is not used, as {owner} has one")
        return entries

    def __getitem__(self, name: str) -> Item:
        if name in self._registered:
            return self._registered[name]
        if name not in self._loaded:
            self._loaded[name] = self._load(self._offered[name])
        return self._loaded[name]

    def _load(self, entry: EntryPoint) -> Item:
        try:
            item = entry.load()
        except (Exception, SystemExit) as error:  # whatever another package does when it is loaded
            raise self._error(entry, f"{type(error).__name__}: {cut(error, 200)}") from error
        if not (callable(item) if self._kind is None else isinstance(item, self._kind)):
            expected = "a function" if self._kind is None else f"a {self._kind.__name__}"
            raise self._error(entry, f"{entry.value} is not {expected} but a {type(item).__name__}")
        name: str = getattr(item, "name", entry.name)
        if name != entry.name:
            raise self._error(entry, f"{entry.value} calls itself {shown(name)}")
        return item  # type: ignore[no-any-return]

    def _error(self, entry: EntryPoint, why: str) -> ParameterError:
        package = _package(entry)
        return ParameterError(
            f"the {self._what} {shown(entry.name)} of {package} cannot be used: {why}; update that package, or "
            "uninstall it"
        )

    def __contains__(self, name: object) -> bool:
        return name in self._registered or name in self._offered

    def __iter__(self) -> Iterator[str]:
        yield from list(self._registered)
        for name in self._offered:
            if name not in self._registered:
                try:
                    self[name]
                except ParameterError as error:
                    _leave_out(str(error))
                else:
                    yield name

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __setitem__(self, name: str, item: Item) -> None:
        self._registered[name] = item

    def __delitem__(self, name: str) -> None:
        del self._registered[name]

    def clear(self) -> None:
        """Remove all objects but those of other packages."""
        self._registered.clear()


def _package(entry: EntryPoint) -> str:
    return "an unnamed package" if entry.dist is None else f"{entry.dist.name} {entry.dist.version}"


def _leave_out(message: str) -> None:
    if message not in _left_out:
        _left_out[message] = None
        warnings.warn(message, stacklevel=3)
