"""Read and write score files: one file per format, one registry."""

from .alignment import align
from .files import Head, PathLike, Progress, expand, list_directory, read_head, write_whole
from .frames import Frame, TrialsLike, read_frame, trials_of
from .identities import SPACES, as_options, finish_checked, said
from .read import read_pair, read_trials, write_trials
from .registry import FORMATS, Format, check_options, find_format, register_format, told_by_content, told_by_name
from .results import write_tables
from .sheets import ReadOptions, Sheet

__all__ = [
    "FORMATS",
    "SPACES",
    "Format",
    "Frame",
    "Head",
    "PathLike",
    "Progress",
    "ReadOptions",
    "Sheet",
    "TrialsLike",
    "align",
    "as_options",
    "check_options",
    "expand",
    "find_format",
    "finish_checked",
    "list_directory",
    "read_frame",
    "read_head",
    "read_pair",
    "read_trials",
    "register_format",
    "said",
    "told_by_content",
    "told_by_name",
    "trials_of",
    "write_tables",
    "write_trials",
    "write_whole",
]
