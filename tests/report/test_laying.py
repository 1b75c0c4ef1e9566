"""Tables as pages lay them out."""

from math import inf, nan

from fairtrial.report.laying import LaidTable
from fairtrial.tables import Column, Table


def test_cells_are_sorted_by_numbers_and_pairs_by_their_lower_end() -> None:
    columns = (Column("name", "name"), Column("far", "FAR", "rate"), Column("limits", "limits", "interval"))
    rows = (("a", 0.01, (0.0, 0.02)), ("b", nan, None))
    found = LaidTable.of(Table("t", "Errors", columns, rows))
    assert found.headings == ["name", "FAR %", "limits"]
    assert [[cell.sort for cell in row] for row in found.rows] == [[None, 0.01, 0.0], [None, -inf, -inf]]
    assert [cell.text for cell in found.rows[0]] == ["a", "1.00", "0.000 to 2.00"]
    assert found.to_dict()["rows"][1][0] == {"text": "b", "sort": None}


def test_details_are_for_files_only() -> None:
    table = Table("t", "T", (Column("a", "A"), Column("b", "B", detail=True)), (("x", "y"),))
    assert LaidTable.of(table).headings == ["A"]
