"""Files of counts in place of scores: what the commands that take both have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from fairtrial.cli.options import ChanceOptions, InputOptions, ReadingOptions
from fairtrial.cli.progress import Bar
from fairtrial.errors import ParameterError

if TYPE_CHECKING:
    from fairtrial.scale.counter import Counter

NEEDS_SCORES = "needs the scores themselves, and not files of counts"
_STILL_USED = ("systems",)


def are_counts(files: InputOptions) -> bool:
    """Whether files of counts are named; an error where only some of them are."""
    from fairtrial.formats.files import expand
    from fairtrial.formats.parts import is_part

    if not any(is_part(name) for name in files.files):
        return False
    for name in files.files:
        for path in expand(name):
            if not is_part(path):
                raise ParameterError(f"{path}: is not a file of counts (.ftc), and others are; count it first")
    if files.folds is not None:
        raise ParameterError("--folds needs the trials themselves; with files of counts give --test P.ftc")
    if not files.test:
        raise ParameterError("with files of counts give --test P.ftc")
    return True


def refuse(**given: Any) -> None:
    """Raise an error for an option that files of counts cannot serve; None and False are options not given."""
    for name, value in given.items():
        if value is not None and value is not False:
            raise ParameterError(f"--{name.replace('_', '-')} {NEEDS_SCORES}")


def read_counters(files: InputOptions, reading: ReadingOptions, chance: ChanceOptions) -> tuple[Counter, Counter]:
    """The counters of dev and of test; several files of a set are merged."""
    from fairtrial.formats.files import expand
    from fairtrial.scale.merging import load_counters

    for each in fields(reading):
        value = getattr(reading, each.name)
        if each.name not in _STILL_USED and value and value != each.metadata["settings"].get("default"):
            flag = each.metadata["flags"][0]
            raise ParameterError(f"{flag} says how scores are read; give it to fairtrial count")
    refuse(cluster=None if chance.cluster == "none" else chance.cluster)
    paths = [expand(files.dev), expand(files.test)]
    with Bar("reading counts", sum(map(len, paths))) as bar:
        dev, test = (load_counters(own, progress=bar.advance) for own in paths)
    return dev, test


def chosen_systems(dev: Counter, names: Sequence[str]) -> list[str]:
    """The systems asked for, or all."""
    return [dev.check_system(name) for name in names] if names else list(dev.systems)
