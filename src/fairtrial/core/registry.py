"""What is known by name, and what other packages add to it.

A package adds a criterion, say, by an entry point in its ``pyproject.toml``::

    [project.entry-points."fairtrial.criteria"]
    youden = "its_module:YOUDEN"

Its module is loaded when that name is asked for, or when all names are listed, and not before.
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


Known = TypeVar("Known")

_left_out: dict[str, None] = {}


def left_out_plugins() -> tuple[str, ...]:
    """What was left out of lists of names so far, and why."""
    return tuple(_left_out)


class Registry(MutableMapping[str, Known], Generic[Known]):
    """Things by their names: those of fairtrial, those registered in this process, and those of other packages.

    What is here comes before what other packages offer, so none of them changes what a known name means. A package that
    cannot be used is left out with a warning where all names are listed, and ends in an error where its name is asked
    for.

    Parameters
    ----------
    what
        What one of them is called, such as ``criterion``.
    group
        The entry points of other packages are those of ``fairtrial.GROUP``.
    kind
        What an entry point must give; None for any function.
    known
        Those that fairtrial has.

    Examples
    --------
    >>> colours = Registry("colour", "colours", str, {"red": "#f00"})
    >>> colours["green"] = "#0f0"
    >>> list(colours), "blue" in colours
    (['red', 'green'], False)
    """

    def __init__(
        self, what: str, group: str, kind: type[Known] | None = None, known: Mapping[str, Known] | None = None
    ) -> None:
        self._what = what
        self._group = f"fairtrial.{group}"
        self._kind = kind
        self._here: dict[str, Known] = dict(known or {})
        self._loaded: dict[str, Known] = {}

    @property
    def registered(self) -> Mapping[str, Known]:
        """Those that are here without another package."""
        return MappingProxyType(self._here)

    def find(self, name: object) -> Known:
        """Give what is known by a name.

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
            known = list(self)
            raise ParameterError(
                f"there is no {self._what} {{name:quoted}}{{instead}}",
                code="unknown",
                name=name,
                names=known,
                instead=nearest(name, known) or f"; there are {', '.join(known)}",
            )
        return self[name]

    @cached_property
    def _offered(self) -> dict[str, EntryPoint]:
        """What other packages offer, by name; of two of one name the package that comes first in the alphabet."""
        from importlib.metadata import entry_points

        found: dict[str, EntryPoint] = {}
        for entry in sorted(entry_points(group=self._group), key=lambda entry: (entry.name, _package(entry))):
            first = found.setdefault(entry.name, entry)
            if entry.name in self._here or (first is not entry and _package(first) != _package(entry)):
                own = "fairtrial has one" if entry.name in self._here else f"{_package(first)} has one"
                _leave_out(f"the {self._what} {shown(entry.name)} of {_package(entry)} is not used, as {own}")
        return found

    def __getitem__(self, name: str) -> Known:
        if name in self._here:
            return self._here[name]
        if name not in self._loaded:
            self._loaded[name] = self._load(self._offered[name])
        return self._loaded[name]

    def _load(self, entry: EntryPoint) -> Known:
        try:
            found = entry.load()
        except (Exception, SystemExit) as error:  # whatever another package does when it is loaded
            raise self._error(entry, f"{type(error).__name__}: {cut(error, 200)}") from error
        fits = callable(found) if self._kind is None else isinstance(found, self._kind)
        if not fits:
            wanted = "a function" if self._kind is None else f"a {self._kind.__name__}"
            raise self._error(entry, f"{entry.value} is not {wanted} but a {type(found).__name__}")
        own: str = getattr(found, "name", entry.name)
        if own != entry.name:
            raise self._error(entry, f"{entry.value} calls itself {shown(own)}")
        return found  # type: ignore[no-any-return]

    def _error(self, entry: EntryPoint, why: str) -> ParameterError:
        package = _package(entry)
        return ParameterError(
            f"the {self._what} {shown(entry.name)} of {package} cannot be used: {why}; update that package, or "
            "uninstall it"
        )

    def __contains__(self, name: object) -> bool:
        return name in self._here or name in self._offered

    def __iter__(self) -> Iterator[str]:
        yield from list(self._here)
        for name in self._offered:
            if name not in self._here:
                try:
                    self[name]
                except ParameterError as error:
                    _leave_out(str(error))
                else:
                    yield name

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __setitem__(self, name: str, value: Known) -> None:
        self._here[name] = value

    def __delitem__(self, name: str) -> None:
        del self._here[name]

    def clear(self) -> None:
        """Forget those that are here; what other packages offer stays."""
        self._here.clear()


def _package(entry: EntryPoint) -> str:
    return "an unnamed package" if entry.dist is None else f"{entry.dist.name} {entry.dist.version}"


def _leave_out(message: str) -> None:
    if message not in _left_out:
        _left_out[message] = None
        warnings.warn(message, stacklevel=3)
