"""The text format of bob: one line per trial, four columns or five.

    claim subject probe score
    claim model subject probe score

A trial is genuine when claim and subject are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fairtrial.errors import OutputError, listed
from fairtrial.formats.arrow import text_column, write_text
from fairtrial.formats.files import Head, Progress, system_name
from fairtrial.formats.sheets import ReadOptions, Sheet, columns_of, genuine_by_ids
from fairtrial.formats.text import Kind, Layout, is_number, read_columns, split_spaces
from fairtrial.trials import Trials

_COLUMNS = {4: ("claim", "subject", "probe", "score"), 5: ("claim", "model", "subject", "probe", "score")}
_KINDS: dict[str, Kind] = {"claim": "id", "subject": "id", "model": "id", "probe": "text", "score": "score"}


def matches(heads: Sequence[Head]) -> bool:
    """Whether each file has four or five columns separated by white space, the last a number."""
    return all(_width(head) in _COLUMNS for head in heads)


def _width(head: Head) -> int:
    lines = head.lines(1) if head.is_text else []
    fields = split_spaces(lines[0]) if lines else [""]
    return len(fields) if is_number(fields[-1]) and "," not in fields[0] else 0


def read(heads: Sequence[Head], options: ReadOptions, progress: Progress | None) -> list[Sheet]:
    """One sheet per file, each of one system named after its file."""
    return [_read_one(head, progress).checked(options) for head in heads]


def _read_one(head: Head, progress: Progress | None) -> Sheet:
    width = _width(head)
    names = _COLUMNS.get(width, _COLUMNS[4])
    delimiter = "\t" if b"\t" in head.data and b" " not in head.data else " "
    layout = Layout(names, tuple(_KINDS[name] for name in names), delimiter, shape=" ".join(names))
    columns = read_columns(head, layout, progress)
    scores = columns.pop("score")
    genuine = genuine_by_ids(columns, str(head.path))
    return Sheet(str(head.path), columns_of([scores]), genuine, (system_name(head),), columns, named=False)


def write_four(trials: Trials, place: Path, target: Path) -> None:
    """Write four columns."""
    _write(trials, place, target, _COLUMNS[4])


def write_five(trials: Trials, place: Path, target: Path) -> None:
    """Write five columns."""
    _write(trials, place, target, _COLUMNS[5])


def _write(trials: Trials, place: Path, target: Path, names: Sequence[str]) -> None:
    import pyarrow as pa
    import pyarrow.compute as pc

    if len(trials.systems) != 1:
        raise OutputError(
            f'{target}: this format holds one system, not {listed(trials.systems)}; choose one, as in select(["NAME"])'
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
