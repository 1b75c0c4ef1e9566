"""Score files that are larger than memory, or counted by a cluster: what the commands that take them have in common."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fairtrial.cli.options import ReadingOptions, SetOptions, option
from fairtrial.cli.progress import PassBar
from fairtrial.core.errors import ParameterError

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from fairtrial.counting.pieces import OpenTrials

_SHARE = 2
"""By default, trials may take this part of the machine's memory."""


@dataclass(frozen=True, slots=True)
class PlaceOptions:
    """How much memory may be used, and where the work is done."""

    memory: str | None = option(
        "--memory",
        metavar="SIZE",
        help="Memory that trials may take, as in 4GB. Larger files are read in pieces, as often as needed, with the "
        "same figures.  [default: half of the machine's]",
    )
    scheduler: str | None = option(
        "--scheduler",
        metavar="ADDRESS",
        help="Have a Dask cluster count pieces of the files, as in tcp://10.0.0.1:8786; its workers must see them.",
    )

    @property
    def room(self) -> int:
        """The memory, in bytes."""
        from fairtrial.counting.pieces import check_memory

        if self.memory is not None:
            return check_memory(self.memory)
        try:
            return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // _SHARE
        except (AttributeError, ValueError, OSError):  # not every system says it
            return 4 * 10**9

    def asks_for_pieces(self, files: Sequence[str]) -> bool:
        """Whether files are to be read in pieces: they are larger than memory, or for a cluster."""
        from fairtrial.formats.opening import expected_memory

        return self.scheduler is not None or expected_memory(files) > self.room


@contextmanager
def executor_of(place: PlaceOptions) -> Iterator[Executor | None]:
    """The cluster that was asked for; None for this process."""
    if place.scheduler is None:
        yield None
        return
    try:
        from distributed import Client
    except ImportError as error:
        raise ParameterError("--scheduler needs Dask; pip install 'fairtrial[dask]'") from error
    try:
        client = Client(place.scheduler, timeout=20)
    except (OSError, ValueError) as error:
        raise ParameterError(f"--scheduler {place.scheduler}: there is no cluster to be reached: {error}") from error
    with client:
        yield client.get_executor()


@contextmanager
def opened_sets(
    files: SetOptions, reading: ReadingOptions, place: PlaceOptions, whole: Mapping[str, object]
) -> Iterator[tuple[OpenTrials, OpenTrials]]:
    """Dev and test trials in pieces; an error for options that need them whole, where they were given."""
    from fairtrial.counting.pieces import open_trials
    from fairtrial.formats.files import expand
    from fairtrial.inference.split import check_same_systems

    why = "needs all trials in memory, and these are read in pieces; allow more with --memory"
    for name, value in {**whole, "common": reading.common or None}.items():
        if value is not None and value is not False:
            raise ParameterError(f"--{name.replace('_', '-')} {why}")
    if not files.test:
        raise ParameterError("give --test F; trials that are read in pieces cannot be cut into folds")
    with ExitStack() as stack:
        executor = stack.enter_context(executor_of(place))

        def opened(paths: Sequence[str], word: str, **more: Any) -> OpenTrials:
            bar = PassBar(f"reading {word}")
            stack.callback(bar.stop)
            keywords = {name: value for name, value in reading.keywords().items() if name != "common"} | more
            found = open_trials(list(paths), memory=place.room, executor=executor, progress=bar, **keywords)
            if not found.named and len(expand(paths)) > 1:
                # read whole, each would be a system of its own; in pieces they would be taken for parts of one
                raise ParameterError(
                    f"{', '.join(paths[:3])}: several files that do not name their systems cannot be read in pieces; "
                    "if they are parts of one system, name it with --name; if each is a system of its own, put them "
                    "side by side in one file"
                )
            return found

        dev, test = opened(files.dev, "dev"), opened(files.test, "test")
        if dev.systems != test.systems and not dev.named and not test.named:
            test = opened(files.test, "test", names=dev.systems)  # named after the files, which have different names
        check_same_systems(dev, test)
        yield dev, test
