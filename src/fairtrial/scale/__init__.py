"""Beyond memory: counters that are fed, merged and saved, and figures with guaranteed bounds from them."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
