"""The page as such: numbers, tables, colours, the file, what it takes to repeat it."""

import hashlib
import re
from dataclasses import replace
from math import inf, nan
from pathlib import Path

import pytest

from fairtrial import ParameterError, __version__, evaluate
from fairtrial.core.notes import Note
from fairtrial.core.tables import Column, Table
from fairtrial.core.words import Text, wording
from fairtrial.evaluation.expected import expected_performance
from fairtrial.figures.axes import COLOURS
from fairtrial.pages import page_of
from fairtrial.pages.page import CHART_SCRIPTS, SCRIPTS, Page, lay_out, read, render, repeat_of, write_report
from fairtrial.published import mcnemar_test
from fairtrial.repeated import coverage_study
from pages.pages import EVIL, REPEAT, Reader, data_of, two_systems

ALONG = {"alpha": {"label": "alpha"}, "criterion": "wer-equal"}


def test_numbers_that_json_does_not_know() -> None:
    explore = {**ALONG, "systems": [{"x": [float("inf"), 0.1234567]}]}
    page = Page("t", "q", ("a",), (), (), (), REPEAT, explore=explore)
    assert data_of(render(page))["systems"] == [{"x": [None, 0.12346]}]


def test_what_systems_have_in_common_is_written_once() -> None:
    systems = [
        {"name": name, "alpha": [0.0, 1.0], "threshold": [1.25, threshold]}
        for name, threshold in (("a", 2.0), ("b", 3.0))
    ]
    data = data_of(render(Page("t", "q", ("a",), (), (), (), REPEAT, explore={**ALONG, "systems": systems})))
    assert data["shared"] == {"alpha": [0, 1]}
    assert data["systems"] == [{"name": system["name"], "threshold": system["threshold"]} for system in systems]


def test_tables_show_what_their_columns_say_and_sort_by_the_numbers() -> None:
    columns = (
        Column("system", "system"),
        Column("far", "FAR", "rate"),
        Column("interval", "interval", "interval"),
        Column("p", "p", "p"),
        Column("hidden", "hidden", "count", detail=True),
    )
    rows = (("FAR", 0.02, (0.01, 0.03), 1e-9, 5), (EVIL, float("nan"), None, 0.5, 6))
    table = Table("errors", Text("{FAR} on test"), columns, rows, notes=("a note below",), shown=(0,))
    with wording(terms="iso"):
        reader = Reader(render(Page("t", "q", ("a",), (table,), (), (), REPEAT)))
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


def test_cells_are_sorted_by_numbers_and_pairs_by_their_lower_end() -> None:
    columns = (Column("name", "name"), Column("far", "FAR", "rate"), Column("limits", "limits", "interval"))
    rows = (("a", 0.01, (0.0, 0.02)), ("b", nan, None))
    table = lay_out(Table("t", "Errors", columns, rows))
    assert table["headings"] == ["name", "FAR %", "limits"]
    assert [[cell["sort"] for cell in row] for row in table["rows"]] == [[None, 0.01, 0.0], [None, -inf, -inf]]
    assert [cell["text"] for cell in table["rows"][0]] == ["a", "1.00", "0.000 to 2.00"]
    assert table["rows"][1][0] == {"text": "b", "sort": None}


def test_details_are_for_files_only() -> None:
    table = Table("t", "T", (Column("a", "A"), Column("b", "B", detail=True)), (("x", "y"),))
    assert lay_out(table)["headings"] == ["A"]


def test_files_are_known_again_by_their_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    place = tmp_path / "scores.csv"
    place.write_bytes(b"label,face\n")
    repeat = repeat_of("fairtrial evaluate --dev scores.csv", [str(place)], 3)
    assert (repeat.command, repeat.seed, repeat.versions["fairtrial"]) == (
        "fairtrial evaluate --dev scores.csv",
        3,
        __version__,
    )
    assert [(file.name, file.size, file.sha256) for file in repeat.inputs] == [
        (str(place), 11, hashlib.sha256(b"label,face\n").hexdigest())
    ]
    assert str(repeat.made) == "1970-01-01"


def test_page_of_a_result_goes_by_its_class() -> None:
    dev, test = two_systems(0), two_systems(1)
    result = evaluate(dev, test, systems="face")
    assert page_of(result, REPEAT).title == "Evaluation of face"
    curves = expected_performance(dev, test, points=5, bands="pointwise", criterion="wer-equal")
    page = page_of(curves, REPEAT)
    assert [line["name"] for line in page.explore["pooled"]["curves"]] == list(dev.systems)
    for line, curve in zip(page.explore["pooled"]["curves"], curves.curves, strict=True):
        assert line["hter"] == curve.hter.tolist()
        assert line["low"] == curves.bands[curve.system].low.tolist()
    assert page.explore["pooled"]["x"]["label"] == "alpha, the weight of FAR, by wer-equal"
    assert "thresholds by wer-equal on dev" in Reader(render(page)).text
    study = coverage_study(n=20, m=2, pi=0.1, rho=0.2, methods=("lbb",), exact=True)
    assert page_of(study, REPEAT).title == "Coverage of 1 interval in 1 cell"
    with pytest.raises(ParameterError) as error:
        page_of(mcnemar_test(10, 2), REPEAT)
    assert error.value.code == "no-page"


def test_notes_stand_with_the_table_they_speak_of() -> None:
    columns = (Column("a", "A"),)
    tables = [
        Table(name, name, columns, (("x",),), notes=(Note("n", f"note of {name}", warning=name == "first"),))
        for name in ("first", "second")
    ]
    text = render(Page("t", "q", ("a",), tuple(tables), (), (), REPEAT))
    card, rest = text.split("</section>", 1)
    assert "note of first" in card
    assert "note of first" not in rest
    assert rest.index("<summary>second") < rest.index("note of second")
    folded = [attributes for tag, attributes in Reader(text).tags if tag == "details"]
    assert not any("open" in attributes for attributes in folded)


def test_a_result_writes_its_page(tmp_path: Path) -> None:
    result = evaluate(two_systems(0), two_systems(1), systems="face")
    result.report(tmp_path / "page.html", title="My system")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<h1>My system</h1>" in text
    assert result.answer() in Reader(text).text
