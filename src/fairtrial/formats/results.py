"""Results as tables in files, for other programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fairtrial.errors import OutputError
from fairtrial.formats.arrow import write_text
from fairtrial.formats.files import PathLike, write_whole

_DELIMITERS = {".csv": ",", ".tsv": "\t"}
ENDINGS = (".parquet", *_DELIMITERS)


def check_ending(path: PathLike) -> None:
    """Raise an error where a file's name does not say how it is to be written."""
    if _ending(Path(path)) not in ENDINGS:
        raise OutputError(f"{path}: its name should end in {', '.join(ENDINGS)}")


def _ending(path: Path) -> str:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in (".gz", ".zst"):
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def write_columns(columns: Mapping[str, Sequence[Any]], path: PathLike) -> None:
    """Write columns of equal length as Parquet, CSV or TSV, by the ending of the name."""
    import pyarrow as pa
    import pyarrow.parquet as parquet

    check_ending(path)
    target = Path(path)
    table = pa.table({name: list(values) for name, values in columns.items()})
    with write_whole(path) as place:
        ending = _ending(target)
        if ending == ".parquet":
            parquet.write_table(table, place)
        else:
            write_text(table, place, target, delimiter=_DELIMITERS[ending], header=True)
