"""From several systems to one: normalisation, fusion methods, and what they gain."""

import lazy_loader

# each of these registers its methods
from fairtrial.fusion import rules, trained  # noqa: F401

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
