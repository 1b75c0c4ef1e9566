"""Commands without a question: listings, example files, the explorer, completion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click
from click.shell_completion import get_completion_class

from fairtrial.cli.output import say
from fairtrial.core.errors import OutputError, ParameterError, check_whole
from fairtrial.core.results import Result
from fairtrial.core.tables import Column, Table

if TYPE_CHECKING:
    from fairtrial.benchmark.datasets import DatasetExport, DatasetList

_SYSTEMS = {"(FH,MLP)": "face", "(LFCC,GMM)": "voice", "(PAC,GMM)": "phone"}


@dataclass(frozen=True, slots=True, repr=False)
class Listing(Result):
    """Entries of a list, by their names."""

    what: str
    columns: tuple[Column, ...]
    entries: tuple[Mapping[str, Any], ...]

    def answer(self) -> str:
        """Give how many there are."""
        return f"{len(self.entries)} {self.what}"

    def tables(self) -> tuple[Table, ...]:
        """Give one row per entry."""
        shown = [
            {key: " ".join(value) if isinstance(value, list) else value for key, value in entry.items()}
            for entry in self.entries
        ]
        return (Table.of(self.what, "", self.columns, shown),)

    def to_dict(self) -> dict[str, Any]:
        """Give the entries."""
        return {self.what: list(map(dict, self.entries))}


def list_formats() -> Listing:
    """List the score file formats that are read and written."""
    from fairtrial.formats.registry import FORMATS

    columns = (
        Column("name", "name"),
        Column("description", "what it is"),
        Column("writes", "written", "flag"),
        Column("endings", "endings"),
    )
    entries = (
        {
            "name": each.name,
            "description": each.description,
            "writes": each.write is not None,
            "endings": [*each.endings],
        }
        for each in FORMATS.values()
    )
    return Listing("formats", columns, tuple(entries))


def list_criteria() -> Listing:
    """List the criteria by which thresholds are chosen."""
    from fairtrial.rules.criteria import CRITERIA

    return _summaries("criteria", {each.name: each.summary for each in CRITERIA.values()})


def list_measures() -> Listing:
    """List the measures: of errors at a threshold, and of evidence."""
    from fairtrial.calibration.measures import evidence_names
    from fairtrial.rules.measures import MEASURES

    return _summaries("measures", {each.name: each.summary for each in MEASURES.values()} | evidence_names())


def _summaries(what: str, summaries: Mapping[str, str]) -> Listing:
    columns = (Column("name", "name"), Column("summary", "what it is"))
    return Listing(what, columns, tuple({"name": name, "summary": text} for name, text in summaries.items()))


@dataclass(frozen=True, slots=True, repr=False)
class Demo(Result):
    """Example files that were written."""

    files: tuple[str, ...]

    def answer(self) -> str:
        """Give their names, and what to do with them."""
        dev, test = self.files
        return f"wrote {dev} and {test}; try: fairtrial compare --dev {dev} --test {test}"

    def tables(self) -> tuple[Table, ...]:
        """Give no table."""
        return ()

    def to_dict(self) -> dict[str, Any]:
        """Give their names."""
        return {"files": list(self.files)}


def write_demo(folder: str = ".") -> Demo:
    """Write example files: three systems, and 50 clients of a synthetic set with a column sex.

    Parameters
    ----------
    folder : str, default "."
        The directory to write to.

    Returns
    -------
    Demo
        The names of the files.
    """
    from fairtrial.benchmark.lausanne import load_lausanne
    from fairtrial.core.trials import Ids
    from fairtrial.formats.files import write_together
    from fairtrial.formats.read import write_trials

    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be made: {error.strerror}") from error
    first = load_lausanne().sets[0]
    paths = {name: Path(folder, f"{name}.csv") for name in ("dev", "test")}
    for path in paths.values():
        if path.exists():
            raise OutputError(f"{path}: already exists; name another directory, as in fairtrial demo scores")
    with write_together():
        for name, trials in (("dev", first.dev), ("test", first.test)):
            assert trials.claim is not None
            few = trials.rows(trials.claim.decode() < "client051").select([*_SYSTEMS])
            assert few.claim is not None
            sex = ["fm"[(int(client[-3:]) - 1) // 5 % 2] for client in few.claim.decode()]  # scores do not depend on it
            columns = {**few.columns, "sex": Ids.of(sex)}
            write_trials(replace(few.renamed([*_SYSTEMS.values()]), columns=columns), paths[name])
    return Demo(tuple(map(str, paths.values())))


def show_datasets(
    name: str | None = None, *, export: str | None = None, only: Sequence[str] = ()
) -> DatasetList | DatasetExport:
    """List the known score sets, show one, or write its trials as files.

    Parameters
    ----------
    name : str, optional
        The name of one set; all by default.
    export : str, optional
        Write the dev and test trials of the set to this directory, with a benchmark.toml that describes them.
    only : sequence of str, default ()
        With `export`: the names of the parts to write; all by default.

    Returns
    -------
    DatasetList or DatasetExport
        The sets, or the files that were written.
    """
    from fairtrial.benchmark.datasets import export_dataset, list_datasets

    if export is None:
        if only:
            raise ParameterError("{only!p} applies to {export!p} only", code="does-not-apply", only=..., export=...)
        return list_datasets(name)
    if name is None:
        raise ParameterError("name the set, as in fairtrial datasets lausanne --export DIR", code="missing")
    return export_dataset(name, export, only=only)


def explore(files: Sequence[str] = (), *, port: int = 0, no_browser: bool = False) -> None:
    """Serve the explorer until Ctrl-C.

    Parameters
    ----------
    files : sequence of str, default ()
        Score files to open; others can be dropped on the page.
    port : int, default 0
        Where to listen; any free port by default.
    no_browser : bool, default False
        Only print the address; open no browser.
    """
    from fairtrial.formats.files import expand

    check_whole("port", port, 0, 65535)
    try:
        from fairtrial.explorer.app import serve
    except ImportError as error:
        raise ParameterError(f"explore needs {error.name}; pip install 'fairtrial[explore]'") from error
    if files:
        expand(list(files))  # an error before anything is served

    def ready(address: str) -> None:
        say(f"explore at {address}")
        say("Ctrl-C ends it")
        if not no_browser:
            import webbrowser

            webbrowser.open(address)

    with suppress(KeyboardInterrupt):
        serve(list(files), port=port, ready=ready)
    say("stopped; copies of files that were dropped are deleted")


def completion(shell: Literal["bash", "zsh", "fish"]) -> None:
    """Print a script that completes commands and options in a shell.

    Parameters
    ----------
    shell : {"bash", "zsh", "fish"}
        The shell.
    """
    from fairtrial.cli.app import main

    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(main, {}, "fairtrial", "_FAIRTRIAL_COMPLETE").source())
