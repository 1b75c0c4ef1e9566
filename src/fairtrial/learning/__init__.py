"""Metrics for training loops, with the interfaces of scikit-learn and torch, and without importing torch."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
