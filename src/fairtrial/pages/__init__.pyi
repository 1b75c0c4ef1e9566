"""Write self-contained pages of results."""

from .results import page_of

__all__ = ["page_of"]
