"""Measure how good a verification system is, how certain that is, and whether another is really better.

The public names are listed in ``__init__.pyi``; each is loaded when it is first used, so that the command
line starts at once.
"""

import lazy_loader

__version__ = "0.2.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
