"""Everything fairtrial raises on purpose.

    FairtrialError
    ├── InputError        a file that cannot be read as what it should be
    ├── OutputError       a file that cannot be written
    ├── TrialsError       trials that contradict themselves or each other
    └── ParameterError    an argument out of its range (also a ValueError)

The message names the file and the place, what was found, what was expected and what to do.
The command line prints it and ends with exit code 2.
"""


class FairtrialError(Exception):
    """The base of every error that a user can mend."""


class InputError(FairtrialError):
    """A file that cannot be read as what it should be."""


class OutputError(FairtrialError):
    """A file that cannot be written; nothing half-written is left behind."""


class TrialsError(FairtrialError):
    """Trials that contradict themselves or each other, or lack what a method needs."""


class ParameterError(FairtrialError, ValueError):
    """An argument out of its range."""
