"""Lines as cells: a cell may stand in quotes, hold doubled quotes and go over several lines.

As Python's own reader does it, but for its limit of the length of a cell, which can be changed only for everybody.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

_MAX_CELL = 1 << 24


class QuotedRows:
    """The cells of lines that end as they do in the file; what follows a closed quote belongs to the cell."""

    def __init__(self, lines: Iterable[str], delimiter: str) -> None:
        self.unclosed = False
        """Whether the last row ended within quotes, at the end of the file or after 16 MiB."""
        self._lines = lines
        self._delimiter = delimiter

    def __iter__(self) -> Iterator[list[str]]:
        cells: list[str] = []
        pieces: list[str] = []
        size = 0
        for line in self._lines:
            body = line.rstrip("\r\n")
            if not pieces and '"' not in body:
                yield body.split(self._delimiter) if body else []
                continue
            if self._is_done(line, body, cells, pieces):
                yield cells
                cells, size = [], 0
                continue
            size += len(line)
            if size > _MAX_CELL:
                break
        if pieces:
            self.unclosed = True
            yield [*cells, "".join(pieces)]

    def _is_done(self, line: str, body: str, cells: list[str], pieces: list[str]) -> bool:
        """Add the cells of a line, and say whether the row ends with it; if not, the pieces are of a cell that goes on.

        A cell in quotes has one piece at least, which may be empty.
        """
        place = 0
        while place <= len(body):
            if not pieces:
                if not body.startswith('"', place):
                    place = self._add(body, place, cells, "")
                    continue
                pieces.append("")
                place += 1
            closing = body.find('"', place)
            if closing < 0:
                pieces.append(line[place:])
                return False
            pieces.append(body[place:closing])
            place = closing + 1
            if body.startswith('"', place):
                pieces.append('"')
                place += 1
            else:
                place = self._add(body, place, cells, "".join(pieces))
                pieces.clear()
        return True

    def _add(self, body: str, place: int, cells: list[str], begin: str) -> int:
        """Add a cell that ends at the next delimiter, and give where the one after it begins."""
        end = body.find(self._delimiter, place)
        end = len(body) if end < 0 else end
        cells.append(begin + body[place:end])
        return end + 1


def split_rows(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    """The cells of the first lines of a table; a cell in quotes may go over several of them."""
    return list(QuotedRows((f"{line}\n" for line in lines), delimiter))
