"""Convert score files from one format to another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from fairtrial.core.notes import Note
from fairtrial.core.results import Field, Result
from fairtrial.core.tables import Table
from fairtrial.core.trials import Trials
from fairtrial.formats.files import PathLike, Progress, check_place
from fairtrial.formats.read import read_trials, write_trials


@dataclass(frozen=True, slots=True, repr=False)
class Conversion(Result):
    """A score file that was written.

    Attributes
    ----------
    trials : Trials
        What it holds.
    out : str
        Its name.
    notes : tuple of Note or str
        What the reader should know.
    """

    FIELDS: ClassVar = (
        *(Field("out"), Field("systems", get="trials.systems"), Field("genuine"), Field("impostor")),
        *(Field("columns", get=lambda result: list(result.trials.columns)), Field("notes")),
    )
    trials: Trials
    out: str
    notes: tuple[Note | str, ...]

    @property
    def genuine(self) -> int:
        """The number of genuine trials."""
        return int(self.trials.genuine.sum())

    @property
    def impostor(self) -> int:
        """The number of impostor trials."""
        return len(self.trials) - self.genuine

    def answer(self) -> str:
        """Give what was written."""
        trials = f"{self.genuine:,} genuine and {self.impostor:,} impostor trials"
        return f"{self.out}: {trials}, systems {', '.join(self.trials.systems)}"

    def tables(self) -> tuple[Table, ...]:
        """Give no rows, only the notes."""
        return (Table("trials", "", (), (), self.notes),)


def convert_files(
    paths: Sequence[PathLike] | Trials,
    out: PathLike,
    *,
    to: str | None = None,
    progress: Progress | None = None,
    **reading: Any,
) -> Conversion:
    """Convert score files from one format to another, without losing a digit.

    Parameters
    ----------
    paths : sequence of path-like, or Trials
        Score files; several are several systems, and their trials are aligned by their ids. Or the trials themselves.
    out : path-like
        The file to write; its ending says the format: .csv, .tsv, .parquet, .npz, .txt, and .gz or .zst after it.
    to : str, optional
        The format to write (csv, tsv, parquet, npz, bob4, bob5), if the ending should not tell.
    progress : callable, optional
        Called with the number of bytes read.
    **reading : object
        The fields of `ReadOptions`.

    Returns
    -------
    Conversion
        What was written.
    """
    check_place(out)
    trials = paths if isinstance(paths, Trials) else read_trials(paths, progress=progress, **reading)
    return Conversion(trials, str(out), (*trials.notes, *write_trials(trials, out, format=to)))
