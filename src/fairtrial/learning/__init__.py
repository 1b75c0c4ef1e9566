"""Figures in the training loops of other libraries, in their manners and without importing them."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
