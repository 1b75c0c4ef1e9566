"""Where fusion is measured: sets of systems, fusion protocols, and one call that runs them."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
