"""The page as such: numbers, tables, colours, the file."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from fairtrial.axes import COLOURS
from fairtrial.report.page import CHART_SCRIPTS, SCRIPTS, Page, read, render, write_report
from fairtrial.tables import Column, Table
from report.pages import EVIL, REPEAT, Reader, data_of


def test_numbers_that_json_does_not_know() -> None:
    page = Page("t", "q", ("a",), (), (), (), REPEAT, explore={"systems": [{"x": [float("inf"), 0.1234567]}]})
    assert data_of(render(page)) == {"systems": [{"x": [None, 0.12346]}]}


def test_what_systems_have_in_common_is_written_once() -> None:
    systems = [{"name": name, "alpha": [0.0, 1.0], "threshold": [1.25, own]} for name, own in (("a", 2.0), ("b", 3.0))]
    data = data_of(render(Page("t", "q", ("a",), (), (), (), REPEAT, explore={"systems": systems})))
    assert data["shared"] == {"alpha": [0, 1]}
    assert data["systems"] == [{"name": own["name"], "threshold": own["threshold"]} for own in systems]


def test_tables_show_what_their_columns_say_and_sort_by_the_numbers() -> None:
    columns = (
        Column("system", "system"),
        Column("far", "FAR", "rate"),
        Column("interval", "interval", "interval"),
        Column("p", "p", "p"),
        Column("hidden", "hidden", "count", detail=True),
    )
    rows = (("FAR", 0.02, (0.01, 0.03), 1e-9, 5), (EVIL, float("nan"), None, 0.5, 6))
    table = Table("errors", "FAR on test", columns, rows, notes=("a note below",), shown=(0,))
    reader = Reader(render(Page("t", "q", ("a",), (table,), (), (), REPEAT, terms="iso")))
    cells = [attributes for tag, attributes in reader.tags if tag == "td"]
    assert [cell.get("data-sort") for cell in cells[:8]] == [None, "0.02", "0.01", "1e-09", None, "-inf", "-inf", "0.5"]
    assert [cell.get("class") for cell in cells[:4]] == [None, "number", "number", "number"]
    words = reader.text.split()
    assert words[words.index("FMR") : words.index("FMR") + 3] == ["FMR", "on", "test"]
    assert "FMR %" in reader.text
    for shown in ("FAR", "2.00", "1.00 to 3.00", "< 0.0001", EVIL, "a note below"):
        assert shown in reader.text
    assert "hidden" not in reader.text


def test_report_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    page = Page("t", "q", ("a",), (), (), (), REPEAT)
    write_report(page, tmp_path / "r.html")
    assert (tmp_path / "r.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert [path.name for path in tmp_path.iterdir()] == ["r.html"]


def test_colours_of_a_page_are_those_of_figures() -> None:
    text = render(Page("t", "q", ("a",), (), (), (), REPEAT))
    for number, colour in enumerate(COLOURS):
        assert f"--c{number}: {colour};" in text
        assert text.upper().count(colour) == 1, colour
    for name in ("page.js", "page.css", "charts.js", "charts.css"):
        assert not re.search("#[0-9a-fA-F]{3,6}", read(name)), name


@pytest.mark.parametrize("name", [*CHART_SCRIPTS, *SCRIPTS])
def test_scripts_can_stand_in_a_page(name: str) -> None:
    assert not re.search("</script|<script|<!--", read(name), re.IGNORECASE)


def test_only_a_page_with_charts_holds_what_draws_them() -> None:
    words = Page("t", "q", ("a",), (), (), (), REPEAT)
    with_charts = replace(words, explore={"pooled": {"curves": []}})
    for page, charts in ((words, False), (with_charts, True)):
        scripts = Reader(render(page)).scripts[1:]
        expected = (*(CHART_SCRIPTS if charts else ()), *SCRIPTS)
        assert [text.strip() for text in scripts] == [read(name).strip() for name in expected]
