"""Files of counts in place of scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING

from fairtrial.cli.options import ReadingOptions, SetOptions
from fairtrial.cli.progress import Bar
from fairtrial.core.errors import ParameterError

if TYPE_CHECKING:
    from fairtrial.counting.counter import Counter


def read_counters(
    files: SetOptions, reading: ReadingOptions, needs: Sequence[str] = ()
) -> tuple[Counter, Counter | None]:
    """Read the counters of dev and of test; several files of a set are merged.

    Raises
    ------
    ParameterError
        If some files are not counters, or an option was given that needs the scores.
    """
    from fairtrial.counting.counter import load_counters
    from fairtrial.formats.counter_file import is_part
    from fairtrial.formats.files import expand

    if not files.test:
        raise ParameterError(
            "{folds!p} needs the trials themselves; with files of counts give {test!p}", folds=0, test=0
        )
    paths = [expand(files.dev), expand(files.test)]
    for path in (own for group in paths for own in group):
        if not is_part(path):
            raise ParameterError(f"{path}: is not a file of counts (.ftc), and others are; count it first")
    for flag in needs:
        raise ParameterError(f"{flag} needs the scores themselves, and not files of counts", code="needs-scores")
    for each in fields(reading):
        value = getattr(reading, each.name)
        if each.name not in ("systems", "chosen") and value and value != each.metadata["settings"].get("default"):
            raise ParameterError(f"{each.metadata['flags'][0]} says how scores are read; give it to fairtrial count")
    with Bar("reading counts", sum(map(len, paths))) as bar:
        dev, test = (load_counters(own, progress=bar.advance) for own in paths)
    return dev, test
