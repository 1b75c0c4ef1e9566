"""Error rates by group: one threshold for all, simultaneous intervals, differences, summaries."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
