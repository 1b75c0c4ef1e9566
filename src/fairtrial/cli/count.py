"""fairtrial count"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from fairtrial.cli import options
from fairtrial.cli.files import READ, WRITTEN, FileCommand
from fairtrial.cli.merge import print_counter
from fairtrial.cli.options import ReadingOptions
from fairtrial.cli.progress import reading_bar
from fairtrial.core.errors import InputError, ParameterError, TrialsError
from fairtrial.core.words import listed

_AT_ONCE = 1 << 26
"""Bytes of memory for what is read at once."""

if TYPE_CHECKING:
    from pathlib import Path

    from fairtrial.formats.files import Progress
    from fairtrial.formats.opening import ReadTrials


@click.command(cls=FileCommand)
@click.argument("inputs", nargs=-1, required=True, type=READ, metavar="F...")
@click.option("--out", required=True, type=WRITTEN, metavar="P.ftc", help="The file of counts to write.")
@click.option(
    "--precision",
    type=float,
    default=1e-4,
    show_default=True,
    help="How far apart the bounds of an error rate may be, relative to the rate; it decides how many cells are kept.",
)
@click.option(
    "--thresholds",
    multiple=True,
    metavar="[NAME=]T[,T...]",
    help="Thresholds known beforehand, for all systems or for one: errors there are counted exactly, and by person "
    "where the files have ids; may be repeated.",
)
@click.option(
    "--together",
    is_flag=True,
    help="The files are one set of trials, as lists of genuine and impostor scores or several systems; otherwise each "
    "file holds trials of its own, and one is read at a time.",
)
@options.takes(ReadingOptions)
@options.json_option
def command(
    reading: ReadingOptions,
    *,
    inputs: tuple[str, ...],
    out: str,
    precision: float,
    thresholds: tuple[str, ...],
    together: bool,
    json_: bool,
) -> None:
    """Count the scores of files, any number of them, into one small file of counts.

    \b
    Examples:
      fairtrial count part-*.parquet --out dev.ftc
      fairtrial count test.csv --thresholds face=0.62 --thresholds voice=1.5 --out test.ftc
      fairtrial evaluate --dev dev.ftc --test test.ftc
    """
    from fairtrial.counting.counter import Counter
    from fairtrial.formats.counter_file import ENDING
    from fairtrial.formats.results import check_target

    check_target(out, (ENDING,))
    counter: Counter | None = None
    notes: list[str] = []
    with reading_bar(inputs) as bar:
        for name, (trials, _, taken) in _sets(inputs, reading, bar.advance, together=together):
            if counter is None:
                counter = Counter(
                    trials.systems, precision=precision, thresholds=_by_system(thresholds, trials.systems)
                )
            elif set(trials.systems) != set(counter.systems):
                raise InputError(
                    f"{name}: holds the systems {listed(trials.systems)}, the files before {listed(counter.systems)}; "
                    "files of several systems of the same trials are counted with --together"
                )
            try:
                counter.update(trials)
            except TrialsError as error:
                raise InputError(f"{name}: {error}") from error
            notes += [note for note in (*taken, *trials.notes) if note not in notes]
    assert counter is not None
    counter.save(out)
    print_counter(counter, out, json=json_, notes=notes)


def _sets(
    inputs: Sequence[str], reading: ReadingOptions, progress: Progress, *, together: bool
) -> Iterator[tuple[str, ReadTrials]]:
    """The trials of each file, or of all of them, with a name to call them by."""
    from fairtrial.formats.files import expand
    from fairtrial.formats.opening import ReadTrials
    from fairtrial.formats.read import read_trials

    if together:
        yield listed(inputs, 3), ReadTrials(read_trials(inputs, progress=progress, **reading.keywords()))
        return
    named = reading
    for path in expand(inputs):
        for read in _trials_of(path, named, progress):
            if not named.names and len(read.trials.systems) == 1 and not named.systems:
                # a file of one system may be called after itself: those that follow are the same system
                named = replace(named, names=read.trials.systems)
            yield str(path), read


def _trials_of(path: Path, reading: ReadingOptions, progress: Progress) -> Iterator[ReadTrials]:
    """The trials of a file, piece by piece where its format allows."""
    from fairtrial.formats.opening import ReadTrials, can_be_cut, open_pieces
    from fairtrial.formats.read import read_trials
    from fairtrial.formats.sheets import ReadOptions, check_labels

    keywords = reading.keywords()
    known = keywords.pop("format")
    if not can_be_cut(path, known):
        yield ReadTrials(read_trials(path, progress=progress, format=known, **keywords))
        return
    options = ReadOptions(**keywords)
    systems, pieces = open_pieces(path, known, options, _AT_ONCE)
    labels: frozenset[str] = frozenset()
    for piece in pieces:
        for read in piece.trials(systems, everything=True):
            labels |= read.labels
            yield read
        progress(piece.size)
    check_labels(labels, options, str(path))


def _by_system(given: Sequence[str], systems: Sequence[str]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {name: [] for name in systems}
    for entry in given:
        name, equals, numbers = entry.rpartition("=")
        try:
            values = [float(number) for number in numbers.split(",")]
        except ValueError as error:
            raise ParameterError(
                f"--thresholds {entry}: expected numbers separated by commas, as in 0.5,0.7 or face=0.5,0.7"
            ) from error
        if equals and name not in found:
            raise ParameterError(f"--thresholds {entry}: there is no system {name!r}; there are {listed(systems)}")
        for system in [name] if equals else systems:
            found[system] += values
    return found
