"""Measure how good a verification system is, how certain that is, and whether another is really better.

The public names are listed in ``__init__.pyi``; each is loaded when it is first used, so that the command
line starts at once.
"""

import lazy_loader

__version__ = "0.2.0"

_load, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> object:
    try:
        return _load(name)
    except AttributeError as error:
        from fairtrial.core.words import nearest

        hint = "" if name.startswith("_") else nearest(name, __all__)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}") from error
