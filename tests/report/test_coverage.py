"""The page of a study of coverage."""

from fairtrial import (
    Cell,
    Grid,
    StudySettings,
    run_study,
)
from fairtrial.report.coverage import coverage_page
from fairtrial.report.page import render
from report.pages import REPEAT, check_self_contained


def test_coverage_page_holds_every_cell() -> None:
    study = run_study(Grid((50,), (2, 5), (0.1,), (0.1, 0.2)), StudySettings(data_sets=50))
    page = coverage_page(study, REPEAT)
    text = render(page)
    check_self_contained(text)
    assert [Cell(*cell) for cell in page.explore["coverage"]["cells"]] == list(Grid((50,), (2, 5), (0.1,), (0.1, 0.2)))
    shown = page.explore["coverage"]["maps"]["lbb"]
    assert shown["values"] == [row.coverage for row in study.rows if row.method == "lbb"]
    bounds = [0.01, 0.25, 0.5, 0.75, 0.9, 0.925, 0.95]
    assert shown["classes"] == [sum(value >= bound for bound in bounds) for value in shown["values"]]
    assert len(page.explore["coverage"]["legend"]) == 8
