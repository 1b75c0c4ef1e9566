"""The text format of bob: one line per trial, four columns or five.

    claim subject probe score
    claim model subject probe score

A trial is genuine when claim and subject are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fairtrial.core.errors import InputError, OutputError
from fairtrial.core.trials import Trials
from fairtrial.core.words import listed, shown
from fairtrial.formats.arrow import text_column, write_text
from fairtrial.formats.files import Head, Progress, system_name
from fairtrial.formats.identities import settle
from fairtrial.formats.sheets import ReadOptions, Sheet, columns_of
from fairtrial.formats.text import Kind, Layout, is_number, left_out, read_columns, split_spaces

COLUMNS = {4: ("claim", "subject", "probe", "score"), 5: ("claim", "model", "subject", "probe", "score")}
KINDS: dict[str, Kind] = {"claim": "id", "subject": "id", "model": "id", "probe": "text", "score": "score"}


def matches(heads: Sequence[Head]) -> bool:
    """Whether each file has four or five columns separated by white space, the last a number."""
    return all(_width(head) in COLUMNS for head in heads)


def _width(head: Head) -> int:
    lines = head.lines(1) if head.is_text else []
    fields = split_spaces(lines[0]) if lines else [""]
    return len(fields) if is_number(fields[-1]) and "," not in fields[0] and not _is_prose(fields) else 0


def _is_prose(fields: Sequence[str]) -> bool:
    """Whether fields stand between a dash and a colon, as in ``a.dat - b.dat: 66.4``."""
    return fields[1:2] == ["-"] and any(field.endswith(":") for field in fields[2:])


def read(heads: Sequence[Head], options: ReadOptions, progress: Progress | None) -> list[Sheet]:
    """One sheet per file, each of one system named after its file."""
    return [read_planned(head, plan_text(head), options, progress) for head in heads]


def plan_text(head: Head) -> Layout:
    """Tell the columns of a file by its first lines."""
    line = "".join(head.lines(1))
    if _is_prose(split_spaces(line)):
        raise InputError(f"{head.path}: expected {' '.join(COLUMNS[4])}, but it begins with {shown(line)}")
    names = COLUMNS.get(_width(head), COLUMNS[4])
    delimiter = "\t" if b"\t" in head.data and b" " not in head.data else " "
    return Layout(names, tuple(KINDS[name] for name in names), delimiter, shape=" ".join(names))


def read_planned(head: Head, layout: Layout, options: ReadOptions, progress: Progress | None = None) -> Sheet:
    """The sheet of a file, or of a block of its lines."""
    read = read_columns(head, layout, progress)
    scores = read.columns["score"]
    ids = {name: column for name, column in read.columns.items() if name != "score"}
    settled = settle(ids, None, options, head.origin)
    left = left_out(read.comments)
    sheet = Sheet(
        head.origin,
        columns_of([scores]),
        settled.genuine,
        (system_name(head),),
        settled.ids,
        (*settled.notes, *(() if head.is_whole else left)),
        named=False,
        columns=settled.columns,
        taken=(", ".join(layout.names), *(left if head.is_whole else ())),
    )
    return sheet.checked(options)


def write_four(trials: Trials, place: Path, target: Path) -> tuple[str, ...]:
    """Write four columns."""
    return _write(trials, place, target, COLUMNS[4])


def write_five(trials: Trials, place: Path, target: Path) -> tuple[str, ...]:
    """Write five columns."""
    return _write(trials, place, target, COLUMNS[5])


def _write(trials: Trials, place: Path, target: Path, names: Sequence[str]) -> tuple[str, ...]:
    import pyarrow as pa
    import pyarrow.compute as pc

    if len(trials.systems) != 1:
        raise OutputError(
            "{target}: this format holds one system, not {names:list}; choose one, as in {systems!o}",
            target=target,
            names=trials.systems,
            systems="NAME",
        )
    if trials.claim is None or trials.subject is None:
        raise OutputError(f"{target}: this format needs claim and subject ids, which these trials do not have")
    if (trials.claim.numbered().equals(trials.subject.numbered()) != trials.genuine).any():
        raise OutputError(
            f"{target}: this format calls a trial genuine when claim and subject are equal, and that is not so for "
            "these trials; write CSV or Parquet, which have a label column"
        )
    columns = []
    for name in names[:-1]:
        ids = trials.ids.get(name)
        column = pa.array(["-"] * len(trials)) if ids is None else text_column(ids)
        if pc.any(pc.match_substring_regex(column, '^#|[\\s"]')).as_py():
            raise OutputError(
                f"{target}: a {name} begins with # or holds a space or a quote, which this format does not allow; "
                "write CSV or Parquet"
            )
        columns.append(column)
    table = pa.table([*columns, pa.array(trials.column())], names=list(names))
    write_text(table, place, target, delimiter=" ", header=False)
    lost = [*(name for name in trials.ids if name not in names), *trials.columns]
    return (
        (f"this format has no room for {listed(lost)}, which were left out; CSV, Parquet and npz have",) if lost else ()
    )
