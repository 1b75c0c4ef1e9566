"""Scores as evidence: log-likelihood ratios, how good they are, and how to make them of scores."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
