"""From several systems to one: normalisation, fusion methods, and what they gain."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
