"""Draw results with matplotlib: each function takes a result and ax=None and returns the Axes."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
