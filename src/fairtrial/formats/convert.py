"""Convert score files from one format to another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fairtrial.core.notes import Note
from fairtrial.core.results import Result, plain
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

    trials: Trials
    out: str
    notes: tuple[Note | str, ...]

    @property
    def genuine(self) -> int:
        """The number of genuine trials."""
        return int(self.trials.genuine.sum())

    def answer(self) -> str:
        """Give what was written."""
        genuine, impostor = self.genuine, len(self.trials) - self.genuine
        systems = ", ".join(self.trials.systems)
        return f"{self.out}: {genuine:,} genuine and {impostor:,} impostor trials, systems {systems}"

    def tables(self) -> tuple[Table, ...]:
        """Give no rows, only the notes."""
        return (Table("trials", "", (), (), self.notes),)

    def to_dict(self) -> dict[str, Any]:
        """Give the names of the command line's JSON."""
        return {
            "out": self.out,
            "systems": list(self.trials.systems),
            "genuine": self.genuine,
            "impostor": len(self.trials) - self.genuine,
            "columns": list(self.trials.columns),
            "notes": plain(self.notes),
        }


def convert_files(
    paths: Sequence[PathLike],
    out: PathLike,
    *,
    to: str | None = None,
    progress: Progress | None = None,
    **reading: Any,
) -> Conversion:
    """Convert score files from one format to another, without losing a digit.

    Parameters
    ----------
    paths : sequence of path-like
        Score files; several are several systems, and their trials are aligned by their ids.
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
    trials = read_trials(paths, progress=progress, **reading)
    return Conversion(trials, str(out), (*trials.notes, *write_trials(trials, out, format=to)))
