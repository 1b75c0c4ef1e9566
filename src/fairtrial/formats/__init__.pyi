"""Read and write score files: one file per format, one registry."""

from .frames import read_frame
from .read import read_pair, read_trials, write_trials
from .registry import FORMATS, Format, register_format
from .results import write_tables
from .sheets import ReadOptions

__all__ = [
    "FORMATS",
    "Format",
    "ReadOptions",
    "read_frame",
    "read_pair",
    "read_trials",
    "register_format",
    "write_tables",
    "write_trials",
]
