"""Errors, notes, words, tables and trials: what every other room stands on."""

from .errors import FairtrialError, InputError, OutputError, ParameterError, TrialsError
from .results import Result
from .tables import Column, Table, join_tables
from .trials import Ids, Trials
from .words import wording

__all__ = [
    "Column",
    "FairtrialError",
    "Ids",
    "InputError",
    "OutputError",
    "ParameterError",
    "Result",
    "Table",
    "Trials",
    "TrialsError",
    "join_tables",
    "wording",
]
